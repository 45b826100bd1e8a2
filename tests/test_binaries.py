"""What is inside every FMU as a program: it needs nothing but the C library, exports nothing but FMI, and can be built again."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import fmpy
import pytest

from driver import Driver
from fmu_components.catalogue import find
from fmu_components.component import Component, declaration
from fmu_components.export.build import Options, build_one, cache_folder, content_key

LARGEST = 150_000
Fmu = Callable[[type[Component], int], Path]
MINGW, MINGW_OBJDUMP = "x86_64-w64-mingw32-gcc", shutil.which("x86_64-w64-mingw32-objdump") or "objdump"
FOLDERS = {2: "linux64", 3: "x86_64-linux"}


@pytest.fixture
def archive(component: type[Component], fmi: int, fmu: Fmu) -> Path:
    return fmu(component, fmi)


@pytest.fixture
def library(component: type[Component], fmi: int, archive: Path, tmp_path: Path) -> Path:
    """The shared library, extracted."""
    return extracted(archive, f"binaries/{FOLDERS[fmi]}/{declaration(component).identifier}.so", tmp_path)


def extracted(fmu: Path, member: str, folder: Path) -> Path:
    with zipfile.ZipFile(fmu) as packed:
        return Path(packed.extract(member, folder))


def output(*command: str | Path) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def functions_of_the_standard(fmi: int) -> set[str]:
    """All functions that the standard's header declares, which for both kinds an FMU has to export."""
    header = (Path(fmpy.__file__).parent / "c-code" / f"fmi{fmi}Functions.h").read_text()
    return set(re.findall(rf"FMI{fmi}_Export\s+fmi{fmi}\w+TYPE\s+(\w+);", header))


def test_the_library_needs_the_c_library_only(library: Path) -> None:
    """The dynamic section names libc and, at most, libm: no Python, no other shared library."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library)))
    assert {"libc.so.6"} <= needed <= {"libc.so.6", "libm.so.6"}


def test_the_library_exports_fmi_only(library: Path, fmi: int) -> None:
    """Every function of the standard is there, and nothing else is visible."""
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    assert {f"fmi{fmi}GetVersion", f"fmi{fmi}DoStep", f"fmi{fmi}SetContinuousStates"} <= exported
    assert exported == functions_of_the_standard(fmi)


def test_the_library_calls_no_python_and_opens_no_file(library: Path) -> None:
    """Of what it takes from outside, nothing begins with Py, and nothing opens, runs or connects."""
    taken = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", library).splitlines()}
    assert not [name for name in taken if name.startswith(("Py", "_Py"))]
    assert not taken & {"open", "open64", "fopen", "fopen64", "system", "popen", "fork", "execve", "dlopen", "socket"}


def test_the_archive_is_small_and_has_no_python(archive: Path) -> None:
    """An FMU stays below 150 kB, and no file in it is Python."""
    assert archive.stat().st_size < LARGEST
    with zipfile.ZipFile(archive) as packed:
        assert not [name for name in packed.namelist() if Path(name).suffix in {".py", ".pyc", ".pyd"}]


# The cross compiler is an optional Debian package.
@pytest.mark.skipif(shutil.which(MINGW) is None, reason="win64 needs MinGW")
def test_the_dll_imports_what_windows_has(component: type[Component], fmi: int, tmp_path: Path) -> None:
    """A DLL imports from KERNEL32 and the C library of Windows alone, and exports the functions of the standard only."""
    options = Options((fmi,), ("win64",))
    (built,) = build_one(component, cache_folder() / content_key(component, fmi, options)[:24], options)
    folder = {2: "win64", 3: "x86_64-windows"}[fmi]
    dump = output(MINGW_OBJDUMP, "-p", extracted(built.path, f"binaries/{folder}/{declaration(component).identifier}.dll", tmp_path))
    imported = {name.lower() for name in re.findall(r"DLL Name: (\S+)", dump)}
    assert "kernel32.dll" in imported
    assert imported <= {"kernel32.dll", "msvcrt.dll"}
    names = dump.partition("[Ordinal/Name Pointer] Table")[2]
    assert set(re.findall(r"\[ *\d+\](?: \+base\[ *\d+\])?\s+(?:[0-9a-f]+ )?(\w+)", names)) >= functions_of_the_standard(fmi)
    assert built.path.stat().st_size < LARGEST


@cache
def compiler() -> str:
    found = shutil.which("gcc") or shutil.which("cc")
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["planar.Body1", "planar.Revolute"])
def test_an_fmu_can_be_built_from_its_own_sources(name: str, fmi: int, fmu: Fmu, tmp_path: Path) -> None:
    """Compiled from the sources inside, without anything else, the library takes the place of the delivered one and gives its values."""
    delivered, component = fmu(find(name), fmi), find(name)
    with zipfile.ZipFile(delivered) as packed:
        packed.extractall(tmp_path / "fmu")
    sources = tmp_path / "fmu" / "sources"
    library = tmp_path / "fmu" / "binaries" / FOLDERS[fmi] / f"{declaration(component).identifier}.so"
    library.unlink()
    output(compiler(), "-std=c11", "-O1", "-fPIC", "-shared", "-I", sources, *sources.glob("*.c"), "-o", library, "-lm")
    rebuilt = tmp_path / "rebuilt.fmu"
    shutil.make_archive(str(rebuilt), "zip", tmp_path / "fmu")
    (tmp_path / "rebuilt.fmu.zip").rename(rebuilt)
    with Driver(delivered, "me") as first, Driver(rebuilt, "me") as second:
        outputs = [v.name for v in first.description.modelVariables if v.causality == "output"]
        inputs = [v.name for v in first.description.modelVariables if v.causality == "input" and not v.name.startswith("lambda")]
        for driver in (first, second):
            driver.start({each: 0.1 + 0.01 * index for index, each in enumerate(inputs)})
        assert second.get(outputs) == pytest.approx(first.get(outputs), rel=1e-12, abs=1e-12)
        assert any(first.get(outputs).values())


def test_the_build_description_names_every_source(component: type[Component], fmu: Fmu) -> None:
    """What FMI 3's build description lists are the C files that lie beside it."""
    with zipfile.ZipFile(fmu(component, 3)) as packed:
        listed = set(re.findall(rb'<SourceFile name="([^"]+)"', packed.read("sources/buildDescription.xml")))
        assert {f"sources/{name.decode()}" for name in listed} == {name for name in packed.namelist() if name.endswith(".c")}
