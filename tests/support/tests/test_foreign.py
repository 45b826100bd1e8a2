"""The foreign FMUs do what their docstrings say, as FMPy sees them; the master's tests rely on that."""

from __future__ import annotations

import contextlib
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from scipy.integrate import solve_ivp

from tests.support import foreign
from tests.support.foreign import NONLINEAR_LOOP
from tests.support.foreign.by_fmpy import messages_of, outputs_of, run
from tests.support.runtime.driver import DISCARD, ERROR, Driver, status_of, unpacked

SOUND = {
    "gain": foreign.gain,
    "mass_spring": foreign.mass_spring,
    "two_events": foreign.two_events,
    "counter": foreign.counter,
    "oscillator": foreign.oscillator,
    "no_model_exchange": foreign.no_model_exchange,
    "hidden_chatter": foreign.hidden_chatter,
    "lies_about_dependencies": foreign.lies_about_dependencies,
    "discards_long_steps": lambda version: foreign.discards_long_steps(version=version),
    "hidden_jump": lambda version: foreign.hidden_jump(version=version),
    "nan_output_at": lambda version: foreign.nan_output_at(version=version),
    "linear": lambda version: foreign.nonlinear_loop(version)[0],
    "sphere": lambda version: foreign.nonlinear_loop(version, "cs", derivatives=True)[1],
}


@pytest.fixture(params=["me", "cs"])
def kind(request):
    return request.param


def test_descriptions_are_valid(fmi):
    """FMPy finds nothing in them, names and model structures included."""
    problems = {name: validate_fmu(str(make(fmi))) for name, make in SOUND.items()}
    assert {name: found for name, found in problems.items() if found} == {}


def test_they_are_made_once(fmi):
    """The same model is the same file, another model another."""
    assert foreign.gain(fmi, 2.0) == foreign.gain(fmi, 2.0) != foreign.gain(fmi, 3.0)


def test_binaries_need_nothing_else(fmi):
    """They name no library beside libc and libm."""
    with zipfile.ZipFile(foreign.oscillator(fmi)) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        content = archive.read(name)
    assert {word for word in (b"libc.so", b"libm.so", b"libstdc++", b"libpython") if word in content} <= {b"libc.so", b"libm.so"}


# -- the template ------------------------------------------------------------------------------------------------------


def test_an_oscillator_oscillates(fmi, kind):
    found = run(foreign.oscillator(fmi), kind, 2.0, ["x", "v", "y"])
    for name, expected in (("x", np.cos(found["time"])), ("v", -np.sin(found["time"])), ("y", np.cos(found["time"]))):
        assert found[name] == pytest.approx(expected, abs=1e-6)


def test_co_simulation_is_far_more_exact_than_any_coupling(fmi):
    """Its steps of 1 ms leave an error of 1e-13 after a second."""
    with Driver(foreign.mass_spring(fmi), "cs") as driver:
        driver.start({"k": 4.0})
        for k in range(10):
            driver.step(k / 10, 0.1)
        assert driver["x"] == pytest.approx(0.1 * np.cos(2.0), abs=1e-12)
        assert driver["v"] == pytest.approx(-0.2 * np.sin(2.0), abs=1e-12)


