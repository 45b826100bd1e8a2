"""Rows are plain data, and their kinds have the numbers of the kernel."""

from __future__ import annotations

import pickle
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np

import coupling.kernel
from coupling.kernel.rows.rows import NONE, TABLES, DriveKind, List, RowBuilder, Rows
from coupling.plan.jacobian import CallKind
from coupling.plan.schedule import Kind

HEADER = Path(coupling.kernel.__file__).parent / "rows" / "rows.h"


def asked_of_c(tmp_path: Path, expressions: list[str]) -> list[int]:
    """Returns the compiler's values of integer expressions about the header."""
    source, program = tmp_path / "ask.c", tmp_path / "ask"
    lines = "".join(f'    printf("%ld\\n", (long)({expression}));\n' for expression in expressions)
    source.write_text(f'#include "{HEADER}"\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{{\n{lines}    return 0;\n}}\n')
    subprocess.run(["gcc", "-std=c11", "-o", program, source], check=True)
    return list(map(int, subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()))


def test_numbers_of_kinds_are_those_of_the_kernel(tmp_path: Path) -> None:
    """Lists, operations, derivatives and drives go by the same numbers."""
    expected = {each.name: int(each) for enumeration in (List, Kind, CallKind) for each in enumeration}
    expected |= {f"BY_{each.name}": int(each) for each in DriveKind} | {"NONE": NONE, "LISTS": len(List)}
    assert dict(zip(expected, asked_of_c(tmp_path, list(expected)), strict=True)) == expected


def pendulum_like() -> RowBuilder:
    builder = RowBuilder(4, 1)
    builder.add_instance(0, 1, 0, False)
    builder.add_table([0.0, 1.0], [2.0, 3.0])
    builder.add_operation(List.CONTINUOUS, NONE, Kind.SET, 0, references=[2**32 - 1, 7], first=1, sources=[[3], [0, 3]])
    builder.set_derivative_slots([2])
    return builder


def test_rows_are_plain_data() -> None:
    """Rows made alike are equal, have the same hash, and come back from a pickle as they were; others are not equal."""
    rows = pendulum_like().rows()
    assert rows == pendulum_like().rows() == pickle.loads(pickle.dumps(rows))
    assert hash(rows) == hash(pendulum_like().rows())
    assert rows != replace(rows, slots=5)


def test_rows_stay_as_they_are_while_more_come() -> None:
    builder = pendulum_like()
    before: Rows = builder.rows()
    content = before.tables, before.number, before.real
    builder.add_instance(1, 0, 0, True)
    builder.add_table([5.0], [6.0])
    assert (before.tables, before.number, before.real) == content
    assert len(builder.rows().table("part")) == 2


def test_arrays_are_kept_once_and_empty_ones_not_at_all() -> None:
    """Equal arrays share a place; references keep all their 32 bits."""
    builder = pendulum_like()
    builder.add_operation(List.EVENTS, NONE, Kind.SET, 0, references=[2**32 - 1, 7], first=1, sources=[[3], [0, 3]])
    rows = builder.rows()
    first, second = rows.table("operation")
    assert first["references"] == second["references"] and first["source"] == second["source"] and first["places"] == NONE
    at = int(first["references"])
    assert rows.numbers[at : at + 2].view(np.uintc).tolist() == [2**32 - 1, 7]


def test_zeros_of_both_signs_are_two() -> None:
    builder = RowBuilder(1, 0)
    builder.add_table([0.0], [-0.0])
    times, values = (int(builder.rows().table("drive")[name][0]) for name in ("times", "values"))
    assert times != values and np.signbit(builder.rows().reals[values])


def test_tables_have_their_fields_by_name() -> None:
    rows = RowBuilder(0, 0).rows()
    assert {name: rows.table(name).dtype.names for name in TABLES} == dict(TABLES)
