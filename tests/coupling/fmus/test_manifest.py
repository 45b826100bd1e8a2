"""The manifest of FMI-LS-DAE, in the draft that this project writes and in the older one that CasADi writes."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from coupling import System
from coupling.fmus import Constraint, Dae, Fmu, FmuError, FmuVariable, Structure, Unknown, load
from coupling.fmus.constraints import read_constraints
from coupling.fmus.errors import Source
from coupling.fmus.manifest import MANIFEST, read_manifest
from tests.support.foreign import casadi_dae


def test_a_residual_of_another_name_is_told_by_its_place() -> None:
    """The second of a list belongs to ``velocity[2]``; one that has a number of its own goes by that."""
    variables = {
        name: FmuVariable(name, i, "real", "Float64", "output", "continuous", "calculated", None, None, 0.0, 0.0, 1.0, None, (), "")
        for i, name in enumerate(("velocity[1]", "velocity[2]", "position[2]", "velocity[3]", "acceleration[3]"))
    }
    residuals = Unknown(11, None, "alg1"), Unknown(12, None, "alg2"), Unknown(13, None, "residual[3]")
    assert read_constraints((21, 22, 23), residuals, variables) == (
        Constraint(21, 11, None, 0, None),
        Constraint(22, 12, 2, 1, None),
        Constraint(23, 13, None, 3, 4),
    )


# -- CasADi ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_casadi(tmp_path_factory: pytest.TempPathFactory) -> Fmu:
    """x'' = lambda - k*x, 0 = sin(x) + u - lambda, and an event where x passes 0, as CasADi exports it."""
    casadi = pytest.importorskip("casadi", reason="CasADi, of the extra 'peers', is not installed")
    builder = casadi.DaeBuilder("oscillator")
    x, v, force = builder.add("x"), builder.add("v"), builder.add("lambda")
    k, u = builder.add("k", "parameter", "tunable"), builder.add("u", "input", "continuous")
    y = builder.add("y", "output", "continuous")
    builder.eq(builder.der(x), v)
    builder.eq(builder.der(v), force - k * x)
    builder.eq(y, x + force)
    builder.eq(0, force - casadi.sin(x) - u)
    builder.when(x < 0, [builder.reinit("v", 0.5 * v)])
    builder.set_start("k", 2.0)
    builder.set_unit("x", "m")
    folder = tmp_path_factory.mktemp("casadi")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # it writes into the current folder
        members = builder.export_fmu({"no_warning": True})
    with zipfile.ZipFile(folder / "oscillator.fmu", "w") as archive:
        for file, member in members.items():
            archive.write(folder / file, member.removeprefix("./"))
    return load(folder / "oscillator.fmu")


def named(fmu: Fmu, unknowns: tuple[Unknown, ...]) -> dict[str, set[str] | None]:
    return {u.name: None if u.knowns is None else set(u.knowns) for u in unknowns}


def test_casadi_names_its_unknowns_in_the_manifest_alone(of_casadi: Fmu) -> None:
    """Algebraic variables and residuals are ordinary local variables in the model description; there is no switch."""
    dae = of_casadi.dae
    assert dae is not None and dae.switch is None
    assert [of_casadi.by_reference[each].name for each in dae.algebraic] == ["lambda"]
    assert named(of_casadi, dae.structure.residuals) == {"__alg__0": {"x", "lambda", "u"}}
    assert of_casadi.variables["lambda"].causality == of_casadi.variables["__alg__0"].causality == "local"


def test_casadi_lists_indicators_in_the_model_description_alone(of_casadi: Fmu) -> None:
    """The old draft repeats outputs and derivatives and leaves the rest to the model description."""
    assert of_casadi.dae is not None
    structure = of_casadi.dae.structure
    assert named(of_casadi, structure.outputs) == {"y": {"x", "lambda"}}
    assert named(of_casadi, structure.derivatives) == {"der(x)": {"v"}, "der(v)": {"x", "lambda"}}
    assert structure.indicators == of_casadi.structure.indicators
    assert named(of_casadi, structure.indicators) == {"__when__0": {"x"}}


def test_casadi_model_description(of_casadi: Fmu) -> None:
    """The rest of the FMU reads like any other, though its states have no start values and its units no definition."""
    assert [of_casadi.by_reference[each].name for each in of_casadi.states] == ["x", "v"]
    assert (of_casadi.variables["x"].initial, of_casadi.variables["x"].start) == ("calculated", None)
    assert of_casadi.units["m"].exponents is None
    assert of_casadi.generation_tool == "CasADi" and of_casadi.time == 2**32 - 1
    assert of_casadi.model_exchange is not None and of_casadi.co_simulation is None


def test_casadi_exports_no_binary(of_casadi: Fmu) -> None:
    """The sources inside are compiled."""
    assert of_casadi.library("me").name == "oscillator.so"


# -- what either draft can say -----------------------------------------------------------------------------------------

NEW = '<fmiDAEManifest xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest" fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-dae">{}</fmiDAEManifest>'
OLD = '<fmiLayeredStandardManifest fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-dae">{}</fmiLayeredStandardManifest>'
ONE = '<AlgebraicVariables><AlgebraicVariable valueReference="3"/></AlgebraicVariables><ModelStructure>{}</ModelStructure>'
DESCRIPTION = """
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t" generationTool="Tool 1">
  <ModelExchange modelIdentifier="m"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Float64 name="x" valueReference="1" initial="exact" start="0"/>
    <Float64 name="der(x)" valueReference="2" derivative="1"/>
    <Float64 name="a" valueReference="3"/>
    <Float64 name="r" valueReference="4"/>
    <Float64 name="y" valueReference="5" causality="output"/>
    <Boolean name="on" valueReference="6" causality="structuralParameter" start="false"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="5" dependencies="1"/>
    <ContinuousStateDerivative valueReference="2" dependencies="1" dependenciesKind="constant"/>
  </ModelStructure>
