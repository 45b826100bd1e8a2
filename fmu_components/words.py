"""Everyday words for components, by which they are searched and suggested."""

from __future__ import annotations

import re

WORDS = {
    "hinge, pin joint, pivot, bearing": "planar.Revolute spatial.Revolute",
    "hinge with friction, sticking hinge": "planar.RevoluteFriction",
    "hinge with a motor, driven joint, servo": "planar.ActuatedRevolute spatial.ActuatedRevolute",
    "slider, sliding joint, guide, rail, prismatic joint": "planar.Translational spatial.Prismatic",
    "slider with a motor, linear axis": "planar.ActuatedTranslational spatial.ActuatedPrismatic",
    "pin in a slot, slotted link": "planar.TranslationalRevolute spatial.PointOnLine",
    "ball joint, ball and socket": "spatial.Spherical",
    "cardan joint, Hooke joint, u-joint": "spatial.Universal spatial.Gimbal",
    "constant-velocity joint, CV joint, homokinetic joint": "spatial.ConstantVelocity",
    "lead screw, spindle, screw joint, nut": "spatial.Screw",
    "rigid connection, glue, bolted joint": "planar.Weld spatial.Weld",
    "ground, frame, fixed point, world, inertial frame": "planar.Fixed spatial.Fixed",
    "rotational ground, locked shaft, linear ground": "mechanical1d.Fixed1D",
    "body, link, bar, lever, mass in a plane": "planar.Body1 planar.Body2 planar.Body3 spatial.Body1 spatial.Body2",
    "flexible beam, elastic body, bending, cantilever, flexible link": "planar.Beam3 planar.WeldedBeam3 spatial.Beam",
    "ball, bob, particle": "planar.PointMass1 spatial.PointMass1",
    "robot link, arm segment, minimal coordinates": "planar.RevoluteBody spatial.RevoluteBody spatial.PrismaticBody",
    "hub, branching link, link with several children": "planar.RevoluteBody3 spatial.RevoluteBody3 spatial.WeldedBody3",
    "loop closure, cut loop, stiffness matrix": "planar.LoopClosure spatial.LoopClosure",
    "rod of constant length, distance constraint": "planar.ConnectingRod spatial.Rod",
    "cable, string, chain, tether": "planar.Rope spatial.Rope",
    "pulley, block and tackle": "planar.PulleyRope spatial.PulleyRope",
    "winch, drum, hoist": "mechanical1d.RackAndPinion planar.LinearActuator",
    "spring, damper, shock absorber, dashpot": "planar.SpringDamper spatial.SpringDamper mechanical1d.SpringDamper1D",
    "torsion spring, flexible shaft, torsional damper": "mechanical1d.RotationalSpringDamper",
    "rubber mount, elastic mount": "planar.Bushing spatial.Bushing",
    "force, load, push": "planar.Wrench spatial.Wrench mechanical1d.Force",
    "thrust, rocket, propeller": "planar.FollowerWrench spatial.FollowerWrench",
    "air resistance, wind, water": "planar.Drag spatial.Drag mechanical1d.Drag mechanical1d.RotationalDrag",
    "measured drag, drag table, wind tunnel, parachute": "planar.TableDrag",
    "prescribed motion, driven point, shaker, rheonomic constraint": "planar.Motion spatial.Motion planar.RelativeAngle planar.RelativePosition",
    "contact, floor, bounce, collision, impact": "planar.PointContact planar.DiscContact planar.LineContact spatial.PointContact",
    "soft contact, Hertz contact, penalty contact": "planar.CompliantContact spatial.CompliantContact mechanical1d.CompliantContact",
    "wheel, rolling, coin": "planar.RollingDisc spatial.RollingDisc spatial.RollingSphere planar.IdealWheel",
    "tyre, tire, skid": "planar.SlipWheel planar.FrictionWheel planar.SlippingDisc",
    "skate, sled, blade, nonholonomic constraint": "planar.KnifeEdge spatial.KnifeEdge",
    "cam, follower, tappet": "planar.CamFollower planar.TableCam",
    "cam from a file, measured cam, lift table": "planar.TableCam",
    "gears, cogs, spur gears": "planar.GearPair spatial.GearPair mechanical1d.Gear",
    "bevel gear, right-angle drive, mitre gear, crown wheel, helical gear": "spatial.GearPair mechanical1d.Gear mechanical1d.LossyGear",
    "gearbox, reducer, transmission": "mechanical1d.Gear mechanical1d.Planetary",
    "belt, flat belt": "mechanical1d.BeltDrive",
    "chain drive, timing belt, roller chain, sprocket": "mechanical1d.ToothedBelt",
    "worm drive, self-locking gear": "mechanical1d.Worm spatial.WormGear mechanical1d.LossyGear",
    "gear with losses, gearbox losses, efficiency of a gear": "mechanical1d.LossyGear mechanical1d.LossyPlanetary",
    "ball screw, trapezoidal thread, screw jack": "mechanical1d.PowerScrew",
    "rack, pinion, steering rack": "mechanical1d.RackAndPinion",
    "chain hoist, chain wheel, belt and pulley to a line": "mechanical1d.RackAndPinion",
    "Geneva drive, Maltese cross, indexing": "mechanical1d.Geneva",
    "ratchet, pawl, freewheel, sprag clutch, one-way bearing": "mechanical1d.OneWayClutch",
    "coupling that slips, slip clutch": "mechanical1d.Clutch",
    "parking brake, drum brake, disc brake, hot brake, brake fade": "mechanical1d.Brake",
    "play, lash, clearance": "mechanical1d.Backlash mechanical1d.RotationalBacklash",
    "stop, bumper, hard stop, limit of travel": "mechanical1d.EndStop",
    "dry friction, Coulomb friction, stick-slip": "mechanical1d.Friction mechanical1d.RotationalFriction planar.TranslationalFriction",
    "flywheel, rotor": "mechanical1d.Inertia",
    "wagon, block with two ends, mass with a length": "mechanical1d.LongMass",
    "elastic contact, bumper spring, claw coupling": "mechanical1d.ElasticGap mechanical1d.RotationalElasticGap",
    "Maxwell element, viscoelastic, relaxation": "mechanical1d.SeriesSpringDamper",
    "rail brake, rod clamp, rod lock": "mechanical1d.LineBrake",
    "retarder, magnetic brake, eddy currents": "mechanical1d.EddyCurrentBrake",
    "pump load, fan load, constant power, load by speed": "mechanical1d.SpeedTorque",
    "shaft, axle": "mechanical1d.RigidShaft mechanical1d.MasslessShaft",
    "piston, hydraulic actuator, ram, jack": "hydraulic.Cylinder hydraulic.DoubleRodCylinder planar.LinearActuator",
    "throttle, nozzle, restriction, leak": "hydraulic.Orifice pneumatic.Restrictor",
    "directional valve, servo valve, spool valve": "hydraulic.ProportionalValve43",
    "pressure limiter, safety valve": "hydraulic.ReliefValve",
    "non-return valve": "hydraulic.CheckValve",
    "pipe, line, tube": "hydraulic.Hose hydraulic.Volume",
    "reservoir, sump": "hydraulic.Tank",
    "gas spring, bladder": "hydraulic.Accumulator",
    "air, compressed air, compressor, gas supply, vacuum": "pneumatic.PressureSource",
    "exhaust, quick exhaust, silencer, muffler, vent": "pneumatic.Atmosphere",
    "air receiver, pressure vessel, gas tank": "pneumatic.Volume",
    "air cylinder, pneumatic piston, pneumatic actuator, air spring": "pneumatic.Cylinder",
    "choke, flow control valve, sonic nozzle": "pneumatic.Restrictor",
    "pneumatic servo valve, 5/3 valve, solenoid valve, air valve": "pneumatic.ProportionalValve53",
    "heat capacity, thermal mass, heat sink, heatsink": "thermal.Capacity",
    "insulation, thermal resistance, wall": "thermal.Conductor",
    "cooling, fan, radiator, heat transfer": "thermal.Convection",
    "infrared, hot surface": "thermal.Radiation",
    "room, surroundings, ambient temperature": "thermal.FixedTemperature",
    "heater, heat source": "thermal.PrescribedFlow",
    "thermometer, thermocouple, temperature": "thermal.Sensor",
    "thermistor, PTC, heating wire": "electrical.Resistor",
    "electric motor, brushed motor": "electrical.DCMotor",
    "brushless motor, synchronous motor, BLDC": "electrical.PMSM",
    "inverter, motor driver, chopper": "electrical.HBridge",
    "coil": "electrical.Inductor",
    "supply, cell, accumulator (electrical)": "electrical.Battery electrical.VoltageSource",
    "saturation, clamp": "signal.Limiter",
    "slew rate": "signal.RateLimiter",
    "controller": "signal.PID electrical.SpeedController electrical.CurrentController",
    "low-pass filter, lag": "signal.FirstOrder signal.TransferFunction2",
    "digital control, zero-order hold, sampling": "signal.SampleHold",
    "time series, measured signal, time table": "signal.Table",
    "lookup table, characteristic curve, interpolation": "signal.Curve signal.Map",
    "characteristic map, engine map, two-dimensional table": "signal.Map",
    "nonlinear spring, progressive spring, spring characteristic, detent": "mechanical1d.TableSpring mechanical1d.RotationalTableSpring",
    "torque curve, motor characteristic, engine torque, induction motor": "mechanical1d.TableTorque",
    "Stribeck curve, measured friction, friction table": "mechanical1d.TableFriction mechanical1d.RotationalTableFriction",
    "needle valve, throttle for air, exhaust throttle": "pneumatic.MeteringValve",
    "metering edge, spool area, notched spool": "hydraulic.MeteringValve",
    "adder, difference, comparison": "signal.Sum",
    "amplifier": "signal.Gain",
    "oscillation, harmonic signal": "signal.Sine",
    "meter, counter, energy meter": "signal.Integrator",
}
"""Components by what people call them: words that are separated by commas, and the names of components, the first choice first."""

