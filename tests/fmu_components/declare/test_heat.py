"""Heat ports by the option ``heat_port``: losses that flow there, and what the temperature changes."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from coupling import BuildError, System
from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import Component, component_name, declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.heat import heated
from fmu_components.declare.ports import THERMAL
from fmu_components.export.build import table_of
from fmu_components.export.c_code import model_source
from fmu_components.export.model_description import model_description
from tests.support.systems.systems import refusal


def _texts(component: type[Component]) -> str:
    """Returns the sources of a component, of its bases and of what it imports; to read them takes a thousandth of the time of all
    declarations."""
    used = [*component.__mro__, *vars(sys.modules[component.__module__]).values()]
    names = {getattr(each, "__module__", "") for each in used}
    return "".join(inspect.getsource(sys.modules[each]) for each in names if each.startswith("fmu_components."))


LOSING = [name for name, each in all_components().items() if '"loss"' in _texts(each)]


@pytest.mark.slow
def test_all_components_with_losses_are_found():
    """Their sources name the output."""
    assert [name for name in all_components() if "loss" in declaration(find(name)).by_name] == LOSING


def described(component: type[Component]) -> list[str]:
    """Returns the C source and both model descriptions."""
    table = table_of(component)
    return [model_source(table), model_description(table, 2), model_description(table, 3)]


def test_only_the_option_adds_a_port():
    """Without it a component has no port, parameter or line of the feature: its sources are those of a class that knows no temperature."""
    assert {"electrical.Resistor", "electrical.DCMotor", "mechanical1d.Brake", "mechanical1d.Clutch", "hydraulic.Pump"} <= set(LOSING)
    acted_on = [name for name in LOSING if {"by_temperature", "fading"} & vars(sys.modules[find(name).__module__]).keys()]
    assert {"electrical.Resistor", "electrical.DCMotor", "mechanical1d.Brake", "mechanical1d.Clutch", "mechanical1d.LineBrake"} <= set(
        acted_on
    )
    for name in acted_on:
        component = find(name)
        heated(component)  # to make the class with a port changes nothing of the one without
        with pytest.MonkeyPatch.context() as patch:
            for word, without in {"by_temperature": lambda _, resistance: resistance, "fading": lambda _: sympy.Integer(1)}.items():
                patch.setattr(sys.modules[component.__module__], word, without, raising=False)
            plain = type(component.__name__, (component,), {"__module__": component.__module__, "__doc__": component.__doc__})
            bare = described(plain)
        assert described(component) == bare and table_of(component).token == table_of(plain).token


@pytest.mark.parametrize("name", LOSING)
def test_every_component_with_losses_can_have_one(name):
    """The heat flow is the loss, and the rest of the component is as before."""
    component = find(name)
    twin, own = declaration(heated(component)), declaration(component)
    assert str(twin["heat.heat_flow"].equation) == "loss" and component_name(heated(component)) == name.replace(".", ".Heated")
    assert heated(heated(component)) is heated(component)
    assert [v.name for v in twin.with_role(Role.STATE)] == [v.name for v in own.with_role(Role.STATE)]
    assert "heat" in {port.name for port in twin.ports} and not any(port.kind is THERMAL for port in own.ports)
    assert {v.name for v in own.variables} < {v.name for v in twin.variables}


def heater(**start: float) -> System:
    """Returns a copper wire at 12 V, whose heat flows into a capacity and from there into the room, with the flow integrated."""
    system = System("wire")
    system.add("source", "electrical.VoltageSource", {"voltage": 12.0})
    system.add("ground", "electrical.Ground")
    system.join("electrical.Resistor", "source.pin", "ground.pin", {"R": 2.0} | start, name="wire", heat_port=True)
    system.add("copper", "thermal.Capacity", {"C": 40.0, "reference": 293.15})
    system.add("room", "thermal.FixedTemperature")
    system.join("thermal.Conductor", "copper.port", "room.port", {"G": 0.4}, name="air")
    system.connect("copper.port", "wire.heat")
    for name, output in {"lost": "wire.loss", "left": "air.flow"}.items():
        system.add(name, "signal.Integrator")
        system.connect(output, f"{name}.u")
    return system


def test_a_hot_wire_resists_more():
    """T' C = U^2/(R (1 + alpha (T - T0))) - G (T - T0), by SciPy; all heat is stored or has left, to 1e-10."""
    result = heater(**{"R.alpha": 4e-3}).simulate(200.0, rtol=1e-11, output_interval=10.0)
    exact = solve_ivp(
        lambda t, T: (144 / (2 * (1 + 4e-3 * (T - 293.15))) - 0.4 * (T - 293.15)) / 40,
        (0, 200),
        [293.15],
        "DOP853",
        result.time,
        rtol=1e-12,
        atol=1e-12,
    )
    assert result["copper.T"] == pytest.approx(exact.y[0], rel=1e-8)
    assert result["copper.T"][-1] > 350
    assert result["lost.y"] == pytest.approx(result["copper.heat"] + result["left.y"], rel=1e-10, abs=1e-9)


