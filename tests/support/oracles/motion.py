"""Base of reference solutions: motions of bodies from few coordinates, integrated with tight tolerances or in closed form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipkinc

Parts = dict[str, tuple[str, dict[str, float]]]
Connections = list[tuple[str, str]]
STATES = ("x", "y", "theta", "vx", "vy", "omega")


@dataclass(frozen=True)
class Motion:
    """Motion of a body's mass centre and of its angle, at many instants."""

    x: np.ndarray
    y: np.ndarray
    theta: np.ndarray
    vx: np.ndarray
    vy: np.ndarray
    omega: np.ndarray
    ax: np.ndarray
    ay: np.ndarray
    alpha: np.ndarray

    @property
    def states(self) -> np.ndarray:
        """One row per instant, the columns being STATES."""
        return np.column_stack([getattr(self, name) for name in STATES])

    @property
    def start(self) -> dict[str, float]:
        """Start values of a body for the first instant."""
        return {name: float(getattr(self, name)[0]) for name in STATES}

    def at(self, along: complex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and acceleration, as complex numbers, of a point of the body given in the body's frame."""
        arm = along * np.exp(1j * self.theta)
        return (
            self.x + 1j * self.y + arm,
            self.vx + 1j * self.vy + 1j * self.omega * arm,
            self.ax + 1j * self.ay + (1j * self.alpha - self.omega**2) * arm,
        )


@dataclass(frozen=True)
class Pose:
    """Mass centre and angle of a body as functions of q, each with its first and second derivative."""

    z: tuple[np.ndarray, np.ndarray, np.ndarray]
    theta: tuple[np.ndarray, np.ndarray, np.ndarray]

    def motion(self, qd: np.ndarray, qdd: np.ndarray) -> Motion:
        (z, z1, z2), (theta, theta1, theta2) = self.z, self.theta
        v, a = z1 * qd, z1 * qdd + z2 * qd**2
        rotation = (theta, theta1 * qd, theta1 * qdd + theta2 * qd**2)
        values = (z.real, z.imag, rotation[0], v.real, v.imag, rotation[1], a.real, a.imag, rotation[2])
        # A body that only translates gives numbers where others give arrays.
        return Motion(*(np.broadcast_to(value, np.shape(qd)).astype(float) for value in values))


def turned(length: float, angle: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """The vector of a length at an angle that depends on q, with its first and second derivative."""
    phi, phi1, phi2 = angle
    vector = length * np.exp(1j * phi)
    return np.array([vector, 1j * phi1 * vector, (1j * phi2 - phi1**2) * vector])


def integrate(rates: Callable[[float, np.ndarray], np.ndarray], start: Sequence[float], times: Sequence[float]) -> np.ndarray:
    """Solution at ascending times from 0 on, one row each; steps end there, since interpolation would be less exact."""
    rows, now, state = [], 0.0, np.array(start, dtype=float)

    def checked(time: float, state: np.ndarray) -> np.ndarray:
        result = rates(time, state)
        # SciPy would halve its steps for ever.
        assert np.isfinite(result).all(), f"at t = {time} the angles {state} are none of the mechanism"
        return result

    for time in times:
        if time > now:
            solution = solve_ivp(checked, (now, time), state, method="DOP853", rtol=1e-13, atol=1e-14)
            assert solution.success, solution.message
            now, state = time, solution.y[:, -1]
        rows.append(state)
    return np.array(rows)


def swing(times: np.ndarray, phi: float, omega: float, frequency: float) -> tuple[np.ndarray, np.ndarray]:
    """Angle and angular velocity of phi'' = -frequency^2 sin(phi), in Jacobi's elliptic functions: swinging or going round."""
    modulus = np.hypot(np.sin(phi / 2), omega / (2 * frequency))
    if modulus <= 1:
        turns = 2 * np.pi * np.round(phi / (2 * np.pi))
        phase = np.arctan2(np.sin((phi - turns) / 2), omega / (2 * frequency))
        sn, cn, dn, _ = ellipj(frequency * times + ellipkinc(phase, modulus**2), modulus**2)
        return turns + 2 * np.arctan2(modulus * sn, dn), 2 * modulus * frequency * cn
    sense = np.copysign(1.0, omega)
    _, _, dn, half = ellipj(sense * modulus * frequency * times + ellipkinc(phi / 2, modulus**-2), modulus**-2)
    return 2 * half, 2 * sense * modulus * frequency * dn


class Oracle(ABC):
    """The interface of every reference solution."""

    g: float

    @property
    @abstractmethod
    def masses(self) -> dict[str, tuple[float, float]]:
        """Mass and moment of inertia of every body."""

    @abstractmethod
    def motion(self, times: Sequence[float]) -> dict[str, Motion]:
        """Every body at ascending times from 0 on."""

    @property
    @abstractmethod
    def parts(self) -> Parts:
        """The mechanism's components with their parameters and start values."""

    @property
    @abstractmethod
    def connections(self) -> Connections:
        """The ports that are connected."""

    @cached_property
    def start(self) -> dict[str, dict[str, float]]:
        """Start values of every body's states."""
        return {name: motion.start for name, motion in self.motion([0.0]).items()}

    def energy(self, times: Sequence[float]) -> np.ndarray:
        """Kinetic and potential energy of all bodies, and of what else stores energy."""
        motions = self.motion(times)
        total = np.zeros(len(times))
        for name, (m, J) in self.masses.items():
            b = motions[name]
            total += m * (b.vx**2 + b.vy**2) / 2 + J * b.omega**2 / 2 + m * self.g * b.y
        return total + self.stored(motions)

    def stored(self, motions: Mapping[str, Motion]) -> np.ndarray | float:
        """Potential energy beside that of gravity."""
        return 0.0


class OneAngle(Oracle):
    """A mechanism with one degree of freedom, the angle q."""

    angle: float
    speed: float

    @abstractmethod
    def poses(self, q: np.ndarray) -> dict[str, Pose]:
        """Every body's pose."""

    def effort(self, q: np.ndarray, poses: Mapping[str, Pose]) -> np.ndarray | float:
        """Generalised force on q beside gravity."""
        return 0.0

    def acceleration(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Returns q'' by Lagrange's equation."""
        poses = self.poses(q)
        inertia, half_slope, weight = 0.0, 0.0, 0.0
        for name, (m, J) in self.masses.items():
            (_, z1, z2), (_, theta1, theta2) = poses[name].z, poses[name].theta
            inertia = inertia + m * np.abs(z1) ** 2 + J * theta1**2
            half_slope = half_slope + m * (z1.conjugate() * z2).real + J * theta1 * theta2
            weight = weight + m * self.g * z1.imag
        return (self.effort(q, poses) - half_slope * qd**2 - weight) / inertia

    def angles(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns q and its rate."""
        rows = integrate(lambda _, s: np.array([s[1], self.acceleration(s[0], s[1])]), [self.angle, self.speed], times)
        return rows[:, 0], rows[:, 1]

    def motion(self, times: Sequence[float]) -> dict[str, Motion]:
        q, qd = self.angles(np.asarray(times, dtype=float))
        qdd = self.acceleration(q, qd)
        return {name: pose.motion(qd, qdd) for name, pose in self.poses(q).items()}


ONE, NONE = np.float64(1.0), np.float64(0.0)


def deviation(motions: Mapping[str, Motion], read: Callable[[str], np.ndarray]) -> float:
    """The greatest difference from simulated states; ``read`` gives the values of a variable such as rod.theta at the same times."""
    return max(
        float(np.abs(getattr(motion, state) - read(f"{name}.{state}")).max()) for name, motion in motions.items() for state in STATES
    )