</fmiModelDescription>
"""


@pytest.fixture
def model(tmp_path: Path) -> Fmu:
    with zipfile.ZipFile(tmp_path / "m.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
    return load(tmp_path / "m.fmu")


def read(model: Fmu, text: str) -> Dae | None:
    return read_manifest(text.encode(), model.variables.values(), model.structure, Source(Path("m.fmu"), "'Tool 1'"))


UNNAMED = (Constraint(3, 4, None, None, None),)
"""The constraint of a model that does not give it at any level."""


def test_a_new_draft_that_lists_residuals_alone(model: Fmu) -> None:
    """Unknowns that it omits count as depending on everything, since the mode changes dependencies."""
    dae = read(model, NEW.format('<EnableDAEParameter valueReference="6"/>' + ONE.format('<Residual valueReference="4"/>')))
    assert dae == Dae(6, (3,), Structure((Unknown(5, None),), (Unknown(2, None),), (), (Unknown(4, None),)), UNNAMED)


def test_a_new_draft_replaces_the_lists(model: Fmu) -> None:
    """Kinds default to dependent; an empty list of dependencies is none at all."""
    lists = (
        '<Output valueReference="5" dependencies=""/><ContinuousStateDerivative valueReference="2" dependencies="1 3"/>'
        '<EventIndicator valueReference="1" dependencies="0"/>'
        '<Residual valueReference="4" dependencies="1 3" dependenciesKind="dependent constant"/>'
    )
    dae = read(model, NEW.format(ONE.format(lists)))
    assert dae == Dae(
        None,
        (3,),
        Structure(
            (Unknown(5, ()),),
            (Unknown(2, ((1, "dependent"), (3, "dependent"))),),
            (Unknown(1, ((0, "dependent"),)),),
            (Unknown(4, ((1, "dependent"), (3, "constant"))),),
        ),
        UNNAMED,
    )


def test_an_old_draft_that_lists_residuals_alone(model: Fmu) -> None:
    """Unknowns that it omits come from the model description; of several formulations, that of index 1 is taken."""
    formulations = '<Formulation index="3" valueReference="1"/><Formulation index="1" valueReference="4" dependencies="3"/>'
    dae = read(model, OLD.format(ONE.format(f"<Residual>{formulations}</Residual>")))
    assert dae is not None
    assert dae.structure == Structure(model.structure.outputs, model.structure.derivatives, (), (Unknown(4, ((3, "dependent"),)),))


@pytest.mark.parametrize("switch", ["EnableDAEParameter", "EnableDAE", "dae:EnableDAE"])
@pytest.mark.parametrize("root", ["fmiDAEManifest", "fmiLayeredStandardManifest", "fmi-ls-dae", "fmi-ls:fmi-dae"])
@pytest.mark.parametrize("residual", ['<Residual valueReference="4"/>', '<Residual><Formulation index="1" valueReference="4"/></Residual>'])
def test_spellings_of_released_fmus(model: Fmu, root: str, switch: str, residual: str) -> None:
    """Every draft's name of the root, of the switch and of a residual, with a prefix or without, is understood the same way."""
    dae = read(model, f'<{root}><{switch} valueReference="6"/>{ONE.format(residual)}<Annotations><Any/></Annotations></{root}>')
    assert dae is not None
    assert (dae.switch, dae.algebraic, [each.reference for each in dae.structure.residuals]) == (6, (3,), [4])


