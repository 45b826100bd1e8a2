"""Mechanisms as FMUs of their own, one of each kind that an exporter may stumble over; each is exported once."""

from __future__ import annotations

import atexit
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coupling import System
from fmu_components.catalogue import from_file
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems import seven_bodies
from tests.support.systems.blocks import limbs
from tests.support.systems.systems import pendulum, system_of

_FALL_AND_COUNT = {
    component.__name__: component for component in from_file(Path(__file__).parents[1] / "runtime" / "runtime_components.py")
}
_JUMPING = [(0.0, 0.0), (0.05, 0.0), (0.05, 5e6), (0.15, 5e6), (0.15, 1e6), (0.3, 2e6)]


def hydraulics_with_events() -> System:
    """A pump that a controller with limits drives fills a vessel behind a check valve until a relief valve opens, while a rod swings, a ball bounces,
    and two components count.

    The set-point jumps. There are state events, time events, states that events set anew, and discrete states of all three types.
    """
    system = pendulum()
    system.name = "filling station"
    parts: dict[str, tuple[object, dict[str, float]]] = {
        "controller": ("signal.PID", {"kp": 1e-9, "ki": 1e-8, "lower": 0.0, "upper": 2e-3, "Tt": 0.1}),
        "pump": ("hydraulic.FlowSource", {}),
        "line": ("hydraulic.Volume", {"volume": 0.05}),
        "check": ("hydraulic.CheckValve", {}),
        "vessel": ("hydraulic.Volume", {"volume": 0.1}),
        "relief": ("hydraulic.ReliefValve", {"set": 1.5e6, "band": 1e6, "nominal.drop": 1e6}),
        "tank": ("hydraulic.Tank", {}),
        "ball": (_FALL_AND_COUNT["BouncingBall"], {"h": 0.05}),
        "sampler": (_FALL_AND_COUNT["Sampler"], {"period": 0.05, "deadline": 0.16}),
        "stair": (_FALL_AND_COUNT["Stair"], {"period": 0.03}),
    }
    for name, (component, values) in parts.items():
        system.add(name, component, values)
    for a, b in (
        ("line.port", "pump.port"),
        ("line.port", "check.A"),
        ("vessel.port", "check.B"),
        ("vessel.port", "relief.A"),
        ("tank.port", "relief.B"),
        ("controller.y", "pump.flow"),
        ("vessel.p", "controller.measurement"),
    ):
        system.connect(a, b)
    system.drive("controller.setpoint", _JUMPING)
    return system


def loaded_seven_bodies() -> System:
    """The seven bodies, with a load on each branch: without one no branch but the first has any reaction at the start, and lengths of vectors that
    vanish have no derivatives."""
    system = seven_bodies.system()
    for link in ("link4", "link5", "link6", "link7"):
        system.add(f"load_{link}", "planar.Wrench", {"Fx": 0.3, "Cz": 0.02})
        system.connect(f"{link}.p1", f"load_{link}.M")
    return system


def rod_with_open_ports() -> System:
    """A pinned rod whose other end is left open, as is one end of a spring that pulls at its middle, and a force beside both."""
    system = System("open rod")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute", {"rotation.b": 0.1})
    system.add("rod", "planar.Body3", {"m": 1.2, "I": 0.1, "p1.rx": -0.5, "p2.rx": 0.5, "p3.ry": 0.1, "x": 0.5})
    system.add("spring", "planar.SpringDamper", {"k": 20.0, "b": 0.5, "rest": 0.2, "N.x": 1.0, "N.y": 0.4})
    system.add("push", "planar.Wrench")
    for a, b in (("ground.p1", "pin.M"), ("rod.p1", "pin.N"), ("rod.p3", "spring.M"), ("rod.p2", "push.M")):
        system.connect(a, b)
    system.drive("push.Fx", 0.3)
    system.drive("push.Cz", [(0.0, 0.0), (0.1, 1.0), (0.2, 1.0), (0.2, 0.0)])
    return system


