"""From what a user connects to which value goes where, with everything checked on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coupling.drives import Constant, Drive
from coupling.fmu import Fmu, Terminal, Unit, Variable, same_unit
from coupling.names import nearest
from coupling.ports import ADDED, described, gives, needs_partner, takes

Name = tuple[str, str]
"""An instance and a variable of it."""


class BuildError(ValueError):
    """A system that cannot be built, or run as asked; the text says why, and what to do."""


@dataclass(frozen=True)
class End:
    """One end of a connection: a port or a variable of an instance."""

    text: str
    instance: str
    fmu: Fmu
    terminal: Terminal | None
    variable: Variable | None


def find_end(text: str, fmus: Mapping[str, Fmu]) -> End:
    """What a user's name means."""
    instance, dot, rest = text.partition(".")
    if instance not in fmus:
        hint = nearest(instance, fmus) or (f"the instances are {_listed(fmus)}" if fmus else "the system is empty; add instances first")
        raise BuildError(f"'{text}': there is no instance '{instance}'; {hint}")
    fmu = fmus[instance]
    if not dot:
        raise BuildError(f"'{text}' names an instance; name one of its ports or variables too, such as '{_example(instance, fmu)}'")
    terminal, variable = fmu.terminals.get(rest), fmu.variables.get(rest)
    if terminal is None and variable is None:
        hint = nearest(rest, [*fmu.terminals, *fmu.variables]) or f"its ports are {_listed(fmu.terminals) or 'none'}"
        raise BuildError(f"'{text}': '{instance}' ({fmu.model_name}) has no port or variable '{rest}'; {hint}")
    return End(text, instance, fmu, terminal, variable)


def wires_of(fmus: Mapping[str, Fmu], pairs: Iterable[tuple[str, str]], drives: Mapping[Name, Drive]) -> dict[Name, list[Name]]:
    """The sources of every connected input."""
    wires: dict[Name, list[Name]] = {}
    said: dict[Name, str] = {name: f"the drive of '{'.'.join(name)}'" for name in drives}
    joined: set[frozenset[str]] = set()
    for pair in pairs:
        a, b = (find_end(text, fmus) for text in pair)
        if frozenset(pair) in joined or a.text == b.text:
            raise BuildError(f"'{a.text}' and '{b.text}' are connected twice; leave one connection out" if a.text != b.text
                              else f"'{a.text}' is connected with itself; connect it with another instance")
        joined.add(frozenset(pair))
        for source, target, adds in _values(a, b):
            _check_pair(source, target, fmus)
            known = wires.setdefault(target, [])
            if (known or target in drives) and not adds:
                raise BuildError(
                    f"the input '{'.'.join(target)}' has two sources, {said[target]} and '{'.'.join(source)}'; "
                    "keep one of them, or add their values in a component of its own"
                )
            known.append(source)
            said[target] = f"'{'.'.join(source)}'"
    _check_open_ports(fmus, wires, drives)
    return wires


def _values(a: End, b: End) -> list[tuple[Name, Name, bool]]:
    """The values that a connection carries: source, target, and whether the target adds its sources up."""
    if a.terminal and b.terminal:
        return _joined_ports(a, a.terminal, b, b.terminal)
    if a.terminal or b.terminal:
        port, other = (a, b) if a.terminal else (b, a)
        raise BuildError(
            f"'{port.text}' is a port but '{other.text}' a variable; connect two ports, or two variables such as "
            f"'{port.text}.{next(iter(port.terminal.members), '...') if port.terminal else ''}' and '{other.text}'"
        )
    assert a.variable and b.variable
    if a.variable.causality == b.variable.causality == "input" or "input" not in (a.variable.causality, b.variable.causality):
        raise BuildError(
            f"'{a.text}' is {_article(a.variable.causality)} and '{b.text}' is {_article(b.variable.causality)}; "
            "connect an output with an input"
        )
    source, target = (b, a) if a.variable.causality == "input" else (a, b)
    assert source.variable and target.variable
    return [((source.instance, source.variable.name), (target.instance, target.variable.name), _adds(target.fmu, target.variable.name))]


