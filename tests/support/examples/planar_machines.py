"""Checks of the examples of planar machines: assembled, driven and switching ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.examples.printed import is_plot, number


def check_vehicle(printed: str, folder: Path) -> None:
    """Both rear wheels get half of the motor's torque times the ratio, and all is as the equations by hand say."""
    for side in ("left", "right"):
        assert number(rf"rear {side}: .* under (\S+) N.m", printed) == pytest.approx(120.0)
    assert number(r"difference to the equations by hand: (\S+) ", printed) < 1e-8
    assert is_plot(folder / "vehicle.png")


def check_quick_return(printed: str, folder: Path) -> None:
    """The ram's velocity is that of the closed form, and the torque that of the power balance."""
    assert number(r"velocity of the ram: off by (\S+) m/s", printed) < 1e-9
    assert number(r"off by (\S+) of that from the balance of power", printed) < 1e-8
    assert number(r"the ram spends (\S+) of a turn", printed) == pytest.approx(0.365, abs=1e-3)
    assert is_plot(folder / "quick_return.png")


def check_stick_slip(printed: str, folder: Path) -> None:
    """It breaks away at 0.4 s, slips for 3 pi/20 and sticks for 0.2 s, again and again; the belt's work becomes heat."""
    breaks = [float(each) for each in re.findall(r"t = (\S+) s: friction sticks", printed)]
    assert breaks == pytest.approx([0.4 + n * (3 * np.pi / 20 + 0.2) for n in range(4)], abs=1e-9)
    assert number(r"times: off by (\S+) s", printed) < 1e-9
    assert number(r"J, off by (\S+) J from the heat", printed) < 1e-9
    assert is_plot(folder / "stick_slip.png")


def check_clutch(printed: str, folder: Path) -> None:
    """It locks at 2.5 s, after 6000 J of heat, at 40 rad/s."""
    assert number(r"locks at \(s\): (\S+),", printed) == pytest.approx(2.5, abs=1e-9)
    assert number(r"heat \(J\): (\S+),", printed) == pytest.approx(6000, abs=1e-6)
    assert number(r"difference to the closed form: (\S+) ", printed) < 1e-9
    assert is_plot(folder / "clutch.png")


def check_ratchet(printed: str, folder: Path) -> None:
    """Four strokes of 0.6 rad; the pawls change places at each reversal of the arm."""
    assert number(r"turns by (\S+) rad", printed) == pytest.approx(2.4, abs=1e-8)
    times = [float(each) for each in re.findall(r"^t = (\S+) s: pawl", printed, re.MULTILINE)]
    assert times[:6] == pytest.approx([1.5707963268 * k for k in range(1, 7)], abs=1e-7)
    assert number(r"difference to the closed form: (\S+) ", printed) < 1e-7
    assert is_plot(folder / "ratchet.png") and "<svg" in (folder / "ratchet.html").read_text()


def check_pendulum_at_wall(printed: str, folder: Path) -> None:
    """Six hits come when the elliptic integrals say, and the first has an impulse of (1 + e) m l w/3."""
    times = [float(each) for each in re.findall(r"^t = (\S+) s:", printed, re.MULTILINE)]
    expected = [0.419854767908, 1.246025906194, 2.067557837215, 2.887448105290, 3.706750977476, 4.525842850219]
    assert times == pytest.approx(expected, abs=1e-9)
    assert number(r": (\S+) N.s of the wall", printed) == pytest.approx(1.266141739437, abs=1e-8)
    assert number(r"feels nothing: off by (\S+)", printed) < 1e-9
    assert is_plot(folder / "pendulum_at_wall.png")


def check_newtons_cradle(printed: str, folder: Path) -> None:
    """Checks that as many balls fly off as came in. The first bounces back by 0.6 where all impacts are taken at once."""
    assert "one after the other: completed" in printed and "0.000000, 0.000000, 0.000000, 0.000000, 1.000000\n" in printed
    assert "0.000000, 0.000000, 0.000000, 1.000000, 1.000000\n" in printed
    assert "-0.600000, 0.400000, 0.400000, 0.400000, 0.400000\n" in printed
    assert number(r"difference to the laws by hand: (\S+) ", printed) < 1e-9
    assert is_plot(folder / "newtons_cradle.png")


def check_walkers_foot(printed: str, folder: Path) -> None:
    """It rests, slides by g (sin - mu cos), or tips; the step has the impulse m v."""
    found = re.findall(r"it (\w+).*, (\S+) m/s2 downhill", printed)
    assert [what for what, _ in found] == ["rests", "slides", "slides", "tips"]
    assert [float(each) for _, each in found[:3]] == pytest.approx([0.0, 1.821671268, 2.009166285], abs=1e-8)
    assert number(r"difference to rigid mechanics by hand: (\S+) ", printed) < 1e-9
    assert is_plot(folder / "walkers_foot.png")


def check_loader(printed: str, folder: Path) -> None:
    """Checks that the intended pose is found among eight, which come from crossing circles. Boom and bucket end where Lagrange's equations
    say, by the oil of the pumps."""
    assert "8 poses fit the held values" in printed
    assert number(r"pose: off by (\S+) m", printed) < 1e-12
    assert number(r"motion: off by (\S+) from", printed) < 1e-6
    assert number(r"boom: from \S+ to (\S+) rad", printed) == pytest.approx(0.1377, abs=1e-4)
    assert number(r"bucket: from \S+ to (\S+) rad", printed) == pytest.approx(0.4894, abs=1e-4)
    assert is_plot(folder / "loader.png")


def check_walking_leg(printed: str, folder: Path) -> None:
    """Feet go where circles cross, do not slip, carry the weight on average, and the motor's work is lost when they come down."""
    assert number(r"takes it (\S+) m on, in 2 steps", printed) == pytest.approx(1.270902, abs=1e-6)
    assert number(r"feet: off by (\S+) m", printed) < 1e-9
    assert number(r"the machine: by (\S+) m", printed) < 1e-8
    assert number(r"N.s, off by (\S+) from the weight", printed) < 1e-9
    assert number(r"J, off by (\S+) from what is lost", printed) < 1e-7
    assert is_plot(folder / "walking_leg.png")


def check_flexible_slider_crank(printed: str, folder: Path) -> None:
    """The bend and the slider are those of an inextensible rod, and the slider feels the bend."""
    found = re.search(r"exact rod: (\S+) m in the middle, (\S+) m at the slider", printed)
    assert found and float(found[1]) < 2e-6 and float(found[2]) < 1e-7
    assert number(r"deflection of the middle: (\S+) mm", printed) > 1.1
    # The bend draws the slider by pi^2/4 of its square over the length.
    assert number(r"at the slider by at most (\S+) um", printed) == pytest.approx(np.pi**2 / 4 * 1.7222e-3**2 / 0.3 * 1e6, rel=0.15)
    assert is_plot(folder / "flexible_slider_crank.png")
