"""The manifest of the FMI layered standard for DAE (FMI-LS-DAE 1.0.0-alpha.1)."""

from __future__ import annotations

from fmu_components.declare.declaration import Role
from fmu_components.export.structure import DaeLists, ModelStructure, fmi3_lists, fmi3_unknown
from fmu_components.export.table import VariableTable
from fmu_components.export.xml_text import document, element

_ROOT = {
    "xmlns:fmi-ls": "http://fmi-standard.org/fmi-ls-manifest",
    "fmi-ls:fmi-ls-name": "org.fmi-standard.fmi-ls-dae",
    "fmi-ls:fmi-ls-version": "1.0.0-alpha.1",
    "fmi-ls:fmi-ls-description": "Layered standard for DAE support in FMI.",
}


def manifest(table: VariableTable, fmi: int, structure: DaeLists | None = None) -> str | None:
    """The model structure while the switch is on; None for a component that leaves no unknowns to the importer.

    The form is that of FMI 3 in both versions; what counts as a known of an output or a derivative is the version's own.
    """
    if table.switch is None:
        return None
    structure = structure or ModelStructure(table, fmi, ideal=True)
    algebraic = [element("AlgebraicVariable", {"valueReference": reference}) for reference in table.references(Role.ALGEBRAIC)]
    residuals = [fmi3_unknown("Residual", residual) for residual in structure.residuals]
    return document(
        element(
            "fmiDAEManifest",
            _ROOT,
            [
                element("EnableDAEParameter", {"valueReference": table.reference(table.switch)}),
                element("AlgebraicVariables", children=algebraic),
                element("ModelStructure", children=[*fmi3_lists(structure), *residuals]),
            ],
        )
    )
