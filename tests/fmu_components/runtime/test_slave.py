"""The runtime of PythonFMU slaves: integration, events, saved states and wrong use, without an FMU around it."""

from __future__ import annotations

import math
import types
from functools import cache

import pytest
from pythonfmu.enums import Fmi2Status
from scipy.integrate import solve_ivp
from sympy import Integer, Piecewise, sin, sqrt

import fmu_components.runtime.python as runtime
from fmu_components.catalogue import find
from fmu_components.declare.component import TIME, Component, declaration, falls, reaches, rises
from fmu_components.declare.declaration import TIME_NAMES, Role
from fmu_components.export.python_slave import slave_source
from fmu_components.export.table import VariableTable


@cache
def module_of(component):
    """The generated module, upon the runtime as it lies in the package."""
    module = types.ModuleType(component.__name__)
    exec(slave_source(VariableTable(declaration(component)), "fmu_components.runtime.python"), module.__dict__)
    return module


class Unit:
    """A slave by the names of its variables, as PythonFMU drives it."""

    def __init__(self, component, values=None, start=True, start_time=0.0, stop_time=None, tolerance=None):
        self.slave = getattr(module_of(component), declaration(component).identifier)(instance_name="unit")
        self.references = {v.name: r for r, v in self.slave.vars.items()}
        self.time = start_time
        self.slave.setup_experiment(start_time, stop_time, tolerance)
        self.slave.enter_initialization_mode()
        self.set(values or {})
        if start:
            self.slave.exit_initialization_mode()

    def _kind(self, name):
        return type(self.slave.vars[self.references[name]]).__name__.lower()

    def set(self, values):
        for name, value in values.items():
            getattr(self.slave, f"set_{self._kind(name)}")([self.references[name]], [value])

    def __getitem__(self, name):
        return getattr(self.slave, f"get_{self._kind(name)}")([self.references[name]])[0]

    def step(self, size):
        done = self.slave.do_step(self.time, size)
        self.time += size if done else 0
        return done

    @property
    def sentences(self):
        return [message.msg for message in self.slave.log_queue]


def refused(call, *arguments):
    """The sentence with which a call is refused."""
    with pytest.raises(runtime.Refusal) as error:
        call(*arguments)
    return str(error.value)


# -- what the tests run on ------------------------------------------------------------------------------------------------------


class Ball(Component):
    """Ball that bounces on the ground."""

    def declare(self):
        e = self.parameter("e", 0.8, "", "restitution", above=0, below=1)
        g = self.parameter("g", 9.81, "m/s2", "gravity")
        h = self.state("h", 1.0, "m", "height")
        v = self.state("v", 0.0, "m/s", "velocity")
        bounces = self.discrete("bounces", 0, "", "number of bounces")
        self.rate(h, v)
        self.rate(v, -g)
        self.when(falls(h), {v: -e * v, bounces: bounces + 1}, "the ball bounces")


class Counter(Component):
    """Counts periods, and integrates its count; two marks are exchanged at each."""

    def declare(self):
        period = self.parameter("period", 0.1, "s", "period", above=0)
        count = self.discrete("count", 0, "", "periods so far")
        first, second = self.discrete("first", 1.0, "", "a mark"), self.discrete("second", 2.0, "", "another mark")
        odd = self.discrete("odd", False, "", "whether the count is odd")
        total = self.state("total", 0.0, "s", "integral of the count")
        self.rate(total, count)
        self.output("shown", count + Piecewise((Integer(1), odd), (Integer(0), True)) / 2, "", "the count, and a half where it is odd")
        self.when(reaches(period * (count + 1)), {count: count + 1, odd: ~odd, first: second}, "a period ends")
        self.when(reaches(period * (count + 1)), {second: first}, "the other mark follows")


class Cascade(Component):
    """At time 1 a level jumps, whereupon a relation rises, whereupon a flag is set; the input has a relation as well."""

    def declare(self):
        level = self.discrete("level", 0.0, "", "jumps at time 1")
        flag, passes = self.discrete("flag", False, "", "set after the jump"), self.discrete("passes", 0, "", "how often u has passed 1")
        u = self.input("u", 0.0, "", "signal")
        self.relation("high", u - 1, "whether u is above 1")
        self.when(reaches(1 + 10 * level), {level: level + 1}, "the level jumps")
        self.when(rises(level - sqrt(2) / 2), {flag: True}, "the flag is set")
        self.when(rises(u - 1), {passes: passes + 1}, "u passes 1")


