"""Bricard mechanism.

A loop of six hinges and five rods moves, although a count of its equations says that it is stiff. Each hinge takes five of the thirty
degrees of freedom of the five rods, which leaves none. The axes of the hinges lie such that one of the thirty equations follows from the
others. The loop moves with one degree of freedom (benchmark A04 of the IFToMM library of multibody systems). Jourdain finds the redundant
equation, reports it, and takes the multipliers of least length.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System, orientation

POINTS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)  # of the hinges at the start
AXES = "yzxyzx"
ROD = {"m": 1.0, "Ixx": 0.02 / 12, "Iyy": 1.01 / 12, "Izz": 1.01 / 12}  # 1 m long, 0.1 m square
STOP = 2.0


# 1. The machine: build it, run it, show it. The frame of each rod has x along the rod. Where the axis of a hinge points is a parameter of
# the port, in the frame of its body: z is the axis, and x only tells from where the angle counts. So the ports of both bodies at a hinge
# get the same directions, turned into their frames.


def frame(rod: int) -> np.ndarray:
    """Columns are the axes of a rod's frame at the start."""
    along = POINTS[rod + 1] - POINTS[rod]
    across = np.roll(np.abs(along), 1)
    return np.stack([along, across, np.cross(along, across)], axis=1)


def vector(name: str, values: np.ndarray) -> dict[str, float]:
    return {f"{name}{axis}": float(value) for axis, value in zip("xyz", values, strict=True)}


def port(name: str, hinge: int, R: np.ndarray) -> dict[str, float]:
    """The directions of a hinge's axis, and of the absolute axis that follows it, in a body's frame."""
    axis = "xyz".index(AXES[hinge])
    return vector(f"{name}.z", R[axis]) | vector(f"{name}.x", R[(axis + 1) % 3])


def system() -> System:
    loop = System("Bricard", gravity=(0.0, -9.81, 0.0))
    loop.add("start", "spatial.Fixed", vector("p1.r", POINTS[0]) | port("p1", 0, np.eye(3)))
    loop.add("end", "spatial.Fixed", vector("p1.r", POINTS[5]) | port("p1", 5, np.eye(3)))
    for i in range(5):
        R = frame(i)
        ports = {"p1.rx": -0.5, "p2.rx": 0.5} | port("p1", i, R) | port("p2", i + 1, R)
        loop.add(f"rod{i}", "spatial.Body2", ROD | ports | orientation(matrix=R) | vector("", (POINTS[i] + POINTS[i + 1]) / 2))
    for i in range(6):
        ends = "start.p1" if i == 0 else f"rod{i - 1}.p2", "end.p1" if i == 5 else f"rod{i}.p1"
        loop.join("spatial.Revolute", *ends, name=f"hinge{i}")
    return loop


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(stop_time=STOP, solver="dop853", rtol=1e-11, output_times=np.linspace(0, STOP, 401))
    print(result.summary())
    result.animate(folder / "bricard.html")
    result.plot("hinge0.rotation.q", "hinge1.rotation.q", path=folder / "bricard.png")
    return result


# 2. The check against the digits of another formulation.

REFERENCE = {
    0.5: ((0.96828367911, -1.22462515944, 0.75014660944), 0.25252884052),
    1.0: ((0.51050146119, -1.64916759939, 0.14012311455), 1.03502845952),
    2.0: ((-0.96934034478, -1.22124689496, 0.75427801078), 2.89332820598),
}
"""The fourth hinge, in m, and the angle at the first one, in rad, at some times: a formulation in relative coordinates."""
ALLOWED = 1e-7


def fourth_hinge(result: Result) -> np.ndarray:
    """Its place, one row for each time."""
    return np.stack([result[f"rod3.p1.{axis}"] for axis in "xyz"], axis=1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Bricard's mechanism against the digits of another formulation.")
    parser.add_argument("--out", type=Path, default=Path("build/space"), help="folder for the plot (default: build/space)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    rows = np.searchsorted(result.time, np.array(list(REFERENCE)) - 1e-9)
    place, turned = zip(*REFERENCE.values(), strict=True)
    angle = np.abs(result["hinge0.rotation.q"] - result["hinge0.rotation.q"][0])
    error = max(np.abs(fourth_hinge(result)[rows] - place).max(), np.abs(angle[rows] - turned).max())
    print(f"largest difference to the reference: {error:.1e} m or rad ({ALLOWED:g} are allowed)")
    print(f"energy gained or lost: at most {np.abs(result.energy - result.energy[0]).max():.1e} J")
    print(f"plot: {folder / 'bricard.png'}")
    return 0 if result.outcome.completed and error <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
