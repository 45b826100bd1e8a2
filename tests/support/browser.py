"""Headless Chromium, spoken to by pipes: the DevTools protocol in JSON, one message after the other, each ended by a NUL byte."""

from __future__ import annotations

import base64
import io
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import matplotlib.image
import numpy as np

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""Debian's package chromium gives it."""
_PATIENCE = 60.0
"""Seconds after which an answer comes no more."""


class Browser:
    """A browser with one page at a time; ``with Browser() as browser``."""

    def __init__(self) -> None:
        assert CHROMIUM
        self.folder = tempfile.mkdtemp(prefix="browser-")
        (here_read, there_write), (there_read, here_write) = os.pipe(), os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars"]
        command += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1000,640", f"--user-data-dir={self.folder}"]
        shell = f'exec "$@" 3<&{there_read} 4>&{there_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "browser", *command, "about:blank"],
            pass_fds=(there_read, there_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there_read)
        os.close(there_write)
        self.reads, self.writes = here_read, here_write
        self.numbers, self.rest = itertools.count(1), b""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Network", "Page", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.terminate()
        self.process.wait(10)
        os.close(self.reads)
        os.close(self.writes)
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> Any:
        """A command and its answer; errors of the page and its requests are kept on the way."""
        number = next(self.numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"]["exceptionDetails"])[:500])
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.errors.append(answer["params"]["entry"]["text"])
            if answer.get("method") == "Runtime.consoleAPICalled" and answer["params"]["type"] == "error":
                self.errors.append(json.dumps(answer["params"]["args"])[:500])
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.reads], [], [], until - time.monotonic())
            assert ready, "the browser does not answer"
            got = os.read(self.reads, 1 << 20)
            assert got, "the browser has ended"
            self.rest += got
        text, _, self.rest = self.rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def show(self, address: str, width: int = 1000, dark: bool = False) -> None:
        """Shows a page as a window of a width has it, and waits until it and its pictures are loaded."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url="about:blank")
        self.errors, self.requests = [], []
        self.send("Page.navigate", url=address)
        until = time.monotonic() + _PATIENCE
        while not self.value("location.href != 'about:blank' && document.readyState == 'complete'"):
            assert time.monotonic() < until, "the page is not loaded"
            time.sleep(0.05)

    def open(self, page: Path, state: str = "still=1&theme=light") -> None:
        """Shows a page and waits until its player is ready."""
        self.errors, self.requests = [], []
        self.send("Page.navigate", url="about:blank")
        self.requests = []
        self.send("Page.navigate", url=f"{page.as_uri()}#{state}")
        until = time.monotonic() + _PATIENCE
        while not self.value("!!window.player"):
            assert time.monotonic() < until and not self.errors, self.errors
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """A key, down and up."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 * shift, **(text if kind == "keyDown" else {}))

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def window(self) -> np.ndarray:
        """The window as it is seen: rows x columns x RGB, from 0 to 1."""
        picture = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        return matplotlib.image.imread(io.BytesIO(picture), format="png")[:, :, :3]

    def pixels(self) -> np.ndarray:
        """The canvas of the mechanism as it is seen, without what lies over it: rows x columns x RGB, at one pixel each."""
        width, height, text = self.value(
            """(() => {
                const view = document.querySelector('#view'), copy = document.createElement('canvas'), pen = copy.getContext('2d');
                copy.width = view.clientWidth;
                copy.height = view.clientHeight;
                pen.drawImage(view, 0, 0, copy.width, copy.height);
                const bytes = pen.getImageData(0, 0, copy.width, copy.height).data;
                let text = '';
                for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
                return [copy.width, copy.height, btoa(text)];
            })()"""
        )
        return np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[:, :, :3]
