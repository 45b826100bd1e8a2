"""Poses: start values for all states, and data of the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown


@dataclass(frozen=True)
class Pose(Mapping[str, float]):
    """States, and inputs that were free, by their full names: give it to ``simulate(initial=pose)`` or ``linearise(initial=pose)``."""

    states: Mapping[str, float]
    inputs: Mapping[str, float] = field(default_factory=dict)
    """The inputs that were free, at the values that were found."""
    stable: bool = True
    """True if no small motion grows."""
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    """Eigenvalues of small motions, in 1/s."""
    neutral: tuple[str, ...] = ()
    """Coordinates along which the pose can be moved and remains an equilibrium."""
    alternatives: tuple[Pose, ...] = ()
    """Poses to which the system goes from an unstable equilibrium; for an assembled pose, other poses that fit the given values."""
    assembled: AssembledPose | None = None
    """Data of a pose that was assembled."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)

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
        """Notes on the choice of the pose and on its joints."""
        return self._assembled.notes

    @property
    def held(self) -> Mapping[str, float]:
        """Values that were held, in their units."""
        return self._assembled.held

    @property
    def _assembled(self) -> AssembledPose:
        return self.assembled or AssembledPose()

    def __getitem__(self, name: str) -> float:
        return self.inputs[name] if name in self.inputs else self.states[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.states
        yield from self.inputs

    def __len__(self) -> int:
        return len(self.states) + len(self.inputs)

    def __str__(self) -> str:
        if self.assembled is not None:
            return self._shown(self.assembled)
        kind = "stable" if self.stable else "unstable"
        lines = [f"{kind} equilibrium" + (f", neutral along {', '.join(self.neutral)}" if self.neutral else "")]
        every = {**self.states, **self.inputs}
        lines += [f"  {name:32}{value:16.9g} {self.units.get(name, '')}".rstrip() for name, value in every.items()]
        if self.alternatives:
            lines.append(f"{len(self.alternatives)} other equilibria lie where it goes from here: alternatives")
        return "\n".join(lines)

    def _shown(self, found: AssembledPose) -> str:
        title = "assembled" + (f", branch {found.branch}" if found.branch else "")
        lines = [title]
        for name, value in self.states.items():
            said = "held" if name in found.held else f"guess moved by {found.moved[name]:+.3g}" if name in found.moved else ""
            lines.append(f"  {name:32}{value:16.9g} {self.units.get(name, ''):7}{said}".rstrip())
        for name in (*found.held, *found.moved):
            if name not in self.states:
                said = "held" if name in found.held else f"guess moved by {found.moved[name]:+.3g}"
                lines.append(f"  {name:32}{found.values[name]:16.9g} {self.units.get(name, ''):7}{said}".rstrip())
        counted = f"freedoms left: {', '.join(found.freedoms) or 'none'}; redundant: {', '.join(found.redundant) or 'none'}"
        return "\n".join([*lines, counted, *found.notes])


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
