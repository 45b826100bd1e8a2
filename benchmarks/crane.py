"""The hydraulic crane as co-simulation: error and time against the communication step, for every scheme.

Errors are the largest relative ones of length, pressures and force at every 0.1 s, against the same FMUs integrated together at rtol 1e-11:
before the cylinder reaches its end stop, and over all. Times are those of whole runs. A run that stops says when.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from coupling import Scheme

HERE = Path(__file__).parent
SPLITS = {"each alone": (None, None), "mechanics together": ("me", None), "hydraulics together": (None, "me")}
STEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4)
STOP_REACHED = 5.6  # s
SOLVERS = (("cvode", 1e-4), ("cvode", 1e-6), ("cvode", 1e-8), ("cvode", 1e-10), ("dopri5", 1e-4), ("dopri5", 1e-6), ("dopri5", 1e-8))

WAYS = {"FMUs": "fmus", "tape": "tape"}
"""Methods by which derivatives and Jacobians are found."""


def load_example():
    spec = importlib.util.spec_from_file_location("crane_example", HERE.parent / "examples" / "06_hydraulic_crane.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = load_example()


class Coupling(NamedTuple):
    name: str
    degree: int | None = None

    @property
    def options(self) -> dict[str, object]:
        return {"scheme": self.name if self.degree is None else Scheme(self.name, extrapolation=self.degree)}


SCHEMES = [Coupling(name, degree) for name in ("explicit", "gauss-seidel") for degree in (0, 1, 2)]
SCHEMES += [Coupling(name) for name in ("implicit", "implicit-velocity", "implicit-position")]
NAMES = list(dict.fromkeys(scheme.name for scheme in SCHEMES))


class Crane:
    """Runs up to a time, compared with the exact result."""

    def __init__(self, stop: float) -> None:
        self.stop, self.times = stop, np.linspace(0, stop, round(stop / 0.1) + 1)
        self.exact = self.simulate(example.system(), solver="dopri5", rtol=1e-11)

    def simulate(self, system, **options):
        outputs = list(example.WATCHED.values())
        return system.simulate(self.stop, output_times=self.times, outputs=outputs, **options)

    def row(self, system, **options) -> tuple[list[float], float, str]:
        """Returns the errors, first before the end stop, then over all, the seconds, and the outcome of a run that did not complete."""
        system.build("communication_step" in options)
        began = perf_counter()
        result = self.simulate(system, **options)
        seconds = perf_counter() - began
        if not result.outcome.completed:
            return [], seconds, result.outcome.sentence.partition(":")[0]
        found = example.errors(result, self.exact, self.times)
        before = self.times <= STOP_REACHED
        return [*(e[before].max() for e in found.values()), *(e.max() for e in found.values())], seconds, ""


def line(cells: list[str], errors: list[float], seconds: float, ending: str) -> str:
    numbers = [f"{error:.1e}" for error in errors] if errors else [ending] + ["–"] * 7
    return "| " + " | ".join([*cells, *numbers, f"{seconds:.2g}"]) + " |"


def head(*titles: str) -> list[str]:
    columns = [*titles, *(f"{name}, {when}" for when in ("before", "all") for name in ("s", "p1", "p2", "F")), "seconds"]
    return ["| " + " | ".join(columns) + " |", "| " + " | ".join(["---"] * len(columns)) + " |"]


def table(crane: Crane, splits: list[str], steps: list[float], schemes: list[Coupling]) -> Iterator[str]:
    yield from head("split", "scheme", "extrapolation", "step, s")
    for split in splits:
        for scheme in schemes:
            for h in steps:
                cells = [split, scheme.name, "–" if scheme.degree is None else str(scheme.degree), f"{h:g}"]
                yield line(cells, *crane.row(example.system(*SPLITS[split]), communication_step=h, **scheme.options))


def in_one_run(crane: Crane) -> Iterator[str]:
    yield from head("solver", "rtol", "by")
    for solver, rtol in SOLVERS:
        for by, evaluation in WAYS.items():
            crane.row(example.system(), solver=solver, rtol=1e-3, evaluation=evaluation)  # what is made once for all runs
            yield line([solver, f"{rtol:g}", by], *crane.row(example.system(), solver=solver, rtol=rtol, evaluation=evaluation))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stop", type=float, default=example.STOP, help="seconds that are simulated (default 20)")
    parser.add_argument("--splits", nargs="+", choices=list(SPLITS), default=list(SPLITS), help="what is integrated together")
    parser.add_argument("--steps", type=float, nargs="+", default=list(STEPS), help="communication steps in seconds")
    parser.add_argument("--schemes", nargs="+", choices=NAMES, default=NAMES, help="the implicit ones take the longest")
    chosen = parser.parse_args()
    crane = Crane(chosen.stop)
    for row in in_one_run(crane):
        print(row, flush=True)
    print()
    for row in table(crane, chosen.splits, chosen.steps, [scheme for scheme in SCHEMES if scheme.name in chosen.schemes]):
        print(row, flush=True)


if __name__ == "__main__":
    main()
