"""A session that runs again: the same bits as a new system, in any order, whatever ran before."""

from __future__ import annotations

import gc
import math
import os
import resource
import threading
from collections.abc import Callable

import numpy as np
import pytest

from coupling import BuildError, Result, Scheme, System
from coupling.live.running import Running
from coupling.live.start import start_again
from tests.support import foreign
from tests.support.runtime.runtime_components import BouncingBall
from tests.support.systems import seven_bodies
from tests.support.systems.sessions import started
from tests.support.systems.systems import pendulum, refusal


def same(a: Result, b: Result) -> None:
    """Every value of every row, and what is said of the run."""
    assert a.names == b.names
    assert np.array_equal(a.time, b.time) and np.array_equal(a.values, b.values)
    assert str(a.outcome) == str(b.outcome)


MASSES = [1.0, 1.5, 0.2, 1.5, 3.0, 1.0]
OPTIONS = [
    {},
    {"solver": "dop853"},
    {"solver": "cvode"},
    {"communication_step": 0.01},
    {"communication_step": 0.01, "scheme": "implicit"},
    {"communication_step": 0.01, "scheme": Scheme("gauss-seidel", step_control="adaptive")},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_run_has_the_same_bits_as_that_of_a_new_system(options: dict) -> None:
    """The other masses come in any order; earlier runs leave no trace."""
    again = pendulum()
    for mass in MASSES:
        fresh = pendulum()
        same(again.simulate(0.3, start_values={"rod.m": mass}, **options), fresh.simulate(0.3, start_values={"rod.m": mass}, **options))


def ball() -> System:
    system = System()
    system.add("it", BouncingBall)
    return system


@pytest.mark.parametrize(("make", "stop", "values"), [(ball, 1.5, {"it.h": 0.7}), (seven_bodies.system, 0.002, {"link1.m": 0.05})])
def test_events_and_loops_leave_no_trace(make: Callable[[], System], stop: float, values: dict[str, float]) -> None:
    """The first run, another one, and the first again: to the last bit."""
    system = make()
    first, other = system.simulate(stop), system.simulate(stop, start_values=values)
    same(system.simulate(stop), first)
    same(make().simulate(stop, start_values=values), other)
    assert first.values.shape != other.values.shape or (first.values != other.values).any()


def test_values_of_one_run_are_not_those_of_the_next() -> None:
    """Start values belong to one instance, to two or to none, all started in one call, with names as before or not. A new system gives the
    same."""
    again = pendulum()
    runs = (
        {"rod.m": 2.0},
        {"rod.m": 3},
        {"rod.gy": -5.0, "rod.m": 1.5},
        {"rod.m": 3.0, "rod.gy": -2.0},
        {"ground.p1.angle": 0.1, "rod.m": 2.0},
        {},
    )
    for values in (*runs, {"ground.p1.angle": 0.2}, {"ground.p1.angle": -0.0}, {"rod.m": 2.0}, {}):
        same(again.simulate(0.3, start_values=values), pendulum().simulate(0.3, start_values=values))


def test_start_values_of_a_run_are_those_of_add() -> None:
    """They count over those of ``add``, for one run."""
    system, other = pendulum(), System("pendulum")
    for name, fmu, start in (
        ("ground", "planar.Fixed", None),
        ("pin", "planar.Revolute", None),
        ("rod", "planar.Body1", dict(pendulum().start_values["rod"]) | {"m": 2.0, "I": 0.4}),
    ):
        other.add(name, fmu, start)
    for a, b in pendulum().connections:
        other.connect(a, b)
    first = system.simulate(0.3)
    same(system.simulate(0.3, start_values={"rod.m": 2.0, "rod.I": 0.4}), other.simulate(0.3))
    same(system.simulate(0.3), first)


def test_an_assembled_start_is_found_anew() -> None:
    """States that the run gives are held; the others move."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    for theta in (0.3, 1.0, 0.3):
        result = system.simulate(0.1, initial="assemble", start_values={"rod.theta": theta})
        assert result["rod.theta"][0] == theta
        assert result["rod.x"][0] == pytest.approx(0.5 * np.cos(theta), abs=1e-12)
        assert result["rod.y"][0] == pytest.approx(0.5 * np.sin(theta), abs=1e-12)


def test_foreign_fmus_run_again(fmi: int) -> None:
    """They are instantiated anew, so that nothing depends on how well they reset."""
    system, fresh = System(), System()
    for each in (system, fresh):
        each.add("osc", foreign.oscillator(fmi))
    first = system.simulate(1.0)
    same(system.simulate(1.0), first)
    same(fresh.simulate(1.0), first)


def test_a_run_that_failed_leaves_the_next_one_alone() -> None:
    """Its instances are freed, and the next run makes new ones."""
    system = pendulum()
    expected = system.simulate(0.3)
    assert not system.simulate(0.3, max_steps=2).outcome.completed
    same(system.simulate(0.3), expected)
    refusal(lambda: system.simulate(0.3, start_values={"rod.x": 5.0}), Exception)
    same(system.simulate(0.3), expected)


def test_a_run_that_makes_no_sense_leaves_the_system_open() -> None:
    """A mistyped option can be corrected: the system is not frozen by the failed run."""
    system = pendulum()
    for options in ({"start_values": {"rod.mm": 1.0}}, {"outputs": ["rod.mm"]}, {"atol": {"rod.mm": 1.0}}, {"outputs": [["rod.x"]]}):
        refusal(lambda options=options: system.simulate(0.1, **options), BuildError)
    system.drive("rod.p1.Fx", 0.0)
    assert system.simulate(0.1, outputs=iter(["rod.x"])).names == ["rod.x"]


def test_runs_in_two_threads() -> None:
    """Each thread has instances of its own."""
    system, found = pendulum(), {}
    expected = {mass: pendulum().simulate(0.2, start_values={"rod.m": mass}) for mass in (1.0, 2.0)}
    system.build()

    def runs(mass: float) -> None:
        found[mass] = [system.simulate(0.2, start_values={"rod.m": mass}) for _ in range(5)]

    threads = [threading.Thread(target=runs, args=(mass,)) for mass in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mass, results in found.items():
        for result in results:
            same(result, expected[mass])


def test_many_runs_leave_nothing() -> None:
    """Neither memory nor open files remain: a leak of 100 bytes a run would show."""
    system = pendulum()

    def run(count: int) -> None:
        for i in range(count):
            system.simulate(0.01, start_values={"rod.m": 1.0 + i % 7}, output_times=[0.01])

    run(200)
    gc.collect()  # what earlier tests have left open would be closed in between
    files, memory = len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(1000)
    assert len(os.listdir("/proc/self/fd")) == files
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 500  # kB


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([("rod.m", 1.0)], "start_values = [('rod.m', 1.0)] is refused: give them by full names, such as {'rod.m': 2.0}"),
        ({3: 1.0}, "start_values has 3 for a name; give full names of variables, such as 'rod.m'"),
        ({"rd.m": 1.0}, "start_values: there is no instance 'rd'; did you mean 'rod'?"),
        ({"rod.mm": 1.0}, "'rod' (planar.Body1) has no variable 'mm' to start from; did you mean 'm'?"),
        ({"rod": 1.0}, "start_values: 'rod' is an instance; give the full names of its variables, such as 'rod.m'"),
        ({"rod.m": 10**400}, f"'rod.m' = 1{'0' * 56}... is refused: it is too large for a number of double precision"),
        ({"rod.p1": 1.0}, "start_values: 'rod.p1' is a port; name one of its variables"),
        ({"rod.m": "heavy"}, "'rod.m' = 'heavy' is refused: it must be a number"),
        ({"rod.ax": 1.0}, None),
    ],
)
def test_start_values_that_make_no_sense(values: object, sentence: str | None) -> None:
    """The message gives name and value, before anything runs."""
    said = refusal(lambda: pendulum().simulate(1.0, start_values=values), BuildError)  # type: ignore[arg-type]
    assert said == sentence or (sentence is None and "rod" in said)


def test_a_driven_input_has_the_value_of_its_drive() -> None:
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    system.drive("push.Fx", 1.0)
    assert refusal(lambda: system.simulate(0.1, start_values={"push.Fx": 2.0}), BuildError) == (
        "start_values: 'push.Fx' is driven, and its drive gives its value; give the value in drives, or leave it out"
    )


# -- drives of one run ---------------------------------------------------------------------------------------------------


def pushed(**drives: object) -> System:
    """A pendulum with a wrench on its rod, driven as given and otherwise by nothing."""
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.connect("push.M", "rod.p1")
    for name, drive in {"Fx": 0.0, "Fy": 0.0, "Cz": 0.0, **drives}.items():
        system.drive(f"push.{name}", drive)  # type: ignore[arg-type]
    return system


def wave(t: float) -> float:
    return math.sin(5 * t)


@pytest.mark.parametrize("other", [3.0, [(0.0, 1.0), (0.2, 1.0), (0.2, -1.0)], wave], ids=["constant", "table", "function"])
@pytest.mark.parametrize("own", [1.0, [(0.0, 0.0), (1.0, 2.0)]], ids=["of a constant", "of a table"])
def test_drives_of_one_run_are_those_of_a_system_with_them(own: object, other: object) -> None:
    """The results are bit-identical, and the next run has its own drives again; start values may be given as well."""
    system = pushed(Cz=own)
    before = system.simulate(0.4)
    for mass in (1.0, 2.0):
        found = system.simulate(0.4, drives={"push.Cz": other}, start_values={"rod.m": mass})  # type: ignore[dict-item]
        same(found, pushed(Cz=other).simulate(0.4, start_values={"rod.m": mass}))
    assert found["rod.theta"][-1] != before["rod.theta"][-1]
    same(system.simulate(0.4), before)


def test_many_drives_are_not_all_kept() -> None:
    """A run's own variant of the system is freed when others come."""
    system = pushed()
    for i in range(8):
        system.simulate(0.0, drives={"push.Fx": [(0.0, float(i))]})
    simulator = system._simulator
    assert simulator is not None and len(simulator._driven_otherwise) == simulator._MOST_WAITING
    for i in range(8):
        system.simulate(0.0, drives={"push.Fx": float(i)})
    assert len(simulator._waiting) == 1


@pytest.mark.parametrize(
    ("drives", "sentence"),
    [
        (3, "drives = 3 is refused: give them by the full names of inputs, such as {'motor.tau': 2.0}"),
        ({3: 1.0}, "drives = {3: 1.0} is refused: give them by the full names of inputs, such as {'motor.tau': 2.0}"),
        ({"push.Fx": float("nan")}, "'push.Fx' cannot be driven by nan; give a finite number"),
        (
            {"push.Fz": 1.0},
            "'push.Fz' cannot be driven: 'push' (planar.Wrench) has no port or variable 'Fz'; its inputs are 'Fx', 'Fy', 'Cz'",
        ),
        ({"rod.m": 1.0}, "'rod.m' cannot be driven: it is a parameter; set it by a start value"),
    ],
)
def test_drives_that_make_no_sense(drives: object, sentence: str) -> None:
    assert refusal(lambda: pushed().simulate(0.1, drives=drives), BuildError) == sentence  # type: ignore[arg-type]


def test_start_values_of_the_same_names_are_put_where_those_of_the_last_run_were() -> None:
    """Values are compared to the bit: 0.0 equals -0.0. Start values of other names are prepared anew."""
    with started(pendulum()) as session:
        rod = next(i for i, part in enumerate(session.built.parts) if part.name == "rod")
        kept, signs = [], []
        for value in (0.0, 0.0, -0.0):
            start_again(session, Running(run=session.run, values={(rod, "omega"): value}))
            kept.append(session.given.last(rod))
            signs.append(math.copysign(1.0, kept[-1].arrays[2][kept[-1].places.index(kept[-1].names.index("omega"))]))
        start_again(session, Running(run=session.run, values={(rod, "theta"): 0.0}))
    assert kept[0] is kept[1] is kept[2] is not session.given.last(rod)
    assert signs == [1.0, 1.0, -1.0]
