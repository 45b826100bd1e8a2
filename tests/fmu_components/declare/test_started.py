"""Components that begin at other values than their declaration says."""

from __future__ import annotations

from fmu_components.catalogue import all_components
from fmu_components.declare.component import component_name, declaration
from fmu_components.declare.started import started
from fmu_components.export.build import table_of


def test_start_values_alone_are_other_ones() -> None:
    """The name and all other variables stay, the token is another one, and equal values give the same class."""
    body = all_components()["planar.Body1"]
    other = started(body, (("x", 0.5), ("omega", -2.0)))
    assert component_name(other) == "planar.Body1" and started(body, (("x", 0.5), ("omega", -2.0))) is other
    before, after = declaration(body), declaration(other)
    changed = {new.name: new.start for old, new in zip(before.variables, after.variables, strict=True) if old != new}
    assert changed == {"x": 0.5, "omega": -2.0}
    assert (after.title, after.drawing, after.ports) == (before.title, before.drawing, before.ports)
    assert table_of(other).token != table_of(body).token
