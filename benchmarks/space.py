"""Chains of bodies in space on revolutes: time per evaluation against their number, and against other tools.

An evaluation is one call of the kernel: all states to all bodies, all multipliers solved, all derivatives back. The exponent is the slope of
time over bodies between neighbouring rows, in logarithms: 1 is proportional. Pinocchio's articulated-body algorithm, written for chains in
relative coordinates, is the measure of what an evaluation could cost.

Exudyn has the same chain twice: with absolute coordinates and joints, as here, where only its implicit integrators run; and as a kinematic tree
in relative coordinates, without joints. Whole runs are compared at the same error of the last body's place.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import chain  # noqa: E402 - sets the numbers of threads before NumPy's libraries are used

from coupling import System  # noqa: E402

ROD = {"m": 1.0, "Ixx": 0.01, "Iyy": 1 / 12, "Izz": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5}
GRAVITY = (0.0, 4.0, -9.0)  # aside, so that hinges of both directions move
AXES = ((0, 1, 0), (0, 0, 1))  # of the hinges in turns
METHODS = ("dopri5", "dop853")
STABILISATIONS = ("projection", "baumgarte")
STOP = 0.5  # s
MOST_RELATIVE = 200  # bodies for Pinocchio, whose data has tensors of the third power of their number


def system(bodies: int) -> System:
    """Returns a chain of rods along x, which hangs at its first end; hinges are about y and z in turns."""
    made = System(f"chain of {bodies}")

    def hinge(port: str, number: int) -> dict[str, float]:
        axis = AXES[number % 2]
        return {f"{port}.z{name}": float(value) for name, value in zip("xyz", axis, strict=True)}

    made.add("ground", "spatial.Fixed", hinge("p1", 0))
    before = "ground.p1"
    gravity = dict(zip(("gx", "gy", "gz"), GRAVITY, strict=True))
    for i in range(bodies):
        made.add(f"rod{i}", "spatial.Body2", {**ROD, **gravity, **hinge("p1", i), **hinge("p2", i + 1), "x": i + 0.5})
        made.add(f"pin{i}", "spatial.Revolute")
        made.connect(before, f"pin{i}.M")
        made.connect(f"pin{i}.N", f"rod{i}.p1")
        before = f"rod{i}.p2"
    return made


def evaluations(sizes: list[int], seconds: float, repetitions: int) -> None:
    pinocchio = importlib.util.find_spec("pinocchio") is not None
    print(f"{'bodies':>8}{'states':>8}{'us/evaluation':>15}{'us/body':>10}{'exponent':>10}{'build s':>9}{'start s':>9}", end="")
    print(f"{'Pinocchio us':>14}{'ratio':>8}" if pinocchio else "   (Pinocchio is not installed: pip install pin)")
    before: tuple[int, float] | None = None
    for bodies in sizes:
        made = system(bodies)
        states = sum(len(fmu.states) for fmu in made.instances.values())
        taken, build, begin = chain.measure(made, seconds, repetitions, "*0.x")
        exponent = math.log(taken / before[1]) / math.log(bodies / before[0]) if before and bodies != before[0] else math.nan
        print(f"{bodies:8}{states:8}{1e6 * taken:15.2f}{1e6 * taken / bodies:10.3f}{exponent:10.2f}{build:9.2f}{begin:9.2f}", end="")
        if pinocchio and bodies <= MOST_RELATIVE:
            recursive = articulated(bodies, seconds, repetitions)
            print(f"{1e6 * recursive:14.2f}{taken / recursive:8.1f}", end="")
        print(flush=True)
        before = bodies, taken


def articulated(bodies: int, seconds: float, repetitions: int) -> float:
    """Returns the seconds that Pinocchio takes for the accelerations of the chain."""
    import pinocchio as pin

    model, parent = pin.Model(), 0
    model.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))
    inertia = pin.Inertia(ROD["m"], np.array((0.5, 0, 0)), np.diag([ROD[f"I{axis}{axis}"] for axis in "xyz"]))
    for i in range(bodies):
        place = pin.SE3(np.eye(3), np.array((1.0 if i else 0.0, 0, 0)))
        parent = model.addJoint(parent, pin.JointModelRZ() if i % 2 else pin.JointModelRY(), place, f"pin{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    data, q, v, tau = model.createData(), np.full(bodies, 0.1), np.full(bodies, 0.2), np.zeros(bodies)
    samples = []
    for _ in range(repetitions):
        count, first = 0, time.perf_counter()
        while time.perf_counter() - first < seconds:
            pin.aba(model, data, q, v, tau)
            count += 1
        samples.append((time.perf_counter() - first) / count)
    return statistics.median(samples)


# -- whole runs ---------------------------------------------------------------------------------------------------------------------------


def coupled(
    made: System, bodies: int, tolerance: float, method: str = "dopri5", stabilisation: str = "projection", evaluation: str = "fmus"
) -> tuple[float, np.ndarray]:
    """Returns the seconds from the first evaluation to the last, as for the others, and the last body's place in m."""
    names = [f"rod{bodies - 1}.{axis}" for axis in "xyz"]
    options = {"solver": method, "stabilisation": stabilisation, "rtol": tolerance, "atol": tolerance}
    result = made.simulate(STOP, outputs=names, output_times=[STOP], evaluation=evaluation, **options)
    return result.statistics.seconds_running, np.array([result[name][-1] for name in names])


