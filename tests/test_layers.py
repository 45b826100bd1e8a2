"""Permitted imports: the layers of docs/architecture.md, as data, and one test that holds the sources against them.

Every import counts, also one inside a function or under TYPE_CHECKING, since either is a dependence that a reader has to follow. Imports
by a computed name cannot be followed and are refused. Each kind of offence is committed once in a temporary tree, which shows that the
test detects it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS: dict[str, tuple[str, ...]] = {
    "coupling": (
        "checks errors files markup memory names outcome registry structured",
        "exact record resampling rows_file texts_file checkpoint_file mat_file fmus kernel",
        "options",
        "progress",
        "plan",
        "fused",
        "live pictures",
        "analysis equations schemes solvers export ssp",
        "held simulate composition",
        "modelica",
        "analysed checked_options at_rest explained named packaged result start_picture diagram",
        "watching",
        "steering",
        "resume",
        "system",
        "measures sampling environment",
        "sweeps",
        "sweep",
        "__init__",
    ),
    "fmu_components": (
        "__init__ words",
        "declare runtime",
        "flexible laws planar spatial mechanical1d hydraulic pneumatic thermal electrical signal",
        "catalogue",
        "export",
        "modelica",
    ),
    "jourdain": ("__init__ declare gym icon measures picture shapes", "verbs", "command", "__main__"),
}
"""Folders and files of each package, from the lowest layer to the highest; a new folder is one word here.

A layer imports lower layers. Within a layer files import files of their own folder, and files at the top of the package each other.
"""

BESIDE = {("coupling/export", "coupling/analysis"): "an exported mechanism starts in an assembled pose"}
"""Folders of one layer of which the first may import the second."""

PACKAGES: dict[str, dict[str, tuple[str, ...]]] = {
    "fmu_components": {},
    "coupling": {
        "fmu_components": (
            *("coupling/files.py", "coupling/plan/instances.py", "coupling/fused/equations.py", "coupling/fused/compiled.py"),
            *("coupling/fmus/compiled.py", "coupling/equations/", "coupling/export/", "coupling/modelica/"),
        )
    },
    "jourdain": {"fmu_components": ("jourdain/",), "coupling": ("jourdain/",)},
}
"""Other packages that each package imports, and the files and folders that import them."""

BY_NAME = {
    "coupling/registry.py": "loads every file of a folder of solvers or schemes, so that adding one touches one file",
    "fmu_components/catalogue.py": "loads every file of a folder of components, so that adding one touches one file",
    "jourdain/__init__.py": "loads names on first use",
    "coupling/solvers/base/sundials.py": "loads SUNDIALS, a third party's, when it is asked for",
}
"""Files that may import by a computed name, and why."""

KERNEL = "coupling/kernel"
C_LAYERS = (
    *("platform", "rows", "linear", "rank", "complementarity", "fmi", "system", "tapes", "constraints", "equations", "events", "runs"),
    *("cosimulation", "state", "hosts"),
)
"""The folders of the kernel, from the lowest: each includes and calls itself and those before it."""

C_FOLDERS: dict[str, tuple[str, ...]] = {
    **{f"{KERNEL}/{folder}": tuple(f"{KERNEL}/{each}" for each in C_LAYERS[:i]) for i, folder in enumerate(C_LAYERS)},
    f"{KERNEL}/tapes": (*(f"{KERNEL}/{each}" for each in C_LAYERS[: C_LAYERS.index("tapes")]), "fmu_components/runtime"),
    "fmu_components/runtime": (),
    "coupling/export/embedded": (*(f"{KERNEL}/{each}" for each in C_LAYERS), "fmu_components/runtime"),
}
"""Folders of C, and which they know besides themselves."""

C_RECURSION = {
    frozenset({f"{KERNEL}/system/evaluate.c", f"{KERNEL}/system/loop.c"}): "a loop evaluates what is inside it, which may hold loops"
}
"""C files that may call each other, and why."""

C_PHASE = f"{KERNEL}/system/phase.h"
"""The only file that assigns the phase of a kernel, and its fields."""


LIBRARIES = tuple(
    f"fmu_components/{each}" for each in ("flexible", "planar", "spatial", "mechanical1d", "hydraulic", "electrical", "signal")
)
"""The folders of the catalogue, with one file for each component; other folders hold at most 40 files."""


# -- reading ---------------------------------------------------------------------------------------------------------


def sources(root: Path, ending: str) -> dict[str, str]:
    """The files of all packages, by their paths from the root, with their text; without the headers of FMI, which are not ours."""
    found = sorted(path for package in LAYERS for path in (root / package).rglob(f"*{ending}") if path.parent.name != "standard")
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


def module_file(name: str, files: Mapping[str, str]) -> str | None:
    """The file of a module; None where it is none of ours."""
    path = name.replace(".", "/")
    return next((each for each in (f"{path}.py", f"{path}/__init__.py") if each in files), None)


def imports(file: str, text: str, files: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The files of ours that a file imports, with lines."""
    package = file.split("/")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])]) if node.level else node.module or ""
            # A name is a module of the package where there is such a file, and otherwise something inside the package itself.
            names = [f"{base}.{each.name}" if module_file(f"{base}.{each.name}", files) else base for each in node.names]
        else:
            continue
        for name in dict.fromkeys(names):
            target = module_file(name, files)
            if target and target != file:
                yield target, node.lineno