class Restless(Component):
    """A discrete state that changes its sign from time 0.5 on; each change causes the next one."""

    def declare(self):
        side = self.discrete("side", 1.0, "", "never at rest")
        on = self.discrete("on", False, "", "from time 0.5 on")
        x = self.state("x", 0.0, "s", "time that has passed")
        self.rate(x, Integer(1))
        push = Piecewise((side, on), (Integer(1), True))
        self.when(reaches(Integer(1) / 2 + 0 * side), {on: True, side: -side}, "it starts")
        self.when(rises(push), {side: -side}, "to the left")
        self.when(falls(push), {side: -side}, "to the right")


class Relay(Component):
    """A state that always runs towards 0, where its direction has no value."""

    def declare(self):
        x = self.state("x", 0.5, "s", "distance")
        above = self.relation("above", x, "whether x is positive")
        self.rate(x, Piecewise((Integer(-1), above), (Integer(1), True)))


class Explosion(Component):
    """A state with x' = x^2: no value beyond time 1."""

    def declare(self):
        x = self.state("x", 1.0, "", "grows without bound")
        rate = self.parameter("rate", 1.0, "1/s", "how fast")
        self.rate(x, rate * x**2)


class Oscillator(Component):
    """Van der Pol's, driven: a nonlinear system whose steps vary in size."""

    def declare(self):
        second = self.parameter("second", 1.0, "s", "unit of time", above=0)
        x, y = self.state("x", 2.0, "", "position"), self.state("y", 0.0, "", "velocity")
        u = self.input("u", 0.0, "", "drive")
        self.rate(x, y / second)
        self.rate(y, (5 * (1 - x**2) * y - x + u * sin(TIME / second)) / second)


class Orifice(Component):
    """Roots that make sense in one branch each."""

    def declare(self):
        p = self.input("p", 1.0, "", "pressure")
        forwards, backwards = sqrt(p), sqrt(-p)
        self.output("q", Piecewise((forwards, p > 0), (-backwards, True)), "", "flow")
        self.output("r", Piecewise((2 * forwards + 1, p > 0), (1 - 2 * backwards, True)), "", "flow, and one more")
        self.output("inverse", 1 / p, "", "no value at 0")


# -- values ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q"), [(4.0, 2.0), (-9.0, -3.0), (0.0, 0.0)])
def test_a_branch_that_is_not_taken_does_no_harm(p, q):
    """Roots of negative numbers in the other branch of a Piecewise, shared by two outputs, leave the outputs as they are."""
    unit = Unit(Orifice, {"p": p})
    assert unit["q"] == q
    assert unit["r"] == 2 * q + 1


def test_an_output_without_a_value_is_told():
    """1/p at p = 0 is infinite as in C, and one sentence says so."""
    unit = Unit(Orifice, {"p": 0.0})
    assert unit["inverse"] == math.inf
    assert unit.sentences == ["unit: inverse = inf at time 0.0 is not a finite number"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (runtime.divide(-1.0, 0.0), -math.inf),
        (runtime.divide(-1.0, -0.0), math.inf),
        (runtime.divide(0.0, 0.0), math.nan),
        (runtime.power(0.0, -1.0), math.inf),
        (runtime.power(-8.0, 1 / 3), math.nan),
        (runtime.power(-1e200, 3), -math.inf),
        (runtime.power(-1e200, 2), math.inf),
        (runtime.sqrt(-1.0), math.nan),
        (runtime.log(0.0), -math.inf),
        (runtime.log(-1.0), math.nan),
        (runtime.exp(1e3), math.inf),
        (runtime.sinh(-1e3), -math.inf),
        (runtime.sin(math.inf), math.nan),
        (runtime.acos(2.0), math.nan),
        (runtime.floor(math.inf), math.inf),
        (runtime.floor(-1.5), -2.0),
        (runtime.ceil(1.5), 2.0),
        (runtime.modulo(1.0, 0.0), math.nan),
    ],
)
def test_arithmetic_is_that_of_c(value, expected):
    """Undefined results are NaN or infinite, and raise nothing."""
    assert value == expected or (math.isnan(value) and math.isnan(expected))


# -- integration ----------------------------------------------------------------------------------------------------------------


