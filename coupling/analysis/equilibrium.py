"""Equilibria: poses at which all accelerations, and all rates of states on which anything depends, vanish."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from coupling.analysis.coordinates import Chart, Coordinates, Gradients, chart, constraint_rows, state_addresses
from coupling.analysis.linear import follow_of, inputs_named, nominal_of
from coupling.analysis.linear_model import grows
from coupling.analysis.pose import Pose
from coupling.analysis.standing import Standing
from coupling.analysis.steady import ignorable, unsteady
from coupling.errors import AnalysisError, BuildError, listed
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.live.violations import constraints_at, described, values_of
from coupling.names import nearest
from coupling.options import TOLERANCE
from coupling.plan.graph import Address

_MOST_STEPS, _MOST_CLOSINGS, _IDLE, _NO_NEARER = 300, 30, 100, 8
_TURN, _PUSH = 0.3, 1e-3
"""Largest angle in rad that one step may turn, and the distance by which an unstable pose is left."""
_HASTE = 1.2
"""Least factor by which strides grow after an unstable pose, which starts the descent slowly."""
_SETTLED = 2.0
"""The same where deformations, which settle at once, make the first stride far too short for the other motions."""
_EXACT, _CLOSED, _BALANCED = 1e-13, 1e-11, 1e-8
_ROUNDED = 1e-15
"""Rounding of a sum, in parts of its terms."""
_STIFF = 1e-3
"""Share by which closing moves deformations, against places: a deformation that no force causes would be far from balance."""
_RESTS = 1e-6
"""Rates in nominal sizes below which a pose that was found counts as one at rest."""
_NEUTRAL, _AT_REST, _ROUNDING = 1e-9, 1e-9, 1e-20


def equilibrium(session: Session, hold: Sequence[str] = (), free: Sequence[str] = (), alternatives: bool = True) -> Pose:
    """Returns the equilibrium that is found from the session's present states. See ``System.equilibrium``."""
    search, off = Search(session, hold, free), unfitted(session)
    pose = replace(search.found(), remarks=off)
    if pose.stable or search.held or not alternatives:
        return pose
    return replace(pose, alternatives=tuple(search.left_for(pose)))


def rests(session: Session, hold: Sequence[str], free: Sequence[str]) -> bool:
    """Says whether the session's present states are an equilibrium, in the modes that are in force there."""
    search = Search(session, hold, free)
    return search.balanced_at(search.standing.x)


def unfitted(session: Session) -> tuple[str, ...]:
    """Returns a sentence on the joints that a start does not fit; empty if it fits all of them."""
    found = constraints_at(session, "position")
    values = values_of(session, found)
    off = np.abs(values) / scales(session, found)
    worst = int(off.argmax()) if len(off) else 0
    if not len(off) or not off[worst] > TOLERANCE:
        return ()
    joints = dict.fromkeys(session.built.parts[found[i].part].name for i in np.flatnonzero(off > TOLERANCE).tolist())
    return (
        f"the start did not fit {listed(joints)} ({described(session, found[worst], values[worst])}): the search began at the nearest pose that "
        "fits, and another branch of the mechanism may have another equilibrium; to choose, give initial=system.assemble(guess=...)",
    )


