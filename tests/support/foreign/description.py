"""The model description of a model."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from tests.support.foreign.model import Model, Variable

_BASE_UNITS = {
    "N": 'kg="1" m="1" s="-2"',
    "kg": 'kg="1"',
    "m": 'm="1"',
    "m/s": 'm="1" s="-1"',
    "N/m": 'kg="1" s="-2"',
    "s": 's="1"',
    "mm": 'm="1" factor="0.001"',
    "mm/s": 'm="1" s="-1" factor="0.001"',
    "kN": 'kg="1" m="1" s="-2" factor="1000"',
    "K": 'K="1"',
    "degC": 'K="1" offset="273.15"',
    "degF": 'K="1" factor="0.5555555555555556" offset="255.3722222222222"',
    "rad/s": 'rad="1" s="-1"',
    "rpm": 'rad="1" s="-1" factor="0.10471975511965977"',
}


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    written = "".join(
        f" {key}={quoteattr(str(value).lower() if isinstance(value, bool) else str(value))}"
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def start_text(variable: Variable) -> str | None:
    """Returns the start value as written. Variables that the FMU computes have none."""
    if variable.value is not None:
        return None
    return repr(bool(variable.start)).lower() if variable.type == "Boolean" else f"{variable.start:.17g}"


def initial_of(variable: Variable) -> str | None:
    if variable.causality == "input":
        return None
    return "exact" if variable.value is None else "calculated"


def description(model: Model, version: int, token: str) -> str:
    """Returns the text of modelDescription.xml, of FMI 2 or 3."""
    place = {name: k for k, name in enumerate(model.names)}
    units = sorted({v.unit for v in model.variables} - {""})
    unit_definitions = "".join(tag("Unit", f"<BaseUnit {_BASE_UNITS[u]}/>" if u in _BASE_UNITS else "", name=u) for u in units)
    outputs = [v for v in model.variables if v.causality == "output"]

    def depends(names: Sequence[str] | None) -> dict[str, str]:
        return {} if names is None else {"dependencies": " ".join(str(place[name]) for name in names)}

    listed = {
        "Output": [(v.name, depends(v.depends if v.rate is None or v.depends is None else [v.name])) for v in outputs],
        "Derivative": [(v.der, depends(v.depends)) for v in model.states],
        "InitialUnknown": [(v.name, {}) for v in outputs if v.value is not None] + [(v.der, {}) for v in model.states],
        "EventIndicator": [(f"indicator{k}", {}) for k in range(1, len(model.indicators) + 1)],
    }

    def unknowns(kind: str, tag: str, key: str) -> str:
        # An empty list of dependencies must be written.
        return "".join(
            f"<{tag} {key}={quoteattr(str(place[name]))}" + "".join(f" {k}={quoteattr(v)}" for k, v in rest.items()) + "/>"
            for name, rest in listed[kind]
        )

    root = {"modelName": model.name, "description": "written by hand", "generationTool": "tests/support/foreign"}
    if version == 2:
        attributes = {"modelIdentifier": model.name, "providesDirectionalDerivative": model.partials is not None or None}
        rollback = {"canGetAndSetFMUstate": model.rollback or None, "canSerializeFMUstate": model.serialises or None}
        interfaces = {
            "me": tag("ModelExchange", **attributes, **rollback, completedIntegratorStepNotNeeded=not model.wants_completed or None),
            "cs": tag("CoSimulation", **attributes, **rollback, canHandleVariableCommunicationStepSize=True, **model.declares),
        }
        variables = [
            tag(
                "ScalarVariable",
                tag(v.type, start=start_text(v), unit=v.unit),
                name=v.name,
                valueReference=place[v.name],
                causality=v.causality,
                variability=v.variability,
                initial=initial_of(v),
            )
            for v in model.variables
        ] + [
            tag(
                "ScalarVariable",
                tag("Real", derivative=place[v.name]),
                name=v.der,
                valueReference=place[v.der],
                causality="local",
                variability="continuous",
                initial="calculated",
            )
            for v in model.states
        ]
        # Indices count from 1 and there is no independent variable, so that they are the value references.
        structure = "".join(
            tag(group, content)
            for group, content in (
                ("Outputs", unknowns("Output", "Unknown", "index")),
                ("Derivatives", unknowns("Derivative", "Unknown", "index")),
                ("InitialUnknowns", unknowns("InitialUnknown", "Unknown", "index")),
            )
            if content
        )
        root |= {"fmiVersion": "2.0", "guid": token, "numberOfEventIndicators": str(len(model.indicators))}
    else:
        attributes = {"modelIdentifier": model.name, "providesDirectionalDerivatives": model.partials is not None or None}
        rollback = {"canGetAndSetFMUState": model.rollback or None, "canSerializeFMUState": model.serialises or None}
        interfaces = {
            "me": tag("ModelExchange", **attributes, **rollback, needsCompletedIntegratorStep=model.wants_completed or None),
            "cs": tag("CoSimulation", **attributes, **rollback, canHandleVariableCommunicationStepSize=True, **model.declares),
        }
        types = {"Real": "Float64", "Integer": "Int32", "Boolean": "Boolean", "Float32": "Float32"}
        variables = [
            tag("Float64", name="time", valueReference=0, causality="independent", variability="continuous"),
            *(
                tag(
                    types[v.type],
                    name=v.name,
                    valueReference=place[v.name],
                    causality=v.causality,
                    variability=v.variability,
                    initial=initial_of(v),
                    start=start_text(v),
                    unit=v.unit,
                )
                for v in model.variables
            ),
            *(
                tag("Float64", name=v.der, valueReference=place[v.der], initial="calculated", derivative=place[v.name])
                for v in model.states
            ),
            *(tag("Float64", name=name, valueReference=place[name], initial="calculated") for name, _ in listed["EventIndicator"]),
        ]
        structure = unknowns("Output", "Output", "valueReference")
        structure += unknowns("Derivative", "ContinuousStateDerivative", "valueReference")
        structure += unknowns("InitialUnknown", "InitialUnknown", "valueReference")
        structure += unknowns("EventIndicator", "EventIndicator", "valueReference")
        root |= {"fmiVersion": "3.0", "instantiationToken": token}
    content = "".join(interfaces[kind] for kind in model.kinds)
    content += tag("UnitDefinitions", unit_definitions) if units else ""
    content += tag("ModelVariables", "".join(variables)) + tag("ModelStructure", structure)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tag("fmiModelDescription", content, **root) + "\n"
