"""``jourdain sweep``: many runs of a system, as a table."""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jourdain.verbs.common import (
    COMPLETED,
    ENDED_EARLY,
    WrongUse,
    add_kind,
    add_run_options,
    bold,
    check_folder,
    named_value,
    run_of,
    softly,
    system_of,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coupling.result import Result
    from coupling.sweeps.table import SweepTable

_MOST = 10_000_000
"""Values of a range beyond which a count is a mistake."""
_SHOWN = 20
"""Rows on a terminal; a file has all of them."""


def add_to(verbs: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "sweep",
        help="simulate a system at many points",
        description="Simulates a system at many points, which are all combinations of --grid, the places of --zip, the lines of --points, "
        "or the samples of --sample.",
        epilog="VALUES are 1,2,5 or, from 1 to 2 in 11 values, 1:2:11. A MEASURE is final(NAME), peak(NAME), minimum(NAME), maximum(NAME), rms(NAME), "
        "value_at(NAME, SECONDS) or energy_drift(), and may have a name of its own: end=final(rod.theta). Quote it for the shell. "
        "Exit codes: 0 all runs completed, 1 some failed or are missing, 2 wrong use.",
    )
    parser.add_argument("system", metavar="SYSTEM", help="file.py[:name], .ssp or .fmu")
    points = parser.add_argument_group("points (one kind of option)")
    points.add_argument("--grid", action="append", metavar="NAME=VALUES", help="all combinations; may be repeated, the last varies first")
    points.add_argument("--zip", action="append", metavar="NAME=VALUES", help="values at one position form a point; may be repeated")
    points.add_argument("--points", type=Path, metavar="FILE.csv", help="names in the first line, a point in each other line")
    points.add_argument("--sample", action="append", metavar="NAME=LOW:HIGH", help="interval from which values are drawn; may be repeated")
    points.add_argument("--draw", type=whole_number, metavar="N", help="number of points that --sample draws")
    points.add_argument("--method", choices=("latin", "sobol", "halton", "random"), help="method of sampling (default: latin)")
    points.add_argument("--seed", type=whole_number, metavar="N", help="the same seed draws the same points (default: 0)")
    parser.add_argument("--measure", action="append", metavar="MEASURE", help="a column; may be repeated (default: all last values)")
    parser.add_argument(
        "--executor", metavar="WHO", help="'threads', 'processes' or a number of processes (default: one run after the other)"
    )
    parser.add_argument("--folder", type=Path, metavar="DIR", help="a .jrd of each run; a repeated sweep makes only the missing runs")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="the table (default: its first rows are printed)")
    add_run_options(parser)
    add_kind(parser)
    parser.set_defaults(verb=softly(_sweep))
    return parser


def _sweep(chosen: argparse.Namespace) -> int:
    if chosen.out is not None and chosen.out.suffix != ".csv":
        raise WrongUse(f"--out {chosen.out}: the table is written as .csv; runs as .jrd go into a --folder")
    if chosen.out is not None:
        check_folder("--out", chosen.out)
    points, combine = _points(chosen)
    measures = None if chosen.measure is None else _measures(chosen.measure)
    executor = int(chosen.executor) if (chosen.executor or "").isdigit() else chosen.executor
    system = system_of(chosen.system, chosen.kind)
    stop, settings, start_values = run_of(chosen, system)

    from coupling.sweep import sweep

    table = sweep(
        system,
        points,
        stop_time=stop,
        executor=executor,
        combine=combine,
        measure=measures,
        folder=chosen.folder,
        progress=not chosen.json,
        start_values=start_values,
        **settings,
    )
    written = [str(each) for each in (chosen.out, chosen.folder) if each is not None]
    if chosen.out is not None:
        table.to_csv(chosen.out)
    if chosen.json:
        print(json.dumps(_told(table) | {"written": written}, allow_nan=False))
    else:
        if chosen.out is None:
            _show(table)
        print("\n".join([table.outcome.sentence, *(f"Warning: {warning}" for warning in table.outcome.warnings)]))
        for number in table.failed[:_SHOWN]:
            print(f"{table.told(number)}: {table.outcomes[number].sentence}")
        if written:
            print("\n".join(written))
    return COMPLETED if table.outcome.completed and not table.failed else ENDED_EARLY


def _told(table: SweepTable) -> dict[str, Any]:
    """Returns the table as data for machines. JSON has no word for values that are no numbers, which are null."""

    def plain(value: Any) -> Any:
        value = value.item() if hasattr(value, "item") else value
        return None if isinstance(value, float) and not math.isfinite(value) else value

    columns = {**table.parameters, **table.measures}
    return {
        "ending": table.outcome.ending.name,
        "sentence": table.outcome.sentence,
        "warnings": list(table.outcome.warnings),
        "runs": len(table),
        "failed": {number: table.outcomes[number].sentence for number in table.failed},
        "missing": table.missing,
        "columns": {name: [plain(each) for each in values] for name, values in columns.items()},
    }


def _show(table: SweepTable) -> None:
    columns: dict[str, Any] = {"run": range(len(table)), **table.parameters, **table.measures}
    cells = {
        name: [f"{each:.7g}" if isinstance(each, float) else str(each) for each in values[:_SHOWN]] for name, values in columns.items()
    }
    widths = {name: max(map(len, [name, *texts])) for name, texts in cells.items()}
    print(bold("  ".join(f"{name:>{width}}" for name, width in widths.items())))
    for row in zip(*cells.values(), strict=True):
        print("  ".join(f"{text:>{width}}" for text, width in zip(row, widths.values(), strict=True)))
    if len(table) > _SHOWN:
        print(f"... {len(table) - _SHOWN} rows more; --out FILE.csv has all of them")


# -- points ------------------------------------------------------------------------------------------------------------------------


