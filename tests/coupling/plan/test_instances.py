"""FMUs and the component classes that they were built from."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from coupling import System
from coupling.fmus import load
from coupling.plan.instances import component_of
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.ssp import replaced

COMPONENT = find("signal.TransferFunction1")


def test_an_fmu_that_was_copied_has_the_equations_of_its_class(tmp_path: Path) -> None:
    copied = shutil.copy(cached_fmu(COMPONENT, 3), tmp_path / "copied.fmu")
    assert component_of(load(Path(copied))) is COMPONENT


@pytest.mark.parametrize(
    ("old", "new"), [('name="b[1]"', 'name="c"'), ('name="highest" valueReference="9"', 'name="highest" valueReference="4"')]
)
def test_an_fmu_whose_description_was_changed_runs_by_its_own_functions(tmp_path: Path, old: str, new: str) -> None:
    copied = Path(shutil.copy(cached_fmu(COMPONENT, 3), tmp_path / "copied.fmu"))
    changed = replaced(copied, "modelDescription.xml", old, new)
    assert component_of(load(changed)) is None
    system = System("step response")
    system.add("it", changed)
    system.drive("it.u", 1.0)
    assert system.simulate(1.0, rtol=1e-9)["it.y"][-1] == pytest.approx(1 - math.exp(-1), abs=1e-8)
