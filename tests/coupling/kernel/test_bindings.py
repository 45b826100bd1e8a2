"""Structures and signatures of the Python bindings are those of the kernel's headers, as the compiler reads them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import Any

import pytest

import coupling.kernel
from coupling.kernel import library
from coupling.kernel.events.switching import _Options
from coupling.kernel.hosts.hosted import _IN_PLACE, letter_of
from coupling.kernel.rows.rows import TABLES
from coupling.kernel.runs import sundials
from tests.support.kernel.headers import KERNEL, POINTER, Headers, Scalar, scalars_of

for _module in walk_packages(coupling.kernel.__path__, "coupling.kernel."):
    if "._core" not in _module.name:
        import_module(_module.name)

NAMES = {
    "KernelStatistics": "Statistics",
    "VectorStructure": "VectorRow",
    "ViewStructure": "ViewRow",
    "_Scheduled": "ScheduledChange",
    "_Options": "SwitchingOptions",
    "Notes": "SwitchingNotes",
    "OptionsStructure": "HostOptions",
    "LevelStructure": "ConstraintLevel",
    "ConstraintStructure": "ImplicitConstraint",
    "_SetupStructure": "ImplicitSetup",
    "_EndStructure": "ImplicitEnd",
    "FusedStructure": "FusedRows",
    "FusedRecordStructure": "FusedRecordRows",
    "OpenStructure": "OpenRows",
    "SlopeStructure": "SlopeRows",
    "_Rows": "SensitivityRows",
}
"""Structures of C that have other names in Python; all others have the same, with or without ``Structure``."""
BEGINNINGS = {"RungeKuttaStructure"}
"""Structures of which Python knows the beginning."""
OTHERS = {"_Symbol"}
"""Structures of other libraries."""
HERE = {
    "library_call",
    "linear_order",
    "platform_sleep_until",
    "platform_vectors",
    "sandbox_lacks",
    "successive_take",
    "tape_operation",
    "tape_run",
}
"""Functions that no host is asked for, besides those of hosts, guards and heaps."""
FIELDS = {"_ModeChange": {"before": "from", "after": "to"}, "KernelStatistics": {"ways": "way"}}
"""Fields that have other names in C."""
STRUCTURES = [
    each for each in ctypes.Structure.__subclasses__() if each.__module__.startswith("coupling.kernel") and each.__name__ not in OTHERS
]


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Headers, Headers]:
    """Returns the headers of hosts, and all others, which have another ``Record``."""
    hosts = {*KERNEL.glob("hosts/*.h")}
    return Headers(sorted(hosts), tmp_path_factory.mktemp("hosts")), Headers(
        sorted({*KERNEL.rglob("*.h")} - hosts), tmp_path_factory.mktemp("others")
    )


def name_in_c(structure: type[ctypes.Structure]) -> str:
    return NAMES.get(structure.__name__, structure.__name__.removeprefix("_").removesuffix("Structure"))


def fields_in_c(structure: type[ctypes.Structure]) -> list[Scalar]:
    names = FIELDS.get(structure.__name__, {})
    return list(
        chain.from_iterable(
            scalars_of(kind, getattr(structure, name).offset, names.get(name, name)) for name, kind, *_ in structure._fields_
        )
    )


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda each: each.__name__)
def test_structures_are_those_of_c(structure: type[ctypes.Structure], headers: tuple[Headers, Headers]) -> None:
    """Sizes, and the kind, the offset and the name of each field."""
    where = next(
        each for each in headers if name_in_c(structure) in each.types and (".hosts." in structure.__module__ or each is headers[1])
    )
    size, scalars = where.structure(name_in_c(structure))
    ours = fields_in_c(structure)
    if structure.__name__ in BEGINNINGS:
        scalars = scalars[: len(ours)]
    else:
        assert ctypes.sizeof(structure) == size
    assert ours == scalars


@pytest.mark.parametrize("table", TABLES)
def test_rows_have_the_fields_of_their_structs(table: str, headers: tuple[Headers, Headers]) -> None:
    expected = [Scalar("integer", 4, 4 * i, field) for i, field in enumerate(TABLES[table])]
    assert headers[1].structure(f"{table.capitalize()}Row") == (4 * len(expected), expected)


def in_c(kind: Any) -> Scalar | None:
    """A result or an argument; arrays are addresses, and so is what NumPy checks."""
    if kind is None:
        return None
    is_scalar = hasattr(kind, "_type_") and not issubclass(kind, ctypes.Array)
    return next(scalars_of(kind)) if is_scalar else POINTER


def disagreements(headers: tuple[Headers, Headers], functions: dict[str, Any]) -> dict[str, object]:
    """Functions whose arguments are others in C, or that no header declares."""
    found = dict[str, object]()
    for name, function in functions.items():
        where = next((each for each in headers if name in each.prototypes), None)
        ours = [in_c(each) for each in (function.restype, *function.argtypes)]
        theirs = where and where.signature(name)
        if ours != theirs:
            found[name] = ours, theirs
    return found


def declared() -> dict[str, Any]:
    """Functions with the signatures that the bindings give them."""
    return {name: each for name, each in vars(library._library).items() if isinstance(each, ctypes._CFuncPtr) and each.argtypes is not None}


def letters_of(result: Any, arguments: Sequence[Any]) -> str:
    return "".join(map(letter_of, (result, *arguments)))


def called_in_hosts(line: str, name_at: int) -> dict[str, str]:
    """Reads lines of the table of calls: the kinds of the result and of the arguments by their first letters, by names at this place."""
    lines = re.findall(rf"^    {line}\((.*)\)", (KERNEL / "hosts" / "host_calls.c").read_text(), re.MULTILINE)
    words = [each.split(", ") for each in lines]
    return {each.pop(name_at): "".join(kind[0].lower() for kind in each) for each in words}


def test_hosts_call_functions_by_their_signatures() -> None:
    """Every function that a host may be asked for has an entry with its signature; tests declare others besides."""
    bound = "".join(path.read_text() for path in KERNEL.parent.rglob("*.py"))
    expected = {
        name: letters_of(each.restype, each.argtypes)
        for name, each in declared().items()
        if name not in HERE | _IN_PLACE and not name.startswith(("host_", "hosts_", "guard_", "heap_")) and f'"{name}"' in bound
    }
    assert called_in_hosts("CALL", 1) == expected


def test_hosts_call_addresses_by_signatures_of_their_names() -> None:
    """The signatures of SUNDIALS are among them."""
    found = called_in_hosts("AT", 0)
    assert all(name == letters for name, letters in found.items())
    assert {letters_of(*each) for each in sundials._SIGNATURES.values()} <= found.keys()


def test_signatures_are_those_of_c(headers: tuple[Headers, Headers]) -> None:
    """The number of arguments agrees, and the kind of each: an address, an integer of some size, or a real number."""
    functions = declared()
    assert len(functions) > 150
    assert not disagreements(headers, functions)


class Swapped(ctypes.Structure):
    """``SwitchingOptions`` with two fields of one kind in each other's place."""

    _fields_ = (
        [(name, kind) for name, kind in _Options._fields_[:2]]
        + [(_Options._fields_[i][0], ctypes.c_double) for i in (3, 2)]
        + _Options._fields_[4:]
    )


@pytest.mark.parametrize("wrong", [[], [ctypes.c_double], [ctypes.c_short]], ids=["missing", "kind", "size"])
def test_a_wrong_argument_is_found(wrong: list[Any], headers: tuple[Headers, Headers]) -> None:
    """An argument that is missing, one of another kind, and one of another size."""
    right = SimpleNamespace(restype=ctypes.c_int, argtypes=[ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p])
    assert not disagreements(headers, {"kernel_hold": right})
    right.argtypes[1:2] = wrong
    assert disagreements(headers, {"kernel_hold": right})


def test_fields_in_another_order_are_found(headers: tuple[Headers, Headers]) -> None:
    assert fields_in_c(_Options) == headers[1].structure("SwitchingOptions")[1] != fields_in_c(Swapped)
