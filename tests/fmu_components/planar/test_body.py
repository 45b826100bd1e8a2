"""Bodies against equations 1 to 5 of Part II."""

import pytest
import sympy

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from tests.support.declare.symbols import same


def symbols(*names):
    return [sympy.Symbol(name, real=True) for name in names]


m, I, gx, gy, x, y, theta, vx, vy, omega = symbols("m", "I", "gx", "gy", "x", "y", "theta", "vx", "vy", "omega")  # noqa: E741
c, s = sympy.cos(theta), sympy.sin(theta)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_equation_1_of_part_2(count):
    """The dynamics of the mass centre, with as many wrenches as there are points; gravity acts along both axes.

    Misprint: in the torque Fx and Fy are exchanged. A force F at (X, Y) has the torque X Fy - Y Fx, as equation 9 of Part I says.
    """
    declared = declaration(find(f"planar.Body{count}"))
    ports = [symbols(*(f"p{i}.{n}" for n in ("rx", "ry", "Fx", "Fy", "Cz"))) for i in range(1, count + 1)]
    expected = {
        "x": vx,
        "y": vy,
        "theta": omega,
        "vx": sum(Fx for _, _, Fx, _, _ in ports) / m + gx,
        "vy": sum(Fy for _, _, _, Fy, _ in ports) / m + gy,
        "omega": sum(Cz + (rx * c - ry * s) * Fy - (rx * s + ry * c) * Fx for rx, ry, Fx, Fy, Cz in ports) / I,
    }
    for state, rate in expected.items():
        assert same(declared.expand(declared[f"der({state})"].symbol), rate), state


def test_the_misprint_of_equation_1_is_one():
    """The printed torque, with Fx and Fy exchanged, contradicts the power of the force on the velocities of equation 3."""
    declared = declaration(find("planar.Body1"))
    rx, ry, Fx, Fy = symbols("p1.rx", "p1.ry", "p1.Fx", "p1.Fy")
    point_vx, point_vy = (declared.expand(declared[f"p1.{n}"].symbol) for n in ("vx", "vy"))
    torque = sympy.diff(Fx * point_vx + Fy * point_vy, omega)
    printed = (rx * c - ry * s) * Fx - (rx * s + ry * c) * Fy
    declared_torque = (declared.expand(declared["der(omega)"].symbol) * I).subs({sympy.Symbol("p1.Cz", real=True): 0})
    assert same(torque, declared_torque)
    assert not same(torque, printed)


@pytest.mark.parametrize("point", [1, 2, 3, 4, 5])
def test_equations_2_to_5_of_part_2(point):
    """Position, velocity and acceleration of every point, and the angles of its axis."""
    declared = declaration(find("planar.Body5"))
    rx, ry, angle = symbols(f"p{point}.rx", f"p{point}.ry", f"p{point}.angle")
    ax, ay, alpha = (declared.expand(declared[f"der({n})"].symbol) for n in ("vx", "vy", "omega"))
    X, Y = rx * c - ry * s, rx * s + ry * c
    expected = {
        "x": x + X,
        "y": y + Y,
        "theta": theta + angle,
        "vx": vx - omega * Y,
        "vy": vy + omega * X,
        "omega": omega,
        "ax": ax - alpha * Y - omega**2 * X,
        "ay": ay + alpha * X - omega**2 * Y,
        "alpha": alpha,
    }
    for name, value in expected.items():
        assert same(declared.expand(declared[f"p{point}.{name}"].symbol), value), name


def test_energies_are_those_of_a_rigid_body():
    """Kinetic energy of translation and rotation, potential energy in the field of gravity."""
    declared = declaration(find("planar.Body1"))
    assert same(declared["energy.kinetic"].equation, m * (vx**2 + vy**2) / 2 + I * omega**2 / 2)
    assert same(declared["energy.potential"].equation, -m * gx * x - m * gy * y)


def test_a_fixed_point_is_at_rest():
    """Its rates vanish identically, and its place is that of its parameters."""
    declared = declaration(find("planar.Fixed"))
    for name in ("vx", "vy", "omega", "ax", "ay", "alpha"):
        assert declared[f"p1.{name}"].equation == 0
    assert [str(declared[f"p1.{name}"].equation) for name in ("x", "y", "theta")] == ["p1.rx", "p1.ry", "p1.angle"]
