"""A system as an SSP package: all of its components, or its mechanism as one exported FMU beside the other parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from coupling.checks import is_word
from coupling.errors import BuildError, shown
from coupling.fmus import Fmu
from coupling.names import identifier, renamed, without_blanks
from coupling.options import Index3, Run
from coupling.options.calls import gathered
from coupling.plan.connections import find_end, values_between, wires_of
from coupling.plan.definition import Definition, Name, define_instance
from coupling.plan.rates import drives_of
from coupling.solvers.base.solver import embedded_run
from coupling.ssp.systems import settings_to_keep
from coupling.ssp.systems import to_ssp as write

_STIFF = ("cvode", "ida", "Radau", "BDF", "LSODA")
"""Solvers that a user chooses for stiff systems, whose exported FMU then has implicit steps."""


def to_ssp(
    system: Any,
    path: str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    parameters: str = "inline",
    form: str = "components",
) -> Path:
    """Writes the system to ``path`` as an SSP 1.0 package, with its FMUs, and returns the path. Data that SSP cannot express are in a file of
    the package.

    ``settings`` are options of ``simulate`` to keep, such as ``{"stop_time": 2.0}``, by default those that the system was read with.
    ``parameters`` are written ``inline``, or each set into its own ``file`` ``.ssv``. ``form`` is ``components`` or ``mechanism``. Of
    components, joints are compliant in other tools; their stiffness follows from the masses and ``communication_step``, and a warning
    states how far they yield. In the form ``mechanism`` all components of this library become one exported FMU with ideal joints. FMUs of
    other tools, and instances of ``kind="cs"``, stay beside it. ``initial`` and ``solver`` among the settings are then those of the export.
    Inputs that add up become components ``signal.Sum``, tables ``signal.Table``; reading removes both again. Functions that drive inputs are
    refused by name.
    """
    if not is_word(form, ("components", "mechanism")):
        raise BuildError(f"form = {shown(form)} is refused: choose 'components', or 'mechanism' for one FMU with ideal joints")
    chosen = settings_to_keep(settings, system._origin)
    if form == "components":
        return write(system.definition, path, chosen, parameters, system._origin)
    with TemporaryDirectory() as folder:
        definition = _with_mechanism(system.definition, Path(folder), chosen)
        kept = {name: value for name, value in chosen.items() if name not in ("initial", "solver", "step_size")}
        return write(definition, path, kept, parameters, system._origin)


def _with_mechanism(definition: Definition, folder: Path, settings: Mapping[str, Any]) -> Definition:
    """Returns a definition in which one exported FMU stands for all components of this library."""
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    own = [each.name for each in definition.instances if each.fmu.fmu.is_own and each.kind != "cs"]
    if not own:
        raise BuildError(
            f"form='mechanism' is refused: the system '{definition.name}' has no component of this library that could be exported"
        )
    others = set(fmus).difference(own)
    name = next(each for each in chain(["mechanism"], (f"mechanism{n}" for n in count(2))) if each not in others)
    names = {instance: f"{name}.{new}" for instance, new in without_blanks(own).items()}

    def outside(variable: Name) -> str:
        text = ".".join(variable)
        return text if variable[0] in others else renamed(text, names)

    drives = drives_of(definition, fmus)
    wires = wires_of(fmus, definition.connections, drives, complete=False, transformations=definition.transformations)
    across = [(a, b) for b, sources in wires.items() for a in sources if (a[0] in others) != (b[0] in others)]
    between = [(a, b) for b, sources in wires.items() for a in sources if a[0] in others and b[0] in others]
    opened = _opened(definition, fmus, others)
    states = [f"{i}.{fmus[i].by_reference[state].name}" for i in own for state in fmus[i].states]
    given = [".".join(a) for a, _ in across if a[0] not in others]
    exported = _export(definition.without(others), folder, settings, opened, [*dict.fromkeys([*states, *given])])
    rest = definition.without(own)
    changes = {
        frozenset((".".join(source), ".".join(target))): each
        for each in definition.transformations
        for source, target, _ in values_between(*(find_end(text, fmus) for text in each.connection))
    }
    connections = {frozenset((".".join(a), ".".join(b))): (outside(a), outside(b)) for a, b in [*across, *between]}
    transformations = [replace(changes[key], connection=pair) for key, pair in connections.items() if key in changes]
    return replace(
        rest,
        instances=(define_instance(name, exported), *rest.instances),
        connections=tuple(connections.values()),
        transformations=tuple(transformations),
        enforced=(),
    )


def _opened(definition: Definition, fmus: Mapping[str, Fmu], others: set[str]) -> list[str]:
    """Returns ports and inputs of the mechanism that the other parts feed."""
    found = []
    for pair in definition.connections:
        ends = [find_end(text, fmus) for text in pair]
        if (ends[0].instance in others) == (ends[1].instance in others):
            continue
        end = next(each for each in ends if each.instance not in others)
        names = (
            [end.variable.name] if end.terminal is None and end.variable else list(end.terminal.members.values()) if end.terminal else []
        )
        if any(fmus[end.instance].variables[name].causality == "input" for name in names):
            found.append(end.text)
    return list(dict.fromkeys(found))


def _export(definition: Definition, folder: Path, settings: Mapping[str, Any], inputs: list[str], outputs: list[str]) -> Path:
    from coupling.export.export import export_fmu

    stop_time, initial = float(settings.get("stop_time", 1.0)), settings.get("initial", Run.initial)
    solver = gathered(settings).get("solver", Run.solver)
    return export_fmu(
        definition,
        folder / f"{identifier(definition.name or 'mechanism')}.fmu",
        inputs=inputs,
        outputs=outputs,
        fmi=2,
        initial=initial,
        implicit=solver in _STIFF,
        stop_time=stop_time,
        stabilisation=settings.get("stabilisation"),
        steps=embedded_run(stop_time, initial, solver) if isinstance(solver, Index3) else None,
    )
