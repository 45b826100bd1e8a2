"""Dependencies in an FMU: its ordered lists of unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from coupling.fmus.errors import Source
from coupling.fmus.interface import Interface
from coupling.fmus.variables import FmuVariable

_MOST_INDICATORS = 1_000_000


@dataclass(frozen=True, slots=True)
class Unknown:
    """One entry of a list: a variable that the FMU computes, and the knowns on which it depends."""

    reference: int
    dependencies: tuple[tuple[int, str], ...] | None
    """Value references of knowns, with the kinds of the dependencies; None if nothing is declared: then the unknown depends on
    everything."""
    name: str = field(default="", compare=False)
    """The variable's name; empty for an event indicator of FMI 2, which is no variable."""
    knowns: tuple[str, ...] | None = field(default=None, compare=False)
    """The names of the dependencies: in FMI 2, variables of different types may have the same value reference."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The ordered lists of unknowns; that of the derivatives gives the order of the states as well."""

    outputs: tuple[Unknown, ...] = ()
    derivatives: tuple[Unknown, ...] = ()
    indicators: tuple[Unknown, ...] = ()
    residuals: tuple[Unknown, ...] = ()


def read_unknown(
    element: Element, key: str, variables: Mapping[int, FmuVariable], source: Source, notes: list[str] | None = None
) -> Unknown:
    """Returns an entry that refers to variables by the numbers in ``variables``: value references, or in FMI 2 places in the list.

    With ``notes``, a wrong number of kinds is noted there, and all dependencies count as general ones; otherwise it is an error.
    """
    unknown = referred(element.get(key), key, "an unknown of its model structure", variables, source)
    listed = element.get("dependencies")
    if listed is None:
        return Unknown(unknown.reference, None, unknown.name)
    knowns = [referred(word, key, f"a dependency of '{unknown.name}'", variables, source) for word in listed.split()]
    kinds = (element.get("dependenciesKind") or "dependent " * len(knowns)).split()
    if len(kinds) != len(knowns):
        wrong = f"lists {len(knowns)} dependencies of '{unknown.name}' ({listed}) but {len(kinds)} kinds ({' '.join(kinds)})"
        if notes is None:
            raise source.broken(wrong)
        section = "FMI 3.0, section 2.4.8" if key == "valueReference" else "FMI 2.0, section 2.2.8"
        notes.append(f"'{source.path}' {wrong}, which {section}, forbids: the kinds are ignored")
        kinds = ["dependent"] * len(knowns)
    pairs = tuple((known.reference, kind) for known, kind in zip(knowns, kinds, strict=True))
    return Unknown(unknown.reference, pairs, unknown.name, tuple(known.name for known in knowns))


def referred(
    number: str | None, key: str, what: str, variables: Mapping[int, FmuVariable], source: Source, wanted: str = "variable"
) -> FmuVariable:
    """Returns the variable of a number, which the file writes as its ``key``."""
    try:
        return variables[int(number or "")]
    except (KeyError, ValueError):
        said = "index" if key == "index" else "value reference"
        raise source.broken(f"refers to {what} by the {said} '{number or ''}', which no {wanted} has") from None


def read_structure(
    root: Element,
    version: int,
    listed: Sequence[FmuVariable],
    by_reference: Mapping[int, FmuVariable],
    model_exchange: Interface | None,
    co_simulation: Interface | None,
    source: Source,
    notes: list[str],
) -> Structure:
    """Returns the lists of the model description, in which outputs that it leaves out come last; adds notes on mistakes without effect."""
    if version < 3:
        key, numbered = "index", dict(enumerate(listed, 1))
        paths = {"outputs": "Outputs/Unknown", "derivatives": "Derivatives/Unknown"}
    else:
        key, numbered = "valueReference", dict(by_reference)
        paths = {"outputs": "Output", "derivatives": "ContinuousStateDerivative", "indicators": "EventIndicator"}
    # Both standards have these lists ignored where nothing can be done with them.
    if model_exchange is None:
        paths.pop("indicators", None)
        if co_simulation is None or not co_simulation.directional_derivatives:
            del paths["derivatives"]
    lists = {
        name: tuple(read_unknown(each, key, numbered, source, notes) for each in root.iterfind(f"ModelStructure/{path}"))
        for name, path in paths.items()
    }
    candidates = listed if version < 3 else by_reference.values()
    said = {unknown.name for unknown in lists["outputs"]}
    lists["outputs"] += tuple(Unknown(v.reference, None, v.name) for v in candidates if v.causality == "output" and v.name not in said)
    if version < 3 and model_exchange is not None:
        count = source.parsed(root.get("numberOfEventIndicators") or "0", int, "the number of event indicators")
        if not 0 <= count <= _MOST_INDICATORS:
            raise source.broken(f"declares {count} event indicators, and between 0 and {_MOST_INDICATORS} can be followed")
        lists["indicators"] = (Unknown(-1, None),) * count
    return Structure(**lists)


def states_of(structure: Structure, variables: Mapping[str, FmuVariable], source: Source) -> Iterator[int]:
    """Yields the value references of the continuous states, in the order of their derivatives. Refuses lists in which a state is missing or comes
    twice."""
    first: dict[str, str] = {}
    for unknown in structure.derivatives:
        state = variables[unknown.name].derivative
        if state is None:
            raise source.broken(f"lists '{unknown.name}' among the derivatives, but does not say of which state")
        other = first.setdefault(state, unknown.name)
        if other != unknown.name:
            raise source.broken(f"lists '{other}' and '{unknown.name}' as derivatives of the same state '{state}' in its ModelStructure")
        yield variables[state].reference


def notes_on_derivatives(states: Iterable[int], variables: Mapping[str, FmuVariable], source: Source) -> list[str]:
    """Returns a note on variables that are declared as derivatives of variables which are no states.

    The standards allow them, and forgotten states look the same.
    """
    integrated = set(states)
    others = [v for v in variables.values() if v.derivative is not None and v.causality != "output"]
    others = [v for v in others if not {v.reference, variables[v.derivative or ""].reference} & integrated]
    if not others:
        return []
    more = f", and {len(others) - 1} more" if len(others) > 1 else ""
    return [
        f"'{source.path}' calls '{others[0].name}' the derivative of '{others[0].derivative}'{more}, but lists no such state in its ModelStructure: "
        f"it is not integrated"
    ]
