"""Every example runs as it stands, in a folder of its own, and what it prints agrees with closed forms and published digits."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmu_components.catalogue import from_file
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from tests.support.examples import elastic, planar_machines, steered
from tests.support.examples.printed import columns, is_plot, number
from tests.support.systems.machines import EXAMPLES, example


def check_three_uses(printed: str, folder: Path) -> None:
    """The boom alone swings through a half turn and bears 5/2 m g, in Jourdain and in FMPy; the pump lifts it by what its oil displaces."""
    first, second, third = re.split(r"\n[23]\. ", printed)
    for swing in (first, third):
        assert number(r"swings to (\S+) degrees", swing) == pytest.approx(-180, abs=0.01)
        assert number(r"bears (\S+) N", swing) == pytest.approx(2.5 * 500 * 9.81, rel=1e-4)
    # The line from the foot to the tip is as much longer as the oil of 3 s is in the cylinder; a bar compresses it by 0.01 %.
    reach = np.hypot(0.5, 0.8) + 3 * 2e-4 / (np.pi * 0.08**2 / 4)
    angle = np.radians(number(r"rises to (\S+) degrees", second))
    tip = np.cos(angle) - 0.5, np.sin(angle) + 0.8
    assert np.hypot(*tip) == pytest.approx(reach, rel=1e-3)
    assert {path.name for path in folder.iterdir()} == {"boom.fmu", "lift.html", "lift.png"} and is_plot(folder / "lift.png")


def check_pendulum(printed: str, folder: Path) -> None:
    """The swing is that of the elliptic functions, the pin holds, and the table has 501 rows in which the rod falls to -180 degrees."""
    assert number(r"largest difference to the closed form over 5 s: (\S+) rad", printed) < 1e-6
    assert number(r"largest gap in the pin: (\S+) m", printed) < 1e-7
    assert number(r"energy gained or lost: at most (\S+) J", printed) < 1e-5
    assert is_plot(folder / "pendulum.png")
    table = columns(folder / "pendulum.csv")
    assert table["time [s]"] == pytest.approx(np.linspace(0, 5, 501))
    assert np.degrees(table["rod.theta [rad]"].min()) == pytest.approx(-180, abs=0.1)
    # Hanging straight down, the pin bears the weight, and the centripetal force from 2 m g d = J w^2 and J = 4/3 m d^2: 5/2 m g.
    assert table["pin.reaction [N]"].max() == pytest.approx(2.5 * 9.81, rel=1e-4)


def check_own_joint(printed: str, folder: Path) -> None:
    """Motion and the force of the guide are those of m, I, pitch and F as the example states them; the FMU of the joint exists."""
    assert number(r"largest difference at any time: (\S+)", printed) < 1e-9
    acceleration = 5.0 / (2.0 + 0.03 / 0.1**2)
    closed_forms = {"acceleration": acceleration, "travel": 2 * acceleration, "angle": 20 * acceleration, "force of the guide": 2 * 9.81}
    for name, expected in closed_forms.items():
        assert number(rf"\n{name}: (\S+) ", printed) == pytest.approx(expected, abs=1e-9)
    assert [path.name for path in (folder / "fmi3").iterdir()] == ["Screw.fmu"]


def check_seven_body_mechanism(printed: str, folder: Path) -> None:
    """Seven angles agree with the published digits, constraints and energy balance hold, and the tables hold what the figures show."""
    assert "23 instances: 5 planar.Fixed, 6 planar.Body2, 1 planar.Body3, 1 planar.ActuatedRevolute, 9 planar.Revolute" in printed
    published = {"beta": 15.8107711951, "Theta": -15.7563710584, "gamma": 0.0408222401, "Phi": -0.5347301163}
    published |= {"delta": 0.5244099659, "Omega": 0.5347301163, "eps": 1.0480807410}
    for name, expected in published.items():
        assert number(rf"\n{name} +(\S+)", printed) == pytest.approx(expected, abs=1e-9)
        assert abs(number(rf"\n{name} +\S+ +\S+ +(\S+)", printed)) < 1e-10
    for name, expected in {"beta''": 14222.4439199541, "Theta''": -10666.8329399656}.items():
        assert number(rf"\n{name} +(\S+)", printed) == pytest.approx(expected, rel=1e-12)
    assert number(r"\nposition +(\S+) m\n", printed) < 1e-12
    assert number(r"largest difference at any time (\S+) J", printed) < 1e-10
    assert number(r"alternative model of Part II: .* at most (\S+) rad", printed) < 1e-11
    assert "the comparison holds" in printed
    for name in ("seven_body_figure_9.png", "seven_body_figure_10.png"):
        assert is_plot(folder / name)
    table = columns(folder / "seven_body.csv")
    assert table["link1.theta [rad]"][-1] == pytest.approx(published["beta"], abs=1e-9)
    assert table["link3.theta [rad]"][-1] == pytest.approx(published["gamma"], abs=1e-9)
    assert table["link1.p1.alpha [rad/s2]"][0] == pytest.approx(14222.4439199541)
    speed = np.gradient(table["link3.theta [rad]"], table["time [s]"], edge_order=2)
    assert speed == pytest.approx(table["link3.p1.omega [rad/s]"], abs=2.0)


def check_foreign_fmu(printed: str, folder: Path) -> None:
    """The arm reaches its target, held by the closed form's torque, on the way that the same equations take in one piece."""
    assert number(r"angle at the end: (\S+) rad", printed) == pytest.approx(-0.5, abs=1e-5)
    assert number(r"torque at the end: (\S+) N.m", printed) == pytest.approx(2 * 9.81 * 0.3 * np.cos(0.5), abs=1e-4)
    assert number(r"in one piece: (\S+)", printed) < 1e-6
    assert (folder / "servo.fmu").is_file() and is_plot(folder / "servo.png")


