"""Inputs that are set and values that are read in each piece of a run, by names that were fixed before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from coupling.errors import BuildError, NotRecorded, shown
from coupling.fmus.start_values import bounds_of
from coupling.kernel.runs.steer import Steered, Steering
from coupling.names import nearest
from coupling.steering.targets import Target

if TYPE_CHECKING:
    from coupling.live.session import Session


class Signals:
    """Names of inputs and outputs, in the order of the arrays of ``SteeredRun.advance``."""

    def __init__(
        self, session: Session, inputs: Sequence[Target], values: Sequence[float], outputs: Sequence[str], columns: Mapping[str, int]
    ) -> None:
        """Takes inputs with their present values, and the columns of recorded names."""
        for each in outputs:
            if each not in columns:
                raise NotRecorded(
                    f"outputs: {shown(each)} is not recorded; {nearest(each, columns) or 'name it in the option outputs of start'}"
                )
        twice = next((each.name for i, each in enumerate(inputs) if each in inputs[:i]), None)
        if twice is not None:
            raise BuildError(f"inputs: '{twice}' is named twice; name each input once")
        moved = next((each.name for each in inputs if each.state is not None or each.rates), None)
        if moved is not None:
            raise BuildError(f"inputs: '{moved}' is a state or a prescribed motion; set it by its name between two pieces")
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        steered = [
            Steered(each.part, each.type, each.reference, each.drive, *bounds_of(each.variable), value)
            for each, value in zip(inputs, values, strict=True)
        ]
        self._steering = Steering(session.kernel, steered, [columns[each] for each in outputs], session.run.max_steps)
        self._names = [each.name for each in inputs]
        self.advance, self.out = self._steering.advance, self._steering.out
        self._shape = (len(inputs),)
        run = session.run
        several = run.sensitivities or session.running.checkpoints
        self.alone = run.output_interval is run.output_times is run.max_seconds is None and not several
        """True if nothing but the signals happens between the ends of a piece."""

    @property
    def end(self) -> float:
        """The time in s at which the last piece ends."""
        return self._steering.end

    @property
    def values(self) -> dict[str, float]:
        """The present values of the inputs, by name."""
        return dict(zip(self._names, self._steering.values.tolist(), strict=True))

    def assume(self, values: Sequence[float] | np.ndarray) -> None:
        """Notes values that the inputs have got otherwise, such as those of a state that was restored."""
        self._steering.values = np.asarray(values, dtype=float)

    def array(self, values: object) -> np.ndarray:
        """Returns values as an array of numbers; refuses another number of them."""
        if type(values) is np.ndarray and values.shape == self._shape and values.dtype == float:
            return values
        try:
            found = np.asarray(values, dtype=float).reshape(-1)
        except (TypeError, ValueError, OverflowError):
            found = np.zeros(0)
        if len(found) != len(self.inputs):
            raise BuildError(
                f"values = {shown(values)} is refused: give {len(self.inputs)} numbers, for {', '.join(e.name for e in self.inputs)}"
            )
        return found
