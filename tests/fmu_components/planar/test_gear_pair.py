"""The gear pair: ratios by consistent motions, the Willis formula, and two inertias under a torque."""

from math import cos, sin

import pytest

from fmu_components.catalogue import find
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism import Mechanism


def mesh(fmu, radius_M, radius_N, speed_M, speed_N, arm=0.0, alpha_M=0.0, alpha_N=0.0, alpha_arm=0.0):
    """Velocity and acceleration of the constraint where the centres are on an arm that turns about M, in a slanted pose."""
    distance, slant = abs(radius_M + radius_N), 0.6
    x, y = distance * cos(slant), distance * sin(slant)
    with Driver(fmu(find("planar.GearPair"), 3), "me") as gears:
        gears.configure({"ideal": True})
        gears.start(
            {
                "radius_M": radius_M,
                "radius_N": radius_N,
                "M.omega": speed_M,
                "N.omega": speed_N,
                "M.alpha": alpha_M,
                "N.alpha": alpha_N,
                "N.x": x,
                "N.y": y,
                "N.vx": -arm * y,
                "N.vy": arm * x,
                "N.ax": -alpha_arm * y - arm**2 * x,
                "N.ay": alpha_arm * x - arm**2 * y,
            }
        )
        return gears["velocity[1]"], gears["acceleration[1]"]


@pytest.mark.parametrize(
    ("radius_M", "radius_N", "ratio"), [(0.1, 0.25, -0.4), (0.3, -0.1, 3.0), (-0.1, 0.4, 0.25)], ids=["external", "internal", "ring on N"]
)
def test_the_ratio_of_fixed_gears(fmu, radius_M, radius_N, ratio):
    """The ratio is omega_N/omega_M = -r_M/r_N: outside they turn against each other, inside the same way, whichever of both is the ring."""
    assert mesh(fmu, radius_M, radius_N, 5.0, 5.0 * ratio, alpha_M=2.0, alpha_N=2.0 * ratio) == pytest.approx((0, 0), abs=1e-14)
    assert mesh(fmu, radius_M, radius_N, 5.0, 5.0 * ratio + 1)[0] == pytest.approx(-radius_N, rel=1e-12)


def test_a_planetary_gear_obeys_the_formula_of_willis(fmu):
    """Sun, planet and ring on one carrier have (w_sun - w_c)/(w_ring - w_c) = -r_ring/r_sun, and so have the accelerations."""
    sun, planet = 0.12, 0.05
    ring = sun + 2 * planet

    def third(sun_speed, carrier):
        """The speeds of planet and ring."""
        return carrier - (sun_speed - carrier) * sun / planet, carrier - (sun_speed - carrier) * sun / ring

    sun_speed, carrier, sun_alpha, carrier_alpha = 9.0, 2.0, -4.0, 3.0
    planet_speed, ring_speed = third(sun_speed, carrier)
    planet_alpha, ring_alpha = third(sun_alpha, carrier_alpha)
    outer = mesh(fmu, sun, planet, sun_speed, planet_speed, carrier, sun_alpha, planet_alpha, carrier_alpha)
    inner = mesh(fmu, ring, -planet, ring_speed, planet_speed, carrier, ring_alpha, planet_alpha, carrier_alpha)
    assert outer == pytest.approx((0, 0), abs=1e-14)
    assert inner == pytest.approx((0, 0), abs=1e-14)


@pytest.mark.parametrize(("r1", "r2"), [(0.1, 0.25), (0.3, -0.1)], ids=["external", "internal"])
def test_two_inertias_under_a_torque(r1, r2):
    """The accelerations are alpha_1 = T/(I1 + I2 (r1/r2)^2), alpha_2 = -alpha_1 r1/r2. The teeth transmit I2 alpha_2/r2, and the centres
    bear it."""
    I1, I2, T = 0.3, 0.8, 2.0
    distance = abs(r1 + r2)
    with Mechanism(
        {
            "left": ("planar.Fixed", {}),
            "right": ("planar.Fixed", {"p1.rx": distance}),
            "pin1": ("planar.Revolute", {}),
            "pin2": ("planar.Revolute", {}),
            "gears": ("planar.GearPair", {"radius_M": r1, "radius_N": r2}),
            "push": ("planar.Wrench", {"Cz": T}),
            "wheel1": ("planar.Body3", {"I": I1, "gy": 0.0}),
            "wheel2": ("planar.Body2", {"I": I2, "gy": 0.0, "x": distance}),
        },
        [
            ("left.p1", "pin1.M"),
            ("wheel1.p1", "pin1.N"),
            ("right.p1", "pin2.M"),
            ("wheel2.p1", "pin2.N"),
            ("wheel1.p2", "gears.M"),
            ("wheel2.p2", "gears.N"),
            ("wheel1.p3", "push.M"),
        ],
    ) as mechanism:
        mechanism.evaluate()
        alpha = T / (I1 + I2 * (r1 / r2) ** 2)
        assert [mechanism["wheel1.der(omega)"], mechanism["wheel2.der(omega)"]] == pytest.approx([alpha, -alpha * r1 / r2], rel=1e-10)
        teeth = I2 * alpha * r1 / r2**2
        assert mechanism["gears.multiplier[1]"] == pytest.approx(teeth, rel=1e-10)
        assert mechanism["pin2.N.Fy"] == pytest.approx(-teeth, rel=1e-10)
