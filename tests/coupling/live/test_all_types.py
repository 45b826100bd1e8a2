"""Variables of all types between two FMUs: strings, binary data, and every type of numbers of FMI 2 and FMI 3, by an FMU made for them."""

from __future__ import annotations

import csv
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Checkpoint, Isolation, Result, StartError, System
from coupling.sweep import sweep
from jourdain.command import main
from tests.support.foreign.types import KINDS_2, KINDS_3, MIME, types, values
from tests.support.systems.systems import refusal

KINDS = [(version, kind) for version in (2, 3) for kind in ("me", "cs")]
EVENT = 0.5


def names_of(version: int) -> list[str]:
    return list(KINDS_2 if version == 2 else KINDS_3)


def pair(version: int, kind: str, process: str | None = None) -> System:
    """Returns a source whose outputs of all types feed the inputs of another instance."""
    system = System("pair")
    system.add("a", types(version), kind=kind, process=process)
    system.add("b", types(version), kind=kind, process=process)
    for name in names_of(version):
        system.connect(f"a.{name}", f"b.in_{name}")
    return system


def run(system: System, kind: str, stop: float = 1.0, **options: Any) -> Result:
    steps = {"communication_step": 0.1} if kind == "cs" else {}
    result = system.simulate(stop, output_interval=0.1, **steps, **options)
    assert result.outcome.completed, result.outcome
    return result


def check(result: Result, version: int, instance: str = "a", prefix: str = "") -> None:
    """Compares first and last values with those of the FMU's source, in their own types."""
    for phase, row in ((0, 0), (1, -1)):
        for name, value in values(version, phase).items():
            full = f"{instance}.{prefix}{name}"
            if full in result:
                found = result[full][row]
                assert found == value and isinstance(found, str | bytes) == isinstance(value, str | bytes), (full, found, value)
    if version == 3:
        assert result[f"{instance}.{prefix}texts[2]"].tolist()[:: len(result) - 1] == ["b", "c"]
        assert result[f"{instance}.{prefix}matrix[2,1]"].tolist()[:: len(result) - 1] == [2.0, 12.0]


@pytest.mark.every_case
@pytest.mark.parametrize("process", [None, "own"])
@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_every_type_is_connected_and_recorded(version: int, kind: str, process: str | None) -> None:
    """Each output arrives at the input of its own type, unchanged to the last bit; texts are set again only when they change."""
    blobs = ["a.blob", "b.echo_blob"] if version == 3 else []
    result = run(pair(version, kind, process), kind, outputs=["*", *blobs])
    check(result, version)
    check(result, version, "b", "echo_")
    changed = 1 if version == 2 else 2  # the array of texts is set by itself
    assert result["b.sets"][-1] - result["b.sets"][0] == changed
    assert not [name for name in run(pair(version, kind), kind).names if "blob" in name]  # binary data on request alone


def by_fmpy(version: int, kind: str) -> list[list[object]]:
    """Returns the text, the count and the truth at the end, as FMPy reads them."""
    fmpy = pytest.importorskip("fmpy")
    found = fmpy.simulate_fmu(
        str(types(version)),
        validate=False,
        fmi_type="ModelExchange" if kind == "me" else "CoSimulation",
        stop_time=1.0,
        output_interval=0.1,
        output=["count", "truth", "mode"],
    )
    return [[row[name] for name in ("count", "truth", "mode")] for row in (found[0], found[-1])]


@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_numbers_are_those_of_fmpy(version: int, kind: str) -> None:
    """FMPy reads the same FMU by its own calls."""
    result = run(pair(version, kind), kind)
    own = [[result[f"a.{name}"][row] for name in ("count", "truth", "mode")] for row in (0, -1)]
    assert own == by_fmpy(version, kind)


@pytest.mark.parametrize("version", [2, 3])
def test_texts_are_those_of_fmpy(version: int, tmp_path: Path) -> None:
    """FMPy's own binding reads the strings and the bytes of the slave after the same steps."""
    fmpy = pytest.importorskip("fmpy")
    from fmpy import fmi2, fmi3

    folder = fmpy.extract(str(types(version)), unzipdir=str(tmp_path))
    made = (fmi2.FMU2Slave if version == 2 else fmi3.FMU3Slave)(guid="t", modelIdentifier="types", unzipDirectory=folder, instanceName="a")
    made.instantiate()
    if version == 2:
        made.setupExperiment(startTime=0.0)
    made.enterInitializationMode()
    made.exitInitializationMode()
    for step in range(10):
        made.doStep(currentCommunicationPoint=0.1 * step, communicationStepSize=0.1)
    texts = made.getString([1])
    result = run(pair(version, "cs"), "cs", outputs=["*", *(["a.blob"] if version == 3 else [])])
    assert result["a.text"][-1] == (texts[0].decode() if isinstance(texts[0], bytes) else texts[0])
    if version == 3:
        assert result["a.u64"][-1] == made.getUInt64([13])[0]
        assert result["a.count"][-1] == made.getInt64([2])[0]


