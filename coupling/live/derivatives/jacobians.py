"""The Jacobians of a session's loops: what has to be asked of which instance, and how the answers are put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from coupling.errors import StartError
from coupling.kernel.fmi.instance import STATUS, WARNING
from coupling.kernel.linear.linear import elimination_order
from coupling.kernel.rows.rows import RowBuilder
from coupling.live.failures import reason
from coupling.live.session import Session
from coupling.plan.cycles import joints_and_cycles
from coupling.plan.graph import Address
from coupling.plan.jacobian import CallKind, build_jacobian, build_shortcut
from coupling.plan.projection import refuse


def add_jacobians(session: Session) -> None:
    """Builds the Jacobian of each loop into the kernel, with derivatives that are constant as numbers; once for each session."""
    if session.has_jacobians:
        return
    builder, moved = RowBuilder.of(session.program.rows), set[int]()
    for number in range(len(session.schedule.loops)):
        moved |= _add(session, builder, number)
    if session.built.reading:
        _add_motions(session, builder, moved)
    session.add_jacobians(builder.rows())


def _add_motions(session: Session, builder: RowBuilder, moved: set[int]) -> None:
    """Adds to the rows which state is the rate of which. Refuses a velocity that constraints of positions move, where its position is not
    known."""
    motions = {velocity: state for state, velocity in motions_of(session)}
    for velocity, state in motions.items():
        builder.add_motion(state, velocity)
    turns = list(turns_of(session))
    for omega, q in turns:
        builder.add_turn(omega, q)
    assert session.built.reading
    lost = min(moved - motions.keys() - {omega + axis for omega, _ in turns for axis in range(3)}, default=None)
    if lost is not None and any(held.position is not None for held in session.built.reading.constraints):
        part = session.built.part_of_state(lost)
        index = session.built.parts.index(part)
        address = Address(index, 0, part.states[lost - part.first_state])
        refuse(session.schedule.graph, address, "is not the rate of a state, and no position can be moved along with it")


def motions_of(session: Session) -> Iterator[tuple[int, int]]:
    """States whose derivative is another state of their instance, as the instances say."""
    for index, part in enumerate(session.built.parts):
        place = {reference: i for i, reference in enumerate(part.states)}
        for i, derivative in enumerate(part.structure.derivatives if part.states else ()):
            known = [r for r, _ in derivative.dependencies or ()]
            if len(known) == 1 and known[0] in place and part.interface.directional_derivatives:
                status, (value,) = session.instances[index].directional([derivative.reference], known[0])
                check_status(session, index, status, "differentiating")
                if value == 1:
                    yield part.first_state + i, part.first_state + place[known[0]]


def turning(q: np.ndarray) -> np.ndarray:
    """Returns the matrix that maps an angular velocity about absolute axes to the rates of the quaternion q."""
    q0, q1, q2, q3 = q
    return np.array([[-q1, -q2, -q3], [q0, q3, -q2], [-q3, q0, q1], [q2, -q1, q0]]) / 2


def turns_of(session: Session) -> Iterator[tuple[int, int]]:
    """Yields the first states of angular velocities and of the quaternions that they turn, known by names and by the rates that the
    instances give."""
    for index, part in enumerate(session.built.parts):
        if not (part.states and part.interface.directional_derivatives):
            continue
        names = [part.fmu.by_reference[reference].name for reference in part.states]
        for q in [i for i, name in enumerate(names) if name.endswith("q0")]:
            whole = names[q].removesuffix("q0")
            omega = names.index(f"{whole}omegax") if f"{whole}omegax" in names else len(names)
            if names[q : q + 4] + names[omega : omega + 3] != [f"{whole}{each}" for each in _TURNING]:
                continue
            rates = [part.structure.derivatives[q + i].reference for i in range(4)]
            found = np.zeros((4, 3))
            for axis in range(3):
                status, values = session.instances[index].directional(rates, part.states[omega + axis])
                check_status(session, index, status, "differentiating")
                found[:, axis] = values
            present = 2 * np.array([found[1, 0], *-found[0]])
            if np.abs(found - turning(present)).max() < _SAME < np.linalg.norm(present):
                yield part.first_state + omega, part.first_state + q


_TURNING = ("q0", "q1", "q2", "q3", "omegax", "omegay", "omegaz")
_SAME = 1e-9
"""Relative difference below which rates of a quaternion are the same."""


class StartRefused(StartError):
    """An instance did not do what it was told at the start."""

    def __init__(self, instance: str, text: str) -> None:
        super().__init__(text)
        self.instance = instance


def check_status(session: Session, index: int, status: int, action: str) -> None:
    """Refuses a start at which an instance did not do what it was told."""
    if status > WARNING:
        part = session.built.parts[index]
        said = session.instances[index].message
        what = f"'{part.name}' ({part.fmu.model_name}) returned '{STATUS[status]}' when {action}"
        raise StartRefused(part.name, what + reason(part, said))


def _add(session: Session, builder: RowBuilder, number: int) -> set[int]:
    """Returns the states that projection moves by what the loop solves for."""
    schedule = session.schedule
    graph, loop = schedule.graph, schedule.loops[number]

    def constant(part: int, unknowns: Sequence[int], known: int) -> Sequence[float]:
        status, values = session.instances[part].directional(unknowns, known)
        check_status(session, part, status, "differentiating")
        return [float(value) for value in values]

    reading = session.built.reading
    jacobian = build_jacobian(graph, loop, constant, reading.states if reading else ())
    for call in jacobian.calls:
        known = call.knowns[0]
        variable = graph.parts[call.part].fmu.by_reference[known.reference]
        builder.add_derivative(
            number,
            call.kind,
            call.part,
            at_events=call.at_events and not session.shares,  # events may have happened in the other session
            unknowns=[a.reference for a in call.unknowns],
            knowns=[a.reference for a in call.knowns],
            seed=[1.0] * len(call.unknowns if call.kind is CallKind.ADJOINT else call.knowns),
            first=call.first,
            unknown_slots=call.slots or [schedule.slot[a] for a in call.unknowns],
            known_slot=0 if call.slots else schedule.slot[known],
            nominal=abs(variable.nominal),
        )
    builder.set_joints(number, *joints_and_cycles(graph, loop))
    mobility = jacobian.mobility
    if mobility.states:
        builder.set_mobility(number, mobility.first, mobility.states, mobility.row_start, mobility.columns)
    order = elimination_order(np.array(jacobian.row_start), np.array(jacobian.columns))
    shortcut = build_shortcut(schedule, loop, jacobian) if session.program.shortcuts else None
    if shortcut:
        builder.set_shortcut(number, loop.first_row, shortcut.counts, shortcut.unknowns, shortcut.targets, shortcut.rows)
    builder.set_jacobian(number, jacobian.terms, jacobian.sums, jacobian.row_start, jacobian.columns, order)
    return set(mobility.states)