def test_a_motor_heats_its_winding():
    """The loss of the armature is R(T) i^2, and the heat that it gave is stored, to 1e-10."""
    system = System("drive")
    system.add("source", "electrical.VoltageSource", {"voltage": 12.0})
    system.add("motor", "electrical.DCMotor", heat_port=True)
    system.add("rotor", "mechanical1d.Inertia", {"I": 0.02})
    system.add("winding", "thermal.Capacity", {"C": 20.0, "reference": 293.15})
    system.add("lost", "signal.Integrator")
    for a, b in {"source.pin": "motor.pin", "rotor.flange": "motor.flange", "winding.port": "motor.heat", "motor.loss": "lost.u"}.items():
        system.connect(a, b)
    result = system.simulate(2.0, rtol=1e-11, atol=1e-12)
    resistance = 0.5 * (1 + 3.93e-3 * (result["winding.T"] - 293.15))

    def rates(t, y):
        i, w, T = y
        R = 0.5 * (1 + 3.93e-3 * (T - 293.15))
        return [(12 - R * i - 0.05 * w) / 1e-3, 0.05 * i / 0.02, R * i * i / 20]

    exact = solve_ivp(rates, (0, 2), [0, 0, 293.15], "DOP853", result.time, rtol=1e-12, atol=1e-12)
    for row, name in zip(exact.y, ("motor.current", "rotor.w", "winding.T"), strict=True):
        assert result[name] == pytest.approx(row, rel=1e-8, abs=1e-8)
    assert result["motor.loss"] == pytest.approx(resistance * result["motor.current"] ** 2, rel=1e-12)
    assert result["lost.y"] == pytest.approx(result["winding.heat"], rel=1e-10, abs=1e-9)
    assert result["winding.T"][-1] > 294


def braking(**start: float) -> System:
    """Returns a flywheel, swung by a torque of a sine, under a brake that heats a disc."""
    system = System("brake")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("wheel", "mechanical1d.Inertia", {"I": 2.0, "w": 60.0})
    system.add("torque", "mechanical1d.Torque")
    system.add("disc", "thermal.Capacity", {"C": 100.0, "T": 370.0, "reference": 370.0})
    system.join("mechanical1d.Brake", "ground.shaft", "wheel.flange", {"force": 1000.0} | start, name="brake", heat_port=True)
    system.connect("disc.port", "brake.heat")
    system.connect("wheel.flange", "torque.flange")
    system.add("lost", "signal.Integrator")
    system.connect("brake.loss", "lost.u")
    system.drive("torque.torque", lambda t: 150 * np.sin(2 * t))
    return system


