"""Report on an assembled pose: how it was chosen, its freedoms and its redundant joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import scipy

from coupling.analysis.closing import ENOUGH, closed, dense, null_space
from coupling.analysis.coordinates import state_addresses
from coupling.analysis.pose import AssembledPose, Pose
from coupling.analysis.search import DOUBTFUL, Assembled, Assembly
from coupling.errors import listed

_RANK, _ASIDE, _DEAD = 1e-9, 1e-3, 1e-3
_TOLD = 1e-6
_GAP = 0.5
"""Least difference of a coordinate, in rad or sizes, that distinguishes two poses."""
_MANY = 400


def pose_of(found: Assembled) -> Pose:
    """Returns the pose with its alternatives, each a pose of its own."""
    session, assembly = found.assembly.session, found.assembly
    names = [session.named(a.part, a.reference) for a in state_addresses(session)]
    variables = [session.built.parts[a.part].fmu.by_reference[a.reference] for a in state_addresses(session)]
    units = {name: variable.unit or "" for name, variable in zip(names, variables, strict=True)}
    units |= {
        t.name: session.built.parts[t.row.address.part].fmu.by_reference[t.row.address.reference].unit or ""
        for t in (*assembly.targets, *assembly.quick)
    }
    telling = list(_telling(found))
    warnings = list(warnings_of(found, telling))
    freedoms, redundant, notes = rank_of(assembly, found.x)

    def made(x: np.ndarray, branch: str, margin: float, others: tuple[Pose, ...], said: Sequence[str], quick: Mapping[str, float]) -> Pose:
        x_of = dict(zip(names, map(float, x), strict=True))
        values = dict(
            zip([t.name for t in assembly.targets], assembly.values_at([t.row.address for t in assembly.targets], x), strict=True)
        )
        moved = {t.name: float(t.row.difference(values[t.name])) for t in assembly.soft}
        held = {
            name: x_of[name]
            for i, name in enumerate(names)
            if assembly.held[i] and i not in session.built.gauge and i in assembly.concerned
        }
        held |= {t.name: values[t.name] for t in assembly.targets if t.held}
        moved |= quick
        values |= {t.name: t.row.value + quick[t.name] for t in assembly.quick if t.name in quick}
        told = {name: value for name, value in values.items() if name not in x_of}
        more = AssembledPose(
            branch,
            held,
            moved,
            told,
            freedoms,
            redundant,
            margin,
            tuple(name for name, _ in telling),
            tuple(said),
            tuple(warnings),
            found.doubt,
        )
        return Pose(x_of, alternatives=others, assembled=more, units=units)

    others = tuple(made(each.x, each.branch, each.cost - found.cost, (), (), {}) for each in found.others)
    return made(found.x, found.branch, found.margin, others, (*_notes(found), *notes, *warnings), found.quickened)


def _notes(found: Assembled) -> Iterator[str]:
    """Yields notes on the distance of the pose from the guesses."""
    soft = found.assembly.soft
    if not soft:
        return
    values = found.assembly.values_at([t.row.address for t in soft], found.x)
    off = np.array([t.row.difference(v) for t, v in zip(soft, values, strict=True)])
    farthest = int(np.abs(off / [t.row.scale for t in soft]).argmax())
    target = soft[farthest]
    count = 1 + len(found.others)
    many = (
        f"{count}{'' if found.complete else ' or more'} poses fit the held values, and this one is nearest to the guesses"
        if count > 1
        else ""
    )
    if abs(off[farthest]) <= ENOUGH * target.row.scale:
        yield f"{many + '; ' if many else ''}all guesses are met"
        return
    unit = found.assembly.unit(target.row.address)
    yield (
        f"{many + '; t' if many else 'T'}he farthest guess moved is '{target.name}': by {off[farthest]:+.3g} {unit}, from {target.row.value:.4g} to "
        f"{values[farthest]:.4g}"
    )


def warnings_of(found: Assembled, telling: Sequence[tuple[str, float]] | None = None) -> Iterator[str]:
    """Yields a warning if another pose fits as well, or nearly so."""
    if not found.others or found.assembly.wish.branch is not None or found.doubt <= DOUBTFUL:
        return
    telling = list(_telling(found)) if telling is None else telling
    asked = f", or say branch='{found.branch}'" if found.branch else ""
    here = " and ".join(f"'{name}' ({value:.3g} here)" for name, value in telling) or "more of the bodies' angles"
    tell = f"guess {here}{asked}"
    if not found.assembly.soft:
        count = f"{1 + len(found.others)}{'' if found.complete else ' or more'}"
        yield (
            f"{count} poses fit your values, and no guess chooses among them: the pose with the least rotation from the start values was taken, branch "
            f"{found.branch or '(none)'}; {tell}, in assemble(guess=...) or add(..., guess=...)"
        )
        return
    other = found.others[0]
    yield (
        f"another pose fits nearly as well (branch {other.branch or '(none)'}, sum of squares {other.cost:.2g} against {found.cost:.2g}), and the probability "
        f"of this pose is {1 - found.doubt:.0%}: {tell}"
    )


def _telling(found: Assembled) -> Iterator[tuple[str, float]]:
    """Yields coordinates that distinguish the poses, with their values here, those first that distinguish most pairs."""
    assembly = found.assembly
    if not found.others:
        return
    candidates = assembly.freedoms or [a for i, a in enumerate(state_addresses(assembly.session)) if i in assembly.concerned]
    given = {t.row.address for t in assembly.targets}
    candidates = [a for a in candidates if a not in given]
    rows = [assembly.row(a) for a in candidates]
    values = np.array([assembly.values_at(candidates, x) for x in (found.x, *(o.x for o in found.others))]).T
    left = set(combinations(range(1 + len(found.others)), 2))
    for _ in range(4):
        split = [
            {pair for pair in left if abs(row.difference(v[pair[0]] - v[pair[1]] + row.value)) > _GAP * row.scale}
            for row, v in zip(rows, values, strict=True)
        ]
        best = max(range(len(rows)), key=lambda i: len(split[i]), default=None)
        if best is None or not split[best]:
            return
        address = candidates[best]
        yield assembly.session.named(address.part, address.reference), float(values[best, 0])
        left -= split[best]
        if not left:
            return


def rank_of(assembly: Assembly, x: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Returns the remaining freedoms, the joints with redundant constraints, and notes on the pose."""
    fit = assembly.fit
    if not assembly.positions.moves:
        return (), (), ()
    gradient = _gradient(assembly, x)
    left, sizes, right = np.linalg.svd(gradient) if gradient.size else (np.zeros((0, 0)), np.zeros(0), np.eye(assembly.positions.moves))
    rank = int((sizes > _RANK * sizes.max(initial=0.0)).sum())
    free = right[rank:].T
    freedoms = tuple(_named(assembly, x, free))
    notes: list[str] = []
    redundant: tuple[str, ...] = ()
    surplus = len(fit.hard) - rank
    if surplus:
        null, twice = _divided(assembly, x, left[:, rank:])
        redundant = _joints(assembly, null)
        beside = _rank_beside(assembly, x, free)
        if beside > rank:
            count, others = len(free.T), len(free.T) - beside + rank
            where = f", at {listed(redundant)}" if redundant else ""
            notes.append(
                f"the pose is a singular one: {count} {'direction is' if count == 1 else 'directions are'} free there and {others} beside it"
                f"{where}; the direction of its motion is undetermined there{f'; {twice}' if twice else ''}"
            )
            redundant = ()
        else:
            said = [twice] if twice else []
            if count := null.shape[1]:
                said.append(f"{count} {'constraint repeats' if count == 1 else 'constraints repeat'} others, among {listed(redundant)}")
            left_over = fit.worst(x)
            said[-1] += f"; they disagree by {left_over:.2g}" if left_over > 1e-12 else ""
            notes += said
    elif rank and sizes[rank - 1] < _DEAD * sizes[0]:
        notes.append("the mechanism is close to a dead point: small changes of held values move it far")
    if freedoms:
        notes.append(
            f"{len(freedoms)} {'freedom is' if len(freedoms) == 1 else 'freedoms are'} left beside the values that you held: {listed(freedoms)}"
        )
    return freedoms, redundant, tuple(notes)


