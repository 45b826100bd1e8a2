"""Native text runs: rumoca, which solves the equations by itself, ends where the master does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import System
from fmu_components.modelica.names import modelica_name
from tests.support.export.examples import system as of_example
from tests.support.modelica.frames import for_rumoca
from tests.support.systems.modelica_machines import MACHINES, Machine, end_of

ORDINARY = ("pendulum", "control loop")


@pytest.fixture
def rumoca() -> Any:
    return pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")


def ends_as_in_the_master(rumoca: Any, machine: Machine, folder: Path) -> None:
    file = machine.make().to_modelica(folder / "models", form="native", outputs=machine.names, initial=machine.initial)
    loaded = rumoca.Session().load(str(file), model=file.stem)
    config = rumoca.SimConfig(solver="rk-like", rtol=1e-12, atol=1e-12)
    result = loaded.simulate(t=(0, machine.stop), dt=machine.stop / 100, config=config)
    found = np.array([float(result[modelica_name(name)][-1]) for name in machine.names])
    expected = end_of(machine)
    assert np.abs(expected).max() > 1e-3
    assert found == pytest.approx(expected, rel=machine.allowed, abs=machine.allowed)


@pytest.mark.parametrize("name", ORDINARY)
def test_a_system_ends_as_in_the_master(rumoca: Any, tmp_path: Path, name: str) -> None:
    ends_as_in_the_master(rumoca, MACHINES[name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MACHINES if name not in ORDINARY])
def test_every_machine_ends_as_in_the_master(rumoca: Any, tmp_path: Path, name: str) -> None:
    """The seven bodies have published digits; the other machines have drives, efforts, formulas and nested systems."""
    ends_as_in_the_master(rumoca, MACHINES[name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_pymoca_parses_every_model(tmp_path: Path, name: str) -> None:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca, of the extra 'peers', is not installed")
    machine = MACHINES[name]
    file = machine.make().to_modelica(tmp_path, form="native", initial=machine.initial)
    tree = parser.parse(file.read_text())
    assert tree is not None and file.stem in tree.classes


def test_opened_ports_connect_two_models(rumoca: Any, tmp_path: Path) -> None:
    """A wheel swings on a spring of another model by cos(4 t): the flow at their connectors has one sign in both."""
    half, wheel = System("Half"), System("Wheel")
    half.add("wall", "mechanical1d.Fixed1D")
    half.add("spring", "mechanical1d.RotationalSpringDamper", {"k": 8.0})
    half.connect("wall.shaft", "spring.M")
    wheel.add("wheel", "mechanical1d.Inertia", {"I": 0.5, "phi": 0.3})
    texts = [
        made.to_modelica(tmp_path, form="native", inputs=[port]).read_text() for made, port in ((half, "spring.N"), (wheel, "wheel.flange"))
    ]
    both = "model Both\n  Half half;\n  Wheel wheel;\nequation\n  connect(half.spring_N, wheel.wheel_flange);\nend Both;\n"
    loaded = rumoca.Session().loads("\n".join([*texts, both]), model="Both")
    result = loaded.simulate(t=(0, 1), dt=0.01, config=rumoca.SimConfig(solver="rk-like", rtol=1e-11, atol=1e-11))
    assert float(result["wheel.wheel.phi"][-1]) == pytest.approx(0.3 * np.cos(4.0), abs=1e-9)


@pytest.mark.slow
def test_a_top_in_space_turns_as_in_the_master(rumoca: Any, tmp_path: Path) -> None:
    """Seven states of its attitude and its speed keep their start; a connector of the same variables stands for frames of MultiBody."""
    top = of_example("13_heavy_top")
    file = top.to_modelica(tmp_path, form="native")
    text = file.read_text()
    assert text.count("fixed = true") == 7
    loaded = rumoca.Session().loads(for_rumoca(text), model=file.stem)
    result = loaded.simulate(t=(0, 0.1), dt=0.01, config=rumoca.SimConfig(solver="rk-like", rtol=1e-11, atol=1e-11))
    expected = top.simulate(stop_time=0.1, solver="dop853", rtol=1e-12)
    for axis in "xyz":
        assert float(result[f"top.omega{axis}"][-1]) == pytest.approx(expected[f"top.omega{axis}"][-1], rel=1e-8, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["13_heavy_top", "15_spatial_slider_crank", "24_robot_arm"])
def test_pymoca_parses_spatial_models(tmp_path: Path, name: str) -> None:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca, of the extra 'peers', is not installed")
    file = of_example(name).to_modelica(tmp_path, form="native")
    assert file.stem in parser.parse(file.read_text()).classes
