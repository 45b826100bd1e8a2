"""A run in real time on a page: it is advanced by short pieces in the calling thread, and never runs ahead of the clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from queue import Empty, Full, Queue
from time import monotonic
from typing import Any

from coupling.errors import BuildError, RunEnded, shown
from coupling.live.recording import copied
from coupling.names import check_title
from coupling.options import number
from coupling.pictures.page import live_page
from coupling.progress import in_notebook, noticed
from coupling.watching.feed import Feed
from coupling.watching.messages import SPEEDS, Message, Refused, Slider, read_message
from coupling.watching.server import WatchServer
from coupling.watching.sliders import Ranges, slider
from coupling.watching.stream import Stream
from coupling.watching.watched import Target, Watched

_FRAME = 0.02
"""Seconds of the clock from one piece to the next."""
_BEHIND = 0.1
"""Seconds of the clock by which a run may be late; beyond that it goes on from where it is, in slow motion."""
_IDLE = 0.1
"""Seconds after which a run that is paused looks for Ctrl-C."""
_MEASURED = 0.5
"""Seconds of the clock over which the speed is measured."""
_FINEST = 64
"""Smallest part of a piece that a slow run is cut into."""
_WAITING = 64
"""Messages that may wait for the run."""
_TALL = 560
"""Height of the page in a notebook, in pixels."""


def _show(address: str) -> None:
    if in_notebook():
        from IPython.display import IFrame, display  # type: ignore[import-not-found]

        display(IFrame(address, "100%", _TALL))
    else:
        print(f"the run is shown at {address}", flush=True)


class Watching:
    """A run, its page, and the messages between them."""

    def __init__(self, run: Watched, inputs: Ranges, speed: float, stop_time: float) -> None:
        self._run, self._speed, self._stop = run, number("speed", speed), number("stop_time", stop_time)
        if not 0 < self._speed < math.inf:
            raise BuildError(f"speed = {self._speed:g} is refused: give a positive number, such as 0.5")
        if not self._stop >= run.time:
            raise BuildError(f"stop_time = {self._stop:g} s lies before t = {run.time:g} s, which the run has reached; give a later one")
        self._speeds = sorted({*SPEEDS, self._speed})
        if not isinstance(inputs, Mapping):
            raise BuildError(f"inputs = {shown(inputs)} is refused: give ranges by names, such as {{'motor.effort': (-5.0, 5.0)}}")
        self._sliders = {name: self._slider(name, ends) for name, ends in inputs.items()}
        self._values = {name: each.value for name, each in self._sliders.items()}
        self._messages: Queue[Message] = Queue(_WAITING)
        self._stream, self._rows = Stream(), 0
        self._paused = self._ended = False
        self._rate = 0.0
        self._restart()

    def _slider(self, name: str, ends: Sequence[float]) -> Slider:
        session, settings = self._run._session, self._run._settings
        target: Target = settings.target(session, name)
        if settings.signals and target in settings.signals.inputs:
            raise BuildError(f"inputs: '{name}' is one of signals(inputs=[...]), which set it by arrays; leave it out here or there")
        return slider(name, ends, target, settings.present(session, target))

    def run(
        self,
        title: str | None,
        signals: Sequence[str | Sequence[str]] | None,
        forces: Sequence[str] | None,
        traces: Sequence[str] | None,
        show: Callable[[str], object] | None,
    ) -> None:
        """Shows the page and advances the run until one of them ends; frees the server in any case."""
        check_title(title)
        if show is not None and not callable(show):
            raise BuildError(f"show = {shown(show)} is refused: give a function that takes the address of the page, such as print")
        run = self._run
        self._feed = Feed(run.result._record, signals, forces, traces)
        about = {"inputs": [asdict(each) for each in self._sliders.values()], "speeds": self._speeds, "state": self._state()}
        page, policy = live_page(self._feed.scene, title or self._feed.scene.name, about)
        server = WatchServer(page, policy, self._stream, self._take)
        try:
            self._publish()
            (show or _show)(server.address)
            self._restart()
            while self._goes_on():
                self._turn()
            self._finish()
        except RunEnded:  # another thread has called stop
            self._finish()
        except KeyboardInterrupt:
            run._interrupt()
            self._ended = True
            self._stream.put([], self._state())
            raise
        finally:
            server.close()

    def _finish(self) -> None:
        """Shows the last rows, and how the run has ended or waits."""
        self._ended = True
        self._publish()

    def _take(self, body: bytes) -> None:
        """Takes a message in a thread of the server."""
        try:
            self._messages.put_nowait(read_message(body, self._sliders, self._speeds))
        except Full:
            raise Refused(503, "the run is busy with earlier messages; wait") from None

    def _goes_on(self) -> bool:
        if self._run._stopping:
            self._run.close()
        return self._run.outcome is None and not self._ended and self._run.time < self._stop

    # -- time ----------------------------------------------------------------------------------------------------------------------

    def _restart(self) -> None:
        """Begins to pace anew, from the present time and the present moment."""
        self._piece = self._whole_piece
        self._began, self._from, self._count = monotonic(), self._run.time, 0
        self._measured = self._began, self._from

    @property
    def _whole_piece(self) -> float:
        """Seconds of the run from one picture to the next: whole steps where these have one length."""
        piece, fixed = _FRAME * self._speed, self._run._fixed_step
        return fixed * max(1, math.ceil(piece / fixed - 1e-9)) if fixed else piece

    def _turn(self) -> None:
        """Handles a message, or advances by one piece once it is due."""
        end = min(self._from + (self._count + 1) * self._piece, self._stop)
        due = self._began + (end - self._from) / self._speed
        message = self._next(_IDLE if self._paused else due - monotonic())
        if message is not None:
            self._handle(message)
        elif not self._paused and monotonic() >= due:
            began = monotonic()
            self._run.advance_to(end)
            self._count += 1
            self._measure()
            self._publish()
            self._catch_breath(due, monotonic() - began)

    def _next(self, patience: float) -> Message | None:
        """Waits for a message. Ctrl-C and SIGTERM end the wait."""
        with noticed() as pressed:
            try:
                message = self._messages.get(timeout=min(patience, _IDLE)) if patience > 0 else self._messages.get_nowait()
            except Empty:
                message = None
        if pressed():
            raise KeyboardInterrupt
        return message

    def _catch_breath(self, due: float, took: float) -> None:
        """Lets a run that is late go on from where it is, and cuts pieces that take long."""
        if monotonic() - due > _BEHIND:
            piece, measured = self._piece, self._measured
            self._restart()
            self._measured = measured
            fixed = self._run._fixed_step
            if took > _BEHIND and not fixed:
                self._piece = max(piece / 2, self._whole_piece / _FINEST)

    def _measure(self) -> None:
        """Measures the speed that the run has."""
        moment, time = self._measured
        now = monotonic()
        if now - moment >= _MEASURED:
            self._rate = float(f"{(self._run.time - time) / (now - moment):.3g}")
            self._measured = now, self._run.time

    # -- messages ------------------------------------------------------------------------------------------------------------------

    def _handle(self, message: Message) -> None:
        for name, value in message.values.items():
            self._run.set(name, value)
            self._values[name] = value
        if message.speed is not None:
            self._speed = message.speed
        if message.pause is not None:
            self._paused = message.pause
        if message.speed is not None or message.pause is not None:
            self._rate = 0.0
            self._restart()
        self._ended = self._ended or message.end
        self._publish()

    def _state(self) -> dict[str, Any]:
        outcome = self._run.outcome
        sentence = f"ended: {outcome.sentence}" if outcome else f"ended at t = {self._run.time:.6g} s" if self._ended else ""
        return {
            "paused": self._paused,
            "speed": self._speed,
            "rate": self._rate,
            "values": dict(self._values),
            "ended": sentence,
        }

    def _publish(self) -> None:
        """Gives new rows and the state to the page."""
        run = self._run
        if run.outcome is None:
            new = copied(run._session, self._rows)
            rows, drawn = new.rows, new.drawn
        else:
            record = run.result._record
            rows, drawn = record.rows[self._rows :], {name: each[self._rows :] for name, each in record.drawn.items()}
        self._rows += len(rows)
        self._stream.put(self._feed.rows(self._feed.of(rows, dict(drawn))), self._state())
