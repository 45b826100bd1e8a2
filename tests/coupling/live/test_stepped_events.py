"""Events of Co-Simulation instances: located inside their steps (FMI 2), or reported in Event Mode (FMI 3)."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import Result, Scheme, System
from fmu_components.export.build import cached_fmu
from tests.support.foreign import Model, Variable, export
from tests.support.runtime.runtime_components import BouncingBall, Relay, SawTooth, Stair

SCHEMES = ("explicit", "gauss-seidel", "implicit")


def stepped_on(start: float, *, beside: bool = False) -> System:
    """An inertia of 1 kg m2, on which 1 N m acts from a time on; with a Model Exchange instance that has states beside it, or without."""
    system = System("stepped on")
    system.add("inertia", "mechanical1d.Inertia")
    system.add("torque", "mechanical1d.Torque")
    system.add("step", "signal.Step", {"start": start})
    system.connect("torque.flange", "inertia.flange")
    system.connect("step.y", "torque.torque")
    if beside:
        system.add("other", "mechanical1d.Inertia", kind="me")
    return system


CONTROLS = [*((scheme, "fixed") for scheme in SCHEMES), ("explicit", "adaptive"), ("implicit", "adaptive"), ("explicit", "power")]


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("start", [1.2345, 0.3])
@pytest.mark.parametrize(("scheme", "control"), CONTROLS)
def test_a_time_event_of_a_signal_acts_from_then_on(scheme, control, start, beside):
    """It does so even if only rounding separates it from a communication point, as 0.3 from 3 times 0.1; repeated steps forget none."""
    result = stepped_on(start, beside=beside).simulate(2.0, communication_step=0.1, scheme=Scheme(scheme, step_control=control))
    assert result.outcome.completed
    assert result["inertia.w"][-1] == pytest.approx(2.0 - start, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_table_jumps_at_a_point(scheme):
    """The value after the jump does not affect the step before it."""
    system = System("jump")
    system.add("inertia", "mechanical1d.Inertia")
    system.drive("inertia.flange.tau", [(0, 0), (1.03, 0), (1.03, 1.0)])
    result = system.simulate(2.0, communication_step=0.1, scheme=scheme)
    assert result["inertia.w"][-1] == pytest.approx(0.97, abs=1e-9)


def alone(component, fmi: int, stop: float, step: float, scheme: str) -> Result:
    system = System("alone")
    system.add("x", cached_fmu(component, fmi), kind="cs")
    return system.simulate(stop, communication_step=step, scheme=scheme, output_times=[stop])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_events_are_counted_by_their_kinds(scheme):
    """State events where a ball and a saw jump, a time event where a stair rises, as in Model Exchange."""
    for component, kinds in ((BouncingBall, (4, 0, 0)), (SawTooth, (4, 0, 0)), (Stair, (0, 1, 0))):
        s = alone(component, 3, 1.5, 0.01, scheme).statistics
        assert (s.state_events, s.time_events, s.step_events) == kinds and s.events == sum(kinds), component


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_ball_bounces(fmi, scheme):
    """It bounces twice in 1.5 s; in Event Mode all go back to each bounce, which has a row before and a row after it."""
    result = alone(BouncingBall, fmi, 1.5, 0.01, scheme)
    landing = np.sqrt(2 / 9.81)
    second = landing * (1 + 2 * 0.8)
    flight, speed = 1.5 - second, 0.8**2 * 9.81 * landing
    assert result["x.height"][-1] == pytest.approx(speed * flight - 9.81 * flight**2 / 2, abs=1e-9)
    if fmi == 3:
        assert result.time[:-1] == pytest.approx(np.repeat([landing, second], 2), abs=1e-9)
        assert result["x.height"][:-1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_stair_is_climbed(fmi, scheme):
    """Its time events are known beforehand, and become points."""
    result = alone(Stair, fmi, 2.5, 0.07, scheme)
    assert result["x.height"][-1] == 0.5
    if fmi == 3:
        assert list(result.time) == [1.0, 1.0, 2.0, 2.0, 2.5]
        assert list(result["x.height"]) == [0.0, 0.25, 0.25, 0.5, 0.5]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_saw_tooth(fmi, scheme):
    """Eight restarts, more than one in some steps."""
    result = alone(SawTooth, fmi, 2.5, 0.4, scheme)
    assert result["x.left"][-1] == pytest.approx(0.2, abs=1e-9)


def test_a_relay_switches_with_its_input(fmi):
    """Extrapolated quadratically, the input crosses the threshold where the function does that it stands for."""
    exact, stepped = System("exact"), System("stepped")
    exact.add("x", Relay)
    stepped.add("x", cached_fmu(Relay, fmi), kind="cs")
    for system in (exact, stepped):
        system.drive("x.u", lambda t: np.sin(3 * t))
    reference = exact.simulate(3.0)
    result = stepped.simulate(3.0, communication_step=0.005, scheme=Scheme(extrapolation=2))
    assert result["x.since"][-1] == pytest.approx(reference["x.since"][-1], abs=1e-6)
    assert result["x.lost"][-1] == pytest.approx(reference["x.lost"][-1], abs=1e-6)


def test_all_go_back_to_an_event():
    """The follower of the ball has a point at each bounce, and gets the parabolas between bounces exactly, since inputs are polynomials."""
    system = System("followed")
    system.add("ball", cached_fmu(BouncingBall, 3), kind="cs")
    system.add("lag", "signal.FirstOrder", {"T": 0.1}, kind="cs")
    system.connect("ball.height", "lag.u")
    exact = System("exact")
    exact.add("ball", BouncingBall)
    exact.add("lag", "signal.FirstOrder", {"T": 0.1})
    exact.connect("ball.height", "lag.u")
    reference = exact.simulate(1.0, rtol=1e-11, output_times=[1.0])["lag.y"][-1]
    result = system.simulate(1.0, communication_step=0.03, scheme=Scheme(extrapolation=2), rtol=1e-11, output_times=[1.0])
    assert result["lag.y"][-1] == pytest.approx(reference, abs=1e-9)


@pytest.mark.parametrize("saves", [False, True])
def test_an_event_that_one_meets_alone_is_noted(saves):
    """The ball flies exactly as alone. Where a follower cannot go back, a note says so once, and why."""
    follower = Model("Follower", [Variable("u", "input"), Variable("z", "output", rate="u")], rollback=saves, kinds=("cs",))
    system = System("followed")
    system.add("ball", cached_fmu(BouncingBall, 3), kind="cs")
    system.add("follower", export(follower, 3), kind="cs")
    system.connect("ball.height", "follower.u")
    result = system.simulate(1.5, communication_step=0.03)
    landing = np.sqrt(2 / 9.81)
    second = landing * (1 + 2 * 0.8)
    flight, speed = 1.5 - second, 0.8**2 * 9.81 * landing
    assert result["ball.height"][-1] == pytest.approx(speed * flight - 9.81 * flight**2 / 2, abs=1e-9)
    assert np.any(np.abs(result.time - landing) < 1e-9) == saves
    notes = [note for note in result.outcome.notes if "events within steps were handled by" in note]
    assert len(notes) == (not saves)
    if not saves:
        assert (
            "by 'ball' (4) alone, and the others learned of them at the next point, because the state of 'follower' cannot be saved; "
            in notes[0]
        )  # it lands and leaves twice
