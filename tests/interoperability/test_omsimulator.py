"""SSP packages in OMSimulator: a checker of its readers' refusals, and OMSimulator itself where it is installed."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from coupling import System
from coupling.names import without_blanks
from tests.support.interoperability.omsimulator import refusals
from tests.support.interoperability.packages import FORMS, system_of
from tests.support.ssp import packed
from tests.support.systems.machines import example

STEP = 1e-3


def pendulum() -> System:
    """The README's pendulum, which has one joint."""
    system: System = example("01_pendulum").system()
    return system


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("oms") / "pendulum.ssp"
    with pytest.warns(UserWarning, match="joints are compliant in other tools"):
        pendulum().to_ssp(path, {"stop_time": 0.5, "communication_step": STEP})
    return path


def test_a_package_as_it_is_written(package: Path) -> None:
    assert refusals(package) == []


ROOT, SYSTEM = "</ssd:SystemStructureDescription>", "</ssd:System>"
OTHER = '<ssd:Annotations><ssc:Annotation type="org.other"><a/></ssc:Annotation></ssd:Annotations>'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name="pendulum" version="1.0"', 'name="a pendulum" version="1.0"', "'a pendulum' is no identifier"),
        ('Component name="rod"', 'Component name="2rod"', "'2rod' is no identifier"),
        ('version="1.0" gen', 'version="1.5" gen', "version 1.5"),
        (ROOT, OTHER + ROOT, "pendulum: unknown element ssd:Annotations"),
        (SYSTEM, '<ssd:SystemGeometry x1="0" y1="0" x2="1" y2="1"/>' + SYSTEM, "pendulum: unknown element ssd:SystemGeometry"),
        ("</ssd:Component>", OTHER + "</ssd:Component>", "rod: unknown element ssd:Annotations"),
        ('startTime="0.0" ', "", "no start or no stop time: the Python reader converts None to a number"),
        ('type="org.openmodelica"', 'type="org.other"', "pendulum: the first annotation names no solver"),
        ('description="oms-ma"', 'description="oms-mb"', "pendulum: unknown solver oms:FixedStepMaster oms-mb"),
        ("resources/planar.Body1.fmu", "resources/planar.Body%31.fmu", "rod: no file resources/planar.Body%31.fmu"),
        ('"p1.Fx" kind="input"', '"p1.Fx" kind="inout"', "rod.p1.Fx: connector of kind inout, ssc:Real"),
        ('endConnector="p1.Cz"', 'endConnector="p1.Fx"', "2 connections to ('rod', 'p1.Fx')"),
        ('endConnector="p1.Cz"', 'endConnector="p1.C"', "connection of ('pin', 'N.Cz') with ('rod', 'p1.C'), one of which is no connector"),
    ],
)
def test_each_refusal_is_found(old: str, new: str, sentence: str, package: Path, tmp_path: Path) -> None:
    """One thing in the description is another one; these were tried in OMSimulator, which refuses each."""
    with zipfile.ZipFile(package) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    text = files["SystemStructure.ssd"].decode()
    assert old in text
    changed = packed(tmp_path / "changed.ssp", {**files, "SystemStructure.ssd": text.replace(old, new)})
    assert sentence in refusals(changed)


def test_fmus_that_are_refused(package: Path, tmp_path: Path) -> None:
    """An FMI 3 FMU with a structural parameter is refused even beside the components; two FMUs of one name share a folder."""
    with zipfile.ZipFile(package) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    joint = next(content for name, content in files.items() if name.endswith("planar.Revolute.me"))
    beside = packed(tmp_path / "beside.ssp", {**files, "other/planar.Revolute.fmu": joint})
    assert refusals(beside) == [
        "other/planar.Revolute.fmu: the Python reader knows no causality structuralParameter",
        "2 FMUs are called planar.Revolute, and are unpacked into one folder",
    ]


def test_omsimulator_itself(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python reader runs the package; the angle is that of an ideal pin except for what the compliant one yields."""
    oms = pytest.importorskip("OMSimulator", reason="OMSimulator is not installed")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = oms.SSP(str(package)).instantiate()
    model.initialize()
    model.simulate()
    theta = model.getValue(oms.CRef("pendulum", "rod", "theta"))
    model.terminate()
    model.delete()
    ideal = pendulum().simulate(0.5, rtol=1e-10)
    assert theta == pytest.approx(ideal["rod.theta"][-1], abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_exported_mechanisms_in_omsimulator(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All states after 20 steps are those of the master with ideal joints."""
    oms = pytest.importorskip("OMSimulator", reason="OMSimulator is not installed")
    system, stop = system_of(name), 20 * STEP
    path = system.to_ssp(tmp_path / "example.ssp", {"stop_time": stop, "communication_step": STEP, **FORMS[name]}, form="mechanism")
    with zipfile.ZipFile(path) as archive:
        top = ElementTree.fromstring(archive.read("SystemStructure.ssd"))
    monkeypatch.chdir(tmp_path)
    model = oms.SSP(str(path)).instantiate()
    model.initialize()
    model.simulate()
    fmus = {each.name: each.stepped.fmu for each in system.definition.instances}
    states = {(each, fmu.by_reference[state].name) for each, fmu in fmus.items() for state in fmu.states}
    found = {
        f"{each}.{state}": model.getValue(oms.CRef(top[0].get("name"), "mechanism", f"{without_blanks(fmus)[each]}.{state}"))
        for each, state in states
    }
    model.terminate()
    model.delete()
    initial = {key: value for key, value in FORMS[name].items() if key == "initial"}
    result = system.simulate(stop, solver="cvode", rtol=1e-10, **initial)
    assert found == pytest.approx({state: result[state][-1] for state in found}, rel=2e-6, abs=2e-6)
