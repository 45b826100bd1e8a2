"""Constraints added one after the other at a point: their independence, their redundancy and their multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coupling.analysis.constrained_equations import ConstrainedEquations, LinearEquations, Named, constrained_equations
from coupling.errors import AnalysisError, BuildError
from coupling.kernel.system.status import Status
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.failures import describe
from coupling.live.session import Session
from coupling.live.successive import Equations, free_directions, repeated, sequence
from coupling.options import INDEPENDENT_FIRST, check_order


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One constraint, taken after those before it."""

    multiplier: str
    joint: str
    unit: str
    """Unit of the constraint."""
    freedoms: int
    """Freedoms that are left of the system after this constraint."""
    sine: float
    """Independence of the constraint, free of units: 1 if it is independent of all before, 0 if it repeats them."""
    delta: float
    """Remaining mobility: the acceleration by the constraint's multiplier while those before are kept."""
    own: float
    """Multiplier of the constraint when it is added; the multipliers before change by it."""
    multipliers: Mapping[str, float] = field(repr=False)
    """Multipliers of all constraints up to this one."""
    repeats: Mapping[str, float]
    """Factors by which a redundant constraint combines others; its multiplier is 0."""
    misfit: float
    """Contradiction between a redundant constraint and the others, in the unit of its residual."""
    place: int = field(repr=False)
    """Number of constraints taken before this one."""
    equations: ConstrainedEquations = field(repr=False, compare=False)

    @property
    def beta(self) -> Named:
        """The constraint's gradient by the free directions before it, beta = J D."""
        return self.equations.beta(self.place)

    @property
    def H(self) -> Named:
        """The free directions after the constraint, by those before it: beta H = 0. A free direction bears the name of its velocity."""
        return self.equations.H(self.place)

    @property
    def D(self) -> Named:
        """All velocities by the free directions after the constraint: G D = 0."""
        return self.equations.D(self.place)

    @property
    def C(self) -> Named:
        """The matrix D'A of the reduced form."""
        return self.equations.C(self.place)

    @property
    def f(self) -> Named:
        """The right side D'h of the reduced form."""
        return self.equations.f(self.place)

    @property
    def reduced(self) -> LinearEquations:
        """Equations C a = f and G a = -g0 for the accelerations a."""
        return self.equations.reduced(self.place)

    @property
    def full(self) -> LinearEquations:
        """Equations A a - r = h, G a = -g0 and D'r = 0 for the accelerations a and the reactions r."""
        return self.equations.full(self.place)

    @property
    def redundant(self) -> bool:
        """True if the constraint repeats those before it."""
        return not self.sine or bool(self.repeats)


class Stages(Sequence[Stage]):
    """Stages in the order in which they were taken; ``print`` shows a table."""

    def __init__(
        self, system: str, stages: Sequence[Stage], D: np.ndarray, states: Sequence[str], time: float, equations: ConstrainedEquations
    ) -> None:
        self._system, self._stages, self._time, self._equations = system, tuple(stages), time, equations
        self.D = D
        """The free directions, orthonormal: velocities that all constraints allow, by columns. Those of a stage are named instead."""
        self.states = tuple(states)
        """The velocities that are the rows of D."""

    def __getitem__(self, place: Any) -> Any:
        return self._stages[place]

    def __len__(self) -> int:
        return len(self._stages)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self._stages)

    @property
    def A(self) -> Named:
        """The mass matrix of the free system."""
        return self._equations.A()

    @property
    def h(self) -> Named:
        """The forces on the free system, with gyroscopic and centrifugal ones."""
        return self._equations.h()

    @property
    def multipliers(self) -> dict[str, float]:
        """Multipliers of all constraints; redundant ones have 0."""
        return dict.fromkeys((each.multiplier for each in self), 0.0) | dict(self[-1].multipliers) if self else {}

    @property
    def least(self) -> dict[str, float]:
        """Returns multipliers of least length that carry the same load."""
        found = self.multipliers
        place = {name: i for i, name in enumerate(found)}
        relations = np.zeros((len(found), sum(each.redundant for each in self)))
        for column, each in enumerate(each for each in self if each.redundant):
            relations[place[each.multiplier], column] = 1.0
            for name, factor in each.repeats.items():
                relations[place[name], column] = -factor
        values = np.array(list(found.values()))
        values -= relations @ np.linalg.lstsq(relations, values, rcond=None)[0]
        return dict(zip(found, values.tolist(), strict=True))

    def __str__(self) -> str:
        final, width = self.multipliers, max([10, *(len(each.multiplier) for each in self)])
        lines = [f"{self._system} at t = {self._time:g} s: {len(self)} constraints, taken one after the other"]
        lines.append(f"{'multiplier':{width}}  freedoms      sine       delta  by itself        all  unit")
        for each in self:
            numbers = f"{each.freedoms:8d}  {each.sine:8.3g}  {each.delta:10.4g} {each.own:10.4g} {final[each.multiplier]:10.4g}"
            lines.append(f"{each.multiplier:{width}}  {numbers}  {each.unit}")
            if each.redundant:
                lines.append(f"{'':{width}}  repeats {repeated(dict(each.repeats))}, misfit {each.misfit:.3g}")
        return "\n".join(lines)


