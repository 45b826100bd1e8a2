"""Runs of the kernel over steps of a closed form: events are located, recorded and counted as a bouncing ball has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from coupling import System
from coupling.kernel.system.status import Status
from fmu_components.declare.component import Component, falls
from tests.support.systems.sessions import started

GRAVITY, SHARE = 10.0, 0.5
FIRST = np.sqrt(2 / GRAVITY)
"""The time in s of a fall from 1 m."""


class Ball(Component):
    """A ball that leaves the floor with a share of its speed."""

    def declare(self):
        s = self.state("s", 1.0, "m", "height")
        v = self.state("v", 0.0, "m/s", "velocity")
        self.rate(s, v)
        self.rate(v, -self.parameter("g", GRAVITY, "m/s2", "gravity"))
        self.when(falls(s), {v: -self.parameter("share", SHARE, "", "of the speed") * v}, "the ball hits the floor")


class Flight:
    """Parabolas from where the run begins anew, in steps that double from the first one on; counts the states that the run asks for."""

    def __init__(self, longest: float) -> None:
        self.longest, self.t, self.limit, self.asked = longest, 0.0, 0.0, 0

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        self.begin, self.at, self.t, self.limit, self.size = t, x.copy(), t, limit, min(first, self.longest)

    def step(self) -> float:
        self.t = min(self.limit, self.t + self.size)
        self.size = min(2 * self.size, self.longest)
        return self.t

    def state(self, t: float) -> np.ndarray:
        self.asked += 1
        d, (s, v) = t - self.begin, self.at
        return np.array([s + d * (v - GRAVITY * d / 2), v - GRAVITY * d])


class Course(NamedTuple):
    """The end of a run, its place and rows, the number of states that it asked for besides those of steps and rows, and the number of events."""

    status: Status
    reached: float
    rows: np.ndarray
    asked: int
    events: int


def run(stop: float, times: Sequence[float]) -> Course:
    """The ball in flight until a time, with rows at some times and at events."""
    system, flight = System("ball"), Flight(0.05)
    system.add("ball", Ball)
    with started(system, stop) as session:
        kernel = session.kernel
        assert kernel.begin_outside(flight, 0.0, stop, np.array(times)) is Status.DONE
        assert kernel.restart(0.0, session.x) is Status.DONE
        status, rows = kernel.advance(10000), kernel.take_record()
        return Course(status, kernel.reached, rows, flight.asked - kernel.steps - len(times), kernel.statistics.state_events)


def bounces(count: int) -> np.ndarray:
    """The times in s: each flight takes a share of the time of the one before."""
    return FIRST + 2 * FIRST * np.cumsum([0.0, *SHARE ** np.arange(1, count)])


def test_events_are_located_to_rounding_and_recorded_before_and_after() -> None:
    """Each bounce is two events, since the height falls through 0 and rises again; each has a row on either side."""
    course = run(1.2, [])
    before, after = course.rows[::4], course.rows[1::4]
    speeds = GRAVITY * FIRST * SHARE ** np.arange(3)
    assert course.status is Status.DONE and course.reached == 1.2 and course.events == 6 and len(course.rows) == 12
    assert np.abs(before[:, 0] - bounces(3)).max() < 4e-16
    assert np.array_equal(before[:, :2], after[:, :2]) and np.abs(before[:, 1]).max() < 1e-15
    assert before[:, 2] == pytest.approx(-speeds, rel=1e-14)
    assert after[:, 2] == pytest.approx(SHARE * speeds, rel=1e-14)
    assert course.asked <= 18 * course.events  # bisection of a step to rounding takes 48


def test_rows_between_events_are_those_of_the_flight_that_they_are_in() -> None:
    """Each time that was asked for has one row, in order; the last one is the end."""
    times = np.linspace(0, 1.2, 25)[1:]
    rows = run(1.2, times).rows
    asked = rows[np.isin(rows[:, 0], times)]
    assert np.array_equal(asked[:, 0], times)
    assert np.all(np.diff(rows[:, 0]) >= 0)
    begin, speed = np.array([-FIRST, *bounces(3)]), GRAVITY * FIRST * np.array([1, *SHARE ** np.arange(1, 4)])
    flight = np.searchsorted(bounces(3), times)
    since = times - begin[flight]
    assert asked[:, 1] == pytest.approx(since * (speed[flight] - GRAVITY * since / 2), abs=1e-15)
    assert asked[:, 2] == pytest.approx(speed[flight] - GRAVITY * since, abs=1e-14)


def test_events_that_accumulate_end_the_run() -> None:
    """A flight of at most 1e-9 of the run is the last one; all before it are there."""
    course, span = run(2.0, []), 2.0
    flights = 2 * FIRST * SHARE ** np.arange(1, 60)
    count = 1 + int((flights > 1e-9 * span).sum())
    assert course.status is Status.CHATTERING
    assert course.rows[::4, 0] == pytest.approx(bounces(count), rel=1e-14)
    assert course.reached == pytest.approx(bounces(count + 1)[-1], rel=1e-14)
