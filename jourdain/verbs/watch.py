"""``jourdain watch``: a run in real time on a page of this machine."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jourdain.verbs.common import (
    COMPLETED,
    ENDED_EARLY,
    WrongUse,
    add_kind,
    add_run_options,
    check_folder,
    named_value,
    number,
    run_of,
    softly,
    system_of,
)

if TYPE_CHECKING:
    from coupling.system import System

_LEFT_OUT = ("output_times", "sensitivities", "record_to", "checkpoint", "progress")
"""Options of a file that a run without a known end does not have."""


def add_to(verbs: Any) -> argparse.ArgumentParser:
    """Adds the verb to those of the command."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "watch",
        help="run a system in real time and show it on a page",
        description="Runs a system in real time and shows it on a page of this machine, whose address is printed. "
        "The page pauses the run, changes its speed and sets its inputs. The run ends by the page, Ctrl-C or --stop.",
    )
    parser.add_argument("system", metavar="SYSTEM", help="file.py[:name], .ssp or .fmu")
    page = parser.add_argument_group("page")
    page.add_argument(
        "--input", action="append", default=[], metavar="NAME=LOW:HIGH", help="an input or a parameter with a slider; may be repeated"
    )
    page.add_argument("--signal", action="append", metavar="NAME", help="a plotted value: a name or a pattern; may be repeated")
    page.add_argument(
        "--speed", type=number, default=1.0, metavar="FACTOR", help="seconds of the run for each second of the clock (default: 1)"
    )
    page.add_argument("--out", type=Path, metavar="FILE.jrd", help="write the result at the end")
    add_run_options(parser)
    add_kind(parser)
    parser.set_defaults(verb=softly(_watch))
    return parser


def _watch(chosen: argparse.Namespace) -> int:
    from coupling.outcome import Ending

    if chosen.out is not None:
        if chosen.out.suffix != ".jrd":
            raise WrongUse(f"--out {chosen.out}: the result is written as .jrd; 'jourdain view' draws it")
        check_folder("--out", chosen.out)
    system = system_of(chosen.system, chosen.kind)
    ranges = dict(_range(each) for each in chosen.input)
    stop = math.inf if chosen.stop is None else chosen.stop
    chosen.stop = 0.0  # asked of systems that do not say how long they run
    _, settings, start_values = run_of(chosen, system)
    options = {name: value for name, value in settings.items() if name not in _LEFT_OUT}

    def show(address: str) -> None:
        print(f"'{system.name}' is shown at {address} (Ctrl-C ends)", file=sys.stderr if chosen.json else sys.stdout, flush=True)

    driven = _driven(system, ranges)
    first = {name: value for name, value in driven.items() if value is not None}
    values = {**first, **start_values}
    with system.start(inputs=list(driven), start_values=values, **options) as run, suppress(KeyboardInterrupt):  # the usual way to end
        run.watch(ranges, signals=chosen.signal, speed=chosen.speed, stop_time=stop, show=show)
    result = run.result
    if chosen.out is not None:
        result.save(chosen.out)
    if chosen.json:
        said = {"ending": result.outcome.ending.name, "sentence": result.outcome.sentence, "warnings": list(result.outcome.warnings)}
        print(json.dumps({**said, "rows": len(result), "written": [str(chosen.out)] if chosen.out else []}))
    else:
        print(result.summary())
        if chosen.out:
            print(chosen.out)
    return COMPLETED if result.outcome.completed or result.outcome.ending is Ending.INTERRUPTED else ENDED_EARLY


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, ends = named_value("--input", text, "motor.effort=-5:5")
    try:
        low, high = map(float, ends.split(":"))
    except ValueError:
        raise WrongUse(f"--input {text}: '{ends}' is no range; give two numbers, such as --input {name}=-5:5") from None
    return name, (low, high)


def _driven(system: System, names: Collection[str]) -> dict[str, float | None]:
    """Returns the inputs that the system drives by itself, which the page takes over, with the values of constant ones."""
    from coupling.plan.drives import ConstantDrive

    drives = {name: drive for name, drive in system.definition.drives if name in names}
    return {
        name: float(drive.value) if isinstance(drive, ConstantDrive) and isinstance(drive.value, int | float) else None
        for name, drive in drives.items()
    }
