"""The rates of inputs of motion, which are inputs too. A drive of the first gives the others; an input that varies without its rates is
refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from coupling.errors import BuildError
from coupling.fmus import Fmu
from coupling.fmus.start_values import item_of
from coupling.plan import formulas
from coupling.plan.connections import check_drive
from coupling.plan.definition import Definition, Name
from coupling.plan.drives import ConstantDrive, Drive, FormulaDrive, FunctionDrive, SplineDrive, TextDrive
from coupling.plan.smooth import pieces

_RATES = ("rate", "acceleration")
"""Ends of the names of rates, after the name of the input."""


def with_rates(fmus: Mapping[str, Fmu], drives: Mapping[Name, Drive]) -> dict[Name, Drive]:
    """Returns the drives with those of all their rates; splines become the polynomials that these ask for."""
    found: dict[Name, Drive] = {}
    for (instance, name), drive in drives.items():
        rates = rates_of(fmus[instance], name)
        found[instance, name], *derived = _derivatives(drive, len(rates), f"{instance}.{name}")
        for rate, each in zip(rates, derived, strict=False):
            if (instance, rate) in drives:
                raise BuildError(f"'{instance}.{rate}' is driven, and follows from the drive of '{instance}.{name}'; leave its drive out")
            found[instance, rate] = each
    return found


def check_rates(
    fmus: Mapping[str, Fmu], wires: Collection[Name], drives: Mapping[Name, Drive], given: Mapping[str, Mapping[str, object]]
) -> None:
    """Refuses an input that varies without a source for its rate."""
    varying = [*wires, *(name for name, drive in drives.items() if not isinstance(drive, ConstantDrive))]
    for instance, name in varying:
        for rate, option in zip(rates_of(fmus[instance], name), ("rate=", "rate= and acceleration="), strict=False):
            if (instance, rate) not in drives and (instance, rate) not in wires and rate not in given[instance]:
                full = f"{instance}.{name}"
                raise BuildError(
                    f"'{full}' varies, and nothing gives '{instance}.{rate}', which would be taken for 0; drive '{full}' by an expression of jourdain.declare.t, "
                    f"a table with smooth=True or a function with {option}, or connect or drive '{instance}.{rate}' as well"
                )


def rates_of(fmu: Fmu, name: str) -> list[str]:
    """Returns the inputs that are rates of another one; FMUs of other tools have names of their own."""
    if not fmu.is_own:
        return []
    names = (f"{name}.{rate}" for rate in _RATES)
    return [each for each in names if each in fmu.variables and fmu.variables[each].causality == "input"]


def original_of(fmu: Fmu, name: str) -> str | None:
    """Returns the input of which another input is a rate."""
    original, _, rate = name.rpartition(".")
    return original if rate in _RATES and name in rates_of(fmu, original) else None


def _derivatives(drive: Drive, rates: int, name: str) -> list[Drive]:
    """Returns a drive, and those of its rates that are known."""
    if isinstance(drive, FormulaDrive):
        found: list[Drive] = [drive]
        for _ in range(rates):
            tree = formulas.rate(found[-1].tree, name)  # type: ignore[union-attr]  # they are formulas all
            found.append(FormulaDrive(tree, drive.breaks))
        return found
    if isinstance(drive, SplineDrive):
        return list(pieces(drive, rates, name))
    if isinstance(drive, FunctionDrive) and drive.rates:
        if len(drive.rates) > rates:
            wrong = _RATES[rates]
            raise BuildError(f"'{name}' has no {wrong}; leave {wrong}= out" + (", its rate alone is asked for" if rates else ""))
        functions = (FunctionDrive(each, f"{name}.{rate}", drive.breaks) for each, rate in zip(drive.rates, _RATES, strict=False))
        return [replace(drive, rates=()), *functions]
    return [drive]


def drives_of(definition: Definition, fmus: Mapping[str, Fmu]) -> dict[Name, Drive]:
    """Returns all drives by variables, checked one by one, with those of rates."""
    return with_rates(fmus, {(name := check_drive(text, fmus, drive)): _numbered(fmus, name, drive) for text, drive in definition.drives})


def _numbered(fmus: Mapping[str, Fmu], name: Name, drive: Drive) -> Drive:
    """Returns a drive with the numbers of an enumeration's items in place of their names."""
    variable, full = fmus[name[0]].variables[name[1]], ".".join(name)
    if not variable.items:
        return drive
    if isinstance(drive, ConstantDrive):
        return ConstantDrive(item_of(full, variable, drive.value))
    return drive.numbered([item_of(full, variable, each) for each in drive.texts]) if isinstance(drive, TextDrive) else drive
