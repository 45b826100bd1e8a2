"""The runtime of a generated PythonFMU slave: the generated module is tables and a few functions, this does the rest.

It is copied into the FMU, so it needs nothing but the standard library and PythonFMU, which is packed beside it. The method is
that of the C runtime: Dormand-Prince 5(4) with error control, events located on its dense output.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from pythonfmu import Boolean, DefaultExperiment, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real
from pythonfmu.enums import Fmi2Initial, Fmi2Status

Values = list[Any]
"""Reals, integers and Booleans by value reference; time is the first."""


# -- arithmetic as in C: what has no value is NaN or infinite, and never an exception -------------------------------------------


def divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.copysign(math.inf, a) * math.copysign(1.0, b) if a != 0 and a == a else math.nan


def power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan


def sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def log(x: float) -> float:
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x


def ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) else x


def modulo(a: float, b: float) -> float:
    return a % b if b != 0 else math.nan


def _guarded(function: Callable[[float], float], odd: bool = False) -> Callable[[float], float]:
    def guarded(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x) if odd else math.inf
        except ValueError:
            return math.nan

    return guarded


sin, cos, tan = _guarded(math.sin), _guarded(math.cos), _guarded(math.tan)
asin, acos, acosh, atanh = _guarded(math.asin), _guarded(math.acos), _guarded(math.acosh), _guarded(math.atanh)
exp, cosh, sinh = _guarded(math.exp), _guarded(math.cosh), _guarded(math.sinh, odd=True)


# -- the tables of a model ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """One variable; its value reference is its place in the table."""

    name: str
    type: str
    causality: str
    variability: str
    initial: str | None
    start: Any
    unit: str
    text: str
    minimum: float = -math.inf
    maximum: float = math.inf
    open_below: bool = False
    open_above: bool = False
    range: str = ""
    """The range in words, as it follows 'must be'."""

    def missing(self, value: float) -> str | None:
        """What the value would have to be; None where it is that."""
        above = value > self.minimum if self.open_below else value >= self.minimum
        below = value < self.maximum if self.open_above else value <= self.maximum
        if not math.isfinite(value):
            return "a finite number"
        return None if above and below else self.range

    def settable(self, running: bool) -> bool:
        """Whether its value is the importer's to choose, while the simulation is running or before."""
        if self.causality == "input":
            return True
        return self.causality == "parameter" and self.variability == "tunable" if running else self.start is not None

    def shown(self, value: Any) -> str:
        """The value as it stands in a sentence."""
        return f"{self.name} = {value:g}{' ' + self.unit if self.unit else ''}" if self.type == "real" else f"{self.name} = {value}"


@dataclass(frozen=True)
class Event:
    """New values of states and discrete states, computed from all values before the event."""

    kind: str
    """``rises``, ``falls`` or ``reaches``."""
    index: int
    """Of the relation that rises or falls, or of the instant that is reached."""
    targets: tuple[int, ...]
    update: Callable[[Values], Sequence[Any]]
    text: str


def _nothing(values: Values) -> Sequence[float]:
    return ()


@dataclass(frozen=True)
class Model:
    """All that a generated module says about its component."""

    name: str
    title: str
    token: str
    stop_time: float
    variables: tuple[Variable, ...]
    states: tuple[int, ...]
    nominal: tuple[float, ...]
    relations: tuple[int, ...]
    events: tuple[Event, ...]
    conditions: tuple[tuple[str, tuple[int, ...]], ...]
    """What must hold at initialisation, in words, and what it depends on; ``require`` gives expressions that must be positive."""
    evaluate: Callable[[Values], None]
    derivatives: Callable[[Values], Sequence[float]] = _nothing
    indicators: Callable[[Values], Sequence[float]] = _nothing
    """One per relation."""
    instants: Callable[[Values], Sequence[float]] = _nothing
    """One per time event."""
    require: Callable[[Values], Sequence[float]] = _nothing


# -- Dormand-Prince 5(4) --------------------------------------------------------------------------------------------------------

_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_DENSE = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)

