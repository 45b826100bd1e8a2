"""The slave as PythonFMU drives it: values, phases, steps and saved states, with a sentence for each wrong call."""

from __future__ import annotations

import copy
import functools
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any

from pythonfmu import Boolean, DefaultExperiment, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real
from pythonfmu.enums import Fmi2Initial, Fmi2Status

from .integrator import Integrator, Memory, StepFailure
from .tables import Model, SlaveVariable, Values

_BEFORE = ("instantiated", "initialising")
_TYPES = {"real": Real, "integer": Integer, "boolean": Boolean}


class Refusal(ValueError):
    """A call that is wrong; the sentence names the instance, the variable and its value."""


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
            known = isinstance(error, (Refusal, StepFailure))
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
        starts = [0.0, *(0.0 if variable.start is None else variable.start for variable in self.model.variables)]
        times = sum(event.kind == "reaches" for event in self.model.events)
        self._use(Memory(starts, [None] * times))
        for reference, variable in enumerate(self.model.variables, 1):
            self.vars[reference] = declared = self._declared(reference, variable)
            declared.value_reference = reference  # register_variable counts from 0

    def _use(self, memory: Memory) -> None:
        self._memory, self._integrator, self._evaluated = memory, Integrator(self.model, memory), False

    def _declared(self, reference: int, variable: SlaveVariable) -> Any:
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
                    f"{self.instance_name}: {self.model.variable(reference).shown(values[reference])} at time {values[-1]!r} "
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
            self._memory.refused.pop(self.model.variable(reference).name, None)
        for name, sentence in refused.items():
            self._memory.refused[name] = sentence
            self.log(sentence, Fmi2Status.discard)
        self._evaluated = False

    def _known(self, reference: int, kind: str) -> SlaveVariable:
        variables = self.model.variables
        if not 1 <= reference <= len(variables):
            raise Refusal(
                f"{self.instance_name}: the value reference {reference % 2**32} is unknown; {self.model.name} has 1 to {len(variables)}"
            )
        variable = self.model.variable(reference)
        if variable.type != kind:
            raise Refusal(
                f"{self.instance_name}: {variable.name} (value reference {reference}) is not a {kind} variable but a {variable.type} one"
            )
        return variable

    def _current(self) -> Values:
        """All values, with those that follow from others computed."""
        if not self._evaluated:
            if self._memory.phase in _BEFORE:
                self._integrator.initialise()
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
            if not math.isfinite(tolerance):
                raise Refusal(f"{self.instance_name}: the tolerance {tolerance!r} is refused: it must be a finite number")
            if tolerance > 0:
                # Coupling adds errors of its own: the tolerance of the whole only ever tightens that inside a step.
                self._memory.tolerance = max(1e-13, min(1e-11, 1e-2 * tolerance))
            else:  # OMSimulator writes 0 into the files that it saves
                self.log(
                    f"{self.instance_name}: the tolerance {tolerance!r} is none, and the FMU keeps its own; give one greater than 0",
                    Fmi2Status.warning,
                )
        self._memory.stop_time = math.inf if stop_time is None else stop_time
        self._memory.values[-1] = start_time
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
        self._integrator.initialise()
        for (text, concerned, advisory), margin in zip(self.model.conditions, self.model.require(self._memory.values), strict=True):
            if not margin > 0:
                values = ", ".join(self.model.variable(each).shown(self._memory.values[each]) for each in concerned)
                if not advisory:
                    raise Refusal(
                        f"{self.instance_name}: it is required that {text}; the value that must be positive is {margin:g}, from {values}"
                    )
                expected = (
                    f"{self.instance_name}: it is expected that {text}; the value that should be positive is {margin:g}, from {values}"
                )
                self.log(expected, Fmi2Status.warning)
        try:
            self._integrator.settle()
        except StepFailure as failure:
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
        self._memory.values[-1] = current_time
        self._evaluated = False
        try:
            self._integrator.advance(current_time + step_size)
        except StepFailure as failure:
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
        time, stop_time = self._memory.values[-1], self._memory.stop_time
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
        """Reads a saved state. Unreadable bytes give an empty state, which is refused where the instance is known."""
        try:
            found = json.loads(state.decode("utf-8"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
