"""The reference solutions agree with themselves, with each other and with their limits; none of this uses an FMU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

from tests.support.oracles.motion import STATES, OneAngle, deviation, integrate, swing
from tests.support.oracles.planar import DoublePendulum, FourBar, ParallelFourBars, Pendulum, Rod, SliderCrank

ODD, SHORT = Rod(0.9, 1.3, 0.11, 0.4), Rod(0.7, 0.6, 0.05, 0.2)
CASES = {
    "swinging": Pendulum(ODD, angle=1.2),
    "going round": Pendulum(ODD, angle=0.4, speed=-7.0),
    "double pendulum": DoublePendulum((ODD, SHORT), (0.3, -0.4), (1.0, -2.0)),
    "slider-crank": SliderCrank(Rod(0.5, 1.2), ODD, 0.8, 0.1, torque=0.7, stiffness=30.0, rest=1.1, angle=0.4, speed=6.0),
    "four-bar": FourBar(Rod(0.4, 0.8), Rod(1.1, 0.6, 0.1, 0.4), Rod(0.8, 1.1), angle=0.7, speed=3.0),
    "four-bar, other branch": FourBar(Rod(0.4, 0.8), Rod(1.1, 0.6, 0.1, 0.4), Rod(0.8, 1.1), left=False, angle=0.7, speed=9.0),
    "four-bar, hanging": FourBar(Rod(1.1), Rod(0.9), Rod(1.3), ground=0.7, left=False, angle=-1.4, speed=0.2),
    "parallel four-bars": ParallelFourBars(3, ODD),
}
ONE_ANGLE = [name for name, oracle in CASES.items() if isinstance(oracle, OneAngle)]
TIMES = np.linspace(0.0, 2.0, 41)


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def oracle(request):
    return request.param


def test_energy_is_constant(oracle):
    """Nothing dissipates, and what torques and springs store is counted."""
    assert np.ptp(oracle.energy(TIMES)) < 1e-11


def test_velocities_and_accelerations_are_derivatives(oracle):
    """They are derivatives of positions and angles, by differences of fourth order."""
    h, now = 1e-3, 0.7
    motions = oracle.motion(now + h * np.arange(-2, 3))
    for motion in motions.values():
        for value, rate in (("x", "vx"), ("y", "vy"), ("theta", "omega"), ("vx", "ax"), ("vy", "ay"), ("omega", "alpha")):
            difference = getattr(motion, value) @ np.array([1, -8, 0, 8, -1]) / (12 * h)
            assert difference == pytest.approx(getattr(motion, rate)[2], rel=1e-6, abs=1e-6), (value, rate)


def test_joined_points_move_together(oracle):
    """Wherever the parts have a revolute joint, its points agree in position, velocity and acceleration."""
    motions, parts, ends = oracle.motion(TIMES), oracle.parts, {}
    for motion_side, effort_side in oracle.connections:
        ends[effort_side] = motion_side

    def point(port):
        name, place = port.split(".")
        at = complex(*(parts[name][1].get(f"{place}.{axis}", 0.0) for axis in ("rx", "ry")))
        return motions[name].at(at) if name in motions else (at, 0.0, 0.0)

    joints = [name for name, (component, _) in parts.items() if component == "planar.Revolute"]
    assert joints
    for joint in joints:
        for first, second in zip(point(ends[f"{joint}.M"]), point(ends[f"{joint}.N"]), strict=True):
            assert np.abs(first - second).max() < 1e-12 * (1 + np.abs(first).max())


def test_the_parts_start_where_the_motion_starts(oracle):
    """Start values of the parts are the states at time 0, and their masses those of the oracle."""
    for name, motion in oracle.motion([0.0]).items():
        values = oracle.parts[name][1]
        assert [values[state] for state in STATES] == [getattr(motion, state)[0] for state in STATES]
        assert (values["m"], values["I"]) == oracle.masses[name]


def test_deviation_finds_the_worst_state(oracle):
    """It is zero against the motion itself, and a change of one value of one body shows."""
    motions = oracle.motion([0.0, 0.1])
    worst = list(motions)[-1]

    def read(variable):
        name, state = variable.split(".")
        return getattr(motions[name], state) + (np.array([0, 1e-3]) if (name, state) == (worst, "vy") else 0.0)

    assert deviation(motions, read) == pytest.approx(1e-3)


@pytest.mark.parametrize("name", ["slider-crank", "four-bar, other branch", "going round"])
def test_the_time_of_a_turn_is_a_quadrature(name):
    """The crank turns by an angle within the integral of sqrt(I / 2 (E - V)) over it, whatever integrates the motion."""
    oracle = CASES[name]
    sense = np.sign(oracle.speed)

    def slowness(q):
        """1 / q' from the energy: the speed that gives the mechanism in this pose the energy it started with."""
        here = replace(oracle, angle=q, speed=0.0)
        unit = replace(oracle, angle=q, speed=1.0)
        still = here.energy([0.0])[0]
        return np.sqrt((unit.energy([0.0])[0] - still) / (total - still))

    total = oracle.energy([0.0])[0]
    end = oracle.angle + sense * 3.0
    expected = quad(slowness, *sorted((oracle.angle, end)), epsabs=1e-12, epsrel=1e-12)[0]
    assert oracle.angles(np.array([expected]))[0][0] == pytest.approx(end, abs=1e-10)


