"""Control of communication steps: by step doubling, and by the energy that coupling creates."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from coupling import BuildError, Ending, Result, Scheme, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.oracles.motion import deviation
from tests.support.oracles.planar import FourBar
from tests.support.systems.stepped import Position, Speed, van_der_pol
from tests.support.systems.systems import refusal, system_of

STOP, PORT = 20.0, "body.p1 - spring.N"


def oscillator(**options: object) -> Result:
    """Van der Pol's, its position and its speed being two instances; its slow phases last 10 s, its fast ones 0.2 s."""
    system = System("van der Pol")
    system.add("position", Position)
    system.add("speed", Speed)
    system.connect("position.x", "speed.x")
    system.connect("speed.v", "position.v")
    return system.simulate(STOP, **{"communication_step": 0.01, "output_interval": 0.01} | options)  # type: ignore[arg-type]


def error(result: Result) -> float:
    """Returns the error of the position, at the points."""
    assert result.outcome.completed and result.time[-1] == STOP, result.outcome
    return float(np.abs(result["position.x"] - van_der_pol(result.time)[0]).max())


SCHEMES = {"explicit": 2, "gauss-seidel": 2, "implicit": 1}
"""Schemes with their degree of extrapolation."""
scheme = pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", pytest.param("implicit", marks=pytest.mark.slow)])


@scheme
def test_the_error_follows_the_tolerance(scheme):
    """It does so over three decades: an error of so much in every step adds up to its power 3/4, or 2/3 for a method of order 2."""
    errors = [
        error(oscillator(scheme=Scheme(scheme, extrapolation=SCHEMES[scheme], step_control="adaptive", tolerance=tolerance)))
        for tolerance in (1e-5, 1e-6, 1e-7, 1e-8)
    ]
    assert all(b < a / 2.5 for a, b in pairwise(errors)), errors
    assert 0.6 < np.log10(errors[0] / errors[-1]) / 3 < 1.1, errors
    assert errors[-1] < 3e-3


@scheme
def test_it_takes_less_than_fixed_steps_of_the_same_error(scheme):
    """It takes at most a third of the steps of all instances, rejected ones included."""
    plain = Scheme(scheme, extrapolation=SCHEMES[scheme])
    controlled = oscillator(scheme=replace(plain, step_control="adaptive", tolerance=1e-7))
    passes = controlled.statistics.passes
    fixed = oscillator(communication_step=STOP / (3 * passes), scheme=plain)
    assert fixed.statistics.passes >= 3 * passes and error(fixed) > error(controlled)


@pytest.mark.slow
def test_steps_are_short_where_much_happens():
    """Steps in the fast phases have a hundredth of the size of those in the slow ones. Rows are at the points, unless rows between them are
    requested."""
    result = oscillator(scheme=Scheme(extrapolation=2, step_control="adaptive", tolerance=1e-6), output_interval=1e-4)
    points = np.unique(result.time)
    speed = np.abs(np.interp((points[1:] + points[:-1]) / 2, result.time, result["speed.v"]))
    sizes = np.diff(points)
    assert sizes[speed > 5].max() < 0.05 * sizes[speed < 0.2].max()


