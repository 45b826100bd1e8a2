"""The package of components, and the command that writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import build_fmus
from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import DeclarationError, Role
from fmu_components.modelica.package import package_text, refuse, switching

SCREW = Path(build_fmus.__file__).parent / "examples" / "own_joint" / "Screw.py"


@pytest.mark.parametrize(
    ("component", "reason"),
    [
        ("planar.Rope", "it has constraints that are switched (unilateral)"),
        ("planar.PointContact", "it has constraints that are switched (friction, unilateral)"),
        ("signal.Step", "it has the event 'the step comes'"),
        ("hydraulic.Cylinder", "'stop1' (the end stop of chamber 1 pushes) changes at events"),
    ],
)
def test_a_component_that_switches_is_refused(component: str, reason: str) -> None:
    """The sentence names the component, the reason and the remedy."""
    sentence = (
        f"{component} has no Modelica text, since {reason}; export the mechanism that contains it as an FMU, "
        f"with jourdain export or System.export_fmu"
    )
    with pytest.raises(DeclarationError, match=f"^{re.escape(sentence)}$"):
        package_text([declaration(find("planar.Fixed")), declaration(find(component))])


def test_a_package_has_connectors_and_libraries() -> None:
    lines = package_text(map(declaration, (find("planar.Fixed"), find("planar.Weld"), find("signal.Gain")))).splitlines()
    heads = [line for line in lines if re.match(r" *(package|connector|model|end) ", line) and not re.search(r"Interfaces| = ", line)]
    signals = [re.sub(r" annotation.*", "", line).strip() for line in lines if re.match(r" *connector \w+ = ", line)]
    assert signals == [
        f'connector Real{way.capitalize()} = {way} Real "{way.capitalize()} signal; compatible with Real{way.capitalize()} of Modelica.Blocks"'
        for way in ("input", "output")
    ]
    connectors = [
        f"    {word} {name}"
        for name in ("Planar", "Shaft", "Slide", "Hydraulic", "Pneumatic", "Heat", "Electrical")
        for word in ("connector", "end")
    ]
    assert [head.removesuffix(";") for head in heads] == [
        "package Jourdain",
        *connectors,
        "  package planar",
        *("    model Fixed", "    end Fixed", "    model Weld", "    end Weld"),
        "  end planar",
        *("  package signal", "    model Gain", "    end Gain", "  end signal"),
        "end Jourdain",
    ]
    assert lines[-2] == '  annotation(uses(Modelica(version = "4.0.0")));'
    assert '      flow Real t(unit = "N.m") "torque on the body about the point";' in lines


def test_the_command_writes_named_components(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A user's own component stands at the top of the package; nothing but the package is written."""
    assert build_fmus.main(["--modelica", str(tmp_path), "planar.Revolute", str(SCREW)]) == 0
    file = tmp_path / "Jourdain" / "package.mo"
    assert capsys.readouterr().out == f"2 components in {file}; none left out\n"
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [file]
    assert "\n    model Revolute\n" in file.read_text() and "\n  model Screw\n" in file.read_text()


def test_the_command_refuses_a_named_component_that_switches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_fmus.main(["--modelica", str(tmp_path / "new"), "planar.Fixed", "planar.Rope"]) == 1
    assert capsys.readouterr().err.startswith("build_fmus.py: planar.Rope has no Modelica text, since ")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert build_fmus.main(["--modelica", str(tmp_path / "file"), "planar.Fixed"]) == 1
    assert capsys.readouterr().err == (
        f"build_fmus.py: the Modelica package cannot be written into '{tmp_path / 'file'}': File exists; give another folder with --modelica\n"
    )


@pytest.mark.slow
def test_every_component_is_written_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command leaves out exactly those components that have relations, discrete states, events or switched constraints."""
    assert build_fmus.main(["--modelica", str(tmp_path)]) == 0
    file = tmp_path / "Jourdain" / "package.mo"
    text, library, written = file.read_text(), "", []
    for kind, name in re.findall(r"^ *(package|model) (\w+)$", text, re.MULTILINE):
        library = name if kind == "package" else library
        written += [f"{library}.{name}"] if kind == "model" else []
    switched = []
    for name, component in all_components().items():
        declared = declaration(component)
        if declared.events or declared.switched or declared.with_role(Role.RELATION, Role.DISCRETE, Role.DISCRETE_INPUT):
            switched.append(name)
            assert switching(declared) is not None
            with pytest.raises(DeclarationError, match=f"^{re.escape(name)} has no Modelica text, since .*; export the mechanism"):
                refuse(declared)
    assert written == [name for name in all_components() if name not in switched]
    assert capsys.readouterr().out == f"{len(written)} components in {file}; {len(switched)} left out, which switch at events\n"
    assert len(written) >= 151 and len(switched) >= 38
