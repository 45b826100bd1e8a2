"""The Jacobian of a whole system with its loops open: how outputs follow from the states and the loops' unknowns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csc_array, hstack

from coupling.graph import Address
from coupling.kernel.kernel import WARNING

if TYPE_CHECKING:
    from coupling.master import Master


class Linearisation:
    """Made once for a choice of outputs; ``at_present`` asks the FMUs, at the point where they are."""

    def __init__(self, master: Master, wanted: Sequence[Address]) -> None:
        self.master, graph = master, master.schedule.graph
        self.unknowns = [a for loop in master.schedule.loops for a in loop.unknowns]
        unknown = {a: i for i, a in enumerate(self.unknowns)}
        outputs = [a for n, a in enumerate(graph.addresses) if graph.is_output[n] and a.type == 0 and not graph.held[n]]
        self.rows = {a: i for i, a in enumerate(dict.fromkeys([*outputs, *wanted]))}
        self.wanted = np.array([self.rows[a] for a in wanted], dtype=int)
        by_part: dict[int, list[Address]] = defaultdict(list)
        for address in self.rows:
            by_part[address.part].append(address)
        inputs: dict[int, list[Address]] = defaultdict(list)
        for node, address in enumerate(graph.addresses):
            if not graph.is_output[node] and address.type == 0 and not graph.held[node]:
                inputs[address.part].append(address)
        states, count = master.built.states, len(self.rows)
        self._work: list[tuple[int, list[Address], list[tuple[int, list[int]]]]] = []
        """By part: its outputs, and its knowns with the columns that each stands for."""
        for index, addresses in by_part.items():
            part = master.built.parts[index]
            knowns = [(r, [part.first_state + i]) for i, r in enumerate(part.fmu.states)]
            for address in inputs[index]:
                if address in unknown:
                    columns = [states + unknown[address]]
                else:
                    width = states + len(self.unknowns)
                    columns = [width + self.rows[s] for s in graph.wires.get(address, ()) if s in self.rows]
                if columns:
                    knowns.append((address.reference, columns))
            if knowns:
                self._work.append((index, addresses, knowns))
        self._shape = (count, states + len(self.unknowns) + count)

    def at_present(self) -> csc_array:
        """Derivatives of the wanted outputs by states, then unknowns."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for index, addresses, knowns in self._work:
            local = self._local(index, [a.reference for a in addresses], [r for r, _ in knowns])
            places = [self.rows[a] for a in addresses]
            for (_, targets), column in zip(knowns, local.T, strict=True):
                for place, value in zip(places, column, strict=True):
                    if value:
                        for target in targets:
                            rows.append(place)
                            columns.append(target)
                            values.append(value)
        matrix = csc_array(coo_array((values, (rows, columns)), shape=self._shape))
        free = self._shape[1] - self._shape[0]
        passed_on, step = matrix[:, free:].tocsr(), matrix[:, :free].tocsr()
        total = step
        while step.nnz:  # which ends, since the loops are open
            step = passed_on @ step
            step.eliminate_zeros()
            total = total + step
        return csc_array(total[self.wanted])

    def _local(self, index: int, unknowns: list[int], knowns: list[int]) -> np.ndarray:
        instance, part = self.master.instances[index], self.master.built.parts[index]
        if part.fmu.interface("me").directional_derivatives:
            result = np.empty((len(unknowns), len(knowns)))
            for j, known in enumerate(knowns):
                status, result[:, j] = instance.directional(unknowns, known)
                if status > WARNING:
                    raise ArithmeticError(f"'{part.name}' cannot be differentiated: {instance.message}")
            return result
        return self._differences(index, unknowns, knowns)

    def _differences(self, index: int, unknowns: list[int], knowns: list[int]) -> np.ndarray:
        instance, part = self.master.instances[index], self.master.built.parts[index]
        states = list(part.fmu.states)
        _, x = instance.states(len(states)) if states else (0, np.zeros(0))
        result = np.empty((len(unknowns), len(knowns)))
        for j, known in enumerate(knowns):
            at_state = states.index(known) if known in states else None
            here = x[at_state] if at_state is not None else instance.get(0, [known])[1][0]
            step = 6e-6 * max(abs(here), abs(part.fmu.by_reference[known].nominal))
            sides = []
            for value in (here + step, here - step, here):
                if at_state is not None:
                    instance.move_states(np.where(np.arange(len(x)) == at_state, value, x))
                else:
                    instance.set(0, [known], [value])
                status, outputs = instance.get(0, unknowns)
                if status > WARNING:
                    raise ArithmeticError(f"'{part.name}' cannot be evaluated for a difference: {instance.message}")
                sides.append(outputs)
            result[:, j] = (sides[0] - sides[1]) / (2 * step)
        return result


def hstacked(*blocks: csc_array) -> csc_array:
    """Matrices side by side."""
    return csc_array(hstack(blocks))