def _points(chosen: argparse.Namespace) -> tuple[Any, str | None]:
    """Returns the points for ``sweep``, and the way in which they are combined."""
    given = [name for name in ("grid", "zip", "points", "sample") if getattr(chosen, name) is not None]
    if len(given) != 1:
        what = "nothing says at which points" if not given else f"{' and '.join(f'--{name}' for name in given)} exclude each other"
        raise WrongUse(f"{what}; give one of --grid NAME=VALUES, --zip NAME=VALUES, --points FILE.csv and --sample NAME=LOW:HIGH")
    for option in ("draw", "method", "seed"):
        if getattr(chosen, option) is not None and given != ["sample"]:
            raise WrongUse(f"--{option} is for --sample, not for --{given[0]}; leave it out")
    if given == ["points"]:
        return _of_file(chosen.points), "zip"
    if given == ["sample"]:
        return _drawn(chosen), None
    pairs = [(option, *named_value(f"--{given[0]}", option, "rod.m=1,2,5")) for option in getattr(chosen, given[0])]
    return _by_name(given[0], [(name, _values(f"--{given[0]} {option}", text)) for option, name, text in pairs]), given[0]


def _by_name(option: str, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    twice = next((name for name, _ in pairs if sum(name == each for each, _ in pairs) > 1), None)
    if twice is not None:
        raise WrongUse(f"--{option}: '{twice}' is given twice; give all its values at once")
    return found


def _values(where: str, text: str) -> list[float | str]:
    """Returns the values of ``1,2,5``, or 11 values from 1 to 2 by ``1:2:11``."""
    if ":" not in text:
        values = [each.strip() for each in text.split(",")]
        if not all(values):
            raise WrongUse(f"{where}: '{text}' has an empty value; give values between commas, such as 1,2,5")
        return [_value(each) for each in values]
    try:
        low, high, count = text.split(":")
        first, last, steps = float(low), float(high), int(count) - 1
    except ValueError:
        raise WrongUse(f"{where}: '{text}' is no range; give first:last:count, such as 1:2:11") from None
    if steps < 1:
        raise WrongUse(f"{where}: a range has at least 2 values; give one value as it is")
    if steps >= _MOST:
        raise WrongUse(f"{where}: '{text}' has more than {_MOST:g} values, of which each is a run; give fewer")
    return [*(first + (last - first) * i / steps for i in range(steps)), last]


def _value(text: str) -> float | str:
    """Returns a number, or the text of an item of an enumeration."""
    try:
        return float(text)
    except ValueError:
        return text


def _of_file(path: Path) -> dict[str, list[float | str]]:
    try:
        with path.open(newline="") as file:
            lines = [(number, line) for number, line in enumerate(csv.reader(file), 1) if line]
    except (OSError, UnicodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise WrongUse(f"--points {path}: it cannot be read: {reason}; give a table with names in its first line") from None
    if len(lines) < 2:
        raise WrongUse(f"--points {path}: it has no points; give names in the first line, and a point in each other line")
    names = [each.strip() for each in lines[0][1]]
    for number, line in lines[1:]:
        if len(line) != len(names) or not all(each.strip() for each in line):
            raise WrongUse(
                f"--points {path}: line {number} has {sum(bool(each.strip()) for each in line)} values for {len(names)} names; give all of them"
            )
    columns = zip(*(line for _, line in lines[1:]), strict=True)
    return _by_name("points", [(name, [_value(each.strip()) for each in column]) for name, column in zip(names, columns, strict=True)])


def _drawn(chosen: argparse.Namespace) -> Mapping[str, Any]:
    from coupling.sampling import sample

    if chosen.draw is None:
        raise WrongUse("--sample: nothing says how many points are drawn; give --draw N")
    intervals = []
    for option in chosen.sample:
        name, text = named_value("--sample", option, "rod.m=1:3")
        try:
            low, high = map(float, text.split(":"))
        except ValueError:
            raise WrongUse(f"--sample {option}: '{text}' is no interval; give low:high, such as 1:3") from None
        intervals.append((name, (low, high)))
    return sample(_by_name("sample", intervals), chosen.draw, chosen.method or "latin", chosen.seed or 0)


# -- measures ----------------------------------------------------------------------------------------------------------------------


def _measures(texts: Sequence[str]) -> dict[str, Callable[[Result], float]]:
    return _by_name("measure", [_measure(text) for text in texts])


def _measure(text: str) -> tuple[str, Callable[[Result], float]]:
    from jourdain import measures

    found = re.fullmatch(r"\s*(?:(?P<label>[^=()]+)=)?\s*(?P<what>\w+)\((?P<inside>.*)\)\s*", text)
    if found is None or found["what"] not in measures.__all__:
        raise WrongUse(
            f"--measure {text}: it is none of {', '.join(measures.__all__)}; give one such as 'final(rod.theta)', or 'end=final(rod.theta)'"
        )
    what, inside = found["what"], found["inside"].strip()
    arguments: list[Any] = [inside] if inside else []
    if what == "value_at":
        name, _, last = inside.rpartition(",")
        side = [last.strip()] if last.strip() in ("before", "after") else []
        if side:
            name, _, last = name.rpartition(",")
        try:
            arguments = [name.strip(), float(last), *side]
        except ValueError:
            arguments = []
    if bool(arguments) is (what == "energy_drift"):
        example = {"value_at": "value_at(rod.theta, 0.5)", "energy_drift": "energy_drift()"}.get(what, f"{what}(rod.theta)")
        raise WrongUse(f"--measure {text}: '{inside}' is no argument of {what}; write it as '{example}'")
    measure: Callable[[Result], float] = getattr(measures, what)(*arguments)
    return (found["label"] or str(measure)).strip(), measure
