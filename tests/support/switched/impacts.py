"""Stops, walls, ropes and contacts, with closed forms and reduced equations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from coupling import System
from tests.support.switched.case import Case, G, Parts, built, integrated
from tests.support.systems.switching import stop


def stop_ends() -> dict[str, float]:
    """Returns the state of the mass on its spring after the fifth hit, at 9 pi/10."""
    since, speed = 3 - 0.9 * math.pi, 5 * 0.7**5
    return {"mass.s": speed / 5 * math.sin(5 * since), "mass.v": speed * math.cos(5 * since)}


def backlash() -> System:
    parts = {
        "a": ("mechanical1d.Mass", {"v": 2.0}),
        "b": ("mechanical1d.Mass", {"m": 3.0}),
        "gap": ("mechanical1d.Backlash", {"play": 0.1, "e": 0.6}),
    }
    return built("backlash", parts, "a.flange-gap.M gap.N-b.flange")


def backlash_times() -> list[float]:
    return [0.025 + sum(0.05 / 0.6**i for i in range(1, n + 1)) for n in range(4)]


def backlash_ends() -> dict[str, float]:
    """Common speed 1/2, relative speed 2 (-0.6)^4; b is ahead by 0.05 at the fourth hit."""
    relative, since = 2 * 0.6**4, 0.6 - backlash_times()[-1]
    gap = 0.05 - relative * since  # b.s - a.s, which was 0.05 there
    return {"a.v": 0.5 + 0.75 * relative, "b.v": 0.5 - 0.25 * relative, "b.s": 0.3 + gap / 4}


def rods(angles: tuple[float, ...], wall: float, e: float, reach: float = 0.5) -> System:
    """Rods of 1 kg and 1 m, one behind another; the point of the last one at ``reach`` from its middle hits a wall."""
    parts: dict[str, str | tuple[str, Mapping[str, float]]] = {
        "ground": "planar.Fixed",
        "side": ("planar.Fixed", {"p1.rx": wall, "p1.angle": math.pi / 2}),
        "wall": ("planar.PointContact", {"mu": 0.0, "e": e}),
    }
    x = y = 0.0
    lines = ["side.p1-wall.M", f"rod{len(angles) - 1}.p2-wall.N"]
    for i, angle in enumerate(angles):
        c, s, last = math.cos(angle), math.sin(angle), i == len(angles) - 1
        parts[f"pin{i}"] = "planar.Revolute"
        body = {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": reach if last else 0.5}
        parts[f"rod{i}"] = ("planar.Body2", {**body, "x": x + c / 2, "y": y + s / 2, "theta": angle})
        lines += [f"rod{i - 1}.p2-pin{i}.M" if i else "ground.p1-pin0.M", f"pin{i}.N-rod{i}.p1"]
        x, y = x + c, y + s
    return built("rods", parts, " ".join(lines))


def bounced(
    rates: Callable[..., object], gap: Callable[..., float], strike: Callable[[np.ndarray], np.ndarray], start: list[float], end: float
) -> tuple[list[float], np.ndarray]:
    """Returns the times of the hits of a reduced equation, and its final state; ``strike`` gives the state after an impact."""
    t, y, times = 0.0, np.array(start), []
    while True:
        part = integrated(rates, (t, end), y, gap)
        t, y = part.t[-1], part.y[:, -1]
        if part.status != 1:
            return times, y
        times.append(t)
        y = strike(y)


def wall_hits(end: float = 5.0) -> tuple[list[float], np.ndarray]:
    """A rod of 1 kg and 1 m, from -2.2 on, wall below the pin, e = 0.6: J = 1/3."""
    return bounced(lambda _, y: [y[1], -1.5 * G * math.cos(y[0])], lambda _, y: -math.cos(y[0]), lambda y: y * [1, -0.6], [-2.2, 0], end)


def two_rods(end: float = 1.6) -> tuple[list[float], np.ndarray]:
    """Two such rods from -2.4 and -1.9, wall at 0.6, e = 0.5, in their two angles."""

    def mass(y: np.ndarray) -> np.ndarray:
        c = math.cos(y[0] - y[1]) / 2
        return np.array([[4 / 3, c], [c, 1 / 3]])

    def rates(_: float, y: np.ndarray) -> list[float]:
        s = math.sin(y[0] - y[1]) / 2
        torque = [-s * y[3] ** 2 - 1.5 * G * math.cos(y[0]), s * y[2] ** 2 - 0.5 * G * math.cos(y[1])]
        return [y[2], y[3], *np.linalg.solve(mass(y), torque)]

    def strike(y: np.ndarray) -> np.ndarray:
        row = np.sin(y[:2])  # of the speed towards the wall, negative
        moved = np.linalg.solve(mass(y), row)
        return np.concatenate([y[:2], y[2:] - 1.5 * moved * (row @ y[2:]) / (row @ moved)])

    return bounced(rates, lambda _, y: 0.6 - math.cos(y[0]) - math.cos(y[1]), strike, [-2.4, -1.9, 0, 0], end)


def rope() -> System:
    parts: Parts = {
        "ground": "planar.Fixed",
        "rope": ("planar.Rope", {"length": 1.0}),
        "body": ("planar.Body1", {"m": 2.0, "x": 0.6}),
    }
    return built("rope", parts, "ground.p1-rope.M rope.N-body.p1")


def rope_ends() -> dict[str, float]:
    """Taut at (0.6, -0.8) it keeps the speed 0.6 sqrt(1.6 g) across the rope, and swings as a pendulum of 1 m."""
    taut = math.sqrt(1.6 / G)
    start = [math.atan2(-0.8, 0.6), -0.6 * math.sqrt(1.6 * G)]
    angle, w = integrated(lambda _, y: [y[1], -G * math.cos(y[0])], (taut, 1.5), start).y[:, -1]
    return {"body.x": math.cos(angle), "body.y": math.sin(angle), "body.vx": -w * math.sin(angle)}


def disc(mu: float, vx: float, vy: float) -> System:
    """1 kg, r = 0.5 m, spin 3 rad/s, 0.1 m above the ground; e = 0.8."""
    parts: Parts = {
        "ground": "planar.Fixed",
        "contact": ("planar.DiscContact", {"radius": 0.5, "mu": mu, "e": 0.8}),
        "disc": ("planar.Body1", {"m": 1.0, "I": 0.125, "gy": 0.0, "y": 0.6, "vx": vx, "vy": vy, "omega": 3.0}),
    }
    return built("disc", parts, "ground.p1-contact.M contact.N-disc.p1")


def incline(mu: float) -> System:
    """A point of 2 kg on a line, gravity 0.3 rad off its normal, lifted by 20 N/s."""
    parts: Parts = {
        "ground": "planar.Fixed",
        "contact": ("planar.PointContact", {"mu": mu}),
        "body": ("planar.Body1", {"m": 2.0, "gx": G * math.sin(0.3), "gy": -G * math.cos(0.3)}),
        "lift": "planar.Wrench",
    }
    found = built("incline", parts, "ground.p1-contact.M contact.N-body.p1 lift.M-body.p1")
    found.drive("lift.Fy", [(0, 0), (3, 60)])
    return found


def incline_times(mu: float) -> list[float]:
    """It slides once mu (m g cos - 20 t) is less than m g sin, and leaves at m g cos/20."""
    slides, leaves = (math.cos(0.3) - math.sin(0.3) / mu) * G / 10, math.cos(0.3) * G / 10
    return [slides, leaves] if slides > 0 else [leaves]


def incline_ends(mu: float) -> dict[str, float]:
    first, leaves = (0.0, *incline_times(mu))[-2:]
    sliding, flying = leaves - first, 1.2 - leaves
    # along: g sin - mu (g cos - 10 t) = at first + 10 mu (t - first)
    begins = G * math.sin(0.3) - mu * (G * math.cos(0.3) - 10 * first)
    v = begins * sliding + 5 * mu * sliding**2
    x = begins * sliding**2 / 2 + 5 * mu * sliding**3 / 3
    along = G * math.sin(0.3)
    return {"body.vx": v + along * flying, "body.x": x + v * flying + along * flying**2 / 2, "body.y": 10 * flying**3 / 6}


def block(slope: float, mu: float) -> System:
    """1 kg, 1 m wide, 2 m high, on an incline."""
    a = math.atan(slope)
    parts: Parts = {
        "ground": "planar.Fixed",
        "side": ("planar.LineContact", {"mu": mu, "length": 1.0}),
        "block": ("planar.Body1", {"m": 1.0, "I": 5 / 12, "y": 1.0, "p1.ry": -1.0, "gx": G * math.sin(a), "gy": -G * math.cos(a)}),
    }
    return built("block", parts, "ground.p1-side.M side.N-block.p1")


def slides(slope: float, mu: float) -> dict[str, float]:
    a = math.atan(slope)
    return {"block.x": max(0.0, G * (math.sin(a) - mu * math.cos(a)) * 0.02), "block.omega": 0}


def tips(slope: float) -> dict[str, float]:
    """Returns the final state of a block that tips about its lower foot, (1/2, 0), from which the mass centre is (-1/2, 1)."""
    a = math.atan(slope)

    def rates(_: float, y: np.ndarray) -> list[float]:
        rx, ry = -math.cos(y[0]) / 2 - math.sin(y[0]), -math.sin(y[0]) / 2 + math.cos(y[0])
        return [y[1], (-ry * G * math.sin(a) - rx * G * math.cos(a)) / (5 / 12 + 1.25)]

    angle, w = integrated(rates, (0, 0.2), [0, 0]).y[:, -1]
    return {"block.theta": angle, "block.omega": w}


def ball() -> System:
    """Dropped from 1 m on a stop, e = 0.8."""
    parts: Parts = {
        "ground": "mechanical1d.Fixed1D",
        "ball": ("mechanical1d.Mass", {"s": 1.0}),
        "weight": ("mechanical1d.Force", {"force": -G}),
        "wall": ("mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": 0.8}),
    }
    return built("ball", parts, "weight.flange-ball.flange ground.flange-wall.M wall.N-ball.flange")


def ball_times() -> list[float]:
    """38 hits, of which the last is so slow that it is plastic."""
    first = math.sqrt(2 / G)
    return [first + sum(2 * first * 0.8**i for i in range(1, n + 1)) for n in range(38)]


def compliant(k: float = 1e4) -> System:
    """1 kg that hits a contact of Hunt and Crossley at 2 m/s, e = 0.6 there."""
    parts: Parts = {
        "wall": "mechanical1d.Fixed1D",
        "mass": ("mechanical1d.Mass", {"s": 1e-3, "v": -2.0}),
        "contact": ("mechanical1d.CompliantContact", {"k": k, "e": 0.6, "speed": 2.0}),
    }
    return built("compliant", parts, "wall.flange-contact.M contact.N-mass.flange")


CASES = {
    "stop": Case(machine=stop, stop=3.0, ends=stop_ends, times=lambda: [(2 * n + 1) * math.pi / 10 for n in range(5)]),
    "backlash": Case(machine=backlash, stop=0.6, ends=backlash_ends, times=backlash_times),
    "wall": Case(
        machine=lambda: rods((-2.2,), 0.0, 0.6),
        stop=5.0,
        ends=lambda: dict(zip(("rod0.theta", "rod0.omega"), wall_hits()[1], strict=True)),
        times=lambda: wall_hits()[0],
    ),
    "double pendulum": Case(
        machine=lambda: rods((-2.4, -1.9), 0.6, 0.5),
        stop=1.6,
        ends=lambda: dict(zip(("rod0.theta", "rod1.theta", "rod0.omega", "rod1.omega"), two_rods()[1], strict=True)),
        times=lambda: two_rods()[0],
    ),
    "rope": Case(machine=rope, stop=1.5, ends=rope_ends, times=lambda: [math.sqrt(1.6 / G)]),
    "disc grips": Case(
        machine=lambda: disc(0.5, 2.0, -4.0),
        stop=0.1,
        ends=lambda: {"disc.vx": 5 / 6, "disc.vy": 3.2, "disc.omega": -5 / 3, "disc.y": 0.74},
        times=lambda: [0.025],
    ),
    "disc slips": Case(
        machine=lambda: disc(0.2, 8.0, -1.0),
        stop=0.2,
        ends=lambda: {"disc.vx": 7.64, "disc.vy": 0.8, "disc.omega": 1.56, "disc.y": 0.58},
        times=lambda: [0.1],
    ),
    "incline 0.2": Case(machine=lambda: incline(0.2), stop=1.2, ends=lambda: incline_ends(0.2), times=lambda: incline_times(0.2)),
    "incline 0.5": Case(machine=lambda: incline(0.5), stop=1.2, ends=lambda: incline_ends(0.5), times=lambda: incline_times(0.5)),
    "block rests": Case(machine=lambda: block(0.3, 0.5), stop=0.2, ends=lambda: slides(0.3, 0.5)),
    "block slides": Case(machine=lambda: block(0.4, 0.2), stop=0.2, ends=lambda: slides(0.4, 0.2)),
    "steep block slides": Case(machine=lambda: block(0.7, 0.45), stop=0.2, ends=lambda: slides(0.7, 0.45)),
    "block tips": Case(machine=lambda: block(0.7, 1.0), stop=0.2, ends=lambda: tips(0.7)),
    "steep block tips": Case(machine=lambda: block(0.9, 0.6), stop=0.2, ends=lambda: tips(0.9)),
    "ball": Case(machine=ball, stop=5.0, ends=lambda: {"ball.s": 0, "ball.v": 0}, times=ball_times),
    "Hunt and Crossley": Case(machine=compliant, stop=0.3, ends=lambda: {"mass.v": 1.2}),
}
