"""Hours of a crane whose valve crashes at random, runs whose shared memory is overwritten, and memory over thousands of runs.

``python -m tests.soak --minutes 60``
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.soak.crane import soak
from tests.support.foreign.damage import check_damaged
from tests.support.systems.repeated import CASES, FLAT, growth


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--damaged", type=int, default=500, help="how many runs have their shared memory overwritten (500)")
    parser.add_argument("--repeated", type=int, default=2000, help="how often each solver and scheme runs while memory is measured (2000)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = soak(given.minutes, Path(folder), isolate="all")
    print(f"{found.runs} runs, {found.restarts} restarts, all with the same bits")
    print(f"{'':10}{'MB':>10}{'files':>10}{'processes':>12}")
    for name, each in (("before", found.before), ("after", found.after)):
        print(f"{name:10}{each.memory / 1e6:>10.1f}{each.files:>10}{each.processes:>12}")
    for told, count in sorted(Counter(map(check_damaged, range(given.damaged))).items()):
        print(f"{count:6} runs with memory overwritten by {told}")
    grown = {name: growth(name, given.repeated) for name in CASES if given.repeated}
    for name, kib in grown.items():
        print(f"{name:20}{kib:>8} KiB in {given.repeated} runs")
    return int(any(kib >= FLAT for kib in grown.values()))


if __name__ == "__main__":
    sys.exit(main())
