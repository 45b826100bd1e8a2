"""Error messages about faulty FMUs, with the remedy."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from coupling.fmus import FmuError, load
from tests.support import foreign
from tests.support.fmus.written import CS, FMI_3, ME, Write, packed
from tests.support.systems.systems import refusal


def complaint(path: Path | str) -> str:
    """Returns the message about a file that cannot be loaded, its path shortened to its name."""
    with pytest.raises(FmuError) as error:
        load(path)
    return str(error.value).replace(f"{Path(path).parent}{os.sep}", "")


TWICE = ", which FMI 2.0, section 2.2.7, and FMI 3.0, section 2.4.7, forbid"
MENDED_BY = "; export it again, or report this to the makers of 'Tool 1'"


def test_a_missing_file(tmp_path: Path, write: Write) -> None:
    """A file of a similar name beside it is probably the one that was meant."""
    missing = tmp_path / "pendulum.fmu"
    assert complaint(missing) == "there is no file 'pendulum.fmu'; give the path of an FMU, a file whose name ends in .fmu"
    write(3, FMI_3, name="Pendulum1.fmu")
    assert complaint(missing) == "there is no file 'pendulum.fmu'; did you mean 'Pendulum1.fmu'?"


def test_a_folder(tmp_path: Path) -> None:
    """An unpacked FMU is not read: its path would say nothing of its content."""
    assert complaint(tmp_path) == f"'{tmp_path.name}' is a folder; give the path of the FMU itself, a file whose name ends in .fmu"


def test_no_archive(tmp_path: Path, write: Write) -> None:
    """The file has another format, or is damaged."""
    path = tmp_path / "m.fmu"
    path.write_text("hello")
    assert complaint(path) == "'m.fmu' is not a zip archive that can be read (File is not a zip file); copy or export the FMU again"
    write(3, FMI_3)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Float64", b"Float65"))
    assert complaint(path).startswith("'m.fmu' is not a zip archive that can be read (Bad CRC-32 for file 'modelDescription.xml')")


def test_an_archive_that_is_damaged_elsewhere(write: Write) -> None:
    """It shows when it is unpacked."""
    path = write(3, FMI_3, {"resources/table": "precious content"})
    path.write_bytes(path.read_bytes().replace(b"precious", b"precioux"))
    with pytest.raises(FmuError, match=r"Bad CRC-32 for file 'resources/table'\); copy or export the FMU again"):
        _ = load(path).resources


def test_no_description(tmp_path: Path) -> None:
    """A zip file alone is no FMU."""
    path = packed(tmp_path / "m.fmu", {"readme.txt": ""})
    assert complaint(path) == "'m.fmu' holds no modelDescription.xml and is no FMU; export the model as FMI 2.0 or 3.0"
    path = packed(tmp_path / "m.fmu", {"Pump/modelDescription.xml": "<fmiModelDescription/>"})
    assert complaint(path) == (
        "'m.fmu' holds no modelDescription.xml and is no FMU; zip the content of its folder 'Pump', and not the folder itself"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "<fmiModelDescription",
            "'m.fmu' has a modelDescription.xml that is not well-formed XML (unclosed token: line 1, column 0); "
            "export it again, or report this to the makers of the tool that wrote it",
        ),
        ('<fmiModelDescription fmiVersion="4.0"/>', "'m.fmu' is FMI 4.0; export it as FMI 2.0 or 3.0"),
        ('<fmiModelDescription fmiVersion="3.0-beta.2"/>', "'m.fmu' is FMI 3.0-beta.2; export it as FMI 2.0 or 3.0"),
        (
            "<html/>",
            "'m.fmu' has a modelDescription.xml that describes no FMU: it names no FMI version; "
            "export it again, or report this to the makers of the tool that wrote it",
        ),
    ],
)
def test_descriptions_that_cannot_be_read(tmp_path: Path, text: str, sentence: str) -> None:
    """The reason decides the remedy."""
    assert complaint(packed(tmp_path / "m.fmu", {"modelDescription.xml": text})) == sentence


def variables2(*inside: str) -> str:
    return f"{ME}<ModelVariables>{''.join(inside)}</ModelVariables>"


def scalar(name: str, reference: int | str, inside: str = "<Real/>") -> str:
    return f'<ScalarVariable name="{name}" valueReference="{reference}">{inside}</ScalarVariable>'


def structure2(tag: str, unknown: str) -> str:
    return f"<ModelStructure><{tag}>{unknown}</{tag}></ModelStructure>"


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        (variables2(scalar("a", 1), scalar("a", 2)), f"has two variables with the name 'a' (value references 1 and 2){TWICE}"),
        (variables2(scalar("", 1)), "has a variable without a name (value reference 1)"),
        (variables2(scalar("a", "x")), "gives 'x' as the value reference of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real start="1,5"/>')), "gives '1,5' as the start value of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Boolean start="yes"/>')), "gives 'yes' as the start value of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real min="low"/>')), "gives 'low' as the min of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real declaredType="T"/>')), "gives 'a' the type 'T', which it does not define"),
        (variables2(scalar("a", 1, "<Complex/>")), "has the variable 'a' of an unknown type (ScalarVariable)"),
        (variables2(scalar("a", 1, '<Real derivative="2"/>')), "calls 'a' the derivative of variable 2, which does not exist"),
        (
            variables2(scalar("a", 1)) + structure2("Derivatives", '<Unknown index="1"/>'),
            "lists 'a' among the derivatives, but does not say of which state",
        ),
        (
            variables2(scalar("x", 1), scalar("d", 2, '<Real derivative="1"/>'), scalar("e", 3, '<Real derivative="1"/>'))
            + structure2("Derivatives", '<Unknown index="2"/><Unknown index="3"/>'),
            "lists 'd' and 'e' as derivatives of the same state 'x' in its ModelStructure",
        ),
        (
            variables2(scalar("a", 1)) + structure2("Outputs", '<Unknown index="2"/>'),
            "refers to an unknown of its model structure by the index '2', which no variable has",
        ),
        (
            variables2(scalar("a", 1)) + structure2("Outputs", '<Unknown index="1" dependencies="1 7"/>'),
            "refers to a dependency of 'a' by the index '7', which no variable has",
        ),
        (
            '<ModelExchange modelIdentifier="../m"/>',
            "has the modelIdentifier '../m' in its ModelExchange, which cannot be the name of a binary",
        ),
        (f'{ME}<DefaultExperiment stopTime="soon"/>', "gives 'soon' as the stopTime of its default experiment, which cannot be read"),
    ],
)
def test_mistakes_in_fmi2(write: Write, inside: str, sentence: str) -> None:
    """The variable and the value are named, and who can mend it."""
    assert complaint(write(2, inside)) == f"'m.fmu' {sentence}{MENDED_BY}"


def test_a_wrong_number_of_kinds_is_noted(write: Write) -> None:
    """Kinds make a run faster and change nothing else: without them each dependency is a general one."""
    two = variables2(scalar("a", 1), scalar("b", 2))
    path = write(2, two + structure2("Outputs", '<Unknown index="1" dependencies="1 2" dependenciesKind="constant"/>'))
    fmu, wrong = load(path), "lists 2 dependencies of 'a' (1 2) but 1 kinds (constant)"
    assert fmu.notes == (f"'{path}' {wrong}, which FMI 2.0, section 2.2.8, forbids: the kinds are ignored",)
    assert fmu.structure.outputs[0].dependencies == ((1, "dependent"), (2, "dependent"))


@pytest.mark.parametrize(
    ("variables", "structure", "sentence"),
    [
        (
            '<Float64 name="a" valueReference="1"/>',
            '<Output valueReference="4294967295"/>',
            "refers to an unknown of its model structure by the value reference '4294967295', which no variable has",
        ),
        (
            '<Float64 name="a" valueReference="1"/>',
            '<Output valueReference="1" dependencies="2"/>',
            "refers to a dependency of 'a' by the value reference '2', which no variable has",
        ),
        ('<Float64 name="a" valueReference="1" derivative="7"/>', "", "calls 'a' the derivative of variable 7, which does not exist"),
        (
            '<Float64 name="a" valueReference="1"><Alias name="a"/></Float64>',
            "",
            f"has two variables with the name 'a' (value references 1 and 1){TWICE}",
        ),
        ('<Complex name="a" valueReference="1"/>', "", "has the variable 'a' of an unknown type (Complex)"),
        (
            '<Float64 name="a" valueReference="1" start="1 2"><Dimension start="3"/></Float64>',
            "",
            "gives 2 start values to 'a', which has 3 elements",
        ),
        (
            '<Float64 name="a" valueReference="1"><Dimension valueReference="3"/></Float64>',
            "",
            "gives '' as the size of 'a', which cannot be read",
        ),
    ],
)
def test_mistakes_in_fmi3(write: Write, variables: str, structure: str, sentence: str) -> None:
    """The same sentences, with value references."""
    inside = f"{ME}<ModelVariables>{variables}</ModelVariables><ModelStructure>{structure}</ModelStructure>"
    assert complaint(write(3, inside)) == f"'m.fmu' {sentence}{MENDED_BY}"


@pytest.mark.parametrize(
    ("offered", "kind", "sentence"),
    [
        (
            CS,
            "me",
            "has no interface for Model Exchange; it offers Co-Simulation, kind 'cs': choose that, or export it for Model Exchange",
        ),
        (
            ME,
            "cs",
            "has no interface for Co-Simulation; it offers Model Exchange, kind 'me': choose that, or export it for Co-Simulation",
        ),
        (
            '<ScheduledExecution modelIdentifier="m"/>',
            "me",
            "has no interface for Model Exchange; it offers Scheduled Execution alone, whose model partitions are activated by an operating "
            "system: export it for Model Exchange",
        ),
        (ME, "fast", "cannot run as 'fast'; choose 'me' (Model Exchange) or 'cs' (Co-Simulation)"),
    ],
)
def test_an_interface_that_is_not_offered(write: Write, offered: str, kind: str, sentence: str) -> None:
    """The remedy names the interface that is offered instead."""
    path = write(3, f"{offered}<ModelVariables/>")
    with pytest.raises(FmuError) as error:
        load(path).interface(kind)
    assert str(error.value) == f"'{path}' {sentence}"


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.mark.usefixtures("on_linux")
@pytest.mark.parametrize(
    ("fmi", "files", "sentence"),
    [
        (
            2,
            {"binaries/win64/m.dll": "", "binaries/linux64/other.so": ""},
            "has no binary linux64/m.so for this platform, it has linux64/other.so, win64/m.dll; export it for this platform",
        ),
        (3, {}, "has no binary x86_64-linux/m.so for this platform, it has none at all; export it for this platform"),
        (
            3,
            {"binaries/x86_64-windows/m.dll": "", "sources/m.h": ""},
            "has no binary x86_64-linux/m.so for this platform, it has x86_64-windows/m.dll; export it for this platform",
        ),
    ],
)
def test_no_binary(write: Write, fmi: int, files: dict[str, str], sentence: str) -> None:
    """The binaries that exist are named. Headers alone are no sources."""
    path = write(fmi, f"{ME}<ModelVariables/>", files)
    with pytest.raises(FmuError) as error:
        load(path).library("me")
    assert str(error.value).replace(f"{path.parent}{os.sep}", "") == f"'m.fmu' {sentence}"


@pytest.mark.parametrize(
    ("system", "machine", "fmi", "binary"),
    [
        ("linux", "x86_64", 2, "linux64/m.so"),
        ("linux", "x86_64", 3, "x86_64-linux/m.so"),
        ("linux", "aarch64", 2, "aarch64-linux/m.so"),
        ("darwin", "arm64", 3, "aarch64-darwin/m.dylib"),
        ("darwin", "x86_64", 2, "darwin64/m.dylib"),
        ("win32", "AMD64", 2, "win64/m.dll"),
        ("win32", "AMD64", 3, "x86_64-windows/m.dll"),
    ],
)
def test_names_of_platforms(monkeypatch: pytest.MonkeyPatch, write: Write, system: str, machine: str, fmi: int, binary: str) -> None:
    """FMI 2 has names of its own for the usual ones, and since 2.0.4 those of FMI 3 for all others."""
    path = write(fmi, f"{ME}<ModelVariables/>", {f"binaries/{binary}": f"{system} {machine} {fmi}"})
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert load(path).library("me").as_posix().endswith(f"/binaries/{binary}")


@pytest.mark.parametrize("name", ["../evil", "resources/../../evil", "/tmp/evil", "C:/evil", "resources\\..\\..\\evil"])
def test_files_that_would_leave_the_folder(write: Write, name: str) -> None:
    """Nothing of such an archive is unpacked."""
    path = write(3, FMI_3, {name: "evil"})
    with pytest.raises(FmuError) as error:
        _ = load(path).resources
    shown = name.replace("\\", "/")
    assert str(error.value) == (
        f"'{path}' would write the file '{shown}' outside its own folder, and is not unpacked; get it from a source you trust"
    )


def test_a_file_that_changes_between_reading_and_unpacking(write: Write) -> None:
    """Its binary might not fit what was read."""
    path = write(3, FMI_3)
    fmu = load(path)
    write(3, FMI_3, {"resources/new": ""})
    with pytest.raises(FmuError, match=r"m\.fmu' has changed since it was read; load it again"):
        _ = fmu.resources
    path.unlink()
    with pytest.raises(FmuError, match=r"m\.fmu' is no longer there; put it back, or load it from where it is now"):
        _ = fmu.resources


@pytest.mark.parametrize("name, reason", [("a" * 300, "File name too long"), ("resources", "File exists")])
def test_a_file_that_cannot_be_unpacked_is_named(name: str, reason: str, tmp_path: Path) -> None:
    """The message uses the archive's name for it."""
    path = tmp_path / "odd.fmu"
    path.write_bytes(foreign.oscillator().read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "")
        archive.writestr(f"{name}/inside", "")
    system = System("odd")
    system.add("it", path, private=True)
    text = refusal(lambda: system.simulate(0.1))
    assert text.startswith("'it' cannot be loaded: ") and reason in text and text.endswith("or take the file out of the archive")


def test_a_file_without_a_name_is_left_out(tmp_path: Path) -> None:
    """An FMU could ask for no such file: the FMU runs as it does without the file."""
    path, plain = tmp_path / "odd.fmu", foreign.oscillator()
    path.write_bytes(plain.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(""), "")
    found, expected = (run_of(each) for each in (path, plain))
    assert found.outcome.completed
    assert found["it"].keys() == expected["it"].keys() != set()
    assert all(np.array_equal(found["it"][name], values) for name, values in expected["it"].items())


def run_of(path: Path) -> Result:
    system = System("odd")
    system.add("it", path, private=True)
    return system.simulate(0.1)
