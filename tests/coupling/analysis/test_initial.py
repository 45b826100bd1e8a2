"""Starts that violate constraints: refused, put right, or left to the stabilisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from coupling import InitialStateError, Result, StartError, System
from tests.support import foreign
from tests.support.oracles.motion import STATES, Oracle
from tests.support.oracles.planar import DoublePendulum, FourBar, Pendulum, Rod, SliderCrank
from tests.support.systems.systems import pendulum, refusal, system_of

REMEDY = (
    "(at most 1e-06 is allowed); correct the start values, use initial='assemble' to have the states moved that you did not set, "
    "or initial='relax' to leave it to the stabilisation"
)


def assembled(oracle: Oracle, **held: dict[str, float]) -> Result:
    """Of the states, only those held are given."""
    return system_of(oracle, held).simulate(0.0, initial="assemble")


def distance(result: Result, oracle: Oracle) -> float:
    """Of a start from the oracle's."""
    return max(abs(result[f"{body}.{name}"][0] - start[name]) for body, start in oracle.start.items() for name in STATES)


# -- check -------------------------------------------------------------------------------------------------------------


def test_a_start_that_violates_constraints_is_refused() -> None:
    """Each violated joint is named, with its value and unit, first the positions and then the velocities."""
    assert refusal(lambda: pendulum(x=0.7, vy=2.0).simulate(1.0), InitialStateError) == (
        f"the start violates constraints: pin.position[1] = 0.2 m, pin.velocity[2] = 2 m/s {REMEDY}"
    )


def test_many_violations_are_counted() -> None:
    """Twelve are named."""
    system = System()
    system.add("ground", "planar.Fixed")
    for k in range(15):
        system.add(f"pin{k}", "planar.Revolute")
        system.add(f"rod{k}", "planar.Body1", {"x": 0.1})
        system.connect("ground.p1", f"pin{k}.M")
        system.connect(f"rod{k}.p1", f"pin{k}.N")
    text = refusal(lambda: system.simulate(1.0), InitialStateError)
    assert "pin11.position[1] = 0.1 m and 3 more (at most" in text and "pin12" not in text


def test_violations_within_the_tolerance_are_none() -> None:
    """A start written with seven digits is as good as an exact one."""
    assert pendulum(x=0.5 + 9e-7).simulate(0.1).outcome.completed


def test_a_start_that_cannot_even_be_solved_is_refused_for_its_violations() -> None:
    """All rods of a four-bar linkage at the origin: the equations contradict each other, but what is wrong are the positions."""
    text = refusal(lambda: system_of(FourBar(), {"crank": {"omega": 2.0}}).simulate(1.0), InitialStateError)
    assert text.startswith("the start violates constraints: pin1.position[1] = -0.2 m, pin2.position[1] = -0.75 m, ")


# -- relax -------------------------------------------------------------------------------------------------------------


def test_the_stabilisation_draws_a_start_together() -> None:
    """With alpha = beta = 5, f'' + 10 f' + 25 f = 0: from rest f = f0 (1 + 5 t) exp(-5 t)."""
    result = pendulum(x=0.7).simulate(1.0, initial="relax", rtol=1e-10)
    t = result.time
    assert np.allclose(result["pin.position[1]"], 0.2 * (1 + 5 * t) * np.exp(-5 * t), atol=1e-8)


# -- assemble: closed forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [-3.0, -1.2, 0.0, 0.7, 2.0, 3.1])
def test_a_pendulum_from_its_angle(angle: float) -> None:
    """Position and velocity of the mass centre follow from angle and angular velocity."""
    oracle = Pendulum(angle=angle, speed=2.0)
    assert distance(assembled(oracle, rod={"theta": angle, "omega": 2.0}), oracle) < 1e-12


@pytest.mark.parametrize("angle", [-2.0, 0.0, 0.3, 1.0, 3.0])
def test_a_slider_crank_from_the_angle_of_its_crank(angle: float) -> None:
    """Everything else follows by closed forms; the slider is ahead of the crank."""
    oracle = SliderCrank(angle=angle, speed=2.0, offset=0.1)
    result = assembled(oracle, crank={"theta": angle, "omega": 2.0})
    assert distance(result, oracle) < 1e-12
    assert (result["crank.theta"][0], result["crank.omega"][0]) == (angle, 2.0)


