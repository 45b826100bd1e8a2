"""Starts that make no sense: each is refused in a sentence that names the instance, what is wrong, and the value."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import StartError
from fmu_components.catalogue import find
from jourdain import System, orientation
from tests.support.runtime.driver import ERROR, Driver, status_of
from tests.support.systems.systems import refusal

ABOUT_X, ABOUT_Z = np.diag((1.0, -1.0, -1.0)), np.diag((-1.0, -1.0, 1.0))
CYCLIC = np.roll(np.eye(3), 1, axis=0)
"""An attitude in which the axes of N are those of M in another order, so that the constraints of a weld hold as well."""
ONE_AXIS = ("Revolute", "Cylindrical", "Screw", "Planar", "ConstantVelocity")
THREE_AXES = ("Weld", "Prismatic")
OPPOSITE = [(joint, ABOUT_X, "z", -1) for joint in ONE_AXIS]
OPPOSITE += [(joint, *turned) for joint in THREE_AXES for turned in ((ABOUT_X, "y", -1), (ABOUT_Z, "x", -1), (CYCLIC, "x", 0))]
FIRST = ("Revolute", "Weld")
"""One of each kind; the others take seconds to be exported."""


def refused(fmu, joint, inputs):
    """Returns the message of a joint that starts with these motions of N."""
    with Driver(fmu(find(f"spatial.{joint}"), 3), "me", "unit") as driver:
        driver.enter()
        driver.set(inputs)
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        return driver.log[0]


@pytest.mark.parametrize(
    ("joint", "attitude", "axis", "product"),
    [pytest.param(*each, marks=[pytest.mark.slow] * (each[0] not in FIRST)) for each in OPPOSITE],
)
def test_a_joint_on_the_wrong_branch(fmu, joint, attitude, axis, product):
    """The constraints also hold for opposite or exchanged axes: the sentence names the axis, and the product of both."""
    entries = {f"N.R{i + 1}{j + 1}": float(attitude[i, j]) for i in range(3) for j in range(3)}
    assert refused(fmu, joint, entries).startswith(
        f"unit: it is required that the axes {axis} of M and N point the same way (their product is positive), since the constraint holds as well "
        f"where they are opposite; the value that must be positive is {product}, from "
    )


@pytest.mark.parametrize(
    ("joint", "words"), [("RollingDisc", "on which the disc would lie"), ("KnifeEdge", "in which the blade would lie")]
)
def test_what_leans_must_not_lie(fmu, joint, words):
    """A disc or a blade of which the axis is that of the plane."""
    sentence = f"unit: it is required that the axis z of N is not at right angles to the plane, {words}; the value that must be positive is 0, from "
    assert refused(fmu, joint, {"N.R22": 1.0, "N.R33": 1.0, "N.R23": 0.0, "N.R32": 0.0}).startswith(sentence)


def test_a_rod_has_a_direction(fmu):
    """Its ends are apart."""
    sentence = "unit: it is required that M lies apart from N, since the rod has a direction; the value that must be positive is 0, from "
    assert refused(fmu, "Rod", {"N.x": 0.0}).startswith(sentence)


def held(joint, ground=None, body=None):
    system = System("held")
    system.add("ground", "spatial.Fixed", ground or {})
    system.add("joint", f"spatial.{joint}")
    system.add("body", "spatial.Body1", body or {})
    system.connect("ground.p1", "joint.M")
    system.connect("joint.N", "body.p1")
    return system


@pytest.mark.parametrize(
    ("joint", "ground", "body", "words"),
    [
        (
            "RollingDisc",
            {},
            {"z": 0.5},
            "joint: it is required that the axis z of N is not at right angles to the plane, on which the disc would lie",
        ),
        ("Rod", {}, {}, "joint: it is required that M lies apart from N, since the rod has a direction"),
        ("Weld", {}, orientation((1, 0, 0), np.pi), "joint: it is required that the axes y of M and N point the same way"),
        ("Weld", {}, {"q0": 0.0}, "body: it is required that the quaternion (q0, q1, q2, q3) is not zero"),
        ("Weld", {}, {"p1.zz": 0.0}, "body: it is required that the direction of the axis z of p1 (p1.zx, p1.zy, p1.zz) is not zero"),
        (
            "Weld",
            {"p1.xx": 0.0, "p1.xz": 1.0},
            {},
            "ground: it is required that the axis z of p1 and the direction towards which its axis x leans are not parallel",
        ),
    ],
)
def test_the_master_passes_the_sentence_on(joint, ground, body, words):
    """It does so although undefined values are not numbers there."""
    assert words in refusal(lambda: held(joint, ground, body).simulate(1.0), StartError)
