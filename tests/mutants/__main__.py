"""Mutants of declarations, plans, runs and the kernel, and the tests that kill them: ``python -m tests.mutants``."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from tests.mutants.mutations import Mutant, mutants
from tests.mutants.sources import ROOT, killers_of, sources
from tests.mutants.workspace import Workspace, seconds_of

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")
SLOWER, MORE = 5, 20
"""A mutant may take so many times as long as the sound tests, and seconds more; then it counts as killed."""


def drawn(only: str, seed: int) -> Iterator[Mutant]:
    """Yields mutants in a random order: first a file, by its number of lines, then one of its mutants."""
    choice = random.Random(seed)
    texts = {path: (ROOT / path).read_text() for path in sources() if only in path.as_posix()}
    left = {path: found for path, text in texts.items() if (found := mutants(path, text))}
    while left:
        (path,) = choice.choices(list(left), [texts[each].count("\n") for each in left])
        yield left[path].pop(choice.randrange(len(left[path])))
        if not left[path]:
            del left[path]


def fate(workspace: Workspace, mutant: Mutant, sound: dict[tuple[str, ...], float]) -> str:
    """Returns the tests that kill a mutant; nothing if none does."""
    for tests in map(tuple, killers_of(mutant.path)):
        if tests not in sound:
            workspace.takes_back(mutant)
            sound[tests] = seconds_of(workspace, tests)
            workspace.makes(mutant)
        if not workspace.survives(tests, SLOWER * sound[tests] + MORE):
            return " ".join(tests)
    return ""


def table(fates: dict[Mutant, str]) -> str:
    """Returns how many mutants of each folder and kind were drawn and killed."""
    rows = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for mutant, killed in fates.items():
        for name in (mutant.path.parent.as_posix(), mutant.kind, "all"):
            rows[0][name, ""] += 1
            rows[1][name, ""] += bool(killed)
    lines = [
        f"{name:32} {drawn:4} drawn {rows[1][name, '']:4} killed {rows[1][name, ''] / drawn:6.0%}" for (name, _), drawn in rows[0].items()
    ]
    return "\n".join(sorted(lines))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description="Random mutants, and whether the tests beside their files kill them; survivors are listed.",
    )
    parser.add_argument("--count", type=int, default=300, help="how many mutants are tried (300)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--only", default="", metavar="PART", help="files whose paths contain PART")
    parser.add_argument("--out", type=Path, default=Path("build/mutants.txt"), help="file for the list of survivors (build/mutants.txt)")
    given = parser.parse_args(arguments)
    equivalents = tomllib.loads(EQUIVALENTS.read_text())
    given.out.parent.mkdir(parents=True, exist_ok=True)
    fates: dict[Mutant, str] = {}
    equal = 0
    sound: dict[tuple[str, ...], float] = {}
    with tempfile.TemporaryDirectory() as folder, tqdm(total=given.count, unit=" mutants", disable=None) as bar, given.out.open("w") as out:
        workspace = Workspace(Path(folder))
        for mutant in drawn(given.only, given.seed):
            if len(fates) + equal == given.count:
                break
            if mutant.key in equivalents:
                equal += 1
            elif workspace.makes(mutant):
                fates[mutant] = fate(workspace, mutant, sound)
                if not fates[mutant]:
                    print(f"survives: line {mutant.line} of {mutant.key}", file=out, flush=True)
                    bar.write(f"survives: line {mutant.line} of {mutant.key}")
            else:
                workspace.takes_back(mutant)
                continue
            workspace.takes_back(mutant)
            bar.update()
    print(table(fates))
    print(f"{equal} mutants that change nothing but speed are not counted ({EQUIVALENTS.name})")
    return 0 if sum(map(bool, fates.values())) >= 0.9 * len(fates) and equal <= 0.1 * given.count else 1


if __name__ == "__main__":
    sys.exit(main())
