"""Masters of Co-Simulation side by side: the cost of a communication step in each, for every instance of a chain.

The chain consists of copies of one FMU (masters_fmu.c), whose own step takes a few nanoseconds. Each passes some of its outputs to the
next. All masters take the same steps of fixed size in the order of Jacobi. At a communication point all outputs are passed on; then all
instances step, their inputs held. The final outputs of all instances are compared with the same recurrence in NumPy.

Times are those of the steps alone, medians of repetitions in turns, without recording and without logging. One step before them and one
after them are not timed: libcosim initialises in its first step, and its values are known only after an observed step.

- direct calls: a C loop over fmi2GetReal, fmi2SetReal and fmi2DoStep, which is the limit (masters_limit.c)
- ecos: ``EcosSimulation.step(n)``
- libcosim: ``CosimExecution.step(n)``, with its algorithm of fixed steps
- FMPy: ``getReal``, ``setReal`` and ``doStep`` of ``FMU2Slave``, in loops in Python
- Jourdain: ``System.simulate``, the time that it reports for the run, of all steps in proportion

Each master runs in a separate process, on one processor. ecos and libcosim share the work between as many threads as there are processors,
which their Python interfaces cannot change. Therefore they run twice: with one processor, and with all.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import math
import os
import statistics
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from coupling import Scheme

HERE = Path(__file__).parent
RATES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.25)  # of the lags, 1/s; each is a channel: an input and an output
CHANNELS = len(RATES)
STEP = 2.0**-7  # seconds; all masters have the same times, also libcosim, which counts nanoseconds
TOKEN = "{6a3a2f0c-6f0e-4d5c-8d4b-0c7c2b9a51e7}"
TOLERANCE = 1e-12  # of the final outputs, relative to the largest
SCHEME = "explicit"  # what Jourdain calls held inputs in the order of Jacobi


@dataclass(frozen=True)
class Chain:
    """Instances ``f0``, ``f1`` ..., of which each passes its first outputs to the first inputs of the next."""

    folder: Path
    instances: int
    connections: int
    steps: int
    """Number of steps that are timed."""

    @property
    def all_steps(self) -> int:
        return self.steps + 2

    @property
    def fmu(self) -> Path:
        return self.folder / "Link.fmu"

    def links(self) -> Iterator[tuple[int, int, int]]:
        """Returns every connection: the instances on both sides, and the channel."""
        return ((i, i + 1, k) for i in range(self.instances - 1) for k in range(self.connections))

    def start_values(self, i: int) -> dict[str, float]:
        """Returns the start values of an instance: outputs, and inputs without a connection. All differ, and a wrong connection shows."""
        held = range(self.connections if i else 0, CHANNELS)
        return {input_name(k): math.cos(i + 2 * k) for k in held} | {output_name(k): math.sin(1 + i + 3 * k) for k in range(CHANNELS)}

    def start(self, name: Callable[[int], str]) -> np.ndarray:
        """Returns the start values of all inputs or of all outputs, one row for each instance."""
        return np.array([[self.start_values(i).get(name(k), 0.0) for k in range(CHANNELS)] for i in range(self.instances)])

    def final_outputs(self) -> np.ndarray:
        """Returns the outputs that the masters have to compute."""
        u, y = self.start(input_name), self.start(output_name)
        for _ in range(self.all_steps):
            u[1:, : self.connections] = y[:-1, : self.connections]
            y += STEP * np.array(RATES) * (u - y)
        return y


def input_name(channel: int) -> str:
    return f"u{channel + 1}"


def output_name(channel: int) -> str:
    return f"y{channel + 1}"


def reference(name: str) -> int:
    """Returns the value reference of a variable: inputs come before outputs."""
    return int(name[1:]) - 1 + (CHANNELS if name[0] == "y" else 0)


INPUTS = [input_name(k) for k in range(CHANNELS)]
OUTPUTS = [output_name(k) for k in range(CHANNELS)]

# -- masters: each takes a chain, and returns the seconds of its steps and the final outputs ---------------------------------


def limit(chain: Chain) -> tuple[float, np.ndarray]:
    run = ctypes.CDLL(str(chain.folder / "limit.so")).run_chain
    run.restype = ctypes.c_double
    doubles = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")
    run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_double, doubles, doubles]
    outputs = chain.start(output_name)
    library = str(binary(chain.folder)).encode()
    seconds = run(library, chain.instances, chain.connections, chain.steps, STEP, chain.start(input_name), outputs)
    assert seconds >= 0, "a function of the FMU has failed"
    return seconds, outputs


def ecos(chain: Chain) -> tuple[float, np.ndarray]:
    # Its library needs that of TBB, which a wheel puts where the loader does not look.
    tbb = next(file for file in importlib.metadata.files("tbb") or () if file.name == "libtbb.so.12")
    ctypes.CDLL(str(tbb.locate()), ctypes.RTLD_GLOBAL)
    from ecospy import EcosLib, EcosSimulation, EcosSimulationStructure

    EcosLib.set_log_level("warn")
    with EcosSimulationStructure() as structure:
        for i in range(chain.instances):
            structure.add_model(f"f{i}", chain.fmu)
        start = {f"f{i}::{name}": value for i in range(chain.instances) for name, value in chain.start_values(i).items()}
        structure.add_parameter_set("start", start)
        for before, behind, k in chain.links():
            structure.make_real_connection(f"f{before}::{output_name(k)}", f"f{behind}::{input_name(k)}")
        with EcosSimulation(structure=structure, step_size=STEP) as simulation:
            assert simulation.init(parameter_set="start"), EcosLib.get_last_error()
            simulation.step()
            began = time.perf_counter()
            simulation.step(chain.steps)
            seconds = time.perf_counter() - began
            simulation.step()
            outputs = [[simulation.get_real(f"f{i}::{name}") for name in OUTPUTS] for i in range(chain.instances)]
            simulation.terminate()
    return seconds, np.array(outputs)


def libcosim(chain: Chain) -> tuple[float, np.ndarray]:
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(round(1e9 * STEP))
    slaves = [CosimLocalSlave(str(chain.fmu), f"f{i}") for i in range(chain.instances)]
    number = [execution.add_local_slave(slave) for slave in slaves]
    for i in range(chain.instances):
        for name, value in chain.start_values(i).items():
            assert execution.real_initial_value(number[i], reference(name), value)
    for before, behind, k in chain.links():
        execution.connect_real_variables(number[before], reference(output_name(k)), number[behind], reference(input_name(k)))
    assert execution.step()
    began = time.perf_counter()
    assert execution.step(chain.steps)
    seconds = time.perf_counter() - began
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer)
    assert execution.step()
    return seconds, np.array([observer.last_real_values(i, [reference(name) for name in OUTPUTS]) for i in number])


def fmpy(chain: Chain) -> tuple[float, np.ndarray]:
    from fmpy.fmi2 import FMU2Slave

    links = [
        FMU2Slave(guid=TOKEN, unzipDirectory=str(chain.folder / "Link"), modelIdentifier="Link", instanceName=f"f{i}")
        for i in range(chain.instances)
    ]
    for i, link in enumerate(links):
        start = chain.start_values(i)
        link.instantiate()
        link.setupExperiment(startTime=0.0)
        link.enterInitializationMode()
        link.setReal([reference(name) for name in start], list(start.values()))
        link.exitInitializationMode()
    given = [reference(name) for name in OUTPUTS[: chain.connections]]
    taken = [reference(name) for name in INPUTS[: chain.connections]]

    def step(n: int) -> None:
        values = [link.getReal(given) for link in links[:-1]]
        for link, value in zip(links[1:], values, strict=True):
            link.setReal(taken, value)
        for link in links:
            link.doStep(n * STEP, STEP)

    step(0)
    began = time.perf_counter()
    for n in range(1, chain.steps + 1):
        step(n)
    seconds = time.perf_counter() - began
    step(chain.steps + 1)
    outputs = np.array([link.getReal([reference(name) for name in OUTPUTS]) for link in links])
    for link in links:
        link.terminate()
        link.freeInstance()
    return seconds, outputs


def jourdain(chain: Chain) -> tuple[float, np.ndarray]:
    from coupling import System

    system = System("chain")
    for i in range(chain.instances):
        system.add(f"f{i}", chain.fmu, chain.start_values(i), kind="cs")
    for before, behind, k in chain.links():
        system.connect(f"f{before}.{output_name(k)}", f"f{behind}.{input_name(k)}")
    stop = chain.all_steps * STEP
    result = system.simulate(stop_time=stop, communication_step=STEP, scheme=Scheme(SCHEME, extrapolation=0), output_interval=stop)
    assert result.outcome.completed, result.outcome.sentence
    outputs = [[result[f"f{i}.{name}"][-1] for name in OUTPUTS] for i in range(chain.instances)]
    return result.statistics.seconds_running * chain.steps / chain.all_steps, np.array(outputs)


# -- the FMU and other binaries ----------------------------------------------------------------------------------------------

# libcosim starts one thread less than this says; loaded before its library, this one is found first.
ONE_PROCESSOR = "unsigned _ZNSt6thread20hardware_concurrencyEv(void) { return 1; }"


def description() -> str:
    """Returns the FMU's modelDescription.xml."""
    variables = [(name, "input", "") for name in INPUTS] + [(name, "output", ' initial="exact"') for name in OUTPUTS]
    listed = "".join(
        f'<ScalarVariable name="{name}" valueReference="{reference(name)}" causality="{causality}" variability="continuous"{initial}>'
        '<Real start="0"/></ScalarVariable>'
        for name, causality, initial in variables
    )
    outputs = "".join(f'<Unknown index="{1 + reference(name)}" dependencies=""/>' for name in OUTPUTS)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<fmiModelDescription fmiVersion="2.0" modelName="Link" guid="{TOKEN}">'
        '<CoSimulation modelIdentifier="Link" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"/>'
        f"<ModelVariables>{listed}</ModelVariables><ModelStructure><Outputs>{outputs}</Outputs></ModelStructure>"
        "</fmiModelDescription>\n"
    )


