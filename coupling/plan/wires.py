"""The wires: the source of each input, with the conversion of units on the way, and inputs without a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coupling.errors import listed, shown
from coupling.fmus import Fmu
from coupling.names import resolve
from coupling.plan.connections import solved_for
from coupling.plan.definition import Name
from coupling.plan.drives import ConstantDrive, Drive, FormulaDrive, FunctionDrive, PiecesDrive, TableDrive, TextDrive
from coupling.plan.transformations import Transformations, on_the_way
from coupling.plan.types import rounds


@dataclass(frozen=True)
class Wire:
    """An input and one of its sources: the value that arrives is factor * source + offset."""

    source: str
    """Name of an output; words for a source that is not connected."""
    target: str
    source_unit: str = ""
    target_unit: str = ""
    factor: float = 1.0
    offset: float = 0.0
    asked: bool = False
    """True if ``connect`` was given a factor or an offset, or an adaptor asks for it."""
    adaptor: str = ""
    """Adaptor of the Modelica Standard Library that asks for the factor."""
    single: bool = False
    """True if values are rounded to single precision."""

    @property
    def converts(self) -> bool:
        return (self.factor, self.offset) != (1.0, 0.0)

    @property
    def conversion(self) -> str:
        """The conversion as text, such as ``x 0.001 + 273.15``; empty where nothing is converted."""
        if not self.converts:
            return ""
        return f"x {self.factor:.6g}" + (f" {'+' if self.offset > 0 else '-'} {abs(self.offset):.6g}" if self.offset else "")


class Wires(tuple[Wire, ...]):
    """The wires of a system; ``print`` shows them as a table."""

    def __str__(self) -> str:
        rows = [(_with_unit(w.source, w.source_unit), _with_unit(w.target, w.target_unit), w.conversion) for w in self]
        rows.insert(0, ("from", "to", "converted" if any(w.converts for w in self) else ""))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    __repr__ = __str__


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def list_wires(
    fmus: Mapping[str, Fmu], wires: Mapping[Name, Sequence[Name]], drives: Mapping[Name, Drive], transformations: Transformations
) -> Wires:
    """Returns all connected or driven inputs; then the inputs of FMUs of other tools that have no source."""
    found = [_wire(fmus, source, target, transformations) for target, sources in wires.items() for source in sources]
    found += [Wire(_worded(drive), ".".join(name), target_unit=_unit_name(fmus, name)) for name, drive in drives.items()]
    return Wires([*found, *(_open(fmus, name) for name in open_inputs(fmus, wires, drives))])


def open_inputs(fmus: Mapping[str, Fmu], wires: Mapping[Name, Sequence[Name]], drives: Mapping[Name, Drive]) -> Iterator[Name]:
    """Yields inputs of FMUs of other tools that stay at their start values."""
    given: dict[str, set[int]] = {instance: set() for instance in fmus}
    for instance, name in (*wires, *drives):
        given[instance].add(fmus[instance].variables[name].reference)
    for instance, fmu in fmus.items():
        fed = given[instance]
        for variable in fmu.variables.values() if not fmu.is_own else ():
            waits = variable.causality == "input" and variable.type != "clock"  # a clock ticks, and has no value
            if waits and variable.reference not in fed and not solved_for(fmu, variable):
                fed.add(variable.reference)
                yield instance, variable.name


def notes_on(wires: Wires, given: Mapping[str, Mapping[str, object]], fmus: Mapping[str, Fmu]) -> list[str]:
    """Returns notes for the user on how a system is connected."""
    converted = [
        f"{_with_unit(w.source, w.source_unit)} -> {_with_unit(w.target, w.target_unit)} {w.conversion}"
        for w in wires
        if w.converts and not w.asked
    ]
    notes = [f"units are converted: {'; '.join(converted[:5])}{_and_more(converted, 5)}"] if converted else []
    opposite = [f"'{w.source}' and '{w.target}' ('{w.adaptor}')" for w in wires if w.adaptor]
    if opposite:
        notes.append(
            f"the sign changes between {', '.join(opposite[:5])}{_and_more(opposite, 5)}: adaptors of the Modelica Standard Library have the "
            "opposite sign of efforts at ports"
        )
    rounded = [f"'{w.source}' -> '{w.target}'" for w in wires if w.single]
    if rounded:
        notes.append(f"values are rounded to single precision (Float32): {'; '.join(rounded[:5])}{_and_more(rounded, 5)}")
    left = [w.target for w in wires if w.source == _NOTHING and _not_given(w.target, given)]
    if left:
        notes.append(
            f"nothing gives {listed(left)}, which {'stays at its start value' if len(left) == 1 else 'stay at their start values'}; connect or "
            f"drive {'it' if len(left) == 1 else 'them'}, or give the {'value' if len(left) == 1 else 'values'} to add"
        )
    return notes


def _not_given(name: str, given: Mapping[str, Mapping[str, object]]) -> bool:
    instance, variable = resolve(name, given)
    return variable not in given[instance]


def _and_more(items: Sequence[str], shown: int) -> str:
    return f"; and {len(items) - shown} more, which system.wires lists" if len(items) > shown else ""


def _wire(fmus: Mapping[str, Fmu], source: Name, target: Name, transformations: Transformations) -> Wire:
    affine, asked = on_the_way(fmus, source, target, transformations), transformations.get((source, target))
    a, b = (fmus[instance].variables[name] for instance, name in (source, target))
    return Wire(
        ".".join(source),
        ".".join(target),
        _unit_name(fmus, source),
        _unit_name(fmus, target),
        *affine,
        asked is not None,
        asked.adaptor if asked else "",
        single=rounds(a, b),
    )


_NOTHING = "nothing: its start value"


def _open(fmus: Mapping[str, Fmu], name: Name) -> Wire:
    return Wire(_NOTHING, ".".join(name), target_unit=_unit_name(fmus, name))


def _unit_name(fmus: Mapping[str, Fmu], name: Name) -> str:
    unit = fmus[name[0]].variables[name[1]].unit
    return "" if unit in (None, "1") else str(unit)


def _worded(drive: Drive) -> str:
    if isinstance(drive, ConstantDrive):
        return shown(drive.value) if isinstance(drive.value, str | bytes) else f"{drive.value:.9g}"
    words = {FunctionDrive: "a function of time", FormulaDrive: "a formula of time", PiecesDrive: "a smooth table"}
    words |= dict.fromkeys((TableDrive, TextDrive), "a table")
    return words.get(type(drive), "the caller of the system")
