"""Refusals of OMSimulator: what its C reader and its Python reader do not read in an SSP package, after their sources of August 2026.

The C reader compares names with their prefixes, takes file names as they stand, and refuses every element that it does not know. The
Python reader loads every FMU of the archive, whether or not a component uses it.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath

from lxml import etree

from tests.support.ssp import SPACE

OMS = "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"
_SPACES = {f"{SPACE}{name}": prefix for prefix, name in (("ssd", "Description"), ("ssc", "Common"), ("ssv", "ParameterValues"))} | {
    OMS: "oms"
}
_IN_PACKAGE = {"ssd:System", "ssd:Units", "ssd:Enumerations", "ssd:DefaultExperiment"}
_IN_COMPONENT = {"ssd:Connectors", "ssd:ElementGeometry", "ssd:ParameterBindings"}
_IN_SYSTEM = {*_IN_COMPONENT, "ssd:Elements", "ssd:Connections", "ssd:Annotations"}
_SOLVERS = {
    "oms:VariableStepSolver": ("cvode", "euler"),
    "oms:FixedStepMaster": ("oms-ma",),
    "oms:VariableStepMaster": ("oms-mav", "oms-mav2"),
}
_KINDS = {"input", "output", "parameter", "calculatedParameter"}
_CAUSALITIES = {*_KINDS, "local", "independent"}
_TYPES = {"ssc:Real", "ssc:Integer", "ssc:Boolean", "ssc:Enumeration"}
_VALUES = {"ssv:Real", "ssv:Integer", "ssv:Boolean"}
_IDENTIFIER = re.compile("[a-zA-Z][a-zA-Z0-9_-]*")


def refusals(path: Path) -> list[str]:
    """Returns one sentence for each thing in a package that one of the readers refuses, or leaves out without a word."""
    with zipfile.ZipFile(path) as archive:
        return list(_Package(archive).refusals())


def _name(element: etree._Element) -> str:
    """Returns the name with its prefix, which has to be the usual one of its namespace."""
    name = etree.QName(element)
    usual = _SPACES.get(name.namespace or "")
    return f"{element.prefix}:{name.localname}" if element.prefix == usual else f"{{{name.namespace}}}{name.localname}"


class _Package:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self._fmus = {name: _described(archive.read(name)) for name in self._names if name.endswith(".fmu")}

    def refusals(self) -> Iterator[str]:
        root = etree.fromstring(self._archive.read("SystemStructure.ssd"))
        yield from _identifier(root)
        if root.get("version") not in ("1.0", "2.0"):
            yield f"version {root.get('version')}"
        yield from _unknown(root, _IN_PACKAGE)
        experiment = root.find("{*}DefaultExperiment")
        if experiment is None or not {"startTime", "stopTime"} <= set(experiment.attrib):
            yield "no start or no stop time: the Python reader converts None to a number"
        for name, description in self._fmus.items():
            odd = {each.get("causality", "local") for each in description.iterfind("ModelVariables/*")} - _CAUSALITIES
            odd |= {each.get("causality", "local") for each in description.iterfind("ModelVariables/ScalarVariable")} - _CAUSALITIES
            if odd:
                yield f"{name}: the Python reader knows no causality {', '.join(sorted(odd))}"
        for stem, number in Counter(PurePosixPath(name).stem for name in self._fmus).items():
            if number > 1:
                yield f"{number} FMUs are called {stem}, and are unpacked into one folder"
        for system in root.iterfind("{*}System"):
            yield from self._system(system, 0)

    def _system(self, system: etree._Element, depth: int) -> Iterator[str]:
        yield from _identifier(system)
        yield from _unknown(system, _IN_SYSTEM)
        if depth > 1:
            yield f"{system.get('name')}: the Python reader joins the names of two levels alone"
        annotation = next(iter(system.iterfind("{*}Annotations/{*}Annotation")), None)
        information = None if annotation is None else annotation.find(f"{{{OMS}}}Annotations/{{{OMS}}}SimulationInformation")
        solver = None if information is None else next(iter(information), None)
        if annotation is None or annotation.get("type") != "org.openmodelica" or solver is None:
            yield f"{system.get('name')}: the first annotation names no solver"
            return
        if solver.get("description") not in _SOLVERS.get(_name(solver), ()):
            yield f"{system.get('name')}: unknown solver {_name(solver)} {solver.get('description')}"
        integrated = _name(solver) == "oms:VariableStepSolver"
        connectors: dict[tuple[str, str], str] = dict(self._connectors(system, ""))
        for element in system.iterfind("{*}Elements/*"):
            connectors |= dict(self._connectors(element, element.get("name", "")))
            if _name(element) == "ssd:System":
                yield from self._system(element, depth + 1)
            elif _name(element) == "ssd:Component":
                yield from self._component(element, integrated)
            else:
                yield f"element {_name(element)}"
        taken: Counter[tuple[str, str]] = Counter()
        for connection in system.iterfind("{*}Connections/{*}Connection"):
            a, b = ((connection.get(f"{side}Element", ""), connection.get(f"{side}Connector", "")) for side in ("start", "end"))
            if a not in connectors or b not in connectors:
                yield f"connection of {a} with {b}, one of which is no connector"
            elif connectors[a] != connectors[b]:
                yield f"connection of {a} with {b}: {connectors[a]} with {connectors[b]}"
            if connection.find("{*}LinearTransformation") is not None:
                yield f"connection of {a} with {b}: the C reader leaves out the linear transformation"
            taken[b] += 1
        yield from (f"{number} connections to {b}" for b, number in taken.items() if number > 1)

    def _connectors(self, element: etree._Element, name: str) -> Iterator[tuple[tuple[str, str], str]]:
        for connector in element.iterfind("{*}Connectors/{*}Connector"):
            yield (name, connector.get("name", "")), next((_name(each) for each in connector), "")

    def _component(self, component: etree._Element, integrated: bool) -> Iterator[str]:
        name, source = component.get("name", ""), component.get("source", "")
        yield from _identifier(component)
        yield from _unknown(component, _IN_COMPONENT)
        if component.get("type") != "application/x-fmu-sharedlibrary":
            yield f"{name}: type {component.get('type')}"
        if source not in self._fmus:
            yield f"{name}: no file {source}"
            return
        description = self._fmus[source]
        version = description.get("fmiVersion")
        kind = "ModelExchange" if integrated else "CoSimulation"
        if description.find(kind) is None or version not in (("2.0",) if integrated else ("2.0", "3.0")):
            yield f"{name}: {source} cannot run as {kind} of FMI {version}"
        for connector in component.iterfind("{*}Connectors/{*}Connector"):
            if connector.get("kind") not in _KINDS or next((_name(each) for each in connector), "") not in _TYPES:
                yield f"{name}.{connector.get('name')}: connector of kind {connector.get('kind')}, {_name(connector[0])}"
        for binding in component.iterfind("{*}ParameterBindings/{*}ParameterBinding"):
            file = binding.get("source")
            if file and file not in self._names:
                yield f"{name}: no file {file}"
                continue
            holder = etree.fromstring(self._archive.read(file)) if file else binding
            for parameter in holder.iter("{*}Parameter"):
                if _name(parameter[0]) not in _VALUES:
                    yield f"{name}.{parameter.get('name')}: parameter of type {_name(parameter[0])}"


def _identifier(element: etree._Element) -> Iterator[str]:
    if not _IDENTIFIER.fullmatch(element.get("name", "")):
        yield f"'{element.get('name')}' is no identifier"


def _unknown(element: etree._Element, known: set[str]) -> Iterator[str]:
    yield from (f"{element.get('name')}: unknown element {_name(each)}" for each in element if _name(each) not in known)


def _described(fmu: bytes) -> etree._Element:
    with zipfile.ZipFile(BytesIO(fmu)) as archive:
        return etree.fromstring(archive.read("modelDescription.xml"))
