"""An account of work; the file of a component of one's own, as in the second example."""

from jourdain import Component
from jourdain.icon import Drawing, arc, box, line


class Account(Component):
    """Account of work: the integral of the sum of up to ten powers; an input that is not connected is 0.

    The solver integrates it beside the machine and to the same tolerance, however seldom anything is recorded.
    """

    drawing = Drawing(box(-0.8, -0.8, 0.8, 0.8, fill=0.92), arc(0, -0.3, 0.6, 20, 160), line((0, -0.3), (0.35, 0.25), width=0.1))

    def declare(self):
        powers = [self.input(f"power[{n}]", 0.0, "W", f"power {n}") for n in range(1, 11)]
        work = self.state("work", 0.0, "J", "work so far", nominal=1e3)
        self.rate(work, sum(powers))
