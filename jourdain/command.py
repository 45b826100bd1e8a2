"""The command ``jourdain``: build, list, look into files, simulate, explain, export, write as Modelica, view, watch, sweep and test. A verb imports its parts
when it runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jourdain.verbs import explain, flexible, modelica, sweep, test, watch
from jourdain.verbs.common import (
    COMPLETED,
    ENDED_EARLY,
    INTERRUPTED,
    WRONG_USE,
    Parser,
    WrongUse,
    add_kind,
    add_run_options,
    bold,
    check_folder,
    number,
    run_of,
    said,
    softly,
    start_values_of,
    system_of,
    whole_number,
)

if TYPE_CHECKING:
    from coupling.fmus import Fmu
    from coupling.result import Result
    from coupling.system import System

_FIGURES = (".png", ".svg", ".pdf")
_WRITTEN = (".jrd", ".csv", ".mat", ".html", *_FIGURES)
_MOST_HIDDEN = 5
"""Elements of an array, besides the first two and the last one, that are worth a line each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a verb and returns the exit code.

    The codes are 0 completed, 1 ended early and 2 wrong use. Ctrl-C before any result exists gives 130; SIGTERM gives 143 after the result
    was written.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["build"]:
        import build_fmus

        return WRONG_USE if build_fmus.main(arguments[1:], "jourdain build") else COMPLETED
    chosen = _parser().parse_args(arguments)
    verb: Callable[[argparse.Namespace], int] = chosen.verb
    try:
        return verb(chosen)
    except KeyboardInterrupt:
        print("jourdain: interrupted before there was a result", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COMPLETED
    except (WrongUse, ValueError, LookupError, OSError, ImportError, RuntimeError) as error:
        if os.environ.get("JOURDAIN_TRACEBACK"):
            raise
        print(f"jourdain: {said(error)}", file=sys.stderr)
        return WRONG_USE


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="jourdain",
        description="Mechanisms as FMUs: components, systems and their results.",
        epilog="A SYSTEM is a file of Python (machine.py, or machine.py:name for one of several), an SSP package (.ssp) or an FMU (.fmu). "
        "Exit codes: 0 completed, 1 ended early, 2 wrong use, 130 Ctrl-C before there was a result, 143 SIGTERM.",
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")
    verbs.add_parser("build", help="build FMUs of components (jourdain build --help)", add_help=False)

    lists = verbs.add_parser("list", help="list the components of the catalogue")
    lists.add_argument("word", nargs="*", help="only components with these words in their name or title, or called so")
    lists.set_defaults(verb=_list)

    info = verbs.add_parser("info", help="list the content of a component, an FMU, an SSP package or a result")
    info.add_argument("file", type=Path, help="an .fmu, .ssp or .jrd, or the name of a component")
    info.set_defaults(verb=_info)

    simulate = verbs.add_parser("simulate", help="simulate a system and write its results")
    simulate.add_argument("system", metavar="SYSTEM", help="file.py[:name], .ssp or .fmu")
    isolation = add_run_options(simulate)
    isolation.add_argument(
        "--on-crash", choices=("stop", "restart"), help="resume from --checkpoint if an FMU ends its process (default: stop)"
    )
    add_kind(simulate)
    files = simulate.add_argument_group("files")
    files.add_argument("--record-to", type=Path, metavar="FILE.jrd", help="write rows to this file during the run, not to memory")
    files.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="write a checkpoint for System.resume there, each minute and at the end"
    )
    files.add_argument("--plot", action="append", metavar="NAME", help="values of a figure: names or patterns; may be repeated")
    files.add_argument(
        "--out",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write the result (.jrd, .csv, .mat), a page that moves (.html) or the figure of --plot (.png, .svg, .pdf); may be repeated",
    )
    simulate.set_defaults(verb=softly(_simulate))

    export = verbs.add_parser("export", help="export a system as one FMU")
    export.add_argument("system", metavar="SYSTEM", help="file.py[:name] or .ssp")
    export.add_argument("--out", type=Path, required=True, metavar="FILE.fmu", help="path of the FMU")
    export.add_argument("--inputs", action="append", metavar="NAME", help="port or input that becomes one of the FMU; may be repeated")
    export.add_argument("--outputs", action="append", metavar="NAME", help="output of the FMU; may be repeated (default: all states)")
    export.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a start value of the FMU; may be repeated")
    export.add_argument(
        "--initial", choices=("check", "assemble", "relax"), default="check", help="treatment of a start that violates constraints"
    )
    export.add_argument("--hold", action="append", metavar="NAME", help="a state that --initial assemble does not move; may be repeated")
    export.add_argument("--fmi", type=whole_number, choices=(2, 3), default=2, help="version of FMI (default: 2)")
    export.add_argument("--no-locals", action="store_true", help="leave local variables out, except states and derivatives")
    export.set_defaults(verb=_export)

    view = verbs.add_parser("view", help="write a result as a page that moves, or as a picture")
    view.add_argument("result", type=Path, help="a .jrd")
    view.add_argument("--out", type=Path, metavar="FILE", help="path of the page or picture (default: beside the result, as .html)")
    view.add_argument("--at", type=number, metavar="SECONDS", help="a still picture at a time (.svg, .png or .pdf)")
    view.add_argument("--open", action="store_true", help="show the page in the browser")
    view.set_defaults(verb=_view)

    added = (
        explain.add_to(verbs),
        flexible.add_to(verbs),
        modelica.add_to(verbs),
        sweep.add_to(verbs),
        test.add_to(verbs),
        watch.add_to(verbs),
    )
    for each in (lists, info, simulate, export, view, *added):
        each.add_argument("--json", action="store_true", help="print one object of JSON on the standard output")
    return parser


