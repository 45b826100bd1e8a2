"""modelDescription.xml in both FMI versions, and the build description of FMI 3.

The versions tell the same facts under partly different names: each fact is stated once, what differs is data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from fmu_components.declare import units
from fmu_components.declare.declaration import TIME_NAMES, Role, Variable
from fmu_components.export.structure import Lists, ModelStructure, fmi2_lists, fmi3_lists
from fmu_components.export.table import VariableTable
from fmu_components.export.xml_text import Element, Value, document, element

LICENSE = "BSD-2-Clause"
FMI_VERSIONS = {2: "2.0", 3: "3.0"}

LOG_CATEGORIES = {
    "logEvents": "events as they happen",
    "logStatusWarning": "messages about calls that return a warning",
    "logStatusDiscard": "messages about calls that return discard: a value cannot be computed or accepted here",
    "logStatusError": "messages about calls that return an error",
    "logStatusFatal": "messages about calls that return a fatal error",
}

_TYPES = {2: {"real": "Real", "integer": "Integer", "boolean": "Boolean"}, 3: {"real": "Float64", "integer": "Int32", "boolean": "Boolean"}}

_NATURE: dict[Role, tuple[str, str, str | None]] = {
    Role.TIME: ("independent", "continuous", None),
    Role.PARAMETER: ("parameter", "fixed", None),
    Role.STATE: ("local", "continuous", "exact"),
    Role.DERIVATIVE: ("local", "continuous", "calculated"),
    Role.DISCRETE: ("local", "discrete", "exact"),
    Role.RELATION: ("local", "discrete", "calculated"),
    Role.INPUT: ("input", "continuous", None),
    Role.DISCRETE_INPUT: ("input", "discrete", None),
    Role.OUTPUT: ("output", "continuous", "calculated"),
    Role.LOCAL: ("local", "continuous", "calculated"),
    Role.INDICATOR: ("local", "continuous", "calculated"),
}
"""Causality, variability and initial; None where the version has a rule of its own and wants nothing said."""
_NATURE_IN_VERSION: dict[tuple[Role, int], tuple[str, str, str | None]] = {
    (Role.SWITCH, 2): ("parameter", "fixed", None),
    (Role.SWITCH, 3): ("structuralParameter", "fixed", None),
    (Role.ALGEBRAIC, 2): ("input", "continuous", None),
    (Role.ALGEBRAIC, 3): ("local", "continuous", "exact"),
}

_SEEN_INSIDE_STEPS = (Role.INPUT, Role.OUTPUT, Role.STATE, Role.DERIVATIVE, Role.LOCAL)


def model_description(table: VariableTable, fmi: int, sources: Sequence[str] = (), structure: Lists | None = None) -> str:
    """The model description; FMI 2 lists the source files here, FMI 3 in :func:`build_description`."""
    if fmi not in FMI_VERSIONS:
        raise ValueError(f"there is no exporter for FMI {fmi}; choose one of the versions {', '.join(map(str, FMI_VERSIONS))}")
    declared, release = table.declared, version("jourdain")
    structure = structure or ModelStructure(table, fmi)
    variables = _in_order(table) if fmi == 2 else list(table.numbered())
    places = {reference: place for place, (reference, _) in enumerate(variables, 1)}
    return document(
        element(
            "fmiModelDescription",
            {
                "fmiVersion": FMI_VERSIONS[fmi],
                "modelName": declared.name,
                {2: "guid", 3: "instantiationToken"}[fmi]: table.token,
                "description": declared.title,
                "version": release,
                "license": LICENSE,
                "generationTool": f"Jourdain {release}",
                # A date is left out: the same declaration has to give the same file.
                "variableNamingConvention": table.naming,
                "numberOfEventIndicators": len(table.with_role(Role.INDICATOR)) if fmi == 2 else None,
            },
            [
                *(_fmi2_interfaces(table, sources) if fmi == 2 else _fmi3_interfaces(table)),
                element("UnitDefinitions", children=_units(table)),
                element("LogCategories", children=_log_categories(fmi)),
                element("DefaultExperiment", {"startTime": 0.0, "stopTime": float(declared.stop_time), "tolerance": 1e-6}),
                element("ModelVariables", children=[_variable(table, *each, fmi, places) for each in variables]),
                element("ModelStructure", children=fmi2_lists(structure, places) if fmi == 2 else fmi3_lists(structure)),
            ],
        )
    )


def build_description(table: VariableTable, sources: Sequence[str]) -> str:
    """sources/buildDescription.xml of FMI 3: how to build the binary from the sources on any platform."""
    files = [element("SourceFile", {"name": source}) for source in sources]
    return document(
        element(
            "fmiBuildDescription",
            {"fmiVersion": FMI_VERSIONS[3]},
            [
                element(
                    "BuildConfiguration",
                    {"modelIdentifier": table.declared.identifier},
                    [
                        element("SourceFileSet", {"language": "C11"}, files),
                        element("Library", {"name": "m", "external": True}),
                    ],
                ),
            ],
        )
    )


# -- what the FMU can do -----------------------------------------------------------------------------------------------


def _fmi2_interfaces(table: VariableTable, sources: Sequence[str]) -> list[Element]:
    common: dict[str, Value] = {
        "modelIdentifier": table.declared.identifier,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
        "providesDirectionalDerivative": True,
    }
    stepping: dict[str, Value] = {
        "canHandleVariableCommunicationStepSize": True,
        "canInterpolateInputs": True,
        "maxOutputDerivativeOrder": 1,
    }

    def files() -> list[Element]:
        return [element("SourceFiles", children=[element("File", {"name": source}) for source in sources])] if sources else []

    return [
        element("ModelExchange", common | {"completedIntegratorStepNotNeeded": not table.has_relations()}, files()),
        element("CoSimulation", common | stepping, files()),
    ]


def _fmi3_interfaces(table: VariableTable) -> list[Element]:
    common: dict[str, Value] = {
        "modelIdentifier": table.declared.identifier,
        "canGetAndSetFMUState": True,
        "canSerializeFMUState": True,
        "providesDirectionalDerivatives": True,
        "providesAdjointDerivatives": True,
    }
    stepping: dict[str, Value] = {
        "canHandleVariableCommunicationStepSize": True,
        "maxOutputDerivativeOrder": 1,
        "providesIntermediateUpdate": True,
        "mightReturnEarlyFromDoStep": table.has_events(),
        "canReturnEarlyAfterIntermediateUpdate": True,
        "hasEventMode": True,
    }
    return [
        element("ModelExchange", common | {"needsCompletedIntegratorStep": table.has_relations()}),
        element("CoSimulation", common | stepping),
    ]


def _log_categories(fmi: int) -> list[Element]:
    everything = {"logAll": "all messages"} if fmi == 2 else {}
    return [element("Category", {"name": name, "description": text}) for name, text in (LOG_CATEGORIES | everything).items()]


# -- units and variables -----------------------------------------------------------------------------------------------


def _unit(variable: Variable) -> str | None:
    return variable.unit if variable.unit not in ("", units.MIXED) else None


def _units(table: VariableTable) -> list[Element]:
    """The units in use, in the order of their first use."""
    used = dict.fromkeys(unit for unit in map(_unit, table.variables) if unit is not None)
    return [element("Unit", {"name": unit}, [_base_unit(unit), *_display_units(unit)]) for unit in used]


def _base_unit(unit: str) -> Element:
    return element("BaseUnit", {base: power or None for base, power in zip(units.BASE, units.exponents(unit), strict=True)})


def _display_units(unit: str) -> list[Element]:
    return [element("DisplayUnit", {"name": shown.name, "factor": shown.factor}) for shown in units.DISPLAY.get(unit, ())]


def _in_order(table: VariableTable) -> list[tuple[int, Variable]]:
    """Returns the variables of an FMI 2 file: each state before its derivative, as OMSimulator's Python reader wants them, the time last."""

    def early(reference: int, variable: Variable) -> bool:
        partner = variable.partner if variable.role is Role.DERIVATIVE else None
        return partner is not None and table.reference(partner) > reference

    return sorted(table.scalars(), key=lambda each: (each[1].role is Role.TIME, early(*each)))


