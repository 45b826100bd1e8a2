"""Wrappers of exported FMUs: their text is that of the models that ran in OpenModelica, with the same connectors and signs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from coupling import BuildError, System
from coupling.fmus import load
from coupling.modelica.wrapper import importer_names
from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.modelica.package import package_text
from jourdain import orientation
from tests.support.modelica.frames import for_rumoca
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


def bushing() -> System:
    made = System("Half")
    made.add("ground", "spatial.Fixed")
    made.add("bush", "spatial.Bushing")
    made.connect("ground.p1", "bush.M")
    return made


@pytest.mark.slow
def test_a_frame_that_takes_motion(tmp_path: Path) -> None:
    """The partner gives the attitude, and has the root. Forces and torques act on it, in the frame's own axes."""
    found = lines_of(bushing(), tmp_path, inputs=["bush.N"])
    assert {
        "Modelica.Mechanics.MultiBody.Interfaces.Frame_a bush_N;",
        "bush_N_R = transpose(bush_N.R.T);",
        "bush_N_v = der(bush_N.r_0);",
        "bush_N_a = der(bush_N_v);",
        "bush_N_w = bush_N_R*bush_N.R.w;",
        "bush_N_alpha = bush_N_R*der(bush_N.R.w);",
        "{fmu.bush_N_x, fmu.bush_N_y, fmu.bush_N_z} = bush_N.r_0;",
        "{fmu.bush_N_alphax, fmu.bush_N_alphay, fmu.bush_N_alphaz} = bush_N_alpha;",
        "bush_N.f = -bush_N.R.T*{fmu.bush_N_Fx, fmu.bush_N_Fy, fmu.bush_N_Fz};",
        "bush_N.t = -bush_N.R.T*{fmu.bush_N_Cx, fmu.bush_N_Cy, fmu.bush_N_Cz};",
    } <= set(found)
    assert not [line for line in found if "Connections" in line or "fixed" in line]


