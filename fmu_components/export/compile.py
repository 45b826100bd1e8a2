"""Compiler of an FMU's shared library from the C sources of the runtime and of a model."""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import TypeVar

from fmu_components.export import kept
from fmu_components.export.at_once import AtOnce
from fmu_components.export.leftovers import scratch
from fmu_components.export.remedies import is_limit

T = TypeVar("T")

RUNTIME = Path(__file__).parents[1] / "runtime"
STANDARD = RUNTIME / "standard"
"""The folder of the standard's C headers."""
COMPILED = RUNTIME / "compiled"
"""The folder of the objects that ``setup.py`` compiles."""
SHARED_SOURCES = (
    "messages.c",
    "requests.c",
    "snapshot.c",
    "events.c",
    "values.c",
    "sensitivity.c",
    "lu.c",
    "method.c",
    "explicit.c",
    "implicit.c",
    "locate.c",
    "step.c",
    "instance.c",
    "composed.c",
)
IMPLICIT_SOURCES = ("implicit.c", "lu.c")
"""C sources that only models with the option ``solver.implicit`` need."""
SHARED_HEADERS = ("model.h", "chain.h", "this_model.h", "runtime.h", "method.h", "lu.h", "lookup.h")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wno-overlength-strings", "-Werror")
"""Texts of a component are longer together than the 4,095 characters that every compiler takes; those that there are take more."""
FLAGS = (
    "-std=c11",
    *WARNINGS,
    "-fvisibility=hidden",
    "-O2",
    "-fPIC",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-asynchronous-unwind-tables",
)
MODEL_FLAGS = (*FLAGS, "-O1", "-fexpensive-optimizations", "-Wno-ignored-optimization-argument")
"""Flags for models of components, which are long code without loops. With -O2 it takes nearly twice as long to compile, runs no faster and
gives the same digits. clang does not know the second option."""


class ExportError(RuntimeError):
    """An FMU cannot be built; the message says what is missing and how to get it."""


@dataclass(frozen=True)
class Platform:
    """A target and how its libraries are made."""

    name: str
    fmi2_folder: str
    fmi3_folder: str
    suffix: str
    compilers: tuple[str, ...]
    link_flags: tuple[str, ...]
    remedy: str
    mechanism_flags: tuple[str, ...] = ()
    """Additional flags for linking a mechanism, whose library is larger than those of components."""

    def compiler(self) -> str | None:
        """The first compiler that is installed; for the machine itself, the environment variable CC goes before."""
        chosen = [os.environ["CC"]] if self.name == "linux64" and os.environ.get("CC") else list(self.compilers)
        return next((found for name in chosen if (found := shutil.which(name))), None)

    def required_compiler(self) -> str:
        found = self.compiler()
        if found is None and self.name == "linux64" and os.environ.get("CC"):
            raise ExportError(
                f"the environment variable CC is '{os.environ['CC']}', which names no program: give a compiler's name or path without options, or unset it"
            )
        if found is None:
            raise ExportError(self.remedy)
        return found


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform(
            "linux64",
            "linux64",
            "x86_64-linux",
            ".so",
            ("gcc", "cc", "clang"),
            ("-shared", "-Wl,--no-undefined", "-Wl,-z,relro,-z,now", "-s"),
            "no C compiler was found: install gcc (Debian: apt install gcc), or name a compiler in the environment variable CC",
            mechanism_flags=("-Wl,-z,noseparate-code", "-Wl,--build-id=none"),
        ),
        Platform(
            "win64",
            "win64",
            "x86_64-windows",
            ".dll",
            ("x86_64-w64-mingw32-gcc",),
            ("-shared", "-static-libgcc", "-Wl,--no-insert-timestamp", "-s"),
            "win64 needs the cross compiler x86_64-w64-mingw32-gcc: install Debian's package gcc-mingw-w64-x86-64, "
            "or leave win64 out of --platform",
        ),
    )
}


def available_platforms() -> list[Platform]:
    """linux64, and win64 where its cross compiler is installed."""
    return [p for p in PLATFORMS.values() if p.name == "linux64" or p.compiler()]


def runtime_sources(fmi: int, implicit: bool = True) -> list[Path]:
    """The C files of the runtime that an FMU of this version consists of, beside ``model.c``; with the implicit method or without."""
    shared = [RUNTIME / name for name in SHARED_SOURCES if implicit or name not in IMPLICIT_SOURCES]
    return [*shared, *sorted(RUNTIME.glob(f"fmi{fmi}*.c"))]


