"""Icons and places of models: the drawing of a component in the square of Modelica."""

from __future__ import annotations

import re

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.icon import Circle
from fmu_components.export.pages.icons import port_positions, symbol
from fmu_components.modelica.icons import box_icon, colour, component_icon, line, placement
from fmu_components.modelica.model import modelica_model
from fmu_components.modelica.package import switching


def test_shapes_are_scaled_to_the_square() -> None:
    """A line, a filled area that is closed, and a disc by its corners."""
    found = component_icon(declaration(find("planar.Fixed")))
    assert "Polygon(points = {{0, 20}, {-45, -40}, {45, -40}, {0, 20}, {0, 20}}, lineColor = {31, 42, 55}" in found
    assert "Ellipse(extent = {{-14, 6}, {14, 34}}, lineColor" in found
    assert "Line(points = {{-75, -40}, {75, -40}}, color = {31, 42, 55}, thickness = 0.75)" in found
    assert found.endswith('Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})})')


def test_every_shape_of_a_drawing_is_written() -> None:
    for name in ("planar.Revolute", "mechanical1d.Gear", "signal.FirstOrder"):
        shapes = [each.shape for each in symbol(declaration(find(name)))]
        found = component_icon(declaration(find(name)))
        assert found.count("Ellipse(") == sum(isinstance(each, Circle) for each in shapes)
        assert len(re.findall(r"(?:Line|Polygon)\(", found)) == sum(not isinstance(each, Circle) for each in shapes)


def test_connectors_are_at_the_marks_of_the_icon() -> None:
    declared = declaration(find("spatial.Body3"))
    lines = modelica_model(declared).lines
    for port, (x, y) in port_positions(declared).items():
        (found,) = [each for each in lines if re.match(rf"  \S+\.Frame_a {port} ", each)]
        assert found.endswith(f"annotation({placement((100 * x, 100 * y))});")


def test_colours_places_and_lines() -> None:
    assert colour("#1d6fb8") == "{29, 111, 184}"
    assert placement((0.0, -50.0), 20.0) == "Placement(transformation(extent = {{-20, -70}, {20, -30}}))"
    assert placement((10.0, 0.0), 10.0, mirrored=True) == "Placement(transformation(extent = {{20, -10}, {0, 10}}))"
    assert line([(0.0, 1.0), (2.5, -0.0)], "#ffffff") == "Line(points = {{0, 1}, {2.5, 0}}, color = {255, 255, 255})"
    assert 'textString = "a \\"b\\""' in box_icon('a "b"')


@pytest.mark.slow
def test_every_component_has_an_icon_with_shapes() -> None:
    for name, component in all_components().items():
        declared = declaration(component)
        if switching(declared) is None:
            assert re.search(r"annotation\(Icon\(graphics = \{(Line|Polygon|Ellipse)\(", modelica_model(declared).lines[-2]), name
