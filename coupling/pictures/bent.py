"""The centre line of a flexible beam at one time, from the frames of its ends and its mean frame."""

from __future__ import annotations

import numpy as np

from coupling.pictures.pose import Posed
from coupling.pictures.shapes import Shape

_POINTS = 17


def bent_line(posed: Posed, shape: Shape) -> np.ndarray:
    """Returns points of a shape ``bent`` in absolute coordinates.

    In the mean frame the deflection has no mean and no mean turn. With place and slope of both ends this determines a polynomial of fifth
    degree, which is exact for beams with up to four bending shapes.
    """
    frame, size = shape["frame"], 0.5 * shape["length"]
    turned, origin = posed.turned(frame), posed.point([frame, np.zeros(posed.scene.dimension)])
    ends = [(posed.point(shape[end]) - origin) @ turned for end in "ab"]
    slopes = [posed.direction([shape[end][0], np.eye(len(origin))[0]]) @ turned for end in "ab"]
    v, d = [end[1] for end in ends], [size * np.arctan2(slope[1], slope[0]) for slope in slopes]
    even, odd = (v[1] + v[0]) / 2, (v[1] - v[0]) / 2
    fourth, fifth = ((d[1] - d[0]) / 2 - 3 * even) / 7, ((d[1] + d[0]) / 2 - 6 * odd) / 9
    xi = np.linspace(-1, 1, _POINTS)
    across = np.polynomial.legendre.legval(xi, [0, 0, even - fourth, odd - fifth, fourth, fifth])
    points = np.zeros((_POINTS, len(origin)))
    points[:, 0], points[:, 1] = (ends[0][0] * (1 - xi) + ends[1][0] * (1 + xi)) / 2, across
    return np.asarray(origin + points @ turned.T)
