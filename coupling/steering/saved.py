"""States of a run to which it can go back, with the rows up to there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.errors import BuildError, listed
from coupling.live.checkpoints import Kept
from coupling.steering.settings import Settings

if TYPE_CHECKING:
    from coupling.kernel.system.kernel import Kernel
    from coupling.live.session import Session


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows after those of an earlier piece. Pieces are shared by all states that have them in their past."""

    before: Piece | None
    rows: np.ndarray
    count: int
    """Number of rows up to here."""


class Rows:
    """Rows of a run in pieces: a saved state refers to its last piece, and costs no copy of those before."""

    def __init__(self) -> None:
        self._last: Piece | None = None

    def note(self, kernel: Kernel, time: float) -> tuple[Piece | None, np.ndarray]:
        """Returns the last piece of rows before a time, and the rows there, which the next event replaces."""
        first = self._last.count if self._last else 0
        fresh = kernel.rows_from(first)
        past = int(np.searchsorted(fresh[:, 0], time))
        if past:
            self._last = Piece(self._last, fresh[:past].copy(), first + past)
        return self._last, fresh[past:]

    def restore(self, kernel: Kernel, piece: Piece | None, present: np.ndarray) -> None:
        """Gives the kernel the rows up to a piece, and those of the present time."""
        if present.shape[1] != kernel.width:
            raise ValueError("rows of another record")
        pieces, each = [present], piece
        while each is not None:
            pieces.append(each.rows)
            each = each.before
        kernel.put_rows(np.concatenate(pieces[::-1]))
        self._last = piece


@dataclass(frozen=True, eq=False)
class SavedState:
    """A state of a run: ``SteeredRun.restore`` takes it as often as wanted."""

    time: float
    """Time in s."""
    kernel: np.ndarray
    inner: np.ndarray | None
    beside: Sequence[Mapping[str, Any]]
    rows: tuple[Piece | None, np.ndarray]
    settings: Settings
    times: int
    origin: object
    """An object that the run shares with its forks."""

    def __repr__(self) -> str:
        return f"SavedState(time={self.time:.9g})"

    def put_beside(self, beside: Sequence[Kept]) -> None:
        """Gives the parts that are kept in Python their former values. Arrays stay where they are, since others may know them."""
        for of, told in zip(beside, self.beside, strict=True):
            for name, value in told.items():
                there = getattr(of, name)
                if isinstance(there, np.ndarray) and there.shape == np.shape(value):
                    there[...] = value
                else:
                    setattr(of, name, deepcopy(value))


def check_saves(session: Session) -> None:
    """Refuses instances that cannot save their state."""
    unsaved = [part.name for part in session.built.parts if not (part.interface.save_state and part.interface.serialize_state)]
    if unsaved:
        its = "its state" if len(unsaved) == 1 else "their states"
        raise BuildError(
            f"{listed(unsaved)} cannot save {its} (canGetAndSetFMUState, canSerializeFMUState); use FMUs that can, or start the run again"
        )
