"""Fused values, evaluated in NumPy, against those that the instances give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from unittest.mock import patch

import numpy as np

from coupling.errors import StartError
from coupling.fused.bent import settle
from coupling.fused.expressions import Op
from coupling.fused.lowered import Lowered
from coupling.fused.lowering import lower, lower_variables
from coupling.fused.roots import Roots, derivatives
from coupling.kernel.fmi.instance import WARNING
from coupling.kernel.system.status import Status
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.session import Session
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import Built
from coupling.plan.graph import Address, type_code
from coupling.plan.outputs import recordable
from coupling.plan.switched import MODES
from tests.support.declare.arrays import varied

ALLOWED = 1e-12
_SESSIONS, _TRIES, _DRAWS, _MOVES = 2, 12, 40, 3
_SINGULAR = 1e-9


Leaves = Mapping[Op, np.ndarray]


class Fused:
    """The graph of a system, evaluated by NumPy."""

    def __init__(self, built: Built) -> None:
        self.lowered: Lowered = lower(built)
        settle(self.lowered)
        self.roots: Roots = derivatives(self.lowered)

    def leaves(self, session: Session, t: float, x: np.ndarray) -> Leaves:
        """Values at a point at which the kernel has just been."""
        return {
            Op.STATE: x,
            Op.TIME: np.array([t]),
            Op.DRIVE: drives_of(session),
            Op.PARAMETER: values_of(session, self.lowered.parameters),
            Op.DISCRETE: values_of(session, self.lowered.discrete),
        }

    def values(self, nodes: Sequence[int], leaves: Leaves) -> np.ndarray:
        """The values of nodes; the unknowns are solved for only where they enter."""
        graph = self.lowered.graph
        if any(graph.op[node] is Op.UNKNOWN for node in graph.order(nodes)):
            leaves = {**leaves, Op.UNKNOWN: self.unknowns(leaves)}
        return np.array(graph.evaluate(nodes, lambda op, number: leaves[op][number]))

    def unknowns(self, leaves: Leaves) -> np.ndarray:
        """Solves for the unknowns by elimination; where equations are singular, it returns the unknowns of least length."""
        entries, right = (self.values(nodes, leaves) for nodes in (self.roots.entries, self.roots.right))
        direct = self.values([self.roots.unknowns[number] for number in range(self.lowered.unknowns)], leaves)
        for loop in self.lowered.loops:
            rows = np.repeat(range(len(loop.unknowns)), np.diff(loop.row_start))
            matrix = np.zeros((len(loop.unknowns), len(loop.unknowns)), entries.dtype)
            matrix[rows, list(loop.columns)], entries = entries[: len(rows)], entries[len(rows) :]
            span = slice(loop.first, loop.first + len(loop.unknowns))
            if not np.isfinite(direct[span]).all() or np.linalg.matrix_rank(matrix, _SINGULAR) < len(loop.unknowns):
                direct[span] = np.linalg.lstsq(matrix, right[span], rcond=_SINGULAR)[0]
        return direct


def values_of(session: Session, names: list[tuple[int, str]]) -> np.ndarray:
    """Returns the values of variables from the instances."""
    built = session.built
    addresses = []
    for part, name in names:
        variable = built.parts[part].fmu.variables[name]
        addresses.append(Address(part, type_code(variable, built.parts[part].fmu.version), variable.reference))
    return session.readings(tuple(addresses)).read()[1].copy() if addresses else np.zeros(0)


def drives_of(session: Session) -> np.ndarray:
    """The values of drives at the last evaluation, by their numbers."""
    graph, schedule = session.schedule.graph, session.schedule
    slots = {number: schedule.drive_slot[address] for address, number in graph.drives.items()}
    return np.array([session.kernel.slots[slots[i]] for i in range(len(session.built.drives))])


def random_start(built: Built, lowered: Lowered, random: np.random.Generator) -> dict[tuple[int, str], float]:
    """Other numbers for parameters, near those that they have and within their ranges."""
    found: dict[tuple[int, str], float] = {}
    for part, name in lowered.parameters:
        variable = lowered.variables[part, name]
        if variable.shape and name == variable.scalars[0].name:
            found |= {(part, each.name): value for each, value in zip(variable.scalars, varied(variable, random), strict=True)}
        if variable.type != "real" or variable.shape:
            continue
        value = float(built.start[part].get(name, variable.start or 0.0))  # type: ignore[arg-type]  # of a real variable
        moved = value * random.uniform(0.9, 1.1) if value else random.uniform(-0.01, 0.01)
        if moved in variable.range:
            found[part, name] = moved
    return found


def begun(built: Built, values: Mapping[tuple[int, str], float], random: np.random.Generator | None = None) -> Session:
    """A session at a start that need not satisfy the constraints, with modes at random."""

    def choose_modes(session: Session) -> None:
        for each in built.switched:
            if each.given.kind != "holds_while":
                mode = random.choice(list(MODES[each.given.kind])) if random else 0
                assert session.instances[each.part].set(built.mode_type(each), [each.given.mode.reference], [float(mode)]) <= WARNING

    with patch("coupling.live.start.name_modes", choose_modes):
        running = Running(run=Run(stop_time=1.0, stabilisation="baumgarte"), values=values, assembling=True)
        session = start(compile_program(built, []), running)
    session.kernel.exchange(0.0, solving=True)  # finds the entries of Jacobians that change at events only
    return session


def disagreement(built: Built, points: int = 20, seed: int = 1) -> float:
    """The greatest difference at random states, parameters and modes, relative to the greatest derivative of the same instance."""
    fused, random = Fused(built), np.random.default_rng(seed)
    return max(_difference(session, fused, *each) for session, *each in steady_points(built, fused.lowered, random, points))


def random_point(session: Session, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """A time, and states around those of the start."""
    x = np.empty(session.built.states)
    for part, instance in zip(session.built.parts, session.instances, strict=True):
        count = len(part.states)
        if count:
            x[part.first_state : part.first_state + count] = instance.states(count)[1]
    return float(random.uniform(0.0, 1.0)), x + random.uniform(-0.3, 0.3, len(x)) * np.maximum(1.0, np.abs(x))


def steady_points(
    built: Built, lowered: Lowered, random: np.random.Generator, points: int
) -> Iterator[tuple[Session, float, np.ndarray, np.ndarray]]:
    """Sessions, modes at random in each, times, states, and what the instances say there: so many points where rounding of states alone moves that by much less
    than is allowed. Every second session has other parameters than the system. Where these do not fit each other, or constraints in force contradict each other at every
    point, there is another session."""
    left = points
    for number in range(_TRIES):
        try:
            session = begun(built, random_start(built, lowered, random) if number % 2 else {}, random)
        except StartError:
            continue
        with session:
            for each in _steady(session, random, min(left, points // _SESSIONS)):
                left -= 1
                yield session, *each
        if not left:
            return
    raise AssertionError(f"of {points} points there are {left} too few at which the instances have derivatives")


def _steady(session: Session, random: np.random.Generator, count: int) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Yields random points, up to the first that cannot be found."""
    for _ in range(count):
        for _ in range(_DRAWS):
            t, x = random_point(session, random)
            expected = _by_rows(session, t, x)
            if expected is not None and all(_moved(session, t, x, expected, random) < ALLOWED / 10 for _ in range(_MOVES)):
                _by_rows(session, t, x)
                yield t, x, expected
                break
        else:
            return


