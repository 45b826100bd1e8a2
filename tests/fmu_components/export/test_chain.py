"""Large components: derivatives along a chain of slopes are those of the entries of the Jacobian."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.export import build, stages, table
from fmu_components.export.c_code import model_source
from fmu_components.export.chain import cancelled, marked
from fmu_components.export.manifest import manifest
from fmu_components.export.model_description import model_description
from jourdain import SpatialBeam, flexible_body
from tests.support.flexible.meshes import brick
from tests.support.runtime.driver import Driver

Columns = dict[str, np.ndarray]


def test_marks_gather_on_all_ways() -> None:
    rows = [(3, {1: 0b1000, 2: 0}), (4, {3: 0b10000, 2: 0b100000})]
    assert marked(rows, {1, 2}) == {3: {1: 0b1000, 2: 0}, 4: {1: 0b11000, 2: 0b110000}}


def test_ways_that_cancel_are_found() -> None:
    """Two ways from 1 to 5 have opposite products, those from 2 have not."""
    rows = [(3, {1: 0.1, 2: 1.0}), (4, {1: 0.3, 2: 1.0}), (5, {3: 0.6, 4: -0.2})]
    assert cancelled(rows, [1, 2]) == {(5, 1)}


def test_small_slopes_beside_high_powers_do_not_vanish() -> None:
    """The acceleration of the end of a beam in space depends on its stretch, although other terms are large at large deformations."""
    text = model_description(build.table_of(SpatialBeam(2, 1, 2)), 3)
    of = dict(re.findall(r'name="([^"]+)" valueReference="(\d+)"', text))
    for axis in "xyz":
        found = re.search(rf'valueReference="{of[f"p2.a{axis}"]}" dependencies="([^"]*)"', text)
        assert found is not None and {of["stretch[1]"], of["twist[1]"], of["bend.y[1]"]} <= set(found[1].split())


@pytest.mark.parametrize("name", ["planar.Revolute", "spatial.Body2", "electrical.DCMotor"])
def test_both_ways_declare_the_same_dependencies(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for largest in (10**6, 0):
        monkeypatch.setattr(table, "LARGEST", largest)
        of = table.VariableTable(declaration(find(name)))
        assert of.chained is (largest == 0)
        texts.append([model_description(of, 2), model_description(of, 3), manifest(of, 3)])
    assert texts[0] == texts[1]


def _derivatives(name: str, folder: Path) -> tuple[Columns, Columns]:
    """Returns derivatives of all outputs and derivatives by each known, and one weighted sum of them, both at a random point."""
    component, random = type("Slider", (find(name),), {"__doc__": find(name).__doc__}), np.random.default_rng(3)
    declared = declaration(component)
    unknowns = [v.name for v in declared.with_role(Role.OUTPUT, Role.DERIVATIVE)]
    knowns = [v.name for v in declared.with_role(Role.PARAMETER, Role.STATE, Role.INPUT) if v.type == "real"]
    assert ("(*const piece[])" in model_source(table.VariableTable(declared))) is (table.LARGEST == 0)
    assert ("chain" in model_source(table.VariableTable(declaration(component)))) is (table.LARGEST == 0)
    (built,) = build.build_one(component, folder, build.Options((3,)))
    with Driver(built.path, "me") as fmu:
        fmu.start({v.name: random.uniform(0.3, 1.7) for v in declared.with_role(Role.STATE, Role.INPUT)})
        forward = {known: np.array(fmu.directional(unknowns, [known], [1.0])) for known in knowns}
        together = fmu.directional(unknowns, knowns, list(np.arange(1.0, len(knowns) + 1)))
        assert together == pytest.approx(sum(k * column for k, column in enumerate(forward.values(), 1)), rel=1e-12, abs=1e-9)
        weights = list(random.uniform(-1, 1, len(unknowns)))
        return forward, {"": np.array(fmu.adjoint(unknowns, knowns, weights))}


def test_both_ways_have_the_same_derivatives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = []
    monkeypatch.setattr(stages, "PIECE", 7)  # so that a small component has several functions as well
    for largest in (10**6, 0):
        monkeypatch.setattr(table, "LARGEST", largest)
        found.append(_derivatives("planar.Revolute", tmp_path / str(largest)))
    for entries, chain in zip(*found, strict=True):
        for known, expected in entries.items():
            assert chain[known] == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max()), known


def test_which_components_are_large() -> None:
    """No component of the catalogue is: the largest one has its entries, a body of five shapes and two ports a chain."""
    K, M, nodes = brick(counts=(4, 3, 3))
    body = flexible_body(K, M, nodes, {"a": range(9), "b": range(27, 36)}, name="Brick", basis="free", shapes=5)
    assert not table.VariableTable(declaration(find("spatial.RevoluteBody5"))).chained
    assert table.VariableTable(declaration(body)).chained
