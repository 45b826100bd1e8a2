"""What a user asks of a simulation; what makes no sense is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown
from coupling.names import either

_INITIAL = ("check", "assemble", "relax")
_STABILISATION = ("baumgarte", "projection")
_ISOLATE = ("all", "foreign", "none")
_DIFFERENTIATED = ("dopri5", "dop853")
"""Solvers that integrate sensitivities along."""
OF_MULTIPLIERS = {
    "multipliers": ("simultaneous", "successive"),
    "redundant": ("least", "first"),
    "form": ("multipliers", "full", "reduced"),
}
_OF_IMPACTS = {"impacts": ("sequential", "simultaneous"), "painleve": ("stop", "impulse")}
INDEPENDENT_FIRST = "independent first"
_MOST_ROWS = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Run:
    """See ``System.simulate``, whose defaults these are."""

    stop_time: float
    start_time: float = 0.0
    solver: str = "dopri5"
    rtol: float = 1e-8
    atol: float | Mapping[str, float] | None = None
    initial: str = "check"
    outputs: Sequence[str] | None = None
    output_times: Sequence[float] | np.ndarray | None = None
    output_interval: float | None = None
    max_step: float = math.inf
    max_steps: int = 10_000_000
    progress: bool = False
    communication_step: float | None = None
    scheme: str = "explicit"
    extrapolation: int = 1
    step_control: str = "fixed"
    coupling_tolerance: float = 1e-4
    stabilisation: str | None = None
    """"projection": every step ends on the constraints, which have no stabilisation of their own then. "baumgarte": they have. None: the
    former where the solver and the joints can."""
    step_size: float | None = None
    """This and what follows are options of single solvers, whose files declare which values they may have."""
    metric: str = "mass"
    velocity_level: str = "stepped"
    method: str = "trapezoidal"
    spectral_radius: float = 0.8
    newton_limit: int = 10
    newton_tolerance: float = 1e-10
    multipliers: str = "simultaneous"
    order: Sequence[str] | str | None = None
    """Of joints, for successive multipliers: those named come first, the others in the order of ``add``."""
    redundant: str = "least"
    form: str = "multipliers"
    impacts: str = "sequential"
    """"sequential": the greatest approach first, equal ones together. "simultaneous": all at once."""
    rest_velocity: float | None = None
    """Impacts at a lower speed are plastic, in the units of the constraints; None is 1e-3 by the size of the mechanism."""
    painleve: str = "stop"
    """"impulse": where no forces satisfy a contact, one solves it that stops the slip."""
    isolate: str = "none"
    """"all": kernel and FMUs in a process of their own. "foreign": the same where an FMU is not of this library. "none": in this one."""
    call_timeout: float | None = None
    """Seconds that one call of an FMU in a process of its own may take."""
    memory: float | None = None
    """Bytes of address space that such a process may add to what it begins with."""
    sandbox: bool = False
    """Whether such a process is denied the files of others, the network and other programs."""
    sensitivities: Sequence[str] = ()
    """Parameters by which everything recorded is differentiated."""
    compiled: bool | str | None = None
    """``tape``: derivatives are found by a tape of the FMUs' equations, which calls those of others; True: by compiled code of these;
    False: by calls of the FMUs. None: by the tape where all FMUs are own and there is one."""

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
        if not isinstance(self.progress, bool):
            raise BuildError(f"progress = {shown(self.progress)} is refused: give True for a bar, or False")
        if not isinstance(self.solver, str):
            raise BuildError(f"solver = {shown(self.solver)} is refused: give the name of one, such as 'dopri5'")
        if not isinstance(self.isolate, str) or self.isolate not in _ISOLATE:
            raise BuildError(f"isolate = {shown(self.isolate)} is unknown; choose 'all', 'foreign' or 'none'")
        if not isinstance(self.sandbox, bool) or (self.sandbox and self.isolate == "none"):
            why = (
                "is for runs in a process of their own; give isolate='all' as well" if self.sandbox is True else "is neither True nor False"
            )
            raise BuildError(f"sandbox = {shown(self.sandbox)} is refused: it {why}")
        for name, word in (("call_timeout", "seconds"), ("memory", "bytes")):
            if getattr(self, name) is not None:
                value = number(name, getattr(self, name))
                if not 0 < value < math.inf:
                    raise BuildError(
                        f"{name} = {value:g} is refused: it must be a number of {word} greater than 0; leave it out to have no limit"
                    )
                object.__setattr__(self, name, value)
        self._check_stabilisation()
        self._check_impacts()
        self._check_multipliers()
        self._check_communication()
        self._check_sensitivities()
        if not (self.compiled is None or isinstance(self.compiled, bool) or (isinstance(self.compiled, str) and self.compiled == "tape")):
            raise BuildError(
                f"compiled = {shown(self.compiled)} is refused: give True for compiled code, 'tape' for a tape of the FMUs' equations, False, so that FMUs "
                "are called at every evaluation, or leave it out"
            )

    def held_by(self, stabilisation: str) -> Run:
        """The same with what holds the constraints, where nobody has asked for it, once; all else was checked when it was made."""
        if stabilisation not in self._held:
            held = self._held[stabilisation] = object.__new__(Run)
            vars(held).update(
                {name: value for name, value in vars(self).items() if name not in ("_held", "told")}, stabilisation=stabilisation
            )
        return self._held[stabilisation]

    @cached_property
    def _held(self) -> dict[str, Run]:
        return {}

    @cached_property
    def told(self) -> Mapping[str, Any]:
        """The options that are numbers and words, or mappings of them."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
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
                f"sensitivities are refused with solver = '{self.solver}', which integrates the states alone; choose 'dopri5' or 'dop853', or leave one "
                "of the two out"
            )

    def _check_stabilisation(self) -> None:
        if self.stabilisation is None:
            return
        if self.stabilisation not in _STABILISATION:
            raise BuildError(f"stabilisation = {shown(self.stabilisation)} is unknown; choose 'baumgarte' or 'projection'")
        if self.stabilisation == "baumgarte":
            return
        if self.initial == "relax":
            raise BuildError(
                "initial='relax' leaves a violated start to the joints' own stabilisation, which stabilisation='projection' turns off; "
                "choose initial='assemble', or stabilisation='baumgarte'"
            )

    def _check_impacts(self) -> None:
        for name, known in _OF_IMPACTS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise BuildError(f"{name} = {shown(value)} is unknown; choose {either([repr(each) for each in known])}")
        if self.rest_velocity is None:
            return
        object.__setattr__(self, "rest_velocity", number("rest_velocity", self.rest_velocity))
        if not 0 <= self.rest_velocity < math.inf:
            raise BuildError(f"rest_velocity = {self.rest_velocity:g} is refused: it must be at least 0 and finite; 0.001 is the default")

    def _check_multipliers(self) -> None:
        for name, known in OF_MULTIPLIERS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise BuildError(f"{name} = {shown(value)} is unknown; choose {either([repr(each) for each in known])}")
        if self.multipliers == "simultaneous":
            for name in ("order", "redundant", "form"):
                if getattr(self, name) != getattr(Run, name):
                    raise BuildError(f"{name} is for multipliers = 'successive'; give that as well, or leave it out")
            return
        check_order(self.order)
        if self.communication_step is not None:
            raise BuildError(
                "multipliers = 'successive' is refused with a communication_step: co-simulations solve for all of them at once; leave one of the two out"
            )
        if self.form == "multipliers":
            return
        if self.stabilisation == "projection":
            raise BuildError(
                f"form = '{self.form}' is refused with stabilisation = 'projection', whose right-hand side solves for the multipliers itself; choose "
                "'baumgarte'"
            )

    def _check_communication(self) -> None:
        if not isinstance(self.scheme, str):
            raise BuildError(f"scheme = {shown(self.scheme)} is refused: give the name of one, such as 'explicit'")
        step = self.communication_step
        if step is None:
            for name in ("scheme", "extrapolation", "step_control", "coupling_tolerance"):
                value = getattr(self, name)
                if value != getattr(Run, name):
                    raise BuildError(f"{name} = {shown(value)} is for Co-Simulation; give a communication_step as well, or leave it out")
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
        object.__setattr__(self, "extrapolation", check_degree(self.extrapolation))
        if not 0 < number("coupling_tolerance", self.coupling_tolerance) < 1:
            raise BuildError(
                f"coupling_tolerance = {self.coupling_tolerance:g} is refused: it must lie between 0 and 1; 1e-4 is the default"
            )
        object.__setattr__(self, "coupling_tolerance", float(self.coupling_tolerance))

    def _check_times(self) -> None:
        if not (math.isfinite(self.start_time) and math.isfinite(self.stop_time)):
            raise BuildError(f"start_time = {self.start_time:g} s and stop_time = {self.stop_time:g} s must both be finite")
        if self.stop_time < self.start_time:
            raise BuildError(f"stop_time = {self.stop_time:g} s lies before start_time = {self.start_time:g} s; give a later stop_time")
        if self.output_interval is None:
            self._check_output_times()
            return
        if self.output_times is not None:
            raise BuildError("output_times and output_interval cannot both be given; leave one of them out")
        if not (self.output_interval > 0 and math.isfinite(self.output_interval)):
            raise BuildError(f"output_interval = {self.output_interval:g} s is refused: it must be greater than 0 and finite")
        rows = (self.stop_time - self.start_time) / self.output_interval
        if rows > _MOST_ROWS:
            raise BuildError(f"output_interval = {self.output_interval:g} s asks for {rows:.2g} rows; choose a longer one")

    def _check_output_times(self) -> None:
        if self.output_times is None:
            return
        try:
            times = np.asarray(self.output_times, dtype=float)
        except (TypeError, ValueError):
            times = np.zeros((0, 0))
        if times.ndim != 1 or not times.size:
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
        """How many rows the record will have, without those at events."""
        if self.output_times is not None:
            return float(np.size(np.asarray(self.output_times)))
        return 501.0 if self.output_interval is None else (self.stop_time - self.start_time) / self.output_interval + 1

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
        """When to record."""
        return self._times

    @cached_property
    def _times(self) -> np.ndarray:
        start, stop = self.start_time, self.stop_time
        if self.output_times is not None:
            return np.unique(np.asarray(self.output_times, dtype=float))
        interval = (stop - start) / 500 if self.output_interval is None else self.output_interval
        count = math.floor((stop - start) / interval * (1 + 1e-12)) if interval else 0
        times = start + interval * np.arange(count + 1)
        if stop - times[-1] > 1e-9 * (stop - start):
            return np.append(times, stop)
        times[-1] = stop
        return times


