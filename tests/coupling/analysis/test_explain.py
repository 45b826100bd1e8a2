"""One evaluation of a system, against closed forms, gaps that are known, and another formulation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from coupling import AnalysisError, BuildError, Index3, Successive, System
from coupling.analysis import explain
from coupling.kernel.equations.fused import workspace
from coupling.kernel.system.kernel import Kernel
from coupling.kernel.system.status import Status
from tests.coupling.analysis.test_stages import rods
from tests.support import foreign
from tests.support.systems.linkages import slider_crank
from tests.support.systems.rolling import disc, hinge, plank
from tests.support.systems.space import planar_loop
from tests.support.systems.switching import belt, stop
from tests.support.systems.systems import around_a_nonlinear_loop, pendulum, refusal

G = 9.81
WAYS = {"fmus": "by the FMUs", "tape": "by a tape of their equations", "compiled": "by compiled code of their equations"}
TEXT = """\
pendulum at t = 0 s
  rod: x = 0.5 m, y = 0 m, theta = 0 rad, vx = 0 m/s, vy = 0 m/s, omega = 0 rad/s
evaluation: by a tape of their equations; all FMUs are of this library; compiled code runs only if a run asks for it
  multipliers compared with those of the FMUs: they are equal
  handed over: of 1 evaluations the general equations gave the multipliers of 0, and the FMUs made 0
stabilisation: constraints were held by projection
order: index 1: these multipliers follow from the accelerations of the constraints; each step then ends on the positions and velocities

multiplier                     value             right side   residual         position           velocity
pin.lambda[1]                    0 N                 0 m/s2          0              0 m              0 m/s
pin.lambda[2]               2.4525 N              9.81 m/s2          0              0 m              0 m/s

factors, all constraints at once (minimum degree ordering)
multiplier     loop  place      pivot     share  independence   damping
pin.lambda[1]     1      1          1         1             1         -
pin.lambda[2]     1      2          4         1             1         -
conditioning: the least share is 1 (pin.lambda[1]), and 16 digits are left
rank: full"""


def reaction(theta: float) -> tuple[float, float]:
    """The force on the rod of a pendulum of 1 kg and 1 m that has fallen from the horizontal, by Newton's laws."""
    spin, turn = -3 * G * math.sin(theta), -1.5 * G * math.cos(theta)
    c, s = math.cos(theta) / 2, math.sin(theta) / 2
    return -turn * s - spin * c, turn * c - spin * s + G


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("more", [{}, {"multipliers": "successive"}, {"stabilisation": "baumgarte"}])
def test_the_multipliers_of_a_pendulum_are_those_of_its_closed_form(way: str, more: Mapping[str, str]) -> None:
    """The closed form holds by all ways of evaluation, at once and one after the other, with both stabilisations."""
    found = pendulum().explain(0.3, rtol=1e-10, evaluation=way, **more)
    assert found.evaluation == WAYS[way] and found.reason == "as asked"
    assert tuple(found.multipliers.values()) == pytest.approx(reaction(found.states["rod.theta"]), rel=1e-7)
    assert found.disagreement < 1e-13
    for each in found.joints:
        assert abs(each.position or 0) + abs(each.velocity or 0) + abs(each.residual) < 1e-7
        assert (each.unit, each.position_unit, each.velocity_unit, each.residual_unit) == ("N", "m", "m/s", "m/s2")


def test_the_right_sides_are_the_accelerations_of_the_free_bodies() -> None:
    """Without the pin the end of the rod falls, and is drawn to the centre by the spin."""
    found = pendulum().explain(0.3)
    theta, spin = found.states["rod.theta"], found.states["rod.omega"] ** 2
    end = np.array([math.cos(theta), math.sin(theta)]) * spin / 2 - np.array([0, G])
    assert [each.right_side for each in found.joints] == pytest.approx((-end).tolist(), abs=1e-9)


