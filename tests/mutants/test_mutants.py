"""Mutants are programs that differ in one place, each file has tests that could kill them, and survivors are told."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from tests.mutants import __main__ as program
from tests.mutants.mutations import Mutant, mutants
from tests.mutants.sources import ROOT, killers_of, sources

PYTHON = '''
def area(width: float, height: float = 2.5) -> float:
    """A text with 7 < 8 and -1."""
    if width < 0:
        raise ValueError(f"{width - 1} is less than {3}")
    seen.append(scaled(width, height))
    return -width * 4 + height
'''
C = """
static const double small = 1e-3; /* 5 < 6 */

static double area(double width, double height)
{
    const double most = width * 4;
    if (width < 0 && height != width)
        fill(width, height);
    total += most;
    return -most + scaled("a, b", height);
}
"""


def told(path: str, text: str) -> set[tuple[str, str, str]]:
    return {(each.kind, each.before, each.after) for each in mutants(Path(path), text)}


def test_mutants_of_python() -> None:
    """Neither texts, annotations nor errors are changed; 0 and 1 stay, as they count."""
    assert told("area.py", PYTHON) == {
        ("constant", "2.5", "2500.0"),
        ("comparison", "<", "<="),
        ("statement", "seen.append(scaled(width, height))", "pass"),
        ("arguments", "width, height", "height, width"),
        ("sign", "-width", "width"),
        ("constant", "4", "4000"),
        ("sign", "+", "-"),
    }


def test_mutants_of_c() -> None:
    """Declarations stay, and what stands in comments and texts."""
    assert told("area.c", C) == {
        ("constant", "1e-3", "(1e-3 * 1000)"),
        ("constant", "4", "(4 * 1000)"),
        ("comparison", "<", "<="),
        ("comparison", "!=", "=="),
        ("statement", "fill(width, height);", ";"),
        ("arguments", "width, height", "height, width"),
        ("statement", "total += most;", ";"),
        ("sign", "-", ""),
        ("sign", "+", "-"),
    }


@pytest.mark.slow
def test_mutants_of_the_tree_differ_in_one_place_and_are_programs() -> None:
    for mutant in islice(program.drawn("", 3), 60):
        text = (ROOT / mutant.path).read_text()
        changed = mutant.applied(text)
        assert changed != text and len(changed) - len(text) == len(mutant.after) - len(mutant.before)
        assert text.count("\n", 0, mutant.start) == mutant.line - 1
        if mutant.path.suffix == ".py":
            ast.parse(changed)


def test_every_source_has_tests_that_exist() -> None:
    assert len(sources()) > 200
    for path in sources():
        turns = killers_of(path)
        assert turns and all((ROOT / each).exists() for turn in turns for each in turn), path


def test_equal_changes_of_different_lines_are_told_apart() -> None:
    keys = [each.key for each in mutants(Path("two.py"), "a = b < c\nd = (b\n     < d)\n")]
    assert keys == ["two.py: comparison: a = b < c -> a = b <= c", "two.py: comparison: < d) -> <= d)"]


def test_every_equivalent_is_a_mutant_of_the_tree() -> None:
    """One whose source has changed says nothing any more."""
    equivalents = tomllib.loads(program.EQUIVALENTS.read_text())
    paths = {Path(key.partition(":")[0]) for key in equivalents}
    assert set(equivalents) <= {each.key for path in paths for each in mutants(path, (ROOT / path).read_text())}


@pytest.mark.slow
def test_a_seed_draws_the_same_mutants_and_another_others() -> None:
    first, again, other = ([each.key for each in islice(program.drawn("coupling/plan", seed), 10)] for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(("killed", "code"), [(10, 0), (9, 0), (8, 1)])
def test_survivors_are_listed_and_too_many_are_an_error(
    killed: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []

    class Workspace:
        def __init__(self, folder: Path) -> None:
            pass

        def makes(self, mutant: Mutant) -> bool:
            made.append(mutant)
            return True

        def takes_back(self, mutant: Mutant) -> None:
            pass

        def survives(self, tests: Sequence[str], seconds: float) -> bool:
            return len(made) > killed

    monkeypatch.setattr(program, "Workspace", Workspace)
    monkeypatch.setattr(program, "seconds_of", lambda workspace, tests: 1.0)
    monkeypatch.setattr(program, "fate", lambda workspace, mutant, sound: "" if workspace.survives([], 1.0) else "tests")
    out = tmp_path / "mutants.txt"
    assert program.main(["--count", "10", "--only", "coupling/plan", "--jobs", "1", "--out", str(out)]) == code
    assert len(out.read_text().splitlines()) == 10 - killed
    assert f"10 drawn {killed:4} killed" in capsys.readouterr().out
