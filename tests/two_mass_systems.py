"""The two-mass oscillator of ``two_masses`` as FMUs that the master couples."""

from __future__ import annotations

import numpy as np

from coupling import System
from coupling.result import Result
from fmu_components.component import Component
from fmu_components.joint import Joint
from fmu_components.ports import TRANSLATIONAL, Side
from two_masses import DISPLACEMENT_DISPLACEMENT, FORCE_DISPLACEMENT, FORCE_FORCE, MASSES_ALONE, Oscillator

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


def _walls(o: Oscillator) -> list[dict[str, float]]:
    return [{"m": m, "k": k, "b": o.tau * k} for m, k in zip(o.masses, o.walls, strict=True)]


def split_system(o: Oscillator, split: str, start: np.ndarray) -> System:
    """The oscillator with the spring in the middle."""
    system = System(split)
    sides = _walls(o)
    middle = {"c": o.middle, "d": o.tau * o.middle}
    starts = [{"s": start[0], "v": start[1]}, {"s": start[2], "v": start[3]}]
    if split == MASSES_ALONE:
        system.add("wall", "mechanical1d.Fixed1D")
        for name, side, at in zip(("first", "second"), sides, starts, strict=True):
            system.add(name, "mechanical1d.Mass", {"m": side["m"], **at})
            system.add(f"hold {name}", "mechanical1d.SpringDamper1D", {"k": side["k"], "b": side["b"]})
            system.connect("wall.flange", f"hold {name}.M")
            system.connect(f"{name}.flange", f"hold {name}.N")
    elif split == FORCE_FORCE:
        for name, side, at in zip(("first", "second"), sides, starts, strict=True):
            system.add(name, MassOnWall, side | at)
    elif split == FORCE_DISPLACEMENT:
        system.add("first", MassOnWall, sides[0] | starts[0])
        system.add("second", MassBehindSpring, sides[1] | middle | starts[1])
        system.connect("first.flange", "second.M")
    elif split == DISPLACEMENT_DISPLACEMENT:
        for name, side, at in zip(("first", "second"), sides, starts, strict=True):
            system.add(name, MassWithSpring, side | middle | at)
        for own, other in (("first", "second"), ("second", "first")):
            for level in "sv":
                system.connect(f"{own}.own.{level}", f"{other}.other.{level}")
    if split in (MASSES_ALONE, FORCE_FORCE):
        system.add("middle", "mechanical1d.SpringDamper1D", {"k": middle["c"], "b": middle["d"]})
        system.connect("first.flange", "middle.M")
        system.connect("second.flange", "middle.N")
    return system


def linked_system(o: Oscillator, start: np.ndarray, alpha: float = 5.0, beta: float = 5.0) -> System:
    """The oscillator with the rigid link."""
    system = System("linked")
    system.add("first", MassOnWall, _walls(o)[0] | {"s": start[0], "v": start[1]})
    system.add("second", MassOnWall, _walls(o)[1] | {"s": start[2], "v": start[3]})
    system.add("link", Link, {"baumgarte.alpha": alpha, "baumgarte.beta": beta})
    system.connect("first.flange", "link.M")
    system.connect("second.flange", "link.N")
    return system


def run(system: System, h: float, steps: int, outputs: tuple[str, ...] = STATES, **options: object) -> Result:
    """So many steps of one size, recorded at each point."""
    stop = h * steps
    return system.simulate(
        stop, communication_step=h, output_times=np.append(h * np.arange(steps), stop), outputs=outputs, rtol=RTOL, initial="relax", **options
    )


def states(result: Result) -> np.ndarray:
    """A row of all four at each point."""
    return np.array([result[name] for name in STATES]).T
