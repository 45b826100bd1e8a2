"""Quarter car: modes, frequency response.

A body stands on a wheel by spring and damper, and the wheel on the road by its tyre. `equilibrium` finds the pose in which the system
carries its weight. `linearise` gives the linear model of the four states there: frequencies, damping, and the motion of the body over an
uneven road. The frequency response is compared with one that is derived by hand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import LinearModel, Pose, System

BODY, WHEEL = 300.0, 40.0  # kg
SPRING, DAMPER = 2e4, 1500.0  # N/m, N.s/m
TYRE, WALL = 2e5, 100.0
GRAVITY = 9.81
ALLOWED = 1e-9  # of the frequency response, relative


# 1. The system. Heights are those above where springs are unloaded. What stands on the road is a port that is left open: its height and
# its rate are inputs, driven by zero here.


def system() -> System:
    car = System("quarter-car")
    for name, mass in (("wheel", WHEEL), ("body", BODY)):
        car.add(name, "mechanical1d.Mass", {"m": mass})
        car.add(f"weight of the {name}", "mechanical1d.Force")
        car.drive(f"weight of the {name}.force", -mass * GRAVITY)
        car.connect(f"{name}.flange", f"weight of the {name}.flange")
    car.add("strut", "mechanical1d.SpringDamper1D", {"k": SPRING, "b": DAMPER})
    car.add("tyre", "mechanical1d.SpringDamper1D", {"k": TYRE, "b": WALL})
    for mass, port in (("wheel", "strut.M"), ("body", "strut.N"), ("wheel", "tyre.N")):
        car.connect(f"{mass}.flange", port)
    for each in ("s", "v", "a"):
        car.drive(f"tyre.M.{each}", 0.0)
    return car


def show() -> tuple[Pose, LinearModel]:
    """Prints the pose at rest and the modes there. Inputs of the linear model are height and rate of the road."""
    car = system()
    pose = car.equilibrium()
    print(pose)
    model = car.linearise(["tyre.M.s", "tyre.M.v"], ["body.s", "strut.tension"], initial=pose)
    print(model.modes())
    return pose, model


# 2. The check: how far the springs give, and body over road by hand. The height of the road moves the tyre's spring, its rate the
# tyre's wall: both together are the road.


def sinks() -> dict[str, float]:
    wheel = -(BODY + WHEEL) * GRAVITY / TYRE
    return {"wheel.s": wheel, "body.s": wheel - BODY * GRAVITY / SPRING}


def by_hand(frequency: np.ndarray) -> np.ndarray:
    s = 2j * np.pi * frequency
    strut, tyre = SPRING + DAMPER * s, TYRE + WALL * s
    return tyre * strut / ((BODY * s**2 + strut) * (WHEEL * s**2 + strut + tyre) - strut**2)


def from_road(model: LinearModel, frequency: np.ndarray) -> np.ndarray:
    """Returns the response to the road, whose height h has the rate s h."""
    height, rate = (model.bode("body.s", f"tyre.M.{each}", frequency).response for each in ("s", "v"))
    return height + 2j * np.pi * frequency * rate


def plot(path: Path, model: LinearModel, frequency: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (size, angle) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 6), layout="constrained")
    for label, response, style in (("FMUs", from_road(model, frequency), "-"), ("by hand", by_hand(frequency), "--")):
        size.loglog(frequency, np.abs(response), style, label=label)
        angle.semilogx(frequency, np.degrees(np.unwrap(np.angle(response))), style)
    size.set(ylabel="body over road", title="What a quarter-car's body has of the road")
    angle.set(xlabel="frequency in Hz", ylabel="phase in degrees")
    for axes in (size, angle):
        axes.grid(alpha=0.3, which="both")
    size.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A quarter-car: equilibrium, modes and frequency response.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for the plot (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    pose, model = show()
    off = max(abs(pose[name] - value) for name, value in sinks().items())
    print(f"largest difference to the closed form at rest: {off:.1e} m")
    frequency = np.geomspace(0.1, 100, 400)
    error = float(np.abs(from_road(model, frequency) / by_hand(frequency) - 1).max())
    print(f"largest difference to the frequency response by hand: {error:.1e} ({ALLOWED:g} are allowed)")
    plot(folder / "quarter_car.png", model, frequency)
    print(f"plot: {folder / 'quarter_car.png'}")
    return 0 if error <= ALLOWED and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
