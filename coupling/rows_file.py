"""Results in files of rows, ``.jrd``; docs/results.md describes them.

A file begins with a header of JSON, padded to whole pages, that describes the columns. Rows of doubles follow, and at the end of a run a
trailer of JSON on the outcome. A file without a trailer is of a run under way, or ended by force. It has the rows up to the first that has
not been written. The time of that row is no number; after a power cut the row may consist of zeros.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, fields
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Literal, NotRequired, TypedDict, TypeVar

import numpy as np

from coupling.errors import ResultError, shown
from coupling.exact import Bytes, texts_as_data, texts_from_data
from coupling.files import remove_parts, replaced, require_file
from coupling.outcome import Ending, Outcome
from coupling.record import ByParameter, Change, Column, Constant, Numbers, Record, Statistics
from coupling.structured import misfit, parsed
from coupling.texts_file import texts_beside

Made = TypeVar("Made")


class _NotFinite(TypedDict):
    float: Literal["nan", "inf", "-inf"]


_Number = float | _NotFinite
"""See ``_said``."""


class _Column(TypedDict):
    name: str
    variable: NotRequired[str]
    unit: NotRequired[str]
    description: NotRequired[str]
    discrete: NotRequired[bool]
    type: NotRequired[str]
    items: NotRequired[list[tuple[str, int]]]


class _Frame(TypedDict):
    name: str
    model: str
    dimension: Literal[2, 3]
    pose: list[str]
    origin: NotRequired[str]
    centre: NotRequired[list[str | float]]


class _Place(TypedDict):
    frame: int
    at: list[str | float]


class _Word(TypedDict):
    kind: str
    of: str
    ports: list[str]


class _Force(TypedDict):
    of: str
    port: str
    place: str
    force: list[str]


class _Shape(TypedDict):
    of: str
    colour: str
    solid: dict[str, Any] | None
    place: NotRequired[str]
    frame: NotRequired[int]


class _Scene(TypedDict):
    version: NotRequired[int]
    frames: list[_Frame]
    places: dict[str, _Place]
    words: list[_Word]
    forces: list[_Force]
    shown: NotRequired[list[_Shape]]


class _Header(TypedDict):
    rows: int
    width: int
    jourdain: NotRequired[str]
    system: str
    columns: list[_Column]
    created_energy: list[str]
    drawn: NotRequired[list[str]]
    scene: NotRequired[dict[str, Any]]
    variables: dict[str, list[str]]
    constants: dict[str, tuple[_Number | bool, str, str]]
    start_values: dict[str, _Number | bool | str]
    options: dict[str, Any]
    sensitivities: NotRequired[list[tuple[str, str, bool]]]


class _Change(TypedDict):
    time: float
    joint: str
    what: str
    impulses: dict[str, float]
    energy: float
    heirs: list[str]
    multiplier: NotRequired[str]


class _Trailer(TypedDict):
    ending: str
    sentence: str
    warnings: list[str]
    notes: list[str]
    stabilisation: str
    statistics: dict[str, Any]
    changes: NotRequired[list[_Change]]
    off: NotRequired[dict[str, list[tuple[int, int]]]]
    texts: NotRequired[dict[str, str | Bytes]]
    header_checksum: int
    rows_checksum: int | None


SUFFIX = ".jrd"
_FAMILY, _VERSION = b"JRDROWS", 1
_MAGIC, _END = _FAMILY + b"%d" % _VERSION, b"JRDENDS1"
_PAGE = 4096
_HEAD, _FOOT = struct.Struct("<8sQ"), struct.Struct("<8sQI")
"""First fields of a header and of a trailer: a word, the length of the JSON, and the checksum of the trailer."""
_LONGEST = 2**31
"""Bytes of JSON beyond which a length is damage."""
_IN_MEMORY = 2**28
"""Bytes of rows up to which they are read and checked; larger ones are mapped, and read as they are used."""
_AT_ONCE = 2**20
"""Bytes of rows in one piece."""
_LARGE_TRAILER = 2**24
"""Size in bytes that no trailer reaches."""
_REMEDY = "copy or save it again"


def write(path: Path, record: Record, outcome: Outcome, *, clean: bool = False) -> None:
    """Writes a complete file or none: the file takes its name when it is complete. ``clean`` removes incomplete ones of ended processes."""
    if clean:
        remove_parts(path.parent, escape(path.name))
    beside = [*record.created_energy.values(), *([record.derivatives] if record.parameters else []), *record.drawn.values()]
    rows = np.column_stack([record.rows, *beside]) if beside else record.rows
    rows = np.ascontiguousarray(rows, dtype="<f8")
    head = header(record, len(rows), rows.shape[1])
    with replaced(path) as file:
        file.write(head)
        file.write(rows.data)
        file.write(trailer(record, outcome, head, zlib.crc32(rows.data)))


def read(path: Path) -> tuple[Record, Outcome]:
    """Reads the data that ``write`` was given, to the bit. Any other file raises ResultError, whose sentence says why."""
    try:
        require_file(path)
        with path.open("rb") as file:
            return _Reader(path, file).result()
    except OSError as error:
        raise OSError(f"'{path}' cannot be read: {error.strerror}; give the path of a result that was saved") from None


_IDENTITY = ("width", "system", "columns", "created_energy", "drawn", "sensitivities")
"""Parts of the header that are the same for every run of a system with the same record."""


def is_of(path: Path, head: bytes, first: int) -> bool:
    """Returns whether a file has the rows of a run whose header is given, from the place ``first`` on."""
    with path.open("rb") as file:
        reader = _Reader(path, file)
        there, begins = reader.header(), file.tell()
    own = parsed(head[_HEAD.size :].rstrip(b"\0"))
    return begins == first and all(there.get(name) == own.get(name) for name in _IDENTITY)


# -- writing -----------------------------------------------------------------------------------------------------------------------


def header(record: Record, rows: int, width: int) -> bytes:
    """Returns the beginning of a file. The number of rows comes first and has a fixed width for later completion; until then it is -1."""
    said = {
        "width": width,
        "jourdain": version("jourdain"),
        "system": record.system,
        "columns": [{key: value for key, value in column._asdict().items() if value or key == "name"} for column in record.columns],
        "created_energy": list(record.created_energy),
        "drawn": list(record.drawn),
        "scene": record.scene,
        "variables": {name: list(each) for name, each in record.variables.items()},
        "constants": {name: [_said(c.value), c.unit, c.description] for name, c in record.constants.items()},
        "start_values": {name: _said(value) for name, value in record.start_values.items()},
        "options": {name: _said(value) for name, value in record.options.items()},
        **({"sensitivities": list(record.parameters)} if record.parameters else {}),
    }
    text = b'{"rows":%20d,' % rows + _json({**_beside(record, "header"), **said})[1:]
    return (_HEAD.pack(_MAGIC, len(text)) + text).ljust(_pages(_HEAD.size + len(text)), b"\0")


def trailer(record: Record, outcome: Outcome, head: bytes, checksum: int | None) -> bytes:
    """Returns the end of a file, which is written when its run has ended."""
    text = _json(
        {
            **_beside(record, "trailer"),
            "ending": outcome.ending.name,
            "sentence": outcome.sentence,
            "warnings": list(outcome.warnings),
            "notes": list(outcome.notes),
            "stabilisation": outcome.stabilisation,
            "statistics": {name: _said(value) for name, value in asdict(record.statistics).items()},
            "changes": [asdict(each) for each in record.changes],
            "off": dict(record.off),
            **({"texts": texts_as_data(record.texts)} if record.texts else {}),
            "header_checksum": zlib.crc32(head),
            "rows_checksum": checksum,
        }
    )
    return _FOOT.pack(_END, len(text), zlib.crc32(text)) + text


def checksum_of(file: int, first: int, size: int) -> int | None:
    """Returns the checksum of rows in an open file; None for files so large that readers map them into memory."""
    if size > _IN_MEMORY:
        return None
    checksum = 0
    for at in range(0, size, _AT_ONCE):
        checksum = zlib.crc32(os.pread(file, min(_AT_ONCE, size - at), first + at), checksum)
    return checksum


def numbers(
    values: np.ndarray,
    columns: int,
    energies: Sequence[str],
    parameters: int,
    drawn: Sequence[str],
    take: Callable[[np.ndarray], np.ndarray],
) -> Numbers:
    """Returns the rows of a file by their kinds; ``take`` copies single columns out or leaves them in place."""
    recorded, derived = 1 + columns, 1 + columns + len(energies)
    first = derived + parameters * columns
    if first + len(drawn) != values.shape[1]:
        raise ValueError
    return Numbers(
        rows=values[:, :recorded],
        created_energy={name: take(values[:, recorded + i]) for i, name in enumerate(energies)},
        derivatives=values[:, derived:first],
        drawn={name: take(values[:, first + i]) for i, name in enumerate(drawn)},
    )


def _beside(record: Record, where: str) -> Mapping[str, Any]:
    """Returns other data of the file that the record was read from."""
    found: Mapping[str, Any] = record.beside.get(where, {})
    return found


def _json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain).encode()


def _said(value: Any) -> Any:
    """Returns a value for JSON, in which numbers that are not finite are words."""
    if isinstance(value, Mapping):
        return {name: _said(each) for name, each in value.items()}
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return {"float": str(float(value))}
    return value


def _heard(value: Any) -> Any:
    if isinstance(value, dict):
        return float(value["float"]) if not misfit(value, _NotFinite) else {name: _heard(each) for name, each in value.items()}
    return value


def _plain(value: Any) -> Any:
    """Returns a number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{shown(value)} cannot be written as JSON")


