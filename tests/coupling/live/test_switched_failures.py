"""Failures of the rigid-body model: the sentence names the joints, their values and a remedy."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from coupling import BuildError, Contacts, Result, System
from coupling.errors import StartError
from coupling.live.switched_failures import unsettled_modes
from fmu_components.export.build import cached_fmu
from tests.coupling.live.test_switched_components import block_on_incline, rod_on_its_heel, system
from tests.coupling.live.test_switching import ball, stop
from tests.support.switched.commanded import Dog, Latch


def test_sliding_that_no_forces_satisfy_names_the_friction_that_some_would() -> None:
    """At tan(angle) = 2 Snn - mu |Snt| is 1.6 - 1.2 mu: positive below 4/3."""
    with pytest.raises(StartError) as refused:
        rod_on_its_heel(0.0, -1.0).simulate(0.01)
    assert str(refused.value) == (
        "the start fails when choosing the modes of joints: no forces satisfy the contact of 'heel' (Painlevé: sliding with mu = 2 pushes it into the "
        "ground without end); use mu below 1.33 there, contacts=Contacts(painleve='impulse'), or planar.CompliantContact"
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            ball,
            "the modes of 'wall' do not settle: rounding decides which joint holds; add 'wall' with kind='cs', which makes it compliant, and give simulate a communication_step",
        ),
        (
            lambda: block_on_incline("points", 0.2, 0.5)[0],
            "the modes of 'left', 'right' do not settle: their friction depends on reactions too strongly; add 'left', 'right' with kind='cs', which makes them compliant, and give simulate a communication_step",
        ),
    ],
    ids=["stop", "friction"],
)
def test_modes_that_do_not_settle_are_said_to_by_friction_only_where_there_is_some(make, said) -> None:
    assert unsettled_modes(SimpleNamespace(built=make().build(communication=False)), "") == said


def test_two_solutions_are_warned_of_once() -> None:
    (warning,) = rod_on_its_heel(4.0, -1.0).simulate(0.01).outcome.warnings
    assert warning == (
        "'heel' has two solutions at t = 0 s, sliding and lifting off (Painlevé: its friction of 2 is too great for its slope); it lifts off"
    )


def test_impacts_without_end_end_in_rounding_and_a_warning_names_their_joint() -> None:
    """Without a rest velocity a ball with e = 0.8 hits infinitely often before 4.0637 s; it rests where no bounce can be told from rounding."""
    result = ball().simulate(5.0, contacts=Contacts(rest_velocity=0.0))
    assert result.outcome.completed
    struck = [each.time for each in result.changes if each.what == "hit"]
    assert len(struck) > 69 and struck[-1] == pytest.approx(4.063712768872, abs=1e-5)
    assert np.abs(result["ball.s"][result.time > 4.064]).max() < 1e-12
    (warning,) = result.outcome.warnings
    assert warning.startswith(f"'wall' was hit {len(struck)} times")


def test_a_load_that_cannot_be_shared_out_is_told_of() -> None:
    parts: dict[str, tuple[str, dict[str, float]]] = {
        "ground": ("planar.Fixed", {}),
        "pin": ("planar.RevoluteFriction", {"mu": 0.2, "radius": 0.05}),
        "hinge": ("planar.RevoluteFriction", {"mu": 0.2, "radius": 0.05}),
        "rod": ("planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": -0.5, "x": 0.5}),
    }
    hinged = system("hinges", parts, "ground.p1-pin.M", "pin.N-rod.p1", "ground.p1-hinge.M", "hinge.N-rod.p2")
    (warning,) = hinged.simulate(0.1).outcome.warnings
    assert warning == (
        "2 constraints are redundant at t = 0 s, among those of 'pin', 'hinge'; 'pin', 'hinge' carry one load that rigid bodies cannot share out, and "
        "their friction depends on the shares: the smallest reactions are taken; if the friction matters, add 'pin', 'hinge' with kind='cs', which makes them compliant, and "
        "give simulate a communication_step"
    )


def test_a_foot_that_carries_its_limit_is_told_of() -> None:
    (warning,) = block_on_incline("points", 0.3, 0.5)[0].simulate(0.1).outcome.warnings
    assert warning == (
        "'left' and others carry one load that rigid bodies cannot share out: with the smallest reactions it reaches its limit from t = 0 s on. The motion does not depend on the "
        "shares, but the joint that yields first does"
    )


def dog() -> Result:
    parts: dict[str, tuple[str, dict[str, float]]] = {
        "a": ("mechanical1d.Inertia", {"I": 2.0, "w": 100.0}),
        "b": ("mechanical1d.Inertia", {"I": 3.0}),
    }
    shafts = system("dog", parts)
    shafts.add("dog", cached_fmu(Dog, 3))
    shafts.connect("a.flange", "dog.M")
    shafts.connect("dog.N", "b.flange")
    shafts.drive("dog.locked", [(0, 0), (1, 0), (1, 1), (2, 1)])
    return shafts.simulate(2.0)


def test_a_dog_clutch_tells_of_the_energy_that_it_took() -> None:
    """2 kg.m2 at 100 rad/s with 3 at rest: 40 rad/s, and 6000 J less."""
    result = dog()
    assert result["a.w"][-1] == pytest.approx(40, abs=1e-9) and result["b.w"][-1] == pytest.approx(40, abs=1e-9)
    assert result.outcome.warnings == [
        "an impact on 'dog' at t = 1 s took 6000 J: it locked with 100 rad/s between its sides; if you expected none, let the speeds agree"
    ]


def test_a_latch_that_does_not_fit_is_refused() -> None:
    parts: dict[str, tuple[str, dict[str, float]]] = {"a": ("mechanical1d.Mass", {"v": 1.0}), "b": ("mechanical1d.Mass", {"s": 0.5})}
    masses = system("latch", parts)
    masses.add("latch", cached_fmu(Latch, 3))
    masses.connect("a.flange", "latch.M")
    masses.connect("latch.N", "b.flange")
    masses.drive("latch.locked", [(0, 0), (1, 0), (1, 1), (2, 1)])
    result = masses.simulate(2.0)
    assert result.outcome.sentence == (
        "stopped at t = 1 s: 'latch' cannot hold from now on, position[1] is more than 1e-06 off; let it hold where it fits. "
        "The result holds everything up to there"
    )


def test_what_runs_in_co_simulation_cannot_be_hit() -> None:
    """All but the joint run so, unless a kind is given."""
    stepped = stop()
    with pytest.raises(BuildError) as refused:
        stepped.simulate(1.0, communication_step=0.01)
    assert str(refused.value) == (
        "'stop' cannot hit or hold 'mass', which runs in Co-Simulation, where no velocity can be reset; leave communication_step out and add 'mass' with "
        "kind='me', or add 'stop' with kind='cs', which makes it compliant"
    )


def test_feet_on_one_line_have_shares_that_rigid_bodies_cannot_tell() -> None:
    """Three carry a plank as two or one of them can, whatever their order; two feet have shares of their own."""
    for feet, named in (((-0.5, 0.25, 0.5), "foot2"), ((0.25, -0.5, 0.5), "foot1"), ((-0.5, 0.5), "")):
        system = System("plank")
        system.add("ground", "planar.Fixed")
        system.add("plank", f"planar.Body{len(feet)}", {f"p{i}.rx": at for i, at in enumerate(feet, 1)})
        for i in range(1, len(feet) + 1):
            system.add(f"foot{i}", "planar.PointContact", {"mu": 0.0})
            system.connect("ground.p1", f"foot{i}.M")
            system.connect(f"foot{i}.N", f"plank.p{i}")
        result = system.simulate(0.1)
        assert sum(result[f"foot{i}.multiplier[1]"][-1] for i in range(1, len(feet) + 1)) == pytest.approx(9.81, rel=1e-12)
        assert abs(result["plank.y"]).max() < 1e-12 and abs(result["plank.theta"]).max() < 1e-12
        assert result.outcome.warnings == [
            f"'{named}' and others carry one load that rigid bodies cannot share out from t = 0 s on. As few of them as possible carry it, and the others touch without a "
            "force. The motion depends on the shares only if their friction differs; if shares matter, add 'foot1', 'foot2', 'foot3' with kind='cs', which makes "
            "them compliant, and give simulate a communication_step"
        ] * (len(feet) == 3)
