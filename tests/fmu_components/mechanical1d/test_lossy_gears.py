"""Gears, worms, screws and belts with losses by direction and load, against the solution by cases of ``tests/support/switched/worm.py``."""

from __future__ import annotations

import itertools
from math import atan, cos, pi, tan

import pytest
import sympy

from jourdain import System
from jourdain.declare import t
from tests.support.switched.worm import Case

NAMES = {"sticks": 0, "slips": 1, "slips back": -1}
WAVE, LOAD = 3 * sympy.sin(2 * t) + sympy.sin(5 * t) / 2, 2 * sympy.cos(t)
END = 6.0


def thread(lead: float, mu: float, flank: float) -> tuple[float, float]:
    """Returns the efficiencies of textbooks, by the angle of friction in the flank."""
    rho = atan(mu / cos(flank))
    return tan(lead) / tan(lead + rho), tan(lead - rho) / tan(lead)


WORM = thread(atan(2 * 2.5e-3 / 0.03), 0.2, 0.3)
BALL = thread(atan(0.02 / (pi * 0.02)), 0.02, 0.2618)
PARTS = {
    "a gear": ("LossyGear", {"ratio": -3.0, "efficiency": 0.8, "back": 0.6}, -3.0, 0.8, 0.6),
    "a gear that locks itself": ("LossyGear", {"ratio": 5.0, "efficiency": 0.5, "back": -0.5, "peak": 1.2}, 5.0, 0.5, -0.5),
    "a worm that locks itself": (
        "Worm",
        {"starts": 2.0, "teeth": 40.0, "module": 2.5e-3, "diameter": 0.03, "mu": 0.2, "flank": 0.3},
        20.0,
        *WORM,
    ),
    "a ball screw": ("PowerScrew", {"lead": 0.02, "mu": 0.02}, 2 * pi / 0.02, *BALL),
    "a chain": ("ToothedBelt", {"teeth_M": 15.0, "teeth_N": 45.0, "efficiency": 0.9, "back": 0.85}, 3.0, 0.9, 0.85),
}
"""Component, values, ratio of the speeds and efficiencies."""


def machine(name: str, case: Case) -> System:
    part, values, ratio, *_ = PARTS[name]
    line = part == "PowerScrew"
    system = System("gear")
    system.add("motor", "mechanical1d.Inertia", {"I": case.motor})
    system.add("load", f"mechanical1d.{'Mass' if line else 'Inertia'}", {"m" if line else "I": case.load * ratio**2})
    system.add("on_motor", "mechanical1d.Torque")
    system.add("on_load", f"mechanical1d.{'Force' if line else 'Torque'}")
    system.join(f"mechanical1d.{part}", "motor.flange", "load.flange", values, name="gear")
    system.add("lost", "signal.Integrator")
    system.connect("gear.loss", "lost.u")
    for side in ("motor", "load"):
        system.connect(f"on_{side}.flange", f"{side}.flange")
    system.drive("on_motor.torque", WAVE)
    system.drive("on_load.force" if line else "on_load.torque", -ratio * LOAD)
    return system


@pytest.mark.parametrize("name", PARTS)
def test_it_turns_as_by_cases(name: str) -> None:
    """Under a sine it drives, is driven, sticks and turns back: modes, times and motion are those by cases."""
    _, values, ratio, efficiency, back = PARTS[name]
    case = Case(
        motor=1.0,
        load=0.3,
        torque=sympy.lambdify(t, WAVE),
        against=sympy.lambdify(t, LOAD),
        drives=1 / efficiency - 1,
        driven=1 - back,
        peak=values.get("peak", 1.0),
    )
    changes, angle, speed = case.run(END)
    result = machine(name, case).simulate(END, rtol=1e-12)
    assert result.outcome.completed, result.outcome
    assert [NAMES[each.what.split(" -> ")[1]] for each in result.changes] == [mode for _, mode in changes]
    assert {1, -1} <= {mode for _, mode in changes}
    assert [each.time for each in result.changes] == pytest.approx([when for when, _ in changes], abs=5e-8)
    assert (result["motor.phi"][-1], result["motor.w"][-1]) == pytest.approx((angle, speed), rel=1e-8, abs=1e-8)
    travelled = "load.v" if "Screw" in PARTS[name][0] else "load.w"
    assert ratio * result[travelled][-1] == pytest.approx(speed, rel=1e-7, abs=1e-7)
    assert result["lost.y"][-1] > 0 and (result["gear.loss"] > -1e-9).all()


