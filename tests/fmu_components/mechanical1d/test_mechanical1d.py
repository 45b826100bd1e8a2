"""One-dimensional mechanics: forces and torques on inertias, springs between two of them, and walls."""

from math import cos, exp, sqrt

import pytest

from tests.support.systems.mechanism import Mechanism


def test_a_force_accelerates_a_mass():
    """The way is s = F t^2/(2 m), and the energy is the work of the force."""
    m, F, t = 1.7, 3.0, 2.0
    with Mechanism(
        {"mass": ("mechanical1d.Mass", {"m": m, "s": 0.5}), "push": ("mechanical1d.Force", {"force": F})}, [("mass.flange", "push.flange")]
    ) as mechanism:
        mechanism.simulate(t)
        motion = [mechanism[f"mass.flange.{name}"] for name in "sva"]
        assert motion == pytest.approx([0.5 + F / m * t**2 / 2, F / m * t, F / m], rel=1e-10)
        assert mechanism["mass.energy.kinetic"] == pytest.approx(F * (mechanism["mass.s"] - 0.5), rel=1e-10)
        assert mechanism["push.power"] == pytest.approx(F * F / m * t, rel=1e-10)


def test_a_torque_accelerates_an_inertia():
    """The angle is phi = tau t^2/(2 I), and the energy is the work of the torque."""
    I, tau, t = 0.4, -1.5, 1.2  # noqa: E741
    with Mechanism(
        {"inertia": ("mechanical1d.Inertia", {"I": I}), "motor": ("mechanical1d.Torque", {"torque": tau})},
        [("inertia.flange", "motor.flange")],
    ) as mechanism:
        mechanism.simulate(t)
        motion = [mechanism[f"inertia.flange.{name}"] for name in ("phi", "w", "a")]
        assert motion == pytest.approx([tau / I * t**2 / 2, tau / I * t, tau / I], rel=1e-10)
        assert mechanism["inertia.energy.kinetic"] == pytest.approx(tau * mechanism["inertia.phi"], rel=1e-10)
        assert mechanism["motor.power"] == pytest.approx(tau * tau / I * t, rel=1e-10)


LINE = ("mechanical1d.Mass", "m", "s", "v", "mechanical1d.SpringDamper1D")
SHAFT = ("mechanical1d.Inertia", "I", "phi", "w", "mechanical1d.RotationalSpringDamper")


@pytest.mark.parametrize(("body", "inertia", "coordinate", "speed", "spring"), [LINE, SHAFT], ids=["line", "shaft"])
def test_two_inertias_on_a_spring_oscillate(body, inertia, coordinate, speed, spring):
    """The stretch is that of one reduced mass, e cos(sqrt(k (1/m1 + 1/m2)) t); the centre moves on; the energy stays."""
    m1, m2, k, rest, stretch, drift = 1.2, 3.4, 50.0, 0.3, 0.2, 0.7
    with Mechanism(
        {
            "first": (body, {inertia: m1, speed: drift}),
            "second": (body, {inertia: m2, coordinate: rest + stretch, speed: drift}),
            "spring": (spring, {"k": k, "rest": rest}),
        },
        [("first.flange", "spring.M"), ("second.flange", "spring.N")],
    ) as mechanism:
        mechanism.evaluate()
        assert mechanism["spring.tension"] == pytest.approx(k * stretch, rel=1e-12)
        t, rate = 1.7, sqrt(k * (1 / m1 + 1 / m2))
        mechanism.simulate(t)
        assert mechanism["spring.q"] == pytest.approx(rest + stretch * cos(rate * t), rel=1e-9)
        centre = [m1 * mechanism[f"first.{name}"] + m2 * mechanism[f"second.{name}"] for name in (coordinate, speed)]
        assert centre == pytest.approx([m2 * (rest + stretch) + (m1 + m2) * drift * t, (m1 + m2) * drift], rel=1e-9)
        energy = mechanism["spring.energy"] + mechanism["first.energy.kinetic"] + mechanism["second.energy.kinetic"]
        assert energy == pytest.approx(k * stretch**2 / 2 + (m1 + m2) * drift**2 / 2, rel=1e-9)


@pytest.mark.parametrize(("body", "inertia", "coordinate", "speed", "spring"), [LINE, SHAFT], ids=["line", "shaft"])
def test_a_damper_between_two_that_move(body, inertia, coordinate, speed, spring):
    """The relative speed falls as exp(-b (1/m1 + 1/m2) t), and the speed of the centre stays."""
    m1, m2, b, v1, v2, t = 1.2, 3.4, 2.5, 2.0, 0.5, 0.4
    with Mechanism(
        {
            "one": (body, {inertia: m1, speed: v1}),
            "other": (body, {inertia: m2, speed: v2}),
            "damper": (spring, {"k": 0.0, "b": b}),
        },
        [("one.flange", "damper.M"), ("other.flange", "damper.N")],
    ) as mechanism:
        mechanism.simulate(t)
        one, other = mechanism[f"one.{speed}"], mechanism[f"other.{speed}"]
        assert other - one == pytest.approx((v2 - v1) * exp(-b * (1 / m1 + 1 / m2) * t), rel=1e-9)
        assert m1 * one + m2 * other == pytest.approx(m1 * v1 + m2 * v2, rel=1e-12)


@pytest.mark.parametrize(("body", "inertia", "coordinate", "speed", "spring"), [LINE, SHAFT], ids=["line", "shaft"])
def test_a_damper_to_the_wall_at_rest(body, inertia, coordinate, speed, spring):
    """A body between wall and spring with critical damping b = 2 sqrt(k m) returns as (1 + w t) exp(-w t), w = sqrt(k/m)."""
    m, k, place, flange, t = 0.8, 40.0, 0.6, {"s": "flange", "phi": "shaft"}[coordinate], 0.35
    w = sqrt(k / m)
    with Mechanism(
        {
            "wall": ("mechanical1d.Fixed1D", {{"s": "position", "phi": "angle"}[coordinate]: place}),
            "body": (body, {inertia: m, coordinate: place + 0.1}),
            "spring": (spring, {"k": k, "b": 2 * sqrt(k * m)}),
        },
        [(f"wall.{flange}", "spring.M"), ("body.flange", "spring.N")],
    ) as mechanism:
        mechanism.simulate(t)
        assert mechanism[f"body.{coordinate}"] == pytest.approx(place + 0.1 * (1 + w * t) * exp(-w * t), rel=1e-9)
        assert mechanism["spring.power"] == pytest.approx(-mechanism["spring.tension"] * mechanism[f"body.{speed}"], rel=1e-9)
        motion = [mechanism[f"wall.{flange}.{name}"] for name in {"s": ("s", "v", "a"), "phi": ("phi", "w", "a")}[coordinate]]
        assert motion == [place, 0, 0]
