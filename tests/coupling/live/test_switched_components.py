"""Clutches, belts, bearings, contacts and ropes in the master, each in one run against its closed form or a reduced equation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from coupling import Contacts, Result, System
from coupling.errors import StartError
from coupling.record import Change

G = 9.81


def system(name: str, parts: Mapping[str, tuple[str, Mapping[str, float]]], *connections: str) -> System:
    """Connections as 'a.p1-b.M'."""
    found = System(name)
    for each, (component, values) in parts.items():
        found.add(each, component, dict(values))
    for each in connections:
        found.connect(*each.split("-"))
    return found


def hits(result: Result) -> list[Change]:
    return [each for each in result.changes if each.what == "hit"]


def switched(result: Result) -> list[tuple[float, str]]:
    return [(each.time, each.what) for each in result.changes if each.what != "hit"]


def at(result: Result, name: str, time: float) -> float:
    return float(result[name][np.flatnonzero(result.time == time)[-1]])


def test_a_clutch_locks_once_its_sides_turn_as_one() -> None:
    """I = 2, 3; 60 N.m from 0.5 s, 30 N.m on M from 2.5 s, open from 3 s."""
    drive = system(
        "clutch",
        {
            "a": ("mechanical1d.Inertia", {"I": 2.0, "w": 100.0}),
            "b": ("mechanical1d.Inertia", {"I": 3.0}),
            "engine": ("mechanical1d.Torque", {}),
            "clutch": ("mechanical1d.Clutch", {}),
        },
        *("engine.flange-a.flange", "a.flange-clutch.M", "clutch.N-b.flange"),
    )
    drive.drive("clutch.capacity", [(0, 0), (0.5, 0), (0.5, 60), (3, 60), (3, 0), (9, 0)])
    drive.drive("engine.torque", [(0, 0), (2.5, 0), (2.5, 30), (9, 30)])
    result = drive.simulate(4.0, outputs=["*", "clutch.loss"])
    assert switched(result) == [
        (pytest.approx(2.5, abs=1e-9), "slips back -> sticks"),
        (pytest.approx(3.0, abs=1e-12), "sticks -> slips back"),
    ]
    assert at(result, "a.w", result.changes[0].time) == pytest.approx(40, abs=1e-9)
    np.testing.assert_allclose([result["a.w"][-1], result["b.w"][-1]], [58, 43], atol=1e-8)
    assert result["clutch.loss"].max() == pytest.approx(6000, abs=1e-6)
    assert np.trapezoid(result["clutch.loss"], result.time) == pytest.approx(6000, rel=1e-3)
    assert not result.outcome.warnings


def freewheel() -> System:
    found = system(
        "freewheel",
        {
            "a": ("mechanical1d.Inertia", {}),
            "b": ("mechanical1d.Inertia", {}),
            "ta": ("mechanical1d.Torque", {}),
            "tb": ("mechanical1d.Torque", {}),
            "wheel": ("mechanical1d.OneWayClutch", {}),
        },
        *("ta.flange-a.flange", "tb.flange-b.flange", "a.flange-wheel.M", "wheel.N-b.flange"),
    )
    found.drive("ta.torque", lambda t: 2 * math.sin(t) + 0.5)
    found.drive("tb.torque", -0.5)
    return found


def test_a_freewheel_frees_and_locks() -> None:
    result = freewheel().simulate(20.0, rtol=1e-11)
    times = [time for time, _ in switched(result)]
    np.testing.assert_allclose(times[:3], [7 * math.pi / 6, 6.958394569682, 7 * math.pi / 6 + 2 * math.pi], atol=1e-9)
    assert len(times) == 6 and result.statistics.events == 6
    assert not hits(result) and not result.outcome.warnings


def test_a_belt_slips_until_its_rims_run_at_one_speed() -> None:
    drive = system(
        "belt",
        {
            "a": ("mechanical1d.Inertia", {"I": 0.5, "w": 100.0}),
            "b": ("mechanical1d.Inertia", {"I": 4.0}),
            "belt": ("mechanical1d.BeltDrive", {"radius_M": 0.1, "radius_N": 0.2}),
        },
        *("a.flange-belt.M", "belt.N-b.flange"),
    )
    result = drive.simulate(5.0, rtol=1e-11)
    E = math.exp(0.3 * 3.14159265359)
    held = 200 * (E - 1) / (E + 1)
    assert switched(result) == [(pytest.approx(10 / (held * 0.03), abs=1e-9), "slips back -> sticks")]
    np.testing.assert_allclose([result["a.w"][-1], result["b.w"][-1]], [100 / 3, 50 / 3], atol=1e-9)


def pinned(joint: str, values: Mapping[str, float], **body: float) -> System:
    """A rod of 1 kg and 1 m, pinned at its end."""
    parts = {
        "ground": ("planar.Fixed", {}),
        "pin": (joint, values),
        "rod": ("planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, **body}),
    }
    return system("pinned", parts, "ground.p1-pin.M", "pin.N-rod.p1")


def test_a_bearing_rubs_by_its_own_reaction() -> None:
    result = pinned("planar.RevoluteFriction", {"mu": 0.2, "radius": 0.05}, gy=0.0, omega=3.0, vy=1.5).simulate(2.0, rtol=1e-11)
    assert result["rod.omega"][-1] == pytest.approx(2.752268007874, abs=1e-9)


def test_a_pendulum_in_a_bearing_comes_to_rest() -> None:
    result = pinned("planar.RevoluteFriction", {"mu": 0.3, "radius": 0.1}).simulate(10.0, rtol=1e-11)
    assert len(switched(result)) == 10
    assert switched(result)[-1][0] == pytest.approx(8.528384818, abs=1e-8)
    assert result["rod.theta"][-1] + math.pi / 2 == pytest.approx(-0.042488172236, abs=1e-9)


@pytest.mark.parametrize(("arm", "moved"), [(0.1, 0.875), (0.3, 0.125), (0.3333, 1.25 * (1 - 3 * 0.3333)), (0.3334, 0.0)])
def test_a_drawer_jams_where_it_is_pulled_too_far_from_its_axis(arm: float, moved: float) -> None:
    drawer = system(
        "drawer",
        {
            "ground": ("planar.Fixed", {}),
            "guide": ("planar.TranslationalFriction", {"mu": 0.3, "length": 0.2}),
            "body": ("planar.Body2", {"m": 2.0, "I": 0.1, "gy": 0.0, "p2.ry": arm}),
            "pull": ("planar.Wrench", {}),
        },
        *("ground.p1-guide.M", "guide.N-body.p1", "pull.M-body.p2"),
    )
    drawer.drive("pull.Fx", 5.0)
    assert drawer.simulate(1.0, rtol=1e-11)["body.x"][-1] == pytest.approx(moved, abs=1e-9)


def incline(mu: float) -> System:
    """A point of 2 kg on a line, gravity 0.3 rad off its normal, lifted by 20 N/s."""
    found = system(
        "incline",
        {
            "ground": ("planar.Fixed", {}),
            "contact": ("planar.PointContact", {"mu": mu}),
            "body": ("planar.Body1", {"m": 2.0, "gx": G * math.sin(0.3), "gy": -G * math.cos(0.3)}),
            "lift": ("planar.Wrench", {}),
        },
        *("ground.p1-contact.M", "contact.N-body.p1", "lift.M-body.p1"),
    )
    found.drive("lift.Fy", [(0, 0), (0, 0), (2, 40)])
    return found


@pytest.mark.parametrize(("mu", "changes"), [(0.2, []), (0.5, [(0.357374450363, "sticks -> slips")])])
def test_a_point_slides_down_an_incline_and_leaves_it(mu: float, changes: list[tuple[float, str]]) -> None:
    result = incline(mu).simulate(1.5, rtol=1e-10)
    expected = [*changes, (0.937185095832, "closed -> open")]
    assert [(pytest.approx(time, abs=1e-9), what) for time, what in expected] == switched(result)


def test_a_rope_becomes_taut_with_a_jerk() -> None:
    parts = {"ground": ("planar.Fixed", {}), "rope": ("planar.Rope", {"length": 1.0}), "body": ("planar.Body1", {"m": 2.0, "x": 0.6})}
    result = system("rope", parts, "ground.p1-rope.M", "rope.N-body.p1").simulate(3.0, rtol=1e-11)
    (hit,) = hits(result)
    assert hit.time == pytest.approx(0.403855021877, abs=1e-9)
    assert hit.impulses["rope.lambda[1]"] == pytest.approx(6.338908423380, abs=1e-9)
    after = at(result, "body.vx", hit.time), at(result, "body.vy", hit.time)
    np.testing.assert_allclose(after, [-1.901672527014, -1.426254395261], atol=1e-9)
    assert switched(result) == [(hit.time, "open -> closed")] and result.statistics.events == 1  # and none while it is taut
    assert result["rope.lambda[1]"][result.time > hit.time].min() >= 2 * G * 0.512 - 1e-3


@pytest.mark.parametrize(
    ("mu", "v", "after"), [(0.5, (2.0, -4.0), (5 / 6, 3.2, -5 / 3)), (0.2, (8.0, -1.0), (7.64, 0.8, 1.56))], ids=["grips", "slips"]
)
def test_a_disc_grips_or_slips(mu: float, v: tuple[float, float], after: tuple[float, float, float]) -> None:
    parts = {
        "ground": ("planar.Fixed", {}),
        "contact": ("planar.DiscContact", {"radius": 0.5, "mu": mu, "e": 0.8}),
        "disc": ("planar.Body1", {"m": 1.0, "I": 0.125, "gy": 0.0, "y": 0.6, "vx": v[0], "vy": v[1], "omega": 3.0}),
    }
    result = system("disc", parts, "ground.p1-contact.M", "contact.N-disc.p1").simulate(0.5)
    np.testing.assert_allclose([result[f"disc.{each}"][-1] for each in ("vx", "vy", "omega")], after, atol=1e-12)
    assert result.changes[0].time == pytest.approx(-0.1 / v[1], abs=1e-12)


def rods(count: int, angles: tuple[float, ...], wall: float, e: float, mu: float = 0.0) -> System:
    """Rods of 1 kg and 1 m, one behind another, whose last end hits a wall."""
    parts: dict[str, tuple[str, Mapping[str, float]]] = {
        "ground": ("planar.Fixed", {}),
        "side": ("planar.Fixed", {"p1.rx": wall, "p1.angle": math.pi / 2}),
        "wall": ("planar.PointContact", {"mu": mu, "e": e}),
    }
    x = y = 0.0
    joined = []
    for i in range(count):
        c, s = math.cos(angles[i]), math.sin(angles[i])
        parts[f"pin{i}"] = ("planar.Revolute", {})
        parts[f"rod{i}"] = (
            "planar.Body2",
            {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": x + c / 2, "y": y + s / 2, "theta": angles[i]},
        )
        joined += [f"{f'rod{i - 1}.p2' if i else 'ground.p1'}-pin{i}.M", f"pin{i}.N-rod{i}.p1"]
        x, y = x + c, y + s
    return system("rods", parts, *joined, "side.p1-wall.M", f"rod{count - 1}.p2-wall.N")


HITS = [0.419854767908, 1.246025906194, 2.067557837215, 2.887448105290, 3.706750977476, 4.525842850219]
"""Times of the hits of the pendulum on its wall, from elliptic integrals."""


@pytest.mark.parametrize("rtol", [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_contact_that_is_open_has_no_events_whatever_the_tolerance(rtol: float, mu: float) -> None:
    """The pendulum's slip is 0 at the wall, where it hangs under its pin, up to rounding."""
    result = rods(1, (-2.2,), 0.0, 0.6, mu).simulate(5.0, rtol=rtol)
    assert result.outcome.completed
    np.testing.assert_allclose([each.time for each in hits(result)], HITS, atol=max(500 * rtol, 1e-9))
    assert result.statistics.events == 6 == len(result.changes)


