"""DAE FMUs that another tool, CasADi, exports with the layered standard's older manifest."""

import numpy as np
import pytest

import foreign
from coupling import System


@pytest.mark.parametrize("solver", ["dop853", "ida"])
@pytest.mark.parametrize(("model", "exact"), [("pendulum", foreign.casadi_pendulum_exact), ("diode", foreign.casadi_diode_exact)])
def test_casadis_dae_has_the_right_solution(model, exact, solver):
    """A multiplier that is affine, and a diode's voltage whose iteration first goes far astray."""
    system = System(model)
    system.add("unit", foreign.casadi_dae(model))
    times = np.linspace(0, 2, 21)
    result = system.simulate(2.0, solver=solver, rtol=1e-11, atol=1e-11, output_times=times)
    assert result.outcome.completed, result.outcome
    for name, values in exact(times).items():
        assert np.abs(result[f"unit.{name}"] - values).max() < 1e-7, name


def test_it_couples_with_fmus_that_are_none(version=3):
    """The force of a spring between the pendulum's mass and a fixed point, through an FMU without dependencies, against the energy."""
    system = System("sprung")
    system.add("unit", foreign.casadi_dae("pendulum"))
    system.add("spring", foreign.gain(version, -4.0))
    names = {v.causality: v.name for v in system.instances["spring"].variables.values()}
    system.connect("unit.px", f"spring.{names['input']}")
    system.connect(f"spring.{names['output']}", "unit.f")
    result = system.simulate(3.0, solver="dop853", rtol=1e-11, atol=1e-11)
    x, y, vx, vy = (result[f"unit.{name}"] for name in ("x", "y", "vx", "vy"))
    energy = (vx**2 + vy**2) / 2 + 9.81 * y + 4 * x**2 / 2
    assert result.outcome.completed
    assert np.ptp(energy) < 1e-7
