"""Sources are compiled several at a time, of which none begins any more once one was refused, or the export was interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fmu_components.export import at_once
from fmu_components.export import compile as c

COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then echo "counts 1"; exit; fi
before=
for word; do
    if [ "$before" = -o ]; then out=$word; elif [ "$before" = -c ]; then source=$word; fi
    before=$word
done
echo "$source" >> "$0.begun"
. "$source"
basename "$source" > "$out"
"""
"""It writes down what it is to compile, and does what that says."""
SOURCES = [f"{name}.c" for name in "abcdefghijkl"]


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replaces the compiler, on two processors."""
    path = tmp_path / "counting"
    path.write_text(COMPILER)
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    monkeypatch.setattr(at_once, "processors", lambda: 2)
    return path


def compile_all(folder: Path, scripts: dict[str, str], beside: Callable[[], None] = lambda: None) -> None:
    """Compiles sources of one length, which begin in the order of their names. Some do something else than to wait for a moment."""
    sources = {name: f"# {name}\n{scripts.get(name, 'sleep 0.02')}".ljust(80).encode() for name in SOURCES}
    c.libraries_of([c.PLATFORMS["linux64"]], sources, folder, (), beside)


def begun(compiler: Path) -> list[str]:
    return sorted(Path(line).name for line in Path(f"{compiler}.begun").read_text().splitlines())


def test_all_of_them_are_compiled(compiler, tmp_path, monkeypatch):
    """They are linked in the order of their names."""
    linked = []
    monkeypatch.setattr(c, "_link", lambda platform, library, objects, flags: linked.extend(objects))
    compile_all(tmp_path, {"c.c": "sleep 0.02 # is longer than the others, and so begins before them, though it is linked in its turn"})
    assert begun(compiler) == SOURCES
    assert [path.read_text() for path in linked] == [f"{name}\n" for name in SOURCES]


@pytest.mark.parametrize("sooner", ["a.c", "b.c"])
def test_one_that_is_refused_is_the_last(sooner, compiler, tmp_path):
    """Two are refused at about the same time; the error is that of the same one, whichever is sooner."""
    refused = {name: f"sleep {0 if name == sooner else 0.1}; echo {name} is refused >&2; exit 1" for name in ("a.c", "b.c")}
    with pytest.raises(c.ExportError, match=r"a\.c is refused$"):
        compile_all(tmp_path, refused)
    assert set(begun(compiler)) <= {"a.c", "b.c"}


def test_an_interruption_starts_no_others(compiler, tmp_path):
    """Ctrl-C, as a compiler presses it while two of them run."""
    with pytest.raises(KeyboardInterrupt):
        compile_all(tmp_path, {"a.c": "kill -INT $PPID; sleep 0.3", "b.c": "sleep 0.3"})
    assert set(begun(compiler)) <= {"a.c", "b.c"}


def test_a_failure_beside_them_starts_no_others(compiler, tmp_path):
    def fails() -> None:
        raise ValueError("beside")

    with pytest.raises(ValueError, match="beside"):
        compile_all(tmp_path, {"a.c": "sleep 0.2", "b.c": "sleep 0.2"}, fails)
    assert set(begun(compiler)) <= {"a.c", "b.c"}


def test_processors_are_those_of_the_process():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert at_once.processors() == 1
    finally:
        os.sched_setaffinity(0, before)
