"""The systems by which rank and contradictions are decided: 298 whose rank is known, and 738 decisions on whether equations hold together.

Classes: `scaled` has no redundancy, but masses to 1e10, m L^2 / I to 1e12 and lengths from 1e-3 to 1e3; `redundant` has a known one in every
pose; `near` stands beside a singular pose, at which a row becomes redundant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tests.support.systems.constrained import GROUND, Joint, Mechanism

SIZES = (1e-3, 1.0, 1e3)
SEED = 14


@dataclass(frozen=True)
class Case:
    """A mechanism in a pose, how many of its rows repeat others in the projected pose, and how far it is from there."""

    kind: str
    name: str
    mechanism: Mechanism
    redundant: int
    violation: float = 0.0


class Maker:
    """Mechanisms by one random generator."""

    def __init__(self, seed: int = SEED) -> None:
        self.random = np.random.default_rng(seed)

    def between(self, least: float, most: float) -> float:
        """A power of ten with an exponent between these."""
        return float(10 ** self.random.uniform(least, most))

    def orientation(self) -> np.ndarray:
        """Any."""
        return np.linalg.qr(self.random.normal(size=(3, 3)))[0]

    def _bodies(self, lengths: list[float], masses: float, slimness: float) -> tuple[list[float], list[np.ndarray]]:
        m = [self.between(-masses / 2, masses / 2) for _ in lengths]
        shape = np.array([0.1, 0.08, 0.09])
        return m, [k * length**2 * self.between(-slimness, 0) * shape for k, length in zip(m, lengths, strict=True)]

    def chain(self, bodies: int, *, planar: bool, masses: float = 0, slimness: float = 0, lengths: float = 0) -> Mechanism:
        """Returns a chain from the ground to a free end; the options are decades."""
        sizes = [self.between(-lengths / 2, lengths / 2) for _ in range(bodies)]
        directions = self.random.normal(size=(bodies, 3)) * (1, 1, not planar)
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        ends = np.vstack([np.zeros(3), np.cumsum(np.array(sizes)[:, None] * directions, axis=0)])
        kinds = ["pin" if planar else str(self.random.choice(["spherical", "revolute", "weld"])) for _ in sizes]
        joints = [Joint(kinds[i], i - 1, i, ends[i], (0, 0, 1) if planar else self.random.normal(size=3)) for i in range(bodies)]
        m, inertias = self._bodies(sizes, masses, slimness)
        return Mechanism((ends[:-1] + ends[1:]) / 2, m, inertias, joints, planar=planar)

    def alternating(self, bodies: int, decades: float) -> Mechanism:
        """A planar chain of rods, every other of which is that much heavier."""
        chain = self.chain(bodies, planar=True)
        masses = [1.0 if i % 2 else 10**decades for i in range(bodies)]
        return Mechanism(chain.x[:-1], masses, [m / 12 for m in masses], chain.joints, planar=True)

    def thin(self, bodies: int, decades: float) -> Mechanism:
        """A planar chain with moments of inertia of almost nothing."""
        chain = self.chain(bodies, planar=True)
        return Mechanism(chain.x[:-1], [1.0] * bodies, [10**-decades] * bodies, chain.joints, planar=True)

    def plank(self, welds: int, size: float, misfit: float = 0.0) -> Mechanism:
        """Returns a body welded to the ground several times."""
        joints = [
            Joint("weld", GROUND, 0, size * self.random.normal(size=3), offset=(misfit * size * (k == 1), 0, 0)) for k in range(welds)
        ]
        return Mechanism([np.zeros(3)], [self.between(-3, 3)], [size**2 * self.between(-6, 0)], joints)

    def door(self, hinges: int, size: float, misfit: float = 0.0) -> Mechanism:
        """Returns a body on hinges in a line."""
        joints = [Joint("revolute", GROUND, 0, (0, 0, k * size / hinges), offset=(misfit * size * (k == 1), 0, 0)) for k in range(hinges)]
        inertia = size**2 * self.between(-3, 0) * np.array([1, 0.6, 0.5])
        return Mechanism([size * np.array([0.5, 0, 0.5])], [self.between(-3, 3)], [inertia], joints)

    def planar_loop(self, size: float, *, joints: int = 4, masses: float = 0, slimness: float = 0, slide: bool = False) -> Mechanism:
        """A loop in space whose axes are parallel; the last of its joints may slide."""
        angles = np.linspace(0, 2 * np.pi, joints, endpoint=False) + self.random.uniform(-0.4, 0.4, joints)
        turn = self.orientation()
        points = size * np.c_[np.cos(angles), np.sin(angles), 0 * angles] * self.random.uniform(0.7, 1.3, (joints, 1)) @ turn.T
        n = joints - 1
        centres = (points[:n] + points[1:]) / 2 + 0.1 * size * self.random.normal(size=(n, 3))
        m, inertias = self._bodies([size] * n, masses, slimness)
        pairs = [*((i - 1, i) for i in range(n)), (n - 1, GROUND)]
        made = [
            Joint("prismatic", a, b, points[i], points[(i + 1) % joints] - points[i])
            if slide and i == n
            else Joint("revolute", a, b, points[i], turn[:, 2])
            for i, (a, b) in enumerate(pairs)
        ]
        return Mechanism(centres, m, inertias, made)

    def bricard(self, size: float, masses: float = 0) -> Mechanism:
        """The orthogonal linkage of six hinges, that moves though it should not."""
        turn = self.orientation()
        points = size * np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float) @ turn.T
        axes = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2, float) @ turn.T
        m, inertias = self._bodies([size] * 5, masses, 0)
        joints = [Joint("revolute", i - 1, i if i < 5 else GROUND, points[i], axes[i]) for i in range(6)]
        return Mechanism((points[:-1] + points[1:]) / 2, m, inertias, joints)

    def parallelograms(self, count: int, angle: float, size: float = 1.0, masses: float = 0, turned: float = 0.0) -> Mechanism:
        """Links side by side with a coupler between each two, all links at an angle from the line in which they lie when singular."""
        c, s = np.cos(angle), np.sin(angle)
        x, joints = np.zeros((2 * count + 1, 3)), []
        turn = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])

        def pin(a: int, b: int, at: tuple[float, float]) -> None:
            joints.append(Joint("pin", a, b, size * turn @ (*at, 0)))

        for i in range(count + 1):
            x[i] = (i + c / 2, s / 2, 0)
            pin(GROUND, i, (i, 0))
            if i:
                x[count + i] = (i - 0.5 + c, s, 0)
                pin(i - 1, count + i, (i - 1 + c, s))
                pin(i, count + i, (i + c, s))
        m = [self.between(-masses / 2, masses / 2) for _ in x]
        return Mechanism(size * x @ turn.T, m, [k * size**2 / 12 for k in m], joints, planar=True)


def _scaled(make: Maker) -> Iterator[Case]:
    for _ in range(12):
        for bodies in (2, 6, 15):
            for planar in (True, False):
                masses, slimness, lengths = (float(make.random.choice(part)) for part in ((0, 4, 10), (0, 4, 10), (0, 3, 6)))
                chain = make.chain(bodies, planar=planar, masses=masses, slimness=slimness, lengths=lengths)
                yield Case("scaled", f"chain of {bodies} {'in the plane' if planar else 'in space'}", chain, 0)
    for decades in (2, 4, 6, 8, 10):
        for bodies in (3, 10):
            yield Case("scaled", f"{bodies} rods, every other 1e{decades} times as heavy", make.alternating(bodies, decades), 0)
    for decades in (2, 4, 6, 8, 10, 12):
        for bodies in (1, 2, 4):
            yield Case("scaled", f"{bodies} thin rods 1e-{decades}", make.thin(bodies, decades), 0)


def _redundant(make: Maker) -> Iterator[Case]:
    for violation in (0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5):
        for size in SIZES:
            for name, mechanism, redundant in (
                ("two welds", make.plank(2, size), 6),
                ("four welds", make.plank(4, size), 18),
                ("door", make.door(3, size), 10),
                ("4R", make.planar_loop(size, masses=6, slimness=4), 3),
                ("6R", make.planar_loop(size, joints=6), 3),
                ("3R-P", make.planar_loop(size, masses=3, slide=True), 3),
                ("Bricard", make.bricard(size, float(make.random.choice((0, 6)))), 1),
            ):
                mechanism.disturb(make.random, violation)
                yield Case("redundant", f"{name} of {size:g} m, violated by {violation:g}", mechanism, redundant, violation)


def _near(make: Maker) -> Iterator[Case]:
    for count in (1, 3):
        for angle in (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8):
            for size in SIZES:
                mechanism = make.parallelograms(count, angle, size, float(make.random.choice((0, 4))))
                yield Case("near", f"{count} parallelograms of {size:g} m at {angle:g}", mechanism, 0)
    for angle in (1e-1, 1e-2, 1e-3, 1e-4):
        for share in (1e-2, 1e-4, 1e-6):
            mechanism = make.parallelograms(1, angle)
            mechanism.disturb(make.random, angle * share)
            yield Case("near", f"a parallelogram at {angle:g}, violated by {angle * share:g}", mechanism, 0, angle * share)
    for k in range(8):
        for angle in (1e-2, 1e-5, 1e-8):
            mechanism = make.parallelograms(2, angle, SIZES[k % 3], 4, turned=make.random.uniform(0, 6))
            yield Case("near", f"2 turned parallelograms at {angle:g}", mechanism, 0)


def cases(seed: int = SEED) -> list[Case]:
    """The 298 systems: 100 scaled, 126 redundant of which 42 are violated by 1e-12 at most, and 72 near a singular pose."""
    make = Maker(seed)
    return [*_scaled(make), *_redundant(make), *_near(make)]


def healthy(make: Maker) -> Iterator[tuple[str, Mechanism]]:
    """144 redundant mechanisms that hold together; each serves for four more decisions on the right sides of its equations."""
    makers: tuple[tuple[str, Callable[[float], Mechanism]], ...] = (
        ("two welds", lambda size: make.plank(2, size)),
        ("door", lambda size: make.door(3, size)),
        ("4R", lambda size: make.planar_loop(size, masses=3, slimness=2)),
        ("Bricard", lambda size: make.bricard(size)),
    )
    for _ in range(6):
        for size in SIZES:
            for name, made in makers:
                for violation in (1e-12, 1e-7):
                    mechanism = made(size)
                    mechanism.disturb(make.random, violation)
                    yield f"{name} of {size:g} m, violated by {violation:g}", mechanism
