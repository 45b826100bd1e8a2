"""Exported mechanisms choose their modes as closed forms say: in Co-Simulation, and in Model Exchange by this library's solvers and by FMPy's CVode."""

from __future__ import annotations

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
"""Who runs it, and what its errors may be."""


def ends(case: Case, path: Path, who: str) -> np.ndarray:
    """What the outputs of the exported machine are in the end, less what they should be."""
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


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in CASES])
def test_exported_machines_switch_when_their_closed_forms_say_so(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = case.machine().export_fmu(tmp_path / "whole.fmu", fmi=2 + len(name) % 2, outputs=list(case.ends()))
    errors = {who: float(abs(ends(case, path, who)).max()) for who in SOME}
    assert {who: error for who, error in errors.items() if not error < SOME[who]} == {}
