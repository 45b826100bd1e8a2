"""C sources compiled and run under the address, leak and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fmu_components.export.compile import WARNINGS

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# Of -g, lines and functions are all that a report shows; the rest takes half as long again.
FLAGS = ("-std=c11", *WARNINGS, "-g1", "-Og", *SANITIZERS)
# Allocations go through the harness, which lets memory run out.
LINK_FLAGS = (*SANITIZERS, "-Wl,--wrap=malloc,--wrap=calloc")
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
HARNESSES = Path(__file__).parent


def run(command: Sequence[object]) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=os.environ | OPTIONS, timeout=300)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    assert done.stderr == ""
    return done.stdout


def compiled(source: Path, target: Path, folders: Sequence[Path], *flags: object) -> Path:
    run(["gcc", *FLAGS, *(f"-I{folder}" for folder in folders), *flags, "-c", source, "-o", target])
    return target


def driven(program: Path, objects: Sequence[Path]) -> str:
    """Returns the output of a harness that is linked with these objects, one of which is its own."""
    run(["gcc", *LINK_FLAGS, "-o", program, *objects, "-lm"])
    return run([program])


def check_tally(output: str) -> None:
    """A harness that has found nothing has said only how much it has done."""
    told = re.fullmatch(r"(\d+) calls, (\d+) checks\n", output)
    assert told
    calls, checks = map(int, told.groups())
    assert calls > 40_000
    assert checks > 80_000
