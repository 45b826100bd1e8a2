"""The pieces of which documentation pages are made. All they give is HTML and well-formed XML at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape

from fmu_components.declare import units
from fmu_components.declare.declaration import Declaration
from fmu_components.export.pages import icons


def framed(declared: Declaration, sections: Iterable[tuple[str, str]]) -> str:
    """A page that needs nothing but itself, with these titles and contents; what is empty is left out."""
    shown = [(title, content) for title, content in sections if content]
    contents = "".join(f'<li><a href="#{_anchor(title)}">{title}</a></li>' for title, _ in shown)
    body = "\n".join(f'<section id="{_anchor(title)}">\n<h2>{title}</h2>\n{content}\n</section>' for title, content in shown)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{escape(declared.name)} – {escape(declared.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<figure>{icons.svg(declared)}</figure>
<div>
<h1>{escape(declared.name)}</h1>
<p class="lead">{prose(declared.title)}</p>
{_description(declared.description)}
</div>
</header>
<nav><ul>{contents}</ul></nav>
<main>
{body}
</main>
</body>
</html>
"""


REFERENCE = '<abbr title="value reference">VR</abbr>'


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def prose(text: str) -> str:
    """Text of a docstring: escaped, its ``names`` as code."""
    return re.sub(r"``(.+?)``", r"<code>\1</code>", escape(" ".join(text.split())))


def code(text: object) -> str:
    return f"<code>{escape(str(text))}</code>"


def _description(docstring: str) -> str:
    """The paragraphs after the first line, which is the title."""
    _, _, rest = docstring.partition("\n")
    return "\n".join(f"<p>{prose(paragraph)}</p>" for paragraph in re.split(r"\n\s*\n", rest) if paragraph.strip())


@cache
def unit_text(unit: str) -> str:
    """A unit as it is printed; its name in the FMU is the tooltip."""
    if unit == units.MIXED:
        return '<span title="the unit differs from one constraint to another">SI</span>'
    if not unit:
        return "1"
    printed = re.sub(r"(?<=[A-Za-z])\d+", lambda found: found.group().translate(_SUPERSCRIPTS), unit).replace(".", "·")
    return f'<span title="{escape(unit)}">{escape(printed)}</span>'


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


_LISTED = 8
"""Number of elements of an array up to which all are shown."""


def value_text(value: float | bool | int | tuple[float, ...] | None) -> str:
    if isinstance(value, tuple):
        shown = value if len(value) <= _LISTED else (*value[: _LISTED - 2], value[-1])
        texts = [value_text(each) for each in shown]
        return ", ".join(texts if len(value) <= _LISTED else [*texts[:-1], "…", texts[-1]])
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else f"{value:.12g}"


def table_of(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table whose cells hold markup; nothing where there are no rows."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    if not lines:
        return ""
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    attribute = f' class="{kind}"' if kind else ""
    body = "\n".join(lines)
    return f'<div class="wide"><table{attribute}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A table of what is said of one thing: names and markup."""
    lines = "\n".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows)
    return f"<table>\n<tbody>\n{lines}\n</tbody></table>"


def folded(summary: str, content: str, shown: bool = False) -> str:
    """Markup that a reader unfolds; ``shown`` is whether it lies open at first."""
    state = ' open="open"' if shown else ""
    return f"<details{state}><summary>{summary}</summary>\n{content}\n</details>"


def listed(names: Sequence[str]) -> str:
    words = [code(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_STYLE = """
:root { color-scheme: light dark; --text: #1f2a37; --soft: #5b6775; --page: #ffffff; --panel: #f5f7fa; --rule: #dde3ea; --accent: #1d6fb8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e8ee; --soft: #9aa7b5; --page: #14191f; --panel: #1d242c; --rule: #323c47; --accent: #6db3ee; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 64rem; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 1.5rem 2rem; align-items: flex-start; }
header > div { flex: 1 1 24rem; }
figure { margin: 0; width: 13rem; padding: .6rem; background: #ffffff; border: 1px solid var(--rule); border-radius: .6rem; }
figure svg { display: block; width: 100%; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.8rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--rule); font-size: 1.4rem; }
h3 { margin: 1.8rem 0 .4rem; font-size: 1.05rem; }
p { margin: .5rem 0; max-width: 48rem; }
.lead { font-size: 1.15rem; color: var(--soft); }
.note, .meaning { color: var(--soft); font-size: .9rem; }
a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 1.6rem 0 0; padding: .6rem 1rem; list-style: none;
  background: var(--panel); border-radius: .5rem; }
nav a { text-decoration: none; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .88em; }
td code, th code { white-space: nowrap; }
pre { padding: 1rem; overflow-x: auto; background: var(--panel); border-radius: .5rem; }
pre code { font-size: .88rem; }
dt { margin-top: .8rem; font-weight: 600; }
dd { margin: .2rem 0 0 1.2rem; max-width: 48rem; }
details { margin: .4rem 0; }
summary { padding: .2rem 0; cursor: pointer; }
details > .wide, details > p { padding-left: 1.1rem; }
.wide, .scroll { overflow-x: auto; overflow-y: hidden; }
table { border-collapse: collapse; margin: .6rem 0; font-size: .94rem; }
.wide > table { width: 100%; }
th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: baseline; }
thead th { color: var(--soft); font-size: .82rem; font-weight: 600; white-space: nowrap; }
.wide th:last-child, .wide td:last-child { padding-right: .3rem; }
.equations { table-layout: fixed; }
.equations th:nth-child(1) { width: 11.5rem; }
.equations th:nth-child(3) { width: 4.5rem; }
.equations th:nth-child(4) { width: 2.5rem; }
.equations td:first-child code { white-space: normal; overflow-wrap: anywhere; }
.equations td { vertical-align: top; }
.equations .scroll { padding: .1rem 0 .15rem; }
abbr { text-decoration: none; }
math { font-size: 1.08rem; }
.lines > mtr > mtd { text-align: left; padding: .12em 0; }
.lines > mtr > mtd:first-child:not(:last-child) { text-align: right; }
.cases > mtr > mtd { text-align: left; padding: .15em .8em .15em .2em; }
.mark { display: inline-block; width: .7em; height: .7em; margin-right: .5em; border: .17em solid currentColor; border-radius: 1px; }
.mark.motion { background: currentColor; }
@media (max-width: 48rem) {
  .equations thead { display: none; }
  .equations tr { display: grid; grid-template-columns: 1fr auto 2.5rem; border-bottom: 1px solid var(--rule); }
  .equations td { border: 0; }
  .equations td:nth-child(2) { order: 1; grid-column: 1 / -1; min-width: 0; padding-top: 0; }
}
@media print { nav { display: none; } body { max-width: none; } h3, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
