"""The documentation page of all components, and of one that has everything a page can show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
import sympy

from fmu_components.catalogue import all_components
from fmu_components.declare import units
from fmu_components.declare.component import Component, declaration, falls, reaches, rises
from fmu_components.declare.declaration import Role
from fmu_components.declare.ports import HYDRAULIC, PLANAR, SPATIAL, Side
from fmu_components.declare.tables import Item, LookupBase
from fmu_components.export.pages import documentation
from fmu_components.export.pages.documentation import usage
from fmu_components.export.pages.mathml import equation, symbol
from fmu_components.export.table import VariableTable
from tests.support.export.formulas import MATHML, Reader, key, plain
from tests.support.export.tables import html_of, page_of, table_of
from tests.support.properties import check_all


class Reservoir(Component):
    """Reservoir with a float & a valve.

    It exists to have everything that a page can show: ``level`` < 1 and
    more.

    The second paragraph.
    """

    def declare(self) -> None:
        area = self.parameter("area", 0.5, "m2", "area <of the surface>", above=0)
        law = self.parameter("law", 2, "", "which law", at_least=1, at_most=3, fixed=True)
        gravity = self.parameter("gravity", 9.81, "m/s2", "gravity & nothing else")
        density = self.parameter("density", 1000, "kg/m3", "density")
        top = self.parameter("top", 1, "m", "where the float opens")
        period = self.parameter("period", 0.25, "s", "time from one emptying to the next")
        leak = self.switch("leak", False, "whether it leaks")
        opening = self.input("opening", 0.25, "", "opening of the valve")
        level = self.state("level", 0.75, "m", "level of the surface")
        count = self.discrete("count", 3, "", "how often it was emptied")
        following = self.discrete("following", 0.5, "s", "when it is emptied next")
        port = self.port("inlet", HYDRAULIC, Side.MOTION, "below the surface", {"q": 0.125})
        depth = self.local("depth", sympy.Max(level, top / 8), "m", "depth of the water")
        self.moves(port, gravity * density * depth)
        self.output(
            "law.value",
            sympy.Piecewise((sympy.sqrt(opening), sympy.And(leak, level > top)), (-sympy.exp(-law / 2) * sympy.Abs(opening), True)),
            "",
            "value of the law",
        )
        self.rate(level, port.q / area)
        self.when(rises(level - top), {level: level / 2, count: count + 1}, "the float <opens>")
        self.when(falls(level - top / 2), {}, "the float closes")
        self.when(reaches(following), {following: following + period}, "the clock strikes")
        self.require(1 - opening**2, "the opening is less than 1 & more than -1")


COMPONENTS = {**all_components(), "Reservoir": Reservoir}


@pytest.fixture(params=list(COMPONENTS))
def table(request: pytest.FixtureRequest) -> VariableTable:
    return table_of(COMPONENTS[request.param])


@pytest.fixture
def html(table: VariableTable) -> Element:
    return html_of(COMPONENTS[table.declared.name])


def section(html: Element, title: str) -> Element | None:
    return next((each for each in html.iter("section") if each.findtext("h2") == title), None)


def rows(element: Element | None) -> dict[str, list[Element]]:
    """The cells of all rows below an element, by the text of their first cell."""
    assert element is not None
    return {plain(cells[0]): cells for row in element.iter("tr") if (cells := row.findall("td"))}


def texts(cells: list[Element]) -> list[str]:
    return [plain(cell) for cell in cells]


def unit_of(cell: Element) -> str | None:
    span = cell.find("span")
    return None if span is None else span.get("title")


# -- the page --------------------------------------------------------------------------------------------------------


def check_page_needs_nothing_but_itself(table: VariableTable) -> None:
    """The page has no script, no style sheet, and no image or link outside of itself: the only addresses are names of XML vocabularies."""
    text = page_of(COMPONENTS[table.declared.name])
    assert text.startswith("<!DOCTYPE html>")
    assert set(re.findall(r"http[^\"']*", text)) == {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img|iframe|object)|@import|url\(|src=", text)
    assert "prefers-color-scheme: dark" in text


def check_page_has_title_description_and_icon(table: VariableTable, html: Element) -> None:
    """Name, title, every paragraph of the docstring and the icon open the page."""
    header = html.find("body/header")
    assert header is not None and header.findtext("div/h1") == table.declared.name
    assert header.find("figure/{http://www.w3.org/2000/svg}svg") is not None
    shown = [" ".join(plain(each).split()) for each in header.findall("div/p")]
    paragraphs = [" ".join(each.split()).replace("``", "") for each in re.split(r"\n\s*\n", table.declared.description)]
    assert shown == [table.declared.title, *paragraphs[1:]]


def check_every_section_can_be_reached(html: Element) -> None:
    """The contents list exactly the sections of the page, in their order, and every anchor exists once."""
    anchors = [each.get("href") for each in html.findall("body/nav//a")]
    assert anchors == [f"#{each.get('id')}" for each in html.iter("section")]
    assert len(set(anchors)) == len(anchors) > 3


def check_every_variable_is_on_the_page_with_its_reference(table: VariableTable, html: Element) -> None:
    """Each variable except time stands in the first column of a table, its value reference in the last."""
    found = {plain(row[0]): plain(row[-1]) for row in html.iter("tr") if row.find("td") is not None}
    for variable in table.variables[:-1]:
        assert found[variable.name] == str(table.reference(variable))


def check_ports_show_direction_unit_and_meaning(table: VariableTable, html: Element) -> None:
    """Each variable of a port has its direction, unit and meaning, and each port its text."""
    assert (section(html, "Ports") is not None) == bool(table.declared.ports)
    if not table.declared.ports:
        return
    shown = rows(section(html, "Ports"))
    headings = [plain(each) for each in section(html, "Ports").iter("h3")]  # type: ignore[union-attr]
    assert headings == [f"{port.name}: {port.text}" for port in table.declared.ports]
    for port in table.declared.ports:
        for quantity in (*port.kind.motion, *port.kind.effort):
            variable = table.declared[f"{port.name}.{quantity.name}"]
            _, direction, unit, meaning, _ = shown[variable.name]
            assert plain(direction).split(",")[0] == variable.role.value
            assert (unit_of(unit) or "") == variable.unit
            assert plain(meaning) == quantity.text


def check_frames_tell_how_wrenches_act(table: VariableTable, html: Element) -> None:
    """The page says on what, in which frame and about which point the wrenches of planar and spatial frames act."""
    said = plain(section(html, "Ports") if table.declared.ports else html).count(
        "Wrenches act on the body, in the absolute frame, about the port’s point."
    )
    assert said == sum(port.kind in (PLANAR, SPATIAL) for port in table.declared.ports)


def check_parameters_show_default_unit_and_range(table: VariableTable, html: Element) -> None:
    """Each parameter has its default, unit, display units, valid range and text."""
    parameters = table.with_role(Role.PARAMETER)
    assert (section(html, "Parameters") is not None) == bool(table.with_role(Role.PARAMETER, Role.SWITCH))
    shown = rows(section(html, "Parameters")) if parameters else {}
    for variable in parameters:
        _, _, default, unit, also, valid, meaning, _ = shown[variable.name]
        if variable.type == "boolean":
            assert plain(default) == str(variable.start).lower()
            continue
        if variable.shape:
            first, *_, last = plain(default).split(", ")
            assert [float(first), float(last)] == pytest.approx([variable.start[0], variable.start[-1]], rel=1e-11)
        else:
            assert float(plain(default)) == variable.start
        assert unit_of(unit) == variable.unit or (variable.unit == "" and plain(unit) == "1") or variable.unit == units.MIXED
        assert [span.get("title") for span in also.findall("span")] == [each.name for each in units.DISPLAY.get(variable.unit, ())]
        assert plain(valid) == str(variable.range)
        assert plain(meaning).startswith(variable.text)


def check_states_show_start_value_and_unit(table: VariableTable, html: Element) -> None:
    """Each state has its start value, unit and text; a component without states has no such section."""
    states = table.with_role(Role.STATE)
    assert (section(html, "States") is not None) == bool(states)
    for variable in states:
        _, _, start, unit, meaning, _ = rows(section(html, "States"))[variable.name]
        assert float(plain(start)) == variable.start
        assert unit_of(unit) == variable.unit or (variable.unit == "" and plain(unit) == "1")
        assert plain(meaning) == variable.text


def check_modes_are_explained_where_there_is_a_switch(table: VariableTable, html: Element) -> None:
    """A joint explains its two modes and names multipliers and residuals, a block its unknown; other components do not speak of modes."""
    modes = section(html, "Modes")
    assert (modes is not None) == (table.switch is not None)
    if table.switch is not None:
        other = "Alone" if any(v.name == "qdd" for v in table.with_role(Role.ALGEBRAIC)) else "Compliant"
        for name in ("Ideal", other, table.switch.name, *(v.name for v in (*table.with_role(Role.ALGEBRAIC), *table.residuals))):
            assert name in plain(modes)


def check_validity_states_every_condition(table: VariableTable, html: Element) -> None:
    """Each validity condition is given in words and as a formula."""
    validity = section(html, "Validity")
    items = [] if validity is None else validity.findall(".//li")
    assert len(items) == len(table.declared.conditions)
    for item, condition in zip(items, table.declared.conditions, strict=True):
        assert condition.text in plain(item)
        assert item.find(f".//{MATHML}math") is not None


def check_fmu_is_named(table: VariableTable, html: Element) -> None:
    """The page gives model name, model identifier, the files, both versions and both interfaces."""
    text = plain(section(html, "The FMU"))
    for part in (
        table.declared.name,
        table.declared.identifier,
        f"{table.declared.name}.fmu",
        table.token,
        "FMI 2.0",
        "FMI 3.0",
        "Model Exchange",
        "Co-Simulation",
    ):
        assert part in text


# -- the equations ---------------------------------------------------------------------------------------------------


def _instead(order: int, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
    """Stands for a table, whose values the page does not show."""
    return sympy.Rational(1, 3) + (order + 2) * sum(k * each for k, each in enumerate(arguments, 1))


def check_equations_are_those_of_the_declaration(table: VariableTable, html: Element) -> None:
    """Each formula, read back from its MathML, starts with the variable's symbol and has the value of its equation."""
    values = {v.symbol: sympy.Rational(7 * index % 31 + 3, 10 + index) for index, v in enumerate(table.variables)}
    values |= {v.symbol: sympy.true for v in table.variables if v.type == "boolean"}
    values |= {e.symbol: sympy.Rational(k, 7) for v in table.variables for k, e in enumerate(v.scalars if v.shape else (), 1)}
    tables = {f"{name}{'_' * order}": lambda *x, order=order: _instead(order, x) for name in table.declared.tables for order in range(3)}
    for position in (sympy.true, sympy.false):
        values |= {v.symbol: position for v in table.with_role(Role.SWITCH)}
        reader = Reader({key(symbol(s.name)): s.name for s in values}, {s.name: value for s, value in values.items()}, tables)
        shown = rows(section(html, "Equations"))
        calculated = [v for v in table.variables if v.role.calculated]
        assert list(shown.keys() - {v.name for v in calculated}) == []
        for variable in calculated:
            left, value = reader.equation(shown[variable.name][1].find(f".//{MATHML}math"))
            assert left == variable.name
            equation = variable.equation.replace(lambda e: isinstance(e, LookupBase), lambda e: _instead(sum(e.orders), e.varying))  # type: ignore[union-attr]
            equation = equation.replace(Item, lambda place, array: sympy.Symbol(f"{array}[{place + 1}]", real=True))
            assert value == pytest.approx(float(equation.xreplace(values)), rel=1e-9), variable.name


