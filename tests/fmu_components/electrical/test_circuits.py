"""Circuits in closed form, with the balance of what goes in, is stored and becomes heat."""

import numpy as np
import pytest

from coupling import BuildError, StartError
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.components.balance import work
from tests.support.components.signals import blocks
from tests.support.runtime.driver import ERROR, Driver, status_of
from tests.support.systems.systems import refusal


def test_a_capacitor_is_charged_through_a_resistor():
    """The voltage is v = V (1 - exp(-t/RC)); the source gives the stored energy and the heat."""
    V, R, C = 10.0, 470.0, 2e-4
    system = blocks(
        {
            "source": ("electrical.VoltageSource", {"voltage": V}),
            "resistor": ("electrical.Resistor", {"R": R}),
            "capacitor": ("electrical.Capacitor", {"C": C}),
        },
        [("source.pin", "resistor.M"), ("resistor.N", "capacitor.pin")],
    )
    result = system.simulate(0.4, rtol=1e-10)
    assert result["capacitor.pin.v"] == pytest.approx(V * (1 - np.exp(-result.time / (R * C))), abs=1e-8)
    assert result["resistor.current"] == pytest.approx(V / R * np.exp(-result.time / (R * C)), abs=1e-10)
    assert result["resistor.loss"] == pytest.approx(R * result["resistor.current"] ** 2, rel=1e-9)
    assert work(result, "source.power") == pytest.approx(result["capacitor.energy"] + work(result, "resistor.loss"), abs=1e-7)


def test_a_winding_is_energised():
    """The current is i = V/R (1 - exp(-t R/L)), between a source and the ground, into which it flows."""
    V, R, L = 5.0, 2.0, 0.03
    system = blocks(
        {
            "source": ("electrical.VoltageSource", {"voltage": V}),
            "winding": ("electrical.Inductor", {"L": L, "R": R}),
            "ground": ("electrical.Ground", {}),
        },
        [("source.pin", "winding.M"), ("winding.N", "ground.pin")],
    )
    result = system.simulate(0.1, rtol=1e-10)
    assert result["ground.current"] == pytest.approx(V / R * (1 - np.exp(-result.time * R / L)), abs=1e-8)
    assert result["winding.energy"] == pytest.approx(L * result["winding.current"] ** 2 / 2)
    assert work(result, "source.power") == pytest.approx(result["winding.energy"] + work(result, "winding.loss"), abs=1e-8)


def test_a_resonant_circuit_keeps_its_energy():
    """An inductor without resistance between two capacitors: the voltage across it is that of C1 C2/(C1 + C2), a cosine."""
    C1, C2, L, v = 2e-3, 3e-3, 0.05, 8.0
    system = blocks(
        {
            "left": ("electrical.Capacitor", {"C": C1, "v": v}),
            "coil": ("electrical.Inductor", {"L": L}),
            "right": ("electrical.Capacitor", {"C": C2}),
        },
        [("left.pin", "coil.M"), ("coil.N", "right.pin")],
    )
    result = system.simulate(0.3, rtol=1e-11)
    w = np.sqrt((1 / C1 + 1 / C2) / L)
    assert result["coil.voltage"] == pytest.approx(v * np.cos(w * result.time), abs=1e-7)
    assert result["left.energy"] + result["coil.energy"] + result["right.energy"] == pytest.approx(C1 * v**2 / 2, rel=1e-9)


def test_currents_add_up_at_a_node():
    """Two resistors charge one capacitor like one of half the resistance."""
    system = blocks(
        {
            "source": ("electrical.VoltageSource", {"voltage": 1.0}),
            "a": ("electrical.Resistor", {"R": 2.0}),
            "b": ("electrical.Resistor", {"R": 2.0}),
            "capacitor": ("electrical.Capacitor", {"C": 0.5}),
        },
        [("source.pin", "a.M"), ("source.pin", "b.M"), ("a.N", "capacitor.pin"), ("b.N", "capacitor.pin")],
    )
    result = system.simulate(1.0, rtol=1e-10)
    assert result["capacitor.pin.v"] == pytest.approx(1 - np.exp(-result.time / 0.5), abs=1e-8)


BATTERY = {"empty": 10.0, "full": 14.0, "R": 0.3, "capacity": 900.0, "soc": 0.9}


