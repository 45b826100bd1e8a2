"""Files that are written: what was begun and could not be finished is not left behind."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from coupling import Result
from coupling.files import written
from fmu_components.export.leftovers import open_part, remove_parts
from tests.support.systems.systems import pendulum, refusal


@pytest.fixture(scope="module")
def result() -> Result:
    return pendulum().simulate(1.0)


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """Loads libraries before sizes are limited: Python would keep their compiled files cut."""
    import matplotlib.pyplot  # noqa: F401


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Limits the size of files, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("name", ["run.csv", "run.mat", "run.html", "run.png"])
def test_what_was_begun_is_removed(name: str, there: bool, result: Result, tmp_path: Path) -> None:
    path = tmp_path / name
    write = {
        ".csv": result.to_csv,
        ".mat": result.to_mat,
        ".html": result.animate,
        ".png": lambda path: result.plot("rod.theta", path=path),
    }
    if there:
        path.write_text("older")
    with limited(1000):
        sentence = refusal(lambda: write[path.suffix](path), OSError)
    assert f"cannot be written to '{path}': File too large; raise the limit of a file's size (ulimit -f)" in sentence
    assert not list(tmp_path.iterdir())


def test_a_file_that_was_not_begun_stays(result: Result, tmp_path: Path) -> None:
    """The file may not be opened, or is first saved beside it."""
    path = tmp_path / "run.jrd"
    result.save(path)
    before = path.read_bytes()
    with pytest.raises(OSError, match="Permission denied; choose another path"), written(path):
        raise PermissionError(13, "Permission denied")
    with limited(1000), pytest.raises(OSError, match="File too large"):
        result.save(path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_of_a_link_the_file_is_removed(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "run.csv")
    with pytest.raises(OSError, match="No space left"), written(tmp_path / "link.csv"):
        (tmp_path / "link.csv").write_text("begun")
        raise OSError(28, "No space left on device")
    assert [each.name for each in tmp_path.iterdir()] == ["link.csv"]


def test_a_part_has_a_name_that_cannot_be_foretold(tmp_path: Path) -> None:
    """Existing files and links are not opened, and the permissions are those of any new file."""
    (first, one), (second, other) = open_part(tmp_path / "run.jrd"), open_part(tmp_path / "run.jrd")
    plain = tmp_path / "plain"
    plain.touch()
    assert first != second and first.stat().st_mode == second.stat().st_mode == plain.stat().st_mode
    for file in (one, other):
        os.close(file)
    victim = tmp_path / "victim"
    victim.write_text("kept")
    with patch("fmu_components.export.leftovers.secrets.token_hex", return_value="0" * 12):
        (tmp_path / f".run.jrd.{'0' * 12}.part").symlink_to(victim)
        with pytest.raises(FileExistsError):
            open_part(tmp_path / "run.jrd")
    assert victim.read_text() == "kept"


def test_parts_are_removed_by_their_locks(tmp_path: Path) -> None:
    """Parts of processes that are gone are removed, parts in use stay, and odd names beside them do not matter."""
    (held, file), (left, other) = open_part(tmp_path / "run.jrd"), open_part(tmp_path / "run.jrd")
    os.close(other)
    odd = [tmp_path / name for name in (".run.jrd.1.part", ".run.jrd.0123456789ag.part", ".run.jrd..part", ".run.jrd.\udcff.part")]
    for path in odd:
        path.touch()
    linked = tmp_path / f".run.jrd.{'a' * 12}.part"
    linked.symlink_to(odd[0])
    os.mkfifo(tmp_path / f".run.jrd.{'b' * 12}.part")
    remove_parts(tmp_path, "run.jrd")
    assert held.exists() and not left.exists() and all(path.exists() for path in (*odd, linked))
    os.close(file)
