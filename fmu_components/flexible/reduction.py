"""Reduction of a mesh to few shapes in the mean frame: constraint modes of the ports and modes with the ports held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from fmu_components.flexible.given import MeshError
from fmu_components.flexible.mesh import Array, Mesh, skew, start_vector
from fmu_components.flexible.ports import Interface

_DEPENDENT = 1e-9
"""A motion that the others make up to this part of its kinetic energy adds nothing to a basis."""


@dataclass(frozen=True)
class Shapes:
    """Shapes of the mean frame: columns over the degrees of freedom of all nodes, of which each has the mass of the body as its modal mass."""

    squares: Array
    """Squares of the angular frequencies in rad2/s2, the lowest first."""
    columns: Array


def free_shapes(mesh: Mesh, count: int) -> Shapes:
    """Returns the ``count`` lowest modes of the free body."""
    most = mesh.K.shape[0] - 6
    if count > most:
        raise MeshError(f"{count} shapes are asked of a mesh that has {most}: ask for fewer")
    squares, modes = mesh.free_modes(6 + count)
    return _shapes(mesh, squares[6:], modes[:, 6:])


def port_shapes(mesh: Mesh, ports: Sequence[Interface], inner: int, count: int | None) -> Shapes:
    """Returns the ``count`` lowest shapes, or all of them, that constraint modes of the ``ports`` and ``inner`` modes with the ports held make up."""
    basis = _independent(mesh, _basis(mesh, ports, inner))
    available = basis.shape[1]
    if not available:
        raise MeshError("one port and no inner modes leave the body rigid: raise inner, or name another port")
    if count is not None and count > available:
        raise MeshError(f"{count} shapes are asked of a basis of {available}: raise inner to {inner + count - available}")
    squares, modes = scipy.linalg.eigh(basis.T @ (mesh.K @ basis))
    return _shapes(mesh, squares[:count], basis @ modes[:, :count])


def rooted_shapes(mesh: Mesh, root: Interface, ports: Sequence[Interface], inner: int, count: int | None) -> Shapes:
    """Returns the ``count`` lowest shapes, or all of them, with the ``root`` at rest, from constraint modes of the ``ports`` and ``inner`` modes
    with all of them held."""
    if not root.turns:
        raise MeshError(f"the root '{root.name}' is a single node with 3 dofs and has no attitude: give a patch of at least 3 nodes")
    basis = _orthonormal(mesh, _basis(mesh, [root, *ports], inner)[:, 6:])
    if not basis.shape[1]:
        raise MeshError("with its root held and no inner modes the body is rigid: raise inner")
    if count is not None and count > basis.shape[1]:
        raise MeshError(f"{count} shapes are asked of a basis of {basis.shape[1]}: raise inner to {inner + count - basis.shape[1]}")
    squares, modes = scipy.linalg.eigh(basis.T @ (mesh.K @ basis))
    return _signed(mesh, squares[:count], basis @ modes[:, :count])


def without_rigid(mesh: Mesh, motion: Array) -> Array:
    """Returns ``motion`` less its rigid part: linear and angular momentum are zero."""
    weight = mesh.rigid.T @ (mesh.M @ mesh.rigid)
    return np.asarray(motion - mesh.rigid @ np.linalg.solve(weight, mesh.rigid.T @ (mesh.M @ motion)))


def _shapes(mesh: Mesh, squares: Array, modes: Array) -> Shapes:
    return _signed(mesh, squares, without_rigid(mesh, modes))


def _signed(mesh: Mesh, squares: Array, modes: Array) -> Shapes:
    """Returns shapes of the mass of the body and of one sign."""
    modes = modes * np.sqrt(mesh.mass / np.einsum("ij,ij->j", modes, mesh.M @ modes))
    # A solver of eigenvalues leaves the sign open: the largest displacement is positive.
    moved = modes.reshape(len(mesh.nodes), mesh.dofs, -1)[:, :3].reshape(-1, modes.shape[1])
    # The first displacement decides among those that differ by rounding alone.
    size = np.abs(moved)
    first = (size > (1 - 1e-6) * size.max(axis=0)).argmax(axis=0)
    return Shapes(squares, modes * np.sign(moved[first, np.arange(modes.shape[1])]))


def _basis(mesh: Mesh, ports: Sequence[Interface], inner: int) -> Array:
    """Returns constraint modes, each of which moves one port in one way, and the lowest modes with all ports held."""
    follow = _following(mesh, ports)
    K, M = follow.T @ mesh.K @ follow, follow.T @ mesh.M @ follow
    rows = np.vstack([port.rows for port in ports]) @ follow
    rigid = np.asarray(splu((follow.T @ follow).tocsc()).solve(follow.T @ mesh.rigid))
    _, sizes, right = np.linalg.svd(rows @ rigid)
    # A rigid motion that moves no port is kept out of the basis, to which the frame adds it.
    loose = rigid @ right[(sizes > 1e-9 * sizes.max()).sum() :].T
    held = sparse.vstack([sparse.csr_matrix(rows), sparse.csr_matrix((M @ loose).T)])
    size = float(abs(K).max())
    bordered = sparse.bmat([[K, size * held.T], [size * held, None]], format="csc")
    solver = splu(bordered)
    free = K.shape[0]
    aims = np.zeros((bordered.shape[0], len(rows)))
    aims[free : free + len(rows)] = size * np.eye(len(rows))
    constraint = solver.solve(aims)[:free]
    most = free - held.shape[0]
    if inner > most:
        raise MeshError(f"inner is {inner}, but with its ports held the mesh has {most} motions: lower inner")
    modes = _held_modes(K, M, lambda force: solver.solve(np.concatenate([force, np.zeros(held.shape[0])]))[:free], held, inner)
    return np.asarray(follow @ np.hstack([constraint, modes]))


def _held_modes(K: Any, M: Any, flexibility: Callable[[Array], Array], held: Any, count: int) -> Array:
    rows = K.shape[0]
    if not count:
        return np.zeros((rows, 0))
    if count < rows // 4:
        inverse = LinearOperator((rows, rows), matvec=flexibility, dtype=float)
        return np.asarray(eigsh(K, count, M, sigma=0.0, OPinv=inverse, v0=flexibility(start_vector(rows)))[1])
    space = scipy.linalg.null_space(held.toarray())
    modes = scipy.linalg.eigh(space.T @ (K @ space), space.T @ (M @ space), subset_by_index=[0, count - 1])[1]
    return np.asarray(space @ modes)


def _following(mesh: Mesh, ports: Sequence[Interface]) -> sparse.csc_matrix:
    """Returns the motion of all nodes by that of the free ones: the nodes of a rigid patch follow their port."""
    rows = mesh.K.shape[0]
    rigid = [port for port in ports if port.slaves is not None]
    slaves = np.concatenate([port.slaves for port in rigid]) if rigid else np.zeros(0, int)
    free = np.setdiff1d(np.arange(rows), slaves)
    parts = [sparse.csc_matrix((np.ones(len(free)), (free, np.arange(len(free)))), (rows, len(free)))]
    for port in rigid:
        motion = np.zeros((rows, 6))
        motion[port.slaves] = mesh.rigid[port.slaves]
        motion[:, 3:] += motion[:, :3] @ skew(port.place)  # turns about the port instead of the mass centre
        parts.append(sparse.csc_matrix(motion))
    return sparse.hstack(parts, format="csc")


def _independent(mesh: Mesh, basis: Array) -> Array:
    """Returns what the ``basis`` spans without rigid motions, orthonormal in the mass."""
    whole = np.einsum("ij,ij->j", basis, mesh.M @ basis)
    basis = without_rigid(mesh, basis)
    left = np.einsum("ij,ij->j", basis, mesh.M @ basis)
    elastic = left > _DEPENDENT * whole
    return _orthonormal(mesh, basis[:, elastic])


def _orthonormal(mesh: Mesh, basis: Array) -> Array:
    basis = basis / np.sqrt(np.einsum("ij,ij->j", basis, mesh.M @ basis))
    weights, vectors = scipy.linalg.eigh(basis.T @ (mesh.M @ basis))
    kept = weights > _DEPENDENT * weights.max(initial=0.0)
    return np.asarray(basis @ (vectors[:, kept] / np.sqrt(weights[kept])))
