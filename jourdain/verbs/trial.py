"""A trial run: an FMU alone, with a body on each port that takes motion, pressure or voltage. ``python -m jourdain.verbs.trial`` makes one run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coupling.fmus import Fmu
    from coupling.system import System

_PARTNERS: dict[str, tuple[str, str, dict[str, float]]] = {
    "planar": ("planar.Body1", "p1", {"x": 0.16, "y": 0.12, "theta": 0.3}),
    "spatial": ("spatial.Body1", "p1", {"x": 0.16, "y": 0.12, "z": 0.1, "q0": 0.8, "q1": 0.4, "q2": 0.2, "q3": 0.4}),
    "rotational": ("mechanical1d.Inertia", "flange", {"phi": 0.3}),
    "translational": ("mechanical1d.Mass", "flange", {"s": 0.2}),
    "hydraulic": ("hydraulic.Volume", "port", {}),
    "electrical": ("electrical.Capacitor", "pin", {}),
    "pneumatic": ("pneumatic.Volume", "port", {}),
    "thermal": ("thermal.Capacity", "port", {}),
}
"""Partners by kind of port: a component, its port, and its start values if it must not lie on another body."""

_CALL_TIMEOUT = 60.0
"""Seconds that a call may take, for FMUs that are not of this library."""
_TURNED = ("q0", "q1", "q2", "q3")


def trials_of(path: Path, kind: str | None) -> Iterator[tuple[System, str]]:
    """Yields systems to be tried one after the other, and how their start is found: first with all bodies in the origin, then apart."""
    for apart in (False, True):
        system, bodies = _trial(path, kind, apart)
        yield system, "assemble" if bodies and (apart or kind != "cs") else "check"
        if not bodies:
            return


def _trial(path: Path, kind: str | None, apart: bool) -> tuple[System, int]:
    """Returns the system, and the number of bodies that it has beside the FMU."""
    from coupling.fmus import load
    from coupling.plan.connections import solved_for
    from coupling.system import System

    fmu, name = load(path), path.stem.replace(".", "_")
    bodies = list(_bodies(fmu))
    system = System(path.stem, gravity=(0.0, 0.0, 0.0) if bodies else None)
    system.add(name, path, kind=kind)
    for number, (port, (component, own, place)) in enumerate(bodies):
        body = f"at_{port}".replace(".", "_")
        # Two bodies need one distance; what slides may not start at 0, where a stroke may end.
        distance = number + (component == "mechanical1d.Mass")
        start = {each: value * (1 if each in _TURNED else distance) for each, value in place.items()}
        system.add(body, component, start if apart and distance else None)
        system.connect(f"{name}.{port}", f"{body}.{own}")
    given = {wire.target for wire in system.wires}
    for variable in fmu.variables.values() if fmu.is_own else ():  # those of others stay at their start values
        full = f"{name}.{variable.name}"
        if variable.causality == "input" and variable.type == "real" and full not in given and not solved_for(fmu, variable):
            system.drive(full, 0.0)
    return system, len(bodies)


def _bodies(fmu: Fmu) -> Iterator[tuple[str, tuple[str, str, dict[str, float]]]]:
    """Yields the ports that need a partner, each with its partner."""
    from coupling.fmus.ports import needs_partner

    for terminal in fmu.terminals.values():
        partner = _PARTNERS.get(terminal.kind.removeprefix("org.jourdain."))
        if partner is not None and needs_partner(fmu, terminal):
            yield terminal.name, partner


def run(path: Path, kind: str, options: dict[str, Any], start_values: dict[str, float | str]) -> dict[str, Any]:
    """Returns how the run ended, of the first of the trials that does not fail, or else of the last one."""
    from coupling.options import Isolation

    isolation = Isolation(which="foreign", call_timeout=_CALL_TIMEOUT)
    said: dict[str, Any] = {}
    for system, initial in trials_of(path, kind):
        named = {f"{next(iter(system.instances))}.{name}": value for name, value in start_values.items()}
        try:
            result = system.simulate(initial=initial, start_values=named, **{"isolate": isolation, **options})
        except (ValueError, LookupError, ImportError, RuntimeError, OSError) as error:
            said = {"ending": "REFUSED", "sentence": str(error), "warnings": [], "rows": 0}
        else:
            outcome = result.outcome
            said = {"ending": outcome.ending.name, "sentence": outcome.sentence, "warnings": list(outcome.warnings), "rows": len(result)}
        said["bodies"] = [name.removeprefix("at_") for name in list(system.instances)[1:]]
        if said["ending"] in ENDINGS:
            break
    return said


ENDINGS = ("COMPLETED", "TERMINATED")
"""Endings with which a trial passes: an FMU may wish to end a run."""

if __name__ == "__main__":
    file, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
    print(json.dumps(run(file, asked["kind"], asked["options"], asked["start_values"])))
