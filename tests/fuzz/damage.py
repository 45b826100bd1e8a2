"""A program: damaged files of one kind, from a seed on; ``python -m tests.fuzz.damage checkpoints 1000 500 build/fuzz``.

With the kernel that the sanitizers watch in the environment, that one is used.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support.kernel import sanitized  # noqa: F401  # it opens the kernel that the sanitizers watch


def main() -> None:
    from tests.fuzz.files import KINDS
    from tests.fuzz.trials import offences

    kind, first, count, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    make, trial_of = KINDS[kind]
    with tempfile.TemporaryDirectory() as place:
        for seed, what in offences(trial_of(make(Path(place)), folder), range(first, first + count), seconds=120):
            print(f"{kind}, seed {seed}: {what}", flush=True)


if __name__ == "__main__":
    main()