def settings(exudyn, steps: int, linear: str = "EigenSparse"):
    made = exudyn.SimulationSettings()
    made.timeIntegration.numberOfSteps = steps
    made.timeIntegration.endTime = STOP
    made.timeIntegration.newton.useModifiedNewton = True
    made.linearSolver.solverType = getattr(exudyn.LinearSolverType, linear)
    made.solution.file.write = False
    made.solution.sensors.active = False
    return made


def absolute(bodies: int, steps: int, method: str, linear: str) -> tuple[float, np.ndarray]:
    """Runs Exudyn with a rigid body for each rod and a joint for each hinge."""
    import exudyn
    from exudyn.rigidBodyUtilities import RigidBodyInertia

    container = exudyn.SystemContainer()
    other = container.AddSystem()
    inertia = RigidBodyInertia(ROD["m"], np.diag([ROD[f"I{axis}{axis}"] for axis in "xyz"]))
    before = other.CreateGround()
    for i in range(bodies):
        body = other.CreateRigidBody(inertia=inertia, referencePosition=[i + 0.5, 0, 0], gravity=list(GRAVITY))
        other.CreateRevoluteJoint(itemNumbers=[before, body], position=[i, 0, 0], axis=list(AXES[i % 2]))
        before = body
    other.Assemble()
    chosen = settings(exudyn, steps, linear)
    began = time.perf_counter()
    other.SolveDynamic(chosen, solverType=getattr(exudyn.DynamicSolverType, method))
    seconds = time.perf_counter() - began
    return seconds, np.array(other.GetObjectOutputBody(before, exudyn.OutputVariableType.Position, [0, 0, 0]))


def kinematic_tree(bodies: int):
    """Returns the chain in Exudyn in relative coordinates, and the number of its node."""
    import exudyn
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    container = exudyn.SystemContainer()
    other = container.AddSystem()
    zeros = [0.0] * bodies
    node = other.AddNode(
        NodeGenericODE2(referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros, numberOfODE2Coordinates=bodies)
    )
    places, tensors, centres = exudyn.Vector3DList(), exudyn.Matrix3DList(), exudyn.Vector3DList()
    turned = exudyn.Matrix3DList()
    for i in range(bodies):
        places.Append([1.0 if i else 0.0, 0, 0])
        turned.Append(np.eye(3))
        tensors.Append(np.diag([ROD[f"I{axis}{axis}"] for axis in "xyz"]))
        centres.Append([0.5, 0, 0])
    other.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            gravity=list(GRAVITY),
            jointTypes=[exudyn.JointType.RevoluteZ if i % 2 else exudyn.JointType.RevoluteY for i in range(bodies)],
            linkParents=list(range(-1, bodies - 1)),
            jointTransformations=turned,
            jointOffsets=places,
            linkInertiasCOM=tensors,
            linkCOMs=centres,
            linkMasses=[ROD["m"]] * bodies,
        )
    )
    other.Assemble()
    return other, node


def tree_steps(bodies: int, steps: int) -> float:
    """Returns the seconds that Exudyn takes for steps of one size by the Runge-Kutta method of order 4."""
    import exudyn

    other, _ = kinematic_tree(bodies)
    chosen = settings(exudyn, steps)
    chosen.timeIntegration.endTime = 1e-6
    chosen.timeIntegration.explicit.computeEndOfStepAccelerations = False
    began = time.perf_counter()
    other.SolveDynamic(chosen, solverType=exudyn.DynamicSolverType.RK44)
    return time.perf_counter() - began


