"""Mechanisms in space against a second tool: the same bodies and joints in Exudyn, whose implicit integrators have order 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from jourdain import System
from tests.support.systems.machines import example
from tests.support.systems.space import ROD, three, two_rods

exudyn = pytest.importorskip("exudyn", reason="Exudyn is not installed")
from exudyn.rigidBodyUtilities import RigidBodyInertia  # noqa: E402 - after it is known to be there


class Exudyn:
    """A system of rigid bodies, to be solved by the trapezoidal rule with constraints at velocity level."""

    def __init__(self) -> None:
        self._container = exudyn.SystemContainer()
        self.system = self._container.AddSystem()
        self.ground = self.system.CreateGround()

    def body(self, values: Mapping[str, float], centre: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> int:
        return self.system.CreateRigidBody(
            inertia=RigidBodyInertia(values["m"], np.diag([values[f"I{axis}{axis}"] for axis in "xyz"])),
            referencePosition=list(centre),
            initialVelocity=list(velocity),
            initialAngularVelocity=list(omega),
            gravity=[0, 0, -9.81],
        )

    def place(self, body: int, stop: float, steps: int) -> np.ndarray:
        """Returns the place of a mass centre at the end."""
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = stop
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        self.system.Assemble()
        self.system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.TrapezoidalIndex2)
        return np.array(self.system.GetObjectOutputBody(body, exudyn.OutputVariableType.Position, [0, 0, 0]))


def agrees(system: System, body: str, stop: float, steps: int, theirs: Callable[[int], np.ndarray], allowed: float) -> None:
    """Checks that Exudyn's place of a body converges with order 2, and is the same where it is extrapolated to steps of no length."""
    expected = three(system.simulate(stop, solver="dop853", rtol=1e-12, output_times=[stop]), f"{body}.")[-1]
    coarse, fine = theirs(steps), theirs(2 * steps)
    assert np.linalg.norm(coarse - expected) / np.linalg.norm(fine - expected) == pytest.approx(4, rel=0.1)
    assert fine + (fine - coarse) / 3 == pytest.approx(expected, abs=allowed)


def test_the_heavy_top():
    """It agrees after 0.2 s and five turns."""
    top = example("13_heavy_top")

    def theirs(steps: int) -> np.ndarray:
        other, centre = Exudyn(), -np.array(top.PIVOT)
        values = {"m": top.MASS, "Ixx": top.ACROSS, "Iyy": top.ALONG, "Izz": top.ACROSS}
        body = other.body(values, centre, np.cross(top.OMEGA, centre), np.array(top.OMEGA))
        other.system.CreateSphericalJoint(itemNumbers=[other.ground, body], position=[0, 0, 0])
        return other.place(body, 0.2, steps)

    agrees(top.system(), "top", 0.2, 2000, theirs, 1e-8)


def test_two_rods():
    """The rods on a spherical joint and a skew hinge agree after 1 s."""
    hinge, omega = np.array((0, -1, 1)) / np.sqrt(2), np.array((1, 2, 0.5))
    turned, end = omega + 3 * hinge, np.cross(omega, (1, 0, 0))

    def theirs(steps: int) -> np.ndarray:
        other = Exudyn()
        first = other.body(ROD, np.array((0.5, 0, 0)), end / 2, omega)
        second = other.body(ROD, np.array((1.5, 0, 0)), end + np.cross(turned, (0.5, 0, 0)), turned)
        other.system.CreateSphericalJoint(itemNumbers=[other.ground, first], position=[0, 0, 0])
        other.system.CreateRevoluteJoint(itemNumbers=[first, second], position=[1, 0, 0], axis=list(hinge))
        return other.place(second, 1.0, steps)

    agrees(two_rods(), "second", 1.0, 2000, theirs, 1e-5)
