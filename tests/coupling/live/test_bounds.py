"""States that leave the range of their component: one sentence for each, with the first time and the worst value, and the same bits as without."""

from __future__ import annotations

import numpy as np
import pytest

from jourdain import Component, System, t

VOLUME, BULK, START = 1e-4, 1.5e9, 1e6


def emptied() -> System:
    """A volume from which a sine takes oil: its pressure is START - BULK / VOLUME (1 - cos 2 t) q / 2."""
    import sympy

    system = System("emptied")
    system.add("oil", "hydraulic.Volume", {"volume": VOLUME, "bulk": BULK, "p": START})
    system.add("pump", "hydraulic.FlowSource")
    system.connect("pump.port", "oil.port")
    system.drive("pump.flow", -1e-7 * sympy.sin(2 * t))
    return system


DEPTH = BULK / VOLUME * 1e-7


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode", "ida", "RK45"])
def test_a_pressure_below_zero_is_told_of_once(solver: str) -> None:
    """It falls below 0 where 1 - cos 2 t = 2 START / DEPTH, and is least at pi / 2."""
    result = emptied().simulate(3.0, solver=solver, rtol=1e-9, max_step=1e-3)
    (warning,) = result.outcome.warnings
    first = np.arccos(1 - 2 * START / DEPTH) / 2
    assert warning.startswith("'oil.p' leaves the range in which hydraulic.Volume describes it (at least 0 Pa) at t = ")
    said = float(warning.split(" at t = ")[1].split(" s")[0])
    assert first <= said <= first + 2e-3
    assert f"and is {START - DEPTH:.4g} Pa at t = 1.57" in warning
    assert result["oil.p"].min() == pytest.approx(START - DEPTH, abs=10)


def test_every_way_of_evaluation_says_the_same_and_a_second_run_begins_anew() -> None:
    system = emptied()
    said = {tuple(system.simulate(3.0, compiled=way).outcome.warnings) for way in (False, "tape", True)}
    assert len(said) == 1
    assert system.simulate(0.3).outcome.warnings == []


def test_what_rounds_to_the_bound_says_nothing() -> None:
    system = System("battery")
    system.add("battery", "electrical.Battery", {"soc": 1.0})
    assert system.simulate(1.0).outcome.warnings == []


def test_a_component_of_a_user_states_its_range() -> None:
    class Bucket(Component):
        """Bucket that a constant flow fills."""

        def declare(self):
            level = self.state("level", 0.0, "m", "level of the water", holds=(0, 1))
            self.rate(level, self.parameter("inflow", 1.0, "m/s", "rate at which it rises"))

    system = System("bucket")
    system.add("bucket", Bucket)
    (warning,) = system.simulate(2.0, max_step=0.01).outcome.warnings
    assert (
        warning.startswith("'bucket.level' leaves the range in which ")
        and "(at most 1 m) at t = 1.0" in warning
        and "is 2 m at t = 2 s" in warning
    )
