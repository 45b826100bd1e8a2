"""Uses without a compiler in PATH: each use that needs one ends with a sentence that says how to get it; all others work."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import System
from fmu_components.declare.component import Component
from fmu_components.export.compile import ExportError
from tests.support.systems.systems import pendulum, refusal

SENTENCE = "no C compiler was found: install gcc (Debian: apt install gcc), or name a compiler in the environment variable CC"


class Own(Component):
    """Gain: a user's own component."""

    def declare(self) -> None:
        self.output("y", 3 * self.input("u", 0.0, "", "input"), "", "output")


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    """A system whose FMUs are in the cache, and no compiler from then on."""
    made = pendulum()
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    return made


def test_a_component_of_a_user(system: System) -> None:
    assert refusal(lambda: system.add("gain", Own), ExportError) == SENTENCE
    assert "gain" not in system.instances


def test_an_export(system: System, tmp_path: Path) -> None:
    assert refusal(lambda: system.export_fmu(tmp_path / "it.fmu"), ExportError) == SENTENCE
    assert not list(tmp_path.iterdir())


def test_compiled_evaluation(system: System, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The run goes on by a tape, to the bit as one that asked for it."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path))
    result = system.simulate(0.1, evaluation="compiled")
    assert result.outcome.completed
    assert result.outcome.warnings == [f"evaluation = 'compiled': {SENTENCE}; derivatives were found by a tape of their equations"]
    assert (result.values == system.simulate(0.1, evaluation="tape").values).all()
