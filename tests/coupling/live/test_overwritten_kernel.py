"""An FMU overwrites the kernel's memory, which both processes see: the process of Python survives, and the run has an ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import Isolation, Result, StartError, System
from coupling.kernel.hosts import hosted
from coupling.kernel.hosts.hosted import HostDied, HostedLibrary
from coupling.outcome import Ending
from tests.fuzz.trials import offences
from tests.support import foreign

FIND = r"""
static int done;
if (time > WHEN && !done) {
    done = 1;
    extern int mincore(void *, unsigned long, unsigned char *);
    extern void _exit(int);
    char line[500];
    unsigned long first, end, place = 0, size = 0;
    FILE *const maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &first, &end) == 2 && end - first > size)
            place = first, size = end - first;
    unsigned char *const used = calloc(1, (size >> 12) + 1);
    mincore((void *)place, size, used);
    for (unsigned long page = 0x20000 >> 12; page < size >> 12; page++)
        for (int i = 0; i < 512 && used[page] & 1; i++) {
            volatile unsigned long *const word = (unsigned long *)(place + (page << 12)) + i;
            const bool pointer = *word > place && *word < place + size;
            if (*word) { CHANGE }
        }
    THEN
}
"""
CHANGES = {
    "filled": "*word = 0x4141414141414141UL;",
    "cleared": "*word = 0;",
    "pointers elsewhere": "if (pointer) *word = 0x10;",
    "pointers beyond": "if (pointer) *word ^= 0x7000000000UL;",
    "great counts": "if (*word < 100000) *word = 0x7fffffff;",
    "all bits": "*word = ~0UL;",
}
THEN = {"goes on": "", "leaves": "_exit(0);", "hangs": "for (volatile int i = 0;; i++) ;"}
TIMEOUT = 10.0


def run(change: str, then: str, solver: str, path: Path | None = None) -> Result:
    code = FIND.replace("WHEN", "0.5").replace("CHANGE", CHANGES[change]).replace("THEN", THEN[then])
    system = System()
    system.add("it", foreign.of_oscillator(3, rates=code), kind="me")
    return system.simulate(1.0, solver=solver, output_interval=0.01, isolate=Isolation(which="all", call_timeout=TIMEOUT), record_to=path)


def check(change: str, then: str, solver: str, path: Path | None = None) -> str:
    """Returns what is wrong with the end of such a run."""
    try:
        result = run(change, then, solver, path)
    except StartError:
        return ""
    if not np.isfinite(result.time).all():
        return "rows have no time"
    if not result.outcome.completed and result.outcome.ending not in (
        Ending.PROCESS_DIED,
        Ending.TIMED_OUT,
        Ending.SOLVER_FAILED,
        Ending.NOT_FINITE,
    ):
        return str(result.outcome)
    has_rows = len(result) or any("an FMU has overwritten the rows of this run" in each for each in result.outcome.warnings)
    return "" if has_rows else f"no rows, and no reason: {result.outcome}"


def trial(cases: list[tuple[str, str, str]]) -> Callable[[int], str]:
    return lambda number: check(*cases[number])


QUICK = [("filled", "leaves", "ida"), ("pointers beyond", "goes on", "dopri5"), ("cleared", "goes on", "RK45")]
ALL = [(change, then, solver) for change in CHANGES for then in THEN for solver in ("dopri5", "ida", "RK45")]


@pytest.mark.every_case
@pytest.mark.parametrize("cases", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)], ids=["quick", "all"])
def test_the_process_of_python_survives(cases: list[tuple[str, str, str]]) -> None:
    """Each run has an ending, and either its rows or a warning that says why it has none; each is made in a process that may crash."""
    assert list(offences(trial(cases), range(len(cases)), seconds=200)) == []


def test_rows_in_a_file_are_kept(tmp_path: Path) -> None:
    """They are counted in the file if their number is overwritten: those before 0.5 s are there, with the bits of a sound run."""
    path = tmp_path / "run.jrd"
    result = run("great counts", "leaves", "dopri5", path)
    assert result.outcome.ending is Ending.PROCESS_DIED and 40 < len(result) <= 52
    sound = System()
    sound.add("it", foreign.of_oscillator(3), kind="me")
    assert np.array_equal(Result.load(path)["it.x"], sound.simulate(1.0, solver="dopri5", output_interval=0.01)["it.x"][: len(result)])


def test_addresses_of_a_host_are_followed_inside_of_its_memory_alone() -> None:
    """A host asks for a state at an address of this process, which would be written, and gives a text elsewhere."""
    written = []
    library = HostedLibrary()
    called = library.called_back(*((None, "ask_state", lambda *given: written.append(given) or 1) for _ in range(4)))
    for question in (hosted._STATE, hosted._RESTART):
        library._words[0], library._words[1] = called.context, id(written)
        assert library._answer(question) == 0 and written == [] and library.is_lost
    with pytest.raises(HostDied, match="DAMAGED"):
        library._readable(0x1234)
    assert library._readable(library._first) == library._first
    library.end()
