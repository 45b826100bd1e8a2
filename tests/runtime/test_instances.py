"""Many instances: created, run and freed without growth."""

from __future__ import annotations

import resource

import pytest

from driver import Driver
from fmu_components.catalogue import find


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_a_thousand_instances_leave_nothing_behind(kind, fmi, fmu):
    """After a first thousand, a second thousand does not let the process grow."""
    path = fmu(find("planar.Body4"), fmi)

    def thousand():
        drivers = [Driver(path, kind, f"body{i}") for i in range(1000)]
        for i, driver in enumerate(drivers):
            driver.start({"m": 1.0 + i})
            state = driver.fmu.getFMUState()
            driver.fmu.freeFMUState(state)
        values = [driver["der(vx)"] for driver in drivers[::100]]
        for driver in drivers:
            driver.__exit__()
        return values

    thousand()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert thousand() == [0.0] * 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kB more than before"


def test_instances_of_one_process_keep_their_parameters(fmi, fmu):
    """A thousand instances that live together each fall with their own gravity."""
    path = fmu(find("planar.Body1"), fmi)
    drivers = [Driver(path, "cs", f"body{i}") for i in range(1000)]
    try:
        for i, driver in enumerate(drivers):
            driver.start({"gy": -float(i)})
        for driver in drivers:
            driver.step(0.0, 1.0)
        assert [driver["y"] for driver in drivers] == pytest.approx([-i / 2 for i in range(1000)], abs=1e-9)
    finally:
        for driver in drivers:
            driver.__exit__()
