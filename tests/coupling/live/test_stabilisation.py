"""Steps that end on the constraints: against reduced equations, through events, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import BuildError, Result, System
from coupling.plan.graph import Part
from fmu_components.declare.component import Component, falls
from fmu_components.declare.ports import TRANSLATIONAL, Side
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems import systems
from tests.support.systems.systems import refusal

EXACT = 1e-12
"""Largest violation in m and m/s that counts as rounding, for lengths of 1 m and speeds of some m/s."""
OF_THE_JOINTS = "Baumgarte's stabilisation of the joints"
NONE = {"pin.baumgarte.alpha": 0.0, "pin.baumgarte.beta": 0.0}


def pendulum(**start: float) -> System:
    """Pinned 1 m from its centre of mass."""
    return systems.pendulum(**{"p1.rx": -1.0, "x": 1.0, **start})


def four_bars(count: int, kind: str | None = None) -> System:
    """Upright rockers of 1 m with a coupler between each two; they pass a pose where they lie in a line."""
    system = System("four bars")
    for i in range(count + 1):
        system.add(f"ground{i}", "planar.Fixed", {"p1.rx": float(i)})
        rod = {"p1.rx": -0.5, "p2.rx": 0.5, "m": 1.0, "I": 1 / 12}
        system.add(f"rocker{i}", "planar.Body2", {**rod, "x": float(i), "y": 0.5, "theta": np.pi / 2}, kind)
        joint(system, f"foot{i}", f"ground{i}.p1", f"rocker{i}.p1")
        if i:
            system.add(f"coupler{i}", "planar.Body2", {**rod, "x": i - 0.5, "y": 1.0}, kind)
            joint(system, f"left{i}", f"rocker{i - 1}.p2", f"coupler{i}.p1")
            joint(system, f"right{i}", f"rocker{i}.p2", f"coupler{i}.p2")
    return system


def joint(system: System, name: str, a: str, b: str) -> None:
    system.add(name, "planar.Revolute")
    system.connect(a, f"{name}.M")
    system.connect(b, f"{name}.N")


def moving(count: int, speed: float) -> dict[str, float]:
    """The couplers move at this speed."""
    rockers = {f"rocker{i}.{name}": value for i in range(count + 1) for name, value in (("vx", speed / 2), ("omega", -speed))}
    return rockers | {f"coupler{i}.vx": speed for i in range(1, count + 1)}


def angle(inertia: float, weight: float, start: float, rate: float, stop: float) -> float:
    """Returns the angle of a pendulum from the horizontal, with weight = m g r."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -weight * np.cos(y[0]) / inertia]

    return solve_ivp(slope, (0, stop), [start, rate], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1]


def projected(system: System, stop: float, **options) -> Result:
    return system.simulate(stop, stabilisation="projection", outputs=["*"], **options)


def violation(result: Result, row: int = -1) -> float:
    return max(result.violation[level][row] for level in ("position", "velocity"))


# -- motion ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_step_ends_on_the_constraints_and_takes_no_evaluation_more(solver, rtol):
    """The number of evaluations is that without any stabilisation."""
    system = pendulum()
    result = projected(system, 5.0, solver=solver, rtol=rtol, output_times=[5.0])
    assert violation(result) <= EXACT
    assert result["rod.theta"][-1] == pytest.approx(angle(1 + 1 / 12, 9.81, 0.0, 0.0, 5.0), abs=100 * rtol)
    without = system.simulate(5.0, solver=solver, rtol=rtol, outputs=["*"], output_times=[5.0], start_values=NONE)
    assert result.statistics.evaluations == pytest.approx(without.statistics.evaluations, rel=0.03)
    assert violation(without) > 1e3 * EXACT


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_four_bar_passes_the_poses_where_its_links_lie_in_a_line(solver, rtol):
    """It stays on the branch of parallel links, from three speeds; at the stop its constraints hold."""
    system = four_bars(1)
    for speed in (0.7, 1.0, 1.3):
        result = projected(system, 10.0, solver=solver, rtol=rtol, output_times=[10.0], start_values=moving(1, speed), max_steps=4000)
        assert result.outcome.completed
        expected = angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -speed, 10.0)
        assert result["rocker0.theta"][-1] == pytest.approx(expected, abs=3000 * rtol if rtol < 1e-4 else 0.5)
        assert violation(result) <= 100 * rtol


def test_two_four_bars_pass_too():
    result = projected(four_bars(2), 10.0, rtol=1e-6, output_times=[10.0], start_values=moving(2, 1.0), max_steps=4000)
    expected = angle(3 / 3 + 2, (3 / 2 + 2) * 9.81, np.pi / 2, -1.0, 10.0)
    assert [result[f"rocker{i}.theta"][-1] for i in range(3)] == pytest.approx([expected] * 3, abs=3e-3)


