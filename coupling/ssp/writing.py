"""Writer of a definition to the files of a package."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import chain, count
from pathlib import Path
from posixpath import dirname
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from coupling.files import remove_parts, replaced
from coupling.fmus import Fmu, FmuVariable, Unit
from coupling.live.output_paths import followed
from coupling.names import identifier
from coupling.plan.definition import Definition, Name
from coupling.plan.outputs import NUMERIC
from coupling.plan.transformations import Affine, conversion, unit_of
from coupling.ssp.annotation import FILE, OPENMODELICA, experiment_of, for_omsimulator, results_of_omsimulator, whole
from coupling.ssp.elements import VERSION, add, add_units, tag
from coupling.ssp.flat import Box, Component
from coupling.ssp.geometry import at_sides, boxes_of, icon_of, places_of
from coupling.ssp.package import STRUCTURE
from coupling.ssp.sketch import Sketch, written_sketch

_TYPES = {"real": "Real", "integer": "Integer", "boolean": "Boolean", "string": "String", "binary": "Binary"}
_KINDS = {"me": "ModelExchange", "cs": "CoSimulation"}
_SET = "initialValues"
"""Name of all parameter sets: ecos applies the sets of one name, and this is the name that its users and those of libcosim choose."""
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""Time of all files, which makes the packages of equal systems equal."""


@dataclass(frozen=True)
class Appearance:
    """Appearance of a system that was read, and that is written again."""

    boxes: Mapping[str, Box] = field(default_factory=dict)
    annotations: tuple[tuple[str, str], ...] = ()


@dataclass
class _System:
    """One level of the nesting."""

    prefix: str
    components: dict[str, str] = field(default_factory=dict)
    """Full names by those inside."""
    systems: dict[str, _System] = field(default_factory=dict)
    connectors: dict[str, tuple[str, Name]] = field(default_factory=dict)
    """Connectors by name: their kind, and the variable that they lead to."""
    connections: dict[tuple[str, str, str, str], Affine | None] = field(default_factory=dict)
    """Change of values by a connection, if it is more than a conversion of units."""


def write(
    definition: Definition,
    path: Path,
    settings: Mapping[str, Any],
    files: bool,
    appearance: Appearance,
    compliance: Mapping[str, Mapping[str, float]],
    started: Mapping[str, Fmu],
) -> None:
    """Writes a package; parameters go into ``files`` of their own, or into the description. Joints get values of ``compliance`` besides.

    FMUs of ``started`` stand in the places of instances; they have the start values of states in their model descriptions.
    """
    sketch = written_sketch(definition, str(path))
    for name, fmu in started.items():
        sketch.components[sketch.names[name]] = replace(sketch.components[sketch.names[name]], fmu=fmu)
    names = {sketch.names[name]: values for name, values in compliance.items()}
    for name, values in names.items():
        sketch.components[name] = replace(sketch.components[name], start={**sketch.components[name].start, **values})
    _Writer(definition, sketch, files, appearance).write(path, settings, names)


