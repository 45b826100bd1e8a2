"""Tables of figures name the benchmark or the test that makes them, and have its rows; those that do not depend on time are computed again."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from benchmarks import constraints, crane

ROOT = Path(__file__).parents[2]
PAGES = ("constraint-drift", "fixed-steps", "evaluation", "speed", "blocks", "crane")
FEWEST = 4
"""Cells with figures in a table of figures."""
MAKER = re.compile(r"`((?:benchmarks|tests)/[\w/]+\.py)|\((?:\.\./)((?:benchmarks|tests)/[\w/]+\.py)\)|`(benchmarks/\w+\.py)")


def text(page: str) -> str:
    return (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")


def tables(page: str) -> list[tuple[str, list[list[str]]]]:
    """Returns the tables of a page: the text before each in its section, with its heading, and the cells of its rows."""
    found = []
    for section in re.split(r"^#+ ", text(page), flags=re.MULTILINE):
        for match in re.finditer(r"(?:^\|.*\n)+", section + "\n", re.MULTILINE):
            lines = match.group().strip().splitlines()
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
            found.append((section[: match.start()] + lines[0], rows))
    return found


def figures(rows: list[list[str]]) -> int:
    """Returns the number of cells that begin with a measured figure, after the first column."""
    return sum(bool(re.match(r"[\d.]+(e-?\d+)?( \(\d+\)|$| J$|, )", cell)) for row in rows for cell in row[1:])


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_figures_name_their_makers(page: str) -> None:
    """The introduction of the page may name it for all tables."""
    everywhere = "benchmarks/crane.py" in text(page).split("\n## ")[0]
    for before, rows in tables(page):
        if figures(rows) >= FEWEST and not everywhere:
            makers = ["".join(each) for each in MAKER.findall(before)]
            assert makers and all((ROOT / maker).is_file() for maker in makers), rows[0]


@pytest.mark.parametrize("page", ["speed", "blocks", "fixed-steps"])
def test_rows_of_speed_are_those_of_the_benchmark(page: str) -> None:
    """The name of each row, up to the number of bodies, is a text of the benchmark that its heading or paragraph names last."""
    checked = 0
    for before, rows in tables(page):
        makers = ["".join(each) for each in MAKER.findall(before)]
        if figures(rows) >= FEWEST - 1 and makers and makers[-1].startswith("benchmarks/") and "constraints" not in makers[-1]:
            source = (ROOT / makers[-1]).read_text(encoding="utf-8")
            for row in rows:
                name = re.sub(r",? (FMI|tolerance|[\d.]+ ms|\d+ bodies|again|\d+$).*|,? 1?\d* bodies", "", row[0].replace("`", ""))
                assert name in source, (makers[-1], row[0])
                checked += 1
    assert checked >= 3


TABLES = [("constraint-drift", name) for name in ("steps", "right-hand side", "branches", "energies")]
TABLES += [("fixed-steps", "fixed steps"), ("evaluation", "solvers")]


def close(shown: str, found: str) -> bool:
    """Says whether figures agree: words and step sizes exactly, evaluations to 5 %, errors to a factor of 3.

    Rows of ``ida`` agree to 10 % and a factor of 8: rounding changes all its steps, errors of single runs by up to 30 times, and their
    medians over nine tolerances by up to 4 times.
    """
    evaluations, errors = (1.10, 8.0) if "`ida`" in found else (1.05, 3.0)
    pattern = r"\d+(?:\.\d+)?(?:e-?\d+)?"
    if re.sub(pattern, "#", shown) != re.sub(pattern, "#", found):
        return False
    for one, other in zip(re.findall(pattern, shown), re.findall(pattern, found), strict=True):
        allowed = math.log(errors if "e" in one or "e" in other else evaluations)
        if one != other and abs(math.log(float(one) / float(other))) > allowed:
            return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), TABLES)
def test_errors_and_evaluations_are_those_of_the_benchmark(page: str, name: str) -> None:
    """Each row that the benchmark prints stands on the page, with figures that agree."""
    lines = text(page).splitlines()
    for row in constraints.PRINTED[name]():
        assert any(close(line, row) for line in lines), row


def test_figures_that_differ_are_found() -> None:
    row = "| pendulum, 5 s, `ida` | 9e-5 (1622), stopped | 18 of 18 |"
    assert close(row, row.replace("9e-5", "5e-5").replace("1622", "1600"))
    assert (
        not close(row, row.replace("9e-5", "9e-6"))
        and not close(row, row.replace("1622", "1800"))
        and not close(row, row.replace("stopped", "4e-5 (3)"))
    )


def crane_rows() -> list[list[str]]:
    """Returns the rows of the crane's two tables, which have the heads of the benchmark."""
    heads = [crane.head("solver", "rtol", "by")[0], crane.head("split", "scheme", "extrapolation", "step, s")[0]]
    assert all(head in text("crane") for head in heads)
    return [row for before, rows in tables("crane") for row in rows if before.endswith(tuple(heads))]


def test_rows_of_the_crane_are_those_of_the_benchmark() -> None:
    """Each solver has one, and each scheme in one of the splits at least."""
    found = crane_rows()
    runs = [row[:3] for row in found if row[0] not in crane.SPLITS]
    assert runs == [[solver, f"{rtol:g}", by] for solver, rtol in crane.SOLVERS for by in crane.WAYS]
    steps = [row[:4] for row in found if row[0] in crane.SPLITS]
    every = [
        [split, each.name, "–" if each.degree is None else str(each.degree), f"{h:g}"]
        for split in crane.SPLITS
        for each in crane.SCHEMES
        for h in crane.STEPS
    ]
    assert all(row in every for row in steps) and {row[1] for row in steps} == set(crane.NAMES)


@pytest.mark.slow
def test_errors_of_the_crane_are_those_of_the_benchmark() -> None:
    """Runs by the tape, and each scheme at 1 ms with all instances alone.

    Errors before the end stop agree to 6 %, unless they are close to the reference; all others to a factor of 2.
    """
    machine, checked = crane.Crane(crane.example.STOP), 0
    for row in crane_rows():
        if row[2] == "tape":
            cells, options = row[3:11], {"solver": row[0], "rtol": float(row[1]), "evaluation": "tape"}
        elif row[0] == "each alone" and row[3] == "0.001":
            scheme = next(each for each in crane.SCHEMES if each.name == row[1] and row[2] in ("–", str(each.degree)))
            cells, options = row[4:12], {"communication_step": 1e-3, **scheme.options}
        else:
            continue
        errors, _, ending = machine.row(crane.example.system(), **options)
        assert not ending and len(errors) == len(cells)
        for i, (shown, error) in enumerate(zip(map(float, cells), errors, strict=True)):
            assert abs(math.log(error / shown)) < math.log(1.06 if i < 4 and shown > 1e-7 else 2.0), row
        checked += 1
    assert checked == 7 + 9
