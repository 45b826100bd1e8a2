"""The velocity that points at another body: the second example of the non-holonomic paper, which is a curve of pursuit."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.systems.mechanism import Mechanism


def test_the_second_example_of_the_non_holonomic_paper():
    """A keeps its speed and follows B, whose path is known; the force on A is m_A |v_A| times the turning rate of AB.

    B starts 3 m ahead, both with 1 m/s along x, and is pushed by 2 N along y. The path of A is compared with the pursuit
    A' = |v_A| (B - A)/|B - A|, integrated by itself; the masses and the distance are not printed in the paper.
    """
    mA, mB, f, distance, stop = 1.5, 2.0, 2.0, 3.0, 5.0

    def B(t):
        return np.array([distance + t, f / mB * t**2 / 2])

    def pursuit(t, A):
        return (B(t) - A) / np.linalg.norm(B(t) - A)

    times = np.linspace(0, stop, 6)
    oracle = solve_ivp(pursuit, (0, stop), [0, 0], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=times).y.T
    with Mechanism(
        {
            "A": ("planar.Body1", {"m": mA, "gy": 0.0, "vx": 1.0}),
            "B": ("planar.Body2", {"m": mB, "gy": 0.0, "x": distance, "vx": 1.0}),
            "joint": ("planar.PointedVelocity", {}),
            "push": ("planar.Wrench", {"Fy": f}),
        },
        [("A.p1", "joint.M"), ("B.p1", "joint.N"), ("B.p2", "push.M")],
    ) as mechanism:
        states = mechanism.simulate(stop, times)
        path = np.column_stack([mechanism.trajectory(states, f"A.{c}") for c in "xy"])
        assert path == pytest.approx(oracle, abs=1e-8)
        prey = np.column_stack([mechanism.trajectory(states, f"B.{c}") for c in "xy"])
        assert prey == pytest.approx(np.array([B(t) for t in times]), abs=1e-8)
        AB, velocity = prey - path, np.array([[1.0, f / mB * t] for t in times])
        turning = (AB[:, 0] * velocity[:, 1] - AB[:, 1] * velocity[:, 0]) / (AB**2).sum(axis=1)
        assert turning[1:].min() > 0.05
        assert mechanism.trajectory(states, "joint.multiplier[1]") == pytest.approx(mA * turning, abs=1e-8)
        force = np.column_stack([mechanism.trajectory(states, f"joint.M.{c}") for c in ("Fx", "Fy")])
        assert (force * AB).sum(axis=1) == pytest.approx(np.zeros(6), abs=1e-12)
        assert mechanism["joint.N.Fx"] == mechanism["joint.N.Fy"] == 0
