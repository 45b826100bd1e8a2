"""Units: parsed from their names, so that base units, products and checks need no second list.

A unit is written as in Modelica: factors joined by dots, at most one slash, exponents as plain digits: ``N.m.s/rad``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import sympy

from fmu_components.declare.functions import GreatestMoment, InSI, Magnitude
from fmu_components.declare.tables import Item, LeastStep, LookupBase, NextNode

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {
    "N": "kg.m/s2",
    "J": "kg.m2/s2",
    "W": "kg.m2/s3",
    "Pa": "kg/m.s2",
    "Hz": "1/s",
    "C": "A.s",
    "V": "kg.m2/A.s3",
    "Ohm": "kg.m2/A2.s3",
    "H": "kg.m2/A2.s2",
    "F": "A2.s4/kg.m2",
    "Wb": "kg.m2/A.s2",
}
PREFERRED = (
    "m",
    "m/s",
    "m/s2",
    "1/s",
    "1/s2",
    "kg",
    "kg.m2",
    "s",
    "N",
    "N.m",
    "W",
    "N/m",
    "N.s/m",
    "N.m.s",
    "Pa",
    "m3/s",
    "m3",
    "m2",
    "V",
    "A",
    "Ohm",
)

MIXED = "*"
"""Unit of a number that multiplies quantities of several dimensions, each in SI units."""


@dataclass(frozen=True)
class DisplayUnit:
    """A unit for showing values: shown = factor * value."""

    name: str
    factor: float


DISPLAY = {
    "m": (DisplayUnit("mm", 1e3),),
    "rad": (DisplayUnit("deg", 180 / math.pi),),
    "rad/s": (DisplayUnit("deg/s", 180 / math.pi), DisplayUnit("rev/min", 30 / math.pi)),
    "rad/s2": (DisplayUnit("deg/s2", 180 / math.pi),),
    "m3/s": (DisplayUnit("l/min", 6e4),),
    "m3": (DisplayUnit("l", 1e3),),
    "Pa": (DisplayUnit("bar", 1e-5),),
    "N": (DisplayUnit("kN", 1e-3),),
    "N/m": (DisplayUnit("N/mm", 1e-3),),
    "W": (DisplayUnit("kW", 1e-3),),
}


class UnitError(ValueError):
    """An unknown unit, or an equation whose terms do not agree in their dimensions."""


@cache
def exponents(unit: str) -> tuple[int, ...]:
    """The exponents of the base units in ``BASE`` order; an empty unit has none."""
    total = [0] * len(BASE)
    if unit == MIXED:
        return tuple(total)
    for side, text in zip((1, -1), unit.split("/"), strict=False):
        for factor in text.split("."):
            match = re.fullmatch(r"([A-Za-z]+)(\d*)|1|", factor)
            name = match.group(1) if match else None
            if match is None or (name is not None and name not in BASE and name not in DERIVED):
                raise UnitError(
                    f"the unit '{unit}' has the unknown factor '{factor}'; use products of "
                    f"{', '.join((*BASE, *DERIVED))}, such as 'N.m/rad'"
                )
            if name is None:
                continue
            power = side * int(match.group(2) or 1)
            inner = [int(name == base) for base in BASE] if name in BASE else exponents(DERIVED[name])
            total = [t + power * i for t, i in zip(total, inner, strict=True)]
    if unit.count("/") > 1:
        raise UnitError(f"the unit '{unit}' has more than one '/'; write all divisors after one, as in 'kg.m2/s3.A'")
    return tuple(total)


@dataclass(frozen=True)
class Dimension:
    """A physical dimension; angles count as numbers, so that the arc of a radius is a length."""

    powers: tuple[sympy.Rational, ...]

    @staticmethod
    def of(unit: str) -> Dimension:
        return Dimension(tuple(sympy.Integer(p) for p in exponents(unit)[:-1]))

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a + b for a, b in zip(self.powers, other.powers, strict=True)))

    def __pow__(self, power: sympy.Expr) -> Dimension:
        return Dimension(tuple(a * power for a in self.powers))

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other ** sympy.Integer(-1)

    def __str__(self) -> str:
        return ".".join(f"{b}{p}" if p != 1 else b for b, p in zip(BASE, self.powers, strict=False) if p) or "1"

    def unit(self) -> str:
        """The usual name of the unit with this dimension; a number has none."""
        if not any(self.powers):
            return ""
        for name in PREFERRED:
            if Dimension.of(name) == self:
                return name
        over = ".".join(f"{b}{p if p != 1 else ''}" for b, p in zip(BASE, self.powers, strict=False) if p > 0)
        under = ".".join(f"{b}{-p if p != -1 else ''}" for b, p in zip(BASE, self.powers, strict=False) if p < 0)
        return (over or "1") + ("/" + under if under else "")


NUMBER = Dimension.of("")


def dimension_of_unit(unit: str) -> Dimension | None:
    return None if unit == MIXED else Dimension.of(unit)


def dimension(expression: sympy.Basic, known: Mapping[sympy.Symbol, Dimension | None]) -> Dimension | None:
    """The dimension of an expression; None where it is zero, scaled by a mixed quantity or meant in SI units, and fits anywhere.

    Raises UnitError where terms that are added or compared differ, or a function is taken of more than a number.
    """
    if isinstance(expression, sympy.Symbol):
        return known[expression]
    # Testing a long sum for zero takes longer than all else; SymPy writes a sum of symbols that vanishes as 0.
    if expression.is_number and expression.is_zero:
        return None
    if expression.is_number or isinstance(expression, (sympy.logic.boolalg.Boolean, sympy.core.relational.Relational)):
        for relation in expression.atoms(sympy.core.relational.Relational):
            _common(relation, relation.args, known)
        return NUMBER
    if isinstance(expression, (sympy.Add, sympy.Max, sympy.Min, Magnitude, GreatestMoment, LeastStep, NextNode)):
        return _common(expression, expression.args, known)
    if isinstance(expression, InSI):
        dimension(expression.args[0], known)
        return None
    if isinstance(expression, sympy.Piecewise):
        for _, condition in expression.args:
            dimension(condition, known)
        return _common(expression, [value for value, _ in expression.args], known)
    if isinstance(expression, sympy.Mul):
        product: Dimension = NUMBER
        for factor in expression.args:
            inner = dimension(factor, known)
            if inner is None:
                return None
            product *= inner
        return product
    if isinstance(expression, sympy.Pow):
        base = dimension(expression.base, known) or NUMBER
        if base != NUMBER and not expression.exp.is_number:
            raise UnitError(f"'{expression}' raises a quantity with the dimension {base} to a power that is not a number")
        return base**expression.exp if base != NUMBER else NUMBER
    if isinstance(expression, (sympy.Abs, sympy.sign)):
        inner = dimension(expression.args[0], known)
        return inner if isinstance(expression, sympy.Abs) else NUMBER
    if isinstance(expression, sympy.atan2):
        _common(expression, expression.args, known)
        return NUMBER
    if isinstance(expression, Item):
        return dimension(expression.array, known)
    if isinstance(expression, LookupBase):
        *nodes, values = expression.arrays
        found = dimension(values, known) or NUMBER
        for argument, node, order in zip(expression.varying, nodes, expression.orders, strict=True):
            found /= (_common(expression, (argument, node), known) or NUMBER) ** sympy.Integer(order)
        return found
    for argument in expression.args:
        inner = dimension(argument, known)
        if inner not in (None, NUMBER):
            raise UnitError(f"'{expression}' takes a function of a quantity with the dimension {inner}")
    return NUMBER


def rate_unit(unit: str) -> str:
    """Returns the unit of the time derivative; radians stay, which dimensions do not know."""
    if "rad" in unit:
        return f"{unit}/s" if "/" not in unit else f"{unit}2"
    return (Dimension.of(unit) / Dimension.of("s")).unit()


def _common(whole: sympy.Basic, terms: object, known: Mapping[sympy.Symbol, Dimension | None]) -> Dimension | None:
    found: Dimension | None = None
    for term in terms:  # type: ignore[attr-defined]
        this = dimension(term, known)
        if this is None:
            continue
        if found is not None and this != found:
            raise UnitError(f"the terms of '{whole}' differ in dimension: {found} and {this} (in '{term}')")
        found = this
    return found
