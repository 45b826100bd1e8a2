"""Foreign FMUs as FMPy sees them: what it simulates, what it logs, what it reads."""

from __future__ import annotations

from ctypes import byref
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE, printLogMessage
from fmpy.logging import addLoggerProxy

from tests.support.runtime.driver import unpacked


def run(path: Path, kind: str, stop: float, outputs: list[str], **options) -> dict[str, np.ndarray]:
    """FMPy's simulation, by CVODE in Model Exchange."""
    result = fmpy.simulate_fmu(
        str(path),
        fmi_type={"me": "ModelExchange", "cs": "CoSimulation"}[kind],
        stop_time=stop,
        output=outputs,
        relative_tolerance=1e-9,
        **({"output_interval": 0.05} | options),
    )
    return {name: result[name] for name in ("time", *outputs)}


def messages_of(path: Path, kind: str = "me", **options) -> list[str]:
    """Returns the messages that an FMU logs while FMPy fails to simulate it."""
    log: list[str] = []
    try:
        with pytest.raises(Exception, match=r"fail|Fail"):
            run(path, kind, 1.0, ["x"], logger=lambda *arguments: log.append(arguments[-1].decode()), **options)
    finally:
        print_messages_again()
    return log


_PRINTING = fmi2CallbackLoggerTYPE(printLogMessage)


def print_messages_again() -> None:
    """FMPy passes the messages of all FMUs of FMI 2 to the logger that it was given last, even where that is gone."""
    callbacks = fmi2CallbackFunctions()
    callbacks.logger = _PRINTING
    addLoggerProxy(byref(callbacks))


def outputs_of(path: Path) -> dict[str, list[str] | None]:
    """The outputs in a model structure, and the variables that each is declared to depend on; None where nothing is declared."""
    listed = unpacked(path)[0].outputs
    return {u.variable.name: None if u.dependencies is None else [v.name for v in u.dependencies] for u in listed}
