"""Mutants are programs that differ in one place, each file has tests that could kill them, and survivors are told."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from tests.mutants import __main__ as program
from tests.mutants.mutations import Mutant, mutants
from tests.mutants.sources import ROOT, killers_of, sources
from tests.mutants.workspace import Workspace, last_test

KILLER = "tests/test_it.py::test_it"
TEN = ["--count", "10", "--only", "coupling/plan", "--jobs", "1"]
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
        named = [each.partition("::")[0] for turn in turns for each in turn if each.startswith("tests/")]
        assert turns and named and all((ROOT / each).exists() for each in named), path


def test_equal_changes_of_different_lines_are_told_apart() -> None:
    """Lines with the same text are numbered."""
    keys = [each.key for each in mutants(Path("two.py"), "a = b < c\nd = (b\n     < d)\na = b < c\n")]
    first = "two.py: comparison: a = b < c -> a = b <= c"
    assert keys == [first, "two.py: comparison: < d) -> <= d)", f"{first} (2)"]


def test_no_two_mutants_of_the_kernel_have_one_key() -> None:
    """Otherwise one entry in the list of equivalents would also excuse others."""
    for path in sources():
        if path.suffix == ".c":
            keys = [each.key for each in mutants(path, (ROOT / path).read_text())]
            assert len(keys) == len(set(keys)), path


def test_every_equivalent_is_a_mutant_of_the_tree() -> None:
    """One whose source has changed says nothing any more."""
    equivalents = tomllib.loads(program.EQUIVALENTS.read_text())
    paths = {Path(key.partition(":")[0]) for key in equivalents}
    assert set(equivalents) <= {each.key for path in paths for each in mutants(path, (ROOT / path).read_text())}


@pytest.mark.slow
def test_a_seed_draws_the_same_mutants_and_another_others() -> None:
    first, again, other = ([each.key for each in islice(program.drawn("coupling/plan", seed), 10)] for seed in (1, 1, 2))
    assert first == again != other


class Pretended:
    """A workspace whose first mutants are killed, by a test that passes without a mutant if it is sound."""

    killed, sound = 0, True

    def __init__(self, folder: Path) -> None:
        self.made = 0

    def makes(self, mutant: Mutant) -> bool:
        self.made += 1
        return True

    def takes_back(self, mutant: Mutant) -> None:
        pass

    def failing(self, tests: Sequence[str]) -> str:
        if list(tests) == [KILLER]:
            return "" if self.sound else KILLER
        return KILLER if self.made <= self.killed else ""

    def stop(self) -> None:
        pass

    close = stop


@pytest.mark.parametrize(("killed", "code"), [(10, 0), (9, 0), (8, 1)])
def test_survivors_are_listed_and_too_many_are_an_error(
    killed: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Pretended, "killed", killed)
    monkeypatch.setattr(program, "Workspace", Pretended)
    out = tmp_path / "mutants.txt"
    assert program.main([*TEN, "--out", str(out)]) == code
    told = [line.partition(": line ")[0] for line in out.read_text().splitlines()]
    assert told == [f"killed by {KILLER}"] * killed + ["survives"] * (10 - killed)
    assert f"10 drawn {killed:4} killed" in capsys.readouterr().out


def test_tests_that_fail_without_a_mutant_kill_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pretended, "killed", 10)
    monkeypatch.setattr(Pretended, "sound", False)
    monkeypatch.setattr(program, "Workspace", Pretended)
    with pytest.raises(SystemExit, match=f"{KILLER} fails without a mutant"):
        program.main([*TEN, "--out", str(tmp_path / "mutants.txt")])


OUTPUT = """
tests/test_a.py::test_fine[x PASSED y] PASSED      [ 20%]
tests/test_a.py::test_wrong[a b] {end}
E   tests/test_a.py::test_of_a_text PASSED
"""


@pytest.mark.parametrize("end", ["FAILED     [ 40%]\n== FAILURES ==", "ERROR  [ 40%]\n== ERRORS ==", ""])
def test_the_test_that_kills_is_the_last_one_that_began(end: str) -> None:
    assert last_test(OUTPUT.format(end=end)) == "tests/test_a.py::test_wrong[a b]"


def test_a_test_that_hangs_is_ended_by_the_time_of_its_processor(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.mutants import limit\nlimit.SECONDS = 1\n")
    (tmp_path / "test_loop.py").write_text("def test_fine():\n    pass\n\ndef test_loop():\n    while True:\n        pass\n")
    arguments = ["-v", "-p", "tests.mutants.limit", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGXCPU and "test_loop.py::test_fine PASSED" in done.stdout


@pytest.mark.slow
def test_a_workspace_tells_mutants_from_the_tree_and_from_what_is_no_program(tmp_path: Path) -> None:
    """One mutant in Python and one in C die by the tests beside them, and without them the same tests pass."""
    workspace = Workspace(tmp_path)
    try:
        for path, line, tests in (
            ("coupling/plan/formulas.py", "if count == 0", "tests/coupling/plan/test_formulas.py"),
            ("coupling/kernel/linear/damping.c", "d->share[d->member[m]] = share;", "tests/coupling/kernel/linear/test_damping.py"),
        ):
            mutant = next(each for each in mutants(Path(path), (ROOT / path).read_text()) if line in "".join((each.around[0], each.before)))
            assert workspace.makes(mutant) and workspace.failing([tests]).startswith(f"{tests}::test_")
            workspace.takes_back(mutant)
            assert workspace.failing([tests]) == ""
        swapped = next(
            each
            for each in mutants(Path("coupling/kernel/linear/pivots.c"), (ROOT / "coupling/kernel/linear/pivots.c").read_text())
            if each.kind == "arguments" and "place_of(a, k" in each.around[0] + each.before
        )
        assert not workspace.makes(swapped)
    finally:
        workspace.close()
