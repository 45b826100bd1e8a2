"""Systems are written as SSP packages and read again: the same definitions, the same bits, by the schemas of the standard."""

from __future__ import annotations

import pickle
import re
import sys
import warnings
import zipfile
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from coupling import BuildError, Index3, System
from tests.support.interoperability.omsimulator import refusals
from tests.support.ssp import check_valid, for_others, replaced
from tests.support.systems.machines import EXAMPLES, example
from tests.support.systems.systems import refusal

SHORT: dict[str, dict[str, Any]] = {
    "00_three_uses": {"stop_time": 0.1},
    "01_pendulum": {"stop_time": 0.5},
    "03_seven_body_mechanism": {"stop_time": 0.003},
    "06_hydraulic_crane": {"stop_time": 0.6, "solver": "cvode"},
    "08_motor_slider_crank": {"stop_time": 0.02},
    "09_gantry_crane": {"stop_time": 0.2},
    "13_heavy_top": {"stop_time": 0.1},
    "14_bricard": {"stop_time": 0.05},
    "15_spatial_slider_crank": {"stop_time": 0.02},
    "17_quarter_car": {"stop_time": 0.2},
    "18_pointing": {"stop_time": 0.2, "solver": Index3(step_size=0.05)},
    "19_wheel": {"stop_time": 1.6, "solver": Index3(step_size=0.1)},
    "20_parallelogram": {"stop_time": 0.2},
    "21_rolling_disc": {"stop_time": 0.6},
    "22_two_masses": {"stop_time": 0.2},
    "23_balloon": {"stop_time": 0.1},
    "24_robot_arm": {"stop_time": 0.0},
    "25_chaplygin": {"stop_time": 0.2, "solver": Index3(step_size=0.05)},
    "26_measured_pendulum": {"stop_time": 0.2, "initial": "assemble"},
    "27_which_parameters_matter": {"stop_time": 0.2, "initial": "assemble"},
    "29_quick_return": {"stop_time": 0.1, "initial": "assemble"},
    "30_vehicle": {"stop_time": 0.05},
    "31_stick_slip": {"stop_time": 1.0},
    "32_clutch": {"stop_time": 4.0},
    "33_pendulum_at_wall": {"stop_time": 1.0},
    "34_newtons_cradle": {"stop_time": 0.5},
    "35_walkers_foot": {"stop_time": 0.1},
    "36_walking_leg": {"stop_time": 0.1, "initial": "assemble"},
    "37_ratchet": {"stop_time": 1.0},
    "38_reaction_forces": {"stop_time": 1.6, "solver": Index3(step_size=0.1)},
    "39_python_controller": {"stop_time": 0.1},
    "40_cart_and_pole": {"stop_time": 0.2},
    "41_hardware_loop": {"stop_time": 0.2},
    "42_flexible_slider_crank": {"stop_time": 0.001, "solver": "cvode"},
    "43_satellite": {"stop_time": 0.1},
    "44_bracket": {"stop_time": 0.02, "solver": "cvode"},
}
"""Examples whose systems need no files of their own, with short runs."""
QUICK = ("01_pendulum", "17_quarter_car", "21_rolling_disc", "34_newtons_cradle")
MADE_BY = {"00_three_uses": "lifted", "30_vehicle": "car"}
"""Function that makes the system, where its name is not ``system``."""
OF = {"35_walkers_foot": {"slope": 0.4, "mu": 0.2, "step": 0.01}}
"""Arguments of the function that makes the system."""
WITH_FILES = ("02_own_joint", "04_foreign_fmu", "07_excavator", "11_exported_mechanisms")
DRIVEN_BY_FUNCTIONS = {"10_suspension": "'tyre.road', 'tyre.rate'", "16_stewart_platform": "'control0.u1'"}
ASSEMBLED_FIRST = ("28_loader",)
IN_OTHER_TOOLS = ("05_in_another_tool", "12_run_exported_mechanisms")
"""They run FMUs, and have no system."""


