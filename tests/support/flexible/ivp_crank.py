"""Flexible slider-crank of the Test Set for IVP Solvers: its data, its equations of index 1, and its rod as a body of a system.

The published mass matrix of the two axial nodes is 15 times the integral of their shape functions: 8, 1 and 2 stand in place of 8/15, 1/15 and
2/15. All other integrals agree with the shape functions. A ``mended`` crank has the integral.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from jourdain import System
from tests.support.flexible.modal import Array, Modes, modal_body

CRANK, ROD, SLIDER = 0.36, 0.151104, 0.075552  # kg
RADIUS, LENGTH = 0.15, 0.30  # m
CRANK_INERTIA, ROD_INERTIA = 0.002727, 0.0045339259  # kg m2
YOUNG, WIDTH, HEIGHT, DENSITY = 2e11, 0.008, 0.008, 7870.0
SPEED = 150.0  # rad/s
PI = 3.1415927  # of the test set
AMPLITUDES = (0.0, 0.0, 0.103339863e-4, 0.169327969e-4)
RATES = (0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5)
"""Start of the test set; angles, speeds and the place of the slider follow from the joints without rounding."""
ROUNDED = (0.450016933, -74.9957670)
"""Place of the slider and speed of the rod as the test set prints them, to nine digits."""

PRINTED = (
    -3.311734987910881e-1,
    1.697373326718410e-1,
    1.893192460247178e-4,
    2.375751865617931e-5,
    -5.323907988763734e-6,
    -8.363283141616840e-6,
    6.025346682645789e1,
    -8.753116989887888,
    -3.005536801092212e-2,
    -6.232893262533717e1,
    -1.637910131687472e2,
    2.529853213732781e1,
)
"""Reference of the test set at 0.1 s: phi2, x3, q, the rates of phi2, x3 and q1, and the multipliers."""


def modes(mended: bool) -> Modes:
    """Returns the integrals of the rod in the frame of its chord, whose origin is at the crank."""
    mass, stiff, line = DENSITY * WIDTH * HEIGHT * LENGTH, YOUNG * WIDTH * HEIGHT / LENGTH, DENSITY * WIDTH * HEIGHT * LENGTH
    share, slender = 15.0 if mended else 1.0, (HEIGHT / LENGTH) ** 2
    M, K, B = np.zeros((3, 4, 4))
    M[:2, :2], M[2:, 2:] = np.eye(2) / 2, np.array([[8, 1], [1, 2]]) / share
    K[:2, :2], K[2:, 2:] = np.diag([PI**4 / 24, PI**4 * 2 / 3]) * slender, np.array([[16, -8], [-8, 7]]) / 3
    B[0, 2], B[0, 3], B[1, 3] = -16 / PI**3, 8 / PI**3 - 1 / PI, 0.5 / PI
    return Modes(
        mass=ROD,
        first=ROD * LENGTH / 2,
        inertia=ROD_INERTIA,
        M=mass * M,
        K=stiff * K,
        along=line * np.array([0, 0, 2 / 3, 1 / 6]),
        across=line * np.array([2 / PI, 0, 0, 0]),
        stretched=LENGTH * line * np.array([0, 0, 1 / 3, 1 / 6]),
        turned=LENGTH * line * np.array([1 / PI, -0.5 / PI, 0, 0]),
        B=line * (B - B.T),
        ends={"p1": (0.0, np.zeros(4)), "p2": (LENGTH, np.array([0.0, 0.0, 0.0, 1.0]))},
    )


def system(mended: bool) -> System:
    """Returns the rod between a driven crank and a slider."""
    crank = System("crank")
    omega = -RADIUS * SPEED / (LENGTH + AMPLITUDES[3])
    start = {f"q[{k + 1}]": each for k, each in enumerate(AMPLITUDES)} | {f"q.rate[{k + 1}]": each for k, each in enumerate(RATES)}
    crank.add("ground", "planar.Fixed")
    crank.add("crank", "planar.Motion")
    crank.add("rod", modal_body(modes(mended), "Rod"), {"x": RADIUS, "vy": RADIUS * SPEED, "omega": omega, **start})
    slider = {"m": SLIDER, "I": 1e-3, "x": RADIUS + LENGTH + AMPLITUDES[3], "vx": RATES[3], "gy": 0.0}
    crank.add("slider", "planar.Body2", slider)
    crank.join("planar.Revolute", "crank.p1", "rod.p1", name="crank pin")
    crank.join("planar.Revolute", "rod.p2", "slider.p1", name="slider pin")
    crank.join("planar.Translational", "ground.p1", "slider.p2", name="guide")
    for axis, late in (("x", 0.0), ("y", np.pi / 2)):
        for order, suffix in enumerate(("", ".rate", ".acceleration")):
            size, phase = RADIUS * SPEED**order, order * np.pi / 2 - late
            crank.drive(f"crank.{axis}{suffix}", lambda t, size=size, phase=phase: size * np.cos(SPEED * t + phase))
    return crank


@dataclass(frozen=True)
class Crank:
    """The equations of the test set, with accelerations and multipliers from positions and speeds: angles of crank and rod, place of the slider, q."""

    modes: Modes

    def constraint(self, t: float, p: Array) -> tuple[Array, Array]:
        """Returns the constraints and their slopes."""
        crank, rod, x, reach = p[0], p[1], p[2], LENGTH + p[6]
        g = np.array([RADIUS * np.sin(crank) + reach * np.sin(rod), x - RADIUS * np.cos(crank) - reach * np.cos(rod), crank - SPEED * t])
        G = np.zeros((3, 7))
        G[0, [0, 1, 6]] = RADIUS * np.cos(crank), reach * np.cos(rod), np.sin(rod)
        G[1, [0, 1, 2, 6]] = RADIUS * np.sin(crank), reach * np.sin(rod), 1, -np.cos(rod)
        G[2, 0] = 1
        return g, G

    def accelerations(self, t: float, p: Array, v: Array) -> tuple[Array, Array]:
        """Returns the accelerations and the multipliers."""
        d, q, rate, va, vb = self.modes, p[3:], v[3:], v[0], v[1]
        c, s = np.cos(p[0] - p[1]), np.sin(p[0] - p[1])
        M = np.zeros((7, 7))
        M[0, 0] = CRANK_INERTIA + ROD * RADIUS**2
        M[0, 1] = RADIUS * (c * d.first + s * d.across @ q + c * d.along @ q)
        M[1, 1] = d.inertia + q @ d.M @ q + 2 * d.stretched @ q
        M[2, 2] = SLIDER
        M[0, 3:], M[1, 3:], M[3:, 3:] = RADIUS * (c * d.across - s * d.along), d.turned + q @ d.B, d.M
        M = np.triu(M) + np.triu(M, 1).T
        f = np.zeros(7)
        f[0] = RADIUS * vb * (vb * (c * d.across @ q - s * (d.first + d.along @ q)) - 2 * (c * d.along + s * d.across) @ rate)
        f[1] = RADIUS * va**2 * (s * (d.first + d.along @ q) - c * d.across @ q) - 2 * vb * (d.stretched @ rate + rate @ d.M @ q)
        f[3:] = vb**2 * (d.M @ q + d.stretched) + RADIUS * va**2 * (c * d.along + s * d.across) + 2 * vb * d.B @ rate - d.K @ q
        reach = LENGTH + p[6]
        bias = np.zeros(3)
        bias[0] = -RADIUS * np.sin(p[0]) * va**2 - reach * np.sin(p[1]) * vb**2 + 2 * vb * np.cos(p[1]) * v[6]
        bias[1] = RADIUS * np.cos(p[0]) * va**2 + reach * np.cos(p[1]) * vb**2 + 2 * vb * np.sin(p[1]) * v[6]
        G = self.constraint(t, p)[1]
        found = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((3, 3))]]), np.r_[f, -bias])
        return found[:7], found[7:]

    def projected(self, t: float, p: Array, v: Array) -> tuple[Array, Array]:
        """Returns positions and speeds that satisfy the constraints."""
        for _ in range(3):
            g, G = self.constraint(t, p)
            p = p - np.linalg.lstsq(G, g, rcond=None)[0]
        G = self.constraint(t, p)[1]
        return p, v - np.linalg.lstsq(G, G @ v - np.array([0, 0, SPEED]), rcond=None)[0]

    def run(self, stop: float, *, rounded: bool = False, step: float = 1e-3) -> Array:
        """Returns the values of ``PRINTED`` at ``stop``, with a projection after each ``step``; from the ``rounded`` start of the test set if
        wanted."""
        reach = LENGTH + AMPLITUDES[3]
        place, turn = ROUNDED if rounded else (RADIUS + reach, -RADIUS * SPEED / reach)
        p, v = np.array([0, 0, place, *AMPLITUDES]), np.array([SPEED, turn, RATES[3], *RATES])
        for k in range(round(stop / step)):

            def rates(t: float, y: Array) -> Array:
                return np.r_[y[7:], self.accelerations(t, y[:7], y[7:])[0]]

            y = solve_ivp(rates, (k * step, (k + 1) * step), np.r_[p, v], method="DOP853", rtol=1e-11, atol=1e-15).y[:, -1]
            p, v = self.projected((k + 1) * step, y[:7], y[7:])
        return np.r_[p[1:], v[1:4], self.accelerations(stop, p, v)[1]]
