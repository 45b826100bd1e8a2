"""Reference solutions of planar mechanisms in minimal coordinates: no absolute coordinates, no multipliers, no constraints.

Points of the plane are complex numbers here. The coordinate of a mechanism with one degree of freedom is its angle q. Every mass centre
and every angle is an explicit function of q with two derivatives by hand. Lagrange's equation for q is I(q) q'' + I'(q) q'^2 / 2 + V'(q)
= Q, with the effective inertia I(q) = sum of m |z'(q)|^2 + J theta'(q)^2. The double pendulum has Lagrange's equations in its two
angles. A closed form is used where one exists, otherwise SciPy integrates at rtol 1e-13.

Each oracle also lists the mechanism as ``parts`` (name: component and start values) and ``connections``, which are therefore written
only once. A rod's angle is that of its axis, from its first point to its second, against the absolute x axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.support.oracles.motion import (
    NONE,
    ONE,
    Connections,
    Motion,
    OneAngle,
    Oracle,
    Parts,
    Pose,
    integrate,
    swing,
    turned,
)


@dataclass(frozen=True)
class Rod:
    """A rod between two points; slender and uniform where nothing else is said."""

    length: float = 1.0
    m: float = 1.0
    inertia: float | None = None
    """Moment of inertia about the mass centre."""
    centre: float | None = None
    """Distance of the mass centre from the first point; it lies on the axis."""

    @property
    def J(self) -> float:
        return self.m * self.length**2 / 12 if self.inertia is None else self.inertia

    @property
    def c(self) -> float:
        return self.length / 2 if self.centre is None else self.centre

    def part(self, g: float, start: Mapping[str, float]) -> tuple[str, dict[str, float]]:
        """Returns the rod as a component: p1 is the first point, p2 the second."""
        return "planar.Body2", {"m": self.m, "I": self.J, "gy": -g, "p1.rx": -self.c, "p2.rx": self.length - self.c, **start}


@dataclass(frozen=True)
class Pendulum(OneAngle):
    """Rod pinned at its first point at the origin; closed form, for any amplitude and for rotation."""

    rod: Rod = Rod()
    angle: float = 0.0
    speed: float = 0.0
    g: float = 9.81

    @property
    def frequency(self) -> float:
        """Frequency of small oscillations, in rad/s."""
        return float(np.sqrt(self.rod.m * self.g * self.rod.c / (self.rod.J + self.rod.m * self.rod.c**2)))

    @property
    def masses(self) -> dict[str, tuple[float, float]]:
        return {"rod": (self.rod.m, self.rod.J)}

    def poses(self, q: np.ndarray) -> dict[str, Pose]:
        theta = (q, ONE, NONE)
        return {"rod": Pose(turned(self.rod.c, theta), theta)}

    def angles(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        phi, omega = swing(times, self.angle + np.pi / 2, self.speed, self.frequency)
        return phi - np.pi / 2, omega

    def reaction(self, times: Sequence[float]) -> np.ndarray:
        """Force of the pin on the rod, absolute, one row per instant; it is N.Fx, N.Fy of the joint, and its two multipliers."""
        rod = self.motion(times)["rod"]
        return self.rod.m * np.column_stack([rod.ax, rod.ay + self.g])

    @property
    def parts(self) -> Parts:
        return {"ground": ("planar.Fixed", {}), "pin": ("planar.Revolute", {}), "rod": self.rod.part(self.g, self.start["rod"])}

    @property
    def connections(self) -> Connections:
        return [("ground.p1", "pin.M"), ("rod.p1", "pin.N")]


@dataclass(frozen=True)
class DoublePendulum(Oracle):
    """Two rods, the first pinned at the origin, the second at the end of the first: Lagrange's equations in both angles."""

    rods: tuple[Rod, Rod] = (Rod(), Rod())
    angles: tuple[float, float] = (0.0, 0.0)
    speeds: tuple[float, float] = (0.0, 0.0)
    g: float = 9.81

    @property
    def masses(self) -> dict[str, tuple[float, float]]:
        return {f"rod{k}": (rod.m, rod.J) for k, rod in enumerate(self.rods, start=1)}

    def accelerations(self, q1: np.ndarray, q2: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, second = self.rods
        J1 = first.J + first.m * first.c**2 + second.m * first.length**2
        J2 = second.J + second.m * second.c**2
        coupling = second.m * first.length * second.c * np.cos(q1 - q2)
        twist = second.m * first.length * second.c * np.sin(q1 - q2)
        Q1 = -twist * w2**2 - (first.m * first.c + second.m * first.length) * self.g * np.cos(q1)
        Q2 = twist * w1**2 - second.m * second.c * self.g * np.cos(q2)
        determinant = J1 * J2 - coupling**2
        return (J2 * Q1 - coupling * Q2) / determinant, (J1 * Q2 - coupling * Q1) / determinant

    def motion(self, times: Sequence[float]) -> dict[str, Motion]:
        start = [*self.angles, *self.speeds]
        q1, q2, w1, w2 = integrate(lambda _, s: np.array([s[2], s[3], *self.accelerations(*s)]), start, times).T
        (first, second), (a1, a2) = self.rods, self.accelerations(q1, q2, w1, w2)
        along = []
        for q, w, a in ((q1, w1, a1), (q2, w2, a2)):
            unit = np.exp(1j * q)
            along.append(np.array([unit, 1j * w * unit, (1j * a - w**2) * unit]))
        z1, v1, c1 = first.c * along[0]
        z2, v2, c2 = first.length * along[0] + second.c * along[1]
        return {
            "rod1": Motion(z1.real, z1.imag, q1, v1.real, v1.imag, w1, c1.real, c1.imag, a1),
            "rod2": Motion(z2.real, z2.imag, q2, v2.real, v2.imag, w2, c2.real, c2.imag, a2),
        }

    @property
    def parts(self) -> Parts:
        return {
            "ground": ("planar.Fixed", {}),
            "pin1": ("planar.Revolute", {}),
            "pin2": ("planar.Revolute", {}),
            **{name: rod.part(self.g, self.start[name]) for name, rod in zip(("rod1", "rod2"), self.rods, strict=True)},
        }

    @property
    def connections(self) -> Connections:
        return [("ground.p1", "pin1.M"), ("rod1.p1", "pin1.N"), ("rod1.p2", "pin2.M"), ("rod2.p1", "pin2.N")]


@dataclass(frozen=True)
class SliderCrank(OneAngle):
    """Crank pinned at the origin, connecting rod, and slider on the line y = offset, with x ahead of the crank pin.

    One angle, the crank's; a constant torque on the crank, and a spring on the slider, stiffness (x - rest).
    """

    crank: Rod = Rod(0.5)
    rod: Rod = Rod(1.2)
    slider: float = 1.0
    """Mass of the slider."""
    offset: float = 0.0
    torque: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    angle: float = 0.0
    speed: float = 0.0
    g: float = 9.81

    @property
    def masses(self) -> dict[str, tuple[float, float]]:
        return {"crank": (self.crank.m, self.crank.J), "rod": (self.rod.m, self.rod.J), "slider": (self.slider, 1.0)}

    def poses(self, q: np.ndarray) -> dict[str, Pose]:
        a, b = self.crank.length, self.rod.length
        # a sin q + b sin phi = offset, and cos phi > 0.
        phi = np.arcsin((self.offset - a * np.sin(q)) / b)
        phi1 = -a * np.cos(q) / (b * np.cos(phi))
        phi2 = (a * np.sin(q) + b * np.sin(phi) * phi1**2) / (b * np.cos(phi))
        crank, rod = (q, ONE, NONE), (phi, phi1, phi2)
        pin = turned(a, crank)
        return {
            "crank": Pose(turned(self.crank.c, crank), crank),
            "rod": Pose(pin + turned(self.rod.c, rod), rod),
            "slider": Pose(pin + turned(b, rod), (NONE, NONE, NONE)),
        }

    def effort(self, q: np.ndarray, poses: Mapping[str, Pose]) -> np.ndarray:
        x, x1, _ = (part.real for part in poses["slider"].z)
        return self.torque - self.stiffness * (x - self.rest) * x1

    def stored(self, motions: Mapping[str, Motion]) -> np.ndarray:
        """The spring, and the torque, whose potential is that of a weight on a drum."""
        return self.stiffness * (motions["slider"].x - self.rest) ** 2 / 2 - self.torque * motions["crank"].theta

    @property
    def parts(self) -> Parts:
        pins = {name: ("planar.Revolute", {}) for name in ("main", "big_end", "small_end")}
        return {
            "ground": ("planar.Fixed", {}),
            "rail": ("planar.Fixed", {"p1.ry": self.offset}),
            **pins,
            "guide": ("planar.Translational", {"translation.k": self.stiffness, "translation.rest": self.rest}),
            "motor": ("planar.Wrench", {"Cz": self.torque}),
            "crank": self.crank.part(self.g, self.start["crank"]),
            "rod": self.rod.part(self.g, self.start["rod"]),
            "slider": ("planar.Body2", {"m": self.slider, "I": 1.0, "gy": -self.g, **self.start["slider"]}),
        }

    @property
    def connections(self) -> Connections:
        return [
            ("ground.p1", "main.M"),
            ("crank.p1", "main.N"),
            ("crank.p1", "motor.M"),
            ("crank.p2", "big_end.M"),
            ("rod.p1", "big_end.N"),
            ("rod.p2", "small_end.M"),
            ("slider.p1", "small_end.N"),
            ("rail.p1", "guide.M"),
            ("slider.p2", "guide.N"),
        ]


@dataclass(frozen=True)
class FourBar(OneAngle):
    """Crank pinned at the origin, coupler, and rocker pinned at (ground, 0); its first point is the one on the ground.

    One angle, the crank's. The loop is closed by the law of cosines in the triangle of coupler, rocker and diagonal, with the
    joint between them to the left of the diagonal as seen from the crank, or to its right. The angles are continuous as long as
    the diagonal, from the end of the crank to the rocker's bearing, does not point to -x: for any crank shorter than the ground.
    Coupler and rocker must not come into line, since the crank's angle has an extremum there.
    """

    crank: Rod = Rod(0.4)
    coupler: Rod = Rod(1.1)
    rocker: Rod = Rod(0.8)
    ground: float = 1.0
    left: bool = True
    angle: float = 0.0
    speed: float = 0.0
    g: float = 9.81

    @property
    def masses(self) -> dict[str, tuple[float, float]]:
        return {name: (rod.m, rod.J) for name, rod in self._rods.items()}

    @property
    def _rods(self) -> dict[str, Rod]:
        return {"crank": self.crank, "coupler": self.coupler, "rocker": self.rocker}

    def poses(self, q: np.ndarray) -> dict[str, Pose]:
        a, b, c = self.crank.length, self.coupler.length, self.rocker.length
        diagonal = self.ground - a * np.exp(1j * q)
        r, direction, side = np.abs(diagonal), np.angle(diagonal), 1 if self.left else -1
        phi = direction + side * np.arccos((b**2 + r**2 - c**2) / (2 * b * r))
        psi = direction + side * (np.pi - np.arccos((c**2 + r**2 - b**2) / (2 * c * r)))
        # The loop a e^(iq) + b e^(i phi) = ground + c e^(i psi), differentiated once and twice, seen along e^(i psi) and e^(i phi).
        sine, cosine = np.sin(phi - psi), np.cos(phi - psi)
        phi1 = a * np.sin(psi - q) / (b * sine)
        psi1 = a * np.sin(phi - q) / (c * sine)
        phi2 = (c * psi1**2 - a * np.cos(q - psi) - b * phi1**2 * cosine) / (b * sine)
        psi2 = (c * psi1**2 * cosine - a * np.cos(q - phi) - b * phi1**2) / (c * sine)
        crank, coupler, rocker = (q, ONE, NONE), (phi, phi1, phi2), (psi, psi1, psi2)
        bearing = np.array([self.ground + 0 * diagonal, 0 * diagonal, 0 * diagonal])
        return {
            "crank": Pose(turned(self.crank.c, crank), crank),
            "coupler": Pose(turned(a, crank) + turned(self.coupler.c, coupler), coupler),
            "rocker": Pose(bearing + turned(self.rocker.c, rocker), rocker),
        }

    @property
    def parts(self) -> Parts:
        return {
            "ground1": ("planar.Fixed", {}),
            "ground2": ("planar.Fixed", {"p1.rx": self.ground}),
            **{f"pin{k}": ("planar.Revolute", {}) for k in (1, 2, 3, 4)},
            **{name: rod.part(self.g, self.start[name]) for name, rod in self._rods.items()},
        }

    @property
    def connections(self) -> Connections:
        return [
            ("ground1.p1", "pin1.M"),
            ("crank.p1", "pin1.N"),
            ("crank.p2", "pin2.M"),
            ("coupler.p1", "pin2.N"),
            ("coupler.p2", "pin3.M"),
            ("rocker.p2", "pin3.N"),
            ("ground2.p1", "pin4.M"),
            ("rocker.p1", "pin4.N"),
        ]


@dataclass(frozen=True)
class ParallelFourBars(OneAngle):
    """A row of loops of equal rods, as in the IFToMM benchmark: rod0 to rodN pinned to the ground, coupler1 to couplerN on top.

    As long as the loops stay parallelograms the rods share the angle and the couplers translate. The row is then a pendulum of the
    effective inertia (N + 1) (J + m c^2) + N m L^2 and the effective moment (N + 1) m c + N m L; closed form. Where the rods lie along
    the couplers the mechanism may leave this motion; this oracle stays on it.
    """

    loops: int = 1
    rod: Rod = Rod()
    angle: float = np.pi / 2
    speed: float = -1.0
    g: float = 9.81

    @property
    def masses(self) -> dict[str, tuple[float, float]]:
        count = self.loops
        names = [f"rod{k}" for k in range(count + 1)] + [f"coupler{k}" for k in range(1, count + 1)]
        return dict.fromkeys(names, (self.rod.m, self.rod.J))

    @property
    def frequency(self) -> float:
        """Frequency of small oscillations about the rods hanging down, in rad/s."""
        rod, count = self.rod, self.loops
        inertia = (count + 1) * (rod.J + rod.m * rod.c**2) + count * rod.m * rod.length**2
        moment = (count + 1) * rod.m * rod.c + count * rod.m * rod.length
        return float(np.sqrt(self.g * moment / inertia))

    def poses(self, q: np.ndarray) -> dict[str, Pose]:
        L, theta = self.rod.length, (q, ONE, NONE)
        poses = {}
        for k in range(self.loops + 1):
            bearing = np.array([k * L + 0 * q, 0 * q, 0 * q])
            poses[f"rod{k}"] = Pose(bearing + turned(self.rod.c, theta), theta)
            if k < self.loops:
                poses[f"coupler{k + 1}"] = Pose(
                    bearing + turned(L, theta) + np.array([self.rod.c + 0 * q, 0 * q, 0 * q]), (NONE, NONE, NONE)
                )
        return poses

    def angles(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        phi, omega = swing(times, self.angle + np.pi / 2, self.speed, self.frequency)
        return phi - np.pi / 2, omega

    @property
    def parts(self) -> Parts:
        parts: Parts = {}
        for k in range(self.loops + 1):
            parts[f"ground{k}"] = ("planar.Fixed", {"p1.rx": k * self.rod.length})
            parts[f"bearing{k}"] = ("planar.Revolute", {})
        for name in self.masses:
            parts[name] = self.rod.part(self.g, self.start[name])
        for k in range(1, self.loops + 1):
            parts[f"left{k}"] = parts[f"right{k}"] = ("planar.Revolute", {})
        return parts

    @property
    def connections(self) -> Connections:
        pairs: Connections = []
        for k in range(self.loops + 1):
            pairs += [(f"ground{k}.p1", f"bearing{k}.M"), (f"rod{k}.p1", f"bearing{k}.N")]
        for k in range(1, self.loops + 1):
            pairs += [(f"rod{k - 1}.p2", f"left{k}.M"), (f"coupler{k}.p1", f"left{k}.N")]
            pairs += [(f"coupler{k}.p2", f"right{k}.M"), (f"rod{k}.p2", f"right{k}.N")]
        return pairs
