"""Index 3 with projections: orders and figures of the method against closed forms and minimal coordinates, and what it says and refuses."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from coupling import BuildError, Index3, Result, Successive, System
from coupling.outcome import Ending
from coupling.plan.graph import Part
from fmu_components.planar.Body import Body1
from fmu_components.planar.Fixed import Fixed
from fmu_components.planar.Revolute import Revolute
from tests.support import foreign
from tests.support.systems import fixed_steps as known
from tests.support.systems import seven_bodies
from tests.support.systems.fixed_steps import INSTANTS, WHEEL
from tests.support.systems.space import chaplygin
from tests.support.systems.spring_and_rod import MASSES, Q, V, accelerations, constraint, energy_of_motion, forces, slope, spring_and_rod
from tests.support.systems.stepped import DERIVATIVES, component
from tests.support.systems.systems import pendulum, refusal

METHODS = ["trapezoidal", "generalised-alpha", "trbdf2"]
METRICS = ["mass", "tangent"]


def run(system: System, stop: float, h: float, **options) -> Result:
    own = {each.name: options.pop(each.name) for each in fields(Index3) if each.name in options}
    result = system.simulate(stop, solver=Index3(step_size=h, **own), **{"output_times": [0.0, stop], **options})
    assert result.outcome.completed, result.outcome
    return result


def orders(errors: dict[float, np.ndarray]) -> np.ndarray:
    """Returns the orders between the two step sizes, by column."""
    large, small = sorted(errors, reverse=True)
    return np.log(errors[large] / errors[small]) / np.log(large / small)


# -- the paper's examples ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_two_masses_drift_apart_where_their_velocity_is_projected_alone(metric):
    """The drift is T h f / (4 m1), which is 0.357 mm with the paper's step of 1 ms; the force is exact. Stepped velocities are off by
    rounding only."""
    for h, drift in ((0.1, 3.571428571e-2), (0.05, 1.785714286e-2)):
        result = run(known.two_masses(), 5.0, h, velocity_level="projected", metric=metric)
        assert result["A.x"][-1] - result["B.x"][-1] - 3 == pytest.approx(drift, rel=1e-8)
        assert result["rail.multiplier[1]"] == pytest.approx([5 / 6] * len(result.time), abs=1e-10)
    result = run(known.two_masses(), 5.0, 0.1, metric=metric)
    assert result["A.x"][-1] == pytest.approx(3 + 25 / 12, abs=1e-13) and result["A.x"][-1] - result["B.x"][-1] == pytest.approx(
        3, abs=1e-13
    )


@pytest.mark.slow
def test_two_masses_with_the_paper_s_own_step():
    result = run(known.two_masses(), 5.0, 1e-3, velocity_level="projected")
    assert result["A.x"][-1] - result["B.x"][-1] - 3 == pytest.approx(3.571428571e-4, rel=1e-6)
    assert result["A.x"][-1] - (3 + 25 / 12) == pytest.approx(1.488095e-4, rel=1e-6)


def errors_of_pointing(h: float, **options) -> np.ndarray:
    """Returns the errors of positions, velocities and force."""
    exact, result = known.pointed_exact(INSTANTS), run(known.pointed(), 5.0, h, output_times=INSTANTS, **options)
    off = {name: np.abs(result[name] - values).max() for name, values in exact.items() if name != "force"}
    force = np.abs(result["pointer.multiplier[1]"] - exact["force"]).max()
    return np.array([max(off["A.x"], off["A.y"]), max(off["A.vx"], off["A.vy"]), force])


@pytest.mark.parametrize(
    ("level", "figures", "order"),
    [("projected", (8.249e-3, 1.192e-3, 1.552e-3), 1.0), ("stepped", (9.877e-5, 3.609e-5, 1.878e-5), 2.0)],
)
def test_a_points_at_b(level, figures, order):
    """Errors with 100 steps to four digits; halved steps tell the order."""
    errors = {h: errors_of_pointing(h, velocity_level=level) for h in (0.05, 0.025)}
    assert errors[0.05] == pytest.approx(figures, rel=1e-3)
    assert orders(errors) == pytest.approx([order] * 3, abs=0.03)


def test_a_wheel_is_pushed_from_one_time_to_another():
    """The steps of 0.4 s are shortened to meet both; projected alone, it slips."""
    result = run(known.wheel(), 5.0, 0.4, output_times=[0.0, 2.0, 5.0])
    assert result.statistics.steps == 14 and result.statistics.time_events == 3
    assert result["wheel.x"][-1] == pytest.approx(known.TRAVELLED, abs=1e-13)
    assert result["wheel.theta"][-1] == pytest.approx(-known.TRAVELLED / WHEEL["radius"], abs=1e-12)
    assert -result["contact.contact.tangential"][list(result.time).index(2.0)] == pytest.approx(known.GRIP, abs=1e-10)
    slipping = run(known.wheel(), 5.0, 0.1, velocity_level="projected")
    assert slipping["wheel.x"][-1] + WHEEL["radius"] * slipping["wheel.theta"][-1] == pytest.approx(0.1 / 4 * (2 / WHEEL["m"]), rel=1e-6)


# -- orders --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "metric"), [*product(METHODS[:1], METRICS), *product(METHODS[1:], ["mass"])])
def test_positions_velocities_first_order_states_and_multipliers_are_of_second_order(method, metric):
    """A rod with a torque that lags; the trapezoidal rule's errors at 320 steps are known to three digits."""
    times, errors = [0.5, 1.0, 1.5, 2.0], {}
    exact = known.lagging_exact(times)
    for count in (160, 320):
        result = run(known.lagging(), 2.0, 2 / count, method=method, metric=metric, output_times=times)
        found = [result[name] for name in ("rod.theta", "rod.omega", "lag.y", "pin.N.Fx", "pin.N.Fy")]
        off = np.abs(np.array(found) - exact).max(axis=1)
        errors[2 / count] = np.append(off[:3], off[3:].max())
        assert result.statistics.jacobians == result.statistics.newton_iterations
        assert result.statistics.most_newton_iterations == (6 if method == "trbdf2" else 3)
    assert ((orders(errors) > 1.9) & (orders(errors) < 2.1)).all()
    if method == "trapezoidal" and metric == "mass":
        assert errors[2 / 320] == pytest.approx([1.12e-4, 3.03e-4, 3.72e-4, 1.74e-3], rel=5e-3)


