"""The record: what cannot fit is refused, what was recorded is kept whatever happens."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest

from coupling import BuildError, Index3, System
from coupling.memory import free_memory
from coupling.options import Run
from tests.support.foreign import mass_spring
from tests.support.systems.systems import pendulum, refusal


def spring() -> System:
    system = System()
    system.add("spring", mass_spring())
    return system


def test_a_record_that_cannot_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused before the run, with its size and the free space; rows are counted without being made."""
    monkeypatch.setattr("coupling.simulate.free_memory", lambda: 2.0**26)
    assert refusal(lambda: spring().simulate(1.0, output_interval=1e-7), BuildError) == (
        "output_interval = 1e-07 s asks for 1e+07 rows of 3 numbers, 0.298 GiB, and 0.0625 GiB of memory are free; record less often, name "
        "fewer outputs, or give record_to the path of a file"
    )
    monkeypatch.setattr("coupling.simulate.free_memory", lambda: 1e5)
    assert "output_times asks for 2e+04 rows" in refusal(lambda: spring().simulate(1.0, output_times=np.linspace(0, 1, 20_000)), BuildError)
    assert len(spring().simulate(1.0, output_interval=1e-3)) == 1001
    assert Run(stop_time=1.0).rows == len(Run(stop_time=1.0).times())
    assert free_memory() > 2**20


def test_rows_are_handed_over() -> None:
    """They outlive the run, the next run and the system."""
    system = spring()
    first = system.simulate(1.0)
    values = first.values.copy()
    second = system.simulate(1.0, start_values={"spring.x": 0.2})
    del system
    gc.collect()
    assert (first.values == values).all()
    assert second["spring.x"] == pytest.approx(2 * first["spring.x"], abs=1e-6)


OUT_OF_MEMORY = """
import resource, sys
from pathlib import Path
import coupling.simulate
from coupling import System
coupling.simulate.free_memory = lambda: float("inf")
system = System()
system.add("spring", sys.argv[1])
system.simulate(0.1)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 48 * 2**20,) * 2)
result = system.simulate(2.0, output_interval=1e-6, **eval(sys.argv[2]))
print(len(result), result.time[-1], result["spring.x"][-1])
print(result.outcome.sentence)
"""


@pytest.mark.parametrize("options", ["{'evaluation': 'fmus'}", pytest.param("{'communication_step': 1e-6}", marks=pytest.mark.slow)])
def test_memory_that_runs_out_keeps_what_was_recorded(options: str) -> None:
    """The process has 48 MiB, of which the requested times take 16: x = 0.1 cos 10 t up to its end."""
    command = [sys.executable, "-c", OUT_OF_MEMORY, str(mass_spring()), options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    numbers, sentence = done.stdout.splitlines()
    rows, time, x = map(float, numbers.split())
    assert rows > 100_000 and time < 1.99
    assert x == pytest.approx(0.1 * np.cos(10 * time), abs=1e-4)
    assert sentence.endswith("s: memory ran out; record fewer outputs, or less often. The result holds everything up to there")


def test_reactions_of_both_projections_have_columns_of_their_own() -> None:
    """A rod of 1 kg hangs at rest: its pin carries 9.81 N along y, and nothing along x."""
    rest = pendulum(x=0.0, y=-0.5, theta=-np.pi / 2)
    result = rest.simulate(0.1, solver=Index3(step_size=0.01, iteration="augmented-lagrangian"), output_times=[0.0, 0.05, 0.1])
    for name in ("lambda_by_accelerations", "lambda_by_velocities", "lambda"):
        assert result[f"pin.{name}[1]"] == pytest.approx([0.0] * 3, abs=1e-6), name
        assert result[f"pin.{name}[2]"] == pytest.approx([9.81] * 3, abs=1e-6), name


def test_parameters_have_the_values_of_the_definition_and_those_that_nothing_sets() -> None:
    parameters = pendulum(m=3.0).simulate(0.01).parameters
    assert parameters["rod.m"] == 3.0 and parameters["rod.gy"] == -9.81
