"""Symbolic equations of motion against the FMUs at random points, and against the forms of textbooks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy

from coupling import AnalysisError, System
from coupling.equations.forms import EquationsOfMotion
from tests.support.systems.rolling import RADIUS, disc, hinge
from tests.support.systems.systems import around_a_nonlinear_loop, refusal

CLOSE = 1e-12
STABILISATION = ("baumgarte.alpha", "baumgarte.beta", "baumgarte.gamma")


def hanging(*bodies: str) -> System:
    """Returns bodies that hang below each other on pins."""
    system = System(f"{len(bodies)} rods")
    system.add("ground", "planar.Fixed")
    above = "ground.p1"
    for i, name in enumerate(bodies):
        system.add(name, "planar.Body2", {"m": 1.5, "I": 0.2, "p1.ry": 0.5, "p2.ry": -0.4, "y": -0.5 - 0.9 * i})
        hinge(system, f"pin{i}", above, f"{name}.p1")
        above = f"{name}.p2"
    return system


def pendulum() -> System:
    return hanging("rod")


def double_pendulum() -> System:
    return hanging("a", "b")


def slider_crank() -> System:
    system = System("slider-crank")
    system.add("ground", "planar.Fixed")
    system.add("crank", "planar.Body2", {"I": 0.1, "p1.rx": -0.2, "p2.rx": 0.2, "x": 0.2})
    system.add("rod", "planar.Body2", {"I": 0.3, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.9})
    system.add("slider", "planar.Body2", {"m": 2.0, "x": 1.4})
    for name, a, b in (("O", "ground.p1", "crank.p1"), ("A", "crank.p2", "rod.p1"), ("B", "rod.p2", "slider.p1")):
        hinge(system, name, a, b)
    hinge(system, "guide", "ground.p1", "slider.p2", "planar.Translational")
    return system


def rolling_disc() -> System:
    return disc(height=RADIUS, vx=0.0)


def two_link_arm() -> System:
    """Returns two blocks, whose coordinates are those of the joints, with a spring and a torque."""
    system = System("arm")
    system.add("ground", "planar.Fixed")
    system.add("upper", "planar.RevoluteBody", {"I": 0.1, "rx": 0.5, "C1.rx": 1.0, "k": 3.0, "b": 0.2})
    system.add("lower", "planar.RevoluteBody", {"I": 0.2, "rx": 0.4, "torque": 0.7})
    system.connect("ground.p1", "upper.P")
    system.connect("upper.C1", "lower.P")
    return system


def mixed() -> System:
    """Returns a cart with a block, a load on a pin, a spring between points and a wrench: accelerations depend on each other in a loop."""
    system = System("mixed")
    system.add("ground", "planar.Fixed")
    system.add("cart", "planar.Body3", {"p3.ry": 0.2})
    system.add("arm", "planar.RevoluteBody", {"I": 0.1, "rx": 0.5, "C1.rx": 1.0, "k": 3.0})
    system.add("load", "planar.Body1", {"p1.ry": 0.4, "x": 1.0, "y": -0.2})
    hinge(system, "rail", "cart.p1", "ground.p1", "planar.TranslationalRevolute")
    system.connect("cart.p3", "arm.P")
    system.join("planar.Revolute", "arm.C1", "load.p1", {"rotation.k": 3.0, "rotation.b": 0.1}, name="pin")
    system.join("planar.SpringDamper", "ground.p1", "load.p1", {"k": 30.0, "b": 0.4, "rest": 0.3}, name="spring")
    system.add("push", "planar.Wrench", {"Fx": 2.0, "Cz": -0.3})
    system.connect("cart.p2", "push.M")
    return system


def joints_of_part_2() -> System:
    """Returns a body on each joint of Part II, with springs along freedoms; two bodies in crossing planes."""
    system = System("joints")
    system.add("ground", "planar.Fixed", {"p1.rx": 0.1, "p1.angle": 0.2})
    ports = {"p1.rx": 0.3, "p1.ry": -0.1, "p1.angle": 0.4}
    for kind in ("Translational", "DoubleTranslational", "TranslationalRevolute", "ActuatedRevolute", "ActuatedTranslational"):
        system.add(kind.lower(), "planar.Body1", {"I": 0.2, "m": 2.0, **ports})
        hinge(system, f"joint_{kind}", "ground.p1", f"{kind.lower()}.p1", f"planar.{kind}")
    for kind in ("PlaneCrossing", "PlaneCrossingTranslational"):
        for side in ("m", "n"):
            system.add(f"{kind.lower()}_{side}", "planar.Body1", {"I": 0.3, **ports})
        hinge(system, f"joint_{kind}", f"{kind.lower()}_m.p1", f"{kind.lower()}_n.p1", f"planar.{kind}")
    system.add("bar", "planar.Body1", ports)
    hinge(system, "cylinder", "ground.p1", "bar.p1", "planar.LinearActuator")
    return system


def in_space() -> System:
    """Returns two bodies on a spherical joint and a skew hinge."""
    system = System("space")
    system.add("ground", "spatial.Fixed")
    tensor = {"Ixx": 0.2, "Iyy": 0.3, "Izz": 0.4, "Ixy": 0.02}
    for i, (joint, above) in enumerate((("Spherical", "ground.p1"), ("Revolute", "body0.p2"))):
        system.add(f"body{i}", "spatial.Body2", {**tensor, "p1.rx": -0.5, "p2.rx": 0.5, "p2.zx": 0.3, "p1.zx": 0.3, "x": 0.5 + i})
        hinge(system, f"joint{i}", above, f"body{i}.p1", f"spatial.{joint}")
    return system


def random_point(system: System, random: np.random.Generator) -> dict[str, float]:
    """Returns states, and quaternions near that of no turn."""
    found = {}
    for name, fmu in system.instances.items():
        for state in (fmu.by_reference[reference].name for reference in fmu.states):
            found[f"{name}.{state}"] = float(random.uniform(-1, 1))
            if state in ("q0", "q1", "q2", "q3") and "q3" in fmu.variables:
                found[f"{name}.{state}"] = (state == "q0") + 0.3 * found[f"{name}.{state}"]
    return found


def largest_difference(system: System, points: int) -> float:
    """Returns the largest error of the equations, relative to their terms, at accelerations and multipliers of the FMUs."""
    lagrange, reduced = system.equations(), system.equations("reduced")
    of_lagrange, of_reduced = lagrange.function(), reduced.function()
    names = [[symbol.name for symbol in each] for each in (lagrange.accelerations, lagrange.multipliers, reduced.independent)]
    unstabilised = {f"{name}.{each}": 0.0 for name, fmu in system.instances.items() for each in STABILISATION if each in fmu.variables}
    random, worst = np.random.default_rng(1), 0.0
    for _ in range(points):
        point = random_point(system, random)
        run = system.simulate(0.0, initial="relax", start_values=point | unstabilised, outputs=[name for each in names for name in each])
        a, multipliers, independent = (np.array([run[name][0] for name in each]) for each in names)
        m, r = of_lagrange(point), of_reduced(point)
        rows = [
            (m["M"], a, m["h"] + m["G"].T @ multipliers, np.abs(m["G"].T) @ np.abs(multipliers)),
            (m["G"], a, m["gamma"], 0.0),
            (r["M"], independent, r["h"], np.abs(m["h"]).max(initial=0.0)),
        ]
        for matrix, unknowns, right, terms in rows:
            size = np.abs(matrix) @ np.abs(unknowns) + np.abs(right) + terms
            worst = max(worst, float(np.abs(matrix @ unknowns - right).max(initial=0.0) / max(size.max(initial=0.0), 1e-3)))
    return worst


SYSTEMS = [pendulum, double_pendulum, slider_crank, rolling_disc, two_link_arm]


@pytest.mark.parametrize("made", SYSTEMS)
def test_equations_are_those_of_the_fmus(made: Callable[[], System]):
    """At 20 random points, which need not fulfil the constraints."""
    assert largest_difference(made(), 20) < CLOSE


@pytest.mark.slow
@pytest.mark.parametrize("made", [mixed, joints_of_part_2])
def test_equations_of_many_components_are_those_of_the_fmus(made: Callable[[], System]):
    """Blocks beside bodies, a spring, a wrench, and all joints of Part II with two crossings of planes."""
    assert largest_difference(made(), 20) < CLOSE


@pytest.mark.slow
def test_equations_in_space_are_those_of_the_fmus():
    """Attitudes are in the equations by name, with their definitions by quaternions."""
    system = in_space()
    equations = system.equations()
    assert equations.definitions[sympy.Symbol("body0.R11", real=True)].has(sympy.Symbol("body0.q2", real=True))
    assert largest_difference(system, 20) < CLOSE


def symbols(names: str) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, real=True) for name in names.split()]


def test_the_pendulum_is_that_of_the_textbook():
    """(I + m l^2) theta'' = -m g l sin(theta), with gy = -g: one term on each side, and no other."""
    equations = pendulum().equations("reduced")
    m, inertia, gy, arm, theta, alpha = symbols("rod.m rod.I rod.gy rod.p1.ry rod.theta rod.der(omega)")
    assert equations.independent == (alpha,)
    assert equations.M[0] == inertia + m * arm**2 and equations.h[0] == m * gy * arm * sympy.sin(theta)
    lines = str(equations).splitlines()
    assert lines[:2] == ["Equations of motion of '1 rods'", "M a = h:"]
    assert lines[2] == "    rod.der(omega)*(rod.I + rod.m*rod.p1.ry**2) = rod.gy*rod.m*rod.p1.ry*sin(rod.theta)"
    assert r"\dot{\omega}_{\mathrm{rod}} \left(I_{\mathrm{rod}} + m_{\mathrm{rod}} r_{\mathrm{y},\mathrm{rod.p1}}^{2}\right)" in (
        equations._repr_latex_()
    )


def test_the_double_pendulum_is_that_of_the_textbook():
    """M12 = m2 l1 a2 cos(theta1 - theta2), and velocities appear as m2 l1 a2 sin(theta1 - theta2) omega^2 alone."""
    equations = double_pendulum().equations("reduced")
    m1, m2, I1, I2, up, down, arm = symbols("a.m b.m a.I b.I a.p1.ry a.p2.ry b.p1.ry")
    g1, g2, t1, t2, w1, w2 = symbols("a.gy b.gy a.theta b.theta a.omega b.omega")
    length = up - down
    coupling = m2 * length * arm
    M = sympy.Matrix([[I1 + m1 * up**2 + m2 * length**2, coupling * sympy.cos(t1 - t2)], [coupling * sympy.cos(t1 - t2), I2 + m2 * arm**2]])
    h = sympy.Matrix(
        [
            -coupling * sympy.sin(t1 - t2) * w2**2 + (m1 * up * g1 + m2 * length * g2) * sympy.sin(t1),
            coupling * sympy.sin(t1 - t2) * w1**2 + m2 * arm * g2 * sympy.sin(t2),
        ]
    )
    assert sympy.expand(equations.M - M) == sympy.zeros(2, 2) and sympy.expand(equations.h - h) == sympy.zeros(2, 1)


def test_the_disc_has_the_paper_s_matrices_as_symbols():
    """The paper's section 4 with its letters: H and D of the second stage are the printed ones times -1."""
    first, second = rolling_disc().equations("successive").stages
    m, J, r = symbols("disc.m disc.I grip.radius")
    assert first.beta == sympy.Matrix([[0, 1, 0]]) and second.beta == sympy.Matrix([[1, r]])
    assert sympy.Matrix([[m, 0, 0], [0, 0, J]]) == first.C and -sympy.Matrix([r, 0, -1]) == second.D
    assert -sympy.Matrix([r, -1]) == second.H and -sympy.Matrix([[r * m, 0, -J]]) == second.C
    assert [each.name for each in second.independent] == ["disc.der(omega)"]


