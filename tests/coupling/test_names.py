"""Suggestions for names that do not exist."""

from __future__ import annotations

import pytest

from coupling.names import nearest

VARIABLES = ["rod.theta", "rod.omega", "rod.p1.vx", "rod.p1.Fx", "pin.lambda[1]", "pin.residual[1]"]


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("rod.teta", "did you mean 'rod.theta'?"),
        ("ROD.THETA", "did you mean 'rod.theta'?"),
        ("theta", "did you mean 'rod.theta'?"),
        ("Theta", "did you mean 'rod.theta'?"),
        ("wheel.omega", "did you mean 'rod.omega'?"),
        ("p1.fx", "did you mean 'rod.p1.Fx'?"),
        ("pin.lamda[1]", "did you mean 'pin.lambda[1]'?"),
    ],
)
def test_typing_errors_capitals_and_missing_beginnings_are_seen_through(name: str, question: str) -> None:
    """A name that is off by a letter, in its capitals or before its last dot leads to the one that was meant."""
    assert nearest(name, VARIABLES).startswith(question[:-1])


def test_nothing_is_suggested_where_nothing_is_near() -> None:
    """An empty text, so that a message can do without."""
    assert nearest("temperature", VARIABLES) == ""
    assert nearest("rod", []) == ""


def test_the_nearest_come_first_and_no_more_than_the_limit() -> None:
    """Equally near names come in the order of the alphabet."""
    names = ["p9", "p1", "p10", "p2"]
    assert nearest("p1", names) == "did you mean 'p1' or 'p10'?"
    assert nearest("rod.p", [f"rod.{each}" for each in names]) == "did you mean 'rod.p1', 'rod.p2' or 'rod.p9'?"
    assert nearest("rod.p", [f"rod.{each}" for each in names], limit=1) == "did you mean 'rod.p1'?"


def test_a_prefix_goes_with_every_name() -> None:
    """What is compared is what follows it."""
    assert nearest("thta", ["theta", "beta"], prefix="rod.") == "did you mean 'rod.theta'?"
