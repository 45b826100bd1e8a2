"""The file of timings names the components of the catalogue, and leaves most of them to the ordinary run."""

from __future__ import annotations

import json

from fmu_components.catalogue import all_components
from tests.support.timings import FILE, REPRESENTATIVE, costly


def test_every_component_has_a_timing() -> None:
    """A component without a timing would be in the ordinary run unnoticed; ``make timings`` measures it."""
    assert json.loads(FILE.read_text()).keys() == all_components().keys()


def test_costly_components_are_few() -> None:
    """A component that takes as long as the median is not costly, and representative ones never are."""
    assert 0 < len(costly()) < len(all_components()) / 4
    assert not REPRESENTATIVE & costly() and all_components().keys() > REPRESENTATIVE