def check_order(order: Any) -> None:
    """Refuses what cannot name joints in an order."""
    if order is None or (isinstance(order, str) and order == INDEPENDENT_FIRST):
        return
    if isinstance(order, str) or not isinstance(order, Sequence) or not all(isinstance(each, str) for each in order):
        raise BuildError(
            f"order = {shown(order)} is refused: give the names of joints, such as ['plane', 'grip'], or '{INDEPENDENT_FIRST}'"
        )
    for name in order:
        if list(order).count(name) > 1:
            raise BuildError(f"order: '{name}' is named twice; name each joint once")


TOLERANCE = 1e-6
"""Of positions and velocities of constraints, in their units."""


def tolerance_of_fit(run: Run) -> float:
    """By how much the position of a joint may be off where it is added."""
    return max(TOLERANCE, 100 * run.rtol)


def check_degree(degree: Any, whose: str = "") -> Any:
    """A degree of extrapolation, or None where none is given to an instance; refuses what is none."""
    if degree is None and whose:
        return None
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree not in (0, 1, 2):
        raise BuildError(f"extrapolation = {shown(degree)}{whose} is refused: inputs are extrapolated by polynomials of degree 0, 1 or 2")
    return int(degree)


def number(name: str, value: Any) -> float:
    """Refuses what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BuildError(f"{name} = {shown(value)} is refused: it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise BuildError(f"{name} = {shown(value)} is refused: it is too large for a number of double precision") from None
