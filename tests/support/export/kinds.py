"""One exported FMU in every way in which importers run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import fmpy

from tests.support.runtime.driver import Driver

Finals = dict[str, float]


def model_exchange(path: Path, names: Sequence[str], stop: float, step: float) -> Finals:
    """FMPy's CVode."""
    run = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=stop, output_interval=step, relative_tolerance=1e-10, output=list(names)
    )
    return {name: float(run[name][-1]) for name in names}


def co_simulation(path: Path, names: Sequence[str], stop: float, step: float, **options: Any) -> Finals:
    """Communication steps; with Event Mode the importer handles the events at the start, and those at which a step ends early."""
    event_mode = options.get("event_mode", False)
    with Driver(path, "cs", **options) as driver:
        driver.start()
        time, end = 0.0, step
        if event_mode:
            handle(driver)
        for _ in range(100_000):
            done = driver.step(time, min(end, stop) - time)
            if driver.fmi == 2:
                time = min(end, stop)
            else:
                event, _, _, time = done
                if event:
                    driver.fmu.enterEventMode()
                    handle(driver)
            if time >= stop * (1 - 1e-12):
                return driver.get(list(names))
            if time >= end * (1 - 1e-12):
                end += step
    raise AssertionError(f"no end: {path.name} is at {time} s of {stop} s")


def handle(driver: Driver) -> None:
    """All rounds of an event, and back to Step Mode."""
    while driver.update()["again"]:
        pass
    driver.fmu.enterStepMode()


def intermediate(early: bool) -> Callable[..., None]:
    """An Intermediate Update that changes nothing; with ``early`` it asks for a return at every third internal step."""
    calls = 0

    def update(environment: object, time: float, sets: bool, gets: bool, finished: bool, may_return: bool, ask: Any, _: Any) -> None:
        nonlocal calls
        calls += finished
        if early and may_return and calls % 3 == 0:
            ask[0] = True

    return update


KINDS: dict[str, Callable[..., Finals]] = {
    "Model Exchange": model_exchange,
    "Co-Simulation": co_simulation,
    "Event Mode": lambda *run: co_simulation(*run, event_mode=True, early_return=False),
    "Event Mode, early return": lambda *run: co_simulation(*run, event_mode=True),
    "intermediate update": lambda *run: co_simulation(*run, intermediate_update=intermediate(False)),
    "intermediate update, early return": lambda *run: co_simulation(*run, intermediate_update=intermediate(True)),
    "Event Mode, intermediate update, early return": lambda *run: co_simulation(
        *run, event_mode=True, intermediate_update=intermediate(True)
    ),
}
"""The kinds of FMI 3; FMI 2 has the first two."""
EXACT = {name: 1e-7 if name == "Model Exchange" else 1e-9 for name in KINDS}
"""The allowed difference of the last row from the master's, as a share of the greatest value."""
