"""Exported mechanisms choose the modes of their joints themselves: they do as the master does, in every tool."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import fmpy
import numpy as np
import pytest

from coupling import BuildError, System
from tests.support.export import binaries
from tests.support.switched.case import Parts, built
from tests.support.systems.switching import belt, stop

FMI = pytest.mark.parametrize("fmi", [3, pytest.param(2, marks=pytest.mark.slow)])


def export(system: System, folder: Path, fmi: int) -> Path:
    return system.export_fmu(
        folder / "whole.fmu", fmi=fmi, platforms=["linux64"], outputs=["mass.s", "mass.v"] if system.name == "stop" else ["block.v"]
    )


def after_bounces(t: float) -> tuple[float, float]:
    """Returns place and velocity of the mass on its stop, between impacts."""
    n = math.floor(5 * t / math.pi + 0.5)
    since, speed = t - (2 * n - 1) * math.pi / 10, 5 * 0.7**n
    return speed / 5 * math.sin(5 * since), speed * math.cos(5 * since)


@FMI
def test_a_mass_bounces_inside_an_exported_mechanism(fmi: int, tmp_path: Path) -> None:
    path = export(stop(), tmp_path, fmi)
    exact = after_bounces(3.0)
    for kind, error in (("CoSimulation", 1e-9), ("ModelExchange", 1e-6)):
        run = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=3.0, output_interval=0.01, relative_tolerance=1e-10)
        np.testing.assert_allclose([run["mass.s"][-1], run["mass.v"][-1]], exact, atol=error)
    for solver in ("dopri5", "dop853"):
        system = System("whole")
        system.add("whole", path, kind="me")
        result = system.simulate(3.0, solver=solver, rtol=1e-11)
        np.testing.assert_allclose([result["whole.mass.s"][-1], result["whole.mass.v"][-1]], exact, atol=1e-9)
    binaries.check_exports_fmi_only(binaries.library(path, tmp_path), fmi)


@FMI
def test_it_says_that_velocities_jump(fmi: int, tmp_path: Path) -> None:
    with ZipFile(export(stop(), tmp_path, fmi)) as packed:
        root = ElementTree.fromstring(packed.read("modelDescription.xml"))
        assert "extra/org.jourdain.switched/switched.xml" not in packed.namelist()
    jump = [
        v.get("name") for v in root.find("ModelVariables") or () if v.get("reinit") == "true" or any(c.get("reinit") == "true" for c in v)
    ]
    assert jump == ["mass.v"]


@FMI
def test_a_block_sticks_and_slips_inside_an_exported_mechanism(fmi: int, tmp_path: Path) -> None:
    path = export(belt(), tmp_path, fmi)
    run = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=6.0, output_interval=0.01, relative_tolerance=1e-10, output=["rub.mode[1]"]
    )
    changes = run["time"][1:][np.diff(run["rub.mode[1]"]) != 0]
    assert len(changes) == 17
    assert changes[-1] == pytest.approx(0.4 + 8 * (3 * math.pi / 20 + 0.2), abs=1e-6)
    system = System("whole")
    system.add("whole", path, kind="me")
    modes = system.simulate(6.0, rtol=1e-11, outputs=["whole.rub.mode[1]"])
    changes = modes.time[1:][np.diff(modes["whole.rub.mode[1]"]) != 0]
    assert len(changes) == 17
    assert changes[-1] == pytest.approx(0.4 + 8 * (3 * math.pi / 20 + 0.2), abs=1e-9)


@pytest.mark.parametrize("force", [1.0, pytest.param(-1.0, marks=pytest.mark.slow)])
def test_a_mode_that_proves_wrong_at_rest_is_chosen_anew(force: float, tmp_path: Path) -> None:
    """A mass that touches a stop without a load may be open or closed; a force that grows from 0 pulls it off, or presses."""
    parts: Parts = {
        "ground": "mechanical1d.Fixed1D",
        "mass": "mechanical1d.Mass",
        "pull": "mechanical1d.Force",
        "stop": ("mechanical1d.EndStop", {"low": 0.0, "high": 9.0}),
    }
    system = built("touching", parts, "pull.flange-mass.flange ground.flange-stop.M stop.N-mass.flange")
    system.drive("pull.force", [(0, 0), (1, -force)])
    path = system.export_fmu(tmp_path / "touching.fmu", outputs=["mass.s", "mass.v"])
    exact = (0.0, 0.0) if force > 0 else (1 / 6, 1 / 2)
    for kind, error in (("CoSimulation", 1e-9), ("ModelExchange", 1e-6)):
        run = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=1.0, relative_tolerance=1e-10)
        np.testing.assert_allclose([run["mass.s"][-1], run["mass.v"][-1]], exact, atol=error)
    system = System("whole")
    system.add("whole", path, kind="me")
    result = system.simulate(1.0, solver="dop853", rtol=1e-11)
    np.testing.assert_allclose([result["whole.mass.s"][-1], result["whole.mass.v"][-1]], exact, atol=1e-9)
    assert result.statistics.events <= 2


def test_importers_see_indicators_fall_only(tmp_path: Path) -> None:
    """The block on its belt has an event for each change of its mode, and none where an indicator rises."""
    system = System("whole")
    system.add("whole", belt().export_fmu(tmp_path / "belt.fmu", outputs=["block.v"]), kind="me")
    assert system.simulate(6.0, rtol=1e-11).statistics.state_events == 17


def test_multipliers_cannot_be_left_to_the_importer(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as refused:
        stop().export_fmu(tmp_path / "stop.fmu", ls_dae=True)
    assert str(refused.value) == (
        "ls_dae=True is refused: the modes of 'stop' are chosen inside the FMU, where the multipliers are found; leave it out"
    )
