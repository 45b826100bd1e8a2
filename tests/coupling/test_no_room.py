"""Files, folders and processes that the operating system refuses: each refusal is a sentence with place and remedy, and leaves nothing behind."""

from __future__ import annotations

import builtins
import errno
import gc
import io
import os
import resource
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count as counter
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from coupling import BuildError, Checkpoint, Isolation, Result, StartError, System
from coupling.fmus import FmuError, load
from coupling.fmus.cache import own_folder
from coupling.fused import compiled
from coupling.sweep import sweep
from fmu_components.export.compile import ExportError
from tests.support import foreign
from tests.support.kernel.processes import children
from tests.support.systems.systems import pendulum, refusal

REMEDIES = {
    errno.ENOSPC: "make room there",
    errno.EDQUOT: "make room there",
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
    errno.EMFILE: "close files, or raise the limit of open files (ulimit -n)",
    errno.EROFS: "",
    errno.EACCES: "",
}
"""Parts of the remedies by error; of a folder that refuses everything it is another place alone."""


@contextmanager
def refusing(folder: Path, number: int) -> Iterator[None]:
    """Refuses all files and folders that are made inside a folder."""

    def guard(function: Callable[..., Any], is_written: Callable[..., bool]) -> Callable[..., Any]:
        def guarded(path: Any, *given: Any, **named: Any) -> Any:
            inside = isinstance(path, str | os.PathLike) and Path(os.path.abspath(path)).is_relative_to(folder)
            if inside and is_written(*given, **named):
                raise OSError(number, os.strerror(number), os.fspath(path))
            return function(path, *given, **named)

        return guarded

    by_mode = guard(io.open, lambda mode="r", *_, **__: bool(set(mode) & set("wax+")))
    by_flags = guard(os.open, lambda flags, *_, **__: bool(flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)))
    always = guard(os.mkdir, lambda *_, **__: True)
    with (
        patch.object(io, "open", by_mode),
        patch.object(builtins, "open", by_mode),
        patch.object(os, "open", by_flags),
        patch.object(os, "mkdir", always),
    ):
        yield


@pytest.fixture(scope="module")
def system() -> System:
    return pendulum()


@pytest.fixture(scope="module")
def result(system: System) -> Result:
    """A run, after which all modules and cached files are there that others need."""
    import matplotlib.pyplot  # noqa: F401

    return system.simulate(0.1)


def lag() -> System:
    system = System()
    system.add("lag", "signal.StateSpace1")
    return system


PLACES: dict[str, Callable[[System, Result, Path], object]] = {
    "run.jrd": lambda system, result, path: result.save(path),
    "run.csv": lambda system, result, path: result.to_csv(path),
    "run.mat": lambda system, result, path: result.to_mat(path),
    "run.html": lambda system, result, path: result.animate(path),
    "run.svg": lambda system, result, path: result.picture(0.0, path),
    "plot.png": lambda system, result, path: result.plot("rod.theta", path=path),
    "system.svg": lambda system, result, path: system.diagram(path),
    "step.png": lambda system, result, path: lag().linearise(inputs=["lag.u"]).step_response().plot(path),
    "system.ssp": lambda system, result, path: system.to_ssp(path),
    "system.fmu": lambda system, result, path: system.export_fmu(path),
    "rows.jrd": lambda system, result, path: system.simulate(0.1, record_to=path),
    "run.ckpt": lambda system, result, path: system.simulate(0.1, checkpoint=Checkpoint(path=path)),
    "runs": lambda system, result, path: sweep(system, {"rod.m": [1.0]}, stop_time=0.0, folder=path),
    "table.csv": lambda system, result, path: sweep(system, {"rod.m": [1.0]}, stop_time=0.0).to_csv(path),
}


@pytest.mark.parametrize("number", REMEDIES, ids=errno.errorcode.get)
@pytest.mark.parametrize("name", PLACES)
def test_files_of_users(name: str, number: int, system: System, result: Result, tmp_path: Path) -> None:
    """Each kind of file, refused for each reason."""
    with refusing(tmp_path, number):
        sentence = refusal(lambda: PLACES[name](system, result, tmp_path / name), (OSError, ValueError))
    assert str(tmp_path / name) in sentence and os.strerror(number) in sentence and "\n" not in sentence
    assert (REMEDIES[number] or "choose another path") in sentence.split("; ", 1)[1]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", REMEDIES, ids=errno.errorcode.get)
