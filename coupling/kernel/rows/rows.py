"""The rows of numbers from which a system of the kernel is built; see ``rows.h``, whose fields these are."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

NONE = -1
"""Place of an array that does not exist."""

WHOLE = -2
"""Number in the place of a loop that stands for the bordered equations."""

TABLES: dict[str, tuple[str, ...]] = {
    "part": ("first_state", "states", "indicators", "completed_step"),
    "drive": ("kind", "points", "times", "count", "values"),
    "loop": (
        *("unknowns", "first", "residual_start", "residual_slot", "residual_factor"),
        *("first_sum", "sums", "sum_start", "sum_factor", "left", "right", "row_start", "column", "order"),
        *("first_row", "always", "inner", "last", "moved", "target", "row", "middle", "factor", "term", "slot"),
        *("first_mobility", "mobile", "mobile_state", "mobile_start", "mobile_column", "joint", "cycle"),
    ),
    "operation": ("list", "loop", "kind", "type", "index", "count", "first", "references", "places", "source_start", "source"),
    "derivative": (
        *("loop", "kind", "part", "at_events", "unknowns", "unknown", "knowns", "known", "seed", "first", "unknown_slot", "known_slot"),
        "nominal",
    ),
    "coupling": ("inputs", "arriving", "first_end", "held_count", "held", "most", "predicted_count", "predicted"),
    "stepper": ("part", "inputs", "references", "degree", "saves", "variable", "constrained", "period"),
    "other": ("part",),
    "bond": ("input", "rate", "total", "sign"),
    "record": ("columns", "slot", "unread"),
    "constraint": ("loop", "unknown", "position", "velocity"),
    "motion": ("state", "velocity"),
    "turn": ("omega", "q"),
    "bordered": (
        *("unknowns", "velocities", "terms", "entries", "product_start", "factor", "term", "entry", "row_start", "column", "chosen"),
        *("level", "velocity_of", "moving"),
    ),
    "level": ("part", "count", "references", "places"),
    "switched": (
        *("kind", "loop", "unknown", "part", "indicator", "type", "mode", "acceleration", "limit", "still", "back", "still_back"),
        *("restitution", "normal", "second", "multiplier", "followed", "follow_loop", "follow_unknown", "follow_reference"),
    ),
}
"""The fields of each kind of row, all of them integers."""


class List(IntEnum):
    """The orders of operations."""

    CONTINUOUS = 0
    FAST = 1
    EVENTS = 2
    RECORDING = 3
    OUTPUTS = 4
    READING = 5

    @classmethod
    def sequence_of(cls, stepper: int) -> int:
        """Returns the list of what is passed on for a Co-Simulation instance, where these step one after another."""
        return len(cls) + 2 * stepper

    @classmethod
    def outputs_of(cls, stepper: int) -> int:
        """Returns the list of such an instance's outputs."""
        return len(cls) + 2 * stepper + 1


class DriveKind(IntEnum):
    TABLE = 0
    POLYNOMIAL = 1
    FUNCTION = 2
    PIECES = 3
    FORMULA = 4


class RowsStructure(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in ("slots", "states", "derivative_slot", "group", *(f"{name}s" for name in TABLES))),
        *((name, ctypes.c_void_p) for name in (*TABLES, "number", "real", "formula")),
    ]


