"""The runtime of a generated PythonFMU slave: the generated module is tables and a few functions, this does the rest.

It is copied into the FMU, so it needs nothing but the standard library and PythonFMU, which is packed beside it. The method is
that of the C runtime: Dormand-Prince 5(4) with error control, events located on its dense output.
"""

from __future__ import annotations

import copy
import functools
import json
import math
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
    required: str = "finite"
    """The range in words, as it follows 'must be'."""

    def admits(self, value: float) -> bool:
        above = value > self.minimum if self.open_below else value >= self.minimum
        below = value < self.maximum if self.open_above else value <= self.maximum
        return math.isfinite(value) and above and below

    def settable(self, running: bool) -> bool:
        """Whether its value is the importer's to choose, while the simulation is running or before."""
        if running:
            return self.causality == "input" or (self.causality, self.variability) == ("parameter", "tunable")
        return self.causality == "input" or self.initial == "exact"

    def shown(self, value: Any) -> str:
        """The value as it stands in a sentence."""
        return f"{self.name} = {value!r}{' ' + self.unit if self.unit else ''}"


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
    conditions: tuple[str, ...]
    """What must hold at initialisation, in words; ``require`` gives expressions that must be positive."""
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
    -12715105075 / 11282082432, 0.0, 87487479700 / 32700410799, -10690763975 / 1880347072,
    701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
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


def _try_step(rates: Callable[[float, list[float]], Sequence[float]], start: float, end: float, before: list[float],
              slope: Sequence[float]) -> Step:
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
    tolerance: float = 1e-10
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
        for _ in range(len(self.model.relations) + 1):
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
                raise Failure(f"after {_ROUNDS} rounds of events at time {values[0]!r} there are still '{names}'; "
                              f"let the new values remove the cause of the event")
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
            instants = [t for t, fired in zip(self.model.instants(self.memory.values), self.memory.fired, strict=True)
                        if t > time and t != fired]
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
                raise Failure(f"events follow each other without end at time {time!r}; "
                              f"let the component come to rest by an event of its own")

    def _relations(self) -> list[bool]:
        return [indicator > 0 for indicator in self.model.indicators(self.memory.values)]

    def _remembered(self) -> list[bool]:
        return [self.memory.values[reference] for reference in self.model.relations]

    def _set_relations(self, relations: Sequence[bool]) -> None:
        for reference, relation in zip(self.model.relations, relations, strict=True):
            self.memory.values[reference] = relation

    def _happens(self, event: Event, relations: Sequence[bool], instants: Sequence[float]) -> bool:
        if event.kind == "reaches":
            return instants[event.index] <= self.memory.values[0] and instants[event.index] != self.memory.fired[event.index]
        before = self.memory.values[self.model.relations[event.index]]
        return relations[event.index] != before and before == (event.kind == "falls")

    def _assign(self, event: Event, target: int, value: Any) -> None:
        variable = self.model.variables[target]
        if not math.isfinite(value):
            raise Failure(f"the event '{event.text}' at time {self.memory.values[0]!r} gives {variable.shown(value)}, but it must be finite")
        self.memory.values[target] = {"boolean": bool, "integer": round, "real": float}[variable.type](value)

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
            step = _try_step(self._rates, time, stop if size >= stop - time else time + size, before, slope)
            error, worst = step.error(self.model.nominal, memory.tolerance)
            if error <= 1:
                break
            size *= _growth(error)
            memory.free_step = size
            if size < _RESOLUTION * max(1.0, abs(time)):
                state = self.model.variables[self.model.states[worst]]
                raise Failure(f"no step from time {time!r} is short enough for the state {state.shown(before[worst])}, whose derivative is "
                              f"{step.slopes[0][worst]!r}; look for a singularity, or loosen the tolerance of {memory.tolerance:g}")
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

        low, high = 0.0, next((part for part in _PROBES if changed(part)), math.inf)
        if high > 1:
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


def _answered(method: Any) -> Any:
    """Answers a call that fails with one logged sentence before PythonFMU turns the exception into fmi2Fatal."""

    @functools.wraps(method)
    def answered(self: Slave, *arguments: Any) -> Any:
        try:
            return method(self, *arguments)
        except Exception as error:
            known = isinstance(error, (Refusal, Failure))
            sentence = str(error) if known else f"{self.instance_name}: {method.__name__} met an unforeseen {error!r}; please report it"
            self.log(sentence, Fmi2Status.error)
            self._survive()
            raise Refusal(sentence) from (None if known else error)

    return answered


