"""Exported mechanisms of any size: their starts are judged and closed by the size, and modes are chosen by it."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

from tests.coupling.live.test_scales import STATES, box, four_bar, start, unit
from tests.support.runtime.driver import ERROR, Driver, status_of

SIZES = [1e-6, pytest.param(1e6, marks=pytest.mark.slow)]
MODES = ["box.x", "foot1.mode[1]", "foot2.mode[1]"]


@pytest.mark.parametrize("size", SIZES)
def test_starts_are_judged_and_closed_by_the_size(size: float, tmp_path: Path) -> None:
    path = four_bar(size).export_fmu(tmp_path / "bars.fmu", start_values=start(size), platforms=["linux64"])
    fmu = Driver(path, "cs")
    fmu.start({"rocker.x": start(size, 0.9e-6)["rocker.x"]})
    fmu.fmu.reset()
    off = {"rocker.x": start(size, 3e-6)["rocker.x"]}
    assert status_of(fmu.start, off) == ERROR
    assert f"c.position[1] = {3e-6 * size:.4g} m" in fmu.log[-1] and f"(at most {1e-6 * size:.4g} is allowed); correct" in fmu.log[-1]
    fmu.fmu.reset()
    guess = {name: value + 0.01 * unit(name, size) for name, value in start(size).items()}
    fmu.start({**guess, "initial.assemble": True})
    expected = Driver(four_bar(1.0).export_fmu(tmp_path / "one.fmu", start_values=start(1.0), platforms=["linux64"]), "cs")
    expected.start({**{name: value + 0.01 for name, value in start(1.0).items()}, "initial.assemble": True})
    for name in STATES:
        assert fmu[name] / unit(name, size) == pytest.approx(expected[name], rel=0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_contacts_have_the_same_modes(size: float, tmp_path: Path) -> None:
    def modes(size: float, name: str) -> np.ndarray:
        path = box(size).export_fmu(tmp_path / name, platforms=["linux64"], outputs=["box.x"])
        run = fmpy.simulate_fmu(
            str(path), fmi_type="CoSimulation", stop_time=1.5, output_interval=0.01, relative_tolerance=1e-11, output=MODES
        )
        return np.array([run["box.x"] / size, *(run[name] for name in MODES[1:])])

    assert modes(size, "small.fmu") == pytest.approx(modes(1.0, "one.fmu"), rel=0, abs=1e-7)
