"""Start values of attitudes, against SciPy's rotations."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import orientation


def quaternion(**how):
    return np.array([orientation(**how)[f"q{i}"] for i in range(4)])


def same(q, rotation):
    """Says whether a quaternion is that of a rotation, up to its sign."""
    return abs(abs(np.roll(q, -1) @ rotation.as_quat()) - 1) < 1e-13


def test_an_axis_and_an_angle():
    """The axis may have any length; the angle is in radians, by the right-hand rule."""
    assert quaternion(axis=(0, 0, 5), angle=np.pi / 2) == pytest.approx((np.sqrt(0.5), 0, 0, np.sqrt(0.5)), abs=1e-15)
    assert same(quaternion(axis=(1, -2, 0.5), angle=2.0), Rotation.from_rotvec(2.0 * np.array((1, -2, 0.5)) / np.sqrt(5.25)))


def test_a_matrix():
    """Its columns are the body's axes; half turns, for which simple formulas divide by zero, are no exception."""
    for rotation in [*Rotation.random(50, random_state=1), *Rotation.from_rotvec(np.pi * np.eye(3)), Rotation.identity()]:
        assert same(quaternion(matrix=rotation.as_matrix()), rotation)


@pytest.mark.parametrize("euler", ["xyz", "zxz", "yxz"])
def test_three_angles(euler):
    """The axes are those turned by the previous angles: R = Rx Ry Rz for "xyz"."""
    assert same(quaternion(euler=euler, angles=(0.3, -1.2, 2.5)), Rotation.from_euler(euler.upper(), (0.3, -1.2, 2.5)))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({}, "orientation() was given nothing; give axis and angle, or matrix, or euler and angles"),
        ({"axis": (0, 0, 1)}, "orientation() was given axis and angle in part; give axis and angle, or matrix, or euler and angles"),
        (
            {"axis": (0, 0, 1), "angle": 1.0, "matrix": np.eye(3)},
            "orientation() was given axis and angle, matrix; give axis and angle, or matrix, or euler and angles",
        ),
        ({"axis": (0, 0, 0), "angle": 1.0}, "axis = (0, 0, 0) has no direction; give a vector that differs from zero"),
        ({"axis": (0, 1), "angle": 1.0}, "axis = (0, 1) is no part of an orientation; give three finite numbers"),
        ({"axis": (0, 0, 1), "angle": np.inf}, "angle = inf is no part of an orientation; give a finite number"),
        ({"matrix": "R"}, "matrix = 'R' is no part of an orientation; give three rows of three finite numbers"),
        (
            {"matrix": 2 * np.eye(3)},
            "matrix is no rotation: R'R differs from the unit matrix by 3; its columns must be unit vectors at right angles, right-handed",
        ),
        (
            {"matrix": -np.eye(3)},
            "matrix is no rotation: its determinant is -1, as of a reflection; "
            "its columns must be unit vectors at right angles, right-handed",
        ),
        ({"euler": "xyw", "angles": (0, 0, 0)}, "euler = 'xyw' names no three axes; give three letters out of x, y and z, such as 'xyz'"),
    ],
)
def test_what_is_no_orientation_is_refused(how, sentence):
    with pytest.raises(ValueError) as refused:
        orientation(**how)
    assert str(refused.value) == sentence
