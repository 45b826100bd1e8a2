"""Elastic bodies and blocks in everything that rigid bodies have: solvers, redundant joints, co-simulation, exports, analyses, sweeps and packages."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from fmu_components.flexible.elastic import Elastic
from fmu_components.flexible.mesh import mesh_of
from fmu_components.flexible.ports import interfaces
from fmu_components.flexible.reduction import port_shapes
from jourdain import Index3, Patch, Pose, Result, System, flexible_body, sweep
from tests.support.export.kinds import KINDS
from tests.support.flexible.meshes import brick
from tests.support.flexible.ways import OPTIONS

G = 9.81
LOAD = {"m": 1.0, "Ixx": 1e-3, "Iyy": 2e-3, "Izz": 3e-3, "gy": -G, "gz": 0.0}
pytestmark = pytest.mark.slow


def _mesh() -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Patch]]:
    """Returns a coarse brick with a patch at either end."""
    K, M, nodes = brick(young=2e7, counts=(4, 2, 2))
    ends = {name: Patch(np.flatnonzero(side * nodes[:, 0] > 0.49).tolist(), rigid=name == "a") for name, side in (("a", -1), ("b", 1))}
    return K, M, nodes, ends


@pytest.fixture(scope="module")
def arm() -> type[Elastic]:
    """A body of two shapes, with ports at its ends."""
    K, M, nodes, ends = _mesh()
    return flexible_body(K, M, nodes, ends, name="Arm", shapes=2, inner=0)


@pytest.fixture(scope="module")
def blade() -> type[Elastic]:
    """The same body as a block of two shapes, whose root is the port a."""
    K, M, nodes, ends = _mesh()
    return flexible_body(K, M, nodes, ends, name="Blade", shapes=2, inner=0, root="a")


def _swing(
    arm: type[Elastic], hinge: str = "Revolute", twice: bool = False, gravity: float = -G, places: tuple[dict[str, float], ...] = ({}, {})
) -> System:
    """Returns the body on a hinge with a load at its end. A second hinge repeats the constraints of the first."""
    system = System("swing")
    system.add("ground", "spatial.Fixed")
    system.add("arm", arm, {"gy": gravity, "gz": 0.0} | places[0])
    system.add("load", "spatial.Body1", LOAD | {"gy": gravity} | places[1])
    for name in ["hinge", "twin"][: 1 + twice]:
        system.join(f"spatial.{hinge}", "ground.p1", "arm.a", name=name)
    system.join("spatial.Weld", "arm.b", "load.p1", name="weld")
    return system


def _tree(blade: type[Elastic]) -> System:
    """Returns the block on a hub that turns on the ground, with the same load."""
    system = System("tree")
    system.add("ground", "spatial.Fixed")
    system.add("hub", "spatial.RevoluteBody", {"m": 1.0, "gy": -G, "gz": 0.0})
    system.add("blade", blade, {"gy": -G, "gz": 0.0})
    system.add("load", "spatial.Body1", LOAD | {"x": 1.0})
    system.connect("ground.p1", "hub.P")
    system.connect("hub.C1", "blade.a")
    system.join("spatial.Weld", "blade.b", "load.p1", name="weld")
    return system


def _level(system: System) -> Pose:
    """Returns the pose in which the arm lies along x."""
    return system.assemble(guess={"arm.x": 0.5, "load.x": 1.0} if "arm" in system.instances else {"hub.q": 0.0})


def _run(system: System, **options: Any) -> Result:
    accuracy = {} if isinstance(options.get("solver"), Index3) else {"rtol": 1e-10, "atol": 1e-12}
    return system.simulate(0.1, initial=_level(system), **accuracy, **options)


def _end(run: Result) -> list[float]:
    return [run[f"load.{name}"][-1] for name in ("x", "y", "omegaz")]


@pytest.mark.parametrize("kind", ["body", "block"])
def test_all_solvers_and_evaluations_agree(kind: str, arm: type[Elastic], blade: type[Elastic]) -> None:
    system = _swing(arm) if kind == "body" else _tree(blade)
    reference = _run(system, solver="dop853", evaluation="tape")
    part = "arm" if kind == "body" else "blade"
    assert np.ptp(reference[f"{part}.shape[1]"]) + np.ptp(reference[f"{part}.shape[2]"]) > 1e-5
    for options, tolerance in OPTIONS:
        assert _end(_run(system, **options)) == pytest.approx(_end(reference), abs=tolerance), options


def test_redundant_hinges_change_nothing(arm: type[Elastic]) -> None:
    once, twice = (_run(_swing(arm, twice=twice), solver="dop853") for twice in (False, True))
    assert _end(twice) == pytest.approx(_end(once), abs=1e-9)
    # The least multipliers share the force equally.
    assert twice["hinge.N.Fy"][-1] == pytest.approx(once["hinge.N.Fy"][-1] / 2, rel=1e-6)
    assert twice["twin.N.Fy"][-1] == pytest.approx(once["hinge.N.Fy"][-1] / 2, rel=1e-6)


@pytest.mark.parametrize("kind", ["body", "block"])
def test_co_simulation_converges_to_the_same_motion(kind: str, arm: type[Elastic], blade: type[Elastic]) -> None:
    """Ball joints, since a hinge counts its turns by a state, for which co-simulation has no place."""
    system = _swing(arm, "Spherical") if kind == "body" else _tree(blade)
    reference = _end(_run(system, solver="dop853"))
    off = []
    for step in (1e-3, 1e-4):
        run = system.simulate(0.1, initial=_level(system), communication_step=step)
        off.append(float(np.abs(np.array(_end(run)) - reference).max()))
    assert off[1] < 0.2 * off[0] and off[1] < 1e-4


@pytest.mark.parametrize("kind", ["body", "block"])
def test_exports_move_as_the_master_does(kind: str, arm: type[Elastic], blade: type[Elastic], tmp_path: Path) -> None:
    system = _swing(arm) if kind == "body" else _tree(blade)
    expected = _end(_run(system, solver="dop853"))[:2]
    names = ["load.x", "load.y"]
    for fmi in (2, 3):
        path = system.export_fmu(tmp_path / f"{kind}{fmi}.fmu", fmi=fmi, initial=_level(system))
        for way in ("Model Exchange", "Co-Simulation"):
            found = KINDS[way](path, names, 0.1, 0.01)
            assert list(found.values()) == pytest.approx(expected, abs=1e-9), (fmi, way)


def test_a_hinged_arm_rings_as_its_mesh_with_the_load(arm: type[Elastic]) -> None:
    """Mass and stiffness of rigid motions and shapes, with the constraints of the hinge eliminated."""
    K, M, nodes, ends = _mesh()
    mesh = mesh_of(K, M, nodes)
    held, tip = interfaces(mesh, ends)
    shapes = port_shapes(mesh, [held, tip], 0, 2)
    motion = np.hstack([mesh.rigid, shapes.columns])
    kept = scipy.linalg.null_space((held.rows @ motion)[:5])
    at_load = tip.rows @ motion
    mass = motion.T @ (M @ motion) + at_load.T @ np.diag([1.0, 1.0, 1.0, 1e-3, 2e-3, 3e-3]) @ at_load
    squares = scipy.linalg.eigh(kept.T @ motion.T @ K @ motion @ kept, kept.T @ mass @ kept, eigvals_only=True)
    system = _swing(arm, gravity=0.0)
    found = np.abs(np.linalg.eigvals(system.linearise(initial=_level(system)).A).imag)
    assert np.sort(found)[-1:-5:-2] == pytest.approx(np.sqrt(squares[:0:-1]), rel=1e-7)


def test_equilibria_far_from_the_start(arm: type[Elastic], blade: type[Elastic]) -> None:
    """A quarter turn away: the shapes settle at once, and the arm has to turn all the same."""
    swing = _swing(arm)
    rest = swing.equilibrium(initial=_level(swing))
    assert (rest["load.x"], rest["load.y"]) == pytest.approx((0.0, -1.0), abs=1e-7) and rest.stable
    assert _tree(blade).equilibrium()["load.y"] == pytest.approx(-1.0, abs=1e-7)


def test_a_clamped_block_bends_by_its_weight_and_its_load(blade: type[Elastic]) -> None:
    system = System("shelf")
    system.add("wall", "spatial.Fixed")
    system.add("blade", blade, {"gy": -G, "gz": 0.0})
    system.add("load", "spatial.Wrench", {"Fy": -20.0})
    system.connect("wall.p1", "blade.a")
    system.connect("load.M", "blade.b")
    rest = system.equilibrium()
    data = blade.data
    force = -G * data.mass * data.S1[1] - 20.0 * data.ports["b"].moves[1]
    expected = force / (data.mass * (data.frequencies * data.first) ** 2)
    assert [rest[f"blade.shape[{k}]"] for k in (1, 2)] == pytest.approx(expected, rel=1e-9)
    assert np.abs(expected).max() > 1e-4


def test_assembly_leaves_bodies_straight_unless_a_guess_names_a_shape(arm: type[Elastic]) -> None:
    pose = _swing(arm).assemble(guess={"arm.x": 0.4, "arm.y": 0.1, "load.x": 1.0})
    assert [pose[f"arm.shape[{k}]"] for k in (1, 2)] == [0.0, 0.0]
    bent = _swing(arm).assemble(guess={"arm.x": 0.5, "load.x": 1.0, "arm.shape[1]": 0.003})
    assert 1e-3 < bent["arm.shape[1]"] < 4e-3


@pytest.mark.parametrize("kind", ["body", "block"])
def test_sweeps_and_packages_give_the_same_runs(kind: str, arm: type[Elastic], blade: type[Elastic], tmp_path: Path) -> None:
    part = "arm" if kind == "body" else "blade"

    def system() -> System:
        return _swing(arm) if kind == "body" else _tree(blade)

    pose = _level(system())
    table = sweep(system(), {f"{part}.m": [4.0, 8.0]}, stop_time=0.05, initial=pose, outputs=["load.y"])
    for mass, found in zip((4.0, 8.0), table["load.y"], strict=True):
        alone = system().simulate(0.05, initial=pose, start_values={f"{part}.m": mass})
        assert found == alone["load.y"][-1]
    expected = system().simulate(0.05, initial=pose, rtol=1e-10, atol=1e-12)
    placed = _swing(arm, places=({"x": pose["arm.x"]}, {"x": pose["load.x"]})) if kind == "body" else system()
    for form in ("components", "mechanism"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compliant joints of other tools
            again = System.from_ssp(placed.to_ssp(tmp_path / f"{form}.ssp", form=form))
        run = again.simulate(0.05, rtol=1e-10, atol=1e-12)
        name = next(each for each in run.names if each.endswith("load.y"))
        assert run[name][-1] == pytest.approx(expected["load.y"][-1], abs=1e-9), form
    text = system().to_modelica(tmp_path / "modelica", form="native", initial=pose).read_text()
    assert "shape_rate" in text and f"{'Arm' if kind == 'body' else 'Blade'} {part}(" in text