def _pages(size: int) -> int:
    return -(-size // _PAGE) * _PAGE


# -- reading -----------------------------------------------------------------------------------------------------------------------


class _Reader:
    """One file, read from its beginning to its end."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self.file = path, file
        self.size = os.fstat(file.fileno()).st_size

    def header(self) -> dict[str, Any]:
        head = self._json_of_header()
        self._check(head, _Header)
        if head.get("scene"):
            self._check(head["scene"], _Scene)
        return head

    def result(self) -> tuple[Record, Outcome]:
        head = self.header()
        width, first = self._count(head, "width", 1), self.file.tell()
        counted = self._count(head, "rows", -1)
        rows = self._written(first, width) if counted < 0 else counted
        if first + 8 * width * rows > self.size:
            raise self._damaged(f"is cut off: it should have {rows} rows and has {max(0, self.size - first) // (8 * width)}", _REMEDY)
        said = self._trailer(first + 8 * width * rows) if counted >= 0 else {}
        if said:
            self._check(said, _Trailer)
            self._check({name: _heard(value) for name, value in said["statistics"].items()}, Statistics)
        values = self._rows(first, rows, width, said.get("rows_checksum"))
        return self._made(head, lambda: (self._record(head, said, values), self._outcome(said, values)))

    def _written(self, first: int, width: int) -> int:
        """Returns the number of rows that a run has written so far, or had when it was ended by force."""
        most = (self.size - first) // (8 * width)
        if most <= 0:
            return 0
        times = np.memmap(self.path, "<f8", "r", first, (most, width))[:, 0]
        least = 0
        while least < most:  # those not written yet follow all others
            middle = (least + most) // 2
            least, most = (least, middle) if np.isnan(times[middle]) else (middle + 1, most)
        least = self._before_trailer(times, least)
        zeros = next((i for i in range(least) if times[least - 1 - i] != 0), least)
        return least - zeros if zeros < least and times[least - 1 - zeros] > 0 else least

    @staticmethod
    def _before_trailer(times: np.ndarray, rows: int) -> int:
        """Returns the number of rows before a trailer. The header of a run that was killed while it wrote its trailer lacks it."""
        first = max(0, rows - _LARGE_TRAILER // times.strides[0])
        begins = np.flatnonzero(np.ascontiguousarray(times[first:rows]).view("<u8") == int.from_bytes(_END, "little"))
        return first + int(begins[0]) if len(begins) else rows

    def _json_of_header(self) -> dict[str, Any]:
        start = self.file.read(_HEAD.size)
        if not start.startswith(_FAMILY) or not start[len(_FAMILY) : 8].isdigit():
            begins = "it is empty" if not start else f"it begins with {shown(start[:8])} and not with {shown(_MAGIC)}"
            raise self._damaged(f"is no result that Jourdain has saved: {begins}", f"give a file that ends in '{SUFFIX}'")
        found = int(start[len(_FAMILY) : 8])
        if found > _VERSION:
            remedy = "read it by the Jourdain that wrote it, or by a later one"
            raise self._damaged(f"is a result in version {found} of the format, and this Jourdain reads version {_VERSION}", remedy)
        length = _HEAD.unpack(start)[1] if len(start) == _HEAD.size else _LONGEST
        text = self.file.read(length) if length < _LONGEST else b""
        if len(text) < length:
            raise self._damaged("is cut off within its header", _REMEDY)
        self.checked = start + text + self.file.read(_pages(_HEAD.size + length) - _HEAD.size - length)
        return self._parsed(text, "header")

    def _trailer(self, where: int) -> dict[str, Any]:
        self.file.seek(where)
        foot = self.file.read(_FOOT.size)
        if len(foot) < _FOOT.size:
            raise self._damaged("is cut off before its trailer, which says how the run ended", _REMEDY)
        word, length, checksum = _FOOT.unpack(foot)
        text = self.file.read(length) if word == _END and length < _LONGEST else b""
        if word != _END or len(text) < length or zlib.crc32(text) != checksum:
            raise self._damaged("is damaged: its trailer, which says how the run ended, is not as it was written", _REMEDY)
        said = self._parsed(text, "trailer")
        if said.get("header_checksum") != zlib.crc32(self.checked):
            raise self._damaged("is damaged: its header is not as it was written", _REMEDY)
        return said

    def _rows(self, first: int, rows: int, width: int, checksum: int | None) -> np.ndarray:
        if 8 * rows * width > _IN_MEMORY:
            return np.memmap(self.path, "<f8", "c", first, (rows, width))
        self.file.seek(first)
        values = np.fromfile(self.file, "<f8", rows * width).reshape(rows, width)
        if checksum is not None and zlib.crc32(values.data) != checksum:
            raise self._damaged("is damaged: its rows are not as they were written", _REMEDY)
        return values

    def _record(self, head: dict[str, Any], said: dict[str, Any], values: np.ndarray) -> Record:
        columns = tuple(
            Column(**{"variable": "", "unit": "", **each, "items": tuple(map(tuple, each.get("items", ())))}) for each in head["columns"]
        )
        parameters = tuple(ByParameter(*each) for each in head.get("sensitivities", ()))
        told = numbers(values, len(columns), head["created_energy"], len(parameters), head.get("drawn", []), np.copy)
        return Record(
            system=head["system"],
            columns=columns,
            **told._asdict(),
            statistics=Statistics(
                **{each.name: _heard(said["statistics"][each.name]) for each in fields(Statistics) if each.name in said["statistics"]}
            )
            if said
            else NO_STATISTICS,
            scene=head.get("scene", {}),
            changes=tuple(Change(**{**each, "heirs": tuple(each["heirs"])}) for each in said.get("changes", ())),
            parameters=parameters,
            off={name: tuple((first, last) for first, last in rows) for name, rows in said.get("off", {}).items()},
            variables={name: tuple(each) for name, each in head["variables"].items()},
            constants={name: Constant(_heard(value), unit, text) for name, (value, unit, text) in head["constants"].items()},
            start_values={name: _heard(value) for name, value in head["start_values"].items()},
            options={name: _heard(value) for name, value in head["options"].items()},
            texts=texts_from_data(said.get("texts", {})) if said else texts_beside(self.path),
            beside={where: _others(told, known) for where, told, known in (("header", head, _IN_HEADER), ("trailer", said, _IN_TRAILER))},
        )

    def _outcome(self, said: dict[str, Any], values: np.ndarray) -> Outcome:
        if said:
            kept = (said["warnings"], said["notes"], said["stabilisation"])
            return Outcome(Ending[said["ending"]], said["sentence"], *kept)
        last = f"at t = {values[-1, 0]:g} s" if len(values) else "before its first row"
        return Outcome(Ending.INTERRUPTED, f"'{self.path}' ends {last} without an outcome: its run is under way, or was ended by force")

    # -- sentences -----------------------------------------------------------------------------------------------------------------

    def _parsed(self, text: bytes, where: str) -> dict[str, Any]:
        try:
            found = parsed(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise self._damaged(f"is damaged: its {where} is no JSON", _REMEDY)
        return found

    def _count(self, head: dict[str, Any], name: str, least: int) -> int:
        found = head.get(name)
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found < 2**53:
            raise self._damaged(f"is damaged: its header gives {name} = {shown(found)}", _REMEDY)
        return found

    def _check(self, said: dict[str, Any], kind: Any) -> None:
        why = misfit(said, kind)
        if why:
            raise self._other(why, said)

    def _other(self, why: str, said: dict[str, Any]) -> ResultError:
        by = shown(said.get("jourdain", "another program"))
        what = f" ({why})" if why else ""
        return self._damaged(f"has not the content that this Jourdain expects{what}; it was written by {by}", _REMEDY)

    def _made(self, said: dict[str, Any], make: Callable[[], Made]) -> Made:
        try:
            return make()
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise self._other(str(error) if isinstance(error, KeyError) else "", said) from None

    def _damaged(self, why: str, remedy: str) -> ResultError:
        return ResultError(f"'{self.path}' {why}; {remedy}")


_NOTHING: dict[str, Any] = {each.name: 0 for each in fields(Statistics) if each.default is each.default_factory is MISSING}
NO_STATISTICS = Statistics(**_NOTHING)
"""Statistics of a run without known costs."""
_IN_HEADER = {
    "rows",
    "width",
    "jourdain",
    "system",
    "columns",
    "created_energy",
    "drawn",
    "scene",
    "variables",
    "constants",
    "start_values",
    "options",
    "sensitivities",
}
_IN_TRAILER = {
    "ending",
    "sentence",
    "warnings",
    "notes",
    "stabilisation",
    "statistics",
    "changes",
    "off",
    "texts",
    "header_checksum",
    "rows_checksum",
}


def _others(told: dict[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in known}
