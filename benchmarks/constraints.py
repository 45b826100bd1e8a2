"""Constraint drift: errors and evaluations of Baumgarte stabilisation and of projection.

The rows are those of tables in docs/constraint-drift.md, docs/fixed-steps.md and docs/evaluation.md, which tests/docs/test_figures.py compares.

Errors are those of an angle at the end of the run, in rad, against solutions in minimal coordinates or published digits. A run that ends early is
``stopped``. A parallelogram that ends with crossed links is on the ``other branch``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from coupling import Index3, Result, System
from tests.coupling.live.test_stabilisation import angle, four_bars, moving, pendulum
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems import seven_bodies
from tests.support.systems.fixed_steps import lagging, parallelogram, parallelogram_exact
from tests.support.systems.systems import system_of

SPEEDS = (0.7, 1.0, 1.3)
_OTHER_BRANCH = 1.0
"""Error in rad beyond which a parallelogram has left its branch."""
_HARDLY = np.arange(-4, 5) * 1e-6
"""Relative changes of the tolerance. With ``ida``, each of them changes errors by up to 30 times and evaluations by 10 %, as rounding does."""


class Case(NamedTuple):
    """A mechanism and its exact motion."""

    name: str
    system: Callable[[], System]
    stop: float
    error: Callable[[Result], float]
    start: Mapping[str, float] = {}
    options: Mapping[str, float] = {}


@cache
def _swing() -> float:
    return angle(1 + 1 / 12, 9.81, 0.0, 0.0, 5.0)


@cache
def turn(speed: float) -> float:
    """Returns the angle of a rocker after 10 s, from a start at this speed of the coupler."""
    return angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -speed, 10.0)


def _double(result: Result) -> float:
    motion = DoublePendulum().motion(np.array([2.0]))
    return max(abs(result[f"{name}.theta"][-1] - motion[name].theta[-1]) for name in motion)


PENDULUM = Case("pendulum, 5 s", pendulum, 5.0, lambda r: abs(r["rod.theta"][-1] - _swing()))
PARALLELOGRAM = Case(
    "parallelogram, 10 s",
    lambda: four_bars(1),
    10.0,
    lambda r: abs(r["rocker0.theta"][-1] - turn(1.0)),
    moving(1, 1.0),
    {"max_steps": 20_000},
)
DOUBLE = Case("double pendulum, 2 s", lambda: system_of(DoublePendulum()), 2.0, _double)
SEVEN = Case("seven bodies, 0.03 s", seven_bodies.system, seven_bodies.STOP, seven_bodies.error)

IN_STEPS = [(case, solver) for case in (PENDULUM, PARALLELOGRAM) for solver in ("dopri5", "dop853")]
IN_RIGHT_SIDES = [(case, solver) for case in (PENDULUM, DOUBLE, SEVEN) for solver in ("cvode", "ida")]
IN_RIGHT_SIDES += [(PARALLELOGRAM, "cvode"), (PARALLELOGRAM, "RK45")]
TABLES = {"steps": (IN_STEPS, (1e-4, 1e-6, 1e-8)), "right-hand side": (IN_RIGHT_SIDES, (1e-5, 1e-7, 1e-9))}


def cell(case: Case, solver: str, rtol: float, stabilisation: str) -> str:
    """Returns the error and the evaluations of a run, or its failure; for ``ida`` the medians of runs at tolerances that hardly differ."""
    near = _HARDLY if solver == "ida" else [0.0]
    found = [_run(case, solver, rtol * (1 + each), stabilisation) for each in near]
    failed = next((each for each in found if isinstance(each, str)), None)
    if failed is not None:
        return failed
    error, evaluations = np.median(np.array(found), axis=0)
    return f"{_short(error)} ({evaluations:.0f})"


def _run(case: Case, solver: str, rtol: float, stabilisation: str) -> tuple[float, int] | str:
    run = case.system().simulate(
        case.stop, solver=solver, rtol=rtol, stabilisation=stabilisation, start_values=case.start, output_times=[case.stop], **case.options
    )
    if not run.outcome.completed:
        return "stopped"
    error = case.error(run)
    if case is PARALLELOGRAM and error > _OTHER_BRANCH:
        return "other branch"
    return error, run.statistics.evaluations


def _short(error: float) -> str:
    return f"{error:.0e}".replace("e-0", "e-")


def rows(table: str) -> Iterator[str]:
    """Yields the rows of a table as the page has them."""
    chosen, tolerances = TABLES[table]
    for case, solver in chosen:
        ways = (", ".join(cell(case, solver, rtol, way) for rtol in tolerances) for way in ("baumgarte", "projection"))
        name = f"`{solver}` of SciPy" if solver == "RK45" else f"`{solver}`"
        yield f"| {case.name}, {name} | {' | '.join(ways)} |"


def energies() -> Iterator[str]:
    """Yields the change of energy in 100 s with ``dopri5``, by projection and by Baumgarte stabilisation."""

    def lost(system: System, name: str, inertia: float, weight: float, start: tuple[float, float], given: Mapping[str, float]) -> str:
        cells = []
        for way in ("projection", "baumgarte"):
            options = {"rtol": 1e-7, "stabilisation": way, "start_values": given, "output_times": [100.0], "max_steps": 200_000}
            run = system.simulate(100.0, **options)  # type: ignore[arg-type]
            speeds, heights = run[f"{name}.omega"][-1] ** 2 - start[1] ** 2, np.sin(run[f"{name}.theta"][-1]) - np.sin(start[0])
            cells.append(f"{abs(inertia * speeds / 2 + weight * heights):.2g} J".replace("e-0", "e-"))
        return " | ".join(cells)

    yield f"| pendulum | {lost(pendulum(), 'rod', 1 + 1 / 12, 9.81, (0.0, 0.0), {})} |"
    yield f"| parallelogram | {lost(four_bars(1), 'rocker0', 2 / 3 + 1, 2 * 9.81, (np.pi / 2, 1.0), moving(1, 1.0))} |"


def on_their_branch() -> Iterator[str]:
    """Yields, of 18 runs with both explicit solvers, three speeds and three tolerances, the number that end with parallel links."""
    for way in ("projection", "baumgarte"):
        runs = product(("dopri5", "dop853"), SPEEDS, TABLES["steps"][1])
        count = sum(_stays(solver, speed, rtol, way) for solver, speed, rtol in runs)
        yield f"| {way} | {count} of 18 |"


def _stays(solver: str, speed: float, rtol: float, way: str) -> bool:
    options = {"solver": solver, "rtol": rtol, "stabilisation": way, "start_values": moving(1, speed), "output_times": [10.0]}
    run = four_bars(1).simulate(10.0, max_steps=20_000, **options)  # type: ignore[arg-type]
    return bool(run.outcome.completed and abs(run["rocker0.theta"][-1] - turn(speed)) < _OTHER_BRANCH)


@cache
def _lagging(lag: float) -> float:
    """Returns the angle of a rod after 2 s whose brake follows its rate with a lag."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], 3 * (y[2] - 9.81 / 2 * np.cos(y[0])), -(y[1] + y[2]) / lag]

    return float(solve_ivp(slope, (0, 2), [0, 0, 0], method="Radau", rtol=1e-12, atol=1e-13).y[0, -1])


