"""The way from a user's connections to the wires between variables, with everything checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coupling.errors import BuildError, listed, with_article
from coupling.fmus import Fmu, FmuVariable, Terminal, Unit, same_dimension, same_unit
from coupling.fmus.ports import OWN_KINDS, adds, described, gives, is_member, needed, needs_partner, partners, takes
from coupling.fmus.start_values import check_value, item_of
from coupling.fmus.views import subscripts
from coupling.names import either, nearest, resolve
from coupling.plan.definition import Name, Transformation
from coupling.plan.drives import ConstantDrive, Drive, FormulaDrive, FunctionDrive, SplineDrive, TableDrive, TextDrive
from coupling.plan.instances import actuated
from coupling.plan.types import refusal_of


@dataclass(frozen=True)
class End:
    """An end of a connection: a port or a variable of an instance."""

    text: str
    instance: str
    fmu: Fmu
    terminal: Terminal | None
    variable: FmuVariable | None
    array: FmuVariable | None = None
    """Array as a whole."""

    @property
    def elements(self) -> list[End]:
        """The elements of an array; empty for all other ends."""
        if self.array is None:
            return []
        names = (f"{self.array.name}{each}" for each in subscripts(self.array.dimensions))
        return [replace(self, text=f"{self.instance}.{each}", variable=self.fmu.variables[each], array=None) for each in names]


def find_end(text: str, fmus: Mapping[str, Fmu], purpose: str = "", inputs: bool = False) -> End:
    """Returns the end that a user's name means; ``purpose`` begins the sentence that refuses it. It suggests ``inputs`` alone if only these
    are wanted."""
    instance, rest = resolve(text, fmus)
    if instance not in fmus:
        raise BuildError(f"{purpose}there is no instance '{instance}'; {_instance_hint(text, fmus)}")
    fmu = fmus[instance]
    if text == instance:
        raise BuildError(f"{purpose}'{text}' is an instance; name one of its ports or variables, such as '{_example(instance, fmu)}'")
    terminal, variable, array = fmu.terminals.get(rest), fmu.variables.get(rest), fmu.arrays.get(rest)
    if terminal is None and variable is None and array is None:
        known = [name for name, v in fmu.variables.items() if not inputs or v.causality == "input" or prescribed(fmu, v)]
        known = known if inputs else [*fmu.terminals, *fmu.arrays, *known]
        hint = nearest(rest, known, prefix=f"{instance}.") or _choice(fmu, inputs)
        if rest == "effort" and (twin := actuated(fmu)):
            hint = f"'{twin}' is this joint with an actuator, and has it"
        raise BuildError(f"{purpose}'{instance}' ({fmu.model_name}) has no port or variable '{rest}'; {hint}")
    if terminal and variable and [*terminal.members.values()] == [variable.name]:
        terminal = None  # OpenModelica writes a terminal for each RealInput and RealOutput, by the name of its variable
    return End(text, instance, fmu, terminal, variable, array)


def _choice(fmu: Fmu, inputs: bool = False) -> str:
    """Returns the names that the user can choose from."""
    if inputs:
        own = [name for name, v in fmu.variables.items() if v.causality == "input" and not solved_for(fmu, v) and not is_member(fmu, name)]
        return f"its inputs are {listed(own)}" if own else "it has no inputs beside those of its ports"
    if fmu.terminals:
        return f"its ports are {listed(fmu.terminals)}"
    connected = [v.name for v in fmu.variables.values() if v.causality in ("input", "output")]
    variables = connected or [v.name for v in fmu.variables.values() if v.causality != "independent"]
    return f"it has no ports; its {'inputs and outputs' if connected else 'variables'} are {listed(variables) or 'none'}"


def _instance_hint(text: str, fmus: Mapping[str, Fmu]) -> str:
    if not fmus:
        return "the system is empty; add instances first"
    forgotten = [f"{instance}.{text}" for instance, fmu in fmus.items() if text in fmu.variables or text in fmu.terminals]
    if forgotten:
        return f"did you mean {either(list(map(repr, forgotten[:3])))}?"
    return nearest(resolve(text, fmus)[0], fmus) or f"the instances are {listed(fmus)}"


def wires_of(
    fmus: Mapping[str, Fmu],
    pairs: Iterable[tuple[str, str]],
    drives: Mapping[Name, Drive],
    complete: bool = True,
    transformations: Iterable[Transformation] = (),
) -> dict[Name, list[Name]]:
    """Returns the sources of every connected input. If the system is ``complete``, no port that needs a partner may be open.

    Only connections with ``transformations`` may join different quantities.
    """
    asked = {each.connection: each for each in transformations}
    wires: dict[Name, list[Name]] = {}
    taken: dict[tuple[str, str, int], str] = {}
    """Sources that feed an input already, by instance, type and value reference, which aliases share."""
    joined: set[frozenset[str]] = set()
    for instance, name in drives:
        key = _key(fmus, (instance, name))
        if key in taken:
            raise BuildError(f"the input '{instance}.{name}' has two sources, {taken[key]} and its own drive; keep one of them")
        taken[key] = f"the drive of '{instance}.{name}'"
    for pair in pairs:
        a, b, carried = connected(fmus, pair, asked.get(pair))
        if frozenset(pair) in joined:
            raise BuildError(f"'{a.text}' and '{b.text}' are connected twice; leave one connection out")
        joined.add(frozenset(pair))
        for source, target, added in carried:
            key, known = _key(fmus, target), wires.setdefault(target, [])
            if key in taken and not added:
                raise BuildError(
                    f"the input '{'.'.join(target)}' has two sources, {taken[key]} and '{'.'.join(source)}'; keep one of them"
                    + ("" if is_member(fmus[target[0]], target[1]) else _SUM)
                )
            if source in known:
                raise BuildError(
                    f"'{'.'.join(source)}' is connected with '{'.'.join(target)}' twice, the second time by '{a.text}' and '{b.text}'; "
                    "leave one connection out"
                )
            known.append(source)
            taken[key] = f"'{'.'.join(source)}'"
    if complete:
        _check_open_ports(fmus, wires, drives)
    return wires


def check_ends(pair: tuple[str, str], fmus: Mapping[str, Fmu], asked: Transformation | None) -> None:
    """Refuses a connection whose ends never fit. An instance that does not exist yet may be added later."""
    known = [text for text in pair if resolve(text, fmus)[0] in fmus]
    if len(known) == 2:
        connected(fmus, pair, asked)
    elif known:
        find_end(known[0], fmus, f"'{pair[0]}' cannot be connected with '{pair[1]}': ")


def connected(
    fmus: Mapping[str, Fmu], pair: tuple[str, str], asked: Transformation | None
) -> tuple[End, End, list[tuple[Name, Name, bool]]]:
    """Returns the ends of a connection and the values that it carries. Ends that never fit raise BuildError."""
    a, b = (find_end(text, fmus, f"'{pair[0]}' cannot be connected with '{pair[1]}': ") for text in pair)
    if a.text == b.text:
        raise BuildError(f"'{a.text}' is connected with itself; connect it with another port or variable")
    carried = values_between(a, b)
    for source, target, _ in carried:
        _check_pair(source, target, fmus, asked or _UNCHANGED)
    return a, b, carried


_UNCHANGED = Transformation(("", ""))
_SUM = ", or add them by a signal.Sum: only efforts at ports add up by themselves, signals do not"


def _key(fmus: Mapping[str, Fmu], name: Name) -> tuple[str, str, int]:
    variable = fmus[name[0]].variables[name[1]]
    return name[0], variable.type, variable.reference


def values_between(a: End, b: End) -> list[tuple[Name, Name, bool]]:
    """Returns the values that a connection carries: source, target, and True if the target adds its sources up."""
    if a.terminal and b.terminal:
        return _joined_ports(a, a.terminal, b, b.terminal)
    if a.terminal or b.terminal:
        port, other = (a, b) if a.terminal else (b, a)
        member = next(iter(port.terminal.members.values()), "...") if port.terminal else "..."
        raise BuildError(
            f"'{port.text}' is a port but '{other.text}' a variable; connect two ports, or two variables such as "
            f"'{port.instance}.{member}' and '{other.text}'"
        )
    if a.array or b.array:
        return _joined_arrays(a, b)
    assert a.variable and b.variable
    if (a.variable.causality == "input") == (b.variable.causality == "input"):
        raise BuildError(
            f"'{a.text}' is {_causality(a.variable)} and '{b.text}' is {_causality(b.variable)}; connect an output with an input"
        )
    source, target = (b, a) if a.variable.causality == "input" else (a, b)
    assert source.variable and target.variable
    return [((source.instance, source.variable.name), (target.instance, target.variable.name), adds(target.fmu, target.variable.name))]


def _joined_arrays(a: End, b: End) -> list[tuple[Name, Name, bool]]:
    """Returns the values between two arrays of the same size, element by element."""
    sizes = [" x ".join(map(str, end.array.dimensions)) if end.array else "" for end in (a, b)]
    if sizes[0] != sizes[1]:
        what = [f"'{end.text}' is {f'an array of {size}' if size else 'a scalar'}" for end, size in zip((a, b), sizes, strict=True)]
        example = next(iter((a if a.array else b).elements), None)
        one = f", or single elements, such as '{example.text}'" if example else ""
        raise BuildError(f"{what[0]} and {what[1]}; connect arrays of the same size{one}")
    return [value for of_a, of_b in zip(a.elements, b.elements, strict=True) for value in values_between(of_a, of_b)]


def _causality(variable: FmuVariable) -> str:
    return {"local": "a local variable", "independent": "the time", "calculatedParameter": "a calculated parameter"}.get(
        variable.causality, with_article(variable.causality)
    )


def _joined_ports(a: End, port_a: Terminal, b: End, port_b: Terminal) -> list[tuple[Name, Name, bool]]:
    sides = f"'{a.text}' ({described(a.fmu, port_a)}) and '{b.text}' ({described(b.fmu, port_b)})"
    if port_a.kind != port_b.kind:
        raise BuildError(f"{sides} are ports of different kinds; connect ports of the same kind")
    matched = partners(port_a, port_b)
    if matched is None:
        odd = sorted(set(port_a.members) ^ set(port_b.members)) or ["their number"]
        raise BuildError(f"{sides} do not match: {', '.join(odd)} in one of them only; connect their variables one by one")
    result = []
    gives_a, gives_b = gives(a.fmu, port_a), gives(b.fmu, port_b)
    for mine, its in matched:
        given_by_a, given_by_b = mine in gives_a, its in gives_b
        if given_by_a == given_by_b:
            raise BuildError(f"{sides} are on the same side: both {_remedy(port_a, mine, given_by_a)}")
        of_a, of_b = (a.instance, port_a.members[mine]), (b.instance, port_b.members[its])
        added = (its if given_by_a else mine) in (port_b if given_by_a else port_a).added
        result.append((of_a, of_b, added) if given_by_a else (of_b, of_a, added))
    return result


_BETWEEN = {
    "planar": ("planar.Revolute or planar.Weld", "planar.Body2"),
    "spatial": ("spatial.Revolute or spatial.Weld", "spatial.Body2"),
    "rotational": ("mechanical1d.RigidShaft", "mechanical1d.Inertia"),
    "translational": ("mechanical1d.RigidRod", "mechanical1d.Mass"),
    "hydraulic": ("hydraulic.Orifice", "hydraulic.Volume"),
    "electrical": ("electrical.Resistor", "electrical.Capacitor"),
    "pneumatic": ("pneumatic.Restrictor", "pneumatic.Volume"),
    "thermal": ("thermal.Conductor", "thermal.Capacity"),
}
"""Components between two ports of a kind: between two that give motion, pressure or voltage, and between two that take it."""


def _remedy(port: Terminal, member: str, given: bool) -> str:
    """Returns what two ports on one side do, and what connects them; ``given``: both give the member."""
    verb, need = ("give", "take") if given else ("take", "give")
    moving = given is (member not in port.added)
    between = _BETWEEN.get(port.kind.removeprefix(OWN_KINDS))
    named = f", such as {between[not moving]}" if between else ""
    return f"{verb} {member}; put a component between them whose ports {need} it{named}"


def _check_pair(source: Name, target: Name, fmus: Mapping[str, Fmu], asked: Transformation) -> None:
    a, b = (fmus[instance].variables[name] for instance, name in (source, target))
    refused = f"'{'.'.join(source)}' and '{'.'.join(target)}' cannot be connected: "
    if solved_for(fmus[target[0]], b):
        raise BuildError(f"{refused}the second is an algebraic variable, which the master solves for; leave it open")
    why = refusal_of(a, b, asked.convert)
    if why:
        raise BuildError(f"{refused}{why}")
    if a.type == "real" and a.variability == "continuous" and b.variability != "continuous":
        raise BuildError(
            f"{refused}the first is continuous, the second {b.variability}, and changes at events only; put a sampler between them"
        )
    if asked.changes or not (a.unit and b.unit) or (a.unit == b.unit and fmus[source[0]] is fmus[target[0]]):
        return
    units = [_unit(fmus[source[0]], a), _unit(fmus[target[0]], b)]
    if same_unit(*units) or same_dimension(*units):
        return
    undefined = [
        f"'{'.'.join(name)}'" for name, unit in zip((source, target), units, strict=True) if unit is None or unit.exponents is None
    ]
    remedy = f"define the unit of {' and '.join(undefined)} in the FMU, or connect" if undefined else "connect"
    raise BuildError(f"{refused}the first is in {a.unit}, the second in {b.unit}; {remedy} variables of one quantity")


def solved_for(fmu: Fmu, variable: FmuVariable) -> bool:
    """Says whether a variable is one that the FMU leaves to the importer; in FMI 2 these are inputs."""
    return fmu.dae is not None and variable.type == "real" and variable.reference in fmu.dae.algebraic


def prescribed(fmu: Fmu, variable: FmuVariable) -> bool:
    """Says whether an algebraic variable may be driven: the acceleration of a joint's freedom, whose effort then follows."""
    return solved_for(fmu, variable) and variable.name.rpartition(".")[2] == "qdd"


