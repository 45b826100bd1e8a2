"""Satellite with elastic panels.

A satellite turns and tumbles, and its two solar panels bend. Each panel is a block from the matrices of its finite elements, clamped to
the hub. The frequencies of the whole are compared with those of beams, which follow from a closed form. Without any torque the energy
stays.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import brentq

from jourdain import Result, System, flexible_body

HUB = {"m": 2.0, "Ixx": 0.3, "Iyy": 0.4, "Izz": 0.4}  # kg, kg.m2
ARM, ELEMENTS, STOP = 0.3, 20, 20.0  # m from the centre to a panel, number, s
FLAP, PLANE, AXIAL, TWIST = 1.0, 4.0, 1e4, 20.0  # stiffness of a panel of 1 m and 1 kg: N.m2, N.m2, N, N.m2
START = {"hub.omegax": 0.02, "hub.omegay": 0.05, "hub.omegaz": 0.3, "right.shape[1]": 0.01}  # rad/s and m
KINDS = ("kinetic", "elastic")
ALLOWED = {"frequency": 2e-3, "energy": 1e-7}  # shares


def panel() -> type[Any]:
    """Returns the class of a panel along x, of beams with six degrees of freedom a node."""
    h, size = 1 / ELEMENTS, 6 * (ELEMENTS + 1)
    S = np.diag([1, h, 1, h])  # of places and slopes at both ends
    bend = S @ [[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]] @ S / h**3
    mass = S @ [[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]] @ S * h / 420
    bar, line = np.array([[1, -1], [-1, 1]]) / h, np.array([[2, 1], [1, 2]]) * h / 6
    turn = np.diag([1, -1, 1, -1])  # z falls where the turn about y grows
    order = [0, 6, 3, 9, 1, 5, 7, 11, 2, 4, 8, 10]
    stiffness = block_diag(AXIAL * bar, TWIST * bar, PLANE * bend, FLAP * turn @ bend @ turn)
    inertia = block_diag(line, 0.01 * line, mass, turn @ mass @ turn)
    K, M = np.zeros((2, size, size))
    for first in range(0, size - 6, 6):
        rows = np.ix_(first + np.array(order), first + np.array(order))
        K[rows] += stiffness
        M[rows] += inertia
    nodes = np.linspace([0, 0, 0], [1, 0, 0], ELEMENTS + 1)
    return flexible_body(K, M, nodes, {"root": 0, "tip": ELEMENTS}, root="root", basis="free", shapes=4, name="Panel")


def system() -> System:
    satellite = System("satellite", gravity=(0.0, 0.0, 0.0))
    Panel = panel()
    turned = {"p2.rx": -ARM, "p2.xx": -1.0}  # the second panel lies along -x
    satellite.add("hub", "spatial.Body2", HUB | {"p1.rx": ARM} | turned)
    for name, port in (("right", "hub.p1"), ("left", "hub.p2")):
        satellite.add(name, Panel)
        satellite.connect(port, f"{name}.root")
    return satellite


def closed_form(stiffness: float, turning: bool) -> list[float]:
    """Returns two frequencies in rad/s of the hub with beams that move alike, or that turn it, by the solutions of the beam equation."""

    def balance(beta: float) -> float:
        def row(x: float, order: int) -> np.ndarray:
            c, s, C, S = np.cos(beta * x), np.sin(beta * x), np.cosh(beta * x), np.sinh(beta * x)
            return beta**order * np.array([(C, S, c, s), (S, C, -s, c), (C, S, -c, -s), (S, C, s, -c)][order])

        if turning:
            held, inertia, load = row(0, 0) - ARM * row(0, 1), HUB["Iyy"] * row(0, 1), row(0, 2) - ARM * row(0, 3)
        else:
            held, inertia, load = row(0, 1), HUB["m"] * row(0, 0), -row(0, 3)
        return float(np.linalg.det([held, row(1, 2), row(1, 3), beta**4 * inertia + 2 * load]))

    grid = np.linspace(1.0, 5.2, 100)
    roots = [brentq(balance, a, b) for a, b in pairwise(grid) if balance(a) * balance(b) < 0]
    return [float(np.sqrt(stiffness) * root**2) for root in roots[:2]]


def show(folder: Path) -> Result:
    """Runs the satellite, and writes a plot and an animation in which its panels bend ten times as much."""
    result = system().simulate(STOP, solver="cvode", rtol=1e-9, atol=1e-11, start_values=START, output_interval=0.02)
    print(result.summary())
    result.animate(folder / "satellite.html", magnify=10)
    result.plot("*.shape[1]", ("hub.wx", "hub.wy", "hub.wz"), path=folder / "satellite.png")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description="A satellite with elastic panels.")
    parser.add_argument("--out", type=Path, default=Path("build/flexible"), help="folder for the plot (default: build/flexible)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    energy = sum(
        result[f"{name}.energy.{kind}"] for name in ("hub", "right", "left") for kind in KINDS if (name, kind) != ("hub", "elastic")
    )
    found = [2 * np.pi * mode.frequency for mode in system().linearise().modes() if mode.frequency > 0.1]
    exact = [each for stiffness in (FLAP, PLANE) for turning in (False, True) for each in closed_form(stiffness, turning)]
    errors = {"frequency": max(min(abs(each / one - 1) for each in found) for one in exact), "energy": float(np.ptp(energy) / energy[0])}
    print("frequencies in rad/s: " + ", ".join(f"{each:.4f}" for each in sorted(found)))
    print(f"largest difference to the closed form: {errors['frequency']:.1e}")
    print(f"energy gained or lost: {errors['energy']:.1e}")
    print(f"plot: {folder / 'satellite.png'}")
    return 0 if result.outcome.completed and all(errors[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
