"""The two-mass oscillator of ``two_masses`` as FMUs that the master couples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coupling import System
from coupling.result import Result
from fmu_components.declare.component import Component
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import TRANSLATIONAL, Side
from tests.support.oracles.two_masses import DISPLACEMENT_DISPLACEMENT, FORCE_DISPLACEMENT, FORCE_FORCE, MASSES_ALONE, Oscillator

FORCE = "link.lambda[1]"
STATES = ("first.s", "first.v", "second.s", "second.v")
RTOL = 1e-12
"""The parts are integrated so well that what is seen is the coupling alone."""


class _OnWall(Component):
    """Mass with a spring and a damper to a wall."""

    def mass(self):
        self.state("s", 0.0, "m", "displacement")
        self.state("v", 0.0, "m/s", "velocity")

    def on_wall(self, push):
        """Motion under these and a further force."""
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        k = self.parameter("k", 40.0, "N/m", "stiffness to the wall", at_least=0)
        b = self.parameter("b", 0.0, "N.s/m", "damping to the wall", at_least=0)
        s, v = self["s"], self["v"]
        self.rate(s, v)
        self.rate(v, (push - k * s - b * v) / m)

    def between(self, other_s, other_v):
        """The force of the spring in the middle on this mass."""
        c = self.parameter("c", 100.0, "N/m", "stiffness of the spring in the middle", at_least=0)
        d = self.parameter("d", 0.0, "N.s/m", "damping beside it", at_least=0)
        return c * (other_s - self["s"]) + d * (other_v - self["v"])


class MassOnWall(_OnWall):
    """Mass on a wall that takes a force and gives its motion."""

    def declare(self):
        self.mass()
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "the mass")
        self.on_wall(flange.f)
        self.moves(flange, self["s"])


class MassBehindSpring(_OnWall):
    """Mass on a wall, with the spring in the middle: takes the motion of the other mass and gives the force on it."""

    def declare(self):
        self.mass()
        M = self.port("M", TRANSLATIONAL, Side.EFFORT, "the other mass")
        force = self.between(M.s, M.v)
        self.on_wall(force)
        self.gives(M, -force)


class MassWithSpring(_OnWall):
    """Mass on a wall, with the spring in the middle: takes the motion of the other mass and gives its own."""

    def declare(self):
        self.mass()
        self.on_wall(self.between(self.input("other.s", 0.0, "m", "displacement"), self.input("other.v", 0.0, "m/s", "velocity")))
        self.output("own.s", self["s"], "m", "displacement")
        self.output("own.v", self["v"], "m/s", "velocity")


class Link(Joint):
    """Rigid link: two masses on a line keep together."""

    kind = TRANSLATIONAL

    def constraint(self, M, N):
        return [N.s - M.s]


NAMES = ("first", "second")
SIDES = {
    MASSES_ALONE: ("mechanical1d.Mass", "mechanical1d.Mass"),
    FORCE_FORCE: (MassOnWall, MassOnWall),
    FORCE_DISPLACEMENT: (MassOnWall, MassBehindSpring),
    DISPLACEMENT_DISPLACEMENT: (MassWithSpring, MassWithSpring),
}


def split_system(o: Oscillator, split: str, start: Sequence[float], order: Sequence[int] = (0, 1)) -> System:
    """The oscillator with the spring in the middle; the sides are added, and take their turns, in an order."""
    system = System(split)
    middle = {"c": o.middle, "d": o.tau * o.middle}
    for i in order:
        component = SIDES[split][i]
        own = {MASSES_ALONE: {}, FORCE_FORCE: _wall(o, i)}.get(split, _wall(o, i) | ({} if component is MassOnWall else middle))
        system.add(NAMES[i], component, {"m": o.masses[i], "s": start[2 * i], "v": start[2 * i + 1]} | own)
    if split == FORCE_DISPLACEMENT:
        system.connect("first.flange", "second.M")
    elif split == DISPLACEMENT_DISPLACEMENT:
        for own, other in (NAMES, NAMES[::-1]):
            for level in "sv":
                system.connect(f"{own}.own.{level}", f"{other}.other.{level}")
    else:
        _add_spring(system, "middle", "first.flange", "second.flange", o.middle, o.tau)
    if split == MASSES_ALONE:
        system.add("wall", "mechanical1d.Fixed1D")
        for name, k in zip(NAMES, o.walls, strict=True):
            _add_spring(system, f"hold {name}", "wall.flange", f"{name}.flange", k, o.tau)
    return system


def linked_system(o: Oscillator, start: Sequence[float], alpha: float = 5.0, beta: float = 5.0) -> System:
    """The oscillator with the rigid link."""
    system = System("linked")
    for i, name in enumerate(NAMES):
        system.add(name, MassOnWall, {"m": o.masses[i], "s": start[2 * i], "v": start[2 * i + 1]} | _wall(o, i))
    system.add("link", Link, {"baumgarte.alpha": alpha, "baumgarte.beta": beta})
    system.connect("first.flange", "link.M")
    system.connect("second.flange", "link.N")
    return system


def _wall(o: Oscillator, i: int) -> dict[str, float]:
    return {"k": o.walls[i], "b": o.tau * o.walls[i]}


def _add_spring(system: System, name: str, M: str, N: str, k: float, tau: float) -> None:
    system.add(name, "mechanical1d.SpringDamper1D", {"k": k, "b": tau * k})
    system.connect(M, f"{name}.M")
    system.connect(N, f"{name}.N")


def run(system: System, h: float, steps: int, **options: Any) -> Result:
    """Runs so many steps of one size, recorded at each point."""
    outputs = STATES + ((FORCE,) if FORCE.split(".")[0] in system.instances else ())
    return system.simulate(
        h * steps, communication_step=h, output_times=h * np.arange(steps + 1), outputs=outputs, rtol=RTOL, initial="relax", **options
    )


def states(result: Result) -> np.ndarray:
    """A row of the four states at each point."""
    return np.array([result[name] for name in STATES]).T


def measured_step(systems: Sequence[System], h: float, memory: int, **options: Any) -> np.ndarray:
    """The matrix of a step, as it is seen: the one that leads from each point, and ``memory - 1`` before it, to the next.

    The systems start differently. The first steps are left out where they have a past of shorter steps.
    """
    before, behind = [], []
    for system in systems:
        result = run(system, h, 40 if memory > 1 else 6, **options)
        assert result.outcome.completed, result.outcome.sentence
        rows = states(result)
        if FORCE in result.names and str(getattr(scheme := options.get("scheme", ""), "name", scheme)).startswith("implicit"):
            rows = np.column_stack([rows, result[FORCE]])
        first = 2 * memory - 2
        before += [rows[n - memory + 1 : n + 1][::-1].ravel() for n in range(first, len(rows) - 1)]
        behind += list(rows[first + 1 :])
    answer = np.linalg.lstsq(np.array(before), np.array(behind), rcond=1e-12)[0].T
    return np.vstack([answer, np.eye(len(answer) * (memory - 1), len(answer) * memory)])
