"""Runs of systems that are unstable end before their states leave every physical scale."""

from __future__ import annotations

import math
import re
import time

import numpy as np
import pytest
from scipy.signal import place_poles

from coupling import Index3, System
from coupling.outcome import Ending
from coupling.result import Result
from coupling.sampling import sample
from coupling.sweep import sweep
from tests.support import foreign
from tests.support.systems.systems import refusal

GRAVITY = 9.81
CART, POLE, LENGTH = 1.0, 0.2, 0.6
MEASURED = ("slide.translation.q", "hinge.rotation.q", "slide.translation.qd")
GAINS = ("law.k[1]", "law.k[2]", "law.k[3]", "force.k[2]")
LEANING = {"pole.theta": 0.1, "pole.x": -0.5 * LENGTH * math.sin(0.1), "pole.y": 0.5 * LENGTH * math.cos(0.1)}


def stable_gains() -> np.ndarray:
    """Returns newtons by metre, radian and their rates: the poles of small motion lie at -4, -4.5, -5 and -5.5 1/s."""
    arm = LENGTH / 2
    mass = np.array([[CART + POLE, -POLE * arm], [-POLE * arm, POLE * LENGTH**2 / 3]])
    a, b = np.zeros((4, 4)), np.zeros((4, 1))
    a[:2, 2:] = np.eye(2)
    a[2:, :2] = np.linalg.solve(mass, [[0, 0], [0, POLE * GRAVITY * arm]])
    b[2:, 0] = np.linalg.solve(mass, [1, 0])
    return -place_poles(a, b, [-4, -4.5, -5, -5.5]).gain_matrix[0]


def cart_and_pole() -> System:
    system = System("cart and pole", gravity=(0.0, -GRAVITY))
    system.add("rail", "planar.Fixed")
    system.add("cart", "planar.Body1", {"m": CART})
    system.add("pole", "planar.Body1", {"m": POLE, "I": POLE * LENGTH**2 / 12, "p1.ry": -LENGTH / 2, "y": LENGTH / 2})
    system.join("planar.ActuatedTranslational", "rail.p1", "cart.p1", name="slide")
    system.join("planar.Revolute", "cart.p1", "pole.p1", name="hinge")
    for name, component in (
        ("law", "signal.Sum"),
        ("force", "signal.Sum"),
        ("sampler", "signal.SampleHold"),
        ("motor", "mechanical1d.Force"),
    ):
        system.add(name, component, {"period": 0.005} if name == "sampler" else {})
    for number, source in enumerate(MEASURED, start=1):
        system.connect(source, f"law.u{number}")
    for source, target in (
        ("law.y", "force.u1"),
        ("hinge.rotation.qd", "force.u2"),
        ("force.y", "sampler.u"),
        ("sampler.y", "motor.force"),
    ):
        system.connect(source, target)
    system.connect("motor.flange", "slide.flange")
    return system


def bits(result: Result) -> bytes:
    return b"".join(np.ascontiguousarray(result[name]).tobytes() for name in ("time", *result.names) if name != "time")


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_a_pole_whose_controller_is_unstable(count: int) -> None:
    """Gains of a stable design times 0.5 to 1.8: unstable points end within 1 s of processor time, and the others keep their bits."""
    design = stable_gains()
    points = sample({name: tuple(sorted((0.5 * gain, 1.8 * gain))) for name, gain in zip(GAINS, design, strict=True)}, count, seed=1)
    system, ended = cart_and_pole(), 0
    for number in range(count):
        values = {name: given[number] for name, given in points.items()} | LEANING
        began = time.process_time()
        result = system.simulate(3.0, start_values=values)
        assert time.process_time() - began < 1.0
        if result.outcome.completed:
            assert bits(result) == bits(system.simulate(3.0, start_values=values, value_limit=None))
            continue
        ended += 1
        found = re.fullmatch(
            r"stopped at t = (\S+) s: '(\S+)' is (\S+) \S+, more than value_limit = 1e\+09 times 1 \S+, the largest of its nominal value, its start value "
            r"and 1. The system is unstable there; .*",
            result.outcome.sentence,
        )
        assert found and found[2] in result.names and result.outcome.ending is Ending.BEYOND_LIMIT
        assert float(found[3]) == float(f"{result[found[2]][-1]:.4g}") and result.time[-1] == pytest.approx(float(found[1]))
    assert 0 < ended < count / 2


