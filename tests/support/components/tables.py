"""A component with tables of every kind."""

from __future__ import annotations

import math

import sympy

from fmu_components.declare.component import Component


class Tables(Component):
    """Functions of two states by tables, with their derivatives."""

    def declare(self):
        x, y = self.state("x", 0.1, "", "first argument"), self.state("y", 0.9, "", "second argument")
        self.rate(x, sympy.Integer(1) / self.parameter("T", 1.0, "s", "time", above=0))
        self.rate(y, -2 / self["T"])
        shape, turn = ((0, 0.5, 0.8, 1.5, 2), (0, 1, 1, 3, 2)), ((0, 0.2, 0.4, 0.7), (1, 2, 0, 1))
        bend = self.table("bend", turn, ("", ""), "bend", kind="periodic smooth")
        level = self.table("level", ((0, 0.5), (1, 1)), ("", ""), "bend of two points", kind="periodic smooth")
        values = {"bend": bend(y), "level": level(y)}
        for kind in ("linear", "cubic"):
            curve = self.table(f"curve.{kind}", shape, ("", ""), "curve", kind=kind)
            short = self.table(f"short.{kind}", ((0, 0.5), (1, 2)), ("", ""), "curve of two points", kind=kind)
            z = [[math.exp(a - b) + a * b for b in range(4)] for a in range(5)]
            surface = self.table(f"surface.{kind}", (shape[0], (-1, -0.2, 0.5, 1), z), ("", "", ""), "surface", kind=kind)
            wave = self.table(f"wave.{kind}", turn, ("", ""), "wave", kind=f"periodic {kind}")
            for name, value in (("curve", curve(x)), ("short", short(x)), ("surface", surface(x, y)), ("wave", wave(y))):
                values[f"{name}.{kind}"] = value
        for name, value in values.items():
            self.output(f"{name}.value", value, "", "value")
            self.output(f"{name}.rate", self.D(value), "1/s", "rate of the value")
            self.output(f"{name}.second", self.D(self.D(value)), "1/s2", "second rate of the value")
