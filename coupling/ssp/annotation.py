"""Data that SSP cannot express: our own file in a package, and solvers in annotations of OMSimulator."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from coupling.errors import BuildError, shown
from coupling.plan import formulas
from coupling.plan.definition import Definition, Gravity, InstanceDefinition, Transformation
from coupling.plan.drives import KINDS, ConstantDrive, Drive, FormulaDrive, SplineDrive, TableDrive, drive_of
from coupling.plan.enforced import Intervals, intervals_of
from coupling.plan.shown import Shown
from coupling.ssp.elements import Document, add, annotated, finite, is_true, local, tag, written
from coupling.ssp.sketch import Sketch
from coupling.structured import parsed

FILE = "extra/org.jourdain/system.xml"
"""Our own file in a package. OMSimulator refuses annotations of a package and of its components."""
OPENMODELICA = "org.openmodelica"
_OPTIONS = ("kind", "communication_step", "extrapolation", "logging", "process", "guess")
_FILES = ("modelExchange", "started", "stepped")
_TIMES = {"start_time": 0.0, "stop_time": 1.0}
"""Times that are written where none are given: OMSimulator refuses a package without them."""
STEP = 1e-3
"""Communication step in s where none is given; it is that of OMSimulator as well."""
_RTOL, _INITIAL, _MINIMUM, _MAXIMUM = 1e-4, 1e-6, 1e-12, 1e-3
"""Tolerance and steps of OMSimulator's CVODE where none are given."""


def experiment_of(settings: Mapping[str, Any]) -> dict[str, float]:
    """Returns start and stop time as the default experiment has them."""
    return {name: float(settings.get(name, default)) for name, default in _TIMES.items()}


def for_omsimulator(settings: Mapping[str, Any], integrated: bool) -> Element:
    """Returns the solver of a system for OMSimulator: CVODE if FMUs are ``integrated``, otherwise a master of fixed steps.

    The C reader takes the element inside, and refuses a system without one. The Python reader takes the attributes; these names are those
    of the solvers that it makes for components without a solver.
    """
    if integrated:
        longest = settings.get("max_step", math.inf)
        steps = {"initialStepSize": _INITIAL, "minimumStepSize": _MINIMUM, "maximumStepSize": longest if longest < math.inf else _MAXIMUM}
        inside = limits = {"relativeTolerance": settings.get("rtol", _RTOL), **steps}
        name, method, kind, described = "oms_me_solver", "cvode", "VariableStepSolver", "cvode"
    else:
        step = settings.get("communication_step", STEP)
        limits = {"relativeTolerance": _RTOL, "fixedStepSize": step}
        name, method, kind, described = "oms_ma_default", "oms_ma", "FixedStepMaster", "oms-ma"
        inside = {"stepSize": step, "relativeTolerance": _RTOL}
    whole = Element(tag("oms:Annotations"))
    add(add(whole, "oms:SimulationInformation", name=name, method=method, **limits), f"oms:{kind}", description=described, **inside)
    return whole


def results_of_omsimulator(name: str) -> Element:
    """Returns the file of results for OMSimulator, with its defaults; without it OMSimulator warns that the package is outdated."""
    whole = Element(tag("oms:Annotations"))
    add(whole, "oms:SimulationInformation", resultFile=f"{name}_res.mat", loggingInterval=0.0, bufferSize=10)
    return whole


def other_settings(document: Document, system: Element) -> dict[str, Any]:
    """Returns options of ``simulate`` from the annotation that OMSimulator writes."""
    found: dict[str, Any] = {}
    for annotation in annotated(system):
        for each in annotation.iter() if annotation.get("type") == OPENMODELICA else ():
            if local(each) == "FixedStepMaster" and "stepSize" in each.attrib:
                found["communication_step"] = document.number(each, "stepSize", 0.0)
            elif local(each) == "VariableStepSolver":
                found |= {"solver": "cvode"} if each.get("description") == "cvode" else {}
                found |= {"rtol": document.number(each, "relativeTolerance", 0.0)} if "relativeTolerance" in each.attrib else {}
    return found


