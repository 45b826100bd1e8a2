"""Digital controllers in co-simulation: what is sampled is held, at the times at which it is sampled."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from coupling import BuildError, Scheme, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.systems import refusal

SAMPLE, GAIN, STOP = 0.05, 2.0, 0.5
CONTROLLER = Model(
    "Controller",
    [Variable("u", "input"), Variable("y", "output", 0.0), Variable("calls", "output", 0.0, type="Integer")],
    hooks={"step": f"me->v[2] = -{GAIN} * u; me->v[3] = calls + 1;"},
    kinds=("cs",),
    rollback=True,
)
"""y = -2 u, as u is where a step begins; it counts its steps."""


def braked(fmi: int, **own: object) -> System:
    """A mass of 1 kg whose velocity the controller takes and which its force brakes."""
    system = System("braked")
    system.add("controller", foreign.export(CONTROLLER, fmi), **{"kind": "cs", **own})
    system.add("mass", "mechanical1d.Mass", {"v": 1.0})
    system.connect("mass.v", "controller.u")
    system.connect("controller.y", "mass.flange.f")
    return system


def velocity(late: bool) -> float:
    """Returns the velocity at the end, where the force is that of the sample, or of the sample before."""
    v, waiting = 1.0, 0.0
    for _ in range(round(STOP / SAMPLE)):
        fresh = -GAIN * v
        v, waiting = v + SAMPLE * (waiting if late else fresh), fresh
    return v


@pytest.mark.parametrize(("scheme", "late"), [("explicit", True), ("gauss-seidel", False)])
def test_held_by_extrapolation_0(fmi: int, scheme: str, late: bool) -> None:
    """The delay is one sample if all step at once, and 0 if the controller steps first."""
    result = braked(fmi).simulate(STOP, communication_step=SAMPLE, scheme=Scheme(scheme, extrapolation=0))
    assert result["mass.v"][-1] == pytest.approx(velocity(late), abs=1e-11)
    assert result.statistics.steps == 10


@pytest.mark.parametrize("control", ["fixed", "adaptive"])
@pytest.mark.parametrize("step", [SAMPLE, SAMPLE / 5, 0.012])
@pytest.mark.parametrize(
    ("scheme", "degree"), [("explicit", 0), ("explicit", 1), ("explicit", 2), ("gauss-seidel", 0), ("gauss-seidel", 1), ("implicit", 1)]
)
def test_a_controller_insists_on_its_own_step(scheme: str, degree: int, step: float, control: str) -> None:
    """It is called as often as it takes samples, whatever the steps of the others; its output is held in between."""
    result = braked(2, communication_step=SAMPLE).simulate(
        STOP, communication_step=step, scheme=Scheme(scheme, extrapolation=degree, step_control=control), outputs=["*", "controller.calls"]
    )
    assert result.outcome.completed and result["controller.calls"][-1] == 10
    assert result["mass.v"][-1] == pytest.approx(velocity(scheme != "gauss-seidel"), abs=1e-11)


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_an_output_that_changes_at_every_step_divides_none(fmi: int, scheme: str) -> None:
    """Only the first step is divided, and by no more than the scheme wants; each change had its own 4 parts, and each of these 4 more."""
    steps = braked(fmi).simulate(STOP, communication_step=SAMPLE, scheme=scheme).statistics.steps
    assert steps == (10 if scheme == "implicit" else 14)


def test_an_instance_that_extrapolates_less() -> None:
    """Two instances integrate cos t. The one with held inputs is off by half a step's change, the other one by less than 1e-5."""
    system = System("integrals")
    for name, own in (("held", {"extrapolation": 0}), ("free", {})):
        system.add(name, "signal.Integrator", kind="cs", **own)
        system.drive(f"{name}.u", np.cos)
    result = system.simulate(1.0, communication_step=0.01, scheme=Scheme(extrapolation=2))
    assert result["free.y"][-1] == pytest.approx(np.sin(1.0), abs=1e-5)
    left = 0.01 * np.cos(0.01 * np.arange(100)).sum()
    assert result["held.y"][-1] == pytest.approx(left, abs=1e-4)
    assert abs(result["held.y"][-1] - np.sin(1.0)) > 1e-3


def test_a_copy_keeps_the_options() -> None:
    """Pickled systems keep them too."""
    system = braked(2, communication_step=SAMPLE, extrapolation=1)
    for again in (copy.copy(system), pickle.loads(pickle.dumps(system))):
        (controller, _) = again.definition.instances
        assert (controller.kind, controller.communication_step, controller.extrapolation) == ("cs", SAMPLE, 1)


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ({"communication_step": 0.0}, "communication_step = 0.0 of 'controller' is refused: give seconds, greater than 0 and finite"),
        (
            {"extrapolation": 3},
            "extrapolation = 3 of 'controller' is refused: inputs are extrapolated by polynomials of degree 0, 1 or 2",
        ),
        (
            {"extrapolation": 0, "kind": "me"},
            "extrapolation = 0 of 'controller' is for Co-Simulation; leave it out, or kind='me'",
        ),
    ],
)
def test_options_that_make_no_sense(own: dict[str, object], sentence: str) -> None:
    """Each names the instance."""
    assert refusal(lambda: braked(2, **own), BuildError) == sentence


def test_a_body_in_a_joint_has_no_step_of_its_own() -> None:
    """Its multipliers are found at all points."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5}, communication_step=0.01)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    assert refusal(lambda: system.simulate(1.0, communication_step=0.001), BuildError) == (
        "communication_step = 0.01 s of 'rod' is refused: joints act on it, whose multipliers are found at every point; leave it out"
    )
