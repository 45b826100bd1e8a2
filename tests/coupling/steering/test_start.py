"""Options of ``simulate`` in runs that are advanced piece by piece."""

from __future__ import annotations

import math
import signal
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Ending, Index3, System
from tests.coupling.steering.test_run import CASES, PIN, QUICK, TIMES, VALUES, mass, pulled, stepped, steps_of
from tests.support.systems.systems import refusal

WANTED = [0.333, 0.0, 0.013, 0.05, 0.0770001, 0.31]


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK[:4] else pytest.mark.slow) for name in QUICK])
def test_rows_at_times_have_the_bits_of_simulate(name: str) -> None:
    build, force, options = CASES[name]
    with build().start(inputs=() if "communication_step" not in options else (force,), output_times=WANTED, **options) as run:
        for t, value in zip(TIMES, VALUES, strict=True):
            run[force] = value
            run.advance_to(t)
    whole = build().simulate(TIMES[-1], drives={force: steps_of(TIMES, VALUES)}, output_times=WANTED, **options)
    found = run.result._record.rows
    for row in whole._record.rows[:-1]:  # the other run ends at the last one
        assert (found == row).all(axis=1).any(), row[0]
    assert set(found[:, 0]) == {*whole._record.rows[:, 0], *TIMES}


def test_rows_at_times_are_those_of_a_restored_run_too() -> None:
    with mass().start(output_times=[0.1, 0.2, 0.3]) as run:
        run.advance(0.15)
        state = run.save()
        for _ in range(2):
            run.advance(0.15)
            assert run.result.time == pytest.approx([0.0, 0.1, 0.15, 0.2, 0.3], abs=1e-12)
            run.restore(state)


@pytest.mark.parametrize("rows", [{"output_interval": 0.01}, {"output_times": 0.01 * np.arange(1, 30)}], ids=("interval", "times"))
@pytest.mark.parametrize("options", [{}, {"solver": "cvode"}, {"solver": Index3(step_size=0.025)}, stepped()], ids=str)
def test_single_steps_have_their_rows(rows: dict[str, Any], options: dict[str, Any]) -> None:
    """Rows within a step lie on the solution; none is left out, and none is extrapolated by a later piece."""
    with pulled().start(**rows, **options) as run:
        while run.time < 0.2:
            run.step()
        run.advance_to(0.29)
    time = run.result.time
    assert np.all(np.diff(time) >= 0) and all(np.abs(time - 0.01 * i).min() < 1e-12 for i in range(30))
    exact = pulled().simulate(0.3, rtol=1e-10, output_times=np.unique(time))
    within = 1e-6 if not options else 3e-3
    assert np.interp(time, exact.time, exact["rod.theta"]) == pytest.approx(run.result["rod.theta"], abs=within)


@pytest.mark.parametrize("options", [{}, {"solver": "dop853", "evaluation": "compiled"}], ids=("dopri5", "compiled"))
def test_sensitivities_have_the_bits_of_simulate_and_return(options: dict[str, Any]) -> None:
    by = ["rod.m", "rod.I"]
    with pulled().start(sensitivities=by, **options) as run:
        for i, (t, value) in enumerate(zip(TIMES, VALUES, strict=True)):
            run[PIN] = value
            run.advance_to(t)
            if i == 4:
                state, fork = run.save(), run.fork()
        first = run.result
        run.restore(state)
        for each in (run, fork):
            for t, value in zip(TIMES[5:], VALUES[5:], strict=True):
                each[PIN] = value
                each.advance_to(t)
            assert np.array_equal(each.result._record.derivatives, first._record.derivatives)
        fork.close()
    whole = pulled().simulate(1.0, drives={PIN: steps_of(TIMES, VALUES)}, output_times=[0.0, *TIMES], sensitivities=by, **options)
    for name in ("rod.theta", "rod.omega"):
        for parameter in by:
            found, wanted = first.sensitivity(name, parameter)[1:-1], whole.sensitivity(name, parameter)
            assert np.array_equal(found, wanted[: len(found)]) and np.abs(found).max() > 0


def test_derivatives_follow_what_is_set() -> None:
    """A mass on a spring, whose force and stiffness are set; the derivative by the mass is a difference of two such runs."""

    def end(m: float, **options: Any) -> tuple[float, Any]:
        system = System("spring")
        system.add("wall", "mechanical1d.Fixed1D")
        system.add("spring", "mechanical1d.SpringDamper1D", {"k": 20.0, "b": 0.3})
        system.add("mass", "mechanical1d.Mass", {"m": m, "s": 0.3})
        system.connect("wall.flange", "spring.M")
        system.connect("spring.N", "mass.flange")
        system.add("push", "mechanical1d.Force")
        system.connect("push.flange", "mass.flange")
        with system.start(rtol=1e-11, **options) as run:
            for force, stiffness in ((1.0, 20.0), (-2.0, 50.0), (0.5, 5.0)):
                run["push.force"], run["spring.k"] = force, stiffness
                run.advance(0.4)
            if options:
                text = refusal(lambda: run.set("mass.m", 3.0), BuildError)
                assert text.startswith("'mass.m' cannot be set: the run is differentiated by its start value; ")
                assert refusal(lambda: run.set("mass.s", 3.0), BuildError).startswith("'mass.s' cannot be set in a run with sensitivities")
            return run["mass.s"], run.result

    by_m = end(2.0, sensitivities=["mass.m"])[1].sensitivity("mass.s", "mass.m")[-1]
    assert by_m == pytest.approx((end(2.001)[0] - end(1.999)[0]) / 2e-3, rel=1e-5)


def test_what_is_refused() -> None:
    for options, text in (
        ({"output_times": []}, "output_times = [] is refused: give a list of times in seconds"),
        ({"output_times": [0.1, math.nan]}, "output_times holds nan s, which is not between start_time = 0 s and stop_time = inf s"),
        ({"output_times": [0.1], "output_interval": 0.1}, "output_times and output_interval cannot both be given"),
        ({"sensitivities": ["rod.m"], "solver": "cvode"}, "sensitivities are refused with solver = 'cvode'"),
        ({"progress": True}, "start has no option 'progress': the run ends where its user stops to advance it; leave it out"),
    ):
        assert refusal(lambda given=options: pulled().start(**given)).startswith(text)  # type: ignore[misc]


@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_ctrl_c_in_a_function_is_raised_by_the_piece(arrays: bool, solver: str) -> None:
    """The signal comes while the kernel calls a function of Python, through which no exception passes."""

    def force(t: float) -> float:
        if t > 0.05:
            signal.raise_signal(signal.SIGINT)
        return 1.0

    with mass().start(drives={"mass.flange.f": force}, solver=solver) as run:
        if arrays:
            run.signals(outputs=["mass.v"])
        with pytest.raises(KeyboardInterrupt):
            for _ in range(10):
                run.advance(0.01, *[[]] * arrays)
        assert run.outcome and run.outcome.ending is Ending.INTERRUPTED and len(run.result.time) > 4
