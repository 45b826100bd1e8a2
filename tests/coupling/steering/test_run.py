"""Runs that are advanced piece by piece: the same bits as one run with the same inputs, states that return, and sentences."""

from __future__ import annotations

import gc
import math
import os
import random
import threading
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Ending, Index3, Isolation, Result, RunEnded, Scheme, System
from coupling.errors import NotRecorded
from coupling.steering.run import SteeredRun
from coupling.steering.saved import SavedState
from tests.support import foreign
from tests.support.systems.kept import RUNS, stepped
from tests.support.systems.switching import belt, stop
from tests.support.systems.systems import refusal

TIMES = tuple(np.round(np.arange(1, 11) * 0.05, 12).tolist())
VALUES = tuple((0.5 * np.sin(1.3 * np.arange(10))).tolist())
SOLVERS = ("cvode", "ida", "RK45", "Radau", "BDF", "LSODA")
PIN = "rod.p2.Fy"


def pulled() -> System:
    """Returns a pinned rod with a free end."""
    system = System("pulled")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def mass() -> System:
    """Returns a mass that a force moves."""
    system = System("mass")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    return system


def forced(build: Callable[[], System], flange: str) -> Callable[[], System]:
    """Returns a function that builds a system with a force at a flange, whose input is ``push.force``."""

    def built() -> System:
        system = build()
        system.add("push", "mechanical1d.Force")
        system.connect("push.flange", flange)
        return system

    return built


def strange() -> System:
    """Returns an oscillator of another tool."""
    system = System("strange")
    system.add("oscillator", foreign.oscillator())
    return system


Case = tuple[Callable[[], System], str, Mapping[str, Any]]
_OF_PENDULUM = {name: options for name, (_, options) in RUNS.items() if "sensitivities" not in options}
CASES: dict[str, Case] = {
    **{f"rod, {name}": (pulled, PIN, options) for name, options in _OF_PENDULUM.items()},
    **{f"rod, {name}": (pulled, PIN, {"solver": name}) for name in SOLVERS},
    "impacts": (forced(stop, "mass.flange"), "push.force", {}),
    "impacts, fixed steps": (forced(stop, "mass.flange"), "push.force", {"solver": Index3(step_size=2e-3)}),
    "friction": (forced(belt, "block.flange"), "push.force", {}),
    "another tool": (strange, "oscillator.u", {}),
    "another tool by cvode": (strange, "oscillator.u", {"solver": "cvode"}),
    "in a process": (pulled, PIN, {"isolate": "all"}),
    "in a process by cvode": (pulled, PIN, {"isolate": "all", "solver": "cvode"}),
    "in a process by SciPy": (pulled, PIN, {"isolate": "all", "solver": "RK45"}),
    "in a process, in steps": (pulled, PIN, stepped(isolate=Isolation(which="all"))),
}
QUICK = ("rod, dopri5", "rod, index3", "rod, implicit", "rod, cvode", "impacts", "another tool", "in a process by SciPy")
SHOWN = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
APART = ("rod, power", "rod, step doubling")
"""Step controls, which choose other steps where a pause ends one: their pieces agree to the tolerance."""


def steps_of(times: Sequence[float], values: Sequence[float]) -> np.ndarray:
    """Returns the table of an input that is 0, and has each value from the end of a piece to that of the next one."""
    rows = [(0.0, 0.0), (0.0, values[0])]
    for t, before, after in zip(times, values, values[1:], strict=False):
        rows += [(t, before), (t, after)]
    return np.array([*rows, (max(1.0, times[-1]), values[-1])])


def in_pieces(name: str) -> tuple[Result, Result]:
    """Returns a run in pieces, whose input is set at each, and one run with the same drive."""
    build, force, options = CASES[name]
    inputs = () if "communication_step" not in options else (force,)
    with build().start(inputs=inputs, **options) as run:
        for t, value in zip(TIMES, VALUES, strict=True):
            run[force] = value
            run.advance_to(t)
    whole = build().simulate(1.0, drives={force: steps_of(TIMES, VALUES)}, output_times=[0.0, *TIMES], **options)
    return run.result, whole


