"""The hose: its resonance, its friction, and a chain of hoses as a long line."""

from math import pi, sqrt

import numpy as np
import pytest

from tests.support.components.circuits import circuit, modes, run
from tests.support.systems.mechanism import Mechanism

length, diameter, bulk, density, viscosity = 2.0, 0.012, 6e8, 870.0, 0.03
SHAPE = {"length": length, "diameter": diameter, "bulk": bulk, "density": density, "viscosity": viscosity}
SPEED = sqrt(bulk / density)
DECAY = 16 * viscosity / (density * diameter**2)
"""Half the laminar resistance over the inertance."""


def test_a_closed_hose_resonates_against_the_tank():
    """Compliance and inertance make an oscillator of frequency c/length, c being the speed of sound; laminar friction damps it."""
    with Mechanism(
        {"hose": ("hydraulic.Hose", SHAPE | {"turbulent": 0, "p": 1e6}), "tank": ("hydraulic.Tank", {})}, [("hose.B", "tank.port")]
    ) as mechanism:
        found = modes(mechanism, [1.0, 1e-9])
    assert found.real == pytest.approx([-DECAY, -DECAY], rel=1e-6)
    assert abs(found.imag) == pytest.approx([sqrt((SPEED / length) ** 2 - DECAY**2)] * 2, rel=1e-6)


def test_many_short_hoses_are_a_long_one():
    """Twelve in a row, closed at one end and open at the other, oscillate at the quarter wave, c/(4 length), to second order."""
    count, one = 12, SHAPE | {"length": length / 12, "viscosity": 0, "turbulent": 0}
    with Mechanism(
        {f"hose{i}": ("hydraulic.Hose", one | {"p": 1e6}) for i in range(count)} | {"tank": ("hydraulic.Tank", {})},
        [(f"hose{i}.B", f"hose{i + 1}.A") for i in range(count - 1)] + [(f"hose{count - 1}.B", "tank.port")],
    ) as mechanism:
        slowest = np.abs(modes(mechanism, [1.0, 1e-9] * count).imag).min()
    # The exact value for the chain of lumps is 2 N c/L sin(pi/(2 (2 N + 1))).
    assert slowest == pytest.approx(2 * count * SPEED / length * np.sin(pi / (2 * (2 * count + 1))), rel=1e-6)
    assert slowest == pytest.approx(2 * pi * SPEED / (4 * length), rel=0.5 / count)


@pytest.mark.parametrize("flow", [2e-6, pytest.param(5e-5, marks=pytest.mark.slow), pytest.param(1e-3, marks=pytest.mark.slow), -1e-3])
def test_the_drop_of_steady_flow(flow):
    """Darcy and Weisbach: drop = (64/Re + f) length/diameter density/2 u^2, Hagen and Poiseuille where the flow is slow."""
    f = 0.025
    result = run(
        circuit(
            {"source": ("hydraulic.FlowSource", {"flow": flow}), "hose": ("hydraulic.Hose", SHAPE | {"turbulent": f, "p": 5e6})}
            | {"tank": ("hydraulic.Tank", {"pressure": 5e6})},
            [("hose.A", "source.port"), ("hose.B", "tank.port")],
        ),
        20.0,
    )
    u = abs(flow) / (pi * diameter**2 / 4)
    reynolds = density * u * diameter / viscosity
    drop = (64 / reynolds + f) * length / diameter * density / 2 * u**2 * np.sign(flow)
    assert result["hose.flow"][-1] == pytest.approx(flow, rel=1e-6, abs=1e-11)
    assert result["hose.p"][-1] - 5e6 == pytest.approx(drop, rel=1e-5, abs=0.1)
    assert result["hose.loss"][-1] == pytest.approx(drop * flow, rel=1e-5, abs=0.1 * abs(flow))


def test_a_hose_stands_between_a_valve_and_a_cylinder():
    """At A it gives pressure to the valve, at B flow to the cylinder; in the end the pressures of both are that of the supply."""
    result = run(
        circuit(
            {
                "supply": ("hydraulic.PressureSource", {"pressure": 4e6}),
                "tank": ("hydraulic.Tank", {}),
                "valve": ("hydraulic.ProportionalValve43", {"command": 1.0}),
                "out": ("hydraulic.Hose", {}),
                "back": ("hydraulic.Hose", {}),
                "cylinder": ("hydraulic.Cylinder", {}),
                "wall": ("mechanical1d.Fixed1D", {"position": 0.1}),
            },
            [
                ("supply.port", "valve.P"),
                ("tank.port", "valve.T"),
                ("out.A", "valve.A"),
                ("back.A", "valve.B"),
                ("out.B", "cylinder.A"),
                ("back.B", "cylinder.B"),
                ("wall.flange", "cylinder.flange"),
            ],
        ),
        5.0,
    )
    ends = [result[name][-1] for name in ("out.p", "cylinder.p1", "back.p", "cylinder.p2")]
    assert ends == pytest.approx([4e6, 4e6, 1e5, 1e5], rel=1e-6)
