"""Starts that violate constraints: refused, put right, or left to the stabilisation."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import InitialStateError, Result, Scheme, System
from fmu_components.catalogue import find
from fmu_components.declare.component import TIME
from fmu_components.export.build import cached_fmu
from tests.support import foreign
from tests.support.oracles.motion import STATES, Oracle
from tests.support.oracles.planar import DoublePendulum, FourBar, Pendulum, Rod, SliderCrank
from tests.support.systems.systems import pendulum, refusal, system_of

REMEDY = (
    "(at most 1e-06 is allowed); correct the start values, use initial='assemble' to have the states moved that you did not set, "
    "or initial='relax' to leave it to the stabilisation"
)


def assembled(oracle: Oracle, **held: dict[str, float]) -> Result:
    """Assembles the system with only the held states given."""
    return system_of(oracle, held).simulate(0.0, initial="assemble")


def distance(result: Result, oracle: Oracle) -> float:
    """Returns the distance of a start from the oracle's."""
    return max(abs(result[f"{body}.{name}"][0] - start[name]) for body, start in oracle.start.items() for name in STATES)


# -- check -------------------------------------------------------------------------------------------------------------


def test_a_start_that_violates_constraints_is_refused() -> None:
    """Each violated joint is named, with its value and unit, first the positions and then the velocities."""
    assert refusal(lambda: pendulum(x=0.7, vy=2.0).simulate(1.0), InitialStateError) == (
        f"the start violates constraints: pin.position[1] = 0.2 m, pin.velocity[2] = 2 m/s {REMEDY}"
    )


def test_an_angle_that_looks_like_degrees_is_named() -> None:
    """The error and the notes of a run name it; an angle in radians and other whole numbers are not named."""
    hint = "'rod.theta' = 90: angles are in radians, and 90 degrees are math.radians(90)"
    assert f"is allowed); {hint}; correct the start values" in refusal(lambda: pendulum(theta=90).simulate(1.0), InitialStateError)
    assert "radians" not in refusal(lambda: pendulum(theta=1.5, m=90).simulate(1.0), InitialStateError)
    shaft = System()
    shaft.add("shaft", "mechanical1d.Inertia", {"phi": -45})
    assert shaft.simulate(0.1).outcome.notes == [hint.replace("rod.theta", "shaft.phi").replace("90", "-45")]
    assert shaft.simulate(0.1, start_values={"shaft.phi": 0.5}).outcome.notes[0].startswith("'shaft.phi' = -45")
    other = System()
    other.add("shaft", "mechanical1d.Inertia")
    assert other.simulate(0.1, start_values={"shaft.phi": 180.0, "shaft.w": 90.0}).outcome.notes == [
        hint.replace("rod.theta", "shaft.phi").replace("90", "180")
    ]


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
    """The drift satisfies f'' + 10 f' + 25 f = 0 with alpha = beta = 5. Its solution from rest is f = f0 (1 + 5 t) exp(-5 t)."""
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
    """It stays bit-identical."""
    oracle = DoublePendulum(angles=(0.3, -0.4), speeds=(1.0, 2.0))
    exact, moved = (system_of(oracle).simulate(0.0, initial=how) for how in ("check", "assemble"))
    assert all((exact[name] == moved[name]).all() for name in exact.names)


def test_it_runs_from_there() -> None:
    """A pendulum assembled from its angle swings like any other."""
    oracle = Pendulum(angle=-0.5, speed=1.0)
    result = system_of(oracle, {"rod": {"theta": -0.5, "omega": 1.0}}).simulate(1.0, initial="assemble")
    assert np.allclose(result["rod.theta"], oracle.motion(result.time)["rod"].theta, atol=1e-6)


# -- assemble: the mass weighting --------------------------------------------------------------------------------------


def test_masses_do_not_decide_where_bodies_go() -> None:
    """The first of two free bodies stays, and the other is placed at it; a ton more or less moves neither."""
    found = []
    for m in (1.0, 1000.0):
        system = System()
        # What is set is held, so that the distance is in the geometry.
        system.add("light", "planar.Body1", {"p1.rx": 1.0, "p1.ry": -2.0})
        system.add("heavy", "planar.Body1", {"m": m})
        system.add("pin", "planar.Revolute")
        system.connect("light.p1", "pin.M")
        system.connect("heavy.p1", "pin.N")
        result = system.simulate(0.0, initial="assemble")
        found.append([result[f"{body}.{axis}"][0] for body in ("light", "heavy") for axis in "xy"])
    assert found[0] == pytest.approx([0.0, 0.0, 1.0, -2.0], abs=1e-12)
    assert found[0] == found[1]


