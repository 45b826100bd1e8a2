"""Stratospheric balloon: equilibria and modes.

The balloon is that of Alazard, Sanfedino and Kassarian's paper on two-port blocks. A slider runs on a skew rail below it. A pendulum
hangs on the slider, and a second one on the first. Each of the three is a block: a joint and a body in one. The paper prints masses,
lengths, the rail, the tensor of inertia, the initial angles, and a buoyancy that equals the total weight (section 4, table 1). It prints
no value of the slider's stiffness k and of the dampers d_s, d_p1 and d_p2. They are chosen here; therefore its figure 17 cannot be
compared. No distribution of mass has the printed tensor, whose greatest moment exceeds the sum of the others.

The balloon tilts if the slider is soft. The example follows its equilibria and modes along the stiffness. Minima of the potential energy
are compared with the result of `equilibrium`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import fsolve

from jourdain import Equilibria, FractionalModel, LinearModel, Pose, Result, System

G = 9.81  # m/s2, along -y
MASSES = {"balloon": 10.0, "slider": 1.0, "upper": 2.0, "lower": 3.0}  # kg
LENGTHS = {"upper": 1.2, "lower": 1.6}  # m, from the hinge to the mass
BELOW = 2.0  # m, from the balloon's mass centre to the middle of the rail
STIFFNESS, DAMPERS = 50.0, {"slider": 5.0, "upper": 0.2, "lower": 0.2}
STOP = 10.0
STIFFNESSES = np.array([60.0, 50, 40, 30, 25, 23, 22, 20, 16, 12, 8, 5])  # N/m


# 1. The machine: build it, run it, show it. C1 of each block is its mass centre, and its frame at q = 0 that of the balloon, so that both
# hinges are about the balloon's z.


def system() -> System:
    made = System("balloon")
    gravity = {"gx": 0.0, "gy": -G, "gz": 0.0}
    rail = {"zx": 1.0, "zz": -1.0, "xx": 0.0, "xy": 1.0}  # the joint slides along z of the port
    tensor = {"Ixx": 5.0, "Iyy": 10.0, "Izz": 10.0, "Iyz": -7.0}
    made.add("balloon", "spatial.Body2", {"m": MASSES["balloon"], **tensor, **gravity, "p1.ry": -BELOW, **of_port("p1", rail)})
    made.add("buoyancy", "spatial.Wrench", {"Fy": G * sum(MASSES.values())})
    made.connect("balloon.p2", "buoyancy.M")
    joints = {
        "slider": ("Prismatic", "balloon.p1", {"k": STIFFNESS, **of_port("P", rail)}),
        "upper": ("Revolute", "slider.C1", {**hanging(LENGTHS["upper"]), "q": np.radians(170)}),
        "lower": ("Revolute", "upper.C1", {**hanging(LENGTHS["lower"]), "q": np.radians(-170)}),
    }
    for name, (joint, parent, values) in joints.items():
        point = {"m": MASSES[name], "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0, **gravity}  # a mass without moments of inertia
        made.add(name, f"spatial.{joint}Body", {**point, **values, "b": DAMPERS[name]})
        made.connect(parent, f"{name}.P")
    return made


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver="dop853", rtol=1e-12, atol=1e-12, output_interval=0.02)
    print(result.outcome)
    result.animate(folder / "balloon.html")
    angles, places = ("upper.q", "lower.q"), ("balloon.x", "balloon.y", "balloon.z")
    result.plot(places, "balloon.q*", "slider.q", angles, path=folder / "balloon_motion.png")
    return result


def hanging(length: float) -> dict[str, float]:
    """The mass centre below the joint, and the next joint there."""
    return {"ry": -length, "C1.ry": -length}


def of_port(port: str, values: dict[str, float]) -> dict[str, float]:
    return {f"{port}.{name}": value for name, value in values.items()}


# 2. The check: with pendulums that hang and the slider where its spring balances it, the potential energy depends on the vertical in
# axes of the balloon alone, n = (cos(phi) sin(psi), cos(phi) cos(psi), -sin(phi)):
# V/g = -12 n_y - 10.8 sqrt(1 - n_z^2) - (9 g/k) (n_x - n_z)^2.

AT_THE_END = {"slider.q": -0.1560443533, "upper.q": -0.1904439357, "lower.q": -0.1375466514, "balloon.y": 0.7331693488}
"""Values at the end from Lagrange's equations."""
ALLOWED = 1e-8

