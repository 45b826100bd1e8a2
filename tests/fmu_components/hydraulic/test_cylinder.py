"""The cylinder: force, oil spring, leakage, friction and end stops."""

from math import exp, pi, sqrt, tanh

import numpy as np
import pytest

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.components.circuits import circuit, event_times, modes, run
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism import Mechanism

piston, rod, stroke, hose1, hose2 = 0.05, 0.03, 0.3, 2e-5, 4e-5
oil, wall, hose = 1.4e9, 2e10, 3e8
A1, A2 = pi / 4 * piston**2, pi / 4 * (piston**2 - rod**2)
SHAPE = {"piston": piston, "rod": rod, "stroke": stroke, "hose1.volume": hose1, "hose2.volume": hose2}
SHAPE |= {"bulk.oil": oil, "bulk.wall": wall, "bulk.hose": hose}


def stiffness(area: float, length: float, stays: float) -> float:
    """Flow into a chamber over the rate of its pressure, inverted: oil and wall of the chamber and the hose yield side by side."""
    chamber = area * length
    return 1 / ((chamber + stays) / oil + chamber / wall + stays / hose)


def test_the_force_is_that_of_the_pressures_on_their_areas():
    """Less friction: viscous, and Coulomb's once the piston moves."""
    for v in (0.0, 2e-4, -2e-4, 0.3):
        with Mechanism(
            {
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"p1": 9e6, "p2": 4e6, "viscous": 800, "coulomb": 150, "slip": 1e-4}),
                "mass": ("mechanical1d.Mass", {"s": 0.1, "v": v}),
            },
            [("mass.flange", "cylinder.flange")],
        ) as mechanism:
            mechanism.evaluate()
            assert mechanism["cylinder.flange.f"] == pytest.approx(9e6 * A1 - 4e6 * A2 - 800 * v - 150 * tanh(v / 1e-4), rel=1e-12)


@pytest.mark.parametrize("position", [0.02, 0.15, 0.29])
def test_the_oil_is_a_spring(position):
    """A mass with both ports closed oscillates at sqrt((A1^2 k1 + A2^2 k2)/m), damped by half the viscous friction over the mass."""
    m, viscous = 40.0, 500.0
    p2 = 6e6 * A1 / A2
    with Mechanism(
        {
            "cylinder": ("hydraulic.Cylinder", SHAPE | {"p1": 6e6, "p2": p2, "viscous": viscous, "offset": 0.7}),
            "mass": ("mechanical1d.Mass", {"m": m, "s": 0.7 + position}),
        },
        [("mass.flange", "cylinder.flange")],
    ) as mechanism:
        found = modes(mechanism, [1e3, 1e3, 1e-6, 1e-6])[:2]
    stiff = A1**2 * stiffness(A1, position, hose1) + A2**2 * stiffness(A2, stroke - position, hose2)
    decay = viscous / (2 * m)
    assert found.real == pytest.approx([-decay, -decay], rel=1e-5)
    assert abs(found.imag) == pytest.approx([sqrt(stiff / m - decay**2)] * 2, rel=1e-6)


def test_a_flow_drives_the_rod():
    """The steady speed is v = q/A1, and the flow out of B is A2 v, through an orifice that sets p2."""
    q, area = 5e-5, 2e-6
    result = run(
        circuit(
            {
                "source": ("hydraulic.FlowSource", {"flow": q}),
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"viscous": 2e3}),
                "outlet": ("hydraulic.Orifice", {"area": area}),
                "tank": ("hydraulic.Tank", {}),
                "mass": ("mechanical1d.Mass", {"m": 20.0, "s": 0.02}),
            },
            [("cylinder.A", "source.port"), ("cylinder.B", "outlet.A"), ("tank.port", "outlet.B"), ("mass.flange", "cylinder.flange")],
        ),
        5.0,
    )
    v = q / A1
    p2 = 1e5 + 870 / 2 * (v * A2 / (0.7 * area)) ** 2
    assert result["mass.v"][-1] == pytest.approx(v, rel=1e-4)
    assert result["cylinder.p2"][-1] == pytest.approx(p2, rel=1e-3)
    assert result["cylinder.p1"][-1] == pytest.approx((p2 * A2 + 2e3 * v) / A1, rel=1e-3)


def test_pressures_even_out_past_the_piston():
    """The difference falls as exp(-leakage (k1 + k2) t) with the rod held and both ports closed, and no oil is lost."""
    leakage, position, t = 2e-11, 0.1, 0.01
    result = run(
        circuit(
            {
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"leakage": leakage, "p1": 8e6, "p2": 2e6}),
                "wall": ("mechanical1d.Fixed1D", {"position": position}),
            },
            [("wall.flange", "cylinder.flange")],
        ),
        t,
        rtol=1e-10,
    )
    k1, k2 = stiffness(A1, position, hose1), stiffness(A2, stroke - position, hose2)
    p1, p2 = result["cylinder.p1"][-1], result["cylinder.p2"][-1]
    assert p1 - p2 == pytest.approx(6e6 * exp(-leakage * (k1 + k2) * t), rel=1e-6)
    assert p1 / k1 + p2 / k2 == pytest.approx(8e6 / k1 + 2e6 / k2, rel=1e-9)
    assert 0.1 < (p1 - p2) / 6e6 < 0.9