def growing(start: float = 1.0, kind: str | None = None) -> System:
    """Returns x' = 20 x, which is 1e9 times its start after 1.036 s."""
    system = System("growing")
    system.add("lag", "signal.StateSpace1", {"A[1,1]": 20.0, "x[1]": start}, kind=kind)
    return system


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode", "ida", "RK45", "LSODA", "Radau", Index3(step_size=0.001)])
def test_every_solver(solver: str | Index3) -> None:
    """The run ends at the first step beyond the limit, and has its rows; None lets it go on."""
    result = growing(1e3).simulate(1.2, solver=solver)
    assert result.outcome.ending is Ending.BEYOND_LIMIT
    reached, value = re.match(
        r"stopped at t = (\S+) s: 'lag.x\[1\]' is (\S+), more than value_limit = 1e\+09 times 1000, ", result.outcome.sentence
    ).groups()  # type: ignore[union-attr]
    assert math.log(1e9) / 20 - 0.005 < float(reached) < 1.1 and float(value) > 1e12
    assert 1.2 / 500 + float(reached) > result.time[-1] > float(reached) - 1.2 / 500
    assert growing(1e3).simulate(1.2, solver=solver, value_limit=None).outcome.completed


def test_between_communication_points_and_elsewhere() -> None:
    """The limit holds for instances that are integrated between communication points, and in a process of its own."""
    system = growing(kind="me")
    system.add("gain", "signal.Gain", kind="cs")
    system.connect("lag.y", "gain.u")
    outcome = system.simulate(1.2, communication_step=0.01).outcome
    assert outcome.ending is Ending.BEYOND_LIMIT and "'lag.x[1]' is " in outcome.sentence
    here, elsewhere = growing().simulate(1.2), growing().simulate(1.2, isolate="all")
    assert str(here.outcome) == str(elsewhere.outcome) and bits(here) == bits(elsewhere)


def crane() -> System:
    """Returns a boom on a cylinder, whose stiff oil no explicit scheme couples in steps of 5 ms."""
    system = System("crane", gravity=(0.0, -GRAVITY))
    system.add("ground", "planar.Fixed")
    system.add("boom", "planar.Body2", {"m": 500.0, "I": 375.0, "p1.rx": -1.5, "p2.rx": 1.5, "x": 1.5})
    system.join("planar.Revolute", "ground.p1", "boom.p1", name="pin")
    system.add("foot", "planar.Fixed", {"p1.rx": 1.0, "p1.ry": -1.0})
    system.join("planar.LinearActuator", "foot.p1", "boom.p2", {"offset": 5**0.5}, name="lift")
    system.add("cylinder", "hydraulic.Cylinder", {"offset": -0.1, "p1": 10e5})
    system.add("pump", "hydraulic.FlowSource", {"flow": 2e-4})
    system.add("tank", "hydraulic.Tank")
    system.connect("lift.flange", "cylinder.flange")
    system.connect("pump.port", "cylinder.A")
    system.join("hydraulic.Orifice", "cylinder.B", "tank.port", {"area": 1e-5}, name="return")
    return system


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_an_unstable_coupling(scheme: str) -> None:
    """States inside Co-Simulation instances have the limit too: the run ends by a sentence that blames the step, here and elsewhere."""
    found = crane().simulate(1.0, communication_step=5e-3, scheme=scheme)
    assert re.match(
        rf"stopped at t = \S+ s: 'cylinder.p2' is \S+ Pa, more than value_limit = 1e\+09 times 1e\+06 Pa, .*\. With scheme = '{scheme}' the coupling is "
        r"unstable at communication_step = 0.005 s; choose a smaller communication_step, or scheme='implicit'",
        found.outcome.sentence,
    )
    assert found.outcome.ending is Ending.BEYOND_LIMIT and found.time[-1] < 1.0
    assert any("the coupling is probably unstable" in each for each in found.outcome.warnings)
    elsewhere = crane().simulate(1.0, communication_step=5e-3, scheme=scheme, isolate="all")
    assert elsewhere.outcome.sentence == found.outcome.sentence and bits(elsewhere) == bits(found)


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_a_stable_coupling(scheme: str) -> None:
    """Limits change no bit, and a pressure that is wrong by a load is not said to be the step's fault."""
    found, without = (crane().simulate(0.2, communication_step=1e-3, scheme=scheme, value_limit=limit) for limit in (1e9, None))
    assert found.outcome.completed and bits(found) == bits(without)


