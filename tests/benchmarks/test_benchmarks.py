"""Every benchmark runs; what it measures is not judged here."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from benchmarks import foreign_fmus, masters
from tests.support.foreign import Model, Variable, export

ROOT = Path(__file__).parents[2]


def printed(script: str, *options: str) -> list[str]:
    """Returns the lines that a benchmark prints."""
    command = [sys.executable, f"benchmarks/{script}.py", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
def test_the_runtime_benchmark_prints_its_table():
    """One line per component and case, each with a ratio; the benchmark itself checks that both sides compute the same."""
    text = printed("runtime", "--rounds", "2000", "--repetitions", "1")
    assert text[0].split()[-1] == "ratio"
    assert len(text) == 7
    for line in text[1:]:
        assert line.startswith("planar.Body") and float(line.split()[-1]) > 0


@pytest.mark.slow
def test_the_benchmark_of_instructions_counts_a_case():
    if not shutil.which("valgrind"):
        # The benchmark counts by valgrind, which pip cannot install.
        pytest.skip("valgrind is not installed: apt-get install valgrind")
    (line,) = printed("instructions", "--only", "cradle")
    assert line.startswith("Newton's cradle") and 1 < float(line.split()[-2]) < 1000


@pytest.mark.slow
def test_the_benchmark_of_twins_prints_a_ratio_for_each_way():
    rows = [line.split(" | ") for line in printed("twins", "--repetitions", "1")[1:]]
    assert [row[0] for row in rows] == ["by FMUs", "by tape", "compiled"] and all(float(row[-1]) > 0 for row in rows)


@pytest.mark.slow  # runs in real time have tests of their own
def test_the_benchmark_of_real_time_is_never_ahead_of_the_clock():
    """It ends with an error if a point comes before its time. All runs together last 1 s."""
    rows = [[each.strip() for each in line.strip("| ").split("|")] for line in printed("real_time", "--seconds", "0.25")[2:]]
    assert [row[:3] for row in rows] == [[name, solver, "250"] for name in ("seven bodies", "crane") for solver in ("index3", "dopri5")]
    assert all(0 < float(row[6].split()[0]) <= float(row[5].split()[0]) for row in rows)


@pytest.mark.slow
def test_the_loading_benchmark_prints_its_table():
    """One line per step, and their sum."""
    text = printed("loading", "--instances", "20", "--repetitions", "1")
    assert text[0] == "20 instances of planar.Body1"
    assert [line.split("  ")[0] for line in text[1:]] == [
        "read",
        "add",
        "build",
        "start, all variables recorded",
        "start, one recorded",
        "all, without the last",
    ]
    assert all(float(line.split()[-2]) > 0 for line in text[1:])


@pytest.mark.slow
def test_the_assembly_benchmark_prints_its_table():
    """A line for each mechanism; an open chain of 100 keeps as many freedoms, a closed one two less, and Jansen's leg has eight poses."""
    rows = {line[:34].strip(): line[34:].split() for line in printed("assembly", "--repetitions", "1")[1:]}
    assert all(float(row[1]) > 0 for row in rows.values())
    assert [rows[name][3] for name in ("open chain of 100", "closed chain of 100")] == ["100", "98"]
    assert rows["Jansen's leg, crank held"][2] == "8"


@pytest.mark.slow
def test_the_seven_body_benchmark_compares_with_one_c_function_and_with_exudyn():
    """Both compute the same motion: at the same tolerance the errors agree to two digits, and both to what Exudyn is held against. Implicit
    schemes take two passes a step, or little more."""
    pytest.importorskip("exudyn")
    text = printed("andrews", "--repetitions", "1", "--exudyn-steps", "300")
    at_the_first_tolerance = [line[44:56].strip() for line in text[2:5]]
    assert sum("coupled FMUs" in line for line in text) == 14 and sum("tape, " in line for line in text) == 12
    assert [line[44:56] for line in text[2:8] if "Baumgarte" in line] == [text[4][44:56]] * 2
    assert len(set(at_the_first_tolerance)) == 1 and float(at_the_first_tolerance[0]) < 1e-4
    schemes = {words[0]: words[1:] for words in map(str.split, text) if words[0].startswith("implicit")}
    assert len(schemes) == 3 and all(int(passes) < 7000 and float(error) < 1e-5 for passes, error, *_ in schemes.values())
    assert float(text[-1].split()[-1]) > 0


