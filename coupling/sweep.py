"""Many runs of one system, at points that differ in values: one function for every executor."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any

from coupling import rows_file
from coupling.analysis.pose import Pose
from coupling.checks import is_word, names_in
from coupling.errors import BuildError, InitialStateError, StartError, SweepError, shown
from coupling.files import is_path, remedy, remove_parts
from coupling.fmus import Fmu
from coupling.fmus.start_values import start_items
from coupling.live.fused import decided
from coupling.measures import Measure
from coupling.names import resolve, unfit
from coupling.options import Run
from coupling.options.calls import check_names, public_call
from coupling.outcome import Ending, Outcome
from coupling.plan.connections import check_drive, find_end
from coupling.plan.definition import Definition
from coupling.plan.given import drives_of
from coupling.plan.outputs import names_of
from coupling.progress import moved_bar, watched_by_someone
from coupling.result import Result
from coupling.simulate import Simulator
from coupling.ssp.parameters import start_values_of
from coupling.sweeps.course import rows_here, rows_of
from coupling.sweeps.executors import executor_of
from coupling.sweeps.points import points_of
from coupling.sweeps.table import SweepTable
from coupling.sweeps.task import MEASURABLE, Row, Task, digest_of, finals
from coupling.system import System

_LONG = 1.0
"""Seconds after which the bar of a sweep names the run under way."""
_NAMED = 20
"""Most missing runs that are named by their numbers."""


@public_call
def sweep(
    system: System,
    points: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    *,
    stop_time: float,
    executor: str | int | Executor | Any = None,
    combine: str | None = None,
    measure: Callable[[Result], Any] | Sequence[Callable[[Result], Any]] | Mapping[str, Callable[[Result], Any]] | None = None,
    keep: Sequence[str] = (),
    folder: str | os.PathLike[str] | None = None,
    on_failure: str = "record",
    progress: bool = False,
    start_values: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    drives: Mapping[str, Any] | None = None,
    **options: Any,
) -> SweepTable:
    """Runs a system at many points and returns a table with a row for each point, bit-identical for every executor.

    ``points`` are values by full name, of parameters, states or driven inputs. A mapping of lists gives all combinations
    (``combine="grid"``, the default), or takes the lists in step (``"zip"``, the default for a ``sample``). A sequence of mappings gives a
    point each; it may be an endless iterator.

    ``executor`` makes the runs: by default this process, one after the other. It may be ``"threads"``, ``"processes"``, a number of
    processes, an executor of ``concurrent.futures`` or a client of Dask.

    ``measure`` is computed in the process of the run, by default the last value of everything recorded. A measure is a function of the
    result that returns a number or a mapping of numbers. Several are given by name or in a list. Functions of ``jourdain.measures`` travel
    to other processes. ``keep`` names the variables whose values over time the table keeps.

    ``folder`` takes a ``.jrd`` file for each run. A sweep that is started again with the same folder makes only the missing runs.
    ``on_failure="raise"`` ends the sweep with SweepError at the first run that fails. ``start_values``, ``drives`` and all other options
    are those of ``simulate``, for all runs, and so is ``stop_time`` (seconds). ``progress`` shows a bar on a terminal. Refused points or
    options raise BuildError.
    """
    if not isinstance(system, System):
        raise BuildError(f"a sweep of {shown(system)} is refused: give the System first, then the points")
    definition, found = system.definition, points_of(points, combine)
    start_values = start_values_of(start_values, system.instances)
    if not isinstance(progress, bool):
        raise BuildError(f"progress = {shown(progress)} is refused: give True for a bar, or False")
    own, base = _given("start_values", start_values), _given("drives", drives)
    if "outputs" in options:
        options["outputs"] = names_of(options["outputs"])  # an iterator would last for one run
    run = _checked_options({"stop_time": stop_time, **options})
    if not is_word(on_failure, ("record", "raise")):
        raise BuildError(f"on_failure = {shown(on_failure)} is unknown; choose 'record', or 'raise' to end the sweep")
    _check_common(definition, own, base)
    driven = frozenset(name for name in found.names if name in base or name in dict(definition.drives))
    for name in found.names:
        if name not in driven:
            _check_name(definition, name)
    if options.get("initial") == "assemble":
        options["initial"] = _pose(definition, own)
    built = Simulator(definition).prepare(run)
    way, warning = decided(built, run)  # here, once, so that all runs are evaluated the same way, and none of them says so
    options["evaluation"] = way
    place = None if folder is None else _made(folder)
    task = Task(
        definition=definition,
        options={"stop_time": stop_time, **options},
        start_values=own,
        drives=base,
        names=found.names,
        driven=driven,
        measures=_measures(measure),
        keep=_kept(keep),
        folder=place,
        digest=digest_of(definition, {"stop_time": stop_time, **options}, own, base) if place else "",
    )
    runner = executor_of(executor, task)
    table = SweepTable(task)
    asked = (table.expect(point) for point in found.values)
    try:
        with _bar(progress, found.count) as (step, note):
            rows = rows_here(task, asked, note) if runner is None else rows_of(runner, task, asked, found.count, note)
            with closing(rows):
                for row in rows:
                    table.put(row)
                    step(row)
                    _judge(table, row, on_failure)
    except KeyboardInterrupt:
        pass
    if found.count is not None:
        for _ in asked:  # what nobody came to is missing
            pass
    table.outcome = _outcome(table, runner is not None and runner.broken)
    table.outcome.warnings += [warning] if warning else []
    return table


def _pose(definition: Definition, start_values: Mapping[str, Any]) -> Pose | str:
    """Returns the pose at which all runs begin, each with its own values. If the system cannot be assembled, each run is assembled by
    itself."""
    try:
        return System.of(definition).assemble(start_values=start_values)
    except (InitialStateError, StartError):
        return "assemble"


def _judge(table: SweepTable, row: Row, on_failure: str) -> None:
    """Raises SweepError if a run failed and failures are to end the sweep. A measure that fails at the first point always ends it."""
    ending, sentence = row.outcome.ending, row.outcome.sentence
    if ending is Ending.MEASURE_FAILED and row.number == 0:
        raise SweepError(f"{sentence}; it is the first run, after which nothing else was measured")
    if on_failure == "raise" and ending not in MEASURABLE:
        raise SweepError(f"{table.told(row.number)} failed: {sentence}")


def _outcome(table: SweepTable, broken: bool) -> Outcome:
    missing, failed = table.missing, len(table.failed)
    if not missing:
        return Outcome(Ending.COMPLETED, f"all {len(table)} runs were made" + (f", {failed} failed" if failed else ""))
    named = _spans(missing)
    which = ", ".join(named[:_NAMED]) + (" ..." if len(named) > _NAMED else "")
    again = (
        "start the sweep again with the same folder"
        if table.written
        else "start the sweep again, with a folder that keeps the finished runs"
    )
    if broken:
        again = f"a process of the executor ended, and the executor with it; make another one, or leave that to executor='processes', and {again}"
    return Outcome(
        Ending.WORKER_LOST if broken else Ending.INTERRUPTED,
        f"stopped after {len(table) - len(missing)} of {len(table)} runs: {which} are missing; {again}",
    )


def _spans(numbers: Sequence[int]) -> list[str]:
    """Returns numbers in order as text; consecutive numbers become a range."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1] = [found[-1][0], number]
        else:
            found.append([number])
    return [" to ".join(map(str, dict.fromkeys(each))) for each in found]


