"""The method of a run that shows it on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from coupling.watching.watched import Watched


class Watchable:
    """The part of a run that shows it on a page."""

    def watch(
        self: Watched,
        inputs: Mapping[str, Sequence[float]] | None = None,
        *,
        signals: Sequence[str | Sequence[str]] | None = None,
        forces: Sequence[str] | None = None,
        traces: Sequence[str] | None = None,
        title: str | None = None,
        speed: float = 1.0,
        stop_time: float = math.inf,
        show: Callable[[str], object] | None = None,
    ) -> None:
        """Shows the run on a page and advances it in real time, until the page, ``stop``, Ctrl-C or ``stop_time`` (s) ends that.

        A notebook shows the page below the cell; elsewhere the address is printed, or given to ``show``. ``inputs`` are inputs and
        parameters with their ranges, which get sliders: ``{"motor.effort": (-5.0, 5.0)}``. ``speed`` is in seconds of the run for each
        second of the clock. ``signals``, ``forces``, ``traces`` and ``title`` are those of ``Result.animate``. Returns nothing; after
        the button End the run waits and can go on. Names, ranges and speeds that are refused raise ValueError.
        """
        from coupling.watching.watch import Watching  # which loads a server

        self._check_running()
        Watching(self, {} if inputs is None else inputs, speed, stop_time).run(title, signals, forces, traces, show)
