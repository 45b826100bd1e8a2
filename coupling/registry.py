"""Named things of one sort, each of which registers itself in the last line of its own file."""

from __future__ import annotations

import pkgutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from typing import Generic, TypeVar

from coupling.errors import BuildError
from coupling.names import nearest

T = TypeVar("T")


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delays Ctrl-C until files have been imported: a file that was imported by half would be missed later."""
    pressed: list[object] = []
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt


class Registry(Generic[T]):
    """All files of a folder, by the names that they register; they are loaded at the first use of a name."""

    def __init__(self, what: str, package: str) -> None:
        """Takes the name of the things in sentences, ``what``, and the ``package`` that holds their files and nothing else."""
        self._what, self._package, self._loaded = what, package, False
        self._found: dict[str, T] = {}
        self._lock = RLock()

    def register(self, name: str, item: T) -> None:
        if name in self._found:
            raise ValueError(f"there are two files for the {self._what} '{name}'; rename one of them")
        self._found[name] = item

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._found))

    def __getitem__(self, name: str) -> T:
        self._load()
        if name not in self._found:
            hint = nearest(name, self._found) or f"choose one of {', '.join(sorted(self._found))}"
            raise BuildError(f"the {self._what} '{name}' is unknown; {hint}")
        return self._found[name]

    def _load(self) -> None:
        """Imports all files of the package. No file lists the solvers and schemes; only this function imports files by their place."""
        if self._loaded:
            return
        with self._lock, uninterrupted():  # of threads that ask at once, one loads; what was interrupted is loaded again
            if not self._loaded:
                for info in pkgutil.iter_modules(import_module(self._package).__path__):
                    import_module(f"{self._package}.{info.name}")
                self._loaded = True