# -- what is asked for -------------------------------------------------------------------------------------------------------------


def _checked_options(options: Mapping[str, Any]) -> Run:
    known = [name for name in inspect.signature(System.simulate).parameters if name not in ("self", "progress")]
    check_names("a sweep", options, known)
    if options.get("checkpoint") is not None:
        raise BuildError(
            "checkpoint names one file, and each run of a sweep would need its own; the points that are done are kept by folder='runs'"
        )
    if "record_to" in options:
        raise BuildError("record_to names one file, and each run of a sweep needs its own; give folder='runs' instead")
    run = Run(**({**options, "initial": Run.initial} if isinstance(options.get("initial"), Pose) else options))
    if run.isolation.on_crash != "stop":
        raise BuildError(
            "on_crash is for runs with a checkpoint, which runs of a sweep do not have; leave "
            "it out: a run whose FMU ends its process gives a failed row, and the sweep continues"
        )
    return run


def _given(what: str, values: Any) -> dict[str, Any]:
    if values is not None and not (isinstance(values, Mapping) and names_in(values) is not None):
        raise BuildError(f"{what} = {shown(values)} is refused: give values for all runs by full names, such as {{'rod.m': 2.0}}")
    return dict(values or {})


def _check_common(definition: Definition, start_values: Mapping[str, Any], drives: Mapping[str, Any]) -> None:
    """Checks the start values and drives that are the same for all runs, before the first of them."""
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    for name, drive in drives_of(drives, fmus).items():
        check_drive(name, fmus, drive)
    for name, value in start_values.items():
        instance, variable = _found(fmus, name, "start_values: ")
        start_items(instance, fmus[instance], variable, value, again=True)


