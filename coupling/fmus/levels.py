"""The levels of a constraint, by the names of the variables of a joint."""

from __future__ import annotations

import re
from typing import NamedTuple


class Level(NamedTuple):
    """What a variable says of one constraint."""

    name: str
    """``residual``, ``multiplier``, ``position``, ``velocity`` or ``acceleration``."""
    number: int


_LEVEL = re.compile(r"(residual|multiplier|position|velocity|acceleration)\[(\d+)\]")


def level_of(variable: str) -> Level | None:
    """None for a variable that belongs to no constraint."""
    found = _LEVEL.fullmatch(variable)
    return Level(found[1], int(found[2])) if found else None
