"""Pneumatic cylinders, valves and receivers.

Air of a supply fills a receiver through a choked passage. It leaves through a needle valve that opens slowly. A cylinder with a proportional valve lifts a load.
"""

import numpy as np
from report import Report

from jourdain import System
from jourdain.declare import t

BAR, G, RT = 1e5, 9.81, 288 * 293.15  # Pa, m/s2, J/kg


def receiver() -> System:
    """Returns a receiver of 20 l, which a supply of 8 bar fills through a passage of 2 l/(s.bar)."""
    plant = System("receiver")
    plant.add("supply", "pneumatic.PressureSource", {"pressure": 8 * BAR})
    plant.add("tank", "pneumatic.Volume", {"volume": 0.02, "p": BAR})
    plant.join("pneumatic.Restrictor", "supply.port", "tank.port", {"C": 2e-8, "b": 0.4}, name="passage")
    return plant


def venting() -> System:
    """Returns a receiver of 20 l at 8 bar, and a needle valve to the outside, which is open after 2 s."""
    plant = System("venting")
    plant.add("tank", "pneumatic.Volume", {"volume": 0.02, "p": 8 * BAR})
    plant.add("outside", "pneumatic.Atmosphere")
    plant.join("pneumatic.MeteringValve", "tank.port", "outside.port", {"C": 8e-8, "share": [[0, 0.5, 1], [0, 0.125, 1]]}, name="needle")
    plant.drive("needle.opening", t / 2)
    return plant


def lift() -> System:
    """Returns a load of 20 kg on a vertical cylinder, whose valve opens to 20 % after 0.2 s."""
    cell = System("lift")
    cell.add("supply", "pneumatic.PressureSource", {"pressure": 7 * BAR})
    cell.add("outside", "pneumatic.Atmosphere")
    cell.add("valve", "pneumatic.ProportionalValve53", {"C": 5e-9})
    cell.add("cylinder", "pneumatic.Cylinder", {"stroke": 0.3, "viscous": 300.0, "p1": 4 * BAR, "p2": 1.24 * BAR})
    cell.add("load", "mechanical1d.Mass", {"m": 20.0, "s": 0.02})
    cell.add("weight", "mechanical1d.Force", {"force": -20 * G})
    cell.connect("cylinder.flange", "load.flange")
    cell.connect("weight.flange", "load.flange")
    for port, end in {"supply.port": "P", "cylinder.A": "A", "cylinder.B": "B"}.items():
        cell.connect(port, f"valve.{end}")
    for exhaust in "RS":
        cell.connect("outside.port", f"valve.{exhaust}")
    cell.drive("valve.command", [(0.0, 0.0), (0.2, 0.0), (0.25, 0.2), (2.0, 0.2)])
    return cell


def main() -> None:
    report = Report("Pneumatic cylinders, valves and receivers")
    run = receiver().simulate(2.0, solver="cvode")
    report.figure("choked flow", run["passage.flow"][0] * 1e3, 2e-8 * 1.185 * 8 * BAR * 1e3, "g/s")
    report.figure("pressure after 1 s", run.at(1.0)["tank.p"] / BAR, 1 + RT * 2e-8 * 1.185 * 8 / 0.02, "bar", within=1e-4)
    report.show(run, "tank.p", "passage.flow", moving=False)
    run = venting().simulate(2.0, solver="cvode", rtol=1e-8)
    opened = (0.5 * 1e-8 + 0.5 * (1e-8 + 8e-8)) * 1.0  # conductance over time, by trapezia of the table
    report.figure("pressure after venting", run["tank.p"][-1] / BAR, 8 * np.exp(-RT * 1.185 * opened / 0.02), "bar", within=1e-4)
    report.show(run, "tank.p", "needle.flow", moving=False)
    run = lift().simulate(4.0, solver="cvode")
    end = np.pi / 4 * (0.032**2 * run["cylinder.p1"] - (0.032**2 - 0.012**2) * run["cylinder.p2"] - 0.012**2 * 101325)[-1] - 20 * G
    report.figure("the stop bears at the top", 1e6 * (run["cylinder.position"][-1] - 0.299), end, "N", within=1e-3)
    report.show(run, "load.s", ("cylinder.p1", "cylinder.p2"), moving=False)
    report.end()


if __name__ == "__main__":
    main()
