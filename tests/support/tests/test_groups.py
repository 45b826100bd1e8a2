"""Treatment by pytest-xdist of the groups that ``tests/conftest.py`` forms."""

from __future__ import annotations

import pytest


def test_groups_reach_the_scheduler(request: pytest.FixtureRequest) -> None:
    """The id of a test ends in its group, by which it is handed out; where it does not, workers build twice what tests share."""
    if not request.config.getoption("loadgroup", False):
        # Whoever runs tests in one process, or hands them out otherwise, has no groups.
        pytest.skip("tests are not handed out by groups; say -n 2 --dist loadgroup")
    assert request.node.nodeid.endswith("@tests/support/tests/test_groups.py")
