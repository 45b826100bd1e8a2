"""A gear whose mesh loses a part of its load: a joint of a user's, and its motion by cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import sympy
from scipy.integrate import solve_ivp

from jourdain import Joint
from jourdain.declare import ROTATIONAL, friction


class Worm(Joint):
    """Gear with losses: ``drives`` is the share of the load that is lost where M drives N, ``driven`` that where N drives M.

    At ``driven`` of 1 or more it locks itself. Multiplier 1 is the load of the mesh on M, multiplier 2 the loss.
    """

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        ratio = self.parameter("ratio", 10.0, "", "speed of M over speed of N")
        drives = self.parameter("drives", 0.5, "", "loss by load where M drives", at_least=0)
        driven = self.parameter("driven", 0.5, "", "loss by load where N drives", at_least=0)
        peak = self.parameter("peak", 1.0, "", "loss up to which it sticks, by that in motion", at_least=1)
        load = -self.multiplier(1)  # what M has to overcome to turn forwards
        forth = sympy.Max(drives * load, -driven * load)
        back = sympy.Max(-drives * load, driven * load)
        return [M.w - ratio * N.w, friction(M.w, (forth, back), (peak * forth, peak * back))]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A motor on a worm with a load, all seen from the worm: torques as functions of time."""

    motor: float
    load: float
    """Inertias."""
    torque: Callable[[float], float]
    against: Callable[[float], float]
    drives: float
    driven: float
    peak: float = 1.0

    def slips(self, t: float, way: int, share: float = 1.0) -> list[tuple[float, float]]:
        """Accelerations and loads of the mesh that fulfil all equations while it slips ``way``: none, one or two."""
        found = []
        for sign in (1, -1):
            # motor: J a = T - F - way c |F|; load: F = G + L a
            c = way * sign * share * (self.drives if sign == way else self.driven)
            inertia = self.motor + (1 + c) * self.load
            if inertia != 0:
                a = (self.torque(t) - (1 + c) * self.against(t)) / inertia
                force = self.against(t) + self.load * a
                if force * sign >= 0:
                    found.append((a, force))
        return found

    def left(self, t: float, way: int) -> float:
        """Returns the margin at rest before it slips ``way``; it sticks where both margins are positive."""
        F = self.against(t)
        limit = self.peak * abs(F) * (self.drives if F * way > 0 else self.driven)
        return limit - way * (self.torque(t) - F)

    def _leaves(self, t: float) -> int:
        return next((way for way in (1, -1) if self.left(t, way) < 0), 0)

    def run(self, end: float, speed: float = 0.0) -> tuple[list[tuple[float, int]], float, float]:
        """Changes of modes (time, mode), and the angle and speed of the motor at the end."""
        t, angle, mode, changes = 0.0, 0.0, int(math.copysign(1, speed)) if speed else self._leaves(0.0), []
        while t < end:
            if mode:
                leaves: list[Callable[..., float]] = [lambda t, y, way=mode: way * y[1]]
            else:
                leaves = [lambda t, y: self.left(t, 1), lambda t, y: self.left(t, -1)]
            for each in leaves:
                each.terminal, each.direction = True, -1  # type: ignore[attr-defined]
            part = solve_ivp(
                lambda t, y, way=mode: [y[1], self.slips(t, way)[0][0] if way else 0.0],
                (t, end), [angle, speed], rtol=1e-12, atol=1e-14, max_step=(end - t) / 20, events=leaves,
            )  # fmt: skip
            t, (angle, speed) = part.t[-1], part.y[:, -1]
            if part.status != 1:
                break
            if mode:
                speed = 0.0
                mode = self._leaves(t)
            else:
                mode = 1 if len(part.t_events[0]) else -1
            changes.append((t, mode))
        return changes, angle, speed
