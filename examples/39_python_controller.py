"""Digital controller in two ways.

A motor at a pivot holds a rod at an angle. Its controller samples the angle and the speed every 5 ms, and holds a torque in between: a
proportional and a derivative part, and the weight of the rod at the target. The controller is made twice. In the first loop it is a
function of Python that steps the run. In the second it is an FMU, exported from blocks of the library. Any other master can run this FMU,
and an FMU of another tool could take its place.

Both loops are the same to rounding. A third loop of SciPy has the equation of the rod.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from jourdain import Result, System

MASS, LENGTH, GRAVITY = 2.0, 0.8, 9.81  # kg, m, m/s2
TARGET = 0.6  # rad above the horizontal
KP, KD = 60.0, 9.0  # N.m/rad, N.m.s/rad
BALANCE = MASS * GRAVITY * LENGTH / 2 * np.cos(TARGET)  # N.m
PERIOD, STOP = 0.005, 2.0  # s
OPTIONS = {"rtol": 1e-11, "atol": 1e-12}


# 1. The machine. Angle and speed are outputs of the joint, and its torque is an input.


def arm(name: str) -> System:
    machine = System(name, gravity=(0.0, -GRAVITY))
    machine.add("ground", "planar.Fixed")
    machine.add("rod", "planar.Body1", {"m": MASS, "I": MASS * LENGTH**2 / 12, "p1.rx": -LENGTH / 2, "x": LENGTH / 2})
    machine.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", name="motor")
    return machine


# 2. The controller in Python: one function. The run waits at each sample, gives two values, and takes a torque.


def torque(angle: float, speed: float) -> float:
    return BALANCE + KP * (TARGET - angle) - KD * speed


def by_python() -> Result:
    with arm("arm").start(output_interval=PERIOD, **OPTIONS) as run:
        for number in range(round(STOP / PERIOD)):
            run["motor.effort"] = torque(*run[["motor.rotation.q", "motor.rotation.qd"]])
            run.advance_to(PERIOD * (number + 1))
    return run.result


# 3. The same controller of blocks: two samplers and a sum. It is a system of its own, which becomes one FMU.


def add_controller(machine: System) -> None:
    for name in ("angle", "speed"):
        machine.add(name, "signal.SampleHold", {"period": PERIOD})
    machine.add("torque", "signal.Sum", {"k[1]": -KP, "k[2]": -KD, "k[3]": 1.0, "u3": BALANCE + KP * TARGET})
    machine.connect("angle.y", "torque.u1")
    machine.connect("speed.y", "torque.u2")


def build_controller(folder: Path) -> Path:
    controller = System("controller")
    add_controller(controller)
    return controller.export_fmu(folder / "controller.fmu", inputs=["angle.u", "speed.u"], outputs=["torque.y"], platforms=["linux64"])


def by_fmu(controller: Path) -> Result:
    machine = arm("arm with the FMU of a controller")
    machine.add("controller", controller)
    machine.connect("motor.rotation.q", "controller.angle.u")
    machine.connect("motor.rotation.qd", "controller.speed.u")
    machine.connect("controller.torque.y", "motor.effort")
    return machine.simulate(STOP, output_interval=PERIOD, **OPTIONS)


# 4. All in one system: the blocks beside the machine.


def system() -> System:
    machine = arm("arm with a controller")
    add_controller(machine)
    machine.connect("motor.rotation.q", "angle.u")
    machine.connect("motor.rotation.qd", "speed.u")
    machine.connect("torque.y", "motor.effort")
    return machine


def show(folder: Path) -> Result:
    """Runs the machine with the blocks, and writes a plot and an animation."""
    result = system().simulate(STOP, output_interval=PERIOD, **OPTIONS)
    print(result.summary())
    result.animate(folder / "python_controller.html")
    result.plot("rod.theta", "torque.y", path=folder / "python_controller.png")
    return result


# 5. The check: the three loops at every sample, and SciPy with the equation J angle'' = torque - m g l/2 cos(angle).

ALLOWED, OF_SCIPY = 1e-9, 1e-9  # rad


def by_scipy() -> np.ndarray:
    """The angle at every sample."""
    inertia, state, found = MASS * LENGTH**2 / 3, np.zeros(2), [0.0]
    for _ in range(round(STOP / PERIOD)):
        held = torque(*state)

        def rates(t: float, y: np.ndarray, held: float = held) -> list[float]:
            return [y[1], (held - MASS * GRAVITY * LENGTH / 2 * np.cos(y[0])) / inertia]

        state = solve_ivp(rates, (0, PERIOD), state, rtol=1e-11, atol=1e-12).y[:, -1]
        found.append(state[0])
    return np.array(found)


def at(result: Result, times: np.ndarray) -> np.ndarray:
    return result.resample(times)["rod.theta"]


def main() -> int:
    parser = argparse.ArgumentParser(description="A digital controller as a function of Python, as an FMU, and as blocks.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/machines"), help="folder for the FMU and the plot (default: build/machines)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    times, blocks = PERIOD * np.arange(round(STOP / PERIOD) + 1), show(folder)
    python, fmu = by_python(), by_fmu(build_controller(folder))
    wanted = at(python, times)
    print(f"angle at the end: {wanted[-1]:.6f} rad of {TARGET:g} rad, torque {BALANCE:.4f} N.m")
    gaps = {name: np.abs(at(each, times) - wanted).max() for name, each in {"the FMU": fmu, "the blocks": blocks}.items()}
    for name, gap in gaps.items():
        print(f"largest difference between Python and {name}: {gap:.1e} rad ({ALLOWED:g} is allowed)")
    exact = np.abs(by_scipy() - wanted).max()
    print(f"largest difference to the equation in SciPy: {exact:.1e} rad ({OF_SCIPY:g} is allowed)")
    print(f"FMU and plot: {folder / 'controller.fmu'}, {folder / 'python_controller.png'}")
    completed = all(each.outcome.completed for each in (python, fmu, blocks))
    return 0 if completed and max(gaps.values()) <= ALLOWED and exact <= OF_SCIPY else 1


if __name__ == "__main__":
    sys.exit(main())
