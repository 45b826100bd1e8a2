"""Checks of examples of elastic bodies: what they print against closed forms and the finite elements of the whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.examples.printed import is_plot, number

MOVING_ALIKE, TURNING = (4.218713434315, 23.70327995815), (6.378344069335, 24.38436754232)
"""Frequencies in rad/s of a hub with two beams, by the determinant of the beam equation. Four times the stiffness doubles them."""


def check_satellite(printed: str, folder: Path) -> None:
    """The frequencies are those of the closed form, and the energy stays."""
    found = [float(each) for each in re.search(r"frequencies in rad/s: (.*)", printed)[1].split(", ")]
    once = [*MOVING_ALIKE, *TURNING]
    assert found == pytest.approx(sorted([*once, *(2 * each for each in once)]), rel=2e-3)
    assert number(r"difference to the closed form: (\S+)", printed) < 2e-3
    assert number(r"energy gained or lost: (\S+)", printed) < 1e-7
    assert is_plot(folder / "satellite.png")


def check_bracket(printed: str, folder: Path) -> None:
    """The sag is that of the finite elements alone, in which gravity bends the bracket a little otherwise than its shapes do."""
    found = re.search(r"sag at rest: (\S+) mm, by the finite elements (\S+) mm", printed)
    assert found and float(found[1]) == pytest.approx(float(found[2]), rel=1e-3) and float(found[2]) == pytest.approx(0.1909, rel=1e-3)
    assert number(r"after the motion by (\S+) mm", printed) > 0.01
    assert is_plot(folder / "bracket.png")
