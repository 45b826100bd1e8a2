"""The manifest of FMI-LS-DAE: the unknowns that an FMU leaves to the importer, and the dependencies in that mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from coupling.fmus.constraints import Constraint, read_constraints
from coupling.fmus.errors import Source
from coupling.fmus.structure import Structure, Unknown, read_unknown, referred
from coupling.fmus.switched import SwitchedMultiplier
from coupling.fmus.variables import FmuVariable

MANIFEST = "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"
_OLD_ROOTS = ("fmiLayeredStandardManifest", "fmi-ls-dae", "fmi-dae")
"""Root elements of drafts that need not repeat the model description. CasADi, the Reference FMUs and OpenModelica 1.26 write such
manifests."""
_SWITCHES = ("EnableDAEParameter", "EnableDAE")
_MODEL_STRUCTURE = ("Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator", "Residual")
_INSIDE = {
    "AlgebraicVariables": ("AlgebraicVariable",),
    "ModelStructure": _MODEL_STRUCTURE,
    "Residual": ("Formulation",),
}
_AT_TOP = (*_SWITCHES, "AlgebraicVariables", "ModelStructure", "Annotations")


@dataclass(frozen=True, slots=True)
class Dae:
    """Unknowns that an FMU leaves to the importer: algebraic variables, to be chosen such that the residuals vanish."""

    switch: int | None
    """Value reference of the Boolean to be set before initialisation (FMI 3: in Configuration Mode); None: the mode is always on."""
    algebraic: tuple[int, ...]
    structure: Structure
    """Structure that replaces the FMU's own while the mode is on."""
    constraints: tuple[Constraint, ...]
    """Constraints that the algebraic variables satisfy, in the order of these variables."""
    switched: tuple[SwitchedMultiplier, ...] = ()
    """Multipliers whose constraint depends on a mode."""
    notes: tuple[str, ...] = ()


def read_manifest(text: bytes, variables: Iterable[FmuVariable], own: Structure, source: Source) -> Dae | None:
    """Returns the DAE mode as ``fmi-ls-manifest.xml`` describes it, in any draft; None if it leaves nothing to the importer.

    ``own`` is the structure of the model description.
    """
    root = source.tree(text, MANIFEST)
    for element in root.iter():
        element.tag = element.tag.rpartition(":")[2]
    _check_elements(root, source)
    variables = list(variables)
    reals, booleans, others = _by_type(variables)
    known = others | booleans | reals  # FMI 2 has value references for each type: those of reals are meant
    algebraic = tuple(
        referred(each.get("valueReference"), "valueReference", "an algebraic variable", reals, source, "real variable").reference
        for each in root.iterfind("AlgebraicVariables/AlgebraicVariable")
    )

    old = root.tag in _OLD_ROOTS

    def lists(tag: str) -> list[Unknown]:
        found = [_formulation(each, known, source) for each in root.iterfind(f"ModelStructure/{tag}")]
        unknowns = [read_unknown(each, "valueReference", known, source) for each in found]
        return [_at_any_time(each) for each in unknowns] if old else unknowns

    residuals, notes = _with_inputs(lists("Residual"), variables, source)
    _check_explicit(residuals, variables, source)
    if len(algebraic) != len(residuals):
        raise source.broken(f"declares {len(algebraic)} algebraic variables but {len(residuals)} residuals in its {MANIFEST}")
    if not algebraic:
        return None
    structure = Structure(
        _completed(lists("Output"), own.outputs, old),
        _completed(lists("ContinuousStateDerivative"), own.derivatives, old),
        _completed(lists("EventIndicator"), own.indicators, old),
        tuple(residuals),
    )
    constraints = read_constraints(algebraic, structure.residuals, {v.name: v for v in variables})
    switch = next((each for each in root if each.tag in _SWITCHES), None)
    if switch is None:
        return Dae(None, algebraic, structure, constraints, notes=notes)
    enabling = referred(switch.get("valueReference"), "valueReference", "the switch of its DAE mode", booleans, source, "Boolean variable")
    return Dae(enabling.reference, algebraic, structure, constraints, notes=notes)


def _at_any_time(unknown: Unknown) -> Unknown:
    """Returns an unknown whose slopes may change at any time.

    Roberts, the model of these drafts, calls all its slopes constant, and none of its products is. A solver with slopes of the start then
    needs ever smaller steps.
    """
    if unknown.dependencies is None:
        return unknown
    return replace(unknown, dependencies=tuple((known, "dependent") for known, _ in unknown.dependencies))


