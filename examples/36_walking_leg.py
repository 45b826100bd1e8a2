"""Jansen's walking legs.

Two of Jansen's legs walk. A crank turns evenly, and feet stand on the ground by contact with friction. The next foot comes down with an
impact. Lengths are known, and the angle of the crank. Three angles of each leg are guessed by eye, and `assemble` closes its eight bars.
The load of the legs slides in a guide that keeps it level. As long as the foot on the ground does not slip, geometry gives the place of
the machine: circles that cross give the path of a foot. Over a turn of the crank, the forces on the feet have to carry the weight on
average. The motor has to do the work that is lost when feet come down.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

from jourdain import Pose, Result, System
from jourdain.declare import t

# 1. Jansen's lengths by their letters, in m. Where the pivot of a leg lies to the left of the crank's and below, the crank, and bars, of
# which b, d, e and g, h, i are the sides of triangles: `up` and `low`.

LEFT, BELOW, CRANK = 0.38, 0.078, 0.15
SIDE = {"b": 0.415, "c": 0.393, "d": 0.401, "e": 0.558, "f": 0.394, "g": 0.367, "h": 0.657, "i": 0.49, "j": 0.5, "k": 0.619}
GRAVITY, OMEGA, FRICTION, CHASSIS = 9.81, -3.0, 1.0, 12.0  # m/s2, rad/s, , kg
DENSITY = 2.0  # kg/m, of bars and of the sides of triangles
LEGS = {"left": 0.0, "right": np.pi}  # by how much the crank of each is ahead
START, TURN = 0.6, 2 * np.pi / abs(OMEGA)
GUESSES = {"left": {"up": 1.5, "c": -1.0, "low": 3.0}, "right": {"up": 1.5, "c": -2.5, "low": -3.0}}  # rad
LEVEL, AVERAGE = 1e-8, 1e-7  # m or rad; relative


# 2. By hand: points where circles cross. All of it works for complex angles, too, so that i 1e-30 more of an angle gives exact derivatives.

Point = tuple[Any, Any]


def crossing(p: Point, r1: float, q: Point, r2: float, side: int) -> Point:
    """Returns the crossing of circles about p and q, to the left of the way from p to q for side 1."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    distance = np.sqrt(dx**2 + dy**2)
    along = (distance**2 + r1**2 - r2**2) / (2 * distance)
    aside = side * np.sqrt(r1**2 - along**2)
    return p[0] + (along * dx - aside * dy) / distance, p[1] + (along * dy + aside * dx) / distance


def foot(angle: Any) -> Point:
    """Returns the place of a foot, from the pivot of the crank."""
    pivot, pin = (-LEFT, -BELOW), (CRANK * np.cos(angle), CRANK * np.sin(angle))
    above, below = crossing(pivot, SIDE["b"], pin, SIDE["j"], 1), crossing(pivot, SIDE["c"], pin, SIDE["k"], -1)
    back = crossing(pivot, SIDE["d"], above, SIDE["e"], 1)
    knee = crossing(back, SIDE["f"], below, SIDE["g"], -1)
    return crossing(below, SIDE["i"], knee, SIDE["h"], 1)


def speed(angle: float) -> np.ndarray:
    """Returns the velocity of a foot for the speed of the crank."""
    return np.imag(foot(angle + 1e-30j)) / 1e-30 * OMEGA


def standing(angle: float) -> str:
    """The lower foot."""
    return min(LEGS, key=lambda leg: foot(angle + LEGS[leg])[1])


def changes() -> list[float]:
    """Angles of the crank within a turn at which both feet are equally low on the ground, in the order in which they come."""

    def gap(angle: float) -> float:
        return foot(angle)[1] - foot(angle + np.pi)[1]

    steps = START + np.sign(OMEGA) * np.linspace(0, 2 * np.pi, 200)
    return [brentq(gap, a, b, xtol=1e-14) for a, b in pairwise(steps) if gap(a) * gap(b) < 0]


