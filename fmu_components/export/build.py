"""Builds FMUs, and only those whose declaration, runtime or options have changed."""

from __future__ import annotations

import hashlib
import inspect
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import RLock

import sympy

from fmu_components.declare.component import Component, component_name, declaration
from fmu_components.export import archive, kept, packed
from fmu_components.export import compile as c
from fmu_components.export.at_once import processors
from fmu_components.export.kept import cache_folder
from fmu_components.export.ready import ready_files, ready_key
from fmu_components.export.table import VariableTable

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Options:
    """The choices for a build of components: FMI versions, platforms and backend."""

    versions: tuple[int, ...] = (2, 3)
    platforms: tuple[str, ...] = ("linux64",)
    backend: str = "native"


@dataclass(frozen=True)
class BuiltFmu:
    """One FMU that is up to date."""

    name: str
    path: Path
    fmi: int
    fresh: bool
    """True if the FMU was built now, false if nothing had changed."""
    seconds: float


def build(components: Iterable[type[Component]], folder: Path, options: Options = Options()) -> Iterator[BuiltFmu]:
    """Builds the FMUs of many components on all cores; yields each as it is ready."""
    components = list(components)
    stale = [each for each in components if any(kept.key_of(p) != key for p, _, key in targets(each, folder, options))]
    for each in components:
        if each not in stale:
            yield from (BuiltFmu(component_name(each), path, fmi, False, 0.0) for path, fmi, _ in targets(each, folder, options))
    if not stale:
        return
    if options.backend == "native" and any(_ready_key(each, fmi, options) is None for each in stale for fmi in options.versions):
        for name in options.platforms:
            for fmi in options.versions:
                c.runtime_objects(c.PLATFORMS[name], fmi, cache_folder())
    if len(stale) == 1:
        yield from build_one(stale[0], folder, options)
        return
    # Components declared in a file that was given by path exist in this process only: a fork takes them along.
    with ProcessPoolExecutor(min(len(stale), processors())) as pool:
        jobs = [pool.submit(build_one, each, folder, options) for each in stale]
        try:
            for job in as_completed(jobs):
                yield from job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@cache
def table_of(component: type[Component]) -> VariableTable:
    """The variable table of a component; computed once, since the derivatives of some take seconds."""
    return VariableTable(declaration(component))


def build_one(component: type[Component], folder: Path, options: Options = Options()) -> list[BuiltFmu]:
    """Builds the FMUs of one component that are not up to date."""
    began = time.perf_counter()
    due = [target for target in targets(component, folder, options) if kept.key_of(target[0]) != target[2]]
    if due:
        _build(component, due, options)
    seconds = time.perf_counter() - began
    return [
        BuiltFmu(component_name(component), path, fmi, (path, fmi, key) in due, seconds / max(1, len(due)))
        for path, fmi, key in targets(component, folder, options)
    ]


def _build(component: type[Component], due: Sequence[tuple[Path, int, str]], options: Options) -> None:
    if all(_ready_key(component, fmi, options) == key for _, fmi, key in due):
        for path, fmi, key in due:
            packed.write(path, ready_files(component_name(component), fmi), key)
        return
    table = table_of(component)  # type: ignore[arg-type]
    if options.backend == "python":
        from fmu_components.export.python_slave import build_python_fmu

        for path, _, key in due:
            build_python_fmu(table, path.parent, key)
    else:
        platforms = [c.PLATFORMS[name] for name in options.platforms]
        shared = archive.shared_files(table)
        objects = {p: c.compile_model(p, shared["sources/model.c"].decode(), cache_folder()) for p in platforms}
        for path, fmi, key in due:
            libraries = {p: c.link(p, fmi, table.implicit is not None, objects[p], cache_folder()) for p in platforms}
            packed.write(path, archive.component_files(table, fmi, shared, libraries), key)


