"""Excavator with a Python planner.

An excavator of the 2 t class digs. Three cylinders move boom, stick and bucket, the bucket over a linkage of four bars. One pump, whose
pressure a relief valve limits, feeds three proportional valves with three controllers. A planner gives the lengths of the cylinders by
inverse kinematics from a digging path of the bucket. It is ordinary Python code, packed into an FMU by PythonFMU. The planner runs in
Co-Simulation; the rest is integrated between its steps.

The script checks how closely the bucket follows its path and whether the work adds up, and plots both. The motion is compared with the
same machine in one piece, which calls the planner's functions directly and is integrated by a stiff solver.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

from excavator.Account import Account
from excavator.arm import CYLINDER_FOOT, CYLINDERS, FOOT, LINKS, Moving, Placed, cylinder_lengths, placed
from excavator.planner import DiggingPath
from excavator.Soil import Soil
from jourdain import Result, System

# 1. The machine behind its arm; the dimensions of the arm are in excavator/arm.py, the path in excavator/planner.py.

GRAVITY = 9.81  # m/s2, as bodies have it by default
DEPTH = 0.35  # of the cut, in m
SPEED = 240.0  # of the engine, in rad/s: 2300 1/min
ENGINE = {"I": 0.3, "w": SPEED}
GOVERNOR = {"kp": 4.0, "ki": 10.0, "lower": 0.0, "upper": 75.0, "integral": 50.0}  # N.m.s/rad, N.m/rad, N.m
PUMP = {"displacement": 2.4e-6, "leakage": 1e-12, "coulomb": 1.0}  # 15 cm3 per turn, 35 l/min
RELIEF = {"set": 20e6, "band": 1e6, "nominal.flow": 1e-3, "nominal.drop": 20e6}  # 200 bar
GALLERY = {"volume": 1e-3, "bulk": 1e9, "p": 20.6e6}
VALVE = {"nominal.flow": 4e-4, "nominal.drop": 3.5e6, "bandwidth": 20.0}  # 24 l/min at 35 bar over an edge
FRICTION = {"viscous": 2e4, "coulomb": 300.0, "slip": 5e-3, "leakage": 5e-13}  # of a cylinder and its seals
RETURN_PRESSURE = 8e6  # in the chambers with the rod at the start, in Pa
CONTROL = {"kp": 50.0, "ki": 100.0, "lower": -1.0, "upper": 1.0, "Tt": 0.2}  # command of the valve per m, per m.s
FEEDFORWARD = 5.0  # command of the valve per m/s
STEP, STOP = 0.01, 12.0  # s
ALLOWED = {"path": 0.02, "balance": 1e-8, "in one piece": 5e-4}  # m, part of the work, m

# All but the planner run in Model Exchange, which the last argument of `add` says: left open, an FMU that offers both kinds would run in
# Co-Simulation too, where there is a communication step.

ME = "me"


# 2. The arm. Links are bodies with as many points as they have pins. A body's own frame lies in its mass centre.


def port(link: str, pin: str) -> str:
    """The port of a link's body at a pin."""
    return f"{link}.p{list(LINKS[link].pins).index(pin) + 1}"


PINS = {
    "boom pin": ("foot.p1", port("boom", "foot")),
    "stick pin": (port("boom", "stick"), port("stick", "boom")),
    "bucket pin": (port("stick", "bucket"), port("bucket", "stick")),
    "rocker pin": (port("stick", "rocker"), port("rocker", "stick")),
    "knee pin": (port("rocker", "link"), port("link", "rocker")),
    "lug pin": (port("link", "bucket"), port("bucket", "link")),
}
EYES = {
    "boom": ("cylinder foot.p1", port("boom", "boom cylinder")),
    "stick": (port("boom", "stick cylinder"), port("stick", "stick cylinder")),
    "bucket": (port("stick", "bucket cylinder"), port("rocker", "link")),
}
TIP = port("bucket", "tip")


def body(name: str) -> dict[str, float]:
    """The parameters of a link."""
    link = LINKS[name]
    values = {"m": link.mass, "I": link.inertia}
    for number, pin in enumerate(link.pins.values(), start=1):
        values |= {f"p{number}.rx": (pin - link.centre).real, f"p{number}.ry": (pin - link.centre).imag}
    return values


def start(name: str, where: Placed) -> dict[str, float]:
    centre = where.at(LINKS[name].centre).point
    return {"x": centre.real, "y": centre.imag, "theta": where.angle}


