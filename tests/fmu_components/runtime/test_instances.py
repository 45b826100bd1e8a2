"""Many instances: created, run and freed without growth."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest
from fmpy import fmi3

from fmu_components.catalogue import find
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism_fmus import exported


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


def check_nothing_is_left_behind(path: Path, kind: str, crowd: int, rounds: int) -> None:
    """After a first crowd that lives together, further ones do not let the process grow."""
    with Driver(path, kind) as driver:
        maker = Maker(driver, kind)

        def live_and_die() -> None:
            alive = [maker.make(b"unit%d" % i) for i in range(crowd)]
            assert len(set(alive)) == crowd and all(alive)
            for made in alive:
                maker.free(made)

        live_and_die()
        before = resident()
        for _ in range(rounds):
            live_and_die()
        assert resident() - before < 5000


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_thousands_of_instances_leave_nothing_behind(kind, fmi, fmu):
    """The arrays of an instance take 6 kB: ten thousand that were not freed would take 60,000."""
    check_nothing_is_left_behind(fmu(find("planar.Body4"), fmi), kind, 1000, 10)


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_hundreds_of_mechanisms_leave_nothing_behind(kind, fmi):
    """Each takes more than 30 kB: six hundred that were not freed would take 18,000."""
    check_nothing_is_left_behind(exported("pendulum", fmi), kind, 200, 3)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
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
