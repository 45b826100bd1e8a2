"""Remedies of joints that switch, of joints that come into force, of events and of drives are tried on the machine that provoked the sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq

from coupling import Contacts, Result, System
from coupling.live.warnings import digits
from fmu_components.declare.component import Component, falls, rises
from fmu_components.declare.declaration import TIME
from fmu_components.declare.joint import Joint
from fmu_components.export.build import cached_fmu
from jourdain.declare import t
from tests.coupling.live.test_switching import stop
from tests.support import foreign
from tests.support.advice import Cases, ends
from tests.support.switched.case import built
from tests.support.switched.commanded import Dog, Latch
from tests.support.switched.worm import Case
from tests.support.systems.rolling import RADIUS, disc, hinge, rod
from tests.whole.test_loads_of_its_own import RATIO, machine
from tests.whole.test_switched_foreign import BOUNCER

CASES = Cases()
G = 9.81

# -- contact and friction ------------------------------------------------------------------------------------------------------------------

SLOPE = math.atan(2)


def heel(contact: str = "planar.PointContact", mu: float = 2.0, **options: Any) -> Result:
    """A slender rod of 1 kg that slides on its lower end, at tan(angle) = 2 and 1 m/s: Snn - mu |Snt| is 1.6 - 1.2 mu."""
    motion = {"x": math.cos(SLOPE), "y": math.sin(SLOPE), "theta": SLOPE, "vx": -1.0}
    system = System("heel")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 3, "p1.rx": -1.0, **motion})
    system.join(contact, "ground.p1", "rod.p1", {"mu": mu}, name="heel")
    return system.simulate(1e-3, output_interval=1e-5, **options)


def about_the_heel(result: Result) -> float:
    """Returns by how much impacts have changed the angular momentum about the heel, on which no impulse of the heel has a lever."""
    x, y, vx, vy, omega = (result[f"rod.{name}"][-1] for name in ("x", "y", "vx", "vy", "omega"))
    end_x, end_y = x - math.cos(result["rod.theta"][-1]), y - math.sin(result["rod.theta"][-1])
    now = omega / 3 + (x - end_x) * vy - (y - end_y) * vx
    return abs(float(now) - math.sin(SLOPE))


CASES.of(
    "no forces satisfy the contact of 'heel'",
    heel,
    {},
    lambda result: abs(float(result["heel.lambda[1]"][0]) - G / (1.6 - 1.2 * 1.33)),
    less_friction=("use mu below 1.33 there", {"mu": 1.33}, 1e-6),
)
CASES.of(
    "no forces satisfy the contact of 'heel'",
    heel,
    {},
    about_the_heel,
    impulse=("contacts=Contacts(painleve='impulse')", {"contacts": Contacts(painleve="impulse")}, 0.02),
    compliant_contact=("or planar.CompliantContact", {"contact": "planar.CompliantContact"}, 0.02),
)
COMPLIANT = "add {} with kind='cs', which makes {} compliant, and give simulate a communication_step"


def hinges(count: int = 2, kind: str | None = None, **options: Any) -> Result:
    """A rod on pins with friction at one place."""
    system = System("hinges")
    system.add("ground", "planar.Fixed")
    system.add("rod", f"planar.Body{count}", {"I": 1 / 12, "x": 0.5, **{f"p{i + 1}.rx": -0.5 for i in range(count)}})
    for i in range(count):
        system.join("planar.RevoluteFriction", "ground.p1", f"rod.p{i + 1}", {"mu": 0.2, "radius": 0.05}, name=f"pin{i + 1}", kind=kind)
    return system.simulate(0.5, **options)


CASES.of(
    "carry one load that rigid bodies cannot share out, and their friction depends on the shares",
    hinges,
    {},
    ends("rod.theta", lambda: float(hinges(1)["rod.theta"][-1])),
    shares=(COMPLIANT.format("'pin1', 'pin2'", "them"), {"kind": "cs", "communication_step": 1e-3}, 0.005),
)
FEET = np.array([-0.5, 0.25, 0.5])


def plank(kind: str | None = None, **options: Any) -> Result:
    system = System("plank")
    system.add("ground", "planar.Fixed")
    system.add("plank", "planar.Body3", {f"p{i}.rx": at for i, at in enumerate(FEET, 1)})
    for i in range(1, 4):
        system.join("planar.PointContact", "ground.p1", f"plank.p{i}", {"mu": 0.0}, name=f"foot{i}", kind=kind)
    return system.simulate(1.0, **options)


def by_springs(result: Result) -> float:
    """Returns how far loads are from those of equal springs, a + b x, with the sum m g and no moment."""
    a, b = np.linalg.solve([[3, FEET.sum()], [FEET.sum(), FEET @ FEET]], [G, 0])
    return max(abs(float(result[f"foot{i}.multiplier[1]"][-1]) - a - b * x) for i, x in enumerate(FEET, 1))


CASES.of(
    "and others carry one load that rigid bodies cannot share out from t = 0 s on",
    plank,
    {},
    by_springs,
    feet=(COMPLIANT.format("'foot1', 'foot2', 'foot3'", "them"), {"kind": "cs", "communication_step": 1e-3}, 1e-4),
)


def squeezed(reach: float = 0.2, kind: str | None = None, **options: Any) -> Result:
    """A mass between a piston that comes twice as far as ``reach`` and a wall at 0.3 m."""
    system = System("squeezed")
    system.add("piston", "mechanical1d.Position")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.join("mechanical1d.EndStop", "piston.flange", "mass.flange", {"low": 0.0, "high": 50.0}, name="push", kind=kind)
    system.join("mechanical1d.EndStop", "ground.flange", "mass.flange", {"low": -50.0, "high": 0.3}, name="wall", kind=kind)
    system.drive("piston.position", reach * (1 - sympy.cos(t)))
    return system.simulate(math.pi, **options)


CASES.of(
    "motions that are prescribed violate 'push'",
    squeezed,
    {},
    ends("mass.s", 0.3),
    prescribed_change=("change these motions", {"reach": 0.15}, 1e-6),
)
CASES.of(
    "motions that are prescribed violate 'push'",
    squeezed,
    {},
    ends("mass.s", 0.35),
    prescribed_compliant=(COMPLIANT.format("'push', 'wall'", "them"), {"kind": "cs", "communication_step": 1e-3}, 1e-3),
)


def worm(driven: float = 1.5, kind: str | None = None, **options: Any) -> Result:
    """A motor of 0.1 kg.m2 that lets go of a load of 1 kg.m2 and 2 N.m at a gear with losses."""
    torque = -5 + 5 * t
    case = Case(motor=0.1, load=1.0, torque=lambda time: -5 + 5 * time, against=lambda time: 2.0, drives=1.0, driven=driven)
    kinds = {} if kind is None else {"kind": kind}
    return machine(case, torque, 2 + 0 * t, -1.0, **kinds).simulate(2.0, **options)


def lowered() -> float:
    case = Case(motor=0.1, load=1.0, torque=lambda time: -5 + 5 * time, against=lambda time: 2.0, drives=1.0, driven=0.5)
    return case.run(2.0, -1.0)[1]


CASES.of(
    "no forces satisfy the friction of 'worm'",
    worm,
    {},
    ends("motor.phi", lowered),
    worm_friction=("use less friction", {"driven": 0.5}, 1e-5),
)
CASES.of(
    "no forces satisfy the friction of 'worm'",
    worm,
    {},
    lambda result: abs(float(result["motor.phi"][-1] - RATIO * result["load.phi"][-1])),
    worm_compliant=(COMPLIANT.format("'worm'", "it"), {"kind": "cs", "communication_step": 2e-4}, 0.1),
)


def stopped(kinds: Mapping[str, str] | None = None, **options: Any) -> Result:
    """2 kg on 50 N/m, 1 m from its stop: cos(5 t) before it hits."""
    system = stop()
    for name, kind in (kinds or {}).items():
        system = with_kind(system, name, kind)
    return system.simulate(0.3, **options)


def with_kind(system: System, name: str, kind: str) -> System:
    parts = {"wall": ("mechanical1d.Fixed1D", {}), "mass": ("mechanical1d.Mass", {"m": 2.0, "s": 1.0})}
    parts |= {"spring": ("mechanical1d.SpringDamper1D", {"k": 50.0}), "stop": ("mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": 0.7})}
    changed = System("stop")
    for each, (component, values) in parts.items():
        changed.add(each, component, values, kind if each == name else None)
    for each in ("spring", "stop"):
        changed.connect("wall.flange", f"{each}.M")
        changed.connect(f"{each}.N", "mass.flange")
    return changed


CASES.of(
    "'stop' cannot hit or hold 'mass'",
    stopped,
    {"communication_step": 1e-3},
    ends("mass.s", math.cos(1.5)),
    stop_me=("leave communication_step out and add 'mass' with kind='me'", {"kinds": {"mass": "me"}}, 1e-7),
    stop_cs=("or add 'stop' with kind='cs'", {"kinds": {"stop": "cs"}, "communication_step": 1e-3}, 1e-3),
)


def foreign_mass(partials: bool = False, kind: str | None = None, **options: Any) -> Result:
    """The same mass and spring in an FMU of another tool."""
    model = BOUNCER if partials else replace(BOUNCER, partials=None)
    system = System("bouncer")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", foreign.export(model, 3))
    system.add("stop", "mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": 0.7}, kind)
    system.connect("ground.flange", "stop.M")
    for motion in "sva":
        system.connect(f"mass.{motion}", f"stop.N.{motion}")
    system.connect("stop.N.f", "mass.f")
    return system.simulate(0.3, **options)


CASES.of(
    "the modes of 'stop' cannot be chosen",
    foreign_mass,
    {},
    ends("mass.s", math.cos(1.5)),
    modes_partials=("use FMUs with directional derivatives beside it", {"partials": True}, 1e-7),
    modes_cs=("or add 'stop' with kind='cs'", {"kind": "cs", "communication_step": 1e-3}, 1e-7),
)


def locked(joint: type[Joint], body: str, first: Mapping[str, float], second: Mapping[str, float], time: float = 1.0) -> Result:
    system = System("locked")
    system.add("a", body, first)
    system.add("b", body, second)
    system.add("joint", cached_fmu(joint, 3))
    system.connect("a.flange", "joint.M")
    system.connect("joint.N", "b.flange")
    system.drive("joint.locked", [(0, 0), (time, 0), (time, 1), (2, 1)])
    return system.simulate(2.0)


SHAFTS = {"joint": Dog, "body": "mechanical1d.Inertia", "first": {"I": 2.0, "w": 100.0}}
CASES.of(
    "an impact on 'joint' at t = 1 s took 6000 J",
    locked,
    {**SHAFTS, "second": {"I": 3.0}},
    ends("b.phi", 200.0),
    speeds=("let the speeds agree", {**SHAFTS, "second": {"I": 3.0, "w": 100.0}}, 1e-6),
)
MASSES = {"joint": Latch, "body": "mechanical1d.Mass", "first": {"v": 1.0}, "second": {"s": 0.5}}
CASES.of(
    "'joint' cannot hold from now on",
    locked,
    MASSES,
    ends("a.s", 0.5 + 0.5 * 1.5),
    fits=("let it hold where it fits", {**MASSES, "time": 0.5}, 1e-7),
)

# -- joints that come into force -----------------------------------------------------------------------------------------------------------


def caught(**start: float) -> Result:
    system = rod(**start)
    hinge(system, "pin", "ground.p1", "rod.p1")
    system.enforce("pin", [(0.5, None)])
    return system.simulate(1.5)


CASES.of(
    "'pin' was added at t = 0.5 s with a velocity of 2 m/s",
    caught,
    {},
    ends("rod.theta", 2.0),
    velocities=("let the velocities agree there", {"y": -0.5, "vy": 1.0, "omega": 2.0, "theta": -1.0}, 1e-7),
)


def laid(height: float) -> Result:
    system = disc(height, gx=0.0, gy=0.0)
    system.enforce("plane", [(0.2, None)])
    system.enforce("grip", [])
    return system.simulate(1.0)


CASES.of(
    "'plane' cannot be added, position[1] = 0.0123 m",
    laid,
    {"height": RADIUS + 0.0123},
    ends("disc.x", 0.4),
    added_where_it_fits=("add it where it fits", {"height": RADIUS}, 1e-9),
)


def railed(*rails: float) -> Result:
    system = rod(x=0.0, y=0.0, vy=0.0, vx=0.3)
    for i, speed in enumerate(rails):
        hinge(system, f"rail{i}", "ground.p1", "rod.p1", "planar.RelativeVelocity")
        system.drive(f"rail{i}.velocity", speed)
        system.drive(f"rail{i}.velocity.rate", 0.0)
    system.enforce(f"rail{len(rails) - 1}", [(0.5, None)])
    return system.simulate(1.0)


CASES.of(
    "contradicts 'rail0'",
    lambda rails: railed(*rails),
    {"rails": (0.3, 0.0)},
    ends("rod.x", 0.3),
    one_rail=("remove one of them", {"rails": (0.3,)}, 1e-9),
)

# -- events --------------------------------------------------------------------------------------------------------------------------------


class Slider(Component):
    """A mass on dry friction whose sign changes at a speed of ``slack``, against the motion."""

    def declare(self):
        slack = self.parameter("slack", 0.0, "m/s", "speed at which the friction turns round", at_least=0)
        s, v = self.state("s", 0.0, "m", "position"), self.state("v", 1.0, "m/s", "velocity")
        sign = self.discrete("sign", 1.0, "", "direction of the friction")
        self.rate(s, v)
        self.rate(v, -sign * self.parameter("limit", 1.0, "m/s2", "deceleration by friction"))
        self.when(falls(v + slack), {sign: -1.0}, "it slides backwards")
        self.when(rises(v - slack), {sign: 1.0}, "it slides forwards")


def slides(slack: float) -> Result:
    system = System("slides")
    system.add("unit", cached_fmu(Slider, 3), {"slack": slack})
    return system.simulate(2.0)


CASES.of(
    "causes events without end there (chattering)",
    slides,
    {"slack": 0.0},
    ends("unit.s", 0.5),
    hysteresis=("give its condition a hysteresis", {"slack": 0.02}, 1e-3),
)


class Turning(Component):
    """A state with x' = 1 before 0.5 s and -1 from there on, with an event."""

    def declare(self):
        x, slope = self.state("x", 0.0, "m", "value"), self.discrete("slope", 1.0, "m/s", "of the value")
        self.rate(x, slope)
        self.when(rises(TIME - self.parameter("turn", 0.5, "s", "when it turns round")), {slope: -slope}, "it turns round")


