"""An importer of Model Exchange that locates events as real ones do: by bisection, or by CVODE through FMPy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from fmpy.sundials import CVodeSolver

from tests.support.runtime.driver import Driver


@dataclass(frozen=True, kw_only=True)
class Importer:
    """An importer, by the calls that it makes and leaves out."""

    finder: str
    """``bisection`` or ``cvode``."""
    completes: bool = True
    """True if it calls completedIntegratorStep."""
    told: bool = False
    """True if it restarts its integration only after an event whose last round reports changed states."""
    step: float = 1 / 16
    """Size of the steps, which are exact for constant rates."""
    pauses: tuple[float, ...] = ()
    """Times of Event Mode whatever the indicators are, as where another FMU has an event."""

    def run(self, fmu: Path, values: Mapping[str, float], stop: float) -> dict[str, float]:
        """Returns the values of all variables at the stop time."""
        with Driver(fmu, "me") as driver:
            driver.start(values)
            (self._by_cvode if self.finder == "cvode" else self._by_bisection)(driver, stop)
            return driver.get([name for name in driver.variables if name != "time"])

    def _by_bisection(self, driver: Driver, stop: float) -> None:
        """Steps of Euler's method; an indicator that leaves 0 has not crossed it, as SUNDIALS has it."""
        time, x, steps = 0.0, driver.states, 0
        before = np.sign(driver.indicators)
        while time < stop:
            rates = driver.derivatives
            end = (math.floor(time / self.step) + 1) * self.step
            low, high = time, end

            def crossed(at: float) -> bool:
                driver.at(at, x + (at - time) * rates)
                return bool(np.any((before != 0) & (np.sign(driver.indicators) != before)))

            event = crossed(end)
            while event and (middle := (low + high) / 2) not in (low, high):
                low, high = (low, middle) if crossed(middle) else (middle, high)
            at = high if event else end
            x = x + (at - time) * rates
            time = at
            driver.at(time, x)
            if self.completes:
                event = bool(driver.fmu.completedIntegratorStep()[0]) or event
            if event or time in self.pauses:
                driver.handle_events()
                x = driver.states
            before = np.sign(driver.indicators)
            steps += 1
            assert steps < 1000, f"no progress at {time!r}"

    def _by_cvode(self, driver: Driver, stop: float) -> None:
        fmu = driver.fmu
        solver = CVodeSolver(
            nx=driver.state_count,
            nz=driver.description.numberOfEventIndicators,
            get_x=fmu.getContinuousStates,
            set_x=fmu.setContinuousStates,
            get_dx=fmu.getDerivatives if driver.fmi == 2 else fmu.getContinuousStateDerivatives,
            get_z=fmu.getEventIndicators,
            get_nominals=fmu.getNominalsOfContinuousStates,
            set_time=fmu.setTime,
            input=SimpleNamespace(apply=lambda time: None),
            startTime=0.0,
            relativeTolerance=1e-10,
            maxNumSteps=100_000,
        )
        time = 0.0
        while time < stop:
            event, _, time = solver.step(time, stop)
            fmu.setTime(time)
            if self.completes:
                event = bool(fmu.completedIntegratorStep()[0]) or event
            if event:
                changed = driver.handle_events(last=True)["states_changed"]
                if changed or not self.told:
                    solver.reset(time)
