"""Model Exchange instances between the communication points of others."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import BuildError, Result, Scheme, System
from tests.support.oracles.planar import DoublePendulum
from tests.support.runtime.runtime_components import BouncingBall
from tests.support.systems.systems import refusal


def swing(communication_step: float | None) -> Result:
    """A pendulum with ideal joints; with a step, beside a lag that runs in Co-Simulation and feeds another, whose values are huge."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed", kind="me")
    system.add("pin", "planar.Revolute", kind="me")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5}, "me")
    system.connect("ground.p1", "pin.M")
    system.connect("rod.p1", "pin.N")
    if communication_step is not None:
        system.add("stepped", "signal.FirstOrder", {"u": 1.0, "x": 1.0}, "cs")
        system.add("huge", "signal.FirstOrder", {"k": 1e13}, "me")
        system.connect("stepped.y", "huge.u")
    return system.simulate(1.0, communication_step=communication_step, output_times=[0.0, 0.5, 1.0], value_limit=None)


def test_a_mechanism_between_the_points_moves_as_it_does_alone() -> None:
    """Derivatives that change at events only, such as 1/m, are known there from the start; large states do not hide that they are not."""
    alone, between = swing(None), swing(0.01)
    assert between.violation["position"].max() < 1e-9
    assert between["rod.theta"] == pytest.approx(alone["rod.theta"], abs=1e-7)


def double_pendulum(stepped: str) -> System:
    """Two rods: those that are named in Co-Simulation, the other between the points; joints of both sorts at the points."""
    oracle = DoublePendulum()
    system = System("double pendulum")
    for name, (component, values) in oracle.parts.items():
        system.add(name, component, values, "cs" if name in stepped.split() else "me")
    for a, b in oracle.connections:
        system.connect(a, b)
    return system


@pytest.mark.parametrize("stepped", ["rod1", "rod2"])
@pytest.mark.parametrize(
    ("scheme", "degree", "order"),
    [
        ("explicit", 0, 1),
        ("explicit", 2, 3),
        ("gauss-seidel", 2, 3),
        ("implicit", 1, 4),
        ("implicit-velocity", 1, 4),
        ("implicit-position", 1, 4),
    ],
)
def test_order_of_a_mixed_system(stepped, scheme, degree, order):
    """The angles of both rods converge as fast as if both stepped by themselves, whichever does; joints between the points are ideal at
    each instant."""
    system, exact = double_pendulum(stepped), double_pendulum("")
    reference = exact.simulate(0.5, rtol=1e-12, output_interval=0.5)
    errors = []
    for steps in (100, 200):
        result = system.simulate(
            0.5, communication_step=0.5 / steps, scheme=Scheme(scheme, extrapolation=degree), rtol=1e-12, output_interval=0.5
        )
        assert result.outcome.completed
        errors.append(max(abs(result[f"{rod}.theta"][-1] - reference[f"{rod}.theta"][-1]) for rod in ("rod1", "rod2")))
    assert np.log2(errors[0] / errors[1]) > order - 0.15


def test_stiff_solvers_do_not_run_between_points():
    system = double_pendulum("rod1")
    assert refusal(lambda: system.simulate(0.1, communication_step=0.01, solver="cvode")) == (
        "solver = 'cvode' cannot integrate the Model Exchange instances between communication points, such as 'rod2'; choose 'dopri5' or "
        "'dop853', or run them in Co-Simulation"
    )


def test_a_ball_bounces_between_the_points():
    """Its events are located within the intervals, and the point after each is reported."""
    system = System("ball")
    system.add("ball", BouncingBall, kind="me")
    system.add("lag", "signal.FirstOrder", kind="cs")
    system.connect("ball.height", "lag.u")
    result = system.simulate(1.0, communication_step=0.03, output_times=[1.0])
    landing = np.sqrt(2 / 9.81)
    flight = 1.0 - landing
    assert result["ball.height"][-1] == pytest.approx(0.8 * 9.81 * landing * flight - 9.81 * flight**2 / 2, abs=1e-9)
    assert result.statistics.steps >= 34


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"solver": "dop853"}, "solver = 'dop853' has no effect: {NONE}"),
        ({"atol": 1e-9}, "atol = 1e-09 has no effect: {NONE}"),
        (
            {"max_step": 0.005},
            "max_step = 0.005 s has no effect on steps that are fixed at communication_step = 0.01 s; choose a shorter communication_step, or "
            "Scheme(step_control='adaptive')",
        ),
        (
            {"scheme": Scheme("implicit", extrapolation=2)},
            "extrapolation = 2 has no effect with scheme = 'implicit', which finds the inputs at the end of each step; leave it out",
        ),
    ],
)
def test_options_without_effect_are_refused(options: dict[str, object], sentence: str) -> None:
    """The options have no effect where all instances step by themselves; they count where rods are integrated."""
    none = (
        "no Model Exchange instance with states is integrated between the communication points; leave it out, or give "
        "instances kind='me'. Co-Simulation instances receive rtol"
    )
    assert refusal(lambda: double_pendulum("rod1 rod2").simulate(0.1, communication_step=0.01, **options), BuildError) == sentence.format(
        NONE=none
    )
    if "scheme" not in options:
        assert double_pendulum("rod1").simulate(0.02, communication_step=0.01, **options).outcome.completed
