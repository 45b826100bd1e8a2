"""Wrong use is answered by the right status and one sentence, in both versions, and does no harm."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from tests.support.declare.reference import reference
from tests.support.runtime.driver import DISCARD, ERROR, Driver, status_of

BODY = find("planar.Body1")


def the_sentence(driver: Driver) -> str:
    assert len(driver.log) == 1, driver.log
    sentence = driver.log.pop()
    assert sentence.startswith("rod: ")
    return sentence


@pytest.fixture(params=["me", "cs"])
def rod(request, fmi, fmu):
    with Driver(fmu(BODY, fmi), request.param, "rod") as driver:
        driver.start()
        yield driver


OTHERWISE = {
    "m": "a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3",
    "I": "a mass without moment of inertia is a planar.PointMass1",
}


@pytest.mark.parametrize(("name", "value"), [("m", 0.0), ("m", -1.0), ("I", 0.0), ("I", -0.5)])
def test_a_mass_or_inertia_that_is_not_positive_is_an_error(name, value, fmi, fmu):
    """m <= 0 and I <= 0: Error, and the sentence names instance, variable, value, unit and what is allowed."""
    with Driver(fmu(BODY, fmi), "me", "rod") as driver:
        unit = declaration(BODY)[name].unit
        assert status_of(driver.set, {name: value}) == ERROR
        assert the_sentence(driver) == f"rod: {name} = {value:g} {unit} is refused: it must be greater than 0; {OTHERWISE[name]}"
        driver.enter()
        assert driver[name] == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_input_that_is_not_a_number_is_discarded(rod, value):
    """NaN or infinity as an input: Discard, and the input keeps its value."""
    rod.set({"p1.Fx": 2.0})
    assert status_of(rod.set, {"p1.Fx": value}) == DISCARD
    assert the_sentence(rod) == f"rod: p1.Fx = {value:g} is refused: it must be a finite number"
    assert rod["p1.Fx"] == 2.0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_state_or_time_that_is_not_a_number_is_discarded(fmi, fmu, value):
    """NaN or infinity as a continuous state or as time: Discard, naming the state."""
    with Driver(fmu(BODY, fmi), "me", "rod") as driver:
        driver.start()
        states = driver.states
        states[2] = value
        assert status_of(driver.at, 0.0, states) == DISCARD
        assert the_sentence(driver) == f"rod: theta = {value:g} is refused: it must be a finite number"
        assert status_of(driver.fmu.setTime, value) == DISCARD
        assert the_sentence(driver) == f"rod: time = {value:g} is refused: it must be a finite number"


def test_what_is_computed_to_no_number_is_told_with_its_time(fmi, fmu):
    """A kinetic energy that overflows: Discard, and the sentence names variable, value and time."""
    with Driver(fmu(BODY, fmi), "me", "rod") as driver:
        driver.start()
        driver.at(2.5, np.array([0, 0, 0, 1e200, 0, 0]))
        assert status_of(driver.get, ["energy.kinetic"]) == DISCARD
        assert the_sentence(driver) == "rod: energy.kinetic = inf at time 2.5 is not a finite number"


def test_a_parameter_that_is_not_a_number_is_an_error(fmi, fmu):
    """NaN as a parameter: Error."""
    with Driver(fmu(BODY, fmi), "cs", "rod") as driver:
        assert status_of(driver.set, {"m": math.nan}) == ERROR
        assert the_sentence(driver) == "rod: m = nan is refused: it must be a finite number"


def test_a_call_of_the_wrong_type_is_an_error(rod):
    """A real variable read as a Boolean: Error, naming the variable."""
    reference_of_m = rod.reference("m")
    assert status_of(rod.fmu.getBoolean, [reference_of_m]) == ERROR
    assert the_sentence(rod) == f"rod: m (value reference {reference_of_m}) is not a Boolean variable but a real one"


def test_a_call_out_of_order_is_an_error(rod):
    """Initialising twice: Error, and the sentence names function and phase."""
    phase = "in Continuous-Time Mode" if rod.kind == "me" else "between communication steps"
    assert status_of(rod.fmu.exitInitializationMode) == ERROR
    assert the_sentence(rod) == f"rod: fmi{rod.fmi}ExitInitializationMode cannot be called {phase}"


def test_setting_what_the_component_computes_is_an_error(rod):
    """An output, and a state where only the component integrates it: Error, naming the variable and its value."""
    assert status_of(rod.set, {"p1.x": 1.0}) == ERROR
    assert the_sentence(rod) == "rod: p1.x = 1 cannot be set now: it is an output, which the component computes itself"
    if (rod.fmi, rod.kind) == (3, "me"):  # FMI 3 lets the importer set states one by one
        assert status_of(rod.set, {"x": 1.0}) == 0
        return
    assert status_of(rod.set, {"x": 1.0}) == ERROR
    assert the_sentence(rod) == "rod: x = 1 cannot be set now: it is a state, which can be set in other phases of the simulation only"


def test_a_wrong_guid_or_token_gives_no_instance(fmi, fmu):
    """Instantiation fails, and the sentence shows both identifiers."""
    path = fmu(BODY, fmi)
    with pytest.raises(Exception, match="Failed to instantiate"):
        Driver(path, "me", "rod", token="{wrong}")
    # The log of an instance that was never made is with the callback, so look at it from C.
    messages = []
    driver = Driver(path, "me", "rod")
    try:
        if fmi == 2:
            from fmpy import fmi2

            callbacks = fmi2.fmi2CallbackFunctions()
            callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda env, name, status, category, text: messages.append(text.decode()))
            made = driver.fmu.dll.fmi2Instantiate(b"rod", 0, b"{wrong}", None, ctypes.byref(callbacks), 0, 0)
        else:
            from fmpy import fmi3

            logger = fmi3.fmi3LogMessageCallback(lambda env, status, category, text: messages.append(text.decode()))
            made = driver.fmu.dll.fmi3InstantiateModelExchange(b"rod", b"{wrong}", None, False, False, None, logger)
    finally:
        driver.__exit__()
    assert not made
    assert messages == [
        f"rod: the token or GUID '{{wrong}}' is not that of this FMU, '{reference(BODY).table.token}': "
        "model description and binary do not belong together"
    ]


@pytest.mark.parametrize("size", [0.0, -0.1, math.nan, math.inf])
def test_a_step_of_no_length_is_an_error(fmi, fmu, size):
    """A communication step size that is not positive and finite: Error."""
    with Driver(fmu(BODY, fmi), "cs", "rod") as driver:
        driver.start()
        assert status_of(driver.step, 0.0, size) == ERROR
        assert the_sentence(driver) == f"rod: the communication step size {size:g} is refused: it must be greater than 0"
        assert status_of(driver.step, 0.0, 0.1) == 0


def test_a_step_from_another_time_or_past_the_end_is_an_error(fmi, fmu):
    """The step must start where the instance is and end no later than the stop time."""
    with Driver(fmu(BODY, fmi), "cs", "rod") as driver:
        driver.start(stop=1.0)
        assert status_of(driver.step, 0.5, 0.1) == ERROR
        assert the_sentence(driver) == "rod: a step from time 0.5 is refused: the instance is at time 0"
        assert status_of(driver.step, 0.0, 1.5) == ERROR
        assert the_sentence(driver) == "rod: a step to time 1.5 is refused: the stop time is 1"


def test_a_validity_condition_is_checked_at_initialisation(fmi, fmu):
    """A translational joint whose axes point opposite ways is refused by name; with the start mended it goes on."""
    with Driver(fmu(find("planar.Translational"), fmi), "me", "rod") as driver:
        driver.enter()
        driver.set({"N.theta": 3.0})
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        sentence = the_sentence(driver)
        assert sentence.startswith("rod: it is required that the axes of M and N point the same way")
        assert sentence.endswith("; the value that must be positive is -0.989992, from M.theta = 0 rad, N.theta = 3 rad")
        driver.set({"N.theta": 0.3})
        assert status_of(driver.fmu.exitInitializationMode) == 0


def test_the_ideal_mode_is_refused_in_co_simulation(fmi, fmu):
    """A joint is always compliant as a Co-Simulation FMU."""
    with Driver(fmu(find("planar.Revolute"), fmi), "cs", "rod") as driver:
        assert status_of(driver.configure, {"ideal": True}) == ERROR
        assert the_sentence(driver) == "rod: ideal = true is refused: in Co-Simulation a joint is always compliant; use Model Exchange"


def test_lambda_can_be_set_during_the_run_in_ideal_mode_only(fmu):
    """The importer may set lambda, which is a local variable in FMI 3, while the switch is on."""
    for ideal, expected in ((False, ERROR), (True, 0)):
        with Driver(fmu(find("planar.Revolute"), 3), "me", "rod") as driver:
            driver.configure({"ideal": ideal})
            driver.start()
            assert status_of(driver.set, {"lambda[1]": 2.0}) == expected
            assert driver["N.Fx"] == (2.0 if ideal else 0.0)


def test_categories_select_what_is_logged(fmi, fmu):
    """Discards are logged unless that category is off; errors always are; an unknown category is an Error that names it."""
    with Driver(fmu(BODY, fmi), "me", "rod") as driver:
        driver.fmu.setDebugLogging(False, ["logStatusDiscard", "logStatusError"])
        assert status_of(driver.set, {"p1.Fx": math.nan}) == DISCARD
        assert driver.log == []
        assert status_of(driver.set, {"m": -1.0}) == ERROR
        assert the_sentence(driver) == f"rod: m = -1 kg is refused: it must be greater than 0; {OTHERWISE['m']}"
        driver.fmu.setDebugLogging(True, ["logStatusDiscard"])
        assert status_of(driver.set, {"p1.Fx": math.nan}) == DISCARD
        assert the_sentence(driver) == "rod: p1.Fx = nan is refused: it must be a finite number"
        assert status_of(driver.fmu.setDebugLogging, True, ["logNonsense"]) == ERROR
        assert the_sentence(driver) == "rod: there is no log category 'logNonsense'; the model description lists all categories"


def test_percent_signs_in_a_name_do_no_harm(fmu):
    """A message is also a format in FMI 2: percent signs are doubled."""
    with Driver(fmu(BODY, 2), "me", "50%s") as driver:
        assert status_of(driver.set, {"m": -1.0}) == ERROR
        assert driver.log == [f"50%%s: m = -1 kg is refused: it must be greater than 0; {OTHERWISE['m']}"]


def test_a_foreign_state_is_refused(fmi, fmu):
    """Bytes that are no saved state of this component are an Error."""
    with Driver(fmu(BODY, fmi), "me", "rod") as driver:
        assert status_of(driver.fmu.deserializeFMUState, b"x" * 64) == ERROR
        assert the_sentence(driver) == "rod: the 64 bytes are no saved state of planar.Body1"


@pytest.mark.parametrize("tolerance", [0.0, -1e-6])
def test_a_tolerance_that_is_not_positive_is_none(tolerance, fmi, fmu):
    """OMSimulator saves it so: a warning follows, and the run is that without a tolerance. A NaN is refused."""
    ends = {}
    for given in (None, tolerance):
        with Driver(fmu(BODY, fmi), "cs", "rod") as driver:
            driver.start(tolerance=given)
            if given is not None:
                assert the_sentence(driver) == f"rod: the tolerance {given:g} is none, and the FMU keeps its own; give one greater than 0"
            driver.step(0.0, 0.5)
            ends[given] = driver["y"]
    assert ends[tolerance] == ends[None]
    with Driver(fmu(BODY, fmi), "cs", "rod") as driver:
        assert status_of(driver.enter, 0.0, None, math.nan) == ERROR
        assert the_sentence(driver) == "rod: the tolerance nan is refused: it must be a finite number"
