"""Exported mechanisms whose constraints hold by projection: under integrators of other tools, in steps inside, and their derivatives."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import BuildError, System
from tests.coupling.export.test_derivatives import Point, columns, watched
from tests.coupling.live.test_stabilisation import EXACT, angle, carrying, four_bars, moving, pendulum
from tests.coupling.solvers.test_projected import begun, derivatives
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import CASES, export
from tests.support.systems.systems import refusal


@cache
def exported(name: str, fmi: int = 3) -> Path:
    """A case of the exported mechanisms."""
    return export(CASES[name].exportable, fmi, inputs=tuple(CASES[name].inputs), initial="assemble", stabilisation="projection")


@cache
def four_bar() -> Path:
    """Returns a four-bar whose coupler moves at 1 m/s at the start."""
    bars = four_bars(1)
    start: dict[str, dict[str, float]] = {name: {} for name in bars.instances}
    for name, value in moving(1, 1.0).items():
        start[name.split(".")[0]][name.split(".")[1]] = value
    system = System("four bars")
    for each in bars.definition.instances:
        system.add(each.name, each.fmu.fmu.path, {**dict(each.start), **start[each.name]})
    for a, b in bars.definition.connections:
        system.connect(a, b)
    return export(system, 3, outputs=("*",), stabilisation="projection")


@cache
def hopping(fmi: int = 3) -> Path:
    return export(carrying(), fmi, stabilisation="projection")


TURNED = angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -1.0, 10.0)
"""The angle of the four-bar's rockers after 10 s."""


FAST = 10.0
"""Speed in m/s or rad/s that bodies reach here at most, approximately; rates are compared with it."""


def violated(fmu: Driver) -> float:
    return max(map(abs, fmu.get([name for name in fmu.variables if ".position[" in name or ".velocity[" in name]).values()))


# -- Model Exchange -----------------------------------------------------------------------------------------------------------------------


def test_a_plain_integrator_takes_a_four_bar_through_singular_poses():
    """Dormand and Prince's method of SciPy at 1e-6, which knows nothing of constraints; by Baumgarte's stabilisation it is lost."""
    with Driver(four_bar(), "me") as fmu:
        fmu.start()

        def slope(t: float, x: np.ndarray) -> np.ndarray:
            fmu.at(t, x)
            return fmu.derivatives

        run = solve_ivp(slope, (0, 10), fmu.states, method="RK45", rtol=1e-6, atol=1e-6)
        fmu.at(10.0, run.y[:, -1])
        assert fmu["rocker0.theta"] == pytest.approx(TURNED, abs=2e-3)
        assert violated(fmu) <= FAST * EXACT


@pytest.mark.parametrize(("tolerance", "allowed"), [(1e-6, 5e-3), (1e-7, 2e-3)])
def test_fmpy_takes_a_four_bar_through_singular_poses(tolerance, allowed):
    """FMPy uses CVode."""
    run = fmpy.simulate_fmu(
        str(four_bar()), fmi_type="ModelExchange", solver="CVode", stop_time=10.0, output_interval=0.5, relative_tolerance=tolerance
    )
    assert run["rocker0.theta"][-1] == pytest.approx(TURNED, abs=allowed)


SLOW = {name: pytest.param(name, marks=pytest.mark.slow) for name in CASES}


@pytest.mark.parametrize("name", ["double pendulum", "four-bar of blocks", SLOW["geared"]])
def test_states_are_read_back_as_set_and_all_else_is_that_of_the_projected_ones(name):
    """Derivatives are those of the master's kernel, off the constraints by 1 mm."""
    random = np.random.default_rng(1)
    with Driver(exported(name), "me") as fmu, begun(CASES[name].system()) as session:
        fmu.start()
        session.kernel.set_fast(False)
        for _ in range(3):
            x = session.x + 1e-3 * random.standard_normal(len(session.x))
            fmu.at(0.0, x)
            found, expected = fmu.derivatives, derivatives(session, x)
            assert found == pytest.approx(expected, rel=1e-10, abs=1e-10 * np.abs(expected).max())
            assert violated(fmu) <= 1e-11
            assert (fmu.states == x).all() and (fmu.derivatives == found).all()


