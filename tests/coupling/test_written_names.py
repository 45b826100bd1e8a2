"""Names of forty kinds: each is refused by a sentence, or is the same after it was written to nine kinds of files and read again."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection
from pathlib import Path
from xml.etree import ElementTree

import DyMat
import pytest

from coupling import BuildError, Result, System
from coupling.fmus import load
from coupling.names import without_blanks
from coupling.sweep import sweep
from tests.support.systems.systems import refusal

FIT = {
    "plain": "rod", "capitals": "ROD", "a digit first": "1st", "an underscore": "_rod", "a hyphen": "rod-2", "a blank": "my rod",
    "two blanks": "my  rod", "umlauts": "Größe", "a decomposed letter": "e\u0301tau", "the same composed": "\u00e9tau", "Greek": "θ",
    "Chinese": "曲柄", "Arabic": "ذراع", "a vowel sign": "छड़", "an emoji": "🛠", "beyond 16 bits": "𝛼", "a quote": 'rod"2"',
    "an apostrophe": "rod's", "brackets": "rod[1]", "parentheses": "rod(1)", "braces": "{rod}", "an element": "<rod/>", "an entity": "&amp;",
    "a script": "</script><b>", "a slash": "a/b", "dots of a path": "%2e%2e", "a backslash": "a\\b", "a percent": "%s%n", "a comma": "a,b",
    "a semicolon": "a;b", "a tab of XML": "&#9;", "a hash": "#rod", "a trigraph": "a??/", "a dollar": "$(rod)", "a reserved word": "int",
    "a word of Python": "None", "der": "der(rod)", "time": "time", "a device": "NUL", "a long one": "r" * 200,
}  # fmt: skip
UNFIT = {
    "a joiner": "می\u200cخواهم",
    "empty": "", "a dot": "a.b", "a star": "a*", "a comment": "a/*b", "the end of a comment": "a*/", "blanks around": " rod ", "a zero": "a\0b",
    "a line break": "a\nb", "a tab": "a\tb", "a return": "a\rb", "a bell": "a\x07", "an escape": "\x1b[31mrod", "C1": "a\x9bm", "a surrogate": "a\ud800",
    "a noncharacter": "a\ufffe", "right to left": "a\u202eb", "an isolate": "a\u2066b", "a byte order mark": "\ufeffrod", "a soft hyphen": "a\u00adb",
    "a line of Unicode": "a\u2028b", "private": "a\ue000", "a formula": "=1+1", "a plus": "+1", "a minus": "-1", "an at": "@SUM(A1)",
    "too long": "r" * 201,
}  # fmt: skip


@pytest.fixture(scope="module")
def system() -> System:
    """A body for each name that fits; the system has the oddest name of a file."""
    system = System(FIT["a script"])
    for name in FIT.values():
        system.add(name, "planar.Body1")
    return system


@pytest.fixture(scope="module")
def result(system: System) -> Result:
    return system.simulate(0.01)


def saved(system: System, result: Result, path: Path) -> Collection[str]:
    result.save(path.with_suffix(".jrd"))
    found = Result.load(path.with_suffix(".jrd"))
    assert found.system == system.name
    return _instances(found.names)


def resumed(system: System, result: Result, path: Path) -> Collection[str]:
    system.simulate(0.01, checkpoint=path)
    return _instances(System.resume(path, stop_time=0.02).names)


def tabulated(system: System, result: Result, path: Path) -> Collection[str]:
    result.to_csv(path)
    with path.open(newline="", encoding="utf-8") as file:
        time, *names = next(csv.reader(file))
    assert time == "time [s]" and not [each for each in names if each[0] in "=+-@\t\r"]
    return _instances([each.rpartition(" [")[0] or each for each in names])


def for_modelica(system: System, result: Result, path: Path) -> Collection[str]:
    result.to_mat(path)
    return _instances(each.encode("latin-1").decode() for each in DyMat.DyMatFile(str(path)).names())


def packed(system: System, result: Result, path: Path) -> Collection[str]:
    target = path.with_suffix(".ssp")
    system.to_ssp(target)
    found = System.from_ssp(target)
    assert found.definition.name == system.name
    return found.instances


def exported(system: System, result: Result, path: Path) -> Collection[str]:
    found = _instances(load(system.export_fmu(path.with_suffix(".fmu"))).variables)
    return [name for name, there in without_blanks(FIT.values()).items() if there in found]


def drawn(system: System, result: Result, path: Path) -> Collection[str]:
    system.diagram(path.with_suffix(".svg"))
    titles = [each.text or "" for each in ElementTree.parse(path.with_suffix(".svg")).iter("{http://www.w3.org/2000/svg}title")]
    assert titles[0] == system.name
    return {name for name in FIT.values() if any(each.startswith(name) for each in titles[1:])}


def animated(system: System, result: Result, path: Path) -> Collection[str]:
    text = result.animate(path.with_suffix(".html"), title=system.name).read_text(encoding="utf-8")
    assert f"<title>{system.name}" not in text
    (scene,) = re.findall(r'<script type="application/json" id="scene">(.*?)</script>', text, re.DOTALL)
    return {each["name"] for each in json.loads(scene)["frames"]}


def swept(system: System, result: Result, path: Path) -> Collection[str]:
    masses = {f"{name}.m": [1.0] for name in FIT.values()}
    sweep(system, masses, stop_time=0.0, measure={name: lambda result: 0.0 for name in FIT.values()}).to_csv(path)
    with path.open(newline="", encoding="utf-8") as file:
        columns = next(csv.reader(file))
    assert set(FIT.values()) <= set(columns)
    return _instances(each for each in columns if each.endswith(".m"))


def _instances(names: Collection[str] | object) -> set[str]:
    return {each.partition(".")[0] for each in names if "." in each}  # type: ignore[attr-defined]


@pytest.mark.parametrize("way", [saved, resumed, tabulated, for_modelica, packed, exported, drawn, animated, swept])
def test_names_come_back(way: Callable[[System, Result, Path], Collection[str]], system: System, result: Result, tmp_path: Path) -> None:
    """Each of forty kinds of names is in the file as it was given."""
    assert len(FIT) == 40
    found = way(system, result, tmp_path / "named")
    assert set(FIT.values()) - set(found) == set()


@pytest.mark.parametrize("kind", UNFIT)
def test_names_that_fit_nowhere(kind: str, result: Result, tmp_path: Path) -> None:
    """Instances, joints, systems, titles and measures are refused by one sentence, which shows the name without its odd characters."""
    name, system = UNFIT[kind], System()
    system.add("a", "planar.Body1")
    calls: list[Callable[[], object]] = [lambda: system.add(name, "planar.Body1"), lambda: system.include(name, System())]
    if kind not in ("empty", "a dot", "a star", "blanks around"):
        calls += [
            lambda: System(name),
            lambda: result.animate(tmp_path / "a.html", title=name),
            lambda: sweep(system, {"a.m": [1.0]}, stop_time=0.0, measure={name: len}),
        ]
    for call in calls:
        sentence = refusal(call, (BuildError, ValueError))
        assert sentence.isprintable() and "; give " in sentence
