"""Options of impact and contact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from coupling.errors import BuildError
from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import check_word, number


@option_object("contacts")
@dataclass(frozen=True, kw_only=True, repr=False)
class Contacts(OptionObject):
    """The treatment of contacts: ``simulate(contacts=Contacts(impacts="simultaneous"))``."""

    MAIN: ClassVar[str] = ""

    impacts: str = "sequential"
    """Treatment of several impacts at one time: ``sequential``, the greatest approach first and equal ones together, or
    ``simultaneous``."""
    rest_velocity: float | None = None
    """Speed below which impacts are plastic, in the units of the constraints; by default 1e-3 by the size of the mechanism."""
    painleve: str = "stop"
    """Treatment of a contact that no forces satisfy: ``stop`` ends the run, ``impulse`` applies an impulse that stops the slip."""

    def __post_init__(self) -> None:
        check_word("impacts", self.impacts, ("sequential", "simultaneous"))
        check_word("painleve", self.painleve, ("stop", "impulse"))
        if self.rest_velocity is None:
            return
        speed = number("rest_velocity", self.rest_velocity)
        if not 0 <= speed < math.inf:
            raise BuildError(f"rest_velocity = {speed:g} is refused: it must be at least 0 and finite; 0.001 is the default")
        object.__setattr__(self, "rest_velocity", speed)
