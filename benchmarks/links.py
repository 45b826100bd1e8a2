"""Time of one evaluation of chains and trees of links in space as compiled code, against Pinocchio and Exudyn.

Links are either blocks, with the angles of their hinges as states, or bodies with absolute coordinates on joints with multipliers. An
evaluation gives all accelerations from all states. Pinocchio's articulated-body algorithm runs at the same poses and rates, which are
random, and the greatest difference is shown. All take turns, which spreads the load of a busy machine; the least of many times counts. Both
are called from a loop in C, for which a compiler, Pinocchio's headers and Eigen's are needed (``pip install pin cmeel-eigen``). They are
also called from Python, where for few links much of the time is that of the calls. Pinocchio's data has tensors of the third power of the
number of links. For more than 200 links its time for each of 200 links is compared. Exudyn's time is that of its kinematic tree, per
evaluation in steps of a fixed size by a Runge-Kutta method. Values that cannot be measured are dashes.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import space  # noqa: E402
import trees  # noqa: E402
from links_calls import Calls, Link, NoCalls, Timed  # noqa: E402

from coupling import System  # noqa: E402
from coupling.live.fused import begin_fused, not_compiled  # noqa: E402
from coupling.live.program import compile_program  # noqa: E402
from coupling.live.running import Running  # noqa: E402
from coupling.live.session import Session  # noqa: E402
from coupling.live.start import start  # noqa: E402
from coupling.options import Run  # noqa: E402

WAYS = {"FMUs": "fmus", "tape": "tape", "compiled": "compiled"}


@dataclass(frozen=True)
class Kind:
    """Links that hang on each other."""

    name: str
    blocks: bool
    branches: int

    def system(self, links: int) -> System:
        return trees.tree(links, self.branches) if self.blocks else space.system(links)

    def parents(self, links: int) -> list[int]:
        """Returns for each link the one that it hangs on; -1 for the first."""
        return [(i - 1) // self.branches for i in range(links)]


LINK = Link(space.GRAVITY, 1.0, space.ROD["m"], 0.5, (space.ROD["Ixx"], space.ROD["Iyy"], space.ROD["Izz"]))
KINDS = (Kind("chain of blocks", True, 1), Kind("tree of blocks", True, 2), Kind("chain of joints", False, 1))


def hinges(parents: Sequence[int]) -> list[bool]:
    """Returns for each link whether it turns about z, as every other from the ground on."""
    found: list[bool] = []
    for parent in parents:
        found.append(parent >= 0 and not found[parent])
    return found


class Pinocchio:
    """The same links in relative coordinates."""

    def __init__(self, parents: Sequence[int], angles: np.ndarray, rates: np.ndarray) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pin.Model()
        self.model.gravity = pin.Motion(np.array(LINK.gravity), np.zeros(3))
        inertia = pin.Inertia(LINK.mass, np.array((LINK.centre, 0, 0)), np.diag(LINK.inertia))
        for i, (parent, about_z) in enumerate(zip(parents, hinges(parents), strict=True)):
            place = pin.SE3(np.eye(3), np.array((LINK.length if parent >= 0 else 0.0, 0, 0)))
            hinge = pin.JointModelRZ() if about_z else pin.JointModelRY()
            self.model.addJoint(parent + 1, hinge, place, f"pin{i}")
            self.model.appendBodyToJoint(i + 1, inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.order = [self.model.joints[i + 1].idx_v for i in range(len(parents))]
        self.q, self.v, self.tau = np.empty(len(parents)), np.empty(len(parents)), np.zeros(len(parents))
        self.q[self.order], self.v[self.order] = angles, rates

    def evaluate(self) -> np.ndarray:
        return self.pin.aba(self.model, self.data, self.q, self.v, self.tau)

    def accelerations(self) -> np.ndarray:
        return self.evaluate()[self.order]

    def bodies(self) -> dict[str, np.ndarray]:
        """Returns the states of bodies with absolute coordinates at the same pose, by name and body, and the accelerations of their
        centres."""
        pin = self.pin
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.evaluate())
        rows: list[list[float]] = []
        for joint in range(1, self.model.njoints):
            centre = pin.SE3(np.eye(3), np.array((LINK.centre, 0, 0)))
            pose, motion, change = self.data.oMi[joint] * centre, centre.actInv(self.data.v[joint]), centre.actInv(self.data.a[joint])
            turn, spin = pose.rotation, pose.rotation @ motion.angular
            linear = change.linear + np.cross(motion.angular, motion.linear)
            x, y, z, w = pin.Quaternion(turn).coeffs()
            rows.append([*pose.translation, w, x, y, z, *(turn @ motion.linear), *spin, *(turn @ linear)])
        return dict(zip(("x", "y", "z", "q0", "q1", "q2", "q3", "vx", "vy", "vz", *_SPINS, *_GAINS), np.array(rows).T, strict=True))


_SPINS, _GAINS = ("omegax", "omegay", "omegaz"), ("ax", "ay", "az")


def states_of(session: Session) -> dict[tuple[str, str], int]:
    """Returns the place of each state, by instance and name."""
    return {
        (part.name, part.fmu.by_reference[reference].name): part.first_state + i
        for part in session.built.parts
        for i, reference in enumerate(part.states)
    }


def misfit(kind: Kind, session: Session, other: Pinocchio, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, float]:
    """Returns the states at the pose, and the greatest difference of accelerations relative to the greatest of them."""
    place, x, dx = states_of(session), session.x.copy(), np.zeros(session.built.states)
    given = {"q": angles, "qd": rates} if kind.blocks else other.bodies()
    for name in (name for name in given if name not in _GAINS):
        for i, value in enumerate(given[name]):
            x[place[f"rod{i}", name]] = value
    session.kernel.derivatives(0.0, x, dx)
    wanted = {"qd": other.accelerations()} if kind.blocks else {f"v{axis}": given[f"a{axis}"] for axis in "xyz"}
    expected = np.concatenate(list(wanted.values()))
    found = np.array([dx[place[f"rod{i}", name]] for name, values in wanted.items() for i in range(len(values))])
    return x, float(np.abs(found - expected).max() / np.abs(expected).max())


def from_python(evaluate: Callable[[], object]) -> Timed:
    def timed(count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            evaluate()
        return (time.perf_counter() - began) / count

    return timed


def least(evaluations: Mapping[str, Timed], seconds: float) -> dict[str, float]:
    """Returns the least time of each, of batches that take turns."""
    found, batch = dict.fromkeys(evaluations, np.inf), dict.fromkeys(evaluations, 1)
    end = time.perf_counter() + seconds * len(evaluations)
    while time.perf_counter() < end:
        for name, timed in evaluations.items():
            found[name] = min(found[name], timed(batch[name]))
            batch[name] = max(1, min(2 * batch[name], int(2e-3 / found[name])))
    return found


def exudyn_seconds(links: int, seconds: float) -> float:
    """Returns the seconds of one evaluation of the chain as a kinematic tree, four of which make a step.

    It is the least of runs that are twice as long each, up to 400 steps.
    """
    end, found, steps = time.perf_counter() + seconds, math.inf, 1
    while steps <= 2 or time.perf_counter() < end:
        found = min(found, space.tree_steps(links, steps) / (4 * steps))
        steps = min(2 * steps, 400)
    return found


@dataclass(frozen=True)
class Column:
    title: str
    form: str
    value: Callable[[Mapping[str, float]], float]
    """Function from the measured values of a row to the value of the column; an unknown value is a dash."""

    def text(self, measured: Mapping[str, float]) -> str:
        value = self.value(measured)
        width = int(self.form.split(".")[0])
        return f"{'-':>{width}}" if math.isnan(value) else f"{value:{self.form}}"

    @property
    def head(self) -> str:
        return f"{self.title:>{int(self.form.split('.')[0])}}"


def ratio(name: str, other: str) -> Callable[[Mapping[str, float]], float]:
    return lambda measured: measured[name] / measured[other]


COLUMNS = (
    Column("in C, us", "11.3f", itemgetter("ours in C")),
    Column("Pinocchio", "11.3f", itemgetter("Pinocchio in C")),
    Column("ratio", "7.2f", ratio("ours in C", "Pinocchio in C")),
    Column("Python, us", "12.3f", itemgetter("ours")),
    Column("Pinocchio", "11.3f", itemgetter("Pinocchio")),
    Column("ratio", "7.2f", ratio("ours", "Pinocchio")),
    Column("off by", "9.1e", itemgetter("off")),
    Column("Exudyn", "9.3f", itemgetter("Exudyn")),
    Column("ratio", "7.2f", ratio("ours", "Exudyn")),
    Column("start, s", "10.2f", itemgetter("start")),
)


def row(kind: Kind, links: int, way: str, seconds: float, calls: Calls | None, with_exudyn: bool) -> dict[str, float]:
    """Returns the microseconds for each link, and the other values of a row."""
    with ExitStack() as stack:
        built = kind.system(links).build(communication=False)
        run = Run(stop_time=1.0, rtol=1e-6, outputs=["rod0.*"], output_times=[1.0], evaluation=WAYS[way])
        began = time.perf_counter()
        session = stack.enter_context(start(compile_program(built, run.outputs), Running(run=run)))
        begin_fused(session)
        if why := not_compiled(session):
            print(f"{kind.name}, {links} links: {why}")
        measured = {"start": time.perf_counter() - began}
        random, compared = np.random.default_rng(1), min(links, space.MOST_RELATIVE)
        angles, rates = random.uniform(-0.5, 0.5, links), random.uniform(-0.5, 0.5, links)
        x, dx = session.x.copy(), np.zeros(built.states)
        timed: dict[str, Timed] = {}
        if importlib.util.find_spec("pinocchio"):
            parents = kind.parents(compared)
            other = Pinocchio(parents, angles[:compared], rates[:compared])
            if compared == links:
                x, measured["off"] = misfit(kind, session, other, angles, rates)
            timed["Pinocchio"] = from_python(other.evaluate)
            if calls:
                timed["Pinocchio in C"], found = stack.enter_context(calls.accelerations(LINK, parents, hinges(parents), other.q, other.v))
                timed["Pinocchio in C"](1)
                assert np.allclose(found, other.evaluate(), rtol=1e-9), "Pinocchio has other links in C than in Python"
        timed["ours"] = from_python(lambda: session.kernel.derivatives(0.0, x, dx))
        if calls:
            timed["ours in C"] = calls.derivatives(session, x)
        for name, taken in least(timed, seconds).items():
            measured[name] = 1e6 * taken / (compared if name.startswith("Pinocchio") else links)
        if with_exudyn and kind.branches == 1:
            measured["Exudyn"] = 1e6 * exudyn_seconds(links, seconds) / links
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[10, 100, 1000], help="how many (default 10 100 1000)")
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=["compiled"], help="of an evaluation (default: compiled)")
    parser.add_argument(
        "--kinds", choices=[kind.name for kind in KINDS], nargs="+", default=[kind.name for kind in KINDS], help="default: all"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of evaluations of each (default 2)")
    parser.add_argument("--no-exudyn", action="store_true", help="leave Exudyn out")
    parser.add_argument("--compiler", default="g++", help="for the calls from C (default g++)")
    options = parser.parse_args()
    with_exudyn = not options.no_exudyn and importlib.util.find_spec("exudyn") is not None
    with TemporaryDirectory() as folder:
        try:
            calls: Calls | None = Calls(Path(folder), options.compiler)
        except NoCalls as why:
            calls = None
            print(f"Only from Python: {why}")
        print(f"{'each link':18}{'by':10}{'links':>6}{''.join(column.head for column in COLUMNS)}")
        for kind in (kind for kind in KINDS if kind.name in options.kinds):
            for way in options.ways:
                for links in options.links:
                    measured = defaultdict(lambda: math.nan, row(kind, links, way, options.seconds, calls, with_exudyn))
                    print(f"{kind.name:18}{way:10}{links:6}{''.join(column.text(measured) for column in COLUMNS)}", flush=True)


if __name__ == "__main__":
    main()
