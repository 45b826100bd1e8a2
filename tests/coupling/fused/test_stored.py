"""Stages in the cache: arrays and JSON that give back what was stored, to the type and the bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import System
from coupling.fused import coded, kept, open_equations, open_loops
from coupling.fused.stored import restored, stored
from coupling.fused.taped import Stages
from coupling.fused.written import as_c, as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.options import Run
from coupling.plan.build import Built
from coupling.plan.graph import Address
from coupling.simulate import Simulator
from tests.support.systems import kept as runs
from tests.support.systems import seven_bodies


def check_same(found: Any, expected: Any) -> None:
    """Compares types, values, the order of mappings, and bits of arrays."""
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert (
            found.dtype == expected.dtype
            and found.shape == expected.shape
            and found.tobytes() == expected.tobytes()
            and found.flags.writeable
        )
    elif is_dataclass(expected):
        for each in fields(expected):
            check_same(getattr(found, each.name), getattr(expected, each.name))
    elif isinstance(expected, dict):
        check_same(list(found), list(expected))
        check_same(list(found.values()), list(expected.values()))
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    else:
        assert found == expected


def built_of(system: System) -> Built:
    return Simulator(system.definition).prepare(Run(stop_time=1.0))


@pytest.mark.parametrize("make", [runs.zone, runs.enforced, seven_bodies.system])
def test_stages_come_back_as_they_were(make: Callable[[], System]) -> None:
    """Tapes, C, slopes and open equations."""
    built = built_of(make())
    made = Stages(built)
    for each in (made.written(as_tapes), made.written(as_c), open_loops.slopes(built), open_equations.open_equations(built)):
        check_same(restored(stored(each)), each)


def test_all_kinds_of_values() -> None:
    """Short and long lists, tables, enumerations, names, sets, empty ones, numbers that are not finite."""
    values = [
        *([], (), {}, set(), frozenset(), [1, 2.5, None, "a", True], (1, "a"), [(1, "a"), (2, "b")], [(1,), (2, 3)], [[1], (2,)]),
        *(list(range(99)), tuple(range(99)), [(i, -i) for i in range(99)], {*range(99)}, {(i, i): i for i in range(20)}),
        *([Stage.AFTER, Stage.SOLVE], {Stage.AFTER: np.arange(3.0)}, [Address(1, 0, 2)], {Address(1, 0, 2): 5}, [True] * 20, [2.5] * 20),
        *(np.zeros((0, 3)), np.arange(6, dtype=np.int32).reshape(2, 3), np.array([np.nan, np.inf])),
    ]
    check_same(restored(stored(values)), values)
    with pytest.raises(TypeError, match="cannot be stored"):
        stored([object()])


def test_what_lies_in_the_cache_is_no_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A structure is read from the cache as it was made, and reading it needs no code."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path))
    monkeypatch.setattr(kept, "_known", {})
    built = built_of(runs.zone())
    made = coded.tapes_of(built)
    (file,) = tmp_path.rglob("stages")
    assert b'{"class":["Taped"' in file.read_bytes()[:40]
    monkeypatch.setattr(kept, "_known", {})
    with monkeypatch.context() as there:
        there.setattr(coded, "Stages", lambda *given: None)  # it is not lowered again
        check_same(coded.tapes_of(built), made)
