"""Parts whose laws are tables, against closed forms and SciPy's interpolation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator, RegularGridInterpolator

from coupling import BuildError, StartError, System
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.components.signals import blocks
from tests.support.runtime.driver import Driver

X, Y = [-0.2, -0.05, 0.0, 0.03, 0.3], [-90.0, -10.0, 0.0, 1.0, 150.0]


FINE = {"solver": "dop853", "rtol": 1e-12, "atol": 1e-12, "max_step": 1e-3}
"""Options of runs over points of tables, where higher derivatives jump: steps that are short meet 1e-8 there."""


def solved(slopes, start, end):
    return solve_ivp(slopes, (0, end), start, method="DOP853", rtol=1e-12, atol=1e-13, max_step=1e-3).y[:, -1]


@pytest.mark.slow
def test_a_mass_on_a_spring_and_a_damper_by_tables():
    """Monotone cubics for both; the mass stays within 1e-8 of SciPy's solution."""
    speeds, forces = [-3.0, 0.0, 0.2, 4.0], [-5.0, 0.0, 1.0, 3.0]
    spring, damper = PchipInterpolator(X, Y), PchipInterpolator(speeds, forces)
    system = System("spring")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 0.7, "s": 0.35, "v": -0.4})
    tables = {"force": {"points": [X, Y], "kind": "cubic"}, "damping": {"points": [speeds, forces], "kind": "cubic"}}
    system.join("mechanical1d.TableSpring", "wall.flange", "mass.flange", {**tables, "rest": 0.1}, name="spring")
    result = system.simulate(0.5, output_times=[0.5], **FINE)

    def slopes(_, x):
        pull = spring(np.clip(x[0] - 0.1, X[0], X[-1])) + damper(np.clip(x[1], speeds[0], speeds[-1]))
        return [x[1], -pull / 0.7]

    exact = solved(slopes, [0.35, -0.4], 0.5)
    assert [result["mass.s"][-1], result["mass.v"][-1]] == pytest.approx(exact, abs=1e-8)
    assert result["spring.power"][-1] == pytest.approx(-result["spring.tension"][-1] * result["mass.v"][-1], rel=1e-12)


@pytest.mark.slow
def test_a_shaft_in_a_detent():
    """A periodic table of the angle holds over many turns of the shaft."""
    angles = np.linspace(0, 2 * math.pi / 3, 9)
    torques = np.sin(3 * angles)
    torques[-1] = torques[0]
    many = np.concatenate([angles[:-1] + 2 * math.pi / 3 * turn for turn in range(-1, 40)])
    detent = PchipInterpolator(many, np.tile(torques[:-1], 41))
    system = System("detent")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("rotor", "mechanical1d.Inertia", {"I": 0.2, "phi": 0.3, "w": 9.0})
    points = {"points": [angles, torques], "kind": "periodic cubic"}
    system.join("mechanical1d.RotationalTableSpring", "ground.shaft", "rotor.flange", {"force": points}, name="detent")
    result = system.simulate(1.0, output_times=[1.0], **FINE)
    exact = solved(lambda _, x: [x[1], -detent(x[0]) / 0.2], [0.3, 9.0], 1.0)
    assert exact[0] > 4 * angles[-1]
    assert [result["rotor.phi"][-1], result["rotor.w"][-1]] == pytest.approx(exact, abs=1e-8)


def test_a_rotor_is_accelerated_along_a_torque_curve():
    """On a straight piece T = 30 - 0.2 w, half of which acts, the speed is an exponential function of time."""
    system = System("motor")
    system.add("rotor", "mechanical1d.Inertia", {"I": 0.05, "w": 20.0})
    system.add("motor", "mechanical1d.TableTorque", {"torque.x": [0, 10, 150], "torque.y": [20, 28, 0], "command": 0.5})
    system.connect("motor.flange", "rotor.flange")
    result = system.simulate(0.3, rtol=1e-11, atol=1e-11)
    rate = 0.5 * 0.2 / 0.05
    assert result["rotor.w"] == pytest.approx(150 - 130 * np.exp(-rate * result.time), abs=1e-8)