@pytest.mark.parametrize(("solver", "order", "step"), [("dopri5", 5, 0.05), ("dop853", 8, 0.25)])
def test_the_order_is_kept(solver, order, step):
    """The steps have one size, which a loose tolerance allows."""
    system, expected = pendulum(), angle(1 + 1 / 12, 9.81, 0.0, 0.0, 2.0)
    errors = []
    for h in (step, step / 2):
        result = projected(system, 2.0, solver=solver, rtol=0.5, max_step=h, output_times=[2.0])
        errors.append(abs(result["rod.theta"][-1] - expected))
    assert np.log2(errors[0] / errors[1]) > order - 0.2


@pytest.mark.parametrize(("rtol", "bound"), [(1e-4, 1e-6), (1e-6, 1e-10), (1e-8, 1e-11)])
def test_rows_between_steps_are_moved_onto_the_constraints_too(rtol, bound):
    """The Jacobian is that of a point nearby; therefore the longest steps leave the largest violation."""
    result = projected(pendulum(), 2.0, rtol=rtol)
    assert max(result.violation[level].max() for level in ("position", "velocity")) < bound
    expected = [angle(1 + 1 / 12, 9.81, 0.0, 0.0, t) for t in (0.5, 1.0)]
    assert [result["rod.theta"][i] for i in (125, 250)] == pytest.approx(expected, abs=100 * rtol)


# -- starts and events -------------------------------------------------------------------------------------------------------------------


def test_a_start_within_what_check_allows_is_moved_by_the_first_step():
    result = projected(pendulum(x=1.0 + 8e-7, vx=5e-7), 1.0, output_times=[0.0, 1.0])
    assert violation(result, 0) == pytest.approx(8e-7)
    assert violation(result) <= EXACT
    assert result["rod.theta"][-1] == pytest.approx(angle(1 + 1 / 12, 9.81, 0.0, 0.0, 1.0), abs=1e-5)


def test_an_assembled_start():
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.ry": 1.0, "theta": 0.3, "omega": 1.0})
    joint(system, "pin", "ground.p1", "rod.p1")
    result = projected(system, 1.0, initial="assemble", output_times=[0.0, 1.0])
    assert result["rod.theta"][0] == 0.3 and violation(result) <= EXACT


def test_constraints_hold_at_the_jumps_of_a_table():
    """These are ends of steps; the rows before and after a jump."""
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    system.drive("push.Cz", [(0.0, 0.0), (0.3, 0.0), (0.3, 20.0), (0.7, 20.0), (0.7, -5.0)])
    result = projected(system, 1.0, rtol=1e-6)
    jumps = np.flatnonzero(np.diff(result.time) == 0)
    assert result.time[jumps] == pytest.approx([0.3, 0.7])
    assert max(violation(result, row) for i in jumps for row in (i, i + 1)) <= EXACT
    assert violation(result) <= EXACT


class Hopper(Component):
    """Mass that falls on a floor and bounces there."""

    def declare(self):
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        s = self.state("s", 1.0, "m", "height")
        v = self.state("v", 0.0, "m/s", "velocity")
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "the mass")
        self.rate(s, v)
        self.rate(v, flange.f / m - self.parameter("g", 10.0, "m/s2", "gravity"))
        self.moves(flange, s)
        self.when(falls(s), {v: -v}, "the mass hits the floor")


def carrying() -> System:
    """A mass that hops, with another one on top of it."""
    system = System("stack")
    system.add("lower", Hopper)
    system.add("upper", "mechanical1d.Mass", {"m": 0.5, "s": 1.0})
    system.add("rod", "mechanical1d.RigidRod")
    system.connect("lower.flange", "rod.M")
    system.connect("upper.flange", "rod.N")
    return system


def test_a_body_that_bounces_takes_what_it_carries_along():
    """The lower mass of 1 kg is turned round, the upper one of 0.5 kg not: together they go on with the momentum of both."""
    system = carrying()
    result = projected(system, 0.6, output_times=[0.6])
    fall = 10 / 1.5  # the load has no weight of its own
    first = np.sqrt(2 / fall)
    speed = fall * first
    assert first < 0.6
    expected = (1.0 - 0.5) / 1.5 * speed - fall * (0.6 - first)
    assert result.statistics.rejected == 0
    assert [result["lower.v"][-1], result["upper.v"][-1]] == pytest.approx([expected] * 2, abs=1e-6)
    assert result["lower.v"][0] < 0 < result["lower.v"][1]
    assert max(violation(result, row) for row in range(len(result))) <= EXACT  # before and after the impact, and at the end


