"""Builds the FMUs of the component library, or of a user's own components."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from fmu_components import catalogue
from fmu_components.declare.component import Component, component_name, component_title, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.export.build import BuiltFmu, Options, build
from fmu_components.export.compile import PLATFORMS, ExportError, available_platforms
from fmu_components.modelica.package import package_text, switching, write_package


def main(arguments: Sequence[str] | None = None, prog: str = "build_fmus.py") -> int:
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="components such as planar.Revolute, or paths of Python files that declare components; all components where none is named",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the FMUs; they go into its sub-folders fmi2 and fmi3")
    parser.add_argument("--fmi", type=int, choices=(2, 3), help="only this FMI version (default: both)")
    parser.add_argument(
        "--backend",
        choices=("native", "python"),
        default="native",
        help="native: C, both FMI versions; python: PythonFMU, FMI 2.0 Co-Simulation (default: native)",
    )
    parser.add_argument(
        "--platform",
        metavar="LIST",
        help=f"comma-separated, of {', '.join(PLATFORMS)} (default: linux64, and win64 where its cross compiler is installed)",
    )
    parser.add_argument(
        "--modelica",
        type=Path,
        metavar="DIR",
        help="write the components that do not switch as the Modelica package Jourdain into this folder",
    )
    parser.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a table of the one component that is named, from a file with two columns in SI units, or with y in its first row and x in its "
        "first column; may be repeated",
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="NAME=KIND",
        help="kind of a table that --table gives, such as cubic or 'periodic smooth' (default: that of the component); may be repeated",
    )
    parser.add_argument("--list", action="store_true", help="list the components and stop")
    chosen = parser.parse_args(arguments)
    try:
        components = _with_tables(_components(chosen.names), chosen.table, chosen.kind)
        if chosen.list:
            for component in components:
                print(f"{component_name(component):32} {component_title(component)}")
            return 0
        if chosen.modelica is not None:
            print(_modelica(components, chosen.modelica, named=bool(chosen.names)))
            if chosen.out is None:
                return 0
        if chosen.out is None:
            parser.error("the folder for the FMUs is missing; give it with --out DIR")
        return _build(components, _writable(chosen.out), _options(chosen))
    except (LookupError, DeclarationError, ExportError, OSError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 1


def _components(names: Sequence[str]) -> list[type[Component]]:
    if not names:
        return list(catalogue.all_components().values())
    found: list[type[Component]] = []
    for name in names:
        found += catalogue.from_file(Path(name)) if name.endswith(".py") else [catalogue.find(name)]
    chosen = list(dict.fromkeys(found))
    names_of = [component_name(component) for component in chosen]
    for name in names_of:
        if names_of.count(name) > 1:
            raise DeclarationError(
                f"two of the components are called '{name}', and their FMUs would overwrite each other; rename one of them"
            )
    return chosen


def _with_tables(components: list[type[Component]], files: Sequence[str], kinds: Sequence[str]) -> list[type[Component]]:
    """Returns the only component with the tables of ``--table`` and their ``--kind``; all components where none is given."""
    tables = {name: {"points": file} for name, file in _pairs("--table", "file, such as force=spring.csv", files).items()}
    for name, kind in _pairs("--kind", "kind, such as force=cubic", kinds).items():
        if name not in tables:
            raise DeclarationError(f"--kind {name}={kind}: there is no table of that name; give its file by --table {name}=FILE")
        tables[name]["kind"] = kind
    if tables and len(components) != 1:
        raise DeclarationError(f"--table is for one component, but {len(components)} are built; name the one that has the table")
    return [components[0].with_tables(**tables)] if tables else components


def _pairs(option: str, what: str, given: Sequence[str]) -> dict[str, str]:
    """Returns the values of an option by the names before their equals signs."""
    found: dict[str, str] = {}
    for each in given:
        name, _, value = each.partition("=")
        if not name or not value:
            raise DeclarationError(f"{option} {each}: write the name of a table and its {what}")
        if name in found:
            raise DeclarationError(f"{option} {each}: '{name}' is given twice; leave one out")
        found[name] = value
    return found


def _modelica(components: Sequence[type[Component]], folder: Path, named: bool) -> str:
    """Writes the package. A component that switches is left out where all are asked for, and refused where it is named."""
    declared = [declaration(component) for component in components]
    written = declared if named else [each for each in declared if switching(each) is None]
    text = package_text(written)
    file = write_package(text, _writable(folder, "Modelica package", "--modelica"))
    left = len(declared) - len(written)
    return f"{len(written)} component{'s' if len(written) != 1 else ''} in {file}; {f'{left} left out, which switch at events' if left else 'none left out'}"


def _writable(folder: Path, what: str = "FMUs", option: str = "--out") -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
        reason = "it is not writable"
    except OSError as error:
        reason = error.strerror or str(error)
    raise ExportError(f"the {what} cannot be written into '{folder}': {reason}; give another folder with {option}")


def _options(chosen: argparse.Namespace) -> Options:
    if chosen.backend == "python":
        if chosen.fmi == 3:
            raise ExportError("the python backend offers FMI 2.0 only; leave --fmi 3 out, or take --backend native")
        if chosen.platform:
            raise ExportError("the python backend runs wherever PythonFMU does; leave --platform out, or take --backend native")
        return Options((2,), (), "python")
    platforms = (
        tuple(name.strip() for name in chosen.platform.split(",") if name.strip())
        if chosen.platform
        else tuple(p.name for p in available_platforms())
    )
    for name in platforms:
        if name not in PLATFORMS:
            raise ExportError(f"the platform '{name}' is unknown; use one or more of {', '.join(PLATFORMS)}")
    return Options((chosen.fmi,) if chosen.fmi else (2, 3), platforms)


def _build(components: Sequence[type[Component]], folder: Path, options: Options) -> int:
    count = fresh = 0
    with tqdm(total=len(components) * len(options.versions), unit="FMU", disable=not sys.stderr.isatty(), leave=False) as bar:
        for built in build(components, folder, options):
            tqdm.write(_line(built))
            bar.update()
            count, fresh = count + 1, fresh + built.fresh
    print(f"{count} FMU{'s' if count != 1 else ''} in {folder}: {fresh} built, {count - fresh} up to date")
    return 0


def _line(built: BuiltFmu) -> str:
    size = f"{built.path.stat().st_size / 1000:5.0f} kB"
    return f"{built.name:32} FMI {built.fmi}  {size}  " + (f"built in {built.seconds:.1f} s" if built.fresh else "up to date")


if __name__ == "__main__":
    sys.exit(main())
