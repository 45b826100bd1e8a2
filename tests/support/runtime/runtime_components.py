"""Components with events, small enough that every answer is known in closed form."""

from sympy import And, Piecewise, sympify, true

from fmu_components.declare.component import TIME, Component, falls, reaches, rises


class BouncingBall(Component):
    """Ball that falls and bounces.

    It starts at rest at h = 1 m, lands first at sqrt(2 h/g) and leaves the ground with the fraction e of its speed; the time
    between two bounces shrinks by e as well.
    """

    def declare(self):
        g = self.parameter("g", 9.81, "m/s2", "gravity, downwards", above=0)
        e = self.parameter("e", 0.8, "", "coefficient of restitution", at_least=0, at_most=1)
        h = self.state("h", 1.0, "m", "height above the ground")
        v = self.state("v", 0.0, "m/s", "velocity, upwards")
        self.rate(h, v)
        self.rate(v, -g)
        self.output("height", h, "m", "height above the ground")
        self.when(falls(h), {v: -e * v}, "the ball hits the ground")


class Stair(Component):
    """Stair that time climbs, one step per period.

    The integer counter is floor(time/period), its output height = rise*counter; there is no continuous state.
    """

    def declare(self):
        period = self.parameter("period", 1.0, "s", "time per step", above=0)
        rise = self.parameter("rise", 0.25, "m", "height of a step")
        counter = self.discrete("counter", 0, "", "number of steps climbed")
        self.output("height", rise * counter, "m", "height reached")
        self.when(reaches((counter + 1) * period), {counter: counter + 1}, "a step is climbed")


class Relay(Component):
    """Store that charges while its input is above a threshold, and otherwise discharges.

    The charge q follows u, or zero, with the time constant tau. The real discrete state held is the charge at which charging
    last stopped, and the time that has passed since is an output.
    """

    def declare(self):
        threshold = self.parameter("threshold", 0.5, "V", "input above which the store charges")
        tau = self.parameter("tau", 0.5, "s", "time constant", above=0)
        u = self.input("u", 0.0, "V", "input voltage")
        q = self.state("q", 0.2, "V", "charge, as a voltage")
        held = self.discrete("held", 0.0, "V", "charge at which charging last stopped")
        stopped = self.discrete("stopped", 0.0, "s", "time at which charging last stopped")
        charging = self.relation("charging", u - threshold, "the store charges")
        self.rate(q, (Piecewise((u, charging), (0, True)) - q) / tau)
        self.output("lost", held - q, "V", "charge lost since charging stopped")
        self.output("since", TIME - stopped, "s", "time since charging stopped")
        self.when(falls(u - threshold), {held: q, stopped: TIME}, "charging stops")


class SawTooth(Component):
    """Integrator that starts again from zero when it rises above its limit.

    With a constant input u it is a saw tooth of height limit and length limit/u; above the limit from the start it stays there.
    """

    def declare(self):
        limit = self.parameter("limit", 0.3, "m", "value at which the integrator starts again")
        u = self.input("u", 1.0, "m/s", "rate of the integrator")
        x = self.state("x", 0.0, "m", "integral of u since the last restart")
        self.rate(x, u)
        self.output("left", limit - x, "m", "distance from the limit")
        self.when(rises(x - limit), {x: 0}, "the integrator starts again")


class Sampler(Component):
    """Exponential decay, sampled once per period until a deadline.

    The integer samples counts the instants k*period before the deadline, held is exp(-t/tau) at the last of them; the Boolean
    closed is set by a time event that happens once.
    """

    def declare(self):
        period = self.parameter("period", 0.25, "s", "time between two samples", above=0)
        deadline = self.parameter("deadline", 0.6, "s", "time after which no sample is taken")
        tau = self.parameter("tau", 0.5, "s", "time constant", above=0)
        x = self.state("x", 1.0, "m", "what is sampled")
        samples = self.discrete("samples", 0, "", "number of samples taken")
        held = self.discrete("held", 0.0, "m", "last sample")
        closed = self.discrete("closed", False, "", "the deadline has passed")
        instants = self.discrete("instants", 0, "", "number of periods that have passed")
        self.rate(x, -x / tau)
        self.output("drift", x - held, "m", "change since the last sample")
        self.when(
            reaches((instants + 1) * period),
            {
                held: Piecewise((held, closed), (x, True)),
                instants: instants + 1,
                samples: Piecewise((samples, closed), (samples + 1, True)),
            },
            "a period has passed",
        )
        self.when(reaches(deadline), {closed: true}, "the deadline passes")