def _moved(session: Session, t: float, x: np.ndarray, expected: np.ndarray, random: np.random.Generator) -> float:
    """Returns how far rounding of states moves derivatives."""
    found = _by_rows(session, t, x * (1 + random.choice([-4, 4], len(x)) * np.finfo(float).eps))
    return np.inf if found is None else by_instance(session.built, found, expected)


def _difference(session: Session, fused: Fused, t: float, x: np.ndarray, expected: np.ndarray) -> float:
    found = fused.values(fused.roots.derivatives, fused.leaves(session, t, x))
    assert np.isfinite(found).all()
    return by_instance(session.built, found, expected)


def _by_rows(session: Session, t: float, x: np.ndarray) -> np.ndarray | None:
    """Returns the derivatives; None where the equations have no solution, as where constraints contradict each other."""
    expected = np.full(len(x), np.nan)
    for _ in range(2):  # the first leaves rounding of multipliers that belong to another point
        status = session.kernel.derivatives(t, x, expected)
    return expected if status is Status.DONE else None


def by_instance(built: Built, found: np.ndarray, expected: np.ndarray) -> float:
    """The greatest difference, relative to the greatest of the same instance."""
    worst, greatest = 0.0, np.abs(expected).max(initial=0.0)
    for part in built.parts:
        span = slice(part.first_state, part.first_state + len(part.states))
        if part.states:
            # Where an instance hardly moves, what is left is rounding of what the others do.
            off, size = np.abs(found[span] - expected[span]).max(), max(np.abs(expected[span]).max(), 0.01 * greatest)
            worst = max(worst, off / size if size else off)
    return worst


