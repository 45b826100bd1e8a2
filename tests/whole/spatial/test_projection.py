"""Projection in space: bodies are turned onto the constraints, in steps, in the right-hand side, and in exported mechanisms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from coupling.kernel.system.status import Status
from coupling.live.derivatives.projected import state_jacobian
from jourdain import System
from tests.coupling.export.test_derivatives import Point, columns, watched
from tests.coupling.live.test_stabilisation import EXACT
from tests.coupling.solvers.test_projected import begun, derivatives
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import export
from tests.support.systems.machines import example
from tests.support.systems.space import CONSERVATIVE, COSTLY, quaternions, two_rods


def displaced(x: np.ndarray, size: float, seed: int = 1) -> np.ndarray:
    return x + size * np.random.default_rng(seed).standard_normal(len(x))


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode"])
@pytest.mark.parametrize(
    "name", ["two rods", "Bricard", "Chaplygin's sphere", *(pytest.param(each, marks=pytest.mark.slow) for each in COSTLY)]
)
def test_all_rows_are_on_the_constraints(name, solver):
    """The default of explicit methods puts them there, and the projected right-hand side too; at 1e-6."""
    result = CONSERVATIVE[name]().simulate(1.0, solver=solver, rtol=1e-6, stabilisation="projection", output_times=[0.5, 1.0])
    assert result.outcome.completed
    assert max(result.violation["position"].max(), result.violation["velocity"].max()) <= 1e-8


def test_it_is_the_default_and_keeps_the_lengths_of_quaternions():
    """The attitude over 2 s at 1e-8 is right as by Baumgarte's stabilisation, and corrections do not change the length."""
    exact, by_default, other = (
        two_rods().simulate(2.0, rtol=rtol, output_times=[2.0], **options)
        for rtol, options in ((1e-12, {"solver": "dop853"}), (1e-8, {}), (1e-8, {"stabilisation": "baumgarte"}))
    )
    assert by_default.violation["position"][-1] <= EXACT < 1e-9 < other.violation["position"][-1]
    for run in (by_default, other):
        assert quaternions(run, "second") == pytest.approx(quaternions(exact, "second"), abs=1e-6)
    assert abs(np.linalg.norm(quaternions(by_default, "second")) - 1) < 1e-7


def test_redundant_loops_take_few_evaluations():
    """Bricard's mechanism to 2 s: at 1e-6 a reference implementation takes 200; what is decided on projected poses stays right."""
    machine = example("14_bricard")
    result = machine.system().simulate(2.0, rtol=1e-6, output_times=[2.0])
    assert len(result.outcome.warnings) == 1
    assert result.statistics.evaluations < 300
    assert machine.fourth_hinge(result)[-1] == pytest.approx(machine.REFERENCE[2.0][0], abs=2e-5)


@pytest.mark.parametrize("size", [1e-3, 0.1])
def test_what_is_off_returns_by_itself_and_changes_nothing_else(size):
    """Derivatives are those on the constraints, less 5/s times what is off; attitudes are moved along the sphere of quaternions."""
    with begun(two_rods()) as session:
        session.kernel.set_fast(False)
        x = displaced(session.x, size)
        on = x.copy()
        assert session.kernel.project(0.0, on) is Status.DONE
        exact = np.empty(len(x))
        assert session.kernel.derivatives(0.0, on, exact) is Status.DONE
        assert derivatives(session, x) == pytest.approx(exact - 5 * (x - on), rel=1e-9, abs=1e-9)
        for part in session.built.parts:
            if "omegax" in part.fmu.variables and part.states:
                q = slice(part.first_state + 3, part.first_state + 7)
                assert np.linalg.norm(on[q]) == pytest.approx(np.linalg.norm(x[q]), abs=1e-14)
                assert np.abs(on[q] - x[q]).max() > size / 100


