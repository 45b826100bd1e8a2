"""Frictions, clutches, belts and drives, with closed forms."""

from __future__ import annotations

import math

import numpy as np
import sympy
from scipy.integrate import quad
from scipy.optimize import brentq

from coupling import System
from jourdain.declare import t as TIME
from tests.support.switched.case import Case, G, built, integrated

STICK, SLIP = 0.2, 3 * math.pi / 20
"""Durations of stick and slip of the block on the belt, in s."""


def belt(stribeck: float = 0.0) -> System:
    """Returns a block of 1 kg on 100 N/m that a belt drags at 0.1 m/s: 4 N static, 3 N kinetic."""
    parts = {
        "belt": ("mechanical1d.Mass", {"m": 1e12, "v": 0.1}),
        "wall": "mechanical1d.Fixed1D",
        "spring": ("mechanical1d.SpringDamper1D", {"k": 100.0, "b": 0.0, "rest": 0.0}),
        "block": ("mechanical1d.Mass", {"v": 0.1}),
        "rub": ("mechanical1d.Friction", {"static": 4.0, "kinetic": 3.0, "stribeck": stribeck}),
    }
    return built("belt", parts, "wall.flange-spring.M spring.N-block.flange belt.flange-rub.M rub.N-block.flange")


def belt_ends() -> dict[str, float]:
    s = 6 - 0.4 - 8 * (STICK + SLIP)
    c, s = math.cos(10 * s), math.sin(10 * s)
    return {"block.s": 0.03 + 0.01 * (c + s), "block.v": 0.1 * (c - s)}


