"""Examples as pages: the docstring is the introduction, numbered comments are headings, and the code stands between."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from docs.site.words import fenced, markdown, paragraphs, toctree

EXAMPLES = Path(__file__).parents[2] / "examples"
_STEP = re.compile(r"(?:^# .*\n)+", re.MULTILINE)
_NUMBERED = re.compile(r"# (\d+)\. ")
_LONGEST = 60
"""Characters of a heading."""


def titles() -> dict[str, str]:
    """Returns the first line of each example by its name: of the numbered ones, then of the families."""
    paths = (*sorted(EXAMPLES.glob("[0-9]*.py")), *sorted(EXAMPLES.glob("families/*.py")))
    return {path.relative_to(EXAMPLES).with_suffix("").as_posix(): _docstring(path).partition("\n")[0].rstrip(".") for path in paths}


def text_of(name: str) -> str:
    """Returns the introduction of an example, without the title."""
    return paragraphs(_docstring(EXAMPLES / f"{name}.py").partition("\n")[2])


def example_page(name: str, picture: str = "") -> str:
    """Returns an example as a page; ``picture`` stands between introduction and code."""
    path = EXAMPLES / f"{name}.py"
    code = path.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[2]
    parts = [f"# {markdown(titles()[name])}", text_of(name), picture, f"This is `examples/{name}.py` of the sources."]
    end = 0
    for comment in _STEP.finditer(code):
        number = _NUMBERED.match(comment[0])
        if number is None:
            continue
        said = " ".join(line.removeprefix("# ") for line in comment[0].splitlines())[len(number[0]) - 2 :]
        parts += [_code(code[end : comment.start()]), f"## {number[1]}. {_heading(said)}", markdown(said)]
        end = comment.end()
    parts.append(_code(code[end:]))
    beside = EXAMPLES / re.sub(r"^\d+_", "", name)
    parts += [f"## `{beside.name}/{each.name}`\n\n{_code(each.read_text(encoding='utf-8'))}" for each in sorted(beside.glob("*.py"))]
    return "\n\n".join(part for part in parts if part) + "\n"


def examples_page() -> str:
    """Returns the page that lists all examples."""
    rows = "\n".join(f"- [{markdown(title)}]({name}.md)" for name, title in titles().items())
    return f"# Examples\n\nPrograms to be read as tutorials. Each compares what it computes with what is known otherwise.\n\n{rows}\n\n{toctree(titles())}\n"


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem


def _code(text: str) -> str:
    return fenced(text, "python") if text.strip() else ""


def _heading(said: str) -> str:
    """Returns the beginning of a comment, up to a stop, as a heading."""
    said = re.split(r"[.:;](?:\s|$)", said)[0]
    return markdown(said if len(said) <= _LONGEST else said.partition(",")[0][:_LONGEST].strip())
