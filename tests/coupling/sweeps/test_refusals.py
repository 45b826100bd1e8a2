"""Refusals of a sweep, before it runs or where a run cannot begin; and other forms of input that it accepts."""

from __future__ import annotations

import errno
import math
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from coupling import BuildError, Ending, Isolation, Result, SweepError, rows_file
from coupling.fmus import Interface
from coupling.measures import final
from coupling.sweep import sweep
from coupling.sweeps.worker import run_chunk
from tests.support.systems.systems import pendulum, pushed, refusal


def spread(result: Result) -> dict[str, float]:
    return {"low": result["rod.y"].min(), "high": result["rod.y"].max()}


@pytest.mark.parametrize(
    ("points", "options", "sentence"),
    [
        *(
            (given, {}, "a sweep over nothing is refused: give values by name, such as {'rod.m': [1.0, 2.0]}, a sample, or mappings such as {'rod.m': 1.0} one after the other")
            for given in ({}, [])
        ),
        (3, {}, "a sweep over 3 is refused: give values by name, such as {'rod.m': [1.0, 2.0]}, a sample, or mappings such as {'rod.m': 1.0} one after the other"),
        ([3], {}, "point 0 is 3: give values by name, such as {'rod.m': [1.0, 2.0]}, a sample, or mappings such as {'rod.m': 1.0} one after the other"),
        ([{"rod.m": 1.0}], {"combine": "grid"}, "combine = 'grid' is for values by name, and a list of mappings is a list of points already; leave it out"),
        ({"rod.m": 2.0}, {}, "'rod.m': 2.0 is refused: give a list of values; values common to all runs go into start_values"),
        ({"rod.m": []}, {}, "'rod.m' has no values; give at least one"),
        ({3: [1.0]}, {}, "a sweep has 3 for a name; give full names of variables, such as 'rod.m'"),
        ({"rod.m": [1], "rod.I": [1, 2]}, {"combine": "zip"}, "values that belong together have to be as many of each: there are 1 of 'rod.m', 2 of 'rod.I'; choose combine='grid' for all combinations"),
        ({"rod.m": [1]}, {"combine": "both"}, "combine = 'both' is unknown; choose 'grid' for all combinations, or 'zip' for values that belong together"),
        ({"rod.mm": [1]}, {}, "'rod' (planar.Body1) has no variable 'mm' to start from; did you mean 'm'?"),
        ({"rod.m": [1]}, {"start_values": {"rod.x1": 2.0}}, "'rod' (planar.Body1) has no variable 'x1' to start from; did you mean 'x'?"),
        ({"rod.m": [1]}, {"start_values": {"rod.m": math.nan}}, "'rod.m' = nan kg is refused: it must be a finite number"),
        ({"rod.m": [1]}, {"drives": {"rod.x1": 2.0}}, "'rod.x1' cannot be driven: 'rod' (planar.Body1) has no port or variable 'x1'; it has no inputs beside those of its ports"),
        ({"rdo.m": [1]}, {}, "the points of the sweep: there is no instance 'rdo'; did you mean 'rod'?"),
        ({"rod": [1]}, {}, "the points of the sweep: 'rod' is an instance; name one of its ports or variables, such as 'rod.p1'"),
        ({"rod.p1.x": [1]}, {}, None),
        ({"rod.m": [1]}, {"solvr": 1}, "a sweep has no option 'solvr'; did you mean 'solver'?"),
        (
            {"rod.m": [1]},
            {"checkpoint": "run.ckpt"},
            "checkpoint names one file, and each run of a sweep would need its own; the points that are done are kept by folder='runs'",
        ),
        (
            {"rod.m": [1]},
            {"isolate": Isolation(which="none", on_crash="restart")},
            "on_crash is for runs with a checkpoint, which runs of a sweep do not have; leave "
            "it out: a run whose FMU ends its process gives a failed row, and the sweep continues",
        ),
        ({"rod.m": [1]}, {"record_to": "run.jrd"}, "record_to names one file, and each run of a sweep needs its own; give folder='runs' instead"),
        ({"rod.m": [1]}, {"rtol": 2.0}, "rtol = 2 is refused: it must lie between 0 and 1; 1e-8 is the default"),
        ({"rod.m": [1]}, {"on_failure": "stop"}, "on_failure = 'stop' is unknown; choose 'record', or 'raise' to end the sweep"),
        ({"rod.m": [1]}, {"measure": 3}, "the measure 3 is refused: give functions of a result, such as jourdain.measures.final('rod.theta')"),
        ({"rod.m": [1]}, {"measure": [final("rod.x")] * 2}, "two measures are called 'final(rod.x)'; give them by name, such as {'first': ..., 'second': ...}"),
        ({"rod.m": [1]}, {"keep": [3]}, "keep = [3] is refused: give a list of full names, such as ['rod.theta']"),
        ({"rod.m": [1]}, {"start_values": 3}, "start_values = 3 is refused: give them by full names, such as {'rod.m': 2.0}"),
        ({"rod.m": [1]}, {"drives": [3]}, "drives = [3] is refused: give values for all runs by full names, such as {'rod.m': 2.0}"),
        ({"rod.m": [1]}, {"folder": 3}, "folder = 3 is no path; give that of a folder for the files of the runs"),
        *(
            ({"rod.m": [1]}, {"executor": given}, f"executor = {given!r} is refused: choose 'threads', 'processes', a number of processes, an executor of concurrent.futures, or a client of Dask; left out, the runs are made here, one after the other")
            for given in (0, True, "process", 2.0)
        ),
        ({"rod.m": [1]}, {"executor": 1, "measure": lambda result: 1.0}, "the measure 'measure' cannot be sent to other processes; define it by 'def' at the top of a module, take one of jourdain.measures, or choose 'threads'"),
    ],
)  # fmt: skip
def test_sweeps_that_there_are_not(points: object, options: dict, sentence: str | None) -> None:
    """They are refused before anything runs."""
    said = refusal(lambda: sweep(pendulum(), points, **{"stop_time": 0.1, **options}), BuildError)
    assert said == sentence or (sentence is None and said.startswith("'rod.p1.x' = 0.0 is refused: it is an output variable"))