def check_symbols_of_a_component_differ(table: VariableTable) -> None:
    """Each variable of a component is typeset differently."""
    typeset = {symbol(variable.name) for variable in table.variables}
    assert len(typeset) == len(table.variables)


def check_formulas_hold_no_raw_names(html: Element) -> None:
    """Identifiers in formulas contain no dot, bracket or underscore, and spell out no Greek letter."""
    identifiers = {plain(each) for each in html.iter(f"{MATHML}mi")}
    assert identifiers
    assert not [each for each in identifiers if re.search(r"[.\[\]_(]", each)]
    assert not identifiers & {"alpha", "beta", "gamma", "theta", "lambda", "omega", "phi", "tau"}


def test_joint_equations_are_grouped_by_level() -> None:
    """A revolute joint shows its constraint at each level, residuals, multipliers, wrenches, motion and reaction."""
    html = html_of(COMPONENTS["planar.Revolute"])
    headings = [plain(each) for each in section(html, "Equations").iter("h3")]  # type: ignore[union-attr]
    assert headings == [
        "Constraint at position level",
        "Constraint at velocity level",
        "Constraint at acceleration level",
        "Residual",
        "Multiplier in both modes",
        "Wrench given by port M",
        "Wrench given by port N",
        "Relative motion along the rotation",
        "Other outputs",
    ]


