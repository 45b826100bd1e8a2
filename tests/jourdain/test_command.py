"""The command ``jourdain``, as a user types it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest

from coupling import Result
from coupling.fmus import load
from jourdain import command

MACHINE = """
from jourdain import System

def system():
    pendulum = System("pendulum")
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("pin", "planar.Revolute")
    pendulum.add("rod", "planar.Body1", {"m": 1.0, "I": 1/12, "p1.rx": -0.5, "x": 0.5})
    pendulum.connect("ground.p1", "pin.M")
    pendulum.connect("pin.N", "rod.p1")
    return pendulum
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    file = tmp_path / "machine.py"
    file.write_text(MACHINE)
    return file


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code, what was printed, and what was complained about."""
    try:
        code = command.main([str(each) for each in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    return code, *capsys.readouterr()


def test_it_is_a_command(machine: Path) -> None:
    """Its own process gives help without heavy imports, completes a run, and answers a wrong use with one sentence."""

    def typed(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.run(
            [sys.executable, "-m", "jourdain", *arguments], capture_output=True, text=True, cwd=machine.parent, env=environment
        )

    helped = typed("--help")
    assert helped.returncode == 0 and "simulate" in helped.stdout and "Exit codes" in helped.stdout
    done = typed("simulate", "machine.py", "--stop", "0.5", "--out", "run.jrd")
    assert done.returncode == 0, done.stderr
    assert "completed at t = 0.5 s" in done.stdout and done.stdout.splitlines()[-1] == "run.jrd"
    assert len(Result.load(machine.parent / "run.jrd")) == 501
    wrong = typed("simulate", "machine.py", "--stop", "0.5", "--set", "rod.mass=2")
    assert (
        wrong.returncode == 2
        and wrong.stderr.startswith("jourdain: 'rod' (planar.Body1) has no variable 'mass' to start from; did you mean 'm' (mass)?")
        and len(wrong.stderr.splitlines()) == 1
    )


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """The modules of a verb are imported when it runs."""
    source = (
        "import sys\nfrom jourdain import command\ntry: command.main(['simulate', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'sympy', 'scipy', 'coupling', 'fmu_components'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=Path(command.__file__).parents[1])
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_simulate_writes_what_is_asked_for(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The suffix decides: the result, tables, the page, a figure; --json gives the same to machines."""
    files = [machine.parent / f"run{suffix}" for suffix in (".jrd", ".csv", ".mat", ".html", ".png")]
    outs = [part for file in files for part in ("--out", file)]
    options = ("--stop", "0.2", "--interval", "0.1", "--set", "rod.theta=0", "--record", "*", "--plot", "rod.*.x", "--solver", "dop853")
    code, out, _ = run(capsys, "simulate", f"{machine}:system", *options, *outs, "--json")
    said = json.loads(out)
    assert code == 0 and said["ending"] == "COMPLETED" and said["rows"] == 3 and said["written"] == [str(file) for file in files]
    assert all(file.stat().st_size > 100 for file in files)
    assert Result.load(files[0]).options["solver"] == "dop853"


@pytest.mark.parametrize(
    ("options", "evaluated"),
    [
        ((), "; fast evaluation: derivatives came from a tape of the FMUs' equations"),
        (("--evaluation", "compiled"), "; fast evaluation: derivatives came from compiled code of the FMUs' equations"),
        (("--evaluation", "tape"), "; fast evaluation: derivatives came from a tape of the FMUs' equations"),
        (("--evaluation", "fmus"), "; no fast evaluation: derivatives came from calls of the FMUs"),
    ],
)
def test_how_derivatives_are_found(machine: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], evaluated: str) -> None:
    """The options act as ``evaluation`` of ``simulate``: the summary says so."""
    code, out, _ = run(capsys, "simulate", machine, "--stop", "0.1", *options)
    assert code == 0 and out.rstrip().endswith(evaluated)