def test_the_forms_show_what_they_are():
    """Text has one equation in a line; numbers of every matrix come by name."""
    system = rolling_disc()
    text = str(system.equations("successive"))
    assert "stage 2, grip.lambda[1], D' r = 0:\n    -grip.radius*reaction(disc.der(vx)) + reaction(disc.der(omega)) = 0" in text
    numbers = system.equations("successive").function()({"grip.radius": 0.5})
    assert numbers["beta[2]"].tolist() == [[1.0, 0.5]] and numbers["h"].shape == (3,)
    lagrange = system.equations()
    assert isinstance(lagrange, EquationsOfMotion) and lagrange.values["grip.radius"] == RADIUS
    with pytest.raises(AttributeError, match="these equations have no 'C'; they have M, h, G, gamma"):
        _ = lagrange.C


def test_values_by_unknown_names_and_missing_inputs_are_refused():
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("rod.p2", "push.M")
    system.drive("push.Fx", lambda t: 2 * t)
    equations = system.equations()
    compute = equations.function()
    assert [each.name for each in equations.inputs] == ["push.Fx"]
    assert refusal(compute, AnalysisError) == "equations: 'push.Fx' is driven; give its value as well"
    assert refusal(lambda: compute({"rod.thet": 1.0}), AnalysisError).startswith(
        "equations: 'rod.thet' is no state, parameter or input in them; did you mean 'rod.theta'"
    )
    assert compute({"push.Fx": 3.0})["h"][0] == 3.0


