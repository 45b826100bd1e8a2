"""A chain hoist of the catalogue's components alone, with motor, brake, lossy gear, slack chain and floor, against SciPy by cases."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from jourdain import System
from tests.support.switched.pieces import Leave, State, by_pieces

pytestmark = pytest.mark.slow

G, LOAD, HOOK, ROTOR, POCKETS = 9.81, 300.0, 2.0, 0.02, 0.01
R, L, K = 0.5, 5e-3, 0.2
RATIO, EFFICIENCY, BACK, BEARING = 60.0, 0.8, 0.7, 0.05
RADIUS = 6 * 0.03 / (2 * pi)
"""Radius of the chain wheel: six pockets with a pitch of 30 mm."""
SLACK, CHAIN, FLOOR = 0.05, (4e5, 2e3), (1e6, 5e3)
TIMES, VOLTS, PRESSES = [0.0, 2.0, 2.01, 4.0], [48.0, 48.0, 0.0, 0.0], [0.0, 0.0, 400.0, 400.0]
END = 4.0
Mode = tuple[int, bool, bool]
"""The way of the motor, 0 where it is held; whether the chain is taut, and whether the load is on the floor."""


def hoist() -> System:
    """Returns the hoist, whose chain is slack while its load stands on the floor."""
    system = System("hoist")
    system.add("frame", "mechanical1d.Fixed1D")
    system.add("source", "electrical.VoltageSource")
    system.add("motor", "electrical.DCMotor", {"R": R, "L": L, "k": K})
    system.add("rotor", "mechanical1d.Inertia", {"I": ROTOR})
    system.add("wheel", "mechanical1d.Inertia", {"I": POCKETS})
    for name, m, s in (("hook", HOOK, 0.0), ("load", LOAD, -LOAD * G / FLOOR[0])):
        system.add(name, "mechanical1d.Mass", {"m": m, "s": s})
        system.add(f"{name}_weight", "mechanical1d.Force", {"force": -m * G})
        system.connect(f"{name}_weight.flange", f"{name}.flange")
    system.connect("source.pin", "motor.pin")
    system.connect("motor.flange", "rotor.flange")
    system.join("mechanical1d.Brake", "frame.shaft", "rotor.flange", {"mu": 0.4, "radius": 0.08}, name="brake")
    losses = {"ratio": RATIO, "efficiency": EFFICIENCY, "back": BACK, "bearing": BEARING}
    system.join("mechanical1d.LossyGear", "rotor.flange", "wheel.flange", losses, name="gear")
    system.join("mechanical1d.RackAndPinion", "wheel.flange", "hook.flange", {"radius": RADIUS}, name="pockets")
    for name, ends, gap, (k, c) in (
        ("chain", ("hook.flange", "load.flange"), -SLACK, CHAIN),
        ("floor", ("frame.flange", "load.flange"), 0.0, FLOOR),
    ):
        system.join("mechanical1d.ElasticGap", *ends, {"gap": gap, "k": k, "c": c}, name=name)
    system.drive("source.voltage", list(zip(TIMES, VOLTS, strict=True)))
    system.drive("brake.force", list(zip(TIMES, PRESSES, strict=True)))
    return system


class Cases:
    """The equations by hand; states are current, angle and speed of the motor, place and speed of the load."""

    def chain(self, y: State) -> tuple[float, float]:
        """Returns the depth of the chain's contact, and its force by the law of a spring and a damper."""
        depth = RADIUS / RATIO * y[1] - y[3] - SLACK
        return depth, CHAIN[0] * depth + CHAIN[1] * (RADIUS / RATIO * y[2] - y[4])

    def floor(self, y: State) -> tuple[float, float]:
        return -y[3], -FLOOR[0] * y[3] - FLOOR[1] * y[4]

    def brake(self, t: float) -> float:
        return 0.4 * 0.08 * 2 * float(np.interp(t, TIMES, PRESSES)) + BEARING

    def at_rest(self, y: State, mode: Mode) -> float:
        """Returns the torque of the wheel's load on the ideal gear at the motor, without acceleration."""
        return RADIUS / RATIO * (HOOK * G + (self.chain(y)[1] if mode[1] else 0.0))

    def acceleration(self, t: float, y: State, mode: Mode) -> float:
        """Returns the only acceleration at which the sign of the load fits its loss."""
        inertia = (POCKETS + HOOK * RADIUS**2) / RATIO**2
        found = []
        for sign in (1, -1):
            share = 1 / EFFICIENCY if sign == mode[0] else BACK
            a = (K * y[0] - mode[0] * self.brake(t) - share * self.at_rest(y, mode)) / (ROTOR + share * inertia)
            if sign * (self.at_rest(y, mode) + inertia * a) >= 0:
                found.append(a)
        assert found
        return found[0]

    def rates(self, mode: Mode):
        def derivative(t: float, y: State) -> list[float]:
            up = (self.chain(y)[1] if mode[1] else 0.0) + (self.floor(y)[1] if mode[2] else 0.0)
            volts = float(np.interp(t, TIMES, VOLTS))
            return [(volts - R * y[0] - K * y[2]) / L, y[2], self.acceleration(t, y, mode) if mode[0] else 0.0, y[4], up / LOAD - G]

        return derivative

    def left(self, t: float, y: State, mode: Mode, way: int) -> float:
        """Returns the torque that is left before the motor turns one way from rest."""
        load = self.at_rest(y, mode)
        return self.brake(t) - way * (K * y[0] - load * (1 / EFFICIENCY if load * way >= 0 else BACK))

    def leaves(self, mode: Mode) -> list[Leave]:
        way, taut, stands = mode

        def stopped(t: float, y: State) -> Mode:
            y[2] = 0.0
            return (next((each for each in (1, -1) if self.left(t, y, mode, each) < 0), 0), taut, stands)

        def contact(law, closed: bool, flipped: Mode) -> Leave:
            return (lambda t, y: law(y)[1] if closed else -min(law(y)[0], law(y)[1] * 1e-6)), (lambda t, y: flipped)

        found = [contact(self.chain, taut, (way, not taut, stands)), contact(self.floor, stands, (way, taut, not stands))]
        if way:
            return [*found, (lambda t, y: way * y[2], stopped)]
        return [*found, *((lambda t, y, w=w: self.left(t, y, mode, w), lambda t, y, w=w: (w, taut, stands)) for w in (1, -1))]


