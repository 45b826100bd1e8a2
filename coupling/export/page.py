"""The documentation of an exported mechanism: one HTML page."""

from __future__ import annotations

from coupling.export.table import MechanismTable
from fmu_components.export.markup import framed


def page(table: MechanismTable) -> str:
    return framed(table.declared, ())
