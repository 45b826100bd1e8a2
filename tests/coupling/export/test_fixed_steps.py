"""Exported mechanisms with steps of fixed size inside Co-Simulation: the same motion as the master's, in both versions, by another importer."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

from coupling import BuildError, Index3, System
from tests.coupling.live.test_stabilisation import carrying
from tests.support.runtime.driver import Driver
from tests.support.systems import fixed_steps as known
from tests.support.systems.systems import pendulum, refusal

both = pytest.mark.parametrize("fmi", [2, 3])


def stepped(path: Path, stop: float, h: float, outputs: list[str], **options) -> dict[str, np.ndarray]:
    """Runs FMPy, one communication step after the other."""
    result = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=stop, step_size=h, output_interval=h, output=outputs, **options
    )
    return {name: result[name] for name in outputs}


def exported(system: System, folder: Path, h: float, outputs: list[str], **options) -> Path:
    own = {name: options.pop(name) for name in ("method", "spectral_radius") if name in options}
    return system.export_fmu(folder / "it.fmu", outputs=outputs, solver=Index3(step_size=h, **own), platforms=["linux64"], **options)


@both
def test_an_exported_parallelogram_passes_its_poses_as_in_the_master(fmi, tmp_path):
    """24 of them, with steps of 20 ms; the coupler stays level."""
    system, outputs = known.parallelogram(), ["crank.theta", "coupler.theta"]
    found = stepped(exported(system, tmp_path, 0.02, outputs, fmi=fmi), 10.0, 0.02, outputs)
    master = system.simulate(10.0, solver=Index3(step_size=0.02), output_times=[10.0])
    assert found["crank.theta"][-1] == pytest.approx(master["crank.theta"][-1], abs=1e-10)
    assert np.abs(found["coupler.theta"]).max() < 1e-12


@both
def test_an_exported_wheel_is_exact_through_its_events(fmi, tmp_path):
    """Communication steps of 0.3 s with steps of 0.2 s inside; the force jumps at 1.5 s and 2.5 s, the latter within a step."""
    outputs = ["wheel.x", "wheel.theta"]
    path = exported(known.wheel(), tmp_path, 0.2, outputs, fmi=fmi)
    found = stepped(path, 4.8, 0.3, outputs)
    assert found["wheel.x"][-1] == pytest.approx(known.TRAVELLED * 2.8 / 3, abs=1e-12)
    assert found["wheel.x"] + known.WHEEL["radius"] * found["wheel.theta"] == pytest.approx(0 * found["wheel.x"], abs=1e-12)


@both
def test_inputs_that_jump_between_communication_steps_are_taken_as_they_are(fmi, tmp_path):
    """The wheel is pushed from outside: stairs of 1 N and 2 N, each constant for some communication steps."""
    system = System("wheel")
    for name, component, start in (
        ("ground", "planar.Fixed", {}),
        ("wheel", "planar.Body2", {"m": known.WHEEL["m"], "I": 0.045224, "y": known.WHEEL["radius"]}),
        ("contact", "planar.RollingDisc", {"radius": known.WHEEL["radius"]}),
        ("push", "planar.Wrench", {}),
    ):
        system.add(name, component, start)
    known.connected(system, ("ground.p1", "contact.M"), ("wheel.p1", "contact.N"), ("wheel.p2", "push.M"))
    path = exported(system, tmp_path, 0.1, ["wheel.x"], inputs=["push.Fx"], fmi=fmi)
    stairs = np.array([(0.0, 1.0), (0.5, 1.0), (0.5, 2.0), (2.0, 2.0)], dtype=[("time", float), ("push.Fx", float)])
    found = stepped(path, 1.0, 0.1, ["wheel.x"], input=stairs)
    a = known.ROLLING / 2
    assert found["wheel.x"][-1] == pytest.approx(a * 0.125 + a * 0.25 + 2 * a * 0.125, abs=1e-9)


def test_the_step_size_is_a_parameter_and_the_other_method_is_kept(tmp_path):
    """Half of the step, a quarter of the error; without the fixed steps, none."""
    times = [1.0]
    exact = known.lagging_exact([*times, 2.0])[0, 0]
    path = exported(known.lagging(), tmp_path, 0.02, ["rod.theta"], method="trbdf2")
    errors = [
        abs(stepped(path, 1.0, 0.04, ["rod.theta"], start_values=values)["rod.theta"][-1] - exact)
        for values in ({}, {"solver.step_size": 0.01}, {"solver.implicit": False})
    ]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1) and errors[2] < 1e-9


@pytest.mark.parametrize("fmi", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_what_a_step_leaves_to_the_next_is_carried_over_and_saved(fmi, tmp_path):
    """The generalised-alpha method gives the values of the master, for communication steps of one or four steps. A restored state continues
    alike."""
    outputs, options = ["rod.theta", "lag.y"], {"method": "generalised-alpha", "spectral_radius": 0.3}
    path = exported(known.lagging(), tmp_path, 0.02, outputs, fmi=fmi, **options)
    master = known.lagging().simulate(1.6, solver=Index3(step_size=0.02, **options), output_times=[1.6])
    for communication_step in (0.02, 0.08):
        found = stepped(path, 1.6, communication_step, outputs)
        assert [found[name][-1] for name in outputs] == pytest.approx([master[name][-1] for name in outputs], abs=1e-9)
    with Driver(path, "cs", "first") as first, Driver(path, "cs", "second") as second:
        first.start()
        for i in range(10):
            first.step(0.02 * i, 0.02)
        saved = first.fmu.getFMUState()
        other = second.fmu.deserializeFMUState(first.fmu.serializeFMUState(saved))
        ends = []
        for fmu, state in ((first, saved), (first, saved), (second, other)):
            fmu.fmu.setFMUState(state)
            for i in range(10, 20):
                fmu.step(0.02 * i, 0.02)
            ends.append(fmu.get(outputs))
        for end in ends[1:]:
            assert list(end.values()) == pytest.approx(list(ends[0].values()), abs=1e-12)
        first.fmu.freeFMUState(saved)
        second.fmu.freeFMUState(other)


def test_an_input_that_jumps_makes_the_method_begin_anew(tmp_path):
    """A mass is pushed by 1 N, then by 2 N: what a method remembers of the first would push on."""
    system = System("mass")
    system.add("mass", "planar.Body1", {"gy": 0.0})
    system.add("push", "planar.Wrench")
    system.connect("mass.p1", "push.M")
    path = exported(system, tmp_path, 0.1, ["mass.vx"], inputs=["push.Fx"], method="generalised-alpha")
    stairs = np.array([(0.0, 1.0), (0.5, 1.0), (0.5, 2.0), (2.0, 2.0)], dtype=[("time", float), ("push.Fx", float)])
    assert stepped(path, 1.0, 0.1, ["mass.vx"], input=stairs)["mass.vx"][-1] == pytest.approx(1.5, abs=1e-12)


@pytest.mark.parametrize("method", ["trapezoidal", pytest.param("trbdf2", marks=pytest.mark.slow)])
def test_a_step_that_is_taken_again_up_to_an_event_begins_where_it_did(method, tmp_path):
    """A body falls evenly and bounces within a step of 0.2 s, with what it carries: what the step that went too far has found is forgotten."""
    fall = 10 / 1.5
    bounce = np.sqrt(2 / fall)
    expected = (1.0 - 0.5) / 1.5 * fall * bounce - fall * (0.6 - bounce)
    outputs = ["lower.v", "upper.v"]
    found = stepped(exported(carrying(), tmp_path, 0.2, outputs, method=method), 0.6, 0.6, outputs)
    assert [found[name][-1] for name in outputs] == pytest.approx([expected] * 2, abs=1e-9)


REFUSED = {
    "solver = 'cvode' is not one of exported mechanisms; choose 'index3', or leave it out": {"solver": "cvode"},
    "step_size belongs to solver=Index3(step_size=...)": {"step_size": 0.01},
    "implicit = True and solver='index3', which holds constraints by itself, exclude each other; leave one of the two out": {
        "solver": Index3(step_size=0.01),
        "implicit": True,
    },
    "stabilisation = 'baumgarte' and solver='index3', which holds constraints by itself, exclude each other; leave one of the two out": {
        "solver": Index3(step_size=0.01),
        "stabilisation": "baumgarte",
    },
    "ls_dae = True and solver='index3', which holds constraints by itself, exclude each other; leave one of the two out": {
        "solver": Index3(step_size=0.01),
        "ls_dae": True,
    },
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_does_not_go_together_is_refused(sentence, tmp_path):
    assert refusal(lambda: pendulum().export_fmu(tmp_path / "it.fmu", **REFUSED[sentence]), BuildError) == sentence
