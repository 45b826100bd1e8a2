"""Folders of processes that are no more are removed by the next one; those of processes that live are not."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from coupling.fmus.cache import own_folder
from fmu_components.export import kept, leftovers


def holder(cache: Path) -> tuple[int, list[Path]]:
    """A process that lives on, and its folders: unpacked files, a scratch folder of a build, an entry of the cache that is not finished."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        build = leftovers.scratch()
        folders = [own_folder("machine", lambda folder: (folder / "binary").touch()), build.__enter__(), cache / f".entry-{os.getpid()}"]
        folders[-1].mkdir()
        leftovers.hold(folders[-1])
        os.write(writing, (" ".join(map(str, folders)) + "\n").encode())
        signal.pause()
    os.close(writing)
    with open(reading) as pipe:
        return child, [Path(each) for each in pipe.readline().split()]


def aged(*folders: Path) -> None:
    """Sets the times of folders as if they had been made a minute ago."""
    for each in folders:
        os.utime(each, (time.time() - 60,) * 2)


def test_of_three_processes_one_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newcomer removes the three folders of the one that was killed, and no other."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache = tmp_path / "cache"
    cache.mkdir()
    processes = [holder(cache) for _ in range(3)]
    try:
        killed, its = processes[1]
        os.kill(killed, signal.SIGKILL)
        os.waitpid(killed, 0)
        folders = [each for _, three in processes for each in three]
        assert len(folders) == 9 and all(each.is_dir() for each in folders)
        aged(*folders)
        leftovers.sweep(tmp_path, leftovers.PREFIX)
        leftovers.sweep(cache, ".")
        assert [each for each in folders if not each.exists()] == its
    finally:
        for process, _ in (processes[0], processes[2]):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def test_a_fresh_folder_may_not_have_been_locked_yet(tmp_path: Path) -> None:
    fresh, old = tmp_path / "jourdain-fresh", tmp_path / "jourdain-old"
    fresh.mkdir()
    old.mkdir()
    aged(old)
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert fresh.is_dir() and not old.exists()


def test_what_is_no_folder_of_ours_stays(tmp_path: Path) -> None:
    """A file, and a link to a folder that has what somebody needs."""
    (tmp_path / "jourdain-file").touch()
    (tmp_path / "needed").mkdir()
    (tmp_path / "jourdain-link").symlink_to(tmp_path / "needed")
    aged(tmp_path / "jourdain-file", tmp_path / "needed")
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["jourdain-file", "jourdain-link", "needed"]


def test_a_process_sweeps_before_it_makes_its_first_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that outlives its parent keeps the parent's folder, whose files it may be using."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "_swept", set())
    (tmp_path / "jourdain-left").mkdir()
    aged(tmp_path / "jourdain-left")
    folder = leftovers.own("machine")
    assert list(tmp_path.iterdir()) == [folder]
    aged(folder)
    child = os.fork()
    if not child:
        signal.pause()
    leftovers.release(folder)
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert folder.is_dir()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    assert not folder.exists()


def test_file_systems_without_locks_go_by_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(leftovers.fcntl, "flock", refused)
    recent, old = tmp_path / "jourdain-recent", tmp_path / "jourdain-old"
    for folder, days in ((recent, 6), (old, 8)):
        folder.mkdir()
        os.utime(folder, (time.time() - days * 86400,) * 2)
    leftovers.hold(recent)
    leftovers.sweep(tmp_path, leftovers.PREFIX)
    leftovers.release(recent)
    assert recent.is_dir() and not old.exists()
    with leftovers.scratch() as scratch:
        assert scratch.is_dir()


def test_a_killed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build is killed while it compiles and while it writes into the cache. The next build removes both leftovers, and no file in use."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache = tmp_path / "cache" / "objects"
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        cache.mkdir(parents=True)
        with leftovers.scratch(), leftovers.replaced(cache / "model.o"):
            os.write(writing, b"there\n")
            signal.pause()
    os.close(writing)
    with open(reading) as pipe:
        assert pipe.readline() == "there\n"
    left = [*tmp_path.glob("jourdain-*"), *cache.iterdir()]
    assert len(left) == 2

    def build() -> None:
        aged(*tmp_path.glob("jourdain-*"))
        monkeypatch.setattr(leftovers, "_swept", set())
        monkeypatch.setattr(kept, "_cleaned", set())
        with leftovers.scratch():
            kept.write(cache / "other.o", b"")

    build()
    assert all(each.exists() for each in left)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    build()
    assert [*tmp_path.iterdir(), *cache.iterdir()] == [tmp_path / "cache", cache / "other.o"]
