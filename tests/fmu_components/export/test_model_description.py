"""Both model descriptions say what the declaration says, in the way that their standard wants it said."""

from __future__ import annotations

import math
import tempfile
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import fmpy
import pytest
from fmpy.model_description import ModelDescription, ModelVariable
from lxml import etree

from fmu_components.declare import units
from fmu_components.declare.declaration import Role
from fmu_components.export.model_description import LOG_CATEGORIES, build_description, model_description
from fmu_components.export.table import VariableTable
from tests.support.export.dependence import check_dependencies, dependence
from tests.support.export.tables import description_of, manifest_of
from tests.support.properties import check_all

SOURCES = ("model.c", "values.c")
RUNTIME = Path(__file__).parents[3] / "fmu_components" / "runtime"


@pytest.fixture
def described(table, fmi) -> ModelDescription:
    return read(table, fmi)


@cache
def read(table: VariableTable, fmi: int) -> ModelDescription:
    """Returns what FMPy reads, after its checks of schema, names, units, combinations of attributes and model structure.

    Read once for all tests, which leave it as it is. The independent variable has the name of the declaration in both versions.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "modelDescription.xml").write_text(description_of(table, fmi, SOURCES))
        if fmi == 3:
            (folder / "sources").mkdir()
            (folder / "sources" / "buildDescription.xml").write_text(build_description(table, SOURCES))
        found = fmpy.read_model_description(folder, validate=True, validate_variable_names=True, validate_model_structure=True)
    assert found.modelVariables[-1].name == {2: "simulation_time", 3: "time"}[fmi]
    found.modelVariables[-1].name = "time"
    return found


@cache
def xml(table: VariableTable, fmi: int) -> ET.Element:
    return ET.fromstring(description_of(table, fmi, SOURCES))


def variable(description: ModelDescription, name: str) -> ModelVariable:
    return next(v for v in description.modelVariables if v.name == name)


def nature(description: ModelDescription, name: str) -> tuple[str, str, str]:
    found = variable(description, name)
    return found.causality, found.variability, found.initial


def dependencies(unknowns, name: str) -> dict[str, str]:
    """The kinds of what an unknown of a list depends on, by name."""
    (found,) = [u for u in unknowns if u.variable.name == name]
    return dict(zip([v.name for v in found.dependencies], found.dependenciesKind or [], strict=True))


def states(description: ModelDescription) -> set[str]:
    return {u.variable.derivative.name for u in description.derivatives}


# -- the file as a whole -----------------------------------------------------------------------------------------------


def check_the_schema_and_fmpy_accept_it(described, table):
    """The description of every component is valid, and FMPy's checks of the standard's rules find nothing."""
    assert described.modelName == table.declared.name
    assert described.guid == table.token


def test_sources_are_optional(joint, fmi):
    """An FMU without sources has no empty list of them."""
    assert "SourceFiles" not in model_description(joint, fmi)


def test_the_same_declaration_gives_the_same_file(joint, fmi):
    """Nothing of the time or place of the build is in the file."""
    assert model_description(joint, fmi) == model_description(VariableTable(joint.declared), fmi)
    assert "generationDateAndTime" not in xml(joint, fmi).attrib


def test_an_unknown_version_is_refused(joint):
    """There are two versions, and the message says which."""
    with pytest.raises(ValueError, match="there is no exporter for FMI 1; choose one of the versions 2, 3"):
        model_description(joint, 1)


def check_default_experiment(described, table):
    """The default experiment is the declared one."""
    experiment = described.defaultExperiment
    assert (float(experiment.startTime), float(experiment.stopTime), float(experiment.tolerance)) == (0, table.declared.stop_time, 1e-6)


# -- what the FMU can do -----------------------------------------------------------------------------------------------


def check_model_exchange_and_co_simulation_are_offered(described, table, fmi):
    """Both kinds have the same identifier, save and restore their state, and give derivatives.

    Calls after integrator steps are needed where relations are watched.
    """
    for kind in (described.modelExchange, described.coSimulation):
        assert kind.modelIdentifier == table.declared.identifier
        assert kind.canGetAndSetFMUstate and kind.canSerializeFMUstate
    derivatives = {2: ["providesDirectionalDerivative"], 3: ["providesDirectionalDerivatives", "providesAdjointDerivatives"]}[fmi]
    assert {xml(table, fmi).find(kind).get(flag) for kind in ("ModelExchange", "CoSimulation") for flag in derivatives} == {"true"}
    assert described.modelExchange.needsCompletedIntegratorStep == bool(table.with_role(Role.RELATION))
    assert described.coSimulation.canHandleVariableCommunicationStepSize
    assert int(described.coSimulation.maxOutputDerivativeOrder) == 1


def check_steps_end_early_at_events_only(table):
    """An FMI 3 step can always be cut short from outside, but only a component with events ends one by itself."""
    flags = xml(table, 3).find("CoSimulation").attrib
    assert flags["mightReturnEarlyFromDoStep"] == ("true" if table.with_role(Role.RELATION) or table.declared.events else "false")
    assert {flags[f] for f in ("providesIntermediateUpdate", "canReturnEarlyAfterIntermediateUpdate", "hasEventMode")} == {"true"}


def test_inputs_can_vary_inside_a_step_of_fmi_2(joint):
    """FMI 2 says so by one flag; FMI 3 by what may be accessed in the intermediate update."""
    assert xml(joint, 2).find("CoSimulation").get("canInterpolateInputs") == "true"


def check_intermediate_update_concerns_continuous_variables(table):
    """FMI 3 allows access inside a step to all inputs and continuous outputs, and to nothing that is discrete."""
    for element in xml(table, 3).find("ModelVariables"):
        accessible = element.get("intermediateUpdate") == "true"
        if element.get("causality") in ("input", "output"):
            assert accessible == (element.get("variability") == "continuous")
        assert not accessible or (element.tag == "Float64" and element.get("variability") == "continuous")


def check_source_files(described, table):
    """All sources are listed for builds on another platform, in FMI 3 in a file of their own."""
    (configuration,) = described.buildConfigurations
    assert configuration.modelIdentifier == table.declared.identifier
    assert [name for group in configuration.sourceFileSets for name in group.sourceFiles] == list(SOURCES)


def test_build_description_is_valid(joint):
    """The build description follows its schema, and takes the mathematical library from the environment."""
    root = etree.fromstring(build_description(joint, SOURCES).encode())
    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3BuildDescription.xsd"
    etree.XMLSchema(file=str(schema)).assertValid(root)
    assert root.find(".//SourceFileSet").get("language") == "C11"
    assert dict(root.find(".//Library").attrib) == {"name": "m", "external": "true"}


def check_log_categories(described, fmi):
    """The categories are those of the runtime, each with a description; only FMI 2 knows one for all messages."""
    names = [category.name for category in described.logCategories]
    assert names == [*LOG_CATEGORIES, *(["logAll"] if fmi == 2 else [])]
    assert all(category.description for category in described.logCategories)
    table = (RUNTIME / "messages.c").read_text().split("category_names[CATEGORIES] = {")[1].split("}")[0]
    assert [name.strip(' "') for name in table.split(",")] == list(LOG_CATEGORIES)


# -- variables ---------------------------------------------------------------------------------------------------------


def listed(described, table):
    """The variables that a description lists, with their references: an array as a whole, or as its elements in FMI 2."""
    return list(table.scalars() if described.fmiVersion.startswith("2") else table.numbered())


def check_value_references_are_places(described, table):
    """A variable has its place in the list as its value reference, in both versions, and the time is the last: some importers count so."""
    assert [v.valueReference for v in described.modelVariables] == [reference for reference, _ in listed(described, table)]
    assert described.modelVariables[-1].causality == "independent"


def check_both_versions_list_the_same_variables(table):
    """Names, units, start values and limits are the same in FMI 2 and FMI 3, in the same order."""
    facts = []
    for fmi in (2, 3):
        description = read(table, fmi)
        facts.append([(v.name, v.description, v.unit, v.start, v.min, v.max, v.nominal) for v in description.modelVariables])
    scalars = {v.name for v in table.variables if not v.shape}
    assert [fact[0] for fact in facts[0]] == [v.name for _, v in table.scalars()]
    assert [fact[0] for fact in facts[1]] == [v.name for v in table.variables]
    assert [fact for fact in facts[0] if fact[0] in scalars] == [fact for fact in facts[1] if fact[0] in scalars]


def check_start_values_are_the_declared_ones(described, table):
    """Variables that are not calculated start as declared; calculated ones have no start value."""
    for found, (_, declared) in zip(described.modelVariables, listed(described, table), strict=True):
        if declared.role.calculated or declared.role in (Role.TIME, Role.RELATION):
            assert found.start is None
        elif declared.shape:
            assert tuple(map(float, found.start.split())) == declared.start
        else:
            assert {"true": 1.0, "false": 0.0}.get(found.start) == declared.start or float(found.start) == declared.start


def check_ranges_are_stated(table, fmi):
    """The limits of parameters are attributes, and since these include the bound itself, the description states them too."""
    described = read(table, fmi)
    for _, declared in listed(described, table):
        if declared.role is not Role.PARAMETER:
            continue
        found = variable(described, declared.name)
        for text, bound in ((found.min, declared.range.minimum), (found.max, declared.range.maximum)):
            assert text is None if math.isinf(bound) else float(text) == bound
        stated = f"; must be {declared.range}"
        assert found.description.endswith(stated) == (found.min is not None or found.max is not None)


def test_a_mass_must_be_greater_than_zero(ball, fmi):
    """An excluded bound is given in words."""
    assert variable(read(ball, fmi), "m").description == "mass; must be greater than 0"


def test_the_nature_of_each_role(ball, fmi):
    """Causality, variability and initial of every kind of variable."""
    description = read(ball, fmi)
    assert nature(description, "time") == ("independent", "continuous", None)
    assert nature(description, "m") == ("parameter", "tunable", "exact")
    assert nature(description, "e") == ("parameter", "fixed", "exact")
    assert nature(description, "h") == ("local", "continuous", "exact")
    assert nature(description, "der(h)") == ("local", "continuous", "calculated")
    assert nature(description, "bounces") == nature(description, "thrown") == nature(description, "throw") == ("local", "discrete", "exact")
    assert nature(description, "airborne") == ("local", "discrete", "calculated")
    assert nature(description, "F") == ("input", "continuous", "exact")
    assert nature(description, "drag") == ("output", "continuous", "calculated")
    assert nature(description, "energy") == nature(description, "airborne.indicator") == ("local", "continuous", "calculated")


def test_types(ball, fmi):
    """Reals, integers and Booleans have the type of their version."""
    description = read(ball, fmi)
    types = tuple(variable(description, name).type for name in ("throw", "bounces", "thrown", "airborne"))
    assert types == {2: ("Real", "Integer", "Boolean", "Boolean"), 3: ("Float64", "Int32", "Boolean", "Boolean")}[fmi]


def test_the_switch_and_lambda(joint, fmi):
    """FMI 2 has a parameter and inputs; FMI 3 the structural parameter and the local variables of the layered standard."""
    description = read(joint, fmi)
    assert nature(description, "ideal") == ({2: "parameter", 3: "structuralParameter"}[fmi], "fixed", "exact")
    assert nature(description, "lambda[1]") == ({2: "input", 3: "local"}[fmi], "continuous", "exact")
    assert variable(description, "ideal").start == "false"


def test_states_that_events_change(ball, fmi):
    """Only a state that an event sets anew says so."""
    path = {2: "ModelVariables/ScalarVariable", 3: "ModelVariables/Float64"}[fmi]
    elements = [(e.get("name"), e if fmi == 3 else e[0]) for e in xml(ball, fmi).findall(path)]
    assert {name for name, element in elements if element.get("reinit") == "true"} == {"v"}


def check_derivatives_belong_to_their_states(described, table):
    """Every derivative refers to its state, in the order of the states."""
    assert [u.variable.derivative.name for u in described.derivatives] == [v.name for v in table.with_role(Role.STATE)]
    assert [u.variable.name for u in described.derivatives] == [f"der({v.name})" for v in table.with_role(Role.STATE)]


def check_units(described, table):
    """A variable has its declared unit; numbers, and factors of mixed dimension, have none."""
    for found, (_, declared) in zip(described.modelVariables, listed(described, table), strict=True):
        assert found.unit == (None if declared.unit in ("", units.MIXED) else declared.unit)
        assert found.displayUnit is None
    used = {v.unit for v in described.modelVariables} - {None}
    assert {unit.name for unit in described.unitDefinitions} == used


def test_base_units(joint, fmi):
    """A unit is a product of powers of the base units, the radian among them."""
    unit = xml(joint, fmi).find("UnitDefinitions/Unit[@name='N.m.s/rad']")
    assert dict(unit.find("BaseUnit").attrib) == {"kg": "1", "m": "2", "s": "-1", "rad": "-1"}


def test_display_units_multiply(joint, fmi):
    """The value shown is the factor times the value: half a turn shows as 180 degrees."""
    degree = xml(joint, fmi).find("UnitDefinitions/Unit[@name='rad']/DisplayUnit[@name='deg']")
    assert float(degree.get("factor")) * math.pi == pytest.approx(180)


# -- model structure ---------------------------------------------------------------------------------------------------


def check_dependencies_hold_numerically(described, table, fmi):
    """Outputs, derivatives and event indicators move with nothing undeclared, and have the slopes that the kinds promise.

    Knowns are inputs, states and time; in FMI 3 parameters and discrete states as well.
    """
    knowns = [v.name for v in described.modelVariables if v.causality in ("input", "independent")] + sorted(states(described))
    if fmi == 3:
        knowns += [v.name for v in described.modelVariables if v.causality == "parameter"]
        knowns += [v.name for v in described.modelVariables if (v.variability, v.initial) == ("discrete", "exact")]
    probe = dependence(table, None if fmi == 2 else False)
    for unknowns in (described.outputs, described.derivatives, described.eventIndicators):
        for unknown in unknowns:
            check_dependencies(probe, unknown.variable.name, knowns, dependencies(unknowns, unknown.variable.name))


def check_initial_dependencies_hold_numerically(described, table):
    """The same in Initialization Mode, where everything that is initially exact is a known, the switch included."""
    knowns = [v.name for v in described.modelVariables if v.initial == "exact" or v.causality in ("input", "independent")]
    either, ordinary = dependence(table, None), dependence(table, False)
    for unknown in described.initialUnknowns:
        name = unknown.variable.name
        declared = dependencies(described.initialUnknowns, name)
        assert set(declared.values()) <= {"constant", "dependent"}
        check_dependencies(ordinary, name, knowns, declared)
        if table.switch:
            assert (table.switch.name in declared) == (name in either.moved_by(table.switch.name))


def test_the_oracle_finds_what_is_wrong(joint):
    """A dependence that is missing, has too strong a kind, or is on no known at all is found out."""
    probe, knowns = dependence(joint, False), ["N.x", "N.vx", "compliant.k", "compliant.c"]
    right = {"N.x": "tunable", "N.vx": "tunable", "compliant.k": "dependent", "compliant.c": "dependent"}
    check_dependencies(probe, "N.Fx", [*knowns, "M.x"], right | {"M.x": "tunable"})
    for wrong, message in (
        ({n: k for n, k in right.items() if n != "N.vx"}, "N.Fx depends on N.vx, which is not declared"),
        (right | {"N.x": "fixed"}, "N.Fx depends on N.x otherwise than with a factor that is fixed"),
        (right | {"M.alpha": "constant"}, "N.Fx is said to depend on what is no known"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_dependencies(probe, "N.Fx", knowns, wrong)


def check_no_dependence_is_declared_in_vain(described, table, fmi):
    """Each declared dependence moves its unknown somewhere; variables that a relation watches do so at events only."""
    probe = dependence(table, None if fmi == 2 else False)
    indicators = {f"{relation.name}.indicator" for relation in table.with_role(Role.RELATION)}
    for unknown in (*described.outputs, *described.derivatives):
        for known in unknown.dependencies:
            moved = probe.moved_by(known.name)
            assert unknown.variable.name in moved or indicators & moved, f"{unknown.variable.name} does not depend on {known.name}"


def check_nothing_that_the_switch_changes_is_constant(table):
    """The dependencies in FMI 2 are the union of both modes, and a factor that differs between them is never called constant."""
    described = read(table, 2)
    modes = [dependence(table, position) for position in (False, True)]
    for unknowns in (described.outputs, described.derivatives, described.initialUnknowns):
        for unknown in unknowns:
            name, declared = unknown.variable.name, dependencies(unknowns, unknown.variable.name)
            for known, kind in declared.items():
                moved = [name in mode.moved_by(known) for mode in modes]
                assert kind != "constant" or moved[0] == moved[1], f"{name} depends on {known} in one mode only"


def test_lambda_counts_where_it_is_an_input(joint, fmi):
    """FMI 2 declares that lambda acts on the wrench, by a factor that the switch fixes; in FMI 3 this is the manifest's to say."""
    found = dependencies(read(joint, fmi).outputs, "M.Fx")
    assert found.get("lambda[1]") == {2: "fixed", 3: None}[fmi]
    assert found["M.x"] == "tunable"