def whole(
    definition: Definition,
    settings: Mapping[str, Any],
    files: Mapping[str, Mapping[str, str]],
    sketch: Sketch,
    compliance: Mapping[str, Mapping[str, float]],
    written_as: str,
) -> Element:
    """Returns all of a definition that the package itself does not express.

    ``files`` are by instance: ``modelExchange``, its FMU for this kind; and where its FMU in the package begins at the start values of
    states, the digest of that, ``started``, and the FMU of the definition, ``stepped``.
    ``compliance`` holds parameters of joints that the package has beside those of the definition. ``written_as`` is the system's name.
    """
    names = sketch.names
    root = Element("Jourdain", {"version": "1", **({"name": definition.name} if definition.name != written_as else {})})
    if definition.gravity is not None:
        SubElement(root, "Gravity", {"values": " ".join(map(written, definition.gravity))})
    for name, value in settings.items():
        SubElement(root, "Setting", {"name": name, "value": json.dumps(value)})
    for each in definition.instances:
        options = {option: json.dumps(getattr(each, option)) for option in _OPTIONS if getattr(each, option)}
        options |= {"private": "true"} if each.fmu.private else {}
        options |= files[each.name]
        options |= {"component": names[each.name]} if names[each.name] != each.name else {}
        SubElement(root, "Instance", {"name": each.name, **options})
    asked = {each.connection: each for each in definition.transformations}
    for pair in definition.connections:
        SubElement(root, "Connection", {"a": pair[0], "b": pair[1], **_options_of(asked.get(pair))})
    for name, drive in definition.drives:
        element = SubElement(root, "Drive", {"input": name})
        instance, start = _start(definition, name)
        if instance is not None and isinstance(drive, ConstantDrive) and start is not None:
            element.set("start", json.dumps(start))
        if isinstance(drive, ConstantDrive):
            element.set("value", written(drive.value))
        elif isinstance(drive, FormulaDrive):
            element.append(_operation(drive.tree))
            element.set("breaks", " ".join(map(written, drive.breaks)))
        elif isinstance(drive, TableDrive | SplineDrive):
            if isinstance(drive, SplineDrive):
                element.set("smooth", drive.kind)
            element.set("rows", " ".join(written(float(x)) for row in zip(drive.times, drive.values, strict=True) for x in row))
    for name in definition.unknown_accelerations:
        SubElement(root, "UnknownAcceleration", {"input": name})
    for joint, intervals in definition.enforced:
        element = SubElement(root, "Enforced", {"joint": joint})
        for begin, end in intervals:
            SubElement(element, "Interval", {"begin": written(begin), **({} if end == math.inf else {"end": written(end)})})
    for shape in definition.shown:
        SubElement(root, "Shown", {key: value for key, value in asdict(shape).items() if value})
    for name, values in compliance.items():
        SubElement(root, "Compliance", {"name": name, **{key: written(value) for key, value in values.items()}})
    for name in (name for name, component in sketch.components.items() if component.inserted):
        SubElement(root, "Inserted", {"component": name})
    return root


def _start(definition: Definition, full: str) -> tuple[InstanceDefinition | None, Any]:
    """Returns the instance of a driven input, and the start value that it was given for this input as well."""
    for each in definition.instances:
        if full.startswith(each.name + "."):
            given = dict(each.start)
            name = full.removeprefix(each.name + ".")
            if name in given:
                return each, given[name]
    return None, None


def _said(element: Element, key: str) -> Any:
    """Returns the value of an attribute in JSON."""
    text = element.get(key, "null")
    try:
        return parsed(text)
    except ValueError:
        raise _damaged(element, key, "is no JSON") from None


def _damaged(element: Element, key: str, what: str) -> BuildError:
    name = element.get("name", element.get("input", element.tag))
    return BuildError(
        f"the file {FILE} is damaged: {key} = {shown(element.get(key))} of '{name}' {what}; write the package again, or remove the file"
    )


def _numbers(element: Element, key: str, default: str = "") -> list[float]:
    """Returns the numbers of an attribute, between blanks."""
    try:
        return [finite(each) for each in element.get(key, default).split()]
    except ValueError:
        raise _damaged(element, key, "has a word that is no finite number") from None


def _number(element: Element, key: str, default: str = "") -> float:
    """Returns the number of an attribute."""
    found = _numbers(element, key, default)
    if len(found) != 1:
        raise _damaged(element, key, "is not one number")
    return found[0]


