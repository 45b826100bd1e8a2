"""Driven motions that stand still, as equilibria take them."""

from __future__ import annotations

from collections.abc import Mapping

from coupling.analysis.linear import variable_named
from coupling.live.violations import values_of
from coupling.plan.connections import check_drive
from coupling.plan.definition import Value
from coupling.plan.drives import ConstantDrive
from coupling.plan.rates import rates_of
from coupling.simulate import Simulator


def at_rest(simulator: Simulator, start: Mapping[str, Value]) -> Simulator:
    """Returns a simulator whose inputs of motion stay at the values of their drives at time 0, with rates of 0."""
    fmus = {each.name: each.fmu.fmu for each in simulator.definition.instances}
    moving = []
    for name, drive in simulator.definition.drives:
        instance, variable = check_drive(name, fmus, drive)
        if not isinstance(drive, ConstantDrive) and rates_of(fmus[instance], variable):
            moving.append(name)
    if not moving:
        return simulator
    with simulator.standing(start, "relax") as session:
        values = values_of(session, [variable_named(session, name, "")[1] for name in moving])
    return simulator.with_drives({name: ConstantDrive(float(value)) for name, value in zip(moving, values, strict=True)})
