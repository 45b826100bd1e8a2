"""Many runs: the table is the same for every executor, after failures, crashes and interruptions too."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Outcome, Result, SweepError, System
from coupling.files import open_part
from coupling.measures import final, peak
from coupling.sampling import sample
from coupling.sweep import sweep
from coupling.sweeps.table import SweepTable
from coupling.sweeps.task import Row, Task
from tests.support import foreign
from tests.support.ssp import DECLARED
from tests.support.systems.interference import deadly, interrupted, killed_once
from tests.support.systems.systems import pendulum, pushed, refusal

MASSES = [1.0, 1.5, -1.0, 0.5, 3.0, 2.0, 1.0, 0.25, 2.5, 1.25]
POINTS = {"rod.m": MASSES, "rod.theta": [0.0] * 5 + [0.1] + [0.0] * 4}
"""Points of a sweep, of which one has an invalid mass, and one violates the pin."""
MEASURE = {"end": final("rod.theta"), "load": peak("pin.reaction")}
OPTIONS = {"stop_time": 0.2, "combine": "zip", "measure": MEASURE}


def same(a: SweepTable, b: SweepTable) -> None:
    """Checks that two tables are bit-identical, except in the timing columns."""
    assert len(a) == len(b) and a.names == b.names and list(a.measures) == list(b.measures)
    assert a.outcomes == b.outcomes
    for ours, theirs in ((a.parameters, b.parameters), (a.measures, b.measures)):
        assert all(np.array_equal(ours[name], theirs[name], equal_nan=True) for name in ours)


@pytest.fixture(scope="module")
def table() -> SweepTable:
    """Made in this process."""
    return sweep(pendulum(), POINTS, **OPTIONS)


# -- the table -----------------------------------------------------------------------------------------------------------


def test_each_row_is_a_run_of_its_own(table: SweepTable) -> None:
    """It equals the run of a new system with these values. A failing run gives a row with its reason, and changes no other."""
    assert table.failed == [2, 5] and table.missing == [] and table.outcome.sentence == "all 10 runs were made, 2 failed"
    for number, (mass, outcome) in enumerate(zip(MASSES, table.outcomes, strict=True)):
        if number in table.failed:
            assert outcome.ending is Ending.REFUSED and math.isnan(table["end"][number])
            continue
        alone = pendulum(m=mass).simulate(0.2)
        assert (table["end"][number], table["load"][number]) == (alone["rod.theta"][-1], alone["pin.reaction"].max())
        assert outcome == alone.outcome
    assert table.outcomes[2].sentence.startswith("'rod.m' = -1.0 kg is refused: it must be ")
    assert table.outcomes[5].sentence.startswith("the start violates constraints: pin.position[")


def test_what_a_table_shows(table: SweepTable, tmp_path: Path) -> None:
    """Rows, columns, frames and files have the same in them; what is not there is named."""
    frame = table.to_dataframe()
    assert list(frame.columns) == ["rod.m", "rod.theta", "end", "load", "ending", "outcome", "seconds"] and frame.index.name == "run"
    assert table[3] == {name: frame[name][3] for name in frame.columns} and table[-1] == table[9]
    assert [row["rod.m"] for row in table] == MASSES == list(table["rod.m"]) == list(table.parameters["rod.m"])
    assert frame["ending"].tolist() == [each.ending.name for each in table.outcomes] and (table.seconds > 0).all()
    table.to_csv(tmp_path / "sweep.csv")
    head, *rows = (tmp_path / "sweep.csv").read_text().splitlines()
    assert head == "run,rod.m,rod.theta,end,load,ending,outcome,seconds" and len(rows) == 10
    assert rows[0].startswith(f"0,1.0,0.0,{table['end'][0]!r},".replace("np.float64(", "").replace(")", ""))
    lines = str(table).splitlines()
    assert lines[0] == repr(table) and lines[1].split() == ["run", "rod.m", "rod.theta", "end", "load", "ending"]
    assert len({len(line) for line in lines[1:]}) == 1 and len(lines[1]) <= 80
    assert lines[4].split() == ["2", "-1", "0", "nan", "nan", "refused", "at", "its", "start"] and len(lines) == 12
    assert all(
        float(line.split()[3]) == pytest.approx(end, rel=1e-5, nan_ok=True) for line, end in zip(lines[2:], table["end"], strict=True)
    )
    assert repr(table) == "SweepTable('pendulum': 10 runs, 2 failed; all 10 runs were made, 2 failed)"
    assert refusal(lambda: table[10], IndexError) == "there is no run 10; the table has 10, from 0 on"
    assert "there is no column 'ende'; there are 'rod.m', " in refusal(lambda: table["ende"], KeyError)
    missing = tmp_path / "missing" / "sweep.csv"
    assert refusal(lambda: table.to_csv(missing), OSError) == (
        f"the table cannot be written to '{missing}': No such file or directory; choose another path"
    )
    assert refusal(lambda: table.to_csv(3), TypeError) == "3 is no path; give that of the file to be written, such as 'sweep.csv'"  # type: ignore[arg-type]  # what is tested


def test_a_row_can_be_run_once_more(table: SweepTable) -> None:
    """Its whole result, here; and a refused one is refused with its sentence."""
    assert table.rerun(3)["rod.theta"][-1] == table["end"][3]
    assert refusal(lambda: table.rerun(2)) == table.outcomes[2].sentence


@pytest.mark.parametrize(
    ("points", "combine", "rows"),
    [
        ({"rod.m": [1, 2], "rod.I": [0.1, 0.2, 0.3]}, None, [(m, i) for m in (1, 2) for i in (0.1, 0.2, 0.3)]),
        ({"rod.m": [1, 2], "rod.I": np.array([0.1, 0.2])}, "zip", [(1, 0.1), (2, 0.2)]),
        ([{"rod.m": 1.0, "rod.I": 0.1}, {"rod.I": 0.2, "rod.m": 2.0}], None, [(1.0, 0.1), (2.0, 0.2)]),
    ],
)
def test_points(points, combine, rows) -> None:
    """Grids vary the last name first; columns of a zip belong together; mappings come one by one."""
    table = sweep(pendulum(), points, stop_time=0.0, combine=combine, measure=final("rod.x"))
    assert [(row["rod.m"], row["rod.I"]) for row in table] == rows and table.names == ["rod.m", "rod.I"]


def test_a_sample_is_zipped() -> None:
    points = sample({"rod.m": (1, 3), "rod.I": (0.1, 0.2)}, 4)
    table = sweep(pendulum(), points, stop_time=0.0)
    assert len(table) == 4 and (table["rod.I"] == points["rod.I"]).all()


def spread(result: Result) -> dict[str, float]:
    return {"low": result["rod.y"].min(), "high": result["rod.y"].max()}


def test_measures_are_named() -> None:
    """A function by its name, several by theirs, numbers of a mapping by their own; without any, the last of everything."""

    def names(measure: object) -> list[str]:
        return list(sweep(pendulum(), {"rod.m": [1.0]}, stop_time=0.1, measure=measure).measures)

    assert names(peak("rod.x")) == ["peak(rod.x)"] and names(spread) == ["low", "high"]
    assert names([final("rod.x"), spread, lambda result: 1.0]) == ["final(rod.x)", "measure", "low", "high"]
    assert names({"b": final("rod.x"), "a": np.size}) == ["b", "a"]
    assert names(None) == pendulum().simulate(0.0).names


def test_what_is_kept_of_each_run() -> None:
    """The courses that are named, over time; nothing of a run that fails."""
    table = sweep(pendulum(), {"rod.m": [2.0, -1.0]}, stop_time=0.1, measure=final("rod.x"), keep=["rod.theta"])
    alone = pendulum(m=2.0).simulate(0.1)
    assert set(table.kept(0)) == {"time", "rod.theta"} and table.kept(1) == {}
    assert (table.kept(0)["rod.theta"] == alone["rod.theta"]).all() and (table.kept(0)["time"] == alone.time).all()
    assert set(sweep(pendulum(), {"rod.m": [2.0]}, stop_time=0.1, keep="rod.theta").kept(0)) == {"time", "rod.theta"}


def test_what_all_runs_have_in_common(tmp_path: Path) -> None:
    """Start values of a parameter set, outputs that can be asked for once only, and a bar on a terminal."""
    (tmp_path / "slim.ssv").write_text(
        f'<ssv:ParameterSet {DECLARED} version="1.0" name="slim"><ssv:Parameters>'
        '<ssv:Parameter name="rod.I"><ssv:Real value="0.25"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>'
    )
    options = {"stop_time": 0.1, "start_values": tmp_path / "slim.ssv"}
    table = sweep(pendulum(), {"rod.m": [1.0, 2.0]}, outputs=iter(["rod.x", "rod.theta"]), **options)
    assert list(table.measures) == ["rod.x", "rod.theta"]
    for mass, end in zip((1.0, 2.0), table["rod.theta"], strict=True):
        assert pendulum(m=mass).simulate(0.1, start_values={"rod.I": 0.25})["rod.theta"][-1] == end


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It counts runs; without a terminal no bar exists."""
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        sweep(pendulum(), {"rod.m": [1.0, 2.0]}, stop_time=0.0, progress=True)
        assert ("2/2" in (said := capsys.readouterr().err)) is terminal and bool(said) is terminal