@pytest.mark.slow
def test_characteristic_curves_and_maps_of_signals():
    """A curve of each kind is SciPy's, beyond its ends as well; a bilinear map is SciPy's."""
    u1, u2, z = [0.0, 1.0, 3.0], [0.0, 0.5, 2.0, 3.0], np.arange(12.0).reshape(3, 4) ** 2
    parts = {
        "linear": ("signal.Curve", {"curve": [X, Y]}),
        "cubic": ("signal.Curve", {"curve": {"points": [X, Y], "kind": "cubic"}}),
        "saw": ("signal.Curve", {"curve": {"points": [[0, 0.1, 0.4], [1, 3, 1]], "kind": "periodic linear"}}),
        "map": ("signal.Map", {"map": [u1, u2, z]}),
    }
    system = blocks(parts)
    for name in ("linear", "cubic", "saw"):
        system.drive(f"{name}.u", lambda t: 0.35 * np.sin(3 * t))
    system.drive("map.u1", lambda t: 1.5 + 1.4 * np.sin(t))
    system.drive("map.u2", lambda t: 3 * np.cos(t) ** 2)
    result = system.simulate(2.0, output_interval=0.01)
    u = 0.35 * np.sin(3 * result.time)
    assert result["linear.y"] == pytest.approx(np.interp(u, X, Y), abs=1e-12)
    assert result["cubic.y"] == pytest.approx(PchipInterpolator(X, Y)(np.clip(u, X[0], X[-1])), abs=1e-12)
    assert result["saw.y"] == pytest.approx(np.interp(np.mod(u, 0.4), [0, 0.1, 0.4], [1, 3, 1]), abs=1e-12)
    exact = RegularGridInterpolator((u1, u2), z)(np.column_stack([1.5 + 1.4 * np.sin(result.time), 3 * np.cos(result.time) ** 2]))
    assert result["map.y"] == pytest.approx(exact, abs=1e-12)


def test_the_flow_through_a_metering_valve():
    """The area between two points of the table, times the flow of an orifice."""
    system = System("valve")
    system.add("supply", "hydraulic.PressureSource", {"pressure": 9e6})
    system.add("tank", "hydraulic.Tank")
    opening, area = [0.0, 0.2, 1.0], [0.0, 1e-6, 9e-6]
    system.join("hydraulic.MeteringValve", "supply.port", "tank.port", {"area.x": opening, "area.y": area}, name="valve")
    system.drive("valve.opening", lambda t: t)
    result = system.simulate(1.2, output_interval=0.05)
    open_ = np.interp(result.time, opening, area)
    drop = result["valve.drop"]
    assert drop[0] > 8e6
    assert result["valve.flow"] == pytest.approx(0.7 * open_ * np.sqrt(2 * drop / 870), rel=1e-12, abs=1e-18)


@pytest.mark.slow
def test_a_follower_on_a_cam_from_a_file(tmp_path):
    """On a cam at constant speed, place, velocity and acceleration are those of SciPy's curve, also across the end of a turn."""
    angles = np.linspace(0, 2 * math.pi, 121)
    lifts = 0.004 * (1 - np.cos(angles)) + 0.001 * np.sin(2 * angles)
    lifts[-1] = lifts[0]
    rows = [f"{angle!r};{lift!r}" for angle, lift in zip(angles.tolist(), lifts.tolist(), strict=True)]
    (tmp_path / "cam.csv").write_text("\n".join(["angle;lift", *rows]))
    many = np.concatenate([angles[:-1] + 2 * math.pi * turn for turn in range(-2, 3)])
    curve = PchipInterpolator(many, np.tile(lifts[:-1], 5))
    omega = 30.0
    with Driver(
        cached_fmu(find("planar.TableCam").with_tables(lift={"points": tmp_path / "cam.csv", "kind": "periodic cubic"}), 3), "me"
    ) as cam:
        cam.configure({"ideal": True})
        cam.start({"base": 0.05, "M.omega": omega})
        for turned in (0.01, -0.01, 0.9, -2.5, 3.1, -3.1):
            r, slope, bend = (float(curve.derivative(order)(-turned)) if order else 0.05 + float(curve(-turned)) for order in range(3))
            cam.set({"M.theta": turned, "N.x": r, "N.vx": -slope * omega, "N.ax": bend * omega**2})
            assert [cam[f"{level}[1]"] for level in ("position", "velocity", "acceleration")] == pytest.approx([0, 0, 0], abs=1e-11)
            assert [cam[f"profile.{name}"] for name in ("q", "qd", "qdd")] == pytest.approx([r, -slope * omega, bend * omega**2], abs=1e-11)
            cam.set({"lambda[1]": 12.0})
            assert cam["M.Cz"] == pytest.approx(12.0 * slope, abs=1e-12)