def binary(folder: Path) -> Path:
    return folder / "Link" / "binaries" / "linux64" / "Link.so"


def make(folder: Path) -> None:
    """Writes the FMU, packed and unpacked, and the other files that the masters load."""
    from fmu_components.export.compile import PLATFORMS, STANDARD

    def library(source: Path, target: Path) -> None:
        constants = [f'-DGUID="{TOKEN}"', f"-DRATES={','.join(map(str, RATES))}", f"-DCHANNELS={CHANNELS}"]
        command = [PLATFORMS["linux64"].required_compiler(), "-std=gnu11", "-O2", "-fPIC", "-shared", f"-I{STANDARD}"]
        subprocess.run([*command, *constants, "-o", target, source, "-ldl"], check=True)

    binary(folder).parent.mkdir(parents=True)
    library(HERE / "masters_fmu.c", binary(folder))
    library(HERE / "masters_limit.c", folder / "limit.so")
    (folder / "one_processor.c").write_text(ONE_PROCESSOR)
    library(folder / "one_processor.c", folder / "one_processor.so")
    (folder / "Link" / "modelDescription.xml").write_text(description())
    with zipfile.ZipFile(folder / "Link.fmu", "w") as archive:
        for path in sorted((folder / "Link").rglob("*.*")):
            archive.write(path, path.relative_to(folder / "Link"))


