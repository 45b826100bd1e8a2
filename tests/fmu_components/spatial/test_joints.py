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
from tests.support.components.motions import frame, velocities
from tests.support.properties import check_all
from tests.support.runtime.driver import Driver

POSES = 400
ELSEWHERE = {
    "spatial.PulleyRope": "it has two ports more; tests/fmu_components/planar/test_pulley_rope.py",
    "spatial.WormGear": "its friction depends on its load; tests/fmu_components/spatial/test_gears.py",
}
JOINTS = {
    name: component
    for name, component in all_components().items()
    if name.startswith("spatial.") and issubclass(component, Joint) and component.constrains() and name not in ELSEWHERE
}
"""Joints between M and N."""


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
        case "PointOnPlane" | "RelativeVelocity" | "RelativePosition" | "PointContact":
            return (u, v, 0), anyhow
        case "RelativeAngle":
            return (u, v, b), about("y", a / 2)
        case "PointOnLine":
            return (0, 0, u), anyhow
        case "GearPair":
            crossing = random.uniform(0.3, 2.5)
            place = (0.1 + 0.1 * np.cos(crossing), 0, -0.1 * np.sin(crossing))
            return about("z", a).apply(place), about("z", a) * about("y", crossing) * about("z", b)
        case "Rod" | "Rope":
            return anyhow.apply((1, 0, 0)), leaning
        case "KnifeEdge":
            return (u, v, 0), leaning
        case "RollingSphere":
            return (u, v, 0.5), anyhow
        case "RollingDisc":
            return (u, v, 0.5 * np.sin(lean)), leaning
    raise AssertionError(f"say at which poses {joint} is closed")


LARGEST = {
    "spatial.ConstantVelocity": 2.0,
    "spatial.GearPair": 1.005,
    "spatial.RollingDisc": 1.12,
    "spatial.RollingSphere": 1.12,
    "spatial.Screw": 1.00001,
}
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


def check_rows_are_regular_and_wrenches_balance(joint):
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


def motions(joint, found):
    """Random velocities and accelerations of both ports; those of N are moved such that the velocity constraints hold."""
    at, count = function(joint)
    random = np.random.default_rng(12)
    kinds = ("v", "omega", "a", "alpha")
    moving = {f"{port}.{kind}{axis}": random.uniform(-2, 2, POSES) for port in "MN" for kind in kinds for axis in "xyz"}
    names = [f"N.{kind}{axis}" for kind in ("v", "omega") for axis in "xyz"]
    rows = np.stack([at(found | {name: np.ones(POSES)})[f"velocity[{k + 1}]"] for k in range(count) for name in names], axis=-1)
    values = at(found | moving)
    left = np.stack([values[f"velocity[{k + 1}]"] for k in range(count)], axis=-1)
    for name, step in zip(names, np.moveaxis(np.linalg.pinv(rows.reshape(POSES, count, 6)) @ left[..., None], 1, 0)[..., 0], strict=True):
        moving[name] = moving[name] - step
    return moving


def check_no_power_is_lost_in_a_joint(joint):
    """At 400 poses, with velocities that the constraints allow, the powers of the wrenches on M and N add up to 0, to 1e-13."""
    at, count = function(joint)
    where, _ = poses(joint)
    moving = motions(joint, where)
    pushed = {f"lambda[{k + 1}]": np.random.default_rng(k).uniform(-1, 1, POSES) for k in range(count)}
    found = at(where | moving | pushed)
    power = sum(
        found[f"{port}.{effort}{axis}"] * moving[f"{port}.{rate}{axis}"]
        for port in "MN"
        for effort, rate in (("F", "v"), ("C", "omega"))
        for axis in "xyz"
    )
    assert np.abs(power).max() < 1e-13


