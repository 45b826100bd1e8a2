"""FMUs of the catalogue are found by name, without their declarations, as long as nothing has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coupling import System
from fmu_components.catalogue import find
from fmu_components.export import known
from fmu_components.export.build import cached_fmu
from fmu_components.export.known import known_fmu, note_fmu
from tests.fuzz.trials import offences

GAIN = "signal.Gain"
RUN = """
import sys
from jourdain import System
system = System()
system.add("gain", "signal.Gain", {"k": 2.0})
system.drive("gain.u", 3.0)
result = system.simulate(1.0)
print(result["gain.y"][-1], *(name for name in ("sympy", "fmpy", "scipy.sparse", "matplotlib") if name in sys.modules))
"""


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A component in a cache of its own."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path))
    path = cached_fmu(find(GAIN), 3)
    assert known_fmu(GAIN, 3) is None
    note_fmu(GAIN, 3, path)
    assert known_fmu(GAIN, 3) == path
    return path


@pytest.mark.slow
def test_a_second_process_imports_no_package_that_it_does_not_use(tmp_path: Path) -> None:
    """The result is the same: 2 * 3."""
    environment = {**os.environ, "JOURDAIN_CACHE": str(tmp_path)}
    for loaded in ("sympy", ""):
        told = subprocess.run([sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True)
        assert told.stdout.split() == ["6.0", *loaded.split()]


@pytest.mark.slow
def test_another_version_is_not_that_one(noted: Path) -> None:
    assert known_fmu(GAIN, 2) is None and known_fmu("signal.Gains", 3) is None and known_fmu("a/b\0", 3) is None


def test_a_damaged_file_is_not_taken(noted: Path) -> None:
    content = noted.read_bytes()
    noted.write_bytes(content[:-200] + bytes(200))
    assert known_fmu(GAIN, 3) is None
    noted.unlink()
    assert known_fmu(GAIN, 3) is None


def test_another_compiler_makes_its_own(noted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one with another name, or another file of the same name."""
    other = tmp_path / "other-gcc"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("CC", str(other))
    assert known_fmu(GAIN, 3) is None
    note_fmu(GAIN, 3, noted)
    assert known_fmu(GAIN, 3) == noted
    other.write_text("#!/bin/sh\nexit 0\n")
    assert known_fmu(GAIN, 3) is None


def test_a_changed_source_makes_another(noted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any file of the package counts, and its time of change is enough."""
    package = tmp_path / "package"
    package.mkdir()
    source = package / "Gain.py"
    source.write_text("k = 1\n")
    monkeypatch.setattr(known, "_PACKAGE", package)
    known._state.cache_clear()
    try:
        note_fmu(GAIN, 3, noted)
        assert known_fmu(GAIN, 3) == noted
        source.write_text("k = 2\n")
        os.utime(source, ns=(1, 1))
        known._state.cache_clear()
        assert known_fmu(GAIN, 3) is None
    finally:
        known._state.cache_clear()


def test_a_cache_that_cannot_be_written_notes_nothing(noted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes on all the same."""
    monkeypatch.setattr(known.kept, "write", lambda *_: (_ for _ in ()).throw(OSError("read-only")))
    note_fmu(GAIN, 2, noted)
    assert known_fmu(GAIN, 2) is None


# The system lets only root change an owner; test_kept.py replaces os.stat for other users.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_the_note_of_another_user_is_not_read(noted: Path, tmp_path: Path) -> None:
    (note,) = tmp_path.glob("catalogue-*")
    os.chown(note, 54321, 54321)
    assert known_fmu(GAIN, 3) is None


@pytest.mark.every_case
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_is_not_read(kind: str, noted: Path, tmp_path: Path) -> None:
    """Neither in the place of a note, of an FMU, nor of a lock of an unpacked one; each trial is a process that may hang."""
    System().add("it", noted)

    def trial(seed: int) -> str:
        for path in [each for each in tmp_path.rglob("*") if each.is_file()]:
            path.parent.chmod(0o755)
            path.unlink()
            os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
        if known_fmu(GAIN, 3) is not None:
            return "it was taken"
        system = System()
        system.add("gain", cached_fmu(find(GAIN), 3))
        return "" if system.simulate(0.1).outcome.completed else "it does not run"

    assert list(offences(trial, [0])) == []
