"""Events and integration of one instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .dormand_prince import TrialStep, growth, try_step
from .tables import Model, SlaveEvent, Values

RESOLUTION = 1e-14
"""The shortest step, and how closely an event is located, relative to max(1, |time|)."""
_ROUNDS = 100
"""Largest number of rounds of events that may follow each other at one instant."""
_PROBES = (1e-8, 1e-6, 1e-4, 1e-2, *(i / 8 for i in range(1, 9)))
"""Places in a step where the relations are checked, as fractions of the step. The small ones detect a relation that changes just after an
event and is back by the end of the step, such as a ball that leaves the ground."""


class StepFailure(ArithmeticError):
    """A step that cannot be made; the importer may try another."""


@dataclass
class Memory:
    """All that distinguishes one instance from another of the same model, and one moment from another."""

    values: Values
    fired: list[float | None]
    """The instant at which each time event happened last."""
    free_step: float = math.inf
    """The step size that the error allows, as the last step has shown."""
    tolerance: float = 1e-11
    stop_time: float = math.inf
    phase: str = "instantiated"
    refused: dict[str, str] = field(default_factory=dict)
    """Inputs that were last given no finite value, with the sentence that refused it."""


class Integrator:
    """Events and integration of one instance."""

    def __init__(self, model: Model, memory: Memory) -> None:
        self.model, self.memory = model, memory
        self._slope: Sequence[float] | None = None

    def initialise(self) -> None:
        """Sets the relations; they may depend on each other."""
        for _ in self.model.relations:
            self._set_relations(self._relations())

    def settle(self) -> bool:
        """Lets events happen until none is left; says whether anything has changed."""
        values = self.memory.values
        for round_ in range(_ROUNDS + 1):
            relations, instants = self._relations(), self.model.instants(values)
            fired = [event for event in self.model.events if self._happens(event, relations, instants)]
            if not fired and relations == self._remembered():
                return round_ > 0
            if round_ == _ROUNDS:
                names = "', '".join(event.text for event in fired) or "changes of relations"
                raise StepFailure(f"the events at time {values[-1]!r} do not settle: after {_ROUNDS} rounds there are still '{names}'")
            news = [(event, target, value) for event in fired for target, value in zip(event.targets, event.update(values), strict=True)]
            self._set_relations(relations)
            for event in fired:
                if event.kind == "reaches":
                    self.memory.fired[event.index] = instants[event.index]
            for event, target, value in news:
                self._assign(event, target, value)
        return True

    def advance(self, target: float) -> None:
        """Integrates to the target time, through all events on the way."""
        self._slope = None  # inputs and parameters may have jumped
        self.settle()
        last_event, near_events = -math.inf, 0
        while (time := self.memory.values[-1]) < target:
            instants = [
                t for t, fired in zip(self.model.instants(self.memory.values), self.memory.fired, strict=True) if t > time and t != fired
            ]
            step = self._accepted_step(min(target, *instants) if instants else target)
            self._place(step, self._crossing(step))
            if not self.settle():
                continue
            self._slope = None
            time = self.memory.values[-1]
            # Events that come ever closer, as of a ball that comes to rest, would never let the step end.
            near_events = near_events + 1 if time - last_event <= 100 * RESOLUTION * max(1.0, abs(time)) else 0
            last_event = time
            if near_events > _ROUNDS:
                raise StepFailure(f"the events chatter at time {time!r}")

    def _relations(self) -> list[bool]:
        return [indicator > 0 for indicator in self.model.indicators(self.memory.values)]

    def _remembered(self) -> list[bool]:
        return [self.memory.values[reference] for reference in self.model.relations]

    def _set_relations(self, relations: Sequence[bool]) -> None:
        for reference, relation in zip(self.model.relations, relations, strict=True):
            self.memory.values[reference] = relation

    def _happens(self, event: SlaveEvent, relations: Sequence[bool], instants: Sequence[float]) -> bool:
        if event.kind == "reaches":
            instant = instants[event.index]
            # An importer that adds up its steps misses an instant by rounding.
            return instant - self.memory.values[-1] <= RESOLUTION * max(1.0, abs(instant)) and instant != self.memory.fired[event.index]
        before = self.memory.values[self.model.relations[event.index]]
        return relations[event.index] != before and before == (event.kind == "falls")

    def _assign(self, event: SlaveEvent, target: int, value: Any) -> None:
        variable = self.model.variable(target)
        if not math.isfinite(value):
            raise StepFailure(f"the event '{event.text}' sets {variable.shown(value)}, which is not a finite number")
        self.memory.values[target] = float(value) if variable.type == "real" else int(value)

    def _rates(self, time: float, states: Sequence[float]) -> Sequence[float]:
        values = self.memory.values
        values[-1] = time
        for reference, state in zip(self.model.states, states, strict=True):
            values[reference] = state
        return self.model.derivatives(values)

    def _place(self, step: TrialStep, part: float) -> None:
        self._slope = step.slopes[-1] if part == 1 else None
        self.memory.values[-1] = step.time(part)
        for reference, state in zip(self.model.states, step.at(part), strict=True):
            self.memory.values[reference] = state

    def _accepted_step(self, stop: float) -> TrialStep:
        """The longest step towards ``stop`` that the error allows; remembers the size to try next."""
        memory = self.memory
        time, before = memory.values[-1], [memory.values[reference] for reference in self.model.states]
        slope = self._slope if self._slope is not None else self._rates(time, before)
        size = min(memory.free_step, stop - time)
        while True:
            # Nearly all of the rest is all of it: no step is to be left over that is too short to be made.
            step = try_step(self._rates, time, stop if size >= 0.9999 * (stop - time) else time + size, before, slope)
            error, worst = step.error(self.model.nominal, memory.tolerance)
            if error <= 1:
                break
            size *= growth(error)
            memory.free_step = size
            if size < RESOLUTION * max(1.0, abs(time)):
                state = self.model.variable(self.model.states[worst])
                raise StepFailure(
                    f"the step at time {time!r} fails: even {size:g} s are too long for the tolerance {memory.tolerance:g} at "
                    f"{state.shown(before[worst])}, whose derivative is {step.slopes[0][worst]:g}"
                )
        proposed = size * growth(error)
        # A step that was cut short at a communication point or an event says nothing against longer ones.
        memory.free_step = max(memory.free_step, proposed) if size < memory.free_step else proposed
        return step

    def _crossing(self, step: TrialStep) -> float:
        """The part of the step after which a relation has just changed; 1 where none changes."""
        if not self.model.relations:
            return 1.0
        remembered = self._remembered()

        def changed(part: float) -> bool:
            self._place(step, part)
            return self._relations() != remembered

        high = next((part for part in _PROBES if changed(part)), None)
        if high is None:
            return 1.0
        low = max((part for part in _PROBES if part < high), default=0.0)
        while (high - low) * step.size > RESOLUTION * max(1.0, abs(step.start)):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            low, high = (low, middle) if changed(middle) else (middle, high)
        return high