def test_constraints_that_move_by_themselves_are_of_second_order():
    times, errors = [0.5, 1.0, 1.5, 2.0], {}
    exact = known.shaken_exact(times)
    for count in (160, 320):
        result = run(known.shaken(), 2.0, 2 / count, output_times=times)
        errors[2 / count] = np.abs([result["rod.theta"] - exact[0], result["rod.omega"] - exact[1]]).max(axis=1)
    assert errors[2 / 320] == pytest.approx([7.5e-4, 3.3e-3], rel=0.02)
    assert orders(errors) == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.slow
def test_a_sphere_rolls_in_space():
    """Chaplygin's: centre, angular velocity and forces after 1, 3 and 5 s, to order 2; the first and the last are known to two digits."""
    system, times, found = chaplygin.system(), [1.0, 3.0, 5.0], {}
    known = chaplygin.exact(times)
    for count in (200, 400):
        found[5 / count] = np.array(list(chaplygin.errors(run(system, 5.0, 5 / count, output_times=times), known).values()))
    assert orders(found) == pytest.approx([2.0] * 3, abs=0.02)
    assert found[5 / 400][[0, 2]] == pytest.approx([5.3e-5, 4.0e-4], rel=0.02)


# -- projections ---------------------------------------------------------------------------------------------------------------------------