@pytest.mark.parametrize("name", ["rolling", SLOW["slider-crank"], SLOW["four-bar"], SLOW["four-bar of blocks"], SLOW["springs"]])
def test_a_derivative_depends_on_nothing_but_its_arguments(name):
    """Equal arguments give bit-identical derivatives."""
    case, random = CASES[name], np.random.default_rng(3)
    with Driver(exported(name), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        start, seen = fmu.states, []
        for _ in range(40):
            fmu.at(0.2, start + 0.02 * random.standard_normal(len(start)))
            assert np.isfinite(fmu.derivatives).all()
            if random.random() < 0.3:
                fmu.get(list(fmu.variables)[1:5])
            fmu.at(0.1, start + 1e-3)
            seen.append(fmu.derivatives)
        assert all((d == seen[1]).all() for d in seen[2:])


@pytest.mark.parametrize(
    "name", ["double pendulum", "rolling", SLOW["slider-crank"], SLOW["four-bar"], "four-bar of blocks", SLOW["geared"]]
)
def test_directional_derivatives_are_those_of_differences(name):
    """They are the derivatives by states, inputs and time, at states that satisfy the constraints."""
    case = CASES[name]
    states = [f"{n}.{f.by_reference[r].name}" for n, f in case.system().instances.items() for r in f.states]
    on = case.system().simulate(0.2, initial="assemble", stabilisation="projection", rtol=1e-9, outputs=states, output_times=[0.2])
    with Driver(exported(name), "me") as fmu:
        fmu.start({i: drive(0.0) for i, drive in case.inputs.items()})
        x = np.array([on[u.variable.derivative.name][-1] for u in fmu.description.derivatives])
        point = Point(fmu, 0.2, x, {i: drive(0.2) for i, drive in case.inputs.items()})
        unknowns, knowns = [*watched(fmu), *point.states], [*point.states, *case.inputs, "time"]
        point.values(unknowns)
        exact = columns(fmu, unknowns, knowns)
        expected = np.column_stack([point.difference(unknowns, known) for known in knowns])
        scale = np.maximum(1.0, np.abs(expected).max(axis=1, keepdims=True))
        assert (np.abs(exact - expected) / scale).max() <= 1e-8


@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_event_indicators_are_those_of_the_projected_states(fmi):
    """A mass of 1 kg and one of 0.5 kg, which a rod holds together, are set 3 mm apart."""
    with Driver(hopping(fmi), "me") as fmu:
        fmu.start()
        names = [u.variable.derivative.name for u in fmu.description.derivatives]
        fmu.at(0.0, np.array([{"lower.s": 0.5, "upper.s": 0.503}.get(name, 0.0) for name in names]))
        assert fmu.indicators == pytest.approx([0.501], abs=1e-12)
        assert [fmu["lower.s"], fmu["upper.s"]] == [0.5, 0.503]


# -- Co-Simulation ------------------------------------------------------------------------------------------------------------------------


def test_steps_inside_end_on_the_constraints():
    """They do so through singular poses, where Baumgarte's stabilisation ends in contradictions."""
    with Driver(four_bar(), "cs") as fmu:
        fmu.start()
        for k in range(10):
            fmu.step(float(k), 1.0)
            assert violated(fmu) <= FAST * EXACT
        assert fmu["rocker0.theta"] == pytest.approx(TURNED, abs=1e-7)


@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_both_methods_swing_on_the_constraints(fmi, implicit):
    with Driver(exported("pendulum", fmi), "cs") as fmu:
        fmu.start({"solver.implicit": implicit})
        for k in range(10):
            fmu.step(k / 10, 0.1)
            assert violated(fmu) <= FAST * EXACT
        result = CASES["pendulum"].system().simulate(1.0, rtol=1e-12, outputs=["rod.theta"], output_times=[1.0])
        assert fmu["rod.theta"] == pytest.approx(result["rod.theta"][-1], abs=1e-8)


def test_a_restored_state_runs_on_to_the_last_bit():
    with Driver(exported("four-bar"), "cs") as fmu:
        fmu.start()
        fmu.step(0.0, 0.13)
        state, names = fmu.fmu.getFMUState(), list(fmu.variables)[1:]
        fmu.step(0.13, 0.1)
        first = fmu.get(names)
        fmu.step(0.23, 0.2)
        fmu.fmu.setFMUState(state)
        fmu.step(0.13, 0.1)
        assert fmu.get(names) == first
        fmu.fmu.freeFMUState(state)


def test_another_instance_goes_on_from_a_saved_state_through_singular_poses():
    """It takes over what the first one remembers of its motion, by which weak constraints are told from bad scaling."""
    with Driver(four_bar(), "cs") as first, Driver(four_bar(), "cs") as second:
        first.start()
        first.step(0.0, 1.2151)  # 0.2 ms before the pose
        saved = first.fmu.getFMUState()
        data = first.fmu.serializeFMUState(saved)
        first.fmu.freeFMUState(saved)
        state = second.fmu.deserializeFMUState(data)
        second.fmu.setFMUState(state)
        second.fmu.freeFMUState(state)
        for fmu in (first, second):
            fmu.step(1.2151, 0.5)
        names = [name for name in first.variables if name.endswith((".theta", ".omega"))]
        assert second.get(names) == pytest.approx(first.get(names), abs=1e-8)


@pytest.mark.parametrize("event_mode", [False, True])
def test_a_body_that_bounces_takes_what_it_carries_along(event_mode):
    """The result is that of the master, if the importer handles the event as well as if the FMU does."""
    fall = 10 / 1.5
    first = np.sqrt(2 / fall)
    expected = (1.0 - 0.5) / 1.5 * fall * first - fall * (0.6 - first)
    with Driver(hopping(), "cs", event_mode=event_mode) as fmu:
        fmu.start()
        if event_mode:
            fmu.update()
            fmu.fmu.enterStepMode()
        t = 0.0
        while t < 0.6 - 1e-12:
            needed, _, _, t = fmu.step(t, 0.6 - t)
            if needed:
                fmu.fmu.enterEventMode()
                while fmu.update()["again"]:
                    pass
                fmu.fmu.enterStepMode()
                assert violated(fmu) <= FAST * EXACT
        assert [fmu["lower.v"], fmu["upper.v"]] == pytest.approx([expected] * 2, abs=1e-9)
        assert violated(fmu) <= FAST * EXACT


# -- what it is refused for ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ls_dae": True}, "ls_dae=True leaves the multipliers to the importer, and stabilisation='projection' moves states by how they"),
        ({"initial": "relax"}, "initial='relax' leaves a violated start to the joints' own stabilisation"),
        ({"stabilisation": "none"}, "stabilisation = 'none' is unknown; choose 'baumgarte' or 'projection'"),
        ({"parameters": ["pin.baumgarte.beta"]}, "'pin.baumgarte.beta' cannot be chosen: it has no effect in an exported mechanism, where"),
    ],
)
def test_options_that_exclude_it(options, sentence, tmp_path):
    text = refusal(lambda: pendulum().export_fmu(tmp_path / "p.fmu", **{"stabilisation": "projection", **options}), BuildError)
    assert sentence in text