_RESOLUTION = 1e-14
"""The shortest step, and how closely an event is located, relative to max(1, |time|)."""
_ROUNDS = 100
"""How many rounds of events may follow each other at one instant."""
_PROBES = (1e-8, 1e-6, 1e-4, 1e-2, *(i / 8 for i in range(1, 9)))
"""Where in a step the relations are looked at. The small ones see a relation that changes just after an event, such as a
ball that leaves the ground, and that would be back by the end of the step."""


class Failure(ArithmeticError):
    """A step that cannot be made; the importer may try another."""


class Refusal(ValueError):
    """A call that is wrong; the sentence names the instance, the variable and its value."""


@dataclass(frozen=True)
class Step:
    """A trial step: its ends, the slopes at all stages, and the states between."""

    start: float
    end: float
    before: list[float]
    after: list[float]
    slopes: list[Sequence[float]]

    @property
    def size(self) -> float:
        return self.end - self.start

    def time(self, part: float) -> float:
        return self.end if part == 1 else self.start + part * self.size

    def at(self, part: float) -> list[float]:
        """The states on the dense output of 4th order, at a part of the step between 0 and 1."""
        if part == 1:
            return self.after
        rest = 1 - part
        states = []
        for i, (old, new) in enumerate(zip(self.before, self.after, strict=True)):
            change = new - old
            bend = self.size * self.slopes[0][i] - change
            end_bend = change - self.size * self.slopes[-1][i] - bend
            last = self.size * _weighted(_DENSE, self.slopes, i)
            states.append(old + part * (change + rest * (bend + part * (end_bend + rest * last))))
        return states

    def error(self, nominal: Sequence[float], tolerance: float) -> tuple[float, int]:
        """The weighted error and the state that has it; 1 is just acceptable, infinity where there is no value."""
        worst, which = 0.0, 0
        for i, (old, new) in enumerate(zip(self.before, self.after, strict=True)):
            scale = tolerance * (nominal[i] + max(abs(old), abs(new)))
            error = abs(self.size * _weighted(_ERROR, self.slopes, i)) / scale
            if not math.isfinite(new) or not math.isfinite(error):
                return math.inf, i
            if error > worst:
                worst, which = error, i
        return worst, which


def _weighted(weights: Sequence[float], slopes: Sequence[Sequence[float]], i: int) -> float:
    return sum(weight * slope[i] for weight, slope in zip(weights, slopes, strict=False))


def _try_step(
    rates: Callable[[float, list[float]], Sequence[float]], start: float, end: float, before: list[float], slope: Sequence[float]
) -> Step:
    slopes, states, size = [slope], before, end - start
    for node, weights in zip(_NODES, _STAGES, strict=True):
        states = [x + size * _weighted(weights, slopes, i) for i, x in enumerate(before)]
        slopes.append(rates(end if node == 1 else start + node * size, states))
    return Step(start, end, before, states, slopes)


def _growth(error: float) -> float:
    if error == 0:
        return 5.0
    return min(5.0, max(0.2, 0.9 * error**-0.2)) if math.isfinite(error) else 0.2


# -- one instance ---------------------------------------------------------------------------------------------------------------


@dataclass
class Memory:
    """All that distinguishes one instance from another of the same model, and one moment from another."""

    values: Values
    fired: list[float | None]
    """The instant at which each time event happened last."""
    free_step: float = math.inf
    """The step size that the error allows, as the last step has shown."""
    tolerance: float = 1e-11
    stop_time: float = math.inf
    phase: str = "instantiated"
    refused: dict[str, str] = field(default_factory=dict)
    """Inputs that were last given no finite value, with the sentence that refused it."""