@pytest.mark.parametrize(
    ("phi", "omega"), [(2.9, 0.0), (-1.0, 2.5), (0.3, -6.5), (1.0, 11.0), (np.pi, -1.0), (7.0, 1.0), (7.0, -9.0), (0.0, 6.0)]
)
def test_a_swing_in_elliptic_functions_solves_its_equation(phi, omega):
    """Swinging, going round either way, on the separatrix (at twice the frequency, hanging), and from beyond a turn."""
    frequency = 3.0
    rows = integrate(lambda _, s: np.array([s[1], -(frequency**2) * np.sin(s[0])]), [phi, omega], np.array([0.0, 0.4, 0.9, 1.5, 2.0]))
    found = np.column_stack(swing(np.array([0.0, 0.4, 0.9, 1.5, 2.0]), phi, omega, frequency))
    assert found == pytest.approx(rows, abs=2e-10)


def test_the_period_of_a_pendulum():
    """A pendulum that starts at rest is back after 4 K(sin^2(A/2)) / frequency; at small amplitudes after 2 pi / frequency."""
    for amplitude in (1e-6, 1.0, 3.0):
        pendulum = Pendulum(ODD, angle=amplitude - np.pi / 2)
        period = 4 * ellipk(np.sin(amplitude / 2) ** 2) / pendulum.frequency
        q, qd = pendulum.angles(np.array([period / 4, period / 2, period]))
        assert q + np.pi / 2 == pytest.approx([0, -amplitude, amplitude], abs=1e-12)
        assert qd[1:] == pytest.approx([0, 0], abs=1e-11)
    small = Pendulum(ODD, angle=1e-6 - np.pi / 2)
    assert small.angles(TIMES)[0] + np.pi / 2 == pytest.approx(1e-6 * np.cos(small.frequency * TIMES), abs=1e-15)


def test_the_reaction_of_a_pendulum():
    """At rest it bears the weight; hanging down after a fall from level it bears m g (1 + 2 m c^2 / (J + m c^2))."""
    hanging = Pendulum(ODD, angle=-np.pi / 2)
    assert hanging.reaction([0.0, 1.0]) == pytest.approx(np.array([[0, ODD.m * 9.81]] * 2), abs=1e-12)
    fallen = Pendulum(ODD)
    quarter = ellipk(0.5) / fallen.frequency
    share = ODD.m * ODD.c**2 / (ODD.J + ODD.m * ODD.c**2)
    assert fallen.reaction([quarter])[0] == pytest.approx([0, ODD.m * 9.81 * (1 + 2 * share)], abs=1e-10)
    assert fallen.reaction([0.0])[0] == pytest.approx([0, ODD.m * 9.81 * (1 - share)], abs=1e-12)


