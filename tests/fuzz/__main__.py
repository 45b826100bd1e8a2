"""Thousands of damaged FMUs, and calls in any order: ``python -m tests.fuzz``."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from tqdm import tqdm

from tests.fuzz.calls import run_calls
from tests.fuzz.mutants import check, warm_up
from tests.fuzz.originals import originals


def _mutants(seeds: Iterable[int], count: int, folder: Path) -> list[str]:
    found = []
    warm_up(originals())
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        answers = pool.imap_unordered(partial(check, originals=originals(), folder=folder), seeds, chunksize=16)
        for answer in tqdm(answers, total=count, unit=" mutants", disable=None):
            if answer:
                found.append(answer)
                tqdm.write(answer)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Damaged FMUs and calls in any order; whatever is answered wrongly is kept."
    )
    parser.add_argument("--mutants", type=int, default=20_000, help="how many damaged FMUs are read and run (20,000)")
    parser.add_argument("--calls", type=int, default=1_000_000, help="how many FMI functions are called, under sanitizers (1,000,000)")
    parser.add_argument("--seed", type=int, default=1000, help="the first seed; others make other mutants and calls (1000)")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="folder for what is answered wrongly (build/fuzz)")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = _mutants(range(given.seed, given.seed + given.mutants), given.mutants, given.out)
    made = run_calls(given.calls, given.seed)
    print(f"{given.mutants:,} damaged FMUs, {len(found)} answered wrongly; {made:,} calls, none did harm")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