def runtime_headers(fmi: int) -> list[Path]:
    standard = sorted(STANDARD.glob(f"fmi{fmi}*.h"))
    return [*(RUNTIME / name for name in SHARED_HEADERS), *sorted(RUNTIME.glob(f"fmi{fmi}*.h")), *standard]


def runtime_files(fmi: int, implicit: bool) -> dict[str, bytes]:
    """Returns the sources and headers of the runtime by their names, as an FMU contains them."""
    return {path.name: path.read_bytes() for path in (*runtime_sources(fmi, implicit), *runtime_headers(fmi))}


@cache
def compiler_version(compiler: str) -> str:
    try:
        return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise ExportError(
            f"the C compiler '{compiler}' does not report its version ({error}); name another one in the environment variable CC, or unset it"
        ) from None


@cache
def _runtime_key(compiler: str) -> str:
    files = sorted(path for folder in (RUNTIME, STANDARD) for path in folder.glob("*.[ch]"))
    text = "".join(path.read_text() for path in files)
    return hashlib.sha256((text + compiler_version(compiler) + str(FLAGS)).encode()).hexdigest()[:16]


def runtime_objects(platform: Platform, fmi: int, cache_folder: Path) -> list[Path]:
    """Returns the compiled runtime, which is the same for all components: that of the installation, or compiled once into the cache."""
    installed = _runtime_folder(platform, COMPILED)
    objects = [installed / source.with_suffix(".o").name for source in runtime_sources(fmi)]
    whole = all(kept.read_summed(each) is not None for each in objects)
    return objects if whole else compile_runtime(platform, fmi, cache_folder)


def compile_runtime(platform: Platform, fmi: int, folder: Path) -> list[Path]:
    """Compiles the runtime into a folder, except what is there already of the same texts by the same compiler."""
    compiler, inside = platform.required_compiler(), _runtime_folder(platform, folder)
    sources = runtime_sources(fmi)
    objects = [inside / source.with_suffix(".o").name for source in sources]
    with AtOnce[None](_COMPILERS) as compilers:
        for source, target in zip(sources, objects, strict=True):
            compilers.begin(partial(_kept_object, compiler, source, target))
        compilers.results()
    return objects


def _runtime_folder(platform: Platform, folder: Path) -> Path:
    return folder / f"runtime-{platform.name}-{_runtime_key(platform.required_compiler())}"


def _kept_object(compiler: str, source: Path, target: Path, folders: Sequence[Path] = (RUNTIME,), flags: Sequence[str] = FLAGS) -> None:
    """Compiles what is not in the cache, or not as it was written."""
    if kept.read_summed(target) is None:
        with scratch() as folder:
            made = folder / target.name
            _compile(compiler, source, made, folders, flags)
            kept.write_summed(target, made.read_bytes())


def _compile(compiler: str, source: Path, target: Path, folders: Sequence[Path] = (RUNTIME,), flags: Sequence[str] = FLAGS) -> None:
    _run([compiler, *flags, *(f"-I{folder}" for folder in (*folders, STANDARD)), "-c", str(source)], target)


_NO_ROOM = {
    **{number: os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EROFS)},
    errno.EFBIG: "File size limit exceeded",
}
"""Text of a compiler by the error that it met when it wrote a temporary file."""


