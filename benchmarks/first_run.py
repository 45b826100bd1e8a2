"""Measures the waiting time of a new user: processor seconds of a fresh process and its children, less those of the import of System.

Each machine is run with an empty cache, then again with the cache of that run. ``--python`` names the interpreter of an environment in
which a wheel is installed, whose FMUs are put together from compiled libraries.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

IMPORT = "from jourdain import System\n"
PENDULUM = f"""{IMPORT}
pendulum = System("pendulum", gravity=(0.0, -9.81))
pendulum.add("ground", "planar.Fixed")
pendulum.add("rod", "planar.Body1", {{"m": 1.0, "I": 1/12, "p1.rx": -0.5, "x": 0.5}})
pendulum.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
pendulum.simulate(stop_time=2.0)
"""
ROOT = Path(__file__).parents[1]
MACHINES = {
    "pendulum of the README": PENDULUM,
    "four wheels and a body": "from runpy import run_path\nrun_path('examples/30_vehicle.py')['car']().simulate(stop_time=0.1)\n",
    "robot arm with motors": "from runpy import run_path\nrun_path('examples/24_robot_arm.py')['system']().simulate(stop_time=0.1)\n",
    "chain of 100 links in space": "import sys\nsys.path.insert(0, 'benchmarks')\nfrom space import system\nsystem(100).simulate(stop_time=0.1)\n",
}


PACKS = "from fmu_components.export.ready import PACKS; print('wheel' if PACKS.exists() else 'sources')"


def seconds(python: str, program: str, cache: Path) -> float:
    """Returns the processor seconds of a process and of the compilers that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "JOURDAIN_CACHE": str(cache), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    # -P keeps the checkout out of the path, which would hide the packages of a wheel.
    subprocess.run([python, "-P", "-c", program], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def medians(python: str, program: str, repetitions: int) -> tuple[float, float]:
    """Returns the seconds with an empty cache, and with a full one."""
    cold, warm = [], []
    for _ in range(repetitions):
        cache = Path(tempfile.mkdtemp())
        try:
            cold.append(seconds(python, program, cache))
            warm.append(seconds(python, program, cache))
        finally:
            shutil.rmtree(cache)
    return median(cold), median(warm)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5, help="runs of which the median counts (5)")
    parser.add_argument("--only", default="", metavar="PART", help="machines whose names contain PART")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="the interpreter (this one)")
    chosen = parser.parse_args()
    python = chosen.python
    made_from = subprocess.run([python, "-P", "-c", PACKS], check=True, capture_output=True, text=True).stdout.strip()
    seconds(
        python,
        "import fmu_components.export.build, matplotlib.pyplot, jourdain; " + IMPORT,
        Path(tempfile.gettempdir()),
    )  # bytecode is written once
    start = min(medians(python, "", chosen.repetitions))
    imported = min(medians(python, IMPORT, chosen.repetitions)) - start
    print(f"{f'processor seconds, {made_from}':34}{'empty cache':>12}{'full cache':>12}")
    print(f"{'from jourdain import System':34}{imported:12.2f}{imported:12.2f}")
    for name, program in MACHINES.items():
        if chosen.only in name:
            cold, warm = (each - imported - start for each in medians(python, program, chosen.repetitions))
            print(f"{name:34}{cold:12.2f}{warm:12.2f}", flush=True)


if __name__ == "__main__":
    main()