def test_drives_are_swept() -> None:
    """A name that is driven gets another drive at each point, constant or table; those of all runs stay."""
    tables = [2.0, [(0.0, 0.0), (0.1, 1.0)], 2.0]
    table = sweep(
        pushed(), {"push.Cz": tables}, stop_time=0.2, drives={"push.Fx": 1.0}, start_values={"rod.m": 2.0}, measure=final("rod.theta")
    )
    for value, end in zip(tables, table["final(rod.theta)"], strict=True):
        assert pushed().simulate(0.2, drives={"push.Cz": value, "push.Fx": 1.0}, start_values={"rod.m": 2.0})["rod.theta"][-1] == end
    assert list(table["push.Cz"]) == tables


# -- whoever makes the runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", ["threads", "own threads", "own processes"])
def test_the_table_is_the_same_whoever_made_it(table: SweepTable, executor: str) -> None:
    """Threads, threads of the user, and processes of the user that are forks of this one, living FMUs included."""
    if executor == "threads":
        same(sweep(pendulum(), POINTS, executor="threads", **OPTIONS), table)
        return
    own = ThreadPoolExecutor(2) if executor == "own threads" else ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
    with own:
        for _ in range(2):
            same(sweep(pendulum(), POINTS, executor=own, **OPTIONS), table)
        assert own.submit(int).result() == 0


