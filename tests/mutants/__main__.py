"""Mutants of declarations, plans, runs and the kernel, and the tests that kill them: ``python -m tests.mutants``."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from tqdm import tqdm

from tests.mutants.mutations import Mutant, mutants
from tests.mutants.sources import ROOT, killers_of, sources
from tests.mutants.workspace import Workspace

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")


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


class Trial:
    """Mutants that are drawn, and the test that killed each; several threads take from it."""

    def __init__(self, count: int, supply: Iterator[Mutant], equivalents: set[str]) -> None:
        self.left, self.supply, self.equivalents = count, supply, equivalents
        self.equal = 0
        self.fates: dict[Mutant, str] = {}
        self.lock = Lock()
        self.workspaces: list[Workspace] = []

    def results(self, workspace: Workspace) -> Iterator[tuple[Mutant, str]]:
        """Yields each mutant that was tried in a workspace with the test that killed it."""
        self.workspaces.append(workspace)
        while (mutant := self._next()) is not None:
            if workspace.makes(mutant):
                self.fates[mutant] = fate(workspace, mutant)
                yield mutant, self.fates[mutant]
            else:
                with self.lock:
                    self.left += 1  # it is no program: another one takes its place
            workspace.takes_back(mutant)

    def stop(self) -> None:
        """Ends the tests under way, and takes no other mutant."""
        self.left = 0
        for workspace in self.workspaces:
            workspace.stop()

    def _next(self) -> Mutant | None:
        with self.lock:
            while self.left > 0 and (mutant := next(self.supply, None)) is not None:
                self.left -= 1
                if mutant.key not in self.equivalents:
                    return mutant
                self.equal += 1
        return None


def fate(workspace: Workspace, mutant: Mutant) -> str:
    """Returns the test that kills a mutant; nothing if none does."""
    return next(filter(None, map(workspace.failing, killers_of(mutant.path))), "")


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
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants are tried at a time (2)")
    parser.add_argument("--out", type=Path, default=Path("build/mutants.txt"), help="file for the list of mutants (build/mutants.txt)")
    given = parser.parse_args(arguments)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    trial = Trial(given.count, drawn(given.only, given.seed), set(tomllib.loads(EQUIVALENTS.read_text())))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the tests under way end too
    with tempfile.TemporaryDirectory() as folder, tqdm(total=given.count, unit=" mutants", disable=None) as bar, given.out.open("w") as out:

        def work(job: int) -> None:
            workspace = Workspace(Path(folder) / str(job))
            for mutant, killed in trial.results(workspace):
                told = f"{f'killed by {killed}' if killed else 'survives'}: line {mutant.line} of {mutant.key}"
                print(told, file=out, flush=True)
                if not killed:
                    bar.write(told)
                bar.update()

        with ThreadPoolExecutor(given.jobs) as pool:
            try:
                list(pool.map(work, range(given.jobs)))
                if unsound := trial.workspaces[0].failing(sorted({each for each in trial.fates.values() if each})):
                    raise SystemExit(f"{unsound} fails without a mutant; mend it first")
            except BaseException:
                trial.stop()
                raise
            finally:
                for each in trial.workspaces:
                    each.close()
    fates, equal = trial.fates, trial.equal
    print(table(fates))
    print(f"{equal} mutants that change nothing but speed are not counted ({EQUIVALENTS.name})")
    return 0 if sum(map(bool, fates.values())) >= 0.9 * len(fates) and equal <= 0.1 * given.count else 1


if __name__ == "__main__":
    sys.exit(main())