class Solver:
    """Events and integration of one instance."""

    def __init__(self, model: Model, memory: Memory) -> None:
        self.model, self.memory = model, memory
        self._slope: Sequence[float] | None = None

    def initialise(self) -> None:
        """Sets the relations; they may depend on each other."""
        for _ in self.model.relations:
            self._set_relations(self._relations())

    def settle(self) -> bool:
        """Lets events happen until none is left; says whether anything has changed."""
        values = self.memory.values
        for round_ in range(_ROUNDS + 1):
            relations, instants = self._relations(), self.model.instants(values)
            fired = [event for event in self.model.events if self._happens(event, relations, instants)]
            if not fired and relations == self._remembered():
                return round_ > 0
            if round_ == _ROUNDS:
                names = "', '".join(event.text for event in fired) or "changes of relations"
                raise Failure(f"the events at time {values[0]!r} do not settle: after {_ROUNDS} rounds there are still '{names}'")
            news = [(event, target, value) for event in fired for target, value in zip(event.targets, event.update(values), strict=True)]
            self._set_relations(relations)
            for event in fired:
                if event.kind == "reaches":
                    self.memory.fired[event.index] = instants[event.index]
            for event, target, value in news:
                self._assign(event, target, value)
        return True

    def advance(self, target: float) -> None:
        """Integrates to the target time, through all events on the way."""
        self._slope = None  # inputs and parameters may have jumped
        self.settle()
        last_event, near_events = -math.inf, 0
        while (time := self.memory.values[0]) < target:
            instants = [
                t for t, fired in zip(self.model.instants(self.memory.values), self.memory.fired, strict=True) if t > time and t != fired
            ]
            step = self._accepted_step(min(target, *instants) if instants else target)
            self._place(step, self._crossing(step))
            if not self.settle():
                continue
            self._slope = None
            time = self.memory.values[0]
            # Events that come ever closer, as of a ball that comes to rest, would never let the step end.
            near_events = near_events + 1 if time - last_event <= 100 * _RESOLUTION * max(1.0, abs(time)) else 0
            last_event = time
            if near_events > _ROUNDS:
                raise Failure(f"the events chatter at time {time!r}")

    def _relations(self) -> list[bool]:
        return [indicator > 0 for indicator in self.model.indicators(self.memory.values)]

    def _remembered(self) -> list[bool]:
        return [self.memory.values[reference] for reference in self.model.relations]

    def _set_relations(self, relations: Sequence[bool]) -> None:
        for reference, relation in zip(self.model.relations, relations, strict=True):
            self.memory.values[reference] = relation

    def _happens(self, event: Event, relations: Sequence[bool], instants: Sequence[float]) -> bool:
        if event.kind == "reaches":
            instant = instants[event.index]
            # An importer that adds up its steps misses an instant by rounding.
            return instant - self.memory.values[0] <= _RESOLUTION * max(1.0, abs(instant)) and instant != self.memory.fired[event.index]
        before = self.memory.values[self.model.relations[event.index]]
        return relations[event.index] != before and before == (event.kind == "falls")

    def _assign(self, event: Event, target: int, value: Any) -> None:
        variable = self.model.variables[target]
        if not math.isfinite(value):
            raise Failure(f"the event '{event.text}' sets {variable.shown(value)}, which is not a finite number")
        self.memory.values[target] = float(value) if variable.type == "real" else int(value)

    def _rates(self, time: float, states: Sequence[float]) -> Sequence[float]:
        values = self.memory.values
        values[0] = time
        for reference, state in zip(self.model.states, states, strict=True):
            values[reference] = state
        return self.model.derivatives(values)

    def _place(self, step: Step, part: float) -> None:
        self._slope = step.slopes[-1] if part == 1 else None
        self.memory.values[0] = step.time(part)
        for reference, state in zip(self.model.states, step.at(part), strict=True):
            self.memory.values[reference] = state

    def _accepted_step(self, stop: float) -> Step:
        """The longest step towards ``stop`` that the error allows; remembers the size to try next."""
        memory = self.memory
        time, before = memory.values[0], [memory.values[reference] for reference in self.model.states]
        slope = self._slope if self._slope is not None else self._rates(time, before)
        size = min(memory.free_step, stop - time)
        while True:
            # Nearly all of the rest is all of it: no step is to be left over that is too short to be made.
            step = _try_step(self._rates, time, stop if size >= 0.9999 * (stop - time) else time + size, before, slope)
            error, worst = step.error(self.model.nominal, memory.tolerance)
            if error <= 1:
                break
            size *= _growth(error)
            memory.free_step = size
            if size < _RESOLUTION * max(1.0, abs(time)):
                state = self.model.variables[self.model.states[worst]]
                raise Failure(
                    f"the step at time {time!r} fails: even {size:g} s are too long for the tolerance {memory.tolerance:g} at "
                    f"{state.shown(before[worst])}, whose derivative is {step.slopes[0][worst]:g}"
                )
        proposed = size * _growth(error)
        # A step that was cut short at a communication point or an event says nothing against longer ones.
        memory.free_step = max(memory.free_step, proposed) if size < memory.free_step else proposed
        return step

    def _crossing(self, step: Step) -> float:
        """The part of the step after which a relation has just changed; 1 where none changes."""
        if not self.model.relations:
            return 1.0
        remembered = self._remembered()

        def changed(part: float) -> bool:
            self._place(step, part)
            return self._relations() != remembered

        high = next((part for part in _PROBES if changed(part)), None)
        if high is None:
            return 1.0
        low = max((part for part in _PROBES if part < high), default=0.0)
        while (high - low) * step.size > _RESOLUTION * max(1.0, abs(step.start)):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            low, high = (low, middle) if changed(middle) else (middle, high)
        return high


