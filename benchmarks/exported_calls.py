"""Costs of exported mechanisms for an importer in C, and their sizes.

The tables have nanoseconds and instructions of setting states and getting derivatives, and of Co-Simulation. Each mechanism runs with
equations and, if its components can be evaluated instead, without. Instructions are counted by valgrind, if it is installed: they are the
same on every machine, whatever else it does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from zipfile import ZipFile

import chain
import fmpy
from andrews import example

from coupling import System

EVALUATIONS, ROUNDS, RUNS = 2000, 25, 5
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Exported:
    """An unpacked FMU of FMI 2."""

    name: str
    seconds: float
    """Duration of the export in s."""
    packed: int
    library: Path
    guid: str
    states: int

    @property
    def size(self) -> int:
        return self.library.stat().st_size


def exported(system: System, folder: Path, name: str, equations: bool = True, stabilisation: str | None = None) -> Exported:
    path = folder / f"{name}.fmu".replace(" ", "_")
    began = time.perf_counter()
    if equations:
        system.export_fmu(path, platforms=["linux64"], stabilisation=stabilisation)
    else:
        with patch("coupling.export.export.equations_of", return_value=None):
            system.export_fmu(path, platforms=["linux64"], stabilisation=stabilisation)
    seconds = time.perf_counter() - began
    with ZipFile(path) as archive:
        archive.extractall(path.with_suffix(""))
    (library,) = path.with_suffix("").glob("binaries/linux64/*.so")
    description = fmpy.read_model_description(str(path))
    return Exported(name, seconds, path.stat().st_size, library, description.guid, description.numberOfContinuousStates)


def compiled_host(folder: Path) -> Path:
    headers = Path(fmpy.__file__).parent / "c-code"
    subprocess.run(["gcc", "-O2", f"-I{headers}", "-o", folder / "host", HERE / "exported_host.c", "-ldl"], check=True)
    return folder / "host"


@dataclass(frozen=True)
class Host:
    """The program that calls the FMU."""

    program: Path
    step: float
    """Communication step of Co-Simulation in s."""

    def nanoseconds(self, fmu: Exported, evaluations: int = EVALUATIONS, rounds: int = ROUNDS, runs: int = RUNS) -> tuple[float, float]:
        done = subprocess.run(self._command(fmu, evaluations, rounds, runs), check=True, capture_output=True, text=True)
        evaluation, step = map(float, done.stdout.split())
        return evaluation, step

    def instructions(self, fmu: Exported) -> tuple[float, float]:
        """Returns the instructions of an evaluation, and of a step."""
        few, many, stepped = (self._counted(fmu, *each) for each in ((0, 1, 0), (EVALUATIONS, 1, 0), (0, 1, 1)))
        return (many - few) / EVALUATIONS, stepped - few

    def _counted(self, fmu: Exported, *repetitions: int) -> int:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *self._command(fmu, *repetitions)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found, done.stderr
        return int(found[1])

    def _command(self, fmu: Exported, evaluations: int, rounds: int, runs: int) -> list[str]:
        given = (fmu.library, fmu.guid, fmu.states, evaluations, rounds, self.step, 1, runs)
        return [str(self.program), *map(str, given)]


def calls(system: System, step: float) -> Iterator[str]:
    """Yields a table, line by line."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        host = Host(compiled_host(folder), step)
        yield f"{'a host in C, FMI 2':36}{'derivatives, ns':>16}{'instructions':>14}{'step, ms':>10}{'10^6 instr.':>12}{'binary, kB':>12}{'FMU, kB':>9}"
        for stabilisation in ("baumgarte", "projection"):
            found: list[tuple[float, ...]] = []
            for equations in (True, False):
                title = f"{stabilisation}, by {'equations' if equations else 'components'}"
                fmu = exported(system, folder, title.replace(",", ""), equations, stabilisation)
                nanoseconds = host.nanoseconds(fmu)
                counted = host.instructions(fmu) if shutil.which("valgrind") else ()
                found.append((*nanoseconds, *counted))
                numbers = f"{counted[0]:14.0f}" if counted else " " * 14
                steps = f"{counted[1] / 1e6:12.1f}" if counted else " " * 12
                yield f"  {title:34}{nanoseconds[0]:16.0f}{numbers}{nanoseconds[1] / 1e6:10.2f}{steps}{fmu.size / 1e3:12.1f}{fmu.packed / 1e3:9.1f}"
            ratios = [by_components / by_equations for by_equations, by_components in zip(*found, strict=True)]
            evaluation, stepped, *counted_ratios = (f"{ratio:.1f}" for ratio in ratios)
            counts = counted_ratios or ["", ""]
            yield f"  {'times as much by components':34}{evaluation:>16}{counts[0]:>14}{stepped:>10}{counts[1]:>12}"


def chains(bodies: Iterable[int]) -> Iterator[str]:
    """Yields the durations of the export of chains."""
    with TemporaryDirectory() as name:
        for count in bodies:
            fmu = exported(chain.chain(count), Path(name), f"chain_{count}")
            yield f"a chain of {count} bodies exported in {fmu.seconds:.1f} s: {fmu.packed / 1e3:.0f} kB, of which the binary has {fmu.size / 1e3:.0f} kB unpacked"


def table(chain_bodies: Iterable[int]) -> None:
    for line in (*calls(example.system(), example.STOP), *chains(chain_bodies)):
        print(line)
