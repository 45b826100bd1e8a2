"""The documentation inside exported mechanisms, held against their model descriptions and the systems that they were made of."""

from __future__ import annotations

import io
import math
import re
import zlib
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from zipfile import ZipFile

import fmpy
import pytest
from fmpy.model_description import ModelDescription

from coupling import System
from tests.support.diagrams import offences
from tests.support.properties import check_all
from tests.support.systems.exported import CASES, export, exported
from tests.support.systems.zoo import made


def crane() -> System:
    """A boom on a pin, with names that markup has other uses for, a table, a constant, and a port that is in use and open as well."""
    system = made(
        {
            "ground": ("planar.Fixed", {}),
            "pin <1>": ("planar.Revolute", {"rotation.b": 0.5}),
            'boom & "jib"': ("planar.Body3", {"m": 10.0, "I": 3.0, "p1.rx": -1.0, "p2.rx": 1.0, "x": 1.0}),
            "push": ("planar.Wrench", {}),
            "hook": ("planar.Revolute", {}),
            "load": ("planar.Body1", {"m": 2.0, "x": 2.0}),
        },
        [
            ("ground.p1", "pin <1>.M"),
            ("pin <1>.N", 'boom & "jib".p1'),
            ("push.M", 'boom & "jib".p3'),
            ('boom & "jib".p2', "hook.M"),
            ("hook.N", "load.p1"),
        ],
    )
    system.name = "crane < & >"
    system.drive("push.Fy", [(0, 0), (0.5, 3.0), (1, 0)])
    system.drive("push.Cz", 4.0)
    return system


def plank() -> System:
    """A plank that two welds hold: three constraints too many."""
    return made(
        {
            "plank": ("planar.Body2", {"p1.rx": -1.0, "p2.rx": 1.0}),
            "left post": ("planar.Fixed", {"p1.rx": -1.0}),
            "right post": ("planar.Fixed", {"p1.rx": 1.0}),
            "left": ("planar.Weld", {}),
            "right": ("planar.Weld", {}),
        },
        [("left post.p1", "left.M"), ("plank.p1", "left.N"), ("right post.p1", "right.M"), ("plank.p2", "right.N")],
    )


