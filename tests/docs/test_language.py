"""The pages are written in plain technical English, as far as a program can check that."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"components", "parts-index", "interoperability", "co-simulation-stability"}
"""Pages that programs write; the last two from a text that counts like a page."""
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
        *ROOT.glob("docs/decisions/*.md"),
        *(page for page in ROOT.glob("docs/*.md") if page.stem not in GENERATED),
        *ROOT.glob("docs/tutorials/*.md"),
        *ROOT.glob("docs/programs/*.md"),
    ]
)
EXCEPTIONS = {("docs/tutorials/ten-minutes.md", "Ten minutes to a first machine")}
"""Page and text of sentences or titles that may break one rule: at most 20. The set only shrinks."""

AVOIDED = {
    "but for": "except",
    "there is none": "no ... exists",
    "there are none": "no ... exist",
    "nobody": "say who does not",
    "somebody": "say who",
    "whoever": "say who",
    "takes? along": "terminates",
    "as can be": "as small as possible",
    "goes? by": "uses, depends on",
    "tells?": "reports, gives",
    "told": "given, reported",
    "has another one": "name the thing",
    "behind": "after, or the place",
    "made by": "computed with",
    "of it": "its",
    "what there is": "name the things",
    ", so that": "therefore",
}
HISTORY = ("had been", "used to be", "formerly", "nowadays", "until now", "in the past", "years ago", "at that time", "recently")
NO_SUBJECTS = ("What", "Who", "Whoever", "Those", "Nobody", "Of what")


def blocks(text: str) -> Iterator[str]:
    """Yields paragraphs, list items and cells of no table, each on one line, without code blocks and titles."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for line in block.splitlines():
            if (re.match(r"(    |\t)\S", line) and not lines) or line.startswith(("#", "|", "![")):
                continue
            if lines and re.match(r"\s*([-*]|\d+\.) ", line):
                yield " ".join(lines)
                lines = []
            lines.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())
        if lines:
            yield " ".join(lines)


def sentences(text: str) -> list[str]:
    """Returns the sentences of a page. A piece of code counts as one word, a link as its text."""
    found = []
    for block in blocks(text):
        plain = re.sub(r"`[^`]*`", "Code", block)
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"(\*\*|\*|\b_|_\b)", "", plain)
        found += [each for each in re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z(\"'0-9])", plain) if re.search(r"[A-Za-z]", each)]
    return found


def words(sentence: str) -> int:
    return len(re.findall(r"\S*\w\S*", sentence))


def cells(text: str) -> list[str]:
    """Returns the cells of tables, without code and targets of links."""
    plain = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\|(.*)\|$", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain), re.MULTILINE)
    return [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]


def titles(text: str) -> list[str]:
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)


def offences(text: str) -> list[str]:
    """Returns each title, sentence and cell that breaks a rule, after the rule."""
    found = [f"title of more than five words: {title}" for title in titles(text) if len(title.split()) > 5]
    for sentence in sentences(text):
        if words(sentence) > 40:
            found.append(f"more than 40 words: {sentence}")
        if sentence.count(";") > 1:
            found.append(f"two semicolons: {sentence}")
        if re.match(rf"({'|'.join(NO_SUBJECTS)})\b", sentence) and not sentence.endswith("?"):
            found.append(f"no noun as subject: {sentence}")
    for piece in [*sentences(text), *cells(text)]:
        found += [f"write {better!r}: {piece}" for bad, better in AVOIDED.items() if re.search(rf"(?<!\w){bad}\b", piece, re.IGNORECASE)]
        found += [f"history: {piece}" for bad in HISTORY if re.search(rf"\b{bad}\b", piece, re.IGNORECASE)]
    return found


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


NO_STARTS = (*NO_SUBJECTS, "Of", "Whether", "By", "How", "Where", "As", "Which", "With", "That")
SKIPPED = {".venv", "build", "dist", "__pycache__"}


def docstrings(path: Path) -> Iterator[str]:
    """Yields the docstrings of a file of Python, those of fields included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for each in getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else []:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str):
                yield each.value.value.strip()


def test_docstrings_start_with_a_verb_or_a_noun() -> None:
    files = [path for path in ROOT.rglob("*.py") if not SKIPPED & set(path.relative_to(ROOT).parts)]
    found = [
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for path in files
        for text in docstrings(path)
        if re.match(rf"({'|'.join(NO_STARTS)})\b", text)
    ]
    assert len(files) > 500 and found == []


def test_other_words_are_no_offences() -> None:
    assert offences("What is it? The summary gives the reason; all others hold. They are foretold.") == []
