"""Hardware loop at 1 kHz.

A simulated arm runs in real time, and a controller moves it that knows nothing of the simulation. The two exchange datagrams of UDP, as
machines and controllers do over a network: the arm sends time, angle and speed every millisecond, and takes the newest torque that has
arrived. The controller has its own clock. In the example it is another thread. In a laboratory it is another computer, and the real arm can
take the place of the simulated one.

Steps of fixed size have a nearly constant cost. The run counts the points at which it was late, and its greatest delay.
"""

from __future__ import annotations

import argparse
import socket
import struct
import sys
import threading
import time
from pathlib import Path

import numpy as np

from jourdain import Index3, Result, System

MASS, LENGTH, GRAVITY = 2.0, 0.8, 9.81  # kg, m, m/s2
TARGET = 0.6  # rad above the horizontal
KP, KD, KI = 40.0, 7.0, 120.0  # N.m/rad, N.m.s/rad, N.m/(rad.s)
STEP, STOP = 0.001, 2.0  # s
MEASURED, ASKED = struct.Struct("3d"), struct.Struct("d")  # time, angle and speed; torque


# 1. The machine.


def system() -> System:
    machine = System("arm", gravity=(0.0, -GRAVITY))
    machine.add("ground", "planar.Fixed")
    machine.add("rod", "planar.Body1", {"m": MASS, "I": MASS * LENGTH**2 / 12, "p1.rx": -LENGTH / 2, "x": LENGTH / 2})
    machine.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", name="motor")
    return machine


# 2. The controller: it waits for a measurement, and answers with a torque. The sum of errors takes the load, which it does not know.


def control(channel: socket.socket) -> None:
    total = before = 0.0
    while True:
        told = channel.recv(MEASURED.size)
        if len(told) != MEASURED.size:  # the end
            return
        now, angle, speed = MEASURED.unpack(told)
        total += (TARGET - angle) * (now - before)
        before = now
        channel.send(ASKED.pack(KP * (TARGET - angle) - KD * speed + KI * total))


def newest(channel: socket.socket, held: float) -> float:
    """The torque that has arrived last, or the one that is held."""
    while True:
        try:
            (held,) = ASKED.unpack(channel.recv(ASKED.size))
        except BlockingIOError:
            return held


def pair() -> tuple[socket.socket, socket.socket]:
    """Two sockets of UDP that are connected."""
    ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    for each in ends:
        each.bind(("127.0.0.1", 0))
    for each, other in zip(ends, reversed(ends), strict=True):
        each.connect(other.getsockname())
    return ends[0], ends[1]


# 3. The loop. Each piece of 1 ms is one call, which returns when the clock has come to its end.


def loop(seconds: float, factor: float) -> tuple[Result, float]:
    """The result, and the least time by which the clock was ahead of the run at the ends of pieces."""
    arm, controller = pair()
    arm.setblocking(False)
    thread = threading.Thread(target=control, args=(controller,))
    thread.start()
    torque, ahead, names = 0.0, np.inf, ["rod.theta", "rod.omega"]
    try:
        with system().start(solver=Index3(step_size=STEP), evaluation="compiled", outputs=[*names, "rod"]) as run:
            run.signals(inputs=["motor.effort"], outputs=names)
            angle, speed = run[names]
            began = time.perf_counter()
            for _ in range(round(seconds / STEP)):
                arm.send(MEASURED.pack(run.time, angle, speed))
                torque = newest(arm, torque)
                angle, speed = run.advance(STEP, [torque], real_time=factor)
                ahead = min(ahead, time.perf_counter() - began - run.time / factor)
    finally:
        arm.send(b"")
        thread.join()
        arm.close()
        controller.close()
    return run.result, ahead


def show(folder: Path, result: Result) -> None:
    result.animate(folder / "hardware_loop.html")
    result.plot("rod.theta", "rod.omega", path=folder / "hardware_loop.png")


# 4. The check: the arm comes to its target with any timing of the two, and the run is never ahead of the clock.

ALLOWED = 0.02  # rad


def main() -> int:
    parser = argparse.ArgumentParser(description="A simulated arm at 1 kHz in real time, and a controller with a clock of its own.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plot (default: build/machines)")
    parser.add_argument("--seconds", type=float, default=STOP, help=f"duration in s of the arm's time (default: {STOP:g})")
    parser.add_argument("--real-time", type=float, default=1.0, help="simulated seconds per second (default: 1)")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    result, ahead = loop(chosen.seconds, chosen.real_time)
    error = abs(result["rod.theta"][-1] - TARGET)
    print(result.outcome.sentence)
    print(f"angle at the end: {result['rod.theta'][-1]:.4f} rad of {TARGET:g} rad ({ALLOWED:g} rad are allowed)")
    print(f"real time: {result.statistics.late}")
    print(f"the clock was never less than {1e6 * ahead:.1f} us ahead of the run")
    show(chosen.out, result)
    print(f"plot: {chosen.out / 'hardware_loop.png'}")
    return 0 if result.outcome.completed and ahead >= 0 and (error <= ALLOWED or chosen.seconds < STOP) else 1


if __name__ == "__main__":
    sys.exit(main())
