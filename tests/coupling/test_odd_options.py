"""Values of odd types for every option of every public function: each has a meaning, or is refused by one sentence of ours."""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import Checkpoint, Contacts, Index3, Isolation, Result, Scheme, Successive, System
from coupling.analysis.linear_model import LinearModel
from coupling.sweep import sweep
from tests.support.systems.systems import pendulum

ODD: tuple[Any, ...] = (
    *(np.array([1.0, 2.0]), None, 10**400, "a\0b", {1: 2}, True, object(), np.array(1.0), [None], "\ud800", float("nan"), 1j, ()),
    *(False, 0, -1, 1.5, -(10**400), float("inf"), float("-inf"), 1e308, "", "x", "1", b"x", [], {}, [[1.0]], {"a": 1}),
    *(np.float32(1), np.bool_(True), abs, np.nan * np.ones(2), set(), range(3), {"rod.m": "x"}, np.datetime64("2020"), Path("x"), int),
)


def lag() -> System:
    system = System("lag")
    system.add("lag", "signal.StateSpace1")
    return system


def gains() -> System:
    system = System()
    for name in ("a", "b"):
        system.add(name, "signal.Gain")
    return system


@cache
def machine() -> System:
    return pendulum()


@cache
def result() -> Result:
    return machine().simulate(0.1)


@cache
def model() -> LinearModel:
    return lag().linearise(inputs=["lag.u"])


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]] = {
    "System": (System, System.__init__, {}),
    "simulate": (lambda **given: machine().simulate(**given), System.simulate, {"stop_time": 0.01}),
    "sweep": (lambda **given: sweep(machine(), **given), sweep, {"points": {"rod.m": [1.0]}, "stop_time": 0.0}),
    "export_fmu": (lambda **given: machine().export_fmu(**given), System.export_fmu, {"path": "a.fmu"}),
    "to_ssp": (lambda **given: machine().to_ssp(**given), System.to_ssp, {"path": "a.ssp"}),
    "linearise": (lambda **given: lag().linearise(**given), System.linearise, {}),
    "equilibrium": (lambda **given: lag().equilibrium(**given), System.equilibrium, {}),
    "assemble": (lambda **given: machine().assemble(**given), System.assemble, {}),
    "add": (lambda **given: System().add(**given), System.add, {"name": "a", "fmu": "planar.Body1"}),
    "join": (
        lambda **given: pendulum().join(**given),
        System.join,
        {"fmu": "planar.Revolute", "a": "ground.p1", "b": "rod.p2", "name": "j"},
    ),
    "connect": (lambda **given: gains().connect(**given), System.connect, {"a": "a.y", "b": "b.u"}),
    "drive": (lambda **given: gains().drive(**given), System.drive, {"name": "b.u", "value": 1.0}),
    **{each.__name__: (each, each.__init__, {}) for each in (Scheme, Index3, Successive, Contacts, Isolation)},
    "Checkpoint": (Checkpoint, Checkpoint.__init__, {"path": "a.ckpt"}),
    "plot": (lambda **given: result().plot("rod.theta", **given), Result.plot, {}),
    "animate": (lambda **given: result().animate(**given), Result.animate, {"path": "a.html"}),
    "picture": (lambda **given: result().picture(**given), Result.picture, {"t": 0.0, "path": "a.svg"}),
    "at": (lambda **given: result().at(**given), Result.at, {"t": 0.1}),
    "resample": (lambda **given: result().resample(**given), Result.resample, {}),
    "final": (lambda **given: result().final(**given), Result.final, {}),
    "compare": (lambda **given: result().compare(**given), Result.compare, {"other": None}),
    "to_csv": (lambda **given: result().to_csv(**given), Result.to_csv, {}),
    "to_mat": (lambda **given: result().to_mat(**given), Result.to_mat, {}),
    "save": (lambda **given: result().save(**given), Result.save, {}),
    "bode": (lambda **given: model().bode(**given), LinearModel.bode, {}),
    "step_response": (lambda **given: model().step_response(**given), LinearModel.step_response, {}),
}


def fault(error: Exception) -> str:
    """Returns the fault of an error; empty for a sentence of ours, raised on purpose."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    own = type(error).__module__.startswith("coupling") or ("/coupling/" in at.filename and (at.line or "").startswith("raise"))
    text = str(error)
    return "" if own and len(text) > 15 and "\n" not in text else f"{type(error).__name__} at {at.filename}:{at.lineno}: {text!r}"


@pytest.mark.parametrize("count", [4, pytest.param(len(ODD), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_of_odd_types(name: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays in the place of words, numbers that no double holds, characters that no file has, and others."""
    call, signature, given = FUNCTIONS[name]
    given = given | ({"other": result()} if name == "compare" else {})
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    faults = []
    for option in inspect.signature(signature).parameters.values():
        if option.name in ("self", "system") or option.kind in (option.VAR_KEYWORD, option.VAR_POSITIONAL):
            continue
        for odd in ODD[:count]:
            try:
                call(**{**given, option.name: odd})
            except Exception as error:
                faults += [f"{option.name} = {odd!r}: {found}" for found in [fault(error)] if found]
    assert not faults, "\n".join(faults)
