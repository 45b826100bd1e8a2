"""Spool of a proportional valve: it follows a command and opens edges."""

from __future__ import annotations

import sympy
from sympy import Abs, Piecewise, pi

from fmu_components.declare.component import Component


def openings(part: Component, bandwidth: float, ahead: str, back: str) -> tuple[sympy.Expr, sympy.Expr]:
    """Declares the command and the spool, and returns the openings of the edges on its positive and on its negative side.

    ``ahead`` and ``back`` say in words which ports are open on either side.
    """
    command = part.input("command", 0.0, "", "spool position that is asked for, from -1 to 1")
    frequency = part.parameter("bandwidth", bandwidth, "Hz", "frequency up to which the spool follows the command", above=0, nominal=10)
    dead_zone = part.parameter("dead_zone", 1e-6, "", "spool position up to which all edges are closed", at_least=0, below=1, nominal=0.01)
    text = "spool position at which edges begin to open; negative where they are open in the middle"
    overlap = part.parameter("overlap", 0.0, "", text, above=-1, below=1, nominal=0.01)
    spool = part.state("spool", 0.0, "", "spool position, from -1 to 1")
    too_high = part.relation("above", command - 1, "the command is limited to 1")
    too_low = part.relation("below", -1 - command, "the command is limited to -1")
    limited = Piecewise((1, too_high), (-1, too_low), (command, True))
    part.rate(spool, (limited - spool) * 2 * pi * frequency)
    forward = part.relation("forward", spool - overlap - dead_zone, ahead)
    backward = part.relation("backward", -dead_zone - overlap - spool, back)
    part.output("position", spool, "", "spool position, from -1 to 1")
    part.require(1 + 1e-9 - Abs(spool), "the spool lies between -1 and 1")
    first, second = (
        Piecewise(((position - overlap) / (1 - overlap), is_open), (0, True))
        for position, is_open in ((spool, forward), (-spool, backward))
    )
    return first, second