def check_only_joints_have_a_manifest(table, fmi):
    """A component without algebraic variables has no manifest."""
    assert (manifest_of(table, fmi) is None) == (not table.with_role(Role.ALGEBRAIC))


def check_dependencies_are_in_order(described):
    """FMI 2 wants ascending indices, and initial unknowns in the order of the variables."""
    for unknowns in (described.outputs, described.derivatives, described.initialUnknowns, described.eventIndicators):
        for unknown in unknowns:
            references = [v.valueReference for v in unknown.dependencies]
            assert references == sorted(references)
    references = [u.variable.valueReference for u in described.initialUnknowns]
    assert references == sorted(references)


def test_event_indicators(ball, fmi):
    """FMI 2 counts them, FMI 3 lists them with their dependencies; each relation has one."""
    description = read(ball, fmi)
    if fmi == 2:
        assert description.numberOfEventIndicators == 2
    else:
        assert [u.variable.name for u in description.eventIndicators] == ["airborne.indicator", "event[1].indicator"]
        assert dependencies(description.eventIndicators, "airborne.indicator") == {"h": "constant"}


def test_dependence_through_relations(ball, fmi):
    """At an event, an output changes with what its relation watches; a factor that the relation chooses is discrete."""
    description = read(ball, fmi)
    drag = dependencies(description.outputs, "drag")
    assert (drag["v"], drag["h"]) == ("discrete", "dependent")
    assert dependencies(description.outputs, "flag") == {"h": "dependent"}
    initial = dependencies(description.initialUnknowns, "drag")
    assert initial == {"b": "dependent", "h": "dependent", "v": "dependent"}


