"""Several joints that switch on one coordinate: friction that is greater at rest, a clutch, a freewheel and a stop, against cases by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coupling.kernel.system.kernel import Kernel
from coupling.kernel.system.status import Status
from jourdain import System
from jourdain.declare import t
from tests.support.switched.case import built, moments
from tests.support.switched.one_shaft import random_shaft

EXACT = {"rtol": 1e-10, "atol": 1e-12, "max_step": 0.05}


def check(seed: int, order: tuple[int, ...], solver: str) -> None:
    shaft = random_shaft(seed)
    angle, speed = shaft.run(6.0)
    result = shaft.system(order).simulate(6.0, solver=solver, **EXACT)
    assert result.outcome.completed, result.outcome.sentence
    assert result["shaft.phi"][-1] == pytest.approx(angle, abs=1e-7)
    assert result["shaft.w"][-1] == pytest.approx(speed, abs=1e-7)


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode"])
def test_random_joints_on_a_shaft_close_and_open_as_by_cases(solver: str) -> None:
    """These had no modes that settle before, or shared loads wrongly."""
    for seed in (0, 6, 8, 10, 20, 23, 28, 31, 39, 47, 81):
        check(seed, tuple(range(random_shaft(seed).joints)), solver)


@pytest.mark.parametrize("order", [(3, 0, 2, 1), (3, 1, 2, 0)])
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_friction_that_slips_beside_a_clutch_that_sticks_is_not_taken_for_symmetric(order: tuple[int, ...], solver: str) -> None:
    """The points that were drawn did not show it: the run left its equations, and located the next event late."""
    check(13, order, solver)
    result = random_shaft(13).system(order).simulate(0.5, solver=solver, **EXACT)
    assert not result.outcome.warnings


def test_events_are_located_by_the_fmus_once_equations_were_left(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Kernel.advance

    def leave(kernel: Kernel, steps: int) -> Status:
        """Has the equations found out before the first step, by multipliers that were changed."""
        if not kernel.steps:
            dx = np.zeros(2)
            kernel.derivatives(0.0, np.array([0.0, shaft.speed]), dx)
            kernel.slots[:] *= 1.001
            kernel.library.kernel_verify(kernel.handle, kernel.library.pointer(dx))
        return advance(kernel, steps)

    monkeypatch.setattr(Kernel, "advance", leave)
    shaft = random_shaft(13)
    result = shaft.system((0, 1, 2, 3)).simulate(6.0, **EXACT)
    assert "until t = 0 s" in result.statistics.evaluated
    assert result["shaft.phi"][-1] == pytest.approx(shaft.run(6.0)[0], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_joints_does_not_matter(seed: int, solver: str) -> None:
    for order in itertools.permutations(range(random_shaft(seed).joints)):
        check(seed, order, solver)


def pressed_against_a_stop(force: tuple[float, float], kinetic: float, static: float, order: str) -> System:
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "mass": ("mechanical1d.Mass", {"m": 2.0}),
        "stop": ("mechanical1d.EndStop", {"low": -50.0, "high": 0.05}),
        "rub": ("mechanical1d.Friction", {"kinetic": kinetic, "static": static}),
        "load": "mechanical1d.Force",
    }
    joints = " ".join(f"ground.flange-{name}.M {name}.N-mass.flange" for name in order.split())
    system = built("pressed", parts, f"load.flange-mass.flange {joints}")  # type: ignore[arg-type]
    system.drive("load.force", force[0] - force[1] * t)
    return system


@pytest.mark.parametrize("order", ["stop rub", "rub stop"])
@pytest.mark.parametrize(
    ("force", "kinetic", "static"), [((6, 5), 1.0, 1.8), ((6, 5), 1.0, 1.0), ((4, 3), 0.5, 3.0), ((9, 6), 2.0, 2.5)], ids=str
)
def test_friction_at_a_stop_breaks_away_at_its_static_limit(force, kinetic, static, order) -> None:
    """A mass is pressed against a stop by a - b t, and breaks away at (a + static) / b."""
    result = pressed_against_a_stop(force, kinetic, static, order).simulate(3.0)
    assert result.outcome.completed, result.outcome.sentence
    (away,) = [change.time for change in result.changes if change.what.endswith("slips back")]
    assert away == pytest.approx((force[0] + static) / force[1], abs=1e-12)
    assert away in moments(result)