def _check_name(definition: Definition, name: str) -> None:
    """Raises BuildError for a name that no run could set; each run checks its value."""
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    instance, variable = _found(fmus, name, "the points of the sweep: ")
    fmu = fmus[instance]
    if variable in fmu.arrays:
        return
    known = fmu.variables.get(variable)
    value = known.start if known else None
    start_items(instance, fmu, variable, max(known.minimum, 0.0) if known and value is None else value, again=True)


def _found(fmus: Mapping[str, Fmu], name: str, where: str) -> tuple[str, str]:
    """Returns the instance and the rest of a name."""
    instance, variable = resolve(name, fmus)
    if instance not in fmus or not variable:
        find_end(name, fmus, where)
    return instance, variable


def _measures(given: Any) -> tuple[tuple[str, Callable[[Result], Any]], ...]:
    if given is None:
        return (("the last values", finals),)
    if isinstance(given, Mapping):
        found = [(name, each) for name, each in given.items()]
    else:
        found = [(_name_of(each), each) for each in (given if isinstance(given, Sequence) and not isinstance(given, str) else [given])]
    for name, each in found:
        if not isinstance(name, str) or not callable(each):
            raise BuildError(
                f"the measure {shown(each)} is refused: give functions of a result, such as jourdain.measures.final('rod.theta')"
            )
        why = unfit(name)
        if why:
            raise BuildError(f"the measure {shown(name)} is refused: {why}; give another name")
    names = [name for name, _ in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BuildError(f"two measures are called '{twice}'; give them by name, such as {{'first': ..., 'second': ...}}")
    return tuple(found)


def _kept(keep: Any) -> tuple[str, ...]:
    names = (keep,) if isinstance(keep, str) else keep
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise BuildError(f"keep = {shown(keep)} is refused: give a list of full names, such as ['rod.theta']")
    return tuple(names)


def _name_of(measure: Any) -> Any:
    if isinstance(measure, Measure):
        return str(measure)
    name = getattr(measure, "__name__", "measure")
    return "measure" if name == "<lambda>" else name


def _made(folder: str | os.PathLike[str]) -> Path:
    if not is_path(folder):
        raise BuildError(f"folder = {shown(folder)} is no path; give that of a folder for the files of the runs")
    path = Path(folder).absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"the folder '{path}' cannot be made: {error.strerror}; {remedy(error)}") from None
    remove_parts(path, f"*{rows_file.SUFFIX}")
    return path


@contextmanager
def _bar(progress: bool, count: int | None) -> Iterator[tuple[Callable[[Row], None], Callable[[str], None]]]:
    """Yields functions that move a progress bar, and that note the run under way, which the bar names if it takes long. They do nothing
    unless progress is wanted and a terminal shows it."""
    if not progress or not watched_by_someone():
        yield (lambda row: None), (lambda text: None)
        return
    present, ended = ("", 0.0), Event()

    def note(text: str) -> None:
        nonlocal present
        if text != present[0]:
            present = text, perf_counter()

    def named() -> str:
        text, since = present
        seconds = perf_counter() - since
        return f"{text} for {seconds:.0f} s" if text and seconds > _LONG else ""

    def watch() -> None:
        while not ended.wait(_LONG / 2):
            move(lambda bar: bar.set_postfix_str(named()))

    with moved_bar(total=count, desc="sweeping", unit="run") as move:
        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield (lambda row: move(lambda bar: bar.update())), note
        finally:
            ended.set()
            watcher.join()
