"""A pendulum from three FMUs: a fixed point, a compliant revolute joint and a body, coupled in FMPy.

The body is a Co-Simulation FMU. At every communication point the joint takes the motion of both points, and gives the wrenches
of the stiff spring and damper across its constraint, which act on the body over the next step. The swing is compared with the
closed form for small angles, theta = theta0 cos(w t) with w^2 = m g d / (I + m d^2).
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave
from tqdm import tqdm

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu

MASS, LENGTH, ANGLE, GRAVITY = 1.0, 1.0, 0.05, 9.81
INERTIA, ARM = MASS * LENGTH**2 / 12, LENGTH / 2
STEP, STOP = 1e-3, 5.0
MOTION = ("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "alpha")
WRENCH = ("Fx", "Fy", "Cz")


class Part:
    """One FMU instance whose variables are set and read by name."""

    def __init__(self, component: str, name: str, model_exchange: bool, start: dict[str, float] | None = None) -> None:
        folder = tempfile.mkdtemp()
        fmpy.extract(str(cached_fmu(find(component), fmi=2)), unzipdir=folder)
        description = fmpy.read_model_description(folder)
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        kind = FMU2Model if model_exchange else FMU2Slave
        self.fmu = kind(guid=description.guid, unzipDirectory=folder, modelIdentifier=component.replace(".", "_"), instanceName=name)
        self.fmu.instantiate()
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.set(start or {})
        self.fmu.exitInitializationMode()

    def set(self, values: dict[str, float]) -> None:
        self.fmu.setReal([self.references[name] for name in values], list(values.values()))

    def get(self, port: str, members: tuple[str, ...]) -> list[float]:
        return self.fmu.getReal([self.references[f"{port}.{member}"] for member in members])

    def give(self, port: str, members: tuple[str, ...], values: list[float]) -> None:
        self.set({f"{port}.{member}": value for member, value in zip(members, values, strict=True)})


def simulate() -> tuple[np.ndarray, np.ndarray]:
    """Times and angles of the rod from the vertical; it hangs from the end that its point p1 marks."""
    ground = Part("planar.Fixed", "ground", True)
    pin = Part("planar.Revolute", "pin", True)
    # The rod points down along its own x axis, from the pin to its mass centre.
    direction = ANGLE - np.pi / 2
    rod = Part(
        "planar.Body1",
        "rod",
        False,
        {
            "m": MASS,
            "I": INERTIA,
            "gy": -GRAVITY,
            "p1.rx": -ARM,
            "theta": direction,
            "x": ARM * np.cos(direction),
            "y": ARM * np.sin(direction),
        },
    )
    times = np.arange(0.0, STOP + STEP / 2, STEP)
    angles = np.empty_like(times)
    pin.give("M", MOTION, ground.get("p1", MOTION))
    for i, time in enumerate(tqdm(times, desc="pendulum", unit="step", disable=not sys.stderr.isatty())):
        angles[i] = rod.get("p1", ("theta",))[0] + np.pi / 2
        pin.give("N", MOTION, rod.get("p1", MOTION))
        rod.give("p1", WRENCH, pin.get("N", WRENCH))
        rod.fmu.doStep(time, STEP)
    return times, angles


def closed_form(times: np.ndarray) -> np.ndarray:
    """The swing for small angles."""
    return ANGLE * np.cos(np.sqrt(MASS * GRAVITY * ARM / (INERTIA + MASS * ARM**2)) * times)


def plot(path: Path, times: np.ndarray, angles: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(times, np.degrees(angles), label="FMUs: Fixed, Revolute (compliant), Body1")
    axes.plot(times, np.degrees(closed_form(times)), "--", label="closed form for small angles")
    axes.set(xlabel="time in s", ylabel="angle in degrees", title="Pendulum from three FMUs")
    figure.legend(loc="outside lower center", ncols=2)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="A pendulum from three FMUs against its closed form.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for the plot and the table (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    times, angles = simulate()
    with (folder / "pendulum.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "angle", "closed form"])
        writer.writerows(np.column_stack([times, angles, closed_form(times)]).tolist())
    plot(folder / "pendulum.png", times, angles)
    error = np.abs(angles - closed_form(times)).max()
    print(f"largest difference to the closed form over {STOP:g} s: {np.degrees(error):.4f} degrees of {np.degrees(ANGLE):.2f}")
    print(f"plot and table: {folder / 'pendulum.png'}, {folder / 'pendulum.csv'}")


if __name__ == "__main__":
    main()