def signals() -> System:
    """Everything that the annotation is for: sums, tables short and long, options, factors, a driven input with a start value."""
    system = System("signals")
    system.add("wave", "signal.Sine", {"amplitude": 2.0})
    system.add("twice", "signal.Gain", {"k": 2.0, "u": 3.0})
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 0.375})
    for name in ("a", "b", "c", "d"):
        system.add(name, "mechanical1d.Force", kind="me")
        system.connect("mass.flange", f"{name}.flange")
    system.add("sum", "signal.Sum")
    system.connect("sum.u1", "wave.y", factor=-0.1, offset=1 / 3)
    system.connect("wave.y", "sum.u2")
    system.connect("sum.y", "d.force")
    system.drive("twice.u", 0.1)
    system.drive("a.force", 0.7)
    t = np.linspace(0.0, 1.0, 48)
    system.drive("b.force", np.column_stack((t, np.sin(7 * t))))
    system.drive("c.force", [(0.0, 1.0), (0.25, 1.0), (0.25, -1.0), (0.5, 0.1)])
    return system


def both_ways(system: System, path: Path, **options: Any) -> System:
    """Writes a system, checks that the file is valid and that OMSimulator reads it, and reads it again."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert system.to_ssp(path, **options) == path
    warned = any("structural parameters" in str(each.message) for each in caught)
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    assert "SystemStructureDescription" in check_valid(path)
    found = refusals(path)
    assert any("structuralParameter" in each for each in found) is warned
    # Limits of OMSimulator that no package can avoid; CasADi writes FMUs of the last kind.
    known = ("linear transformation", "structuralParameter", "cannot run as CoSimulation of FMI 3.0")
    assert [each for each in found if not any(word in each for word in known)] == []
    return System.from_ssp(path)


def same_bits(system: System, other: System, **run: Any) -> None:
    a, b = system.simulate(**run), other.simulate(**run)
    assert a.outcome.completed and a.names == b.names and len(a) == len(b)
    for name in a.names:
        assert a[name].tobytes() == b[name].tobytes(), name


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in SHORT])
def test_examples_are_the_same_after_the_way_there_and_back(name: str, tmp_path: Path) -> None:
    """Their definitions are the same, and their runs are bit-identical."""
    if name.startswith("27"):
        pytest.importorskip("SALib", reason="SALib is not installed: pip install SALib")
    system = getattr(example(name), MADE_BY.get(name, "system"))(**OF.get(name, {}))
    again = both_ways(system, tmp_path / "example.ssp")
    assert again.definition == system.definition and again.notes == ()
    same_bits(system, again, **SHORT[name])


def test_every_example_is_written_or_refused() -> None:
    """None is left out of the tests here."""
    told = {*SHORT, *WITH_FILES, *DRIVEN_BY_FUNCTIONS, *ASSEMBLED_FIRST, *IN_OTHER_TOOLS}
    assert told == {path.stem for path in EXAMPLES.glob("*.py")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASSEMBLED_FIRST)
def test_examples_that_begin_at_a_pose(name: str, tmp_path: Path) -> None:
    module = example(name)
    system = module.machine()
    again = both_ways(system, tmp_path / "example.ssp")
    assert again.definition == system.definition and again.notes == ()
    same_bits(system, again, stop_time=0.1, max_step=0.02, initial=module.assembled(system))


@pytest.mark.slow
def test_examples_with_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A joint of one's own, a servo of another tool that a table drives, a planner in Python, and what is exported as mechanisms."""
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    own, servo, digger = example("02_own_joint"), example("04_foreign_fmu"), example("07_excavator")
    exported = example("11_exported_mechanisms")
    made = {
        "own joint": (own.system(own.build(tmp_path)), {"stop_time": 0.2}),
        "servo": (servo.system(servo.export_servo(tmp_path)), {"stop_time": 0.2}),
        "digger": (digger.system(digger.build_planner(tmp_path)), {"stop_time": 0.05, "communication_step": 0.01}),
        **{f.__name__: (f(), None) for f in (exported.seven_bodies, exported.crane_mechanics, exported.slider_crank)},
    }
    for name, (system, run) in made.items():
        again = both_ways(system, tmp_path / f"{name}.ssp")
        assert again.definition == system.definition, name
        if run is not None:
            same_bits(system, again, **run)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRIVEN_BY_FUNCTIONS)
