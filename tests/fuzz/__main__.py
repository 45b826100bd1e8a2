"""Thousands of damaged FMUs, checkpoints, results, texts and packages, and calls in any order: ``python -m tests.fuzz``."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tqdm import tqdm

from tests.fuzz.calls import run_calls
from tests.fuzz.files import KINDS
from tests.fuzz.mutants import check, warm_up
from tests.fuzz.originals import originals
from tests.support.kernel.sanitized import build, run_watched

_AT_ONCE = 2000
"""Damaged files of one process; a sanitizer that finds something ends it."""


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


def _files(kind: str, first: int, count: int, folder: Path, library: Path) -> list[str]:
    """Tries damaged files of a kind with the kernel that the sanitizers watch."""

    def some(start: int) -> list[str]:
        asked = ["-m", "tests.fuzz.damage", kind, str(start), str(min(_AT_ONCE, first + count - start)), str(folder)]
        done = run_watched(library, asked, timeout=7200)
        told = [f"{kind}, seeds from {start}: {done.stderr[-2000:]}"] if done.returncode else []
        return done.stdout.splitlines() + told

    found = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        starts = range(first, first + count, _AT_ONCE)
        for answers in tqdm(pool.map(some, starts), total=len(starts), unit=f" x {_AT_ONCE} {kind}", disable=None):
            found += answers
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Damaged FMUs and calls in any order; whatever is answered wrongly is kept."
    )
    parser.add_argument("--mutants", type=int, default=20_000, help="how many damaged FMUs are read and run (20,000)")
    parser.add_argument(
        "--files", type=int, default=20_000, help="how many damaged checkpoints, results, texts and packages are read and used (20,000)"
    )
    parser.add_argument("--calls", type=int, default=1_000_000, help="how many FMI functions are called, under sanitizers (1,000,000)")
    parser.add_argument("--seed", type=int, default=1000, help="the first seed; others make other mutants and calls (1000)")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="folder for what is answered wrongly (build/fuzz)")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = _mutants(range(given.seed, given.seed + given.mutants), given.mutants, given.out)
    with tempfile.TemporaryDirectory() as place:
        library = build(Path(place)) if given.files else Path(place)
        found += [each for kind in KINDS if given.files for each in _files(kind, given.seed, given.files, given.out, library)]
    print("\n".join(found))
    made = run_calls(given.calls, given.seed) if given.calls else 0
    print(
        f"{given.mutants:,} damaged FMUs, {given.files:,} of each of {', '.join(KINDS)}, {len(found)} answered wrongly; {made:,} calls, none did harm"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
