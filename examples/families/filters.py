"""Filters and tanks.

Butterworth filters of order one to four pass a tone at their corner with 1/sqrt(2) of its amplitude. Tanks in series fill one after the other.
"""

from math import factorial

import numpy as np
from report import Report

from jourdain import System

CORNER = 2 * np.pi * 50.0  # rad/s
FILTERS = {
    "signal.TransferFunction1": (1, 1),
    "signal.TransferFunction2": (1, np.sqrt(2), 1),
    "signal.TransferFunction3": (1, 2, 2, 1),
    "signal.TransferFunction4": (1, 2.6131259298, 3.4142135624, 2.6131259298, 1),
}
TANKS = ("signal.StateSpace1", "signal.StateSpace2", "signal.StateSpace3", "signal.StateSpace4")


def filters() -> System:
    """Returns a tone of 50 Hz and four Butterworth filters with this corner frequency."""
    board = System("filters")
    board.add("tone", "signal.Sine", {"frequency": 50.0})
    for order, (kind, coefficients) in enumerate(FILTERS.items(), start=1):
        board.add(f"order{order}", kind, {f"a[{k}]": a / CORNER**k for k, a in enumerate(coefficients)})
        board.connect("tone.y", f"order{order}.u")
    return board


def tanks() -> System:
    """Returns rows of one to four tanks with a time constant of 1 s each; at 0.5 s the inflow begins."""
    plant = System("tanks")
    plant.add("inflow", "signal.Step", {"start": 0.5})
    for number, kind in enumerate(TANKS, start=1):
        plant.add(f"row{number}", kind)  # each state follows the one before, by default
        plant.connect("inflow.y", f"row{number}.u")
    return plant


def main() -> None:
    report = Report("Filters and tanks")
    run = filters().simulate(0.2)
    for order in range(1, 5):
        # The last period has 50 rows.
        report.figure(
            f"a filter of order {order} passes",
            np.sqrt(2 * np.mean(run[f"order{order}.y"][-50:] ** 2)),
            np.sqrt(0.5),
            "of the tone",
            within=1e-5,
        )
    report.show(run, "order1.y", "order4.y", moving=False)
    run = tanks().simulate(4.5)
    for number in range(1, 5):
        filled = 1 - np.exp(-4.0) * sum(4.0**k / factorial(k) for k in range(number))
        report.figure(f"the last of {number} tanks is filled by", 100 * run[f"row{number}.y"][-1], 100 * filled, "%", within=1e-5)
    report.show(run, "row*.y", moving=False)
    report.end()


if __name__ == "__main__":
    main()
