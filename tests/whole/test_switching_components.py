"""Machines with components that stick, slip, hit and let go, in the master, against closed forms."""

import math

import pytest

from coupling import System

EXACT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-13}


def connected(parts, *connections):
    system = System()
    for name, (component, values) in parts.items():
        system.add(name, component, values)
    for one, other in connections:
        system.connect(one, other)
    return system


def times(result):
    return [change.time for change in result.changes]


def test_a_clutch_locks_and_lets_go():
    """I = 2, 3, w = 100, 0, 60 N m from 0.5 s: locks at 2.5 s at 40 rad/s, 6000 W of heat at first; let go at 3 s it ends at 58, 43."""
    system = connected(
        {
            "m": ("mechanical1d.Inertia", {"I": 2.0, "w": 100.0}),
            "n": ("mechanical1d.Inertia", {"I": 3.0}),
            "clutch": ("mechanical1d.Clutch", {}),
            "motor": ("mechanical1d.Torque", {}),
        },
        ("clutch.M", "m.flange"),
        ("clutch.N", "n.flange"),
        ("motor.flange", "m.flange"),
    )
    system.drive("clutch.capacity", [[0, 0], [0.5, 0], [0.5, 60], [3, 60], [3, 0], [4, 0]])
    system.drive("motor.torque", [[0, 0], [2.5, 0], [2.5, 30], [4, 30]])
    result = system.simulate(4.0, **EXACT)
    assert times(result) == pytest.approx([2.5, 3.0], abs=1e-9)
    assert [result["m.w"][-1], result["n.w"][-1]] == pytest.approx([58, 43], abs=1e-9)
    assert result["clutch.heat"].max() == pytest.approx(6000, abs=1e-6)


def test_a_freewheel_lets_one_side_overtake():
    """Torques 2 sin t + 1/2 and -1/2 on two inertias: free at 7 pi/6, locked at 6.958394569682, free at 7 pi/6 + 2 pi."""
    system = connected(
        {
            "m": ("mechanical1d.Inertia", {}),
            "n": ("mechanical1d.Inertia", {}),
            "wheel": ("mechanical1d.OneWayClutch", {}),
            "on_m": ("mechanical1d.Torque", {}),
            "on_n": ("mechanical1d.Torque", {"torque": -0.5}),
        },
        ("wheel.M", "m.flange"),
        ("wheel.N", "n.flange"),
        ("on_m.flange", "m.flange"),
        ("on_n.flange", "n.flange"),
    )
    system.drive("on_m.torque", lambda t: 2 * math.sin(t) + 0.5)
    result = system.simulate(20.0, **EXACT)
    assert times(result)[:3] == pytest.approx([7 * math.pi / 6, 6.958394569682, 19 * math.pi / 6], abs=1e-9)
    assert len(result.changes) == 6


def test_a_belt_slips_until_its_rims_agree():
    """Until 10/(0.03 F) with F = 2 T0 tanh(mu wrap/2), by both speeds and inertias; then 100/3 and 50/3 rad/s."""
    system = connected(
        {
            "m": ("mechanical1d.Inertia", {"I": 0.5, "w": 100.0}),
            "n": ("mechanical1d.Inertia", {"I": 4.0}),
            "belt": ("mechanical1d.BeltDrive", {"radius_M": 0.1, "radius_N": 0.2, "wrap": math.pi}),
        },
        ("belt.M", "m.flange"),
        ("belt.N", "n.flange"),
    )
    result = system.simulate(4.0, **EXACT)
    assert times(result) == pytest.approx([10 / (0.03 * 200 * math.tanh(0.15 * math.pi))], abs=1e-9)
    assert [result["m.w"][-1], result["n.w"][-1]] == pytest.approx([100 / 3, 50 / 3], abs=1e-9)


def test_a_rod_turns_in_a_dry_bearing():
    """Without gravity: w = w0/(1 + c w0 t), c = k/sqrt(J^2 - k^2), k = mu r m l: its reaction contains what friction adds."""
    m, length, mu, r, w0 = 1.0, 0.5, 0.2, 0.05, 3.0
    system = connected(
        {
            "ground": ("planar.Fixed", {}),
            "rod": ("planar.Body1", {"m": m, "I": 1 / 12, "gy": 0.0, "p1.rx": -length, "x": length, "vy": w0 * length, "omega": w0}),
            "bearing": ("planar.RevoluteFriction", {"mu": mu, "radius": r}),
        },
        ("bearing.M", "ground.p1"),
        ("bearing.N", "rod.p1"),
    )
    k, J = mu * r * m * length, 1 / 12 + m * length**2
    result = system.simulate(2.0, **EXACT)
    assert result["rod.omega"][-1] == pytest.approx(w0 / (1 + k / math.sqrt(J**2 - k**2) * w0 * 2), abs=1e-9)


