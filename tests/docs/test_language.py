"""The pages are written in plain technical English, as far as a program can check that."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.language import NO_STARTS, offences, sentences, titles, words

ROOT = Path(__file__).parents[2]
GENERATED = {"parts-index", "interoperability", "co-simulation-stability"}
"""Pages that programs write; the last two from a text that counts like a page."""
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *ROOT.glob("docs/decisions/*.md"),
        *(page for page in ROOT.glob("docs/*.md") if page.stem not in GENERATED),
        *ROOT.glob("docs/tutorials/*.md"),
        *ROOT.glob("docs/programs/*.md"),
    ]
)
EXCEPTIONS = {("docs/tutorials/ten-minutes.md", "Ten minutes to a first machine")}
"""Page and text of sentences or titles that may break one rule: at most 20. The set only shrinks."""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def left(page: Path) -> list[str]:
    """Returns the offences of a page, except those that are allowed."""
    allowed = tuple(text for where, text in EXCEPTIONS if where == name(page))
    return [each for each in offences(page.read_text(encoding="utf-8")) if not each.endswith(allowed)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_keeps_the_rules(page: Path) -> None:
    """Each page by itself has a median of at most 16 words, and few long sentences."""
    text = page.read_text(encoding="utf-8")
    assert left(page) == []
    lengths = [words(each) for each in sentences(text)]
    assert statistics.median(lengths) <= 16
    assert sum(length > 25 for length in lengths) <= max(1, len(lengths) // 50), [each for each in sentences(text) if words(each) > 25]
    assert len(text.splitlines()) <= 300 or page.parent.name == "programs"


def test_the_pages_have_short_sentences() -> None:
    """The median is at most 15 words, and at most one sentence of a hundred has more than 25."""
    lengths = [words(each) for page in PAGES for each in sentences(page.read_text(encoding="utf-8"))]
    assert statistics.median(lengths) <= 15
    assert sum(length > 25 for length in lengths) <= len(lengths) / 100


def test_exceptions_are_few_and_needed() -> None:
    """Each is the end of an offence that its page still has."""
    assert len(EXCEPTIONS) <= 20
    for where, text in EXCEPTIONS:
        assert any(each.endswith(text) for each in offences((ROOT / where).read_text(encoding="utf-8"))), text


def test_sentences_are_found() -> None:
    """Code, tables and titles are left out; a list item is a sentence; a link counts by its text."""
    text = "# A title\n\nOne is `a.b. C`. Two [is here](x.md#y), i.e. there!\nThree:\n\n- four\n- five\n  six\n\n| a. B | c |\n\n```python\nx. Y\n```\n\n    code. Here\n"
    assert sentences(text) == ["One is Code.", "Two is here, i.e. there!", "Three:", "four", "five six"]
    assert titles(text) == ["A title"] and words("Two of 3.5 m, - and") == 5


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("# A title of more than five", "title of"),
        ("word " * 41 + ".", "more than 40"),
        ("A is b; c is d; e is f.", "two semicolons"),
        ("What holds is in force.", "no noun"),
        ("All but for one are there.", "write 'except'"),
        ("It had been slow.", "history"),
        ("| one | told |", "write 'given"),
    ],
)
def test_offences_are_found(text: str, rule: str) -> None:
    (offence,) = offences(text)
    assert offence.startswith(rule)


SKIPPED = {".venv", "build", "dist", "__pycache__"}


def docstrings(path: Path) -> Iterator[str]:
    """Yields the docstrings of a file of Python, those of fields included."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        below = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt | ast.excepthandler | ast.match_case)]
        waiting += below  # no expression has a docstring, and most nodes are expressions
        for each in below if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else []:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str):
                yield each.value.value.strip()


def test_docstrings_start_with_a_verb_or_a_noun() -> None:
    tops = [each for each in ROOT.iterdir() if each.name not in SKIPPED]  # what is built is not walked: it may change meanwhile
    below = (path for top in tops for path in ([top] if top.suffix == ".py" else top.rglob("*.py")))
    files = [path for path in below if not SKIPPED & set(path.relative_to(ROOT).parts)]
    found = [
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for path in files
        for text in docstrings(path)
        if re.match(rf"({'|'.join(NO_STARTS)})\b", text)
    ]
    assert len(files) > 500 and found == []


def test_other_words_are_no_offences() -> None:
    assert offences("What is it? The summary gives the reason; all others hold. They are foretold.") == []