def check_in_another_tool(printed: str, folder: Path) -> None:
    """The swing differs from that for small angles by less than 0.05 degrees, and the table has every step beside its closed form."""
    assert number(r"largest difference to the closed form over 5 s: (\S+) degrees", printed) < 0.05
    table = columns(folder / "pendulum_in_fmpy.csv")
    assert len(table["time"]) == 5001 and table["time"][-1] == pytest.approx(5.0) and table["angle"][0] == pytest.approx(0.05)
    assert table["angle"] == pytest.approx(table["closed form"], abs=1e-3)


def check_hydraulic_crane(printed: str, folder: Path) -> None:
    """The work of the supply is heat and what the boom was lifted by, the end stop is reached, and co-simulation goes where it should."""
    work, heat = (number(rf"\n{name}: (\S+) J", printed) for name in ("work of the supply", "heat of the valve"))
    assert 0.8 < heat / work < 0.82
    assert number(r"first time at (\S+) s", printed) == pytest.approx(5.63) and number(r"last time at (\S+) s", printed) > 18
    assert number(r"balance of energy: (\S+) of", printed) < 1e-7
    for name, most in {"length": 1e-7, "pressure 1": 1e-5, "pressure 2": 1e-4, "force": 3e-4}.items():
        assert 0 < number(rf"  {name}: (\S+) ", printed) < most
    assert abs(number(r"coupling has created: (\S+) J", printed)) < 1e-2
    for name in ("hydraulic_crane.png", "hydraulic_crane_errors.png"):
        assert is_plot(folder / name)


def check_excavator(printed: str, folder: Path) -> None:
    """The tip follows the planner's, in the table as well, the work adds up, and the machine in one piece moves alike."""
    assert number(r"largest distance of the tip from its path: (\S+) mm", printed) < 20
    assert number(r"largest part of the work that is left over: (\S+)", printed) < 1e-8
    assert number(r"largest distance of the tip to that in one piece: (\S+) mm", printed) < 0.5
    table = columns(folder / "excavator.csv")
    tip, wanted = (
        np.array([table[f"{name}.x{unit}"], table[f"{name}.y{unit}"]]) for name, unit in (("bucket.p3", " [m]"), ("planner.tip", ""))
    )
    assert np.hypot(*(tip - wanted)).max() < 0.02
    assert wanted[1].min() == pytest.approx(-0.35) and np.ptp(wanted[0]) > 1.2
    assert table["soil.cut [N]"].max() == pytest.approx(4e4 * 0.45 * 0.35, rel=0.05)
    assert (folder / "Planner.fmu").is_file()
    assert is_plot(folder / "excavator_path.png") and is_plot(folder / "excavator_machine.png")


