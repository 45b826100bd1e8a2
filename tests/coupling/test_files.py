"""Files that are written: what was begun and could not be finished is not left behind."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coupling import Result
from coupling.files import written
from tests.support.systems.systems import pendulum, refusal


@pytest.fixture(scope="module")
def result() -> Result:
    return pendulum().simulate(1.0)


@contextmanager
def limited(size: int) -> Iterator[None]:
    """No file may be larger, as on a disk that is full."""
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
    assert f"cannot be written to '{path}': File too large; choose another path" in sentence
    assert not list(tmp_path.iterdir())


def test_a_file_that_was_not_begun_stays(result: Result, tmp_path: Path) -> None:
    """Such as one that may not be opened, or one that is saved beside first."""
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
