"""Projection beside what is not projected: Co-Simulation instances, and constraints that do not tell how much they are violated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coupling import BuildError, Result, Scheme, System
from coupling.live.interval import Interval
from coupling.plan.graph import Part
from tests.coupling.live.test_stabilisation import EXACT, angle, four_bars, moving, pendulum, projected
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems.systems import refusal, system_of


def largest(result: Result, joint: str, level: str = "position") -> float:
    """Returns the largest violation of a joint over a run, except in the first row."""
    return max(np.abs(result[f"{joint}.{level}[{k}]"][1:]).max() for k in (1, 2))


# -- co-simulation ------------------------------------------------------------------------------------------------------------------------


def beside_a_mass() -> System:
    """A four-bar that the master integrates, beside a mass in Co-Simulation that falls by itself."""
    system = four_bars(1, "me")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0}, kind="cs")
    system.add("weight", "mechanical1d.Force", {"force": 3.0})
    system.connect("weight.flange", "mass.flange")
    return system


def test_a_mechanism_between_the_points_passes_singular_poses():
    result = beside_a_mass().simulate(
        10.0, communication_step=0.1, stabilisation="projection", rtol=1e-6, output_times=[10.0], start_values=moving(1, 1.0), outputs=["*"]
    )
    assert result["rocker0.theta"][-1] == pytest.approx(angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -1.0, 10.0), abs=3e-3)
    assert result["mass.v"][-1] == pytest.approx(15.0)


def test_a_step_that_is_repeated_begins_with_the_peaks_of_its_beginning(monkeypatch):
    """Adaptive steps are taken as one and as two: what the first way has seen of pivots does not count in the second."""
    kept, moved = [], []
    save, restore = Interval.save, Interval.restore

    def saving(interval: Interval) -> None:
        save(interval)
        kept[:] = interval.session.kernel.peaks

    def restoring(interval: Interval) -> None:
        reached = interval.session.kernel.peaks
        restore(interval)
        assert list(interval.session.kernel.peaks) == kept
        moved.append(list(reached) != kept)

    monkeypatch.setattr(Interval, "save", saving)
    monkeypatch.setattr(Interval, "restore", restoring)
    options = {"scheme": Scheme(step_control="adaptive"), "stabilisation": "projection", "rtol": 1e-6, "start_values": moving(1, 1.0)}
    assert beside_a_mass().simulate(1.0, communication_step=0.1, **options).outcome.completed
    assert any(moved)


def swinging(stabilisation: str) -> Result:
    """A double pendulum, whose lower rod steps by itself."""
    system = System("double pendulum")
    system.add("ground", "planar.Fixed")
    rod = {"p1.rx": -0.5, "p2.rx": 0.5, "m": 1.0, "I": 1 / 12}
    system.add("upper", "planar.Body2", {**rod, "x": 0.5}, kind="me")
    system.add("lower", "planar.Body2", {**rod, "x": 1.5}, kind="cs")
    for joint, a, b in (("pin", "ground.p1", "upper.p1"), ("hinge", "upper.p2", "lower.p1")):
        system.add(joint, "planar.Revolute")
        system.connect(a, f"{joint}.M")
        system.connect(b, f"{joint}.N")
    return system.simulate(1.0, communication_step=0.02, rtol=1e-4, stabilisation=stabilisation, outputs=["*"], output_interval=0.1)


def test_a_joint_to_a_co_simulation_instance_keeps_its_own_stabilisation():
    """The pin between the ground and a rod that the master integrates is projected; the hinge, whose other rod cannot be moved, is not."""
    result, other = swinging("projection"), swinging("baumgarte")
    assert largest(result, "pin") <= EXACT < 1e-9 < largest(other, "pin")
    assert 1e-9 < largest(result, "hinge") < 1.5 * largest(other, "hinge")
    assert result["lower.theta"] == pytest.approx(other["lower.theta"], abs=1e-6)


def test_without_states_of_its_own_the_master_has_nothing_to_project():
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"p1.rx": -1.0, "x": 1.0}, kind="cs")
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    text = refusal(lambda: system.simulate(1.0, communication_step=0.1, stabilisation="projection"), BuildError)
    assert text.startswith("stabilisation = 'projection' has no effect: no Model Exchange instance with states is integrated between")


# -- constraints that tell nothing --------------------------------------------------------------------------------------------------------


def silent(monkeypatch: pytest.MonkeyPatch, joint: str) -> None:
    """A joint gives neither position nor velocity of its constraints, as FMUs of other tools may."""
    own = Part.dae.fget

    def stripped(part: Part):
        dae = own(part)
        return (
            dae
            and part.name == joint
            and replace(dae, constraints=tuple(replace(c, position=None, velocity=None) for c in dae.constraints))
        ) or dae

    monkeypatch.setattr(Part, "dae", property(stripped))


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_a_joint_that_tells_nothing_keeps_its_own_stabilisation(monkeypatch, solver):
    oracle = DoublePendulum()
    expected = oracle.motion(np.array([1.0]))
    silent(monkeypatch, "pin2")
    result = projected(system_of(oracle), 1.0, solver=solver, rtol=1e-8, output_interval=0.1)
    assert max(np.abs(result[f"pin1.position[{k}]"][-1]) for k in (1, 2)) <= EXACT
    assert 1e-11 < largest(result, "pin2") < 1e-5
    assert [result[f"{name}.theta"][-1] for name in expected] == pytest.approx([expected[name].theta[-1] for name in expected], abs=1e-6)


def test_where_no_constraint_tells_anything_there_is_nothing_to_project(monkeypatch):
    silent(monkeypatch, "pin")
    text = refusal(lambda: projected(pendulum(), 1.0), BuildError)
    assert "'pin.lambda[1]' belongs to a constraint without an output velocity[k], as do all others" in text
