"""Result of a run: values over time by name, the outcome and the costs."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from coupling import mat_file, rows_file
from coupling.checks import checked_names, is_word
from coupling.errors import NotRecorded, ResultError, listed, shown
from coupling.exact import as_curve, head_of, is_text, values_of
from coupling.exact import written as written_value
from coupling.files import file_path, written
from coupling.fmus import level_of
from coupling.markup import Markup, framed, titled
from coupling.named import LeftOut, Members, Named
from coupling.names import check_title, matches, nearest, resolve
from coupling.outcome import Outcome
from coupling.pictures.comparison import Comparison, common_rows
from coupling.pictures.moving import moving
from coupling.pictures.notebook import first_plot, values_table
from coupling.pictures.page import page
from coupling.pictures.plot import by_unit, plot
from coupling.pictures.scene import scene_of
from coupling.pictures.still import still
from coupling.pictures.strokes import drawn
from coupling.record import Column, Record, in_force, quotient
from coupling.resampling import SAME_TIME, Places, places_at, resampled, times_of, wanted_times

if TYPE_CHECKING:
    import pandas
    import xarray


_NAMES = "result.names lists the recorded names, and the option 'outputs' of simulate chooses it"


class Result:
    """Recorded values by name: ``result["rod.theta"]`` is an array beside ``result.time``.

    At an event there are two rows of the same time, before and after it. A name that was not recorded raises KeyError. A refused time, side
    or file name raises ValueError, and a file that cannot be read or written OSError.
    """

    def __init__(self, record: Record, outcome: Outcome, drives: Mapping[str, Any] | None = None) -> None:
        self._record = record
        self.drives = dict(drives or {})
        """Drives of this run alone, as they were given; a result from a file has none."""
        self.system, self.outcome, self.statistics = record.system, outcome, record.statistics
        self.names = [column.name for column in record.columns]
        self.time = record.rows[:, 0]
        with suppress(MemoryError):  # a run that memory has ended may have left too little for what is only faster
            self.time = np.ascontiguousarray(self.time)
        self.values = record.rows[:, 1:]
        self.changes = record.changes
        """Changes of joints in the run, in the order of time: ``time``, ``joint``, ``what`` (``added`` or ``removed``) and ``impulses``
        by multiplier. ``energy`` is lost, in J; ``heirs`` carry the load of a removed joint."""
        self.created_energy = Named(record.created_energy, "created energy of", "only co-simulations record any")
        """Energy in J that the coupling of a co-simulation has created so far (less than 0: lost), by port of an instance and its
        connections."""
        self.printed = Named(
            record.printed, "text printed by", "FMUs in the process of the master print on its terminal, and files keep no texts"
        )
        """Text that the process of an FMU has printed in the run, its last mebibyte. All FMUs of one process have the same text."""
        self.differentiated = {each.name: "exact" if each.exact else "by differences" for each in record.parameters}
        """Parameters of ``sensitivities``, and whether their derivatives are exact or differences."""

    @cached_property
    def units(self) -> dict[str, str]:
        return {column.name: column.unit for column in self._record.columns}

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @classmethod
    def load(cls, path: Path | str) -> Result:
        """Returns the result that ``save`` has written to ``path``; no FMU is needed. A run under way has the rows so far."""
        return cls(*rows_file.read(file_path(path, rows_file.SUFFIX, "read")))

    def __getitem__(self, name: str) -> Any:
        """Returns the values of a variable over time; for an instance or a port, a mapping with all its recorded variables."""
        if name == "time":
            return self.time
        if not isinstance(name, str):
            raise NotRecorded(f"{shown(name)} was not recorded; give one name, such as 'rod.theta'")
        if name not in self._column:
            return self._members(name)
        return self._exact(self._column[name])

    def _exact(self, column: int, numbers: np.ndarray | None = None) -> np.ndarray:
        """Returns the values of a column: its numbers, or objects where no double holds them. Other ``numbers`` take the place of rows."""
        return values_of(self._record.columns[column], self.values[:, column] if numbers is None else numbers, self._record.texts)

    @cached_property
    def items(self) -> dict[str, dict[int, str]]:
        """Names of the items of recorded enumerations by their numbers, by variable."""
        return {each.name: {number: item for item, number in each.items} for each in self._record.columns if each.items}

    def item_names(self, name: str) -> np.ndarray:
        """Returns the names of an enumeration's items over time; a number without an item is its text."""
        if name not in self.items:
            raise NotRecorded(
                f"{shown(name)} is no recorded enumeration; {f'there are {listed(self.items)}' if self.items else 'there is none'}"
            )
        known, values = self.items[name], self[name].tolist()
        return np.array([known.get(int(each), f"{each:g}") for each in values], dtype=object)

    def _members(self, name: str) -> Members:
        """Returns the recorded variables of an instance or a port."""
        found = tuple(each[len(name) + 1 :] for each in self.names if each.startswith(f"{name}."))
        if found:
            return Members(self, name, found)
        if name in self._record.variables:
            raise NotRecorded(f"nothing of '{name}' was recorded; name it in the outputs of simulate, such as outputs=['{name}']")
        raise NotRecorded(f"'{name}' {self._remedy(name)}")

    def _remedy(self, name: str) -> str:
        """Says how a variable that was not recorded can be had."""
        instance, variable = resolve(name, self._record.variables)
        if variable in self._record.variables.get(instance, ()):
            return f"exists, but was not recorded; name it in the outputs of simulate, such as outputs=['*', '{name}']"
        return f"was not recorded; {nearest(name, self.names) or _NAMES}"

    def sensitivity(self, name: str, parameter: str) -> np.ndarray:
        """Returns the derivative of a recorded variable ``name`` by a ``parameter`` of ``sensitivities`` over time."""
        return self._record.derivatives[:, self._place(name, parameter)]

    def sensitivity_unit(self, name: str, parameter: str) -> str:
        """Returns the unit of the derivative of the variable ``name`` by ``parameter``, such as "rad/(kg)"."""
        self._place(name, parameter)
        return quotient(self.units[name], next(each.unit for each in self._record.parameters if each.name == parameter))

    def _place(self, name: str, parameter: str) -> int:
        """Returns the column of a derivative among all derivatives."""
        parameters = [each.name for each in self._record.parameters]
        if parameter not in parameters:
            there = f"there are {listed(parameters)}" if parameters else "the run has none"
            raise NotRecorded(f"there is no sensitivity by {shown(parameter)} ({there}); name it in the sensitivities of simulate")
        if name not in self._column:
            raise NotRecorded(f"'{name}' {self._remedy(name)}" if isinstance(name, str) else f"{shown(name)} is no name of a variable")
        return parameters.index(parameter) * len(self.names) + self._column[name]

    def __contains__(self, name: str) -> bool:
        return name in self._column

    def __iter__(self) -> Iterator[str]:
        """Gives the names of the variables, as a table of pandas gives those of its columns; the length is the number of rows there, too."""
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "nothing"
        return f"Result({self.system!r}: {len(self.names)} variables, {span}, {len(self.time)} rows; {self.outcome.sentence})"

    def _repr_html_(self) -> str:
        """Shows the outcome, the costs, a first plot and the first variables in notebooks."""
        own = [i for i, column in enumerate(self._record.columns) if not set(".[") & set(column.variable)]
        order = [*own, *sorted(set(range(len(self.names))) - set(own))] if len(self) else []
        values = {self.names[i]: self.values[:, i] for i in order if not is_text(self._record.columns[i])}
        span = f"{len(self.names)} variables, {len(self)} rows"
        told = (Markup(self.outcome._repr_html_()), str(self.statistics))
        shown = (first_plot(self.time, values, self.units), values_table(self.time, values, self.units))
        return framed(titled(self.system, span), *told, *shown)

    def summary(self) -> str:
        """Returns text: a line for the outcome, one for each warning and note, one for the stabilisation and one for the costs."""
        return "\n".join(filter(None, [str(self.outcome), self.outcome.stabilisation, str(self.statistics)]))

    @property
    def violation(self) -> dict[str, np.ndarray]:
        """The greatest violation of any constraint in force over time: ``position``, ``velocity`` and ``acceleration`` level."""
        levels: dict[str, list[int]] = {}
        for i, column in enumerate(self._record.columns):
            level = level_of(column.variable)
            if level is not None:
                levels.setdefault(level, []).append(i)
        found = {level: np.abs(self.values[:, columns] * self._in_force(columns)).max(axis=1) for level, columns in levels.items()}
        return Named(
            found, "violation at level", "no constraint was recorded; name a joint in the outputs of simulate, such as outputs=['pin']"
        )

    def _in_force(self, columns: Sequence[int]) -> np.ndarray:
        """Returns 1 by row and column where the joint of the column is in force, and 0 elsewhere."""
        off, names = self._record.off, [self.names[i] for i in columns]
        joints = [name.removesuffix(f".{self._record.columns[i].variable}") for i, name in zip(columns, names, strict=True)]
        return np.array([in_force(len(self), off.get(joint, off.get(name, ()))) for joint, name in zip(joints, names, strict=True)]).T

    @property
    def energy(self) -> np.ndarray:
        """The kinetic and potential energy of all instances that report it, over time."""
        columns = [i for i, each in enumerate(self._record.columns) if each.variable in ("energy.kinetic", "energy.potential")]
        if not columns:
            raise NotRecorded("no energy was recorded; record 'energy.kinetic' and 'energy.potential' of the bodies")
        return self.values[:, columns].sum(axis=1)

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """Values of the parameters in this run, by full names and in their units; read-only."""
        given = {name: value for name, value in self._record.start_values.items() if not isinstance(value, str)}
        return MappingProxyType({name: float(given.get(name, each.value)) for name, each in self._record.constants.items()})

    @property
    def options(self) -> Mapping[str, object]:
        """The options of ``simulate`` that are numbers or words; to be read alone."""
        return MappingProxyType(dict(self._record.options))

    @overload
    def at(self, t: float, side: str = "after") -> Mapping[str, float]: ...

    @overload
    def at(self, t: Sequence[float] | np.ndarray, side: str = "after") -> Mapping[str, np.ndarray]: ...

    def at(self, t: float | Sequence[float] | np.ndarray, side: str = "after") -> Mapping[str, float] | Mapping[str, np.ndarray]:
        """Returns all values by name at ``t`` in s, or arrays at several times: linear between rows, the last of discrete variables.

        At an event ``side`` chooses one of its two rows, ``before`` or ``after``.
        """
        found = self._places(times_of(t, "t"), side).of(self.values, self._discrete)
        columns = [self._exact(i, found[:, i]) for i in range(found.shape[1])] if self._has_exact else found.T
        values: Any = columns if np.ndim(t) else [each.tolist()[0] for each in columns]
        return Named(dict(zip(self.names, values, strict=True)), "recorded value", "nothing was recorded")

    def resample(self, times: Sequence[float] | np.ndarray | None = None, *, interval: float | None = None, side: str = "after") -> Result:
        """Returns the same result with one row for each time, whose values are those of ``at``.

        ``times`` increase, in seconds; or an ``interval`` in seconds gives regular times from the first row on. Without both every recorded time has
        one row. At an event ``side`` chooses ``before`` or ``after``. A result without rows raises ResultError.
        """
        if not len(self):
            raise ResultError(f"there is nothing to resample: the result has no row; {self.outcome.sentence}")
        wanted = wanted_times(self.time, times, interval)
        return Result(resampled(self._record, self._places(wanted, side), wanted), self.outcome, self.drives)

    def _places(self, times: np.ndarray, side: str) -> Places:
        """Returns the places of times among the rows; refuses times outside."""
        if not is_word(side, ("before", "after")):
            raise ValueError(f"side = {shown(side)} is unknown; choose 'before' or 'after' an event")
        found = places_at(self.time, times, side) if len(self) else float(times[0]) if len(times) else 0.0
        if not isinstance(found, Places):
            span = f"from {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "no time at all"
            raise ValueError(f"t = {found:g} s is refused: the result holds {span}; {self.outcome.sentence}")
        return found

    def plot(self, *names: str | Sequence[str], path: str | os.PathLike[str] | None = None, events: bool = True) -> Any:
        """Plots values over time by name, such as ``plot("rod.theta", "pin.reaction")``: one pair of axes for each unit.

        A name may be a pattern with ``*``; names in one tuple get axes of their own. ``events`` marks events on the time axis. Returns the
        figure of Matplotlib, and writes it to ``path`` if one is given.
        """
        if not len(self):
            raise ResultError(f"there is nothing to plot: the result has no row; {self.outcome.sentence}")
        for name in names:
            if not isinstance(name, str) and (not isinstance(name, Sequence) or not name):
                raise ValueError(f"plot: {shown(name)} is no name; give names such as 'rod.theta', or tuples of names that share axes")
        single = [name for name in names if isinstance(name, str)]
        groups = [self._matching(name) for name in names if not isinstance(name, str)]
        apart = self.units | {each.name: f"words of {each.name}" for each in self._record.columns if each.items or is_text(each)}
        groups = [*by_unit(self._matching(single), apart), *groups] if single else groups
        if not groups:
            raise ValueError(f"plot: name the values to show, such as result.plot({', '.join(map(repr, self.names[:2]))})")
        for group in groups:
            mixed = {self.units[name]: name for name in group}
            if len(mixed) > 1:
                (a, first), (b, second), *_ = mixed.items()
                raise ValueError(
                    f"plot: '{first}' in {a or '1'} and '{second}' in {b or '1'} cannot share axes; name them in separate tuples"
                )
        target = None if path is None else file_path(path, ".png")
        curves = [{name: as_curve(self._columns.get(name), self[name]) for name in group} for group in groups]
        words = [next((each for _, each in group.values() if each), []) for group in curves]
        numbers = [{name: values for name, (values, _) in group.items()} for group in curves]
        return plot(self.time, numbers, self.units, target, events, words)

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {each.name: each for each in self._record.columns}

    def animate(
        self,
        path: Path | str,
        signals: Sequence[str | Sequence[str]] | None = None,
        forces: Sequence[str] | None = None,
        traces: Sequence[str] | None = None,
        title: str | None = None,
        *,
        magnify: float = 1.0,
    ) -> Path:
        """Writes the mechanism in motion to ``path``: a page of HTML, or a moving picture if it ends with ``.svg``. Returns the path.

        The page needs no server, network or FMUs. The picture contains no program and runs by itself, without plots and forces. ``title``
        replaces the name. ``signals`` are plotted beside the mechanism: names, or tuples of names in one plot. ``forces`` are instances or
        patterns with ``*`` whose recorded forces are arrows; None means all in short runs. ``traces`` are bodies or ports whose paths are
        drawn. ``magnify`` is the factor by which deformations of elastic bodies are drawn, which the page can change.
        """
        target = file_path(path, ".html")
        if target.suffix not in (".html", ".htm", ".svg"):
            raise ValueError(f"'{target}' is refused: a moving picture is written as .html or .svg; give the path one of these suffixes")
        check_title(title)
        picture = target.suffix == ".svg"
        plotted, arrows = (signals or (), ()) if picture else (signals, forces)
        scene = scene_of(self._record, self._told(), plotted, arrows, traces, magnify)
        text = moving(scene, title) if picture else page(scene, title)
        with written(target, "picture" if picture else "page"):
            target.write_text(text, encoding="utf-8", newline="\n")
        return target

    def picture(
        self,
        t: float | Sequence[float],
        path: Path | str,
        names: bool = False,
        traces: Sequence[str] | None = (),
        forces: Sequence[str] | None = (),
        *,
        magnify: float = 1.0,
    ) -> Path:
        """Writes the pose at ``t`` (s) as SVG, PNG or PDF, by the suffix of ``path``; several times give a strip of poses. Returns
        the path.

        ``names`` shows those of bodies; ``traces`` are bodies or ports whose paths are drawn, ``forces`` instances or patterns whose
        recorded forces are arrows. ``magnify`` is the factor by which deformations of elastic bodies are drawn.
        """
        times = [t] if isinstance(t, int | float | np.number) else list(t) if isinstance(t, Sequence | np.ndarray) and np.ndim(t) else []
        if not times:
            raise ValueError(f"picture: t = {shown(t)} is no time; give one in seconds, or several for a strip of poses")
        self._places(times_of(times, "t"), "after")  # refuses what is no time of this result
        return self._drawn(times, path, names, traces, forces=forces, magnify=magnify)

    def _drawn(
        self,
        times: Sequence[float],
        path: Path | str,
        names: bool,
        traces: Sequence[str] | None = (),
        bad: Collection[str] = (),
        forces: Sequence[str] | None = (),
        magnify: float = 1.0,
    ) -> Path:
        """Draws the poses at some times into a file; ``bad`` are instances to be shown in red."""
        sheet = still(scene_of(self._record, traces=traces, forces=forces, magnify=magnify), [float(each) for each in times], names, bad)
        return drawn(sheet, file_path(path, ".svg"), self.system)

    def _told(self) -> str:
        """Returns one line of text for pictures: the number of FMUs, the outcome and the solver."""
        parts = [f"{len(self._record.variables)} FMUs" if self._record.variables else "", self.outcome.sentence]
        parts += [str(self.options[name]) for name in ("solver",) if name in self.options]
        return " · ".join(filter(None, parts))

    def _matching(self, names: Sequence[str]) -> list[str]:
        """Returns the recorded names that match names and patterns. A name or pattern without any match raises NotRecorded."""
        found: dict[str, None] = {}
        for name in checked_names("names", names):
            if isinstance(name, str) and "*" in name:
                fitting = [each for each in self.names if matches(each, name)]
                if not fitting:
                    raise NotRecorded(f"nothing that was recorded matches '{name}'; {_NAMES}")
                found |= dict.fromkeys(fitting)
            elif isinstance(self[name], Members):
                raise NotRecorded(
                    f"'{name}' has several variables; name one of them, such as '{name}.{next(iter(self[name]))}', or '{name}.*'"
                )
            else:
                found[name] = None
        return list(found)

    def compare(self, other: Result, names: Sequence[str] | None = None) -> Comparison:
        """Returns the differences from an ``other`` result, by name: the greatest difference, its time, and the root mean square.

        Rows of times that both have are compared; ``names`` are names and patterns with ``*``, by default all that both have recorded.
        Without a name or a time in common ResultError is raised.
        """
        if not isinstance(other, Result):
            raise TypeError(f"compare: {shown(other)} is no result; give another Result, such as Result.load('before.jrd')")
        texts = {each.name for each in self._record.columns if is_text(each)}
        wanted = [name for name in self.names if name in other and name not in texts] if names is None else names
        chosen = self._matching(wanted)
        if found := texts.intersection(chosen):
            raise ValueError(f"compare: {listed(found)} has texts, which have no differences; name numbers alone")
        for name in chosen:
            other[name]  # says what to do where it was not recorded
        if not chosen and names is not None:
            raise ValueError("compare: names is empty; leave it out to compare all that both results have")
        if not chosen:
            raise ResultError(
                f"compare: the results of '{self.system}' and '{other.system}' have no name in common; compare runs of one system"
            )
        greatest = max((np.abs(time[[0, -1]]).max() for time in (self.time, other.time) if len(time)), default=0.0)
        own, its = common_rows(self.time, other.time, SAME_TIME * greatest)
        if not len(own):
            raise ResultError("compare: the results have no time in common; give both runs the same output_interval or output_times")
        return Comparison(
            self.time[own], {name: (as_curve(None, self[name])[0][own], as_curve(None, other[name])[0][its]) for name in chosen}, self.units
        )

    def final(self, names: Sequence[str]) -> dict[str, float]:
        """Returns the last values of ``names``, such as the states of another start. Names that were not recorded raise ResultError."""
        if not len(self):
            raise ResultError(f"the result has no row: {self.outcome.sentence}")
        names = checked_names("final: names", names)
        last, missing = self.at(self.time[-1]), [name for name in names if name not in self.names]
        if missing:
            raise ResultError(
                f"the result has not recorded {listed(missing[:3])}, which its last row is to give; name them in outputs= of that run"
            )
        return {name: last[name] for name in names}

    @cached_property
    def _has_exact(self) -> bool:
        """True if some values are objects instead of doubles."""
        return any(column.type for column in self._record.columns)

    @cached_property
    def _discrete(self) -> np.ndarray:
        return np.array([column.discrete for column in self._record.columns], dtype=bool)

    def save(self, path: Path | str) -> None:
        """Writes everything to ``path``, which ends in ``.jrd``. ``Result.load`` gives back the same, to the bit."""
        target = file_path(path, rows_file.SUFFIX)
        if target.suffix != rows_file.SUFFIX:
            raise ValueError(
                f"'{target}' does not end in '{rows_file.SUFFIX}'; name it '{target.with_suffix(rows_file.SUFFIX)}', or call to_csv or to_mat"
            )
        with written(target):
            rows_file.write(target, self._record, self.outcome, clean=True)

    def to_mat(self, path: Path | str) -> None:
        """Writes parameters and all rows to ``path`` as Modelica tools do (``.mat``), with units and descriptions."""
        target = file_path(path, ".mat")
        with written(target):
            mat_file.write(target, self._record)
        texts = [each.name for each in self._record.columns if is_text(each)]
        if texts:
            warnings.warn(f"'{target}' has no texts: {listed(texts)} is left out; save the result as .jrd or .csv", LeftOut, stacklevel=2)

    def to_dataframe(self, unique: bool = False) -> pandas.DataFrame:
        """Returns a pandas data frame whose index is the time in s. With ``unique`` each time has one row, at an event the row after it."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from None
        if unique and len(self):
            return self.resample().to_dataframe()
        content: Any = {name: self[name] for name in self.names} if self._has_exact else self.values
        frame = pandas.DataFrame(content, index=pandas.Index(self.time, name="time"), columns=self.names)
        frame.attrs["units"] = {"time": "s", **self.units}
        if self._record.parameters:
            pairs = [(name, each.name) for each in self._record.parameters for name in self.names]
            labels = [f"d {name}/d {parameter}" for name, parameter in pairs]
            derivatives = pandas.DataFrame(self._record.derivatives, index=frame.index, columns=labels)
            units = {label: self.sensitivity_unit(*pair) for label, pair in zip(labels, pairs, strict=True)}
            attributes = {"units": {**frame.attrs["units"], **units}}
            frame = pandas.concat([frame, derivatives], axis=1)
            frame.attrs.update(attributes)
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Returns a Dataset of xarray over the time in s, with units and descriptions."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray needs xarray: pip install xarray") from None
        columns = self._record.columns
        told = [{"units": each.unit, **({"long_name": each.description} if each.description else {})} for each in columns]
        variables = {each.name: ("time", self._exact(i), told[i]) for i, each in enumerate(columns)}
        return xarray.Dataset(variables, coords={"time": ("time", self.time, {"units": "s"})}, attrs={"title": self.system})

    def to_csv(self, path: Path | str) -> None:
        """Writes all rows to ``path`` as CSV: names with their units, then the numbers in full precision."""
        target = file_path(path, ".csv")
        with written(target), target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["time [s]", *map(head_of, self._record.columns)])
            columns = [map(written_value, self._exact(i).tolist()) for i in range(len(self.names))]
            writer.writerows(zip(map(repr, self.time.tolist()), *columns, strict=True))
