"""Runs that resume from a checkpoint: of an ended process, or of an FMU that has crashed its process."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from coupling import checkpoint_file
from coupling.checkpoint_file import PLATFORM, Saved
from coupling.errors import BuildError, ResultError, StartError, listed, shown
from coupling.files import is_path
from coupling.fmus import FmuError
from coupling.live.checkpoints import CheckpointWriter
from coupling.live.isolation.processes import check_apart
from coupling.live.output_paths import followed
from coupling.live.pausing import Course, Pause
from coupling.live.run_data import RunData
from coupling.live.streaming import Stream
from coupling.options import MOST_ROWS, OpenRun, Run, number
from coupling.outcome import Ending, Outcome
from coupling.plan.as_data import AbsentFunction, from_data
from coupling.plan.build import Built
from coupling.plan.definition import Definition
from coupling.plan.drives import Drive, FunctionDrive, drive_of
from coupling.record import Record
from coupling.result import Result
from coupling.simulate import Simulator
from coupling.steering.run import SteeredRun
from coupling.structured import misfit, parsed

_Single = float | int | bool | str


class _Asked(TypedDict):
    """Data of the run in a checkpoint: see ``CheckpointWriter.describe``."""

    definition: Definition
    run: Run
    start_values: Mapping[str, _Single | Sequence[_Single] | Sequence[Sequence[_Single]]]
    fixed: Mapping[str, float]


_INTERVALS = 500
"""Number of intervals between rows, where a run asks for none."""
_CRASHES = (Ending.PROCESS_DIED, Ending.TIMED_OUT)


def resume(
    path: str | os.PathLike[str],
    drives: Mapping[str, Callable[[float], float]] | None = None,
    stop_time: float | None = None,
    progress: bool = Run.progress,
) -> Result:
    """Resumes a run from its last checkpoint in the file ``path``, and returns its result with all rows.

    A run of ``start`` goes on without its user: inputs keep the values and rates that were set last, up to ``stop_time``, and rows are
    recorded at 500 intervals unless the run has ``output_times`` or an ``output_interval``. ``drives`` are the functions of time that drove
    inputs, which no file can hold. ``stop_time`` (seconds) may differ from that of the run.
    ``progress`` shows a bar on a terminal. Further checkpoints replace the one that was read. A file that is no checkpoint raises
    ResultError, and a file that cannot be read OSError.
    """
    if not is_path(path):
        raise BuildError(f"resume: {shown(path)} is no path; give that of a checkpoint, such as 'run.ckpt'")
    try:
        found = followed(Path(path))
    except OSError as error:
        raise OSError(f"{shown(path)} cannot be read: {error.strerror}; give the path of a checkpoint") from None
    checkpoint = checkpoint_file.read(found)
    asked = _asked(found, checkpoint)
    definition = replace(asked["definition"], drives=_with_functions(found, asked["definition"], drives))
    run = replace(asked["run"], progress=progress)
    stop = _stop(found, checkpoint, run, stop_time)
    run = _with_rows(run, checkpoint.head["time"], stop) if isinstance(run, OpenRun) else _until(run, stop)
    simulator = Simulator(definition)
    try:
        outcome, record = _go_on(simulator, found, checkpoint, run, stop, asked)
    finally:
        simulator.close()
    return Result(record, outcome)


def _go_on(simulator: Simulator, path: Path, checkpoint: Saved, run: Run, stop: float, asked: Mapping[str, Any]) -> tuple[Outcome, Record]:
    stream = _rows(path, checkpoint)
    checkpoints = CheckpointWriter(path, checkpoint.head["interval"], checkpoint, checkpoint.head.get("inexact", False))
    _check_values(path, checkpoint, simulator.prepare(run))
    if not isinstance(run, OpenRun):
        return simulator.run(run, asked["start_values"], asked["fixed"], None, stream, checkpoints)

    def begin(pause: Pause, checkpoints: CheckpointWriter | None) -> tuple[OpenRun, Course[tuple[Outcome, Record]]]:
        return run, simulator.course(run, RunData(asked["start_values"], stream=stream, checkpoints=checkpoints, pause=pause), {})

    with SteeredRun(begin, (), stream.path if stream else None, checkpoints) as steered:
        if steered.outcome is None:
            steered.advance_to(stop)
    return steered.end


def _check_values(path: Path, checkpoint: Saved, built: Built) -> None:
    """Refuses start values of variables that the system does not have."""
    for index, name, _ in checkpoint.head["values"]:
        if not 0 <= index < len(built.parts) or name not in built.parts[index].fmu.variables:
            raise ResultError(f"'{path}' has a start value of '{name}', which no instance has; start the run again")


def _rows(path: Path, checkpoint: Saved) -> Stream | None:
    """Returns the file with the rows so far, or None if the run has none. A missing file raises ResultError."""
    rows = checkpoint.head["rows"]
    if not rows:
        return None
    file = Path(rows["path"])
    if not file.is_file():
        raise ResultError(
            f"'{path}' continues the rows that record_to wrote to '{file}', but that file is missing; put it back there, or start the run again"
        )
    return Stream(file, rows)


def _asked(path: Path, checkpoint: Saved) -> dict[str, Any]:
    """Returns the options of the run, with its FMUs at their paths."""
    head = checkpoint.head
    try:
        if head["platform"] != PLATFORM:
            raise ResultError(f"'{path}' was written on {head['platform']}, and this is {PLATFORM}, whose numbers differ; resume there")
        said = parsed(checkpoint.blocks["asked"].tobytes())
        asked = {name: from_data(each) for name, each in said.items()} if isinstance(said, dict) else said
        begun = tuple((index, name, from_data(value)) for index, name, value in head["values"])
        why = misfit(asked, _Asked) or misfit(begun, tuple[tuple[int, str, float | int | bool | str | bytes], ...])
    except (BuildError, FmuError) as error:
        kind = FmuError if isinstance(error, FmuError) else BuildError
        raise kind(f"'{path}' cannot be resumed: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ResultError):
            raise
        why = str(error)
    if why:
        raise ResultError(
            f"'{path}' has not the content that this Jourdain expects ({why}); it was written by Jourdain {shown(head.get('jourdain'))}, resume with that one"
        )
    return asked


def _with_functions(path: Path, definition: Definition, drives: Mapping[str, Any] | None) -> tuple[tuple[str, Drive], ...]:
    """Returns the drives, with functions of time in place of those that a file cannot keep."""
    if drives is not None and not isinstance(drives, Mapping):
        raise BuildError(f"drives = {shown(drives)} is refused: give functions of time by names, such as {{'motor.tau': f}}")
    given = dict(drives or {})
    absent = {name: drive for name, drive in definition.drives if isinstance(drive, AbsentFunction)}
    missing = [name for name in absent if name not in given]
    if missing:
        one = len(missing) == 1
        raise BuildError(
            f"{listed(missing)} {'is' if one else 'are'} driven by {'a function' if one else 'functions'} of time, which '{path.name}' cannot hold; give "
            f"{'it' if one else 'them'} again: resume(..., drives={{'{missing[0]}': ...}})"
        )
    other = next((name for name in given if name not in absent), None)
    if other is not None:
        raise BuildError(f"drives: '{other}' keeps its drive; give functions of time again, and nothing else")
    return tuple((name, _again(name, drive, given.get(name))) for name, drive in definition.drives)


def _again(name: str, drive: Drive | AbsentFunction, given: Any) -> Drive:
    if not isinstance(drive, AbsentFunction):
        return drive
    found = drive_of(name, given)
    if not isinstance(found, FunctionDrive) or len(found.rates) != drive.rates:
        rates = f" with its rate{' and acceleration' if drive.rates > 1 else ''}" if drive.rates else ""
        raise BuildError(f"drives: '{name}' was driven by a function of time{rates}; give that again")
    return replace(found, name=drive.name, breaks=found.breaks or drive.breaks)


def _stop(path: Path, checkpoint: Saved, run: Run, given: float | None) -> float:
    """Returns the time in s to which a run goes on."""
    reached = checkpoint.head["time"]
    if given is None and run.is_open:
        raise BuildError(
            f"'{path.name}' is of a run of start, which waits at t = {reached:g} s and has no end of its own; give one: resume(..., stop_time=...)"
        )
    stop = run.stop_time if given is None else number("stop_time", given)
    if not math.isfinite(stop):
        raise BuildError(f"stop_time = {stop:g} s is refused: it must be finite")
    if stop < reached:
        raise BuildError(f"stop_time = {stop:g} s lies before t = {reached:g} s, where '{path.name}' was made; give a later one")
    return stop


def _with_rows(run: OpenRun, reached: float, stop: float) -> OpenRun:
    """Returns a run of ``start`` with rows from the time that it has reached on, if its options ask for none."""
    if run.output_times is not None or run.output_interval is not None or stop == reached:
        return run
    return replace(run, output_times=np.linspace(reached, stop, _INTERVALS + 1)[1:])


def _until(run: Run, stop: float) -> Run:
    """Returns the run with another end; the record goes on at the same intervals."""
    if stop == run.stop_time:
        return run
    times, last = run.times(), run.stop_time
    interval = run.output_interval or (last - run.start_time) / _INTERVALS
    if run.output_times is None and interval > 0:
        rows = (stop - last) / interval
        if rows > MOST_ROWS:
            raise BuildError(f"stop_time = {stop:g} s asks for {rows:.2g} rows, one every {interval:g} s; choose an earlier one")
        further = np.arange(last + interval, stop, interval)
        times = np.concatenate([times, further[stop - further > 1e-9 * (stop - run.start_time)]])
    times = np.union1d(times[times < stop], [stop])
    return replace(run, stop_time=stop, output_interval=None, output_times=times)


# -- FMUs that take their process along ----------------------------------------------------------------------------------------------


def check_restarts(checkpoints: CheckpointWriter | None, run: Run, definition: Definition) -> int:
    """Returns how often a run may be restarted."""
    if run.isolation.on_crash == "stop":
        return 0
    if checkpoints is None:
        raise BuildError("on_crash = 'restart' resumes from a checkpoint; give checkpoint='run.ckpt' as well")
    check_apart(run, definition)
    return run.isolation.max_restarts


Begin = Callable[[Stream | None, CheckpointWriter | None], tuple[Outcome, Record]]


def run_on(begin: Begin, stream: Stream | None, checkpoints: CheckpointWriter | None, restarts: int) -> tuple[Outcome, Record]:
    """Runs, and goes on from the last checkpoint where an FMU has taken its process along, as often as that."""
    outcome, record = begin(stream, checkpoints)
    crashes: list[Outcome] = []
    anew = 0
    while checkpoints and outcome.ending in _CRASHES and len(crashes) < restarts:
        crashes.append(outcome)
        anew += not checkpoints.there
        try:
            stream, checkpoints = _anew(stream, checkpoints)
            outcome, record = begin(stream, checkpoints)
        except (StartError, ResultError, OSError) as error:
            outcome.warnings.append(f"the run could not be restarted: {error}")
            break
    if crashes:
        outcome.warnings.append(f"the run was restarted {_restarted(anew, len(crashes) - anew)}; first it had {crashes[0].sentence}")
    return outcome, record


def _restarted(anew: int, from_checkpoints: int) -> str:
    """Returns a text with the number of restarts and their starting points."""
    ways = ((anew, "from its start, since there was no checkpoint yet"), (from_checkpoints, "from its last checkpoint"))
    return ", and ".join(f"{'once' if count == 1 else f'{count} times'} {where}" for count, where in ways if count)


def _anew(stream: Stream | None, checkpoints: CheckpointWriter) -> tuple[Stream | None, CheckpointWriter]:
    """Returns the rows and checkpoints to go on with: from the last checkpoint, or from the start if none exists yet."""
    if not checkpoints.there:
        return stream and Stream(stream.path), checkpoints.again(None)
    checkpoint = checkpoint_file.read(checkpoints.path)
    return _rows(checkpoints.path, checkpoint), checkpoints.again(checkpoint)
