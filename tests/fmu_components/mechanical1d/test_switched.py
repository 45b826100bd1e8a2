"""Friction, clutches, stops, belts, racks: laws of single components by closed forms, rigid by mode and compliant."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from coupling import System
from coupling.errors import StartError
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism import Mechanism

# -- compliant: what stands still, and how far from rigid it is --------------------------------------------------------


def at_rest(component, values, pushed, state, guess):
    """The position, or the speed, at which one side is at rest, or creeps, while the other one does not move."""
    translational = "force" in pushed
    moving, ground = ("mechanical1d.Mass", "wall.flange") if translational else ("mechanical1d.Inertia", "wall.shaft")
    push = "mechanical1d.Force" if translational else "mechanical1d.Torque"
    with Mechanism(
        {"wall": ("mechanical1d.Fixed1D", {}), "node": (moving, {}), "push": (push, pushed), "joint": (component, values)},
        [(ground, "joint.M"), ("node.flange", "joint.N"), ("node.flange", "push.flange")],
        ideal=False,
    ) as mechanism:

        def acceleration(value):
            return mechanism.evaluate(0.0, np.array([value, 0.0] if state == "position" else [0.0, value]))[1]

        return brentq(acceleration, *guess, xtol=1e-16, rtol=1e-14)


@pytest.mark.parametrize(
    ("component", "values", "pushed"),
    [
        ("mechanical1d.Friction", {"kinetic": 3.0}, {"force": 2.4}),
        ("mechanical1d.RotationalFriction", {"kinetic": 3.0}, {"torque": 2.4}),
        ("mechanical1d.Clutch", {"capacity": 3.0}, {"torque": 2.4}),
        ("mechanical1d.Brake", {"force": 5.0, "mu": 0.5, "radius": 0.6}, {"torque": 2.4}),
    ],
)
def test_what_should_stick_creeps_in_proportion_to_vr(component, values, pushed):
    """A share q of the limit creeps at vr q/sqrt(1 - q^2): the error is proportional to the regularising speed."""
    q = 0.8
    for vr in (1e-2, 1e-4):
        found = at_rest(component, values | {"compliant.vr": vr}, pushed, "speed", (0.0, 1.0))
        assert found == pytest.approx(vr * q / math.sqrt(1 - q**2), rel=1e-9)


def test_a_stop_gives_way_in_proportion_to_1_over_k():
    """A steady force goes in by F/k, at both ends; the force between the ends is 0."""
    for k in (1e4, 1e6):
        values = {"low": -0.1, "high": 0.2, "compliant.k": k}
        assert at_rest("mechanical1d.EndStop", values, {"force": -50.0}, "position", (-0.2, 0.1)) == pytest.approx(-0.1 - 50 / k, rel=1e-9)
        assert at_rest("mechanical1d.EndStop", values, {"force": 50.0}, "position", (0.1, 0.3)) == pytest.approx(0.2 + 50 / k, rel=1e-9)
        play = {"play": 0.02, "offset": 0.05, "compliant.k": k}
        for name, push in (("Backlash", "force"), ("RotationalBacklash", "torque")):
            found = at_rest(f"mechanical1d.{name}", play, {push: 50.0}, "position", (0.05, 0.1))
            assert found == pytest.approx(0.06 + 50 / k, rel=1e-9)


def test_a_stop_is_hit_as_deep_as_1_over_the_root_of_k():
    """An undamped mass goes in by v sqrt(m/k) and comes back at v: to 1e-6, after half a period of m and k."""
    for k in (1e4, 1e6):
        with Mechanism(
            {
                "wall": ("mechanical1d.Fixed1D", {}),
                "mass": ("mechanical1d.Mass", {"m": 2.0, "s": 0.0, "v": -3.0}),
                "stop": ("mechanical1d.EndStop", {"compliant.k": k, "compliant.c": 0.0}),
            },
            [("wall.flange", "stop.M"), ("mass.flange", "stop.N")],
            ideal=False,
        ) as mechanism:
            half = math.pi * math.sqrt(2.0 / k)
            (_, deepest), (_, after) = mechanism.simulate(half, [half / 2, half])
            assert deepest[0] == pytest.approx(-3 * math.sqrt(2.0 / k), rel=1e-6) and after[1] == pytest.approx(3, rel=1e-6)


def test_a_freewheel_slips_in_proportion_to_1_over_c():
    """It turns N with -c g and lets N overtake."""
    for c in (10.0, 1e4):
        found = at_rest("mechanical1d.OneWayClutch", {"compliant.c": c}, {"torque": -5.0}, "speed", (-1.0, 1.0))
        assert found == pytest.approx(-5 / c, rel=1e-9)


# -- the law of Hunt and Crossley --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", [2, 3])
def test_the_damping_gives_the_restitution_that_was_asked_for(fmi):
    """The damping satisfies c v (1 + e) = ln((1 + c v)/(1 - c e v)) to 1e-11, from nearly plastic to nearly elastic; c = 0 for e = 1."""
    known = {0.937475579950: 0.1, 0.832869792266: 0.3, 0.593624260040: 1.0, 0.7: 0.634828281, 0.5: 1.432750533}
    with Driver(cached_fmu(find("mechanical1d.CompliantContact"), fmi), "cs") as d:
        d.enter()
        for e in (0.1, 0.3, *known, 0.9, 0.99, 0.999, 0.9998, 0.99995, 1.0):
            d.set({"e": e, "speed": 2.5})
            x = 2.5 * d["c"]
            assert abs(x * (1 + e) - math.log1p(x) + math.log1p(-e * x)) < 1e-11 and (x > 0) == (e < 1)
            if e in known:
                assert x == pytest.approx(known[e], rel=2e-9)


@pytest.mark.parametrize(("m", "k", "n"), [(1.0, 1e4, 1.5), (3.0, 1e8, 1.5), (0.2, 1e6, 1.0)])
def test_an_impact_on_a_compliant_contact_gives_back_the_share_e(m, k, n):
    """A mass leaves at e times the speed to 1e-9 for any mass, stiffness and exponent, and the lost energy is accounted for."""
    system = System()
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": m, "s": 1e-3, "v": -2.0})
    system.add("contact", "mechanical1d.CompliantContact", {"k": k, "n": n, "e": 0.6, "speed": 2.0})
    system.connect("contact.M", "wall.flange")
    system.connect("contact.N", "mass.flange")
    result = system.simulate(0.3 if k < 1e5 else 0.02, solver="dop853", rtol=1e-12, atol=1e-14)
    assert result["mass.v"][-1] == pytest.approx(1.2, abs=1e-9) and result["contact.force"].min() >= 0
    assert result["contact.energy"].max() < m * 2.0**2 / 2


# -- ideal, with modes set by hand -------------------------------------------------------------------------------------


def ideal(component, values, fmi=3):
    driver = Driver(cached_fmu(find(f"mechanical1d.{component}"), fmi), "me")
    driver.configure({"ideal": True})
    driver.start(values)
    return driver


def test_limits_of_slip():
    """Stribeck: kinetic + (static - kinetic) exp(-(v/vs)^2) + viscous v; clutch, brake and belt as their pages say."""
    friction = {"static": 4.0, "kinetic": 3.0, "stribeck": 0.05, "viscous": 2.0, "N.v": 0.04, "mode[1]": 1, "lambda[1]": -1.0}
    with ideal("Friction", friction) as d:
        assert d["limit[1]"] == pytest.approx(3 + math.exp(-0.64) + 0.08, rel=1e-15) and d["static[1]"] == 4
        assert d["residual[1]"] == pytest.approx(-1 + d["limit[1]"], rel=1e-14)
        d.fmu.enterEventMode()
        d.set({"mode[1]": 0})
        assert d["limit[1]"] == 4 and d["residual[1]"] == pytest.approx(5 * 0.04)
    with ideal("Friction", {"kinetic": 3.0}) as d:
        assert d["static[1]"] == 3
    with ideal("Clutch", {"capacity": 60.0, "peak": 1.2, "mode[1]": -1, "N.w": -5.0, "lambda[1]": 60.0}) as d:
        assert (d["limit[1]"], d["static[1]"], d["residual[1]"], d["loss"]) == (60, 72, 0, 300)
        d.set({"capacity": -1.0})
        assert (d["limit[1]"], d["static[1]"]) == (0, 0)
    with ideal("Brake", {"force": 100.0, "mu": 0.4, "radius": 0.1, "surfaces": 2.0, "peak": 1.5}) as d:
        assert d["limit[1]"] == pytest.approx(8, rel=1e-15) and d["static[1]"] == pytest.approx(12, rel=1e-15)
    with ideal("BeltDrive", {"tension": 100.0, "mu": 0.3, "radius_M": 0.1, "radius_N": 0.2, "M.w": 100.0, "N.w": 40.0}) as d:
        assert d["limit[1]"] == pytest.approx(87.839955541593, abs=1e-11) and d["velocity[1]"] == pytest.approx(-2)
        d.set({"lambda[1]": 50.0})
        assert (d["M.tau"], d["N.tau"]) == (-5, 10)


def test_a_freewheel_carries_one_way():
    with ideal("OneWayClutch", {"N.w": 2.0, "M.w": 0.5, "lambda[1]": 3.0}) as d:
        assert (d["residual[1]"], d["N.tau"], d["M.tau"], list(d.indicators)) == (3, 3, -3, [1.5])


def test_a_geneva_wheel_turns_by_a_quarter():
    """Engaged where cos(phi) > sin(pi/n), at the ratio of the mechanism's geometry, 1/(sqrt(2) - 1) at most; locked elsewhere."""
    for phi, ratio in ((0.0, 1 / (math.sqrt(2) - 1)), (0.5, None), (0.79, 0.0), (3.0, 0.0), (2 * math.pi - 0.5, None)):
        with ideal("Geneva", {"M.phi": phi, "M.w": 2.0, "lambda[1]": 1.0}) as d:

            def wheel(angle):
                return math.atan2(math.sin(angle), math.sqrt(2) - math.cos(angle))  # of the pin about the wheel's centre

            slope = (wheel(phi + 1e-5) - wheel(phi - 1e-5)) / 2e-5
            expected = slope if ratio is None else ratio
            assert d["velocity[1]"] == pytest.approx(2 * expected, rel=1e-8) and d["M.tau"] == pytest.approx(-expected * -1, rel=1e-8)