ROBERTS = """
<fmiLayeredStandardManifest xmlns="http://fmi-standard.org/fmi-ls-manifest" xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
    fmi-ls:fmi-ls-name="fmi-ls-dae" fmi-ls:fmi-ls-version="">
  <EnableDAE valueReference="6"/>
  <AlgebraicVariables><AlgebraicVariable valueReference="3" nominal="4"/></AlgebraicVariables>
  <ModelStructure>
    <ContinuousStateDerivative valueReference="2" dependencies="1 3" dependenciesKind="constant constant"/>
    <InitialUnknown valueReference="2" dependencies="1 3" dependenciesKind="constant constant"/>
    <Residual><Formulation index="1" valueReference="4" dependencies="1 3" dependenciesKind="constant constant"/></Residual>
  </ModelStructure>
</fmiLayeredStandardManifest>"""


def test_the_manifest_of_the_reference_fmu(model: Fmu) -> None:
    """Roberts's manifest has an old root, a switch and a nominal value; the order of outputs is that of the model description."""
    dae = read(model, ROBERTS)
    assert dae is not None and dae.switch == 6
    assert dae.structure.outputs == model.structure.outputs
    assert dae.structure.derivatives == (Unknown(2, ((1, "dependent"), (3, "dependent"))),)


@pytest.mark.parametrize("solver", ["cvode", "ida"])
def test_the_model_of_the_reference_fmu_couples(solver: str, tmp_path: Path) -> None:
    """Robertson's reaction in a manifest of the old draft gives the published digits at t = 40 s, although it calls all slopes constant.

    With slopes of the start, IDA needs 5,000 steps for the first second.
    """
    pytest.importorskip("casadi", reason="CasADi, of the extra 'peers', is not installed")
    system = System("roberts")
    system.add("r", _with_constant_slopes(casadi_dae("roberts"), tmp_path / "roberts.fmu"))
    result = system.simulate(40.0, solver=solver, rtol=1e-9, atol={"r.y1": 1e-11, "r.y2": 1e-14}, max_steps=2000)
    assert result.outcome.completed, result.outcome.sentence
    found = [result[name][-1] for name in ("r.y1", "r.y2", "r.rest")]
    assert found == pytest.approx([0.7158270687, 9.185534764558e-6, 0.2841637457], rel=1e-6)


