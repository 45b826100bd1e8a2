"""A driver of FMUs of either version through FMPy, by variable names."""

from __future__ import annotations

import ctypes
import math
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy import fmi2, fmi3
from fmpy.fmi1 import FMICallException

REAL, BOOLEAN, INTEGER = "real", "boolean", "integer"
_TYPES = {"Real": REAL, "Float64": REAL, "Boolean": BOOLEAN, "Integer": INTEGER, "Int32": INTEGER}


@cache
def unpacked(fmu: Path) -> tuple[Any, str]:
    """Model description and folder of an FMU, with what an instance needs alone: sources and pages are most of the files. Unpacked once."""
    folder = tempfile.mkdtemp(prefix="fmu-")
    fmpy.extract(str(fmu), unzipdir=folder, include=lambda name: name.startswith(("modelDescription.xml", "binaries/", "resources/")))
    return fmpy.read_model_description(folder), folder


def forget_unpacked() -> None:
    """Removes what was unpacked."""
    for fmu in list(_known):
        shutil.rmtree(unpacked(fmu)[1], ignore_errors=True)


_known: set[Path] = set()


class Driver:
    """An instance of an FMU, ``kind`` being ``me`` or ``cs``; every message it logs is in ``log``."""

    def __init__(
        self,
        fmu: Path,
        kind: str,
        name: str = "unit",
        logging: bool = False,
        event_mode: bool = False,
        intermediate_update: Any = None,
        early_return: bool | None = None,
        token: str | None = None,
    ) -> None:
        _known.add(fmu)
        self.description, folder = unpacked(fmu)
        self.fmi = 2 if self.description.fmiVersion.startswith("2") else 3
        self.kind = kind
        self.log: list[str] = []
        self.variables = {"time" if v.causality == "independent" else v.name: v for v in self.description.modelVariables}
        interface = self.description.modelExchange if kind == "me" else self.description.coSimulation
        arguments = {
            "guid": token or self.description.guid,
            "modelIdentifier": interface.modelIdentifier,
            "unzipDirectory": folder,
            "instanceName": name,
        }
        # Callbacks must live as long as the instance.
        if self.fmi == 2:
            self.fmu: Any = fmi2.FMU2Model(**arguments) if kind == "me" else fmi2.FMU2Slave(**arguments)
            self._callbacks = fmi2.fmi2CallbackFunctions()
            self._callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda env, name, status, category, text: self.log.append(text.decode()))
            self._callbacks.allocateMemory = fmi2.defaultCallbacks.allocateMemory
            self._callbacks.freeMemory = fmi2.defaultCallbacks.freeMemory
            self.fmu.instantiate(callbacks=self._callbacks, loggingOn=logging)
        else:
            self.fmu = fmi3.FMU3Model(**arguments) if kind == "me" else fmi3.FMU3Slave(**arguments)
            extra = (
                {}
                if kind == "me"
                else {
                    "eventModeUsed": event_mode,
                    "earlyReturnAllowed": event_mode or bool(intermediate_update) if early_return is None else early_return,
                    "intermediateUpdate": intermediate_update,
                }
            )
            self.fmu.instantiate(
                visible=False, loggingOn=logging, logMessage=lambda env, status, category, text: self.log.append(text.decode()), **extra
            )

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *error: object) -> None:
        if self.fmi == 2:
            self.fmu.fmi2FreeInstance(self.fmu.component)
        else:
            self.fmu.fmi3FreeInstance(self.fmu.component)

    # -- values --------------------------------------------------------------------------------------------------

    def reference(self, name: str) -> int:
        return self.variables[name].valueReference

    def set(self, values: Mapping[str, Any]) -> None:
        for name in [each for each, value in values.items() if isinstance(value, tuple)]:
            self._set_array(name, values[name])
        for kind in (REAL, BOOLEAN, INTEGER):
            names = [n for n, value in values.items() if not isinstance(value, tuple) and _TYPES[self.variables[n].type] == kind]
            if names:
                getattr(self.fmu, self._method("set", kind))([self.reference(n) for n in names], [values[n] for n in names])

    def _set_array(self, name: str, numbers: tuple[float, ...]) -> None:
        """Sets an array, of which FMI 2 has the elements alone."""
        if self.fmi == 3:
            self.fmu.setFloat64([self.reference(name)], list(numbers))
            return
        first = next(v.valueReference for each, v in self.variables.items() if each.startswith(f"{name}["))
        self.fmu.setReal([first + place for place in range(len(numbers))], list(numbers))

    def get(self, names: Sequence[str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind in (REAL, BOOLEAN, INTEGER):
            chosen = [n for n in names if _TYPES[self.variables[n].type] == kind]
            if chosen:
                found |= dict(zip(chosen, getattr(self.fmu, self._method("get", kind))([self.reference(n) for n in chosen]), strict=True))
        return found

    def __getitem__(self, name: str) -> float:
        return self.get([name])[name]

    def _method(self, verb: str, kind: str) -> str:
        suffix = {2: {REAL: "Real", BOOLEAN: "Boolean", INTEGER: "Integer"}, 3: {REAL: "Float64", BOOLEAN: "Boolean", INTEGER: "Int32"}}
        return verb + suffix[self.fmi][kind]

    # -- phases --------------------------------------------------------------------------------------------------

    def configure(self, values: Mapping[str, bool]) -> None:
        """Sets Boolean switches where the version wants them."""
        if values and self.fmi == 3:
            self.fmu.enterConfigurationMode()
            self.set(values)
            self.fmu.exitConfigurationMode()
        elif values:
            self.set(values)

    def enter(self, start: float = 0.0, stop: float | None = None, tolerance: float | None = None) -> None:
        if self.fmi == 2:
            self.fmu.setupExperiment(startTime=start, stopTime=stop, tolerance=tolerance)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start, stopTime=stop, tolerance=tolerance)

    def start(
        self,
        values: Mapping[str, float | bool] | None = None,
        start: float = 0.0,
        stop: float | None = None,
        tolerance: float | None = None,
    ) -> dict[str, Any]:
        """Initialises, and in Model Exchange handles the events at the start; returns the last event information."""
        self.enter(start, stop, tolerance)
        self.set(values or {})
        self.fmu.exitInitializationMode()
        return self.settle() if self.kind == "me" else {}

    def settle(self, last: bool = False) -> dict[str, Any]:
        """Event iteration, then back to continuous time; in Model Exchange. States have changed in any round, or in the ``last`` one."""
        changed = False
        while True:
            update = self.update()
            changed = (changed and not last) or update["states_changed"]
            if not update["again"]:
                break
        self.fmu.enterContinuousTimeMode()
        return update | {"states_changed": changed}

    def update(self) -> dict[str, Any]:
        if self.fmi == 2:
            again, _, _, changed, defined, instant = self.fmu.newDiscreteStates()
        else:
            again, _, _, changed, defined, instant = self.fmu.updateDiscreteStates()
        return {"again": bool(again), "states_changed": bool(changed), "next_time": float(instant) if defined else None}

    def handle_events(self, last: bool = False) -> dict[str, Any]:
        self.fmu.enterEventMode()
        return self.settle(last)

    # -- Model Exchange ------------------------------------------------------------------------------------------

    def at(self, time: float, states: np.ndarray) -> None:
        self.fmu.setTime(time)
        buffer = np.ascontiguousarray(states, dtype=float)
        self.fmu.setContinuousStates(_pointer(buffer), len(buffer))

    def _vector(self, count: int, name2: str, name3: str) -> np.ndarray:
        buffer = np.zeros(count)
        getattr(self.fmu, name2 if self.fmi == 2 else name3)(_pointer(buffer), count)
        return buffer

    @property
    def derivatives(self) -> np.ndarray:
        return self._vector(self.state_count, "getDerivatives", "getContinuousStateDerivatives")

    @property
    def states(self) -> np.ndarray:
        return self._vector(self.state_count, "getContinuousStates", "getContinuousStates")

    @property
    def indicators(self) -> np.ndarray:
        return self._vector(self.description.numberOfEventIndicators, "getEventIndicators", "getEventIndicators")

    @property
    def state_count(self) -> int:
        return len(self.description.derivatives)

    # -- derivatives ---------------------------------------------------------------------------------------------

    def directional(self, unknowns: Sequence[str], knowns: Sequence[str], seed: Sequence[float]) -> np.ndarray:
        return np.array(
            self.fmu.getDirectionalDerivative([self.reference(n) for n in unknowns], [self.reference(n) for n in knowns], list(seed))
        )

    def adjoint(self, unknowns: Sequence[str], knowns: Sequence[str], seed: Sequence[float]) -> np.ndarray:
        return np.array(
            self.fmu.getAdjointDerivative(
                [self.reference(n) for n in unknowns], [self.reference(n) for n in knowns], list(seed), len(knowns)
            )
        )

    # -- Co-Simulation -------------------------------------------------------------------------------------------

    def step(self, time: float, size: float) -> Any:
        return self.fmu.doStep(time, size)

    def input_derivatives(self, name: str, *derivatives: float) -> None:
        """First and second derivative of an input for the next step; FMI 2."""
        for order, value in enumerate(derivatives, start=1):
            self.fmu.setRealInputDerivatives([self.reference(name)], [order], [value])

    def output_derivative(self, name: str) -> float:
        call = self.fmu.getRealOutputDerivatives if self.fmi == 2 else self.fmu.getOutputDerivatives
        return next(iter(call([self.reference(name)], [1])))

    # -- what is no name -----------------------------------------------------------------------------------------

    def by_reference(self) -> dict[str, Callable[[int], Any]]:
        """All calls that take a value reference and can be made between two steps."""
        fmu, pairs = self.fmu, {2: ("Real", "Integer", "Boolean"), 3: ("Float64", "Int32", "Boolean")}[self.fmi]
        calls: dict[str, Callable[[int], Any]] = {f"get{t}": partial(lambda get, r: get([r]), getattr(fmu, f"get{t}")) for t in pairs}
        calls |= {f"set{t}": partial(lambda set_, r: set_([r], [1]), getattr(fmu, f"set{t}")) for t in pairs}
        calls["getDirectionalDerivative"] = lambda r: fmu.getDirectionalDerivative([r], [r], [1.0])
        if self.fmi == 3:
            calls["getAdjointDerivative"] = lambda r: fmu.getAdjointDerivative([r], [r], [1.0], 1)
        if self.kind == "cs" and self.fmi == 2:
            calls["setRealInputDerivatives"] = lambda r: fmu.setRealInputDerivatives([r], [1], [1.0])
        if self.kind == "cs":
            calls["getOutputDerivatives"] = lambda r: (fmu.getRealOutputDerivatives if self.fmi == 2 else fmu.getOutputDerivatives)(
                [r], [1]
            )
        return calls


def check_references(driver: Driver, name: str) -> None:
    """Value references count the variables of the description from 1 on, the time being the last; every getter and setter refuses others."""
    variables = driver.variables.values()
    sizes = [math.prod(int(d.start) for d in v.dimensions or ()) for v in variables]
    count, found = sum(sizes), [v.valueReference for v in variables]
    # A list of FMI 2 has each state before its derivative, whatever their references are. An array has a reference for each element.
    assert (sorted(found) if driver.description.fmiVersion == "2.0" else found) == list(accumulate(sizes[:-1], initial=1))
    assert list(driver.variables)[-1] == "time"
    driver.log.clear()
    for reference in (0, count + 1, 2**32 - 1):
        for call, made in driver.by_reference().items():
            assert status_of(made, reference) == ERROR, call
            assert driver.log == [f"unit: the value reference {reference} is unknown; {name} has 1 to {count}"], call
            driver.log.clear()


def _pointer(buffer: np.ndarray) -> Any:
    return buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


DISCARD, ERROR = 2, 3


def status_of(call: Any, *arguments: Any) -> int:
    """The status that a call of FMPy ends with."""
    try:
        call(*arguments)
    except FMICallException as error:
        return error.status
    return 0
