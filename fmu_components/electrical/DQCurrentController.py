"""Current controller of a synchronous motor."""

from sympy import Piecewise

from fmu_components.declare.component import Component
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.icon import Drawing, arrowhead, box, line


class DQCurrentController(Component):
    """PI controllers of both currents of a PMSM, decoupled, with a limited voltage and integral parts that do not wind up.

    The gains follow from the motor's data, so that both currents follow as first-order lags with the time constant 1/bandwidth as long
    as the voltage suffices. Where it does not, it keeps its direction, which is a state event.
    """

    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        line((-0.5, -0.5), (0.5, -0.5)),
        arrowhead(0.55, -0.5, 0),
        line((-0.5, -0.5), (-0.5, 0.5)),
        arrowhead(-0.5, 0.55, 90),
        line((-0.5, -0.5), (0.25, 0.25), width=0.1),
        arrowhead(0.3, 0.3, 45, 0.3, width=0.1),
    )

    def declare(self):
        bandwidth = self.parameter("bandwidth", 1000.0, "rad/s", "reciprocal of the time constant of both currents", above=0, nominal=1000)
        limit = self.parameter("limit", 24.0, "V", "greatest amplitude of the voltage", above=0, nominal=10)
        pole_pairs = self.parameter("pole_pairs", 4.0, "", "pairs of poles of the motor", above=0)
        flux = self.parameter("flux", 0.01, "Wb", "flux of its magnets", at_least=0, nominal=0.01)
        R = self.parameter("R", 0.05, "Ohm", "its resistance", above=0, nominal=0.1)
        inductances = {axis: self.parameter(f"L{axis}", 2e-4, "H", f"its inductance along {axis}", above=0, nominal=1e-4) for axis in "dq"}
        setpoint = {axis: self.input(f"setpoint.{axis}", 0.0, "A", f"the wanted current along {axis}") for axis in "dq"}
        current = {axis: self.input(f"measurement.{axis}", 0.0, "A", f"the current along {axis}") for axis in "dq"}
        w = self.local(
            "w", pole_pairs * self.input("speed", 0.0, "rad/s", "angular velocity of the shaft"), "rad/s", "electrical angular velocity"
        )
        induced = {"d": -w * inductances["q"] * current["q"], "q": w * (inductances["d"] * current["d"] + flux)}
        integral = {axis: self.state(f"integral.{axis}", 0.0, "V", f"the integral part along {axis}") for axis in "dq"}
        demand = {
            axis: self.output(
                f"demand.{axis}",
                bandwidth * L * (setpoint[axis] - current[axis]) + integral[axis] + induced[axis],
                "V",
                f"the voltage along {axis} without the limit",
            )
            for axis, L in inductances.items()
        }
        amplitude = self.local("amplitude", Magnitude(demand["d"], demand["q"]), "V", "amplitude of the voltage without the limit")
        limited = self.relation("limited", amplitude - limit, "the demand lies above the limit")
        part = self.local("part", Piecewise((limit / amplitude, limited), (1, True)), "", "the share of the voltage within the limit")
        for axis in "dq":
            voltage = self.output(f"v{axis}", part * demand[axis], "V", f"the voltage along {axis}")
            # What the limit takes away counts as an error of the current that would have asked for it.
            error = setpoint[axis] - current[axis] + (voltage - demand[axis]) / (bandwidth * inductances[axis])
            self.rate(integral[axis], bandwidth * R * error)
