"""A kernel that has been reset gives the same bits as a new one, whatever ran on it before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from coupling.analysis.initial import check
from coupling.live.master import Master

from coupling import System
from coupling.kernel.instance import STRING, Refusal, StartStage, StartValues
from coupling.options import Run
from coupling.schemes.base.scheme import scheme_of
from coupling.solvers.base.solver import SOLVERS
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support import foreign
from tests.support.runtime import runtime_components
from tests.support.systems import seven_bodies


def run_of(stop: float, **options: object) -> Run:
    defaults = Run(0.0, stop, "dopri5", 1e-8, None, "check", None, None, None, float("inf"), 10_000_000, False)
    return replace(defaults, **options)  # type: ignore[arg-type]


def integrated(master: Master) -> np.ndarray:
    run = master.run
    check(master)
    integrate = SOLVERS[run.solver].integrate if run.communication_step is None else scheme_of(run.scheme).couple
    ending = integrate(master, run)
    assert ending.completed, ending.sentence
    return master.kernel.recorded()  # type: ignore[union-attr]


def start_again(master: Master, values: Mapping[int, Mapping[str, float]]) -> None:
    """The same master at its start once more, with other start values."""
    assert master.kernel
    master.kernel.reset()
    for index, given in enumerate(master.built.start):
        master._start(index, {**given, **values.get(index, {})}, reset=True)
    master._compile_loops = lambda: None  # type: ignore[method-assign]
    master._initialise()


def pendulum(**options: object) -> System:
    system = System("pendulum")
    system.add("ground", "planar.Fixed", **options)
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5}, **options)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def ball() -> System:
    system = System()
    system.add("ball", cached_fmu(runtime_components.BouncingBall, 3))
    return system


def table() -> System:
    system = System()
    system.add("it", foreign.oscillator())
    system.drive("it.u", [(0.0, 0.0), (0.3, 1.0), (0.3, -1.0), (1.0, 0.5)])
    return system


SYSTEMS = {
    "pendulum": (pendulum, run_of(1.0), {2: {"m": 2.5}}),
    "dop853": (pendulum, run_of(1.0, solver="dop853"), {2: {"m": 2.5}}),
    "events": (ball, run_of(1.5), {0: {"h": 0.7}}),
    "table": (table, run_of(1.0), {0: {"x": 2.0}}),
    "explicit": (lambda: pendulum(kind="cs"), run_of(0.3, communication_step=1e-3, scheme="explicit"), {2: {"m": 2.5}}),
    "in turn": (lambda: pendulum(kind="cs"), run_of(0.3, communication_step=1e-3, scheme="gauss-seidel"), {2: {"m": 2.5}}),
    "implicit": (lambda: pendulum(kind="cs"), run_of(0.1, communication_step=1e-3, scheme="implicit"), {2: {"m": 2.5}}),
    "seven bodies": (seven_bodies.system, run_of(0.002), {}),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_run_after_others_has_the_same_bits_as_the_first(name: str) -> None:
    """Run, run with other start values, run as at first: the third is equal to the first in every bit, and so is the second to a new one."""
    make, run, other = SYSTEMS[name]
    with Master(make().build(run.communication_step is not None), run, {}) as master:
        first = integrated(master)
        start_again(master, other)
        second = integrated(master)
        start_again(master, {})
        third = integrated(master)
    np.testing.assert_array_equal(first, third)
    with Master(
        make().build(run.communication_step is not None), run, {(i, n): v for i, values in other.items() for n, v in values.items()}
    ) as master:
        np.testing.assert_array_equal(second, integrated(master))
    assert not other or (first.shape != second.shape or (first != second).any())


def test_a_kernel_that_was_reset_is_as_it_was_built() -> None:
    """Values, statistics, records and what went wrong are gone."""
    with Master(pendulum().build(), run_of(1.0), {}) as master:
        integrated(master)
        kernel = master.kernel
        assert kernel and kernel.statistics.evaluations > 0
        kernel.reset()
        assert not kernel.slots.any() and kernel.time == 0
        assert kernel.statistics.evaluations == kernel.statistics.factorisations == 0
        assert len(kernel.recorded()) == 0 and kernel.deficiency(0, 2)[0] == 0
        assert kernel.failure.instance == kernel.failure.slot == kernel.failure.index == -1


def test_a_start_says_which_value_is_refused() -> None:
    """By its number among those given, whatever the order in which they are set."""
    with Master(pendulum().build(), run_of(1.0), {}) as master:
        rod = master.instances[2]
        variables = find("planar.Body1"), master.built.parts[2].fmu.variables
        known, unknown = variables[1]["m"].reference, 4_000_000_000
        refused = rod.start(StartValues([(0, known, 2.0), (0, unknown, 1.0)]), 1e-6, 0.0, 1.0, reset=True)
        assert refused is not None and refused[1:] == (StartStage.SETTING, 1)
        refused = rod.start(StartValues([(0, known, 2.0), (STRING, unknown, "text")]), 1e-6, 0.0, 1.0, reset=True)
        assert isinstance(refused, Refusal) and refused[1:] == (StartStage.SETTING, 1)
        assert rod.start(StartValues([(0, known, 2.0)]), 1e-6, 0.0, 1.0, reset=True) is None