@pytest.mark.parametrize(
    ("name", "base", "dots", "below"),
    [
        ("p1.vx", "v", "", "p1,x"),
        ("M.theta", "θ", "", "M"),
        ("lambda[1]", "λ", "", "1"),
        ("der(vx)", "v", "⋅", "x"),
        ("der(theta)", "θ", "⋅", ""),
        ("rotation.qdd", "q", "¨", "rotation"),
        ("baumgarte.alpha", "α", "", "baumgarte"),
        ("compliant.k", "k", "", "compliant"),
        ("energy.kinetic", "E", "", "kinetic"),
        ("event[2].indicator", "indicator", "", "event,2"),
        ("x", "x", "", ""),
    ],
)
def test_names_become_symbols(name: str, base: str, dots: str, below: str) -> None:
    """Groups, axes and indices become subscripts, derivatives dots, Greek names letters."""
    root = ElementTree.fromstring(symbol(name))
    top = root[0][0]
    upper, lower = (top[0], plain(top[1])) if top.tag == f"{MATHML}msub" else (top, "")
    mark = plain(upper[1]) if upper.tag == f"{MATHML}mover" else ""
    assert (plain(upper).removesuffix(mark), mark, lower) == (base, dots, below)


def test_long_equations_are_broken_into_lines() -> None:
    """An equation that is too long for the page stands in several lines, none of them much longer than the others may be."""
    html = html_of(COMPONENTS["planar.Body4"])
    formula = rows(section(html, "Equations"))["der(omega)"][1]
    lines = [plain(row) for row in formula.iter(f"{MATHML}mtr")]
    assert len(lines) > 3
    assert max(map(len, lines)) < 90


