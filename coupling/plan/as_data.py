"""Definitions and options of runs as data that JSON can hold, and back, to the bit. Functions of time are left out, by name."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from coupling.errors import BuildError, shown
from coupling.options import Contacts, Index3, Isolation, OpenRun, Run, Scheme, Successive
from coupling.plan import formulas
from coupling.plan.definition import Definition, FmuFile, InstanceDefinition, Transformation
from coupling.plan.drives import (
    ConstantDrive,
    Drive,
    FormulaDrive,
    FunctionDrive,
    PolynomialDrive,
    SplineDrive,
    TableDrive,
    TextDrive,
    break_times,
    checked_drive,
)
from coupling.plan.instances import found_again
from coupling.plan.shown import Shown
from coupling.structured import misfit


@dataclass(frozen=True)
class AbsentFunction:
    """The facts about a function of time that data can hold; the function itself is code."""

    name: str
    breaks: tuple[float, ...]
    rates: int
    """Number of its derivatives that were given."""


_KNOWN: dict[str, type] = {
    each.__name__: each
    for each in (
        *(AbsentFunction, Definition, InstanceDefinition, OpenRun, Run, Shown, Transformation),
        *(Contacts, Index3, Isolation, Scheme, Successive),
        *(ConstantDrive, FormulaDrive, PolynomialDrive, SplineDrive, TableDrive, TextDrive),
    )
}


@cache
def _hints(made: type) -> dict[str, Any]:
    """Returns the types of fields as a file may have them."""
    found = get_type_hints(made)
    return found | {"drives": tuple[tuple[str, Drive | AbsentFunction], ...]} if made is Definition else found


def as_data(value: Any) -> Any:
    """Returns lists and mappings of numbers and texts; sequences become tuples when they are read again."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": b64encode(value).decode()}
    if isinstance(value, tuple | list):
        return [as_data(each) for each in value]
    if isinstance(value, np.ndarray):
        return {"array": b64encode(np.ascontiguousarray(value).tobytes()).decode(), "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Mapping):
        return {"mapping": [[as_data(name), as_data(each)] for name, each in value.items()]}
    if isinstance(value, FmuFile):
        fmu = value.fmu
        said = (str(fmu.path), fmu.sha256, value.private, fmu.model_name, fmu.version, dict(fmu.structural))
        return {"fmu": [as_data(each) for each in said]}
    if isinstance(value, FunctionDrive):
        value = AbsentFunction(value.name, value.breaks, len(value.rates))
    if isinstance(value, FormulaDrive):  # a text of JSON has few levels, a formula may have hundreds
        value = replace(value, tree=formulas.flat(value.tree))
    if is_dataclass(value) and type(value).__name__ in _KNOWN:
        return {"class": type(value).__name__, **{each.name: as_data(getattr(value, each.name)) for each in fields(value)}}
    raise BuildError(f"{shown(value)} cannot be written down")


def from_data(data: Any) -> Any:
    """Returns the value that ``as_data`` was given. FMUs are read where they were; a different FMU in the place of one is refused."""
    if isinstance(data, list):
        return tuple(from_data(each) for each in data)
    if not isinstance(data, dict):
        return data
    if "class" in data:
        made = _KNOWN[data["class"]]
        said = {name: from_data(each) for name, each in data.items() if name != "class"}
        hints = _hints(made)
        for name, value in said.items():
            why = misfit(value, hints[name], f"{made.__name__}.{name}")
            if why:
                raise ValueError(why)
        if made is Definition:
            said["drives"] = tuple((name, _drive(name, drive)) for name, drive in said["drives"])
        return made(**said)
    if "bytes" in data:
        return b64decode(data["bytes"])
    if "array" in data:
        return np.frombuffer(b64decode(data["array"]), np.dtype(data["type"])).reshape(data["shape"]).copy()
    if "mapping" in data:
        return {from_data(name): from_data(each) for name, each in data["mapping"]}
    path, *said = from_data(data["fmu"])
    return FmuFile(found_again(Path(path), *said))


def _drive(name: str, drive: Drive | AbsentFunction) -> Drive | AbsentFunction:
    if isinstance(drive, AbsentFunction):
        return replace(drive, breaks=break_times(name, drive.breaks))
    if isinstance(drive, FormulaDrive):
        drive = replace(drive, tree=formulas.unflattened(drive.tree, name))
    return checked_drive(name, drive)