def step(h: float, q0: np.ndarray, v0: np.ndarray, a0: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, velocities, accelerations and multipliers after a step with beta = 1/4 and gamma = 1/2, before any projection."""

    def rates(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return 2 / h * (q - q0) - v0, 4 / h**2 * (q - q0 - h * v0) - a0

    def misfit(z: np.ndarray) -> np.ndarray:
        q, (v, a) = z[:6], rates(z[:6])
        return np.append(MASSES @ a - forces(q, v) - slope(constraint, q).T @ z[6:], constraint(q))

    z = np.append(q0 + h * v0, [0, 0])
    for _ in range(8):
        z -= np.linalg.solve(slope(misfit, z), misfit(z))
    return z[:6], *rates(z[:6]), z[6:]


def newmark(h: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and multipliers of the first step."""
    q, _, _, multipliers = step(h, Q, V, accelerations(Q, V))
    return q, multipliers


def test_projections_take_out_energy_in_each_step_and_without_them_the_rule_explodes():
    """Forty steps of Newmark's rule, with projections of velocities by P = M and accelerations that fit, and a hundred without any."""
    h, q, v = 0.05, Q, V
    losses = []
    for _ in range(40):
        q, free, _, _ = step(h, q, v, accelerations(q, v))
        g = slope(constraint, q)
        along = np.linalg.solve(MASSES, g.T)
        v = free - along @ np.linalg.solve(g @ along, g @ free)
        losses.append(energy_of_motion(free) - energy_of_motion(v))
    result = run(spring_and_rod(), 40 * h, h)
    names = [f"{body}.{name}" for name in ("x", "y", "theta", "vx", "vy", "omega") for body in ("rod", "free")]
    found = np.array([result[name][-1] for name in names]).reshape(6, 2)
    assert found[:3].T.ravel() == pytest.approx(q, abs=1e-9) and found[3:].T.ravel() == pytest.approx(v, abs=1e-8)
    assert min(losses) >= 0 and result.statistics.projected["energy"] == pytest.approx(sum(losses), rel=1e-7)

    q, v, a = Q, V, accelerations(Q, V)
    for _ in range(100):
        q, v, a, _ = step(h, q, v, a)
    assert np.abs(slope(constraint, q) @ v).max() > 1e3


def test_one_step_is_that_of_the_paper_in_generalised_coordinates():
    """Newmark's rule, then velocities by P = M, or by P = M + h/2 C + h^2/4 K; the free body moves by the latter alone. The energy that the
    former takes out is what the projections' own sum says."""
    h = 0.05
    q, multipliers = newmark(h)
    free, g = 2 / h * (q - Q) - V, slope(constraint, q)
    stiffness = -slope(lambda x: forces(x, free) + slope(constraint, x).T @ multipliers, q)
    damping = -slope(lambda x: forces(q, x), free)
    for metric, p in (("mass", MASSES), ("tangent", MASSES + h / 2 * damping + h**2 / 4 * stiffness)):
        along = np.linalg.solve(p, g.T)
        v = free - along @ np.linalg.solve(g @ along, g @ free)
        result = run(spring_and_rod(), h, h, metric=metric)
        names = [f"{body}.{name}" for body in ("rod", "free") for name in ("x", "y", "theta", "vx", "vy", "omega")]
        found = np.array([result[name][-1] for name in names]).reshape(2, 2, 3)
        assert found[:, 0].ravel() == pytest.approx(q, abs=2e-8)
        assert found[:, 1].ravel() == pytest.approx(v, abs=2e-6)
        if metric == "mass":
            assert result.statistics.projected["energy"] == pytest.approx((free @ MASSES @ free - v @ MASSES @ v) / 2, rel=1e-4)
            assert found[1, 1] == pytest.approx(free[3:], abs=2e-6)
        else:
            assert np.abs(found[1, 1] - free[3:]).max() > 1e-5


def test_multipliers_that_are_shown_are_not_those_of_the_iteration():
    """These are off by h already after one step from exact states, since they undo in a step what the rule errs across the constraint."""
    steps, names = (0.002, 0.001), ["pin.lambda[1]", "pin.lambda[2]"]
    exact = spring_and_rod().simulate(0.002, solver="dop853", rtol=1e-12, output_times=[0.0, *sorted(steps)])
    iterated, shown = {}, {}
    for h, row in zip(steps, (2, 1), strict=True):
        known_there = np.array([exact[name][row] for name in names])
        iterated[h] = np.abs(newmark(h)[1] - known_there)
        result = run(spring_and_rod(), h, h)
        shown[h] = np.abs([result[name][-1] for name in names] - known_there)
    assert np.linalg.norm(iterated[0.002]) / np.linalg.norm(iterated[0.001]) == pytest.approx(2, abs=0.1)
    assert np.linalg.norm(shown[0.002]) < 0.02 * np.linalg.norm(iterated[0.002])


@pytest.mark.parametrize(("metric", "lost"), [("mass", 5.3e-3), ("tangent", 8.8e-3)])
def test_a_rod_loses_a_little_energy(metric, lost):
    """It loses a little of 4.9 J in 5 s with steps of 20 ms, and never gains any by the metric of the masses."""
    energy = run(pendulum(), 5.0, 0.02, metric=metric, output_times=np.linspace(0, 5, 251)).energy
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=0.02)
    result = run(pendulum(), 5.0, 0.02, metric=metric)
    assert result.statistics.projected["energy"] > 0 and 0 < result.statistics.projected["velocity"] < 0.1


