"""The command line that builds FMUs: what it makes, what it leaves alone, and what it says when it cannot."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import fmpy
import pytest
from scipy.interpolate import PchipInterpolator

import build_fmus
from fmu_components.catalogue import all_components

SCRIPT = Path(build_fmus.__file__)
SCREW = SCRIPT.parent / "examples" / "own_joint" / "Screw.py"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command; returns its exit status, what it printed and what it complained about."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            status = build_fmus.main(list(map(str, arguments)))
        except SystemExit as end:
            status = int(end.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def made(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# -- what it makes -----------------------------------------------------------------------------------------------------


def test_list_names_every_component_with_its_title(run: Run) -> None:
    """--list prints one line per component and builds nothing, so that it needs no folder."""
    status, printed, complaint = run("--list")
    lines = [line.split(maxsplit=1) for line in printed.splitlines()]
    assert (status, complaint) == (0, "")
    assert [name for name, _ in lines] == list(all_components())
    assert ["planar.Revolute", "Revolute joint: the points M and N coincide, the bodies turn freely about them"] in lines


def test_list_shows_a_users_own_component(run: Run) -> None:
    """A list with names has those alone; a file's component stands under its class name."""
    assert [line.split()[0] for line in run("--list", SCREW, "planar.Fixed")[1].splitlines()] == ["Screw", "planar.Fixed"]


def test_files_go_into_a_folder_per_version(run: Run, tmp_path: Path) -> None:
    """Both versions by default, each under the component's name in its sub-folder, and nothing else is left there."""
    status, printed, _ = run("--out", tmp_path, "--platform", "linux64", "planar.Revolute")
    assert status == 0
    assert made(tmp_path) == {"fmi2/planar.Revolute.fmu", "fmi3/planar.Revolute.fmu"}
    assert printed.splitlines()[-1] == f"2 FMUs in {tmp_path}: 2 built, 0 up to date"
    for folder, library in (("fmi2", "linux64/planar_Revolute.so"), ("fmi3", "x86_64-linux/planar_Revolute.so")):
        with zipfile.ZipFile(tmp_path / folder / "planar.Revolute.fmu") as archive:
            assert [name for name in archive.namelist() if name.startswith("binaries/")] == [f"binaries/{library}"]


@pytest.mark.parametrize("version", [2, 3])
def test_one_version_can_be_chosen(run: Run, tmp_path: Path, version: int) -> None:
    """--fmi leaves the other version out."""
    assert run("--out", tmp_path, "--platform", "linux64", "--fmi", str(version), "planar.Fixed")[0] == 0
    assert made(tmp_path) == {f"fmi{version}/planar.Fixed.fmu"}


def test_python_backend_makes_fmi_2(run: Run, tmp_path: Path) -> None:
    """The second backend puts its FMU, which carries Python code, where the first one does."""
    assert run("--out", tmp_path, "--backend", "python", "planar.Fixed")[0] == 0
    assert made(tmp_path) == {"fmi2/planar.Fixed.fmu"}
    with zipfile.ZipFile(tmp_path / "fmi2" / "planar.Fixed.fmu") as archive:
        assert any(name.endswith(".py") for name in archive.namelist())


