"""The second backend: a declaration as a PythonFMU slave, an FMI 2.0 Co-Simulation FMU whose behaviour is Python code."""

from __future__ import annotations

import hashlib
import math
import shutil
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import sympy
from pythonfmu.builder import FmuBuilder
from sympy.printing.pycode import PythonCodePrinter

from fmu_components.declare import units
from fmu_components.declare.declaration import IMPLICIT, Event, Range, Role, Variable
from fmu_components.declare.tables import Item, LeastStep, LookupBase, NextNode
from fmu_components.export import archive
from fmu_components.export.compile import ExportError
from fmu_components.export.leftovers import scratch
from fmu_components.export.model_description import model_description
from fmu_components.export.pages.documentation import page
from fmu_components.export.pages.icons import png
from fmu_components.export.table import VariableTable, tolerated
from fmu_components.export.xml_text import document

RUNTIME = Path(__file__).parent.parent / "runtime" / "python"
"""The package that every generated slave is built upon; copied into its FMU."""

_GUARDED = ("sin", "cos", "tan", "asin", "acos", "acosh", "atanh", "exp", "cosh", "sinh", "log", "floor")
_FUNCTIONS = {name: f"runtime.{name}" for name in _GUARDED} | {"ceiling": "runtime.ceil"}


class _GuardedPrinter(PythonCodePrinter):
    """Expressions in Python, in which nothing raises: where C gives NaN or infinity, so does this.

    Common subexpressions are taken out of the branches of a Piecewise, so that a root or a quotient may well be computed where
    its argument is not meant for it.
    """

    def __init__(self, names: Mapping[sympy.Symbol, str]) -> None:
        super().__init__({"user_functions": _FUNCTIONS, "strict": True, "order": "none"})
        self._names = names

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return self._names.get(expr, str(expr))

    def _print_Float(self, expr: sympy.Float) -> str:
        return repr(float(expr))

    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        base, exponent = expr.base, expr.exp
        if exponent.is_number and exponent.is_negative:
            return f"runtime.divide(1.0, {self._print(base**-exponent)})"
        if exponent == sympy.S.Half:
            return f"runtime.sqrt({self._print(base)})"
        if exponent.is_Integer and exponent <= 4 and base.is_Symbol:
            return f"({'*'.join([self._print(base)] * int(exponent))})"
        return f"runtime.power({self._print(base)}, {self._print(exponent)})"

    def _print_Mul(self, expr: sympy.Mul) -> str:
        below = [f for f in sympy.Mul.make_args(expr) if f.is_Pow and f.exp.is_number and f.exp.is_negative]
        if not below:
            return super()._print_Mul(expr)
        above = [f for f in sympy.Mul.make_args(expr) if f not in below]
        divisor = sympy.Mul(*(f.base**-f.exp for f in below))
        return f"runtime.divide({self._print(sympy.Mul(*above))}, {self._print(divisor)})"

    def _print_LookupBase(self, expr: LookupBase) -> str:
        numbers = ", ".join(map(str, (*expr.orders, expr.kind)))
        return f"runtime.{type(expr).__name__.lower()}({numbers}, {', '.join(map(self._print, (*expr.varying, *expr.arrays)))})"

    def _print_LeastStep(self, expr: LeastStep) -> str:
        return f"runtime.least_step({self._print(expr.array)})"

    def _print_NextNode(self, expr: NextNode) -> str:
        return f"runtime.next_node({', '.join(map(self._print, expr.args))})"

    def _print_Item(self, expr: Item) -> str:
        return f"{self._print(expr.array)}[{expr.args[0]}]"

    def _print_Mod(self, expr: sympy.Mod) -> str:
        return f"runtime.modulo({self._print(expr.args[0])}, {self._print(expr.args[1])})"


def runtime_module() -> str:
    """The name of the runtime's package within an FMU.

    All FMUs in one process share one Python interpreter, which loads a module of a given name once: what differs needs
    names that differ.
    """
    return f"jourdain_slave_{_digest(''.join(path.read_text('utf-8') for path in sorted(RUNTIME.glob('*.py'))))}"


