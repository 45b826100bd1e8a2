"""Reader of the files of a package: nested systems become one, in which names have dots."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from posixpath import dirname
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from coupling.errors import BuildError, listed
from coupling.fmus import Fmu, FmuVariable, Unit, load, same_dimension
from coupling.names import nearest, resolve
from coupling.plan.definition import Name
from coupling.ssp.annotation import FILE, OPENMODELICA, inserted_in, other_settings
from coupling.ssp.elements import Document, annotated, is_true, local, parsed, path_of, tag
from coupling.ssp.flat import Box, Component, Flat
from coupling.ssp.package import STRUCTURE, Package
from coupling.ssp.parameters import Given, mapped, step_of, values_of
from coupling.ssp.tracing import Edge, Node, check_circles, follow, full_name, wires_between

_FMU, _PACKAGE, _DEFINITION = "application/x-fmu-sharedlibrary", "application/x-ssp-package", "application/x-ssp-definition"
_KINDS = {"any": None, "ModelExchange": "me", "CoSimulation": "cs"}
_IN_ALL = ("Annotations", "MetaData", "Signature")
_IN_DESCRIPTION = (*_IN_ALL, "System", "Enumerations", "Units", "DefaultExperiment")
_IN_COMPONENT = (*_IN_ALL, "Connectors", "ElementGeometry", "ParameterBindings")
_IN_SYSTEM = (*_IN_COMPONENT, "Elements", "Connections", "SignalDictionaries", "SystemGeometry", "GraphicalElements")
_NESTED = 50
"""Most packages in each other; they are read by recursion."""
Place = Callable[[Box], Box | None]
"""Function from the coordinates of a system to those of the outermost one."""


def read(package: Package) -> tuple[Flat, Element | None]:
    """Returns the content of a package, and our own data if it has them."""
    document = _structure(package, STRUCTURE)
    own = parsed(package.read(FILE), FILE, "Jourdain").root if FILE in package.names else None
    reader = _Reader(inserted_in(own))
    system = document.root.find(tag("ssd:System"))
    if system is None:
        raise document.refused("has no System; save it again")
    reader.note_unknown(document.root, "the package", _IN_DESCRIPTION)
    reader.system(_Within(package, document, "", "", lambda box: box), system)
    check_circles(reader.edges)
    components, wires = reader.started(), wires_between(reader.nodes, reader.edges)
    settings = _settings(document, system)
    others = [each for each in (*annotated(document.root), *annotated(system)) if len(each)]
    kept = tuple((each.get("type", ""), ElementTree.tostring(each[0], "unicode")) for each in others if each.get("type") != OPENMODELICA)
    if own is None and any(each.get("type") == OPENMODELICA for each in others):
        reader.notes.append(f"the annotation of type '{OPENMODELICA}' is read for its step, its solver and its tolerance alone")
    notes = (*reader.notes, *(f"the annotation of type '{kind}' is kept, and written again" for kind, _ in kept))
    name = document.root.get("name") or system.get("name") or "system"
    return Flat(name, components, wires, settings, kept, notes), own


def _structure(package: Package, file: str) -> Document:
    if file not in package.names:
        raise BuildError(f"'{package.path}' holds no {file} and is no SSP package; save the system as SSP 1.0 or 2.0")
    document = parsed(package.read(file), file, "ssd:SystemStructureDescription")
    version = document.root.get("version", "")
    if not version.startswith(("1.", "2.")):
        raise document.refused(f"is of version '{version}'; SSP 1.0 and 2.0 are read")
    return document


def _settings(document: Document, system: Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    experiment = document.root.find(tag("ssd:DefaultExperiment"))
    if experiment is not None:
        for option, attribute in (("start_time", "startTime"), ("stop_time", "stopTime")):
            if attribute in experiment.attrib:
                found[option] = document.number(experiment, attribute, 0.0)
    return found | other_settings(document, system)


@dataclass(frozen=True)
class _Within:
    """Surroundings of an element: package, document, folder, prefix of names and place."""

    package: Package
    document: Document
    folder: str
    prefix: str
    place: Place
    above: tuple[str, ...] = ()
    """Definitions that contain it."""

    @property
    def units(self) -> Mapping[str, Unit]:
        return self.document.units

    @property
    def path(self) -> str:
        return self.prefix.removesuffix(".")


class _Reader:
    """Reader that goes through all elements once."""

    def __init__(self, inserted: Collection[str]) -> None:
        self._inserted = inserted
        """Components that stand for operations which SSP cannot express."""
        self.components: dict[str, Component] = {}
        self.nodes: dict[Name, Node] = {}
        """Nodes by the paths of elements and the names of connectors."""
        self.edges: list[Edge] = []
        self.notes: list[str] = []
        self._given: list[tuple[str, Given]] = []
        """Values by full names; the last one of a name counts."""

    def system(self, at: _Within, system: Element) -> None:
        here = f"the system '{at.prefix.rstrip('.') or system.get('name', '')}'"
        self.note_unknown(system, here, _IN_SYSTEM)
        for connector in system.iterfind(path_of("ssd:Connectors", "ssd:Connector")):
            key = at.path, connector.get("name", "")
            self.nodes[key] = Node(connector.get("kind", ""), self._unit(at, connector, key))
        members: dict[str, str] = {}
        for element in system.find(tag("ssd:Elements")) or ():
            name = element.get("name", "")
            if not name or name in members:
                what = f"two elements with the name '{name}'" if name else f"a {local(element)} without a name"
                raise at.document.refused(f"has, in {here}, {what}; give each a name of its own")
            members[name] = local(element)
            self._element(replace(at, prefix=f"{at.prefix}{name}."), element)
        for dictionary in system.iterfind(path_of("ssd:SignalDictionaries", "ssd:SignalDictionary")):
            self.notes.append(f"the signal dictionary '{dictionary.get('name', '')}' passes its signals on by their names")
        for connection in system.iterfind(path_of("ssd:Connections", "ssd:Connection")):
            self._connect(at, connection, members, here)
        self._bind(at, system)

    def _element(self, at: _Within, element: Element) -> None:
        kind = local(element)
        if kind == "System":
            self.system(replace(at, place=_placed(at, element, element)), element)
        elif kind == "SignalDictionaryReference":
            for connector in element.iterfind(path_of("ssd:Connectors", "ssd:Connector")):
                key = at.path, connector.get("name", "")
                self.nodes[key] = Node("inout", self._unit(at, connector, key))
        elif kind == "Component":
            self._component(at, element)
        else:
            raise at.document.refused(f"has the element '{at.prefix[:-1]}' of the kind {kind}, which SSP 1.0 does not know; take it out")

    def _component(self, at: _Within, element: Element) -> None:
        name, source, kind = at.prefix[:-1], element.get("source", ""), element.get("type", _FMU)
        if kind not in (_FMU, _PACKAGE, _DEFINITION):
            raise at.document.refused(f"has the component '{name}' of type '{kind}'; only FMUs and SSP packages can be run, so take it out")
        file = at.package.member(source, at.folder, f"the component '{name}'")
        if kind == _DEFINITION or file.endswith(".ssd"):
            self._nested(at, element, at.package, file)
        elif kind == _PACKAGE or file.endswith(".ssp"):
            with Package(at.package.path / file, at.package.read(file)) as inner:
                self._nested(at, element, inner, STRUCTURE)
        else:
            implementation = element.get("implementation", "any")
            if implementation not in _KINDS:
                raise at.document.refused(f"wants '{name}' as {implementation}; the choices are any, ModelExchange and CoSimulation")
            self.note_unknown(element, f"the component '{name}'", _IN_COMPONENT)
            box = _box(at.document, element.find(tag("ssd:ElementGeometry")))
            fmu = load(at.package.fmu(file))
            self.components[name] = Component(fmu, _KINDS[implementation], {}, at.place(box) if box else None, name in self._inserted)
            for connector in element.iterfind(path_of("ssd:Connectors", "ssd:Connector")):
                self._port(at, name, connector.get("name", ""), connector)
            self._bind(at, element)

    def _nested(self, at: _Within, element: Element, package: Package, file: str) -> None:
        where = f"{package.path}/{file}"
        if where in at.above:
            raise BuildError(f"'{file}' contains itself, by the component '{at.prefix[:-1]}'; take that out")
        if len(at.above) >= _NESTED:
            raise at.document.refused(f"has more than {_NESTED} packages in each other; take the component '{element.get('name', '')}' out")
        document = _structure(package, file)
        system = document.root.find(tag("ssd:System"))
        if system is None:
            raise document.refused("has no System; save it again")
        place = _placed(replace(at, document=document), element, system)
        self.system(_Within(package, document, dirname(file), at.prefix, place, (*at.above, where)), system)
        self._bind(at, element)

    def note_unknown(self, element: Element, where: str, known: Collection[str]) -> None:
        """Notes the elements that are left out."""
        for kind in dict.fromkeys(local(each) for each in element if local(each) not in known):
            self.notes.append(f"{where} has the element {kind}, which SSP 1.0 does not know; it is left out")

    def _port(self, at: _Within, instance: str, name: str, declared: Element | None) -> Name:
        """Returns the node of a variable of a component, and of the connector that declares it."""
        fmu, key = self.components[instance].fmu, (instance, name)
        if key not in self.nodes:
            variable = _variable(fmu, name)
            if variable is None:
                hint = nearest(name, fmu.variables) or f"its inputs and outputs are {listed(_connected(fmu))}"
                raise at.document.refused(
                    f"has the connector '{full_name(key)}', and the FMU '{fmu.path.name}' has no such variable; {hint}"
                )
            node = Node(variable.causality, None, key, fmu, variable)
            unit = self._unit(at, declared, key, variable.unit) if declared is not None else None
            if unit and node.own and node.own.exponents is not None and not same_dimension(unit, node.own):
                raise at.document.refused(
                    f"has the connector '{full_name(key)}' in {unit.name}, and the variable of '{fmu.path.name}' is in {node.own.name}; "
                    "declare a unit of the same quantity, or none"
                )
            self.nodes[key] = replace(node, unit=unit)
        return key

    def _unit(self, at: _Within, connector: Element, name: Name, own: str | None = None) -> Unit | None:
        """Returns the unit that a connector declares, if it differs from its variable's own."""
        typed = next((each for each in connector if local(each) in ("Real", "Float64", "Float32")), None)
        named = typed.get("unit") if typed is not None else None
        if named and named not in at.units and named not in (own, "1"):
            self.notes.append(
                f"the connector '{full_name(name)}' is in {named}, which '{at.document.file}' does not define among its Units; its values are not converted"
            )
        return at.units.get(named) if named else None

    def _connect(self, at: _Within, connection: Element, members: Mapping[str, str], here: str) -> None:
        ends = [self._end(at, connection, side, members, here) for side in ("start", "end")]
        gives = [self._gives(node, inside=not connection.get(f"{side}Element")) for node, side in zip(ends, ("start", "end"), strict=True)]
        names = [full_name(end) for end in ends]
        if gives[0] is not None and gives[0] == gives[1]:
            both = "give" if gives[0] else "take"
            raise at.document.refused(
                f"connects '{names[0]}' with '{names[1]}', which both {both} a value; connect an output with an input"
            )
        if gives[0] is False or gives[1] is True:  # some tools write them the other way round
            ends.reverse()
        step = step_of(at.document, connection)
        if step.table is not None and any(a != b for a, b in step.table.items()):
            raise at.document.refused(
                f"has a mapping of values between '{names[0]}' and '{names[1]}', and only linear transformations act on signals; put a component there"
            )
        self.edges.append(Edge(ends[0], ends[1], step.affine, not is_true(connection, "suppressUnitConversion")))

    def _end(self, at: _Within, connection: Element, side: str, members: Mapping[str, str], here: str) -> Name:
        element, connector = connection.get(f"{side}Element"), connection.get(f"{side}Connector", "")
        if element and element not in members:
            hint = nearest(element, members) or f"its elements are {listed(members) or 'none'}"
            raise at.document.refused(
                f"has, in {here}, a connection with '{element}.{connector}', and there is no element '{element}'; {hint}"
            )
        key = (at.prefix + element if element else at.path, connector)
        if element and at.prefix + element in self.components:
            return self._port(at, at.prefix + element, connector, None)
        if key not in self.nodes:
            if element and members[element] == "SignalDictionaryReference":
                self.nodes[key] = Node("inout")
            else:
                raise at.document.refused(
                    f"has, in {here}, a connection with '{full_name(key)}', and there is no such connector; add it, or take the connection out"
                )
        return key

    def _gives(self, connector: Name, inside: bool) -> bool | None:
        """Says whether a connector gives a value to a connection. Connectors of a system do the opposite inside of the system."""
        node = self.nodes[connector]
        if node.fmu is None and node.kind == "inout":
            return None
        takes = node.kind in ("input", "parameter", "structuralParameter")
        return takes if inside and node.fmu is None else not takes

    def _bind(self, at: _Within, element: Element) -> None:
        """Notes the values that an element is given; they overrule those that were given inside of it."""
        for binding in element.iterfind(path_of("ssd:ParameterBindings", "ssd:ParameterBinding")):
            values = self._inside(at, binding, binding.find(tag("ssd:ParameterValues")), "ssv:ParameterSet")
            if values is None:
                continue
            given = {binding.get("prefix", "") + name: each for name, each in values_of(values, at.units, at.document.enumerations).items()}
            whole = binding.find(tag("ssd:ParameterMapping"))
            mapping = self._inside(at, whole, whole, "ssm:ParameterMapping") if whole is not None else None
            self._given += [(at.prefix + name, each) for name, each in (mapped(mapping, given) if mapping else given.items())]

    def _inside(self, at: _Within, holder: Element, around: Element | None, root: str) -> Document | None:
        """Returns the content of a binding or a mapping, or of the file that it names."""
        where = f"the parameter set of '{at.prefix[:-1] or 'the system'}'"
        if holder.get("sourceBase", "SSD") != "SSD":
            raise at.document.refused(
                f"looks for {where} inside the component; put the file '{holder.get('source')}' into the package itself"
            )
        source = holder.get("source")
        if source:
            file = at.package.member(source, at.folder, where)
            return parsed(at.package.read(file), file, root)
        found = around.find(tag(root)) if around is not None else None
        return None if found is None else Document(found, at.document.file)

    # -- values ------------------------------------------------------------------------------------------------------------------------

    def started(self) -> dict[str, Component]:
        """Returns the components with their start values."""
        start: dict[str, dict[str, Any]] = {name: {} for name in self.components}
        for full, given in self._given:
            reached = list(self._reached(full, given))
            if not reached:
                self.notes.append(f"the parameter '{full}' belongs to no component, and is left out")
            for (instance, name), value in reached:
                start[instance][name] = value
        return {name: replace(each, start=start[name]) for name, each in self.components.items()}

    def _reached(self, full: str, given: Given) -> Iterator[tuple[tuple[str, str], Any]]:
        instance, name = resolve(full, self.components)
        if instance in self.components and name:
            fmu = self.components[instance].fmu
            variable = _variable(fmu, name)
            unit = fmu.units.get(variable.unit or "") if variable else None
            known = self._defined(given, fmu, full, variable)
            yield (instance, name), known.to_unit(unit, full).as_start(full, variable) if variable else known.value
        for key in [key for key, node in self.nodes.items() if node.name is None and full_name(key) == full]:
            self._note_undefined(given, full)
            at = given.to_unit(self.nodes[key].unit, full)
            for node, affine in follow(self.nodes, self.edges, key, at.unit):
                assert node.name and node.variable
                moved = replace(at.through(affine), unit=None)
                yield node.name, moved.as_start(".".join(node.name), node.variable)

    def _defined(self, given: Given, fmu: Fmu, full: str, variable: FmuVariable | None) -> Given:
        """Returns a value with the unit that the FMU knows by this name, if the package does not define it."""
        if given.undefined is None or (variable is not None and given.undefined == variable.unit):
            return given
        unit = fmu.units.get(given.undefined or "")
        if unit is None or unit.exponents is None:
            self._note_undefined(given, full)
        return replace(given, unit=unit)

    def _note_undefined(self, given: Given, full: str) -> None:
        if given.undefined:
            self.notes.append(
                f"the parameter '{full}' is in {given.undefined}, which the package does not define among its Units; its value is not converted"
            )


