"""Refusals of a declaration, and their sentences."""

from __future__ import annotations

import math

import pytest
import sympy

from fmu_components.declare.component import Component, declaration, rises
from fmu_components.declare.declaration import DeclarationError, Range
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import PLANAR, TRANSLATIONAL, Side


def refused(body, sentence):
    component = type(
        "Part", (Component,), {"__doc__": "Part that is declared wrongly.", "declare": body, "__module__": "user_components.part"}
    )
    with pytest.raises(DeclarationError) as caught:
        declaration(component)
    assert str(caught.value) == sentence


def test_a_variable_declared_twice():
    """The name and the remedy."""

    def body(self):
        self.parameter("m", 1.0, "kg", "mass")
        self.parameter("m", 2.0, "kg", "mass")

    refused(body, "Part: the variable 'm' is declared twice; rename one of the two")


def test_a_start_value_out_of_its_range():
    """Parameter, value and range."""

    def body(self):
        self.parameter("m", 0.0, "kg", "mass", above=0)

    refused(body, "Part: the parameter 'm' starts at 0, but must be greater than 0; change its start value")


def test_a_state_without_a_derivative():
    """The state, and the call that is missing."""

    def body(self):
        self.state("x", 0.0, "m", "position")

    refused(body, "Part: the state 'x' has no derivative; state it with rate(x, ...)")


def test_a_rate_of_what_is_no_state():
    """The symbol that was given."""

    def body(self):
        self.rate(self.parameter("m", 1.0, "kg", "mass"), sympy.Integer(0))

    refused(body, "Part: rate() was given 'm', which is not a state; declare it with state() first")


def test_a_port_that_nothing_gives():
    """The variable and the call that is missing."""

    def body(self):
        self.port("p1", PLANAR, Side.MOTION, "point")

    refused(body, "Part: nothing gives 'p1.x'; state it with moves(p1, ...)")


def test_an_equation_whose_terms_differ_in_dimension():
    """The equation, both dimensions and the term."""

    def body(self):
        m, s = self.parameter("m", 1.0, "kg", "mass"), self.parameter("s", 1.0, "m", "length")
        self.output("y", m + s, "kg", "sum")

    refused(body, "Part: y: the terms of 'm + s' differ in dimension: kg and m (in 's')")


def test_an_equation_of_another_dimension_than_its_unit():
    """The variable, its unit and the dimension of its equation."""

    def body(self):
        self.output("y", self.parameter("s", 1.0, "m", "length") ** 2, "m", "area")

    refused(body, "Part: y has the unit 'm', but its equation has the dimension m2")


def test_a_function_of_a_length():
    """Only numbers have a sine."""

    def body(self):
        self.output("y", sympy.sin(self.parameter("s", 1.0, "m", "length")), "", "nonsense")

    refused(body, "Part: y: 'sin(s)' takes a function of a quantity with the dimension m")


def test_a_symbol_that_is_not_declared():
    """The equation and the symbol."""

    def body(self):
        self.output("y", sympy.Symbol("z", real=True), "", "unknown")

    refused(body, "Part: the equation of y uses 'z', which is not declared")


def test_equations_in_a_circle():
    """The circle, and what to do."""

    def body(self):
        self.output("y", sympy.Symbol("z", real=True), "", "first")
        self.output("z", sympy.Symbol("y", real=True), "", "second")

    refused(body, "Part: the equations of y -> z -> y form a circle; express one of them by states and inputs")


def test_an_event_that_sets_what_is_no_state():
    """The symbol that was given."""

    def body(self):
        u = self.input("u", 0.0, "m", "input")
        self.when(rises(u), {u: sympy.Integer(0)}, "never")

    refused(body, "Part: an event sets 'u', which is neither a state nor a discrete state")


def test_an_unknown_unit():
    """The message gives the unit, the factor and the known units."""
    component = type(
        "Part", (Component,), {"__doc__": "Part.", "declare": lambda self: self.parameter("m", 1.0, "furlong", "length") and None}
    )
    with pytest.raises(ValueError, match="the unit 'furlong' has the unknown factor 'furlong'; use products of kg, m, s"):
        declaration(component)


def test_an_equation_that_is_a_single_symbol_of_another_dimension():
    """A mass is no length, even where nothing is computed."""

    def body(self):
        self.output("y", self.parameter("m", 1.0, "kg", "mass"), "m", "nonsense")

    refused(body, "Part: y has the unit 'm', but its equation has the dimension kg")


def test_a_motion_that_depends_on_an_input_without_a_rate():
    """Its velocity would be unknown; signal() brings the rate along."""

    def body(self):
        port = self.port("flange", TRANSLATIONAL, Side.MOTION, "flange")
        self.moves(port, self.input("u", 0.0, "m", "position"))

    refused(body, "Part: the time derivative of 'u' needs the rate of the input 'u', which is not known; declare the input with signal()")


def test_a_motion_before_the_rates_of_its_states():
    """Its acceleration would be taken for 0."""

    def body(self):
        port = self.port("flange", TRANSLATIONAL, Side.MOTION, "flange")
        s, v = self.state("s", 0.0, "m", "position"), self.state("v", 0.0, "m/s", "velocity")
        self.rate(s, v)
        self.moves(port, s)
        self.rate(v, port.f / self.parameter("m", 1.0, "kg", "mass"))

    refused(body, "Part: the time derivative of 'v' needs the rate of the state 'v', which is not declared yet; call rate(v, ...) before")


