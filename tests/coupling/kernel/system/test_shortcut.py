"""The shortcut through loops that are affine, and the way back where one turns out not to be."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import Piecewise

from coupling import System
from fmu_components.declare.component import TIME, Component


class Hardening(Component):
    """An output that is affine in its input until half of the second, and cubic from then on; a state that follows the input."""

    def declare(self):
        second = self.parameter("second", 1.0, "s", "one second", above=0)
        u = self.input("u", 0.0, "", "input")
        x = self.state("x", 0.0, "", "state")
        self.rate(x, (u - x) / second)
        late = TIME / second - 0.5
        bend = Piecewise((late**3, late > 0), (0, True))
        self.output("y", 0.3 * u + bend * u**3 - x / 2, "", "output")


class Closing(Component):
    """Closes the loop: u = 1 - y/2."""

    def declare(self):
        u = self.input("u", 0.0, "", "input")
        self.output("y", 1 - u / 2, "", "output")


def slope(t, x):
    """The same system by root finding, without any loop's machinery."""
    bend = max(0.0, t - 0.5) ** 3
    u = brentq(lambda u: u - 1 + (0.3 * u + bend * u**3 - x[0] / 2) / 2, -10, 10, xtol=1e-15)
    return [u - x[0]]


@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_loop_that_becomes_nonlinear_on_the_way_is_noticed_and_done_again(solver):
    """Checks have become rare by then; the rows that were recorded since the last one are recorded again, each once."""
    system = System("hardening")
    system.add("hardening", Hardening)
    system.add("closing", Closing)
    system.connect("hardening.y", "closing.u")
    system.connect("closing.y", "hardening.u")
    times = np.linspace(0, 4, 201)
    result = system.simulate(4.0, solver=solver, rtol=1e-10, atol=1e-10, output_times=times, max_step=0.02)
    exact = solve_ivp(slope, (0, 4), [0.0], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=times)
    assert result.outcome.completed
    assert np.array_equal(result.time, times)
    assert np.abs(result["hardening.x"] - exact.y[0]).max() < 1e-8
    assert result.statistics.newton_iterations > result.statistics.evaluations  # more than one each, once it is not affine