def test_processes_make_the_same_table(table: SweepTable, tmp_path: Path) -> None:
    """All processes end."""
    before = multiprocessing.active_children()
    same(sweep(pendulum(), POINTS, executor=2, folder=tmp_path, **OPTIONS), table)
    assert multiprocessing.active_children() == before
    assert len(list(tmp_path.iterdir())) == 8


@pytest.mark.slow
def test_dask_makes_the_same_table(table: SweepTable, tmp_path: Path) -> None:
    """Its workers are processes; a function that only cloudpickle takes; and a run that kills them is named, the others are there."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        same(sweep(pendulum(), POINTS, executor=client, **OPTIONS), table)
        here = sweep(pendulum(), POINTS, **{**OPTIONS, "measure": lambda result: result["rod.x"][-1]})
        same(sweep(pendulum(), POINTS, executor=client, **{**OPTIONS, "measure": lambda result: result["rod.x"][-1]}), here)
        killed = sweep(pendulum(), {"rod.m": [1.0, 2.0, 3.0]}, stop_time=0.1, measure=deadly, executor=client)
        assert killed.outcomes[1].ending is Ending.WORKER_LOST and killed.failed == [1]


# -- what fails ----------------------------------------------------------------------------------------------------------


def test_a_measure_that_fails() -> None:
    """At the first point it ends the sweep, since it is wrong; later it is a row."""

    def inverse(result: Result) -> float:
        return 1 / (result.parameters["rod.m"] - 2)

    table = sweep(pendulum(), {"rod.m": [1.0, 2.0, 3.0]}, stop_time=0.0, measure=inverse)
    assert list(table["inverse"][[0, 2]]) == [-1.0, 1.0] and table.failed == [1]
    assert table.outcomes[1] == Outcome(Ending.MEASURE_FAILED, "the measure 'inverse' failed: ZeroDivisionError: float division by zero")
    assert refusal(lambda: sweep(pendulum(), {"rod.m": [2.0]}, stop_time=0.0, measure=inverse), SweepError).startswith(
        "the measure 'inverse' failed: ZeroDivisionError: float division by zero; it is the first run"
    )
    assert "'rod.thta' was not recorded; did you mean" in refusal(
        lambda: sweep(pendulum(), {"rod.m": [2.0]}, stop_time=0.0, measure=final("rod.thta")), SweepError
    )
    assert "TypeError: it returned 'no'; return a number, or a mapping of numbers by name" in refusal(
        lambda: sweep(pendulum(), {"rod.m": [2.0]}, stop_time=0.0, measure=lambda result: "no"), SweepError
    )


def test_a_failure_can_end_the_sweep() -> None:
    assert refusal(lambda: sweep(pendulum(), POINTS, on_failure="raise", **OPTIONS), SweepError).startswith(
        "run 2 (rod.m = -1.0, rod.theta = 0.0) failed: 'rod.m' = -1.0 kg is refused"
    )


def test_a_run_that_ends_early_is_a_row() -> None:
    """An FMU that fails: its own sentence, no measures."""
    system = System()
    system.add("osc", foreign.fails_at(0.5))
    table = sweep(system, {"osc.x": [0.0, 1.0]}, stop_time=1.0, measure=final("osc.x"))
    assert table.failed == [0, 1] and table.outcomes[0].ending is Ending.FMU_FAILED and table.measures == {}


@pytest.mark.slow
def test_a_worker_that_dies_is_named() -> None:
    """The run at which it does so, twice; all others are there."""
    table = sweep(pendulum(), {"rod.m": [1.0, 1.5, 2.0, 3.0, 4.0]}, stop_time=0.1, measure=deadly, executor=1)
    here = sweep(pendulum(), {"rod.m": [1.0, 1.5, 3.0, 4.0]}, stop_time=0.1, measure=deadly)
    assert table.outcomes[2] == Outcome(
        Ending.WORKER_LOST,
        "run 2 (rod.m = 2.0) ended the process of its worker; simulate it alone, in a process of its own, to see the behaviour of its FMUs",
    )
    assert table.failed == [2] and math.isnan(table["deadly"][2]) and math.isnan(table.seconds[2])
    assert list(np.delete(table["deadly"], 2)) == list(here["deadly"])


@pytest.mark.slow
def test_nothing_is_lost_with_a_worker_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs are made again."""
    monkeypatch.setenv("KILLED_ONCE", str(tmp_path / "flag"))
    points = {"rod.m": np.linspace(1, 2, 20)}
    table = sweep(pendulum(), points, stop_time=0.1, measure=killed_once, executor=2)
    assert (tmp_path / "flag").exists()
    same(table, sweep(pendulum(), points, stop_time=0.1, measure=killed_once))


