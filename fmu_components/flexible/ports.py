"""Ports of an elastic body: nodes, or patches of nodes, whose motion a joint takes as that of one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fmu_components.flexible.given import MeshError, real_array
from fmu_components.flexible.mesh import Array, Mesh, skew

_FLAT = 1e-9
"""Least moment of a patch about an axis, in parts of the largest one, with which it has a turn about this axis."""


@dataclass(frozen=True)
class Patch:
    """Nodes that one port takes together, by their rows in ``nodes``.

    The port is at their centre. Its turn is that of the rigid motion nearest to theirs, which adds no stiffness; a ``rigid`` patch
    is a plate without elasticity. The columns of ``frame`` are the axes of the port along those of the mesh.
    """

    nodes: Sequence[int]
    rigid: bool = False
    frame: ArrayLike | None = None


@dataclass(frozen=True)
class Interface:
    """The motion of a port as rows over the degrees of freedom of all nodes: three translations and, unless it is a point, three turns."""

    name: str
    place: Array
    """The port from the mass centre, in m."""
    rows: Array
    frame: Array
    slaves: Array | None = None
    """Degrees of freedom that follow the port, where its patch is rigid."""

    @property
    def turns(self) -> bool:
        """True of a port that has an attitude."""
        return len(self.rows) == 6


def interfaces(mesh: Mesh, ports: Mapping[str, Any]) -> list[Interface]:
    """Returns the interface of each of the ``ports``. Unknown nodes, and nodes of two ports, raise MeshError."""
    if not ports:
        raise MeshError("the body has no port; name at least one with its nodes, such as ports={'a': 0}")
    owner: dict[int, str] = {}
    found = []
    for name, given in ports.items():
        patch = given if isinstance(given, Patch) else Patch(np.atleast_1d(given).tolist())
        for node in patch.nodes:
            if isinstance(node, bool) or not isinstance(node, int | np.integer) or not 0 <= node < len(mesh.nodes):
                raise MeshError(
                    f"port '{name}' is at the node {node!r}, which the mesh does not have: give whole numbers from 0 to {len(mesh.nodes) - 1}"
                )
            if owner.setdefault(int(node), name) != name:
                raise MeshError(f"the ports '{owner[int(node)]}' and '{name}' share the node {node}: give each port nodes of its own")
        if len(set(patch.nodes)) != len(patch.nodes) or not patch.nodes:
            raise MeshError(f"port '{name}' has {len(patch.nodes)} nodes, some of them twice or none at all: name each once")
        found.append(_interface(mesh, name, patch))
    return found


def _interface(mesh: Mesh, name: str, patch: Patch) -> Interface:
    nodes = np.asarray(patch.nodes)
    dofs, columns = mesh.dofs, mesh.K.shape[0]
    frame = np.eye(3) if patch.frame is None else real_array(f"the frame of port '{name}'", patch.frame)
    if frame.shape != (3, 3) or not np.allclose(frame.T @ frame, np.eye(3), atol=1e-9) or np.linalg.det(frame) < 0:
        raise MeshError(f"the frame of port '{name}' is no rotation matrix: give three right-handed axes of length 1 as its columns")
    place = mesh.places[nodes].mean(axis=0)
    if len(nodes) == 1:
        rows = np.zeros((dofs, columns))
        rows[np.arange(dofs), dofs * nodes[0] + np.arange(dofs)] = 1
        return Interface(name, place, rows, frame)
    arms = mesh.places[nodes] - place
    moments = sum(skew(arm).T @ skew(arm) for arm in arms)
    sizes = np.linalg.eigvalsh(moments)
    if sizes[0] < _FLAT * sizes[2]:
        raise MeshError(
            f"the {len(nodes)} nodes of port '{name}' are in line, so that it has no turn about this line: add a node beside it"
        )
    rows = np.zeros((6, columns))
    inverse = np.linalg.inv(moments)
    for node, arm in zip(nodes, arms, strict=True):
        at = dofs * node
        rows[:3, at : at + 3] = np.eye(3) / len(nodes)
        rows[3:, at : at + 3] = inverse @ skew(arm)
    slaves = np.concatenate([dofs * nodes + k for k in range(dofs)]) if patch.rigid else None
    return Interface(name, place, rows, frame, slaves)
