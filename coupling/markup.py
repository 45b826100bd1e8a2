"""Pieces of HTML for notebooks, which need no style sheet, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

MOST = 20
"""Rows of a table that are shown."""
GOOD, BAD, DOUBTFUL = "#3a9a5b", "#c2465c", "#c9780a"


class Markup(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def marked(text: str) -> Markup:
    """Returns any text as HTML that shows it."""
    return text if isinstance(text, Markup) else Markup(escape(text))


def framed(*parts: str) -> str:
    """Returns pieces below each other; empty ones are left out."""
    return f'<div style="line-height:1.5;max-width:60rem">{"".join(f"<div>{marked(part)}</div>" for part in parts if part)}</div>'


def titled(text: str, told: str = "") -> Markup:
    return Markup(f'<b style="font-size:1.1em">{escape(text)}</b>{f" <span style={_DIM}>{escape(told)}</span>" if told else ""}')


def badge(text: str, colour: str) -> Markup:
    return Markup(
        f'<span style="background:{colour};color:#fff;border-radius:.6em;padding:.05em .6em;font-weight:600">{escape(text)}</span>'
    )


def noted(text: str, colour: str) -> Markup:
    """Returns a sentence with a coloured edge."""
    return Markup(f'<div style="border-left:.25em solid {colour};padding-left:.6em;margin:.2em 0">{escape(text)}</div>')


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], count: int | None = None) -> Markup:
    """Returns a table of the first rows, and the number of the other rows out of ``count``."""
    shown = list(islice(rows, MOST))
    if not shown:
        return Markup("")
    head = "".join(f'<th style="text-align:left">{escape(each)}</th>' for each in heads)
    body = "".join(f"<tr>{''.join(f'<td style={_LEFT}>{marked(cell)}</td>' for cell in row)}</tr>" for row in shown)
    more = 0 if count is None else count - len(shown)
    rest = f"<div style={_DIM}>and {more} more</div>" if more > 0 else ""
    return Markup(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}")


_DIM, _LEFT = '"opacity:.7"', '"text-align:left"'
