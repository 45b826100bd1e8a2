"""Text of docstrings and comments as Markdown, and the frame of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable

ALONE = "---\norphan: true\n---"
"""Head of a page that the navigation leaves out. With all components, the navigation would be the longest part of every page."""


def markdown(text: str) -> str:
    """Returns prose as Markdown in which signs mean nothing, except inside backquotes."""
    pieces = re.split(r"(`+[^`]+`+)", " ".join(text.split()))
    return "".join(piece if piece.startswith("`") else re.sub(r"([\\*_<\[\]|#~$])", r"\\\1", piece) for piece in pieces)


def paragraphs(text: str) -> str:
    return "\n\n".join(markdown(each) for each in re.split(r"\n\s*\n", text.strip()))


def fenced(text: str, language: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def raw(html: str) -> str:
    """Returns HTML as it is; it may hold no line of backquotes."""
    return f"````{{raw}} html\n{html}\n````"


def toctree(pages: Iterable[str], caption: str = "", hidden: bool = True) -> str:
    """Returns a list of pages for the navigation, with or without a list in the text."""
    options = [":maxdepth: 1", *([":hidden:"] if hidden else []), *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", *options, "", *pages, "```"])
