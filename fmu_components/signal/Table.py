"""Table of times and values."""

from sympy import And, Eq, Max, Or, Piecewise, floor, true

from fmu_components.declare.component import TIME, Component, reaches
from fmu_components.declare.icon import Drawing, box, line

POINTS = 20


class Table(Component):
    """Table: the signal y is linear between up to 20 points, and repeats them with a period where there is one.

    Two points at the same time are a step. Before the first point y has the first value, after the last point the last one, up to
    the end of the period. Each point is a time event, and so is the end of a period. Periods are counted, not added up, so that a
    repeated table stays exact however long it runs.
    """

    stop_time = 2.0
    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=1.0),
        box(-0.8, 0.45, 0.8, 0.8, fill=0.85),
        line((0, -0.8), (0, 0.8)),
        *(line((-0.8, y), (0.8, y), width=0.04) for y in (0.03, -0.38)),
    )

    def declare(self):
        points = self.parameter("points", 2, "", f"number of points in use, from 2 to {POINTS}", at_least=2, at_most=POINTS, fixed=True)
        period = self.parameter(
            "period", 0.0, "s", "length of a period, counted from time 0; 0 where the table is not repeated", at_least=0, fixed=True
        )
        times, values = [], []
        for k in range(1, POINTS + 1):
            times.append(self.parameter(f"times[{k}]", float(k > 1), "s", f"time of point {k}", at_least=0, fixed=True))
            values.append(self.parameter(f"values[{k}]", float(k > 1), "", f"value at point {k}", fixed=True))
        self._refuse_wrong_tables(points, period, times)

        passed = self.discrete("passed", -1.0, "s", "time in the period up to which points have been passed; -1 before the first")
        cycle = self.discrete("cycle", 0, "", "number of periods that have passed")
        since = self.discrete("since", 0.0, "s", "time at which the present piece began")
        level = self.discrete("level", 0.0, "", "value at which the present piece began")
        slope = self.discrete("slope", 0.0, "1/s", "slope of the present piece")
        begun = self.discrete("begun", False, "", "the first point has been passed")
        self.output("y", Piecewise((level + slope * (TIME - since), begun), (values[0], True)), "", "the signal")

        # Of several points at the same time the last one counts; one at the end of a period gives way to the beginning of the next.
        numbers = range(1, POINTS + 1)
        counts = [points >= POINTS if k == POINTS else And(points >= k, Or(points < k + 1, times[k] > times[k - 1])) for k in numbers]
        ahead = [And(c, passed < t, Or(Eq(period, 0), t < period)) for c, t in zip(counts, times, strict=True)]
        at_once = [And(c, period > 0, t <= 0) for c, t in zip(counts, times, strict=True)]
        slopes = [(values[k] - values[k - 1]) / (times[k] - times[k - 1]) for k in numbers[:-1]]

        def where(conditions, results):
            return list(zip(results, conditions, strict=True))

        def sloping(conditions):
            return [
                case
                for k, here in zip(numbers[:-1], conditions, strict=False)
                for case in ((slopes[k - 1], And(here, points > k)), (0, here))
            ]

        # A simulation that starts late goes to its period at once.
        next_cycle = Max(cycle + 1, floor(TIME / period))
        # Where nothing more comes, the instant stays the last one, which has been reached already.
        self.when(
            reaches(cycle * period + Piecewise(*where(ahead, times), (period, period > 0), (passed, True))),
            {
                begun: true,
                passed: Piecewise(*where(ahead, times), (0, period > 0), (passed, True)),
                cycle: Piecewise((cycle, Or(*ahead)), (next_cycle, period > 0), (cycle, True)),
                since: Piecewise(*where(ahead, [cycle * period + t for t in times]), (next_cycle * period, period > 0), (since, True)),
                level: Piecewise(*where(ahead, values), *where(at_once, values), (values[0], period > 0), (level, True)),
                slope: Piecewise(*sloping(ahead), (0, ahead[-1]), *sloping(at_once), (0, True)),
            },
            "a point of the table or the end of a period is reached",
        )

    def _refuse_wrong_tables(self, points, period, times):
        steps = [(k, times[k - 2], times[k - 1]) for k in range(2, POINTS + 1)]
        length = sum(Piecewise((abs(t - before), points >= k), (0, True)) for k, before, t in steps)
        self.require(Piecewise((1, Eq(points, floor(points))), (floor(points) - points, True)), "the number of points is a whole number")
        self.require(length, "the last point comes later than the first")
        # The length stands for what is right, since the time between two points may be 0.
        for k, before, t in steps:
            self.require(
                Piecewise((length, Or(points < k, t >= before)), (t - before, True)), f"times[{k}] is not less than times[{k - 1}]"
            )
        for k, _, t in steps:
            right = Or(points < k, Eq(period, 0), t <= period)
            self.require(Piecewise((length, right), (period - t, True)), f"the period is 0 or not less than times[{k}]")
