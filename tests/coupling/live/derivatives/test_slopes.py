"""Exact derivatives from a system's graph, against those that the FMUs give, whose code they share nothing with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from coupling import System
from coupling.kernel.equations.fused import fuse, report
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import NoDerivative
from coupling.live.derivatives.projected import state_jacobian
from coupling.live.derivatives.slopes import begin_slopes
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.session import Session
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import build
from coupling.plan.kinds import Mode
from coupling.plan.projection import without_stabilisation
from tests.coupling.fused.test_examples import example
from tests.coupling.fused.test_recursion import chain
from tests.coupling.live.test_stabilisation import four_bars, moving
from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import braced_parallelogram

ALLOWED = 1e-10
LEAST = 3e-6
"""The same of equations that repeat others beside the constraints, which are damped there, and solved by singular values with the FMUs."""
MACHINES: dict[str, Callable[[], System]] = {
    "seven bodies": seven_bodies.system,
    "crane": lambda: example("06_hydraulic_crane").system(),
    "heavy top": lambda: example("13_heavy_top").system(),
    "redundant": braced_parallelogram,
}


@contextmanager
def begun(system: System, projected: bool) -> Iterator[Session]:
    """Gives a session at its start, evaluated by the tape."""
    built = build(system.definition, Mode.PROJECTED if projected else Mode.CONTINUOUS)
    values = without_stabilisation(built.parts, range(len(built.parts))) if projected else {}
    with start(compile_program(built, []), Running(run=Run(stop_time=1.0, evaluation="tape"), values=values)) as session:
        session.kernel.set_projection(session.rows, projected)
        session.kernel.set_fast(False)
        begin_fused(session)
        yield session


def near_start(session: Session) -> np.ndarray:
    """Returns states near the start, on the constraints where states are projected."""
    x = session.x + 1e-3 * np.cos(np.arange(len(session.x)))
    for _ in range(3 if session.projects else 0):
        assert session.kernel.project(0.1, x) is Status.DONE
    return x


@pytest.mark.parametrize(
    ("name", "projected"), [*((name, projected) for name in MACHINES for projected in (False, True)), ("tree of blocks", False)]
)
def test_the_jacobian_is_that_of_the_fmus(name, projected):
    """Relative to the greatest of each row, which puts together what they say of themselves; with constraints that repeat others as well."""
    with begun({**MACHINES, "tree of blocks": lambda: chain(4)}[name](), projected) as session:
        kernel, x, dx = session.kernel, near_start(session), np.zeros(len(session.x))
        slopes = begin_slopes(session)
        assert slopes
        evaluate = kernel.projected_derivatives if projected else kernel.derivatives
        assert evaluate(0.1, x, dx) is Status.DONE
        found = slopes.dense()
        assert (report(kernel).handed > 0) == (name == "redundant") and not report(kernel).by_rows
        fuse(kernel, None)
        for _ in range(2):  # the first leaves rounding of multipliers that belong to another point
            assert evaluate(0.1, x, dx) is Status.DONE
        expected = state_jacobian(session).dense()
        size = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1e-9 * np.abs(expected).max())
        assert np.abs((found - expected) / size).max() < (LEAST if name == "redundant" else ALLOWED)


def test_the_jacobian_is_the_matrix_of_a_linear_model():
    """The states of the system are its coordinates, and it is at rest."""
    system = example("17_quarter_car").system()
    pose = system.equilibrium()
    model = system.linearise(initial=pose)
    with begun(system, False) as session:
        names = [session.label(i) for i in range(len(session.x))]
        x = np.array([pose[name] for name in names])
        assert session.kernel.derivatives(0.0, x, np.zeros(len(x))) is Status.DONE
        slopes = begin_slopes(session)
        assert slopes
        order = [names.index(name) for name in model.states]
        assert len(order) == len(names)
        assert slopes.dense()[np.ix_(order, order)] == pytest.approx(model.A, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("solver", ["ida", "Radau", "BDF"])
def test_runs_by_the_graph_are_those_by_the_fmus(solver):
    """Implicit solvers ask for the graph's Jacobian; rounding alone changes the number of IDA's steps by a tenth."""
    runs = [
        four_bars(1).simulate(1.0, solver=solver, rtol=1e-6, output_times=[1.0], start_values=moving(1, 1.0), evaluation=evaluation)
        for evaluation in ("tape", "fmus")
    ]
    ours, theirs = runs
    assert ours.outcome.completed and ours.statistics.steps <= 1.1 * theirs.statistics.steps
    assert 0 < ours.statistics.jacobians < ours.statistics.evaluations and theirs.statistics.jacobians
    assert ours["rocker0.theta"][-1] == pytest.approx(theirs["rocker0.theta"][-1], abs=1e-4)


def test_values_that_are_not_finite_are_told():
    """A solver keeps its last Jacobian there."""
    with begun(seven_bodies.system(), False) as session:
        slopes = begin_slopes(session)
        assert slopes
        session.kernel.slots[: len(session.x)] = np.nan
        with pytest.raises(NoDerivative, match="the derivatives of the system's equations are not finite") as caught:
            slopes.values()
        assert caught.value.discarded