FIXED = {
    "parallelogram, 10 s": (parallelogram, 10.0, lambda r: abs(r["crank.theta"][-1] - parallelogram_exact(10.0)), (0.02, 0.001)),
    "lag of 1e-4 s, 2 s": (lambda: lagging(1e-4), 2.0, lambda r: abs(r["rod.theta"][-1] - _lagging(1e-4)), (0.02, 0.01)),
    "lag of 0.1 s, 2 s": (lambda: lagging(0.1), 2.0, lambda r: abs(r["rod.theta"][-1] - _lagging(0.1)), (0.02, 0.01)),
    "seven bodies, 0.03 s": (seven_bodies.system, seven_bodies.STOP, seven_bodies.error, (1e-4, 5e-5)),
}
"""Mechanism, time, error and fixed steps, for the comparison of fixed steps with other solvers."""


def fixed_steps() -> Iterator[str]:
    """Yields errors and evaluations of ``index3`` and of other solvers, which take Baumgarte stabilisation except for ``dopri5``."""
    others = {
        "`dopri5` at 1e-4": ("dopri5", 1e-4),
        "`dopri5` at 1e-6": ("dopri5", 1e-6),
        "`ida` at 1e-6": ("ida", 1e-6),
        "`cvode` at 1e-6": ("cvode", 1e-6),
    }
    for name, (make, stop, error, steps) in FIXED.items():
        runs: dict[str, dict[str, object]] = {f"`index3`, {1e3 * h:g} ms": {"solver": Index3(step_size=h)} for h in steps}
        runs |= {label: {"solver": solver, "rtol": rtol} for label, (solver, rtol) in others.items()}
        for label, options in runs.items():
            held = {} if "index3" in label else {"stabilisation": "projection" if "dopri5" in label else "baumgarte"}
            run = make().simulate(stop, output_times=[stop], max_steps=200_000, **options, **held)  # type: ignore[arg-type]
            found = error(run) if run.outcome.completed else np.inf
            yield f"| {name} | {label} | {'other branch' if found > _OTHER_BRANCH else _short(found)} | {run.statistics.evaluations} |"


def solvers() -> Iterator[str]:
    """Yields evaluations and errors of the seven bodies with default options at a tolerance of 1e-9."""
    for solver in ("dopri5", "dop853", "cvode", "ida"):
        run = seven_bodies.system().simulate(seven_bodies.STOP, solver=solver, rtol=1e-9, atol=1e-9, output_times=[seven_bodies.STOP])
        yield f"| `{solver}` | {run.statistics.evaluations} | {_short(seven_bodies.error(run))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", nargs="+", choices=list(PRINTED), default=list(PRINTED), help="default: all")
    for name in parser.parse_args().tables:
        print(name)
        for row in PRINTED[name]():
            print(row, flush=True)


PRINTED: dict[str, Callable[[], Iterator[str]]] = {
    "steps": lambda: rows("steps"),
    "right-hand side": lambda: rows("right-hand side"),
    "branches": on_their_branch,
    "energies": energies,
    "fixed steps": fixed_steps,
    "solvers": solvers,
}


if __name__ == "__main__":
    main()
