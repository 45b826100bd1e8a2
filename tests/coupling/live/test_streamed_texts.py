"""Texts of a run that is ended by force: each row that is left has its text, and a run that goes on keeps them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import Checkpoint, Ending, Result, System
from coupling.texts_file import texts_as_bytes, texts_beside
from tests.fuzz.trials import offences
from tests.support.foreign.misbehaving import of_oscillator
from tests.support.foreign.types import types
from tests.support.systems import kept
from tests.support.systems.systems import refusal

STEP, STOP, CHANGE = 0.01, 4.0, 0.05
LARGE = 2**60 + 1
OUTPUTS = ["a.echo_text", "a.echo_blob", "a.echo_u64", "a.text", "k.y"]


def fatal_at(moment: float) -> Callable[[float], float]:
    """Returns a drive that kills the process at a time."""

    def drive(t: float) -> float:
        if t >= moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    return drive


def texts(fatal: float = np.inf) -> System:
    """Returns a system with texts, bytes and large whole numbers that change, whose process is killed at a time."""

    system = System("texts")
    system.add("a", types(3), kind="me")
    system.add("k", "signal.Gain")
    times = [CHANGE * number for number in range(round(STOP / CHANGE))]
    system.drive("a.in_text", [(t, f"Größe {i}") for i, t in enumerate(times)])
    system.drive("a.in_blob", [(t, bytes([255, i, 0])) for i, t in enumerate(times)])
    system.drive("a.in_u64", [(t, LARGE + i) for i, t in enumerate(times)])
    system.drive("k.u", fatal_at(fatal))
    return system


def check(result: Result, rows: int = 1) -> None:
    """Compares all rows with the tables, except those at a change, which stand for the values before it or after it."""
    assert len(result.time) >= rows
    for t, text, blob, large in zip(result.time, result["a.echo_text"], result["a.echo_blob"], result["a.echo_u64"], strict=True):
        step = int(text.removeprefix("Größe "))
        assert abs(t / CHANGE - step - 0.5) <= 0.5 + 1e-9
        assert abs(int(blob[1]) - step) <= 1 and blob[::2] == bytes([255, 0])
        assert abs(large - LARGE - step) <= 1


def killed(folder: Path, fatal: float, **options: object) -> Path:
    """Runs the system in a process that dies at a time; returns the path of its rows."""
    machine, rows = texts(fatal), folder / "rows.jrd"
    process = os.fork()
    if not process:
        machine.simulate(STOP, output_interval=STEP, outputs=OUTPUTS, record_to=rows, **options)  # type: ignore[arg-type]  # options of a test
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    return rows


@pytest.mark.parametrize("fatal", [0.123, 2.5])
def test_a_killed_run_keeps_its_texts(fatal: float, tmp_path: Path) -> None:
    """All rows before the kill are there with their texts; a copy without the second file has the numbers alone."""
    rows = killed(tmp_path, fatal)
    left = Result.load(rows)
    check(left, round(fatal / STEP))
    assert left.outcome.ending is Ending.INTERRUPTED
    (tmp_path / "rows.jrd.texts").unlink()
    bare = Result.load(rows)
    assert set(bare["a.echo_text"]) == {None} and (bare["k.y"] == left["k.y"]).all()


def test_an_incomplete_text_is_left_out(tmp_path: Path) -> None:
    """A kill within a write leaves a beginning of a text, to which no row refers; no place of the cut confuses the reader."""
    rows = killed(tmp_path, 0.12)
    beside = tmp_path / "rows.jrd.texts"
    whole, known = beside.read_bytes(), set(Result.load(rows)["a.echo_text"])
    for size in range(len(whole)):
        beside.write_bytes(whole[:size])
        assert set(Result.load(rows)["a.echo_text"]) <= known | {None}


def test_a_resumed_run_keeps_its_texts(tmp_path: Path) -> None:
    """It begins with the texts of the old rows, which a second kill does not lose; the complete file has all, and no other is left."""
    rows = killed(tmp_path, 1.5, checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=1e-9))
    before = len(Result.load(rows).time)
    process = os.fork()
    if not process:
        System.resume(tmp_path / "run.ckpt", drives={"k.u": fatal_at(2.5)})
        os._exit(0)
    os.waitpid(process, 0)
    assert len(Result.load(rows).time) > before
    check(Result.load(rows))
    System.resume(tmp_path / "run.ckpt", drives={"k.u": fatal_at(np.inf)})
    done = Result.load(rows)
    check(done)
    assert done.outcome.completed and done.time[-1] == STOP
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rows.jrd", "run.ckpt"]


def test_another_run_removes_the_texts_of_a_killed_one(tmp_path: Path) -> None:
    rows = killed(tmp_path, 0.5)
    other = System()
    other.add("k", "signal.Gain")
    other.simulate(1.0, record_to=rows)
    assert [each.name for each in tmp_path.iterdir()] == ["rows.jrd"]


def test_texts_of_a_lost_process(tmp_path: Path) -> None:
    """An FMU that ends the process of all of them leaves the texts in the result, where rows go into a file."""
    system = texts()
    system.add("bad", of_oscillator(rates="if (time >= 2.5) __builtin_trap();"))
    result = system.simulate(STOP, output_interval=STEP, outputs=OUTPUTS, record_to=tmp_path / "rows.jrd", isolate="all")
    assert result.outcome.ending is Ending.PROCESS_DIED
    check(result, 200)
    check(Result.load(tmp_path / "rows.jrd"), 200)


def test_what_is_left_of_a_killed_run_is_saved_and_loaded_again(tmp_path: Path) -> None:
    """Its costs are not known; its rows and texts come back to the bit."""
    left = Result.load(killed(tmp_path, 0.123))
    left.save(tmp_path / "again.jrd")
    again = Result.load(tmp_path / "again.jrd")
    check(again, 12)
    assert kept.bits(again) == kept.bits(left) and again.statistics == left.statistics and again.statistics.late is None


LINKS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "longer than memory": lambda path: os.close(os.open(path, os.O_CREAT)) or os.truncate(path, 2**42),  # type: ignore[func-returns-value]
}


@pytest.mark.every_case
@pytest.mark.parametrize("kind", LINKS)
def test_something_else_in_the_place_of_texts_is_not_read(kind: str, tmp_path: Path) -> None:
    """Each trial is a process that may hang. The rows are there, without texts; a run that goes on replaces what is no folder."""
    rows = killed(tmp_path, 0.123, checkpoint=Checkpoint(path=tmp_path / "run.ckpt", interval=1e-9))
    beside = tmp_path / "rows.jrd.texts"
    beside.unlink()
    LINKS[kind](beside)

    def trial(seed: int) -> str:
        left = Result.load(rows)
        assert set(left["a.echo_text"]) == {None} and len(left["k.y"]) > 10
        again = lambda: System.resume(tmp_path / "run.ckpt", drives={"k.u": fatal_at(np.inf)})  # noqa: E731
        if kind == "folder":
            assert refusal(again) == f"record_to writes texts to '{beside}', which is a folder; remove it, or choose another path"
            return ""
        return "" if again().outcome.completed else "it has not gone on"

    assert list(offences(trial, [0], seconds=20)) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rows.jrd", *(["rows.jrd.texts"] if kind == "folder" else []), "run.ckpt"]


@pytest.mark.parametrize("digits", [b"", b"-", b"\0", b"7" * 5000, b"\xff"])
def test_digits_that_are_none(digits: bytes, tmp_path: Path) -> None:
    """A large whole number whose digits are damaged is not known; all others are."""
    rows = killed(tmp_path, 0.123)
    found = texts_beside(rows)
    number = next(number for number, text in found.items() if text == str(LARGE + 1).encode())
    (tmp_path / "rows.jrd.texts").write_bytes(texts_as_bytes({**found, number: digits}))
    left = Result.load(rows)["a.echo_u64"]
    assert {None, LARGE, LARGE + 2} == set(left)


@pytest.mark.parametrize("to", [None, "rows.jrd"])
def test_values_of_a_run_in_pieces(to: str | None, tmp_path: Path) -> None:
    """They are texts, bytes and whole numbers, as in its result."""
    with texts().start(outputs=OUTPUTS, record_to=to and tmp_path / to) as run:
        run.advance(1.5 * CHANGE)
        assert (run["a.echo_text"], run["a.echo_blob"], run["a.echo_u64"]) == ("Größe 1", bytes([255, 1, 0]), LARGE + 1)
        assert run[["a.echo_text", "k.y"]].tolist() == ["Größe 1", 0.0]