x, y, z = sympy.symbols("M.x p1.vy lambda[1]", real=True)
dotted = sympy.Symbol("angle.qd", real=True)
EXPRESSIONS = [
    dotted**2 * x - dotted,
    x**-2,
    1 / (x + y) ** 2,
    (x**2) ** y,
    x ** (y + 1),
    (-x) ** 3,
    (x - y) ** 3,
    sympy.sqrt(x + y) / z,
    x ** sympy.Rational(2, 3),
    -(x + y) * z,
    -x / (2 * y * z),
    sympy.Rational(3, 4) * x,
    sympy.Float(1.5e-7) * x,
    2 * sympy.pi * x,
    3 * 2 ** (x / 2),
    sympy.exp(-(x**2)) * y,
    sympy.sin(x) ** 2 * (y + z),
    sympy.cos(x + y) * sympy.sin(z) ** -1,
    sympy.tan(x) ** -2,
    sympy.log(x) * y,
    sympy.atan2(y, x - 9),
    sympy.Abs(x - 9) ** 3,
    sympy.sign(x - 9) * y,
    sympy.Max(x, y - z) * x,
    sympy.Min(x, y, z) ** 2,
    x - sympy.Piecewise((y, x > 1), (z, sympy.Or(y < z, sympy.And(x <= 1, y >= 2))), (x, True)) * y,
    sympy.Piecewise((x, sympy.Not(sympy.And(x > 1, y > 1))), (y, sympy.Ne(x, y)), (z, True)),
    sympy.Mul(-1, x + y, evaluate=False) - z,
    sympy.asin(x / 100) + sympy.acos(y / 100),
    x * (y - (z - x * (y - z * (x - y)))),
    z / x * sympy.Add(*(sympy.sin(x) ** n * (y - n * z * sympy.cos(y)) for n in range(1, 15))) * sympy.sin(y),
    -x * sympy.Add(*((y + n) * (z - n * sympy.cos(x) + sympy.Add(*((x - n) ** m * y for m in range(2, 14)))) for n in range(1, 4))),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: str(expression)[:40])
def test_formulas_mean_what_they_typeset(expression: sympy.Expr) -> None:
    """Read as mathematics, with its lines joined, a formula has the value of the expression."""
    values = {x: sympy.Rational(7, 3), y: sympy.Rational(5, 4), z: sympy.Rational(11, 5), dotted: sympy.Rational(8, 7)}
    reader = Reader({key(symbol(s.name)): s.name for s in (*values, sympy.Symbol("w"))}, {s.name: value for s, value in values.items()}, {})
    left, value = reader.equation(ElementTree.fromstring(equation("w", expression)))
    assert left == "w"
    assert value == pytest.approx(float(expression.xreplace(values)), rel=1e-9)


# -- what only the sample has ----------------------------------------------------------------------------------------


@pytest.fixture
def sample() -> Element:
    return html_of(Reservoir)


def test_text_is_escaped(sample: Element) -> None:
    """Special characters of titles, texts and conditions appear as they were written."""
    assert plain(sample.find("body/header//p")) == "Reservoir with a float & a valve"
    assert "area <of the surface>" in plain(section(sample, "Parameters"))
    assert sample.findtext("body/header/div/p/code") == "level"


def test_inputs_outside_of_ports_are_shown(sample: Element) -> None:
    """A signal input is listed with its start value; variables of ports are not repeated there."""
    shown = rows(section(sample, "Inputs"))
    assert list(shown) == ["opening"]
    assert texts(shown["opening"])[2:5] == ["0.25", "1", "opening of the valve"]


