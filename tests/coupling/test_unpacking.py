"""Unpacking of FMUs: once for all processes, apart where they may write, and the cleaning of leftovers."""

from __future__ import annotations

import gc
import multiprocessing
import os
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from coupling.fmus import Fmu, FmuError, cache, load
from coupling.fmus.cache import Sharing

DESCRIPTION = '<fmiModelDescription fmiVersion="{fmi}" modelName="m" {token}="g"><{tag} modelIdentifier="m" {more}/></fmiModelDescription>'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "fmus"


def written(path: Path, files: Mapping[str, str] | None = None, more: str = "", fmi: int = 3) -> Path:
    token = "instantiationToken" if fmi == 3 else "guid"
    description = DESCRIPTION.format(fmi=f"{fmi}.0", token=token, tag="CoSimulation", more=more)
    folders = ("linux64", "x86_64-linux", "aarch64-linux", "win64", "x86_64-windows", "darwin64", "x86_64-darwin", "aarch64-darwin")
    binaries = {f"binaries/{each}/m.{ending}": path.name for each in folders for ending in ("so", "dll", "dylib")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {"modelDescription.xml": description, **binaries, **(files or {})}.items():
            archive.writestr(name, content)
    return path


def entries(folder: Path) -> list[Path]:
    return [entry for platform in folder.iterdir() for entry in platform.iterdir()]


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    """It names the content, wherever the file lies; it is not asked of a file that has changed."""
    path = written(tmp_path / "m.fmu")
    fmu = load(path)
    path_of_digest = load(path)
    assert path_of_digest is fmu and fmu.sha256 == sha256(path.read_bytes()).hexdigest()
    other = load(written(tmp_path / "n.fmu"))
    written(tmp_path / "n.fmu", {"more": ""})
    with pytest.raises(FmuError, match=r"n\.fmu' has changed since it was read; load it again"):
        _ = other.sha256


def test_an_entry_is_shared_and_read_only(tmp_path: Path, folder: Path) -> None:
    """It has the name of the digest, holds nothing that can be written, and no other folder is left beside it."""
    fmu = load(written(tmp_path / "m.fmu"))
    library = fmu.library("cs")
    assert library == load(fmu.path).library("cs")
    (entry,) = entries(folder)
    assert entry.name == fmu.sha256 and library.is_relative_to(entry)
    assert not any(stat.S_IMODE(each.stat().st_mode) & 0o222 for each in (entry, *entry.rglob("*")))


def test_fmi_2_finds_a_folder_of_resources(tmp_path: Path, folder: Path) -> None:
    """The folder is empty and read-only."""
    fmu = load(written(tmp_path / "m.fmu", fmi=2))
    address = fmu.resources
    (entry,) = entries(folder)
    assert fmu.sharing is Sharing.MACHINE and address == (entry / "resources").as_uri()
    assert (entry / "resources").is_dir()


def library_in_another_process(path: str) -> str:
    return str(load(path).library("cs"))


@pytest.mark.slow
def test_many_processes_at_once_unpack_once(tmp_path: Path, folder: Path) -> None:
    """The first process makes the entry; the others use it."""
    path = written(tmp_path / "m.fmu")
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = set(pool.map(library_in_another_process, [str(path)] * 8, chunksize=1))
    assert found == {str(load(path).library("cs"))} and len(entries(folder)) == 1


def test_a_process_that_is_killed_leaves_the_entry_alone(tmp_path: Path, folder: Path) -> None:
    """It stays for others, and nothing holds it any more."""
    path = written(tmp_path / "m.fmu")
    script = f"import os; from coupling.fmus import load; load({str(path)!r}).library('cs'); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    (entry,) = entries(folder)
    cache._clean(entry.parent)
    assert entries(folder) == [entry]


@pytest.mark.parametrize(
    ("files", "more", "sharing"),
    [
        ({}, "", Sharing.MACHINE),
        ({"extra/org.tool/notes.txt": "1", "documentation/index.html": ""}, "", Sharing.MACHINE),
        ({"resources/table.csv": "1"}, "", Sharing.PROCESS),
        ({}, 'needsExecutionTool="true"', Sharing.PROCESS),
    ],
)
def test_who_may_write_gets_a_folder_of_the_process(
    tmp_path: Path, folder: Path, files: dict[str, str], more: str, sharing: Sharing
) -> None:
    """An FMU that brings data along, or that starts a tool, may write beside its binary."""
    fmu = load(written(tmp_path / "m.fmu", files, more))
    assert fmu.sharing is sharing
    assert fmu.library("cs").is_relative_to(folder) == (sharing is Sharing.MACHINE)


def test_a_private_fmu_has_its_files_alone(tmp_path: Path, folder: Path) -> None:
    """Each time another object with another folder, which goes with it."""
    path = written(tmp_path / "m.fmu")
    first, second = load(path, private=True), load(path, private=True)
    assert first is not second and first is not load(path)
    libraries = [fmu.library("cs") for fmu in (first, second, load(path))]
    assert len(set(libraries)) == 3 and libraries[0] == first.library("cs")
    libraries[0].write_text("written")
    assert libraries[1].read_text() == libraries[2].read_text() == "m.fmu"
    del first
    gc.collect()
    assert not libraries[0].exists() and libraries[1].exists() and libraries[2].is_relative_to(folder)


def aged(path: Path, seconds: float) -> Fmu:
    """An FMU that was last used some time ago, and is not held any more."""
    fmu = load(written(path, {"extra/data": "x" * 10_000}))
    entry = next(parent for parent in fmu.library("cs").parents if parent.name == fmu.sha256)
    os.close(cache._held.pop(entry))
    os.utime(entry / ".lock", (time.time() - seconds,) * 2)
    return fmu


def test_what_was_not_used_for_longest_goes(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries beyond the limit go, the oldest first, but none that a process holds."""
    held = load(written(tmp_path / "held.fmu", {"extra/data": "x" * 10_000}))
    entry = next(parent for parent in held.library("cs").parents if parent.name == held.sha256)
    os.utime(entry / ".lock", (0, 0))
    old, young = aged(tmp_path / "old.fmu", 1000), aged(tmp_path / "young.fmu", 10)
    monkeypatch.setattr(cache, "LIMIT", 35_000)
    new = load(written(tmp_path / "new.fmu", {"extra/data": "x" * 10_000}))
    new.library("cs")
    assert {each.name for each in entries(folder)} == {held.sha256, young.sha256, new.sha256}
    assert old.library("cs").is_file(), "it is unpacked anew"


def test_what_killed_processes_left_unfinished_goes_after_a_day(tmp_path: Path, folder: Path) -> None:
    """Younger ones may be under way."""
    load(written(tmp_path / "m.fmu")).library("cs")
    (platform,) = folder.iterdir()
    left, under_way = platform / ".left", platform / ".under-way"
    left.mkdir()
    under_way.mkdir()
    os.utime(left, (0, 0))
    load(written(tmp_path / "n.fmu")).library("cs")
    assert not left.exists() and under_way.exists()


def test_a_cache_that_was_emptied_is_filled_again(tmp_path: Path, folder: Path) -> None:
    """The process that used it fills it as well."""
    fmu = load(written(tmp_path / "m.fmu"))
    fmu.library("cs")
    cache.remove(folder)
    assert fmu.library("cs").is_file() and len(entries(folder)) == 1


def test_what_is_too_large_is_not_unpacked(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the archive nor its description is; the limit can be raised, and unneeded files do not count."""
    path = written(tmp_path / "m.fmu", {"resources/zeros": "0" * 2**20, "documentation/film": "0" * 2**22})
    monkeypatch.setenv("JOURDAIN_UNPACK_LIMIT", str(2**-11))
    with pytest.raises(FmuError) as error:
        load(path).library("cs")
    assert str(error.value) == (
        f"'{path}' takes 1 MiB when unpacked, and no more than 512 KiB may be taken; get it from a source you trust, or raise the limit by the "
        "environment variable JOURDAIN_UNPACK_LIMIT, in GiB (now 0.000488)"
    )
    monkeypatch.setenv("JOURDAIN_UNPACK_LIMIT", "0.1")
    assert load(path).library("cs").is_file()
    description = DESCRIPTION.format(fmi="3.0", token="instantiationToken", tag="CoSimulation", more="")
    long = written(tmp_path / "long.fmu", {"modelDescription.xml": description + " " * 2**20})
    monkeypatch.setenv("JOURDAIN_UNPACK_LIMIT", str(2**-11))
    with pytest.raises(
        FmuError, match=r"has a modelDescription.xml of 1 MiB when unpacked, and no more than 64 KiB may be taken; .*UNPACK_LIMIT"
    ):
        load(long)
    monkeypatch.setenv("JOURDAIN_UNPACK_LIMIT", "much")
    with pytest.raises(FmuError) as error:
        load(long)
    assert str(error.value) == "JOURDAIN_UNPACK_LIMIT = 'much' is refused: give the GiB that an FMU may take when it is unpacked, such as 4"


def test_what_lies_beside_platforms_is_no_member(tmp_path: Path, folder: Path) -> None:
    """A file called binaries is one that no platform needs."""
    path = tmp_path / "odd.fmu"
    with zipfile.ZipFile(written(tmp_path / "m.fmu")) as whole, zipfile.ZipFile(path, "w") as odd:
        odd.writestr("modelDescription.xml", whole.read("modelDescription.xml"))
        odd.writestr("binaries", "")
    with pytest.raises(FmuError, match=r"has no binary \S+ for this platform, it has none at all"):
        load(path).library("cs")


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def flipped(path: Path) -> None:
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])


