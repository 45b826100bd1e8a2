"""Checks that ruff and mypy lack: files that have grown too long, and passages that stand in two places. Run by ``make lint``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("jourdain", "coupling", "fmu_components", "examples", "benchmarks", "docs", "tests")
LONGEST, PASSAGE = 500, 12

LONG = {
    "tests/*harness*.[ch]": "a program that walks through the functions of a standard, compiled as one file",
}
"""Files that may be longer (patterns, in which a star stands for folders too), and why."""

ALIKE = {
    frozenset({"harness2.c", "harness3.c"}): "the same walk through two versions of the standard, which name its functions differently",
}
"""Names of files that may share a passage, and why."""

_NO_CODE = re.compile(r"\s*(#(?!\s*(define|if|else|endif)).*|//.*|/?\*.*|from .* import .*|import .*|\w+,|[\])}]*[,;]?)?\s*")


def files(root: Path) -> dict[str, list[str]]:
    found = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in (".py", ".c", ".h"))
    found = [path for path in found if path.parent.name != "standard"]  # the headers of FMI, as they were published
    return {path.relative_to(root).as_posix(): path.read_text().splitlines() for path in found}


def passages(lines: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every run of so many lines that say something, with the number of its first line."""
    code = [(number, line.strip()) for number, line in enumerate(lines, 1) if not _NO_CODE.fullmatch(line)]
    for start in range(len(code) - PASSAGE + 1):
        yield code[start][0], tuple(line for _, line in code[start : start + PASSAGE])


def complaints(root: Path = ROOT) -> Iterator[str]:
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    told: set[tuple[str, str]] = set()
    for file, lines in files(root).items():
        if len(lines) > LONGEST and not any(fnmatch(file, each) for each in LONG):
            yield f"{file} has {len(lines)} lines, more than {LONGEST}; divide it by its concepts, or give the reason in LONG"
        for line, passage in passages(lines):
            first, begins = seen.setdefault(passage, (file, line))
            if (
                (first, begins) != (file, line)
                and (first, file) not in told
                and frozenset((Path(first).name, Path(file).name)) not in ALIKE
            ):
                told.add((first, file))
                yield f"{file}:{line} repeats {PASSAGE} lines of {first}:{begins}; give them one place, or the reason in ALIKE"


if __name__ == "__main__":
    sys.exit("\n".join(complaints()) or 0)
