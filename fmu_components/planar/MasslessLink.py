"""Rigid links without mass in the plane, with one to three connecting points."""

from __future__ import annotations

from fmu_components.declare.family import with_points
from fmu_components.declare.massless import solved_from_outside
from fmu_components.declare.picture import body
from fmu_components.declare.planar_rigid import PlanarRigid


class _MasslessLink(PlanarRigid):
    """Massless link.

    A rigid body without mass: what acts on it balances at any time, and its accelerations are those for which it does. What is
    connected with it has to determine these: a body, or joints that hold the link.
    """

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


MasslessLink1, MasslessLink2, MasslessLink3 = (with_points(_MasslessLink, "MasslessLink", n, width=0.08) for n in range(1, 4))
