"""Model descriptions of FMI 1.0, rewritten as FMI 2.0 would have them.

FMI 1.0 does not list its continuous states. They get names of their own, ``continuousState[k]``, and the kernel reads them as a vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from coupling.fmus.errors import Source
from coupling.fmus.views import Free, View

_MOST_STATES = 1_000_000
_STAND_ALONE, _TOOL = "Implementation/CoSimulation_StandAlone", "Implementation/CoSimulation_Tool"
_TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")
_NEGATED = {"Real": 0.0, "Integer": 0.0, "Boolean": 1.0}
"""Offset of a negated alias, whose value is offset - value."""


def as_fmi2(root: Element, source: Source) -> tuple[Element, list[View]]:
    """Returns the description in the form of FMI 2.0, and views of the aliases with the opposite sign."""
    converted = Element(root.tag, {**root.attrib, "fmiVersion": "2.0"})
    _add_interfaces(root, converted, source)
    _add_types(root, converted)
    variables = SubElement(converted, "ModelVariables")
    listed = root.findall("ModelVariables/ScalarVariable")
    free = Free(_references(listed, source), source)
    negated = []
    for each in listed:
        copied = _variable(each)
        if each.get("alias") == "negatedAlias" and (offset := _NEGATED.get(_typed(each).tag)) is not None:
            own, reference = source.parsed(each.get("valueReference") or "", int, "a value reference"), free.take(1)
            negated.append(View(reference, 1, own, False, -1.0, offset))
            copied.set("valueReference", str(reference))
        variables.append(copied)
    states = _states(root, source)
    first = free.take(2 * states) if states else 0
    for k in range(1, states + 1):
        _add_state(variables, f"continuousState[{k}]", first + 2 * (k - 1), len(listed) + 2 * k - 1)
    _add_structure(converted, listed, states, source)
    experiment = root.find("DefaultExperiment")
    if experiment is not None:
        converted.append(experiment)
    return converted, negated


def _add_interfaces(root: Element, converted: Element, source: Source) -> None:
    """An FMU of FMI 1.0 has one kind: Co-Simulation where it describes an implementation."""
    attributes = {"modelIdentifier": root.get("modelIdentifier") or ""}
    stand_alone, tool = root.find(_STAND_ALONE), root.find(_TOOL)
    slave = stand_alone if stand_alone is not None else tool
    if slave is None:
        if root.find("Implementation") is not None:
            raise source.broken("has an Implementation that is neither CoSimulation_StandAlone nor CoSimulation_Tool, the two of FMI 1.0")
        SubElement(converted, "ModelExchange", attributes)
        return
    capabilities = slave.find("Capabilities")
    attributes |= {} if capabilities is None else capabilities.attrib
    SubElement(converted, "CoSimulation", attributes | ({"needsExecutionTool": "true"} if slave is tool else {}))


def _add_types(root: Element, converted: Element) -> None:
    """Adds the declared types. Items of an enumeration have the numbers 1, 2 ... in FMI 1.0."""
    types = SubElement(converted, "TypeDefinitions")
    for declared in root.iterfind("TypeDefinitions/Type"):
        inner = next(iter(declared), None)
        simple = SubElement(types, "SimpleType", {"name": declared.get("name") or ""})
        if inner is None:
            continue
        made = SubElement(simple, inner.tag.removesuffix("Type"), inner.attrib)
        for number, item in enumerate(inner.iterfind("Item"), 1):
            SubElement(made, "Item", {"name": item.get("name") or "", "value": str(number)})


def _references(listed: list[Element], source: Source) -> Iterator[int]:
    for each in listed:
        reference = source.parsed(each.get("valueReference") or "", int, f"the value reference of '{each.get('name')}'")
        if 0 <= reference < 2**32:
            yield reference


def _typed(element: Element) -> Element:
    return next((each for each in element if each.tag in _TYPES), element)


def _variable(element: Element) -> Element:
    """Returns a variable with the causality, variability and initial value of FMI 2.0."""
    typed, written = _typed(element), element.get("causality") or "internal"
    variability = element.get("variability") or "continuous"
    has_start = typed.get("start") is not None
    causality = written if written in ("input", "output") else "local"
    if variability == "parameter":
        causality = causality if causality != "local" else "parameter" if has_start else "calculatedParameter"
    if variability == "continuous" and typed.tag != "Real":
        variability = "discrete"
    attributes = {key: value for key in ("name", "valueReference", "description") if (value := element.get(key)) is not None}
    attributes |= {"causality": causality, "variability": "fixed" if variability == "parameter" else variability}
    if causality in ("output", "local") and variability != "constant":
        fixed = typed.get("fixed", "true").strip() in ("true", "1")
        attributes["initial"] = "calculated" if not has_start else "exact" if fixed else "approx"
    made = Element("ScalarVariable", attributes)
    made.append(typed)
    return made


def _states(root: Element, source: Source) -> int:
    """Returns the number of states, which counts in Model Exchange only."""
    if root.find("Implementation") is not None:
        return 0
    count = source.parsed(root.get("numberOfContinuousStates") or "0", int, "the number of continuous states")
    if not 0 <= count <= _MOST_STATES:
        raise source.broken(f"declares {count} continuous states, and between 0 and {_MOST_STATES} can be integrated")
    return count


def _add_state(variables: Element, name: str, reference: int, place: int) -> None:
    for number, each, attributes in ((reference, name, {}), (reference + 1, f"der({name})", {"derivative": str(place)})):
        written = {"name": each, "valueReference": str(number), "causality": "local", "variability": "continuous"}
        SubElement(SubElement(variables, "ScalarVariable", written), "Real", attributes)


def _add_structure(converted: Element, listed: list[Element], states: int, source: Source) -> None:
    """Adds the outputs with their direct dependencies, and the derivatives, of which no dependencies are known."""
    structure = SubElement(converted, "ModelStructure")
    places = {each.get("name"): place for place, each in enumerate(listed, 1)}
    of_states = [len(listed) + 2 * k - 1 for k in range(1, states + 1)]
    outputs = SubElement(structure, "Outputs")
    for place, each in enumerate(listed, 1):
        if each.get("causality") != "output":
            continue
        unknown = SubElement(outputs, "Unknown", {"index": str(place)})
        direct = each.find("DirectDependency")
        if direct is None:
            continue
        names = [name.text or "" for name in direct.iterfind("Name")]
        odd = next((name for name in names if name not in places), None)
        if odd is not None:
            raise source.broken(f"says that '{each.get('name')}' depends on '{odd}' (DirectDependency), and lists no such variable")
        unknown.set("dependencies", " ".join(map(str, sorted(places[name] for name in names) + of_states)))
    derivatives = SubElement(structure, "Derivatives")
    for place in of_states:
        SubElement(derivatives, "Unknown", {"index": str(place + 1)})
