"""Width of words, estimated for the fonts that systems have: rather more than less."""

from __future__ import annotations

NAME, PORT, TITLE, SMALL = 12.0, 9.5, 17.0, 12.0
"""Sizes of names, of ports, of the title and of the text below it, in pixels."""
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|![]() "), frozenset("mwMW@%")
_LONGEST = 22


def width(text: str, size: float) -> float:
    """Returns the width of a text in pixels."""
    return size * sum(
        0.37 if c in _NARROW else 0.95 if c in _WIDE else 0.66 if c.isupper() or c.isdigit() or ord(c) > 127 else 0.6 for c in text
    )


def shortened(text: str) -> str:
    """Returns a long text with dots in its middle; both its ends distinguish names."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 9]}…{text[-8:]}"
