"""Hours of a crane whose valve crashes at random: ``python -m tests.soak --minutes 60``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.soak.crane import soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (60)")
    with tempfile.TemporaryDirectory() as folder:
        found = soak(parser.parse_args().minutes, Path(folder), isolate="all")
    print(f"{found.runs} runs, {found.restarts} restarts, all with the same bits")
    print(f"{'':10}{'MB':>10}{'files':>10}{'processes':>12}")
    for name, each in (("before", found.before), ("after", found.after)):
        print(f"{name:10}{each.memory / 1e6:>10.1f}{each.files:>10}{each.processes:>12}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
