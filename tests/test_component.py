"""What a declaration refuses, and with which sentence."""

from __future__ import annotations

import pytest
import sympy

from fmu_components.component import Component, declaration, rises
from fmu_components.declaration import DeclarationError, Range
from fmu_components.ports import PLANAR, Side


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
    """The unit, the factor and what there is."""
    component = type(
        "Part", (Component,), {"__doc__": "Part.", "declare": lambda self: self.parameter("m", 1.0, "furlong", "length") and None}
    )
    with pytest.raises(ValueError, match="the unit 'furlong' has the unknown factor 'furlong'; use products of kg, m, s"):
        declaration(component)


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
    """What is declared cannot be changed afterwards."""
    from fmu_components.catalogue import find

    declared = declaration(find("planar.Fixed"))
    with pytest.raises(AttributeError):
        declared.name = "other"
    with pytest.raises(AttributeError):
        declared.variables[0].start = 1.0