@pytest.mark.parametrize("out", [True, False])
def test_the_rod_comes_to_rest_at_an_end_stop(out):
    """Driven out or in, it touches the stop at its length, which is located, and rests where the stop bears the pressures' force."""
    high, low, k, reach = 5e6, 1e5, 4e7, 0.01
    supply, drain = ("cylinder.A", "cylinder.B") if out else ("cylinder.B", "cylinder.A")
    result = run(
        circuit(
            {
                "supply": ("hydraulic.PressureSource", {"pressure": high}),
                "tank": ("hydraulic.Tank", {"pressure": low}),
                "inlet": ("hydraulic.Orifice", {"area": 4e-6}),
                "outlet": ("hydraulic.Orifice", {"area": 4e-6}),
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"viscous": 3e3, "stop.k": k, "stop.c": 2e4, "stop.length": reach}),
                "mass": ("mechanical1d.Mass", {"m": 30.0, "s": 0.15}),
            },
            [
                ("supply.port", "inlet.A"),
                (supply, "inlet.B"),
                (drain, "outlet.A"),
                ("tank.port", "outlet.B"),
                ("mass.flange", "cylinder.flange"),
            ],
        ),
        6.0,
        output_times=np.linspace(0, 6, 301),
    )
    force = high * A1 - low * A2 if out else high * A2 - low * A1
    depth = force / k
    position = result["cylinder.position"]
    rest = stroke - reach + depth if out else reach - depth
    assert position[-1] == pytest.approx(rest, rel=1e-6)
    assert result["cylinder.energy"][-1] == pytest.approx(k * depth**2 / 2, rel=1e-4)
    touching = position[np.flatnonzero(np.isin(result.time, event_times(result)[:1]))]
    assert touching == pytest.approx([stroke - reach if out else reach] * 2, abs=1e-9)
    jump = result["cylinder.force"][np.flatnonzero(np.isin(result.time, event_times(result)[:1]))]
    assert abs(jump[1] - jump[0]) == pytest.approx(2e4 * abs(result["mass.v"][result.time == event_times(result)[0]][0]), rel=1e-6)


def test_an_end_stop_never_pulls():
    """A rod that is thrown out of its stop faster than the damper lets the spring follow leaves it free of any force."""
    for v, expected in ((-0.2, 1e7 * 4e-4 + 5e3 * 0.2), (0.2, 1e7 * 4e-4 - 5e3 * 0.2), (1.0, 0.0)):
        with Mechanism(
            {
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"stop.length": 1e-3, "viscous": 0}),
                "mass": ("mechanical1d.Mass", {"s": 6e-4, "v": v}),
            },
            [("mass.flange", "cylinder.flange")],
        ) as mechanism:
            mechanism.evaluate()
            assert mechanism["cylinder.flange.f"] == pytest.approx(1e5 * (A1 - A2) + expected, rel=1e-12)


def test_it_fits_the_linear_actuator():
    """It stands between ground and a hanging body, offset by offset: the pressures that hold the body leave it at rest."""
    m, length = 100.0, 0.8
    p2 = (1e5 * A1 + m * 9.81) / A2
    result = run(
        circuit(
            {
                "ceiling": ("planar.Fixed", {}),
                "actuator": ("planar.LinearActuator", {"offset": 0.5}),
                "cylinder": ("hydraulic.Cylinder", SHAPE | {"offset": 0.1, "p1": 1e5, "p2": p2}),
                "load": ("planar.Body1", {"m": m, "y": -length}),
            },
            [("ceiling.p1", "actuator.M"), ("load.p1", "actuator.N"), ("actuator.flange", "cylinder.flange")],
        ),
        0.5,
    )
    assert result["cylinder.position"] == pytest.approx([0.2, 0.2], rel=1e-9)
    assert result["load.y"][-1] == pytest.approx(-length, abs=1e-9)
    assert result["cylinder.p2"][-1] == pytest.approx(p2, rel=1e-9)


def test_at_rest_the_end_stop_has_a_slope():
    """The condition of contact is the lesser of two values that are equal where nothing moves."""
    with Driver(cached_fmu(find("hydraulic.Cylinder"), 3), "me") as cylinder:
        cylinder.start({"flange.s": 0.2, "flange.v": 0.0})
        slopes = [cylinder.directional([f"stop{i}.indicator"], ["flange.s"], [1.0])[0] for i in (1, 2)]
        values = []
        for s in (0.2, 0.201):
            cylinder.set({"flange.s": s})
            values.append(list(cylinder.get(["stop1.indicator", "stop2.indicator"]).values()))
        assert slopes == [-1.0, 1.0]
        assert [(b - a) / 0.001 for a, b in zip(*values, strict=True)] == pytest.approx(slopes, rel=1e-9)
