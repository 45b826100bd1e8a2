"""Texts of a run in a file beside its rows, until the trailer of the rows has them. A crash of the process then loses no text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from coupling.errors import BuildError
from coupling.exact import is_text
from coupling.files import open_part, remove_parts
from coupling.kernel.system.kernel import Kernel
from coupling.record import Column
from coupling.texts_file import place_of_texts, texts_as_bytes


class StreamedTexts:
    """The texts of the columns of one run; without such columns no file."""

    def __init__(self, rows: Path, columns: Sequence[tuple[int, Column]]) -> None:
        """Takes the path of the rows, and their columns of texts and large whole numbers with their places in a row."""
        self._path, self._columns = place_of_texts(rows), columns

    @contextmanager
    def written(self, known: Mapping[float, bytes]) -> Iterator[None]:
        """Opens the file, which begins with the texts of rows that are there already. It replaces that of an earlier run."""
        remove_parts(self._path.parent, escape(self._path.name))
        folder = self._path.is_dir() and not self._path.is_symlink()
        if not self._columns:
            if not folder:
                self._path.unlink(missing_ok=True)
            yield
            return
        if folder:
            raise BuildError(f"record_to writes texts to '{self._path}', which is a folder; remove it, or choose another path")
        part, descriptor = open_part(self._path)
        with open(descriptor, "w+b", buffering=0) as self._file:
            try:
                self._file.write(texts_as_bytes(known))
                part.replace(self._path)
            except OSError:
                part.unlink(missing_ok=True)
                raise
            self._inode = os.fstat(descriptor)
            yield

    def begin(self, kernel: Kernel) -> None:
        """Makes the kernel write each text before the first row that refers to it."""
        if self._columns:
            texts = [place for place, column in self._columns if is_text(column)]
            kernel.begin_texts_file(self._file.fileno(), texts, [place for place, column in self._columns if not is_text(column)])

    def store(self) -> None:
        """Makes the texts so far safe from a power cut."""
        if self._columns:
            os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Removes the file, unless another run has replaced it."""
        with suppress(FileNotFoundError):
            if self._columns and os.path.samestat(self._path.stat(), self._inode):
                self._path.unlink()
