"""Force laws between two flanges or two points, given by a formula."""

from __future__ import annotations

from typing import Any, ClassVar

import sympy
from sympy import sqrt

from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import TIME, DeclarationError
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.picture import Picture, coil, picture
from fmu_components.declare.ports import PLANAR, ROTATIONAL, SPATIAL, TRANSLATIONAL, PortKind, Side
from fmu_components.laws.formula import expression, refused

Value = float | str | tuple[str, float]

_KINDS = {
    "line": (TRANSLATIONAL, "s", "v", "s is N.s - M.s in m, and v its rate", "two masses on a line"),
    "shaft": (ROTATIONAL, "phi", "w", "phi is N.phi - M.phi in rad, and w its rate", "two shafts"),
    "plane": (PLANAR, "s", "v", "s is the distance of M and N in m, and v its rate", "two points in a plane, along the line between them"),
    "space": (SPATIAL, "s", "v", "s is the distance of M and N in m, and v its rate", "two points in space, along the line between them"),
}
"""Port kind, names of stretch and rate, and their texts, by what the law is between."""


class ForceLaw(Component):
    """Base of force laws; its subclasses have the formula and the values of their names."""

    between: ClassVar[str]
    formula: ClassVar[str]
    values: ClassVar[dict[str, Value]]
    drawing = Drawing(
        line((-0.9, 0), (-0.6, 0)),
        box(-0.6, -0.45, 0.6, 0.45, fill=1.0),
        line((-0.45, -0.3), (-0.2, -0.1), (0.2, 0.1), (0.35, 0.2), (0.45, 0.38)),
        line((0.6, 0), (0.9, 0)),
    )

    def symbol(self) -> Picture | None:
        return picture(coil("M", "N")) if self.between in ("plane", "space") else None

    def declare(self) -> None:
        kind, stretch, rate, *_ = _KINDS[self.between]
        M = self.port("M", kind, Side.EFFORT, "first side")
        N = self.port("N", kind, Side.EFFORT, "second side")
        known = {name: self._declared(name, value) for name, value in self.values.items()}
        direction, s, v = self._along(M, N, kind)
        unit, force = ("rad", "N.m") if kind is ROTATIONAL else ("m", "N")
        known |= {
            stretch: self.output(stretch, s, unit, "stretch"),
            rate: self.output(rate, v, f"{unit}/s", "rate of the stretch"),
            "t": TIME,
        }
        law = expression(self.formula, known)
        unused = [name for name in self.values if known[name] not in law.free_symbols]
        if unused:
            raise refused(self.formula, f"it does not use '{unused[0]}'; leave this value out, or correct the formula")
        pull = self.output("tension", law, force, "effort that pulls N towards M")
        for port, sign in ((M, 1), (N, -1)):
            efforts = [sign * pull * each for each in direction]
            self.gives(port, *efforts, *[0] * (len(kind.effort) - len(efforts)))
        self.output("power", -pull * known[rate], "W", "power that the law gives to both sides")

    def _along(self, M: Any, N: Any, kind: PortKind) -> tuple[list[sympy.Expr], sympy.Expr, sympy.Expr]:
        """Returns the direction of the law at M, the stretch and its rate."""
        if kind not in (PLANAR, SPATIAL):
            place, rate = (kind.chains[0][order].name for order in (0, 1))
            return [sympy.S.One], getattr(N, place) - getattr(M, place), getattr(N, rate) - getattr(M, rate)
        smoothing = self.parameter("smoothing", 1e-9, "m", "length below which the direction of the force fades", above=0, nominal=1e-9)
        MN = N.point - M.point
        length = self.local("length", sqrt(MN.dot(MN) + smoothing**2), "m", "distance of M and N")
        return list(MN / length), length, MN.dot(N.velocity - M.velocity) / length

    def _declared(self, name: str, value: Value) -> sympy.Symbol:
        if isinstance(value, str):
            return self.input(name, 0.0, value, f"signal {name} of the formula")
        unit, start = value if isinstance(value, tuple) else ("", value)
        return self.parameter(name, start, unit, f"{name} of the formula", nominal=abs(start) or 1.0)


def force_law(formula: str, *, between: str = "line", name: str = "ForceLaw", **values: Value) -> type[ForceLaw]:
    """Returns the component class of a force law by a ``formula``, such as ``force_law("k*s + c*v**3", k=("N/m", 100.0), c=("N.s3/m3", 2.0))``.

    The formula gives the force that pulls N towards M, by the stretch ``s`` and its rate ``v``, the time ``t``, and names of your own. It
    has ``+ - * / **``, brackets, ``pi`` and the functions sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, min, max
    and atan2. ``between`` is "line", "shaft" (a torque by ``phi`` and ``w``), "plane" or "space" (along the line between two points).
    ``values`` has a unit and a start value for each parameter, or a number without unit, or a unit alone for a signal that enters.
    ``name`` is that of the class. Anything else raises DeclarationError.
    """
    if between not in _KINDS:
        raise DeclarationError(f"between = {between!r} is refused: give {', '.join(map(repr, _KINDS))}")
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise DeclarationError(f"name = {name!r} is refused: give letters, digits and underscores for the name of the class")
    for each, value in values.items():
        unit, start = value if isinstance(value, tuple) and len(value) == 2 else ("", 0.0) if isinstance(value, str) else ("", value)
        if not isinstance(unit, str) or isinstance(start, bool) or not isinstance(start, int | float) or not abs(start) < float("inf"):
            raise DeclarationError(
                f"{each} = {value!r} is refused: give a number, a unit and a number such as ('N/m', 100.0), or a unit for a signal"
            )
    *_, text, where = _KINDS[between]
    effort = "torque that turns" if between == "shaft" else "force that pulls"
    doc = f"Force law between {where}: the {effort} N towards M is {formula}.\n\nHere {text}. The time is t in s."
    members = {"__doc__": doc, "__module__": "jourdain", "__qualname__": f"force_law.<locals>.{name}"}
    made = type(name, (ForceLaw,), {**members, "between": between, "formula": formula, "values": values})
    declaration(made)
    return made
