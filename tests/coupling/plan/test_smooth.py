"""Curves through tables: monotone from row to row with a continuous acceleration, or splines that say where they swing."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from coupling.plan.drives import PiecesDrive, SplineDrive
from coupling.plan.smooth import leaves, pieces
from jourdain import System
from jourdain.declare import t

steps = st.one_of(st.floats(1e-3, 10), st.sampled_from([1e-9, 1e-6, 1.0, 1e6]))
changes = st.one_of(st.just(0.0), st.floats(-5, 5).map(lambda x: x if abs(x) > 1e-12 else 0.0), st.sampled_from([1e-9, -1e-9, 1e6, -1e6]))


def at(drive: PiecesDrive, share: np.ndarray) -> np.ndarray:
    """Values by pieces, at shares of each."""
    time = np.diff(drive.times)[:, None] * share
    return sum(drive.coefficients[:, k, None] * time**k for k in range(drive.coefficients.shape[1]))  # type: ignore[no-any-return]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(steps, changes), min_size=1, max_size=12))
def test_a_curve_is_monotone_between_rows_and_its_acceleration_is_continuous(rows) -> None:
    times = np.concatenate(([0.0], np.cumsum([step for step, _ in rows])))
    values = np.concatenate(([0.0], np.cumsum([change for _, change in rows])))
    if not (np.diff(times) > 0).all():
        return
    curve, rate, acceleration = pieces(SplineDrive(times, values), 2, "x")
    h, rise = np.diff(times), np.diff(values)
    found, speed = at(curve, np.linspace(0, 1, 101)), at(rate, np.linspace(0, 1, 101))
    off = (1e-12 * np.abs(rise) + 1e-15 * np.abs(values).max())[:, None]
    low, high = np.minimum(values[:-1], values[1:]), np.maximum(values[:-1], values[1:])
    assert ((found >= low[:, None] - off) & (found <= high[:, None] + off)).all()
    assert (np.sign(rise)[:, None] * speed >= -1e-11 * (np.abs(rise) / h)[:, None]).all()
    assert (found[rise == 0] == values[:-1][rise == 0][:, None]).all()
    for each, power in ((curve, 0), (rate, 1), (acceleration, 2)):
        ends = at(each, np.array([0.0, 1.0]))
        jump = np.abs(ends[1:, 0] - ends[:-1, 1])
        scale = (np.abs(rise) + (1e-4 * np.abs(values).max() if power == 0 else 0)) / h**power
        assert (jump <= 1e-11 * (scale[1:] + scale[:-1])).all()
    assert at(rate, np.array([0.0]))[0, 0] == 0 == at(acceleration, np.array([0.0]))[0, 0]


def test_the_rate_vanishes_at_extremes_and_two_rows_give_the_shortest_quintic() -> None:
    _, rate = pieces(SplineDrive(np.arange(4.0), np.array([0.0, 2.0, 1.0, 3.0])), 1, "x")
    np.testing.assert_allclose(at(rate, np.array([0.0]))[:, 0], 0, atol=1e-14)
    curve = pieces(SplineDrive(np.array([0.0, 2.0]), np.array([0.0, 1.0])), 0, "x")[0]
    u = np.linspace(0, 1, 11)
    np.testing.assert_allclose(at(curve, u)[0], 10 * u**3 - 15 * u**4 + 6 * u**5, atol=1e-14)


def test_a_motion_that_goes_on_does_not_stop_at_a_row() -> None:
    """Rises of very different slopes: the rate vanishes at no row between two of them."""
    random = np.random.default_rng(0)
    jump = (np.arange(8.0), np.array([0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 5.3]))
    for times, values in (jump, *(random.uniform((0.05, 0.02), 1.0, (10, 2)).cumsum(axis=0).T for _ in range(200))):
        _, rate = pieces(SplineDrive(times, values), 1, "x")
        slope = np.diff(values) / np.diff(times)
        assert (at(rate, np.array([0.0]))[1:, 0] > 0.02 * np.minimum(slope[1:], slope[:-1])).all()


def test_rows_of_a_smooth_motion_are_followed_to_fifth_order() -> None:
    """A rise that begins and ends at rest, without an extreme between."""
    errors = []
    for n in (10, 20, 40):
        times = np.linspace(0, 1, n + 1)
        curve = pieces(SplineDrive(times, times - np.sin(2 * np.pi * times) / (2 * np.pi)), 0, "x")[0]
        u = np.linspace(0, 1, 21)
        exact = times[:-1, None] + u / n
        errors.append(np.abs(at(curve, u) - (exact - np.sin(2 * np.pi * exact) / (2 * np.pi))).max())
    assert errors[0] < 1e-3 and errors[1] < errors[0] / 12 and errors[2] < errors[1] / 12, errors


TABLE = [(0, 0.0), (0.01, 0.17), (1, 0.17), (1.01, 0.0), (2, 0.1)]


def moved(**options: object) -> System:
    system = System("moved")
    system.add("source", "mechanical1d.Angle")
    system.add("shaft", "mechanical1d.Inertia")
    system.join("mechanical1d.RigidShaft", "source.flange", "shaft.flange", name="joint")
    system.drive("source.angle", TABLE, **options)  # type: ignore[arg-type]  # as a user would
    return system


def test_a_run_stays_within_its_table_or_says_that_it_does_not() -> None:
    """A quintic spline through these rows goes from -0.47 to 2.17 of a range from 0 to 0.17."""
    result = moved(smooth=True).simulate(2.0)
    assert not result.outcome.warnings
    assert result["source.flange.phi"].min() >= -1e-12 and result["source.flange.phi"].max() <= 0.17 + 1e-12
    swings = moved(smooth="spline").simulate(2.0)
    least, greatest = swings["source.flange.phi"].min(), swings["source.flange.phi"].max()
    assert least < -0.05 and greatest > 0.3
    (warning,) = swings.outcome.warnings
    assert warning.startswith("the curve that drives 'source.angle' goes from -") and warning.endswith(
        ", and its table from 0 to 0.17; give more rows, or smooth=True, which stays between neighbours"
    )


def test_the_remedies_for_a_plain_table_are_accepted() -> None:
    with pytest.raises(Exception, match="a table with smooth=True or a function with rate=, or connect"):
        moved().simulate(2.0)
    moved(smooth=True).simulate(0.1)


def test_a_spline_near_its_rows_says_nothing() -> None:
    times = np.linspace(0, 2 * np.pi, 41)
    system = System("sine")
    system.add("source", "mechanical1d.Angle")
    system.add("shaft", "mechanical1d.Inertia")
    system.join("mechanical1d.RigidShaft", "source.flange", "shaft.flange", name="joint")
    system.drive("source.angle", np.column_stack((times, np.sin(times))), smooth="free")
    result = system.simulate(6.0, initial="assemble")
    assert not result.outcome.warnings
    np.testing.assert_allclose(result["source.flange.phi"], [float(sympy.sin(t).subs(t, x)) for x in result.time], atol=1e-6)


def test_a_curve_that_leaves_its_table_is_measured() -> None:
    swing = PiecesDrive(np.array([0.0, 1.0]), np.array([[0.0, 4.0, -4.0]]), (0.0, 0.0), (0.0, 0.5))
    assert leaves(swing) == pytest.approx((0.0, 1.0))
