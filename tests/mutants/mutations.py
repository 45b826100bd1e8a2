"""Mutants of sources: one sign, comparison, constant, statement or pair of arguments is another."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+"}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A change of one place of a file."""

    path: Path
    line: int
    kind: str
    before: str
    after: str
    start: int
    """The place of ``before`` in the text of the file."""
    around: tuple[str, str]
    """The rest of its lines, before and after it."""
    twins: int = 0
    """Number of mutants before it in the file whose lines have the same text."""

    def applied(self, text: str) -> str:
        assert text[self.start : self.start + len(self.before)] == self.before
        return text[: self.start] + self.after + text[self.start + len(self.before) :]

    @property
    def key(self) -> str:
        """The key of a mutant: the text of its lines, which does not depend on changes elsewhere. A number follows where earlier lines have
        the same text."""
        was, becomes = (" ".join(each.join(self.around).split()) for each in (self.before, self.after))
        return f"{self.path.as_posix()}: {self.kind}: {was} -> {becomes}{f' ({self.twins + 1})' if self.twins else ''}"


def mutants(path: Path, text: str) -> list[Mutant]:
    """Returns all mutants of a file in Python or C."""
    seen = Counter[str]()
    found = []
    for each in (_of_python if path.suffix == ".py" else _of_c)(path, text):
        found.append(replace(each, twins=seen[each.key]))
        seen[each.key] += 1
    return found


class _Text:
    """A text with the place of each line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.begins = [0]
        for line in text.splitlines(keepends=True):
            self.begins.append(self.begins[-1] + len(line))

    def place(self, line: int, column: int) -> int:
        """The place of a column in bytes, as ``ast`` counts them."""
        begin, end = self.begins[line - 1], self.begins[line]
        return begin + len(self.text[begin:end].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def mutant(self, kind: str, start: int, end: int, after: str) -> Mutant:
        line = self.text.count("\n", 0, start) + 1
        around = self.text[self.begins[line - 1] : start], self.text[end:].partition("\n")[0]
        return Mutant(path=self.path, line=line, kind=kind, before=self.text[start:end], after=after, start=start, around=around)


def _of_python(path: Path, text: str) -> Iterator[Mutant]:
    source, tree = _Text(path, text), ast.parse(text)
    inside = _left_out(source, tree)
    seen = [each for each in ast.walk(tree) if isinstance(each, ast.expr | ast.stmt) and id(each) not in inside]
    for node in seen:
        start, end = source.span(node)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
            and abs(node.value) not in (0, 1)
        ) or (isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value):
            yield source.mutant("constant", start, end, repr(node.value * 1000))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield source.mutant("sign", start, end, text[source.span(node.operand)[0] : end])
        elif (
            (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
            or isinstance(node, ast.AugAssign)
            or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript))
        ):
            yield source.mutant("statement", start, end, "pass")
        elif isinstance(node, ast.Call):
            for a, b in zip(node.args, node.args[1:], strict=False):
                (first, middle), (then, last) = source.span(a), source.span(b)
                if text[first:middle] != text[then:last] and not isinstance(a, ast.Starred) and not isinstance(b, ast.Starred):
                    yield source.mutant("arguments", first, last, text[then:last] + text[middle:then] + text[first:middle])
    spans = [source.span(node) for node in seen if isinstance(node, ast.Compare | ast.BinOp)]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        place = source.begins[token.start[0] - 1] + token.start[1]
        other = COMPARISONS.get(token.string) or SIGNS.get(token.string)
        if token.type == tokenize.OP and other and _is_operator(place, seen, source, spans):
            kind = "comparison" if token.string in COMPARISONS else "sign"
            yield source.mutant(kind, place, place + len(token.string), other)


def _is_operator(place: int, nodes: list[ast.expr | ast.stmt], source: _Text, spans: list[tuple[int, int]]) -> bool:
    """Says whether a sign or comparison stands between the operands of an expression, and not before one."""
    if not any(start <= place < end for start, end in spans):
        return False
    return any(
        source.span(node.left)[1] <= place < source.span(node.right)[0]
        if isinstance(node, ast.BinOp)
        else isinstance(node, ast.Compare) and source.span(node.left)[1] <= place < source.span(node.comparators[-1])[0]
        for node in nodes
    )


def _left_out(source: _Text, tree: ast.Module) -> set[int]:
    """Returns what says nothing to a run: annotations, decorators, texts of errors, drawings, and what type checkers alone read."""
    found: set[int] = set()

    def leave(node: ast.AST | None) -> None:
        found.update(id(each) for each in ast.walk(node)) if node else None

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for each in node.decorator_list:
                leave(each)
        if isinstance(node, ast.FunctionDef):
            leave(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign):
            leave(node.annotation)
        if isinstance(node, ast.JoinedStr | ast.Raise) or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "drawing"):
            leave(node)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            leave(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "self.parameter":
            leave(next((each.value for each in node.keywords if each.arg == "nominal"), None))  # which tools alone read
    return found


_C_HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE)
_C_OPERATOR = re.compile(r"(?<=[\w\])]) (<=|>=|==|!=|<|>|\+|-) (?=[\w(\-!&*])")
_C_MINUS = re.compile(r"(?<=[=(,] )-(?=[a-z(])|(?<=return )-(?=[a-z(])")
_C_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|[2-9]\d*)(?![\w.])")
_C_STATEMENT = re.compile(
    r"^[ ]{4,}((?:[\w\->.\[\]* ]+ [-+*/|&]?= [^;{}]+|[a-z_]\w*\([^;{}]*\)|[\w\->.\[\]]+(?:\+\+|--))\s*;)", re.MULTILINE
)
_C_DECLARES = re.compile(r"(const |static |double |int |size_t |bool |long |[A-Z]\w* \*?\w+ =|return\b|\w*free\w*\()")
_C_ARGUMENTS = re.compile(r"(?<=\w\()([\w\->.]+), ([\w\->.]+)(?=[,)])")


def _of_c(path: Path, text: str) -> Iterator[Mutant]:
    source = _Text(path, text)
    code = _C_HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    bodies = [(each.start(), each.end()) for each in re.finditer(r"^\{.*?^\}", code, re.DOTALL | re.MULTILINE)]

    def is_inside(place: int) -> bool:
        return any(start < place < end for start, end in bodies)

    for each in _C_OPERATOR.finditer(code):
        if is_inside(each.start()):
            kind = "comparison" if each[1] in COMPARISONS else "sign"
            yield source.mutant(kind, each.start(1), each.end(1), (COMPARISONS | SIGNS)[each[1]])
    for each in _C_MINUS.finditer(code):
        if is_inside(each.start()):
            yield source.mutant("sign", each.start(), each.end(), "")
    for each in _C_NUMBER.finditer(code):
        line = code[code.rfind("\n", 0, each.start()) + 1 : code.find("\n", each.end())]
        if is_inside(each.start()) or line.startswith("static const double"):
            yield source.mutant("constant", each.start(), each.end(), f"({each[0]} * 1000)")
    for each in _C_STATEMENT.finditer(code):
        if is_inside(each.start()) and not _C_DECLARES.match(each[1]):
            yield source.mutant("statement", each.start(1), each.end(1), ";")
    for each in _C_ARGUMENTS.finditer(code):
        if is_inside(each.start()) and each[1] != each[2]:
            yield source.mutant("arguments", each.start(), each.end(), f"{each[2]}, {each[1]}")