class Slider(Component):
    """Block that dry friction slows down, without a state of rest.

    It stands still at the time v/mu after the start; from there on its friction changes its sign again and again, without end.
    """

    stop_time = 0.5

    def declare(self):
        mu = self.parameter("mu", 1.0, "m/s2", "deceleration by friction", above=0)
        v = self.state("v", 1.0, "m/s", "velocity")
        forward = self.relation("forward", v, "the block moves forward")
        self.rate(v, Piecewise((-mu, forward), (mu, True)))


class Crest(Component):
    """Oscillator that counts how often it rises above a level, close below its greatest deflection.

    From x = 0 with the speed w it is at sin(w t): above the level for 2 acos(level)/w in each period.
    """

    def declare(self):
        w = self.parameter("w", 1.0, "rad/s", "angular frequency", above=0)
        level = self.parameter("level", 0.9999, "m", "level")
        x = self.state("x", 0.0, "m", "deflection")
        v = self.state("v", 1.0, "m/s", "velocity")
        count = self.discrete("count", 0, "", "crests so far")
        self.rate(x, v)
        self.rate(v, -(w**2) * x)
        self.output("crests", count, "", "crests so far")
        self.when(rises(x - level), {count: count + 1}, "a crest begins")


class Flight(Component):
    """Body in free flight, which notes that it is above a height; its steps know no error, and so no bound."""

    def declare(self):
        height = self.parameter("height", 1.0, "m", "height that is watched")
        h = self.state("h", 0.0, "m", "height")
        v = self.state("v", 1.0, "m/s", "velocity, upwards")
        g = self.parameter("g", 0.5, "m/s2", "gravity, downwards", above=0)
        reached = self.discrete("reached", 0.0, "s", "time at which the height was reached")
        self.rate(h, v)
        self.rate(v, -g)
        self.output("since", reached, "s", "time at which the height was reached")
        self.when(rises(h - height), {reached: TIME}, "the height is reached")


class Passes(Component):
    """Body in free flight that counts how often it rises past two heights."""

    def declare(self):
        h = self.state("h", 0.0, "m", "height")
        v = self.state("v", 5.0, "m/s", "velocity, upwards")
        self.rate(h, v)
        self.rate(v, -self.parameter("g", 9.81, "m/s2", "gravity, downwards", above=0))
        for name, at in (("low", 0.6), ("high", 1.22)):
            height = self.parameter(f"{name}.height", at, "m", "height that is watched")
            count = self.discrete(f"{name}.count", 0, "", "how often it was passed upwards")
            self.output(f"{name}.passes", count, "", "how often it was passed upwards")
            self.when(rises(h - height), {count: count + 1}, f"the {name} height is passed")


class Valve(Component):
    """Clock that opens a valve when it rises past a threshold, and closes it again when it rises past a later one.

    Both rates are constant in between: the volume is what the clock shows of the time in which the valve is open.
    """

    def declare(self):
        opening = self.parameter("opening", 0.5, "s", "what the clock shows when the valve opens")
        closing = self.parameter("closing", 0.75, "s", "what the clock shows when the valve closes")
        clock = self.state("clock", 0.0, "s", "a clock")
        volume = self.state("volume", 0.0, "m3", "what has passed through the valve")
        rate = self.parameter("rate", 1.0, "m3/s", "flow through the open valve")
        opened = self.relation("opened", clock - opening, "the valve has opened")
        still = self.relation("still", closing - clock, "the valve has not closed yet")
        self.rate(clock, sympify(1))
        self.rate(volume, Piecewise((rate, And(opened, still)), (0, True)))
        self.output("passed", volume, "m3", "what has passed through the valve")


class Cascade(Component):
    """Store whose event takes several rounds: an instant sets a flag, the flag fills the store and sets an alarm, the alarm takes the flag away."""

    def declare(self):
        begin = self.parameter("begin", 0.5, "s", "time at which the flag is set")
        pause = self.parameter("pause", 1.5, "s", "time from then to the alarm")
        flag = self.discrete("flag", 0.0, "", "1 if the flag is set")
        alarm = self.discrete("alarm", 1e9, "s", "time of the alarm")
        x = self.state("x", 1.0, "m", "what is stored")
        self.rate(x, self.parameter("rate", 1.0, "m/s", "rate at which more is stored"))
        self.output("stored", x, "m", "what is stored")
        self.when(reaches(begin), {flag: 1}, "the flag is set")
        self.when(
            rises(flag - sympify(1) / 2),
            {x: self.parameter("full", 5.0, "m", "what a full store holds"), alarm: begin + pause},
            "the store is filled",
        )
        self.when(reaches(alarm), {flag: 0}, "the alarm comes")
