"""Tables: the cost of an evaluation against that of a polynomial of degree 5, and the error of runs over the corners of a linear table.

Costs are processor times of one process, in which both sides take turns: as bare C functions, and as a component that the kernel
evaluates in a run. The oscillator for corners has a spring of nine points; its exact motion comes from a run with steps of 20 us.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from fmu_components.export.compile import FLAGS, RUNTIME
from jourdain import Component, System

POLYNOMIAL = (1.0, -0.5, 0.25, 0.125, -0.2, 0.07)
_C = """#include "lookup.h"
#define EXPORT __attribute__((visibility("default")))
EXPORT double polynomial(int count, const double *x, const double *c, unsigned n, const double *X, const double *Y)
{{
    double sum = 0;
    (void)n, (void)X, (void)Y;
    for (int i = 0; i < count; i++)
        sum += c[0] + x[i] * (c[1] + x[i] * (c[2] + x[i] * (c[3] + x[i] * (c[4] + x[i] * c[5]))));
    return sum;
}}
"""
_TABLE = """EXPORT double {name}_table(int count, const double *x, const double *c, unsigned n, const double *X, const double *Y)
{{
    double sum = 0;
    (void)c;
    for (int i = 0; i < count; i++)
        sum += curve(0, {kind}, x[i], n, X, Y);
    return sum;
}}
"""
KINDS = {"linear": 0, "cubic": 1}


def bare(points: int, uniform: bool, repetitions: int) -> dict[str, float]:
    """Returns the cost of a table as a C function, by its kind, in that of the polynomial."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "tables.c", Path(folder) / "tables.so"
        source.write_text(_C.format() + "".join(_TABLE.format(name=name, kind=kind) for name, kind in KINDS.items()))
        subprocess.run(["gcc", *FLAGS, "-shared", f"-I{RUNTIME}", "-o", made, source, "-lm"], check=True)
        library = ctypes.CDLL(str(made))
    random = np.random.default_rng(1)
    X = np.linspace(-1, 1, points) if uniform else np.sort(random.uniform(-1, 1, points))
    x, c = random.uniform(-1, 1, 200_000), np.array(POLYNOMIAL)
    Y = np.sin(X)
    arguments = (
        len(x),
        *(each.ctypes.data_as(ctypes.c_void_p) for each in (x, c)),
        points,
        *(each.ctypes.data_as(ctypes.c_void_p) for each in (X, Y)),
    )
    return ratios(
        {name: lambda name=name: library[name if name == "polynomial" else f"{name}_table"](*arguments) for name in ("polynomial", *KINDS)},
        repetitions,
    )


def ratios(calls: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Returns the processor times in that of the first call; the calls take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repetitions + 1):
        for name, call in calls.items():
            began = time.process_time()
            call()
            seconds[name].append(time.process_time() - began)
    reference, *others = calls
    return {name: median(seconds[name][1:]) / median(seconds[reference][1:]) for name in others}


def component(kind: str, points: int, uniform: bool) -> type[Component]:
    """Returns an oscillator whose force is a table, or the polynomial."""
    X = np.linspace(-1, 1, points) if uniform else np.sort(np.random.default_rng(1).uniform(-1, 1, points))

    class Oscillator(Component):
        """Mass on a spring whose force is a function of its place."""

        def declare(self) -> None:
            m = self.parameter("m", 1.0, "", "mass", above=0)
            T = self.parameter("T", 1.0, "s", "time", above=0)
            x, v = self.state("x", 0.7, "", "place"), self.state("v", 0.0, "", "velocity")
            if kind == "polynomial":
                c = [self.parameter(f"c[{k}]", value, "", "coefficient") for k, value in enumerate(POLYNOMIAL)]
                force = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))
            else:
                force = self.table("force", (X, np.polynomial.Polynomial(POLYNOMIAL)(X)), ("", ""), "force", kind=kind)(x)
            self.rate(x, v / T)
            self.rate(v, -force / m / T)

    return Oscillator


def in_runs(points: int, uniform: bool, evaluation: str, repetitions: int) -> dict[str, float]:
    """Returns the cost of a run of 20,000 steps with a table, in that with the polynomial."""
    systems = {}
    for kind in ("polynomial", *KINDS):
        systems[kind] = System(kind)
        systems[kind].add("mass", component(kind, points, uniform))
    steps = {"rtol": 1e-2, "atol": 1e-2, "max_step": 1e-4, "output_times": [2.0], "evaluation": evaluation, "max_steps": 10**6}
    return ratios({kind: lambda system=system: system.simulate(2.0, **steps) for kind, system in systems.items()}, repetitions)


def oscillator(corners: bool) -> type[Component]:
    """Returns an oscillator on a spring of nine points, with an event at each of them or with none."""
    X = np.linspace(-1, 1, 9)

    class Spring(Component):
        """Mass on a spring by a table."""

        def declare(self) -> None:
            x, v = self.state("x", 0.9, "m", "place"), self.state("v", 0.0, "m/s", "velocity")
            force = self.table("force", (X, np.sin(1.5 * X) * 100 + 20 * X**2), ("m", "N"), "force")
            self.rate(x, v)
            self.rate(v, -force(x) / self.parameter("m", 1.0, "kg", "mass", above=0))
            for number, node in enumerate(X if corners else ()):
                self.relation(f"beyond[{number}]", x - self.parameter(f"node[{number}]", float(node), "m", "place"), "beyond a point")

    return Spring


def over_corners(solvers: Sequence[str], tolerances: Sequence[float]) -> None:
    """Prints errors and evaluations of runs over corners."""
    systems = {}
    for corners in (False, True):
        systems[corners] = System("corners")
        systems[corners].add("mass", oscillator(corners))
    exact = systems[False].simulate(2.0, solver="dop853", rtol=1e-13, atol=1e-13, max_step=2e-5, output_times=[2.0], max_steps=10**6)[
        "mass.x"
    ][-1]
    print(f"{'solver':8} {'tolerance':>9} {'error':>8} {'evaluations':>11} {'with events':>11} {'evaluations':>11}")
    for solver in solvers:
        for rtol in tolerances:
            runs = [systems[corners].simulate(2.0, solver=solver, rtol=rtol, atol=rtol, output_times=[2.0]) for corners in (False, True)]
            (error, count), (other, more) = ((abs(run["mass.x"][-1] - exact), run.statistics.evaluations) for run in runs)
            print(f"{solver:8} {rtol:9.0e} {error:8.1e} {count:11d} {other:11.1e} {more:11d}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7, help="measurements of which the median counts (default: 7)")
    parser.add_argument("--points", type=int, nargs="+", default=[16, 1000], help="sizes of tables (default: 16 and 1000)")
    chosen = parser.parse_args()
    print(f"{'way':10} {'points':>6} {'nodes':8} {'linear':>8} {'cubic':>8}")
    for points in chosen.points:
        for uniform in (True, False):
            rows = {"function": bare(points, uniform, chosen.repetitions)}
            rows |= {way: in_runs(points, uniform, way, chosen.repetitions) for way in ("fmus", "tape", "compiled")}
            for way, row in rows.items():
                print(f"{way:10} {points:6d} {'uniform' if uniform else 'random':8} {row['linear']:8.2f} {row['cubic']:8.2f}")
    over_corners(("dopri5", "dop853", "cvode"), (1e-6, 1e-8, 1e-9, 1e-10))


if __name__ == "__main__":
    main()
