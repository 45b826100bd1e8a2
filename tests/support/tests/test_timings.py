"""The file of timings names the components of the catalogue, and leaves most of them to the ordinary run."""

from __future__ import annotations

import json
from pathlib import Path

from fmu_components.catalogue import all_components
from tests.support.timings import FILE, REPRESENTATIVE, costly, costly_functions, is_shown


def test_every_component_has_a_timing() -> None:
    """A component without a timing would be in the ordinary run unnoticed; ``make timings`` measures it."""
    assert json.loads(FILE.read_text()).keys() == all_components().keys()


def test_costly_components_are_few() -> None:
    """A component that takes as long as the median is not costly, and representative ones never are."""
    assert 0 < len(costly()) < len(all_components()) / 4
    assert not REPRESENTATIVE & costly() and all_components().keys() > REPRESENTATIVE


def test_the_ordinary_run_shows_many_components() -> None:
    """About a sixth of the components is shown, the representative ones among them."""
    shown = [name for name in all_components() if is_shown(name)]
    assert set(shown) >= REPRESENTATIVE and 0.1 < len(shown) / len(all_components()) < 0.3


def test_costly_functions_exist() -> None:
    """A function that has another name would be in the ordinary run with all its cases; ``make timings`` measures again."""
    root = Path(__file__).parents[3]
    for function in costly_functions():
        path, _, name = function.partition("::")
        assert f"def {name.rpartition('::')[2]}(" in (root / path).read_text(), function