@pytest.mark.parametrize("angle", [-3.0, -1.0, 0.0, 0.002, 0.3, 1.5, 2.4, np.pi])
def test_a_four_bar_linkage_from_the_angle_of_its_crank(angle: float) -> None:
    """It closes in one of its two ways, all its angles being within half a turn of those given."""
    result = assembled(FourBar(), crank={"theta": angle, "omega": 2.0})
    found = [distance(result, FourBar(angle=angle, speed=2.0, left=left)) for left in (True, False)]
    assert min(found) < 1e-11
    assert max(abs(result[f"{body}.theta"][0]) for body in ("coupler", "rocker")) <= np.pi


def test_four_bar_linkages_of_all_shapes() -> None:
    """Wherever the lengths can close the loop, they do."""
    random = np.random.default_rng(5)
    for _ in range(12):
        lengths, angle = random.uniform([0.2, 0.8, 0.8], [0.6, 1.2, 1.2]), random.uniform(-np.pi, np.pi)
        diagonal = abs(1 - lengths[0] * np.exp(1j * angle))
        if abs(lengths[1] - lengths[2]) + 0.02 < diagonal < lengths[1] + lengths[2] - 0.02:
            linkage = {name: Rod(length) for name, length in zip(("crank", "coupler", "rocker"), lengths, strict=True)}
            result = assembled(FourBar(**linkage), crank={"theta": angle})
            assert min(distance(result, FourBar(**linkage, angle=angle, left=left)) for left in (True, False)) < 1e-10


def test_a_start_that_is_right_stays_as_it_is() -> None:
    """To the last bit."""
    oracle = DoublePendulum(angles=(0.3, -0.4), speeds=(1.0, 2.0))
    exact, moved = (system_of(oracle).simulate(0.0, initial=how) for how in ("check", "assemble"))
    assert all((exact[name] == moved[name]).all() for name in exact.names)


def test_it_runs_from_there() -> None:
    """A pendulum assembled from its angle swings like any other."""
    oracle = Pendulum(angle=-0.5, speed=1.0)
    result = system_of(oracle, {"rod": {"theta": -0.5, "omega": 1.0}}).simulate(1.0, initial="assemble")
    assert np.allclose(result["rod.theta"], oracle.motion(result.time)["rod"].theta, atol=1e-6)


# -- assemble: the mass weighting --------------------------------------------------------------------------------------


def test_two_masses_meet_at_their_common_centre() -> None:
    """Bodies of 1 kg and 3 kg whose pins are 1 m and 2 m apart: the heavier one moves a third as far."""
    system = System()
    # What is set is held, so that the distance is in the geometry; the bodies are too slow to turn.
    system.add("light", "planar.Body1", {"m": 1.0, "I": 1e12, "p1.rx": 1.0, "p1.ry": -2.0})
    system.add("heavy", "planar.Body1", {"m": 3.0, "I": 1e12})
    system.add("pin", "planar.Revolute")
    system.connect("light.p1", "pin.M")
    system.connect("heavy.p1", "pin.N")
    result = system.simulate(0.0, initial="assemble")
    found = [result[f"{body}.{axis}"][0] for body in ("light", "heavy") for axis in "xy"]
    assert found == pytest.approx([-0.75, 1.5, 0.25, -0.5], abs=1e-9)