def check_motor_slider_crank(printed: str, folder: Path) -> None:
    """All that the battery gave has left or is heat, three quarters of it through the pump, and the slider goes as the crank tells."""
    spent = [
        number(rf"\n{name}: (\S+) J", printed)
        for name in ("work of the pump", *(f"heat of the {part}" for part in ("battery", "bridge", "motor", "bearing")))
    ]
    given = number(r"given by the battery: (\S+) J", printed)
    assert sum(spent) == pytest.approx(given, abs=0.1)  # the rest lifts crank and rod
    assert 0.7 < spent[0] / given < 0.8
    assert number(r"stroke to its closed form: (\S+) m", printed) < 1e-7
    assert number(r"balance of energy: (\S+) J", printed) < 1e-5
    assert is_plot(folder / "motor_slider_crank.png")


def check_gantry_crane(printed: str, folder: Path) -> None:
    """Damping takes a load of 20 t to its target in 20 s, which otherwise swings on by degrees."""
    damped, free = printed.split("without damping")
    assert number(r"largest swing after 20 s: (\S+) degrees", damped) < 0.2 < 2 < number(r"largest swing after 20 s: (\S+) degrees", free)
    assert number(r"load at the end: (\S+) m", damped) == pytest.approx(20, abs=1e-2)
    for part in (damped, free):
        assert number(r"balance of energy: (\S+) of", part) < 1e-6
    assert is_plot(folder / "gantry_crane.png")


def check_suspension(printed: str, folder: Path) -> None:
    """Before the bump it stands still, over it the tyre leaves the road, and the work of the road is what dampers make of it."""
    assert number(r"leaves its height at rest by (\S+) m", printed) < 1e-9
    assert number(r"load of the tyre: (\S+) N at rest", printed) == pytest.approx(444 * 9.81, abs=0.1)
    assert 0.2 < number(r"in the air between (\S+) s", printed) < number(r"s and (\S+) s", printed) < 0.4
    heat = sum(number(rf"\nheat of the {part}: (\S+) J", printed) for part in ("tyre", "damper"))
    assert heat == pytest.approx(number(r"work of the road: (\S+) J", printed), abs=0.1)  # the rest is motion that goes on
    assert number(r"balance of energy: (\S+) J", printed) < 1e-5
    assert is_plot(folder / "suspension.png")


def check_exported_mechanisms(printed: str, folder: Path) -> None:
    """Three FMUs for both kinds, with the ports that the example says are open, and the inputs of no others."""
    inputs = {"seven_bodies": [], "crane_mechanics": ["actuator.flange.f"], "slider_crank": ["shaft.flange.tau"]}
    for name, expected in inputs.items():
        description = fmpy.read_model_description(str(folder / f"{name}.fmu"))
        assert description.modelExchange and description.coSimulation
        assert [v.name for v in description.modelVariables if v.causality == "input"] == expected
        assert f"{name}.fmu: " in printed


def check_run_exported_mechanisms(printed: str, folder: Path) -> None:
    """Both kinds agree with digits and laws; an FMU that integrates itself comes nearer to them than its steps of 1 ms would show."""
    for kind, allowed in {"ModelExchange": 1e-7, "CoSimulation": 1e-10}.items():
        found = [float(number) for number in re.findall(rf"{kind} +(\S+)", printed)]
        assert len(found) == 4 and max(found) < allowed
    assert is_plot(folder / "exported_mechanisms.png")


def check_heavy_top(printed: str, folder: Path) -> None:
    """It goes as the published one does, and its pivot feels what Euler's equations say by hand."""
    assert number(r"difference to the reference: (\S+) m", printed) < 1e-8
    # About the pivot m g and the spin, which turns with the angular momentum J2 w, pull the mass centre down with (m g + J2 w w3)/(J1 + m).
    down = (15 * 9.81 + 0.46875 * 150 * 4.61538) / (0.234375 + 15)
    assert number(r"at the start: \S+ \S+ (\S+) N", printed) == pytest.approx(15 * (9.81 - down), abs=1e-5)
    assert number(r"at most (\S+) J of", printed) < 1e-7
    assert is_plot(folder / "heavy_top.png")


def check_bricard(printed: str, folder: Path) -> None:
    """It moves as another formulation says, and one equation of thirty is redundant."""
    assert "1 constraint is redundant" in printed and "Spherical" not in printed
    assert number(r"difference to the reference: (\S+) m", printed) < 1e-7
    assert number(r"at most (\S+) J", printed) < 1e-8
    assert is_plot(folder / "bricard.png")


