"""Binaries of FMUs that bring only sources for this platform: compiled once for each content, and kept beside unpacked FMUs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from coupling.errors import shown
from coupling.files import scratch
from coupling.fmus.archive import platform_folders, unpack
from coupling.fmus.build_description import Recipe, SourceSet, language_of, sentence
from coupling.fmus.cache import shared_folder
from coupling.fmus.errors import FmuError
from fmu_components.export.compile import PLATFORMS, STANDARD, ExportError, compiler_version

_PROGRAM = Path(__file__).with_name("compiling.py")
_CORE = Path(__file__).parents[1] / "kernel" / "_core.so"
_FLAGS = ("-O2", "-fPIC", "-w", "-ffp-contract=off")
"""Options of all compilations. The sources were written for compilers that warn of other things."""
_SECONDS, _MEMORY, _LARGEST = 300, 4 << 30, 1 << 30
"""Limits of a compilation: time in s, address space of each program in bytes, and size of each written file in bytes."""
_NOT_COMPILED = ("binaries", "documentation")


def compiled_library(path: Path, sha256: str, version: int, identifier: str, recipe: Recipe, *, sandbox: bool) -> tuple[Path, str]:
    """Returns the binary for this platform, and a note. It is compiled unless the cache has it. ``sandbox``: the compiler may access only
    the files of the FMU and of the system."""
    target = PLATFORMS["linux64"]
    try:
        compiler = target.required_compiler()
        made_by = compiler_version(compiler)
    except ExportError as error:
        raise FmuError(f"'{path}' brings sources and no binary for this platform, and cannot be compiled: {error}") from None
    told = sha256, identifier, repr(recipe), made_by, *_FLAGS
    place = f"binaries/{platform_folders(version)[0]}/{identifier}{target.suffix}"
    digest = hashlib.sha256("\0".join(told).encode()).hexdigest()
    folder = shared_folder(
        digest, platform_folders(3)[0], path.stem, lambda folder: _fill(folder / place, path, version, compiler, recipe, sandbox)
    )
    note = f"'{path.name}' has no binary for this platform and was compiled from its sources by {Path(compiler).name}{sentence(recipe.left_out)}"
    return folder / place, note


def _fill(library: Path, path: Path, version: int, compiler: str, recipe: Recipe, sandbox: bool) -> None:
    library.parent.mkdir(parents=True)
    with scratch() as work:
        inside, made = work / "fmu", work / "made"
        for folder in (inside, made):
            folder.mkdir()
        unpack(path, inside, version, lambda name: name.split("/")[0] not in _NOT_COMPILED)
        commands = [*_commands(compiler, recipe, made)]
        task = {
            "core": str(_CORE) if sandbox else "",
            "readable": list(map(str, (inside, STANDARD, *_places(compiler)))),
            "writable": [str(made)],
            "commands": commands,
            "messages": str(made / "messages.txt"),
            "memory": _MEMORY,
            "seconds": _SECONDS,
            "file": _LARGEST,
        }
        done = _run(task, inside, made, path)
        if "failed" in done:
            raise _refused(path, commands[done["failed"]], done["said"], made)
        if "problem" in done or not (made / _LIBRARY).is_file():
            raise FmuError(
                f"'{path}' brings sources and no binary for this platform, and cannot be compiled: {done.get('problem', 'no binary was written')}"
            )
        shutil.copyfile(made / _LIBRARY, library)


_LIBRARY = "library.so"


def _places(compiler: str) -> list[Path]:
    """Returns the folders of a compiler and of its parts; those of the system need no mention."""
    folders = dict.fromkeys(each.parent for each in (Path(compiler), Path(compiler).resolve()))
    return [folder.parent if folder.name == "bin" and folder.parent != Path.home() else folder for folder in folders]


def _commands(compiler: str, recipe: Recipe, made: Path) -> list[list[str]]:
    """Returns the commands that compile all files, and link them. Their paths are relative to the unpacked FMU, except what they write."""
    commands: list[list[str]] = []
    objects: list[str] = []
    languages: set[str] = set()
    for each in recipe.sets:
        for file in each.files:
            objects.append(str(made / f"{len(objects)}.o"))
            languages.add(language_of(file))
            commands.append([compiler, "-c", *_FLAGS, *_options(each, file), file, "-o", objects[-1]])
    libraries = ["-lm", *(["-lstdc++"] if "c++" in languages else [])]
    return [*commands, [compiler, "-shared", "-Wl,-z,defs", *objects, *libraries, "-o", str(made / _LIBRARY)]]


def _options(sources: SourceSet, file: str) -> list[str]:
    plus = "++" in sources.language
    standard = [f"-std={sources.language}"] if sources.language and plus == (language_of(file) == "c++") else []
    folders = dict.fromkeys((*sources.folders, "sources"))
    return [*standard, *(f"-D{each}" for each in sources.definitions), *(f"-I{each}" for each in folders), "-idirafter", str(STANDARD)]


def _run(task: dict[str, Any], inside: Path, made: Path, path: Path) -> dict[str, Any]:
    """Runs all commands, and ends them after their time."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TMPDIR": str(made)}
    command = [sys.executable, "-I", "-S", str(_PROGRAM), json.dumps(task)]
    process = subprocess.Popen(
        command,
        cwd=inside,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=_SECONDS)
        done: dict[str, Any] = json.loads(said)
    except subprocess.TimeoutExpired:
        done = {"problem": f"the compiler took longer than {_SECONDS} s"}
    except ValueError:
        done = {"problem": "its compilation ran out of memory or time"}
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return done


_ERROR = re.compile(r"^(?P<place>[^:\n]+(?::\d+)?)(?::\d+)*: (?:fatal )?error: (?P<text>.+)$", re.MULTILINE)

_MISSING = "undefined reference"


def _refused(path: Path, command: list[str], said: str, made: Path) -> FmuError:
    """Returns the error on sources that do not compile: the first error of the compiler, its file, and the command."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["the compiler gave no reason"]
    missing = next((line[line.index(_MISSING) :] for line in lines if _MISSING in line), "")  # the linker's last line says less
    first = _ERROR.search(said)
    wrong = missing or (f"{first['place']}: {first['text']}" if first else lines[-1])
    told = shown(wrong, 300)[1:-1]
    typed = shlex.join(command).replace(f"{made}/", "")
    return FmuError(
        f"'{path}' brings sources and no binary for this platform, and does not compile: {told}; report this to its makers, or export it for "
        f"this platform. The command was: {typed}"
    )
