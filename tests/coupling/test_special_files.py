"""Devices and pipes in place of files: they are refused by a sentence, and no reader waits for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from coupling import Result, System
from tests.fuzz.trials import offences
from tests.support.systems.systems import refusal

READERS: dict[str, Callable[[Path], object]] = {
    ".jrd": Result.load,
    ".ssp": System.from_ssp,
    ".ckpt": System.resume,
    ".fmu": lambda path: System().add("it", path),
}


@pytest.mark.every_case
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("suffix", READERS)
def test_what_is_no_file_is_not_read(suffix: str, kind: str, tmp_path: Path) -> None:
    """A pipe that nobody writes to, and a device without an end; each trial is a process that may hang."""
    path = tmp_path / f"it{suffix}"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    wanted = "is a device, a pipe or a socket, and no file"

    def trial(seed: int) -> str:
        try:
            said = refusal(lambda: READERS[suffix](path))
        except OSError as error:
            said = str(error)
        return "" if wanted in said else said

    assert list(offences(trial, [0], seconds=20)) == []
