"""Events: located inside Co-Simulation steps, handled in Event Mode, and offered to the importer in Model Exchange."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.runtime.driver import DISCARD, Driver, status_of
from tests.support.runtime.runtime_components import BouncingBall, Cascade, Relay, Sampler, SawTooth, Slider, Stair

G, E = 9.81, 0.8
FIRST = math.sqrt(2 / G)


def bounces(count):
    """The instants at which the ball hits the ground."""
    flights = [2 * FIRST * E**k for k in range(1, count)]
    return np.cumsum([FIRST, *flights])


def ball(time):
    """Height and velocity in closed form, before the tenth bounce."""
    hits = bounces(10)
    passed = int(np.searchsorted(hits, time))
    if passed == 0:
        return 1 - G * time**2 / 2, -G * time
    speed, since = G * FIRST * E**passed, time - hits[passed - 1]
    return speed * since - G * since**2 / 2, speed - G * since


@pytest.mark.parametrize("size", [0.01, 0.13, 0.5, 2.0])
def test_a_ball_bounces_inside_communication_steps(size, fmi, fmu):
    """Whatever the step, heights agree with the closed form to 1e-9 up to the sixth bounce."""
    with Driver(fmu(BouncingBall, fmi), "cs") as driver:
        driver.start()
        for i in range(int(2.0 / size)):
            driver.step(i * size, size)
            height, velocity = ball((i + 1) * size)
            assert driver["h"] == pytest.approx(height, abs=1e-9)
            assert driver["v"] == pytest.approx(velocity, abs=1e-8)


def test_the_importer_handles_the_events_of_a_step_itself(fmu):
    """Each step in FMI 3 with Event Mode ends at the bounce, to 1e-9, and the next one continues there."""
    with Driver(fmu(BouncingBall, 3), "cs", event_mode=True) as driver:
        driver.start()
        driver.update()
        driver.fmu.enterStepMode()
        time, hits = 0.0, []
        while time < 2.0:
            event, _, early, reached = driver.step(time, 2.0 - time)
            assert early == (reached < 2.0)
            if event:
                driver.fmu.enterEventMode()
                bounced = False
                while (update := driver.update())["again"]:
                    bounced = bounced or update["states_changed"]
                driver.fmu.enterStepMode()
                # The height also crosses zero upwards, which is an event without effect.
                hits += [reached] if bounced else []
            time = reached
        assert np.allclose(hits, bounces(len(hits)), rtol=0, atol=1e-9)
        assert len(hits) == np.sum(bounces(20) < 2.0)
        assert driver["h"] == pytest.approx(ball(2.0)[0], abs=1e-9)


def integrate(driver, stop):
    """Model Exchange with SciPy: locates sign changes of the indicators, stops at time events; the times of all events."""
    information = driver.start()
    time, events = 0.0, []
    while time < stop:

        def rates(t, x):
            driver.at(t, x)
            return driver.derivatives

        def crossing(i):
            def value(t, x):
                driver.at(t, x)
                return driver.indicators[i]

            value.terminal = True
            return value

        limit = min(stop, information["next_time"] if information["next_time"] is not None else math.inf)
        found = solve_ivp(
            rates,
            (time, limit),
            driver.states,
            method="DOP853",
            rtol=1e-12,
            atol=1e-12,
            max_step=0.05,
            events=[crossing(i) for i in range(driver.description.numberOfEventIndicators)],
        )
        time, x = found.t[-1], found.y[:, -1]
        driver.at(time, x)
        if time < stop or limit == information["next_time"]:
            if found.status == 1:  # just behind the root
                x = x + 1e-13 * driver.derivatives
                driver.at(time, x)
            information = driver.handle_events()
            # The height also crosses zero upwards, which is an event without effect.
            events += [time] if information["states_changed"] else []
    return events


def test_a_ball_bounces_in_model_exchange(fmi, fmu):
    """The instants at which the indicator crosses zero are those of the closed form to 1e-9."""
    with Driver(fmu(BouncingBall, fmi), "me") as driver:
        assert np.allclose(integrate(driver, 1.9), bounces(20)[bounces(20) < 1.9], rtol=0, atol=1e-9)
        assert driver.states[0] == pytest.approx(ball(1.9)[0], abs=1e-9)


@pytest.mark.parametrize("all_rounds", [False, True])
def test_importers_of_fmi_2_may_take_one_round_an_event(all_rounds, fmu):
    """The round gives the result of the event, values wait for the remaining rounds, and the log has each event once."""
    with Driver(fmu(Cascade, 2), "me", logging=True) as driver:
        driver.start()
        driver.log.clear()
        driver.at(0.5, np.array([1.5]))
        driver.fmu.enterEventMode()
        assert driver.update() == {"again": True, "states_changed": True, "next_time": 2.0}
        assert driver.get(["flag", "x", "alarm"]) == {"flag": 1.0, "x": 1.5, "alarm": 1e9}
        while all_rounds and driver.update()["again"]:
            pass
        driver.fmu.enterContinuousTimeMode()
        assert driver.get(["flag", "x", "alarm"]) == {"flag": 1.0, "x": 5.0, "alarm": 2.0}
        assert [text.partition(": ")[2] for text in driver.log] == [
            f"at time 0.5: the {event}" for event in ("flag is set", "store is filled")
        ]


def test_time_events_come_at_their_instants_in_both_kinds(fmi, fmu):
    """The stair rises at every period: announced exactly in Model Exchange, counted inside steps in Co-Simulation."""
    with Driver(fmu(Stair, fmi), "me") as driver:
        information = driver.start({"period": 0.3})
        instants = []
        while len(instants) < 5:
            instants.append(information["next_time"])
            driver.fmu.setTime(information["next_time"])
            information = driver.handle_events()
        assert instants == pytest.approx([0.3, 0.6, 0.9, 1.2, 1.5], rel=1e-15)
        assert driver["counter"] == 5
    for size in (0.07, 0.3, 1.0):
        with Driver(fmu(Stair, fmi), "cs") as driver:
            driver.start({"period": 0.3})
            for i in range(int(2.1 / size)):
                driver.step(i * size, size)
                end = (i + 1) * size
                assert driver["counter"] == math.floor(end / 0.3 + 1e-9), (size, end)
                assert driver["height"] == 0.25 * driver["counter"]


def test_instants_that_lie_before_the_start_have_happened(fmi, fmu):
    """A stair that starts at 1.05 s has climbed three steps of 0.3 s already."""
    with Driver(fmu(Stair, fmi), "cs") as driver:
        driver.start({"period": 0.3}, start=1.05)
        assert driver["counter"] == 3


def test_a_sampler_keeps_what_it_saw_at_its_instants(fmi, fmu):
    """Discrete reals, integers and Booleans change together, from the values before the event."""
    with Driver(fmu(Sampler, fmi), "cs") as driver:
        driver.start()
        driver.step(0.0, 2.0)
        assert driver.get(["samples", "instants", "closed"]) == {"samples": 2, "instants": 8, "closed": True}
        assert driver["held"] == pytest.approx(math.exp(-0.5 / 0.5), abs=1e-10)


def test_a_state_is_set_when_an_indicator_rises(fmi, fmu):
    """The saw tooth falls to zero at its limit, at any step size."""
    for size in (0.07, 0.11, 0.85):
        with Driver(fmu(SawTooth, fmi), "cs") as driver:
            driver.start()
            for i in range(int(1.8 / size)):
                driver.step(i * size, size)
                end = (i + 1) * size
                assert driver["x"] == pytest.approx(end - 0.3 * math.floor(end / 0.3 + 1e-12), abs=1e-9)


def test_an_input_that_jumps_switches_at_once(fmi, fmu):
    """A relation of an input alone changes at the communication point, and what happens then is computed there."""
    with Driver(fmu(Relay, fmi), "cs") as driver:
        driver.start({"u": 1.0})
        assert driver["charging"]
        driver.step(0.0, 0.4)
        charge = 1 - 0.8 * math.exp(-0.4 / 0.5)
        driver.set({"u": 0.2})
        driver.step(0.4, 0.3)
        assert not driver["charging"]
        assert driver["held"] == pytest.approx(charge, abs=1e-9)
        assert driver["stopped"] == 0.4
        assert driver["q"] == pytest.approx(charge * math.exp(-0.3 / 0.5), abs=1e-9)


def test_an_input_that_varies_inside_a_step_switches_inside_it(fmu):
    """u = 1 - t falls through the threshold at 0.5 s, in the middle of the step."""
    with Driver(fmu(Relay, 2), "cs") as driver:
        driver.start({"u": 1.0})
        driver.input_derivatives("u", -1.0)
        driver.step(0.0, 1.0)
        assert driver["stopped"] == pytest.approx(0.5, abs=1e-12)
        assert driver["since"] == pytest.approx(0.5, abs=1e-12)


def test_relations_are_right_in_initialization_mode(fmi, fmu):
    """Variables that depend on a relation are right as soon as they can be read."""
    with Driver(fmu(Relay, fmi), "me") as driver:
        driver.enter()
        driver.set({"u": 1.0})
        assert driver["charging"]
        assert driver["der(q)"] == pytest.approx((1.0 - 0.2) / 0.5)


def test_events_are_restored_with_the_state(fmi, fmu):
    """Saved before a bounce and restored after it, the ball bounces again at the same instant."""
    with Driver(fmu(BouncingBall, fmi), "cs") as driver:
        driver.start()
        driver.step(0.0, 0.4)
        saved = driver.fmu.getFMUState()
        ends = []
        for _ in range(2):
            driver.fmu.setFMUState(saved)
            driver.step(0.4, 0.3)
            ends.append(driver.get(["h", "v"]))
        driver.fmu.freeFMUState(saved)
        assert ends[0] == ends[1]
        assert ends[0]["v"] > 0


def test_events_without_end_are_discarded_with_a_sentence(fmi, fmu):
    """A component whose events chatter fails its step, and says where."""
    with Driver(fmu(Slider, fmi), "cs", "block") as driver:
        driver.start()
        assert status_of(driver.step, 0.0, 2.0) == DISCARD
        assert len(driver.log) == 1
        assert driver.log[0].startswith("block: ")
        # What a step that fails leaves behind is the last success in FMI 2, and the state before the call in FMI 3.
        assert driver["v"] == pytest.approx(0.0 if fmi == 2 else 1.0, abs=1e-6)


def test_events_are_logged_by_category(fmi, fmu):
    """Each event is one line of the category logEvents if logging is on: instance, time and the event."""
    with Driver(fmu(BouncingBall, fmi), "cs", "ball", logging=True) as driver:
        driver.start()
        driver.step(0.0, 0.5)
        assert len(driver.log) == 1
        assert driver.log[0].startswith("ball: at time 0.4515")
        assert driver.log[0].endswith("the ball hits the ground")


def test_an_event_is_armed_again_where_the_indicator_left_zero_unseen(fmi, fmu):
    """An integrator that stops exactly at zero sees no root when the ball rises from it; the next fall is an event all the same."""
    with Driver(fmu(BouncingBall, fmi), "me") as driver:
        driver.start()
        for instant, speed in ((FIRST, -3.0), (1.2, -2.0), (1.5, -1.0)):
            driver.at(instant, [0.0, speed])
            assert driver.handle_events()["states_changed"]
            assert driver.states[1] == pytest.approx(-E * speed)
            driver.at(instant + 0.1, [0.2, 0.5])
            assert driver.fmu.completedIntegratorStep() == (False, False)


def test_a_relation_that_changed_unseen_asks_for_event_mode(fmi, fmu):
    """The value in the equations changes in Event Mode only, therefore the end of an integrator step asks for it."""
    with Driver(fmu(Relay, fmi), "me") as driver:
        driver.start({"u": 1.0})
        assert driver.fmu.completedIntegratorStep() == (False, False)
        driver.set({"u": 0.1})
        enter, _ = driver.fmu.completedIntegratorStep()
        assert enter
        assert driver["charging"]
        driver.handle_events()
        assert not driver["charging"]
