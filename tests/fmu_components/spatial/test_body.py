"""Bodies in space against Newton's and Euler's equations in plain NumPy, with SciPy's rotations."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.spatial.transform import Rotation

from fmu_components.catalogue import find
from fmu_components.declare.functions import GreatestMoment
from jourdain import System
from tests.support.declare.reference import reference
from tests.support.runtime.driver import ERROR, Driver, status_of


def vector(values, name):
    """The three components of a variable, whose name has its axis at the end."""
    return np.array([values[f"{name}{axis}"] for axis in "xyz"])


def frame(values, name):
    return np.array([[values[f"{name}R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])


def tensor(values):
    return np.array([[values["I" + "".join(sorted((a, b)))] for b in "xyz"] for a in "xyz"])


def port_frame(point, port):
    """The axes of a port in the body frame, by Gram and Schmidt."""
    z, x = vector(point, f"{port}.z"), vector(point, f"{port}.x")
    z /= np.linalg.norm(z)
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_equations_of_motion_and_of_the_points(count):
    """Forces and torques accelerate the body as Newton and Euler say; each point moves as a point of a rigid body does."""
    component = find(f"spatial.Body{count}")
    for seed in range(5):
        point = reference(component).random_point(np.random.default_rng(seed))
        values = point | {name: value for name, (value, _) in reference(component).values(point).items()}
        R = Rotation.from_quat([values[f"q{i}"] for i in (1, 2, 3, 0)]).as_matrix()
        J, omega = R @ tensor(values) @ R.T, vector(values, "omega")
        force, torque = values["m"] * vector(values, "g"), np.zeros(3)
        for port in (f"p{k}" for k in range(1, count + 1)):
            force = force + vector(values, f"{port}.F")
            torque += vector(values, f"{port}.C") + np.cross(R @ vector(values, f"{port}.r"), vector(values, f"{port}.F"))
        a, alpha = force / values["m"], np.linalg.solve(J, torque - np.cross(omega, J @ omega))
        for name, expected in (("", vector(values, "v")), ("v", a), ("omega", alpha)):
            assert [values[f"der({name}{axis})"] for axis in "xyz"] == pytest.approx(expected, rel=1e-10, abs=1e-10), name
        for port in (f"p{k}" for k in range(1, count + 1)):
            arm = R @ vector(values, f"{port}.r")
            assert frame(values, f"{port}.") == pytest.approx(R @ port_frame(values, port), abs=1e-12)
            assert vector(values, f"{port}.") == pytest.approx(vector(values, "") + arm, abs=1e-12)
            assert vector(values, f"{port}.v") == pytest.approx(vector(values, "v") + np.cross(omega, arm), abs=1e-12)
            assert vector(values, f"{port}.a") == pytest.approx(
                a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)), rel=1e-10, abs=1e-10
            )
            assert vector(values, f"{port}.omega") == pytest.approx(omega)
            assert vector(values, f"{port}.alpha") == pytest.approx(alpha, rel=1e-10, abs=1e-10)
        assert values["energy.kinetic"] == pytest.approx((values["m"] * vector(values, "v") @ vector(values, "v") + omega @ J @ omega) / 2)
        assert values["energy.potential"] == pytest.approx(-values["m"] * vector(values, "g") @ vector(values, ""))


def test_the_quaternion_turns_with_the_body_and_keeps_its_length():
    """Its rate is that of R, by differences of SciPy's rotations, and has no part along the quaternion."""
    component = find("spatial.Body1")
    point = reference(component).random_point(np.random.default_rng(3))
    values = {name: value for name, (value, _) in reference(component).values(point).items()}
    q, rate = (np.array([source[name.format(i)] for i in range(4)]) for source, name in ((point, "q{}"), (values, "der(q{})")))
    assert rate @ q == pytest.approx(0, abs=1e-12)
    before, after = (Rotation.from_quat(np.roll(q + h * rate, -1)) for h in (-1e-5, 1e-5))
    assert (after * before.inv()).as_rotvec() / 2e-5 == pytest.approx(vector(point, "omega"), abs=1e-8)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"Ixy": 2.0},
            "the tensor of inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) is positive definite: its leading minor of order 2 is positive; the value that must be "
            "positive is -3, from Ixx = 1 kg.m2, Iyy = 1 kg.m2, Ixy = 2 kg.m2",
        ),
        (
            {"Ixz": 2.0},
            "the tensor of inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) is positive definite: its leading minor of order 3 is positive; the value that must be "
            "positive is -3, from Ixx = 1 kg.m2, Iyy = 1 kg.m2, Izz = 1 kg.m2, Ixy = 0 kg.m2, Ixz = 2 kg.m2, Iyz = 0 kg.m2",
        ),
        (
            {"p1.zz": 0.0},
            "the direction of the axis z of p1 (p1.zx, p1.zy, p1.zz) is not zero; the value that must be positive is 0, from ",
        ),
        (
            {"p1.xx": 0.0},
            "the direction towards which the axis x of p1 leans (p1.xx, p1.xy, p1.xz) is not zero; the value that must be positive is 0, ",
        ),
        (
            {"p1.xx": 0.0, "p1.xz": -2.0},
            "the axis z of p1 and the direction towards which its axis x leans are not parallel; the value that must be positive is -4e-12, from ",
        ),
        (
            {"q0": 0.0},
            "the quaternion (q0, q1, q2, q3) is not zero; the value that must be positive is 0, from q0 = 0, q1 = 0, q2 = 0, q3 = 0",
        ),
    ],
)
def test_what_no_body_can_be_is_refused(fmu, values, sentence):
    """The sentence names what is wrong, and the values that it comes from."""
    with Driver(fmu(find("spatial.Body1"), 3), "me", "unit") as driver:
        driver.enter()
        driver.set(values)
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        assert driver.log[0].startswith(f"unit: it is required that {sentence}")


