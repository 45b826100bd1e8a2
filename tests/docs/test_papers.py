"""The page of the papers: everything that it names exists, and what it calls planned is planned."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs/papers.md", ROOT / "docs/misprints.md")
PLANNED = ()


def rows(page: Path) -> list[list[str]]:
    """Returns the cells of all rows, without those of the heads."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and not line.startswith("|---")]
    cells = [[each.strip() for each in line.strip("|").split("|")] for line in lines]
    return [each for each in cells if each[0] not in ("result", "where")]


@cache
def functions(path: Path) -> set[str]:
    return {each.name for each in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(each, ast.FunctionDef)}


@cache
def anchors(page: Path) -> set[str]:
    """Returns the anchors of the titles of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def missing(page: Path) -> list[str]:
    """Returns the files, tests and anchors that a page names and that do not exist."""
    text, found = page.read_text(encoding="utf-8"), []
    for name in re.findall(r"`((?:tests|coupling|fmu_components|examples)/[\w/.]+(?:::\w+)?)`", text):
        path, _, function = name.partition("::")
        if not (ROOT / path).is_file() or (function and function not in functions(ROOT / path)):
            found.append(name)
    for target in re.findall(r"\]\(([^):]+)\)", text):
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve()
        if not there.is_file() or (anchor and anchor not in anchors(there)):
            found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_file_test_and_anchor_exists(page: Path) -> None:
    assert missing(page) == []


def test_what_does_not_exist_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title\n`tests/no.py`, `tests/docs/test_papers.py::test_none`, `tests/docs/test_papers.py::rows`, [a](page.md#a-title), [b](#b)"
    )
    assert missing(page) == ["tests/no.py", "tests/docs/test_papers.py::test_none", "#b"]


def test_rows_are_complete_or_planned() -> None:
    """Each has a place and a test or an example; only the rows of future work are planned, with nothing else in them."""
    for result, place, check, *difference in rows(PAGES[0]):
        if "planned" in place:
            assert result in PLANNED and [place, check, *difference] == ["planned"] * 3
        else:
            assert place and re.search(r"::|examples/", check), result
    assert {each[0] for each in rows(PAGES[0]) if each[1] == "planned"} == set(PLANNED)


def test_each_paper_has_its_rows() -> None:
    assert len(rows(PAGES[0])) > 70
