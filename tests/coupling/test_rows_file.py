"""Results in files: what is loaded equals what was saved, and whatever else a file may be is refused by what is wrong with it."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coupling import Ending, Outcome, Result, ResultError, Statistics, System, rows_file
from coupling.record import Change, Column, Constant, Record
from tests.support import foreign
from tests.support.systems.systems import pendulum, refusal

FIRST = rows_file._HEAD.size


@pytest.fixture(scope="module")
def result() -> Result:
    return pendulum().simulate(0.5, start_values={"rod.m": 2.5}, output_interval=0.05)


@pytest.fixture
def saved(result: Result, tmp_path: Path) -> Path:
    path = tmp_path / "run.jrd"
    result.save(path)
    return path


def assert_same(a: Result, b: Result) -> None:
    """Checks that two results are bit-identical, NaN included."""
    ours, theirs = a._record, b._record
    assert (a.time.tobytes(), np.ascontiguousarray(a.values).tobytes()) == (b.time.tobytes(), np.ascontiguousarray(b.values).tobytes())
    assert (a.outcome, a.statistics, a.names, a.units) == (b.outcome, b.statistics, b.names, b.units)
    assert (ours.system, ours.columns, ours.options, ours.start_values) == (
        theirs.system,
        theirs.columns,
        theirs.options,
        theirs.start_values,
    )
    assert (ours.constants, ours.variables) == (theirs.constants, theirs.variables)
    assert (ours.changes, ours.off) == (theirs.changes, theirs.off)
    assert list(ours.created_energy) == list(theirs.created_energy)
    for name, energy in ours.created_energy.items():
        assert energy.tobytes() == theirs.created_energy[name].tobytes()


def header(path: Path) -> dict:
    data = path.read_bytes()
    return json.loads(data[FIRST : FIRST + struct.unpack("<Q", data[8:16])[0]])


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_what_is_loaded_equals_what_was_saved(result: Result, saved: Path) -> None:
    """All of it, and what is made of it; saved again it gives the same bytes, and nothing else is left in the folder."""
    again = Result.load(str(saved))
    assert_same(again, result)
    assert again.parameters["rod.m"] == 2.5 and again.options["rtol"] == 1e-8
    assert again.violation["position"].tobytes() == result.violation["position"].tobytes()
    assert (again.energy == result.energy).all()
    assert refusal(lambda: again["rod.I"], KeyError) == refusal(lambda: result["rod.I"], KeyError)
    before = saved.read_bytes()
    again.save(saved)
    assert saved.read_bytes() == before and os.listdir(saved.parent) == ["run.jrd"]


def test_created_energy_and_discrete_columns_are_kept(tmp_path: Path) -> None:
    """The result is that of a co-simulation with an instance that has events."""
    system = System("two")
    system.add("spring", foreign.mass_spring(), kind="cs")
    system.add("saw", foreign.two_events())
    result = system.simulate(1.0, communication_step=0.1)
    assert any(column.discrete for column in result._record.columns)
    kept = Result(replace(result._record, created_energy={"a.p - b.q": result.time * 2}), result.outcome)
    kept.save(tmp_path / "two.jrd")
    again = Result.load(tmp_path / "two.jrd")
    assert_same(again, kept)
    assert (again.created_energy["a.p - b.q"] == 2 * again.time).all()


@given(
    st.lists(st.text(min_size=1), unique=True, max_size=4),
    st.lists(st.lists(st.floats(), min_size=5, max_size=5), max_size=4),
    st.floats(),
    st.text(),
)
def test_odd_names_and_numbers_are_kept(tmp_path_factory, names: list[str], values: list[list[float]], number: float, text: str) -> None:
    """Texts and doubles may have any value."""
    path = tmp_path_factory.mktemp("odd") / "odd.jrd"
    columns = tuple(Column(name, name, text, text, bool(i % 2)) for i, name in enumerate(names))
    rows = np.array(values, dtype=float).reshape(-1, 5)[:, : 1 + len(names)]
    costs = Statistics(1, 2, 3, 4, 5, 6, 7, 8, 9, 0.5, 2.0, 1.5)
    record = Record(
        text,
        columns,
        rows,
        costs,
        variables={text: tuple(names)},
        constants={text: Constant(number, text, text)},
        start_values={text: text},
        options={"max_step": number},
        changes=(Change(0.5, text, "removed", {text: 1.5}, 0.0, (text,)),),
        off={text: ((0, 2), (3, 4))},
    )
    odd = Result(record, Outcome(Ending.CHATTERING, text, [text], [text], text))
    odd.save(path)
    again = Result.load(path)
    if number == number:
        assert_same(again, odd)
    assert again.values.tobytes() == np.ascontiguousarray(odd.values).tobytes()


def test_keys_that_nobody_knows_are_kept(result: Result, tmp_path: Path) -> None:
    """Unknown keys of header and trailer are those of later versions."""
    beside = {"header": {"colours": {"rod": [1, 2]}, "later": None}, "trailer": {"checked by": "nobody"}}
    Result(replace(result._record, beside=beside), result.outcome).save(tmp_path / "a.jrd")
    assert header(tmp_path / "a.jrd")["colours"] == {"rod": [1, 2]}
    Result.load(tmp_path / "a.jrd").save(tmp_path / "b.jrd")
    assert (tmp_path / "b.jrd").read_bytes() == (tmp_path / "a.jrd").read_bytes()
    assert Result.load(tmp_path / "b.jrd")._record.beside == beside


def test_the_header_says_what_the_rows_are(result: Result, saved: Path) -> None:
    """The page on results is enough to read a file, without this library."""
    data, told = saved.read_bytes(), header(saved)
    assert data[:8] == b"JRDROWS1" and re.match(rb'{"rows": {18}\d\d,', data[FIRST:])
    begins = -(-(FIRST + struct.unpack("<Q", data[8:16])[0]) // 4096) * 4096
    rows = np.frombuffer(data, "<f8", told["rows"] * told["width"], begins).reshape(told["rows"], told["width"])
    assert (rows[:, 0] == result.time).all()
    assert (rows[:, 1 + [each["name"] for each in told["columns"]].index("rod.theta")] == result["rod.theta"]).all()
    assert told["constants"]["rod.m"][:2] == [1.0, "kg"] and told["start_values"]["rod.m"] == 2.5


def test_large_files_are_mapped(result: Result, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read where they are used, and may be written over by a newer one all the same."""
    monkeypatch.setattr(rows_file, "_IN_MEMORY", 0)
    mapped = Result.load(saved)
    assert isinstance(mapped._record.rows.base, np.memmap)
    mapped.save(saved)
    assert_same(mapped, result)
    assert_same(Result.load(saved), result)


