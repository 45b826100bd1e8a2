"""The task at each point of a sweep, as data that travels to workers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from coupling import rows_file
from coupling.errors import ResultError, shown
from coupling.files import written
from coupling.outcome import Ending, Outcome
from coupling.plan.definition import Definition
from coupling.plan.drives import FunctionDrive
from coupling.result import Result
from coupling.sweeps.points import Point
from coupling.system import System

MEASURABLE = (Ending.COMPLETED, Ending.UNTIL, Ending.TERMINATED)
"""Endings of runs that can be measured: completed, ended by ``until``, or terminated by an FMU."""


TOLD = ("ending", "outcome", "seconds")
"""Columns of each run in a table, beside points and measures."""


class Row(NamedTuple):
    """Result of one run in a sweep."""

    number: int
    outcome: Outcome
    seconds: float
    """Duration of the run alone, in s."""
    measures: Mapping[str, float]
    kept: Mapping[str, np.ndarray]


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    definition: Definition
    options: Mapping[str, Any]
    """Options of ``simulate``, without start values and drives."""
    start_values: Mapping[str, Any]
    drives: Mapping[str, Any]
    names: tuple[str, ...]
    """Names of the quantities that differ from point to point."""
    driven: frozenset[str]
    """Names that are inputs with drives."""
    measures: tuple[tuple[str, Callable[[Result], Any]], ...]
    keep: tuple[str, ...]
    folder: Path | None
    digest: str = field(default="")
    """Digest of all data that determine a run, except its point; empty if no files are written."""

    def run(self, system: System, number: int, point: Point) -> Row:
        """Makes one run and returns its row. Failures of the run are in the row; errors of its file are raised."""
        given = dict(zip(self.names, point, strict=True))
        path = self._path(number, point)
        known = _completed(path) if path else None
        if known:
            result, seconds = known
        else:
            began = perf_counter()
            try:
                result = system.simulate(**self.options, **self.values(given))
            except Exception as error:
                return Row(number, Outcome(getattr(error, "ending", None) or Ending.REFUSED, _said(error)), perf_counter() - began, {}, {})
            seconds = perf_counter() - began
            if path and result.outcome.ending is not Ending.INTERRUPTED:
                self._write(path, result, number, given, seconds)
        return self._measured(result, number, seconds)

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the start values and drives at a point: those of all runs, and over them those of the point."""
        starts = {name: each for name, each in given.items() if name not in self.driven}
        return {
            "start_values": {**self.start_values, **starts},
            "drives": {**self.drives, **{name: given[name] for name in given if name in self.driven}},
        }

    def told(self, number: int, point: Point) -> str:
        """Returns a run's number and values as text."""
        values = ", ".join(f"{name} = {shown(value)}" for name, value in zip(self.names, point, strict=True))
        return f"run {number} ({values})"

    def _measured(self, result: Result, number: int, seconds: float) -> Row:
        if result.outcome.ending not in MEASURABLE:
            return Row(number, result.outcome, seconds, {}, {})
        found: dict[str, float] = {}
        for name, measure in self.measures:
            try:
                numbers = _numbers(name, measure(result))
                found |= self._renamed(numbers) if measure is finals else _checked_names(numbers, {*found, *self.names})
            except Exception as error:
                sentence = f"the measure '{name}' failed: {_said(error)}"
                return Row(number, Outcome(Ending.MEASURE_FAILED, sentence), seconds, {}, {})
        kept = {name: np.array(result[name]) for name in ("time", *self.keep)} if self.keep else {}
        return Row(number, result.outcome, seconds, found, kept)

    def _renamed(self, numbers: Mapping[str, float]) -> Mapping[str, float]:
        """Renames last values whose name is also the name of a point's value."""
        return {f"final({name})" if name in self.names else name: value for name, value in numbers.items()}

    # -- files of runs -------------------------------------------------------------------------------------------------------------

    def _path(self, number: int, point: Point) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(f"{self.digest} {self.names} {[_told(each) for each in point]}".encode()).hexdigest()
        return self.folder / f"{number:06d}-{digest[:12]}{rows_file.SUFFIX}"

    def _write(self, path: Path, result: Result, number: int, given: Mapping[str, Any], seconds: float) -> None:
        point = {name: each if isinstance(each, int | float | str) else shown(each) for name, each in given.items()}
        sweep = {"number": number, "point": point, "seconds": seconds}
        with written(path, "run"):
            rows_file.write(path, replace(result._record, beside={"header": {"sweep": sweep}}), result.outcome)


