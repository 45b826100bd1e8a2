"""Outputs of flexible parts against closed forms: a cantilever under a small load across its end, and a torque along it."""

from __future__ import annotations

import numpy as np
import pytest

from jourdain import System, flexible_body
from tests.support.flexible.meshes import beams

LENGTH, STIFFNESS, LOAD = 2.0, 50.0, 1e-4
"""Length in m, E I in N m2, and load in N, by which the beam bends by 3e-6 of its length."""
PLACES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
MOMENTS = LOAD * LENGTH * (1 - PLACES)
"""Sizes of the bending moment at the places of its outputs."""
FIBRE = 0.02
MIDDLE = 5 / 48 - 1 / 6
"""Deflection of the middle from the chord by F L^3/(E I): that of the middle less half that of the end."""
SECTION = {"rho": 100.0, "A": 1e-2, "E": 1e4, "L": LENGTH}


def loaded(part: str | type, values: dict[str, float], ends: tuple[str, str], load: dict[str, float], *, welded: bool):
    """Returns the run at rest of a part that is held at its first end and loaded at its second end."""
    family = "planar" if isinstance(part, str) and part.startswith("planar") else "spatial"
    system = System("cantilever", gravity=(0.0, 0.0, 0.0))
    system.add("wall", f"{family}.Fixed")
    system.add("part", part, values)
    if welded:
        system.join(f"{family}.Weld", "wall.p1", f"part.{ends[0]}", name="weld")
    else:
        system.connect("wall.p1", f"part.{ends[0]}")
    system.add("load", f"{family}.Wrench", load)
    system.connect("load.M", f"part.{ends[1]}")
    return system.simulate(1e-6, initial=system.equilibrium())


@pytest.mark.parametrize("part", ["planar.Beam2", "planar.Beam3", "planar.Beam5", "planar.WeldedBeam2", "planar.WeldedBeam3"])
def test_a_beam_in_the_plane_shows_moments_and_strains(part: str) -> None:
    """The moment falls along the beam to zero at the load, the strain is M y/(E I), and the energy is half the work of the load."""
    values, welded = SECTION | {"I": STIFFNESS / SECTION["E"], "fibre": FIBRE}, "Welded" in part
    run = loaded(
        part, values | ({} if welded else {"x": LENGTH / 2}), ("P", "C1") if welded else ("p1", "p2"), {"Fy": LOAD}, welded=not welded
    )
    assert [run[f"part.moment[{k}]"][0] for k in range(1, 6)] == pytest.approx(MOMENTS, abs=1e-8 * LOAD)
    assert [run[f"part.strain[{k}]"][0] for k in range(1, 6)] == pytest.approx(-FIBRE * MOMENTS / STIFFNESS, abs=1e-15)
    scale = LOAD * LENGTH**3 / STIFFNESS
    assert run["part.middle"][0] == pytest.approx(MIDDLE * scale, rel=1e-8)
    assert run["part.bent"][0] == pytest.approx(abs(MIDDLE) * scale / LENGTH, rel=1e-8)
    assert run["part.energy.elastic"][0] == pytest.approx(LOAD * scale / 6, rel=1e-8)


def test_a_beam_in_space_shows_moments_torque_and_strains() -> None:
    """Loads along both axes and a torque: bending about z by the force along y, about y by that along z, and the strains add up.

    The twist of 1.6e-5 rad turns the planes of bending as much.
    """
    section = {"Iz": STIFFNESS / 1e4, "Iy": 2 * STIFFNESS / 1e4, "It": STIFFNESS / 1e4, "G": 1e4, "fibre.y": FIBRE, "fibre.z": 2 * FIBRE}
    load = {"Fy": LOAD, "Fz": -3 * LOAD, "Cx": 4 * LOAD}
    run = loaded("spatial.Beam", SECTION | section | {"x": LENGTH / 2}, ("p1", "p2"), load, welded=True)
    about_z, about_y = MOMENTS, 3 * MOMENTS  # a force along -z turns about +y, seen from the clamp
    assert [run[f"part.moment.z[{k}]"][0] for k in range(1, 6)] == pytest.approx(about_z, abs=5e-5 * LOAD)
    assert [run[f"part.moment.y[{k}]"][0] for k in range(1, 6)] == pytest.approx(about_y, abs=5e-5 * LOAD)
    assert [run[f"part.torque[{k}]"][0] for k in range(1, 6)] == pytest.approx([4 * LOAD] * 5, rel=1e-5)
    strain = -FIBRE * about_z / STIFFNESS + 2 * FIBRE * about_y / (2 * STIFFNESS)
    assert [run[f"part.strain[{k}]"][0] for k in range(1, 6)] == pytest.approx(strain, abs=4e-12)
    scale = LOAD * LENGTH**3 / STIFFNESS
    assert (run["part.middle.y"][0], run["part.middle.z"][0]) == pytest.approx((MIDDLE * scale, -1.5 * MIDDLE * scale), rel=1e-5)
    assert run["part.bent"][0] == pytest.approx(np.hypot(1, 1.5) * abs(MIDDLE) * scale / LENGTH, rel=1e-5)
    energy = LOAD * scale / 6 * (1 + 9 / 2) + (4 * LOAD) ** 2 * LENGTH / (2 * STIFFNESS)
    assert run["part.energy.elastic"][0] == pytest.approx(energy, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("root", ["P", None])
def test_a_body_shows_displacements_and_stresses_at_named_points(root: str | None) -> None:
    """Its middle and its end are where Euler's beam has them, and a row of the turns of two nodes gives the stress M z/I between them."""
    n, E = 8, 2e3
    nodes = np.zeros((n + 1, 3))
    nodes[:, 0] = np.linspace(0, LENGTH, n + 1)
    K, M, _ = beams(nodes, bending=(STIFFNESS, 2 * STIFFNESS), axial=1e5, torsion=STIFFNESS)
    row = np.zeros(6 * (n + 1))
    row[[6 + 4, 4]] = E * FIBRE / (LENGTH / n) * np.array([1.0, -1.0])  # E z times the change of the turn about y
    points = {"middle": n // 2, "quarter": n // 4}
    made = flexible_body(K, M, nodes, {"P": 0, "tip": n}, name="Cantilever", root=root, inner=0, points=points, stress={"bending": row})
    values = {} if root else {"x": LENGTH / 2}
    run = loaded(made, values | {"gz": 0.0}, ("P", "tip"), {"Fz": LOAD}, welded=not root)
    scale = LOAD * LENGTH**3 / STIFFNESS
    assert run["part.at.middle.z"][0] == pytest.approx(5 / 48 * scale, rel=1e-6)
    assert run["part.at.quarter.z"][0] == pytest.approx(11 / 384 * scale, rel=1e-6)
    assert run["part.tip.z"][0] == pytest.approx(scale / 3, rel=1e-6)
    moment = -LOAD * LENGTH * (1 - 0.5 / n)  # about y, amid the first element
    assert run["part.stress.bending"][0] == pytest.approx(E * FIBRE * moment / STIFFNESS, rel=1e-6)
    assert run["part.energy.elastic"][0] == pytest.approx(LOAD * scale / 6, rel=1e-6)