@pytest.mark.parametrize("name", SHOWN)
def test_pieces_are_one_run(name: str) -> None:
    pieces, whole = in_pieces(name)
    assert pieces.outcome.completed and whole.outcome.completed, (pieces.outcome.sentence, whole.outcome.sentence)
    found, wanted = pieces._record.rows[1:], whole._record.rows  # the first row is that before the force at the start
    found, wanted = found[:-1], wanted[: len(found) - 1]  # the last piece ends where no step of the other run does
    assert np.array_equal(found[:, 0], wanted[:, 0]) and found[-1, 0] == TIMES[-2]
    if name in APART:
        columns = [1 + list(pieces.names).index("rod.theta")]
        assert np.abs(found[:, columns] - wanted[:, columns]).max() < 2e-3
    else:
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("solver", ["dopri5", "cvode", "dop853"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-10])
def test_pauses_alone_stay_within_the_tolerance(solver: str, rtol: float) -> None:
    with pulled().start(solver=solver, rtol=rtol) as run:
        for _ in range(7):
            run.advance(1 / 7)
    whole = pulled().simulate(7 * (1 / 7), solver=solver, rtol=rtol)
    for name in ("rod.theta", "rod.omega"):
        largest = np.abs(whole[name]).max()
        assert abs(run.result[name][-1] - whole[name][-1]) < (10 if solver != "cvode" else 300) * rtol * largest  # its global error


@pytest.mark.parametrize("name", SHOWN)
def test_a_saved_state_returns_with_the_same_bits(name: str) -> None:
    build, force, options = CASES[name]
    chance = random.Random(3)
    times = sorted({round(chance.uniform(0.01, 0.45), 6) for _ in range(8)})
    inputs = () if "communication_step" not in options else (force,)

    def on(run: SteeredRun, first: int) -> np.ndarray:
        for i in range(first, len(times)):
            run[force] = 0.1 * i
            run.advance_to(times[i])
            states[i : i + 1] = [run.save()]
        return run.result._record.rows.copy()

    states: list[Any] = []
    with build().start(inputs=inputs, **options) as run:
        if "another tool" in name:
            assert "cannot save its state" in refusal(run.save)
            assert "cannot save its state" in refusal(run.fork)
            return
        rows = on(run, 0)
        for i in (4, 1, 6):
            run.restore(states[i])
            assert run.time == times[i]
            again = on(run, i + 1)
            if options.get("solver") in SOLVERS:  # which begin anew there
                assert np.allclose(again, rows, rtol=1e-7, atol=1e-7)
            else:
                assert np.array_equal(again, rows)