def stribeck_slip() -> tuple[float, float]:
    """Returns the durations of slip and stick of the block on the belt where friction falls from 4 to 3 N over 0.05 m/s: by SciPy."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], 3 + math.exp(-(((0.1 - y[1]) / 0.05) ** 2)) - 100 * y[0]]

    away = integrated(rates, (0, 1e-2), [0.04, 0.1 - 1e-15])
    slip = integrated(rates, (1e-2, 1), away.y[:, -1], lambda t, y: 0.1 - y[1])
    return slip.t[-1], (0.04 - slip.y[0, -1]) / 0.1


def stribeck_times() -> list[float]:
    slip, stick = stribeck_slip()
    return [0.4 + n * (slip + stick) + also for n in range(3) for also in (0, slip)]


def clutch() -> System:
    """I = 2, 3, w = 100, 0; 60 N.m from 0.5 s, 30 N.m on a from 2.5 s, open from 3 s."""
    parts = {
        "a": ("mechanical1d.Inertia", {"I": 2.0, "w": 100.0}),
        "b": ("mechanical1d.Inertia", {"I": 3.0}),
        "engine": "mechanical1d.Torque",
        "clutch": "mechanical1d.Clutch",
    }
    found = built("clutch", parts, "engine.flange-a.flange a.flange-clutch.M clutch.N-b.flange")
    found.drive("clutch.capacity", [(0, 0), (0.5, 0), (0.5, 60), (3, 60), (3, 0), (9, 0)])
    found.drive("engine.torque", [(0, 0), (2.5, 0), (2.5, 30), (9, 30)])
    return found


def freewheel() -> System:
    parts = {
        "a": "mechanical1d.Inertia",
        "b": "mechanical1d.Inertia",
        "ta": "mechanical1d.Torque",
        "tb": ("mechanical1d.Torque", {"torque": -0.5}),
        "wheel": "mechanical1d.OneWayClutch",
    }
    found = built("freewheel", parts, "ta.flange-a.flange tb.flange-b.flange a.flange-wheel.M wheel.N-b.flange")
    found.drive("ta.torque", 2 * sympy.sin(TIME) + 0.5)
    return found


FREE = 7 * math.pi / 6
"""Time at which sin t + 1/2, the torque in the freewheel, falls through zero."""


def overtaken(t: float) -> float:
    """Returns the angle by which b is ahead of a after FREE, before they lock again: w = 1 - cos t at first, then torques 2 sin t + 1/2 and
    -1/2."""
    return -(t - FREE) + 2 * (math.cos(t) - math.cos(FREE))


def freewheel_times() -> list[float]:
    return [FREE, brentq(overtaken, FREE + 0.5, 8, xtol=1e-15)]


def freewheel_ends() -> dict[str, float]:
    lock = freewheel_times()[1]
    w = 1 - math.cos(FREE) - (lock - FREE) / 2 + math.cos(lock) - math.cos(9)
    return {"a.w": w, "b.w": w}


def belt_drive() -> System:
    parts = {
        "a": ("mechanical1d.Inertia", {"I": 0.5, "w": 100.0}),
        "b": ("mechanical1d.Inertia", {"I": 4.0}),
        "drive": ("mechanical1d.BeltDrive", {"radius_M": 0.1, "radius_N": 0.2, "wrap": math.pi}),
    }
    return built("belt_drive", parts, "a.flange-drive.M drive.N-b.flange")


def rack() -> System:
    parts = {
        "pinion": ("mechanical1d.Inertia", {"I": 0.02}),
        "motor": ("mechanical1d.Torque", {"torque": 2.0}),
        "rack": ("mechanical1d.Mass", {"m": 3.0}),
        "teeth": ("mechanical1d.RackAndPinion", {"radius": 0.1}),
    }
    return built("rack", parts, "motor.flange-pinion.flange teeth.M-pinion.flange teeth.N-rack.flange")


def geneva(w: float = 2.0) -> System:
    """Crank of 1 kg.m2 from -pi/2, wheel of 0.3 kg.m2 with 4 slots."""
    parts = {
        "crank": ("mechanical1d.Inertia", {"I": 1.0, "phi": -math.pi / 2, "w": w}),
        "wheel": ("mechanical1d.Inertia", {"I": 0.3}),
        "drive": "mechanical1d.Geneva",
    }
    return built("geneva", parts, "drive.M-crank.flange drive.N-wheel.flange")


def geneva_pass(w: float = 2.0) -> tuple[float, float]:
    """Returns the crank's times to the slot, and through it: the energy of crank and wheel together is constant."""
    root = math.sqrt(0.5)

    def slowness(phi: float) -> float:
        ratio = root * (math.cos(phi) - root) / (1.5 - 2 * root * math.cos(phi))
        return math.sqrt(1 + 0.3 * ratio**2) / w

    return math.pi / 4 / w, 2 * quad(slowness, 0, math.pi / 4, epsabs=1e-14, epsrel=1e-14)[0]


def geneva_ends() -> dict[str, float]:
    before, through = geneva_pass()
    return {"crank.phi": math.pi / 4 + 2 * (1.5 - before - through), "crank.w": 2, "wheel.phi": -math.pi / 2, "wheel.w": 0}