@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_pendulum_hits_a_wall(solver: str) -> None:
    result = rods(1, (-2.2,), 0.0, 0.6).simulate(5.0, solver=solver, rtol=1e-11)
    assert result.outcome.completed
    np.testing.assert_allclose([each.time for each in hits(result)], HITS, atol=1e-9)
    first = hits(result)[0]
    assert first.impulses["wall.lambda[1]"] == pytest.approx(1.266141739437, abs=1e-9)
    assert abs(first.impulses["pin0.lambda[1]"]) == pytest.approx(0.633070869719, abs=1e-9)
    for each in hits(result):
        before, after = np.flatnonzero(result.time == each.time)[[0, -1]]
        energy = result.energy[[before, after]]
        assert energy[0] - energy[1] == pytest.approx(each.energy, abs=1e-12)
    assert result.violation["position"].max() < 1e-11 and result.violation["velocity"].max() < 1e-11


def test_a_double_pendulum_hits_a_wall() -> None:
    result = rods(2, (-2.4, -1.9), 0.6, 0.5).simulate(1.6, rtol=1e-11)
    (hit,) = hits(result)
    found = hit.time, hit.impulses["wall.lambda[1]"], hit.energy, result["rod0.theta"][-1], result["rod1.theta"][-1]
    np.testing.assert_allclose(found, [0.736016408967, 2.733882999461, 3.148555909358, -2.048090639532, -1.528550609932], atol=1e-9)


