"""Choice of ports, outputs and parameters of the exported FMU: from the user's names to checked variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from coupling.checks import names_in
from coupling.errors import BuildError, listed, shown, with_article
from coupling.fmus import Fmu, FmuVariable, Structure
from coupling.fmus.ports import adds, takes
from coupling.names import matches, nearest, resolve
from coupling.plan.connections import find_end, prescribed, solved_for
from coupling.plan.definition import Name
from coupling.plan.projection import stabilisation_parameters
from coupling.plan.rates import original_of, rates_of


@dataclass
class Choice:
    """Variables that the FMU shows beside those of every FMU."""

    inputs: list[Name] = field(default_factory=list)
    """Inputs in the order of the user's names; a port brings all inputs that it takes."""
    ports: list[Name] = field(default_factory=list)
    """The ports among them, by instance and name."""
    outputs: list[Name] = field(default_factory=list)
    """Outputs, with those of opened ports first."""
    parameters: set[Name] = field(default_factory=set)
    left_out: bool = False
    """True if the user has chosen among the parameters."""
    constants: set[Name] = field(default_factory=set)
    """Inputs with a value of their own and no other source; they are as good as parameters."""


def choose(
    fmus: Mapping[str, Fmu],
    connected: Iterable[Name],
    driven: Iterable[Name],
    given: Iterable[Name],
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    parameters: Sequence[str] | None,
    projected: bool,
) -> Choice:
    """Returns the choice. ``connected`` inputs are fed by a connection, ``driven`` ones have a drive, and ``given`` ones have a constant
    value."""
    choice = Choice()
    for text in _names("inputs", inputs):
        _open(text, fmus, set(connected), set(driven), choice)
    _open_rates(fmus, {*connected, *driven}, choice)
    states = [(instance, fmu.by_reference[r].name) for instance, fmu in fmus.items() for r in fmu.states]
    hidden = {fmu: _without_effect(fmu, projected) for fmu in fmus.values()}
    wanted = states if outputs is None else _chosen("outputs", outputs, _shown(fmus), fmus, hidden)
    choice.outputs = list(dict.fromkeys([*choice.outputs, *wanted]))
    fed = {*connected, *choice.inputs}
    free = {(i, v.name) for i, fmu in fmus.items() for v in fmu.variables.values() if v.causality == "input" and not solved_for(fmu, v)}
    choice.constants = (free & set(given)) - fed
    everything = [
        (i, v.name)
        for i, fmu in fmus.items()
        for v in fmu.variables.values()
        if (v.causality == "parameter" and v.reference not in hidden[fmu]) or (i, v.name) in choice.constants
    ]
    choice.left_out = parameters is not None
    choice.parameters = set(everything if parameters is None else _chosen("parameters", parameters, everything, fmus, hidden))
    return choice


def _why_not(fmu: Fmu, variable: FmuVariable, hidden: Set[int]) -> str:
    if fmu.dae and variable.reference in fmu.dae.algebraic:
        value = "'acceleration' beside it" if prescribed(fmu, variable) else "the output 'multiplier' of the same number"
        return f"it is solved for inside, and its value is {value}"
    if variable.reference in hidden or variable.causality == "structuralParameter":
        return "it has no effect in an exported mechanism, where the multipliers are solved for or the constraints are projected"
    return "it is a state" if variable.reference in fmu.states else f"it is {with_article(variable.causality)}"


def _without_effect(fmu: Fmu, projected: bool) -> set[int]:
    """Returns parameters without any effect if the multipliers are solved for, and the switch itself; those of the stabilisation too if
    states are projected."""
    if fmu.dae is None:
        return set()
    stabilising = {fmu.variables[name].reference for name in stabilisation_parameters(fmu.variables)} if projected else set()

    def used(lists: Structure) -> set[int]:
        return {known for u in (*lists.outputs, *lists.derivatives, *lists.residuals) for known, _ in u.dependencies or ()}

    switch = {fmu.dae.switch} if fmu.dae.switch is not None else set()
    return (used(fmu.structure) - used(fmu.dae.structure)) | switch | stabilising


def _names(what: str, given: Sequence[str] | None) -> list[str]:
    names = [] if given is None else names_in(given)
    if names is None:
        raise BuildError(f"{what} = {shown(given)} is refused: give a list of names, such as ['rod.p2', 'motor.tau']")
    return names