def test_the_multipliers_of_a_slider_crank_are_those_of_its_closed_form() -> None:
    """At rest under its weight: one equation of virtual power for the acceleration, and Newton's laws from the piston back to the ground."""
    linkage, r, length = slider_crank(), 0.3, 1.0
    masses = {"crank": (2.0, 0.05), "rod": (1.5, 0.2), "piston": (0.7, 0.1)}
    start = {
        name: dict(zip(("x", "y", "theta"), pose, strict=True)) | {"m": masses[name][0], "I": masses[name][1], "gy": -G}
        for name, pose in linkage.poses.items()
    }
    found = linkage.system(start).explain().multipliers
    theta, phi = 0.7, linkage.poses["rod"][2]
    slope = -r * math.cos(theta) / (length * math.cos(phi))
    crank = r / 2 * np.array([-math.sin(theta), math.cos(theta)])
    along = length / 2 * np.array([math.cos(phi), math.sin(phi)])
    rod = 2 * crank + slope * np.array([-along[1], along[0]])
    piston = 2 * crank + 2 * slope * np.array([-along[1], along[0]])
    inertia = masses["crank"][1] + masses["rod"][1] * slope**2
    inertia += sum(masses[name][0] * each @ each for name, each in zip(masses, (crank, rod, piston), strict=True))
    turn = -G * sum(masses[name][0] * each[1] for name, each in zip(masses, (crank, rod, piston), strict=True)) / inertia
    # At rest the rod's end C has the acceleration of the piston; of the force there, moments about the end B give the other part.
    weight = np.array([0, G])
    at_c = np.array([masses["piston"][0] * piston[0] * turn, 0.0])
    off = masses["rod"][0] * (rod * turn + weight)
    moment = masses["rod"][1] * slope * turn + along[0] * off[1] - along[1] * off[0]
    at_c[1] = (2 * along[1] * at_c[0] - moment) / (2 * along[0])
    at_b = off + at_c
    at_a = masses["crank"][0] * (crank * turn + weight) + at_b
    for joint, force in {"A": at_a, "B": at_b, "C": at_c}.items():
        assert [found[f"{joint}.lambda[{i}]"] for i in (1, 2)] == pytest.approx(force.tolist(), abs=1e-9), joint


def test_a_gap_is_shown_as_it_is() -> None:
    """A pose need not satisfy the constraints: the rod is 1 cm off, and moves at 0.2 m/s; the multipliers are solved for all the same."""
    found = pendulum().explain({"rod.x": 0.51, "rod.vy": 0.2})
    first, second = found.joints
    assert (first.position, second.position) == pytest.approx((0.01, 0)) and (first.velocity, second.velocity) == pytest.approx((0, 0.2))
    assert abs(first.residual) < 1e-12 and abs(second.residual) < 1e-12
    assert found.multipliers["pin.lambda[2]"] == pytest.approx(G / 4)
    assert found.warnings[0].startswith("the start violates constraints: pin.position[1] = 0.01 m, pin.velocity[2] = 0.2 m/s")
    relaxed = pendulum(x=0.51).explain(initial="relax")
    assert relaxed.joints[0].position == pytest.approx(0.01) and "initial='relax'" in relaxed.stabilisation


def test_the_start_is_that_after_assembly() -> None:
    """The free states follow from the given ones; with ``check`` the start is shown as it is, off by the half length."""
    system = System("turned")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "theta": 0.2})
    hinge(system, "pin", "ground.p1", "rod.p1")
    found, as_given = system.explain(), system.explain(initial="check")
    assert found.states["rod.x"] == pytest.approx(math.cos(0.2) / 2) and not found.warnings
    assert abs(as_given.joints[0].position or 0) == pytest.approx(math.cos(0.2) / 2)
    assert as_given.warnings[0].startswith("the start violates constraints: pin.position[1]")


@pytest.mark.parametrize("options", [*({"evaluation": way} for way in WAYS), {"multipliers": "successive"}], ids=str)
def test_a_planar_loop_in_space_names_what_is_redundant(options: Mapping[str, str]) -> None:
    """Three of twenty constraints, by Gruebler's count. Weights across the plane load them: each right side is the sum of others that is told."""
    across = {"coupler.gz": 3.0, "crank.gz": -1.0}
    found = planar_loop().explain(0.1, start_values=across, **options)
    redundant = [each for each in found.joints if each.redundant]
    assert (len(found.joints), found.deficiency, len(redundant)) == (20, 20 - (3 * 6 - 1), 3)
    assert {each.joint for each in redundant} == {"hinge4"} and max(each.independence for each in redundant) < 1e-7
    assert any(each.startswith("3 constraints are redundant") for each in found.warnings)
    right = {each.multiplier: each.right_side for each in found.joints}
    for each in redundant:
        assert each.right_side == pytest.approx(sum(factor * right[name] for name, factor in each.repeats.items()), abs=1e-9)
    assert max(abs(right[name]) for each in redundant for name in each.repeats) > 1
    assert found.disagreement < 1e-9 and max(abs(each.residual) for each in found.joints) < 1e-9
    by_fmus = planar_loop().explain(0.1, start_values=across, evaluation="fmus")
    assert found.multipliers == pytest.approx(by_fmus.multipliers, abs=1e-6)


def test_what_repeats_others_is_handed_over_and_damped() -> None:
    """The general equations find the multipliers that share a load; the rows of redundant ones do not count for the conditioning."""
    system = planar_loop()
    assert system.explain().handed_over == 1
    found = system.explain(0.1)
    assert [each.damping for each in found.joints] == pytest.approx([1e-9] * len(found.joints))
    weakest = found.weakest
    assert weakest and 1e-4 < weakest.share < 1
    assert sum(abs(each.share) < 1e-4 for each in found.joints) == 3


