"""Parts between masses and shafts: long masses, elastic gaps, springs and dampers in series, brakes, and loads by speed."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.components.circuits import circuit, event_times, run
from tests.support.systems.mechanism import Mechanism

FINE = {"solver": "dop853", "rtol": 1e-11}


def test_the_ends_of_a_long_mass():
    """Both ends move with the middle, and the forces at both accelerate it."""
    result = run(
        circuit(
            {
                "car": ("mechanical1d.LongMass", {"m": 4.0, "length": 0.6, "s": 1.0, "v": 0.5}),
                "push": ("mechanical1d.Force", {"force": 3.0}),
                "pull": ("mechanical1d.Force", {"force": 5.0}),
            },
            [("car.lower", "push.flange"), ("car.upper", "pull.flange")],
        ),
        2.0,
        **FINE,
    )
    assert result["car.s"][-1] == pytest.approx(1 + 0.5 * 2 + 8 / 4 * 2**2 / 2, rel=1e-12)
    assert result["car.lower.s"] == pytest.approx(result["car.s"] - 0.3, rel=1e-14)
    assert result["car.upper.s"] == pytest.approx(result["car.s"] + 0.3, rel=1e-14)
    assert result["car.energy.kinetic"][-1] == pytest.approx(4 * 4.5**2 / 2, rel=1e-12)


@pytest.mark.parametrize("rotational", [False, True])
def test_an_elastic_gap_gives_back_what_its_damping_leaves(rotational):
    """A mass meets the contact at v, and leaves at v exp(-D (pi - 2 atan2(...))/...) where the force falls to zero: it never pulls."""
    m, k, c, v = 2.0, 5e3, 30.0, 1.5
    part, mass, s, speed = ("RotationalElasticGap", "Inertia", "phi", "w") if rotational else ("ElasticGap", "Mass", "s", "v")
    wall = "wall.shaft" if rotational else "wall.flange"
    result = run(
        circuit(
            {
                "wall": ("mechanical1d.Fixed1D", {}),
                "mass": (f"mechanical1d.{mass}", {"I" if rotational else "m": m, s: 0.3, speed: -v}),
                "gap": (f"mechanical1d.{part}", {"gap": 0.1, "k": k, "c": c}),
            },
            [(wall, "gap.M"), ("mass.flange", "gap.N")],
        ),
        0.4,
        output_times=np.linspace(0, 0.4, 401),
        **FINE,
    )
    decay = c / (2 * m)
    w = sqrt(k / m - decay**2)
    lasts = atan2(2 * decay * w, decay**2 - w**2) / w  # until k depth - c speed is 0
    lasts += 2 * pi / w if lasts < 0 else 0
    touch = 0.2 / v
    assert event_times(result) == pytest.approx([touch, touch + lasts], abs=1e-9)
    force = result["gap.torque" if rotational else "gap.force"]
    assert force.min() > -1e-9 and force.max() > 100  # at the event itself it is 0 to rounding
    after = v * exp(-decay * lasts)
    assert result[f"mass.{speed}"][-1] == pytest.approx(after, rel=1e-8)
    assert after < 0.95 * v


def test_an_elastic_gap_under_a_sine():
    """A mass between two stops that a sine pushes touches both, forwards and backwards: the motion is that of SciPy, piece by piece."""
    m, k, c = 1.0, 2e3, 10.0

    def rates(t, y):
        low, high = -0.05 - y[0], y[0] - 0.05
        force = 20 * np.sin(5 * t)
        force += max(0.0, k * low - c * y[1]) if low > 0 else 0.0
        force -= max(0.0, k * high + c * y[1]) if high > 0 else 0.0
        return [y[1], force / m]

    times = np.linspace(0, 3, 61)
    system = circuit(
        {
            "wall": ("mechanical1d.Fixed1D", {}),
            "mass": ("mechanical1d.Mass", {"m": m}),
            "push": ("mechanical1d.Force", {}),
            "low": ("mechanical1d.ElasticGap", {"gap": -0.05, "k": k, "c": c}),
            "high": ("mechanical1d.ElasticGap", {"gap": -0.05, "k": k, "c": c}),
        },
        [
            ("wall.flange", "low.M"),
            ("mass.flange", "low.N"),
            ("mass.flange", "high.M"),
            ("wall.flange", "high.N"),
            ("mass.flange", "push.flange"),
        ],
        {"push.force": lambda t: 20 * np.sin(5 * t)},
    )
    result = run(system, 3.0, output_times=times, **FINE)
    switches = event_times(result)
    y, exact = np.zeros(2), {}
    for t0, t1 in pairwise(np.unique([*times, *switches])):  # SciPy restarts at each switch, since its order is lost there
        y = solve_ivp(rates, (t0, t1), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        exact[t1] = y[0]
    assert result.resample(times)["mass.s"][1:] == pytest.approx([exact[t] for t in times[1:]], abs=1e-8)
    assert len(switches) >= 8 and result["low.force"].max() > 20 and result["high.force"].max() > 20


def test_a_spring_and_a_damper_in_series_relax():
    """A constant extension relaxes as exp(-k t/b); under a constant force the damper creeps at f/b."""
    k, b = 800.0, 160.0
    held = circuit(
        {
            "one": ("mechanical1d.Fixed1D", {}),
            "two": ("mechanical1d.Fixed1D", {"position": 0.3}),
            "part": ("mechanical1d.SeriesSpringDamper", {"k": k, "b": b}),
        },
        [("one.flange", "part.M"), ("two.flange", "part.N")],
    )
    result = run(held, 0.5, output_times=np.linspace(0, 0.5, 6), **FINE)
    assert result["part.tension"] == pytest.approx(k * 0.3 * np.exp(-k / b * result.time), rel=1e-9)
    spent = k * 0.3**2 / 2 * (1 - np.exp(-2 * k / b * 0.5))
    assert result["part.energy"][0] - result["part.energy"][-1] == pytest.approx(spent, rel=1e-8)
    assert result["part.loss"] == pytest.approx(result["part.tension"] ** 2 / b, rel=1e-12)
    pulled = circuit(
        {
            "wall": ("mechanical1d.Fixed1D", {}),
            "mass": ("mechanical1d.Mass", {"m": 0.2, "s": 0.1, "v": 40 / b}),
            "pull": ("mechanical1d.Force", {"force": 40.0}),
            "part": ("mechanical1d.SeriesSpringDamper", {"k": k, "b": b, "rest": 0.1 - 40 / k}),
        },
        [("wall.flange", "part.M"), ("mass.flange", "part.N"), ("mass.flange", "pull.flange")],
    )
    assert run(pulled, 2.0, **FINE)["mass.s"][-1] == pytest.approx(0.1 + 2 * 40 / b, rel=1e-9)


def test_a_brake_on_a_line_under_a_sine():
    """It sticks up to mu surfaces force and slips against it in both directions; the times of the first cycle are those by hand."""
    m, limit, amplitude, w = 2.0, 8.0, 20.0, 4.0
    system = circuit(
        {
            "wall": ("mechanical1d.Fixed1D", {}),
            "mass": ("mechanical1d.Mass", {"m": m}),
            "push": ("mechanical1d.Force", {}),
            "brake": ("mechanical1d.LineBrake", {"force": 10.0, "mu": 0.4, "surfaces": 2.0}),
            "lost": ("signal.Integrator", {}),
        },
        [("wall.flange", "brake.M"), ("mass.flange", "brake.N"), ("mass.flange", "push.flange"), ("brake.loss", "lost.u")],
        {"push.force": lambda t: amplitude * np.sin(w * t)},
    )
    result = run(system, 3.0, output_times=np.linspace(0, 3.0, 301), **FINE)
    starts = np.arcsin(limit / amplitude) / w
    assert event_times(result)[0] == pytest.approx(starts, abs=1e-9)
    sliding = (result.time > starts) & (result.time < 0.6)
    t = result.time[sliding]
    exact = (amplitude / w * (np.cos(w * starts) - np.cos(w * t)) - limit * (t - starts)) / m
    assert result["mass.v"][sliding] == pytest.approx(exact, abs=1e-8)
    force, v = result["brake.multiplier[1]"], result["mass.v"]
    assert force[v > 1e-9] == pytest.approx(-limit) and force[v < -1e-9] == pytest.approx(limit)
    assert (v > 0.1).any() and (v < -0.1).any()
    assert result["lost.y"][-1] == pytest.approx(np.trapezoid(limit * abs(v), result.time), rel=1e-3)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_eddy_current_brake(sign):
    """A flywheel slows by ln(w0/w) + (w0^2 - w^2)/(2 critical^2) = 2 peak excitation^2 t/(I critical), in both directions."""
    inertia, peak, critical, w0, share, t = 0.1, 12.0, 50.0, 150.0, 0.8, 4.0
    result = run(
        circuit(
            {
                "wall": ("mechanical1d.Fixed1D", {}),
                "wheel": ("mechanical1d.Inertia", {"I": inertia, "w": sign * w0}),
                "brake": ("mechanical1d.EddyCurrentBrake", {"peak": peak, "critical": critical, "excitation": share}),
            },
            [("wall.shaft", "brake.M"), ("wheel.flange", "brake.N")],
        ),
        t,
        **FINE,
    )
    w = sign * result["wheel.w"][-1]
    assert log(w0 / w) + (w0**2 - w**2) / (2 * critical**2) == pytest.approx(2 * peak * share**2 * t / (inertia * critical), rel=1e-8)
    assert w < critical < w0
    assert result["brake.loss"] == pytest.approx(-result["brake.torque"] * result["brake.slip"], rel=1e-12)


def test_the_torque_by_speed():
    """Each part alone and all together, in both directions; below the slow speed the torque goes to zero."""
    load = {"steady": 3.0, "linear": 0.2, "quadratic": 0.05, "power": 40.0, "slow": 0.1}

    def torque(w, **values):
        parts = {"wheel": ("mechanical1d.Inertia", {"w": w}), "load": ("mechanical1d.SpeedTorque", values)}
        with Mechanism(parts, [("wheel.flange", "load.flange")]) as mechanism:
            mechanism.evaluate()
            assert mechanism["load.loss"] == pytest.approx(-w * mechanism["load.torque"], rel=1e-14)
            return mechanism["load.torque"]

    for w in (-7.0, 7.0):
        assert torque(w, steady=3.0) == pytest.approx(-3 * np.sign(w), rel=1e-12)
        assert torque(w, quadratic=0.05) == pytest.approx(-0.05 * w * abs(w), rel=1e-13)
        assert torque(w, power=40.0) == pytest.approx(-40 / w, rel=1e-13)
        assert torque(w, **load) == pytest.approx(-(3 * np.sign(w) + 0.2 * w + 0.05 * w * abs(w) + 40 / w), rel=1e-12)
    assert torque(0.05, power=40.0) == pytest.approx(-40 * 0.05 / 0.1**2, rel=1e-13)
    assert torque(0.0, **load) == 0


@pytest.mark.parametrize(
    ("part", "values", "text"),
    [
        ("EddyCurrentBrake", {"excitation": 2.0}, "magnetisation"),
        ("LineBrake", {"mu": 1.2}, "it is expected that mu is at most 1, as of linings and pads"),
    ],
)
def test_values_beyond_the_law_are_warned_of(part, values, text):
    mass, flange = ("Inertia", "shaft") if part == "EddyCurrentBrake" else ("Mass", "flange")
    parts = {"wall": ("mechanical1d.Fixed1D", {}), "mass": (f"mechanical1d.{mass}", {}), "part": (f"mechanical1d.{part}", values)}
    outcome = circuit(parts, [(f"wall.{flange}", "part.M"), ("mass.flange", "part.N")]).simulate(0.1).outcome
    assert outcome.completed and any(text in each for each in outcome.warnings), outcome
