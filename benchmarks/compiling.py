"""Waiting times before a compiled run: a first run lowers equations to tapes and to C, and compiles C. Later runs find both in the
cache.

FMUs are built beforehand. The cache of equations and code is separate and empty at first.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from coupling import System
from coupling.fmus import cache
from coupling.fused import coded, compiled, kept
from coupling.plan.build import Built

HERE = Path(__file__).parent


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def seconds(built: Built) -> float:
    """Returns the seconds until compiled code exists, in a process that has none yet and has not looked at the system."""
    built = replace(built)
    with patch.object(compiled, "_loaded", {}), patch.object(kept, "_known", {}):
        began = time.perf_counter()
        coded.compiled(built)
        return time.perf_counter() - began


def row(name: str, system: System) -> None:
    built = system.build(communication=False)
    with tempfile.TemporaryDirectory() as folder, patch.object(cache, "cache_folder", lambda: Path(folder)):
        first = seconds(built)
        again = min(seconds(built) for _ in range(3))
    print(f"{name:24}{first:12.2f}{again:18.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000], help="of chains and N-four-bars (default 10 100 1000)")
    options = parser.parse_args()
    chains = module(HERE / "chain.py")
    print(f"{'system':24}{'first, s':>12}{'from the cache, s':>18}")
    row("seven bodies", module(HERE.parent / "examples" / "03_seven_body_mechanism.py").system())
    for name, make in chains.MECHANISMS.items():
        for bodies in options.bodies:
            row(f"{name}, {bodies}", make(bodies))


if __name__ == "__main__":
    main()
