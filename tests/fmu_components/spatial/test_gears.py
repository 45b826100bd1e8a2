"""Gears in space: on the ground and on a carrier against closed forms, and a worm against the solution by cases."""

from __future__ import annotations

from math import atan, cos, pi, sin, tan
from pathlib import Path

import numpy as np
import pytest
import sympy
from fmpy import simulate_fmu

from jourdain import Result, StartError, System
from jourdain.declare import t
from tests.support.switched.worm import Case

FINE = {"solver": "dop853", "rtol": 1e-11}


def leaning(port: str, angle: float) -> dict[str, float]:
    """Returns the axes of a port whose axis z leans from z towards x."""
    return {f"{port}.zx": sin(angle), f"{port}.zz": cos(angle), f"{port}.xx": cos(angle), f"{port}.xz": -sin(angle)}


def place(port: str, r: float, R: float, crossing: float) -> dict[str, float]:
    """Returns the centre of a gear of the radius R that touches one of the radius r about z, by plane geometry."""
    return {f"{port}.rx": r + R * cos(crossing), f"{port}.rz": -R * sin(crossing), **leaning(port, crossing)}


def finished(system: System, stop: float, **options: object) -> Result:
    result = system.simulate(stop, **FINE | options)  # type: ignore[arg-type]  # of several types
    assert result.outcome.completed and not result.outcome.warnings, result.outcome
    return result


SMALL, FIRST, SECOND, TORQUE = 0.1, 0.03, 0.05, 0.6
"""Radius of the first gear, inertias of both, and torque on the first one."""


def in_bearings(crossing: float, R: float) -> System:
    """Returns two gears in fixed bearings whose axes cross at an angle, and a torque on the first one."""
    system = System("gears", gravity=(0.0, 0.0, 0.0))
    system.add("below", "spatial.Fixed")
    system.add("beside", "spatial.Fixed", place("p1", SMALL, R, crossing))
    for name, bearing, inertia in (("first", "below", FIRST), ("second", "beside", SECOND)):
        system.add(name, "spatial.RevoluteBody", {"Izz": inertia})
        system.connect(f"{bearing}.p1", f"{name}.P")
    system.join("spatial.GearPair", "first.C1", "second.C1", {"radius_M": SMALL, "radius_N": R}, name="teeth")
    system.drive("first.torque", TORQUE)
    return system


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_fmpy_runs_exported_bevel_gears(fmi: int, tmp_path: Path) -> None:
    """One FMU of the mechanism gives the closed form in both kinds."""
    path = in_bearings(1.0, 0.2).export_fmu(tmp_path / "gears.fmu", fmi=fmi, outputs=["first.qd", "second.qd"])
    exact = TORQUE / (FIRST + SECOND / 4)
    for kind in ("CoSimulation", "ModelExchange"):
        found = simulate_fmu(str(path), stop_time=1.0, relative_tolerance=1e-9, fmi_type=kind)
        assert (found["first.qd"][-1], found["second.qd"][-1]) == pytest.approx((exact, -exact / 2), rel=1e-9)


@pytest.mark.parametrize(("crossing", "R"), [(0.0, 0.2), (0.0, -0.04), (1.0, 0.2), (pi / 2, 0.2), (2.2, 0.12)])
def test_gears_in_fixed_bearings(crossing: float, R: float) -> None:
    """Spur, internal and bevel gears: a torque accelerates both by their inertias and radii, and bearings bear the force at the teeth."""
    result = finished(in_bearings(crossing, R), 1.0)
    exact = TORQUE / (FIRST + SECOND * (SMALL / R) ** 2)
    assert result["first.qd"][-1] == pytest.approx(exact, rel=1e-10)
    assert result["second.qd"][-1] == pytest.approx(-SMALL / R * exact, rel=1e-10)
    force = abs(SECOND * SMALL / R**2 * exact)
    assert result["teeth.reaction"] == pytest.approx(force + 0 * result.time, rel=1e-10)
    for name in ("first", "second"):  # at right angles to both axes
        assert [abs(result[f"{name}.P.F{axis}"][-1]) for axis in "xyz"] == pytest.approx([0, force, 0], abs=1e-10)


