"""Endings of runs, and the sentences that report them."""

from __future__ import annotations

import re

import pytest
from sympy import Piecewise

from coupling import Ending, Outcome, Result, System
from fmu_components.declare.component import Component
from fmu_components.declare.ports import TRANSLATIONAL, Side
from tests.support import foreign
from tests.support.systems.systems import pendulum


def run(path: object, **options: object) -> Result:
    system = System()
    system.add("osc", path)
    return system.simulate(1.0, **options)  # type: ignore[arg-type]


KEPT = "The result holds everything up to there"


def test_a_completed_run() -> None:
    """Its outcome is true to itself and to a user who asks."""
    outcome = pendulum().simulate(0.25).outcome
    assert outcome.completed and outcome.ending is Ending.COMPLETED
    assert (str(outcome), outcome.warnings) == ("completed at t = 0.25 s", [])


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_that_fails(version: int) -> None:
    """Its own words are passed on, with its name, what it was asked for, and when."""
    outcome = run(foreign.fails_at(0.5, version=version)).outcome
    assert not outcome.completed and outcome.ending is Ending.FMU_FAILED
    assert outcome.sentence.startswith("stopped at t = 0.")
    assert "'osc' (Oscillator.fmu) returned 'error' at t = 0.5" in outcome.sentence
    assert outcome.sentence.endswith(f": {foreign.BURNT_OUT}; see the FMU's documentation for the cause. {KEPT}")


def test_an_fmu_that_has_no_value_from_a_time_on() -> None:
    """Shorter steps approach that time, and the result holds everything up to there."""
    result = run(foreign.discards_at(0.5))
    assert result.outcome.ending is Ending.FMU_FAILED and foreign.NOT_YET in result.outcome.sentence
    assert 0.49 < result.time[-1] <= 0.5


def test_too_many_steps() -> None:
    """The remedy names the options."""
    outcome = pendulum().simulate(10.0, max_steps=5).outcome
    assert outcome.ending is Ending.TOO_MANY_STEPS
    assert outcome.sentence.endswith(
        f" s after max_steps = 5 steps; raise max_steps, loosen rtol = 1e-08, or, if the system is stiff, choose solver='cvode'. {KEPT}"
    )


def test_warnings_stand_below_the_sentence() -> None:
    """Each has a line of its own."""
    outcome = Outcome(Ending.COMPLETED, "completed at t = 1 s", ["a is redundant", "b jumps"])
    assert str(outcome) == "completed at t = 1 s\nWarning: a is redundant\nWarning: b jumps"


def test_a_kink_without_an_event_is_named() -> None:
    """The run is completed, and the state whose derivative jumps is named in a warning."""
    system = System()
    system.add("slope", foreign.hidden_jump(0.5))
    (warning,) = system.simulate(1.0).outcome.warnings
    assert re.fullmatch(
        r"the step at t = (0\.5|0\.49999\d*) s was rejected \d+ times because of 'slope\.x', whose derivative seems to be discontinuous there "
        "without an event; let its FMU signal an event, or treat values after it with caution",
        warning,
    )


class Wall(Component):
    """Wall: pushes up what is below 0, by a spring and a damper."""

    def declare(self):
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "what it pushes")
        k, b = self.parameter("k", 1e7, "N/m", "stiffness"), self.parameter("b", 0.0, "N.s/m", "damping")
        self.gives(flange, self.output("force", Piecewise((-k * flange.s - b * flange.v, flange.s < 0), (0, True)), "N", "force"))


@pytest.mark.parametrize("evaluation", ["tape", "fmus"])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e7, 0.0), (1e7, 1e3), (0.0, 0.3)])
def test_a_stiff_wall_is_no_jump(stiffness, damping, evaluation):
    """The force of a spring is steep and begins at 0; that of a damper jumps at the first touch. Neither signals an event."""
    system = System()
    system.add("mass", "mechanical1d.Mass", {"m": 1.0, "s": 1.0})
    system.add("weight", "mechanical1d.Force")
    system.connect("weight.flange", "mass.flange")
    system.drive("weight.force", -9.81)
    system.add("wall", Wall, {"k": stiffness, "b": damping})
    system.connect("wall.flange", "mass.flange")
    result = system.simulate(0.6, evaluation=evaluation)
    assert result.outcome.completed and result.statistics.events == 0 and result.statistics.rejected >= 7
    assert [("seems to be discontinuous" in each) for each in result.outcome.warnings] == ([True] if damping else [])


@pytest.mark.parametrize("component", ["planar.CompliantContact", "mechanical1d.CompliantContact"])
def test_a_compliant_contact_warns_of_nothing_at_its_first_touch(component):
    """Its force begins at 0 whatever the exponent is."""
    for exponent in (1.0, 1.5):
        system = System()
        if component.startswith("planar"):
            system.add("ground", "planar.Fixed")
            system.add("ball", "planar.Body1", {"y": 1.0, "vx": 0.5})
            system.join(component, "ground.p1", "ball.p1", {"radius": 0.1, "n": exponent})
        else:
            system.add("ground", "mechanical1d.Fixed1D")
            system.add("ball", "mechanical1d.Mass", {"s": 1.0, "v": -4.0})
            system.join(component, "ground.flange", "ball.flange", {"n": exponent})
        result = system.simulate(0.5)
        assert result.statistics.rejected >= 7 and result.outcome.warnings == []


def test_outcomes_that_are_the_same_have_the_same_key_and_no_others() -> None:
    """A sentence that is a warning is no note, though both have the same words."""
    parts = {"ending": Ending.COMPLETED, "sentence": "completed", "warnings": ["a", "b"], "notes": ["c"], "stabilisation": "held"}
    others = {"ending": Ending.TERMINATED, "sentence": "ended", "warnings": ["b", "a"], "notes": ["d"], "stabilisation": "free"}
    outcome = Outcome(**parts)  # type: ignore[arg-type]  # of several types
    assert Outcome(**parts).key == outcome.key and hash(outcome.key)  # type: ignore[arg-type]
    for name, other in others.items():
        assert Outcome(**{**parts, name: other}).key != outcome.key, name  # type: ignore[arg-type]
    assert Outcome(**{**parts, "warnings": ["a"], "notes": ["b", "c"]}).key != outcome.key  # type: ignore[arg-type]
