"""FMUs in a package begin at the start values of states by themselves, for readers that set parameters and inputs only."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from coupling import System
from fmu_components.export import build
from fmu_components.export.compile import ExportError
from tests.support.ssp import for_others, packed


def oscillator() -> System:
    """Two masses that start elsewhere, and a spring between them."""
    made = System("oscillator")
    made.add("left", "mechanical1d.Mass", {"s": -0.25})
    made.add("right", "mechanical1d.Mass", {"s": 0.5, "v": 1.0})
    made.add("still", "mechanical1d.Mass", {"m": 2.0})
    made.join("mechanical1d.SpringDamper1D", "left.flange", "right.flange", name="spring")
    return made


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_motion_without_parameter_sets(tmp_path: Path) -> None:
    """Each start has an FMU of its own with a token of its own, and the component without start values of states has the usual one."""
    system = oscillator()
    system.to_ssp(tmp_path / "oscillator.ssp")
    again = System.from_ssp(tmp_path / "oscillator.ssp")
    assert again.definition == system.definition and again.notes == ()
    files = contents(for_others(tmp_path / "oscillator.ssp"))
    text = files["SystemStructure.ssd"].decode()
    files["SystemStructure.ssd"] = re.sub("<ssd:ParameterBindings>.*?</ssd:ParameterBindings>", "", text, flags=re.DOTALL).encode()
    bare = System.from_ssp(packed(tmp_path / "bare.ssp", files))
    assert bare.start_values["left"] == bare.start_values["right"] == {}
    fmus = {name: bare.definition.instances[i].stepped.fmu for i, name in enumerate(bare.instances)}
    assert [fmus[name].variables["s"].start for name in ("left", "right", "still")] == [-0.25, 0.5, 0.0]
    assert len({fmus[name].token for name in ("left", "right", "still")}) == 3
    assert fmus["still"].sha256 == system.definition.instances[2].stepped.fmu.sha256
    a, b = (each.simulate(1.0, rtol=1e-10) for each in (system, bare))
    assert abs(a["left.s"][-1] - a["left.s"][0]) > 0.1
    for name in ("left.s", "right.s", "right.v"):
        assert b[name][-1] == pytest.approx(a[name][-1], abs=1e-9)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package has the usual FMUs, and a sentence names the start values that libcosim leaves out."""
    system = oscillator()

    def refused(*_: object) -> Path:
        raise ExportError("there is no compiler")

    monkeypatch.setattr(build, "cached_fmu", refused)
    with pytest.warns(
        UserWarning, match=r"libcosim leaves out start values of states \('left\.s', 'right\.s', 'right\.v'\); form='mechanism'"
    ):
        system.to_ssp(tmp_path / "oscillator.ssp")
    assert System.from_ssp(tmp_path / "oscillator.ssp").definition == system.definition


def test_an_fmu_that_was_exchanged_counts(tmp_path: Path) -> None:
    """Another tool has put an FMU with another start in the place of ours: the package is as it is now, and a note says so."""
    system = oscillator()
    system.to_ssp(tmp_path / "oscillator.ssp")
    other = oscillator()
    other.add("fourth", "mechanical1d.Mass", {"s": 7.0})
    other.to_ssp(tmp_path / "other.ssp")
    name = re.compile(r'name="(left|fourth)"[^>]*?source="([^"]*)"')
    sources = {
        each: dict(name.findall(contents(tmp_path / f"{each}.ssp")["SystemStructure.ssd"].decode())) for each in ("oscillator", "other")
    }
    files = contents(tmp_path / "oscillator.ssp")
    files[sources["oscillator"]["left"]] = contents(tmp_path / "other.ssp")[sources["other"]["fourth"]]
    again = System.from_ssp(packed(tmp_path / "exchanged.ssp", files))
    assert [note.partition(":")[0] for note in again.notes] == ["the package was changed after Jourdain had written it"]
    assert again.definition.instances[0].fmu.fmu.variables["s"].start == 7.0
