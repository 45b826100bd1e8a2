"""Wrappers of exported FMUs: their text is that of the models that ran in OpenModelica, with the same connectors and signs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, System
from coupling.fmus import load
from coupling.modelica.wrapper import importer_names
from jourdain import orientation
from tests.support.systems.modelica_machines import GRAVITY


def arm(name: str = "Motor") -> System:
    made = System(name, gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("rod", "planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    made.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", name="pin")
    return made


def lines_of(made: System, folder: Path, **options: object) -> list[str]:
    """The lines of the model without texts and annotations."""
    lines = made.to_modelica(folder, form="fmu", **options).read_text().splitlines()  # type: ignore[arg-type]
    return [re.sub(r'( "[^"]*")? annotation\(.*|(?<!^)  *"[^"]*";$', ";", line).strip() for line in lines]


SHADOW = "fixed = true, stateSelect = StateSelect.always"


def test_a_flange_has_shadow_states(tmp_path: Path) -> None:
    """A flow into the connector is the torque on the side that gives the motion: no sign changes."""
    assert lines_of(arm(), tmp_path, inputs=["pin.flange"]) == [
        "model Motor",
        '"Motor: an FMU with connectors"',
        "Modelica.Mechanics.Rotational.Interfaces.Flange_a pin_flange;",
        "Motor_FMU fmu;",
        f'Real pin_flange_phi(unit = "rad", start = 0.0, {SHADOW});',
        f'Real pin_flange_w(unit = "rad/s", start = 0.0, {SHADOW});',
        "equation",
        "pin_flange.phi = pin_flange_phi;",
        "der(pin_flange_phi) = pin_flange_w;",
        "der(pin_flange_w) = fmu.pin_flange_a;",
        "fmu.pin_flange_tau = pin_flange.tau;",
        ";",
        "end Motor;",
    ]
    assert {each.name for each in tmp_path.iterdir()} == {"Motor.mo", "Motor.mos", "Motor.fmu"}


def test_the_fmu_is_slim_and_starts_as_the_model(tmp_path: Path) -> None:
    """Only states, derivatives and the port remain; the shadow states have the pose of the start."""
    made = System("Turned", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.0, "y": 0.5, "theta": np.pi / 2, "vx": -1.0, "omega": 2.0})
    made.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    found = lines_of(made, tmp_path, inputs=["rod.p2"], outputs=["rod.theta"])
    starts = {name: float(start) for name, start in re.findall(r"Real rod_p2_(\w+)\(.*?start = \(?(-?[\d.e-]+)", "\n".join(found))}
    assert starts == pytest.approx({"x": 0.0, "vx": -2.0, "y": 1.0, "vy": 0.0, "theta": np.pi / 2, "omega": 2.0}, abs=1e-9)
    assert {
        "PlanarMechanics.Interfaces.Frame_a rod_p2;",
        'Modelica.Blocks.Interfaces.RealOutput rod_theta(unit = "rad");',
        "der(rod_p2_vx) = fmu.rod_p2_ax;",
        "der(rod_p2_omega) = fmu.rod_p2_alpha;",
        "rod_p2.phi = rod_p2_theta;",
        "fmu.rod_p2_Fx = rod_p2.fx;",
        "fmu.rod_p2_Cz = rod_p2.t;",
        "rod_theta = fmu.rod_theta;",
    } <= set(found)
    fmu = load(tmp_path / "Turned.fmu")
    assert fmu.version == 3
    assert {v.name for v in fmu.variables.values() if v.causality == "local"} == {
        *(f"rod.{state}" for state in ("x", "y", "vx", "vy", "omega")),
        *(f"der(rod.{state})" for state in ("x", "y", "theta", "vx", "vy", "omega")),
    }
    text = (tmp_path / "Turned.mo").read_text()
    assert 'uses(Modelica(version = "4.0.0"), PlanarMechanics(version = "1.6.0"))' in text


def test_the_script_imports_both(tmp_path: Path) -> None:
    arm().to_modelica(tmp_path, form="fmu", inputs=["rod.p2"])
    assert (tmp_path / "Motor.mos").read_text().splitlines()[1:] == [
        "loadModel(Modelica); getErrorString();",
        "loadModel(PlanarMechanics); getErrorString();",
        'setCommandLineOptions("--allowNonStandardModelica=reinitInAlgorithms"); getErrorString();',
        'block_file := importFMU("Motor.fmu", modelName = Motor_FMU); getErrorString();',
        "loadFile(block_file); getErrorString();",
        'loadFile("Motor.mo"); getErrorString();',
        "checkModel(Motor); getErrorString();",
    ]


def test_a_frame_in_space_is_a_root(tmp_path: Path) -> None:
    """The attitude is a quaternion; forces and torques of the connector have the frame's own axes."""
    made = System("Link", gravity=(0.0, -9.81, 0.0))
    made.add("ground", "spatial.Fixed", {"p1.zx": 0.0, "p1.zy": 1.0, "p1.zz": 0.0})
    turned = orientation(axis=(0.0, 1.0, 0.0), angle=0.6)
    made.add("rod", "spatial.Body2", {"p2.rx": 0.5, "p1.zx": 0.0, "p1.zy": 1.0, "p1.zz": 0.0, **turned, "omegay": 2.0})
    made.join("spatial.Revolute", "ground.p1", "rod.p1", name="pin")
    found = lines_of(made, tmp_path, inputs=["rod.p2"])
    text = "\n".join(found)

    def start(name: str) -> list[float]:
        (values,) = re.findall(rf"Real rod_p2_{name}\[\d\]\(.*?start = \{{(.*?)\}}", text)
        return [float(each.strip("() ")) for each in values.split(",")]

    assert start("q") == pytest.approx(list(turned.values()), abs=1e-12)
    assert start("r") == pytest.approx([0.5 * np.cos(0.6), 0.0, -0.5 * np.sin(0.6)], abs=1e-12)
    assert start("v") == pytest.approx([-np.sin(0.6), 0.0, -np.cos(0.6)], abs=1e-12)
    assert start("w") == pytest.approx([0.0, 2.0, 0.0], abs=1e-12)
    assert {
        "Modelica.Mechanics.MultiBody.Interfaces.Frame_a rod_p2;",
        "Connections.root(rod_p2.R);",
        "der(rod_p2_v) = {fmu.rod_p2_ax, fmu.rod_p2_ay, fmu.rod_p2_az};",
        "der(rod_p2_w) = {fmu.rod_p2_alphax, fmu.rod_p2_alphay, fmu.rod_p2_alphaz};",
        "rod_p2.r_0 = rod_p2_r;",
        "rod_p2.R.T = transpose(rod_p2_R);",
        "rod_p2.R.w = transpose(rod_p2_R)*rod_p2_w;",
        "{fmu.rod_p2_Fx, fmu.rod_p2_Fy, fmu.rod_p2_Fz} = rod_p2_R*rod_p2.f;",
        "{fmu.rod_p2_Cx, fmu.rod_p2_Cy, fmu.rod_p2_Cz} = rod_p2_R*rod_p2.t;",
    } <= set(found)


