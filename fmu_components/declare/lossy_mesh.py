"""Losses of meshes by direction and load, as of gears, worms and screws."""

from __future__ import annotations

import sympy
from sympy import Max, atan, cos, pi, sin, tan

from fmu_components.declare.component import Component
from fmu_components.declare.rubbing import Losing
from fmu_components.declare.switched import Friction, friction

_WHOLE = 1e-6
"""Largest square of the sine of pi times a number that counts as whole."""


class LossyMesh(Losing):
    """Base of joints whose first multiplier is the load of a mesh on the driving side, and whose second one is its friction there."""

    slipping = 2

    def rubs(self, slip: sympy.Expr, efficiency: sympy.Expr, back: sympy.Expr, unit: str, arm: sympy.Expr = sympy.S.One) -> Friction:
        """Returns the friction on the ``slip`` of the driving side, for its ``efficiency`` and for that ``back``, when the other side drives.

        The driving side needs load/efficiency if it drives, and bears load efficiency back if it is driven. A value back of 0 or less locks.
        The load is the first multiplier times its ``arm``.
        """
        peak = self.parameter("peak", 1.0, "", "friction up to which it sticks, by that while it turns", at_least=1)
        bearing = self.parameter("bearing", 0.0, unit, "friction of the bearings, on the driving side", at_least=0)
        self.expect(2 - peak, "peak is at most 2, as of meshes and bearings; larger static friction is that of a seized one")
        load = -self.multiplier(1) * arm
        drives, driven = 1 / efficiency - 1, 1 - back
        limits = tuple(Max(drives * each, -driven * each) + bearing for each in (load, -load))
        return friction(slip, limits, tuple(peak * each for each in limits))


def worm(part: Component) -> tuple[sympy.Symbol, sympy.Symbol, sympy.Symbol, sympy.Symbol, sympy.Expr]:
    """Declares the teeth of a worm gear, and returns the starts, teeth, module and diameter, and the lead angle of the worm."""
    starts = part.parameter("starts", 1.0, "", "number of threads of the worm; negative if it is left-handed")
    teeth = part.parameter("teeth", 30.0, "", "number of teeth of the wheel", above=0)
    module = part.parameter("module", 2e-3, "m", "axial pitch of the worm by pi", above=0, nominal=1e-3)
    diameter = part.parameter("diameter", 0.02, "m", "pitch diameter of the worm", above=0, nominal=0.01)
    part.expect(_WHOLE - sin(pi * teeth) ** 2 - sin(pi * starts) ** 2, "the numbers of teeth and starts are whole")
    size = (starts**2) ** 0.5
    return starts, teeth, module, diameter, part.local("lead", atan(size * module / diameter), "rad", "lead angle of the worm")


def efficiencies(part: Component, lead: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Declares friction and flank angle of a thread with the angle ``lead``, and returns its efficiencies: thread drives, and is driven.

    With c = cos(flank): (c - mu tan(lead))/(c + mu/tan(lead)) and (c - mu/tan(lead))/(c + mu tan(lead)).
    """
    mu = part.parameter("mu", 0.1, "", "coefficient of friction of the thread", at_least=0)
    flank = part.parameter("flank", 0.2618, "rad", "angle between the flank and the plane across the axis", at_least=0, below=1.5)
    c, slope = cos(flank), tan(lead)
    drives = part.local("efficiency", (c - mu * slope) / (c + mu / slope), "", "efficiency when the thread drives")
    driven = part.local(
        "efficiency.back", (c - mu / slope) / (c + mu * slope), "", "efficiency when the thread is driven; it locks up to 0"
    )
    part.expect(0.6 - mu, "mu is at most 0.6, as of dry metal")
    part.expect(pi / 4 - lead, "the lead angle is at most 45 degrees; beyond, name the other side as the thread")
    part.require(c - mu * slope, "friction lets the thread drive: cos(flank) is greater than mu tan(lead angle)")
    return drives, driven