def test_a_geneva_drive_indexes():
    """Crank of 1 kg m2 at 2 rad/s from -pi/2, wheel of 0.3: in and out at the right times, a quarter turn, and the crank at 2 rad/s again."""
    system = System()
    system.add("crank", "mechanical1d.Inertia", {"I": 1.0, "phi": -math.pi / 2, "w": 2.0})
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    system.add("geneva", "mechanical1d.Geneva")
    system.connect("geneva.M", "crank.flange")
    system.connect("geneva.N", "wheel.flange")
    result = system.simulate(1.5, solver="dop853", rtol=1e-11, atol=1e-13, max_step=0.05, outputs=["*", "geneva.engaged"])
    changes = [result.time[i] for i in range(1, len(result.time)) if result["geneva.engaged"][i] != result["geneva.engaged"][i - 1]]
    assert changes == pytest.approx([0.392699081699, 1.3354106031], abs=1e-9)
    assert [result["wheel.phi"][-1], result["crank.w"][-1], result["wheel.w"][-1]] == pytest.approx([-math.pi / 2, 2, 0], abs=1e-8)


def test_a_rack_is_driven_by_its_pinion():
    """I = 0.02, m = 3, r = 0.1, 2 N m: v(1) = 4 m/s, 12 N in the teeth, exactly."""
    system = System()
    system.add("pinion", "mechanical1d.Inertia", {"I": 0.02})
    system.add("motor", "mechanical1d.Torque", {"torque": 2.0})
    system.add("rack", "mechanical1d.Mass", {"m": 3.0})
    system.add("gear", "mechanical1d.RackAndPinion", {"radius": 0.1})
    for one, other in (("motor.flange", "pinion.flange"), ("gear.M", "pinion.flange"), ("gear.N", "rack.flange")):
        system.connect(one, other)
    result = system.simulate(1.0)
    assert result["rack.v"][-1] == pytest.approx(4, abs=1e-12) and result["pinion.w"][-1] == pytest.approx(40, abs=1e-11)
    assert result["gear.multiplier[1]"] == pytest.approx(12.0, abs=1e-11)


