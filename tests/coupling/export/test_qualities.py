"""Exported mechanisms have the qualities of single components: their descriptions, values, dependencies, saved states, and how wrong use is answered."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from lxml import etree

from coupling.fmus import load
from tests.support.properties import check_all
from tests.support.runtime.driver import DISCARD, ERROR, Driver, check_references, status_of
from tests.support.systems.mechanism_fmus import CASES, SMALL, exported

SCHEMAS = Path(fmpy.__file__).parent / "schema"


def member(name: str, fmi: int, path: str) -> bytes:
    with zipfile.ZipFile(exported(name, fmi)) as fmu:
        return fmu.read(path)


def folder_of_terminals(fmi: int) -> str:
    return "extra/terminalsAndIcons" if fmi == 2 else "terminalsAndIcons"


def solved_for(name: str) -> bool:
    """Says whether the FMU itself solves for the variable, by default."""
    return name.partition(".")[2].startswith(("lambda[", "qdd"))


# -- descriptions ------------------------------------------------------------------------------------------------------


def check_fmpy_finds_nothing(name, fmi):
    """FMPy's validation has no complaint: schema, names, units, attributes and model structure."""
    assert validate_fmu(str(exported(name, fmi))) == []


def check_the_schemas_accept_it(name, fmi):
    """Model description, terminals and, in FMI 3, build description follow the schemas of their standards."""
    files = {"modelDescription.xml": f"fmi{fmi}/fmi{fmi}ModelDescription.xsd"}
    files |= {f"{folder_of_terminals(fmi)}/terminalsAndIcons.xml": "fmi3/fmi3TerminalsAndIcons.xsd"}
    files |= {"sources/buildDescription.xml": "fmi3/fmi3BuildDescription.xsd"} if fmi == 3 else {}
    for path, schema in files.items():
        etree.XMLSchema(file=str(SCHEMAS / schema)).assertValid(etree.fromstring(member(name, fmi, path)))


def check_terminals_refer_to_what_there_is(name, fmi):
    """Each opened port is a terminal, its members are variables, its image lies beside the file."""
    root = ElementTree.fromstring(member(name, fmi, f"{folder_of_terminals(fmi)}/terminalsAndIcons.xml"))
    variables = {v.name for v in fmpy.read_model_description(str(exported(name, fmi))).modelVariables}
    found = {t.get("name"): {m.get("variableName") for m in t.iter("TerminalMemberVariable")} for t in root.iter("Terminal")}
    assert set(found) == {port for port in CASES[name].inputs if port != "push.Fy"}
    assert all(members and members <= variables for members in found.values())
    with zipfile.ZipFile(exported(name, fmi)) as fmu:
        images = {f"{folder_of_terminals(fmi)}/{g.get('iconBaseName')}.png" for g in root.iter("TerminalGraphicalRepresentation")}
        assert images <= set(fmu.namelist())


def check_no_arrays_and_no_clocks_are_claimed(name, fmi):
    """All variables of FMI 3 are scalars of the three types that there are."""
    if fmi == 2:
        return
    variables = ElementTree.fromstring(member(name, 3, "modelDescription.xml")).find("ModelVariables")
    assert {v.tag for v in variables} <= {"Float64", "Int32", "Boolean"}
    assert not list(variables.iter("Dimension"))
    assert not any(v.get("clocks") for v in variables)


def check_listed_variables_are_those_that_can_be_got(name, fmi):
    """All listed variables can be read, with the start value that is stated."""
    for kind in ("me", "cs"):
        with Driver(exported(name, fmi), kind, "unit") as driver:
            driver.enter()
            values = driver.get(list(driver.variables))
            assert all(math.isfinite(value) for value in values.values())
            for v in driver.variables.values():
                if v.start is not None and not solved_for(v.name):
                    assert values[v.name] == number(v.start), v.name


def check_references_are_dense_and_others_are_refused(name, fmi):
    """1 to n, in FMI 3 in the order of the variables, the time last, whatever is not shown of the components."""
    for kind in ("me", "cs"):
        with Driver(exported(name, fmi), kind, "unit") as driver:
            driver.start()
            check_references(driver, driver.description.modelName)


def number(text: str) -> float:
    return float(text == "true") if text in ("true", "false") else float(text)


def check_states_precede_their_derivatives(name, fmi):
    """OMSimulator's Python reader looks a state up among the variables that it has read before."""
    with Driver(exported(name, fmi), "me", "unit") as driver:
        variables = driver.description.modelVariables
        places = {each.name: place for place, each in enumerate(variables)}
        late = [each.name for each in variables if each.derivative is not None and places[each.derivative.name] > places[each.name]]
        assert fmi == 3 or late == []


