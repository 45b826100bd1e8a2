"""Flexible beams.

Three reeds of the same steel ring with the frequency of a cantilever. A wing carries an engine at its end. A satellite rings with its two antennas, and a blade
rings higher while it turns. A spar in space bends both ways and twists. Beams on joints have states of their own; beams that are clamped to a parent are blocks.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2
REED = {"L": 0.1, "A": 1e-5, "I": 8e-13, "E": 2.1e11, "rho": 7850.0, "tau": 1e-6}
WING = {"L": 4.0, "A": 2e-3, "I": 4e-6, "E": 7e10, "rho": 2700.0, "tau": 1e-3}
ENGINE = 20.0  # kg
UNIT = {"L": 1.0, "A": 1.0, "I": 1.0, "E": 1.0, "rho": 1.0, "gx": 0.0, "gy": 0.0}  # E I, rho A and L are 1
SPAR = {"L": 1.0, "A": 2e-4, "Iy": 7e-9, "Iz": 1.7e-9, "It": 5e-9, "E": 7e10, "G": 2.6e10, "rho": 2700.0, "tau": 1e-3}
CANTILEVER = 3.5160152685  # first root of the frequency equation of a cantilever, squared


def reeds() -> System:
    """Returns three clamped reeds that are plucked, of three, four and five shapes."""
    system = System("reeds", gravity=(0.0, 0.0))
    for shapes, beam in ((3, "planar.Beam3"), (4, "planar.Beam4"), (5, "planar.Beam5")):
        system.add(f"wall {shapes}", "planar.Fixed", {"p1.ry": 0.03 * shapes})
        system.add(f"reed {shapes}", beam, {**REED, "x": 0.05, "y": 0.03 * shapes})
        system.join("planar.Weld", f"wall {shapes}.p1", f"reed {shapes}.p1", name=f"clamp {shapes}")
    return system


def wing() -> System:
    """Returns a wing of 4 m with an engine at its end."""
    system = System("wing", gravity=(0.0, -G))
    system.add("body", "planar.Fixed")
    system.add("wing", "planar.Beam2", {**WING, "x": 2.0})
    system.add("engine", "planar.PointMass1", {"m": ENGINE, "x": 4.0})
    system.join("planar.Weld", "body.p1", "wing.p1", name="root")
    system.join("planar.Revolute", "wing.p2", "engine.p1", name="pylon")
    return system


def satellite() -> System:
    """Returns a satellite of 2 kg and 0.4 kg m2 with two antennas of length, stiffness and mass 1."""
    system = System("satellite", gravity=(0.0, 0.0))
    system.add("hub", "planar.Body2", {"m": 2.0, "I": 0.4, "p1.rx": 0.3, "p2.rx": -0.3, "p2.angle": np.pi, "omega": 0.1})
    for place in (1, 2):
        system.add(f"antenna {place}", "planar.WeldedBeam3", UNIT)
        system.connect(f"hub.p{place}", f"antenna {place}.P")
    return system


def blade() -> System:
    """Returns a blade on a heavy hub that turns with twice the unit of its frequency."""
    system = System("blade", gravity=(0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("hub", "planar.RevoluteBody", {"I": 1e6, "qd": 2.0})
    system.add("blade", "planar.WeldedBeam2", UNIT)
    system.connect("ground.p1", "hub.P")
    system.connect("hub.C1", "blade.P")
    return system


def spar() -> System:
    """Returns a flat spar that is loaded along both axes of its section, and off its middle line."""
    system = System("spar", gravity=(0.0, 0.0, 0.0))
    system.add("body", "spatial.Fixed")
    system.add("spar", "spatial.Beam", {**SPAR, "x": SPAR["L"] / 2})
    system.add("load", "spatial.Wrench", {"Fy": 1.0, "Fz": 4.0, "Cx": 0.5})
    system.join("spatial.Weld", "body.p1", "spar.p1", name="root")
    system.connect("load.M", "spar.p2")
    return system


def main() -> None:
    report = Report("Flexible beams")
    unit = np.sqrt(REED["E"] * REED["I"] / (REED["rho"] * REED["A"])) / REED["L"] ** 2
    rung = sorted(each.frequency for each in reeds().linearise().modes())[:3]
    for shapes, frequency in zip((5, 4, 3), rung, strict=True):
        report.figure(f"a reed of {shapes} shapes rings with", frequency, CANTILEVER * unit / (2 * np.pi), "Hz", within=1e-3)
    report.show(
        reeds().simulate(0.02, solver="cvode", initial="assemble", start_values={f"reed {k}.bend.rate[1]": 0.5 for k in (3, 4, 5)}),
        "reed 3.middle",
        "reed 5.middle",
    )
    stiffness, line = WING["E"] * WING["I"], WING["rho"] * WING["A"]
    sinks = G * (ENGINE * 4.0**3 / 3 + line * 4.0**4 / 8) / stiffness
    report.figure("the engine sinks by", -wing().equilibrium()["engine.y"], sinks, "m", within=1e-2)
    report.show(wing().simulate(2.0, solver="cvode"), "engine.y", "wing.moment[1]")
    rung = sorted(each.frequency for each in satellite().linearise(initial={"hub.omega": 0.0}).modes() if each.frequency > 1e-3)
    report.figure("both antennas ring alike with", rung[0], 4.218713434315 / (2 * np.pi), "Hz", within=1e-3)
    report.figure("they ring against each other with", rung[1], 6.378344069335 / (2 * np.pi), "Hz", within=2e-3)
    report.show(satellite().simulate(3.0, start_values={"antenna 1.bend[1]": 0.01}), "hub.theta", "antenna 1.middle")
    turning = blade().linearise(coordinates=["hub.q", "blade.bend[1]", "blade.bend[2]"]).modes()
    report.figure(
        "the turning blade rings with",
        min(each.frequency for each in turning if each.frequency > 0.1),
        3.621797 / (2 * np.pi),
        "Hz",
        within=1e-2,
    )
    report.show(blade().simulate(3.0, start_values={"blade.bend[1]": 0.01}), "blade.middle", "hub.q")
    rest = spar().equilibrium()
    for axis, force, area in (("y", 1.0, SPAR["Iz"]), ("z", 4.0, SPAR["Iy"])):
        bends = 3 * (rest[f"spar.bend.{axis}[1]"]) * 2  # P_2 turns the end by six amplitudes over the length against the middle
        report.figure(
            f"the end of the spar turns along {axis} by", bends, force * SPAR["L"] ** 2 / (4 * SPAR["E"] * area), "rad", within=2e-2
        )
    report.figure("the spar twists by", 2 * rest["spar.twist[1]"], 0.5 / (SPAR["G"] * SPAR["It"]), "rad", within=1e-2)
    report.show(spar().simulate(0.5, solver="cvode"), "spar.bend.y[1]", "spar.bend.z[1]")
    report.end()


if __name__ == "__main__":
    main()
