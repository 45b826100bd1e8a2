"""Cylinder with two rods, counterbalance valve, pressure compensator and overlap of the valve, against their formulas written anew."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.support.components.circuits import circuit, run
from tests.support.systems.mechanism import Mechanism


def between(component: str, pressures: dict[str, float], **values: float) -> Mechanism:
    """A valve between given pressures."""
    parts = {name: ("hydraulic.PressureSource", {"pressure": p}) for name, p in pressures.items()}
    parts |= {"beside": ("mechanical1d.Mass", {})}  # something has states
    mechanism = Mechanism(parts | {"valve": (component, values)}, [(f"{name}.port", f"valve.{name}") for name in pressures])
    mechanism.evaluate()
    return mechanism


def test_two_rods_make_a_cylinder_act_alike():
    """The force is that of the pressures on the areas between piston and rods; a flow moves it by the area it enters at."""
    areas = [pi / 4 * (0.06**2 - rod**2) for rod in (0.03, 0.02)]
    with Mechanism(
        {
            "cylinder": ("hydraulic.DoubleRodCylinder", {"piston": 0.06, "tail": 0.03, "rod": 0.02, "p1": 8e6, "p2": 3e6, "viscous": 500}),
            "mass": ("mechanical1d.Mass", {"s": 0.1, "v": 0.2}),
        },
        [("mass.flange", "cylinder.flange")],
    ) as mechanism:
        mechanism.evaluate()
        assert mechanism["cylinder.force"] == pytest.approx(8e6 * areas[0] - 3e6 * areas[1] - 500 * 0.2, rel=1e-12)


def counterbalance(A: float, B: float, X: float) -> float:
    """Flow from A to B with a pilot ratio of 3, set to 150 bar, fully open 20 bar beyond."""
    opening = min(max((A - B + 3 * (X - B) - 1.5e7) / 2e6, 0), 1)
    if B - A > 1e5:
        return -2e-3 * sqrt((B - A - 1e5) / 4e5)
    return opening * 1e-3 * sqrt(abs(A - B) / 1e6) * np.sign(A - B)


VALVE = {"set": 1.5e7, "pilot": 3.0, "band": 2e6, "nominal.drop": 1e6, "check.cracking": 1e5, "check.flow": 2e-3, "check.drop": 4e5}


@pytest.mark.parametrize(
    ("A", "B", "X"), [(1.0e7, 2e5, 2e5), (1.6e7, 2e5, 2e5), (1.0e7, 2e5, 2.1e6), (1.0e7, 2e5, 8e6), (5e6, 9e6, 1e5), (5e6, 5.05e6, 1e5)]
)
def test_a_counterbalance_valve_holds_until_it_is_piloted(A, B, X):
    """Closed, opened by the load, partly and fully by the pilot; free flow the other way, and none below cracking."""
    with between("hydraulic.CounterbalanceValve", {"A": A, "B": B, "X": X}, **VALVE) as mechanism:
        assert mechanism["valve.flow"] == pytest.approx(counterbalance(A, B, X), rel=1e-12)
        assert mechanism["valve.X.q"] == 0


@pytest.mark.parametrize("load", [1e6, 5e6, 9e6])
def test_a_compensated_flow_does_not_depend_on_the_load(load):
    """A compensator and an orifice in a row: the pressure between, by root finding of what both pass; the flows differ by a tenth at most."""
    supply, spring, band = 1.2e7, 8e5, 1e5
    system = circuit(
        {
            "pump": ("hydraulic.PressureSource", {"pressure": supply}),
            "compensator": ("hydraulic.PressureCompensator", {"spring": spring, "band": band, "nominal.drop": 5e5}),
            "middle": ("hydraulic.Volume", {"p": load + spring}),
            "orifice": ("hydraulic.Orifice", {"area": 2e-5}),
            "load": ("hydraulic.PressureSource", {"pressure": load}),
        },
        [
            ("pump.port", "compensator.A"),
            ("middle.port", "compensator.B"),
            ("load.port", "compensator.X"),
            ("middle.port", "orifice.A"),
            ("load.port", "orifice.B"),
        ],
    )
    result = run(system, 0.1)

    def left(p: float) -> float:
        opening = min(max(1 - (p - load - spring) / band, 0), 1)
        return opening * 1e-3 * sqrt((supply - p) / 5e5) - 0.7 * 2e-5 * sqrt(2 / 870 * (p - load))

    expected = brentq(left, load + spring, load + spring + band, xtol=1e-6)
    assert result["middle.p"][-1] == pytest.approx(expected, rel=1e-6)
    assert result["orifice.flow"][-1] == pytest.approx(0.7 * 2e-5 * sqrt(2 / 870 * spring), rel=0.1)


PRESSURES = {"P": 2e7, "T": 3e5, "A": 9e6, "B": 4e6}


@pytest.mark.parametrize(("overlap", "spool"), [(0.2, 0.1), (0.2, 0.6), (0.2, -0.6), (-0.1, 0.0), (-0.1, 0.05), (-0.1, 0.5)])
def test_an_edge_opens_where_its_overlap_ends(overlap, spool):
    """Opening (spool - overlap)/(1 - overlap) of each edge that is open; with a negative overlap all four are in the middle."""

    def edge(here: str, there: str, way: int) -> float:
        return 4e-4 * max((way * spool - overlap) / (1 - overlap), 0) * sqrt(abs(PRESSURES[here] - PRESSURES[there]) / 3.5e6)

    with between("hydraulic.ProportionalValve43", PRESSURES, overlap=overlap, spool=spool) as mechanism:
        expected = {"P": -edge("P", "A", 1) - edge("P", "B", -1), "T": edge("B", "T", 1) + edge("A", "T", -1)}
        assert {name: mechanism[f"valve.{name}.q"] for name in expected} == {n: pytest.approx(q, rel=1e-12) for n, q in expected.items()}
