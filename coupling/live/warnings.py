"""Warnings on a run that went on: sentences on what makes its result doubtful.

``warnings`` calls the functions that need a session alone. ``coarse`` needs the recorded rows, and ``conclusion.judge`` calls it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from coupling.errors import listed
from coupling.live.created_energy import TOLERABLE, created_energy
from coupling.live.failures import CARRY, participants, uncarried
from coupling.live.fused import given_up, not_compiled
from coupling.live.gravity import different_gravities
from coupling.live.session import Session
from coupling.live.switched_failures import shares
from coupling.live.unwritten import sentences
from coupling.live.violations import finer_coupling
from coupling.options import Run
from coupling.plan.cosimulation.capabilities import degree
from coupling.plan.drives import PiecesDrive
from coupling.plan.graph import Address
from coupling.plan.smooth import leaves
from coupling.record import Record


def warnings(session: Session) -> list[str]:
    """Returns sentences on what makes a result doubtful."""
    found = [
        f"'{part.name}' ({part.fmu.path.name}) warns: {session.running.said[i]}"
        for i, part in enumerate(session.built.parts)
        if i in session.running.said
    ]
    for loop in range(len(session.schedule.loops)):
        found += [*sentences(_redundancy, session, loop, False), *sentences(_redundancy, session, loop, True)]
    for make in (different_gravities, _leaving, _far_apart, _less_than_declared, _created_energy, not_compiled, given_up):
        found += sentences(make, session)
    return found


def _lifted(session: Session, loop: int) -> bool:
    """Says whether constraints that seem to repeat each other in passing always do so and only differ by their violations. Without
    projection the two cases look alike."""
    always, passing = (participants(session, loop, passing)[0] for passing in (False, True))
    return not session.projects and bool(passing) and set(passing) <= set(always)


_PROJECTED = 0.01
"""The share of the greatest kinetic energy that projections may take out without a word."""


def coarse(session: Session, record: Record) -> list[str]:
    """Returns a warning on steps of fixed size after which velocities were far off the constraints."""
    energy = record.statistics.projected.get("energy", 0.0)
    if not energy:
        return []
    columns = [1 + i for i, each in enumerate(record.columns) if each.variable == "energy.kinetic"]
    greatest = record.rows[:, columns].sum(axis=1).max(initial=0.0) if columns else 0.0
    if not (columns and energy > _PROJECTED * greatest):
        return []
    return [
        f"the projections of velocities have taken out {energy:.3g} J, where the kinetic energy has been {greatest:.3g} J at most: the step of "
        f"{session.run.index3.step_size if session.run.index3 else 0:g} s is too large; choose a smaller step_size"
    ]


def _leaving(session: Session) -> Iterator[str]:
    """Yields a warning for each curve that leaves the range of its table."""
    for target, drive in session.built.drives:
        if isinstance(drive, PiecesDrive) and drive.within and (found := leaves(drive)):
            yield (
                f"the curve that drives '{session.named(target.part, target.reference)}' goes from {found[0]:.4g} to {found[1]:.4g}, and its table from "
                f"{drive.within[0]:.4g} to {drive.within[1]:.4g}; give more rows, or smooth=True, which stays between neighbours"
            )


def not_finite(session: Session, record: Record) -> str:
    """Returns a warning on outputs that feed nothing, of FMUs of other tools, and have values that are not finite; empty without them."""
    program, foreign, found = session.program, session.built.foreign, []
    for place, (column, address) in enumerate(zip(record.columns, program.recorded, strict=False), 1) if foreign else ():
        if address.part in foreign and address in program.recorded_apart:
            rows = np.flatnonzero(~np.isfinite(record.rows[:, place]))
            found += [f"'{column.name}' from t = {record.rows[rows[0], 0]:.9g} s on"] if len(rows) else []
    if not found:
        return ""
    return f"outputs that feed nothing were not finite numbers: {'; '.join(found[:5])}{f'; and {len(found) - 5} more' if len(found) > 5 else ''}"


_FEWEST_DIGITS = 1e-12
"""Size of a pivot that leaves four of the digits that double precision carries."""


def digits(pivot: float) -> int:
    """Returns how many decimal digits a pivot leaves of those that double precision carries."""
    return max(0, math.floor(16.5 + math.log10(pivot))) if 0 < pivot < math.inf else 0


def _far_apart(session: Session) -> str:
    """Returns a warning on bodies whose masses differ by more than double precision carries, or carries to the tolerance. The cause may
    also be a singular pose nearby, where pivots are as small as the square of the distance from it. Masses that make less than half of the
    decades of a pivot are not to blame."""
    pivot, light, heavy, ratio = session.kernel.worst_scaled()
    if light < 0 or not pivot < max(_FEWEST_DIGITS, 10 * sys.float_info.epsilon / session.run.rtol):
        return ""
    bodies = [session.built.part_of_state(state).name for state in (light, heavy)]
    one = bodies[0] == bodies[1]
    where = f"on '{bodies[0]}'" if one else f"between '{bodies[0]}' and '{bodies[1]}'"
    known = f"at most {digits(pivot)} digits are known"
    if ratio * ratio * pivot < 1:
        return (
            f"the run begins, or goes on after an event, so close to a singular pose that {known} "
            f"of the forces {where} there; start it farther away, or in the pose itself"
        )
    if one:
        return (
            f"the mass of '{bodies[0]}' and its moments of inertia are too far apart: {known} of the forces {where}; give it the moments "
            "of inertia of a body of its extent, or connect its neighbours directly"
        )
    return (
        f"the masses or moments of inertia of '{bodies[0]}' and '{bodies[1]}' are 1 to {ratio:.2g}: {known} of the forces between them; give the light body more "
        "mass, or connect its neighbours directly"
    )


def _smaller(run: Run) -> str:
    """Returns the option that makes the steps of a solver more accurate that ends them on the constraints."""
    return f"a smaller {'step_size' if run.index3 else 'rtol'} helps"


_BAUMGARTE_HELPS = "greater baumgarte.alpha and baumgarte.beta of these joints, such as 50, and a smaller rtol help"


def _redundancy(session: Session, number: int, passing: bool) -> str:
    count, time = session.kernel.deficient(number, passing)
    if not count or (passing and _lifted(session, number)):
        return ""
    names, open_ = participants(session, number, passing)
    loose = [] if passing else uncarried(session, number)
    if loose and len(loose) == len(open_):
        return _uncarried(session, loose, time)
    sentence = f"{count} constraint{' is' if count == 1 else 's are'} redundant at t = {time:.6g} s, among those of {listed(names)}; "
    shared = "" if passing else shares(session, open_, names)
    if shared:
        return sentence + shared
    if passing:
        return sentence + (
            "the mechanism passes a pose there from which more than one motion is "
            "possible, and the multipliers near it are uncertain: check the energy and the branch; "
            + (_smaller(session.run) if session.projects else _BAUMGARTE_HELPS)
        )
    return (
        sentence
        + f"of the multipliers that share the load ({listed(open_)}), the solution of least length is taken"
        + _replacement(session, count, names)
    )


_POINT = "planar.PointMass1"


def _uncarried(session: Session, loose: Sequence[Address], time: float) -> str:
    """Returns a warning on accelerations that are left open; that of a point with a frame and no extent does not matter."""
    parts, named = session.built.parts, session.built.named
    names = [named(a.part, a.reference) for a in loose if parts[a.part].fmu.model_name != _POINT]
    if not names:
        return ""
    return f"nothing carries {listed(names)} at t = {time:.6g} s: no mass and no joint determines this value; {CARRY}"


_HINGE = "spatial.Revolute"
_OF_PLANAR_LOOPS = {_HINGE, "spatial.ActuatedRevolute", "spatial.Prismatic", "spatial.ActuatedPrismatic", "spatial.Weld"}


def _replacement(session: Session, count: int, names: list[str]) -> str:
    """Returns what loops of hinges in space need to be free of redundancy. They have the three equations too many of planar loops, and no
    other joint takes part, such as wheels that roll."""
    joints = {p.name: p.fmu.model_name for p in session.built.parts if p.name in names}
    hinges = [name for name, model in joints.items() if model == _HINGE]
    loops, more = divmod(count, 3)
    if more or len(hinges) < 2 * loops or not _OF_PLANAR_LOOPS.issuperset(joints.values()):
        return ""
    return (
        f". To avoid this, replace {'one' if loops == 1 else 'in each loop one'} {_HINGE} by a spatial.Spherical and the next one by a "
        "spatial.Universal. One of its axes (x of M, y of N) is the axis of the hinge; the other, on the body between the two, is across the "
        f"line between them (hinges: {listed(hinges)}). The others stay"
    )


def _less_than_declared(session: Session) -> Iterator[str]:
    """Yields a warning on instances that cannot do what their model descriptions say, and on what the master did instead."""
    for number, index in enumerate(session.steppers):
        part = session.built.parts[index]
        name = f"'{part.name}' ({part.fmu.path.name})"
        if part.interface.event_mode and not session.instances[index].handles_events:
            yield f"{name} declares hasEventMode but refuses to be instantiated with it; it handles its events inside its steps"
        taken = session.kernel.taken_degree(number)
        if taken < degree(part):
            orders = "derivatives of inputs of order 1 alone" if taken else "no derivatives of inputs"
            yield f"{name} declares canInterpolateInputs but takes {orders}; its inputs {'are lines' if taken else 'keep their means'} over each step"


_UNSTABLE = 0.5
"""The share of the energy passed at a port above which coupling does not only create it but is unstable."""


def _created_energy(session: Session) -> str:
    """Returns a warning on the energy that coupling has created at a port. It says how far a co-simulation can be trusted."""
    port, share = created_energy(session)
    if math.isinf(share):
        return (
            f"the coupling has created energy without bound at '{port}': do not trust the result; {finer_coupling(session, stable=False)}"
        )
    if share <= TOLERABLE:
        return ""
    remedy = finer_coupling(session, stable=share < _UNSTABLE)
    return f"the coupling has created or lost {share:.0%} of the energy that passed at '{port}': do not trust the result; {remedy}"
