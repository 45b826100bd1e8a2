"""The text of a system as one Modelica model, and the sentences that refuse one."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from coupling import BuildError, System
from coupling.modelica.whole import ModelicaNote
from jourdain.declare import t
from tests.support.export.examples import system as of_example
from tests.support.systems.modelica_machines import GRAVITY, control_loop, driven_crank, legs, pendulum


def lines_of(system: System, folder: Path, **options: object) -> list[str]:
    """The lines of the model itself, without the package of components and the annotations."""
    text = system.to_modelica(folder, form="native", **options).read_text()  # type: ignore[arg-type]
    own = text[text.index("  end Jourdain;\n") :].splitlines()[1:]
    return [re.sub(r" annotation\(.*", ";", line).strip() for line in own]


def shaft() -> System:
    made = System("shaft")
    made.add("shaft", "mechanical1d.Inertia", {"I": 2.0})
    return made


def test_the_model_of_a_pendulum(tmp_path: Path) -> None:
    """The folder is made, and holds one file with one class, which has the components inside."""
    folder = tmp_path / "new" / "models"
    assert lines_of(pendulum(), folder) == [
        "Jourdain.planar.Fixed ground;",
        "Jourdain.planar.Body1 rod(m = 1.0, I = 0.08333333333333333, gx = 0.0, gy = -9.81, p1_rx = -0.5, x(start = 0.5), y(start = 0.0), "
        "theta(start = 0.0, fixed = true), vx(start = 0.0), vy(start = 0.0), omega(start = 0.0, fixed = true));",
        "Jourdain.planar.Revolute pin;",
        "equation",
        "connect(pin.M, ground.p1);",
        "connect(pin.N, rod.p1);",
        ";",
        "end pendulum;",
    ]
    assert [each.name for each in folder.iterdir()] == ["pendulum.mo"]
    text = (folder / "pendulum.mo").read_text()
    assert text.startswith('model pendulum\n  "pendulum: 3 components"\n  package Jourdain\n')
    assert text.count("model Body1") == 1 and "model Body2" not in text


def test_as_many_states_keep_their_start_as_there_are_freedoms(tmp_path: Path) -> None:
    """A driven crank has none; a given angle comes before others, and a pose of assembly gives the values."""
    assert not [line for line in lines_of(driven_crank(), tmp_path) if "fixed = true" in line]
    kept = [line for line in lines_of(of_example("03_seven_body_mechanism"), tmp_path) if "fixed = true" in line]
    assert len(kept) == 1 and kept[0].count("fixed = true") == 2
    machine = pendulum()
    pose = machine.assemble(guess={"rod.theta": 0.4})
    posed = lines_of(pendulum(), tmp_path, initial=pose)
    assert any(f"theta(start = {float(pose['rod.theta'])!r}, fixed = true)" in line for line in posed)


def test_drives_and_signals(tmp_path: Path) -> None:
    """Terms at one port add up; a factor and an offset are written; an input that is given is a modifier."""
    found = lines_of(control_loop(), tmp_path)
    assert "Jourdain.signal.Sum error(k_2 = (-1.0), u1 = 0.5, u2 = (mass.flange.s + 0.1), u3 = (-0.2)*mass_flange_v_value);" not in found
    assert "Jourdain.signal.Sum error(k_2 = -1.0, u1 = 0.5, u2 = (mass.flange.s + 0.1), u3 = (-0.2)*mass_flange_v_value);" in found
    assert "Jourdain.mechanical1d.Force force(force = 40.0*filter.y);" in found
    assert "Jourdain.Interfaces.TranslationalEffort mass_flange_effort(f = cos((7.0*time)));" in found
    assert {'Real mass_flange_v_value(unit = "m/s");', "mass_flange_v_value = der(mass.flange.s);"} <= set(found)
    assert {"connect(mass_flange_effort.port, mass.flange);", "connect(force.flange, mass.flange);"} <= set(found)


@pytest.mark.parametrize(
    ("drive", "expected"),
    [
        (2.5, "2.5"),
        (-0.0, "0.0"),
        (-1, "(-1.0)"),
        (t**2 - 1, "((-1.0) + (time^(2)))"),
        ([(0.0, 1.0), (1.0, 3.0)], "(if (time < 0.0) then 1.0 else if (time < 1.0) then ((2.0*(time + 0.0)) + 1.0) else 3.0)"),
        ([(1.0, 0.0), (1.0, 5.0)], "(if (time < 1.0) then 0.0 else 5.0)"),
        ([(0.5, 4.0)], "4.0"),
    ],
)
def test_drives_are_expressions_of_time(tmp_path: Path, drive: object, expected: str) -> None:
    made = shaft()
    made.add("motor", "mechanical1d.Torque")
    made.connect("motor.flange", "shaft.flange")
    made.drive("motor.torque", drive)
    assert f"Jourdain.mechanical1d.Torque motor(torque = {expected});" in lines_of(made, tmp_path)


def test_nested_systems_have_names_with_underscores(tmp_path: Path) -> None:
    found = lines_of(legs(), tmp_path, initial="assemble")
    assert {"connect(left_hip.M, carriage.p1);", "connect(right_hip.N, right_rod.p1);"} <= set(found)
    assert any(line.startswith("Jourdain.planar.Revolute left_hip(rotation_k = 4.0, rotation_b = 0.1") for line in found)


def test_ports_inputs_and_outputs_become_connectors(tmp_path: Path) -> None:
    """An effort at the connector of a port is a flow; an input is a signal."""
    made = System("arm", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    made.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", name="pin")
    found = lines_of(made, tmp_path, inputs=["rod.p2", "pin.effort"], outputs=["rod.theta", "rod.p2.ay"])
    assert {
        'Jourdain.Interfaces.Planar rod_p2 "point 2 of the body";',
        'Jourdain.Interfaces.RealInput pin_effort(unit = "N.m") "torque on body j, its opposite on body i";',
        'Jourdain.Interfaces.RealOutput rod_theta(unit = "rad") "absolute angle of the body";',
        "Jourdain.planar.ActuatedRevolute pin(effort = pin_effort);",
        "connect(rod_p2, rod.p2);",
        "rod_theta = rod.theta;",
        "rod_p2_vy_value = der(rod.p2.y);",
        "rod_p2_ay_value = der(rod_p2_vy_value);",
        "rod_p2_ay = rod_p2_ay_value;",
    } <= set(found)


def test_values_of_a_frame_in_space(tmp_path: Path) -> None:
    """The angular velocity and the force on a body have absolute axes; those of the connector are the frame's own."""
    made = System("space", gravity=(0.0, 0.0, -9.81))
    made.add("ground", "spatial.Fixed")
    made.add("rod", "spatial.Body1", {"p1.rx": -0.5, "x": 0.5})
    made.join("spatial.Spherical", "ground.p1", "rod.p1", name="ball")
    found = lines_of(made, tmp_path, outputs=["rod.p1.omegay", "rod.p1.R12", "ball.N.Fx", "rod.p1.vz"])
    assert {
        "rod_p1_omegay_value = rod.p1.R.T[1, 2]*rod.p1.R.w[1] + rod.p1.R.T[2, 2]*rod.p1.R.w[2] + rod.p1.R.T[3, 2]*rod.p1.R.w[3];",
        "rod_p1_R12 = rod.p1.R.T[2, 1];",
        "ball_N_Fx = (-(ball.N.R.T[1, 1]*ball.N.f[1] + ball.N.R.T[2, 1]*ball.N.f[2] + ball.N.R.T[3, 1]*ball.N.f[3]));",
        "rod_p1_vz_value = der(rod.p1.r_0[3]);",
    } <= set(found)
    text = (tmp_path / "space.mo").read_text()
    assert 'uses(Modelica(version = "4.0.0"))' in text