def turning(signals: bool) -> Result:
    system = System("turning")
    system.add("unit", cached_fmu(Turning, 3) if signals else foreign.hidden_jump(0.5))
    return system.simulate(1.0)


CASES.of(
    "whose derivative seems to be discontinuous there without an event",
    turning,
    {"signals": False},
    ends("unit.x", 0.0),
    event=("let its FMU signal an event", {"signals": True}, 1e-9),
)

# -- drives --------------------------------------------------------------------------------------------------------------------------------


def torque(drive: Any, **options: Any) -> Result:
    system = System("wheel")
    system.add("wheel", "mechanical1d.Inertia", {"I": 1.0})
    system.add("motor", "mechanical1d.Torque")
    system.connect("motor.flange", "wheel.flange")
    system.drive("motor.torque", drive, **options)
    return system.simulate(1.0)


JUMPS = math.sqrt(2) / 3


def jumping(time: float) -> float:
    return 1.0 if time < JUMPS else -3.0


CASES.of(
    "is driven by a function that jumps at t = ",
    torque,
    {"drive": jumping},
    ends("wheel.w", JUMPS - 3 * (1 - JUMPS)),
    breaks=("drive('motor.torque', ..., breaks=[0.471404520791", {"drive": jumping, "breaks": [JUMPS]}, 1e-7),
)
TURN = brentq(lambda x: math.sin(3 * x) + x**3 - 0.5, 0.0, 0.5)
UNKNOWN = sympy.Piecewise((1.0, sympy.sin(3 * t) + t**3 < 0.5), (-3.0, True))
CASES.of(
    "whose conditions do not give the times of their changes",
    torque,
    {"drive": UNKNOWN},
    ends("wheel.w", TURN - 3 * (1 - TURN)),
    conditions=("give them in breaks=[...]", {"drive": UNKNOWN, "breaks": [TURN]}, 1e-7),
)