def replaced(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [emptied, flipped, replaced, Path.unlink])
def test_an_entry_that_is_damaged_is_made_anew(tmp_path: Path, folder: Path, damage: Callable[[Path], None]) -> None:
    """The damage is at every file of it, the lock with the checksums among them; also a file may stand in its place."""
    fmu = load(written(tmp_path / "m.fmu"))
    library = fmu.library("cs")
    whole = {each.relative_to(folder): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    assert len(whole) >= 3
    for each in whole:
        forget(fmu)
        for parent in (folder / each).parents:
            parent.chmod(0o755)
        (folder / each).chmod(0o644)
        damage(folder / each)
        assert fmu.library("cs") == library
        assert {each.relative_to(folder): each.read_bytes() for each in folder.rglob("*") if each.is_file()} == whole
    forget(fmu)
    (entry,) = entries(folder)
    cache.remove(entry)
    entry.write_text("in the way")
    assert fmu.library("cs") == library and library.read_text() == "m.fmu"


def forget(fmu: Fmu) -> None:
    """Makes an FMU forget where it is unpacked, like one in another process."""
    fmu._kept.clear()
    fmu._binaries.clear()
    while cache._held:
        os.close(cache._held.popitem()[1])


def test_without_a_place_for_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are unpacked for this process alone."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "file"))
    assert load(written(tmp_path / "m.fmu")).library("cs").read_text() == "m.fmu"


def test_a_damaged_archive_leaves_nothing(tmp_path: Path, folder: Path) -> None:
    """Neither an entry nor a part of one stays."""
    path = written(tmp_path / "m.fmu", {"extra/data": "precious"})
    path.write_bytes(path.read_bytes().replace(b"precious", b"precioux"))
    with pytest.raises(FmuError, match="Bad CRC-32"):
        load(path).library("cs")
    assert entries(folder) == []


def test_the_folder_is_that_of_built_fmus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue keeps what it builds in the same place, which it does not share with the reader by code."""
    from fmu_components.export.kept import cache_folder

    assert cache.cache_folder() == cache_folder() / "fmus" == folder
    monkeypatch.delenv("JOURDAIN_CACHE")
    assert cache.cache_folder() == cache_folder() / "fmus"


def own_and_told(path: Path, entry: Path) -> Path:
    """Loads an FMU whose entry is not trusted; returns the folder that it is unpacked into instead."""
    cache._refused.clear()
    cache._held.clear()
    with pytest.warns(RuntimeWarning, match="can be written by another user, and is not used; FMUs are unpacked anew"):
        found = cache.shared_folder(entry.name, entry.parent.name, "m", lambda folder: None)
    assert found != entry and not found.is_relative_to(entry.parent)
    return found


@pytest.mark.parametrize("what", ["the entry", "its folder"])
def test_what_another_user_may_have_written_is_not_used(what: str, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry counts by who owns it and its folder."""
    _ = load(written(tmp_path / "m.fmu")).folder
    (entry,) = entries(folder)
    strange, plain = entry if what == "the entry" else entry.parent, os.stat

    def stat_of(path: object, **named: object) -> os.stat_result:
        found = plain(path, **named)  # type: ignore[arg-type]
        return os.stat_result([*found[:4], 54321, *found[5:]]) if path == strange else found

    monkeypatch.setattr(cache.os, "stat", stat_of)
    own_and_told(tmp_path / "m.fmu", entry)


# Ownership is tested for every user by a replaced os.stat; the system lets only root change an owner.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_the_entry_of_another_user_is_not_used(tmp_path: Path, folder: Path) -> None:
    """The real thing, where it can be made."""
    _ = load(written(tmp_path / "m.fmu")).folder
    (entry,) = entries(folder)
    os.chown(entry, 54321, 54321)
    own_and_told(tmp_path / "m.fmu", entry)


def test_a_folder_of_entries_that_others_may_write_is_closed_to_them(tmp_path: Path, folder: Path) -> None:
    """It is the user's own, so that its entries are used."""
    _ = load(written(tmp_path / "m.fmu")).folder
    (entry,) = entries(folder)
    os.chmod(entry.parent, 0o777)
    cache._held.clear()
    assert cache.shared_folder(entry.name, entry.parent.name, "m", lambda folder: None) == entry
    assert stat.S_IMODE(entry.parent.stat().st_mode) == 0o755


def test_a_lock_of_another_user_is_not_opened(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe in its place would make this process wait for ever."""
    _ = load(written(tmp_path / "m.fmu")).folder
    (entry,) = entries(folder)
    entry.chmod(0o755)
    (entry / cache._LOCK).unlink()
    os.mkfifo(entry / cache._LOCK)
    plain = os.stat
    monkeypatch.setattr(
        cache.os,
        "stat",
        lambda path, **named: (
            os.stat_result([*(found := plain(path, **named))[:4], 54321, *found[5:]]) if path == entry else plain(path, **named)
        ),
    )
    own_and_told(tmp_path / "m.fmu", entry)