def test_steps_follow_the_reference_whatever_their_sizes():
    """A driven Van der Pol oscillator stays within 1e-8 of SciPy's solution at rtol 1e-12, its input changing at each point."""
    unit, state = Unit(Oscillator), [2.0, 0.0]
    for k, size in enumerate([0.5, 1e-6, 2.0, 0.01, 3.0]):
        u = math.cos(k)
        unit.set({"u": u})
        exact = solve_ivp(
            lambda t, s, u=u: [s[1], 5 * (1 - s[0] ** 2) * s[1] - s[0] + u * math.sin(t)],
            (unit.time, unit.time + size),
            state,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        )
        assert unit.step(size)
        state = list(exact.y[:, -1])
        assert [unit["x"], unit["y"]] == pytest.approx(state, abs=1e-8)


def test_the_dense_output_is_of_fourth_order():
    """Between the ends of one step, halving it divides the error for x' = x by 2^5, at its ends by 2^6."""

    def errors(size):
        step = runtime.try_step(lambda t, x: list(x), 0.0, size, [1.0], [1.0])
        return abs(step.at(0.4)[0] - math.exp(0.4 * size)), abs(step.at(1)[0] - math.exp(size))

    coarse, fine = errors(0.2), errors(0.1)
    assert math.log2(coarse[0] / fine[0]) == pytest.approx(5, abs=0.2)
    assert math.log2(coarse[1] / fine[1]) == pytest.approx(6, abs=0.2)


def test_the_embedded_error_is_that_of_fourth_order():
    """The estimated error shrinks by 2^5 when a step is halved."""
    sizes = (0.2, 0.1)
    coarse, fine = (runtime.try_step(lambda t, x: list(x), 0.0, h, [1.0], [1.0]).error([1.0], 1e-10)[0] for h in sizes)
    assert math.log2(coarse / fine) == pytest.approx(5, abs=0.3)


def test_a_step_that_cannot_be_made_is_discarded_and_leaves_no_trace():
    """Beyond the pole of x' = x^2 the step fails with a sentence; a shorter one from the same point is exact."""
    unit = Unit(Explosion)
    assert unit.step(0.5)
    assert not unit.step(1.0)
    assert unit.slave.log_queue[-1].status == Fmi2Status.discard
    assert unit.sentences[-1].startswith("unit: the step at time 0.99")
    assert "x = " in unit.sentences[-1]
    assert unit["simulation_time"] == 0.5
    assert unit.step(0.25)
    assert unit["x"] == pytest.approx(4.0, rel=1e-8)


def test_a_short_communication_step_says_nothing_against_longer_ones():
    """The step size that the error allows is remembered past a step that the importer cut short."""
    unit = Unit(Oscillator)
    assert unit.step(0.5)
    allowed = unit.slave._memory.free_step
    assert allowed < 0.5
    assert unit.step(1e-7)
    assert unit.slave._memory.free_step >= allowed


def test_the_tolerance_of_the_experiment_only_tightens():
    """A coarse tolerance leaves the steps as they are; a fine one makes their error smaller."""

    def error(tolerance):
        unit = Unit(Explosion, tolerance=tolerance)
        unit.step(0.9)
        return abs(unit["x"] - 10)

    assert error(1e-2) == error(None)
    assert error(1e-11) < error(None)


# -- events ---------------------------------------------------------------------------------------------------------------------


def bounced(time, e, g=9.81, height=1.0):
    """Height, velocity and number of bounces in closed form."""
    since, speed, count = time - math.sqrt(2 * height / g), math.sqrt(2 * g * height), 0
    if since < 0:
        return height - g * time**2 / 2, -g * time, 0
    while True:
        speed, count = speed * e, count + 1
        if since < 2 * speed / g:
            return speed * since - g * since**2 / 2, speed - g * since, count
        since -= 2 * speed / g


@pytest.mark.parametrize(("e", "size", "end"), [(0.8, 0.01, 2.0), (0.8, 0.37, 3.7), (0.8, 3.7, 3.7), (0.3, 0.83, 0.83), (0.1, 0.55, 0.55)])
def test_a_ball_bounces_at_the_exact_times(e, size, end):
    """Height, velocity and count are those of the closed form to 1e-9, however many bounces lie within a communication step."""
    unit = Unit(Ball, {"e": e})
    while unit.time < end - 1e-9:
        assert unit.step(size)
        height, velocity, count = bounced(unit.time, e)
        assert unit["bounces"] == count
        assert unit["h"] == pytest.approx(height, abs=1e-9)
        assert unit["v"] == pytest.approx(velocity, abs=1e-9)
    assert unit["bounces"] >= 2


def test_a_relay_that_chatters_is_discarded():
    """A state that is driven back wherever it goes would switch for ever; the step ends in a sentence instead."""
    unit = Unit(Relay)
    assert unit.step(0.4)
    assert unit["x"] == pytest.approx(0.1)
    assert not unit.step(0.4)
    assert unit.sentences[-1].startswith("unit: the events chatter at time 0.5")
    assert unit["simulation_time"] == 0.4


