"""Quantities that leave the range in which their component describes what happens, such as a pressure below zero or an empty battery."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from coupling.fmus import FmuVariable
from coupling.kernel.system.kernel import BOUND
from coupling.live.created_energy import TOLERABLE, created_energy
from coupling.live.gravity import parameter_value
from coupling.live.session import Session
from coupling.live.violations import finer_coupling
from coupling.plan.graph import Address
from coupling.record import Record

_SLACK = 1e-6
"""The share of a quantity's nominal value by which it may leave its range without a warning."""

_GROWN = 100
"""Multiple of a quantity's nominal value from which an unstable coupling may be the cause, beside a load."""


def watch_bounds(session: Session) -> None:
    """Makes the kernel record at accepted steps by how much states of this library's components are out of their ranges."""
    found = session.program.bounded_states
    if found:
        session.kernel.watch_bounds(_rows(session, found))


def watch_points(session: Session) -> None:
    """Makes the kernel record the same at communication points, also of states inside Co-Simulation instances.

    Values of these instances have limits, beyond which the run ends, as those of states have.
    """
    found, limits = _rows(session, _watched(session)), _limits(session)
    if len(found) + len(limits):
        session.kernel.watch_points(np.concatenate([found, limits]), len(limits))
        session.kernel.note_point()


def _limits(session: Session) -> np.ndarray:
    """Returns a range for each value of Co-Simulation instances that is read at communication points, from its size at the start."""
    factor, limited = session.run.value_limit, session.program.limited
    rows = np.zeros(len(limited) if factor else 0, dtype=BOUND)
    for row, (address, slot) in zip(rows, limited.items(), strict=False):
        row["slot"], row["high"] = slot, factor * max(_variable(session, address).nominal, abs(session.kernel.slots[slot]), 1.0)
        row["low"] = -row["high"]
    return rows


def _watched(session: Session) -> dict[Address, int]:
    """Returns the slots that are watched at communication points; those that are watched at steps come first."""
    return session.program.bounded_states | dict(session.program.at_points)


class _Left(NamedTuple):
    """The way in which a quantity has left its range."""

    off: float
    worst: float
    first: float
    when: float


def out_of_bounds(session: Session, record: Record) -> Iterator[str]:
    """Returns a sentence for each of these quantities: the first time, and the worst value, among what was noted and what rows say."""
    found = {}
    for address, (*_, slack, off, worst, first, when) in zip(_watched(session), session.kernel.bounds.tolist(), strict=False):
        if off > slack:
            found[address] = _Left(off, worst, first, when)
    for address, there in _in_rows(session, record):
        noted = found.get(address, there)
        found[address] = max(noted, there)._replace(first=min(noted.first, there.first))
    for address, left in found.items():
        yield _sentence(session, address, left)


def _in_rows(session: Session, record: Record) -> Iterator[tuple[Address, _Left]]:
    for index, name in session.program.bounded if len(record.rows) else ():
        part = session.built.parts[index]
        variable, full = part.fmu.variables[name], f"{part.name}.{name}"
        column = session.program.column_of.get(full)
        values = record.drawn.get(full) if column is None else record.rows[:, column]
        if values is None:
            continue
        off = np.maximum(variable.minimum - values, values - variable.maximum)
        off[np.isnan(off)] = -np.inf
        worst = int(off.argmax())
        if off[worst] > (slack := _SLACK * variable.nominal):
            first = int((off > slack).argmax())
            times = float(record.rows[first, 0]), float(record.rows[worst, 0])
            yield Address(index, 0, variable.reference), _Left(float(off[worst]), float(values[worst]), *times)


def _variable(session: Session, address: Address) -> FmuVariable:
    return session.built.parts[address.part].fmu.by_reference[address.reference]


def _rows(session: Session, found: dict[Address, int]) -> np.ndarray:
    rows = np.zeros(len(found), dtype=BOUND)
    for row, (address, slot) in zip(rows, found.items(), strict=True):
        variable = _variable(session, address)
        slack = _SLACK * variable.nominal
        row["slot"], row["low"], row["high"], row["slack"], row["off"] = slot, variable.minimum, variable.maximum, slack, slack
    return rows


def _beyond(session: Session, part: int, variable: FmuVariable, worst: float) -> str:
    """Returns the sentence of a variable with its values: percent, value, times, parameters, and value or bound times a parameter."""
    owner, _, _ = variable.name.rpartition(".")

    def filled(found: re.Match[str]) -> str:
        of, name = found.groups()
        size = parameter_value(session, part, f"{owner}.{name}" if owner else name)
        factor = {"value": worst, "bound": variable.maximum}.get(of, 1.0)
        digits = 1 if of == "bound" else 2
        return f"{float(f'{factor * size:.{digits}g}'):g}"

    said = variable.beyond.replace("{percent}", f"{100 * worst:.0f} %").replace("{value}", f"{worst:.3g}")
    if variable.maximum > 0:
        said = said.replace("{times}", str(math.ceil(worst / variable.maximum)))
    return re.sub(r"\{(?:(value|bound)\*)?(\w+)\}", filled, said)


def _sentence(session: Session, address: Address, left: _Left) -> str:
    part, variable = session.built.parts[address.part], _variable(session, address)
    limit = f"at least {variable.minimum:g}" if left.worst < variable.minimum else f"at most {variable.maximum:g}"
    if variable.beyond and left.worst > variable.maximum:
        return f"'{f'{part.name}.{variable.name}'.rpartition('.')[0]}' {_beyond(session, address.part, variable, left.worst)}"
    unit, step = f" {variable.unit}" if variable.unit else "", session.run.communication_step
    remedy = "change the loads, or connect a component that keeps it in range"
    if step is not None and abs(left.worst) > _GROWN * max(variable.nominal, 1.0):
        unstable, (_, share) = f"unstable at communication_step = {step:g} s", created_energy(session)
        if share > TOLERABLE:
            remedy = f"the coupling is probably {unstable}; {finer_coupling(session, stable=False)}"
        else:
            remedy += f"; if a smaller step gives another value, the coupling is {unstable}"
    return (
        f"'{part.name}.{variable.name}' leaves the range in which {part.fmu.model_name} describes it ({limit}{unit}) at t = {left.first:.6g} s, "
        f"and is {left.worst:.4g}{unit} at t = {left.when:.6g} s: values that follow from it are not physical; {remedy}"
    )