def test_the_quaternion_gives_the_matrix_and_its_rate(tmp_path: Path) -> None:
    """The equations of the text, evaluated by Python, belong together: R of q, and R' = skew(w) R for the rates of q."""
    made = System("Free")
    made.add("rod", "spatial.Body1", {"gz": 0.0})
    text = made.to_modelica(tmp_path, form="fmu", inputs=["rod.p1"]).read_text()
    (matrix,) = re.findall(r"rod_p1_R = \[(.*)\];", text)
    rates = [rate for _, rate in re.findall(r"der\(rod_p1_q\[(\d)\]\) = (.*);", text)]

    def numbers(expression: str, q: np.ndarray, w: np.ndarray) -> float:
        plain = expression.replace("(rod_p1_q*rod_p1_q)", "(q @ q)").replace("^", "**")
        plain = re.sub(r"rod_p1_([qw])\[(\d)\]", lambda m: f"{m[1]}[{int(m[2]) - 1}]", plain)
        return float(eval(plain, {"q": q, "w": w}))

    def rotation(q: np.ndarray) -> np.ndarray:
        return np.array([[numbers(each, q, w) for each in row.split(",")] for row in matrix.split(";")])

    q, w = np.array([0.5, -0.1, 0.7, 0.4]), np.array([0.3, -1.1, 0.6])
    R, rate, h = rotation(q), np.array([numbers(each, q, w) for each in rates]), 1e-6
    assert pytest.approx(np.eye(3), abs=1e-12) == R @ R.T and np.linalg.det(R) == pytest.approx(1.0)
    skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    assert (rotation(q + h * rate) - rotation(q - h * rate)) / (2 * h) == pytest.approx(skew @ R, abs=1e-8)


