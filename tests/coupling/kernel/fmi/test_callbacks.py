"""Callbacks of FMUs that pass another environment than they were given: no crash, and what they say is heard as theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coupling import StartError, System
from tests.support.foreign import OSCILLATOR, Model, Variable, export
from tests.support.systems.systems import refusal

SAYS = {2: "((fmi2CallbackLogger)m->log)(m->environment, m->name,", 3: "((fmi3LogMessageCallback)m->log)(m->environment,"}
ANOTHER = {
    "an invalid environment": {2: "((fmi2CallbackLogger)m->log)((void *)1, m->name,", 3: "((fmi3LogMessageCallback)m->log)((void *)1,"},
    "none": {2: "((fmi2CallbackLogger)m->log)(NULL, m->name,", 3: "((fmi3LogMessageCallback)m->log)(NULL,"},
    "its own memory, and another name": {2: '((fmi2CallbackLogger)m->log)(m, "?",', 3: "((fmi3LogMessageCallback)m->log)(m,"},
}
CASES = [(what, version) for what in ANOTHER for version in (2, 3)]
WAYS = ["none", "foreign"]


def failing(what: str, version: int, hook: str, statements: str) -> System:
    """Two instances, of which the second fails."""
    model = replace(OSCILLATOR, name="Astray", hooks={hook: statements})
    system = System()
    system.add("sound", export(OSCILLATOR, version))
    system.add("failing", export(model, version, changes={SAYS[version]: ANOTHER[what][version]}))
    return system


@pytest.mark.parametrize("isolate", WAYS)
@pytest.mark.parametrize(("what", "version"), CASES)
def test_the_reason_of_a_failure_is_heard(what: str, version: int, isolate: str) -> None:
    system = failing(what, version, "rates", 'if (time > 0.5) return say(me, Error, "the bearing is hot");')
    outcome = system.simulate(1.0, isolate=isolate).outcome
    assert "'failing'" in outcome.sentence
    assert "the bearing is hot" in outcome.sentence


@pytest.mark.parametrize("isolate", WAYS)
@pytest.mark.parametrize(("what", "version"), CASES)
def test_the_reason_of_a_refusal_is_heard(what: str, version: int, isolate: str) -> None:
    system = failing(what, version, "instantiate", 'return say(me, Error, "there is no licence");')
    said = refusal(lambda: system.simulate(1.0, isolate=isolate), StartError)
    assert "'failing'" in said
    assert "there is no licence" in said


@pytest.mark.parametrize("isolate", WAYS)
@pytest.mark.parametrize("environment", ["(void *)1", "NULL", "m->environment"])
def test_intermediate_updates_set_the_inputs_of_the_step(environment: str, isolate: str) -> None:
    """An FMU that asks once for its input in the middle of each step integrates a ramp exactly, after the first step."""
    model = Model("Asking", [Variable("u", "input"), Variable("z", "output", rate="u")], declares={"providesIntermediateUpdate": "true"})
    changes = {
        "    void *environment, (*log)(void);": "    void *environment, (*log)(void);\n    fmi3IntermediateUpdateCallback ask;",
        "    return begin(name, 1, token, environment, (void (*)(void))log);": "    Model *m = begin(name, 1, token, environment, (void (*)(void))log);\n"
        "    if (m) m->ask = intermediate;\n    return m;",
        "    int status = do_step(m, t, h);": "    _Bool ends;\n    double end;\n"
        f"    m->ask({environment}, t + h / 2, 1, 0, 0, 0, &ends, &end);\n    int status = do_step(m, t, h);",
    }
    system = System()
    system.add("asking", export(model, 3, changes=changes), kind="cs")
    system.drive("asking.u", lambda t: t)
    result = system.simulate(1.0, communication_step=0.01, isolate=isolate)
    assert result["asking.z"][-1] == pytest.approx(0.5, abs=1e-4)
