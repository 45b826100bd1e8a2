"""A joint of your own: declare its constraint in one file, build its FMU, couple it exactly.

The file ``own_joint/Screw.py`` declares a joint that the catalogue does not have. A body sits on its axis and is pulled along
it by a force F. Since it has to turn while it moves, its inertia takes part: a = F/(m + I/pitch^2).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model

import build_fmus

MASS, INERTIA, PITCH, FORCE, GRAVITY = 2.0, 0.03, 0.1, 5.0, 9.81
MOTION = ("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "alpha")
WRENCH = ("Fx", "Fy", "Cz")


# 1. Build. The name of a component in the catalogue and the path of a file of one's own may stand side by side.


def build(folder: Path) -> None:
    own = Path(__file__).parent / "own_joint" / "Screw.py"
    if build_fmus.main([str(own), "planar.Body1", "planar.Fixed", "--fmi", "2", "--platform", "linux64", "--out", str(folder)]) != 0:
        sys.exit("the FMUs were not built")


# 2. Load. An FMU in Model Exchange is a function: set what goes in, get what comes out.


class Part:
    """One instance of an FMU, whose variables are set and read by name."""

    def __init__(self, path: Path, start: dict[str, float], ideal: bool = False) -> None:
        folder = tempfile.mkdtemp()
        fmpy.extract(str(path), unzipdir=folder)
        description = fmpy.read_model_description(folder)
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.fmu = FMU2Model(
            guid=description.guid, unzipDirectory=folder, modelIdentifier=description.modelExchange.modelIdentifier, instanceName=path.stem
        )
        self.fmu.instantiate()
        if ideal:
            self.fmu.setBoolean([self.references["ideal"]], [True])
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.set(start)
        self.fmu.exitInitializationMode()

    def set(self, values: dict[str, float]) -> None:
        self.fmu.setReal([self.references[name] for name in values], list(values.values()))

    def get(self, *names: str) -> np.ndarray:
        return np.array(self.fmu.getReal([self.references[name] for name in names]))


def pass_on(giver: Part, port: str, members: tuple[str, ...], taker: Part, other: str) -> None:
    """Connects two ports for one moment: the values of one become those of the other."""
    values = giver.get(*(f"{port}.{member}" for member in members))
    taker.set({f"{other}.{member}": value for member, value in zip(members, values, strict=True)})


# 3. Couple. For given states the residuals are affine in the multipliers, r = r0 + A lambda: three evaluations give r0 and A.


class Mechanism:
    """A fixed point, the screw and a body, at one moment: the body has travelled by 0.2 m."""

    def __init__(self, folder: Path) -> None:
        travel = 0.2
        self.ground = Part(folder / "fmi2" / "planar.Fixed.fmu", {})
        start = {"m": MASS, "I": INERTIA, "gy": -GRAVITY, "x": travel, "theta": travel / PITCH}
        self.body = Part(folder / "fmi2" / "planar.Body1.fmu", start)
        self.screw = Part(folder / "fmi2" / "Screw.fmu", {"pitch": PITCH}, ideal=True)
        pass_on(self.ground, "p1", MOTION, self.screw, "M")
        pass_on(self.body, "p1", MOTION, self.screw, "N")

    def residuals(self, multipliers: np.ndarray) -> np.ndarray:
        self.screw.set({"lambda[1]": multipliers[0], "lambda[2]": multipliers[1]})
        fx, fy, cz = self.screw.get(*(f"N.{member}" for member in WRENCH))
        self.body.set({"p1.Fx": fx + FORCE, "p1.Fy": fy, "p1.Cz": cz})
        pass_on(self.body, "p1", MOTION, self.screw, "N")
        return self.screw.get("residual[1]", "residual[2]")

    def solve(self) -> np.ndarray:
        """The multipliers for which the residuals vanish; the mechanism is left with them in effect."""
        r0 = self.residuals(np.zeros(2))
        A = np.column_stack([self.residuals(unit) - r0 for unit in np.eye(2)])
        multipliers = np.linalg.solve(A, -r0)
        print(f"largest residual: {np.abs(self.residuals(multipliers)).max():.1e} m/s2")
        return multipliers


def main() -> None:
    parser = argparse.ArgumentParser(description="A joint of one's own, from its declaration to the acceleration of a body on it.")
    parser.add_argument("--out", type=Path, default=Path("build/own_joint"), help="folder for the FMUs (default: build/own_joint)")
    folder = parser.parse_args().out
    build(folder)
    mechanism = Mechanism(folder)
    guide, _ = mechanism.solve()
    acceleration, angular = mechanism.body.get("p1.ax", "p1.alpha")
    expected = FORCE / (MASS + INERTIA / PITCH**2)
    print(f"acceleration: {acceleration:.12f} m/s2, closed form F/(m + I/pitch^2): {expected:.12f} m/s2")
    print(f"angular acceleration: {angular:.12f} rad/s2, closed form a/pitch: {expected / PITCH:.12f} rad/s2")
    print(f"force of the guide: {guide:.12f} N, closed form m g: {MASS * GRAVITY:.12f} N")


if __name__ == "__main__":
    main()