IMPOSSIBLE = (
    "body: it is expected that the tensor of inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) is that of a distribution of mass, of which no principal moment "
    "exceeds the sum of the two others; the value that should be positive is "
)


def spinning(**inertia):
    system = System("spinning")
    system.add("body", "spatial.Body1", {"gz": 0.0, "omegaz": 1.0, **inertia})
    return system


@pytest.mark.parametrize(
    ("inertia", "excess"),
    [({"Ixx": 3.0, "Iyy": 5.0, "Izz": 17.0}, 9.0), ({"Ixx": 5.0, "Iyy": 5.0, "Izz": 2.0, "Ixy": 4.0}, 6.0)],
)
def test_an_inertia_that_no_mass_has_is_warned_of(inertia, excess):
    """The balloon of the TITOP paper, and moments of 9, 1 and 2: the sentence names the body and the values, and the body turns all the same."""
    result = spinning(**inertia).simulate(0.1)
    (warning,) = result.outcome.warnings
    assert (
        warning.startswith(f"'body' (spatial.Body1.fmu) warns: {IMPOSSIBLE}{-excess:g}, from ")
        and f"Ixx = {inertia['Ixx']:g} kg.m2" in warning
    )
    assert result.outcome.completed


@pytest.mark.parametrize(
    "inertia",
    [{}, {"Izz": 2.0}, {"Ixx": 1e-6}, {"Ixx": 1 / 3, "Iyy": 2 / 3, "Izz": 1.0}, {"Ixx": 2.0, "Iyy": 2.0, "Izz": 4.0, "Ixy": 1.0}],
)
def test_balls_plates_and_rods_are_no_matter(inertia):
    """A ball, flat plates along and across the axes, and a thin rod: bounds of what there is."""
    assert spinning(**inertia).simulate(0.1).outcome.warnings == []


def test_the_greatest_principal_moment_is_that_of_numpy():
    """It agrees at random tensors, and where two or three moments are equal."""
    entries = sympy.symbols("xx yy zz xy xz yz", real=True)
    greatest = sympy.lambdify(entries, GreatestMoment(*entries), "math")
    for seed in range(20):
        random = np.random.default_rng(seed)
        turned = Rotation.random(random_state=seed).as_matrix()
        moments = [random.uniform(0.1, 3, 3), np.array((1.0, 1.0, 2.0)), np.array((2.0, 2.0, 1.0)), np.ones(3)][seed % 4]
        J = turned @ np.diag(moments) @ turned.T
        assert greatest(*(J[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))) == pytest.approx(max(moments), rel=3e-8)
