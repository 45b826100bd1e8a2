"""Gauge states: marked in the FMU's files, without control of their errors, and set to what they follow."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
import sympy

from coupling import BuildError, System
from coupling.fmus import load
from fmu_components.catalogue import find
from fmu_components.declare.component import TIME, Component, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.export.build import cached_fmu
from jourdain import orientation
from tests.support.runtime.driver import Driver
from tests.support.systems.systems import refusal


class Follower(Component):
    """A gauge state of which the rate is far too fast for the steps of what stands beside it."""

    def declare(self) -> None:
        position = self.beside()
        w = self.state("w", 0.0, "m", "what may be off", gauge="position")
        pulse = self.parameter("pulse", 1000.0, "rad/s", "pulsation of its rate")
        amplitude = self.parameter("amplitude", 100.0, "m/s", "amplitude of its rate")
        self.rate(w, amplitude * sympy.sin(pulse * TIME))
        self.output("position", position, "m", "position")

    def beside(self) -> sympy.Expr:
        x, v = self.state("x", 1.0, "m", "position"), self.state("v", 0.0, "m/s", "velocity")
        k = self.parameter("k", 4.0, "1/s2", "stiffness by mass")
        self.rate(x, v)
        self.rate(v, -k * x)
        return x


class Alone(Follower):
    """A gauge state with nothing beside it."""

    def beside(self) -> sympy.Expr:
        return self.parameter("x", 1.0, "m", "position")


class Astray(Component):
    """A gauge state that follows what is no output."""

    def declare(self) -> None:
        self.rate(self.state("w", 0.0, "m", "what follows", gauge="nothing"), sympy.Integer(0))


EXACT = 0.1 * (1 - np.cos(1000.0))
"""Value of the integral of the rate after one second."""


def hinged(**joint: float) -> System:
    """A rod on a hinge about y, at a quarter turn."""
    system = System("hinged")
    system.add("ground", "spatial.Fixed", {"p1.zy": 1.0, "p1.zz": 0.0})
    system.add("pin", "spatial.Revolute", joint)
    system.add("rod", "spatial.Body1", {"p1.rz": 0.5, "p1.zy": 1.0, "p1.zz": 0.0, "x": -0.5, **orientation((0, 1, 0), np.pi / 2)})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


@pytest.mark.parametrize("version", [2, 3])
def test_the_mark_is_in_the_files(version: int, tmp_path: Path) -> None:
    """The files of a joint, and of an exported mechanism, name the output as it is called there."""
    fmu = load(cached_fmu(find("spatial.Revolute"), version))
    assert {v.name: v.gauge for v in fmu.variables.values() if v.gauge} == {"rotation.turned": "rotation.q"}
    whole = load(hinged().export_fmu(tmp_path / "whole.fmu", fmi=version))
    assert {v.name: v.gauge for v in whole.variables.values() if v.gauge} == {"pin.rotation.turned": "pin.rotation.q"}


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode", "ida", "RK45", "BDF", "LSODA"])
def test_no_solver_controls_its_error(solver: str) -> None:
    """It comes out wrong, and costs no step; the others are exact. Who names it has it controlled."""
    system = System()
    system.add("unit", Follower)
    result = system.simulate(1.0, solver=solver, rtol=1e-8)
    assert result["unit.x"][-1] == pytest.approx(np.cos(2.0), abs=1e-5)
    assert abs(result["unit.w"][-1] - 1.0 - EXACT) > 1e-4 and result.statistics.steps < 400
    named = system.simulate(1.0, solver=solver, rtol=1e-8, atol={"*": 1e-8, "unit.w": 1e-8}, max_steps=10**5)
    assert named["unit.w"][-1] == pytest.approx(1.0 + EXACT, abs=5e-5) and named.statistics.steps > 400
    for tolerance in ({"*": 1e-8}, 1e-8):
        assert system.simulate(1.0, solver=solver, rtol=1e-8, atol=tolerance).statistics.steps < 400
    loose = system.simulate(1.0, solver=solver, rtol=1e-8, atol=1e-2)
    assert loose.statistics.steps < result.statistics.steps


@pytest.mark.parametrize("version", [2, 3])
def test_steps_of_co_simulation_do_not_control_it_either(version: int) -> None:
    """The FMU's own steps ignore it; its nominal values are finite."""
    with Driver(cached_fmu(Follower, version), "cs") as driver:
        driver.start({})
        driver.step(0.0, 1.0)
        found = driver.get(["x", "w"])
    assert found["x"] == pytest.approx(np.cos(2.0), abs=1e-9)
    assert abs(found["w"] - EXACT) > 1e-4
    with Driver(cached_fmu(Follower, version), "me") as driver:
        driver.start({})
        assert nominals_of(driver) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("implicit", [False, True])