def test_unpacked_files(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache and the temporary folder are refused."""
    path = tmp_path / "own.fmu"
    path.write_bytes(foreign.gain(2).read_bytes())
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with zipfile.ZipFile(path, "a") as fmu:  # of a content that no other test has unpacked
        fmu.writestr("resources/own.txt", tmp_path.name)
    with refusing(tmp_path, number):
        sentence = refusal(lambda: load(path).library("me"), FmuError)
    assert os.strerror(number) in sentence and (REMEDIES[number] or "name another folder") in sentence
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", REMEDIES, ids=errno.errorcode.get)
def test_compiled_code(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the temporary folder, and not the compiler."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with refusing(tmp_path, number), pytest.raises((compiled.NotCompiled, OSError)) as raised:
        compiled.functions(f"/* {tmp_path} */ double jourdain_f(void) {{ return 1; }}", ["f"])
    assert str(tmp_path) in str(raised.value) and os.strerror(number) in str(raised.value)
    assert (REMEDIES[number] or "environment variable") in str(raised.value) and not list(tmp_path.iterdir())


@contextmanager
def limited(kind: int, value: int) -> Iterator[None]:
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


def taken() -> int:
    """Returns the bytes of address space that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def files() -> int:
    return len(os.listdir("/proc/self/fd")) - 1


def room_for(count: int) -> int:
    """The limit that leaves so many descriptors free: it counts numbers, of which some below the last may be free."""
    opened = {int(each) for each in os.listdir("/proc/self/fd") if Path("/proc/self/fd", each).exists()}
    return next(islice((number for number in counter() if number not in opened), count, None))


_OPEN = "close files, or raise the limit of open files (ulimit -n)"
_SHARED = "raise these limits (ulimit -v, ulimit -f)"


@pytest.mark.parametrize(
    ("process", "kind", "value", "remedy"),
    [
        (None, resource.RLIMIT_NOFILE, lambda: room_for(2), _OPEN),
        ("own", resource.RLIMIT_NOFILE, lambda: room_for(2), _OPEN),
        (None, resource.RLIMIT_FSIZE, lambda: 2**20, _SHARED),
        (None, resource.RLIMIT_AS, lambda: 2**26, _SHARED),
    ],
    ids=["descriptors", "descriptors of a guard", "size", "address space"],
)
def test_processes(process: str | None, kind: int, value: Callable[[], int], remedy: str, result: Result) -> None:
    """A process for a run, or for an FMU, cannot be started; nothing stays open, and the next run has its process."""
    system, isolation = System(), Isolation(which="none" if process else "all")
    system.add("rod", "planar.Body1", process=process)
    system.build()
    opened, alive = files(), children()
    with limited(kind, value()):
        sentence = refusal(lambda: system.simulate(0.0, isolate=isolation), (StartError, BuildError))
    assert remedy in sentence and files() == opened and children() == alive
    assert system.simulate(0.0, isolate=isolation).outcome.completed


@pytest.mark.parametrize(
    ("kind", "value"),
    [(resource.RLIMIT_AS, lambda: taken() + 2**31), (resource.RLIMIT_FSIZE, lambda: 2**28)],
    ids=["address space", "size"],
)
def test_a_limit_that_suffices(kind: int, value: Callable[[], int], result: Result) -> None:
    """A run in another process needs no more address space than the limit leaves, and has the same bits."""
    with limited(kind, value()):
        found = pendulum().simulate(0.1, isolate="all")
    assert found.outcome.completed and (found.values == result.values).all()


def test_no_semaphores(system: System) -> None:
    """Without /dev/shm there are no processes for a sweep; the sentence says so, and threads are offered."""

    def missing(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    gc.collect()
    opened = files()
    with patch("multiprocessing.synchronize._multiprocessing.SemLock", missing):
        sentence = refusal(lambda: sweep(system, {"rod.m": [1.0, 2.0]}, stop_time=0.0, executor="processes"))
    assert sentence == (
        "the processes of the sweep cannot be started: Function not implemented; make '/dev/shm' a folder that you may write to, or choose 'threads'"
    )
    gc.collect()
    assert files() == opened


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder on a file system of 1 MiB, which a file fills."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True).returncode:
        # Only root may mount one, and not in every container; limits of a file's size show the same sentences above.
        pytest.skip("a small file system cannot be mounted here")
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    try:
        with suppress(OSError), open(disk / "fill", "wb", 0) as fill:
            while True:
                fill.write(b"0" * 4096)
        yield disk
        assert [each.name for each in disk.iterdir()] == ["fill"]
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_temporary_folder(system: System, full_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names it, and not the cache, which has room. Nothing incomplete stays."""
    where = "No space left on device; make room there, or name another folder in the environment variable TMPDIR"
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    sentence = refusal(lambda: system.export_fmu(tmp_path / "it.fmu"), ExportError)
    assert sentence.startswith(f"the FMU of 'pendulum' cannot be kept in '{full_disk}/jourdain-build-") and sentence.endswith(where)
    assert not list(tmp_path.rglob("*.part")) and not (tmp_path / "it.fmu").exists()

    def fill(folder: Path) -> None:
        (folder / "wheel.fmu").write_bytes(bytes(2**21))

    sentence = refusal(lambda: own_folder("wheel", fill), FmuError)
    assert sentence == f"'wheel' cannot be unpacked into the temporary folder '{full_disk}': {where}"


def test_threads_beside_a_full_temporary_folder(full_disk: Path) -> None:
    """Runs of several systems at the same time need no room there, in this process or in others, and have the bits of each alone."""
    masses = (1.0, 1.5, 2.0, 3.0)

    def run(mass: float, isolate: str) -> np.ndarray:
        return pendulum(m=mass).simulate(0.2, isolate=isolate).values

    for isolate in ("none", "all"):
        with ThreadPoolExecutor(len(masses)) as pool:
            together = list(pool.map(partial(run, isolate=isolate), masses))
        assert all(np.array_equal(found, run(mass, "none")) for mass, found in zip(masses, together, strict=True))
