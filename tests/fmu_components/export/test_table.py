"""The table's Jacobian holds every slope that is anywhere other than zero."""

from __future__ import annotations

from cProfile import Profile

import pytest
from sympy import Add, And, Eq, Integer, Max, Piecewise, cos, sin

from fmu_components.declare.component import Component, declaration, reaches
from fmu_components.export.c_code import model_source
from fmu_components.export.model_description import model_description
from fmu_components.export.table import VariableTable
from tests.support.export.tables import table_of


class Gates(Component):
    """Slopes that are zero over half of all inputs, or while a relation is false."""

    def declare(self) -> None:
        u = self.input("u", 0.0, "", "signal")
        w = self.input("w", 0.0, "", "signal")
        gates = [self.relation(f"gate{k}", w - k, "a gate is open") for k in range(3)]
        half = self.output("half", Max(-u, 0), "", "negative part")
        self.output("behind", half * w, "", "a product with it")
        self.output("locked", Piecewise((u, gates[0] & gates[1] & gates[2]), (0, True)), "", "u behind three gates")
        self.output("cancelled", (u + w) ** 2 - u**2 - 2 * u * w - w**2, "", "zero, which is not seen at once")


class Switched(Component):
    """Gain that acts in one combination of four relations, or in the seventh round."""

    def declare(self) -> None:
        k = self.parameter("k", 2.0, "", "gain")
        u = self.input("u", 0.0, "", "input")
        above = [self.relation(f"above{n}", u - n, f"u is above {n}") for n in range(4)]
        turn = self.discrete("turn", 0, "", "round")
        self.output("y", Piecewise((k * u, And(*above)), (Integer(0), True)), "", "output")
        self.output("z", Piecewise((k * u, Eq(turn, 7)), (Integer(0), True)), "", "output")
        self.output("same", sin(k + u) - sin(k) * cos(u) - cos(k) * sin(u), "", "nothing")
        self.when(reaches(turn + self.parameter("unit", 1.0, "", "length of a round")), {turn: turn + 1}, "a round ends")


def knowns_of(component: type[Component], unknown: str) -> set[str]:
    table = table_of(component)
    return {table.variable(known).name for row, known in table.jacobian if table.variable(row).name == unknown}


@pytest.mark.parametrize(("unknown", "knowns"), [("half", "u"), ("behind", "uw"), ("locked", "u"), ("cancelled", "")])
def test_slopes_of_one_branch_are_kept(unknown, knowns):
    """A slope that is zero in one branch stands in the Jacobian, one whose terms cancel everywhere does not."""
    assert knowns_of(Gates, unknown) == set(knowns)


@pytest.mark.parametrize("unknown", ["y", "z"])
def test_an_entry_that_events_switch_on_is_kept(unknown):
    """However rare the combination in which it differs from zero."""
    assert {"u", "k"} <= knowns_of(Switched, unknown)


def test_what_cancels_always_is_left_out():
    assert not knowns_of(Switched, "same")


def steps_of_building(count: int) -> int:
    """Counts the calls of the exporter's functions for the model description and the C source of so many parameters and outputs."""

    class Many(Component):
        """A component of many parameters."""

        def declare(self) -> None:
            x = self.state("x", 1.0, "m", "position")
            rates = [self.parameter(f"rate{i}", 1.0 / (i + 1), "1/s", "rate") for i in range(count)]
            self.rate(x, -x * Add(*rates))
            for i, rate in enumerate(rates):
                self.output(f"part{i}", rate * x, "m/s", "part of it")

    profile = Profile()
    profile.runcall(lambda table: (model_description(table, 2), model_source(table)), VariableTable(declaration(Many)))
    return sum(e.callcount for e in profile.getstats() if "fmu_components" in getattr(e.code, "co_filename", ""))


def test_a_thousand_parameters_are_built_in_proportion():
    """Twice the parameters take little more than twice the calls: 1,000 of them, with as many outputs, build within some seconds."""
    assert steps_of_building(200) < 2.1 * steps_of_building(100)
