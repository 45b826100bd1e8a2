"""Trees of blocks against bodies on multiplier joints at the same pose, loops closed between blocks, massless links, and inverse dynamics."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import Ending, System, orientation
from tests.support.systems.blocks import four_bar
from tests.support.systems.machines import example
from tests.support.systems.space import vector
from tests.support.systems.systems import refusal

STARTED = {"output_times": [0.0, 1e-6]}


def placed(rng: np.random.Generator, port: str) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Somewhere on a body: the point, the axes of the frame by columns, and the parameters."""
    r, z, x = rng.uniform(-0.6, 0.6, 3), rng.normal(size=3), rng.normal(size=3)
    z /= np.linalg.norm(z)
    across = x - z * (x @ z)
    across /= np.linalg.norm(across)
    frame = np.stack([across, np.cross(z, across), z], axis=1)
    return r, frame, {**vector(f"{port}.r", r), **vector(f"{port}.z", z), **vector(f"{port}.x", x)}


def of_block(own: dict[str, float], *children: dict[str, float]) -> dict[str, float]:
    """Ports on a body that has its origin in the mass centre, as those of a block, which has it in the joint."""
    place = {name[-1]: value for name, value in own.items() if name.startswith("P.r")}
    values = {f"r{a}": -value for a, value in place.items()} | {name: value for name, value in own.items() if not name.startswith("P.r")}
    for each in children:
        values |= {name: value - place[name[-1]] if ".r" in name else value for name, value in each.items()}
    return values


def inertia(rng: np.random.Generator) -> dict[str, float]:
    axes, d = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix(), rng.uniform(0.1, 1, 3)
    J = axes @ np.diag(d.sum() - d) @ axes.T
    return {"m": rng.uniform(0.3, 2), **{f"I{'xyz'[i]}{'xyz'[j]}": J[i, j] for i in range(3) for j in range(i, 3)}}


def renamed(values: dict[str, float], port: str) -> dict[str, float]:
    return {f"{port}.{name.partition('.')[2]}": value for name, value in values.items()}


def used(children: int) -> dict[str, str]:
    """The points of a block on which others hang, by those of the body that stands for it: a body has no more than four beside that of its joint."""
    return {f"p{k}": f"C{child}" for k, child in enumerate(range(max(1, children - 3), children + 1), 2)}


def spatial_trees(bodies: int, children: int = 2) -> tuple[System, System, list[tuple[str, str]]]:
    """A free base with limbs: by blocks, by joints, and the names of the joints' accelerations in both."""
    ports, number = used(children), "" if children == 2 else children
    rng = np.random.default_rng(bodies)
    blocks, joints = System("blocks"), System("joints")
    R, c, v, w = Rotation.random(random_state=bodies).as_matrix(), *rng.normal(size=(3, 3))
    at = [placed(rng, f"p{i}") for i in (1, 2)]
    base = {**inertia(rng), **vector("", c), **vector("v", v), **vector("omega", w), **orientation(matrix=R), **at[0][2], **at[1][2]}
    for system in (blocks, joints):
        system.add("base", "spatial.Body2", base)
    free = [(f"base.p{i + 1}", f"base.p{i + 1}", (c, R, v, w), at[i][:2]) for i in range(2)]
    names = []
    for i in range(bodies - 1):
        parent, of_body, (c, R, v, w), (r, frame) = free.pop(rng.integers(len(free)))
        turns, q, qd = rng.random() < 0.6, rng.uniform(-2, 2), rng.normal()
        own, *outer = (placed(rng, port) for port in ("P", *ports.values()))
        axes, origin = R @ frame, c + R @ r
        z, moved = axes[:, 2], v + np.cross(w, R @ r)
        if turns:
            R, w = axes @ Rotation.from_rotvec([0, 0, q]).as_matrix() @ own[1].T, w + qd * z
        else:
            R, origin, moved = axes @ own[1].T, origin + q * z, moved + np.cross(w, q * z) + qd * z
        c, v = origin - R @ own[0], moved + np.cross(w, -R @ own[0])
        mass, forces = inertia(rng), (rng.uniform(0, 3), rng.uniform(0, 1))
        kind, freedom = ("Revolute", "rotation") if turns else ("Prismatic", "translation")
        spring = dict(zip("kb", forces, strict=True))
        blocks.add(
            f"b{i}",
            f"spatial.{kind}Body{number}",
            {**mass, **of_block(own[2], *(values for *_, values in outer)), "q": q, "qd": qd, **spring},
        )
        blocks.connect(parent, f"b{i}.P")
        points = renamed(own[2], "p1")
        for name, (*_, values) in zip(ports, outer, strict=True):
            points |= renamed(values, name)
        motion = {**vector("", c), **vector("v", v), **vector("omega", w), **orientation(matrix=R)}
        joints.add(f"b{i}", f"spatial.Body{len(points) // 9}", {**mass, **points, **motion})
        joints.add(f"j{i}", f"spatial.{kind}", {f"{freedom}.{name}": value for name, value in spring.items()})
        joints.connect(of_body, f"j{i}.M")
        joints.connect(f"j{i}.N", f"b{i}.p1")
        names.append((f"b{i}.qdd", f"j{i}.{freedom}.qdd"))
        free += [
            (f"b{i}.{child}", f"b{i}.{name}", (c, R, v, w), each[:2]) for (name, child), each in zip(ports.items(), outer, strict=True)
        ]
    return blocks, joints, names