def way(angles: np.ndarray) -> np.ndarray:
    """Returns the path of the machine for angles that follow each other: x from its start, and y above the ground."""
    x, y, stands, on = 0.0, [], standing(angles[0]), foot(angles[0] + LEGS[standing(angles[0])])[0]
    places, left = [], changes()
    for angle in angles:
        while left and (left[0] - angle) * OMEGA < 0:
            x += on - foot(left[0] + LEGS[stands])[0]
            stands = next(leg for leg in LEGS if leg != stands)
            on = foot(left.pop(0) + LEGS[stands])[0]
        at = foot(angle + LEGS[stands])
        places.append(x + on - at[0])
        y.append(-at[1])
    return np.array([places, y])


# 3. The system. The crank has a pin for each leg; each leg consists of two bars to the pin, two triangles and two bars between them.


def bar(length: float) -> dict[str, float]:
    mass = DENSITY * length
    return {"m": mass, "I": mass * length**2 / 12, "p1.rx": -length / 2, "p2.rx": length / 2}


def triangle(*names: str) -> dict[str, float]:
    """Returns the parameters of a triangle with its first side along x. The third corner lies to the left of this side."""
    base, first, second = (SIDE[name] for name in names)
    corners = np.array([(0.0, 0.0), (base, 0.0), crossing((0.0, 0.0), first, (base, 0.0), second, 1)])
    corners -= corners.mean(axis=0)
    mass = DENSITY * (base + first + second)
    places = {f"p{k}.r{axis}": corner[i] for k, corner in enumerate(corners, 1) for i, axis in enumerate("xy")}
    return {"m": mass, "I": mass * float((corners**2).sum()) / 6, **places}


def system() -> System:
    walker = System("walker", gravity=(0.0, -GRAVITY))
    at, (vx, vy) = foot(START + LEGS[standing(START)]), speed(START + LEGS[standing(START)])
    place = {"y": -at[1], "vx": -vx, "vy": -vy, "x": 0.0}
    walker.add("ground", "planar.Fixed")
    walker.add("chassis", "planar.Body3", {"m": CHASSIS, "I": 1.0, "p2.rx": -LEFT, "p2.ry": -BELOW, **place})
    walker.add("crank", "planar.Body3", {"m": 0.6, "I": 5e-3, "p2.rx": CRANK, "p3.rx": -CRANK})
    walker.join("planar.DoubleTranslational", "ground.p1", "chassis.p3", name="guide")
    walker.join("planar.Revolute", "chassis.p1", "crank.p1", name="shaft")
    walker.join("planar.RelativeAngle", "chassis.p1", "crank.p1", name="motor")
    walker.drive("motor.angle", START + OMEGA * t)
    for leg, pin in zip(LEGS, ("crank.p2", "crank.p3"), strict=True):
        parts = {name: bar(SIDE[name]) for name in "jkcf"} | {"up": triangle(*"bde"), "low": triangle(*"gih")}
        for name, values in parts.items():
            guess = {"theta": (GUESSES[leg][name], 0.3)} if name in GUESSES[leg] else {}
            walker.add(f"{leg} {name}", f"planar.Body{3 if name in ('up', 'low') else 2}", values, guess=guess)
        joints = [(pin, "j.p1"), (pin, "k.p1"), ("chassis.p2", "up.p1"), ("chassis.p2", "c.p1"), ("j.p2", "up.p2"), ("k.p2", "c.p2")]
        joints += [("up.p3", "f.p1"), ("f.p2", "low.p2"), ("c.p2", "low.p1")]
        for a, b in joints:
            walker.join("planar.Revolute", a if a in (pin, "chassis.p2") else f"{leg} {a}", f"{leg} {b}")
        walker.join("planar.PointContact", "ground.p1", f"{leg} low.p3", {"mu": FRICTION}, name=f"{leg} foot")
        walker.add(f"{leg} carried", "signal.Integrator")
        walker.connect(f"{leg} foot.multiplier[1]", f"{leg} carried.u")
    walker.add("work", "signal.Integrator")
    walker.connect("motor.power", "work.u")
    return walker


