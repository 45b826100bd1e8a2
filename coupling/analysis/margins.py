"""Gain and phase margins of a loop, from its open-loop frequency response."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

_POINTS, _BEYOND = 60, 1e8
"""Frequencies per decade, and the factor by which they go beyond all poles and zeros."""
_NEAR, _STILL, _HALVINGS = 1e-9, 1e-9, 60
"""Least distance from a pole or zero, the share of a response that is rounding, and the halvings of a bracket."""
_ROUNDING = 1e-14
"""Rounding of a response relative to the sizes of its terms. Next to a pole it is divided by the relative distance from it."""


@dataclass(frozen=True, kw_only=True)
class Margins:
    """Margins of a closed loop: the changes of its gain and phase at which it becomes unstable. ``print`` shows them."""

    gain: float
    """Factor of the loop gain that makes the loop unstable, the one nearest to 1; below 1 a smaller gain does. Infinite if no gain does."""
    gain_frequency: float
    """Frequency in Hz at which the phase is -180 degrees; not a number if none exists."""
    phase: float
    """Phase in degrees that makes the loop unstable, the smallest one: a lag if positive. Infinite if no phase does."""
    phase_frequency: float
    """Frequency in Hz at which the gain is 1; not a number if none exists."""
    gains: tuple[tuple[float, float], ...]
    """Frequencies in Hz and gain margins of all crossings of -180 degrees."""
    phases: tuple[tuple[float, float], ...]
    """Frequencies in Hz and phase margins of all crossings of the gain 1."""
    stable: bool
    """True if no motion of the closed loop grows. Margins of an unstable loop do not say how to make it stable."""

    @property
    def gain_db(self) -> float:
        """Gain margin in dB."""
        return 20 * math.log10(self.gain)

    @property
    def delay(self) -> float:
        """Delay in s that makes a stable loop unstable; infinite if no delay does."""
        delays = [math.radians(phase % 360) / (2 * math.pi * hertz) for hertz, phase in self.phases]
        return min(delays, default=math.inf)

    def __str__(self) -> str:
        lines = [f"the closed loop is {'stable' if self.stable else 'unstable'}"]
        if math.isinf(self.gain):
            lines.append("gain margin: infinite, the phase does not cross -180 degrees")
        else:
            lines.append(f"gain margin: {self.gain:.4g} ({self.gain_db:+.2f} dB) at {self.gain_frequency:.4g} Hz")
        if math.isinf(self.phase):
            lines.append("phase margin: infinite, the gain does not cross 1")
        else:
            late = f"; delay margin: {self.delay:.4g} s" if self.stable else ""
            lines.append(f"phase margin: {self.phase:.4g} degrees at {self.phase_frequency:.4g} Hz{late}")
        return "\n".join(lines)


def margins_of(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: float, stable: bool) -> Margins:
    """Returns the margins of the loop gain L(s) = C (s I - A)^-1 B + D, which negative feedback closes."""

    poles = np.linalg.eigvals(A)

    def states(omega: np.ndarray) -> np.ndarray:
        """Returns the response of the states by frequency."""
        left = 1j * omega[:, None, None] * np.eye(len(A)) - A
        return np.linalg.solve(left, np.broadcast_to(B[:, None], (len(omega), len(B), 1)))

    def gain(omega: np.ndarray) -> np.ndarray:
        """Returns the loop gain by frequency."""
        return np.asarray((C @ states(omega))[:, 0] + D)

    def imaginary(omega: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Returns the imaginary part of a loop gain, and 0 where that is rounding."""
        away = np.abs(1j * omega[:, None] - poles).min(axis=1, initial=np.inf)
        rounding = _ROUNDING * (np.abs(C) @ np.abs(states(omega)))[:, 0] * (1 + omega / away)
        return np.where(np.abs(found.imag) > np.maximum(_STILL * np.abs(found.real), rounding), found.imag, 0.0)

    def phase(w: float) -> float:
        """Returns the angle in degrees from -180 degrees."""
        at = np.array([w])
        return float(np.degrees(np.arctan2(0.0 - imaginary(at, gain(at)), -gain(at).real))[0])

    omega = _frequencies(A, B, C, D)
    with np.errstate(all="ignore"):
        found = gain(omega)
        across = imaginary(omega, found)
        half_turns = [w for w in _crossings(lambda w: gain(w).imag, omega, across) if gain(np.array([w]))[0].real < 0]
        ones = _crossings(lambda w: np.log(np.abs(gain(w))), omega, np.log(np.abs(found)))
        gains = tuple((w / (2 * math.pi), float(1 / abs(gain(np.array([w]))[0]))) for w in half_turns)
        phases = tuple((w / (2 * math.pi), phase(w)) for w in ones)
    least = min(gains, key=lambda each: abs(math.log(each[1])), default=(math.nan, math.inf))
    first = min(phases, key=lambda each: abs(each[1]), default=(math.nan, math.inf))
    return Margins(
        gain=least[1],
        gain_frequency=least[0],
        phase=first[1],
        phase_frequency=first[0],
        gains=gains,
        phases=phases,
        stable=stable,
    )


def _frequencies(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: float) -> np.ndarray:
    """Returns frequencies in rad/s between which a response has no hidden crossing: dense in decades, and around each pole and zero."""
    pencil = np.block([[A, B[:, None]], [C[None, :], np.array([[D]])]])
    zeros = scipy.linalg.eigvals(pencil, np.diag([*np.ones(len(A)), 0.0]))
    points = np.concatenate([np.linalg.eigvals(A), zeros[np.isfinite(zeros)]])
    sizes = np.abs(points)
    sizes = sizes[(sizes > _NEAR * np.median(sizes)) & (sizes < np.median(sizes) / _NEAR)] if len(sizes) else sizes
    low, high = (sizes.min(), sizes.max()) if len(sizes) else (1.0, 1.0)
    low, high = low / _BEYOND, high * _BEYOND
    found = [np.geomspace(low, high, int(_POINTS * math.log10(high / low)))]
    for point in points[np.abs(points.imag) > 0]:
        away = np.geomspace(max(abs(point.real), _NEAR * abs(point)) / 10, abs(point), 2 * _POINTS)
        found += [abs(point.imag) - away, abs(point.imag) + away]
    every = np.unique(np.concatenate(found))
    return every[every > 0]


def _crossings(of: Callable[[np.ndarray], np.ndarray], omega: np.ndarray, values: np.ndarray) -> list[float]:
    """Returns the zeros of a function from its values at frequencies. Changes of sign through infinity, as at a pole, are left out."""
    omega, values = omega[values != 0], values[values != 0]
    change = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    low, high, sign = omega[change], omega[change + 1], np.sign(values[change])
    limit = np.maximum(np.abs(values[change]), np.abs(values[change + 1]))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = np.sign(of(middle)) == sign
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return [float(w) for w, left, most in zip(high, np.abs(of(high)), limit, strict=True) if left <= most]
