"""What the README shows is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_snippets_run():
    """The Python snippets work one after the other, and the falling rod is where the comment says."""
    assert len(SNIPPETS) == 4
    scope: dict = {"__name__": "readme"}
    for snippet in SNIPPETS[:2]:
        exec(snippet, scope)
    assert scope["path"].is_file()
    result = scope["result"]
    assert abs(result["p1.x"][-1] - 2.0) < 1e-9
    assert abs(result["p1.y"][-1] + 4.905) < 1e-9


def test_the_joint_of_the_readme_is_the_revolute_joint(tmp_path):
    """Ten lines in a file of the user's own become the same equations as the library's."""
    from fmu_components.catalogue import find, from_file
    from fmu_components.component import declaration

    file = tmp_path / "Pin.py"
    file.write_text(SNIPPETS[2])
    (pin,) = from_file(file)
    own, library = declaration(pin), declaration(find("planar.Revolute"))
    assert [(v.name, v.equation) for v in own.variables] == [(v.name, v.equation) for v in library.variables]


def test_the_bouncing_mass_of_the_readme_bounces(tmp_path, fmi):
    """Its FMU is built from a file and loses speed by e at each bounce."""
    import fmpy

    from fmu_components.catalogue import from_file
    from fmu_components.export.build import cached_fmu

    file = tmp_path / "BouncingMass.py"
    file.write_text(SNIPPETS[3])
    (component,) = from_file(file)
    for kind in ("ModelExchange", "CoSimulation"):
        result = fmpy.simulate_fmu(
            str(cached_fmu(component, fmi)), fmi_type=kind, stop_time=2.0, output_interval=0.02, output=["h", "bounces"]
        )
        assert result["bounces"][-1] == 3
        assert result["h"].min() > -1e-3


def test_the_commands_run(tmp_path):
    """The commands that list and build work as printed."""
    listed = subprocess.run([sys.executable, "build_fmus.py", "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "planar.Revolute" in listed
    subprocess.run([sys.executable, "build_fmus.py", "--out", str(tmp_path), "planar.Revolute"], cwd=ROOT, capture_output=True, check=True)
    assert (tmp_path / "fmi2" / "planar.Revolute.fmu").is_file()
    assert (tmp_path / "fmi3" / "planar.Revolute.fmu").is_file()


def test_the_paths_exist():
    """Every file that the README points to is there."""
    for path in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / path).exists(), path
