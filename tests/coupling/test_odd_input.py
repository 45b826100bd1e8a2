"""Unexpected input of all kinds gets a sentence."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Ending, FmuError, System
from coupling.fmus import archive, load
from coupling.pictures.solids import mesh, outline
from coupling.registry import uninterrupted
from tests.support import foreign
from tests.support.fmus.written import ME, packed
from tests.support.foreign import OSCILLATOR, Model, Variable
from tests.support.systems.systems import pendulum, refusal

HEAD = '<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g" generationTool="Tool 1"'
AGAIN = "; export it again, or report this to the makers of 'Tool 1'"


def described(folder: Path, text: str, files: dict[str, str] | None = None) -> Path:
    return packed(folder / "m.fmu", {"modelDescription.xml": text} | (files or {}))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            f'<?xml version="1.0" encoding="klingon"?>{HEAD}/>',
            "has a modelDescription.xml that is not well-formed XML (unknown encoding: klingon); export it again, or report this to the makers "
            "of the tool that wrote it",
        ),
        *(
            (
                f'{HEAD}>{ME}<ModelVariables><ScalarVariable name="x" valueReference="{reference}"><Real/></ScalarVariable></ModelVariables></fmiModelDescription>',
                f"gives {reference} as the value reference of 'x', which must lie between 0 and 2^32 - 1{AGAIN}",
            )
            for reference in ("4294967296", "-1")
        ),
        *(
            (
                f'{HEAD} numberOfEventIndicators="{count}">{ME}<ModelVariables/></fmiModelDescription>',
                f"declares {count} event indicators, and between 0 and 1000000 can be followed{AGAIN}",
            )
            for count in ("2000000000", "-3")
        ),
    ],
)
def test_model_descriptions(tmp_path: Path, text: str, sentence: str) -> None:
    """An encoding, value references, and a number of indicators that cannot be."""
    path = described(tmp_path, text)
    assert refusal(lambda: load(path), FmuError) == f"'{path}' {sentence}"


def test_terminals_in_terminals(tmp_path: Path) -> None:
    """Five thousand of them in one another are passed over from a depth on, with a note."""
    inside = '<Terminal name="t">' * 5000 + "</Terminal>" * 5000
    text = f"<fmiTerminalsAndIcons><Terminals>{inside}</Terminals></fmiTerminalsAndIcons>"
    path = described(tmp_path, f"{HEAD}>{ME}<ModelVariables/></fmiModelDescription>", {"terminalsAndIcons/terminalsAndIcons.xml": text})
    fmu = load(path)
    assert len(fmu.terminals) == 101 and "t.t.t" in fmu.terminals
    assert fmu.notes == (f"'{path}' has terminals that lie in one another more than 100 deep; deeper terminals are ignored",)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"atol": {5: 1}}, "atol has 5 for a name; give the names of states or patterns, such as {'rod.*': 1e-9}"),
        (
            {"initial": np.array([1.0, 2.0])},
            "initial = array([1., 2.]) is unknown; choose 'check', 'assemble' or 'relax', or give a pose of assemble() or equilibrium(), or a result",
        ),
        ({"rtol": 10**400}, None),
        ({"start_values": {"unit.x": 10**400}}, None),
    ],
)
def test_options(options: dict[str, Any], sentence: str | None) -> None:
    """Names that are none, arrays in the place of words, numbers that no double holds."""
    system = System()
    system.add("unit", foreign.oscillator())
    text = refusal(lambda: system.simulate(1.0, **options), BuildError)
    assert text == sentence if sentence else text.endswith("is refused: it is too large for a number of double precision")


def test_arguments(tmp_path: Path) -> None:
    """An offset that is a word; paths that are none."""
    shafts = System()
    for name in ("one", "two"):
        shafts.add(name, foreign.oscillator())
    ends = [{"angle": f"{name}.x", "speed": f"{name}.v", "torque": f"{name}.u"} for name in ("one", "two")]
    assert refusal(lambda: shafts.join_rigidly(*ends, offset="x"), BuildError) == (  # type: ignore[arg-type]  # what is tested
        "offset = 'x' is refused: give a number, in rad or m"
    )
    assert "is no path; give the path of an FMU, a file whose name ends in .fmu" in refusal(
        lambda: System().add("u", "no\0thing.fmu"), FmuError
    )
    result = alone(foreign.oscillator()).simulate(0.1)
    for path in (None, "a\0b"):
        assert refusal(lambda path=path: result.to_csv(path), TypeError).endswith(
            "is no path; give that of the file to be written, such as 'result.csv'"
        )


def alone(path: Path) -> System:
    system = System()
    system.add("unit", path)
    return system


# -- wrong remedies ---------------------------------------------------------------------------------------------------------------------


def test_what_the_master_computes_is_not_the_fmus_fault() -> None:
    """An FMU that refuses a value which is not a number: the sentence names the input, and no documentation."""
    picky = Model(
        "Picky",
        [Variable("u", "input"), Variable("y", "output", value="u", depends=["u"])],
        hooks={"outputs": 'if (isnan(u)) return say(me, Error, "u is not a number");'},
    )
    root = Model("Root", [Variable("y", "output", value="sqrt(0.5 - time)", depends=[])])
    system = System()
    system.add("root", foreign.export(root))
    system.add("picky", foreign.export(picky))
    system.connect("root.y", "picky.u")
    system.add("unit", foreign.oscillator())
    sentence = system.simulate(1.0).outcome.sentence
    assert "u is not a number; it received no finite number for 'picky.u': check the source of this value" in sentence
    assert "documentation" not in sentence


def test_a_full_disk_is_not_the_fmus_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The full disk is that of the cache or of the temporary folder: the sentence names the variables that choose other ones."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "own.fmu"
    shutil.copy(foreign.gain(2), path)
    with zipfile.ZipFile(path, "a") as fmu:  # of a content that no other test has unpacked
        fmu.writestr("resources/own.txt", "own")
    monkeypatch.setattr(archive.shutil, "copyfileobj", full)
    text = refusal(lambda: load(path).library("me"), FmuError)
    assert text.startswith(f"'{path}' cannot be unpacked into '") and text.endswith(
        "': No space left on device; make room there, or name other folders in the environment variables JOURDAIN_CACHE and TMPDIR"
    )
    monkeypatch.setattr("coupling.fmus.cache.tempfile.mkdtemp", full)
    assert "': No space left on device; make room there, or name another folder in the environment variable TMPDIR" in refusal(
        lambda: load(path).library("me"), FmuError
    )


def test_a_folder_where_no_program_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The FMU is not to blame if a library cannot be loaded from there."""
    monkeypatch.setattr("coupling.live.libraries.is_noexec", lambda folder: True)
    text = refusal(alone(foreign.corrupt_binary()).build, BuildError)
    assert text.startswith("'unit' cannot be loaded: '") and text.endswith(
        "' lies where no program may be run (noexec); name another folder in the environment variables JOURDAIN_CACHE and TMPDIR"
    )


