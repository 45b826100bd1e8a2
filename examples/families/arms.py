"""Arm over payload and length.

A two-link arm hangs with a payload at its end; springs hold it. Its linear models over payload and length are in one constant matrix, with both parameters in
feedback. Frequencies between the nodes of the grid are compared with the closed form.
"""

import numpy as np
from report import Report
from scipy.linalg import eigvals

from jourdain import System

G = 9.81  # m/s2
MASS, CENTRE, INERTIA, REACH = 3.0, 0.25, 0.08, 0.7  # of the upper link in kg, m and kg m2; length of the lower link in m
SPRINGS = (30.0, 12.0)  # N m/rad


def arm() -> System:
    """Returns the arm; its payload is a point at the end of the lower link, which has no mass."""
    system = System("arm", gravity=(0.0, -G, 0.0))
    system.add("ground", "planar.Fixed")
    upper = {"m": MASS, "I": INERTIA, "rx": CENTRE, "C1.rx": 0.5, "q": -np.pi / 2, "rest": -np.pi / 2, "qd": 0.5}
    system.add("upper", "planar.RevoluteBody", {**upper, "k": SPRINGS[0]})
    system.add("lower", "planar.RevoluteBody", {"m": 1.0, "I": 0.0, "rx": REACH, "k": SPRINGS[1]})
    system.connect("ground.p1", "upper.P")
    system.connect("upper.C1", "lower.P")
    return system


def frequencies(payload: float, length: float) -> np.ndarray:
    """Returns both natural frequencies in Hz, from the matrices of mass and stiffness."""
    whole = length + REACH
    mass = [[INERTIA + MASS * CENTRE**2 + payload * whole**2, payload * REACH * whole], [payload * REACH * whole, payload * REACH**2]]
    weight = G * np.array([[MASS * CENTRE + payload * whole, payload * REACH], [payload * REACH, payload * REACH]])
    return np.sort(np.sqrt(eigvals(np.diag(SPRINGS) + weight, mass).real)) / (2 * np.pi)


def main() -> None:
    report = Report("Arm over payload and length")
    axes = {"lower.m": np.linspace(0.5, 2.0, 5), "upper.C1.rx": np.linspace(0.4, 0.8, 6)}
    grid = arm().linearise(["upper.torque"], along=axes)
    ranged = grid.to_lfr()
    for payload, length in ((0.6, 0.45), (1.1, 0.63), (1.9, 0.77)):
        modes = ranged.at({"lower.m": payload, "upper.C1.rx": length}).modes()
        for mode, expected in zip(modes, frequencies(payload, length), strict=True):
            report.figure(f"frequency with {payload} kg at {length} m", mode.frequency, expected, "Hz")
    report.show(arm().simulate(4.0), "upper.q", "lower.q")
    report.end()


if __name__ == "__main__":
    main()