def settings_of(own: Element, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options of ``simulate``; times of the package's ``experiment`` count if they are not those that were written for want of any."""
    found = {each.get("name", ""): _said(each, "value") for each in own.iterfind("Setting")}
    times = {name: experiment[name] for name in _TIMES if name in experiment}
    return found | {name: time for name, time in times.items() if time != found.get(name, _TIMES[name])}


def inserted_in(own: Element | None) -> set[str]:
    """Returns the components that stand for operations which SSP cannot express, such as sums."""
    return set() if own is None else {each.get("component", "") for each in own.iterfind("Inserted")}


def compliance_of(own: Element) -> dict[str, dict[str, float]]:
    """Returns the parameters of joints that were written beside those of the definition, by components."""
    return {each.get("name", ""): {key: _number(each, key) for key in each.attrib if key != "name"} for each in own.iterfind("Compliance")}


def _options_of(asked: Transformation | None) -> dict[str, str]:
    """Returns the options of a connection that differ from their defaults."""
    change = {"factor": written(asked.factor), "offset": written(asked.offset)} if asked and asked.changes else {}
    return change | ({"convert": "true"} if asked and asked.convert else {})


def options_of(own: Element) -> dict[str, dict[str, Any]]:
    """Returns the options that ``add`` was given, by instance, in its order."""
    found: dict[str, dict[str, Any]] = {}
    for each in own.iterfind("Instance"):
        options = {key: _said(each, key) for key in (*_OPTIONS, "private") if key in each.attrib}
        found[each.get("name", "")] = options | {key: each.get(key) for key in (*_FILES, "component") if key in each.attrib}
    return found


def connections_of(own: Element) -> tuple[tuple[tuple[str, str], ...], tuple[Transformation, ...]]:
    """Returns the connections as they were made, by ports."""
    found = [((each.get("a", ""), each.get("b", "")), each) for each in own.iterfind("Connection")]
    asked = [
        Transformation(pair, _number(e, "factor", "1"), _number(e, "offset", "0"), convert=is_true(e, "convert"))
        for pair, e in found
        if {"factor", "convert"} & set(e.attrib)
    ]
    return tuple(pair for pair, _ in found), tuple(asked)


def drives_of(own: Element) -> tuple[tuple[str, Drive], ...]:
    """Yields constants, formulas and tables, by inputs."""
    found: list[tuple[str, Drive]] = []
    for each in own.iterfind("Drive"):
        if "rows" in each.attrib:
            found.append((each.get("input", ""), _table_of(each)))
        elif "breaks" in each.attrib:
            tree = formulas.checked(_tree(each[0]) if len(each) else "nothing", each.get("input", ""))
            found.append((each.get("input", ""), FormulaDrive(tree, tuple(_numbers(each, "breaks")))))
        else:
            found.append((each.get("input", ""), ConstantDrive(_number(each, "value", "0"))))
    return tuple(found)


def _table_of(element: Element) -> Drive:
    name, numbers, smooth = element.get("input", ""), _numbers(element, "rows"), element.get("smooth")
    if len(numbers) % 2:
        raise _damaged(element, "rows", "has a time without a value")
    options = {kind: option for option, kind in KINDS.items()}
    return drive_of(name, list(zip(numbers[::2], numbers[1::2], strict=True)), smooth=options.get(smooth, smooth) if smooth else False)


def _operation(tree: formulas.Tree) -> Element:
    """Returns a formula as elements in elements; numbers and the time are leaves."""
    if isinstance(tree, float):
        return Element("Operation", {"name": "number", "value": written(tree)})
    operation, *operands = (tree,) if isinstance(tree, str) else tree
    element = Element("Operation", {"name": operation})
    element.extend(map(_operation, operands))
    return element


def _tree(element: Element) -> formulas.Tree:
    if element.get("name") == "number":
        return _number(element, "value")
    return formulas.TIME if element.get("name") == formulas.TIME else (element.get("name", ""), *map(_tree, element))


def overruled_starts(own: Element) -> dict[str, Any]:
    """Returns start values of inputs that are driven too, by full names."""
    return {each.get("input", ""): _said(each, "start") for each in own.iterfind("Drive") if "start" in each.attrib}


def unknown_accelerations_of(own: Element) -> tuple[str, ...]:
    return tuple(each.get("input", "") for each in own.iterfind("UnknownAcceleration"))


def gravity_of(own: Element) -> Gravity | None:
    """Returns the gravity of bodies that will be added."""
    found = own.find("Gravity")
    if found is None:
        return None
    values = _numbers(found, "values")
    if len(values) not in (2, 3):
        raise _damaged(found, "values", "does not have two or three numbers")
    return tuple(values)


def enforced_of(own: Element) -> tuple[tuple[str, Intervals], ...]:
    """Returns joints that are in force only in intervals."""
    found = []
    for each in own.iterfind("Enforced"):
        name = each.get("joint", "")
        pairs = [(_number(i, "begin", "0"), _number(i, "end") if "end" in i.attrib else None) for i in each.iterfind("Interval")]
        found.append((name, intervals_of(name, pairs)))
    return tuple(found)


def shown_of(own: Element) -> tuple[Shown, ...]:
    """Returns the appearance of bodies."""
    return tuple(Shown(each.get("name", ""), each.get("shape", ""), each.get("colour", "")) for each in own.iterfind("Shown"))
