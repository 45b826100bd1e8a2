"""``jourdain sweep`` and ``jourdain test``, as a user types them: each a process of its own."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coupling import Result, System, checkpoint_file
from coupling.measures import final, peak
from coupling.sampling import sample
from coupling.sweep import sweep
from tests.jourdain.test_command import run
from tests.support import foreign
from tests.support.ssp import replaced
from tests.support.systems.systems import pendulum

MACHINE = """
from jourdain import System

system = System("pendulum")
system.add("ground", "planar.Fixed")
system.add("pin", "planar.Revolute")
system.add("rod", "planar.Body1", {"m": 1.0, "I": 1/12, "p1.rx": -0.5, "x": 0.5})
system.connect("ground.p1", "pin.M")
system.connect("pin.N", "rod.p1")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "machine.py").write_text(MACHINE)
    return tmp_path


def typed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "NO_COLOR": "1"}
    return subprocess.run([sys.executable, "-m", "jourdain", *arguments], capture_output=True, text=True, cwd=folder, env=environment)


# -- sweep -----------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_is_typed(folder: Path) -> None:
    """All combinations, in processes: the table of ``sweep``, its file, a file of each run; a run that fails gives exit code 1 and its sentence."""
    options = ("--stop", "0.1", "--measure", "end=final(rod.theta)", "--measure", "peak(pin.reaction)")
    done = typed(
        folder, "sweep", "machine.py", "--grid", "rod.m=1:2:3", "--grid", "rod.I=0.1,-1", *options, "--executor", "1", "--folder", "runs"
    )
    assert (done.returncode, done.stderr) == (1, "")
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["run", "rod.m", "rod.I", "end", "peak(pin.reaction)"] and [each.split()[0] for each in rows[:6]] == list(
        "012345"
    )
    assert rows[6:8] == [
        "all 6 runs were made, 3 failed",
        "run 1 (rod.m = 1.0, rod.I = -1.0): 'rod.I' = -1.0 kg.m2 is refused: it must be at least 0",
    ]
    assert rows[-1] == "runs" and len(list((folder / "runs").glob("*.jrd"))) == 3
    measure = {"end": final("rod.theta"), "load": peak("pin.reaction")}
    ours = sweep(pendulum(), {"rod.m": [1.0, 1.5, 2.0], "rod.I": [0.1]}, stop_time=0.1, measure=measure)
    assert [float(rows[i].split()[3]) for i in (0, 2, 4)] == pytest.approx(ours["end"], rel=1e-6)
    assert [float(rows[i].split()[4]) for i in (0, 2, 4)] == pytest.approx(ours["load"], rel=1e-6)


def test_points_of_a_file_and_tables_as_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has the points in full precision, and all results of ``sweep``; options are those of ``simulate``."""
    (folder / "points.csv").write_text("rod.m, rod.I\n1,0.1\n\n2.5,0.2\n")
    options = ("--stop", "0.1", "--set", "rod.theta=0", "--rtol", "1e-6", "--solver", "dop853", "--measure", "final(rod.theta)")
    out = folder / "table.csv"
    code, said, _ = run(capsys, "sweep", folder / "machine.py", "--points", folder / "points.csv", *options, "--out", out)
    assert (code, said) == (0, f"all 2 runs were made\n{out}\n")
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    ours = sweep(
        pendulum(),
        {"rod.m": [1.0, 2.5], "rod.I": [0.1, 0.2]},
        combine="zip",
        stop_time=0.1,
        rtol=1e-6,
        solver="dop853",
        measure=final("rod.theta"),
    )
    assert [float(row["final(rod.theta)"]) for row in rows] == list(ours["final(rod.theta)"])
    assert [(row["rod.m"], row["rod.I"], row["ending"]) for row in rows] == [("1.0", "0.1", "COMPLETED"), ("2.5", "0.2", "COMPLETED")]


def test_a_sweep_warns_of_the_way_that_it_takes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The words are those of ``simulate``, once for all runs, for people and for machines."""
    options = (
        "--stop",
        "0.02",
        "--communication-step",
        "0.01",
        "--evaluation",
        "tape",
        "--grid",
        "rod.m=1:2:3",
        "--measure",
        "final(rod.theta)",
    )
    warnings = pendulum().simulate(0.02, communication_step=0.01, evaluation="tape").outcome.warnings
    warning = next(each for each in warnings if each.startswith("evaluation"))  # the others are of each run
    _, said, _ = run(capsys, "sweep", folder / "machine.py", *options)
    assert said.count("Warning: ") == 1 and f"Warning: {warning}\n" in said
    _, said, _ = run(capsys, "sweep", folder / "machine.py", *options, "--json")
    assert json.loads(said)["warnings"] == [warning]


