"""Stewart platform.

Six hydraulic cylinders carry a platform along a path in all of its six degrees of freedom. Each leg is a cylinder on a universal joint
and a rod on a spherical one, which slides in it. Controllers open the valves. The lengths of the legs follow from the path in closed
form. Two legs meet at each of three points of the platform.
"""

from __future__ import annotations

import argparse
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from jourdain import Result, System, orientation

# 1. The data, in SI units.

LEGS = range(6)
HOME = np.array((0, 0, 1.2))  # the mass centre of the platform at the start, above the middle of the base
CORNERS = [0.6 * np.array((np.cos(a), np.sin(a), 0)) for a in np.radians((0, 120, 240))]  # in the frame of the platform
FEET = [np.array((np.cos(a), np.sin(a), 0)) for a in np.radians((-50, 50, 70, 170, 190, 290))]
PLATFORM = {"m": 200.0, "Ixx": 20.0, "Iyy": 20.0, "Izz": 40.0}
TUBE = {"m": 15.0, "Ixx": 0.5, "Iyy": 0.5, "Izz": 0.02, "p1.rz": -0.35}
ROD = {"m": 8.0, "Ixx": 0.3, "Iyy": 0.3, "Izz": 0.005, "p1.rz": 0.35}
CYLINDER = {"piston": 0.05, "rod": 0.03, "stroke": 0.8, "offset": 1.1, "viscous": 3e3}
VALVE = {"nominal.flow": 8e-4, "nominal.drop": 35e5}
SUPPLY, TANK = 160e5, 1e5
GAIN, FORWARD = 30.0, 1.5  # of the valve's opening: per metre that a leg is too short, and per speed that it should have

PERIOD = 4.0  # of the path, s


# 2. The path: a loop in which the platform moves sideways, rises, leans and turns. It begins and ends at rest. The lengths of the legs are
# the distances between their feet and the corners.


def path(t: float) -> tuple[np.ndarray, Rotation]:
    """Mass centre and attitude of the platform."""
    turn = 2 * np.pi * t / PERIOD
    phase = turn - np.sin(turn)
    aside, back = np.sin(phase), 1 - np.cos(phase)
    return HOME + np.array((0.15 * aside, 0.1 * back, 0.08 * back)), Rotation.from_rotvec((0.1 * aside, 0.1 * back, 0.25 * aside))


