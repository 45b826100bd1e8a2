"""The cache of built FMUs: after power cuts and damage it is filled anew; what is in it needs no compiler."""

from __future__ import annotations

import errno
import multiprocessing
import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fmu_components.catalogue import find
from fmu_components.export import compile as c
from fmu_components.export import kept
from fmu_components.export.build import cached_fmu
from tests.support.systems.systems import refusal

COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then echo "joins 1"; exit; fi
inputs=
for word; do
    if [ "$before" = -o ]; then out=$word; else case "$word" in *.c | *.o) inputs="$inputs $word" ;; esac; fi
    before=$word
done
cat $inputs > "$out"
"""
"""Compiler that joins its inputs: its output shows the inputs, and takes no time."""
FIXED = find("planar.Fixed")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a compiler that takes no time."""
    compiler = tmp_path / "joining"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    c.compiler_version.cache_clear()
    return tmp_path / "cache"


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes() or b"\0")
    content[len(content) // 3] ^= 4
    path.write_bytes(content)


def replaced(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "in the way").write_text("")


DAMAGES: list[Callable[[Path], None]] = [emptied, cut, flipped, replaced, Path.unlink]


@pytest.mark.parametrize("first", range(len(DAMAGES)))
def test_damage_at_every_file(cache: Path, first: int) -> None:
    """Each file meets each kind of damage in turn: leftovers of a power cut, flipped bits, a folder in its place, and absence."""
    path = cached_fmu(FIXED, 3)
    whole = {each: each.read_bytes() for each in cache.rglob("*") if each.is_file()}
    assert len(whole) > 20 and path in whole
    for place, each in enumerate(sorted(whole)):
        DAMAGES[(first + place) % len(DAMAGES)](each)
    if path.is_file() and kept.key_of(path) is not None:
        path.unlink()
    assert cached_fmu(FIXED, 3) == path
    locks = {each for each in whole if each.name == ".lock"}  # they have no content
    assert {each: each.read_bytes() for each in whole.keys() - locks} == {each: whole[each] for each in whole.keys() - locks}


def test_each_bit_of_an_archive_counts(cache: Path) -> None:
    """The bits of the directory and of the comment count too, which no checksum of the format covers."""
    path = cached_fmu(FIXED, 3)
    whole = path.read_bytes()
    for place in (0, 10, len(whole) // 2, *range(len(whole) - 300, len(whole), 7), len(whole) - 1):
        content = bytearray(whole)
        content[place] ^= 1
        path.write_bytes(content)
        key = kept.key_of(path)
        path.write_bytes(whole)
        assert key != kept.key_of(path), place


def test_files_in_the_place_of_folders(cache: Path) -> None:
    """The folders are those of the FMU and of the runtime."""
    path = cached_fmu(FIXED, 3)
    whole = path.read_bytes()
    for folder in (path.parent, path.parent.parent, next(cache.glob("runtime-*"))):
        shutil.rmtree(folder)
        folder.write_text("")
        if path.is_file():
            path.unlink()
        assert cached_fmu(FIXED, 3).read_bytes() == whole


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is there, too, before the next one follows; a write that fails leaves nothing."""
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *given, name=name, real=real: (calls.append(name), real(*given))[1])
    kept.write(tmp_path / "folder" / "file", b"content")
    assert calls == ["fsync", "replace", "fsync"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        kept.write(tmp_path / "folder" / "other", b"content")
    assert [each.name for each in (tmp_path / "folder").iterdir()] == ["file"]


def test_processes_that_want_the_same_fmu_build_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that one of them reads already is not replaced by the equal one of another."""
    write = kept.write

    def slowly(path: Path, content: bytes) -> None:
        if path.suffix == ".fmu":
            time.sleep(0.2)
        write(path, content)

    monkeypatch.setattr(kept, "write", slowly)
    context = multiprocessing.get_context("fork")
    together, stamps = context.Barrier(4), context.Queue()

    def build() -> None:
        together.wait()
        path = cached_fmu(FIXED, 3)
        before = path.stat()
        together.wait()
        stamps.put((before.st_ino, path.stat().st_ino))

    processes = [context.Process(target=build, daemon=True) for _ in range(4)]
    for each in processes:
        each.start()
    seen = {inode for _ in processes for inode in stamps.get(timeout=600)}
    for each in processes:
        each.join()
    assert len(seen) == 1


def test_a_warm_cache_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs none if no compiler is installed, and if CC names a file that is none."""
    path = cached_fmu(FIXED, 3)
    for compiler in ("/bin/false", "no-such-compiler", None):
        if compiler:
            monkeypatch.setenv("CC", compiler)
        else:
            monkeypatch.delenv("CC")
            monkeypatch.setenv("PATH", "")
        c.compiler_version.cache_clear()
        assert cached_fmu(FIXED, 3) == path
    flipped(path)
    assert "no C compiler was found: install gcc (Debian: apt install gcc)" in refusal(lambda: cached_fmu(FIXED, 3), c.ExportError)


def test_compilers_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cold cache asks for a compiler, by its name."""
    monkeypatch.setenv("CC", "/bin/false")
    assert refusal(lambda: cached_fmu(FIXED, 3), c.ExportError) == (
        "the C compiler '/bin/false' does not report its version (Command '['/bin/false', '--version']' returned non-zero exit status 1.); name another "
        "one in the environment variable CC, or unset it"
    )


def test_a_compiler_that_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho 1\n")
    silent.chmod(0o755)
    monkeypatch.setenv("CC", str(silent))
    assert refusal(lambda: cached_fmu(FIXED, 3), c.ExportError) == (
        f"the compiler '{silent}' wrote nothing, and refused nothing; name another one in the environment variable CC"
    )


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the folder and the variable; a user's file in its place stays. A link to itself is no folder either."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("link")
    for name, reason in (("file", "Not a directory"), ("link", "Too many levels of symbolic links")):
        monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / name))
        assert refusal(lambda: cached_fmu(FIXED, 3), c.ExportError) == (
            f"the FMU of 'planar.Fixed' cannot be kept in '{tmp_path / name}': {reason}; name another folder in the "
            "environment variable JOURDAIN_CACHE"
        )
    assert (tmp_path / "file").read_text() == "mine"


