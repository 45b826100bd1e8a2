"""Absolute tolerances by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.fmi.instance import WARNING
from coupling.live.scales import scales_of_states
from coupling.live.session import Session
from coupling.names import matches, nearest
from coupling.options import Run
from coupling.plan.build import Built


def state_tolerances(session: Session, run: Run) -> np.ndarray:
    """Returns the absolute tolerance of each state: as given, or relative to its nominal value; infinite for gauge states, unless all are
    gauge states."""
    built = session.built
    if run.atol is not None and not isinstance(run.atol, Mapping) and not built.gauge:
        return np.full(built.states, run.atol, dtype=float)
    default = run.rtol * sizes(session)
    if run.atol is not None and not isinstance(run.atol, Mapping):
        default[:] = run.atol
    given = run.atol if isinstance(run.atol, Mapping) else {}
    found = given_tolerances(run, [session.label(slot) for slot in range(built.states)] if given else (), default)
    if built.gauge and len(built.gauge) < built.states:
        found[[slot for slot in built.gauge if session.label(slot) not in given]] = np.inf
    return found


def sizes(session: Session) -> np.ndarray:
    """Returns nominal values of all states; lengths and speeds without one of their own have that of the mechanism."""
    found = nominals(session)
    if session.length != 1:
        found[found == 1] *= scales_of_states(session)[found == 1]
    return found


def nominals(session: Session) -> np.ndarray:
    """Returns the nominal values of all states, as their instances say; those of this library say the same in each run."""
    return session.once("nominal values", lambda: _nominals(session)).copy() if session.together else _nominals(session)


def _nominals(session: Session) -> np.ndarray:
    found = np.ones(session.built.states)
    for part, instance in zip(session.built.parts, session.instances, strict=True):
        count = len(part.states)
        if count:
            status, told = instance.nominals(count)
            listed = [part.fmu.by_reference[reference].nominal for reference in part.states]
            found[part.first_state : part.first_state + count] = told if status <= WARNING else listed
    return np.where(found > 0, found, 1.0)


def given_tolerances(run: Run, names: Sequence[str], default: np.ndarray) -> np.ndarray:
    """Returns the default tolerances, except for names that a mapping holds or matches; of several keys that match, the last counts."""
    result = np.array(default, dtype=float)
    for pattern, value in run.atol.items() if isinstance(run.atol, Mapping) else ():
        result[[matches(name, pattern) for name in names]] = value
    return result


def check_names(run: Run, built: Built) -> None:
    """Refuses names and patterns that fit nothing which has a tolerance."""
    if not isinstance(run.atol, Mapping):
        return
    known = [
        built.named(i, reference)
        for i, part in enumerate(built.parts)
        for reference in (*part.fmu.states, *(part.fmu.dae.algebraic if part.fmu.dae else ()))
    ]
    for name in run.atol:
        if not any(matches(each, name) for each in known):
            hint = nearest(name, known) or "leave it out"
            raise BuildError(f"atol: '{name}' is neither a state nor an algebraic variable of the system; {hint}")
