"""Values that are not finite: those that feed nothing are recorded, all others end the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from tests.support.foreign import Model, Variable, export


def root(version: int, kind: str) -> Path:
    """Returns an FMU with the output y = sqrt(0.5 - t), which is NaN after 0.5 s, and the outputs z = log(t) and x = t."""
    variables = [
        Variable("x", "output", 0.0, rate="1"),
        Variable("y", "output", value="sqrt(0.5 - x)"),
        Variable("z", "output", value="log(fabs(x))"),
    ]
    return export(Model("Root", variables, kinds=(kind,)), version)


def run(system: System, kind: str, **options: object) -> Result:
    steps = {"communication_step": 0.25} if kind == "cs" else {}
    return system.simulate(1.0, output_interval=0.25, **steps, **options)


@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_outputs_that_feed_nothing(version: int, kind: str, tmp_path: Path) -> None:
    """They are recorded as FMPy records them, in files too, and a warning names each with its first time."""
    fmpy = pytest.importorskip("fmpy")
    system = System()
    system.add("a", root(version, kind))
    result = run(system, kind, record_to=tmp_path / "rows.jrd")
    assert result.outcome.completed
    with np.errstate(invalid="ignore", divide="ignore"):
        assert result["a.y"] == pytest.approx(np.sqrt(0.5 - result.time), abs=1e-7, nan_ok=True)
        assert result["a.z"][1:] == pytest.approx(np.log(result.time[1:]), abs=1e-7) and result["a.z"][0] == -np.inf
    assert "outputs that feed nothing were not finite numbers: 'a.y' from t = 0.75 s on; 'a.z' from t = 0 s on" in result.outcome.warnings
    again = Result.load(tmp_path / "rows.jrd")
    assert again["a.y"].tobytes() == result["a.y"].tobytes()
    theirs = fmpy.simulate_fmu(str(root(version, kind)), validate=False, stop_time=1.0, output_interval=0.25, output=["y"])
    assert np.isnan(theirs["y"]).tolist() == np.isnan(result["a.y"]).tolist()


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_outputs_that_feed_something(kind: str) -> None:
    """They end the run before another instance gets them."""
    system = System()
    system.add("a", root(3, kind), kind=kind)
    system.add("b", "signal.Integrator" if kind == "me" else "signal.Gain")
    system.connect("a.y", "b.u")
    result = run(system, kind)
    assert not result.outcome.completed and "it received no finite number for 'b.u'" in result.outcome.sentence
    assert np.isfinite(result["a.y"]).all()