def test_a_run_in_real_time(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The options act as ``real_time`` and ``on_late`` of ``simulate``: the summary has the delays."""
    began = perf_counter()
    code, out, _ = run(capsys, "simulate", machine, "--stop", "0.1", "--real-time", "0.5", "--on-late", "catch-up", "--interval", "0.02")
    assert code == 0 and "; real time: " in out and " of 5 points were late; " in out and perf_counter() - began > 0.2


def test_a_way_that_cannot_be_had_is_said_as_in_python(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--stop", "0.1", "--communication-step", "0.01", "--evaluation", "tape", "--json")
    said = json.loads(run(capsys, "simulate", machine, *options)[1])["warnings"]
    assert "evaluation = 'tape': with a communication_step FMUs integrate by themselves; derivatives were found by the FMUs" in said


def test_errors_of_the_system_have_a_path_and_a_remedy(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is too long for the file system is refused after the run; output to a full device is refused too."""
    name = "a" * 300 + ".csv"
    code, _, said = run(capsys, "simulate", machine, "--stop", "0.1", "--out", name)
    assert code == 2 and said.splitlines()[-1] == f"jourdain: '{name}' cannot be read or written: File name too long; choose another path"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "jourdain", "list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert (
        done.stderr == "jourdain: the output cannot be read or written: No space left on device; make room there, or choose another path\n"
    )


