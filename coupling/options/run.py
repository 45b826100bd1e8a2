"""Options of a simulation, as the user gives them.

The section "Options of a run" in ``docs/architecture.md`` lists the other files that a new option touches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from coupling.checks import is_word, numbers_in
from coupling.errors import BuildError, shown
from coupling.options.calls import flattened
from coupling.options.condition import parsed
from coupling.options.contacts import Contacts
from coupling.options.index3 import Index3
from coupling.options.isolation import Isolation
from coupling.options.numbers import check_word, number, real_time_of
from coupling.options.scheme import Scheme
from coupling.options.successive import Successive

_INITIAL = ("check", "assemble", "relax")
_STABILISATION = ("baumgarte", "projection")
_CONTACTS = Contacts()
_EVALUATION = ("auto", "fmus", "tape", "compiled")
_ON_LATE = ("warn", "stop", "catch-up")
_DIFFERENTIATED = ("dopri5", "dop853")
"""Solvers that integrate sensitivities along."""
MOST_ROWS = 100_000_000
"""Most rows for which an interval may ask."""
_STEPS = 500
"""Default number of intervals between rows, and of fixed steps."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """Options of a run. See ``System.simulate``, whose defaults these are."""

    is_open: ClassVar[bool] = False
    """True if the end of the run is not known when it starts."""

    stop_time: float
    start_time: float = 0.0
    solver: str | Index3 = "dopri5"
    rtol: float = 1e-8
    atol: float | Mapping[str, float] | None = None
    initial: str = "check"
    outputs: Sequence[str] | None = None
    output_times: Sequence[float] | np.ndarray | None = None
    output_interval: float | None = None
    max_step: float = math.inf
    max_steps: int = 10_000_000
    value_limit: float | None = 1e9
    """Limit of states. A state ends the run if its absolute value exceeds this multiple of its nominal value, its start value and 1.
    None: no limit."""
    until: str | Callable[[Mapping[str, float]], Any] | None = None
    """Condition that ends the run: an expression of recorded names, or a function of the values by name."""
    max_seconds: float | None = None
    """Seconds of wall-clock time after which the run ends. None: no limit."""
    progress: bool = False
    communication_step: float | None = None
    scheme: str | Scheme = "explicit"
    stabilisation: str | None = None
    """Stabilisation: ``projection`` ends every step on the constraints, ``baumgarte`` is part of the joints.

    None: projection, if the solver and the joints can.
    """
    multipliers: str | Successive = "simultaneous"
    contacts: Contacts = _CONTACTS
    isolate: str | Isolation = "none"
    sensitivities: Sequence[str] = ()
    """Parameters by which everything recorded is differentiated."""
    evaluation: str = "auto"
    """Method of derivatives: calls of the FMUs (``fmus``), a ``tape`` of their equations, or ``compiled`` code of these.

    The tape calls FMUs of other tools. ``auto`` takes the tape if all FMUs are of this library and a tape exists.
    """
    real_time: float | None = None
    """Simulated seconds per second of the wall clock. None: the run does not wait."""
    on_late: str = "warn"
    """Treatment of a point that a run in real time reaches late."""

    def __post_init__(self) -> None:
        for name in ("start_time", "stop_time", "rtol", "max_step", "output_interval"):
            if name != "output_interval" or self.output_interval is not None:
                object.__setattr__(self, name, number(name, getattr(self, name)))
        self._check_times()
        if not 0 < self.rtol < 1:
            raise BuildError(f"rtol = {self.rtol:g} is refused: it must lie between 0 and 1; 1e-8 is the default")
        if self.rtol < 1e-15:
            raise BuildError(f"rtol = {self.rtol:g} is refused: numbers have no more than 16 digits; give 1e-14 or more")
        self._check_atol()
        if not isinstance(self.initial, str) or self.initial not in _INITIAL:
            raise BuildError(f"initial = {shown(self.initial)} is unknown; choose 'check', 'assemble' or 'relax'")
        if not self.max_step > 0:
            raise BuildError(f"max_step = {self.max_step:g} s is refused: it must be greater than 0; leave it out to have no limit")
        if not 1 <= number("max_steps", self.max_steps) < math.inf or self.max_steps != int(self.max_steps):
            raise BuildError(f"max_steps = {self.max_steps} is refused: it must be a whole number of at least 1")
        object.__setattr__(self, "max_steps", int(self.max_steps))
        self._check_value_limit()
        self._check_early_end()
        if not isinstance(self.progress, bool):
            raise BuildError(f"progress = {shown(self.progress)} is refused: give True for a bar, or False")
        self._check_objects()
        self._check_stabilisation()
        self._check_multipliers()
        self._check_communication()
        self._check_sensitivities()
        check_word("evaluation", self.evaluation, _EVALUATION)
        object.__setattr__(self, "real_time", real_time_of(self.real_time))
        check_word("on_late", self.on_late, _ON_LATE)

    def _check_value_limit(self) -> None:
        if self.value_limit is None:
            return
        factor = number("value_limit", self.value_limit)
        if not factor >= 1:
            raise BuildError(f"value_limit = {factor:g} is refused: it must be at least 1; None switches it off")
        object.__setattr__(self, "value_limit", factor if factor < math.inf else None)

    def _check_early_end(self) -> None:
        """Checks the options that end a run before its stop time."""
        if isinstance(self.until, str):
            parsed(self.until)
        elif self.until is not None and not callable(self.until):
            raise BuildError(
                f"until = {shown(self.until)} is refused: give a condition, such as 'abs(rod.theta) > 1', or a function of values by name"
            )
        if self.max_seconds is not None:
            seconds = number("max_seconds", self.max_seconds)
            if not seconds > 0:
                raise BuildError(f"max_seconds = {seconds:g} s is refused: it must be greater than 0; leave it out to have no limit")
            object.__setattr__(self, "max_seconds", seconds)

    def _check_objects(self) -> None:
        """Replaces words by the option objects that they stand for."""
        if is_word(self.solver, ("index3",)):
            object.__setattr__(self, "solver", Index3())
        if isinstance(self.solver, Index3) and self.solver.step_size is None:
            step = (self.stop_time - self.start_time) / _STEPS
            object.__setattr__(self, "solver", replace(self.solver, step_size=step or 1.0))
        if not isinstance(self.solver, str | Index3):
            raise BuildError(f"solver = {shown(self.solver)} is refused: give the name of one, such as 'dopri5', or Index3(step_size=0.01)")
        if not isinstance(self.scheme, Scheme):
            object.__setattr__(self, "scheme", Scheme(self.scheme))
        if is_word(self.multipliers, ("successive",)):
            object.__setattr__(self, "multipliers", Successive())
        if not is_word(self.multipliers, ("simultaneous",)) and not isinstance(self.multipliers, Successive):
            raise BuildError(f"multipliers = {shown(self.multipliers)} is unknown; choose 'simultaneous', 'successive' or Successive(...)")
        if not isinstance(self.contacts, Contacts):
            raise BuildError(f"contacts = {shown(self.contacts)} is refused: give Contacts(...), such as Contacts(impacts='simultaneous')")
        if not isinstance(self.isolate, Isolation):
            object.__setattr__(self, "isolate", Isolation(which=self.isolate))

    @property
    def solver_name(self) -> str:
        return Index3.MAIN if isinstance(self.solver, Index3) else self.solver

    @property
    def index3(self) -> Index3 | None:
        """Options of fixed steps, if the run takes such."""
        return self.solver if isinstance(self.solver, Index3) else None

    @property
    def coupling(self) -> Scheme:
        """Scheme, which counts with a communication step."""
        assert isinstance(self.scheme, Scheme)
        return self.scheme

    @property
    def successive(self) -> Successive | None:
        """Options of successive multipliers, if the run has such."""
        return self.multipliers if isinstance(self.multipliers, Successive) else None

    @property
    def form(self) -> str:
        """Form in which multipliers are solved for."""
        return self.multipliers.form if isinstance(self.multipliers, Successive) else Successive.form

    @property
    def isolation(self) -> Isolation:
        assert isinstance(self.isolate, Isolation)
        return self.isolate

    def held_by(self, stabilisation: str) -> Run:
        """Returns the same run with a stabilisation that the user did not give. Each is made once; all other options were checked
        before."""
        if stabilisation not in self._held:
            held = self._held[stabilisation] = object.__new__(type(self))
            vars(held).update(
                {name: value for name, value in vars(self).items() if name not in ("_held", "told")}, stabilisation=stabilisation
            )
        return self._held[stabilisation]

    @cached_property
    def _held(self) -> dict[str, Run]:
        return {}

    @cached_property
    def told(self) -> Mapping[str, Any]:
        """Options that are numbers and words, or mappings of them; those of objects one by one, such as ``solver.step_size``."""
        found = flattened({each.name: getattr(self, each.name) for each in fields(self)})
        return {name: value for name, value in found.items() if isinstance(value, int | float | str | Mapping)}

    def _check_sensitivities(self) -> None:
        names = self.sensitivities
        if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
            raise BuildError(f"sensitivities = {shown(names)} is refused: give the full names of parameters, such as ['rod.m']")
        object.__setattr__(self, "sensitivities", tuple(names))
        twice = next((each for each in names if list(names).count(each) > 1), None)
        if twice is not None:
            raise BuildError(f"sensitivities: '{twice}' is named twice; name each parameter once")
        if not names:
            return
        if self.communication_step is not None:
            raise BuildError(
                "sensitivities are refused with a communication_step: FMI has no derivatives of a step; run the instances in Model Exchange, or leave "
                "one of the two out"
            )
        if self.solver not in _DIFFERENTIATED:
            raise BuildError(
                f"sensitivities are refused with solver = '{self.solver_name}', which integrates the states alone; choose 'dopri5' or 'dop853', or leave one "
                "of the two out"
            )

    def _check_stabilisation(self) -> None:
        if self.stabilisation is None:
            return
        check_word("stabilisation", self.stabilisation, _STABILISATION)
        if self.stabilisation == "baumgarte":
            return
        if self.initial == "relax":
            raise BuildError(
                "initial='relax' leaves a violated start to the joints' own stabilisation, which stabilisation='projection' turns off; "
                "choose initial='assemble', or stabilisation='baumgarte'"
            )

    def _check_multipliers(self) -> None:
        if self.successive is None:
            return
        if self.communication_step is not None:
            raise BuildError(
                "multipliers = 'successive' is refused with a communication_step: co-simulations solve for all of them at once; leave one of the two out"
            )
        if self.form != "multipliers" and self.stabilisation == "projection":
            raise BuildError(
                f"form = '{self.form}' is refused with stabilisation = 'projection', whose right-hand side solves for the multipliers itself; choose "
                "'baumgarte'"
            )

    def _check_communication(self) -> None:
        step = self.communication_step
        if step is None:
            if self.coupling != Scheme():
                scheme = repr(self.coupling.name) if self.coupling == Scheme(self.coupling.name) else self.coupling
                raise BuildError(f"scheme = {scheme} is for Co-Simulation; give a communication_step as well, or leave it out")
            return
        step = number("communication_step", step)
        object.__setattr__(self, "communication_step", step)
        if not (step > 0 and math.isfinite(step)):
            raise BuildError(f"communication_step = {step:g} s is refused: it must be greater than 0 and finite")
        finest = 1e-12 * max(abs(self.start_time), abs(self.stop_time))
        if step < finest:
            raise BuildError(
                f"communication_step = {step:g} s is refused: at such times numbers resolve no less than {finest:g} s; choose a longer one"
            )

    def _check_times(self) -> None:
        if not (math.isfinite(self.start_time) and math.isfinite(self.stop_time)):
            raise BuildError(f"start_time = {self.start_time:g} s and stop_time = {self.stop_time:g} s must both be finite")
        if self.stop_time < self.start_time:
            raise BuildError(f"stop_time = {self.stop_time:g} s lies before start_time = {self.start_time:g} s; give a later stop_time")
        self._check_output_times()
        rows = 0.0 if self.output_interval is None else (self.stop_time - self.start_time) / self.output_interval
        if rows > MOST_ROWS:
            raise BuildError(f"output_interval = {self.output_interval:g} s asks for {rows:.2g} rows; choose a longer one")

    def _check_output_times(self) -> None:
        if self.output_interval is not None and self.output_times is not None:
            raise BuildError("output_times and output_interval cannot both be given; leave one of them out")
        if self.output_interval is not None and not (self.output_interval > 0 and math.isfinite(self.output_interval)):
            raise BuildError(f"output_interval = {self.output_interval:g} s is refused: it must be greater than 0 and finite")
        if self.output_times is None:
            return
        times = numbers_in(self.output_times)
        if times is None or not times.size:
            raise BuildError(f"output_times = {shown(self.output_times)} is refused: give a list of times in seconds")
        outside = times[~((times >= self.start_time) & (times <= self.stop_time))]
        if len(outside):
            raise BuildError(
                f"output_times holds {outside[0]:g} s, which is not between start_time = {self.start_time:g} s and "
                f"stop_time = {self.stop_time:g} s; leave it out, or move that end"
            )

    def _check_atol(self) -> None:
        given = self.atol if isinstance(self.atol, Mapping) else {} if self.atol is None else {"": self.atol}
        for name, value in given.items():
            if not isinstance(name, str):
                raise BuildError(f"atol has {shown(name)} for a name; give the names of states or patterns, such as {{'rod.*': 1e-9}}")
            what = f"atol of '{name}'" if name else "atol"
            if not 0 < number(what, value) < math.inf:
                raise BuildError(f"{what} = {value:g} is refused: it must be greater than 0 and finite; leave it out for the default")

    @property
    def rows(self) -> float:
        """Returns the number of rows that the record will have, without those at events."""
        if self.output_times is not None:
            return float(np.size(np.asarray(self.output_times)))
        return _STEPS + 1.0 if self.output_interval is None else (self.stop_time - self.start_time) / self.output_interval + 1

    def check_memory(self, columns: int, free: float) -> None:
        """Refuses a record that cannot fit into the memory that is free, in bytes."""
        size = 8 * self.rows * (columns + 2)  # the time comes twice: with its row, and by itself
        if size > free:
            what = "output_times" if self.output_times is not None else f"output_interval = {self.output_interval:g} s"
            raise BuildError(
                f"{what} asks for {self.rows:.3g} rows of {columns + 1} numbers, {size / 2**30:.3g} GiB, and {max(free, 0.0) / 2**30:.3g} GiB of memory "
                "are free; record less often, name fewer outputs, or give record_to the path of a file"
            )

    def times(self) -> np.ndarray:
        """Times in s at which the run records."""
        return self._times

    @cached_property
    def _times(self) -> np.ndarray:
        start, stop = self.start_time, self.stop_time
        if self.output_times is not None:
            return np.unique(np.asarray(self.output_times, dtype=float))
        interval = (stop - start) / _STEPS if self.output_interval is None else self.output_interval
        count = math.floor((stop - start) / interval * (1 + 1e-12)) if interval else 0
        times = start + interval * np.arange(count + 1)
        if stop - times[-1] > 1e-9 * (stop - start):
            return np.append(times, stop)
        times[-1] = stop
        return times


TOLERANCE = 1e-6
"""Tolerance of positions and velocities of constraints, in their units."""


def tolerance_of_fit(run: Run) -> float:
    """Returns the largest position error that a joint may have when it is added."""
    return max(TOLERANCE, 100 * run.rtol)
