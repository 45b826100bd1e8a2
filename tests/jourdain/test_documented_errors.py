"""Errors of the public interface: each function raises an error that its docstring, or that of its class, names."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jourdain
from jourdain import System
from jourdain.gym import environment
from tests.jourdain.test_docstrings import callables

TEXTS = {name: text for name, _, text in callables()}


def pendulum(_: Any = None) -> System:
    system = System("pendulum", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    return system


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """One object of each class."""
    system, masses, inertias = pendulum(), np.linspace(1.0, 2.0, 3), np.linspace(0.1, 0.2, 2)
    family = system.linearise(along={"rod.m": masses})
    return SimpleNamespace(
        folder=tmp_path_factory.mktemp("errors"),
        result=system.simulate(0.1, output_interval=0.05),
        family=family,
        grid=system.linearise(along={"rod.m": masses, "rod.I": inertias}),
        interpolated=family.to_lpv("linear", checks=0),
        fractional=family.to_lfr(degree=1, checks=0),
        sensitivities=system.sensitivities(["rod.m"]),
        table=jourdain.sweep(system, {"rod.m": [1.0]}, stop_time=0.01),
    )


CASES: dict[str, Callable[[SimpleNamespace], object]] = {
    "Equilibria.of": lambda made: made.family.equilibria.of("none"),
    "FractionalModel.at": lambda made: made.fractional.at({"rod.m": 9.0}),
    "FractionalModel.delta": lambda made: made.fractional.delta({"rod.I": 1.0}),
    "InterpolatedModel.at": lambda made: made.interpolated.at({"rod.m": 9.0}),
    "InterpolatedModel.to_scipy": lambda made: made.interpolated.to_scipy({"rod.I": 1.0}),
    "LinearFamily.matrices": lambda made: made.family.matrices("E"),
    "LinearFamily.model_at": lambda made: made.family.model_at({"rod.I": 1.0}),
    "LinearFamily.to_lfr": lambda made: made.family.to_lfr(degree=-1),
    "LinearFamily.to_lpv": lambda made: made.family.to_lpv(kind="quintic"),
    "LinearGrid.matrices": lambda made: made.grid.matrices("E"),
    "LinearGrid.model_at": lambda made: made.grid.model_at({"rod.m": 1.0}),
    "LinearGrid.of": lambda made: made.grid.of("none"),
    "LinearGrid.pose": lambda made: made.grid.pose(9, 9),
    "LinearGrid.to_lfr": lambda made: made.grid.to_lfr(degree=-1),
    "LinearGrid.to_lpv": lambda made: made.grid.to_lpv(kind="quintic"),
    "LinearModel.bode": lambda made: made.family[0].bode(frequencies=[-1.0]),
    "LinearModel.margins": lambda made: made.family[0].margins(output="none"),
    "LinearModel.step_response": lambda made: made.family[0].step_response(times=[2.0, 1.0]),
    "Result.animate": lambda made: made.result.animate(made.folder / "a.doc"),
    "Result.at": lambda made: made.result.at(5.0),
    "Result.compare": lambda made: made.result.compare(made.result, ["none"]),
    "Result.final": lambda made: made.result.final(["none"]),
    "Result.item_names": lambda made: made.result.item_names("rod.x"),
    "Result.load": lambda made: jourdain.Result.load(made.folder / "none.jrd"),
    "Result.picture": lambda made: made.result.picture(0.0, made.folder / "a.doc"),
    "Result.plot": lambda made: made.result.plot("none"),
    "Result.resample": lambda made: made.result.resample([0.05], side="left"),
    "Result.save": lambda made: made.result.save(made.folder / "a.doc"),
    "Result.sensitivity": lambda made: made.result.sensitivity("rod.x", "rod.m"),
    "Result.sensitivity_unit": lambda made: made.result.sensitivity_unit("rod.x", "rod.m"),
    "Result.to_csv": lambda made: made.result.to_csv(made.folder / "none" / "a.csv"),
    "Result.to_mat": lambda made: made.result.to_mat(made.folder / "none" / "a.mat"),
    "Sensitivities.of_eigenvalue": lambda made: made.sensitivities.of_eigenvalue(9, "rod.m"),
    "Beam": lambda made: jourdain.Beam(0),
    "SpatialBeam": lambda made: jourdain.SpatialBeam(0),
    "WeldedBeam": lambda made: jourdain.WeldedBeam(0),
    "StateSpace": lambda made: jourdain.StateSpace(0),
    "SweepTable.kept": lambda made: made.table.kept(9),
    "SweepTable.rerun": lambda made: made.table.rerun(9),
    "SweepTable.told": lambda made: made.table.told(9),
    "System.add": lambda made: pendulum().add("x", "none"),
    "System.appearance": lambda made: pendulum().appearance("none", None),
    "System.assemble": lambda made: pendulum().assemble(hold={"rod.x": 9.0}),
    "System.build": lambda made: System("empty").build(),
    "System.connect": lambda made: pendulum().connect("rod.p1", "rod.p1"),
    "System.constraint_stages": lambda made: pendulum().constraint_stages(order=["none"]),
    "System.diagram": lambda made: pendulum().diagram(made.folder / "a.doc"),
    "System.drive": lambda made: pendulum().drive("rod.none", 1.0),
    "System.enforce": lambda made: pendulum().enforce("rod", [(0.0, 1.0)]),
    "System.equations": lambda made: pendulum().equations("hamilton"),
    "System.equilibria": lambda made: pendulum().equilibria("rod.none", [1.0]),
    "System.equilibrium": lambda made: pendulum().equilibrium(hold=["none"]),
    "System.explain": lambda made: pendulum().explain(at={"none": 1.0}),
    "System.export_fmu": lambda made: pendulum().export_fmu(made.folder / "a.fmu", outputs=["none"]),
    "System.from_ssp": lambda made: System.from_ssp(made.folder / "none.ssp"),
    "System.include": lambda made: pendulum().include("rod", pendulum()),
    "System.join": lambda made: pendulum().join("planar.Body1", "ground.p1", "rod.p1"),
    "System.join_rigidly": lambda made: pendulum().join_rigidly("ground.p1", "none.p1"),
    "System.linearise": lambda made: pendulum().linearise(["none"]),
    "System.picture": lambda made: pendulum().picture(made.folder / "a.doc"),
    "System.resume": lambda made: System.resume(made.folder / "none"),
    "System.sensitivities": lambda made: pendulum().sensitivities(["none"]),
    "System.simulate": lambda made: pendulum().simulate(1.0, rtol=-1.0),
    "System.start": lambda made: pendulum().start(rtol=-1.0),
    "System.to_modelica": lambda made: pendulum().to_modelica(made.folder, form="none"),
    "System.to_ssp": lambda made: pendulum().to_ssp(made.folder / "a.ssp", form="none"),
    "TransferFunction": lambda made: jourdain.TransferFunction(0),
    "cached_fmu": lambda made: jourdain.cached_fmu(jourdain.find("planar.Fixed"), 4),
    "find": lambda made: jourdain.find("none"),
    "flexible_body": lambda made: jourdain.flexible_body(np.eye(6), np.eye(6), np.eye(3), {}),
    "force_law": lambda made: jourdain.force_law("k*s"),
    "from_file": lambda made: jourdain.from_file(Path("none.py")),
    "from_modelica": lambda made: jourdain.from_modelica("A.B", "none.mo"),
    "gym.environment": lambda made: environment(pendulum(), actions={}, observations=["rod.x"], step=0.1, reward=lambda seen, done: 0.0),
    "orientation": lambda made: jourdain.orientation(axis=(0.0, 0.0, 1.0)),
    "read_mesh": lambda made: jourdain.read_mesh(made.folder / "none.npz"),
    "sample": lambda made: jourdain.sample({"rod.m": (2.0, 1.0)}, 3),
    "sweep": lambda made: jourdain.sweep(pendulum(), {"rod.none": [1.0]}, stop_time=1.0),
    "write_mesh": lambda made: jourdain.write_mesh(made.folder / "none" / "a.npz", np.eye(6), np.eye(6), np.eye(3)),
}
"""A wrong use of each function."""
WITHOUT = {
    *("FractionalModel.save", "LinearFamily.between", "LinearFamily.plot", "LinearGrid.between", "LinearGrid.plot", "LinearModel.transfer"),
    *("Pose.beside", "Pose.get", "Pose.to_text", "Result.to_dataframe", "SweepTable.expect", "SweepTable.put", "SweepTable.to_csv"),
    "System.of",
}
"""Functions whose arguments have no wrong value of the right type, except paths that cannot be written."""


@pytest.mark.every_case
@pytest.mark.parametrize("name", CASES)
def test_an_error_is_named(name: str, made: SimpleNamespace) -> None:
    """The error has a public name, or it is of Python."""
    with pytest.raises(Exception) as caught:
        CASES[name](made)
    public = [each.__name__ for each in caught.type.__mro__[:-3] if each.__name__ in jourdain.__all__ or hasattr(builtins, each.__name__)]
    assert str(caught.value) and any(each in TEXTS[name] for each in public), (caught.type, public)


def test_each_function_with_arguments_has_a_case() -> None:
    """Methods of components are those of declarations, whose error the class names."""
    declaring = ("Component.", "Joint.", "SpatialJoint.")
    wanted = {name for name, function, _ in callables() if function.__code__.co_argcount + function.__code__.co_kwonlyargcount > 1}
    wanted |= {name for name, function, _ in callables() if "." not in name and function.__code__.co_argcount}
    wanted = {name for name in wanted if not name.startswith(declaring)}
    assert wanted - CASES.keys() == WITHOUT & wanted and CASES.keys() | WITHOUT <= TEXTS.keys() and not CASES.keys() & WITHOUT
    assert all("DeclarationError" in text for name, text in TEXTS.items() if name.startswith(declaring))
