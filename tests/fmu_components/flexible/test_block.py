"""Elastic blocks in space, which are clamped to a parent: against sums over nodes, the whole mesh, and published frequencies of rotating beams."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fmu_components.flexible.elastic import Elastic
from jourdain import MeshError, Patch, System, flexible_body
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


@pytest.mark.slow
@pytest.mark.parametrize(("spin", "flap", "plane", "tolerance"), [(2.0, 4.137320, 3.621797, 2e-4), (4.0, 5.585001, 3.897723, 5e-4)])
def test_a_turning_hub_stiffens_a_beam_of_three_shapes_in_each_plane(spin: float, flap: float, plane: float, tolerance: float) -> None:
    nodes = np.zeros((21, 3))
    nodes[:, 0] = np.linspace(0, 1, 21)
    K, M, geometric = beams(nodes, bending=(1.0, 1.0001), axial=1e6, torsion=1e3, polar=3e-6)
    blade = flexible_body(K, M, nodes, {"P": 0, "tip": 20}, root="P", basis="free", shapes=6, geometric=geometric, name="Blade")
    system = System("spin")
    system.add("ground", "spatial.Fixed")
    system.add("hub", "spatial.RevoluteBody", {"m": 1.0, "Ixx": 1e7, "Iyy": 1e7, "Izz": 1e7, "gz": 0.0})
    system.connect("ground.p1", "hub.P")
    system.add("blade", blade, {"gz": 0.0})
    system.connect("hub.C1", "blade.P")
    shapes = [f"blade.shape[{k}]" for k in range(1, 7)]
    model = system.linearise(initial={"hub.qd": spin}, coordinates=["hub.q", *shapes])
    found = np.sort(np.abs(np.linalg.eigvals(model.A).imag))
    found = found[found > 1.0][::2]
    assert found[:2] == pytest.approx(sorted([flap, plane]), rel=tolerance)