def chain(bodies: int) -> System:
    parts, connections, last = {"ground": ("planar.Fixed", {})}, [], "ground.p1"
    for i in range(bodies):
        parts[f"pin{i}"] = ("planar.Revolute", {})
        parts[f"rod{i}"] = ("planar.Body2", {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": i + 0.5})
        connections += [(last, f"pin{i}.M"), (f"pin{i}.N", f"rod{i}.p1")]
        last = f"rod{i}.p2"
    return made(parts, connections)


SYSTEMS = {
    "crane": (crane, {"inputs": ('boom & "jib".p2', "push.Fx"), "ls_dae": True}),
    "plank": (plank, {"outputs": ("left.N", "plank"), "parameters": ("plank.m",)}),
    "chain": (lambda: chain(100), {"initial": "relax"}),
}
NAMES = [*SYSTEMS, *CASES]


@cache
def file_of(name: str, fmi: int) -> Path:
    if name in CASES:
        return exported(name, fmi)
    system, options = SYSTEMS[name]
    return export(system(), fmi, **options)


@cache
def text_of(name: str, fmi: int) -> str:
    with ZipFile(file_of(name, fmi)) as archive:
        return archive.read("documentation/index.html").decode()


@cache
def page_of(name: str, fmi: int) -> Element:
    return ElementTree.fromstring(text_of(name, fmi))


@cache
def description_of(name: str, fmi: int) -> ModelDescription:
    return fmpy.read_model_description(str(file_of(name, fmi)))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def html(name: str, fmi: int) -> Element:
    return page_of(name, fmi)


@pytest.fixture
def described(name: str, fmi: int) -> ModelDescription:
    return description_of(name, fmi)


@pytest.fixture
def system(name: str) -> System:
    return CASES[name].exportable if name in CASES else SYSTEMS[name][0]()


def plain(element: Element | None) -> str:
    assert element is not None
    return "".join(element.itertext())


def without_blanks(name: str) -> str:
    return name.replace(" ", "_")


def section(html: Element, title: str) -> Element:
    """Empty where there is no such section."""
    return next((each for each in html.iter("section") if each.findtext("h2") == title), Element("section"))


def rows(element: Element) -> dict[str, list[str]]:
    """The texts of the cells of all rows, by the first of them."""
    return {plain(cells[0]): [plain(c) for c in cells] for row in element.iter("tr") if (cells := row.findall("td"))}


def units(element: Element) -> dict[str, str]:
    """The units that the rows name, as the FMU writes them, by the first cell."""
    return {
        plain(cells[0]): span.get("title", "")
        for row in element.iter("tr")
        if (cells := row.findall("td"))
        for cell in reversed(cells[1:])  # display units come behind
        for span in cell.findall("span")[:1]
    }


# -- the page ----------------------------------------------------------------------------------------------------------


def check_the_page_needs_nothing_but_itself(name, fmi):
    """The page has no script, no style sheet, and no image or link outside of itself."""
    text = text_of(name, fmi)
    assert text.startswith("<!DOCTYPE html>")
    assert not re.search(r"<(script|link|img|iframe|object)|@import|url\(|src=", text)
    assert set(re.findall(r"http[^\"']*", text)) == {"http://www.w3.org/2000/svg"}


def check_every_section_can_be_reached(html):
    anchors = [each.get("href") for each in html.findall("body/nav//a")]
    assert anchors == [f"#{each.get('id')}" for each in html.iter("section")]
    assert len(set(anchors)) == len(anchors) > 8


def check_the_header_names_the_mechanism(html, system):
    assert html.findtext("body/header/div/h1") == system.name
    assert plain(html.find("body/header/div/p")) == f"Mechanism of {len(system.instances)} components"


def check_all_components_are_named_with_type_title_and_states(html, system):
    """One row for each type; its names are those of the system's instances, its title that of the component's own page."""
    shown = {plain(cells[0]): cells for row in section(html, "Components").iter("tr") if (cells := row.findall("td"))}
    assert set(shown) == {fmu.model_name for fmu in system.instances.values()}
    for model, (_, title, states, names) in shown.items():
        members = {instance: fmu for instance, fmu in system.instances.items() if fmu.model_name == model}
        assert [plain(each) for each in names.iter("code")] == list(map(without_blanks, members))
        fmu = next(iter(members.values()))
        assert plain(title) == fmpy.read_model_description(str(fmu.path)).description
        assert plain(states) == (str(len(fmu.states)) if fmu.states else "")


def check_all_connections_are_shown_with_what_gives_motion_first(html, system):
    pairs = [(cells[0], cells[1]) for cells in map(list, rows_of(section(html, "Connections")))]
    expected = [frozenset(map(without_blanks, pair)) for pair in system.connections]
    assert set(map(frozenset, pairs)) == set(expected) and len(pairs) == len(expected)
    instances = {without_blanks(instance): fmu for instance, fmu in system.instances.items()}
    for leader, _ in pairs:
        instance, _, rest = leader.partition(".")
        fmu = instances[instance]
        names = fmu.terminals[rest].members.values() if rest in fmu.terminals else [rest]
        first = next((n for n in names if n.rpartition(".")[2] in ("x", "phi", "s", "p", "v")), rest)
        assert fmu.variables[first].causality != "input"


def rows_of(element: Element) -> list[list[str]]:
    return [[plain(c) for c in cells] for row in element.iter("tr") if (cells := row.findall("td"))]


def check_all_inputs_and_outputs_are_shown_with_unit_and_reference(html, described):
    """Variables of ports are shown with their ports, the others in sections of their own."""
    sections = [section(html, title) for title in ("Open ports", "Inputs", "Outputs")]
    shown = {name: cells for each in sections for name, cells in rows(each).items()}
    written = {name: unit for each in sections for name, unit in units(each).items()}
    expected = {v.name: v for v in described.modelVariables if v.causality in ("input", "output") and "lambda[" not in v.name}
    assert set(shown) == set(expected)
    for name, variable in expected.items():
        assert shown[name][-1] == str(variable.valueReference)
        assert written.get(name) == variable.unit


def check_all_parameters_are_shown_with_default_unit_range_and_reference(html, described):
    """The row of a parameter contains what the model description says about it, with the range in words."""
    shown, written = rows(section(html, "Parameters")), units(section(html, "Parameters"))
    expected = {v.name: v for v in described.modelVariables if v.causality in ("parameter", "structuralParameter")}
    assert set(shown) == set(expected) and len(expected) > 0
    for name, variable in expected.items():
        _, default, unit, _, valid, meaning, reference = shown[name]
        assert reference == str(variable.valueReference)
        text, _, words = variable.description.partition("; must be ")
        assert meaning.startswith(text)
        if variable.type == "Boolean":
            assert (default, unit, valid) == (variable.start, "boolean", "true or false")
            continue
        assert float(default) == pytest.approx(float(variable.start), rel=1e-11)  # twelve digits are shown
        assert written.get(name) == variable.unit
        assert valid == (words or "finite")


def check_all_states_are_shown_with_their_start_values(html, described):
    shown = rows(section(html, "States and start values"))
    states = {v.derivative for v in (d.variable for d in described.derivatives)}
    assert {s.name for s in states} <= set(shown)
    for state in states:
        assert float(shown[state.name][1]) == pytest.approx(float(state.start), rel=1e-11)


def check_the_multipliers_are_counted(html, system, name):
    """The numbers are those of the multipliers that the components leave to the master, by the components' names."""
    text = section(html, "Unknowns")
    joints = {instance: len(fmu.dae.algebraic) for instance, fmu in system.instances.items() if fmu.dae}
    counts = [int(each) for each in re.findall(r"(\d+) multipliers?, of these", plain(text))]
    assert sum(counts) == sum(joints.values()) > 0
    assert {plain(each) for each in text.iter("code")} >= set(map(without_blanks, joints))


def check_it_says_how_it_is_integrated_and_built(html, fmi, described):
    integration, fmu = plain(section(html, "Integration")), plain(section(html, "The FMU"))
    assert "1e-11" in integration and "Radau IIA" in integration and "solver.implicit" in integration
    for part in (described.modelName, described.coSimulation.modelIdentifier, described.guid or described.instantiationToken):
        assert part in fmu
    assert f"FMI {fmi}.0" in fmu
    assert f"-o binaries/{'darwin64' if fmi == 2 else 'aarch64-linux'}/{described.coSimulation.modelIdentifier}.so" in plain(
        section(html, "Other platforms")
    )


def check_the_usage_example_runs(name, fmi):
    """The lines of the page run the FMU and print numbers, besides what the FMU itself may warn of."""
    (example,) = (plain(each) for each in section(page_of(name, fmi), "How to use it").iter("pre"))
    with redirect_stdout(io.StringIO()) as output:
        exec(re.sub(r'"[^"]*\.fmu"', repr(str(file_of(name, fmi))), example, count=1), {})
    printed = [line for line in output.getvalue().splitlines() if not line.startswith("[WARNING]")]
    assert printed and all(math.isfinite(float(each)) for each in printed)


def test_every_page(name, fmi, html, described, system):
    """The checks above, of the page of every mechanism."""
    check_all(
        check_the_page_needs_nothing_but_itself,
        check_every_section_can_be_reached,
        check_the_header_names_the_mechanism,
        check_all_components_are_named_with_type_title_and_states,
        check_all_connections_are_shown_with_what_gives_motion_first,
        check_all_inputs_and_outputs_are_shown_with_unit_and_reference,
        check_all_parameters_are_shown_with_default_unit_range_and_reference,
        check_all_states_are_shown_with_their_start_values,
        check_the_multipliers_are_counted,
        check_it_says_how_it_is_integrated_and_built,
        check_the_usage_example_runs,
        name=name,
        fmi=fmi,
        html=html,
        described=described,
        system=system,
    )


# -- what only some have -----------------------------------------------------------------------------------------------


@pytest.fixture
def of_crane(fmi: int) -> Element:
    return page_of("crane", fmi)


def test_an_open_port_says_what_it_is_connected_with_inside(of_crane):
    text = plain(section(of_crane, "Open ports"))
    assert 'boom_&_"jib".p2 is connected inside as well, with hook.M' in text
    shown = rows(section(of_crane, "Open ports"))
    assert shown['boom_&_"jib".p2.Fx'][1] == "input" and shown['boom_&_"jib".p2.vx'][1] == "output"
    assert list(rows(section(of_crane, "Inputs"))) == ["push.Fx"]


def test_driven_inputs_are_shown(of_crane):
    """Inputs that were driven at the export can no longer be set from outside."""
    shown = rows(section(of_crane, "Driven inputs"))
    assert shown["push.Fy"][1:] == ["a table of 3 rows, from 0 s to 1 s", "N"]
    assert shown["push.Cz"][1:] == ["4", "N·m"]


def test_modes_are_explained_where_the_importer_may_solve(of_crane, fmi):
    modes = section(of_crane, "Modes")
    assert "ideal, false by default" in plain(modes)
    variables = {v.name: v.valueReference for v in description_of("crane", fmi).modelVariables}
    for multiplier, residual, *references in rows_of(modes):
        assert references == [str(variables[multiplier]), str(variables[residual])]
        assert residual == multiplier.replace("lambda", "residual")
    assert len(rows_of(modes)) == 4
    assert not list(section(page_of("plank", fmi), "Modes"))


def test_redundancy_is_told(fmi):
    """Three of the six constraints of two welds on one plank; the master says the same."""
    text = plain(section(page_of("plank", fmi), "Unknowns"))
    assert "3 constraints of these are redundant" in text
    assert "redundant" not in plain(section(page_of("crane", fmi), "Unknowns"))


def test_parameters_that_were_left_out_are_mentioned(fmi):
    said = "All others keep the values"
    assert said in plain(section(page_of("plank", fmi), "Parameters"))
    assert said not in plain(section(page_of("crane", fmi), "Parameters"))


def test_it_says_whether_a_violated_start_is_refused(fmi):
    assert "is refused at the end of initialisation" in plain(section(page_of("plank", fmi), "The start"))
    assert "exported to start as it is" in plain(section(page_of("chain", fmi), "The start"))


def test_names_are_escaped(fmi):
    """Names with characters of markup come out as they were given, without their blanks; unescaped they would not have been parsed."""
    text = text_of("crane", fmi)
    assert "boom_&amp;_&quot;jib&quot;.p2" in text and "pin_&lt;1&gt;.N" in text and "crane &lt; &amp; &gt;" in text
    assert "pin_<1>" not in text and "pin <1>" not in text
    assert "In the system " in text and "<code>pin_&lt;1&gt;</code> is &#x27;pin &lt;1&gt;&#x27;" in text


def test_a_long_chain_is_folded_up_and_small(fmi):
    """The page of 201 components is smaller than a megabyte. At first it shows no more than fits on a few screens."""
    assert len(text_of("chain", fmi)) < 1e6
    main = page_of("chain", fmi).find("body/main")
    assert main is not None
    folded = {id(each) for fold in main.iter("details") for each in fold.iter() if each is not fold}
    assert sum(each.tag in ("tr", "p", "details") and id(each) not in folded for each in main.iter()) < 60
    assert not any(fold.get("open") for fold in main.iter("details"))
    parameters = section(page_of("chain", fmi), "Parameters")
    rod57 = next(fold for fold in parameters.iter("details") if plain(fold.find("summary")).startswith("rod57 "))
    assert rows(rod57)["rod57.m"][1:3] == ["1", "kg"]


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.slow
def test_the_sources_inside_build_the_same_binary_elsewhere(fmi, tmp_path):
    """The commands of the page, with the name of this platform: what they make runs, and gives the values of the FMU itself to the last bit."""
    import subprocess

    html, file = page_of("slider-crank", fmi), file_of("slider-crank", fmi)
    with ZipFile(file) as archive:
        archive.extractall(tmp_path)
    platform = "linux64" if fmi == 2 else "x86_64-linux"
    (binary,) = (tmp_path / "binaries" / platform).glob("*.so")
    binary.unlink()
    (commands,) = (plain(each) for each in section(html, "Other platforms").iter("pre"))
    commands = commands.replace("darwin64", platform).replace("aarch64-linux", platform)
    subprocess.run(commands, shell=True, check=True, cwd=tmp_path)
    assert binary.is_file()
    runs = [fmpy.simulate_fmu(str(each), fmi_type="CoSimulation", stop_time=0.5, output_interval=0.1) for each in (file, tmp_path)]
    assert (runs[0] == runs[1]).all()


@pytest.mark.parametrize("name", ["slider-crank", "springs"])
def test_the_page_has_the_diagram(name: str) -> None:
    """Each component once, by its name and its type; no wire through an icon; a few kilobytes of the archive."""
    with ZipFile(exported(name, 2)) as archive:
        text = archive.read("documentation/index.html").decode()
    found = re.search(r'<svg[^>]*class="jdg".*?</svg>', text, re.DOTALL)
    assert found and list(offences(found.group())) == []
    svg = "{http://www.w3.org/2000/svg}"
    told = [each.text for each in ElementTree.fromstring(found.group()).iter(f"{svg}title")][1:]
    system = CASES[name].exportable
    assert sorted(filter(None, told)) == sorted(f"{each}: {fmu.model_name}" for each, fmu in system.instances.items())
    assert len(zlib.compress(found.group().encode(), 9)) < 4000


def test_the_page_of_very_many_components_has_no_diagram() -> None:
    """It would be larger than all the rest, and no screen is as wide."""
    assert 'class="jdg"' not in text_of("chain", 2) and 'class="jdg"' in text_of("plank", 2)