def add_arm(machine: System, starts: dict[str, dict[str, float]]) -> None:
    for name, point in {"foot": FOOT, "cylinder foot": CYLINDER_FOOT}.items():
        machine.add(name, "planar.Fixed", {"p1.rx": point.real, "p1.ry": point.imag}, ME)
    for name, link in LINKS.items():
        machine.add(name, f"planar.Body{len(link.pins)}", body(name) | starts[name], ME)
    for name, (near, far) in PINS.items():
        machine.add(name, "planar.Revolute", {}, ME)
        machine.connect(near, f"{name}.M")
        machine.connect(far, f"{name}.N")
    for name, (near, far) in EYES.items():
        machine.add(f"{name} actuator", "planar.LinearActuator", {}, ME)
        machine.connect(near, f"{name} actuator.M")
        machine.connect(far, f"{name} actuator.N")


# 3. What holds the arm at the start, by the principle of virtual power: in each of the three motions that the bucket can make, the power
# of the cylinders is that which lifts the weights.


def holding_forces(tip: complex, angle: float) -> dict[str, float]:
    """The force with which each cylinder pushes when the arm is at rest."""
    rates, powers = [], []
    for velocity, rate in ((1, 0), (1j, 0), (0, 1)):
        links = placed(Moving(tip, velocity), angle, rate)
        rates.append([length_rate for _, length_rate in cylinder_lengths(links).values()])
        powers.append(sum(LINKS[name].mass * GRAVITY * where.at(LINKS[name].centre).velocity.imag for name, where in links.items()))
    return dict(zip(CYLINDERS, np.linalg.solve(rates, powers), strict=True))


# 4. Hydraulics. Pump, relief valve and proportional valves meet in the gallery. A governor keeps the speed of the engine.


def add_hydraulics(machine: System, forces: dict[str, float]) -> None:
    machine.add("engine", "mechanical1d.Inertia", ENGINE, ME)
    machine.add("combustion", "mechanical1d.Torque", {}, ME)
    machine.add("governor", "signal.PID", GOVERNOR, ME)
    machine.add("tank", "hydraulic.Tank", {}, ME)
    machine.add("pump", "hydraulic.Pump", PUMP, ME)
    machine.add("gallery", "hydraulic.Volume", GALLERY, ME)
    machine.add("relief", "hydraulic.ReliefValve", RELIEF, ME)
    machine.drive("governor.setpoint", SPEED)
    machine.connect("engine.flange.w", "governor.measurement")
    machine.connect("governor.y", "combustion.torque")
    for flange in ("combustion.flange", "pump.flange"):
        machine.connect("engine.flange", flange)
    for inlet in ("pump.P", "relief.A"):
        machine.connect("gallery.port", inlet)
    for outlet in ("pump.T", "relief.B"):
        machine.connect("tank.port", outlet)
    for name, cylinder in CYLINDERS.items():
        values = {"piston": cylinder.piston, "rod": cylinder.rod, "stroke": cylinder.stroke, "offset": cylinder.closed}
        area1, area2 = np.pi / 4 * cylinder.piston**2, np.pi / 4 * (cylinder.piston**2 - cylinder.rod**2)
        pressures = {"p1": (forces[name] + RETURN_PRESSURE * area2) / area1, "p2": RETURN_PRESSURE}
        machine.add(f"{name} cylinder", "hydraulic.Cylinder", values | FRICTION | pressures, ME)
        machine.add(f"{name} valve", "hydraulic.ProportionalValve43", VALVE, ME)
        machine.connect("gallery.port", f"{name} valve.P")
        machine.connect("tank.port", f"{name} valve.T")
        machine.connect(f"{name} cylinder.A", f"{name} valve.A")
        machine.connect(f"{name} cylinder.B", f"{name} valve.B")
        machine.connect(f"{name} actuator.flange", f"{name} cylinder.flange")


# 5. Control. The command of a valve is what the planned speed needs, with a correction by the error in length.


def add_control(machine: System) -> None:
    for name in CYLINDERS:
        machine.add(f"{name} control", "signal.PID", CONTROL, ME)
        machine.add(f"{name} command", "signal.Sum", {"k[2]": FEEDFORWARD}, ME)
        machine.connect(f"{name} actuator.length", f"{name} control.measurement")
        machine.connect(f"{name} control.y", f"{name} command.u1")
        machine.connect(f"{name} command.y", f"{name} valve.command")