def test_examples_that_functions_drive_are_refused(name: str, tmp_path: Path) -> None:
    """The message names the inputs, and nothing is written."""
    sentence = refusal(lambda: example(name).system().to_ssp(tmp_path / "x.ssp"), BuildError)
    assert sentence.startswith(DRIVEN_BY_FUNCTIONS[name]) and "cannot be written as SSP: a Python function drives" in sentence
    assert not (tmp_path / "x.ssp").exists()


@pytest.mark.parametrize("parameters", ["inline", "file"])
def test_what_ssp_has_no_words_for(parameters: str, tmp_path: Path) -> None:
    """Sums, tables and options are read as they were, values in the description or in files of their own."""
    system = signals()
    path = tmp_path / "signals.ssp"
    again = both_ways(system, path, parameters=parameters)
    assert again.definition == system.definition
    with zipfile.ZipFile(path) as archive:
        assert any(name.endswith(".ssv") for name in archive.namelist()) is (parameters == "file")
    same_bits(system, again, stop_time=1.0)
    once_more = both_ways(again, tmp_path / "again.ssp", parameters=parameters)
    assert once_more.definition == system.definition
    assert path.read_bytes() == (tmp_path / "again.ssp").read_bytes()


def test_other_tools_find_the_same_motion_in_it(tmp_path: Path) -> None:
    """Without our own file, sums and tables are components like others, and connections go from variable to variable."""
    system = signals()
    system.to_ssp(tmp_path / "signals.ssp")
    plain = System.from_ssp(for_others(tmp_path / "signals.ssp"))
    assert plain.drives == {} and {"b_force_table", "c_force_table"} <= set(plain.instances)
    assert "mass_flange_f_sum" in plain.instances
    a, b = (each.simulate(1.0, rtol=1e-10, atol=1e-12) for each in (system, plain))
    assert b["mass.s"] == pytest.approx(a["mass.s"], abs=1e-9)
    assert np.ptp(a["mass.s"]) > 0.1


def test_values_that_were_changed_count(tmp_path: Path) -> None:
    """A parameter, and the constant that drives an input, changed in another editor; ports stay, since connections are as they were."""
    system = signals()
    system.to_ssp(tmp_path / "signals.ssp")
    one = replaced(tmp_path / "signals.ssp", "SystemStructure.ssd", 'name="m">\n', 'name="m">\n<!-- heavier -->')
    two = replaced(one, "SystemStructure.ssd", '<ssv:Real value="0.7"', '<ssv:Real value="0.9"')
    again = System.from_ssp(replaced(two, "SystemStructure.ssd", '<ssv:Real value="0.375"', '<ssv:Real value="0.5"'))
    assert again.connections == system.connections and again.notes == ()
    assert again.start_values["mass"] == {"m": 2.0, "s": 0.5}
    assert again.drives["a.force"].value == 0.9  # type: ignore[union-attr]  # it is a constant
    assert again.drives["b.force"] == system.drives["b.force"]


def test_connections_that_were_changed_count(tmp_path: Path) -> None:
    """Then ports and drives are those of variables, and a note says so."""
    signals().to_ssp(tmp_path / "signals.ssp")
    old = '<ssc:LinearTransformation factor="-0.1"'
    again = System.from_ssp(replaced(tmp_path / "signals.ssp", "SystemStructure.ssd", old, old.replace("-0.1", "0.5")))
    assert ("wave.y", "sum.u1") in again.connections and again.drives == {}
    assert again.notes == (
        "the package was changed after Jourdain had written it: its elements and connections count, variable by variable, instead of ports and "
        "drives",
    )
    (change,) = again.definition.transformations
    assert (change.factor, change.offset) == (0.5, 1 / 3)


