"""The smallest system that contains a component, for every component of the catalogue."""

from __future__ import annotations

import sympy

from coupling import System
from coupling.plan.instances import time_symbol
from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.ports import Side

GIVES_MOTION = {
    "planar frame": ("planar.Body1", "p1"),
    "spatial frame": ("spatial.Body1", "p1"),
    "rotational flange": ("mechanical1d.Inertia", "flange"),
    "translational flange": ("mechanical1d.Mass", "flange"),
    "hydraulic": ("hydraulic.Volume", "port"),
    "electrical pin pair": ("electrical.Capacitor", "pins"),
    "pneumatic": ("pneumatic.Volume", "port"),
    "thermal": ("thermal.Capacity", "port"),
}
PLACES = {"planar.Body1": ("x", "y"), "spatial.Body1": ("x", "y", "z")}
"""They lie apart, as ropes and contacts want it."""
SIZES = {"mechanical1d.Inertia": {"I": 1.7}, "mechanical1d.Mass": {"m": 1.7}, "planar.Body1": {"m": 1.7, "I": 0.6}}
GIVES_EFFORT = {
    "planar frame": "planar.Revolute",
    "spatial frame": "spatial.Spherical",
    "rotational flange": "mechanical1d.RotationalSpringDamper",
    "translational flange": "mechanical1d.SpringDamper1D",
    "hydraulic": "hydraulic.Orifice",
    "electrical pin pair": "electrical.Resistor",
    "pneumatic": "pneumatic.Restrictor",
    "thermal": "thermal.Conductor",
}
"""Component that is joined to a port that gives motion, and to a part that gives motion itself."""
RIGID = {"planar frame": "planar.Weld", "rotational flange": "mechanical1d.RigidShaft"}
"""Joint that ties a massless part to one that moves."""
WITHOUT_TORQUE = {"planar frame": "planar.SpringDamper", "spatial frame": "spatial.SpringDamper"}


def smallest(name: str) -> System:
    """The component with a partner at each port, an integrator after each output of a signal, and inputs that move."""
    declared = declaration(find(name))
    system = System("smallest")
    system.add("it", name)
    for number, port in enumerate(declared.ports):
        other = f"other{number}"
        kind = port.kind.name
        partner = GIVES_MOTION[kind][0]
        places = {name: number + 0.5 * place + 1.0 for place, name in enumerate(PLACES.get(partner, ()))}
        turned = {"q0": 0.8, "q1": 0.4 * (-1) ** number, "q2": 0.2, "q3": 0.4} if partner == "spatial.Body1" else {}
        system.add(other, partner, {**places, **SIZES.get(partner, {}), **turned})
        given = declaration(find(partner)).ports[0].name
        if port.side is Side.EFFORT:
            system.connect(f"it.{port.name}", f"{other}.{given}")
            continue
        if "Massless" in name:
            between = (RIGID if not number else WITHOUT_TORQUE)[kind]
        else:
            between = (WITHOUT_TORQUE if port.torque_free is not None else GIVES_EFFORT)[kind]
        system.add(f"between{number}", between)
        ends = [each.name for each in declaration(find(between)).ports]
        for end, target in zip(ends, (f"it.{port.name}", f"{other}.{given}"), strict=False):
            system.connect(f"between{number}.{end}", target)
    if not declared.ports:
        _add_integrators(system, name)
    return system


def _add_integrators(system: System, name: str) -> None:
    declared, time = declaration(find(name)), time_symbol()
    outputs = [v.name for v in declared.with_role(Role.OUTPUT) if v.type == "real"]
    for number, output in enumerate(outputs):
        system.add(f"integrator{number}", "signal.Integrator")
        system.connect(f"it.{output}", f"integrator{number}.u")
    for number, given in enumerate(declared.with_role(Role.INPUT)):
        system.drive(f"it.{given.name}", sympy.sin(3 * time + number))
