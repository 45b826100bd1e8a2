"""What a run leaves to its user: values over time by name, how it ended, and what it cost."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np

from coupling.errors import listed, shown
from coupling.fmus import level_of
from coupling.names import nearest, resolve
from coupling.outcome import Outcome
from coupling.record import Record, in_force

if TYPE_CHECKING:
    import pandas


Value = TypeVar("Value")


class NotRecorded(KeyError):
    """A name that a result does not have; unlike other KeyErrors, its text is shown as it is."""

    def __str__(self) -> str:
        return str(self.args[0])


class Named(dict[str, Value]):
    """A dictionary that says which names it has when it is asked for another one."""

    def __init__(self, found: Mapping[str, Value], what: str, none: str) -> None:
        super().__init__(found)
        self._what, self._none = what, none

    def __missing__(self, name: object) -> NoReturn:
        names = f"there {'is' if len(self) == 1 else 'are'} {listed(self)}" if self else self._none
        raise NotRecorded(f"there is no {self._what} {shown(name)}; {names}")


_NAMES = "result.names lists what was recorded, the option 'outputs' of simulate chooses it"


class Result:
    """Recorded values by name: ``result["rod.theta"]`` is an array beside ``result.time``.

    At an event there are two rows of the same time, before and after it.
    """

    def __init__(self, record: Record, outcome: Outcome) -> None:
        self._record = record
        self.system, self.outcome, self.statistics = record.system, outcome, record.statistics
        self.names = [column.name for column in record.columns]
        self.units = {column.name: column.unit for column in record.columns}
        self.time = np.ascontiguousarray(record.rows[:, 0])
        self.values = record.rows[:, 1:]
        self.changes = record.changes
        """Joints that were added or removed in the run, in the order of time: ``time``, ``joint``, ``what`` (``added`` or ``removed``), ``impulses`` by
        multiplier, the ``energy`` in J that was lost, and ``heirs``, which carry the load of one that was removed."""
        self.created_energy = Named(record.created_energy, "created energy of", "only co-simulations record any")
        """Of a co-simulation: the energy in J that coupling has created so far (less than 0: lost), by port of an instance and what
        is connected with it."""
        self._column = {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time":
            return self.time
        if not isinstance(name, str):
            raise NotRecorded(f"{shown(name)} was not recorded; give one name, such as 'rod.theta'")
        if name not in self._column:
            raise NotRecorded(f"'{name}' {self._remedy(name)}")
        return self.values[:, self._column[name]]

    def _remedy(self, name: str) -> str:
        """How to come by what was not recorded."""
        instance, variable = resolve(name, self._record.variables)
        if variable in self._record.variables.get(instance, ()):
            return f"exists, but was not recorded; name it in the outputs of simulate, such as outputs=['*', '{name}']"
        return f"was not recorded; {nearest(name, self.names) or _NAMES}"

    def __contains__(self, name: str) -> bool:
        return name in self._column

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "nothing"
        return f"Result({self.system!r}: {len(self.names)} variables, {span}, {len(self.time)} rows; {self.outcome.sentence})"

    def summary(self) -> str:
        """One line for the outcome, one for each warning and note, one for what has held constraints, one for the costs."""
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
        """By row and column, 1 where the joint of a column is in force and 0 where it is not."""
        joints = [self.names[i].removesuffix(f".{self._record.columns[i].variable}") for i in columns]
        return np.array([in_force(len(self), self._record.off.get(joint, ())) for joint in joints]).T

    @property
    def energy(self) -> np.ndarray:
        """The kinetic and potential energy of all instances that report it, over time."""
        columns = [i for i, each in enumerate(self._record.columns) if each.variable in ("energy.kinetic", "energy.potential")]
        if not columns:
            raise NotRecorded("no energy was recorded; record 'energy.kinetic' and 'energy.potential' of the bodies")
        return self.values[:, columns].sum(axis=1)

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame whose index is the time."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.values, index=pandas.Index(self.time, name="time"), columns=self.names)

    def to_csv(self, path: Path | str) -> None:
        """Writes all rows: the names with their units, then the numbers, in full precision."""
        if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
            raise TypeError(f"{shown(path)} is no path; give that of the file to be written, such as 'result.csv'")
        target = Path(path)
        try:
            with target.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["time [s]", *(f"{name} [{self.units[name]}]" if self.units.get(name) else name for name in self.names)])
                writer.writerows([repr(float(t)), *map(repr, map(float, row))] for t, row in zip(self.time, self.values, strict=True))
        except OSError as error:
            raise OSError(f"the result cannot be written to '{target}': {error.strerror}; choose another path") from None
