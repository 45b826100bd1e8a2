"""Assembly from what is held and what is guessed: which pose is found, what is said of it, and what is said where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

from coupling import BuildError, InitialStateError, Result, System
from coupling.sweep import sweep
from tests.support.systems.linkages import Linkage, bucket, chain, four_bar, jansen, seven_bodies, three_cranks, told
from tests.support.systems.systems import pendulum, refusal


def test_a_joint_coordinate_chooses_the_branch() -> None:
    """The coupler's angle at the rocker, as people see it; poses on both sides are closed to rounding, and have other letters."""
    branches = set()
    for side in (1, -1):
        linkage = four_bar(side)
        system, _ = told(linkage)
        pose = system.assemble(guess={"C.rotation.q": (linkage.coordinate("C") + 0.4, 0.5)})
        assert linkage.distance(pose) < 1e-12
        assert pose.margin > 4 and pose.moved["C.rotation.q"] == pytest.approx(-0.4)
        branches.add(pose.branch)
        [other] = pose.alternatives
        assert pose.doubt == pytest.approx(1 / (1 + np.exp(pose.margin / 2)))
        assert four_bar(-side).distance(other) < 1e-9
        assert four_bar(-side).distance(system.assemble(branch=other.branch)) < 1e-9
    assert branches == {"+", "-"}


def test_guesses_of_add_and_pairs() -> None:
    """The tolerances of two contradictory guesses decide which of them counts."""
    start = {"crank": {"theta": 0.7}}
    system = four_bar(1).system(start)
    near = system.assemble(guess={"C.rotation.q": (-1.0, 1.0), "B.rotation.q": (four_bar(1).coordinate("B"), 0.1)})
    far = system.assemble(guess={"C.rotation.q": (four_bar(-1).coordinate("C"), 0.1), "B.rotation.q": (four_bar(1).coordinate("B"), 1.0)})
    assert four_bar(1).distance(near) < 1e-9 and four_bar(-1).distance(far) < 1e-9


def test_without_a_guess_all_poses_are_listed() -> None:
    """A leg of three dyads: eight poses, a warning, and two names that tell them apart; these guessed, the pose is the one that is meant."""
    linkage = jansen()
    system, _ = told(linkage)
    pose = system.assemble()
    poses = [pose, *pose.alternatives]
    assert len(poses) == 8 and len({each.branch for each in poses}) == 8
    assert min(map(linkage.distance, poses)) < 1e-9
    assert "8 poses fit your values, and no guess chooses among them" in pose.notes[-1]
    guess = {name: linkage.coordinate(name.removesuffix(".rotation.q")) + 0.15 for name in pose.distinguishing[:2]}
    chosen = system.assemble(guess=guess)
    assert linkage.distance(chosen) < 1e-9 and not any("nothing says" in note for note in chosen.notes)


def test_published_angles_rounded_to_a_tenth() -> None:
    """The seven-body mechanism: the drive held, six angles guessed."""
    linkage = seven_bodies()
    system, _ = told(linkage)
    guess = {f"{body}.theta": round(float(pose[2]), 1) for body, pose in linkage.poses.items() if body != "link1"}
    assert linkage.distance(system.assemble(guess=guess)) < 1e-11


def test_a_stroke_is_held() -> None:
    """The length of a cylinder is an output; its speed is held as well, and the bucket turns as differences of poses say."""
    linkage = bucket()
    system, hold = told(linkage)
    guess = {"bucket.theta": linkage.poses["bucket"][2], "rocker.theta": linkage.poses["rocker"][2]}
    pose = system.assemble(hold=hold, guess=guess, velocities={"stroke.translation.qd": 0.1, "arm.omega": 0.0})
    assert linkage.distance(pose) < 1e-9
    step = 1e-5
    there = [
        system.assemble(hold={"stroke.translation.q": hold["stroke.translation.q"] + side * step}, guess=guess, alternatives=False)
        for side in (1, -1)
    ]
    slope = (there[0]["bucket.theta"] - there[1]["bucket.theta"]) / (2 * step)
    assert pose["bucket.omega"] == pytest.approx(0.1 * slope, abs=1e-8)


