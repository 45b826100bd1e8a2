"""Checkpoints that were made to do harm, with checksums that are right: other files, other counts, objects in the place of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import Checkpoint, System, checkpoint_file
from coupling.errors import ResultError
from tests.fuzz.trials import offences
from tests.support.systems import kept
from tests.support.systems.systems import pendulum, refusal


@pytest.mark.parametrize("other", ["a text", "another system", "fewer rows", "no checksum"])
def test_a_checkpoint_that_names_another_file(other: str, tmp_path: Path) -> None:
    """The run goes on with the rows that are its own, and no other file is replaced."""
    rows, path = tmp_path / "run.jrd", tmp_path / "last.ckpt"
    pendulum().simulate(0.2, record_to=rows, checkpoint=Checkpoint(path=path, interval=1e9))
    head, blocks = checkpoint_file.read(path)
    named = tmp_path / ("notes.txt" if other == "a text" else "other.jrd")
    kept.by_table().simulate(0.2).save(tmp_path / "other.jrd")
    if other == "a text":
        named.write_text("what nobody may overwrite")
    told = head["rows"] | {"path": str(named), "count": 0, "first": 0, "checksum": None}
    if other in ("fewer rows", "no checksum"):
        named = rows
        told = head["rows"] | ({"count": 1, "checksum": 0} if other == "fewer rows" else {"checksum": None})
    before = named.read_bytes()
    checkpoint_file.write(path, {key: value for key, value in head.items() if key != "blocks"} | {"rows": told}, blocks)
    with pytest.raises(ResultError, match=r"is not the file of rows that the checkpoint names|has other rows than the checkpoint"):
        System.resume(path, stop_time=0.3)
    assert named.read_bytes() == before


def _resumed(path: Path) -> str:
    """Returns how a resumed run is refused; empty if it goes on."""
    try:
        System.resume(path, stop_time=0.3)
    except ResultError as error:
        return str(error)
    return ""


@pytest.mark.every_case
@pytest.mark.parametrize("piecewise", [False, True])
def test_a_checkpoint_that_does_not_name_its_rows(piecewise: bool, tmp_path: Path) -> None:
    """Its state has the number of rows in a file; without one the run is refused, and writes nothing beyond its memory."""
    path = tmp_path / "last.ckpt"
    if piecewise:
        with pendulum().start(record_to=tmp_path / "run.jrd", checkpoint=path) as run:
            run.advance(0.2)
    else:
        pendulum().simulate(0.2, record_to=tmp_path / "run.jrd", checkpoint=path)
    head, blocks = checkpoint_file.read(path)
    left = {key: value for key, value in head.items() if key != "blocks"}
    for changed, why in (({"rows": None}, "has the state of another system"), ({"interval": -np.inf}, "(interval = -inf)")):
        checkpoint_file.write(path, left | changed, blocks)
        assert list(offences(lambda seed, wanted=why: "" if wanted in _resumed(path) else "it was not refused", [0], 20)) == []  # type: ignore[misc]


@pytest.mark.parametrize("value", [{"class": "Run"}, {"class": "ConstantDrive", "value": 1.0}, [1.0], None])
def test_a_checkpoint_whose_start_value_is_no_value(value: Any, tmp_path: Path) -> None:
    """Objects of a file are made by name; one that is incomplete, or no value, is refused like other damage."""
    path = tmp_path / "last.ckpt"
    pendulum().simulate(0.05, checkpoint=Checkpoint(path=path, interval=1e9))
    head, blocks = checkpoint_file.read(path)
    said = {name: each for name, each in head.items() if name != "blocks"} | {"values": [[1, "m", value]]}
    checkpoint_file.write(path, said, blocks)
    assert "has not the content that this Jourdain expects" in refusal(lambda: System.resume(path, stop_time=0.1), ResultError)