def _joined_ports(a: End, port_a: Terminal, b: End, port_b: Terminal) -> list[tuple[Name, Name, bool]]:
    sides = f"'{a.text}' ({described(a.fmu, port_a)}) and '{b.text}' ({described(b.fmu, port_b)})"
    if port_a.kind != port_b.kind:
        raise BuildError(f"{sides} are ports of different kinds; connect ports of the same kind")
    if set(port_a.members) != set(port_b.members):
        odd = sorted(set(port_a.members) ^ set(port_b.members))
        raise BuildError(f"{sides} have different members: {', '.join(odd)} in one of them only; connect their variables one by one")
    result = []
    for end, port, other, partner in ((a, port_a, b, port_b), (b, port_b, a, port_a)):
        taken = takes(other.fmu, partner)
        for member, name in gives(end.fmu, port).items():
            if member not in taken:
                raise BuildError(
                    f"{sides} are on the same side: both give {member}; connect a port that gives it with one that takes it"
                )
            result.append(((end.instance, name), (other.instance, taken[member]), member in ADDED.get(port.kind, ())))
        missing = [m for m in takes(end.fmu, port) if m not in gives(other.fmu, partner)]
        if missing:
            raise BuildError(
                f"{sides} are on the same side: both take {missing[0]}; connect a port that takes it with one that gives it"
            )
    return result


def _adds(fmu: Fmu, name: str) -> bool:
    """Whether an input is one that adds up what several give: a member such as a force of a port that has it."""
    return any(
        variable == name and member in ADDED.get(port.kind, ())
        for port in fmu.terminals.values()
        for member, variable in port.members.items()
    )


def _check_pair(source: Name, target: Name, fmus: Mapping[str, Fmu]) -> None:
    a, b = (fmus[instance].variables[name] for instance, name in (source, target))
    ends = f"'{'.'.join(source)}' and '{'.'.join(target)}'"
    if a.dimensions or b.dimensions:
        odd = source if a.dimensions else target
        raise BuildError(f"'{'.'.join(odd)}' is an array, which cannot be connected; export its elements as scalar variables")
    if {a.type, b.type} - {"real", "integer", "boolean"} or a.type != b.type:
        raise BuildError(
            f"{ends} cannot be connected: the first is {_article(a.fmi_type)}, the second {_article(b.fmi_type)}; "
            "connect variables of the same type: reals, integers or Booleans"
        )
    if a.type == "real" and a.variability == "continuous" and b.variability != "continuous":
        raise BuildError(
            f"{ends} cannot be connected: the first is continuous, the second {b.variability}, and changes at events only; "
            "put a sampler between them"
        )
    units = [_unit(fmus[instance], v) for (instance, _), v in ((source, a), (target, b))]
    if a.unit and b.unit and not same_unit(*units):
        raise BuildError(f"{ends} cannot be connected: the first is in {a.unit}, the second in {b.unit}; convert the value between them")


def _unit(fmu: Fmu, variable: Variable) -> Unit | None:
    return fmu.units.get(variable.unit) if variable.unit else None


def _check_open_ports(fmus: Mapping[str, Fmu], wires: Mapping[Name, Sequence[Name]], drives: Mapping[Name, Drive]) -> None:
    for instance, fmu in fmus.items():
        for terminal in fmu.terminals.values():
            if not needs_partner(fmu, terminal):
                continue
            open_now = [
                name
                for member, name in takes(fmu, terminal).items()
                if member not in ADDED[terminal.kind] and (instance, name) not in wires and (instance, name) not in drives
            ]
            if open_now:
                kind = terminal.kind.removeprefix("org.jourdain.")
                raise BuildError(
                    f"the port '{instance}.{terminal.name}' of {fmu.model_name} is not connected: nothing gives '{instance}.{open_now[0]}'; "
                    f"connect it with a {kind} port that gives {', '.join(m for m in takes(fmu, terminal))}"
                )


def check_drive(text: str, fmus: Mapping[str, Fmu], drive: Drive) -> Name:
    """The input that a drive is meant for."""
    end = find_end(text, fmus)
    if end.variable is None:
        members = ", ".join(f"'{text}.{m}'" for m in (takes(end.fmu, end.terminal) if end.terminal else ()))
        raise BuildError(f"'{text}' is a port, which cannot be driven; drive one of its inputs: {members}")
    if end.variable.causality != "input":
        raise BuildError(f"'{text}' is {_article(end.variable.causality)}, which cannot be driven; drive an input")
    if end.variable.dimensions or end.variable.type not in ("real", "integer", "boolean"):
        raise BuildError(f"'{text}' is {_article(end.variable.fmi_type)}, which cannot be driven; drive a real, an integer or a Boolean")
    if not isinstance(drive, Constant) and end.variable.variability != "continuous":
        raise BuildError(f"'{text}' is {end.variable.variability} and changes at events only; drive it by a constant, or by an FMU with events")
    return end.instance, end.variable.name


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'AEIOUaeiou' else 'a'} {word}"


def _listed(names: Iterable[str], limit: int = 8) -> str:
    items = [f"'{name}'" for name in names]
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def _example(instance: str, fmu: Fmu) -> str:
    names = [*fmu.terminals, *(v.name for v in fmu.variables.values() if v.causality == "output")]
    return f"{instance}.{names[0]}" if names else f"{instance}.x"
