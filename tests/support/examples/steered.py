"""Checks of the output of examples whose runs are advanced piece by piece."""

from __future__ import annotations

import re
from pathlib import Path

import fmpy
import numpy as np
import pytest

from tests.support.examples.printed import is_plot, number


def check_python_controller(printed: str, folder: Path) -> None:
    """The rod rests at its target, and the controllers agree; the torque is that of its weight there."""
    assert number(r"angle at the end: (\S+) rad", printed) == pytest.approx(0.6, abs=1e-6)
    assert number(r"torque (\S+) N.m", printed) == pytest.approx(2.0 * 9.81 * 0.4 * np.cos(0.6), abs=1e-4)
    assert number(r"between Python and the FMU: (\S+) rad", printed) < 1e-9
    assert number(r"between Python and the blocks: (\S+) rad", printed) < 1e-9
    assert number(r"equation in SciPy: (\S+) rad", printed) < 1e-9
    names = {each.name for each in fmpy.read_model_description(str(folder / "controller.fmu")).modelVariables if each.causality == "output"}
    assert names == {"torque.y"} and is_plot(folder / "python_controller.png")


def check_cart_and_pole(printed: str, folder: Path) -> None:
    """Three episodes last to their end, go as the textbook's equations say, and are the same for the same seed."""
    assert [int(each) for each in re.findall(r"in (\d+) steps", printed)] == [500] * 3
    assert printed.count("a second episode is equal") == 3
    starts = [tuple(map(float, each)) for each in re.findall(r"leans (\S+) degrees and the cart is at (\S+) m", printed)]
    assert len(set(starts)) == 3
    for seed, (lean, place) in enumerate(starts):
        drawn = np.random.default_rng(seed)
        assert place == pytest.approx(drawn.uniform(-0.5, 0.5), abs=1e-3) and np.radians(lean) == pytest.approx(
            drawn.uniform(-0.1, 0.1), abs=1e-3
        )
    assert all(float(each) < 1e-8 for each in re.findall(r"textbook's equations: (\S+)", printed))
    assert all(abs(float(each)) < 0.1 for each in re.findall(r"at the end: (\S+) degrees", printed))
    assert is_plot(folder / "cart_and_pole.png")


def check_hardware_loop(printed: str, folder: Path) -> None:
    """The controller on the other side of the sockets brings the arm to its target, and the run is not ahead of the clock."""
    assert "completed at t = 2 s" in printed and number(r"angle at the end: (\S+) rad", printed) == pytest.approx(0.6, abs=0.02)
    assert number(r" of (\S+) points were late", printed) == 2000 and number(r"never less than (\S+) us ahead", printed) >= 0
    assert is_plot(folder / "hardware_loop.png")
