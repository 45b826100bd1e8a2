"""The generated C file of a component: the tables and functions that ``runtime/model.h`` asks for."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain

import sympy
from sympy.printing.c import C99CodePrinter

from fmu_components.declare.declaration import Role
from fmu_components.declare.tables import Item, LeastStep, LookupBase, NextNode
from fmu_components.export.c_literals import c_bool, c_number, c_string
from fmu_components.export.c_texts import Ranges, Texts
from fmu_components.export.stages import STAGES, Plan, StageFunction, stage_of
from fmu_components.export.table import VariableTable, tolerated

_LARGEST = 2**63
"""Whole numbers from here on are no integers of C, and are written as doubles."""


class _CPrinter(C99CodePrinter):
    """Expressions in C, with symbols printed as what they are stored in."""

    def __init__(self, names: Mapping[sympy.Symbol, str], sizes: Mapping[sympy.Symbol, tuple[int, ...]]) -> None:
        # Sorting the terms takes longer than all else; the macros for pi and its like are no part of C11.
        super().__init__({"order": "none", "math_macros": {}})
        self._names, self._sizes = names, sizes

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return self._names[expr]

    def _print_NumberSymbol(self, expr: sympy.NumberSymbol) -> str:
        return repr(float(expr))

    def _print_Integer(self, expr: sympy.Integer) -> str:
        return super()._print_Integer(expr) if abs(int(expr)) < _LARGEST else repr(float(expr))

    def _print_Pow(self, expr: sympy.Pow) -> str:
        base, exponent = expr.as_base_exp() if expr.exp.is_number else (expr.base, expr.exp)
        if exponent.is_Integer and 1 < abs(int(exponent)) <= 4 and base.is_Symbol:
            product = "*".join([self._print(base)] * abs(int(exponent)))
            return f"(1.0/({product}))" if exponent < 0 else f"({product})"
        return super()._print_Pow(expr)

    def _print_Or(self, expr: sympy.Or) -> str:
        return " || ".join(f"({self._print(arg)})" for arg in sorted(expr.args, key=str))  # compilers warn of && within || alone

    def _print_LookupBase(self, expr: LookupBase) -> str:
        numbers = [*expr.orders, expr.kind, *map(self._print, expr.varying), *self._sizes[expr.arrays[-1]]]
        return f"{type(expr).__name__.lower()}({', '.join(map(str, numbers))}, {', '.join(map(self._address, expr.arrays))})"

    def _print_LeastStep(self, expr: LeastStep) -> str:
        return f"least_step({self._sizes[expr.array][0]}, {self._address(expr.array)})"

    def _print_NextNode(self, expr: NextNode) -> str:
        return f"next_node({self._print(expr.args[0])}, {self._sizes[expr.array][0]}, {self._address(expr.array)})"

    def _print_Item(self, expr: Item) -> str:
        return f"(&{self._print(expr.array)})[{int(expr.args[0]) % math.prod(self._sizes[expr.array])}]"

    def _address(self, array: sympy.Symbol) -> str:
        return f"&{self._print(array)}"

    def _print_BooleanTrue(self, expr: sympy.Basic) -> str:
        return "1"

    def _print_BooleanFalse(self, expr: sympy.Basic) -> str:
        return "0"


def expression_printer(names: Mapping[sympy.Symbol, str], sizes: Mapping[sympy.Symbol, tuple[int, ...]] | None = None) -> C99CodePrinter:
    """Prints expressions in C; a symbol that has no name here is a local variable of its own name. Arrays have ``sizes``, their shapes."""
    return _CPrinter(_Local(names), sizes or {})


def model_source(table: VariableTable) -> str:
    """The whole of ``model.c``."""
    return _ModelWriter(table).source()


class _ModelWriter:
    def __init__(self, table: VariableTable) -> None:
        self.table = table
        self.declared = table.declared
        self.plan = Plan(table)
        stored = {symbol: f"t[{index}]" for index, symbol in enumerate(self.plan.kept)}
        self.names = {v.symbol: f"v[{table.reference(v)}]" for v in table.variables} | stored
        self.arrays = [v for v in table.variables if v.shape]
        self.printer = expression_printer(self.names, {v.symbol: v.shape for v in self.arrays})
        self.texts = Texts()
        self.ranges = Ranges(self.texts)
        self.modes = [table.reference(each.mode) for each in self.declared.switched if self.declared[each.mode].role is Role.DISCRETE_INPUT]

    def source(self) -> str:
        relations = self.table.with_role(Role.RELATION)
        times = [e for e in self.declared.events if e.relation is None]
        states = self.table.with_role(Role.STATE)
        angles = [v for v in (*states, *self.table.with_role(Role.INPUT)) if v.unit == "rad"] if relations else []
        parts = {
            **self._chain(),
            "evaluate": self._stages("evaluate", self.plan.values, "double *restrict v, double *restrict t"),
            "differentiate": self._stages(
                "differentiate", self.plan.jacobian, "const double *restrict v, double *restrict t, double *restrict j"
            ),
            **self._events(),
            **self._requirements(),
            "variable": self._variables(),
            "range": self.ranges.source(),
            "text": self.texts.source(),
            **self._jacobian(),
            "state": _references("state", map(self.table.reference, states)),
            "derivative": _references("derivative", [self.table.reference(f"der({v.name})") for v in states]),
            "input": _references("input", self.table.references(Role.INPUT)),
            "indicator": _references("indicator", self.table.references(Role.INDICATOR)),
            "relation": _references("relation", map(self.table.reference, relations)),
            "watch": self._watch(),
            "angle": _references("angle", map(self.table.reference, angles)),
            "mode": _references("mode", self.modes),
            "relation_indicator": _references("relation_indicator", [self.table.reference(v.partner) for v in relations if v.partner]),
            "nominal": _array("double", "nominal", [c_number(tolerated(v)) for v in states]),
            "array": _array("Array", "array", [f"{{{self.table.reference(v)}, {v.size}}}" for v in self.arrays]),
        }
        there = {name: text for name, text in parts.items() if text}
        fields = [name for name in there if name != "slope"]
        sections = [
            f"/* {self.declared.name}: {self.declared.title}. Generated from its declaration; stages: {', '.join(STAGES)}. */",
            '#include "model.h"' + ('\n#include "lookup.h"' if self.arrays else "") + "\n\n#include <math.h>",
            *there.values(),
            self._model(len(relations), len(angles), len(times), fields),
        ]
        return "\n\n".join(sections) + "\n"

    def _stages(self, name: str, functions: Sequence[StageFunction], arguments: str) -> str:
        parts, pointers = [], []
        given = [argument.split()[-1].lstrip("*") for argument in arguments.split(",")]
        for stage, function in zip(STAGES, functions, strict=True):
            pieces = [self._statements(piece) for piece in function.pieces(self.plan.piece)]
            if name == "differentiate" and stage == STAGES[0] and self.plan.numbers:
                pieces.insert(0, ["    memcpy(j, slope, sizeof slope); /* those that are numbers, and 0 for the others */"])
            if len(pieces) > 1:
                parts += [_stage(f"static void {name}_{stage}_{i}({arguments})", piece, given) for i, piece in enumerate(pieces)]
                parts.append(_one_after_the_other(f"{name}_{stage}", arguments, given, len(pieces)))
            elif pieces:
                parts.append(_stage(f"static void {name}_{stage}({arguments})", pieces[0], given))
            pointers.append(f"{name}_{stage}" if pieces else "0")
        parts.append(f"static void (*const {name}[])({arguments}) = {{{', '.join(pointers)}}};")
        return "\n\n".join(parts)

    def _statements(self, function: StageFunction) -> list[str]:
        return [f"    {self._target(target)} = {self.printer.doprint(expression)};" for target, expression in function.steps]

    def _target(self, target: sympy.Symbol | int) -> str:
        return f"j[{target}]" if isinstance(target, int) else self.names.get(target, f"const double {target}")

    def _events(self) -> dict[str, str]:
        relations = [v.name for v in self.table.with_role(Role.RELATION)]
        events = self.declared.events
        rows: list[str] = []
        targets: list[int] = []
        updates: list[sympy.Basic] = []
        instants: list[sympy.Basic] = []
        for event in events:
            index = len(instants) if event.relation is None else relations.index(event.relation)
            if event.relation is None:
                instants.append(self.declared.expand(event.trigger.expression))
            rows.append(f"{{{event.trigger.kind.upper()}, {index}, {len(targets)}, {len(event.updates)}, {c_string(event.text)}}}")
            for name, update in event.updates.items():
                targets.append(self.table.reference(name))
                updates.append(self.declared.expand(update))
        return {
            "event": _array("Event", "event", rows),
            "assignment": _references("assignment", targets),
            "update": self._function("update", "double *new_values", "new_values", updates),
            "instants": self._function("instants", "double *next", "next", instants),
        }

    def _requirements(self) -> dict[str, str]:
        conditions = self.declared.conditions
        concerned = [self.table.concerned(condition) for condition in conditions]
        return {
            "requirement": _array("Requirement", "requirement", [f"{{{c_string(c.text)}, {c_bool(c.advisory)}}}" for c in conditions]),
            "concerned": _references("concerned", chain(*concerned)),
            "concerns": f"static const unsigned concerns[] = {{{', '.join(map(str, accumulate(map(len, concerned), initial=0)))}}};",
            "require": self._function("require", "double *margins", "margins", [self.declared.expand(c.expression) for c in conditions]),
        }

    def _watch(self) -> str:
        """Relations that one event alone watches matter in its direction only."""
        directions = {e.relation: {"rises": 1, "falls": -1}[e.trigger.kind] for e in self.declared.events if e.relation is not None}
        watched = [str(directions.get(v.name, 0)) for v in self.table.with_role(Role.RELATION)]
        return _array("signed char", "watch", watched)

    def _function(self, name: str, argument: str, array: str, expressions: Sequence[sympy.Basic]) -> str:
        if not expressions:
            return ""
        lines = [f"    {array}[{i}] = {self.printer.doprint(e)};" for i, e in enumerate(expressions)]
        return _body(f"static void {name}(const double *v, {argument})", lines, ("v", array))

    def _variables(self) -> str:
        positions: dict[Role, int] = {}
        rows = ["    {0.0, 0, 0, 0, INTERNAL, PARAMETER, 0, false},"]  # place 0 belongs to none
        for reference, v in self.table.scalars():
            stage = self.plan.value_stage[reference] if v.role.calculated else stage_of(v)
            position = positions[v.role] = positions.get(v.role, -1) + 1
            place = self.texts.place(v.name, v.unit if v.unit != "*" else "")
            rows.append(
                f"    {{{c_number(v.start or 0.0)}, {place}, {self.ranges.place(v.range)}, {position}, {v.type.upper()}, {v.role.name}, {stage}, "
                f"{c_bool(v.tunable)}}}, /* {v.name} */"
            )
        return "static const Variable variable[] = {\n" + "\n".join(rows) + "\n};"

    def _jacobian(self) -> dict[str, str]:
        entries = self.plan.entries
        unknowns = [unknown for unknown, _ in entries]
        starts = [bisect_left(unknowns, r) for r in range(self.table.count + 2)]
        rows = [f"{{{column}, {self.plan.entry_stage[index]}}}" for index, (_, column) in enumerate(entries)]
        return {"row": _array("unsigned", "row", map(str, starts)), "entry": _array("Entry", "entry", rows)}

    def _chain(self) -> dict[str, str]:
        """Writes the order in which the equations of a large component are differentiated, and the slopes that are numbers."""
        if not self.table.chained:
            return {}
        stages = [self.plan.value_stage[self.table.reference(variable)] for variable in self.declared.order]
        order = sorted(range(len(stages)), key=stages.__getitem__)
        starts = [sum(each < stage for each in stages) for stage in range(len(STAGES) + 1)]
        numbers = [c_number(float(self.plan.numbers.get(index, 0))) for index in range(len(self.plan.entries))]
        return {
            "slope": _array("double", "slope", numbers if self.plan.numbers else []),
            "chain": _references("chain", [self.table.reference(self.declared.order[place]) for place in order]),
            "chained": _array("unsigned", "chained", map(str, starts)),
        }

    def _model(self, relations: int, angles: int, times: int, there: Iterable[str]) -> str:
        t, d = self.table, self.declared
        assignments = sum(len(e.updates) for e in d.events)
        fields = {
            "name": c_string(d.name),
            "token": c_string(t.token),
            "variables": 1 + t.count,
            "time": t.count,
            "states": len(t.with_role(Role.STATE)),
            "inputs": len(t.with_role(Role.INPUT)),
            "indicators": len(t.with_role(Role.INDICATOR)),
            "relations": relations,
            "angles": angles,
            "times": times,
            "events": len(d.events),
            "requirements": len(d.conditions),
            "entries": len(self.plan.entries),
            "temporaries": len(self.plan.kept),
            "stages": len(STAGES),
            "ranges": len(self.ranges),
            "arrays": len(self.arrays),
            "modes": len(self.modes),
            "assignments": assignments,
            "switch_reference": t.reference(t.switch) if t.switch else 0,
            "implicit_reference": t.reference(t.implicit) if t.implicit else 0,
            "implicit_method": "&implicit_method" if t.implicit else 0,
            "default_stop": c_number(d.stop_time),
        }
        fields |= {name: name for name in there}
        return "const Model model = {\n" + "\n".join(f"    .{name} = {value}," for name, value in fields.items()) + "\n};"


class _Local(dict):
    """Names of stored symbols; a temporary that is not stored is a local variable of its own name."""

    def __missing__(self, symbol: sympy.Symbol) -> str:
        return str(symbol)


def _references(name: str, references: Iterable[int]) -> str:
    return _array("Reference", name, map(str, references))


def _array(type_: str, name: str, items: Iterable[str]) -> str:
    """Declares an array, or nothing for no items: models have no address in its place."""
    listed = ", ".join(items)
    return f"static const {type_} {name}[] = {{{listed}}};" if listed else ""


def _stage(head: str, lines: Sequence[str], arguments: Sequence[str]) -> str:
    return _body(head, [*lines, *(f"    (void)({a});" for a in arguments if not any(f"{a}[" in text for text in lines))], ())


def _body(head: str, lines: Sequence[str], arguments: Sequence[str]) -> str:
    unused = [f"    (void){a};" for a in arguments if not any(f"{a}[" in text for text in lines)]
    return f"{head}\n{{\n" + "\n".join([*lines, *unused]) + "\n}"


def _one_after_the_other(name: str, arguments: str, given: Sequence[str], count: int) -> str:
    """Writes a function that calls its pieces from a table, out of which compilers do not inline them."""
    pieces = ", ".join(f"{name}_{i}" for i in range(count))
    return (
        f"static void {name}({arguments})\n{{\n    static void (*const piece[])({arguments}) = {{{pieces}}};\n"
        f"    for (unsigned i = 0; i < {count}; i++)\n        piece[i]({', '.join(given)});\n}}"
    )
