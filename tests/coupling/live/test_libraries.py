"""Binaries of FMUs that keep static state: each session finds it as it was at first."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from coupling import BuildError, System
from coupling.kernel import library
from coupling.live.libraries import _lacking
from tests.support.foreign import OSCILLATOR, export
from tests.support.systems.systems import refusal

USES = "static Model *begin(const char *name,"
BEGIN = "    Model *m = calloc(1, sizeof *m);\n"
REFUSES = '    static int uses;\n    if (uses++) { fputs("it was used before\\n", stderr); return NULL; }\n'
STAYS = """#include <dlfcn.h>
__attribute__((constructor)) static void stay(void) { Dl_info own; if (dladdr(starts, &own)) dlopen(own.dli_fname, RTLD_NOW); }
"""
BEGINS_A_THREAD = """#include <pthread.h>
#include <unistd.h>
static void *idle(void *c) { for (;;) pause(); return c; }
"""


def once(version: int, what: str = "unloads") -> Path:
    """An FMU of which only the first instance in a loaded library can be made; it may also keep its library loaded, or begin a thread."""
    before = {"unloads": "", "stays": STAYS, "thread": BEGINS_A_THREAD}[what]
    thread = "    pthread_t thread;\n    pthread_create(&thread, NULL, idle, NULL);\n" if what == "thread" else ""
    changes = {USES: before + USES, BEGIN: REFUSES + thread + BEGIN}
    header = {'#include "fmi': '#define _GNU_SOURCE\n#include "fmi'}
    return export(replace(OSCILLATOR, name="Once"), version, changes=header | changes)


def system_of(path: Path, kind: str = "me") -> System:
    system = System()
    system.add("it", path, kind=kind)
    return system


@pytest.mark.parametrize("isolate", ["none", "foreign"])
@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize(("version", "what"), [(2, "unloads"), (3, "unloads"), (2, "stays"), (3, "thread")])
def test_each_run_finds_the_library_as_new(version: int, what: str, kind: str, isolate: str) -> None:
    """Runs of one system and of another one have the same bits."""
    path = once(version, what)
    options = {"isolate": isolate} | ({"communication_step": 0.01} if kind == "cs" else {})
    first, second = system_of(path, kind), system_of(path, kind)
    results = [system.simulate(0.1, **options) for system in (first, first, second, first)]
    assert all(each.outcome.completed for each in results)
    assert all((each["it.x"] == results[0]["it.x"]).all() for each in results)


def test_nothing_is_left_of_many_runs() -> None:
    """Neither mapped memory nor folders remain."""
    system = system_of(once(2))

    def mapped() -> int:
        return sum("Once" in line for line in Path("/proc/self/maps").read_text().splitlines())

    system.simulate(0.01)
    before = mapped()
    for _ in range(5):
        system.simulate(0.01)
    assert mapped() == before


@pytest.mark.parametrize("version", [2, 3])
def test_a_library_without_static_state_is_opened_once(version: int) -> None:
    """The library of an own component is opened once too, without even a check."""
    system = system_of(export(OSCILLATOR, version))
    system.add("own", "mechanical1d.Inertia")
    opened = []
    for _ in range(2):
        system.simulate(0.1)
        opened.append(
            {path: each for path, each in library.opened.items() if path.stem in ("Oscillator", "mechanical1d_Inertia", "Inertia")}
        )
    assert len(opened[0]) >= 2
    assert all(opened[1][path] is each for path, each in opened[0].items())


def test_a_shared_library_that_is_missing_is_named(tmp_path: Path) -> None:
    """A new export of the FMU would not help."""
    other, library = tmp_path / "libfortune.so.3", tmp_path / "Needs.so"
    source = tmp_path / "other.c"
    source.write_text("int fortune(void) { return 1; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libfortune.so.3", "-o", other, source], check=True)
    source.write_text("int fortune(void); int fmi2Asks(void) { return fortune(); }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, other], check=True)
    path = export(replace(OSCILLATOR, name="Needs"), 2, binary=library.read_bytes())
    for isolate in ("none", "foreign"):
        assert refusal(lambda isolate=isolate: system_of(path).simulate(0.1, isolate=isolate), BuildError) == (
            "'it' cannot be loaded: the binary of 'Needs.fmu' needs the shared library 'libfortune.so.3', which this machine does not have; install "
            "the package that has it, or name its folder in LD_LIBRARY_PATH before Python starts"
        )


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("libgfortran.so.3: cannot open shared object file: No such file or directory", "the shared library 'libgfortran.so.3'"),
        (
            "/lib/libc.so.6: version `GLIBC_2.99' not found (required by /tmp/x.so)",
            "GLIBC_2.99 of 'libc.so.6', which is older on this machine",
        ),
        ("/tmp/x.so: cannot open shared object file: No such file or directory", ""),
        ("/tmp/x.so: undefined symbol: fortune", ""),
    ],
)
def test_what_a_machine_lacks(said: str, lacking: str) -> None:
    """The words of the operating system show it; errors of the binary itself are another matter."""
    found = _lacking(said, Path("/tmp/x.so"))
    assert found.startswith(lacking)
    assert bool(found) == bool(lacking)
