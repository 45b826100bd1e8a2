"""The seven-body mechanism (Andrews' squeezing mechanism) in Exudyn: absolute coordinates, ten revolute joints, implicit integration.

Its explicit integrators (DOPRI5 among them) refuse systems with joints: "explicit integrator detected object 8 which contains
constraints that cannot be solved". Of the implicit ones the trapezoidal rule with constraints at velocity level ("TrapezoidalIndex2")
takes the fewest steps to an accuracy; "GeneralizedAlpha" is the default of Exudyn. The other settings are the fastest of those whose
errors still fall with the square of the step: one Jacobian per step, Eigen's dense factorisation, the build without range checks,
one thread, no files. Looser Newton tolerances, or no new Jacobian while the iteration converges, add errors of their own.
"""

from __future__ import annotations

import sys
import time
from math import cos, sin

import numpy as np

sys.exudynFast = True  # looked at by the import
import exudyn  # noqa: E402
from exudyn.itemInterface import (  # noqa: E402
    LoadTorqueVector,
    MarkerBodyPosition,
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
)

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD, TA, TB = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
U, UA, UB, ZF, ZT, FA = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
STIFFNESS, REST_LENGTH, TORQUE, END = 4530.0, 0.07785, 0.033, 0.03

# Each between a point of one link and a point of another, from its mass centre in its frame; link 0 is the ground.
JOINTS = (
    (0, (0, 0), 1, (-RA, 0)),
    (1, (RR - RA, 0), 2, (DA, 0)),
    (0, (XB, YB), 3, (-SB, SA)),
    (2, (DA - D, 0), 3, (-SB, SA - SS)),
    (0, (XA, YA), 5, (-TA, -TB)),
    (5, (ZT - TA, -TB), 4, (0, E - EA)),
    (2, (DA - D, 0), 4, (0, -EA)),
    (0, (XA, YA), 7, (UB, UA)),
    (7, (UB, UA - U), 6, (FA - ZF, 0)),
    (2, (DA - D, 0), 6, (FA, 0)),
)

# beta, Theta, gamma, Phi, delta, Omega, eps at the start, and at 0.03 s as three independent computations agree on them.
START = (-0.0617138900142764963589, 0.0, 0.455279819163070380256, 0.222668390165885884674, 0.487364979543842550226)
START += (-0.222668390165885884674, 1.23054744454982119250)
SOLUTION = (15.810771195153707, -15.75637105841184, 0.0408222401196458, -0.534730116342080, 0.524409965879954)
SOLUTION += (0.534730116342080, 1.048080741041938)


def poses() -> list[tuple[float, float, float]]:
    """Returns the mass centre in m and the orientation in rad of each link at the start."""
    beta, theta, gamma, phi, delta, omega, eps = START
    second, fourth, sixth = beta + theta, phi + delta, omega + eps
    return [
        (RA * cos(beta), RA * sin(beta), beta),
        (RR * cos(beta) - DA * cos(second), RR * sin(beta) - DA * sin(second), second),
        (XB + SA * sin(gamma) + SB * cos(gamma), YB - SA * cos(gamma) + SB * sin(gamma), gamma),
        (XA + ZT * cos(delta) + (E - EA) * sin(fourth), YA + ZT * sin(delta) - (E - EA) * cos(fourth), fourth),
        (XA + TA * cos(delta) - TB * sin(delta), YA + TA * sin(delta) + TB * cos(delta), delta),
        (XA + U * sin(eps) + (ZF - FA) * cos(sixth), YA - U * cos(eps) + (ZF - FA) * sin(sixth), sixth),
        (XA + UA * sin(eps) - UB * cos(eps), YA - UA * cos(eps) - UB * sin(eps), eps),
    ]


def mechanism():
    """Returns the assembled system, the container that must outlive it, and the nodes of its links."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    bodies, nodes = [system.AddObject(ObjectGround())], []
    for mass, inertia, pose in zip(MASSES, INERTIAS, poses(), strict=True):
        nodes.append(system.AddNode(NodeRigidBody2D(referenceCoordinates=list(pose), initialVelocities=[0, 0, 0])))
        bodies.append(system.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=nodes[-1])))

    def point(link, at):
        return system.AddMarker(MarkerBodyPosition(bodyNumber=bodies[link], localPosition=[*at, 0]))

    for first, on_first, second, on_second in JOINTS:
        system.AddObject(ObjectJointRevolute2D(markerNumbers=[point(first, on_first), point(second, on_second)]))
    ends = [point(0, (XC, YC)), point(3, (SD - SB, SA - SC))]
    system.AddObject(ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=REST_LENGTH, stiffness=STIFFNESS, damping=0))
    crank = system.AddMarker(MarkerBodyRigid(bodyNumber=bodies[1], localPosition=[0, 0, 0]))
    system.AddLoad(LoadTorqueVector(markerNumber=crank, loadVector=[0, 0, TORQUE]))
    system.Assemble()
    return container, system, nodes


def run(steps: int, method: str = "TrapezoidalIndex2") -> tuple[float, np.ndarray]:
    """Returns the seconds that Exudyn takes for equal steps to 0.03 s, without building the system, and the seven angles then."""
    _container, system, nodes = mechanism()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = END
    settings.timeIntegration.adaptiveStep = False
    settings.timeIntegration.newton.modifiedNewtonJacUpdatePerStep = True
    settings.timeIntegration.newton.relativeTolerance = 1e-11
    settings.timeIntegration.newton.absoluteTolerance = 1e-13
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenDense
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    began = time.perf_counter()
    system.SolveDynamic(settings, solverType=getattr(exudyn.DynamicSolverType, method))
    seconds = time.perf_counter() - began
    turned = [system.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates)[2] for node in nodes]
    link = np.array([pose[2] for pose in poses()]) + turned
    return seconds, np.array([link[0], link[1] - link[0], link[2], link[3] - link[4], link[4], link[5] - link[6], link[6]])


def main() -> None:
    print(f"{'method':<20}{'steps':>8}{'ms':>8}{'largest error':>16}")
    for method, all_steps in {"GeneralizedAlpha": (3000, 9900, 30000), "TrapezoidalIndex2": (3000, 6700, 30000)}.items():
        for steps in all_steps:
            seconds, angles = min((run(steps, method) for _ in range(3)), key=lambda result: result[0])
            print(f"{method:<20}{steps:>8}{1e3 * seconds:>8.0f}{np.abs(angles - SOLUTION).max():>16.1e}")


if __name__ == "__main__":
    main()