@pytest.mark.parametrize(("mu", "locks"), [(0.05, False), (0.2, True)])
def test_a_screw_locks_itself_by_its_friction(mu: float, locks: bool) -> None:
    """A load on the nut turns the screw if mu is less than cos(flank) tan(lead angle), with the acceleration by its efficiency."""
    lead, weight, inertia, m = 0.01, 500.0, 1e-3, 50.0
    angle = atan(lead / (pi * 0.02))
    _, back = thread(angle, mu, 0.2618)
    assert locks == (back <= 0)
    system = System("screw")
    system.add("screw", "mechanical1d.Inertia", {"I": inertia})
    system.add("table", "mechanical1d.Mass", {"m": m})
    system.add("weight", "mechanical1d.Force", {"force": -weight})
    system.connect("weight.flange", "table.flange")
    system.join("mechanical1d.PowerScrew", "screw.flange", "table.flange", {"lead": lead, "mu": mu}, name="thread")
    result = system.simulate(0.5, rtol=1e-10)
    r = lead / (2 * pi)
    exact = 0.0 if locks else -back * weight * r / (inertia + back * m * r**2)
    assert result["screw.w"][-1] == pytest.approx(exact * 0.5, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_planetary_gear_loses_in_its_meshes_only(sign: int) -> None:
    """The sun drives the carrier while the ring is held: T_carrier = T_sun (1 + ratio efficiency) in either direction."""
    ratio, efficiency, torque, J, K = 3.0, 0.9, 2.0, 0.01, 0.5
    system = System("planets")
    system.add("sun", "mechanical1d.Inertia", {"I": J})
    system.add("carrier", "mechanical1d.Inertia", {"I": K})
    system.add("frame", "mechanical1d.Fixed1D")
    system.add("motor", "mechanical1d.Torque", {"torque": sign * torque})
    system.connect("motor.flange", "sun.flange")
    system.add("gear", "mechanical1d.LossyPlanetary", {"ratio": ratio, "efficiency": efficiency, "back": 0.8})
    for a, b in {"sun.flange": "sun", "carrier.flange": "carrier", "frame.shaft": "ring"}.items():
        system.connect(a, f"gear.{b}")
    result = system.simulate(1.0, rtol=1e-10)
    gain = 1 + ratio * efficiency  # of the torque of the carrier
    exact = sign * torque * gain / (K + J * gain * (1 + ratio))
    assert result["carrier.w"][-1] == pytest.approx(exact, rel=1e-8)
    power = [result[f"{each}.w"][-1] * result[f"gear.{each}.tau"][-1] for each in ("sun", "carrier")]
    assert result["gear.loss"][-1] == pytest.approx(-sum(power), rel=1e-9)
    assert result["gear.loss"][-1] > 0


def test_a_planetary_gear_that_turns_as_one_loses_nothing() -> None:
    system = System("coupling")
    for each in ("sun", "carrier", "ring"):
        system.add(each, "mechanical1d.Inertia", {"w": 7.0})
    system.add("gear", "mechanical1d.LossyPlanetary", {"efficiency": 0.9, "bearing": 0.0})
    for each in ("sun", "carrier", "ring"):
        system.connect(f"{each}.flange", f"gear.{each}")
    result = system.simulate(1.0, rtol=1e-10)
    assert [result[f"{each}.w"][-1] for each in ("sun", "carrier", "ring")] == pytest.approx([7.0] * 3, rel=1e-12)
    assert result["gear.loss"] == pytest.approx(0 * result.time, abs=1e-12)


def test_bearings_brake_a_gear_that_carries_nothing() -> None:
    """A wheel alone slows by the torque of the bearings, w = w0 - bearing t/I, and stops."""
    system = System("bearing")
    system.add("motor", "mechanical1d.Inertia", {"I": 0.4, "w": 5.0})
    system.add("load", "mechanical1d.Inertia", {"I": 1e-9, "w": 2.5})
    system.join("mechanical1d.LossyGear", "motor.flange", "load.flange", {"ratio": 2.0, "bearing": 1.0}, name="gear")
    result = system.simulate(3.0, rtol=1e-10)
    assert result.at(1.0)["motor.w"] == pytest.approx(2.5, rel=1e-6)
    assert result.changes[-1].time == pytest.approx(2.0, rel=1e-6) and abs(result["motor.w"][-1]) < 1e-9


@pytest.mark.parametrize("peak", [1.0, 1.5, 2.0, 2.5])
@pytest.mark.parametrize(("efficiency", "back"), [(0.95, 0.95), (0.5, 0.95), (0.8, -0.5)])
def test_gears_without_a_load_rest(peak: float, efficiency: float, back: float) -> None:
    """At rest without any torque nothing moves: rounding of limits that are 0 decides nothing."""
    for ratio, inertia in itertools.product((1.0, 5.0, -3.0), (1.0, 1.1)):
        system = System("idle")
        system.add("motor", "mechanical1d.Inertia")
        system.add("load", "mechanical1d.Inertia", {"I": inertia})
        losses = {"peak": peak, "efficiency": efficiency, "back": back, "ratio": ratio}
        system.join("mechanical1d.LossyGear", "motor.flange", "load.flange", losses, name="gear")
        result = system.simulate(0.01)
        assert result.outcome.completed and not result["motor.w"].any() and not result["load.w"].any()


ODD = {
    "mu is at most 0.6, as of dry metal": ("Worm", {"mu": 0.7, "starts": 5.0}),
    "the numbers of teeth and starts are whole": ("Worm", {"teeth": 30.5}),
    "the lead angle is at most 45 degrees; beyond, name the other side as the thread": ("PowerScrew", {"lead": 0.1}),
    "peak is at most 2, as of meshes and bearings; larger static friction is that of a seized one": ("LossyGear", {"peak": 2.5}),
    "the numbers of teeth are whole, since belts and chains have one pitch": ("ToothedBelt", {"teeth_N": 12.2}),
}
"""Sentences of warnings, and values that give them."""


@pytest.mark.parametrize("sentence", ODD)
def test_values_that_no_gear_has_are_warned_of(sentence: str) -> None:
    """The run goes on, and its warnings have the sentence; usual values give none."""
    part, values = ODD[sentence]
    for given in ({}, values):
        system = System("odd")
        system.add("motor", "mechanical1d.Inertia")
        system.add("load", "mechanical1d.Mass" if part == "PowerScrew" else "mechanical1d.Inertia")
        system.join(f"mechanical1d.{part}", "motor.flange", "load.flange", given, name="gear")
        system.add("push", "mechanical1d.Torque", {"torque": 0.3})
        system.connect("push.flange", "motor.flange")
        outcome = system.simulate(0.01).outcome
        assert outcome.completed and bool(given) == any(f"it is expected that {sentence}" in each for each in outcome.warnings), outcome


def test_a_ring_inside_its_sun_is_warned_of() -> None:
    system = System("odd")
    system.add("gear", "mechanical1d.LossyPlanetary", {"ratio": 0.5})
    for each in ("sun", "carrier", "ring"):
        system.add(each, "mechanical1d.Inertia")
        system.connect(f"{each}.flange", f"gear.{each}")
    assert any("the ring has more teeth than the sun" in each for each in system.simulate(0.01).outcome.warnings)
