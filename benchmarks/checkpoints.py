"""Costs of a checkpoint: of the seven bodies, and of a thousand instances; with and without waiting for the disk."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from chain import chain
from runs import example

from coupling import Checkpoint, System
from coupling.live.checkpoints import CheckpointWriter


def measure(make: Callable[[], System], folder: Path, count: int, **options: Any) -> tuple[float, int]:
    """Returns the median of the seconds that a checkpoint takes, and its size."""
    spent: list[float] = []
    keep, look = CheckpointWriter.keep, CheckpointWriter.look

    def timed(self: CheckpointWriter, *running: Any) -> None:
        began = time.perf_counter()
        keep(self, *running)
        spent.append(time.perf_counter() - began)

    def few(self: CheckpointWriter, *running: Any) -> None:
        if len(spent) < count:
            look(self, *running)

    path = folder / "run.ckpt"
    with (
        patch.object(CheckpointWriter, "keep", timed),
        patch.object(CheckpointWriter, "look", few),
        patch("coupling.live.checkpoints._SHARE", 0),
    ):
        make().simulate(**options, record_to=folder / "run.jrd", checkpoint=Checkpoint(path=path, interval=0))
    return statistics.median(spent), path.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="checkpoints of each run")
    parser.add_argument("--folder", type=Path, help="where they are written; by default a temporary folder")
    options = parser.parse_args()
    seven = example("03_seven_body_mechanism")
    systems: dict[str, tuple[Callable[[], System], dict[str, Any]]] = {
        "seven bodies": (seven.system, {"stop_time": seven.STOP}),
        "1,000 instances": (lambda: chain(500), {"stop_time": 0.01, "outputs": ["*.theta"]}),
    }
    print(f"{'':18}{'instances':>10}{'ms':>10}{'without disk':>14}{'kB':>10}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name, (make, how) in systems.items():
            whole, size = measure(make, Path(folder), options.count, **how)
            with patch("os.fsync", lambda file: None):
                dry, _ = measure(make, Path(folder), options.count, **how)
            print(f"{name:18}{len(make().instances):>10}{1e3 * whole:>10.2f}{1e3 * dry:>14.2f}{size / 1e3:>10.0f}")


if __name__ == "__main__":
    main()