def test_steps_that_are_too_large_have_a_warning():
    (warning,) = run(pendulum(), 2.0, 0.2, output_times=np.linspace(0, 2, 11)).outcome.warnings
    assert "the step of 0.2 s is too large; choose a smaller step_size" in warning and warning.startswith("the projections of velocities")


# -- hard mechanisms -----------------------------------------------------------------------------------------------------------------------


def test_a_parallelogram_goes_through_24_singular_poses():
    """It does so with steps of 20 ms: on its branch, with its coupler level, and with three iterations in each step."""
    result = run(known.parallelogram(), 10.0, 0.02, output_times=np.linspace(0, 10, 501))
    assert np.abs(result["coupler.theta"]).max() < 1e-12 and max(result.violation["position"]) < 1e-13
    assert result["crank.theta"][-1] == pytest.approx(known.parallelogram_exact(10.0), abs=0.32)
    assert result["crank.theta"][-1] > 24 * np.pi - np.pi / 2 and result.statistics.most_newton_iterations == 3


def test_three_hinges_share_the_load():
    result = run(known.door(), 2.0, 0.02)
    shares = [result[f"hinge{k}.multiplier[2]"][-1] for k in (1, 2, 3)]
    assert shares == pytest.approx([0.824573] * 3, abs=1e-6) and max(result.violation["position"]) < 1e-15
    (warning,) = result.outcome.warnings
    assert warning.startswith("4 constraints are redundant at t = 0 s, among those of 'hinge1', 'hinge2', 'hinge3'")


def test_hinges_that_contradict_each_other_are_named():
    """A door hangs at a fixed post, and at one that moves away."""
    result = known.door(["planar.Fixed", known.Dragged]).simulate(1.0, solver=Index3(step_size=0.02), output_times=[0.0, 1.0])
    assert result.outcome.ending is Ending.CONTRADICTORY
    assert result.outcome.sentence == (
        "stopped at t = 0 s: the joints 'hinge1' and 'hinge2' contradict each other: no positions satisfy both, 0.0001 m are left; remove one of "
        "them, or mend their values. The result holds everything up to there"
    )


def test_what_rings_is_named_and_damped_by_the_other_methods():
    """A lag of 1e-5 s starts off its slow motion."""
    ends = {}
    for method in METHODS:
        result = run(known.lagging(1e-5, 1.0), 2.0, 0.005, method=method)
        ends[method] = result["lag.y"][-1] + result["rod.omega"][-1]
        ringing = [w for w in result.outcome.warnings if "rings from step to step" in w]
        assert len(ringing) == (method == "trapezoidal")
        for warning in ringing:
            assert warning.startswith("'lag.x' rings from step to step, from t = 0.105 s on; Index3(method='generalised-alpha') or")
    assert abs(ends["trapezoidal"]) > 0.03 and max(abs(ends[m]) for m in METHODS[1:]) < 1e-3


def test_results_do_not_depend_on_the_stabilisation_of_the_joints():
    angles = []
    for value in (0.0, 5.0, 50.0):
        given = {"baumgarte.alpha": value, "baumgarte.beta": value}
        result = run(known.lagging(**given), 2.0, 0.02)
        angles.append([result["rod.theta"][-1], result["pin.multiplier[2]"][-1]])
        assert result.outcome.stabilisation == "constraints were held by solver = 'index3' at the end of each step"
        assert result.outcome.warnings == [
            f"solver='index3' does without 'pin.baumgarte.{each}', which was given a value; leave the value out, or choose another solver"
            for each in ("alpha", "beta")
        ]
    assert np.ptp(angles, axis=0) == pytest.approx([0, 0], abs=1e-12)


def test_rows_between_steps_are_on_the_constraints():
    """Hermite's polynomial, projected: a step is no longer than 20 ms, rows are 1 ms apart."""
    result = run(pendulum(), 0.5, 0.02, output_times=np.linspace(0, 0.5, 501), outputs=["*"])
    assert max(result.violation["position"]) < 1e-12 and result.statistics.steps == 25