def _gradient(assembly: Assembly, x: np.ndarray) -> np.ndarray:
    assembly.fit.values(x)
    return dense(assembly.fit.gradients(x)[0])


def _divided(assembly: Assembly, x: np.ndarray, null: np.ndarray) -> tuple[np.ndarray, str]:
    """Returns the combinations of constraints that vanish even if no state is held, and a sentence on held states that joints give as well.

    The sentence is empty if no other combination vanishes.
    """
    released = assembly.released()
    by_all = null.T @ _gradient(released, x) if released else np.zeros((null.shape[1], 0))
    turned, sizes, right = np.linalg.svd(by_all)
    count = int((sizes > _TOLD).sum())
    if not released or not count:
        return null, ""
    taken = np.flatnonzero(np.abs(right[:count]).max(axis=0) > _TOLD).tolist()
    names = list(dict.fromkeys(released.positions.label(i) for i in taken))
    joints = listed(_joints(assembly, null @ turned[:, :count]))
    kind = "held value" if {*names} <= {*assembly.wish.hold} else "start value"
    said = f"{count} of the {kind}s {listed(names)} {'follows' if count == 1 else 'follow'} from the others and from {joints}"
    if count == len(names):
        said = f"{listed(names)} {'is' if count == 1 else 'are'} given twice: as {'a ' * (count == 1)}{kind}{'s' * (count > 1)} and by {joints}"
    return null @ turned[:, count:], said


