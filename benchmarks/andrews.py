"""The seven-body mechanism as 23 coupled FMUs against one C function written for it alone, and against Exudyn.

All are run side by side, in turns, and the tables have medians. The first table has integration alone. In a turn each row makes three runs,
one after the other, those of FMUs on a system that is built already; their median counts. The same FMUs in Co-Simulation, by the implicit
schemes, are measured by processor time. The C function is compiled twice: as a dense L D L^T solves its 20 multipliers, and skipping the
zeros of that matrix. It runs under the same Dormand-Prince code as the FMUs, whose equations a tape evaluates as well. A second table has
whole calls of ``simulate`` on a system that has run before. Exudyn integrates implicitly, and is compared at an error of about 1e-5.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from coupling import System
from coupling.kernel.runs.tableau import Tableau
from coupling.solvers import dop853, dopri5

HERE = Path(__file__).parent
METHODS = {"dopri5": dopri5.METHOD, "dop853": dop853.METHOD}
CASES = (("dopri5", 1e-6), ("dopri5", 1e-9), ("dop853", 1e-9))
WAYS = {"coupled FMUs": "fmus", "tape": "tape", "compiled": "compiled"}
SCHEMES = ("implicit", "implicit-velocity", "implicit-position")
COMMUNICATION_STEP = 1e-5
RUNS = 3  # of each in a turn
EXUDYN_STEPS = 6700  # of the trapezoidal rule, for an error of 1e-5
EXUDYN_TOLERANCE = 3e-7  # of dopri5, for the same


def module(path: Path):
    """Imports a file as a module, whatever its name begins with."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


example = module(HERE.parent / "examples" / "03_seven_body_mechanism.py")


@dataclass
class Row:
    name: str
    run: Callable[[], tuple[float, float, int]]
    """Function that returns seconds, largest error of an angle, and evaluations."""
    seconds: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    """The seconds of the calls."""
    error: float = 0.0
    evaluations: int = 0

    def measure(self, runs: int = RUNS) -> None:
        """Measures one turn."""
        seconds, whole = [], []
        for _ in range(runs):
            began = time.perf_counter()
            spent, self.error, self.evaluations = self.run()
            whole.append(time.perf_counter() - began)
            seconds.append(spent)
        self.whole.append(statistics.median(whole))
        self.seconds.append(statistics.median(seconds))

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def error(angles: dict[str, float] | list[float]) -> float:
    """Returns the greatest error against the reference digits, in their order."""
    values = angles.values() if isinstance(angles, dict) else angles
    return max(abs(a - b) for a, b in zip(values, example.REFERENCE.values(), strict=True))


def monolith(folder: Path, flags: list[str]) -> Callable[[Tableau, float], tuple[float, float, int]]:
    """Compiles the C function under the kernel's Runge-Kutta code, and returns a function that runs it."""
    library = folder / f"monolith{len(flags)}.so"
    kernel = HERE.parent / "coupling" / "kernel"
    # The function with the flags of the FMUs, the integrator with those of the kernel.
    common = ["gcc", "-std=c11", "-fno-math-errno", "-fPIC", f"-I{kernel}"]
    function = folder / f"function{len(flags)}.o"
    subprocess.run([*common, "-O2", *flags, "-c", HERE / "andrews_monolith.c", "-o", function], check=True)
    integrator = [kernel / "runs" / "runge_kutta.c", kernel / "platform" / "lanes.c"]
    subprocess.run([*common, "-O3", "-shared", "-o", library, function, *integrator, "-lm"], check=True)
    andrews = ctypes.CDLL(str(library)).andrews_run
    andrews.restype = ctypes.c_double

    def run(method: Tableau, tolerance: float) -> tuple[float, float, int]:
        angles, evaluations = (ctypes.c_double * 7)(), ctypes.c_long()
        seconds = andrews(ctypes.byref(method.structure), ctypes.c_double(tolerance), 1, angles, ctypes.byref(evaluations))
        return seconds, error(list(angles)), evaluations.value

    return run


def coupled(
    system: System, solver: str, tolerance: float, stabilisation: str = "projection", evaluation: str = "fmus"
) -> tuple[float, float, int]:
    """Runs the FMUs; returns the seconds from the first evaluation to the last, as for the others, the error and the evaluations."""
    options = {"solver": solver, "rtol": tolerance, "atol": tolerance, "stabilisation": stabilisation, "evaluation": evaluation}
    result = system.simulate(example.STOP, outputs=["link*.theta"], output_times=[example.STOP], **options)
    taken = result.statistics
    return taken.seconds_running, error({name: values[-1] for name, values in example.angles(result).items()}), taken.evaluations


