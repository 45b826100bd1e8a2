"""Hydraulics.

What has volume gives the pressure at its ports: PressureSource, Tank, Volume, Accumulator, the chambers A and B of a Cylinder and
the end A of a Hose. What has resistance takes the pressures and gives the flows: FlowSource, Orifice, CheckValve, ReliefValve,
ProportionalValve43, Pump, Motor and the end B of a Hose. A connection joins one giver of pressure to any number of givers of flow,
whose flows add up; so a volume, if only a small one, stands wherever two resistances meet. A Hose stands between a valve, at A,
and a cylinder, at B.

Pumps and motors take the motion of a shaft and give its torque: their `flange` connects to mechanical1d.Inertia. A cylinder takes
the motion of its rod and gives its force: its `flange` connects to mechanical1d.Mass, or to planar.LinearActuator, which brings it
into a mechanism.

Pressures are absolute. Pressure times flow is power, so the outputs account for all of the work: sources have `power`, the power
that they give; what stores has `energy`, and a cylinder `compression`, the power that goes into its oil; what dissipates has
`loss`, which is not negative. Oil under tension does not tear: cavitation is not modelled, so pressures below 0 mean that the
model is left. Pressures are stiff, the solver for them is "cvode".
"""
