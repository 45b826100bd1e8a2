"""Options of multipliers that are solved for one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import check_order, check_word


@option_object("multipliers")
@dataclass(frozen=True, kw_only=True, repr=False)
class Successive(OptionObject):
    """Multipliers constraint by constraint: ``simulate(multipliers=Successive(order=["grip"], redundant="first"))``."""

    MAIN: ClassVar[str] = "successive"

    order: Sequence[str] | str | None = None
    """The joints that come first, before the others in the order of ``add``; or ``independent first``."""
    redundant: str = "least"
    """Choice of multipliers of redundant constraints: the least ones (``least``), or those of the constraints that come first
    (``first``)."""
    form: str = "multipliers"
    """Form of the equations: ``multipliers``; for study ``full`` or ``reduced``, which build the free directions."""

    def __post_init__(self) -> None:
        check_word("redundant", self.redundant, ("least", "first"))
        check_word("form", self.form, FORMS)
        check_order(self.order)
        if self.order is not None and not isinstance(self.order, str):
            object.__setattr__(self, "order", tuple(self.order))


FORMS = ("multipliers", "full", "reduced")
