"""Heat.

A thermal port has a temperature and a heat flow. Capacity and FixedTemperature give the temperature. Conductor, Convection, Radiation,
PrescribedFlow and Sensor take it and give the heat flow. Heat flow is positive into the side that gives the temperature. A connection joins
one giver of temperature to any number of givers of heat flow, whose flows add up. Therefore a Capacity, if only a small one, stands
wherever two resistances meet.

Each component with an output `loss` gets a port `heat` by the option `heat_port=True` of `System.add`. Its losses flow into that port.
Resistances of electrical.Resistor and electrical.DCMotor then depend on the temperature there, and the friction of mechanical1d.Brake,
mechanical1d.LineBrake and mechanical1d.Clutch fades. Without the option a component has no such port and no such parameters. Names such as
electrical.HeatedResistor stand for components with the port, also in `jourdain build` and `jourdain info`.
"""
