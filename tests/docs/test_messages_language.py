"""Errors, warnings, help texts and comments of C are written in plain technical English, as far as a program can check that."""

from __future__ import annotations

import argparse
import ast
import re
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from jourdain.command import _parser
from tests.support.language import NO_STARTS, sentences, words, wrong_sentences

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("coupling", "fmu_components", "jourdain") for path in sorted((ROOT / folder).rglob("*.py"))]
OWN_C = [
    path
    for folder in ("coupling/kernel", "coupling/export/embedded", "fmu_components/runtime")
    for path in sorted((ROOT / folder).rglob("*.[ch]"))
    if path.parent.name != "standard"
]
"""Sources in C, without the headers of FMI as they were published."""
EXCEPTIONS = {("fmu_components/modelica/names.py", "algorithm and annotation")}
"""File and start of texts that may break one rule: at most 20. The set only shrinks."""

FEWEST = 4
"""Words of a text that counts as a sentence."""
_VALUE = "Value"
"""The word that stands for a value in a text."""


def joined(node: ast.AST) -> str | None:
    """Returns the text of an expression, with one word for each value in it; None for other expressions."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else _VALUE for part in parts)  # type: ignore[misc]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = joined(left), joined(right)
            return "".join(_VALUE if side is None else side for side in sides) if any(sides) else None
    return None


def _docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the line and the text of each string below a node, except docstrings; strings inside of values by themselves."""
    for child in ast.iter_child_nodes(node):
        if _docstring(child):
            continue
        text = joined(child)
        if text is None:
            yield from strings(child)
            continue
        yield child.lineno, text  # type: ignore[attr-defined]
        for value in ast.walk(child):
            if isinstance(value, ast.FormattedValue):
                yield from strings(value)


@cache
def texts(path: Path) -> list[tuple[int, str]]:
    """Returns line and text of the sentences that a file of Python says, without markup; code and styles are no sentences."""
    plain = ((line, re.sub(r"<[^>]*>", " ", text)) for line, text in strings(ast.parse(path.read_text(encoding="utf-8"))))
    return [
        (line, text.strip()) for line, text in plain if len(re.findall(r"[A-Za-z]{2,}", text)) >= FEWEST and not re.search(r"[{}]|__", text)
    ]


def _uncommented(source: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL)


def c_texts(source: str) -> list[str]:
    """Returns the sentences of a source in C: adjacent strings are one text, and a conversion is one word."""
    found = re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', _uncommented(source))
    plain = (re.sub(r"%[-.\d]*l*[a-z]", _VALUE, re.sub(r'"\s*"', "", text).strip('"').replace("\\n", " ")) for text in found)
    return [text for text in plain if len(re.findall(r"[A-Za-z]{2,}", text)) >= FEWEST]


def faults(text: str) -> list[str]:
    """Returns the offences of a message. In addition to those of pages, no part of it has a pronoun without a noun as subject."""
    hidden = re.findall(r"(?:^|[;:.] )(?:what|who|whoever|those|nobody)\b(?!.*\?).*", text)
    return wrong_sentences(text) + [f"no noun as subject: {each}" for each in hidden]


def remaining(path: Path) -> list[str]:
    starts = tuple(start for where, start in EXCEPTIONS if where == path.relative_to(ROOT).as_posix())
    return [f"{path.name}:{line}: {each}" for line, text in texts(path) if not text.startswith(starts or "\0") for each in faults(text)]


def test_messages_keep_the_rules() -> None:
    assert len(FILES) > 300 and [each for path in FILES for each in remaining(path)] == []


def test_messages_have_short_sentences() -> None:
    """The median is far below that of pages, and at most one sentence of 30 has more than 25 words."""
    lengths = [words(each) for path in FILES for _, text in texts(path) for each in sentences(text)]
    assert len(lengths) > 1500 and statistics.median(lengths) <= 12
    assert sum(length > 25 for length in lengths) <= len(lengths) / 30


def test_exceptions_are_few_and_needed() -> None:
    assert len(EXCEPTIONS) <= 20
    for where, start in EXCEPTIONS:
        assert any(text.startswith(start) and faults(text) for _, text in texts(ROOT / where)), start


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from _parsers(verb)


@pytest.mark.parametrize("parser", list(_parsers(_parser())), ids=lambda parser: parser.prog)
def test_help_is_complete(parser: argparse.ArgumentParser) -> None:
    """Each option has a help text that starts with a verb or a noun; titles of groups have at most five words."""
    for action in parser._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), f"{parser.prog} {action.dest}"
        assert not re.match(rf"({'|'.join(NO_STARTS)})\b", action.help or "", re.IGNORECASE), f"{parser.prog}: {action.help}"
    assert all(len((group.title or "").split()) <= 5 for group in parser._action_groups)


def test_messages_of_c_keep_the_rules() -> None:
    found = [text for path in OWN_C for text in c_texts(path.read_text(encoding="utf-8"))]
    assert len(found) > 60 and [each for text in found for each in faults(text)] == []


def comments(source: str) -> list[str]:
    """Returns the comments of a source in C, each on one line."""
    without = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', source)
    return [
        " ".join(re.sub(r"^\s*\*? ?", "", each.strip("/*! "), flags=re.MULTILINE).split())
        for each in re.findall(r"/\*.*?\*/|//[^\n]*", without, re.DOTALL)
    ]


NO_COMMENT = (*NO_STARTS, "No", "From")


def test_comments_of_c_keep_the_rules() -> None:
    """They start with a verb or a noun, and avoid the same words as pages. Lists of fields make them longer."""
    found = [f"{path.relative_to(ROOT)}: {each}" for path in OWN_C for each in comments(path.read_text(encoding="utf-8"))]
    wrong = [each for each in found if re.match(rf"\S+ ({'|'.join(NO_COMMENT)})\b", each)]
    avoided = [f"{each} in {text}" for text in found for each in wrong_sentences(text) if not each.startswith(("more than 40", "two semi"))]
    assert len(found) > 1000 and wrong + avoided == []


def test_texts_are_found(tmp_path: Path) -> None:
    """Texts are put together; docstrings, code and short texts are left out; values are looked into."""
    file = tmp_path / "some.py"
    file.write_text(
        '"""What is here."""\nraise E(f"the value {x} is refused: " "give another value" + y)\ns = f"all of {\'one of the two\' if z else t} are here"\n'
        'c = "int main(void) { return what is this; }"\nh = "<p>A page has <b>some</b> words.</p>"\nn = "one name"\n'
    )
    found = [text for _, text in texts(file)]
    assert found == [
        "the value Value is refused: give another valueValue",
        "all of Value are here",
        "one of the two",
        "A page has  some  words.",
    ]
    source = '/* "Not this one here." */ f("%s: the value %.3g" " is refused", "x"); // Of two'
    assert c_texts(source) == ["Value: the value Value is refused"]
    assert comments('/* What is\n * here. */ "/* no */" // Of two') == ["What is here.", "Of two"]


@pytest.mark.parametrize("text", ["give this; what is left is done", "who gives it: it", "it tells of a value", "word " * 41])
def test_faults_are_found(text: str) -> None:
    assert len(faults(text)) == 1
    assert faults("say what holds it; the rest stays") == []
