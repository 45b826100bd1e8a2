"""A copy of the tree in which mutants are made, tested and taken back."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from threading import Timer

import pytest

from tests.mutants.mutations import Mutant
from tests.mutants.sources import ROOT

KERNEL = Path("coupling/kernel")
COMPILE = ["gcc", "-std=c11", "-O1", "-fPIC", "-DKERNEL_EXPORTED", "-fno-math-errno", f"-I{KERNEL}", "-Ifmu_components/runtime"]
COMPILE += [f"-Werror={each}" for each in ("incompatible-pointer-types", "int-conversion", "implicit-function-declaration")]
LINK = ["gcc", "-shared", "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"]
LIBRARY = KERNEL / "_core.so"
ASLEEP = 1800
"""Seconds after which tests are ended that use no processor time; `limit.py` ends those that use too much."""
PASSED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


class Workspace:
    """A folder with all files of the tree, and a kernel of its own that is compiled for speed of compilation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = 0
        """The process of the tests under way."""
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
        self.forks = self._starts()

    def makes(self, mutant: Mutant) -> bool:
        """Puts a mutant in place of its file; says whether it is a program at all."""
        path = self.folder / mutant.path
        path.write_text(mutant.applied((ROOT / mutant.path).read_text()))
        if mutant.path.suffix == ".py":
            self._forget(path)
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
        else:
            self._forget(self.folder / mutant.path)

    def failing(self, tests: Sequence[str]) -> str:
        """Returns the first test that fails, crashes or hangs; nothing if all tests pass, or if none is left to run."""
        ordinary = [] if any("::" in each for each in tests) else ["-m", "not slow or other_case"]
        output = self.folder / "output.txt"
        arguments = ["-x", "-v", "-p", "no:cacheprovider", "-p", "tests.mutants.limit", *ordinary, *tests]
        assert self.forks.stdin is not None and self.forks.stdout is not None
        print(json.dumps([arguments, str(output)]), file=self.forks.stdin, flush=True)
        self.run = int(self.forks.stdout.readline())
        late = Timer(ASLEEP, self.stop)
        late.start()
        code = int(self.forks.stdout.readline())
        self.run = 0
        late.cancel()
        return "" if code in PASSED else last_test(output.read_text()) or " ".join(tests)

    def stop(self) -> None:
        """Ends the tests under way, and all processes that they have started."""
        if self.run:
            with suppress(ProcessLookupError):
                os.killpg(self.run, signal.SIGKILL)

    def close(self) -> None:
        self.stop()
        self.forks.communicate()

    def _starts(self) -> subprocess.Popen[str]:
        """Returns the process that runs the tests."""
        own = {"PYTHONPATH": str(self.folder), "JOURDAIN_CACHE": str(self.folder / "cache"), "CI": "1"}
        program = [sys.executable, "-m", "tests.mutants.forks"]
        return subprocess.Popen(
            program, cwd=self.folder, env=os.environ | own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    @staticmethod
    def _forget(path: Path) -> None:
        """Removes the compiled form of a file: one of the same second and size would count as that of the new text."""
        Path(cache_from_source(path)).unlink(missing_ok=True)

    def _compile(self, source: Path) -> None:
        target = self.objects / f"{source.parent.name}_{source.stem}.o"
        subprocess.run([*COMPILE, "-c", str(source), "-o", str(target)], cwd=self.folder, check=True, stderr=subprocess.DEVNULL)

    def _link(self) -> None:
        target = self.folder / LIBRARY
        beside = target.with_suffix(".new")
        objects = sorted(map(str, self.objects.glob("*.o")))
        subprocess.run([*LINK, "-o", str(beside), *objects, "-lm", "-ldl"], cwd=self.folder, check=True)
        beside.replace(target)


def last_test(output: str) -> str:
    """Returns the last test that pytest names in its output before the failures: the one that failed, or that did not come to its end."""
    begun = re.split(r"^=+ (?:FAILURES|ERRORS) =+$", output, maxsplit=1, flags=re.MULTILINE)[0]
    named = re.findall(r"^(tests/\S+\.py::.*?)(?: (?:PASSED|FAILED|ERROR|SKIPPED) .*)?$", begun, re.MULTILINE)
    return named[-1].strip() if named else ""