def nearest_start(oracle: DoublePendulum, given: np.ndarray, held: list[int]) -> np.ndarray:
    """Positions of both rods that meet their pins, with the least sum of mass times squared distance from those given: by SciPy."""
    first, second = oracle.rods
    masses = np.array([first.m, first.m, first.J, second.m, second.m, second.J])
    free = [i for i in range(6) if i not in held]

    def pins(q: np.ndarray) -> np.ndarray:
        x1, y1, t1, x2, y2, t2 = q
        c1, e1, c2 = first.c, first.length - first.c, second.c
        return np.array(
            [
                x1 - c1 * np.cos(t1),
                y1 - c1 * np.sin(t1),
                x1 + e1 * np.cos(t1) - x2 + c2 * np.cos(t2),
                y1 + e1 * np.sin(t1) - y2 + c2 * np.sin(t2),
            ]
        )

    def whole(part: np.ndarray) -> np.ndarray:
        q = given.copy()
        q[free] = part
        return q

    solution = minimize(
        lambda part: masses[free] @ (part - given[free]) ** 2,
        given[free],
        jac=lambda part: 2 * masses[free] * (part - given[free]),
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda part: pins(whole(part))},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert np.abs(pins(whole(solution.x))).max() < 1e-9
    return whole(solution.x)


@pytest.mark.parametrize("held", [[], [2], [5], [3, 5]])
def test_positions_move_as_little_as_the_masses_allow(held: list[int]) -> None:
    """Against an independent minimum of the mass-weighted distance; what is held does not move at all."""
    oracle = DoublePendulum(rods=(Rod(0.2, m=1.0, inertia=0.02, centre=0.08), Rod(0.25, m=5.0, inertia=0.1, centre=0.1)))
    given = np.where(np.isin(range(6), held), [0.0, 0.0, 0.3, 0.22, 0.0, -0.4], 0.0)
    names = [f"{body}.{name}" for body in ("rod1", "rod2") for name in ("x", "y", "theta")]
    start: dict[str, dict[str, float]] = {"rod1": {}, "rod2": {}}
    for i in held:
        body, _, name = names[i].partition(".")
        start[body][name] = given[i]
    result = assembled(oracle, **start)
    found = np.array([result[name][0] for name in names])
    assert np.allclose(found, nearest_start(oracle, given, held), atol=2e-7)
    assert (found[held] == given[held]).all()


@pytest.mark.parametrize("held", [[], [2], [2, 5], [3]])
def test_velocities_change_as_little_as_the_masses_allow(held: list[int]) -> None:
    """A least-squares problem with linear constraints, solved by NumPy: the rods turn at the speeds given, and their ends stay together."""
    oracle = DoublePendulum(rods=(Rod(0.4, m=1.0), Rod(0.6, m=5.0, centre=0.2)), angles=(0.3, -0.5))
    (first, second), (a, b) = oracle.rods, oracle.angles
    masses = np.array([first.m, first.m, first.J, second.m, second.m, second.J])
    given = np.zeros(6)
    given[held] = 1.5
    e1 = first.length - first.c
    G = np.array(
        [
            [1, 0, first.c * np.sin(a), 0, 0, 0],
            [0, 1, -first.c * np.cos(a), 0, 0, 0],
            [1, 0, -e1 * np.sin(a), -1, 0, -second.c * np.sin(b)],
            [0, 1, e1 * np.cos(a), 0, -1, second.c * np.cos(b)],
        ]
    )
    free = [i for i in range(6) if i not in held]
    weighted = G[:, free] / np.sqrt(masses[free])
    expected = given.copy()
    expected[free] += np.linalg.lstsq(weighted, -G @ given, rcond=None)[0] / np.sqrt(masses[free])
    names = [f"{body}.{name}" for body in ("rod1", "rod2") for name in ("vx", "vy", "omega")]
    start = {body: {name: values[name] for name in ("x", "y", "theta")} for body, values in oracle.start.items()}
    for i in held:
        body, _, name = names[i].partition(".")
        start[body][name] = given[i]
    result = assembled(oracle, **start)
    assert np.allclose([result[name][0] for name in names], expected, atol=1e-12)


