"""Wagons, hammers and play.

A locomotive takes up the play of its last coupling, then pulls two wagons against the wind. A hammer drives a pile.
"""

import numpy as np
from report import Report

from jourdain import System


def train() -> System:
    """Returns a locomotive of 80 t with 120 kN, a wagon on a rigid coupling and one whose coupling has 0.1 m of play; wind resists by 40 N.s2/m2."""
    line = System("train")
    line.add("pull", "mechanical1d.Force", {"force": 120e3})
    line.add("locomotive", "mechanical1d.Mass", {"m": 80e3})
    line.add("wagon", "mechanical1d.Mass", {"m": 40e3, "s": -15.0})
    line.add("last", "mechanical1d.Mass", {"m": 30e3, "s": -30.0})
    line.add("wind", "mechanical1d.Drag", {"c": 40.0})
    line.connect("locomotive.flange", "pull.flange")
    line.connect("locomotive.flange", "wind.flange")
    line.join("mechanical1d.RigidRod", "locomotive.flange", "wagon.flange", {"length": -15.0}, name="coupling")
    line.join("mechanical1d.Backlash", "wagon.flange", "last.flange", {"play": 0.1, "offset": -15.05}, name="loose")
    return line


def pile_driver() -> System:
    """Returns a hammer of 2 t that meets a pile of 1 t at 5 m/s; it rebounds with the coefficient 0.4."""
    site = System("pile driver")
    site.add("pile", "mechanical1d.Mass", {"m": 1e3})
    site.add("hammer", "mechanical1d.Mass", {"m": 2e3, "s": 0.1, "v": -5.0})
    site.join("mechanical1d.CompliantContact", "pile.flange", "hammer.flange", {"k": 5e9, "e": 0.4, "speed": 5.0}, name="blow")
    return site


def main() -> None:
    report = Report("Wagons, hammers and play")
    run, fastest = train().simulate(40.0), np.sqrt(120e3 / 40.0)
    before = fastest * np.sqrt(1 - np.exp(-2 * 40.0 * 0.1 / 120e3))  # after 0.1 m against the wind
    begin = 120e3 * fastest / 120e3 * np.arctanh(before / fastest)
    report.figure("time until the last wagon starts", run.changes[0].time, begin, "s")
    speed = fastest * np.tanh(np.arctanh(before * 120 / 150 / fastest) + (40.0 - begin) * 120e3 / (150e3 * fastest))
    report.figure("speed after 40 s", run["last.v"][-1], speed, "m/s")
    report.show(run, "last.v", ("coupling.lambda[1]", "wind.force"), moving=False)
    run = pile_driver().simulate(0.05, max_step=1e-3)
    report.figure("speed of the pile", run["pile.v"][-1], -5.0 * 2 / 3 * 1.4, "m/s", within=1e-4)
    report.figure("speed of the hammer", run["hammer.v"][-1], -5.0 * (2 - 0.4) / 3, "m/s", within=1e-4)
    report.show(run, "pile.v", "blow.force", moving=False)
    report.end()


if __name__ == "__main__":
    main()