def planar_trees(bodies: int, children: int = 2) -> tuple[System, System, list[tuple[str, str]]]:
    """The same in the plane."""
    ports, number = used(children), "" if children == 2 else children
    rng = np.random.default_rng(bodies)
    blocks, joints = System("blocks"), System("joints")

    def turned(angle: float) -> np.ndarray:
        return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])

    def port(name: str) -> tuple[np.ndarray, float, dict[str, float]]:
        r, angle = rng.uniform(-0.6, 0.6, 2), rng.uniform(-pi, pi)
        return r, angle, {f"{name}.rx": r[0], f"{name}.ry": r[1], f"{name}.angle": angle}

    def cross(rate: float, arm: np.ndarray) -> np.ndarray:
        return rate * np.array([-arm[1], arm[0]])

    c, v, theta, w = rng.normal(size=2), rng.normal(size=2), rng.normal(), rng.normal()
    at = [port(f"p{i}") for i in (1, 2)]
    for system in (blocks, joints):
        start = {"x": c[0], "y": c[1], "theta": theta, "vx": v[0], "vy": v[1], "omega": w}
        system.add("base", "planar.Body2", {"m": 2.0, "I": 0.7, **start, **at[0][2], **at[1][2]})
    free = [(f"base.p{i + 1}", f"base.p{i + 1}", (c, v, theta, w), at[i][:2]) for i in range(2)]
    names = []
    for i in range(bodies - 1):
        parent, of_body, (c, v, theta, w), (r, angle) = free.pop(rng.integers(len(free)))
        turns, q, qd = rng.random() < 0.6, rng.uniform(-2, 2), rng.normal()
        own, *outer = (port(name) for name in ("P", *ports.values()))
        arm = turned(theta) @ r
        origin, moved, axis = c + arm, v + cross(w, arm), turned(theta + angle) @ (1, 0)
        theta += angle - own[1] + (q if turns else 0)
        if turns:
            w += qd
        else:
            moved = moved + cross(w, q * axis) + qd * axis
            origin = origin + q * axis
        c = origin - turned(theta) @ own[0]
        v = moved + cross(w, c - origin)
        mass, spring = {"m": rng.uniform(0.3, 2), "I": rng.uniform(0.1, 1)}, {"k": rng.uniform(0, 3), "b": rng.uniform(0, 1)}
        kind, freedom = ("Revolute", "rotation") if turns else ("Translational", "translation")
        blocks.add(
            f"b{i}",
            f"planar.{kind}Body{number}",
            {**mass, **of_block(own[2], *(values for *_, values in outer)), "q": q, "qd": qd, **spring},
        )
        blocks.connect(parent, f"b{i}.P")
        points = renamed(own[2], "p1")
        for name, (*_, values) in zip(ports, outer, strict=True):
            points |= renamed(values, name)
        start = {"x": c[0], "y": c[1], "theta": theta, "vx": v[0], "vy": v[1], "omega": w}
        joints.add(f"b{i}", f"planar.Body{len(points) // 3}", {**mass, **points, **start})
        joints.add(f"j{i}", f"planar.{kind}", {f"{freedom}.{name}": value for name, value in spring.items()})
        joints.connect(of_body, f"j{i}.M")
        joints.connect(f"j{i}.N", f"b{i}.p1")
        names.append((f"b{i}.qdd", f"j{i}.{freedom}.qdd"))
        free += [
            (f"b{i}.{child}", f"b{i}.{name}", (c, v, theta, w), each[:2]) for (name, child), each in zip(ports.items(), outer, strict=True)
        ]
    return blocks, joints, names


