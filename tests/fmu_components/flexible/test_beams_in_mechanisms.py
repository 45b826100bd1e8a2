"""Beams in everything that rigid bodies have: solvers, redundant joints, co-simulation, exports, analyses, sweeps and packages."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jourdain import Index3, Pose, Result, System, sweep
from tests.support.export.kinds import KINDS
from tests.support.flexible.ways import OPTIONS

G = 9.81
SOFT = {"rho": 1000.0, "A": 1e-3, "E": 1e5, "gy": -G}
"""Mass per length of 1 kg/m and E of 1e5 Pa; a second moment of 1e-4 m4 makes an E I of 10."""
pytestmark = pytest.mark.slow


def plane(twice: bool = False, hinge: str = "Revolute") -> System:
    """Returns a beam in the plane on a hinge, with a load at its end. A second hinge repeats the constraints of the first."""
    system = System("plane")
    system.add("ground", "planar.Fixed")
    system.add("arm", "planar.Beam2", SOFT | {"I": 1e-4, "x": 0.5})
    system.add("load", "planar.Body1", {"m": 0.3, "I": 1e-3, "gy": -G, "x": 1.0})
    for name in ["hinge", "twin"][: 1 + twice]:
        system.join("planar.Revolute", "ground.p1", "arm.p1", name=name)
    system.join("planar.Weld", "arm.p2", "load.p1", name="weld")
    return system


def tree() -> System:
    """Returns a block on a hub in the plane, with the same load."""
    system = System("tree")
    system.add("ground", "planar.Fixed")
    system.add("hub", "planar.RevoluteBody", {"m": 0.1, "I": 1e-3, "gy": -G})
    system.add("arm", "planar.WeldedBeam2", SOFT | {"I": 1e-4})
    system.add("load", "planar.Body1", {"m": 0.3, "I": 1e-3, "gy": -G, "x": 1.0})
    system.connect("ground.p1", "hub.P")
    system.connect("hub.C1", "arm.P")
    system.join("planar.Weld", "arm.C1", "load.p1", name="weld")
    return system


def space(twice: bool = False, hinge: str = "Revolute") -> System:
    """Returns a beam in space on a hinge, with a load beside its end, which twists it and bends it both ways."""
    system = System("space")
    system.add("ground", "spatial.Fixed")
    section = {"Iy": 1e-4, "Iz": 2e-4, "It": 1e-4, "G": 5e4, "gz": 0.0, "tau": 1e-3}
    system.add("arm", "spatial.Beam", SOFT | section | {"x": 0.5})
    load = {"m": 0.3, "Ixx": 1e-3, "Iyy": 2e-3, "Izz": 3e-3, "gy": -G, "gz": 0.0, "p1.rz": -0.1, "x": 1.0, "z": 0.1}
    system.add("load", "spatial.Body1", load)
    for name in ["hinge", "twin"][: 1 + twice]:
        system.join(f"spatial.{hinge}", "ground.p1", "arm.p1", name=name)
    system.join("spatial.Weld", "arm.p2", "load.p1", name="weld")
    return system


MACHINES: dict[str, Callable[..., System]] = {"plane": plane, "tree": tree, "space": space}
BENT = {"plane": ("arm.bend[1]",), "tree": ("arm.bend[1]",), "space": ("arm.bend.y[1]", "arm.bend.z[1]", "arm.twist[1]")}
TURN = {"plane": "theta", "tree": "theta", "space": "R21"}
machines = pytest.mark.parametrize("kind", MACHINES)


def run(system: System, **options: Any) -> Result:
    """Returns the run of a tenth of a second."""
    accuracy = {} if isinstance(options.get("solver"), Index3) else {"rtol": 1e-10, "atol": 1e-12}
    return system.simulate(0.1, **accuracy | options)


def end(result: Result, kind: str) -> list[float]:
    """Returns place and turn of the load at the end."""
    return [result[f"load.{'p1.' * (name == 'R21')}{name}"][-1] for name in ("x", "y", TURN[kind])]


@machines
def test_all_solvers_and_evaluations_agree(kind: str) -> None:
    system = MACHINES[kind]()
    reference = run(system, solver="dop853", evaluation="tape")
    assert all(np.ptp(reference[name]) > 1e-4 for name in BENT[kind])
    for options, tolerance in OPTIONS:
        assert end(run(system, **options), kind) == pytest.approx(end(reference, kind), abs=tolerance), options


@pytest.mark.parametrize("kind", ["plane", "space"])
def test_redundant_hinges_change_nothing(kind: str) -> None:
    once, twice = (run(MACHINES[kind](twice=twice), solver="dop853") for twice in (False, True))
    assert end(twice, kind) == pytest.approx(end(once, kind), abs=1e-9)
    # The least multipliers share the force equally.
    assert twice["twin.N.Fy"][-1] == pytest.approx(once["hinge.N.Fy"][-1] / 2, rel=1e-6)


@machines
def test_co_simulation_converges_to_the_same_motion(kind: str) -> None:
    """A ball joint in space, since a hinge counts its turns by a state, for which co-simulation has no place."""
    system = MACHINES[kind](hinge="Spherical") if kind == "space" else MACHINES[kind]()
    reference = end(run(system, solver="dop853"), kind)
    off = []
    for step in (1e-3, 1e-4):
        found = system.simulate(0.1, communication_step=step)
        off.append(float(np.abs(np.array(end(found, kind)) - reference).max()))
    assert off[1] < 0.2 * off[0] and off[1] < 1e-4


@machines
@pytest.mark.parametrize("fmi", [2, 3])
def test_exports_move_as_the_master_does(kind: str, fmi: int, tmp_path: Path) -> None:
    system = MACHINES[kind]()
    names = ["load.x", "load.y", *BENT[kind]]
    reference = run(system, solver="dop853")
    path = system.export_fmu(tmp_path / f"{kind}{fmi}.fmu", fmi=fmi)
    for way in ("Model Exchange", "Co-Simulation"):
        found = KINDS[way](path, names, 0.1, 0.01)
        assert list(found.values()) == pytest.approx([reference[name][-1] for name in names], abs=1e-9), way


@machines
def test_equilibria_far_from_the_start(kind: str) -> None:
    """A quarter turn away; in space the load hangs beside the beam, which it twists and bends, and the hinge holds it level."""
    rest = MACHINES[kind]().equilibrium()
    assert rest["load.y"] < -0.99 and rest.stable
    if kind == "space":
        assert rest["arm.bend.z[1]"] != pytest.approx(0.0, abs=1e-3)
    else:
        assert (rest["load.x"], rest["load.y"]) == pytest.approx((0.0, -1.0), abs=1e-7)


@pytest.mark.parametrize("kind", ["plane", "space"])
def test_assembly_leaves_beams_straight_unless_a_guess_names_a_shape(kind: str) -> None:
    shape = BENT[kind][0]

    def guessed(**guess: float) -> Pose:
        family = "planar" if kind == "plane" else "spatial"
        system = System("rod")
        system.add("ground", f"{family}.Fixed")
        system.add("arm", f"{family}.Beam{'2' if kind == 'plane' else ''}")
        system.join(f"{family}.Weld", "ground.p1", "arm.p1", name="hinge")
        return system.assemble(guess={"arm.x": 0.5} | guess)

    assert guessed()[shape] == 0.0
    assert 1e-4 < abs(guessed(**{shape: 0.02})[shape]) < 0.03


@machines
def test_sweeps_and_packages_give_the_same_runs(kind: str, tmp_path: Path) -> None:
    make = MACHINES[kind]
    table = sweep(make(), {"arm.rho": [800.0, 1600.0]}, stop_time=0.05, outputs=["load.y"])
    for density, found in zip((800.0, 1600.0), table["load.y"], strict=True):
        assert found == make().simulate(0.05, start_values={"arm.rho": density})["load.y"][-1]
    expected = make().simulate(0.05, rtol=1e-10, atol=1e-12)
    for form in ("components", "mechanism"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compliant joints of other tools
            again = System.from_ssp(make().to_ssp(tmp_path / f"{form}.ssp", form=form))
        found = again.simulate(0.05, rtol=1e-10, atol=1e-12)
        name = next(each for each in found.names if each.endswith("load.y"))
        assert found[name][-1] == pytest.approx(expected["load.y"][-1], abs=1e-9), form
    text = make().to_modelica(tmp_path / "modelica", form="native").read_text()
    assert "bend" in text and " arm(" in text