def nested(depth: int, time: Any, sine: Any) -> Any:
    value = time
    for _ in range(depth):
        value = sine(value) + time / 7
    return value


ROWS = np.linspace(0.0, 1.0, 401)
DEEP = [(float(time), float(nested(200, time, math.sin))) for time in ROWS]
CASES.of(
    "cannot be driven by a formula so deeply nested",
    torque,
    {"drive": nested(200, t, sympy.sin)},
    ends("wheel.w", float(np.trapezoid([value for _, value in DEEP], ROWS))),
    table=("give a table with smooth=True", {"drive": DEEP, "smooth": True}, 1e-4),
)


def arm(drive: Any, **options: Any) -> Result:
    """A wheel on a shaft that a prescribed angle turns."""
    system = built("arm", {"arm": "mechanical1d.Angle", "shaft": "mechanical1d.RigidShaft", "wheel": "mechanical1d.Inertia"}, SHAFT)
    system.drive("arm.angle", drive, **options)
    return system.simulate(1.0, initial="assemble")


SHAFT = "arm.flange-shaft.M shaft.N-wheel.flange"
SINE = [(float(time), math.sin(time)) for time in ROWS]
RISE = [(float(time), time - math.sin(2 * math.pi * time) / (2 * math.pi)) for time in ROWS]
CASES.of(
    "'arm.angle' varies, and nothing gives 'arm.angle.rate'",
    arm,
    {"drive": math.sin},
    ends("wheel.phi", math.sin(1.0)),
    rate_formula=("an expression of jourdain.declare.t", {"drive": sympy.sin(t)}, 1e-9),
    rate_function=("a function with rate=", {"drive": math.sin, "rate": math.cos, "acceleration": lambda time: -math.sin(time)}, 1e-9),
    rate_table=("a table with smooth=True", {"drive": SINE, "smooth": True}, 1e-9),
)
CASES.of(
    "rests at its ends, where the table moves",
    arm,
    {"drive": SINE, "smooth": True},
    ends("wheel.w", math.cos(1.0)),
    free=("smooth='free'", {"drive": SINE, "smooth": "free"}, 1e-6),
)
CASES.of(
    "rests at its ends, where the table moves",
    arm,
    {"drive": SINE, "smooth": True},
    ends("wheel.w", 0.0),
    rest=("let the table begin and end at rest", {"drive": RISE, "smooth": True}, 1e-6),
)


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_helps(name: str) -> None:
    CASES[name].try_it()


@pytest.mark.parametrize(("pivot", "left"), [(1.0, 16), (1e-12, 4), (4e-16, 1), (1e-20, 0), (0.0, 0), (-1.0, 0), (math.inf, 0)])
def test_a_small_pivot_leaves_few_of_the_sixteen_digits(pivot: float, left: int) -> None:
    assert digits(pivot) == left
