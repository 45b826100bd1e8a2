"""Compiled code is kept by its content, whatever happens to the place where it is kept."""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from coupling.fmus import cache
from coupling.fused import compiled
from coupling.fused.compiled import NotCompiled, binary, functions, key_of
from coupling.fused.taped import Stages
from coupling.fused.written import as_c
from coupling.kernel.equations.fused import vectors
from tests.support.fused.chains import chain

TEXT = '__attribute__((visibility("default"))) void jourdain_before(const void *code, double *w) { (void)code; w[0] = 7; }\n'
COMPILE = compiled.shared_library


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """An empty cache, and a process that has loaded nothing."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path))
    forget(monkeypatch)
    return tmp_path


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    """Texts that the compiler was given."""
    texts: list[str] = []
    monkeypatch.setattr(compiled, "shared_library", lambda target, text, flags: (texts.append(text), COMPILE(target, text, flags))[1])
    return texts


def forget(monkeypatch) -> None:
    """Makes this process see the cache as another process does."""
    monkeypatch.setattr(compiled, "_loaded", {})
    monkeypatch.setattr(cache, "_held", {})
    monkeypatch.setattr(cache, "_of_process", {})


def first(text: str = TEXT) -> float:
    w = (ctypes.c_double * 1)()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(functions(text, ["before"])["before"])(None, w)
    return w[0]


def test_the_same_text_is_compiled_once(place, calls, monkeypatch):
    assert first() == first() == 7
    forget(monkeypatch)
    assert first() == 7
    assert calls == [TEXT]


def test_another_text_has_another_key(place, calls):
    assert key_of(TEXT) != key_of(TEXT.replace("7", "8"))
    assert (first(), first(TEXT.replace("7", "8"))) == (7, 8)


def test_instructions_of_this_processor_change_no_digit(place, monkeypatch):
    """Products and sums one by one, of which none may be joined."""
    steps = "".join(f"    w[0] = w[0] * {1 + i / 7!r} + sin(w[0]) - {i / 3!r};\n" for i in range(1, 200))
    text = f'#include <math.h>\n__attribute__((visibility("default"))) void jourdain_before(const void *code, double *w)\n{{\n    (void)code;\n{steps}}}\n'
    keys, values, most = set(), set(), vectors()
    for has in range(most + 1):
        monkeypatch.setattr(compiled, "vectors", lambda has=has: has)
        keys.add(key_of(text))
        values.add(first(text))
        assert ("-mavx" in compiled.flags(), "-mavx512vl" in compiled.flags()) == (has >= 1, has >= 2)
    assert len(values) == 1 and len(keys) == most + 1


def test_the_processor_says_what_the_system_says_of_it():
    known = Path("/proc/cpuinfo").read_text().split()
    assert vectors() == (2 if "avx512vl" in known else 1 if "avx" in known else 0)


def test_a_damaged_file_is_replaced(place, calls, monkeypatch):
    first()
    (file,) = place.rglob("code.so")
    file.chmod(0o644)
    forget(monkeypatch)
    file.rename(file.with_name("away"))  # it is loaded in this process
    file.write_bytes(b"no library")
    assert first() == 7
    assert len(calls) == 2


def test_a_cache_that_cannot_be_written_is_none(place, calls, monkeypatch):
    """The code is then compiled into a folder of this process."""
    monkeypatch.setenv("JOURDAIN_CACHE", "/proc/nowhere")
    assert first() == 7
    assert len(calls) == 1


def test_without_a_compiler_it_says_what_to_install(place, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(place))
    with pytest.raises(NotCompiled, match=r"no C compiler was found: install gcc \(Debian: apt install gcc\), or name a compiler"):
        first()


def test_a_full_disk_asks_for_room(place, monkeypatch):
    def full(*given: object) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(compiled, "shared_library", full)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with pytest.raises(NotCompiled) as raised:
        first()
    assert str(raised.value) == (
        f"'jourdain-compiled' cannot be unpacked into the temporary folder '{place}': No space left on device; make room there, or name another folder in "
        "the environment variable TMPDIR"
    )


def test_what_lacks_a_stage_is_not_taken(place):
    with pytest.raises(NotCompiled, match=r"compiled code cannot be loaded: .*jourdain_after"):
        functions(TEXT, ["before", "after"])


def test_what_the_compiler_refuses_is_said(place):
    with pytest.raises(NotCompiled, match="the compiler refused: "):
        functions("no C", ["before"])


def test_two_processes_may_compile_the_same(place):
    """Both have it in the end, and the cache has it once."""
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map(first, [TEXT, TEXT], chunksize=1) == [7, 7]
    assert len(list(place.rglob("code.so"))) == 1


# Without AVX there are no upper halves to clear, and without objdump (binutils, which comes with gcc) nothing that shows instructions.
@pytest.mark.skipif(not vectors() or shutil.which("objdump") is None, reason="needs a processor with AVX, and objdump")
def test_vectors_are_cleared_before_the_kernel_goes_on(place):
    """The kernel's instructions without AVX would be slow otherwise."""
    code = Stages(chain(3).build(communication=False)).written(as_c)
    told = subprocess.run(["objdump", "-d", str(binary(code.text))], capture_output=True, text=True, check=True).stdout
    assert "%ymm" in told
    assert "vzeroupper" in told
