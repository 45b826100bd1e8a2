"""The centre line of a flexible beam at one time, from the frames of its ends, and its mean frame if it has one."""

from __future__ import annotations

import numpy as np

from coupling.pictures.pose import Posed
from coupling.pictures.shapes import Shape

_POINTS = 17


def bent_line(posed: Posed, shape: Shape) -> np.ndarray:
    """Returns points of a shape ``bent`` in absolute coordinates.

    In the mean frame the deflection has no mean and no mean turn. With place and slope of both ends this determines a polynomial of fifth
    degree, which is exact for beams with up to four bending shapes. Without a mean frame the line is of third degree, from end to end.
    Deflections are magnified, places along the beam are not.
    """
    ends = [posed.point(shape[end]) for end in "ab"]
    along = [posed.direction([shape[end][0], axis]) for end, axis in zip("ab", shape["along"], strict=True)]
    if "frame" in shape:
        turned, origin = posed.turned(shape["frame"])[:, :2], posed.point([shape["frame"], np.zeros(posed.scene.dimension)])
    else:
        x, y, *rest = shape["along"][0]
        across = posed.direction([shape["a"][0], [-y, x, *rest]])
        turned, origin = np.stack([along[0], across], axis=1), ends[0]
    (u0, v0), (u1, v1) = ((end - origin) @ turned for end in ends)
    d0, d1 = (shape["length"] / 2 * np.arctan2(y, x) for x, y in (axis @ turned for axis in along))
    even, odd, by_even, by_odd = (v1 + v0) / 2, (v1 - v0) / 2, (d1 - d0) / 2, (d1 + d0) / 2
    if "frame" in shape:
        fourth, fifth = (by_even - 3 * even) / 7, (by_odd - 6 * odd) / 9
        found = [0, 0, even - fourth, odd - fifth, fourth, fifth]
    else:
        found = [even - by_even / 3, odd - (by_odd - odd) / 5, by_even / 3, (by_odd - odd) / 5]
    xi = np.linspace(-1, 1, _POINTS)
    local = np.stack([(u0 * (1 - xi) + u1 * (1 + xi)) / 2, posed.scene.geometry.magnify * np.polynomial.legendre.legval(xi, found)], axis=1)
    return np.asarray(origin + local @ turned.T)
