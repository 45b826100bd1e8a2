"""Mechanisms that show their multipliers: an importer that solves for them finds what the FMU finds itself."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import System
from coupling.fmus import load
from tests.support.oracles.planar import FourBar
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import CASES, export, exported
from tests.support.systems.systems import system_of


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", ["pendulum", "four-bar", "rolling", "geared", "limbs", "four-bar of blocks"])
def test_residuals_vanish_at_the_multipliers_found_inside(name, fmi):
    case = CASES[name]
    fmu_path = exported(name, fmi, ls_dae=True)
    dae = load(fmu_path).dae
    assert dae is not None
    by = load(fmu_path).by_reference
    multipliers = [by[r].name for r in dae.algebraic]
    residuals = [by[u.reference].name for u in dae.structure.residuals]
    inputs = {i: drive(0.0) for i, drive in case.inputs.items()}
    with Driver(fmu_path, "me") as inside, Driver(fmu_path, "me") as outside:
        inside.start(inputs)
        outside.configure({"ideal": True})
        outside.start(inputs)
        random = np.random.default_rng(1)
        for _ in range(3):
            x = inside.states + 0.1 * random.standard_normal(inside.state_count)
            inside.at(0.3, x)
            outside.at(0.3, x)
            expected = inside.derivatives
            z = inside.get([m.replace("lambda", "multiplier").replace("qdd", "acceleration") for m in multipliers])
            # Affine: three points on a line tell whether residuals follow from what is set, and from nothing else.
            values = {}
            for weight in (0.0, 0.5, 1.0):
                outside.set({m: weight * v for m, v in zip(multipliers, z.values(), strict=True)})
                values[weight] = np.array(list(outside.get(residuals).values()))
            scale = np.abs(values[0.0]).max()
            assert scale > 1e-3 and np.abs(values[1.0]).max() <= 1e-9 * scale
            assert np.abs(values[0.5] - (values[0.0] + values[1.0]) / 2).max() <= 1e-11 * scale
            assert np.abs(outside.derivatives - expected).max() <= 1e-10 * np.abs(expected).max()


def test_derivatives_by_multipliers_are_those_of_differences():
    fmu_path = exported("four-bar", 3, ls_dae=True)
    by, dae = load(fmu_path).by_reference, load(fmu_path).dae
    assert dae
    multipliers = [by[r].name for r in dae.algebraic]
    with Driver(fmu_path, "me") as fmu:
        fmu.configure({"ideal": True})
        fmu.start()
        unknowns = [by[u.reference].name for u in dae.structure.residuals] + [u.variable.name for u in fmu.description.derivatives]
        for name in multipliers:
            exact = fmu.directional(unknowns, [name], [1.0])
            found = []
            for value in (-1.0, 1.0):
                fmu.set({name: value})
                found.append(np.array(list(fmu.get(unknowns).values())))
            fmu.set({name: 0.0})
            assert np.abs((found[1] - found[0]) / 2 - exact).max() <= 1e-10 * max(1.0, np.abs(exact).max())


@pytest.mark.parametrize("ls_dae", [False, True])
def test_the_master_couples_it_like_the_components(ls_dae):
    """The FMU is one instance of a larger system, a four-bar with a spring at its rocker. Its multipliers are solved outside or inside."""
    bar = FourBar(angle=0.9, speed=1.0)
    rocker = next(n for n, (part, _) in bar.parts.items() if n == "rocker")

    def tied(system: System, port: str) -> System:
        system.add("wall", "planar.Fixed", {"p1.rx": 1.0, "p1.ry": 2.0})
        system.add("tie", "planar.SpringDamper", {"k": 30.0, "b": 0.4, "rest": 0.2})
        system.connect("wall.p1", "tie.M")
        system.connect(port, "tie.N")
        return system

    expected = tied(system_of(bar), f"{rocker}.p1").simulate(1.0, rtol=1e-10, outputs=[f"{rocker}.theta"])
    whole = System("whole")
    whole.add("bar", export(system_of(bar), 3, inputs=(f"{rocker}.p1",), ls_dae=ls_dae))
    result = tied(whole, f"bar.{rocker}.p1").simulate(1.0, rtol=1e-10, outputs=[f"bar.{rocker}.theta"])
    assert result.outcome.completed
    assert abs(result[f"bar.{rocker}.theta"][-1] - expected[f"{rocker}.theta"][-1]) <= 1e-8
    coupled = tied_again(whole, tied, export(system_of(bar), 2, inputs=(f"{rocker}.p1",)), rocker)
    assert abs(coupled - expected[f"{rocker}.theta"][-1]) <= 1e-4


def tied_again(whole: System, tied, fmu, rocker: str) -> float:
    """The same as co-simulation."""
    stepped = System("stepped")
    stepped.add("bar", fmu, kind="cs")
    result = tied(stepped, f"bar.{rocker}.p1").simulate(1.0, communication_step=1e-3, outputs=[f"bar.{rocker}.theta"])
    assert result.outcome.completed
    return float(result[f"bar.{rocker}.theta"][-1])


def test_in_co_simulation_the_multipliers_stay_inside():
    with Driver(exported("pendulum", 3, ls_dae=True), "cs") as fmu:
        from tests.support.systems.systems import refusal

        refusal(lambda: fmu.configure({"ideal": True}), Exception)
        assert "ideal = true is refused" in fmu.log[-1]
