"""Packages whose own file is damaged, or is deeper than recursion, are refused by one sentence that names the place."""

from __future__ import annotations

import zipfile
from functools import cache
from pathlib import Path

import pytest

from coupling import System
from coupling.ssp.reading import _NESTED
from tests.fuzz.files import driven
from tests.support.systems.systems import refusal

OWN, STRUCTURE = "extra/org.jourdain/system.xml", "SystemStructure.ssd"
COMPONENT = '<ssd:Component name="in" source="resources/in.ssp" type="application/x-ssp-package"/>'
STRUCTURE_OF = (
    '<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="n">'
    '<ssd:System name="s"><ssd:Elements>{element}</ssd:Elements></ssd:System></ssd:SystemStructureDescription>'
)
DEEP = '<Operation name="sin">'

DAMAGES = {
    "compliance": (OWN, 'compliant.k="', 'compliant.k="soft', "' of 'plane' has a word that is no finite number"),
    "factor": (OWN, 'factor="-0.1"', 'factor="1 2"', "factor = '1 2' of 'Connection' is not one number"),
    "offset": (OWN, 'offset="0.3', 'offset="nan0.3', "of 'Connection' has a word that is no finite number"),
    "value": (OWN, 'value="0.5" />\n  <Drive', 'value="inf" />\n  <Drive', "value = 'inf' of 'a.u' has a word that is no finite number"),
    "number": (OWN, 'value="2.0"', 'value=""', "value = '' of 'number' is not one number"),
    "breaks": (OWN, 'breaks="0.5"', 'breaks="soon"', "breaks = 'soon' of 'c.u' has a word that is no finite number"),
    "half a row": (OWN, "0.5 0.1", "0.5", "of 'b.u' has a time without a value"),
    "no row": (OWN, "0.0 1.0 0.25 1.0 0.5 0.1", "", "the table of 'b.u' is empty"),
    "times that go back": (OWN, "0.25 1.0", "0.75 1.0", "the times of the table of 'b.u' go back from 0.75 to 0.5 s"),
    "kind of curve": (OWN, '"monotone"', '"round"', "smooth = 'round' of 'b.u' is refused"),
    "interval": (OWN, 'end="1.4"', 'end="0.1"', "the interval (0.2, 0.1) s of 'plane' ends before it begins"),
    "end": (OWN, 'end="1.0"', 'end="never"', "end = 'never' of 'Interval' has a word that is no finite number"),
    "gravity": (OWN, "<Instance", '<Gravity values="1" /><Instance', "values = '1' of 'Gravity' does not have two or three numbers"),
    "deep formula": (OWN, DEEP, 5000 * DEEP, f"'{OWN}' cannot be read: it has more than 300 elements in each other"),
    "deep system": (STRUCTURE, "<ssd:Elements>", 5000 * "<ssd:Elements>", "cannot be read: it has more than 300 elements in each other"),
}


@cache
def members(folder: Path) -> dict[str, bytes]:
    driven().to_ssp(folder / "whole.ssp")
    with zipfile.ZipFile(folder / "whole.ssp") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return members(tmp_path_factory.mktemp("package"))


def packed(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, each in content.items():
            archive.writestr(name, each)
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.every_case
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_package_is_refused(damage: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    """The sentence names the file or the input, and the value."""
    name, old, new, said = DAMAGES[damage]
    text = whole[name].decode()
    assert text.count(old) >= 1
    path = packed(tmp_path / "damaged.ssp", whole | {name: text.replace(old, new, 1).encode()})
    assert said in refusal(lambda: System.from_ssp(path))


@pytest.mark.filterwarnings("ignore")
def test_geometry_of_nested_systems_has_numbers(whole: dict[str, bytes], tmp_path: Path) -> None:
    """Coordinates of a system inside another one are numbers."""
    inner = '<ssd:System name="inner"><ssd:ElementGeometry x1="left" /><ssd:SystemGeometry x1="0" /><ssd:Elements /></ssd:System></ssd:Elements>'
    text = whole[STRUCTURE].decode().replace("</ssd:Elements>", inner, 1).encode()
    path = packed(tmp_path / "nested.ssp", whole | {STRUCTURE: text})
    assert "gives x1 = 'left' to ElementGeometry ''; give a number" in refusal(lambda: System.from_ssp(path))


@pytest.mark.filterwarnings("ignore")
def test_a_whole_package_is_read_as_it_was(whole: dict[str, bytes], tmp_path: Path) -> None:
    """Every kind of drive, factor and interval comes back."""
    assert System.from_ssp(packed(tmp_path / "again.ssp", whole)).definition == driven().definition


@pytest.mark.filterwarnings("ignore")
def test_packages_in_packages_end(tmp_path: Path) -> None:
    """A chain of packages is read up to a length, and refused beyond it."""
    inner = packed(tmp_path / "0.ssp", {STRUCTURE: STRUCTURE_OF.format(element="").encode()})
    for depth in range(1, _NESTED + 2):
        outer = {STRUCTURE: STRUCTURE_OF.format(element=COMPONENT).encode(), "resources/in.ssp": inner.read_bytes()}
        inner = packed(tmp_path / f"{depth}.ssp", outer)
    assert f"has more than {_NESTED} packages in each other" in refusal(lambda: System.from_ssp(inner))
    assert "has no components" in refusal(lambda: System.from_ssp(tmp_path / f"{_NESTED}.ssp"))
