"""An importer that makes the calls of OpenModelica's ``importFMU`` (Model Exchange) in its order, for any FMU of FMI 2 or 3.

OpenModelica cannot be installed where the tests run. What it does beside the standard:

- Parameters of every kind, structural ones included, are set in Initialization Mode, in one call for each type.
- Inputs of every type are set before it, and then at each evaluation in each mode.
- After initialisation the FMU stays in Event Mode until the first event, which comes 1e-14 s after the start. FMI 2 sets time and states there.
  Event Mode is then entered from Event Mode.
- FMI 2 calls NewDiscreteStates once an event, whatever it returns. FMI 3 repeats UpdateDiscreteStates.
- CompletedIntegratorStep follows each reading of the indicators, at points that are thrown away as well.
- The next time event counts in FMI 2 whether it is defined or not.
- In FMI 2 the block has a variable ``time`` of its own.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fmpy.fmi2 import fmi2EventInfo
from fmpy.model_description import ModelVariable

from tests.support.runtime.driver import Driver

ROOT_WIDTH = 1e-12
"""Width in s of the interval to which bisection narrows a root."""
FIRST_EVENT = 1e-14
"""Seconds from the start to the first event."""
_TYPES = ("Real", "Float64", "Integer", "Int32", "Boolean")

ByType = Mapping[str, Sequence[ModelVariable]]


@dataclass(frozen=True)
class Jump:
    """Inputs that take other values at an instant, by an event of the model around the FMU."""

    time: float
    inputs: Mapping[str, float]


@dataclass(kw_only=True)
class Point:
    """A point of the motion with what the block computes there."""

    time: float
    states: np.ndarray
    rates: np.ndarray
    signs: list[bool]
    """True for each indicator above zero, then for the next time event if it has passed."""
    wants_event: bool


@dataclass
class OpenModelica:
    """The block of one FMU in a simulation."""

    fmu: Path
    jumps: Sequence[Jump] = ()
    """Jumps of inputs, which have their start values before."""
    events: int = 0
    """Events after the start."""

    def run(self, stop: float, step: float, watched: Sequence[str] = ()) -> dict[str, float]:
        """Returns the values of variables at the stop time. ``step`` is that of a Runge-Kutta method of fourth order."""
        with Driver(self.fmu, "me") as driver:
            self._driver, self._two = driver, driver.fmi == 2
            check_names(driver)
            self._start()
            self._simulate(stop, step)
            happened = self.events
            self._handle_event()  # terminal()
            self.events = happened
            found = driver.get(watched)
            driver.fmu.terminate()
            return found

    # -- calls -----------------------------------------------------------------------------------------------------

    def _variables(self, *causalities: str) -> ByType:
        """Returns variables by their types, as one call takes them."""
        found: dict[str, list[ModelVariable]] = {}
        for variable in self._driver.description.modelVariables:
            if variable.causality in causalities and variable.type in _TYPES and not variable.dimensions:
                found.setdefault(variable.type, []).append(variable)
        return found

    def _set(self, by_type: ByType, values: Mapping[str, float]) -> None:
        for type_, variables in by_type.items():
            given = [values.get(variable.name, _start_of(variable)) for variable in variables]
            getattr(self._driver.fmu, f"set{type_}")([variable.valueReference for variable in variables], given)

    def _get(self, by_type: ByType) -> None:
        for type_, variables in by_type.items():
            getattr(self._driver.fmu, f"get{type_}")([variable.valueReference for variable in variables])

    def _start(self) -> None:
        driver = self._driver
        self._given: dict[str, float] = {}
        self._continuous = False
        self._inputs = self._variables("input")
        read = ("output", "local", "independent") if self._two else ("output", "local")  # of FMI 3 it leaves the independent variable out
        self._read = self._variables(*read)
        self._set(self._inputs, self._given)
        driver.enter()
        self._set(self._variables("parameter", "structuralParameter"), {})
        driver.fmu.exitInitializationMode()
        self._get(self._variables("calculatedParameter"))
        self._states = driver.states

    def _move(self, time: float, states: np.ndarray, *, first: bool = False) -> None:
        fmu = self._driver.fmu
        if not first:
            fmu.setTime(time)
        self._set(self._inputs, self._given)
        if len(states) and (self._two or self._continuous):
            fmu.setContinuousStates(states.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(states))

    def _rates(self, time: float, states: np.ndarray) -> np.ndarray:
        """Returns derivatives alone, as at the stages of a step."""
        self._move(time, states)
        return self._driver.derivatives

    def _evaluate(self, time: float, states: np.ndarray, *, first: bool = False) -> Point:
        """Evaluates all equations of the block."""
        self._move(time, states, first=first)
        known = self._continuous or not self._two
        rates = self._driver.derivatives if known else np.zeros(len(states))
        signs = [bool(z > 0) for z in self._driver.indicators]
        self._get(self._read)
        wants = self._continuous and bool(self._driver.fmu.completedIntegratorStep()[0])
        return Point(time=time, states=states, rates=rates, signs=[*signs, self._next < time], wants_event=wants)

    def _update(self) -> tuple[bool, float]:
        """Returns whether states have changed, and the next time event."""
        fmu = self._driver.fmu
        if self._two:
            info = fmi2EventInfo()
            fmu.fmi2NewDiscreteStates(fmu.component, ctypes.byref(info))
            return bool(info.valuesOfContinuousStatesChanged), float(info.nextEventTime)
        update = self._driver.update()
        changed = update["states_changed"]
        while update["again"]:
            update = self._driver.update()
            changed = changed or update["states_changed"]
        return changed, math.inf if update["next_time"] is None else update["next_time"]

    def _handle_event(self) -> None:
        """Makes one event of the FMU, and counts it."""
        self.events += 1
        self._driver.fmu.enterEventMode()
        self._set(self._inputs, self._given)
        changed, self._next = self._update()
        self._driver.fmu.enterContinuousTimeMode()
        self._continuous = True
        if changed:
            self._states = self._driver.states

    # -- integration -----------------------------------------------------------------------------------------------

    def _simulate(self, stop: float, step: float) -> None:
        self._next = 0.0
        self._evaluate(0.0, self._states, first=True)
        self._evaluate(FIRST_EVENT, self._states)
        now = self._after_event(FIRST_EVENT)
        self.events = 0  # the first one is no event of the FMU
        waiting = sorted(self.jumps, key=lambda jump: jump.time)
        while now.time < stop:
            end = min([now.time + step, stop, *(jump.time for jump in waiting)])
            if stop - end < ROOT_WIDTH:
                end = stop
            there = self._located(now, self._stepped(now, end))
            if there.time == end and waiting and waiting[0].time == end:
                self._given |= waiting.pop(0).inputs
                there = self._evaluate(end, there.states)
            if there.signs != now.signs or there.wants_event:
                there = self._after_event(there.time, there.states)
            now = there

    def _after_event(self, time: float, states: np.ndarray | None = None) -> Point:
        if states is not None:
            self._states = states
        self._handle_event()
        return self._evaluate(time, self._states)

    def _stepped(self, now: Point, end: float) -> Point:
        h, x, slopes = end - now.time, now.states, [now.rates]
        for part in (0.5, 0.5, 1.0):
            slopes.append(self._rates(now.time + part * h, x + part * h * slopes[-1]))
        return self._evaluate(end, x + h / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3]))

    def _located(self, left: Point, right: Point) -> Point:
        """Narrows the interval around the first root by bisection, with states between by the cubic through both ends."""
        between = _cubic(left, right)
        signs = left.signs
        while right.signs != signs and right.time - left.time > ROOT_WIDTH:
            time = (left.time + right.time) / 2
            middle = self._evaluate(time, between(time))
            left, right = (left, middle) if middle.signs != signs else (middle, right)
        if right.signs != signs:
            self._evaluate(left.time, left.states)
            right = self._evaluate(right.time, right.states)
        return right


def check_names(driver: Driver) -> None:
    """Checks that names remain different in the block, where other characters than letters and digits become underscores."""
    names = [re.sub(r"\W", "_", variable.name) for variable in driver.description.modelVariables]
    assert len(set(names)) == len(names)
    assert driver.fmi == 3 or "time" not in names, "the system is structurally singular: the block has a variable 'time' of its own"


def _start_of(variable: ModelVariable) -> float | bool:
    if variable.type == "Boolean":
        return variable.start == "true"
    return int(variable.start) if variable.type in ("Integer", "Int32") else float(variable.start)


def _cubic(left: Point, right: Point) -> Callable[[float], np.ndarray]:
    """Returns states by time, from those at both ends and their rates."""
    h = right.time - left.time
    rise = right.states - left.states

    def states(time: float) -> np.ndarray:
        s = (time - left.time) / h
        bend = (1 - s) * (h * left.rates - rise) - s * (h * right.rates - rise)
        return left.states + s * rise + s * (1 - s) * bend

    return states
