"""Instructions of typical runs, counted by valgrind: they do not depend on other work of the machine.

``--save figures.json`` keeps them, ``--compare figures.json`` prints the ratios to those of another commit.
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("PYTHONHASHSEED", "0")

import argparse
import ctypes
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
SWITCH = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; }
void end(void) { CALLGRIND_STOP_INSTRUMENTATION; }
"""
"""Source of a library that the measured process calls before and after the counted part."""


def seven_bodies(**options: Any) -> Callable[[], object]:
    from runs import example

    system = example("03_seven_body_mechanism").system()
    return lambda: system.simulate(0.03, rtol=1e-8, **options)


def chain() -> Callable[[], object]:
    from chain import chain as hanging

    system = hanging(100)
    return lambda: system.simulate(0.1, rtol=1e-6)


def crane() -> Callable[[], object]:
    from runs import example

    system = example("06_hydraulic_crane").system()
    return lambda: system.simulate(1.0, solver="cvode")


def cradle() -> Callable[[], object]:
    from runs import example

    system = example("34_newtons_cradle").system()
    return lambda: system.simulate(2.0, rtol=1e-8)


def exported(kind: str, stabilisation: str | None = None) -> Callable[[], object]:
    import fmpy
    from runs import example

    folder = TemporaryDirectory()
    path = (
        example("03_seven_body_mechanism")
        .system()
        .export_fmu(Path(folder.name) / "seven.fmu", platforms=["linux64"], stabilisation=stabilisation)
    )
    unpacked = fmpy.extract(str(path), unzipdir=Path(folder.name) / "unpacked")
    return lambda: (
        folder,
        fmpy.simulate_fmu(unpacked, fmi_type=kind, stop_time=0.01, output_interval=0.001, relative_tolerance=1e-8),
    )


def beside(pendulums: int, low: float) -> Callable[[], Any]:
    """Returns the run of a mass that hits a stop three times, or never where the stop is low, beside pendulums."""
    sys.path.insert(0, str(HERE.parent))
    from tests.support.switched.beside import spring

    system = spring(pendulums, True)
    return lambda: system.simulate(2.0, output_interval=2.0, start_values={"stop.low": low})


STOP, FAR = 0.0, -40.0
IMPACTS = 3
BESIDE = {(n, low): f"{n} pendulums beside {'no impact' if low == FAR else 'impacts'}" for n in (0, 20) for low in (STOP, FAR)}
CASES: dict[str, Callable[[], Callable[[], object]]] = {
    "seven bodies by FMUs": lambda: seven_bodies(evaluation="fmus"),
    "seven bodies by tape": lambda: seven_bodies(evaluation="tape"),
    "seven bodies compiled": lambda: seven_bodies(evaluation="compiled"),
    "seven bodies, cvode, projected": lambda: seven_bodies(solver="cvode", stabilisation="projection"),
    "chain of 100": chain,
    "crane": crane,
    "Newton's cradle": cradle,
    **{name: partial(beside, *case) for case, name in BESIDE.items()},
    "exported seven bodies, FMPy, Model Exchange": lambda: exported("ModelExchange"),
    "exported seven bodies, FMPy, Co-Simulation": lambda: exported("CoSimulation"),
    "projected seven bodies, FMPy, Model Exchange": lambda: exported("ModelExchange", "projection"),
}


def measure(name: str, library: str) -> None:
    """Runs a case twice, and counts the second run, in a separate process under valgrind."""
    switch, run = ctypes.CDLL(library), CASES[name]()
    run()
    switch.begin()
    run()
    switch.end()


def count(name: str, folder: Path) -> int | None:
    """Returns the instructions of a case; none if it fails, as at a commit that cannot run it."""
    out = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", sys.executable, __file__]
    done = subprocess.run([*command, "--measure", name, str(folder / "switch.so")], capture_output=True, text=True, cwd=HERE)
    found = re.search(r"^totals: (\d+)", out.read_text(), re.MULTILINE) if out.exists() else None
    return int(found[1]) if found and not done.returncode else None


def impact(figures: dict[str, int], pendulums: int) -> float:
    """Returns the instructions of an impact less those of the steps, which a run without an impact gives."""
    steps = [beside(pendulums, low)().statistics.steps for low in (STOP, FAR)]
    hits, none = (figures[BESIDE[pendulums, low]] for low in (STOP, FAR))
    return (hits - none * steps[0] / steps[1]) / IMPACTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="cases whose names contain this text (default: all)")
    parser.add_argument("--save", type=Path, help="file for the figures")
    parser.add_argument("--compare", type=Path, help="file with the figures of another commit")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(*arguments.measure)
        return 0
    if not shutil.which("valgrind"):
        print("valgrind is not installed: apt-get install valgrind")
        return 1
    before = json.loads(arguments.compare.read_text()) if arguments.compare else {}
    figures = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "switch.c").write_text(SWITCH)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", folder / "switch.so", folder / "switch.c"], check=True)
        for case in CASES:
            if arguments.only in case:
                counted = count(case, folder)
                if counted is None:
                    print(f"{case:46} failed", flush=True)
                    continue
                figures[case] = counted
                ratio = f"  {counted / before[case]:6.3f}" if case in before else ""
                print(f"{case:46} {counted / 1e6:10.2f} million{ratio}", flush=True)
    if all(name in figures for name in BESIDE.values()):
        alone, more = (impact(figures, n) for n in (0, 20))
        print(f"an impact: {alone / 1e6:.2f} million alone, {more / 1e6:.2f} beside 20 pendulums, {more / alone:.2f} times")
    if arguments.save:
        arguments.save.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
