"""Paths of SVG as polygons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from coupling.errors import BuildError, shown

_WORD = re.compile(r"([MmLlHhVvCcSsQqTtAaZz])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([\s,]+)|(.)", re.DOTALL)
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_PIECES = 12
"""Chords of a curve."""
_CHORD = np.pi / 24
"""The angle of a chord of an arc."""


def polygons(text: str) -> list[list[tuple[float, float]]]:
    """Returns the closed rings of a path; curves become chords."""
    rings: list[list[complex]] = []
    here = start = control = 0j
    before = ""
    for command, values in _commands(text):
        kind, origin = command.upper(), here if command.islower() else 0j
        if kind == "M":
            here = start = origin + complex(*values)
            rings.append([here])
        elif not rings:
            raise BuildError(f"the path {shown(text)} is refused: it begins with {command}; begin it with M, the first point")
        elif kind == "Z":
            here = start
            rings.append([here])
        elif kind in "HV":
            here = complex(values[0] + origin.real, here.imag) if kind == "H" else complex(here.real, values[0] + origin.imag)
            rings[-1].append(here)
        elif kind == "A":
            end = origin + complex(*values[5:])
            rings[-1] += _arc(here, end, *values[:5])
            here = end
        else:
            points = [origin + complex(*pair) for pair in zip(values[::2], values[1::2], strict=True)]
            if kind in "ST":  # the first control point is that of the curve before, mirrored
                points.insert(0, 2 * here - control if before in ("CS" if kind == "S" else "QT") else here)
            rings[-1] += [points[-1]] if kind == "L" else _bezier([here, *points])
            control, here = points[-2] if len(points) > 1 else here, points[-1]
        before = kind
    found = [[(p.real, p.imag) for p in ring] for ring in rings]
    found = [ring[:-1] if len(ring) > 1 and ring[0] == ring[-1] else ring for ring in found]
    found = [ring for ring in found if len(ring) > 2]
    if not found:
        raise BuildError(
            f"the path {shown(text)} is refused: it encloses no area; give at least three points, such as 'M 0 0 L 1 0 L 0 1 Z'"
        )
    return found


def _commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Yields letters with as many numbers as they take; a repeated letter may be left out."""
    command = ""
    values: list[float] = []
    for letter, number, _, other in _WORD.findall(text):
        if other or (number and (not command or command in "Zz")):
            raise BuildError(
                f"the path {shown(text)} is refused at {shown(other or number)}; it has letters M L H V C S Q T A Z and numbers"
            )
        if letter:
            if values:
                break
            command = letter
            if letter in "Zz":
                yield letter, []
        elif number:
            values.append(float(number))
            if len(values) == _NUMBERS[command.upper()]:
                yield command, values
                values = []
                command = {"M": "L", "m": "l"}.get(command, command)
    if values:
        raise BuildError(
            f"the path {shown(text)} is refused: {command} takes {_NUMBERS[command.upper()]} numbers, and has {len(values)} at the end"
        )


def _bezier(points: list[complex]) -> list[complex]:
    found = []
    for k in range(1, _PIECES + 1):
        level = points
        while len(level) > 1:
            level = [a + (b - a) * k / _PIECES for a, b in pairwise(level)]
        found.append(level[0])
    return found


def _arc(a: complex, b: complex, rx: float, ry: float, degrees: float, large: float, sweep: float) -> list[complex]:
    """Returns an arc of an ellipse from a to b, by the midpoint method of SVG in a frame in which it is a circle."""
    if a == b or not rx or not ry:
        return [b]
    turn = np.exp(1j * np.radians(degrees))

    def circular(p: complex) -> complex:
        q = p / turn
        return complex(q.real / abs(rx), q.imag / abs(ry))

    u, v = circular(a), circular(b)
    half = abs(v - u) / 2
    scale = max(1.0, half)
    aside = np.sqrt(max(0.0, scale**2 - half**2)) * (1 if bool(large) != bool(sweep) else -1)
    centre = (u + v) / 2 + 1j * (v - u) / (2 * half) * aside
    first, last = np.angle(u - centre), np.angle(v - centre)
    across = (last - first) % (2 * np.pi) if sweep else -((first - last) % (2 * np.pi))
    found = []
    pieces = int(np.ceil(abs(across) / _CHORD))
    for k in range(1, pieces + 1):
        q = centre + scale * np.exp(1j * (first + across * k / pieces))
        found.append(complex(turn * complex(q.real * abs(rx), q.imag * abs(ry))))
    return [*found[:-1], b]
