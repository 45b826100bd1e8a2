"""What a run leaves: values over time, how it ended, and what it cost."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coupling.errors import shown
from coupling.names import nearest
from coupling.outcome import Outcome

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Statistics:
    """What a run cost. Times in FMUs come from every hundredth evaluation, since measuring all of them would cost more than they do."""

    evaluations: int
    steps: int
    rejected: int
    newton_iterations: int
    factorisations: int
    events: int
    state_events: int
    time_events: int
    step_events: int
    seconds_preparing: float
    seconds_running: float
    seconds_in_fmus: float
    passes: int = 0
    """Of a co-simulation: how often all its instances stepped, repetitions included."""

    @property
    def seconds_in_master(self) -> float:
        return max(0.0, self.seconds_running - self.seconds_in_fmus)

    def __str__(self) -> str:
        return (
            f"{self.steps} steps ({self.rejected} rejected), {self.evaluations} evaluations, {self.events} events; "
            f"{self.seconds_running:.3g} s: {self.seconds_in_fmus:.3g} s in FMUs, {self.seconds_in_master:.3g} s in the master"
        )


class NotRecorded(KeyError):
    """A name that a result does not have; unlike other KeyErrors, its text is shown as it is."""

    def __str__(self) -> str:
        return str(self.args[0])


_CONSTRAINT = re.compile(r"(position|velocity|acceleration)\[\d+\]")
_NAMES = "result.names lists what was recorded, the option 'outputs' of simulate chooses it"


class Result:
    """Recorded values by name: ``result["rod.theta"]`` is an array beside ``result.time``.

    At an event there are two rows of the same time, before and behind it.
    """

    def __init__(
        self,
        system: str,
        names: list[str],
        rows: np.ndarray,
        outcome: Outcome,
        statistics: Statistics,
        units: dict[str, str],
        created_energy: dict[str, np.ndarray] | None = None,
    ) -> None:
        self.system, self.names = system, list(names)
        self.time = np.ascontiguousarray(rows[:, 0])
        self.values = rows[:, 1:]
        self.outcome, self.statistics, self.units = outcome, statistics, units
        self.created_energy = created_energy or {}
        """Of a co-simulation: the energy in J that coupling has created so far (less than 0: lost), by port of an instance and what
        is connected with it."""
        self._column = {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time":
            return self.time
        if not isinstance(name, str):
            raise NotRecorded(f"{shown(name)} was not recorded; give one name, such as 'rod.theta'")
        if name not in self._column:
            raise NotRecorded(f"'{name}' was not recorded; {nearest(name, self.names) or _NAMES}")
        return self.values[:, self._column[name]]

    def __contains__(self, name: str) -> bool:
        return name in self._column

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "nothing"
        return f"Result({self.system!r}: {len(self.names)} variables, {span}, {len(self.time)} rows; {self.outcome.sentence})"

    def summary(self) -> str:
        """One line for the outcome, one for each warning, one for the costs."""
        return f"{self.outcome}\n{self.statistics}"

    @property
    def violation(self) -> dict[str, np.ndarray]:
        """The greatest violation of any constraint over time: ``position``, ``velocity`` and ``acceleration`` level."""
        levels: dict[str, list[int]] = {}
        for name, column in self._column.items():
            found = _CONSTRAINT.fullmatch(name.partition(".")[2])
            if found:
                levels.setdefault(found[1], []).append(column)
        return {level: np.abs(self.values[:, columns]).max(axis=1) for level, columns in levels.items()}

    @property
    def energy(self) -> np.ndarray:
        """The kinetic and potential energy of all instances that report it, over time."""
        columns = [i for name, i in self._column.items() if name.partition(".")[2] in ("energy.kinetic", "energy.potential")]
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
        target = Path(path)
        try:
            with target.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["time [s]", *(f"{name} [{self.units[name]}]" if self.units.get(name) else name for name in self.names)])
                writer.writerows([repr(float(t)), *map(repr, map(float, row))] for t, row in zip(self.time, self.values, strict=True))
        except OSError as error:
            raise OSError(f"the result cannot be written to '{target}': {error.strerror}; choose another path") from None
