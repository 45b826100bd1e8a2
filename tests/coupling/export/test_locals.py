"""Exports without local variables: states, derivatives and event indicators remain, and the digits do not change."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import attr
import fmpy
import pytest

from coupling import System
from coupling.fmus import load
from tests.support.export.examples import system as of_example
from tests.support.export.kinds import KINDS
from tests.support.systems.exported import export


def pushed() -> System:
    """Returns a mass under a step and a limited oscillation: time events with discrete states, and relations."""
    system = System("pushed mass")
    parts = {"mass": "mechanical1d.Mass", "limiter": "signal.Limiter", "step": "signal.Step", "sine": "signal.Sine"}
    for name, component in (parts | dict.fromkeys(("push", "shake"), "mechanical1d.Force")).items():
        system.add(name, component, {"start": 0.7} if name == "step" else {"amplitude": 3.0} if name == "sine" else {})
    for a, b in (("step.y", "push.force"), ("sine.y", "limiter.u"), ("limiter.y", "shake.force")):
        system.connect(a, b)
    system.connect("push.flange", "mass.flange")
    system.connect("shake.flange", "mass.flange")
    return system


SYSTEMS = {"pushed mass": pushed, "pendulum at a wall": lambda: of_example("33_pendulum_at_wall")}


@cache
def both(name: str, fmi: int) -> tuple[Path, Path]:
    """Returns the FMU with and the one without local variables."""
    system = SYSTEMS[name]()
    return export(system, fmi), export(system, fmi, locals=False)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_digits_do_not_change(name, fmi):
    """The last row is the same to the last bit in both kinds."""
    full, slim = both(name, fmi)
    states = [u.variable.derivative.name for u in fmpy.read_model_description(str(slim)).derivatives]
    for kind in list(KINDS)[:2]:
        assert KINDS[kind](slim, states, 2.0, 0.1) == KINDS[kind](full, states, 2.0, 0.1)


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_left_out(name, fmi):
    """Everything else in the description stays, and dependencies name what is left."""
    full, slim = (fmpy.read_model_description(str(path), validate=True, validate_model_structure=True) for path in both(name, fmi))
    names = {v.name for v in slim.modelVariables}
    needed = {u.variable.name for u in (*full.derivatives, *full.eventIndicators)}
    assert all(v.name.startswith("der(") or v.name.endswith(".indicator") for v in slim.modelVariables if v.causality == "local")
    assert needed | {v.name for v in full.modelVariables if v.causality != "local"} <= names < {v.name for v in full.modelVariables}
    for attribute in ("numberOfContinuousStates", "numberOfEventIndicators"):
        assert getattr(slim, attribute) == getattr(full, attribute) > 0
    for kind in ("modelExchange", "coSimulation"):
        assert attr.asdict(getattr(slim, kind)) == attr.asdict(getattr(full, kind))
    for unknowns in ("outputs", "derivatives", "eventIndicators", "initialUnknowns"):
        pairs = zip(getattr(full, unknowns), getattr(slim, unknowns), strict=True)
        for before, after in pairs:
            assert [v.name for v in after.dependencies] == [v.name for v in before.dependencies if v.name in names]


def test_what_states_and_multipliers_refer_to_is_kept():
    """Residuals of multipliers that the importer solves for, and angles that states count."""
    system = System("pendulum in space")
    for name, component in (("ground", "spatial.Fixed"), ("pin", "spatial.Revolute"), ("rod", "spatial.Body1")):
        system.add(name, component)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    slim = load(export(system, 3, locals=False, ls_dae=True))
    gauges = {variable.gauge for variable in slim.variables.values()} - {None}
    assert gauges and gauges <= set(slim.variables)
    residuals = [slim.by_reference[each.reference].name for each in slim.dae.structure.residuals]
    assert len(residuals) == len(slim.dae.algebraic) > 0
    local = {v.name for v in slim.variables.values() if v.causality == "local" and v.reference not in slim.dae.algebraic}
    assert {each for each in local if not each.startswith("der(")} == {*residuals, *gauges}
