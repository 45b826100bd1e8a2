"""Hostile FMUs in a sandbox: each attempt on files, networks and processes of others fails, and what is not hostile has the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import Isolation, StartError, System
from coupling.kernel.hosts import sandbox
from coupling.live.isolation import sandboxes
from tests.support import foreign
from tests.support.systems.systems import pendulum, refusal

# Older kernels, and containers that filter its system calls, have no Landlock; there a sandbox is refused, which is tested below.
needs_landlock = pytest.mark.skipif(bool(sandbox.lacks()), reason=sandbox.lacks())

ATTEMPTS = {
    "read": 'if (fopen("FOLDER/letter", "r")) return say(me, Error, "done");',
    "write": 'if (fopen("FOLDER/new", "w")) return say(me, Error, "done");',
    "connect": 'extern int socket(int, int, int); if (socket(2, 1, 0) >= 0) return say(me, Error, "done");',
    "fork": 'extern int fork(void); const int child = fork(); if (!child) for (;;); if (child > 0) return say(me, Error, "done");',
}


@needs_landlock
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_attempt_fails_in_a_sandbox_alone(attempt: str, tmp_path: Path) -> None:
    """The FMU reports success without a sandbox."""
    (tmp_path / "letter").write_text("dear")
    path = foreign.of_oscillator(initialize=ATTEMPTS[attempt].replace("FOLDER", str(tmp_path)))

    def system() -> System:
        hostile = System("hostile")
        hostile.add("it", path)
        return hostile

    with pytest.raises(StartError, match="done"):
        system().simulate(0.1, isolate="all")
    (tmp_path / "new").unlink(missing_ok=True)
    assert system().simulate(0.1, isolate=Isolation(which="all", sandbox=True)).outcome.completed
    assert [each.name for each in tmp_path.iterdir()] == ["letter"]


@needs_landlock
def test_a_run_in_a_sandbox_has_the_same_bits(tmp_path: Path) -> None:
    """They are the same where its rows go into a file, which is opened outside."""
    here = pendulum().simulate(1.0)
    there = pendulum().simulate(1.0, isolate=Isolation(which="all", sandbox=True), record_to=tmp_path / "run.jrd")
    assert (here.values == there.values).all()
    assert pendulum().simulate(1.0, isolate=Isolation(which="foreign", sandbox=True)).outcome.completed


def test_what_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing weaker takes the place of a sandbox."""
    assert refusal(lambda: pendulum().simulate(1.0, isolate=Isolation(which="none", sandbox=True))) == (
        "sandbox = True is refused: it is for runs in a process of their own; give which='all' as well"
    )
    monkeypatch.setattr(sandboxes, "lacks", lambda: "the kernel of this system has no Landlock")
    assert refusal(lambda: pendulum().simulate(1.0, isolate=Isolation(which="all", sandbox=True))) == (
        "sandbox = True is refused: the kernel of this system has no Landlock; leave it out, or run the FMUs where they can do no harm, such as in a "
        "container without a network"
    )