@pytest.mark.parametrize("crossing", [pi / 2, 1.1])
def test_a_bevel_gear_rolls_on_a_fixed_one(crossing: float) -> None:
    """A carrier takes along a gear that rolls on a fixed one: the torque on it does work on the energy of both turns."""
    r, R, m, across, spin, arm, torque = 0.3, 0.1, 1.5, 0.004, 0.006, 0.2, 2.0
    system = System("mill", gravity=(0.0, 0.0, 0.0))
    system.add("ground", "spatial.Fixed")
    system.add("carrier", "spatial.RevoluteBody", {"Izz": arm, **place("C1", r, R, crossing)})
    system.add("wheel", "spatial.RevoluteBody", {"m": m, "Ixx": across, "Iyy": across, "Izz": spin})
    system.connect("ground.p1", "carrier.P")
    system.connect("carrier.C1", "wheel.P")
    system.join("spatial.GearPair", "ground.p1", "wheel.C1", {"radius_M": r, "radius_N": R}, name="teeth")
    system.drive("carrier.torque", torque)
    result = finished(system, 2.0)
    inertia = arm + m * (r + R * cos(crossing)) ** 2 + across * sin(crossing) ** 2 + spin * (cos(crossing) + r / R) ** 2
    assert result["carrier.q"][-1] == pytest.approx(torque / inertia * 2.0**2 / 2, rel=1e-9)
    assert result["wheel.q"][-1] == pytest.approx(r / R * result["carrier.q"][-1], rel=1e-9)


TEETH = {"teeth": 40.0, "module": 2.5e-3, "diameter": 0.03}


def beside(port: str, side: int) -> dict[str, float]:
    return {f"{port}.rx": (0.03 + 40 * 2.5e-3) / 2, f"{port}.zy": float(side), f"{port}.zz": 0.0}


@pytest.mark.parametrize(("side", "starts", "mu"), [(1, 2.0, 0.2), (-1, 2.0, 0.2), (1, -4.0, 0.1)])
def test_a_worm_turns_as_by_cases(side: int, starts: float, mu: float) -> None:
    """Under a sine it drives, is driven, sticks and turns back, by the efficiencies of textbooks; of either hand, with the wheel on either side."""
    wave, load, end = 3 * sympy.sin(2 * t) + sympy.sin(5 * t) / 2, 2 * sympy.cos(t), 6.0
    lead, rho = atan(abs(starts) * 2.5e-3 / 0.03), atan(mu / cos(0.3))
    drives, back = tan(lead) / tan(lead + rho), tan(lead - rho) / tan(lead)
    functions = (sympy.lambdify(t, each) for each in (wave, load))
    case = Case(motor=1.0, load=0.3, torque=next(functions), against=next(functions), drives=1 / drives - 1, driven=1 - back)
    changes, angle, speed = case.run(end)
    system = System("worm", gravity=(0.0, 0.0, 0.0))
    system.add("ground1", "spatial.Fixed")
    system.add("ground2", "spatial.Fixed", beside("p1", side))
    system.add("worm", "spatial.RevoluteBody", {"Izz": 1.0})
    system.add("wheel", "spatial.RevoluteBody", {"Izz": 0.3 * (40 / starts) ** 2})
    system.connect("ground1.p1", "worm.P")
    system.connect("ground2.p1", "wheel.P")
    system.join("spatial.WormGear", "worm.C1", "wheel.C1", {**TEETH, "starts": starts, "mu": mu, "flank": 0.3}, name="gear")
    ratio = -side * 40 / starts
    system.drive("worm.torque", wave)
    system.drive("wheel.torque", -ratio * load)
    finished(system, end, rtol=1e-6)
    result = system.simulate(end, rtol=1e-12)  # where the kink at a load of 0 is felt
    names = {"sticks": 0, "slips": 1, "slips back": -1}
    assert [names[each.what.split(" -> ")[1]] for each in result.changes] == [mode for _, mode in changes]
    assert {1, -1} <= {mode for _, mode in changes}
    assert [each.time for each in result.changes] == pytest.approx([when for when, _ in changes], abs=5e-8)
    assert (result["worm.q"][-1], result["worm.qd"][-1]) == pytest.approx((angle, speed), rel=1e-8, abs=1e-8)
    assert ratio * result["wheel.qd"][-1] == pytest.approx(speed, rel=1e-8, abs=1e-8)


