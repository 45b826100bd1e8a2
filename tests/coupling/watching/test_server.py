"""The server of a watched run: only its page is answered, and nothing else reaches the run."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from coupling.watching import messages
from coupling.watching import server as server_module
from coupling.watching import stream as stream_module
from coupling.watching.messages import Slider, read_message
from coupling.watching.server import WatchServer
from coupling.watching.stream import Stream
from tests.coupling.steering.test_run import mass
from tests.support.watching.reader import PATIENCE, Reader


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    """Yields a reader of a run whose input ``mass.flange.f`` may be from -2 to 2, and asserts that no refused message has moved it."""
    found: list[Reader] = []
    shown, runs = threading.Event(), []

    def show(address: str) -> None:
        found.append(Reader(address))
        shown.set()

    def go() -> None:
        with mass().start() as run:
            runs.append(run)
            run.watch({"mass.flange.f": (-2.0, 2.0)}, show=show)

    thread = threading.Thread(target=go)
    thread.start()
    assert shown.wait(PATIENCE)
    found[0].listen()
    found[0].wait(lambda state: not state["ended"])
    yield found[0]
    states = [state for _, _, state in found[0].arrived]
    assert all(state["values"] == {"mass.flange.f": 0.0} and not state["paused"] and state["speed"] == 1.0 for state in states)
    runs[0].stop()
    thread.join(PATIENCE)
    assert not thread.is_alive() and max(abs(row[2]) for row in found[0].rows) == 0


def test_the_page_is_strict(reader: Reader) -> None:
    """It has 128 random bits in its address, a policy without inline code, and no permission for other pages."""
    answer = reader.request("GET", reader.path)
    headers, text = answer.headers, answer.read().decode()
    policy = headers["Content-Security-Policy"]
    assert answer.status == 200 and "mass.flange.f" in text and len(reader.path.strip("/")) == 22  # 16 bytes in base64
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy and "connect-src 'self'" in policy
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff" and "Server" not in headers
    assert "http://" not in text and "https://" not in text


@pytest.mark.every_case
@pytest.mark.parametrize("path", ["/", "/rows", "/favicon.ico", "/{wrong}/", "/{wrong}/rows", "/{token}", "/{token}x/", "/{short}/", "//"])
def test_a_wrong_or_missing_token_is_refused(reader: Reader, path: str) -> None:
    token = reader.path.strip("/")
    wrong = path.format(token=token, wrong="A" * 22, short=token[:-1])
    for method in ("GET", "POST"):
        headers = {"Origin": reader.origin, "Content-Type": "application/json"}
        answer = reader.request(method, wrong, b'{"pause":true}' if method == "POST" else None, headers)
        assert answer.status == 403 and token not in answer.read().decode()


def test_an_address_that_is_no_text_is_refused(reader: Reader) -> None:
    with socket.create_connection(reader.host.split(":"), PATIENCE) as raw:
        raw.sendall(f"GET /\u00e9\u00ff{reader.path[1:]} HTTP/1.1\r\nHost: {reader.host}\r\n\r\n".encode("latin-1"))
        assert b" 403 " in raw.makefile("rb").readline()


@pytest.mark.every_case
@pytest.mark.parametrize("host", ["evil.example", "localhost:{port}", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", ""])
def test_another_host_is_refused(reader: Reader, host: str) -> None:
    """A name that an attacker has led to this machine reaches nothing (DNS rebinding)."""
    name = host.format(port=reader.host.partition(":")[2])
    assert reader.get(Host=name)[0] == 403
    assert reader.say({"pause": True}, Host=name or " ")[0] == 403


@pytest.mark.every_case
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "http://localhost:8888", "https://{host}"])
def test_another_origin_is_refused(reader: Reader, origin: str) -> None:
    foreign = origin.format(host=reader.host)
    assert reader.get(Origin=foreign)[0] == 403
    status, text = reader.say({"pause": True}, Origin=foreign)
    assert (status, text) == (403, "the request is from another page")


def test_a_message_without_an_origin_is_refused(reader: Reader) -> None:
    assert reader.say({"pause": True}, Origin="")[0] == 403


def test_a_form_of_another_page_is_refused(reader: Reader) -> None:
    """Browsers send such types to other pages without asking first."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert reader.say({"pause": True}, Content_Type=kind)[0] == 415
    answer = reader.request("OPTIONS", f"{reader.path}say", headers={"Origin": "http://evil.example"})
    assert answer.status == 501 and not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_getting_changes_nothing(reader: Reader) -> None:
    assert reader.get("say?pause=true")[0] == 404
    assert reader.get("say")[0] == 404 and reader.get("../rows")[0] == 404


