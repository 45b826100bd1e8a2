"""What is inside every FMU as a program: it needs nothing but the C library, exports nothing but FMI, and can be built again."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fmu_components.catalogue import find
from fmu_components.declare.component import Component, declaration
from fmu_components.export.build import Options, build_one, cache_folder, content_key
from tests.support.export import binaries
from tests.support.export.binaries import FOLDERS, MINGW, output
from tests.support.runtime.driver import Driver

LARGEST = {"planar": 150_000, "spatial": 250_000}
"""Bytes; those of a domain that has no entry are as small as the planar ones."""
Fmu = Callable[[type[Component], int], Path]


@pytest.fixture
def archive(component: type[Component], fmi: int, fmu: Fmu) -> Path:
    return fmu(component, fmi)


@pytest.fixture
def library(archive: Path, tmp_path: Path) -> Path:
    """The shared library, extracted."""
    return binaries.library(archive, tmp_path)


def check_the_library_needs_the_c_library_only(library: Path) -> None:
    """The dynamic section names libc and, at most, libm: no Python, no other shared library."""
    binaries.check_needs_the_c_library_only(library)


def check_the_library_exports_fmi_only(library: Path, fmi: int) -> None:
    """Every function of the standard is there, and nothing else is visible."""
    binaries.check_exports_fmi_only(library, fmi)


def check_the_library_calls_no_python_and_opens_no_file(library: Path) -> None:
    """Of what it takes from outside, nothing begins with Py, and nothing opens, runs or connects."""
    binaries.check_calls_no_python_and_opens_no_file(library)


def check_the_archive_is_small_and_has_no_python(archive: Path, more: float = 1.0) -> None:
    """An FMU stays below 150 kB, in space below 250 kB, and no file in it is Python."""
    assert archive.stat().st_size < more * LARGEST.get(archive.stem.partition(".")[0], LARGEST["planar"])
    with zipfile.ZipFile(archive) as packed:
        assert not [name for name in packed.namelist() if Path(name).suffix in {".py", ".pyc", ".pyd"}]


# The cross compiler is an optional Debian package; what it makes of a component is what it makes of a mechanism, of which some are quick.
@pytest.mark.slow
@pytest.mark.skipif(shutil.which(MINGW) is None, reason="win64 needs MinGW")
def test_the_dll_imports_what_windows_has(component: type[Component], fmi: int, tmp_path: Path) -> None:
    """A DLL imports from KERNEL32 and the C library of Windows alone, and exports the functions of the standard only; MinGW adds a little to it."""
    options = Options((fmi,), ("win64",))
    (built,) = build_one(component, cache_folder() / content_key(component, fmi, options)[:24], options)
    binaries.check_dll(binaries.library(built.path, tmp_path), fmi)
    check_the_archive_is_small_and_has_no_python(built.path, more=1.05)


@cache
def compiler() -> str:
    found = shutil.which("gcc") or shutil.which("cc")
    assert found is not None
    return found


@pytest.mark.parametrize("name", [pytest.param("planar.Body1", marks=pytest.mark.slow), "planar.Revolute"])
def test_an_fmu_can_be_built_from_its_own_sources(name: str, fmi: int, fmu: Fmu, tmp_path: Path) -> None:
    """Compiled from the sources inside, without anything else, the library takes the place of the delivered one and gives its values."""
    delivered, component = fmu(find(name), fmi), find(name)
    with zipfile.ZipFile(delivered) as packed:
        packed.extractall(tmp_path / "fmu")
    sources = tmp_path / "fmu" / "sources"
    library = tmp_path / "fmu" / "binaries" / FOLDERS[fmi] / f"{declaration(component).identifier}.so"
    library.unlink()
    output(compiler(), "-std=c11", "-fPIC", "-shared", "-I", sources, *sources.glob("*.c"), "-o", library, "-lm")
    binaries.check_exports_fmi_only(library, fmi)
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


def test_every_library_stands_alone(library: Path, archive: Path, fmi: int) -> None:
    """The checks above, of a library that is extracted once."""
    check_the_library_needs_the_c_library_only(library)
    check_the_library_exports_fmi_only(library, fmi)
    check_the_library_calls_no_python_and_opens_no_file(library)
    check_the_archive_is_small_and_has_no_python(archive)
