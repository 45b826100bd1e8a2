"""Pendulum at a wall.

A rod hangs from a pin and beats against a wall below the pin. At each hit its velocity turns around and keeps the share `e`. Impulses are
found in all joints at once. The pin feels an impulse, too, except where the rod is hit at its centre of percussion. The swings between
the hits are elliptic integrals. The times of the hits, their impulses and the energy lost are compared with the closed form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.special import ellipk

from jourdain import Result, System

MASS, LENGTH, GRAVITY, RESTITUTION = 1.0, 1.0, 9.81, 0.6
START = -2.2  # rad, of the rod at rest; hanging down is -pi/2
INERTIA = MASS * LENGTH**2 / 3  # about the pin
STOP = 4.6  # s


# 1. The machine: build it, run it, show it. The wall is a line along the axis x of the fixed point, and the pendulum stays on its side y,
# which is the left one.


def system(place: float = LENGTH) -> System:
    """Returns a rod on a pin, which hits the wall at this distance from the pin."""
    pendulum = System("pendulum at a wall", gravity=(0.0, -GRAVITY))
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("wall", "planar.Fixed", {"p1.angle": np.pi / 2})
    x, y = LENGTH / 2 * np.cos(START), LENGTH / 2 * np.sin(START)
    points = {"p1.rx": -LENGTH / 2, "p2.rx": place - LENGTH / 2}
    pendulum.add("rod", "planar.Body2", {"m": MASS, "I": MASS * LENGTH**2 / 12, "x": x, "y": y, "theta": START, **points})
    pendulum.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    pendulum.join("planar.PointContact", "wall.p1", "rod.p2", {"mu": 0.0, "e": RESTITUTION}, name="contact")
    return pendulum


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver="dop853", rtol=1e-11, atol=1e-12)
    print(result.summary())
    result.animate(folder / "pendulum_at_wall.html")
    result.plot("rod.theta", "rod.omega", path=folder / "pendulum_at_wall.png")
    return result


# 2. The closed form. A pendulum that passes its lowest point at w swings up and is back after 2 K/w0, at the same speed.

PERCUSSION = 2 / 3 * LENGTH  # from the pin: the inertia there over the mass and the distance of the mass centre
ALLOWED = 1e-9


def hits(count: int, place: float = LENGTH) -> np.ndarray:
    """A row for each hit: its time, the impulses of the contact and of the pin in N.s, and the energy lost in J."""
    w0 = np.sqrt(MASS * GRAVITY * LENGTH / 2 / INERTIA)
    speed = 2 * w0 * np.sin(abs(START + np.pi / 2) / 2)
    time, rows = ellipk((speed / 2 / w0) ** 2) / w0, []
    for _ in range(count):
        jump = (1 + RESTITUTION) * speed
        impulse = INERTIA * jump / place
        rows.append([time, impulse, abs(MASS * LENGTH / 2 * jump - impulse), (1 - RESTITUTION**2) * INERTIA * speed**2 / 2])
        speed *= RESTITUTION
        time += 2 * ellipk((speed / 2 / w0) ** 2) / w0
    return np.array(rows)


# 3. The check. A hit has the impulses of all multipliers at its time.


def found(result: Result) -> np.ndarray:
    """The same rows, of the simulation."""
    rows = []
    for change in result.changes:
        if change.what == "hit":
            pin = np.hypot(change.impulses["pin.lambda[1]"], change.impulses["pin.lambda[2]"])
            rows.append([change.time, change.impulses["contact.lambda[1]"], pin, change.energy])
    return np.array(rows).reshape(-1, 4)


def main() -> int:
    parser = argparse.ArgumentParser(description="A pendulum beats against a wall.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/pendulum_at_wall"), help="folder for the plot (default: build/pendulum_at_wall)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    rows = found(result)
    expected = hits(len(rows))
    for time, impulse, pin, energy in rows:
        print(f"t = {time:.12f} s: {impulse:.9f} N.s of the wall, {pin:.9f} N.s in the pin, {energy:.9f} J lost")
    off = np.abs(rows - expected).max() if len(rows) == 6 else np.inf
    print(f"{len(rows)} hits, off by {off:.1e} from the elliptic integrals ({ALLOWED:g} is allowed)")
    percussion = np.abs(found(system(PERCUSSION).simulate(0.5, solver="dop853", rtol=1e-11, atol=1e-12)) - hits(1, PERCUSSION)).max()
    print(f"hit at its centre of percussion, the rod's pin feels nothing: off by {percussion:.1e}")
    print(f"plot: {folder / 'pendulum_at_wall.png'}")
    return 0 if result.outcome.completed and max(off, percussion) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