def test_speeds_that_contradict_each_other() -> None:
    """Both are named."""
    system, _ = told(four_bar())
    said = refusal(lambda: system.assemble(velocities={"crank.omega": 1.0, "rocker.omega": 5.0}), InitialStateError)
    assert said.startswith("the start cannot be assembled at velocity level: ") and "crank.omega, rocker.omega" in said


def test_a_guess_of_a_speed_moves_what_is_free() -> None:
    """The guess moves the rocker, and the crank follows as it does where the speed is held; alternatives move as well."""
    linkage = four_bar()
    system, _ = told(linkage)
    held = system.assemble(guess={"C.rotation.q": linkage.coordinate("C")}, velocities={"rocker.omega": 5.0})
    pose = system.assemble(guess={"C.rotation.q": linkage.coordinate("C"), "rocker.omega": 5.0})
    assert {name: pose[name] for name in pose} == pytest.approx(dict(held), abs=1e-10)
    assert pose.moved["rocker.omega"] == pytest.approx(0.0, abs=1e-10)
    assert "guess moved by" in next(line for line in str(pose).splitlines() if "rocker.omega" in line)
    assert pose.alternatives[0]["rocker.omega"] == pytest.approx(5.0)
    system.simulate(0.0, initial=pose.alternatives[0])


@pytest.mark.parametrize(
    ("guess", "held"),
    [
        ({"p1_.rotation.qd": 2.0}, {}),
        ({"p0_.rotation.qd": (1.0, 0.1), "c1.omega": (2.0, 0.3), "c1.p2.vx": (0.5, 0.2)}, {}),
        ({"c1.p2.vy": (0.5, 0.2), "c1.vx": 1.0}, {"c0.omega": 3.0}),
    ],
)
def test_speeds_are_nearest_to_guesses_and_of_least_energy(guess: dict, held: dict) -> None:
    """Two links, by NumPy: what is left of the guesses, weighted, is least, and then the kinetic energy."""
    linkage = chain(2)
    pose = linkage.system().assemble(guess={f"c{i}.theta": float(linkage.poses[f"c{i}"][2]) for i in range(2)} | guess, velocities=held)
    angles = [pose["c0.theta"], pose["c1.theta"]]
    arms = [[linkage.local(f"c{i}", f"p{k}_") for k in (i, i + 1)] for i in range(2)]

    def point(body: int, end: int) -> np.ndarray:
        """The velocity of an end by all velocities."""
        x, y = arms[body][end]
        c, s = np.cos(angles[body]), np.sin(angles[body])
        found = np.zeros((2, 6))
        found[:, 3 * body : 3 * body + 3] = [[1, 0, -(s * x + c * y)], [0, 1, c * x - s * y]]
        return found

    rows = dict(zip([f"c{i}.{name}" for i in range(2) for name in ("vx", "vy", "omega")], np.eye(6), strict=True))
    rows |= {"p0_.rotation.qd": rows["c0.omega"], "p1_.rotation.qd": rows["c1.omega"] - rows["c0.omega"]}
    rows |= {"c1.p2.vx": point(1, 1)[0], "c1.p2.vy": point(1, 1)[1]}
    hard = np.vstack([point(0, 0), point(0, 1) - point(1, 0), *([rows[name] for name in held])])
    size = np.hypot(0.7, 0.5)  # of a link
    spreads = {name: value[1] if isinstance(value, tuple) else size if name.endswith("vx") else 1.0 for name, value in guess.items()}
    soft = np.array([rows[name] / spreads[name] for name in guess])
    wanted = np.array([(value[0] if isinstance(value, tuple) else value) / spreads[name] for name, value in guess.items()])
    known = np.concatenate([np.zeros(4), list(held.values())])
    least, *_ = np.linalg.lstsq(hard, known, rcond=None)
    free = null_space(hard)
    nearest = least + free @ np.linalg.lstsq(soft @ free, wanted - soft @ least, rcond=1e-9)[0]
    both = np.vstack([hard, soft])
    masses = np.sqrt(np.tile([1.0, 1.0, 1.0], 2))
    expected = np.linalg.lstsq(both / masses, both @ nearest, rcond=1e-11)[0] / masses
    assert [pose[name] for name in list(rows)[:6]] == pytest.approx(expected, abs=1e-10)


