"""A stream of rows into a file while a run makes them. Memory then holds none, and a crash of the process does not lose them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from io import RawIOBase
from pathlib import Path
from typing import Any

import numpy as np

from coupling.errors import BuildError, ResultError
from coupling.files import open_part, remedy, remove_parts
from coupling.kernel.hosts.hosted import HostDied
from coupling.kernel.system.kernel import Kernel
from coupling.live.checkpoints import CheckpointWriter
from coupling.live.output_paths import place, refuse_one_for_both
from coupling.live.recording import recorded, taken
from coupling.live.session import Session
from coupling.live.streamed_texts import StreamedTexts
from coupling.outcome import Ending, Outcome
from coupling.record import Numbers, Record
from coupling.rows_file import SUFFIX, checksum_of, header, is_of, numbers, read, trailer

_ROWS_UNKNOWN = -1


def stream_of(record_to: object, checkpoints: CheckpointWriter | None) -> Stream | None:
    """Returns the stream for the options of ``simulate``."""
    if record_to is None:
        return None
    path = place("record_to", record_to, SUFFIX, ends_in_it=True)
    if checkpoints:
        refuse_one_for_both(path, checkpoints.path)
    return Stream(path)


class Stream:
    """A file of rows that a session writes, from its header on to the trailer of the run that has ended."""

    def __init__(self, path: Path, there: Mapping[str, Any] | None = None) -> None:
        """Takes the file; ``there`` is the data of a checkpoint on the rows that the file has already, after which the run goes on."""
        self.path, self._there = path, there

    @contextmanager
    def written(self, session: Session) -> Iterator[None]:
        """Writes the file for a session, from its start on. The file replaces another one of that name; programs that read the old file
        keep it."""
        self._told = recorded(session, taken(session), 0, 0, [], {})
        self.width = len(_places(self._told))
        head = header(self._told, _ROWS_UNKNOWN, self.width)
        self._first, rows = len(head), session.run.rows
        remove_parts(self.path.parent, escape(self.path.name))
        part: Path | None = None
        self._texts = StreamedTexts(self.path, session.program.exact_columns)
        if self._there:
            self._refuse_another(head)
        try:
            free = shutil.disk_usage(self.path.parent).free
            size = 8 * rows * self.width
            if size > free:
                raise BuildError(
                    f"record_to = '{self.path}' asks for {rows:.3g} rows of {self.width} numbers, {size / 2**30:.3g} GiB, and {free / 2**30:.3g} GiB are "
                    "free there; record less often, or name fewer outputs"
                )
            part, descriptor = open_part(self.path)
            with open(descriptor, "w+b", buffering=0) as self._file:
                self._file.write(head)
                if self._there:
                    copy_rows(self.path, self._there, self._file, len(head))
                known = read(self.path)[0].texts if self._there and session.program.exact_columns else {}
                with self._texts.written(known):
                    part.replace(self.path)
                    self._kernel = session.kernel
                    if not self._there:
                        self.go_on()
                    try:
                        yield
                    finally:
                        self._rows = self._ended(session.kernel)
                        self._inode, self._values = os.fstat(self._file.fileno()), self._mapped()
        except OSError as error:
            advice = remedy(error, "resume where it can, or start the run again" if self._there else "choose another path")
            raise OSError(f"record_to: '{self.path}' cannot be written: {error.strerror}; {advice}") from None
        finally:
            with suppress(OSError):  # where nothing can be written, nothing was
                if part is not None:
                    part.unlink(missing_ok=True)

    def _refuse_another(self, head: bytes) -> None:
        """Refuses a file that is not the one of the checkpoint: this run would take its place."""
        assert self._there
        try:
            same = self.path.suffix == SUFFIX and is_of(self.path, head, self._there["first"]) and self._there["width"] == self.width
        except ResultError:
            same = False
        if not same:
            raise ResultError(
                f"'{self.path}' is not the file of rows that the checkpoint names, and would be replaced; put the original file back, or start the run again"
            )

    def go_on(self) -> None:
        """Sends the rows into the file from now on, after those that the kernel was given."""
        if self._there and self._kernel.rows != self._there["count"]:
            raise ResultError(
                f"the checkpoint expects {self._there['count']} rows in '{self.path}', and its run wrote others; start the run again"
            )
        self._texts.begin(self._kernel)
        self._kernel.begin_rows_file(self._file.fileno(), self._first, _places(self._told))

    @property
    def told(self) -> dict[str, Any]:
        """The data that a checkpoint holds about the rows."""
        count = self._kernel.rows
        checksum = checksum_of(self._file.fileno(), self._first, 8 * count * self.width)
        return {"path": str(self.path), "count": count, "first": self._first, "width": self.width, "checksum": checksum}

    def store(self) -> None:
        """Makes the rows so far safe from a power cut."""
        self._texts.store()
        os.fsync(self._file.fileno())

    def numbers(self) -> Numbers:
        """Returns all rows, which are read from the file when they are looked at."""
        told = self._told
        names = (list(told.created_energy), len(told.parameters), list(told.drawn))
        return numbers(self._values, len(told.columns), *names, take=np.asarray)

    def _ended(self, kernel: Kernel) -> int:
        """Returns how many rows the file has, which ends with them. An FMU that has ended its process may have overwritten their number."""
        try:
            rows = kernel.end_rows_file()
        except HostDied:
            rows = (os.fstat(self._file.fileno()).st_size - self._first) // (8 * self.width)
        if kernel.library.is_lost:
            self._rows = rows
            unwritten = np.isnan(self._mapped()[:, 0])
            rows = int(unwritten.argmax()) if unwritten.any() else rows
            os.ftruncate(self._file.fileno(), self._first + 8 * rows * self.width)
        return rows

    def _mapped(self) -> np.ndarray:
        """Returns the rows of the open file in memory mapping: its path may be gone by now."""
        size = (self._rows, self.width)
        return np.memmap(self._file, "<f8", "c", self._first, size) if self._rows else np.zeros(size)

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), self._inode)
        except OSError:
            return False

    def end(self, record: Record, outcome: Outcome) -> None:
        """Says in the file how the run has ended; where that cannot be, the outcome says so."""
        head = header(record, self._rows, self.width)
        if len(head) != self._first:  # the time at which a run without a known end has ended takes more room than there is
            head = header(self._told, self._rows, self.width)
        if not self._is_there():
            if outcome.completed:
                outcome.ending = Ending.STORAGE_FAILED
            outcome.warnings.append(f"'{self.path}' was removed or replaced during the run; the result has all rows: save it elsewhere")
            return
        try:
            with self.path.open("r+b") as file:
                checksum = checksum_of(file.fileno(), self._first, 8 * self._rows * self.width)
                file.seek(0, os.SEEK_END)
                file.write(trailer(record, outcome, head, checksum))
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                file.write(head)
            self._texts.remove()
        except OSError as error:
            if outcome.completed:
                outcome.ending = Ending.STORAGE_FAILED
            outcome.warnings.append(
                f"'{self.path}' has all rows, but does not say how the run ended: {error.strerror}; save the result elsewhere"
            )


def copy_rows(path: Path, there: Mapping[str, Any], file: RawIOBase, first: int) -> None:
    """Copies the rows that a checkpoint lists from an old file into another one; programs that read the old file keep it."""
    size = 8 * there["count"] * there["width"]
    with path.open("rb") as old:
        if os.fstat(old.fileno()).st_size < there["first"] + size:
            raise ResultError(
                f"'{path}' has fewer rows than the {there['count']} that the checkpoint expects: it was cut, or belongs to another run; start the run again"
            )
        if there["checksum"] != checksum_of(old.fileno(), there["first"], size):
            raise ResultError(
                f"'{path}' has other rows than the checkpoint expects: it is damaged, or belongs to another run; start the run again"
            )
        at, left = there["first"], size
        file.seek(first)
        while left:
            done = os.sendfile(file.fileno(), old.fileno(), at, left)
            at, left = at + done, left - done


def _places(told: Record) -> np.ndarray:
    """Returns, for each number of a row in the file, its number in the kernel's row. In the kernel, drawn variables stand before energies,
    and both have derivatives."""
    columns, energies, drawn = len(told.columns), len(told.created_energy), len(told.drawn)
    first = 1 + columns + drawn + energies
    derivatives = [first + parameter * (first - 1) + i for parameter in range(len(told.parameters)) for i in range(columns)]
    return np.array([*range(1 + columns), *range(1 + columns + drawn, first), *derivatives, *range(1 + columns, 1 + columns + drawn)])
