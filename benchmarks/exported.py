"""The seven-body mechanism exported as one FMU, run by FMPy, against its 23 FMUs in the master.

In Co-Simulation the FMU integrates itself from one of 50 points to the next, by Dormand and Prince's method as the master does. In Model
Exchange FMPy and the master integrate by CVODE, the master with the exact Jacobian. The tolerance is 1e-11, and the angles are recorded at
the same points. Runs are interleaved, and times are medians. Those of FMPy include the initialisation; those of the master begin after it.
Then a host in C calls the FMU, with its equations and without, and chains are exported: see exported_calls.py.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

import exported_calls
import fmpy
import numpy as np
from andrews import error, example
from fmpy.simulation import instantiate_fmu

from coupling import System

TOLERANCE, POINTS = 1e-11, 50
ASKED = {"ModelExchange": TOLERANCE, "CoSimulation": 1e-9}  # in Co-Simulation an FMU keeps a hundredth of what it is asked for
TIMES = np.linspace(0.0, example.STOP, POINTS + 1)
LINKS = [f"{link}.theta" for link in example.POINTS]
KINDS = {"Co-Simulation, Dormand and Prince": ("CoSimulation", "dopri5"), "Model Exchange, CVODE": ("ModelExchange", "cvode")}


@dataclass
class Row:
    name: str
    run: Callable[[], tuple[float, float, int | None]]
    """Function that returns seconds, largest error of an angle, and evaluations if they are known."""
    seconds: list[float] = field(default_factory=list)
    error: float = 0.0
    evaluations: int | None = None

    def measure(self) -> None:
        seconds, self.error, evaluations = self.run()
        self.evaluations = evaluations or self.evaluations
        self.seconds.append(seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Exported:
    """An instance of the FMU in FMPy, which starts anew for every run."""

    def __init__(self, folder: str, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.description = fmpy.read_model_description(folder)
        self.fmu = instantiate_fmu(folder, self.description, kind)
        self.evaluations = self._count() if kind == "ModelExchange" else None

    def _simulate(self, fmu: Any) -> np.ndarray:
        return fmpy.simulate_fmu(
            self.folder,
            validate=False,
            fmi_type=self.kind,
            stop_time=example.STOP,
            output_interval=TIMES[1],
            relative_tolerance=ASKED[self.kind],
            output=LINKS,
            record_events=False,
            model_description=self.description,
            fmu_instance=fmu,
        )

    def _count(self) -> int:
        """Returns the number of calls for derivatives in Model Exchange, from a log of all calls."""
        calls: list[str] = []
        fmu = instantiate_fmu(self.folder, self.description, self.kind, fmi_call_logger=calls.append)
        self._simulate(fmu)
        fmu.freeInstance()
        return sum("GetDerivatives" in call or "GetContinuousStateDerivatives" in call for call in calls)

    def run(self) -> tuple[float, float, int | None]:
        began = time.perf_counter()
        result = self._simulate(self.fmu)
        seconds = time.perf_counter() - began
        self.fmu.reset()
        return seconds, _error([result[name][-1] for name in LINKS]), self.evaluations


def coupled(system: System, solver: str) -> tuple[float, float, int]:
    result = system.simulate(example.STOP, solver=solver, rtol=TOLERANCE, outputs=LINKS, output_times=TIMES)
    assert result.outcome.completed, result.outcome.sentence
    return result.statistics.seconds_running, _error([result[name][-1] for name in LINKS]), result.statistics.evaluations


def _error(link: list[float]) -> float:
    return error([link[0], link[1] - link[0], link[2], link[3] - link[4], link[4], link[5] - link[6], link[6]])


def table(repetitions: int, fmi: int) -> None:
    system = example.system()
    with ExitStack() as stack:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "seven_bodies.fmu"
        began = time.perf_counter()
        system.export_fmu(path, fmi=fmi)
        print(f"exported for FMI {fmi} in {time.perf_counter() - began:.1f} s, {path.stat().st_size // 1024} KB")
        folder = fmpy.extract(str(path))
        stack.callback(rmtree, folder, ignore_errors=True)
        groups = {}
        for title, (kind, solver) in KINDS.items():
            exported = Exported(folder, kind)
            stack.callback(exported.fmu.freeInstance)
            groups[title] = [Row("exported, in FMPy", exported.run), Row("23 FMUs in the master", lambda s=solver: coupled(system, s))]
        for _ in range(repetitions):
            for rows in groups.values():
                for row in rows:
                    row.measure()
    print(f"{f'medians of {repetitions}':36}{'evaluations':>12}{'error, rad':>12}{'ms':>9}{'ratio':>9}")
    for title, rows in groups.items():
        print(title)
        for row in rows:
            ratio = f"{row.median / rows[-1].median:9.2f}" if row is rows[0] else ""
            print(f"  {row.name:34}{row.evaluations or '':12}{row.error:12.1e}{1e3 * row.median:9.2f}{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=15, help="how often each is run (default 15)")
    parser.add_argument("--fmi", type=int, default=2, choices=(2, 3), help="version of FMI (default 2)")
    parser.add_argument("--chains", type=int, nargs="*", default=[100, 1000], help="bodies of chains that are exported (default 100 1000)")
    options = parser.parse_args()
    table(options.repetitions, options.fmi)
    exported_calls.table(options.chains)


if __name__ == "__main__":
    main()
