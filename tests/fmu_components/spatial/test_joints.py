"""Every joint in space, at random poses at which its constraint holds, which SciPy's rotations make without the declaration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy
from scipy.spatial.transform import Rotation

from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.joint import Joint

POSES = 400
JOINTS = {name: component for name, component in all_components().items() if name.startswith("spatial.") and issubclass(component, Joint)}


def about(axis, angle):
    return Rotation.from_rotvec(np.eye(3)["xyz".index(axis)] * angle)


def relative_pose(joint, random):
    """A place and an attitude of N in the frame of M at which the joint is closed, with its default parameters."""
    u, v = random.uniform(-2, 2, 2)
    a, b = random.uniform(-3, 3, 2)
    anyhow = Rotation.random(random_state=int(random.integers(2**31)))
    lean = np.radians(random.uniform(17, 163))
    leaning = about("z", a) * about("x", lean) * about("z", b)
    bend = random.uniform(0, 1.5)
    match joint.removeprefix("spatial."):
        case "Spherical":
            return (0, 0, 0), anyhow
        case "Revolute" | "ActuatedRevolute":
            return (0, 0, 0), about("z", a)
        case "Prismatic" | "ActuatedPrismatic":
            return (0, 0, u), Rotation.identity()
        case "Cylindrical":
            return (0, 0, u), about("z", a)
        case "Screw":
            return (0, 0, 0.01 * a / (2 * np.pi)), about("z", a)
        case "Universal":
            return (0, 0, 0), about("x", a) * about("y", b)
        case "ConstantVelocity":
            return (0, 0, 0), Rotation.from_rotvec((bend * np.cos(a), bend * np.sin(a), 0))
        case "Planar":
            return (u, v, 0), about("z", a)
        case "Weld":
            return (0, 0, 0), Rotation.identity()
        case "PointOnPlane" | "RelativeVelocity":
            return (u, v, 0), anyhow
        case "PointOnLine":
            return (0, 0, u), anyhow
        case "Rod":
            return anyhow.apply((1, 0, 0)), leaning
        case "KnifeEdge":
            return (u, v, 0), leaning
        case "RollingSphere":
            return (u, v, 0.5), anyhow
        case "RollingDisc":
            return (u, v, 0.5 * np.sin(lean)), leaning
    raise AssertionError(f"say at which poses {joint} is closed")


LARGEST = {"spatial.ConstantVelocity": 2.0, "spatial.RollingDisc": 1.12, "spatial.RollingSphere": 1.12, "spatial.Screw": 1.00001}
"""The largest singular value of the rows on (velocity, angular velocity) of N: 1 for all others, whose rows are orthonormal."""


@pytest.fixture(params=list(JOINTS))
def joint(request):
    return request.param


@cache
def function(joint):
    """Constraints at both levels and wrenches, of the motion of both ports and the multipliers, in ideal mode, for arrays."""
    declared = declaration(JOINTS[joint])
    count = len(declared.with_role(Role.ALGEBRAIC))
    arguments = [v for v in declared.with_role(Role.INPUT) if v.port in ("M", "N")] + list(declared.with_role(Role.ALGEBRAIC))
    names = [f"position[{k + 1}]" for k in range(count)] + [f"velocity[{k + 1}]" for k in range(count)]
    names += [f"{port}.{kind}{axis}" for port in "MN" for kind in "FC" for axis in "xyz"]
    rest = {v.symbol: sympy.Float(v.start or 0) for v in declared.variables if v.role in (Role.PARAMETER, Role.STATE, Role.INPUT)}
    rest = {s: value for s, value in rest.items() if s not in {v.symbol for v in arguments}} | {sympy.Symbol("ideal"): sympy.true}
    known = [declared.expand(declared[n].symbol).xreplace(rest) if n in declared.by_name else sympy.Integer(0) for n in names]
    evaluate = sympy.lambdify([v.symbol for v in arguments], known, modules="numpy", cse=True)

    def at(values):
        size = np.broadcast_shapes(*(np.shape(each) for each in values.values()))
        found = evaluate(*(values.get(v.name, np.zeros(size)) for v in arguments))
        return dict(zip(names, (np.broadcast_to(each, size) for each in found), strict=True))

    return at, count


def poses(joint):
    """Random places and attitudes of M, those of N with them, all as the variables of the ports; and the vector from M to N."""
    random = np.random.default_rng(11)
    values: dict[str, list[float]] = {}
    between = []
    for _ in range(POSES):
        R = Rotation.random(random_state=int(random.integers(2**31)))
        place = random.uniform(-2, 2, 3)
        d, turned = relative_pose(joint, random)
        for port, r, attitude in (("M", place, R), ("N", place + R.apply(d), R * turned)):
            for axis, value in zip("xyz", r, strict=True):
                values.setdefault(f"{port}.{axis}", []).append(value)
            for i, row in enumerate(attitude.as_matrix(), 1):
                for j, value in enumerate(row, 1):
                    values.setdefault(f"{port}.R{i}{j}", []).append(value)
        between.append(R.apply(d))
    return {name: np.array(each) for name, each in values.items()}, np.array(between)


def vectors(found, name):
    return np.stack([found[f"{name}{axis}"] for axis in "xyz"], axis=-1)


def test_rows_are_regular_and_wrenches_balance(joint):
    """At 400 poses: the constraint holds, its rows have the singular values of the table, and wrenches on M and N balance to 1e-14."""
    at, count = function(joint)
    where, between = poses(joint)
    closed = at(where)
    assert max(np.abs(closed[f"position[{k + 1}]"]).max() for k in range(count)) < 1e-14
    rows = np.empty((POSES, count, 6))
    for column, name in enumerate(f"N.{kind}{axis}" for kind in ("v", "omega") for axis in "xyz"):
        found = at(where | {name: np.ones(POSES)})
        rows[:, :, column] = np.stack([found[f"velocity[{k + 1}]"] for k in range(count)], axis=-1)
    singular = np.linalg.svd(rows, compute_uv=False)
    assert singular.min() > 1 - 1e-12
    assert singular.max() < LARGEST.get(joint, 1.0) + 1e-12
    for k in range(count):
        found = at(where | {f"lambda[{k + 1}]": np.ones(POSES)})
        force, torque = vectors(found, "N.F"), vectors(found, "N.C")
        assert np.abs(vectors(found, "M.F") + force).max() < 1e-14
        assert np.abs(vectors(found, "M.C") + torque + np.cross(between, force)).max() < 1e-14
        assert np.concatenate([force, torque], axis=1) == pytest.approx(rows[:, k], abs=1e-14)
