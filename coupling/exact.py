"""Recorded values that no double holds: texts, binary data, large whole numbers. Rows have numbers in their place."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from coupling.checks import EXACT
from coupling.record import Column

_TEXT, _BINARY = "String", "Binary"
_DIGITS = re.compile(rb"-?[0-9]{1,20}")
"""A whole number of 64 bits."""
_MOST_ITEMS = 20
"""Greatest number of items of an enumeration that a head of a column lists."""


class Bytes(TypedDict):
    """Bytes in JSON."""

    base64: str


def is_text(column: Column) -> bool:
    """Says whether the values of a column are texts or binary data."""
    return column.type in (_TEXT, _BINARY)


def is_key(number: float) -> bool:
    """Says whether a number can stand for a text. The number 0 stands for an empty one, which no file lists."""
    return 0 < number < EXACT and number.is_integer()


def key_of(numbers: np.ndarray) -> np.ndarray:
    """Returns the numbers of the texts that hold the digits of whole numbers beyond 2^53."""
    found: np.ndarray = (numbers - EXACT) / 2 - 1
    return found


def values_of(column: Column, numbers: np.ndarray, texts: Mapping[float, bytes]) -> np.ndarray:
    """Returns the values of a column as an array of objects; the numbers themselves where these are the values.

    A value that is not known is None: the process that knew it was lost, or its run has not ended.
    """
    if is_text(column):
        known: dict[float, Any] = {}
        for number in np.unique(numbers).tolist():
            content = texts.get(number) if number else b""
            known[number] = content.decode(errors="replace") if content is not None and column.type == _TEXT else content
        return _objects([known[number] for number in numbers.tolist()])
    if not column.type or not (np.abs(numbers) > EXACT).any():
        return numbers
    digits = [texts.get(key) for key in key_of(numbers).tolist()]
    return _objects([int(number) if abs(number) <= EXACT else _whole(of) for number, of in zip(numbers.tolist(), digits, strict=True)])


def _whole(digits: bytes | None) -> int | None:
    """Returns a whole number from its digits; None if they are unknown, or a file has something else in their place."""
    return int(digits) if digits and _DIGITS.fullmatch(digits) else None


def as_numbers(column: Column, numbers: np.ndarray, texts: Mapping[float, bytes]) -> np.ndarray:
    """Returns the values of a column of numbers as doubles; large whole numbers are rounded."""
    return values_of(column, numbers, texts).astype(float) if column.type else numbers


def as_curve(column: Column | None, values: np.ndarray) -> tuple[np.ndarray, list[tuple[float, str]]]:
    """Returns numbers that a plot can show, and words for them: items of an enumeration, or texts in the order in which they appear."""
    if column is None or not is_text(column):
        return values.astype(float), [(number, item) for item, number in column.items] if column else []
    known: dict[str, float] = {}
    found = np.array([known.setdefault(written(value), float(len(known))) for value in values.tolist()])
    return found, [(number, text) for text, number in known.items()]


def written(value: Any) -> str:
    """Returns a value as a text file has it: numbers in full precision, binary data as hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, str) else "" if value is None else repr(value)


def head_of(column: Column) -> str:
    """Returns the head of a column in a text file: the name with its unit, or with the items of an enumeration."""
    items = ", ".join(f"{number} = {name}" for name, number in column.items[:_MOST_ITEMS])
    more = ", ..." if len(column.items) > _MOST_ITEMS else ""
    said = column.unit or items + more
    return f"{column.name} [{said}]" if said else column.name


def _objects(values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def texts_as_data(texts: Mapping[float, bytes]) -> dict[str, str | Bytes]:
    """Returns texts by their numbers for JSON; bytes that are no text are coded."""
    return {str(int(number)): _as_data(each) for number, each in texts.items()}


def texts_from_data(data: Mapping[str, str | Bytes]) -> dict[float, bytes]:
    """Returns the texts that ``texts_as_data`` was given; raises ValueError for others."""
    if not all(is_key(float(number)) for number in data):
        raise ValueError
    return {float(number): told.encode() if isinstance(told, str) else b64decode(told["base64"]) for number, told in data.items()}


def _as_data(content: bytes) -> str | Bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}
