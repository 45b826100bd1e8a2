"""Every component of the catalogue in a smallest system: by tape and compiled, its derivatives and event indicators are those of the instances."""

from __future__ import annotations

import pytest

from fmu_components.catalogue import all_components
from tests.support.fused.agreement import ALLOWED, recorded_disagreement
from tests.support.fused.smallest import smallest
from tests.support.fused.ways import ways_disagreement
from tests.support.properties import check_all

QUICK = ("mechanical1d.Gear", "mechanical1d.LossyGear", "planar.RollingDisc", "planar.RevoluteFriction")


def check_derivatives_and_event_indicators(component):
    assert ways_disagreement(smallest(component).build(communication=False)) < ALLOWED


def check_all_variables_are_recorded(component):
    assert recorded_disagreement(smallest(component).build(communication=False)) < ALLOWED


@pytest.mark.parametrize("component", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in all_components()])
def test_a_component_is_fused(component):
    check_all(check_derivatives_and_event_indicators, check_all_variables_are_recorded, component=component)