def test_redundant_joints_are_named() -> None:
    """Three parallel cranks on a plank: 13 equations, of which one always repeats the others."""
    system, _ = told(three_cranks())
    pose = system.assemble()
    assert set(pose.redundant) == {"G0_", "G1_", "G2_", "T0_", "T1_", "T2_"} and pose.freedoms == ()
    assert "1 constraint repeats others" in str(pose)


def test_freedoms_that_are_left() -> None:
    """The pose names as many freedoms as could still move, by their joints."""
    assert len(four_bar().system().assemble(guess={"crank.theta": 0.7}).freedoms) == 1
    pose = chain(3).system().assemble()
    assert set(pose.freedoms) == {"p0_.rotation.q", "p1_.rotation.q", "p2_.rotation.q"}


def test_what_is_right_stays() -> None:
    """A pose assembled again from itself as guesses moves by nothing."""
    linkage = jansen()
    system, _ = told(linkage)
    meant = {f"{body}.{name}": float(v) for body, pose in linkage.poses.items() for name, v in zip(("x", "y", "theta"), pose, strict=True)}
    del meant["crank.theta"]
    pose = system.assemble(guess=meant)
    assert max(map(abs, pose.moved.values())) < 1e-11


def test_lengths_that_cannot_close_are_named_by_their_group() -> None:
    """One bar of a leg four times too long: the dyad that it belongs to, and no other bodies."""
    linkage = jansen()
    start = {"crank": {"theta": 0.6}}
    system = linkage.system(start)
    long = {f"f.p{i}.rx": 4 * linkage.local("f", point)[0] for i, point in enumerate("YW", 1)}
    said = refusal(lambda: system.assemble(start_values=long), InitialStateError)
    assert said.startswith("the start cannot be assembled: 'f', 'lo' do not close at ")
    joints = said.partition(" at ")[2].partition(":")[0]
    assert {name.strip("', ") for name in joints.split(",")} == {"Y", "W", "Z1"}
    assert "is missing if only" in said and "'crank.theta' is held, and letting go of it does not help" in said


def test_a_crank_beyond_its_limit() -> None:
    """The message offers a pose that can be reached: the limit, where the other bars are in line."""
    points = {"A": (0, 0), "B": (0.6, 0), "C": (1.0, 0.3), "D": (1.0, 0)}
    linkage = Linkage(points, {"crank": "AB", "coupler": "BC", "rocker": "DC"}, "AD", {})
    limit = float(np.arccos((0.36 + 1 - 0.64) / 1.2))  # coupler 0.5 and rocker 0.3 in line
    said = refusal(lambda: linkage.system({"crank": {"theta": 2.5}}).assemble(), InitialStateError)
    found = float(said.partition("cannot be reached; ")[2].partition(" ")[0])
    assert "'crank.theta' = 2.5 cannot be reached" in said and 0 <= found <= limit + 1e-4


def test_what_cannot_be_told_is_refused() -> None:
    """The message names the value and the remedy."""
    system, _ = told(four_bar())
    for options, sentence in (
        ({"guess": {"C.rotation.p": 1.0}}, "guess: 'C.rotation.p' does not exist; did you mean 'C.rotation.q'"),
        ({"guess": {"crank.theta": 1.0}}, "'crank.theta' has a start value, which is held, and a guess"),
        ({"guess": {"C.rotation.q": 1.0}, "hold": {"C.rotation.q": 1.0}}, "'C.rotation.q' is held and guessed"),
        ({"hold": {"C.rotation.qd": 1.0}}, "a velocity; name an output that depends on positions alone"),
        ({"guess": {"C.rotation.q": (1.0, -2.0)}}, "give a number, or a pair of a number and how far off it may be"),
        (
            {"guess": {"C.rotation.q": 1e300}},
            "'C.rotation.q' = 1e+300 is refused; no joint closes there within rounding. Give at most 1e+15",
        ),
        ({"guess": {"C.rotation.qd": 1.0}, "velocities": {"C.rotation.qd": 1.0}}, "'C.rotation.qd' is held and guessed"),
        ({"velocities": {"crank.x": 1.0}}, "'crank.x' is not the rate of a position"),
    ):
        assert sentence in refusal(lambda options=options: system.assemble(**options), BuildError)
    assert "no pose has the branch '+-+'; the poses that fit your values" in refusal(
        lambda: system.assemble(branch="+-+"), InitialStateError
    )
    other = System()
    assert "has no variable 'theta2'" in refusal(lambda: other.add("rod", "planar.Body1", guess={"theta2": 1.0}), BuildError)


