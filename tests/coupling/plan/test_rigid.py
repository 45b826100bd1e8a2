"""Rigid couplings, of instances that tell their accelerations and of FMUs of other tools that do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import System
from tests.support.foreign import Model, Variable, export
from tests.support.systems.systems import refusal

IMPLICIT = ("implicit", "implicit-velocity", "implicit-position")
ENGINE = {"angle": "engine.phi", "speed": "engine.w", "torque": "engine.tau"}
PORT = {"angle": "engine.flange.phi", "speed": "engine.flange.w", "torque": "engine.flange.tau"}
LOAD = {"angle": "load.phi", "speed": "load.w", "torque": "load.tau"}


def inertias(start: float = 0.0, **offset: float) -> System:
    """Inertias of 2 and 1 kg m2, a torque of 3 N m on the first, and nothing else."""
    system = System("inertias")
    system.add("engine", "mechanical1d.Inertia", {"I": 2.0, "w": 1.0})
    system.add("load", "mechanical1d.Inertia", {"I": 1.0, "w": 1.0, "phi": start})
    system.add("torque", "mechanical1d.Torque", {"torque": 3.0})
    system.connect("torque.flange", "engine.flange")
    system.join_rigidly("engine.flange", "load.flange", **offset)
    return system


@pytest.mark.parametrize("scheme", [None, "explicit", "gauss-seidel", *IMPLICIT])
def test_two_inertias_turn_as_one(scheme):
    """Both gain 1 rad/s in 1 s; the coupling passes on the 1 N m that the second needs, and keeps the angle between them."""
    options = {"communication_step": 0.01, "scheme": scheme} if scheme else {}
    result = inertias(0.3, offset=0.3).simulate(1.0, **options)
    assert [result["engine.w"][-1], result["load.w"][-1]] == pytest.approx([2.0, 2.0], abs=1e-7)
    assert result["load.phi"] - result["engine.phi"] == pytest.approx(0.3, abs=1e-9)
    assert result["rigid1.lambda[1]"][1:] == pytest.approx(1.0, abs=1e-5)


def test_masses_on_a_line_move_as_one():
    """5 N on 2 kg and 3 kg together."""
    system = System("masses")
    for name, mass in (("a", 2.0), ("b", 3.0)):
        system.add(name, "mechanical1d.Mass", {"m": mass, "s": 0.5 * (name == "b")})
    system.drive("a.flange.f", 5.0)
    assert system.join_rigidly("a.flange", "b.flange", name="bar", offset=0.5) == "bar"
    result = system.simulate(2.0, communication_step=0.02, scheme="implicit")
    assert [result["a.s"][-1], result["b.s"][-1]] == pytest.approx([2.0, 2.5], abs=1e-7)
    assert result["bar.lambda[1]"][-1] == pytest.approx(3.0, abs=1e-5)


def shaft(name: str, version: int, rollback: bool = True) -> Path:
    """Returns a shaft with a torque of its own and a spring that follows the sine; it gives neither accelerations nor derivatives."""
    variables = [
        Variable("I", "parameter", 1.0),
        Variable("T", "parameter", 0.0),
        Variable("k", "parameter", 0.0),
        Variable("tau", "input", 0.0),
        Variable("phi", "output", 0.0, rate="w"),
        Variable("w", "output", 0.0, rate="(T + tau - k * sin(phi)) / I"),
    ]
    return export(Model(name, variables, kinds=("cs",), rollback=rollback), version)


def drive_train(version: int, rollback: bool = True) -> System:
    system = System("drive train")
    system.add("engine", shaft("Engine", version, rollback), {"I": 2.0, "T": 3.0, "k": 5.0})
    system.add("load", shaft("Load", version, rollback))
    system.join_rigidly(ENGINE, LOAD)
    return system


def exact(time: float) -> tuple[float, float]:
    """Angle and speed of one shaft of 3 kg m2 in their place."""
    found = solve_ivp(lambda t, y: [y[1], (3 - 5 * np.sin(y[0])) / 3], (0, time), [0, 0], rtol=1e-12, atol=1e-12)
    return tuple(found.y[:, -1])


@pytest.mark.parametrize(("scheme", "level"), [("implicit-velocity", "velocity"), ("implicit-position", "position")])
def test_shafts_of_other_tools_become_one(fmi, scheme, level):
    """Repeated steps alone achieve it; the error shrinks with the square of the step at least, and passes are few."""
    errors = []
    for steps in (40, 80):
        result = drive_train(fmi).simulate(2.0, communication_step=2.0 / steps, scheme=scheme)
        assert result.outcome.completed
        assert np.abs(result[f"rigid1.{level}[1]"]).max() < 1e-10
        assert result.statistics.passes < 3.3 * result.statistics.steps
        errors.append(abs(result["load.phi"][-1] - exact(2.0)[0]))
    assert errors[0] < 1e-3 and errors[1] < errors[0] / 3.7


def test_forces_that_vary_over_a_step_need_inputs_that_do(fmi):
    """Constraints cannot hold at both levels with held inputs."""
    text = refusal(lambda: drive_train(fmi).simulate(1.0, communication_step=0.1, scheme="implicit"))
    assert "'engine' holds its inputs" in text and "choose 'implicit-position' or 'implicit-velocity'" in text


def test_an_explicit_scheme_cannot_solve_for_what_nobody_tells():
    text = refusal(lambda: drive_train(2).simulate(1.0, communication_step=0.1))
    assert text == (
        "the scheme 'explicit' cannot solve for 'rigid1.lambda[1]': 'engine' offers no directional derivatives, and its "
        "motion under a force is not known; choose scheme='implicit', which finds out by repeated steps"
    )


def test_states_that_cannot_be_saved_are_named():
    text = refusal(lambda: drive_train(2, rollback=False).simulate(1.0, communication_step=0.1, scheme="implicit-velocity"))
    assert "'engine', 'load' cannot save and restore its state" in text


def test_without_communication_steps_an_acceleration_is_needed():
    system = System("inertias")
    for name in ("engine", "load"):
        system.add(name, "mechanical1d.Inertia")
    ports = [
        {"angle": f"{n}.flange.phi", "speed": f"{n}.flange.w", "torque": f"{n}.flange.tau", "acceleration": f"{n}.flange.a"}
        for n in ("engine", "load")
    ]
    del ports[1]["acceleration"]
    system.join_rigidly(*ports)
    assert refusal(lambda: system.simulate(1.0)) == (
        "nothing gives 'rigid1.N.a': name the acceleration in join_rigidly as well, or give simulate a communication_step and an implicit scheme"
    )


def test_a_start_apart_is_refused():
    """The message gives the difference of the angles from the offset."""
    assert "rigid1.position[1] = 0.2" in refusal(lambda: inertias(0.5, offset=0.3).simulate(1.0, communication_step=0.1))


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("engine.flange", "mass.flange", "the first is rotational, the second translational; couple two of the same kind"),
        ("engine.w", "load.flange", "'engine.w' is a variable; give a rotational, translational or planar port, or the names of variables"),
        ("source.pin", "load.flange", "'source.pin' is a port of kind electrical; give a rotational, translational or planar port"),
        (
            {"angle": "engine.flange.phi"},
            "load.flange",
            "one side lacks 'speed', 'torque'; it takes 'angle', 'speed', 'torque' and, where there is one, 'acceleration'",
        ),
        ({**PORT, "foo": "engine.flange.a"}, "load.flange", "one side has 'foo', which means nothing here"),
        ({**PORT, "speed": "load.flange.w"}, "load.flange", "'engine' and 'load' are two instances on one side; name variables of one"),
        ({**PORT, "speed": "engine.w0"}, "load.flange", "'engine' (mechanical1d.Inertia) has no port or variable 'w0'"),
        ("engine.flange", "engine.flange", "both are 'engine.flange'; couple two different instances"),
        (PORT, PORT, "both are 'engine.flange.phi'; couple two different instances"),
        (7, "load.flange", "7 names neither a port nor 'angle', 'speed', 'torque'"),
    ],
)
def test_what_cannot_be_coupled_rigidly(a, b, sentence):
    system = System("odd")
    for name, component in (
        ("engine", "mechanical1d.Inertia"),
        ("load", "mechanical1d.Inertia"),
        ("mass", "mechanical1d.Mass"),
        ("source", "electrical.VoltageSource"),
    ):
        system.add(name, component)
    text = refusal(lambda: system.join_rigidly(a, b))
    assert "cannot be coupled rigidly: " in text and sentence in text
    assert list(system.instances) == ["engine", "load", "mass", "source"]


def test_multipliers_that_nobody_knows_at_the_start_do_not_alternate():
    """At velocity level they are constant over the first step, from which they go on; otherwise an error at the start would stay."""
    system = System("inertias")
    system.add("engine", "mechanical1d.Inertia", {"I": 2.0})
    system.add("load", "mechanical1d.Inertia")
    system.add("torque", "mechanical1d.Torque", {"torque": 3.0})
    system.connect("torque.flange", "engine.flange")
    system.join_rigidly(PORT, {key: name.replace("engine", "load") for key, name in PORT.items()})
    result = system.simulate(1.0, communication_step=0.01, scheme="implicit-velocity")
    assert result["rigid1.lambda[1]"][1:] == pytest.approx(1.0, abs=1e-6)
