"""FMUs that bring only sources: compiled once, by the safe part of their build description, within limits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

from coupling.fmus import FmuError, compiled, load
from coupling.kernel.hosts.sandbox import lacks
from tests.support.foreign.sources import build_description, source_fmu


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that run, in order."""
    run, seen = compiled._run, []

    def noted(task: dict[str, Any], *others: Path) -> dict[str, Any]:
        seen.extend(task["commands"])
        return run(task, *others)

    monkeypatch.setattr(compiled, "_run", noted)
    return seen


def refusal(path: Path, sandbox: bool = False) -> str:
    with pytest.raises(FmuError) as error:
        load(path).library("me", sandbox)
    return str(error.value).replace(f"{path.parent}/", "")


def test_a_binary_is_compiled_once(tmp_path: Path, fmi: int, commands: list[list[str]]) -> None:
    """Reading the FMU compiles nothing; a second object of the same content finds the binary."""
    path = source_fmu(tmp_path, fmi)
    fmu = load(path)
    assert fmu.folder.is_dir() and not commands
    first = fmu.library("me")
    assert first.is_file() and len(commands) == 2
    copy = tmp_path / "copy.fmu"
    shutil.copy(path, copy)
    assert load(copy).library("cs").read_bytes() == first.read_bytes() and len(commands) == 2


@pytest.mark.parametrize(
    ("inside", "attributes", "words"),
    [
        ('<PreprocessorDefinition name="LEVEL" value="3 + 4"/>', "", ["-DLEVEL=3 + 4"]),
        ('<PreprocessorDefinition name="LEVEL" optional="true"/>', "", []),
        ('<IncludeDirectory name="../resources/headers"/>', "", ["-Iresources/headers"]),
        ("", 'language="C99"', ["-std=gnu99"]),
        ("", 'compilerOptions="-std=c11 -DA=1 -D B -I parts"', ["-std=gnu11", "-DA=1", "-DB", "-Isources/parts"]),
    ],
)
def test_what_is_followed(tmp_path: Path, commands: list[list[str]], inside: str, attributes: str, words: list[str]) -> None:
    """Definitions, folders inside the FMU and the language reach the compiler; nothing is noted as left out."""
    fmu = load(source_fmu(tmp_path, build=build_description(inside, attributes)))
    assert fmu.library("me").is_file()
    own = ("-c", "-O2", "-fPIC", "-w", "-ffp-contract=off", "-Isources", "-idirafter", str(compiled.STANDARD), "sources/model.c")
    assert [word for word in commands[0][1:-2] if word not in own] == words
    assert list(fmu.compiled.values()) == ["'Oscillator.fmu' has no binary for this platform and was compiled from its sources by gcc"]


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("-wrapper {evil}", "'-wrapper', the option '{evil}'"),
        ("-fplugin={evil}", "'-fplugin={evil}'"),
        ("-specs={evil}", "'-specs={evil}'"),
        ("-B{evil}", "'-B{evil}'"),
        ("@{evil}", "'@{evil}'"),
        ("-Wp,-include,{evil}", "'-Wp,-include,{evil}'"),
        ("-include {evil}", "'-include', the option '{evil}'"),
        ("-O3", "'-O3'"),
        ("-D1=2", "'-D1=2'"),
    ],
)
def test_options_that_could_run_code(tmp_path: Path, commands: list[list[str]], option: str, named: str) -> None:
    """No word of them reaches a command, and the note names each."""
    evil = tmp_path / "e.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/done\n")
    evil.chmod(0o755)
    written = quoteattr(option.format(evil=evil))
    fmu = load(source_fmu(tmp_path, build=build_description(attributes=f"compilerOptions={written}")))
    fmu.library("me")
    assert not (tmp_path / "done").exists()
    assert not [word for command in commands for word in command if str(evil) in word or word in ("-O3", "-wrapper", "-include")]
    (note,) = fmu.compiled.values()
    assert note.replace("...", "").startswith(
        "'Oscillator.fmu' has no binary for this platform and was compiled from its sources by gcc; its build description was followed in "
        "file names, definitions, folders inside the FMU and language alone, and not in the option "
    )
    first = named.format(evil=evil).split("'")[1]
    assert first[:50] in note


def test_further_demands_are_left_out(tmp_path: Path, commands: list[list[str]]) -> None:
    """A compiler, a library and a macro with a strange name are named, and not used."""
    build = build_description(
        '<PreprocessorDefinition name="X -fplugin=evil.so"/>', 'compiler="./evil.sh" language="Fortran"', '<Library name="evil"/>'
    )
    fmu = load(source_fmu(tmp_path, build=build))
    fmu.library("me")
    assert not any("evil" in word for command in commands for word in command)
    assert next(iter(fmu.compiled.values())).endswith(
        " and not in the definition 'X -fplugin=evil.so', the language 'Fortran', the compiler './evil.sh', the library 'evil'"
    )


