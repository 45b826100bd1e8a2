"""Rows and the state of a run on their way to pages: the run writes them, and each page reads them at its own pace."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_KEPT = 3_000
"""Rows that a page gets which begins, or which has lost its connection."""
_QUIET = 5.0
"""Seconds after which a page without news gets an empty line, which shows whether it is still there."""


class Stream:
    """The last rows of a run and its state, for several pages in threads of their own."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._rows: deque[str] = deque(maxlen=_KEPT)
        self._count, self._version, self._closed, self._readers = 0, 0, False, 0
        self._state: Mapping[str, Any] = {}

    def put(self, rows: Sequence[Sequence[float]], state: Mapping[str, Any]) -> None:
        """Adds rows, and replaces the state."""
        texts = [json.dumps(row, separators=(",", ":"), allow_nan=False) for row in rows]
        with self._news:
            self._rows += texts
            self._count += len(texts)
            if state != self._state:
                self._state = dict(state)
                self._version += 1
            self._news.notify_all()

    def close(self, patience: float = 1.0) -> None:
        """Ends the readers once they have read everything; waits for them so many seconds at most."""
        with self._news:
            self._closed = True
            self._news.notify_all()
            self._news.wait_for(lambda: not self._readers, patience)

    def read(self, after: int = 0) -> Iterator[str]:
        """Yields events of a stream: rows after the first so many, with the state; an empty comment where nothing happens."""
        version = 0
        with self._news:
            self._readers += 1
        try:
            if not 0 <= after <= self._count:
                after = 0
            while True:
                with self._news:
                    self._news.wait_for(lambda: self._closed or self._count > after or self._version > version, _QUIET)  # noqa: B023
                    fresh = [self._rows[i] for i in range(-min(self._count - after, len(self._rows)), 0)]
                    state, last = self._state, self._count == after and self._version == version
                    after, version, closed = self._count, self._version, self._closed
                if closed and last:
                    return
                yield ":\n\n" if last else f'id: {after}\ndata: {{"rows":[{",".join(fresh)}],"state":{json.dumps(state)}}}\n\n'
        finally:
            with self._news:
                self._readers -= 1
                self._news.notify_all()
