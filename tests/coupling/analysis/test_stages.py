"""Stages of constraints, against figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import BuildError, System
from tests.support.systems.rolling import disc, eccentric_disc, hinge, plank
from tests.support.systems.systems import refusal

G = 9.81
CLOSE = 1e-10


def rods() -> System:
    """Two of 1 kg and 1 m, level and at rest, one pinned to the ground and one to it."""
    system = System("rods")
    system.add("ground", "planar.Fixed")
    for i in range(2):
        system.add(f"rod{i}", "planar.Body2", {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": i + 0.5})
    hinge(system, "pin0", "ground.p1", "rod0.p1")
    hinge(system, "pin1", "rod0.p2", "rod1.p1")
    return system


def test_the_stages_of_two_rods_are_fractions_of_their_weight():
    stages = rods().constraint_stages()
    assert [each.multiplier for each in stages] == ["pin0.lambda[1]", "pin0.lambda[2]", "pin1.lambda[1]", "pin1.lambda[2]"]
    assert [each.freedoms for each in stages] == [5, 4, 3, 2]
    assert [each.delta for each in stages] == pytest.approx([1, 4, 1, 7], abs=CLOSE)
    assert [each.sine for each in stages] == pytest.approx([1, 1, np.sqrt(1 / 2), np.sqrt(7 / 8)], abs=CLOSE)
    assert [each.own / G for each in stages] == pytest.approx([0, 1 / 4, 0, -1 / 14], abs=CLOSE)
    assert [each.multipliers.get("pin0.lambda[2]", 0) / G for each in stages] == pytest.approx([0, 1 / 4, 1 / 4, 2 / 7], abs=CLOSE)
    assert stages.multipliers["pin1.lambda[2]"] / G == pytest.approx(-1 / 14, abs=CLOSE)
    assert sum(each.own**2 * each.delta for each in stages) / 2 == pytest.approx(G**2 / 7, abs=1e-9)
    assert stages.D.shape == (6, 2)
    assert stages.states == ("rod0.vx", "rod0.vy", "rod0.omega", "rod1.vx", "rod1.vy", "rod1.omega")
    left_end = stages.D[1] - stages.D[2] / 2
    assert np.abs(left_end).max() < 1e-15


def test_an_eccentric_disc_has_the_stages_of_its_closed_form():
    """m = 2, r = 0.5, J = 0.2, mass centre 0.1 beside the centre; it rolls at -2 rad/s."""
    stages = eccentric_disc().constraint_stages()
    assert [each.delta for each in stages] == pytest.approx([11 / 20, 18 / 11], abs=CLOSE)
    assert [each.own for each in stages] == pytest.approx([G / 0.55, 2.4805556], abs=1e-7)
    assert stages[1].multipliers["roll.lambda[1]"] == pytest.approx(18.9638889, abs=1e-7)


def test_a_plank_on_two_welds_names_what_repeats_what():
    stages = plank().constraint_stages()
    first, second, third = stages[3:]
    assert first.repeats == pytest.approx({"left.lambda[1]": 1.0})
    assert second.repeats == pytest.approx({"left.lambda[2]": 1.0, "left.lambda[3]": 2.0})
    assert third.repeats == pytest.approx({"left.lambda[3]": 1.0})
    assert all(each.redundant and abs(each.misfit) < 1e-12 for each in stages[3:])
    assert list(stages.multipliers.values()) == pytest.approx([0, G, G, 0, 0, 0], abs=CLOSE)
    assert list(stages.least.values()) == pytest.approx([0, G / 2, 0, 0, G / 2, 0], abs=CLOSE)
    other = plank().constraint_stages(order=["right"])
    assert [each.joint for each in other] == ["right"] * 3 + ["left"] * 3
    assert other[4].repeats == pytest.approx({"right.lambda[2]": 1.0, "right.lambda[3]": -2.0})
    assert sum(each.redundant for each in plank().constraint_stages(order="independent first")) == 3


def test_the_table_shows_a_row_for_each_constraint_and_what_it_repeats():
    lines = str(plank().constraint_stages()).splitlines()
    assert lines[0] == "plank at t = 0 s: 6 constraints, taken one after the other"
    assert lines[1].split() == ["multiplier", "freedoms", "sine", "delta", "by", "itself", "all", "unit"]
    assert lines[3].split() == ["left.lambda[2]", "1", "1", "2", "4.905", "9.81", "m"]
    assert lines[8].strip() == "repeats left.lambda[2] (1), left.lambda[3] (2), misfit 0"


def test_stages_are_those_of_the_joints_in_force_at_a_time():
    system = disc()
    system.enforce("plane", [(0.2, 1.4)])
    system.enforce("grip", [(0.5, 1.0)])
    assert [[each.joint for each in system.constraint_stages(at)] for at in (0.0, 0.3, 0.7, 1.2)] == [
        [],
        ["plane"],
        ["plane", "grip"],
        ["plane"],
    ]
    plane, grip = system.constraint_stages(0.7)
    assert [plane.delta, grip.delta] == pytest.approx([1 / 2, 3 / 2], abs=CLOSE)
    assert [plane.own, grip.own] == pytest.approx([16.9914184223, -3.27], abs=CLOSE)


def test_what_stages_cannot_show_is_refused():
    assert (
        refusal(lambda: rods().constraint_stages(at="now"), BuildError)
        == "constraint_stages: at = 'now' is refused: give a time in seconds"
    )
    assert refusal(lambda: rods().constraint_stages(order=["pin2"])).startswith(
        "order: 'pin2' is no joint of the system; did you mean 'pin0' or 'pin1'?"
    )
    assert refusal(lambda: rods().constraint_stages(order=["pin1", "pin1"])) == "order: 'pin1' is named twice; name each joint once"
