"""Files that register themselves: loaded once for all threads, and again after an interrupted loading."""

from __future__ import annotations

import subprocess
import sys

THREADS = """
import threading
from coupling.solvers.base.solver import SOLVERS
found = []
threads = [threading.Thread(target=lambda: found.append(SOLVERS["dopri5"])) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found))
"""

INTERRUPTED = """
import coupling.registry as registry
from coupling.schemes.base.scheme import SCHEMES
load, count = registry.import_module, [0]
def interrupted(name):
    count[0] += 1
    if count[0] == 3:
        raise KeyboardInterrupt
    return load(name)
registry.import_module = interrupted
try:
    SCHEMES["implicit"]
except KeyboardInterrupt:
    print(type(SCHEMES["implicit"]).__name__, len(list(SCHEMES)))
"""


def said(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


def test_threads_that_ask_first_all_find_it() -> None:
    """One loads, the others wait."""
    assert said(THREADS) == "8"


def test_an_interrupted_load_is_made_again() -> None:
    """Ctrl-C in the first second does not leave solvers unknown for the rest of the process."""
    assert said(INTERRUPTED) == "ImplicitScheme 5"
