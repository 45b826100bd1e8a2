"""Loops closed by stiffness matrices approach those closed by ideal joints: the error falls with 1/K, at rest, in motion and in modes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest

from jourdain import System
from tests.support.systems.blocks import four_bar

STIFF = (1e5, 4e5)
DAMPED = 0.3
"""Damping ratio of the closure with a mass of 1 kg, so that its own vibrations die away."""


def closure(size: int, k: float) -> dict[str, float]:
    """A stiffness and a damping of the translations alone: a pin in the plane, a ball in space."""
    moved = 2 if size == 3 else 3
    matrix = {f"{name}{i}{i}": 0.0 for name in "KD" for i in range(1, size + 1)}
    return matrix | {f"K{i}{i}": k for i in range(1, moved + 1)} | {f"D{i}{i}": 2 * DAMPED * np.sqrt(k) for i in range(1, moved + 1)}


def chain(k: float | None) -> System:
    """Three rods in the plane whose end is pinned to the ground."""
    system = System("chain")
    system.add("ground", "planar.Fixed")
    system.add(
        "wall", "planar.Fixed", {"p1.rx": np.cos(0.5) + np.cos(-0.3) + np.cos(-1.2), "p1.ry": np.sin(0.5) + np.sin(-0.3) + np.sin(-1.2)}
    )
    parent = "ground.p1"
    for name, q in (("a", 0.5), ("b", -0.8), ("c", -0.9)):
        system.add(name, "planar.RevoluteBody", {"I": 1 / 12, "rx": 0.5, "C1.rx": 1.0, "q": q, "k": 60.0, "b": 2.0, "rest": q})
        system.connect(parent, f"{name}.P")
        parent = f"{name}.C1"
    system.add("closing", *(("planar.LoopClosure", closure(3, k)) if k else ("planar.Revolute", {})))
    system.connect(parent, "closing.M")
    system.connect("closing.N", "wall.p1")
    return system


def bars(k: float | None) -> System:
    """Crank, coupler and rocker, with a spring on the crank."""
    closing = ("planar.LoopClosure", closure(3, k)) if k else ("planar.Revolute", {})
    return four_bar(True, *closing, crank={"k": 200.0, "b": 2.0, "rest": 1.0})


def links() -> System:
    """Four links in space on hinges that are skew to each other."""
    tilt = {"P.zx": 0.5, "P.zy": 0.3, "P.zz": 1.0}
    rod = {"m": 1.0, "Ixx": 0.05, "Iyy": 0.1, "Izz": 0.1, "rx": 0.4, "C1.rx": 0.8, "C1.zx": 0.4, "C1.zy": -0.5, "k": 40.0, "b": 1.0}
    system = System("links")
    system.add("ground", "spatial.Fixed")
    parent = "ground.p1"
    for name, q in (("a", 0.2), ("b", -0.6), ("c", 0.9), ("d", 0.5)):
        system.add(name, "spatial.RevoluteBody", {**rod, **tilt, "q": q, "rest": q})
        system.connect(parent, f"{name}.P")
        parent = f"{name}.C1"
    return system


@cache
def end_of_links() -> dict[str, float]:
    """The point at which the last link ends."""
    result = links().simulate(1e-6)
    return {f"p1.r{axis}": result[f"d.C1.{axis}"][0] for axis in "xyz"}


def loop(k: float | None) -> System:
    """The links, the last of which ends in a ball."""
    system = links()
    system.add("wall", "spatial.Fixed", end_of_links())
    system.add("closing", *(("spatial.LoopClosure", closure(6, k)) if k else ("spatial.Spherical", {})))
    system.connect("d.C1", "closing.M")
    system.connect("closing.N", "wall.p1")
    return system


LOOPS = {"chain": (chain, "a.q"), "four-bar": (bars, "crank.q"), "loop in space": (loop, "a.q")}


@pytest.mark.parametrize(
    ("make", "angle"), [pytest.param(*LOOPS[name], id=name, marks=[pytest.mark.slow] * (name == "loop in space")) for name in LOOPS]
)
def test_a_stiff_closure_approaches_the_joint(make: Callable[[float | None], System], angle: str) -> None:
    """The angle at rest, the angle after 0.3 s and the lowest mode."""
    ideal, *stiff = (figures(make(k), angle) for k in (None, *STIFF))
    errors = np.abs(np.array(stiff) - ideal)
    assert (errors[1] > 1e-9).all()
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def figures(system: System, angle: str) -> np.ndarray:
    moved = system.simulate(0.3, solver="cvode", rtol=1e-11, atol=1e-12)
    rest = system.equilibrium()
    slowest = min(mode.frequency for mode in system.linearise(initial=rest).modes() if mode.frequency > 1e-3)
    return np.array([rest[angle], moved[angle][-1], slowest])


def test_it_is_exported(tmp_path: Path) -> None:
    """The chain as one FMU, stepped by FMPy, ends where the master does."""
    path = chain(1e5).export_fmu(tmp_path / "chain.fmu", fmi=3, platforms=["linux64"], outputs=["a.q"])
    stepped = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=0.2, relative_tolerance=1e-9, output=["a.q"])
    assert stepped["a.q"][-1] == pytest.approx(chain(1e5).simulate(0.2, rtol=1e-9)["a.q"][-1], abs=1e-6)
