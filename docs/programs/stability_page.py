"""``docs/co-simulation-stability.md``: the theory of the two-mass oscillator, beside the motions of its FMUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from coupling import Scheme, System
from tests.support.oracles.two_masses import (
    FREE_LINK,
    LINKS,
    SPLITS,
    Oscillator,
    Step,
    Subsystem,
    continuous,
    error_of,
    explicit,
    exponential,
    implicit,
    limit,
    order,
    radius,
    repetition,
    rigid,
    stabilised,
    subsystems,
)
from tests.support.systems.two_mass_systems import linked_system, measured_step, run, split_system, states

PAGE = Path(__file__).parents[1] / "co-simulation-stability.md"
COMMAND = "python -m docs.programs.stability_page"
DAMPINGS = (0.0, 0.01, 0.1)
BAUMGARTE = 5.0
START, LINKED_START = (0.1, 0.0, -0.05, 0.3), (0.1, 0.3, 0.1, 0.3)
STIFF = float("inf")
ORDERS = {"implicit-position": 2, "implicit-velocity": 4, "implicit": 4}
"""Orders of the states with the rigid link.

If the velocities fit at both ends of a step, the momentum that the link has passed on is right. Then the error of its force has no mean
and, by symmetry, no first moment that leads apart.
"""


class Pair(NamedTuple):
    """The same quantity by the matrices and by the FMUs."""

    theory: float
    measured: float


class Explicit(NamedTuple):
    """An explicit scheme."""

    degree: int
    in_turn: bool = False

    @property
    def options(self) -> dict[str, Any]:
        return {"scheme": Scheme("gauss-seidel" if self.in_turn else "explicit", extrapolation=self.degree)}

    @property
    def shown(self) -> list[str]:
        return ["gauss-seidel" if self.in_turn else "explicit", str(self.degree)]


EXPLICIT = [Explicit(degree, in_turn) for in_turn in (False, True) for degree in (0, 1, 2)]


# -- stability limits, as h omega ----------------------------------------------------------------------------------------------


@cache
def split_limit(split: str, scheme: Explicit, damping: float) -> Pair:
    """Returns the stability limit with a spring between the masses."""
    o = Oscillator(damping=damping)
    theory = limit(explicit(subsystems(o, split), *scheme), o)
    return Pair(theory, _measured_limit([split_system(o, split, unit) for unit in np.eye(4)], o, theory, scheme))


@cache
def link_limit(degree: int, damping: float) -> Pair:
    """Returns the stability limit with the rigid link, explicitly."""
    o = Oscillator(middle=STIFF, damping=damping)
    theory = limit(explicit([stabilised(o, BAUMGARTE, BAUMGARTE)], degree), o)
    systems = [linked_system(o, unit, BAUMGARTE, BAUMGARTE) for unit in np.eye(4)]
    return Pair(theory, _measured_limit(systems, o, theory, Explicit(degree)))


def _measured_limit(systems: Sequence[System], o: Oscillator, expected: float, scheme: Explicit) -> float:
    """Returns the step at which motions begin to grow by the steps that the FMUs make; nan if it is not near the expected one."""

    def growth(x: float) -> float:
        return radius(measured_step(systems, x / o.omega, scheme.degree + 1, **scheme.options)) - 1

    if expected == 0:
        return 0.0 if min(growth(0.05), growth(0.2)) > 0 else np.nan
    if np.isinf(expected):
        return np.inf if max(growth(0.5), growth(3.0)) < 1e-9 else np.nan
    low, high = 0.95 * expected, 1.05 * expected
    return float(brentq(growth, low, high, xtol=1e-7 * expected)) if growth(low) < 0 < growth(high) else np.nan


@cache
def added_roots(scheme: str, damping: float, x: float = 0.5) -> tuple[list[float], list[float] | None]:
    """Returns the roots other than 0 that an implicit scheme adds to those of the motion with the rigid link.

    The roots of the FMUs are added, if the scheme is not refused.
    """
    o = Oscillator(middle=STIFF, damping=damping)
    h = x / o.omega
    theory = _real_roots(rigid(o, scheme)(h))
    if scheme not in ORDERS:
        return theory, None
    return theory, _real_roots(measured_step([linked_system(o, unit) for unit in np.eye(4)], h, 1, scheme=scheme))


def _real_roots(matrix: np.ndarray) -> list[float]:
    return sorted(z.real for z in np.linalg.eigvals(matrix) if abs(z.imag) < 1e-6 and abs(z) > 1e-4)


# -- orders --------------------------------------------------------------------------------------------------------------------


@cache
def split_order(split: str, scheme: Explicit | None) -> Pair:
    """Returns the order with a spring between the masses; None is the implicit scheme."""
    o = Oscillator(damping=0.1)
    sides = subsystems(o, split)
    step, options = (explicit(sides, *scheme), scheme.options) if scheme else (implicit(sides), {"scheme": "implicit"})
    return _orders(step, sides, split_system(o, split, START), START, 400, options)


@cache
def link_order(scheme: Explicit | str) -> Pair:
    """Returns the order with the rigid link."""
    o = Oscillator(middle=STIFF, damping=0.1)
    system, exact = linked_system(o, LINKED_START, BAUMGARTE, BAUMGARTE), [stabilised(o, 0, 0)]
    if isinstance(scheme, str):
        return _orders(rigid(o, scheme), exact, system, LINKED_START, 40, {"scheme": scheme})
    return _orders(explicit([stabilised(o, BAUMGARTE, BAUMGARTE)], scheme.degree), exact, system, LINKED_START, 400, scheme.options)


def _orders(step: Step, exact: Sequence[Subsystem], system: System, start: Sequence[float], steps: int, options: dict[str, Any]) -> Pair:
    end = exponential(continuous(exact)) @ start

    def error(count: int) -> float:
        return float(np.abs(states(run(system, 1.0 / count, count, **options))[-1] - end).max())

    return Pair(order(error_of(step, exact, np.array(start), 1.0), steps), order(error, steps))


# -- tables --------------------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _number(x: float) -> str:
    return "none" if np.isinf(x) else "0" if x == 0 else f"{x:.3g}"


def _limits(pairs: Iterable[Pair]) -> list[str]:
    return [_number(value) for pair in pairs for value in pair]


def _by_damping(dampings: Sequence[float]) -> list[str]:
    return [f"{damping:.0%}, {what}" for damping in dampings for what in ("theory", "FMUs")]


def split_limits() -> str:
    rows = [[split, *each.shown, *_limits(split_limit(split, each, z) for z in DAMPINGS)] for split in SPLITS for each in EXPLICIT]
    return _table(["split", "scheme", "extrapolation", *_by_damping(DAMPINGS)], rows)


def repetition_limits() -> str:
    rows, o = [], Oscillator(damping=0.1)
    for split in SPLITS:
        sides = subsystems(o, split)
        rows.append([split, _number(limit(implicit(sides), o)), _number(limit(repetition(sides), o))])
    return _table(["split", "stable up to", "mere repetition shrinks up to"], rows)


def link_limits() -> str:
    rows = [[*Explicit(k).shown, *_limits(link_limit(k, z) for z in DAMPINGS), _number(FREE_LINK[k])] for k in (0, 1, 2)]
    return _table(["scheme", "extrapolation", *_by_damping(DAMPINGS), "free masses, h alpha"], rows)


def link_roots() -> str:
    dampings, rows = (0.0, 0.1), []
    for scheme in LINKS:
        found = [roots for damping in dampings for roots in added_roots(scheme, damping)]
        shown = ["refused" if roots is None else ", ".join(f"{z:.3f}" for z in roots) or "none" for roots in found]
        rows.append([f"`{scheme}`", *shown])
    return _table(["scheme", *_by_damping(dampings)], rows)


def orders() -> str:
    rows = []
    for scheme in [*EXPLICIT, None]:
        made, expected = (scheme.shown, scheme.degree + 1) if scheme else (["implicit", "–"], 2)
        linked = _order(link_order(scheme)) if scheme else "–"
        rows.append([*made, str(expected), *(_order(split_order(split, scheme)) for split in SPLITS), linked])
    rows += [
        [f"{scheme}, rigid link", "–", str(expected), *["–"] * len(SPLITS), _order(link_order(scheme))]
        for scheme, expected in ORDERS.items()
    ]
    return _table(["scheme", "extrapolation", "order", *SPLITS, "rigid link"], rows)


def _order(pair: Pair) -> str:
    return f"{pair.theory:.2f} / {pair.measured:.2f}"


# -- the page ------------------------------------------------------------------------------------------------------------------

TABLES: tuple[Callable[[], str], ...] = (split_limits, repetition_limits, link_limits, link_roots, orders)


def stability_page() -> str:
    """Returns the whole page."""
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    for table in TABLES:
        text = text.replace(f"{{{table.__name__}}}", table())
    return text.replace("{command}", COMMAND)


if __name__ == "__main__":
    PAGE.write_text(stability_page(), encoding="utf-8")
