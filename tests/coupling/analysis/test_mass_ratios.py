"""Velocities of a four-bar whose masses are 1 to 1e10: kinematics has no masses, so that velocities are those of any other four-bar."""

from __future__ import annotations

import mpmath
import pytest

from coupling import System
from coupling.errors import InitialStateError
from tests.whole.test_singular_poses import LENGTHS, closed, joint

ANGLE, SPEED = 1.0, 2.0
RATIOS = [(1e-5, 1e5, 1e-5), (1e5, 1e-5, 1e5), (1.0, 1e10, 1.0)]


def four_bar(masses: tuple[float, float, float]) -> System:
    system = System("four-bar")
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": 1.0})
    for (name, length), m in zip(LENGTHS.items(), masses, strict=True):
        system.add(name, "planar.Body2", {"m": m, "I": m * length**2 / 12, "p1.rx": -length / 2, "p2.rx": length / 2})
    for pin, a, b in (
        ("a", "left.p1", "crank.p1"),
        ("b", "crank.p2", "coupler.p1"),
        ("c", "coupler.p2", "rocker.p2"),
        ("d", "right.p1", "rocker.p1"),
    ):
        joint(system, pin, a, b)
    return system


def exact() -> dict[str, float]:
    """Derivatives of the closed form, by mpmath's arithmetic of 40 digits."""
    with mpmath.workdps(40):

        def angles(phi: mpmath.mpf) -> list[mpmath.mpf]:
            pin = mpmath.mpf("0.4") * mpmath.expj(phi)
            reach = abs(1 - pin)
            turn = mpmath.arg(1 - pin) + mpmath.acos((mpmath.mpf("1.21") + reach**2 - mpmath.mpf("0.64")) / (mpmath.mpf("2.2") * reach))
            return [phi, turn, mpmath.arg(pin + mpmath.mpf("1.1") * mpmath.expj(turn) - 1)]

        return {f"{name}.omega": float(SPEED * mpmath.diff(lambda phi, i=i: angles(phi)[i], ANGLE)) for i, name in enumerate(LENGTHS)}


@pytest.mark.parametrize("masses", RATIOS)
def test_velocities_follow_from_the_crank_alone(masses):
    result = four_bar(masses).simulate(1e-3, start_values={**closed(ANGLE), "crank.omega": SPEED}, initial="assemble", outputs=["*.omega"])
    for name, value in exact().items():
        assert result[name][0] == pytest.approx(value, rel=1e-13)
    assert not any("redundan" in each or "contradict" in each for each in (*result.outcome.warnings, *result.outcome.notes))


@pytest.mark.parametrize("masses", RATIOS[:2])
def test_a_guess_of_a_velocity_is_met(masses):
    even, uneven = (four_bar(each).assemble(guess={**closed(ANGLE), "crank.omega": SPEED}) for each in ((1.0, 1.0, 1.0), masses))
    assert [uneven[name] for name in exact()] == pytest.approx([even[name] for name in exact()], rel=1e-8)
    assert uneven["crank.omega"] == pytest.approx(SPEED, rel=1e-9)


def test_least_energy_where_a_freedom_is_left():
    """A light rod on a heavy one that hangs: what is not given moves least, as the sum of m v^2 says."""
    system = System("two rods")
    system.add("ground", "planar.Fixed")
    for name, m, y in (("heavy", 1e5, -0.5), ("light", 1e-5, -1.5)):
        system.add(name, "planar.Body2", {"m": m, "I": m / 12, "p1.ry": 0.5, "p2.ry": -0.5, "y": y})
    joint(system, "a", "ground.p1", "heavy.p1")
    joint(system, "b", "heavy.p2", "light.p1")
    pose = system.assemble(velocities={"heavy.omega": 3.0})
    # The light rod gets the velocity v = 3 m/s at its end and turns about its centre of percussion: (1/12) w = (v - w/2)/2, in directions of x.
    assert pose["heavy.vx"] == pytest.approx(1.5, rel=1e-12)
    assert pose["light.omega"] == pytest.approx(-4.5, rel=1e-9) and pose["light.vx"] == pytest.approx(0.75, rel=1e-9)


def test_what_contradicts_itself_is_refused():
    with pytest.raises(
        InitialStateError,
        match=r"cannot be assembled at velocity level: [abcd]\.velocity\[[12]\] = .* remain; the values that you set are held",
    ):
        four_bar(RATIOS[0]).assemble(guess=closed(ANGLE), velocities={"crank.omega": SPEED, "rocker.omega": 1.0})
