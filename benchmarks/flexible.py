"""Elastic bodies: the time to build a class from finite elements, an evaluation of its body, and chains of beams against chains of rods.

The body is a tapered brick of 99 nodes with a port of nine nodes at each end, one of which a force drives. The time to build is the processor
time of the class and its FMU, the compiler included, with an empty cache. The time of an evaluation is that of a call of
the kernel from Python. A chain falls from rest for 1 s, by compiled code; both chains run in turns.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.chain import WAYS, chain
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from fmu_components.declare.component import declaration
from fmu_components.export.build import Options, build
from fmu_components.export.slopes import operations_in
from jourdain import System, flexible_body
from tests.support.flexible.meshes import brick

CALLS = 200
BEAM = {"L": 3.0, "A": 1e-3, "I": 1e-6, "E": 1e10, "rho": 1000.0}
"""Parameters of a beam as long as three rods, with their mass per length; EI is 1e4."""


def processor_seconds() -> float:
    """Returns the processor time of this process and of all that it has waited for."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def built(shapes: int) -> tuple[System, int, float]:
    """Returns a system of one body, the operations in its equations, and the processor seconds for its class and FMU."""
    K, M, nodes = brick()
    ends = {"a": list(range(9)), "b": list(range(90, 99))}
    began = processor_seconds()
    body = flexible_body(K, M, nodes, ends, name=f"Brick{shapes}", basis="free", shapes=shapes)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, JOURDAIN_CACHE=folder):
        list(build([body], Path(folder), Options((3,))))
    seconds = processor_seconds() - began
    system = System(f"brick of {shapes} shapes")
    system.add("brick", body)
    system.add("force", "spatial.Wrench", {"Fy": 1.0})
    system.connect("force.M", "brick.b")
    return system, operations_in(v.equation for v in declaration(body).order if v.equation is not None), seconds


@contextmanager
def calls(system: System, evaluation: str) -> Iterator[Callable[[], float]]:
    """Starts a system, and gives the function that returns the processor seconds of a call from Python, which evaluates it at a new state."""
    program = system.build(communication=False)
    run = Run(stop_time=0.01, rtol=1e-6, output_times=[0.01], evaluation=evaluation)
    with start(compile_program(program, run.outputs), Running(run=run)) as session:
        begin_fused(session)
        x, dx = session.x + 1e-3 * np.random.default_rng(1).standard_normal(program.states), np.zeros(program.states)

        def seconds() -> float:
            began = time.process_time()
            for _ in range(CALLS):
                np.add(x, 1e-9, out=x)
                session.kernel.derivatives(0.0, x, dx)
            return (time.process_time() - began) / CALLS

        yield seconds


def evaluation_seconds(system: System, evaluation: str, repetitions: int) -> float:
    """Returns the least processor seconds of one evaluation, with the call from Python."""
    with calls(system, evaluation) as seconds:
        return min(seconds() for _ in range(repetitions))


def run_seconds(system: System, repetitions: int) -> float:
    """Returns the least processor seconds of one evaluation of compiled code within a run, with those of the solver and without its start."""
    least, evaluations = {}, {}
    for stop in (0.01, 0.1):
        for _ in range(repetitions + 1):  # the first run compiles
            began = time.process_time()
            run = system.simulate(
                stop, solver="dopri5", max_step=2e-5, rtol=1e-2, atol=1.0, evaluation="compiled", outputs=[], output_times=[stop]
            )
            least[stop] = min(least.get(stop, np.inf), time.process_time() - began)
            evaluations[stop] = run.statistics.evaluations
    (short, long), (few, many) = least.values(), evaluations.values()
    return (long - short) / (many - few)


def beams(count: int) -> System:
    """Returns a horizontal chain of elastic beams that hangs at its first end."""
    system = System(f"chain of {count} beams")
    system.add("ground", "planar.Fixed")
    before = "ground.p1"
    for i in range(count):
        system.add(f"beam{i}", "planar.Beam2", {**BEAM, "x": BEAM["L"] * (i + 0.5)})
        system.join("planar.Revolute", before, f"beam{i}.p1", name=f"pin{i}")
        before = f"beam{i}.p2"
    return system


def fall_seconds(systems: list[System], repetitions: int) -> list[float]:
    """Returns the least processor seconds that each system takes to fall for 1 s."""
    least = [np.inf] * len(systems)
    for repetition in range(repetitions + 1):
        for i, system in enumerate(systems):
            began = time.process_time()
            system.simulate(
                1.0, solver="dopri5", rtol=1e-8, evaluation="compiled", initial="assemble", outputs=["ground.*"], output_times=[1.0]
            )
            if repetition:  # the first run compiles
                least[i] = min(least[i], time.process_time() - began)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shapes", type=int, nargs="+", default=[5, 20], help="of the brick (default 5 20)")
    parser.add_argument("--repetitions", type=int, default=15, help="of which the least counts (default 15)")
    parser.add_argument("--beams", type=int, default=10, help="number in the chain, against three times as many rods (default 10)")
    options = parser.parse_args()
    print(f"{'shapes':>6}{'operations':>12}{'build, s':>10}" + "".join(f"{f'{way}, us':>14}" for way in WAYS) + f"{'in a run, us':>14}")
    for shapes in options.shapes:
        system, operations, seconds = built(shapes)
        each = (1e6 * evaluation_seconds(system, evaluation, 20 * options.repetitions) for evaluation in WAYS.values())
        print(f"{shapes:6}{operations:12}{seconds:10.1f}" + "".join(f"{microseconds:14.2f}" for microseconds in each), end="", flush=True)
        print(f"{1e6 * run_seconds(system, options.repetitions):14.2f}", flush=True)
    point = System("point mass")
    point.add("point", "spatial.PointMass1", {"vx": 1.0})
    print(f"a point mass in a run, us {1e6 * run_seconds(point, options.repetitions):.3f}", flush=True)
    elastic, rigid = fall_seconds([beams(options.beams), chain(3 * options.beams)], options.repetitions)
    print(
        f"chain of {options.beams} beams {1e3 * elastic:.1f} ms, of {3 * options.beams} rods {1e3 * rigid:.1f} ms, ratio {elastic / rigid:.2f}"
    )


if __name__ == "__main__":
    main()
