"""A pendulum on a torsion spring by a table, everywhere in the master: the motion is that of SciPy's solution with its PCHIP interpolation."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from scipy.interpolate import PchipInterpolator

from coupling import Isolation, System
from coupling.errors import BuildError, StartError
from coupling.export import export
from coupling.fused.lowering import lower
from coupling.options import Checkpoint, Index3
from coupling.result import Result
from coupling.sweep import sweep
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.fused.agreement import ALLOWED
from tests.support.fused.ways import ways_disagreement
from tests.support.systems.tables import ANGLES, LIFTS, PHASES, TORQUES, TorsionSpring, cam, curve, pendulum, swings

OTHER = (30.0, 8.0, 6.5, -1.0, -6.0, -25.0)
ELEMENTS = {"spring.torque.y[4]": -1.0, "spring.torque.y[5]": -6.0}
EXACT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-11}


def off(result: Any, torques: tuple[float, ...] = TORQUES) -> float:
    return float(np.abs(result["rod.theta"] - swings(np.asarray(result["time"]), torques)).max())


@pytest.mark.parametrize("evaluation", ["fmus", "tape", "compiled"])
@pytest.mark.parametrize("values", [{}, {"spring.torque.y": OTHER}, ELEMENTS], ids=["own", "array", "elements"])
def test_each_way_of_evaluation_gives_the_motion_of_scipy(evaluation: str, values: dict[str, Any]) -> None:
    """Numbers of the table can be given as an array or one by one; code that is kept does not depend on them."""
    result = pendulum().simulate(1.5, evaluation=evaluation, start_values=values, **EXACT)
    assert off(result, OTHER if values else TORQUES) < 1e-8
    assert {"fmus": "FMUs", "tape": "tape", "compiled": "compiled"}[
        evaluation
    ] in result.statistics.evaluated and not result.outcome.warnings


@pytest.mark.parametrize("machine", [pendulum, cam])
def test_derivatives_are_those_of_the_fmus_at_random_points(machine: Callable[[], System]) -> None:
    assert ways_disagreement(machine().build(communication=False)) < ALLOWED


@pytest.mark.parametrize("evaluation", ["fmus", "tape", "compiled"])
@pytest.mark.parametrize("solver", ["dopri5", Index3(step_size=2e-4)], ids=["projected", "index 3"])
def test_a_cam_keeps_its_energy_and_its_lift(evaluation: str, solver: Any) -> None:
    """The constraint has the table, its acceleration the second derivative, the Jacobian of an implicit step the third."""
    tolerances = {} if isinstance(solver, Index3) else {"rtol": 1e-9, "atol": 1e-11}
    result = cam().simulate(0.7, solver=solver, evaluation=evaluation, **tolerances)
    energy = 0.005 * result["shaft.w"] ** 2 + 0.25 * result["follower.v"] ** 2
    assert np.abs(energy / energy[0] - 1).max() < (1e-6 if isinstance(solver, Index3) else 2e-9)
    turn, phases = 2 * np.pi, np.array(PHASES)
    around = np.concatenate([phases[:-1] - turn, phases, phases[1:] + turn])
    pchip = PchipInterpolator(around, [*LIFTS[:-1], *LIFTS, *LIFTS[1:]])
    assert result["follower.s"] == pytest.approx(pchip(result["shaft.phi"] % turn), abs=1e-10)
    assert {"fmus": "FMUs", "tape": "tape", "compiled": "compiled"}[evaluation] in result.statistics.evaluated


def test_two_springs_have_tables_of_their_own() -> None:
    """Leaves of the graph are not shared between instances, even if these have the same FMU."""
    system = pendulum()
    system.add("other", TorsionSpring, {"torque.y": np.zeros(6)})
    system.connect("other.flange", "pin.flange")
    result = system.simulate(1.0, evaluation="tape", **EXACT)
    assert off(result) < 1e-8
    lowered = lower(system.build(communication=False))
    assert [name for _, name in lowered.parameters].count("torque.y[6]") == 2


def test_an_fmu_of_fmi_2_has_a_variable_for_each_number() -> None:
    system = pendulum(cached_fmu(TorsionSpring, 2), {"torque.y[4]": -1.0, "torque.y[5]": -6.0})
    for evaluation in ("fmus", "tape"):
        assert off(system.simulate(1.0, evaluation=evaluation, **EXACT), OTHER) < 1e-8


@pytest.mark.parametrize("version", [2, 3])
def test_a_file_of_the_catalogue_with_other_numbers_is_known_again(version: int, tmp_path: Path) -> None:
    """The numbers of its tables are read from its description; the velocity at the end is the integral of the table."""
    component = find("signal.Table").with_tables(points=[[0, 1, 2], [0, 3, -1.0]])
    path = shutil.copy(cached_fmu(component, version), tmp_path / "signal.fmu")
    system = System("moved")
    system.add("table", path)
    system.add("mass", "mechanical1d.Mass", {"m": 1.0})
    system.add("force", "mechanical1d.Force")
    system.connect("table.y", "force.force")
    system.connect("force.flange", "mass.flange")
    result = system.simulate(2.0, rtol=1e-10, evaluation="tape")
    assert result["mass.v"][-1] == pytest.approx(2.5, abs=1e-9) and "tape" in result.statistics.evaluated


@pytest.mark.parametrize(
    ("values", "error", "sentence"),
    [
        ({"spring.torque.y": [1.0, 2.0]}, BuildError, "it is an array of 6; give as many values"),
        ({"spring.torque.y[9]": 1.0}, BuildError, r"no variable 'torque.y\[9\]' to start from; did you mean 'torque.y\[1\]'"),
        ({"spring.torque.y[2]": np.nan}, BuildError, r"'spring.torque.y\[2\]' = nan N.m is refused"),
        (
            {"spring.torque.x[2]": 5.0},
            StartError,
            r"the nodes torque.x increase; .* from torque.x\[2\] = 5 rad, torque.x\[3\] = -0.4 rad",
        ),
    ],
)
def test_wrong_numbers_are_refused(values: dict[str, Any], error: type, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        pendulum().simulate(0.1, start_values=values)


def test_equilibrium_linear_model_and_sensitivities() -> None:
    """The stiffness is the slope of the table; sensitivities are those of differences between equilibria."""
    system = pendulum(TorsionSpring, {"torque.y[2]": 8.0})
    pose = system.equilibrium()
    theta = pose["rod.theta"]
    torque = curve(TORQUES)
    assert float(torque(theta)) == pytest.approx(2 * 9.81 * 0.5 * np.cos(theta), rel=1e-9)
    stiffness = -float(torque(theta, 1)) - 2 * 9.81 * 0.5 * np.sin(theta)
    model = system.linearise(initial=pose)
    assert np.abs(model.eigenvalues.imag).max() == pytest.approx(np.sqrt(stiffness / 0.6), rel=1e-9)
    found = system.sensitivities(["spring.torque.y[2]"])["rod.theta", "spring.torque.y[2]"]
    ends = [pendulum(TorsionSpring, {"torque.y[2]": 8.0 + each}).equilibrium()["rod.theta"] for each in (-1e-3, 1e-3)]
    assert found == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-5)


def test_linear_models_along_a_number_of_the_table() -> None:
    """The frequency at each equilibrium is that of the slope of the table with this number."""
    family = pendulum().linearise(along={"spring.torque.y[2]": [7.5, 8.0, 8.5]})
    for value, pose, model in zip((7.5, 8.0, 8.5), family.equilibria.poses, family, strict=True):
        theta = pose["rod.theta"]
        stiffness = -float(curve((TORQUES[0], value, *TORQUES[2:]))(theta, 1)) - 2 * 9.81 * 0.5 * np.sin(theta)
        assert np.abs(model.eigenvalues.imag).max() == pytest.approx(np.sqrt(stiffness / 0.6), rel=1e-7)


def test_a_session_that_is_started_again_keeps_the_numbers_of_the_fmu() -> None:
    """Elements that were not set have their start values in later runs, too."""
    system = pendulum(TorsionSpring, {"torque.y[4]": -1.0})
    for _ in range(3):
        result = system.simulate(0.01, outputs=["spring.torque.y"])
        assert [result[f"spring.torque.y[{i}]"][0] for i in range(1, 7)] == [*TORQUES[:3], -1.0, *TORQUES[4:]]
        system.equilibrium()


def test_sensitivities_of_a_run_by_an_element() -> None:
    result = pendulum().simulate(0.4, sensitivities=["spring.torque.y[5]"], **EXACT)
    assert result.differentiated == {"spring.torque.y[5]": "by differences"}
    ends = [pendulum().simulate(0.4, start_values={"spring.torque.y[5]": -4.0 + each}, **EXACT)["rod.theta"][-1] for each in (-1e-3, 1e-3)]
    assert result.sensitivity("rod.theta", "spring.torque.y[5]")[-1] == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-5)


def test_equations_contain_the_table() -> None:
    """The torque in h is that of the table at the angle, with its own numbers and with others."""
    equations = pendulum().equations()
    assert "Curve(0, 1, rod.theta, spring.torque.x, spring.torque.y)" in str(equations)
    for torques in (TORQUES, OTHER):
        h = equations.function()({"rod.theta": 0.5, "spring.torque.y": torques})["h"]
        assert h[2] == pytest.approx(float(curve(torques)(0.5)), rel=1e-13)


def test_explained_swept_and_copied() -> None:
    system = pendulum()
    assert "by a tape" in str(system.explain())
    table = sweep(system, {"spring.torque.y[4]": [-0.5, -1.0], "spring.torque.y[5]": [-4.0, -6.0]}, stop_time=0.5, **EXACT)
    assert list(table["rod.theta"]) == pytest.approx([swings(np.array([0.5]), each)[-1] for each in _pairs()], abs=1e-8)
    again = pickle.loads(pickle.dumps(pendulum(TorsionSpring, {"torque.y": OTHER})))
    assert off(again.simulate(0.5, **EXACT), OTHER) < 1e-8


def _pairs() -> list[tuple[float, ...]]:
    return [(*TORQUES[:3], a, b, TORQUES[5]) for a in (-0.5, -1.0) for b in (-4.0, -6.0)]


def test_files_of_rows_and_checkpoints(tmp_path: Path) -> None:
    """A run that is resumed from its checkpoint, and the rows of a file, are those of the whole run."""
    whole = pendulum().simulate(1.0, start_values={"spring.torque.y": OTHER})
    options = {"checkpoint": Checkpoint(path=tmp_path / "c.ckpt", interval=1e-9), "record_to": tmp_path / "rows.jrd"}
    pendulum().simulate(0.4, start_values={"spring.torque.y": OTHER}, **options)
    resumed = System.resume(tmp_path / "c.ckpt", stop_time=1.0)
    assert resumed["rod.theta"][-1] == pytest.approx(whole["rod.theta"][-1], abs=1e-6)
    assert off(Result.load(tmp_path / "rows.jrd"), OTHER) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", ["fmus", "tape"])
def test_processes_of_their_own(evaluation: str) -> None:
    isolation = Isolation(which="all", sandbox=True)
    assert off(pendulum().simulate(0.5, isolate=isolation, evaluation=evaluation, start_values=ELEMENTS, **EXACT), OTHER) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("by_equations", [True, False])
def test_an_exported_mechanism_has_the_numbers_as_parameters(version: int, by_equations: bool, tmp_path: Path, monkeypatch: Any) -> None:
    """Its equations, or the components inside, take numbers that the importer gives."""
    if not by_equations:
        monkeypatch.setattr(export, "equations_of", lambda built: None)
    path = pendulum(TorsionSpring, {"torque.y[4]": -1.0}).export_fmu(tmp_path / "p.fmu", fmi=version)
    names = [each.name for each in read_model_description(path).modelVariables if "torque" in each.name]
    assert names == [f"spring.torque.{axis}[{i}]" for axis in "xy" for i in range(1, len(ANGLES) + 1)]
    for kind in ("ModelExchange", "CoSimulation"):
        options = {"stop_time": 1.0, "relative_tolerance": 1e-9, "output_interval": 0.05, "output": ["rod.theta"]}
        assert off(simulate_fmu(path, fmi_type=kind, start_values={"spring.torque.y[5]": -6.0}, **options), OTHER) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_an_exported_mechanism_may_keep_most_numbers_to_itself(version: int, tmp_path: Path) -> None:
    path = pendulum().export_fmu(tmp_path / "p.fmu", fmi=version, parameters=["spring.torque.y[5]", "spring.torque.y[4]"])
    system = System("importer")
    system.add("machine", path, {"spring.torque.y[4]": -1.0, "spring.torque.y[5]": -6.0})
    result = system.simulate(1.0, **EXACT)
    assert np.abs(result["machine.rod.theta"] - swings(result["time"], OTHER)).max() < 1e-8


@pytest.mark.slow
def test_packages_of_ssp_hold_the_numbers(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="joints are compliant in other tools"):
        path = pendulum(TorsionSpring, {"torque.y": OTHER}).to_ssp(tmp_path / "p.ssp")
    again = System.from_ssp(path)
    assert off(again.simulate(0.5, **EXACT), OTHER) < 1e-8


@pytest.mark.slow
def test_the_modelica_text_moves_as_scipy(tmp_path: Path) -> None:
    rumoca = pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")
    text = pendulum(TorsionSpring, {"torque.y[4]": -1.0, "torque.y[5]": -6.0}).to_modelica(tmp_path, form="native").read_text()
    config = rumoca.SimConfig(solver="rk-like", rtol=1e-12, atol=1e-12)
    result = rumoca.Session().loads(text, model="tables").simulate(t=(0, 1), dt=0.02, config=config)
    times = np.array(result.time if hasattr(result, "time") else result["time"])
    assert np.abs(np.array(result["rod.theta"]) - swings(times, OTHER)).max() < 1e-8