def test_a_table_comes_from_a_file(run: Run, tmp_path: Path) -> None:
    """--table replaces the numbers of the one component that is named."""
    (tmp_path / "steps.csv").write_text("t,y\n0,1\n2,5\n3,4\n")
    assert (
        run("--out", tmp_path, "--platform", "linux64", "--fmi", "3", "signal.Table", "--table", f"points={tmp_path / 'steps.csv'}")[0] == 0
    )
    with zipfile.ZipFile(tmp_path / "fmi3" / "signal.Table.fmu") as archive:
        assert 'start="1.0 5.0 4.0"' in archive.read("modelDescription.xml").decode()
    curve = ("signal.Curve", "--table", f"curve={tmp_path / 'steps.csv'}", "--kind", "curve=cubic")
    assert run("--out", tmp_path, "--platform", "linux64", "--fmi", "3", *curve)[0] == 0
    rows = fmpy.simulate_fmu(tmp_path / "fmi3" / "signal.Curve.fmu", start_values={"u": 1.0}, stop_time=0.1, output=["y"])
    assert rows["y"][-1] == pytest.approx(PchipInterpolator([0, 2, 3], [1, 5, 4])(1.0), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("signal.Table", "--table", "points"), "--table points: write the name of a table and its file, such as force=spring.csv"),
        (
            ("signal.Table", "--table", "points=none.csv"),
            "the table 'points' of signal.Table: the file 'none.csv' cannot be read: No such file",
        ),
        (
            ("signal.Table", "--table", "points=a.csv", "--table", "points=b.csv"),
            "--table points=b.csv: 'points' is given twice; leave one out",
        ),
        (("signal.Curve", "--kind", "curve=cubic"), "there is no table of that name; give its file by --table curve=FILE"),
        (("signal.Table", "signal.Gain", "--table", "points=a.csv"), "--table is for one component, but 2 are built"),
    ],
)
def test_wrong_tables_are_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    """The sentence names the table."""
    status, _, complaint = run("--out", tmp_path, *arguments)
    assert status == 1 and sentence in complaint


@pytest.mark.slow
def test_a_users_file_builds_beside_the_catalogue(run: Run, tmp_path: Path) -> None:
    """The path of a file and a name of the catalogue may stand in one command, which builds both, in parallel."""
    assert run("--out", tmp_path, "--platform", "linux64", "--fmi", "2", SCREW, "planar.Fixed")[0] == 0
    assert made(tmp_path) == {"fmi2/Screw.fmu", "fmi2/planar.Fixed.fmu"}


@pytest.mark.slow
def test_the_script_runs_by_its_path(tmp_path: Path) -> None:
    """python build_fmus.py works from any folder and ends with the status of its outcome."""
    good, bad = (
        subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, cwd=tmp_path)
        for arguments in (["--list"], ["planar.Gone", "--list"])
    )
    assert good.returncode == 0 and "planar.Body1 " in good.stdout
    assert bad.returncode == 1 and bad.stdout == ""


# -- what it leaves alone ----------------------------------------------------------------------------------------------


def test_a_second_run_builds_nothing(run: Run, tmp_path: Path) -> None:
    """Every unchanged FMU is up to date and keeps its bytes and its time."""
    first = run("--out", tmp_path, "--platform", "linux64", "planar.Fixed", "mechanical1d.Mass")[1]
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*.fmu")}
    status, printed, _ = run("--out", tmp_path, "--platform", "linux64", "planar.Fixed", "mechanical1d.Mass")
    assert "4 built, 0 up to date" in first
    assert status == 0 and printed.splitlines()[-1] == f"4 FMUs in {tmp_path}: 0 built, 4 up to date"
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*.fmu")} == before


def test_only_a_changed_declaration_is_built_again(run: Run, tmp_path: Path) -> None:
    """One of two files was edited: it is built again, with its new default, and the other is not touched."""
    files = [tmp_path / "Screw.py", tmp_path / "OtherScrew.py"]
    files[0].write_text(SCREW.read_text())
    files[1].write_text(SCREW.read_text().replace("class Screw(", "class OtherScrew("))
    command = ("--out", tmp_path / "out", "--platform", "linux64", "--fmi", "2", *files)
    assert "2 built, 0 up to date" in run(*command)[1]
    # Of another length: Python tells files apart by seconds and size.
    files[0].write_text(files[0].read_text().replace('"pitch", 0.01,', '"pitch", 0.025,'))
    printed = run(*command)[1].splitlines()
    assert printed[-1].endswith(": 1 built, 1 up to date")
    assert {line.split()[0]: "up to date" in line for line in printed[:-1]} == {"Screw": False, "OtherScrew": True}
    with zipfile.ZipFile(tmp_path / "out" / "fmi2" / "Screw.fmu") as archive:
        assert b'start="0.025"' in archive.read("modelDescription.xml")