def test_settings_come_along(tmp_path: Path) -> None:
    """Times are those of the default experiment too; without new settings those that were read are written again."""
    system = example("01_pendulum").system()
    settings = {"stop_time": 0.3, "rtol": 1e-9, "solver": "dop853", "initial": "check"}
    again = both_ways(system, tmp_path / "a.ssp", settings=settings)
    assert dict(again.settings) == settings
    assert dict(both_ways(again, tmp_path / "b.ssp").settings) == settings
    assert dict(pickle.loads(pickle.dumps(again)).settings) == dict(deepcopy(again).settings) == settings
    assert again.simulate(**again.settings).time[-1] == 0.3
    with zipfile.ZipFile(tmp_path / "a.ssp") as archive:
        assert '<ssd:DefaultExperiment startTime="0.0" stopTime="0.3"' in archive.read("SystemStructure.ssd").decode()
    changed = System.from_ssp(
        replaced(tmp_path / "a.ssp", "SystemStructure.ssd", 'startTime="0.0" stopTime="0.3"', 'startTime="0.1" stopTime="0.4"')
    )
    assert dict(changed.settings) == {**settings, "start_time": 0.1, "stop_time": 0.4}


def test_positions_of_elements_connectors_and_icons(tmp_path: Path) -> None:
    """Elements lie apart from each other, connectors where the port of their FMU is drawn, icons are images in the package."""
    from lxml import etree

    system = example("01_pendulum").system()
    system.to_ssp(tmp_path / "pendulum.ssp")
    with zipfile.ZipFile(tmp_path / "pendulum.ssp") as archive:
        root = etree.fromstring(archive.read("SystemStructure.ssd"))
        names = {"ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription"}
        boxes = {}
        for component in root.iterfind(".//ssd:Component", names):
            geometry = component.find("ssd:ElementGeometry", names)
            boxes[component.get("name")] = [float(geometry.get(key)) for key in ("x1", "y1", "x2", "y2")]
            assert archive.read(geometry.get("iconSource")).startswith(b"\x89PNG")
        assert list(boxes) == ["ground", "rod", "pin"]
        assert all(x1 < x2 and y1 < y2 for x1, y1, x2, y2 in boxes.values())
        for one, other in combinations(boxes.values(), 2):
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        pin = {
            c.get("name"): c.find("ssd:ConnectorGeometry", names)
            for c in root.iterfind(".//ssd:Component[@name='pin']//ssd:Connector", names)
        }
        places = {name: (float(each.get("x")), float(each.get("y"))) for name, each in pin.items()}
        assert places["M.x"] == places["M.Fx"] == (0.0, 0.5) and places["N.x"] == places["N.Cz"] == (1.0, 0.5)
    again = System.from_ssp(tmp_path / "pendulum.ssp")
    again.to_ssp(tmp_path / "again.ssp")
    assert (tmp_path / "again.ssp").read_bytes() == (tmp_path / "pendulum.ssp").read_bytes()
    moved = replaced(tmp_path / "pendulum.ssp", "SystemStructure.ssd", f'x1="{boxes["rod"][0]}"', 'x1="-71.5"')
    System.from_ssp(moved).to_ssp(tmp_path / "moved.ssp")
    with zipfile.ZipFile(tmp_path / "moved.ssp") as archive:
        assert 'x1="-71.5"' in archive.read("SystemStructure.ssd").decode()