@pytest.mark.slow
def test_a_follower_on_the_usual_cam():
    """Its smooth table is a harmonic profile, whose acceleration it meets to 2e-4 between the points as well."""
    omega = 20.0
    with Driver(cached_fmu(find("planar.TableCam"), 3), "me") as cam:
        cam.configure({"ideal": True})
        cam.start({"base": 0.04, "M.omega": omega})
        for turned in np.linspace(-3.1, 3.1, 17):
            r, rate, bend = 0.045 - 0.005 * np.cos(turned), 0.005 * np.sin(turned) * omega, 0.005 * np.cos(turned) * omega**2
            cam.set({"M.theta": turned, "N.x": r, "N.vx": rate, "N.ax": bend})
            assert [cam[f"profile.{name}"] for name in ("q", "qd", "qdd")] == pytest.approx([r, rate, bend], abs=2e-4 * 0.005 * omega**2)
            assert cam["position[1]"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("part", "given", "sentence"),
    [
        (
            "planar.TableCam",
            {"lift": [[0, 90, 180, 270, 360], [0, 0.01, 0.02, 0.01, 0]]},
            r"cover one turn, 2 pi; .* lift.x\[5\] = 360 rad",
        ),
        (
            "planar.TableCam",
            {"lift": {"points": [[0, 3, 6.283], [0, 0.01, 0]], "kind": "linear"}},
            "kind = 'linear'; give 'periodic smooth'",
        ),
        ("hydraulic.MeteringValve", {"area": [[0, 1], [-1e-6, 1e-5]]}, "has the value -1e-06, but must be at least 0; correct it"),
        ("hydraulic.MeteringValve", {"area.y[1]": -1e-6}, "'part.area.y.1.' = -1e-06 m2 is refused: it must be at least 0"),
        (
            "signal.Curve",
            {"curve": 3.0},
            r"no variable 'curve' to start from; it is a table: give \[x, y\] or a file when the component is added",
        ),
        (
            "signal.Map",
            {"map.x": [0, 1, 2]},
            "an array of 2; give as many values, row by row, or a table 'map' of another size when the component",
        ),
        ("signal.Table", {"points": {"points": [[0, 1], [0, 1]], "kind": "cubic"}}, "kind = 'cubic'; give 'linear'"),
        ("signal.Table", {"points": {"points": [[0, 1], [0, 1]], "beyond": "warned"}}, "beyond = 'warned'; give 'held'"),
        (
            "signal.Curve",
            {"curve": {"points": [[0, 1, 2, 3], [0, 1, 2, 0]], "kind": "periodic linear"}, "curve.y[1]": 3.0},
            r"curve.y\[1\] = 3, ",
        ),
    ],
)
def test_tables_that_a_part_cannot_use_are_refused(part, given, sentence):
    system = System("refused")
    with pytest.raises((BuildError, StartError), match=sentence):
        system.add("part", part, given)
        for port, other in (("M", "fixed"), ("N", "body")) if part == "planar.TableCam" else ():
            system.add(other, {"fixed": "planar.Fixed", "body": "planar.Body1"}[other])
            system.connect(f"part.{port}", f"{other}.p1")
        system.simulate(0.1)


@pytest.mark.parametrize(("nodes", "warned"), [([-0.01, 0.01], True), ([-1.0, 1.0], False)])
def test_a_warning_tells_how_far_a_table_is_exceeded(nodes, warned):
    """It goes by the nodes that are set, which need not be those of the declaration."""
    system = System("short")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"s": 0.05})
    table = {"points": [[-0.02, 0.02], [-1, 1]], "beyond": "warned"}
    system.join("mechanical1d.TableSpring", "wall.flange", "mass.flange", {"force": table, "force.x": nodes}, name="spring")
    said = "'spring.force' is read up to 0.04 m beyond its x, where the value of its end is held: give it more points"
    assert list(system.simulate(0.1).outcome.warnings) == [said] * warned