class Gate(Component):
    """Counts how often a point of a pendulum falls through a surface that all but coincides with the circle that it moves on."""

    def declare(self):
        slope = self.parameter("slope", 1.0, "m", "of the surface against the circle")
        radius, height = self.parameter("radius", 2.0, "m", "of the circle"), self.parameter("height", -1.0, "m", "of the crossing")
        x, y = (self.input(name, 1.0, "m", "place", order=0) for name in ("x", "y"))
        passed = self.discrete("passed", 0, "", "how often")
        level = self.output("level", x**2 + y**2 - radius**2 + slope * (y - height), "m2", "indicator")
        self.output("count", passed, "", "how often")
        self.when(falls(level), {passed: passed + 1}, "the point falls through the surface")


@pytest.mark.parametrize("slope", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize(("solver", "rtol"), [("dop853", 1e-4), ("dopri5", 1e-4), ("dop853", 1e-8)])
def test_each_crossing_is_an_event_once(solver, rtol, slope):
    """However small the angle at which the indicator crosses, and there: what interpolated states violate would move a crossing by more than
    the step is long."""
    system = System("gate")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -1.0, "p2.rx": 1.0, "x": 1.0})
    joint(system, "pin", "ground.p1", "rod.p1")
    system.add("gate", Gate, {"slope": slope})
    for name in ("x", "y"):
        system.connect(f"rod.p2.{name}", f"gate.{name}")
    result = system.simulate(10.0, solver=solver, rtol=rtol, outputs=["*"], stabilisation="projection")
    events = np.flatnonzero(np.diff(result.time) == 0)
    swing = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.cos(y[0]) / (1 + 1 / 12)], (0, 10), [0, 0], method="DOP853", rtol=1e-12, dense_output=True
    )
    height = 2 * np.sin(swing.sol(np.linspace(0, 10, 100_001))[0]) + 1
    expected = np.count_nonzero((height[:-1] > 0) & (height[1:] <= 0))
    assert result["gate.count"][-1] == expected and len(events) == 2 * expected  # it rises through it as often
    assert max(violation(result, row) for i in events for row in (i, i + 1)) <= 5 * EXACT  # at 5 m/s
    assert np.abs(result["rod.p2.y"][events] + 1).max() <= max(1e-9 / slope, 1e-9)


# -- what it leaves alone, and what it is refused for ------------------------------------------------------------------------------------


def test_a_run_by_baumgarte_has_the_same_bits_after_a_projected_one():
    system, fresh = pendulum(), pendulum()
    expected = fresh.simulate(1.0, rtol=1e-6, stabilisation="baumgarte")
    first = projected(system, 1.0, rtol=1e-6)
    assert np.array_equal(system.simulate(1.0, rtol=1e-6, stabilisation="baumgarte").values, expected.values)
    assert np.array_equal(projected(system, 1.0, rtol=1e-6).values, first.values)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"stabilisation": "none"}, "stabilisation = 'none' is unknown; choose 'baumgarte' or 'projection'"),
        ({"initial": "relax"}, "initial='relax' leaves a violated start to the joints' own stabilisation, which"),
    ],
)
def test_options_that_exclude_it(options, sentence):
    text = refusal(lambda: pendulum().simulate(1.0, **{"stabilisation": "projection", **options}), BuildError)
    assert sentence in text


# -- the default -------------------------------------------------------------------------------------------------------------------------


def bits(system: System, **options) -> np.ndarray:
    return system.simulate(1.0, rtol=1e-6, outputs=["*"], output_times=[1.0], **options).values


@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_explicit_methods_project_where_nothing_speaks_against_it(solver):
    assert np.array_equal(bits(pendulum(), solver=solver), bits(pendulum(), solver=solver, stabilisation="projection"))


def test_a_relaxed_start_keeps_the_stabilisation_of_the_joints():
    assert np.array_equal(bits(pendulum(), initial="relax"), bits(pendulum(), initial="relax", stabilisation="baumgarte"))


