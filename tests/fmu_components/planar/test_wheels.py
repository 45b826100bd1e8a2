"""Wheels on the plane and a disc on a line: closed forms where they roll, SciPy with the law of friction written anew where they slip."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from jourdain import StartError, System
from tests.support.systems.systems import refusal

PEAK, FINAL, ADHESION, SLIDING = 0.9, 0.5, 0.2, 0.7


def friction(slip: float, adhesion: float = ADHESION, sliding: float = SLIDING) -> float:
    """The coefficient over a speed of slip: cubic from 0 to the peak, cubic from there to sliding."""
    if slip <= adhesion:
        x = slip / adhesion
        return PEAK * (3 * x - x**3) / 2
    x = min((2 * slip - adhesion - sliding) / (sliding - adhesion), 1.0)
    return (FINAL + PEAK) / 2 + (FINAL - PEAK) / 2 * (3 * x - x**3) / 2


LAW = {"adhesion.mu": PEAK, "sliding.mu": FINAL, "adhesion.speed": ADHESION, "sliding.speed": SLIDING}


def unicycle(wheel: str, body: dict[str, float], axle: dict[str, float], **values: float) -> System:
    """One wheel under the middle of a body, with its axle."""
    system = System("unicycle")
    system.add("body", "planar.Body2", {"gy": 0.0, **body})
    system.add("axle", "mechanical1d.Inertia", axle)
    system.add("wheel", wheel, values)
    system.connect("body.p1", "wheel.M")
    system.connect("axle.flange", "wheel.axle")
    return system


def test_an_ideal_wheel_is_driven_in_a_circle():
    """A torque T at the axle and a constant turning w: a = T/R/(m + I/R^2) along the wheel; the force across it is m v w; the path by SciPy."""
    m, inertia, R, T, w = 3.0, 0.2, 0.25, 1.5, 0.8
    system = unicycle("planar.IdealWheel", {"m": m, "omega": w}, {"I": inertia}, radius=R)
    system.add("torque", "mechanical1d.Torque", {"torque": T})
    system.connect("axle.flange", "torque.flange")
    result = system.simulate(2.0, rtol=1e-11, output_times=[0, 1.0, 2.0])
    a = T / R / (m + inertia / R**2)
    assert result["axle.w"] == pytest.approx(a * result.time / R, abs=1e-9)
    path = solve_ivp(
        lambda t, _: [a * t * np.cos(w * t), a * t * np.sin(w * t)],
        (0, 2),
        [0, 0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=[0, 1.0, 2.0],
    ).y
    assert [result["body.x"], result["body.y"]] == [pytest.approx(row, abs=1e-8) for row in path]
    assert result["wheel.multiplier[1]"] == pytest.approx(np.full(3, m * a), abs=1e-8)
    assert result["wheel.multiplier[2]"] == pytest.approx(m * a * result.time * w, abs=1e-8)


@pytest.mark.parametrize("kind", ["planar.FrictionWheel", "planar.SlipWheel"])
def test_a_wheel_that_slips(kind):
    """It lands askew on the plane with its axle at rest; the body turns, and a signal adds to the load."""
    m, inertia, R, w, load, slips = 3.0, 0.02, 0.25, 0.3, 20.0, (0.05, 0.3)
    values = {"radius": R, "load": load, **LAW}
    if kind == "planar.SlipWheel":
        values |= {"adhesion.slip": slips[0], "sliding.slip": slips[1]}
    system = unicycle(kind, {"m": m, "omega": w, "vx": 3.0, "vy": 0.7}, {"I": inertia}, **values)
    system.drive("wheel.transfer", lambda t: 5.0 * np.sin(3 * t))
    times = np.linspace(0, 2.0, 9)
    result = system.simulate(2.0, rtol=1e-11, output_times=times, max_step=0.02)

    def rates(t, state):
        vx, vy, axle = state
        c, s = np.cos(w * t), np.sin(w * t)
        along, across = vx * c + vy * s - R * axle, vy * c - vx * s
        slip = np.hypot(along, across)
        limits = (ADHESION, SLIDING)
        if kind == "planar.SlipWheel":
            limits = tuple(max(v, k * R * abs(axle)) for v, k in zip(limits, slips, strict=True))
        pull = (load + 5.0 * np.sin(3 * t)) * friction(slip, *limits) / slip if slip else 0.0
        return [-pull * (along * c - across * s) / m, -pull * (along * s + across * c) / m, R * pull * along / inertia]

    expected = solve_ivp(rates, (0, 2), [3.0, 0.7, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times, max_step=0.01).y
    for name, row in zip(("body.vx", "body.vy", "axle.w"), expected, strict=True):
        assert result[name] == pytest.approx(row, abs=1e-8), name


@pytest.mark.slow
def test_a_disc_slips_down_a_slope_until_it_rolls():
    """Thrown with backspin on a slope; the normal force, the multiplier, is m g cos of the slope less nothing, and SciPy does the rest."""
    m, inertia, R, slope, g = 2.0, 0.04, 0.2, 0.3, 9.81
    system = System("slip")
    system.add("ground", "planar.Fixed", {"p1.angle": -slope})
    system.add("contact", "planar.SlippingDisc", {"radius": R, **LAW})
    start = {"x": R * np.sin(slope), "y": R * np.cos(slope), "vx": 2 * np.cos(slope), "vy": -2 * np.sin(slope), "omega": 15.0}
    system.add("disc", "planar.Body1", {"m": m, "I": inertia, **start})
    system.connect("ground.p1", "contact.M")
    system.connect("disc.p1", "contact.N")
    times = np.linspace(0, 1.5, 7)
    result = system.simulate(1.5, rtol=1e-11, output_times=times, max_step=0.02)
    normal = m * g * np.cos(slope)

    def rates(_, state):
        _, v, w = state
        slip = v + R * w
        force = -normal * friction(abs(slip)) * np.sign(slip)
        return [v, g * np.sin(slope) + force / m, R * force / inertia]

    expected = solve_ivp(rates, (0, 1.5), [0.0, 2.0, 15.0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times, max_step=0.005).y
    along = result["disc.x"] * np.cos(slope) - result["disc.y"] * np.sin(slope)
    assert along == pytest.approx(expected[0], abs=1e-8)
    assert result["disc.omega"] == pytest.approx(expected[2], abs=1e-7)
    assert result["contact.contact.normal"] == pytest.approx(np.full(7, normal), rel=1e-9)


def test_speeds_in_the_wrong_order_are_refused():
    """Adhesion comes before sliding."""
    system = unicycle("planar.FrictionWheel", {}, {}, **{"adhesion.speed": 2.0, "sliding.speed": 1.0})
    assert "sliding.speed is greater than adhesion.speed" in refusal(lambda: system.simulate(1.0), StartError)


def test_slips_of_a_tyre_have_the_same_order():
    """Its FMU takes a minute to build: the declaration says the same."""
    conditions = declaration(find("planar.SlipWheel")).conditions
    assert [each.text for each in conditions] == [f"sliding.{each} is greater than adhesion.{each}" for each in ("speed", "slip")]
    for each, quantity in zip(conditions, ("speed", "slip"), strict=True):
        values = {f"sliding.{quantity}": 1.0, f"adhesion.{quantity}": 2.0}
        assert float(each.expression.subs({symbol: values[symbol.name] for symbol in each.expression.free_symbols})) == -1.0
