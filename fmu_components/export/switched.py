"""extra/org.jourdain.switched/switched.xml: what a master has to know to choose the modes of switched multipliers."""

from __future__ import annotations

from fmu_components.declare.declaration import Role, Switched
from fmu_components.export.table import VariableTable
from fmu_components.export.xml_text import Value, document, element

PATH = "extra/org.jourdain.switched/switched.xml"
VERSION = "1"


def switched_multipliers(table: VariableTable) -> str | None:
    """One element for each, in the order of the multipliers; None where all of them are in force always.

    Variables are given by their value references, the event indicator by its place among those of the FMU, from 0 on.
    """
    listed = table.declared.switched
    if not listed:
        return None
    return document(element("Switched", {"version": VERSION}, [element("Multiplier", _attributes(table, each)) for each in listed]))


def _attributes(table: VariableTable, each: Switched) -> dict[str, Value]:
    named = {
        "lambda": each.multiplier,
        "residual": each.residual,
        "mode": each.mode,
        "velocity": each.velocity,
        "acceleration": each.acceleration,
        "position": each.position,
        "limit": each.limit,
        "static": each.static,
        "limit_back": each.limit_back,
        "static_back": each.static_back,
        "restitution": each.restitution,
    }
    references = {name: None if variable is None else table.reference(variable) for name, variable in named.items()}
    limits = [name for name in (each.limit, each.static, each.limit_back, each.static_back) if name is not None]
    depends = {d.known for name in limits for d in table.dependencies(table.reference(name), True, (Role.ALGEBRAIC,))}
    indicators = [v.name for v in table.with_role(Role.INDICATOR)]
    return {
        "kind": each.kind,
        **references,
        "depends": " ".join(map(str, sorted(depends))) or None,
        "indicator": None if each.indicator is None else indicators.index(each.indicator),
    }
