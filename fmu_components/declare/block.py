"""Common parts of blocks, which are a joint and a body in one: the freedom between parent and body, and the effort along it."""

from __future__ import annotations

import sympy

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import Role, Variable
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL, Side

ACCELERATION = sympy.Symbol("acceleration", real=True)
"""Acceleration of the joint, which either the block or its importer gives."""


class Block(Component):
    """Base of blocks that take motion from a parent and give it a wrench; children hang on their other ports.

    The joint's acceleration is an algebraic unknown, whose residual is the balance of efforts along the joint. Motion is then passed down and
    wrenches up without any loop of their own, and links without mass are allowed. With the switch off the block solves for it.
    """

    def freedom(self, turns: bool) -> sympy.Symbol:
        """The coordinate of the joint, its rate and acceleration; ``effort`` is what acts along it."""
        unit, stiffness, damping, force = ("rad", "N.m/rad", "N.m.s/rad", "N.m") if turns else ("m", "N/m", "N.s/m", "N")
        k = self.parameter("k", 0.0, stiffness, "stiffness of the spring along q", at_least=0)
        b = self.parameter("b", 0.0, damping, "viscous damping along q", at_least=0)
        rest = self.parameter("rest", 0.0, unit, "value of q at which the spring is at rest")
        q = self.state("q", 0.0, unit, "coordinate of the joint, of the body against its parent")
        qd = self.state("qd", 0.0, f"{unit}/s", "rate of q")
        what = "torque" if turns else "force"
        given = self.input(what, 0.0, force, f"{what} of an actuator on the body along q, its opposite on the parent")
        self.rate(q, qd)
        self.rate(qd, ACCELERATION)
        flange = self.port(
            "flange", ROTATIONAL if turns else TRANSLATIONAL, Side.MOTION, "actuator: motion of the body relative to its parent"
        )
        self.moves(flange, q)
        actuation = self.local("actuation", given + (flange.tau if turns else flange.f), force, "effort of all actuators")
        own = self.local("effort.passive", -k * (q - rest) - b * qd, force, "effort of spring and damper")
        self.output("effort", actuation + own, force, "effort of actuators, spring and damper, positive towards larger q")
        self.output("spring.energy", k * (q - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("spring.power", own * qd, "W", "power that spring and damper give to the bodies")
        return q

    def balance(self, required: sympy.Expr, own: sympy.Expr) -> sympy.Expr:
        """``required``: the effort along the joint that the motion needs; ``own``: how it grows with the joint's acceleration, of this body
        alone. Returns the former, by the name of what an actuator has to give of it."""
        unit = self._draft.variables["effort"].unit
        rate_unit = self._draft.variables["der(qd)"].unit
        ideal = self.switch(
            "ideal", False, "ideal mode: qdd is set from outside such that the residual vanishes; otherwise the block solves for it"
        )
        self.require(
            sympy.Piecewise((1, sympy.Or(ideal, own > 0)), (-1, True)),
            "unless ideal is true, this body alone has inertia along its joint, which is greater than 0",
        )
        given = self._add(
            Variable("qdd", Role.ALGEBRAIC, rate_unit, "acceleration of the joint, used in ideal mode", 0.0, order=3, partner="residual")
        )
        effort, still = self["effort"], sympy.sympify(required).subs(ACCELERATION, 0)
        passive = self["effort.passive"]
        needed = self.output(
            "required", required - passive, unit, "effort of an actuator that this motion needs, besides spring and damper"
        )
        self.output("residual", self["actuation"] - needed, unit, "effort that is left over: zero for the right qdd")
        alone = sympy.Piecewise((given, ideal), ((effort - still) / own, True))
        self.local("acceleration", alone, rate_unit, "acceleration of the joint in effect")
        return needed + passive
