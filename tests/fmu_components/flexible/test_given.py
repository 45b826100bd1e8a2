"""Arguments of elastic bodies that make no sense are refused by a sentence, each before anything is computed with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jourdain import MeshError, Patch, flexible_body
from tests.support.flexible.meshes import brick

K, M, NODES = brick(counts=(3, 2, 2))
K, M = np.asarray(K), np.asarray(M)
ROWS = len(K)

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a matrix without stiffness": ({"K": 0 * K}, "K and M have no free modes"),
    "no mass": ({"M": 0 * M}, "K and M have no free modes"),
    "a negative stiffness": ({"K": -K}, "K and M have no free modes"),
    "a stiffness beyond numbers": ({"K": 1e300 * K}, "K and M have no free modes"),
    "a text for K": ({"K": "stiff"}, "K is no array of real numbers, but str"),
    "a ragged list for M": ({"M": [[1.0], [1.0, 2.0]]}, "M is no array of real numbers, but list"),
    "texts in K": ({"K": K.astype(str)}, "K is no array of real numbers, but ndarray"),
    "complex numbers in K": ({"K": 1j * K}, "K is no array of real numbers"),
    "a K of three dimensions": ({"K": K[None]}, f"K has the shape (1, {ROWS}, {ROWS}); give a square matrix"),
    "a function for nodes": ({"nodes": len}, "nodes is no array of real numbers, but builtin_function"),
    "nodes too close": ({"nodes": 1e-300 * NODES}, "K and M have no free modes"),
    "ports as a list": ({"ports": [0, 1]}, "ports = '[0, 1]' is refused: give a mapping with a name for each port"),
    "a port named like code": ({"ports": {"*/ system": 0}}, "a port is called '*/ system'; give a name of letters, digits and underscores"),
    "a number as a name": ({"ports": {1: 0}}, "a port is called '1'"),
    "a truth value for a node": ({"ports": {"a": True}}, "port 'a' is at the node True, which the mesh does not have"),
    "a frame of a text": ({"ports": {"a": Patch([0, 1, 2], frame="x")}}, "the frame of port 'a' is no array of real numbers"),
    "a body without a name": ({"name": None}, "the body is called 'None'"),
    "half a shape": ({"shapes": 0.5}, "shapes = 0.5 is refused: give a whole number of at least 1"),
    "no shape": ({"shapes": 0}, "shapes = 0 is refused"),
    "fewer than no inner modes": ({"inner": -1}, "inner = -1 is refused: give a whole number of at least 0"),
    "a list for the unit": ({"unit": ["m"]}, "the unit of the mesh is ['m']; give 'm' for N, m and kg"),
    "a list for the root": ({"root": ["a"]}, "the root is ['a'], which is none of the ports a"),
    "a number for points": ({"points": 1}, "points = '1' is refused"),
    "a stress that is not finite": ({"stress": {"s": np.full(ROWS, np.nan)}}, "give a finite number for each of the"),
    "a text for geometric": ({"geometric": "x"}, "geometric = x is refused: give a function"),
    "a geometric stiffness of another size": (
        {"geometric": lambda u: np.eye(3)},
        f"the geometric stiffness has 3 rows; its function must return {ROWS}",
    ),
}


@pytest.mark.parametrize(("changed", "sentence"), REFUSED.values(), ids=REFUSED)
def test_odd_arguments(changed: dict[str, Any], sentence: str) -> None:
    arguments: dict[str, Any] = {"K": K, "M": M, "nodes": NODES, "ports": {"a": 0, "b": len(NODES) - 1}, "shapes": 1} | changed
    with pytest.raises(MeshError) as refused:
        flexible_body(**arguments)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_errors_of_a_users_function_are_raised_as_they_are() -> None:
    def geometric(displacement: object) -> None:
        raise RuntimeError("the solver of the user has failed")

    with pytest.raises(RuntimeError, match="the solver of the user has failed"):
        flexible_body(K, M, NODES, {"a": 0, "b": len(NODES) - 1}, geometric=geometric)
