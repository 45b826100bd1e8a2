"""The package ``Jourdain``: the components that do not switch, as Modelica models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fmu_components.declare.declaration import Declaration, DeclarationError, Role
from fmu_components.modelica.connectors import Source, interfaces
from fmu_components.modelica.model import ModelicaModel, modelica_model
from fmu_components.modelica.tables import FUNCTIONS
from fmu_components.modelica.tables import PACKAGE as TABLES

PACKAGE = "Jourdain"
_SWITCHING = (Role.RELATION, Role.DISCRETE, Role.DISCRETE_INPUT)


def switching(declared: Declaration) -> str | None:
    """Returns the reason why a component switches; None where it does not."""
    if declared.switched:
        kinds = sorted({each.kind.replace("_", " ") for each in declared.switched})
        return f"it has constraints that are switched ({', '.join(kinds)})"
    if declared.events:
        return f"it has the event '{declared.events[0].text}'"
    found = declared.with_role(*_SWITCHING)
    return f"'{found[0].name}' ({found[0].text}) changes at events" if found else None


def refuse(declared: Declaration) -> None:
    """Raises a DeclarationError where a component switches."""
    reason = switching(declared)
    if reason is not None:
        raise DeclarationError(
            f"{declared.name} has no Modelica text, since {reason}; export the mechanism that contains it as an FMU, "
            f"with jourdain export or System.export_fmu"
        )


def package_text(components: Iterable[Declaration]) -> str:
    """Returns the package of components; each of them must be one that does not switch."""
    models = {}
    for declared in components:
        refuse(declared)
        models[declared.name] = modelica_model(declared)
    return "\n".join([*package_lines(models, annotation=' annotation(uses(Modelica(version = "4.0.0")));'), ""])


def package_lines(models: Mapping[str, ModelicaModel], sources: Iterable[Source] = (), annotation: str = "") -> list[str]:
    """Returns the lines of a package of models, by the names of their components; ``sources`` are added to the connectors."""
    libraries: dict[str, list[str]] = {}
    for name, model in models.items():
        libraries.setdefault(name.rpartition(".")[0], []).extend(model.lines)
    lines = [f"package {PACKAGE}", '  "Components of mechanisms, written from their declarations"', *interfaces(sources)]
    for library, members in libraries.items():
        whole = [f"package {library}", *(f"  {line}" for line in members), f"end {library};"] if library else members
        lines += [f"  {line}" for line in whole]
    if any(f"{TABLES}." in line for members in libraries.values() for line in members):
        lines += [f"  {line}" for line in FUNCTIONS]
    return [*lines, *([f" {annotation}"] if annotation else []), f"end {PACKAGE};"]


def write_package(text: str, folder: Path) -> Path:
    """Writes the text of a package into a folder of its name, and returns the file."""
    file = folder / PACKAGE / "package.mo"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
