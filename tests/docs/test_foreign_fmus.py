"""The page on FMUs of other tools names every function that refuses an FMU, or notes something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "foreign-fmus.md"
SOURCES = [
    *sorted((ROOT / "coupling" / "fmus").glob("*.py")),
    *(ROOT / "coupling" / path for path in ("live/dependencies.py", "live/libraries.py", "plan/build.py")),
]
REFUSES = {"broken", "unsuitable", "FmuError", "UnpackingFailed", "Inconsistent"}
NOT_RULES = {"errors.Source.broken", "errors.Source.unsuitable"}
"""They write sentences for others."""
BESIDE = {
    "build._once_per_process",
    "errors.Source.parsed",
    "picture.read_picture",
    "reader._notes_on_tools",
    "structure.notes_on_derivatives",
    "terminals.read_terminals",
}
"""Functions that refuse by another error, or write notes."""


def functions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """Yields the functions of a file by their names, and what each contains beside other functions."""

    def inside(node: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            yield name, child
            yield from inside(child, f"{name}.{child.name}" if isinstance(child, ast.FunctionDef | ast.ClassDef) else name)

    return inside(ast.parse(path.read_text()), path.stem)


def refusing() -> set[str]:
    """The functions that raise an error because of an FMU."""
    calls = ((name, node.func) for path in SOURCES for name, node in functions(path) if isinstance(node, ast.Call))
    return {name for name, called in calls if getattr(called, "attr", getattr(called, "id", "")) in REFUSES}


def rows() -> list[list[str]]:
    lines = PAGE.read_text().partition("| rule |")[2].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def test_every_rule_is_on_the_page() -> None:
    named = {name for row in rows() for name in re.findall(r"`([^`]+)`", row[3])}
    assert named == (refusing() | BESIDE) - NOT_RULES
    assert named <= {name for path in SOURCES for name, _ in functions(path)}


def test_every_rule_has_a_section_or_a_reason() -> None:
    """Notes need none; each line says what follows."""
    for rule, two, three, _, result, reason in rows():
        assert result in ("error", "note", "error at the start", "error in Model Exchange"), rule
        assert two or three or reason or result == "note", rule