def test_a_mass_on_a_spring_under_a_force(fmi):
    """It oscillates about f/k with f constant. It declares no dependencies, and derivatives are refused."""
    path = foreign.mass_spring(fmi)
    assert outputs_of(path) == {"x": None, "v": None}
    with Driver(path, "me") as driver:
        driver.start({"m": 2.0, "k": 8.0, "f": 4.0, "x": 0.7})

        def rates(t, x):
            driver.at(t, x)
            return driver.derivatives

        end = solve_ivp(rates, (0, 1.0), driver.states, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        assert end == pytest.approx([0.5 + 0.2 * np.cos(2.0), -0.4 * np.sin(2.0)], abs=1e-9)
        assert status_of(driver.directional, ["der(v)"], ["f"], [1.0]) == ERROR


def test_a_state_can_be_saved_where_that_is_declared(fmi, kind):
    """A mass that goes on from a saved state does the same again; without ``rollback`` the call is refused."""
    get, set_, free = (f"fmi{fmi}{verb}FMU{'s' if fmi == 2 else 'S'}tate" for verb in ("Get", "Set", "Free"))
    with Driver(foreign.mass_spring(fmi, rollback=True), "cs") as driver:
        driver.start()
        driver.step(0.0, 0.2)
        saved = (driver.fmu.getFMUstate if fmi == 2 else driver.fmu.getFMUState)()
        driver.step(0.2, 0.2)
        first = driver["x"]
        (driver.fmu.setFMUstate if fmi == 2 else driver.fmu.setFMUState)(saved)
        driver.step(0.2, 0.2)
        assert driver["x"] == first
        (driver.fmu.freeFMUstate if fmi == 2 else driver.fmu.freeFMUState)(saved)
    assert all(hasattr(driver.fmu, name) for name in (get, set_, free))
    with Driver(foreign.mass_spring(fmi), kind) as driver:
        driver.start()
        assert status_of(driver.fmu.getFMUstate if fmi == 2 else driver.fmu.getFMUState) == ERROR


def test_calls_out_of_order_are_refused(fmi):
    """A message follows states outside of continuous time, an update outside of Event Mode, and values before the start."""
    with Driver(foreign.oscillator(fmi), "me") as driver:
        assert status_of(lambda: driver["y"]) == ERROR
        driver.enter()
        driver.fmu.exitInitializationMode()
        assert status_of(driver.at, 0.0, np.zeros(2)) == ERROR
        driver.settle()
        assert status_of(driver.update) == ERROR
        driver.at(0.0, np.zeros(2))
        assert len(driver.log) == 3 and all("must not be called now" in message for message in driver.log)


def test_events_of_both_kinds(fmi, kind):
    """The state drops by 1 at 0.675, 1.175 and 1.675, half way between the values that FMPy records."""
    found = run(foreign.two_events(fmi), kind, 2.0, ["x", "level", "fast", "y"], **({"record_events": False} if kind == "me" else {}))
    x, level = foreign.two_events_exact(found["time"])
    assert found["level"] == pytest.approx(level)
    assert found["x"] == pytest.approx(x, abs=1e-6)
    assert found["y"] == pytest.approx(x + level, abs=1e-6)
    assert set(found["level"]) == {0, 1, 2, 3}
    assert list(found["fast"][found["time"] > 0.36]) == [1] * sum(found["time"] > 0.36) and not found["fast"][0]


def test_two_events_announces_its_time_event(fmi):
    """It announces nothing after it; the state event says that it changed states."""
    with Driver(foreign.two_events(fmi), "me") as driver:
        assert driver.start()["next_time"] == 0.35
        driver.at(0.35, np.array([0.35]))
        assert driver.handle_events()["next_time"] is None
        assert (driver.derivatives[0], driver["fast"], driver["level"]) == (2.0, True, 0)
        driver.at(0.675, np.array([1.0]))
        assert driver.indicators == pytest.approx([0.0])
        assert driver.handle_events()["states_changed"]
        assert (driver.states[0], driver["level"]) == (0.0, 1.0)


def test_a_counter_counts(fmi, kind):
    """It counts in integers and Booleans, at its time events; it has no states."""
    with Driver(foreign.counter(fmi), kind) as driver:
        last = driver.start({"period": 0.2, "u": 0.5, "step": 3, "running": True})
        for k in range(1, 4):
            if kind == "me":
                assert last["next_time"] == pytest.approx(0.2 * k)
                driver.fmu.setTime(0.2 * k)
                last = driver.handle_events()
            else:
                driver.step(0.2 * (k - 1), 0.2)
            assert (driver["count"], driver["odd"], driver["y"]) == (3 * k, bool(3 * k % 2), 3 * k + 0.5)
        driver.set({"running": False})
        if kind == "me":
            driver.fmu.setTime(0.8)
            driver.handle_events()
        else:
            driver.step(0.6, 0.2)
        assert driver["count"] == 9


# -- the nonlinear loop ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("branch", ["positive", "negative"])
def test_the_solutions_of_the_loop(branch):
    """The constants solve the equations to the last digits; the first is where substitution ends, the second where it does not."""
    right, sign = (9, 1) if branch == "positive" else (-9, -1)
    for a, b, c in NONLINEAR_LOOP[branch]:
        assert [a + b + c, 2 * a - 3 * b + 2 * c - right, c - sign * np.sqrt(5 - a**2 - b**2)] == pytest.approx([0] * 3, abs=1e-15)
    assert abs(NONLINEAR_LOOP["positive"][0][2] - 0.9) == pytest.approx(foreign.ROOT_OF_7_PERCENT, abs=1e-15)
    c = sign * 1.0
    for _ in range(100):
        a, b = sign * 1.8 - c, sign * -1.8
        c = sign * np.sqrt(5 - a**2 - b**2)
    assert (a, b, c) == pytest.approx(NONLINEAR_LOOP[branch][0], abs=1e-14)


@pytest.mark.parametrize("branch", ["positive", "negative", "none"])
@pytest.mark.parametrize("derivatives", [False, True])
def test_the_fmus_of_the_loop(fmi, kind, branch, derivatives):
    """Each satisfies its equation, and starts where the root is real; derivatives are exact, or refused."""
    right, sign = (-9, -1) if branch == "negative" else (9, 1)
    root = 1 if branch == "positive" else -1
    linear, sphere = foreign.nonlinear_loop(fmi, kind, derivatives=derivatives, branch=branch)
    assert outputs_of(linear) == {"a": ["c"], "b": ["c"]}
    assert outputs_of(sphere) == {"c": ["a", "b"]}
    with Driver(linear, kind) as first, Driver(sphere, kind) as second:
        first.start()
        second.start()
        a, b = first["a"], first["b"]
        assert [a + b + sign, 2 * a - 3 * b + 2 * sign] == pytest.approx([0, right], abs=1e-15)
        assert second["c"] == pytest.approx(root * np.sqrt(5 - 0.8**2 - 1.8**2), abs=1e-15)
        second.set({"a": a, "b": b})
        c = second["c"]
        assert c == pytest.approx(root * np.sqrt(5 - a**2 - b**2), abs=1e-15)
        if derivatives:
            assert first.directional(["a", "b"], ["c"], [2.0]) == pytest.approx([-2.0, 0.0])
            assert second.directional(["c"], ["a", "b"], [0.5, 2.0]) == pytest.approx([-(0.5 * a + 2 * b) / c])
        else:
            assert status_of(first.directional, ["a"], ["c"], [1.0]) == ERROR
        assert first.description.modelExchange is None if kind == "cs" else first.description.coSimulation is None


@pytest.mark.parametrize("outside", ["discard", "nan"])
def test_the_sphere_outside_of_itself(fmi, outside):
    """It discards with a message, or gives NaN and OK; inside again, all is well."""
    with Driver(foreign.nonlinear_loop(fmi, outside=outside)[1], "me") as driver:
        driver.start()
        driver.set({"a": 3.0})
        if outside == "nan":
            assert np.isnan(driver["c"])
        else:
            assert status_of(lambda: driver["c"]) == DISCARD
            assert driver.log == ["a and b are outside the sphere"]
        driver.set({"a": 1.0, "b": 0.0})
        assert driver["c"] == 2.0


def test_the_start_of_the_loop_can_be_chosen(fmi):
    with Driver(foreign.nonlinear_loop(fmi, start=0.6)[0], "me") as driver:
        driver.start()
        assert driver["a"] == pytest.approx(1.2)


def test_a_gain(fmi):
    """The FMU has y = factor u, with its derivative."""
    with Driver(foreign.gain(fmi, -0.5), "me") as driver:
        driver.start({"u": 3.0})
        assert driver["y"] == -1.5
        assert driver.directional(["y"], ["u"], [4.0]) == pytest.approx([-2.0])


# -- misbehaviour ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "status", "message"),
    [(foreign.fails_at, ERROR, foreign.BURNT_OUT), (foreign.discards_at, DISCARD, foreign.NOT_YET)],
    ids=["fails", "discards"],
)
def test_it_cannot_be_evaluated_from_a_time_on(fmi, make, status, message):
    """Model Exchange refuses the derivatives, Co-Simulation the step over that time. Everything works before it."""
    with Driver(make(0.3, version=fmi), "me") as driver:
        driver.start()
        driver.at(0.299, np.array([1.0, 2.0]))
        assert list(driver.derivatives) == [2.0, -1.0]
        driver.at(0.3, np.array([1.0, 2.0]))
        assert status_of(lambda: driver.derivatives) == status
        assert driver.log == [message]
        assert driver["x"] == 1.0
    with Driver(make(0.3, version=fmi), "cs") as driver:
        driver.start()
        driver.step(0.0, 0.2)
        assert status_of(driver.step, 0.2, 0.2) == status
        assert driver.log == [message]


