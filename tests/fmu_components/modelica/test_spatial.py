"""Spatial components in rumoca, which cannot load the frames of MultiBody: a connector of the same variables stands for these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Declaration
from fmu_components.modelica.package import package_text, switching
from jourdain import System
from tests.support.modelica.frames import for_rumoca


def text_for_rumoca(components: Sequence[Declaration]) -> str:
    return for_rumoca(package_text(components))


@pytest.fixture
def rumoca() -> Any:
    return pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")


def unbalanced(rumoca: Any, names: Sequence[str], folder: Any) -> list[str]:
    file, session = folder / "package.mo", rumoca.Session()
    file.write_text(text_for_rumoca([declaration(find(name)) for name in names]))
    return [name for name in names if not session.load(str(file), model=f"Jourdain.{name}").structure().is_balanced]


def test_spatial_components_are_balanced(rumoca: Any, tmp_path: Any) -> None:
    """Bodies give the motion of their frames; joints and springs give wrenches, also through planar frames and shafts."""
    assert unbalanced(rumoca, ["spatial.Body2", "spatial.Revolute", "spatial.SpringDamper", "spatial.PlanarFrame"], tmp_path) == []


@pytest.mark.slow
def test_all_spatial_components_are_balanced(rumoca: Any, tmp_path: Any) -> None:
    names = [name for name, each in all_components().items() if name.startswith("spatial.") and switching(declaration(each)) is None]
    assert unbalanced(rumoca, names, tmp_path) == []
    assert len(names) >= 50


BODY = {"m": 1.3, "Ixx": 0.02, "Iyy": 0.09, "Izz": 0.1, "Ixy": 0.01, "gx": 1.0, "gy": -9.0, "gz": 2.0, "p1.rx": -0.5, "p1.ry": 0.1}
TURNED = {"p1.zx": 0.0, "p1.zy": 1.0, "p1.zz": 0.0}
"""The axis z of the ports is the absolute axis y at the start, so that no matrix of rotation is the unit matrix."""
START = {"x": 0.5, "y": -0.1}


@pytest.mark.slow
@pytest.mark.parametrize("joint", ["Spherical", "Bushing"])
def test_a_body_in_space_moves_as_in_the_master(rumoca: Any, joint: str) -> None:
    """An unsymmetrical body hangs on a joint with constraints, or on springs alone, and turns about all axes; its speed is compared."""
    springs = {"rotation.k": 2.0, "rotation.b": 0.1} if joint == "Spherical" else {}
    machine = System()
    machine.add("ground", "spatial.Fixed", TURNED)
    machine.add("rod", "spatial.Body1", BODY | TURNED | START)
    machine.join(f"spatial.{joint}", "ground.p1", "rod.p1", springs, name="pin")
    expected = machine.simulate(stop_time=0.5, solver="dop853", rtol=1e-11)

    def modifiers(values: dict[str, float]) -> str:
        return ", ".join(f"{name.replace('.', '_')} = {value!r}" for name, value in values.items())

    free = ["q0", "q1", "q2", "q3", "omegax", "omegay", "omegaz", *(["x", "y", "z", "vx", "vy", "vz"] if joint == "Bushing" else [])]
    starts = {name: f"start = {value!r}" for name, value in START.items()}
    states = [
        f"{name}({', '.join(filter(None, [starts.get(name), 'fixed = true' if name in free else '']))})"
        for name in {**starts, **dict.fromkeys(free)}
    ]
    model = f"""
model Hanging
  Jourdain.spatial.Fixed ground({modifiers(TURNED)});
  Jourdain.spatial.{joint} pin({modifiers(springs)});
  Jourdain.spatial.Body1 rod({modifiers(BODY | TURNED)}, {", ".join(states)});
equation
  connect(ground.p1, pin.M);
  connect(pin.N, rod.p1);
end Hanging;
"""
    text = text_for_rumoca([declaration(find(f"spatial.{name}")) for name in ("Fixed", joint, "Body1")])
    loaded = rumoca.Session().loads(text + model, model="Hanging")
    result = loaded.simulate(t=(0, 0.5), dt=0.01, config=rumoca.SimConfig(solver="rk-like", rtol=1e-10, atol=1e-10))
    for axis in "xyz":
        assert abs(expected[f"rod.omega{axis}"][-1]) > 0.01
        assert float(result[f"rod.omega{axis}"][-1]) == pytest.approx(expected[f"rod.omega{axis}"][-1], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["planar", "spatial"])
def test_a_chain_of_blocks_moves_as_in_the_master(rumoca: Any, library: str) -> None:
    """Their long equations are written in parts."""
    values = {"m": 1.3, "rx": 0.4, "ry": 0.1, "C1.rx": 0.9, "C1.ry": -0.2, "gx": 2.0, "b": 0.05, "torque": 0.4}
    values |= (
        {"I": 0.07} if library == "planar" else {"Ixx": 0.05, "Iyy": 0.06, "Izz": 0.07, "Ixz": 0.01, "gy": -9.0, "rz": 0.2, "C1.zx": 1.0}
    )
    machine = System()
    machine.add("ground", f"{library}.Fixed")
    for name in ("first", "second"):
        machine.add(name, f"{library}.RevoluteBody", {**values, "q": 0.3, "qd": 1.5})
    machine.connect("first.P", "ground.p1")
    machine.connect("second.P", "first.C1")
    expected = machine.simulate(stop_time=0.5, solver="dop853", rtol=1e-11)
    modifiers = ", ".join(f"{name.replace('.', '_')} = {value!r}" for name, value in values.items())
    block = f"({modifiers}, q(start = 0.3, fixed = true), qd(start = 1.5, fixed = true))"
    model = f"""
model Chain
  Jourdain.{library}.Fixed ground;
  Jourdain.{library}.RevoluteBody first{block}, second{block};
equation
  connect(first.P, ground.p1);
  connect(second.P, first.C1);
end Chain;
"""
    text = text_for_rumoca([declaration(find(f"{library}.{name}")) for name in ("Fixed", "RevoluteBody")])
    assert "part_1 = " in text
    loaded = rumoca.Session().loads(text + model, model="Chain")
    result = loaded.simulate(t=(0, 0.5), dt=0.01, config=rumoca.SimConfig(solver="rk-like", rtol=1e-10, atol=1e-10))
    for name in ("first.q", "second.q"):
        assert float(result[name][-1]) == pytest.approx(expected[name][-1], abs=1e-6)
