"""Processor time of `assemble`: open and closed chains of which only the lengths are given, and mechanisms with rough guesses.

Each system is assembled several times, and the least time counts. The first column is the time to build the system, which is spent once.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.systems.linkages import Linkage, chain, jansen, seven_bodies, told


def angles(linkage: Linkage) -> dict[str, float]:
    """Returns the angles of all bodies without held values, to a tenth of a radian."""
    return {f"{body}.theta": round(float(pose[2]), 1) for body, pose in linkage.poses.items() if f"{body}.theta" not in linkage.held}


def cases() -> dict[str, tuple[Linkage, Mapping[str, float]]]:
    found: dict[str, tuple[Linkage, Mapping[str, float]]] = {}
    for links in (10, 100):
        for closed in (False, True):
            found[f"{'closed' if closed else 'open'} chain of {links}"] = chain(links, closed), {}
    found["closed chain of 100, angles told"] = chain(100, True), angles(chain(100, True))
    found["seven bodies, drive held"] = seven_bodies(), {}
    found["seven bodies, angles told"] = seven_bodies(), angles(seven_bodies())
    found["Jansen's leg, crank held"] = jansen(), {}
    found["Jansen's leg, angles told"] = jansen(), angles(jansen())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=5, help="of which the least time counts (default 5)")
    options = parser.parse_args()
    print(f"{'mechanism':34}{'build s':>10}{'assemble s':>12}{'poses':>8}{'freedoms':>10}")
    for name, (linkage, guess) in cases().items():
        system, hold = told(linkage)
        began = time.process_time()
        system.build()
        build, spent = time.process_time() - began, []
        for _ in range(options.repetitions):
            began = time.process_time()
            pose = system.assemble(hold=hold, guess=guess)
            spent.append(time.process_time() - began)
        print(f"{name:34}{build:10.3f}{min(spent):12.3f}{1 + len(pose.alternatives):8}{len(pose.freedoms):10}", flush=True)


if __name__ == "__main__":
    main()
