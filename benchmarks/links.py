"""Chains and trees of links in space as compiled code, against Pinocchio's articulated-body algorithm and Exudyn's kinematic tree: time of one evaluation.

Links are either blocks, with the angles of their hinges as states, or bodies with absolute coordinates on joints with multipliers. An evaluation gives all
accelerations from all states; those of Pinocchio are at the same poses and rates, which are random, and the greatest difference is shown. All
take turns, so that a busy machine slows all of them; the least of many times counts. Both are called from Python, which for few links is much of the
time: what a call costs of Pinocchio's for no links, and here for the ground alone, is taken off in the last but one of the ratios, "inside". Pinocchio's data has tensors of the third power of the
number of links: for more than 200 the time that it takes for each of 200 is compared. Exudyn's time is that of steps of a fixed size by Runge and
Kutta's method, per evaluation.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import space  # noqa: E402
import trees  # noqa: E402

from coupling import System  # noqa: E402
from coupling.live.fused import begin_fused  # noqa: E402
from coupling.live.program import compile_program  # noqa: E402
from coupling.live.session import Session  # noqa: E402
from coupling.live.start import start  # noqa: E402
from coupling.options import Run  # noqa: E402

WAYS: dict[str, bool | str] = {"FMUs": False, "tape": "tape", "compiled": True}


@dataclass(frozen=True)
class Kind:
    """Links that hang on each other."""

    name: str
    blocks: bool
    branches: int

    def system(self, links: int) -> System:
        return trees.tree(links, self.branches) if self.blocks else space.system(links)

    def parents(self, links: int) -> list[int]:
        """By link, the one that it hangs on; -1 of the first."""
        return [(i - 1) // self.branches for i in range(links)]


KINDS = (Kind("chain of blocks", True, 1), Kind("tree of blocks", True, 2), Kind("chain of joints", False, 1))


class Pinocchio:
    """The same links in relative coordinates."""

    def __init__(self, parents: Sequence[int], angles: np.ndarray, rates: np.ndarray) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pin.Model()
        self.model.gravity = pin.Motion(np.array(space.GRAVITY), np.zeros(3))
        inertia = pin.Inertia(space.ROD["m"], np.array((0.5, 0, 0)), np.diag([space.ROD[f"I{axis}{axis}"] for axis in "xyz"]))
        depth: list[int] = []
        for i, parent in enumerate(parents):
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
            place = pin.SE3(np.eye(3), np.array((1.0 if parent >= 0 else 0.0, 0, 0)))
            hinge = pin.JointModelRZ() if depth[i] % 2 else pin.JointModelRY()
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
        """What bodies with absolute coordinates have at the same pose, by name and body, and the accelerations of their centres."""
        pin = self.pin
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.evaluate())
        rows: list[list[float]] = []
        for joint in range(1, self.model.njoints):
            centre = pin.SE3(np.eye(3), np.array((0.5, 0, 0)))
            pose, motion, change = self.data.oMi[joint] * centre, centre.actInv(self.data.v[joint]), centre.actInv(self.data.a[joint])
            turn, spin = pose.rotation, pose.rotation @ motion.angular
            linear = change.linear + np.cross(motion.angular, motion.linear)
            x, y, z, w = pin.Quaternion(turn).coeffs()
            rows.append([*pose.translation, w, x, y, z, *(turn @ motion.linear), *spin, *(turn @ linear)])
        return dict(zip(("x", "y", "z", "q0", "q1", "q2", "q3", "vx", "vy", "vz", *_SPINS, *_GAINS), np.array(rows).T, strict=True))


_SPINS, _GAINS = ("omegax", "omegay", "omegaz"), ("ax", "ay", "az")


def states_of(session: Session) -> dict[tuple[str, str], int]:
    """The place of each state, by instance and name."""
    return {
        (part.name, part.fmu.by_reference[reference].name): part.first_state + i
        for part in session.built.parts
        for i, reference in enumerate(part.states)
    }


def misfit(kind: Kind, session: Session, other: Pinocchio, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, float]:
    """The states at the pose, and the greatest difference of accelerations relative to the greatest of them."""
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


def least(evaluations: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """The least time of each, of batches that take turns."""
    found, batch = [np.inf] * len(evaluations), [1] * len(evaluations)
    end = time.perf_counter() + seconds * len(evaluations)
    while time.perf_counter() < end:
        for i, evaluate in enumerate(evaluations):
            began = time.perf_counter()
            for _ in range(batch[i]):
                evaluate()
            taken = time.perf_counter() - began
            found[i] = min(found[i], taken / batch[i])
            batch[i] = max(1, min(2 * batch[i], int(2e-3 / found[i])))
    return found


def no_links(stack: ExitStack) -> list[Callable[[], object]]:
    """Calls as those that are compared, here for the ground alone, of Pinocchio for an empty model."""
    import pinocchio as pin

    system = System("ground")
    system.add("ground", "spatial.Fixed")
    run = Run(stop_time=1.0, compiled=False)
    session = stack.enter_context(start(compile_program(system.build(communication=False), run.outputs), run, {}))
    model, none = pin.Model(), np.zeros(0)
    data = model.createData()
    return [lambda: session.kernel.derivatives(0.0, none, none), lambda: pin.aba(model, data, none, none, none)]


def exudyn_seconds(links: int, steps: int = 200) -> float:
    """Of one evaluation of the chain as a kinematic tree: four make a step."""
    return space.tree_steps(links, steps) / (4 * steps)


def row(kind: Kind, links: int, way: str, seconds: float, with_exudyn: bool) -> None:
    with ExitStack() as stack:
        built = kind.system(links).build(communication=False)
        run = Run(stop_time=1.0, rtol=1e-6, outputs=["rod0.*"], output_times=[1.0], compiled=WAYS[way])
        began = time.perf_counter()
        session = stack.enter_context(start(compile_program(built, run.outputs), run, {}))
        begin_fused(session)
        ready = time.perf_counter() - began
        random, compared = np.random.default_rng(1), min(links, space.MOST_RELATIVE)
        angles, rates, off = random.uniform(-0.5, 0.5, links), random.uniform(-0.5, 0.5, links), np.nan
        x, dx = session.x.copy(), np.zeros(built.states)
        evaluations: list[Callable[[], object]] = [lambda: session.kernel.derivatives(0.0, x, dx)]
        if importlib.util.find_spec("pinocchio"):
            other = Pinocchio(kind.parents(compared), angles[:compared], rates[:compared])
            if compared == links:
                x, off = misfit(kind, session, other, angles, rates)
            evaluations += [other.evaluate, *no_links(stack)]
        ours, *theirs = least(evaluations, seconds)
        print(f"{kind.name:18}{way:10}{links:6}{1e6 * ours / links:12.3f}{ready:9.2f}", end="")
        if theirs:
            here, there = ours / links, theirs[0] / compared
            inside = (here - theirs[1] / links) / (there - theirs[2] / compared)
            print(f"{1e6 * there:14.3f}{here / there:8.2f}{inside:8.2f}{off:10.1e}", end="")
        if with_exudyn and kind.branches == 1:
            tree = exudyn_seconds(links)
            print(f"{1e6 * tree / links:12.3f}{ours / tree:8.2f}", end="")
        print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[10, 100, 1000], help="how many (default 10 100 1000)")
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=["compiled"], help="of an evaluation (default: compiled)")
    parser.add_argument(
        "--kinds", choices=[kind.name for kind in KINDS], nargs="+", default=[kind.name for kind in KINDS], help="default: all"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of evaluations of each (default 2)")
    parser.add_argument("--no-exudyn", action="store_true", help="leave Exudyn out")
    options = parser.parse_args()
    with_exudyn = not options.no_exudyn and importlib.util.find_spec("exudyn") is not None
    print(
        f"{'':18}{'by':10}{'links':>6}{'us/link':>12}{'start s':>9}{'Pinocchio':>14}{'ratio':>8}{'inside':>8}{'off by':>10}{'Exudyn':>12}{'ratio':>8}"
    )
    for kind in (kind for kind in KINDS if kind.name in options.kinds):
        for way in options.ways:
            for links in options.links:
                row(kind, links, way, options.seconds, with_exudyn)


if __name__ == "__main__":
    main()
