"""A pose that was found: start values for all states, and what is known of the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Pose(Mapping[str, float]):
    """States, and inputs that were free, by their full names: give it to ``simulate(start_values=pose)`` or ``linearise(at=pose)``."""

    states: Mapping[str, float]
    inputs: Mapping[str, float] = field(default_factory=dict)
    """The inputs that were free, at the values that were found."""
    stable: bool = True
    """Whether no small motion grows."""
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    """Of small motions, in 1/s."""
    neutral: tuple[str, ...] = ()
    """Coordinates along which it can be moved without ceasing to be one."""
    alternatives: tuple[Pose, ...] = ()
    """Where the system goes from an unstable one."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> float:
        return self.inputs[name] if name in self.inputs else self.states[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.states
        yield from self.inputs

    def __len__(self) -> int:
        return len(self.states) + len(self.inputs)

    def __str__(self) -> str:
        kind = "stable" if self.stable else "unstable"
        lines = [f"{kind} equilibrium" + (f", neutral along {', '.join(self.neutral)}" if self.neutral else "")]
        every = {**self.states, **self.inputs}
        lines += [f"  {name:32}{value:16.9g} {self.units.get(name, '')}".rstrip() for name, value in every.items()]
        if self.alternatives:
            lines.append(f"{len(self.alternatives)} other equilibria lie where it goes from here: alternatives")
        return "\n".join(lines)
