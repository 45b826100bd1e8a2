"""All properties that fail are reported, also after the first one."""

from __future__ import annotations

import pytest

from tests.support.properties import check_all


def holds(number: int) -> None:
    assert number == 1


def is_even(number: int) -> None:
    assert number % 2 == 0


def raises_nothing(number: int, text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        int(text)
    pytest.fail(f"{number} is refused")


def test_all_failures_are_named() -> None:
    """An assertion that fails and a failure that pytest raises itself are both in the group; a property that holds is not."""
    with pytest.raises(BaseExceptionGroup, match=r"hold: is_even, raises_nothing$") as caught:
        check_all(is_even, holds, raises_nothing, number=1, text="one")
    assert [type(each) for each in caught.value.exceptions] == [AssertionError, pytest.fail.Exception]


def test_properties_that_hold_raise_nothing() -> None:
    """Every property is given the arguments that it names, and no others."""
    check_all(holds, number=1, text="unused")
