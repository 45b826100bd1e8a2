"""Saves the results of many runs at one commit, and compares them to the bit at another one.

``--save results.npz`` runs all cases and keeps their numbers, ``--compare results.npz`` runs them again and prints each difference. The exit
code is 1 if numbers, names, events or counts differ. Texts may differ: they are printed apart. ``--only text`` chooses cases by their names.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from jourdain import Result

ROOT = Path(__file__).parents[2]
ALWAYS_THE_SAME = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
"""The environment in which a case gives the same numbers each time."""

Found = dict[str, np.ndarray | str]
"""Values of a case by their places: arrays, which have to stay the same to the bit, and texts, which may change."""
Cases = Mapping[str, Callable[[], object]]

NUMBERS = (bool, int, float, complex, np.generic)
TEXTS = {"sentence", "warnings", "notes", "stabilisation", "evaluated", "printed", "message"}
"""Last parts of places that hold texts for people."""
WITHOUT = {
    r"\d[\d.e+-]* m?s\b": "_ s",
    r"(?<![\w.])/[^\s'\",:]*/": "",
    r"\b(compiled|evaluation|coupling_tolerance|tolerance|checkpoint_interval|checkpoint_inexact)\b": "_",
    r"\b(Index3|Scheme|Successive|Contacts|Isolation|Checkpoint)\b": "_",
}
"""Parts of texts that may differ, and what stands in their place: seconds, folders, and names of options that have changed."""


def flattened(value: Any, place: str = "") -> Iterator[tuple[str, np.ndarray | str]]:
    """Yields all values of a result, a pose or another answer with their places, except seconds."""
    last = place.rpartition(".")[2]
    if last in TEXTS:
        lines = [value] if isinstance(value, str) else [str(each) for each in value]
        yield f"{place}.count", np.array(len(lines))
        yield place, masked("\n".join(lines))
    elif last.startswith("seconds") or value is None:
        return
    elif isinstance(value, Enum):
        yield place, np.array(value.name)
    elif isinstance(value, np.ndarray) and value.dtype.names:
        names = [name for name in value.dtype.names if name != "time"]
        yield from flattened({"names": names, "time": value["time"], "values": np.array([value[name] for name in names]).T}, place)
    elif isinstance(value, (str, np.ndarray, *NUMBERS)):
        yield place, np.asarray(value)
    elif isinstance(value, Result):
        yield from flattened(of_result(value), place)
    elif is_dataclass(value):
        yield from flattened({each.name: getattr(value, each.name) for each in fields(value) if each.name != "asked"}, place)
    elif isinstance(value, Mapping) and value and all(isinstance(each, NUMBERS) for each in value.values()):
        yield f"{place}.names", np.array([str(name) for name in value])
        yield f"{place}.values", np.array(list(value.values()))
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from flattened(each, f"{place}.{name}" if place else str(name))
    elif isinstance(value, Sequence) and value and all(isinstance(each, (str, *NUMBERS)) for each in value):
        yield place, np.array(value)
    elif isinstance(value, Sequence):
        yield f"{place}.length", np.array(len(value))
        for number, each in enumerate(value):
            yield from flattened(each, f"{place}.{number}")
    else:
        raise TypeError(f"{place} holds {type(value).__name__}, which cannot be compared")


def masked(text: str) -> str:
    for pattern, instead in WITHOUT.items():
        text = re.sub(pattern, instead, text)
    return text


def of_result(result: Result) -> Mapping[str, object]:
    """Returns all of a run that has to stay the same."""
    changes, record = result.changes, result._record
    return {
        "names": result.names,
        "units": list(result.units.values()),
        "time": result.time,
        "values": result.values,
        "changes": {name: [getattr(each, name) for each in changes] for name in ("time", "energy", "joint", "what", "multiplier")},
        "heirs": [" ".join(each.heirs) for each in changes],
        "impulses": [value for each in changes for value in each.impulses.values()],
        "multipliers": [name for each in changes for name in each.impulses],
        "in force": {name: np.array(rows) for name, rows in record.off.items()},
        "created energy": dict(result.created_energy),
        "derivatives": record.derivatives,
        "differentiated": result.differentiated,
        "parameters": result.parameters,
        "statistics": result.statistics,
        "outcome": result.outcome,
    }


def answers(case: Callable[[], object]) -> Found:
    """Runs a case; the error of one that fails is its answer."""
    try:
        return dict(flattened(case()))
    except Exception as error:
        return dict(flattened({"error": type(error).__name__, "message": str(error)}))


def save(path: Path, found: Mapping[str, Found]) -> None:
    """Writes the answers of all cases as one archive of arrays."""
    rows = [(case, place, value) for case, values in found.items() for place, value in values.items()]
    keys = np.array([[case, place] for case, place, _ in rows])
    arrays = {str(number): np.asarray(value) for number, (*_, value) in enumerate(rows)}
    np.savez_compressed(path, keys=keys, **arrays)  # type: ignore[arg-type]  # NumPy takes a Boolean option among the arrays


def load(path: Path) -> dict[str, Found]:
    """Returns the answers of all cases that a file holds."""
    found: dict[str, Found] = {}
    with np.load(path) as archive:
        for number, (case, place) in enumerate(archive["keys"].tolist()):
            value = archive[str(number)]
            found.setdefault(case, {})[place] = str(value) if place.rpartition(".")[2] in TEXTS else value
    return found


def differences(before: Found, after: Found) -> Iterator[tuple[bool, str]]:
    """Yields a line for each difference of a case, and whether it is one of texts alone."""
    for place in before | after:
        a, b = before.get(place), after.get(place)
        if isinstance(a, str) and isinstance(b, str):
            for x, y in zip_longest(a.splitlines(), b.splitlines()):
                if x != y:
                    yield True, f"{place}: {x!r} -> {y!r}"
        elif a is None or b is None:
            yield False, f"{place}: {'only before' if b is None else 'only after'}"
        else:
            line = difference(np.asarray(a), np.asarray(b), place, after)
            if line:
                yield False, f"{place}: {line}"


def difference(a: np.ndarray, b: np.ndarray, place: str, case: Found) -> str:
    """Returns where two arrays differ first and by how much; an empty text if they are the same to the bit."""
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
        return f"{a.dtype} {a.shape} -> {b.dtype} {b.shape}{f': {a} -> {b}' if max(a.size, b.size) <= 4 else ''}"
    same = np.atleast_1d(a == b if a.dtype.kind == "U" else (bits(a) == bits(b)).all(axis=-1))
    if same.all():
        return ""
    first = tuple(int(each[0]) for each in np.nonzero(~same))
    x, y = np.atleast_1d(a)[first], np.atleast_1d(b)[first]
    return f"{(~same).sum()} of {a.size} differ, first {where(first, place, case)}: {x!s} -> {y!s}{greatest(a, b)}"


def bits(array: np.ndarray) -> np.ndarray:
    """Returns the bytes of each element, along a further axis."""
    return np.ascontiguousarray(array)[..., np.newaxis].view(np.uint8)


def where(index: tuple[int, ...], place: str, case: Found) -> str:
    """Returns the name and the time of a recorded value, or else its index."""
    run = place.removesuffix("values")
    names, time = case.get(f"{run}names"), case.get(f"{run}time")
    if run == place or not isinstance(names, np.ndarray):
        return f"at {list(index)}"
    name = names[index[-1]]
    return f"{name} in row {index[0]}, t = {time[index[0]]:.9g} s" if isinstance(time, np.ndarray) and len(index) == 2 else f"{name}"


def greatest(a: np.ndarray, b: np.ndarray) -> str:
    """Returns the greatest difference of numbers, relative to the greatest of their column."""
    if a.dtype.kind not in "fic":
        return ""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    with np.errstate(all="ignore"):
        relative = np.abs(a - b) / np.fmax(np.abs(a), np.abs(b)).max(axis=0)
    return f"; greatest relative difference {np.nanmax(relative, initial=0.0):.3g}"


def chosen(cases: Cases, only: str) -> Cases:
    """Returns the cases whose names contain a text."""
    return {name: case for name, case in cases.items() if only in name}


def run(cases: Cases) -> dict[str, Found]:
    """Runs cases one after the other, and writes how long each takes; the last one is named before it ends the process."""
    found = {}
    for name, case in cases.items():
        print(name, end=": ", file=sys.stderr, flush=True)
        begun = perf_counter()
        found[name] = answers(case)
        failed = f", fails: {found[name]['message']}" if "error" in found[name] else ""
        print(f"{perf_counter() - begun:.2f} s{failed}", file=sys.stderr)
    return found


def compare(before: Mapping[str, Found], after: Mapping[str, Found]) -> bool:
    """Prints all differences, and returns whether numbers differ."""
    cases, differ = list({**before, **after}), 0
    for case in cases:
        if case not in before or case not in after:
            found = [(False, "only before" if case in before else "only after")]
        else:
            found = list(differences(before[case], after[case]))
        for texts, line in found:
            print(f"{'texts ' if texts else ''}{case}: {line}")
        differ += any(not texts for texts, _ in found)
    print(f"{len(cases)} cases: {differ} differ")
    return differ > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--save", type=Path, metavar="FILE.npz", help="runs the cases and keeps their results")
    task.add_argument("--compare", type=Path, metavar="FILE.npz", help="runs the cases and compares their results with kept ones")
    task.add_argument("--list", action="store_true", help="lists the cases")
    parser.add_argument("--only", default="", metavar="TEXT", help="chooses the cases whose names contain a text")
    asked = parser.parse_args()
    faulthandler.enable()
    environment = {"JOURDAIN_CACHE": str(ROOT / "build" / "cache"), **os.environ, **ALWAYS_THE_SAME, "PYTHONPATH": str(ROOT)}
    if environment != dict(os.environ):  # Python reads its own before the program begins
        os.execve(sys.executable, [sys.executable, __file__, *sys.argv[1:]], environment)

    from tests.support.same_cases import cases

    wanted = chosen(cases(), asked.only)
    if asked.list:
        print(*wanted, sep="\n")
        return 0
    if asked.save:
        save(asked.save, run(wanted))
        return 0
    return compare({name: each for name, each in load(asked.compare).items() if asked.only in name}, run(wanted))


if __name__ == "__main__":
    sys.exit(main())