CRITICAL = 9 * G * 17.4 / 68.4  # N/m, below which upright is no minimum


def slider_at_rest(k: float) -> float:
    """Returns q of the slider at the minimum of the potential, on the side of negative q. There the potential's slopes vanish."""

    def slopes(angles: np.ndarray) -> list[float]:
        phi, psi = angles
        along, stiff = np.cos(phi) * np.sin(psi) + np.sin(phi), 18 * G / k
        by_phi = 12 * np.sin(phi) * np.cos(psi) + 10.8 * np.sin(phi) - stiff * along * (np.cos(phi) - np.sin(phi) * np.sin(psi))
        return [by_phi, 12 * np.cos(phi) * np.sin(psi) - stiff * along * np.cos(phi) * np.cos(psi)]

    phi, psi = fsolve(slopes, (0.5, 1.0), xtol=1e-13)
    return float(-6 * G * (np.cos(phi) * np.sin(psi) + np.sin(phi)) / (np.sqrt(2) * k))


def tilt(pose: Pose) -> float:
    """Degrees between the balloon's y and the vertical."""
    q0, q1, q2, q3 = (pose[f"balloon.q{i}"] for i in range(4))
    return float(np.degrees(np.arccos(np.clip((q0**2 - q1**2 + q2**2 - q3**2) / (q0**2 + q1**2 + q2**2 + q3**2), -1, 1))))


# 3. Equilibria from stiff to soft: upright and, beside those that are unstable, the two tilted ones to which the balloon falls from there.


def leaning(upright: Equilibria) -> dict[float, Pose]:
    """Returns one of each two leaning equilibria, the one on the side of negative q, by stiffness."""
    pairs = zip(upright.values, upright, strict=True)
    return {float(k): min(pose.alternatives, key=lambda each: each["slider.q"]) for k, pose in pairs if not pose.stable}


def moving(model: LinearModel) -> list[complex]:
    """Returns the upper halves of five pairs of eigenvalues.

    Eight more are 0, since the balloon is free along x, y, z and about the vertical.
    """
    return [s for s in sorted(model.eigenvalues, key=abs)[8:] if s.imag > 0]


# 4. A plot of the equilibria, and of the eigenvalues that are not 0.


def plot_equilibria(path: Path, upright: Equilibria, tilted: dict[float, Pose], models: dict[float, LinearModel]) -> None:
    from matplotlib import pyplot

    figure, (left, right, modes) = pyplot.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    places = np.array([pose["slider.q"] for pose in tilted.values()])
    left.plot(upright.values, [tilt(pose) for pose in upright], "o--", list(tilted), [tilt(pose) for pose in tilted.values()], "s-")
    right.plot(upright.values, upright.of("slider.q"), "o--", list(tilted), places, "s-", list(tilted), -places, "s-")
    for axes, label in ((left, "tilt in degrees"), (right, "slider in m")):
        axes.set(xlabel="stiffness of the slider in N/m", ylabel=label)
        axes.axvline(CRITICAL, color="grey", lw=0.8)
    for k, model in models.items():
        points = moving(model)
        marks = modes.scatter(
            [s.real for s in points], [s.imag for s in points], c=[k] * len(points), vmin=min(STIFFNESSES), vmax=max(STIFFNESSES)
        )
    figure.colorbar(marks, label="stiffness of the slider in N/m")
    modes.set(xlabel="real part in rad/s", ylabel="imaginary part in rad/s", title="eigenvalues where it is stable")
    for axes in (left, right, modes):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