def test_a_worm_in_a_free_housing() -> None:
    """Its motor turns the housing back: angular momentum stays 0, and the motor's work is energy and loss, to 1e-9."""
    system = System("housing", gravity=(0.0, 0.0, 0.0))
    system.add("ground", "spatial.Fixed")
    system.add("housing", "spatial.RevoluteBody", {"Izz": 0.5, **beside("C2", 1)})
    system.add("worm", "spatial.RevoluteBody", {"Izz": 0.02})
    system.add("wheel", "spatial.RevoluteBody", {"m": 2.0, "Ixx": 0.1, "Iyy": 0.1, "Izz": 0.3})
    system.connect("ground.p1", "housing.P")
    system.connect("housing.C1", "worm.P")
    system.connect("housing.C2", "wheel.P")
    system.join("spatial.WormGear", "worm.C1", "wheel.C1", {**TEETH, "starts": 2.0, "mu": 0.1, "bearing": 0.05}, name="gear")
    for name in ("work", "lost"):
        system.add(name, "signal.Integrator")
    system.connect("gear.loss", "lost.u")
    system.connect("worm.qd", "work.u")
    system.drive("worm.torque", 1.0)
    result = finished(system, 2.0)
    turned, spun = result["housing.qd"][-1], result["worm.qd"][-1]
    assert (0.5 + 0.1 + 2.0 * 0.065**2) * turned + 0.02 * (turned + spun) == pytest.approx(0.0, abs=1e-9)
    assert result["wheel.qd"][-1] == pytest.approx(-spun / 20, rel=1e-9)
    energy = sum(result[f"{each}.energy.kinetic"][-1] for each in ("housing", "worm", "wheel"))
    assert result["work.y"][-1] == pytest.approx(energy + result["lost.y"][-1], rel=1e-9)
    assert result["lost.y"][-1] > 0.1 and np.abs(turned) > 0.1


@pytest.mark.parametrize(
    ("joint", "values", "sentence"),
    [
        ("GearPair", {"radius_N": 0.3}, "the pitch circles about M and N touch at one point, to a thousandth of the radii"),
        ("GearPair", {"radius_M": 0.0}, "radius_M is not 0"),
        ("WormGear", {"teeth": 31.0}, r"the distance of M and N is \(diameter \+ teeth module\)/2 to a thousandth"),
        ("WormGear", {"starts": 0.0}, "the number of starts is not 0"),
    ],
)
def test_gears_that_do_not_touch_are_refused(joint: str, values: dict[str, float], sentence: str) -> None:
    system = System("odd")
    system.add("below", "spatial.Fixed")
    system.add(
        "beside", "spatial.Fixed", place("p1", 0.1, 0.2, pi / 2) if joint == "GearPair" else {"p1.rx": 0.04, "p1.zy": 1.0, "p1.zz": 0.0}
    )
    for name, bearing in (("first", "below"), ("second", "beside")):
        system.add(name, "spatial.RevoluteBody")
        system.connect(f"{bearing}.p1", f"{name}.P")
    system.join(f"spatial.{joint}", "first.C1", "second.C1", {"radius_N": 0.2, **values} if joint == "GearPair" else values, name="gear")
    with pytest.raises(StartError, match=f"it is required that {sentence}"):
        system.simulate(0.1)
