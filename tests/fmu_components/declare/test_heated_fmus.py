"""FMUs of components with a heat port, by their names, alone and in whole systems that other tools run."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from fmpy.validation import validate_fmu

import build_fmus
from coupling import BuildError, System
from coupling.plan.instances import component_of
from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.heat import heated
from fmu_components.export.build import cached_fmu
from jourdain import command
from jourdain import sweep as sweep_of
from tests.support.foreign.by_fmpy import run
from tests.support.systems.systems import refusal

LOSING = [name for name in all_components() if "loss" in declaration(find(name)).by_name]


def disc_brake(name: str = "mechanical1d.Brake", **options: bool) -> System:
    """Returns a flywheel under a torque of a sine, and a brake that heats its disc and fades."""
    system = System("brake")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("wheel", "mechanical1d.Inertia", {"I": 2.0, "w": 60.0})
    system.add("torque", "mechanical1d.Torque")
    system.add("sine", "signal.Sine", {"amplitude": 150.0, "frequency": 1 / np.pi})
    system.add("disc", "thermal.Capacity", {"C": 100.0, "T": 370.0, "reference": 370.0})
    system.join(name, "ground.shaft", "wheel.flange", {"force": 1000.0, "fade.rate": 4e-3}, name="brake", **options)
    for a, b in {"disc.port": "brake.heat", "wheel.flange": "torque.flange", "sine.y": "torque.torque"}.items():
        system.connect(a, b)
    return system


@pytest.fixture(scope="module")
def braked():
    return disc_brake(heat_port=True).simulate(6.0, rtol=1e-10)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Returns the folder of FMUs that the command builds, by several processes."""
    folder = tmp_path_factory.mktemp("built")
    names = ("electrical.HeatedResistor", "mechanical1d.HeatedBrake")
    assert build_fmus.main([*names, "--out", str(folder), "--platform", "linux64"]) == 0
    return folder


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_the_command_builds_them_for_other_tools(built, fmi, kind):
    """FMPy finds nothing wrong. A wire of 1 Ohm at 10 V and 350 K gives 100 W/(1 + alpha 56.85 K); a brake that stands gives nothing."""
    wire, brake = (built / f"fmi{fmi}" / f"{name}.fmu" for name in ("electrical.HeatedResistor", "mechanical1d.HeatedBrake"))
    assert validate_fmu(str(wire)) == validate_fmu(str(brake)) == []
    found = run(wire, kind, 0.1, ["heat.heat_flow", "loss"], start_values={"M.v": 10.0, "heat.temperature": 350.0, "R.alpha": 4e-3})
    assert found["heat.heat_flow"][-1] == pytest.approx(100 / (1 + 4e-3 * (350.0 - 293.15)), rel=1e-14)
    assert (found["heat.heat_flow"] == found["loss"]).all()
    held = run(brake, kind, 0.1, ["heat.heat_flow"], start_values={"force": 1000.0, "heat.temperature": 800.0})
    assert (held["heat.heat_flow"] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", LOSING)
def test_every_one_is_a_valid_fmu(name, fmi):
    """FMPy runs it in both kinds; its heat flow is its loss."""
    fmu = cached_fmu(heated(find(name)), fmi)
    assert validate_fmu(str(fmu)) == []
    for kind in ("me", "cs"):
        found = run(fmu, kind, 0.1, ["loss", "heat.heat_flow"])
        assert np.isfinite(found["loss"]).all() and (found["heat.heat_flow"] == found["loss"]).all()


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_whole_system_is_one_fmu(tmp_path, braked, fmi):
    """FMPy runs the exported brake in both kinds through slipping, sticking and reversal, to the same temperature."""
    fmu = disc_brake(heat_port=True).export_fmu(tmp_path / "brake.fmu", fmi=fmi, outputs=["disc.T", "wheel.w"], platforms=["linux64"])
    assert validate_fmu(str(fmu)) == []
    for kind in ("me", "cs"):
        found = run(fmu, kind, 6.0, ["disc.T", "wheel.w"])
        assert found["disc.T"][-1] == pytest.approx(braked["disc.T"][-1], rel=1e-6)
    assert braked["disc.T"][-1] > 450
    assert found["wheel.w"].min() < -1 < 1 < found["wheel.w"].max()


@pytest.mark.parametrize("form", ["components", "mechanism"])
def test_a_package_keeps_the_port(tmp_path, braked, form):
    package = disc_brake(heat_port=True).to_ssp(tmp_path / "brake.ssp", form=form)
    system = System.from_ssp(package)
    found = system.simulate(6.0, rtol=1e-10)["disc.T" if form == "components" else "mechanism.disc.T"]
    assert found[-1] == pytest.approx(braked["disc.T"][-1], rel=1e-9)
    if form == "components":  # whose FMUs have equations again, though their files are others
        assert component_of(system.instances["brake"]) is heated(find("mechanical1d.Brake"))


@pytest.mark.parametrize("options", [{"evaluation": "compiled"}, {"evaluation": "fmus"}, {"isolate": "all"}])
def test_all_evaluations_agree(braked, options):
    found = disc_brake("mechanical1d.HeatedBrake").simulate(6.0, rtol=1e-10, **options)
    assert found["disc.T"][-1] == pytest.approx(braked["disc.T"][-1], rel=1e-9)


@pytest.mark.slow
def test_a_sweep_runs_them_in_processes(braked):
    table = sweep_of(disc_brake(heat_port=True), {"brake.force": [1000.0, 1200.0]}, stop_time=6.0, rtol=1e-10, executor="processes")
    assert table["disc.T"][0] == pytest.approx(braked["disc.T"][-1], rel=1e-12)


def test_their_classes_go_to_other_processes():
    component = heated(find("electrical.DCMotor"))
    assert pickle.loads(pickle.dumps(component)) is component is find("electrical.HeatedDCMotor")


def test_modelica_text_has_a_heat_port(tmp_path):
    assert build_fmus.main(["electrical.HeatedResistor", "--modelica", str(tmp_path)]) == 0
    text = (tmp_path / "Jourdain" / "package.mo").read_text()
    assert "Interfaces.Heat heat" in text and "R_alpha" in text


def test_info_lists_the_port(capsys):
    assert command.main(["info", "electrical.HeatedResistor"]) == 0
    assert "heat  thermal: temperature, heat_flow" in capsys.readouterr().out


def test_a_component_without_losses_is_refused_by_name(capsys):
    sentence = "mechanical1d.Mass has no output 'loss', and therefore no heat port; leave heat_port out, or declare its losses"
    assert refusal(lambda: System().add("it", "mechanical1d.HeatedMass"), BuildError) == f"'it' cannot be added: {sentence}"
    assert command.main(["info", "mechanical1d.HeatedMass"]) == command.WRONG_USE
    assert capsys.readouterr().err == f"jourdain: {sentence}\n"
    assert refusal(lambda: System().add("it", "planar.HeatedNothing"), BuildError).startswith(
        "'it' cannot be added: there is no component 'planar.HeatedNothing'; "
    )