def test_forks_go_their_own_ways_and_keep_no_memory() -> None:
    with mass().start() as run:
        run["mass.flange.f"] = 1.0
        run.advance(1.0)
        with run.fork() as other:
            other["mass.flange.f"] = -1.0
            other.advance(1.0)
            run.advance(1.0)
            assert other["mass.v"] == pytest.approx(0.0, abs=1e-12) and run["mass.v"] == pytest.approx(1.0)
            assert np.array_equal(other.result.time[:3], run.result.time[:3])
        for _ in range(20):
            run.fork().close()
        tracemalloc.start()
        for _ in range(200):
            run.fork().close()
        now, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert now < 100_000


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"evaluation": "compiled"}, stepped(scheme="implicit")], ids=str)
def test_ten_thousand_forks_keep_no_memory(options: dict[str, Any]) -> None:
    """The memory of the process, with that of C, stays within that of a few hundred forks; one fork of the rod would be 20 kB and more."""
    with pulled().start(**options) as run:
        run.advance(0.1)

        def fork(count: int) -> int:
            for _ in range(count):
                run.fork().close()
            gc.collect()
            return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before = fork(1_000)
        assert fork(10_000) - before < 3_000_000
        assert run.fork().advance(0.1) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_states_of_a_hundred_random_times_return(name: str) -> None:
    """The same bits from each of them on. CVODE, IDA and SciPy's solvers begin anew, and stay within 10 rtol of the greatest value."""
    build, force, options = CASES[name]
    if "another tool" in name:
        return
    chance = random.Random(name)
    times = sorted({round(chance.uniform(1e-3, 0.5), 9) for _ in range(100)})
    inputs = () if "communication_step" not in options else (force,)
    begins_anew = options.get("solver") in SOLVERS
    tight = {"rtol": 1e-8} if begins_anew else {}
    states: list[SavedState] = []
    with build().start(inputs=inputs, **options, **tight) as run:
        for i, t in enumerate(times):
            run[force] = 0.5 * math.sin(7.0 * i)
            run.advance_to(t)
            states.append(run.save())
        rows = run.result._record.rows.copy()
        largest = np.abs(rows).max(axis=0)
        columns = [run._columns[each] for each in ("rod.x", "rod.y", "rod.theta") if each in run._columns]
        order = list(range(len(times) - 1))
        chance.shuffle(order)
        for first in order:
            run.restore(states[first])
            for i in range(first + 1, min(first + 4, len(times))):  # three pieces are enough to see a difference
                run[force] = 0.5 * math.sin(7.0 * i)
                run.advance_to(times[i])
            again = run.result._record.rows
            if begins_anew:
                apart = np.abs(again[-1] - rows[np.searchsorted(rows[:, 0], again[-1, 0], "right") - 1])
                assert np.all(apart[columns] <= 10 * 1e-8 * np.maximum(largest[columns], 1.0))
            else:
                last = again[again[:, 0] < again[-1, 0]]  # the row of the last pause is one before its event
                assert np.array_equal(last, rows[: len(last)])
    assert run.outcome is not None
    notes = [each for each in run.outcome.notes if "began anew" in each]
    assert notes == (
        [f"the run went back to a saved state {len(order)} times, where solver = '{options['solver']}' began anew: not to the last bit"]
        if begins_anew
        else []
    )


@pytest.mark.parametrize(("solver", "rtol"), [("dopri5", 1e-9), (Index3(step_size=0.01), 1e-9)])
def test_a_force_in_steps_has_its_closed_form(solver: Any, rtol: float) -> None:
    speed = distance = 0.0
    with mass().start(solver=solver) as run:
        for i, force in enumerate((1.0, -3.0, 0.0, 2.5)):
            run["mass.flange.f"] = force
            assert run["mass.flange.f"] == force
            run.advance(0.3)
            distance += 0.3 * speed + force / 2 * 0.3**2 / 2
            speed += force / 2 * 0.3
            assert run[["mass.s", "mass.v"]] == pytest.approx([distance, speed], rel=rtol, abs=1e-12), i
        run["mass.m"] = 4.0
        run.advance(1.0)
        assert run["mass.v"] == pytest.approx(speed + 2.5 / 4, rel=rtol)
        assert run["mass.m"] == 4.0
    assert str(run.outcome) == "completed at t = 2.2 s" and run.result.outcome.completed


def test_a_rate_makes_a_ramp() -> None:
    with mass().start(inputs=["mass.flange.f"]) as run:
        run.set("mass.flange.f", 1.0, rate=2.0)
        run.advance(1.5)
        assert run["mass.v"] == pytest.approx((1.5 + 1.5**2) / 2, rel=1e-9)
        run["mass.flange.f"] = 0.0
        run.advance(1.0)
        assert run["mass.v"] == pytest.approx((1.5 + 1.5**2) / 2, rel=1e-9)
    with mass().start() as run:
        text = refusal(lambda: run.set("mass.flange.f", 1.0, rate=2.0), BuildError)
        assert text == "rate = 2 of 'mass.flange.f' is refused: name the input in start(inputs=['mass.flange.f'])"