# -- dependencies ------------------------------------------------------------------------------------------------------


def moved(driver: Driver, unknowns: list[str], knowns: list[str], states: list[str], x: np.ndarray, inputs: dict[str, float], t: float):
    """The largest change of each unknown, as a fraction of its scale, that each known makes."""

    def values(t: float, x: np.ndarray, inputs: dict[str, float]) -> np.ndarray:
        driver.at(t, x)
        driver.set(inputs)
        return np.array([driver.get(unknowns)[u] for u in unknowns])

    base = values(t, x, inputs)
    changes = {}
    for known in knowns:
        if known in states:
            i = states.index(known)
            step = 1e-2 * max(1.0, abs(x[i]))
            there = values(t, x + step * (np.arange(len(x)) == i), inputs)
        elif known == "time":
            there = values(t + 1e-3, x, inputs)
        else:
            there = values(t, x, inputs | {known: inputs[known] + 0.1})
        changes[known] = np.abs(there - base) / np.maximum(1.0, np.abs(base))
    values(t, x, inputs)
    return changes


def check_declared_dependencies_are_complete_and_no_wider_than_they_must_be(name, fmi):
    """The unknowns that a known moves at any of several points declare it. Each declaration is needed at one of the points at least."""
    random = np.random.default_rng(5)
    description = load(exported(name, fmi))
    with Driver(exported(name, fmi), "me") as driver:
        driver.start()
        states = [u.variable.derivative.name for u in driver.description.derivatives]
        inputs = {n: 0.0 for n, v in driver.variables.items() if v.causality == "input" and not solved_for(n)}
        inputs |= driver.get(list(inputs)) if inputs else {}
        knowns = [*states, *inputs, "time"]
        listed = (*description.structure.outputs, *description.structure.derivatives)
        names = {v.valueReference: n for n, v in driver.variables.items()}
        unknowns = [names[u.reference] for u in listed]
        declared = {
            names[u.reference]: {names[r] for r, _ in u.dependencies} if u.dependencies is not None else set(knowns) for u in listed
        }
        start, seen = driver.states, {u: set() for u in unknowns}
        for _ in range(6):
            x = start + 0.2 * random.standard_normal(len(start)) * np.maximum(1.0, np.abs(start))
            point = {n: value + random.standard_normal() for n, value in inputs.items()}
            for known, change in moved(driver, unknowns, knowns, states, x, point, 0.07).items():
                for unknown, amount in zip(unknowns, change, strict=True):
                    assert known in declared[unknown] or amount <= 1e-9, f"{unknown} depends on {known}, which is not declared"
                    if amount > 1e-9:
                        seen[unknown].add(known)
        if name == "events":  # much depends on what is switched on by events, which do not happen here
            return
        wide = {u: (declared[u] & set(knowns)) - seen[u] for u in unknowns}
        assert {u: k for u, k in wide.items() if k} == {}


def check_initial_unknowns_declare_what_moves_them(name, fmi):
    """A start value or parameter moves, in Initialization Mode, only unknowns that declare it; and not all declare everything."""
    with Driver(exported(name, fmi), "me") as driver:
        driver.enter()
        description = driver.description
        declared = {u.variable.name: u.dependencies for u in description.initialUnknowns if u.variable.type.startswith(("Real", "Float"))}
        listed = {unknown: {v.name for v in each} for unknown, each in declared.items() if each is not None}
        of_states = {u.variable.derivative.name for u in description.derivatives}
        free = [v for v in driver.variables.values() if v.type.startswith(("Real", "Float")) and not v.name.startswith("lambda[")]
        knowns = [v.name for v in free if v.causality in ("input", "parameter") or v.name in of_states]
        assert listed and any(v.causality == "parameter" for v in free)
        checked = set()
        for known in knowns:
            start, base = driver[known], driver.get(list(listed))
            # What leaves the range of a parameter is refused, and redundant constraints that contradict each other have no multipliers.
            if status_of(driver.set, {known: 1.05 * start + (0.01 if start == 0 else 0)}) == 0 and status_of(driver.get, list(listed)) == 0:
                for unknown, value in driver.get(list(listed)).items():
                    same = abs(value - base[unknown]) <= 1e-9 * max(1.0, abs(value))
                    assert same or known in listed[unknown], f"{unknown} depends on {known}, which is not declared"
                checked.add(known)
            driver.set({known: start})
        assert len(checked) >= len(knowns) // 2
        places = {n for n in listed if n.endswith((".x", ".y", ".theta")) and n.rsplit(".", 1)[0].endswith(("p1", "p2"))}
        assert not any(known in driver.variables and driver.variables[known].causality == "input" for n in places for known in listed[n])