@pytest.mark.parametrize(("scheme", "control"), [("explicit", "adaptive"), ("gauss-seidel", "adaptive"), ("explicit", "power")])
def test_what_is_taken_back_is_counted(scheme, control):
    """An attempt by doubling costs three passes, of which two steps stay; by power it costs one."""
    result = (mass if control == "power" else oscillator)(scheme=Scheme(scheme, step_control=control), communication_step=0.2)
    s = result.statistics
    assert s.rejected > 0
    assert s.passes == (s.steps + s.rejected if control == "power" else 3 * (s.steps // 2 + s.rejected))


@scheme
def test_steps_are_no_longer_than_allowed(scheme):
    result = oscillator(scheme=Scheme(scheme, step_control="adaptive", tolerance=1e-3), max_step=0.05, output_interval=1e-3)
    assert np.diff(result.time).max() < 0.05 * (1 + 1e-9)


def test_where_an_implicit_step_cannot_be_made_a_smaller_one_is():
    """The four-bar linkage at 0.1 s: alone the scheme gives up, with control it goes through."""
    oracle = FourBar(angle=1.0, speed=2.0)
    alone = system_of(oracle).simulate(1.0, communication_step=0.1, scheme="implicit")
    assert alone.outcome.ending is Ending.NOT_SOLVED
    assert "' stays at " in alone.outcome.sentence and "at the end of a step of 0.1 s, after 30 repetitions" in alone.outcome.sentence
    result = system_of(oracle).simulate(1.0, communication_step=0.1, scheme=Scheme("implicit", step_control="adaptive", tolerance=1e-5))
    assert result.outcome.completed and result.statistics.rejected > 0
    assert deviation(oracle.motion(result.time), result.__getitem__) < 1e-3


def test_control_that_gives_up():
    """Two steps of half the size never come to what one step does: the FMU counts them."""
    model = Model("Counting", [Variable("x", "output", 0.0, rate="0")], hooks={"step": "me->v[1] += 1;"}, rollback=True)
    system = System("counting")
    system.add("unit", foreign.export(model, 2), kind="cs")
    system.add("reader", foreign.of_oscillator(2), kind="cs")
    system.connect("unit.x", "reader.u")
    result = system.simulate(1.0, communication_step=0.01, scheme=Scheme(step_control="adaptive"))
    assert result.outcome.ending is Ending.NOT_SOLVED
    text = result.outcome.sentence
    assert text.startswith("stopped at t = 0 s: step_control = 'adaptive' has brought the step down to ")
    assert text.endswith(
        " s without reaching tolerance = 0.0001; loosen it, or use Scheme(step_control='fixed'). The result holds everything up to there"
    )
    assert result.time.tolist() == [0.0]


# -- by power --------------------------------------------------------------------------------------------------------------------------


def mass(**options: object) -> Result:
    """Runs a mass on a spring in the plane: cos(10 t), stretched by 0.2 m, that is 2 J."""
    system = System("mass")
    system.add("ground", "planar.Fixed")
    system.add("spring", "planar.SpringDamper", {"k": 100.0, "rest": 1.0})
    system.add("body", "planar.Body1", {"m": 1.0, "I": 0.1, "gy": 0.0, "x": 1.2})
    system.connect("ground.p1", "spring.M")
    system.connect("spring.N", "body.p1")
    return system.simulate(2.0, **{"communication_step": 0.01, "output_interval": 1e-3} | options)  # type: ignore[arg-type]


@pytest.mark.parametrize("degree", [1, 2])
def test_created_energy_follows_the_tolerance(degree):
    """It follows to a factor of 3 in each of three decades; so does the error. It is less than the tolerance, relative to the energy that
    passes."""
    created, errors = [], []
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
        result = mass(scheme=Scheme(extrapolation=degree, step_control="power", tolerance=tolerance))
        created.append(abs(result.created_energy[PORT][-1]))
        errors.append(np.abs(result["body.x"] - 1 - 0.2 * np.cos(10 * result.time)).max())
        passing = np.trapezoid(np.abs(result["spring.N.Fx"] * result["body.vx"]), result.time)
        assert created[-1] < tolerance * passing * 2
    for values in (created, errors):
        assert all(10 / 3 < a / b < 30 for a, b in pairwise(values)), values


def test_steps_follow_the_energy():
    """Steps are longest where the spring's force is largest and the mass at rest: there no power passes."""
    result = mass(scheme=Scheme(extrapolation=2, step_control="power", tolerance=1e-6))
    points = np.unique(result.time)[20:]
    speed = np.abs(np.interp((points[1:] + points[:-1]) / 2, result.time, result["body.vx"]))
    sizes = np.diff(points)
    assert sizes[speed < 0.5].max() > 3 * np.median(sizes[speed > 1.5])


@pytest.mark.parametrize("scheme", ["implicit", "implicit-velocity"])
def test_control_by_power_sees_nothing_of_implicit_schemes(scheme):
    """The inputs at the end of a step are those that it used."""
    assert refusal(lambda: mass(scheme=Scheme(scheme, step_control="power")), BuildError) == (
        f"step_control = 'power' does not go with scheme = '{scheme}', in which nothing is extrapolated, and errors create "
        "no energy that could be measured; use Scheme(step_control='fixed'), or 'adaptive'"
    )


@pytest.mark.parametrize(("control", "remedy"), [("adaptive", ", or scheme='implicit'"), ("power", "")])
def test_multipliers_that_are_constant_over_a_step_cannot_be_controlled(control, remedy):
    """However small the step, velocities alternate."""
    assert refusal(lambda: mass(scheme=Scheme("implicit-position", step_control=control)), BuildError) == (
        f"step_control = '{control}' does not go with scheme = 'implicit-position', in which velocities alternate around the right value from "
        f"step to step, which looks like an error; use Scheme(step_control='fixed'){remedy}"
    )


def test_control_sees_an_instance_that_passes_nothing_on():
    """A single inertia under a fast torque: w = (1 - cos 20 t)/20."""
    system = System("alone")
    system.add("inertia", "mechanical1d.Inertia")
    system.drive("inertia.flange.tau", lambda t: float(np.sin(20 * t)))
    result = system.simulate(2.0, communication_step=0.01, scheme=Scheme(step_control="adaptive", tolerance=1e-7))
    assert result["inertia.w"][-1] == pytest.approx((1 - np.cos(40)) / 20, abs=1e-4)


def test_an_unstable_coupling_warns():
    """Held inputs feed an undamped spring; the gained energy is reported, and a sound run has no warning."""
    system = System("two masses")
    for name, mass in (("a", 1.0), ("b", 2.0)):
        system.add(name, "mechanical1d.Mass", {"m": mass, "s": 0.1 * (name == "b")})
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 100.0})
    system.connect("a.flange", "spring.M")
    system.connect("b.flange", "spring.N")
    (warning,) = system.simulate(20.0, communication_step=0.05, scheme=Scheme(extrapolation=0)).outcome.warnings
    assert "of the energy that passed at 'a.flange - spring.M': do not trust the result; choose a smaller communication_step" in warning
    assert system.simulate(5.0, communication_step=0.005, scheme=Scheme(extrapolation=2)).outcome.warnings == []


