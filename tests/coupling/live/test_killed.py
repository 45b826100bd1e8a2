"""A run whose process is killed by force at any moment: its rows are read back, and it goes on to the same bits."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from coupling import Checkpoint, Result, System
from tests.support.systems import kept

STOP = 12.0
ROWS = {"output_interval": 2e-3, "outputs": ["rod.*", "pin.*"]}


def child(machine: System, folder: Path) -> int:
    """A process that runs a machine, and keeps it whenever it may."""
    process = os.fork()
    if not process:
        machine.simulate(STOP, **ROWS, record_to=folder / "run.jrd", checkpoint=Checkpoint(path=folder / "run.ckpt", interval=0.002))
        os._exit(0)
    return process


def killed_after(machine: System, folder: Path, delay: float, begun: bool) -> None:
    """Kills a run after a delay. The delay starts with its file of rows where the run is to have ``begun``, else with the process."""
    process, deadline = child(machine, folder), time.monotonic() + 60
    while begun and not (folder / "run.jrd").exists() and time.monotonic() < deadline:
        time.sleep(1e-4)
    time.sleep(delay)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def check(moments: int, seed: int, tmp_path: Path) -> tuple[int, int]:
    """Returns how often rows existed, and how often a checkpoint."""
    chance, machine = np.random.default_rng(seed), kept.by_table()
    undisturbed = machine.simulate(STOP, **ROWS)
    began = time.monotonic()
    os.waitpid(child(machine, tmp_path), 0)
    longest, rows, checkpoints = time.monotonic() - began, 0, 0
    for moment in range(moments):
        folder = tmp_path / str(moment)
        folder.mkdir()
        killed_after(machine, folder, chance.uniform(0, longest), begun=moment % 10 > 0)
        if (folder / "run.jrd").exists():
            left = Result.load(folder / "run.jrd")
            assert (left.values == undisturbed.values[: len(left.time)]).all()
            rows += len(left.time) > 0
        if (folder / "run.ckpt").exists():
            assert kept.bits(System.resume(folder / "run.ckpt")) == kept.bits(undisturbed)
            assert kept.bits(Result.load(folder / "run.jrd")) == kept.bits(undisturbed)
            assert sorted(each.name for each in folder.iterdir()) == ["run.ckpt", "run.jrd"]
            checkpoints += 1
    return rows, checkpoints


def test_a_process_that_is_killed(tmp_path: Path) -> None:
    rows, checkpoints = check(5, 1, tmp_path)
    assert rows >= 3 and checkpoints >= 1


@pytest.mark.slow  # 200 processes
def test_a_process_that_is_killed_at_any_moment(tmp_path: Path) -> None:
    rows, checkpoints = check(200, 2, tmp_path)
    assert rows >= 150 and checkpoints >= 100