def check_spatial_slider_crank(printed: str, folder: Path) -> None:
    """Checks that it moves as published without the motor, that the motor follows its closed form, and that the energy of the source
    becomes heat or motion."""
    assert number(r"difference to the reference: (\S+) ", printed) < 2e-8
    assert number(r"closed form: (\S+) m", printed) < 1e-7
    assert number(r"balance of energy: (\S+) J", printed) < 1e-6
    given, *heat = (number(rf"\n{name}: (\S+) J", printed) for name in ("work of the source", "heat of the motor", "heat of the guide"))
    assert sum(heat) == pytest.approx(given + 0.76643568, abs=0.2)  # the energy at the start; the crank has fallen
    assert is_plot(folder / "spatial_slider_crank.png")


def check_stewart_platform(printed: str, folder: Path) -> None:
    """Its legs are as long as the closed form says of its pose, and it keeps to its path within millimetres."""
    assert number(r"difference to the closed form: (\S+) m", printed) < 1e-6
    assert number(r"from the path: (\S+) mm", printed) < 5
    assert number(r"path's attitude: (\S+) degrees", printed) < 1
    assert number(r"legs are (\S+) m", printed) < 1.4 and number(r"m to (\S+) m long", printed) > 1.7
    assert is_plot(folder / "stewart_platform.png")


def check_quarter_car(printed: str, folder: Path) -> None:
    """It sinks as far as its springs give, and has the two modes of a textbook's quarter-car."""
    assert number(r"largest difference to the closed form at rest: (\S+) m", printed) < 1e-12
    assert number(r"largest difference to the frequency response by hand: (\S+)", printed) < 1e-9
    frequencies = [float(each) for each in re.findall(r"^ +\d +(\S+) +0\.\d+ ", printed, re.MULTILINE)]
    assert frequencies == pytest.approx([1.26, 11.7], rel=0.02)  # of the body on its spring and the wheel between both, about
    assert is_plot(folder / "quarter_car.png")


def check_rolling_disc(printed: str, folder: Path) -> None:
    """Each phase and both impacts are as the closed forms say, by which this test counts again what gripping takes: a third of m v^2/2."""
    assert number(r"largest difference to the closed forms: (\S+) ", printed) < 1e-9
    assert number(r"'grip' was added, (\S+) J lost", printed) == pytest.approx(2.8525**2 / 3, abs=1e-8)
    assert number(r"'plane' was removed, (\S+) J lost", printed) == 0
    assert is_plot(folder / "rolling_disc.png")


def check_pointing(printed: str, folder: Path) -> None:
    """Halved steps halve the errors of the projected treatment, and quarter those of the stepped one, which are the paper's to four digits."""
    for level, order, first in (("projected", 1, 1.678e-2), ("stepped", 2, 3.981e-4)):
        errors = [float(each) for each in re.findall(rf"^{level} .*off by (\S+) m", printed, re.MULTILINE)]
        assert errors[0] == pytest.approx(first, rel=1e-3)
        assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([order] * 3, abs=0.05)
    assert is_plot(folder / "pointing.png")


def check_wheel(printed: str, folder: Path) -> None:
    """It comes as far as the closed form says, and slips by h/4 F/m 1 s where velocities are projected alone."""
    assert number(r"travelled: (\S+) m", printed) == pytest.approx(1.491275278764, abs=1e-12)
    assert number(r"off by (\S+) N of 0.734056 N", printed) < 1e-12
    assert number(r"and (\S+) m where velocities", printed) == pytest.approx(0.1 / 4 * 2 / 2.5467, rel=1e-4)
    assert is_plot(folder / "wheel.png")


def check_parallelogram(printed: str, folder: Path) -> None:
    """It passes 24 poses in three or four iterations a step, with errors of second order."""
    assert number(r"singular poses on the way: (\d+)", printed) == 24
    errors = [float(each) for each in re.findall(r"s: off by (\S+) rad of 74.881", printed)]
    assert errors == pytest.approx([0.307, 0.063, 0.014], abs=1e-3)
    assert [int(each) <= 4 for each in re.findall(r"(\d+) iterations at most", printed)] == [True] * 3
    assert is_plot(folder / "parallelogram.png")


