"""The lint script complains of a file that is too long and of a passage that stands twice, and of nothing else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_specification = importlib.util.spec_from_file_location("lint_size", Path(__file__).parents[1] / "lint_size.py")
lint_size = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(lint_size)


def complaints(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / "coupling").mkdir(exist_ok=True)
        (folder / "coupling" / f"{name}.py").write_text(text)
    return list(lint_size.complaints(folder))


def code(count: int, name: str = "value") -> str:
    return "".join(f"{name}[{i}] = {i} + 1\n" for i in range(count))


def test_a_long_file_is_named(tmp_path):
    assert complaints(tmp_path, short=code(500)) == []
    (found,) = complaints(tmp_path, long=code(501, "other"))
    assert found.startswith("coupling/long.py has 501 lines, more than 500; divide it")


def test_a_passage_that_stands_twice_is_named(tmp_path):
    """Blank lines and comments between its lines do not hide it; one line less is not a passage."""
    first = "import os\n" + code(12)
    assert complaints(tmp_path, a=first, b="import os\n" + code(11)) == []
    hidden = "\n".join(f"{line}\n# why" for line in code(12).splitlines())
    (found,) = complaints(tmp_path, b=hidden)
    assert found == "coupling/b.py:1 repeats 12 lines of coupling/a.py:2; give them one place, or the reason in ALIKE"