def test_a_discarded_step_tells_how_far_it_came():
    """FMI 2 reports it through the status functions; another step can continue from there."""
    with Driver(foreign.discards_at(0.3, version=2), "cs") as driver:
        driver.start()
        assert status_of(driver.step, 0.0, 0.4) == DISCARD
        reached = driver.fmu.getRealStatus(fmpy.fmi2.fmi2LastSuccessfulTime)
        assert 0.29 < reached < 0.3
        assert driver["x"] == pytest.approx(np.cos(reached), abs=1e-9)


def test_long_steps_are_discarded(fmi):
    """Counted from the last completed step, which it wants to hear of; short ones pass."""
    with Driver(foreign.discards_long_steps(0.01, version=fmi), "me") as driver:
        driver.start()
        driver.at(0.011, np.array([1.0, 0.0]))
        assert status_of(lambda: driver.derivatives) == DISCARD
        assert driver.log == [foreign.TOO_LONG]
        driver.at(0.01, np.array([1.0, 0.0]))
        assert list(driver.derivatives) == [0.0, -1.0]
        driver.fmu.completedIntegratorStep()
        driver.at(0.02, np.array([1.0, 0.0]))
        assert list(driver.derivatives) == [0.0, -1.0]
    with Driver(foreign.discards_long_steps(0.01, version=fmi), "cs") as driver:
        driver.start()
        assert status_of(driver.step, 0.0, 0.02) == DISCARD
        driver.step(0.0, 0.01)
        assert driver["x"] == pytest.approx(np.cos(0.01), abs=1e-12)


