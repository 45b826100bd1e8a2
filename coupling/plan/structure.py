"""A digest of everything from which the equations of a system follow: FMUs, connections, and what is solved for. It depends neither on
names of instances nor on values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from coupling.plan.graph import Address, Part
from coupling.plan.projection import Reading
from coupling.plan.schedule import Schedule


def structure_of(parts: Sequence[Part], schedule: Schedule, reading: Reading | None) -> str:
    """Returns the digest, which is the same for systems that differ in the order of their connections alone."""
    files = {part.fmu: i for i, part in enumerate(parts)}
    told = [
        [(i, fmu.sha256, sorted(fmu.structural.items()), fmu.views) for fmu, i in files.items()],
        [(files[part.fmu], part.kind, part.first_state) for part in parts],
        sorted((tuple(target), number) for target, number in schedule.graph.drives.items()),
        [(len(loop.unknowns), len(loop.residuals), loop.torn) for loop in schedule.loops],
        None if reading is None else [(each.loop, each.unknown, each.position, each.velocity) for each in reading.constraints],
    ]
    solved = _numbers(address for loop in schedule.loops for address in (*loop.unknowns, *loop.residuals))
    digest = hashlib.sha256(repr(told).encode())
    for numbers in (solved, _in_order(schedule.graph.wires)):
        digest.update(numbers.tobytes())
    return digest.hexdigest()


def _numbers(addresses: Iterable[Address]) -> np.ndarray:
    """Returns part, type and reference of each address; with many, texts would take ten times as long."""
    return np.fromiter(chain.from_iterable(addresses), np.int64).reshape(-1, len(Address._fields))


def _in_order(wires: Mapping[Address, Sequence[Address]]) -> np.ndarray:
    """Returns target and source of each wire, by targets; those of one target stay in their order."""
    targets, sources = _numbers(wires), _numbers(chain.from_iterable(wires.values()))
    pairs = np.hstack([np.repeat(targets, list(map(len, wires.values())), axis=0), sources])
    return pairs[np.lexsort(pairs[:, len(Address._fields) - 1 :: -1].T)]
