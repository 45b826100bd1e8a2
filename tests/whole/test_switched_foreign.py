"""FMUs of other tools that are hit: their velocities are set as both versions of FMI allow, and what they change themselves at an impact stays."""

from __future__ import annotations

import math
from dataclasses import replace

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

from coupling import BuildError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable

BOUNCER = Model(
    "Bouncer",
    [
        Variable("f", "input", unit="N"),
        Variable("s", "output", 1.0, "m", rate="v", depends=["v"]),
        Variable("v", "output", 0.0, "m/s", rate="(f - 50 * s) / 2", depends=["f", "s"]),
        Variable("a", "output", 0.0, "m/s2", value="(f - 50 * s) / 2", depends=["f", "s"]),
        Variable("count", "output", 0.0, rate="0", depends=[]),
        Variable("above", "local", 1.0),
    ],
    indicators=["s"],
    partials={
        ("der(s)", "v"): "1",
        **{(unknown, known): value for unknown in ("der(v)", "a") for known, value in (("f", "0.5"), ("s", "-25"))},
    },
    update="""
    if (above > 0 && s <= 0) { above = 0; count += 1; states_changed = again = 1; }
    else if (above <= 0 && s > 0) { above = 1; again = 1; }""",
)
"""2 kg on 50 N/m, from 1 m at rest, with a state that its own event changes where s falls through 0, and a check of the mode in every call."""


def bouncing(fmi: int, model: Model = BOUNCER) -> System:
    system = System("bouncer")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", foreign.export(model, fmi))
    system.add("stop", "mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": 0.7})
    system.connect("ground.flange", "stop.M")
    for motion in "sva":
        system.connect(f"mass.{motion}", f"stop.N.{motion}")
    system.connect("stop.N.f", "mass.f")
    return system


@pytest.mark.parametrize("solver", ["dopri5", pytest.param("dop853", marks=pytest.mark.slow)])
def test_what_an_event_of_its_own_changes_at_an_impact_stays(fmi: int, solver: str) -> None:
    result = bouncing(fmi).simulate(3.0, solver=solver, rtol=1e-11)
    assert result.outcome.completed, result.outcome
    hits = [each for each in result.changes if each.what == "hit"]
    np.testing.assert_allclose([each.time for each in hits], [(2 * n + 1) * math.pi / 10 for n in range(5)], atol=1e-9)
    since, speed = 3 - 0.9 * math.pi, 5 * 0.7**5
    assert result["mass.s"][-1] == pytest.approx(speed / 5 * math.sin(5 * since), abs=1e-9)
    assert result["mass.v"][-1] == pytest.approx(speed * math.cos(5 * since), abs=1e-9)
    assert result["mass.count"][-1] == 5


def test_one_without_directional_derivatives_is_refused_beside_a_joint_that_switches() -> None:
    with pytest.raises(BuildError) as refused:
        bouncing(3, replace(BOUNCER, partials=None)).simulate(1.0)
    assert str(refused.value) == (
        "the modes of 'stop' cannot be chosen: 'stop.lambda[1]' is found by iteration, and its effect on the states is unknown; use FMUs "
        "with directional derivatives beside it, or add 'stop' with kind='cs', which makes it compliant"
    )


def test_it_refuses_states_in_event_mode(fmi: int) -> None:
    """Therefore the run above set them in Continuous-Time Mode alone."""
    path = foreign.export(BOUNCER, fmi)
    described, folder = fmpy.read_model_description(path), fmpy.extract(path)
    of = {
        "guid": described.guid,
        "unzipDirectory": folder,
        "modelIdentifier": described.modelExchange.modelIdentifier,
        "instanceName": "it",
    }
    instance = FMU2Model(**of) if fmi == 2 else FMU3Model(**of)
    instance.instantiate()
    if fmi == 2:
        instance.setupExperiment()
    instance.enterInitializationMode()
    instance.exitInitializationMode()
    states = (1.0, 0.0, 0.0)
    pointer = (fmpy.fmi2.fmi2Real * 3)(*states)
    with pytest.raises(FMICallException):
        instance.setContinuousStates(pointer, 3)
    speed = next(v.valueReference for v in described.modelVariables if v.name == "v")
    with pytest.raises(FMICallException):
        instance.setReal([speed], [0.0]) if fmi == 2 else instance.setFloat64([speed], [0.0])
    instance.enterContinuousTimeMode()
    instance.setContinuousStates(pointer, 3)
    instance.freeInstance()