def test_values_that_no_run_can_take_are_rows() -> None:
    """Each with its sentence; the others are made."""
    table = sweep(pendulum(), {"rod.m": [1.0, math.nan, math.inf, None, "a", 2.0]}, stop_time=0.0, measure=final("rod.x"))
    assert table.failed == [1, 2, 3, 4] and {each.ending for each in table.outcomes[1:5]} == {Ending.REFUSED}
    assert [each.sentence for each in table.outcomes[1:5]] == [
        "'rod.m' = nan kg is refused: it must be a finite number",
        "'rod.m' = inf kg is refused: it must be a finite number",
        "'rod.m' = None is refused: it must be a number",
        "'rod.m' = 'a' is refused: it must be a number",
    ]


def test_what_is_no_system_is_refused() -> None:
    assert refusal(lambda: sweep({"rod.m": [1.0]}, pendulum(), stop_time=0.0), BuildError) == (  # type: ignore[arg-type]  # what is tested
        "a sweep of {'rod.m': [1.0]} is refused: give the System first, then the points"
    )


def test_a_column_has_one_meaning() -> None:
    """A start value that is swept stays beside the last value of its variable; a measure of a name that is taken is wrong."""
    table = sweep(pendulum(), {"rod.m": [2.0], "rod.omega": [0.0]}, stop_time=0.1)
    alone = pendulum(m=2.0).simulate(0.1)
    assert table["rod.omega"][0] == 0.0 and table["final(rod.omega)"][0] == alone["rod.omega"][-1] != 0.0

    def said(measure: object) -> str:
        return refusal(lambda: sweep(pendulum(), {"rod.m": [2.0]}, stop_time=0.0, measure=measure), SweepError)  # type: ignore[arg-type]  # what is tested

    assert "it gives 'rod.m', which is a value of the points, or of another measure; give it another name" in said(
        {"rod.m": final("rod.x")}
    )
    assert "it gives 'low', which is a value of the points, or of another measure; give it another name" in said(
        [spread, lambda result: {"low": 1.0}]
    )
    assert "it gives 'outcome', which is a column of each table; give it another name" in said({"outcome": final("rod.x")})


