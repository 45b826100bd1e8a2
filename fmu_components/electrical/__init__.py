"""Circuits of components that give a voltage and components that give a current, electric machines and their controllers.

An electrical port is a pair of pins whose second is the common return. VoltageSource, Battery, Capacitor, Ground and the port `load`
of an HBridge give the voltage; Resistor, Inductor, DCMotor and the port `supply` of an HBridge read it and give a current. A port
that gives a voltage connects to any number of ports that give a current, whose currents add up there; two ports of the same side
need a component between them. Current is positive into the side that gives the voltage. The flange of a machine connects to
what gives the motion of a shaft, such as an Inertia. Of what flows in, `energy` is stored, `loss` becomes heat, and `power` is what
a source gives.
"""
