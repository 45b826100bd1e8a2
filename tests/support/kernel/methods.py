"""The explicit Runge-Kutta methods of the kernel, and equations to try them on."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.kernel.system.status import Status
from coupling.solvers import dop853, dopri5
from tests.support.kernel.runge_kutta import RungeKutta

# The method; the orders of its result, of its error estimates, and of its dense output; its name in SciPy.
METHODS = {
    "dopri5": (dopri5.METHOD, 5, [4], 4, "RK45"),
    "dop853": (dop853.METHOD, 8, [5, 3], 7, "DOP853"),
}
BOTH = [pytest.param(method[0], id=name) for name, method in METHODS.items()]


def integrated(method, f, x, end, tolerance):
    rk = RungeKutta(method, f, tolerance, tolerance, len(x))
    rk.start(0.0, x)
    assert rk.integrate(end) == Status.DONE
    return rk


def oscillator(_t, x):
    return x[1], -x[0]


def growth(t, x):
    """Solved by exp(sin t)."""
    return x * np.cos(t)


# The orbit of a satellite about earth and moon that closes after its period (Hairer, Norsett, Wanner, section II.0).
MOON = 0.012277471
ARENSTORF = [0.994, 0.0, 0.0, -2.00158510637908252240537862224]
PERIOD = 17.0652165601579625588917206249


def satellite(_t, state):
    x, y, u, v = state
    earth = ((x + MOON) ** 2 + y**2) ** 1.5
    moon = ((x - 1 + MOON) ** 2 + y**2) ** 1.5
    ax = x + 2 * v - (1 - MOON) * (x + MOON) / earth - MOON * (x - 1 + MOON) / moon
    return u, v, ax, y - 2 * u - (1 - MOON) * y / earth - MOON * y / moon
