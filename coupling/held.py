"""The sentence on the stabilisation of a run."""

from __future__ import annotations

from collections.abc import Sequence

from coupling.errors import listed
from coupling.options import Run
from coupling.schemes.base.scheme import scheme_of
from coupling.solvers.base.solver import SOLVERS


def held_by(asked: Run, run: Run, given: Sequence[str], unprojectable: str) -> str:
    """Returns the stabilisation, and the reason.

    ``asked`` are the options as given, ``run`` those that ran. ``given`` are parameters of Baumgarte's stabilisation with values from the
    user; ``unprojectable`` says why states cannot be projected.
    """
    held, stepped = "constraints were held by", run.communication_step is not None
    if stepped and scheme_of(run.coupling.name).repeats:
        return f"{held} scheme = '{run.coupling.name}' at the communication points"
    if SOLVERS[run.solver_name].holds:
        return f"{held} solver = '{run.solver_name}' at the end of each step"
    if run.stabilisation == "projection":
        return f"{held} projection{' between the communication points' if stepped else ''}{', as asked' if asked.stabilisation else ''}"
    reasons = {
        "as asked": asked.stabilisation,
        "which explicit schemes of co-simulation take": stepped,
        "to which initial='relax' leaves the start": run.initial == "relax",
        f"since solver = '{run.solver_name}' does not end its steps on them": SOLVERS[run.solver_name].tableau is None,
        f"since {listed(given)} was given" if len(given) == 1 else f"since {listed(given)} were given": given,
        f"since projection cannot be used: {unprojectable}": unprojectable,
    }
    return f"{held} Baumgarte's stabilisation of the joints, {next(reason for reason, holds in reasons.items() if holds)}"
