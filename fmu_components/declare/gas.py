"""Gas at a given temperature, and its flow through narrow passages by ISO 6358."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Max, Min, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import InSI

ATMOSPHERE = 101325.0
"""Pressure of the standard atmosphere in Pa."""


def temperature(part: Component) -> sympy.Symbol:
    """Declares the temperature of the gas as a parameter."""
    T = part.parameter("gas.T", 293.15, "K", "temperature of the gas", above=0, nominal=300)
    part.expect(Min(InSI(T) - 150, 1000 - InSI(T)), "gas.T lies between 150 and 1000 K, where air is an ideal gas")
    return T


def polytropic(part: Component) -> sympy.Symbol:
    """Declares the polytropic exponent of a gas in a volume."""
    exponent = part.parameter("exponent", 1.0, "", "polytropic exponent: 1 isothermal, 1.4 adiabatic", at_least=1)
    part.expect(5 / 3 + 1e-9 - exponent, "the exponent is at most 5/3, that of an adiabatic gas of single atoms")
    return exponent


def thermal_pressure(part: Component) -> sympy.Expr:
    """Declares the gas by its parameters, and returns pressure by density at its temperature."""
    gas = part.parameter("gas.R", 288.0, "J/kg.K", "gas constant per mass: 288 for air of ISO 6358, 287 for dry air", above=0, nominal=300)
    return gas * temperature(part)


@dataclass(frozen=True)
class Passage:
    """A narrow passage by ISO 6358: its parameters, without its sonic conductance."""

    part: Component
    critical: sympy.Symbol
    exponent: sympy.Symbol
    laminar: sympy.Symbol
    density: sympy.Expr
    """Density of the reference, corrected to the temperature of the gas."""

    @staticmethod
    def of(part: Component, critical: float) -> Passage:
        """Declares the parameters, with the usual value of the ``critical`` pressure ratio."""
        b = part.parameter("b", critical, "", "critical pressure ratio, below which the flow is choked", at_least=0, below=1)
        m = part.parameter("m", 0.5, "", "exponent of the flow that is not choked", above=0, at_most=1)
        linear = part.parameter("laminar", 0.999, "", "pressure ratio above which the flow is proportional to the drop", above=0, below=1)
        rho = part.parameter("reference.density", 1.185, "kg/m3", "density of the reference, by which C counts", above=0)
        T0 = part.parameter("reference.T", 293.15, "K", "temperature of the reference", above=0, nominal=300)
        part.expect(0.53 - b, "the critical pressure ratio b is at most 0.53, that of an ideal nozzle")
        part.require(linear - b, "the pressure ratio laminar is greater than the critical one, b")
        return Passage(part, b, m, linear, rho * sqrt(T0 / temperature(part)))

    def flow(self, ratio: str, conductance: sympy.Expr, here: sympy.Expr, there: sympy.Expr) -> sympy.Expr:
        """Returns the mass flow from ``here`` to ``there``, and declares the ``ratio`` of the pressures by this name.

        The difference of the pressures, divided by 1 - ratio, is the higher one with the sign of the flow. Above ``laminar`` the divisor
        stays, and the flow is proportional to the difference.
        """
        between = self.part.local(ratio, Min(here, there) / Max(here, there), "", f"lower by higher one of {here} and {there}")
        held = self.part.local(f"{ratio}.held", Min(between, self.laminar), "", f"{ratio}, at most the value of laminar")
        beyond = self.part.local(f"{ratio}.x", Max(0, (held - self.critical) / (1 - self.critical)), "", "0 if choked, 1 without drop")
        return conductance * self.density * (here - there) / (1 - held) * (1 - beyond**2) ** self.exponent