@pytest.mark.parametrize(("held", "angles"), [([], (0.0, 0.0)), ([2], (0.3, 0.3)), ([5], (0.0, -0.4)), ([2, 5], (0.3, -0.4))])
def test_joints_of_which_nothing_is_said_are_straight(held: list[int], angles: tuple[float, float]) -> None:
    """A rod goes on in the direction of the one before; what is held does not move at all."""
    rods = (Rod(0.2, m=1.0, inertia=0.02, centre=0.08), Rod(0.25, m=5.0, inertia=0.1, centre=0.1))
    start: dict[str, dict[str, float]] = {"rod1": {"theta": 0.3} if 2 in held else {}, "rod2": {"theta": -0.4} if 5 in held else {}}
    result = assembled(DoublePendulum(rods=rods), **start)
    assert [result[f"{rod}.theta"][0] for rod in ("rod1", "rod2")] == pytest.approx(angles, abs=1e-6)
    assert distance(result, DoublePendulum(rods=rods, angles=tuple(result[f"{rod}.theta"][0] for rod in ("rod1", "rod2")))) < 1e-12


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


def test_what_counts_the_work_of_a_force_is_left_alone() -> None:
    """The rate of an integrator depends on the torque of a motor, but an impulse is not to move it."""
    system = pendulum()
    system.add("counter", "signal.Integrator", {"x": 0.25})
    system.add("motor", "planar.RelativeAngle")
    system.add("count", "signal.Integrator")
    system.connect("ground.p1", "motor.M")
    system.connect("rod.p1", "motor.N")
    system.connect("motor.power", "count.u")
    system.drive("motor.angle", 2.0 * TIME)
    result = system.simulate(0.0, initial="assemble")
    assert result["rod.omega"][0] == pytest.approx(2.0, abs=1e-12)
    assert (result["count.x"][0], result["counter.x"][0]) == (0.0, 0.25)


def test_a_system_without_constraints_needs_no_assembling() -> None:
    """Nothing moves, and nothing is wrong with asking."""
    system = System()
    system.add("body", "planar.Body1", {"vx": 2.0})
    assert system.simulate(1.0, initial="assemble")["body.x"][-1] == pytest.approx(2.0)


# -- assemble: refusals ------------------------------------------------------------------------------------------------


def test_what_is_held_can_prevent_it() -> None:
    """The joints that cannot be closed are named, and the states that are held; those that can be closed are not."""
    system = system_of(DoublePendulum(), {"rod1": {"x": 0.3, "y": 0.0}})
    assert refusal(lambda: system.simulate(0.0, initial="assemble"), InitialStateError) == (
        "the start cannot be assembled: 'rod1' does not close at 'pin1': 0.2 m is missing if only 'pin1' stays open; spread over all joints: "
        "pin1.position[1] = -0.2 m; 'rod1.x' = 0.3 cannot be reached; 0.5 is one that closes all joints"
    )


def test_velocities_that_are_held_can_prevent_it() -> None:
    """The rod's centre cannot move away from its pin."""
    system = pendulum(vx=1.0)
    assert refusal(lambda: system.simulate(0.0, initial="assemble"), InitialStateError) == (
        "the start cannot be assembled at velocity level: pin.velocity[1] = 1 m/s remains; the values that you set are held (rod.x, rod.vx): leave out those that may move, or "
        "give values that do not contradict each other"
    )


@pytest.mark.filterwarnings("ignore:invalid value encountered in arccos")
def test_a_mechanism_that_cannot_close() -> None:
    """A crank of 0.4 m, a coupler of 0.3 m and a rocker of 0.2 m do not span a metre; the joints share what is missing."""
    text = refusal(lambda: assembled(FourBar(coupler=Rod(0.3), rocker=Rod(0.2)), crank={"theta": 0.5}), InitialStateError)
    assert text.startswith("the start cannot be assembled: 'coupler', 'rocker' do not close at 'pin2', 'pin3', 'pin4': ")
    assert text.endswith("'crank.theta' is held, and letting go of it does not help: look at the lengths there")


def test_a_rod_of_which_nothing_is_said_finds_a_direction() -> None:
    """Its ends coincide before the start, where it has none and its FMU would refuse."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("link", "planar.ConnectingRod", {"length": 0.5})
    system.add("body", "planar.Body1")
    system.connect("ground.p1", "link.M")
    system.connect("body.p1", "link.N")
    result = system.simulate(0.0, initial="assemble")
    assert np.hypot(result["body.x"][0], result["body.y"][0]) == pytest.approx(0.5, abs=1e-12)


# -- beside what has no pose ----------------------------------------------------------------------------------------------


GOVERNOR = foreign.Model("Governor", [foreign.Variable("x", "output", rate="1 - x", depends=["x"])], kinds=("cs",))


def governed() -> System:
    """A four-bar whose crank an FMU that offers Co-Simulation alone turns, of which no state but the crank's is given."""
    oracle = FourBar(angle=0.9, speed=1.0)
    system = system_of(oracle, {"crank": oracle.start["crank"]})
    system.add("governor", foreign.export(GOVERNOR, 3))
    system.add("torque", "planar.Wrench")
    system.connect("crank.p1", "torque.M")
    system.connect("governor.x", "torque.Cz")
    return system


