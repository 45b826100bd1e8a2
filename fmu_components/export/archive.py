"""The archive of an FMU: which file goes where in which version, packed the same way every time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fmu_components.export import compile as c
from fmu_components.export.c_code import model_source
from fmu_components.export.manifest import manifest
from fmu_components.export.model_description import build_description, model_description
from fmu_components.export.packed import write as write
from fmu_components.export.pages.documentation import page
from fmu_components.export.pages.icons import png, port_positions, svg
from fmu_components.export.picture import picture_file
from fmu_components.export.structure import DaeLists, Lists
from fmu_components.export.switched import PATH as _SWITCHED
from fmu_components.export.switched import switched_multipliers
from fmu_components.export.table import VariableTable
from fmu_components.export.terminals import terminal_icons, terminals_and_icons

_MANIFEST = "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"

LICENSE = (Path(__file__).parents[1] / "LICENSE").read_text()


@cache
def shared_files(table: VariableTable) -> dict[str, bytes]:
    """Returns the files that are the same in both FMI versions, computed once."""
    return {
        "sources/model.c": model_source(table).encode(),
        "documentation/index.html": page(table).encode(),
        "documentation/licenses/license.txt": LICENSE.encode(),
        "icon.png": png(table.declared),
        "icon.svg": svg(table.declared).encode(),
    }


def component_files(table: VariableTable, fmi: int, shared: Mapping[str, bytes], libraries: Mapping[c.Platform, bytes]) -> dict[str, bytes]:
    """All files of the FMU of one component by their paths in the archive."""
    sources = {"model.c": shared["sources/model.c"]} | c.runtime_files(fmi, table.implicit is not None)
    return fmu_files(table, fmi, shared, sources) | binary_files(table, fmi, libraries)


def fmu_files(
    table: VariableTable,
    fmi: int,
    shared: Mapping[str, bytes],
    sources: Mapping[str, bytes],
    structure: Lists | None = None,
    given: DaeLists | None = None,
) -> dict[str, bytes]:
    """All files of an FMU except its binaries; the structures come from a table that may be another one."""
    compiled = [name for name in sources if name.endswith(".c")]
    files = {path: content for path, content in shared.items() if "/" in path}
    files |= {f"sources/{name}": content for name, content in sources.items()}
    files |= picture_file(table.declared)
    files |= {f"resources/{name}": content for name, content in table.declared.resources}
    files["modelDescription.xml"] = model_description(table, fmi, compiled, structure).encode()
    dae = manifest(table, fmi, given)
    if dae is not None:
        files[_MANIFEST] = dae.encode()
    switched = switched_multipliers(table)
    if switched is not None:
        files[_SWITCHED] = switched.encode()
    folder = "extra/terminalsAndIcons" if fmi == 2 else "terminalsAndIcons"
    files[f"{folder}/terminalsAndIcons.xml"] = terminals_and_icons(table, fmi, port_positions(table.declared)).encode()
    files |= {f"{folder}/{name}": content for name, content in (*terminal_icons(table).items(), *icons(shared).items())}
    if fmi == 2:
        files["model.png"] = shared["icon.png"]
    else:
        files["sources/buildDescription.xml"] = build_description(table, compiled).encode()
    return files


def binary_files(table: VariableTable, fmi: int, libraries: Mapping[c.Platform, bytes]) -> dict[str, bytes]:
    folders = {platform: platform.fmi2_folder if fmi == 2 else platform.fmi3_folder for platform in libraries}
    return {f"binaries/{folders[p]}/{table.declared.identifier}{p.suffix}": library for p, library in libraries.items()}


def icons(shared: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in shared.items() if name.startswith("icon.")}