@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_texts_are_kept_in_files(version: int, kind: str, tmp_path: Path) -> None:
    """A saved result gives back the same objects, as does one that was streamed; CSV has them as text, and ``.mat`` says what it leaves out."""
    blobs = ["b.echo_blob"] if version == 3 else []
    streamed = tmp_path / "streamed.jrd"
    result = run(pair(version, kind), kind, outputs=["*", *blobs], record_to=streamed)
    result.save(tmp_path / "saved.jrd")
    for path in (streamed, tmp_path / "saved.jrd"):
        again = Result.load(path)
        check(again, version, "b", "echo_")
        assert all(again[name].tolist() == result[name].tolist() for name in result.names)
        assert again.items == result.items == {name: {1: "off", 2: "on"} for name in ("a.mode", "a.echo_mode", "b.mode", "b.echo_mode")}
    result.to_csv(tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert rows[0][head.index("b.echo_text")] == "idle" and rows[-1][head.index("b.echo_text")] == "läuft"
    assert rows[-1][head.index("a.mode [1 = off, 2 = on]")] == "2.0"
    if version == 3:
        assert rows[-1][head.index("b.echo_u64")] == str(2**64 - 2) and rows[-1][head.index("b.echo_blob")] == "00ff01"
    with pytest.warns(UserWarning, match=r"has no texts: .*b\.echo_text.* left out; save the result as \.jrd or \.csv"):
        result.to_mat(tmp_path / "all.mat")
    frame = result.to_dataframe()
    assert frame["a.text"].iloc[-1] == "läuft" and frame["a.x"].iloc[-1] == pytest.approx(1)
    assert pickle.loads(pickle.dumps(result))["a.text"].tolist() == result["a.text"].tolist()


def test_values_at_a_time_and_at_other_rows() -> None:
    """Texts stay until the next row; so do whole numbers beyond doubles."""
    result = run(pair(3, "me"), "me")
    assert (result.at(0.45)["a.text"], result.at(0.55)["a.text"], result.at(EVENT, "before")["a.text"]) == ("idle", "läuft", "idle")
    assert result.at(0.7)["a.u64"] == 2**64 - 2
    assert result.at([0.2, 0.9])["a.text"].tolist() == ["idle", "läuft"]
    assert result.resample(interval=0.25)["a.text"].tolist() == ["idle", "idle", "läuft", "läuft", "läuft"]
    assert result.item_names("a.mode")[[0, -1]].tolist() == ["off", "on"]
    assert refusal(lambda: result.item_names("a.x"), KeyError).startswith("'a.x' is no recorded enumeration; there are 'a.mode'")
    assert result.compare(result)
    assert (
        refusal(lambda: result.compare(result, ["a.text"]), ValueError)
        == "compare: 'a.text' has texts, which have no differences; name numbers alone"
    )


def test_plots_show_words() -> None:
    """Items of an enumeration and texts are words on axes of their own."""
    result = run(pair(3, "me"), "me")
    figure = result.plot("a.mode", "a.text", "a.x")
    words = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert words[:2] == [["off", "on"], ["idle", "läuft"]]
    assert figure.axes[1].lines[0].get_ydata()[[0, -1]].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("isolate", ["all", "foreign"])
def test_isolated_runs(isolate: str, tmp_path: Path) -> None:
    """The whole run in another process, whose texts are known here after it."""
    result = run(pair(3, "cs"), "cs", outputs=["*", "b.echo_blob"], isolate=isolate)
    check(result, 3, "b", "echo_")
    assert run(pair(3, "me"), "me", isolate=Isolation(which=isolate), record_to=tmp_path / "rows.jrd")["b.echo_text"][-1] == "läuft"


def system_with(values_: dict[str, object], kind: str = "me", version: int = 3) -> System:
    system = System("driven")
    system.add("b", types(version), kind=kind)
    for name, value in values_.items():
        system.drive(f"b.{name}", value)
    return system


@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_constants_and_tables_of_all_types(version: int, kind: str) -> None:
    """Constants are start values, tables change their inputs at their times; items of enumerations have names."""
    constants = {"in_text": "grün", "in_mode": "on", "in_truth": True, "in_count": 5}
    tables = {"in_text": [(0, "a"), (0.35, "b")], "in_mode": [(0, "off"), (0.35, "on")], "in_count": [(0, 1), (0.35, 4)]}
    if version == 3:
        constants |= {
            "in_blob": b"\x00\x01",
            "in_u64": 2**64 - 1,
            "in_f32": 0.1,
            "in_texts": ["p", "q"],
            "in_matrix": np.arange(4.0).reshape(2, 2),
        }
        tables |= {"in_blob": [(0, b""), (0.35, b"\xff")], "in_u64": [(0, 2**63), (0.35, 3)]}
    outputs = ["b.echo*", *(["b.echo_blob"] if version == 3 else [])]
    result = run(system_with(constants, kind, version), kind, outputs=outputs)
    assert result["b.echo_text"].tolist() == ["grün"] * len(result)
    assert (result["b.echo_mode"] == 2).all() and (result["b.echo_count"] == 5).all() and (result["b.echo_truth"] == 1).all()
    if version == 3:
        assert result["b.echo_blob"][-1] == b"\x00\x01" and result["b.echo_u64"][0] == 2**64 - 1
        assert result["b.echo_f32"][-1] == np.float32(0.1)
        assert result["b.echo_texts[2]"][-1] == "q" and result["b.echo_matrix[2,1]"][-1] == 2.0
    driven = run(system_with(tables, kind, version), kind, outputs=outputs)
    before, after = (np.searchsorted(driven.time, t) for t in (0.25, 0.65))
    assert driven["b.echo_text"][[before, after]].tolist() == ["a", "b"]
    assert driven["b.echo_mode"][[before, after]].tolist() == [1, 2] and driven["b.echo_count"][[before, after]].tolist() == [1, 4]
    if version == 3:
        assert driven["b.echo_blob"][[before, after]].tolist() == [b"", b"\xff"] and driven["b.echo_u64"][[before, after]].tolist() == [
            2**63,
            3,
        ]
    again = pickle.loads(pickle.dumps(system_with(tables, kind, version)))
    assert again.definition == system_with(tables, kind, version).definition != system_with(constants, kind, version).definition


def test_drives_and_start_values_of_one_run() -> None:
    """They take the place of those of the system."""
    system = system_with({"in_text": "one"})
    assert run(system, "me", drives={"b.in_text": "two"})["b.echo_text"][-1] == "two"
    assert run(system, "me", drives={"b.in_text": [(0, "x"), (0.5, "y")]})["b.echo_text"][[0, -1]].tolist() == ["x", "y"]
    plain = System()
    plain.add("b", types(3))
    given = {"b.in_text": "z", "b.in_u64": 2**64 - 1, "b.in_blob": b"\x07", "b.in_mode": "on", "b.in_matrix": [[1, 2], [3, 4]]}
    result = run(plain, "me", start_values=given, outputs=["b.echo*", "b.echo_blob"])
    assert (result["b.echo_text"][0], result["b.echo_u64"][0], result["b.echo_blob"][0]) == ("z", 2**64 - 1, b"\x07")
    assert result["b.echo_matrix[1,2]"][0] == 2 and result["b.echo_mode"][0] == 2
    assert run(plain, "me")["b.echo_text"][0] == "none"


def test_arrays_are_driven_by_functions_and_tables() -> None:
    """Each element follows its element of the value: x(t) = (t, 2t) by its own integral, and a table whose rows have all elements."""
    from tests.support.foreign.arrays import arrays

    def with_drive(value: object) -> Result:
        system = System()
        system.add("unit", arrays(), {"m": 2, "A": np.zeros((2, 2)), "B": np.eye(2), "x": [0, 0]})
        system.drive("unit.u", value)
        return run(system, "me", outputs=["unit.x", "unit.u"])

    assert with_drive([1.0, 2.0])["unit.x[2]"][-1] == pytest.approx(2, abs=1e-8)
    assert with_drive(lambda t: np.array([t, 2 * t]))["unit.x[2]"][-1] == pytest.approx(1, abs=1e-7)
    for table in (np.array([[0, 0, 0], [1, 1, 2]]), [(0, [0, 0]), (1, [1, 2])]):
        result = with_drive(table)
        assert result["unit.x[1]"][-1] == pytest.approx(0.5, abs=1e-7) and result["unit.u[2]"][-1] == 2
    assert "did not return an array of 2 at t = 0 s; return one" in refusal(lambda: with_drive(lambda t: [1, 2, 3]), BuildError)
    assert "it is an array of 2; give as many values" in refusal(lambda: with_drive([[1, 2], [3, 4]]), BuildError)


@pytest.mark.parametrize("executor", [None, pytest.param("processes", marks=pytest.mark.slow)])
def test_sweeps(executor: str | None) -> None:
    """Points give texts, and runs in other processes give results with texts back."""
    plain = System()
    plain.add("b", types(3))
    points = {"b.in_text": ["p", "q"], "b.in_blob": [b"\x01", b"\x02"]}
    table = sweep(plain, points, stop_time=0.2, combine="zip", executor=executor, measure=_is_q, keep=["b.echo_text", "b.echo_u64"])
    assert table["b.in_text"].tolist() == ["p", "q"] and table["_is_q"].tolist() == [0.0, 1.0]
    assert [table.kept(number)["b.echo_text"][-1] for number in range(2)] == ["p", "q"]
    lasts = sweep(plain, points, stop_time=0.2, combine="zip", executor=executor)
    assert lasts["b.x"].tolist() == pytest.approx([0.2, 0.2]) and "b.echo_text" not in lasts[0]


def _is_q(result: Result) -> float:
    return float(result["b.echo_text"][-1] == "q")


def test_packages(tmp_path: Path) -> None:
    """SSP keeps connections of all types, with start values of texts and binary data."""
    system = System("package")
    system.add("a", types(3), {"in_text": "grün", "in_blob": b"\x01\x02", "in_u64": 2**64 - 1, "in_mode": "on"}, kind="cs")
    system.add("b", types(3), kind="cs")
    for name in ("text", "count", "blob", "truth", "mode", "f32", "u8"):
        system.connect(f"a.{name}", f"b.in_{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system.to_ssp(tmp_path / "package.ssp")
    again = System.from_ssp(tmp_path / "package.ssp")
    one, two = (run(each, "cs", outputs=["*", "a.echo_blob", "b.echo_blob"]) for each in (system, again))
    assert all(two[name].tolist() == one[name].tolist() for name in one.names) and one["a.echo_blob"][0] == b"\x01\x02"
    assert one["b.echo_blob"][-1] == values(3, 1)["blob"] and one["a.echo_text"][0] == "grün"


def test_resumed_runs(tmp_path: Path) -> None:
    """A checkpoint takes texts along into another process: the whole run has the rows of one without a stop."""
    kept, rows = tmp_path / "run.ckpt", tmp_path / "rows.jrd"
    whole = run(pair(3, "me"), "me")
    run(pair(3, "me"), "me", 0.7, checkpoint=Checkpoint(path=kept, interval=1e-9), record_to=rows)
    code = f"from coupling import System; r = System.resume({str(kept)!r}, stop_time=1.0); print(r['b.echo_text'].tolist(), r['a.u64'].tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{whole['b.echo_text'].tolist()} {whole['a.u64'].tolist()}"


@pytest.mark.parametrize(
    ("source", "target", "value"),
    [
        ("i8", "i16", -127),
        ("i8", "count", -127),
        ("u8", "i16", 254),
        ("u32", "count", 2**32 - 2),
        ("i16", "f32", -32767),
        ("truth", "i8", 1),
    ],
)
def test_types_that_widen(source: str, target: str, value: int) -> None:
    """The input holds all values of the output."""
    system = System()
    system.add("a", types(3))
    system.add("b", types(3))
    system.connect(f"a.{source}", f"b.in_{target}")
    assert run(system, "me")[f"b.echo_{target}"][-1] == value


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        (
            "count",
            "i32",
            "an Int64, the second an Int32, which does not hold all whole numbers from -9223372036854775808 to 9223372036854775807; "
            "connect the first with an input of type Int64, or declare its min and max in its FMU within -2147483648 and 2147483647",
        ),
        (
            "u64",
            "count",
            "a UInt64, the second an Int64, which does not hold all whole numbers from 0 to 18446744073709551615; "
            "connect the first with an input of type UInt64, or declare its min and max in its FMU within -9223372036854775808 and 9223372036854775807",
        ),
        (
            "i32",
            "f32",
            "an Int32, the second a Float32, which does not hold all whole numbers from -2147483648 to 2147483647; "
            "connect the first with an input of type Int32, or declare its min and max in its FMU within -16777216 and 16777216, or round them: "
            "connect(..., convert=True)",
        ),
        (
            "f32",
            "i32",
            "a Float32, the second an Int32, which holds whole numbers alone; connect the first with a real input, or put an FMU that rounds "
            "between them",
        ),
        ("i8", "truth", "an Int8, the second a Boolean, which is true or false; connect the second with a Boolean output"),
        ("text", "count", "a String, the second an Int64; connect the second with an output of its own type, Int64"),
        ("text", "blob", "a String, the second a Binary; connect the second with an output of its own type, Binary"),
    ],
)
def test_types_that_do_not_fit(source: str, target: str, why: str) -> None:
    """The sentence names both variables, both types and a remedy."""
    system = System()
    system.add("a", types(3))
    system.add("b", types(3))
    assert refusal(lambda: system.connect(f"a.{source}", f"b.in_{target}"), BuildError) == (
        f"'a.{source}' and 'b.in_{target}' cannot be connected: the first is {why}"
    )