def test_a_broken_executor_of_the_user_ends_the_sweep(tmp_path: Path) -> None:
    """Finished rows stay, missing ones are named, and the folder leads to the same table."""
    points = {"rod.m": np.linspace(1.0, 3.0, 21)}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as own:
        table = sweep(pendulum(), points, stop_time=0.1, measure=deadly, executor=own, folder=tmp_path)
    assert 10 in table.missing and table.failed == [] and table.outcome.ending is Ending.WORKER_LOST
    assert (
        f"stopped after {21 - len(table.missing)} of 21 runs: {table.missing[0]} to 20 are missing; a process of the executor ended"
        in str(table.outcome)
    )
    same(
        sweep(pendulum(), points, stop_time=0.1, measure=deadly, folder=tmp_path), sweep(pendulum(), points, stop_time=0.1, measure=deadly)
    )


# -- Ctrl-C, and going on --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", [None, "threads", pytest.param(1, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_what_is_there(executor: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The missing rows are named. A new sweep with the same folder gives the same table, and runs only the missing ones."""
    monkeypatch.setenv("INTERRUPTED", str(tmp_path / "flag"))
    points, folder = {"rod.m": [1.0, 1.5, 2.0, *np.linspace(3, 4, 200 if executor == 1 else 40)]}, tmp_path / "runs"
    table = sweep(pendulum(), points, stop_time=0.1, measure=interrupted, executor=executor, folder=folder)
    assert len(table) == len(points["rod.m"]) and table.missing and table.failed == []
    assert table.outcome.ending is Ending.INTERRUPTED
    assert table.outcome.sentence.endswith("missing; start the sweep again with the same folder")
    assert all(math.isnan(table["interrupted"][i]) for i in table.missing)
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.jrd")}
    again = sweep(pendulum(), points, stop_time=0.1, measure=interrupted, folder=folder)
    assert len(list(folder.iterdir())) == len(table) and not again.missing
    assert {name: (folder / name).stat().st_mtime_ns for name in before} == before
    same(again, sweep(pendulum(), points, stop_time=0.1, measure=interrupted))


