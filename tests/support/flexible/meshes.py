"""Meshes of the tests, assembled here: hexahedra of eight nodes, and slender beams in space with their geometric stiffness."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

Array = NDArray[np.float64]
_CORNERS = np.array(list(product((0, 1), repeat=3)))
_GAUSS = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3)


def brick(
    young: float = 2e6, poisson: float = 0.3, density: float = 1000.0, counts: tuple[int, int, int] = (11, 3, 3)
) -> tuple[Array, Array, Array]:
    """Returns stiffness, mass and nodes of a tapered bar of 1 m by 0.1 m by 0.06 m along x, with three degrees of freedom a node."""
    axes = [np.linspace(-size / 2, size / 2, count) for size, count in zip((1.0, 0.1, 0.06), counts, strict=True)]
    nodes = np.array(list(product(*axes)))
    nodes[:, 1] *= 1 - 0.4 * (nodes[:, 0] + 0.5)
    nodes[:, 2] *= 1 + 0.3 * (nodes[:, 0] + 0.5)
    lame, shear = young * poisson / (1 + poisson) / (1 - 2 * poisson), young / 2 / (1 + poisson)
    law = np.diag([shear] * 6)
    law[:3, :3] = lame + 2 * shear * np.eye(3)
    K, M = np.zeros((2, 3 * len(nodes), 3 * len(nodes)))
    for cell in product(*(range(count - 1) for count in counts)):
        corners = np.ravel_multi_index(tuple((np.array(cell) + _CORNERS).T), counts)
        stiffness, mass = _hexahedron(nodes[corners], law, density)
        rows = (3 * corners[:, None] + np.arange(3)).ravel()
        K[np.ix_(rows, rows)] += stiffness
        M[np.ix_(rows, rows)] += mass
    return K, M, nodes


def _hexahedron(corners: Array, law: Array, density: float) -> tuple[Array, Array]:
    stiffness, mass = np.zeros((2, 24, 24))
    for point in product(_GAUSS, repeat=3):
        factors = np.where(_CORNERS, point, 1 - np.array(point))
        slopes = np.array([np.where(_CORNERS[:, axis], 1, -1) * np.delete(factors, axis, 1).prod(axis=1) for axis in range(3)])
        jacobian = slopes @ corners
        weight = np.linalg.det(jacobian) / 8
        strain = np.zeros((6, 24))
        for node, (x, y, z) in enumerate(np.linalg.solve(jacobian, slopes).T):
            strain[:, 3 * node : 3 * node + 3] = [[x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x]]
        shapes = np.kron(factors.prod(axis=1), np.eye(3))
        stiffness += weight * strain.T @ law @ strain
        mass += weight * density * shapes.T @ shapes
    return stiffness, mass


def beams(
    nodes: Array, *, bending: tuple[float, float], axial: float, torsion: float, line_mass: float = 1.0, polar: float = 2e-4
) -> tuple[Array, Array, Callable[[Array], Array]]:
    """Returns stiffness, mass and geometric stiffness of slender beams from node to node, with six degrees of freedom a node.

    ``bending`` holds EI for deflections along the section's z and y, ``polar`` the moment of inertia about the axis per length.
    """
    size = 6 * len(nodes)
    K, M = np.zeros((2, size, size))
    pieces = []
    for i in range(len(nodes) - 1):
        rows = np.arange(6 * i, 6 * i + 12)
        stiffness, mass, geometric, axis = _beam(nodes[i], nodes[i + 1], bending, axial, torsion, line_mass, polar)
        K[np.ix_(rows, rows)] += stiffness
        M[np.ix_(rows, rows)] += mass
        pieces.append((rows, geometric, axis * axial / np.linalg.norm(nodes[i + 1] - nodes[i])))

    def stiffened(displacements: Array) -> Array:
        found = np.zeros_like(K)
        for rows, geometric, pull in pieces:
            u = displacements[rows]
            found[np.ix_(rows, rows)] += float((u[6:9] - u[:3]) @ pull) * geometric
        return found

    return K, M, stiffened


def _beam(
    start: Array, end: Array, bending: tuple[float, float], axial: float, torsion: float, line_mass: float, polar: float
) -> tuple[Array, Array, Array, Array]:
    length = float(np.linalg.norm(end - start))
    x = (end - start) / length
    y = np.cross([0.0, 0.0, 1.0], x)
    turned = block_diag(*[np.array([x, y, np.cross(x, y)])] * 4)
    K, M, G = np.zeros((3, 12, 12))
    for rows, stiffness, mass in (((0, 6), axial / length, line_mass * length), ((3, 9), torsion / length, polar * length)):
        K[np.ix_(rows, rows)] += stiffness * np.array([[1, -1], [-1, 1]])
        M[np.ix_(rows, rows)] += mass / 6 * np.array([[2, 1], [1, 2]])
    a = length
    for rows, EI, sign in (((1, 5, 7, 11), bending[1], 1), ((2, 4, 8, 10), bending[0], -1)):
        signs = np.outer([1, sign, 1, sign], [1, sign, 1, sign])
        at = np.ix_(rows, rows)
        K[at] += (
            signs
            * EI
            / a**3
            * np.array(
                [
                    [12, 6 * a, -12, 6 * a],
                    [6 * a, 4 * a * a, -6 * a, 2 * a * a],
                    [-12, -6 * a, 12, -6 * a],
                    [6 * a, 2 * a * a, -6 * a, 4 * a * a],
                ]
            )
        )
        M[at] += (
            signs
            * line_mass
            * a
            / 420
            * np.array(
                [
                    [156, 22 * a, 54, -13 * a],
                    [22 * a, 4 * a * a, 13 * a, -3 * a * a],
                    [54, 13 * a, 156, -22 * a],
                    [-13 * a, -3 * a * a, -22 * a, 4 * a * a],
                ]
            )
        )
        G[at] += (
            signs
            / (30 * a)
            * np.array(
                [[36, 3 * a, -36, 3 * a], [3 * a, 4 * a * a, -3 * a, -a * a], [-36, -3 * a, 36, -3 * a], [3 * a, -a * a, -3 * a, 4 * a * a]]
            )
        )
    return turned.T @ K @ turned, turned.T @ M @ turned, turned.T @ G @ turned, x
