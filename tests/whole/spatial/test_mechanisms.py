"""Mechanisms in space against reference solutions: digits of formulations in relative coordinates, without multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import Ending, Result
from tests.support.systems.machines import example
from tests.support.systems.space import (
    attitude_of,
    chaplygin,
    governor,
    quaternions,
    rolling_disc,
    shafts,
    three,
    two_rods,
)


def completed(result: Result) -> Result:
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    return result


TWO_RODS = {
    0.5: ((-0.0682494097, 0.5915360171, -1.9092984417), -0.0025727843),
    1: ((-1.7621018296, -0.8577516142, -0.1667572787), 0.3645779184),
    2: ((1.1128040283, 0.5326463752, -1.3220718683), 0.8828402374),
}
"""Place of the tip and hinge angle, by time."""


def test_two_rods_move_as_the_reference():
    """They agree to 1e-8 for 2 s, after which their motion is chaotic; reactions at the start to 1e-9."""
    result = completed(two_rods().simulate(2.0, solver="dop853", rtol=1e-12, output_times=[0, *TWO_RODS]))
    assert result.energy == pytest.approx(np.full(4, 4.516016237217), abs=1e-9)
    force = [result[f"ball.multiplier[{k}]"][0] for k in (1, 2, 3)]
    assert force == pytest.approx((-9.81801948466, -0.52013590437, 3.32513590437), abs=1e-9)
    tips = three(result, "second.") + attitude_of(result, "second").apply((0.5, 0, 0))
    for found, angle, (place, turned) in zip(tips[1:], result["hinge.rotation.q"][1:], TWO_RODS.values(), strict=True):
        assert found == pytest.approx(place, abs=1e-8)
        assert angle == pytest.approx(turned, abs=1e-8)


@pytest.mark.slow
def test_the_slider_crank_in_space_moves_as_the_reference():
    """It agrees to 1e-8 for 2 s and more than three turns of the crank; the start is the published one."""
    machine = example("15_spatial_slider_crank")
    result = completed(machine.mechanics().simulate(2.0, solver="dop853", rtol=1e-12, output_times=[0, *machine.REFERENCE]))
    assert result.energy == pytest.approx(np.full(5, 0.76643568), abs=1e-8)
    found = np.stack([result[name][1:] for name in ("bearing.rotation.q", "crank.omegax", "slider.x")], axis=1)
    # The rates of the reference have eight decimals.
    assert np.abs(found - list(machine.REFERENCE.values())).max(axis=0) == pytest.approx([0, 0, 0], abs=1e-8)


LATER = {
    5: ((0.99999999774, -1.00006725770, 0.99993274004), 0.00006725996),
    10: ((0.99999996381, -1.00026901270, 0.99973095112), 0.00026904888),
}


@pytest.mark.parametrize("stop", [2.0, pytest.param(10.0, marks=pytest.mark.slow)])
def test_bricards_mechanism_moves_as_the_reference(stop):
    """It agrees to 1e-7, over 10 s through its start once more; one warning says that a constraint is redundant."""
    machine = example("14_bricard")
    known = {t: values for t, values in (machine.REFERENCE | LATER).items() if t <= stop}
    result = machine.system().simulate(stop, solver="dop853", rtol=1e-11, output_times=[0, *known])
    assert result.outcome.ending is Ending.COMPLETED
    assert len(result.outcome.warnings) == 1 and "redundant" in result.outcome.warnings[0]
    assert result.energy == pytest.approx(np.full(1 + len(known), -29.43), abs=1e-7)
    angles = np.abs(result["hinge0.rotation.q"] - result["hinge0.rotation.q"][0])
    for place, angle, expected in zip(machine.fourth_hinge(result)[1:], angles[1:], known.values(), strict=True):
        assert place == pytest.approx(expected[0], abs=1e-7)
        assert angle == pytest.approx(expected[1], abs=1e-7)


DISC = {
    0.5: ((1.26794813284, 0.46778883113, 0.42140150480), (0.76199104480, 1.00247008604, -3.17099282744)),
    1: ((1.91248955977, 1.65650708005, 0.42151339372), (1.38541330209, 1.00288599374, -6.24913905804)),
    2: ((0.52918631976, 3.78188698423, 0.42129053798), (2.90938344044, 1.00205787331, -12.59111646335)),
    5: ((1.48427532049, 0.68863047404, 0.42107149389), (7.20413276961, 1.00124496093, -31.43133922180)),
}
"""Centre of the disc, and its attitude by turns about z, x and z, by time (Lagrange's equations with nonholonomic multipliers)."""


@pytest.mark.slow
def test_a_rolling_disc_moves_as_the_reference():
    """It agrees to 1e-8 for 5 s; the contact force at the start is known."""
    result = completed(rolling_disc().simulate(5.0, solver="dop853", rtol=1e-12, output_times=[0, *DISC]))
    assert [result[f"pin.multiplier[{k}]"][0] for k in (1, 2, 3)] == pytest.approx((9.29859255134, 0, 3.63578368445), abs=1e-8)
    assert result.energy == pytest.approx(np.full(5, 9.94316710556), abs=1e-9)
    for centre, attitude, (r, angles) in zip(three(result, "top.")[1:], attitude_of(result, "top")[1:], DISC.values(), strict=True):
        assert centre == pytest.approx(r, abs=1e-8)
        assert (attitude * Rotation.from_euler("ZXZ", angles).inv()).magnitude() < 1e-8


SPHERE = {
    1: (
        (0.506414476506, -0.389825640062, 0.175),
        (-0.309034043139, 0.611768088647, 0.716266545197, -0.131148778588),
        (2.298781751449, 2.733444064890, -1.782855111268),
        (0.091971908462, 0.309089876356),
    ),
    3: (
        (1.512553641566, -1.150705406362, 0.175),
        (0.661381848953, -0.750023150727, -0.005825549929, -0.002320822436),
        (2.000027840546, 2.998401771834, -1.511354000556),
        (0.192694434226, 0.006639833359),
    ),
    5: (
        (2.531122503576, -1.910518196705, 0.175),
        (-0.583323906892, 0.440332374970, -0.371649928659, -0.572465675590),
        (2.264935849436, 2.915209849940, -0.659580288904),
        (-0.235743446379, -0.277382003459),
    ),
}
"""Centre, quaternion, angular velocity and friction, by time: R alone, from the constant angular momentum about the contact."""


def test_chaplygins_sphere_rolls_as_the_reference():
    """It agrees to 1e-9 for 5 s; its angular momentum about the point of contact is constant. The example says the same."""
    result = completed(chaplygin.system().simulate(5.0, solver="dop853", rtol=1e-12, output_times=[0, *SPHERE]))
    q, omega = quaternions(result, "ball"), three(result, "ball.omega")
    friction = np.stack([result["contact.multiplier[2]"], result["contact.multiplier[3]"]], axis=1)
    found = np.hstack([three(result, "ball."), q / np.linalg.norm(q, axis=1)[:, None], omega, friction])
    expected = np.array([np.concatenate(row) for row in SPHERE.values()])
    assert found[1:] == pytest.approx(expected, abs=1e-9)
    known = chaplygin.exact([0.0, *SPHERE])
    assert np.hstack([known["position"], known["turning"], known["forces"]])[1:] == pytest.approx(
        np.delete(expected, slice(3, 7), 1), abs=1e-9
    )
    at_contact = chaplygin.MASS * chaplygin.RADIUS**2 * np.diag((1, 1, 0))
    attitudes = attitude_of(result, "ball").as_matrix()
    momentum = [(R @ chaplygin.INERTIA @ R.T + at_contact) @ w for R, w in zip(attitudes, omega, strict=True)]
    assert np.ptp(momentum, axis=0) == pytest.approx([0, 0, 0], abs=1e-10)


GOVERNOR = {
    0.1: (0.52044761367, 0.62265503843, 6.11914041452),
    0.5: (0.70879802930, 2.82535165301, 5.14917550290),
    1: (0.50097262273, 5.62549427551, 6.27419675416),
    2: (0.50412240519, 11.25137136964, 6.24815249743),
    5: (0.52515941269, 28.13484038299, 6.08357322210),
}
"""Height of the slider, angle and rate of the shaft, by time (relative coordinates, Radau)."""


@pytest.mark.slow
def test_a_stiff_governor_moves_as_the_reference():
    """CVODE agrees to 1e-8 for 5 s, in which the shaft turns more than four times. Rates that decay are up to 1e5 times those that swing."""
    result = completed(governor().simulate(5.0, solver="cvode", rtol=1e-12, atol=1e-12, output_times=[0, *GOVERNOR]))
    found = np.stack([result[name][1:] for name in ("slider.z", "bearing.rotation.q", "shaft.omegaz")], axis=1)
    assert found == pytest.approx(np.array(list(GOVERNOR.values())), abs=1e-8)


def test_a_universal_joint_turns_the_second_shaft_unevenly():
    """The ratio is w2/w1 = cos b/(1 - sin^2 b cos^2 phi1), and the energy of both is constant to 1e-9; each turns three times."""
    bend = 0.6
    result = completed(shafts("Universal", bend, 10.0).simulate(2.0, solver="dop853", rtol=1e-12, output_interval=0.02))
    angle, first, second = (result[name] for name in ("bearing.rotation.q", "first.wx", "second.wx"))
    ratio = np.cos(bend) / (1 - (np.sin(bend) * np.cos(angle)) ** 2)
    assert angle[-1] > 6 * np.pi and np.ptp(ratio) > 0.3
    assert second == pytest.approx(ratio * first, abs=1e-9)
    assert first == pytest.approx(10 * np.sqrt((0.02 + 0.03 * ratio[0] ** 2) / (0.02 + 0.03 * ratio**2)), abs=1e-9)


@pytest.mark.slow
def test_a_constant_velocity_joint_turns_the_second_shaft_evenly():
    """Both swing on the spring of a bearing as one shaft would, with a ratio of 1, to 1e-9."""
    stiffness, rate = 2.0, 10.0
    system = shafts("ConstantVelocity", 0.6, rate, {"rotation.k": stiffness})
    result = completed(system.simulate(2.0, solver="dop853", rtol=1e-12, output_interval=0.02))
    w = np.sqrt(stiffness / (0.02 + 0.03))
    assert result["bearing.rotation.q"] == pytest.approx(rate / w * np.sin(w * result.time), abs=1e-9)
    assert result["second.wx"] == pytest.approx(result["first.wx"], abs=1e-9)
    assert result["first.wx"] == pytest.approx(rate * np.cos(w * result.time), abs=1e-9)
