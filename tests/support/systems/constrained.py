"""Bodies and joints as NumPy arrays: violations, gradients G, mobilities V, and poses projected onto the constraints.

Nothing of the library is in here. A planar mechanism is a spatial one of which only x, y and the angle about z move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

GROUND = -1
_EXACT = 4 * np.finfo(float).eps


@dataclass(frozen=True)
class Joint:
    """A joint between bodies `a` and `b`, at a point and about an axis of the world in the pose in which it is made.

    An offset moves its point on `b` so far to the side: the pose violates it.
    """

    kind: str
    a: int
    b: int
    point: Sequence[float]
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    offset: Sequence[float] = (0.0, 0.0, 0.0)


def frame_of(axis: Sequence[float]) -> np.ndarray:
    """Rows: two directions across the axis, and the axis."""
    along = np.asarray(axis, float) / np.linalg.norm(axis)
    across = np.cross(along, (1, 0, 0) if abs(along[0]) < 0.7 else (0, 1, 0))
    across /= np.linalg.norm(across)
    return np.array([across, np.cross(along, across), along])


_WORLD = np.eye(3)


class Mechanism:
    """Bodies with centres, masses and principal moments of inertia, in one pose.

    A row of its constraints either is the distance of two points along a direction that is fixed on the world or on `a`, or is the
    product of a direction on `a` and one on `b`.
    """

    def __init__(
        self, centres: np.ndarray, masses: Sequence[float], inertias: Sequence, joints: Sequence[Joint], *, planar: bool = False
    ) -> None:
        self.planar, self.joints = planar, list(joints)
        self.bodies = len(centres)
        self.masses = np.asarray(masses, float)
        self.inertias = np.array([np.broadcast_to(i, 3) for i in inertias], float)
        self.x = np.vstack([np.asarray(centres, float), np.zeros(3)])  # the ground comes last, which is index -1
        self.origin = self.x.copy()
        """Origins of the frames of bodies in the pose in which joints are made."""
        self.r = np.tile(np.eye(3), (self.bodies + 1, 1, 1))
        self.size = float(np.abs([*self.x, *(joint.point for joint in joints)]).max())
        self.joint: list[int] = []  # of each row
        self._rows: list[tuple] = []
        for number, joint in enumerate(joints):
            self._add(number, joint)
        by_row = list(zip(*self._rows, strict=True))
        self._a, self._b, self._on = (np.array(part) for part in by_row[:3])
        self._point_a, self._point_b, self._direction, self._other = (np.array(part) for part in by_row[3:7])
        self._distance = np.array(by_row[7])

    def _add(self, number: int, joint: Joint) -> None:
        a, b, point = joint.a, joint.b, np.asarray(joint.point, float)
        frame, zero = frame_of(joint.axis), np.zeros(3)
        point_a, point_b = point - self.x[a], point + joint.offset - self.x[b]

        def distance(direction: np.ndarray, on: int) -> None:
            self._rows.append((a, b, on, point_a, point_b, direction, zero, True))
            self.joint.append(number)

        def product(p: np.ndarray, q: np.ndarray) -> None:
            self._rows.append((a, b, a, zero, zero, p, q, False))
            self.joint.append(number)

        across, aslant, along = frame
        if joint.kind in ("pin", "spherical", "revolute", "weld"):
            for direction in _WORLD[: 2 if self.planar else 3]:
                distance(direction, GROUND)
        if joint.kind == "prismatic":
            distance(across, a)
            distance(aslant, a)
        if joint.kind in ("revolute", "weld", "prismatic") and not self.planar:
            product(across, along)
            product(aslant, along)
        if joint.kind in ("weld", "prismatic"):
            product(across, aslant)

    @cached_property
    def _moving(self) -> np.ndarray:
        """The columns of the coordinates that there are."""
        return np.array([6 * i + k for i in range(self.bodies) for k in ((0, 1, 5) if self.planar else range(6))], int)

    @cached_property
    def groups(self) -> list[int]:
        """Group of each coordinate: twice its body, and one more for its rotation."""
        return [int(2 * (c // 6) + (c % 6 > 2)) for c in self._moving]

    @cached_property
    def _row_indices(self) -> list[np.ndarray]:
        """Row indices of joints with equal numbers of rows: joints by rows."""
        joint = np.array(self.joint)
        rows = [np.flatnonzero(joint == j) for j in range(joint.max() + 1)]
        return [np.array([r for r in rows if len(r) == n]) for n in sorted({len(r) for r in rows})]

    def _placed(self) -> tuple[np.ndarray, ...]:
        a, b = self._a, self._b
        arm_a = np.einsum("kij,kj->ki", self.r[a], self._point_a)
        arm_b = np.einsum("kij,kj->ki", self.r[b], self._point_b)
        p = np.einsum("kij,kj->ki", self.r[self._on], self._direction)
        q = np.einsum("kij,kj->ki", self.r[b], self._other)
        return arm_a, arm_b, p, q, self.x[b] + arm_b - self.x[a] - arm_a

    def violations(self) -> np.ndarray:
        """Returns the violations by row."""
        _, _, p, q, apart = self._placed()
        return np.where(self._distance, (p * apart).sum(1), (p * q).sum(1))

    def sizes(self) -> np.ndarray:
        """Returns the sizes from which the violations are computed, by row."""
        arm_a, arm_b, _, _, _ = self._placed()
        lengths = sum(np.linalg.norm(part, axis=1) for part in (arm_a, arm_b, self.x[self._a], self.x[self._b]))
        return np.where(self._distance, lengths, 1.0)

    def geometry(self) -> tuple[np.ndarray, np.ndarray]:
        """Violations and G."""
        arm_a, arm_b, p, q, apart = self._placed()
        distance, rows = self._distance[:, None], np.arange(len(p))
        pq = np.cross(p, q)
        turned = np.where(distance & (self._on == self._a)[:, None], np.cross(p, apart), 0)  # the direction turns with a
        g = np.zeros((len(p), self.bodies + 1, 2, 3))
        np.add.at(g, (rows, self._a), np.stack([np.where(distance, -p, 0), np.where(distance, turned - np.cross(arm_a, p), pq)], 1))
        np.add.at(g, (rows, self._b), np.stack([np.where(distance, p, 0), np.where(distance, np.cross(arm_b, p), -pq)], 1))
        values = np.where(self._distance, (p * apart).sum(1), (p * q).sum(1))
        return values, g[:, :-1].reshape(len(p), -1)[:, self._moving]

    def mobility(self, g: np.ndarray) -> np.ndarray:
        """V = inv(M) G', by the rows of G."""
        full = np.zeros((len(g), 6 * self.bodies))
        full[:, self._moving] = g
        full = full.reshape(len(g), self.bodies, 2, 3)
        r = self.r[:-1]
        full[:, :, 0] /= self.masses[:, None]
        full[:, :, 1] = np.einsum("bij,kbj->kbi", np.einsum("bij,bj,bkj->bik", r, 1 / self.inertias, r), full[:, :, 1])
        return full.reshape(len(g), -1)[:, self._moving]

    def move(self, step: np.ndarray) -> None:
        """Moves the bodies by a step of the coordinates: translations and small rotations."""
        full = np.zeros(6 * self.bodies)
        full[self._moving] = step
        moved = full.reshape(-1, 6)
        self.x = self.x.copy()
        self.x[:-1] += moved[:, :3]
        angle = np.linalg.norm(moved[:, 3:], axis=1)
        k = np.zeros((self.bodies, 3, 3))
        for i, j, n, sign in ((0, 1, 2, -1), (0, 2, 1, 1), (1, 2, 0, -1)):
            k[:, i, j], k[:, j, i] = sign * moved[:, 3 + n], -sign * moved[:, 3 + n]
        turn = np.eye(3) + np.sinc(angle / np.pi)[:, None, None] * k + np.sinc(angle / 2 / np.pi)[:, None, None] ** 2 / 2 * (k @ k)
        self.r = self.r.copy()
        self.r[:-1] = turn @ self.r[:-1]

    def disturb(self, random: np.random.Generator, distance: float) -> None:
        """Moves every body by about this part of the size."""
        unit = np.array([self.size if c % 6 < 3 else 1.0 for c in self._moving])
        self.move(distance * unit * random.normal(size=len(unit)))

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the pose for ``set_pose``."""
        return self.x, self.r

    def set_pose(self, pose: tuple[np.ndarray, np.ndarray]) -> None:
        """Restores a pose."""
        self.x, self.r = pose

    def _equilibration(self, s: np.ndarray) -> np.ndarray:
        """B with unit matrices on the diagonal of B S B', joint by joint."""
        b = np.zeros_like(s)
        for rows in self._row_indices:
            block = s[rows[:, :, None], rows[:, None, :]]
            scale = 1 / np.sqrt(np.einsum("kii->ki", block))
            block = block * scale[:, :, None] * scale[:, None, :]
            try:
                lower = np.linalg.cholesky(block)
                b[rows[:, :, None], rows[:, None, :]] = np.linalg.inv(lower) * scale[:, None, :]
            except np.linalg.LinAlgError:
                b[rows, rows] = scale
        return b

    def project(self, most: int = 60) -> float:
        """Moves the pose onto the constraints, in the metric of the masses, by damped steps until they make nothing better.

        Returns the greatest violation that is left, as a part of what it is computed from.
        """
        damping, sizes, history = 1e-6, self.sizes(), []
        f, g = self.geometry()
        for _ in range(most):
            history.append(float(np.abs(f / sizes).max()))
            if history[-1] <= _EXACT or (len(history) > 6 and min(history[-5:]) >= 0.5 * min(history[:-5])):
                break
            v = self.mobility(g)
            s = v @ g.T
            b = self._equilibration(s)
            y, s = b @ f, b @ s @ b.T
            values, vectors = np.linalg.eigh(s)
            z = vectors @ ((vectors.T @ y) / (np.maximum(values, 0) + damping))
            before, predicted, here = np.linalg.norm(y), np.linalg.norm(y - s @ z), self.pose()
            self.move(-(z @ b) @ v)
            new_f, new_g = self.geometry()
            after = np.linalg.norm(b @ new_f)
            gain = (before - after) / max(before - predicted, 1e-300)
            if after <= before:
                f, g = new_f, new_g
            else:
                self.set_pose(here)
            if after >= before * (1 - 1e-3):
                damping = min(100 * damping, 1e3)
            elif gain > 0.7:
                damping = max(damping / 100, 1e-16)
            elif gain < 0.2:
                damping = min(10 * damping, 1.0)
        return history[-1]