def _run(command: Sequence[str], made: Path) -> None:
    try:
        done = subprocess.run([*command, "-o", str(made)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        if is_limit(error) and not error.filename:
            raise
        raise ExportError(f"the compiler cannot be started: {error}; name another one in the environment variable CC") from None
    if done.returncode != 0:
        number = next((number for number, text in _NO_ROOM.items() if text in done.stderr), None)
        if number:
            raise OSError(number, os.strerror(number), str(made))
        raise ExportError(f"the compiler refused: {' '.join(command)}\n{done.stderr.strip()}")
    if not made.is_file():
        raise ExportError(
            f"the compiler '{command[0]}' wrote nothing, and refused nothing; name another one in the environment variable CC"
        )


def compile_model(platform: Platform, model_c: str, cache_folder: Path) -> Path:
    """The object of a model; it serves both FMI versions, and is kept by content since they may be asked for one after the other."""
    compiler = platform.required_compiler()
    text = model_c + (RUNTIME / "model.h").read_text()
    target = _objects_folder(platform, cache_folder) / f"{_digest(text, compiler, MODEL_FLAGS)}.o"
    with scratch() as folder:
        source = folder / "model.c"
        source.write_text(model_c)
        _kept_object(compiler, source, target, flags=MODEL_FLAGS)
    return target


def _objects_folder(platform: Platform, cache_folder: Path) -> Path:
    return cache_folder / f"objects-{platform.name}"


def _digest(text: str, compiler: str, flags: Sequence[str]) -> str:
    return hashlib.sha256((text + compiler_version(compiler) + str(flags)).encode()).hexdigest()[:24]


def link(platform: Platform, fmi: int, implicit: bool, model_object: Path, cache_folder: Path) -> bytes:
    """The shared library of an FMU, with the implicit method or without."""
    needed = {source.stem for source in runtime_sources(fmi, implicit)}
    objects = [o for o in runtime_objects(platform, fmi, cache_folder) if o.stem in needed]
    with scratch() as folder:
        return _link(platform, folder / f"library{platform.suffix}", [model_object, *objects])


def _with_headers(name: str, sources: Mapping[str, bytes]) -> str:
    """The text of a source and of all headers of ours that it includes, themselves or through others: most sources know no version of FMI."""
    texts: dict[str, str] = {}
    waiting = [name]
    while waiting:
        file = waiting.pop()
        if file not in texts:
            texts[file] = sources[file].decode()
            for header in _INCLUDE.findall(texts[file]):
                beside = posixpath.normpath(posixpath.join(posixpath.dirname(file), header))
                waiting += [path for path in (beside, header) if path in sources]
    return "\0".join(texts.values())


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def _link(platform: Platform, library: Path, objects: Sequence[Path], flags: Sequence[str] = ()) -> bytes:
    _run([platform.required_compiler(), *platform.link_flags, *flags, *map(str, objects), "-lm"], library)
    return library.read_bytes()


def shared_library(platform: Platform, source: str, flags: Sequence[str]) -> bytes:
    """Returns the library of a single source text, compiled with flags of its own; no intermediate file is kept."""
    with scratch() as folder:
        text = folder / "code.c"
        text.write_text(source)
        return _link(platform, folder / f"library{platform.suffix}", [text], flags)


_CLOSE = ("-fno-align-functions", "-fno-align-jumps", "-fno-align-labels", "-Wno-ignored-optimization-argument")
"""Code without gaps, which are some per cent of a mechanism's library; loops stay where a processor reads them fastest. clang knows the first of these only."""


_COMPILERS = 8
"""Largest number of compilers at the same time: more take memory, and the longest source determines the time anyway."""


def libraries_of(
    platforms: Iterable[Platform], sources: Mapping[str, bytes], cache_folder: Path, seldom: Collection[str], beside: Callable[[], T]
) -> tuple[dict[Platform, bytes], T]:
    """The shared libraries that a whole folder of C sources makes, given by their paths in it, and what is found ``beside`` while compilers run. Of sources that run ``seldom`` small code is made.
    What has been compiled before, with the headers that it includes, is kept in the cache."""
    chosen = {platform: platform.required_compiler() for platform in platforms}
    flags = (*FLAGS, "-ffunction-sections", "-fdata-sections", *_CLOSE)
    names = sorted((name for name in sources if name.endswith(".c")), key=lambda name: (-len(sources[name]), name))
    with scratch() as folder, AtOnce[Path](_COMPILERS) as compilers:
        for name, content in sources.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)

        def kept_object(platform: Platform, name: str) -> Path:
            own = (*flags, "-Os") if name in seldom else flags
            target = _objects_folder(platform, cache_folder) / f"{_digest(_with_headers(name, sources), chosen[platform], own)}.o"
            _kept_object(chosen[platform], folder / name, target, (folder,), own)
            return target

        for platform in chosen:
            for name in names:
                compilers.begin(partial(kept_object, platform, name))
        found = beside()
        made = dict(zip(product(chosen, names), compilers.results(), strict=True))
        libraries = {}
        for platform in chosen:
            objects = [made[platform, name] for name in sorted(names)]
            library = folder / f"library{platform.suffix}"
            libraries[platform] = _link(platform, library, objects, ("-Wl,--gc-sections", *platform.mechanism_flags))
        return libraries, found