@pytest.mark.parametrize("metric", METRICS)
def test_joints_come_into_force_and_go(metric):
    """A rod flies by at 2 m/s, is caught at one end, which takes half of its energy of 1 J, and let go; afterwards it turns evenly."""
    system = System("caught")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 0.5, "I": 1 / 24, "p1.rx": -0.5, "gy": 0.0, "x": 0.5, "y": -1.0, "vy": 2.0})
    known.hinge(system, "pin", "ground.p1", "rod.p1")
    system.enforce("pin", [(0.5, 1.0)])
    result = run(system, 1.5, 0.003, metric=metric, output_times=[0.25, 0.75, 1.5])
    assert [(change.time, change.what) for change in result.changes] == [(0.5, "added"), (1.0, "removed")]
    assert result.changes[0].energy == pytest.approx(0.25)
    assert result["rod.omega"] == pytest.approx([0, 0, 3, 3, 3, 3, 3], abs=1e-6)
    assert result["rod.theta"][-1] == pytest.approx(3.0, abs=1e-4)


# -- foreign FMUs --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmus_without_derivatives_are_differenced(fmi):
    """Nothing else changes: not the steps, not the motion, not the iterations; the rod's velocities are those that multipliers move."""
    system = System("pendulum")
    system.add("ground", component(Fixed, fmi, *DERIVATIVES))
    system.add("pin", component(Revolute, fmi, *DERIVATIVES))
    system.add("rod", component(Body1, fmi, *DERIVATIVES), {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    known.connected(system, ("ground.p1", "pin.M"), ("pin.N", "rod.p1"))
    found, exact = run(system, 1.0, 0.01), run(pendulum(), 1.0, 0.01)
    assert found["rod.theta"][-1] == pytest.approx(exact["rod.theta"][-1], abs=1e-9)
    assert found["pin.multiplier[2]"][-1] == pytest.approx(exact["pin.multiplier[2]"][-1], abs=1e-6)
    assert max(found.violation["velocity"]) < 1e-9 and max(found.violation["position"]) < 1e-12
    assert found.statistics.newton_iterations == pytest.approx(exact.statistics.newton_iterations, rel=0.05)


def test_constraints_that_tell_no_violation_are_solved_by_their_residuals(monkeypatch):
    """Joints of other tools may be such constraints: they may drift, and a warning says so."""
    own = Part.dae.fget

    def stripped(part: Part):
        dae = own(part)
        return dae and replace(dae, constraints=tuple(replace(c, position=None, velocity=None) for c in dae.constraints))

    monkeypatch.setattr(Part, "dae", property(stripped))
    result = pendulum().simulate(1.0, solver=Index3(step_size=0.002), output_times=[0.0, 1.0])
    assert result.outcome.completed and result["rod.theta"][-1] == pytest.approx(run(pendulum(), 1.0, 0.002)["rod.theta"][-1], abs=1e-3)
    assert result.outcome.warnings[:1] == [
        "'pin.lambda[1]' is solved from its residual alone, since 'pin' has no outputs position[1] or velocity[1]; its constraint may drift"
    ]


def test_events_of_fmus_begin_the_steps_anew():
    """State and time events, against what is exactly known; no constraint is there."""
    system = System("events")
    system.add("it", foreign.two_events())
    exact = foreign.two_events_exact(np.array([2.0]))
    result = run(system, 2.0, 0.01, output_times=[0.0, 2.0])
    assert result.statistics.state_events == 3 and result.statistics.time_events == 1
    assert [result["it.x"][-1], result["it.level"][-1]] == pytest.approx([each[0] for each in exact], abs=1e-12)


# -- options -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [known.lagging, known.pointed, known.parallelogram, seven_bodies.system])
def test_every_combination_of_options_runs(make):
    system = make()
    h, stop = (1e-4, 1e-3) if make is seven_bodies.system else (0.01, 0.1)
    for method, metric, level in product(METHODS, METRICS, ("stepped", "projected")):
        result = run(system, stop, h, method=method, metric=metric, velocity_level=level, outputs=["*"])
        assert max(result.violation["velocity"]) < 1e-11
        assert make is known.pointed or max(result.violation["position"]) < 1e-12


REFUSED = {
    "step_size = 1e-14 s is refused: at such times numbers resolve no less than 1e-12 s; choose a longer one": {
        "solver": Index3(step_size=1e-14)
    },
    "rtol is not used by solver='index3', whose accuracy follows from step_size; leave it out": {"rtol": 1e-4},
    "atol is not used by solver='index3', whose accuracy follows from step_size; leave it out": {"atol": 1e-4},
    "max_step is not used by solver='index3', whose accuracy follows from step_size; leave it out": {"max_step": 0.1},
    "stabilisation = 'projection' is for other solvers: solver='index3' holds constraints by itself; leave one of the two out": {
        "stabilisation": "projection"
    },
    "initial='relax' leaves a violated start to the joints' own stabilisation, which solver='index3' does without; choose initial='assemble'": {
        "initial": "relax"
    },
    "form = 'full' is refused with solver = 'index3', which evaluates in C; choose one whose evaluations pass through Python, such as 'RK45' or "
    "'DOP853'": {"multipliers": Successive(form="full")},
}


REFUSED_FIELDS = {
    "step_size = 0 s is refused: it must be greater than 0 and finite": {"step_size": 0},
    "step_size = 'a' is refused: it must be a number": {"step_size": "a"},
    "metric = 'masses' is unknown; choose 'mass' or 'tangent'": {"metric": "masses"},
    "velocity_level = 'off' is unknown; choose 'stepped' or 'projected'": {"velocity_level": "off"},
    "method = 'euler' is unknown; choose 'trapezoidal', 'generalised-alpha' or 'trbdf2'": {"method": "euler"},
    "spectral_radius = 0.5 is for method='generalised-alpha', not for 'trapezoidal'; leave it out": {"spectral_radius": 0.5},
    "spectral_radius = 1 is refused: it must be at least 0 and less than 1; 0.8 is the default": {
        "spectral_radius": 1,
        "method": "generalised-alpha",
    },
    "newton_limit = 0 is refused: it must be a whole number of at least 1": {"newton_limit": 0},
    "newton_limit = 2.5 is refused: it must be a whole number of at least 1": {"newton_limit": 2.5},
    "newton_limit = True is refused: it must be a number": {"newton_limit": True},
    "newton_tolerance = 1 is refused: it must lie between 1e-14 and 1e-3; 1e-10 is the default": {"newton_tolerance": 1.0},
}


@pytest.mark.parametrize("sentence", REFUSED_FIELDS)
def test_a_field_that_makes_no_sense_is_refused(sentence):
    assert refusal(lambda: Index3(**REFUSED_FIELDS[sentence]), BuildError) == sentence


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_makes_no_sense_is_refused(sentence):
    options = {"solver": Index3(step_size=0.01), **REFUSED[sentence]}
    assert refusal(lambda: pendulum().simulate(1.0, **options), BuildError) == sentence


@pytest.mark.parametrize("limit", [5.0, np.int64(5), 10**12])
def test_any_whole_number_limits_the_iterations(limit):
    assert run(pendulum(), 0.1, 0.01, newton_limit=limit).statistics.most_newton_iterations == 3


def test_a_step_that_is_not_solved_says_which_state_still_changes():
    result = known.parallelogram().simulate(1.0, solver=Index3(step_size=0.05, newton_limit=2))
    assert result.outcome.ending is Ending.NOT_SOLVED
    before, after = result.outcome.sentence.split(" still changes by ")
    assert before.startswith("stopped at t = 0 s: a step of 0.05 s has not been solved in 2 Newton iterations. '")
    assert after.endswith("; raise newton_limit (the default is 10). The result holds everything up to there")


def test_a_system_without_states_runs_too():
    system = System("signals")
    system.add("source", "signal.Constant", {"value": 2.0})
    system.add("gain", "signal.Gain", {"k": 3.0})
    system.connect("source.y", "gain.u")
    assert run(system, 1.0, 0.1)["gain.y"][-1] == 6.0


def test_too_many_steps_have_a_remedy():
    result = pendulum().simulate(1.0, solver=Index3(step_size=0.01), max_steps=5)
    assert result.outcome.sentence.startswith(
        "stopped at t = 0.05 s after max_steps = 5 steps; raise max_steps, or choose a longer step_size"
    )


def test_a_second_run_gives_the_same_bits():
    system = known.lagging()
    first, second = (run(system, 1.0, 0.01)["rod.theta"] for _ in range(2))
    assert np.array_equal(first, second)
