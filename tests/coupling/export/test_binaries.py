"""Contents of an exported mechanism as a program: only its own sources, which need the C library and export FMI."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import fmpy
import numpy as np
import pytest

from fmu_components.export.compile import WARNINGS
from tests.support.export import binaries
from tests.support.properties import check_all
from tests.support.runtime.driver import Driver
from tests.support.systems import seven_bodies
from tests.support.systems.mechanism_fmus import CASES, SMALL, exported

LARGEST = 320_000


def check_the_library(name, fmi, tmp_path):
    """It needs libc and libm only, exports the functions of FMI only, opens nothing, and keeps nothing outside of its instances."""
    library = binaries.library(exported(name, fmi), tmp_path)
    binaries.check_needs_the_c_library_only(library)
    binaries.check_exports_fmi_only(library, fmi)
    binaries.check_calls_no_python_and_opens_no_file(library)
    binaries.check_keeps_nothing_outside_of_instances(library)


def check_the_archive_is_small_and_has_no_python(name, fmi):
    """Also that of seven bodies with ten joints stays below 320 kB."""
    fmu = exported(name, fmi)
    assert fmu.stat().st_size < LARGEST
    with zipfile.ZipFile(fmu) as packed:
        assert not [member for member in packed.namelist() if Path(member).suffix in {".py", ".pyc", ".pyd", ".so.1"}]


@pytest.mark.parametrize("stabilisation", ["baumgarte", "projection"])
def test_the_library_of_seven_bodies_is_small(stabilisation, tmp_path):
    """Texts, ranges and rows of the schedule take no addresses, which a loader would have to correct, and few bytes: below 212 kB in pages of 4 kB."""
    fmu = seven_bodies.system().export_fmu(tmp_path / "seven.fmu", platforms=["linux64"], stabilisation=stabilisation)
    assert binaries.library(fmu, tmp_path).stat().st_size < 212_000


# The cross compiler is a Debian package that nobody needs who stays on Linux.
needs_mingw = pytest.mark.skipif(shutil.which(binaries.MINGW) is None, reason="win64 needs MinGW")


@needs_mingw
@pytest.mark.parametrize("name", ["seven bodies", "events"])
def test_the_dll_imports_what_windows_has(name, fmi, tmp_path):
    """KERNEL32 and the C library of Windows; the functions of the standard are exported, and the file is small as well, but for what MinGW adds to a library."""
    fmu = exported(name, fmi, "win64")
    binaries.check_dll(binaries.library(fmu, tmp_path), fmi)
    assert fmu.stat().st_size < 1.05 * LARGEST


_ON_WINDOWS = """
#include <windows.h>
#include <stdio.h>
typedef const char *Version(void);
int main(int count, char **words)
{
    HMODULE library = count > 2 ? LoadLibraryA(words[1]) : NULL;
    Version *version = library ? (Version *)(void *)GetProcAddress(library, words[2]) : NULL;
    return version ? puts(version()) < 0 : 1;
}
"""


@needs_mingw
# Wine belongs to no package that the project asks for; without it the checks of exports and imports remain.
@pytest.mark.skipif(shutil.which("wine") is None, reason="Wine is not installed")
def test_the_dll_loads_under_wine(fmi, tmp_path):
    """A program for Windows loads it and gets the version of FMI."""
    library = binaries.library(exported("pendulum", fmi, "win64"), tmp_path)
    (tmp_path / "load.c").write_text(_ON_WINDOWS)
    program = tmp_path / "load.exe"
    binaries.output(binaries.MINGW, tmp_path / "load.c", "-o", program)
    told = subprocess.run(["wine", program, library, f"fmi{fmi}GetVersion"], capture_output=True, text=True, timeout=60)
    assert told.stdout.strip() == f"{fmi}.0"


# -- building it again -----------------------------------------------------------------------------------------------------------------


def listed_sources(fmu: Path, fmi: int) -> list[str]:
    """Returns the sources that a tool finds which builds the FMU: in the model description, or in the build description of FMI 3."""
    with zipfile.ZipFile(fmu) as packed:
        member = "modelDescription.xml" if fmi == 2 else "sources/buildDescription.xml"
        root = ElementTree.fromstring(packed.read(member))
    kind = root.find("CoSimulation/SourceFiles") if fmi == 2 else root.find("BuildConfiguration/SourceFileSet")
    found = [] if kind is None else [each.get("name", "") for each in kind]
    if fmi == 2:  # the same files for both kinds
        assert found == [each.get("name") for each in root.iterfind("ModelExchange/SourceFiles/File")]
    return [name for name in found if name.endswith(".c")]


def check_every_source_is_listed(name, fmi):
    """The C files that a tool has to compile are those in the folder of sources."""
    with zipfile.ZipFile(exported(name, fmi)) as packed:
        inside = {member.removeprefix("sources/") for member in packed.namelist() if member.endswith(".c")}
    assert set(listed_sources(exported(name, fmi), fmi)) == inside


@pytest.mark.parametrize("name", CASES)
def test_every_mechanism(name, fmi, tmp_path):
    """The checks above, of each exported mechanism."""
    check_all(
        check_the_library,
        check_the_archive_is_small_and_has_no_python,
        check_every_source_is_listed,
        name=name,
        fmi=fmi,
        tmp_path=tmp_path,
    )


def rebuilt(fmu: Path, fmi: int, folder: Path) -> Path:
    """The FMU with a library that is made from what it lists, by the compiler and nothing else; there is not a single warning."""
    with zipfile.ZipFile(fmu) as packed:
        packed.extractall(folder / "fmu")
    (library,) = (folder / "fmu" / "binaries").rglob("*.so")
    library.unlink()
    sources = [f"sources/{name}" for name in listed_sources(fmu, fmi)]
    command = ["gcc", "-std=c11", *WARNINGS, "-fPIC", "-shared", "-Isources", *sources, "-o", library, "-lm"]
    done = subprocess.run(command, cwd=folder / "fmu", capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    binaries.check_exports_fmi_only(library, fmi)
    shutil.make_archive(str(folder / "rebuilt"), "zip", folder / "fmu")
    return (folder / "rebuilt.zip").rename(folder / "rebuilt.fmu")


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("name", ["events"])
def test_an_fmu_can_be_built_from_its_own_sources(name, fmi, tmp_path):
    """The listed sources compile with all warnings and no other flags. The result exports FMI alone, replaces the delivered library and
    gives its values."""
    delivered = exported(name, fmi)
    with Driver(delivered, "cs") as first, Driver(rebuilt(delivered, fmi, tmp_path), "cs") as second:
        outputs = [v.name for v in first.description.modelVariables if v.causality == "output"]
        for driver in (first, second):
            driver.start()
            driver.step(0.0, 0.02)
        expected, found = (np.array(list(driver.get(outputs).values())) for driver in (first, second))
        assert np.abs(expected).max() > 0
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


# Building by hand, as the page in the FMU says, is tested everywhere; this is one more way.
@pytest.mark.skipif(shutil.which("cmake") is None, reason="FMPy compiles by CMake")
@pytest.mark.slow
def test_fmpy_compiles_it(tmp_path):
    """FMPy's own build of a platform's binary, of FMI 2, which is all that it offers."""
    fmu = tmp_path / "pendulum.fmu"
    shutil.copy(exported("pendulum", 2), fmu)
    subprocess.run([sys.executable, "-m", "fmpy", "compile", fmu], check=True, capture_output=True)
    with Driver(fmu, "cs") as driver:
        driver.start()
        driver.step(0.0, 0.1)
        assert driver["rod.y"] < 0


@pytest.mark.parametrize("name", SMALL)
def test_nothing_of_this_machine_is_inside(name, fmi):
    """None of the files in the archive names a folder of the machine that built it."""
    with zipfile.ZipFile(exported(name, fmi)) as packed:
        for member in packed.namelist():
            assert not re.search(rb"/(home|work|tmp|usr)/", packed.read(member)), member
    assert fmpy.supported_platforms(str(exported(name, fmi)))[0] == "c-code"
