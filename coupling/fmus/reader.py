"""Reader of an FMU's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from xml.etree.ElementTree import Element

from coupling.errors import shown
from coupling.files import is_path
from coupling.fmus.archive import file_stamp, read_members
from coupling.fmus.cache import Sharing
from coupling.fmus.description import Fmu
from coupling.fmus.errors import FmuError, Source
from coupling.fmus.fmi1 import as_fmi2
from coupling.fmus.interface import Interface, read_interface
from coupling.fmus.manifest import MANIFEST, read_manifest
from coupling.fmus.picture import PICTURE, read_picture
from coupling.fmus.structure import Structure, notes_on_derivatives, read_structure, states_of
from coupling.fmus.switched import SWITCHED, read_switched
from coupling.fmus.terminals import TERMINALS, read_terminals
from coupling.fmus.units import read_units
from coupling.fmus.variables import FmuVariable, Settable, VariableReader, by_name, by_reference
from coupling.fmus.views import Elements, Free, base_views
from coupling.names import nearest

_DESCRIPTION = "modelDescription.xml"
_loaded: dict[tuple[Path, tuple[tuple[str, Settable], ...]], Fmu] = {}
_lock = RLock()


def load(path: Path | str, private: bool = False, structural: Mapping[str, Settable] | None = None) -> Fmu:
    """Reads an FMU; returns the same object as long as the file does not change. An FMU that cannot be used raises FmuError.

    A ``private`` FMU gets a new object and newly unpacked files, because it writes into its folder. ``structural`` are values of its
    structural parameters that differ from its start values; its arrays have other sizes then.
    """
    if not is_path(path):
        raise FmuError(f"{shown(path)} is no path; give the path of an FMU, a file whose name ends in .fmu")
    file = Path(path).resolve()
    try:
        now = file_stamp(file)
    except OSError:
        siblings = [each.name for each in file.parent.glob("*.fmu")]
        hint = nearest(file.name, siblings) or "give the path of an FMU, a file whose name ends in .fmu"
        raise FmuError(f"there is no file '{path}'; {hint}") from None
    if file.is_dir():
        raise FmuError(f"'{path}' is a folder; give the path of the FMU itself, a file whose name ends in .fmu")
    if not file.is_file():
        raise FmuError(f"'{path}' is a device, a pipe or a socket, and no file; give the path of an FMU, a file whose name ends in .fmu")
    values = dict(sorted((structural or {}).items()))
    key = file, tuple(values.items())
    with _lock:
        known = _loaded.get(key)
        if known is None or known.stamp != now:
            known = _loaded[key] = _read(file, now, values)
    return replace(known, sharing=Sharing.ALONE) if private else known


def _read(path: Path, now: tuple[int, int], structural: Mapping[str, Settable]) -> Fmu:
    files, names = read_members(path, (_DESCRIPTION, MANIFEST, PICTURE, SWITCHED, *TERMINALS))
    if _DESCRIPTION not in files:
        inner = next((name.removesuffix(f"/{_DESCRIPTION}") for name in names if name.endswith(f"/{_DESCRIPTION}")), None)
        remedy = (
            "export the model as FMI 2.0 or 3.0" if inner is None else f"zip the content of its folder '{inner}', and not the folder itself"
        )
        raise FmuError(f"'{path}' holds no {_DESCRIPTION} and is no FMU; {remedy}")
    root = Source(path).tree(files[_DESCRIPTION], _DESCRIPTION)
    tool = root.get("generationTool") or ""
    source = Source(path, f"'{tool}'" if tool else "")
    version = _version(root, source)
    root, negated = as_fmi2(root, source) if version == 1 else (root, [])
    listed = list(VariableReader(root, version, source, structural).listed())
    wholes = by_name(listed, source)
    model_exchange, co_simulation = (
        read_interface(root, tag, kind, version, source) for tag, kind in (("ModelExchange", "me"), ("CoSimulation", "cs"))
    )
    mistakes: list[str] = []
    structure = read_structure(root, version, listed, by_reference(wholes.values()), model_exchange, co_simulation, source, mistakes)
    dae = read_manifest(files[MANIFEST], wholes.values(), structure, source) if MANIFEST in files else None
    free = Free((v.reference for v in listed), source)
    elements = Elements(listed, free, source)
    elements.views.extend(negated)
    variables = by_name(elements.variables(listed), source)
    structure, dae = elements.structure(structure), elements.dae(dae)
    if dae is not None and SWITCHED in files:
        dae = replace(dae, switched=read_switched(files[SWITCHED], variables, source))
    units = read_units(root, (v.unit for v in variables.values() if v.unit is not None), source)
    views, in_base = base_views(variables.values(), units, elements, free)
    structure, states, unfit = _states(structure, variables, co_simulation, source)
    referred = by_reference(variables.values())
    for own, base in in_base.items():
        variable = referred[own]
        factor = units[variable.unit or ""].factor
        referred[base] = replace(variable, reference=base, nominal=abs(factor) * variable.nominal)
    terminals, notes = read_terminals(files, elements.names, variables, source)
    picture, odd = read_picture(files.get(PICTURE), variables, terminals, source)
    experiment = root.find("DefaultExperiment")
    return Fmu(
        path=path,
        version=version,
        model_name=root.get("modelName") or "",
        description=root.get("description") or "",
        token=root.get("guid" if version < 3 else "instantiationToken") or "",
        generation_tool=tool,
        variables=MappingProxyType(variables),
        by_reference=MappingProxyType(referred),
        time=next((v.reference for v in listed if v.causality == "independent"), None),
        states=states,
        structure=structure,
        dae=dae,
        terminals=MappingProxyType(terminals),
        picture=picture,
        units=MappingProxyType(units),
        arrays=MappingProxyType(elements.arrays),
        views=(*elements.views, *views),
        in_base_units=MappingProxyType(in_base),
        structural=MappingProxyType(dict(structural)),
        model_exchange=model_exchange,
        co_simulation=co_simulation,
        scheduled=root.find("ScheduledExecution") is not None,
        default_stop_time=_number(experiment, "stopTime", source),
        tolerance=_number(experiment, "tolerance", source),
        notes=(
            *_notes_on_tools(source, model_exchange, co_simulation),
            *(notes_on_derivatives(states, variables, source) if model_exchange and not unfit else ()),
            *mistakes,
            *(dae.notes if dae else ()),
            *notes,
            *odd,
        ),
        unfit=unfit,
        stamp=now,
        sharing=Sharing.PROCESS if _may_write(names, model_exchange, co_simulation) else Sharing.MACHINE,
    )


def _states(
    structure: Structure, variables: Mapping[str, FmuVariable], co_simulation: Interface | None, source: Source
) -> tuple[Structure, tuple[int, ...], str]:
    """Returns the structure, the states and a note. If the list of derivatives is wrong, both are empty and only Co-Simulation remains."""
    try:
        return structure, tuple(states_of(structure, variables, source)), ""
    except FmuError as error:
        if co_simulation is None:
            raise
        return replace(structure, derivatives=()), (), str(error)


def _version(root: Element, source: Source) -> int:
    written = root.get("fmiVersion") or ""
    match = re.fullmatch(r"([123])\.\d+(\.\d+)?", written)
    if root.tag != "fmiModelDescription" or not written:
        raise source.broken(f"has a {_DESCRIPTION} that describes no FMU: it names no FMI version")
    if match is None:
        raise FmuError(f"'{source.path}' is FMI {written}; export it as FMI 2.0 or 3.0")
    return int(match.group(1))


def _notes_on_tools(source: Source, *interfaces: Interface | None) -> list[str]:
    if not any(interface is not None and interface.needs_tool for interface in interfaces):
        return []
    name = source.tool or "the tool that wrote it"
    return [f"'{source.path}' is a link to {name}, which has to be installed on this machine"]


def _may_write(names: Iterable[str], *interfaces: Interface | None) -> bool:
    """Says whether an FMU might write into its folder: by a tool that it starts, or by itself into data that it brings along."""
    needs_tool = any(interface is not None and interface.needs_tool for interface in interfaces)
    return needs_tool or any(name.startswith("resources/") and not name.endswith("/") for name in names)


def _number(experiment: Element | None, attribute: str, source: Source) -> float | None:
    text = None if experiment is None else experiment.get(attribute)
    return None if text is None else source.parsed(text, float, f"the {attribute} of its default experiment")
