"""Exported FMUs whose inputs prescribe motion have the rates of the inputs as well."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from coupling import System
from coupling.errors import BuildError
from fmu_components.declare.declaration import TIME as t
from tests.coupling.analysis.test_prescribed_motion import FREQUENCIES, over_road, quarter_car
from tests.support.systems.exported import export
from tests.support.systems.systems import refusal

RATES = ["road.position", "road.position.rate", "road.position.acceleration"]


@pytest.mark.parametrize("inputs", [RATES[:1], RATES[:2]])
def test_a_road_is_opened_with_its_rates(inputs: list[str]) -> None:
    """The FMU moves as the system itself does, and has its frequency response."""
    system = System("outer")
    system.add("car", export(quarter_car(), inputs=inputs, outputs=["body.s", "wheel.s"]))
    variables = system.instances["car"].variables.values()
    assert [each.name for each in variables if each.causality == "input"] == RATES
    whole, motion = quarter_car(), (1 - sympy.cos(30 * t)) / 100
    whole.drive("road.position", motion)
    system.drive("car.road.position", motion)
    model = system.linearise(["car.road.position"], ["car.wheel.s"])
    exact = over_road(2j * np.pi * FREQUENCIES)["wheel.s"]
    assert np.abs(model.bode(frequencies=FREQUENCIES).response / exact - 1).max() < 1e-10
    times = np.linspace(0.0, 1.0, 51)
    found, wanted = (each.simulate(1.0, rtol=1e-9, output_times=times) for each in (system, whole))
    assert found["car.wheel.s"] == pytest.approx(wanted["wheel.s"], abs=1e-9)


def test_a_rate_alone_is_refused() -> None:
    sentence = refusal(lambda: quarter_car().export_fmu("car.fmu", inputs=RATES[1:2]), BuildError)
    assert sentence == (
        "inputs: 'road.position.rate' cannot be opened alone: it is a rate of 'road.position'; name that one, and its rates are opened as well"
    )
