"""States that are moved onto constraints go along the constraint forces, by as much as the masses say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import root

from coupling import System
from coupling.kernel.system.status import Status
from tests.coupling.live.test_stabilisation import pendulum
from tests.coupling.solvers.test_projected import begun


def projected(system: System, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States that are off their start, and where they are moved to."""
    with begun(system) as session:
        x = session.x + off
        on = x.copy()
        assert session.kernel.project(0.0, on) is Status.DONE
        return x, on


def test_masses_that_move_as_one_meet_at_their_mean() -> None:
    """Positions less the lengths between them, and velocities, are the means by the masses; one does not move the other."""
    masses, places, lengths = np.array([1.0, 3.0, 2.5]), np.array([0.0, 0.5, 0.2]), [0.5, -0.3]
    system = System("train")
    for i, (m, s) in enumerate(zip(masses, places, strict=True)):
        system.add(f"mass{i}", "mechanical1d.Mass", {"m": float(m), "s": float(s)})
    for i, length in enumerate(lengths):
        system.add(f"rod{i}", "mechanical1d.RigidRod", {"length": length})
        system.connect(f"mass{i}.flange", f"rod{i}.M")
        system.connect(f"mass{i + 1}.flange", f"rod{i}.N")
    x, on = projected(system, np.array([0.01, 0.7, -0.02, 0.1, 0.03, -0.4]))
    s, v = x[::2] - places, x[1::2]
    assert on[::2] - places == pytest.approx(np.full(3, masses @ s / masses.sum()), abs=1e-15)
    assert on[1::2] == pytest.approx(np.full(3, masses @ v / masses.sum()), abs=1e-15)


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-2])
def test_a_pinned_rod_moves_along_the_forces_of_its_pin(size: float) -> None:
    """Forces at the pin as it was, of which the equations of the pin say how great they are: for positions where these are moved, then for velocities."""
    mass = np.array([1.0, 1.0, 1 / 12])

    def gap(q: np.ndarray) -> np.ndarray:
        return np.array([q[0] - np.cos(q[2]), q[1] - np.sin(q[2])])

    def jacobian(q: np.ndarray) -> np.ndarray:
        return np.array([[1.0, 0.0, np.sin(q[2])], [0.0, 1.0, -np.cos(q[2])]])

    x, on = projected(pendulum(), size * np.array([0.3, -0.5, 1.0, 2.0, -1.0, 0.7]))
    moves = jacobian(x[:3]).T / mass[:, None]
    found = root(lambda impulse: gap(x[:3] + moves @ impulse), np.zeros(2), tol=1e-15)
    q = x[:3] + moves @ found.x
    v = x[3:] - moves @ np.linalg.solve(jacobian(q) @ moves, jacobian(q) @ x[3:])
    assert on == pytest.approx([*q, *v], rel=0, abs=2e-14)
    assert np.abs(gap(on[:3])).max() < 1e-15 and np.abs(jacobian(on[:3]) @ on[3:]).max() < 1e-15