def test_discrete_states_are_knowns_of_fmi_3(ball, fmi):
    """FMI 2 counts discrete states among the knowns of the initialisation only; the factor they choose is discrete in both."""
    description = read(ball, fmi)
    assert dependencies(description.outputs, "bonus") == {"F": "discrete"} | ({"thrown": "dependent"} if fmi == 3 else {})
    assert dependencies(description.initialUnknowns, "bonus") == {"F": "dependent", "thrown": "dependent"}


def test_every_component_is_described_as_it_is_declared(described, table, fmi):
    """The checks above, of what is read once; some concern what one version alone has."""
    of_one_version = {
        2: (check_nothing_that_the_switch_changes_is_constant,),
        3: (
            check_steps_end_early_at_events_only,
            check_intermediate_update_concerns_continuous_variables,
            check_both_versions_list_the_same_variables,
        ),
    }
    check_all(
        check_the_schema_and_fmpy_accept_it,
        check_default_experiment,
        check_model_exchange_and_co_simulation_are_offered,
        check_source_files,
        check_log_categories,
        check_value_references_are_places,
        check_start_values_are_the_declared_ones,
        check_ranges_are_stated,
        check_derivatives_belong_to_their_states,
        check_units,
        check_dependencies_hold_numerically,
        check_initial_dependencies_hold_numerically,
        check_no_dependence_is_declared_in_vain,
        check_only_joints_have_a_manifest,
        check_dependencies_are_in_order,
        *of_one_version[fmi],
        described=described,
        table=table,
        fmi=fmi,
    )
