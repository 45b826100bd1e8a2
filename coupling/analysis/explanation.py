"""One evaluation as data: the rows of all joints, and the text that shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from coupling.live.successive import repeated
from coupling.live.warnings import digits

_MOST_INSTANCES = 12
"""Instances whose states the text shows. The mapping has all states."""
_SAME = 1e-7
"""The relative difference of multipliers below which two evaluations agree, as derivatives do in a run."""


@dataclass(frozen=True, kw_only=True)
class ConstraintRow:
    """One constraint of a joint: its violations, its load, and the solution of its multiplier."""

    joint: str
    multiplier: str
    """The full name."""
    value: float
    """The multiplier as the run finds it, in its unit."""
    unit: str
    fmu_value: float
    """The same multiplier, if FMUs are called for each evaluation."""
    position: float | None
    """The violation of the constraint; None for a constraint of velocities or accelerations alone."""
    position_unit: str
    velocity: float | None
    """The rate of that violation."""
    velocity_unit: str
    residual: float
    """The acceleration of the constraint with the multipliers in place, its stabilisation included."""
    right_side: float
    """The acceleration that the multipliers have to take away: the negative residual if all multipliers are 0."""
    residual_unit: str
    pivot: float
    """The pivot of the constraint in its equations: its acceleration by its multiplier with those before it kept; NaN if the constraint is off."""
    share: float
    """The pivot as a share of the diagonal entry: 1 is independent of the constraints before, 0 is singular; NaN if the constraint is off."""
    place: int
    """The place in the order of elimination, among the unknowns of the same loop."""
    loop: int
    damping: float
    """The share of the joint's own block that was added to its equations near a singular pose; 0 if nothing was added."""
    independence: float
    """The sine of the angle to all constraints before, in the order of ``add`` or as asked: 1 is independent, 0 is redundant; NaN if not known."""
    repeats: Mapping[str, float] = field(default_factory=dict)
    """The multipliers of the constraints that a redundant one repeats, with the factors."""
    redundant: bool = False
    mode: str = ""
    """The mode of a switched constraint, such as ``closed`` or ``slips``."""
    in_force: bool = True
    """False for a constraint that is off, such as a contact that is open."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The numbers of one evaluation of a session."""

    system: str
    time: float
    """Time in s."""
    states: Mapping[str, float]
    units: Mapping[str, str]
    """The units of the states."""
    evaluation: str
    """The way in which the run finds derivatives, such as ``by a tape of their equations``."""
    reason: str
    """The reason why the run finds them in this way."""
    handed_over: int
    """Evaluations of the run so far whose multipliers the general equations gave, in place of the tape."""
    by_fmus: int
    """Evaluations of the run so far that the FMUs had to make in spite of a tape."""
    evaluations: int
    """Evaluations of the run so far by a tape or compiled code; 0 if FMUs are called."""
    sequence: str
    """The order in which constraints are taken."""
    joints: tuple[ConstraintRow, ...]
    deficiency: int
    """The number of equations by which the rank falls short."""
    unrelated: str
    """Reason why redundant constraints are not distinguished; empty if they are."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Evaluation):
    """One evaluation of a system: ``print`` it to see the text, or read ``joints`` row by row."""

    stabilisation: str
    """Sentence on the stabilisation of the run and its reason."""
    order: str
    """The index of the equations, and the levels at which constraints are kept."""
    warnings: tuple[str, ...]
    """The sentences that the run would end with."""

    @property
    def multipliers(self) -> dict[str, float]:
        """Multipliers of all constraints by their full names."""
        return {each.multiplier: each.value for each in self.joints}

    @property
    def disagreement(self) -> float:
        """The greatest difference between the multipliers of the run and those of the FMUs, as a share of the greatest multiplier."""
        size = max((abs(each.fmu_value) for each in self.joints), default=0.0)
        return max((abs(each.value - each.fmu_value) for each in self.joints), default=0.0) / size if size else 0.0

    @property
    def weakest(self) -> ConstraintRow | None:
        """The row whose pivot has the least share, after as many as the rank falls short; None without any."""
        rows = sorted((each for each in self.joints if not math.isnan(each.share)), key=lambda each: abs(each.share))
        return rows[self.deficiency] if self.deficiency < len(rows) else None

    def __str__(self) -> str:
        return "\n".join([*self._head(), *self._table(), *self._factors(), *(f"Warning: {each}" for each in self.warnings)])

    def _head(self) -> Iterator[str]:
        yield f"{self.system} at t = {self.time:.9g} s"
        for name, values in list(self._by_instance().items())[:_MOST_INSTANCES]:
            yield f"  {name}: {', '.join(values)}"
        if len(self._by_instance()) > _MOST_INSTANCES:
            yield f"  and the states of {len(self._by_instance()) - _MOST_INSTANCES} more instances"
        yield f"evaluation: {self.evaluation}; {self.reason}"
        if self.joints and self.evaluations:
            apart = self.disagreement
            differ = f"they differ by {apart:.2g} of the greatest" if apart else "they are equal"
            yield f"  multipliers compared with those of the FMUs: {differ}{' (DOUBTFUL)' if apart > _SAME else ''}"
        if self.evaluations:
            solved = f"the general equations gave the multipliers of {self.handed_over}"
            yield f"  handed over: of {self.evaluations} evaluations {solved}, and the FMUs made {self.by_fmus}"
        yield f"stabilisation: {self.stabilisation or 'there are no constraints'}"
        yield f"order: {self.order}"

    def _by_instance(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, value in self.states.items():
            instance, _, variable = name.rpartition(".")
            found.setdefault(instance, []).append(f"{variable} = {value:.6g} {self.units.get(name, '')}".rstrip())
        return found

    def _table(self) -> Iterator[str]:
        if not self.joints:
            return
        width = max([10, *(len(each.multiplier) for each in self.joints)])
        yield ""
        yield f"{'multiplier':{width}} {'value':>22} {'right side':>22} {'residual':>10} {'position':>16} {'velocity':>18}"
        for each in self.joints:
            numbers = [_with_unit(each.value, each.unit, 22), _with_unit(each.right_side, each.residual_unit, 22), f"{each.residual:10.2g}"]
            numbers += [_with_unit(each.position, each.position_unit, 16, 4), _with_unit(each.velocity, each.velocity_unit, 18, 4)]
            words = [each.mode, "" if each.in_force else "off", "redundant" if each.redundant else ""]
            yield f"{each.multiplier:{width}} {' '.join(numbers)}  {', '.join(filter(None, words))}".rstrip()

    def _factors(self) -> Iterator[str]:
        if not self.joints:
            return
        width = max([10, *(len(each.multiplier) for each in self.joints)])
        yield ""
        yield f"factors, {self.sequence}"
        yield f"{'multiplier':{width}} {'loop':>5} {'place':>6} {'pivot':>10} {'share':>9} {'independence':>13} {'damping':>9}"
        for each in sorted(self.joints, key=lambda each: (each.loop, each.place)):
            numbers = (
                f"{_known(each.pivot, 10, 4)} {_known(each.share, 9)} {_known(each.independence, 13)} {_known(each.damping or math.nan, 9)}"
            )
            yield f"{each.multiplier:{width}} {each.loop:5d} {each.place:6d} {numbers}"
        least = self.weakest
        if least is not None:
            yield f"conditioning: the least share is {abs(least.share):.3g} ({least.multiplier}), and {digits(abs(least.share))} digits are left"
        yield f"rank: {f'{self.deficiency} too few' if self.deficiency else 'full'}" + (f"; {self.unrelated}" if self.unrelated else "")
        for each in self.joints:
            if each.redundant:
                yield f"  {each.multiplier} is redundant: it repeats {repeated(dict(each.repeats))}"


def _known(value: float, width: int, figures: int = 3) -> str:
    return f"{'-' if math.isnan(value) else f'{value:.{figures}g}':>{width}}"


def _with_unit(value: float | None, unit: str, width: int, figures: int = 9) -> str:
    return f"{'-' if value is None else f'{value:.{figures}g} {unit}'.rstrip():>{width}}"
