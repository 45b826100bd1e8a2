"""Unstable couplings are reported as such, whichever FMU their values make fail first."""

from __future__ import annotations

import re

import pytest

from coupling import Result, System
from coupling.outcome import Ending

REMEDY = "do not trust the result; choose a smaller communication_step, or scheme='implicit'"


def two_masses(stiffness: float, step: float, scheme: str) -> Result:
    """A spring between two masses that step by themselves."""
    system = System("two masses")
    system.add("a", "mechanical1d.Mass", {"v": 1.0}, kind="cs")
    system.add("b", "mechanical1d.Mass", kind="cs")
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": stiffness})
    system.connect("a.flange", "spring.M")
    system.connect("b.flange", "spring.N")
    return system.simulate(1.0, communication_step=step, scheme=scheme, value_limit=None)  # which would end it earlier


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_an_unstable_step_is_blamed(scheme: str) -> None:
    """The outcome names the scheme, the step, the time, a value that has grown, and the remedy; it warns of the energy; all rows are kept."""
    result = two_masses(1e6, 0.01, scheme)
    outcome = result.outcome
    assert outcome.ending is Ending.NOT_FINITE
    told = re.fullmatch(
        r"stopped at t = (.*) s: the co-simulation diverges: '(.*)' has grown to (.*). With scheme = '(.*)' the coupling is unstable at "
        r"communication_step = 0.01 s: choose a smaller one, or scheme='implicit', which bears longer ones, or put the stiff parts into one FMU. The result holds "
        "everything up to there",
        outcome.sentence,
    )
    assert told and told[4] == scheme and told[2] in result.names and 1e30 < float(told[3]) < float("inf")
    assert 0.4 < float(told[1]) < 1 and result.time[-1] <= float(told[1])
    energy = r"the coupling has created energy without bound at '[ab]\.flange - spring\.[MN]': "
    assert len(outcome.warnings) == 1 and re.fullmatch(energy + re.escape(REMEDY), outcome.warnings[0])


def test_a_stable_step_is_not() -> None:
    """The same masses by steps that are short enough; on a softer spring, by implicit ones, where explicit ones warn of energy."""
    assert two_masses(1e4, 0.01, "explicit").outcome.warnings
    for stiffness, step, scheme in ((1e6, 1e-4, "explicit"), (1e4, 0.01, "implicit")):
        assert two_masses(stiffness, step, scheme).outcome.completed
