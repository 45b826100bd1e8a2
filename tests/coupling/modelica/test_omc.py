"""FMUs of Modelica classes by omc, for which a program on the PATH stands: it answers a script as omc does."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from coupling import BuildError, System
from coupling.modelica import omc
from coupling.modelica.omc import build_model
from jourdain import from_modelica
from tests.support.foreign import mass_spring
from tests.support.systems.modelica_machines import pendulum

FAKE = """#!{python}
import json, os, re, shutil, sys
from pathlib import Path
log = Path({log!r})
if sys.argv[1:] == ["--version"]:
    print(Path({version!r}).read_text())
    raise SystemExit
script = Path(sys.argv[1]).read_text()
log.write_text(json.dumps([*(json.loads(log.read_text()) if log.exists() else []), [script, os.environ.get("OPENBLAS_NUM_THREADS")]]))
for name in re.findall(r"buildModelFMU\\((\\S+),", script):
    if name.startswith("Act."):
        shutil.copy({fmu!r}, name + ".fmu")
        print('"' + str(Path(name + ".fmu").resolve()) + '"')
    elif name == "Bad.Exit":
        raise SystemExit(3)
    elif name == "Bad.Silent":
        print("true")
    else:
        print('""\\n"[Bad.mo:3:5-3:9:writable] Error: Variable x not found in scope Bad.\\nError: Error occurred while flattening model Bad\\n"')
for fmu, block in re.findall(r'importFMU\\("(.*?)", modelName = (\\w+)\\)', script):
    Path(block + ".mo").write_text("block " + block + " end " + block + ";")
    print('"' + block + '.mo"')
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the program, which notes all scripts in ``log``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "version").write_text("OpenModelica 1.26.0")
    program = folder / "omc"
    files = {"log": str(folder / "log"), "version": str(folder / "version"), "fmu": str(mass_spring())}
    text = re.sub(r"\{(\w+)(!r)?\}", lambda m: repr(files[m[1]]) if m[1] in files else m[0], FAKE.replace("{python}", sys.executable))
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    return folder


def scripts(fake: Path) -> list[list[str]]:
    return json.loads((fake / "log").read_text()) if (fake / "log").exists() else []


def model(folder: Path, text: str = "package Act end Act;", name: str = "Act.mo") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_script_loads_and_builds(fake: Path, tmp_path: Path) -> None:
    """The FMU is one of omc's, and runs in a system."""
    file = model(tmp_path / 'a "folder"')
    path = from_modelica("Act.DCMotor", file)
    assert path.name == "Act.DCMotor.fmu" and path.is_relative_to(tmp_path / "cache" / "modelica")
    quoted = str(file).replace('"', '\\"')
    assert scripts(fake) == [
        [
            f'loadModel(Modelica); getErrorString();\nloadFile("{quoted}"); getErrorString();\n'
            'buildModelFMU(Act.DCMotor, version = "2.0", fmuType = "me_cs", platforms = {"static"}); getErrorString();\n',
            "1",
        ]
    ]
    made = System()
    made.add("motor", path)
    assert made.simulate(stop_time=0.1).outcome.completed


def test_an_fmu_is_kept_by_content_and_version(fake: Path, tmp_path: Path) -> None:
    """Nothing is built twice; another text, name, library or version is another FMU. A package stands for all files of its folder."""
    file = model(tmp_path / "models")
    first = from_modelica("Act.DCMotor", file)
    assert from_modelica("Act.DCMotor", str(file)) == first
    assert from_modelica("Act.DCMotor", [model(tmp_path / "elsewhere")]) == first
    assert len(scripts(fake)) == 1
    others = [from_modelica("Act.Spring", file), from_modelica("Act.DCMotor", file, libraries=["Modelica", "PlanarMechanics"])]
    file.write_text("package Act  end Act;")
    others.append(from_modelica("Act.DCMotor", file))
    (fake / "version").write_text("OpenModelica 1.27.0")
    others.append(from_modelica("Act.DCMotor", file))
    package = model(tmp_path / "Act", name="package.mo")
    part = model(tmp_path / "Act" / "Parts", "within Act.Parts;", "Gear.mo")
    others.append(from_modelica("Act.DCMotor", package))
    part.write_text("within Act.Parts; model Gear end Gear;")
    others.append(from_modelica("Act.DCMotor", package))
    assert len({first, *others}) == 7 and len(scripts(fake)) == 7


def test_a_damaged_fmu_is_built_again(fake: Path, tmp_path: Path) -> None:
    path = from_modelica("Act.DCMotor", model(tmp_path))
    content = path.read_bytes()
    path.write_bytes(b"damaged")
    assert from_modelica("Act.DCMotor", tmp_path / "Act.mo").read_bytes() == content
    assert len(scripts(fake)) == 2


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "Bad.Model",
            "omc builds no FMU of 'Bad.Model': Variable x not found in scope Bad.; Error occurred while flattening model Bad",
        ),
        ("Bad.Silent", "omc builds no FMU of 'Bad.Silent': true"),
        ("Bad.Exit", "omc ended with the exit code 3: it says nothing"),
        ('Act.DCMotor); system("x"', "'Act.DCMotor); system(\"x\"' is no name of a Modelica class; give one such as 'Act.DCMotor'"),
    ],
)
def test_what_omc_refuses_is_reported(fake: Path, tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(BuildError, match=f"^{re.escape(sentence)}$"):
        from_modelica(name, model(tmp_path))


def test_a_missing_file_is_refused(fake: Path) -> None:
    with pytest.raises(BuildError, match=r"^there is no file 'none\.mo'; give the Modelica file that holds the class$"):
        from_modelica("Act.DCMotor", "none.mo")


def test_without_omc_a_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sentence = (
        "OpenModelica's compiler 'omc' is not on the PATH, and the FMU of 'Act.DCMotor' needs it; install OpenModelica, or export the FMU there "
        "and give its path to System.add"
    )
    with pytest.raises(BuildError, match=f"^{re.escape(sentence)}$"):
        from_modelica("Act.DCMotor", model(tmp_path))


def test_an_omc_that_hangs_is_ended(fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake / "omc").write_text(f"#!{sys.executable}\nimport sys, time\nif sys.argv[1:] != ['--version']: time.sleep(60)\n")
    monkeypatch.setattr(omc, "_LONGEST", 0.5)
    with pytest.raises(BuildError, match=r"^omc did not end within 0\.5 s; try 'build\.mos' in OpenModelica$"):
        from_modelica("Act.DCMotor", model(tmp_path))


def test_models_of_both_forms_are_built(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A native model becomes an FMU beside it; the FMU of a wrapped one is imported as a block."""
    wrapped = pendulum().to_modelica(tmp_path / "wrapped", form="fmu")
    native = pendulum().to_modelica(tmp_path, form="native")
    program = request.getfixturevalue("fake") / "omc"  # with an empty cache, in which components would have to be compiled
    assert build_model(wrapped, "fmu") == tmp_path / "wrapped" / "pendulum_FMU.mo"
    with pytest.raises(BuildError, match=r"^omc builds no FMU of 'pendulum': Variable x not found"):
        build_model(native, "native")
    program.write_text(program.read_text().replace('startswith("Act.")', 'startswith("pendulum")'))
    assert build_model(native, "native") == tmp_path / "pendulum.fmu" and (tmp_path / "pendulum.fmu").stat().st_size > 1000