def test_guesses_come_along(tmp_path: Path) -> None:
    """The guesses of instances keep their tolerances."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5}, guess={"theta": (-1.2, 0.1), "x": 0.2})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.to_ssp(tmp_path / "pendulum.ssp")
    again = System.from_ssp(tmp_path / "pendulum.ssp")
    assert again.definition == system.definition and again.definition.instances[1].guess == (("theta", (-1.2, 0.1)), ("x", 0.2))


def test_processes_come_along(tmp_path: Path) -> None:
    """An instance may have a process of its own, or share one with a group."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5}, process="own")
    system.add("other", "planar.Body1", {"p1.rx": -0.5}, process="licensed")
    for name in ("rod", "other"):
        system.join("planar.Revolute", "ground.p1", f"{name}.p1", name=f"pin of {name}", process="licensed")
    again = both_ways(system, tmp_path / "pendulum.ssp")
    assert again.definition == system.definition
    assert [each.process for each in again.definition.instances] == [None, "own", "licensed", "licensed", "licensed"]


@pytest.mark.parametrize("parameters", ["inline", "file"])
def test_names_in_packages_have_no_blanks(parameters: str, tmp_path: Path) -> None:
    """Other tools divide names at blanks: the names are in descriptions there, and the same system is read again."""
    leg = System("leg")
    leg.add("upper arm", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system = System("a walking machine")
    system.add("the ground", "planar.Fixed")
    system.add("push here", "planar.Wrench", {"Fx": 2.375})
    system.add("push_here", "planar.Wrench")
    system.include("left leg", leg)
    system.join("planar.Revolute", "the ground.p1", "left leg.upper arm.p1", name="hip joint")
    for wrench in ("push here", "push_here"):
        system.connect(f"{wrench}.M", "left leg.upper arm.p1")
    system.drive("push_here.Fy", [(0.0, 0.0), (0.1, 1.0)])
    path = tmp_path / "machine.ssp"
    sentence = f"'{path}': 'push here' is called 'push_here_2' there, since 'push_here' is taken; give it a name of letters, digits, '_' and '-' to choose another one"
    with pytest.warns(UserWarning, match=f"^{re.escape(sentence)}$"):
        again = both_ways(system, path, parameters=parameters)
    assert again.definition == system.definition and again.notes == ()
    same_bits(system, again, stop_time=0.2)
    with zipfile.ZipFile(path) as archive:
        files, structure = archive.namelist(), ElementTree.fromstring(archive.read("SystemStructure.ssd"))
    named = {each.get("name", ""): each for each in structure.iter() if each.tag.endswith(("}System", "}Component"))}
    assert not [name for name in (*files, *named) if name.split() != [name]]
    described = {name: each.get("description") for name, each in named.items()}
    assert described.items() >= {
        ("the_ground", "the ground"),
        ("push_here", None),
        ("push_here_2", "push here"),
        ("left_leg", "left leg"),
        ("upper_arm", "left leg.upper arm"),
    }
    assert (structure.get("name"), structure.get("description")) == ("a_walking_machine", "a walking machine")
    if parameters == "inline":
        heavier = replaced(path, "SystemStructure.ssd", '<ssv:Real value="2.375"', '<ssv:Real value="3.0"')
        assert System.from_ssp(heavier).start_values["push here"] == {"Fx": 3.0}
    stripped = System.from_ssp(for_others(path))
    assert {"push_here_2", "left_leg.upper_arm", "hip_joint"} <= set(stripped.instances) and stripped.name == "a_walking_machine"


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """Is refused by the name of the input, option or path."""
    system = System("s")
    assert refusal(lambda: system.to_ssp(tmp_path / "s.ssp")) == "the system 's' is empty; add instances first"
    system.add("gain", "signal.Gain")
    system.drive("gain.u", lambda t: t)
    assert refusal(lambda: system.to_ssp(tmp_path / "s.ssp")) == (
        "'gain.u' cannot be written as SSP: a Python function drives it; drive it by an expression of jourdain.declare.t or a table, or add a component such as signal.Sine"
    )
    assert refusal(lambda: system.to_ssp("s.zip")) == (
        "path = 's.zip' is refused: give the name of a file that ends in .ssp, such as 'crane.ssp'"
    )
    missing = tmp_path / "none" / "s.ssp"
    assert refusal(lambda: system.to_ssp(missing)) == (
        f"'{missing}' cannot be written: there is no folder '{missing.parent}'; make it, or choose another path"
    )
    assert refusal(lambda: system.to_ssp(tmp_path / "s.ssp", {"stop_tim": 1.0})) == (
        "settings has no option 'stop_tim'; did you mean 'stop_time' or 'start_time'?"
    )
    assert (
        refusal(lambda: system.to_ssp(tmp_path / "s.ssp", {"stop_time": "x"}))
        == "settings: stop_time = 'x' is refused: give a number, in s"
    )
    assert (
        refusal(lambda: system.to_ssp(tmp_path / "s.ssp", {"stop_time": float("nan")}))
        == "settings: stop_time = nan is refused: give a number, in s"
    )
    assert refusal(lambda: system.to_ssp(tmp_path / "s.ssp", [1.0])) == (  # type: ignore[arg-type]  # what is tested
        "settings = [1.0] is refused: give options of simulate by name, such as {'stop_time': 2.0}"
    )
    (tmp_path / "taken.ssp").mkdir()
    assert refusal(lambda: signals().to_ssp(tmp_path / "taken.ssp"), OSError) == (
        f"'{tmp_path / 'taken.ssp'}' cannot be written: Is a directory; choose another path"
    )
    assert re.match("settings: atol = .* is refused", refusal(lambda: system.to_ssp(tmp_path / "s.ssp", {"atol": np.ones(2)})))
    assert refusal(lambda: system.to_ssp(tmp_path / "s.ssp", parameters="beside")) == (
        "parameters = 'beside' is refused: choose 'inline', or 'file' for files .ssv in the package"
    )


@pytest.mark.parametrize("table", [False, True])
def test_prescribed_motion_keeps_its_rates_on_the_way(table: bool, tmp_path: Path) -> None:
    """A road as a number and as a smooth table: the run to the bit, and the rates of linear models."""
    system = System("quarter-car")
    system.add("road", "mechanical1d.Position")
    system.add("body", "mechanical1d.Mass", {"m": 300.0})
    system.join("mechanical1d.SpringDamper1D", "road.flange", "body.flange", {"k": 2e4, "b": 1500.0}, name="strut")
    system.drive("road.position", [(0.0, 0.0), (0.2, 0.0), (0.3, 0.05), (0.4, 0.0), (1.0, 0.0)] if table else 0.02, smooth=table)
    again = both_ways(system, tmp_path / "car.ssp")
    assert again.definition == system.definition and again.notes == ()
    same_bits(system, again, stop_time=1.0)
    one, other = (each.linearise(["road.position"], ["body.s", "road.force"]) for each in (system, again))
    assert one.B1.any() and all(getattr(one, m).tobytes() == getattr(other, m).tobytes() for m in ("A", "B", "B1", "B2", "D1", "D2"))


def test_a_start_that_only_we_close(tmp_path: Path) -> None:
    """Other tools do not assemble: a warning names the form in which the start is closed, and that form warns of nothing."""
    system = example("26_measured_pendulum").system()
    settings = {"stop_time": 0.01, "initial": "assemble"}
    with pytest.warns(UserWarning) as caught:
        system.to_ssp(tmp_path / "components.ssp", settings)
    assert [str(each.message).partition(": ")[2] for each in caught if "assemble" in str(each.message)] == [
        "initial = 'assemble' is for Jourdain alone: in other tools the parts begin at their start values, also where these contradict joints; "
        "write the package with form='mechanism', whose FMU closes the joints"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.to_ssp(tmp_path / "mechanism.ssp", settings, form="mechanism")
    closed = System.from_ssp(tmp_path / "mechanism.ssp").simulate(0.01)
    assert np.hypot(closed["mechanism.rod.x"][0], closed["mechanism.rod.y"][0]) == pytest.approx(0.5, abs=1e-9)
