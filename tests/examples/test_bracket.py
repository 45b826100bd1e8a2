"""The mesh of the elastic bracket: the kept file is that of scikit-fem, and the example runs with either."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from tests.support.systems.machines import EXAMPLES, example


@pytest.fixture
def bracket(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return example("44_bracket")


def test_the_file_is_that_of_scikit_fem(bracket: ModuleType) -> None:
    """All matrices, nodes and triangles are those that the script would write."""
    pytest.importorskip("skfem", reason="scikit-fem is not installed: pip install scikit-fem")
    made, kept = bracket.mesh.made(), bracket.mesh.kept()
    for name in ("K", "M"):
        one, other = getattr(made, name), getattr(kept, name)
        assert abs(one - other).max() < 1e-12 * abs(one).max()
    assert kept.nodes == pytest.approx(made.nodes, abs=1e-15) and (kept.triangles == made.triangles).all()


def test_it_runs_without_scikit_fem(bracket: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mesh of the file has the mass of its volume, bears rigid motion without force, and sags as that of scikit-fem does."""
    monkeypatch.setitem(sys.modules, "skfem", None)
    K, M, nodes, _ = bracket.bracket()
    along_x = np.tile([1.0, 0.0, 0.0], len(nodes))
    volume = 0.06 * 0.02 * (0.3 + 0.2 - 0.02)
    assert along_x @ (M @ along_x) == pytest.approx(2700.0 * volume, rel=1e-12)
    assert np.abs(K @ along_x).max() < 1e-12 * abs(K).max()
    assert bracket.sag() == pytest.approx(1.9090e-4, rel=1e-4)
