"""Directional and adjoint derivatives of exported mechanisms, through the multipliers solved inside, against differences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.oracles.planar import FourBar
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import CASES, export, exported
from tests.support.systems.systems import system_of


def columns(fmu: Driver, unknowns: list[str], knowns: list[str]) -> np.ndarray:
    """Exact, a known at a time."""
    return np.column_stack([fmu.directional(unknowns, [known], [1.0]) for known in knowns])


class Point:
    """An FMU at a point: values of unknowns as a function of all that they can be differentiated by."""

    def __init__(self, fmu: Driver, t: float, x: np.ndarray, inputs: dict[str, float]) -> None:
        self.fmu, self.t, self.x, self.inputs = fmu, t, x, inputs
        self.states = [u.variable.derivative.name for u in fmu.description.derivatives]

    def values(self, unknowns: list[str], moved: str | None = None, by: float = 0.0) -> np.ndarray:
        x = self.x.copy()
        if moved in self.states:
            x[self.states.index(moved)] += by
        self.fmu.at(self.t + (by if moved == "time" else 0.0), x)
        if self.inputs:
            self.fmu.set({name: value + (by if name == moved else 0.0) for name, value in self.inputs.items()})
        return np.array(list(self.fmu.get(unknowns).values()))

    def difference(self, unknowns: list[str], known: str, h: float = 1e-3) -> np.ndarray:
        """Returns a difference of order 6."""
        weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
        return sum(w * (self.values(unknowns, known, k * h) - self.values(unknowns, known, -k * h)) for k, w in weights.items()) / h


def watched(fmu: Driver) -> list[str]:
    """Derivatives, and some outputs and local variables of all kinds."""
    derivatives = [u.variable.name for u in fmu.description.derivatives]
    seen = [v for v in fmu.description.modelVariables if v.causality in ("local", "output") and v.variability == "continuous"]
    others = [v.name for v in seen if v.type in ("Real", "Float64") and not v.name.startswith("der(")]
    states = {u.variable.derivative.name for u in fmu.description.derivatives}
    return derivatives + [n for n in others if n not in states][::3]


@pytest.mark.parametrize("name", CASES)
def test_directional_derivatives_are_those_of_differences(name):
    case = CASES[name]
    random = np.random.default_rng(11)
    with Driver(exported(name, 3), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        point = Point(fmu, 0.123, fmu.states + 0.1 * random.standard_normal(fmu.state_count), {i: d(0.123) for i, d in case.inputs.items()})
        unknowns, knowns = [*watched(fmu), *point.states], [*point.states, *case.inputs, "time"]
        point.values(unknowns)
        exact = columns(fmu, unknowns, knowns)
        expected = np.column_stack([point.difference(unknowns, known) for known in knowns])
        assert np.abs(exact).max() > 0.5
        scale = np.maximum(1.0, np.abs(expected).max(axis=1, keepdims=True))
        assert (np.abs(exact - expected) / scale).max() <= 1e-8


@pytest.mark.parametrize("name", ["slider-crank", "rolling"])
def test_adjoint_derivatives_are_the_transposed_ones(name):
    case = CASES[name]
    random = np.random.default_rng(5)
    with Driver(exported(name, 3), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        states = [u.variable.derivative.name for u in fmu.description.derivatives]
        unknowns, knowns = watched(fmu), [*states, *case.inputs]
        forward, seed = columns(fmu, unknowns, knowns), random.standard_normal(len(unknowns))
        backward = fmu.adjoint(unknowns, knowns, seed)
        assert np.abs(backward - seed @ forward).max() <= 1e-11 * np.abs(backward).max()


def test_several_knowns_at_once_add_up():
    random = np.random.default_rng(2)
    with Driver(exported("four-bar", 2), "me") as fmu:
        fmu.start()
        states = [u.variable.derivative.name for u in fmu.description.derivatives]
        unknowns, seed = watched(fmu), random.standard_normal(len(states))
        together = fmu.directional(unknowns, states, seed)
        assert np.abs(together - columns(fmu, unknowns, states) @ seed).max() <= 1e-12 * np.abs(together).max()


def test_derivatives_by_parameters_are_those_of_differences():
    """They are computed before the start, when parameters may change."""
    fmu_path = exported("slider-crank", 3)
    with Driver(fmu_path, "me") as fmu:
        reals = [v for v in fmu.description.modelVariables if v.causality == "parameter" and v.type == "Float64"]
        names = [v.name for v in reals if v.name.split(".", 1)[1] in ("m", "I", "p1.rx", "gy", "baumgarte.alpha")]
        assert len(names) >= 8
        unknowns = [u.variable.name for u in fmu.description.derivatives]
        fmu.start()
        exact = columns(fmu, unknowns, names)
    start = {v.name: float(v.start) for v in reals}

    def values(name: str, by: float) -> np.ndarray:
        with Driver(fmu_path, "me") as fmu:
            fmu.enter()
            fmu.set({name: start[name] + by})
            return np.array(list(fmu.get(unknowns).values()))

    for j, name in enumerate(names):
        expected = (values(name, 1e-5) - values(name, -1e-5)) / 2e-5
        assert np.abs(exact[:, j] - expected).max() <= 1e-6 * max(1.0, np.abs(expected).max()), name


def test_output_derivatives_follow_the_motion():
    """Co-Simulation gives derivatives that agree with differences of the outputs over short steps."""
    with Driver(exported("slider-crank", 2), "cs") as fmu:
        fmu.start()
        outputs = [v.name for v in fmu.description.modelVariables if v.causality == "output"]
        h = 1e-4
        before = np.array(list(fmu.get(outputs).values()))
        fmu.step(0.0, h)
        rates = np.array([fmu.output_derivative(name) for name in outputs])
        fmu.step(h, h)
        after = np.array(list(fmu.get(outputs).values()))
        assert np.abs(rates).max() > 0.5
        assert np.abs((after - before) / (2 * h) - rates).max() <= 1e-5


def test_redundant_constraints_have_derivatives_as_well():
    """The accelerations have derivatives: they are unique though the multipliers are not."""
    from tests.support.systems.hard_systems import braced_parallelogram

    random = np.random.default_rng(4)
    with Driver(export(braced_parallelogram(), initial="relax"), "me") as fmu:
        fmu.start()
        point = Point(fmu, 0.0, fmu.states.copy(), {})
        derivatives = [u.variable.name for u in fmu.description.derivatives]
        exact = columns(fmu, derivatives, point.states)
        rates = [s for s in point.states if s.rpartition(".")[2] in ("vx", "vy", "omega")]
        seed = random.standard_normal(len(rates))
        assert np.isfinite(exact).all() and np.abs(fmu.directional(derivatives, rates, seed)).max() > 0


def test_the_master_uses_them(tmp_path):
    """A stiff solver of the master over an exported mechanism: the same motion."""
    from coupling import System

    system = system_of(FourBar(angle=0.9, speed=1.0))
    expected = system.simulate(1.0, rtol=1e-10, outputs=["crank.theta"])
    whole = System("whole")
    whole.add("m", export(system_of(FourBar(angle=0.9, speed=1.0)), 3))
    result = whole.simulate(1.0, solver="cvode", rtol=1e-10, outputs=["m.crank.theta"])
    assert abs(result["m.crank.theta"][-1] - expected["crank.theta"][-1]) <= 1e-7
