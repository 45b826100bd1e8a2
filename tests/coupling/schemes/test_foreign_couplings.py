"""Implicit coupling of FMUs that tell little: how few repetitions it takes, what errors of their own FMUs may have, and when it diverges."""

from __future__ import annotations

import time

import pytest

from coupling import Ending, Result, System
from fmu_components.catalogue import find
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.stepped import DERIVATIVES, component


def driven_arm(fmi: int, k: float, b: float) -> System:
    """A motor of another tool, without derivatives, behind a shaft of that stiffness and damping, on the joint of an arm."""
    system = System("driven arm")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute")
    system.add("arm", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.add("motor", component(find("mechanical1d.Inertia"), fmi, *DERIVATIVES), {"I": 0.01}, kind="cs")
    system.add("shaft", "mechanical1d.RotationalSpringDamper", {"k": k, "b": b})
    system.add("torque", "mechanical1d.Torque", {"torque": 2.0})
    for pair in (
        *(("ground.p1", "pin.M"), ("pin.N", "arm.p1")),
        *(("torque.flange", "motor.flange"), ("motor.flange", "shaft.M"), ("pin.flange", "shaft.N")),
    ):
        system.connect(*pair)
    return system


@pytest.mark.parametrize(("k", "b"), [(200.0, 0.5), (200.0, 1.0), (100.0, 0.2)])
def test_a_motor_behind_a_shaft_takes_few_repetitions(fmi: int, k: float, b: float) -> None:
    """The steps are 5 ms, where mere repetition took 9 to 10; the reference has steps of a fifth."""
    coarse, fine = (driven_arm(fmi, k, b).simulate(0.5, communication_step=h, scheme="implicit", output_times=[0.5]) for h in (5e-3, 1e-3))
    assert coarse.statistics.passes <= 4 * coarse.statistics.steps
    assert fine.statistics.passes <= 2.2 * fine.statistics.steps
    assert coarse["arm.theta"][-1] == pytest.approx(fine["arm.theta"][-1], abs=1e-5)


UNEVEN = Model(
    "Uneven",
    [
        Variable("tau", "input"),
        Variable("load", "input"),
        Variable("x", "local", 0.0, rate="w", depends=["w"]),
        Variable("w", "local", 0.0, rate="tau + load", depends=["tau", "load"]),
        Variable("noise", "parameter", 4e-9),
        Variable("phi", "output", value="x", depends=["x"]),
        Variable("speed", "output", value="w + noise * sin(1e9 * tau)", depends=["w", "tau"]),
    ],
    kinds=("cs",),
    rollback=True,
    declares={"canInterpolateInputs": "true", "providesIntermediateUpdate": "true"},
    input_orders=1,
)
"""A shaft whose speed has an error of its own, which changes with every other torque."""


def joined(noise: float) -> Result:
    """Two such shafts, one of which an external torque turns, as one."""
    system = System("joined")
    for name in ("first", "second"):
        system.add(name, foreign.export(UNEVEN, 2), {"noise": noise})
    sides = [{"angle": f"{name}.phi", "speed": f"{name}.speed", "torque": f"{name}.tau"} for name in ("first", "second")]
    system.join_rigidly(*sides, name="coupling")
    system.add("torque", "signal.Sine", {"frequency": 1.0})
    system.connect("torque.y", "first.load")
    return system.simulate(1.0, communication_step=0.01, scheme="implicit")


def test_what_the_noise_of_fmus_allows_is_accepted() -> None:
    """Errors of 4e-9 are less than rtol, and more than the 5e-11 that constraints are kept to."""
    result = joined(4e-9)
    assert result.outcome.completed and result.outcome.warnings == []
    assert result.violation["velocity"].max() < 1e-8
    assert result["first.speed"] == pytest.approx(result["second.speed"], abs=1e-8)


def test_noise_that_is_too_much_is_named() -> None:
    """It ends with both instances, and what helps."""
    result = joined(1e-5)
    assert result.outcome.ending is Ending.NOT_SOLVED
    assert "'coupling.velocity[1]' stays at " in result.outcome.sentence
    assert (
        ", or a smaller rtol than 1e-08, if the steps of 'first', 'second' answer unevenly to small changes of force"
        in result.outcome.sentence
    )


@pytest.mark.parametrize(("k", "b"), [(100.0, 1.0), (1e4, 1.0), (100.0, 100.0), (1e6, 1e3)])
def test_divergence_is_named_at_once(k: float, b: float) -> None:
    """A spring and a damper on 0.1 g at 5 ms: it took 70 s to blame the mass for too many internal steps."""
    system = System("light")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 1e-4, "s": 0.1})
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": k, "b": b})
    system.connect("wall.flange", "spring.M")
    system.connect("mass.flange", "spring.N")
    system.build()
    began = time.process_time()
    outcome = system.simulate(0.1, communication_step=5e-3, scheme="implicit").outcome
    assert time.process_time() - began < 10 and outcome.ending is Ending.NOT_SOLVED
    assert "the coupling diverges: over a step of 0.005 s 'mass.flange.f' responds to its own change by " in outcome.sentence
    assert "choose a smaller communication_step, or put the stiff parts into one FMU" in outcome.sentence
