"""Hydraulic crane.

A valve lets oil into a cylinder, which lifts a boom with a hanging load. The crane is a benchmark of coupled mechanics and hydraulics
(Rahikainen, Gonzalez, Naya and others). The run takes 20 s. Seconds of motion meet milliseconds of pressure, and the cylinder meets its
end stop twice. The first run integrates all FMUs together by a solver for stiff systems. The second is a co-simulation.
"""

from __future__ import annotations

import argparse
import sys
from math import cos, hypot, pi, sin, sqrt
from pathlib import Path

import numpy as np

from jourdain import Result, Scheme, System

# 1. The data, in SI units.

GRAVITY = 9.8
ANGLE = pi / 6  # of the boom at the start, above the x axis
BOOM = {"m": 500.0, "I": 500 / 12}
LENGTH = 1.0
LOAD = {"m": 100.0, "I": 1.0}
ROPE = 0.3  # from the tip to the mass centre of the load
FOOT = sqrt(3) / 2  # of the cylinder, on the ground
CENTRE = LENGTH / 2 * cos(ANGLE), LENGTH / 2 * sin(ANGLE)  # of the boom, where the cylinder's rod is hinged

VALVE = {"nominal.flow": 0.024 / 60, "nominal.drop": 35e5, "laminar": 2e5, "bandwidth": 35.0, "dead_zone": 1e-6}
CHAMBER = 0.221  # length of each chamber at the start
CYLINDER = {
    "piston": 0.08,
    "rod": 0.035,
    "stroke": 2 * CHAMBER,
    "offset": -CHAMBER,
    "hose1.volume": 3.14e-5,
    "hose2.volume": 7.85e-5,
    "bulk.oil": 1.5e9,
    "bulk.wall": 3.15e10,
    "bulk.hose": 1.5e8,
    "viscous": 1e5,
    "stop.k": 1e7,
    "stop.c": 5e3,
    "stop.length": 0.008,
    "p1": 4.163e6,
    "p2": 3.461e6,
}
SUPPLY, TANK = 7.6e6, 1e5

STEP = 5e-4  # of communication
COMMAND = [(0.0, 0.0), (0.5, 0.0), (2.0, 0.6), (7.0, 0.6), (9.0, -1.0), (10.0, 0.0)]  # s, opening of the valve
PERIOD, STOP = 10.0, 20.0
ALLOWED = {"length": 1e-7, "pressure 1": 1e-5, "pressure 2": 1e-4, "force": 3e-4, "balance": 1e-7}  # relative


# 2. The mechanics. The boom has three ports: its hinge, its tip, and its mass centre, at which the cylinder acts. The actuator is the line
# of the cylinder; its flange gives how much longer the line is than at the start, and takes the force that pushes its ends apart.


def add_mechanics(crane: System, kind: str | None) -> None:
    x, y = CENTRE
    crane.add("ground", "planar.Fixed")
    crane.add("foot", "planar.Fixed", {"p1.rx": FOOT})
    crane.add(
        "boom",
        "planar.Body3",
        {**BOOM, "p1.rx": -LENGTH / 2, "p2.rx": LENGTH / 2, "x": x, "y": y, "theta": ANGLE},
        kind,
    )
    crane.add("load", "planar.Body1", {**LOAD, "p1.ry": ROPE, "x": 2 * x, "y": 2 * y - ROPE}, kind)
    crane.join("planar.Revolute", "ground.p1", "boom.p1", name="hinge")
    crane.join("planar.Revolute", "boom.p2", "load.p1", name="tip")
    crane.join("planar.LinearActuator", "foot.p1", "boom.p3", {"offset": hypot(x - FOOT, y)}, name="actuator")


# 3. The hydraulics. Pressures are states of the cylinder, the spool is one of the valve, which connects the cylinder's chambers with
# supply and tank. What the valve is told comes from a table that is repeated.


def add_hydraulics(crane: System, kind: str | None) -> None:
    crane.add("supply", "hydraulic.PressureSource", {"pressure": SUPPLY})
    crane.add("tank", "hydraulic.Tank", {"pressure": TANK})
    crane.add("valve", "hydraulic.ProportionalValve43", VALVE, kind)
    crane.add("cylinder", "hydraulic.Cylinder", CYLINDER, kind)
    crane.add("command", "signal.Table", {"points": np.array(COMMAND), "period": PERIOD})
    for a, b in (
        ("supply.port", "valve.P"),
        ("tank.port", "valve.T"),
        ("cylinder.A", "valve.A"),
        ("cylinder.B", "valve.B"),
        ("command.y", "valve.command"),
    ):
        crane.connect(a, b)


# 4. Both are joined by one flange. Where meters are wanted, integrators count the work that goes in and what becomes heat.

