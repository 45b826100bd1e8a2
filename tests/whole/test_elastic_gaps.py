"""Impacts of elastic gaps in machines of the catalogue's components alone, against SciPy by cases: wagons, and a coupling with claws."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.components.circuits import circuit, event_times
from tests.support.switched.pieces import Leave, State, by_pieces

pytestmark = pytest.mark.slow

FINE = {"solver": "dop853", "rtol": 1e-11}


class Gap:
    """A contact by its law, for the states of a machine."""

    def __init__(self, k: float, c: float, depth: tuple[float, list[float]], rate: list[float]) -> None:
        self.k, self.c, (self.offset, self.row), self.rates = k, c, depth, rate

    def depth(self, y: State) -> float:
        return self.offset + float(np.dot(self.row, y))

    def force(self, y: State) -> float:
        return self.k * self.depth(y) + self.c * float(np.dot(self.rates, y))


def leaves(gaps: list[Gap], mode: tuple[bool, ...]) -> list[Leave]:
    """Returns the ends of a mode: a gap opens where its force falls to 0, and closes where depth and force are both positive."""

    def end(k: int, gap: Gap) -> Leave:
        flipped = tuple(not each if j == k else each for j, each in enumerate(mode))
        return (lambda t, y: gap.force(y) if mode[k] else -min(gap.depth(y), gap.force(y) / gap.k)), (lambda t, y: flipped)

    return [end(k, gap) for k, gap in enumerate(gaps)]


def test_wagons_meet() -> None:
    """Three wagons, a buffer stop with a spring and a damper in series: all impacts, positions and energies, to 1e-8."""
    m, length = np.array([3.0, 2.0, 4.0]), 1.0
    k, c, wall, stop, damper = 4000.0, 12.0, 4.2, 900.0, 400.0
    parts = {f"w{i}": ("mechanical1d.LongMass", {"m": m[i], "length": length, "s": 1.5 * i, "v": 2.0 * (i == 0)}) for i in range(3)}
    parts |= {f"b{i}": ("mechanical1d.ElasticGap", {"gap": 0.1, "k": k, "c": c}) for i in range(2)}
    parts |= {
        "end": ("mechanical1d.Fixed1D", {"position": wall}),
        "head": ("mechanical1d.Mass", {"m": 0.5, "s": wall - 0.4}),
        "stop": ("mechanical1d.SeriesSpringDamper", {"k": stop, "b": damper, "rest": 0.4}),
        "face": ("mechanical1d.ElasticGap", {"gap": 0.0, "k": k, "c": c}),
    }
    wires = [("w0.upper", "b0.M"), ("w1.lower", "b0.N"), ("w1.upper", "b1.M"), ("w2.lower", "b1.N")]
    wires += [("w2.upper", "face.M"), ("head.flange", "face.N"), ("head.flange", "stop.M"), ("end.flange", "stop.N")]
    system = circuit(parts, wires)
    for name in ("b0", "b1", "face", "stop"):
        system.add(f"lost_{name}", "signal.Integrator")
        system.connect(f"{name}.loss", f"lost_{name}.u")
    times = np.linspace(0.0, 4.0, 41)
    result = system.simulate(4.0, output_times=times, **FINE)

    # states: places of the wagons and the head, their speeds, creep
    def row(low: int, high: int) -> tuple[list[float], list[float]]:
        s = [float(i == low) - float(i == high) for i in range(4)]
        return [*s, 0, 0, 0, 0, 0], [0, 0, 0, 0, *s, 0]

    gaps = []
    for low, high, offset in ((0, 1, 0.1 + length), (1, 2, 0.1 + length), (2, 3, length / 2)):
        s, v = row(low, high)
        gaps.append(Gap(k, c, (offset, s), v))
    weights = np.array([*m, 0.5])

    def rates(mode: tuple[bool, ...]):
        def derivative(t: float, y: State) -> list[float]:
            f = [gap.force(y) if on else 0.0 for gap, on in zip(gaps, mode, strict=True)]
            pull = stop * (wall - y[3] - 0.4 - y[8])
            forces = np.array([-f[0], f[0] - f[1], f[1] - f[2], f[2] + pull])
            return [*y[4:8], *(forces / weights), pull / damper]

        return derivative

    start = [0.0, 1.5, 3.0, wall - 0.4, 2.0, 0.0, 0.0, 0.0, 0.0]
    changes, rows = by_pieces(rates, lambda mode: leaves(gaps, mode), (False, False, False), start, times, 0.01)
    assert event_times(result) == pytest.approx([time for time, _ in changes], abs=1e-8)
    assert len(changes) >= 10 and {j for _, mode in changes for j in range(3) if mode[j]} == {0, 1, 2}
    found = result.resample(times)
    for column, name in enumerate(("w0.s", "w1.s", "w2.s", "head.s", "w0.v", "w1.v", "w2.v", "head.v", "stop.creep")):
        assert found[name] == pytest.approx(rows[:, column], abs=1e-8), name
    lost = sum(result[f"lost_{name}.y"][-1] for name in ("b0", "b1", "face", "stop"))
    kept = (weights * rows[-1, 4:8] ** 2).sum() / 2 + sum(result[f"{name}.energy"][-1] for name in ("b0", "b1", "face", "stop"))
    assert lost + kept == pytest.approx(3.0 * 2.0**2 / 2, rel=1e-7)  # steps do not end where the compression of a free contact ends


def test_a_coupling_with_claws_under_a_sine() -> None:
    """Elastic claws with play carry both ways: a motor under a sine hammers its load, which a viscous torque brakes."""
    rotor, disc, play, k, c, b = 0.05, 0.2, 0.12, 300.0, 2.0, 1.5

    def torque(t: float) -> float:
        return 6.0 * np.sin(9.0 * t)

    system = circuit(
        {
            "motor": ("mechanical1d.Inertia", {"I": rotor}),
            "load": ("mechanical1d.Inertia", {"I": disc}),
            "sine": ("mechanical1d.Torque", {}),
            "fan": ("mechanical1d.SpeedTorque", {"linear": b}),
            "ahead": ("mechanical1d.RotationalElasticGap", {"gap": -play / 2, "k": k, "c": c}),
            "behind": ("mechanical1d.RotationalElasticGap", {"gap": -play / 2, "k": k, "c": c}),
        },
        [
            ("motor.flange", "ahead.M"),
            ("load.flange", "ahead.N"),
            ("load.flange", "behind.M"),
            ("motor.flange", "behind.N"),
            ("sine.flange", "motor.flange"),
            ("fan.flange", "load.flange"),
        ],
        {"sine.torque": torque},
    )
    times = np.linspace(0.0, 4.0, 41)
    result = system.simulate(4.0, output_times=times, **FINE)
    gaps = [Gap(k, c, (-play / 2, [sign, -sign, 0, 0]), [0, 0, sign, -sign]) for sign in (1.0, -1.0)]

    def rates(mode: tuple[bool, ...]):
        def derivative(t: float, y: State) -> list[float]:
            ahead, behind = (gap.force(y) if on else 0.0 for gap, on in zip(gaps, mode, strict=True))
            return [y[2], y[3], (torque(t) - ahead + behind) / rotor, (ahead - behind - b * y[3]) / disc]

        return derivative

    changes, rows = by_pieces(rates, lambda mode: leaves(gaps, mode), (False, False), [0.0] * 4, times, 0.01)
    assert event_times(result) == pytest.approx([time for time, _ in changes], abs=1e-8)
    assert len(changes) > 20 and {mode for _, mode in changes} == {(True, False), (False, False), (False, True)}
    found = result.resample(times)
    for column, name in enumerate(("motor.phi", "load.phi", "motor.w", "load.w")):
        assert found[name] == pytest.approx(rows[:, column], abs=1e-8), name
