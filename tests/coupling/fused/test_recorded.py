"""Values recorded between events follow from the graph: the FMUs' numbers, for all recordable variables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coupling import Result, System
from coupling.fused import recorded
from coupling.fused.not_fused import NotFused
from coupling.live import fused, program
from tests.coupling.fused.test_examples import CASES, example
from tests.coupling.live.test_stabilisation import four_bars, moving
from tests.support.fused.agreement import ALLOWED, recorded_disagreement
from tests.support.fused.chains import chain
from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import braced_parallelogram
from tests.whole.test_singular_poses import rockers

MOVED = [case for case in CASES if case[0] != "34_newtons_cradle"]
"""Cases that can be evaluated at random states: the spheres of the cradle touch in its own pose only."""


@pytest.mark.parametrize(
    ("name", "function"), [case if case[0] == "32_clutch" else pytest.param(*case, marks=pytest.mark.slow) for case in MOVED], ids=str
)
def test_all_variables_of_an_example(name, function):
    assert recorded_disagreement(getattr(example(name), function)().build(communication=False)) < ALLOWED


def swing() -> System:
    """Returns a system with a drive that jumps, and with variables that change at events only."""
    system = System("swing", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.add("motor", "planar.Wrench")
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.connect("motor.M", "rod.p2")
    system.drive("motor.Cz", [(0.0, 0.0), (0.25, 0.0), (0.25, 3.0), (1.0, 1.0)])
    return system


MACHINES = {
    "four-bars": (lambda: four_bars(2), {"start_values": moving(2, 1.0)}, 1e-12),
    "seven bodies": (seven_bodies.system, {"stop_time": 0.005}, 1e-12),
    "drive that jumps": (swing, {}, 1e-12),
    "singular pose": (lambda: rockers(2, np.pi / 2, 1.0), {"stop_time": 2.0, "rtol": 1e-6}, 1e-6),
    "redundant": (braced_parallelogram, {"rtol": 1e-6}, 1e-9),
}
"""Systems, options, and what rows may be off: where equations are nearly singular their multipliers are as uncertain."""


def sizes(result: Result) -> np.ndarray:
    """Returns for each column the greatest value of its instance."""
    greatest = np.abs(result.values).max(axis=0)
    instance = [name.rsplit(".", 1)[0].split(".")[0] for name in result.names]
    return np.array([max(g for g, other in zip(greatest, instance, strict=True) if other == each) for each in instance])


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("evaluation", ["tape", "compiled"])
def test_rows_are_those_of_the_fmus(name, evaluation, monkeypatch):
    """Two runs with the same evaluations, one of which has the FMUs make its rows: rows at events, the values between them that change at
    events only, and multipliers of the general equations where these were asked are the same."""
    make, options, allowed = MACHINES[name]
    options = {"stop_time": 0.5, "output_times": np.linspace(0, options.get("stop_time", 0.5), 23), "outputs": ["*"], **options}
    ours = make().simulate(**options, evaluation=evaluation)
    monkeypatch.setattr(fused, "fuse_record", lambda kernel, structure: None)
    theirs = make().simulate(**options, evaluation=evaluation)
    assert ours.names == theirs.names and np.array_equal(ours.time, theirs.time)
    assert ours.statistics.by_fmus == theirs.statistics.by_fmus == 0
    assert ours.statistics.evaluations == theirs.statistics.evaluations
    assert ours.statistics.seconds_in_fmus <= ours.statistics.seconds_running
    assert np.all(np.abs(ours.values - theirs.values).max(axis=0) <= allowed * sizes(theirs))
    assert not np.array_equal(ours.values, theirs.values), "rows were made by the same way"


def test_what_no_graph_holds_stays_with_the_fmus(monkeypatch):
    """A variable that follows from a function without an operation: rows are as ever."""

    def refuse(*given: object) -> None:
        raise NotFused("'rod.energy' contains 'erf', for which fused code has no operation")

    expected = chain(2).simulate(0.3, evaluation="tape")
    monkeypatch.setattr(program, "recorded_kept", refuse)
    found = chain(2).simulate(0.3, evaluation="tape")
    assert found.statistics.evaluated == fused.BY_TAPE
    assert np.allclose(found.values, expected.values, rtol=0, atol=1e-12 * np.abs(expected.values).max())


def test_rows_of_large_systems_are_made_by_a_tape(monkeypatch):
    """The tape makes them where evaluations are compiled as well."""
    built = chain(2).build(communication=False)
    wanted = [built.address(1, "theta"), built.address(1, "p2.x")]
    assert recorded.recorded_kept(built, wanted, True)[1]
    monkeypatch.setattr(recorded, "STRAIGHT", 0)
    assert not recorded.recorded_kept(built, wanted, True)[1]


def test_a_row_that_is_no_number_is_left_to_the_fmus(monkeypatch):
    """The FMUs name the variable that is not a number."""
    expected = chain(2).simulate(0.3, evaluation="tape")
    made = program.recorded_kept

    def spoilt(*given):
        code, functions = made(*given)
        return replace(code, initial=np.append(code.initial, np.nan), columns=[len(code.initial)] * len(code.columns)), functions

    monkeypatch.setattr(program, "recorded_kept", spoilt)
    found = chain(2).simulate(0.3, evaluation="tape")
    assert found.statistics.evaluations == expected.statistics.evaluations
    assert np.allclose(found.values, expected.values, rtol=0, atol=1e-12 * np.abs(expected.values).max())