def check_balloon(printed: str, folder: Path) -> None:
    """It moves as by Lagrange's equations, tilts where the potential says so, and has the eigenvalues of the published stiffness."""
    assert number(r"difference to Lagrange's equations at 10 s: (\S+)", printed) < 1e-9
    assert number(r"upright is stable above (\S+) N/m", printed) == pytest.approx(9 * 9.81 * 17.4 / 68.4, abs=1e-6)
    assert number(r"difference to the minima of the potential: (\S+) m", printed) < 1e-9
    assert number(r"\n +50 +0\.00 .* \+- (\S+)i\n", printed) == pytest.approx(6.59036818578, abs=1e-4)
    assert number(r"\n +20 +(\S+) ", printed) == pytest.approx(28.8908161125, abs=0.01)
    assert all(is_plot(folder / f"balloon_{name}.png") for name in ("motion", "equilibria", "map"))


def check_robot_arm(printed: str, folder: Path) -> None:
    """Torques are those of Newton's and Euler's equations, the tool keeps to its path, and the torques move the arm along it."""
    assert number(r"difference to the recursion: (\S+) N.m", printed) < 1e-10
    assert number(r"distance from the path: (\S+) m", printed) < 1e-7
    assert number(r"the angles are right to (\S+) rad", printed) < 1e-6
    assert is_plot(folder / "robot_arm.png")


def check_two_masses(printed: str, folder: Path) -> None:
    """The link carries 5/12 of the push, and is the first constraint of the table, which leaves five freedoms of six."""
    assert number(r"largest difference to the closed forms: (\S+) ", printed) < 1e-10
    assert number(r"\nforce: (\S+)", printed) == pytest.approx(2 * 5 / 12, abs=1e-9)
    assert number(r"\nlink.lambda\[1\] +(\d+) ", printed) == 5
    assert is_plot(folder / "two_masses.png")


def check_reaction_forces(printed: str, folder: Path) -> None:
    """The figures of the paper: 0.833 N, 0.734 N, and less than 3e-6 N between both projections in natural coordinates."""
    assert number(r"two masses: (\S+) N", printed) == pytest.approx(5 / 6, abs=1e-9)
    assert number(r"wheel: (\S+) N", printed) == pytest.approx(0.734056415857, abs=1e-9)
    assert number(r"within (\S+) N of the direct", printed) < 4e-4
    assert 2.7e-6 < number(r"natural coordinates by (\S+) N", printed) < 3e-6
    assert is_plot(folder / "figure_3.png") and is_plot(folder / "figure_5.png")


def check_chaplygin(printed: str, folder: Path) -> None:
    """Orders 1 and 2 in centre, angular velocity and forces, against the attitude alone; 5.3e-5 m are left after 400 steps."""
    for level, order in (("projected", 1), ("stepped", 2)):
        lines = re.findall(rf"^{level} .*off by (\S+) m, (\S+) rad/s and (\S+) N", printed, re.MULTILINE)
        errors = np.array(lines, dtype=float)
        assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(np.full((2, 3), order), abs=0.15 if order == 1 else 0.02)
    assert errors[-1, 0] == pytest.approx(5.3e-5, rel=0.02)
    assert number(r"by dop853 at a tolerance of 1e-12, off by (\S+) at most", printed) < 1e-10
    assert is_plot(folder / "chaplygin.png")


def check_measured_pendulum(printed: str, folder: Path) -> None:
    """All three numbers within three standard deviations, by few runs, with nothing but the error of measurement left."""
    assert [float(each) for each in re.findall(r"off by (\S+) standard", printed)] == pytest.approx([0.0] * 3, abs=3.0)
    assert number(r"misfit: (\S+) of", printed) == pytest.approx(1.0, abs=0.2)
    assert number(r"after (\d+) runs", printed) < 15
    assert is_plot(folder / "measured_pendulum.png")


def check_which_parameters_matter(printed: str, folder: Path) -> None:
    """Sobol's indices are those that the sensitivities of one run tell, as far as the angle is linear."""
    assert number(r"sensitivities tell: (\S+)", printed) < 0.1
    assert "rod.omega" in (folder / "indices.txt").read_text()


