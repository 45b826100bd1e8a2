"""Dependencies in an exported mechanism: the model structures of its components, followed through their connections and loops."""

from __future__ import annotations

from bisect import bisect
from functools import cache, cached_property

from coupling.export.dependence import Graph, Reached
from coupling.export.table import MechanismTable
from fmu_components.declare.declaration import Role
from fmu_components.export.structure import ListedUnknown
from fmu_components.export.table import Dependency


class MechanismStructure:
    """The lists of unknowns for one FMI version: as the model description has them or, while the importer solves for the multipliers, as the
    manifest of the layered standard does."""

    def __init__(self, table: MechanismTable, fmi: int, given: bool = False) -> None:
        self.table = table
        roles = {Role.TIME, Role.STATE, Role.INPUT} | ({Role.PARAMETER, Role.DISCRETE} if fmi == 3 else set())
        if given or fmi == 2:
            roles.add(Role.ALGEBRAIC)
        self._knowns = table.references(*roles)
        self._changed = table.references(*roles | {Role.PARAMETER, Role.DISCRETE})
        self._graph = Graph(table, given)
        self._firsts = [member.first for member in table.members]

    @property
    def outputs(self) -> list[ListedUnknown]:
        return [self._unknown(reference) for reference in sorted(self.table.outputs)]

    @property
    def derivatives(self) -> list[ListedUnknown]:
        return [self._unknown(1 + state) for state in range(self.table.states)]

    @property
    def indicators(self) -> list[ListedUnknown]:
        return [self._unknown(reference) for reference in self.table.references(Role.INDICATOR)]

    @property
    def residuals(self) -> list[ListedUnknown]:
        return [self._unknown(self.table.reference(v.partner or "")) for v in self.table.with_role(Role.ALGEBRAIC)]

    @property
    def initial(self) -> list[ListedUnknown]:
        """Unknowns before the start, where parameters count as well, and all dependencies are merely ``dependent``."""
        roles = ((reference, self.table.variable(reference).role) for reference in sorted(self.table.outputs))
        calculated = (reference for reference, role in roles if role.calculated or role is Role.RELATION)
        return [self._listed(reference, self._initially, {}) for reference in (*range(1, 1 + self.table.states), *calculated)]

    def _unknown(self, reference: int) -> ListedUnknown:
        return self._listed(reference, self._influence, self._kinds(reference))

    def _listed(self, reference: int, reached: Reached, kinds: dict[int, str]) -> ListedUnknown:
        node = self._graph.node_of(reference)
        knowns = None if node is None else reached.of(node)
        if knowns is None:
            return ListedUnknown(reference, None)
        return ListedUnknown(reference, tuple(_dependency(known, kinds.get(known, "dependent")) for known in sorted(knowns)))

    @cached_property
    def _influence(self) -> Reached:
        return self._graph.reached(self._knowns, initial=False)

    @cached_property
    def _initially(self) -> Reached:
        return self._graph.reached(self._changed, initial=True)

    def _kinds(self, reference: int) -> dict[int, str]:
        """Returns the kinds of dependence, as its component declares them, of an unknown that follows from knowns alone."""
        node = self._graph.node_of(reference)
        if node is None:
            return {}
        place = self.table.shown[reference - 1]
        state = self._graph.state_of(node)
        part = bisect(self._firsts, place if state else node) - 1
        member = self.table.members[part]
        facts = self._graph.facts[member.fmu]
        declared = facts.declared.get((place if state else node) - member.first)
        if declared is None or declared.dependencies is None:
            return {}
        moved = {r for at, r in enumerate(member.fmu.states) if member.first_state + at in self._graph.moved} if self._graph.moved else ()
        if not state and any(known in facts.passed_on or known in moved for known, _ in declared.dependencies):
            return {}
        return {self.table.reference_at(part, known): kind for known, kind in declared.dependencies}


@cache
def _dependency(known: int, kind: str) -> Dependency:
    """Returns a dependency that is shared, because many unknowns depend on the same knowns."""
    return Dependency(known, kind)
