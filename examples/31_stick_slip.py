"""Stick-slip.

A spring holds a block on a belt. Friction sticks until the spring pulls too hard, slips, and sticks again. While it sticks, the block
moves with the belt, and the spring's force grows in proportion to time. While it slips, friction is constant, and the block swings about
the point at which the spring balances it. All times of breaking away and of sticking are therefore known, and so is the work of the belt,
which becomes heat. Sticking is a constraint, and slipping a force: nothing creeps, and nothing is stiff.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System
from jourdain.declare import t

MASS, STIFFNESS, SPEED = 1.0, 100.0, 0.1  # kg, N/m, m/s
STATIC, KINETIC = 4.0, 3.0  # N
STOP = 3.0  # s


# 1. The machine: build it, run it, show it. The belt is a slide whose position is given; its rates follow from the formula.


def system() -> System:
    drive = System("stick and slip")
    drive.add("frame", "mechanical1d.Fixed1D")
    drive.add("belt", "mechanical1d.Position")
    drive.drive("belt.position", SPEED * t)
    drive.add("block", "mechanical1d.Mass", {"m": MASS, "v": SPEED})
    drive.join("mechanical1d.SpringDamper1D", "frame.flange", "block.flange", {"k": STIFFNESS, "b": 0.0, "rest": 0.0}, name="spring")
    drive.join("mechanical1d.Friction", "belt.flange", "block.flange", {"static": STATIC, "kinetic": KINETIC}, name="friction")
    return drive


def show(folder: Path) -> Result:
    """Runs the machine and writes a plot."""
    result = system().simulate(STOP, rtol=1e-11, atol=1e-12)
    print(result.summary())
    result.plot("block.v", "friction.lambda[1]", path=folder / "stick_slip.png")
    return result


# 2. The closed form. Slipping begins and ends at the belt's speed, as far from the centre of the swing on one side as on the other.

ALLOWED_TIME, ALLOWED_WORK = 1e-9, 1e-9  # s, J


def phases() -> tuple[float, float]:
    """Returns the durations of slip and of stick, in s."""
    frequency, reach = np.sqrt(STIFFNESS / MASS), (STATIC - KINETIC) / STIFFNESS
    return (2 * np.pi - 2 * np.arctan(reach * frequency / SPEED)) / frequency, 2 * reach / SPEED


def switching_times(count: int) -> np.ndarray:
    """Returns the times at which the mass breaks away, sticks, breaks away and so on."""
    slips, sticks = phases()
    first = STATIC / STIFFNESS / SPEED
    return np.array([first + n // 2 * (slips + sticks) + n % 2 * slips for n in range(count)])


def work() -> float:
    """Returns the work of the belt in a period, in J. Friction is KINETIC throughout the slip, and on average during the stick."""
    return KINETIC * SPEED * sum(phases())


def work_of_belt(result: Result, begin: float, end: float) -> float:
    """Returns the work of the belt between two events. The trapezoidal rule is exact here, since power is constant or linear.

    An event has two rows: the interval that it starts begins at the last, the interval that it ends stops at the first.
    """
    rows = slice(np.flatnonzero(result.time == begin)[-1], np.flatnonzero(result.time == end)[0] + 1)
    return float(np.trapezoid(result["belt.power"][rows], result.time[rows]))


def main() -> int:
    parser = argparse.ArgumentParser(description="A block on a belt sticks and slips.")
    parser.add_argument("--out", type=Path, default=Path("build/stick_slip"), help="folder for the plot (default: build/stick_slip)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for change in result.changes:
        print(f"t = {change.time:.12f} s: {change.joint} {change.what}")
    found = np.array([change.time for change in result.changes])
    late = np.abs(found - switching_times(len(found))).max() if len(found) else np.inf
    print(f"times: off by {late:.1e} s from the closed form ({ALLOWED_TIME:g} s is allowed)")
    done = work_of_belt(result, found[0], found[2])
    print(f"work of the belt in a period: {done:.9f} J, off by {abs(done - work()):.1e} J from the heat of friction ({ALLOWED_WORK:g} J)")
    print(f"plot: {folder / 'stick_slip.png'}")
    right = len(found) == np.searchsorted(switching_times(99), STOP) and late <= ALLOWED_TIME and abs(done - work()) <= ALLOWED_WORK
    return 0 if result.outcome.completed and right else 1


if __name__ == "__main__":
    sys.exit(main())
