"""Poses: start values for all states, and data of the place."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coupling.errors import BuildError, NotRecorded, shown
from coupling.names import nearest

_COLUMNS, _LINES, _FEWEST = 80, 23, 5
"""Columns and lines of a screen with its prompt, and the fewest values that are shown."""
_ZERO = 1e-9
"""Size below which values are shown only if all others have their place."""


@dataclass(frozen=True)
class Pose(Mapping[str, float]):
    """States, and inputs that were free, by their full names: give it to ``simulate(initial=pose)`` or ``linearise(initial=pose)``."""

    states: Mapping[str, float]
    """Values of all states by full name, in their units."""
    inputs: Mapping[str, float] = field(default_factory=dict)
    """Values of the inputs that were free, by full name, in their units."""
    stable: bool = True
    """True if no small motion grows."""
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    """Eigenvalues of small motions, in 1/s."""
    neutral: tuple[str, ...] = ()
    """Coordinates along which the pose can be moved and remains an equilibrium."""
    alternatives: tuple[Pose, ...] = ()
    """Poses to which the system goes from an unstable equilibrium; for an assembled pose, other poses that fit the given values."""
    remarks: tuple[str, ...] = ()
    """Sentences on the search for an equilibrium."""
    assembled: AssembledPose | None = None
    """Data of a pose that was assembled."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Units of states and inputs by full name."""

    def beside(self, values: Mapping[str, Any]) -> Pose:
        """Returns the pose with start values of other variables."""
        return replace(self, states={**values, **self})

    @property
    def branch(self) -> str:
        """Signs that say which way each group of the mechanism is closed. They stay the same as long as it moves without folding."""
        return self._assembled.branch

    @property
    def freedoms(self) -> tuple[str, ...]:
        """Coordinates of an assembled pose, one for each freedom that the held values leave."""
        return self._assembled.freedoms

    @property
    def redundant(self) -> tuple[str, ...]:
        """The joints among whose constraints some repeat others."""
        return self._assembled.redundant

    @property
    def moved(self) -> Mapping[str, float]:
        """Distance that each guess was moved, in its unit."""
        return self._assembled.moved

    @property
    def margin(self) -> float:
        """Margin of the choice: the increase of the cost to the next pose. The cost is the sum of squares of distances from guesses."""
        return self._assembled.margin

    @property
    def doubt(self) -> float:
        """Probability that another pose is meant. It assumes normal errors of guesses, each with the spread that was given."""
        return self._assembled.doubt

    @property
    def distinguishing(self) -> tuple[str, ...]:
        """Names of values that distinguish this pose from its alternatives."""
        return self._assembled.distinguishing

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the choice of the pose, on its joints, and on the start of the search for an equilibrium."""
        return (*self._assembled.notes, *self.remarks)

    @property
    def held(self) -> Mapping[str, float]:
        """Values that were held, in their units."""
        return self._assembled.held

    @property
    def _assembled(self) -> AssembledPose:
        return self.assembled or AssembledPose()

    def __getitem__(self, name: str) -> float:
        found = self.get(name)
        if found is None:
            hint = nearest(name, self) if isinstance(name, str) else ""
            raise NotRecorded(
                f"the pose has no {shown(name)}, only states and free inputs; {hint + ' ' if hint else ''}other variables are in a result: "
                "simulate(0.0, initial=pose)"
            )
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.states or name in self.inputs

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the value of ``name``, or ``default`` if the pose does not have it."""
        return self.inputs.get(name, self.states.get(name, default))

    def __iter__(self) -> Iterator[str]:
        yield from self.states
        yield from self.inputs

    def __len__(self) -> int:
        return len(self.states) + len(self.inputs)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, all: bool = False) -> str:
        """Returns the pose as text that fits on a screen of 80 columns and 24 lines, or with ``all`` as text of all values.

        Values that were held, guessed or free come first, then values that are not 0.
        """
        head, foot = ([line for text in texts for line in textwrap.wrap(text, _COLUMNS)] for texts in self._words())
        found = self._assembled
        said = dict.fromkeys(found.held, "held") | {name: f"guess moved by {off:+.3g}" for name, off in found.moved.items()}
        every = {**self.states, **self.inputs, **{name: found.values[name] for name in said if name not in self.states}}
        room = _LINES - len(head) - len(foot)
        shown = list(every)
        if len(every) > room and not all:
            ranked = sorted(every, key=lambda name: (name not in said and name not in self.inputs, abs(every[name]) < _ZERO))
            kept = {*ranked[: max(_FEWEST, room - 1)]}
            shown = [name for name in every if name in kept]
            foot = [f"  and {len(every) - len(shown)} more values: print(pose.to_text(all=True))", *foot]
        rows = [f"  {name:30}{every[name]:16.9g} {self.units.get(name, ''):7}{said.get(name, '')}".rstrip() for name in shown]
        return "\n".join([*head, *rows, *foot])

    def _words(self) -> tuple[list[str], list[str]]:
        """Returns the sentences before and after the values."""
        found = self.assembled
        if found is not None:
            title = "assembled" + (f", branch {found.branch}" if found.branch else "")
            counted = f"freedoms left: {', '.join(found.freedoms) or 'none'}; redundant: {', '.join(found.redundant) or 'none'}"
            return [title], [counted, *found.notes]
        kind = "stable" if self.stable else "unstable"
        along = f", neutral along {', '.join(self.neutral)}" if self.neutral else ""
        others = f"{len(self.alternatives)} other equilibria lie where it goes from here: alternatives"
        return [f"{kind} equilibrium{along}"], [*([others] if self.alternatives else []), *self.notes]


@dataclass(frozen=True)
class AssembledPose:
    """Data of a pose that was assembled, which ``Pose`` gives."""

    branch: str = ""
    held: Mapping[str, float] = field(default_factory=dict)
    moved: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    """Values of held or guessed variables that are no states."""
    freedoms: tuple[str, ...] = ()
    redundant: tuple[str, ...] = ()
    margin: float = np.inf
    distinguishing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    doubt: float = 0.0


def asked_pose(initial: Any) -> Pose:
    """Returns the pose at which a run begins; any other value raises BuildError."""
    if not isinstance(initial, Pose):
        raise BuildError(
            f"initial = {shown(initial)} is unknown; choose 'check', 'assemble' or 'relax', or give a pose of assemble() or equilibrium(), or a result"
        )
    return initial
