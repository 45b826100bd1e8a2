"""Functions of the standard that should agree: where they do not, the master believes the authoritative one."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import System
from tests.support.foreign.disagreeing import DISAGREEMENTS, FALL, TRUTH, disagreeing, integrator, late, stale

CASES = [(what, version) for what in DISAGREEMENTS for version in (2, 3) if not (version == 2 and "indicator variables" in what)]
"""Event indicators are variables in FMI 3 alone."""


def run(what: str, version: int, **options: object) -> dict[str, float]:
    """Returns the values at the end of a run in which integrators follow the FMU's state, output and derivative."""
    system = System()
    system.add("p", disagreeing(what, version))
    sources = ("x", "y", "der(x)")
    for number, source in enumerate(sources):
        system.add(f"i{number}", integrator(version))
        system.connect(f"p.{source}", f"i{number}.u")
    outputs = ["*", "p.der(x)", *(["p.indicator1"] if version == 3 else [])]
    result = system.simulate(1.0, rtol=1e-9, atol=1e-9, outputs=outputs, **options)
    assert result.outcome.completed, result.outcome
    found = {name: float(result[f"p.{name}"][-1]) for name in ("x", "y", "der(x)", "falls", "alarms")}
    found |= {f"integral of {source}": float(result[f"i{number}.z"][-1]) for number, source in enumerate(sources)}
    if version == 3:
        assert np.allclose(result["p.indicator1"], result["p.x"] - 0.5, rtol=0, atol=1e-12)
    assert result["p.x"][0] == 1.0
    assert result.statistics.time_events == 1
    fallen = result.time[np.flatnonzero(np.diff(result["p.falls"]))]
    assert abs(fallen[0] - FALL) < 1e-8
    return found


@pytest.mark.parametrize(("what", "version"), CASES)
def test_the_authoritative_function_counts(what: str, version: int) -> None:
    """Oracle: the closed form."""
    assert run(what, version) == pytest.approx(TRUTH, rel=1e-7)


@pytest.mark.parametrize(("what", "version"), [case for case in CASES if "all variables" in case[0] or "are wrong" in case[0]])
def test_it_counts_in_a_process_of_its_own(what: str, version: int) -> None:
    assert run(what, version, isolate="foreign") == pytest.approx(TRUTH, rel=1e-7)


@pytest.mark.parametrize("version", [2, 3])
def test_nominal_values_are_those_of_the_function(version: int) -> None:
    """Absolute tolerances follow them: with that of the description, 1e9, the first step would be the last one."""
    steps = {}
    for what in ("none", "the nominal value of the description is wrong"):
        system = System()
        system.add("p", disagreeing(what, version))
        result = system.simulate(0.6, rtol=1e-6)
        assert abs(result["p.x"][-1] - np.exp(-0.6)) < 1e-6
        steps[what] = result.statistics.steps
    assert steps["the nominal value of the description is wrong"] >= steps["none"]


@pytest.mark.parametrize("version", [2, 3])
def test_a_late_output_closes_a_loop(version: int) -> None:
    """acc = u - x with u = -acc/2: u = x/3, and x falls as exp(-2 t/3)."""
    system = System()
    system.add("p", late(version))
    system.connect("p.acc", "p.u", factor=-0.5)
    result = system.simulate(1.0, rtol=1e-10, atol=1e-12)
    assert result.outcome.completed
    assert result["p.x"][-1] == pytest.approx(np.exp(-2 / 3), rel=1e-8)
    assert result["p.acc"][-1] == pytest.approx(-2 / 3 * np.exp(-2 / 3), rel=1e-8)


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_output_that_stays_old_after_the_derivatives_is_read_anew(version: int, solver: str) -> None:
    """It is recorded alone, between the steps of the solver too: y = 3 exp(-t)."""
    system = System()
    system.add("p", stale(version))
    result = system.simulate(
        1.0, solver=solver, rtol=1e-9, atol=1e-9, output_interval=0.01, outputs=["p.y", "p.der(x)"] if version > 1 else ["p.y"]
    )
    assert result["p.y"] == pytest.approx(3 * np.exp(-result.time), abs=1e-6)
