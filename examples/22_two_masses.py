"""Constraints one after another.

Two masses keep their distance, are let go, and are caught again. Constraints are taken one after the other, and a table shows the
contribution of each. The masses and the force are those of a paper on constraints of velocities alone (Gonzalez, Dopico, Cuadrado,
Kovecses). There a force pushes one mass, which pulls the other along. Here the constraint is off for a second. All results are compared
with closed forms.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, Successive, System

FIRST, SECOND, APART, PUSH = 7.0, 5.0, 3.0, 2.0  # kg, kg, m, N on the first
FREED, CAUGHT, STOP = 2.0, 3.0, 5.0  # s


# 1. The machine: build it, run it, show it. The link lets the masses have no relative velocity along x; a guide holds the first one at
# its height and angle.


def system() -> System:
    masses = System("two masses", gravity=(0.0, 0.0))
    masses.add("ground", "planar.Fixed")
    masses.add("first", "planar.Body2", {"m": FIRST, "x": APART})
    masses.add("second", "planar.Body1", {"m": SECOND})
    masses.join("planar.Translational", "ground.p1", "first.p1", name="guide")
    masses.join("planar.RelativeVelocity", "first.p1", "second.p1", name="link")
    masses.add("push", "planar.Wrench", {"Fx": PUSH})
    masses.connect("first.p2", "push.M")
    masses.enforce("link", [(0.0, FREED), (CAUGHT, None)])
    return masses


def show(folder: Path) -> Result:
    """Prints the table of constraints, runs the machine, and writes a plot and an animation.

    The table gives the freedoms that are left after each constraint, its independence of those before, and its share of the force.
    """
    masses = system()
    print(masses.constraint_stages(order=["link"]))
    result = masses.simulate(STOP, rtol=1e-12, atol=1e-12, multipliers=Successive(order=["link"]))
    print(result.summary())
    result.animate(folder / "two_masses.html")
    result.plot("first.vx", "second.vx", "link.lambda[1]", path=folder / "two_masses.png")
    return result


# 2. Closed forms. Together both have the acceleration f/(m1 + m2), and the link pulls with f m2/(m1 + m2). When it comes back, the
# velocity at which they part is taken by an impulse: the masses between its ends are as one of m1 m2/(m1 + m2).

ALLOWED = 1e-10


def closed_form() -> dict[str, float]:
    together, alone = PUSH / (FIRST + SECOND), PUSH / FIRST
    both = together * FREED
    parting = alone * (CAUGHT - FREED)
    reduced = FIRST * SECOND / (FIRST + SECOND)
    v = both + parting * FIRST / (FIRST + SECOND)
    rest = STOP - CAUGHT
    first = (
        APART + together * FREED**2 / 2 + both * (CAUGHT - FREED) + alone * (CAUGHT - FREED) ** 2 / 2 + v * rest + together * rest**2 / 2
    )
    second = together * FREED**2 / 2 + both * (CAUGHT - FREED) + v * rest + together * rest**2 / 2
    return {
        "force": PUSH * SECOND / (FIRST + SECOND),
        "impulse": reduced * parting,
        "energy": reduced * parting**2 / 2,
        "first": first,
        "second": second,
    }


def found(result: Result) -> dict[str, float]:
    catch = result.changes[-1]
    return {
        "force": result["link.lambda[1]"][-1],
        "impulse": catch.impulses["link.lambda[1]"],
        "energy": catch.energy,
        "first": result["first.x"][-1],
        "second": result["second.x"][-1],
    }


# 3. Simulate, show the stages, compare, plot. The table tells what is left of the freedoms behind each constraint, how independent it is of
# those before, and what it carries by itself and in the end.


def main() -> int:
    parser = argparse.ArgumentParser(description="Two masses that are let go and caught again.")
    parser.add_argument("--out", type=Path, default=Path("build/two_masses"), help="folder for the plot (default: build/two_masses)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    exact, values = closed_form(), found(result)
    for name, value in values.items():
        print(f"{name}: {value:.9f}")
    off = max(abs(values[name] - exact[name]) for name in exact)
    print(f"largest difference to the closed forms: {off:.1e} ({ALLOWED:g} are allowed)")
    print(f"plot: {folder / 'two_masses.png'}")
    return 0 if result.outcome.completed and np.isfinite(off) and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
