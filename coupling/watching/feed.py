"""The rows of a run as the columns of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coupling.pictures.scene import Scene, columns_of, plain_scene, scene_of
from coupling.record import Record

_DIGITS = 8
"""Digits of a value, which are more than any screen shows."""


class Feed:
    """The columns of a page for the rows of a run, as they come."""

    def __init__(
        self,
        record: Record,
        signals: Sequence[str | Sequence[str]] | None,
        forces: Sequence[str] | None,
        traces: Sequence[str] | None,
    ) -> None:
        """Takes the record so far, and what a page of it shows, as ``Result.animate`` does."""
        drawn = bool(record.scene.get("frames"))
        self.scene: Scene = scene_of(record, "", signals, forces, traces) if drawn else plain_scene(record, signals=signals)
        self._record = record
        self._turns = [[1 + k for k in pose[3:]] for pose in self.scene.poses if pose is not None and len(pose) == 7]
        self._last = np.zeros((0, 0))

    def rows(self, record: Record) -> list[list[float]]:
        """Returns rows of the page for new rows of the run, the time first."""
        if not len(record.rows):
            return []
        found = np.column_stack([record.rows[:, 0], *columns_of(self.scene, record)])
        for turn in self._turns:  # a quaternion and its opposite are one rotation: those of a frame do not jump
            if len(self._last) and found[0, turn] @ self._last[0, turn] < 0:
                found[:, turn] *= -1
        self._last = found[-1:].copy()
        found = np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
        return [[float(f"{x:.{_DIGITS}g}") if k else x for k, x in enumerate(row)] for row in found.tolist()]

    def of(self, rows: np.ndarray, drawn: dict[str, np.ndarray]) -> Record:
        """Returns the record with other rows."""
        return replace(self._record, rows=rows, drawn=drawn)