# -- measurement -------------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """A master in a separate process, and its times for each chain."""

    name: str
    run: Callable[[Chain], tuple[float, np.ndarray]]
    packages: tuple[str, ...] = ()
    """Packages that must be installed for it."""
    one_processor: bool = True
    seconds: dict[Chain, list[float]] = field(default_factory=dict)
    deviation: float = 0.0

    def process(self, folder: Path) -> ProcessPoolExecutor:
        # A new interpreter, since nothing may be loaded before `prepare`.
        return ProcessPoolExecutor(1, get_context("spawn"), prepare, (folder, self.one_processor))

    def measure(self, process: ProcessPoolExecutor, chain: Chain, expected: np.ndarray) -> None:
        seconds, outputs = process.submit(self.run, chain).result()
        deviation = float(np.max(np.abs(outputs - expected)) / np.max(np.abs(expected)))
        if not deviation <= TOLERANCE:
            raise SystemExit(
                f"{self.name} ends {deviation:.1e} away from the expected outputs of {chain.instances} instances (connections each: "
                f"{chain.connections}), which is more than {TOLERANCE:g}: its connections, its order or its start values differ"
            )
        self.deviation = max(self.deviation, deviation)
        self.seconds.setdefault(chain, []).append(seconds)

    def microseconds(self, chain: Chain) -> float:
        """Returns the microseconds for each instance and step."""
        return 1e6 * statistics.median(self.seconds[chain]) / (chain.instances * chain.steps)


