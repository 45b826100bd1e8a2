"""Exported mechanisms close their start by themselves: as the master does, from the values that the importer has set."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import fmpy
import numpy as np
import pytest

from coupling import BuildError, Index3, Result, System
from coupling.fmus import load
from tests.coupling.analysis.test_in_parts import boom, gears
from tests.support.runtime.driver import ERROR, Driver, status_of
from tests.support.systems.linkages import four_bar, three_cranks, told
from tests.support.systems.machines import example
from tests.support.systems.systems import refusal

LENGTHS = {"fixed D.p1.rx": 1.1, "coupler.p1.rx": -0.55, "coupler.p2.rx": 0.55}
STATES = ("x", "y", "theta", "vx", "vy", "omega")
RENAMED = {name.replace(" ", "_"): value for name, value in LENGTHS.items()}
"""Names in the FMU have no blanks."""
CLOSED = {**RENAMED, "initial.assemble": True}
HOLD = ["crank.theta", "crank.omega"]


def moving() -> tuple[System, Result]:
    """A four-bar that stands right and moves; and with other lengths, as the master runs it."""
    linkage = four_bar()
    system = linkage.system({"crank": {"theta": 0.7, "omega": 2.0}})
    pose = system.assemble(guess={"C.rotation.q": linkage.coordinate("C")})
    bodies = {body: {name: pose[f"{body}.{name}"] for name in STATES} for body in linkage.bodies}
    return linkage.system(bodies), system.simulate(0.2, initial=pose, start_values=LENGTHS, rtol=1e-11)


def test_other_lengths_as_the_master_closes_them(fmi: int, tmp_path: Path) -> None:
    """Held values stay to the bit, and the motion is the same. Without the parameter the start is still refused."""
    system, master = moving()
    path = system.export_fmu(tmp_path / "bars.fmu", hold=HOLD, fmi=fmi, platforms=["linux64"])
    for kind in ("CoSimulation", "ModelExchange"):
        run = fmpy.simulate_fmu(str(path), fmi_type=kind, start_values=CLOSED, stop_time=0.2, output_interval=0.1, relative_tolerance=1e-11)
        assert (run["crank.theta"][0], run["crank.omega"][0]) == (0.7, 2.0)
        for name in run.dtype.names[1:]:
            assert run[name][0] == pytest.approx(master[name][0], abs=1e-12)
            assert run[name][-1] == pytest.approx(master[name][-1], abs=1e-9 if kind == "CoSimulation" else 1e-7)
    fmu = Driver(path, "cs")
    assert load(path).variables["initial.assemble"].start is False
    for repeated in range(2):  # after a reset as at first
        fmu.start(CLOSED)
        assert fmu["rocker.omega"] == pytest.approx(master["rocker.omega"][0], abs=1e-12), repeated
        fmu.fmu.reset()
    assert status_of(fmu.start, RENAMED) == ERROR
    assert (
        "the start violates constraints: D.position[1] = -0.1 m" in fmu.log[-1]
        and "set initial.assemble, which has them moved" in fmu.log[-1]
    )


@pytest.mark.parametrize("start_values", [None, LENGTHS])
def test_an_export_starts_at_a_pose(start_values: dict[str, float] | None, tmp_path: Path) -> None:
    """It starts at the pose itself; with other lengths at the nearest one that fits, as the master does."""
    linkage = four_bar()
    system = linkage.system({"crank": {"theta": 0.7, "omega": 2.0}})
    pose = system.assemble(guess={"C.rotation.q": linkage.coordinate("C")})
    master = system.simulate(0.0, initial=pose, start_values=start_values)
    path = system.export_fmu(tmp_path / "bars.fmu", initial=pose, start_values=start_values, platforms=["linux64"])
    fmu = Driver(path, "cs")
    fmu.start()
    assert load(path).variables["initial.assemble"].start is False
    for name in pose:
        assert fmu[name] == pytest.approx(master[name][0], abs=1e-12)
        assert start_values or fmu[name] == pose[name]


def test_an_export_starts_at_an_equilibrium_or_at_the_end_of_a_result(tmp_path: Path) -> None:
    """The input that balances the rod, m g l/2 cos(theta) = 9.81/2 cos(0.5), starts at what was found for it; a word that is none is refused."""
    rod = System("rod")
    rod.add("ground", "planar.Fixed")
    rod.add("rod", "planar.RevoluteBody", {"m": 1.0, "I": 0.1, "rx": 0.5, "gy": -9.81, "q": 0.5})
    rod.connect("ground.p1", "rod.P")
    pose = rod.equilibrium(hold=["rod.q"], free=["rod.torque"])
    fmu = Driver(rod.export_fmu(tmp_path / "rod.fmu", inputs=["rod.torque"], initial=pose, platforms=["linux64"]), "me")
    fmu.start()
    assert fmu["rod.torque"] == pytest.approx(9.81 / 2 * np.cos(0.5), rel=1e-9)
    assert fmu.derivatives == pytest.approx([0.0, 0.0], abs=1e-9)
    result = rod.simulate(0.3)
    fmu = Driver(rod.export_fmu(tmp_path / "later.fmu", initial=result, platforms=["linux64"]), "me")
    fmu.start()
    assert fmu.states.tolist() == [result["rod.q"][-1], result["rod.qd"][-1]]
    assert refusal(lambda: rod.export_fmu(tmp_path / "x.fmu", initial={"rod.q": 0.1}), BuildError) == (
        "initial = {'rod.q': 0.1} is unknown; choose 'check', 'assemble' or 'relax', or give a pose of assemble() or equilibrium(), or a result"
    )


def test_a_start_that_is_closed_stays_to_the_bit(tmp_path: Path) -> None:
    system, _ = moving()
    driver = Driver(system.export_fmu(tmp_path / "bars.fmu", platforms=["linux64"]), "me")
    found = []
    for assembles in (False, True):
        driver.start({"initial.assemble": assembles})
        found.append(driver.get(list(driver.variables)))
        driver.fmu.reset()
    assert found[0] | {"initial.assemble": 1} == found[1]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"fixed_D.p1.rx": 3.0}, "the start cannot be assembled: D.position[1] = "),
        ({"rocker.omega": 5.0}, "the start cannot be assembled at velocity level: "),
    ],
)
def test_what_cannot_be_closed_is_refused(more: dict[str, float], sentence: str, tmp_path: Path) -> None:
    """The message names the constraints that stay open, and by how much; after a reset another start is closed."""
    system, _ = moving()
    hold = [*HOLD, *(name for name in more if name.endswith("omega"))]
    fmu = Driver(system.export_fmu(tmp_path / "bars.fmu", hold=hold, platforms=["linux64"]), "cs")
    assert status_of(fmu.start, {**CLOSED, **more}) == ERROR
    assert sentence in fmu.log[-1] and " cannot be closed" in fmu.log[-1]
    fmu.fmu.reset()
    fmu.start({"initial.assemble": True})


def test_what_is_held_is_a_state(tmp_path: Path) -> None:
    system, _ = moving()
    for hold, sentence in (
        (["crank.thete"], "export_fmu: hold: 'crank.thete' is no state; did you mean 'crank.theta'"),
        (["C.rotation.q"], "export_fmu: hold: 'C.rotation.q' is no state; "),
        ("crank.theta", "export_fmu: hold = 'crank.theta' is refused; give a list of names of states, such as ['crank.theta']"),
    ):
        assert refusal(lambda hold=hold: system.export_fmu(tmp_path / "x.fmu", hold=hold), BuildError).startswith(sentence)


@pytest.mark.slow  # joints are built that few other tests need
@pytest.mark.parametrize("options", [{}, {"stabilisation": "projection"}, {"solver": Index3(step_size=1e-3)}])
def test_in_space(options: dict[str, Any], tmp_path: Path) -> None:
    """A longer rod, against the closed form of the slider; attitudes stay of unit length, and an axis that is reversed is refused."""
    space = example("15_spatial_slider_crank")
    held = [f"crank.{name}" for name in ("x", "y", "z", "q0", "q1", "q2", "q3", "omegax")]
    path = space.mechanics().export_fmu(tmp_path / "space.fmu", hold=held, platforms=["linux64"], **options)
    longer = {"rod.p1.rx": -0.16, "rod.p2.rx": 0.16, "initial.assemble": True}
    fmu = Driver(path, "cs")
    fmu.start(longer)
    x, speed = np.sqrt(0.32**2 - space.B @ space.B), np.cross((space.RATE, 0, 0), space.B - space.PIVOT)
    assert fmu["slider.x"] == pytest.approx(x, abs=1e-12)
    assert fmu["slider.vx"] == pytest.approx(-(space.B @ speed) / x, abs=1e-11)
    for body in ("crank", "rod", "slider"):
        assert sum(value**2 for value in fmu.get([f"{body}.q{i}" for i in range(4)]).values()) == pytest.approx(1, abs=1e-15)
    fmu.fmu.reset()
    assert status_of(fmu.start, {**longer, "slider.q0": 0.0, "slider.q3": 1.0}) == ERROR
    assert "it is required that " in fmu.log[-1]


def test_a_cylinder_follows(tmp_path: Path) -> None:
    """Its length is that of the closed mechanism, where its validity is judged."""
    path = boom(1.0).export_fmu(tmp_path / "boom.fmu", initial="assemble", hold=["arm.theta"], platforms=["linux64"])
    assert load(path).variables["initial.assemble"].start is True
    with ZipFile(path) as archive:
        page = archive.read("documentation/index.html").decode()
    assert "<code>initial.assemble</code> is true, the start is closed" in page and "Held are <code>arm.theta</code>." in page
    fmu = Driver(path, "me")
    fmu.start({"hinge.p1.ry": 0.1})
    assert fmu["line.flange.s"] == pytest.approx(np.hypot(0.5, np.sqrt(0.75) + 0.1), abs=1e-12)
    fmu.fmu.reset()
    assert status_of(fmu.start, {"base.p1.rx": 5.0}) == ERROR
    assert "it is required that of cylinder: the piston lies inside the stroke" in fmu.log[-1]


@pytest.mark.slow
def test_what_repeats_and_what_turns_back(tmp_path: Path) -> None:
    """Redundant joints close as well; gears have the speeds of their pair, whichever is held."""
    system, _ = told(three_cranks())
    fmu = Driver(system.export_fmu(tmp_path / "cranks.fmu", initial="assemble", hold=["r0.theta"], platforms=["linux64"]), "cs")
    fmu.start({"r0.theta": 0.9})
    gear = Driver(gears().export_fmu(tmp_path / "gears.fmu", initial="assemble", hold=["second.omega"], platforms=["linux64"]), "cs")
    gear.start({"second.omega": 3.0})
    assert gear["first.omega"] == pytest.approx(-3.0, abs=1e-12)
