"""Every component of the catalogue in a smallest system: by tape and compiled, its derivatives and event indicators are those of the instances."""

from __future__ import annotations

import pytest

from coupling.fused.lowering import lower
from coupling.fused.not_fused import NotFused
from fmu_components.catalogue import all_components
from tests.support.fused.agreement import ALLOWED, recorded_disagreement
from tests.support.fused.smallest import smallest
from tests.support.fused.ways import ways_disagreement
from tests.support.properties import check_all

QUICK = ("mechanical1d.Gear", "planar.RollingDisc", "planar.RevoluteFriction")
NOT_FUSED = {
    **dict.fromkeys(
        (
            *(f"mechanical1d.{each}" for each in ("LossyGear", "LossyPlanetary", "PowerScrew", "ToothedBelt", "Worm")),
            "spatial.WormGear",
        ),
        "'it.static\\[2\\]' is not affine in the unknowns of the system",
    ),
    "planar.RevoluteFriction": "'it.static\\[3\\]' is not affine in the unknowns of the system",
    "planar.TranslationalFriction": "'it.static\\[3\\]' is not affine in the unknowns of the system",
    "planar.SlippingDisc": "'it.contact.tangential' is not affine in the unknowns of the system",
}
"""Components whose equations no graph can hold, with the sentence."""


def check_derivatives_and_event_indicators(component):
    assert ways_disagreement(smallest(component).build(communication=False)) < ALLOWED


def check_all_variables_are_recorded(component):
    assert recorded_disagreement(smallest(component).build(communication=False)) < ALLOWED


@pytest.mark.parametrize("component", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in all_components()])
def test_a_component_is_fused(component):
    if component in NOT_FUSED:
        with pytest.raises(NotFused, match=NOT_FUSED[component]):
            lower(smallest(component).build(communication=False))
    else:
        check_all(check_derivatives_and_event_indicators, check_all_variables_are_recorded, component=component)
