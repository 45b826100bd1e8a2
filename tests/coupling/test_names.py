"""Suggestions for names that do not exist, and names without blanks for other tools."""

from __future__ import annotations

import pytest

from coupling.names import nearest, without_blanks

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
    assert nearest("rod.p1" * 1000, ["rod.p1" * 1000 + "2"]) == ""


def test_the_nearest_come_first_and_no_more_than_the_limit() -> None:
    """Equally near names come in the order of the alphabet."""
    names = ["p9", "p1", "p10", "p2"]
    assert nearest("p1", names) == "did you mean 'p1' or 'p10'?"
    assert nearest("rod.p", [f"rod.{each}" for each in names]) == "did you mean 'rod.p1', 'rod.p2' or 'rod.p9'?"
    assert nearest("rod.p", [f"rod.{each}" for each in names], limit=1) == "did you mean 'rod.p1'?"


def test_a_prefix_goes_with_every_name() -> None:
    """Only the part after the prefix is compared."""
    assert nearest("thta", ["theta", "beta"], prefix="rod.") == "did you mean 'rod.theta'?"


def test_angles_have_several_names() -> None:
    """Each leads to the others, first to that of the same owner; other words do not."""
    existing = ["rod.theta", "ground.p1.theta", "pin.rotation.q", "rod.x"]
    assert nearest("rod.phi", existing).startswith("did you mean 'rod.theta'")
    assert nearest("pin.angle", existing[2:]) == "did you mean 'pin.rotation.q'?"
    assert nearest("angle", ["p1.angle", "theta", "m"]) == "did you mean 'theta' or 'p1.angle'?"
    assert nearest("mass", ["theta", "phi"]) == ""


def test_white_space_becomes_an_underscore_at_each_level() -> None:
    """Included systems have names as well; names without blanks stay."""
    assert without_blanks(["left leg.upper\u00a0arm", "left leg.foot", "a\tb\nc", "pin"], "x.ssp") == {
        "left leg": "left_leg",
        "left leg.upper\u00a0arm": "left_leg.upper_arm",
        "left leg.foot": "left_leg.foot",
        "a\tb\nc": "a_b_c",
        "pin": "pin",
    }


def test_a_name_that_is_taken_gets_a_number_and_a_warning() -> None:
    """The name without blanks stays, whichever comes first; systems of equal names do not become one."""
    with pytest.warns(UserWarning) as caught:
        found = without_blanks(["a b", "a\tb", "a_b", "left leg.foot", "left_leg.foot", "a_b_2"], "x.ssp")
    assert found["a_b"] == "a_b" and found["a_b_2"] == "a_b_2"
    assert (found["a b"], found["a\tb"]) == ("a_b_3", "a_b_4")
    assert (found["left_leg.foot"], found["left leg.foot"]) == ("left_leg.foot", "left_leg_2.foot")
    assert [str(each.message) for each in caught] == [
        f"'x.ssp': {name} is called '{new}' there, since '{plain}' is taken; give it a name without blanks to choose another one"
        for name, new, plain in (
            ("'a b'", "a_b_3", "a_b"),
            (r"'a\tb'", "a_b_4", "a_b"),
            ("'left leg'", "left_leg_2", "left_leg"),
        )
    ]
