"""Classes of elastic bodies, from finite elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmu_components.flexible.block import WeldedFlexibleBody
from fmu_components.flexible.body import FlexibleBody, class_of
from fmu_components.flexible.drawn import drawn
from fmu_components.flexible.elastic import Elastic
from fmu_components.flexible.given import MeshError, check_count, check_name, check_names, check_word, decomposed, real_array
from fmu_components.flexible.integrals import numbers, rooted_numbers
from fmu_components.flexible.mesh import UNITS, Geometric, Mesh, mesh_of
from fmu_components.flexible.ports import interfaces
from fmu_components.flexible.reduction import free_shapes, port_shapes, rooted_shapes


def flexible_body(
    K: Any,
    M: Any,
    nodes: ArrayLike,
    ports: Mapping[str, Any],
    *,
    name: str = "FlexibleBody",
    root: str | None = None,
    unit: str = "m",
    shapes: int | None = None,
    inner: int = 4,
    basis: str = "ports",
    geometric: Geometric | None = None,
    points: Mapping[str, Any] | None = None,
    stress: Mapping[str, ArrayLike] | None = None,
    triangles: ArrayLike | None = None,
) -> type[Elastic]:
    """Returns the component class of an elastic body of small strain, from the matrices of its finite elements.

    ``K`` and ``M`` are the stiffness and the mass of the free body, dense or sparse, with three or six degrees of freedom for each row of
    ``nodes``. ``name`` is that of the class. ``unit`` is "m" (N, m, kg) or "mm" (N, mm, tonnes). ``ports`` maps names to a node, to several nodes or to a ``Patch``;
    ``points`` maps names to nodes whose place is an output. With a ``root``, the name of one of the ports, the class is a block for trees: its
    root is clamped to a parent and gives effort, the other ports give motion. The shapes are the constraint modes of the ports and ``inner`` modes with
    the ports held, or with ``basis="free"`` the modes of the free body; ``shapes`` is the number that is kept, all by default. ``geometric``
    returns the geometric stiffness of given displacements of all nodes. ``stress`` maps names to rows that give a stress from them.
    ``triangles`` are rows of three nodes of the surface, for pictures and for ``resources/flexible.json`` in the FMU. What is no free elastic
    body raises MeshError.
    """
    check_word("basis", basis, ("ports", "free"), "'ports' for constraint modes of the ports, or 'free' for modes of the free body")
    check_word("unit of the mesh", unit, tuple(UNITS), "'m' for N, m and kg, or 'mm' for N, mm and tonnes")
    check_name("the body", name)
    for what, named in (("port", ports), ("point", points or {}), ("stress", stress or {})):
        check_names(what, named)
    check_count("inner", inner, 0)
    if shapes is not None:
        check_count("shapes", shapes, 1)
    if geometric is not None and not callable(geometric):
        raise MeshError(f"geometric = {str(geometric)[:40]} is refused: give a function from displacements to a stiffness, or leave it out")
    if root is not None and not (isinstance(root, str) and root in ports):
        raise MeshError(f"the root is {root!r}, which is none of the ports {', '.join(ports)}")
    with decomposed():
        mesh = mesh_of(K, M, nodes, unit=unit, geometric=geometric)
        held, seen = interfaces(mesh, ports), interfaces(mesh, points) if points else []
        base = next((each for each in held if each.name == root), None)
        children = [each for each in held if each is not base]
        if base is not None:
            found = rooted_shapes(mesh, base, children if basis == "ports" else [], shapes or inner if basis == "free" else inner, shapes)
        else:
            found = free_shapes(mesh, shapes or inner) if basis == "free" else port_shapes(mesh, held, inner, shapes)
        rows = {each: _stress(mesh, each, row, unit) @ found.columns for each, row in (stress or {}).items()}
        surface = drawn(mesh, found.columns, np.zeros(3) if base is None else base.place, triangles, held)
        if base is not None:
            return class_of(WeldedFlexibleBody, rooted_numbers(mesh, found, base, children, seen), name, rows, surface)
        return class_of(FlexibleBody, numbers(mesh, found, held, seen), name, rows, surface)


def _stress(mesh: Mesh, name: str, row: ArrayLike, unit: str) -> NDArray[np.float64]:
    """Returns the row that gives a stress in Pa from displacements in the scale of the mesh."""
    length, energy = UNITS[unit]
    given = real_array(f"the stress '{name}'", row)
    if given.shape != (mesh.K.shape[0],) or not np.isfinite(given).all():
        raise MeshError(
            f"the stress '{name}' has the shape {given.shape}; give a finite number for each of the {mesh.K.shape[0]} rows of K"
        )
    scale = np.tile(np.repeat([1 / length, 1.0], 3)[: mesh.dofs], len(mesh.nodes))
    return np.asarray(energy / length**3 * (given * scale))
