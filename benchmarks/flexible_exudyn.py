"""An elastic brick that tumbles under a pulse at one node: ``flexible_body`` against ``ObjectFFRFreducedOrder`` of Exudyn, with the same shapes.

Both have four free modes of the same mesh and no geometric stiffness. Exudyn integrates by its generalized-alpha method of spectral radius
1 in fixed steps, Jourdain by ``dop853``. The steps and tolerances are those at which node 98 is right to about a micrometre at 1 s.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.exudynFast = True  # type: ignore[attr-defined]  # looked at by the import
import exudyn  # noqa: E402
from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface  # noqa: E402
from exudyn.itemInterface import LoadForceVector, MarkerSuperElementPosition, SensorSuperElement  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

from fmu_components.flexible.mesh import mesh_of  # noqa: E402
from fmu_components.flexible.reduction import free_shapes  # noqa: E402
from jourdain import System, flexible_body  # noqa: E402
from tests.support.flexible.meshes import brick  # noqa: E402

NODE, SHAPES, END, SPIN, ROUNDS = 98, 4, 1.0, (2.0, 3.0, 4.0), 3
EXACT = (0.107072021, -0.391960324, 0.331071758)
"""Place of the node at the end, by nodal accelerations without any reduced inertia."""


def pulse(t: float) -> list[float]:
    """Returns the force at the node in N."""
    height = float(np.sin(np.pi * t / 0.2) ** 2) if t < 0.2 else 0.0
    return [0.0, 0.6 * height, 0.9 * height]


def by_exudyn(step: float) -> tuple[float, np.ndarray]:
    """Returns the processor seconds of the solver and the place of the node at the end."""
    K, M, nodes = brick()
    mesh = mesh_of(K, M, nodes)
    shapes = free_shapes(mesh, SHAPES)
    fem: Any = FEMinterface()
    fem.nodes["Position"] = mesh.places
    fem.massMatrix, fem.stiffnessMatrix = csr_matrix(M), csr_matrix(K)
    fem.modeBasis = {"matrix": shapes.columns / np.sqrt(mesh.mass), "type": "NormalModes"}
    fem.eigenValues = shapes.squares
    system = exudyn.SystemContainer().AddSystem()
    body = ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(
        system, [0, 0, 0], [0, 0, 0], np.eye(3), list(SPIN), gravity=[0, 0, 0]
    )["oFFRFreducedOrder"]
    marker = system.AddMarker(
        MarkerSuperElementPosition(bodyNumber=body, meshNodeNumbers=np.array([NODE]), weightingFactors=np.array([1.0]))
    )
    system.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[1, 1, 1], loadVectorUserFunction=lambda mbs, t, load: pulse(t)))
    place = exudyn.OutputVariableType.Position
    sensor = system.AddSensor(SensorSuperElement(bodyNumber=body, meshNodeNumber=NODE, storeInternal=True, outputVariableType=place))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(END / step), END
    settings.timeIntegration.verboseMode, settings.solution.file.write = 0, False
    settings.solution.sensors.writePeriod = END / 10
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.newton.relativeTolerance, settings.timeIntegration.newton.absoluteTolerance = 1e-11, 1e-12
    start = time.process_time()
    system.SolveDynamic(settings)
    return time.process_time() - start, system.GetSensorStoredData(sensor)[-1, 1:4]


def by_jourdain(rtol: float, evaluation: str) -> tuple[float, np.ndarray]:
    """Returns the processor seconds of the second run, which needs no building, and the place of the node at the end."""
    K, M, nodes = brick()
    system = System("brick")
    spin = dict(zip(("omegax", "omegay", "omegaz"), SPIN, strict=True))
    system.add("b", flexible_body(K, M, nodes, {"a": NODE}, name="Brick", basis="free", shapes=SHAPES), {"gz": 0.0, **spin})
    system.add("F", "spatial.Wrench")
    system.connect("F.M", "b.a")
    for axis, k in (("y", 1), ("z", 2)):
        system.drive(f"F.F{axis}", lambda t, k=k: pulse(t)[k])
    for _ in range(2):
        start = time.process_time()
        run = system.simulate(END, solver="dop853", rtol=rtol, atol=1e-3 * rtol, evaluation=evaluation, output_times=[END])
    return time.process_time() - start, np.array([run[f"b.a.{axis}"][-1] for axis in "xyz"])


def main() -> None:
    cases = {
        "Exudyn, h = 5e-4": lambda: by_exudyn(5e-4),
        "Jourdain, tape, rtol 1e-7": lambda: by_jourdain(1e-7, "tape"),
        "Jourdain, compiled, rtol 1e-7": lambda: by_jourdain(1e-7, "compiled"),
    }
    seconds: dict[str, float] = {}
    for _ in range(ROUNDS):  # in turn, so that the load of the machine concerns all of them
        for name, case in cases.items():
            took, place = case()
            seconds[name] = min(took, seconds.get(name, np.inf))
            print(f"{name}: {took:.4f} s, off by {np.abs(place - EXACT).max():.1e} m")
    for name in list(cases)[1:]:
        print(f"Exudyn takes {seconds['Exudyn, h = 5e-4'] / seconds[name]:.1f} times the seconds of {name}")


if __name__ == "__main__":
    main()