def test_a_run_that_ends_early(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 1, and the outcome says why."""
    code, out, _ = run(capsys, "simulate", machine, "--stop", "100", "--rtol", "1e-13", "--max-steps", "20", "--json")
    assert code == 1 and json.loads(out)["ending"] != "COMPLETED" and "max_steps" in json.loads(out)["sentence"]
    code, out, _ = run(capsys, "simulate", machine, "--stop", "1e6", "--interval", "1", "--max-seconds", "0.2", "--json")
    assert code == 1 and json.loads(out)["ending"] == "OUT_OF_TIME"


def test_a_run_that_ends_where_its_user_asked(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 0."""
    code, out, _ = run(capsys, "simulate", machine, "--stop", "5", "--until", "rod.theta < -1 or time > 4", "--json")
    said = json.loads(out)
    assert code == 0 and said["ending"] == "UNTIL" and said["sentence"].endswith("by until = 'rod.theta < -1 or time > 4'")
    code, _, complaint = run(capsys, "simulate", machine, "--stop", "5", "--until", "rod.theta")
    assert code == 2 and "'rod.theta' is a number; compare it" in complaint


def test_info_tells_what_is_in_a_file(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It shows the ports, parameters and kinds of an FMU or a component, the instances of a package, and the outcome of a result."""
    fmu = machine.parent / "pendulum.fmu"
    code, out, err = run(capsys, "export", machine, "--out", fmu, "--outputs", "rod.theta", "--json")
    assert code == 0 and json.loads(out)["written"] == [str(fmu)], err
    assert "rod.theta" in load(fmu).variables
    said = json.loads(run(capsys, "info", "planar.Revolute", "--json")[1])
    assert said["model"] == "planar.Revolute" and set(said["ports"]) == {"M", "N"} and "rotation.k" in said["parameters"]
    said = json.loads(run(capsys, "info", "mechanical1d.Mass", "--json")[1])
    assert said["start values of states"] == {"s": "= 0  m  position", "v": "= 0  m/s  velocity"}
    lines = [line.split() for line in run(capsys, "info", "planar.TableCam")[1].splitlines()]
    shown = next(place for place, words in enumerate(lines) if words[0] == "lift.x[2]")
    assert lines[shown + 1] == ["...", "70", "more"] and lines[shown + 2][0] == "lift.x[73]" and lines[shown + 3][0] == "lift.y[1]"
    assert "lift.x[40]" in json.loads(run(capsys, "info", "planar.TableCam", "--json")[1])["parameters"]
    code, out, _ = run(capsys, "info", fmu)
    assert code == 0 and "Co-Simulation" in out and "rod.theta" in out and "rod.m" in out
    said = json.loads(run(capsys, "info", fmu, "--json")[1])
    assert said["states"] == len(load(fmu).states) and said["FMI"] == "2.0" and "rad" in said["outputs"]["rod.theta"]
    scope: dict = {}
    exec(MACHINE, scope)
    package = scope["system"]().to_ssp(machine.parent / "pendulum.ssp", settings={"stop_time": 0.1})
    said = json.loads(run(capsys, "info", package, "--json")[1])
    assert said["instances"]["rod"] == "planar.Body1" and said["settings"] == {"stop_time": "0.1"}
    result = machine.parent / "run.jrd"
    assert run(capsys, "simulate", package, "--out", result)[0] == 0
    assert json.loads(run(capsys, "info", result, "--json")[1])["outcome"] == "completed at t = 0.1 s"


def test_list_and_view(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Components by a word; a result as a page beside it, or a still picture."""
    code, out, _ = run(capsys, "list", "revolute")
    assert code == 0 and out.splitlines()[0] == "planar" and any(line.split()[0] == "planar.Revolute" for line in out.splitlines())
    assert json.loads(run(capsys, "list", "revolute", "--json")[1])["planar.Revolute"].startswith("Revolute joint")
    for words, names in (
        (("joints", "ball"), {"spatial.Spherical"}),
        (("pulley",), {"planar.PulleyRope", "spatial.PulleyRope", "mechanical1d.BeltDrive"}),
        (("spatial", "hinges"), {"spatial.Revolute"}),
    ):
        assert names <= set(json.loads(run(capsys, "list", *words, "--json")[1])), words
        assert run(capsys, "list", *words)[1] == run(capsys, "list", " ".join(words))[1]
    assert "planar.Revolute" not in json.loads(run(capsys, "list", "spatial", "hinges", "--json")[1])
    result = machine.parent / "run.jrd"
    run(capsys, "simulate", machine, "--stop", "0.2", "--out", result)
    assert run(capsys, "view", result)[:2] == (0, f"{result.with_suffix('.html')}\n")
    assert result.with_suffix(".html").read_text().startswith("<!doctype html>")
    assert run(capsys, "view", result, "--at", "0.1")[:2] == (0, f"{result.with_suffix('.svg')}\n")


def test_an_export_starts_as_asked(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has values of its own, and is closed without the held ones; names in an FMU alone need no instance name."""
    fmu = machine.parent / "pendulum.fmu"
    options = ("--set", "rod.x=0.3", "--set", "rod.m=2.5", "--initial", "assemble", "--hold", "rod.x")
    assert run(capsys, "export", machine, "--out", fmu, *options)[0] == 0
    variables = load(fmu).variables
    assert [variables[name].start for name in ("rod.x", "rod.theta", "rod.m")] == pytest.approx([0.3, math.acos(0.6), 2.5], abs=1e-12)
    assert "pin.reaction" in variables
    assert run(capsys, "export", machine, "--out", fmu, *options, "--no-locals")[0] == 0
    assert "pin.reaction" not in load(fmu).variables
    refused = run(capsys, "export", machine, "--out", fmu, "--set", "rod.x=0.3")
    assert refused[0] == 2 and refused[2].startswith("jourdain: the start violates constraints: pin.position[1] = -0.2 m ")
    result = machine.parent / "run.jrd"
    for name in ("rod.m", "pendulum.rod.m"):
        assert run(capsys, "simulate", fmu, "--stop", "0.1", "--set", f"{name}=4", "--set", "rod.x=0.2", "--out", result)[0] == 0
        found = Result.load(result)
        assert found.parameters["pendulum.rod.m"] == 4 and found["pendulum.rod.x"][0] == 0.2


def test_build_is_that_of_build_fmus(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both names have one implementation."""
    code, _, _ = run(capsys, "build", "planar.Fixed", "--fmi", "3", "--out", machine.parent / "fmus")
    assert code == 0 and (machine.parent / "fmus" / "fmi3" / "planar.Fixed.fmu").is_file()
    code, _, err = run(capsys, "build", "planar.Fxed", "--out", machine.parent)
    assert code == 2 and err.startswith("jourdain build: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "{machine}"), "'{machine}' does not say how long to simulate; give --stop SECONDS"),
        (("simulate", "{machine}x"), "'{machine}x' is no system; give a file that ends in .py, .ssp or .fmu"),
        (("simulate", "nowhere.py", "--stop", "1"), "there is no file 'nowhere.py'; give the path of one that ends in .py, .ssp or .fmu"),
        (("simulate", "{machine}:other", "--stop", "1"), "'{machine}' has no 'other'; it has 'system'"),
        (("simulate", "{machine}:systm", "--stop", "1"), "'{machine}' has no 'systm'; did you mean 'system'?"),
        (("simulate", "{machine}", "--stop", "abc"), "--stop: 'abc' is no number; give one such as 2.5"),
        (("simulate", "{machine}", "--max-steps", "1.5"), "--max-steps: '1.5' is no whole number; give one such as 1000"),
        (
            ("simulate", "{machine}", "--evaluation", "yes"),
            "--evaluation: invalid choice: 'yes' (choose from 'auto', 'fmus', 'tape', 'compiled'); 'jourdain simulate --help' lists all options",
        ),
        (("simulate",), "the following arguments are required: SYSTEM; 'jourdain simulate --help' lists all options"),
        (
            ("simulate", "{machine}", "--stop", "1", "--set", "rod.m"),
            "--set rod.m: a name and a value are expected, such as --set rod.m=2.5",
        ),
        (
            ("simulate", "{machine}", "--out", "run.doc"),
            "--out run.doc: nothing is written with this suffix; choose one of .jrd, .csv, .mat, .html, .png, .svg, .pdf",
        ),
        (
            ("simulate", "{machine}", "--out", "run.png"),
            "--out run.png: --plot names the values of a figure; add --plot NAME, such as --plot '*.theta'",
        ),
        (
            ("simulate", "{machine}", "--stop", "1", "--out", "nowhere/run.jrd"),
            "--out nowhere/run.jrd: there is no folder 'nowhere'; make it, or choose another path",
        ),
        (
            ("simulate", "{machine}", "--stop", "1", "--kind", "me"),
            "--kind me: '{machine}' is no FMU; the kinds of instances stand in the system itself",
        ),
        (("simulate", "{machine}", "--plot", "rod.x"), "--plot: there is no file for the figure; add --out FILE.png"),
        (
            ("info", "{machine}"),
            "'{machine}' is neither a file that can be looked into nor a component; "
            "give an .fmu, .ssp or .jrd, or the name of a component from 'jourdain list'",
        ),
        (("list", "warp drive"), "no component is called 'warp drive', or has it in its name or title; 'jourdain list' shows all of them"),
        (("view", "nowhere.jrd"), "'nowhere.jrd' cannot be read: No such file or directory; give the path of a result that was saved"),
        (("view", ""), "'.' is no file; give the .jrd file of a result"),
    ],
)
def test_a_wrong_use_is_one_sentence(machine: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str) -> None:
    """The exit code is 2, without a traceback."""
    code, out, err = run(capsys, *(each.format(machine=machine) for each in arguments))
    assert (code, out, err) == (2, "", f"jourdain: {sentence.format(machine=machine)}\n")


def test_a_module_with_two_systems_or_a_mistake(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The user is asked which one; an exception of the file is named with its kind."""
    machine.write_text("from jourdain import System\na, b = System('a'), System('b')\n")
    assert (
        run(capsys, "simulate", machine, "--stop", "1")[2]
        == f"jourdain: '{machine}' has the systems 'a', 'b'; name the object to take: {machine}:NAME\n"
    )
    machine.write_text("1 / 0\n")
    assert (
        run(capsys, "simulate", machine, "--stop", "1")[2] == f"jourdain: '{machine}' cannot be run: ZeroDivisionError: division by zero\n"
    )
