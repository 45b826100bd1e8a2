"""Positions of bodies: the states that positions depend on, their moves, and the outputs that follow from them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np
import scipy

from coupling.errors import InitialStateError
from coupling.kernel.fmi.instance import WARNING
from coupling.kernel.platform.binding import pointer
from coupling.live.derivatives.jacobians import turning, turns_of
from coupling.live.derivatives.linearise import Linearisation
from coupling.live.session import Session
from coupling.live.violations import values_of
from coupling.plan.graph import Address

MANY = 200
"""Number of moves from which matrices are sparse."""


class Network:
    """Outputs that depend on states alone, and their derivatives, evaluated by the instances concerned and no others."""

    def __init__(self, session: Session, wanted: Sequence[Address]) -> None:
        self._session, self.wanted = session, list(wanted)
        self._linear = Linearisation(session, self.wanted)
        own = self._linear.columns < session.built.states
        self.states = np.unique(self._linear.columns[own])
        """States that the outputs depend on."""
        place = np.zeros(session.built.states, dtype=int)
        place[self.states] = np.arange(len(self.states))
        self._entries, self._rows, self._columns = np.flatnonzero(own), self._linear.rows[own], place[self._linear.columns[own]]
        self._plan()

    def _plan(self) -> None:
        parts, dependences = self._session.built.parts, self._linear.dependences
        number = {address: i for i, address in enumerate(self._linear.order)}
        self._kept = np.zeros(len(number))
        self._direct: list[tuple[int, int]] = []
        """Places of states that are used directly."""
        level: dict[Address, int] = {}
        calls: dict[tuple[int, int], tuple[dict[int, Sequence[Address]], list[Address]]] = defaultdict(lambda: ({}, []))
        moved = {address.part for address in self._linear.order if parts[address.part].states}
        for address in self._linear.order:
            sources = {d.known: d.sources for d in dependences[address] if d.sources}
            level[address] = 1 + max((level[s] for each in sources.values() for s in each), default=-1)
            part = parts[address.part]
            if address.reference in part.states:
                self._direct.append((number[address], part.first_state + part.states.index(address.reference)))
                continue
            inputs, outputs = calls[level[address], address.part]
            inputs.update(sources)
            outputs.append(address)
        self._moved = [_Moved(self._session, i) for i in sorted(moved)]
        self._calls = [
            _Call(self._session, part, inputs, outputs, number)
            for (_, part), (inputs, outputs) in sorted(calls.items(), key=lambda c: c[0])
        ]
        self._answers = np.array([number[a] for a in self.wanted], dtype=int)

    def values(self, x: np.ndarray) -> np.ndarray:
        """Returns the outputs at some states, and leaves the instances concerned there."""
        for moved in self._moved:
            moved.to(x)
        for place, state in self._direct:
            self._kept[place] = x[state]
        for call in self._calls:
            call.ask(self._kept)
        return self._kept[self._answers]

    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the rows and the states of derivatives that can differ from zero."""
        return self._rows, self.states[self._columns]

    def gradients(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns rows, places among ``states``, and derivatives at the instances' present states."""
        return self._rows, self._columns, self._linear.values()[self._entries]


class _Moved:
    """An instance that is moved to its states."""

    def __init__(self, session: Session, index: int) -> None:
        part, self._session, self._index = session.built.parts[index], session, index
        self._states = slice(part.first_state, part.first_state + len(part.states))
        instance = session.instances[index]
        self._move, self._values = instance.library.instance_move_states, instance.library.kept(np.zeros(len(part.states)))
        self._arguments = instance.handle, pointer(self._values), len(self._values)

    def to(self, x: np.ndarray) -> None:
        self._values[:] = x[self._states]
        _check(self._session, self._index, self._move(*self._arguments))


class _Call:
    """An instance that is given inputs and returns outputs."""

    def __init__(
        self,
        session: Session,
        index: int,
        inputs: dict[int, Sequence[Address]],
        outputs: Sequence[Address],
        number: dict[Address, int],
    ) -> None:
        self._session, self._index = session, index
        self._places = np.array([number[s] for each in inputs.values() for s in each], dtype=int)
        self._starts = np.cumsum([0, *(len(each) for each in inputs.values())])[:-1]
        self._answers = np.array([number[a] for a in outputs], dtype=int)
        handle, self._library = session.instances[index].handle, session.instances[index].library
        arrays = [np.array(list(inputs), dtype=np.uintc), np.array([a.reference for a in outputs], dtype=np.uintc)]
        self._arrays = [self._library.kept(each) for each in arrays]
        self._given, self._got = (self._library.kept(np.zeros(len(each))) for each in arrays)
        types = {a.type for a in outputs}
        self._set = (handle, 0, pointer(self._arrays[0]), len(inputs), pointer(self._given)) if inputs else None
        self._get = (handle, types.pop() if len(types) == 1 else 0, pointer(self._arrays[1]), len(outputs), pointer(self._got))

    def ask(self, kept: np.ndarray) -> None:
        if self._set:
            self._given[:] = np.add.reduceat(kept[self._places], self._starts)
            _check(self._session, self._index, self._library.instance_set(*self._set))
        _check(self._session, self._index, self._library.instance_get(*self._get))
        kept[self._answers] = self._got


def _check(session: Session, index: int, status: int) -> None:
    if status > WARNING:
        said, name = session.instances[index].message, session.built.parts[index].name
        raise InitialStateError(
            f"the start cannot be assembled: '{name}' cannot be evaluated{f': {said}' if said else ''}; give start values nearer to an assembled state"
        )


class Positions:
    """States that may move, and the form of their moves: attitudes turn, all others are added to."""

    def __init__(self, session: Session, concerned: Collection[int], held: np.ndarray) -> None:
        """Takes the states that matter, ``concerned``; ``held`` says of each state whether it stays."""
        self.session, self.count = session, session.built.states
        gauge = set(session.built.gauge)
        moving = np.zeros(self.count, dtype=bool)
        moving[[i for i in concerned if i not in gauge]] = True
        self.fours = []
        for _, q in turns_of(session):
            four = np.arange(q, q + 4)
            if moving[four].any() and not held[four].any():
                self.fours.append(four)
            moving[four] = False
        self.plain = np.flatnonzero(moving & ~held)
        parts = session.built.parts
        self._first_states = [part.first_state for part in parts]
        units = [part.fmu.by_reference[reference].unit or "" for part in parts for reference in part.states]
        self.turns = np.array([units[i] == "rad" for i in self.plain] + [True] * 3 * len(self.fours), dtype=bool)
        """Marks of the moves that are angles: moves of plain states, and then three for each quaternion."""
        self.moves = len(self.turns)
        self.size = size_of(session)
        self.scale = np.where(self.turns, 1.0, self.size)
        self.part = np.array([self._part_of(i) for i in (*self.plain, *(four[0] for four in self.fours for _ in range(3)))], dtype=int)
        """The instance of each move."""

    def _part_of(self, state: int) -> int:
        return bisect_right(self._first_states, state) - 1

    def label(self, move: int) -> str:
        """Returns a move's name: that of its state, or of the body that turns."""
        plain = len(self.plain)
        if move < plain:
            return self.session.label(int(self.plain[move]))
        name = self.session.label(int(self.fours[(move - plain) // 3][0]))
        return f"{name.rpartition('.')[0]} about {'xyz'[(move - plain) % 3]}"

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Returns the states after moves, of which attitudes are turns about absolute axes."""
        x, plain = x.copy(), len(self.plain)
        x[self.plain] += step[:plain]
        for i, four in enumerate(self.fours):
            turn = step[plain + 3 * i : plain + 3 * i + 3]
            angle = float(np.linalg.norm(turn))
            if angle > 0:
                q = np.cos(angle / 2) * x[four] + np.sin(angle / 2) * 2 / angle * turning(x[four]) @ turn
                x[four] = q * (np.linalg.norm(x[four]) / np.linalg.norm(q))
        return x

    def between(self, x: np.ndarray, origin: np.ndarray) -> np.ndarray:
        """Returns the moves that lead from some states to others."""
        turns = [_turn(x[four], origin[four]) for four in self.fours]
        return np.concatenate([x[self.plain] - origin[self.plain], *turns])

    def tangent(self, states: np.ndarray, moves: np.ndarray) -> _Tangent:
        """Returns the derivatives of some states by some moves."""
        return _Tangent(self, states, moves)


class _Tangent:
    def __init__(self, positions: Positions, states: np.ndarray, moves: np.ndarray) -> None:
        row, column = {int(s): i for i, s in enumerate(states)}, {int(m): i for i, m in enumerate(moves)}
        found = [(row[int(s)], column[i]) for i, s in enumerate(positions.plain) if int(s) in row and i in column]
        self._fours: list[tuple[np.ndarray, tuple[np.ndarray, ...], int]] = []
        for number, four in enumerate(positions.fours):
            first = len(positions.plain) + 3 * number
            axes = [axis for axis in range(3) if first + axis in column]
            parts = [i for i, s in enumerate(four) if int(s) in row]  # a guess may name some of the four
            if parts and axes:
                self._fours.append((four, np.ix_(parts, axes), len(found)))
                found += [(row[int(four[i])], column[first + axis]) for i in parts for axis in axes]
        self._rows, self._columns = np.array(found, dtype=int).reshape(-1, 2).T
        self._values = np.ones(len(found))
        self.shape = len(states), len(moves)

    def at(self, x: np.ndarray) -> scipy.sparse.csr_array | np.ndarray:
        for four, entries, first in self._fours:
            found = turning(x[four])[entries].ravel()
            self._values[first : first + len(found)] = found
        if self.shape[1] > MANY:
            return scipy.sparse.csr_array((self._values.copy(), (self._rows, self._columns)), shape=self.shape)
        dense = np.zeros(self.shape)
        dense[self._rows, self._columns] = self._values
        return dense


def _turn(q: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Returns the turn of at most half a revolution about absolute axes that leads from one attitude to another, in rad."""
    length = np.linalg.norm(q) * np.linalg.norm(origin)
    sine, cosine = 2 * turning(origin).T @ q / length, float(q @ origin / length)
    size = float(np.linalg.norm(sine))
    return sine * np.copysign(2.0, cosine) if size < 1e-12 else sine * (2 * np.arctan2(size * np.sign(cosine or 1), abs(cosine)) / size)


def size_of(session: Session) -> float:
    """Returns the largest distance in m between two ports of one body, where the ground is one body as well. Without ports it is 1 m."""
    largest, ground = 0.0, []
    for index, part in enumerate(session.built.parts):
        points = list(_points(session, index))
        if part.states:
            largest = max([largest, *(float(np.linalg.norm(a - b)) for a, b in combinations(points, 2))])
        else:
            ground += points
    if ground:
        largest = max(largest, float(np.linalg.norm(np.ptp(np.array(ground), axis=0))))
    return largest or 1.0


def _points(session: Session, index: int) -> Iterator[np.ndarray]:
    """Yields the places in m of an instance's ports that have position outputs."""
    fmu = session.built.parts[index].fmu
    for terminal in fmu.terminals.values():
        names = [terminal.members.get(axis) for axis in "xyz"]
        given = [name for name in names if name and fmu.variables[name].causality == "output" and fmu.variables[name].unit == "m"]
        if len(given) >= 2:
            point = values_of(session, [session.built.address(index, name) for name in given])
            yield np.append(point, np.zeros(3 - len(point)))
