"""Solvers: their data, and all of them by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from coupling.errors import BuildError, shown
from coupling.kernel.runs.tableau import Tableau, TableauStructure
from coupling.live.pausing import Integration
from coupling.names import either
from coupling.options import Index3, Run
from coupling.plan.build import Built
from coupling.registry import Registry


def _nothing(run: Run) -> None:
    return


@dataclass(frozen=True)
class Solver:
    """Runs a system from start to stop."""

    integrate: Callable[[Any, Any], Integration]
    tableau: Tableau | None = None
    """Tableau of an explicit Runge-Kutta method, which can also integrate between communication points."""
    holds: bool = False
    """True if the solver holds constraints by itself, whatever their stabilisation."""
    without: Mapping[str, str] = field(default_factory=dict)
    """Options that the solver does not use, and their replacements."""
    check: Callable[[Run], None] = _nothing
    """Function that raises BuildError for other options that do not suit the solver."""
    in_c: bool = False
    """True if the kernel takes the solver's steps, without any evaluation in Python."""
    embedded: bool = False
    """True if exported mechanisms can take the solver's steps."""
    along: bool = False
    """True if the solver integrates the multipliers along."""


SOLVERS: Registry[Solver] = Registry("solver", "coupling.solvers")


def solver_of(run: Run) -> Solver:
    """Returns the solver of a run. Options that it does not have, and values that it cannot take, raise BuildError."""
    name, solver = run.solver_name, SOLVERS[run.solver_name]
    for option, instead in solver.without.items():
        if getattr(run, option) != getattr(Run, option):
            raise BuildError(f"{option} is not used by solver='{name}', {instead}; leave it out")
    solver.check(run)
    if solver.holds and run.stabilisation is not None:
        raise BuildError(
            f"stabilisation = '{run.stabilisation}' is for other solvers: solver='{name}' holds constraints by itself; leave one of the two out"
        )
    if run.successive and solver.along:
        raise BuildError(
            f"multipliers = 'successive' is refused with solver = '{name}', which integrates the multipliers along; choose another solver"
        )
    if run.form != "multipliers" and solver.in_c:
        raise BuildError(
            f"form = '{run.form}' is refused with solver = '{name}', which evaluates in C; choose one whose evaluations pass through Python, such "
            "as 'RK45' or 'DOP853'"
        )
    return solver


def method_between_points(built: Built, run: Run) -> TableauStructure:
    """Returns the method that integrates Model Exchange instances from one communication point to the next."""
    tableau = SOLVERS[run.solver_name].tableau
    if tableau is None:
        first = next(built.parts[i].name for i in built.inner_parts if built.parts[i].states)
        raise BuildError(
            f"solver = '{run.solver_name}' cannot integrate the Model Exchange instances between communication points, such as "
            f"'{first}'; choose 'dopri5' or 'dop853', or run them in Co-Simulation"
        )
    return tableau.structure


def embedded_run(stop_time: float, initial: str, solver: str | Index3) -> Run | None:
    """Returns the run whose steps an exported mechanism takes, if a solver was chosen for it."""
    if isinstance(solver, str) and solver == Run.solver:
        return None
    run = Run(stop_time=stop_time, initial=initial, solver=solver)
    if not solver_of(run).embedded:
        known = either([repr(name) for name in SOLVERS if SOLVERS[name].embedded])
        raise BuildError(f"solver = {shown(run.solver_name)} is not one of exported mechanisms; choose {known}, or leave it out")
    if run.index3 and run.index3.augmented:
        raise BuildError(f"iteration = '{run.index3.iteration}' is not carried by exported mechanisms; choose 'bordered', or leave it out")
    return run
