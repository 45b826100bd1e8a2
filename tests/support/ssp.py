"""SSP packages written by hand, and the schemas of the standard."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

SPACE = "http://ssp-standard.org/SSP1/SystemStructure"
_FILES = {
    "SystemStructureDescription": "SystemStructureDescription",
    "ParameterSet": "SystemStructureParameterValues",
    "ParameterMapping": "SystemStructureParameterMapping",
}
_NAMES = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues", "ssm": "ParameterMapping"}
FMU = '<ssd:Component name="{0}" source="resources/{1}.fmu"/>'
DECLARED = " ".join(f'xmlns:{prefix}="{SPACE}{name}"' for prefix, name in _NAMES.items())


@cache
def schema(root: str) -> etree.XMLSchema:
    """The XSD of SSP 1.0 that pyssp-standard brings along."""
    package = find_spec("pyssp_standard")
    assert package is not None and package.submodule_search_locations
    return etree.XMLSchema(etree.parse(Path(package.submodule_search_locations[0]) / "resources" / f"{_FILES[root]}.xsd"))


def check_valid(path: Path) -> list[str]:
    """Validates all that a package describes itself by, parameter sets inside included; returns what was validated."""
    found = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith((".ssd", ".ssv", ".ssm")):
                tree = etree.fromstring(archive.read(name))
                inside = tree.iter(f"{{{SPACE}ParameterValues}}ParameterSet", f"{{{SPACE}ParameterMapping}}ParameterMapping")
                for element in [tree, *(each for each in inside if each is not tree)]:
                    root = etree.QName(element).localname
                    schema(root).assertValid(etree.fromstring(etree.tostring(element)))
                    found.append(root)
    return found


def described(inside: str, more: str = "", system: str = "") -> str:
    """A SystemStructure.ssd around elements and connections; ``more`` follows the system, ``system`` is inside it before its elements."""
    return (
        f'<ssd:SystemStructureDescription {DECLARED} version="1.0" name="by hand">'
        f'<ssd:System name="root">{system}{inside}</ssd:System>{more}</ssd:SystemStructureDescription>'
    )


def connection(a: str, b: str, inside: str = "", more: str = "") -> str:
    """Writes a connection between connectors such as ``one.y``; names without a dot are those of the system."""
    ends = [(each.partition(".")[0], each.partition(".")[2]) if "." in each else ("", each) for each in (a, b)]
    sides = " ".join(
        f'{side}Connector="{connector}"' + (f' {side}Element="{element}"' if element else "")
        for side, (element, connector) in zip(("start", "end"), ends, strict=True)
    )
    return f"<ssd:Connection {sides} {more}>{inside}</ssd:Connection>"


def elements(*inside: str) -> str:
    return f"<ssd:Elements>{''.join(inside)}</ssd:Elements>"


def connections(*inside: str) -> str:
    return f"<ssd:Connections>{''.join(inside)}</ssd:Connections>"


def connector(name: str, kind: str, unit: str = "") -> str:
    real = f'<ssc:Real unit="{unit}"/>' if unit else "<ssc:Real/>"
    return f'<ssd:Connector name="{name}" kind="{kind}">{real}</ssd:Connector>'


def given(name: str, value: float) -> str:
    return (
        '<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="given"><ssv:Parameters>'
        f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
        "</ssd:ParameterBinding></ssd:ParameterBindings>"
    )


def packed(path: Path, files: Mapping[str, str | Path | bytes]) -> Path:
    """An archive of texts, and of files with this content."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content.read_bytes() if isinstance(content, Path) else content)
    return path


def replaced(path: Path, name: str, old: str, new: str) -> Path:
    """The same package, in one file of which a text is another one."""
    with zipfile.ZipFile(path) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    text = files[name].decode()
    assert old in text
    return packed(path.with_stem(f"{path.stem} changed"), {**files, name: text.replace(old, new)})


def for_others(path: Path) -> Path:
    """The same package as other tools see it: without our own file."""
    with zipfile.ZipFile(path) as archive:
        files = {each: archive.read(each) for each in archive.namelist() if each != "extra/org.jourdain/system.xml"}
    return packed(path.with_stem(f"{path.stem} for others"), files)