def test_a_prescribed_motion_follows_its_rate() -> None:
    system = pulled()
    system.join("planar.RelativeAngle", "ground.p1", "rod.p2", name="motor")
    with system.start(inputs=["motor.angle"]) as run:
        run.set("motor.angle", 0.0, rate=0.5)
        run.advance(2.0)
        assert run[["rod.theta", "rod.omega"]] == pytest.approx([1.0, 0.5], abs=1e-9)
        run.set("motor.angle", 1.0)
        run.advance(1.0)
        assert run[["rod.theta", "rod.omega"]] == pytest.approx([1.0, 0.0], abs=1e-9)
        assert "'motor.angle' jumps from 1 to 2 rad" in refusal(lambda: run.set("motor.angle", 2.0), BuildError)
    with system.start() as run:
        text = refusal(lambda: run.set("motor.angle", 1.0), BuildError)
        assert (
            text
            == "'motor.angle' cannot be set: it is a prescribed motion, which changes with a rate; name it in start(inputs=['motor.angle'])"
        )


def test_a_velocity_is_held_and_the_others_follow() -> None:
    with pulled().start(rtol=1e-10) as run:
        run.advance(0.2)
        run["rod.omega"] = 5.0
        run.advance(1e-9)
        angle = run["rod.theta"]
        assert run["rod.omega"] == pytest.approx(5.0, rel=1e-7)
        assert run[["rod.vx", "rod.vy"]] == pytest.approx([-2.5 * math.sin(angle), 2.5 * math.cos(angle)], rel=1e-7)
        run["rod.theta"] = 1.0
        text = refusal(lambda: run.advance(0.1), BuildError)
        assert text.startswith("'rod.theta' cannot be set: 'pin' would be violated, pin.position[2] = -0.56")
        run["rod.omega"], run["rod.vx"] = 1.0, 7.0
        assert "no velocities satisfy the joints with them" in refusal(lambda: run.advance(0.1), BuildError)
        run.advance(0.1)  # what was refused is forgotten
        run["rod.x"], run["rod.y"], run["rod.theta"] = 0.5 * math.cos(0.3), 0.5 * math.sin(0.3), 0.3
        run.advance(1e-9)
        assert run["rod.theta"] == pytest.approx(0.3, abs=1e-7)
    with pulled().start(communication_step=0.01) as run:
        text = refusal(lambda: run.set("rod.omega", 1.0), BuildError)
        assert (
            text
            == "'rod.omega' cannot be set: 'rod' runs in Co-Simulation, which gives no access to its states; set an input or a parameter"
        )


@pytest.mark.parametrize("options", [{}, {"solver": "cvode"}, {"solver": Index3(step_size=0.01)}, stepped(), stepped(scheme="implicit")])
def test_steps_one_by_one(options: dict[str, Any]) -> None:
    with pulled().start(**options) as run:
        before = run.time
        for _ in range(5):
            run.step()
            assert run.time > before
            before = run.time
            assert run.result.time[-1] == run.time and run["rod.theta"] == run.result["rod.theta"][-1]
        run.advance_to(before + 0.1)
        assert run.time == pytest.approx(before + 0.1)