class Search:
    """Search in pseudo-time: positions follow accelerations as if these were velocities, by implicit steps that grow near rest.

    Without inertia a mechanism slides downhill in its potential and ends at a stable place; the last steps are Newton's method.
    """

    def __init__(
        self,
        session: Session,
        hold: Sequence[str],
        free: Sequence[str],
        parameters: Iterable[Address] = (),
        outputs: Iterable[Address] = (),
    ) -> None:
        """Takes ``parameters`` to differentiate by, and ``outputs`` to differentiate as well."""
        self.session = session
        self.inputs = inputs_named(session, free, "equilibrium")
        self.held = [_state_named(session, name) for name in hold]
        self.coordinates = Coordinates(session, self.held)
        self.standing = Standing(session, [*self.coordinates.wanted, *outputs], [*self.inputs, *parameters])
        self.trims = self.standing.values(self.inputs)
        self.place = {a: i for i, a in enumerate(state_addresses(session))}
        self._kept = [a for a in self.held if self.place.get(a) not in self.standing.velocities]
        self._kept_at = self.standing.values(self._kept)
        variables = [session.built.parts[a.part].fmu.by_reference[a.reference] for a in self.place]
        self.turns = np.array([v.unit == "rad" for v in variables])
        self.turns[[i for four in self.standing.quaternions for i in four]] = True
        self._pliant = np.where([v.elastic for v in variables], _STIFF, 1.0)
        self.haste = _SETTLED if any(v.elastic for v in variables) else 1.0
        self.nominal = np.array([nominal_of(v, size) for v, size in zip(variables, self.standing.sizes, strict=True)])
        rates = ignorable(self.standing, self.coordinates, self.nominal)
        self._ignorable = frozenset(rates.keys() - set(self.held))
        self.steady = frozenset(a for a in self._ignorable if abs(rates[a]) > _AT_REST)
        """Coordinates whose motion is part of the equilibrium: they move at the start, and nothing depends on them."""

    def found(self) -> Pose:
        """Returns the equilibrium that is reached from here. Parts that cannot rest, such as a motor that drives a pump, may move
        steadily."""
        x, trims = self.standing.x.copy(), self.trims.copy()
        try:
            return self._reached(x, trims)
        except AnalysisError:
            if self.steady == self._ignorable:
                raise
        self.steady, self.trims, self.haste = self._ignorable, trims, max(self.haste, _HASTE)
        self.standing.set_inputs(trims)
        return self._reached(x, trims)

    def balanced_at(self, x: np.ndarray) -> bool:
        """Says whether the system rests at these states."""
        return float(np.linalg.norm(self._left(self.stand(x)))) <= _RESTS

    def _reached(self, x: np.ndarray, trims: np.ndarray) -> Pose:
        """Returns the equilibrium that is reached from a pose; by Newton's method alone where nothing comes to rest in pseudo-time, such as
        trapped oil, whose pressure changes by motion only."""
        self.standing.x = x
        here, left = self._descended()
        if not self._balanced(here, left):
            self.trims = trims
            self.standing.set_inputs(trims)
            here, left = self._solved(x)
        if not self._balanced(here, left):
            self._refuse(here, left)
        self._refuse_outside()
        return self._pose(here)

    def _balanced(self, here: Chart, left: np.ndarray) -> bool:
        """Tells whether the rates vanish, up to the rounding of the terms that cancel in them: those of a stiff shape are large."""
        if np.linalg.norm(left) <= _BALANCED:
            return True
        moving, scale = self._moving(here)[0], self.scales(here)
        places = self.standing.values([here.coordinates[i].variable for i in moving]) / scale[moving]
        rounding = _ROUNDED * np.abs(self._jacobian(here)[0]) @ np.abs(places)
        return bool(np.all(np.abs(left) <= _BALANCED + rounding))

    def _descended(self) -> tuple[Chart, np.ndarray]:
        here = self.stand(self.standing.x)
        left, stride = self._left(here), 0.0
        best, since = np.inf, 0
        for _ in range(_MOST_STEPS):
            size = float(np.linalg.norm(left))
            since = 0 if size < 0.5 * best else since + 1
            best = min(best, size)
            if size <= _EXACT or since > _IDLE or (since > _NO_NEARER and self._balanced(here, left)):
                break
            slowest, fastest = self._growth(here)
            stride = min(stride or 0.3 / fastest, 0.5 / slowest)
            here = self._moved(here, self._step(here, left, stride))
            left = self._left(here)
            now = float(np.linalg.norm(left))
            stride *= min(10.0, max(self.haste, size / now)) if now > 0 else 10.0
        return here, left

    def _solved(self, x: np.ndarray) -> tuple[Chart, np.ndarray]:
        """Solves by steps of least length, each of which reduces the residual or is shorter than the one before.

        A stiff shape makes the residual large while the pose comes nearer; the length of the steps does not depend on it.
        """
        here = self.stand(x)
        left = self._left(here)
        step = self._step(here, left, np.inf)
        for _ in range(_MOST_STEPS):
            x, trims, size, share = self.standing.x.copy(), self.trims.copy(), float(np.linalg.norm(left)), 1.0
            length = float(np.linalg.norm(here.tangent @ step[: len(here.coordinates)]))
            while size > _EXACT and share > 1e-4:
                there = self._moved(here, share * step)
                now = self._left(there)
                following = self._step(there, now, np.inf)
                ahead = float(np.linalg.norm(there.tangent @ following[: len(there.coordinates)]))
                nearer = size > _BALANCED and ahead < (1 - share / 4) * length
                if nearer or np.linalg.norm(now) < (1 - share / 4) * size:
                    break
                self.trims = trims
                self.standing.set_inputs(trims)
                here, share = self.stand(x), share / 2
            else:
                return here, left
            here, left, step = there, now, following
        return here, left

    def _moved(self, here: Chart, step: np.ndarray) -> Chart:
        """Moves along a step, shortened to the largest angle that one step may turn."""
        count = len(here.coordinates)
        along = here.tangent @ step[:count]
        share = min(1.0, _TURN / max(float(np.abs(along[self.turns]).max(initial=0.0)), 1e-300))
        self.trims = self.trims + share * step[count:]
        self.standing.set_inputs(self.trims)
        return self.stand(self.standing.x + share * along)

    def stand(self, x: np.ndarray) -> Chart:
        """Returns the coordinates at the nearest pose that satisfies the constraints and the held values, where nothing moves except
        steadily."""
        if self._kept:
            try:
                return self._closed(x, self._kept)
            except AnalysisError:
                self._kept = []  # these positions contradict each other or the constraints
        return self._closed(x, ())

    def _closed(self, x: np.ndarray, kept: Sequence[Address]) -> Chart:
        standing = self.standing
        standing.move(x)
        before = np.inf
        for _ in range(_MOST_CLOSINGS):
            gradients = standing.gradients()
            by_velocities, left = self.unsteady(gradients)
            by_kept = np.array([self._by_states(a, gradients) for a in kept]).reshape(-1, len(x))
            rows = np.vstack([by_kept, constraint_rows(standing, gradients), by_velocities[:, : len(x)]])
            known = standing.values(standing.constraints)
            if kept:
                known = np.concatenate([standing.values(kept) - self._kept_at, known])
            off = np.concatenate([known, np.zeros(len(rows) - len(known) - len(left)), left])
            size = float(np.abs(off).max(initial=0.0))
            if size <= _EXACT or (size <= _CLOSED and size > 0.5 * before):
                return chart(standing, self.coordinates)
            before = size
            step = self._pliant * np.linalg.lstsq(rows * self._pliant, -off, rcond=1e-11)[0]
            turn = float(np.abs(step[self.turns]).max(initial=0.0))
            standing.move(standing.x + step * min(1.0, _TURN / max(turn, 1e-300)))
        raise AnalysisError(
            f"equilibrium: the constraints cannot be closed on the way: {before:.2g} is left; start from a pose that is assembled, nearer to it"
        )

    def _by_states(self, address: Address, gradients: Gradients) -> np.ndarray:
        place, states = self.place.get(address), self.standing.states
        return gradients[address][:states] if place is None else np.eye(1, states, place)[0]

    def unsteady(self, gradients: Gradients) -> tuple[np.ndarray, np.ndarray]:
        """Returns the parts of velocities that have to vanish, and their derivatives by the states and all inputs."""
        here = chart(self.standing, self.coordinates) if self.steady else Chart((), np.zeros((self.standing.states, 0)))
        return unsteady(self.standing, here, self.steady, gradients)

    def _sorted(self, here: Chart) -> tuple[list[int], list[int], list[int]]:
        """Returns the coordinates that are positions, those that are velocities, and the others. Coordinates that move steadily are left
        out; their velocities are among the others."""
        rates = {each.velocity for each in here.coordinates} | {a for a, i in self.place.items() if i in self.standing.velocities}
        rates -= self._speeds(here)
        turning = {a for a, i in self.place.items() if any(i in four for four in self.standing.quaternions)}
        velocities = [i for i, c in enumerate(here.coordinates) if c.variable in rates]
        positions = [i for i, c in enumerate(here.coordinates) if i not in velocities and (c.velocity or c.variable in turning)]
        steady = {i for i, c in enumerate(here.coordinates) if c.variable in self.steady}
        others = [i for i in range(len(here.coordinates)) if i not in {*positions, *velocities, *steady}]
        return [i for i in positions if i not in steady], velocities, others

    def _speeds(self, here: Chart) -> set[Address | None]:
        return {c.velocity for c in here.coordinates if c.variable in self.steady}

    def equations(self, here: Chart) -> list[int]:
        """Returns the coordinates whose rates have to vanish: all except those that move steadily and positions, whose rates are velocities."""
        _, velocities, others = self._sorted(here)
        return [*velocities, *others]

    def scales(self, here: Chart) -> np.ndarray:
        x = np.maximum(self.nominal, np.abs(self.standing.x))  # a pressure's nominal value is often left at 1 Pa
        scale, speeds = np.ones(len(here.coordinates)), self._speeds(here)
        others = [i for i in self._sorted(here)[2] if here.coordinates[i].variable in self.place.keys() - speeds]
        scale[others] = x[[self.place[here.coordinates[i].variable] for i in others]]
        return scale

    def _left(self, here: Chart) -> np.ndarray:
        """Returns the rates that should vanish, in nominal sizes."""
        equations = self.equations(here)
        return self.standing.values([here.coordinates[i].rate for i in equations]) / self.scales(here)[equations]

    def _jacobian(self, here: Chart) -> tuple[np.ndarray, np.ndarray]:
        """Returns the derivatives of the vanishing rates by the moving coordinates and by the free inputs, in nominal sizes."""
        gradients, n = self.standing.gradients(), self.standing.states
        scale, equations, (moving, _) = self.scales(here), self.equations(here), self._moving(here)
        rates = (
            np.array([gradients[here.coordinates[i].rate] for i in equations]).reshape(len(equations), n + len(self.standing.inputs))
            / scale[equations, None]
        )
        seeds = np.eye(len(self.standing.inputs), len(self.inputs))
        by_inputs = rates[:, n:] @ seeds + rates[:, :n] @ follow_of(self.standing, here, seeds) if self.inputs else rates[:, n:n]
        return rates[:, :n] @ here.tangent[:, moving] * scale[moving], by_inputs

    def _growth(self, here: Chart) -> tuple[float, float]:
        """Returns the fastest growth in pseudo-time, and the fastest rate of any kind. With longer strides Newton's method would turn
        back uphill."""
        by_coordinates, (_, pseudo) = self._jacobian(here)[0], self._moving(here)
        rates = np.linalg.eigvals(np.linalg.pinv(pseudo) @ by_coordinates) if by_coordinates.size else np.zeros(1)
        return max(float(rates.real.max()), 1e-300), max(float(np.abs(rates).max()), 1e-3)

    def _step(self, here: Chart, left: np.ndarray, stride: float) -> np.ndarray:
        """Returns the step of all coordinates and then of the free inputs; velocities stay zero."""
        count, scale, (moving, pseudo) = len(here.coordinates), self.scales(here), self._moving(here)
        by_coordinates, by_inputs = self._jacobian(here)
        solution = np.linalg.lstsq(np.hstack([pseudo / stride - by_coordinates, -by_inputs]), left, rcond=1e-13)[0]
        step = np.zeros(count + len(self.inputs))
        step[moving] = solution[: len(moving)] * scale[moving]
        step[count:] = solution[len(moving) :]
        return step

    def _moving(self, here: Chart) -> tuple[list[int], np.ndarray]:
        """Returns the coordinates that move, and the matrix from their pseudo-rates to the equations. Equations of positions are
        accelerations; a quaternion has three."""
        positions, velocities, others = self._sorted(here)
        gradients, n = self.standing.gradients(), self.standing.states
        rates = np.array([gradients[here.coordinates[i].rate][:n] for i in positions]).reshape(len(positions), n)
        follows = np.zeros((len(velocities) + len(others), len(positions) + len(others)))
        follows[: len(velocities), : len(positions)] = np.linalg.pinv(rates @ here.tangent[:, velocities])
        follows[len(velocities) :, len(positions) :] = np.eye(len(others))
        moving = [*positions, *others]
        free = [i for i, place in enumerate(moving) if here.coordinates[place].variable not in self.held]
        return [moving[i] for i in free], follows[:, free]

    def _pose(self, here: Chart) -> Pose:
        standing, session = self.standing, self.session
        gradients, n = standing.gradients(), standing.states
        A = np.array([gradients[c.rate][:n] for c in here.coordinates]).reshape(-1, n) @ here.tangent
        eigenvalues = np.linalg.eigvals(A) if len(A) else np.zeros(0)
        states = state_addresses(session)
        names = [standing.label(a) for a in states]
        moving, speeds = self._moving(here)[0], self._speeds(here)
        neutral = {moving[i] for i in _neutral(self._jacobian(here)[0]) if here.coordinates[moving[i]].variable not in speeds}
        return Pose(
            dict(zip(names, map(float, standing.x * standing.sizes), strict=True)),
            {standing.label(a): float(v) for a, v in zip(self.inputs, self.trims * standing.sizes_of(self.inputs), strict=True)},
            not grows(eigenvalues),
            eigenvalues,
            tuple(standing.label(c.variable) for i, c in enumerate(here.coordinates) if i in neutral or c.variable in self.steady),
            units={standing.label(a): standing.unit(a) for a in [*states, *self.inputs]},
        )

    def left_for(self, pose: Pose) -> list[Pose]:
        """Returns the poses to which the system goes from an unstable pose, pushed to either side along the fastest growing motion."""
        origin, self.haste = self._states(pose), max(self.haste, _HASTE)
        here = self.stand(origin)
        gradients, n = self.standing.gradients(), self.standing.states
        A = np.array([gradients[c.rate][:n] for c in here.coordinates]) @ here.tangent
        A[np.abs(A) < _ROUNDING * np.abs(A).max()] = 0.0  # LAPACK would balance them, and return shapes of rounding
        values, shapes = np.linalg.eig(A)
        shape = np.real(shapes[:, int(values.real.argmax())])
        push, speeds = np.zeros(len(shape)), self._speeds(here)
        moving = [i for i in self._moving(here)[0] if here.coordinates[i].variable not in speeds]
        push[moving] = shape[moving] / np.abs(shape[moving]).max()
        found: list[Pose] = []
        for side in (_PUSH, -_PUSH):
            self.standing.move(origin + side * here.tangent @ push)
            try:
                other = self.found()
            except AnalysisError:
                continue
            if not any(np.allclose(self._states(other), self._states(each), atol=1e-6) for each in [pose, *found]):
                found.append(other)
        return found

    def _states(self, pose: Pose) -> np.ndarray:
        return np.array(list(pose.states.values())) / self.standing.sizes

    def _refuse_outside(self) -> None:
        """Refuses states outside of their declared ranges, where flows of gas no longer depend on pressures."""
        for address, value in zip(self.place, self.standing.x * self.standing.sizes, strict=True):
            variable = self.session.built.parts[address.part].fmu.by_reference[address.reference]
            beyond = max(variable.minimum - value, value - variable.maximum)
            if beyond > _BALANCED * max(abs(value), abs(variable.nominal)):
                bound = f"at least {variable.minimum:g}" if value < variable.minimum else f"at most {variable.maximum:g}"
                raise AnalysisError(
                    f"no equilibrium was found: the search ends at '{self.standing.label(address)}' = {value:.4g} {self.standing.unit(address)}, "
                    f"and {bound} is possible; give a start nearer to an equilibrium"
                )

    def _refuse(self, here: Chart, left: np.ndarray) -> None:
        equations = self.equations(here)
        worst = here.coordinates[equations[int(np.abs(left).argmax())]]
        value = float(self.standing.physical([worst.rate])[0])
        label, unit = self.standing.label(worst.rate), self.standing.unit(worst.rate)
        held = f"; {listed(map(self.standing.label, self.held))} {'is' if len(self.held) == 1 else 'are'} held" if self.held else ""
        raise AnalysisError(
            f"no equilibrium was found within {_MOST_STEPS} steps: '{label}' = {value:.4g} {unit} is left{held}; nothing holds the system there: "
            "give a start nearer to an equilibrium, or free=[...] with an input that can balance it"
        )


def _neutral(by_coordinates: np.ndarray) -> Collection[int]:
    """Returns the columns (coordinates) that take part in a direction along which nothing changes."""
    _, sizes, right = np.linalg.svd(by_coordinates)
    still = right[int((sizes > _NEUTRAL * max(1.0, float(sizes.max(initial=0.0)))).sum()) :]
    return [i for i in range(right.shape[1]) if np.abs(still[:, i]).max(initial=0.0) > 0.1]


def _state_named(session: Session, name: str) -> Address:
    known = {session.named(a.part, a.reference): a for a in state_addresses(session)}
    known |= {session.named(q.part, q.reference): q for q, _, _ in Coordinates(session).freedoms}
    if name not in known:
        hint = nearest(str(name), known) or "name a state or the coordinate of a joint's freedom, such as 'pin.rotation.q'"
        raise BuildError(f"equilibrium: hold: '{name}' is no state nor a joint's coordinate; {hint}")
    return known[name]