def test_mime_types() -> None:
    """Binary data of two declared types is not connected."""
    system = System()
    system.add("a", types(3))
    system.add(
        "b",
        types(
            3,
            {
                f'name="in_blob" valueReference="105" causality="input" variability="discrete" mimeType="{MIME}"': 'name="in_blob" valueReference="105" causality="input" variability="discrete" mimeType="image/png"'
            },
        ),
    )
    assert refusal(lambda: system.connect("a.blob", "b.in_blob"), BuildError) == (
        "'a.blob' and 'b.in_blob' cannot be connected: the first is a Binary, the second a Binary: the first has the MIME type "
        f"{MIME}, the second image/png; connect variables of one MIME type"
    )


@pytest.mark.parametrize("process", [None, "own"])
@pytest.mark.parametrize("version", [2, 3])
def test_long_texts(version: int, process: str | None) -> None:
    """They pass up to a limit, beyond which a sentence refuses them."""
    system = System()
    system.add("a", types(version), process=process)
    result = run(system, "me", 0.1, start_values={"a.in_count": 3_000_000}, outputs=["a.long"])
    assert result["a.long"][-1] == "x" * 3_000_000
    sentence = refusal(lambda: system.simulate(0.1, start_values={"a.in_count": 20_000_000}, outputs=["a.long"]), StartError)
    assert "when getting 'a.long': it returned a text of 20000000 bytes, and 16 MiB is the most that is passed on" in sentence


