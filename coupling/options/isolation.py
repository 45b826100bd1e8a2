"""Options of FMUs in other processes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from coupling.errors import BuildError, shown
from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import check_word, number


@option_object("isolate")
@dataclass(frozen=True, kw_only=True, repr=False)
class Isolation(OptionObject):
    """Options of FMUs in separate processes, and limits there: ``simulate(isolate=Isolation(which="all", call_timeout=5.0))``."""

    MAIN: ClassVar[str] = "which"

    which: str = "foreign"
    """Extent of isolation.

    ``all``: the run, with all FMUs, is in a separate process. ``foreign``: it is if an FMU is not of this library. ``none``: only FMUs that
    were added with ``process`` are.
    """
    call_timeout: float | None = None
    """Seconds that one call of an FMU may take there."""
    memory: float | None = None
    """Limit in bytes of the address space of FMUs in that process, beyond its initial size."""
    sandbox: bool = False
    """True denies the process foreign files, the network and other programs."""
    on_crash: str = "stop"
    """Reaction to an FMU that ends its process: ``stop``, or ``restart``, which resumes the run from its last checkpoint."""
    max_restarts: int = 3
    """The most restarts of a run."""

    def __post_init__(self) -> None:
        check_word("isolate", self.which, ("all", "foreign", "none"))
        if not isinstance(self.sandbox, bool) or (self.sandbox and self.which == "none"):
            why = "is for runs in a process of their own; give which='all' as well" if self.sandbox is True else "is neither True nor False"
            raise BuildError(f"sandbox = {shown(self.sandbox)} is refused: it {why}")
        for name, word in (("call_timeout", "seconds"), ("memory", "bytes")):
            if getattr(self, name) is not None:
                value = number(name, getattr(self, name))
                if not 0 < value < math.inf:
                    raise BuildError(
                        f"{name} = {value:g} is refused: it must be a number of {word} greater than 0; leave it out to have no limit"
                    )
                object.__setattr__(self, name, value)
        check_word("on_crash", self.on_crash, ("stop", "restart"))
        if isinstance(self.max_restarts, bool) or not isinstance(self.max_restarts, int) or self.max_restarts < 1:
            raise BuildError(f"max_restarts = {shown(self.max_restarts)} is refused: it must be a whole number of at least 1")
        if self.on_crash == "stop" and self.max_restarts != Isolation.max_restarts:
            raise BuildError(f"max_restarts = {self.max_restarts} is for on_crash = 'restart'; give that as well, or leave it out")
