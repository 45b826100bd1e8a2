"""The variable tables that the exporters' tests run over: every component of the catalogue, and one with events."""

from __future__ import annotations

import pytest
from sympy import Integer, Piecewise

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component, falls, reaches
from fmu_components.export.table import VariableTable
from fmu_components.planar.Revolute import Revolute
from tests.support.export.tables import table_of


class BouncingBall(Component):
    """Ball that falls, bounces, and is thrown up from time to time: state events, time events and discrete states."""

    def declare(self) -> None:
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        g = self.parameter("g", 9.81, "m/s2", "gravity", nominal=10)
        e = self.parameter("e", 0.7, "", "restitution", above=0, below=1, fixed=True)
        kick = self.parameter("kick", 3.0, "m/s", "velocity of a throw")
        b = self.parameter("b", 0.1, "N.s/m", "damping in the air", at_least=0)
        h = self.state("h", 1.0, "m", "height")
        v = self.state("v", 0.0, "m/s", "velocity", nominal=5)
        F = self.input("F", 0.0, "N", "lift")
        bounces = self.discrete("bounces", 0, "", "number of bounces")
        throw = self.discrete("throw", 2.0, "s", "time of the next throw")
        thrown = self.discrete("thrown", False, "", "whether it was ever thrown")
        airborne = self.relation("airborne", h, "true while the ball is in the air")
        self.rate(h, v)
        self.rate(v, Piecewise((F / m - g, airborne), (Integer(0), True)))
        self.output("drag", Piecewise((-b * v, airborne), (Integer(0), True)), "N", "drag in the air")
        self.output("height", h, "m", "height, for others to see")
        self.output("bonus", Piecewise((F / 2, thrown), (F / 3, True)), "N", "lift that counts")
        self.output("flag", Piecewise((Integer(1), airborne), (Integer(0), True)), "", "1 in the air")
        self.local("energy", m * (v**2 / 2 + g * h), "J", "energy")
        self.when(falls(h), {v: -e * v, bounces: bounces + 1}, "the ball bounces")
        self.when(reaches(throw), {v: v + kick, throw: 2 * throw, thrown: True}, "the ball is thrown")


COMPONENTS = all_components() | {"BouncingBall": BouncingBall}


@pytest.fixture(params=list(COMPONENTS))
def table(request: pytest.FixtureRequest) -> VariableTable:
    """Every component, one after the other."""
    return table_of(COMPONENTS[request.param])


@pytest.fixture
def ball() -> VariableTable:
    return table_of(BouncingBall)


@pytest.fixture
def joint() -> VariableTable:
    return table_of(Revolute)
