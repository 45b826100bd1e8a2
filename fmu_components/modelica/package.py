"""The package ``Jourdain``: the components that do not switch, as Modelica models."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fmu_components.declare.declaration import Declaration, DeclarationError, Role
from fmu_components.modelica.connectors import interfaces
from fmu_components.modelica.model import modelica_model

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
    libraries: dict[str, list[Declaration]] = {}
    for declared in components:
        refuse(declared)
        libraries.setdefault(declared.name.rpartition(".")[0], []).append(declared)
    lines = [f"package {PACKAGE}", '  "Components of mechanisms, written from their declarations"', *interfaces()]
    for library, members in libraries.items():
        models = [line for declared in members for line in modelica_model(declared)]
        if library:
            models = [f"package {library}", *(f"  {line}" for line in models), f"end {library};"]
        lines += [f"  {line}" for line in models]
    return "\n".join([*lines, '  annotation(uses(Modelica(version = "4.0.0")));', f"end {PACKAGE};", ""])


def write_package(text: str, folder: Path) -> Path:
    """Writes the text of a package into a folder of its name, and returns the file."""
    file = folder / PACKAGE / "package.mo"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