def test_runs_begin_at_poses_and_results() -> None:
    """Other lengths in one run are assembled from the given pose, and refused where no assembly was requested."""
    linkage = four_bar()
    system, _ = told(linkage)
    pose = system.assemble(guess={"C.rotation.q": 1.0})
    run = system.simulate(0.2, initial=pose)
    assert all(run[name][0] == value for name, value in pose.states.items() if name in run)
    after = system.simulate(0.1, initial=run)
    assert after["crank.theta"][0] == run["crank.theta"][-1]
    longer = {"rocker.p1.rx": -0.37, "rocker.p2.rx": 0.37}
    moved = system.simulate(0.0, initial=pose, start_values=longer)
    assert moved.violation["position"][0] < 1e-12 and moved["crank.theta"][0] == 0.7
    assert np.sign(moved["C.rotation.q"][0]) == np.sign(pose["C.rotation.q"] if "C.rotation.q" in pose else run["C.rotation.q"][0])
    said = refusal(lambda: system.simulate(0.0, start_values={**pose.states, **longer}), InitialStateError)
    assert "initial='assemble' assembles anew, and so does initial=system.assemble()" in said
    assert "give a pose of assemble()" in refusal(lambda: system.simulate(0.0, initial=0.5), BuildError)


def test_an_assembled_run_warns_where_nothing_decides() -> None:
    """It also names the values that would decide."""
    system, _ = told(four_bar())
    warned = [each for each in system.simulate(0.0, initial="assemble").outcome.warnings if "no guess chooses among them" in each]
    assert len(warned) == 1 and "rotation.q' (" in warned[0]


def test_sweeps_begin_at_one_pose() -> None:
    """The pose is that of the system itself. For each length the nearest pose to it is found, on the same branch."""
    linkage = four_bar(-1)
    system, _ = told(linkage)
    pose = system.assemble()
    table = sweep(system, {"rocker.p2.rx": [0.34, 0.35, 0.36]}, stop_time=0.0, initial="assemble", measure=_angle)
    assert table["gap"].max() < 1e-12 and np.abs(table["theta"] - pose["rocker.theta"]).max() < 0.1


def _angle(result: Result) -> dict[str, float]:
    return {"theta": result["rocker.theta"][0], "gap": result.violation["position"][0]}


def test_a_long_chain_takes_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred links and nothing said: the walk places each by itself, and nothing is left to be closed."""
    import coupling.analysis.search as search

    counted = []
    kept = search.closed
    monkeypatch.setattr(search, "closed", lambda fit, x: counted.append(fit.worst(x)) or kept(fit, x))
    pose = chain(100).system().assemble()
    assert len(counted) == 1 and counted[0] < 1e-3
    assert len(pose.freedoms) == 100


@pytest.mark.parametrize(("low", "high", "x"), [(-1.0, 0.6, 0.5), (0.2, 0.6, 0.5), (0.2, 0.45, 0.45), (0.501, 0.6, 0.501)])
def test_a_stop_is_asked_for_only_where_the_pose_without_it_would_be_inside(low: float, high: float, x: float) -> None:
    """The start before the assembly, and the run before this one, do not matter."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("slider", "planar.Body1", {"m": 1.0, "I": 1.0}, guess={"x": (0.5, 0.1)})
    system.join("planar.ActuatedTranslational", "ground.p1", "slider.p1", name="guide")
    system.add("wall", "mechanical1d.Fixed1D")
    system.join("mechanical1d.EndStop", "wall.flange", "guide.flange", {"low": low, "high": high}, name="stop")
    for _ in range(3):
        result = system.simulate(0.1, initial="assemble")
        assert result.outcome.completed
        assert result["slider.x"][0] == pytest.approx(x, abs=1e-9)


def test_values_without_names_are_refused() -> None:
    for what in ("hold", "guess", "velocities"):
        assert refusal(lambda what=what: pendulum().assemble(**{what: ["rod.theta"]})) == (
            f"assemble: {what} = ['rod.theta'] is refused: give values by name, such as {{'crank.theta': 0.5}}"
        )


