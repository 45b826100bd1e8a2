"""``jourdain modelica``: files and form on the standard output, the note on the standard error output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jourdain.command import main

MACHINE = """
from jourdain import System

pendulum = System("pendulum", gravity=(0.0, -9.81))
pendulum.add("ground", "planar.Fixed")
pendulum.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
pendulum.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")

stepped = System("stepped shaft")
stepped.add("shaft", "mechanical1d.Inertia")
stepped.add("step", "signal.Step")
"""
REASON = "'step' (signal.Step) has no native Modelica text, since it has the event 'the step comes': the system is written as an FMU with a wrapper"


@pytest.fixture
def machine(tmp_path: Path) -> str:
    file = tmp_path / "machine.py"
    file.write_text(MACHINE)
    return str(file)


def test_a_native_model(machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["modelica", f"{machine}:pendulum", "--out", str(tmp_path / "models"), "--outputs", "rod.theta", "--outputs", "pin.reaction"])
        == 0
    )
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'models' / 'pendulum.mo'}\n" and not said.err
    text = (tmp_path / "models" / "pendulum.mo").read_text()
    assert "RealOutput rod_theta" in text and "RealOutput pin_reaction" in text


def test_an_fmu_with_a_note(machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The form is a consequence of the components, and the files are all named."""
    chosen = ["modelica", f"{machine}:stepped", "--out", str(tmp_path), "--inputs", "shaft.flange"]
    written = [str(tmp_path / f"stepped_shaft{suffix}") for suffix in (".mo", ".fmu", ".mos")]
    assert main([*chosen, "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"form": "fmu", "written": written, "notes": [REASON]}
    assert said.err == f"jourdain: {REASON}\n"
    assert main([*chosen, "--form", "fmu"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == written and not said.err


def test_wrong_uses(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A form that is impossible, a port that does not exist, and a compiler that is missing, each in one sentence."""
    out = ["--out", str(tmp_path)]
    assert main(["modelica", f"{machine}:stepped", "--form", "native", *out]) == 2
    assert "form='fmu'" in capsys.readouterr().err
    assert main(["modelica", f"{machine}:pendulum", "--inputs", "rod.p9", *out]) == 2
    assert capsys.readouterr().err.startswith("jourdain: inputs: 'rod.p9' cannot be opened: ")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["modelica", f"{machine}:pendulum", "--build", *out]) == 2
    assert capsys.readouterr().err.startswith(
        "jourdain: OpenModelica's compiler 'omc' is not on the PATH, and the FMU of 'pendulum' needs it; "
    )
    assert (tmp_path / "pendulum.mo").is_file()
