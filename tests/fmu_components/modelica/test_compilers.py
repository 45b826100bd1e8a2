"""Modelica compilers read the package, and a pendulum of its components moves as in the master."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Declaration
from fmu_components.modelica.package import package_text, switching, write_package
from tests.support.systems.seven_bodies import EXAMPLE as SEVEN

PAGE = Path(__file__).parents[3] / "docs" / "openmodelica.md"
PENDULUM = ("planar.Fixed", "planar.Revolute", "planar.Body1")


@pytest.fixture
def rumoca() -> Any:
    return pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")


def written(spatial: bool) -> list[Declaration]:
    """All components that do not switch, spatial ones or the others."""
    declared = [declaration(each) for name, each in all_components().items() if name.startswith("spatial.") is spatial]
    return [each for each in declared if switching(each) is None]


def unbalanced(rumoca: Any, components: Sequence[Declaration], folder: Path) -> list[str]:
    """Loads each component; a name that is not defined ends the loading."""
    file, session = write_package(package_text(components), folder), rumoca.Session()
    return [each.name for each in components if not session.load(str(file), model=f"Jourdain.{each.name}").structure().is_balanced]


def test_rumoca_loads_components_of_each_kind(rumoca: Any, tmp_path: Path) -> None:
    names = ("planar.Body2", "planar.RevoluteBody", "planar.Motion", "planar.KnifeEdge", "mechanical1d.Gear", "mechanical1d.Position")
    more = ("hydraulic.Orifice", "hydraulic.Hose", "electrical.DCMotor", "signal.StateSpace2", "planar.ConnectingRod", "planar.Bushing")
    assert unbalanced(rumoca, [declaration(find(name)) for name in (*names, *more)], tmp_path) == []


@pytest.mark.slow
def test_rumoca_loads_all_components_that_are_not_spatial(rumoca: Any, tmp_path: Path) -> None:
    """It cannot load frames of MultiBody."""
    components = written(spatial=False)
    assert unbalanced(rumoca, components, tmp_path) == []
    assert len(components) >= 101


def test_rumoca_refuses_a_wrong_text(rumoca: Any, tmp_path: Path) -> None:
    """A misspelt name is seen, and so is an equation too many."""
    text = package_text([declaration(find("planar.Weld"))])
    file = write_package(text.replace("0 = N.x", "0 = Q.x"), tmp_path / "name")
    with pytest.raises(rumoca.CompileError, match=r"Q\.x"):
        rumoca.Session().load(str(file), model="Jourdain.planar.Weld")
    file = write_package(text.replace("0 = N.x", "M.fx = 0;\n0 = N.x"), tmp_path / "equation")
    with pytest.raises(rumoca.CompileError):
        rumoca.Session().load(str(file), model="Jourdain.planar.Weld").simulate(t=(0, 1), dt=0.1)


def test_the_pendulum_of_the_page_moves_as_in_the_master(rumoca: Any) -> None:
    """The other value is that of the master with ideal joints and dop853 at a tolerance of 1e-12."""
    (model,) = re.findall(r"```modelica\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    text = package_text([declaration(find(name)) for name in PENDULUM])
    loaded = rumoca.Session().loads(f"{text}\n{model}", model="Pendulum")
    result = loaded.simulate(t=(0, 2), dt=0.02, config=rumoca.SimConfig(solver="rk-like", rtol=1e-12, atol=1e-12))
    assert float(result["rod.theta"][-1]) == pytest.approx(-0.03269734257227, abs=1e-9)


def seven_bodies() -> str:
    """The mechanism of example 3 as a Modelica model; link 1 alone keeps its start values."""
    lines = ["model SevenBodies", *(f"Jourdain.planar.Fixed {name}(p1_rx = {x!r}, p1_ry = {y!r});" for name, (x, y) in SEVEN.FIXED.items())]
    for (name, points), m, inertia, (x, y, theta) in zip(SEVEN.POINTS.items(), SEVEN.M, SEVEN.I, SEVEN.poses(**SEVEN.START), strict=True):
        places = "".join(f"p{i}_rx = {rx!r}, p{i}_ry = {ry!r}, " for i, (rx, ry) in enumerate(points, 1))
        fixed, speed = (", fixed = true", ", omega(fixed = true)") if name == "link1" else ("", "")
        start = f"x(start = {x!r}), y(start = {y!r}), theta(start = {theta!r}{fixed}){speed}"
        lines.append(f"Jourdain.planar.Body{len(points)} {name}({places}m = {m!r}, I = {inertia!r}, gy = 0, {start});")
    lines += [f"Jourdain.planar.{'ActuatedRevolute' if name == 'drive' else 'Revolute'} {name};" for name in SEVEN.JOINTS]
    lines += [f"Jourdain.mechanical1d.Torque motor(torque = {SEVEN.TORQUE!r});"]
    lines += [f"Jourdain.planar.SpringDamper spring(k = {SEVEN.STIFFNESS!r}, rest = {SEVEN.REST!r});", "equation"]
    for name, (M, N) in (*SEVEN.JOINTS.items(), ("spring", ("C.p1", "link3.p3"))):
        lines += [f"connect({M}, {name}.M);", f"connect({name}.N, {N});"]
    return "\n".join([*lines, "connect(motor.flange, drive.flange);", "end SevenBodies;"])


@pytest.mark.slow
def test_the_seven_bodies_reach_the_published_angles(rumoca: Any) -> None:
    """Three closed loops of ten joints: the compiler reduces the index. A torque enters by a connector."""
    names = ("planar.Fixed", "planar.Body2", "planar.Body3", "planar.Revolute", "planar.ActuatedRevolute", "planar.SpringDamper")
    text = package_text([declaration(find(name)) for name in (*names, "mechanical1d.Torque")])
    loaded = rumoca.Session().loads(f"{text}\n{seven_bodies()}", model="SevenBodies")
    config = rumoca.SimConfig(solver="rk-like", rtol=1e-12, atol=1e-12)
    result = loaded.simulate(t=(0, SEVEN.STOP), dt=SEVEN.STOP / 100, config=config)
    found = {name: float(result[f"{name}.theta"][-1]) for name in ("link1", "link7", "link5")}
    expected = {"link1": SEVEN.REFERENCE["beta"], "link7": SEVEN.REFERENCE["eps"], "link5": SEVEN.REFERENCE["delta"]}
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("spatial", [False, True])
def test_pymoca_parses_all_components(spatial: bool) -> None:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca, of the extra 'peers', is not installed")
    for declared in written(spatial):
        tree = parser.parse(package_text([declared]))
        library, _, name = declared.name.partition(".")
        assert tree is not None and list(tree.classes["Jourdain"].classes[library].classes) == [name], declared.name
