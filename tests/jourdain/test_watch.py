"""``jourdain watch``, as a user types it: a page of this machine that ends with the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coupling import Result
from tests.jourdain.test_command import run
from tests.support.watching.reader import Reader

MACHINE = """
from jourdain import System

def system():
    found = System("sledge")
    found.add("sledge", "mechanical1d.Mass", {"m": 2.0})
    found.add("push", "mechanical1d.Force")
    found.connect("push.flange", "sledge.flange")
    found.drive("push.force", 1.0)
    return found
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    file = tmp_path / "machine.py"
    file.write_text(MACHINE)
    return file


@contextmanager
def typed(machine: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Reader]]:
    """Yields the process of a command, and a reader of its page."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "jourdain", "watch", "machine.py", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=machine.parent, env=environment
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            assert line.startswith("'sledge' is shown at http://127.0.0.1:") and line.endswith("/ (Ctrl-C ends)\n"), line
            reader = Reader(line.split()[4])
            reader.listen()
            yield process, reader
        finally:
            process.kill()


def test_a_page_moves_an_input_until_ctrl_c(machine: Path) -> None:
    """The slider begins at the value that the file drives the input with; the result has the motion by both values."""
    with typed(machine, "--input", "push.force=-2:4", "--speed", "5", "--out", "run.jrd") as (process, reader):
        assert reader.wait(lambda state: len(reader.rows) > 5)["values"] == {"push.force": 1.0}
        assert reader.say({"set": {"push.force": 4.0}})[0] == 204
        reader.wait(lambda state: state["values"] == {"push.force": 4.0} and len(reader.rows) > 20)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and said.splitlines()[-1] == "run.jrd", said
    result = Result.load(machine.parent / "run.jrd")
    slopes = slopes_of(result)
    assert min(slopes) == pytest.approx(0.5, abs=1e-6) and max(slopes) == pytest.approx(2.0, abs=1e-6)


def slopes_of(result: Result) -> list[float]:
    """Returns the accelerations between rows, in which no input has jumped."""
    t, v = result.time.tolist(), result["sledge.v"].tolist()
    return [(v[i + 1] - v[i]) / (t[i + 1] - t[i]) for i in range(len(t) - 1) if t[i + 1] - t[i] > 1e-3]


def test_sigterm_ends_a_paused_run_with_its_result(machine: Path) -> None:
    with typed(machine, "--out", "run.jrd") as (process, reader):
        assert reader.say({"pause": True})[0] == 204
        reader.wait(lambda state: state["paused"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    assert Result.load(machine.parent / "run.jrd").time[0] == 0.0


def test_the_page_ends_the_command(machine: Path) -> None:
    with typed(machine, "--json") as (process, reader):
        reader.wait(lambda state: len(reader.rows) > 2)
        assert reader.say({"end": True})[0] == 204
        reader.wait(lambda state: state["ended"])
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and json.loads(said)["ending"] == "COMPLETED"


def test_a_run_that_fails_gives_1(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A velocity passes the limit of values; a stop time is reached."""
    code, said, _ = run(capsys, "watch", machine, "--speed", "10", "--value-limit", "1", "--set", "sledge.v=2")
    assert code == 1 and "stopped at t = " in said and "'sledge.v'" in said
    code, said, _ = run(capsys, "watch", machine, "--speed", "10", "--stop", "0.2")
    assert code == 0 and "completed at t = 0.2 s" in said


def test_wrong_uses_are_sentences(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, sentence in (
        (["--input", "push.force"], "--input push.force: a name and a value are expected, such as --input motor.effort=-5:5"),
        (["--input", "push.force=1"], "--input push.force=1: '1' is no range; give two numbers, such as --input push.force=-5:5"),
        (
            ["--input", "push.force=2:1"],
            "inputs: 'push.force' is refused: (2.0, 1.0) is no range; give two finite numbers, the smaller one first",
        ),
        (["--input", "sledge.v=0:1"], "inputs: 'sledge.v' is refused: it is a state; name an input or a parameter"),
        (["--out", "run.csv"], "--out run.csv: the result is written as .jrd; 'jourdain view' draws it"),
        (["--speed", "0"], "speed = 0 is refused: give a positive number, such as 0.5"),
        (["--signal", "none"], "signals: 'none' was not recorded; result.names lists the recorded names"),
    ):
        assert run(capsys, "watch", machine, *arguments) == (2, "", f"jourdain: {sentence}\n")
    code, said, _ = run(capsys, "watch", "--help")
    assert code == 0 and "--input NAME=LOW:HIGH" in said
