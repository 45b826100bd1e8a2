"""The stabilisation of a run: what a definition says of it, and the sentence on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from coupling.errors import listed
from coupling.options import Run
from coupling.plan.definition import Definition
from coupling.plan.projection import stabilisation_parameters
from coupling.schemes.base.scheme import scheme_of
from coupling.solvers.base.solver import SOLVERS


class Facts(NamedTuple):
    """Facts of a definition on the stabilisation of its runs."""

    constrained: bool
    """True if the system has algebraic variables."""
    switches: bool
    """True if joints have constraints that depend on modes."""
    parameters: frozenset[str]
    """Full names of the joints' stabilisation parameters."""
    given: frozenset[str]
    """Stabilisation parameters with start values for all runs."""


def facts_of(definition: Definition) -> Facts:
    """Returns what a definition has for the stabilisation of its runs."""
    daes = [each.fmu.fmu.dae for each in definition.instances if each.fmu.fmu.dae is not None]
    parameters = frozenset(
        f"{each.name}.{name}" for each in definition.instances for name in stabilisation_parameters(each.fmu.fmu.variables)
    )
    given = {f"{each.name}.{name}" for each in definition.instances for name, _ in each.start}
    return Facts(bool(daes), any(dae.switched for dae in daes), parameters, parameters & given)


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
