"""A reader of the page of a run, without a browser: requests as they are given, and events of the stream."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60.0
"""Seconds after which an event comes no more."""


class Reader:
    """A reader who has an address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.path = parts.netloc, parts.path
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.arrived: list[tuple[float, list[list[float]], Mapping[str, Any]]] = []
        """The moment of each event, its rows, and the state in it."""
        self._news = threading.Condition()

    def request(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> HTTPResponse:
        """Sends a request with these headers alone; the path is taken as it is."""
        connection = HTTPConnection(self.host, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in ({"Host": self.host} | dict(headers or {})).items():
            connection.putheader(name, value)
        if body is not None and not {"Content-Length", "Transfer-Encoding"} & set(headers or {}):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse()

    def get(self, path: str = "", **headers: str) -> tuple[int, str]:
        """Returns the status and the text of a page below the token."""
        answer = self.request("GET", self.path + path, headers=headers)
        return answer.status, answer.read().decode()

    def say(self, message: object, **headers: str) -> tuple[int, str]:
        """Sends a message as the page does, with other headers where they are given; one without a value is left out."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        given = {"Origin": self.origin, "Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        answer = self.request("POST", f"{self.path}say", body, {name: value for name, value in given.items() if value})
        return answer.status, answer.read().decode()

    def listen(self) -> None:
        """Takes the events of the stream from now on, in a thread."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        answer = self.request("GET", f"{self.path}rows")
        for line in answer:
            if line.startswith(b"data: "):
                said = json.loads(line[6:])
                with self._news:
                    self.arrived.append((time.monotonic(), said["rows"], said["state"]))
                    self._news.notify_all()

    def wait(self, seen: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        """Waits for a state, and returns it."""
        with self._news:
            assert self._news.wait_for(lambda: self.arrived and seen(self.arrived[-1][2]), PATIENCE), self.arrived[-1:]
            return self.arrived[-1][2]

    @property
    def rows(self) -> list[list[float]]:
        """All rows so far."""
        with self._news:
            return [row for _, rows, _ in self.arrived for row in rows]
