"""Packages of other tools that leave something open, and what is kept of them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from coupling import System
from tests.support.foreign import Model, Variable, export
from tests.support.interoperability.omsimulator import refusals
from tests.support.ssp import FMU, check_valid, described, elements, for_others, given, packed


def test_annotations_of_other_tools_are_kept(tmp_path: Path) -> None:
    """They are written again after the one that OMSimulator takes, since it refuses a package with annotations at the top."""
    annotation = '<ssd:Annotations><ssc:Annotation type="org.example"><Colour name="red"/></ssc:Annotation></ssd:Annotations>'
    structure = described(elements(FMU.format("a", "gain")), annotation)
    gain = export(Model("Gain", [Variable("u", "input"), Variable("y", "output", value="2 * u", depends=["u"])]), 2)
    system = System.from_ssp(packed(tmp_path / "one.ssp", {"SystemStructure.ssd": structure, "resources/gain.fmu": gain}))
    assert system.notes == ("the annotation of type 'org.example' is kept, and written again",)
    system.to_ssp(tmp_path / "again.ssp")
    check_valid(tmp_path / "again.ssp")
    assert refusals(tmp_path / "again.ssp") == []
    again = System.from_ssp(tmp_path / "again.ssp")
    assert again.notes == system.notes and again.definition == system.definition


@pytest.mark.parametrize(("unit", "value", "noted"), [("m", 2.0, False), ("mm", 0.002, False), ("in", 2.0, True)])
def test_a_parameter_in_a_unit_that_the_package_does_not_define(unit: str, value: float, noted: bool, tmp_path: Path) -> None:
    """It is converted if the FMU knows the unit. Otherwise the value stays, and a note says so, as for a connector."""
    variables = [
        Variable("b", "parameter", 0.0, unit="m"),
        Variable("play", "parameter", 0.0, unit="mm"),
        Variable("y", "output", unit="m", value="b"),
    ]
    fmu = export(Model("Length", variables), 2)
    structure = described(elements(FMU.format("a", "length")), "", given("a.b", 2).replace('value="2"', f'value="2" unit="{unit}"'))
    system = System.from_ssp(packed(tmp_path / "x.ssp", {"SystemStructure.ssd": structure, "resources/length.fmu": fmu}))
    assert system.start_values["a"] == {"b": value}
    sentence = f"the parameter 'a.b' is in {unit}, which the package does not define among its Units; its value is not converted"
    assert system.notes == ((sentence,) if noted else ())


def test_ports_without_accelerations_keep_their_start_values(tmp_path: Path) -> None:
    """Packages of other tools connect what their joints need: a joint without accelerations is compliant, a spring runs as it is."""
    system = System("drop")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", {"compliant.k": 1e4, "compliant.c": 100.0}, name="pin")
    system.to_ssp(tmp_path / "drop.ssp", {"stop_time": 0.2, "communication_step": 1e-3})
    path = for_others(tmp_path / "drop.ssp")
    whole = System.from_ssp(path)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("SystemStructure.ssd").decode()
    for name in ("ax", "ay", "alpha"):
        text = re.sub(rf'<ssd:Connection startElement="\w+" startConnector="p1.{name}"[^>]*/>', "", text)
    left = System.from_ssp(packed(tmp_path / "left.ssp", {**_members(path), "SystemStructure.ssd": text}))
    assert left.notes[-2:] == (
        "nothing gives 'pin.M.ax', 'pin.M.ay', 'pin.M.alpha', 'pin.N.ax', 'pin.N.ay', 'pin.N.alpha': the start values count",
        "'pin' gets no accelerations, and is compliant",
    )
    a = left.simulate(**left.settings, initial="relax")
    b = whole.simulate(**whole.settings)
    assert a["rod.theta"][-1] == pytest.approx(b["rod.theta"][-1], abs=5e-4) and a["rod.theta"][-1] < -0.05


def _members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