def test_a_result_is_loaded_without_fmus(saved: Path, tmp_path: Path) -> None:
    """It loads in another process, with an empty cache and no compiler; nothing is built."""
    source = f"from jourdain import Result; r = Result.load({str(saved)!r}); print(r['rod.theta'][-1].hex(), r.outcome.completed)"
    environment = {"PATH": "", "JOURDAIN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == [Result.load(saved)["rod.theta"][-1].hex(), "True"], done.stderr
    assert not (tmp_path / "cache").exists()


# -- a run that is still writing ---------------------------------------------------------------------------------------


def test_a_file_without_an_end_has_its_rows(result: Result, saved: Path) -> None:
    """A killed run leaves such a file: without a number of rows and with half a row at the end. It may also have a trailer that the header
    does not know yet."""
    data = saved.read_bytes()
    told = header(saved)
    begins = -(-(FIRST + struct.unpack("<Q", data[8:16])[0]) // 4096) * 4096
    data = data.replace(b'{"rows":%20d,' % told["rows"], b'{"rows":%20d,' % -1)
    saved.write_bytes(data[: begins + 8 * told["width"] * 5 + 12])
    found = Result.load(saved)
    assert len(found) == 5 and (found.values == result.values[:5]).all()
    assert found.outcome.ending is Ending.INTERRUPTED and found.statistics.steps == 0
    assert found.outcome.sentence == f"'{saved}' ends at t = 0.2 s without an outcome: its run is under way, or was ended by force"
    for end in (len(data), len(data) - 100, begins + 8 * told["width"] * len(result) + 8):
        saved.write_bytes(data[:end])
        assert (Result.load(saved).values == result.values).all()
    saved.write_bytes(data[:begins])
    assert Result.load(saved).outcome.sentence.startswith(f"'{saved}' ends before its first row without")


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_every_cut_is_told(saved: Path) -> None:
    """Wherever a file ends too early, the sentence says in which part."""
    data, told = saved.read_bytes(), header(saved)
    begins = len(data) - len(data[data.rindex(b"JRDENDS1") :]) - 8 * told["width"] * told["rows"]
    for length, what in (
        (0, "is no result that Jourdain has saved: it is empty; give a file that ends in '.jrd'"),
        (5, "is no result that Jourdain has saved: it begins with b'JRDRO' and not with b'JRDROWS1'; give a file that ends in '.jrd'"),
        (12, "is cut off within its header; copy or save it again"),
        (200, "is cut off within its header; copy or save it again"),
        (begins + 3 * 8 * told["width"] + 1, "is cut off: it should have 11 rows and has 3; copy or save it again"),
        (data.rindex(b"JRDENDS1") + 3, "is cut off before its trailer, which says how the run ended; copy or save it again"),
        (len(data) - 1, "is damaged: its trailer, which says how the run ended, is not as it was written; copy or save it again"),
    ):
        saved.write_bytes(data[:length])
        assert refusal(lambda: Result.load(saved), ResultError) == f"'{saved}' {what}"


@given(st.data())
def test_every_changed_byte_is_told(result: Result, tmp_path_factory, data) -> None:
    """One byte that is not as it was written: never another result."""
    path = tmp_path_factory.mktemp("damaged") / "run.jrd"
    result.save(path)
    content = bytearray(path.read_bytes())
    place = data.draw(st.one_of(st.integers(0, 200), st.integers(0, len(content) - 1), st.integers(len(content) - 1500, len(content) - 1)))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    assert str(path) in refusal(lambda: Result.load(path), ResultError)


def test_foreign_and_later_files_are_refused(saved: Path, tmp_path: Path) -> None:
    """A table, a later version of the format, and what is no file."""
    table = tmp_path / "run.csv"
    table.write_text("time [s],rod.x [m]\n")
    assert refusal(lambda: Result.load(table), ResultError).startswith(
        f"'{table}' is no result that Jourdain has saved: it begins with b'time [s]'"
    )
    saved.write_bytes(saved.read_bytes().replace(b"JRDROWS1", b"JRDROWS3"))
    assert refusal(lambda: Result.load(saved), ResultError) == (
        f"'{saved}' is a result in version 3 of the format, and this Jourdain reads version 1; read it by the Jourdain that wrote it, or by a later one"
    )
    assert refusal(lambda: Result.load(tmp_path / "no.jrd"), OSError) == (
        f"'{tmp_path / 'no.jrd'}' cannot be read: No such file or directory; give the path of a result that was saved"
    )
    assert refusal(lambda: Result.load(tmp_path), OSError).startswith(f"'{tmp_path}' cannot be read: Is a directory; ")
    assert refusal(lambda: Result.load(3), TypeError) == "3 is no path; give that of the file to be read, such as 'result.jrd'"  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'"system":', b'"sistem":', "has not the content that this Jourdain expects (system is missing); it was written by '"),
        (b'"width":52', b'"width":51', "is damaged: its trailer"),
        (b'"width":52', b'"width":-1', "is damaged: its header gives width = -1"),
        (b'"columns":[', b'"columns":{', "is damaged: its header is no JSON"),
    ],
)
def test_a_header_that_makes_no_sense(saved: Path, monkeypatch: pytest.MonkeyPatch, old: bytes, new: bytes, what: str) -> None:
    """The checksums of a file that was changed by hand may fit."""
    content = saved.read_bytes().replace(old, new)
    saved.write_bytes(content)
    monkeypatch.setattr(rows_file.zlib, "crc32", lambda data: 0)
    where = content.rindex(b"JRDENDS1")
    trailer = re.sub(rb'_checksum":\d+', b'_checksum":0', content[where + rows_file._FOOT.size :])
    saved.write_bytes(content[:where] + rows_file._FOOT.pack(b"JRDENDS1", len(trailer), 0) + trailer)
    assert refusal(lambda: Result.load(saved), ResultError).startswith(f"'{saved}' {what}")


def test_where_nothing_can_be_saved(result: Result, tmp_path: Path) -> None:
    """The path is named; another suffix is refused, and nothing is left behind."""
    missing = tmp_path / "missing" / "run.jrd"
    assert refusal(lambda: result.save(missing), OSError) == (
        f"the result cannot be written to '{missing}': No such file or directory; choose another path"
    )
    folder = tmp_path / "folder.jrd"
    folder.mkdir()
    assert refusal(lambda: result.save(folder), OSError).startswith(f"the result cannot be written to '{folder}': ")
    assert refusal(lambda: result.save(tmp_path / "run.csv")) == (
        f"'{tmp_path / 'run.csv'}' does not end in '.jrd'; name it '{tmp_path / 'run.jrd'}', or call to_csv or to_mat"
    )
    assert os.listdir(tmp_path) == ["folder.jrd"]
