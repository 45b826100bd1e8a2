"""Messages of a page to its run: what they may say, and the checks that they pass first."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from coupling.errors import listed, shown

SPEEDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Speeds that a page offers, in seconds of the run for each second of the clock."""
_KEYS = ("pause", "speed", "set", "end")
_MOST = 40
"""Messages a second, and messages at once, beyond which they are refused."""


@dataclass(frozen=True, kw_only=True)
class Slider:
    """An input or a parameter that a page may set within a range."""

    name: str
    low: float
    high: float
    value: float
    """The value when the page begins to show the run."""
    unit: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message of a reader of the page: None, and no values, stand for what it leaves as it is."""

    pause: bool | None = None
    speed: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    end: bool = False


class Refused(Exception):
    """A message that is refused, with the number of its kind in HTTP and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Rate:
    """Refuses messages that come too fast; a few at once may do so."""

    def __init__(self, most: int = _MOST) -> None:
        """Takes the number of messages a second."""
        self._most, self._left, self._at = most, float(most), monotonic()

    def count(self) -> None:
        """Counts a message."""
        now = monotonic()
        self._left = min(float(self._most), self._left + self._most * (now - self._at))
        self._at = now
        if self._left < 1.0:
            raise Refused(429, f"more than {self._most} messages a second are refused; wait, and send fewer")
        self._left -= 1.0


def read_message(body: bytes, sliders: Mapping[str, Slider], speeds: Sequence[float] = SPEEDS) -> Message:
    """Returns a message of a page; raises Refused where it says anything else than it may."""
    try:
        said = json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused(400, "the message is no JSON with finite numbers") from None
    if not isinstance(said, dict) or not said or not said.keys() <= set(_KEYS):
        raise Refused(400, f"the message is refused: give an object with some of {listed(_KEYS)}")
    return Message(
        pause=_truth(said, "pause"),
        speed=_speed(said["speed"], speeds) if "speed" in said else None,
        values=_values(said.get("set", {}), sliders),
        end=bool(_truth(said, "end")),
    )


def _no_number(text: str) -> float:
    raise ValueError(text)


def _truth(said: Mapping[str, Any], key: str) -> bool | None:
    value = said.get(key)
    if key in said and not isinstance(value, bool):
        raise Refused(400, f"{key} = {shown(value)} is refused: give true or false")
    return value


def _number(name: str, value: object) -> float:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise Refused(400, f"{name} = {shown(value)} is refused: give a finite number")


def _speed(value: object, speeds: Sequence[float]) -> float:
    speed = _number("speed", value)
    if speed not in speeds:
        raise Refused(400, f"speed = {speed:g} is refused: choose one of {listed(f'{each:g}' for each in speeds)}")
    return speed


def _values(said: object, sliders: Mapping[str, Slider]) -> dict[str, float]:
    if not isinstance(said, dict):
        raise Refused(400, f"set = {shown(said)} is refused: give an object with numbers by names")
    found = {}
    for name, each in said.items():
        slider = sliders.get(name)
        if slider is None:
            raise Refused(403, f"{shown(name)} may not be set: the run is watched without this input")
        value = _number(f"'{name}'", each)
        if not slider.low <= value <= slider.high:
            raise Refused(403, f"'{name}' = {value:g} is refused: its range is {slider.low:g} to {slider.high:g} {slider.unit}".rstrip())
        found[name] = value
    return found
