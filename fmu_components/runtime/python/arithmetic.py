"""Arithmetic as in C: what has no value is NaN or infinite, and never an exception."""

from __future__ import annotations

import math
from collections.abc import Callable


def divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.copysign(math.inf, a) * math.copysign(1.0, b) if a != 0 and a == a else math.nan


def power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan


def sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def log(x: float) -> float:
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x


def ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) else x


def modulo(a: float, b: float) -> float:
    return a % b if b != 0 else math.nan


def _guarded(function: Callable[[float], float], odd: bool = False) -> Callable[[float], float]:
    def guarded(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x) if odd else math.inf
        except ValueError:
            return math.nan

    return guarded


sin, cos, tan = _guarded(math.sin), _guarded(math.cos), _guarded(math.tan)
asin, acos, acosh, atanh = _guarded(math.asin), _guarded(math.acos), _guarded(math.acosh), _guarded(math.atanh)
exp, cosh, sinh = _guarded(math.exp), _guarded(math.cosh), _guarded(math.sinh, odd=True)
