"""Inputs of motion and their rates: what drives the one gives the others, against closed forms."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import sympy

from coupling import Result, System
from coupling.sweep import sweep
from fmu_components.declare.declaration import TIME as t
from tests.support.systems.systems import refusal

TIMES = np.linspace(0, 2, 401)


def pushed(value: object, **options: object) -> System:
    """A body of 2 kg, the velocity of which is prescribed."""
    system = System("pushed", gravity=(0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("body", "planar.Body1", {"m": 2.0})
    system.join("planar.RelativeVelocity", "ground.p1", "body.p1", name="drive")
    if value is not None:
        system.drive("drive.velocity", value, **options)  # type: ignore[arg-type]  # as a user would
    return system


def error(result, inside: str = "") -> float:
    """Returns the error of the body that follows sin(5 t), in position, and in the force that it takes, 10 cos(5 t)."""
    x, force = result[f"{inside}body.x"], result[f"{inside}drive.multiplier[1]"]
    return max(np.abs(x - (1 - np.cos(5 * result.time)) / 5).max(), np.abs(force - 10 * np.cos(5 * result.time)).max())


WAYS = {
    "a formula": (sympy.sin(5 * t), {}),
    "a function": (lambda x: math.sin(5 * x), {"rate": lambda x: 5 * math.cos(5 * x)}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_velocity_alone_gives_its_rate(way: str) -> None:
    value, options = WAYS[way]
    assert error(pushed(value, **options).simulate(2.0, rtol=1e-10)) < 1e-8


def test_a_table_that_is_smooth() -> None:
    """A cubic spline through 401 points: its third derivatives are off by the second power of their distance."""
    rows = np.column_stack((TIMES, np.sin(5 * TIMES)))
    assert error(pushed(rows, smooth="free").simulate(2.0, rtol=1e-10)) < 2e-4
    fine = np.linspace(0, 2, 4001)
    assert error(pushed(np.column_stack((fine, np.sin(5 * fine))), smooth="free").simulate(2.0, rtol=1e-10)) < 2e-7


def test_a_smooth_table_is_at_rest_at_its_ends() -> None:
    """Two rows of a velocity: 3 u^2 - 2 u^3, constant before and after."""
    result = pushed([(0.5, 0.0), (1.5, 2.0)], smooth="spline").simulate(2.0, rtol=1e-10)
    u = np.clip(result.time - 0.5, 0, 1)
    assert np.abs(result["body.vx"] - 2 * (3 * u**2 - 2 * u**3)).max() < 1e-8
    assert np.abs(result["drive.multiplier[1]"] - 24 * (u - u**2)).max() < 1e-8


def test_in_one_run_and_in_steps() -> None:
    """They replace a constant, with options by name, and at communication points."""
    system = pushed(0.0)
    for value in (sympy.sin(5 * t), {"value": WAYS["a function"][0], **WAYS["a function"][1]}):
        assert error(system.simulate(2.0, rtol=1e-10, drives={"drive.velocity": value})) < 1e-8
    assert np.abs(system.simulate(2.0)["body.x"]).max() == 0
    stepped = pushed(sympy.sin(5 * t)).simulate(2.0, communication_step=0.01, scheme="implicit")
    assert np.abs(stepped["body.x"] - (1 - np.cos(5 * stepped.time)) / 5).max() < 1e-3


def test_in_sweeps() -> None:
    """Twice the mass takes twice the force, in a table whose runs have a formula in place of the constant."""
    system = pushed(0.0)
    drives = {"drive.velocity": sympy.sin(5 * t)}
    table = sweep(system, {"body.m": [2.0, 4.0]}, stop_time=1.0, measure={"force": final_force}, drives=drives)
    assert [row["force"] for row in table] == pytest.approx([10 * math.cos(5), 20 * math.cos(5)], abs=1e-8)


def final_force(result: Result) -> float:
    return float(result["drive.force"][-1])


@pytest.mark.slow
def test_in_files(tmp_path: Path) -> None:
    """They survive packages, which other tools read with components for the formulas, copies, exports, and files of results."""
    for number, system in enumerate((pushed(sympy.sin(5 * t)), pushed([(0.0, 0.0), (1.0, 2.0)], smooth=True))):
        system.to_ssp(tmp_path / "pushed.ssp")
        read = System.from_ssp(tmp_path / "pushed.ssp")
        assert read.definition == system.definition == pickle.loads(pickle.dumps(system)).definition
        result = system.simulate(1.0, rtol=1e-10)
        assert (read.simulate(1.0, rtol=1e-10).values == result.values).all()
        system.export_fmu(tmp_path / f"pushed{number}.fmu", outputs=["body.x", "drive.multiplier[1]"], platforms=["linux64"])
        exported = System()
        exported.add("all", tmp_path / f"pushed{number}.fmu")
        again = exported.simulate(1.0, rtol=1e-10)
        for name in ("body.x", "drive.multiplier[1]"):
            assert again[f"all.{name}"][-1] == pytest.approx(result[name][-1], abs=1e-8)
        plain = plain_package(tmp_path / "pushed.ssp")
        assert plain.simulate(1.0, rtol=1e-10)["body.x"][-1] == pytest.approx(result["body.x"][-1], abs=1e-8)


def plain_package(path: Path) -> System:
    """Reads a package as another tool does: without our annotation."""
    import re
    import zipfile

    other = path.with_name("plain.ssp")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith(".ssd"):
                content = re.sub(rb"<Jourdain version.*?</Jourdain>", b"<Other/>", content, flags=re.DOTALL)
                assert b"Jourdain version" not in content
            target.writestr(name, content)
    return System.from_ssp(other)


VARIES = (
    "'drive.velocity' varies, and nothing gives 'drive.velocity.rate', which would be taken for 0; drive 'drive.velocity' by an expression of "
    "jourdain.declare.t, a table with smooth=True or a function with rate=, or connect or drive 'drive.velocity.rate' as well"
)


def test_what_varies_without_its_rate_is_refused() -> None:
    for value in (math.sin, [(0.0, 0.0), (1.0, 2.0)]):
        assert refusal(pushed(value).build) == VARIES
    assert refusal(lambda: pushed(0.0).simulate(1.0, drives={"drive.velocity": math.sin})) == VARIES
    connected = pushed(None)
    connected.add("sine", "signal.Sine")
    connected.connect("sine.y", "drive.velocity")
    assert refusal(connected.build) == VARIES


def test_an_export_opens_the_rates_of_its_inputs(tmp_path: Path) -> None:
    """Without its rate an input that an importer varies would be another motion."""
    pushed(None).export_fmu(tmp_path / "x.fmu", inputs=["drive.velocity"], platforms=["linux64"])
    exported = System()
    exported.add("all", tmp_path / "x.fmu")
    exported.drive("all.drive.velocity", sympy.sin(5 * t))
    result = exported.simulate(1.0, rtol=1e-9)
    assert result["all.body.x"][-1] == pytest.approx((1 - math.cos(5)) / 5, abs=1e-7)


def test_who_else_can_give_a_rate() -> None:
    """Another drive or a start value gives the rate; a constant value needs none."""
    both = pushed(lambda x: 3 * x)
    both.drive("drive.velocity.rate", 3.0)
    assert both.simulate(1.0)["body.x"][-1] == pytest.approx(1.5, abs=1e-8)
    given = System("pushed", gravity=(0.0, 0.0))
    given.add("ground", "planar.Fixed")
    given.add("body", "planar.Body1")
    given.join("planar.RelativeVelocity", "ground.p1", "body.p1", {"velocity.rate": 3.0}, name="drive")
    given.drive("drive.velocity", [(0.0, 0.0), (2.0, 6.0)])
    assert given.simulate(1.0)["body.x"][-1] == pytest.approx(1.5, abs=1e-8)
    constant = pushed(sympy.Integer(2))
    assert constant.simulate(1.0, initial="assemble")["body.x"][-1] == pytest.approx(2.0, abs=1e-8)


def refused(value: object, **options: object) -> str:
    return refusal(lambda: pushed(value, **options).build())


def test_options_that_do_not_fit() -> None:
    rate = math.cos
    assert refused(2.0, rate=rate).endswith("of 'drive.velocity' is for functions of time; of all else the rates are known, leave it out")
    assert refused(math.sin, rate=3.0) == "rate = 3.0 of 'drive.velocity' is refused: give a function of time, as its value is one"
    assert refused(math.sin, acceleration=rate) == "'drive.velocity' is given an acceleration without a rate; give rate= as well"
    wrong = "'drive.velocity' has no acceleration; leave acceleration= out, its rate alone is asked for"
    assert refused(math.sin, rate=rate, acceleration=rate) == wrong
    table = [(0.0, 0.0), (1.0, 1.0)]
    assert refused(table, smooth="soft").startswith(
        "smooth = 'soft' of 'drive.velocity' is refused: give True for a curve that is monotone"
    )
    assert refused([(0, 0), (1, 1), (1, 2)], smooth=True).startswith(
        "the table of 'drive.velocity' jumps at t = 1 s, where it cannot be smooth"
    )
    assert refused([(0, 0)], smooth=True) == "the table of 'drive.velocity' has one row, through which there is no curve; give a number"
    few = "the table of 'drive.velocity' has 2 rows, and a smooth one with free ends needs 4; give more, or smooth=True"
    assert refused(table, smooth="free") == few
    wrong = "'drive.velocity' cannot be driven with 'rates'; the options of a value are breaks, smooth, rate, acceleration"
    assert refused({"value": 3, "rates": 4}) == wrong
    system = pushed(sympy.sin(t))
    system.drive("drive.velocity.rate", 1.0)
    twice = "'drive.velocity.rate' is driven, and follows from the drive of 'drive.velocity'; leave its drive out"
    assert refusal(system.build) == twice
    force = System()
    force.add("body", "planar.Body1")
    force.drive("body.p1.Fx", math.sin, rate=math.cos)
    assert refusal(force.build) == "'body.p1.Fx' has no rate; leave rate= out"