def show(folder: Path) -> Result:
    """Assembles the machine, runs it for a turn, and writes a plot and an animation."""
    walker = system()
    pose: Pose = walker.assemble()
    print("\n".join(pose.notes))
    result = walker.simulate(TURN, rtol=1e-9, initial=pose)
    print(result.summary())
    result.animate(folder / "walking_leg.html", traces=[f"{leg} low.p3" for leg in LEGS])
    result.plot("chassis.x", "* foot.multiplier[1]", path=folder / "walking_leg.png")
    return result


# 4. Compare.


def off_way(result: Result) -> tuple[float, float]:
    """Returns the largest errors of the feet relative to the machine, and of the machine on the ground."""
    angles = START + OMEGA * result.time
    feet = 0.0
    for leg, ahead in LEGS.items():
        for i, axis in enumerate("xy"):
            found = result[f"{leg} low.p3.{axis}"] - result[f"chassis.{axis}"]
            feet = max(feet, float(np.abs(found - foot(angles + ahead)[i]).max()))
    return feet, float(np.abs(np.array([result["chassis.x"], result["chassis.y"]]) - way(angles)).max())


def hits(result: Result) -> list[Any]:
    return [change for change in result.changes if change.what == "hit"]


def balances(result: Result, mass: float) -> tuple[float, float, float, float]:
    """Returns the balances over a turn.

    These are the impulse of the ground and the weight times the time, in N.s; the work of the motor and the energy lost at impacts, in
    J.
    """
    carried = sum(result[f"{leg} carried.y"][-1] for leg in LEGS)
    work, lost = result["work.y"][-1], 0.0
    for hit, angle in zip(hits(result), changes(), strict=True):
        carried += sum(hit.impulses.get(f"{leg} foot.lambda[1]", 0.0) for leg in LEGS)
        work += hit.impulses["motor.lambda[1]"] * OMEGA
        stood = next(leg for leg in LEGS if hit.impulses.get(f"{leg} foot.lambda[1]", 0.0) == 0.0)
        down = next(leg for leg in LEGS if leg != stood)
        impulse = np.array([hit.impulses[f"{down} foot.lambda[2]"], hit.impulses[f"{down} foot.lambda[1]"]])
        lost -= impulse @ (speed(angle + LEGS[down]) - speed(angle + LEGS[stood])) / 2
    return carried, mass * GRAVITY * TURN, work, lost


def main() -> int:
    parser = argparse.ArgumentParser(description="Two of Jansen's legs walk.")
    parser.add_argument("--out", type=Path, default=Path("build/walking_leg"), help="folder for the plot (default: build/walking_leg)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    feet, ground = off_way(result)
    mass = sum(float(value) for each in system().definition.instances for name, value in each.start if name == "m")
    carried, weight, work, lost = balances(result, mass)
    print(
        f"a turn takes it {result['chassis.x'][-1]:.6f} m on, in {len(hits(result))} steps; y from {result['chassis.y'].min():.4f} to {result['chassis.y'].max():.4f} m"
    )
    print(
        f"feet: off by {feet:.1e} m from circles that cross; the machine: by {ground:.1e} m from feet that do not slip ({LEVEL:g} is allowed)"
    )
    print(
        f"ground: {carried:.6f} N.s, off by {abs(carried / weight - 1):.1e} from the weight of {mass:.2f} kg for {TURN:.3f} s ({AVERAGE:g} is allowed)"
    )
    print(f"motor: {work:.6f} J, off by {abs(work - lost) / lost:.1e} from what is lost when feet come down ({AVERAGE:g} is allowed)")
    print(f"plot: {folder / 'walking_leg.png'}")
    good = max(feet, ground) <= LEVEL and max(abs(carried / weight - 1), abs(work - lost) / lost) <= AVERAGE
    return 0 if result.outcome.completed and good else 1


if __name__ == "__main__":
    sys.exit(main())
