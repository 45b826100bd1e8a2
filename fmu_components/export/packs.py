"""Writes the packs that :mod:`fmu_components.export.ready` reads; ``setup.py`` calls it for a wheel that is passed on."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component, component_name
from fmu_components.export import kept, ready
from fmu_components.export.at_once import processors
from fmu_components.export.build import cached_fmu, table_of
from fmu_components.export.compile import runtime_files

VERSIONS = (2, 3)


def write_packs(folder: Path) -> None:
    """Builds the FMUs of the whole catalogue, as far as the cache does not hold them, and packs what differs between components."""
    folder.mkdir(parents=True, exist_ok=True)
    components = all_components()
    with ProcessPoolExecutor(processors()) as pool:
        noted = pool.map(_write_pack, components.values(), [folder] * len(components))
        listed = {"sources": ready.digests(), "components": dict(zip(components, noted, strict=True))}
    (folder / ready.LIST).write_text(json.dumps(listed))


def _write_pack(component: type[Component], folder: Path) -> dict[str, object]:
    """Returns what the list says of a component."""
    implicit = table_of(component).implicit is not None  # type: ignore[arg-type]
    fmus = {fmi: cached_fmu(component, fmi) for fmi in VERSIONS}
    with tarfile.open(folder / f"{component_name(component)}.tar.xz", "w:xz", preset=6) as pack:
        for path, content in _packed({fmi: _own_files(path, fmi, implicit) for fmi, path in fmus.items()}).items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            pack.addfile(member, io.BytesIO(content))
    return {"implicit": implicit} | {str(fmi): kept.key_of(path) for fmi, path in fmus.items()}


def _own_files(path: Path, fmi: int, implicit: bool) -> dict[str, bytes]:
    """Returns the files of an FMU except those of the runtime."""
    runtime = {f"sources/{name}" for name in runtime_files(fmi, implicit)}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name not in runtime}


def _packed(files: Mapping[int, Mapping[str, bytes]]) -> dict[str, bytes]:
    """Returns the files of all versions by paths in the pack. Libraries come first, side by side, since they compress well together."""
    found: dict[str, bytes] = {}
    for fmi, own in files.items():
        for path, content in own.items():
            shared = all(other.get(path) == content for other in files.values())
            found[f"{'both' if shared else f'fmi{fmi}'}/{path}"] = content
    return dict(sorted(found.items(), key=lambda item: (not item[0].endswith(".so"), item[0])))