def test_corrections_turn_about_absolute_axes():
    """A free end that is held at the origin by a spherical joint: what a small violation moves is what its masses say, by hand."""
    system = System("ball")
    system.add("ground", "spatial.Fixed")
    system.add("pin", "spatial.Spherical")
    turned = Rotation.from_rotvec((0.3, -0.5, 0.8))
    arm, J, m = turned.apply((0.5, 0, 0)), np.diag((0.3, 0.4, 0.5)), 2.0
    start = dict(zip(("x", "y", "z"), map(float, arm), strict=True)) | dict(
        zip(("q1", "q2", "q3", "q0"), map(float, turned.as_quat()), strict=True)
    )
    system.add("rod", "spatial.Body1", {"m": m, "Ixx": 0.3, "Iyy": 0.4, "Izz": 0.5, "p1.rx": -0.5, **start})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    with begun(system) as session:
        x = session.x.copy()
        gap = 1e-6 * np.array((1.0, -2.0, 0.5))
        x[:3] += gap
        on = x.copy()
        assert session.kernel.project(0.0, on) is Status.DONE
        inverse = turned.as_matrix() @ np.linalg.inv(J) @ turned.as_matrix().T
        skew = np.cross(np.eye(3), -arm)  # of the point from the mass centre, -arm
        impulse = np.linalg.solve(np.eye(3) / m - skew @ inverse @ skew, -gap)
        assert on[:3] - x[:3] == pytest.approx(impulse / m, abs=1e-11)
        found = Rotation.from_quat(np.roll(on[3:7], -1)) * Rotation.from_quat(np.roll(x[3:7], -1)).inv()
        assert found.as_rotvec() == pytest.approx(inverse @ np.cross(-arm, impulse), abs=1e-11)


@pytest.mark.parametrize("name", ["two rods", "Chaplygin's sphere", pytest.param("rolling disc", marks=pytest.mark.slow)])
def test_the_jacobian_is_that_of_the_projected_derivatives(name):
    """It agrees with differences, at a state in general position that satisfies the constraints."""
    with begun(CONSERVATIVE[name]()) as session:
        session.kernel.set_fast(False)
        jacobian, x = state_jacobian(session), displaced(session.x, 0.05)
        for _ in range(3):
            assert session.kernel.project(0.0, x) is Status.DONE
        derivatives(session, x)
        exact = jacobian.dense()
        found = []
        for i in range(len(x)):
            h = np.zeros(len(x))
            h[i] = 1e-6 * max(1.0, abs(x[i]))
            found.append((derivatives(session, x + h) - derivatives(session, x - h)) / (2 * h[i]))
        differences = np.column_stack(found)
        size = np.maximum(1.0, np.abs(differences).max(axis=1, keepdims=True))
        assert np.abs((exact - differences) / size).max() < 1e-6


@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_exported_it_serves_integrators_that_know_nothing_of_constraints(fmi):
    """Bricard's redundant mechanism by Dormand and Prince's method of SciPy, without a step that the FMU refuses; derivatives are exact."""
    machine = example("14_bricard")
    path = export(machine.system(), fmi, outputs=("rod3.p1",), stabilisation="projection")
    with Driver(path, "me") as fmu:
        fmu.start()

        def rates(t: float, x: np.ndarray) -> np.ndarray:
            fmu.at(t, x)
            return fmu.derivatives

        run = solve_ivp(rates, (0, 2), fmu.states, method="DOP853", rtol=1e-9, atol=1e-9)
        fmu.at(2.0, run.y[:, -1])
        assert [fmu[f"rod3.p1.{axis}"] for axis in "xyz"] == pytest.approx(machine.REFERENCE[2.0][0], abs=1e-7)
    with Driver(path, "cs") as fmu:
        fmu.start()
        for k in range(20):
            fmu.step(k / 10, 0.1)
        assert [fmu[f"rod3.p1.{axis}"] for axis in "xyz"] == pytest.approx(machine.REFERENCE[2.0][0], abs=1e-8)


@pytest.mark.slow
def test_directional_derivatives_of_an_export_are_those_of_differences():
    """They are the derivatives by states and time, at states that satisfy the constraints."""
    system = two_rods()
    with Driver(export(system, 3, stabilisation="projection"), "me") as fmu:
        fmu.start()
        names = [u.variable.derivative.name for u in fmu.description.derivatives]
        on = two_rods().simulate(0.3, rtol=1e-10, outputs=names, output_times=[0.3])
        point = Point(fmu, 0.3, np.array([on[name][-1] for name in names]), {})
        unknowns, knowns = [*watched(fmu), *point.states], [*point.states, "time"]
        point.values(unknowns)
        exact = columns(fmu, unknowns, knowns)
        expected = np.column_stack([point.difference(unknowns, known) for known in knowns])
        scale = np.maximum(1.0, np.abs(expected).max(axis=1, keepdims=True))
        assert (np.abs(exact - expected) / scale).max() <= 1e-7
