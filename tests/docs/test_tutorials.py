"""Runs of all code that the tutorials show, and checks of their statements about it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.test_readme import ROOT, run_all

TUTORIALS = ROOT / "docs" / "tutorials"


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives a folder in which the pieces may leave files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ten_minutes(scratch, capsys):
    """The page shows what it prints; the piston is where the crank's angle says, and the motor's work is that on the water and the energy gained."""
    page = TUTORIALS / "ten-minutes.md"
    scope = run_all(page)
    assert capsys.readouterr().out == "".join(re.findall(r"```text\n(.*?)```", page.read_text(), re.DOTALL))
    for run, start in ((scope["run"], 0.3), (scope["turned"], 1.5)):
        angle = run["crank.theta"]
        assert angle[0] == start and run.outcome.warnings == []
        assert run["piston.x"] == pytest.approx(0.1 * np.cos(angle) + np.sqrt(0.3**2 - (0.1 * np.sin(angle)) ** 2), abs=1e-7)
    assert scope["water"] + scope["gained"] == pytest.approx(scope["given"], rel=1e-4)
    # Once the flywheel turns steadily, the torque is the resistance times the mean of the square of the piston's way per angle.
    angle = np.linspace(0, 2 * np.pi, 361)[:-1]
    way = 0.1 * np.sin(angle) * (1 + 0.1 * np.cos(angle) / np.sqrt(0.3**2 - (0.1 * np.sin(angle)) ** 2))
    late = scope["run"]["crank.omega"][scope["run"].time > 5.0]
    assert late.mean() == pytest.approx(20.0 / (600.0 * np.mean(way**2)), rel=0.02)
    assert {path.name for path in scratch.iterdir()} == {"pump.html", "pump.svg", "pump.png"}


def test_foreign_actuator():
    """At rest the servo's torque is that of the weight, and the error is what its spring needs for that."""
    angle, run = (scope := run_all(TUTORIALS / "foreign-actuator.md"))["angle"], scope["run"]
    assert run["servo.torque"][-1] == pytest.approx(2 * 9.81 * 0.3 * np.cos(angle), abs=1e-3)
    assert 50 * (1.0 - angle) == pytest.approx(run["servo.torque"][-1], abs=1e-3)


@pytest.mark.slow
def test_exporting():
    """Half the weight times the length holds the rod level, and the pin bears the weight; twice the mass turns as (m g d - T) / J."""
    scope = run_all(TUTORIALS / "exporting.md")
    assert scope["held"]["rod.theta"][-1] == pytest.approx(0.0, abs=1e-6)
    assert scope["held"]["pin.reaction"][-1] == pytest.approx(9.81, abs=1e-6)
    assert scope["falls"]["rod.theta"][-1] == pytest.approx(-(2 * 4.905 - 4.905) / (1 / 12 + 2 / 4) * 0.2**2 / 2, rel=0.01)


def test_own_joint():
    """The speed at the apex, and what the wire bears there: m g + 2 c m v^2 = m g + 4 c m g h."""
    scope = run_all(TUTORIALS / "own-joint.md")
    assert scope["speed"].max() == pytest.approx(np.sqrt(2 * 9.81), rel=1e-3)
    assert scope["run"]["guide.multiplier[1]"].max() == pytest.approx(5 * 0.1 * 9.81, rel=1e-2)


def test_controller():
    """Nothing is left of the error, the torque bears the weight within its limits, and the loop is stable."""
    scope = run_all(TUTORIALS / "controller.md")
    assert abs(scope["error"]) < 1e-3 and np.abs(scope["torque"]).max() <= 30.0
    assert scope["torque"][-1] == pytest.approx(2 * 9.81 * 0.3 * np.cos(1.0), abs=0.01)
    assert -20 < scope["slowest"] < 0
    margins = scope["margins"]
    assert margins.stable
    for hertz, factor in ((margins.gain_frequency, margins.gain), (margins.phase_frequency, np.exp(-1j * np.radians(margins.phase)))):
        s = 2j * np.pi * hertz
        arm = 1 / ((0.06 + 2 * 0.3**2) * s**2 - 2 * 9.81 * 0.3 * np.sin(1.0))
        assert factor * arm * (60 + 60 / s + 12 * s / (0.01 * s + 1)) == pytest.approx(-1, abs=1e-4)


def test_in_space():
    """The axis stays level and goes round evenly."""
    scope = run_all(TUTORIALS / "in-space.md")
    run, rate = scope["run"], scope["PRECESSION"]
    assert np.abs(run["rotor.z"]).max() < 1e-6
    assert run["rotor.y"] == pytest.approx(0.1 * np.sin(rate * run.time), abs=1e-6)


def test_many_runs():
    """Twice the mass bears down more, friction less; the run of greatest load is that of the table."""
    scope = run_all(TUTORIALS / "many-runs.md")
    loads = {(row["rod.m"], row["pin.rotation.b"]): row["load"] for row in scope["table"]}
    assert loads[2.0, 0.0] > loads[1.0, 0.0] > loads[1.0, 0.5] > loads[1.0, 1.0]
    assert loads[1.0, 0.0] == pytest.approx(2.5 * 9.81, rel=1e-3)
    assert scope["worst"]["pin.reaction"].max() == pytest.approx(scope["loads"]["load"].max(), rel=1e-9)


STAND_IN = """
package Modelica
  package Mechanics
    package Rotational
      package Components
        connector Flange
          Real phi;
          flow Real tau;
        end Flange;
        model SpringDamper
          parameter Real c, d;
          Flange flange_a, flange_b;
          Real phi_rel, w_rel;
        equation
          phi_rel = flange_b.phi - flange_a.phi;
          w_rel = der(phi_rel);
          flange_b.tau = c*phi_rel + d*w_rel;
          flange_a.tau = -flange_b.tau;
        end SpringDamper;
        model Fixed
          Flange flange;
        equation
          flange.phi = 0;
        end Fixed;
      end Components;
    end Rotational;
  end Mechanics;
end Modelica;
"""
"""Components of the Modelica Standard Library by the same equations, since rumoca takes half a minute for the library itself."""


def test_openmodelica(scratch):
    """The motor turns the crank by the stated angle. The pendulum's equations, with a spring at its connector, end as they do in the master."""
    page = TUTORIALS / "openmodelica.md"
    scope = run_all(page)
    assert f"The angle is {scope['angle']:.4f} rad" in page.read_text()
    assert {path.name for path in (scratch / "models").iterdir()} == {
        *(f"SliderCrank.{each}" for each in ("mo", "mos", "fmu")),
        "Pendulum.mo",
    }
    driven, sprung = re.findall(r"```modelica\n(.*?)```", page.read_text(), re.DOTALL)
    assert "Flange_a drive_flange" in scope["wrapper"].read_text() and "machine.drive_flange" in driven
    rumoca = pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")
    loaded = rumoca.Session().loads("\n".join([STAND_IN, scope["native"].read_text(), sprung]), model="Sprung")
    result = loaded.simulate(t=(0, 2), dt=0.02, config=rumoca.SimConfig(solver="rk-like", rtol=1e-11, atol=1e-11))
    assert float(result["pendulum.rod.theta"][-1]) == pytest.approx(-1.0804465895, abs=1e-8)
