"""Steps that end on the constraints: against reduced equations, with joints that have no stabilisation of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import System
from coupling.options import Run
from coupling.simulate import Simulator


def pendulum() -> System:
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -1.0, "x": 1.0})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def four_bars(count: int) -> System:
    """Upright rockers of 1 m with a coupler between each two, all starting with 1 m/s; they pass a pose where they lie in a line."""
    system = System("four bars")
    for i in range(count + 1):
        system.add(f"ground{i}", "planar.Fixed", {"p1.rx": float(i)})
        system.add(f"rocker{i}", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": float(i), "y": 0.5, "theta": np.pi / 2} | MOVING)
        joint(system, f"foot{i}", f"ground{i}.p1", f"rocker{i}.p1")
        if i:
            system.add(
                f"coupler{i}", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": i - 0.5, "y": 1.0, "vx": 1.0, "m": 1.0, "I": 1 / 12}
            )
            joint(system, f"left{i}", f"rocker{i - 1}.p2", f"coupler{i}.p1")
            joint(system, f"right{i}", f"rocker{i}.p2", f"coupler{i}.p2")
    return system


MOVING = {"m": 1.0, "I": 1 / 12, "vx": 0.5, "omega": -1.0}


def joint(system: System, name: str, a: str, b: str) -> None:
    system.add(name, "planar.Revolute")
    system.connect(a, f"{name}.M")
    system.connect(b, f"{name}.N")


def angle(inertia: float, weight: float, start: float, rate: float, stop: float) -> float:
    """Of a pendulum, from the horizontal, with weight = m g r."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -weight * np.cos(y[0]) / inertia]

    return solve_ivp(slope, (0, stop), [start, rate], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]


def ended(simulator: Simulator, solver: str, rtol: float, stop: float, stabilisation: str = "projection"):
    """The last row by the names of its columns, and the statistics."""
    run = Run(stop_time=stop, solver=solver, rtol=rtol, stabilisation=stabilisation, outputs=["*"], output_times=[stop], max_steps=4000)
    outcome, record = simulator.run(run)
    assert outcome.completed, outcome
    return {column.name: value for column, value in zip(record.columns, record.rows[-1, 1:], strict=False)}, record.statistics


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_step_ends_on_the_constraints_and_takes_no_evaluation_more(solver, rtol):
    simulator = Simulator(pendulum().definition)
    end, statistics = ended(simulator, solver, rtol, 5.0)
    violations = [abs(value) for name, value in end.items() if name.startswith(("pin.position[", "pin.velocity["))]
    assert len(violations) == 4
    assert max(violations) <= 4e-12
    assert end["rod.theta"] == pytest.approx(angle(1 + 1 / 12, 9.81, 0.0, 0.0, 5.0), abs=100 * rtol)
    _, without = ended(simulator, solver, rtol, 5.0, "baumgarte")
    assert abs(statistics.evaluations - without.evaluations) <= 0.03 * without.evaluations + 12


@pytest.mark.parametrize(("solver", "rtol"), [("dopri5", 1e-4), ("dopri5", 1e-6), ("dop853", 1e-4), ("dop853", 1e-6), ("dop853", 1e-8)])
@pytest.mark.parametrize("count", [1, 2])
def test_four_bars_pass_the_poses_where_their_links_lie_in_a_line(count, solver, rtol):
    end, _ = ended(Simulator(four_bars(count).definition), solver, rtol, 10.0)
    expected = angle((count + 1) / 3 + count, ((count + 1) / 2 + count) * 9.81, np.pi / 2, -1.0, 10.0)
    for i in range(count + 1):
        assert end[f"rocker{i}.theta"] == pytest.approx(expected, abs=3000 * rtol if rtol < 1e-4 else 0.5)
