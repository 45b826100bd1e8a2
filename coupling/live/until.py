"""The condition that ends a run early: an expression of recorded names, or a function of recorded values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coupling.checks import is_number
from coupling.errors import BuildError, shown
from coupling.kernel.runs.until import end_by_formula, end_by_function
from coupling.live.session import Session
from coupling.names import nearest
from coupling.options.condition import margin, named, parsed
from coupling.outcome import KEPT, Ending, Outcome
from coupling.plan.formulas import depth, program

_DEEPEST = 256
"""Size of the kernel's stack."""


def watch_until(session: Session) -> None:
    """Gives the kernel the condition that ends the run, if there is one; refuses names that are not recorded."""
    until = session.run.until
    if until is None:
        return
    if callable(until):
        end_by_function(session.kernel, _guarded(session, until))
        return
    places = {"time": 0, **session.program.column_of}
    tree = named(parsed(until), lambda name, alone: _place(session, places, name, alone))
    if depth(tree) > _DEEPEST:
        raise BuildError(f"until = {shown(until)} is refused: it has too many operands inside each other; give a function")
    end_by_formula(session.kernel, program(tree), program(margin(tree)))


def columns_of_until(session: Session) -> set[int]:
    """Returns the places in a row of the values on which the condition depends; none if it is a function."""
    found: set[int] = set()
    if isinstance(session.run.until, str):
        places = {"time": 0, **session.program.column_of}

        def note(name: str, alone: bool) -> float:
            found.add(places[name])
            return 0.0

        named(parsed(session.run.until), note)
    return found


def _place(session: Session, places: Mapping[str, int], name: str, alone: bool) -> float:
    """Returns the place in a row of a recorded value; ``alone`` is true where the value itself is a condition."""
    if name not in places:
        remedy = nearest(name, places) or "name it in outputs"
        raise BuildError(f"until = {shown(session.run.until)} is refused: {shown(name)} is not recorded; {remedy}")
    place = places[name]
    recorded = session.program.recorded
    address = recorded[place - 1] if 0 < place <= len(recorded) else None
    variable = session.built.parts[address.part].fmu.by_reference.get(address.reference) if address else None
    if session.program.columns[place - 1].type in ("String", "Binary") if place else False:
        raise BuildError(f"until = {shown(session.run.until)} is refused: '{name}' is a text; compare numbers")
    if alone and (variable is None or variable.type != "boolean"):
        raise BuildError(f"until = {shown(session.run.until)} is refused: '{name}' is a number; compare it, such as {name} > 0.5")
    return float(place)


def _guarded(session: Session, until: Callable[[Mapping[str, float]], Any]) -> Callable[[np.ndarray], float]:
    """Returns a function for the kernel, which cannot pass exceptions on: they are kept, and the value is not a number."""
    names, running = ("time", *session.program.column_of), session.running

    def call(row: np.ndarray) -> float:
        if running.raised is None:
            values = dict(zip(names, row.tolist(), strict=False))
            try:
                found = until(values)
                if isinstance(found, bool | np.bool_):
                    return 1.0 if found else -1.0
                if is_number(found) and not math.isnan(found):
                    return float(found)
                raise BuildError(
                    f"the function until returned {shown(found)} at t = {values['time']:.9g} s; return True where the run is to end, or a number "
                    "that becomes positive there"
                )
            except BaseException as error:
                error.add_note(f"raised by the function until, called at t = {values['time']:.9g} s")
                running.fail(error)
        return math.nan

    return call


def told(until: object) -> str:
    """Returns a condition as sentences name it."""
    return (
        f"until = {shown(until)}" if isinstance(until, str) else f"the function until ({getattr(until, '__name__', type(until).__name__)})"
    )


def until_met(session: Session, t: float) -> Outcome:
    """Returns the outcome of a run that its condition has ended at a time."""
    run = session.run
    if t > run.start_time:
        return Outcome(Ending.UNTIL, f"ended at t = {t:.9g} s by {told(run.until)}")
    return Outcome(
        Ending.UNTIL,
        f"ended at its start, t = {t:.9g} s, by {told(run.until)}, which holds there already; start elsewhere, or ask for something later. {KEPT}",
    )


def never_met(session: Session, outcome: Outcome) -> str:
    """Returns a note on a condition that a completed run has never met."""
    until = session.run.until
    return f"{told(until)} never held; the run went on to its stop time" if until is not None and outcome.completed else ""
