"""Derivatives and multipliers of exported mechanisms against a dense evaluation in NumPy that knows no schedule (tests/support/systems/dense.py)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.runtime.driver import Driver
from tests.support.systems.dense import Dense
from tests.support.systems.exported import CASES, exported


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_derivatives_and_multipliers_are_those_of_the_oracle(name, fmi):
    case = CASES[name]
    random = np.random.default_rng(7)
    built = case.system().build()
    with Dense(built) as dense, Driver(exported(name, fmi), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        assert np.abs(fmu.states - dense.start).max() <= 1e-12
        for k in range(7):
            t = 0.0 if k == 0 else random.uniform(0, 0.4)
            x = dense.start + (0.3 * random.standard_normal(len(dense.start)) if k else 0.0)
            fmu.at(t, x)
            fmu.set({i: drive(t) for i, drive in case.inputs.items()})
            expected = dense.evaluate(t, x)
            assert np.abs(fmu.derivatives - expected).max() <= 1e-12 * np.abs(expected).max()
            unknowns = [f"{built.parts[a.part].name}.{dense.name(a)}" for a in dense.unknowns]
            found = np.array(list(fmu.get(unknowns).values()))
            assert np.abs(found - dense.z).max(initial=0) <= 1e-12 * max(1.0, np.abs(dense.z).max(initial=0))


@pytest.mark.parametrize("name", CASES)
def test_a_derivative_depends_on_nothing_but_its_arguments(name):
    """Equal arguments give bit-identical derivatives after any other point; integrators compute Jacobians from differences."""
    case = CASES[name]
    random = np.random.default_rng(3)
    with Driver(exported(name, 2), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        start, seen = fmu.states, []
        for _ in range(80):
            fmu.at(0.2, start + 0.1 * random.standard_normal(len(start)))
            assert np.isfinite(fmu.derivatives).all()
            if random.random() < 0.3:
                fmu.get([f"der({fmu.description.derivatives[0].variable.derivative.name})", *list(fmu.variables)[1:5]])
            fmu.at(0.1, start)
            seen.append(fmu.derivatives)
        assert all((d == seen[1]).all() for d in seen[2:])
