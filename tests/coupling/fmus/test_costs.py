"""The cost of reading grows with the size of what is read, and no faster."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from coupling.fmus import load, reader

ROOT = Path(__file__).parents[3]

VARIABLES = {
    "inputs": ('<Float64 name="v{i}" valueReference="{i}" causality="input" start="0"/>', ""),
    "states": (
        '<Float64 name="x{i}" valueReference="{i}" causality="local" variability="continuous" initial="exact" start="1"/>'
        '<Float64 name="der(x{i})" valueReference="9{i:07}" causality="local" variability="continuous" derivative="{i}"/>',
        '<ContinuousStateDerivative valueReference="9{i:07}"/>',
    ),
}


def written(path: Path, kind: str, count: int) -> Path:
    """Writes an FMU with many variables; its binary is never opened."""
    variables, structure = ("".join(map(each, range(count))) for each in (lambda i, t=text: t.format(i=i) for text in VARIABLES[kind]))
    description = (
        '<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="g"><ModelExchange modelIdentifier="m"/>'
        f"<ModelVariables>{variables}</ModelVariables><ModelStructure>{structure}</ModelStructure></fmiModelDescription>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr("binaries/x86_64-linux/m.so", "")
    return path


def calls(path: Path) -> int:
    """Returns the number of calls of functions, in Python and in C, while an FMU is read."""
    count = 0

    def noted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(noted)
    try:
        load(path)
    finally:
        sys.setprofile(None)
    return count


def instructions(path: Path) -> int:
    """Returns the number of instructions of a process that reads an FMU: of all loops in C as well."""
    read = f"import pathlib, coupling.fmus as f; f.load(pathlib.Path({str(path)!r}))"
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*counting, sys.executable, "-c", read], cwd=ROOT, capture_output=True, text=True, check=True)
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    assert found, done.stderr
    return int(found[1].replace(",", ""))


MOST = 4.2
"""Growth of counted work for four times the size; a comparison of all with each would be 16."""


@pytest.mark.parametrize("kind", VARIABLES)
@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_calls_grow_with_the_number_of_variables(kind: str, count: int, tmp_path: Path) -> None:
    """Four times as many variables need four times as many calls."""
    load(written(tmp_path / "first.fmu", kind, 1))
    few, many = (calls(written(tmp_path / f"{number}.fmu", kind, number)) for number in (count, 4 * count))
    assert 3.8 < many / few < MOST


@pytest.mark.slow
# Needed since valgrind, which counts instructions, is an optional Debian package.
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("kind", VARIABLES)
def test_instructions_grow_with_the_number_of_variables(kind: str, tmp_path: Path) -> None:
    """Loops inside a call of C are counted too, such as a search in a list; the start of Python is taken off."""
    start, few, many = (instructions(written(tmp_path / f"{number}.fmu", kind, number)) for number in (1, 2500, 10_000))
    assert 3.8 < (many - start) / (few - start) < MOST


def test_quadratic_work_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison of all names with each shows in the counted calls."""
    read = reader._read

    def compared(*given: Any) -> Any:
        fmu = read(*given)
        assert sum(one.__eq__(other) is True for one in fmu.variables for other in fmu.variables) == len(fmu.variables)
        return fmu

    monkeypatch.setattr(reader, "_read", compared)
    few, many = (calls(written(tmp_path / f"{number}.fmu", "inputs", number)) for number in (200, 800))
    assert many / few > 2 * MOST