def cached_fmu(component: type[Component], fmi: int, backend: str = "native") -> Path:
    """Returns the path of the FMU of a ``component``, built on demand and kept by its content in the cache folder. ``fmi`` is 2 or 3;
    ``backend`` is "native" (C) or "python" (PythonFMU, FMI 2 for Co-Simulation). Other versions raise ValueError."""
    options, name = Options((fmi,), backend=backend), component_name(component)
    with _building:
        try:
            return packed.anywhere(lambda: _cached(component, name, fmi, options))
        except c.ExportError:
            found = _built_before(component, fmi, options)  # what a compiler made earlier needs none now
            if found is None:
                raise
            return found


def _cached(component: type[Component], name: str, fmi: int, options: Options) -> Path:
    key = content_key(component, fmi, options)
    target = packed.place_of(name, fmi, key)
    if kept.key_of(target) != key:
        with packed.made_alone(name, target):
            build_one(component, target.parents[1], options)
    return target


def _built_before(component: type[Component], fmi: int, options: Options) -> Path | None:
    """The newest FMU in the cache that any compiler made of the same sources."""
    wanted = source_key(component, fmi, options)
    found = cache_folder().glob(f"*/fmi{fmi}/{component_name(component)}.fmu")
    same = [path for path in found if (kept.key_of(path) or "").endswith(f"-{wanted[:_SHARED]}")]
    return max(same, key=lambda path: path.stat().st_mtime_ns, default=None)


_building = RLock()
"""Threads build one after the other; so do processes that want the same FMU."""


def targets(component: type[Component], folder: Path, options: Options) -> list[tuple[Path, int, str]]:
    """The files to be made, with their FMI versions and the keys of their contents."""
    name = component_name(component)
    return [(folder / f"fmi{fmi}" / f"{name}.fmu", fmi, content_key(component, fmi, options)) for fmi in options.versions]


_SHARED = 32
"""Digits of a key that do not depend on the compiler."""


def content_key(component: type[Component], fmi: int, options: Options) -> str:
    """Changes with anything that the FMU is made of: declaration, exporter, runtime, options, compilers; what follows the dash does not depend on compilers."""
    ready = _ready_key(component, fmi, options)
    if ready is not None:
        return ready
    sources = source_key(component, fmi, options)
    if options.backend == "native":
        tools = [c.compiler_version(c.PLATFORMS[name].required_compiler()) for name in options.platforms]
    else:
        tools = [sys.version]
    own = hashlib.sha256("\0".join([sources, *tools]).encode()).hexdigest()
    return f"{own}-{sources[:_SHARED]}"


def _ready_key(component: type[Component], fmi: int, options: Options) -> str | None:
    """Returns the key of the FMU whose library the wheel contains; None for all that is no class of the package itself."""
    of_package = component.__module__.startswith("fmu_components.") and component.__qualname__ == component.__name__
    wanted = of_package and (options.backend, options.platforms) == ("native", ("linux64",))
    return ready_key(component_name(component), fmi) if wanted else None


def source_key(component: type[Component], fmi: int, options: Options) -> str:
    """The same without compilers."""
    parts = [component_name(component), str(fmi), repr(options.platforms), options.backend, _core_key(), *_sources(component)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _sources(component: type[Component]) -> list[str]:
    """The files of the component and of what it inherits; the declaration itself where a class was typed into a session, or made by a
    function, on whose arguments it may depend."""
    bases = [base for base in component.__mro__ if issubclass(base, Component)]
    if not any("<locals>" in base.__qualname__ for base in bases):
        # A class typed in at a prompt has no file; the token below tells it apart.
        with suppress(OSError, TypeError):
            return [Path(file).read_text() for file in sorted({inspect.getfile(base) for base in bases})]
    return [table_of(component).token]  # type: ignore[arg-type]


@cache
def _core_key() -> str:
    files: Sequence[Path] = sorted([path for folder in ("declare", "export", "runtime") for path in (_PACKAGE / folder).rglob("*.[chp]*")])
    content = [path.read_bytes() for path in files if path.is_file() and path.suffix != ".pyc"]
    return hashlib.sha256(b"\0".join([*content, sympy.__version__.encode()])).hexdigest()
