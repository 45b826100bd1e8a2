"""Exported mechanisms as example 12 runs them, without this library, against equations in minimal coordinates."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import fmpy
import numpy as np
import pytest

from tests.support.oracles import crane
from tests.support.oracles.planar import Rod, SliderCrank
from tests.support.systems.machines import EXAMPLES, example

RUNS = EXAMPLES / "12_run_exported_mechanisms.py"


@pytest.fixture(scope="module")
def exporting() -> Iterator[ModuleType]:
    """Example 11 as a module; as a script it finds the other examples by itself."""
    sys.path.insert(0, str(EXAMPLES))
    yield example("11_exported_mechanisms")
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module", params=[pytest.param(2, id="fmi2", marks=pytest.mark.slow), pytest.param(3, id="fmi3")])
def folder(request: pytest.FixtureRequest, exporting: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives the folder of the FMUs."""
    made = tmp_path_factory.mktemp("exported")
    exporting.export(made, request.param)
    return made


@pytest.fixture(scope="module")
def runs() -> ModuleType:
    return example("12_run_exported_mechanisms")


KIND = pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
NEAR = {"ModelExchange": 1e-7, "CoSimulation": 1e-9}
"""Errors of CVODE at a tolerance of 1e-11, and of the FMU itself."""


@KIND
def test_all_comparisons_hold(runs: ModuleType, folder: Path, kind: str) -> None:
    for comparison in runs.runs(folder, kind)[1]:
        assert comparison.found < min(comparison.allowed, NEAR[kind]), comparison


@KIND
def test_the_crane_obeys_lagrange(runs: ModuleType, folder: Path, kind: str) -> None:
    """Both angles over the whole motion."""
    result = runs.run(folder / "crane_mechanics.fmu", kind, runs.CRANE_TIMES, ["boom.theta", "load.theta"], runs.FORCE)
    for name, exact in zip(("boom", "load"), crane.pushed(runs.CRANE_TIMES, runs.FORCE[1]), strict=True):
        assert result[f"{name}.theta"] == pytest.approx(exact, rel=0, abs=NEAR[kind]), name


@KIND
def test_the_slider_crank_obeys_lagrange(runs: ModuleType, folder: Path, kind: str) -> None:
    """It has one equation for its angle without friction, which parameters of the FMU remove, under a constant torque."""
    description = runs.parameters(folder / "slider_crank.fmu")
    rods = (
        Rod(description[f"{name}.p2.rx"] - description[f"{name}.p1.rx"], description[f"{name}.m"], description[f"{name}.I"])
        for name in ("crank", "rod")
    )
    times = np.linspace(0, 0.2, 201)
    exact = SliderCrank(*rods, slider=description["slider.m"], torque=0.5).motion(times)["crank"].theta
    result = fmpy.simulate_fmu(
        str(folder / "slider_crank.fmu"),
        fmi_type=kind,
        stop_time=times[-1],
        output_interval=times[1],
        start_values={"shaft.rotation.b": 0.0, "guide.translation.b": 0.0, "shaft.flange.tau": 0.5},
        output=["crank.theta"],
        record_events=False,
        **runs.KINDS[kind],
    )
    assert np.ptp(exact) > 2 * np.pi
    assert result["crank.theta"] == pytest.approx(exact, rel=0, abs=NEAR[kind])


def test_nothing_of_this_library_is_imported(folder: Path) -> None:
    """The example runs where an import of either package fails."""
    hidden = "import sys, runpy; sys.modules |= dict.fromkeys(('coupling', 'fmu_components')); sys.argv[0] = sys.argv.pop(1); "
    command = [sys.executable, "-c", hidden + "runpy.run_path(sys.argv[0], run_name='__main__')", str(RUNS), "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "plot: " in done.stdout, done.stdout + done.stderr


def test_a_failed_comparison_is_an_error(
    runs: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last lines report a changed digit of the reference, once for each kind, and the exit code is 1."""
    monkeypatch.setitem(runs.REFERENCE, "eps", runs.REFERENCE["eps"] + 1e-6)
    monkeypatch.setattr(sys, "argv", ["run", "--out", str(folder)])
    assert runs.main() == 1
    for line in capsys.readouterr().out.splitlines()[-2:]:
        assert line.startswith("seven bodies: published angles at 0.03 s, in ") and line.endswith("is more than the 1e-07 that is allowed")


def test_without_fmus_it_says_where_they_come_from(
    runs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run", "--out", str(tmp_path)])
    assert runs.main() == 1
    assert f"there is no '{tmp_path / 'seven_bodies.fmu'}'; run examples/11_exported_mechanisms.py first" in capsys.readouterr().out
