"""Outcomes of all cases in all masters, and the reasons why some cases cannot run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.support.interoperability.cases import CASES, SWITCHED, Case
from tests.support.interoperability.registry import VERSIONS, Master


@dataclass(frozen=True)
class Outcome:
    """The end of a run: its error, where 1 is the tolerance of the case, or else the tool's message."""

    error: float = np.inf
    obstacle: str = ""


def attempt(master: Master, case: Case, fmi: int) -> Outcome:
    try:
        recorded = master.record(case.assembly, fmi)
    except Exception as error:  # whatever a tool raises is what is looked at
        return Outcome(obstacle=f"{type(error).__name__}: {error}")
    assert np.allclose(recorded.time, case.assembly.times, rtol=0, atol=1e-9)
    errors = [_error(recorded[name], known) for name, known in _known(case).items()]
    return Outcome(float(max(errors) / case.tolerance))


def _error(recorded: np.ndarray, known: np.ndarray) -> float:
    """Relative to the largest value that is known."""
    somewhere = ~np.isnan(known)
    return np.abs(recorded - known)[somewhere].max() / np.abs(known[somewhere]).max()


@cache
def outcome(master: Master, case: Case, fmi: int) -> Outcome:
    return attempt(master, case, fmi)


@cache
def _known(case: Case) -> Mapping[str, np.ndarray]:
    return case.expected(case.assembly.times)


@dataclass(frozen=True)
class Note:
    """A reason why some masters cannot run some cases: the tool's message, and its meaning."""

    masters: Sequence[str]
    versions: Sequence[int]
    cases: Sequence[Case]
    says: str
    """A regular expression."""
    meaning: str

    def applies(self, master: Master, case: Case, fmi: int) -> bool:
        return master.title in self.masters and fmi in self.versions and case in self.cases


NOTES = [
    Note(["libcosim"], [3], CASES, "Unsupported FMI version", "libcosim reads FMI 1.0 and 2.0."),
    Note(
        ["Jourdain"],
        VERSIONS,
        [SWITCHED],
        "'unit.ideal' = False is refused",
        "Jourdain's own master sets `ideal` by itself and lets nobody else do it.",
    ),
]


def note_for(master: Master, case: Case, fmi: int) -> Note | None:
    """The one note that applies, if any."""
    found = [note for note in NOTES if note.applies(master, case, fmi)]
    assert len(found) <= 1
    return found[0] if found else None


def as_noted(master: Master, case: Case, fmi: int) -> bool:
    """Says whether the outcome agrees with the notes: the known obstacle, or a run within the tolerance."""
    note, observed = note_for(master, case, fmi), outcome(master, case, fmi)
    return re.search(note.says, observed.obstacle) is not None if note else observed.error <= 1
