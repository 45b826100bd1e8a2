"""Implicit steps that cannot be made, in sentences, and what explicit ones are spared."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sympy import tanh

from coupling import Ending, Result, Scheme, System
from coupling.kernel.system.status import Status
from coupling.live.interval import Interval
from coupling.record import Statistics
from fmu_components.catalogue import find
from fmu_components.declare.component import Component
from tests.support import foreign
from tests.support.oracles.planar import FourBar
from tests.support.systems import seven_bodies
from tests.support.systems.stepped import DERIVATIVES, component
from tests.support.systems.systems import pendulum, system_of

MOTION = ("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "alpha")


def test_large_steps_of_a_fast_mechanism():
    """A correction that is learned from every pass gets through where one that halves the violation each time ran out of passes."""
    result = system_of(FourBar(angle=1.0, speed=2.0)).simulate(0.5, communication_step=0.01, scheme="implicit")
    assert result.outcome.completed and result.statistics.passes < 8 * result.statistics.steps
    assert max(result.violation[level].max() for level in ("position", "velocity")) < 1e-10


def test_what_is_left_of_positions_hardly_shows_in_forces():
    """A force answers to a violation that is left by 2/h^2 for each kilogram, and for good; the differences are those of a smooth one."""
    h = 2e-4
    force = pendulum().simulate(0.1, communication_step=h, scheme="implicit-position")["pin.multiplier[2]"]
    assert np.abs(np.diff(force, 2))[2:].max() < 4 * 2 / h**2 * 1e-12


def test_a_mechanism_of_another_tool_between_the_points():
    """CasADi's pendulum has states of its own: its multiplier is solved for at every instant, and no scheme needs its constraints."""

    def pushed(kind, **options):
        system = System("foreign")
        system.add("dae", foreign.casadi_dae())
        system.add("unit", foreign.of_oscillator(), kind=kind)
        system.connect("unit.x", "dae.f")
        return system.simulate(1.0, rtol=1e-10, output_times=[1.0], **options)["dae.px"][-1]

    reference = pushed("me")
    assert pushed("cs", communication_step=0.005, scheme="implicit") == pytest.approx(reference, abs=1e-5)
    assert pushed("cs", communication_step=0.005, scheme=Scheme(extrapolation=2)) == pytest.approx(reference, abs=1e-5)


class Steep(Component):
    """A component with y = 0.1 - d tanh(u)."""

    def declare(self):
        d, u = self.input("d", 0.0, "", "slope"), self.input("u", 0.0, "", "argument")
        self.output("y", 0.1 - d * tanh(u), "", "value")


class Parabola(Component):
    """A component with y = d + u^2."""

    def declare(self):
        d, u = self.input("d", 0.0, "", "height"), self.input("u", 0.0, "", "argument")
        self.output("y", d + u**2, "", "value")


def closed(declared: type[Component], fmi: int, slope: float) -> Result:
    """A loop from the output to the input, without derivatives."""
    system = System("loop")
    system.add("unit", component(declared, fmi, *DERIVATIVES), kind="cs")
    system.connect("unit.y", "unit.u")
    system.drive("unit.d", lambda t: slope * t)
    return system.simulate(1.0, communication_step=0.01, scheme="implicit", output_interval=0.01)


def test_a_loop_steeper_than_repetition_bears(fmi):
    """Its slope passes 1 at 0.2 s, from where on values that are passed around would go to and fro."""
    result = closed(Steep, fmi, 5)
    assert result.outcome.completed
    y = result["unit.y"]
    assert y == pytest.approx(0.1 - 5 * result.time * np.tanh(y), abs=1e-6)


def test_inputs_that_do_not_come_to_rest(fmi):
    """The equation u = t + u^2 has no solution after 0.25 s."""
    result = closed(Parabola, fmi, 1)
    assert result.outcome.ending is Ending.NOT_SOLVED
    assert result.outcome.sentence == (
        f"stopped at t = {result.time[-1]:.9g} s: inputs at the end of a step of 0.01 s do not settle in 30 repetitions; "
        "choose a smaller communication_step, or check whether there is a solution. The result holds everything up to there"
    )
    assert 0.2 < result.time[-1] < 0.26