def test_a_battery_is_discharged_into_a_resistor():
    """The voltage falls linearly with the charge drawn: soc' = -(empty + (full - empty) soc)/(R + load)/capacity, an exponential."""
    load = 1.7
    system = blocks(
        {
            "battery": ("electrical.Battery", BATTERY),
            "load": ("electrical.Resistor", {"R": load}),
            "ground": ("electrical.Ground", {}),
        },
        [("battery.pin", "load.M"), ("load.N", "ground.pin")],
    )
    result = system.simulate(100.0, rtol=1e-10)
    open_circuit = (10 + 4 * 0.9) * np.exp(-4 * result.time / (900 * (0.3 + load)))
    assert result["battery.voltage"] == pytest.approx(open_circuit, abs=1e-8)
    assert result["battery.charge"] == pytest.approx((open_circuit - 10) / 4, abs=1e-8)
    assert result["battery.pin.v"] == pytest.approx(open_circuit * load / (0.3 + load), abs=1e-8)
    assert work(result, "battery.power") == pytest.approx(work(result, "load.loss"), abs=1e-5)
    drawn = result["battery.energy"][0] - result["battery.energy"]
    assert drawn == pytest.approx(work(result, "battery.power") + work(result, "battery.loss"), abs=1e-5)
    assert 0.2 < result["battery.charge"][-1] < 0.3


def test_a_battery_is_charged():
    """A source above its voltage gives it charge and heat."""
    system = blocks(
        {
            "charger": ("electrical.VoltageSource", {"voltage": 15.0}),
            "cable": ("electrical.Resistor", {"R": 0.2}),
            "battery": ("electrical.Battery", {**BATTERY, "soc": 0.2}),
        },
        [("charger.pin", "cable.M"), ("cable.N", "battery.pin")],
    )
    result = system.simulate(60.0, rtol=1e-10)
    assert result["battery.voltage"] == pytest.approx(15 - (15 - 10.8) * np.exp(-4 * result.time / (900 * 0.5)), abs=1e-8)
    given = work(result, "charger.power") - work(result, "cable.loss") - work(result, "battery.loss")
    assert given == pytest.approx(result["battery.energy"] - result["battery.energy"][0], abs=1e-5)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"soc": -0.25}, "'battery.soc' = -0.25 is refused: it must be at least 0 and at most 1"),
        ({"soc": 1.5}, "'battery.soc' = 1.5 is refused: it must be at least 0 and at most 1"),
        ({"full": 9.0}, "battery: .* full is not less than empty, and full - empty not negative; the value that must be positive is -2"),
        ({"capacity": 0.0}, "battery: capacity = 0 C is refused: it must be greater than 0"),
    ],
)
def test_batteries_that_make_no_sense_are_refused(values, sentence):
    """The message gives name and value; empty and full batteries are accepted."""
    for soc in (0.0, 1.0):
        blocks({"battery": ("electrical.Battery", {"soc": soc})}).simulate(1.0)
    with pytest.raises((StartError, ValueError), match=sentence):
        blocks({"battery": ("electrical.Battery", values)}).simulate(1.0)


@pytest.mark.parametrize(
    ("component", "name", "unit"),
    [
        ("Resistor", "R", "Ohm"),
        ("Capacitor", "C", "F"),
        ("Inductor", "L", "H"),
        ("DCMotor", "R", "Ohm"),
        ("DCMotor", "L", "H"),
        ("PMSM", "Ld", "H"),
    ],
)
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_parts_that_cannot_be_are_refused(component, name, unit, value):
    """Resistances, capacitances and inductances of 0 or below: the sentence has name, value and range."""
    with Driver(cached_fmu(find(f"electrical.{component}"), 3), "me", "part") as driver:
        driver.enter()
        assert status_of(driver.set, {name: value}) == ERROR
        assert driver.log == [f"part: {name} = {value:g} {unit} is refused: it must be greater than 0"]


def test_two_sources_are_not_connected():
    """Both give the voltage, so that nothing would decide the current."""
    sources = {"a": ("electrical.VoltageSource", {}), "b": ("electrical.Battery", {})}
    assert "are on the same side: both give v" in refusal(lambda: blocks(sources, [("a.pin", "b.pin")]), BuildError)


def test_an_open_end_is_named():
    """A resistor needs a voltage at both ends."""
    system = blocks({"a": ("electrical.VoltageSource", {}), "r": ("electrical.Resistor", {})}, [("a.pin", "r.M")])
    assert "the port 'r.N' of electrical.Resistor is not connected" in refusal(system.build, BuildError)