def lengths(centre: np.ndarray, attitude: Rotation) -> np.ndarray:
    """Returns the lengths of the legs in closed form."""
    corners = centre + attitude.apply(CORNERS)
    return np.array([np.linalg.norm(corners[i // 2] - FEET[i]) for i in LEGS])


TIMES = np.linspace(0, PERIOD, 401)
SPLINE = CubicSpline(TIMES, [lengths(*path(t)) for t in TIMES], bc_type="clamped")  # quicker to ask at each evaluation


@lru_cache(maxsize=8)
def wanted(t: float) -> np.ndarray:
    """Lengths of the legs, and their rates, which six controllers ask for at the same time."""
    return np.array([SPLINE(t), SPLINE(t, 1)])


# 3. The machine: build it, run it, show it. Axis z of tube and rod points along the leg. Their ports lie at the ends of the leg, so that
# the joint between them gives its length. The cross of the universal joint turns about x of the foot and y of the tube, which are
# parallel to each other's at the start.


def add_leg(machine: System, i: int) -> None:
    corner = HOME + CORNERS[i // 2]
    along = (corner - FEET[i]) / np.linalg.norm(corner - FEET[i])
    across = np.cross(along, FEET[i]) / np.linalg.norm(np.cross(along, FEET[i]))
    attitude = orientation(matrix=np.stack([np.cross(across, along), across, along], axis=1))

    def at(point: np.ndarray, name: str = "") -> dict[str, float]:
        return {f"{name}{axis}": float(value) for axis, value in zip("xyz", point, strict=True)}

    frame = at(along, "p1.z") | at(np.cross(across, along), "p1.x")
    machine.add(f"foot{i}", "spatial.Fixed", at(FEET[i], "p1.r") | frame)
    machine.add(f"tube{i}", "spatial.Body1", TUBE | attitude | at(FEET[i] - TUBE["p1.rz"] * along))
    machine.add(f"rod{i}", "spatial.Body1", ROD | attitude | at(corner - ROD["p1.rz"] * along))
    for joint, component, a, b in (
        ("cross", "Universal", f"foot{i}.p1", f"tube{i}.p1"),
        ("leg", "ActuatedPrismatic", f"tube{i}.p1", f"rod{i}.p1"),
        ("ball", "Spherical", f"platform.p{i // 2 + 1}", f"rod{i}.p1"),
    ):
        machine.join(f"spatial.{component}", a, b, name=f"{joint}{i}")


def add_hydraulics(machine: System, i: int, force: float) -> None:
    """A cylinder that pushes at the start, its valve, and a controller: a weighted sum."""
    area = np.pi / 4 * CYLINDER["piston"] ** 2
    ring = area - np.pi / 4 * CYLINDER["rod"] ** 2
    machine.add(f"cylinder{i}", "hydraulic.Cylinder", CYLINDER | {"p1": (force + SUPPLY / 2 * ring) / area, "p2": SUPPLY / 2})
    machine.add(f"valve{i}", "hydraulic.ProportionalValve43", VALVE)
    machine.add(f"control{i}", "signal.Sum", {"k[1]": GAIN, "k[2]": -GAIN, "k[3]": FORWARD})
    for a, b in (
        ("supply.port", f"valve{i}.P"),
        ("tank.port", f"valve{i}.T"),
        (f"cylinder{i}.A", f"valve{i}.A"),
        (f"cylinder{i}.B", f"valve{i}.B"),
        (f"control{i}.y", f"valve{i}.command"),
        (f"leg{i}.translation.q", f"control{i}.u2"),
        (f"cylinder{i}.flange", f"leg{i}.flange"),
    ):
        machine.connect(a, b)
    machine.drive(f"control{i}.u1", lambda t: wanted(t)[0, i])
    machine.drive(f"control{i}.u3", lambda t: wanted(t)[1, i])


def system() -> System:
    machine = System("Stewart platform")
    corners = {f"p{n}.r{axis}": float(value) for n, corner in enumerate(CORNERS, 1) for axis, value in zip("xyz", corner, strict=True)}
    machine.add("platform", "spatial.Body3", PLATFORM | corners | {"z": HOME[2]})
    machine.add("supply", "hydraulic.PressureSource", {"pressure": SUPPLY})
    machine.add("tank", "hydraulic.Tank", {"pressure": TANK})
    upwards = HOME[2] / lengths(HOME, Rotation.identity())[0]
    for i in LEGS:
        add_leg(machine, i)
        add_hydraulics(machine, i, 9.81 * (PLATFORM["m"] / 6 + ROD["m"]) / upwards)
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation. Pressures are stiff, which "cvode" is for."""
    result = system().simulate(stop_time=PERIOD, solver="cvode", rtol=1e-6, output_interval=0.01)
    print(result.summary())
    result.animate(folder / "stewart_platform.html")
    result.plot("leg*.translation.q", "cylinder*.p1", path=folder / "stewart_platform.png")
    return result


# 4. The check.

ALLOWED = {"lengths": 1e-6, "place": 5e-3, "attitude": 1.0}  # m, m, degrees


def motion(result: Result) -> tuple[np.ndarray, Rotation]:
    """Returns the simulated places and attitudes of the platform."""
    centre = np.stack([result[f"platform.{axis}"] for axis in "xyz"], axis=1)
    return centre, Rotation.from_quat(np.stack([result[f"platform.q{i}"] for i in (1, 2, 3, 0)], axis=1))


def main() -> int:
    parser = argparse.ArgumentParser(description="A Stewart platform on hydraulic cylinders follows a path.")
    parser.add_argument("--out", type=Path, default=Path("build/space"), help="folder for the plot (default: build/space)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    centre, attitude = motion(result)
    asked = [path(t) for t in result.time]
    away = np.linalg.norm(centre - [place for place, _ in asked], axis=1)
    measured = np.stack([result[f"leg{i}.translation.q"] for i in LEGS], axis=1)
    found = {
        "lengths": np.abs(measured - [lengths(*pose) for pose in zip(centre, attitude, strict=True)]).max(),
        "place": away.max(),
        "attitude": max(np.degrees((a * b.inv()).magnitude()) for a, (_, b) in zip(attitude, asked, strict=True)),
    }
    print(f"legs, largest difference to the closed form: {found['lengths']:.1e} m ({ALLOWED['lengths']:g} is allowed)")
    print(f"largest distance from the path: {1e3 * found['place']:.2f} mm ({1e3 * ALLOWED['place']:g} is allowed)")
    print(f"largest angle to the path's attitude: {found['attitude']:.3f} degrees ({ALLOWED['attitude']:g} is allowed)")
    print(f"legs are {measured.min():.3f} m to {measured.max():.3f} m long")
    print(f"plot: {folder / 'stewart_platform.png'}")
    return 0 if result.outcome.completed and all(found[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