# -- verbs -------------------------------------------------------------------------------------------------------------------------


def _list(chosen: argparse.Namespace) -> int:
    from fmu_components.catalogue import all_components
    from fmu_components.declare.component import component_title
    from fmu_components.words import components_called, named_by, said_of

    word = " ".join(chosen.word).lower()
    called = components_called(word)
    found = {name: component_title(each) for name, each in all_components().items()}
    found = {
        name: title
        for name, title in found.items()
        if word in name.lower() or word in title.lower() or name in called or named_by(word, f"{name} {title} {said_of(name)}")
    }
    if chosen.json:
        print(json.dumps(found))
        return COMPLETED
    if not found:
        raise WrongUse(f"no component is called '{word}', or has it in its name or title; 'jourdain list' shows all of them")
    library = ""
    for name, title in found.items():
        if library != name.partition(".")[0]:
            library = name.partition(".")[0]
            print(bold(library))
        print(f"  {name:34} {title}")
    return COMPLETED


def _info(chosen: argparse.Namespace) -> int:
    suffix = chosen.file.suffix
    if suffix == ".fmu":
        from coupling.fmus import load

        said = _fmu_info(load(chosen.file))
    elif suffix == ".ssp":
        said = _system_info(system_of(str(chosen.file)))
    elif suffix == ".jrd":
        from coupling.result import Result

        said = _result_info(Result.load(chosen.file))
    else:
        said = _component_info(str(chosen.file))
    if chosen.json:
        print(json.dumps(said))
        return COMPLETED
    for title, rows in said.items():
        if isinstance(rows, dict):
            if rows:
                print(bold(title))
            width = max((len(name) for name in rows), default=0)
            for name, text in _shortened(rows):
                print(f"  {name:{width}}  {text}".rstrip())
        elif isinstance(rows, list):
            for each in rows:
                print(f"{title}: {each}")
        else:
            print(f"{bold(title)}: {rows}")
    return COMPLETED