STUDY = """
import sys
from pathlib import Path
from jourdain import System, sweep

def end(result):
    return result["rod.theta"][-1]

def system():
    pendulum = System("pendulum")
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("pin", "planar.Revolute")
    pendulum.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    pendulum.connect("ground.p1", "pin.M")
    pendulum.connect("pin.N", "rod.p1")
    return pendulum

def study(executor):
    points = {"rod.m": [1.0 + 0.001 * i for i in range(400)]}
    table = sweep(system(), points, stop_time=1.0, measure=end, executor=executor, folder="runs")
    print(table.outcome.ending.name, len(table.missing), len(table.failed), flush=True)
    again = sweep(system(), points, stop_time=1.0, measure=end, folder="runs")
    print(again.outcome.ending.name, len(again.missing), sum(table["end"][i] == again["end"][i] for i in range(400)), flush=True)

if __name__ == "__main__":
    if sys.argv[1] == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            study(client)
    else:
        study(int(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["2", "dask"])
def test_ctrl_c_on_a_terminal_reaches_all_processes(executor: str, tmp_path: Path) -> None:
    """The sweep ends with all finished rows, and can continue after that; a function of the script itself has travelled."""
    if executor == "dask":
        pytest.importorskip("distributed", reason="distributed is not installed: pip install distributed")
    (tmp_path / "study.py").write_text(STUDY)
    began = subprocess.Popen(
        [sys.executable, "study.py", executor], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    while began.poll() is None and len(list((tmp_path / "runs").glob("*.jrd"))) < 10:
        time.sleep(0.02)
    os.killpg(began.pid, signal.SIGINT)
    said, complained = began.communicate(timeout=300)
    assert began.returncode == 0, complained
    (ending, missing, failed), (again, left, same_values) = (line.split() for line in said.splitlines())
    assert (ending, failed, again, left) == ("INTERRUPTED", "0", "COMPLETED", "0")
    assert 0 < int(missing) < 400 and int(same_values) == 400 - int(missing)


def test_a_folder_holds_runs_that_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file for each run that has one, by its number; what is damaged, of another point or of other options is made anew, nothing else."""
    points = {"rod.m": [1.0, -1.0, 2.0]}

    def made(**options: object) -> list[float]:
        """The masses that are simulated."""
        calls = []
        values = Task.values

        def noted(task: Task, given: dict[str, float]) -> dict[str, object]:
            calls.append(given["rod.m"])
            return values(task, given)

        with monkeypatch.context() as patch:
            patch.setattr(Task, "values", noted)
            sweep(pendulum(), options.pop("points", points), **{"stop_time": 0.1, "measure": final("rod.x"), **options}, folder=tmp_path)  # type: ignore[arg-type]
        return calls

    assert made() == [1.0, -1.0, 2.0]
    first, second = sorted(tmp_path.iterdir())
    assert first.name.startswith("000000-") and second.name.startswith("000002-")
    assert Result.load(second).parameters["rod.m"] == 2.0
    assert made() == [-1.0] == made(measure=peak("rod.x"))
    first.write_bytes(first.read_bytes()[:5000])
    assert made() == [1.0, -1.0]
    assert made(points={"rod.m": [1.0, -1.0, 2.0, 3.0]}) == [-1.0, 3.0] and made(points={"rod.m": [2.0]}) == [2.0]
    assert made(rtol=1e-6) == [1.0, -1.0, 2.0]


