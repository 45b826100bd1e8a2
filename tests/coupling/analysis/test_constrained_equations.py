"""Equations after each constraint: the matrices that the paper on the successive algorithm prints, and the accelerations of the FMUs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import AnalysisError, System
from fmu_components.planar.Body import Body1
from tests.support.systems.rolling import INERTIA, MASS, RADIUS, disc, eccentric_disc, hinge, plank
from tests.support.systems.systems import pendulum, refusal

G = 9.81
PRINTED = {
    0: {"H": [[1, 0], [0, 0], [0, 1]], "D": [[1, 0], [0, 0], [0, 1]], "C": [[MASS, 0, 0], [0, 0, INERTIA]], "f": [0, 0]},
    1: {"H": [[RADIUS], [-1]], "D": [[RADIUS], [0], [-1]], "C": [[RADIUS * MASS, 0, -INERTIA]], "f": [0]},
}
"""The paper's section 4, by stage, for numbers."""


def test_the_disc_has_the_printed_matrices():
    """beta is exact. The other matrices are the printed ones after a change of the basis of free directions: D_printed = D T, H_printed =
    T_before^-1 H T, C_printed = T'C and f_printed = T'f. T holds the printed components of the velocities that name our directions."""
    stages = disc(height=RADIUS, gx=0.0, gy=-G, vx=0.0).constraint_stages()
    assert stages.A.values.tolist() == [[MASS, 0, 0], [0, MASS, 0], [0, 0, INERTIA]]
    assert stages.h.values.tolist() == [0, -MASS * G, 0]
    assert [each.beta.values.tolist() for each in stages] == [[0, 1, 0], [1, RADIUS]]
    before = np.eye(3)
    for number, stage in enumerate(stages):
        printed = {name: np.array(value, dtype=float) for name, value in PRINTED[number].items()}
        T = printed["D"][[stage.D.rows.index(name) for name in stage.D.columns]]
        assert np.asarray(stage.D) @ T == pytest.approx(printed["D"], abs=1e-14)
        assert np.linalg.inv(before) @ np.asarray(stage.H) @ T == pytest.approx(printed["H"], abs=1e-14)
        assert T.T @ np.asarray(stage.C) == pytest.approx(printed["C"], abs=1e-14)
        assert T.T @ np.asarray(stage.f) == pytest.approx(printed["f"], abs=1e-14)
        before = T
    assert stages[1].D.columns == ("disc.omega",) and stages[1].beta.rows == ("disc.vx", "disc.omega")


def test_full_and_reduced_equations_have_the_printed_counts_and_names():
    """The paper counts 2 n equations in the full form, n in the reduced one, at each stage."""
    first, second = disc(height=RADIUS, vx=0.0).constraint_stages()
    for stage in (first, second):
        assert stage.full.matrix.values.shape == (6, 6) and stage.reduced.matrix.values.shape == (3, 3)
    assert second.reduced.matrix.rows == ("disc.omega", "plane.lambda[1]", "grip.lambda[1]")
    assert second.full.matrix.rows[3:] == ("plane.lambda[1]", "grip.lambda[1]", "ideal(disc.omega)")
    assert second.full.right.rows == second.full.matrix.rows
    lines = str(second.reduced.matrix).splitlines()
    assert lines[0].split() == ["disc.der(vx)", "disc.der(vy)", "disc.der(omega)"]
    assert lines[1].split() == ["disc.omega", "-0.6", "0", "0.09"]
    assert str(second.beta).splitlines() == ["disc.vx       1", "disc.omega  0.3"]


def gyroscope() -> System:
    """Returns a body in space that spins on a spherical joint, about no principal axis; its tensor of inertia is full."""
    system = System("gyroscope")
    system.add("ground", "spatial.Fixed")
    tensor = {"Ixx": 0.2, "Iyy": 0.3, "Izz": 0.4, "Ixy": 0.05}
    system.add(
        "top", "spatial.Body1", {**tensor, "p1.rx": -0.5, "x": 0.5, "omegax": 3.0, "omegay": -1.0, "omegaz": 2.0, "vy": 1.0, "vz": 0.5}
    )
    hinge(system, "ball", "ground.p1", "top.p1", "spatial.Spherical")
    return system


@pytest.mark.parametrize("made", [eccentric_disc, plank, gyroscope])
def test_both_forms_give_the_accelerations_of_the_fmus(made: Callable[[], System]):
    """The last stage is the whole system; reactions of the full form are A a - h. The plank has redundant constraints."""
    stages = made().constraint_stages()
    last = stages[-1]
    names = last.full.matrix.columns[: len(stages.A.rows)]
    run = made().simulate(0.0, outputs=list(names))
    expected = {name: float(run[name][0]) for name in names}
    full, reduced = last.full.solve(), last.reduced.solve()
    assert reduced == pytest.approx(expected, abs=1e-11)
    assert {name: full[name] for name in names} == pytest.approx(expected, abs=1e-11)
    reactions = np.asarray(stages.A) @ list(expected.values()) - np.asarray(stages.h)
    assert [full[f"reaction({name})"] for name in names] == pytest.approx(reactions, abs=1e-10)
    assert np.asarray(last.D).T @ reactions == pytest.approx(np.zeros(len(last.D.columns)), abs=1e-10)


class Silent(Body1):
    """Silent body, which does not give its energy under the name that counts."""

    def output(self, name, *rest, **options):
        return super().output(name.replace("energy.kinetic", "work"), *rest, **options)


def test_an_unknown_mass_matrix_is_refused_by_name():
    """Free directions need no masses; matrices with masses need the kinetic energy of every instance that a constraint moves."""
    system = System("bead")
    system.add("ground", "planar.Fixed")
    system.add("bead", Silent, {"x": 1.0})
    hinge(system, "rod", "ground.p1", "bead.p1", "planar.ConnectingRod")
    (stage,) = system.constraint_stages()
    assert stage.beta.values.tolist() == [1, 0, 0] and stage.D.columns == ("bead.vy", "bead.omega")
    assert refusal(lambda: stage.C, AnalysisError) == (
        "the mass matrix is not known, since no 'energy.kinetic' gives the inertia that belongs to 'bead.vx'; beta, H and D do not need it"
    )


def test_an_unknown_that_belongs_to_no_constraint_is_refused_by_name():
    """The acceleration of a block is among the unknowns, without a constraint of its own."""
    system = System("arm")
    system.add("ground", "planar.Fixed")
    system.add("arm", "planar.RevoluteBody", {"C1.rx": 1.0})
    system.add("post", "planar.Fixed", {"p1.rx": 1.0})
    system.connect("ground.p1", "arm.P")
    hinge(system, "guide", "post.p1", "arm.C1", "planar.TranslationalRevolute")
    stages = system.constraint_stages()
    assert refusal(lambda: stages[0].beta, AnalysisError) == ("the free directions are not known, since no velocity belongs to 'arm.qdd'")


def test_numbers_of_a_named_matrix_are_copies():
    """A change of the array that np.asarray returns leaves the matrix as it is."""
    D = pendulum().constraint_stages()[-1].D
    numbers = np.asarray(D)
    numbers[:] = 7.0
    assert D.columns == ("rod.omega",) and D.values[-1, 0] == 1.0
