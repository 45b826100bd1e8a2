"""FMI functions in any order and with any arguments, of components and of an exported mechanism, under the compiler's sanitizers."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from tests.fuzz.originals import originals
from tests.support.runtime.sanitized import HARNESSES, compiled, driven

SPREAD = 0.1
"""Range of the harness's values around the start values of a mechanism: it stays a mechanism."""


def _programs(folder: Path, calls: int, seed: int) -> Iterator[tuple[str, Path, list[Path]]]:
    """Yields the sources of each FMU, with a harness for them."""
    each = -(-calls // len(originals()))
    for number, fmu in enumerate(originals()):
        place = folder / str(number)
        with zipfile.ZipFile(fmu) as archive:
            archive.extractall(
                place, [name for name in archive.namelist() if name.startswith("sources/") or name == "modelDescription.xml"]
            )
        version = re.search(r'fmiVersion="(\d)', (place / "modelDescription.xml").read_text())
        assert version is not None
        sources = place / "sources"
        composed = ("-include", HARNESSES / "composed.h", f"-DSPREAD={SPREAD}") if fmu.name.startswith("fmi") else ()
        flags = (*composed, f"-DWALK_CALLS={each}", f"-DWALK_SEED={seed + number}")
        harness = compiled(HARNESSES / f"harness{version[1]}.c", place / "harness.o", [sources, HARNESSES], *flags)
        objects = [compiled(source, place / f"{k}.o", [sources]) for k, source in enumerate(sorted(sources.rglob("*.c")))]
        yield fmu.stem, place / "harness", [harness, *objects]


def run_calls(calls: int, seed: int) -> int:
    """Makes at least so many calls, beside those in order; how many there were. A call that does harm ends this with what the sanitizers say."""
    made = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, program, objects in tqdm(_programs(Path(folder), calls, seed), total=len(originals()), unit=" FMUs", disable=None):
            told = re.fullmatch(r"(\d+) calls, \d+ checks\n", driven(program, objects))
            assert told, name
            made += int(told[1])
    return made
