"""Rigid links without mass in the plane, with one to three connecting points."""

from __future__ import annotations

from fmu_components.declare.icon import Drawing, Shape, circle, line
from fmu_components.declare.massless import solved_from_outside
from fmu_components.declare.picture import body
from fmu_components.declare.planar_rigid import PlanarRigid

_POINTS = ((-0.75, 0.0), (0.75, 0.0), (0.0, 0.75))


def _drawing(points: int) -> Drawing:
    arms: list[Shape] = [line((0, 0), point, width=0.08) for point in _POINTS[:points]]
    return Drawing(*arms, *(circle(*point, 0.14, fill=1.0) for point in _POINTS[:points]))


class _MasslessLink(PlanarRigid):
    """One declaration for every number of points."""

    picture = body("x", "y", "theta", inertia=False)

    def declare(self) -> None:
        q, v = self.place("link", "the link’s origin")
        total, placed = self.wrench(q, "link")
        texts = ("absolute x acceleration of the origin", "absolute y acceleration of the origin", "absolute angular acceleration")
        solved_from_outside(
            self, {n: (rate, text, effort) for n, rate, text, effort in zip(("ax", "ay", "alpha"), v, texts, total, strict=True)}
        )
        for port, *coordinates in placed:
            self.moves(port, *coordinates)


class MasslessLink1(_MasslessLink):
    """Massless link with one connecting point.

    A rigid body without mass: what acts on it balances at any time, and its accelerations are those for which it does. What is
    connected with it has to determine these: a body, or joints that hold the link.
    """

    points = 1
    drawing = _drawing(1)


class MasslessLink2(_MasslessLink):
    """Massless link with two connecting points.

    A rigid body without mass: what acts on it balances at any time, and its accelerations are those for which it does. What is
    connected with it has to determine these: a body, or joints that hold the link.
    """

    points = 2
    drawing = _drawing(2)


class MasslessLink3(_MasslessLink):
    """Massless link with three connecting points.

    A rigid body without mass: what acts on it balances at any time, and its accelerations are those for which it does. What is
    connected with it has to determine these: a body, or joints that hold the link.
    """

    points = 3
    drawing = _drawing(3)
