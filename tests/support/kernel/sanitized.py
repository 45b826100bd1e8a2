"""The kernel under the sanitizers for addresses and undefined behaviour, inside Python: a plugin of pytest, and a program of its own.

Python itself is not instrumented; the sanitizers' library is loaded before it, and the kernel that is opened is the one that they watch.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[3]
KERNEL = ROOT / "coupling" / "kernel"
TABLES = ROOT / "fmu_components" / "runtime"
WATCHED = "JOURDAIN_TEST_WATCHED_KERNEL"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=nonnull-attribute")
"""All but that of copies of no bytes from nowhere, which do nothing everywhere and which the next C standard allows."""
FLAGS = ("-std=c11", "-O0", "-g1", "-fPIC", "-DKERNEL_EXPORTED", "-fno-math-errno", *SANITIZERS)


def open_watched_kernel() -> None:
    """Replaces the kernel's library, in later imports, by the one that the sanitizers watch."""
    plain = ctypes.CDLL
    ctypes.CDLL = lambda name, *given, **named: plain(  # type: ignore[assignment, misc]
        os.environ[WATCHED] if Path(str(name)).name.startswith("_core.") else name, *given, **named
    )
    from coupling.kernel import library

    assert library._name == os.environ[WATCHED]
    ctypes.CDLL = plain  # type: ignore[misc]


def build(folder: Path) -> Path:
    """The kernel from its sources, with the sanitizers in it."""

    def compiled(source: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.stem}.o"
        subprocess.run(["gcc", *FLAGS, f"-I{KERNEL}", f"-I{TABLES}", "-c", str(source), "-o", str(target)], check=True)
        return target

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, sorted(KERNEL.glob("*/[!j]*.c"))))
    shutil.copy2(KERNEL / "jourdain-host", folder)
    library = folder / "kernel.so"
    linked = ["-shared", *SANITIZERS, "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free", *map(str, objects), "-lm", "-ldl"]
    subprocess.run(["gcc", "-o", str(library), *linked], check=True)
    return library


def run_watched(library: Path, arguments: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, and with the watched kernel at hand."""
    runtimes = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    own = {
        WATCHED: str(library),
        "LD_PRELOAD": ":".join(runtimes),
        # Python keeps what it allocates, and what it opens stays open. Crashes end a process as they do without: hosts tell of those of their FMUs.
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=os.environ | own, capture_output=True, text=True, timeout=timeout)


if WATCHED in os.environ:
    open_watched_kernel()


def main() -> None:
    """Each solver, each scheme with each way to choose steps, impacts, and constraints that repeat others, on short runs; says how many there were."""
    from coupling import Index3, Scheme, Successive
    from coupling.schemes.base.scheme import SCHEMES
    from coupling.solvers.base.solver import SOLVERS
    from tests.support.systems.rolling import plank
    from tests.support.systems.switching import stop
    from tests.support.systems.systems import pendulum

    runs = 0
    for solver in SOLVERS:
        for held in (None,) if SOLVERS[solver].holds else ("baumgarte", "projection"):
            asked = solver if held else Index3(step_size=0.007)
            pendulum().simulate(0.2, solver=asked, output_interval=0.01, stabilisation=held)
            runs += 1
    pendulum().simulate(0.2, solver=Index3(step_size=0.007, iteration="augmented-lagrangian"), output_interval=0.01)
    runs += 1
    struck = stop(e=0.9).simulate(10.0)
    assert len(struck.changes) > 10, "more than the kernel has room for at first"
    runs += 1
    for redundant in ("least", "first"):
        plank().simulate(0.1, multipliers=Successive(redundant=redundant), evaluation="fmus")
        runs += 1
    for scheme in SCHEMES:
        for control in {"fixed", "adaptive"} - SCHEMES[scheme].refused_controls.keys():
            pendulum().simulate(0.1, communication_step=0.005, scheme=Scheme(scheme, step_control=control))
            runs += 1
    print(runs, "runs")


if __name__ == "__main__":
    main()
