"""Runs of FMUs that bring only sources: x'' = u - x from x = 1 in closed form, wherever they run; misdeeds end as those of binaries do."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, Ending, Isolation, Result, System
from coupling.fmus import FmuError, compiled
from coupling.kernel.hosts.sandbox import lacks
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from jourdain.command import main
from tests.support.foreign import OSCILLATOR, Variable
from tests.support.foreign.sources import prefixed, source_fmu

NOTE = "'Oscillator.fmu' has no binary for this platform and was compiled from its sources by gcc"


def run(path: Path, kind: str = "me", process: str | None = None, **isolation: object) -> Result:
    system = System("sources")
    system.add("unit", path, {"u": 0.0}, kind=kind, process=process)
    step = {"communication_step": 0.05} if kind == "cs" else {"output_interval": 0.05}
    return system.simulate(1.0, isolate=Isolation(**{"which": "none", **isolation}), **step)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_sources_run(tmp_path: Path, fmi: int, kind: str) -> None:
    """The note is in the result, of the first run and of one that finds the binary."""
    path = source_fmu(tmp_path, fmi, listed=["model.c"])
    for options in ({}, {"process": "own"}, {"which": "foreign"}):
        result = run(path, kind, **options)  # type: ignore[arg-type]
        assert result.outcome.completed and NOTE in result.outcome.notes
        assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6)


@pytest.mark.parametrize("process", [None, "own"])
def test_functions_with_the_model_identifier_as_prefix(tmp_path: Path, fmi: int, process: str | None) -> None:
    result = run(source_fmu(tmp_path, fmi, code=prefixed(fmi)), process=process)
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6)


# Needed since a sandbox is a feature of the kernel (Landlock), which containers may lack.
@pytest.mark.skipif(bool(lacks()), reason="no sandbox here")
def test_sources_are_compiled_in_the_sandbox(tmp_path: Path, fmi: int) -> None:
    """An FMU with resources has a folder that it may write; the files of others are shared."""
    secret = tmp_path / "secret.h"
    secret.write_text("")
    for files in ({}, {"resources/table.txt": "1"}):
        result = run(source_fmu(tmp_path, fmi, files=files), which="foreign", sandbox=True)
        assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6) and NOTE in result.outcome.notes
    with pytest.raises(FmuError, match=r"'unit' cannot be loaded: .* does not compile: sources/model\.c:1: .*secret\.h: Permission denied"):
        run(source_fmu(tmp_path, fmi, code=f'#include "../../../../../../../../../../{secret}"\n{{source}}'), which="foreign", sandbox=True)


def test_only_a_run_compiles(tmp_path: Path, fmi: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither add, nor info, nor a listing of connections does."""
    path = source_fmu(tmp_path, fmi)
    monkeypatch.setattr(compiled, "_fill", lambda *_: pytest.fail("it was compiled"))
    system = System("sources")
    system.add("unit", path)
    assert [wire.target for wire in system.wires] == ["unit.u"]
    assert main(["info", str(path)]) == 0 and "Oscillator" in capsys.readouterr().out


def test_compilation_is_refused(tmp_path: Path, fmi: int, capsys: pytest.CaptureFixture[str]) -> None:
    """An FMU with a binary may be added, and one whose run was refused is compiled by the next."""
    path = source_fmu(tmp_path, fmi)
    wanted = "linux64/Oscillator.so" if fmi == 2 else "x86_64-linux/Oscillator.so"
    sentence = (
        f"'unit' must not be compiled: '{path}' has no binary {wanted} for this platform, it has none at all; allow its sources to be compiled, "
        "or export it for this platform"
    )
    system = System("sources")
    with pytest.raises(BuildError) as error:
        system.add("unit", path, compile=False)
    assert str(error.value) == sentence
    system.add("sound", find("signal.Sine"), compile=False)
    with pytest.raises(BuildError, match="compile = 1 of 'unit' is refused: give True or False"):
        system.add("unit", path, compile=1)  # type: ignore[arg-type]
    assert main(["simulate", str(path), "--stop", "0.1", "--no-compile"]) == 2
    assert sentence.replace("'unit'", "'Oscillator'") in capsys.readouterr().err
    assert main(["simulate", str(path), "--stop", "0.1"]) == 0


MISDEEDS = {
    "__builtin_trap();": (Ending.PROCESS_DIED, "crashed (illegal instruction)"),
    "exit(3);": (Ending.PROCESS_DIED, "ended its process by exit(3)"),
    "for (volatile int i = 0;; i = i + 1) ;": (Ending.TIMED_OUT, "did not return within 0.5 s"),
    'for (;;) { char *p = malloc(1 << 24); if (!p) return say(me, Error, "no memory"); memset(p, 1, 1 << 24); }': (
        Ending.FMU_FAILED,
        "no memory",
    ),
    "*(volatile int *)8 = 1;": (Ending.PROCESS_DIED, "crashed (segmentation fault)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("misdeed", list(MISDEEDS))
def test_a_misdeed_ends_the_run_alone(tmp_path: Path, fmi: int, misdeed: str) -> None:
    """Its rows up to there are kept."""
    ending, cause = MISDEEDS[misdeed]
    model = replace(OSCILLATOR, hooks={"rates": f"if (time >= 0.5) {{ {misdeed} }}"}, variables=[*OSCILLATOR.variables, Variable("extra")])
    result = run(source_fmu(tmp_path, fmi, model), which="foreign", call_timeout=20.0 if "malloc" in misdeed else 0.5, memory=1e9)
    assert result.outcome.ending is ending and cause in result.outcome.sentence
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6) and 0.3 < result.time[-1] <= 0.51


@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_an_own_component_from_its_sources(tmp_path: Path, fmi: int) -> None:
    """The sources inside the FMU of a component are those of its binary."""
    whole = cached_fmu(find("mechanical1d.Inertia"), fmi)
    path = tmp_path / "inertia.fmu"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            if not name.startswith("binaries/"):
                target.writestr(name, source.read(name))
    results = []
    for each in (whole, path):
        system = System("own")
        system.add("inertia", each, {"I": 2.0, "w": 3.0})
        system.drive("inertia.flange.tau", 0.5)
        results.append(system.simulate(1.0, evaluation="fmus"))
    assert results[1]["inertia.phi"].tobytes() == results[0]["inertia.phi"].tobytes()
    assert results[1]["inertia.phi"][-1] == pytest.approx(3.0 + 0.125, rel=1e-9)
