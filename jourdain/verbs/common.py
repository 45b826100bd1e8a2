"""Common parts of verbs: systems that users name, options of runs, and the ending of a verb."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from coupling.system import System

_RUN_AS = "jourdain_system"

_CALL_TIMEOUT = 60.0
"""Seconds that a call of an FMU may take: users of a command did not write foreign FMUs, and would wait for them in vain."""

COMPLETED, ENDED_EARLY, WRONG_USE, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


class WrongUse(Exception):
    """A request that cannot be met; the text says why, and what to do."""


def said(error: BaseException) -> str:
    """Returns an error as a sentence. Those of the system itself get the path and a remedy."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    from coupling.files import remedy

    name = "the output" if error.filename is None else f"'{error.filename}'"
    return f"{name} cannot be read or written: {error.strerror}; {remedy(error)}"


def bold(text: str) -> str:
    """Returns a text in bold on a terminal that may have colours."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def softly(verb: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Returns a verb that at SIGTERM writes the results so far, and then ends with the exit code of that signal."""

    def run(chosen: argparse.Namespace) -> int:
        from coupling.progress import softly_terminated

        with softly_terminated() as came:
            try:
                code = verb(chosen)
            except KeyboardInterrupt:
                code = INTERRUPTED
                if not came():
                    raise
            return TERMINATED if came() else code

    return run


class Parser(argparse.ArgumentParser):
    """Parser that reports a wrong use in one sentence, as verbs do."""

    def error(self, message: str) -> NoReturn:
        text = message.removeprefix("argument ")
        help_text = "" if ";" in text else f"; '{self.prog} --help' lists all options"
        self.exit(WRONG_USE, f"jourdain: {text}{help_text}\n")


# -- options -----------------------------------------------------------------------------------------------------------------------


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number; give one such as 2.5") from None


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number; give one such as 1000") from None


