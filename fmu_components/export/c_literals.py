"""Values as they are written in C."""

from __future__ import annotations

import math


def c_number(value: float) -> str:
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def c_bool(value: bool) -> str:
    return "true" if value else "false"


def c_string(text: str) -> str:
    # Two question marks would begin a trigraph.
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("??", "?\\?")
    return f'"{escaped}"'
