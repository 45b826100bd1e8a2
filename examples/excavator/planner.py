"""The planner: a digging path of the bucket, and from it the wanted lengths of the cylinders. An FMU whose behaviour is Python code.

PythonFMU packs this file and ``arm.py`` into an FMU for Co-Simulation of FMI 2.0. Its outputs hold at the end of each step.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from math import radians

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status

from excavator.arm import CYLINDERS, Moving, OutOfReach, cylinder_lengths, placed

# 1. The path: from pose to pose, at rest in each. Between two of them all coordinates follow the polynomial of fifth degree whose first
# and second derivatives vanish at both ends.


@dataclass(frozen=True)
class Pose:
    """The place of the bucket's tip from the pin of the bucket, and the direction in which the bucket points."""

    tip: complex
    angle: float


def digging_path(depth: float) -> list[tuple[float, Pose]]:
    """The seconds that each move takes, and the pose to which it leads."""
    start = Pose(2.65 + 0.40j, radians(-90))
    return [
        (0.0, start),
        (0.5, start),
        (1.5, Pose(2.60 + 0.02j, radians(-100))),
        (1.5, Pose(2.40 - 1j * depth, radians(-115))),
        (4.0, Pose(1.50 - 1j * depth, radians(-140))),
        (2.0, Pose(1.35 + 0.00j, radians(-185))),
        (2.0, Pose(1.45 + 0.90j, radians(-190))),
    ]


class DiggingPath:
    """The motion of the bucket over time."""

    def __init__(self, depth: float) -> None:
        moves = digging_path(depth)
        self.arrivals = list(accumulate(seconds for seconds, _ in moves))
        self.poses = [pose for _, pose in moves]

    @property
    def duration(self) -> float:
        return self.arrivals[-1]

    def bucket(self, time: float) -> tuple[Moving, float, float]:
        """The tip, and the angle of the bucket with its rate."""
        leg = min(max(bisect_right(self.arrivals, time), 1), len(self.poses) - 1)
        begin, seconds = self.arrivals[leg - 1], self.arrivals[leg] - self.arrivals[leg - 1]
        s = min(max((time - begin) / seconds, 0.0), 1.0)
        way, speed = s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2 / seconds
        a, b = self.poses[leg - 1], self.poses[leg]
        tip = Moving(a.tip + way * (b.tip - a.tip), speed * (b.tip - a.tip))
        return tip, a.angle + way * (b.angle - a.angle), speed * (b.angle - a.angle)

    def lengths(self, time: float) -> dict[str, tuple[float, float]]:
        """The wanted length of each cylinder, with its rate."""
        return cylinder_lengths(placed(*self.bucket(time)))


# 2. The FMU.


class Planner(Fmi2Slave):
    """The wanted lengths of the cylinders, and the tip that they lead to, at the time that has been reached."""

    def __init__(self, **kwargs) -> None:
        super().__init__(**kwargs)
        self.description = "Plans the motion of a bucket, and the lengths of the cylinders that move it"
        self.depth = 0.35
        self.wanted = DiggingPath(self.depth).lengths(0.0)
        self.tip = DiggingPath(self.depth).bucket(0.0)[0].point
        self.register_variable(
            Real("depth", causality=Fmi2Causality.parameter, variability=Fmi2Variability.fixed, description="depth of the cut in m")
        )
        for name in CYLINDERS:
            self._output(f"{name}.length", lambda name=name: self.wanted[name][0], f"wanted length of the {name} cylinder in m")
            self._output(f"{name}.rate", lambda name=name: self.wanted[name][1], "its rate in m/s")
        self._output("tip.x", lambda: self.tip.real, "x of the wanted tip of the bucket in m")
        self._output("tip.y", lambda: self.tip.imag, "y of the wanted tip of the bucket in m")

    def _output(self, name: str, getter, text: str) -> None:
        self.register_variable(Real(name, causality=Fmi2Causality.output, initial=Fmi2Initial.calculated, getter=getter, description=text))

    def setup_experiment(self, start_time, stop_time=None, tolerance=None) -> None:
        self.time = start_time

    def exit_initialization_mode(self) -> None:
        self.path = DiggingPath(self.depth)
        self._plan(self.time)

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Plans the end of the step; where the arm cannot get there, the step is refused and the log says why."""
        try:
            self._plan(current_time + step_size)
        except OutOfReach as error:
            self.log(f"{self.instance_name}: with depth = {self.depth:g} m {error}", Fmi2Status.discard)
            return False
        return True

    def _plan(self, time: float) -> None:
        self.wanted, self.tip = self.path.lengths(time), self.path.bucket(time)[0].point