@pytest.mark.parametrize("options", [{}, {"solver": "RK45"}, {"communication_step": 0.1}])
def test_a_run_that_reached_its_end_was_not_interrupted(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C was pressed after the last step."""

    def look(time: float, steps: int) -> None:
        if time >= 1.0:
            raise KeyboardInterrupt

    monkeypatch.setattr("coupling.progress._bar", lambda run: _Yielding(look))
    result = alone(foreign.oscillator()).simulate(1.0, **options)
    assert result.outcome.ending is Ending.COMPLETED and result.time[-1] == 1.0


class _Yielding:
    def __init__(self, value: Callable[..., None]) -> None:
        self.value = value

    def __enter__(self) -> Callable[..., None]:
        return self.value

    def __exit__(self, *_: object) -> None:
        return None


# -- binaries that are cut --------------------------------------------------------------------------------------------------------------

LOADING = """
import sys
from coupling import BuildError, System
system = System()
system.add("unit", sys.argv[1])
try:
    system.build()
except BuildError as error:
    print(error)
"""


def test_binaries_that_were_cut(tmp_path: Path) -> None:
    """They run in processes of their own, which loading them would end: cut at a tenth, at half, and a byte before the end."""
    whole = foreign.export(OSCILLATOR)
    with zipfile.ZipFile(whole) as old:
        members = {name: old.read(name) for name in old.namelist()}
    for share in (0.1, 0.5, 1.0):
        path = tmp_path / f"cut{share}.fmu"
        with zipfile.ZipFile(path, "w") as new:
            for name, content in members.items():
                new.writestr(name, content[: int(len(content) * share) - 1] if name.endswith(".so") else content)
        command = [sys.executable, "-c", LOADING, str(path)] if share == 0.5 else None
        if command:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stderr
            text = done.stdout
        else:
            text = refusal(alone(path).build, BuildError)
        assert "the file ends after" in text and "it was cut; export it again for this platform" in text


def test_imports_are_not_interrupted() -> None:
    """Ctrl-C waits until they are done."""
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done.append(True)
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_looked_at_is_named(tmp_path: Path) -> None:
    """Wherever a name, a time or a text is asked for."""
    machine = pendulum()
    result = machine.simulate(0.1)
    for call, error, begins in (
        (lambda: result.plot(()), ValueError, "plot: () is no name; give names"),
        (lambda: result.plot(3), ValueError, "plot: 3 is no name; give names"),
        (lambda: result.picture([], tmp_path / "a.svg"), ValueError, "picture: t = [] is no time; give one in seconds"),
        (lambda: result.picture(None, tmp_path / "a.svg"), ValueError, "picture: t = None is no time; give one in seconds"),
        (
            lambda: result.animate(tmp_path / "a.gif"),
            ValueError,
            f"'{tmp_path / 'a.gif'}' is refused: a moving picture is written as .html or .svg",
        ),
        (lambda: result.animate(tmp_path / "a.html", title=5), TypeError, "animate: title = 5 is no text; leave it out"),
        (lambda: result.animate(tmp_path / "a.html", signals=[3]), ValueError, "signals: 3 is no name; give names"),
        (lambda: result.compare(result, []), ValueError, "compare: names is empty; leave it out"),
        (lambda: outline(3), BuildError, "an outline of 3 is refused; give points"),
        (lambda: outline("M 0 0 L 1 0 L 0 1 Z", scale=0), BuildError, "scale = 0 of a shape is refused"),
        (lambda: mesh(3), BuildError, "a mesh of 3 is refused; give the path of a file"),
        (lambda: System(3), BuildError, "the system's name is 3, and must be a text, such as 'crane'"),
    ):
        assert refusal(call, error).startswith(begins)
    assert not list(tmp_path.iterdir())
