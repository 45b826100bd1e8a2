"""The way of evaluation of all runs of a sweep. It is reported once, in the words of a single run, to which each run is bit-identical."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coupling import Isolation, System
from coupling.fused import coded
from coupling.kernel.hosts.sandbox import lacks
from coupling.sweep import sweep
from tests.coupling.fused.test_coded import fail
from tests.coupling.live.test_fused_islands import arm
from tests.support.systems.systems import pendulum


def rubbing() -> System:
    """Returns a chain with friction that follows from multipliers, of more of which than here no graph is made."""
    system = System("rubbing", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    end = "ground.p1"
    for place, name in enumerate(("rod", *(f"rod{i}" for i in range(2, 22)))):
        system.add(f"pin_of_{name}", "planar.RevoluteFriction", {"mu": 0.1, "radius": 0.01})
        system.add(name, "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": place + 0.5})
        system.connect(end, f"pin_of_{name}.M")
        system.connect(f"pin_of_{name}.N", f"{name}.p1")
        end = f"{name}.p2"
    return system


COSIMULATED = {"communication_step": 0.02}
SANDBOXED = {"isolate": Isolation(which="all", sandbox=True)}
CASES = {
    "communication step": (pendulum, COSIMULATED, ("tape", "compiled"), "FMUs integrate by themselves; derivatives were found by the FMUs"),
    "no graph": (rubbing, {}, ("tape", "compiled"), "derivatives were found by the FMUs"),
    "sandbox": (
        pendulum,
        SANDBOXED,
        ("compiled",),
        "leave sandbox out for compiled code; derivatives were found by a tape of their equations",
    ),
    "no compiler": (pendulum, {}, ("compiled",), "no C compiler was found; derivatives were found by a tape of their equations"),
    "as asked": (pendulum, {}, ("tape", "compiled", "fmus", "auto"), ""),
    "an FMU of others": (arm, {}, ("tape", "auto"), ""),
}


@pytest.mark.parametrize(("case", "evaluation"), [(case, evaluation) for case, given in CASES.items() for evaluation in given[2]])
def test_a_way_that_cannot_be_had_is_said_once(case: str, evaluation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    make: Callable[[], System]
    make, options, _, ending = CASES[case]  # type: ignore[assignment]
    if case == "sandbox" and lacks():
        # Kernels before Linux 6.2 have no sandbox, and runs that ask for one are refused there.
        pytest.skip(lacks())
    if case == "no compiler":
        monkeypatch.setattr(coded, "functions", fail)
    alone = [make().simulate(0.1, start_values={"rod.m": mass}, evaluation=evaluation, **options) for mass in (1.0, 2.0)]  # type: ignore[arg-type]
    table = sweep(make(), {"rod.m": [1.0, 2.0]}, stop_time=0.1, evaluation=evaluation, **options)
    said = [warning for warning in alone[0].outcome.warnings if warning.startswith("evaluation = ")]
    assert table.outcome.warnings == said and len(said) == bool(ending) and all(warning.endswith(ending) for warning in said)
    for run, outcome in zip(alone, table.outcomes, strict=True):
        assert outcome.warnings == [warning for warning in run.outcome.warnings if warning not in said]
    assert list(table["rod.theta"]) == [run["rod.theta"][-1] for run in alone]