def test_systems_with_other_equations_are_refused_by_name():
    """Events, FMUs of other tools, tables, other forms, and systems without bodies."""

    def with_part(component: str, **values: object) -> System:
        system = pendulum()
        system.add("odd", component, values)  # type: ignore[arg-type]
        return system

    assert refusal(lambda: around_a_nonlinear_loop(True).equations(), AnalysisError).startswith("equations: 'linear' is an FMU of ")
    assert refusal(lambda: with_part("signal.Step").equations(), AnalysisError) == (
        "equations: 'odd' (signal.Step) changes at events; only equations without events are given"
    )
    driven = pendulum()
    driven.add("push", "planar.Wrench")
    driven.connect("rod.p2", "push.M")
    driven.drive("push.Fx", ([0.0, 1.0], [0.0, 2.0]))
    assert refusal(lambda: driven.equations(), AnalysisError) == "equations: 'push.Fx' is driven by a table"
    assert refusal(lambda: pendulum().equations("newton"), AnalysisError) == (
        "equations: form = 'newton' is refused; choose 'lagrange', 'reduced', 'successive'"
    )
    empty = System("empty")
    empty.add("ground", "planar.Fixed")
    assert refusal(lambda: empty.equations(), AnalysisError).startswith("equations: 'empty' has no body whose inertia is known")
    temporary = rolling_disc()
    temporary.enforce("grip", [(0.0, 1.0)])
    assert refusal(lambda: temporary.equations(), AnalysisError).startswith("equations: 'grip' is in force in intervals only")
    many = System("many")
    for i in range(7):
        many.add(f"body{i}", "spatial.Body1")
    assert refusal(lambda: many.equations(), AnalysisError) == (
        "equations: the system has 7 bodies in space, such as 'body6'; at most 6 are allowed"
    )