def test_steps_of_an_exported_mechanism_do_not_either(implicit: bool, tmp_path: Path) -> None:
    """The explicit method and the implicit one ignore it."""
    system = System("whole")
    system.add("unit", Follower)
    with Driver(system.export_fmu(tmp_path / "whole.fmu", implicit=implicit), "cs") as driver:
        driver.start({})
        driver.step(0.0, 1.0)
        found = driver.get(["unit.x", "unit.w"])
    assert found["unit.x"] == pytest.approx(np.cos(2.0), abs=1e-8)
    assert abs(found["unit.w"] - EXACT) > 1e-4


def nominals_of(driver: Driver) -> list[float]:
    buffer = (ctypes.c_double * 3)()
    call = driver.fmu.fmi2GetNominalsOfContinuousStates if driver.fmi == 2 else driver.fmu.fmi3GetNominalsOfContinuousStates
    call(driver.fmu.component, buffer, 3)
    return list(buffer)


def test_it_starts_as_what_it_follows() -> None:
    """Its start is half a turn from another choice; a start that picks the turn does so too, and so does an assembled one."""
    assert hinged().simulate(0.1)["pin.rotation.turned"][0] == pytest.approx(np.pi / 2)
    assert hinged(**{"rotation.turned": 4 * np.pi}).simulate(0.1)["pin.rotation.turned"][0] == pytest.approx(4.5 * np.pi)
    system = System("moved")
    system.add("ground", "spatial.Fixed", {"p1.zy": 1.0, "p1.zz": 0.0})
    system.add("pin", "spatial.Revolute", {"rotation.turned": 2 * np.pi})
    system.add("rod", "spatial.Body1", {"p1.rz": 0.5, "p1.zy": 1.0, "p1.zz": 0.0, "x": -0.3})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    moved = system.simulate(0.1, initial="assemble")
    assert moved["pin.rotation.q"][0] == pytest.approx(2 * np.pi + np.arcsin(0.6))
    assert moved["pin.rotation.turned"][0] == pytest.approx(moved["pin.rotation.q"][0])


@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize("version", [2, 3])
def test_an_exported_mechanism_starts_it_so_too(version: int, kind: str, tmp_path: Path) -> None:
    """The files contain the exported values, and the start is the one that an importer chooses."""
    path = hinged(**{"rotation.turned": 4 * np.pi}).export_fmu(tmp_path / "whole.fmu", fmi=version)
    assert load(path).variables["pin.rotation.turned"].start == pytest.approx(4.5 * np.pi)
    for turned, expected in ((None, 4.5 * np.pi), (-2 * np.pi, -1.5 * np.pi)):
        with Driver(path, kind) as driver:
            driver.start({} if turned is None else {"pin.rotation.turned": turned})
            assert driver["pin.rotation.turned"] == pytest.approx(expected)
            assert driver["pin.rotation.q"] == pytest.approx(expected)


def test_a_system_of_gauge_states_alone_controls_them() -> None:
    """Nothing else would limit the steps."""
    system = System()
    system.add("unit", Alone)
    assert system.simulate(1.0, rtol=1e-8)["unit.w"][-1] == pytest.approx(1.0 + EXACT, abs=1e-5)


def test_what_is_followed_has_to_be_there() -> None:
    """The sentence names both."""
    said = refusal(lambda: declaration(Astray), DeclarationError)
    assert said == "Astray: the gauge state 'w' follows 'nothing', which is no output; declare it with output()"


def test_a_tolerance_of_what_is_not_there_is_refused() -> None:
    """The message is that for any unknown name."""
    assert "atol: 'rod.turned' is neither" in refusal(lambda: hinged().simulate(0.1, atol={"rod.turned": 1.0}), BuildError)