CHECKS: dict[str, Callable[[str, Path], None]] = {
    "00_three_uses": check_three_uses,
    "01_pendulum": check_pendulum,
    "02_own_joint": check_own_joint,
    "03_seven_body_mechanism": check_seven_body_mechanism,
    "04_foreign_fmu": check_foreign_fmu,
    "05_in_another_tool": check_in_another_tool,
    "06_hydraulic_crane": check_hydraulic_crane,
    "07_excavator": check_excavator,
    "08_motor_slider_crank": check_motor_slider_crank,
    "09_gantry_crane": check_gantry_crane,
    "10_suspension": check_suspension,
    "11_exported_mechanisms": check_exported_mechanisms,
    "12_run_exported_mechanisms": check_run_exported_mechanisms,
    "13_heavy_top": check_heavy_top,
    "14_bricard": check_bricard,
    "15_spatial_slider_crank": check_spatial_slider_crank,
    "16_stewart_platform": check_stewart_platform,
    "17_quarter_car": check_quarter_car,
    "18_pointing": check_pointing,
    "19_wheel": check_wheel,
    "20_parallelogram": check_parallelogram,
    "21_rolling_disc": check_rolling_disc,
    "23_balloon": check_balloon,
    "22_two_masses": check_two_masses,
    "24_robot_arm": check_robot_arm,
    "25_chaplygin": check_chaplygin,
    "26_measured_pendulum": check_measured_pendulum,
    "27_which_parameters_matter": check_which_parameters_matter,
    "28_loader": planar_machines.check_loader,
    "30_vehicle": planar_machines.check_vehicle,
    "29_quick_return": planar_machines.check_quick_return,
    "31_stick_slip": planar_machines.check_stick_slip,
    "32_clutch": planar_machines.check_clutch,
    "33_pendulum_at_wall": planar_machines.check_pendulum_at_wall,
    "34_newtons_cradle": planar_machines.check_newtons_cradle,
    "35_walkers_foot": planar_machines.check_walkers_foot,
    "36_walking_leg": planar_machines.check_walking_leg,
    "37_ratchet": planar_machines.check_ratchet,
    "38_reaction_forces": check_reaction_forces,
    "39_python_controller": steered.check_python_controller,
    "40_cart_and_pole": steered.check_cart_and_pole,
    "41_hardware_loop": steered.check_hardware_loop,
    "42_flexible_slider_crank": planar_machines.check_flexible_slider_crank,
    "43_satellite": elastic.check_satellite,
    "44_bracket": elastic.check_bracket,
}
NEEDS = {"12_run_exported_mechanisms": "11_exported_mechanisms"}
"""Example that has to run before, by example."""
LONG = ("06_hydraulic_crane", "07_excavator", "08_motor_slider_crank", "09_gantry_crane", "10_suspension", "12_run_exported_mechanisms")
LONG += ("14_bricard", "15_spatial_slider_crank", "16_stewart_platform", "18_pointing", "19_wheel", "20_parallelogram")
LONG += ("23_balloon", "24_robot_arm", "25_chaplygin")
LONG += ("28_loader", "30_vehicle", "36_walking_leg", "38_reaction_forces", "42_flexible_slider_crank", "43_satellite", "44_bracket")
"""Tests of their own show what these show; the scripts run with all tests."""
SCRIPTS = [pytest.param(p, id=p.stem, marks=[pytest.mark.slow] * (p.stem in LONG)) for p in sorted(EXAMPLES.glob("*.py"))]


PROCESSES = ("01_pendulum", "03_seven_body_mechanism", "27_which_parameters_matter")
"""Examples that run in processes of their own: two as readers run them, and a sweep, whose processes would start the tests again."""


def needs_what_is_missing(path: Path) -> None:
    if "import casadi" in path.read_text():
        pytest.importorskip("casadi")
    if "from SALib" in path.read_text():
        pytest.importorskip("SALib", reason="SALib is not installed: pip install SALib")


def scripts_of(path: Path) -> Sequence[Path]:
    return (EXAMPLES / f"{NEEDS[path.stem]}.py", path) if path.stem in NEEDS else (path,)


