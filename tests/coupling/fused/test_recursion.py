"""Trees of blocks are eliminated from the leaves to the root: what the FMUs say, with as many operations for each block, however many there are."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from coupling import System
from coupling.fused import written
from coupling.fused.coded import tapes_of
from coupling.fused.elimination import Order
from coupling.fused.lowering import lower
from coupling.fused.recursion import cut_between_blocks
from coupling.fused.roots import recursive_derivatives
from coupling.fused.stages import divided
from coupling.fused.taped import Stages
from coupling.kernel.equations.fused import Stage, fuse, report
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import Built
from tests.coupling.live.test_stabilisation import four_bars
from tests.support.fused.agreement import ALLOWED, random_point

ROD = {"Ixx": 0.02, "Iyy": 0.08, "Izz": 0.09, "Ixy": 0.01, "rx": 0.5, "ry": 0.1, "C1.rx": 1.0, "C2.rx": 0.7, "C2.rz": 0.2, "gx": 1.0}
HINGES = ({"P.zx": 0.3, "P.zy": 1.0}, {"P.zz": 1.0, "P.xx": 0.6, "P.xy": 0.8})


def chain(links: int) -> System:
    system = System(f"chain of {links}")
    system.add("ground", "spatial.Fixed")
    before = "ground.p1"
    for i in range(links):
        system.add(f"rod{i}", "spatial.RevoluteBody", {**ROD, **HINGES[i % 2], "q": 0.1 * i, "qd": 0.2})
        system.connect(before, f"rod{i}.P")
        before = f"rod{i}.C1"
    return system


def branching() -> System:
    """Returns a tree with slides and welds, springs, dampers and an actuator that is driven."""
    system = chain(3)
    system.add("slide", "spatial.PrismaticBody", {**ROD, "k": 30.0, "b": 2.0, "q": 0.2})
    system.drive("slide.force", np.sin)
    system.add("weld", "spatial.WeldedBody", ROD)
    system.add("hand", "spatial.RevoluteBody", {**ROD, **HINGES[0], "k": 4.0, "b": 0.3})
    for parent, child in (("rod0.C2", "slide.P"), ("slide.C1", "weld.P"), ("weld.C2", "hand.P")):
        system.connect(parent, child)
    return system


def planar() -> System:
    system = System("planar")
    system.add("ground", "planar.Fixed")
    for i, parent in enumerate(("ground.p1", "arm0.C1", "arm0.C1", "arm1.C2", "arm3.C1", "arm4.C1", "arm5.C2")):
        system.add(f"arm{i}", "planar.RevoluteBody", {"rx": 0.5, "C1.rx": 1.0, "C2.rx": 0.8, "q": 0.3 * i})
        system.connect(parent, f"arm{i}.P")
    return system


def differences(built: Built, evaluation: str, points: int = 5) -> list[float]:
    """Returns the differences of derivatives at random states, relative to the greatest, from a workspace that is full of NaN at first."""
    run, random, found = Run(stop_time=1.0, evaluation=evaluation), np.random.default_rng(1), list[float]()
    with start(compile_program(built, []), Running(run=run)) as session:
        for _ in range(points):
            t, x = random_point(session, random)
            ours, theirs = np.full(len(x), np.nan), np.full(len(x), np.nan)
            begin_fused(session)
            session.kernel.derivatives(t, x, ours)
            done = report(session.kernel)
            assert (done.evaluations, done.handed, done.by_rows) == (1, 0, 0)
            fuse(session.kernel, None)
            session.kernel.derivatives(t, x, theirs)
            found.append(float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    return found


@pytest.mark.parametrize(
    "make",
    [*(pytest.param(each, marks=pytest.mark.slow) for each in (lambda: chain(4), branching)), planar],
    ids=["chain", "branching", "planar"],
)
@pytest.mark.parametrize("evaluation", ["tape", "compiled"])
def test_derivatives_are_those_of_the_fmus(make, evaluation):
    built = make().build(communication=False)
    assert set(tapes_of(built).orders) == {Order.ALONE}
    assert max(differences(built, evaluation)) < 10 * ALLOWED


@pytest.mark.slow
def test_loops_over_links_give_the_same(monkeypatch):
    monkeypatch.setattr(written, "STRAIGHT", 0)
    assert max(differences(chain(5).build(communication=False), "compiled")) < 10 * ALLOWED


def operations(links: int) -> int:
    cut = cut_between_blocks(chain(links).build(communication=False))
    assert cut
    lowered = lower(cut.built)
    stages = divided(lowered.graph, recursive_derivatives(lowered, cut.pivots, others=()), lowered.derivatives)
    return sum(len(nodes) for stage, nodes in stages.items() if stage is not Stage.PREPARE)


@pytest.mark.slow
def test_the_effort_grows_with_the_number_of_links():
    """Every link between two others takes as many operations, not many more than an articulated-body algorithm written by hand does."""
    counts = [operations(links) for links in (6, 12, 18)]
    assert counts[2] - counts[1] == counts[1] - counts[0] < 6 * 1050


@pytest.mark.slow
def test_parameters_are_numbered_as_in_the_equations_of_the_fmus():
    """Jacobians, which follow from these, begin with the same numbers."""
    built = branching().build(communication=False)
    cut = cut_between_blocks(built)
    assert cut
    ours, theirs = lower(cut.built), lower(built)
    assert (ours.parameters, ours.discrete) == (theirs.parameters, theirs.discrete)


@pytest.mark.slow
def test_joints_with_multipliers_and_short_trees_are_solved_as_the_fmus_have_it():
    assert cut_between_blocks(four_bars(1).build(communication=False)) is None
    assert cut_between_blocks(chain(2).build(communication=False)) is None


def test_a_pose_in_which_nothing_resists_is_for_the_fmus():
    """A point mass that is free to move along a circle about the second of two joints, between which there is no mass: straight, nothing resists the first."""
    system = System("massless")
    massless = {"m": 0.0, "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0}
    system.add("ground", "spatial.Fixed")
    system.add("link", "spatial.RevoluteBody", {**massless, "C1.rx": 1.0})
    system.add("mass", "spatial.RevoluteBody", {**massless, "m": 1.0, "rx": 1.0, "q": 1.0})
    before = "ground.p1"
    for i in range(3):
        system.add(f"rod{i}", "spatial.RevoluteBody", {**ROD, **HINGES[0]})
        system.connect(before, f"rod{i}.P")
        before = f"rod{i}.C1"
    system.connect(before, "link.P")
    system.connect("link.C1", "mass.P")
    built = system.build(communication=False)
    with start(compile_program(built, []), Running(run=Run(stop_time=1.0, evaluation="tape"))) as session:
        begin_fused(session)
        derivatives = np.zeros(10)
        for bent, by_fmus in ((1.0, 0), (0.0, 1)):
            session.kernel.derivatives(0.0, np.array([0.3, 0.1, bent, 0.2, *np.full(6, 0.1)]), derivatives)
            assert report(session.kernel).by_rows == by_fmus


def balanced(blocks: int) -> Built:
    system = System(f"tree of {blocks}")
    system.add("ground", "planar.Fixed")
    free = ["ground.p1"]
    for i in range(blocks):
        system.add(f"arm{i}", "planar.RevoluteBody", {"q": 0.1 * (-1) ** i})
        system.connect(free.pop(0), f"arm{i}.P")
        free += [f"arm{i}.C1", f"arm{i}.C2"]
    return system.build(communication=False)


def test_loops_over_a_tree_have_few_shapes_more_for_twice_as_many_blocks():
    """The loops have the shapes of one more level. The code checks what is left of all pivots, but each belongs to the block that was
    eliminated."""
    few, many = (
        Stages(balanced(blocks)).written(partial(written.as_c, straight=0)).text.count("static const int *loop_") for blocks in (15, 31)
    )
    assert few < many <= few + 12