def test_a_diagram_has_places_and_lines(tmp_path: Path) -> None:
    """Every instance has its own place, every connection a line that begins and ends at the connectors, and a group has a frame."""
    text = legs().to_modelica(tmp_path, form="native", initial="assemble").read_text()
    own = text[text.index("  end Jourdain;\n") :]
    places = re.findall(r"Jourdain\.\w+\.\w+ (\w+).*Placement\(transformation\(extent = (\{\{.*?\}\})\)\)\);", own)
    assert {name for name, _ in places} == {
        "ground",
        "carriage",
        "rail",
        "left_rod",
        "left_hip",
        "left_push",
        "right_rod",
        "right_hip",
        "right_push",
    }
    assert len({place for _, place in places}) == len(places)
    assert len(re.findall(r"connect\(.*\) annotation\(Line\(points = ", own)) == own.count("connect(") == 8
    corners = {name: [float(each) for each in re.findall(r"-?[\d.]+", place)] for name, place in places}
    x1, y1, x2, _ = corners["ground"]
    line = re.search(r"connect\(.*ground\.p1\) annotation\(Line\(points = (.*?), color", own)
    ends = re.findall(r"\{(-?[\d.]+), (-?[\d.]+)\}", line[1] if line else "")
    assert (abs(float(ends[-1][0]) - x1) < 0.02 or abs(float(ends[-1][0]) - x2) < 0.02) and abs(float(ends[-1][1]) - y1 - 10) < 0.02
    assert own.count("LinePattern.Dash") == 2 and 'textString = "left"' in own


# -- refusals ----------------------------------------------------------------------------------------------------------------------


AS_FMU = "write the system as an FMU with a wrapper: form='fmu'"


