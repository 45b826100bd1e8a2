"""Connections with adaptors of the Modelica Standard Library in FMUs of OpenModelica: the sign changes, and a note says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import System
from tests.support.foreign import Variable
from tests.support.foreign.openmodelica import TOOL, of_openmodelica
from tests.support.systems.modelica_machines import GRAVITY

SPRUNG = -1.0804465894561
"""Angle after 2 s of the pendulum with 5 N.m/rad and 0.2 N.m.s/rad along its joint, by the master; OpenModelica's own FMU gave it too."""


ADAPTOR = ("ad.phi", "ad.tau", "ad.flange.phi", "ad.flange.tau")


def spring(tool: str = TOOL) -> Path:
    """A spring and damper between a wall and ``AngleToTorqueAdaptor``: its torque is the one that moves the spring."""
    own = [
        Variable("phi", "input", 0.0, "rad"),
        Variable("w", "input", 0.0, "rad/s"),
        Variable("tau", "output", unit="N.m", value="5.0 * phi + 0.2 * w", depends=["phi", "w"]),
    ]
    return of_openmodelica("Spring", own, ADAPTOR, tool)


def wheel() -> Path:
    """An inertia of 0.5 kg.m2 at ``TorqueToAngleAdaptor``, which takes the torque that flows into it."""
    own = [
        Variable("tau", "input", 0.0, "N.m"),
        Variable("phi", "output", 0.3, "rad", rate="w"),
        Variable("w", "output", 0.0, "rad/s", rate="-tau / 0.5"),
        Variable("a", "output", unit="rad/s2", value="-tau / 0.5", depends=["tau"]),
    ]
    return of_openmodelica("Wheel", own, ADAPTOR)


def sprung(fmu: Path, **options: float) -> System:
    made = System("sprung", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    made.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", name="pin")
    made.add("spring", fmu)
    for each in ("phi", "w"):
        made.connect(f"pin.flange.{each}", f"spring.{each}")
    made.connect("spring.tau", "pin.flange.tau", **options)
    return made


NOTE = (
    "the sign changes between 'spring.tau' and 'pin.flange.tau' ('ad'): adaptors of the Modelica Standard Library have the opposite sign of "
    "efforts at ports"
)


def test_the_torque_of_an_adaptor_has_the_right_sign() -> None:
    result = sprung(spring()).simulate(stop_time=2.0, rtol=1e-11, solver="dop853")
    assert result["rod.theta"][-1] == pytest.approx(SPRUNG, abs=1e-9)
    assert NOTE in result.outcome.notes
    assert any(wire.factor == -1.0 and wire.adaptor == "ad" for wire in sprung(spring()).wires)


def test_a_factor_of_the_user_counts() -> None:
    """It is not changed again, and there is no note."""
    result = sprung(spring(), factor=-1.0).simulate(stop_time=2.0, rtol=1e-11, solver="dop853")
    assert result["rod.theta"][-1] == pytest.approx(SPRUNG, abs=1e-9)
    assert NOTE not in result.outcome.notes


def test_a_component_between_takes_the_value_as_it_is() -> None:
    """A signal is no effort at a port."""
    made = sprung(spring())
    gained = System.of(made.definition.without(["spring"]))
    gained.add("spring", spring())
    gained.add("sign", "signal.Gain", {"k": -1.0})
    for each in ("phi", "w"):
        gained.connect(f"pin.flange.{each}", f"spring.{each}")
    gained.connect("spring.tau", "sign.u")
    gained.connect("sign.y", "pin.flange.tau")
    result = gained.simulate(stop_time=2.0, rtol=1e-11, solver="dop853")
    assert result["rod.theta"][-1] == pytest.approx(SPRUNG, abs=1e-9)
    assert not any("adaptors" in note for note in result.outcome.notes)


def test_an_fmu_of_another_tool_keeps_its_sign() -> None:
    """The same names mean nothing elsewhere: the spring pushes the pendulum away."""
    result = sprung(spring("Tool 1")).simulate(stop_time=0.5, rtol=1e-11, solver="dop853")
    assert result["rod.theta"][-1] < -1.5
    assert not any("adaptors" in note for note in result.outcome.notes)


def test_a_torque_into_an_adaptor_has_the_right_sign() -> None:
    """A wheel on a spring of 8 N.m/rad swings by cos(4 t)."""
    made = System("swinging")
    made.add("wheel", wheel())
    made.add("wall", "mechanical1d.Fixed1D")
    made.add("spring", "mechanical1d.RotationalSpringDamper", {"k": 8.0})
    made.connect("wall.shaft", "spring.M")
    for each in ("phi", "w", "a"):
        made.connect(f"wheel.{each}", f"spring.N.{each}")
    made.connect("spring.N.tau", "wheel.tau")
    result = made.simulate(stop_time=1.0, rtol=1e-10, outputs=["wheel.phi"])
    assert result["wheel.phi"][-1] == pytest.approx(0.3 * np.cos(4.0), abs=1e-8)


def test_a_package_keeps_the_sign(tmp_path: Path) -> None:
    """SSP has the factor in the connection, where other tools read it."""
    made = sprung(spring())
    again = System.from_ssp(made.to_ssp(tmp_path / "sprung.ssp"))
    result = again.simulate(stop_time=2.0, rtol=1e-11, solver="dop853")
    assert result["rod.theta"][-1] == pytest.approx(SPRUNG, abs=1e-9)
