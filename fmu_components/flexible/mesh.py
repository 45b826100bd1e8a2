"""Free elastic bodies of small strain, as the matrices of their finite elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import eigsh, splu

from fmu_components.flexible.given import MeshError, matrix_of, real_array

Array = NDArray[np.float64]
Geometric = Callable[[Array], Any]
"""From the displacements of all nodes under a load to the geometric stiffness that this load gives, in the units of the mesh."""

UNITS = {"m": (1.0, 1.0), "mm": (1e-3, 1e-3)}
"""Lengths in metres and energies in joules, by the unit of the mesh: newtons, metres and kilograms, or newtons, millimetres and tonnes."""
_RIGID = 1e-6
"""Largest force of a rigid motion, in parts of the forces that cancel in it."""
_DENSE = 1500
"""Matrices of fewer rows are decomposed as a whole."""


def skew(a: ArrayLike) -> Array:
    """Returns the matrix of the cross product with ``a``."""
    x, y, z = np.asarray(a, float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@dataclass(frozen=True)
class Mesh:
    """Stiffness and mass in SI units, with three or six degrees of freedom a node, in the order of the ``nodes``."""

    K: Any
    M: Any
    nodes: Array
    geometric: Geometric | None = None

    @property
    def dofs(self) -> int:
        """Degrees of freedom of a node."""
        return int(self.K.shape[0] // len(self.nodes))

    @cached_property
    def mass(self) -> float:
        """The mass in kg."""
        x = self._translations()[:, 0]
        return float(x @ (self.M @ x))

    @cached_property
    def centre(self) -> Array:
        """The mass centre, in m."""
        moments = self._about(np.zeros(3)).T @ (self.M @ self._translations())
        return np.array([moments[5, 1], moments[3, 2], moments[4, 0]]) / self.mass

    @cached_property
    def places(self) -> Array:
        """The nodes from the mass centre."""
        return self.nodes - self.centre

    @cached_property
    def rigid(self) -> Array:
        """Three translations and three turns about the mass centre, as columns."""
        return self._about(self.centre)

    @cached_property
    def inertia(self) -> Array:
        """The tensor of inertia about the mass centre, in kg.m2."""
        turns = self.rigid[:, 3:]
        return np.asarray(turns.T @ (self.M @ turns))

    @cached_property
    def size(self) -> float:
        """The largest extent along an axis, in m."""
        return float(np.ptp(self.nodes, axis=0).max())

    def turned(self, motion: Array) -> list[Array]:
        """Returns each column of ``motion`` turned by a small unit angle about x, y and z."""
        blocks = motion.reshape(len(self.nodes), self.dofs // 3, 3, -1)
        return [np.einsum("ab,nkbj->nkaj", skew(axis), blocks).reshape(motion.shape) for axis in np.eye(3)]

    def free_modes(self, count: int) -> tuple[Array, Array]:
        """Returns the squares of the lowest ``count`` angular frequencies of the free body, and their shapes as columns.

        The six rigid ones come first, as zeros.
        """
        # The mass is divided by a shifted stiffness, since rotary inertia may be missing.
        shift = 1e-9 * float(np.median(self.K.diagonal())) / float(np.median(self.M.diagonal()))
        rows = self.K.shape[0]
        if rows <= _DENSE:
            M = self.M.toarray()
            inverse, shapes = scipy.linalg.eigh(M, self.K.toarray() + shift * M, subset_by_index=[rows - count, rows - 1])
            squares, shapes = 1 / inverse[::-1] - shift, shapes[:, ::-1]
        else:
            squares, shapes = eigsh(self.K, count, self.M, sigma=-shift, v0=start_vector(rows))
            order = np.argsort(squares)
            squares, shapes = squares[order], shapes[:, order]
        return squares, shapes

    def _translations(self) -> Array:
        columns = np.zeros((self.K.shape[0], 3))
        for axis in range(3):
            columns[axis :: self.dofs, axis] = 1
        return columns

    def _about(self, point: Array) -> Array:
        columns = np.zeros((self.K.shape[0], 6))
        columns[:, :3] = self._translations()
        arms = self.nodes - point
        for axis in range(3):
            turn = np.cross(np.eye(3)[axis], arms)
            for row in range(3):
                columns[row :: self.dofs, 3 + axis] = turn[:, row]
            if self.dofs == 6:
                columns[3 + axis :: 6, 3 + axis] = 1
        return columns


def mesh_of(K: Any, M: Any, nodes: ArrayLike, *, unit: str = "m", geometric: Geometric | None = None) -> Mesh:
    """Returns the mesh of a stiffness ``K``, a mass ``M`` and ``nodes``, in SI units. What is no free elastic body raises MeshError."""
    places = real_array("nodes", nodes)
    if places.ndim != 2 or places.shape[1] != 3 or len(places) < 2 or not np.isfinite(places).all():
        raise MeshError(f"nodes has the shape {places.shape}; give a row of three finite coordinates for each of at least two nodes")
    if np.ptp(places, axis=0).max() == 0:
        raise MeshError("all nodes are at one place; give the nodes in the order of the matrix")
    stiffness, mass = _matrix("K", K, len(places)), _matrix("M", M, len(places))
    if stiffness.shape != mass.shape:
        raise MeshError(f"K has {stiffness.shape[0]} rows, but M has {mass.shape[0]}: give both for the same nodes")
    length, energy = UNITS[unit]
    dofs = stiffness.shape[0] // len(places)
    scale = sparse.diags(np.tile(np.repeat([1 / length, 1.0], 3)[:dofs], len(places)))
    mesh = Mesh(
        (energy * scale @ stiffness @ scale).tocsc(),
        (energy * scale @ mass @ scale).tocsc(),
        places * length,
        None if geometric is None else lambda u: energy * scale @ _stiffened(geometric(scale @ u), scale.shape) @ scale,
    )
    _check_mass(mesh)
    _check_freedom(mesh)
    return mesh


def _matrix(name: str, given: Any, nodes: int) -> Any:
    matrix = matrix_of(name, given)
    rows, columns = matrix.shape
    if rows != columns:
        raise MeshError(f"{name} has {rows} rows and {columns} columns: give a square matrix")
    if rows not in (3 * nodes, 6 * nodes):
        dofs = min((3, 6), key=lambda each: abs(each * nodes - rows))
        raise MeshError(
            f"{name} has {rows} rows, but {nodes} nodes with {dofs} dofs each make {dofs * nodes}: give the nodes in the order of the matrix"
        )
    matrix = sparse.csc_matrix(matrix, dtype=float)
    if not np.isfinite(matrix.data).all():
        raise MeshError(f"{name} has entries that are not finite numbers: export it again")
    skewed = abs(matrix - matrix.T).tocoo()
    if skewed.nnz and skewed.data.max() > 1e-6 * abs(matrix).max():
        i, j = (int(each[skewed.data.argmax()]) for each in (skewed.row, skewed.col))
        raise MeshError(
            f"{name} is not symmetric: its entries ({i}, {j}) and ({j}, {i}) are {matrix[i, j]:g} and {matrix[j, i]:g}: give the whole matrix"
        )
    return (matrix + matrix.T) / 2


def _stiffened(given: Any, shape: tuple[int, int]) -> Any:
    """Returns the matrix that a function for the geometric stiffness gives."""
    matrix = matrix_of("the geometric stiffness", given)
    if matrix.shape != shape or not np.isfinite(matrix.data).all():
        raise MeshError(f"the geometric stiffness has {matrix.shape[0]} rows; its function must return {shape[0]} rows of finite numbers")
    return matrix


def _check_mass(mesh: Mesh) -> None:
    rows = mesh.M.shape[0]
    least = sparse.identity(rows) * (1e-12 * abs(mesh.M).max())
    # Without pivoting the diagonal of the factor has the signs of the eigenvalues.
    factor = splu((mesh.M + least).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    if (factor.U.diagonal() <= 0).any():
        raise MeshError("M is not positive definite: some motion has negative kinetic energy; export the mass matrix again")
    block = mesh.rigid[:, :3].T @ (mesh.M @ mesh.rigid[:, :3])
    masses = np.diag(block)
    low, high = int(masses.argmin()), int(masses.argmax())
    if masses[high] - masses[low] > 1e-6 * masses[high]:
        raise MeshError(
            f"M has the mass {masses[high]:g} along {'xyz'[high]} and {masses[low]:g} along {'xyz'[low]}: boundary conditions were applied to it; give "
            "that of the free body"
        )


def _check_freedom(mesh: Mesh) -> None:
    forces, largest = abs(mesh.K @ mesh.rigid), abs(mesh.K) @ abs(mesh.rigid)
    if (forces.max(axis=0) > _RIGID * largest.max(axis=0)).any():
        raise MeshError("K holds the body to the ground: give the stiffness of the free body, without supports")
    squares, shapes = mesh.free_modes(8)
    rigid = np.einsum("ij,ij->j", mesh.rigid, mesh.K @ mesh.rigid) / np.einsum("ij,ij->j", mesh.rigid, mesh.M @ mesh.rigid)
    ceiling = float(np.median(mesh.K.diagonal())) / float(np.median(mesh.M.diagonal()))
    noise = 1e3 * float(abs(rigid).max()) + 1e-14 * ceiling
    loose = [k for k in range(6, 8) if squares[k] < noise]
    if loose:
        weight = mesh.rigid.T @ (mesh.M @ mesh.rigid)
        zero = shapes[:, : loose[-1] + 1]
        rest = zero - mesh.rigid @ np.linalg.solve(weight, mesh.rigid.T @ (mesh.M @ zero))
        node = int(np.abs(rest).max(axis=1).argmax()) // mesh.dofs
        count = f"{6 + len(loose)}" if len(loose) == 1 else f"{6 + len(loose)} or more"
        raise MeshError(
            f"K lets {count} motions go without force, 6 of which are rigid: a mechanism or a loose node, such as node {node}; fasten it or leave it out"
        )


def start_vector(rows: int) -> Array:
    """A start of Lanczos' method that is the same in each run."""
    return np.random.default_rng(rows).standard_normal(rows)