def _with_inputs(residuals: list[Unknown], variables: Iterable[FmuVariable], source: Source) -> tuple[list[Unknown], tuple[str, ...]]:
    """Returns residuals that depend on all inputs, if none is declared to depend on any, and a note on it.

    OpenModelica's lists have columns for states and algebraic variables alone. Its residuals depend on inputs all the same.
    """
    inputs = {each.reference: each.name for each in variables if each.causality == "input" and each.type == "real"}
    listed = [each for each in residuals if each.dependencies is not None]
    if (
        not inputs
        or not listed
        or len(listed) < len(residuals)
        or any(known in inputs for each in listed for known, _ in each.dependencies or ())
    ):
        return residuals, ()
    added = tuple((reference, "dependent") for reference in inputs)
    found = [
        replace(each, dependencies=(*(each.dependencies or ()), *added), knowns=(*(each.knowns or ()), *inputs.values()))
        for each in residuals
    ]
    return found, (
        f"'{source.path}' lists no input among the dependencies of its residuals in {MANIFEST}: they count as dependent on all inputs",
    )


def _by_type(variables: Iterable[FmuVariable]) -> tuple[dict[int, FmuVariable], dict[int, FmuVariable], dict[int, FmuVariable]]:
    """Returns reals, Booleans and others by value reference, the first of aliases."""
    found: dict[str, dict[int, FmuVariable]] = {"real": {}, "boolean": {}, "other": {}}
    for variable in variables:
        found.get(variable.type, found["other"]).setdefault(variable.reference, variable)
    return found["real"], found["boolean"], found["other"]


def _check_elements(root: Element, source: Source) -> None:
    """Raises FmuError for a manifest with unknown elements, which might turn the mode on."""
    for parent in root.iter():
        known = _AT_TOP if parent is root else _INSIDE.get(parent.tag, ())
        odd = next((each.tag for each in parent if each.tag not in (*known, "Annotations")), None)
        if odd is not None and parent.tag not in ("Annotations", "Annotation"):
            expected = f"; Jourdain reads {', '.join(known)}" if known else ""
            raise source.broken(f"has the unknown element '{odd}' in the {parent.tag} of its {MANIFEST}{expected}")


def _check_explicit(residuals: Iterable[Unknown], variables: Iterable[FmuVariable], source: Source) -> None:
    """Refuses the fully implicit form, in which residuals depend on derivatives of states."""
    derivatives = {v.reference: v.name for v in variables if v.derivative is not None}
    for residual in residuals:
        odd = next((derivatives[r] for r, _ in residual.dependencies or () if r in derivatives), None)
        if odd is not None:
            raise source.unsuitable(
                f"has the residual '{residual.name}', which depends on the derivative '{odd}': this implicit form of FMI-LS-DAE is not solved",
                f"export it in the semi-explicit form, or leave out {MANIFEST}",
            )


def _formulation(entry: Element, variables: Mapping[int, FmuVariable], source: Source) -> Element:
    """Returns the formulation of index 1. Older drafts offer a residual in formulations of several indices."""
    offered = entry.findall("Formulation")
    found = next((each for each in offered if each.get("index", "1") == "1"), None if offered else entry)
    if found is None:
        name = referred(offered[0].get("valueReference"), "valueReference", "a residual", variables, source).name
        raise source.unsuitable(
            f"gives the residual '{name}' at index {offered[0].get('index')} alone, and only index 1 is solved",
            "export it with index reduction, which adds a formulation of index 1",
        )
    return found


def _completed(listed: list[Unknown], own: tuple[Unknown, ...], old: bool) -> tuple[Unknown, ...]:
    """Returns the list of the manifest in the order of the model description, completed by the entries that it leaves out.

    Older drafts need not repeat the model description. In the newest draft the dependencies of an entry that is not listed are unknown,
    since the mode changes the dependencies.
    """
    if any(each.reference < 0 for each in own):
        return tuple(listed) if len(listed) == len(own) else own
    rest = {each.reference: each for each in listed}
    found = [rest.pop(each.reference, each if old else Unknown(each.reference, None, each.name)) for each in own]
    return (*found, *rest.values())