def _open(text: str, fmus: Mapping[str, Fmu], connected: set[Name], driven: set[Name], choice: Choice) -> None:
    refused = f"inputs: '{text}' cannot be opened: "
    end = find_end(text, fmus, refused)
    if end.terminal is None:
        assert end.variable
        if (end.variable.causality != "input" or solved_for(end.fmu, end.variable)) and not prescribed(end.fmu, end.variable):
            what = "a state" if end.variable.reference in end.fmu.states else with_article(end.variable.causality)
            raise BuildError(f"{refused}it is no input but {what}; name an input or a port")
        wanted = [end.variable.name]
        adding = set(wanted) if adds(end.fmu, end.variable.name) else set()
    else:
        taken = takes(end.fmu, end.terminal)
        wanted = list(taken.values())
        adding = {name for member, name in taken.items() if member in end.terminal.added}
        if (end.instance, end.terminal.name) in choice.ports:
            raise BuildError(f"{refused}it is named twice; leave one of the two out")
        choice.ports.append((end.instance, end.terminal.name))
        given = [(end.instance, name) for name in end.terminal.members.values() if name not in taken.values()]
        choice.outputs += [name for name in given if name not in choice.outputs]
    for variable in wanted:
        name = end.instance, variable
        if name in choice.inputs:
            raise BuildError(f"{refused}'{'.'.join(name)}' is named twice; leave one of the two out")
        if name in driven:
            raise BuildError(f"{refused}'{'.'.join(name)}' is driven already; leave its drive out")
        if name in connected and variable not in adding:
            raise BuildError(f"{refused}'{'.'.join(name)}' has a source already, and takes one only; open the port of another component")
        choice.inputs.append(name)


def _open_rates(fmus: Mapping[str, Fmu], fed: set[Name], choice: Choice) -> None:
    """Opens the rates of the inputs as well, since they would stay at 0 inside the FMU."""
    for instance, name in list(choice.inputs):
        original = original_of(fmus[instance], name)
        if original and (instance, original) not in {*fed, *choice.inputs}:
            raise BuildError(
                f"inputs: '{instance}.{name}' cannot be opened alone: it is a rate of '{instance}.{original}'; name that one, and its rates are opened as well"
            )
        rates = [(instance, rate) for rate in rates_of(fmus[instance], name)]
        choice.inputs += [rate for rate in rates if rate not in fed and rate not in choice.inputs]


def _shown(fmus: Mapping[str, Fmu]) -> list[Name]:
    """Returns the possible outputs: variables that are calculated, integrated or kept between events."""
    return [
        (instance, v.name)
        for instance, fmu in fmus.items()
        for v in fmu.variables.values()
        if v.causality in ("output", "local")
        and v.type in ("real", "integer", "boolean")
        and not v.name.startswith("der(")
        and not (fmu.dae and v.reference in fmu.dae.algebraic)
    ]


def _chosen(
    what: str, given: Sequence[str], possible: Sequence[Name], fmus: Mapping[str, Fmu], hidden: Mapping[Fmu, Set[int]]
) -> list[Name]:
    """Returns the chosen names, for names, instances, ports and patterns with ``*``."""
    texts = {".".join(name): name for name in possible}
    found: dict[Name, None] = {}
    for text in _names(what, given):
        instance, rest = resolve(text, fmus)
        port = fmus[instance].terminals.get(rest) if instance in fmus else None
        if text in texts:
            names = [texts[text]]
        elif "*" in text:
            names = [name for each, name in texts.items() if matches(each, text)]
        elif port is not None:
            names = [texts[name] for v in port.members.values() if (name := f"{instance}.{v}") in texts]
        else:
            names = [name for name in possible if name[0] == text]
        if not names:
            wrong = fmus[instance].variables.get(rest) if instance in fmus else None
            kind = _why_not(fmus[instance], wrong, hidden[fmus[instance]]) if wrong else "nothing of that name is one"
            hint = nearest(text, texts) or f"there are, among others, {listed(list(texts)[:3])}"
            raise BuildError(f"{what}: '{text}' cannot be chosen: {kind}; {hint}")
        found |= dict.fromkeys(names)
    return list(found)
