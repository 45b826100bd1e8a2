"""Tables of numbers in generated C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def row(values: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def array(head: str, items: Iterable[str], empty: str = "0") -> str:
    listed: Sequence[str] = list(items)
    if not listed:
        return f"{head}[] = {{{empty}}};"
    lines, line = [], ""
    for item in listed:
        if len(line) + len(item) > 140:
            lines.append(line)
            line = ""
        line += f"{item}, "
    lines.append(line)
    return f"{head}[] = {{\n    " + "\n    ".join(each.rstrip() for each in lines) + "\n};"
