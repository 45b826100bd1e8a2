"""Signals, filters and limits.

Butterworth filters of order one to four pass a tone at their corner with 1/sqrt(2) of its amplitude. Tanks in series fill one after the other. In a
digital control of speed, the demand rises slowly, the sensor samples, and the valve of the engine has play and a limited rate.
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


def engine() -> System:
    """Returns a ramp of speed, a controller that samples each 50 ms, and an engine with a time constant of 0.8 s."""
    ship = System("engine")
    ship.add("idle", "signal.Constant", {"value": 10.0})
    ship.add("demand", "signal.Ramp", {"start": 1.0, "duration": 2.0, "height": 40.0})
    ship.add("sensor", "signal.SampleHold", {"period": 0.05})
    ship.add("error", "signal.Sum", {"k[3]": -1.0})
    ship.add("gain", "signal.Gain", {"k": 5.0})
    ship.add("play", "signal.Deadzone", {"lower": -2.0, "upper": 2.0})
    ship.add("valve", "signal.RateLimiter", {"rising": 60.0, "falling": -60.0, "T": 0.02})
    ship.add("engine", "signal.FirstOrder", {"k": 2.0, "T": 0.8})
    for source, target in (("idle.y", "error.u1"), ("demand.y", "error.u2"), ("engine.y", "sensor.u"), ("sensor.y", "error.u3")):
        ship.connect(source, target)
    for source, target in (("error.y", "gain.u"), ("gain.y", "play.u"), ("play.y", "valve.u"), ("valve.y", "engine.u")):
        ship.connect(source, target)
    return ship


def main() -> None:
    report = Report("Signals, filters and limits")
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
    run = engine().simulate(8.0)
    report.figure("the engine turns at", run["engine.y"][-1], 2 * (5 * 50 - 2) / (1 + 2 * 5), "rad/s", within=1e-3)
    report.figure("the valve opens at most at", run["valve.rate"].max(), 60.0, "1/s")
    report.show(run, "engine.y", "valve.y", moving=False)
    report.end()


if __name__ == "__main__":
    main()
