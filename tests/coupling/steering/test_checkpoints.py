"""Checkpoints of runs that are advanced piece by piece: they go on with the values that were set last."""

from __future__ import annotations

import itertools
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Checkpoint, Ending, Index3, Isolation, Result, System, checkpoint_file
from coupling.steering.run import SteeredRun
from tests.coupling.steering.test_run import CASES, PIN, QUICK, SOLVERS, TIMES, VALUES, mass, pulled, stepped, strange
from tests.support.systems import kept
from tests.support.systems.systems import refusal

FORCE = "mass.flange.f"


def steered(run: SteeredRun, force: str) -> None:
    """Advances a run that sets a force, and ends with a single step and a piece."""
    for t, value in zip(TIMES[:6], VALUES[:6], strict=True):
        run[force] = value
        run.advance_to(t)
    run.step()
    run.advance_to(0.45)


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK[:4] else pytest.mark.slow) for name in CASES])
@pytest.mark.parametrize("to", [None, "rows.jrd"])
def test_a_resumed_run_has_the_bits_of_one_whose_inputs_are_held(name: str, to: str | None, tmp_path: Path) -> None:
    build, force, options = CASES[name]
    path, given = tmp_path / "run.ckpt", {"inputs": () if "communication_step" not in options else (force,), "output_times": [0.5, 0.7]}
    if "another tool" in name:
        assert "checkpoint is refused: 'oscillator' cannot save its state" in refusal(lambda: build().start(checkpoint=path, **options))
        return
    with build().start(**given, checkpoint=path, record_to=to and tmp_path / to, **options) as run:
        steered(run, force)
    with build().start(**given, **options) as whole:
        steered(whole, force)
        whole.advance_to(0.8)
    resumed = System.resume(path, stop_time=0.8)
    assert resumed.outcome.completed and resumed.outcome.notes[0].startswith(f"the run went on from '{path}' at t = 0.45 s")
    found, wanted = resumed._record.rows, whole.result._record.rows
    if options.get("solver") in SOLVERS:  # which begin anew there
        assert np.allclose(found[-1], wanted[-1], rtol=1e-5, atol=2e-5)
        wanted = wanted[wanted[:, 0] <= 0.45]
    assert all((found == row).all(axis=1).any() for row in wanted)
    if to:
        assert kept.bits(Result.load(tmp_path / to)) == kept.bits(resumed)


@pytest.mark.parametrize("options", [{}, {"solver": Index3(step_size=1e-3)}, stepped()], ids=("dopri5", "index3", "explicit"))
def test_a_checkpoint_within_a_piece_has_its_rows(options: dict[str, Any], tmp_path: Path) -> None:
    """Rows of a piece that were due before a checkpoint come from there, all others from the run that goes on; a saved state hides none."""
    rows = {"output_times": np.linspace(0.0, 1.0, 201)}
    with pulled().start(**rows, **options) as whole:
        whole[PIN] = 0.3
        whole.advance_to(1.0)
    with (
        kept.checkpoints(tmp_path, 3, 6) as made,
        pulled().start(checkpoint=Checkpoint(path=tmp_path / "0", interval=0.0), **rows, **options) as run,
    ):
        run.save()
        run[PIN] = 0.3
        run.advance_to(1.0)
    assert len(made) == 6
    for path in made:
        assert kept.bits(System.resume(path, stop_time=1.0)) == kept.bits(whole.result)


def test_a_rate_goes_on(tmp_path: Path) -> None:
    """The force grows by 2 N/s until the end: a mass of 2 kg has the speed (f t + t^2) / 2; and so it has from the second checkpoint on."""
    path = tmp_path / "run.ckpt"
    with mass().start(inputs=[FORCE], checkpoint=path) as run:
        run.set(FORCE, 1.0, rate=2.0)
        run.advance(0.5)
    for end in (1.0, 1.5):
        found = System.resume(path, stop_time=end)
        assert found["mass.v"][-1] == pytest.approx((end + end**2) / 2, rel=1e-9) and len(found.time) > 500
    assert found.time[0] == 0.0 and np.all(np.diff(found.time) >= 0)