def slave_source(table: VariableTable, runtime: str | None = None) -> str:
    """The Python module of a component's slave, built upon the module ``runtime``."""
    return _SlaveWriter(table, runtime or runtime_module()).source()


def build_python_fmu(table: VariableTable, directory: Path, key: str = "") -> Path:
    """Builds the FMU of a component in a directory; the key of its content becomes the archive's comment."""
    if table.implicit:
        raise ExportError(
            f"{table.declared.name} has the option {IMPLICIT}, but FMUs of the Python backend integrate explicitly only; "
            f"take the backend native, or declare it without the option"
        )
    target = directory / f"{table.declared.name}.fmu"
    source = slave_source(table)
    module = f"{table.declared.identifier}_{_digest(source)}"
    with scratch() as work, _imports_restored(module, runtime_module()):
        script = work / f"{module}.py"
        script.write_text(source, "utf-8")
        runtime = Path(shutil.copytree(RUNTIME, work / runtime_module(), ignore=shutil.ignore_patterns("__pycache__")))
        raw = FmuBuilder.build_FMU(script, str(work), [runtime], canGetAndSetFMUstate=True, canSerializeFMUstate=True)
        archive.write(target, _completed(raw, table), key)
    return target


class _SlaveWriter:
    def __init__(self, table: VariableTable, runtime: str) -> None:
        self.table = table
        self.declared = table.declared
        self.runtime = runtime
        self.printer = _GuardedPrinter(
            {v.symbol: f"v[{r}:{r + v.size}]" if v.shape else f"v[{r}]" for v in table.variables for r in (table.reference(v),)}
        )

    def source(self) -> str:
        declared, table = self.declared, self.table
        states, relations = table.with_role(Role.STATE), table.with_role(Role.RELATION)
        times = [event for event in declared.events if event.relation is None]
        expand = declared.expand
        sections = [
            f"# {declared.name}: {declared.title}. Generated from its declaration.".replace("\n", " "),
            f"import math\n\nimport {self.runtime} as runtime",
            self._evaluate(),
            self._function("derivatives", [expand(declared[f"der({state.name})"].symbol) for state in states]),
            self._function("indicators", [expand(declared[r.partner].symbol) for r in relations if r.partner]),
            self._function("instants", [expand(event.trigger.expression) for event in times]),
            self._function("require", [expand(condition.expression) for condition in declared.conditions]),
            *(self._function(f"update_{i}", [expand(e) for e in event.updates.values()]) for i, event in enumerate(declared.events)),
            self._model(states, relations, times),
            f"class {declared.identifier}(runtime.Slave):\n    model = MODEL",
        ]
        return "\n\n\n".join(sections) + "\n"

    def _evaluate(self) -> str:
        """Sets all calculated variables in place."""
        lines = [f"v[{self.table.reference(v)}] = {self.printer.doprint(v.equation)}" for v in self.declared.order]
        return _body("evaluate", lines or ["pass"])

    def _function(self, name: str, expressions: Sequence[sympy.Basic]) -> str:
        lines, reduced = self._shared(expressions)
        return _body(name, [*lines, f"return {_tuple([self.printer.doprint(value) for value in reduced])}"])

    def _shared(self, expressions: Sequence[sympy.Basic]) -> tuple[list[str], Sequence[sympy.Basic]]:
        if not expressions:
            return [], []
        shared, reduced = sympy.cse(expressions, symbols=(sympy.Symbol(f"t{i}") for i in range(10**6)), order="none")
        return [f"{symbol} = {self.printer.doprint(value)}" for symbol, value in shared], reduced

    def _model(self, states: Sequence[Variable], relations: Sequence[Variable], times: Sequence[Event]) -> str:
        declared, table = self.declared, self.table
        events = [self._event(i, event, relations, times) for i, event in enumerate(declared.events)]
        fields = {
            "name": repr(declared.name),
            "title": repr(declared.title),
            "token": repr(table.token),
            "stop_time": repr(declared.stop_time),
            "variables": _table(_variables(table)),
            "states": _tuple([str(table.reference(v)) for v in states]),
            "nominal": _tuple([_literal(tolerated(v)) for v in states]),
            "relations": _tuple([str(table.reference(v)) for v in relations]),
            "events": _table(events),
            "conditions": _table(
                [f"({c.text!r}, {_tuple(list(map(str, table.concerned(c))))}, {c.advisory})" for c in declared.conditions]
            ),
            **{name: name for name in ("evaluate", "derivatives", "indicators", "instants", "require")},
        }
        return "MODEL = runtime.Model(\n" + "".join(f"    {name}={value},\n" for name, value in fields.items()) + ")"

    def _event(self, number: int, event: Event, relations: Sequence[Variable], times: Sequence[Event]) -> str:
        place = times.index(event) if event.relation is None else [v.name for v in relations].index(event.relation)
        targets = _tuple([str(self.table.reference(name)) for name in event.updates])
        return f"runtime.SlaveEvent({event.trigger.kind!r}, {place}, {targets}, update_{number}, {event.text!r})"


