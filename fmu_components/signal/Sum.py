"""Weighted sum."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line


class Sum(Component):
    """Sum: y = k[1] u1 + k[2] u2 + k[3] u3; an input that is not connected is 0."""

    drawing = Drawing(circle(0, 0, 0.7, fill=0.85), line((-0.4, 0), (0.4, 0), width=0.12), line((0, -0.4), (0, 0.4), width=0.12))

    def declare(self):
        terms = []
        for n in (1, 2, 3):
            k = self.parameter(f"k[{n}]", 1.0, "", f"factor of u{n}")
            terms.append(k * self.input(f"u{n}", 0.0, "", f"term {n}"))
        self.output("y", sum(terms), "", "the sum")