def _variable(table: VariableTable, reference: int, variable: Variable, fmi: int, places: Mapping[int, int]) -> Element:
    tag = _TYPES[fmi][variable.type]
    if fmi == 2:
        values = _values(table, variable, fmi)
        if values["derivative"] is not None:
            values["derivative"] = places[int(values["derivative"])]  # FMI 2 means the place in the list
        return element("ScalarVariable", _identity(table, reference, variable, fmi), [element(tag, values), *_facts(variable, fmi)])
    continuous = variable.type == "real" and variable.role in _SEEN_INSIDE_STEPS
    attributes = _identity(table, reference, variable, fmi) | _values(table, variable, fmi) | {"intermediateUpdate": continuous or None}
    sizes = [element("Dimension", {"start": size}) for size in variable.shape]
    return element(tag, attributes, [*sizes, *_facts(variable, fmi)])


def _facts(variable: Variable, fmi: int) -> list[Element]:
    """Returns the annotations of a variable for a coupling master, which other tools ignore."""
    facts = [
        *([element("Gauge", {"of": variable.gauge})] if variable.gauge is not None else ()),
        *([element("Elastic")] if variable.elastic else ()),
        *([element("Beyond", {"text": variable.beyond})] if variable.beyond else ()),
    ]
    tag, key = {2: ("Tool", "name"), 3: ("Annotation", "type")}[fmi]
    return [element("Annotations", children=[element(tag, {key: "org.jourdain"}, facts)])] if facts else []


