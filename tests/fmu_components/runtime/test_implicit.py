"""The implicit method inside Co-Simulation steps: its order, stiff problems with known solutions, events, inputs, saved states."""

from __future__ import annotations

import math
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

from fmu_components.declare.component import Component, DeclarationError, declaration
from fmu_components.declare.declaration import Role
from fmu_components.export.c_code import model_source
from fmu_components.export.compile import PLATFORMS, RUNTIME, STANDARD, WARNINGS, ExportError, runtime_objects
from fmu_components.export.kept import cache_folder
from fmu_components.export.python_slave import build_python_fmu
from fmu_components.export.table import VariableTable
from tests.support.runtime.driver import DISCARD, ERROR, Driver, status_of
from tests.support.runtime.runtime_components import BouncingBall
from tests.support.runtime.sanitized import HARNESSES
from tests.support.runtime.stiff_components import Drain, Follower, Hires, Ladder, Pendulum, Robertson, StiffRelay, VanDerPol

EXPLICIT = {"solver.implicit": False}


# -- the method alone ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """Integrates a component with any tolerance and step: the number of internal steps, and the states at the end; see ``probe.c``."""
    programs: dict[type[Component], Path] = {}

    def made(component: type[Component]) -> Path:
        folder = tmp_path_factory.mktemp("probe")
        (folder / "model.c").write_text(model_source(VariableTable(declaration(component))))
        sources = [folder / "model.c", HARNESSES / "probe.c", *runtime_objects(PLATFORMS["linux64"], 2, cache_folder())]
        command = ["gcc", "-std=c11", *WARNINGS, "-O2", f"-I{RUNTIME}", f"-I{STANDARD}", "-o", folder / "probe", *sources, "-lm"]
        subprocess.run(command, check=True)
        return folder / "probe"

    def run(component: type[Component], tolerance: float, size: float, count: int, values: Mapping[str, float] | None = None):
        if component not in programs:
            programs[component] = made(component)
        words = [programs[component], tolerance, repr(size), count, *(f"{name}={value!r}" for name, value in (values or {}).items())]
        steps, *states = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout.split()
        return int(steps), np.array([float(state) for state in states])

    return run


def orders(errors: Sequence[float]) -> np.ndarray:
    """Returns the orders from errors with steps that are halved again and again."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def follower_errors(probe, rate: float, counts: Sequence[int]) -> list[float]:
    """Returns the errors of equal steps up to t = 1.7, which a meaninglessly loose tolerance accepts."""
    errors = []
    for count in counts:
        steps, (y,) = probe(Follower, 1e6, 1.7 / count, count, {"g": rate})
        assert steps == count
        errors.append(abs(y - math.sin(3 * 1.7)))
    return errors


def test_the_order_is_5_where_nothing_is_stiff(probe):
    """Prothero and Robinson's problem with the rate 1/s, in closed form: halving equal steps divides the error by 32."""
    assert orders(follower_errors(probe, 1.0, [5, 10, 20, 40])) == pytest.approx([5, 5, 5], abs=0.35)


def test_the_order_is_that_of_the_stages_where_the_problem_is_stiff(probe):
    """Theory gives h^3/g for g h > 1000 (Hairer and Wanner, table IV.15.1): the error is of order 3, and smaller for stiffer problems."""
    soft, stiff = (follower_errors(probe, rate, [10, 20, 40, 80]) for rate in (1e5, 1e7))
    assert orders(soft) == pytest.approx([3, 3, 3], abs=0.35)
    assert orders(stiff) == pytest.approx([3, 3, 3], abs=0.35)
    assert np.array(soft) / stiff == pytest.approx([100] * 4, rel=0.1)


def pendulum(time: float, w: float = 3.0) -> tuple[float, float]:
    """Returns angle and rate of a pendulum that starts at rest at 2 rad, by elliptic functions."""
    k = math.sin(1.0)
    sn, cn, _, _ = ellipj(w * time + ellipk(k**2), k**2)
    return 2 * math.asin(k * sn), 2 * k * w * cn


