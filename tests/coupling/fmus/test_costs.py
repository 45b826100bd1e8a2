"""The cost of reading grows with the size of what is read, and no faster."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

import pytest

from coupling.fmus import load

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


def seconds(path: Path) -> float:
    began = time.process_time()
    load(path)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("kind", "count", "most"),
    [("inputs", 2500, 6.5), *(pytest.param(kind, 10_000, 5.5, marks=pytest.mark.slow) for kind in VARIABLES)],
)
def test_reading_is_linear_in_the_number_of_variables(kind: str, count: int, most: float, tmp_path: Path) -> None:
    """Four times as many take four times as long; each comparison of all with each would take 16 times as long."""
    least = [
        min(seconds(written(tmp_path / f"{number} {attempt}.fmu", kind, number)) for attempt in range(3)) for number in (count, 4 * count)
    ]
    assert least[1] < most * least[0]