@pytest.mark.slow
def test_the_chain_benchmark_prints_its_table():
    """Two sizes of two mechanisms, by FMUs, by tapes and by compiled code, with the exponent between them."""
    text = printed("chain", "--bodies", "3", "9", "--seconds", "0.01", "--repetitions", "1")
    rows = [[name, way, bodies] for name in ("chain", "N-four-bar") for way in ("FMUs", "tape", "compiled") for bodies in ("3", "9")]
    assert [line.split()[:3] for line in text[1:]] == rows
    assert np.isfinite(float(text[2].split()[-3]))


@pytest.mark.slow
def test_the_benchmark_of_elastic_bodies_prints_its_rows() -> None:
    """A row for each number of shapes, a point mass, and the ratio of two chains that fall for the same time."""
    head, row, point, chains = printed("flexible", "--shapes", "1", "--beams", "1", "--repetitions", "1")
    assert head.split()[:2] == ["shapes", "operations"] and row.split()[0] == "1"
    assert len(row.split()) == 7 and min(map(float, row.split())) > 0
    assert point.startswith("a point mass") and float(point.split()[-1]) > 0
    assert chains.startswith("chain of 1 beams") and float(chains.split()[-1]) > 0


@pytest.mark.slow
def test_the_benchmark_of_tables_prints_its_rows() -> None:
    """Costs of four ways over uniform and other nodes, then errors over corners by three solvers and tolerances."""
    lines = printed("tables", "--repetitions", "1", "--points", "16")
    assert [line.split()[0] for line in lines[1:9]] == ["function", "fmus", "tape", "compiled"] * 2
    assert all(float(each) > 0 for line in lines[1:9] for each in line.split()[-2:])
    assert len(lines) == 19 and all(float(line.split()[2]) < 1e-3 for line in lines[10:])


@pytest.mark.slow
def test_the_benchmark_in_space_compares_with_exudyn():
    """Two sizes with the exponent between them; and every other way to the same motion comes to the same place, within the error asked for."""
    pytest.importorskip("exudyn")
    text = printed("space", "--bodies", "3", "9", "--seconds", "0.01", "--repetitions", "1", "--runs", "4", "--error", "1e-5")
    assert [line.split()[0] for line in text[1:3]] == ["3", "9"] and np.isfinite(float(text[2].split()[4]))
    rows = [line for line in text if line.startswith("       4")]
    assert ["Exudyn" in row for row in rows] == [False] * 8 + [True] * 5
    assert all(float(row.split()[-3]) <= 1e-5 for row in rows)


@pytest.mark.slow
def test_the_benchmark_of_trees_prints_its_table():
    """Two sizes of blocks in a row, joints in a row and a balanced tree, with the exponent between them."""
    rows = [line[16:].split() for line in printed("trees", "--bodies", "3", "9", "--seconds", "0.01", "--repetitions", "1")[1:]]
    assert [row[0] for row in rows] == ["3", "9"] * 3
    assert all(np.isfinite(float(row[3])) for row in rows[1::2])


@pytest.mark.slow
def test_the_benchmark_of_links_agrees_with_pinocchio():
    """Accelerations of three kinds of links at the same poses."""
    pytest.importorskip("pinocchio")
    rows = [
        line[34:].split()
        for line in printed("links", "--links", "3", "9", "--seconds", "0.01", "--no-exudyn")
        if line[34:].strip()[0].isdigit()
    ]
    assert len(rows) == 6
    assert all(float(row[6]) < 1e-9 for row in rows)


@pytest.mark.slow
def test_the_benchmark_of_links_has_dashes_for_what_cannot_be_measured():
    """Without a compiler and without Exudyn there are calls from Python alone, and a line says why."""
    options = ("--kinds", "tree of blocks", "--compiler", "no-such-compiler", "--no-exudyn")
    why, _, line = printed("links", "--links", "3", "--seconds", "0.01", *options)
    assert why in ("Only from Python: there is no no-such-compiler", "Only from Python: Pinocchio is not installed: pip install pin")
    *measured, start = line[34:].split()
    known = [column != "-" for column in measured]
    assert float(start) > 0 and known in ([False] * 3 + [True] * 4 + [False] * 2, [False] * 3 + [True] + [False] * 5)