@pytest.mark.parametrize("name", ["my param", "1x", "time", "simulation_time", 'a"b', "a..b", ""])
def test_a_name_that_fmi_does_not_allow(name):
    """The name and what a name is made of."""

    def body(self):
        self.parameter(name, 1.0, "m", "length")

    refused(
        body,
        f"Part: '{name}' cannot name a variable; use letters, digits and underscores, joined by dots, with an index in brackets, "
        f"such as 'p1.rx' or 'lambda[1]', and not 'time' or 'simulation_time'",
    )


def test_a_port_that_is_given_too_little():
    """The message gives the number of coordinates of the kind."""

    def body(self):
        self.moves(self.port("p1", PLANAR, Side.MOTION, "point"), 0, 0)

    refused(body, "Part: moves(p1, ...) needs 3 coordinates for a planar frame, but was given 2")


def test_a_call_for_the_other_side_of_a_port():
    """A port that gives effort is not moved."""

    def body(self):
        self.moves(self.port("M", PLANAR, Side.EFFORT, "point"), 0, 0, 0)

    refused(body, "Part: moves() is for ports that give motion, but 'M' gives effort")


def test_a_mistake_in_python_is_shown_with_its_line():
    """File, line, what stands there and what is wrong."""

    def body(self):
        self.output("y", math.cos(self.parameter("phi", 0.0, "rad", "angle")), "", "cosine")

    component = type("Part", (Component,), {"__doc__": "Part.", "declare": body})
    with pytest.raises(
        DeclarationError, match=r"its declaration fails in test_component.py, line \d+ \(self.output.*\): TypeError: Cannot convert"
    ):
        declaration(component)


def test_nothing_declared():
    """An empty component says what is missing."""
    refused(lambda self: None, "Part declares no variable; state parameters, ports and equations in declare(self)")


@pytest.mark.parametrize(
    ("method", "equations", "sentence"),
    [
        ("constraint", lambda M, N: N.x - M.x, "Part: constraint() must return a list of expressions, but returned -M.x + N.x"),
        ("constraint", lambda M, N: None, "Part: constraint() must return a list of expressions, but returned None"),
        (
            "constraint",
            lambda M, N: [N.vx - M.vx],
            "Part: constraint() contains '-M.vx + N.vx', which is of a higher level; "
            "use velocity_constraint() for expressions that contain velocities",
        ),
        (
            "velocity_constraint",
            lambda M, N: [N.ax],
            "Part: velocity_constraint() contains 'N.ax', which is of a higher level; a constraint contains no accelerations",
        ),
        ("constraint", lambda M, N: [sympy.Integer(1)], "Part: the constraint '1' does not depend on the motion of M or N"),
    ],
)
def test_a_constraint_of_the_wrong_kind(method, equations, sentence):
    """The message quotes the equation, and says where it belongs."""

    def stated(self, M, N):
        return equations(M, N)

    stated.__name__ = method
    joint = type("Part", (Joint,), {"__doc__": "Part.", "__module__": "user_components.part", method: stated})
    with pytest.raises(DeclarationError) as caught:
        declaration(joint)
    assert str(caught.value) == sentence


def test_a_component_without_a_docstring():
    """Its first line is the title."""
    component = type("Part", (Component,), {"declare": lambda self: None, "__doc__": None})
    with pytest.raises(DeclarationError, match="has no docstring; describe the component, its first line is the title"):
        declaration(component)


@pytest.mark.parametrize(
    ("valid", "inside", "outside", "text"),
    [
        (Range(0, open_below=True), 1e-300, 0.0, "greater than 0"),
        (Range(0), 0.0, -1e-300, "at least 0"),
        (Range(maximum=1, open_above=True), 0.5, 1.0, "less than 1"),
        (Range(0, 1), 1.0, 1.1, "at least 0 and at most 1"),
        (Range(), -1e300, float("nan"), "finite"),
    ],
)
def test_ranges_know_their_ends(valid, inside, outside, text):
    """An open end excludes its bound; no range has NaN or infinity."""
    assert inside in valid
    assert outside not in valid
    assert float("inf") not in valid
    assert str(valid) == text


def test_a_declaration_is_frozen():
    """Its parts cannot be changed afterwards."""
    from fmu_components.catalogue import find

    declared = declaration(find("planar.Fixed"))
    with pytest.raises(AttributeError):
        declared.name = "other"
    with pytest.raises(AttributeError):
        declared.variables[0].start = 1.0


def test_a_motion_follows_through_what_is_calculated():
    """The rate of a state that is an expression, and a coordinate by way of an output, keep their derivatives."""

    def body(self):
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "the mass")
        s, v = self.state("s", 0.0, "m", "position"), self.state("v", 0.0, "m/s", "velocity")
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        self.rate(v, flange.f / m)
        self.rate(s, 2 * v)
        self.moves(flange, self.output("double", 2 * s, "m", "twice the position"))

    component = type("Doubled", (Component,), {"__doc__": "Geared mass.", "declare": body, "__module__": "user_components.part"})
    declared = declaration(component)
    force, mass = declared["flange.f"].symbol, declared["m"].symbol
    assert declared.expand(declared["flange.a"].equation) == 4 * force / mass