def test_a_hot_brake_fades():
    """While it slips its torque is mu radius surfaces force times the share of the temperature; it slips in both directions and sticks."""
    result = braking(**{"fade.rate": 4e-3, "fade.temperature": 373.15, "fade.least": 0.5}).simulate(12.0, rtol=1e-10, output_interval=0.05)
    share = np.clip(1 - 4e-3 * (result["disc.T"] - 373.15), 0.5, 1.0)
    torque, w = result["brake.multiplier[1]"], result["wheel.w"]
    slips = abs(w) > 1e-6
    assert torque[slips] == pytest.approx(-np.sign(w[slips]) * 0.4 * 0.1 * 2 * 1000 * share[slips], rel=1e-9)
    assert (w > 1).any() and (w < -1).any() and (~slips).any()
    assert share.min() < 0.9 and share[0] == 1
    assert result["lost.y"] == pytest.approx(result["disc.heat"], rel=1e-10, abs=1e-8)


@pytest.mark.parametrize(
    ("component", "start", "load"),
    [
        ("mechanical1d.Brake", {"force": 1000.0, "mu": 0.4, "radius": 0.1, "surfaces": 2.0}, "mechanical1d.Inertia"),
        ("mechanical1d.Clutch", {"capacity": 80.0}, "mechanical1d.Inertia"),
        ("mechanical1d.LineBrake", {"force": 100.0, "mu": 0.4, "surfaces": 2.0}, "mechanical1d.Mass"),
    ],
)
def test_fading_has_a_closed_form(component, start, load):
    """The speed solves m v' = -80 s and C T' = 80 s v with s = 1 - rate (T - T0): v = sqrt(a/b) tan(angle - sqrt(a b) 80 t/m) and s = a + b v^2."""
    m, C, rate, v0, t = 4.0, 150.0, 4e-3, 8.0, 0.35
    system = System("fading")
    system.add("ground", "mechanical1d.Fixed1D")
    inertia, speed, side = ("I", "w", "ground.shaft") if load == "mechanical1d.Inertia" else ("m", "v", "ground.flange")
    system.add("load", load, {inertia: m, speed: v0})
    system.add("disc", "thermal.Capacity", {"C": C, "T": 373.15})
    fade = {"fade.rate": rate, "fade.least": 0.0, "fade.temperature": 373.15}
    system.join(component, side, "load.flange", start | fade, name="brake", heat_port=True)
    system.connect("disc.port", "brake.heat")
    result = system.simulate(t, rtol=1e-11, atol=1e-12, output_interval=0.05)
    b = rate * m / (2 * C)
    a = 1 - b * v0**2
    exact = np.sqrt(a / b) * np.tan(np.arctan(v0 * np.sqrt(b / a)) - np.sqrt(a * b) * 80 * result.time / m)
    assert result[f"load.{speed}"] == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert result["disc.T"] == pytest.approx(373.15 + m * (v0**2 - exact**2) / (2 * C), rel=1e-9)
    assert abs(result["brake.multiplier[1]"]) == pytest.approx(80 * (a + b * exact**2), rel=1e-8)


def test_a_faded_brake_keeps_its_least_friction():
    result = braking(**{"fade.rate": 0.1, "fade.least": 0.6}).simulate(1.0, rtol=1e-9)
    assert result["disc.T"][-1] > 380
    assert result["brake.multiplier[1]"][-1] == pytest.approx(-0.6 * 80, rel=1e-9)


class Lossless(Component):
    """Spring without losses."""

    def declare(self):
        self.output("force", self.parameter("f", 1.0, "N", "force"), "N", "force")


@pytest.mark.parametrize(
    ("fmu", "option", "sentence"),
    [
        ("mechanical1d.Mass", True, "'it' cannot be added: mechanical1d.Mass has no output 'loss', and therefore no heat port; "),
        (Lossless, True, "'it' cannot be added: Lossless has no output 'loss', and therefore no heat port; "),
        ("resistor", True, "'it' cannot be added: there is no component 'resistor'; did you mean 'electrical.Resistor'"),
        ("wire.fmu", True, "'it' has no heat port: 'wire.fmu' is no component of the catalogue; leave heat_port out"),
        ("electrical.Resistor", 1, "heat_port = 1 of 'it' is refused: give True or False"),
    ],
)
def test_what_has_no_losses_is_refused(fmu, option, sentence):
    assert refusal(lambda: System().add("it", fmu, heat_port=option), BuildError).startswith(sentence)
