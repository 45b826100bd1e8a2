"""A session and its run are changed in their own files alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

COUPLING = Path(__file__).parent.parent / "coupling"
HOLDERS = {"session", "_session", "inner", "running"}
"""Names of variables and attributes that hold a session or a run."""
OWN = {"live/session.py", "live/running.py"}


def assigned(tree: Path) -> Iterator[tuple[str, str]]:
    """Yields each file that changes a session or a run from outside, and the name of the field."""
    for path in sorted(tree.rglob("*.py")):
        file = path.relative_to(tree).as_posix()
        if file not in OWN:
            yield from ((file, field) for node in ast.walk(ast.parse(path.read_text())) for field in _fields(node))


def _fields(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("setattr", "__setattr__")) and _holds(node.args[0]):
        yield ast.unparse(node.args[1])
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        target = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(target, ast.Attribute) and _holds(target.value):
            yield target.attr


def _holds(owner: ast.expr) -> bool:
    return (owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else "") in HOLDERS


def test_sessions_and_runs_are_changed_in_their_own_files():
    assert list(assigned(COUPLING)) == []


@pytest.mark.parametrize(
    "line",
    [
        "session.x = 0",
        "self._session.x += 1",
        "session.x, y = 1, 2",
        "session.x: int = 1",
        "session.x[0] = 1",
        "del session.x",
        "session.running.x = 1",
        "setattr(session, 'x', 1)",
        "object.__setattr__(session.inner, 'x', 1)",
    ],
)
def test_each_kind_of_assignment_is_seen(tmp_path, line):
    (tmp_path / "offence.py").write_text(line)
    assert [(file, field.strip("'")) for file, field in assigned(tmp_path)] == [("offence.py", "x")]


def test_reading_is_allowed_and_so_is_the_file_of_sessions(tmp_path):
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "session.py").write_text("session.x = 0")
    (tmp_path / "reads.py").write_text("y = session.x\nsession.x.y = 1\n")
    assert not list(assigned(tmp_path))