def room(file: str) -> tuple[str, str]:
    """The package of a file, and its folder, or its name where it is at the top of the package."""
    package, first, *_ = file.split("/")
    return package, first.removesuffix(".py")


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Sets of files each of which leads to all others (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            circle = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in graph:
        if node not in number:
            visit(node)
    return sorted(found)


# -- judging ---------------------------------------------------------------------------------------------------------


def offences_of_layers(root: Path) -> Iterator[str]:
    files = sources(root, ".py")
    height = {(package, word): row for package, rows in LAYERS.items() for row, words in enumerate(rows) for word in words.split()}
    for unknown in sorted({room(file) for file in files} - set(height)):
        yield f"{'/'.join(unknown)} has no layer; give it one in LAYERS"
    graph: dict[str, list[str]] = {file: [] for file in files}
    for file, text in files.items():
        for target, line in imports(file, text, files):
            graph[file].append(target)
            here, there = room(file), room(target)
            if here[0] != there[0]:
                if not any(file == place or (place[-1] == "/" and file.startswith(place)) for place in PACKAGES[here[0]].get(there[0], ())):
                    yield f"{file}:{line} imports {target} of another package"
            elif here in height and there in height and here != there:
                if height[here] < height[there]:
                    yield f"{file}:{line} imports {target}, which is in a higher layer"
                elif height[here] == height[there] and beside(here, there, root):
                    yield f"{file}:{line} imports {target}, which is beside it"
    for circle in circles(graph):
        yield f"imports in a circle: {', '.join(circle)}"


def beside(here: tuple[str, str], there: tuple[str, str], root: Path) -> bool:
    """Says whether two parts of one layer must not know each other: a folder and a part outside of this folder."""
    names = "/".join(here), "/".join(there)
    return names not in BESIDE and any((root / name).is_dir() for name in names)


def offences_by_name(root: Path) -> Iterator[str]:
    for file, text in sources(root, ".py").items():
        lines = [
            node.lineno
            for node in ast.walk(ast.parse(text))
            if (isinstance(node, ast.Attribute) and node.attr == "import_module")
            or (isinstance(node, ast.Name) and node.id in ("import_module", "__import__"))
            or (isinstance(node, ast.ImportFrom) and any(each.name in ("import_module", "__import__") for each in node.names))
        ]
        if lines and file not in BY_NAME:
            yield f"{file}:{min(lines)} imports by a computed name"


def offences_in_c(root: Path) -> Iterator[str]:
    files = sources(root, ".[ch]")
    graph: dict[str, list[str]] = {file: [] for file in files}
    called = calls(files)
    for file, text in files.items():
        folder = Path(file).parent.as_posix()
        if folder not in C_FOLDERS:
            yield f"{folder} holds C and has no line in C_FOLDERS"
            continue
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
            target = header_file(folder, name, files)
            if target:
                graph[file].append(target)
                if not knows(folder, target):
                    yield f"{file} includes {target}, of a folder that it may not know"
        yield from (f"{file} calls {other}, of a folder that it may not know" for other in sorted(called[file]) if not knows(folder, other))
        if folder.startswith(KERNEL) and re.search(r"#\s*include\s*[<\"]Python\.h", text):
            yield f"{file} includes Python"
    for circle in circles(graph):
        yield f"headers in a circle: {', '.join(circle)}"
    yield from (f"calls in a circle: {', '.join(circle)}" for circle in circles(called) if frozenset(circle) not in C_RECURSION)


def offences_of_phase(root: Path) -> Iterator[str]:
    for file, text in sources(root, ".[ch]").items():
        if file != C_PHASE and file.startswith((f"{KERNEL}/", "coupling/export/")):
            yield from (f"{file} changes '{found[0]}', which functions of {C_PHASE} change" for found in _CHANGED.finditer(bare_c(text)))


def offences_of_size(root: Path) -> Iterator[str]:
    counted = Counter(path.parent.relative_to(root).as_posix() for package in LAYERS for path in (root / package).rglob("*.py"))
    yield from (
        f"{folder} has {files} files of Python, at most 40 are clear"
        for folder, files in counted.items()
        if files > 40 and folder not in LIBRARIES
    )


def knows(folder: str, file: str) -> bool:
    """Returns whether C of a folder may include and call the contents of a file."""
    return Path(file).parent.as_posix() in (folder, *C_FOLDERS[folder])


def program(file: str) -> str:
    """The folder of all the kernel, or of the file."""
    return KERNEL if file.startswith(KERNEL) else Path(file).parent.as_posix()


def header_file(folder: str, name: str, files: Mapping[str, str]) -> str | None:
    """The file of an included name; None where it is none of ours. Exports have the kernel and the runtime beside their own files."""
    return next(
        (each for each in (f"{folder}/{name}", f"{KERNEL}/{name}", f"coupling/{name}", f"fmu_components/runtime/{name}") if each in files),
        None,
    )


def bare_c(text: str) -> str:
    """Returns C without its comments and texts."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def calls(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Returns, by file of C, the files of the same program whose functions it calls. Static functions count where they are inline in headers."""
    bare = {file: bare_c(text) for file, text in files.items()}
    bare |= {file: "\n".join(_INLINE.findall(text)) for file, text in bare.items() if file[-1] == "h"}
    defined: dict[str, set[str]] = {}
    for file, text in bare.items():
        for start, name in re.findall(r"^(\w[\w\s*]*?)\b(\w+)\s*\([^;{}]*\)\s*\{", text, re.MULTILINE):
            if start.split()[0] not in ("else", "return", "typedef") and (file[-1] == "h" or not start.startswith("static")):
                defined.setdefault(name, set()).add(file)
    used = {file: set(re.findall(r"\b(\w+)\s*\(", text)) for file, text in bare.items()}

    def targets(file: str, name: str) -> set[str]:
        others = {each for each in defined.get(name, ()) if program(each) == program(file)}
        return set() if file in others else others

    return {file: {each for name in names for each in targets(file, name)} for file, names in used.items()}


_INLINE = re.compile(r"^static inline .*?^\}", re.MULTILINE | re.DOTALL)
"""Functions that a header defines."""

_CHANGED = re.compile(
    r"(?:->|\.)\s*(phase(?:\s*\.\s*\w+)?|instances_at|factors_from)\s*(?:(?:<<|>>|[-+*/%&|^])?=(?!=)|\+\+|--)"
    r"|&\s*[\w.>-]+\b(instances_at|factors_from)\b"
)
"""An assignment of a phase or of a field of it, and the address of a field."""

RULES = {
    "layers": offences_of_layers,
    "imports by name": offences_by_name,
    "C": offences_in_c,
    "the phase": offences_of_phase,
    "the size of folders": offences_of_size,
}


@pytest.mark.every_case
@pytest.mark.parametrize("rule", RULES)
def test_the_sources_keep_their_layers(rule):
    """Nothing imports upwards, sideways, in circles or by a computed name."""
    found = list(RULES[rule](ROOT))
    assert not found, f"{len(found)} offences; docs/architecture.md says what belongs where:\n" + "\n".join(found)


def test_the_layers_name_what_there_is():
    """Each folder and file of a layer exists."""
    for package, layers in LAYERS.items():
        for name in " ".join(layers).split():
            assert (ROOT / package / name).is_dir() or (ROOT / package / f"{name}.py").is_file(), f"{package}/{name}"


def test_the_exceptions_are_needed():
    """A file that may import by a computed name does so, or is not in the table any more."""
    assert [file for file in BY_NAME if not (ROOT / file).is_file() or "import_module" not in (ROOT / file).read_text()] == []


# -- that each kind of offence is seen -------------------------------------------------------------------------------

GOOD = {
    "coupling/__init__.py": "from coupling.system import System\n",
    "coupling/errors.py": "",
    "coupling/names.py": "from coupling.errors import shown\n",
    "coupling/fmus/fmu.py": "import numpy\nfrom coupling.errors import BuildError\nfrom coupling.fmus import ports\n",
    "coupling/fmus/ports.py": "",
    "coupling/plan/instances.py": "from coupling.fmus.fmu import Fmu\nfrom fmu_components.catalogue import find\n",
    "coupling/analysis/pose.py": "from coupling.plan.instances import Part\n",
    "coupling/export/export.py": "from coupling.analysis.pose import pose\nfrom fmu_components.export.table import Table\n",
    "coupling/registry.py": "from importlib import import_module\n",
    "coupling/system.py": "def export():\n    from coupling.export.export import export_fmu\n",
    "coupling/kernel/system/kernel.h": "",
    "coupling/kernel/system/settle.c": '#include "system/kernel.h"\nvoid settle(void) {}\n',
    "coupling/kernel/runs/run.c": '#include "system/kernel.h"\n#include <math.h>\nint run(void) { return step(1); }\n',
    "coupling/kernel/runs/step.c": '#include "system/kernel.h"\nint step(int n) { return n; }\n',
    "coupling/export/embedded/system.c": '#include "kernel/system/kernel.h"\n#include "model.h"\n',
    "fmu_components/catalogue.py": "from fmu_components.declare.component import Component\n",
    "fmu_components/declare/component.py": "",
    "fmu_components/export/table.py": "from fmu_components.catalogue import find\n",
    "fmu_components/runtime/model.h": "",
    "jourdain/__init__.py": "from coupling import System\nfrom fmu_components.catalogue import find\n",
}

OFFENCES = {
    "a higher layer": ("coupling/fmus/ports.py", "from coupling.plan import instances", "which is in a higher layer"),
    "inside a function": ("coupling/errors.py", "def f():\n    import coupling.fmus.ports", "which is in a higher layer"),
    "for type checkers alone": (
        "coupling/errors.py",
        "if TYPE_CHECKING:\n    from coupling.system import System",
        "which is in a higher layer",
    ),
    "by a relative name": ("coupling/fmus/ports.py", "from ..plan.instances import Part", "which is in a higher layer"),
    "the package itself": ("coupling/analysis/pose.py", "from coupling import System", "__init__.py, which is in a higher layer"),
    "the folder beside": ("coupling/analysis/pose.py", "from coupling.export import export", "which is beside it"),
    "a file beside a folder": ("coupling/record.py", "from coupling.fmus.ports import Port", "which is beside it"),
    "the folder beside, never": ("coupling/schemes/explicit.py", "from coupling.analysis.pose import pose", "which is beside it"),
    "the catalogue from elsewhere": ("coupling/fmus/ports.py", "import fmu_components.catalogue", "of another package"),
    "components from a file beside": (
        "coupling/plan/build.py",
        "from fmu_components.declare.component import Component",
        "of another package",
    ),
    "the master from components": ("fmu_components/declare/component.py", "from coupling.errors import shown", "of another package"),
    "the public door": ("coupling/system.py", "from jourdain import System", "of another package"),
    "a circle in a folder": (
        "coupling/fmus/ports.py",
        "from coupling.fmus.fmu import Fmu",
        "circle: coupling/fmus/fmu.py, coupling/fmus/ports.py",
    ),
    "a circle at the top": ("coupling/errors.py", "from coupling.names import nearest", "circle: coupling/errors.py, coupling/names.py"),
    "a folder without a layer": ("coupling/helpers/all.py", "", "coupling/helpers has no layer"),
    "by a computed name": (
        "coupling/system.py",
        "import importlib\nimportlib.import_module('x')",
        "system.py:4 imports by a computed name",
    ),
    "by another name for it": ("coupling/system.py", "from importlib import import_module as load", "imports by a computed name"),
    "by the built-in": ("coupling/system.py", "__import__('x')", "imports by a computed name"),
    "the runtime from the kernel": ("coupling/kernel/runs/run.c", '#include "model.h"', "of a folder that it may not know"),
    "a higher folder of the kernel": ("coupling/kernel/system/kernel.h", '#include "runs/more.h"', "of a folder that it may not know"),
    "a call of a higher folder": ("coupling/kernel/system/settle.c", "void on(void) { run(); }", "calls coupling/kernel/runs/run.c"),
    "Python from the kernel": ("coupling/kernel/runs/run.c", "#include <Python.h>", "includes Python"),
    "headers in a circle": ("coupling/kernel/system/kernel.h", '#include "system/more.h"', "headers in a circle"),
    "calls in a circle": (
        "coupling/kernel/runs/step.c",
        "void back(void) { run(); }",
        "coupling/kernel/runs/run.c, coupling/kernel/runs/step.c",
    ),
    "a place assigned": (
        "coupling/kernel/runs/run.c",
        "void lose(Kernel *k) { k->phase.instances_at = 0; }",
        "run.c changes '->phase.instances_at ='",
    ),
    "a source assigned": (
        "coupling/kernel/runs/run.c",
        "void lose(Phase *p) { p->factors_from |= 1; }",
        "run.c changes '->factors_from |='",
    ),
    "a phase assigned": (
        "coupling/export/embedded/system.c",
        "void lose(Kernel *k) { k->phase = (Phase){0}; }",
        "system.c changes '->phase ='",
    ),
    "the address of a place": (
        "coupling/kernel/runs/run.c",
        "void lose(Kernel *k) { zero(&k->phase.instances_at); }",
        "run.c changes '&k->phase",
    ),
    "a call from a header": (
        "coupling/kernel/runs/more.h",
        "static inline int step(int n)\n{\n    return run();\n}",
        "coupling/kernel/runs/more.h, coupling/kernel/runs/run.c",
    ),
}


def tree(folder: Path, more: str = "", line: str = "") -> list[str]:
    """The offences of a small tree of sources with a line added to one file."""
    texts = {**GOOD, **{f"coupling/kernel/{name}/more.h": '#include "system/kernel.h"\n' for name in ("system", "runs")}}
    texts[more] = texts.get(more, "") + line + "\n"
    for file, text in texts.items():
        if file:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
    return [offence for rule in RULES.values() for offence in rule(folder)]


def test_a_good_tree_has_no_offences(tmp_path):
    assert tree(tmp_path) == []


@pytest.mark.parametrize("kind", OFFENCES)
def test_each_kind_of_offence_is_seen(tmp_path, kind):
    """Each offence is one line put up on purpose, and it is named with its file."""
    file, line, expected = OFFENCES[kind]
    found = tree(tmp_path, file, line)
    assert any(expected in each for each in found), found


def test_a_folder_with_too_many_files_is_seen(tmp_path):
    """Forty files are one folder, forty-one are not; a library of the catalogue has one file for each component."""
    for folder in (tmp_path / "coupling/plan", tmp_path / "fmu_components/planar"):
        folder.mkdir(parents=True)
        for i in range(41):
            (folder / f"part{i}.py").touch()
    assert list(offences_of_size(tmp_path)) == ["coupling/plan has 41 files of Python, at most 40 are clear"]
    (tmp_path / "coupling/plan/part0.py").unlink()
    assert list(offences_of_size(tmp_path)) == []
