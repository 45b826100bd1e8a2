"""A toggle press under a pneumatic cylinder, of the catalogue's components alone, against one equation of its angle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from coupling import System

TOP, L1, L2, FOOT, TABLE = 0.8, 0.4, 0.45, (-0.62, 0.38), -0.03
M1, I1, M2, I2, M3, GRAVITY, KNEE = 6.0, 0.09, 7.0, 0.12, 40.0, 9.81, 3.0
PISTON, ROD, STROKE, DEAD1, DEAD2, OFFSET, VISCOUS = 0.08, 0.025, 0.3, 4e-5, 5e-5, 0.35, 400.0
AMBIENT, SUPPLY, RT, C, B, BAND = 1e5, 7e5, 288.0 * 300.0, 1.2e-8, 0.3, 50.0
K, E = 1e7, 0.4
COMMAND = ([0.0, 0.1, 0.15, 1.0, 1.05, 2.0], [0.0, 0.0, 0.6, 0.6, -0.5, -0.5])
A1, A2 = math.pi / 4 * PISTON**2, math.pi / 4 * (PISTON**2 - ROD**2)
START, PRESSURE = 0.75, 3e5


def points(angle: Any, m: Any = math) -> tuple[Any, Any, Any]:
    """Returns x and y of the knee, and the height of the ram, by the angle of the upper link from the vertical."""
    x, y = -L1 * m.sin(angle), TOP - L1 * m.cos(angle)
    return x, y, y - m.sqrt(L2**2 - x**2)


def machine(exponent: float) -> System:
    """Returns the press: two links, a ram that meets a workpiece, and a cylinder that pushes the knee, under a valve."""
    x, y, ram = points(START)
    system = System("press")
    frame = {"head": {"p1.ry": TOP}, "guide": {"p1.angle": math.pi / 2}, "foot": {"p1.rx": FOOT[0], "p1.ry": FOOT[1]}}
    for name, start in (frame | {"table": {"p1.ry": TABLE}}).items():
        system.add(name, "planar.Fixed", start)
    upper = {"m": M1, "I": I1, "p1.rx": -L1 / 2, "p2.rx": L1 / 2, "x": x / 2, "y": (TOP + y) / 2, "theta": math.atan2(y - TOP, x)}
    lower = {"m": M2, "I": I2, "p1.rx": -L2 / 2, "p2.rx": L2 / 2, "x": x / 2, "y": (ram + y) / 2, "theta": math.atan2(ram - y, -x)}
    system.add("upper", "planar.Body2", upper)
    system.add("lower", "planar.Body3", lower | {"p3.rx": -L2 / 2})
    system.add("ram", "planar.Body3", {"m": M3, "y": ram, "p2.angle": math.pi / 2})
    system.join("planar.Revolute", "head.p1", "upper.p1")
    system.join("planar.Revolute", "upper.p2", "lower.p1", {"rotation.b": KNEE})
    system.join("planar.Revolute", "lower.p2", "ram.p1")
    system.join("planar.Translational", "guide.p1", "ram.p2")
    system.join("planar.CompliantContact", "table.p1", "ram.p3", {"k": K, "e": E}, name="work")
    system.join("planar.LinearActuator", "foot.p1", "lower.p3", {"offset": OFFSET}, name="push")
    size = {"piston": PISTON, "rod": ROD, "stroke": STROKE, "dead1": DEAD1, "dead2": DEAD2, "viscous": VISCOUS, "ambient": AMBIENT}
    gas = {"exponent": exponent, "gas.T": 300.0, "p1": PRESSURE, "p2": PRESSURE}
    system.add("cylinder", "pneumatic.Cylinder", size | gas)
    system.connect("push.flange", "cylinder.flange")
    system.add("supply", "pneumatic.PressureSource", {"pressure": SUPPLY})
    system.add("outside", "pneumatic.Atmosphere", {"pressure": AMBIENT})
    system.add("valve", "pneumatic.ProportionalValve53", {"C": C, "b": B, "gas.T": 300.0, "bandwidth": BAND, "dead_zone": 0.0})
    for port, edge in (("supply.port", "P"), ("cylinder.A", "A"), ("cylinder.B", "B"), ("outside.port", "R"), ("outside.port", "S")):
        system.connect(port, f"valve.{edge}")
    system.drive("valve.command", list(zip(*COMMAND, strict=True)))
    for name, output in {"drawn": "supply.flow", "blown": "outside.flow", "rubbed": "cylinder.loss", "pushed": "push.power"}.items():
        system.add(name, "signal.Integrator")
        system.connect(output, f"{name}.u")
    return system


def by_angle() -> Callable[[float], list[float]]:
    """Returns inertia, half its slope, potential energy, its slope, length of the cylinder, its slope, height and slope of the ram, and
    slope of the angle between the links, as functions of the angle."""
    angle = sympy.Symbol("angle")
    x, y, ram = points(angle, sympy)
    other = sympy.asin(-x / L2)
    inertia = M1 / 4 * (x.diff(angle) ** 2 + y.diff(angle) ** 2) + I1 + M3 * ram.diff(angle) ** 2
    inertia += M2 / 4 * (x.diff(angle) ** 2 + (y + ram).diff(angle) ** 2) + I2 * other.diff(angle) ** 2
    height = GRAVITY * (M1 * (TOP + y) / 2 + M2 * (y + ram) / 2 + M3 * ram)
    length = sympy.sqrt((x - FOOT[0]) ** 2 + (y - FOOT[1]) ** 2)
    slopes = [inertia.diff(angle) / 2, height, height.diff(angle), length, length.diff(angle), ram, ram.diff(angle)]
    return sympy.lambdify(angle, [inertia, *slopes, 1 + other.diff(angle)], cse=True)


def flow(opening: float, here: float, there: float) -> float:
    """Returns the mass flow by ISO 6358, proportional to the drop above a ratio of 0.999."""
    high, ratio = max(here, there), min(here, there) / max(here, there)
    x = max(0.0, (min(ratio, 0.999) - B) / (1 - B))
    size = opening * C * 1.185 * math.sqrt(293.15 / 300) * high * math.sqrt(1 - x * x)
    return math.copysign(size * min(1.0, (1 - ratio) / 1e-3), here - there)


def exact(times: np.ndarray, exponent: float) -> np.ndarray:
    """Returns rows of angle, its rate, both pressures, spool, and energy that knee and workpiece have lost."""
    functions = by_angle()
    damping = brentq(lambda x: x * (1 + E) - math.log((1 + x) / (1 - E * x)), 1e-3, 1 / E - 1e-9)

    def rates(t: float, state: np.ndarray) -> list[float]:
        angle, w, p1, p2, spool, _ = state
        inertia, slope, _, weight, length, arm, ram, descent, knee = functions(angle)
        ahead, back, s, v = max(0.0, spool), max(0.0, -spool), length - OFFSET, arm * w
        m1 = flow(ahead, SUPPLY, p1) - flow(back, p1, AMBIENT)
        m2 = flow(back, SUPPLY, p2) - flow(ahead, p2, AMBIENT)
        depth = max(0.0, TABLE - ram)
        elastic = K * depth**1.5
        bears = elastic * max(0.0, 1 - damping * descent * w)
        force = p1 * A1 - p2 * A2 - AMBIENT * (A1 - A2) - VISCOUS * v
        return [
            w,
            (force * arm + bears * descent - KNEE * knee**2 * w - weight - slope * w**2) / inertia,
            exponent * (RT * m1 - p1 * A1 * v) / (A1 * s + DEAD1),
            exponent * (RT * m2 + p2 * A2 * v) / (A2 * (STROKE - s) + DEAD2),
            2 * math.pi * BAND * (np.interp(t, *COMMAND) - spool),
            KNEE * (knee * w) ** 2 - (bears - elastic) * descent * w,
        ]

    rows, state = np.empty((len(times), 6)), np.array([START, 0.0, PRESSURE, PRESSURE, 0.0, 0.0])
    for start, end in zip(COMMAND[0], COMMAND[0][1:], strict=False):
        part = solve_ivp(rates, (start, end), state, "DOP853", dense_output=True, rtol=1e-11, atol=[1e-13, 1e-11, 1e-6, 1e-6, 1e-13, 1e-10])
        inside = (times >= start) & (times <= end)
        rows[inside], state = part.sol(times[inside]).T, part.y[:, -1]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [1.0, 1.25])
def test_a_toggle_press_with_a_pneumatic_cylinder(exponent):
    """It closes, presses and opens: the ram to 1e-8 m, pressures to 1e-7; gas and energy balance to 1e-8."""
    times = np.linspace(0, COMMAND[0][-1], 41)
    rows = exact(times, exponent)
    volumes = ["cylinder.volume1", "cylinder.volume2"]
    result = machine(exponent).simulate(times[-1], rtol=1e-10, output_times=times, outputs=["*", *volumes]).resample(times)
    assert result["ram.y"] == pytest.approx([points(angle)[2] for angle in rows[:, 0]], abs=1e-8)
    assert result["cylinder.p1"] == pytest.approx(rows[:, 2], rel=1e-7)
    assert result["cylinder.p2"] == pytest.approx(rows[:, 3], rel=1e-7)
    assert result["work.force"].max() > 2500
    inlet, outlet = result["cylinder.p1"] / SUPPLY, AMBIENT / result["cylinder.p2"]
    assert inlet.min() < B - 0.05 < B + 0.05 < inlet.max() and outlet.min() < B - 0.05  # choked, and not

    # d(p V)/dt = n R T flow - (n - 1) p V', whose last term is the work at the piston
    gas = sum(result[f"cylinder.p{k}"] * result[f"cylinder.volume{k}"] for k in (1, 2))
    moved = result["cylinder.position"] - result["cylinder.position"][0]
    work = result["pushed.y"] + result["rubbed.y"] + AMBIENT * (A1 - A2) * moved
    assert gas - gas[0] == pytest.approx(exponent * RT * (result["drawn.y"] - result["blown.y"]) - (exponent - 1) * work, abs=1e-8 * gas[0])

    energy = result["work.energy"] + sum(
        result[f"{part}.energy.{kind}"] for part in ("upper", "lower", "ram") for kind in ("kinetic", "potential")
    )
    assert energy - energy[0] == pytest.approx(result["pushed.y"] - rows[:, 5], abs=1e-8 * abs(energy).max())
