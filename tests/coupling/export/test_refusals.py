"""Systems that cannot be exported are refused by a sentence, and leave no file."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from coupling import System
from tests.support import foreign
from tests.support.oracles.planar import Pendulum
from tests.support.systems.blocks import limbs
from tests.support.systems.exported import CASES, export
from tests.support.systems.systems import refusal, system_of


def pendulum(**drives: object) -> System:
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def with_(change: Callable[[System], object]) -> System:
    system = pendulum()
    change(system)
    return system


def contradictory() -> System:
    """Two pins that hold the same two bodies at points that do not fit."""
    system = System("contradiction")
    system.add("ground", "planar.Fixed", {"p1.rx": 0.0})
    system.add("wall", "planar.Fixed", {"p1.rx": 5.0})
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    for pin, fixed, port in (("a", "ground", "p1"), ("b", "wall", "p2")):
        system.add(pin, "planar.Revolute")
        system.connect(f"{fixed}.p1", f"{pin}.M")
        system.connect(f"rod.{port}", f"{pin}.N")
    return system


def nothing_to_move() -> System:
    """A joint between two fixed points, whose multiplier nothing determines and whose residual nothing can change."""
    system = System("rigid")
    system.add("a", "planar.Fixed")
    system.add("b", "planar.Fixed", {"p1.rx": 0.1})
    system.add("pin", "planar.Revolute")
    system.connect("a.p1", "pin.M")
    system.connect("b.p1", "pin.N")
    return system


def named_solver() -> System:
    from fmu_components.declare.component import Component

    class Odd(Component):
        """A component with a parameter of an unlucky name."""

        def declare(self) -> None:
            number = self.parameter("implicit", 1.0, "", "a number")
            self.output("twice", 2 * number, "", "twice the number")

    system = pendulum()
    system.add("solver", Odd)
    return system


SENTENCES: dict[str, tuple[Callable[[], System], dict[str, object], tuple[str, ...]]] = {
    "foreign FMU": (
        lambda: with_(lambda s: s.add("pump", foreign.gain())),
        {},
        ("'pump' cannot be exported", "Leave it out of the system"),
    ),
    "function of time": (lambda: with_(lambda s: s.drive("pin.effort", lambda t: t)), {}, ("'pin.effort' cannot be exported", "table")),
    "violated start": (contradictory, {}, ("the start violates constraints", "b.position[1]")),
    "contradiction": (nothing_to_move, {"initial": "relax"}, ("contradict",)),
    "unconnected port": (
        lambda: with_(lambda s: s.add("loose", "planar.Revolute")),
        {},
        ("'loose.M' of planar.Revolute is not connected", "connect it"),
    ),
    "empty": (lambda: System("nothing"), {}, ("is empty",)),
    "no name": (lambda: renamed(" "), {}, ("the system's name ' '", "give it one")),
    "unknown input": (pendulum, {"inputs": ["rod.p3"]}, ("inputs: 'rod.p3' cannot be opened", "its ports are 'p1'")),
    "output as input": (pendulum, {"inputs": ["rod.p1.x"]}, ("'rod.p1.x' cannot be opened", "it is no input but an output")),
    "multiplier as input": (pendulum, {"inputs": ["pin.lambda[1]"]}, ("'pin.lambda[1]' cannot be opened",)),
    "taken input": (pendulum, {"inputs": ["pin.M"]}, ("'pin.M.x' has a source already",)),
    "driven input": (
        lambda: with_(lambda s: s.drive("pin.effort", 1.0)),
        {"inputs": ["pin.effort"]},
        ("'pin.effort' is driven already",),
    ),
    "input twice": (pendulum, {"inputs": ["rod.p2", "rod.p2.Fx"]}, ("'rod.p2.Fx' is named twice",)),
    "inputs no list": (pendulum, {"inputs": 7}, ("inputs = 7 is refused",)),
    "unknown output": (pendulum, {"outputs": ["rod.tehta"]}, ("outputs: 'rod.tehta' cannot be chosen", "rod.theta")),
    "parameter as output": (pendulum, {"outputs": ["rod.m"]}, ("outputs: 'rod.m' cannot be chosen", "parameter")),
    "no match": (pendulum, {"parameters": ["*.mass"]}, ("parameters: '*.mass' cannot be chosen",)),
    "version": (pendulum, {"fmi": 1}, ("fmi = 1 is refused", "2 or 3")),
    "platform": (pendulum, {"platforms": ["darwin64"]}, ("platforms = ['darwin64'] is refused", "linux64")),
    "version as a float": (pendulum, {"fmi": 3.0}, ("fmi = 3.0 is refused",)),
    "implicit": (pendulum, {"implicit": "yes"}, ("implicit = 'yes' is refused", "True or False")),
    "ls_dae": (pendulum, {"ls_dae": 1}, ("ls_dae = 1 is refused",)),
    "locals": (pendulum, {"locals": None}, ("locals = None is refused", "True or False")),
    "long name": (lambda: renamed("x" * 400), {}, ("at most 100 characters",)),
    "unprintable name": (lambda: renamed("a\0b"), {}, ("cannot be printed",)),
    "multiplier as output": (pendulum, {"outputs": ["pin.lambda[1]"]}, ("solved for inside", "'multiplier' of the same number")),
    "acceleration as output": (limbs, {"outputs": ["tail.qdd"]}, ("solved for inside, and its value is 'acceleration' beside it",)),
    "parameter without effect": (pendulum, {"parameters": ["pin.compliant.k"]}, ("has no effect in an exported mechanism",)),
    "state as input": (pendulum, {"inputs": ["rod.theta"]}, ("it is no input but a state",)),
    "initial": (pendulum, {"initial": "guess"}, ("initial = 'guess'",)),
    "stop time": (pendulum, {"stop_time": -1.0}, ("stop_time = -1",)),
    "name clash": (named_solver, {}, ("'solver' has a variable 'implicit'", "give the instance another name")),
}


def renamed(name: str) -> System:
    system = pendulum()
    system.name = name
    return system


@pytest.mark.parametrize("what", SENTENCES)
def test_refused_by_a_sentence_without_a_file(what, tmp_path):
    make, options, words = SENTENCES[what]
    system = make()
    sentence = refusal(lambda: system.export_fmu(tmp_path / "x.fmu", **{"platforms": ["linux64"], **options}))
    assert all(word in sentence for word in words), sentence
    assert list(tmp_path.iterdir()) == []


def test_a_whole_mechanism_is_no_component(tmp_path):
    system = System("outer")
    system.add("inner", export(system_of(Pendulum())))
    sentence = refusal(lambda: system.export_fmu(tmp_path / "x.fmu"))
    assert "is a whole mechanism itself" in sentence and "export these together" in sentence


def test_paths_that_cannot_be_written(tmp_path):
    system = CASES["pendulum"].system()
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.fmu").mkdir()
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    sentences = {
        tmp_path / "x.zip": "must end in .fmu",
        tmp_path / "folder.fmu": "is a folder",
        tmp_path / "file" / "x.fmu": "is no folder",
        7: "path = 7 is refused",
        "": "give the name of a file",
        ".fmu": "give the name of a file",
    }
    if os.geteuid() != 0:  # root may write anywhere
        sentences[closed / "x.fmu"] = "may not be written in"
    for path, words in sentences.items():
        assert words in refusal(lambda path=path: system.export_fmu(path))
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["closed", "file", "folder.fmu"]


def test_a_disk_that_fails_leaves_what_was_there(tmp_path, monkeypatch):

    path = tmp_path / "x.fmu"
    path.write_bytes(b"what was there")

    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    sentence = refusal(lambda: CASES["pendulum"].system().export_fmu(path, platforms=["linux64"]))
    assert "cannot be written: No space left on device" in sentence
    assert path.read_bytes() == b"what was there" and list(tmp_path.iterdir()) == [path]


def test_folders_on_the_way_are_made(tmp_path):
    path = CASES["pendulum"].system().export_fmu(tmp_path / "a" / "b" / "x.fmu", platforms=["linux64"])
    assert path == Path(tmp_path / "a" / "b" / "x.fmu") and path.is_file()


def test_a_system_can_be_exported_again_and_simulated(tmp_path):
    """Exporting changes nothing: neither the system nor, with the same choice, the file."""
    system = pendulum()
    first = system.export_fmu(tmp_path / "a.fmu", inputs=["rod.p2"], platforms=["linux64"]).read_bytes()
    assert system.simulate(0.1).outcome.completed
    assert system.export_fmu(tmp_path / "b.fmu", inputs=["rod.p2"], platforms=["linux64"]).read_bytes() == first


def test_odd_names_make_a_binary_all_the_same(tmp_path):
    import fmpy

    system = renamed("7 bodies & <more> ??/")
    system.add("two words", "signal.Constant")
    path = system.export_fmu(tmp_path / "x.fmu", platforms=["linux64"])
    description = fmpy.read_model_description(str(path))
    assert description.modelName == "7 bodies & <more> ??/" and description.coSimulation.modelIdentifier == "_7_bodies____more_____"
    assert fmpy.simulate_fmu(str(path), stop_time=0.01)["time"][-1] == pytest.approx(0.01)


@pytest.mark.parametrize(("platform", "words"), [("linux64", "no C compiler was found"), ("win64", "win64 needs the cross compiler")])
def test_without_a_compiler_the_sentence_says_what_to_install(platform, words, tmp_path, monkeypatch):
    from fmu_components.export import compile as c

    system = pendulum()
    system.build()
    monkeypatch.setattr(c.shutil, "which", lambda name: None)
    monkeypatch.delenv("CC", raising=False)
    assert words in refusal(lambda: system.export_fmu(tmp_path / "x.fmu", platforms=[platform]), c.ExportError)
    assert list(tmp_path.iterdir()) == []
