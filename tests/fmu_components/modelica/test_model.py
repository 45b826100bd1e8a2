"""The Modelica model of a component."""

from __future__ import annotations

import re

import pytest
import sympy

from fmu_components.catalogue import find
from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.ports import ROTATIONAL, Side
from fmu_components.modelica.model import modelica_model


def lines(name: str) -> list[str]:
    """The lines of a model; those of declarations without the place of the connector."""
    found = [line.strip() for line in modelica_model(declaration(find(name))).lines]
    return [f"{declared};" if placed and declared else line for line in found for declared, placed, _ in [line.partition(" annotation(")]]


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (
            "planar.Body1",
            [
                'Interfaces.Planar p1 "point 1 of the body";',
                'parameter Real m(unit = "kg", min = 0.0) = 1.0 "mass (greater than 0)";',
                'Real theta(unit = "rad", start = 0.0) "absolute angle of the body";',
                "der(omega) = (p1.t + p1.fy*(p1_rx*cos(theta) - p1_ry*sin(theta)) - p1.fx*(p1_rx*sin(theta) + p1_ry*cos(theta)))/I;",
                "p1.phi = p1_angle + theta;",
            ],
        ),
        (
            "planar.Revolute",
            [
                'Real multiplier_1(unit = "N") "multiplier of constraint 1 in effect";',
                "0 = N.x - M.x;",
                "M.fx = multiplier_1;",
                "N.fx = -multiplier_1;",
                "N.t = -rotation_effort;",
                "N_omega = der(N.phi);",
            ],
        ),
        ("planar.MasslessLink1", ["der(vx) = ax;", "0 = p1.fx;"]),
        ("planar.KnifeEdge", ["M_vx = der(M.x);"]),
        ("planar.ActuatedRevolute", ['input Real effort(unit = "N.m") = 0.0 "torque on body j, its opposite on body i";']),
        ("planar.Motion", ['input Real x(unit = "m") = 0.0 "absolute x of the point";', "p1.x = x;", "Fx = -p1.fx;"]),
        ("hydraulic.Orifice", ["A.q = flow_;", "B.q = -flow_;"]),
        (
            "signal.FirstOrder",
            [
                'Real x(unit = "1", start = 0.0, fixed = true) "the delayed signal";',
                'output Real y(unit = "1") "the delayed signal";',
                "der(x) = (-x + k*u)/T;",
            ],
        ),
        (
            "planar.ConnectingRod",
            [
                "initial equation",
                'assert((N.x - M.x)^2 + (N.y - M.y)^2 > 0, "ConnectingRod: it is required that M lies apart from N, '
                'since the rod has no direction where they coincide");',
            ],
        ),
        (
            "spatial.Spherical",
            [
                "M.f = -M.R.T*M_F;",
                "M_F = {-multiplier_1, -multiplier_2, -multiplier_3};",
                "0 = N.r_0[1] - M.r_0[1];",
                'Real M_F[3](each unit = "N");',
                "M_omega = transpose(M.R.T)*M.R.w;",
            ],
        ),
        (
            "spatial.Body2",
            ["Connections.root(p1.R);", "Connections.branch(p1.R, p2.R);", "p1_F = transpose(p1.R.T)*p1.f;", "p2.R.w = p2.R.T*p2_omega;"],
        ),
    ],
)
def test_lines_of_a_component(component: str, expected: list[str]) -> None:
    found = lines(component)
    assert [line for line in expected if line not in found] == []


@pytest.mark.parametrize("component", ["planar.Revolute", "planar.RevoluteBody", "planar.MasslessLink2", "spatial.Bushing"])
def test_only_the_ideal_mode_is_written(component: str) -> None:
    """Stabilisation, the compliant mode and second derivatives of outputs are left out."""
    declared = [line for line in lines(component) if re.match(r"(parameter |input |output )?(Real|Boolean) ", line)]
    names = [re.split(r"(?:Real|Boolean) ", line)[1] for line in declared]
    assert names
    assert not [name for name in names if re.match(r"(ideal|compliant|baumgarte|lambda|residual|\w+_qdd)(\b|_)", name)]


def test_outputs_that_need_the_rate_of_a_signal_are_left_out() -> None:
    """The power of a prescribed motion needs the rate of the signal, its torque does not."""
    found = "\n".join(lines("mechanical1d.Angle"))
    assert "output Real torque" in found and "power" not in found and "angle_rate" not in found


def test_a_signal_is_differentiated_where_the_motion_needs_it() -> None:
    """Angular velocities of a prescribed motion in space follow from the rates of its angles, which are no inputs here."""
    found = lines("spatial.Motion")
    assert {"roll_followed = roll;", "roll_rate = der(roll_followed);"} <= set(found)
    assert not [line for line in found if line.startswith("input") and "rate" in line]


def test_documentation_is_the_docstring() -> None:
    last = lines("signal.FirstOrder")[-2]
    assert last.startswith("annotation(Icon(graphics = {")
    assert last.endswith('Documentation(info = "<html><p>First-order lag: T y&#x27; + y = k u.</p></html>"));')


def test_long_formulas_are_written_once() -> None:
    found = lines("spatial.Spherical")
    assert sum(line.startswith("shared_1 = ") for line in found) == 1
    assert max(map(len, found)) < 1500


@pytest.mark.parametrize("component", ["planar.RevoluteBody5", "spatial.RevoluteBody"])
def test_common_parts_of_long_equations_are_variables(component: str) -> None:
    """Each part that is used is declared once, and has one equation."""
    found = lines(component)
    used = set(re.findall(r"\bpart_\d+\b", "\n".join(line for line in found if not re.match(r"Real part_|part_\d+ =", line))))
    declared = [line.split()[1].rstrip(";") for line in found if line.startswith("Real part_")]
    assert used and used <= set(declared)
    assert sorted(declared) == sorted(line.split()[0] for line in found if re.match(r"part_\d+ = ", line))
    assert max(map(len, found)) < 2000


class _Clash(Component):
    """Two names that Modelica cannot tell apart."""

    def declare(self) -> None:
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "the flange")
        self.moves(flange, self.parameter("a.b", 0.0, "rad", "first") + self.parameter("a_b", 0.0, "rad", "second"))


def test_equal_names_are_refused() -> None:
    with pytest.raises(DeclarationError, match=r"_Clash: two of its variables are called 'a_b' in Modelica; rename one of them"):
        modelica_model(declaration(_Clash))


class _Gamma(Component):
    """A function that Modelica does not have."""

    def declare(self) -> None:
        self.output("y", sympy.gamma(self.parameter("x", 1.0, "", "a number")), "", "its function")


def test_the_component_of_an_unknown_function_is_named() -> None:
    with pytest.raises(DeclarationError, match=r"_Gamma: the function 'gamma' has no Modelica text; express it by sin, "):
        modelica_model(declaration(_Gamma))
