"""Joints in compliant mode: what is stored in springs, also those across constraints, and what dampers take add up to what bodies lose."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.joint import Joint
from jourdain import orientation
from tests.support.systems.mechanism import Mechanism

JOINTS = [
    name
    for name, component in all_components().items()
    if name.startswith("spatial.") and issubclass(component, Joint) and component.constrains()
    if name not in ("spatial.PointContact", "spatial.PulleyRope", "spatial.Rope", "spatial.WormGear")
]
"""Contacts, ropes and lossy gears, whose constraints are switched, have laws of their own, which tests/fmu_components/planar/test_contacts.py shows, and ropes over pulleys test_pulley_rope.py."""
STIFFNESS, DAMPING = 200.0, 3.0


def two_bodies(joint):
    """Returns two bodies in free motion at random velocities, with a closed joint; it has springs and dampers along all its freedoms."""
    declared = declaration(all_components()[joint])
    assert not declared.switched
    start = {v.name: v.start for v in declared.with_role(Role.INPUT)}
    R = np.array([[start[f"N.R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
    place = dict(zip("xyz", (start[f"N.{axis}"] for axis in "xyz"), strict=True))
    random = np.random.default_rng(5)
    inertia = {"Ixx": 0.5, "Iyy": 0.6, "Izz": 0.7, "gz": 0.0}

    def velocities():
        names = [f"{kind}{axis}" for kind in ("v", "omega") for axis in "xyz"]
        return dict(zip(names, random.uniform(-1, 1, 6), strict=True))

    along = {v.name: 3.0 if v.name.endswith(".k") else 0.2 for v in declared.with_role(Role.PARAMETER) if v.name.endswith((".k", ".b"))}
    across = {name: value for name, value in (("compliant.k", STIFFNESS), ("compliant.c", DAMPING)) if name in declared.by_name}
    parts = {
        "first": ("spatial.Body1", inertia | velocities()),
        "joint": (joint, along | across),
        "second": ("spatial.Body1", inertia | {"m": 0.6} | place | orientation(matrix=R) | velocities()),
    }
    return Mechanism(parts, [("first.p1", "joint.M"), ("joint.N", "second.p1")], ideal=False), declared


def lost(mechanism, declared):
    """The power that all dampers take."""
    names = [v.name for v in declared.with_role(Role.OUTPUT)]
    across = sum(mechanism[f"joint.{name}"] ** 2 for name in names if name.startswith("velocity["))
    along = [v.name.removesuffix(".b") for v in declared.with_role(Role.PARAMETER) if v.name.endswith(".b")]
    total = DAMPING * across + sum(0.2 * mechanism[f"joint.{name}.qd"] ** 2 for name in along if f"{name}.qd" in names)
    if declared.name == "spatial.Spherical":
        total += 0.2 * sum((mechanism[f"second.omega{axis}"] - mechanism[f"first.omega{axis}"]) ** 2 for axis in "xyz")
    return total


def stored(mechanism, declared):
    """Returns the energy in the springs, and in the bodies."""
    names = [v.name for v in declared.with_role(Role.OUTPUT)]
    springs = sum(mechanism[f"joint.{name}"] for name in names if name.endswith(".energy"))
    across = sum(mechanism[f"joint.{name}"] ** 2 for name in names if name.startswith("position["))
    return springs + STIFFNESS / 2 * across + mechanism["first.energy.kinetic"] + mechanism["second.energy.kinetic"]


@pytest.mark.parametrize("joint", JOINTS)
def test_energy_and_work_of_dampers_balance(joint):
    """Integrated together over a second, to 1e-6 of what the bodies and springs lose."""
    mechanism, declared = two_bodies(joint)
    with mechanism:

        def rates(time, state):
            return np.append(mechanism.evaluate(time, state[:-1]), lost(mechanism, declared))

        solution = solve_ivp(rates, (0, 1), np.append(mechanism.start, 0.0), method="DOP853", rtol=1e-9, atol=1e-10)
        energies = []
        for time, state in zip(solution.t, solution.y.T, strict=True):
            mechanism.evaluate(time, state[:-1])
            energies.append(stored(mechanism, declared))
    taken = solution.y[-1]
    assert taken[-1] > 0.01
    assert np.array(energies) + taken == pytest.approx(np.full(len(taken), energies[0]), abs=1e-6 * np.ptp(energies))
