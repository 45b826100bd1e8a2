"""Signals and limits.

In a digital control of speed, the demand rises slowly, the sensor samples, and the valve of the engine has play and a limited rate.
"""

from report import Report

from jourdain import System


def engine() -> System:
    """Returns a ramp of speed, a controller that samples each 50 ms, and an engine with a time constant of 0.8 s."""
    ship = System("engine")
    ship.add("idle", "signal.Constant", {"value": 10.0})
    ship.add("demand", "signal.Ramp", {"start": 1.0, "duration": 2.0, "height": 40.0})
    ship.add("sensor", "signal.SampleHold", {"period": 0.05})
    ship.add("error", "signal.Sum", {"k[3]": -1.0})
    ship.add("gain", "signal.Gain", {"k": 5.0})
    ship.add("play", "signal.Deadzone", {"lower": -2.0, "upper": 2.0})
    ship.add("valve", "signal.RateLimiter", {"rising": 60.0, "falling": -60.0, "T": 0.02})
    ship.add("engine", "signal.FirstOrder", {"k": 2.0, "T": 0.8})
    for source, target in (("idle.y", "error.u1"), ("demand.y", "error.u2"), ("engine.y", "sensor.u"), ("sensor.y", "error.u3")):
        ship.connect(source, target)
    for source, target in (("error.y", "gain.u"), ("gain.y", "play.u"), ("play.y", "valve.u"), ("valve.y", "engine.u")):
        ship.connect(source, target)
    return ship


def main() -> None:
    report = Report("Signals and limits")
    run = engine().simulate(8.0)
    report.figure("the engine turns at", run["engine.y"][-1], 2 * (5 * 50 - 2) / (1 + 2 * 5), "rad/s", within=1e-3)
    report.figure("the valve opens at most at", run["valve.rate"].max(), 60.0, "1/s")
    report.show(run, "engine.y", "valve.y", moving=False)
    report.end()


if __name__ == "__main__":
    main()