def _with_constant_slopes(fmu: Path, target: Path) -> Path:
    """Returns a copy of an FMU whose manifest calls all dependencies constant, as that of the Reference FMU does."""

    def constant(match: re.Match[str]) -> str:
        return f'dependencies="{match[1]}" dependenciesKind="{" ".join("constant" for _ in match[1].split())}"'

    with zipfile.ZipFile(fmu) as archive, zipfile.ZipFile(target, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if name == MANIFEST:
                plain = re.sub(r'\s+dependenciesKind="[^"]*"', "", content.decode())
                changed = re.sub(r'dependencies="([^"]*)"', constant, plain)
                assert changed.count("constant") >= 7
                content = changed.encode()
            copy.writestr(name, content)
    return target


WITH_INPUT = DESCRIPTION.replace(
    '<Boolean name="on"', '<Float64 name="u" valueReference="7" causality="input" start="0"/><Boolean name="on"'
)


@pytest.mark.parametrize(("listed", "completed"), [("1 3", True), ("1 3 7", False), (None, False)])
def test_residuals_that_list_no_input(listed: str | None, completed: bool, tmp_path: Path) -> None:
    """OpenModelica leaves inputs out of these lists: then all inputs count, and a note says so. Lists with an input are as they are."""
    dependencies = "" if listed is None else f' dependencies="{listed}"'
    with zipfile.ZipFile(tmp_path / "m.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", WITH_INPUT)
        archive.writestr(MANIFEST, NEW.format(ONE.format(f'<Residual valueReference="4"{dependencies}/>')))
    fmu = load(tmp_path / "m.fmu")
    assert fmu.dae is not None
    (residual,) = fmu.dae.structure.residuals
    assert residual.knowns == (("x", "a", "u") if listed else None)
    sentence = f"'{tmp_path / 'm.fmu'}' lists no input among the dependencies of its residuals in {MANIFEST}: they count as dependent on all inputs"
    assert [note for note in fmu.notes if "residuals" in note] == ([sentence] if completed else [])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            NEW.format('<EnableDaeMode valueReference="6"/>' + ONE.format('<Residual valueReference="4"/>')),
            f"'m.fmu' has the unknown element 'EnableDaeMode' in the fmiDAEManifest of its {MANIFEST}; Jourdain reads "
            "EnableDAEParameter, EnableDAE, AlgebraicVariables, ModelStructure, Annotations; export it again, or report this to the makers of "
            "'Tool 1'",
        ),
        (
            NEW.format(ONE.format('<Residual valueReference="4"/><Equation valueReference="4"/>')),
            f"'m.fmu' has the unknown element 'Equation' in the ModelStructure of its {MANIFEST}; Jourdain reads Output, "
            "ContinuousStateDerivative, ClockedState, InitialUnknown, EventIndicator, Residual; export it again, or report this to the makers of "
            "'Tool 1'",
        ),
        (
            OLD.format(ONE.format('<Residual><Formulation index="2" valueReference="4"/></Residual>')),
            "'m.fmu' gives the residual 'r' at index 2 alone, and only index 1 is solved; export it with index reduction, which "
            "adds a formulation of index 1",
        ),
        (
            NEW.format(ONE.format('<Residual valueReference="4" dependencies="2 3"/><Residual valueReference="1"/>')),
            "'m.fmu' has the residual 'r', which depends on the derivative 'der(x)': this implicit form of FMI-LS-DAE is not solved; export it "
            f"in the semi-explicit form, or leave out {MANIFEST}",
        ),
    ],
)
def test_what_is_not_understood_is_named(model: Fmu, text: str, sentence: str) -> None:
    """An unknown element might be what turns the mode on; forms that are not solved have their own sentences."""
    with pytest.raises(FmuError) as error:
        read(model, text)
    assert str(error.value) == sentence


def test_a_manifest_without_unknowns(model: Fmu) -> None:
    """An FMU that leaves nothing to the importer is an ordinary one."""
    assert read(model, NEW.format("<AlgebraicVariables/><ModelStructure/>")) is None
    assert read(model, OLD.format("")) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<fmiDAEManifest>", f"has a {MANIFEST} that is not well-formed XML (no element found: line 1, column 16)"),
        (NEW.format(ONE.format("")), f"declares 1 algebraic variables but 0 residuals in its {MANIFEST}"),
        (
            NEW.format(ONE.format('<Residual valueReference="40"/>')),
            "refers to an unknown of its model structure by the value reference '40', which no variable has",
        ),
        (
            NEW.format(ONE.format('<Residual valueReference="4" dependencies="3 9"/>')),
            "refers to a dependency of 'r' by the value reference '9', which no variable has",
        ),
        (
            NEW.format(ONE.format('<Residual valueReference="4" dependencies="1 3" dependenciesKind="constant"/>')),
            "lists 2 dependencies of 'r' (1 3) but 1 kinds (constant)",
        ),
        (
            NEW.format(ONE.format('<Residual valueReference="4"/>').replace('"3"', '"6"')),
            "refers to an algebraic variable by the value reference '6', which no real variable has",
        ),
        (
            NEW.format('<EnableDAEParameter valueReference="1"/>' + ONE.format('<Residual valueReference="4"/>')),
            "refers to the switch of its DAE mode by the value reference '1', which no Boolean variable has",
        ),
    ],
)
def test_what_is_wrong_is_said(model: Fmu, text: str, complaint: str) -> None:
    """One sentence names the file, the thing, its value and who can mend it."""
    with pytest.raises(FmuError) as error:
        read(model, text)
    assert str(error.value) == f"'m.fmu' {complaint}; export it again, or report this to the makers of 'Tool 1'"