@pytest.mark.parametrize("size", [0.03, 0.1, 0.25, 1.7])
def test_time_events_happen_at_their_instants(size):
    """The count of periods and its integral are exact to 1e-9, steps ending on the events, between them and across several."""
    unit = Unit(Counter)
    for _ in range(math.ceil(2 / size)):
        assert unit.step(size)
        count = math.floor(unit.time / 0.1 + 1e-9)
        assert unit["count"] == count
        assert unit["total"] == pytest.approx(0.1 * count * (count - 1) / 2 + count * (unit.time - 0.1 * count), abs=1e-9)
        assert unit["shown"] == count + (count % 2) / 2


def test_updates_are_computed_from_the_values_before_the_event():
    """Two discrete states that take each other's values, in two events of the same instant, exchange them."""
    unit = Unit(Counter)
    assert unit.step(0.15)
    assert (unit["first"], unit["second"]) == (2.0, 1.0)


def test_an_instant_at_the_start_is_reached_at_initialisation():
    """A time event due at the start time has happened when initialisation ends; each instant that lies behind counts once."""
    assert Unit(Counter, start_time=0.1)["count"] == 1
    assert Unit(Counter, start_time=0.35)["count"] == 3


def test_events_set_off_further_events_at_the_same_instant():
    """The jump of a discrete state at time 1 makes a relation rise, whose event happens at once."""
    unit = Unit(Cascade)
    assert unit.step(0.999)
    assert not unit["flag"]
    assert unit.step(0.0011)
    assert unit["level"] == 1
    assert unit["flag"]


def test_a_jump_of_an_input_is_an_event_at_the_start_of_the_step():
    """A relation keeps its value until the next step begins, then rises; a signal that is high at the start has not risen."""
    unit = Unit(Cascade)
    unit.set({"u": 2.0})
    assert not unit["high"]
    assert unit.step(0.1)
    assert unit["high"]
    assert unit["passes"] == 1
    started_high = Unit(Cascade, {"u": 2.0})
    assert started_high["high"]
    assert started_high.step(0.1)
    assert started_high["passes"] == 0


def test_events_without_end_are_discarded():
    """Events that keep causing each other end in a sentence, and the slave stays where it was."""
    unit = Unit(Restless)
    assert unit.step(0.4)
    assert not unit.step(0.4)
    assert unit.sentences[-1].startswith("unit: the events at time 0.5 do not settle: after 100 rounds there are still 'to the ")
    assert unit["x"] == pytest.approx(0.4, abs=1e-12)
    assert unit.step(0.05)


# -- saved states ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("component", [Ball, Counter, Oscillator])
def test_a_restored_state_continues_with_the_same_bits(component):
    """States, discrete states, relations, events that have happened and step size come back, also by way of bytes."""
    unit, other = Unit(component), Unit(component)
    names = [TIME_NAMES[2] if v.role is Role.TIME else v.name for v in declaration(component).variables]
    assert unit.step(0.5)
    saved, time = unit.slave._get_fmu_state(), unit.time
    data = unit.slave._fmu_state_to_bytes(saved)
    ends = []
    for slave, state in [(unit, saved), (unit, saved), (other, unit.slave._fmu_state_from_bytes(data))]:
        slave.slave._set_fmu_state(state)
        slave.time = time
        for size in (0.2, 0.01, 0.6):
            assert slave.step(size)
        ends.append([slave[name] for name in names])
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("data", [b"", b"nothing of the kind", b"[1, 2]", b"\xff\xfe", b'{"model": "another"}'])
def test_foreign_bytes_are_no_state(data):
    """Bytes that no slave of this kind has written are refused, and the slave goes on."""
    unit = Unit(Ball)
    assert refused(unit.slave._set_fmu_state, unit.slave._fmu_state_from_bytes(data)) == "unit: this is no saved state of Ball"
    assert unit.step(0.1)


# -- wrong use ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_input_that_is_not_a_number_makes_no_step(value):
    """It keeps its value and the steps are discarded, until it is given a finite one or a state is restored."""
    unit = Unit(find("planar.Body1"))
    unit.set({"p1.Fx": 2.0})
    saved = unit.slave._get_fmu_state()
    for remedy in (lambda: unit.set({"p1.Fx": 2.0}), lambda: unit.slave._set_fmu_state(saved)):
        unit.set({"p1.Fx": value, "p1.Fy": 9.81})
        assert unit["p1.Fx"] == 2.0
        assert not unit.step(0.1)
        assert set(unit.sentences) == {f"unit: p1.Fx = {value:g} N is refused: it must be a finite number"}
        assert unit["simulation_time"] == 0
        remedy()
    assert unit.step(0.1)
    assert unit["vx"] == pytest.approx(0.2)


