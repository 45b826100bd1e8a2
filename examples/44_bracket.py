"""Robot with elastic bracket.

The turret of a robot swings a tool by a quarter turn. A bracket of aluminium carries the tool, and it is an elastic body from a mesh of
scikit-fem. Without scikit-fem the mesh comes from a file. The sag of the tool at rest is compared with the finite elements alone. After
the motion the tool swings on, which a rigid bracket would not allow.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import spsolve
from sympy import Piecewise, pi, sin

from bracket import mesh
from jourdain import Patch, Result, System, flexible_body
from jourdain.declare import t

TURN, MOVED, STOP = pi / 2, 0.4, 0.8  # rad, s, s
TOOL = {"m": 4.0, "Ixx": 0.01, "Iyy": 0.01, "Izz": 0.01, "rz": -0.05}  # kg, kg.m2, m below the end of the bracket
REACH = mesh.LENGTH  # m
ALLOWED = {"sag": 1e-3}  # share


def bracket() -> mesh.Bracket:
    """Returns the mesh of scikit-fem, or that of the file."""
    try:
        return mesh.made()
    except ModuleNotFoundError:
        return mesh.kept()


def patches(nodes: np.ndarray) -> dict[str, list[int]]:
    """Returns the nodes of the foot and of the end."""
    faces = {"foot": nodes[:, 2] < 1e-9, "end": nodes[:, 0] > REACH - 1e-9}
    return {name: np.flatnonzero(face).tolist() for name, face in faces.items()}


def elastic() -> type[Any]:
    K, M, nodes, triangles = bracket()
    ports = {"foot": Patch(patches(nodes)["foot"], rigid=True), "end": Patch(patches(nodes)["end"])}
    return flexible_body(K, M, nodes, ports, name="Bracket", root="foot", inner=0, triangles=triangles)


def system() -> System:
    robot = System("robot", gravity=(0.0, 0.0, -9.81))
    robot.add("ground", "spatial.Fixed")
    robot.add("turret", "spatial.RevoluteBody", {"m": 10.0, "C1.rz": 0.2})
    robot.add("bracket", elastic())
    robot.add("tool", "spatial.WeldedBody", TOOL)
    for a, b in (("ground.p1", "turret.P"), ("turret.C1", "bracket.foot"), ("bracket.end", "tool.P")):
        robot.connect(a, b)
    s = t / MOVED
    robot.drive("turret.qdd", Piecewise((2 * pi * TURN / MOVED**2 * sin(2 * pi * s), t < MOVED), (0, True)))
    return robot


def sag() -> float:
    """Returns how far the end of the bracket moves down at rest, in m, by its finite elements."""
    K, M, nodes, _ = bracket()
    faces, force = patches(nodes), M @ np.tile([0.0, 0.0, -9.81], len(nodes))
    free = np.setdiff1d(np.arange(3 * len(nodes)), 3 * np.array(faces["foot"])[:, None] + np.arange(3))
    force[3 * np.array(faces["end"]) + 2] -= TOOL["m"] * 9.81 / len(faces["end"])
    moved = np.zeros(3 * len(nodes))
    moved[free] = spsolve(K.tocsc()[free][:, free], force[free])
    return -float(moved[3 * np.array(faces["end"]) + 2].mean())


def show(folder: Path) -> Result:
    """Runs the robot from its equilibrium, and writes a plot and an animation in which the bracket bends fifty times as much."""
    robot = system()
    damping = {f"bracket.zeta[{k}]": 0.01 for k in range(1, 7)}
    result = robot.simulate(STOP, solver="cvode", rtol=1e-8, initial=robot.equilibrium(), start_values=damping, output_interval=2e-3)
    print(result.summary())
    result.animate(folder / "bracket.html", magnify=50, forces=[])
    result.plot("turret.q", "bracket.shape[1]", path=folder / "bracket.png")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description="A robot whose bracket is elastic.")
    parser.add_argument("--out", type=Path, default=Path("build/flexible"), help="folder for the plot (default: build/flexible)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    height = mesh.HEIGHT - mesh.THICK / 2  # of the end above the foot, without load
    found, exact = 0.2 + height - result["bracket.end.z"][0], sag()
    angle = result["turret.q"]
    aside = np.cos(angle) * result["bracket.end.y"] - np.sin(angle) * result["bracket.end.x"]
    print(f"sag at rest: {found * 1e3:.5f} mm, by the finite elements {exact * 1e3:.5f} mm")
    print(
        f"the tool swings by {np.abs(aside).max() * 1e3:.3f} mm, and after the motion by {np.abs(aside[result.time > MOVED]).max() * 1e3:.3f} mm"
    )
    print(f"plot: {folder / 'bracket.png'}")
    return 0 if result.outcome.completed and abs(found / exact - 1) <= ALLOWED["sag"] else 1


if __name__ == "__main__":
    sys.exit(main())
