"""Exported mechanisms choose their modes as closed forms say: in Co-Simulation, and in Model Exchange by this library's solvers and by FMPy's CVode."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest

from coupling import System
from tests.support.switched import frictions, impacts
from tests.support.switched.case import Case

CASES = frictions.CASES | impacts.CASES
FEW = ("freewheel", "disc grips")
SOME = {"fmpy.CoSimulation": 1e-9, "fmpy.ModelExchange": 1e-6, "dopri5": 1e-9, "dop853": 1e-9, "cvode": 1e-6, "ida": 1e-6}
"""Programs that run it, and the error that each may have."""


def ends(case: Case, path: Path, who: str) -> np.ndarray:
    """Returns the errors of the outputs of the exported machine at the end."""
    exact = case.ends()
    if who.startswith("fmpy."):
        run = fmpy.simulate_fmu(
            str(path), fmi_type=who[5:], stop_time=case.stop, output_interval=case.stop / 100, relative_tolerance=1e-10, output=list(exact)
        )
        return np.array([run[name][-1] - value for name, value in exact.items()])
    system = System("whole")
    system.add("whole", path, kind="me")
    rtol = 1e-11 if who.startswith("dop") else 1e-10
    result = system.simulate(case.stop, solver=who, rtol=rtol, atol=rtol / 10)
    return np.array([result[f"whole.{name}"][-1] - value for name, value in exact.items()])


def marked(name: str, who: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if name in FEW and who in ("fmpy.CoSimulation", "dop853") else (pytest.mark.slow,)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("exported")

    @functools.cache
    def export(name: str) -> Path:
        case = CASES[name]
        return case.machine().export_fmu(folder / f"{name.replace(' ', '_')}.fmu", fmi=2 + len(name) % 2, outputs=list(case.ends()))

    return export


@pytest.mark.parametrize(("name", "who"), [pytest.param(name, who, marks=marked(name, who)) for name in CASES for who in SOME])
def test_exported_machines_switch_when_their_closed_forms_say_so(name: str, who: str, exported: Callable[[str], Path]) -> None:
    assert abs(ends(CASES[name], exported(name), who)).max() < SOME[who]