@pytest.mark.parametrize("bodies", [2, 3, *(pytest.param(bodies, marks=pytest.mark.slow) for bodies in (7, 15, 30))])
@pytest.mark.parametrize("trees", [planar_trees, spatial_trees])
def test_trees_have_the_accelerations_of_bodies_on_joints(trees, bodies):
    """They agree to 1e-11, at random places, axes, tensors and rates, with springs and dampers."""
    check_accelerations(*trees(bodies))


@pytest.mark.slow
@pytest.mark.parametrize("children", [3, 4, 5])
@pytest.mark.parametrize("trees", [planar_trees, spatial_trees])
def test_more_children_hang_on_blocks_as_on_bodies(trees, children):
    """Six limbs: more than half of them hang on the third point of a block or on one after it."""
    check_accelerations(*trees(7, children))


def check_accelerations(blocks: System, joints: System, names: list[tuple[str, str]]) -> None:
    found, expected = blocks.simulate(1e-6, **STARTED), joints.simulate(1e-6, stabilisation="baumgarte", **STARTED)
    for block, of_joint in names:
        assert found[block][0] == pytest.approx(expected[of_joint][0], abs=1e-11, rel=1e-11)


NO_TENSOR = {"Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0}


def test_two_blocks_with_nothing_between_them_are_a_universal_joint():
    """The cross has no mass; the motion is that of a body on a multiplier joint, to 1e-9."""
    x_up = {"zx": 1.0, "zz": 0.0, "xx": 0.0, "xy": 1.0}  # an axis x, and y of the frame
    y_up = {"zy": 1.0, "zz": 0.0}
    blocks, joints = System("blocks"), System("joint")
    body = {"m": 2.0, "Ixx": 0.3, "Iyy": 0.5, "Izz": 0.4, "Ixz": 0.1}
    blocks.add("ground", "spatial.Fixed", {f"p1.{n}": v for n, v in x_up.items()})
    cross = {f"P.{n}": v for n, v in x_up.items()} | {f"C1.{n}": v for n, v in y_up.items()}
    blocks.add("cross", "spatial.RevoluteBody", {"m": 0.0, **NO_TENSOR, **cross, "qd": 1.0})
    blocks.add("body", "spatial.RevoluteBody", {**body, **{f"P.{n}": v for n, v in y_up.items()}, "rz": -0.7, "rx": -0.2, "qd": -0.5})
    blocks.connect("ground.p1", "cross.P")
    blocks.connect("cross.C1", "body.P")
    joints.add("ground", "spatial.Fixed")
    joints.add("cross", "spatial.Universal")
    omega = np.array((1.0, -0.5, 0.0))
    start = {**vector("", (-0.2, 0, -0.7)), **vector("omega", omega), **vector("v", np.cross(omega, (-0.2, 0, -0.7)))}
    joints.add("body", "spatial.Body1", {**body, **start, "p1.rz": 0.7, "p1.rx": 0.2})
    joints.connect("ground.p1", "cross.M")
    joints.connect("cross.N", "body.p1")
    found, expected = (each.simulate(1.0, solver="dop853", rtol=1e-12) for each in (blocks, joints))
    assert found.outcome.ending is Ending.COMPLETED and not found.outcome.warnings
    assert found["cross.q"][-1] == pytest.approx(expected["cross.rotation1.q"][-1], abs=1e-9)
    assert found["body.q"][-1] == pytest.approx(expected["cross.rotation2.q"][-1], abs=1e-9)


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte", None])
def test_a_loop_closed_between_blocks(stabilisation):
    """It moves as with four joints, to 1e-9, and stays closed, whatever holds the constraint."""
    expected = four_bar(False).simulate(1.0, solver="dop853", rtol=1e-12)
    options = {} if stabilisation is None else {"stabilisation": stabilisation}
    found = four_bar(True).simulate(1.0, solver="dop853", rtol=1e-12, **options)
    assert found.outcome.ending is Ending.COMPLETED and not found.outcome.warnings
    angles = expected["crank.theta"][-1], expected["coupler.theta"][-1] - expected["crank.theta"][-1], expected["rocker.theta"][-1]
    assert [found[f"{name}.q"][-1] for name in ("crank", "coupler", "rocker")] == pytest.approx(angles, abs=1e-9)
    assert np.hypot(found["closing.position[1]"], found["closing.position[2]"]).max() < (1e-9 if stabilisation == "baumgarte" else 1e-11)


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_a_redundant_loop_closed_between_blocks(stabilisation):
    """The closing hinge has three equations too many in space; the motion is that of the plane, to 1e-9."""
    expected = four_bar(True).simulate(0.5, solver="dop853", rtol=1e-12)
    plane, angles = System("four-bar in space"), expected
    gravity = {"gy": -9.81, "gz": 0.0}
    plane.add("left", "spatial.Fixed")
    plane.add("right", "spatial.Fixed", {"p1.rx": 1.5})
    for name, length in (("crank", 1.0), ("coupler", 1.3), ("rocker", 0.9)):
        bar = {"m": length, "Izz": length**3 / 12, "rx": length / 2, "C1.rx": length, "q": angles[f"{name}.q"][0]}
        plane.add(name, "spatial.RevoluteBody", {**bar, **gravity})
    plane.add("closing", "spatial.Revolute")
    for a, b in (
        ("left.p1", "crank.P"),
        ("crank.C1", "coupler.P"),
        ("right.p1", "rocker.P"),
        ("coupler.C1", "closing.M"),
        ("closing.N", "rocker.C1"),
    ):
        plane.connect(a, b)
    found = plane.simulate(0.5, solver="dop853", rtol=1e-12, stabilisation=stabilisation)
    assert found.outcome.ending is Ending.COMPLETED
    assert [each.partition(" at ")[0] for each in found.outcome.warnings] == ["3 constraints are redundant"]
    for name in ("crank", "coupler", "rocker"):
        assert found[f"{name}.q"][-1] == pytest.approx(expected[f"{name}.q"][-1], abs=1e-9)


def arm() -> System:
    """Two rods on the ground, with springs and dampers."""
    system = System("arm")
    system.add("ground", "planar.Fixed")
    rod = {"m": 2.0, "I": 0.3, "rx": 0.5, "C1.rx": 1.0}
    system.add("upper", "planar.RevoluteBody", {**rod, "k": 2.0, "b": 0.3, "qd": 1.0})
    system.add("lower", "planar.RevoluteBody", {**rod, "k": 1.0, "b": 0.1})
    system.connect("ground.p1", "upper.P")
    system.connect("upper.C1", "lower.P")
    return system


def moment_of(arm: np.ndarray, force: np.ndarray) -> float:
    return arm[0] * force[1] - arm[1] * force[0]


def test_inverse_dynamics():
    """Accelerations are driven: no loop is left, and ``required`` is what Newton's and Euler's equations say; as torque it moves the arm
    the same way."""
    system = arm()
    system.drive("upper.qdd", lambda t: -sin(t))
    system.drive("lower.qdd", 1.5)
    assert not system.build().schedule.loops
    result = system.simulate(1.0, solver="dop853", rtol=1e-12, output_interval=0.25)
    t = result.time
    assert result["upper.q"] == pytest.approx(np.sin(t), abs=1e-10)
    assert result["lower.q"] == pytest.approx(0.75 * t**2, abs=1e-10)
    m, moment, g = 2.0, 0.3, np.array((0, -9.81))
    for i, now in enumerate(t):
        angles = np.array((sin(now), sin(now) + 0.75 * now**2))
        rates = np.array((cos(now), cos(now) + 1.5 * now))
        accelerations = np.array((-sin(now), -sin(now) + 1.5))
        along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
        change = accelerations[:, None] * across - rates[:, None] ** 2 * along
        on_lower = m * (change[0] + change[1] / 2 - g)
        on_upper = m * (change[0] / 2 - g)
        about_elbow = moment * accelerations[1] + moment_of(along[1] / 2, on_lower)
        about_shoulder = moment * accelerations[0] + moment_of(along[0] / 2, on_upper) + moment_of(along[0], on_lower) + about_elbow
        q, qd = angles - (0, angles[0]), rates - (0, rates[0])
        springs = np.array((2.0, 1.0)) * q + np.array((0.3, 0.1)) * qd
        required = np.array((about_shoulder, about_elbow)) + springs
        assert [result["upper.required"][i], result["lower.required"][i]] == pytest.approx(required, abs=1e-9)
    forward = arm()
    forward.drive("upper.torque", float(result["upper.required"][0]))
    forward.drive("lower.torque", float(result["lower.required"][0]))
    started = forward.simulate(1e-6, **STARTED)
    assert [started["upper.qdd"][0], started["lower.qdd"][0]] == pytest.approx((0, 1.5), abs=1e-11)


def test_actuators_at_the_flange_add_up_with_the_torque():
    """A motor at the flange and the input: the same motion as by one torque that is their sum."""
    by_input, by_flange = arm(), arm()
    by_input.drive("upper.torque", lambda t: 3 * sin(2 * t) + 1)
    by_flange.drive("upper.torque", lambda t: sin(2 * t))
    by_flange.add("motor", "mechanical1d.Torque")
    by_flange.connect("motor.flange", "upper.flange")
    by_flange.drive("motor.torque", lambda t: 2 * sin(2 * t) + 1)
    expected, found = (each.simulate(1.0, solver="dop853", rtol=1e-12) for each in (by_input, by_flange))
    assert found["upper.q"] == pytest.approx(expected["upper.q"], abs=1e-11)
    assert found["motor.power"] == pytest.approx((2 * np.sin(2 * found.time) + 1) * found["upper.qd"], abs=1e-11)


@pytest.mark.slow
def test_inverse_dynamics_in_space():
    """The torques of an arm of six axes with a welded load agree with the recursive Newton-Euler equations, to 1e-10."""
    machine = example("24_robot_arm")
    q, qd, qdd = np.array(machine.START), np.array((1.0, -0.7, 0.4, 2.0, -1.5, 3.0)), np.array((-2.0, 1.0, 3.0, -4.0, 5.0, 1.0))
    arm = machine.system()
    for name, value in zip(machine.JOINTS, qdd, strict=True):
        arm.drive(f"{name}.qdd", value)
    rates = {f"{name}.qd": rate for name, rate in zip(machine.JOINTS, qd, strict=True)}
    found = arm.simulate(1e-6, start_values=rates, **STARTED)
    assert [found[f"{name}.required"][0] for name in machine.JOINTS] == pytest.approx(machine.torques(q, qd, qdd), abs=1e-10)


def test_one_acceleration_driven_and_the_other_solved():
    """The driven one is kept; the other is the one at which its actuator is idle."""
    system = arm()
    system.drive("upper.qdd", 0.0)
    result = system.simulate(0.5, rtol=1e-10)
    assert result["upper.q"] == pytest.approx(result.time, abs=1e-9)
    assert np.abs(result["lower.required"]).max() < 1e-10


def test_rates_are_not_driven():
    """Drives may only set the accelerations."""
    system = arm()
    assert refusal(lambda: system.drive("upper.qd", 1.0)) == "'upper.qd' cannot be driven: it is a local variable; drive an input"


@pytest.mark.parametrize("kind", ["RevoluteBody", "PrismaticBody"])
def test_alone_a_block_needs_inertia_along_its_joint(kind):
    """It divides by this inertia in Co-Simulation."""
    system = System("massless")
    system.add("ground", "spatial.Fixed")
    system.add("link", f"spatial.{kind}", {"m": 0.0, **NO_TENSOR}, kind="cs")
    system.connect("ground.p1", "link.P")
    sentence = refusal(lambda: system.simulate(0.1, communication_step=0.01), Exception)
    assert "unless ideal is true, this body alone has inertia along its joint" in sentence
