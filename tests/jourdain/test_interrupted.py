"""``jourdain`` is interrupted by Ctrl-C, or terminated, or finds a disk full: what can be written is, and the exit code says which."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from coupling import Ending, Result
from jourdain import command
from tests.jourdain.test_command import MACHINE

WAITING = MACHINE.replace(
    "def system():", "from pathlib import Path\n\ndef system():\n    while Path('wait').exists():\n        Path('waits').touch()"
)


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("machine.py").write_text(WAITING)


def ended(arguments: Sequence[str], number: signal.Signals, when: Callable[[], bool]) -> tuple[int, str]:
    """The exit code of a process with this command that gets a signal, a moment after something is there, and what it printed."""
    printed = Path("printed")
    child = os.fork()
    if not child:
        with printed.open("w", buffering=1) as file:
            sys.stdout = sys.stderr = file
            os._exit(command.main(arguments))
    deadline = time.monotonic() + 30
    while not when() and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.1)
    os.kill(child, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), printed.read_text()


LONG = ["--stop", "1e5", "--interval", "0.5", "--max-steps", "1000000000"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, 143)])
def test_a_run_is_written(number: signal.Signals, code: int) -> None:
    rows = Path("rows.jrd")
    arguments = ["simulate", "machine.py", *LONG, "--record-to", str(rows), "--out", "run.csv"]
    assert ended(arguments, number, rows.exists)[0] == code
    left = Result.load(rows)
    assert left.outcome.ending is Ending.INTERRUPTED
    assert left.statistics.steps > 0
    assert len(Path("run.csv").read_text().splitlines()) >= len(left)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_written_before_a_run(number: signal.Signals, code: int) -> None:
    """The file of the system is being read."""
    Path("wait").touch()
    left, said = ended(["simulate", "machine.py", *LONG, "--out", "run.csv"], number, Path("waits").exists)
    assert left == code
    assert "Traceback" not in said
    assert said == ("jourdain: interrupted before there was a result\n" if number is signal.SIGINT else "")
    assert not Path("run.csv").exists()


def test_a_sweep_writes_the_rows_that_it_has() -> None:
    """The signal comes after some of its thousand runs."""
    arguments = ["sweep", "machine.py", "--grid", "rod.m=1:2:1000", "--folder", "runs", "--json", "--measure", "final(rod.theta)"]
    code, said = ended([*arguments, "--stop", "10"], signal.SIGTERM, lambda: len(list(Path("runs").glob("*.jrd"))) > 2)
    assert code == 143
    told = json.loads(said.splitlines()[-1])
    assert told["ending"] == "INTERRUPTED"
    assert 2 < told["runs"] - len(told["missing"]) < 1000
    assert len(told["columns"]["final(rod.theta)"]) == told["runs"]


def test_a_full_disk_takes_no_other_file_along(capsys: pytest.CaptureFixture[str]) -> None:
    """All other files are written, and the sentence names the one that could not be."""
    Path("full.csv").symlink_to("/dev/full")
    code = command.main(["simulate", "machine.py", "--stop", "1", "--out", "full.csv", "--out", "run.jrd"])
    told = capsys.readouterr()
    assert code == 2
    assert told.err.startswith(
        "jourdain: the result cannot be written to 'full.csv': No space left on device; make room there, or choose another path"
    )
    assert told.out.splitlines()[-1] == "run.jrd"
    assert Result.load("run.jrd").outcome.completed
