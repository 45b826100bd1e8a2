"""Solvers whose steps do not end on the constraints, by the projected right-hand side: against reduced equations, through events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coupling import BuildError, Result, System
from coupling.kernel.system.status import Status
from coupling.live.derivatives.projected import state_jacobian
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.session import Session
from coupling.live.start import start
from coupling.options import Run
from coupling.plan import projection
from coupling.plan.build import build
from coupling.plan.graph import Part
from coupling.plan.kinds import Mode
from coupling.plan.projection import without_stabilisation
from tests.coupling.live.test_stabilisation import EXACT, angle, carrying, four_bars, moving, pendulum, projected, violation
from tests.support.fused.ways import WAYS
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems import seven_bodies
from tests.support.systems.systems import refusal, system_of


def begun(system: System) -> Session:
    """Returns a session at its start, with projection."""
    built = build(system.definition, Mode.PROJECTED)
    values = without_stabilisation(built.parts, range(len(built.parts)))
    session = start(compile_program(built, []), Running(run=Run(stop_time=1.0), values=values))
    session.kernel.set_projection(session.rows, True)
    return session


def derivatives(session: Session, x: np.ndarray) -> np.ndarray:
    dx = np.empty(len(x))
    assert session.kernel.projected_derivatives(0.0, x, dx) is Status.DONE
    return dx


# -- the right-hand side ------------------------------------------------------------------------------------------------------------------


def test_what_is_off_returns_by_itself_and_changes_nothing_else():
    """Bodies are moved off their joints by 1 mm: derivatives are those on the joints, less 5/s times what is off."""
    with begun(system_of(DoublePendulum())) as session:
        x = session.x + 1e-3 * np.sin(np.arange(len(session.x)))
        on = x.copy()
        assert session.kernel.project(0.0, on) is Status.DONE
        assert np.abs(x - on).max() > 1e-4
        exact = np.empty(len(x))
        assert session.kernel.derivatives(0.0, on, exact) is Status.DONE
        assert derivatives(session, x) == pytest.approx(exact - 5 * (x - on), rel=1e-9, abs=1e-9)


def test_derivatives_are_those_of_the_point_alone():
    """Earlier evaluations have no effect on them; integrators compute differences of them."""
    with begun(four_bars(1)) as session:
        session.kernel.set_fast(False)
        x = session.x + 1e-4
        first = derivatives(session, x)
        derivatives(session, session.x + 0.01 * np.cos(np.arange(len(x))))
        assert derivatives(session, x) == pytest.approx(first, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(("increment", "allowed"), [(1e-6, 1e-6), (1e-11, 0.1)])
@pytest.mark.parametrize("way", ["fmus", "tape", "compiled"], ids=["FMUs", "tape", "compiled"])
def test_the_jacobian_is_that_of_the_projected_derivatives(way, increment, allowed):
    """It agrees with differences, at a state that satisfies the constraints; also over increments that violate them by less than a run
    would correct."""
    with begun(seven_bodies.system()) as session:
        jacobian, x = state_jacobian(session), session.x.copy()
        assert session.kernel.project(0.0, x) is Status.DONE
        derivatives(session, x)
        exact = jacobian.dense()
        if way != "fmus":
            session.running.run = replace(session.run, evaluation=way)
            begin_fused(session)
            assert session.running.way.evaluated == WAYS[way]
        columns = []
        for i in range(len(x)):
            h = np.zeros(len(x))
            h[i] = increment * max(1.0, abs(x[i]))
            columns.append((derivatives(session, x + h) - derivatives(session, x - h)) / (2 * h[i]))
        differences = np.column_stack(columns)
        size = np.abs(exact).max(axis=1, keepdims=True)
        assert np.abs((exact - differences) / size).max() < allowed


# -- runs ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvode", "ida", "RK45", "Radau", "BDF", "LSODA"])
def test_a_pendulum(solver):
    """Every row satisfies the constraints, also those between steps."""
    result = projected(pendulum(), 2.0, solver=solver, rtol=1e-6, output_interval=0.1)
    assert result["rod.theta"][-1] == pytest.approx(angle(1 + 1 / 12, 9.81, 0.0, 0.0, 2.0), abs=1e-4)
    assert max(violation(result, row) for row in range(len(result.time))) <= EXACT


@pytest.mark.parametrize(("solver", "rtol", "allowed"), [("cvode", 1e-7, 2e-3), ("RK45", 1e-6, 2e-3), ("Radau", 1e-5, 2e-3)])
def test_a_four_bar_passes_the_poses_where_its_links_lie_in_a_line(solver, rtol, allowed):
    """Baumgarte's stabilisation does not get through by any of these."""
    result = projected(four_bars(1), 10.0, solver=solver, rtol=rtol, output_times=[10.0], start_values=moving(1, 1.0), max_steps=4000)
    assert result["rocker0.theta"][-1] == pytest.approx(angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -1.0, 10.0), abs=allowed)
    assert violation(result) <= EXACT


