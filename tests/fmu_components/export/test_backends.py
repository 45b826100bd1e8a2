"""Both backends of one declaration say the same."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.declare.component import component_name, declaration
from fmu_components.declare.declaration import Role
from fmu_components.export.build import cached_fmu
from tests.support.declare.reference import reference
from tests.support.runtime.driver import Driver

ROUNDING = {"spatial.RevoluteBody": 10}
"""By how much more rounding grows: over a step, where an acceleration of 1e3 is a quotient of what cancels."""


@pytest.fixture(scope="module")
def python_fmu():
    from functools import cache

    return cache(lambda component: cached_fmu(component, 2, backend="python"))


def test_both_backends_give_the_same_outputs(component, fmu, python_fmu):
    """For the same parameters, start values and inputs all outputs agree to 1e-12, at the start and after steps of any size."""
    random = np.random.default_rng(11)
    declared = declaration(component)
    point = reference(component).random_point(random)
    names = [v.name for v in declared.with_role(Role.OUTPUT)]
    start = {v.name: point[v.name] for v in declared.with_role(Role.PARAMETER, Role.STATE, Role.INPUT, Role.ALGEBRAIC)}
    with Driver(fmu(component, 2), "cs") as native, Driver(python_fmu(component), "cs", logging=True) as python:
        for driver in (native, python):
            driver.start(start)
        time = 0.0
        for size in (0.0, 0.01, 0.2, 0.05):
            if size:
                inputs = {v.name: point[v.name] + time for v in declared.with_role(Role.INPUT)}
                for driver in (native, python):
                    driver.set(inputs)
                    driver.step(time, size)
                time += size
            first, second = (driver.get(names) for driver in (native, python))
            scale = ROUNDING.get(component_name(component), 1) * max([1.0, *(abs(v) for v in first.values())])
            for name in names:
                assert second[name] == pytest.approx(first[name], rel=1e-12, abs=1e-12 * scale), (name, time)
