"""The Jacobian of a loop: the calls of each FMU, and the way in which their answers are put together.

Derivatives that the standard calls constant are asked for once, and are numbers. Derivatives that change at events only are asked for
there. All others are asked for at every evaluation, with as few calls as possible. The products of them that make up each entry are found
here once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from coupling.plan.graph import Address, Change, Graph
from coupling.plan.loops import Loop
from coupling.plan.schedule import Schedule, ScheduledLoop

EVENT_KINDS = ("fixed", "tunable", "discrete")


class CallKind(IntEnum):
    """Numbered as in the kernel."""

    DIRECTIONAL = 0
    ADJOINT = 1
    DIFFERENCE = 2
    KNOWN = 3
    CENTRAL = 4


@dataclass(frozen=True)
class DerivativeCall:
    """A call that gives derivatives: the results are terms from ``first`` on."""

    kind: CallKind
    part: int
    at_events: bool
    unknowns: tuple[Address, ...]
    knowns: tuple[Address, ...]
    first: int
    slots: tuple[int, ...] = ()
    """Slots of the derivatives, for calls of kind KNOWN."""


Product = tuple[float, int, int]
"""A factor and two terms; term 0 is 1."""


@dataclass
class Mobility:
    """Derivatives of the states' derivatives by the unknowns of a loop, in compressed rows. The entries are sums from ``first`` on, which
    the kernel adds up only when it is asked for them."""

    first: int = 0
    states: list[int] = field(default_factory=list)
    row_start: list[int] = field(default_factory=lambda: [0])
    columns: list[int] = field(default_factory=list)


@dataclass
class Jacobian:
    """The program that makes the entries of a loop's Jacobian."""

    calls: list[DerivativeCall] = field(default_factory=list)
    terms: int = 1
    """Number of terms before the sums."""
    sums: list[list[Product]] = field(default_factory=list)
    row_start: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    local: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)
    """Derivatives of outputs by inputs of the same instance, by their nodes, each as a factor and a term."""
    mobility: Mobility = field(default_factory=lambda: Mobility())


@dataclass
class Shortcut:
    """A shortcut through a loop: its values follow from outputs that were got with other inputs.

    Every row is a number in a slot of its own: a sum of factor times term times slot. First comes by how much each unknown has moved since
    it was last set. Then come the rows that are wanted in any case, the rows that lead to the residuals alone, and the residuals. The last
    rows are wanted once the unknowns are known.
    """

    counts: list[int] = field(default_factory=list)
    """Number of rows of each of these five sorts."""
    unknowns: list[int] = field(default_factory=list)
    """Slots of the values that the unknowns were last set to."""
    targets: list[int] = field(default_factory=list)
    """The slots that receive the rows of the last sort."""
    rows: list[list[tuple[float, int, int]]] = field(default_factory=list)


ConstantDerivatives = Callable[[int, Sequence[int], int], Sequence[float]]
"""Function that returns the present derivatives of some unknowns of a part by one known."""


def build_jacobian(graph: Graph, loop: Loop, constant: ConstantDerivatives, moved: Collection[int] = ()) -> Jacobian:
    """Returns the program of a loop and asks for the constant derivatives right away; ``moved`` are states whose mobility is wanted."""
    jacobian = Jacobian()
    local = jacobian.local = _local_derivatives(graph, loop, constant, jacobian)
    place = {address: i for i, address in enumerate(loop.unknowns)}
    gradient: dict[int, dict[int, list[Product]]] = {graph.node[address]: {i: [(1.0, 0, 0)]} for address, i in place.items()}
    for node in _inner_order(graph, loop):
        if node not in gradient:
            gradient[node] = _row(graph, node, gradient, local, jacobian)
    rows = []
    for number, owner in enumerate(loop.residuals):
        node = graph.node[owner]
        if number < len(loop.unknowns) - loop.torn:
            rows.append(gradient[node])
        else:
            row = _add(gradient.get(graph.node[source], {}) for source in graph.wires[owner])
            unknown = place[owner]
            row[unknown] = [*row.get(unknown, []), (-1.0, 0, 0)]
            rows.append(row)
    _add_mobility(graph, loop, gradient, jacobian, moved)
    for row in rows:
        jacobian.row_start.append(len(jacobian.columns))
        for column in sorted(row):
            jacobian.columns.append(column)
            jacobian.sums.append(_merged(row[column]))
    jacobian.row_start.append(len(jacobian.columns))
    _place_sums(jacobian)
    return jacobian