def _identity(table: VariableTable, reference: int, variable: Variable, fmi: int) -> dict[str, Value]:
    """Returns the attributes that variables of all types have."""
    causality, variability, initial = _NATURE.get(variable.role) or _NATURE_IN_VERSION[variable.role, fmi]
    if variable.tunable:
        variability = "tunable"
    if causality == "local" and table.is_output(variable):
        causality = "output"
    if variability == "continuous" and variable.type != "real":
        variability = "discrete"
    return {
        "name": TIME_NAMES[fmi] if variable.role is Role.TIME else variable.name,
        "valueReference": reference,
        "description": _described(variable),
        "causality": causality,
        "variability": variability,
        "initial": initial,
    }


def _described(variable: Variable) -> str:
    """The range in words, since ``min`` and ``max`` cannot exclude the bound itself."""
    limited = math.isfinite(variable.range.minimum) or math.isfinite(variable.range.maximum)
    return f"{variable.text}; must be {variable.range}" if limited else variable.text


def _values(table: VariableTable, variable: Variable, fmi: int) -> dict[str, Value]:
    """Returns the attributes that depend on the variable's type."""
    derivative_of = table.reference(variable.partner) if variable.role is Role.DERIVATIVE and variable.partner else None
    return {
        "unit": _unit(variable),
        "min": _finite(variable.range.minimum, variable.type) if variable.holds[0] is None else variable.holds[0],
        "max": _finite(variable.range.maximum, variable.type) if variable.holds[1] is None else variable.holds[1],
        "nominal": variable.nominal if variable.nominal != 1 else None,
        "start": " ".join(map(repr, variable.start)) if variable.shape else variable.start,
        "derivative": derivative_of,
        "reinit": True if variable.role is Role.STATE and table.jumps(variable) else None,
    }


def _finite(bound: float, kind: str) -> float | int | None:
    return None if not math.isfinite(bound) else int(bound) if kind == "integer" else bound