def test_ports_that_take_motion_differentiate_it(tmp_path: Path) -> None:
    """Their torque acts on the partner, and is minus the flow. An input of motion has rates beside it."""
    made = System("Half")
    made.add("wall", "mechanical1d.Angle")
    made.add("spring", "mechanical1d.RotationalSpringDamper")
    made.connect("wall.flange", "spring.M")
    found = lines_of(made, tmp_path, inputs=["spring.N", "wall.angle"])
    assert {
        'Real spring_N_w(unit = "rad/s");',
        "fmu.spring_N_phi = spring_N.phi;",
        "spring_N_w = der(spring_N.phi);",
        "fmu.spring_N_w = spring_N_w;",
        "spring_N_a = der(spring_N_w);",
        "fmu.spring_N_a = spring_N_a;",
        "spring_N.tau = -fmu.spring_N_tau;",
        'Modelica.Blocks.Interfaces.RealInput wall_angle(unit = "rad");',
        "fmu.wall_angle = wall_angle;",
        "fmu.wall_angle_rate = der(wall_angle);",
        "fmu.wall_angle_acceleration = der(fmu.wall_angle_rate);",
    } <= set(found)


def test_pins_and_oil(tmp_path: Path) -> None:
    """The Modelica Standard Library has no connector for oil; the model declares it."""
    made = System("Plant")
    made.add("capacitor", "electrical.Capacitor", {"v": 5.0})
    made.add("volume", "hydraulic.Volume")
    made.add("orifice", "hydraulic.Orifice")
    made.connect("orifice.A", "volume.port")
    found = lines_of(made, tmp_path, inputs=["capacitor.pin", "orifice.B"])
    assert {
        "Modelica.Electrical.Analog.Interfaces.Pin capacitor_pin;",
        "capacitor_pin.v = fmu.capacitor_pin_v;",
        "fmu.capacitor_pin_i = capacitor_pin.i;",
        "connector Hydraulic",
        "Hydraulic orifice_B;",
        "fmu.orifice_B_p = orifice_B.p;",
        "orifice_B.q = -fmu.orifice_B_q;",
    } <= set(found)


def test_a_spatial_port_that_takes_motion_is_refused(tmp_path: Path) -> None:
    made = System("Half")
    made.add("ground", "spatial.Fixed")
    made.add("spring", "spatial.SpringDamper")
    made.connect("ground.p1", "spring.M")
    with pytest.raises(BuildError, match=r"^inputs: 'spring.N' takes the motion of a spatial frame, .*; open a port of a body instead$"):
        made.to_modelica(tmp_path, form="fmu", inputs=["spring.N"])


def test_names_are_those_of_the_importer(tmp_path: Path) -> None:
    """OpenModelica replaces seven characters in names of variables; other ones, and names that become equal, are refused."""
    made = System("named")
    made.add("one shaft", "mechanical1d.Inertia")
    fmu = load(made.export_fmu(tmp_path / "named.fmu", fmi=3, locals=False))
    names = importer_names(fmu)
    assert names["one_shaft.phi"] == "one_shaft_phi" and names["der(one_shaft.phi)"] == "der_one_shaft_phi_"
    odd = System("odd")
    odd.add("a-b", "mechanical1d.Inertia")
    with pytest.raises(
        BuildError, match=r"^OpenModelica cannot import the variable 'der\(a-b\.phi\)', whose name it takes for 'der_a-b_phi_'; rename"
    ):
        odd.to_modelica(tmp_path, form="fmu")
    alike = System("alike")
    alike.add("a_b", "mechanical1d.Inertia")
    inner = System("inner")
    inner.add("b", "mechanical1d.Inertia")
    alike.include("a", inner)
    with pytest.raises(BuildError, match=r"^OpenModelica would call both 'der\(a_b\.phi\)' and 'der\(a\.b\.phi\)' 'der_a_b_phi_'; rename"):
        alike.to_modelica(tmp_path, form="fmu")


@pytest.mark.slow
def test_pymoca_parses_wrappers(tmp_path: Path) -> None:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca, of the extra 'peers', is not installed")
    for port in ("pin.flange", "rod.p2"):
        file = arm().to_modelica(tmp_path, form="fmu", inputs=[port], outputs=["rod.theta"])
        assert "Motor" in parser.parse(file.read_text()).classes
