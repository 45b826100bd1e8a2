"""FMUs whose equations are not known, called by the tape of all others: the same evaluations and numbers as where all FMUs are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import System
from coupling.live import fused
from tests.coupling.live.test_fused import both_ways
from tests.support.foreign import well_behaved
from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable

CURRENT = Variable("current", rate="(5.0 * sin(3.0 * time) - 2.0 * w - current) / 0.05", depends=["w", "current"])


def servo(version: int) -> Path:
    """A motor with a spring: a torque from an angle, a speed and a state of its own."""
    torque = Variable("torque", "output", value="2.0 * current - 0.3 * phi", depends=["current", "phi"])
    return export(
        Model("Servo", [Variable("phi", "input"), Variable("w", "input"), CURRENT, torque], rollback=True, serialises=True), version
    )


def arm(version: int = 3, process: str | None = None) -> System:
    system = System("arm", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.add("motor", "planar.Wrench")
    system.add("servo", servo(version), process=process)
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.connect("motor.M", "rod.p2")
    for pair in (("rod.theta", "servo.phi"), ("rod.omega", "servo.w"), ("servo.torque", "motor.Cz")):
        system.connect(*pair)
    return system


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_an_actuator_of_another_tool_is_fed_and_asked_before_the_multipliers_are_found(version, stabilisation):
    result = both_ways(lambda: arm(version), 0.5, within=1e-12, rtol=1e-9, stabilisation=stabilisation)
    assert result.statistics.handed_over == result.statistics.by_fmus == 0


def test_a_run_that_does_not_say_how_calls_all_fmus():
    """It is compared bit by bit: nobody else's FMU is called in another order, unless it is asked for."""
    unsaid, theirs = (arm().simulate(0.1, output_times=[0.1], rtol=1e-9, evaluation=evaluation) for evaluation in ("auto", "fmus"))
    assert unsaid.statistics.evaluated == fused.BY_INSTANCES and "no fast evaluation" in unsaid.summary()
    assert unsaid.outcome.warnings == theirs.outcome.warnings == []
    for name in theirs.names:
        assert list(unsaid[name]) == list(theirs[name]), name


@pytest.mark.parametrize("solver", ["cvode", "ida", "Radau"])
def test_implicit_solvers_take_the_jacobian_from_the_fmus(solver):
    result = both_ways(arm, 0.1, within=1e-6, counts=("state_events",), solver=solver, rtol=1e-8)
    assert result.statistics.by_fmus == 0


def test_compiled_code_calls_it_too():
    ours, theirs = (arm().simulate(0.3, output_times=[0.3], rtol=1e-9, evaluation=evaluation) for evaluation in ("compiled", "fmus"))
    assert ours.statistics.evaluated == fused.BY_CODE and not ours.statistics.by_fmus
    for name in theirs.names:
        assert ours[name] == pytest.approx(theirs[name], rel=0, abs=1e-12 * max(1, abs(theirs[name]).max())), name


@pytest.mark.parametrize("version", [2, 3])
def test_units_are_converted_on_both_ways(version):
    """A spring in mm, mm/s and kN for a mass in m, m/s and N, with half of its force and 2 N besides."""
    taken = [Variable("s", "input", unit="mm"), Variable("v", "input", unit="mm/s")]
    force = Variable("f", "output", unit="kN", value="-5e-5 * s - 1e-6 * v", depends=["s", "v"])
    spring = export(Model("Spring", [*taken, force]), version)

    def swinging() -> System:
        system = System("swinging")
        system.add("spring", spring)
        system.add("force", "mechanical1d.Force")
        system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 0.1})
        system.connect("force.flange", "mass.flange")
        system.connect("mass.s", "spring.s")
        system.connect("mass.v", "spring.v")
        system.connect("spring.f", "force.force", factor=0.5, offset=2.0)
        return system

    result = both_ways(swinging, 0.5, within=1e-12, rtol=1e-9)
    assert result.statistics.by_fmus == 0
    assert result["spring.f"] == pytest.approx(-5e-2 * result["mass.s"] - 1e-3 * result["mass.v"], rel=1e-12)


def test_its_events_are_those_of_the_run():
    """A push that grows from one time event on, and falls at each state event."""

    def pushed() -> System:
        system = System("pushed")
        system.add("source", well_behaved.two_events())
        system.add("force", "mechanical1d.Force")
        system.add("mass", "mechanical1d.Mass")
        system.connect("force.flange", "mass.flange")
        system.connect("source.y", "force.force")
        return system

    result = both_ways(pushed, 1.2, rtol=1e-9)
    assert result.statistics.state_events and result.statistics.time_events


def test_what_is_solved_for_together_with_it_stays_with_the_fmus():
    """It says nothing of what depends on what, so that its force and the mass's acceleration may be a loop."""
    system = System("tied")
    system.add("first", well_behaved.mass_spring())
    system.add("second", "mechanical1d.Mass")
    system.add("tie", "mechanical1d.SpringDamper1D", {"k": 30.0})
    for pair in (("first.x", "tie.M.s"), ("first.v", "tie.M.v"), ("tie.M.f", "first.f")):
        system.connect(*pair)
    system.drive("tie.M.a", 0.0)
    system.connect("tie.N", "second.flange")
    result = system.simulate(0.01, evaluation="tape")
    (said,) = (each for each in result.outcome.warnings if each.startswith("evaluation"))
    assert said.startswith("evaluation = 'tape': 'first") and "whose equations are not known" in said
    assert result.statistics.evaluated == fused.BY_INSTANCES


def test_what_is_fed_from_multipliers_stays_with_the_fmus():
    system = arm()
    system.add("meter", export(Model("Meter", [Variable("f", "input"), Variable("y", rate="f", depends=["f"])]), 3))
    system.connect("pin.N.Fx", "meter.f")
    result = system.simulate(0.01, evaluation="tape")
    assert result.outcome.warnings == [
        "evaluation = 'tape': 'pin.N.Fx' goes to an FMU whose equations are not known and itself follows from multipliers or "
        "from outputs of such an FMU; derivatives were found by the FMUs"
    ]