def stages(session: Session, t: float, x: np.ndarray, order: Sequence[str] | str | None) -> Stages:
    """Returns the stages at a point to which a session has come."""
    check_order(order)
    equations = Equations(session)
    built, status = session.built, equations.arrive(t, x)
    if status is not Status.DONE:
        raise AnalysisError(f"stages: the constraints cannot be evaluated at t = {t:g} s: {describe(session)}")
    try:
        equations.check_symmetry()
    except BuildError as error:
        raise AnalysisError(str(error).replace("multipliers = 'successive' is refused", "stages")) from None
    constraints = equations.constraints
    taken = equations.take(None if order == INDEPENDENT_FIRST else sequence(session, order, constraints))
    names = [session.named(each.multiplier.part, each.multiplier.reference) for each in constraints]
    velocities = _velocities(session, equations)
    found, active, freedoms = [], list[int](), len(velocities)
    in_sequence = np.argsort(taken.place).tolist()
    matrices = constrained_equations(
        session, equations, velocities=velocities, order=in_sequence, redundant=taken.redundant.tolist(), t=t, x=x
    )
    for place, i in enumerate(in_sequence):
        if not taken.redundant[i]:
            active.append(i)
            freedoms -= 1
        level = constraints[i].position or constraints[i].velocity
        unit = built.parts[level.part].fmu.by_reference[level.reference].unit if level else ""
        found.append(
            Stage(
                multiplier=names[i],
                joint=built.parts[constraints[i].part].name,
                unit=unit or "",
                freedoms=freedoms,
                sine=float(taken.sine[i]),
                delta=float(taken.delta[i]),
                own=float(taken.own[i]) + 0.0,  # no -0
                multipliers={names[j]: float(taken.stage[place, j]) + 0.0 for j in active},
                repeats={names[j]: float(c) for j, c in enumerate(taken.repeats[i]) if abs(c) > _NOTHING},
                misfit=float(taken.misfit[i]),
                place=place,
                equations=matrices,
            )
        )
    rows = equations.G[in_sequence][:, velocities] if equations.tells else np.zeros((0, len(velocities)))
    labels = [session.label(i) for i in velocities]
    return Stages(built.name, found, free_directions(rows), labels, t, matrices)


_NOTHING = 1e-9
"""Bound of factors, below which a constraint does not count among those that another one repeats."""


def _velocities(session: Session, equations: Equations) -> list[int]:
    """Returns the states that are velocities of the bodies on which the constraints act."""
    moved = set(equations.moved.tolist())
    parts = [range(part.first_state, part.first_state + len(part.states)) for part in session.built.parts]
    touched = {i for each in parts if moved.intersection(each) for i in each}
    rates = {velocity for _, velocity in motions_of(session)} | {omega + axis for omega, _ in turns_of(session) for axis in range(3)}
    return sorted(touched.intersection(rates | moved))