# -- bad parameters ----------------------------------------------------------------------------------------------------


def test_bad_parameters_are_refused():
    """The message gives the variable, its value and the remedy."""

    def refused(component, values):
        driver = Driver(cached_fmu(find(f"mechanical1d.{component}"), 3), "me", "f", logging=True)
        with driver, pytest.raises(Exception, match="status 3"):
            driver.start(values)
        return driver.log[-1]

    swapped = "f: it is required that static is at least kinetic; swap them; the value that must be positive is -1, from "
    assert refused("Friction", {"static": 2.0, "kinetic": 3.0}) == swapped + "kinetic = 3 N, static = 2 N"
    assert refused("EndStop", {"e": 1.2}) == "f: e = 1.2 is refused: it must be at least 0 and at most 1"
    assert refused("EndStop", {"low": 2.0}).startswith(
        "f: it is required that high is greater than low; swap them; the value that must be positive is -1"
    )
    assert refused("CompliantContact", {"e": 0.0}) == "f: e = 0 is refused: it must be greater than 0 and at most 1"
    assert refused("Geneva", {"slots": 2.0}) == "f: slots = 2 is refused: it must be at least 3"
    system = System()
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass")
    system.add("f", "mechanical1d.Friction", {"static": 2.0, "kinetic": 3.0})
    system.connect("f.M", "wall.flange")
    system.connect("f.N", "mass.flange")
    with pytest.raises(StartError, match="static is at least kinetic; swap them"):
        system.simulate(1.0)