def test_a_damaged_fmu_is_built_again(run: Run, tmp_path: Path) -> None:
    """A file that is no whole archive does not count as up to date."""
    command = ("--out", tmp_path, "--platform", "linux64", "--fmi", "2", "planar.Fixed")
    run(*command)
    fmu = tmp_path / "fmi2" / "planar.Fixed.fmu"
    whole = fmu.read_bytes()
    fmu.write_bytes(whole[:1000])
    assert "1 built" in run(*command)[1]
    assert fmu.read_bytes() == whole


# -- what it says when it cannot ---------------------------------------------------------------------------------------


def refuse(run: Run, sentence: str, *arguments: str | Path) -> None:
    """The command ends with status 1 and one sentence, and prints nothing else."""
    assert run(*arguments) == (1, "", f"build_fmus.py: {sentence}\n")


def test_an_unknown_name_is_answered_with_the_nearest(run: Run, tmp_path: Path) -> None:
    """The sentence names what was asked for and what it might have been; nothing is built, not even what is known."""
    status, printed, complaint = run("--out", tmp_path, "planar.Fixed", "planar.Revolut")
    assert (status, printed) == (1, "")
    assert complaint.startswith("build_fmus.py: there is no component 'planar.Revolut'; the nearest names are planar.Revolute,")
    assert complaint.count("\n") == 1 and not made(tmp_path)


def test_the_folder_must_be_given(run: Run) -> None:
    """Without --out, the command says what is missing; its status is that of a wrong command line."""
    status, _, complaint = run("planar.Fixed")
    assert status == 2
    assert complaint.endswith("error: the folder for the FMUs is missing; give it with --out DIR\n")


def test_the_python_backend_has_no_fmi_3(run: Run, tmp_path: Path) -> None:
    """The two cannot be combined, and there are two remedies."""
    refuse(
        run,
        "the python backend offers FMI 2.0 only; leave --fmi 3 out, or take --backend native",
        "--out",
        tmp_path,
        "--backend",
        "python",
        "--fmi",
        "3",
        "planar.Fixed",
    )


def test_an_unknown_platform_is_refused(run: Run, tmp_path: Path) -> None:
    """The sentence lists the platforms that there are."""
    refuse(
        run,
        "the platform 'darwin64' is unknown; use one or more of linux64, win64",
        "--out",
        tmp_path,
        "--platform",
        "linux64,darwin64",
        "planar.Fixed",
    )


def test_a_missing_compiler_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CC", "")
    sentence = "no C compiler was found: install gcc (Debian: apt install gcc), or name a compiler in the environment variable CC"
    refuse(run, sentence, "--out", tmp_path, "planar.Fixed")
    assert not made(tmp_path)


@pytest.mark.parametrize("chosen", ["no-such-compiler", "gcc -O0"])
def test_a_variable_that_names_no_compiler_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv("CC", chosen)
    sentence = (
        f"the environment variable CC is '{chosen}', which names no program: give a compiler's name or path without options, or unset it"
    )
    refuse(run, sentence, "--out", tmp_path, "planar.Fixed")
    assert not made(tmp_path)