def _joints(assembly: Assembly, null: np.ndarray) -> tuple[str, ...]:
    """Returns the joints whose constraints take part in combinations."""
    parts, taken = assembly.session.built.parts, np.abs(null).max(axis=1, initial=0.0) > _TOLD
    return tuple(dict.fromkeys(parts[row.address.part].name for row, each in zip(assembly.fit.hard, taken, strict=True) if each))


def _rank_beside(assembly: Assembly, x: np.ndarray, free: np.ndarray) -> int:
    """Returns the rank of the constraints a little further along the free directions."""
    best = 0
    for seed in range(2 if free.shape[1] else 0):
        along = free @ np.random.default_rng(seed).normal(size=free.shape[1])
        y, met = closed(assembly.fit, assembly.fit.moved(x, _ASIDE * along / np.linalg.norm(along)))
        if met:
            sizes = np.linalg.svd(_gradient(assembly, y), compute_uv=False)
            best = max(best, int((sizes > _RANK * sizes.max(initial=0.0)).sum()))
    return best


def _named(assembly: Assembly, x: np.ndarray, free: np.ndarray) -> Iterator[str]:
    """Yields one name for each free direction: that of a joint coordinate if it describes the direction, otherwise that of a state."""
    if not free.shape[1]:
        return
    chosen, left = list[str](), free
    candidates = []
    if assembly.freedoms and assembly.positions.moves <= _MANY:
        names = [assembly.session.named(a.part, a.reference) for a in assembly.freedoms]
        candidates.append((names, assembly.coordinate_gradients(x)))
    candidates.append(([assembly.positions.label(i) for i in range(assembly.positions.moves)], np.eye(assembly.positions.moves)))
    for names, rows in candidates:
        if left.shape[1]:
            triangle, order = scipy.linalg.qr((rows @ left).T, mode="r", pivoting=True)
            sizes = np.abs(np.diag(triangle))
            taken = order[: int((sizes > _TOLD * max(1e-300, sizes.max(initial=0.0))).sum())]
            chosen += [names[i] for i in sorted(taken)]
            left = left @ null_space((rows @ left)[taken])
    yield from chosen