def test_an_output_that_becomes_nan(fmi, kind):
    found = run(foreign.nan_output_at(0.52, version=fmi), kind, 1.0, ["x", "y"])
    late = found["time"] >= 0.52
    assert np.isnan(found["y"][late]).all() and found["y"][~late] == pytest.approx(np.cos(found["time"][~late]), abs=1e-6)
    assert found["x"] == pytest.approx(np.cos(found["time"]), abs=1e-6)


def test_a_jump_that_nobody_announces(fmi):
    """The derivative is another from the time on; there is neither an indicator nor a time event."""
    with Driver(foreign.hidden_jump(0.5, version=fmi), "me") as driver:
        assert driver.start()["next_time"] is None
        assert driver.description.numberOfEventIndicators == 0
        for time, slope in ((0.499, 1.0), (0.5, -1.0), (2.0, -1.0)):
            driver.at(time, np.zeros(1))
            assert driver.derivatives[0] == slope


def test_chattering_that_nobody_announces(fmi):
    with Driver(foreign.hidden_chatter(fmi), "me") as driver:
        driver.start()
        assert driver.description.numberOfEventIndicators == 0
        for x, slope in ((1.0, -1.0), (-1e-9, 1.0), (0.0, 0.0)):
            driver.at(0.0, np.array([x]))
            assert driver.derivatives[0] == slope
    assert np.abs(run(foreign.hidden_chatter(fmi), "cs", 2.0, ["x"])["x"][-1]) < 1e-3


@pytest.mark.parametrize("honest", [False, True])
def test_a_lie_about_dependencies(fmi, honest):
    """The output y follows u at once, contrary to the model structure."""
    path = foreign.lies_about_dependencies(fmi, honest)
    assert outputs_of(path) == {"y": ["x", "u"] if honest else ["x"]}
    with Driver(path, "me") as driver:
        driver.start({"u": 3.0})
        assert driver["y"] == 7.0
        driver.set({"u": -1.0})
        assert driver["y"] == -1.0


def test_no_instance(fmi, kind):
    """Nothing is returned, and the log says why."""
    assert messages_of(foreign.crashes_on_instantiate(fmi), kind) == [foreign.NO_LICENCE]


def test_another_token_is_refused(fmi):
    with pytest.raises(Exception, match=r"[Ff]ail"):
        Driver(foreign.oscillator(fmi), "me", token="another")


def test_a_failed_initialisation(fmi, kind):
    assert messages_of(foreign.fails_in_initialization(fmi), kind) == [foreign.NO_EQUILIBRIUM]
    with Driver(foreign.fails_in_initialization(fmi), kind) as driver:
        assert status_of(driver.start) == ERROR


def test_a_function_is_missing(fmi):
    """It is one of Model Exchange; FMPy wants those of FMI 3 for Co-Simulation as well."""
    path = foreign.missing_symbol(fmi)
    for kind in ("me",) if fmi == 2 else ("me", "cs"):
        with pytest.raises(Exception, match=foreign.MISSING[fmi]):
            run(path, kind, 1.0, ["x"])
    if fmi == 2:
        assert run(path, "cs", 1.0, ["x"])["x"][-1] == pytest.approx(np.cos(1.0), abs=1e-9)


def test_a_binary_for_another_platform(fmi):
    with pytest.raises(Exception, match="platform"):
        run(foreign.wrong_platform(fmi), "me", 1.0, ["x"])


def test_a_binary_that_is_none(fmi):
    # FMPy stays where the library was.
    with pytest.raises(Exception, match="ELF"), contextlib.chdir("."):
        run(foreign.corrupt_binary(fmi), "me", 1.0, ["x"])


def test_an_fmu_for_co_simulation_alone(fmi):
    path = foreign.no_model_exchange(fmi)
    assert unpacked(path)[0].modelExchange is None
    assert run(path, "cs", 1.0, ["x"])["x"][-1] == pytest.approx(np.cos(1.0), abs=1e-9)
