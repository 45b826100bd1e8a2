"""Stiff components, which choose the implicit method: each with a solution in closed form, or with published digits."""

from sympy import Piecewise, sin, sqrt

from fmu_components.declare.component import TIME, Component, falls


class VanDerPol(Component):
    """Van der Pol's oscillator in the time of its slow motion.

    The problem VDPOL of the test set for IVP solvers: with eps = 1e-6, y1 = 2 and y2 = 0 at the start.
    """

    stop_time = 2.0

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        k = self.parameter("k", 1.0, "1/s", "unit of the rates")
        eps = self.parameter("eps", 1e-6, "", "reciprocal of the square of the damping", above=0)
        y1 = self.state("y1", 2.0, "", "displacement")
        y2 = self.state("y2", 0.0, "", "velocity")
        self.rate(y1, k * y2)
        self.rate(y2, k * ((1 - y1**2) * y2 - y1) / eps)


class Robertson(Component):
    """Robertson's autocatalytic reaction."""

    stop_time = 40.0

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        k = self.parameter("k", 1.0, "1/s", "unit of the rates")
        y1 = self.state("y1", 1.0, "", "first species")
        y2 = self.state("y2", 0.0, "", "second species", nominal=1e-5)
        y3 = self.state("y3", 0.0, "", "third species")
        slow, fast, back = 0.04 * y1, 3e7 * y2**2, 1e4 * y2 * y3
        self.rate(y1, k * (-slow + back))
        self.rate(y2, k * (slow - back - fast))
        self.rate(y3, k * fast)


class Hires(Component):
    """The problem HIRES of Hairer and Wanner: growth of plant tissue under light, eight reactions."""

    stop_time = 321.8122

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        k = self.parameter("k", 1.0, "1/s", "unit of the rates")
        start = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057)
        y1, y2, y3, y4, y5, y6, y7, y8 = ys = [
            self.state(f"y{i}", value, "", f"species {i}", nominal=1e-3) for i, value in enumerate(start, 1)
        ]
        joined = 280 * y6 * y8
        rates = (
            -1.71 * y1 + 0.43 * y2 + 8.32 * y3 + 0.0007,
            1.71 * y1 - 8.75 * y2,
            -10.03 * y3 + 0.43 * y4 + 0.035 * y5,
            8.32 * y2 + 1.71 * y3 - 1.12 * y4,
            -1.745 * y5 + 0.43 * y6 + 0.43 * y7,
            -joined + 0.69 * y4 + 1.71 * y5 - 0.43 * y6 + 0.69 * y7,
            joined - 1.81 * y7,
            -joined + 1.81 * y7,
        )
        for y, rate in zip(ys, rates, strict=True):
            self.rate(y, k * rate)


class Follower(Component):
    """The problem of Prothero and Robinson: y follows sin(w t) at the rate g, and starts on it, so that it stays on it for any g."""

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        g = self.parameter("g", 1.0, "1/s", "rate at which a deviation decays")
        w = self.parameter("w", 3.0, "rad/s", "angular frequency")
        y = self.state("y", 0.0, "", "what follows")
        phi = sin(w * TIME)
        self.rate(y, -g * (y - phi) + phi.diff(TIME))


class Ladder(Component):
    """Four masses in a row between walls, joined by springs and dampers of very different stiffness; a force acts on the last.

    A linear system, whose solution is the exponential of its matrix.
    """

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        m = self.parameter("m", 1.0, "kg", "each mass", above=0)
        force = self.input("F", 0.0, "N", "force on the last mass")
        springs = [self.parameter(f"k{i}", 10.0 ** (2 * i), "N/m", f"stiffness {i}") for i in range(5)]
        dampers = [self.parameter(f"b{i}", 10.0 ** (2 * i - 1), "N.s/m", f"damping {i}") for i in range(5)]
        x = [self.state(f"x{i}", 0.125 * i, "m", f"position {i}") for i in range(1, 5)]
        v = [self.state(f"v{i}", 0.0, "m/s", f"velocity {i}") for i in range(1, 5)]
        ends, speeds = [0, *x, 0], [0, *v, 0]
        pulls = [
            k * (ends[i + 1] - ends[i]) + b * (speeds[i + 1] - speeds[i]) for i, (k, b) in enumerate(zip(springs, dampers, strict=True))
        ]
        for i in range(4):
            self.rate(x[i], v[i])
            self.rate(v[i], (pulls[i + 1] - pulls[i] + (force if i == 3 else 0)) / m)


class StiffRelay(Component):
    """A slow decay that a stiff one follows; when that falls to half, the slow one starts again from one.

    With u = 0 the stiff one is g/(g - d) exp(-d t) as soon as its own motion has died away, so that it falls to half every
    ln(2 g/(g - d))/d.
    """

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        d = self.parameter("d", 1.0, "1/s", "rate of the slow decay", above=0)
        g = self.parameter("g", 1e6, "1/s", "rate of the stiff one", above=0)
        u = self.input("u", 0.0, "1/s", "what is added to the rate of the slow one")
        y = self.state("y", 1.0, "", "slow")
        z = self.state("z", 1.0, "", "stiff")
        count = self.discrete("count", 0, "", "how often it has started again")
        self.rate(y, u - d * y)
        self.rate(z, -g * (z - y))
        self.output("lag", z - y, "", "how far the stiff one is behind")
        self.when(falls(z - 0.5), {y: 1, count: count + 1}, "starts again")


class Drain(Component):
    """A tank that runs dry: below the level 0 the flow has no value.

    The root of the level falls at the rate c/2, so that the level is (1 - c t/2)^2 until the time 2/c.
    """

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        c = self.parameter("c", 1.0, "1/s", "rate of the flow at the level 1", above=0)
        level = self.state("level", 1.0, "", "level")
        self.rate(level, -c * sqrt(level))
        self.output("wet", Piecewise((1, level > 0), (0, True)), "", "1 while there is anything left")


class Pendulum(Component):
    """A pendulum, which is not stiff; its method may be chosen."""

    def declare(self):
        self.option("solver.implicit", True, "whether steps are integrated by the implicit method")
        w = self.parameter("w", 3.0, "rad/s", "angular frequency of small swings", above=0)
        angle = self.state("angle", 2.0, "rad", "angle from the vertical")
        speed = self.state("speed", 0.0, "rad/s", "angular velocity")
        self.rate(angle, speed)
        self.rate(speed, -(w**2) * sin(angle))
