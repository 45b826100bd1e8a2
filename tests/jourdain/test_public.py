"""The package ``jourdain`` is the public door: which names it has, that they cost nothing until they are used, and that type checkers see them."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import jourdain

PUBLIC = """
    AnalysisError Beam BuildError Checkpoint Component Contacts DeclarationError Ending Equilibria Explanation FmuError FractionalModel Index3 InitialStateError
    InterpolatedModel Isolation Joint LinearFamily LinearGrid LinearModel MeshError Outcome Patch Pose Result ResultError RunEnded Scheme Sensitivities SpatialBeam SpatialJoint StartError StateSpace Statistics
    Successive SweepError SweepTable System TransferFunction UnknownComponent WeldedBeam all_components cache_folder cached_fmu find flexible_body force_law from_file from_modelica
    orientation read_mesh sample sweep write_mesh
"""
DECLARE = "ELECTRICAL HYDRAULIC PLANAR PNEUMATIC ROTATIONAL SPATIAL THERMAL TRANSLATIONAL Angle Magnitude Port PortKind Side falls friction"
DECLARE += " holds_while reaches rises same_direction signed_root t unilateral"
MEASURES = "energy_drift final maximum minimum peak rms value_at"
LOOKS = "Deformed Picture Word ball bent blade body bush cam cart coil dashpot elastic fixed gear guide level picture pin piston rail rest rod square tyre wheel"
SHAPES = "box cylinder mesh outline sphere"
DRAWING = "Circle Drawing Line arc arrowhead axes box circle damper gearwheel ground line spring"


def python(source: str, folder: Path, *options: str) -> str:
    """Returns the output of a fresh interpreter, started in a folder that contains nothing of the project."""
    done = subprocess.run([sys.executable, *options, "-c", source], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_public_names_are_these():
    """A name that is added or dropped changes what docs/versioning.md promises, and has a line in the changelog."""
    assert jourdain.__all__ == sorted(PUBLIC.split())
    assert set(jourdain.__all__) <= set(dir(jourdain))
    from jourdain import declare, gym, icon, measures, picture, shapes

    assert icon.__all__ == DRAWING.split() and measures.__all__ == MEASURES.split() and picture.__all__ == LOOKS.split()
    assert shapes.__all__ == SHAPES.split() and gym.__all__ == ["environment"] and declare.__all__ == DECLARE.split()


def test_every_name_is_there():
    assert [name for name in PUBLIC.split() if getattr(jourdain, name, None) is None] == []


def test_the_names_are_those_of_the_packages_below():
    """There is one class System, whichever door it comes through."""
    import coupling

    assert jourdain.System is coupling.System
    assert all(getattr(jourdain, name) is getattr(coupling, name) for name in coupling.__all__)


def test_type_checkers_are_told_the_same_as_the_interpreter():
    """The imports under TYPE_CHECKING and the table of lazy names hold the same names from the same modules."""
    tree = ast.parse(inspect.getsource(jourdain))
    told = {(each.module, name.name) for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) for name in each.names}
    told = {(module, name) for module, name in told if module and module.startswith(("coupling", "fmu_components"))}
    assert told == set(jourdain._PLACES.values())


def test_importing_the_package_loads_nothing(tmp_path):
    """Neither NumPy nor SymPy nor a module of the project is imported, until a name is used."""
    source = (
        "import sys; before = set(sys.modules); import jourdain; import json; dir(jourdain);"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; print(json.dumps(sorted(new)))"
    )
    loaded = set(json.loads(python(source, tmp_path)))
    assert "jourdain" in loaded
    assert not loaded & {"numpy", "scipy", "sympy", "coupling", "fmu_components", "fmpy", "matplotlib"}
    counted = "import sys; before = len(sys.modules); import jourdain; print(len(sys.modules) - before)"
    assert int(python(counted, tmp_path)) < 60


def test_a_wrong_name_is_told():
    with pytest.raises(AttributeError, match=r"module 'jourdain' has no name 'Sytem'; dir\(jourdain\) lists its names"):
        jourdain.Sytem  # noqa: B018
    assert jourdain._OF_DECLARATIONS == DECLARE
    for name in DECLARE.split():
        with pytest.raises(AttributeError, match=f"module 'jourdain' has no name '{name}'; it is in jourdain.declare"):
            getattr(jourdain, name)
    with pytest.raises(ImportError, match="cannot import name 'Sytem'"):
        exec("from jourdain import Sytem")


def test_the_version_is_that_of_the_project():
    from importlib.metadata import version

    assert jourdain.__version__ == version("jourdain")


def test_the_old_door_stays_without_a_warning(tmp_path):
    assert python("from coupling import System; print(System.__name__)", tmp_path, "-W", "error::DeprecationWarning:coupling") == "System\n"


@pytest.mark.slow
def test_type_checkers_find_everything_from_elsewhere(tmp_path):
    """After an editable install mypy knows a System from another folder, and that a misspelt name is none."""
    (tmp_path / "used.py").write_text(
        "from jourdain import System\nfrom jourdain.declare import t\nimport jourdain\nreveal_type(System)\njourdain.Sytem\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "used.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("used.py")]
    assert len(said) == 2
    assert "-> coupling.system.System" in said[0]
    assert "Module has no attribute" in said[1]