METERS = {
    "work of the supply": "supply.power",
    "work of the tank": "tank.power",
    "compression": "cylinder.compression",
    "heat of the valve": "valve.loss",
    "heat of the cylinder": "cylinder.loss",
}


def system(mechanics: str | None = None, hydraulics: str | None = None, meters: bool = False) -> System:
    """The crane; the kinds, "me" or "cs", are those of the instances with states."""
    crane = System("hydraulic crane", gravity=(0.0, -GRAVITY))
    add_mechanics(crane, mechanics)
    add_hydraulics(crane, hydraulics)
    crane.connect("actuator.flange", "cylinder.flange")
    for meter, power in METERS.items() if meters else ():
        crane.add(meter, "signal.Integrator")
        crane.connect(power, f"{meter}.u")
    return crane


# 5. Together: all states are integrated by one solver. Pressures are stiff, which "cvode" is for. The co-simulation is the same system with
# a communication step: now each instance with states integrates itself from one point to the next, and what passes between them is
# extrapolated over the step. What has no states (joints, actuator, sources) is evaluated at the points.


def together() -> Result:
    return system(meters=True).simulate(STOP, solver="cvode", rtol=1e-9, output_interval=0.02)


def show(folder: Path) -> Result:
    """Integrates the crane together, and writes a plot and an animation."""
    result = together()
    result.animate(folder / "hydraulic_crane.html")
    pressures, angles = ("cylinder.p1", "cylinder.p2"), ("boom.theta", "load.theta")
    result.plot("actuator.length", pressures, ("valve.spool", "command.y"), "cylinder.force", angles, path=folder / "hydraulic_crane.png")
    return result


def apart() -> Result:
    return system().simulate(STOP, communication_step=STEP, scheme=Scheme(extrapolation=2), output_interval=0.02)


# 6. Compare. The errors of the co-simulation are relative, at each time; at events there are two rows, of which the latter counts.

WATCHED = {"length": "actuator.length", "pressure 1": "cylinder.p1", "pressure 2": "cylinder.p2", "force": "cylinder.force"}


def at(result: Result, name: str, times: np.ndarray) -> np.ndarray:
    """Values at times that were recorded."""
    return result[name][np.searchsorted(result.time, times + 1e-9, side="right") - 1]


def errors(result: Result, exact: Result, times: np.ndarray) -> dict[str, np.ndarray]:
    return {name: np.abs(at(result, variable, times) / at(exact, variable, times) - 1) for name, variable in WATCHED.items()}


def balance(result: Result) -> np.ndarray:
    """Returns stored energy plus heat, minus the work put in."""
    stored = result.energy + result["cylinder.energy"] + result["compression.y"]
    heat = result["heat of the valve.y"] + result["heat of the cylinder.y"]
    return stored - stored[0] + heat - result["work of the supply.y"] - result["work of the tank.y"]


# 7. A plot of the errors over time.


def plot_errors(path: Path, times: np.ndarray, found: dict[str, np.ndarray]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name, values in found.items():
        axes.semilogy(times, np.maximum(values, 1e-14), label=name)
    axes.set(xlabel="time in s", ylabel="relative error", title=f"Co-simulation in steps of {1e3 * STEP:g} ms")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A hydraulic crane, its FMUs integrated together and as co-simulation.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plots (default: build/machines)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    exact, coupled = show(folder), apart()
    holds = exact.outcome.completed and coupled.outcome.completed
    for name, result in {"integrated together": exact, "co-simulation": coupled}.items():
        print(f"{name}: {result.summary()}")
    stop = exact.time[exact["cylinder.position"] > CYLINDER["stroke"] - CYLINDER["stop.length"]]
    print(f"the cylinder is in its end stop for the first time at {stop.min():.2f} s, for the last time at {stop.max():.2f} s")
    for meter in METERS:
        print(f"{meter}: {exact[f'{meter}.y'][-1]:.2f} J")
    gap = np.abs(balance(exact)).max() / exact["work of the supply.y"].max()
    holds &= bool(gap <= ALLOWED["balance"])
    print(f"largest gap in the balance of energy: {gap:.1e} of the work of the supply ({ALLOWED['balance']:g} is allowed)")
    times = np.linspace(0, STOP, round(STOP / 0.1) + 1)
    found = errors(coupled, exact, times)
    print(f"largest relative errors of the co-simulation in steps of {STEP:g} s:")
    for name, values in found.items():
        holds &= bool(values.max() <= ALLOWED[name])
        print(f"  {name}: {values.max():.1e} ({ALLOWED[name]:g} is allowed)")
    created = sum(energy[-1] for energy in coupled.created_energy.values())
    print(f"energy that coupling has created: {created:.2e} J")
    plot_errors(folder / "hydraulic_crane_errors.png", times, found)
    print(f"plots: {folder / 'hydraulic_crane.png'}, {folder / 'hydraulic_crane_errors.png'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