def test_the_order_is_5_for_a_nonlinear_problem_under_error_control(probe):
    """A large swing against elliptic functions: over five decades of tolerance the error falls with the fifth power of the steps."""
    counts, errors = [], []
    for tolerance in (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
        steps, states = probe(Pendulum, tolerance, 5.0, 1)
        counts.append(steps)
        errors.append(np.abs(states - pendulum(5.0)).max())
        assert errors[-1] < 100 * tolerance
    slope = np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(-5, abs=0.2)


def test_a_tolerance_below_the_least_changes_nothing(probe):
    """Below 1e-12 rounding would be all that Newton's method finds; the steps are those of 1e-12."""
    assert probe(VanDerPol, 1e-15, 2.0, 1)[0] == probe(VanDerPol, 1e-12, 2.0, 1)[0] > probe(VanDerPol, 1e-11, 2.0, 1)[0]


# -- stiff problems ------------------------------------------------------------------------------------------------------------


def run(fmu, component: type[Component], stop: float, values: Mapping[str, float | bool] | None = None, steps: int = 1):
    """Runs a component through FMI 3, in equal communication steps. Returns the states at the end and the number of internal steps."""
    internal = 0

    def update(environment, time, set_requested, get_allowed, finished, can_return, early, early_time):
        nonlocal internal
        internal += finished

    with Driver(fmu(component, 3), "cs", intermediate_update=update) as driver:
        driver.start(values)
        for i in range(steps):
            driver.step(i * stop / steps, stop / steps)
        names = [v.name for v in declaration(component).with_role(Role.STATE)]
        return SimpleNamespace(states=np.array(list(driver.get(names).values())), internal=internal)


# y1 and y2 of the test set for IVP solvers at t = 2, and the eight species of HIRES at the end.
VAN_DER_POL = [0.1706167732170483e1, -0.8928097010247975e0]
HIRES = [
    0.7371312573325668e-3,
    0.1442485726316185e-3,
    0.5888729740967575e-4,
    0.1175651343283149e-2,
    0.2386356198831331e-2,
    0.6238968252742796e-2,
    0.2849998395185769e-2,
    0.2850001604814231e-2,
]


@pytest.mark.parametrize("steps", [1, 7, 200])
def test_van_der_pol_comes_to_the_published_digits(steps, fmu):
    """Two fast jumps within two slow seconds; ten digits in some thousand internal steps, where an explicit method takes millions."""
    found = run(fmu, VanDerPol, 2.0, steps=steps)
    assert found.states == pytest.approx(VAN_DER_POL, rel=1e-10)
    assert found.internal < 4000 + 2 * steps


def test_hires_comes_to_the_published_digits(fmu):
    """All eight species to nine digits, though the smallest is far below its nominal value."""
    found = run(fmu, Hires, 321.8122)
    assert found.states == pytest.approx(HIRES, rel=1e-9)
    assert found.internal < 1000


@pytest.mark.parametrize(
    ("time", "digits", "most"),
    [
        (40.0, [0.7158270687193941, 0.9185534764557338e-5, 0.2841637457458413], 400),
        (1e11, [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050], 1000),
    ],
)
def test_robertson_comes_to_the_published_digits(time, digits, most, fmu):
    """The digits agree over eleven decades of time, for the vanishing species as well."""
    found = run(fmu, Robertson, time)
    assert found.states == pytest.approx(digits, rel=1e-5, abs=1e-13)
    assert found.internal < 2 * most


# From springs that swing to dampers that hold; the fastest motion has a rate of some 1e8/s.
SPRINGS = [1e1, 1e3, 1e8, 1e4, 1e6]
DAMPERS = [1e1, 1e2, 1e8, 1e3, 1e4]
LADDER = {f"k{i}": k for i, k in enumerate(SPRINGS)} | {f"b{i}": b for i, b in enumerate(DAMPERS)}
FORCE = (2.0, -30.0, 80.0)


def ladder(time: float, force: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Positions and velocities by the exponential of the matrix; the force, its rate and second rate are three states more."""
    matrix = np.zeros((11, 11))
    matrix[:4, 4:8] = np.eye(4)
    for i in range(5):
        for one, sign in ((i - 1, 1), (i, -1)):
            if 0 <= one < 4:
                for other, pull in ((i - 1, -sign), (i, sign)):
                    if 0 <= other < 4:
                        matrix[4 + one, other] += pull * SPRINGS[i]
                        matrix[4 + one, 4 + other] += pull * DAMPERS[i]
    matrix[7, 8] = matrix[8, 9] = matrix[9, 10] = 1
    start = np.concatenate([0.125 * np.arange(1, 5), np.zeros(4), force])
    return (expm(matrix * time) @ start)[:8]


STATES = [v.name for v in declaration(Ladder).with_role(Role.STATE)]


@pytest.mark.parametrize("steps", [1, 10])
def test_a_stiff_linear_system_follows_the_exponential_of_its_matrix(steps, fmu):
    """Masses between springs and dampers with rates from 1/s to 1e8/s."""
    found = run(fmu, Ladder, 1.0, LADDER, steps=steps)
    assert found.states == pytest.approx(ladder(1.0), rel=0, abs=1e-9)
    assert found.internal < 1500


def test_polynomial_inputs_act_inside_stiff_steps(fmi, fmu):
    """A quadratic force, by input derivatives in FMI 2 and intermediate update in FMI 3, against the exponential of the matrix."""

    def update(environment, time, set_requested, get_allowed, finished, can_return, early, early_time):
        if set_requested:
            driver.set({"F": FORCE[0] + FORCE[1] * time + FORCE[2] * time**2 / 2})

    with Driver(fmu(Ladder, fmi), "cs", intermediate_update=update if fmi == 3 else None) as driver:
        driver.start(LADDER)
        for i in range(4):
            time = 0.25 * i
            if fmi == 2:
                driver.set({"F": FORCE[0] + FORCE[1] * time + FORCE[2] * time**2 / 2})
                driver.input_derivatives("F", FORCE[1] + FORCE[2] * time, FORCE[2])
            driver.step(time, 0.25)
            expected = ladder(time + 0.25, FORCE)
            assert list(driver.get(STATES).values()) == pytest.approx(expected, rel=0, abs=1e-9)
    assert np.abs(expected - ladder(1.0)).max() > 1e-6


# -- both methods --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 50])
def test_both_methods_agree_where_nothing_is_stiff(steps, fmi, fmu):
    """A large swing: both stay within 1e-9 of elliptic functions."""
    with Driver(fmu(Pendulum, fmi), "cs") as implicit, Driver(fmu(Pendulum, fmi), "cs") as explicit:
        implicit.start()
        explicit.start(EXPLICIT)
        for i in range(steps):
            for driver in (implicit, explicit):
                driver.step(i * 5.0 / steps, 5.0 / steps)
        ends = [list(driver.get(["angle", "speed"]).values()) for driver in (implicit, explicit)]
    assert ends[0] != ends[1]  # two methods indeed
    for end in ends:
        assert end == pytest.approx(pendulum(5.0), rel=0, abs=1e-9)


def hits(fmu, values: Mapping[str, float | bool], stop: float) -> list[float]:
    """The instants at which the relay starts again, by Event Mode of FMI 3."""
    with Driver(fmu(StiffRelay, 3), "cs", event_mode=True) as driver:
        driver.start(values)
        driver.update()
        driver.fmu.enterStepMode()
        time, found = 0.0, []
        while time < stop:
            event, _, _, time = driver.step(time, stop - time)
            if event:
                driver.fmu.enterEventMode()
                restarted = False
                while (update := driver.update())["again"]:
                    restarted = restarted or update["states_changed"]
                driver.fmu.enterStepMode()
                found += [time] if restarted else []
        assert driver["count"] == len(found)
    return found


@pytest.mark.parametrize(("rate", "values"), [(1e6, {}), (1e2, {}), (1e2, EXPLICIT)])
def test_events_are_located_with_either_method(rate, values, fmu):
    """The stiff follower falls to half every ln(2 g/(g - d))/d: to 1e-10 s, with the explicit method where that can follow."""
    period = math.log(2 * rate / (rate - 1))
    found = hits(fmu, {"g": rate} | values, 4.0)
    assert len(found) == 5
    assert found == pytest.approx(period * np.arange(1, 6), rel=0, abs=1e-10)


@pytest.mark.parametrize("size", [0.013, 0.4, 4.0])
def test_events_are_handled_inside_stiff_steps(size, fmi, fmu):
    """Without Event Mode the relay restarts by itself, whatever the communication step."""
    rate = 1e6
    period = math.log(2 * rate / (rate - 1))
    with Driver(fmu(StiffRelay, fmi), "cs") as driver:
        driver.start()
        for i in range(int(4.0 / size)):
            driver.step(i * size, size)
        end = int(4.0 / size) * size
        assert driver["count"] == int(end / period)
        assert driver["y"] == pytest.approx(math.exp(-(end % period)), rel=1e-9)
        assert driver["lag"] == pytest.approx(math.exp(-(end % period)) / (rate - 1), rel=1e-5)


def test_an_early_return_ends_a_stiff_step(fmu):
    """A request during intermediate update stops the step at that internal step, and the next one goes on from there."""

    def update(environment, time, set_requested, get_allowed, finished, can_return, early, early_time):
        early[0] = can_return and not returned

    returned: list[float] = []
    with Driver(fmu(VanDerPol, 3), "cs", intermediate_update=update) as driver:
        driver.start()
        _, _, early, reached = driver.step(0.0, 2.0)
        assert early and 0 < reached < 2
        returned.append(reached)
        driver.step(reached, 2.0 - reached)
        assert list(driver.get(["y1", "y2"]).values()) == pytest.approx(VAN_DER_POL, rel=1e-10)


# -- saved states --------------------------------------------------------------------------------------------------------------


def steps_on(driver: Driver, start: float, sizes: Sequence[float]) -> dict[str, float]:
    for size in sizes:
        driver.set({"u": 0.1 * start})
        if driver.fmi == 2:
            driver.input_derivatives("u", 0.1, -0.02)
        driver.step(start, size)
        start += size
    return driver.get(["time", "y", "z", "lag", "count"])


def test_a_restored_state_goes_on_as_before(fmi, fmu):
    """Saved between two events, stepped past, restored: the same steps give the same bits, here and in an instance from its bytes."""
    on = (0.2, 0.01, 0.7, 0.3)
    with Driver(fmu(StiffRelay, fmi), "cs") as driver, Driver(fmu(StiffRelay, fmi), "cs") as other:
        driver.start({"g": 1e5})
        steps_on(driver, 0.0, (0.5, 0.4))
        saved = driver.fmu.getFMUState()
        data = driver.fmu.serializeFMUState(saved)
        first = steps_on(driver, 0.9, on)
        driver.fmu.setFMUState(saved)
        steps_on(driver, 0.9, (0.05, 1.2))
        driver.fmu.setFMUState(saved)
        assert steps_on(driver, 0.9, on) == first
        copy = other.fmu.deserializeFMUState(data)
        other.fmu.setFMUState(copy)
        assert steps_on(other, 0.9, on) == first
        assert first["count"] == 2
        driver.fmu.freeFMUState(saved)
        other.fmu.freeFMUState(copy)


# -- what fails ----------------------------------------------------------------------------------------------------------------


def test_what_has_no_value_ends_a_step_with_a_sentence(fmi, fmu):
    """The tank is dry after 2 s: before, the level is known; a step beyond finds shorter steps, and then says where it fails."""
    with Driver(fmu(Drain, fmi), "cs") as driver:
        driver.start()
        driver.step(0.0, 1.5)
        assert driver["level"] == pytest.approx(0.0625, abs=1e-10)
        assert status_of(driver.step, 1.5, 1.0) == DISCARD
        assert driver.log[-1].startswith("unit: the step at time 2.00")
        assert "s are too long for the tolerance 1e-11" in driver.log[-1]


def test_a_step_is_shortened_where_a_longer_one_has_no_value(fmu):
    """The first attempt, to 1.99 s at once, meets no value for the root; the shorter ones get there."""
    found = run(fmu, Drain, 1.99)
    assert found.internal > 3
    assert found.states == pytest.approx([(1 - 1.99 / 2) ** 2], abs=1e-9)


def test_a_slope_without_value_is_named(fmi, fmu):
    """The root has no slope at 0, without which there is no implicit step; the explicit method needs none."""
    with Driver(fmu(Drain, fmi), "cs") as driver:
        driver.start({"level": 0.0})
        assert status_of(driver.step, 0.0, 1.0) == DISCARD
        assert driver.log[-1] == "unit: the directional derivative of der(level) at time 0 is -inf, which is not a finite number"
    with Driver(fmu(Drain, fmi), "cs") as driver:
        driver.start({"level": 0.0} | EXPLICIT)
        assert status_of(driver.step, 0.0, 1.0) == 0


def test_an_explicit_step_that_is_too_stiff_names_the_remedy(fmu):
    """A million internal steps are given up, with the option that would have helped."""
    with Driver(fmu(VanDerPol, 2), "cs") as driver:
        driver.start(EXPLICIT)
        assert status_of(driver.step, 0.0, 2.0) == DISCARD
        assert "needs more than 1000000 internal steps" in driver.log[-1]
        assert driver.log[-1].endswith("; where the model is stiff, set solver.implicit = true before initialisation")


# -- the option ----------------------------------------------------------------------------------------------------------------


def test_the_option_is_a_fixed_boolean_parameter(fmi, fmu):
    """Both versions have it, with its default; it is set before initialisation and not later."""
    with Driver(fmu(Pendulum, fmi), "cs") as driver:
        variable = driver.variables["solver.implicit"]
        assert (variable.type, variable.causality, variable.variability, variable.start) == ("Boolean", "parameter", "fixed", "true")
        driver.set({"solver.implicit": False})
        driver.start(EXPLICIT)
        assert driver["solver.implicit"] == 0
        assert status_of(driver.set, {"solver.implicit": True}) == ERROR
        assert "solver.implicit = 1 cannot be set now: it is a parameter" in driver.log[-1]
        driver.step(0.0, 0.1)
        assert status_of(driver.set, {"solver.implicit": True}) == ERROR
        assert driver["solver.implicit"] == 0


def test_a_component_without_the_option_has_no_implicit_method(fmi, fmu):
    """Its model names no parameter and no method, and its FMU does not carry it; one with the option does."""
    assert ".implicit_reference = 0," in model_source(VariableTable(declaration(BouncingBall)))
    for component, carried in ((BouncingBall, False), (Pendulum, True)):
        with zipfile.ZipFile(fmu(component, fmi)) as packed:
            assert ("sources/implicit.c" in packed.namelist()) is carried
    table = VariableTable(declaration(Pendulum))
    assert f".implicit_reference = {table.reference('solver.implicit')}," in model_source(table)


class Wrong(Component):
    """Has a number where the option belongs."""

    def declare(self):
        self.parameter("solver.implicit", 1.0, "", "not what this name is for")


def test_the_name_of_the_option_is_kept_for_it():
    """A number of that name is refused, with the remedy."""
    with pytest.raises(DeclarationError, match=r"Wrong: 'solver.implicit' .* is a real parameter here; declare it with option\(\)"):
        declaration(Wrong)


def test_the_python_backend_refuses_the_option(tmp_path):
    """It integrates explicitly, and says so before anybody waits for a stiff model."""
    with pytest.raises(
        ExportError, match=r"Pendulum has the option solver\.implicit, but FMUs of the Python backend integrate explicitly only"
    ):
        build_python_fmu(VariableTable(declaration(Pendulum)), tmp_path)
