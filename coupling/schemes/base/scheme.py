"""Coupling schemes: their data, and all of them by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping

from coupling.errors import BuildError, shown
from coupling.live.interval import Interval
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.options import Run
from coupling.registry import Registry
from coupling.schemes.base import failures


class CouplingScheme(ABC):
    """Scheme that couples Co-Simulation instances from start to stop."""

    in_turn: bool = False
    """True if instances step one after another (Gauss-Seidel), and not all at once (Jacobi)."""
    repeats: bool = False
    """True if the scheme repeats steps, and so finds multipliers that cannot be solved for at a point."""
    loose: Collection[str] = ()
    """Levels of constraints, ``position`` or ``velocity``, at which the scheme lets them drift."""
    refused_controls: Mapping[str, Callable[..., BuildError]] = {}
    """Names of step controls that do not suit the scheme, each with a function of ``scheme`` and ``control`` that refuses it."""

    @abstractmethod
    def couple(self, session: Session, run: Run, interval: Interval | None) -> Integration:
        """Runs the system; ``interval`` integrates Model Exchange instances from one communication point to the next."""


SCHEMES: Registry[CouplingScheme] = Registry("scheme", "coupling.schemes")


def scheme_of(name: str) -> CouplingScheme:
    """Returns the coupling scheme of that name."""
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