def test_a_double_pendulum_without_gravity_keeps_its_angular_momentum():
    """It is kept about the pin, where the only force from outside acts."""
    oracle = DoublePendulum((ODD, SHORT), (0.3, -0.4), (1.0, -4.0), g=0.0)
    motions = oracle.motion(TIMES)
    total = sum(oracle.masses[n][0] * (b.x * b.vy - b.y * b.vx) + oracle.masses[n][1] * b.omega for n, b in motions.items())
    assert np.ptp(total) < 1e-12


def test_a_second_rod_hung_at_its_mass_centre_only_adds_its_mass():
    """The first rod is then a pendulum with a point mass at its end, and the second turns at a constant rate."""
    double = DoublePendulum((ODD, replace(SHORT, centre=0.0)), (0.5, 0.2), (-1.0, 3.0))
    m, centre = ODD.m + SHORT.m, (ODD.m * ODD.c + SHORT.m * ODD.length) / (ODD.m + SHORT.m)
    about_pin = ODD.J + ODD.m * ODD.c**2 + SHORT.m * ODD.length**2
    single = Pendulum(Rod(ODD.length, m, about_pin - m * centre**2, centre), angle=0.5, speed=-1.0)
    motions = double.motion(TIMES)
    assert motions["rod1"].theta == pytest.approx(single.angles(TIMES)[0], abs=1e-11)
    assert motions["rod2"].theta == pytest.approx(0.2 + 3.0 * TIMES, abs=1e-12)


def test_small_oscillations_of_a_double_pendulum():
    """Two equal slender rods have the squared frequencies (3 -+ 6/sqrt(7)) g/L."""
    size = 1e-6
    for sign in (-1, 1):
        squared = (3 + sign * 6 / np.sqrt(7)) * 9.81
        # From (4/3, 1/2; 1/2, 1/3) w^2 (a, b) = (3/2 a, 1/2 b) g/L: the mode's shape.
        ratio = (1.5 - 4 / 3 * squared / 9.81) / (0.5 * squared / 9.81)
        start = (size - np.pi / 2, size * ratio - np.pi / 2)
        found = DoublePendulum(angles=start).motion(TIMES)["rod1"].theta + np.pi / 2
        assert found == pytest.approx(size * np.cos(np.sqrt(squared) * TIMES), abs=1e-12)


def test_a_parallelogram_is_a_four_bar():
    """Both oracles, with their different kinematics, give the same motion."""
    row = ParallelFourBars(1, SHORT, angle=2.0, speed=-0.5)
    bars = FourBar(SHORT, SHORT, SHORT, ground=SHORT.length, angle=2.0, speed=-0.5)
    times = TIMES[TIMES < 0.6]
    many, one = row.motion(times), bars.motion(times)
    for name, other in (("rod0", "crank"), ("coupler1", "coupler"), ("rod1", "rocker")):
        assert many[name].states == pytest.approx(one[other].states, abs=1e-9)


def test_the_benchmark_of_parallel_four_bars():
    """Slender rods of 1 kg and 1 m from upright at 1 m/s: the energy is that of the start at any later time, and known by hand."""
    for loops in (1, 2, 40):
        row = ParallelFourBars(loops)
        by_hand = ((loops + 1) / 3 + loops) / 2 + 9.81 * ((loops + 1) / 2 + loops)
        assert row.energy([0.0, 1.0, 10.0]) == pytest.approx(by_hand, rel=1e-13)


def test_a_slider_crank_with_nothing_but_a_spring():
    """Near its dead centre it oscillates with the inertia of crank and rod and the stiffness that the geometry makes of the spring."""
    crank, rod = Rod(0.5, 1.2), Rod(1.2, 0.7)
    a, b, c = crank.length, rod.length, rod.c
    oracle = SliderCrank(crank, rod, slider=0.8, stiffness=40.0, rest=a + b - 0.1, angle=1e-6, g=0.0)
    # x = a + b - a (1 + a/b) q^2 / 2 + ..., phi = -a/b q, and the rod's centre moves by a (1 - c/b) q across.
    inertia = crank.J + crank.m * crank.c**2 + rod.J * (a / b) ** 2 + rod.m * (a * (1 - c / b)) ** 2
    assert oracle.acceleration(1e-6, 0.0) == pytest.approx(1e-6 * 40.0 * 0.1 * a * (1 + a / b) / inertia, rel=1e-9)