@pytest.mark.slow
def test_the_crane_benchmark_prints_its_tables():
    """Solvers, then every scheme: errors shrink with the step, and are those of the scheme."""
    text = printed("crane", "--stop", "0.8", "--splits", "each alone", "--steps", "1e-3", "5e-4")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text if line.startswith("|") and "---" not in line]
    solvers, schemes = [row for row in rows[1:] if len(row) == 12], [row for row in rows if len(row) == 13][1:]
    assert len(solvers) == 14 and len(schemes) == 2 * 9
    for coarse, fine in zip(schemes[::2], schemes[1::2], strict=True):
        assert coarse[:3] == fine[:3] and float(fine[10]) < 0.6 * float(coarse[10])


@pytest.mark.slow
def test_the_benchmark_of_exported_mechanisms_prints_its_table():
    """Both ways to integrate, inside and outside of Python's master, come to the published digits, and equations cost less than components."""
    text = printed("exported", "--repetitions", "1", "--chains", "3")
    head = next(number for number, line in enumerate(text) if line.startswith("a host in C"))
    rows = [line[36:].split() for line in text[:head] if line.startswith("  ")]
    baumgarte, projection = (list(map(float, line[36:].split())) for line in text[head:] if line.startswith("  times as much"))
    assert min(baumgarte + projection) > 1
    assert text[-1].startswith("a chain of 3 bodies exported in")
    assert [len(row) for row in rows] == [3, 3, 4, 3] and all(float(rows[i][-1]) > 0 for i in (0, 2))
    errors = [float(row[-3 if i in (0, 2) else -2]) for i, row in enumerate(rows)]
    assert max(errors[:2]) < 1e-10 and max(errors[2:]) < 1e-7


@pytest.mark.slow
def test_the_benchmark_of_isolation_compares_bits():
    """Each run has the same bits in another process, and the bounds are above the time without isolation."""
    text = printed("isolation", "--runs", "1")
    rows = [line[28:].split() for line in text if line.startswith(("pendulum", "seven bodies", "two "))]
    assert len(rows) == 11 and all(row[-3:] == ["the", "same", "bits"] for row in rows)
    assert all(float(row[3]) > 0 and float(row[8]) >= float(row[7]) >= 1 for row in rows)


@pytest.mark.slow
def test_the_benchmark_of_masters_compares_their_outputs():
    """Each master that is installed ends where it should, in two chains, or the benchmark ends with a sentence instead."""
    text = printed("masters", "--instances", "5", "--steps", "20", "--repetitions", "1")
    rows = {line[:24].strip(): [float(number) for number in line[24:].split()] for line in text[3:] if " is left out: " not in line}
    assert rows.keys() | {"Jourdain"} == {row.name for row in masters.rows()}
    for *microseconds, deviation in rows.values():
        assert len(microseconds) == 2 and min(microseconds) > 0
        assert 0 <= deviation <= 1e-12


def test_the_expected_outputs_of_the_chain_of_masters_follow_its_closed_form():
    """The lag of the first instance has a constant input u; that of the second takes what the first gave one step before.

    With q = 1 - h r: y0[n] = u + d0 q^n and y1[n] = u + d1 q^n + n h r d0 q^(n-1), d being the distances from u at the start. If the
    second took what the first gives in the same step, the last power were n."""
    for connections in (1, 6):
        chain = masters.Chain(ROOT, 3, connections, 100)
        n, hr = chain.all_steps, masters.STEP * np.array(masters.RATES)
        u, start = chain.start(masters.input_name)[0], chain.start(masters.output_name)
        first = u + (start[0] - u) * (1 - hr) ** n
        second = u + (start[1] - u) * (1 - hr) ** n + n * hr * (start[0] - u) * (1 - hr) ** (n - 1)
        found = chain.final_outputs()
        np.testing.assert_allclose(found[0], first, rtol=1e-12)
        np.testing.assert_allclose(found[1, :connections], second[:connections], rtol=1e-12)


