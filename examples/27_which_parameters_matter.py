"""Sobol's indices by SALib.

Which of a pendulum's uncertain parameters matter? Mass, inertia, friction and the first speed are each known to some percent. SALib draws
the points, and `sweep` makes the runs. SALib then gives the share of each parameter in the variance of the angle after a second: by
itself (S1), and with all others (ST). The points are so near to each other that the sensitivities of one run, at their middle, give
nearly the same. Needs SALib: pip install SALib.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from SALib.analyze import sobol as indices
from SALib.sample import sobol as points

from jourdain import System, sweep
from jourdain.measures import final

BOUNDS = {"rod.m": (0.98, 1.02), "rod.I": (0.08, 0.09), "pin.rotation.b": (0.02, 0.06), "rod.omega": (-0.1, 0.1)}
DRAWN, STOP = 64, 1.0  # s


def system() -> System:
    pendulum = System("pendulum")
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("pin", "planar.Revolute")
    pendulum.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    pendulum.connect("ground.p1", "pin.M")
    pendulum.connect("pin.N", "rod.p1")
    return pendulum


def found(drawn: int = DRAWN) -> dict[str, np.ndarray]:
    """Indices of all parameters, and their intervals of confidence."""
    problem = {"num_vars": len(BOUNDS), "names": list(BOUNDS), "bounds": list(BOUNDS.values())}
    drawn_points = points.sample(problem, drawn, calc_second_order=False, seed=1)
    table = sweep(
        system(),
        dict(zip(BOUNDS, drawn_points.T, strict=True)),
        combine="zip",
        stop_time=STOP,
        initial="assemble",
        measure={"angle": final("rod.theta")},
    )
    assert not table.failed
    print(f"{len(table)} runs, angles from {table['angle'].min():.3f} to {table['angle'].max():.3f} rad")
    said: dict[str, np.ndarray] = indices.analyze(problem, table["angle"], calc_second_order=False, seed=1)
    return said


def shares() -> np.ndarray:
    """Returns each parameter's share of the variance, which is linear in the parameters. Each is spread evenly between its bounds."""
    middle = {name: (low + high) / 2 for name, (low, high) in BOUNDS.items()}
    result = system().simulate(STOP, start_values=middle, initial="assemble", sensitivities=list(BOUNDS))
    caused = [(result.sensitivity("rod.theta", name)[-1] * (high - low)) ** 2 for name, (low, high) in BOUNDS.items()]
    return np.array(caused) / sum(caused)


def main() -> int:
    parser = argparse.ArgumentParser(description="Which of a pendulum's uncertain parameters matter.")
    parser.add_argument("--out", type=Path, default=Path("build/parameters"), help="folder for the table (default: build/parameters)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    said, linear = found(), shares()
    lines = [f"{'':16}{'S1':>8}{'ST':>8}{'+-':>8}{'linear':>8}"]
    for name, *values in zip(BOUNDS, said["S1"], said["ST"], said["ST_conf"], linear, strict=True):
        lines.append(f"{name:16}" + "".join(f"{value:8.3f}" for value in values))
    print("\n".join(lines))
    (folder / "indices.txt").write_text("\n".join(lines) + "\n")
    off = float(np.abs(said["ST"] - linear).max())
    print(f"largest difference to what sensitivities tell: {off:.3f}")
    return 0 if off < 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
