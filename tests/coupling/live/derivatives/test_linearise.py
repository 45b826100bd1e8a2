"""The Jacobian of whole systems against differences of the whole system."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import System
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import Linearisation, NoDerivative, StateJacobian, open_loops
from coupling.live.session import Session
from coupling.plan.graph import Address
from fmu_components.declare.component import Component
from tests.support import foreign
from tests.support.oracles.planar import Pendulum, SliderCrank
from tests.support.runtime.runtime_components import Relay
from tests.support.systems import seven_bodies
from tests.support.systems.sessions import started
from tests.support.systems.systems import around_a_nonlinear_loop, system_of


class Pair(Component):
    """Each output depends in a constant way on one input and otherwise on the other."""

    def declare(self):
        u, v = self.input("u", 0.1, "", "first"), self.input("v", 0.2, "", "second")
        self.output("a", u**2 / 8 + 3 * v / 4 + 1, "", "curved in u")
        self.output("b", v**2 / 8 + 3 * u / 4 + 2, "", "curved in v")


def oscillators(version: int = 3) -> System:
    """Two masses on springs that push each other through a gain; one of them declares neither dependencies nor derivatives."""
    system = System()
    system.add("mass", foreign.mass_spring(version))
    system.add("gain", foreign.gain(version, 3.0))
    system.add("oscillator", foreign.oscillator(version))
    system.connect("mass.v", "gain.u")
    system.connect("gain.y", "oscillator.u")
    system.connect("oscillator.y", "mass.f")
    return system


def two_loops_in_one() -> System:
    """Two outputs of one FMU go back to it, each through a gain, and one of them drives an oscillator."""
    system = System()
    system.add("pair", Pair)
    for name in "gh":
        system.add(name, foreign.gain(factor=0.5))
    system.add("oscillator", foreign.oscillator())
    for a, b in (("pair.a", "g.u"), ("g.y", "pair.u"), ("pair.b", "h.u"), ("h.y", "pair.v"), ("pair.a", "oscillator.u")):
        system.connect(a, b)
    return system


def driven_relay() -> System:
    system = oscillators()
    system.add("relay", Relay)
    system.connect("oscillator.x", "relay.u")
    return system


SYSTEMS: dict[str, Callable[[], System]] = {
    "pendulum": lambda: system_of(Pendulum(angle=0.3, speed=2.0)),
    "slider-crank": lambda: system_of(SliderCrank(angle=0.7, speed=-3.0, torque=1.0, stiffness=50.0, rest=1.0)),
    "seven bodies": seven_bodies.system,
    "foreign, FMI 2": lambda: oscillators(2),
    "foreign, FMI 3": oscillators,
    "relay": driven_relay,
    "nonlinear loop": lambda: around_a_nonlinear_loop(True),
    "nonlinear loop without derivatives": lambda: around_a_nonlinear_loop(False),
    "two loops in one": two_loops_in_one,
    "algebraic variable of CasADi": lambda: one(foreign.casadi_dae()),
}


def one(fmu: object) -> System:
    system = System()
    system.add("it", fmu)
    return system


def alive(system: System) -> Session:
    session = started(system, initial="relax", max_steps=10)
    session.kernel.set_fast(False)
    return session


def differences(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray) -> np.ndarray:
    """Central differences of order 4."""
    columns = []
    for i in range(len(y)):
        step = np.zeros(len(y))
        step[i] = 1e-4 * max(abs(y[i]), 1e-2)
        columns.append((8 * (f(y + step) - f(y - step)) - f(y + 2 * step) + f(y - 2 * step)) / (12 * step[i]))
    return np.array(columns).T


@pytest.mark.parametrize("make", SYSTEMS.values(), ids=SYSTEMS)
def test_derivatives_by_states_are_those_of_the_solved_system(make: Callable[[], System]) -> None:
    """All changes by a state, through loops and connections, are in its column."""
    with alive(make()) as session:
        kernel, dx = session.kernel, np.empty(session.built.states)

        def derivatives(x: np.ndarray) -> np.ndarray:
            assert kernel.derivatives(0.0, np.ascontiguousarray(x), dx) is Status.DONE
            return dx.copy()

        expected = differences(derivatives, session.x)
        jacobian = StateJacobian(session)
        derivatives(session.x)
        for _ in range(2):  # constant ones are asked for once
            found = jacobian.dense()
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("make", SYSTEMS.values(), ids=SYSTEMS)
def test_with_open_loops_states_and_unknowns_are_independent(make: Callable[[], System]) -> None:
    """Derivatives and residuals by states and unknowns, at unknowns that do not solve anything."""
    with alive(make()) as session:
        n, linear, kernel = session.built.states, open_loops(session), session.kernel
        z = np.concatenate([np.zeros(0), *(kernel.slots[x.first : x.first + len(x.unknowns)] for x in session.schedule.loops)])
        y = np.append(session.x, z + 0.1)

        def open_system(y: np.ndarray) -> np.ndarray:
            dx, r = np.empty(n), np.empty(len(y) - n)
            assert kernel.residuals(0.0, y[:n].copy(), y[n:].copy(), dx, r) is Status.DONE
            return np.append(dx, r)

        expected = differences(open_system, y)
        open_system(y)
        found = linear.at_present()
        assert found.shape == expected.shape and found.data.all()
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6, atol=1e-7 * max(1.0, np.abs(expected).max()))
        dense = np.zeros(found.shape)
        dense[linear.rows, linear.columns] = linear.values()
        np.testing.assert_array_equal(dense, found.toarray())
        inside = linear.rows + linear.columns * len(y)
        assert (np.diff(inside) > 0).all(), "values come column by column, each place once"


def test_any_outputs_can_be_wanted() -> None:
    """Positions at joints are such outputs, which nothing else asks for: of a pendulum's, x - 0.5 cos(theta) and y - 0.5 sin(theta)."""
    with alive(system_of(Pendulum(angle=0.3))) as session:
        part = next(i for i, p in enumerate(session.built.parts) if p.name == "pin")
        wanted = [Address(part, 0, session.built.parts[part].fmu.variables[f"position[{k}]"].reference) for k in (1, 2)]
        found = abs(Linearisation(session, wanted).at_present().toarray())
        s, c = np.sin(0.3) / 2, np.cos(0.3) / 2
        np.testing.assert_allclose(found, [[1, 0, s, 0, 0, 0, 0, 0], [0, 1, c, 0, 0, 0, 0, 0]], atol=1e-15)