def exudyn(steps: int) -> tuple[float, float, int]:
    """Runs the same mechanism in Exudyn; returns seconds, error and steps."""
    seconds, angles = module(HERE / "andrews_exudyn.py").run(steps)
    return seconds, error(list(angles)), steps


def stepped(system: System, scheme: str) -> tuple[float, float, int]:
    """Runs the FMUs in Co-Simulation; returns seconds, error and passes."""
    began = time.process_time()
    result = system.simulate(
        example.STOP, communication_step=COMMUNICATION_STEP, scheme=scheme, outputs=["link*.theta"], output_times=[example.STOP]
    )
    seconds = time.process_time() - began
    return seconds, error({name: values[-1] for name, values in example.angles(result).items()}), result.statistics.passes


def co_simulation(repetitions: int) -> None:
    system = example.system()
    rows = [Row(scheme, lambda s=scheme: stepped(system, s)) for scheme in SCHEMES]
    for _ in range(repetitions):
        for row in rows:
            row.measure(1)
    steps = round(example.STOP / COMMUNICATION_STEP)
    print(f"{f'Co-Simulation, {steps} steps':32}{'passes':>12}{'error, rad':>12}{'ms':>9}{'us each':>9}")
    for row in rows:
        print(f"  {row.name:30}{row.evaluations:12}{row.error:12.1e}{1e3 * row.median:9.2f}{1e6 * row.median / row.evaluations:9.2f}")


def table(repetitions: int, with_exudyn: bool, exudyn_steps: int) -> None:
    system = example.system()
    with tempfile.TemporaryDirectory() as scratch:
        dense, sparse = monolith(Path(scratch), ["-DDENSE"]), monolith(Path(scratch), [])
        groups = [
            [
                Row("one C function, dense", lambda s=solver, t=tolerance: dense(METHODS[s], t)),
                Row("one C function, zeros skipped", lambda s=solver, t=tolerance: sparse(METHODS[s], t)),
                *(
                    Row(f"{name}, {'Baumgarte' if held == 'baumgarte' else held}", partial(coupled, system, solver, tolerance, held, way))
                    for name, way in WAYS.items()
                    for held in ("baumgarte", "projection")
                ),
            ]
            for solver, tolerance in CASES
        ]
        for _ in range(repetitions):
            for rows in groups:
                for row in rows:
                    row.measure()
        print(f"{'':32}{'evaluations':>12}{'error, rad':>12}{'ms':>9}{'us each':>9}   time against the C function: dense, zeros skipped")
        for (solver, tolerance), rows in zip(CASES, groups, strict=True):
            print(f"{solver}, tolerance {tolerance:g}")
            for row in rows:
                ratios = "".join(f"{row.median / other.median:9.2f}" for other in rows[:2]) if row in rows[2:] else ""
                print(
                    f"  {row.name:30}{row.evaluations:12}{row.error:12.1e}{1e3 * row.median:9.2f}"
                    f"{1e6 * row.median / row.evaluations:9.2f}   {ratios}"
                )
        print(f"{'whole calls of simulate':32}{'ms':>9}   time against the C function: dense, zeros skipped")
        for (solver, tolerance), rows in zip(CASES, groups, strict=True):
            print(f"{solver}, tolerance {tolerance:g}")
            for row in rows[2:]:
                whole = statistics.median(row.whole)
                print(f"  {row.name:30}{1e3 * whole:9.2f}   {''.join(f'{whole / other.median:9.2f}' for other in rows[:2])}")
        co_simulation(max(1, repetitions // 3))
        if with_exudyn:
            ours = Row("coupled FMUs, dopri5", lambda: coupled(system, "dopri5", EXUDYN_TOLERANCE))
            theirs = Row(f"Exudyn, {exudyn_steps} steps", lambda: exudyn(exudyn_steps))
            for _ in range(max(1, repetitions // 3)):
                ours.measure(1)
                theirs.measure(1)
            print("the same error as Exudyn")
            for row in (ours, theirs):
                print(f"  {row.name:30}{row.evaluations:12}{row.error:12.1e}{1e3 * row.median:9.2f}")
            print(f"  Exudyn / coupled FMUs {theirs.median / ours.median:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=15, help="how often each is run (default 15)")
    parser.add_argument("--exudyn-steps", type=int, default=EXUDYN_STEPS, help=f"steps of Exudyn (default {EXUDYN_STEPS})")
    parser.add_argument("--no-exudyn", action="store_true", help="leave Exudyn out")
    options = parser.parse_args()
    table(options.repetitions, not options.no_exudyn, options.exudyn_steps)


if __name__ == "__main__":
    main()