def test_multipliers_that_nothing_answers_to():
    """The pin gets the rod's motion, but the rod does not get the pin's force."""
    system = System("deaf")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", component(find("planar.Body1"), 2, *DERIVATIVES), {"p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    for name in MOTION:
        system.connect(f"rod.p1.{name}", f"pin.N.{name}")
    result = system.simulate(1.0, communication_step=0.01, scheme="implicit")
    assert result.outcome.ending is Ending.NOT_SOLVED
    assert result.outcome.sentence == (
        "stopped at t = 0 s: constraints do not respond to 'pin.lambda[1]', 'pin.lambda[2]' within a step; check the connections of their "
        "instances. The result holds everything up to there"
    )


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_a_motor_need_not_tell_how_it_answers(fmi, scheme):
    """Its effort on a joint, and the angle that it gets, do not affect the accelerations of the bodies that the joint connects."""

    def run(**options: object) -> np.ndarray:
        system = System("driven")
        system.add("ground", "planar.Fixed")
        system.add("pin", "planar.ActuatedRevolute")
        system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
        system.add("motor", foreign.oscillator(fmi, rollback=True), kind="cs")
        for pair in (("ground.p1", "pin.M"), ("pin.N", "rod.p1"), ("motor.x", "pin.effort"), ("pin.rotation.q", "motor.u")):
            system.connect(*pair)
        result = system.simulate(1.0, communication_step=1e-3, output_interval=0.1, **options)
        assert result.outcome.completed
        return result["rod.theta"]

    assert run(scheme=Scheme(scheme, extrapolation=2)) == pytest.approx(run(scheme="implicit-velocity"), abs=1e-5)


def test_repetitions_cost_no_more_calls_than_they_need():
    """The seven bodies show how often all connections are evaluated. They also show the work of Python for a step, however often it is
    repeated."""

    system, calls = seven_bodies.system(), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    def run(steps: int) -> tuple[Statistics, int]:
        before = calls
        sys.setprofile(count)
        try:
            result = system.simulate(1e-5 * steps, communication_step=1e-5, scheme="implicit", outputs=["link1.theta"], output_times=[0.0])
        finally:
            sys.setprofile(None)
        return result.statistics, calls - before

    run(1)  # what is done once for all runs is no part of what is counted
    (few, before), (many, after) = run(20), run(120)
    steps, passes = (getattr(many, name) - getattr(few, name) for name in ("steps", "passes"))
    # At both ends of each repetition, with the multipliers that a step goes on with, and at each point.
    assert many.evaluations - few.evaluations == 2 * passes + (passes - steps) + steps
    assert steps == 100 and passes <= 2.1 * steps
    assert (after - before) / steps <= 50


def test_what_python_raises_within_a_step_comes_out_of_it(monkeypatch):
    """An interruption while Model Exchange instances are integrated ends the run and keeps what there is; all else is raised as it is."""

    def run(problem: BaseException) -> Result:
        left = 5
        advance = Interval.advance

        def failing(self: Interval, t: float, h: float) -> Status:
            nonlocal left
            left -= 1
            if not left:
                raise problem
            return advance(self, t, h)

        monkeypatch.setattr(Interval, "advance", failing)
        try:
            system = System("lags")
            system.add("stepped", "signal.FirstOrder", {"u": 1.0}, "cs")
            system.add("between", "signal.FirstOrder", {}, "me")
            system.connect("stepped.y", "between.u")
            return system.simulate(1.0, communication_step=0.1, scheme="implicit", output_interval=0.1)
        finally:
            monkeypatch.undo()

    with pytest.raises(ZeroDivisionError, match="by nothing"):
        run(ZeroDivisionError("by nothing"))
    result = run(KeyboardInterrupt())
    assert result.outcome.ending is Ending.INTERRUPTED and 0 < result.time[-1] < 1