def test_functions_and_sensitivities_go_on(tmp_path: Path) -> None:
    def push(t: float) -> float:
        return 3.0 * t

    path = tmp_path / "run.ckpt"
    with mass().start(drives={FORCE: push}, sensitivities=["mass.m"], checkpoint=path) as run:
        run.advance(0.5)
    assert "'mass.flange.f' is driven by a function of time" in refusal(lambda: System.resume(path, stop_time=1.0))
    found = System.resume(path, {FORCE: push}, stop_time=1.0)
    assert found["mass.v"][-1] == pytest.approx(0.75, rel=1e-9)
    assert found.sensitivity("mass.v", "mass.m")[-1] == pytest.approx(-0.375, rel=1e-8)


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    """A child sets another force for each piece, until it is killed by force; the rows before are its own, the last force is then held."""
    path, rows, forces = tmp_path / "run.ckpt", tmp_path / "rows.jrd", (1.0, -3.0, 2.0)
    process = os.fork()
    if not process:
        with mass().start(checkpoint=Checkpoint(path=path, interval=0.0), record_to=rows) as run:
            for force in itertools.cycle(forces):
                run[FORCE] = force
                run.advance(0.25)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (path.exists() and checkpoint_file.read(path).head["time"] > 2.0):
        time.sleep(1e-3)
    os.kill(process, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert refusal(lambda: System.resume(path), BuildError).startswith("'run.ckpt' is of a run of start, which waits at t = ")
    reached = float(checkpoint_file.read(path).head["time"])
    found = System.resume(path, stop_time=reached + 10.0)
    last = math.ceil(reached / 0.25) - 1
    held = forces[last % 3] / 2.0
    speed = sum(0.25 * forces[i % 3] / 2.0 for i in range(last)) + held * (reached - 0.25 * last)
    first = np.searchsorted(found.time, reached, "right")
    assert reached > 2.0 and found["mass.v"][first] == pytest.approx(speed + held * (found.time[first] - reached), abs=1e-9)
    assert found["mass.v"][-1] == pytest.approx(speed + 10.0 * held, abs=1e-9)
    assert kept.bits(Result.load(rows)) == kept.bits(found)


def test_what_cannot_save_its_state_starts_with_the_values_that_were_set(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    with strange().start(checkpoint=Checkpoint(path=path, inexact=True)) as run:
        run["oscillator.u"] = 2.0
        run.advance(0.5)
    with strange().start() as whole:
        whole["oscillator.u"] = 2.0
        whole.advance(0.5)
        whole.advance_to(1.5)
    found = System.resume(path, stop_time=1.5)
    assert found["oscillator.x"][-1] == pytest.approx(whole["oscillator.x"], rel=1e-6) and abs(whole["oscillator.x"]) > 0.1


def test_forks_write_none_and_arrays_do(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    with mass().start(checkpoint=Checkpoint(path=path, interval=0.0)) as run:
        run.signals(inputs=[FORCE], outputs=["mass.v"])
        run.advance(1.0, [1.0])
        assert path.exists()
        before = path.read_bytes()
        with run.fork() as other:
            other[FORCE] = 7.0
            other.advance(1.0)
        assert path.read_bytes() == before
    assert System.resume(path, stop_time=2.0)["mass.v"][-1] == pytest.approx(1.0)


def test_ends_and_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    with mass().start(checkpoint=path, until="mass.v > 1") as run:
        run[FORCE] = 4.0
        run.advance(2.0)
        assert run.outcome and run.outcome.ending is Ending.UNTIL
    again = System.resume(path, stop_time=3.0)
    assert again.outcome.ending is Ending.UNTIL and again.time[-1] == pytest.approx(0.5)
    assert refusal(lambda: System.resume(path, stop_time=0.1)).startswith(
        "stop_time = 0.1 s lies before t = 0.5 s, where 'run.ckpt' was made"
    )
    assert refusal(lambda: mass().start(checkpoint=path, until=lambda at: False)).startswith("checkpoint is refused with a function until")
    text = refusal(lambda: mass().start(checkpoint=path, isolate=Isolation(which="all", on_crash="restart")))
    assert text.startswith("on_crash = 'restart' is refused: values that were set since the checkpoint would be lost; ")
    with mass().start(checkpoint=path) as run:
        run.advance(0.2)
    for stop in (math.inf, math.nan):
        assert refusal(lambda end=stop: System.resume(path, stop_time=end)).startswith("stop_time = ")  # type: ignore[misc]
    assert System.resume(path, stop_time=0.2).time.tolist() == [0.0, 0.2]