def _variable(fmu: Fmu, name: str) -> FmuVariable | None:
    return fmu.variables.get(name) or fmu.arrays.get(name)


def _connected(fmu: Fmu) -> list[str]:
    return [each.name for each in fmu.variables.values() if each.causality in ("input", "output")]


def _box(document: Document, geometry: Element | None) -> Box | None:
    if geometry is None:
        return None
    x1, y1, x2, y2 = (document.number(geometry, each, 0.0) for each in ("x1", "y1", "x2", "y2"))
    return x1, y1, x2, y2


def _placed(at: _Within, element: Element, system: Element) -> Place:
    """Returns the function from the coordinates inside a nested system, which has its own, to those of the outermost one."""
    outer, inner = element.find(tag("ssd:ElementGeometry")), system.find(tag("ssd:SystemGeometry"))
    if outer is None or inner is None:
        return lambda box: None
    sides = [[at.document.number(each, key, 0.0) for key in ("x1", "y1", "x2", "y2")] for each in (outer, inner)]
    (x1, y1, x2, y2), (u1, v1, u2, v2) = sides
    if u1 == u2 or v1 == v2:
        return lambda box: None

    def outside(box: Box) -> Box | None:
        xs = [x1 + (u - u1) / (u2 - u1) * (x2 - x1) for u in box[::2]]
        ys = [y1 + (v - v1) / (v2 - v1) * (y2 - y1) for v in box[1::2]]
        return at.place((xs[0], ys[0], xs[1], ys[1]))

    return outside