@pytest.mark.slow  # writes and copies 1 GiB
def test_memory_of_all_texts() -> None:
    """Different texts of 15 MB fill 1 GiB after 71 texts: the run ends with a remedy, and keeps its texts."""
    system = System()
    system.add("a", types(2), kind="cs")
    system.drive("a.in_count", [(0.1 * number, 15_000_000 + number) for number in range(80)])
    result = system.simulate(8.0, communication_step=0.1, outputs=["a.long"], output_interval=0.1)
    assert not result.outcome.completed and result.time[-1] == pytest.approx(7.1)
    assert "take more memory than the 1024 MiB that all texts may take: record fewer texts, or less often" in result.outcome.sentence
    assert len(result["a.long"][-1]) == 15_000_070


@pytest.mark.parametrize("version", [2, 3])
def test_info_lists_items(version: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line shows the items of an enumeration with their numbers."""
    assert main(["info", str(types(version))]) == 0
    printed = capsys.readouterr().out
    assert next(line for line in printed.splitlines() if line.split()[:1] == ["in_mode"]).split(maxsplit=1)[1] == "= 1  (1 = off, 2 = on)"


def test_texts_of_a_run_under_way_are_known(tmp_path: Path) -> None:
    """Another process reads rows with their texts while the run goes on."""
    seen: list[Result] = []

    def look(t: float) -> float:
        if t > 0.8 and not seen:
            seen.append(Result.load(tmp_path / "rows.jrd"))
        return t

    system = pair(3, "me")
    system.add("gain", "signal.Gain")
    system.drive("gain.u", look)
    run(system, "me", record_to=tmp_path / "rows.jrd")
    assert seen[0]["a.text"][0] == "idle" and seen[0]["a.count"][0] == 2**60 + 1 and seen[0]["a.x"][0] == 0.0
    assert [each.name for each in tmp_path.iterdir()] == ["rows.jrd"]
