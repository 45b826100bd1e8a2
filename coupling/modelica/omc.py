"""FMUs of Modelica classes, built by OpenModelica's compiler omc, which runs a script and needs no server."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coupling.errors import BuildError, shown
from fmu_components.export.kept import alone, cache_folder, read_summed, write_summed
from fmu_components.export.packed import anywhere, refusals
from fmu_components.modelica.names import modelica_string

_CLASS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_LONGEST = 1800.0
"""Seconds that omc may take; an FMU of a small model takes 20 s."""
_SHOWN = 3
"""Messages of omc in a sentence."""

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def from_modelica(name: str, files: Files = (), *, libraries: Sequence[str] = ("Modelica",)) -> Path:
    """Returns the FMU of the Modelica class ``name``, such as ``from_modelica("Act.DCMotor", "Act.mo")``, for ``System.add``.

    ``files`` are those that hold the class, ``libraries`` those that OpenModelica loads before. OpenModelica's compiler ``omc`` on the PATH
    builds an FMU of FMI 2.0 for Model Exchange and Co-Simulation. It is kept in the cache by the content of the files and the version of
    omc. A class that omc refuses raises BuildError with its messages.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    paths = [_checked(file) for file in given]
    for text in (name, *libraries):
        if not isinstance(text, str) or not _CLASS.fullmatch(text):
            raise BuildError(f"{shown(text)} is no name of a Modelica class; give one such as 'Act.DCMotor'")
    omc = _compiler(f"the FMU of '{name}'")

    def made() -> Path:
        folder = cache_folder() / "modelica" / _key(omc, name, paths, libraries)
        target = folder / f"{name}.fmu"
        with refusals(name), alone(folder, cache_folder()):
            if read_summed(target) is None:
                write_summed(target, _built(omc, name, paths, libraries))
        return target

    return anywhere(made)


def run_script(script: Path) -> str:
    """Runs a script by omc in its folder, and returns what omc prints; a failure raises BuildError."""
    return _run(_compiler(f"'{script}'"), script)


def _checked(file: str | os.PathLike[str]) -> Path:
    path = Path(file)
    if not path.is_file():
        raise BuildError(f"there is no file '{file}'; give the Modelica file that holds the class")
    return path.resolve()


def _compiler(what: str) -> str:
    found = shutil.which("omc")
    if found is None:
        raise BuildError(
            f"OpenModelica's compiler 'omc' is not on the PATH, and {what} needs it; install OpenModelica, or export the FMU there and give its "
            "path to System.add"
        )
    return found


def _key(omc: str, name: str, paths: Sequence[Path], libraries: Sequence[str]) -> str:
    """Returns the digest of everything that the FMU depends on. A file ``package.mo`` stands for all files of its folder."""
    version = subprocess.run([omc, "--version"], capture_output=True, text=True, check=False).stdout
    digest = hashlib.sha256("\0".join([version, name, *libraries]).encode())
    for path in paths:
        parts = sorted(path.parent.rglob("*.mo")) if path.name == "package.mo" else [path]
        for part in parts:
            digest.update(f"\0{part.relative_to(path.parent)}\0".encode() + part.read_bytes())
    return digest.hexdigest()[:24]


def _built(omc: str, name: str, paths: Sequence[Path], libraries: Sequence[str]) -> bytes:
    calls = [
        *(f"loadModel({each})" for each in libraries),
        *(f"loadFile({modelica_string(str(path))})" for path in paths),
        f'buildModelFMU({name}, version = "2.0", fmuType = "me_cs", platforms = {{"static"}})',
    ]
    with tempfile.TemporaryDirectory(prefix="jourdain-omc-") as folder:
        script = Path(folder) / "build.mos"
        script.write_text("".join(f"{call}; getErrorString();\n" for call in calls), encoding="utf-8")
        said = _run(omc, script)
        fmu = Path(folder) / f"{name}.fmu"
        if not fmu.is_file():
            raise BuildError(f"omc builds no FMU of '{name}': {_errors(said)}")
        return fmu.read_bytes()


def _run(omc: str, script: Path) -> str:
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}  # with more of them, small systems take many times as long
    try:
        run = subprocess.run(
            [omc, script.name],
            cwd=script.parent,
            capture_output=True,
            text=True,
            env=os.environ | one_thread,
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"omc did not end within {_LONGEST:g} s; try '{script.name}' in OpenModelica") from None
    said = run.stdout + run.stderr
    if run.returncode:
        raise BuildError(f"omc ended with the exit code {run.returncode}: {_errors(said)}")
    return said


def _errors(said: str) -> str:
    """Returns the errors among the messages of omc, or the last lines if it names none."""
    found = list(dict.fromkeys(each.strip() for each in re.findall(r"Error: (.*)", said)))
    if not found:
        return "; ".join(said.split("\n")[-4:]).strip("; ") or "it says nothing"
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(each.strip('"') for each in found[:_SHOWN]) + more


def build_model(model: Path, form: str) -> Path:
    """Has omc build an FMU of a native model beside its file, or import the FMU of a wrapped one; returns the file that was made."""
    name = model.stem
    if form == "native":
        made = model.with_suffix(".fmu")
        made.write_bytes(from_modelica(name, model).read_bytes())
        return made
    said = run_script(model.with_suffix(".mos"))
    blocks = sorted(model.parent.glob(f"{name}_*.mo"))
    if not blocks or "Error: " in said:
        raise BuildError(f"omc does not import '{model.with_suffix('.fmu')}': {_errors(said)}")
    return blocks[0]