def _completed(path: Path) -> tuple[Result, float] | None:
    """Returns the run that a file holds, and its seconds; None if it has to be made, again or for the first time."""
    if not path.exists():
        return None
    try:
        result = Result.load(path)
        seconds = result._record.beside["header"]["sweep"]["seconds"]
    except (OSError, ResultError, KeyError, TypeError):
        return None
    return (result, seconds) if result.outcome.ending in MEASURABLE else None


def finals(result: Result) -> dict[str, float]:
    """Returns the default measures: the last number of everything that was recorded."""
    last = {name: result[name][-1] for name in result.names}
    return {name: float(value) for name, value in last.items() if isinstance(value, int | float)}


def _numbers(name: str, value: Any) -> dict[str, float]:
    """Returns the numbers that a measure has returned, by name."""
    if isinstance(value, Mapping):
        return {str(key): _number(each) for key, each in value.items()}
    return {name: _number(value)}


def _checked_names(numbers: Mapping[str, float], taken: Collection[str]) -> Mapping[str, float]:
    """Raises ValueError if a measure has the name of another column."""
    for name in numbers:
        if name in taken or name in TOLD:
            what = "a column of each table" if name in TOLD else "a value of the points, or of another measure"
            raise ValueError(f"it gives '{name}', which is {what}; give it another name")
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, bool | int | float | np.number | np.bool_):
        raise TypeError(f"it returned {shown(value)}; return a number, or a mapping of numbers by name")
    return float(value) if not isinstance(value, np.complexfloating) else math.nan


def _said(error: Exception) -> str:
    """Returns the text of an error. Errors of this project are sentences; for others the class is added."""
    text = " ".join(str(error).split())
    notes = "; ".join(getattr(error, "__notes__", ()))
    own = type(error).__module__.partition(".")[0] == "coupling"
    return text if own else f"{type(error).__name__}: {text}" + (f" ({notes})" if notes else "")


# -- what a run follows from -------------------------------------------------------------------------------------------------------


def digest_of(definition: Definition, options: Mapping[str, Any], start_values: Mapping[str, Any], drives: Mapping[str, Any]) -> str:
    """Returns a digest that is the same for the same system and options in another process, on another day.

    Functions count by name, code and the values that they enclose.
    """
    instances = [
        (
            *((file.fmu.sha256, sorted(file.fmu.structural.items())) for file in (each.fmu, each.stepped)),
            *_fields(each, "fmu", "stepped", "logging", "process"),
        )
        for each in definition.instances
    ]
    told = [
        version("jourdain"),
        instances,
        [(name, type(drive).__name__, _told(drive)) for name, drive in definition.drives],
        *_fields(definition, "instances", "drives"),
        *([(name, _told(value)) for name, value in sorted(each.items())] for each in (options, start_values, drives)),
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _fields(of: Any, *without: str) -> list[tuple[str, str]]:
    return [(each.name, _told(getattr(of, each.name))) for each in fields(of) if each.name not in without]


def _told(value: Any) -> str:
    """Returns a value in words, which are equal for equal values."""
    if isinstance(value, FunctionDrive):
        return f"{_told(value.function)} {value.breaks} {_told(value.rates)}"
    if isinstance(value, FunctionType):
        cells = [_told(cell.cell_contents) for cell in value.__closure__ or ()]
        code = value.__code__
        return f"{value.__module__}.{value.__qualname__} {code.co_code.hex()} {code.co_consts} {code.co_names} {value.__defaults__} {cells}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()}"
    if is_dataclass(value):
        return repr(_fields(value))
    if isinstance(value, Mapping):
        return repr([(name, _told(each)) for name, each in sorted(value.items())])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return repr([_told(each) for each in value])
    return repr(value.item() if isinstance(value, np.generic) else value)
