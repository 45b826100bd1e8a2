"""Generated C against the same graphs in NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coupling import kernel
from coupling.fused import c_code, c_loops
from coupling.fused.c_code import CSource, c_source
from coupling.fused.c_loops import TooManyShapes, loops_source
from coupling.fused.expressions import Op
from fmu_components.export.compile import PLATFORMS
from tests.support.fused.graphs import Staged, every_operation, in_c, links, misfit, rows_of_owners, turning


def straight(staged: Staged) -> CSource:
    return c_source(staged.graph, staged.stages, staged.kept, staged.slot_of_leaf, staged.first_free)


def loops(staged: Staged) -> CSource:
    return loops_source(staged.graph, staged.stages, staged.kept, staged.slot_of_leaf, staged.first_free, staged.owner.__getitem__)


WRITERS = {"straight": straight, "loops": loops}


@pytest.mark.parametrize("writer", WRITERS)
def test_every_operation_gives_what_numpy_gives(writer, monkeypatch):
    """Chunks of few statements make most operands come from other functions; NaN agrees as well."""
    monkeypatch.setattr(c_code, "CHUNK", 7)
    staged = every_operation()
    source = WRITERS[writer](staged)
    random = np.random.default_rng(1)
    for _ in range(5):
        assert misfit(staged, in_c(staged, source, random.uniform(-1.5, 1.5, staged.first_free - 1))) <= 1e-13


@pytest.mark.parametrize("count", [23, 150])
def test_several_owners_at_once_have_what_numpy_gives(count):
    """The code serves owners side by side, every second one, and one for all. Angles are near multiples of a right one, huge, or not
    finite."""
    staged = rows_of_owners(count)
    source = loops(staged)
    assert "several" in source.text
    random = np.random.default_rng(1)
    values = random.uniform(-1.5, 1.5, staged.first_free)
    assert misfit(staged, in_c(staged, source, values)) <= 1e-13
    values[::7], values[1::7] = np.pi / 2 * random.integers(-9, 9, len(values[::7])), 10.0 ** random.uniform(-9, 9, len(values[1::7]))
    values[4::35], values[6::42] = np.inf, np.nan
    assert misfit(staged, in_c(staged, source, values)) <= 1e-13


@pytest.mark.parametrize(("count", "other"), [(4, 5), (40, 170)])
def test_what_repeats_is_written_once(count, other):
    """The text contains no number of owners; the places of their operands are data."""
    staged = links(count)
    source = loops(staged)
    assert source.text == loops(links(other)).text
    values = np.random.default_rng(1).uniform(-1.5, 1.5, 2 * count)
    (expected,) = staged.graph.evaluate(staged.kept, lambda op, number: values[2 * number + (op is Op.PARAMETER)])
    assert in_c(staged, source, values)[staged.kept[0]] == pytest.approx(float(expected), rel=1e-13)


def test_too_many_shapes_are_no_loops(monkeypatch):
    monkeypatch.setattr(c_loops, "MOST_SHAPES", 3)
    with pytest.raises(TooManyShapes):
        loops(every_operation())


WRITE = """
import sys
from coupling.fused.c_code import c_source
from coupling.fused.c_loops import loops_source
from fmu_components.export.compile import PLATFORMS
from tests.support.fused.graphs import every_operation
s = every_operation()
told = s.graph, s.stages, s.kept, s.slot_of_leaf, s.first_free
print(c_source(*told).text + loops_source(*told, s.owner.__getitem__).text)
"""


def test_the_text_does_not_depend_on_the_order_of_hashes():
    """Processes that hash words otherwise write the same bytes."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    told = subprocess.run(
        [sys.executable, "-c", WRITE], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    staged = every_operation()
    assert told.stdout == straight(staged).text + loops(staged).text + "\n"


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_angles_that_are_known_at_first_are_turned_in_one_call(count):
    """They are turned in one call, whatever stands between them. Angles that follow from them are turned where they are known, and two
    angles take at most two calls."""
    staged = turning(count)
    source = straight(staged)
    assert source.text.count("    angles(") == (count >= 3)
    values = np.random.default_rng(1).uniform(-9, 9, count)
    assert misfit(staged, in_c(staged, source, values)) <= 3e-16


@pytest.mark.parametrize("four_at_once", [False, True])
def test_angles_are_turned_by_the_library_unless_there_is_more_before(four_at_once):
    """Compiled systems and exports have coupling/kernel/tapes/angles.h there; then a compiler sees nothing of what the text brings along."""
    before = (Path(kernel.__file__).parent / "tapes" / "angles.h").read_text() if four_at_once else ""
    preprocessor = [PLATFORMS["linux64"].required_compiler(), "-E", "-P", "-x", "c", "-"]
    seen = subprocess.run(preprocessor, input=before + straight(turning(5)).text, capture_output=True, text=True, check=True).stdout
    assert seen.count("void angles(int count") == seen.count("    angles(5, ") == 1
    assert ("vector_size" in seen) == four_at_once