def pattern_of(graph: Graph, loop: Loop) -> tuple[list[int], list[int]]:
    """Returns the pattern of a loop's Jacobian in compressed rows: where each row begins, and the columns."""
    place = {address: i for i, address in enumerate(loop.unknowns)}
    entered: dict[int, set[int]] = {graph.node[address]: {i} for address, i in place.items()}
    for node in _inner_order(graph, loop):
        if node not in entered:
            before = [entered[n] for n in graph.before[node] if n in entered]
            entered[node] = before[0] if len(before) == 1 else set().union(*before)
    row_start, columns = [0], []
    for number, owner in enumerate(loop.residuals):
        if number < len(loop.unknowns) - loop.torn:
            row = entered[graph.node[owner]]
        else:
            row = {place[owner]}.union(*(entered.get(graph.node[source], ()) for source in graph.wires[owner]))
        columns += sorted(row)
        row_start.append(len(columns))
    return row_start, columns


def _add_mobility(
    graph: Graph, loop: Loop, gradient: dict[int, dict[int, list[Product]]], jacobian: Jacobian, moved: Collection[int]
) -> None:
    """Adds the mobility of derivatives whose terms exist anyway: those inside, and where the loop has a shortcut those that follow."""
    mobility, rows = jacobian.mobility, []
    followers = set(loop.followers or ())
    for state, node in enumerate(graph.derivatives):
        if state in moved and (node in loop.members or node in followers):
            row = gradient[node] if node in gradient else _row(graph, node, gradient, jacobian.local, jacobian)
            rows.append((state, row))
    mobility.first = len(jacobian.sums)
    for state, row in rows:
        if row:
            mobility.states.append(state)
            mobility.columns += sorted(row)
            mobility.row_start.append(len(mobility.columns))
            jacobian.sums += [_merged(row[column]) for column in sorted(row)]


@dataclass
class _Sum:
    slots: dict[int, float] = field(default_factory=dict)
    nodes: dict[tuple[int, int], float] = field(default_factory=dict)
    """Factors by node and term."""

    def add(self, other: _Sum, factor: float = 1.0) -> None:
        for slot, value in other.slots.items():
            self.slots[slot] = self.slots.get(slot, 0.0) + factor * value
        for key, value in other.nodes.items():
            self.nodes[key] = self.nodes.get(key, 0.0) + factor * value


def build_shortcut(schedule: Schedule, loop: ScheduledLoop, jacobian: Jacobian) -> Shortcut | None:
    """Returns the shortcut through a loop, if it has one."""
    if loop.followers is None:
        return None
    graph = schedule.graph
    unknowns = [graph.node[a] for a in loop.unknowns]
    known = set(unknowns)
    sums: dict[int, _Sum] = {}

    def given(source: Address) -> _Sum:
        """Returns the value of a source. Inside the loop it is as it follows, or by how much an unknown has moved; outside it is as it was
        got."""
        node = graph.node[source]
        if node not in loop.members:
            return _Sum({schedule.slot[source]: 1.0})
        if node in known:
            return _Sum({schedule.set_slot[source]: 1.0}, {(node, 0): 1.0})
        inner = sums[node]
        if all(term == 0 for _, term in inner.nodes):  # as good as its own items, which saves a row
            return inner
        return _Sum(nodes={(node, 0): 1.0})

    def arriving(address: Address) -> _Sum:
        result = _Sum()
        for source in graph.wires[address]:
            result.add(given(source))
        if address in schedule.drive_slot:
            result.add(_Sum({schedule.drive_slot[address]: 1.0}))
        return result

    order = [n for n in _inner_order(graph, loop) if n not in known]
    for node in [*order, *loop.followers]:
        address = graph.addresses[node]
        if graph.is_output[node]:
            sums[node] = _Sum({schedule.slot[address]: 1.0})
            for given_by in dict.fromkeys(graph.before[node]):
                if (node, given_by) in jacobian.local:
                    factor, term = jacobian.local[node, given_by]
                    sums[node].add(_Sum(nodes={(given_by, term): factor}))
        else:  # by how much it moves
            sums[node] = arriving(address)
            sums[node].add(_Sum({schedule.set_slot[address]: -1.0}))
    residuals = []
    for index, owner in enumerate(loop.residuals):
        if index < len(loop.unknowns) - loop.torn:
            residuals.append(sums[graph.node[owner]])
        else:
            misfit = arriving(owner)
            misfit.add(_Sum({schedule.set_slot[owner]: -1.0}, {(graph.node[owner], 0): -1.0}))
            residuals.append(misfit)
    read_outside = {
        n for n in order if graph.is_output[n] and any(a not in loop.members and graph.change[a] is Change.ALWAYS for a in graph.readers[n])
    }
    wanted = _reached(sums, [sums[n] for n in [*loop.followers, *read_outside]])
    leading = _reached(sums, residuals)
    always = [n for n in order if n in wanted and n not in read_outside]
    first = set(always)
    inner = [n for n in order if n in leading and n not in first]
    last = [*(n for n in order if n in read_outside), *loop.followers]
    result = Shortcut([len(unknowns), len(always), len(inner), len(residuals), len(last)])
    result.unknowns = [schedule.set_slot[a] for a in loop.unknowns]
    row = {node: i for i, node in enumerate([*unknowns, *always, *inner])}
    later = dict(row) | {n: len(row) + len(residuals) + i for i, n in enumerate(last)}
    for each, rows in [*((sums[n], row) for n in [*always, *inner]), *((r, row) for r in residuals), *((sums[n], later) for n in last)]:
        items = [(factor, 0, slot) for slot, factor in each.slots.items() if factor]
        items += [(factor, term, loop.first_row + rows[node]) for (node, term), factor in each.nodes.items() if factor]
        result.rows.append(items)
    result.targets = [schedule.slot[graph.addresses[n]] for n in last]
    return result