def refused(made: System, folder: Path, sentence: str, **options: object) -> None:
    with pytest.raises(BuildError, match=f"^{re.escape(sentence)}$"):
        made.to_modelica(folder, **{"form": "native", **options})  # type: ignore[arg-type]
    assert not folder.exists()


def test_components_without_text_are_refused(tmp_path: Path, fmu: object) -> None:
    """The sentence names the instance, its component, the reason and the remedy."""
    switching = shaft()
    switching.add("step", "signal.Step")
    refused(
        switching, tmp_path / "m", f"'step' (signal.Step) has no native Modelica text, since it has the event 'the step comes'; {AS_FMU}"
    )
    enforced = pendulum()
    enforced.enforce("pin", [(0.5, None)])
    refused(
        enforced,
        tmp_path / "m",
        "'pin' is in force at some times only, by enforce(), and Modelica text has no such joints; leave enforce() out",
    )


def test_functions_are_refused_by_name(tmp_path: Path) -> None:
    made = shaft()
    made.add("motor", "mechanical1d.Torque")
    made.connect("motor.flange", "shaft.flange")
    made.drive("motor.torque", lambda time: time)
    remedy = "drive it by an expression of jourdain.declare.t or a table, or name the input in inputs=[...]"
    refused(made, tmp_path / "m", f"'motor.torque' has no Modelica text: a Python function drives it; {remedy}")


def test_repeated_constraints_are_refused(tmp_path: Path) -> None:
    made = pendulum()
    made.join("planar.Revolute", "ground.p1", "rod.p1", name="second")
    with pytest.raises(BuildError, match=r"^the constraints of '(pin|second)' repeat others at the start, and a Modelica compiler refuses"):
        made.to_modelica(tmp_path, form="native")


def test_a_rate_without_its_motion_is_refused(tmp_path: Path) -> None:
    made = shaft()
    made.add("motor", "mechanical1d.Angle", {"angle.rate": 2.0})
    made.join("mechanical1d.RotationalSpringDamper", "motor.flange", "shaft.flange", name="spring")
    sentence = f"'motor.angle.rate' is given, and 'motor.angle', whose rate it is, stands still; {AS_FMU}"
    refused(made, tmp_path / "m", sentence)


def test_the_rate_of_a_motion_that_is_given_follows(tmp_path: Path) -> None:
    """The table has no rates in the text, since the compiler differentiates it."""
    assert not [line for line in lines_of(driven_crank(), tmp_path) if "angle_rate" in line]


def test_names_that_modelica_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    made = shaft()
    for name in ("the motor", "the_motor"):
        made.add(name, "mechanical1d.Inertia")
    refused(made, tmp_path / "m", "'the_motor' is called 'the_motor' in Modelica, and so is 'the motor'; give one of them another name")
    own = System("Jourdain's")
    own.add("Jourdain", "planar.Body1")
    refused(
        own,
        tmp_path / "m",
        "'Jourdain' is called 'Jourdain' in Modelica, and so is the package of components; give one of them another name",
    )


def test_outputs_that_are_left_out_are_refused(tmp_path: Path) -> None:
    sentence = f"'pin.position[1]' is left out of the Modelica text of planar.Revolute; {AS_FMU}"
    refused(pendulum(), tmp_path / "m", sentence, outputs=["pin.position[1]"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"form": "text"}, "form = 'text' is refused: choose 'native' or 'fmu', or leave it out"),
        ({"initial": "relax"}, "initial = 'relax' is refused: choose 'check' or 'assemble', or give a pose or a result"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, str], sentence: str) -> None:
    refused(pendulum(), tmp_path / "m", sentence, **options)


def test_wrong_folders_and_empty_systems_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match=r"file' is a file; give the name of a folder for the model, such as '.*models'"):
        pendulum().to_modelica(tmp_path / "file")
    with pytest.raises(BuildError, match=r"^folder = 3 is refused: give the name of a folder, such as 'models'$"):
        pendulum().to_modelica(3)  # type: ignore[arg-type]
    with pytest.raises(BuildError, match=r"^the system 'none' is empty, and there is nothing to write; add instances first$"):
        System("none").to_modelica(tmp_path)


# -- form --------------------------------------------------------------------------------------------------------------------------


def test_the_form_is_native_where_it_is_possible(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file = pendulum().to_modelica(tmp_path)
    assert "package Jourdain" in file.read_text()


def test_a_note_gives_the_reason_for_an_fmu(tmp_path: Path) -> None:
    made = shaft()
    made.add("step", "signal.Step")
    with pytest.warns(
        ModelicaNote, match=r"^'step' \(signal.Step\) has no native .*: the system is written as an FMU with a wrapper$"
    ) as noted:
        file = made.to_modelica(tmp_path)
    assert noted[0].filename == __file__
    assert "shaft_FMU fmu" in file.read_text() and {each.suffix for each in tmp_path.iterdir()} == {".mo", ".mos", ".fmu"}
