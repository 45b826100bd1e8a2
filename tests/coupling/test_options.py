"""Options of a simulation that make no sense are refused by name and value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coupling import BuildError, Scheme
from coupling.options import Run
from tests.support.systems.systems import pendulum, refusal

FINITE = "it must be greater than 0 and finite"
TIMES = "give a list of times in seconds"
STEPS = "it must be a whole number of at least 1"
POINTS = {"communication_step": 0.01}
STEPPED = "is for Co-Simulation; give a communication_step as well, or leave it out"
CONTROLS = "is unknown; choose one of 'fixed', 'adaptive', 'power'"
UNSTABLE = (
    "the scheme 'implicit-position-linear' is refused: constraints at position level with forces that are continuous and linear over the "
    "step are unstable at any step (an error grows by 2 + sqrt(3) in "
    "every step). Choose 'implicit-position', whose multipliers are constant over the step, 'implicit-velocity', or 'implicit'"
)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"stop_time": -1}, "stop_time = -1 s lies before start_time = 0 s; give a later stop_time"),
        ({"start_time": 2}, "stop_time = 1 s lies before start_time = 2 s; give a later stop_time"),
        ({"stop_time": "1"}, "stop_time = '1' is refused: it must be a number"),
        ({"stop_time": None}, "stop_time = None is refused: it must be a number"),
        ({"stop_time": True}, "stop_time = True is refused: it must be a number"),
        ({"stop_time": math.inf}, "start_time = 0 s and stop_time = inf s must both be finite"),
        ({"start_time": math.nan}, "start_time = nan s and stop_time = 1 s must both be finite"),
        ({"progress": "x"}, "progress = 'x' is refused: give True for a bar, or False"),
        ({"solver": None}, "solver = None is refused: give the name of one, such as 'dopri5', or Index3(step_size=0.01)"),
        ({"solver": "dopri"}, "the solver 'dopri' is unknown; did you mean 'dopri5'?"),
        ({"rtol": 0}, "rtol = 0 is refused: it must lie between 0 and 1; 1e-8 is the default"),
        ({"rtol": -1e-6}, "rtol = -1e-06 is refused: it must lie between 0 and 1; 1e-8 is the default"),
        ({"rtol": 1}, "rtol = 1 is refused: it must lie between 0 and 1; 1e-8 is the default"),
        ({"rtol": math.nan}, "rtol = nan is refused: it must lie between 0 and 1; 1e-8 is the default"),
        ({"rtol": "small"}, "rtol = 'small' is refused: it must be a number"),
        ({"atol": 0}, f"atol = 0 is refused: {FINITE}; leave it out for the default"),
        ({"atol": math.inf}, f"atol = inf is refused: {FINITE}; leave it out for the default"),
        ({"atol": [1e-6]}, "atol = [1e-06] is refused: it must be a number"),
        ({"atol": {"rod.x": -1}}, f"atol of 'rod.x' = -1 is refused: {FINITE}; leave it out for the default"),
        ({"atol": {"rod.x": "a"}}, "atol of 'rod.x' = 'a' is refused: it must be a number"),
        (
            {"atol": {"rod.thta": 1e-6}},
            "atol: 'rod.thta' is neither a state nor an algebraic variable of the system; did you mean 'rod.theta'?",
        ),
        ({"atol": {"valve": 1e-6}}, "atol: 'valve' is neither a state nor an algebraic variable of the system; leave it out"),
        ({"initial": "asemble"}, "initial = 'asemble' is unknown; choose 'check', 'assemble' or 'relax'"),
        (
            {"initial": None},
            "initial = None is unknown; choose 'check', 'assemble' or 'relax', or give a pose of assemble() or equilibrium(), or a result",
        ),
        ({"output_times": []}, f"output_times = [] is refused: {TIMES}"),
        ({"output_times": 0.5}, f"output_times = 0.5 is refused: {TIMES}"),
        ({"output_times": "all"}, f"output_times = 'all' is refused: {TIMES}"),
        ({"output_times": [[0, 1]]}, f"output_times = [[0, 1]] is refused: {TIMES}"),
        (
            {"output_times": [0, 2]},
            "output_times holds 2 s, which is not between start_time = 0 s and stop_time = 1 s; leave it out, or move that end",
        ),
        (
            {"output_times": [math.nan]},
            "output_times holds nan s, which is not between start_time = 0 s and stop_time = 1 s; leave it out, or move that end",
        ),
        ({"output_interval": 0}, f"output_interval = 0 s is refused: {FINITE}"),
        ({"output_interval": -0.1}, f"output_interval = -0.1 s is refused: {FINITE}"),
        ({"output_interval": "1"}, "output_interval = '1' is refused: it must be a number"),
        ({"output_interval": 1e-12}, "output_interval = 1e-12 s asks for 1e+12 rows; choose a longer one"),
        ({"output_interval": 0.1, "output_times": [0]}, "output_times and output_interval cannot both be given; leave one of them out"),
        ({"max_step": 0}, "max_step = 0 s is refused: it must be greater than 0; leave it out to have no limit"),
        ({"max_step": -0.1}, "max_step = -0.1 s is refused: it must be greater than 0; leave it out to have no limit"),
        ({"max_steps": 0}, f"max_steps = 0 is refused: {STEPS}"),
        ({"max_steps": 1.5}, f"max_steps = 1.5 is refused: {STEPS}"),
        ({"max_steps": math.inf}, f"max_steps = inf is refused: {STEPS}"),
        ({"scheme": "implicit"}, f"scheme = 'implicit' {STEPPED}"),
        ({"scheme": Scheme(extrapolation=2)}, f"scheme = Scheme(extrapolation=2) {STEPPED}"),
        ({"scheme": Scheme(step_control="power")}, f"scheme = Scheme(step_control='power') {STEPPED}"),
        ({"scheme": Scheme(tolerance=1e-3)}, f"scheme = Scheme(tolerance=0.001) {STEPPED}"),
        ({"scheme": "explict"}, "the scheme 'explict' is unknown; did you mean 'explicit' or 'implicit'?"),
        ({"communication_step": 0}, f"communication_step = 0 s is refused: {FINITE}"),
        (
            {"communication_step": 1e-300},
            "communication_step = 1e-300 s is refused: at such times numbers resolve no less than 1e-12 s; choose a longer one",
        ),
        (
            {**POINTS, "scheme": Scheme(tolerance=1e-6)},
            "tolerance = 1e-06 is for Scheme(step_control='adaptive') or 'power'; choose one of them, or leave it out",
        ),
        ({"communication_step": -1}, f"communication_step = -1 s is refused: {FINITE}"),
        ({"communication_step": math.inf}, f"communication_step = inf s is refused: {FINITE}"),
        ({"communication_step": math.nan}, f"communication_step = nan s is refused: {FINITE}"),
        ({"communication_step": "1"}, "communication_step = '1' is refused: it must be a number"),
        ({"communication_step": True}, "communication_step = True is refused: it must be a number"),
        ({**POINTS, "scheme": None}, "scheme = None is refused: give the name of one, such as 'explicit'"),
        (
            {**POINTS, "scheme": "x"},
            "the scheme 'x' is unknown; choose one of explicit, gauss-seidel, implicit, implicit-position, implicit-velocity",
        ),
        ({**POINTS, "scheme": "implicit-position-linear"}, UNSTABLE),
        ({**POINTS, "scheme": Scheme(step_control="auto")}, f"step_control = 'auto' {CONTROLS}"),
        ({**POINTS, "scheme": Scheme(step_control=None)}, f"step_control = None {CONTROLS}"),
    ],
)
def test_an_option_that_makes_no_sense(options: dict[str, object], sentence: str) -> None:
    """Nothing is started."""
    assert refusal(lambda: pendulum().simulate(**({"stop_time": 1} | options))) == sentence  # type: ignore[arg-type]


def test_options_are_build_errors() -> None:
    """One class for whatever a user can put right."""
    assert refusal(lambda: pendulum().simulate(1.0, rtol=2), BuildError)


def times(**options: object) -> list[float]:
    values = {"start_time": 0.0, "stop_time": 1.0, "output_times": None, "output_interval": None} | options
    run = Run(
        solver="dopri5", rtol=1e-8, atol=None, initial="check", outputs=None, max_step=math.inf, max_steps=9, progress=False, **values
    )  # type: ignore[arg-type]
    return list(run.times())


def test_when_rows_are_recorded() -> None:
    """500 intervals by default; the stop in any case; times in any order; one row where nothing passes."""
    assert times() == pytest.approx([i / 500 for i in range(501)], abs=1e-15)
    assert times(output_interval=0.25) == [0, 0.25, 0.5, 0.75, 1]
    assert times(output_interval=0.4) == [0, 0.4, 0.8, 1]
    assert times(output_interval=5) == [0, 1]
    assert times(stop_time=0.3, output_interval=0.1)[-2:] == [0.2, 0.3]
    assert times(start_time=-1, stop_time=1, output_interval=0.5) == [-1, -0.5, 0, 0.5, 1]
    assert times(output_times=(0.5, 0.1, 0.5)) == [0.1, 0.5]
    assert times(stop_time=0) == [0]
    assert times(stop_time=0, output_interval=0.1) == [0]


def test_numbers_of_every_kind() -> None:
    """NumPy's, and whole ones where a fraction could be."""
    options = {"start_time": np.float32(0), "rtol": np.float32(1e-6), "atol": np.float64(1e-6), "max_step": 1, "max_steps": np.int64(1000)}
    result = pendulum().simulate(np.int32(1), **options)  # type: ignore[arg-type]
    assert result.outcome.completed and result.time[-1] == 1.0


def test_numbers_of_every_kind_for_communication() -> None:
    """The same run as with Python's."""
    options = {"communication_step": np.float64(0.01), "scheme": Scheme(extrapolation=np.int64(2))}
    result = pendulum().simulate(1.0, **options)  # type: ignore[arg-type]
    assert result.outcome.completed
    assert (
        result["rod.theta"].tolist()
        == pendulum().simulate(1.0, communication_step=0.01, scheme=Scheme(extrapolation=2))["rod.theta"].tolist()
    )
    control = {"communication_step": 0.01, "scheme": Scheme(step_control="adaptive", tolerance=np.float32(1e-3))}
    assert pendulum().simulate(1.0, **control).outcome.completed  # type: ignore[arg-type]


def test_a_tolerance_by_name() -> None:
    """A looser one takes fewer steps."""
    strict = pendulum().simulate(1.0, atol=1e-12, rtol=1e-12).statistics.steps
    loose = pendulum().simulate(1.0, atol={"rod.theta": 1.0, "rod.omega": 1.0, "pin.lambda[1]": 1.0}, rtol=1e-4).statistics.steps
    assert loose < strict / 5
