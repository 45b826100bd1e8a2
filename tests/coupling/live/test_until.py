"""Runs that end early: where a condition holds, located as an event, or after a time on the wall clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk, ellipkinc

from coupling import BuildError, Ending, Index3, Isolation, Result, RunEnded, Scheme, System
from coupling.sweep import sweep
from tests.support.foreign.types import types
from tests.support.systems.kept import RUNS, bits, stepped
from tests.support.systems.switching import stop
from tests.support.systems.systems import pendulum, pushed, refusal

GRAVITY = 9.81
SOLVERS = ("dopri5", "dop853", "cvode", "ida", "RK45", "Radau", "BDF", "LSODA")
FIXED = tuple(Index3(step_size=1e-3, method=each) for each in ("generalised-alpha", "trbdf2"))
EVERY: Mapping[str, tuple[Callable[[], System], Mapping[str, Any]]] = {
    **RUNS,
    **{name: (pendulum, {"solver": name}) for name in SOLVERS[2:]},
    "in a process": (pendulum, {"isolate": "all"}),
    "in a process by SciPy": (pendulum, {"isolate": "all", "solver": "RK45"}),
    "in a process, in steps": (pendulum, stepped(isolate=Isolation(which="all"))),
}


def falling(**start: float) -> System:
    system = System("falling")
    system.add("stone", "planar.Body1", {"m": 2.0, **start})
    return system


def oscillator() -> System:
    """Returns 2 kg on 50 N/m, which swing with 5 rad/s from 1 m."""
    system = System("oscillator")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 1.0})
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 50.0, "b": 0.0, "rest": 0.0})
    system.connect("wall.flange", "spring.M")
    system.connect("spring.N", "mass.flange")
    return system


@pytest.mark.parametrize("name", EVERY)
def test_rows_before_the_end_are_those_of_a_run_without_a_condition(name: str) -> None:
    build, options = EVERY[name]
    system = build()
    whole = system.simulate(1.0, **options)
    columns = [each for each in whole.names if whole[each].dtype == float and np.ptp(whole[each]) > 0.1]
    values = whole[columns[0]]
    half = float(values.min() + values.max()) / 2
    ended = system.simulate(1.0, until=f"{columns[0]} {'>' if values[0] < half else '<'} {half!r}", **options)
    never = system.simulate(1.0, until=f"{columns[0]} > 1e30", **options)
    assert ended.outcome.ending is Ending.UNTIL and 0 < ended.time[-1] < 1
    before = ended._record.rows[:-1]
    if name == "by the FMUs":  # whose loops are solved from the last point that was looked at
        assert np.allclose(before, whole._record.rows[: len(before)], rtol=1e-12, atol=1e-12)
    else:
        assert np.array_equal(before, whole._record.rows[: len(before)])
        assert bits(never) == bits(whole)
    assert never.outcome.completed and never.outcome.notes[-1].endswith("never held; the run went on to its stop time")
    beyond = ended[columns[0]][-1] - half
    assert abs(beyond) < 1e-12 * max(1.0, abs(half)) or "communication_step" in options or name == "joints that come and go"


@pytest.mark.every_case
@pytest.mark.parametrize("solver", [*SOLVERS, *FIXED], ids=str)
def test_a_fall_ends_at_its_closed_form(solver: Any) -> None:
    options = {} if isinstance(solver, Index3) else {"rtol": 1e-11}
    found = falling().simulate(3.0, solver=solver, until="stone.y <= -5", **options)
    assert found.time[-1] == pytest.approx(math.sqrt(10 / GRAVITY), abs=1e-8)
    assert found["stone.y"][-1] == pytest.approx(-5.0, abs=1e-12)
    assert str(found.outcome).startswith("ended at t = 1.00963755 s by until = 'stone.y <= -5'")


@pytest.mark.every_case
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_swing_ends_at_its_closed_form(solver: str) -> None:
    found = oscillator().simulate(1.0, solver=solver, rtol=1e-12, atol=1e-13, until="mass.s < 0.5 and not mass.v > 0")
    assert found.time[-1] == pytest.approx(math.pi / 3 / 5, abs=1e-8)


@pytest.mark.parametrize(
    "options", [{}, {"solver": "dop853"}, {"evaluation": "fmus"}, {"evaluation": "compiled"}, {"solver": "cvode"}], ids=str
)
def test_a_pendulum_ends_at_its_elliptic_integral(options: Mapping[str, Any]) -> None:
    """The rod falls from the horizontal; its angle from the vertical follows from incomplete integrals of the first kind."""
    tight = {"rtol": 1e-12, "atol": 1e-13} if "solver" in options else {"rtol": 1e-11}
    found = pendulum().simulate(1.0, until="rod.theta < -1", **tight, **options)
    k = math.sin(math.pi / 4)
    angle = math.pi / 2 - 1
    wanted = (ellipk(k**2) - ellipkinc(math.asin(math.sin(angle / 2) / k), k**2)) / math.sqrt(GRAVITY * 1.5)
    assert found.time[-1] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode"])
@pytest.mark.parametrize("brief", [1e-3, 1e-9])
def test_a_condition_that_holds_briefly_inside_a_step_is_found(solver: str, brief: float) -> None:
    top = 25.0 / (2 * GRAVITY)
    found = falling(vy=5.0).simulate(2.0, solver=solver, rtol=1e-10, until=f"stone.y > {top - brief!r}", output_times=[0.0, 2.0])
    assert found.outcome.ending is Ending.UNTIL
    assert found.time[-1] == pytest.approx(5.0 / GRAVITY - math.sqrt(2 * brief / GRAVITY), abs=1e-8 if solver != "cvode" else 1e-5)
    assert len(found) == 2


@pytest.mark.every_case
@pytest.mark.parametrize(
    "options",
    [{}, {"scheme": "gauss-seidel"}, {"scheme": "implicit"}, {"scheme": Scheme("implicit", step_control="adaptive")}],
    ids=str,
)
def test_a_co_simulation_ends_at_the_first_point(options: Mapping[str, Any]) -> None:
    found = falling().simulate(2.0, communication_step=1e-3, until="stone.y < -5", **options)
    exact = math.sqrt(10 / GRAVITY)
    assert found["stone.y"][-1] < -5
    if options and "scheme" in options and not isinstance(options["scheme"], str):
        assert exact < found.time[-1]
    else:
        assert exact < found.time[-1] <= exact + 1e-3


def test_values_at_events_count() -> None:
    """The stop turns the velocity at a quarter of the period; a force jumps where its table does."""
    hit = stop().simulate(1.0, until="mass.v > 0")
    assert hit.time[-1] == pytest.approx(math.pi / 2 / 5, abs=1e-8)
    assert hit["mass.v"][-2:] == pytest.approx([-5.0, 3.5])
    jumped = pushed([[0.0, 8.0], [0.31, 8.0], [0.31, -4.0], [2.0, -4.0]]).simulate(1.0, until="abs(push.M.Fx) < 5")
    assert jumped.time[-1] == 0.31


def test_a_condition_that_holds_at_the_start_ends_the_run_there() -> None:
    for options in ({}, {"solver": "cvode"}, {"solver": Index3(step_size=0.01)}, stepped(), stepped(scheme="implicit")):
        found = falling().simulate(1.0, until="stone.y > -1", **options)
        assert found.outcome.ending is Ending.UNTIL and list(found.time) == [0.0]
        assert found.outcome.sentence.startswith("ended at its start, t = 0 s, by until = 'stone.y > -1', which holds there already")


@pytest.mark.parametrize("options", [{}, {"solver": "RK45"}, {"isolate": "all"}, stepped()], ids=str)
def test_a_function_ends_a_run(options: Mapping[str, Any]) -> None:
    given: list[Mapping[str, float]] = []

    def low(values: Mapping[str, float]) -> Any:
        given.append(values)
        return values["stone.y"] < -5

    system = falling()
    found = system.simulate(2.0, until=low, **options)
    assert given[0]["time"] == 0.0 and set(given[0]) == {"time", *found.names}
    by_text = system.simulate(2.0, until="stone.y < -5", **options)
    assert bits(found) == bits(by_text)
    assert "by the function until (low)" in found.outcome.sentence
    margins = system.simulate(2.0, until=lambda values: -5 - values["stone.y"], **options)
    assert bits(margins) == bits(by_text)


def test_a_function_that_fails_raises_its_error() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        falling().simulate(1.0, until=lambda values: 1 / 0)
    assert caught.value.__notes__ == ["raised by the function until, called at t = 0 s"]
    said = refusal(lambda: falling().simulate(1.0, until=lambda values: "yes"), BuildError)
    assert said.startswith("the function until returned 'yes' at t = 0 s; return True where the run is to end")


def test_a_run_in_pieces_ends_in_its_piece() -> None:
    whole = falling().simulate(2.0, until="stone.y < -5")
    with falling().start(until="stone.y < -5") as run:
        run.advance(0.5)
        assert run.outcome is None
        run.advance(1.0)
        assert run.outcome is not None and run.outcome.ending is Ending.UNTIL
        assert run.time == pytest.approx(whole.time[-1], abs=1e-12)
        with pytest.raises(RunEnded, match=r"the run has ended: ended at t = 1\.00963755 s by until"):
            run.advance(0.1)
    with falling().start(until="stone.vx > 1") as run:
        run.advance(0.5)
        run["stone.vx"] = 2.0
        run.advance(0.1)
        assert run.time == 0.5 and run.result["stone.vx"][-1] == 2.0


def test_a_saved_state_goes_on_to_the_same_end() -> None:
    with falling().start(until="stone.y < -5", evaluation="compiled") as run:
        run.signals(outputs=["stone.y"])
        run.advance(0.5, [])
        state = run.save()
        run.advance(0.4, [])
        run.restore(state)
        run.advance(2.0, [])
    assert run.time == pytest.approx(math.sqrt(10 / GRAVITY), abs=1e-8)


def test_the_end_stays_in_files_and_checkpoints(tmp_path: Path) -> None:
    for number, (build, options) in enumerate(
        [RUNS[each] for each in ("dopri5", "index3", "explicit", "implicit")] + [(pendulum, {"solver": "cvode"})]
    ):
        file, kept = tmp_path / f"{number}.jrd", tmp_path / f"{number}.ckpt"
        whole = build().simulate(1.0, until="rod.theta < -1", **options)
        found = build().simulate(1.0, until="rod.theta < -1", record_to=file, checkpoint=kept, **options)
        assert bits(found) == bits(whole) and found.outcome.sentence == whole.outcome.sentence
        loaded = Result.load(file)
        assert bits(loaded) == bits(whole) and loaded.outcome.ending is Ending.UNTIL
        again = System.resume(kept)
        assert bits(again) == bits(whole) and again.outcome.sentence == whole.outcome.sentence
    said = refusal(lambda: pendulum().simulate(1.0, until=lambda values: False, checkpoint=tmp_path / "x.ckpt"), BuildError)
    assert said == "checkpoint is refused with a function until, which no file can hold; give a condition as text"


def slow(t: float) -> float:
    """A force that takes its time."""
    time.sleep(1e-3)
    return math.sin(t)


@pytest.mark.parametrize(
    "options", [{}, {"solver": "cvode"}, {"solver": Index3(step_size=1e-3)}, stepped(), stepped(scheme="implicit")], ids=str
)
def test_a_run_ends_after_seconds_of_the_wall_clock(options: Mapping[str, Any], tmp_path: Path) -> None:
    began = time.perf_counter()
    found = pushed(slow).simulate(100.0, max_seconds=0.3, output_interval=1e-3, **options)
    assert time.perf_counter() - began < 20
    assert found.outcome.ending is Ending.OUT_OF_TIME and len(found) > 1 and 0 < found.time[-1] < 100
    assert "s after max_seconds = 0.3 s; raise max_seconds, loosen rtol, or choose an earlier stop_time" in found.outcome.sentence


def test_a_run_that_ran_out_of_time_can_be_resumed(tmp_path: Path) -> None:
    kept = tmp_path / "run.ckpt"
    system = pushed(slow)
    stopped = system.simulate(0.1, max_seconds=0.05, rtol=1e-10, checkpoint=kept)
    assert stopped.outcome.ending is Ending.OUT_OF_TIME
    drives = {"push.Fx": slow}
    found = System.resume(kept, drives=drives)
    while found.outcome.ending is Ending.OUT_OF_TIME:
        assert len(found) >= len(stopped)
        stopped, found = found, System.resume(kept, drives=drives)
    assert found.outcome.completed and bits(found) == bits(system.simulate(0.1, rtol=1e-10))


def test_seconds_count_also_between_pieces() -> None:
    with falling().start(max_seconds=0.05) as run:
        run.signals(outputs=["stone.y"])
        run.advance(0.1, [])
        time.sleep(0.06)
        run.advance(0.1, [])
        assert run.outcome is not None and run.outcome.ending is Ending.OUT_OF_TIME


def test_each_run_of_a_sweep_ends_by_itself() -> None:
    heights = {"stone.y": [-1.0, 0.0, 6.0]}
    table = sweep(falling(), heights, stop_time=1.2, until="stone.y < -5", measure=lambda result: float(result.time[-1]))
    ends = [math.sqrt(2 * (y + 5) / GRAVITY) for y in heights["stone.y"]]
    assert table["measure"] == pytest.approx([*ends[:2], 1.2], abs=1e-8)
    assert [each.ending for each in table.outcomes] == [Ending.UNTIL, Ending.UNTIL, Ending.COMPLETED] and not table.failed
    limited = sweep(pushed(slow), {"rod.m": [1.0, 2.0]}, stop_time=50.0, max_seconds=0.05)
    assert limited.failed == [0, 1] and all(each.ending is Ending.OUT_OF_TIME for each in limited.outcomes)


def test_what_is_refused() -> None:
    for until, text in (
        ("stone.yy < 0", "until = 'stone.yy < 0' is refused: 'stone.yy' is not recorded; did you mean 'stone.y', 'stone.vy' or 'stone.x'?"),
        ("stone.y", "until = 'stone.y' is refused: 'stone.y' is a number; compare it, such as stone.y > 0.5"),
        (3, "until = 3 is refused: give a condition, such as 'abs(rod.theta) > 1', or a function of values by name"),
    ):
        assert refusal(lambda given=until: falling().simulate(1.0, until=given), BuildError) == text  # type: ignore[misc]
    for seconds in (0.0, -1.0, math.nan):
        assert refusal(lambda given=seconds: falling().simulate(1.0, max_seconds=given), BuildError) == (  # type: ignore[misc]
            f"max_seconds = {seconds:g} s is refused: it must be greater than 0; leave it out to have no limit"
        )


def test_booleans_of_other_tools_are_conditions() -> None:
    system = System("types")
    system.add("a", types(3), kind="me")
    whole = system.simulate(1.0)
    turned = float(whole.time[np.flatnonzero(whole["a.truth"])[0]])
    found = system.simulate(1.0, until="a.truth")
    assert found.time[-1] == turned > 0 and found["a.truth"][-1] == 1
    said = refusal(lambda: system.simulate(1.0, until="a.text > 1"), BuildError)
    assert said == "until = 'a.text > 1' is refused: 'a.text' is a text; compare numbers"