def run_in_a_process(path: Path, folder: Path, *before: str) -> None:
    """A process of its own runs the example without any message of an error, leaves files only in --out, and prints the expected values."""
    needs_what_is_missing(path)
    for script in scripts_of(path):
        done = subprocess.run([sys.executable, *before, str(script), "--out", "results"], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert {path.name for path in folder.iterdir()} == {"results"}
    CHECKS[path.stem](done.stdout, folder / "results")


def run_here(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Runs the example in this process, with the same checks; a process of its own would import everything anew."""
    needs_what_is_missing(path)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for script in scripts_of(path):
        monkeypatch.setattr(sys, "argv", [str(script), "--out", "results"])
        with pytest.raises(SystemExit) as ended, warnings.catch_warnings(record=True) as warned:
            runpy.run_path(str(script), run_name="__main__")
        printed, complained = capfd.readouterr()
    assert ended.value.code == 0, printed + complained
    assert complained == "" and [str(each) for each in warned if not issubclass(each.category, HIDDEN)] == []
    assert {path.name for path in folder.iterdir()} == {"results"}
    CHECKS[path.stem](printed, folder / "results")


HIDDEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that Python does not print."""


@pytest.mark.every_case
@pytest.mark.parametrize("path", SCRIPTS)
def test_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    if path.stem in PROCESSES:
        run_in_a_process(path, tmp_path)
    else:
        run_here(path, tmp_path, monkeypatch, capfd)


BY_BAUMGARTE = """
import functools, os, runpy, sys
from coupling import System
System.simulate = functools.partialmethod(System.simulate, stabilisation="baumgarte")
del sys.argv[0]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


STABILISED = [each for each in SCRIPTS if "Index3(" not in each.values[0].read_text()]
"""Examples other than those with a solver that needs no stabilisation."""


@pytest.mark.slow
@pytest.mark.parametrize("path", STABILISED)
def test_example_runs_by_baumgarte(path: Path, tmp_path: Path) -> None:
    """It keeps the same bounds as with projection, the default."""
    run_in_a_process(path, tmp_path, "-c", BY_BAUMGARTE)


def test_own_joint_is_what_the_example_says() -> None:
    """The screw has two constraints, its pitch in metres per radian, and couples the torque to the force along the axis."""
    (screw,) = from_file(EXAMPLES / "own_joint" / "Screw.py")
    declared = declaration(screw)
    assert len(declared.with_role(Role.ALGEBRAIC)) == 2
    assert declared["pitch"].unit == "m/rad"
    torque = declared["N.Cz"].equation
    assert torque is not None and torque.diff(declared["multiplier[2]"].symbol) == -declared["pitch"].symbol


def test_the_seven_body_mechanism_can_be_imported() -> None:
    """Its parts serve other solvers: by default, Dormand and Prince's order 5, the angles come as near as the tolerance lets them."""
    seven = example("03_seven_body_mechanism")
    mechanism = seven.system()
    assert Counter(fmu.model_name for fmu in mechanism.instances.values())["planar.Revolute"] == 9
    others = Counter(fmu.model_name for fmu in seven.alternative().instances.values())
    assert [others[f"planar.{kind}"] for kind in ("Fixed", "Body2", "Body3", "Revolute", "Wrench")] == [4, 3, 4, 10, 1]
    result = mechanism.simulate(stop_time=seven.STOP, rtol=1e-9, outputs=["link*"], output_times=[0.0, seven.STOP])
    found = seven.angles(result)
    assert list(found) == list(seven.REFERENCE)
    assert {name: values[-1] for name, values in found.items()} == pytest.approx(seven.REFERENCE, abs=1e-7)


def test_a_failed_comparison_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line reports a changed digit of the reference, and the exit code is 1."""
    seven = example("03_seven_body_mechanism")
    monkeypatch.setitem(seven.REFERENCE, "eps", seven.REFERENCE["eps"] + 1e-9)
    monkeypatch.setattr(sys, "argv", ["seven", "--out", str(tmp_path)])
    assert seven.main() == 1
    assert "THE COMPARISON FAILS" in capsys.readouterr().out.splitlines()[-1]


def test_the_closed_form_of_the_pendulum_solves_its_equation() -> None:
    """theta'' = -3 g/(2 l) cos(theta) for a rod, from rest at 0."""
    times = np.linspace(0, 2, 2001)
    theta = example("01_pendulum").closed_form(times)
    assert theta[0] == pytest.approx(0, abs=1e-15)
    second = np.diff(theta, 2) / (times[1] - times[0]) ** 2
    assert second == pytest.approx(-1.5 * 9.81 * np.cos(theta[1:-1]), abs=1e-4)
