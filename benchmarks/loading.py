"""Time until many instances of one FMU are ready to run: read, added, built, instantiated, initialised.

Times are in milliseconds, the least of several systems except for reading, which happens once in a process. The goal is 1000 instances
within 300 ms.
"""

from __future__ import annotations

import argparse
from time import perf_counter

from coupling import System
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu


def milliseconds(action, *arguments, **options) -> float:
    began = perf_counter()
    action(*arguments, **options)
    return 1e3 * (perf_counter() - began)


def read(path) -> None:
    """Reads an FMU, which is done once: its description is parsed, its files are unpacked, and its binary is loaded."""
    system = System()
    system.add("only", path)
    system.build()


def measure(path, instances: int) -> dict[str, float]:
    """Measures one system of so many instances that are not connected."""
    system = System()

    def add() -> None:
        for i in range(instances):
            system.add(f"body{i}", path, {"x": float(i)})

    return {
        "add": milliseconds(add),
        "build": milliseconds(system.build),
        "start, all variables recorded": 1e3 * system.simulate(0.0).statistics.seconds_preparing,
        "start, one recorded": 1e3 * system.simulate(0.0, outputs="body0.x").statistics.seconds_preparing,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--repetitions", type=int, default=5)
    chosen = parser.parse_args()
    path = cached_fmu(find("planar.Body1"), 3)
    rows = {"read": milliseconds(read, path)}
    runs = [measure(path, chosen.instances) for _ in range(chosen.repetitions)]
    rows |= {step: min(run[step] for run in runs) for step in runs[0]}
    rows["all, without the last"] = sum(rows.values()) - rows["start, one recorded"]
    print(f"{chosen.instances} instances of planar.Body1")
    for step, time in rows.items():
        print(f"{step:32} {time:8.1f} ms")


if __name__ == "__main__":
    main()
