"""A copy of the tree in which mutants are made, tested and taken back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from tests.mutants.mutations import Mutant
from tests.mutants.sources import ROOT

KERNEL = Path("coupling/kernel")
COMPILE = ["gcc", "-std=c11", "-O1", "-fPIC", "-DKERNEL_EXPORTED", "-fno-math-errno", f"-I{KERNEL}"]
COMPILE += [f"-Werror={each}" for each in ("incompatible-pointer-types", "int-conversion", "implicit-function-declaration")]
LINK = ["gcc", "-shared", "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"]
LIBRARY = KERNEL / "_core.so"


class Workspace:
    """A folder with all files of the tree, and a kernel of its own that is compiled for speed of compilation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        self.objects = folder / "objects"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        for name in filter(None, listed):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        shutil.copy2(ROOT / KERNEL / "jourdain-host", folder / KERNEL)
        self.objects.mkdir()
        sources = [path for path in sorted((folder / KERNEL).glob("*/*.c")) if path.name != "jourdain_host.c"]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda path: self._compile(path.relative_to(folder)), sources))
        self._link()

    def makes(self, mutant: Mutant) -> bool:
        """Puts a mutant in place of its file; says whether it is a program at all."""
        path = self.folder / mutant.path
        path.write_text(mutant.applied((ROOT / mutant.path).read_text()))
        if mutant.path.suffix == ".py":
            return True
        try:
            self._compile(mutant.path)
            self._link()
        except subprocess.CalledProcessError:
            return False
        return True

    def takes_back(self, mutant: Mutant) -> None:
        """Brings back the file as it was."""
        shutil.copy2(ROOT / mutant.path, self.folder / mutant.path)
        if mutant.path.suffix == ".c":
            self._compile(mutant.path)
            self._link()

    def survives(self, tests: Sequence[str], seconds: float) -> bool:
        """Says whether all tests pass; one that hangs fails."""
        program = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow or other_case", *tests]
        own = {"PYTHONPATH": str(self.folder), "JOURDAIN_CACHE": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
        self.process = subprocess.Popen(
            program, cwd=self.folder, env=os.environ | own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return self.process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            self.stop()
            return False

    def stop(self) -> None:
        """Ends the tests under way, and all processes that they have started."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _compile(self, source: Path) -> None:
        target = self.objects / f"{source.parent.name}_{source.stem}.o"
        subprocess.run([*COMPILE, "-c", str(source), "-o", str(target)], cwd=self.folder, check=True, stderr=subprocess.DEVNULL)

    def _link(self) -> None:
        target = self.folder / LIBRARY
        beside = target.with_suffix(".new")
        objects = sorted(map(str, self.objects.glob("*.o")))
        subprocess.run([*LINK, "-o", str(beside), *objects, "-lm", "-ldl"], cwd=self.folder, check=True)
        beside.replace(target)


def seconds_of(workspace: Workspace, tests: Sequence[str]) -> float:
    """Returns how long tests take without a mutant, all of which have to pass."""
    began = monotonic()
    if not workspace.survives(tests, 3600):
        raise SystemExit(f"{' '.join(tests)} fails without a mutant; mend it first")
    return monotonic() - began
