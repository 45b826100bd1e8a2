"""The point follower on a cam: lift, speed, acceleration and force against the profile's own geometry."""

from math import atan2, cos, hypot, pi, sin

import numpy as np
import pytest

from fmu_components.catalogue import find
from tests.support.runtime.driver import Driver

RADIUS = 0.05
COEFFICIENTS = {"cos[1]": 0.006, "sin[1]": -0.002, "cos[2]": 0.003, "sin[3]": 0.0015, "cos[8]": 0.0002, "sin[8]": 0.0001}


def profile(phi, order=0):
    """The derivative of the given order of r(phi); that of cos is a quarter turn ahead each time."""
    total = RADIUS if order == 0 else 0.0
    for name, value in COEFFICIENTS.items():
        k = int(name[4:-1])
        total += value * k**order * (cos if name.startswith("cos") else sin)(k * phi + order * pi / 2)
    return total


@pytest.fixture
def cam(fmu):
    with Driver(fmu(find("planar.CamFollower"), 3), "me") as found:
        found.configure({"ideal": True})
        yield found


def test_a_circular_eccentric_cam_has_its_known_lift(cam):
    """A circle of radius R about a point at the distance e has r = e cos phi + sqrt(R^2 - e^2 sin^2 phi); points of it fit the cam."""
    R, e, turned = 0.06, 0.006, 0.7
    phi = np.arange(64) * 2 * pi / 64
    series = np.fft.rfft(e * np.cos(phi) + np.sqrt(R**2 - (e * np.sin(phi)) ** 2)) / 64
    harmonics = {f"cos[{k}]": 2 * series[k].real for k in range(1, 9)}
    cam.start({"radius": series[0].real, **harmonics, "M.theta": turned, "M.x": 0.3, "M.y": -0.2})
    for direction in (0.0, 1.0, 2.5, 4.0, 5.5):
        # A point of the circle, turned with the cam.
        x, y = e + R * cos(direction), R * sin(direction)
        cam.set({"N.x": 0.3 + x * cos(turned) - y * sin(turned), "N.y": -0.2 + x * sin(turned) + y * cos(turned)})
        assert cam["position[1]"] == pytest.approx(0, abs=1e-13)
        assert cam["angle.q"] == pytest.approx(atan2(y, x), abs=1e-12)
        assert cam["profile.q"] == pytest.approx(hypot(x, y), abs=1e-13)


@pytest.mark.parametrize("turned", [0.0, 0.9, -2.5])
def test_a_follower_on_a_uniformly_rotating_cam(cam, turned):
    """A follower on the axis x meets the profile at phi = -theta: x = r(phi), v = -r'(phi) omega, a = r''(phi) omega^2."""
    omega, phi = 30.0, -turned
    follower = {"N.x": profile(phi), "N.vx": -profile(phi, 1) * omega, "N.ax": profile(phi, 2) * omega**2}
    cam.start({"radius": RADIUS, **COEFFICIENTS, "M.theta": turned, "M.omega": omega, **follower})
    assert [cam[f"{level}[1]"] for level in ("position", "velocity", "acceleration")] == pytest.approx([0, 0, 0], abs=1e-12)
    rates = [profile(phi), profile(phi, 1) * -omega, profile(phi, 2) * omega**2]
    assert [cam[f"profile.{name}"] for name in ("q", "qd", "qdd")] == pytest.approx(rates, rel=1e-12)
    cam.set({"N.vx": follower["N.vx"] + 0.25, "N.x": follower["N.x"] + 0.01})
    assert [cam["position[1]"], cam["velocity[1]"]] == pytest.approx([0.01, 0.25], rel=1e-12)


def test_the_force_on_the_follower_takes_a_torque_of_the_cam(cam):
    """A radial force l, positive where the cam pushes, takes the torque l r'(phi); the force is normal to the profile."""
    phi, force = 0.8, 12.0
    r, slope = profile(phi), profile(phi, 1)
    cam.start({"radius": RADIUS, **COEFFICIENTS, "M.theta": -phi, "N.x": r})
    cam.set({"lambda[1]": force})
    assert cam["N.Fx"] == pytest.approx(force, rel=1e-12)
    assert cam["M.Cz"] == pytest.approx(force * slope, rel=1e-12)
    # The tangent of the profile in the absolute frame, where the follower's direction is the axis x: (r', r).
    assert cam["N.Fx"] * slope + cam["N.Fy"] * r == pytest.approx(0, abs=1e-12)