def test_a_chain_hoist_lifts_stops_and_holds() -> None:
    """The motor takes up the slack and lifts the load from the floor; without voltage the brake stops and holds it: all to 1e-8."""
    times = np.linspace(0.0, END, 401)
    result = hoist().simulate(END, solver="dop853", rtol=1e-11, output_times=times)
    assert result.outcome.completed, result.outcome
    cases = Cases()
    start = [0.0, 0.0, 0.0, -LOAD * G / FLOOR[0], 0.0]
    changes, rows = by_pieces(cases.rates, cases.leaves, (0, False, True), start, times, 0.005)
    modes = [mode for _, mode in changes]
    assert modes[:3] == [(1, False, True), (1, True, True), (1, True, False)] and modes[-1][0] == 0
    switched = {each.time: each.what.split(" -> ")[1] for each in result.changes if each.joint == "gear"}
    ways = [
        (time, mode[0])
        for (time, mode), (_, before) in zip(changes, [(0.0, (0, False, True)), *changes], strict=False)
        if mode[0] != before[0]
    ]
    assert [{"slips": 1, "slips back": -1}.get(each, 0) for each in switched.values()] == [way for _, way in ways]
    assert list(switched) == pytest.approx([time for time, _ in ways], abs=1e-8)
    found = result.resample(times)
    scale = np.abs(rows).max(axis=0)
    for column, name in enumerate(("motor.i", "rotor.phi", "rotor.w", "load.s", "load.v")):
        assert np.abs(found[name] - rows[:, column]).max() < 1e-8 * scale[column], name
    assert abs(found["rotor.w"][-1]) < 1e-12 and found["load.s"][-1] > 0.1