# -- the slave ------------------------------------------------------------------------------------------------------------------

_BEFORE = ("instantiated", "initialising")
_TYPES = {"real": Real, "integer": Integer, "boolean": Boolean}


class _Causality(Enum):
    independent = 5
    """PythonFMU has no name for the causality of time, but writes whatever an enumeration says."""


def _add_references(*objects: Any) -> None:
    """Makes up for references that PythonFMU's binary releases without having had them, which in the end crashes the importer.

    At every instantiation it does so with the dictionary of the module, at every exception with the instance, its class and its log.
    """
    try:
        from ctypes import py_object, pythonapi
    except ImportError:
        return
    for each in objects:
        pythonapi.Py_IncRef(py_object(each))


def _answered(method: Any) -> Any:
    """Answers a call that fails with one logged sentence before PythonFMU turns the exception into fmi2Fatal."""

    @functools.wraps(method)
    def answered(self: Slave, *arguments: Any) -> Any:
        try:
            return method(self, *arguments)
        except Exception as error:
            known = isinstance(error, (Refusal, Failure))
            sentence = str(error) if known else f"{self.instance_name}: {method.__name__} fails by a fault of the component: {error!r}"
            self.log(sentence, Fmi2Status.error)
            if self._inside_an_fmu:
                _add_references(type(self), self, self.log_queue)
            raise Refusal(sentence) from (None if known else error)

    return answered