# 5. Stiffness and payload: where upright becomes unstable, and one model for a whole range of both, for tools of robust control.

HELD = {"hold": ["balloon.x", "balloon.y", "balloon.z"], "free": ["buoyancy.Fy"]}  # the lift balances the payload
UPRIGHT = {"slider.q": 0.0, "upper.q": 0.0, "lower.q": 0.0}
PAYLOADS = np.array([2.0, 3.0, 4.0])  # kg


def critical_stiffness(payload: float) -> float:
    """The potential above with any mass at the lower end: its second derivatives are singular."""
    hanging = MASSES["slider"] + MASSES["upper"] + payload
    swings = (MASSES["upper"] * LENGTHS["upper"] + payload * sum(LENGTHS.values())) / 2
    return hanging * G * (2 * hanging + swings) / (4 * (hanging + swings))


def map_of_stability(made: System, path: Path) -> float:
    """Plots the growth over payload and stiffness; returns by how much the limits differ from the closed form, in N/m."""
    axes = {"lower.m": PAYLOADS, "slider.k": np.linspace(40.0, 15.0, 6)}
    grid = made.linearise(["slider.force"], ["slider.q"], initial=UPRIGHT, along=axes, **HELD)
    grid.plot(path)
    return max(abs(point["slider.k"] - critical_stiffness(point["lower.m"])) for point in grid.branch_points)


def model_of_a_range(made: System) -> FractionalModel:
    axes = {"slider.k": np.linspace(40.0, 100.0, 4), "lower.m": np.linspace(2.0, 4.0, 4)}
    return made.linearise(["slider.force"], ["slider.q", "upper.q", "lower.q"], initial=UPRIGHT, along=axes, **HELD).to_lfr(checks=5)


def main() -> int:
    parser = argparse.ArgumentParser(description="A stratospheric balloon: motion, equilibria along a stiffness, modes.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for the plots (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    import matplotlib

    matplotlib.use("Agg")
    made, result = system(), show(folder)
    off = max(abs(result[name][-1] - value) for name, value in AT_THE_END.items())
    print(f"largest difference to Lagrange's equations at {STOP:g} s: {off:.1e}")
    upright = made.equilibria("slider.k", STIFFNESSES, initial={"slider.q": 0.0, "upper.q": 0.0, "lower.q": 0.0})
    tilted, critical = leaning(upright), upright.branch_points[0]
    print(f"upright is stable above {critical:.7f} N/m, by the potential above {CRITICAL:.7f} N/m")
    of_rest = max(abs(pose["slider.q"] - slider_at_rest(k)) for k, pose in tilted.items())
    print(f"largest difference to the minima of the potential: {of_rest:.1e} m")
    stable = {float(k): pose for k, pose in zip(upright.values, upright, strict=True) if pose.stable} | tilted
    models = {k: made.linearise([], [], initial={**pose, "slider.k": k}) for k, pose in stable.items()}
    print(f"{'k in N/m':>10}{'tilt':>8}   eigenvalues in rad/s")
    for k, model in models.items():
        print(f"{k:10g}{tilt(stable[k]):8.2f}   " + "  ".join(f"{s.real:.4f} +- {s.imag:.4f}i" for s in moving(model)))
    plot_equilibria(folder / "balloon_equilibria.png", upright, tilted, models)
    of_limits, ranged = map_of_stability(made, folder / "balloon_map.png"), model_of_a_range(made)
    print(f"limits of stability over payload and stiffness: within {of_limits:.1e} N/m of the potential")
    print(ranged)
    print(f"plots: {', '.join(str(folder / f'balloon_{name}.png') for name in ('motion', 'equilibria', 'map'))}")
    right = max(off, of_rest) <= ALLOWED and abs(critical - CRITICAL) <= 1e-6 and of_limits <= 1e-5 and ranged.error_between <= 1e-6
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
