"""The FMU of a mechanism as a file: sources put together, compiled for each platform, packed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from coupling.errors import BuildError
from coupling.export.c_tables import driven_by_formulas, mechanism_source, model_names, renamed, schedule_source
from coupling.export.closing import closing_of
from coupling.export.equations import equations_source, kernel_sources
from coupling.export.page import page
from coupling.export.picture import picture_of
from coupling.export.structure import MechanismStructure
from coupling.export.table import MechanismTable
from coupling.files import remedy
from coupling.fused.taped import Taped
from coupling.live.session import Session
from fmu_components.export import archive, packed
from fmu_components.export import compile as c
from fmu_components.export.pages.icons import png, svg

_HERE = Path(__file__).parent
_KERNEL = _HERE.parent / "kernel"


def _sources(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.c" for name in names)


_CORE = (
    *_sources(
        "linear", "linear", "vectors", "equilibrate", "pivots", "lu", "capacitance", "damping", "least_squares", "null_space", "solve"
    ),
    *_sources("system", "build", "kernel", "differentiate", "drives", "evaluate", "failed", "loop", "options"),
    *_sources("constraints", "project", "projected"),
    *_sources("platform", "grown", "turning"),
)
"""Files of the core that evaluates, without those that integrate, record and couple."""
_FIXED = ("constraints/bordered.c", "runs/index3.c", "linear/order.c")
"""Files that steps of fixed size need as well."""
_FORMULAS = ("rows/formulas.c",)
"""Files that drives with formulas of time need as well."""
_SWITCHED = (
    *("system/settle.c", "constraints/project_fully.c"),
    *_sources("complementarity", "modes", "lemke", "impact"),
    *sorted(f"events/{path.name}" for path in (_KERNEL / "events").glob("switching*.c")),
)
"""Files that joints need as well if their constraints depend on modes."""

_OFTEN = (
    *("fmi2.c", "fmi3.c", "values.c", "explicit.c", "composition.c", "passing.c", "fused_system.c"),
    *(f"kernel/{name}" for name in ("equations/fused.c", "tapes/tape.c", "constraints/project.c", "constraints/projected.c")),
)
"""Sources that evaluations by equations run through; of the others, which then matter at events and for outputs, small code is made."""


def mechanism_sources(
    table: MechanismTable, session: Session, equations: Taped | None, models: Mapping[str, str], fmi: int
) -> dict[str, bytes]:
    """Returns all C files of the FMU by their paths in its folder of sources; ``models`` are the sources of the components by instance."""
    fixed = table.interface.fixed is not None
    implicit = table.implicit is not None and not fixed
    runtime = [path for path in (*c.runtime_sources(fmi, implicit), *c.runtime_headers(fmi)) if path.name != "this_model.h"]
    source = equations_source(equations, session) if equations else ""
    left_out = (*(() if fixed else ("fixed",)), *(() if table.built.switched else ("switched",)), *(() if equations else ("fused",)))
    embedded = [path for path in sorted((_HERE / "embedded").glob("*.[ch]")) if not path.name.startswith(left_out)]
    files = {path.name: _embedded(path) for path in (*runtime, *embedded)}
    kernel = (
        "equations/fused.h",
        *_CORE,
        *(_FIXED if fixed else ()),
        *(_SWITCHED if table.built.switched else ()),
        *(kernel_sources(source) if source else ()),
        *(_FORMULAS if driven_by_formulas(session) else ()),
    )
    files |= {f"kernel/{name}": _of_kernel(name) for name in (*kernel, *_headers(kernel))}
    files |= {f"{name}.c": renamed(text, name).encode() for text, name in model_names(models).items()}
    files["mechanism.c"] = mechanism_source(table, models, closing_of(table, session)).encode()
    files["schedule.c"] = schedule_source(table, session, equations is not None).encode()
    files |= {"equations.c": source.encode()} if source else {}
    return dict(sorted(files.items()))


@cache
def _embedded(path: Path) -> bytes:
    """Returns a source file without our comments, which would be a tenth of an archive. Headers of the standard keep theirs, their
    licence."""
    return path.read_bytes() if path.parent == c.STANDARD else without_comments(path.read_text()).encode()


def _of_kernel(name: str) -> bytes:
    """Returns a file of the kernel, which is a folder of the sources here."""
    return re.sub(rb'(#include ")(\w+/)', rb"\1kernel/\2", _embedded(_KERNEL / name))


def without_comments(source: str) -> str:
    """Returns C without its comments."""
    code = re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/', lambda found: found[1] or "", source, flags=re.DOTALL)
    return re.sub(r"[ \t]+$", "", code, flags=re.MULTILINE).lstrip()


def _headers(sources: Iterable[str]) -> set[str]:
    """Returns the kernel's headers that its sources include, directly or through other headers."""
    found: set[str] = set()
    waiting = list(sources)
    while waiting:
        included = set(re.findall(r'#include "(\w+/\w+\.h)"', (_KERNEL / waiting.pop()).read_text())) - found
        found |= included
        waiting += included
    return found


def pack(
    path: Path,
    table: MechanismTable,
    session: Session,
    equations: Taped | None,
    models: Mapping[str, str],
    fmi: int,
    platforms: Iterable[c.Platform],
) -> None:
    """Writes the FMU, or nothing at all."""
    sources = mechanism_sources(table, session, equations, models, fmi)
    seldom = [name for name in sources if name not in _OFTEN] if equations else ()

    def compiled() -> tuple[dict[c.Platform, bytes], dict[str, bytes]]:
        with packed.refusals(table.declared.name):
            return c.libraries_of(platforms, sources, cache_folder(), seldom, lambda: _described(table, session, sources, fmi))

    libraries, files = packed.anywhere(compiled)
    files |= archive.binary_files(table, fmi, libraries)
    key = sha256(b"".join(name.encode() + content for name, content in sorted(files.items()))).hexdigest()
    try:
        archive.write(path, files, key)
    except OSError as error:
        raise BuildError(f"'{path}' cannot be written: {error.strerror or error}; {remedy(error)}") from None


def _described(table: MechanismTable, session: Session, sources: Mapping[str, bytes], fmi: int) -> dict[str, bytes]:
    """Returns all files except the binaries, which compilers make at the same time."""
    shared = {
        "documentation/index.html": page(table, session, fmi).encode(),
        "documentation/licenses/license.txt": archive.LICENSE.encode(),
        "icon.png": png(table.declared),
        "icon.svg": svg(table.declared).encode(),
    }
    shared |= picture_of(table)
    structure = MechanismStructure(table, fmi)
    given = MechanismStructure(table, fmi, given=True) if table.switch else None
    return archive.fmu_files(table, fmi, shared, sources, structure, given)


def cache_folder() -> Path:
    from fmu_components.export.kept import cache_folder as folder

    return folder()