def test_parts_without_a_pose_take_no_part_in_assembly() -> None:
    """Both initial='assemble' and a pose of the system give the run of start values that the rest of the system finds."""
    oracle = FourBar(angle=0.9, speed=1.0)
    pose = system_of(oracle, {"crank": oracle.start["crank"]}).assemble()
    run = {"stop_time": 0.2, "communication_step": 0.01}
    expected = governed().simulate(start_values=dict(pose), **run)
    own = governed()
    for result in (own.simulate(initial="assemble", **run), own.simulate(initial=own.assemble(), **run), own.simulate(initial=pose, **run)):
        assert result.outcome.completed
        for name in ("crank.theta", "coupler.theta", "rocker.omega", "governor.x"):
            assert result[name] == pytest.approx(expected[name], rel=0, abs=1e-9), name
    assert distance(expected, oracle) < 1e-9


GUIDE = foreign.Model(
    "Guide",
    [
        foreign.Variable("x", "output", rate="w", depends=["w"], start=0.9),
        foreign.Variable("w", "output", rate="a", depends=["a"], start=0.3),
        foreign.Variable("a", "output", rate="0 * a", depends=["a"]),
    ],
    kinds=("cs",),
    rollback=True,
)


def guided() -> System:
    """A body whose angle an FMU that offers Co-Simulation alone prescribes."""
    system = System("guided")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1")
    system.join("planar.RelativeAngle", "ground.p1", "rod.p1", name="motor")
    system.add("guide", foreign.export(GUIDE, 3))
    for output, member in (("x", "angle"), ("w", "angle.rate"), ("a", "angle.acceleration")):
        system.connect(f"guide.{output}", f"motor.{member}")
    return system


def test_a_motion_that_a_part_without_a_pose_prescribes_is_a_start_value_of_assembly() -> None:
    """The refusal says so, what it advises starts the run there, and no note calls it of no effect."""
    run = {"stop_time": 0.1, "communication_step": 0.01, "scheme": "implicit"}
    start = {"motor.angle": 0.9, "motor.angle.rate": 0.3, "motor.angle.acceleration": 0.0}
    text = refusal(lambda: guided().simulate(initial="assemble", **run), InitialStateError)
    assert text.startswith("the start violates constraints: motor.position[1] = -0.9")
    assert text.endswith(
        "; 'guide' offers Co-Simulation alone and takes no part in assembly: give 'motor.angle', 'motor.angle.rate', "
        "'motor.angle.acceleration' as start values for it, as they are at the start"
    )
    system = guided()
    pose = system.assemble(start_values=start)
    for result in (system.simulate(initial="assemble", start_values=start, **run), system.simulate(initial=pose, **run)):
        assert result.outcome.completed and not result.outcome.notes
        assert result["rod.theta"] == pytest.approx(0.9 + 0.3 * result.time, rel=0, abs=1e-9)


def stepped_alone(path: Path, target: Path) -> Path:
    """The same FMU without Model Exchange."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(target, "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "modelDescription.xml":
                content = re.sub(rb"<ModelExchange.*?</ModelExchange>", b"", content, count=1, flags=re.DOTALL)
            changed.writestr(name, content)
    return target


def test_what_a_joint_holds_has_to_offer_model_exchange(tmp_path: Path) -> None:
    system = System("held")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"x": 0.1, "p1.rx": -0.5}, kind="cs")
    system.add("mass", stepped_alone(cached_fmu(find("planar.Body1"), 2), tmp_path / "alone.fmu"), {"x": 0.3})
    for body in ("rod", "mass"):
        system.join("planar.Revolute", "ground.p1", f"{body}.p1", name=f"{body} pin")
    assert refusal(lambda: system.simulate(0.1, communication_step=0.01, initial="assemble")) == (
        "'mass' cannot be assembled: it offers no Model Exchange, and others take their motion from it; give start values, such as "
        "start_values=dict(pose) with the pose of the rest, and use initial='check' or 'relax'"
    )


def test_outputs_of_parts_without_a_pose_are_recorded() -> None:
    run = {"stop_time": 0.1, "communication_step": 0.01, "initial": "assemble"}
    result = governed().simulate(outputs=["governor.x", "crank.theta"], **run)
    assert result.names == ["governor.x", "crank.theta"] and result.outcome.completed


def test_a_pose_needs_no_assembly(tmp_path: Path) -> None:
    """The run begins there, even if parts take their motion from FMUs that offer Co-Simulation alone."""
    system = System("sprung")
    system.add("mass", stepped_alone(cached_fmu(find("mechanical1d.Mass"), 2), tmp_path / "alone.fmu"), {"s": 0.3})
    system.add("wall", "mechanical1d.Fixed1D")
    system.join("mechanical1d.SpringDamper1D", "wall.flange", "mass.flange", {"k": 10.0})
    run = {"communication_step": 1e-3, "scheme": Scheme(extrapolation=2)}
    whole = system.simulate(0.4, **run)
    half = system.simulate(0.2, **run)
    assert system.simulate(0.2, initial=half, **run)["mass.s"][-1] == pytest.approx(whole["mass.s"][-1], abs=1e-5)
