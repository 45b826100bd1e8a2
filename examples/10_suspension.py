"""Double wishbone suspension.

A quarter of a vehicle drives over a bump, so fast that the tyre leaves the road. The view is along the vehicle: x points outwards, y
upwards. The chassis moves along a vertical guide. Two arms join it to the knuckle, which carries the wheel. Spring and damper stand
between the lower arm and the chassis. The tyre is a component of one's own: a spring and a damper that can only push. Lift-off and
touch-down are state events.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from sympy import And, Piecewise

from jourdain import Component, Result, System
from jourdain.declare import PLANAR, Side

# 1. The data, in SI units. Points are those of the laden vehicle at rest, as complex numbers x + i y, with the road at y = 0.

INNER_LOWER, OUTER_LOWER = 0.35 + 0.22j, 0.72 + 0.20j  # of the lower arm
INNER_UPPER, OUTER_UPPER = 0.42 + 0.48j, 0.68 + 0.50j  # of the upper arm
SEAT, TOP = 0.60 + 0.21j, 0.53 + 0.66j  # of the spring, on the lower arm and on the chassis
WHEEL = 0.78 + 0.32j  # its centre
CENTRES = {"chassis": 0.20 + 0.55j, "lower arm": 0.53 + 0.21j, "upper arm": 0.55 + 0.49j, "knuckle": 0.76 + 0.32j}
BODIES = {
    "chassis": {"m": 400.0, "I": 80.0, "p1.angle": np.pi / 2},  # the axis of its guide points upwards
    "lower arm": {"m": 5.0, "I": 0.08},
    "upper arm": {"m": 3.0, "I": 0.03},
    "knuckle": {"m": 36.0, "I": 0.9},
}
SPRING, DAMPER = 60e3, 5e3  # N/m, N.s/m
TYRE = {"k": 200e3, "b": 150.0}
GRAVITY = 9.81

SPEED, HEIGHT, LENGTH, BEGIN = 10.0, 0.08, 1.0, 0.2  # of the vehicle; of the bump, and the time at which the wheel reaches it
STOP = 2.5


# 2. The tyre. It touches the road while it is deflected, and pushes unless its damper holds back more than its spring pushes; where one
# of these conditions changes is an event. Of the energy that it takes, what its spring does not store becomes heat; so does what is
# stored in it at lift-off.


class Tyre(Component):
    """Tyre: a spring and a damper, upright between the centre of the wheel and the road, that push but do not pull."""

    def declare(self):
        wheel = self.port("wheel", PLANAR, Side.EFFORT, "the centre of the wheel")
        radius = self.parameter("radius", 0.3, "m", "radius without load", above=0)
        k = self.parameter("k", 2e5, "N/m", "stiffness", above=0, nominal=1e5)
        b = self.parameter("b", 0.0, "N.s/m", "viscous damping", at_least=0)
        road = self.input("road", 0.0, "m", "height of the road")
        rate = self.input("rate", 0.0, "m/s", "its rate")
        deflection = self.output("deflection", radius + road - wheel.y, "m", "how far the tyre is compressed")
        speed = self.local("speed", rate - wheel.vy, "m/s", "rate of the deflection")
        push = self.local("push", k * deflection + b * speed, "N", "force of spring and damper")
        touches = self.relation("touches", deflection, "the tyre reaches down to the road")
        pushes = self.relation("pushes", push, "spring and damper of the tyre push")
        load = self.output("load", Piecewise((push, And(touches, pushes)), (0, True)), "N", "force between tyre and road")
        self.gives(wheel, 0, load, 0)
        stored = Piecewise((k * deflection, touches), (0, True))
        self.output("energy", stored * deflection / 2, "J", "energy stored in the spring")
        self.output("loss", (load - stored) * speed, "W", "power that becomes heat")
        self.output("power", load * rate, "W", "power that the road gives")


# 3. The road: a bump of the height HEIGHT, as a function of time for a wheel that passes it.


def road(t: float) -> float:
    return HEIGHT * np.sin(np.pi * SPEED * (t - BEGIN) / LENGTH) ** 2 if 0 < t - BEGIN < LENGTH / SPEED else 0.0


def rate(t: float) -> float:
    bumps = np.pi * SPEED / LENGTH
    return HEIGHT * bumps * np.sin(2 * bumps * (t - BEGIN)) if 0 < t - BEGIN < LENGTH / SPEED else 0.0


# 4. Statics: which spring and which tyre hold the vehicle as the points above say. While the lower arm turns by a small angle, knuckle and
# upper arm turn by multiples K and U of it, such that both take the point OUTER_UPPER to the same place: lower + K side = U upper, with
# the vectors from joint to joint. All forces together do no work in such a motion; that of the tyre is the weight of everything.


def moves() -> dict[str, complex]:
    """Returns the motions of points per angle of the lower arm, below a chassis at rest."""
    lower, side, upper = OUTER_LOWER - INNER_LOWER, OUTER_UPPER - OUTER_LOWER, OUTER_UPPER - INNER_UPPER
    K, U = np.linalg.solve([[side.real, -upper.real], [side.imag, -upper.imag]], [-lower.real, -lower.imag])
    return {
        "lower arm": 1j * (CENTRES["lower arm"] - INNER_LOWER),
        "upper arm": 1j * U * (CENTRES["upper arm"] - INNER_UPPER),
        "knuckle": 1j * (lower + K * (CENTRES["knuckle"] - OUTER_LOWER)),
        "wheel": 1j * (lower + K * (WHEEL - OUTER_LOWER)),
        "seat": 1j * (SEAT - INNER_LOWER),
    }


WEIGHT = GRAVITY * sum(data["m"] for data in BODIES.values())
RADIUS = WHEEL.imag + WEIGHT / TYRE["k"]


def rest_length() -> float:
    """Returns the length of the spring without load. Its force pushes the seat down, against the unit vector d from seat to top."""
    move, d = moves(), (TOP - SEAT) / abs(TOP - SEAT)
    lifted = sum(GRAVITY * BODIES[name]["m"] * move[name].imag for name in ("lower arm", "upper arm", "knuckle"))
    force = (WEIGHT * move["wheel"].imag - lifted) / (d.conjugate() * move["seat"]).real
    return abs(TOP - SEAT) + force / SPRING


# 5. The machine: build it, run it, show it. With all bodies' angles 0 in the position at rest, ports lie where the points say, seen from
# the mass centre.


def add_body(machine: System, name: str, *points: complex) -> None:
    centre = CENTRES[name]
    values = {**BODIES[name], "gy": -GRAVITY, "x": centre.real, "y": centre.imag}
    for number, point in enumerate(points, start=1):
        values |= {f"p{number}.rx": (point - centre).real, f"p{number}.ry": (point - centre).imag}
    machine.add(name, f"planar.Body{len(points)}", values)


JOINTS = {
    "guide": ("planar.Translational", "ground.p1", "chassis.p1"),
    "inner lower": ("planar.Revolute", "chassis.p2", "lower arm.p1"),
    "inner upper": ("planar.Revolute", "chassis.p3", "upper arm.p1"),
    "outer lower": ("planar.Revolute", "lower arm.p2", "knuckle.p1"),
    "outer upper": ("planar.Revolute", "upper arm.p2", "knuckle.p2"),
    "spring": ("planar.SpringDamper", "lower arm.p3", "chassis.p4"),
    "damper": ("planar.SpringDamper", "lower arm.p3", "chassis.p4"),
}
# Meters count energy: what the road gives, and what becomes heat.
METERS = {"work of the road": ("tyre.power", 1.0), "heat of the tyre": ("tyre.loss", 1.0), "heat of the damper": ("damper.power", -1.0)}


def system() -> System:
    machine = System("suspension")
    machine.add("ground", "planar.Fixed", {"p1.rx": CENTRES["chassis"].real, "p1.angle": np.pi / 2})
    add_body(machine, "chassis", CENTRES["chassis"], INNER_LOWER, INNER_UPPER, TOP)
    add_body(machine, "lower arm", INNER_LOWER, OUTER_LOWER, SEAT)
    add_body(machine, "upper arm", INNER_UPPER, OUTER_UPPER)
    add_body(machine, "knuckle", OUTER_LOWER, OUTER_UPPER, WHEEL)
    values = {"spring": {"k": SPRING, "rest": rest_length()}, "damper": {"k": 0.0, "b": DAMPER}}
    for name, (component, a, b) in JOINTS.items():
        machine.add(name, component, values.get(name))
        machine.connect(a, f"{name}.M")
        machine.connect(b, f"{name}.N")
    machine.add("tyre", Tyre, {**TYRE, "radius": RADIUS})
    machine.connect("tyre.wheel", "knuckle.p3")
    machine.drive("tyre.road", road)
    machine.drive("tyre.rate", rate)
    for meter, (power, sign) in METERS.items():
        machine.add(meter, "signal.Integrator", {"k": sign})
        machine.connect(power, f"{meter}.u")
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation. At rest a solver would take steps longer than the bump."""
    result = system().simulate(stop_time=STOP, rtol=1e-9, max_step=0.02, output_interval=2e-3)
    print(result.summary())
    result.animate(folder / "suspension.html")
    result.plot(
        ("chassis.y", "knuckle.p3.y"), ("tyre.load", "spring.tension", "damper.tension"), "knuckle.theta", path=folder / "suspension.png"
    )
    return result


