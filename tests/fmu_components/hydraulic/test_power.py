"""Energy balances of all components of the library: each accounts for all energy that it stores or loses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role, Variable
from fmu_components.declare.ports import Side
from fmu_components.export.build import cached_fmu
from tests.support.components.circuits import circuit, run
from tests.support.properties import check_all
from tests.support.runtime.driver import Driver

NAMES = [name for name in all_components() if name.startswith("hydraulic.")]
RANGES = {"Pa": (1e5, 2e7), "m3/s": (-1e-3, 1e-3), "m": (0.0, 0.4), "m/s": (-0.5, 0.5), "rad/s": (-300.0, 300.0), "": (-1.5, 1.5)}
SETTINGS = {
    "hydraulic.Accumulator": {"precharge": 8e6},
    "hydraulic.Cylinder": {"stop.length": 0.12, "leakage": 1e-11, "coulomb": 200.0},
    "hydraulic.DoubleRodCylinder": {"stop.length": 0.12, "leakage": 1e-11, "coulomb": 200.0},
    "hydraulic.Motor": {"coulomb": 3.0},
    "hydraulic.Pump": {"coulomb": 3.0},
    "hydraulic.ReliefValve": {"set": 5e6, "band": 5e6},
}
"""Values with which all that the component can do happens within the ranges."""


def at_random_points(name: str, points: int) -> Iterator[Driver]:
    """An FMU at one random point after the other, its relations being those of the point."""
    declared, random = declaration(find(name)), np.random.default_rng(12)

    def draw(variable: Variable) -> float:
        return float(random.uniform(*RANGES.get(variable.unit, (-1.0, 1.0))))

    with Driver(cached_fmu(find(name), 3), "me") as driver:
        driver.start(SETTINGS.get(name, {}))
        for _ in range(points):
            driver.at(0.0, np.array([draw(v) for v in declared.with_role(Role.STATE)]))
            driver.set({v.name: draw(v) for v in declared.with_role(Role.INPUT)})
            driver.handle_events()
            yield driver


def terms(driver: Driver, name: str) -> dict[str, float]:
    """All powers, positive where they come in: through ports and from sources; negative what is stored and what is lost."""
    declared = declaration(find(name))
    found = {}
    for port in declared.ports:
        sign = 1 if port.side is Side.MOTION else -1
        for effort, rate in zip(port.efforts, port.velocities, strict=True):
            found[port.name] = sign * driver[str(effort)] * driver[str(rate)]
    for output, sign in (("power", 1), ("loss", -1), ("compression", -1)):
        if output in driver.variables:
            found[output] = sign * driver[output]
    if "energy" in driver.variables:
        rates = {v.name: driver[f"der({v.name})"] for v in declared.with_role(Role.STATE)}
        rates |= {"flange.s": driver["flange.v"]} if "flange.s" in driver.variables else {}
        found["energy"] = -driver.directional(["energy"], list(rates), list(rates.values()))[0]
    return found


def check_power_is_accounted_for(name):
    """The power of ports and sources is stored or lost, to 1e-12 of the largest of these."""
    for driver in at_random_points(name, 100):
        powers = terms(driver, name)
        assert {"power", "loss", "compression", "energy"} & powers.keys()
        assert sum(powers.values()) == pytest.approx(0, abs=1e-12 * max(map(abs, powers.values()))), powers


def check_what_is_lost_is_not_negative(name):
    """Resistances, friction, leakage and end stops take power and never give it; at many of the points they do take it."""
    if "loss" not in declaration(find(name)).by_name:
        return
    losses = np.array([driver["loss"] for driver in at_random_points(name, 200)])
    assert losses.min() >= 0 and np.mean(losses > 0) > 0.2


def check_every_relation_takes_both_values(name):
    """The points above are on both sides of all switches."""
    relations = [v.name for v in declaration(find(name)).with_role(Role.RELATION)]
    seen = [driver.get(relations) for driver in at_random_points(name, 200)]
    for relation in relations:
        assert {bool(each[relation]) for each in seen} == {False, True}, relation


@pytest.mark.parametrize("name", NAMES)
def test_every_component(name):
    """The checks above, of each hydraulic component."""
    check_all(
        check_power_is_accounted_for,
        check_what_is_lost_is_not_negative,
        check_every_relation_takes_both_values,
        name=name,
    )


def test_a_machine_keeps_its_energy():
    """A flywheel pumps oil through a check valve into an accumulator: what it loses is stored, dissipated, or done on the tank."""
    parts = {
        "wheel": ("mechanical1d.Inertia", {"I": 2.0, "w": 150.0}),
        "pump": ("hydraulic.Pump", {"coulomb": 2.0}),
        "tank": ("hydraulic.Tank", {}),
        "line": ("hydraulic.Volume", {"p": 6e6}),
        "check": ("hydraulic.CheckValve", {}),
        "hose": ("hydraulic.Hose", {"p": 6e6}),
        "accumulator": ("hydraulic.Accumulator", {"p": 6e6}),
    }
    joined = [("wheel.flange", "pump.flange"), ("tank.port", "pump.T"), ("line.port", "pump.P"), ("line.port", "check.A")]
    joined += [("hose.A", "check.B"), ("accumulator.port", "hose.B")]
    result = run(circuit(parts, joined), 1.0, output_times=np.linspace(0, 1, 20001))
    stored = result["wheel.energy.kinetic"] + sum(result[f"{name}.energy"] for name in ("line", "hose", "accumulator"))
    lost = sum(result[f"{name}.loss"] for name in ("pump", "check", "hose")) - result["tank.power"]
    spent = np.concatenate([[0.0], np.cumsum(np.diff(result.time) * (lost[1:] + lost[:-1]) / 2)])
    assert stored[0] - stored[-1] > 500
    assert stored + spent == pytest.approx(np.full_like(stored, stored[0]), rel=1e-6)