@pytest.mark.parametrize(
    ("slope", "mu", "closed", "slides", "value"),
    [
        (0.3, 0.5, 2, True, 0.0),
        (0.4, 0.2, 2, True, 1.821671268),
        (0.7, 0.45, 2, True, 2.009166285),
        (0.7, 1.0, 1, False, 0.964399817),
        (0.9, 0.6, 1, False, 1.750011738),
    ],
)
@pytest.mark.parametrize("contact", ["points", "side"])
def test_a_block_on_an_incline_slides_or_tips(contact: str, slope: float, mu: float, closed: int, slides: bool, value: float) -> None:
    block, forces = block_on_incline(contact, slope, mu)
    result = block.simulate(1e-3, rtol=1e-10, outputs=["*", "block.der(vx)", "block.der(omega)"])
    assert result.outcome.completed
    assert sum(result[each][0] > 1e-6 for each in forces) == closed
    assert (result["block.der(vx)"][0] if slides else abs(result["block.der(omega)"][0])) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("slope", [0.0, 0.1, 0.2, 0.3, 0.45])
@pytest.mark.parametrize("contact", ["points", "side"])
def test_a_block_rests_on_two_corners_as_on_its_side(contact: str, slope: float) -> None:
    """Moments: its feet carry m g cos(a) (1/2 -+ slope), and 2 m g sin(a)/2 along the line together, each at most mu times its own."""
    block, forces = block_on_incline(contact, slope, 0.5)
    result = block.simulate(1.0)
    assert result.outcome.completed and not result.changes and not result.statistics.events
    assert abs(result["block.vx"]).max() < 1e-9 and abs(result["block.omega"]).max() < 1e-9
    weight = G * math.cos(math.atan(slope))
    for row in (0, -1):
        normals = [float(result[each][row]) for each in forces]
        np.testing.assert_allclose(normals, [weight * (0.5 - slope), weight * (0.5 + slope)], atol=1e-9)
        if contact == "points":
            shares = [-float(result[f"{foot}.lambda[2]"][row]) for foot in ("left", "right")]
            assert sum(shares) == pytest.approx(weight * slope, abs=1e-9)
            assert all(abs(share) <= 0.5 * normal + 1e-9 for share, normal in zip(shares, normals, strict=True))