def _reached(sums: dict[int, _Sum], roots: Iterable[_Sum]) -> set[int]:
    """Returns all nodes whose rows some sums are made of."""
    found: set[int] = set()
    open_now = list(roots)
    while open_now:
        for node, _ in open_now.pop().nodes:
            if node in sums and node not in found:
                found.add(node)
                open_now.append(sums[node])
    return found


def _inner_order(graph: Graph, loop: Loop) -> list[int]:
    """Returns the loop's variables, each after those that it depends on, with the unknowns being known."""
    unknown = {graph.node[address] for address in loop.unknowns}
    order: list[int] = []
    seen: set[int] = set()
    for root in sorted(loop.members):
        stack = [(root, False)]
        while stack:
            node, finished = stack.pop()
            if finished:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                if node not in unknown:
                    stack += [(n, False) for n in graph.before[node] if n in loop.members and n not in seen]
    return order


def _row(
    graph: Graph,
    node: int,
    gradient: dict[int, dict[int, list[Product]]],
    local: dict[tuple[int, int], tuple[float, int]],
    jacobian: Jacobian,
) -> dict[int, list[Product]]:
    knowns = [n for n in graph.before[node] if n in gradient]
    if not graph.is_output[node]:
        return gradient[knowns[0]] if len(knowns) == 1 else _add(gradient[n] for n in knowns)
    result: dict[int, list[Product]] = defaultdict(list)
    for known in knowns:
        derivative = local.get((node, known))
        if derivative is None:
            continue
        factor, term = derivative
        for unknown, combination in gradient[known].items():
            if term and any(left and right for _, left, right in combination):
                jacobian.sums.append(_merged(combination))
                combination = gradient[known][unknown] = [(1.0, -len(jacobian.sums), 0)]
            result[unknown] += [(factor * f, left or term, right or (term if left else 0)) for f, left, right in combination]
    return dict(result)


def _add(rows: Iterable[dict[int, list[Product]]]) -> dict[int, list[Product]]:
    result: dict[int, list[Product]] = defaultdict(list)
    for row in rows:
        for unknown, combination in row.items():
            result[unknown] += combination
    return dict(result)


def _merged(combination: list[Product]) -> list[Product]:
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for factor, left, right in combination:
        sums[min(left, right), max(left, right)] += factor
    return [(factor, left, right) for (left, right), factor in sums.items() if factor]


def _place_sums(jacobian: Jacobian) -> None:
    """Numbers the sums, which had numbers from -1 downwards while the number of terms was open. The entries come last, in the order of the
    pattern."""

    def placed(term: int) -> int:
        return jacobian.terms - term - 1 if term < 0 else term

    jacobian.sums = [[(factor, placed(left), placed(right)) for factor, left, right in products] for products in jacobian.sums]