def test_rows_of_a_data_frame_are_points() -> None:
    """The rows of another table are points, too."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    frame = pandas.DataFrame({"rod.m": [1.0, 2.0], "rod.I": [0.1, 0.2]})
    table = sweep(pendulum(), frame, stop_time=0.0, measure=final("rod.x"))
    assert [(row["rod.m"], row["rod.I"]) for row in table] == [(1.0, 0.1), (2.0, 0.2)]
    assert len(sweep(pendulum(), frame, combine="grid", stop_time=0.0)) == 4


def test_a_function_that_workers_do_not_know_has_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions typed into a notebook are such functions."""

    def typed(result: Result) -> float:
        return 1.0

    main = sys.modules["__main__"]
    typed.__module__, typed.__qualname__ = "__main__", "typed"
    monkeypatch.setattr(main, "typed", typed, raising=False)
    packed = pickle.dumps(typed)
    monkeypatch.delattr(main, "typed")
    assert "a worker cannot read its task: Can't get attribute 'typed' on <module" in refusal(lambda: run_chunk(packed, []), SweepError)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message comes at the first run."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(rows_file, "write", full)
    said = refusal(lambda: sweep(pendulum(), {"rod.m": [1.0]}, stop_time=0.0, folder=tmp_path), OSError)
    assert said.startswith(f"the run cannot be written to '{tmp_path}/000000-") and said.endswith(
        "No space left on device; make room there, or choose another path"
    )


def test_points_of_other_names_are_refused() -> None:
    """The refusal comes with the point, since its names are not known before."""
    points = [{"rod.m": 1.0}, {"rod.I": 1.0}]
    assert refusal(lambda: sweep(pendulum(), points, stop_time=0.0), BuildError) == (
        "point 1 has 'rod.I', and point 0 has 'rod.m'; give values of the same names at each point"
    )


def test_what_cannot_travel_or_run_side_by_side_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that drives an input, and an FMU of which a process can have one instance only."""
    system = pushed(lambda t: t)
    assert refusal(lambda: sweep(system, {"rod.m": [1.0]}, stop_time=0.1, executor=1), BuildError) == (
        "the function that drives 'push.Fx' cannot be sent to other processes; define it by 'def' at the top of a module, take one of "
        "jourdain.measures, or choose 'threads'"
    )
    given = {"push.Fx": lambda t: t}
    assert refusal(lambda: sweep(pushed(), {"rod.m": [1.0]}, stop_time=0.1, executor=1, drives=given), BuildError).startswith(
        "the function that drives 'push.Fx' cannot be sent to other processes"
    )
    assert len(sweep(system, {"rod.m": [1.0]}, stop_time=0.1, executor="threads")) == 1
    monkeypatch.setattr(Interface, "once_per_process", True)
    assert refusal(lambda: sweep(pendulum(), {"rod.m": [1.0]}, stop_time=0.1, executor="threads"), BuildError) == (
        "'ground', 'pin', 'rod' can be instantiated only once in a process, and threads cannot run the system side by side; choose executor='processes'"
    )


@pytest.mark.slow
def test_a_script_without_a_main_guard_gets_a_sentence(tmp_path: Path) -> None:
    """Each of its processes would begin with the sweep; none leaves a trace of its own."""
    script = tmp_path / "study.py"
    script.write_text(
        textwrap.dedent(
            """
            from jourdain import System, sweep
            rod = System("rod")
            rod.add("rod", "planar.Body1")
            sweep(rod, {"rod.m": [1.0, 2.0]}, stop_time=0.1, executor=1)
            """
        )
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
    assert done.stderr.strip().splitlines()[-1] == (
        "coupling.errors.SweepError: the processes ended before their first run: each of them begins by running 'study.py', and reaches the sweep again; put "
        "the statements of the script below  if __name__ == \"__main__\":  or choose executor='threads'"
    )
    assert done.stderr.count("Traceback") == 1