def test_a_block_on_two_corners_begins_to_slide_where_both_are_at_their_limits() -> None:
    """Pulled along the ground at its foot by 10 t N: at mu m g, whatever the shares."""
    block, _ = block_on_incline("points", 0.0, 0.4)
    block.add("pull", "planar.Wrench")
    block.connect("pull.M", "block.p2")
    block.drive("pull.Fx", [(0, 0), (1, 10)])
    result = block.simulate(0.8, rtol=1e-10)
    assert [each.time for each in result.changes] == pytest.approx([0.04 * G] * len(result.changes), abs=1e-9)
    assert {each.joint for each in result.changes if each.what.endswith("-> slips")} == {"left", "right"}
    assert result["block.vx"][-1] == pytest.approx(5 * (0.8 - 0.04 * G) ** 2, abs=1e-9)


def rod_on_two_frictions(force: list[tuple[float, float]]) -> System:
    """1 and 2 kg on a rod, each with 5 N of friction on the ground, pulled at the first."""
    parts: dict[str, tuple[str, Mapping[str, float]]] = {
        "ground": ("mechanical1d.Fixed1D", {}),
        "a": ("mechanical1d.Mass", {}),
        "b": ("mechanical1d.Mass", {"m": 2.0}),
        "rod": ("mechanical1d.RigidRod", {}),
        "f1": ("mechanical1d.Friction", {"static": 5.0, "kinetic": 5.0}),
        "f2": ("mechanical1d.Friction", {"static": 5.0, "kinetic": 5.0}),
        "pull": ("mechanical1d.Force", {}),
    }
    lines = ("ground.flange-f1.M", "f1.N-a.flange", "ground.flange-f2.M", "f2.N-b.flange", "a.flange-rod.M", "rod.N-b.flange")
    found = system("two frictions", parts, *lines, "pull.flange-a.flange")
    found.drive("pull.force", force)
    return found


