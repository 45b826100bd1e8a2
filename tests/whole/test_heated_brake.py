"""A drum under a motor and a brake that heats and fades, of the catalogue's components alone, against equations by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import System

INERTIA, TORQUE, OMEGA = 2.0, 180.0, 0.9
PADS, PEAK = 0.4 * 0.12 * 2, 1.1
C1, C2, G, AREA, SIGMA, ROOM = 30.0, 300.0, 1.5, 0.05, 5.670374419e-8, 293.15
STILL, MOVING, RIM, EMISSIVITY = 8.0, 12.0, 0.15, 0.8
RATE, BEGINS, LEAST = 2.5e-3, 400.0, 0.35
TIMES, FORCES = [0.0, 2.0, 3.0, 14.0, 15.0, 30.0], [0.0, 0.0, 2500.0, 2500.0, 3500.0, 3500.0]


def machine() -> System:
    """Returns a drum under a sine; its disc leads heat into a hub, gives it to air that moves with the rim, and radiates."""
    system = System("brake")
    system.add("frame", "mechanical1d.Fixed1D")
    system.add("drum", "mechanical1d.Inertia", {"I": INERTIA, "w": 10.0})
    system.add("motor", "mechanical1d.Torque")
    system.add("sine", "signal.Sine", {"amplitude": TORQUE, "frequency": OMEGA / (2 * math.pi)})
    system.add("rim", "signal.Gain", {"k": RIM})
    system.add("disc", "thermal.Capacity", {"C": C1, "reference": ROOM})
    system.add("hub", "thermal.Capacity", {"C": C2, "reference": ROOM})
    system.add("room", "thermal.FixedTemperature", {"temperature": ROOM})
    lining = {"mu": 0.4, "radius": 0.12, "peak": PEAK, "fade.rate": RATE, "fade.temperature": BEGINS, "fade.least": LEAST}
    system.join("mechanical1d.Brake", "frame.shaft", "drum.flange", lining, name="brake", heat_port=True)
    system.join("thermal.Conductor", "disc.port", "hub.port", {"G": G}, name="bolts")
    system.join("thermal.Convection", "disc.port", "room.port", {"area": AREA, "h.still": STILL, "h.moving": MOVING}, name="air")
    system.join("thermal.Radiation", "disc.port", "room.port", {"area": AREA, "emissivity": EMISSIVITY}, name="glow")
    for name, output in {"braked": "brake.loss", "cooled": "air.flow", "radiated": "glow.flow"}.items():
        system.add(name, "signal.Integrator")
        system.connect(output, f"{name}.u")
    ends = {"brake.heat": "disc.port", "motor.flange": "drum.flange", "sine.y": "motor.torque", "drum.w": "rim.u", "rim.y": "air.speed"}
    for a, b in ends.items():
        system.connect(a, b)
    system.drive("brake.force", list(zip(TIMES, FORCES, strict=True)))
    return system


def motor(t: float) -> float:
    return TORQUE * math.sin(OMEGA * t)


def limit(t: float, T: float) -> float:
    """Returns the torque up to which the pads rub."""
    return PADS * float(np.interp(t, TIMES, FORCES)) * max(LEAST, min(1.0, 1 - RATE * (T - BEGINS)))


def rates(t: float, y: np.ndarray, side: float) -> list[float]:
    """Returns the rates of speed, both temperatures and the motor's work; ``side`` is the sign of the speed, 0 while the pads hold."""
    w, T1, T2, _ = y
    rubs = limit(t, T1) * side
    v = RIM * abs(w)
    led = G * (T1 - T2)
    given = (STILL + MOVING * v / math.sqrt(max(v, 1e-3))) * AREA * (T1 - ROOM) + EMISSIVITY * SIGMA * AREA * (T1**4 - ROOM**4)
    return [(motor(t) - rubs) / INERTIA if side else 0.0, (rubs * w - given - led) / C1, led / C2, motor(t) * w]


def exact(times: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Returns rows of the states, and the times at which the drum stops or starts."""
    rows, changes = np.empty((len(times), 4)), []
    t, y, side = 0.0, np.array([10.0, ROOM, ROOM, 0.0]), 1.0
    while t < TIMES[-1]:

        def changed(t: float, y: np.ndarray, side: float) -> float:
            return y[0] * side if side else PEAK * limit(t, y[1]) - abs(motor(t))

        changed.terminal, changed.direction = True, -1.0  # type: ignore[attr-defined]
        until = next(each for each in TIMES if each > t)
        part = solve_ivp(rates, (t, until), y, "DOP853", None, True, changed, args=(side,), rtol=1e-12, atol=1e-12, max_step=0.02)
        inside = (times >= t) & (times <= part.t[-1])
        if inside.any():
            rows[inside] = part.sol(times[inside]).T
        t, y = part.t[-1], part.y[:, -1].copy()
        if part.status == 1:
            changes.append(t)
            y[0] = 0.0
            held = side and abs(motor(t)) <= PEAK * limit(t, y[1])
            side = 0.0 if held else math.copysign(1.0, motor(t))
    return rows, changes


@pytest.mark.slow
def test_a_brake_heats_fades_and_cools():
    """It slips both ways, holds and lets go: speeds and temperatures to 1e-8, all heat to 1e-12, all work to 1e-9."""
    times = np.linspace(0, TIMES[-1], 61)
    rows, changes = exact(times)
    result = machine().simulate(TIMES[-1], solver="dop853", rtol=1e-11, atol=1e-12, output_times=times)
    found = np.unique(result.time[1:][np.diff(result.time) == 0])
    assert len(changes) > 6
    assert max(abs(found - each).min() for each in changes) < 1e-8
    at = result.resample(times)
    for column, name in enumerate(("drum.w", "disc.T", "hub.T")):
        assert at[name] == pytest.approx(rows[:, column], rel=1e-8, abs=1e-8)
    assert (at["drum.w"] == 0).any() and at["drum.w"].min() < -10 < 10 < at["drum.w"].max()
    assert at["disc.T"].max() > BEGINS + (1 - LEAST) / RATE  # where it has faded as far as it does
    stored = at["disc.heat"] + at["hub.heat"] + at["cooled.y"] + at["radiated.y"]
    assert at["braked.y"] == pytest.approx(stored, rel=1e-12, abs=1e-8)
    assert INERTIA / 2 * at["drum.w"] ** 2 + at["braked.y"] == pytest.approx(INERTIA / 2 * 100 + rows[:, 3], rel=1e-9, abs=1e-6)
