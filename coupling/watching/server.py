"""A server of one page on this machine: it shows rows to those who know its address, and passes their messages on."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any, cast

from coupling.watching.messages import Rate, Refused
from coupling.watching.stream import Stream

HOST = "127.0.0.1"
_LARGEST = 4096
"""Bytes of a message beyond which it is refused unread."""
_CONNECTIONS = 16
"""Connections at the same time; more are closed at once."""
_PATIENCE = 10.0
"""Seconds that a reader may take to send a request, or to take an answer."""
_FRAMES = "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:* vscode-webview:"
"""Pages that may hold this page in a frame: notebooks on this machine."""


class WatchServer(ThreadingHTTPServer):
    """A server in threads of its own, from its making until ``close``. Only the owner of its address reaches it."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, page: str, policy: str, stream: Stream, take: Callable[[bytes], None]) -> None:
        """Takes the page with its security policy, the rows, and a function for messages, which raises Refused. It is called in threads
        of the server."""
        super().__init__((HOST, 0), _Handler)
        self.page, self.policy, self.stream = page.encode(), f"{policy}; frame-ancestors {_FRAMES}", stream
        self.token, self.rate = secrets.token_urlsafe(16), Rate()
        self.place = f"{HOST}:{self.server_address[1]}"
        self._take, self._lock = take, threading.Lock()
        self._places = threading.BoundedSemaphore(_CONNECTIONS)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, name="jourdain watch", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """The address of the page, which holds the token."""
        return f"http://{self.place}/{self.token}/"

    def pass_on(self, body: bytes) -> None:
        """Takes a message; one at a time, and not too many."""
        with self._lock:
            self.rate.count()
            self._take(body)

    def close(self) -> None:
        """Ends the server; pages keep what they have."""
        self.stream.close()
        self.shutdown()
        self.server_close()
        self._thread.join()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Gives a connection a thread of its own, if there is room."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: Any) -> None:
        """Says nothing where a reader has gone in the midst of an answer."""


class _Handler(BaseHTTPRequestHandler):
    timeout = _PATIENCE

    def setup(self) -> None:
        """Gives the whole request its time: a reader who sends it byte by byte would hold a place for ever."""
        super().setup()
        self._late = threading.Timer(_PATIENCE, self._hang_up)
        self._late.daemon = True
        self._late.start()

    def finish(self) -> None:
        """Closes the connection."""
        self._late.cancel()
        super().finish()

    def _hang_up(self) -> None:
        with suppress(OSError):  # the reader has gone by itself
            self.connection.shutdown(SHUT_RDWR)

    def do_GET(self) -> None:
        """Answers with the page, or with rows as they come; changes nothing."""
        with self._refusals():
            path = self._path()
            if path == "":
                self._answer(200, "text/html; charset=utf-8", self._server.page)
            elif path == "rows":
                self._stream()
            else:
                raise Refused(404, "there is no such page")

    def do_POST(self) -> None:
        """Takes a message of the page."""
        with self._refusals():
            if self._path() != "say":
                raise Refused(404, "there is no such page")
            if self.headers.get("Origin") is None:
                raise Refused(403, "the message has no origin")
            if self.headers.get_content_type() != "application/json":
                raise Refused(415, "a message is of the type application/json")
            self._server.pass_on(self.rfile.read(self._length()))
            self._answer(204, "text/plain", b"")

    # -- checks --------------------------------------------------------------------------------------------------------------------

    def _path(self) -> str:
        """Returns the path after the token; refuses other hosts, origins and tokens."""
        server = self._server
        if self.headers.get_all("Host") != [server.place]:
            raise Refused(403, "the request is for another host")
        if self.headers.get_all("Origin", []) not in ([], [f"http://{server.place}"]):
            raise Refused(403, "the request is from another page")
        _, _, rest = self.path.partition("/")
        token, slash, path = rest.partition("/")
        if not hmac.compare_digest(token.encode("utf-8", "replace"), server.token.encode()) or not slash:
            raise Refused(403, "the address has no token, or a wrong one; take the whole address that was shown")
        return path

    def _length(self) -> int:
        text = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (text.isascii() and text.isdecimal()):
            raise Refused(411, "a message says how long it is")
        if len(text) > 9 or int(text) > _LARGEST:
            raise Refused(413, f"a message of more than {_LARGEST} bytes is refused")
        return int(text)

    # -- answers -------------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Answers with the sentence of a refusal; a reader who has gone gets none."""
        with suppress(OSError):
            try:
                yield
            except Refused as error:
                self._answer(error.status, "text/plain; charset=utf-8", str(error).encode())

    def _stream(self) -> None:
        last = self.headers.get("Last-Event-ID", "")
        self._begin(200, "text/event-stream")
        self.end_headers()
        for event in self._server.stream.read(int(last) if last.isascii() and last.isdecimal() and len(last) < 16 else 0):
            self.wfile.write(event.encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self._begin(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, status: int, kind: str) -> None:
        self._late.cancel()
        self.send_response_only(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Security-Policy", self._server.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers what is no request by its number alone."""
        self.close_connection = True
        with suppress(OSError):
            self._answer(code, "text/plain; charset=utf-8", b"the request is refused")

    def log_message(self, format: str, *args: Any) -> None:
        """Writes no log, which would hold the token."""

    @property
    def _server(self) -> WatchServer:
        return cast(WatchServer, self.server)