def test_a_sweep_for_machines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output is one object; values that are not numbers are null."""
    machine, options = (
        folder / "machine.py",
        ("--stop", "0", "--measure", "energy_drift()", "--measure", "value_at(rod.x, 0, before)", "--json"),
    )
    code, out, _ = run(capsys, "sweep", machine, "--zip", "rod.m=1,-1", "--zip", "rod.I=0.1:0.2:2", *options)
    said = json.loads(out)
    assert code == 1 and said["runs"] == 2 and said["missing"] == [] and said["written"] == []
    assert said["ending"] == "COMPLETED" and said["sentence"] == "all 2 runs were made, 1 failed"
    assert said["failed"] == {"1": "'rod.m' = -1.0 kg is refused: it must be at least 0"}
    assert said["columns"] == {
        "rod.m": [1.0, -1.0],
        "rod.I": [0.1, 0.2],
        "energy_drift()": [0.0, None],
        "value_at(rod.x, 0.0, before)": [0.5, None],
    }


def test_drawn_points(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Are those of ``sample`` with this method and seed; all last values are measured where nothing else is asked for, and 20 rows are shown."""
    machine, options = folder / "machine.py", ("--stop", "0", "--record", "rod.x", "--draw", "32", "--method", "sobol", "--seed", "5")
    _, out, _ = run(capsys, "sweep", machine, "--sample", "rod.m=1:3", *options, "--json")
    drawn = sample({"rod.m": (1.0, 3.0)}, 32, "sobol", 5)
    assert json.loads(out)["columns"] == {"rod.m": list(drawn["rod.m"]), "rod.x": [0.5] * 32}
    code, out, _ = run(capsys, "sweep", machine, "--sample", "rod.m=1:3", *options)
    assert code == 0 and out.splitlines()[-2:] == ["... 12 rows more; --out FILE.csv has all of them", "all 32 runs were made"]
    assert len(out.splitlines()) == 23


MEASURED = "give one such as 'final(rod.theta)', or 'end=final(rod.theta)'"
KINDS = "give one of --grid NAME=VALUES, --zip NAME=VALUES, --points FILE.csv and --sample NAME=LOW:HIGH"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), f"nothing says at which points; {KINDS}"),
        (("--grid", "rod.m=1", "--sample", "rod.I=1:2"), f"--grid and --sample exclude each other; {KINDS}"),
        (("--grid", "rod.m=1", "--draw", "3"), "--draw is for --sample, not for --grid; leave it out"),
        (("--grid", "rod.m"), "--grid rod.m: a name and a value are expected, such as --grid rod.m=1,2,5"),
        (("--grid", "rod.m=1:2"), "--grid rod.m=1:2: '1:2' is no range; give first:last:count, such as 1:2:11"),
        (("--grid", "rod.m=1:2:1"), "--grid rod.m=1:2:1: a range has at least 2 values; give one value as it is"),
        (("--grid", "rod.m=1:2:99999999999999"), "--grid rod.m=1:2:99999999999999: '1:2:99999999999999' has more than 1e+07 values, of which each is a run; give fewer"),
        (("--grid", "rod.m=1", "--grid", "rod.m=2"), "--grid: 'rod.m' is given twice; give all its values at once"),
        (("--grid", "rod.mm=1"), "'rod' (planar.Body1) has no variable 'mm' to start from; did you mean 'm'?"),
        (("--zip", "rod.m=1,2", "--zip", "rod.I=1"), "values that belong together have to be as many of each: there are 2 of 'rod.m', 1 of 'rod.I'; choose combine='grid' for all combinations"),
        (("--sample", "rod.m=1:2"), "--sample: nothing says how many points are drawn; give --draw N"),
        (("--sample", "rod.m=1", "--draw", "2"), "--sample rod.m=1: '1' is no interval; give low:high, such as 1:3"),
        (("--sample", "rod.m=1:2", "--draw", "0"), "sample: n = 0 is refused: give a whole number of points, of at least 1"),
        (("--points", "nowhere.csv"), "--points nowhere.csv: it cannot be read: No such file or directory; give a table with names in its first line"),
        (("--points", "{folder}/empty.csv"), "--points {folder}/empty.csv: it has no points; give names in the first line, and a point in each other line"),
        (("--points", "{folder}/gap.csv"), "--points {folder}/gap.csv: line 3 has 1 values for 2 names; give all of them"),
        (("--grid", "rod.m=1", "--measure", "max(rod.x)"), f"--measure max(rod.x): it is none of energy_drift, final, maximum, minimum, peak, rms, value_at; {MEASURED}"),
        (("--grid", "rod.m=1", "--measure", "rod.x"), f"--measure rod.x: it is none of energy_drift, final, maximum, minimum, peak, rms, value_at; {MEASURED}"),
        (("--grid", "rod.m=1", "--measure", "value_at(rod.x)"), "--measure value_at(rod.x): 'rod.x' is no argument of value_at; write it as 'value_at(rod.theta, 0.5)'"),
        (("--grid", "rod.m=1", "--measure", "energy_drift(rod.x)"), "--measure energy_drift(rod.x): 'rod.x' is no argument of energy_drift; write it as 'energy_drift()'"),
        (("--grid", "rod.m=1", "--measure", "final(rod.x)", "--measure", "final(rod.x)"), "--measure: 'final(rod.x)' is given twice; give all its values at once"),
        (("--grid", "rod.m=1", "--measure", "final(rod.xx)"), "the measure 'final(rod.xx)' failed: 'rod.xx' was not recorded; did you mean 'rod.x', 'rod.vx' or 'rod.y'?; it is the first run, after which nothing else was measured"),
        (("--grid", "rod.m=1", "--out", "t.jrd"), "--out t.jrd: the table is written as .csv; runs as .jrd go into a --folder"),
        (("--grid", "rod.m=1", "--out", "nowhere/t.csv"), "--out nowhere/t.csv: there is no folder 'nowhere'; make it, or choose another path"),
        (("--grid", "rod.m=1", "--executor", "everybody"), "executor = 'everybody' is refused: choose 'threads', 'processes', a number of processes, an executor of concurrent.futures, or a client of Dask; left out, the runs are made here, one after the other"),
        (("--grid", "rod.m=1", "--kind", "cs"), "--kind cs: '{folder}/machine.py' is no FMU; the kinds of instances stand in the system itself"),
    ],
)  # fmt: skip
def test_sweeps_that_cannot_be_made(folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str) -> None:
    """One sentence comes before or at the first run, with exit code 2."""
    (folder / "empty.csv").write_text("rod.m\n")
    (folder / "gap.csv").write_text("rod.m,rod.I\n1,2\n3,\n")
    given = (each.format(folder=folder) for each in arguments)
    assert run(capsys, "sweep", folder / "machine.py", "--stop", "0.1", *given) == (2, "", f"jourdain: {sentence.format(folder=folder)}\n")


