"""Contacts, ropes and frictions in the plane and in space: laws of single components by closed forms, rigid by mode and compliant."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from coupling import System
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism import Mechanism


def ideal(component, values, fmi=3):
    driver = Driver(cached_fmu(find(component), fmi), "me")
    driver.configure({"ideal": True})
    driver.start(values)
    return driver


def wrench(driver, port="N"):
    return [driver[f"{port}.{effort}"] for effort in ("Fx", "Fy", "Cz")]


# -- ideal, with modes set by hand -------------------------------------------------------------------------------------


def test_a_bearing_rubs_by_its_own_reaction():
    """The limit is mu radius |lambda 1, 2|, and the torque of friction acts on N and against M."""
    values = {
        "mu": 0.2,
        "radius": 0.05,
        "peak": 1.5,
        "M.omega": 1.0,
        "N.omega": 4.0,
        "mode[3]": 1,
        "lambda[1]": 3.0,
        "lambda[2]": -4.0,
        "lambda[3]": -0.05,
    }
    with ideal("planar.RevoluteFriction", values) as d:
        assert d["limit[3]"] == pytest.approx(0.05, rel=1e-14) and d["static[3]"] == pytest.approx(0.075, rel=1e-14)
        assert d["residual[3]"] == pytest.approx(0, abs=1e-15) and wrench(d) == pytest.approx([3, -4, -0.05])
        assert d["velocity[3]"] == d["rotation.qd"] == 3


def test_a_guide_rubs_at_both_ends():
    """The friction is mu times the greater of the force across and of 2 |torque|/length. It jams where the arm of the force exceeds
    length/(2 mu)."""
    values = {"mu": 0.3, "length": 0.2, "N.vx": 1.0, "mode[3]": 1, "lambda[1]": 5.0}
    for torque, limit in ((0.2, 1.5), (-0.8, 2.4)):
        with ideal("planar.TranslationalFriction", values | {"lambda[2]": torque}) as d:
            assert d["limit[3]"] == pytest.approx(limit, rel=1e-14)
            assert d.directional(["residual[3]"], ["lambda[2]"], [1.0])[0] == pytest.approx(0.0 if abs(torque) < 0.5 else -3.0)


def test_a_point_is_pushed_off_an_inclined_line():
    """The gap is the distance from the inclined line, the slip is along it, and the friction is mu times the push at most."""
    angle = 0.3
    normal, along = np.array([-math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), math.sin(angle)])
    N, v = 0.4 * along + 0.02 * normal, 0.7 * along - 0.2 * normal
    values = {"M.theta": angle, "N.x": N[0], "N.y": N[1], "N.vx": v[0], "N.vy": v[1], "mu": 0.2, "lambda[1]": 10.0, "lambda[2]": -2.0}
    with ideal("planar.PointContact", values | {"mode[1]": 1, "mode[2]": 1}) as d:
        assert [d["position[1]"], d["velocity[1]"], d["velocity[2]"]] == pytest.approx([0.02, -0.2, 0.7], rel=1e-13)
        assert d["residual[2]"] == pytest.approx(0, abs=1e-14) and wrench(d)[:2] == pytest.approx(list(10 * normal - 2 * along))


def test_a_side_touches_at_its_ends_and_rubs_on_the_line():
    """Gaps at both ends; friction acts on the line, below N, so that its moment about N is height times friction; limit by both pushes."""
    values = {"length": 1.0, "mu": 0.5, "N.y": 0.1, "N.theta": 0.2, "N.vx": 1.0, "N.omega": 2.0, "lambda[1]": 3.0, "lambda[2]": 1.0}
    with ideal("planar.LineContact", values | {"lambda[3]": 2.0, "mode[3]": 1}) as d:
        ends = [0.1 - 0.5 * math.sin(0.2), 0.1 + 0.5 * math.sin(0.2)]
        assert [d["position[1]"], d["position[2]"]] == pytest.approx(ends) and d["velocity[3]"] == pytest.approx(1 + 0.1 * 2)
        assert d["limit[3]"] == 2 and wrench(d) == pytest.approx([2, 4, 0.1 * 2 + 0.5 * math.cos(0.2) * (1 - 3)])


def test_a_disc_rolls_slips_and_leaves():
    """The gap is from its rim; its slip is v + r omega; in mode 0 of both it flies and would stick."""
    values = {"radius": 0.5, "N.y": 0.6, "N.vx": 2.0, "N.omega": -3.0, "mu": 0.4, "lambda[1]": 5.0, "lambda[2]": -1.0}
    with ideal("planar.DiscContact", values | {"mode[2]": 1}) as d:
        assert d["position[1]"] == pytest.approx(0.1) and d["velocity[2]"] == pytest.approx(0.5)
        assert (d["residual[1]"], d["residual[2]"]) == pytest.approx((5, -1 + 0.4 * 5)) and wrench(d) == pytest.approx([-1, 5, -0.5])


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_rope_pulls(space):
    """Slack by length - |MN|; taut the tension pulls N towards M."""
    values = {"length": 1.0, "N.x": 0.36, "N.y": 0.48, "N.vx": 1.0, "lambda[1]": 10.0}
    with ideal(f"{space}.Rope", values) as d:
        assert [d["position[1]"], d["velocity[1]"]] == pytest.approx([0.4, -0.6]) and d["residual[1]"] == 10
        assert [d["N.Fx"], d["N.Fy"]] == pytest.approx([-6, -8])


def test_a_sphere_stays_above_a_plane():
    with ideal("spatial.PointContact", {"radius": 0.2, "N.z": 0.5, "N.vz": -1.0, "lambda[1]": 4.0, "mode[1]": 1}) as d:
        assert [d["position[1]"], d["velocity[1]"], d["N.Fz"], d["N.Cx"]] == pytest.approx([0.3, -1, 4, 0])


# -- compliant ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("component", "k"), [("planar.Rope", "compliant.k"), ("planar.PointContact", "compliant.k")])
def test_a_weight_stretches_in_proportion_to_1_over_k(component, k):
    """A rope is longer by m g/k, a point is deeper by m g/k: the error falls with the stiffness to the power 1."""
    down = -1 if component == "planar.Rope" else 0
    for stiffness in (1e4, 1e6):
        with Mechanism(
            {
                "ground": ("planar.Fixed", {}),
                "body": ("planar.Body1", {"m": 2.0, "gy": -9.81, "y": down - 1e-3}),
                "joint": (component, {k: stiffness}),
            },
            [("ground.p1", "joint.M"), ("body.p1", "joint.N")],
            ideal=False,
        ) as mechanism:
            names = ["x", "y", "theta", "vx", "vy", "omega"]

            def falls(y, mechanism=mechanism, names=names):
                state = mechanism.start.copy()
                state[1] = y
                return mechanism.evaluate(0.0, state)[names.index("vy")]

            assert brentq(falls, down - 0.1, down + 0.1, xtol=1e-15) == pytest.approx(down - 2 * 9.81 / stiffness, abs=1e-12)


def incline(vr, mu=0.5, angle=0.3):
    """The speed at which a block creeps down an incline on which it should stick."""
    q = math.tan(angle) / mu
    return vr * q / math.sqrt(1 - q**2)


def test_a_block_that_should_stick_creeps_in_proportion_to_vr():
    """It creeps on an incline of 0.3 rad at vr q/sqrt(1 - q^2), q = tan(0.3)/0.5: 7.874668019e-4 m/s at 1e-3; the power is 1."""
    assert incline(1e-3) == pytest.approx(7.874668019e-4, rel=1e-9)
    angle, m, g = 0.3, 2.0, 9.81
    with Driver(cached_fmu(find("planar.CompliantContact"), 3), "cs") as d:
        d.enter()
        d.set({"M.theta": angle, "mu": 0.5, "k": 1e6, "n": 1.0, "e": 1.0})
        depth = m * g * math.cos(angle) / 1e6
        for vr in (1e-3, 1e-5):
            v = -incline(vr)
            d.set({"vr": vr, "N.vx": v * math.cos(angle), "N.vy": v * math.sin(angle)})
            d.set({"N.x": depth * math.sin(angle), "N.y": -depth * math.cos(angle)})
            assert wrench(d)[:2] == pytest.approx([0, m * g], abs=1e-9)


@pytest.mark.slow
def test_friction_in_space_is_against_the_slip():
    """The friction on a plane is mu F against the slip's direction, at the lowest point of the sphere."""
    with Driver(cached_fmu(find("spatial.CompliantContact"), 3), "cs") as d:
        d.enter()
        d.set({"radius": 0.2, "mu": 0.4, "vr": 1e-9, "n": 1.0, "k": 1000.0, "N.z": 0.19, "N.vx": 0.3, "N.omegax": 2.0, "e": 1.0})
        F, slip = 10.0, np.array([0.3, 0.2 * 2.0])  # omega x (-r z) = (-omega_y r, omega_x r)
        rub = -0.4 * F * slip / 0.5
        assert d["force"] == pytest.approx(F) and [d["slip.x"], d["slip.y"]] == pytest.approx(list(slip))
        assert [d["N.Fx"], d["N.Fy"], d["N.Fz"]] == pytest.approx([*rub, F])
        assert [d["N.Cx"], d["N.Cy"]] == pytest.approx([0.2 * rub[1], -0.2 * rub[0]])


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_ball_bounces_by_the_share_e(space):
    """Dropped on a compliant contact without friction it leaves at e times the speed, for e at that speed."""
    system, up = System(), {"planar": "y", "spatial": "z"}[space]
    system.add("ground", f"{space}.Fixed")
    system.add("ball", f"{space}.Body1", {"m": 0.5, up: 0.2, f"v{up}": -3.0, f"g{up}": 0.0})
    system.add("contact", f"{space}.CompliantContact", {"radius": 0.1, "e": 0.7, "speed": 3.0, "k": 1e6, "mu": 0.0})
    system.connect("contact.M", "ground.p1")
    system.connect("contact.N", "ball.p1")
    result = system.simulate(0.06, solver="dop853", rtol=1e-12, atol=1e-14)
    assert result[f"ball.v{up}"][-1] == pytest.approx(2.1, abs=1e-9)