def test_an_oversized_message_is_refused(reader: Reader) -> None:
    large = json.dumps({"pause": True, "set": {"x" * 4096: 1.0}}).encode()
    assert reader.say(large) == (413, "a message of more than 4096 bytes is refused")
    assert reader.say(b"", Content_Length="99999999999999999999")[0] == 413
    assert reader.say(b"", Content_Length="-1")[0] == 411
    assert reader.say(b"2\r\n{}\r\n0\r\n\r\n", Transfer_Encoding="chunked")[0] == 411


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 4000, 400),
        (b"[]", 400),
        (b"{}", 400),
        ({"quit": True}, 400),
        ({"pause": 1}, 400),
        ({"pause": None}, 400),
        ({"end": "yes"}, 400),
        ({"speed": 3.3}, 400),
        ({"speed": -1.0}, 400),
        ({"speed": True}, 400),
        ({"set": []}, 400),
        ({"set": {"mass.flange.f": "1"}}, 400),
        ({"set": {"mass.flange.f": True}}, 400),
        (b'{"set":{"mass.flange.f":NaN}}', 400),
        (b'{"set":{"mass.flange.f":-Infinity}}', 400),
        (b'{"set":{"mass.flange.f":1e999}}', 400),
        (b'{"set":{"mass.flange.f":1' + b"0" * 400 + b"}}", 400),
        ({"set": {"mass.flange.f": 2.0000001}}, 403),
        ({"set": {"mass.flange.f": -3}}, 403),
        ({"set": {"mass.m": 1.0}}, 403),
        ({"set": {"__class__": 1.0}}, 403),
        ({"set": {"": 1.0}}, 403),
        ({"pause": True, "set": {"mass.m": 1.0}}, 403),
    ],
)
def test_a_message_beyond_what_was_named_is_refused(reader: Reader, message: object, status: int) -> None:
    """Inputs that were not named, values beyond their ranges, NaN, and all that is no message; nothing of one that is refused in part."""
    found, text = reader.say(message)
    assert found == status and text and "Traceback" not in text


def test_too_many_messages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty at once, then forty a second."""
    clock = [0.0]
    monkeypatch.setattr(messages, "monotonic", lambda: clock[0])
    slider = Slider(name="f", low=-1.0, high=1.0, value=0.0, unit="N", description="")
    taken = []
    server = WatchServer("", "default-src 'none'", Stream(), lambda body: taken.append(read_message(body, {"f": slider})))
    try:
        reader = Reader(server.address)
        assert [reader.say({"set": {"f": 0.5}})[0] for _ in range(40)] == [204] * 40
        status, text = reader.say({"set": {"f": 0.5}})
        assert (status, text) == (429, "more than 40 messages a second are refused; wait, and send fewer")
        clock[0] += 1 / 39
        assert [reader.say({"set": {"f": 0.5}})[0] for _ in range(2)] == [204, 429]
        assert len(taken) == 41 and all(each.values == {"f": 0.5} and each.pause is None and not each.end for each in taken)
    finally:
        server.close()


def test_too_many_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers beyond the sixteenth get no answer, and the server goes on when they have gone."""
    monkeypatch.setattr(stream_module, "_QUIET", 0.05)
    stream = Stream()
    stream.put([[0.0]], {})
    server = WatchServer("page", "default-src 'none'", stream, lambda body: None)
    try:
        reader = Reader(server.address)
        held = [reader.request("GET", f"{reader.path}rows") for _ in range(16)]
        assert all(each.readline().startswith(b"id: 1") for each in held)
        with pytest.raises(OSError):
            reader.get()
        for each in held:
            each.close()
        assert server._places.acquire(timeout=PATIENCE)
        server._places.release()
        assert reader.get() == (200, "page")
    finally:
        server.close()
    with pytest.raises(OSError):
        reader.get()


def test_a_reader_who_sends_a_request_byte_by_byte_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen of them would hold all places, and the page would never come."""
    monkeypatch.setattr(server_module, "_PATIENCE", 0.3)
    server = WatchServer("page", "default-src 'none'", Stream(), lambda body: None)
    slow = [socket.create_connection(("127.0.0.1", server.server_address[1])) for _ in range(16)]
    until = time.monotonic() + PATIENCE
    try:
        reader, left = Reader(server.address), list(slow)
        while left and time.monotonic() < until:
            for each in list(left):
                try:
                    each.sendall(b"G")
                except OSError:
                    left.remove(each)
            time.sleep(0.01)
        assert not left
        assert server._places.acquire(timeout=PATIENCE)
        server._places.release()
        assert reader.get() == (200, "page")
    finally:
        for each in slow:
            each.close()
        server.close()


def test_a_reader_who_returns_gets_what_is_new() -> None:
    stream = Stream()
    stream.put([[0.0], [1.0]], {"paused": False})
    first = stream.read()
    assert next(first) == 'id: 2\ndata: {"rows":[[0.0],[1.0]],"state":{"paused": false}}\n\n'
    stream.put([[2.0]], {"paused": True})
    assert next(first) == next(stream.read(after=2)) == 'id: 3\ndata: {"rows":[[2.0]],"state":{"paused": true}}\n\n'
    assert next(stream.read(after=99)).startswith('id: 3\ndata: {"rows":[[0.0],[1.0],[2.0]]')
    first.close()