def test_two_frictions_on_one_rod_give_way_one_by_one() -> None:
    """Under 10 t: f1 has 2/3 of the load by least length, with the rod 1/3, until 5 N at 0.75 s; both slip from 10 N on."""
    result = rod_on_two_frictions([(0, 0), (3, 30)]).simulate(2.0, rtol=1e-10)
    assert result.outcome.completed and result.statistics.events == 2
    assert [(each.time, each.joint, each.what) for each in result.changes] == [
        (pytest.approx(0.75, abs=1e-9), "f1", "sticks -> carries its limit"),
        (pytest.approx(1.0, abs=1e-9), "f1", "carries its limit -> slips"),
        (pytest.approx(1.0, abs=1e-9), "f2", "sticks -> slips"),
    ]
    assert result["a.v"][-1] == pytest.approx(5 / 3, abs=1e-9)


def test_two_frictions_on_one_rod_give_way_backwards_as_forwards() -> None:
    """The same load the other way: the same times, in words of the other direction."""
    result = rod_on_two_frictions([(0, 0), (3, -30)]).simulate(2.0, rtol=1e-10)
    assert [(each.time, each.joint, each.what) for each in result.changes] == [
        (pytest.approx(0.75, abs=1e-9), "f1", "sticks -> carries its limit"),
        (pytest.approx(1.0, abs=1e-9), "f1", "carries its limit -> slips back"),
        (pytest.approx(1.0, abs=1e-9), "f2", "sticks -> slips back"),
    ]
    assert result["a.v"][-1] == pytest.approx(-5 / 3, abs=1e-9)


def test_two_frictions_on_one_rod_come_to_rest_together() -> None:
    """Pulled by 16 N until 1 s and then not: 2 m/s, which 10 N on 3 kg take in 0.6 s."""
    result = rod_on_two_frictions([(0, 16), (1, 16), (1, 0), (3, 0)]).simulate(2.0, rtol=1e-10)
    assert result.outcome.completed
    assert [(each.time, each.joint, each.what) for each in result.changes] == [
        (pytest.approx(1.6, abs=1e-9), joint, "slips -> sticks") for joint in ("f1", "f2")
    ]
    assert result["a.v"].max() == pytest.approx(2, abs=1e-9) and abs(result["a.v"][-1]) < 1e-11


def test_a_stop_that_is_touched_without_load_holds_what_is_pushed_into_it() -> None:
    """-10 t N on a mass at rest at its stop: at t = 0 open and closed both are right."""
    parts = {
        "ground": ("mechanical1d.Fixed1D", {}),
        "mass": ("mechanical1d.Mass", {}),
        "stop": ("mechanical1d.EndStop", {}),
        "push": ("mechanical1d.Force", {}),
    }
    pushed = system("stop", parts, "ground.flange-stop.M", "stop.N-mass.flange", "push.flange-mass.flange")
    pushed.drive("push.force", [(0, 0), (1, -10)])
    result = pushed.simulate(1.0)
    assert abs(result["mass.s"]).max() < 1e-15 and not hits(result)
    np.testing.assert_allclose(result["stop.lambda[1]"], 10 * result.time, atol=1e-9)


@pytest.mark.parametrize(("capacity", "torque", "w"), [(0, 1, (0.5, 0.0)), (1, 4, (1.5, 0.5)), (4, 1, (0.25, 0.25))])
def test_a_clutch_without_load_and_capacity_takes_up_as_both_grow(capacity: float, torque: float, w: tuple[float, float]) -> None:
    """Both in proportion to t on 1 kg.m2: it slips where (torque - capacity) exceeds capacity, and lets go at none."""
    drive = system(
        "clutch",
        {
            "a": ("mechanical1d.Inertia", {}),
            "b": ("mechanical1d.Inertia", {}),
            "engine": ("mechanical1d.Torque", {}),
            "clutch": ("mechanical1d.Clutch", {}),
        },
        *("engine.flange-a.flange", "a.flange-clutch.M", "clutch.N-b.flange"),
    )
    drive.drive("clutch.capacity", [(0, 0), (1, capacity)])
    drive.drive("engine.torque", [(0, 0), (1, torque)])
    result = drive.simulate(1.0)
    np.testing.assert_allclose([result["a.w"][-1], result["b.w"][-1]], w, atol=1e-9)


