"""Valves and accumulators.

A pump charges an accumulator over a check valve. A counterbalance valve holds a load until its pilot line lets it down. A pressure compensator keeps the flow
to a load that changes.
"""

import numpy as np
from report import Report

from jourdain import System

BAR, G = 1e5, 9.81  # Pa, m/s2


def accumulator() -> System:
    """Returns a pump of 0.1 l/s, which charges an accumulator of 10 l from 50 bar on over a check valve."""
    unit = System("accumulator")
    unit.add("pump", "hydraulic.FlowSource", {"flow": 1e-4})
    unit.add("outlet", "hydraulic.Volume", {"p": 50 * BAR})
    unit.add("bladder", "hydraulic.Accumulator", {"precharge": 50 * BAR, "volume": 0.01, "p": 50 * BAR})
    unit.connect("pump.port", "outlet.port")
    unit.join("hydraulic.CheckValve", "outlet.port", "bladder.port", name="valve")
    return unit


def boom() -> System:
    """Returns a load of 4 t on a cylinder, which a counterbalance valve holds until its pilot pressure rises from 1 to 61 bar."""
    crane = System("boom")
    crane.add("load", "mechanical1d.Mass", {"m": 4000.0, "s": 0.3})
    crane.add("weight", "mechanical1d.Force", {"force": -4000 * G})
    crane.add("cylinder", "hydraulic.Cylinder", {"p1": 79 * BAR})
    crane.add("valve", "hydraulic.CounterbalanceValve", {"set": 120 * BAR, "band": 20 * BAR, "nominal.flow": 2e-4})
    crane.add("pilot", "hydraulic.PressureSource")
    crane.add("tank", "hydraulic.Tank")
    crane.connect("load.flange", "weight.flange")
    crane.connect("load.flange", "cylinder.flange")
    for port, end in {"cylinder.A": "A", "tank.port": "B", "pilot.port": "X"}.items():
        crane.connect(port, f"valve.{end}")
    crane.join("hydraulic.Orifice", "tank.port", "cylinder.B", {"area": 1e-4}, name="suction")
    crane.drive("pilot.pressure", [(0.0, BAR), (1.0, BAR), (1.5, 61 * BAR), (3.0, 61 * BAR)])
    return crane


def compensated() -> System:
    """Returns a pressure supply of 200 bar, a compensator, a metering orifice, and a load whose pressure rises from 20 to 120 bar."""
    bench = System("compensated")
    bench.add("supply", "hydraulic.PressureSource", {"pressure": 200 * BAR})
    bench.add("between", "hydraulic.Volume", {"p": 30 * BAR})
    bench.add("load", "hydraulic.PressureSource")
    bench.add("compensator", "hydraulic.PressureCompensator", {"spring": 8 * BAR, "band": 1e4})
    for port, end in {"supply.port": "A", "between.port": "B", "load.port": "X"}.items():
        bench.connect(port, f"compensator.{end}")
    bench.join("hydraulic.Orifice", "between.port", "load.port", {"area": 1e-5}, name="meter")
    bench.drive("load.pressure", [(0.0, 20 * BAR), (0.5, 20 * BAR), (1.5, 120 * BAR), (2.0, 120 * BAR)])
    return bench


def main() -> None:
    report = Report("Valves and accumulators")
    run = accumulator().simulate(30.0, solver="cvode")
    report.figure("the accumulator reaches", run["bladder.p"][-1] / BAR, 50 / (1 - 0.3) ** 1.4, "bar", within=1e-2)
    report.show(run, ("bladder.p", "outlet.p"), moving=False)
    run, push = boom().simulate(3.0, solver="cvode"), np.pi / 4 * 0.08**2
    drop = 4000 * G / push
    report.figure("the valve holds", run["valve.drop"][run.time < 1.0][-1] / BAR, drop / BAR, "bar", within=1e-2)
    report.figure("speed of lowering", -run["load.v"][-1], 2e-4 * np.sqrt(drop / 20e5) / push, "m/s", within=1e-2)
    report.show(run, "load.s", ("cylinder.p1", "cylinder.p2"), moving=False)
    run = compensated().simulate(2.0, solver="cvode")
    report.figure("flow under 20 bar", run["meter.flow"][50] * 6e4, 0.7 * 1e-5 * np.sqrt(2 * 8 * BAR / 870) * 6e4, "l/min", within=1e-2)
    report.figure("flow under 120 bar", run["meter.flow"][-1] * 6e4, 0.7 * 1e-5 * np.sqrt(2 * 8 * BAR / 870) * 6e4, "l/min", within=1e-2)
    report.show(run, "meter.flow", "compensator.opening", moving=False)
    report.end()


if __name__ == "__main__":
    main()