def test_the_fmu_of_the_benchmark_of_masters_is_valid(tmp_path):
    """It is valid by FMPy's rules and the schema of the standard."""
    masters.make(tmp_path)
    assert validate_fmu(str(tmp_path / "Link.fmu")) == []


@pytest.mark.slow
def test_the_benchmark_of_fixed_steps_prints_its_table():
    """One line per mechanism, with the most iterations of any step, the times, and the share of deadlines that were missed."""
    head, seven, called, *exported, crane, crane_called = printed(
        "index3", "--steps", "50", "--systems", "seven bodies", "crane", "--exported", "seven bodies"
    )
    assert head.endswith("missed at 1 kHz") and seven.startswith("seven bodies ") and crane.startswith("crane ")
    assert called.startswith("seven bodies, FMUs called ") and crane_called.startswith("crane, FMUs called ")
    assert [line.split(",")[1] for line in exported] == [" FMI 2", " FMI 3"]
    for line in (seven, crane):
        assert int(line[41:53]) <= 4 and line.endswith("%")


@pytest.mark.slow
def test_the_benchmark_of_sweeps_prints_its_table():
    """A line for each executor; the benchmark itself checks that all tables are the same."""
    text = printed("sweeps", "--runs", "40")
    assert [line.split("  ")[0] for line in text[1:]] == [
        "serial",
        "threads",
        "2 processes, cold",
        "2 processes, warm",
        "FMPy, ModelExchange",
        "FMPy, CoSimulation",
    ]
    assert all(float(line.split()[-1]) > 0 for line in text[1:])


@pytest.mark.slow
def test_the_benchmark_of_compiling_prints_its_table():
    """The first time, and from the cache, which is faster."""
    rows = [line[24:].split() for line in printed("compiling", "--bodies", "3")[1:]]
    assert len(rows) == 3 and all(float(again) < float(first) for first, again in rows)


@pytest.mark.slow
def test_the_benchmark_of_first_runs_prints_its_table() -> None:
    """The import, and a machine with an empty and with a full cache, which takes less."""
    head, imported, machine = printed("first_run", "--repetitions", "1", "--only", "pendulum")
    assert head.split()[-4:] == ["empty", "cache", "full", "cache"] and imported.startswith("from jourdain import System")
    cold, warm = map(float, machine.split()[-2:])
    assert machine.startswith("pendulum") and warm < cold


def test_fmus_of_a_folder_are_compared_with_fmpy(tmp_path):
    """One runs in both masters, one knows its master, one is refused by Jourdain alone, one ends its process, and one is no FMU."""
    variables = [Variable("x", "output", 1.0, rate="-x"), Variable("y", "output", value="x")]
    own = f"{variables[1].value} + (me->name[0] == 'f')"
    models = {
        "good": (Model("Good", variables, kinds=("me",)), {}),
        "partial": (Model("Partial", [variables[0], replace(variables[1], value=own)], kinds=("cs",)), {}),
        "twice": (Model("Twice", [*variables, Variable("k", "parameter")], kinds=("cs",)), {'name="der(x)"': 'name="k"'}),
        "leaving": (Model("Leaving", variables, kinds=("me",), hooks={"initialize": "exit(7);"}), {}),
    }
    for name, (model, changes) in models.items():
        shutil.copy(export(model, 2, changes=changes), tmp_path / f"{name}.fmu")
    shutil.copy(export(models["good"][0], 1), tmp_path / "old.fmu")
    (tmp_path / "wrong.fmu").write_text("no archive")
    found = {each["file"]: each for each in foreign_fmus.rows(tmp_path, 60.0)}
    assert {name.removesuffix(".fmu"): each["verdict"] for name, each in found.items()} == {
        "good": "runs",
        "old": "runs",
        "partial": "differs",
        "twice": "refused",
        "leaving": "refused",
        "wrong": "no FMU",
    }
    assert found["good.fmu"]["difference"] < 1e-6
    assert found["partial.fmu"]["variable"] == "y"
    assert "has two variables with the name 'k'" in found["twice.fmu"]["jourdain"] and not found["twice.fmu"]["fmpy"]
    assert found["leaving.fmu"]["fmpy"] == "exit code 7"
    assert "| tests/support/foreign | 2.0 | cs | 2 | 2 | 1 | 1 | 1 |" in list(foreign_fmus.summary(list(found.values())))
