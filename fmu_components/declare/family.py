"""Components of one declaration that differ in a number."""

from __future__ import annotations

from typing import TypeVar

from fmu_components.declare.block import Block
from fmu_components.declare.component import Component, component_name
from fmu_components.declare.icon import Drawing, Shape, circle, line

C = TypeVar("C", bound=Component)
B = TypeVar("B", bound=Block)
WORDS = ("no", "one", "two", "three", "four", "five")
_ENDS = ((-0.75, 0.0), (0.75, 0.0), (0.0, 0.75), (0.0, -0.75), (0.53, 0.53))


def with_points(base: type[C], name: str, points: int, *middle: Shape, width: float = 0.22) -> type[C]:
    """Returns the body with a number of connecting points, drawn at the ends of arms of some width. The docstring of the base has a title
    without points, and what holds for all."""
    title, _, text = (base.__doc__ or "").partition(".")
    doc = f"{title} with {WORDS[points]} connecting point{'s' * (points > 1)}.{text}"
    arms = (line((0, 0), end, width=width) for end in _ENDS[:points])
    drawing = Drawing(*arms, *(circle(*end, 0.14, fill=1.0) for end in _ENDS[:points]), *middle)
    return type(f"{name}{points}", (base,), {"__module__": base.__module__, "__doc__": doc, "points": points, "drawing": drawing})


def with_children(base: type[B]) -> tuple[type[B], type[B], type[B]]:
    """Returns the blocks with three, four and five children beside the one with two."""
    title = (base.__doc__ or "").partition(":")[0]

    def block(children: int) -> type[B]:
        doc = f"{title}, with {WORDS[children]} children.\n\nThe block is a {component_name(base)} with the points C1 to C{children}."
        return type(f"{base.__name__}{children}", (base,), {"__module__": base.__module__, "__doc__": doc, "children": children})

    return block(3), block(4), block(5)