# -- saved states ------------------------------------------------------------------------------------------------------


def run_on(driver: Driver, time: float, steps: int) -> dict[str, float]:
    for k in range(steps):
        driver.step(time + 0.01 * k, 0.01)
    return driver.get(list(driver.variables))


def check_same(found: dict[str, float], expected: dict[str, float], tolerance: float) -> None:
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=tolerance, abs=tolerance * 1e2), name


def check_a_restored_state_runs_on_as_before(name, fmi):
    """Values of Co-Simulation agree to 1e-10 over events: rounding differs, and with it the internal steps. The same holds in a second
    instance, from bytes."""
    with Driver(exported(name, fmi), "cs", "first") as first, Driver(exported(name, fmi), "cs", "second") as second:
        for driver in (first, second):
            driver.start()
        run_on(first, 0.0, 4)
        state = first.fmu.getFMUState()
        data = first.fmu.serializeFMUState(state)
        expected = run_on(first, 0.04, 8)
        assert expected["time"] == pytest.approx(0.12)
        first.fmu.setFMUState(state)
        check_same(run_on(first, 0.04, 8), expected, 1e-10)
        second.fmu.setFMUState(second.fmu.deserializeFMUState(data))
        check_same(run_on(second, 0.04, 8), expected, 1e-10)
        first.fmu.freeFMUState(state)


def check_a_restored_state_has_the_same_values_in_model_exchange(name, fmi):
    """All values of Model Exchange come back, to 1e-12 of the largest of their kind, after any other point."""
    with Driver(exported(name, fmi), "me") as driver:
        driver.start()
        driver.at(0.02, driver.states + 0.01)
        names = list(driver.variables)
        before, dx = driver.get(names), driver.derivatives
        state = driver.fmu.getFMUState()
        driver.at(0.07, driver.states - 0.2)
        driver.handle_events()
        assert not np.allclose(driver.derivatives, dx)
        driver.fmu.setFMUState(state)
        after = driver.get(names)
        assert np.abs(driver.derivatives - dx).max() <= 1e-12 * max(1, np.abs(dx).max())
        for n in names:
            assert after[n] == pytest.approx(before[n], rel=1e-10, abs=1e-10), n
        driver.fmu.freeFMUState(state)


OF_SMALL_ONES = (
    check_declared_dependencies_are_complete_and_no_wider_than_they_must_be,
    check_initial_unknowns_declare_what_moves_them,
    check_a_restored_state_runs_on_as_before,
    check_a_restored_state_has_the_same_values_in_model_exchange,
)


@pytest.mark.parametrize("name", CASES)
def test_every_mechanism(name, fmi):
    """The checks above; those that take long are made of small mechanisms alone."""
    check_all(
        check_fmpy_finds_nothing,
        check_the_schemas_accept_it,
        check_terminals_refer_to_what_there_is,
        check_no_arrays_and_no_clocks_are_claimed,
        check_listed_variables_are_those_that_can_be_got,
        check_references_are_dense_and_others_are_refused,
        check_states_precede_their_derivatives,
        *(OF_SMALL_ONES if name in SMALL else ()),
        name=name,
        fmi=fmi,
    )


# -- wrong use ---------------------------------------------------------------------------------------------------------


def the_sentence(driver: Driver) -> str:
    assert len(driver.log) == 1, driver.log
    return driver.log.pop()


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_parameters_are_refused_by_instance_and_name(fmi, kind):
    """A mass that is not positive, or not a number: Error, with the component, its value, its unit and what is allowed."""
    with Driver(exported("pendulum", fmi), kind, "swing") as driver:
        for value, reason in (
            (
                0.0,
                "0 kg is refused: it must be greater than 0; a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3",
            ),
            (math.nan, "nan is refused: it must be a finite number"),
        ):
            assert status_of(driver.set, {"rod.m": value}) == ERROR
            assert the_sentence(driver) == f"swing: rod.m = {reason}"
        driver.start()
        assert driver["rod.m"] == 1.0


@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_input_that_is_no_number_is_discarded(fmi, kind, value):
    """Discard, and the input keeps its value."""
    with Driver(exported("open ports", fmi), kind, "swing") as driver:
        driver.start()
        driver.set({"rod.p2.Fx": 2.0})
        assert status_of(driver.set, {"rod.p2.Fx": value}) == DISCARD
        assert the_sentence(driver) == f"swing: rod.p2.Fx = {value:g} is refused: it must be a finite number"
        assert driver["rod.p2.Fx"] == 2.0


