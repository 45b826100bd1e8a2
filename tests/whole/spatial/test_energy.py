"""Energy of mechanisms in space that keep theirs, over 10 s: in the master, and exported, integrated by SciPy and by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from scipy.integrate import solve_ivp

from jourdain import Ending, System
from tests.support.runtime.driver import DISCARD, Driver
from tests.support.systems.exported import export
from tests.support.systems.space import CONSERVATIVE, COSTLY, bodies

STOP, TOLERANCE = 10.0, 1e-12
TIMES = np.linspace(0, STOP, 101)
QUICK = "two rods"
ALL = [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CONSERVATIVE]
IN_THE_MASTER = [pytest.param(name, marks=[pytest.mark.slow] * (name in COSTLY)) for name in CONSERVATIVE]


def kept(kinetic: np.ndarray, potential: np.ndarray) -> bool:
    """Says whether energy changes by less than 1e-9 of the exchange between its kinds. Without exchange the measure is the kinetic energy."""
    energy, traded = kinetic + potential, np.ptp(kinetic)
    return bool(np.abs(energy - energy[0]).max() < 1e-9 * (traded if traded > 1e-6 * kinetic.max() else kinetic.max()))


@pytest.mark.parametrize("name", IN_THE_MASTER)
def test_the_master_keeps_energy(name):
    system = CONSERVATIVE[name]()
    options = {"solver": "dop853", "rtol": TOLERANCE, "atol": TOLERANCE}
    result = system.simulate(STOP, output_times=TIMES, outputs=["*.energy.*"], **options)
    assert result.outcome.ending is Ending.COMPLETED
    kinetic, potential = (sum(result[f"{body}.energy.{kind}"] for body in bodies(system)) for kind in ("kinetic", "potential"))
    assert kept(kinetic, potential)


def energies(fmu: Driver, system: System) -> list[float]:
    """Returns the energies of motion and of height."""
    found = [fmu.get([f"{body}.energy.{kind}" for body in bodies(system)]) for kind in ("kinetic", "potential")]
    return [sum(values.values()) for values in found]


def by_scipy(path: Path, system: System) -> np.ndarray:
    with Driver(path, "me") as fmu:
        fmu.start(tolerance=TOLERANCE)

        def rates(t: float, x: np.ndarray) -> np.ndarray:
            try:
                fmu.at(t, x)
                return fmu.derivatives
            except FMICallException as error:
                assert error.status == DISCARD  # a smaller step is asked for, which SciPy takes after what is no number
                return np.full(len(x), np.nan)

        solution = solve_ivp(rates, (0, STOP), fmu.states, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE, t_eval=TIMES)
        assert solution.success
        rows = []
        for t, x in zip(TIMES, solution.y.T, strict=True):
            fmu.at(t, x)
            rows.append(energies(fmu, system))
    return np.array(rows)


def by_itself(path: Path, system: System) -> np.ndarray:
    with Driver(path, "cs") as fmu:
        fmu.start(tolerance=TOLERANCE)
        rows = [energies(fmu, system)]
        for k in range(len(TIMES) - 1):
            fmu.step(TIMES[k], TIMES[1])
            rows.append(energies(fmu, system))
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("run", [by_scipy, by_itself])
@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("name", ALL)
def test_an_exported_mechanism_keeps_energy(name: str, fmi: int, run: Callable[[Path, System], np.ndarray]):
    """Both kinds and versions do: Bricard's too, whose redundancy it finds, and those with angles that count turns."""
    system = CONSERVATIVE[name]()
    assert kept(*run(exported(name, fmi), system).T)


_KEPT: dict[tuple[str, int], Path] = {}


def exported(name: str, fmi: int) -> Path:
    """Made once for both kinds."""
    if (name, fmi) not in _KEPT:
        _KEPT[name, fmi] = export(CONSERVATIVE[name](), fmi)
    return _KEPT[name, fmi]