def test_the_last_point_is_kept_where_a_run_ends_early():
    system = System("long")
    system.add("inertia", "mechanical1d.Inertia", {"w": 1.0})
    for control in ("fixed", "adaptive"):
        result = system.simulate(1e4, communication_step=1e-3, max_step=1e-3, max_steps=500, scheme=Scheme(step_control=control))
        assert result.outcome.ending is Ending.TOO_MANY_STEPS
        assert result.time[-1] > 0.2 and result["inertia.phi"][-1] == pytest.approx(result.time[-1])


@pytest.mark.parametrize("control", ["adaptive", "power"])
def test_control_is_careful_behind_an_event(control):
    """A motor at rest takes no power when its voltage comes on; steps that have grown until then begin anew."""
    system = System("motor")
    system.add("step", "signal.Step", {"start": 0.1, "height": 12.0})
    system.add("source", "electrical.VoltageSource")
    system.add("motor", "electrical.DCMotor")
    system.add("rotor", "mechanical1d.Inertia", {"I": 1e-3})
    for a, b in (("step.y", "source.voltage"), ("source.pin", "motor.pin"), ("motor.flange", "rotor.flange")):
        system.connect(a, b)
    exact = system.simulate(0.5, solver="cvode", rtol=1e-10)["rotor.w"][-1]
    result = system.simulate(0.5, communication_step=1e-4, scheme=Scheme(step_control=control, tolerance=1e-6))
    assert result["rotor.w"][-1] == pytest.approx(exact, rel=1e-3)
