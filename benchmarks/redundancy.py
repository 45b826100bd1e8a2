"""All variants of thirty redundant machines in space: errors against one coordinate, steps, and sentences that are not true."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.systems.redundant import family, run, variants


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the names of machines")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of N variants")
    parser.add_argument("--rtol", type=float, default=1e-8, help="tolerance (default: 1e-8)")
    given = parser.parse_args()
    print("machine | redundant constraints | variants | counted wrongly | worst error / rtol | steps | false sentences")
    print("---|---|---|---|---|---|---")
    for number, machine in enumerate(family()):
        if given.only not in machine.name:
            continue
        found = [run(machine, variant, rtol=given.rtol) for variant in variants()[number % given.every :: given.every]]
        steps = [each.steps for each in found]
        wrong, said = sum(each.redundant != machine.redundant for each in found), sum(len(each.others) for each in found)
        print(
            f"{machine.name} | {machine.redundant} | {len(found)} | {wrong} | {max(each.error for each in found):.2g} | {min(steps)} to {max(steps)} | {said}",
            flush=True,
        )
        for sentence in {each.sentence for each in found if each.steps == 0} | {other for each in found for other in each.others}:
            print(f"  {sentence}")


if __name__ == "__main__":
    main()