def test_start_values_of_port_inputs_are_shown(sample: Element) -> None:
    """A port input that does not start at zero says where it starts."""
    assert plain(rows(section(sample, "Ports"))["inlet.q"][1]) == "input, starts at 0.125"


def test_discrete_states_and_relations_are_shown(sample: Element) -> None:
    """Discrete states have their start values, and the relations that watch events are among them."""
    shown = rows(section(sample, "Discrete states"))
    assert {"count", "following"} < set(shown)
    assert texts(shown["count"])[2:4] == ["3", "integer"]
    assert any(plain(cells[3]) == "boolean" for cells in shown.values())


def test_the_usage_example_of_a_joint() -> None:
    """The first port has a partner at rest, the second one that moves, from where the constraint holds."""
    assert usage(table_of(all_components()["planar.ConnectingRod"])).splitlines() == [
        "from coupling import System",
        "",
        "system = System()",
        'system.add("connecting_rod", "planar.ConnectingRod", {"length": 1.0})',
        'system.add("ground", "planar.Fixed")',
        'system.add("body", "planar.Body1", {"p1.rx": -0.5, "x": 1.5})',
        'system.connect("connecting_rod.M", "ground.p1")',
        'system.connect("connecting_rod.N", "body.p1")',
        "result = system.simulate(stop_time=1.0)",
        'print(result["connecting_rod.reaction"][-1])',
    ]


class Body(Component):
    """Component of a user's own, called like a partner, with a port for which there is none."""

    def declare(self) -> None:
        M = self.port("M", PLANAR, Side.EFFORT, "on the body")
        pipe = self.port("pipe", HYDRAULIC, Side.EFFORT, "to the volume")
        self.gives(M, pipe.p * self.parameter("area", 1.0, "m2", "area"), 0, 0)
        self.gives(pipe, self.input("flow", 0.0, "m3/s", "flow"))
        self.output("power", M.Fx * M.vx, "W", "power")


def test_the_usage_example_of_an_own_component(monkeypatch) -> None:
    """It is named by its file, partners have other names than it, and a port without a partner is mentioned."""
    monkeypatch.delitem(documentation._PARTNERS, HYDRAULIC)
    example = usage(VariableTable(declaration(Body)))
    assert 'system.add("body", "Body.fmu", {"area": 1.0})' in example
    assert 'system.connect("body.M", "ground.p1")' in example
    assert '# connect "body.pipe" with a port that gives p' in example


def test_switches_and_fixed_parameters_are_marked(sample: Element) -> None:
    """A switch is a parameter that is true or false; a parameter that cannot be changed later says so."""
    shown = rows(section(sample, "Parameters"))
    assert texts(shown["leak"])[2:6] == ["false", "boolean", "", "true or false"]
    assert "fixed at initialisation" in plain(shown["law"][6])
    assert "fixed at initialisation" not in plain(shown["area"][6])
    assert "at least 1 and at most 3" in plain(shown["law"][5])


def test_events_show_trigger_and_updates(sample: Element) -> None:
    """Each event says in words when it happens, whether by state or time, and what it sets."""
    shown = rows(section(sample, "Events"))
    opened, closed, struck = (texts(shown[each]) for each in ("the float <opens>", "the float closes", "the clock strikes"))
    assert opened[1] == "state event: level−top becomes positive"
    assert [plain(each) for each in shown["the float <opens>"][2].iter(f"{MATHML}math")] == ["level≔level2", "count≔count+1"]
    assert closed[1].endswith("stops being positive") and closed[2] == "–"
    assert struck[1:] == ["time event: time reaches following", "following≔following+period"]


def test_every_page_shows_what_is_declared(table: VariableTable, html: Element) -> None:
    """The checks above, of a page that is made and read once."""
    check_all(
        check_page_needs_nothing_but_itself,
        check_page_has_title_description_and_icon,
        check_every_section_can_be_reached,
        check_every_variable_is_on_the_page_with_its_reference,
        check_ports_show_direction_unit_and_meaning,
        check_frames_tell_how_wrenches_act,
        check_parameters_show_default_unit_and_range,
        check_states_show_start_value_and_unit,
        check_modes_are_explained_where_there_is_a_switch,
        check_validity_states_every_condition,
        check_fmu_is_named,
        check_equations_are_those_of_the_declaration,
        check_symbols_of_a_component_differ,
        check_formulas_hold_no_raw_names,
        table=table,
        html=html,
    )
