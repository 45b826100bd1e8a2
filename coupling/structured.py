"""Checks of JSON files: their depth and the types of their values are compared once with types that the reading code declares."""

from __future__ import annotations

import collections.abc
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin

from coupling.errors import shown

_DEPTH = 64
"""Greatest depth of lists and mappings in each other; our own files have at most 20."""
_SEQUENCES = (list, collections.abc.Sequence, collections.abc.Collection)


def parsed(text: bytes | str) -> Any:
    """Returns the value of a text of JSON; raises ValueError for any other text, and for one that is too deep."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None
    level = [found]
    for _ in range(_DEPTH):
        level = [below for each in level for below in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())]
        if not level:
            return found
    raise ValueError("too deep")


def misfit(value: Any, kind: Any, place: str = "") -> str:
    """Returns the first place at which a value is not of a type, with the value there; empty if all of it is.

    Types are those of annotations: numbers, texts, None, unions, lists, tuples, mappings, and typed dictionaries, which may hold other
    names besides. A mapping stands for a data class, some of whose fields may be missing, and a list for a tuple. Booleans are no numbers.
    """
    origin, given = get_origin(kind), get_args(kind)
    if kind is Any or kind is object:
        return ""
    if origin in (typing.Union, types.UnionType):
        return "" if any(not misfit(value, each) for each in given) else _told(value, place)
    if typing.is_typeddict(kind) or (is_dataclass(kind) and isinstance(value, dict)):
        return _of_names(value, kind, place)
    if origin is typing.Literal:
        return "" if isinstance(value, str | int) and not isinstance(value, bool) and value in given else _told(value, place)
    if origin is tuple and given[-1] is not ...:
        fits = isinstance(value, list | tuple) and len(value) == len(given)
        each = ((f"{place}[{i}]", below, of) for i, (below, of) in enumerate(zip(value, given, strict=True))) if fits else ()
        return next(filter(None, (misfit(below, of, at) for at, below, of in each)), "") if fits else _told(value, place)
    if origin in (tuple, *_SEQUENCES):
        fits = isinstance(value, list | tuple)
        return next(filter(None, (misfit(b, given[0], f"{place}[{i}]") for i, b in enumerate(value))), "") if fits else _told(value, place)
    if origin in (dict, collections.abc.Mapping):
        fits = isinstance(value, Mapping) and not any(misfit(name, given[0]) for name in value)
        return next(filter(None, (misfit(b, given[1], f"{place}.{n}") for n, b in value.items())), "") if fits else _told(value, place)
    return "" if _is(value, kind) else _told(value, place)


def _is(value: Any, kind: Any) -> bool:
    if kind is None or kind is type(None):
        return value is None
    if isinstance(value, bool) and kind in (int, float):
        return False
    if isinstance(value, int) and kind in (int, float):
        return abs(value) < 2**63
    return isinstance(value, get_origin(kind) or kind)


def _of_names(value: Any, kind: Any, place: str) -> str:
    if not isinstance(value, dict):
        return _told(value, place)
    for name, (of, required) in _names(kind).items():
        found = (
            misfit(value[name], of, f"{place}.{name}")
            if name in value
            else f"{place}.{name}".lstrip(".") + " is missing"
            if required
            else ""
        )
        if found:
            return found
    return ""


@cache
def _names(kind: Any) -> Mapping[str, tuple[Any, bool]]:
    """Returns by name the type of its value, and whether it is required."""
    hints = typing.get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        return {each.name: (hints[each.name], False) for each in fields(kind)}
    optional = {name: get_origin(hint) is typing.NotRequired for name, hint in hints.items()}
    return {name: (get_args(hint)[0] if optional[name] else hint, not optional[name]) for name, hint in hints.items()}


def _told(value: Any, place: str) -> str:
    return f"{place.lstrip('.') or 'all of it'} = {shown(value)}"
