"""The harness of the runtime over exported mechanisms, which are built from the sources inside the FMUs."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tests.support.runtime.sanitized import HARNESSES, check_tally, compiled, driven
from tests.support.systems.mechanism_fmus import CASES, SMALL, exported


class Workshop:
    """Compiles what FMUs are made of; sources that several of them have, once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def unpacked(self, name: str, fmi: int) -> Path:
        sources = self._folder / f"{name} {fmi}"
        with zipfile.ZipFile(exported(name, fmi)) as fmu:
            fmu.extractall(sources, [member for member in fmu.namelist() if member.startswith("sources/")])
        return sources / "sources"

    def objects(self, sources: Path) -> list[Path]:
        headers = b"".join(path.read_bytes() for path in sorted(sources.rglob("*.h")) if not path.name.startswith("fmi"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda source: self._object(source, sources, headers), sorted(sources.rglob("*.c"))))

    def _object(self, source: Path, sources: Path, headers: bytes, flags: Sequence[object] = ()) -> Path:
        key = hashlib.sha256(source.read_bytes() + headers + str(flags).encode()).hexdigest()[:16]
        target = self._folder / f"{source.stem}-{key}.o"
        return target if target.exists() else compiled(source, target, [sources], *flags)

    @cache  # noqa: B019
    def harness(self, fmi: int, spread: float) -> Path:
        sources = self.unpacked("pendulum", fmi)
        return self._object(HARNESSES / f"harness{fmi}.c", sources, b"", ("-include", HARNESSES / "composed.h", f"-DSPREAD={spread}"))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("sanitized"))


NAMES = [*SMALL, "loaded seven bodies"]
CHOSEN = [pytest.param(n, fmi, id=f"{n}-fmi{fmi}") for n in NAMES for fmi in (2, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fmi"), CHOSEN)
def test_no_call_does_harm(name, fmi, workshop):
    """Tens of thousands of calls in and out of order get the right status, and the sanitizers find nothing."""
    sources = workshop.unpacked(name, fmi)
    objects = [*workshop.objects(sources), workshop.harness(fmi, CASES[name].spread)]
    check_tally(driven(sources.with_name("harness"), objects))