def balance(result: Result) -> np.ndarray:
    """Returns stored energy plus heat, minus the energy stored at the start and the work of the road."""
    stored = result.energy + result["spring.energy"] + result["tyre.energy"]
    return stored - stored[0] + result["heat of the tyre.y"] + result["heat of the damper.y"] - result["work of the road.y"]


# 6. The check.

ALLOWED = {"balance": 1e-5, "height": 1e-9}  # J, m


def main() -> int:
    parser = argparse.ArgumentParser(description="A quarter of a vehicle drives over a bump on a double wishbone suspension.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plot (default: build/machines)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    before = result.time < BEGIN
    found = {
        "height": np.abs(result["chassis.y"][before] - CENTRES["chassis"].imag).max(),
        "balance": np.abs(balance(result)).max(),
    }
    in_the_air = result.time[:-1][(result["tyre.load"][:-1] == 0) & (result["tyre.load"][1:] == 0)]
    print(f"spring without load: {1e3 * rest_length():.2f} mm, tyre without load: {1e3 * RADIUS:.2f} mm")
    print(f"before the bump the chassis leaves its height at rest by {found['height']:.1e} m ({ALLOWED['height']:g} is allowed)")
    print(f"load of the tyre: {WEIGHT:.1f} N at rest, at most {result['tyre.load'].max():.1f} N")
    print(f"the tyre is in the air between {in_the_air.min():.3f} s and {in_the_air.max():.3f} s" if in_the_air.size else "no lift-off")
    for meter in METERS:
        print(f"{meter}: {result[f'{meter}.y'][-1]:.4f} J")
    print(f"largest gap in the balance of energy: {found['balance']:.1e} J ({ALLOWED['balance']:g} is allowed)")
    print(f"plot: {folder / 'suspension.png'}")
    return 0 if result.outcome.completed and all(found[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
