"""Contents of every FMU as a program: it needs only the C library, exports only FMI, and can be built again."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import Component, declaration
from fmu_components.export.build import Options, build_one, content_key
from fmu_components.export.kept import cache_folder
from tests.support.export import binaries
from tests.support.export.binaries import FOLDERS, MINGW, output
from tests.support.runtime.driver import Driver

Fmu = Callable[[type[Component], int], Path]


# The cross compiler is an optional Debian package; what it makes of a component is what it makes of a mechanism, of which some are quick.
@pytest.mark.slow
@pytest.mark.skipif(shutil.which(MINGW) is None, reason="win64 needs MinGW")
def test_every_dll_imports_what_windows_has(tmp_path: Path) -> None:
    """A DLL imports from KERNEL32 and the C library of Windows alone, and exports the functions of the standard only; MinGW adds a little to it."""
    for (name, component), fmi in product(all_components().items(), (2, 3)):
        options = Options((fmi,), ("win64",))
        (built,) = build_one(component, cache_folder() / content_key(component, fmi, options)[:24], options)
        binaries.check_dll(binaries.library(built.path, tmp_path / f"{name}{fmi}"), fmi)
        binaries.check_small_and_without_python(built.path, more=1.05)


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