def test_signals_are_arrays_by_names_that_are_fixed() -> None:
    with mass().start() as run, mass().start() as plain:
        run.signals(inputs=["mass.flange.f"], outputs=["mass.v", "mass.s"])
        for force in (1.0, 1.0, -2.0):
            plain["mass.flange.f"] = force
            plain.advance(0.25)
            assert run.advance(0.25, [force]) == pytest.approx(plain[["mass.v", "mass.s"]], rel=1e-12)
        rows = 8  # one at the end of each piece, and two where the force changes; the first is that of the start
        assert len(run.result.time) == rows - 2 and run["mass.flange.f"] == -2.0
        assert refusal(lambda: run.advance(0.1, [1.0, 2.0])).startswith("values = [1.0, 2.0] is refused: give 1 numbers, for mass.flange.f")
        assert "must be a finite number" in refusal(lambda: run.advance(0.1, [math.nan]), BuildError)
        assert run.time == 0.75  # nothing has happened
        assert run.advance(0.25, np.array([0.0]))[0] == plain["mass.v"]
    with mass().start() as run:
        assert "call signals(" in refusal(lambda: run.advance(0.1, [1.0]))
        assert "'mass.q' is not recorded" in refusal(lambda: run.signals(outputs=["mass.q"]), NotRecorded)
    with pulled().start(communication_step=0.01) as run:
        run.signals(inputs=[PIN], outputs=["rod.theta"])
        assert run.advance(0.1, [0.5])[0] == run["rod.theta"]


@pytest.mark.parametrize("options", [{}, stepped()])
def test_signals_know_what_was_set_otherwise(options: dict[str, Any]) -> None:
    """A state that is restored has its own input: the same value as before is an event again."""
    with pulled().start(**options) as run, pulled().start(**options) as plain:
        run.signals(inputs=[PIN], outputs=["rod.theta"])
        state, reached = None, 0.0
        for force in (1.0, 2.0, 0.0):
            reached = run.advance(0.1, [force])[0]
            plain[PIN] = force
            plain.advance(0.1)
            assert reached == plain["rod.theta"] and run[PIN] == force
            state = state or run.save()
        run.restore(state)
        assert run[PIN] == 1.0
        for force in (2.0, 0.0):
            again = run.advance(0.1, [force])[0]
        assert again == reached
        assert refusal(lambda: run.set(PIN, 1.0)) == f"'{PIN}' is one of signals(inputs=[...]); give its value to advance(dt, values)"
        run.signals(outputs=["rod.theta"])
        assert run[PIN] == 0.0


def test_a_run_ends_with_its_block_or_by_stop() -> None:
    with mass().start() as run:
        run.advance(1.0)
        assert run.outcome is None and run.result.outcome.ending is Ending.PAUSED
        assert str(run.result.outcome) == "waits at t = 1 s, and can go on"
    assert run.outcome is not None and run.outcome.completed and run.time == 1.0 and run["mass.s"] == 0.0
    assert refusal(lambda: run.advance(1.0), RunEnded) == "the run has ended: completed at t = 1 s"
    with mass().start() as run:
        run.advance(0.5)
        threading.Thread(target=run.stop).start()
        with pytest.raises(RunEnded, match=r"completed at t = 0\.5 s"):
            while True:
                run.advance(0.0)


def test_a_run_that_fails_says_so_at_the_next_call() -> None:
    with mass().start(value_limit=10.0) as run:
        run["mass.flange.f"] = 1e3
        run.advance(100.0)
        assert run.outcome is not None and run.outcome.ending is Ending.BEYOND_LIMIT and run.time < 1.0
        assert refusal(lambda: run.advance(1.0), RunEnded).startswith("the run has ended: stopped at t = ")
        assert run.result.outcome is run.outcome and len(run.result.time) > 1


