"""One shaft with several joints that switch, by cases: what rests, where it rests, and what breaks it away."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from scipy.integrate import solve_ivp

from jourdain import System
from jourdain.declare import t as TIME

NEAR = 1e-9


@dataclass(frozen=True, kw_only=True)
class Shaft:
    """A shaft under a torque of sines; friction and clutch as their limits at rest and in slipping."""

    inertia: float
    offset: float
    waves: Sequence[tuple[float, float, float]]
    friction: tuple[float, float] | None = None
    clutch: tuple[float, float, float] | None = None
    """Clutch to a shaft of constant speed, which comes first."""
    freewheel: bool = False
    """It does not turn backwards."""
    stop: float | None = None
    """The greatest angle, where it stops without a rebound."""
    speed: float = 0.0
    """Speed at the start."""

    def torque(self, t: float, ground: float, clutch: float) -> float:
        """The sum of all that slips in some directions; 0 leaves one out."""
        sum_ = self.offset + sum(a * math.sin(b * t + c) for a, b, c in self.waves)
        sum_ -= ground * self.friction[1] if self.friction else 0
        return sum_ - (clutch * self.clutch[2] if self.clutch else 0)

    def _resting(self, angle: float, speed: float) -> tuple[float, float, bool] | None:
        """The torques that it can bear at rest, least and greatest, and whether it rests on the ground; None where it moves."""
        stopped = self.stop is not None and angle >= self.stop - NEAR
        if abs(speed) < NEAR and (self.friction or self.freewheel or stopped):
            limit = self.friction[0] if self.friction else 0.0
            return -math.inf if self.freewheel else -limit, math.inf if stopped else limit, True
        if self.clutch and abs(speed - self.clutch[0]) < NEAR:
            return -self.clutch[1], self.clutch[1], False
        return None

    def _directions(self, speed: float, leaving: float, on_ground: bool) -> tuple[float, float]:
        ground = leaving if leaving and on_ground else np.sign(speed)
        relative = speed - self.clutch[0] if self.clutch else 0.0
        return ground, leaving if leaving and not on_ground else np.sign(relative)

    def _rest(self, t: float, end: float, y: Sequence[float], low: float, high: float, on_ground: bool) -> tuple[float, float]:
        """Integrates a rest until the torque leaves the range, or a shaft that turns with the clutch comes to the stop."""
        angle, speed = y
        ground, clutch = self._directions(speed, 0.0, on_ground)
        leaves = [lambda t, y: high - self.torque(t, ground, clutch), lambda t, y: self.torque(t, ground, clutch) - low]
        stop = self.stop
        if stop is not None and speed > 0:
            leaves.append(lambda t, y: stop - y[0])
        part = _integrated(
            lambda t, y: [speed], (t, end), [angle], [f for f, bound in zip(leaves, (high, low, 0), strict=False) if math.isfinite(bound)]
        )
        return part.t[-1], part.y[0, -1]

    def run(self, end: float) -> tuple[float, float]:
        """Angle and speed at the end."""
        t, angle, speed = 0.0, 0.0, self.speed
        while t < end:
            if (self.stop is not None and angle >= self.stop - NEAR and speed > 0) or (self.freewheel and speed < 0):
                speed = 0.0
            rests, leaving = self._resting(angle, speed), 0.0
            on_ground = rests is not None and rests[2]
            if rests:
                low, high, _ = rests
                speed = 0.0 if on_ground or not self.clutch else self.clutch[0]
                ground, clutch = self._directions(speed, 0.0, on_ground)
                if low <= self.torque(t + 1e-12, ground, clutch) <= high:
                    t, angle = self._rest(t, end, (angle, speed), low, high, on_ground)
                    if t >= end or (not on_ground and self.stop is not None and angle >= self.stop - NEAR):
                        continue
                    t = float(np.nextafter(t, math.inf))
                now = self.torque(t + 1e-12, ground, clutch)
                leaving = 1.0 if abs(now - high) < abs(now - low) else -1.0
            t, (angle, speed) = self._move(t, end, (angle, speed), leaving, on_ground)
        return angle, speed

    def _move(self, t: float, end: float, y: Sequence[float], leaving: float, on_ground: bool) -> tuple[float, Sequence[float]]:
        """Integrates a motion until the shaft comes to rest somewhere, or to the stop."""
        ground, clutch = self._directions(y[1], leaving, on_ground)
        falls: list[Callable[[float, np.ndarray], float]] = []
        if self.friction or self.freewheel:
            falls.append(lambda t, y: ground * y[1])
        if self.clutch:
            fast = self.clutch[0]
            falls.append(lambda t, y: clutch * (y[1] - fast))
        stop = self.stop
        if stop is not None:
            falls.append(lambda t, y: stop - y[0])
        part = _integrated(lambda t, y: [y[1], self.torque(t, ground, clutch) / self.inertia], (t, end), y, falls)
        return part.t[-1], part.y[:, -1]

    def system(self, order: Sequence[int]) -> System:
        """The same of components, joined in an order of the joints that there are."""
        system = System("several")
        system.add("ground", "mechanical1d.Fixed1D")
        system.add("shaft", "mechanical1d.Inertia", {"I": self.inertia, "w": self.speed})
        system.add("load", "mechanical1d.Torque")
        system.connect("load.flange", "shaft.flange")
        system.drive("load.torque", self.offset + sum(a * sympy.sin(b * TIME + c) for a, b, c in self.waves))
        joints: list[tuple[str, str, dict[str, float], str]] = []
        if self.friction:
            joints.append(
                ("mechanical1d.RotationalFriction", "ground.shaft", {"static": self.friction[0], "kinetic": self.friction[1]}, "rub")
            )
        if self.clutch:
            system.add("fast", "mechanical1d.Speed")
            system.drive("fast.speed", self.clutch[0])
            joints.append(("mechanical1d.Clutch", "fast.flange", {"peak": self.clutch[1] / self.clutch[2]}, "clutch"))
        if self.freewheel:
            joints.append(("mechanical1d.OneWayClutch", "ground.shaft", {}, "free"))
        if self.stop is not None:
            joints.append(("mechanical1d.RotationalBacklash", "ground.shaft", {"play": 100.0, "offset": self.stop - 50.0}, "stop"))
        for i in order:
            component, flange, values, name = joints[i]
            system.join(component, flange, "shaft.flange", values, name=name)
        if self.clutch:
            system.drive("clutch.capacity", self.clutch[2])
        return system

    @property
    def joints(self) -> int:
        return sum((self.friction is not None, self.clutch is not None, self.freewheel, self.stop is not None))


def _integrated(rates, span, start, falls):
    for each in falls:
        each.terminal, each.direction = True, -1
    return solve_ivp(rates, span, start, "DOP853", rtol=1e-12, atol=1e-13, events=falls, max_step=0.01)


def random_shaft(seed: int) -> Shaft:
    """Two to four joints on one coordinate."""
    choice = random.Random(seed)
    kinds = [False] * 4
    while sum(kinds) < 2:
        kinds = [choice.random() < 0.6 for _ in range(4)]
    rubs, grips = choice.uniform(0.3, 1.5), choice.uniform(0.3, 1.5)
    return Shaft(
        inertia=choice.uniform(0.5, 2),
        offset=choice.uniform(-0.5, 0.5),
        waves=[(choice.uniform(1, 3), choice.uniform(0.7, 3), choice.uniform(0, 6)) for _ in range(2)],
        friction=(rubs * choice.choice((1, 1.5, 2)), rubs) if kinds[0] else None,
        clutch=(choice.choice((0.5, 1.0, -0.7)), grips * choice.choice((1, 1.3)), grips) if kinds[1] else None,
        freewheel=kinds[2],
        stop=choice.uniform(0.5, 2.0) if kinds[3] else None,
        speed=choice.choice((0.0, 0.0, 0.8)),
    )
