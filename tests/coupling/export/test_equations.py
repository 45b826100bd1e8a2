"""Exported mechanisms find derivatives by their own equations in place of their components, where there is a graph of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import coupling.export.equations as equations_module
import coupling.export.export as export_module
import coupling.export.package as package_module
from coupling import Index3, System
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import CASES, export
from tests.support.systems.switching import stop

PARAMETERS = {"four-bar": "crank.m", "springs": "arm.p3.rx"}
"""Parameter that may be tuned, by case."""


def derivatives(path: Path, name: str) -> np.ndarray:
    """Returns derivatives at some states and times, before and after changes of a parameter and of the inputs, as a tool changes them."""
    random = np.random.default_rng(5)
    found = []
    with Driver(path, "me") as fmu:
        fmu.start({each: drive(0.0) for each, drive in CASES[name].inputs.items()})
        x = fmu.states
        tuned = PARAMETERS[name]
        for changes in ({}, {tuned: 1.5 * fmu[tuned] + 0.1}):
            if changes:
                fmu.fmu.enterEventMode()
                fmu.set(changes)
                fmu.settle()
            for t in (0.1, 0.2, 0.3):
                fmu.at(t, x + 0.1 * random.standard_normal(len(x)))
                fmu.set({each: drive(t) for each, drive in CASES[name].inputs.items()})
                found.append(fmu.derivatives)
    return np.array(found)


def sources(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as packed:
        return {name.removeprefix("sources/") for name in packed.namelist()}


def exported(name: str) -> Path:
    case = CASES[name]
    return export(case.exportable, 2, inputs=tuple(case.inputs), initial="relax")


@pytest.mark.parametrize("name", PARAMETERS)
def test_derivatives_are_those_of_the_components(name, monkeypatch):
    """The same system exported without equations is evaluated by its components alone. The angles of the four-bar are turned four at once."""
    by_equations = exported(name)
    monkeypatch.setattr(export_module, "equations_of", lambda built: None)
    by_components = exported(name)
    assert "equations.c" in sources(by_equations) and "equations.c" not in sources(by_components)
    with zipfile.ZipFile(by_equations) as packed:
        includes = '#include "kernel/tapes/angles.h"' in packed.read("sources/equations.c").decode()
    assert includes == ("kernel/tapes/angles.h" in sources(by_equations)) == (name == "four-bar")
    expected, found = derivatives(by_components, name), derivatives(by_equations, name)
    assert np.abs(expected).max() > 0
    assert found == pytest.approx(expected, rel=0, abs=1e-12 * np.abs(expected).max())


def test_wrong_equations_are_found_out(monkeypatch):
    """The components are asked from time to time, and by them alone it goes on where they say otherwise."""
    right = derivatives(exported("four-bar"), "four-bar")
    wrong = package_module.equations_source
    monkeypatch.setattr(package_module, "equations_source", lambda code, session: wrong(code, session).replace("sin(", "cos("))
    assert derivatives(exported("four-bar"), "four-bar") == pytest.approx(right, rel=1e-11, abs=1e-9)


def test_without_equations_there_are_none_inside(tmp_path, monkeypatch):
    """The components are evaluated where modes switch, for steps of fixed size, and where the equations would be too long."""
    moving = System("moving")
    moving.add("mass", "mechanical1d.Mass")
    paths = [
        stop().export_fmu(tmp_path / "stop.fmu", platforms=["linux64"]),
        moving.export_fmu(tmp_path / "moving.fmu", platforms=["linux64"], solver=Index3(step_size=0.01)),
    ]
    monkeypatch.setattr(equations_module, "LONGEST", 100)
    paths.append(moving.export_fmu(tmp_path / "long.fmu", platforms=["linux64"]))
    for path in paths:
        assert not sources(path) & {"equations.c", "fused_system.c", "kernel/equations/fused.c", "kernel/tapes/tape.c"}