class _Writer:
    def __init__(self, definition: Definition, sketch: Sketch, files: bool, appearance: Appearance) -> None:
        self._definition, self._sketch, self._beside, self._appearance = definition, sketch, files, appearance
        self._integrated = False
        """True if OMSimulator is to integrate the FMUs itself."""
        self._fmus: dict[str, Path] = {}
        """FMUs by the names of members."""
        self._members: dict[str, str] = {}
        """Names of members by the digests of FMUs."""
        self._texts: dict[str, bytes] = {}
        self._units: dict[str, Unit] = {}
        self._enumerations: dict[str, FmuVariable] = {}
        self._used: dict[str, dict[str, None]] = {name: {} for name in sketch.components}
        """The variables of each component that are connectors."""
        self._originals = {new: name for name, new in sketch.names.items() if name != new}
        """Names in the system of instances and systems that have other names here."""
        self._top = _System("")
        for name in sketch.components:
            self._level(name.split(".")[:-1]).components[name.rpartition(".")[2]] = name
        for (source, target), affine in sketch.wires.items():
            self._wire(source, target, affine)

    def write(self, path: Path, settings: Mapping[str, Any], compliance: Mapping[str, Mapping[str, float]]) -> None:
        original = self._definition.name or "system"
        name = identifier(original)
        self._integrated = _is_integrated(self._sketch.components.values(), settings)
        document = Element(tag("ssd:SystemStructureDescription"), {"name": name, "version": VERSION, "generationTool": "Jourdain"})
        if name != original:
            document.set("description", original)
        self._system(document, name, self._top, settings)
        ours = {}
        for each in self._definition.instances:
            inside = self._sketch.components[self._sketch.names[each.name]].fmu
            given = (
                {"started": inside.sha256, "stepped": self._beside_of(each.stepped.fmu)} if inside.sha256 != each.stepped.fmu.sha256 else {}
            )
            ours[each.name] = given | ({"modelExchange": self._beside_of(each.fmu.fmu)} if each.fmu != each.stepped else {})
        if self._enumerations:
            holder = add(document, "ssd:Enumerations")
            for name, variable in self._enumerations.items():
                enumeration = add(holder, "ssc:Enumeration", name=name)
                for item, number in variable.items:
                    add(enumeration, "ssc:Item", name=item, value=number)
        add_units(document, self._units.values())
        times = experiment_of(settings)
        experiment = add(document, "ssd:DefaultExperiment", startTime=times["start_time"], stopTime=times["stop_time"])
        add(add(experiment, "ssd:Annotations"), "ssc:Annotation", type=OPENMODELICA).append(results_of_omsimulator(name))
        self._texts[FILE] = _text(whole(self._definition, settings, ours, self._sketch, compliance, name))
        self._texts[STRUCTURE] = _text(document)
        remove_parts(path.parent, escape(path.name))
        with replaced(followed(path)) as file, zipfile.ZipFile(file, "w") as archive:
            for name, content in (*self._texts.items(), *((name, file.read_bytes()) for name, file in self._fmus.items())):
                packed = zipfile.ZIP_STORED if name in self._fmus else zipfile.ZIP_DEFLATED
                archive.writestr(zipfile.ZipInfo(name, _ALWAYS), content, packed)

    # -- connections -------------------------------------------------------------------------------------------------------------------

    def _level(self, names: Iterable[str]) -> _System:
        level = self._top
        for name in names:
            level = level.systems.setdefault(name, _System(f"{level.prefix}{name}."))
        return level

    def _wire(self, source: Name, target: Name, affine: Affine) -> None:
        """Adds a connection at the level that both ends have in common, and connectors of the systems below it on the way there."""
        for instance, name in (source, target):
            self._used[instance][name] = None
        ways = [instance.split(".") for instance, _ in (source, target)]
        common = 0
        while common < min(map(len, ways)) - 1 and ways[0][common] == ways[1][common]:
            common += 1
        ends = [self._up(way, end, kind, common) for way, end, kind in zip(ways, (source, target), ("output", "input"), strict=True)]
        plain = conversion(
            *(unit_of(fmu, fmu.variables[name]) for (i, name) in (source, target) if (fmu := self._sketch.components[i].fmu))
        )
        self._level(ways[0][:common]).connections[*ends[0], *ends[1]] = None if affine == plain else affine

    def _up(self, way: list[str], end: Name, kind: str, common: int) -> tuple[str, str]:
        """Returns the element and the connector by which a variable is reached from the common level."""
        element, connector = way[-1], end[1]
        for depth in range(len(way) - 1, common, -1):
            level, outer = self._level(way[:depth]), f"{element}.{connector}"
            level.connectors[outer] = (kind, end)
            inside, outside = (element, connector), ("", outer)
            level.connections[(*inside, *outside) if kind == "output" else (*outside, *inside)] = None
            element, connector = way[depth - 1], outer
        return element, connector

    # -- elements ----------------------------------------------------------------------------------------------------------------------

    def _system(self, parent: Element, name: str, system: _System, settings: Mapping[str, Any], box: Box | None = None) -> None:
        element = add(parent, "ssd:System", name=name, description=self._originals.get(system.prefix[:-1]))
        if system.connectors:
            places = at_sides([(each, kind == "output") for each, (kind, _) in system.connectors.items()])
            holder = add(element, "ssd:Connectors")
            for each, (kind, (instance, variable)) in system.connectors.items():
                self._connector(holder, each, kind, self._sketch.components[instance].fmu.variables[variable], places[each], instance)
        if box is not None:
            add(element, "ssd:ElementGeometry", **_corners(box))
        known = {each: self._appearance.boxes[full] for each, full in system.components.items() if full in self._appearance.boxes}
        boxes = boxes_of([*system.systems, *system.components], known if not system.prefix else {})
        if boxes:
            elements = add(element, "ssd:Elements")
            for each, inner in system.systems.items():
                self._system(elements, each, inner, settings, boxes[each])
            for each, full in system.components.items():
                self._component(elements, each, full, boxes[each])
        if system.connections:
            connections = add(element, "ssd:Connections")
            for (a, x, b, y), affine in system.connections.items():
                ends = {"startElement": a or None, "startConnector": x, "endElement": b or None, "endConnector": y}
                connection = add(connections, "ssd:Connection", **ends, suppressUnitConversion=affine is not None or None)
                if affine is not None:
                    add(connection, "ssc:LinearTransformation", factor=affine.factor, offset=affine.offset)
        annotations = add(element, "ssd:Annotations")
        add(annotations, "ssc:Annotation", type=OPENMODELICA).append(for_omsimulator(settings, self._integrated))
        for kind, text in self._appearance.annotations if not system.prefix else ():
            add(annotations, "ssc:Annotation", type=kind).append(ElementTree.fromstring(text))

    def _component(self, parent: Element, name: str, full: str, box: Box) -> None:
        component = self._sketch.components[full]
        fmu = component.fmu
        implementation = _KINDS.get(component.kind or ("me" if self._integrated else ""))
        element = add(
            parent,
            "ssd:Component",
            name=name,
            description=self._originals.get(full),
            type="application/x-fmu-sharedlibrary",
            source=quote(self._member(fmu)),
            implementation=implementation,
        )
        given = [each for each in component.start if fmu.variables[each].causality in ("parameter", "input")]
        connectors = list(dict.fromkeys([*self._used[full], *given])) or [
            v.name for v in fmu.variables.values() if v.causality == "output" and v.type in NUMERIC
        ]
        if connectors:
            places, holder = places_of(fmu, connectors), add(element, "ssd:Connectors")
            for each in connectors:
                variable = fmu.variables[each]
                kind = variable.causality if variable.causality in ("input", "parameter") else "output"
                self._connector(holder, each, kind, variable, places[each], full)
        add(element, "ssd:ElementGeometry", **_corners(box), iconSource=self._icon(fmu), iconFixedAspectRatio=True)
        if component.start:
            self._parameters(add(element, "ssd:ParameterBindings"), full, component)

    def _connector(self, holder: Element, name: str, kind: str, variable: FmuVariable, place: tuple[float, float], instance: str) -> None:
        connector = add(holder, "ssd:Connector", name=name, kind=kind)
        fmu = self._sketch.components[instance].fmu
        if variable.items:
            add(connector, "ssc:Enumeration", name=self._enumeration(fmu, variable))
        else:
            add(connector, f"ssc:{_TYPES[variable.type]}", unit=self._unit(fmu, variable))
        add(connector, "ssd:ConnectorGeometry", x=place[0], y=place[1])

    def _parameters(self, holder: Element, full: str, component: Component) -> None:
        values = Element(tag("ssv:ParameterSet"), {"version": VERSION, "name": _SET})
        units = {}
        parameters = add(values, "ssv:Parameters")
        for name, value in component.start.items():
            variable = component.fmu.variables[name]
            parameter = add(parameters, "ssv:Parameter", name=name)
            if variable.items:
                item = next((item for item, number in variable.items if number == value), value)
                add(parameter, "ssv:Enumeration", value=item, name=self._enumeration(component.fmu, variable))
                continue
            kind = _TYPES[variable.type]
            exact = (
                value.hex() if isinstance(value, bytes) else {"real": float, "integer": int, "boolean": bool}.get(variable.type, str)(value)
            )
            unit = self._unit(component.fmu, variable)
            if unit:
                units[unit] = self._units[unit]
            add(parameter, f"ssv:{kind}", value=exact, unit=unit)
        if self._beside:
            add_units(values, units.values(), "ssv:Units")
            file = f"parameters/{full}.ssv"
            self._texts[file] = _text(values)
            add(holder, "ssd:ParameterBinding", source=quote(file))
        else:
            add(add(holder, "ssd:ParameterBinding"), "ssd:ParameterValues").append(values)

    def _unit(self, fmu: Fmu, variable: FmuVariable) -> str | None:
        """Returns the name of a unit, if it is more than a name; a name that another FMU uses in another sense gets a number."""
        unit = fmu.units.get(variable.unit or "") if variable.type == "real" else None
        if unit is None or unit.exponents is None:
            return None
        names = chain([unit.name], (f"{unit.name} {n}" for n in count(2)))
        name = next(each for each in names if (known := self._units.get(each)) is None or _same(known, unit))
        self._units[name] = Unit(name, unit.exponents, unit.factor, unit.offset)
        return name

    def _enumeration(self, fmu: Fmu, variable: FmuVariable) -> str:
        name = f"{fmu.model_name}.{variable.name}"
        self._enumerations[name] = variable
        return name

    # -- files -------------------------------------------------------------------------------------------------------------------------

    def _member(self, fmu: Fmu) -> str:
        """Returns the name of an FMU in the package, which holds each content once.

        OMSimulator reads names as they stand, and unpacks each FMU to a folder of the name without its ending.
        """
        if fmu.sha256 not in self._members:
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", fmu.path.stem)
            names = (f"resources/{each}.fmu" for each in (stem, f"{stem}_{fmu.sha256[:12]}"))
            name = next(each for each in names if each not in self._fmus)
            self._members[fmu.sha256], self._fmus[name] = name, fmu.path
        return self._members[fmu.sha256]

    def _beside_of(self, fmu: Fmu) -> str:
        """Returns the name of an FMU that is for us alone, without the ending of FMUs: OMSimulator reads all that have it."""
        digest = fmu.sha256[:12]
        name = f"{dirname(FILE)}/{digest}/{fmu.path.stem.removesuffix(f'_{digest}')}.me"
        self._fmus[name] = fmu.path
        return name

    def _icon(self, fmu: Fmu) -> str | None:
        file = f"{self._member(fmu).removesuffix('.fmu')}.png"
        if file not in self._texts and (image := icon_of(fmu)) is not None:
            self._texts[file] = image
        return quote(file) if file in self._texts else None


def _is_integrated(components: Iterable[Component], settings: Mapping[str, Any]) -> bool:
    """Says whether OMSimulator can integrate all FMUs itself, and is asked to, or can do nothing else."""
    components = list(components)
    able = all(each.fmu.model_exchange and each.fmu.version == 2 and each.kind != "cs" for each in components)
    asked = settings.get("solver") == "cvode" and "communication_step" not in settings
    return able and (asked or any(not each.fmu.co_simulation for each in components))


def _same(a: Unit, b: Unit) -> bool:
    return (a.exponents, a.factor, a.offset) == (b.exponents, b.factor, b.offset)


def _corners(box: Box) -> dict[str, float]:
    return dict(zip(("x1", "y1", "x2", "y2"), map(float, box), strict=True))


def _text(element: Element) -> bytes:
    ElementTree.indent(element)
    return ElementTree.tostring(element, "utf-8", xml_declaration=True)