class Slave(Fmi2Slave):
    """A Co-Simulation slave of a generated model; a subclass names the model."""

    model: Model

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._inside_an_fmu = "logger" in kwargs
        self.guid = self.model.token
        self.description = self.model.title
        self.default_experiment = DefaultExperiment(start_time=0.0, stop_time=self.model.stop_time)
        starts = [variable.start if variable.start is not None else False if variable.type == "boolean" else 0.0
                  for variable in self.model.variables]
        times = sum(event.kind == "reaches" for event in self.model.events)
        self._use(Memory(starts, [None] * times))
        for reference, variable in enumerate(self.model.variables):
            self.register_variable(self._declared(reference, variable))

    def _use(self, memory: Memory) -> None:
        self._memory, self._solver, self._evaluated = memory, Solver(self.model, memory), False

    def _declared(self, reference: int, variable: Variable) -> Any:
        return _TYPES[variable.type](
            variable.name, start=variable.start,
            causality=_Causality.independent if variable.causality == "independent" else Fmi2Causality[variable.causality],
            variability=Fmi2Variability[variable.variability],
            initial=Fmi2Initial[variable.initial] if variable.initial else None,
            description=f"{variable.text} [{variable.unit}]" if variable.unit else variable.text,
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
        return [values[reference] for reference in vrs]

    def _set(self, vrs: list[int], values: Sequence[Any], kind: str) -> None:
        """All of the values or, where one is wrong, none; an input without a finite value only makes the next step fail."""
        accepted, refused = {}, {}
        running = self._memory.phase not in _BEFORE
        for reference, value in zip(vrs, values, strict=True):
            variable = self._known(reference, kind)
            if not variable.settable(running):
                raise Refusal(f"{self.instance_name}: {variable.shown(value)} was set, but the {variable.causality} '{variable.name}' "
                              f"{'cannot be set after initialisation' if variable.initial == 'exact' else 'is computed'}; leave it out")
            if variable.admits(value):
                accepted[reference] = value
                continue
            sentence = f"{self.instance_name}: {variable.shown(value)}, but it must be {variable.required}"
            if variable.causality != "input":
                raise Refusal(f"{sentence}; it keeps the value {self._memory.values[reference]!r}")
            refused[variable.name] = sentence
        for reference, value in accepted.items():
            self._memory.values[reference] = value
            self._memory.refused.pop(self.model.variables[reference].name, None)
        for name, sentence in refused.items():
            self._memory.refused[name] = sentence
            self.log(f"{sentence}; no step is made until it is", Fmi2Status.discard)
        self._evaluated = False

    def _known(self, reference: int, kind: str) -> Variable:
        variables = self.model.variables
        if not 0 <= reference < len(variables):
            raise Refusal(f"{self.instance_name}: there is no variable with the value reference {reference % 2**32}; "
                          f"{self.model.name} has those from 0 to {len(variables) - 1}")
        if variables[reference].type != kind:
            raise Refusal(f"{self.instance_name}: '{variables[reference].name}' (value reference {reference}) is {variables[reference].type}, "
                          f"not {kind}; call the function for that type")
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
        if not math.isfinite(start_time):
            raise Refusal(f"{self.instance_name}: time = {start_time!r} s at the start, but it must be finite")
        if tolerance is not None:
            if not 0 < tolerance < 1:
                raise Refusal(f"{self.instance_name}: tolerance = {tolerance!r}, but it must be between 0 and 1")
            # Coarser than usual would let the slave's own error compete with that of the coupling; finer is lost in rounding.
            self._memory.tolerance = max(1e-13, min(self._memory.tolerance, tolerance))
        self._memory.values[0] = start_time
        self._evaluated = False

    @_answered
    def enter_initialization_mode(self) -> None:
        self._expect("instantiated", "entered Initialization Mode")
        self._memory.phase = "initialising"

    @_answered
    def exit_initialization_mode(self) -> None:
        self._expect("initialising", "left Initialization Mode")
        for sentence in self._memory.refused.values():
            raise Refusal(f"{sentence}; set it before initialisation ends")
        self._solver.initialise()
        for text, value in zip(self.model.conditions, self.model.require(self._memory.values), strict=True):
            if not value > 0:
                raise Refusal(f"{self.instance_name}: it is required that {text}, but the value that must be positive is {value!r}; "
                              f"change parameters or start values")
        try:
            self._solver.settle()
        except Failure as failure:
            raise Refusal(f"{self.instance_name}: {failure}") from None
        self._memory.phase = "running"
        self._evaluated = False

    @_answered
    def do_step(self, current_time: float, step_size: float) -> bool:
        self._expect("running", "was asked for a step")
        self._check_step(current_time, step_size)
        for sentence in self._memory.refused.values():
            self.log(f"{sentence}; the step at time {current_time!r} is not made", Fmi2Status.discard)
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

    def _expect(self, phase: str, event: str) -> None:
        if self._memory.phase != phase:
            raise Refusal(f"{self.instance_name}: it {event} while {self._memory.phase}, but it must be {phase}; "
                          f"call initialisation, steps and termination in their order")

    def _check_step(self, current_time: float, step_size: float) -> None:
        own_time = self._memory.values[0]
        if not (math.isfinite(step_size) and step_size > 0):
            raise Refusal(f"{self.instance_name}: communicationStepSize = {step_size!r} s, but it must be finite and greater than 0")
        # Importers add up their steps with rounding errors, or multiply.
        if not abs(current_time - own_time) <= 1e-9 * max(1.0, abs(own_time)):
            raise Refusal(f"{self.instance_name}: currentCommunicationPoint = {current_time!r} s, but it must be {own_time!r} s, where the last "
                          f"step ended; to go back, restore an FMU state")

    # -- FMU state -----------------------------------------------------------------------------------------------------

    @_answered
    def _get_fmu_state(self) -> dict[str, Any]:
        return {"model": self.model.token, **asdict(self._memory)}

    @_answered
    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        if state.get("model") != self.model.token:
            raise Refusal(f"{self.instance_name}: this is no state of {self.model.name} as built here; "
                          f"restore only what the same FMU has saved")
        self._use(Memory(**copy.deepcopy({name: value for name, value in state.items() if name != "model"})))

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> dict[str, Any]:
        """What cannot be read becomes an empty state, which is refused where the instance is known."""
        try:
            found = json.loads(state.decode("utf-8"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    # -- PythonFMU -----------------------------------------------------------------------------------------------------

    def _survive(self) -> None:
        """Keeps instance, class and log alive: PythonFMU's binary releases them when an exception reaches it, and then again when
        the instance is freed, which would crash the importer."""
        if not self._inside_an_fmu:
            return
        try:
            from ctypes import py_object, pythonapi
        except ImportError:
            return
        for kept in (type(self), self, self.log_queue):
            pythonapi.Py_IncRef(py_object(kept))
