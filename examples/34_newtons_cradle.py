"""Newton's cradle.

Five balls hang side by side and touch. The first is lifted and let go. Several impacts happen at one instant. A law of impact describes
two balls; the motion of a row depends on the order of the impacts. One after the other, with the greatest approach first, the last ball
alone flies off, nearly as real cradles do. All at once, the first one bounces back and the others move on together. Both keep momentum
and energy. A line of elastic springs would be in between.

Where the balls lose energy, the slowest impacts are very slow. Below `rest_velocity` they would be plastic; it is therefore set to nearly
0.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Contacts, Result, System

BALLS, DIAMETER, LENGTH, GRAVITY, MASS = 5, 0.04, 0.3, 9.81, 0.1
LIFTED = 0.3  # rad
W0 = np.sqrt(GRAVITY / LENGTH)


# 1. The machine: build it, run it, show it. For small angles a ball on a string is a mass on a spring, and the balls meet at their places
# of rest, whatever they did before.


def system(restitution: float = 1.0, lifted: int = 1) -> System:
    cradle = System("Newton's cradle")
    cradle.add("frame", "mechanical1d.Fixed1D")
    for k in range(BALLS):
        rest = k * DIAMETER
        cradle.add(f"ball{k}", "mechanical1d.Mass", {"m": MASS, "s": rest - (LIFTED * LENGTH if k < lifted else 0.0)})
        string = {"k": MASS * W0**2, "b": 0.0, "rest": rest}
        cradle.join("mechanical1d.SpringDamper1D", "frame.flange", f"ball{k}.flange", string, name=f"string{k}")
    for k in range(BALLS - 1):
        touch = {"low": DIAMETER, "high": 1.0, "e": restitution}
        cradle.join("mechanical1d.EndStop", f"ball{k}.flange", f"ball{k + 1}.flange", touch, name=f"touch{k}")
    return cradle


def run(cradle: System, impacts: str) -> Result:
    """Runs until just after the impacts."""
    return cradle.simulate(1.9 * (np.pi / W0), contacts=Contacts(impacts=impacts, rest_velocity=1e-12), rtol=1e-11, atol=1e-12)


def show(folder: Path) -> Result:
    """Runs the elastic cradle with impacts one after the other, and writes a plot of the places of the balls."""
    result = run(system(), "sequential")
    print(result.summary())
    result.plot("ball*.s", "ball*.v", path=folder / "newtons_cradle.png")
    return result


# 2. The check. What the two laws say, as shares of the speed of the ball that comes.

ALLOWED = 1e-9


def one_after_the_other(restitution: float, lifted: int = 1) -> np.ndarray:
    """Returns the speeds after impacts in sequence. The pair that approaches fastest is taken first, and pairs of equal speed together:
    here they never touch each other."""
    v = np.array([1.0] * lifted + [0.0] * (BALLS - lifted))
    while (approach := -np.diff(v)).max() > 1e-12:
        k = int(np.argmax(approach))
        jump = (1 + restitution) * approach[k] / 2
        v[k : k + 2] += [-jump, jump]
    return v


def all_at_once(restitution: float) -> np.ndarray:
    """Returns the speeds after one impact of all pairs, each of which separates e times as fast as it came: the first two at e, the others
    not at all; momentum is 1."""
    first = (1 - (BALLS - 1) * restitution) / BALLS
    return np.array([first] + [first + restitution] * (BALLS - 1))


def speeds(result: Result) -> np.ndarray:
    """Returns the speeds of all balls right after the first impacts, over the speed of the impacting ball."""
    after = np.flatnonzero(result.time == result.changes[0].time)[-1]
    return np.array([result[f"ball{k}.v"][after] for k in range(BALLS)]) / (LIFTED * LENGTH * W0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Newton's cradle, with impacts one after the other and all at once.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/newtons_cradle"), help="folder for the plot (default: build/newtons_cradle)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    swing, off = np.pi / W0, 0.0
    for title, result, expected in (
        ("elastic, one after the other", show(folder), one_after_the_other(1.0)),
        ("elastic, two balls lifted", run(system(lifted=2), "sequential"), one_after_the_other(1.0, 2)),
        ("e = 0.9, one after the other", run(system(0.9), "sequential"), one_after_the_other(0.9)),
        ("elastic, all at once", run(system(), "simultaneous"), all_at_once(1.0)),
    ):
        found = speeds(result)
        print(f"{title}: {result.outcome}; after the first impacts " + ", ".join(f"{v:.6f}" for v in np.round(found, 9) + 0.0))
        late = abs(result.changes[0].time - swing / 2) if result.outcome.completed else np.inf
        off = max(off, late, float(np.abs(found - expected).max()))
    print(f"largest difference to the laws by hand: {off:.1e} ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'newtons_cradle.png'}")
    return 0 if off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
