"""Tries an installed Jourdain, without a compiler; it runs in an environment that has nothing but the product: ``python -P trial.py FILE.md``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import fmpy

import jourdain
from coupling.sweep import sweep
from fmu_components.catalogue import all_components
from fmu_components.export.build import cached_fmu
from fmu_components.export.compile import ExportError


def run_snippets(page: Path) -> tuple[dict, list[str]]:
    """Returns what the names of a page's Python stand for, and the sentences of pieces that need a compiler."""
    scope: dict = {"__name__": page.stem}
    sentences = []
    for piece in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        try:
            exec(compile(piece, page.name, "exec"), scope)
        except ExportError as error:
            sentences.append(str(error))
    return scope, sentences


def run_catalogue() -> int:
    """Runs an FMU of each component in both versions, in this process; returns their number."""
    count = 0
    for component in all_components().values():
        for fmi in (2, 3):
            path = str(cached_fmu(component, fmi))
            count += len(fmpy.simulate_fmu(path, stop_time=0.01, output_interval=0.01)) > 1
    return count


def main(page: Path) -> None:
    scope, sentences = run_snippets(page)
    print("package", Path(jourdain.__file__).parent)
    print("force", scope["result"]["pin.reaction"].max())
    print("page", Path("pendulum.html").stat().st_size)
    for sentence in dict.fromkeys(sentences):
        print("refused", sentence)
    tables = [sweep(scope["pendulum"], {"rod.m": [1.0, 2.0, 3.0]}, stop_time=0.5, executor=executor) for executor in (None, 2)]
    print("sweep", *(str(float(value)) for table in tables for value in table["pin.reaction"]))
    print("components", run_catalogue())


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