def test_pivots_are_those_of_the_stages() -> None:
    """Both are the accelerations of constraints by their multipliers, those before being kept: fractions for two rods, by hand."""
    found = rods().explain(multipliers="successive")
    assert [each.pivot for each in found.joints] == pytest.approx([1, 4, 1, 7])
    assert [each.share for each in found.joints] == pytest.approx([1, 1, 1 / 2, 7 / 8])
    assert [each.independence**2 for each in found.joints] == pytest.approx([1, 1, 1 / 2, 7 / 8])
    assert [each.place for each in found.joints] == [1, 2, 3, 4]
    other = rods().explain(multipliers=Successive(order=["pin1"]))
    assert [each.place for each in other.joints] == [3, 4, 1, 2]
    assert np.prod([each.pivot for each in other.joints]) == pytest.approx(28), "the determinant is that of any order"
    assert other.multipliers == pytest.approx(found.multipliers, abs=1e-12)
    assert "one constraint after the other (successive): 'pin1'" in str(other)
    turned = pendulum().explain(0.3)
    assert np.prod([each.pivot for each in turned.joints]) == pytest.approx(1 + 0.5**2 * 12), "by hand: 1/m (1/m + r2/I), at any angle"


def test_redundant_welds_share_the_load_or_leave_it() -> None:
    shared, left = plank().explain(), plank().explain(multipliers=Successive(redundant="first"))
    assert shared.multipliers["right.lambda[2]"] == pytest.approx(G / 2) and left.multipliers["right.lambda[2]"] == 0
    for found in (shared, left):
        assert found.deficiency == 3 and found.joints[4].repeats == pytest.approx({"left.lambda[2]": 1.0, "left.lambda[3]": 2.0})
    assert "right.lambda[2] is redundant: it repeats left.lambda[2] (1), left.lambda[3] (2)" in str(left)


def test_among_very_many_constraints_none_is_said_to_repeat_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """All else is as ever: multipliers, right sides, and by how much the rank falls short."""
    known = plank().explain()
    monkeypatch.setattr(explain, "_MOST", 5)
    found = plank().explain()
    assert found.unrelated == "which constraints repeat others is not sought among more than 5" and found.unrelated in str(found)
    assert not any(each.redundant for each in found.joints) and found.deficiency == 3
    assert [each.right_side for each in found.joints] == pytest.approx([each.right_side for each in known.joints])
    assert found.multipliers == pytest.approx(known.multipliers)


def test_modes_of_a_friction_are_named() -> None:
    """The block sticks with the force of its spring, 1 N after 0.1 s, and slips back later with its kinetic friction, 3 N."""
    system = belt()
    (sticks,), (slips,) = system.explain(0.1).joints, system.explain(0.5).joints
    assert (sticks.mode, slips.mode) == ("sticks", "slips back")
    assert (sticks.value, slips.value) == pytest.approx((1.0, 3.0), rel=1e-6)
    assert abs(sticks.velocity or 0) < 1e-9 and (slips.velocity or 0) < -0.1


def test_a_contact_that_is_open_is_off() -> None:
    low, high = stop().explain().joints
    assert (low.mode, low.in_force, low.value) == (high.mode, high.in_force, high.value) == ("open", False, 0)
    assert (low.position, high.position) == pytest.approx((1.0, 8.0)) and math.isnan(low.pivot)
    assert "open, off" in str(stop().explain())


def test_inputs_of_algebraic_loops_are_counted() -> None:
    found = around_a_nonlinear_loop(derivatives=True).explain(0.1)
    assert found.joints == () and found.order == "index 1: there are no multipliers; 1 input of algebraic loops is solved for"


def test_a_joint_that_is_not_yet_there_is_off() -> None:
    """The disc falls freely until the plane comes into force; then the plane carries its weight, by hand."""
    system = disc()
    system.enforce("plane", [(0.2, 1.4)])
    system.enforce("grip", [(0.5, 1.0)])
    assert [each.in_force for each in system.explain().joints] == [False, False]
    plane, grip = system.explain(0.3).joints
    assert (plane.in_force, grip.in_force) == (True, False) and (plane.value, grip.value) == pytest.approx((16.9914184223, 0))
    assert plane.pivot == pytest.approx(1 / 2) and math.isnan(grip.pivot)


