"""Friction with limits by direction and by the load that it is a loss of: gears with efficiencies, worms that lock themselves, by cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy
from fmpy import simulate_fmu

from fmu_components.export.build import cached_fmu
from jourdain import Result, StartError, System
from jourdain.declare import t
from tests.support.switched.worm import Case, Worm

RATIO, END = 10.0, 7.0
NAMES = {"sticks": 0, "slips": 1, "slips back": -1}


def function(symbolic: sympy.Expr) -> Callable[[float], float]:
    return sympy.lambdify(t, symbolic)


def machine(case: Case, torque: sympy.Expr, against: sympy.Expr, speed: float = 0.0, **worm: str) -> System:
    system = System("worm")
    system.add("motor", "mechanical1d.Inertia", {"I": case.motor, "w": speed})
    system.add("load", "mechanical1d.Inertia", {"I": case.load * RATIO**2, "w": speed / RATIO})
    for name, value in (("motor", torque), ("load", -RATIO * against)):
        system.add(f"on_{name}", "mechanical1d.Torque")
        system.connect(f"on_{name}.flange", f"{name}.flange")
        system.drive(f"on_{name}.torque", value)
    system.add("worm", cached_fmu(Worm, 3), {"ratio": RATIO, "drives": case.drives, "driven": case.driven, "peak": case.peak}, **worm)
    system.connect("motor.flange", "worm.M")
    system.connect("worm.N", "load.flange")
    return system


def simulated(case: Case, torque: sympy.Expr, against: sympy.Expr, end: float, speed: float = 0.0, **options: object) -> Result:
    return machine(case, torque, against, speed).simulate(end, rtol=1e-10, **options)  # type: ignore[arg-type]  # of several types


WAVE = 3 * sympy.sin(2 * t) + 0.4 * sympy.sin(5 * t)
LIFT = 2 + 0 * t
CASES = {
    "an efficient gear": (0.3, 0.2, 0.25, 0.2, 1.0, WAVE, LIFT),
    "as much as it can just hold": (0.3, 0.2, 0.5, 1.0, 1.0, WAVE, LIFT),
    "locks itself": (1.0, 0.2, 1.0, 1.5, 1.0, WAVE, LIFT),
    "locks itself, with more at rest": (1.0, 0.2, 1.0, 1.5, 1.3, WAVE, LIFT),
    "a load that changes its sign": (0.5, 0.3, 0.8, 1.2, 1.0, WAVE, 2 * sympy.cos(t)),
    "a heavy load": (0.1, 2.0, 0.3, 0.4, 1.0, WAVE, 1 + sympy.sin(3 * t) / 2),
}


def case_of(name: str) -> Case:
    motor, load, drives, driven, peak, torque, against = CASES[name]
    return Case(motor=motor, load=load, torque=function(torque), against=function(against), drives=drives, driven=driven, peak=peak)


@pytest.mark.parametrize(
    "solver", ["dopri5", pytest.param("cvode", marks=pytest.mark.slow), pytest.param("dop853", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", CASES)
def test_a_gear_sticks_slips_and_turns_back_as_by_cases(name: str, solver: str) -> None:
    torque, against = CASES[name][-2:]
    case = case_of(name)
    changes, angle, speed = case.run(END)
    result = simulated(case, torque, against, END, solver=solver)
    assert result.outcome.completed, result.outcome
    assert solver != "dopri5" or not result.outcome.warnings  # that a limit bends where the load changes its sign is told by others
    mine = [(each.time, NAMES[each.what.split(" -> ")[1]]) for each in result.changes]
    assert len(changes) > 2
    assert [mode for _, mode in mine] == [mode for _, mode in changes]
    near = 1e-8 if solver == "dopri5" else 1e-6
    assert [when for when, _ in mine] == pytest.approx([when for when, _ in changes], abs=5 * near)
    assert (result["motor.phi"][-1], result["motor.w"][-1]) == pytest.approx((angle, speed), rel=near, abs=near)


@pytest.mark.parametrize("speed", [-1.0, 0.0])
def test_a_worm_that_jams_ends_the_run_with_a_sentence(speed: float) -> None:
    """Lowered by a motor that lets go, it has no acceleration from where the torque is -G J / L on (J: motor, L: load, G: its weight)."""
    torque, weight = -5 + 5 * t, 2.0
    result = simulated(
        Case(motor=0.1, load=1.0, torque=function(torque), against=lambda t: weight, drives=1.0, driven=1.5),
        torque,
        weight + 0 * t,
        2.0,
        speed,
    )
    assert result.time[-1] == pytest.approx(1 - weight * 0.1 / 5, abs=1e-9)
    assert "no forces satisfy the friction of 'worm', which grows with its own load: it jams" in result.outcome.sentence
    for more in (0.3, 1.0):  # inertia of the motor, as the sentence proposes: 1.5 - 1 is the least by the load's
        case = Case(motor=more, load=0.5, torque=function(torque), against=lambda t: weight, drives=1.0, driven=1.5)
        assert simulated(case, torque, weight + 0 * t, 2.0, speed).outcome.completed


def test_a_worm_that_jams_from_the_start_is_refused() -> None:
    with pytest.raises(
        StartError, match="no forces satisfy the friction of 'worm', which grows with its own load: it jams; use less friction"
    ):
        simulated(Case(motor=0.1, load=1.0, torque=math.cos, against=math.cos, drives=1.0, driven=1.5), 0 * t, 2 + 0 * t, 1.0, -1.0)


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_an_exported_worm_turns_as_by_cases(kind: str, tmp_path: Path) -> None:
    case, (torque, against) = case_of("locks itself, with more at rest"), CASES["locks itself, with more at rest"][-2:]
    path = machine(case, torque, against).export_fmu(tmp_path / "worm.fmu", platforms=["linux64"])
    options = {"me": {"solver": "CVode", "relative_tolerance": 1e-8}, "cs": {"output_interval": 0.05}}[kind]
    rows = simulate_fmu(path, stop_time=END, fmi_type={"me": "ModelExchange", "cs": "CoSimulation"}[kind], output=["motor.phi"], **options)
    assert rows["motor.phi"][-1] == pytest.approx(case.run(END)[1], rel=1e-5)


def test_a_compliant_worm_creeps_and_turns_alike() -> None:
    """Both limits of the pair act: it turns the load both ways."""
    name = "a load that changes its sign"
    case, (torque, against) = case_of(name), CASES[name][-2:]
    system = machine(case, torque, against, kind="cs")
    result = system.simulate(5.8, start_values={"worm.compliant.c": 300.0, "worm.compliant.vr": 1e-3}, communication_step=2e-4)
    assert result["motor.phi"][-1] == pytest.approx(case.run(5.8)[1], rel=1e-2)  # of creeping and of the damper
