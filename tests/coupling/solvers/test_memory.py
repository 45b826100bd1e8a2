"""Memory that runs take and give back: a system that runs again and again does not grow, nor do the processes of its FMUs."""

from __future__ import annotations

import pytest

from tests.support.systems.repeated import CASES, FLAT, growth


@pytest.mark.every_case
@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_memory_is_flat(name: str, count: int) -> None:
    assert growth(name, count) < FLAT
