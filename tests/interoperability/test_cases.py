"""Every case in every master, in both versions of FMI: it runs and is right, or fails for the reason that the page gives."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from tests.support.interoperability.cases import CASES, PENDULUM
from tests.support.interoperability.outcome import NOTES, as_noted, note_for, outcome
from tests.support.interoperability.registry import COUPLING, MASTERS, VERSIONS, Master
from tests.support.interoperability.study import DEFAULTS, README, compliant

# One worker: each run is made once, for the page and for the case.
pytestmark = pytest.mark.xdist_group("interoperability")


def fmi_id(fmi: int) -> str:
    return f"fmi{fmi}"


# Containers take many times as long to make as to run, and those of the toolbox are those of FMPy with other words.
LONG = [("FMPy's container", 2), *(("toolbox container, sequential", fmi) for fmi in VERSIONS)]


def is_quick(master: Master, fmi: int, title: str) -> bool:
    """Says whether a run belongs to the ordinary tests: a third of the runs, another third of the cases for each master and version."""
    return (master.title, fmi) not in LONG and zlib.crc32(f"{master.title} {fmi} {title}".encode()) % 3 == 0


RUNS = [
    pytest.param(
        master,
        fmi,
        case,
        id=f"{master.title}-{fmi_id(fmi)}-{case.title}",
        marks=[] if is_quick(master, fmi, case.title) else [pytest.mark.slow],
    )
    for master in MASTERS
    for fmi in VERSIONS
    for case in CASES
    if master.couples or case.alone
]
"""A master that takes one FMU is tried with single FMUs alone: the table shows a dash for the other cases."""


@pytest.mark.parametrize(("master", "fmi", "case"), RUNS)
def test_a_case_runs_or_fails_for_the_reason_given(master, fmi, case):
    """Outputs are within the tolerance of what is known from elsewhere; what a tool refuses, it refuses with the words of a note."""
    assert as_noted(master, case, fmi), outcome(master, case, fmi)


def test_every_note_is_needed():
    """Each reason belongs to a case that runs."""
    applying = {id(note_for(master, case, fmi)) for master in MASTERS for case in CASES for fmi in VERSIONS if master.couples or case.alone}
    assert all(id(note) in applying for note in NOTES)


def test_a_case_notices_wrong_values():
    """The tolerance is no larger than what one start value, wrong by a tenth, would change."""
    times = PENDULUM.assembly.times
    known = PENDULUM.expected(times)["rod.theta"]
    other = README.motion(1.1 * times)["rod"].theta
    assert np.abs(other - known).max() / np.abs(known).max() > 10 * PENDULUM.tolerance


@pytest.mark.parametrize("master", COUPLING, ids=lambda master: master.title)
def test_when_a_force_reaches_the_body(master):
    """The rod falls freely over the first step, in which no joint knows of it yet, and where forces are late, over the second as well."""
    angle = compliant(master, README, DEFAULTS, 1e-3, 4e-3, "rod.theta")["rod.theta"]
    moves = int(np.argmax(np.abs(angle) > 1e-9))
    assert moves == (3 if master.late else 2)
