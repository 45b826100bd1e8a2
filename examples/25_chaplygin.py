"""Chaplygin's sphere.

A ball with three different moments of inertia rolls on a plane, by steps of fixed size in space. Its three constraints are one of
position, which keeps it on the plane, and two of velocities, which keep it from slipping. Constraints of velocities do not restrict the
coordinates: the ball comes to any place in any attitude. Its angular momentum about the point of contact is constant (Chaplygin, 1903). A
differential equation for its attitude alone is left, with which the example is compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from jourdain import Index3, Result, System

MASS, RADIUS = 2.5467, 0.175  # kg, m
INERTIA = np.diag([0.045224, 0.03, 0.03])  # kg.m2, in the frame of the ball: that of a wheel
OMEGA = np.array([2.0, 3.0, -1.5])  # rad/s
UP = np.array([0.0, 0.0, 1.0])
STOP = 5.0


# 1. The machine: build it, run it, show it. The centre moves as rolling asks for: v = omega x r from the point of contact.


def system() -> System:
    ball = System("Chaplygin's sphere")
    ball.add("plane", "spatial.Fixed")
    start = {f"I{axis}{axis}": float(INERTIA[k, k]) for k, axis in enumerate("xyz")}
    for axis, v, omega in zip("xyz", np.cross(OMEGA, RADIUS * UP), OMEGA, strict=True):
        start |= {f"v{axis}": float(v), f"omega{axis}": float(omega)}
    ball.add("ball", "spatial.Body1", {"m": MASS, "z": RADIUS, **start})
    ball.join("spatial.RollingSphere", "plane.p1", "ball.p1", {"radius": RADIUS}, name="contact")
    return ball


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver=Index3(step_size=STOP / 400), output_times=np.linspace(0, STOP, 101))
    print(result.summary())
    result.animate(folder / "chaplygin.html", traces=["ball"])
    result.plot(("ball.x", "ball.y"), "ball.omega*", path=folder / "chaplygin.png")
    return result


# 2. The check. With I in absolute axes, K omega is constant, where K = I + m r^2 (1 - n n'). So omega follows from the attitude, the
# velocity from omega, and friction is what accelerates the centre.

STEPS = (100, 200, 400)
ALLOWED = {"position": 1e-4, "turning": 2e-3, "forces": 1e-3}
"""Largest errors with the most steps, in m, rad/s and N."""


def exact(times: Sequence[float]) -> dict[str, np.ndarray]:
    """Centre, angular velocity and the horizontal force of the plane, one row for each time."""
    sliding = MASS * RADIUS**2 * (np.eye(3) - np.outer(UP, UP))
    momentum = (INERTIA + sliding) @ OMEGA

    def turning(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        attitude = Rotation.from_quat(q).as_matrix()
        inertia = attitude @ INERTIA @ attitude.T
        return inertia, np.linalg.solve(inertia + sliding, momentum)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        _, omega = turning(y[2:])
        vector, scalar = y[2:5], y[5]
        return np.array([*np.cross(omega, RADIUS * UP)[:2], *(scalar * omega + np.cross(omega, vector)) / 2, -omega @ vector / 2])

    y = solve_ivp(slope, (0, times[-1]), [0, 0, 0, 0, 0, 1], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y.T
    found = [turning(each[2:]) for each in y]
    faster = [-np.linalg.solve(inertia + sliding, np.cross(omega, inertia @ omega)) for inertia, omega in found]
    return {
        "position": np.column_stack([y[:, :2], np.full(len(y), RADIUS)]),
        "turning": np.array([omega for _, omega in found]),
        "forces": MASS * np.cross(faster, RADIUS * UP)[:, :2],
    }


# 3. Both treatments, with halved steps.


def simulate(ball: System, level: str, steps: int, times: Sequence[float]) -> Result:
    return ball.simulate(STOP, solver=Index3(step_size=STOP / steps, velocity_level=level), output_times=times)


def errors(result: Result, known: dict[str, np.ndarray]) -> dict[str, float]:
    """The largest of each quantity."""
    names = {
        "position": ["ball.x", "ball.y", "ball.z"],
        "turning": ["ball.omegax", "ball.omegay", "ball.omegaz"],
        "forces": ["contact.multiplier[2]", "contact.multiplier[3]"],
    }
    return {each: float(np.abs(np.stack([result[name] for name in of], axis=1) - known[each]).max()) for each, of in names.items()}


def slip(result: Result) -> float:
    """The greatest velocity of the point of contact."""
    v, omega = (np.stack([result[f"ball.{name}{axis}"] for axis in "xyz"], axis=1) for name in ("v", "omega"))
    return float(np.abs(v - np.cross(omega, RADIUS * UP)).max())


def main() -> int:
    parser = argparse.ArgumentParser(description="A ball with the inertia of a wheel rolls, by steps of fixed size.")
    parser.add_argument("--out", type=Path, default=Path("build/fixed steps"), help="folder for the plot (default: build/fixed steps)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    ball, times = system(), np.linspace(0, STOP, 101).tolist()
    known = exact(times)
    off: dict[str, float] = {}
    for level in ("projected", "stepped"):
        for steps in STEPS:
            last = (level, steps) == ("stepped", STEPS[-1])
            result = show(folder) if last else simulate(ball, level, steps, times)
            off = errors(result, known)
            print(
                f"{level:9} {steps:3} steps: off by {off['position']:.3e} m, {off['turning']:.3e} rad/s and {off['forces']:.3e} N; it slips by "
                f"{slip(result):.0e} m/s"
            )
    print("halved steps halve the errors where velocities are projected alone, and quarter them where the constraints are part of the step")
    print(f"Newton iterations: {result.statistics.most_newton_iterations} in a step at most")
    smooth = ball.simulate(STOP, solver="dop853", rtol=1e-12, output_times=times)
    print(f"by dop853 at a tolerance of 1e-12, off by {max(errors(smooth, known).values()):.1e} at most")
    print(f"plot: {folder / 'chaplygin.png'}")
    return 0 if result.outcome.completed and all(off[each] <= most for each, most in ALLOWED.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
