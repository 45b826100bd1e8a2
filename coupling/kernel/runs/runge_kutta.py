"""The kernel's Runge-Kutta integrator; see ``runge_kutta.h``."""

from __future__ import annotations

import ctypes

from coupling.kernel.runs.tableau import DoublePointer, TableauStructure

Derivative = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, DoublePointer, DoublePointer)


class RungeKuttaStructure(ctypes.Structure):
    """`RungeKutta` in runge_kutta.h, without the method's own part."""

    _fields_ = [
        ("tableau", ctypes.POINTER(TableauStructure)),
        ("count", ctypes.c_int),
        ("derivative", Derivative),
        ("context", ctypes.c_void_p),
        ("rtol", ctypes.c_double),
        ("largest", ctypes.c_double),
        ("atol", DoublePointer),
        ("t", ctypes.c_double),
        ("h", ctypes.c_double),
        ("t_before", ctypes.c_double),
        ("x", DoublePointer),
        ("dx", DoublePointer),
        ("x_before", DoublePointer),
        ("steps", ctypes.c_long),
        ("rejected", ctypes.c_long),
        ("refused", ctypes.c_long),
        ("evaluations", ctypes.c_long),
        ("worst", ctypes.c_int),
        ("correct", ctypes.c_void_p),
    ]
