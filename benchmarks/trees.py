"""Chains and balanced trees of blocks in space: time per evaluation against their number, against joints and against another tool.

An evaluation is one call of the kernel: all states to all blocks, all accelerations and wrenches solved, all derivatives back. The exponent is
the slope of time over bodies between neighbouring rows, in logarithms: 1 is proportional. The same bodies on multiplier joints, with absolute
coordinates, are what ``benchmarks/space.py`` measures. Pinocchio's articulated-body algorithm is the measure of what an evaluation could cost.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import chain  # noqa: E402 - sets the numbers of threads before NumPy's libraries are used
import space  # noqa: E402

from coupling import System  # noqa: E402

ROD = {"m": 1.0, "Ixx": 0.01, "Iyy": 1 / 12, "Izz": 1 / 12, "rx": 0.5, "C1.rx": 1.0, "C2.rx": 1.0}


def tree(bodies: int, branches: int) -> System:
    """Returns rods on the ground; on the end of each hang as many others as a node has branches. Hinges are about y and z in turns."""
    made = System(f"tree of {bodies}")

    def hinge(port: str, depth: int) -> dict[str, float]:
        return {f"{port}.z{name}": float(value) for name, value in zip("xyz", space.AXES[depth % 2], strict=True)}

    made.add("ground", "spatial.Fixed", hinge("p1", 0))
    gravity = dict(zip(("gx", "gy", "gz"), space.GRAVITY, strict=True))
    free = [("ground.p1", 0)]
    for i in range(bodies):
        port, depth = free.pop(0)
        hinges = hinge("P", depth) | hinge("C1", depth + 1) | hinge("C2", depth + 1)
        made.add(f"rod{i}", "spatial.RevoluteBody", {**ROD, **gravity, **hinges, "q": 0.1 * (-1) ** i, "qd": 0.2})
        made.connect(port, f"rod{i}.P")
        free += [(f"rod{i}.C{k + 1}", depth + 1) for k in range(branches)]
    return made


def row(kind: str, bodies: int, taken: float, before: tuple[int, float] | None, build: float, recursive: float | None) -> None:
    exponent = math.log(taken / before[1]) / math.log(bodies / before[0]) if before and bodies != before[0] else math.nan
    print(f"{kind:16}{bodies:8}{1e6 * taken:15.2f}{1e6 * taken / bodies:10.3f}{exponent:10.2f}{build:9.2f}", end="")
    print(f"{1e6 * recursive:14.2f}{taken / recursive:8.1f}" if recursive else "", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000], help="(default 10 100 1000)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of evaluations in each repetition (default 0.2)")
    parser.add_argument("--repetitions", type=int, default=7, help="of which the median counts (default 7)")
    options = parser.parse_args()
    pinocchio = importlib.util.find_spec("pinocchio") is not None
    print(f"{'':16}{'bodies':>8}{'us/evaluation':>15}{'us/body':>10}{'exponent':>10}{'build s':>9}", end="")
    print(f"{'Pinocchio us':>14}{'ratio':>8}" if pinocchio else "   (Pinocchio is not installed: pip install pin)")
    kinds = {"chain, blocks": lambda n: tree(n, 1), "chain, joints": space.system, "tree, blocks": lambda n: tree(n, 2)}
    for kind, make in kinds.items():
        before: tuple[int, float] | None = None
        for bodies in options.bodies:
            taken, build, _ = chain.measure(make(bodies), options.seconds, options.repetitions, "rod0.*")
            compared = pinocchio and kind.startswith("chain") and bodies <= space.MOST_RELATIVE
            recursive = space.articulated(bodies, options.seconds, options.repetitions) if compared else None
            row(kind, bodies, taken, before, build, recursive)
            before = bodies, taken


if __name__ == "__main__":
    main()