# -- test ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pendulum().export_fmu(tmp_path_factory.mktemp("exported") / "swing.fmu", outputs=["rod.theta"])


def test_an_fmu_passes(exported: Path) -> None:
    """Validated by FMPy, and run in Model Exchange and in Co-Simulation."""
    done = typed(exported.parent, "test", "swing.fmu", "--stop", "0.5", "--set", "rod.m=2")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("swing.fmu: FMI 2.0, generated by Jourdain ") and lines[-1] == "passed"
    assert lines[1].startswith("validated by FMPy ") and lines[1].endswith(": no problems")
    assert lines[2:-1] == ["Model Exchange: completed at t = 0.5 s, 501 rows", "Co-Simulation: completed at t = 0.5 s, 501 rows"]


@pytest.mark.slow
def test_an_fmu_that_fails_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own sentence, for machines."""
    file = tmp_path / "osc.fmu"
    file.write_bytes(foreign.fails_at(0.5).read_bytes())
    code, out, _ = run(capsys, "test", file, "--stop", "1", "--json")
    said = json.loads(out)
    assert code == 1 and said["passed"] is False and set(said["runs"]) <= {"Model Exchange", "Co-Simulation"}
    assert all(not each["completed"] and "osc" in each["sentence"] for each in said["runs"].values())


@pytest.mark.parametrize(
    ("hook", "timeout", "sentence"),
    [
        ("extern int raise(int); raise(11);", 60, "crashed (segmentation fault) in fmi3ExitInitializationMode; "),
        pytest.param("exit(0);", 60, "ended its process by exit(0) in fmi3ExitInitializationMode; ", marks=pytest.mark.slow),
        pytest.param(
            "for (;;) {}", 3, "did not return within 3 s; give more by --timeout, or another start by --set", marks=pytest.mark.slow
        ),
    ],
)
def test_an_fmu_that_ends_its_process_or_does_not_come_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], hook: str, timeout: int, sentence: str
) -> None:
    """Is named, and takes nothing with it."""
    file = tmp_path / "osc.fmu"
    file.write_bytes(foreign.of_oscillator(initialize=hook).read_bytes())
    code, out, _ = run(capsys, "test", file, "--json", "--timeout", str(timeout))
    assert code == 1 and all(sentence in each["sentence"] for each in json.loads(out)["runs"].values())


def test_a_call_that_does_not_come_back_ends_after_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Foreign FMUs run in a process of their own by default."""
    file = tmp_path / "osc.fmu"
    file.write_bytes(foreign.of_oscillator(initialize="for (;;) {}").read_bytes())
    code, _, said = run(capsys, "simulate", file, "--stop", "1", "--call-timeout", "0.5", "--json")
    assert code == 2 and "did not return within 0.5 s in fmi3ExitInitializationMode; raise call_timeout where it needs more" in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sandbox", "--isolate", "none"), "sandbox = True is refused: it is for runs in a process of their own"),
        (("--call-timeout", "0"), "call_timeout = 0 is refused: it must be a number of seconds greater than 0"),
        (("--on-crash", "restart"), "on_crash = 'restart' resumes from a checkpoint; give checkpoint='run.ckpt' as well"),
    ],
)
def test_processes_of_their_own_that_cannot_be(
    exported: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], sentence: str
) -> None:
    code, _, said = run(capsys, "simulate", exported, "--stop", "0.1", *options)
    assert code == 2 and sentence in said