def test_a_folder_keeps_no_halves(tmp_path: Path) -> None:
    """A half-written file of an ended process is removed. Files that are being written, and those of others, stay, also without a folder."""
    held, file_of = open_part(tmp_path / "000001-0.jrd")
    others = [held.name, ".notes.jrd.mine.part", "notes.txt"]
    for name in (".000000-0.jrd.0123456789ab.part", *others[1:]):
        (tmp_path / name).touch()
    sweep(pendulum(), {"rod.m": [1.0]}, stop_time=0.0, folder=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("000000-")) == sorted(others)
    os.close(file_of)
    file = tmp_path / "notes.txt"
    assert refusal(lambda: sweep(pendulum(), {"rod.m": [1.0]}, stop_time=0.0, folder=file), OSError) == (
        f"the folder '{file}' cannot be made: File exists; choose another path"
    )


# -- many points -----------------------------------------------------------------------------------------------------------


def test_points_are_drawn_as_they_are_needed() -> None:
    """They are drawn one at a time here, and a few chunks ahead of others; therefore they may be endless until Ctrl-C."""
    drawn = []

    def points() -> Iterator[dict[str, float]]:
        for i in range(100):
            drawn.append(i)
            yield {"rod.m": 1.0 + i}

    ahead = []

    def measure(result: Result) -> float:
        ahead.append(len(drawn) - (result.parameters["rod.m"] - 1.0))
        return 0.0

    sweep(pendulum(), points(), stop_time=0.0, measure=measure)
    assert len(drawn) == 100 and max(ahead) == 1


@pytest.mark.slow
@pytest.mark.parametrize("executor", [None, "threads"])
def test_a_hundred_thousand_points_take_little_memory(executor: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take about as much as their numbers, also where each is checked for failure; the runs themselves are left out."""
    ended = Outcome(Ending.COMPLETED, "completed at t = 1 s")
    monkeypatch.setattr(Task, "run", lambda task, system, number, point: Row(number, ended, 1e-3, {"end": 2.0 * point[0]}, {}))
    points = ({"rod.m": float(i)} for i in range(100_000))
    tracemalloc.start()
    try:
        table = sweep(pendulum(), points, stop_time=1.0, executor=executor, on_failure="raise")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (table["end"] == 2.0 * np.arange(100_000)).all() and table.outcome.completed
    assert most < 40e6