def tree(bodies: int, tolerance: float) -> tuple[float, np.ndarray]:
    """Runs Exudyn's kinematic tree by Dormand and Prince's method."""
    import exudyn

    other, node = kinematic_tree(bodies)
    chosen = settings(exudyn, 10)
    chosen.timeIntegration.adaptiveStep = True
    chosen.timeIntegration.absoluteTolerance = chosen.timeIntegration.relativeTolerance = tolerance
    chosen.timeIntegration.explicit.computeEndOfStepAccelerations = False
    began = time.perf_counter()
    other.SolveDynamic(chosen, solverType=exudyn.DynamicSolverType.DOPRI5)
    seconds = time.perf_counter() - began
    angles = np.array(other.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates))
    return seconds, end_of(angles)


def end_of(angles: np.ndarray) -> np.ndarray:
    """Returns the last rod's mass centre in m, from the angles of the hinges."""
    R, at = np.eye(3), np.zeros(3)
    for i, angle in enumerate(angles):
        axis = np.array(AXES[i % 2], float)
        K = np.cross(np.eye(3), axis)
        R = R @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
        at = at + R[:, 0] * (1.0 if i < len(angles) - 1 else 0.5)
    return at


def loosest(run: Callable[[float], tuple[float, np.ndarray]], expected: np.ndarray, error: float) -> tuple[float, float, float]:
    """Returns seconds, error and tolerance of the run with the greatest sufficient tolerance, in steps of a third of a decade."""
    for third in range(9, 40):
        tolerance = 10 ** (-third / 3)
        found = np.abs(run(tolerance)[1] - expected).max()
        if found <= error:
            return min(run(tolerance)[0] for _ in range(3)), found, tolerance
    return math.nan, math.nan, math.nan


def enough_steps(run: Callable[[int], tuple[float, np.ndarray]], expected: np.ndarray, error: float) -> tuple[float, float, int]:
    """Returns seconds, error and number of the steps of a method of order 2 that come to an error."""
    steps = 50
    while (found := np.abs(run(steps)[1] - expected).max()) > error:
        steps = max(steps + 1, math.ceil(steps * math.sqrt(1.02 * found / error)))
    return min(run(steps)[0] for _ in range(3)), found, steps


def runs(sizes: list[int], error: float, with_exudyn: bool) -> None:
    print(f"\n{STOP:g} s of motion with an error of at most {error:g} m of the last body's place")
    print(f"{'bodies':>8}  {'by':46}{'ms':>10}{'error, m':>12}{'tolerance, steps':>18}{'times':>8}")
    for bodies in sizes:
        made = system(bodies)
        expected = coupled(made, bodies, 1e-12, "dop853")[1]
        rows: list[tuple[str, float, float, float]] = []
        for evaluation, method, stabilisation in product(("fmus", "compiled"), METHODS, STABILISATIONS):
            run = partial(coupled, made, bodies, method=method, stabilisation=stabilisation, evaluation=evaluation)
            rows.append(
                (f"{'compiled' if evaluation == 'compiled' else 'FMUs'}, {method}, {stabilisation}", *loosest(run, expected, error))
            )
        if with_exudyn:
            for method, linear in product(("TrapezoidalIndex2", "GeneralizedAlpha"), ("EigenSparse", "EigenDense")):
                if linear == "EigenDense" and bodies > 30:
                    continue  # its time grows with the third power
                name = f"Exudyn, joints, {method}, {linear}"
                rows.append((name, *enough_steps(partial(absolute, bodies, method=method, linear=linear), expected, error)))
            rows.append(("Exudyn, kinematic tree, DOPRI5", *loosest(partial(tree, bodies), expected, error)))
        ours = min(seconds for name, seconds, *_ in rows if not name.startswith("Exudyn"))
        for name, seconds, found, setting in rows:
            print(f"{bodies:8}  {name:46}{1e3 * seconds:10.2f}{found:12.1e}{setting:18.3g}{seconds / ours:8.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000], help="of evaluations (default 10 100 1000)")
    parser.add_argument("--runs", type=int, nargs="*", default=[10, 100], help="bodies of whole runs (default 10 100)")
    parser.add_argument("--error", type=float, default=1e-6, help="of whole runs, in m (default 1e-6)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of evaluations in each repetition (default 0.2)")
    parser.add_argument("--repetitions", type=int, default=7, help="of which the median counts (default 7)")
    parser.add_argument("--no-exudyn", action="store_true", help="leave Exudyn out")
    options = parser.parse_args()
    evaluations(options.bodies, options.seconds, options.repetitions)
    if options.runs:
        runs(options.runs, options.error, not options.no_exudyn)


if __name__ == "__main__":
    main()
