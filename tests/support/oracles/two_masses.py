"""Two-mass oscillator, split into two parts that are coupled step by step: the theory, in NumPy alone.

Each mass hangs on a wall by a spring and a damper. Between them is another spring and damper, or a rigid link. All is linear, so that
one step of a coupled system is a matrix. The parts are integrated exactly (matrix exponential); what is left is the coupling itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np

FORCE_FORCE = "force/force"
FORCE_DISPLACEMENT = "force/displacement"
DISPLACEMENT_DISPLACEMENT = "displacement/displacement"
MASSES_ALONE = "masses alone"
SPLITS = (MASSES_ALONE, FORCE_FORCE, FORCE_DISPLACEMENT, DISPLACEMENT_DISPLACEMENT)

Step = Callable[[float], np.ndarray]
"""The matrix of one step of a size."""


@dataclass(frozen=True)
class Oscillator:
    """Two masses, each with a spring to a wall; all dampers are ``tau`` times as strong as the springs beside them.

    States are the displacement and the velocity of the first mass, then those of the second.
    """

    masses: tuple[float, float] = (1.0, 2.0)
    walls: tuple[float, float] = (40.0, 10.0)
    middle: float = 100.0
    """Stiffness of the spring between them; infinite for the rigid link."""
    damping: float = 0.0
    """Damping of the fastest mode, as a ratio to critical damping."""

    @cached_property
    def omega(self) -> float:
        """The highest natural frequency, rad/s."""
        if np.isinf(self.middle):
            return float(np.sqrt(sum(self.walls) / sum(self.masses)))
        (a, b), c = self.walls, self.middle
        stiffness = np.array([[a + c, -c], [-c, b + c]]) / np.array(self.masses)[:, None]
        return float(np.sqrt(np.linalg.eigvals(stiffness).max()))

    @property
    def tau(self) -> float:
        return 2 * self.damping / self.omega if self.damping else 0.0


def exponential(matrix: np.ndarray) -> np.ndarray:
    """Returns the exponential of a small matrix, by its series and squares. SciPy's function wakes up threads, which takes longer than the
    work."""
    squares = max(0, int(np.ceil(np.log2(np.abs(matrix).sum(axis=0).max() + 1e-300))) + 1)
    small = matrix / 2**squares
    result = term = np.eye(len(matrix))
    for k in range(1, 18):
        term = term @ small / k
        result = result + term
    for _ in range(squares):
        result = result @ result
    return result


@dataclass(frozen=True)
class Subsystem:
    """A subsystem x' = A x + B u for some of the states, with inputs that at a point are u = K x of all states."""

    states: slice
    A: np.ndarray
    B: np.ndarray
    K: np.ndarray

    def gammas(self, h: float, degree: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """The exact step: how states answer to states, and to inputs that grow as t^j."""
        n, m = self.B.shape
        chain = np.zeros((n + (degree + 1) * m, n + (degree + 1) * m))
        chain[:n, : n + m] = np.hstack([self.A, self.B])
        for j in range(degree):
            at = n + j * m
            chain[at : at + m, at + m : at + 2 * m] = np.eye(m)
        solved = exponential(chain * h)
        return solved[:n, :n], [solved[:n, n + j * m : n + (j + 1) * m] * factorial(j) for j in range(degree + 1)]


def subsystems(oscillator: Oscillator, split: str) -> list[Subsystem]:
    """The two sides of the spring in the middle.

    ``force/force``: it belongs to neither, both masses take its force. ``force/displacement``: it belongs to the second, which takes the
    motion of the first. ``displacement/displacement``: both have it, and take the motion of the other. ``masses alone``: no spring belongs
    to any side, not even those to the walls.
    """
    tau, c = oscillator.tau, oscillator.middle
    has = {FORCE_DISPLACEMENT: (False, True), DISPLACEMENT_DISPLACEMENT: (True, True)}.get(split, (False, False))
    sides = []
    for i, (m, k, own) in enumerate(zip(oscillator.masses, oscillator.walls, has, strict=True)):
        states, other = slice(2 * i, 2 * i + 2), slice(2 - 2 * i, 4 - 2 * i)
        inside = (0 if split == MASSES_ALONE else k) + (c if own else 0)
        A = np.array([[0, 1], [-inside / m, -inside * tau / m]])
        B = np.array([[0, 0], [c / m, c * tau / m]]) if own else np.array([[0], [1 / m]])
        K = np.eye(4)[other] if own else np.zeros((1, 4))
        if not own:
            K[:, other] += c * np.array([1, tau])
            K[:, states] -= (c + k - inside) * np.array([1, tau])
        sides.append(Subsystem(states, A, B, K))
    return sides


def continuous(sides: Sequence[Subsystem]) -> np.ndarray:
    """The matrix of the coupled system itself, x' = A x."""
    whole = np.zeros((4, 4))
    for side in sides:
        whole[side.states, side.states] = side.A
        whole[side.states] += side.B @ side.K
    return whole


# -- explicit schemes: a step from (x[n], x[n-1], ...) to (x[n+1], x[n], ...) ----------------------------------------------


def explicit(sides: Sequence[Subsystem], degree: int, in_turn: bool = False) -> Step:
    """Inputs follow polynomials through the last points. In turn, a side knows already what those before it have come to."""

    def step(h: float) -> np.ndarray:
        past = np.split(np.eye(4 * (degree + 1)), degree + 1)
        ago = -h * np.arange(degree + 1.0)
        ahead = np.tensordot(_monomials(ago, h), np.array(past), 1)
        end = ahead.copy()
        for side in sides:
            points = [end, *past[:degree]] if in_turn else past
            times = ago + h if in_turn else ago
            coefficients = np.linalg.solve(
                np.vander(times, increasing=True), np.array([side.K @ x for x in points]).reshape(degree + 1, -1)
            )
            phi, gammas = side.gammas(h, degree)
            moved = phi @ past[0][side.states]
            for gamma, u in zip(gammas, coefficients, strict=True):
                moved = moved + gamma @ u.reshape(len(side.K), -1)
            end[side.states] = moved
        return np.vstack([end, *past[:-1]])

    return step


def _monomials(times: np.ndarray, at: float) -> np.ndarray:
    """The weights by which values at some times make the value of their polynomial at another."""
    return np.linalg.solve(np.vander(times, increasing=True).T, at ** np.arange(len(times)))


# -- implicit coupling ----------------------------------------------------------------------------------------------------


def implicit(sides: Sequence[Subsystem]) -> Step:
    """Inputs go linearly from what arrives at the beginning of the step to what arrives at its end."""

    def step(h: float) -> np.ndarray:
        begin, end = np.zeros((4, 4)), np.eye(4)
        for side in sides:
            phi, (constant, growing) = side.gammas(h, 1)
            begin[side.states, side.states] = phi
            begin[side.states] += (constant - growing / h) @ side.K
            end[side.states] -= growing / h @ side.K
        return np.linalg.solve(end, begin)

    return step


def repetition(sides: Sequence[Subsystem]) -> Step:
    """Returns the map of an error of the inputs at the end of the step, from one repetition of the step to the next."""

    def step(h: float) -> np.ndarray:
        answer = np.zeros((4, sum(len(side.K) for side in sides)))
        at = 0
        for side in sides:
            answer[side.states, at : at + len(side.K)] = side.gammas(h, 1)[1][1] / h
            at += len(side.K)
        return np.vstack([side.K for side in sides]) @ answer

    return step


# -- rigid link: s2 - s1 = 0, kept by a force between the masses ------------------------------------------------------------

APART, PARTING = np.array([-1.0, 0, 1, 0]), np.array([0, -1.0, 0, 1])


def linked(oscillator: Oscillator) -> Subsystem:
    """Both masses, with the force in the link as the input."""
    (a, b), (k, c), tau = oscillator.masses, oscillator.walls, oscillator.tau
    A = np.array([[0, 1, 0, 0], [-k / a, -k * tau / a, 0, 0], [0, 0, 0, 1], [0, 0, -c / b, -c * tau / b]])
    return Subsystem(slice(0, 4), A, np.array([[0], [-1 / a], [0], [1 / b]]), np.zeros((1, 4)))


def stabilised(oscillator: Oscillator, alpha: float, beta: float) -> Subsystem:
    """The same, with the force for which the accelerations fit: f'' + 2 alpha f' + beta^2 f = 0 (Baumgarte)."""
    free = linked(oscillator)
    wanted = PARTING @ free.A + 2 * alpha * PARTING + beta**2 * APART
    return Subsystem(free.states, free.A, free.B, -wanted[None] / (PARTING @ free.B))


LINKS = {
    "implicit-position": ((APART,), "constant"),
    "implicit-velocity": ((PARTING,), "continuous"),
    "implicit": ((APART, PARTING), "free"),
    "implicit-position-linear": ((APART,), "continuous"),
}
"""Conditions at the end of each step, and the kind of force in the link over the step, by scheme."""


FREE_LINK = (1.0, 12 - np.sqrt(132), (22 - np.sqrt(448)) / 3)
"""Greatest h alpha of the stabilised link (beta = alpha) without other forces on the masses, by the degree of extrapolation.

There a deviation f alternates: f[n+1] = -f[n], and the same holds for its rate and the force. Then the polynomial through the last
forces has known integrals over the step. For x = h alpha there remain x = 1; x^2 - 24 x + 12 = 0; 3 x^2 - 44 x + 12 = 0.
"""


def rigid(oscillator: Oscillator, scheme: str) -> Step:
    """Returns the map from (x, force at the end of the last step) to the same one step later."""
    conditions, force = LINKS[scheme]
    free = linked(oscillator)

    def step(h: float) -> np.ndarray:
        phi, (constant, growing) = free.gammas(h, 1)
        first, last = constant - growing / h, growing / h
        known, unknown = np.hstack([phi, np.zeros((4, 1))]), np.hstack([first, last])
        if force == "constant":
            unknown = first + last
        elif force == "continuous":
            known, unknown = np.hstack([phi, first]), last
        G = np.array(conditions)
        forces = np.linalg.solve(G @ unknown, -G @ known)
        return np.vstack([known + unknown @ forces, forces[-1:]])

    return step


# -- what follows -----------------------------------------------------------------------------------------------------------


def radius(matrix: np.ndarray) -> float:
    """The factor by which the fastest growing motion grows in one step."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


VISIBLE = 1e-10
"""Growth in one step that exceeds rounding."""


def limit(step: Step, oscillator: Oscillator, most: float = 20.0) -> float:
    """The least h omega from which on motions grow; 0 where they always do, infinite where none is found up to ``most``.

    Without damping, growth goes to zero with a power of h, so that it is looked for where it can be seen.
    """
    grid = np.geomspace(1e-3 if oscillator.damping else 0.05, most, 400)

    def grows(x: float) -> bool:
        return radius(step(x / oscillator.omega)) > 1 + VISIBLE

    first = next((i for i, x in enumerate(grid) if grows(x)), None)
    if not first:
        return np.inf if first is None else 0.0
    low, high = grid[first - 1], grid[first]
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if grows(middle) else (middle, high)
    return float(low)


def order(error: Callable[[int], float], steps: int = 100) -> float:
    """The power of h with which an error after so many steps shrinks, from that and twice as many."""
    return float(np.log2(error(steps) / error(2 * steps)))


def error_of(step: Step, sides: Sequence[Subsystem], start: np.ndarray, time: float) -> Callable[[int], float]:
    """The error of the states behind so many steps that together take a time. What was before the start lies on the exact solution."""

    exact = continuous(sides)

    def error(steps: int) -> float:
        h = time / steps
        matrix = step(h)
        if len(matrix) % 4:  # the force in the link
            z = np.append(start, sides[0].K @ start)
        else:
            z = np.concatenate([exponential(-j * h * exact) @ start for j in range(len(matrix) // 4)])
        for _ in range(steps):
            z = matrix @ z
        return float(np.abs(z[:4] - exponential(time * exact) @ start).max())

    return error
