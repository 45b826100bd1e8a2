"""Elastic bodies from finite elements, against sums over nodes, static solutions of the mesh, and published frequencies of rotating beams."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray

from fmu_components.flexible.body import FlexibleBody
from fmu_components.flexible.integrals import Numbers, numbers
from fmu_components.flexible.mesh import mesh_of
from fmu_components.flexible.ports import interfaces
from fmu_components.flexible.reduction import Shapes, port_shapes
from jourdain import MeshError, Patch, System, flexible_body, orientation
from tests.support.components.beams import frequencies
from tests.support.flexible.meshes import beams, brick

Array = NDArray[np.float64]

TUMBLE = {
    0.1: (0.460307649, 0.223856589, -0.103995771, 1.75492276, 3.64752876, 3.41837611, 5.648784071),
    0.3: (0.058204736, 0.448756150, -0.261875557, 1.26261761, 4.44711740, 2.28552970, 5.646088832),
    0.5: (-0.398236450, 0.303412747, -0.152003264, 0.97998332, 4.84011453, 1.26013240, 5.646088832),
    1.0: (0.107072021, -0.391960324, 0.331071758, 0.92715394, 4.92185559, -0.89068873, 5.646088832),
}
"""Place of node 98, angular velocity and energy of the tumbling brick with four free modes: sums over nodal accelerations, without invariants."""


def _push(height: float) -> Callable[[float], float]:
    return lambda t: height * float(np.sin(np.pi * t / 0.2) ** 2) if t < 0.2 else 0.0


@pytest.fixture(scope="module")
def body() -> type[FlexibleBody]:
    """A brick with four free modes, a port at one node, and a stress of 1 MPa for each metre that the node moves along x."""
    K, M, nodes = brick()
    row = np.zeros(len(K))
    row[3 * 98] = 1e6
    return flexible_body(K, M, nodes, {"a": 98}, name="Brick", basis="free", shapes=4, stress={"pull": row})


def _tumbling(body: type[FlexibleBody]) -> System:
    """Returns a brick that turns about all axes and is pushed at its node."""
    system = System("brick")
    system.add("b", body, {"gz": 0.0, "omegax": 2.0, "omegay": 3.0, "omegaz": 4.0})
    system.add("F", "spatial.Wrench")
    system.connect("F.M", "b.a")
    system.drive("F.Fy", _push(0.6))
    system.drive("F.Fz", _push(0.9))
    return system


@pytest.mark.slow
def test_a_force_at_one_node_needs_more_free_modes() -> None:
    """Eight free modes put the node 6 mm from its place by four: a force at one node has a constraint mode of its own."""
    body = flexible_body(*brick(), {"a": 98}, name="Brick8", basis="free", shapes=8)
    run = _tumbling(body).simulate(1.0, solver="dop853", rtol=1e-10, atol=1e-13, output_times=[1.0])
    assert [run[f"b.a.{axis}"][-1] for axis in "xyz"] == pytest.approx([0.100943389, -0.393636073, 0.332047023], abs=1e-8)


def test_a_tumbling_brick_moves_as_its_nodes_do(body: type[FlexibleBody]) -> None:
    assert "Brick: 5.46 kg with the centre (-0.02015, 0, 0) m, 1 m long, 4 shapes of 4.325, 4.681, 11.88, 12.76 Hz." in str(body.__doc__)
    assert body.data.frequencies * body.data.first == pytest.approx([27.17263319, 29.41317224, 74.65947132, 80.14468352], rel=1e-9)
    options = {"solver": "dop853", "rtol": 1e-10, "atol": 1e-13, "output_times": list(TUMBLE), "outputs": ["*", "b.a.ux"]}
    run = _tumbling(body).simulate(1.0, **options)
    for time, expected in TUMBLE.items():
        at = list(run.time).index(time)
        energy = run["b.energy.kinetic"][at] + run["b.energy.elastic"][at]
        found = [*(run[f"b.a.{axis}"][at] for axis in "xyz"), *(run[f"b.w{axis}"][at] for axis in "xyz"), energy]
        assert found == pytest.approx(expected, abs=1e-8)
    assert run["b.stress.pull"] == pytest.approx(1e6 * (run["b.a.ux"] - body.data.size * body.data.ports["a"].place[0]), abs=1e-6)
    assert np.ptp(run["b.stress.pull"]) > 100.0


@pytest.mark.parametrize("unit", ["m", "mm"])
def test_constraint_modes_make_the_static_answer_of_a_clamped_mesh_exact(unit: str) -> None:
    K, M, nodes = brick(counts=(6, 3, 3))
    scale = {"m": (1.0, 1.0), "mm": (1e3, 1e-3)}[unit]
    mesh = mesh_of(K * scale[1], M * scale[1], nodes * scale[0], unit=unit)
    ends = interfaces(
        mesh, {"a": Patch(np.flatnonzero(nodes[:, 0] < -0.49).tolist()), "b": Patch(np.flatnonzero(nodes[:, 0] > 0.49).tolist())}
    )
    load = np.array([1.0, 2.0, -1.0, 0.1, 0.2, 0.3])
    root, tip = ends[0].rows, ends[1].rows
    whole = np.linalg.solve(np.block([[K, root.T], [root, np.zeros((6, 6))]]), np.concatenate([tip.T @ load, np.zeros(6)]))[: len(K)]
    shapes = port_shapes(mesh, ends, 0, None)
    motion = np.hstack([mesh.rigid, shapes.columns])
    stiffness = np.diag([*np.zeros(6), *(mesh.mass * shapes.squares)])
    held = root @ motion
    few = np.linalg.solve(np.block([[stiffness, held.T], [held, np.zeros((6, 6))]]), np.concatenate([(tip @ motion).T @ load, np.zeros(6)]))
    assert tip @ motion @ few[: len(stiffness)] == pytest.approx(tip @ whole, rel=1e-9)


def test_more_inner_modes_bring_frequencies_down_to_those_of_the_mesh() -> None:
    K, M, nodes = brick(counts=(6, 3, 3))
    exact = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[6:9])
    mesh = mesh_of(K, M, nodes)
    ends = interfaces(
        mesh, {"a": Patch(np.flatnonzero(nodes[:, 0] < -0.49).tolist()), "b": Patch(np.flatnonzero(nodes[:, 0] > 0.49).tolist())}
    )
    errors = [(np.sqrt(port_shapes(mesh, ends, inner, None).squares[:3]) / exact - 1).max() for inner in (0, 4, 30)]
    assert errors == sorted(errors, reverse=True)
    assert -1e-9 < errors[-1] < 3e-4


def test_rigid_patches_stiffen() -> None:
    K, M, nodes = brick(counts=(6, 3, 3))
    mesh = mesh_of(K, M, nodes)
    found = [
        port_shapes(mesh, interfaces(mesh, {"a": Patch(np.flatnonzero(nodes[:, 0] > 0.2).tolist(), rigid=rigid)}), 20, None).squares[0]
        for rigid in (False, True)
    ]
    assert found[1] > 1.02 * found[0]
    plate = port_shapes(mesh, interfaces(mesh, {"a": Patch(np.flatnonzero(nodes[:, 0] > 0.2).tolist(), rigid=True)}), 20, None).columns
    ends = plate.reshape(len(nodes), 3, -1)[nodes[:, 0] > 0.2]
    gaps = nodes[nodes[:, 0] > 0.2][1:] - nodes[nodes[:, 0] > 0.2][0]
    stretch = np.einsum("na,nak->nk", gaps, ends[1:] - ends[:1])
    assert np.abs(stretch).max() < 1e-9 * np.abs(ends).max()


def _flapping(elements: int, spin: float) -> Array:
    """Frequencies of flap of a beam clamped to an axis at its root, from the numbers of its body: small motions about steady rotation."""
    nodes = np.zeros((elements + 1, 3))
    nodes[:, 0] = np.linspace(0, 1, elements + 1)
    K, M, geometric = beams(nodes, bending=(1.0, 2.0), axial=1e6, torsion=1.0, polar=3e-6)
    mesh = mesh_of(K, M, nodes, geometric=geometric)
    ends = interfaces(mesh, {"a": 0, "b": elements})
    shapes = port_shapes(mesh, ends, 8, None)
    size = np.abs(shapes.columns.reshape(elements + 1, 6, -1)).max(axis=0)
    flap = size[2] > 10 * np.maximum(np.maximum(size[0], size[1]), size[3])
    data = numbers(mesh, Shapes(shapes.squares[flap], shapes.columns[:, flap]), ends)
    count, m, L, root = int(flap.sum()), data.mass, data.size, data.ports["a"]
    assert root.turns is not None and root.shortens is not None
    turns = root.turns[1] / L
    rise = root.moves[2] + root.turns[1] * root.place[0]
    mass = m * (np.eye(count) + np.outer(rise, rise)) + m * L**2 * data.J0[1, 1] * np.outer(turns, turns)
    return _frequencies(data, shapes.squares[flap], mass, spin)


def _frequencies(data: Numbers, squares: Array, mass: Array, spin: float) -> Array:
    count, m, L, root = len(squares), data.mass, data.size, data.ports["a"]

    def turning(e: Array) -> float:
        """Half of the moment of inertia about the axis through the root."""
        s = e / L
        J = m * L**2 * (data.J0 + np.einsum("kab,k->ab", data.J1, s) + np.einsum("ikab,i,k->ab", data.J2, s, s))
        u = L * root.place + root.moves @ e + np.einsum("aik,i,k->a", root.shortens, e, s)
        angle = -(root.turns @ s)[1]  # type: ignore[operator]
        R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        centre = -R @ u
        return float((m * (centre[0] ** 2 + centre[1] ** 2) + (R @ J @ R.T)[2, 2]) / 2)

    step = 2e-5
    unit = step * np.eye(count)
    curvature = np.array(
        [[turning(a + b) - turning(a - b) - turning(b - a) + turning(-a - b) for a in unit] for b in unit]
    ) / (4 * step**2)  # fmt: skip
    return np.sqrt(scipy.linalg.eigh(np.diag(m * squares) - spin**2 * curvature, mass, eigvals_only=True))


@pytest.mark.parametrize(
    ("spin", "expected", "share"),
    [(0.0, 3.516015, 3e-5), (2.0, 4.137320, 3e-5), (4.0, 5.585001, 3e-5), (8.0, 9.256838, 2e-4), (12.0, 13.17015, 2e-3)],
)
def test_spin_stiffens_the_flap_of_a_beam(spin: float, expected: float, share: float) -> None:
    assert _flapping(20, spin)[0] == pytest.approx(expected, rel=share)


def test_elements_of_a_beam_in_flap_converge() -> None:
    """Ten and twenty elements at a speed of 2."""
    assert [_flapping(elements, 2.0)[0] for elements in (10, 20)] == pytest.approx([4.137225, 4.137312], abs=2e-6)


@pytest.mark.slow
def test_a_welded_leg_of_beams_keeps_its_energy() -> None:
    """Two ports with attitude, second-order terms and a rigid body welded to one of them."""
    nodes = np.zeros((5, 3))
    nodes[:, 0] = np.linspace(0, 1, 5)
    K, M, geometric = beams(nodes, bending=(5.0, 8.0), axial=1e4, torsion=4.0)
    leg = flexible_body(K, M, nodes, {"a": 0, "b": 4}, name="Leg", inner=0, shapes=3, geometric=geometric, points={"middle": 2})
    system = System("leg")
    system.add("leg", leg, {"gz": 0.0, "omegax": 1.0, "omegay": 2.0, "omegaz": 0.7, "shape[1]": 0.01})
    system.add("weld", "spatial.Weld")
    hub = {"m": 0.5, "Ixx": 0.01, "Iyy": 0.02, "Izz": 0.02, "gz": 0.0}
    system.add("hub", "spatial.Body1", hub)
    system.connect("leg.b", "weld.M")
    system.connect("weld.N", "hub.p1")
    run = system.simulate(0.5, solver="dop853", rtol=1e-10, atol=1e-12, initial="assemble")
    energy = run["leg.energy.kinetic"] + run["leg.energy.elastic"] + run["hub.energy.kinetic"]
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert np.ptp(run["leg.energy.elastic"]) > 1e-4 * energy[0]
    assert np.linalg.norm([run[f"leg.at.middle.{axis}"][0] - run[f"leg.{axis}"][0] for axis in "xyz"]) < 0.02


LEG: dict[str, Any] = {"bending": (5.0, 8.0), "axial": 1e4, "torsion": 4.0, "polar": 1.3e-3}
"""Sections of an L of two soft legs of 1 m."""


@pytest.mark.slow
def test_one_body_and_two_welded_legs_are_one_frame() -> None:
    """An L has the frequencies of its mesh, and tumbles as one body of eight shapes and as two of nine that are welded."""
    n, spin = 6, np.array([1.0, 2.0, 0.7])
    leg, ell = np.zeros((n + 1, 3)), np.zeros((2 * n + 1, 3))
    leg[:, 0] = ell[: n + 1, 0] = np.linspace(0, 1, n + 1)
    ell[n:, 0], ell[n:, 1] = 1.0, np.linspace(0, 1, n + 1)
    K, M, geometric = beams(ell, **LEG)
    exact = np.sqrt(np.abs(scipy.linalg.eigh(K, M, eigvals_only=True)))[6:11]
    assert exact == pytest.approx([11.9263, 33.7304, 46.0498, 46.2467, 66.4706], abs=1e-4)
    whole = flexible_body(K, M, ell, {"a": 0, "b": 2 * n}, name="Ell", inner=12, shapes=8, geometric=geometric)
    assert (whole.data.frequencies * whole.data.first)[:5] == pytest.approx([11.928, 33.76, 46.09, 46.30, 66.98], abs=5e-3)
    K, M, geometric = beams(leg, **LEG)
    half = flexible_body(K, M, leg, {"a": 0, "b": n}, name="Leg", inner=3, shapes=9, geometric=geometric)

    def motion(place: list[float]) -> dict[str, float]:
        velocity = np.cross(spin, np.array(place) - [0.75, 0.25, 0.0])
        names = [f"{kind}{axis}" for kind in ("", "v", "omega") for axis in "xyz"]
        return dict(zip(names, [*place, *velocity, *spin], strict=True)) | {"gz": 0.0}

    one = System("one")
    one.add("l", whole, motion([0.75, 0.25, 0.0]))
    two = System("two")
    two.add("p", half, motion([0.5, 0.0, 0.0]))
    two.add("q", half, motion([1.0, 0.5, 0.0]) | orientation((0, 0, 1), np.pi / 2))
    small = {"m": 1e-6, "Ixx": 1e-9, "Iyy": 1e-9, "Izz": 1e-9, "p2.xx": 0.0, "p2.xy": 1.0}
    two.add("corner", "spatial.Body2", motion([1.0, 0.0, 0.0]) | small)
    two.join("spatial.Weld", "p.b", "corner.p1", name="first")
    two.join("spatial.Weld", "corner.p2", "q.a", name="second")
    rest = {f"{name}.{kind}{axis}": 0.0 for name in ("p", "q", "corner") for kind in ("v", "omega") for axis in "xyz"}
    assert frequencies(two.linearise(initial=rest))[:5] == pytest.approx([11.9355, 33.7678, 46.351, 46.6106, 66.787], abs=1e-3)
    runs = [
        one.simulate(1.0, solver="dop853", rtol=1e-9, atol=1e-11),
        two.simulate(1.0, solver="cvode", rtol=1e-9, atol=1e-11),
    ]
    energy = runs[0]["l.energy.kinetic"] + runs[0]["l.energy.elastic"]
    assert np.ptp(energy) < 1e-9 * energy[0] and np.ptp(runs[0]["l.energy.elastic"]) > 1e-3 * energy[0]
    ends = [
        [run[f"{port}.{axis}"][-1] for port in ports for axis in "xyz"]
        for run, ports in zip(runs, (("l.a", "l.b"), ("p.a", "q.b")), strict=True)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1.1e-4)


def _refused(**change: Any) -> str:
    K, M, nodes = brick(counts=(3, 2, 2))
    given: dict[str, Any] = {"K": K, "M": M, "nodes": nodes, "ports": {"a": 0}} | change
    for name, edit in list(given.items()):
        if callable(edit) and name in ("K", "M", "nodes"):
            given[name] = edit({"K": K, "M": M, "nodes": nodes}[name].copy())
    with pytest.raises(MeshError) as caught:
        flexible_body(given.pop("K"), given.pop("M"), given.pop("nodes"), given.pop("ports"), **given)
    return str(caught.value)


def _held(K: Array) -> Array:
    K[0, 0] *= 2
    return K


def _loose(K: Array) -> Array:
    K[15:18] = K[:, 15:18] = 0
    return K


def _light(M: Array) -> Array:
    M[2] = M[:, 2] = 0
    M[2, 2] = 1e-9
    return M


def _negative(M: Array) -> Array:
    M[4, 4] *= -1
    return M


def _skewed(K: Array) -> Array:
    K[3, 7] += 0.1 * abs(K).max()
    return K


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"nodes": lambda x: x[:-1]}, "K has 36 rows, but 11 nodes with 3 dofs each make 33: give the nodes in the order of the matrix"),
        ({"K": lambda K: K[:, :-1]}, "K has 36 rows and 35 columns: give a square matrix"),
        ({"K": _skewed}, r"K is not symmetric: its entries \((3, 7|7, 3)\) and \((3, 7|7, 3)\) are .*: give the whole matrix"),
        ({"K": _held}, "K holds the body to the ground: give the stiffness of the free body, without supports"),
        ({"K": _loose}, r"K .*"),
        ({"M": _light}, r"M has the mass .* along x and .* along z: boundary conditions were applied to it; give that of the free body"),
        ({"M": _negative}, "M is not positive definite: some motion has negative kinetic energy; export the mass matrix again"),
        ({"ports": {"a": 12}}, "port 'a' is at the node 12, which the mesh does not have: give whole numbers from 0 to 11"),
        ({"ports": {"a": 1, "b": [0, 1, 2]}}, "the ports 'a' and 'b' share the node 1: give each port nodes of its own"),
        ({"ports": {"a": [0, 4, 8]}}, r"the 3 nodes of port 'a' are in line, so that it has no turn about this line: add a node beside it"),
        ({"ports": {}}, "the body has no port; name at least one with its nodes, such as ports={'a': 0}"),
        ({"shapes": 30, "inner": 2}, r"30 shapes are asked of a basis of \d+: raise inner to \d+"),
        ({"inner": 100}, r"inner is 100, but with its ports held the mesh has \d+ motions: lower inner"),
        ({"unit": "inch"}, "the unit of the mesh is 'inch'; give 'm' for N, m and kg, or 'mm' for N, mm and tonnes"),
        ({"stress": {"s": [1.0]}}, r"the stress 's' has the shape \(1,\); give a finite number for each of the 36 rows of K"),
    ],
)
def test_what_is_no_free_elastic_body_is_refused(change: dict[str, Any], sentence: str) -> None:
    assert re.fullmatch(sentence, _refused(**change))


def test_a_loose_node_is_named() -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    K, M = (scipy.linalg.block_diag(each, np.eye(3) * size) for each, size in ((K, 0.0), (M, 0.1)))
    with pytest.raises(
        MeshError, match="K lets 8 or more motions go without force, 6 of which are rigid: a mechanism or a loose node, such as node 12"
    ):
        flexible_body(K, M, np.vstack([nodes, [0, 0, 1]]), {"a": 0})


def test_a_body_that_turns_too_fast_says_so(body: type[FlexibleBody]) -> None:
    system = System("spin")
    system.add("rod", body, {"gz": 0.0, "omegaz": 31.0})
    (said,) = system.simulate(1e-3).outcome.warnings
    assert said == (
        "'rod' turns at 31 rad/s, its first frequency is 27 rad/s and no geometric stiffness was given: what it does is not to be trusted above 3 rad/s"
    )


def test_a_point_without_attitude_takes_no_torque(body: type[FlexibleBody]) -> None:
    system = System("weld")
    system.add("b", body)
    system.add("g", "spatial.Fixed")
    system.add("w", "spatial.Weld")
    system.connect("g.p1", "w.M")
    system.connect("w.N", "b.a")
    sentence = "port 'a' of 'b' is a single node with 3 dofs and has no attitude: give a patch of at least 3 nodes"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        system.simulate(0.1)
