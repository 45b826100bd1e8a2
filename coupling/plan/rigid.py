"""Rigid couplings: the joint that makes two instances move as one, and its wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from coupling.errors import BuildError, listed, shown
from coupling.fmus import Fmu
from coupling.names import resolve
from coupling.plan.connections import find_end


@dataclass(frozen=True)
class _Kind:
    component: str
    offset: str | None
    """Parameter that holds by how much the second is ahead; None where none does."""
    members: Mapping[str, str]
    """Names of its ports' members by the users' names."""


_KINDS = {
    "rotational": _Kind("mechanical1d.RigidShaft", "offset", {"angle": "phi", "speed": "w", "torque": "tau", "acceleration": "a"}),
    "translational": _Kind("mechanical1d.RigidRod", "length", {"position": "s", "velocity": "v", "force": "f", "acceleration": "a"}),
    "planar": _Kind("planar.Weld", None, {}),
}


def is_rigid(fmu: Fmu) -> bool:
    """Says whether an FMU is a joint that couples rigidly."""
    return any(fmu.model_name == kind.component for kind in _KINDS.values())


@dataclass(frozen=True)
class Rigid:
    """A joint and its wires: a port or variable of the joint, and what is connected with it."""

    component: str
    offset: str | None
    wires: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]
    """Inputs of the joint that nothing gives."""


def rigid_coupling(a: str | Mapping[str, str], b: str | Mapping[str, str], fmus: Mapping[str, Fmu]) -> Rigid:
    """Returns the joint and the wires that couple two instances rigidly."""
    refused = f"{_named(a)} and {_named(b)} cannot be coupled rigidly: "
    kinds = [_kind_of(each, fmus, refused) for each in (a, b)]
    if kinds[0] != kinds[1]:
        raise BuildError(f"{refused}the first is {kinds[0]}, the second {kinds[1]}; couple two of the same kind")
    ends = [each if isinstance(each, str) else next(iter(each.values())) for each in (a, b)]
    owners = [resolve(end, fmus)[0] for end in ends]
    if ends[0] == ends[1] or (not isinstance(a, str) and not isinstance(b, str) and owners[0] == owners[1]):
        raise BuildError(f"{refused}both are '{ends[0] if ends[0] == ends[1] else owners[0]}'; couple two different instances")
    kind = _KINDS[kinds[0]]
    wires: list[tuple[str, str]] = []
    unknown: list[str] = []
    for port, each in (("M", a), ("N", b)):
        if isinstance(each, str):
            wires.append((port, each))
            continue
        wires += [(f"{port}.{kind.members[key]}", variable) for key, variable in each.items()]
        if "acceleration" not in each:
            unknown.append(f"{port}.{kind.members['acceleration']}")
    return Rigid(kind.component, kind.offset, tuple(wires), tuple(unknown))


def _named(each: str | Mapping[str, str]) -> str:
    return repr(each) if isinstance(each, str) else shown(each)


def _kind_of(each: str | Mapping[str, str], fmus: Mapping[str, Fmu], refused: str) -> str:
    if isinstance(each, str):
        end = find_end(each, fmus, refused)
        kind = end.terminal.kind.removeprefix("org.jourdain.") if end.terminal else ""
        if kind not in _KINDS:
            what = f"a port of kind {kind or 'unnamed'}" if end.terminal else "a variable"
            raise BuildError(
                f"{refused}'{each}' is {what}; give a rotational, translational or planar port, or the names of variables, such as "
                "{'angle': 'engine.phi', 'speed': 'engine.w', 'torque': 'engine.tau'}"
            )
        return kind
    if isinstance(each, Mapping) and all(isinstance(v, str) for v in each.values()):
        instances = list(dict.fromkeys(resolve(v, fmus)[0] for v in each.values()))
        for variable in each.values():
            find_end(variable, fmus, refused)
        if len(instances) > 1:
            raise BuildError(f"{refused}'{instances[0]}' and '{instances[1]}' are two instances on one side; name variables of one")
        for name, candidate in _KINDS.items():
            needed = set(candidate.members) - {"acceleration"}
            if needed and needed <= set(each) <= set(candidate.members):
                return name
    if isinstance(each, Mapping):
        for known in _KINDS.values():
            wanted = [key for key in known.members if key != "acceleration"]
            if wanted and any(key in each for key in wanted):
                missing = [key for key in wanted if key not in each]
                odd = [key for key in each if key not in known.members]
                what = f"lacks {listed(missing)}" if missing else f"has {listed(odd)}, which means nothing here"
                raise BuildError(f"{refused}one side {what}; it takes {listed(wanted)} and, where there is one, 'acceleration'")
    choices = " or ".join(listed(k for k in known.members if k != "acceleration") for known in _KINDS.values() if known.members)
    raise BuildError(f"{refused}{shown(each)} names neither a port nor {choices} (and, where there is one, acceleration)")