def test_a_state_that_is_no_number_is_discarded(fmi):
    """Discard, naming the component and its state."""
    with Driver(exported("pendulum", fmi), "me", "swing") as driver:
        driver.start()
        x = driver.states
        x[2] = math.nan
        assert status_of(driver.at, 0.0, x) == DISCARD
        assert the_sentence(driver) == "swing: rod.theta = nan is refused: it must be a finite number"


@pytest.mark.parametrize("variable", ["rod.x", "pin.N.x", "pin.reaction", "rod.p1.Fx"])
def test_what_the_fmu_computes_cannot_be_set(fmi, variable):
    """A state between steps, and what components pass on to each other: Error, naming variable and value."""
    with Driver(exported("pendulum", fmi), "cs", "swing") as driver:
        driver.start()
        assert status_of(driver.set, {variable: 1.0}) == ERROR
        assert the_sentence(driver).startswith(f"swing: {variable} = 1 cannot be set now: it is ")


def test_a_start_that_violates_constraints_is_refused(fmi):
    """Error, with joint, level and value, and what can be done; with the start mended it goes on."""
    with Driver(exported("pendulum", fmi), "me", "swing") as driver:
        driver.enter()
        driver.set({"rod.x": 0.7})
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        sentence = the_sentence(driver)
        assert sentence.startswith(
            "swing: the start violates constraints: pin.position[1] = 0.2 m (at most 1e-06 is allowed); correct the start"
        )
        driver.set({"rod.x": 0.5})
        assert status_of(driver.fmu.exitInitializationMode) == 0


def test_redundant_constraints_are_told_once(fmi):
    """A warning names them, and the run goes on."""
    with Driver(exported("redundant", fmi), "cs", "swing") as driver:
        driver.start()
        (sentence,) = driver.log
        assert sentence.startswith("swing: 3 constraints are redundant at time 0, among weld1.residual[1]")
        assert sentence.endswith("; the multipliers of least length are taken")
        driver.step(0.0, 0.1)
        assert len(driver.log) == 1


def test_contradictory_constraints_are_discarded_by_name(fmi):
    """If the two welds contradict each other, no calculated variable has a value, not even one that had a value before."""
    with Driver(exported("redundant", fmi), "me", "swing") as driver:
        driver.enter()
        computed = [n for n, v in driver.variables.items() if v.initial == "calculated" and n.startswith(("weld", "first.p", "der("))]
        assert all(math.isfinite(value) for value in driver.get(computed).values())
        driver.set({"first.p3.ry": 0.01})
        driver.log.clear()
        for name in computed:
            assert status_of(driver.get, [name]) == DISCARD, name
            assert the_sentence(driver).startswith("swing: the constraints contradict each other at time 0: weld")
        driver.set({"first.p3.ry": 0.0})
        assert all(math.isfinite(value) for value in driver.get(computed).values())


def test_multipliers_do_not_depend_on_what_was_read_before(fmi):
    """Unknowns that the FMU itself solves for are found when they are read, even if nothing else is read."""
    name = "pin1.lambda[1]"
    with Driver(exported("ls-dae", fmi), "me") as driver, Driver(exported("ls-dae", fmi), "me") as other:
        for each in (driver, other):
            each.start()
            each.at(0.0, each.states + 0.1)
        first = driver[name]
        assert other.derivatives.any()
        assert first == pytest.approx(other[name], rel=1e-12) == driver["pin1.multiplier[1]"]


@pytest.mark.parametrize("size", [0.0, -0.1, math.nan, math.inf])
def test_a_step_of_no_length_is_an_error(fmi, size):
    """A communication step size that is not positive and finite: Error, and the next step is taken."""
    with Driver(exported("events", fmi), "cs", "station") as driver:
        driver.start()
        assert status_of(driver.step, 0.0, size) == ERROR
        assert the_sentence(driver) == f"station: the communication step size {size:g} is refused: it must be greater than 0"
        assert status_of(driver.step, 0.0, 0.01) == 0


def test_the_ideal_mode_is_refused_in_co_simulation(fmi):
    """Only the FMU could solve for the multipliers inside a step."""
    with Driver(exported("ls-dae", fmi), "cs", "swing") as driver:
        assert status_of(driver.configure, {"ideal": True}) == ERROR
        assert "ideal = true is refused" in the_sentence(driver)
