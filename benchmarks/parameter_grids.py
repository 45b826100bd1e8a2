"""Seconds for linear models over a grid of stiffness and payload, for their fractional representation and for its check."""

from __future__ import annotations

import argparse
import time

import numpy as np
from runs import example


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=20, help="values of each parameter (20)")
    count = parser.parse_args().values
    balloon = example("23_balloon")
    began = time.perf_counter()
    grid = balloon.system().linearise(
        ["slider.force"],
        ["slider.q", "upper.q", "lower.q"],
        along={"slider.k": np.linspace(40, 100, count), "lower.m": np.linspace(2, 4, count)},
        initial=balloon.UPRIGHT,
        **balloon.HELD,
    )
    print(f"{len(grid)} equilibria and models: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    print(f"{grid.to_lfr(checks=10)}: {time.perf_counter() - began:.1f} s")
    for kind in ("linear", "cubic"):
        print(f"{kind} interpolation: error {grid.to_lpv(kind, checks=10).error:.1e} between the nodes")


if __name__ == "__main__":
    main()