# 6. The planner. PythonFMU packs the file with the class into an FMU, and beside it the folder from which it imports.


def build_planner(folder: Path) -> Path:
    """The FMU of the planner."""
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", "excavator/planner.py", "-d", str(folder.resolve()), "excavator"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the FMU of the planner was not built:\n{done.stderr}")
    return folder / "Planner.fmu"


def add_planner(machine: System, planner: Path) -> None:
    machine.add("planner", planner, {"depth": DEPTH})
    for name in CYLINDERS:
        machine.connect(f"planner.{name}.length", f"{name} control.setpoint")
        machine.connect(f"planner.{name}.rate", f"{name} command.u2")


def drive_by_functions(machine: System, path: DiggingPath) -> None:
    """The same plan without an FMU."""
    for name in CYLINDERS:
        machine.drive(f"{name} control.setpoint", lambda t, name=name: path.lengths(t)[name][0])
        machine.drive(f"{name} command.u2", lambda t, name=name: path.lengths(t)[name][1])


# 7. Work. Sources have an output `power`, what dissipates has `loss`, and cylinders say what goes into the compression of their oil.

ACCOUNTS = {
    "work in": ["combustion.power", "tank.power"],
    "compression": [f"{name} cylinder.compression" for name in CYLINDERS],
    "losses": ["pump.loss", "relief.loss", "soil.loss", *(f"{name} {part}.loss" for name in CYLINDERS for part in ("valve", "cylinder"))],
}


def add_accounts(machine: System) -> None:
    for name, powers in ACCOUNTS.items():
        machine.add(name, Account, {}, ME)
        for number, power in enumerate(powers, start=1):
            machine.connect(power, f"{name}.power[{number}]")


def balance(result: Result) -> dict[str, np.ndarray]:
    """The work that came in, and where it went; what is left over is the error."""
    stores = result.energy + result["gallery.energy"] + sum(result[f"{name} cylinder.energy"] for name in CYLINDERS)
    found = {name: result[f"{name}.work"] for name in ACCOUNTS}
    found["stored"] = stores - stores[0] + found.pop("compression")
    return found | {"left over": found["work in"] - found["stored"] - found["losses"]}


# 8. The machine: build it, run it, show it.


def system(planner: Path | None) -> System:
    """The machine with the planner's FMU; without one, its functions drive the controllers."""
    machine, path = System("excavator"), DiggingPath(DEPTH)
    tip, angle, rate = path.bucket(0.0)
    add_arm(machine, {name: start(name, where) for name, where in placed(tip, angle, rate).items()})
    machine.add("soil", Soil, {}, ME)
    machine.connect(TIP, "soil.M")
    add_hydraulics(machine, holding_forces(tip.point, angle))
    add_control(machine)
    add_accounts(machine)
    if planner is None:
        drive_by_functions(machine, path)
    else:
        add_planner(machine, planner)
    return machine


def show(folder: Path) -> Result:
    """Packs the planner, digs, and writes an animation."""
    times = np.arange(0.0, STOP + STEP / 2, STEP)
    result = system(build_planner(folder)).simulate(stop_time=STOP, rtol=1e-7, communication_step=STEP, output_times=times)
    print(result.summary())
    result.animate(folder / "excavator.html", traces=[TIP])
    return result


def tip_of(result: Result) -> np.ndarray:
    return result[f"{TIP}.x"] + 1j * result[f"{TIP}.y"]


def planned(times: np.ndarray) -> np.ndarray:
    path = DiggingPath(DEPTH)
    return np.array([path.bucket(t)[0].point for t in times])


# 9. Plots.


def outline(result: Result, row: int) -> dict[str, np.ndarray]:
    """The links as they stand in a row of the result: their pins."""
    return {
        name: np.array([result[f"{port(name, pin)}.x"][row] + 1j * result[f"{port(name, pin)}.y"][row] for pin in link.pins])
        for name, link in LINKS.items()
    }