def block_on_incline(contact: str, slope: float, mu: float) -> tuple[System, tuple[str, str]]:
    """1 m wide, 2 m high; and the forces at its feet."""
    a = math.atan(slope)
    body = {"m": 1.0, "I": 5 / 12, "y": 1.0, "gx": G * math.sin(a), "gy": -G * math.cos(a)}
    if contact == "points":
        parts = {"left": ("planar.PointContact", {"mu": mu}), "right": ("planar.PointContact", {"mu": mu})}
        ends = {"p1.rx": -0.5, "p1.ry": -1.0, "p2.rx": 0.5, "p2.ry": -1.0}
        lines = ("ground.p1-left.M", "ground.p1-right.M", "left.N-block.p1", "right.N-block.p2")
        forces = ("left.lambda[1]", "right.lambda[1]")
    else:
        parts, ends = {"side": ("planar.LineContact", {"mu": mu, "length": 1.0})}, {"p1.ry": -1.0}
        lines, forces = ("ground.p1-side.M", "side.N-block.p1"), ("side.lambda[1]", "side.lambda[2]")
    block = system(
        "block",
        {"ground": ("planar.Fixed", {}), **parts, "block": ("planar.Body2" if len(ends) > 1 else "planar.Body1", {**body, **ends})},
        *lines,
    )
    return block, forces


def rod_on_its_heel(omega: float, v: float) -> System:
    """A slender rod of 1 kg and half length 1 m, its lower end on the ground at tan(angle) = 2, mu = 2."""
    angle = math.atan(2)
    c, s = math.cos(angle), math.sin(angle)
    motion = {"x": c, "y": s, "theta": angle, "omega": omega, "vx": v - omega * s, "vy": omega * c}
    parts = {
        "ground": ("planar.Fixed", {}),
        "heel": ("planar.PointContact", {"mu": 2.0}),
        "rod": ("planar.Body1", {"m": 1.0, "I": 1 / 3, "p1.rx": -1.0, **motion}),
    }
    return system("heel", parts, "ground.p1-heel.M", "heel.N-rod.p1")


def test_painleve_with_no_solution_one_and_two() -> None:
    with pytest.raises(StartError, match="no forces satisfy the contact of 'heel' \\(Painlevé"):
        rod_on_its_heel(0.0, -1.0).simulate(0.01)
    shocked = rod_on_its_heel(0.0, -1.0).simulate(0.01, contacts=Contacts(painleve="impulse"))
    assert shocked.outcome.completed and [each.what for each in shocked.changes] == ["hit"] and shocked.changes[0].energy > 0
    rests = rod_on_its_heel(0.0, 0.0).simulate(0.01)
    np.testing.assert_allclose([rests["heel.lambda[1]"][0], rests["heel.lambda[2]"][0]], [8.3385, 2.943], atol=1e-9)
    two = rod_on_its_heel(4.0, -1.0).simulate(0.01)
    (warning,) = two.outcome.warnings
    assert warning.startswith("'heel' has two solutions at t = 0 s, sliding and lifting off (Painlevé")


def test_an_open_clutch_in_a_long_chain_is_not_redundant() -> None:
    parts = {f"shaft{i}": ("mechanical1d.Inertia", {"w": 1.0}) for i in range(101)}
    parts |= {f"joint{i}": ("mechanical1d.Clutch" if i == 50 else "mechanical1d.RigidShaft", {}) for i in range(100)}
    lines = [line for i in range(100) for line in (f"shaft{i}.flange-joint{i}.M", f"joint{i}.N-shaft{i + 1}.flange")]
    chain = system("chain", {**parts, "engine": ("mechanical1d.Torque", {})}, *lines, "engine.flange-shaft0.flange")
    chain.drive("engine.torque", 51.0)
    result = chain.simulate(1.0)
    np.testing.assert_allclose([result["shaft0.w"][-1], result["shaft100.w"][-1]], [2, 1], atol=1e-9)
    assert not result.outcome.warnings and not result.changes