def _unit(fmu: Fmu, variable: FmuVariable) -> Unit | None:
    return fmu.units.get(variable.unit) if variable.unit else None


def _check_open_ports(fmus: Mapping[str, Fmu], wires: Mapping[Name, Sequence[Name]], drives: Mapping[Name, Drive]) -> None:
    needy: dict[Fmu, list[tuple[Terminal, dict[str, str]]]] = {}
    for fmu in dict.fromkeys(fmus.values()):
        needy[fmu] = [(port, needed(fmu, port)) for port in fmu.terminals.values() if needs_partner(fmu, port)]
    for instance, fmu in fmus.items():
        for port, members in needy[fmu]:
            names = [(instance, variable) for variable in members.values()]
            missing = next((name for name in names if name not in wires and name not in drives), None)
            if missing:
                kind = port.kind.removeprefix("org.jourdain.")
                raise BuildError(
                    f"the port '{instance}.{port.name}' of {fmu.model_name} is not connected: nothing gives '{'.'.join(missing)}'; "
                    f"connect it with {with_article(kind)} port that gives {', '.join(members)}"
                )


def check_drive(text: str, fmus: Mapping[str, Fmu], drive: Drive) -> Name:
    """Returns the input that a drive is meant for."""
    refused = f"'{text}' cannot be driven: "
    end = find_end(text, fmus, refused, inputs=True)
    variable = end.variable
    if end.array is not None:
        example = next((each.text for each in end.elements), "")
        raise BuildError(
            f"{refused}it is an array; drive its elements"
            + (f", such as '{example}', or add its instance before you drive it" if example else ", of which it has none")
        )
    if variable is None:
        members = listed(f"{text}.{member}" for member in (takes(end.fmu, end.terminal) if end.terminal else ()))
        raise BuildError(f"{refused}it is a port; " + (f"drive one of its inputs: {members}" if members else "it has no inputs"))
    free = prescribed(end.fmu, variable)
    if variable.causality != "input" and not free:
        remedy = "set it by a start value" if variable.causality == "parameter" else "drive an input"
        raise BuildError(f"{refused}it is {_causality(variable)}; {remedy}")
    if solved_for(end.fmu, variable) and not free:
        raise BuildError(f"{refused}it is an algebraic variable, which the master solves for; leave it open")
    if variable.type == "clock":
        raise BuildError(f"{refused}it is a Clock, which ticks and has no value; leave it open")
    if isinstance(drive, FunctionDrive | FormulaDrive | SplineDrive):
        if variable.variability != "continuous":
            raise BuildError(f"{refused}it is {variable.variability} and changes at events only; drive it by a constant or a table")
    elif isinstance(drive, ConstantDrive | TextDrive):
        for given in {drive.value} if isinstance(drive, ConstantDrive) else set(drive.texts):
            check_value(text, variable, item_of(text, variable, given))
    elif isinstance(drive, TableDrive):
        values = np.unique(drive.values)
        for value in values[[0, -1]] if variable.type == "real" else values:
            check_value(text, variable, float(value))
    return end.instance, variable.name


def is_start_value(fmus: Mapping[str, Fmu], target: Name, fed: Mapping[Name, object]) -> bool:
    """Says whether a constant that drives an input is only its start value: nothing else feeds the input, nor does the master solve for
    it."""
    return target not in fed and not solved_for(fmus[target[0]], fmus[target[0]].variables[target[1]])


def _example(instance: str, fmu: Fmu) -> str:
    names = [*fmu.terminals, *(v.name for v in fmu.variables.values() if v.causality in ("output", "input"))]
    return f"{instance}.{names[0] if names else 'x'}"