def pinned(joint: str, mu: float, radius: float, **body: float) -> System:
    """A rod of 1 kg and 1 m, pinned at its end in a dry bearing."""
    parts = {
        "ground": "planar.Fixed",
        "pin": (joint, {"mu": mu, "radius": radius}),
        "rod": ("planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, **body}),
    }
    return built("bearing", parts, "ground.p1-pin.M pin.N-rod.p1")


def spinning() -> System:
    return pinned("planar.RevoluteFriction", 0.2, 0.05, gy=0.0, omega=3.0, vy=1.5)


def spinning_ends() -> dict[str, float]:
    """Returns w = w0/(1 + c w0 t), c = k/sqrt(J^2 - k^2), since the reaction contains what friction adds."""
    k, J = 0.2 * 0.05 * 0.5, 1 / 12 + 0.25
    c = k / math.sqrt(J**2 - k**2)
    return {"rod.omega": 3 / (1 + 6 * c), "rod.theta": math.log(1 + 6 * c) / c}


def swinging() -> System:
    return pinned("planar.RevoluteFriction", 0.3, 0.1)


def swings() -> tuple[list[float], float]:
    """Returns the times at which the rod in its dry bearing turns back, and its last angle: m = 1, l = 1/2, the torque mu r times the
    reaction."""
    J, limit = 1 / 12 + 0.25, 0.3 * 0.1

    def acceleration(theta: float, w: float, way: int) -> float:
        """Returns the acceleration of the angle from the vertical: J a + m g l sin + way limit |R| = 0, by the quadratic equation that
        follows."""
        across, along, pull = G * math.sin(theta), 0.5 * w**2 + G * math.cos(theta), 0.5 * G * math.sin(theta)
        # (J a + pull)^2 = limit^2 ((a/2 + across)^2 + along^2), and J a + pull has the sign -way
        a, b = J**2 - limit**2 / 4, 2 * J * pull - limit**2 * across
        root = math.sqrt(b**2 - 4 * a * (pull**2 - limit**2 * (across**2 + along**2)))
        return min((-b + root) / (2 * a), (-b - root) / (2 * a), key=lambda x: way * (J * x + pull))

    theta, t, times = math.pi / 2, 0.0, []
    while abs(math.sin(theta)) > limit / 0.5:
        way = -1 if theta > 0 else 1
        half = integrated(
            lambda _, y, way=way: [y[1], acceleration(y[0], y[1], way)], (t, t + 5), [theta, way * 1e-13], lambda _, y, way=way: way * y[1]
        )
        t, theta = half.t[-1], half.y[0, -1]
        times.append(t)
    return times, theta


def drawer(arm: float) -> System:
    """2 kg on a guide of 0.2 m, mu = 0.3, pulled by 5 N at an arm."""
    parts = {
        "ground": "planar.Fixed",
        "guide": ("planar.TranslationalFriction", {"mu": 0.3, "length": 0.2}),
        "body": ("planar.Body2", {"m": 2.0, "I": 0.1, "gy": 0.0, "p2.ry": arm}),
        "pull": ("planar.Wrench", {"Fx": 5.0}),
    }
    return built("drawer", parts, "ground.p1-guide.M guide.N-body.p1 pull.M-body.p2")


CASES = {
    "belt": Case(
        machine=belt, stop=6.0, ends=belt_ends, times=lambda: [0.4 + n * (STICK + SLIP) + a for n in range(9) for a in (0, SLIP)][:17]
    ),
    "stribeck": Case(
        machine=lambda: belt(0.05),
        stop=2.5,
        ends=lambda: {"block.v": 0.1, "block.s": 0.04 - 0.1 * (0.4 + 3 * sum(stribeck_slip()) - 2.5)},
        times=stribeck_times,
    ),
    "bearing": Case(machine=spinning, stop=2.0, ends=spinning_ends),
    "pendulum": Case(
        machine=swinging, stop=9.0, ends=lambda: {"rod.theta": swings()[1] - math.pi / 2, "rod.omega": 0.0}, times=lambda: swings()[0]
    ),
    **{
        f"drawer {arm:g}": Case(
            machine=lambda arm=arm: drawer(arm),  # type: ignore[misc]  # of each turn
            stop=1.0,
            ends=lambda arm=arm: {"body.x": max(0.0, 1.25 * (1 - 3 * arm)), "body.vx": max(0.0, 2.5 * (1 - 3 * arm))},  # type: ignore[misc]  # the same
        )
        for arm in (0.1, 0.3, 0.3333, 0.3334)
    },
    "clutch": Case(machine=clutch, stop=4.0, ends=lambda: {"a.w": 58, "b.w": 43}, times=lambda: [2.5, 3.0]),
    "freewheel": Case(machine=freewheel, stop=9.0, ends=freewheel_ends, times=freewheel_times),
    "belt drive": Case(
        machine=belt_drive,
        stop=5.0,
        ends=lambda: {"a.w": 100 / 3, "b.w": 50 / 3},
        times=lambda: [10 / (200 * math.tanh(0.15 * math.pi) * 0.03)],
    ),
    "rack": Case(machine=rack, stop=1.0, ends=lambda: {"rack.v": 4, "rack.s": 2, "pinion.w": 40}),
    "geneva": Case(machine=geneva, stop=1.5, ends=geneva_ends),
}
