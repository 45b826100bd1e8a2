"""Pneumatics.

Parts with a volume give the pressure at their ports: PressureSource, Atmosphere, Volume and the chambers A and B of a Cylinder. Parts with
a resistance take the pressures and give the mass flows: Restrictor, MeteringValve and ProportionalValve53. A connection joins one giver of pressure to any
number of givers of flow, whose flows add up. Therefore a volume, if only a small one, stands wherever two resistances meet.

A Cylinder takes the motion of its rod and gives its force: its `flange` connects to mechanical1d.Mass, or to planar.LinearActuator, which
brings it into a mechanism.

The gas is ideal: pressure = density gas.R gas.T. Its temperature is a parameter. The pressure of a volume V follows
p' = exponent (gas.R gas.T flow - p V')/V. With an exponent of 1 the gas is isothermal, and its mass is p V/(gas.R gas.T). With 1.4 the gas
is adiabatic. Flows through narrow passages follow ISO 6358, with choked flow below the critical pressure ratio b. All pressures are
absolute. The solver "cvode" suits small volumes.
"""
