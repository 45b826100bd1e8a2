"""Co-Simulation steps: inputs that vary inside them, saved states, derivatives of outputs, steps that fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from tests.support.declare.reference import reference
from tests.support.runtime.driver import Driver, status_of

BODY = find("planar.Body2")
INPUTS = [v.name for v in declaration(BODY).with_role(Role.INPUT)]
STATES = [v.name for v in declaration(BODY).with_role(Role.STATE)]
PARAMETERS = {"m": 1.3, "I": 0.4, "p1.rx": 0.5, "p1.ry": -0.2, "p2.rx": -0.4, "p2.ry": 0.3, "gx": 0.3}
START = {"x": 0.1, "y": -0.2, "theta": 0.3, "vx": 1.0, "vy": 0.5, "omega": -2.0}
# Wrenches as quadratic polynomials in time, one row of coefficients per input.
WRENCH = np.random.default_rng(8).uniform(-3, 3, (len(INPUTS), 3))


def wrench(time):
    return WRENCH @ [1, time, time**2]


def slopes(time, x):
    point = (
        {v.name: v.start for v in reference(BODY).base}
        | PARAMETERS
        | dict(zip(STATES, x, strict=True))
        | dict(zip(INPUTS, wrench(time), strict=True))
    )
    return RATES(point)


def _rates():
    import sympy

    declared = declaration(BODY)
    symbols = [v.symbol for v in reference(BODY).base]
    function = sympy.lambdify(symbols, [declared.expand(declared[f"der({n})"].symbol) for n in STATES], "math", cse=True)
    return lambda point: function(*(0.0 if point[v.name] is None else point[v.name] for v in reference(BODY).base))


RATES = _rates()
END = 2.0
EXACT = solve_ivp(slopes, (0, END), [START[n] for n in STATES], rtol=1e-12, atol=1e-13, method="DOP853", dense_output=True).sol


class PolynomialBody:
    """The body under the wrench, in either version: input derivatives in FMI 2, intermediate update in FMI 3."""

    def __init__(self, fmu, fmi):
        self.driver = Driver(fmu(BODY, fmi), "cs", intermediate_update=self.update if fmi == 3 else None)
        self.driver.start(PARAMETERS | START)
        self.time = 0.0

    def update(self, environment, time, set_requested, get_allowed, finished, can_return, early, early_time):
        if set_requested:
            self.driver.set(dict(zip(INPUTS, wrench(time), strict=True)))

    def step(self, size):
        self.driver.set(dict(zip(INPUTS, wrench(self.time), strict=True)))
        if self.driver.fmi == 2:
            for name, (_, first, second) in zip(INPUTS, WRENCH, strict=True):
                self.driver.input_derivatives(name, first + 2 * second * self.time, 2 * second)
        self.driver.step(self.time, size)
        self.time += size

    def check(self):
        found = self.driver.get(STATES)
        assert np.allclose([found[n] for n in STATES], EXACT(self.time), rtol=0, atol=1e-9)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.floats(1e-6, 0.7), min_size=1, max_size=12))
def test_a_body_follows_the_reference_for_any_sequence_of_steps(sizes, fmi, fmu):
    """Under polynomial wrenches all states stay within 1e-9 of SciPy's solution at rtol 1e-12."""
    body = PolynomialBody(fmu, fmi)
    with body.driver:
        for size in sizes:
            if body.time + size <= END:
                body.step(size)
                body.check()


def test_a_body_follows_the_reference_again_after_its_state_was_restored(fmi, fmu):
    """Saved, stepped past, restored: the same steps give the same bits, and other steps still follow the reference."""
    body = PolynomialBody(fmu, fmi)
    with body.driver as driver:
        body.step(0.3)
        saved, time = driver.fmu.getFMUState(), body.time
        ends = []
        for _ in range(2):
            driver.fmu.setFMUState(saved)
            body.time = time
            for size in (0.2, 0.01, 0.5):
                body.step(size)
            body.check()
            ends.append(driver.get([*STATES, "p1.ax", "energy.kinetic"]))
        assert ends[0] == ends[1]
        driver.fmu.setFMUState(saved)
        body.time = time
        body.step(0.77)
        body.check()
        driver.fmu.freeFMUState(saved)


def test_a_body_follows_the_reference_from_a_state_serialised_into_another_instance(fmi, fmu):
    """The bytes of a state continue in an instance that has never seen the parameters."""
    first, second = PolynomialBody(fmu, fmi), PolynomialBody(fmu, fmi)
    with first.driver, second.driver:
        first.step(0.4)
        state = first.driver.fmu.getFMUState()
        data = first.driver.fmu.serializeFMUState(state)
        second.driver.set({"m": 77.0})
        copy = second.driver.fmu.deserializeFMUState(data)
        second.driver.fmu.setFMUState(copy)
        second.time = first.time
        for body in (first, second):
            body.step(0.6)
            body.check()
        assert first.driver.get(STATES) == second.driver.get(STATES)
        first.driver.fmu.freeFMUState(state)
        second.driver.fmu.freeFMUState(copy)


def test_output_derivatives_are_those_of_the_outputs(fmu):
    """The first derivative of every output of a body equals the difference of the output over a tiny step, in FMI 2."""
    body = PolynomialBody(fmu, 2)
    names = [v.name for v in declaration(BODY).with_role(Role.OUTPUT)]
    with body.driver as driver:
        body.step(0.5)
        tiny = 1e-6
        before = driver.get(names)
        body.step(tiny)
        rates = {n: driver.output_derivative(n) for n in names}
        after = driver.get(names)
    for name in names:
        assert (after[name] - before[name]) / tiny == pytest.approx(rates[name], abs=1e-3 * max(1, abs(rates[name]))), name


def test_constant_inputs_have_output_derivatives_in_fmi_3_as_well(fmu):
    """The derivative of p1.x is p1.vx, and that of p1.vx is p1.ax."""
    with Driver(fmu(BODY, 3), "cs") as driver:
        driver.start(PARAMETERS | START)
        driver.step(0.0, 0.1)
        assert driver.output_derivative("p1.x") == pytest.approx(driver["p1.vx"], rel=1e-14)
        assert driver.output_derivative("p1.vx") == pytest.approx(driver["p1.ax"], rel=1e-14)


def test_input_derivatives_hold_for_one_step(fmu):
    """A step without input derivatives holds the value that the input had reached."""
    with Driver(fmu(BODY, 2), "cs") as driver:
        driver.start({"m": 1.0, "gy": 0.0})
        driver.input_derivatives("p1.Fx", 2.0)
        driver.step(0.0, 1.0)
        assert driver["p1.Fx"] == 2.0
        assert driver["vx"] == pytest.approx(1.0, abs=1e-12)
        driver.step(1.0, 1.0)
        assert driver["vx"] == pytest.approx(3.0, abs=1e-12)


def test_an_early_return_ends_the_step_where_the_importer_asked(fmu):
    """A request during intermediate update stops the step at that internal step, and the next one goes on from there."""

    def update(environment, time, set_requested, get_allowed, finished, can_return, early, early_time):
        if can_return:
            early[0] = True

    with Driver(fmu(BODY, 3), "cs", intermediate_update=update) as driver:
        driver.start(PARAMETERS | START | {"omega": 40.0, "p1.Fx": 30.0})
        event, terminate, early, reached = driver.step(0.0, 3.0)
        assert early and not event and not terminate
        assert 0 < reached < 3
        assert driver["time"] == reached
        assert status_of(driver.step, reached, 3.0 - reached) == 0