def test_win64_needs_its_cross_compiler(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CheckedOptions for by name, win64 without MinGW is an error that names its package."""
    installed = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, *rest, **more: None if "mingw" in name else installed(name, *rest, **more))
    refuse(
        run,
        "win64 needs the cross compiler x86_64-w64-mingw32-gcc: install Debian's package gcc-mingw-w64-x86-64, "
        "or leave win64 out of --platform",
        "--out",
        tmp_path,
        "--platform",
        "linux64,win64",
        "planar.Fixed",
    )


def test_win64_is_left_out_where_it_cannot_be_built(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not asked for, win64 is built only where MinGW is installed."""
    installed = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, *rest, **more: None if "mingw" in name else installed(name, *rest, **more))
    assert run("--out", tmp_path, "--fmi", "2", "planar.Fixed")[0] == 0
    with zipfile.ZipFile(tmp_path / "fmi2" / "planar.Fixed.fmu") as archive:
        assert [name for name in archive.namelist() if name.startswith("binaries/")] == ["binaries/linux64/planar_Fixed.so"]


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    """The path of a file that does not exist is repeated."""
    path = tmp_path / "Gone.py"
    refuse(run, f"there is no file '{path}'; give the path of a Python file that declares a component", "--out", tmp_path, path)


def test_a_file_without_a_component_is_named(run: Run, tmp_path: Path) -> None:
    """Importing the base class declares nothing; the sentence says what to define."""
    path = tmp_path / "empty.py"
    path.write_text("from fmu_components.declare.component import Component\n")
    refuse(
        run,
        f"'empty.py' in '{tmp_path.name}' declares no component; define a subclass of Component or Joint in it, "
        f"or move the file out of the folder",
        "--out",
        tmp_path,
        path,
    )


def test_a_faulty_declaration_is_one_sentence(run: Run, tmp_path: Path) -> None:
    """A mistake in the user's mathematics is answered by name, without a traceback."""
    path = tmp_path / "Wrong.py"
    path.write_text(SCREW.read_text().replace('"m/rad"', '"m2"'))
    status, printed, complaint = run("--out", tmp_path / "out", "--platform", "linux64", path)
    assert (status, printed) == (1, "")
    assert complaint.startswith("build_fmus.py: Screw: ") and "Traceback" not in complaint


def test_two_components_of_one_name_are_refused(tmp_path, capsys):
    """Their FMUs would overwrite each other."""
    text = 'from fmu_components.planar.Revolute import Revolute\nclass Pin(Revolute):\n    """Pin."""\n'
    files = [tmp_path / "one" / "Pin.py", tmp_path / "two" / "Pin.py"]
    for file in files:
        file.parent.mkdir()
        file.write_text(text)
    assert build_fmus.main(["--out", str(tmp_path / "out"), *map(str, files)]) == 1
    assert (
        "two of the components are called 'Pin', and their FMUs would overwrite each other; rename one of them" in capsys.readouterr().err
    )


def test_a_file_with_a_mistake_is_named_with_its_line(tmp_path, capsys):
    """Instead of a traceback."""
    file = tmp_path / "Wrong.py"
    file.write_text("x = 1\nimport nothing_of_this_name\n")
    assert build_fmus.main(["--out", str(tmp_path), str(file)]) == 1
    assert f"'{file}' cannot be read: ModuleNotFoundError in line 2: No module named" in capsys.readouterr().err


def test_a_module_beside_the_file_can_be_imported(tmp_path):
    """A user's components may share a module."""
    (tmp_path / "beside_me.py").write_text("LENGTH = 2.0\n")
    file = tmp_path / "Long.py"
    file.write_text(
        "from beside_me import LENGTH\nfrom fmu_components.planar.ConnectingRod import ConnectingRod\n"
        'class Long(ConnectingRod):\n    """Long rod."""\n    starts_N = {"x": LENGTH}\n'
    )
    assert build_fmus.main(["--out", str(tmp_path / "out"), "--fmi", "3", str(file)]) == 0
    assert (tmp_path / "out" / "fmi3" / "Long.fmu").is_file()


def test_a_folder_that_is_a_file_is_refused(tmp_path, capsys):
    """The sentence names it and the option."""
    file = tmp_path / "file"
    file.write_text("")
    assert build_fmus.main(["--out", str(file), "planar.Fixed"]) == 1
    assert f"the FMUs cannot be written into '{file}': File exists; give another folder with --out" in capsys.readouterr().err