def _local_derivatives(
    graph: Graph, loop: Loop, constant: ConstantDerivatives, jacobian: Jacobian
) -> dict[tuple[int, int], tuple[float, int]]:
    """Returns the derivatives of outputs by inputs within the loop, each as a factor and a term."""
    needed: dict[int, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for node in [*sorted(loop.members), *(loop.followers or ())]:
        if graph.is_output[node]:
            for known in dict.fromkeys(graph.before[node]):
                if known in loop.members:
                    kind = graph.kinds[node].get(known, "dependent")
                    group = "constant" if kind == "constant" else "events" if kind in EVENT_KINDS else "always"
                    needed[graph.addresses[node].part][group].append((node, known))
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for part, groups in needed.items():
        if graph.parts[part].stepped:
            pairs = [pair for group in groups.values() for pair in group]
            found |= {pair: (1.0, jacobian.terms + i) for i, pair in enumerate(pairs)}
            outputs, inputs = zip(*((graph.addresses[n], graph.addresses[k]) for n, k in pairs), strict=True)
            slots = tuple(graph.local[pair] for pair in pairs)
            jacobian.calls.append(DerivativeCall(CallKind.KNOWN, part, False, outputs, inputs, jacobian.terms, slots))
            jacobian.terms += len(pairs)
            continue
        if not graph.parts[part].interface.directional_derivatives:
            for known, pairs in _by_known(pair for group in groups.values() for pair in group).items():
                _add_call(graph, jacobian, CallKind.DIFFERENCE, part, False, [n for n, _ in pairs], [known], found)
            continue
        for known, pairs in _by_known(groups["constant"]).items():
            unknowns = [graph.addresses[n].reference for n, _ in pairs]
            values = constant(part, unknowns, graph.addresses[known].reference)
            found |= {pair: (value, 0) for pair, value in zip(pairs, values, strict=True)}
        _plan_calls(graph, jacobian, part, groups, found)
    return found


def _by_known(pairs: Iterable[tuple[int, int]]) -> dict[int, list[tuple[int, int]]]:
    result: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in pairs:
        result[pair[1]].append(pair)
    return result


def _plan_calls(
    graph: Graph,
    jacobian: Jacobian,
    part: int,
    groups: Mapping[str, list[tuple[int, int]]],
    found: dict[tuple[int, int], tuple[float, int]],
) -> None:
    """Plans calls: knowns that share no unknown go into one direction, or unknowns that share no known. An instance always has the same
    kind, since there are FMUs whose directional and adjoint derivatives spoil each other. Sharing counts among all dependencies, including
    those known already and those of the other group: a call gives their sum."""
    depends = {pair for pairs in groups.values() for pair in pairs}
    wanted = {True: groups["events"], False: groups["always"]}
    forward = {at_events: _grouped([(k, u) for u, k in pairs], {(k, u) for u, k in depends}) for at_events, pairs in wanted.items()}
    backward = {at_events: _grouped(pairs, depends) for at_events, pairs in wanted.items()}
    fewer = len(backward[False]) < len(forward[False])
    if fewer and graph.parts[part].interface.adjoint_derivatives:
        for at_events, directions in backward.items():
            for unknowns, knowns in directions:
                _add_call(graph, jacobian, CallKind.ADJOINT, part, at_events, unknowns, knowns, found, set(wanted[at_events]))
    else:
        for at_events, directions in forward.items():
            for knowns, unknowns in directions:
                _add_call(graph, jacobian, CallKind.DIRECTIONAL, part, at_events, unknowns, knowns, found, set(wanted[at_events]))


def _grouped(pairs: list[tuple[int, int]], depends: set[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Returns first items in groups, with their second items. Each second item is paired with one first item of the group only, by all
    pairs that exist."""
    seconds: dict[int, list[int]] = defaultdict(list)
    for first, second in pairs:
        seconds[first].append(second)
    groups: list[tuple[list[int], list[int]]] = []
    for first, reached in seconds.items():
        for members, taken in groups:
            if not any((first, each) in depends for each in taken) and not any((m, each) in depends for m in members for each in reached):
                members.append(first)
                taken += reached
                break
        else:
            groups.append(([first], list(reached)))
    return groups


def _add_call(
    graph: Graph,
    jacobian: Jacobian,
    kind: CallKind,
    part: int,
    at_events: bool,
    unknowns: list[int],
    knowns: list[int],
    found: dict[tuple[int, int], tuple[float, int]],
    pairs: set[tuple[int, int]] | None = None,
) -> None:
    first = jacobian.terms
    results = knowns if kind is CallKind.ADJOINT else unknowns
    partners = unknowns if kind is CallKind.ADJOINT else knowns
    for i, result in enumerate(results):
        for partner in partners:
            pair = (partner, result) if kind is CallKind.ADJOINT else (result, partner)
            if pairs is None or pair in pairs:
                found[pair] = (1.0, first + i)
    jacobian.terms += len(results)
    addresses = graph.addresses
    jacobian.calls.append(
        DerivativeCall(kind, part, at_events, tuple(addresses[n] for n in unknowns), tuple(addresses[n] for n in knowns), first)
    )
