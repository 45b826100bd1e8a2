"""Numbers of a flexible body: integrals over its shapes, and second-order displacements from its geometric stiffness.

Lengths are in parts of the size, masses in parts of the mass, frequencies in parts of the first one. The geometric stiffness of a unit load is minus
twice the second-order displacement along this load; so it gives the shortening at ports, and that in the tensor of inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

from fmu_components.flexible.mesh import Array, Mesh, skew
from fmu_components.flexible.ports import Interface
from fmu_components.flexible.reduction import Shapes


@dataclass(frozen=True)
class Point:
    """Numbers of a port or of a named point."""

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
    """Numbers of the equations of a flexible body."""

    mass: float
    centre: Array
    """Mass centre in the axes of the mesh, in m."""
    size: float
    first: float
    """First angular frequency in rad/s."""
    frequencies: Array
    J0: Array
    J1: Array
    """Tensor of inertia to first order: a tensor for each shape."""
    J2: Array
    """Tensor of inertia to second order: a tensor for each pair of shapes."""
    C: Array
    """Integral of the cross product of two shapes: by shape, shape and axis."""
    ports: Mapping[str, Point]
    points: Mapping[str, Point]
    stiffened: bool
    """True where the geometric stiffness is included."""


@dataclass(frozen=True)
class RootedNumbers(Numbers):
    """The same of a body that moves by shapes with its root at rest, in the frame of the root."""

    root: str
    S0: Array
    """First moment of mass over mass and size."""
    S1: Array
    """First moment by axis and shape."""
    S2: Array | None
    """Its second-order part by axis, shape and shape."""
    H: Array
    """Moment of momentum of each shape about the root: by axis and shape."""


def numbers(mesh: Mesh, shapes: Shapes, ports: Sequence[Interface], points: Sequence[Interface] = ()) -> Numbers:
    """Returns the numbers of a ``mesh`` that moves by its ``shapes``."""
    base = mesh.rigid[:, 3:]
    J1, J2, C = _products(mesh, shapes.columns, base)
    softened = _balanced(mesh, shapes.columns) if mesh.geometric is not None else None
    if softened is not None:
        _shorten(mesh, base, J2, softened)
    return Numbers(
        mesh.mass,
        mesh.centre,
        mesh.size,
        *_frequencies(shapes),
        mesh.inertia / (mesh.mass * mesh.size**2),
        J1,
        J2,
        C,
        {each.name: _point(mesh, shapes.columns, each, softened) for each in ports},
        {each.name: _point(mesh, shapes.columns, each, softened) for each in points},
        softened is not None,
    )


def rooted_numbers(
    mesh: Mesh, shapes: Shapes, root: Interface, ports: Sequence[Interface], points: Sequence[Interface] = ()
) -> RootedNumbers:
    """Returns the numbers of a ``mesh`` that moves by ``shapes`` which leave its ``root`` at rest."""
    phi, m, L = shapes.columns, mesh.mass, mesh.size
    move = mesh.rigid[:, :3]
    base = mesh.rigid[:, 3:] + move @ skew(root.place)  # turns about the root
    J1, J2, C = _products(mesh, phi, base)
    softened = _reacted(mesh, phi, root) if mesh.geometric is not None else None
    S2 = None
    if softened is not None:
        _shorten(mesh, base, J2, softened)
        S2 = np.array([-softened(mesh.M @ move[:, axis]) * L / (2 * m) for axis in range(3)])
    shifted = [replace(each, place=each.place - root.place) for each in (*ports, *points)]
    made = {each.name: _point(mesh, phi, each, softened) for each in shifted}
    return RootedNumbers(
        m,
        mesh.centre,
        L,
        *_frequencies(shapes),
        base.T @ (mesh.M @ base) / (m * L**2),
        J1,
        J2,
        C,
        {each.name: made[each.name] for each in ports},
        {each.name: made[each.name] for each in points},
        softened is not None,
        root=root.name,
        S0=-root.place / L,
        S1=move.T @ (mesh.M @ phi) / m,
        S2=S2,
        H=base.T @ (mesh.M @ phi) / (m * L),
    )


def _frequencies(shapes: Shapes) -> tuple[float, Array]:
    roots = np.sqrt(np.maximum(shapes.squares, 0.0))
    return float(roots[0]), roots / roots[0]


def _products(mesh: Mesh, phi: Array, base: Array) -> tuple[Array, Array, Array]:
    """Returns how the tensor of inertia changes with the amplitudes, to first and second order, and the cross products of shapes."""
    m, L, count = mesh.mass, mesh.size, phi.shape[1]
    turned = mesh.turned(phi)
    J1, J2, C = np.zeros((count, 3, 3)), np.zeros((count, count, 3, 3)), np.zeros((count, count, 3))
    for a in range(3):
        C[:, :, a] = turned[a].T @ (mesh.M @ phi) / m
        for b in range(3):
            first = base[:, a] @ (mesh.M @ turned[b]) / (m * L)
            J1[:, a, b] += first
            J1[:, b, a] += first
            second = turned[a].T @ (mesh.M @ turned[b]) / m
            J2[:, :, a, b] += (second + second.T) / 2
    return J1, J2, (C - C.transpose(1, 0, 2)) / 2


def _shorten(mesh: Mesh, base: Array, J2: Array, softened: Callable[[Array], Array]) -> None:
    """Takes from the tensor of inertia what the centrifugal loads shorten."""
    for a in range(3):
        for b in range(3):
            load = -(mesh.M @ (mesh.turned(base[:, b : b + 1])[a] + mesh.turned(base[:, a : a + 1])[b]))[:, 0] / 2
            J2[:, :, a, b] -= softened(load) / mesh.mass


def _point(mesh: Mesh, phi: Array, at: Interface, softened: Callable[[Array], Array] | None) -> Point:
    L = mesh.size
    shortens = None if softened is None else np.array([-softened(at.rows[axis]) * L / 2 for axis in range(3)])
    return Point(at.place / L, at.frame, at.rows[:3] @ phi, at.rows[3:] @ phi * L if at.turns else None, shortens)


def _balanced(mesh: Mesh, phi: Array) -> Callable[[Array], Array]:
    """Returns the function from a load on the nodes to the geometric stiffness of the shapes under it, the body's inertia in balance with it."""
    momentum = mesh.M @ mesh.rigid
    weight = mesh.rigid.T @ momentum
    return _softening(mesh, phi, momentum, lambda load: load - momentum @ np.linalg.solve(weight, mesh.rigid.T @ load))


def _reacted(mesh: Mesh, phi: Array, root: Interface) -> Callable[[Array], Array]:
    """Returns the same where the root bears the load."""
    held = root.rows.T if root.slaves is None else np.eye(mesh.K.shape[0])[:, root.slaves]
    return _softening(mesh, phi, held, lambda load: load)


def _softening(mesh: Mesh, phi: Array, held: Array, borne: Callable[[Array], Array]) -> Callable[[Array], Array]:
    border = sparse.csc_matrix(float(abs(mesh.K).max()) / float(abs(held).max()) * held)
    solver = splu(sparse.bmat([[mesh.K, border], [border.T, None]], format="csc"))
    assert mesh.geometric is not None
    geometric = mesh.geometric

    def softened(load: Array) -> Array:
        displacement = solver.solve(np.concatenate([borne(load), np.zeros(held.shape[1])]))[: len(load)]
        return np.asarray(phi.T @ (geometric(displacement) @ phi))

    return softened
