"""Runs that go on from their last checkpoint where an FMU has taken its process along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coupling import Checkpoint, Ending, Isolation, Result, System
from coupling.live import checkpoints
from coupling.live.checkpoints import CheckpointWriter
from tests.support.runtime.with_code import CRASHES_ONCE, with_code
from tests.support.systems import kept
from tests.support.systems.systems import pendulum, refusal

STOP = 1.0


def filters(unit: Any, **options: Any) -> System:
    """Two lags, one after the other."""
    system = System("filters")
    system.add("one", "signal.FirstOrder", {"T": 0.2, "x": 1.0}, "cs")
    system.add("other", unit, {"T": 0.1}, "cs", **options)
    system.connect("one.y", "other.u")
    return system


@pytest.fixture
def crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files are the tenths of a second at which the lag crashes, once."""
    folder = tmp_path / "crashes"
    folder.mkdir()
    monkeypatch.setenv("JOURDAIN_CRASHES", str(folder))
    monkeypatch.setattr(checkpoints, "_SHARE", 0)  # checkpoints come in time, however long one takes here
    return folder


def run(
    crashes: Path,
    at: list[int],
    which: str = "all",
    process: str | None = None,
    interval: float = 60.0,
    max_restarts: int = 3,
    record_to: Path | None = None,
) -> tuple[Result, Result]:
    """Undisturbed, and with crashes at these times."""
    how = {"communication_step": 1e-3, "output_interval": 1e-2}
    undisturbed = filters("signal.FirstOrder").simulate(STOP, **how)
    for time in at:
        (crashes / str(time)).touch()
    unit = with_code("signal.FirstOrder", "fmi2DoStep", CRASHES_ONCE)
    isolation = Isolation(which=which, on_crash="restart", max_restarts=max_restarts)
    checkpoint = Checkpoint(path=crashes.parent / "run.ckpt", interval=interval)
    return undisturbed, filters(unit, process=process).simulate(STOP, **how, checkpoint=checkpoint, isolate=isolation, record_to=record_to)


WAYS = {"all": {}, "own": {"which": "none", "process": "own"}}


@pytest.mark.parametrize("way", WAYS)
def test_a_run_goes_on_after_crashes_with_the_same_bits(way: str, crashes: Path) -> None:
    undisturbed, result = run(crashes, [4, 7], interval=0.001, **WAYS[way])
    assert result.outcome.completed and not list(crashes.iterdir())
    assert kept.bits(result) == kept.bits(undisturbed)
    (warning,) = result.outcome.warnings
    assert warning.startswith("the run was restarted 2 times from its last checkpoint; first it had stopped at t = 0.4")
    assert "'other' (signal.FirstOrder.fmu of 'Jourdain 0.1.0') crashed (illegal instruction) in fmi2DoStep" in warning


def test_a_run_that_has_no_checkpoint_yet_begins_anew(crashes: Path, tmp_path: Path) -> None:
    """Its rows begin anew in their file."""
    undisturbed, result = run(crashes, [3], record_to=tmp_path / "run.jrd")
    assert kept.bits(result) == kept.bits(undisturbed) == kept.bits(Result.load(tmp_path / "run.jrd"))
    assert "the run was restarted once from its start, since there was no checkpoint yet; first it had " in result.outcome.warnings[-1]


def test_a_run_that_cannot_go_on_keeps_what_it_has(crashes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows, or its checkpoint, have been removed."""
    rows, keep = tmp_path / "run.jrd", CheckpointWriter.keep

    def removing(self: CheckpointWriter, *running: Any) -> None:
        keep(self, *running)
        rows.unlink(missing_ok=True)

    monkeypatch.setattr(CheckpointWriter, "keep", removing)
    _, result = run(crashes, [5], record_to=rows, interval=0)
    assert result.outcome.ending is Ending.PROCESS_DIED and result.time[-1] > 0.45
    assert any(
        f"could not be restarted: '{tmp_path / 'run.ckpt'}' continues the rows that record_to wrote to '{rows}'" in each
        for each in result.outcome.warnings
    )


def test_rows_in_a_file_go_on_after_a_crash(crashes: Path, tmp_path: Path) -> None:
    undisturbed, result = run(crashes, [5], record_to=tmp_path / "run.jrd", interval=0.01)
    assert kept.bits(result) == kept.bits(undisturbed) == kept.bits(Result.load(tmp_path / "run.jrd"))


def test_restarts_come_to_an_end(crashes: Path) -> None:
    undisturbed, result = run(crashes, [2, 4, 6], interval=0.0, max_restarts=2)
    assert result.outcome.ending is Ending.PROCESS_DIED
    assert "restarted 2 times from its last checkpoint" in result.outcome.warnings[-1]
    assert result.time[-1] >= 0.55
    assert (result.values[:-1] == undisturbed.values[: len(result.time) - 1]).all()


def test_options_of_restarts_are_checked() -> None:
    machine = pendulum()
    for options, why in (
        (
            {"isolate": Isolation(which="none", on_crash="restart")},
            "on_crash = 'restart' resumes from a checkpoint; give checkpoint='run.ckpt' as well",
        ),
    ):
        assert refusal(lambda options=options: machine.simulate(1.0, **options)) == why