def test_the_order_and_the_stabilisation_are_those_of_the_run() -> None:
    system = pendulum()
    index3 = system.explain(0.1, solver=Index3(step_size=1e-3))
    assert index3.order.startswith("index 3: each step of the solver ends on the positions and velocities")
    assert index3.stabilisation == "constraints were held by solver = 'index3' at the end of each step"
    stiff = system.explain(0.1, solver="cvode")
    assert "to which Baumgarte's terms in positions and velocities are added" in stiff.order
    for solver in ("dopri5", "cvode", Index3(step_size=1e-3)):
        end = system.simulate(0.1, solver=solver).final(["rod.theta"])["rod.theta"]
        assert system.explain(0.1, solver=solver).states["rod.theta"] == pytest.approx(end, abs=1e-14)


def test_a_result_is_explained_at_its_end_with_its_drives() -> None:
    """A wrench that only the run had pushes the rod still."""
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    for name in ("Fx", "Fy", "Cz"):
        system.drive(f"push.{name}", 0.0)
    result = system.simulate(0.2, drives={"push.Fx": lambda t: 10 * t})
    found = system.explain(result)
    assert found.time == 0.2 and found.states["rod.theta"] == pytest.approx(result.final(["rod.theta"])["rod.theta"])
    assert found.multipliers["pin.lambda[1]"] == pytest.approx(result.final(["pin.lambda[1]"])["pin.lambda[1]"])
    assert found.multipliers["pin.lambda[1]"] - system.explain(found.states).multipliers["pin.lambda[1]"] == pytest.approx(-2)


def test_explaining_leaves_the_next_run_as_it_was() -> None:
    before, system = pendulum().simulate(0.3), pendulum()
    system.explain(0.2)
    system.explain({"rod.x": 0.7})
    after = system.simulate(0.3)
    assert np.array_equal(before["rod.theta"], after["rod.theta"])


def test_the_reason_for_calling_fmus_names_those_of_others() -> None:
    system = System("with another")
    system.add("oscillator", foreign.oscillator())
    found = system.explain()
    assert (found.evaluation, found.joints, found.stabilisation) == ("by the FMUs", (), "")
    assert found.reason == "a tape runs only if a run asks for it, since 'oscillator' is not of this library"
    assert found.order == "index 0: there are no multipliers; derivatives follow from the states"
    assert "stabilisation: there are no constraints" in str(found)


def test_a_tape_that_is_wrong_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters that are others to the tape: the multipliers of the run are shown beside those of the FMUs, and the run would go on with these."""
    derivatives = Kernel.derivatives

    def tampered(kernel: Kernel, t: float, x: np.ndarray, dx: np.ndarray) -> Status:
        workspace(kernel)[:] *= 1.01
        return derivatives(kernel, t, x, dx)

    monkeypatch.setattr(Kernel, "derivatives", tampered)
    found = pendulum().explain(0.3, rtol=1e-10, evaluation="tape")
    assert [each.fmu_value for each in found.joints] == pytest.approx(reaction(found.states["rod.theta"]), rel=1e-7)
    assert abs(found.joints[1].value / found.joints[1].fmu_value - 1) > 1e-3
    assert found.disagreement > 1e-3 and "of the greatest (DOUBTFUL)" in str(found)
    assert any(each.startswith("fast evaluation (by a tape of their equations) was switched off at t = 0.3 s") for each in found.warnings)


def test_the_text_shows_all_of_it() -> None:
    assert str(pendulum().explain()) == TEXT


def test_what_cannot_be_explained_is_refused() -> None:
    system = pendulum()
    expected = "give a time in seconds, a pose or a result"
    assert refusal(lambda: system.explain(True), BuildError) == f"explain: at = True is refused: {expected}"
    assert refusal(lambda: system.explain("start"), BuildError) == f"explain: at = 'start' is refused: {expected}"
    assert refusal(lambda: system.explain(math.nan), BuildError) == f"explain: at = nan is refused: {expected}"
    assert (
        refusal(lambda: system.explain(-1.0), BuildError)
        == "explain: at = -1 s lies before start_time = 0 s; give a later time, or an earlier start_time"
    )
    assert refusal(lambda: system.explain(rtoll=1e-6), BuildError) == "explain has no option 'rtoll'; did you mean 'rtol' or 'atol'?"
    assert (
        refusal(lambda: system.explain(stop_time=1.0), BuildError)
        == "explain: stop_time is refused: at is the end, and nothing is recorded; leave it out"
    )
    assert (
        refusal(lambda: system.explain(communication_step=0.1), BuildError)
        == "explain: communication_step is refused: co-simulations have no one evaluation to explain; leave it out"
    )
    assert (
        refusal(lambda: system.explain({"rod.x": 0.5}, initial="relax"), BuildError)
        == "explain: at is a pose, and so is initial; leave one of the two out"
    )
    assert refusal(lambda: system.explain(0.5, max_steps=2), AnalysisError).startswith(
        "explain: t = 0.5 s cannot be reached: stopped at t = "
    )