def test_a_stabilisation_that_was_given_is_used():
    """It is given with the joint, or in one run alone; if projection is requested as well, the run names the joints without it."""
    given = {"pin.baumgarte.beta": 9.0}
    assert np.array_equal(bits(pendulum(), start_values=given), bits(pendulum(), start_values=given, stabilisation="baumgarte"))
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute", {"baumgarte.alpha": 50.0})
    system.add("rod", "planar.Body1", {"p1.rx": -1.0, "x": 1.0})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    assert np.array_equal(bits(system), bits(system, stabilisation="baumgarte"))
    result = projected(system, 1.0)
    assert violation(result) <= EXACT
    assert result.outcome.warnings == [
        "stabilisation='projection' does without 'pin.baumgarte.alpha', which was given a value; leave the value out, or choose "
        "stabilisation='baumgarte'"
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "projection"),
        ({"stabilisation": "projection"}, "projection, as asked"),
        ({"stabilisation": "baumgarte"}, f"{OF_THE_JOINTS}, as asked"),
        ({"initial": "relax"}, f"{OF_THE_JOINTS}, to which initial='relax' leaves the start"),
        ({"solver": "cvode"}, f"{OF_THE_JOINTS}, since solver = 'cvode' does not end its steps on them"),
        ({"start_values": {"pin.baumgarte.beta": 9.0}}, f"{OF_THE_JOINTS}, since 'pin.baumgarte.beta' was given"),
        ({"communication_step": 0.01}, f"{OF_THE_JOINTS}, which explicit schemes of co-simulation take"),
        ({"communication_step": 0.01, "scheme": "implicit"}, "scheme = 'implicit' at the communication points"),
    ],
)
def test_the_summary_tells_what_held_the_constraints(options, why):
    result = pendulum().simulate(0.1, **options)
    assert result.outcome.stabilisation == f"constraints were held by {why}" == result.summary().splitlines()[-2]


def test_a_summary_without_constraints_tells_nothing_of_them():
    system = System("mass")
    system.add("mass", "mechanical1d.Mass")
    assert len(system.simulate(0.1).summary().splitlines()) == 2


def test_constraints_that_do_not_tell_their_violation_keep_their_stabilisation(monkeypatch):
    own = Part.dae.fget

    def stripped(part: Part):
        dae = own(part)
        return dae and replace(dae, constraints=tuple(replace(c, velocity=None) for c in dae.constraints))

    monkeypatch.setattr(Part, "dae", property(stripped))
    system = pendulum()
    assert np.array_equal(bits(system), bits(system, stabilisation="baumgarte"))
    assert system.simulate(0.1).outcome.stabilisation.startswith(
        f"constraints were held by {OF_THE_JOINTS}, since projection cannot be used: 'pin.lambda[1]' belongs to a constraint"
    )


def cannot(system: System) -> str:
    text = refusal(lambda: projected(system, 1.0), BuildError)
    assert text.startswith("stabilisation='projection' cannot be used here: ") and text.endswith("; choose stabilisation='baumgarte'")
    return text


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_a_constraint_that_does_not_tell_its_violation(monkeypatch, level):
    own = Part.dae.fget

    def stripped(part: Part):
        dae = own(part)
        return dae and replace(dae, constraints=tuple(replace(c, **{level: None}) for c in dae.constraints))

    monkeypatch.setattr(Part, "dae", property(stripped))
    assert "'pin.lambda[1]' belongs to a constraint" in (text := cannot(pendulum())) and f"without an output {level}[k]" in text


@pytest.mark.parametrize(
    ("name", "declares", "differentiates", "sentence"),
    [
        ("Undeclared", False, True, "solved for together with the multipliers"),
        ("Underivable", True, False, "'rod.lambda[1]' is found by iteration"),
        ("Doubled", True, True, "'lower.v' is not the rate of a state"),
    ],
)
def test_a_body_of_which_not_enough_is_known(name, declares, differentiates, sentence):
    """The missing fact is the dependence of its position, its answer to a force, or the pairs of states and rates."""

    def known(*names: str) -> tuple[str, ...] | None:
        return names if declares else None

    partials = {("der(x)", "v"): "2", ("der(v)", "f"): "0.5", ("place", "x"): "1", ("speed", "v"): "2", ("a", "f"): "1"}
    body = Model(
        name,
        [
            Variable("f", "input", 0.0, "N"),
            Variable("x", "local", 1.0, "m", rate="2 * v", depends=known("v")),
            Variable("v", "local", 0.0, "m/s", rate="f / 2", depends=known("f")),
            Variable("place", "output", unit="m", value="x", depends=known("x")),
            Variable("speed", "output", unit="m/s", value="2 * v", depends=known("v")),
            Variable("a", "output", unit="m/s2", value="f", depends=known("f")),
        ],
        partials=partials if differentiates else None,
    )
    system = System("stack")
    system.add("lower", foreign.export(body, 3))
    system.add("upper", "mechanical1d.Mass", {"s": 1.0})
    system.add("rod", "mechanical1d.RigidRod")
    for own, other in (("place", "s"), ("speed", "v"), ("a", "a")):
        system.connect(f"lower.{own}", f"rod.M.{other}")
    system.connect("rod.M.f", "lower.f")
    system.connect("upper.flange", "rod.N")
    assert sentence in cannot(system)
