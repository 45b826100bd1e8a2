"""Content of a file of a mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmu_components.flexible.given import MeshError
from fmu_components.flexible.mesh import Array


@dataclass(frozen=True)
class MeshFile:
    """Content of a file of a mesh; ``labels`` are the numbers of its nodes, and ``triangles`` those of its surface by rows of ``nodes``."""

    K: Any
    M: Any
    nodes: Array
    labels: NDArray[np.int64]
    triangles: NDArray[np.int64] | None = None

    def rows(self, labels: ArrayLike) -> list[int]:
        """Returns the rows in ``nodes`` of the nodes with these ``labels``. Unknown ones raise MeshError."""
        place = {int(label): row for row, label in enumerate(self.labels)}
        found = []
        for label in np.atleast_1d(labels):
            if int(label) not in place:
                raise MeshError(
                    f"the mesh has no node {int(label)}; its {len(self.labels)} nodes have numbers from {self.labels.min()} to {self.labels.max()}"
                )
            found.append(place[int(label)])
        return found


def named_matrices(path: Path, found: Mapping[str, Any], names: tuple[str, str] | None) -> tuple[Any, Any]:
    """Returns stiffness and mass among the matrices ``found`` in a file: those with the ``names``, or the only ones that begin with K and M."""
    there = ", ".join(found) or "none"
    chosen = []
    for letter, kind, name in zip("KM", ("stiffness", "mass"), names or (None, None), strict=True):
        fitting = [each for each in found if (each.upper() == name.upper() if name else each.upper().startswith(letter))]
        if len(fitting) != 1:
            wanted = f"no matrix '{name}'" if name else f"{len(fitting)} matrices that begin with {letter}"
            raise MeshError(f"'{path}' has {wanted} for the {kind}; it holds {there}: name two of them, such as matrices=('KGG', 'MGG')")
        chosen.append(found[fitting[0]])
    return chosen[0], chosen[1]
