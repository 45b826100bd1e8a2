"""Outputs of Co-Simulation instances, by which step doubling measures errors."""

from __future__ import annotations

import numpy as np

from coupling.fmus import FmuVariable
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.plan.graph import Address, type_code


class ObservedOutputs:
    """All outputs and passed values that do not depend directly on inputs; if none is left, all of them."""

    def __init__(self, session: Session) -> None:
        parts = session.built.parts
        passed_on = {(a.part, parts[a.part].fmu.own(a.reference)) for a in session.schedule.ended if a.type == 0}
        given: list[tuple[int, FmuVariable, bool]] = []
        for index in session.steppers:
            fmu = session.built.parts[index].fmu
            inputs = {v.reference for v in fmu.variables.values() if v.causality == "input"}
            at_once = {u.reference for u in fmu.structure.outputs if inputs & {reference for reference, _ in u.dependencies or ()}}
            outputs = {u.reference for u in fmu.structure.outputs} | {reference for part, reference in passed_on if part == index}
            variables = [fmu.by_reference[reference] for reference in sorted(outputs)]
            scalars = [v for v in variables if v.type == "real" and not v.dimensions and type_code(v, fmu.version) == 0]
            given += [(index, v, v.reference in at_once) for v in scalars]
        chosen = [(index, v) for index, v, at_once in given if not at_once] or [(index, v) for index, v, _ in given]
        nominal = np.array([v.nominal for _, v in chosen])
        sizes = scales(session, [Address(index, 0, v.reference) for index, v in chosen], forces=True)
        self.nominal = np.where(nominal == 1, sizes, nominal)
        """Nominal values; those that are 1, as where none is given, are sizes."""
        self._calls = [
            (session.instances[index], [v.reference for i, v in chosen if i == index])
            for index in dict.fromkeys(index for index, _ in chosen)
        ]

    def now(self) -> np.ndarray:
        """Returns the present values of the outputs."""
        return np.concatenate([np.zeros(0), *(instance.get(0, references)[1] for instance, references in self._calls)])