def prepare(folder: Path, one_processor: bool) -> None:
    """Runs first in the process of a master."""
    if one_processor:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        ctypes.CDLL(str(folder / "one_processor.so"), ctypes.RTLD_GLOBAL)


def rows() -> list[Row]:
    return [
        Row("direct calls", limit),
        Row("ecos, one thread", ecos, ("ecospy", "tbb")),
        Row("ecos, as it is", ecos, ("ecospy", "tbb"), one_processor=False),
        Row("libcosim, one thread", libcosim, ("libcosimpy",)),
        Row("libcosim, as it is", libcosim, ("libcosimpy",), one_processor=False),
        Row("FMPy", fmpy, ("fmpy",)),
        Row("Jourdain", jourdain),
    ]


def obstacle(row: Row, folder: Path) -> str | None:
    """Returns a sentence that says why a master has to be left out, or None."""
    for package in row.packages:
        try:
            importlib.metadata.distribution(package)
        except importlib.metadata.PackageNotFoundError:
            return f"{row.name} is left out: the package {package} is not installed; install it with pip install {' '.join(row.packages)}"
    if row.run is jourdain:
        from coupling import BuildError, System

        try:
            System("probe").add("link", folder / "Link.fmu", kind="cs")
        except BuildError as refusal:
            return f"{row.name} is left out: {refusal}"
    return None


def table(instances: list[int], connections: list[int], steps: int, repetitions: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        make(folder)
        chains = [Chain(folder, n, k, steps) for n in instances for k in connections]
        expected = {chain: chain.final_outputs() for chain in chains}
        candidates = rows()
        obstacles = [obstacle(row, folder) for row in candidates]
        measured = [row for row, why in zip(candidates, obstacles, strict=True) if not why]
        with ExitStack() as processes:
            running = [(row, processes.enter_context(row.process(folder))) for row in measured]
            for _ in range(repetitions):
                for chain in chains:
                    for row, process in running:
                        row.measure(process, chain, expected[chain])
    processors = len(os.sched_getaffinity(0))
    print(f"microseconds for each instance and step, medians of {repetitions} runs of {steps} steps; {processors} processors")
    print(f"{'instances':24}{''.join(f'{chain.instances:10}' for chain in chains)}{'deviation':>12}")
    print(f"{'connections each':24}{''.join(f'{chain.connections:10}' for chain in chains)}")
    for row in measured:
        print(f"{row.name:24}{''.join(f'{row.microseconds(chain):10.4f}' for chain in chains)}{row.deviation:12.1e}")
    for why in filter(None, obstacles):
        print(why)


def positive_number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--instances", type=positive_number, nargs="+", default=[20, 200], help="lengths of the chain (default 20 200)")
    parser.add_argument(
        "--connections", type=int, nargs="+", default=[1, 6], choices=range(1, CHANNELS + 1), help="from one to the next (default 1 6)"
    )
    parser.add_argument("--steps", type=positive_number, default=1000, help="communication steps that are timed (default 1000)")
    parser.add_argument("--repetitions", type=positive_number, default=7, help="how often each is run (default 7)")
    chosen = parser.parse_args()
    table(chosen.instances, chosen.connections, chosen.steps, chosen.repetitions)


if __name__ == "__main__":
    main()