class Slave(Fmi2Slave):
    """A Co-Simulation slave of a generated model; a subclass names the model."""

    model: Model

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._inside_an_fmu = "logger" in kwargs
        if self._inside_an_fmu:
            _add_references(vars(sys.modules[type(self).__module__]))
        self.guid = self.model.token
        self.description = self.model.title
        self.default_experiment = DefaultExperiment(start_time=0.0, stop_time=self.model.stop_time)
        starts = [0.0 if variable.start is None else variable.start for variable in self.model.variables]
        times = sum(event.kind == "reaches" for event in self.model.events)
        self._use(Memory(starts, [None] * times))
        for reference, variable in enumerate(self.model.variables):
            self.register_variable(self._declared(reference, variable))

    def _use(self, memory: Memory) -> None:
        self._memory, self._solver, self._evaluated = memory, Solver(self.model, memory), False

    def _declared(self, reference: int, variable: Variable) -> Any:
        return _TYPES[variable.type](
            variable.name,
            start=variable.start,
            causality=_Causality.independent if variable.causality == "independent" else Fmi2Causality[variable.causality],
            variability=Fmi2Variability[variable.variability],
            initial=Fmi2Initial[variable.initial] if variable.initial else None,
            description=variable.text,
            getter=lambda: self._current()[reference],
        )

    # -- values --------------------------------------------------------------------------------------------------------

    @_answered
    def get_real(self, vrs: list[int]) -> list[float]:
        return [float(value) for value in self._get(vrs, "real")]

    @_answered
    def get_integer(self, vrs: list[int]) -> list[int]:
        return [int(value) for value in self._get(vrs, "integer")]

    @_answered
    def get_boolean(self, vrs: list[int]) -> list[bool]:
        return [bool(value) for value in self._get(vrs, "boolean")]

    @_answered
    def get_string(self, vrs: list[int]) -> list[str]:
        return self._get(vrs, "string")

    @_answered
    def set_real(self, vrs: list[int], values: list[float]) -> None:
        self._set(vrs, values, "real")

    @_answered
    def set_integer(self, vrs: list[int], values: list[int]) -> None:
        self._set(vrs, values, "integer")

    @_answered
    def set_boolean(self, vrs: list[int], values: list[bool]) -> None:
        self._set(vrs, [bool(value) for value in values], "boolean")

    @_answered
    def set_string(self, vrs: list[int], values: list[str]) -> None:
        self._set(vrs, values, "string")

    def _get(self, vrs: list[int], kind: str) -> list[Any]:
        for reference in vrs:
            self._known(reference, kind)
        values = self._current()
        for reference in vrs:
            if not math.isfinite(values[reference]):
                self.log(
                    f"{self.instance_name}: {self.model.variables[reference].shown(values[reference])} at time {values[0]!r} "
                    f"is not a finite number",
                    Fmi2Status.discard,
                )
        return [values[reference] for reference in vrs]

    def _set(self, vrs: list[int], values: Sequence[Any], kind: str) -> None:
        """All of the values or, where one is wrong, none.

        PythonFMU cannot answer here that a value is discarded. So an input that is given no finite value keeps the old one, and no
        step is made until it is given another.
        """
        accepted, refused = {}, {}
        running = self._memory.phase not in _BEFORE
        for reference, value in zip(vrs, values, strict=True):
            variable = self._known(reference, kind)
            if not variable.settable(running):
                why = "can be set before the start only" if variable.start is not None else "is computed by the component itself"
                raise Refusal(f"{self.instance_name}: {variable.shown(value)} cannot be set now: it {why}")
            missing = variable.missing(value)
            if missing is None:
                accepted[reference] = value
                continue
            sentence = f"{self.instance_name}: {variable.shown(value)} is refused: it must be {missing}"
            if variable.causality != "input":
                raise Refusal(sentence)
            refused[variable.name] = sentence
        for reference, value in accepted.items():
            self._memory.values[reference] = value
            self._memory.refused.pop(self.model.variables[reference].name, None)
        for name, sentence in refused.items():
            self._memory.refused[name] = sentence
            self.log(sentence, Fmi2Status.discard)
        self._evaluated = False

    def _known(self, reference: int, kind: str) -> Variable:
        variables = self.model.variables
        if not 0 <= reference < len(variables):
            raise Refusal(
                f"{self.instance_name}: the value reference {reference % 2**32} is unknown; those of {self.model.name} are "
                f"0 to {len(variables) - 1}"
            )
        variable = variables[reference]
        if variable.type != kind:
            raise Refusal(
                f"{self.instance_name}: {variable.name} (value reference {reference}) is not a {kind} variable but a {variable.type} one"
            )
        return variables[reference]

    def _current(self) -> Values:
        """All values, with those that follow from others computed."""
        if not self._evaluated:
            if self._memory.phase in _BEFORE:
                self._solver.initialise()
            self.model.evaluate(self._memory.values)
            self._evaluated = True
        return self._memory.values

    # -- simulation ----------------------------------------------------------------------------------------------------

    @_answered
    def setup_experiment(self, start_time: float, stop_time: float | None = None, tolerance: float | None = None) -> None:
        self._expect("instantiated", "setup_experiment")
        if not math.isfinite(start_time) or (stop_time is not None and not start_time <= stop_time < math.inf):
            raise Refusal(
                f"{self.instance_name}: a simulation from {start_time!r} to {stop_time!r} is refused: both must be finite, "
                f"and the stop time no earlier"
            )
        if tolerance is not None:
            if not 0 < tolerance < math.inf:
                raise Refusal(f"{self.instance_name}: the tolerance {tolerance!r} is refused: it must be greater than 0")
            # Coupling adds errors of its own: the tolerance of the whole only ever tightens that inside a step.
            self._memory.tolerance = max(1e-13, min(1e-11, 1e-2 * tolerance))
        self._memory.stop_time = math.inf if stop_time is None else stop_time
        self._memory.values[0] = start_time
        self._evaluated = False

    @_answered
    def enter_initialization_mode(self) -> None:
        self._expect("instantiated", "enter_initialization_mode")
        self._memory.phase = "initialising"

    @_answered
    def exit_initialization_mode(self) -> None:
        self._expect("initialising", "exit_initialization_mode")
        for sentence in self._memory.refused.values():
            raise Refusal(sentence)
        self._solver.initialise()
        for (text, concerned), margin in zip(self.model.conditions, self.model.require(self._memory.values), strict=True):
            if not margin > 0:
                values = ", ".join(self.model.variables[each].shown(self._memory.values[each]) for each in concerned)
                raise Refusal(f"{self.instance_name}: it is required that {text}; what must be positive is {margin:g}, from {values}")
        try:
            self._solver.settle()
        except Failure as failure:
            raise Refusal(f"{self.instance_name}: {failure}") from None
        self._memory.phase = "running"
        self._evaluated = False

    @_answered
    def do_step(self, current_time: float, step_size: float) -> bool:
        self._expect("running", "do_step")
        self._check_step(current_time, step_size)
        for sentence in self._memory.refused.values():
            self.log(sentence, Fmi2Status.discard)
            return False
        before = copy.deepcopy(self._memory)
        self._memory.values[0] = current_time
        self._evaluated = False
        try:
            self._solver.advance(current_time + step_size)
        except Failure as failure:
            self._use(before)
            self.log(f"{self.instance_name}: {failure}", Fmi2Status.discard)
            return False
        return True

    @_answered
    def terminate(self) -> None:
        self._memory.phase = "terminated"

    def _expect(self, phase: str, function: str) -> None:
        if self._memory.phase != phase:
            raise Refusal(
                f"{self.instance_name}: {function} cannot be called while the instance is {self._memory.phase}; it must be {phase}"
            )

    def _check_step(self, current_time: float, step_size: float) -> None:
        time, stop_time = self._memory.values[0], self._memory.stop_time
        if not (math.isfinite(step_size) and step_size > 0):
            raise Refusal(f"{self.instance_name}: the communication step size {step_size!r} is refused: it must be greater than 0")
        # Importers add up their steps, or multiply, with rounding errors.
        if not abs(current_time - time) <= 1e-9 * max(1.0, abs(time), step_size):
            raise Refusal(f"{self.instance_name}: a step from time {current_time!r} is refused: the instance is at time {time!r}")
        if current_time + step_size > stop_time + 1e-9 * max(1.0, abs(stop_time)):
            raise Refusal(f"{self.instance_name}: a step to time {current_time + step_size!r} is refused: the stop time is {stop_time!r}")

    # -- FMU state -----------------------------------------------------------------------------------------------------

    @_answered
    def _get_fmu_state(self) -> dict[str, Any]:
        return {"model": self.model.token, **asdict(self._memory)}

    @_answered
    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        if state.get("model") != self.model.token:
            raise Refusal(f"{self.instance_name}: this is no saved state of {self.model.name}")
        self._use(Memory(**copy.deepcopy({name: value for name, value in state.items() if name != "model"})))

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> dict[str, Any]:
        """What cannot be read becomes an empty state, which is refused where the instance is known."""
        try:
            found = json.loads(state.decode("utf-8"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
