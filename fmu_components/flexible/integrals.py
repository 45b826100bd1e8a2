"""Numbers of a flexible body: integrals over its shapes, and second-order displacements from its geometric stiffness.

Lengths are in parts of the size, masses in parts of the mass, frequencies in parts of the first one. The geometric stiffness of a unit load is minus
twice the second-order displacement along this load; so it gives the shortening at ports, and that in the tensor of inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

from fmu_components.flexible.mesh import Array, Mesh
from fmu_components.flexible.ports import Interface
from fmu_components.flexible.reduction import Shapes


@dataclass(frozen=True)
class Point:
    """What a flexible body knows of a port or a named point."""

    place: Array
    frame: Array
    moves: Array
    """Displacement per amplitude: a row for each axis."""
    turns: Array | None
    """Turn per amplitude over the size; None of a point without attitude."""
    shortens: Array | None
    """Second-order displacement along each axis, as a matrix over the amplitudes; None where it is left out."""


@dataclass(frozen=True)
class Numbers:
    """All that the equations of a flexible body need."""

    mass: float
    size: float
    first: float
    """First angular frequency in rad/s."""
    frequencies: Array
    J0: Array
    J1: Array
    """By shape, axis and axis."""
    J2: Array
    """By shape, shape, axis and axis."""
    C: Array
    """Integral of the cross product of two shapes: by shape, shape and axis."""
    ports: Mapping[str, Point]
    points: Mapping[str, Point]
    stiffened: bool
    """True where the geometric stiffness is included."""


def numbers(mesh: Mesh, shapes: Shapes, ports: Sequence[Interface], points: Sequence[Interface] = ()) -> Numbers:
    """Returns the numbers of a ``mesh`` that moves by its ``shapes``."""
    phi, m, L = shapes.columns, mesh.mass, mesh.size
    count = phi.shape[1]
    turned, base = mesh.turned(phi), mesh.rigid[:, 3:]
    J1, J2, C = np.zeros((count, 3, 3)), np.zeros((count, count, 3, 3)), np.zeros((count, count, 3))
    for a in range(3):
        C[:, :, a] = turned[a].T @ (mesh.M @ phi) / m
        for b in range(3):
            first = base[:, a] @ (mesh.M @ turned[b]) / (m * L)
            J1[:, a, b] += first
            J1[:, b, a] += first
            second = turned[a].T @ (mesh.M @ turned[b]) / m
            J2[:, :, a, b] += (second + second.T) / 2
    softened = _second_order(mesh, phi) if mesh.geometric is not None else None
    if softened is not None:
        for a in range(3):
            for b in range(3):
                load = -(mesh.M @ (mesh.turned(base[:, b : b + 1])[a] + mesh.turned(base[:, a : a + 1])[b]))[:, 0] / 2
                J2[:, :, a, b] -= softened(load) / m
    roots = np.sqrt(np.maximum(shapes.squares, 0.0))
    made = {each.name: _point(mesh, phi, each, softened) for each in (*ports, *points)}
    return Numbers(
        m,
        L,
        float(roots[0]) if count else 0.0,
        roots / roots[0] if count else roots,
        mesh.inertia / (m * L**2),
        J1,
        J2,
        (C - C.transpose(1, 0, 2)) / 2,
        {each.name: made[each.name] for each in ports},
        {each.name: made[each.name] for each in points},
        softened is not None,
    )


def _point(mesh: Mesh, phi: Array, at: Interface, softened: Callable[[Array], Array] | None) -> Point:
    L = mesh.size
    shortens = None if softened is None else np.array([-softened(at.rows[axis]) * L / 2 for axis in range(3)])
    return Point(at.place / L, at.frame, at.rows[:3] @ phi, at.rows[3:] @ phi * L if at.turns else None, shortens)


def _second_order(mesh: Mesh, phi: Array) -> Callable[[Array], Array]:
    """Returns the function from a load on the nodes to the geometric stiffness of the shapes under it, the body's inertia in balance with it."""
    momentum = mesh.M @ mesh.rigid
    weight = mesh.rigid.T @ momentum
    scale = float(abs(mesh.K).max()) / float(abs(momentum).max())
    border = sparse.csc_matrix(scale * momentum)
    solver = splu(sparse.bmat([[mesh.K, border], [border.T, None]], format="csc"))
    assert mesh.geometric is not None
    geometric = mesh.geometric

    def softened(load: Array) -> Array:
        balanced = load - momentum @ np.linalg.solve(weight, mesh.rigid.T @ load)
        displacement = solver.solve(np.concatenate([balanced, np.zeros(6)]))[: len(load)]
        return np.asarray(phi.T @ (geometric(displacement) @ phi))

    return softened