def refused(folder: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuses all files inside a folder."""
    create = os.open

    def open_file(path: Any, flags: int, *given: Any, **named: Any) -> int:
        if flags & os.O_CREAT and Path(path).is_relative_to(folder):
            raise OSError(number, os.strerror(number), os.fspath(path))
        return create(path, flags, *given, **named)

    monkeypatch.setattr(os, "open", open_file)
    monkeypatch.setattr(kept, "_instead", {})


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
def test_a_cache_that_is_read_only(cache: Path, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The FMU is built into a temporary folder, which one warning names; what the cache has already is used."""
    here = cached_fmu(FIXED, 3)
    refused(cache, number, monkeypatch)
    assert cached_fmu(FIXED, 3) == here
    sentence = (
        f"the FMU of 'planar.Fixed' cannot be kept in '{cache}': {os.strerror(number)}; built files are kept in '.*' until this process ends: name a "
        "folder of your own in the environment variable JOURDAIN_CACHE"
    )
    with pytest.warns(RuntimeWarning, match=re.escape(sentence).replace(re.escape(".*"), ".*")):
        found = cached_fmu(FIXED, 2)
    assert not found.is_relative_to(cache) and cached_fmu(FIXED, 2) == found and kept.key_of(found) is not None


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "make room there, or name another folder in the environment variable {}"),
        (errno.EDQUOT, "make room there, or name another folder in the environment variable {}"),
        (errno.EFBIG, "raise the limit of a file's size (ulimit -f)"),
        (errno.EMFILE, "close files, or raise the limit of open files (ulimit -n)"),
    ],
    ids=["full", "quota", "size", "descriptors"],
)
@pytest.mark.parametrize("variable", ["JOURDAIN_CACHE", "TMPDIR"])
def test_a_full_folder(cache: Path, number: int, remedy: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache or the temporary folder takes no file: the sentence names the folder and its variable, and nothing is left in either."""
    folder = cache if variable == "JOURDAIN_CACHE" else tmp_path / "temporary"
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    if variable == "JOURDAIN_CACHE":
        refused(cache, number, monkeypatch)
    else:
        text = f"{os.strerror(number)} of the compiler" if number != errno.EFBIG else "File size limit exceeded"
        (tmp_path / "joining").write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && echo "joins 2" && exit\necho "fatal error: {text}" >&2\nexit 1\n'
        )
        c.compiler_version.cache_clear()
    sentence = refusal(lambda: cached_fmu(FIXED, 3), c.ExportError)
    assert sentence.startswith(f"the FMU of 'planar.Fixed' cannot be kept in '{folder}") and os.strerror(number) in sentence
    assert sentence.endswith(remedy.format(variable)) and not list((tmp_path / "temporary").iterdir())
    assert not [each for each in cache.rglob("*") if each.is_file() and each.name != ".lock"]


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home folder and the variable the cache is temporary, which a warning says once."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(kept, "_instead", {})
    monkeypatch.delenv("JOURDAIN_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.warns(RuntimeWarning, match="there is no home folder for a cache; built files are kept in '"):
        found = cached_fmu(FIXED, 3)
    assert kept.key_of(found) is not None and found.is_relative_to(kept.cache_folder())


def given_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a path to another user: by a change of its owner as root, and in the answers of the system otherwise."""
    if os.geteuid() == 0:
        os.chown(path, 54321, 54321)
        return
    plain = os.stat

    def stat_of(asked: Any, **named: Any) -> os.stat_result:
        found = plain(asked, **named)
        return os.stat_result([*found[:4], 54321, *found[5:]]) if asked == path else found

    monkeypatch.setattr(kept.os, "stat", stat_of)


@pytest.mark.parametrize("which", ["the archive", "its folder", "the folder of its key", "the cache"])
def test_an_fmu_of_another_user_is_not_used(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its key and checksum are right, since whoever may write the file may write these too; it is built anew in a folder of this process."""
    first = cached_fmu(FIXED, 3)
    strange = [first, *first.parents][["the archive", "its folder", "the folder of its key", "the cache"].index(which)]
    assert kept.stranger(first) is None
    given_away(strange, monkeypatch)
    assert kept.stranger(first) == strange and kept.key_of(first) is None
    if which == "the archive":  # in a folder of the user's own, where a new one takes its place
        assert cached_fmu(FIXED, 3) == first
        assert os.geteuid() != 0 or kept.stranger(first) is None
        return
    with pytest.warns(
        RuntimeWarning, match=r"another user can write there; built files are kept in '.*' until this process ends: name a folder"
    ):
        second = cached_fmu(FIXED, 3)
    assert second.read_bytes() == first.read_bytes() and not second.is_relative_to(kept._chosen())  # type: ignore[arg-type]  # it is chosen here
    assert cached_fmu(FIXED, 3) == second


def test_an_object_of_another_user_is_not_linked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fmu = cached_fmu(FIXED, 3)
    objects = next(cache.glob("objects-*"))
    fmu.unlink()
    given_away(objects, monkeypatch)
    assert all(kept.read_summed(each) is None for each in objects.glob("*.o"))
    with pytest.warns(RuntimeWarning, match="another user can write there"):
        assert not cached_fmu(FIXED, 3).is_relative_to(cache)


def test_folders_that_others_may_write_are_closed_to_them(cache: Path) -> None:
    """The umask of a user may leave them open. A file that others may write is not trusted."""
    fmu = cached_fmu(FIXED, 3)
    for folder in (cache, fmu.parent):
        folder.chmod(0o777)
    assert cached_fmu(FIXED, 3) == fmu and stat.S_IMODE(cache.stat().st_mode) == stat.S_IMODE(fmu.parent.stat().st_mode) == 0o755
    fmu.chmod(0o666)
    assert kept.stranger(fmu) == fmu


def test_a_folder_as_that_of_temporary_files(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everyone may add to it, and nobody may rename entries of others: those of this user are used."""
    fmu = cached_fmu(FIXED, 3)
    plain = os.stat

    def stat_of(asked: Any, **named: Any) -> os.stat_result:
        found = plain(asked, **named)
        return os.stat_result([found[0] | stat.S_IWOTH | stat.S_ISVTX, *found[1:4], 0, *found[5:]]) if asked == cache else found

    monkeypatch.setattr(kept.os, "stat", stat_of)
    monkeypatch.setattr(kept.os, "chmod", lambda *_: None)
    assert kept.stranger(fmu) is None
