"""Table of times and values."""

from sympy import And, Eq, Integer, Max, Or, Piecewise, floor, true

from fmu_components.declare.component import TIME, Component, reaches
from fmu_components.declare.functions import InSI
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.tables import Curve, Item, NextNode


class Table(Component):
    """Table: the signal y is linear between the points of a table of time, and repeats them with a period where there is one.

    The table `points` has any number of points: a file with columns of times and values, or two rows of numbers. Two points at the same
    time are a step. Before the first point y has the first value, after the last point the last one, up to the end of the period. Each
    point is a time event, and so is the end of a period. Periods are counted, not added up, so that a repeated table stays exact however
    long it runs.
    """

    stop_time = 2.0
    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=1.0),
        box(-0.8, 0.45, 0.8, 0.8, fill=0.85),
        line((0, -0.8), (0, 0.8)),
        *(line((-0.8, y), (0.8, y), width=0.04) for y in (0.03, -0.38)),
    )

    def declare(self):
        points = self.table("points", ((0, 1), (0, 1)), ("s", ""), "signal by time", at_least=0, stepped=True)
        times, values = points.arrays
        first, last = Item(0, times), Item(-1, times)
        period = self.parameter(
            "period", 0.0, "s", "length of a period, counted from time 0; 0 where the table is not repeated", at_least=0, fixed=True
        )
        self.require(last - first, "the last point comes later than the first")
        self.require(
            Piecewise((1, Or(Eq(period, 0), last <= period)), (InSI(period - last), True)), "the period is 0 or not less than the last time"
        )

        passed = self.discrete("passed", -1.0, "s", "time in the period up to which points have been passed; -1 before the first")
        cycle = self.discrete("cycle", 0, "", "number of periods that have passed")
        since = self.discrete("since", 0.0, "s", "time at which the present piece began")
        level = self.discrete("level", 0.0, "", "value at which the present piece began")
        slope = self.discrete("slope", 0.0, "1/s", "slope of the present piece")
        begun = self.discrete("begun", False, "", "the first point has been passed")
        self.output("y", Piecewise((level + slope * (TIME - since), begun), (Item(0, values), True)), "", "the signal")

        # Of several points at the same time the last one counts; one at the end of a period gives way to the beginning of the next.
        after = NextNode(passed, times)
        ahead = And(after > passed, Or(Eq(period, 0), after < period))
        ends = And(ahead, after >= last)
        # A simulation that starts late goes to its period at once.
        next_cycle = Max(cycle + 1, floor(TIME / period))

        def value(order, time):
            return Curve(order, 0, time, times, values)

        # Where nothing more comes, the instant stays the last one, which has been reached already.
        self.when(
            reaches(cycle * period + Piecewise((after, ahead), (period, period > 0), (passed, True))),
            {
                begun: true,
                passed: Piecewise((after, ahead), (0, period > 0), (passed, True)),
                cycle: Piecewise((cycle, ahead), (next_cycle, period > 0), (cycle, True)),
                since: Piecewise((cycle * period + after, ahead), (next_cycle * period, period > 0), (since, True)),
                level: Piecewise((Item(-1, values), ends), (value(0, after), ahead), (value(0, Integer(0)), period > 0), (level, True)),
                slope: Piecewise((0, ends), (value(1, after), ahead), (value(1, Integer(0)), period > 0), (0, True)),
            },
            "a point of the table or the end of a period is reached",
        )