def _shortened(rows: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields the rows; of long arrays only the first two elements and the last one."""
    for _, group in groupby(rows.items(), lambda row: row[0].rpartition("[")[0] if row[0].endswith("]") else row[0]):
        elements = list(group)
        hidden = len(elements) - 3
        yield from [*elements[:2], ("...", f"{hidden} more"), elements[-1]] if hidden > _MOST_HIDDEN else elements


def _fmu_info(fmu: Fmu) -> dict[str, Any]:
    variables = list(fmu.variables.values())

    def described(causality: str, among: Container[str] | None = None) -> dict[str, str]:
        found = {}
        for each in variables:
            if each.causality == causality and (among is None or each.name in among):
                start = "" if each.start is None else f"= {each.start:g}" if isinstance(each.start, float) else f"= {each.start!s}"
                items = ", ".join(f"{number} = {item}" for item, number in each.items)
                found[each.name] = "  ".join(filter(None, [start, each.unit or "", items and f"({items})", each.description]))
        return found

    interfaces = {"Model Exchange": fmu.model_exchange, "Co-Simulation": fmu.co_simulation}
    can = {
        kind: ", ".join(
            word
            for word, has in (
                ("directional derivatives", each.directional_derivatives),
                ("adjoint derivatives", each.adjoint_derivatives),
                ("saves its state", each.save_state),
                ("serialises its state", each.serialize_state),
            )
            if has
        )
        for kind, each in interfaces.items()
        if each is not None
    }
    if fmu.scheduled:
        can["Scheduled Execution"] = "not supported"
    return {
        "model": fmu.model_name,
        "FMI": f"{fmu.version}.0",
        "made by": fmu.generation_tool,
        "states": len(fmu.states),
        "kinds": can,
        "ports": {name: f"{port.kind.removeprefix('org.jourdain.')}: {', '.join(port.members)}" for name, port in fmu.terminals.items()},
        "start values of states": described("local", {fmu.by_reference[each].name for each in fmu.states if each in fmu.by_reference}),
        "inputs": described("input"),
        "outputs": described("output"),
        "parameters": described("parameter"),
        "note": list(fmu.notes),
    }


def _component_info(name: str) -> dict[str, Any]:
    from coupling.fmus import load
    from fmu_components.catalogue import UnknownComponent, find
    from fmu_components.export.build import cached_fmu

    try:
        component = find(name)
    except UnknownComponent as error:
        hint = "give an .fmu, .ssp or .jrd, or the name of a component from 'jourdain list'"
        raise WrongUse(f"'{name}' is neither a file that can be looked into nor a component; {hint}") from error
    return _fmu_info(load(cached_fmu(component, 3)))


def _system_info(system: System) -> dict[str, Any]:
    return {
        "system": system.name,
        "instances": {name: fmu.model_name for name, fmu in system.instances.items()},
        "connections": {f"{a} - {b}": "" for a, b in system.connections},
        "settings": {name: str(value) for name, value in system.settings.items()},
        "note": list(system.notes),
    }


def _result_info(result: Result) -> dict[str, Any]:
    return {
        "system": result.system,
        "outcome": result.outcome.sentence,
        "rows": len(result),
        "variables": {name: result.units[name] for name in result.names},
        "warning": list(result.outcome.warnings),
    }


def _simulate(chosen: argparse.Namespace) -> int:
    from coupling.files import state_of
    from coupling.progress import noticed

    for path in chosen.out:
        if path.suffix not in _WRITTEN:
            raise WrongUse(f"--out {path}: nothing is written with this suffix; choose one of {', '.join(_WRITTEN)}")
        if path.suffix in _FIGURES and not chosen.plot:
            raise WrongUse(f"--out {path}: --plot names the values of a figure; add --plot NAME, such as --plot '*.theta'")
        check_folder("--out", path)
    if chosen.plot and not any(path.suffix in _FIGURES for path in chosen.out):
        raise WrongUse("--plot: there is no file for the figure; add --out FILE.png")
    system = system_of(chosen.system, chosen.kind)
    stop, settings, start_values = run_of(chosen, system)
    kept = [path for path in (chosen.record_to, chosen.checkpoint) if path]
    before = [state_of(path) for path in kept]
    result = system.simulate(
        stop,
        start_values=start_values,
        progress=not chosen.json,
        record_to=chosen.record_to,
        checkpoint=chosen.checkpoint,
        **settings,
    )
    with noticed():  # Ctrl-C and SIGTERM, once, wait until all is written
        written, refused = _write_all(result, chosen.out, chosen.plot)
        written += [str(path) for path, old in zip(kept, before, strict=True) if state_of(path) not in (None, old)]
    if chosen.json:
        said = {"ending": result.outcome.ending.name, "sentence": result.outcome.sentence, "warnings": list(result.outcome.warnings)}
        print(json.dumps({**said, "rows": len(result), "written": written}))
    else:
        if not sys.stderr.isatty():  # on a terminal the bar has said so already
            print(result.summary())
        print("\n".join(written))
    if refused:
        raise WrongUse("; ".join(refused))
    return COMPLETED if result.outcome.as_asked else ENDED_EARLY


def _write_all(result: Result, paths: Sequence[Path], plot: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Writes the result to all paths; returns the written paths and the errors. One full disk does not lose the result of a long run."""
    written, refused = [], []
    for path in paths:
        try:
            written.append(str(_write(result, path, plot)))
        except OSError as error:
            refused.append(said(error))
    return written, refused


def _write(result: Result, path: Path, plot: Sequence[str] | None) -> Path:
    if path.suffix in _FIGURES:
        result.plot(*(plot or ()), path=path)
    else:
        write: Mapping[str, Callable[[Path], object]] = {
            ".jrd": result.save,
            ".csv": result.to_csv,
            ".mat": result.to_mat,
            ".html": result.animate,
        }
        write[path.suffix](path)
    return path


def _export(chosen: argparse.Namespace) -> int:
    system = system_of(chosen.system)
    path = system.export_fmu(
        chosen.out,
        inputs=chosen.inputs,
        outputs=chosen.outputs,
        fmi=chosen.fmi,
        initial=chosen.initial,
        hold=chosen.hold,
        start_values=start_values_of(chosen, system),
        locals=not chosen.no_locals,
    )
    print(json.dumps({"written": [str(path)]}) if chosen.json else path)
    return COMPLETED


def _view(chosen: argparse.Namespace) -> int:
    from coupling.result import Result

    if not chosen.result.name:
        raise WrongUse(f"'{chosen.result}' is no file; give the .jrd file of a result")
    result = Result.load(chosen.result)
    path = chosen.out or chosen.result.with_suffix(".html" if chosen.at is None else ".svg")
    if chosen.at is None:
        if path.suffix != ".html":
            raise WrongUse(f"--out {path}: a page is written as .html; for a still picture give its time as well: --at SECONDS")
        result.animate(path)
    else:
        result.picture(chosen.at, path)
    print(json.dumps({"written": [str(path)]}) if chosen.json else path)
    if chosen.open:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
    return COMPLETED