def welded_twice() -> System:
    """A pendulum of two bodies with one weld too many between them."""
    system = System("welded twice")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    points = {"p1.rx": -0.5, "p2.rx": 0.5, "p3.rx": 0.5}
    system.add("first", "planar.Body3", {"m": 1.0, "I": 1 / 12, "x": 0.5, **points})
    system.add("second", "planar.Body3", {"m": 2.0, "I": 1 / 6, "x": 1.5, **points, "p3.rx": -0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("first.p1", "pin.N")
    for weld, a, b in (("weld1", "first.p2", "second.p1"), ("weld2", "first.p3", "second.p3")):
        system.add(weld, "planar.Weld")
        system.connect(a, f"{weld}.M")
        system.connect(b, f"{weld}.N")
    return system


def rolling_disc() -> System:
    """A disc that rolls down a slope, and a rod that swings at its rim: a constraint at velocity level."""
    system = System("rolling disc")
    angle, radius = -0.2, 0.5
    x, y = -radius * math.sin(angle), radius * math.cos(angle)
    system.add("slope", "planar.Fixed", {"p1.angle": angle})
    system.add("contact", "planar.RollingDisc", {"radius": radius})
    system.add("disc", "planar.Body2", {"m": 2.0, "I": 0.25, "x": x, "y": y, "p2.rx": 0.3})
    system.add("hinge", "planar.Revolute", {"rotation.b": 0.1})
    system.add("rod", "planar.Body1", {"m": 0.5, "I": 0.02, "x": x + 0.3, "y": y - 0.3, "p1.ry": 0.3})
    for a, b in (("slope.p1", "contact.M"), ("disc.p1", "contact.N"), ("disc.p2", "hinge.M"), ("rod.p1", "hinge.N")):
        system.connect(a, b)
    return system


@dataclass(frozen=True)
class Case:
    system: Callable[[], System]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] | None = None
    ls_dae: bool = False
    stabilisation: str = "baumgarte"
    stop_time: float = 0.3
    spread: float = 1.0
    """Distance from its start to which the harness moves it."""


CASES = {
    "pendulum": Case(pendulum),
    "seven bodies": Case(seven_bodies.system, stop_time=seven_bodies.STOP),
    "loaded seven bodies": Case(loaded_seven_bodies, stop_time=seven_bodies.STOP, spread=1e-4),
    "events": Case(hydraulics_with_events, outputs=("*.y", "rod.*", "relief.*", "ball.*", "sampler.*", "stair.*", "vessel.p", "line.p")),
    "open ports": Case(rod_with_open_ports, inputs=("rod.p2", "spring.N", "push.Fy")),
    "blocks": Case(lambda: limbs(False), inputs=("tail.C1",), ls_dae=True),
    "ls-dae": Case(lambda: system_of(DoublePendulum()), ls_dae=True),
    "projected": Case(rod_with_open_ports, inputs=("rod.p2", "spring.N", "push.Fy"), stabilisation="projection"),
    "redundant": Case(welded_twice),
    "rolling": Case(rolling_disc),
}
SMALL = [name for name in CASES if "seven bodies" not in name]


@cache
def exported(name: str, fmi: int, platform: str = "linux64") -> Path:
    """The FMU of a case, made once."""
    case = CASES[name]
    target = _folder() / f"{name.replace(' ', '-')}-fmi{fmi}-{platform}.fmu"
    outputs = None if case.outputs is None else list(case.outputs)
    return case.system().export_fmu(
        target,
        inputs=list(case.inputs),
        outputs=outputs,
        fmi=fmi,
        platforms=[platform],
        ls_dae=case.ls_dae,
        stop_time=case.stop_time,
        stabilisation=case.stabilisation,
    )


@cache
def _folder() -> Path:
    made = tempfile.TemporaryDirectory(prefix="mechanisms-")
    atexit.register(made.cleanup)
    return Path(made.name)
