"""Whole mechanisms as FMUs, each exported once in a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from coupling import System
from tests.support.interoperability.assembly import Part
from tests.support.oracles.planar import SliderCrank
from tests.support.systems.machines import example
from tests.support.systems.stepped import DERIVATIVES, without

_folder = TemporaryDirectory(prefix="exported-")


def exported(make: Callable[[], System], inputs: Sequence[str] = (), implicit: bool = False) -> Callable[[int], Path]:
    """The FMU of a system with these ports open, by FMI version."""

    @cache
    def fmu(fmi: int) -> Path:
        path = Path(_folder.name) / f"fmi{fmi}" / f"{make.__name__}.fmu"
        return make().export_fmu(path, inputs=inputs, fmi=fmi, platforms=["linux64"], implicit=implicit)

    return fmu


def _filled(name: str, parts: Mapping[str, tuple[str, Mapping[str, float]]], connections: Sequence[tuple[str, str]]) -> System:
    system = System(name)
    for part, (component, start) in parts.items():
        system.add(part, component, dict(start))
    for a, b in connections:
        system.connect(a, b)
    return system


# -- one FMU -------------------------------------------------------------------------------------------------------------------


def seven_bodies() -> System:
    return example("03_seven_body_mechanism").system()


def slider_crank() -> System:
    """The default one of the oracle; its motor is left out, and its main bearing has a flange instead."""
    oracle = SliderCrank()
    parts = {name: part for name, part in oracle.parts.items() if name != "motor"} | {"main": ("planar.ActuatedRevolute", {})}
    return _filled("slider-crank", parts, [ends for ends in oracle.connections if "motor.M" not in ends])


SEVEN_BODIES = exported(seven_bodies)
SLIDER_CRANK = exported(slider_crank, ["main.flange"])

# -- the crane, split where the cylinder acts on the boom -----------------------------------------------------------------------

CRANE = example("06_hydraulic_crane")


def crane_mechanics() -> System:
    system = System("crane mechanics", gravity=(0.0, -CRANE.GRAVITY))
    CRANE.add_mechanics(system, None)
    return system


def crane_mechanics_with_friction() -> System:
    """Returns the crane's mechanics with the friction of the cylinder, as a damper along it."""
    system = crane_mechanics()
    system.add("rest", "mechanical1d.Fixed1D")
    system.add("friction", "mechanical1d.SpringDamper1D", {"k": 0.0, "b": CRANE.CYLINDER["viscous"]})
    system.connect("rest.flange", "friction.M")
    system.connect("friction.N", "actuator.flange")
    return system


def crane_hydraulics() -> System:
    system = System("crane hydraulics")
    CRANE.add_hydraulics(system, None)
    return system


MECHANICS = exported(crane_mechanics, ["actuator.flange"])
MECHANICS_WITH_FRICTION = exported(crane_mechanics_with_friction, ["actuator.flange"])
HYDRAULICS = exported(crane_hydraulics, ["cylinder.flange"], implicit=True)

CRANE_LINKS = [
    *((f"mechanics.actuator.flange.{motion}", f"hydraulics.cylinder.flange.{motion}") for motion in "sva"),
    ("hydraulics.cylinder.flange.f", "mechanics.actuator.flange.f"),
]
CRANE_STATES = {
    "length": "mechanics.actuator.flange.s",
    "boom": "mechanics.boom.theta",
    "pressure 1": "hydraulics.cylinder.p1",
    "pressure 2": "hydraulics.cylinder.p2",
}

SPLITS: Mapping[str, Mapping[str, Part]] = {
    "as exported": {"mechanics": Part(MECHANICS), "hydraulics": Part(HYDRAULICS)},
    "without derivatives": {"mechanics": Part(MECHANICS), "hydraulics": Part(lambda fmi: without(HYDRAULICS(fmi), *DERIVATIVES))},
    "friction with the mechanics": {
        "mechanics": Part(MECHANICS_WITH_FRICTION),
        "hydraulics": Part(HYDRAULICS, {"cylinder.viscous": 0.0}),
    },
}
"""Splits of the crane. In the first two the force of the cylinder depends on its speed at once. In the last it depends on pressures alone,
as long as no end stop pushes."""