def test_a_start_value_that_a_joint_gives_as_well_is_given_twice() -> None:
    """Without it nothing is redundant. The pin gives the crank's place, if its angle is held."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("crank", "planar.Body1", {"p1.rx": -0.5, "theta": 0.6})
    system.join("planar.RelativeAngle", "ground.p1", "crank.p1", name="motor")
    system.join("planar.Revolute", "ground.p1", "crank.p1", name="pin")
    system.drive("motor.angle", 0.6)
    pose = system.assemble()
    assert pose.redundant == () and pose.notes == ("'crank.theta' is given twice: as a start value and by 'motor'",)
    assert system.assemble(hold={"crank.x": 0.5 * np.cos(0.6)}).notes == (
        "'crank.x', 'crank.theta' are given twice: as start values and by 'motor', 'pin'",
    )
    system, _ = told(three_cranks())
    pose = system.assemble()
    found = system.assemble(hold={name: pose[name] for name in ("r1.x", "r1.y", "r1.theta") if name not in pose.held})
    assert any("start values" in note or "held values" in note for note in found.notes)
    assert set(found.redundant) == {"G0_", "G1_", "G2_", "T0_", "T1_", "T2_"}


def test_a_held_value_at_its_limit_is_named() -> None:
    """A rod whose centre is held as far from its pin as it can be can turn for a moment, but not move; no joint repeats another one there."""
    rod = System("rod")
    rod.add("ground", "planar.Fixed")
    rod.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    rod.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    assert rod.assemble().notes[0] == (
        "the pose is a singular one: 1 direction is free there and 0 beside it; the direction of its motion is undetermined there; "
        "'rod.x' is given twice: as a start value and by 'pin'"
    )


def test_an_exactly_guessed_pose_is_not_doubted() -> None:
    """Guesses that are off leave some doubt about the same pose."""
    system, _ = told(four_bar())
    angles = ("coupler.theta", "rocker.theta")
    meant = system.assemble(guess={"C.rotation.q": 1.0})
    exact = system.assemble(guess={name: meant[name] for name in angles})
    rough = system.assemble(guess={name: meant[name] + 0.05 for name in angles})
    assert exact.branch == rough.branch and exact.doubt == 0.0 < rough.doubt
    assert exact.notes == ("2 poses fit the held values, and this one is nearest to the guesses; all guesses are met",)
    assert rough.alternatives[0].branch == exact.alternatives[0].branch


def test_a_printed_pose_fits_on_a_screen() -> None:
    """An arm of six bodies in space has 78 states: given values have their place, and values of 0 give up theirs."""
    system = System()
    system.add("ground", "spatial.Fixed")
    before = "ground.p1"
    for i in range(6):
        system.add(f"link{i}", "spatial.Body2", {"p1.rx": -0.2, "p2.rx": 0.2})
        system.join("spatial.Revolute", before, f"link{i}.p1", name=f"joint{i}")
        before = f"link{i}.p2"
    pose = system.assemble(guess={f"joint{i}.rotation.q": 0.3 for i in range(6)})
    lines = str(pose).splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    for i in range(6):
        assert any(line.startswith(f"  joint{i}.rotation.q ") and "guess moved by" in line for line in lines)
    values = [line for line in lines if line.startswith("  link")]
    assert values and all(pose[name] == pytest.approx(float(value), rel=1e-8) != 0 for name, value, *_ in map(str.split, values))
    hidden = len(pose) - len(values)
    assert f"  and {hidden} more values: print(pose.to_text(all=True))" in lines
    every = pose.to_text(all=True).splitlines()
    assert {line.split()[0] for line in every if line.startswith("  link")} == {name for name in pose if name.startswith("link")}


def test_a_guess_of_some_parts_of_a_quaternion() -> None:
    """Two of the four numbers of an attitude are guessed: a rod on a hinge hangs as they say."""
    system = System("rod")
    system.add("ground", "spatial.Fixed")
    system.add("rod", "spatial.Body1", {"p1.rx": -0.5})
    system.join("spatial.Revolute", "ground.p1", "rod.p1")
    pose = system.assemble(guess={"rod.q0": np.sqrt(0.5), "rod.q3": -np.sqrt(0.5)})
    assert [pose[f"rod.{axis}"] for axis in "xyz"] == pytest.approx([0.0, -0.5, 0.0], abs=1e-6)
