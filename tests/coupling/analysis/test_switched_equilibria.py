"""Equilibria of systems that switch: a pose is at rest in its own modes, and lies where its states may lie."""

from __future__ import annotations

import pytest
from sympy import Piecewise

from coupling import AnalysisError, System
from fmu_components.declare.component import Component
from tests.support.systems.systems import refusal


def servo(spool: float) -> System:
    """Returns two volumes of oil at a valve whose command opens it by half, from a spool that may still be closed."""
    system = System("servo")
    system.add("pump", "hydraulic.PressureSource", {"pressure": 1e7})
    system.add("tank", "hydraulic.Tank")
    system.add("valve", "hydraulic.ProportionalValve43", {"spool": spool})
    system.add("first", "hydraulic.Volume", {"p": 2e6})
    system.add("second", "hydraulic.Volume", {"p": 1e6})
    for port, edge in {"pump.port": "P", "tank.port": "T", "first.port": "A", "second.port": "B"}.items():
        system.connect(port, f"valve.{edge}")
    system.drive("valve.command", 0.5)
    return system


@pytest.mark.parametrize("spool", [0.0, 0.5])
def test_a_valve_that_opens_on_the_way(spool):
    """The volumes take the pressures of pump and tank, not those at which the closed spool has left them."""
    pose = servo(spool).equilibrium()
    assert pose["first.p"] == pytest.approx(1e7, rel=1e-9)
    assert pose["second.p"] == pytest.approx(1e5, rel=1e-6)
    assert pose.stable and not pose.neutral
    result = servo(spool).simulate(0.01, initial=pose)
    assert result["first.p"][-1] == pytest.approx(result["first.p"][0], rel=1e-9)


class Oven(Component):
    """Oven whose heater is on below 300 K, at 320 K with it and at 290 K without."""

    def declare(self):
        T = self.state("T", 295.0, "K", "temperature", nominal=300)
        cold = self.relation("cold", 1 - T / self.parameter("wanted", 300.0, "K", "temperature that is wanted"), "the heater is on")
        end = Piecewise((320, cold), (290, True)) * self.parameter("one", 1.0, "K", "unit")
        self.rate(T, (end - T) / self.parameter("lag", 10.0, "s", "time constant"))


def test_a_system_without_rest_says_so():
    """A thermostat that rests in neither mode gives a remark; one that wants 330 K rests at 320 K without remark."""
    system = System("oven")
    system.add("oven", Oven)
    (sentence,) = system.equilibrium().notes
    assert sentence.startswith("the system switches at this pose each time, and does not rest there: check it by a run with initial=pose")
    pose = system.equilibrium({"oven.T": 295.0, "oven.wanted": 330.0})
    assert pose["oven.T"] == pytest.approx(320, rel=1e-12) and not pose.notes


def receiver() -> System:
    """Returns a volume of gas that a supply fills through a choked passage."""
    system = System("receiver")
    system.add("supply", "pneumatic.PressureSource", {"pressure": 8e5})
    system.add("tank", "pneumatic.Volume")
    system.join("pneumatic.Restrictor", "supply.port", "tank.port", {"C": 2e-8})
    return system


def test_a_state_beyond_its_range_is_no_equilibrium():
    """Choked flow does not depend on the pressure, and the search leaves the range of pressures; from where it does, it ends at the supply."""
    sentence = refusal(receiver().equilibrium, AnalysisError)
    assert sentence.startswith("no equilibrium was found: the search ends at 'tank.p' = -")
    assert sentence.endswith(" Pa, and at least 0 is possible; give a start nearer to an equilibrium")
    assert receiver().equilibrium(initial={"tank.p": 7e5})["tank.p"] == pytest.approx(8e5, rel=1e-9)
