"""Starts a run that its user advances piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from coupling.checks import checked_names
from coupling.errors import BuildError
from coupling.live.checkpoints import CheckpointWriter, checkpoint_writer
from coupling.live.pausing import Course, Pause
from coupling.live.run_data import RunData
from coupling.live.streaming import stream_of
from coupling.options import Checkpoint, OpenRun
from coupling.options.calls import check_names
from coupling.outcome import Outcome
from coupling.plan.connections import find_end
from coupling.plan.definition import Value
from coupling.plan.drives import Drive, PolynomialDrive
from coupling.plan.given import drives_of
from coupling.plan.rates import rates_of
from coupling.record import Record
from coupling.result import Result
from coupling.simulate import Simulator
from coupling.solvers.base.solver import solver_of
from coupling.ssp.parameters import start_values_of
from coupling.steering.run import SteeredRun

_LEFT_OUT = ("stop_time", "progress")
"""Options of ``simulate`` that a run without a known end does not have."""


def start(
    system: Any,
    *,
    inputs: Sequence[str] = (),
    initial: str | Mapping[str, float] | Result = OpenRun.initial,
    start_values: Mapping[str, Value] | str | None = None,
    drives: Mapping[str, float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray] | None = None,
    record_to: Path | str | None = None,
    checkpoint: Path | str | Checkpoint | None = None,
    **options: Any,
) -> SteeredRun:
    """Starts and returns a run that waits at its start, and is advanced piece by piece: ``with system.start() as run: run.advance(0.01)``.

    Between two pieces, ``run["rod.theta"]`` is a present value in the unit of its variable. ``run["motor.tau"] = 2.0`` sets an input, a
    parameter or a state from there on. ``options`` are those of ``simulate``, except for ``stop_time`` and ``progress``. ``record_to`` is
    the path of a file ``.jrd`` that takes the rows in place of memory; such a run has no ``save``. ``checkpoint`` is the path of a file
    from which ``System.resume`` continues the run to a ``stop_time``, with the values that were set last. A row is recorded at the end of each piece, at events, and at ``output_times`` or ``output_interval`` (seconds) where
    these are given. ``inputs`` are names of inputs that will be set with a rate, such as prescribed motions. Systems and options that are
    refused raise BuildError, and impossible starts StartError or InitialStateError. ``initial``, ``start_values`` and ``drives`` are
    those of ``simulate``.
    """
    known = [each.name for each in fields(OpenRun) if each.name not in _LEFT_OUT]
    for name in _LEFT_OUT:
        if name in options:
            raise BuildError(f"start has no option '{name}': the run ends where its user stops to advance it; leave it out")
    checkpoints = checkpoint_writer(checkpoint)
    stream = stream_of(record_to, checkpoints)
    check_names("start", options, known)
    names = checked_names("inputs", inputs)
    pose = system._pose(initial)
    word = initial if isinstance(initial, str) else OpenRun.initial
    if OpenRun(initial=word, **options).isolation.on_crash != "stop":  # other options are refused here too
        raise BuildError(
            "on_crash = 'restart' is refused: values that were set since the checkpoint would be lost; leave it out, and call System.resume"
        )
    values = dict(start_values_of(start_values, system.instances) or {})
    simulator = system._simulator or Simulator(system.definition)
    left = _left_to_user(system, names, values)
    given = {**drives_of(drives, system.instances), **left}

    def begin(pause: Pause, checkpoints: CheckpointWriter | None) -> tuple[OpenRun, Course[tuple[Outcome, Record]]]:
        run, data = OpenRun(initial=word, **options), RunData(values, pose=pose, stream=stream, checkpoints=checkpoints, pause=pause)
        return run, simulator.course(run, data, given)

    try:
        solver_of(OpenRun(initial=word, **options))
        run = SteeredRun(begin, names, stream.path if stream else None, checkpoints)
    except BuildError:
        if system._simulator is None:
            simulator.close()
        raise
    system._freeze(simulator)
    return run


def _left_to_user(system: Any, names: Sequence[str], values: dict[str, Value]) -> dict[str, Drive]:
    """Returns the drives of inputs that the user sets with rates, from their start values, which are taken out of ``values``."""
    fmus = system.instances
    found: dict[str, Drive] = {}
    own = {each.name: dict(each.start) for each in system.definition.instances}
    for name in names:
        end = find_end(name, fmus, "inputs: ", inputs=True)
        variable = end.variable
        if variable is None or variable.causality != "input" or variable.type != "real" or variable.variability != "continuous":
            raise BuildError(
                f"inputs: '{name}' is no continuous input; name inputs that are to change with a rate, and set others directly"
            )
        for each in (variable.name, *rates_of(end.fmu, variable.name)):
            full = f"{end.instance}.{each}"
            start = values.pop(full, own[end.instance].get(each, end.fmu.variables[each].start))
            found[full] = PolynomialDrive(float(start or 0.0))
    return found
