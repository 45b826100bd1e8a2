"""The test for equal expressions, independent of their form: their values at one random point, in the whole numbers modulo a large prime.

Nothing is rounded there. Sums, products and quotients that are the same as functions have the same value; others differ, except with a
chance of one in 10^30. Functions other than these are taken as random ones of their operands; a sine and a cosine of the same angle lie on
a circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2b

PRIME = 2**127 - 1


def of_leaf(name: Sequence[object]) -> int:
    """Returns a random number that depends on the name alone."""
    return int.from_bytes(blake2b(repr(tuple(name)).encode(), digest_size=16).digest()) % PRIME


def of_number(value: float) -> int | None:
    """Returns the number of a value; None where the value is infinite, or no number."""
    try:
        exact = Fraction(value)
    except (OverflowError, ValueError):
        return None
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


def quotient(a: int, b: int) -> int | None:
    return a * pow(b, -1, PRIME) % PRIME if b else None


def on_circle(angle: int) -> tuple[int, int]:
    """Returns sine and cosine of an angle."""
    half = of_leaf(("tangent of half of", angle))
    whole = pow(1 + half * half, -1, PRIME)
    return 2 * half * whole % PRIME, (1 - half * half) * whole % PRIME
