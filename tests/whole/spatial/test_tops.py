"""Tops against closed forms and digits of reference solutions, by FMUs in the master.

The digits are those of independent formulations: of the Euler top the closed form in elliptic functions, of the heavy top
(Brüls and Cardona 2010) an integration at a relative tolerance of 1e-13.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import Ending, orientation
from tests.support.systems.machines import example
from tests.support.systems.space import EULER_TOP, attitude_of, free_body, on_a_joint, quaternions, three, turning, vector

EULER = {
    1: ((-0.31965968772, 1.97682009400, 0.26594630783), (0.53613662356, -0.03639607512, 0.83498522276, 0.11845895648)),
    2: ((-1.12480964433, 1.65674477938, 0.67705163171), (-0.40447822179, -0.03801301864, 0.83613459994, 0.36855299388)),
    5: ((-0.31817956457, -1.97705886727, 0.26535399960), (-0.00642649635, 0.18995562394, -0.03417186506, -0.98117676528)),
    10: ((0.62803401307, 1.90146608658, 0.41005150960), (-0.92313832977, 0.10888276160, 0.36795671573, 0.02383324738)),
    20: ((1.64420798672, 1.14305734608, 0.96840416900), (0.66534286688, -0.41039559397, -0.59972037891, -0.17096722802)),
}
"""Angular velocity about the body's axes, and quaternion, by time."""
RATES = ((4.80894133, 150, 1.02830076), (-0.47105310, 150, 5.90108305), (-0.82207810, 150, -5.92329135), (0.12223322, 150, -5.85562459))
"""Rates of the heavy top about its own axes, at the times of the example."""


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_the_euler_top_moves_as_its_closed_form(kind):
    """Rates and attitude agree to 1e-8 for 20 s, twice its period; the norm of the quaternion drifts less than the tolerance allows."""
    top = free_body(EULER_TOP, kind)
    options = {"solver": "dop853", "rtol": 1e-12} if kind == "me" else {"communication_step": 1.0}
    result = top.simulate(20.0, output_times=list(EULER), **options)
    for found, attitude, (rates, q) in zip(three(result, "top.w"), quaternions(result, "top"), EULER.values(), strict=True):
        assert found == pytest.approx(rates, abs=1e-8)
        assert attitude == pytest.approx(q, abs=1e-8)
        assert np.linalg.norm(attitude) == pytest.approx(1, abs=1e-9)
    assert np.ptp(result["top.energy.kinetic"]) < 1e-9


def test_a_symmetric_rotor_moves_as_its_closed_form():
    """R(t) = Rot(H/|H|, |H| t/J1) R0 Rot(e3, (1 - J3/J1) w3 t), to 1e-9, from an attitude and a tensor in general position."""
    J1, J3, R0 = 0.7, 1.1, Rotation.from_euler("XYZ", (0.3, -1.1, 2.0))
    principal = Rotation.from_euler("XYZ", (-0.4, 0.8, 0.5))  # of the tensor's axes in the body frame
    J = principal.as_matrix() @ np.diag((J1, J1, J3)) @ principal.as_matrix().T
    w = principal.inv().apply((0.9, -1.4, 3.0))  # about the principal axes
    omega = (R0 * principal).apply(w)
    tensor = {f"I{'xyz'[i]}{'xyz'[j]}": J[i, j] for i in range(3) for j in range(i, 3)}
    start = {**tensor, **orientation(matrix=R0.as_matrix()), **{f"omega{a}": rate for a, rate in zip("xyz", omega, strict=True)}}
    result = free_body(start).simulate(5.0, solver="dop853", rtol=1e-12, output_interval=0.5)
    H = (R0 * principal).apply(np.diag((J1, J1, J3)) @ w)
    for t, found in zip(result.time, attitude_of(result, "top"), strict=True):
        expected = Rotation.from_rotvec(H * t / J1) * (R0 * principal) * Rotation.from_rotvec([0, 0, (1 - J3 / J1) * w[2] * t])
        assert (found * principal * expected.inv()).magnitude() < 1e-9


def test_the_heavy_top_moves_as_the_reference():
    """It agrees to 1e-8 for 2 s, in which it spins 48 times; the reaction at the start is known: the fast spin presses down."""
    machine = example("13_heavy_top")
    result = machine.system().simulate(2.0, solver="dop853", rtol=1e-12, output_times=[0, *machine.REFERENCE])
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    assert [result[f"pivot.multiplier[{k}]"][0] for k in (1, 2, 3)] == pytest.approx((0, -319.525988166, -317.262461538), abs=1e-8)
    assert result["pivot.reaction"][0] == pytest.approx(np.hypot(319.525988166, 317.262461538), abs=1e-8)
    energy = result.energy
    assert energy[0] == pytest.approx(5435.696790866, abs=1e-8)
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert three(result, "top.")[1:] == pytest.approx(np.array(list(machine.REFERENCE.values())), abs=1e-8)
    assert three(result, "top.w")[1:] == pytest.approx(np.array(RATES), abs=1e-8)


def test_a_steady_top_precesses_evenly():
    """Its axis keeps its angle to the vertical and turns by W t about it if J3 (s + W cos) W - J1' W^2 cos = m g l."""
    m, J1, J3, length, theta, W = 1.2, 0.02, 0.03, 0.4, 0.7, 2.0
    pivot = J1 + m * length**2
    spin = (m * 9.81 * length + pivot * W**2 * np.cos(theta)) / (J3 * W) - W * np.cos(theta)
    axis = np.array((np.sin(theta), 0, np.cos(theta)))
    start = {**orientation((0, 1, 0), theta), **turning(length * axis, spin * axis + W * np.array((0, 0, 1)))}
    top = on_a_joint("Spherical", {"m": m, "Ixx": J1, "Iyy": J1, "Izz": J3, "p1.rz": -length, **start})
    result = top.simulate(3.0, solver="dop853", rtol=1e-11, output_interval=0.25)
    expected = [Rotation.from_euler("z", W * t).apply(length * axis) for t in result.time]
    assert np.abs(three(result, "top.") - expected).max() < 1e-8


def test_a_conical_pendulum_goes_round_evenly():
    """At W^2 = g/(l cos th) a mass on a rod stays at its height, to 1e-9; the rod pulls with m g/cos th."""
    m, length, theta = 1.5, 0.8, 0.6
    W = np.sqrt(9.81 / (length * np.cos(theta)))
    r = length * np.array((np.sin(theta), 0, -np.cos(theta)))
    start = vector("", r) | vector("v", np.cross((0, 0, W), r))
    result = on_a_joint("Rod", {"m": m, **start}, {"length": length}).simulate(5.0, solver="dop853", rtol=1e-12, output_interval=0.25)
    expected = [Rotation.from_euler("z", W * t).apply(r) for t in result.time]
    assert np.abs(three(result, "top.") - expected).max() < 1e-9
    assert result["pin.reaction"] == pytest.approx(np.full(len(result.time), m * 9.81 / np.cos(theta)), abs=1e-8)
