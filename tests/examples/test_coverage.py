"""Every component of the catalogue is used by an example."""

from __future__ import annotations

import ast
from pathlib import Path

from fmu_components.catalogue import all_components
from tests.support.systems.machines import EXAMPLES


def named_in(source: str) -> set[str]:
    """Returns the components that a program names. A docstring or a comment is none of its strings that equal a name."""
    strings = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {each for each in strings if each in all_components()}


def without_example(paths: list[Path]) -> list[str]:
    used = set[str]().union(*(named_in(path.read_text()) for path in paths))
    return [name for name in all_components() if name not in used]


def test_every_component_has_an_example():
    assert without_example(sorted(EXAMPLES.rglob("*.py"))) == []


def test_a_component_without_example_is_found():
    """Only the example of plane crossings uses both joints of this kind."""
    others = [path for path in sorted(EXAMPLES.rglob("*.py")) if path.stem != "plane_crossings"]
    assert without_example(others) == ["planar.PlaneCrossing", "planar.PlaneCrossingTranslational"]


def test_prose_does_not_count():
    assert named_in('"""Uses a signal.Gain."""\n# signal.Gain\nadd("a", "signal.Sum")\n') == {"signal.Sum"}
