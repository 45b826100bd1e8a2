"""Many instances: created, run and freed without growth."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest
from fmpy import fmi3

from driver import Driver
from fmu_components.catalogue import find


def resident() -> int:
    """Memory of this process in kB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1000


class Maker:
    """Makes instances by the FMU's own functions: FMPy's objects, which grow themselves, are left out."""

    def __init__(self, driver: Driver, kind: str) -> None:
        self.driver, self.fmu, self.kind = driver, driver.fmu, kind
        self.token = driver.description.guid.encode()

    def make(self, name: bytes) -> int:
        if self.driver.fmi == 2:
            made = self.fmu.fmi2Instantiate(name, self.kind == "cs", self.token, None, ctypes.byref(self.driver._callbacks), 0, 0)
            self.fmu.fmi2SetupExperiment(made, 0, 0.0, 0.0, 0, 0.0)
            self.fmu.fmi2EnterInitializationMode(made)
            self.fmu.fmi2ExitInitializationMode(made)
        else:
            logger = self.fmu.logMessage
            if self.kind == "cs":
                made = self.fmu.fmi3InstantiateCoSimulation(
                    name, self.token, None, False, False, False, False, None, 0, None, logger, fmi3.fmi3IntermediateUpdateCallback()
                )
            else:
                made = self.fmu.fmi3InstantiateModelExchange(name, self.token, None, False, False, None, logger)
            self.fmu.fmi3EnterInitializationMode(made, False, 0.0, 0.0, False, 0.0)
            self.fmu.fmi3ExitInitializationMode(made)
        return made

    def free(self, made: int) -> None:
        (self.fmu.fmi2FreeInstance if self.driver.fmi == 2 else self.fmu.fmi3FreeInstance)(made)


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_thousands_of_instances_leave_nothing_behind(kind, fmi, fmu):
    """After a first thousand that live together, ten further thousands do not let the process grow."""
    with Driver(fmu(find("planar.Body4"), fmi), kind) as driver:
        maker = Maker(driver, kind)

        def thousand():
            alive = [maker.make(b"body%d" % i) for i in range(1000)]
            assert len(set(alive)) == 1000 and all(alive)
            for made in alive:
                maker.free(made)

        thousand()
        before = resident()
        for _ in range(10):
            thousand()
        # The arrays of an instance take 6 kB: ten thousand that were not freed would take 60,000.
        assert resident() - before < 5000


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