@dataclass(frozen=True)
class Rows:
    """A system as the kernel takes it: plain data, which can be compared, hashed and pickled."""

    slots: int
    states: int
    derivative_slot: int
    """The place of the slots of the states' derivatives."""
    group: int
    """The place of the numbers of the states' groups: each of these has one instance and one unit."""
    tables: tuple[bytes, ...]
    """The rows of each kind, in the order of ``TABLES``."""
    number: bytes
    """The pool of integers."""
    real: bytes
    """The pool of real numbers."""

    def table(self, name: str) -> np.ndarray:
        """Returns the rows of a kind, with their fields by name."""
        fields = np.dtype([(each, np.intc) for each in TABLES[name]])
        return np.frombuffer(self.tables[list(TABLES).index(name)], fields)

    def mappings(self, name: str) -> list[dict[str, int]]:
        """Returns the same rows, each as a mapping."""
        return [dict(zip(TABLES[name], row, strict=True)) for row in self.table(name).tolist()]

    @property
    def numbers(self) -> np.ndarray:
        return np.frombuffer(self.number, np.intc)

    @property
    def reals(self) -> np.ndarray:
        return np.frombuffer(self.real, np.float64)

    @cached_property
    def structure(self) -> RowsStructure:
        """The structure for calls of the kernel; the arrays that it points to live as long as the rows."""
        counts = [len(rows) // (ctypes.sizeof(ctypes.c_int) * len(TABLES[name])) for name, rows in zip(TABLES, self.tables, strict=True)]
        arrays = (ctypes.cast(ctypes.c_char_p(each), ctypes.c_void_p) for each in (*self.tables, self.number, self.real))
        return RowsStructure(self.slots, self.states, self.derivative_slot, self.group, *counts, *arrays)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the fields without addresses."""
        return {name: value for name, value in vars(self).items() if name != "structure"}


class _Pool:
    """Arrays one after the other; equal ones once."""

    def __init__(self) -> None:
        self.content = bytearray()
        self._known: dict[bytes, int] = {}

    def place(self, values: array) -> int:
        if not values:
            return NONE
        key = values.tobytes()
        if key not in self._known:
            self._known[key] = len(self.content) // values.itemsize
            self.content += key
        return self._known[key]


@dataclass
class RowBuilder:
    """A builder of rows; ``rows`` may be called more than once, and earlier results stay unchanged."""

    slots: int
    states: int
    _tables: dict[str, array] = field(
        default_factory=lambda: {name: array("i") for name in TABLES if name not in ("loop", "coupling", "record")}
    )
    _loops: list[dict[str, int]] = field(default_factory=list)
    _coupling: dict[str, int] = field(default_factory=dict)
    _record: dict[str, int] = field(default_factory=dict)
    _number: _Pool = field(default_factory=_Pool)
    _real: _Pool = field(default_factory=_Pool)
    _derivative_slot: int = NONE
    _group: int = NONE
    _functions: int = 0

    @classmethod
    def of(cls, rows: Rows) -> RowBuilder:
        """Goes on from rows that exist already."""
        builder = cls(rows.slots, rows.states)
        for name, content in zip(TABLES, rows.tables, strict=True):
            if name in builder._tables:
                builder._tables[name].frombytes(content)
        builder._loops = rows.mappings("loop")
        builder._coupling = next(iter(rows.mappings("coupling")), {})
        builder._record = next(iter(rows.mappings("record")), {})
        builder._number.content += rows.number
        builder._real.content += rows.real
        builder._derivative_slot, builder._group = rows.derivative_slot, rows.group
        builder._functions = int((rows.table("drive")["kind"] == DriveKind.FUNCTION).sum())
        return builder

    def rows(self) -> Rows:
        """Returns the rows of everything so far."""
        single = {"loop": self._loops, "coupling": filter(None, [self._coupling]), "record": filter(None, [self._record])}
        tables = []
        for name, fields in TABLES.items():
            if name in single:
                tables.append(array("i", [row.get(each, NONE) for row in single[name] for each in fields]).tobytes())
            else:
                tables.append(self._tables[name].tobytes())
        places = (self._derivative_slot, self._group)
        return Rows(self.slots, self.states, *places, tuple(tables), bytes(self._number.content), bytes(self._real.content))

    def _add(self, table: str, *row: int) -> int:
        width, rows = len(TABLES[table]), self._tables[table]
        assert len(row) == width
        rows.extend(row)
        return len(rows) // width - 1

    def _ints(self, values: Iterable[int]) -> int:
        return self._number.place(array("i", values))

    def _references(self, values: Iterable[int]) -> int:
        return self._number.place(array("I", values))

    def _doubles(self, values: Iterable[float]) -> int:
        return self._real.place(array("d", values))

    def add_instance(self, first_state: int, states: int, indicators: int, completed_step: bool) -> int:
        return self._add("part", first_state, states, indicators, completed_step)

    def add_function(self, breaks: Sequence[float] = ()) -> int:
        """Adds a drive that calls the next of the functions that the kernel is given, which jumps at these times."""
        self._functions += 1
        return self._add_drive(DriveKind.FUNCTION, breaks, self._functions - 1)

    def add_polynomial(self, value: float = 0.0) -> int:
        """Adds a drive whose coefficients ``Kernel.set_polynomial`` gives; until then it is constant."""
        return self._add_drive(DriveKind.POLYNOMIAL, (), 1, [value])

    def add_table(self, times: Iterable[float], values: Iterable[float]) -> int:
        return self._add_drive(DriveKind.TABLE, times, 0, values)

    def add_pieces(self, times: Iterable[float], outside: tuple[float, float], coefficients: np.ndarray) -> int:
        """Adds polynomials between times, a row of rising powers each, and the values before and after all."""
        return self._add_drive(DriveKind.PIECES, times, coefficients.shape[1], [*outside, *coefficients.ravel()])

    def add_formula(self, program: Sequence[float], breaks: Sequence[float] = ()) -> int:
        """Adds a drive that the kernel calculates, from pairs of an operation and a number."""
        return self._add_drive(DriveKind.FORMULA, breaks, len(program) // 2, program)

    def _add_drive(self, kind: DriveKind, times: Iterable[float], count: int, values: Iterable[float] = ()) -> int:
        x = array("d", times)
        return self._add("drive", kind, len(x), self._real.place(x), count, self._doubles(values))

    def add_loop(self, unknowns: int, first: int, residuals: Sequence[Sequence[tuple[int, float]]]) -> int:
        """Adds a loop; ``residuals`` are weighted slots."""
        self._loops.append(
            {
                "unknowns": unknowns,
                "first": first,
                "residual_start": self._starts(residuals),
                "residual_slot": self._ints(slot for r in residuals for slot, _ in r),
                "residual_factor": self._doubles(factor for r in residuals for _, factor in r),
            }
        )
        return len(self._loops) - 1

    def add_operation(
        self,
        where: int,
        loop: int,
        kind: int,
        index: int,
        *,
        type_: int = 0,
        references: Sequence[int] = (),
        count: int | None = None,
        first: int = 0,
        places: Sequence[int] = (),
        sources: Sequence[Sequence[int]] = (),
    ) -> int:
        """Adds an operation; ``where`` is one of ``List``; ``loop`` is NONE except for operations inside of one."""
        number = len(references) if count is None else count
        arrays = self._references(references), self._ints(places)
        given = (self._starts(sources), self._ints(slot for each in sources for slot in each)) if sources else (NONE, NONE)
        return self._add("operation", where, loop, kind, type_, index, number, first, *arrays, *given)

    def add_derivative(
        self,
        loop: int,
        kind: int,
        part: int,
        *,
        at_events: bool,
        unknowns: Sequence[int],
        knowns: Sequence[int],
        seed: Sequence[float],
        first: int,
        unknown_slots: Sequence[int] = (),
        known_slot: int = 0,
        nominal: float = 1.0,
    ) -> int:
        rows, columns = (len(unknowns), self._references(unknowns)), (len(knowns), self._references(knowns))
        tail = self._doubles(seed), first, self._ints(unknown_slots), known_slot, self._doubles([nominal])
        return self._add("derivative", loop, kind, part, at_events, *rows, *columns, *tail)

    def set_jacobian(
        self,
        loop: int,
        first_sum: int,
        sums: Sequence[Sequence[tuple[float, int, int]]],
        row_start: Iterable[int],
        columns: Iterable[int],
        order: Iterable[int],
    ) -> None:
        """Sets the Jacobian of a loop; ``sums`` are sums of products: a factor and two terms."""
        products = [product for each in sums for product in each]
        self._loops[loop] |= {
            "first_sum": first_sum,
            "sums": len(sums),
            "sum_start": self._starts(sums),
            "sum_factor": self._doubles(p[0] for p in products),
            "left": self._ints(p[1] for p in products),
            "right": self._ints(p[2] for p in products),
            "row_start": self._ints(row_start),
            "column": self._ints(columns),
            "order": self._ints(order),
        }

    def set_mobility(self, loop: int, first: int, states: Sequence[int], row_start: Sequence[int], columns: Sequence[int]) -> None:
        """Sets which of the loop's sums are derivatives of states' derivatives by its unknowns."""
        arrays = {"mobile_state": self._ints(states), "mobile_start": self._ints(row_start), "mobile_column": self._ints(columns)}
        self._loops[loop] |= {"first_mobility": first, "mobile": len(states), **arrays}

    def set_joints(self, loop: int, joint: Sequence[int], cycle: Sequence[int]) -> None:
        """Sets the joint and the cycle of joints of each unknown; NONE where it has none."""
        self._loops[loop] |= {"joint": self._ints(joint), "cycle": self._ints(cycle)}

    def add_constraint(self, loop: int, unknown: int, position: int, velocity: int) -> None:
        """Adds the slots of the quantities that an unknown of a loop keeps at zero; NONE where its instance does not give them."""
        self._add("constraint", loop, unknown, position, velocity)

    def add_motion(self, state: int, velocity: int) -> None:
        """Adds a state whose derivative is another state."""
        self._add("motion", state, velocity)

    def add_turn(self, omega: int, q: int) -> None:
        """Adds the first of three states, an absolute angular velocity, and of four, the quaternion that it turns."""
        self._add("turn", omega, q)

    def set_bordered(
        self,
        sizes: Sequence[int],
        sums: Sequence[Sequence[tuple[float, int, int]]],
        pattern: Sequence[Iterable[int]],
        levels: Sequence[int],
        velocity_of: Sequence[int],
        moving: Iterable[bool],
    ) -> None:
        """Sets the bordered equations. ``sizes`` are the numbers of unknowns and of terms. ``sums`` are the entries, as products of a
        factor, a term and an earlier entry. The ``pattern`` has row starts, columns and entries."""
        products = [product for each in sums for product in each]
        factors = self._doubles(p[0] for p in products)
        operands = self._ints(p[1] for p in products), self._ints(p[2] for p in products)
        places = self._starts(sums), factors, *operands, *map(self._ints, pattern)
        counts = sizes[0], len(velocity_of), sizes[1], 1 + len(sums)
        self._add("bordered", *counts, *places, self._ints(levels), self._ints(velocity_of), self._ints(map(int, moving)))

    def add_level(self, part: int, references: Sequence[int], places: Sequence[int]) -> None:
        """Adds outputs that say how far constraints hold, and the place of each."""
        self._add("level", part, len(references), self._references(references), self._ints(places))

    def add_switched(self, follows: Sequence[tuple[int, int, int]], **row: int) -> None:
        """Adds a multiplier whose constraint depends on a mode; fields that are left out are NONE.

        ``follows`` are the loops, unknowns and references of multipliers that its limits depend on.
        """
        arrays = {
            f"follow_{name}": self._ints(column)
            for name, column in zip(("loop", "unknown", "reference"), zip(*follows, strict=True), strict=False)
        }
        row |= {"followed": len(follows), **arrays}
        self._add("switched", *(row.get(each, NONE) for each in TABLES["switched"]))

    def set_shortcut(
        self,
        loop: int,
        first: int,
        counts: Sequence[int],
        unknowns: Sequence[int],
        targets: Sequence[int],
        rows: Sequence[Sequence[tuple[float, int, int]]],
    ) -> None:
        """Sets the shortcut of a loop. ``counts`` are those of the five sorts of rows, each of which sums a factor times a term times a
        slot."""
        ordered = [sorted(row, key=lambda item: item[1] != 0) for row in rows]
        items = [item for row in ordered for item in row]
        starts = accumulate(map(len, rows), initial=0)
        _, always, inner, _, last = counts
        self._loops[loop] |= {
            "first_row": first,
            "always": always,
            "inner": inner,
            "last": last,
            "moved": self._ints(unknowns),
            "target": self._ints(targets),
            "row": self._starts(rows),
            "middle": self._ints(start + sum(term == 0 for _, term, _ in row) for start, row in zip(starts, ordered, strict=False)),
            "factor": self._doubles(i[0] for i in items),
            "term": self._ints(i[1] for i in items),
            "slot": self._ints(i[2] for i in items),
        }

    def set_derivative_slots(self, slots: Iterable[int]) -> None:
        self._derivative_slot = self._ints(slots)

    def set_groups(self, groups: Iterable[int]) -> None:
        """Sets the numbers of instance and unit, by state."""
        self._group = self._ints(groups)

    def set_record(self, slots: Sequence[int], unread: Collection[int] = ()) -> None:
        """Sets the slots of the columns; values in the ``unread`` ones feed nothing and need not be finite."""
        self._record = {"columns": len(slots), "slot": self._ints(slots), "unread": self._ints(slot in unread for slot in slots)}

    # -- Co-Simulation -------------------------------------------------------------------------------------------------

    def couple(self, arriving: Sequence[int], first_end: int, most: Sequence[int]) -> None:
        """Adds the slots for Co-Simulation instances: of the values that arrive at their inputs, and of these values at the end of a step.
        ``most`` is the highest degree of the polynomial of each input."""
        counts = {"held_count": 0, "predicted_count": 0, "most": self._ints(most)}
        self._coupling = counts | {"inputs": len(arriving), "arriving": self._ints(arriving), "first_end": first_end}

    def add_stepper(
        self, part: int, references: Sequence[int], degree: int, *, saves: bool, variable: bool, constrained: bool, period: float = 0.0
    ) -> int:
        where = self._references(references), degree, saves, variable, constrained, self._doubles([period])
        return self._add("stepper", part, len(references), *where)

    def add_other(self, part: int) -> None:
        """Adds a Model Exchange instance whose state is saved and restored as well."""
        self._add("other", part)

    def set_held(self, slots: Sequence[int]) -> None:
        """Sets the slots of outputs that change at events only."""
        self._coupling |= {"held_count": len(slots), "held": self._ints(slots)}

    def set_predicted(self, slots: Sequence[int]) -> None:
        self._coupling |= {"predicted_count": len(slots), "predicted": self._ints(slots)}

    def add_bond(self, input_: int, rate: int, total: int, sign: float) -> None:
        self._add("bond", input_, rate, total, self._doubles([sign]))

    def _starts(self, groups: Iterable[Sequence[object]]) -> int:
        """Adds the places where each group begins, and where the last one ends."""
        return self._ints(accumulate(map(len, groups), initial=0))
