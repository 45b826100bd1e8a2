"""Stages as bytes: JSON, and arrays after it. Reading them runs no code, which a pickle would."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from coupling.fused.elimination import Order
from coupling.fused.stages import Region
from coupling.kernel.equations.fused import Stage
from coupling.plan.graph import Address

C = TypeVar("C", bound=type)

_HEAD = struct.Struct("<Q")
_FEW = 8
"""Numbers up to which a list stands in the JSON itself."""
_KNOWN: dict[str, Any] = {each.__name__: each for each in (Address, Order, Region, Stage)}


def storable(cls: C) -> C:
    """Registers a data class, or a tuple with names, that is among what is stored."""
    _KNOWN[cls.__name__] = cls
    return cls


def stored(value: Any) -> bytes:
    """Returns numbers, texts, enumerations, arrays, and lists, tuples, sets, mappings and registered classes of them."""
    arrays: list[np.ndarray] = []
    text = json.dumps(
        [_plain(value, arrays), [[each.dtype.str, each.nbytes, each.shape] for each in arrays]], separators=(",", ":")
    ).encode()
    return b"".join([_HEAD.pack(len(text)), text, *(each.tobytes() for each in arrays)])


def restored(data: bytes) -> Any:
    """Returns what ``stored`` was given, with the same types."""
    end = _HEAD.size + _HEAD.unpack_from(data)[0]
    said, kinds = json.loads(data[_HEAD.size : end])
    view, pieces = memoryview(data), []
    for dtype, size, shape in kinds:
        pieces.append((view[end : end + size], dtype, shape))
        end += size
    return _made(said, pieces)


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    """A mapping with one name says of which kind its value is."""
    own = isinstance(value, Enum) or is_dataclass(value) or (isinstance(value, tuple) and type(value) is not tuple)
    if own and _KNOWN.get(type(value).__name__) is not type(value):
        raise TypeError(f"{type(value).__name__} is no type that can be stored")
    if isinstance(value, Enum):
        return {"enum": [type(value).__name__, value.value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": _kept(value, arrays)}
    if isinstance(value, tuple) and type(value) is not tuple:
        return {"named": [type(value).__name__, *(_plain(each, arrays) for each in value)]}
    if isinstance(value, dict):
        return {"mapping": [_plain(list(value), arrays), _plain(list(value.values()), arrays)]}
    if is_dataclass(value):
        return {"class": [type(value).__name__, {each.name: _plain(getattr(value, each.name), arrays) for each in fields(value)}]}
    kind = type(value).__name__
    if kind not in _SEQUENCES:
        raise TypeError(f"{value!r} cannot be stored")
    numbers = _numbers(list(value))
    if numbers is not None:
        return {kind: _kept(numbers, arrays)}
    if kind in ("list", "tuple") and value and all(type(each) in _SINGLE for each in value):
        return {f"flat {kind}": list(value)}
    if kind == "list" and value and isinstance(value[0], Enum) and len(set(map(type, value))) == 1:
        return {"enums": [type(value[0]).__name__, [each.value for each in value]]}
    if kind == "list" and _is_table(value):
        return {"table": list(zip(*value, strict=True))}
    return {kind: [_plain(each, arrays) for each in value]}


def _is_table(rows: list[Any]) -> bool:
    """Says whether all rows are tuples of equally many numbers and texts."""
    return len(rows) > 1 and all(
        type(row) is tuple and len(row) == len(rows[0]) > 0 and all(type(each) in _SINGLE for each in row) for row in rows
    )


def _numbers(values: list[Any]) -> np.ndarray | None:
    """Returns whole numbers, or tuples of as many, as an array; None for what else there is, and for few of them."""
    if len(values) <= _FEW:
        return None
    rows = values if type(values[0]) is tuple else [(each,) for each in values]
    width = len(rows[0])
    whole = all(type(row) is tuple and len(row) == width and all(type(each) is int for each in row) for row in rows)
    return np.array(values, dtype=np.int64) if whole and width else None


def _kept(array: np.ndarray, arrays: list[np.ndarray]) -> int:
    arrays.append(np.ascontiguousarray(array))
    return len(arrays) - 1


_SINGLE = (int, float, str, bool, type(None))
"""Types of values that JSON has."""
_SEQUENCES: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


_Piece = tuple[memoryview, str, list[int]]
"""The bytes of an array, its type and its shape."""


def _made(said: Any, pieces: list[_Piece]) -> Any:
    if type(said) is not dict:
        return said
    ((kind, value),) = said.items()
    if kind == "flat list":
        return value
    if kind in _SEQUENCES:
        if type(value) is int:
            bytes_, _, shape = pieces[value]
            numbers = bytes_.cast("q").tolist()
            return _SEQUENCES[kind](numbers if len(shape) == 1 else zip(*[iter(numbers)] * shape[1], strict=True))
        return _SEQUENCES[kind]([_made(each, pieces) for each in value])
    if kind == "mapping":
        return dict(zip(_made(value[0], pieces), _made(value[1], pieces), strict=True))
    if kind == "array":
        bytes_, dtype, shape = pieces[value]
        found = np.frombuffer(bytes_, dtype).copy()
        return found if len(shape) == 1 else found.reshape(shape)
    if kind == "flat tuple":
        return tuple(value)
    if kind == "table":
        return list(zip(*value, strict=True))
    made = _KNOWN[value[0]]
    if kind == "enum":
        return made(value[1])
    if kind == "enums":
        return list(map(made, value[1]))
    if kind == "class":
        return made(**{name: _made(each, pieces) for name, each in value[1].items()})
    return made(*(_made(each, pieces) for each in value[1:]))
