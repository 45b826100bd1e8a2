"""A system that stands still at some states: its derivatives there, with all loops solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coupling.errors import AnalysisError
from coupling.kernel.system.status import Status
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.derivatives.linearise import Linearisation, solved
from coupling.live.failures import describe
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.live.violations import constraints_at, values_of
from coupling.plan.graph import Address


class Standing:
    """Variables of a session and their exact derivatives, by the states and by some inputs, at any states.

    All values are in sizes of the mechanism (``sizes_of``), which makes one tolerance suit mechanisms of any size. ``physical`` gives them
    in their units.
    """

    def __init__(self, session: Session, wanted: Sequence[Address], inputs: Sequence[Address]) -> None:
        self.session, self.states, self.inputs = session, session.built.states, list(inputs)
        parts = session.built.parts
        self.sizes = self.sizes_of([Address(i, 0, r) for i, part in enumerate(parts) for r in part.states])
        """The sizes of the states."""
        self.x = session.x / self.sizes
        self.rates = [Address(i, 0, u.reference) for i, part in enumerate(parts) for u in part.structure.derivatives]
        self.constraints = [*constraints_at(session, "position"), *constraints_at(session, "velocity")]
        residuals = [a for loop in session.schedule.loops for a in loop.residuals]
        self._unknowns = [a for loop in session.schedule.loops for a in loop.unknowns]
        asked = dict.fromkeys([*self.rates, *self.constraints, *wanted])
        given = {*self._unknowns, *self.inputs}
        self._asked = [a for a in asked if a not in given]
        self._linear = Linearisation(session, [*self._asked, *residuals], self.inputs)
        self._row = {a: i for i, a in enumerate(self._asked)}
        self._by, self._of = np.append(self.sizes, self.sizes_of(self.inputs)), self.sizes_of([*self._asked, *self._unknowns])[:, None]
        self.motions = dict(motions_of(session))
        """States that are the rates of others, by these."""
        turns = list(turns_of(session))
        self.quaternions = [list(range(q, q + 4)) for _, q in turns]
        self.velocities = sorted({*self.motions.values(), *(omega + axis for omega, _ in turns for axis in range(3))})
        """States that are rates of positions and of attitudes."""

    def move(self, x: np.ndarray) -> None:
        """Moves the system to other states. If it cannot be evaluated there, AnalysisError is raised."""
        if self.session.kernel.evaluate(self.session.run.start_time, x * self.sizes) is not Status.DONE:
            raise AnalysisError(
                f"the system cannot be evaluated on the way: {describe(self.session)}; give a start nearer to the equilibrium"
            )
        self.x = x.copy()

    def set_inputs(self, values: np.ndarray) -> None:
        """Sets the first of the inputs that the object was made with; they take effect with ``move``."""
        for address, value in zip(self.inputs, values * self.sizes_of(self.inputs[: len(values)]), strict=False):
            self.session.instances[address.part].set(0, [address.reference], [float(value)])

    def values(self, addresses: Sequence[Address]) -> np.ndarray:
        """Returns the present values, in nominal sizes."""
        return self.physical(addresses) / self.sizes_of(addresses)

    def physical(self, addresses: Sequence[Address]) -> np.ndarray:
        """Returns the values as they are now, in their units."""
        return values_of(self.session, list(addresses)) if addresses else np.zeros(0)

    def sizes_of(self, addresses: Sequence[Address]) -> np.ndarray:
        """Returns the sizes by which values of variables are divided, in their units."""
        return scales(self.session, addresses, forces=True)

    def gradients(self) -> Mapping[Address, np.ndarray]:
        """Returns by address the derivatives by all states and then by the inputs, the unknowns of loops following both."""
        n, asked = self.states, len(self._asked)
        full = self._linear.at_present().toarray()
        unknown = slice(n, n + len(self._unknowns))
        known = np.r_[0:n, unknown.stop : full.shape[1]]
        total = full[:asked, known]
        follow = np.zeros((0, len(known)))
        if self._unknowns:
            follow = -solved(full[asked:, unknown], full[asked:, known], self.redundant())
            total = total + full[:asked, unknown] @ follow
        both = np.vstack([total, follow]) * self._by / self._of
        found = {a: both[i] for a, i in self._row.items()}
        found |= {a: both[i] for i, a in enumerate(self._unknowns, asked)}
        return found | {a: np.eye(len(known))[n + i] for i, a in enumerate(self.inputs)}

    def redundant(self) -> bool:
        """Says whether constraints repeat each other."""
        kernel = self.session.kernel
        return any(kernel.deficient(i, passing)[0] for i in range(len(self.session.schedule.loops)) for passing in (False, True))

    def label(self, address: Address) -> str:
        """Returns the full name of a variable."""
        return self.session.named(address.part, address.reference)

    def unit(self, address: Address) -> str:
        return self.session.built.parts[address.part].fmu.by_reference[address.reference].unit or ""