def plot_path(path: Path, result: Result) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (side, error) = pyplot.subplots(2, figsize=(8, 8), height_ratios=(3, 1), layout="constrained")
    side.axhline(0, color="tab:brown", linewidth=0.8)
    for time in (0.0, 3.5, 7.5, STOP):
        shade = str(0.85 - 0.7 * time / STOP)
        for pins in outline(result, int(np.searchsorted(result.time, time))).values():
            hull = pins if len(pins) < 3 else np.append(pins, pins[0])
            side.plot(hull.real, hull.imag, "-", color=shade)
    wanted, tip = planned(result.time), tip_of(result)
    side.plot(wanted.real, wanted.imag, "--", color="tab:gray", label="planned path of the tip")
    side.plot(tip.real, tip.imag, color="tab:orange", label="path of the tip")
    side.set(xlabel="x in m", ylabel="y in m", aspect="equal", title="An excavator, planned by a PythonFMU")
    side.legend()
    error.plot(result.time, 1e3 * np.abs(tip - wanted))
    error.set(xlabel="time in s", ylabel="distance of the tip\nfrom the plan in mm")
    for axes in (side, error):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


POWERS = {
    "engine": ["combustion.power"],
    "relief valve": ["relief.loss"],
    "proportional\nvalves": [f"{name} valve.loss" for name in CYLINDERS],
    "soil": ["soil.loss"],
}


def plot_machine(path: Path, result: Result) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (pressure, spool, force, power) = pyplot.subplots(4, sharex=True, figsize=(10, 10), layout="constrained")
    pressure.plot(result.time, 1e-6 * result["gallery.p"], color="black", label="gallery")
    for name, colour in zip(CYLINDERS, ("tab:blue", "tab:orange", "tab:green"), strict=True):
        pressure.plot(result.time, 1e-6 * result[f"{name} cylinder.p1"], color=colour, label=name)
        pressure.plot(result.time, 1e-6 * result[f"{name} cylinder.p2"], ":", color=colour)
        spool.plot(result.time, result[f"{name} valve.spool"], color=colour, label=name)
        force.plot(result.time, 1e-3 * result[f"{name} cylinder.force"], color=colour, label=name)
    pressure.set(ylabel="pressure in MPa\n(dotted: rod side)", title="Hydraulics of the excavator")
    spool.set(ylabel="spool position")
    force.plot(result.time, -1e-3 * result["soil.cut"], color="tab:brown", label="soil")
    force.set(ylabel="force in kN")
    for label, names in POWERS.items():
        power.plot(result.time, 1e-3 * sum(result[name] for name in names), label=label)
    power.set(xlabel="time in s", ylabel="power in kW")
    for axes in (pressure, spool, force, power):
        axes.grid(alpha=0.3)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
    figure.align_ylabels()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


# 10. The check.


def main() -> int:
    parser = argparse.ArgumentParser(description="An excavator digs along a path that a PythonFMU plans.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/excavator"), help="folder for FMU, plots and table (default: build/excavator)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    times = np.arange(0.0, STOP + STEP / 2, STEP)
    whole = system(None).simulate(stop_time=STOP, rtol=1e-7, solver="cvode", output_times=times)
    print(f"in one piece, by CVODE: {whole.summary()}")

    tip = tip_of(result)
    behind = np.searchsorted(whole.time, result.time, side="right") - 1
    work = balance(result)
    found = {
        "path": np.abs(tip - planned(result.time)).max(),
        "balance": np.abs(work["left over"]).max() / work["work in"][-1],
        "in one piece": np.abs(tip - tip_of(whole)[behind]).max(),
    }
    print(f"largest distance of the tip from its path: {1e3 * found['path']:.2f} mm ({1e3 * ALLOWED['path']:g} are allowed)")
    print(f"work in kJ: {', '.join(f'{name} {1e-3 * value[-1]:.6f}' for name, value in work.items())}")
    print(f"largest part of the work that is left over: {found['balance']:.1e} ({ALLOWED['balance']:g} is allowed)")
    print(
        f"largest distance of the tip to that in one piece: {1e3 * found['in one piece']:.3f} mm ({1e3 * ALLOWED['in one piece']:g} is allowed)"
    )
    result.to_csv(folder / "excavator.csv")
    plot_path(folder / "excavator_path.png", result)
    plot_machine(folder / "excavator_machine.png", result)
    print(
        f"FMU, table and plots: {folder / 'Planner.fmu'}, {', '.join(str(folder / f'excavator{rest}') for rest in ('.csv', '_path.png', '_machine.png'))}"
    )
    agrees = all(found[name] <= ALLOWED[name] for name in ALLOWED)
    return 0 if result.outcome.completed and whole.outcome.completed and agrees else 1


if __name__ == "__main__":
    sys.exit(main())
