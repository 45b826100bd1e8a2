"""Examples that switch, as exported FMUs of both versions in every kind and mode: the last row is that of the master."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import fmpy
import pytest

from tests.support.export.examples import exported, initial, states, system
from tests.support.export.kinds import EXACT, KINDS


@dataclass(frozen=True, kw_only=True)
class Switching:
    """A run in which events happen."""

    stop: float
    step: float
    implicit: bool = False
    run: dict[str, Any] = field(default_factory=dict)


CASES = {
    "06_hydraulic_crane": Switching(stop=1.5, step=0.05, run={"solver": "cvode"}, implicit=True),
    "08_motor_slider_crank": Switching(stop=0.15, step=0.01, run={"solver": "cvode"}),
    "09_gantry_crane": Switching(stop=2.0, step=0.1),
    "28_loader": Switching(stop=5.0, step=0.1, run={"solver": "cvode"}, implicit=True),
    "31_stick_slip": Switching(stop=2.0, step=0.1),
    "32_clutch": Switching(stop=4.0, step=0.1),
    "33_pendulum_at_wall": Switching(stop=2.0, step=0.1),
    "34_newtons_cradle": Switching(stop=1.0, step=0.05),
    "35_walkers_foot": Switching(stop=0.1, step=0.01),
    "36_walking_leg": Switching(stop=0.72, step=0.04),
}
QUICK = ("31_stick_slip", "32_clutch")
ROUNDING = 1e-6
"""Values below this count as rounding, in any unit here."""


def fmu_of(name: str, fmi: int) -> Path:
    return exported(name, fmi, implicit=CASES[name].implicit)


@cache
def expected(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """The last row of the states by the master, and the greatest value of each unit."""
    case = CASES[name]
    own = states(name)
    described = fmpy.read_model_description(str(fmu_of(name, 3)))
    assert [v.derivative.name for v in described.modelVariables if v.derivative] == list(own)
    run = {"rtol": 1e-12, "atol": 1e-13, "outputs": list(own.values()), "initial": initial(name)} | case.run
    result = system(name).simulate(case.stop, **run)
    assert result.outcome.completed and result.statistics.state_events + result.statistics.time_events > 0
    size = dict.fromkeys((result.units[each] for each in own.values()), ROUNDING)
    for each in own.values():
        size[result.units[each]] = max(size[result.units[each]], abs(result[each]).max())
    return (
        {new: float(result[each][-1]) for new, each in own.items()},
        {new: size[result.units[each]] for new, each in own.items()},
    )


@pytest.mark.parametrize(
    ("name", "fmi", "kind"),
    [
        pytest.param(name, fmi, kind, marks=() if name in QUICK else pytest.mark.slow)
        for name in CASES
        for fmi in (2, 3)
        for kind in list(KINDS)[: 2 if fmi == 2 else None]
    ],
)
def test_the_last_row_is_the_masters(name: str, fmi: int, kind: str) -> None:
    case = CASES[name]
    final, size = expected(name)
    found = KINDS[kind](fmu_of(name, fmi), list(final), case.stop, case.step)
    off = {each: abs(found[each] - final[each]) / size[each] for each in final}
    assert max(off.values()) <= EXACT[kind], sorted(off.items(), key=lambda item: -item[1])[:5]
