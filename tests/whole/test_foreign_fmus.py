"""FMUs of other tools beside and inside mechanisms: sparing with declarations, and with algebraic variables of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from coupling import Ending, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.systems import with_added_mass

SOLVERS = {"dopri5": 1e-11, "dop853": 1e-12}


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> str:
    return request.param


# -- FMUs without declarations -----------------------------------------------------------------------------------------


def test_masses_that_declare_nothing_are_tied_by_a_spring(fmi, solver):
    """They follow the matrix exponential of both masses. The connection counts as a loop, since nothing says otherwise, and is solved as
    one."""
    system = System("masses")
    system.add("first", foreign.mass_spring(fmi))
    system.add("second", foreign.mass_spring(fmi), {"m": 2.0, "k": 50.0, "x": -0.2})
    system.add("tie", "mechanical1d.SpringDamper1D", {"k": 30.0, "b": 0.5, "rest": 0.1})
    for name, port in (("first", "M"), ("second", "N")):
        for pair in ((f"{name}.x", f"tie.{port}.s"), (f"{name}.v", f"tie.{port}.v"), (f"tie.{port}.f", f"{name}.f")):
            system.connect(*pair)
        system.drive(f"tie.{port}.a", 0.0)
    result = system.simulate(2.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver], output_interval=0.1)
    # States x1, v1, x2, v2 and 1, for the rest length.
    k, b, rest = 30.0, 0.5, 0.1
    matrix = np.array(
        [
            [0, 1, 0, 0, 0],
            [-100 - k, -b, k, b, -k * rest],
            [0, 0, 0, 1, 0],
            [k / 2, b / 2, (-50 - k) / 2, -b / 2, k * rest / 2],
            [0, 0, 0, 0, 0],
        ]
    )
    exact = np.array([expm(matrix * t) @ [0.1, 0, -0.2, 0, 1] for t in result.time])
    found = np.column_stack([result[name] for name in ("first.x", "first.v", "second.x", "second.v")])
    assert found == pytest.approx(exact[:, :4], abs=1e-8)


def test_an_added_mass_that_declares_nothing_moves_with_a_mechanism(fmi, solver):
    """Its force -c s - m a on a block makes the block's mass M + m: s = s0 cos(sqrt(c/(M + m)) t)."""
    variables = [
        Variable("s", "input", unit="m"),
        Variable("a", "input"),
        Variable("f", "output", value="-25 * s - 0.4 * a", unit="N"),
    ]
    system = with_added_mass(foreign.export(Model("Water", variables), fmi))
    result = system.simulate(3.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    assert result["block.x"] == pytest.approx(0.2 * np.cos(np.sqrt(25 / 1.7) * result.time), abs=1e-8)


def test_both_versions_of_the_standard_in_one_system(solver):
    """An oscillator of FMI 2 drives one of FMI 3, at resonance: x'' = cos t - x from rest at 1, x = cos t + t sin(t)/2."""
    system = System("both")
    system.add("two", foreign.oscillator(2))
    system.add("three", foreign.oscillator(3))
    system.connect("two.y", "three.u")
    result = system.simulate(10.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    t = result.time
    assert result["three.x"] == pytest.approx(np.cos(t) + t * np.sin(t) / 2, abs=1e-8)


# -- CasADi ------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[False, True], ids=["plain", "units"])
def units(request: pytest.FixtureRequest) -> bool:
    pytest.importorskip("casadi")
    return request.param


def test_the_pendulum_of_casadi(units, solver):
    """Its multiplier is the master's; motion and multiplier are those of the elliptic functions."""
    system = System("pendulum")
    system.add("p", foreign.casadi_dae("pendulum", units))
    assert [len(loop.unknowns) for loop in system.build().schedule.loops] == [1]
    result = system.simulate(2.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    for name, exact in foreign.casadi_pendulum_exact(result.time).items():
        assert result[f"p.{name}"] == pytest.approx(exact, abs=1e-8), name
    assert result["p.tension"] == pytest.approx(result["p.lam"], abs=1e-13)


def test_the_diode_of_casadi(units, solver):
    """Its nonlinear equation is solved from the start value that the binary alone knows; the current follows the closed form."""
    system = System("diode")
    system.add("d", foreign.casadi_dae("diode", units))
    result = system.simulate(3.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver], output_interval=0.25)
    for name, exact in foreign.casadi_diode_exact(result.time).items():
        assert result[f"d.{name}"] == pytest.approx(exact, abs=1e-9), name


def test_casadi_drives_a_body_of_this_project(solver):
    """The diode's current pushes a free mass as a force: its velocity is the charge of the capacitor over the mass."""
    pytest.importorskip("casadi")
    system = System("push")
    system.add("d", foreign.casadi_dae("diode"))
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.add("push", "mechanical1d.Force")
    system.connect("d.current", "push.force")
    system.connect("mass.flange", "push.flange")
    result = system.simulate(2.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    assert result["mass.v"] == pytest.approx((result["d.vc"] - foreign.DIODE["vc"]) * foreign.DIODE["C"] / 2.0, abs=1e-9)


def test_a_mechanism_pulls_at_the_pendulum_of_casadi(solver):
    """Two unknowns of two tools in one loop: the force on the pendulum is a gain of its own multiplier, f = g lam."""
    pytest.importorskip("casadi")
    system = System("feedback")
    system.add("p", foreign.casadi_dae("pendulum"))
    system.add("gain", foreign.gain(3), {"factor": 0.1})
    system.connect("p.tension", "gain.u")
    system.connect("gain.y", "p.f")
    result = system.simulate(1.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    x, y, vx, vy, lam = (result[f"p.{name}"] for name in ("x", "y", "vx", "vy", "lam"))
    # vx^2 + vy^2 + x (f - lam x) - y (lam y + g) = 0 with f = lam/10.
    assert lam == pytest.approx((vx**2 + vy**2 - 9.81 * y) / (x**2 + y**2 - 0.1 * x), rel=1e-11)
    assert np.hypot(x, y) == pytest.approx(np.ones(len(x)), abs=1e-8)


def test_several_instances_of_casadi(solver):
    """The code keeps nothing in common between them; each follows its own start."""
    pytest.importorskip("casadi")
    system = System("several")
    for k, vc in enumerate((0.2, 0.5)):
        system.add(f"d{k}", foreign.casadi_dae("diode"))
        system.drive(f"d{k}.u", 1.0 + vc)
    result = system.simulate(1.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver])
    R, Is, Vt = (foreign.DIODE[name] for name in ("R", "Is", "Vt"))
    for k, u in enumerate((1.2, 1.5)):
        vd, vc, i = (result[f"d{k}.{name}"] for name in ("vd", "vc", "current"))
        assert i == pytest.approx(Is * np.expm1(vd / Vt), rel=1e-9)
        assert R * i + vd + vc == pytest.approx(np.full(len(i), u), rel=1e-10)