def test_a_run_leaves_a_checkpoint(exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python resumes from it."""
    code, out, _ = run(capsys, "simulate", exported, "--stop", "0.1", "--isolate", "all", "--checkpoint", tmp_path / "run.ckpt", "--json")
    assert code == 0 and json.loads(out)["written"] == [str(tmp_path / "run.ckpt")]
    assert System.resume(tmp_path / "run.ckpt", stop_time=0.2).time[-1] == 0.2


def test_a_checkpoint_that_was_not_written_is_not_listed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not listed even if the file of another run exists."""
    path, rows = folder / "run.ckpt", folder / "run.jrd"
    path.write_text("of another run")

    def fail(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_file, "write", fail)
    code, out, _ = run(capsys, "simulate", folder / "machine.py", "--stop", "0.1", "--record-to", rows, "--checkpoint", path, "--json")
    said = json.loads(out)
    assert code == 0 and said["written"] == [str(rows)]
    assert said["warnings"] == [
        f"a checkpoint failed: '{path}' could not be written at t = 0.1 s: No space left on device: make room there, or choose another path; the run went on, and none was written"
    ]


def test_an_fmu_that_cannot_be_read_does_not_pass(exported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output names the faults of its description, from its reader and from FMPy; nothing is run."""
    broken = replaced(exported, "modelDescription.xml", 'fmiVersion="2.0"', 'fmiVersion="9.0"')
    code, out, _ = run(capsys, "test", broken)
    assert code == 1 and "Exchange" not in out and out.count("9.0") >= 2 and out.splitlines()[-1] == "not passed"


@pytest.mark.slow
def test_an_fmu_that_is_not_valid_does_not_pass_though_it_runs(exported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = replaced(exported, "modelDescription.xml", 'causality="output"', 'causality="outward"')
    code, out, _ = run(capsys, "test", broken, "--json")
    said = json.loads(out)
    assert code == 1 and said["passed"] is False and "outward" in said["problems"][0]
    assert all(each["completed"] for each in said["runs"].values())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nowhere.fmu",), "there is no file 'nowhere.fmu'; give the path of one that ends in .fmu"),
        (("{folder}/machine.py",), "'{folder}/machine.py' is no FMU, which is a zip archive; give the path of one that ends in .fmu"),
        (("{fmu}", "--stop", "-1"), "--stop -1 is refused: give seconds, of more than 0"),
        (("{fmu}", "--timeout", "0"), "--timeout 0 is refused: give seconds, of more than 0"),
        (("{fmu}", "--communication-step", "nan"), "--communication-step nan is refused: give seconds, of more than 0"),
        (("{fmu}", "--set", "m"), "--set m: a name and a value are expected, such as --set rod.m=2.5"),
    ],
)
def test_tests_that_cannot_be_made(
    folder: Path, exported: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    """They give one sentence and exit code 2."""
    places = {"folder": folder, "fmu": exported}
    assert run(capsys, "test", *(each.format(**places) for each in arguments)) == (2, "", f"jourdain: {sentence.format(**places)}\n")


def test_the_kind_of_an_fmu_that_is_simulated(exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kind may be given, and is recorded."""
    out = tmp_path / "run.jrd"
    assert run(capsys, "simulate", exported, "--stop", "0.1", "--kind", "cs", "--communication-step", "0.01", "--out", out)[0] == 0
    assert Result.load(out).options["communication_step"] == 0.01
    system = System()
    system.add("swing", exported)
    assert len(Result.load(out)) == len(system.simulate(0.1, communication_step=0.01))
