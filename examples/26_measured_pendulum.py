"""Parameters from a measured motion.

Inertia, friction and first angle of a pendulum follow from a measured motion by least squares, with the sensitivities as Jacobian. The
angle of a rod with friction in its pin was read fifty times a second, with an error of 2 mrad. SciPy's `least_squares` looks for the
three numbers with the nearest motion. Each of its steps costs one run, which also gives the derivatives. The same Jacobian gives the
standard deviations of the numbers. The measured motion is a simulated one here, with known numbers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from jourdain import Result, System

TRUE = {"rod.I": 0.09, "pin.rotation.b": 0.03, "rod.theta": 0.1}  # kg.m2, N.m.s/rad, rad
GUESS = {"rod.I": 0.05, "pin.rotation.b": 0.1, "rod.theta": 0.0}
TIMES, ERROR = np.linspace(0.0, 3.0, 151), 2e-3  # s, rad


# 1. The system. The place of the mass centre follows from the angle when the start is assembled.


def system() -> System:
    pendulum = System("pendulum")
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("pin", "planar.Revolute")
    pendulum.add("rod", "planar.Body1", {"m": 1.0, "p1.rx": -0.5})
    pendulum.connect("ground.p1", "pin.M")
    pendulum.connect("pin.N", "rod.p1")
    return pendulum


def run(pendulum: System, values: dict[str, float], sensitivities: tuple[str, ...] = ()) -> Result:
    return pendulum.simulate(
        TIMES[-1], start_values=values, sensitivities=sensitivities, initial="assemble", output_times=TIMES, outputs=["rod.theta"]
    )


# 2. The measurement, and the fit.


def measured(pendulum: System) -> np.ndarray:
    return run(pendulum, TRUE)["rod.theta"] + np.random.default_rng(1).normal(0.0, ERROR, len(TIMES))


def fit(pendulum: System, angles: np.ndarray) -> tuple[OptimizeResult, int]:
    """The best values, and how many runs it took to find them."""
    names, runs = tuple(GUESS), {}

    def at(values: np.ndarray) -> Result:
        key = tuple(values)
        if key not in runs:
            runs[key] = run(pendulum, dict(zip(names, key, strict=True)), names)
        return runs[key]

    def misfit(values: np.ndarray) -> np.ndarray:
        return (at(values)["rod.theta"] - angles) / ERROR

    def jacobian(values: np.ndarray) -> np.ndarray:
        return np.column_stack([at(values).sensitivity("rod.theta", name) for name in names]) / ERROR

    return least_squares(misfit, list(GUESS.values()), jacobian, x_scale="jac", xtol=1e-10), len(runs)


def plot(path: Path, pendulum: System, angles: np.ndarray, found: dict[str, float]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(TIMES, angles, ".", markersize=3, label="measured")
    for what, values in (("guess", GUESS), ("fit", found)):
        axes.plot(TIMES, run(pendulum, values)["rod.theta"], label=what)
    axes.set(xlabel="time in s", ylabel="angle in rad")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A pendulum's parameters from a measured motion.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/measured_pendulum"), help="folder for the plot (default: build/measured_pendulum)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    pendulum = system()
    angles = measured(pendulum)
    best, runs = fit(pendulum, angles)
    found = dict(zip(GUESS, map(float, best.x), strict=True))
    deviation = np.sqrt(np.diag(np.linalg.inv(best.jac.T @ best.jac)))
    off = (best.x - list(TRUE.values())) / deviation
    for name, value, sure, far in zip(GUESS, best.x, deviation, off, strict=True):
        print(f"{name:16}{value:12.6f} +- {sure:.6f}, off by {far:+.2f} standard deviations")
    print(f"root of the mean square misfit: {np.sqrt(np.mean(best.fun**2)):.3f} of the error of measurement, after {runs} runs")
    plot(folder / "measured_pendulum.png", pendulum, angles, found)
    print(f"plot: {folder / 'measured_pendulum.png'}")
    return 0 if best.success and np.abs(off).max() < 3 else 1


if __name__ == "__main__":
    sys.exit(main())