def _variables(table: VariableTable) -> list[str]:
    """The table of variables; causality, variability and initial are those of the model description."""
    described = ET.fromstring(_native_description(table)).iterfind("ModelVariables/ScalarVariable")
    return [_variable(v, element.attrib, v is table.switch) for (_, v), element in zip(table.scalars(), described, strict=True)]


def _variable(v: Variable, described: Mapping[str, str], switch: bool) -> str:
    fields: list[Any] = [described["name"], v.type, described["causality"], described["variability"], described.get("initial"), v.start]
    fields += [v.unit if v.unit != units.MIXED else "", v.text]
    if switch:
        fields += [0.0, 0.0, False, False, "False: in Co-Simulation a joint is always compliant"]
    elif v.range != Range():
        fields += [
            v.range.minimum,
            v.range.maximum,
            v.range.open_below,
            v.range.open_above,
            f"{v.range}{v.range.otherwise and '; '}{v.range.otherwise}",
        ]
    return f"runtime.SlaveVariable({', '.join(map(_literal, fields))})"


def _literal(value: Any) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _table(rows: Sequence[str]) -> str:
    return "(\n" + "".join(f"        {row},\n" for row in rows) + "    )" if rows else "()"


def _body(name: str, lines: Sequence[str]) -> str:
    return f"def {name}(v):\n" + "\n".join(f"    {line}" for line in lines)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def _imports_restored(*modules: str) -> Iterator[None]:
    """PythonFMU's builder imports what it packs, and leaves its folder on the path."""
    path, before = sys.path.copy(), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in modules:
                del sys.modules[name]


def _completed(raw: Path, table: VariableTable) -> dict[str, bytes]:
    """The files of the FMU that PythonFMU has built, with the model description of the native FMU where the two agree."""
    with zipfile.ZipFile(raw) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    files |= {
        "documentation/index.html": page(table).encode(),
        "documentation/licenses/license.txt": archive.LICENSE.encode(),
        "model.png": png(table.declared),
    }
    files["modelDescription.xml"] = _description(files["modelDescription.xml"], table).encode()
    return files


@lru_cache(maxsize=1)
def _native_description(table: VariableTable) -> str:
    """Takes a while; one build asks twice."""
    return model_description(table, fmi=2)


def _description(of_pythonfmu: bytes, table: VariableTable) -> str:
    """Returns a description whose tool, abilities and log are those of PythonFMU; variables, units and structure are those of native FMUs."""
    given, root = ET.fromstring(of_pythonfmu), ET.fromstring(_native_description(table))
    root.set("generationTool", given.attrib["generationTool"])
    root.attrib.pop("numberOfEventIndicators")  # for Model Exchange only
    root.remove(_child(root, "ModelExchange"))
    for tag in ("CoSimulation", "LogCategories"):
        place = list(root).index(_child(root, tag))
        root[place] = _child(given, tag)
    ET.indent(root)
    return document(ET.tostring(root, encoding="unicode"))


def _child(parent: ET.Element, tag: str) -> ET.Element:
    child = parent.find(tag)
    assert child is not None
    return child


__all__ = ["RUNTIME", "build_python_fmu", "runtime_module", "slave_source"]
