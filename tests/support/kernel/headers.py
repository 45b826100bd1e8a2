"""The kernel's headers as the compiler reads them: structures from its debug information, signatures from its list of prototypes."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

KERNEL = Path(__file__).parents[3] / "coupling" / "kernel"
TABLES = Path(__file__).parents[3] / "fmu_components" / "runtime"


class Scalar(NamedTuple):
    """A number or an address within a structure, or an argument; the name has no punctuation."""

    kind: str
    size: int
    offset: int = 0
    name: str = ""


POINTER = Scalar("pointer", 8)
_Entry = dict[str, Any]


class Headers:
    """Types and prototypes of some headers, which one file includes."""

    def __init__(self, headers: Iterable[Path], folder: Path) -> None:
        source = folder / "headers.c"
        source.write_text("".join(f'#include "{each}"\n' for each in headers))
        options = ["-std=c11", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", f"-I{KERNEL}", f"-I{TABLES}"]
        options += ["-aux-info", folder / "prototypes"]
        subprocess.run(["gcc", *options, "-c", source, "-o", folder / "headers.o"], check=True)
        dump = subprocess.run(["readelf", "--debug-dump=info", folder / "headers.o"], check=True, capture_output=True, text=True).stdout
        self._entries = dict(_entries(dump))
        self.types = {
            each["name"]: at for at, each in self._entries.items() if "name" in each and each["tag"] in _NAMED and each["depth"] == 1
        }
        prototype = re.compile(rf"^/\* {KERNEL}\S+ \*/ extern (.*?)(\w+) \((.*)\);$", re.MULTILINE)
        self.prototypes = {found[2]: (found[1], found[3]) for found in prototype.finditer((folder / "prototypes").read_text())}

    def structure(self, name: str) -> tuple[int, list[Scalar]]:
        """The size of a structure, and all scalars in it."""
        at = self.types[name]
        return self._size(at), list(self._scalars(at, 0, ""))

    def signature(self, name: str) -> list[Scalar | None]:
        """The result, which may be None, and the arguments of a function."""
        result, arguments = self.prototypes[name]
        return [self._argument(each) for each in (result, *_split(arguments)) if each != "void" or each is result]

    def _argument(self, text: str) -> Scalar | None:
        if "*" in text or "(" in text:
            return POINTER
        name = re.sub(r"\b(const|struct|enum)\b", "", text).strip()
        return None if name == "void" else next(self._scalars(self.types[_LONG_NAMES.get(name, name)], 0, ""))

    def _size(self, at: int) -> int:
        each = self._entries[at]
        return 8 if each["tag"] == "pointer_type" else each["byte_size"] if "byte_size" in each else self._size(each["type"])

    def _scalars(self, at: int, offset: int, name: str) -> Iterator[Scalar]:
        each = self._entries[at]
        match each["tag"]:
            case "structure_type":
                for member in each["children"]:
                    yield from self._scalars(member["type"], offset + member["data_member_location"], name + member["name"])
            case "array_type":
                places = [""]
                for dimension in each["children"]:
                    places = [f"{place}{i}" for place in places for i in range(dimension["upper_bound"] + 1)]
                for i, place in enumerate(places):
                    yield from self._scalars(each["type"], offset + i * self._size(each["type"]), name + place)
            case "pointer_type":
                yield Scalar("pointer", 8, offset, name)
            case "base_type" | "enumeration_type":
                yield Scalar("real" if each.get("encoding") == 4 else "integer", each["byte_size"], offset, name)
            case _:
                yield from self._scalars(each["type"], offset, name)


_NAMED = ("typedef", "base_type", "structure_type", "enumeration_type")
_LONG_NAMES = {"long": "long int", "unsigned": "unsigned int"}


def _entries(dump: str) -> Iterator[tuple[int, _Entry]]:
    stack: list[_Entry] = []
    for text in re.split(r"\n(?= <\d+><)", dump):
        head = re.match(r" <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", text)
        if not head:
            continue
        entry: _Entry = {"tag": head[3], "depth": int(head[1]), "children": []}
        for name, value in re.findall(r"DW_AT_(\w+)\s*: (?:\(.*?\): )?(.*)", text):
            number = re.match(r"<?(0x[0-9a-f]+)>?|(\d+)", value)
            entry[name] = value.strip() if name == "name" or not number else int(number[1], 16) if number[1] else int(number[2])
        stack[entry["depth"] :] = [entry]
        if entry["depth"]:
            stack[-2]["children"].append(entry)
        yield int(head[2], 16), entry


def _split(arguments: str) -> list[str]:
    """Splits at commas outside parentheses."""
    depths, depth = [-1], 0
    for i, letter in enumerate(arguments):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            depths.append(i)
    return [arguments[a + 1 : b].strip() for a, b in pairwise([*depths, len(arguments)])]


def scalars_of(kind: Any, offset: int = 0, name: str = "") -> Iterator[Scalar]:
    """The scalars of a type of ctypes."""
    if issubclass(kind, ctypes.Structure):
        for each in kind._fields_:
            yield from scalars_of(each[1], offset + getattr(kind, each[0]).offset, name + each[0])
    elif issubclass(kind, ctypes.Array):
        for i in range(kind._length_):
            yield from scalars_of(kind._type_, offset + i * ctypes.sizeof(kind._type_), f"{name}{i}")
    elif hasattr(kind, "_type_") and kind._type_ in ("d", "f"):
        yield Scalar("real", ctypes.sizeof(kind), offset, name)
    elif hasattr(kind, "_type_") and isinstance(kind._type_, str) and kind._type_ not in "PzZO":
        yield Scalar("integer", ctypes.sizeof(kind), offset, name)
    else:
        yield Scalar("pointer", 8, offset, name)