_MADE = {
    r"planar\.Beam([1-9]\d*)": "jourdain.Beam({})",
    r"planar\.WeldedBeam([1-9]\d*)": "jourdain.WeldedBeam({})",
    r"spatial\.Beam([1-9]\d*)": "jourdain.SpatialBeam({})",
    r"(?:spatial\.)?welded ?flexible ?body": "jourdain.flexible_body(K, M, nodes, ports, root=...)",
    r"(?:spatial\.)?flexible ?body|finite elements?|fem|mesh": "jourdain.flexible_body(K, M, nodes, ports)",
}
"""Functions that make the classes of other names, by patterns of these."""


def made_by(name: str) -> str:
    """Returns a sentence on the function that makes the class of a name outside the catalogue; empty for other names."""
    for pattern, call in _MADE.items():
        if found := re.fullmatch(pattern, name, re.IGNORECASE):
            return f"{call.format(*found.groups())} makes its class"
    return ""


def components_called(word: str) -> list[str]:
    """Returns the components that are called so: whole words, or their beginnings, in any order and number; ``planar.Hinge`` asks for
    planar ones."""
    library, _, name = word.rpartition(".")
    found = [
        each
        for said, components in WORDS.items()
        if any(named_by(name, phrase) for phrase in said.split(", "))
        for each in components.split()
    ]
    return [each for each in dict.fromkeys(found) if each.startswith(library)]


def said_of(component: str) -> str:
    """Returns all everyday words for a component."""
    return ", ".join(said for said, components in WORDS.items() if component in components.split())


def named_by(words: str, text: str) -> bool:
    """Says whether each of some words begins a word of a text; a plural also begins its singular. No words begin nothing."""
    parts, asked = re.findall(r"[\w-]+", text.lower()), words.lower().split()
    return bool(asked) and all(any(part.startswith((word, *_singular(word))) for part in parts) for word in asked)


def _singular(word: str) -> tuple[str, ...]:
    """Returns the words of which a word may be the plural; none for short words."""
    endings = (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""))
    return tuple(word[: -len(many)] + one for many, one in endings if word.endswith(many) and len(word) - len(many) > 1)
