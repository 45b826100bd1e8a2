"""Spatial slider-crank.

The crank of this machine does not turn in the plane of the slider. It is a benchmark of the IFToMM library of multibody systems. It has a
crank about x, a rod on a spherical joint, a universal joint, and a slider along x. First it moves by itself, and is compared with digits
of the same machine with one coordinate. Then a direct-current motor is switched on, braked and switched off. The slider is compared with
its closed form, and the energy is balanced.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System, orientation

# 1. The data, in SI units.

PIVOT, B, C = np.array((0, 0.1, 0.12)), np.array((0, 0.1, 0.2)), np.array((0.2, 0, 0))  # of the crank; its pin and the slider at the start
CRANK = {"m": 0.12, "Ixx": 1e-4, "Iyy": 1e-4, "Izz": 1e-5}
ROD = {"m": 0.5, "Ixx": 4e-4, "Iyy": 4e-3, "Izz": 4e-3}
SLIDER = {"m": 2.0, "Ixx": 1e-4, "Iyy": 1e-4, "Izz": 1e-4}
RADIUS, LENGTH = 0.08, 0.3
RATE, SLIDER_SPEED, ROD_RATES = 6.0, 0.24, (1.92, -0.96, 0.48)  # at the start

MOTOR = {"R": 0.5, "L": 2e-3, "k": 0.3}
VOLTAGE = [(0.0, 0.0), (0.2, 12.0), (1.2, 12.0), (1.2, -6.0), (1.5, -6.0), (1.5, 0.0)]  # s, V
FRICTION = 2.0  # N.s/m, of the guide
STOP = 2.0


# 2. The mechanics. Joints turn about z and slide along z of their ports: ALONG_X turns a port so that its z points along x. All bodies but
# the rod start with frames parallel to the absolute one. The universal joint keeps x of the slider at right angles to y of the rod.

ALONG_X = {"zx": 1.0, "zz": 0.0, "xx": 0.0, "xz": 1.0}


def vector(name: str, values: np.ndarray) -> dict[str, float]:
    return {f"{name}{axis}": float(value) for axis, value in zip("xyz", values, strict=True)}


def along_x(port: str) -> dict[str, float]:
    return {f"{port}.{name}": value for name, value in ALONG_X.items()}


def mechanics(friction: float = 0.0) -> System:
    """The machine without its motor; without friction it keeps its energy."""
    machine = System("slider-crank in space")
    pin_speed, slider_speed = np.cross((RATE, 0, 0), B - PIVOT), np.array((SLIDER_SPEED, 0, 0))
    rod = C - B
    across = np.cross(rod, (1, 0, 0)) / np.linalg.norm(np.cross(rod, (1, 0, 0)))
    R = np.stack([rod / LENGTH, across, np.cross(rod / LENGTH, across)], axis=1)
    motions = {
        "crank": vector("", (PIVOT + B) / 2) | vector("v", pin_speed / 2) | {"omegax": RATE},
        "rod": vector("", (B + C) / 2) | vector("v", (pin_speed + slider_speed) / 2) | vector("omega", ROD_RATES),
        "slider": vector("", C) | vector("v", slider_speed),
    }
    machine.add("ground", "spatial.Fixed", vector("p1.r", PIVOT) | along_x("p1"))
    machine.add("rail", "spatial.Fixed", along_x("p1"))
    machine.add("crank", "spatial.Body2", CRANK | {"p1.rz": -RADIUS / 2, "p2.rz": RADIUS / 2} | along_x("p1") | motions["crank"])
    machine.add("rod", "spatial.Body2", ROD | {"p1.rx": -LENGTH / 2, "p2.rx": LENGTH / 2} | orientation(matrix=R) | motions["rod"])
    machine.add("slider", "spatial.Body2", SLIDER | along_x("p2") | motions["slider"])
    for joint, component, a, b in (
        ("bearing", "ActuatedRevolute", "ground.p1", "crank.p1"),
        ("ball", "Spherical", "crank.p2", "rod.p1"),
        ("cross", "Universal", "slider.p1", "rod.p2"),
        ("guide", "Prismatic", "rail.p1", "slider.p2"),
    ):
        machine.join(f"spatial.{component}", a, b, {"translation.b": friction} if joint == "guide" else None, name=joint)
    return machine


# 3. The motor. Its shaft is the flange of the actuated joint. Meters count the energy that goes in and what becomes heat.

METERS = {
    "work of the source": ("source.power", 1.0),
    "heat of the motor": ("motor.loss", 1.0),
    "heat of the guide": ("guide.translation.power", -1.0),  # of springs and dampers the power is what they give
}


def system() -> System:
    machine = mechanics(FRICTION)
    machine.add("source", "electrical.VoltageSource")
    machine.add("motor", "electrical.DCMotor", MOTOR)
    machine.connect("source.pin", "motor.pin")
    machine.connect("motor.flange", "bearing.flange")
    machine.drive("source.voltage", VOLTAGE)
    for meter, (power, sign) in METERS.items():
        machine.add(meter, "signal.Integrator", {"k": sign})
        machine.connect(power, f"{meter}.u")
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(stop_time=STOP, solver="cvode", rtol=1e-10, output_interval=2e-3)
    print(result.summary())
    result.animate(folder / "spatial_slider_crank.html")
    result.plot("crank.omegax", "slider.x", "motor.current", path=folder / "spatial_slider_crank.png")
    return result


# 4. The check: where the slider is when the crank has turned by an angle, and that no energy is lost.

REFERENCE = {
    0.1: (0.56003148209, 5.82888813, 0.22678718855),
    0.5: (5.58376255331, 14.40816081, 0.18495262978),
    1.0: (10.91359072986, 10.42759300, 0.21172166139),
    2.0: (21.0727445228, 22.58424003, 0.28908519707),
}
"""Angle of the crank, its rate and the place of the slider at some times, without the motor."""
ALLOWED = {"reference": 2e-8, "stroke": 1e-7, "balance": 1e-6}  # rad, rad/s or m; m; J


def stroke(angle: np.ndarray) -> np.ndarray:
    """The place of the slider in closed form."""
    y, z = PIVOT[1] - RADIUS * np.sin(angle), PIVOT[2] + RADIUS * np.cos(angle)
    return np.sqrt(LENGTH**2 - y**2 - z**2)


def balance(result: Result) -> np.ndarray:
    """Returns stored energy plus heat, minus the energy stored at the start and the work of the source."""
    stored = result.energy + result["motor.energy"]
    heat = result["heat of the motor.y"] + result["heat of the guide.y"]
    return stored - stored[0] + heat - result["work of the source.y"]


def main() -> int:
    parser = argparse.ArgumentParser(description="A slider-crank in space, by itself and with a motor.")
    parser.add_argument("--out", type=Path, default=Path("build/space"), help="folder for the plot (default: build/space)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    alone = mechanics().simulate(stop_time=STOP, solver="dop853", rtol=1e-12, output_times=[0, *REFERENCE])
    values = np.stack([alone[name][1:] for name in ("bearing.rotation.q", "crank.omegax", "slider.x")], axis=1)
    result = show(folder)
    found = {
        "reference": np.abs(values - list(REFERENCE.values())).max(),
        "stroke": np.abs(result["slider.x"] - stroke(result["bearing.rotation.q"])).max(),
        "balance": np.abs(balance(result)).max(),
    }
    print(f"without the motor, largest difference to the reference: {found['reference']:.1e} ({ALLOWED['reference']:g} is allowed)")
    print(f"with it, largest difference of the slider to its closed form: {found['stroke']:.1e} m ({ALLOWED['stroke']:g} is allowed)")
    for meter in METERS:
        print(f"{meter}: {result[f'{meter}.y'][-1]:.6f} J")
    print(f"largest gap in the balance of energy: {found['balance']:.1e} J ({ALLOWED['balance']:g} is allowed)")
    print(f"plot: {folder / 'spatial_slider_crank.png'}")
    return 0 if result.outcome.completed and all(found[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
