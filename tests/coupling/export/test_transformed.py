"""Exports of connections with a factor or an offset: components of the library take the place of the transformation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import System
from coupling.export.transformed import without_transformations
from coupling.fmus import load
from tests.support.runtime.driver import Driver
from tests.support.systems.systems import refusal


def oscillator() -> System:
    """A mass of 2 kg that a force of 50 - 50 s N pulls, and half of its speed again: s'' + 2 d s' + w^2 s = w^2, w = 5/s, d = 1/s."""
    system = System("oscillator")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 1.5})
    for name in ("pull", "push"):
        system.add(name, "mechanical1d.Force")
        system.connect("mass.flange", f"{name}.flange")
    system.connect("mass.s", "pull.force", factor=-50.0, offset=50.0)
    system.connect("push.force", "mass.v", factor=-4.0)
    return system


@pytest.mark.parametrize("stabilisation", [None, "projection"])
def test_factor_and_offset_are_exported(fmi: int, stabilisation: str | None, tmp_path: Path) -> None:
    """The oscillator swings as its closed form says; the factor is a parameter that the importer may change."""
    path = oscillator().export_fmu(tmp_path / "oscillator.fmu", fmi=fmi, platforms=["linux64"], stabilisation=stabilisation)
    variables = load(path).variables
    assert (variables["pull_force_sum.k[1]"].start, variables["pull_force_sum.u2"].start, variables["push_force_gain.k"].start) == (
        -50,
        50,
        -4,
    )
    with Driver(path, "cs") as fmu:
        for stiffness, damping in ((25.0, 1.0), (36.0, 0.5)):
            fmu.start({"pull_force_sum.k[1]": -2 * stiffness, "pull_force_sum.u2": 2 * stiffness, "push_force_gain.k": -4 * damping})
            fmu.step(0.0, 0.7)
            w = np.sqrt(stiffness - damping**2)
            expected = 1 + 0.5 * np.exp(-damping * 0.7) * (np.cos(w * 0.7) + damping / w * np.sin(w * 0.7))
            assert fmu["mass.s"] == pytest.approx(expected, abs=1e-6)
            fmu.fmu.reset()


def test_the_master_runs_the_same_system_with_components_in_place_of_the_transformations() -> None:
    """Names that are taken get a number, and the order of connections stays."""
    system = oscillator()
    system.add("push_force_gain", "signal.Gain")
    changed = System.of(without_transformations(system.definition))
    assert changed.definition.transformations == ()
    assert changed.connections[-2:] == (("mass.v", "push_force_gain2.u"), ("push_force_gain2.y", "push.force"))
    a, b = (each.simulate(1.0, rtol=1e-10)["mass.s"][-1] for each in (system, changed))
    assert a == pytest.approx(b, abs=1e-9)


def test_a_connection_that_cannot_be_transformed_is_refused_as_by_build(tmp_path: Path) -> None:
    """The message has the names of the user, and comes before anything is put in the connection's place."""
    system = oscillator()
    system.connect("mass.s", "push.force", factor=2.0)
    text = refusal(lambda: system.export_fmu(tmp_path / "x.fmu"))
    assert text == refusal(system.build)
    assert text.startswith("the input 'push.force' has two sources, 'mass.v' and 'mass.s'")