def swinging(**options) -> tuple[Result, float]:
    """A double pendulum, and how far its angles are off at the end."""
    oracle = DoublePendulum()
    result = system_of(oracle).simulate(2.0, output_times=[2.0], **options)
    motion = oracle.motion(np.array([2.0]))
    return result, max(abs(result[f"{name}.theta"][-1] - motion[name].theta[-1]) for name in motion)


def seven(**options) -> tuple[Result, float]:
    result = seven_bodies.system().simulate(seven_bodies.STOP, atol=1e-9, output_times=[seven_bodies.STOP], **options)
    return result, seven_bodies.error(result)


@pytest.mark.parametrize(
    ("solver", "case"),
    [
        ("cvode", swinging),
        ("cvode", seven),
        pytest.param("ida", swinging, marks=pytest.mark.slow),
        pytest.param("ida", seven, marks=pytest.mark.slow),
    ],
)
def test_as_exact_as_by_baumgarte_in_as_many_evaluations(solver, case):
    """The errors are means over tolerances, since those of BDF scatter from one to the next, by the factors 0.03 to 3.6 here.

    Errors with Baumgarte's stabilisation are multiplied by 0.2 and 0.3 with CVODE, 0.8 and 0.2 with IDA; evaluations by 1.00 to 1.02.
    """
    errors, evaluations = [], []
    for rtol in (1e-7, 3e-8, 1e-8, 3e-9, 1e-9):
        (one, error), (other, allowed) = (case(solver=solver, rtol=rtol, stabilisation=s) for s in ("projection", "baumgarte"))
        errors.append(error / allowed)
        evaluations.append(one.statistics.evaluations / other.statistics.evaluations)
    assert np.exp(np.mean(np.log(errors))) < 1.5
    assert np.mean(evaluations) < 1.04


def test_a_stiff_chain_by_a_sparse_jacobian_takes_no_steps_more():
    """IDA with many unknowns keeps the sparse Jacobian of what is not projected, which is exact but for what is off."""
    system = System("chain")
    system.add("ground", "planar.Fixed")
    for i in range(12):
        system.add(f"rod{i}", "planar.Body2", {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": i + 0.5})
        system.add(f"pin{i}", "planar.Revolute", {"rotation.k": 1e5, "rotation.b": 1e3})
        system.connect(f"rod{i - 1}.p2" if i else "ground.p1", f"pin{i}.M")
        system.connect(f"pin{i}.N", f"rod{i}.p1")
    results = [system.simulate(0.2, solver="ida", rtol=1e-6, output_times=[0.2], stabilisation=s) for s in ("projection", "baumgarte")]
    assert results[0]["rod11.y"][-1] == pytest.approx(results[1]["rod11.y"][-1], abs=1e-5)
    assert results[0].statistics.evaluations < 1.5 * results[1].statistics.evaluations


# -- events -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvode", "ida", "RK45"])
def test_a_body_that_bounces_takes_what_it_carries_along(solver):
    """The test of the same name for steps that end on the constraints has this machine as well."""
    result = projected(carrying(), 0.6, solver=solver, rtol=1e-8, output_times=[0.6])
    fall = 10 / 1.5
    first = np.sqrt(2 / fall)
    expected = (1.0 - 0.5) / 1.5 * fall * first - fall * (0.6 - first)
    assert [result["lower.v"][-1], result["upper.v"][-1]] == pytest.approx([expected] * 2, abs=1e-5)
    assert violation(result) <= EXACT


def test_constraints_hold_at_the_jumps_of_a_table():
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    system.drive("push.Cz", [(0.0, 0.0), (0.3, 0.0), (0.3, 20.0), (0.7, 20.0), (0.7, -5.0)])
    result = projected(system, 1.0, solver="cvode", rtol=1e-6, output_times=[1.0])
    assert max(violation(result, row) for row in range(len(result.time))) <= EXACT


# -- refusals -----------------------------------------------------------------------------------------------------------------------------


def test_a_constraint_that_gives_its_position_without_its_velocity_is_named(monkeypatch):
    own = Part.dae.fget

    def stripped(part: Part):
        dae = own(part)
        return dae and replace(dae, constraints=(dae.constraints[0], replace(dae.constraints[1], velocity=None)))

    monkeypatch.setattr(Part, "dae", property(stripped))
    text = refusal(lambda: projected(pendulum(), 1.0), BuildError)
    assert "'pin.lambda[2]' belongs to a constraint without an output velocity[k]" in text and "all others" not in text


def test_a_violation_that_depends_on_multipliers_is_named(monkeypatch):
    """Such a pin lists its own first multiplier among the variables on which each output depends."""
    (multiplier, *_) = build(pendulum().definition, Mode.PROJECTED).schedule.loops[0].unknowns
    own = projection._known
    monkeypatch.setattr(projection, "_known", lambda graph, output: (*own(graph, output), (multiplier.reference, "dependent")))
    text = refusal(lambda: projected(pendulum(), 1.0), BuildError)
    assert "'pin.position[1]' depends on 'pin.lambda[1]', which is solved for together with the multipliers" in text
