"""A cam whose profile a file gives lifts a tappet against its spring: shaft and tappet move as one equation of the angle says."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from coupling import System

BASE, INERTIA, MASS, STIFFNESS, REST, GRAVITY, TORQUE, DRAG, SPEED = 0.02, 4e-3, 0.1, 20e3, 0.015, 9.81, 6.0, 0.05, 60.0
ANGLES = np.linspace(0.0, 2 * math.pi, 25)
LIFTS = 0.008 * np.maximum(0.0, np.sin(ANGLES - 0.5)) ** 2
LIFTS[-1] = LIFTS[0]


def drive(file: Path) -> System:
    """Returns a shaft under a constant torque, its cam, and the tappet above it."""
    machine = System("cam drive", gravity=(0.0, -GRAVITY))
    machine.add("block", "planar.Fixed", {"p1.angle": math.pi / 2})
    machine.add("shaft", "planar.RevoluteBody", {"m": 0.5, "I": INERTIA, "qd": SPEED, "b": DRAG})
    profile = 0.02 + float(np.interp(0.0, ANGLES, LIFTS))
    machine.add("tappet", "planar.TranslationalBody", {"m": MASS, "I": 1e-5, "q": profile, "k": STIFFNESS, "rest": REST})
    machine.connect("block.p1", "shaft.P")
    machine.connect("block.p1", "tappet.P")
    lift = {"points": str(file), "kind": "periodic cubic"}
    machine.join("planar.TableCam", "shaft.C1", "tappet.C1", {"base": BASE, "lift": lift}, name="cam")
    machine.add("motor", "planar.Wrench", {"Cz": TORQUE})
    machine.connect("motor.M", "shaft.C2")
    return machine


def exact(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns rows of the angle and its rate, and those of the place and the force of the tappet."""
    curve = PchipInterpolator(
        np.concatenate([ANGLES[:-1] + 2 * math.pi * turn for turn in (-1, 0, 1)]), np.tile(LIFTS[:-1], 3), extrapolate=False
    )
    slope, bend = curve.derivative(1), curve.derivative(2)

    def tappet(angle: float) -> tuple[float, float, float]:
        seen = -angle % (2 * math.pi)  # the direction of the tappet in the frame of the cam, which turns the other way
        return BASE + float(curve(seen)), -float(slope(seen)), float(bend(seen))

    def acceleration(angle: float, rate: float) -> float:
        q, by_angle, bent = tappet(angle)
        load = STIFFNESS * (q - REST) + MASS * GRAVITY + MASS * bent * rate**2
        return (TORQUE - DRAG * rate - load * by_angle) / (INERTIA + MASS * by_angle**2)

    # The curvature of the profile jumps at the points of the table, where each piece of the solution ends.
    step = 2 * math.pi / (len(ANGLES) - 1)
    start, y, rows = 0.0, np.array([0.0, SPEED]), []
    for number in range(1, 10**6):

        def at_point(_: float, y: np.ndarray, number: int = number) -> float:
            return y[0] - number * step

        at_point.terminal = True
        piece = solve_ivp(
            lambda _, y: [y[1], acceleration(*y)],
            (start, times[-1]),
            y,
            "DOP853",
            rtol=1e-12,
            atol=1e-13,
            events=at_point,
            dense_output=True,
        )
        rows += [piece.sol(time) for time in times if start <= time < piece.t[-1] or time == piece.t[-1] == times[-1]]
        start, y = piece.t[-1], piece.y[:, -1]
        if piece.status == 0:
            break
    motion = np.array(rows).T
    places = np.array([tappet(angle)[0] for angle in motion[0]])
    return motion, places


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", ["fmus", "compiled"])
def test_shaft_and_tappet_move_as_one_equation_says(evaluation: str, tmp_path: Path) -> None:
    """Over three turns the angle, its rate and the lift agree to 1e-8, though forces jump at the points of a cubic table."""
    rows = [f"{angle!r};{lift!r}" for angle, lift in zip(ANGLES.tolist(), LIFTS.tolist(), strict=True)]
    (tmp_path / "cam.csv").write_text("\n".join(["angle;lift", *rows]))
    times = np.linspace(0.0, 0.3, 31)
    result = drive(tmp_path / "cam.csv").simulate(
        0.3, solver="dop853", rtol=1e-11, atol=1e-12, evaluation=evaluation, initial="assemble", output_times=times.tolist()
    )
    (angle, rate), places = exact(times)
    assert angle[-1] > 6 * math.pi and np.ptp(rate) > 1 and np.ptp(places) > 0.0075
    assert np.abs(result["shaft.q"] - angle).max() < 1e-8 * angle[-1]
    assert np.abs(result["shaft.qd"] - rate).max() < 1e-8 * rate.max()
    assert np.abs(result["tappet.q"] - places).max() < 1e-10
