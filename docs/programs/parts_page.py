"""``docs/parts-index.md``: the component to take, by everyday words."""

from __future__ import annotations

from pathlib import Path

from fmu_components.catalogue import all_components
from fmu_components.declare.component import component_title
from fmu_components.words import WORDS

PAGE = Path(__file__).parents[1] / "parts-index.md"
HEAD = """# Parts by everyday words

`jourdain list hinge` finds the same from a terminal. Use the name in the second column: `system.add("pin", "hinge")` is refused, and the
sentence names the components. `jourdain info planar.Revolute` shows the ports and variables of a component.
Two kinds of parts have no name here: [beams](flexible-beams.md) of other numbers of shapes, and [elastic bodies](flexible-bodies.md) from a
mesh. `WeldedBeam(4)` and `flexible_body(K, M, nodes, ports)` make their classes.

| I want a ... | component | title |
|---|---|---|
"""


def page() -> str:
    """Returns the page, with the words in alphabetical order."""
    titles = {name: component_title(each) for name, each in all_components().items()}
    rows = [
        f"| {said if place == 0 else ''} | `{name}` | {titles[name]} |"
        for said, components in sorted(WORDS.items(), key=lambda item: item[0].lower())
        for place, name in enumerate(components.split())
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