def events_disagreement(built: Built, points: int = 4, seed: int = 1) -> float:
    """The greatest difference of event indicators, relative to the greatest."""
    fused, random, worst = Fused(built), np.random.default_rng(seed), 0.0
    with begun(built, {}, random) as session:
        for _ in range(points):
            t, x = random_point(session, random)
            expected = np.full(len(fused.lowered.indicators), np.nan)
            if session.kernel.evaluate(t, x) is not Status.DONE:
                continue
            assert session.kernel.indicators(expected) is Status.DONE
            worst = max(worst, relative(fused.values(fused.lowered.indicators, fused.leaves(session, t, x)), expected))
    return worst


def readings_disagreement(built: Built, points: int = 4, seed: int = 1) -> float:
    """The greatest difference of positions and velocities of constraints, relative to the greatest of its level."""
    fused, random, worst = Fused(built), np.random.default_rng(seed), 0.0
    assert built.reading
    with begun(built, {}) as session:
        for _ in range(points):
            t, x = random_point(session, random)
            assert session.kernel.evaluate(t, x) is Status.DONE
            leaves = fused.leaves(session, t, x)
            for level, nodes in zip(("position", "velocity"), zip(*fused.lowered.readings, strict=True), strict=True):
                slots = [getattr(held, level) for held in built.reading.constraints]
                addresses = tuple(built.reading.outputs[slot] for slot in slots if slot is not None)
                found = fused.values([node for node in nodes if node is not None], leaves)
                worst = max(worst, relative(found, session.readings(addresses).read()[1]) if addresses else 0.0)
    return worst


def recorded_disagreement(built: Built, points: int = 4, seed: int = 1) -> float:
    """The greatest difference of anything that can be recorded and is no parameter, relative to the greatest of the same instance."""
    wanted = [
        (part, name)
        for part, each in enumerate(built.parts)
        for name in recordable(built)[each.name]
        if each.fmu.variables[name].variability not in ("constant", "fixed", "tunable")
    ]
    addresses = [built.address(part, name) for part, name in wanted]
    lowered, random, worst = lower_variables(built, addresses), np.random.default_rng(seed), 0.0
    owner = np.array([part for part, _ in wanted])
    compared = 0
    for _ in range(_SESSIONS):
        with begun(built, {}, random) as session:
            slots = [loop.first + i for loop in session.schedule.loops for i in range(len(loop.unknowns))]
            for _ in range(_DRAWS):
                t, x = random_point(session, random)
                moved = x * (1 + random.choice([-4, 4], len(x)) * np.finfo(float).eps)
                expected = _read_at(session, t, moved, addresses), _read_at(session, t, x, addresses)
                if compared == points or expected[0] is None or expected[1] is None:
                    continue
                leaves = {
                    Op.STATE: x,
                    Op.TIME: np.array([t]),
                    Op.DRIVE: drives_of(session),
                    Op.PARAMETER: values_of(session, lowered.parameters),
                    Op.DISCRETE: values_of(session, lowered.discrete),
                    Op.UNKNOWN: session.kernel.slots[slots],
                }
                found = np.array(
                    lowered.graph.evaluate(lowered.recorded, lambda op, number, leaves=leaves: leaves[op][number]), dtype=float
                )
                off = [[relative(each[owner == part], expected[1][owner == part]) for part in set(owner)] for each in (expected[0], found)]
                if max(off[0]) < ALLOWED / 4:  # else rounding of states alone moves this far
                    compared, worst = compared + 1, max(worst, *off[1])
    assert compared, "there is no point at which the instances can be evaluated"
    return worst


def _read_at(session: Session, t: float, x: np.ndarray, addresses: list[Address]) -> np.ndarray | None:
    """Returns the values of variables from the instances at a point; None where no solution exists."""
    if _by_rows(session, t, x) is None or session.kernel.evaluate(t, x) is not Status.DONE:
        return None
    return session.readings(tuple(addresses)).read()[1].copy()


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    off, size = np.abs(found - expected).max(initial=0.0), np.abs(expected).max(initial=0.0)
    return float(off / size if size else off)
