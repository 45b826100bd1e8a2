"""Equations that are not affine in their unknowns, such as those of friction by a load."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from coupling import System
from coupling.fused import bent, coded
from coupling.fused.bent import at_unknowns, settle
from coupling.fused.expressions import Op
from coupling.fused.lowering import lower
from coupling.fused.open_loops import residuals
from coupling.fused.roots import derivatives
from coupling.plan.instances import time_symbol
from tests.support.fused.smallest import smallest


def grindstone() -> System:
    """Returns a disc that is pushed against a rough pin, and slows down by it."""
    system = System("grindstone", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.RevoluteFriction", {"mu": 0.3, "radius": 0.05})
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5, "omega": 3.0, "vy": 1.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


@pytest.mark.parametrize("component", ["mechanical1d.LossyGear", "planar.RevoluteFriction", "planar.SlippingDisc"])
def test_the_solution_makes_the_equations_themselves_vanish(component):
    """The residuals with the unknowns in place of all guesses are rounding, at random values of everything else."""
    built = smallest(component).build(communication=False)
    lowered, exact = lower(built), lower(built)
    settle(lowered)
    at_unknowns(exact)
    unknowns = derivatives(lowered).unknowns
    solved = 0
    rows, random = list(residuals(exact)), np.random.default_rng(4)
    for _ in range(20):
        given = {op: random.uniform(0.3, 1.7, 60) for op in (Op.STATE, Op.TIME, Op.DRIVE, Op.PARAMETER)}
        given[Op.DISCRETE] = random.integers(-1, 2, 60)
        found = lowered.graph.evaluate([unknowns[i] for i in range(lowered.unknowns)], lambda op, i, given=given: given[op][i])
        given[Op.UNKNOWN] = np.array(found, dtype=float)
        left = np.array(exact.graph.evaluate(rows, lambda op, i, given=given: given[op][i]), dtype=float)
        if np.isfinite(found).all():
            solved += 1
            assert np.abs(left).max() < 1e-9 * (1 + np.abs(given[Op.UNKNOWN]).max())
    assert solved > 10


def test_a_run_by_a_tape_is_that_of_the_fmus():
    """Friction follows from the reaction, which follows from friction. The tape is left by no evaluation."""
    by_fmus, by_tape = (grindstone().simulate(1.0, rtol=1e-10, evaluation=way) for way in ("fmus", "tape"))
    assert "tape" in by_tape.statistics.evaluated and by_tape.statistics.by_fmus == by_tape.statistics.handed_over == 0
    for name in ("rod.theta", "rod.omega", "pin.multiplier[3]"):
        np.testing.assert_allclose(by_tape[name], by_fmus[name], rtol=1e-8, atol=1e-9)


def test_gears_in_a_row_turn_their_loads_around() -> None:
    """Loads of several meshes change their directions at different times; few evaluations are left to the FMUs."""
    system = System("train")
    system.add("shaft0", "mechanical1d.Inertia", {"I": 0.01, "w": 1.0})
    system.add("motor", "mechanical1d.Torque")
    system.connect("motor.flange", "shaft0.flange")
    system.drive("motor.torque", 0.5 * sympy.sin(7 * time_symbol()))
    for i in range(3):
        system.add(f"shaft{i + 1}", "mechanical1d.Inertia", {"I": 0.02, "w": 0.5 ** (i + 1)})
        system.add(f"gear{i}", "mechanical1d.LossyGear", {"ratio": 2.0, "efficiency": 0.8, "back": 0.7, "bearing": 1e-3})
        system.connect(f"shaft{i}.flange", f"gear{i}.M")
        system.connect(f"gear{i}.N", f"shaft{i + 1}.flange")
    by_fmus, by_tape = (system.simulate(1.0, rtol=1e-9, evaluation=way) for way in ("fmus", "tape"))
    assert by_tape["shaft0.w"][-1] == pytest.approx(by_fmus["shaft0.w"][-1], rel=1e-6)
    assert by_tape.statistics.by_fmus < 0.05 * by_tape.statistics.evaluations and "tape" in by_tape.statistics.evaluated
    assert {1.0, -1.0} <= set(np.sign(by_tape["gear2.multiplier[1]"]))


def test_fmus_are_evaluated_where_the_rounds_do_not_suffice(monkeypatch):
    """The rows are then those of the FMUs."""
    monkeypatch.setattr(bent, "_NEAR", 0.0)
    monkeypatch.setattr(coded, "kept", lambda built, kind, make: make(built))
    expected, found = (grindstone().simulate(0.2, evaluation=way) for way in ("fmus", "tape"))
    np.testing.assert_allclose(found["rod.omega"], expected["rod.omega"], rtol=1e-9)
    assert found.statistics.by_fmus > 50
