"""Every example runs as it stands, in a folder of its own, and what it prints agrees with its closed form."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fmu_components.catalogue import from_file
from fmu_components.component import declaration
from fmu_components.declaration import Role

EXAMPLES = Path(__file__).parents[2] / "examples"


def number(pattern: str, text: str) -> float:
    """The number in the first group of a pattern."""
    found = re.search(pattern, text)
    assert found is not None, f"'{pattern}' is not in what was printed:\n{text}"
    return float(found.group(1))


def check_pendulum(printed: str, folder: Path) -> None:
    """The swing differs from that for small angles by less than 0.05 degrees, and the table has every step beside its closed form."""
    assert number(r"largest difference to the closed form over 5 s: (\S+) degrees", printed) < 0.05
    assert (folder / "pendulum.png").read_bytes().startswith(b"\x89PNG")
    head, first, *_, last = (folder / "pendulum.csv").read_text().splitlines()
    assert head == "time,angle,closed form"
    assert float(first.split(",")[1]) == pytest.approx(0.05) and float(last.split(",")[0]) == pytest.approx(5.0)


def check_own_joint(printed: str, folder: Path) -> None:
    """Accelerations and the force of the guide are those of m, I, pitch and F as the example states them; its three FMUs exist."""
    assert number(r"largest residual: (\S+)", printed) < 1e-10
    acceleration = 5.0 / (2.0 + 0.03 / 0.1**2)
    closed_forms = {"acceleration": acceleration, "angular acceleration": acceleration / 0.1, "force of the guide": 2.0 * 9.81}
    for name, expected in closed_forms.items():
        assert number(rf"\n{name}: (\S+) ", printed) == pytest.approx(expected, abs=1e-9)
    assert {path.name for path in (folder / "fmi2").iterdir()} == {"Screw.fmu", "planar.Body1.fmu", "planar.Fixed.fmu"}


CHECKS: dict[str, Callable[[str, Path], None]] = {"01_pendulum": check_pendulum, "02_own_joint": check_own_joint}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    """A process of its own runs the example without any message of an error, leaves files only in --out, and prints the expected values."""
    arguments = ["--out", "results"] if "--out" in example.read_text() else []
    done = subprocess.run([sys.executable, str(example), *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"results"}
    CHECKS[example.stem](done.stdout, tmp_path / "results")


def test_own_joint_is_what_the_example_says() -> None:
    """The screw has two constraints, its pitch in metres per radian, and couples the torque to the force along the axis."""
    (screw,) = from_file(EXAMPLES / "own_joint" / "Screw.py")
    declared = declaration(screw)
    assert len(declared.with_role(Role.ALGEBRAIC)) == 2
    assert declared["pitch"].unit == "m/rad"
    torque = declared["N.Cz"].equation
    assert torque is not None and torque.diff(declared["multiplier[2]"].symbol) == -declared["pitch"].symbol