def test_a_validity_condition_is_checked_at_initialisation():
    """Opposite axes of a translational joint are refused by a sentence with the condition and the value that violates it."""
    unit = Unit(find("planar.Translational"), {"N.theta": 3.0}, start=False)
    sentence = refused(unit.slave.exit_initialization_mode)
    assert sentence.startswith("unit: it is required that the axes of M and N point the same way")
    assert sentence.endswith(f"; the value that must be positive is {math.cos(3.0):g}, from M.theta = 0 rad, N.theta = 3 rad")


def test_a_joint_is_always_compliant_in_co_simulation():
    """The switch to ideal mode is refused."""
    unit = Unit(find("planar.Revolute"), start=False)
    assert refused(unit.set, {"ideal": True}) == (
        "unit: ideal = True is refused: it must be False: in Co-Simulation a joint is always compliant"
    )
    unit.set({"ideal": False})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda u: u.set({"h": 2.0}), "h = 2 m cannot be set now: it can be set before the start only"),
        (lambda u: u.set({"der(h)": 2.0}), "der(h) = 2 m/s cannot be set now: it is computed by the component itself"),
        (lambda u: u.set({"simulation_time": 2.0}), "simulation_time = 2 s cannot be set now: it is computed by the component itself"),
        (lambda u: u.slave.get_real([99]), "the value reference 99 is unknown; Ball has 1 to 10"),
        (lambda u: u.slave.set_real([-1], [0.0]), "the value reference 4294967295 is unknown; Ball has 1 to 10"),
        (lambda u: u.slave.get_integer([u.references["h"]]), "h (value reference 3) is not a integer variable but a real one"),
        (lambda u: u.slave.set_string([u.references["e"]], ["x"]), "e (value reference 1) is not a string variable but a real one"),
        (lambda u: u.slave.do_step(0.5, 0.1), "a step from time 0.5 is refused: the instance is at time 0.0"),
        (lambda u: u.slave.do_step(0.0, 0.0), "the communication step size 0.0 is refused: it must be greater than 0"),
        (lambda u: u.slave.do_step(0.0, math.nan), "the communication step size nan is refused: it must be greater than 0"),
        (lambda u: u.slave.do_step(0.0, 2.0), "a step to time 2.0 is refused: the stop time is 1.0"),
        (
            lambda u: u.slave.enter_initialization_mode(),
            "enter_initialization_mode cannot be called while the instance is running; it must be instantiated",
        ),
        (
            lambda u: u.slave.setup_experiment(0.0),
            "setup_experiment cannot be called while the instance is running; it must be instantiated",
        ),
    ],
)
def test_wrong_calls_are_answered_by_one_sentence(call, sentence):
    """Each is refused, logged as an error in one sentence that names the instance, and does no harm."""
    unit = Unit(Ball, stop_time=1.0)
    assert refused(call, unit) == f"unit: {sentence}"
    assert unit.sentences == [f"unit: {sentence}"]
    assert unit.slave.log_queue[0].status == Fmi2Status.error
    assert unit.step(0.1)
    assert unit["h"] == pytest.approx(bounced(0.1, 0.8)[0], abs=1e-12)


@pytest.mark.parametrize("experiment", [{"start_time": math.nan}, {"start_time": 1.0, "stop_time": 0.0}, {"tolerance": math.nan}])
def test_an_experiment_that_makes_no_sense_is_refused(experiment):
    """Times must be finite and in order, a tolerance a number."""
    with pytest.raises(runtime.Refusal, match=r"^unit: .* is refused: "):
        Unit(Ball, **experiment)


def test_a_tolerance_of_zero_is_none():
    """OMSimulator saves it so: a warning follows, and the steps of the FMU's own tolerance."""
    unit, usual = Unit(Ball, tolerance=0.0), Unit(Ball)
    assert unit.sentences == ["unit: the tolerance 0.0 is none, and the FMU keeps its own; give one greater than 0"]
    assert unit.slave.log_queue[0].status == Fmi2Status.warning
    assert unit.step(0.1) and usual.step(0.1) and unit["h"] == usual["h"]
