"""Every option by which constraints are treated, in every combination: what is allowed moves four systems alike, what is not is refused in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Index3, Result, Successive, System
from coupling.kernel.runs.index3 import METHODS
from coupling.options import INDEPENDENT_FIRST
from coupling.options.successive import FORMS
from coupling.solvers.base.solver import SOLVERS
from tests.support.systems import fixed_steps as known
from tests.support.systems.rolling import hinge
from tests.support.systems.space import on_a_joint

STOP, GONE, BACK = 0.06, 0.023, 0.041
Options = dict[str, Any]


# -- systems -------------------------------------------------------------------------------------------------------------------------------


def cranks() -> System:
    """A coupler on three parallel cranks, of which two would do; one of their heads has a spare hinge as well."""
    system = System("cranks")
    start = {"I": 1 / 12, "p1.ry": -0.5, "p2.ry": 0.5, "y": 0.5, "omega": -2.0, "vx": 1.0}
    system.add("coupler", "planar.Body3", {"p1.rx": -1.0, "p3.rx": 1.0, "y": 1.0, "vx": 2.0})
    for k, x in enumerate((-1.0, 0.0, 1.0), start=1):
        system.add(f"post{k}", "planar.Fixed", {"p1.rx": x})
        system.add(f"crank{k}", "planar.Body2", {**start, "x": x})
        hinge(system, f"foot{k}", f"post{k}.p1", f"crank{k}.p1")
        hinge(system, f"head{k}", f"crank{k}.p2", f"coupler.p{k}")
    hinge(system, "spare", "crank3.p2", "coupler.p3")
    return system


def disc() -> System:
    """Its mass centre beside its middle, it rolls; a brake holds the middle along the plane, which is a constraint of velocities alone."""
    system = System("disc")
    system.add("ground", "planar.Fixed")
    start = {"m": 2.0, "I": 0.2, "p1.rx": -0.1, "p2.rx": -0.1, "x": 0.1, "y": 0.5, "omega": -2.0, "vx": 1.0, "vy": -0.2}
    system.add("disc", "planar.Body2", start)
    system.add("roll", "planar.RollingDisc", {"radius": 0.5})
    known.connected(system, ("ground.p1", "roll.M"), ("disc.p1", "roll.N"))
    hinge(system, "brake", "ground.p1", "disc.p2", "planar.RelativeVelocity")
    return system


def top() -> System:
    """Returns a top in space, on a ball joint."""
    return on_a_joint(
        "Spherical", {"m": 1.0, "Ixx": 0.1, "Iyy": 0.1, "Izz": 0.2, "p1.rz": -0.5, "z": 0.5, "omegaz": 5.0, "omegax": 1.0, "vy": -0.5}
    )


@dataclass(frozen=True)
class Case:
    """A system, one of its joints with when it is in force, and names of joints to be taken first."""

    build: Callable[[], System]
    joint: str
    intervals: tuple[tuple[float, float | None], ...]
    first: tuple[str, ...]
    projected: float = 1e-5
    """Largest error of steps of 1 ms where velocities are projected alone."""
    redundant: bool = False
    always: bool = True
    """True where the joint is in force by default."""


CASES = {
    "cranks": Case(cranks, "spare", ((-1.0, GONE), (BACK, None)), ("head3", "foot2"), redundant=True),
    "disc": Case(disc, "brake", ((GONE, BACK),), ("roll",), projected=2e-4, always=False),
    "top": Case(top, "pin", ((-1.0, GONE),), ("pin",)),
    "control": Case(known.lagging, "pin", ((-1.0, GONE),), ("pin",)),
}


@cache
def system_of(name: str, enforced: bool) -> System:
    case = CASES[name]
    system = case.build()
    if enforced or not case.always:
        system.enforce(case.joint, case.intervals if enforced else [])
    return system


@cache
def exact(name: str, enforced: bool) -> Result:
    return simulated(system_of(name, enforced), {"solver": "dop853", "rtol": 1e-12})


def states(system: System) -> list[str]:
    return [f"{name}.{fmu.by_reference[each].name}" for name, fmu in system.instances.items() for each in fmu.states]


def simulated(system: System, options: Options) -> Result:
    return system.simulate(STOP, output_times=[0.0, 0.03, STOP], **options)


ALIKE = ("RK23", "DOP853", "Radau", "BDF", "LSODA")
"""Solvers of SciPy which the master runs as it runs RK45: one of each combination of the options in which they could differ."""


# -- combinations --------------------------------------------------------------------------------------------------------------------------


def asked(solver: str) -> Iterator[str | Index3]:
    """Yields the solver with each of its own options."""
    if solver != "index3":
        yield solver
        return
    for metric, level, method in product(("mass", "tangent"), ("stepped", "projected"), METHODS):
        yield Index3(step_size=1e-3, metric=metric, velocity_level=level, method=method)
    for metric, level in product(("mass", "tangent"), ("stepped", "projected")):
        yield Index3(step_size=1e-3, metric=metric, velocity_level=level, iteration="augmented-lagrangian", penalty=1e9)


def combinations(case: Case) -> Iterator[tuple[Options, bool]]:
    """Options, and whether a joint comes and goes."""
    stepped: list[Options] = [{}, {"communication_step": 0.01}]
    stabilisations: list[Options] = [{}, {"stabilisation": "baumgarte"}, {"stabilisation": "projection"}]
    orders = (None, list(case.first), INDEPENDENT_FIRST)
    multipliers: list[Options] = [
        {},
        *(
            {"multipliers": Successive(order=order, redundant=redundant, form=form)}
            for order, redundant, form in product(orders, ("least", "first"), FORMS)
        ),
    ]
    for solver in SOLVERS:
        for own, stabilisation, how, step in product(asked(solver), stabilisations, multipliers, stepped):
            for enforced in (False, True):
                if solver not in ALIKE or (how, step) == ({}, {}):
                    yield {"solver": own, **stabilisation, **how, **step}, enforced


def refusals(options: Options, case: Case, enforced: bool) -> list[str]:
    """The sentences, as patterns, of which one has to be given; none where the combination is allowed."""
    found: list[str] = []
    solver = "index3" if isinstance(options["solver"], Index3) else options["solver"]
    successive = options.get("multipliers")
    form, stabilisation = successive.form if successive else "multipliers", options.get("stabilisation")
    if solver == "index3" and stabilisation:
        found.append(f"stabilisation = '{stabilisation}' is for other solvers: solver='index3' holds constraints by itself; leave one .*")
    if successive and solver == "ida":
        found.append(
            "multipliers = 'successive' is refused with solver = 'ida', which integrates the multipliers along; choose another solver"
        )
    if form != "multipliers" and solver in ("dopri5", "dop853", "index3"):
        found.append(f"form = '{form}' is refused with solver = '{solver}', which evaluates in C; choose one whose evaluations pass .*")
    if form != "multipliers" and stabilisation == "projection":
        found.append(f"form = '{form}' is refused with stabilisation = 'projection', whose right-hand side solves .*; choose 'baumgarte'")
    if "communication_step" in options:
        if successive:
            found.append("multipliers = 'successive' is refused with a communication_step: .*; leave one of the two out")
        if enforced or not case.always:
            found.append(f"enforce: '{case.joint}' cannot be switched while '.*' runs in Co-Simulation, where velocities cannot be set. .*")
        if solver != "dopri5":
            found.append(f"solver = '{solver}' .*; .*")
        if stabilisation == "projection":
            found.append("stabilisation = 'projection' .*; .*")
    return found


def tolerance(options: Options, case: Case) -> float:
    """Returns the tolerance of states, against their size or 1: by a relative tolerance of 1e-8, or by steps of 1 ms."""
    solver = options["solver"]
    if not isinstance(solver, Index3):
        return 1e-6
    return case.projected if solver.velocity_level == "projected" else 1e-5


def check(name: str, options: Options, enforced: bool) -> None:
    case, system = CASES[name], system_of(name, enforced)
    sentences = refusals(options, case, enforced)
    if sentences:
        with pytest.raises(BuildError) as caught:
            simulated(system, options)
        assert any(re.fullmatch(each, str(caught.value)) for each in sentences), (options, str(caught.value))
        return
    if "communication_step" in options:
        return  # a co-simulation: tests of schemes show what it gives
    result, expected = simulated(system, options), exact(name, enforced)
    assert result.outcome.completed, (options, result.outcome)
    close = tolerance(options, case)
    for each in states(system):
        assert result[each] == pytest.approx(expected[each], rel=close, abs=close), (options, each)
    successive = options.get("multipliers")
    loads = (
        [] if case.redundant and successive and successive.redundant == "first" else [each for each in result.names if ".lambda[" in each]
    )
    greatest = max((np.abs(expected[each]).max() for each in loads), default=1.0)
    for each in loads:
        assert result[each] == pytest.approx(expected[each], abs=100 * close * greatest), (options, each)


@pytest.mark.parametrize("name", CASES)
def test_a_sample_of_combinations(name):
    """The stride of the sample is prime to the numbers of values, therefore each value of each option occurs."""
    for options, enforced in list(combinations(CASES[name]))[::101]:
        check(name, options, enforced)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_combination(name):
    for options, enforced in combinations(CASES[name]):
        check(name, options, enforced)