@pytest.mark.parametrize("name", ["../model.c", "/etc/passwd.c", "../../x.c", "..\\x.c", "C:\\x.c", "parts/../../x.c", ""])
def test_sources_that_leave_the_fmu(tmp_path: Path, commands: list[list[str]], name: str) -> None:
    """The FMU is refused before any command."""
    build = build_description(f'<SourceFile name="{name}"/>')
    assert refusal(source_fmu(tmp_path, build=build)).endswith("which is outside its folder sources; get it from a source you trust")
    two = source_fmu(tmp_path, 2, listed=["model.c", name])
    assert refusal(two).endswith("which is outside its folder sources; get it from a source you trust")
    assert not commands


@pytest.mark.parametrize("name", ["../..", "/usr/include", "../../include", "parts/../../.."])
@pytest.mark.parametrize("way", ["element", "option"])
def test_folders_that_leave_the_fmu(tmp_path: Path, commands: list[list[str]], name: str, way: str) -> None:
    build = (
        build_description(f'<IncludeDirectory name="{name}"/>')
        if way == "element"
        else build_description("", f'compilerOptions="-I{name}"')
    )
    assert refusal(source_fmu(tmp_path, build=build)).endswith("which is outside the FMU; get it from a source you trust")
    assert not commands


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (
            build_description('<SourceFile name="gone.c"/>'),
            "'Oscillator.fmu' names the source file 'gone.c', which it does not have; export it again, or report this to the makers of "
            "tests/support/foreign",
        ),
        (
            "<fmiBuildDescription/>",
            "'Oscillator.fmu' has no binary for this platform, and its sources/buildDescription.xml has no configuration of 'Oscillator' for "
            "x86_64-linux; export it for this platform",
        ),
        (
            '<fmiBuildDescription><BuildConfiguration modelIdentifier="Oscillator"/></fmiBuildDescription>',
            "'Oscillator.fmu' has no binary for this platform, and names no source files; export it again, or report this to the makers of "
            "tests/support/foreign",
        ),
    ],
)
def test_incomplete_build_descriptions(tmp_path: Path, build: str, sentence: str) -> None:
    assert refusal(source_fmu(tmp_path, build=build)) == sentence


def test_the_first_error_of_the_compiler(tmp_path: Path, fmi: int) -> None:
    """The sentence has the file, its line, the error and the command."""
    said = refusal(source_fmu(tmp_path, fmi, code='#include "missing.h"\n{source}'))
    assert said.startswith(
        "'Oscillator.fmu' brings sources and no binary for this platform, and does not compile: sources/model.c:1: missing.h: No such file or "
        "directory; report this to its makers, or export it for this platform. The command was: "
    )
    assert "gcc -c -O2 -fPIC " in said and said.endswith(" sources/model.c -o 0.o")


def test_a_function_that_is_nowhere(tmp_path: Path) -> None:
    said = refusal(source_fmu(tmp_path, code="{source}\nint nowhere(void);\nint here(void) { return nowhere(); }"))
    assert "undefined reference to `nowhere" in said.replace("'", "`") and "gcc -shared" in said


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "none-of-that-name")
    assert refusal(source_fmu(tmp_path)) == (
        "'Oscillator.fmu' brings sources and no binary for this platform, and cannot be compiled: the environment variable CC is "
        "'none-of-that-name', which names no program: give a compiler's name or path without options, or unset it"
    )


BOMB = "#define A0 +1\n" + "".join(f"#define A{i + 1} {f'A{i} ' * 10}\n" for i in range(12)) + "double bomb = 0 A12;\n"


def test_a_compilation_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of all commands together is limited, and no process of them remains."""
    monkeypatch.setattr(compiled, "_SECONDS", 2)
    assert refusal(source_fmu(tmp_path, code=f"{{source}}\n{BOMB}")).endswith("cannot be compiled: the compiler took longer than 2 s")
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert not [line for line in running.splitlines() if "cc1" in line and "sources/model.c" in line and "<defunct>" not in line]


@pytest.mark.slow
def test_a_compilation_that_takes_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_MEMORY", 300_000_000)
    assert "does not compile: " in refusal(source_fmu(tmp_path, code=f"{{source}}\n{BOMB}"))


# Needed since a sandbox is a feature of the kernel (Landlock), which containers may lack.
@pytest.mark.skipif(bool(lacks()), reason="no sandbox here")
def test_the_compiler_in_a_sandbox(tmp_path: Path) -> None:
    """Outside it sees the files of this user; inside those of the FMU and of the system alone."""
    secret = tmp_path / "secret.h"
    secret.write_text("int secret;\n")
    spying = source_fmu(tmp_path, code=f'#include "{secret}"\n{{source}}')
    assert "sources/model.c:1: secret.h: Permission denied" in refusal(spying, sandbox=True)
    assert load(spying).library("me").is_file()
    (tmp_path / "sound").mkdir()
    assert load(source_fmu(tmp_path / "sound")).library("me", sandbox=True).is_file()