ADDED = 0.4
"""Mass that a law adds at a port in kg, and ten times the moment of inertia that it adds."""
LAW = f"""
block Half_FMU
  {" ".join(f"input Real bush_N_{kind}{axis};" for kind in ("", "v", "a", "omega", "alpha") for axis in "xyz")}
  {" ".join(f"input Real bush_N_R{i}{k};" for i in (1, 2, 3) for k in (1, 2, 3))}
  {" ".join(f"output Real bush_N_{kind}{axis};" for kind in "FC" for axis in "xyz")}
equation
  bush_N_Fx = -5*bush_N_x - 0.3*bush_N_vx - {ADDED}*bush_N_ax;
  bush_N_Fy = -6*bush_N_y - 0.3*bush_N_vy - {ADDED}*bush_N_ay;
  bush_N_Fz = -7*bush_N_z - 0.3*bush_N_vz - {ADDED}*bush_N_az;
  bush_N_Cx = -2*bush_N_R32 - 0.1*bush_N_omegax - {ADDED / 10}*bush_N_alphax;
  bush_N_Cy = 2*bush_N_R31 - 0.1*bush_N_omegay - {ADDED / 10}*bush_N_alphay;
  bush_N_Cz = 1.5*bush_N_R12 - 0.2*bush_N_omegaz - {ADDED / 10}*bush_N_alphaz;
end Half_FMU;
"""
"""A law of force and torque in absolute axes, with each variable of a port, in the place of the imported block."""
MASS, TENSOR, GRAVITY_IN_SPACE = 1.3, np.array([[0.12, 0.01, 0.0], [0.01, 0.19, 0.0], [0.0, 0.0, 0.2]]), np.array([1.0, -9.0, 2.0])
POINT, FRAME = np.array([-0.5, 0.1, 0.0]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""The port in the axes of the body: its point, and its axes as columns."""
STATES = dict.fromkeys(("x", "y", "z", "vx", "vy", "vz", "q0", "q1", "q2", "q3", "omegax", "omegay", "omegaz"), 0.0)
STATES |= {"x": 0.2, "vy": 0.3, "q0": 1.0, "omegax": 0.5, "omegay": -0.7, "omegaz": 0.9}


def newton_euler(_: float, y: np.ndarray) -> np.ndarray:
    """The rates of a body on which the law acts at its port: its accelerations solve six equations."""
    x, v, q, w = y[:3], y[3:6], y[6:10] / np.linalg.norm(y[6:10]), y[10:]
    A = Rotation.from_quat(q, scalar_first=True).as_matrix()
    r, R, inertia = A @ POINT, A @ FRAME, A @ TENSOR @ A.T

    def cross(a: np.ndarray) -> np.ndarray:
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    # The law is F = F0 - ADDED (a + alpha x r + w x (w x r)) and C = C0 - ADDED/10 alpha.
    F0 = -np.array([5.0, 6.0, 7.0]) * (x + r) - 0.3 * (v + np.cross(w, r)) - ADDED * np.cross(w, np.cross(w, r))
    C0 = np.array([-2 * R[2, 1], 2 * R[2, 0], 1.5 * R[0, 1]]) - np.array([0.1, 0.1, 0.2]) * w
    per_motion = np.hstack((ADDED * np.eye(3), -ADDED * cross(r)))
    matrix = np.zeros((6, 6))
    matrix[:3, :3], matrix[3:, 3:] = MASS * np.eye(3), inertia + ADDED / 10 * np.eye(3)
    matrix[:3] += per_motion
    matrix[3:] += cross(r) @ per_motion
    known = np.concatenate((MASS * GRAVITY_IN_SPACE + F0, np.cross(r, F0) + C0 - np.cross(w, inertia @ w)))
    s, u = q[0], q[1:]
    rate = 0.5 * np.concatenate(([-w @ u], s * w + np.cross(w, u)))
    return np.concatenate((v, np.linalg.solve(matrix, known)[:3], rate, np.linalg.solve(matrix, known)[3:]))


@pytest.mark.slow
def test_a_frame_that_takes_motion_has_its_signs(tmp_path: Path) -> None:
    """A body on this frame moves as the equations of Newton and Euler say, in rumoca, with a law for the FMU."""
    rumoca = pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")
    half = for_rumoca(bushing().to_modelica(tmp_path, form="fmu", inputs=["bush.N"]).read_text())
    values = {"m": MASS, "Ixx": 0.12, "Iyy": 0.19, "Izz": 0.2, "Ixy": 0.01, "gx": 1.0, "gy": -9.0, "gz": 2.0, "p1_rx": -0.5, "p1_ry": 0.1}
    turned = {"p1_zx": 0.0, "p1_zy": 1.0, "p1_zz": 0.0}
    modifiers = ", ".join(f"{name} = {value!r}" for name, value in (values | turned).items())
    starts = ", ".join(f"{name}(start = {value!r}, fixed = true)" for name, value in STATES.items())
    both = (
        "model Both\n  Half half;\n"
        f"  Jourdain.spatial.Body1 rod({modifiers}, {starts});\nequation\n  connect(half.bush_N, rod.p1);\nend Both;\n"
    )
    text = for_rumoca(package_text([declaration(find("spatial.Body1"))]))
    half = half.replace("  Interfaces.Frame", "  Jourdain.Interfaces.Frame")
    loaded = rumoca.Session().loads("\n".join([text, LAW, half, both]), model="Both")
    result = loaded.simulate(t=(0, 0.5), dt=0.01, config=rumoca.SimConfig(solver="rk-like", rtol=1e-10, atol=1e-10))
    oracle = solve_ivp(newton_euler, (0, 0.5), list(STATES.values()), method="DOP853", rtol=1e-12, atol=1e-12)
    found = np.array([float(result[f"rod.{name}"][-1]) for name in STATES])
    assert found == pytest.approx(oracle.y[:, -1], abs=1e-7)


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
    assert "Half" in parser.parse(bushing().to_modelica(tmp_path, form="fmu", inputs=["bush.N"]).read_text()).classes
