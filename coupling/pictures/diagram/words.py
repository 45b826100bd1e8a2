"""How much room words take, estimated for the fonts that systems have: rather more than less."""

from __future__ import annotations

NAME, PORT, TITLE, SMALL = 12.0, 9.5, 17.0, 12.0
"""Sizes of names, of ports, of the title and of what is said below it, in pixels."""
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|![]() "), frozenset("mwMW@%")
_LONGEST = 22


def width(text: str, size: float) -> float:
    """Of a text in pixels."""
    return size * sum(
        0.37 if c in _NARROW else 0.95 if c in _WIDE else 0.66 if c.isupper() or c.isdigit() or ord(c) > 127 else 0.6 for c in text
    )


def shortened(text: str) -> str:
    """With dots in its middle where it is long; both its ends tell names apart."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 9]}…{text[-8:]}"
