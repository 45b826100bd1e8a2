"""Quick return and its motor.

The motion of a Whitworth quick return is prescribed, and a run finds the torque of its motor. The crank turns evenly and carries a pin,
which slides in a lever and turns it. The lever's pivot lies inside the crank's circle, and the lever makes whole turns: slow half turns
while the ram moves one way, quick ones while it moves the other. A rod connects lever and ram. The ram's guide resists it in proportion
to its speed. The motor is the constraint `planar.RelativeAngle`, driven by a formula of time; its multiplier is the torque. The ram's
velocity is compared with a closed form, and the torque with the balance of power, in which only the angle of the crank appears.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import sympy

from jourdain import Result, System
from jourdain.declare import t

CRANK, PIVOT, LEVER, ROD = 0.12, 0.05, 0.08, 0.4  # m: the length of the crank, its centre above the pivot of the lever; lever and rod
OMEGA, TURNS, RESISTANCE, G = 6.0, 2, 300.0, 9.81  # rad/s, , N.s/m, m/s2
MASS = {"crank": 2.0, "lever": 3.0, "rod": 1.5, "ram": 12.0}  # kg
INERTIA = {"crank": 0.01, "lever": 0.02, "rod": 0.03, "ram": 1.0}  # kg m2
START = -float(np.arcsin(PIVOT / CRANK))  # of the crank, where lever and rod lie in line with the ram
STOP = TURNS * 2 * np.pi / OMEGA


# 1. The machine: build it, run it, show it. It starts at the dead centre of the ram.


def system() -> System:
    machine = System("quick return", gravity=(0.0, -G))
    machine.add("pivot", "planar.Fixed")
    machine.add("shaft", "planar.Fixed", {"p1.ry": PIVOT})
    middle = {"crank": (CRANK * np.cos(START) / 2, PIVOT / 2), "lever": (LEVER / 2, 0.0), "rod": (LEVER + ROD / 2, 0.0)}
    for name, length in {"crank": CRANK, "lever": LEVER, "rod": ROD}.items():
        place = {"x": middle[name][0], "y": middle[name][1], "theta": START if name == "crank" else 0.0}
        machine.add(name, "planar.Body2", {"m": MASS[name], "I": INERTIA[name], "p1.rx": -length / 2, "p2.rx": length / 2, **place})
    machine.add("ram", "planar.Body1", {"m": MASS["ram"], "I": INERTIA["ram"], "x": LEVER + ROD})
    for a, b in (("shaft.p1", "crank.p1"), ("pivot.p1", "lever.p1"), ("lever.p2", "rod.p1"), ("rod.p2", "ram.p1")):
        machine.join("planar.Revolute", a, b)
    machine.join("planar.TranslationalRevolute", "crank.p2", "lever.p1", name="slot")
    machine.join("planar.Translational", "pivot.p1", "ram.p1", {"translation.b": RESISTANCE}, name="guide")
    machine.join("planar.RelativeAngle", "shaft.p1", "crank.p1", name="motor")
    machine.drive("motor.angle", START + OMEGA * t)
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, rtol=1e-10, initial="assemble")
    print(result.summary())
    result.animate(folder / "quick_return.html")
    result.plot("ram.vx", "motor.torque", path=folder / "quick_return.png")
    return result


# 2. What is known: where everything is by the angle of the crank, and the power that changes energies and is lost in the guide.

LEVEL_SPEED, LEVEL_TORQUE = 1e-9, 1e-8  # m/s; relative


def closed_form(time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The velocity of the ram, and the torque."""
    angle = START + OMEGA * t
    pin = sympy.Matrix([CRANK * sympy.cos(angle), PIVOT + CRANK * sympy.sin(angle)])
    along = pin / sympy.sqrt(pin.dot(pin))  # the direction of the lever
    sine = -LEVER * along[1] / ROD  # of the rod's angle
    ram = LEVER * along[0] + ROD * sympy.sqrt(1 - sine**2)
    tip, ending = LEVER * along, sympy.Matrix([ram, 0])
    centres = {"crank": sympy.Matrix([pin[0], pin[1] + PIVOT]) / 2, "lever": tip / 2, "rod": (tip + ending) / 2, "ram": ending}
    turned = pin.diff(t)
    turns = {
        "crank": OMEGA,
        "lever": (pin[0] * turned[1] - pin[1] * turned[0]) / pin.dot(pin),
        "rod": sympy.diff(sine, t) / sympy.sqrt(1 - sine**2),
        "ram": 0,
    }
    energy = sum(
        MASS[name] * (centre.diff(t).dot(centre.diff(t)) / 2 + G * centre[1]) + INERTIA[name] * turns[name] ** 2 / 2
        for name, centre in centres.items()
    )
    speed = sympy.diff(ram, t)
    torque = (sympy.diff(energy, t) + RESISTANCE * speed**2) / OMEGA
    found = sympy.lambdify(t, [speed, torque], cse=True)(time)
    return found[0], found[1]


def main() -> int:
    parser = argparse.ArgumentParser(description="The torque that a Whitworth quick return takes.")
    parser.add_argument("--out", type=Path, default=Path("build/quick return"), help="folder for the plot (default: build/quick return)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    speed, torque = closed_form(result.time)
    off = np.abs(result["ram.vx"] - speed).max()
    share = np.abs(result["motor.torque"] - torque).max() / np.abs(torque).max()
    forward = float(np.mean(speed > 0))
    print(
        f"the ram spends {forward:.3f} of a turn on its way forward, and is {speed.max():.3f} m/s and {-speed.min():.3f} m/s fast at most"
    )
    print(f"velocity of the ram: off by {off:.1e} m/s from the closed form")
    print(f"torque of the motor: {torque.max():.2f} N.m at most, off by {share:.1e} of that from the balance of power")
    print(f"plot: {folder / 'quick_return.png'}")
    return 0 if result.outcome.completed and off <= LEVEL_SPEED and share <= LEVEL_TORQUE else 1


if __name__ == "__main__":
    sys.exit(main())
