"""Elastic blocks in space, which are clamped to a parent: against sums over nodes, the whole mesh, and published frequencies of rotating beams."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray

from fmu_components.flexible.elastic import Elastic
from jourdain import MeshError, Patch, System, flexible_body
from tests.support.components.beams import TURNING, frequencies
from tests.support.flexible.meshes import beams, brick

Array = NDArray[np.float64]

TUMBLE = {
    0.1: (0.038026311, 0.004610038, -0.004106010, 0.919519421, 0.411866463, -0.248648036, 1.46773551, 3.60260488, 3.50094054),
    0.5: (0.559030805, 0.470963545, -0.356308989, -0.237624114, 0.987954565, -0.672937786, -0.56337567, 4.19584454, 2.88874647),
    1.0: (0.219732744, 1.480411439, -1.100692235, 0.535403343, 0.733127362, -0.513972995, -2.85707821, 0.41459993, 5.03022847),
}
"""Hub, node 98 and angular velocity of a hub with the brick, of four clamped shapes: sums over nodal accelerations."""


@pytest.fixture(scope="module")
def appendage() -> type[Elastic]:
    """The brick, held at its nodes of least x, with a port at node 98."""
    K, M, nodes = brick()
    root = np.flatnonzero(nodes[:, 0] < -0.499).tolist()
    return flexible_body(K, M, nodes, {"P": Patch(root, rigid=True), "C1": 98}, root="P", basis="free", shapes=4, name="Appendage")


def _satellite(appendage: type[Elastic], **spin: float) -> System:
    system = System("satellite")
    system.add("hub", "spatial.Body1", {"m": 3.0, "Ixx": 0.02, "Iyy": 0.05, "Izz": 0.06, "gz": 0.0, **spin})
    system.add("b", appendage, {"gz": 0.0})
    system.connect("hub.p1", "b.P")
    return system


def test_a_hub_with_an_appendage_tumbles_as_its_nodes_do(appendage: type[Elastic]) -> None:
    system = _satellite(appendage, omegax=2.0, omegay=3.0, omegaz=4.0)
    run = system.simulate(1.0, solver="dop853", rtol=1e-10, atol=1e-13, output_times=list(TUMBLE))
    for time, expected in TUMBLE.items():
        at = list(run.time).index(time)
        found = [run[f"{name}{axis}"][at] for name in ("hub.", "b.C1.", "hub.w") for axis in "xyz"]
        assert found == pytest.approx(expected, abs=1e-8)
    energy = run["hub.energy.kinetic"] + run["b.energy.kinetic"] + run["b.energy.elastic"]
    assert np.ptp(energy) < 1e-11 * energy[0]


def test_frequencies_on_a_hub(appendage: type[Elastic]) -> None:
    """Hub and four clamped shapes as one mass matrix; the whole mesh has 17.07267679 and 19.12262183."""
    model = _satellite(appendage).linearise()
    found = np.sort(np.abs(np.linalg.eigvals(model.A).imag))[::-1][:8:2]
    assert found[::-1] == pytest.approx([17.0793707, 19.1317407, 40.7372546, 46.1789559], rel=1e-8)


def test_wrong_roots_are_refused() -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    with pytest.raises(MeshError, match="the root is 'Q', which is none of the ports a"):
        flexible_body(K, M, nodes, {"a": 0}, root="Q")
    with pytest.raises(MeshError, match="the root 'a' is a single node with 3 dofs and has no attitude: give a patch of at least 3 nodes"):
        flexible_body(K, M, nodes, {"a": 0, "b": 11}, root="a")


def test_a_block_at_one_state_has_the_wrench_of_its_nodes(appendage: type[Elastic]) -> None:
    """The root moves with given accelerations, and the shapes with their rates: sums over nodal accelerations give the wrench and the rates."""
    assert appendage.data.frequencies * appendage.data.first == pytest.approx([4.40590941, 5.49990051, 26.83096711, 30.22249692], abs=1e-8)
    amplitudes, rates = (0.01, -0.02, 0.005, 0.008), (0.3, 0.1, -0.2, 0.4)
    (wx, wy, wz), alpha, a = (2.0, 3.0, 4.0), (4.0, 5.0, -6.0), (1.0, -2.0, 3.0)
    turns = {"roll": (wx, alpha[0] + wy * wz), "pitch": (wy, alpha[1] - wx * wz), "yaw": (wz, alpha[2] + wx * wy)}
    system = System("state")
    system.add("root", "spatial.Motion")
    start = {f"shape[{k}]": each for k, each in enumerate(amplitudes, 1)} | {f"shape.rate[{k}]": each for k, each in enumerate(rates, 1)}
    system.add("b", appendage, start)
    system.connect("root.p1", "b.P")
    for name, (speed, change) in turns.items():
        system.drive(f"root.{name}", lambda t: 0.0)
        system.drive(f"root.{name}.rate", lambda t, speed=speed: speed)
        system.drive(f"root.{name}.acceleration", lambda t, change=change: change)
    for axis, each in zip("xyz", a, strict=True):
        system.drive(f"root.{axis}", lambda t: 0.0)
        system.drive(f"root.{axis}.rate", lambda t: 0.0)
        system.drive(f"root.{axis}.acceleration", lambda t, each=each: each)
    names = [f"b.shape.acceleration[{k}]" for k in (1, 2, 3, 4)]
    run = system.simulate(1e-9, outputs=["*", *names])
    assert [run[name][0] for name in names] == pytest.approx([-11.63063791, 2.839035688, 0.7651832599, -8.894533562], abs=1e-8)
    assert [run[f"root.F{axis}"][0] for axis in "xyz"] == pytest.approx([-45.87595204, 17.88946162, 22.61121592], abs=1e-8)
    assert [run[f"root.C{axis}"][0] for axis in "xyz"] == pytest.approx([0.07366034059, -2.94314963, 4.42568105], abs=1e-8)


@pytest.mark.slow
def test_more_shapes_come_to_the_whole_mesh() -> None:
    """A hub with the brick: the mesh has 17.07267679 and 19.12262183 rad/s, sixteen shapes of the block the first to 3e-7."""
    K, M, nodes = brick()
    root = np.flatnonzero(nodes[:, 0] < -0.499)
    arms = nodes - nodes[root].mean(axis=0)
    motion = np.hstack(
        [np.tile(np.eye(3), (len(nodes), 1)), np.vstack([np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]) for x, y, z in arms])]
    )
    loose = np.setdiff1d(np.arange(len(K)), (3 * root[:, None] + np.arange(3)).ravel())
    T = np.hstack([motion, np.eye(len(K))[:, loose]])
    mass = T.T @ M @ T
    mass[:6, :6] += np.diag([3.0, 3.0, 3.0, 0.02, 0.05, 0.06])
    exact = np.sqrt(np.abs(scipy.linalg.eigh(T.T @ K @ T, mass, eigvals_only=True)))[6:10]
    assert exact == pytest.approx([17.07267679, 19.12262183, 39.98477371, 45.1474989], rel=1e-8)
    ports = {"P": Patch(root.tolist(), rigid=True), "C1": 98}
    for shapes, first in ((8, 17.07285401), (16, 17.07268037)):
        block = flexible_body(K, M, nodes, ports, root="P", basis="free", shapes=shapes, name=f"Block{shapes}")
        found = frequencies(_satellite(block).linearise())
        assert found[0] == pytest.approx(first, abs=1e-8)
        assert np.all(found[:4] > exact)


def _slender() -> tuple[Array, Array, Callable[[Array], Array], Array]:
    """Returns a beam of twenty elements along x."""
    nodes = np.zeros((21, 3))
    nodes[:, 0] = np.linspace(0, 1, 21)
    K, M, geometric = beams(nodes, bending=(1.0, 1.0001), axial=1e6, torsion=1e3, polar=3e-6)
    return K, M, geometric, nodes


def _blade(shapes: int) -> type[Elastic]:
    """Returns this beam as a block, with its geometric stiffness."""
    K, M, geometric, nodes = _slender()
    return flexible_body(
        K, M, nodes, {"P": 0, "tip": 20}, root="P", basis="free", shapes=shapes, geometric=geometric, name=f"Blade{shapes}"
    )


def _turning(blade: type[Elastic], spin: float, radius: float) -> Array:
    """Returns the two lowest frequencies of a block on a heavy hub that turns."""
    system = System("spin")
    system.add("ground", "spatial.Fixed")
    system.add("hub", "spatial.RevoluteBody", {"m": 1.0, "Ixx": 1e7, "Iyy": 1e7, "Izz": 1e7, "gz": 0.0, "C1.rx": radius})
    system.connect("ground.p1", "hub.P")
    system.add("blade", blade, {"gz": 0.0})
    system.connect("hub.C1", "blade.P")
    shapes = [f"blade.shape[{k}]" for k in range(1, len(blade.data.frequencies) + 1)]
    model = system.linearise(initial={"hub.qd": spin}, coordinates=["hub.q", *shapes])
    return frequencies(model)[:2]


def _turning_mesh(spin: float, radius: float) -> Array:
    """Returns the two lowest frequencies of the whole mesh: its stiffness with that of the centrifugal load, less that load's change."""
    K, M, geometric, nodes = _slender()
    place, free = np.zeros(len(K)), np.arange(6, len(K))
    place[0::6] = radius + nodes[:, 0]
    turned = np.isin(np.arange(len(K)) % 6, (0, 1, 5))  # x, y and the turn about z
    carried = spin**2 * M * np.outer(turned, turned)
    pulled = np.zeros(len(K))
    pulled[free] = np.linalg.solve(K[np.ix_(free, free)], (carried @ place)[free])
    whole = K + geometric(pulled) - carried
    return np.sqrt(scipy.linalg.eigh(whole[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True))[:2]


@pytest.fixture(scope="module")
def blade() -> type[Elastic]:
    """The beam with three shapes in each plane."""
    return _blade(6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radius", "spin", "found", "tolerance"),
    [
        (0, 2.0, (3.62216, 4.13765), 2e-4),
        (0, 4.0, (3.89937, 5.58647), 5e-4),
        (0, 8.0, (4.67570, 9.26691), 5e-3),
        (0, 12.0, (5.50892, 13.20509), 2e-2),
        (1, 4.0, (6.32135, 7.48085), 2e-3),
        (1, 12.0, (15.77904, 19.82486), 1e-2),
    ],
)
def test_a_turning_hub_stiffens_a_beam_of_three_shapes_in_each_plane(
    blade: type[Elastic], radius: float, spin: float, found: tuple[float, float], tolerance: float
) -> None:
    """In the plane and in flap: the digits of another program, near those of the mesh and of the differential equation."""
    turning = _turning(blade, spin, radius)
    assert turning == pytest.approx(found, abs=1e-5)
    assert turning == pytest.approx(_turning_mesh(spin, radius), rel=tolerance)
    flap, plane = TURNING[radius, int(spin)]
    assert turning == pytest.approx([plane[0], flap[0]], rel=tolerance)
    if spin <= 4.0 and radius == 0:
        assert turning[1] == pytest.approx(flap[0], rel=3e-4)
        assert turning == pytest.approx(_turning_mesh(spin, radius), rel=3e-4)


def test_the_mesh_has_the_frequencies_of_the_differential_equation() -> None:
    """Twenty elements with rotary inertia about their axis alone: 4.13760, 5.58571 and 9.25796 in flap."""
    assert [_turning_mesh(spin, 0.0)[1] for spin in (2.0, 4.0, 8.0)] == pytest.approx([4.13760, 5.58571, 9.25796], abs=1e-5)


@pytest.mark.slow
def test_six_shapes_in_each_plane_come_to_the_mesh() -> None:
    """At a speed of 12, three shapes in each plane are off by 1.5e-2 in the plane; six are off by a tenth of this."""
    assert _turning(_blade(12), 12.0, 0.0) == pytest.approx(_turning_mesh(12.0, 0.0), rel=1.5e-3)


@pytest.mark.slow
def test_a_hub_with_a_stiffened_block_keeps_its_energy(blade: type[Elastic]) -> None:
    """The second-order parts of the first moment, of the tensor of inertia and of the ports belong to one motion of the nodes."""
    system = System("tumble")
    system.add(
        "hub", "spatial.Body1", {"m": 0.5, "Ixx": 0.1, "Iyy": 0.2, "Izz": 0.3, "gz": 0.0, "omegax": 1.0, "omegay": 2.0, "omegaz": 3.0}
    )
    system.add("blade", blade, {"gz": 0.0, "shape[1]": 0.1})
    system.connect("hub.p1", "blade.P")
    run = system.simulate(1.0, solver="dop853", rtol=1e-11, atol=1e-13)
    energy = run["hub.energy.kinetic"] + run["blade.energy.kinetic"] + run["blade.energy.elastic"]
    assert np.ptp(run["blade.energy.elastic"]) > 1e-2 * energy[0]
    assert np.ptp(energy) < 1e-9 * energy[0]