def test_a_constraint_on_velocities_alone_turns_the_velocity() -> None:
    """A knife edge along x: of a speed of 3 and 4 m/s what goes across it is taken away, and the position stays."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("edge", "planar.KnifeEdge")
    system.add("blade", "planar.Body1", {"gy": 0.0, "x": 2.0, "y": 1.0, "theta": 0.3, "omega": 0.0, "vx": 3.0})
    system.connect("ground.p1", "edge.M")
    system.connect("blade.p1", "edge.N")
    result = system.simulate(0.0, initial="assemble")
    assert result["blade.vy"][0] == pytest.approx(3 * np.tan(0.3), abs=1e-12)
    assert [result[f"blade.{name}"][0] for name in ("x", "y", "theta", "vx")] == [2.0, 1.0, 0.3, 3.0]


def test_other_parts_of_the_system_are_left_alone() -> None:
    """An oscillator beside the mechanism keeps its start, and a nonlinear loop does not keep it from being assembled."""
    given = pendulum(theta=0.4).definition
    without_x = tuple(replace(each, start=tuple(pair for pair in each.start if pair[0] != "x")) for each in given.instances)
    system = System.of(replace(given, instances=without_x))
    for name, path in zip(("linear", "sphere"), foreign.nonlinear_loop(), strict=True):
        system.add(name, path)
    for a, b in (("linear.a", "sphere.a"), ("linear.b", "sphere.b"), ("sphere.c", "linear.c")):
        system.connect(a, b)
    system.add("osc", foreign.oscillator(), {"v": 0.25})
    result = system.simulate(0.0, initial="assemble")
    assert (result["osc.x"][0], result["osc.v"][0]) == (1.0, 0.25)
    assert (result["rod.x"][0], result["rod.y"][0]) == pytest.approx((0.5 * np.cos(0.4), 0.5 * np.sin(0.4)), abs=1e-12)


def test_a_system_without_constraints_needs_no_assembling() -> None:
    """Nothing moves, and nothing is wrong with asking."""
    system = System()
    system.add("body", "planar.Body1", {"vx": 2.0})
    assert system.simulate(1.0, initial="assemble")["body.x"][-1] == pytest.approx(2.0)


# -- assemble: refusals ------------------------------------------------------------------------------------------------

OR = "leave out those that may move, or give start values nearer to an assembled state"


def test_what_is_held_can_prevent_it() -> None:
    """The joints that cannot be closed are named, and the states that are held; those that can be closed are not."""
    system = system_of(DoublePendulum(), {"rod1": {"x": 0.3, "y": 0.0}})
    assert refusal(lambda: system.simulate(0.0, initial="assemble"), InitialStateError) == (
        "the start cannot be assembled at position level: pin1.position[1] = -0.2 m remains; "
        f"the states that you set are held (rod1.x, rod1.y): {OR}"
    )


def test_velocities_that_are_held_can_prevent_it() -> None:
    """The rod's centre cannot move away from its pin."""
    system = pendulum(vx=1.0)
    assert refusal(lambda: system.simulate(0.0, initial="assemble"), InitialStateError) == (
        f"the start cannot be assembled at velocity level: pin.velocity[1] = 1 m/s remains; the states that you set are held (rod.x, rod.vx): {OR}"
    )


@pytest.mark.filterwarnings("ignore:invalid value encountered in arccos")
def test_a_mechanism_that_cannot_close() -> None:
    """A crank of 0.4 m, a coupler of 0.3 m and a rocker of 0.2 m do not span a metre; the joints share what is missing."""
    text = refusal(lambda: assembled(FourBar(coupler=Rod(0.3), rocker=Rod(0.2)), crank={"theta": 0.5}), InitialStateError)
    assert text.startswith("the start cannot be assembled at position level: pin") and " m remain; " in text
    assert text.endswith(f"the states that you set are held (crank.theta): {OR}")


def test_an_fmu_that_refuses_to_start_from_there() -> None:
    """A rod between two points that coincide has no direction: its own words, and what to do."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("link", "planar.ConnectingRod")
    system.add("body", "planar.Body1")
    system.connect("ground.p1", "link.M")
    system.connect("body.p1", "link.N")
    assert refusal(lambda: system.simulate(0.0, initial="assemble"), StartError) == (
        "'link' (planar.ConnectingRod) returned 'error' when leaving Initialization Mode: link: it is required that M lies apart from N, "
        "since the rod has no direction where they coincide; what must be positive is 0, from M.x = 0 m, M.y = 0 m, N.x = 0 m, N.y = 0 m; "
        "the start cannot be assembled from there: give start values nearer to an assembled state"
    )