def check_derivatives_of_the_residuals_are_exact(joint, fmu):
    """At 400 poses in motion, along a random direction each: the FMU's equal those of complex steps of the declaration, to 1e-12 of their size."""
    component = JOINTS[joint]
    declared, (_, count) = declaration(component), function(joint)
    where, _ = poses(joint)
    moving = where | motions(joint, where)
    residuals = [f"residual[{k + 1}]" for k in range(count)]
    symbols = [sympy.Symbol(name, real=True) for name in moving]
    rest = {v.symbol: sympy.Float(v.start or 0) for v in declared.variables if v.role in (Role.PARAMETER, Role.STATE, Role.INPUT)}
    closed = {v.name: 1 for v in declared.with_role(Role.DISCRETE_INPUT)}
    rest |= {declared[name].symbol: sympy.Integer(mode) for name, mode in closed.items()} | {sympy.Symbol("ideal"): sympy.true}
    known = [declared.expand(declared[name].symbol).xreplace({s: v for s, v in rest.items() if s not in symbols}) for name in residuals]
    along_the_axis = {"arctan2": lambda y, x: np.arctan(y / x)}  # whose slopes are those of the angle
    evaluate = sympy.lambdify(symbols, known, modules=[along_the_axis, "numpy"], cse=True)
    random = np.random.default_rng(13)
    seeds = random.uniform(-1, 1, (len(moving), POSES))
    with np.errstate(all="ignore"):
        complex_steps = evaluate(*(value + 1e-200j * seed for value, seed in zip(moving.values(), seeds, strict=True)))
    expected = np.array([np.broadcast_to(np.imag(each), POSES) for each in complex_steps]) / 1e-200
    with Driver(fmu(component, 3), "me") as driver:
        driver.configure({"ideal": True})
        driver.start({name: value[0] for name, value in moving.items()} | closed)
        for pose in range(POSES):
            driver.set({name: value[pose] for name, value in moving.items()})
            found = driver.directional(residuals, list(moving), list(seeds[:, pose]))
            assert found == pytest.approx(expected[:, pose], rel=0, abs=1e-12 * max(1, np.abs(expected[:, pose]).max()))


def test_every_joint(joint, fmu):
    """The checks above, at the same poses."""
    check_all(
        check_rows_are_regular_and_wrenches_balance,
        check_no_power_is_lost_in_a_joint,
        check_derivatives_of_the_residuals_are_exact,
        joint=joint,
        fmu=fmu,
    )


def test_a_leaning_disc_rolls_where_its_lowest_point_is_at_rest():
    """The point is found on the rim by SciPy's rotation, and the disc turns anyhow about it."""
    at, count = function("spatial.RollingDisc")
    attitude, omega = Rotation.from_euler("xyz", (-1.2, 0.3, 0.7)), np.array([0.4, -0.9, 1.3])
    up = attitude.inv().apply((0, 0, 1))
    low = -0.5 * attitude.apply((*up[:2], 0)) / np.hypot(*up[:2])
    plane = frame("M", np.zeros(3), Rotation.identity())
    found = at(plane | frame("N", np.array([1, 2, -low[2]]), attitude) | velocities("N", -np.cross(omega, low), omega))
    assert [float(found[f"velocity[{k + 1}]"]) for k in range(count)] == pytest.approx([0.0] * count, abs=1e-14)
    assert float(found["position[1]"]) == pytest.approx(0.0, abs=1e-15)


def test_the_plane_of_a_point_contact_is_drawn_on_the_body_that_has_it():
    """The gap follows the attitude of this body alone."""
    declared = declaration(JOINTS["spatial.PointContact"])
    gap = declared.expand(declared["position[1]"].symbol)
    (plane,) = {symbol.name.partition(".")[0] for symbol in gap.free_symbols if ".R" in symbol.name}
    (level,) = [word for word in declared.picture.words if word.kind == "level"]
    assert level.ports[0] == plane


@pytest.mark.parametrize(
    ("actuated", "flange", "load"), [("spatial.ActuatedPrismatic", "flange.f", "N.Fz"), ("spatial.ActuatedRevolute", "flange.tau", "N.Cz")]
)
def test_the_signal_of_an_actuator_acts_as_its_flange_does(actuated, flange, load):
    declared = declaration(JOINTS[actuated])
    given = declared.expand(declared[load].symbol)
    by_signal, by_flange = (sympy.diff(given, declared[name].symbol) for name in ("effort", flange))
    assert by_signal == by_flange != 0
    assert declared["effort"].start == 0.0 and declared["effort"].unit == declared[flange].unit
