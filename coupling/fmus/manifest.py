"""What depends on what in an FMU: the lists of unknowns, and the manifest of FMI-LS-DAE that replaces them while its mode is on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

if TYPE_CHECKING:
    from coupling.fmus.fmu import Variable

MANIFEST = "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"
_OLD_DRAFT = "fmiLayeredStandardManifest"


class FmuError(ValueError):
    """An FMU cannot be used; the message names the file, what is wrong with it, and the remedy."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file that is being read, and the tool that wrote it, for messages."""

    path: Path
    tool: str = ""

    def broken(self, what: str) -> FmuError:
        """An error that only whoever wrote the file can mend."""
        return FmuError(f"'{self.path}' {what}; export it again, or report this to the makers of {self.tool or 'the tool that wrote it'}")

    def tree(self, text: bytes, member: str) -> Element:
        """The elements of an XML file inside the FMU, with names as written.

        Not ElementTree's own parser: CasADi writes attributes with a prefix that it does not declare, which that one refuses.
        """
        builder, parser = TreeBuilder(), expat.ParserCreate()
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        try:
            parser.Parse(text, True)
        except (expat.ExpatError, ValueError) as error:
            raise self.broken(f"has a {member} that is not well-formed XML ({error})") from None
        return builder.close()


@dataclass(frozen=True, slots=True)
class Unknown:
    """One entry of a list: a variable that the FMU computes, and from what."""

    reference: int
    dependencies: tuple[tuple[int, str], ...] | None
    """Value references of knowns, with the kinds of the dependencies; None where nothing is declared: it depends on everything."""
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


@dataclass(frozen=True, slots=True)
class Dae:
    """What an FMU leaves to the importer: algebraic variables, to be chosen such that the residuals vanish."""

    switch: int | None
    """Value reference of the Boolean to be set before initialisation (FMI 3: in Configuration Mode); None: the mode is always on."""
    algebraic: tuple[int, ...]
    structure: Structure
    """Replaces the FMU's own while the mode is on."""


def read_unknown(element: Element, key: str, variables: Mapping[int, Variable], source: Source) -> Unknown:
    """An entry that refers to variables by the numbers in ``variables``: value references, or in FMI 2 places in the list."""
    unknown = _referred(element, key, "an unknown of its model structure", variables, source)
    listed = element.get("dependencies")
    if listed is None:
        return Unknown(unknown.reference, None, unknown.name)
    knowns = [_variable(word, key, f"a dependency of '{unknown.name}'", variables, source) for word in listed.split()]
    kinds = (element.get("dependenciesKind") or "dependent " * len(knowns)).split()
    if len(kinds) != len(knowns):
        raise source.broken(f"lists {len(knowns)} dependencies of '{unknown.name}' ({listed}) but {len(kinds)} kinds ({' '.join(kinds)})")
    pairs = tuple((known.reference, kind) for known, kind in zip(knowns, kinds, strict=True))
    return Unknown(unknown.reference, pairs, unknown.name, tuple(known.name for known in knowns))


def read_manifest(text: bytes, variables: Iterable[Variable], own: Structure, source: Source) -> Dae | None:
    """The DAE mode as ``fmi-ls-manifest.xml`` describes it, in either draft; None where it leaves nothing to the importer.

    ``own`` is the structure of the model description.
    """
    root = source.tree(text, MANIFEST)
    reals, booleans, others = _by_type(variables)
    known = others | booleans | reals  # FMI 2 has value references for each type: those of reals are meant
    algebraic = tuple(
        _referred(each, "valueReference", "an algebraic variable", reals, source, "real variable").reference
        for each in root.iterfind("AlgebraicVariables/AlgebraicVariable")
    )

    def lists(tag: str) -> list[Unknown]:
        found = [_formulation(each) for each in root.iterfind(f"ModelStructure/{tag}")]
        return [read_unknown(each, "valueReference", known, source) for each in found]

    residuals = lists("Residual")
    if len(algebraic) != len(residuals):
        raise source.broken(f"declares {len(algebraic)} algebraic variables but {len(residuals)} residuals in its {MANIFEST}")
    if not algebraic:
        return None
    old = root.tag == _OLD_DRAFT
    structure = Structure(
        _completed(lists("Output"), own.outputs, old),
        _completed(lists("ContinuousStateDerivative"), own.derivatives, old),
        _completed(lists("EventIndicator"), own.indicators, old),
        tuple(residuals),
    )
    switch = root.find("EnableDAEParameter")
    if switch is None:
        return Dae(None, algebraic, structure)
    enabling = _referred(switch, "valueReference", "the switch of its DAE mode", booleans, source, "Boolean variable")
    return Dae(enabling.reference, algebraic, structure)


def _by_type(variables: Iterable[Variable]) -> tuple[dict[int, Variable], dict[int, Variable], dict[int, Variable]]:
    """Reals, Booleans and others by value reference, the first of aliases."""
    found: dict[str, dict[int, Variable]] = {"real": {}, "boolean": {}, "other": {}}
    for variable in variables:
        found.get(variable.type, found["other"]).setdefault(variable.reference, variable)
    return found["real"], found["boolean"], found["other"]


def _formulation(entry: Element) -> Element:
    """The old draft offers a residual in formulations of several indices; an importer of index 1 takes that one."""
    offered = entry.findall("Formulation")
    return min(offered, key=lambda each: each.get("index", "1") != "1") if offered else entry


def _completed(listed: list[Unknown], own: tuple[Unknown, ...], old: bool) -> tuple[Unknown, ...]:
    """The list of the manifest in the order of the model description, and what it leaves out.

    The old draft need not repeat what the model description says already. In the new one, nothing is known of what is not listed,
    since the mode changes the dependencies.
    """
    if any(each.reference < 0 for each in own):
        return tuple(listed) if len(listed) == len(own) else own
    rest = {each.reference: each for each in listed}
    found = [rest.pop(each.reference, each if old else Unknown(each.reference, None, each.name)) for each in own]
    return (*found, *rest.values())


def _referred(
    element: Element, key: str, what: str, variables: Mapping[int, Variable], source: Source, wanted: str = "variable"
) -> Variable:
    return _variable(element.get(key) or "", key, what, variables, source, wanted)


def _variable(number: str, key: str, what: str, variables: Mapping[int, Variable], source: Source, wanted: str = "variable") -> Variable:
    try:
        return variables[int(number)]
    except (KeyError, ValueError):
        said = "index" if key == "index" else "value reference"
        raise source.broken(f"refers to {what} by the {said} '{number}', which no {wanted} has") from None