def test_compliant_contact_does_work_on_both_bodies_as_it_loses():
    """The power of both wrenches is the loss of the contact: never positive except for the spring's own energy, at random motions."""
    random = np.random.default_rng(3)
    with Driver(cached_fmu(find("planar.CompliantContact"), 3), "cs") as d:
        d.enter()
        for _ in range(10):
            values = {f"{port}.{name}": random.uniform(-1, 1) for port in "MN" for name in ("x", "vx", "vy", "omega", "theta")}
            d.set(values | {"N.y": 0.0, "radius": 3.0, "vr": 0.1, "k": 10.0})
            total = sum(d[f"{p}.{e}"] * d[f"{p}.{v}"] for p in "MN" for e, v in (("Fx", "vx"), ("Fy", "vy"), ("Cz", "omega")))
            rate = d["height"]
            step = 1e-7
            d.set({f"{p}.{c}": values[f"{p}.{c}"] + step * values[f"{p}.{v}"] for p in "MN" for c, v in (("x", "vx"), ("theta", "omega"))})
            d.set({f"{p}.y": step * values[f"{p}.vy"] for p in "MN"})
            rate = (d["height"] - rate) / step
            d.set({f"{p}.{c}": values[f"{p}.{c}"] for p in "MN" for c in ("x", "theta")} | {"M.y": 0.0, "N.y": 0.0})
            expected = d["force"] * rate + d["friction"] * d["slip"]
            assert total == pytest.approx(expected, abs=1e-5 * max(1, abs(expected))) and d["friction"] * d["slip"] <= 0