def test_a_loop_takes_derivatives_apart_that_share_an_output() -> None:
    """Newton's method converges: no direction mixes an input in which an output is curved with one in which it is straight."""
    result = two_loops_in_one().simulate(0.1)
    a, b = result["pair.a"], result["pair.b"]
    np.testing.assert_allclose(a, a**2 / 32 + 3 * b / 8 + 1, rtol=1e-12)
    np.testing.assert_allclose(b, b**2 / 32 + 3 * a / 8 + 2, rtol=1e-12)


def test_where_an_fmu_discards_there_is_no_derivative_and_its_inputs_are_put_back() -> None:
    """The sentence says who and why, and the same point can be evaluated again."""
    _, sphere = foreign.nonlinear_loop()
    system = one(sphere)
    system.add("oscillator", foreign.oscillator())
    system.connect("it.c", "oscillator.u")
    system.add("left", foreign.oscillator(), {"x": np.sqrt(5.0) * (1 - 1e-9)})
    system.add("right", foreign.oscillator(), {"x": 0.0})
    system.connect("left.x", "it.a")
    system.connect("right.x", "it.b")
    with alive(system) as session:
        instance = session.instances[0]
        a = session.built.parts[0].fmu.variables["a"].reference
        _, before = instance.get(0, [a])
        with pytest.raises(NoDerivative, match=r"^'it' .*cannot be differentiated: a and b are outside the sphere$") as caught:
            open_loops(session).values()
        assert caught.value.discarded
        _, after = instance.get(0, [a])
        assert after == before


@pytest.mark.parametrize("solver", ["cvode", "ida"])
@pytest.mark.parametrize("rate", ["1e308 * x", "1 / 0.0"])
def test_differences_that_overflow_keep_the_rows(solver: str, rate: str) -> None:
    """They do so even where NumPy raises its warnings: x = 1 + t up to 1.3, and no finite slope after that."""
    steep = foreign.Model("Steep", [foreign.Variable("x", "output", rate=f"x > 1.3 ? {rate} : 1.0", depends=["x"], start=1.0)])
    system = System("steep")
    system.add("unit", foreign.export(steep, 3))
    with np.errstate(all="raise"):
        result = system.simulate(1.0, solver=solver, max_steps=3000)
    before = result.time < 0.29
    assert not result.outcome.completed and result.time[-1] > 0.29
    assert result["unit.x"][before] == pytest.approx(1 + result.time[before], abs=1e-6)


def test_an_input_that_nothing_feeds_is_a_column():
    """The oscillator has x'' = u - x."""
    system = System("oscillator")
    system.add("it", foreign.oscillator())
    model = system.linearise(["it.u"], ["it.y"])
    assert pytest.approx(np.array([[0.0, 1.0], [-1.0, 0.0]]), abs=1e-9) == model.A
    assert pytest.approx(np.array([[0.0], [1.0]]), abs=1e-9) == model.B
