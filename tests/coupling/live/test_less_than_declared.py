"""Co-Simulation FMUs that do less than their model descriptions say, or less than a master would like: they run, and the outcome says how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coupling import Scheme, System
from tests.support import foreign
from tests.support.foreign import Model, Variable

POINTS = {"communication_step": 0.01, "rtol": 1e-10}


def alone(model: Model, fmi: int) -> System:
    system = System("alone")
    system.add("unit", foreign.export(model, fmi), kind="cs")
    return system


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_a_step_that_has_been_made(fmi: int, scheme: str) -> None:
    """Its own steps of 1/128 s leave the FMU behind each point; in FMI 3 it says so as the last successful time."""
    late = replace(foreign.OSCILLATOR, internal_step=1 / 128, rollback=True)
    result = alone(late, fmi).simulate(1.0, scheme=scheme, **POINTS)
    assert result.outcome.completed and result.outcome.warnings == []
    there = np.floor(result.time[1:] * 128 + 1e-6) / 128
    assert result["unit.x"][1:] == pytest.approx(np.cos(there), abs=1e-9)


def test_event_mode_that_is_declared_and_refused() -> None:
    """It is instantiated without."""
    result = alone(replace(foreign.OSCILLATOR, declares={"hasEventMode": "true"}), 3).simulate(1.0, **POINTS)
    assert result.outcome.completed
    assert result["unit.x"][-1] == pytest.approx(np.cos(1.0), abs=1e-9)
    assert result.outcome.warnings == [
        "'unit' (Oscillator.fmu) declares hasEventMode but refuses to be instantiated with it; it handles its events inside its steps"
    ]


FOLLOWER = Model(
    "Follower",
    [Variable("u", "input"), Variable("w", "input"), Variable("x", "output", 0.0, rate="u", depends=["u"])],
    declares={"canInterpolateInputs": "true"},
)
"""x' = u, and an input of which nothing comes."""


@pytest.mark.parametrize(
    ("orders", "warning"),
    [
        (2, None),
        (1, "takes derivatives of inputs of order 1 alone; its inputs are lines over each step"),
        (0, "takes no derivatives of inputs; its inputs keep their means over each step"),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_derivatives_of_inputs_that_are_refused(orders: int, warning: str | None, again: bool) -> None:
    """The integral of cos t is sin t, to the order that the FMU accepts; a refused order is asked for once in a run."""
    system = alone(replace(FOLLOWER, input_orders=orders), 2)
    for name in "uw":
        system.drive(f"unit.{name}", np.cos)
    for _ in range(1 + again):
        result = system.simulate(1.0, scheme=Scheme(extrapolation=2), communication_step=0.01)
    assert result.outcome.completed
    assert result["unit.x"][-1] == pytest.approx(np.sin(1.0), abs=1e-5)
    named = f"'unit' (Follower.fmu) declares canInterpolateInputs but {warning}"
    assert result.outcome.warnings == ([named] if warning else [])