def test_outputs_of_foreign_instances() -> None:
    """Outputs that are passed on have the limit if no state of an instance can be read."""
    system = System()
    for name in ("unit", "next"):
        system.add(name, foreign.gain(), kind="cs")
    system.connect("unit.y", "next.u")
    system.drive("unit.u", lambda t: math.exp(30 * t))
    outcome = system.simulate(1.0, communication_step=0.01).outcome
    assert (
        outcome.ending is Ending.BEYOND_LIMIT and "'unit.y' is " in outcome.sentence and "value_limit = 1e+09 times 1, " in outcome.sentence
    )
    assert "The system is unstable there; if a smaller step gives another value, the coupling is unstable at " in outcome.sentence
    assert system.simulate(1.0, communication_step=0.01, value_limit=None).outcome.completed


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_a_load_is_not_called_an_unstable_coupling(step: float) -> None:
    """A pump empties a closed volume: its pressure falls by BULK / volume times flow at any step, and creates no energy."""
    system = System()
    system.add("oil", "hydraulic.Volume", {"volume": 1e-3, "bulk": 1.5e9, "p": 1e6}, kind="cs")
    system.add("pump", "hydraulic.FlowSource", {"flow": -1e-3}, kind="cs")
    system.connect("pump.port", "oil.port")
    result = system.simulate(1.0, communication_step=step)
    assert result.outcome.completed and result["oil.p"][-1] == pytest.approx(1e6 - 1.5e9, rel=1e-9)
    (warning,) = result.outcome.warnings
    assert "; change the loads, or connect a component" in warning and "; if a smaller step gives another value, " in warning
    assert "probably" not in warning


def test_a_limit_of_ones_own() -> None:
    """The factor ends a run earlier; a sweep passes it on, and its table says which point ended."""
    assert growing().simulate(1.2, value_limit=10.0).time[-1] == pytest.approx(math.log(10.0) / 20, abs=0.02)
    table = sweep(growing(), {"lag.A[1,1]": [1.0, 20.0]}, stop_time=1.0, value_limit=100.0)
    assert [outcome.ending for outcome in table.outcomes] == [Ending.COMPLETED, Ending.BEYOND_LIMIT]
    assert growing().simulate(1.2, value_limit=math.inf).outcome.completed


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (0.5, "value_limit = 0.5 is refused: it must be at least 1; None switches it off"),
        (math.nan, "value_limit = nan is refused: it must be at least 1; None switches it off"),
        ("1e9", "value_limit = '1e9' is refused: it must be a number"),
        (True, "value_limit = True is refused: it must be a number"),
    ],
)
def test_no_limit(given: object, sentence: str) -> None:
    """Values that are no factor are refused."""
    assert refusal(lambda: growing().simulate(1.0, value_limit=given)) == sentence  # type: ignore[arg-type]