@pytest.mark.parametrize(("arm", "way"), [(0.1, 0.875), (0.3333, 1.25e-4), (0.3334, 0.0)])
def test_a_drawer_jams(arm, way):
    """Pulled by 5 N at an arm: x(1) = F (1 - 2 mu arm/length)/(2 m), and nothing from length/(2 mu) on."""
    system = connected(
        {
            "ground": ("planar.Fixed", {}),
            "drawer": ("planar.Body2", {"m": 2.0, "gy": 0.0, "p2.ry": arm}),
            "guide": ("planar.TranslationalFriction", {"mu": 0.3, "length": 0.2}),
            "hand": ("planar.Wrench", {"Fx": 5.0}),
        },
        ("guide.M", "ground.p1"),
        ("guide.N", "drawer.p1"),
        ("hand.M", "drawer.p2"),
    )
    assert system.simulate(1.0, **EXACT)["drawer.x"][-1] == pytest.approx(way, abs=1e-9)


@pytest.mark.parametrize(
    ("slope", "mu", "along", "turning"),
    [(0.3, 0.5, 0.0, 0.0), (0.4, 0.2, 1.821671268, 0.0), (0.7, 0.45, 2.009166285, 0.0), (0.7, 1.0, None, 0.964399817)],
)
def test_a_block_on_an_incline_rests_slides_or_tips(slope, mu, along, turning):
    """1 m wide and 2 m high: it tips where slope and mu exceed 1/2, by its lower foot; accelerations of rigid bodies."""
    angle = math.atan(slope)
    gravity = {"gx": 9.81 * math.sin(angle), "gy": -9.81 * math.cos(angle)}
    system = connected(
        {
            "ground": ("planar.Fixed", {}),
            "block": ("planar.Body1", {"I": 5 / 12, "p1.ry": -1.0, "y": 1.0, **gravity}),
            "side": ("planar.LineContact", {"length": 1.0, "mu": mu}),
        },
        ("side.M", "ground.p1"),
        ("side.N", "block.p1"),
    )
    result = system.simulate(1e-3, **EXACT, outputs=["*", "block.der(vx)", "block.der(omega)"])
    assert abs(result["block.der(omega)"][0]) == pytest.approx(turning, abs=1e-8)
    if along is not None:
        assert result["block.der(vx)"][0] == pytest.approx(along, abs=1e-8)


@pytest.mark.parametrize(("v", "mu", "after"), [((2.0, -4.0), 0.5, (5 / 6, 3.2, -5 / 3)), ((8.0, -1.0), 0.2, (7.64, 0.8, 1.56))])
def test_a_disc_grips_or_slips_in_its_impact(v, mu, after):
    """r = 0.5, J = m r^2/2, spin 3, e = 0.8: the tangential impulse stops the slip, or is mu times the normal one."""
    start = {"I": 0.125, "gy": 0.0, "y": 0.501, "vx": v[0], "vy": v[1], "omega": 3.0}
    system = connected(
        {
            "ground": ("planar.Fixed", {}),
            "disc": ("planar.Body1", start),
            "floor": ("planar.DiscContact", {"radius": 0.5, "mu": mu, "e": 0.8}),
        },
        ("floor.M", "ground.p1"),
        ("floor.N", "disc.p1"),
    )
    result = system.simulate(0.01, **EXACT)
    assert times(result) == pytest.approx([-1e-3 / v[1]], abs=1e-12)
    assert [result[f"disc.{name}"][-1] for name in ("vx", "vy", "omega")] == pytest.approx(after, abs=1e-9)


def test_a_rope_becomes_taut():
    """2 kg at (0.6, 0) on 1 m: taut at sqrt(1.6/g) with the impulse 1.6 v; its swing has a tension of m g 0.512 at least."""
    system = connected(
        {"ground": ("planar.Fixed", {}), "mass": ("planar.PointMass1", {"m": 2.0, "x": 0.6}), "rope": ("planar.Rope", {})},
        ("rope.M", "ground.p1"),
        ("rope.N", "mass.p1"),
    )
    result = system.simulate(2.6, **EXACT)
    hit = result.changes[0]
    assert hit.time == pytest.approx(math.sqrt(1.6 / 9.81), abs=1e-9) and hit.what == "hit"
    assert hit.impulses["rope.lambda[1]"] == pytest.approx(1.6 * 9.81 * hit.time, abs=1e-8)
    taut = result.time > hit.time
    assert result["rope.multiplier[1]"][taut].min() == pytest.approx(2 * 9.81 * 0.512, rel=1e-2)
    assert len(result.changes) == 2 and len(result.changes) == sum(change.joint == "rope" for change in result.changes)


@pytest.mark.parametrize(("mu", "way"), [(0.2, 0.512341517842), (0.5, 0.0)])
def test_a_point_slides_down_an_incline(mu, way):
    """x(1) = g (sin - mu cos)/2 on 0.3 rad, and nothing where mu is greater than the slope."""
    system = connected(
        {
            "ground": ("planar.Fixed", {"p1.angle": -0.3}),
            "mass": ("planar.PointMass1", {"m": 2.0}),
            "contact": ("planar.PointContact", {"mu": mu}),
        },
        ("contact.M", "ground.p1"),
        ("contact.N", "mass.p1"),
    )
    assert system.simulate(1.0, **EXACT)["mass.x"][-1] / math.cos(0.3) == pytest.approx(way, abs=1e-9)
