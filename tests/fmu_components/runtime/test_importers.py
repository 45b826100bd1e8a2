"""State events in Model Exchange, whatever the importer calls, and however its root finder ends."""

from __future__ import annotations

import math

import pytest

from tests.support.runtime.driver import Driver
from tests.support.runtime.importer import Importer
from tests.support.runtime.runtime_components import BouncingBall, Valve

ENDS = {"one ulp before": math.nextafter(0.5, 0), "at 0": 0.5, "one ulp after": math.nextafter(0.5, 1)}
"""The clock at t = 0.5 s, by its distance from the root at 0.5."""

FINDERS = [
    *(
        pytest.param("bisection", clock, pause, id=f"bisection, {end}{', paused' * bool(pause)}")
        for end, clock in ENDS.items()
        for pause in ((), (0.5, 0.75))
    ),
    *(pytest.param("cvode", clock, (), id=f"cvode, {end}") for end, clock in ENDS.items()),
]


@pytest.mark.parametrize("completes", [True, False], ids=["completes steps", "completes no steps"])
@pytest.mark.parametrize(("finder", "clock", "pauses"), FINDERS)
def test_both_directions_switch_wherever_the_root_finder_ends(finder, clock, pauses, completes, fmi, fmu):
    """The valve is open from 0.5 s to 0.75 s on its clock."""
    importer = Importer(finder=finder, completes=completes, pauses=pauses)
    start = clock - 0.5  # exact
    final = importer.run(fmu(Valve, fmi), {"clock": start}, 1.0)
    assert final["volume"] == pytest.approx(0.25, abs=1e-9)


@pytest.mark.parametrize("completes", [True, False], ids=["completes steps", "completes no steps"])
def test_cvode_misses_none_of_many_thresholds(completes, fmi, fmu):
    """Its root search ends exactly at 0 for some of them."""
    importer = Importer(finder="cvode", completes=completes)
    for k in range(48):
        opening = 0.01 + k / 100
        final = importer.run(fmu(Valve, fmi), {"opening": opening, "closing": opening + 0.1}, 1.0)
        assert final["volume"] == pytest.approx(0.1, abs=1e-9), opening


def test_the_last_round_says_what_any_round_has_changed(fmi, fmu):
    """A relation that equations depend on counts, and an event that sets something; an event without effect does not."""
    with Driver(fmu(Valve, fmi), "me") as driver:
        driver.start()
        assert not driver.handle_events(last=True)["states_changed"]
        driver.at(0.6, [0.6, 0.0])
        assert driver.handle_events(last=True)["states_changed"]
        assert not driver.handle_events(last=True)["states_changed"]
    with Driver(fmu(BouncingBall, fmi), "me") as driver:
        driver.start()
        for height, changes in ((-1e-9, True), (1e-9, False)):
            driver.at(0.5, [height, -1.0])
            assert driver.handle_events(last=True)["states_changed"] is changes


def test_an_importer_that_restarts_where_it_is_told_to_finds_the_same(fmi, fmu):
    final = Importer(finder="cvode", told=True).run(fmu(Valve, fmi), {"rate": 1e3}, 1.0)
    assert final["volume"] == pytest.approx(250.0, abs=1e-7)