def test_what_is_refused() -> None:
    with pulled().start() as run:
        run.advance(0.1)
        for call, text in (
            (lambda: run.advance(-0.1), "dt = -0.1 s is refused: it must not be negative; go back with restore"),
            (lambda: run.advance_to(0.05), "time = 0.05 s lies before t = 0.1 s, which the run has reached; go back with restore"),
            (lambda: run.advance_to(math.inf), "time = inf s is refused: it must be finite"),
            (
                lambda: run.set("rod.p1.Fx", 1.0),
                "'rod.p1.Fx' cannot be set: 'pin.N.Fx' is connected to it; leave the connection out, or set what feeds 'pin.N.Fx'",
            ),
            (
                lambda: run.set("pin.lambda[1]", 1.0),
                "'pin.lambda[1]' cannot be set: it is a local variable; set an input, a parameter or a state",
            ),
            (lambda: run.set("rod.p2.ay", 1.0), "'rod.p2.ay' cannot be set: it is an output; set an input, a parameter or a state"),
            (lambda: run.set("rod.m", -1.0), "'rod.m' = -1.0 kg is refused: it must be at least 0"),
            (lambda: run.set("rod.m", math.nan), "'rod.m' = nan kg is refused: it must be a finite number"),
            (lambda: run.set(3, 1.0), "3 cannot be set; give the full name of an input, a parameter or a state, such as 'motor.tau'"),
            (lambda: run.restore(3), "state = 3 is refused: give what save() of this run has returned"),
        ):
            assert refusal(call, BuildError) == text  # type: ignore[arg-type]  # each is a function without arguments
        with pytest.raises(NotRecorded, match=r"'rod\.thet' is not recorded; did you mean 'rod\.theta'"):
            run["rod.thet"]
        found: list[str] = []

        def elsewhere() -> None:
            found.append(refusal(lambda: run.advance(0.1), BuildError))

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert found == ["the run belongs to another thread, which has started it; use it there, and only stop() here"]
        with mass().start() as other:
            other.advance(0.1)
            state = other.save()
        assert refusal(lambda: run.restore(state), BuildError).startswith("the state is of another system or run")
    driven = pulled()
    driven.drive(PIN, 1.0)
    for options, text in (
        ({"stop_time": 1.0}, "start has no option 'stop_time': the run ends where its user stops to advance it; leave it out"),
        ({"communication_stp": 0.1}, "start has no option 'communication_stp'; did you mean 'communication_step'?"),
        ({"solver": "index3"}, "solver = 'index3' has no step_size, which follows from the end of a run; give Index3(step_size=0.001)"),
        (
            {"inputs": ["rod.m"]},
            "inputs: 'rod.m' is no continuous input; name inputs that are to change with a rate, and set others directly",
        ),
    ):
        assert refusal(lambda given=options: pulled().start(**given)) == text  # type: ignore[misc]


def test_an_output_interval_adds_rows() -> None:
    with mass().start(output_interval=0.1) as run:
        run.advance(0.25)
        run.advance(0.25)
    assert run.result.time == pytest.approx([0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5])


def test_schemes_pause_between_points_only_where_steps_may_have_any_size() -> None:
    with pulled().start(**stepped(scheme=Scheme("gauss-seidel"))) as run:
        run.advance(0.015)
        assert run.time == 0.015
        run.advance(0.015)
        assert run.time == pytest.approx(0.03)


def test_a_piece_may_end_beside_an_event_by_rounding() -> None:
    """The force steps at 0.7 s; a piece that ends 5e-13 s later has no step after the event, which no Newton iteration would solve."""
    system = pulled()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p2")
    system.drive("push.Fy", np.array([(0.0, 9.0), (0.7, 9.0), (0.7, -9.0), (1.0, -9.0)]))
    options: dict[str, Any] = {"solver": Index3(step_size=5e-4)}
    with system.start(**options) as beside, system.start(**options) as exact:
        for run, end in ((beside, 0.7 + 5e-13), (exact, 0.7)):
            run.advance_to(end)
            run.advance_to(0.75)
        assert beside["rod.theta"] == pytest.approx(exact["rod.theta"], abs=1e-10)
        assert beside.result.statistics.steps == exact.result.statistics.steps


def test_a_start_value_of_an_input_with_rates_is_its_present_value() -> None:
    """An array that takes it back to 0 is a change: a mass of 2 kg feels 3 N for 1 s, and nothing after that."""
    force = "mass.flange.f"
    with mass().start(inputs=[force], start_values={force: 3.0}) as run:
        run.advance(1.0)
        assert run["mass.v"] == pytest.approx(1.5, abs=1e-9)
        run.signals(inputs=[force], outputs=["mass.v"])
        assert run.advance(1.0, [0.0]) == pytest.approx([1.5], abs=1e-9)
