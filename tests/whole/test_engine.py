"""A four-stroke engine of the catalogue's components alone: the gas forces of a table turn a crank with a flywheel, as one equation does."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from coupling import System

RADIUS, LENGTH, SPEED, LOAD = 0.045, 0.15, 120.0, 0.3
CRANK, ROD, PISTON = (1.5, 0.1), (0.5, 0.0015), 0.4
ANGLES = np.array([0.0, 0.3, 0.8, 1.5, 2.4, 3.2, 4.0, 5.5, 6.3, 7.5, 9.5, 10.8, 11.6, 12.1, 4 * math.pi])
"""Angles of the crank, over two turns from the dead centre of the ignition."""
FORCES = -np.array([9.0, 14.0, 6.0, 2.5, 1.2, 0.4, 0.1, 0.1, 0.0, -0.1, -0.1, 0.3, 1.5, 5.0, 9.0]) * 1e3


def engine(gas: Path) -> System:
    """Returns crank, rod and piston, stretched out, whose gas force a file gives by the angle of the crank."""
    system = System("engine", gravity=(0.0, 0.0))
    system.add("frame", "planar.Fixed")
    inertia = {name: {"m": m, "I": moment} for name, (m, moment) in {"crank": CRANK, "rod": ROD}.items()}
    joints = RADIUS * SPEED, -RADIUS / LENGTH * SPEED
    crank = {"p1.rx": -RADIUS / 2, "p2.rx": RADIUS / 2, "x": RADIUS / 2, "vy": joints[0] / 2, "omega": SPEED}
    rod = {"p1.rx": -LENGTH / 2, "p2.rx": LENGTH / 2, "x": RADIUS + LENGTH / 2, "vy": joints[0] / 2, "omega": joints[1]}
    system.add("crank", "planar.Body2", inertia["crank"] | crank)
    system.add("rod", "planar.Body2", inertia["rod"] | rod)
    system.add("piston", "planar.Body1", {"m": PISTON, "x": RADIUS + LENGTH})
    system.join("planar.ActuatedRevolute", "frame.p1", "crank.p1", {"rotation.b": LOAD}, name="shaft")
    system.join("planar.Revolute", "crank.p2", "rod.p1")
    system.join("planar.Revolute", "rod.p2", "piston.p1")
    system.join("planar.Translational", "frame.p1", "piston.p1")
    system.add("gas", "signal.Curve", {"curve": {"points": str(gas), "kind": "periodic cubic"}})
    system.add("pressure", "planar.Wrench")
    system.connect("shaft.rotation.q", "gas.u")
    system.connect("gas.y", "pressure.Fx")
    system.connect("pressure.M", "piston.p1")
    system.add("work", "signal.Integrator")
    system.connect("pressure.power", "work.u")
    return system


def exact(times: np.ndarray) -> np.ndarray:
    """Returns rows of angle, speed and work of the gas, by the equation of the angle and SciPy's interpolation of three periods."""
    angle = sympy.Symbol("angle")
    sine = RADIUS / LENGTH * sympy.sin(angle)
    piston = RADIUS * sympy.cos(angle) + LENGTH * sympy.sqrt(1 - sine**2)
    middle = RADIUS * sympy.cos(angle) + LENGTH / 2 * sympy.sqrt(1 - sine**2), RADIUS / 2 * sympy.sin(angle)
    inertia = CRANK[1] + CRANK[0] * RADIUS**2 / 4 + ROD[1] * sympy.asin(sine).diff(angle) ** 2 + PISTON * piston.diff(angle) ** 2
    inertia += ROD[0] * sum(each.diff(angle) ** 2 for each in middle)
    values = sympy.lambdify(angle, [inertia, inertia.diff(angle) / 2, piston.diff(angle)], cse=True)
    turns = 4 * math.pi
    force = PchipInterpolator(np.concatenate([ANGLES[:-1] + k * turns for k in (-1, 0, 1)]), np.tile(FORCES[:-1], 3))

    def rates(_: float, y: np.ndarray) -> list[float]:
        mass, half_slope, lever = values(y[0])
        moment = float(force(y[0] % turns)) * lever
        return [y[1], (moment - LOAD * y[1] - half_slope * y[1] ** 2) / mass, moment * y[1]]

    found = solve_ivp(rates, (0, times[-1]), [0.0, SPEED, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12)
    return found.y


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", ["fmus", "compiled"])
def test_the_crank_turns_as_one_equation_says(evaluation: str, tmp_path: Path) -> None:
    """Over four turns angle, speed and the work of the gas agree to 1e-8."""
    (tmp_path / "gas.csv").write_text(
        "\n".join(f"{angle!r},{force!r}" for angle, force in zip(ANGLES.tolist(), FORCES.tolist(), strict=True))
    )
    times = np.linspace(0.0, 0.22, 23)
    result = engine(tmp_path / "gas.csv").simulate(
        0.22, solver="dop853", rtol=1e-12, atol=1e-12, evaluation=evaluation, output_times=times.tolist()
    )
    angle, speed, work = exact(times)
    assert angle[-1] > 7 * math.pi and np.ptp(speed) > 10
    assert np.abs(result["shaft.rotation.q"] - angle).max() < 1e-8 * angle[-1]
    assert np.abs(result["crank.omega"] - speed).max() < 1e-8 * SPEED
    assert np.abs(result["work.y"] - work).max() < 1e-8 * np.abs(work).max()
