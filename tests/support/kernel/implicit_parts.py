"""The parts of implicit steps, each by itself: what ``implicit.h`` says of prediction and of fixed points."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_size_t

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, doubles_of, pointer

MOST_POINTS, MOST_ANSWERS = 5, 10
_numbers = POINTER(c_double)


class _Past(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("size", "width", "known", "count", "predictions")),
        ("predicted_time", c_double),
        ("time", c_double * MOST_POINTS),
        ("led", c_bool * MOST_POINTS),
        *((name, _numbers * MOST_POINTS) for name in ("point", "predicted", "work")),
    ]


class _FixedPoint(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("size", "known", "gains")),
        ("goes_on", c_bool),
        ("gain", c_double * 2),
        *((name, _numbers) for name in ("x", "value", "residual", "left")),
        *((name, _numbers * MOST_ANSWERS) for name in ("change", "difference", "base")),
    ]


declare(
    {
        "past_room": (c_size_t, [c_int]),
        "past_begin": (None, [POINTER(_Past), c_int, c_int, ctypes.c_void_p]),
        "past_add": (_numbers, [POINTER(_Past), c_double, c_bool]),
        "past_compare": (None, [POINTER(_Past)]),
        "past_predict": (_numbers, [POINTER(_Past), c_double]),
        "past_predict_led": (None, [POINTER(_Past), c_double, ctypes.c_void_p]),
        "fixed_point_room": (c_size_t, [c_int]),
        "fixed_point_begin": (None, [POINTER(_FixedPoint), c_int, ctypes.c_void_p]),
        "fixed_point_forget": (None, [POINTER(_FixedPoint)]),
        "fixed_point_leave": (None, [POINTER(_FixedPoint)]),
        "fixed_point_next": (None, [POINTER(_FixedPoint), *[ctypes.c_void_p] * 3, ctypes.c_int, ctypes.c_void_p]),
    }
)


class Past:
    """The last points, and predictions from them."""

    def __init__(self, size: int, led: int = 0) -> None:
        """Takes the number of predicted values, and the number of values that belong to the step that led to a point."""
        self._past, self._room = _Past(), np.zeros(library.past_room(size + led))
        library.past_begin(byref(self._past), size, size + led, pointer(self._room))

    @property
    def count(self) -> int:
        """Number of points for the extrapolation."""
        return self._past.count

    def add(self, time: float, values: Sequence[float] | np.ndarray, led: Sequence[float] | None = None) -> None:
        point = library.past_add(byref(self._past), time, led is not None)
        np.ctypeslib.as_array(point, shape=(self._past.width,))[:] = [*values, *(led or [0.0] * (self._past.width - self._past.size))]

    def compare(self) -> None:
        library.past_compare(byref(self._past))

    def predict(self, time: float) -> list[np.ndarray]:
        """Returns the extrapolations from one point, from two, and so on."""
        library.past_predict(byref(self._past), time)
        return [np.array(self._past.predicted[i][: self._past.size]) for i in range(self._past.predictions)]

    def predict_led(self, time: float, otherwise: Sequence[float]) -> np.ndarray:
        values = doubles_of(otherwise).copy()
        library.past_predict_led(byref(self._past), time, pointer(values))
        return values


class FixedPoint:
    """The fixed point of a map that is evaluated again and again."""

    def __init__(self, size: int) -> None:
        self._fixed_point, self._room = _FixedPoint(), np.zeros(library.fixed_point_room(size))
        library.fixed_point_begin(byref(self._fixed_point), size, pointer(self._room))

    @property
    def gains(self) -> list[float]:
        """The last ones, the newest first."""
        return self._fixed_point.gain[: self._fixed_point.gains]

    def forget(self) -> None:
        library.fixed_point_forget(byref(self._fixed_point))

    def leave(self) -> None:
        library.fixed_point_leave(byref(self._fixed_point))

    def next(self, x: np.ndarray, value: np.ndarray, scale: np.ndarray, held: int = 0) -> np.ndarray:
        """The next point, where the map has this value at a point; so many of the first unknowns stay."""
        result = np.zeros(len(x))
        arrays = [doubles_of(each) for each in (x, value, scale)]
        library.fixed_point_next(byref(self._fixed_point), *map(pointer, arrays), held, pointer(result))
        return result
