"""What a coupling scheme is, and all of them by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping

from coupling.errors import BuildError, shown
from coupling.live.interval import Interval
from coupling.live.session import Session
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.registry import Registry
from coupling.schemes.base import failures


class CouplingScheme(ABC):
    """Couples Co-Simulation instances from start to stop."""

    in_turn: bool = False
    """Whether instances step one after another (Gauss-Seidel), not all at once (Jacobi)."""
    repeats: bool = False
    """Whether it repeats steps, and so finds multipliers that cannot be solved for at a point."""
    loose: Collection[str] = ()
    """The levels of constraints, ``position`` or ``velocity``, that it lets go their own way."""
    refused_controls: Mapping[str, Callable[..., BuildError]] = {}
    """The names of step controls that do not go with the scheme, and what refuses each: a function of ``scheme`` and ``control``."""

    @abstractmethod
    def couple(self, session: Session, run: Run, interval: Interval | None) -> Outcome:
        """Runs the system; ``interval`` integrates Model Exchange instances from one communication point to the next."""


SCHEMES: Registry[CouplingScheme] = Registry("scheme", "coupling.schemes")


def scheme_of(name: str) -> CouplingScheme:
    """The coupling scheme of that name."""
    if name == failures.UNSTABLE_SCHEME:
        raise failures.unstable_scheme()
    return SCHEMES[name]


def check_scheme(name: object) -> None:
    """Refuses a scheme that does not exist, whether it would be used or not."""
    if isinstance(name, str):
        scheme_of(name)


def refuse_without_integration(run: Run, changes_steps: bool) -> None:
    """Refuses options of an integration that there is not: all instances with states step by themselves."""
    if run.solver != Run.solver:
        raise failures.nothing_integrated(option="solver", value=repr(run.solver_name))
    if run.atol is not None:
        raise failures.nothing_integrated(option="atol", value=shown(run.atol))
    if run.stabilisation == "projection":
        raise failures.nothing_integrated(option="stabilisation", value=repr(run.stabilisation))
    if run.communication_step and run.max_step < run.communication_step and not changes_steps:
        raise failures.longer_than_allowed(max_step=run.max_step, step=run.communication_step)