def add_run_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Adds the options of ``simulate``, one by one; returns the group of those of isolation."""
    run = parser.add_argument_group("run")
    run.add_argument("--stop", type=number, metavar="SECONDS", help="stop time (default: that of the file)")
    run.add_argument("--until", metavar="CONDITION", help="condition that ends the run, such as 'abs(rod.theta) > 1'")
    run.add_argument("--max-seconds", type=number, metavar="SECONDS", help="wall-clock time after which the run ends")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a start value of this run; may be repeated")
    run.add_argument("--initial", choices=("check", "assemble", "relax"), help="treatment of a start that violates constraints")
    run.add_argument("--interval", type=number, metavar="SECONDS", help="time between recorded rows")
    run.add_argument("--record", action="append", metavar="NAME", help="values to record: names or patterns; may be repeated")
    run.add_argument("--real-time", type=number, metavar="FACTOR", help="waits for the wall clock: simulated seconds per second, such as 1")
    run.add_argument(
        "--on-late", choices=("warn", "stop", "catch-up"), help="treatment of points that are late in real time (default: warn)"
    )
    solver = parser.add_argument_group("solver")
    solver.add_argument("--solver", help="such as cvode (default: dopri5)")
    solver.add_argument("--rtol", type=number, help="relative tolerance")
    solver.add_argument("--max-steps", type=whole_number, metavar="N", help="steps after which a run ends")
    solver.add_argument(
        "--value-limit",
        type=number,
        metavar="FACTOR",
        help="largest state, as a multiple of the largest of its nominal value, its start value and 1; the run ends beyond it (default: 1e9, inf: no limit)",
    )
    solver.add_argument(
        "--evaluation",
        choices=("auto", "fmus", "tape", "compiled"),
        help="evaluation of derivatives: calls of the FMUs, a tape of their equations, or "
        "compiled equations (default: auto, the tape if all FMUs are of this library)",
    )
    coupling = parser.add_argument_group("co-simulation")
    coupling.add_argument("--communication-step", type=number, metavar="SECONDS", help="step of a co-simulation")
    isolation = parser.add_argument_group("isolation")
    isolation.add_argument(
        "--isolate",
        choices=("all", "foreign", "none"),
        help="runs in a separate process: all, only runs with FMUs of other tools, or none (default: foreign)",
    )
    isolation.add_argument("--call-timeout", type=number, metavar="SECONDS", help="longest time of one call of such an FMU (default: 60)")
    isolation.add_argument(
        "--memory", type=number, metavar="BYTES", help="limit of address space of such a process, such as 2e9 (default: no limit)"
    )
    isolation.add_argument(
        "--sandbox", action="store_true", default=None, help="such a process may access only its FMUs' files and has no network"
    )
    isolation.add_argument("--no-compile", action="store_true", help="refuse FMUs that have only sources for this platform")
    return isolation


def add_kind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=("me", "cs"), help="Model Exchange or Co-Simulation, for an FMU that is both")


def run_of(chosen: argparse.Namespace, system: System) -> tuple[float, dict[str, Any], dict[str, float | str]]:
    """Returns stop time, other options and start values: those of the command line, and those of the file for the rest."""
    from coupling.options.calls import flattened, gathered
    from coupling.plan.definition import refuse_sources

    for each in system.definition.instances if chosen.no_compile else ():
        refuse_sources(each.name, each.fmu.fmu, each.kind)
    options = {
        "solver": chosen.solver,
        "rtol": chosen.rtol,
        "initial": chosen.initial,
        "communication_step": chosen.communication_step,
        "output_interval": chosen.interval,
        "outputs": chosen.record,
        "until": chosen.until,
        "max_seconds": chosen.max_seconds,
        "max_steps": chosen.max_steps,
        "value_limit": chosen.value_limit,
        "evaluation": chosen.evaluation,
        "real_time": chosen.real_time,
        "on_late": chosen.on_late,
        "isolate": chosen.isolate,
        "isolate.call_timeout": chosen.call_timeout,
        "isolate.memory": chosen.memory,
        "isolate.sandbox": chosen.sandbox,
        "isolate.on_crash": getattr(chosen, "on_crash", None),
    }
    given = {"isolate": "foreign", **flattened(system.settings), **{name: value for name, value in options.items() if value is not None}}
    if given["isolate"] != "none" or any(each.process for each in system.definition.instances):
        given = {"isolate.call_timeout": _CALL_TIMEOUT, **given}
    settings = gathered(given)
    stop = settings.pop("stop_time", None) if chosen.stop is None else chosen.stop
    if stop is None and len(system.instances) == 1:
        stop = next(iter(system.instances.values())).default_stop_time
    if stop is None:
        raise WrongUse(f"'{chosen.system}' does not say how long to simulate; give --stop SECONDS")
    settings.pop("stop_time", None)
    return stop, settings, start_values_of(chosen, system)


def start_values_of(chosen: argparse.Namespace, system: System) -> dict[str, float | str]:
    """Returns the start values of ``--set``; those of a single FMU may have their names inside the FMU."""
    found = dict(map(start_value, chosen.set))
    if Path(chosen.system).suffix != ".fmu":
        return found
    ((instance, fmu),) = system.instances.items()

    def full(name: str) -> str:
        return name if name.startswith(f"{instance}.") and name not in fmu.variables else f"{instance}.{name}"

    return {full(name): value for name, value in found.items()}


def start_value(text: str) -> tuple[str, float | str]:
    name, value = named_value("--set", text, "rod.m=2.5")
    try:
        return name, float(value)
    except ValueError:
        return name, value


def named_value(option: str, text: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise WrongUse(f"{option} {text}: a name and a value are expected, such as {option} {example}")
    return name.strip(), value.strip()


def check_folder(option: str, path: Path) -> None:
    """Raises WrongUse if the folder of a path does not exist, before a run that may take long."""
    if not path.parent.is_dir():
        raise WrongUse(f"{option} {path}: there is no folder '{path.parent}'; make it, or choose another path")


# -- systems -----------------------------------------------------------------------------------------------------------------------


def system_of(text: str, kind: str | None = None) -> System:
    """Returns the system that a user names: of a file of Python, an SSP package or an FMU."""
    from coupling.system import System

    file, _, name = text.partition(":") if ".py" in text else (text, "", "")
    path = Path(file)
    if path.suffix not in (".py", ".ssp", ".fmu"):
        raise WrongUse(f"'{text}' is no system; give a file that ends in .py, .ssp or .fmu")
    if not path.is_file():
        raise WrongUse(f"there is no file '{file}'; give the path of one that ends in .py, .ssp or .fmu")
    if kind is not None and path.suffix != ".fmu":
        raise WrongUse(f"--kind {kind}: '{file}' is no FMU; the kinds of instances stand in the system itself")
    if path.suffix == ".ssp":
        return System.from_ssp(path)
    if path.suffix == ".fmu":
        system = System(path.stem)
        system.add(path.stem.replace(".", "_"), path, kind=kind)
        return system
    return _of_module(path, name)


def _of_module(path: Path, name: str) -> System:
    """Returns the only system of a file of Python, or that of a name; a function without arguments is called."""
    import runpy

    from coupling.names import nearest
    from coupling.system import System

    sys.path.insert(0, str(path.resolve().parent))
    try:
        scope = runpy.run_path(str(path), run_name=_RUN_AS)
    except Exception as error:
        raise WrongUse(f"'{path}' cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    systems = [key for key, each in scope.items() if isinstance(each, System)]
    if not name:
        name = systems[0] if len(systems) == 1 else "system" if callable(scope.get("system")) and not systems else ""
    if not name:
        has = f"has the systems {', '.join(map(repr, systems))}" if systems else "has no System and no function 'system'"
        raise WrongUse(f"'{path}' {has}; name the object to take: {path}:NAME")
    if name not in scope:
        offered = [*systems, *(key for key, each in scope.items() if isinstance(each, FunctionType) and each.__module__ == _RUN_AS)]
        there = nearest(name, offered) or f"it has {', '.join(map(repr, offered)) or 'no System'}"
        raise WrongUse(f"'{path}' has no '{name}'; {there}")
    found = scope[name]() if callable(scope[name]) else scope[name]
    if not isinstance(found, System):
        raise WrongUse(f"'{path}:{name}' is no System, and no function that returns one; name another one")
    return found
