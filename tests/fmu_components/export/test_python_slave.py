"""The second backend: what PythonFMU makes of a declaration gives the same values through the same interface."""

from __future__ import annotations

import ast
import itertools
import math
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
import zipfile
from functools import cache

import numpy as np
import pytest
import sympy
from fmpy.validation import validate_fmu
from scipy.integrate import solve_ivp

from fmu_components.catalogue import find
from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.tables import ArrayBase, LookupBase
from fmu_components.export.build import cached_fmu
from fmu_components.export.model_description import model_description
from fmu_components.export.python_slave import RUNTIME, build_python_fmu, runtime_module
from fmu_components.export.table import VariableTable
from tests.fmu_components.export.conftest import COMPONENTS
from tests.support.components.tables import Tables
from tests.support.declare.arrays import FUNCTIONS, varied
from tests.support.declare.reference import reference
from tests.support.properties import check_all
from tests.support.runtime.driver import DISCARD, Driver, status_of

BODY = VariableTable(declaration(find("planar.Body1")))
FATAL = 4
BASE = (Role.TIME, Role.PARAMETER, Role.SWITCH, Role.STATE, Role.DISCRETE, Role.RELATION, Role.INPUT, Role.DISCRETE_INPUT, Role.ALGEBRAIC)
DIGITS = 30
ROUNDING = dict.fromkeys([name for name in COMPONENTS if "spatial.RevoluteBody" in name], 10)
"""Factors by which rounding grows more over a step, where an acceleration of 1e3 is a quotient with cancellation."""


@pytest.fixture(scope="session")
def fmu_of(tmp_path_factory):
    """The FMU of a variable table, built once."""
    return cache(lambda table: build_python_fmu(table, tmp_path_factory.mktemp("fmu")))


def source_in(fmu):
    """The generated module as it lies in the FMU."""
    with zipfile.ZipFile(fmu) as archive:
        name = archive.read("resources/slavemodule.txt").decode()
        return archive.read(f"resources/{name}.py").decode()


@cache
def module_in(fmu):
    """The generated module, upon the runtime as it lies in the package."""
    module = types.ModuleType(fmu.stem)
    exec(source_in(fmu).replace(f"import {runtime_module()} ", "import fmu_components.runtime.python "), module.__dict__)
    return module


def slave_in(fmu):
    module = module_in(fmu)
    return getattr(module, module.MODEL.name.replace(".", "_"))(instance_name="unit")


def number(value, boolean=False):
    """Returns a value in many digits, or those of an array."""
    if isinstance(value, tuple):
        return sympy.Tuple(*(sympy.Float(each, DIGITS) for each in value))
    return sympy.sympify(bool(value)) if boolean else sympy.Float(value, DIGITS)


class Exact:
    """The equations of a declaration evaluated by SymPy at one point, in many digits."""

    def __init__(self, declared, point):
        self.declared = declared
        self.known = {declared[name].symbol: number(value, declared[name].type == "boolean") for name, value in point.items()}
        self.sizes = {}

    def value(self, expression):
        for symbol in expression.free_symbols - self.known.keys():
            self.known[symbol] = self.value(self.declared.by_symbol[symbol].equation)
        found = expression.xreplace(self.known)
        looked_up = {each: sympy.sympify(FUNCTIONS[type(each).__name__](*each.args)) for each in found.atoms(LookupBase, ArrayBase)}
        return found.xreplace(looked_up).evalf(DIGITS)

    def scale(self, expression):
        """Returns the size at which rounding acts: at least 1, and as large as the terms that make up the value."""
        return max(1.0, self._size(expression))

    def _size(self, expression):
        if expression not in self.sizes:
            self.sizes[expression] = float(self._sum_of_terms(expression))
        return self.sizes[expression]

    def _sum_of_terms(self, expression):
        if expression.is_Symbol and self.declared.by_symbol[expression].role.calculated:
            return self._size(self.declared.by_symbol[expression].equation)
        if expression.is_Add:
            return sum(map(self._size, expression.args))
        if expression.is_Mul:
            return math.prod(map(self._size, expression.args))
        if isinstance(expression, sympy.Piecewise):
            return max(self._size(branch) for branch, _ in expression.args)
        if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
            return self._size(expression.base) ** int(expression.exp)
        return abs(self.value(expression))


def random_point(declared, random, ideal=False):
    """Values within their ranges; validity conditions are checked at the end of initialisation only, so that they may be violated."""
    return {v.name: draw(v, random, ideal) for v in declared.with_role(*BASE)}


def draw(variable, random, ideal):
    if variable.shape:
        return varied(variable, random)
    if variable.role is Role.SWITCH:
        return ideal
    if variable.role in (Role.DISCRETE, Role.DISCRETE_INPUT, Role.RELATION):
        return False if variable.start is None else variable.start
    if variable.type == "boolean":
        return bool(random.integers(2))
    low = max(-2.0, variable.range.minimum)
    return float(random.uniform(low + 0.1, min(low + 4.0, variable.range.maximum)))


def check(exact, variable, found):
    assert found == pytest.approx(float(exact.value(variable.symbol)), abs=1e-12 * exact.scale(variable.symbol), rel=0), variable.name


# -- values ---------------------------------------------------------------------------------------------------------------------


def check_initialization_mode_gives_the_declared_values(table, fmu_of):
    """For random parameters, start values and inputs everything calculated is exact to 1e-12 of max(1, value, largest term)."""
    declared, random = table.declared, np.random.default_rng(1)
    calculated = [v for v in declared.variables if v.role.calculated]
    for _ in range(2):
        point = random_point(declared, random)
        with Driver(fmu_of(table), "cs") as driver:
            driver.enter(start=point["time"])
            driver.set({v.name: point[v.name] for v in declared.variables if v.start is not None})
            exact = Exact(declared, point | driver.get([v.name for v in declared.with_role(Role.RELATION)]))
            found = driver.get([v.name for v in calculated])
            for v in calculated:
                check(exact, v, found[v.name])


def check_the_generated_functions_give_the_declared_values_in_both_modes(table, fmu_of):
    """They do so with the switch on, too, which a Co-Simulation FMU refuses. Derivatives and conditions alone equal those among all values."""
    declared, model = table.declared, module_in(fmu_of(table)).MODEL
    for ideal in (False, True):
        point = random_point(declared, np.random.default_rng(2), ideal)
        exact, values = Exact(declared, point), [0.0]
        for v in table.variables:
            values += point[v.name] if v.shape else [point.get(v.name, 0.0)]
        model.evaluate(values)
        for place, v in table.numbered():
            if v.role.calculated:
                check(exact, v, values[place])
        derivatives = [values[table.reference(f"der({state.name})")] for state in table.with_role(Role.STATE)]
        assert list(model.derivatives(values)) == pytest.approx(derivatives, rel=1e-12, abs=1e-12)
        for condition, value in zip(declared.conditions, model.require(values), strict=True):
            assert value == pytest.approx(float(exact.value(condition.expression)), abs=1e-12 * exact.scale(condition.expression))


def check_both_backends_give_the_same_outputs(table, fmu, fmu_of):
    """For the same parameters, start values and inputs all outputs agree to 1e-12, at the start and after steps of any size."""
    random = np.random.default_rng(11)
    component, declared = COMPONENTS[table.declared.name], table.declared
    point = reference(component).random_point(random)
    names = [v.name for v in declared.with_role(Role.OUTPUT)]
    roles = (Role.PARAMETER, Role.STATE, Role.INPUT, Role.ALGEBRAIC)
    # Deformations larger than the body itself leave it no inertia.
    start = {v.name: point[v.name] * (0.01 if v.elastic else 1) for v in declared.with_role(*roles)}
    with Driver(fmu(component, 2), "cs") as native, Driver(fmu_of(table), "cs", logging=True) as python:
        for driver in (native, python):
            driver.start(start)
        time = 0.0
        # Stiff shapes would let the explicit method step along the border of its stability, where rounding grows.
        share = 1e-5 if any(v.elastic for v in declared.variables) else 1.0
        for size in (0.0, 0.01 * share, 0.2 * share, 0.05 * share):
            if size:
                inputs = {v.name: point[v.name] + time for v in declared.with_role(Role.INPUT)}
                for driver in (native, python):
                    driver.set(inputs)
                    driver.step(time, size)
                time += size
            first, second = (driver.get(names) for driver in (native, python))
            scale = ROUNDING.get(declared.name, 1) * max([1.0, *(abs(v) for v in first.values())])
            for name in names:
                assert second[name] == pytest.approx(first[name], rel=1e-12, abs=1e-12 * scale), (name, time)


def test_a_body_under_a_constant_wrench_follows_the_reference(fmu_of):
    """Over communication steps of many sizes the states stay within 1e-9 of SciPy's solution at rtol 1e-12."""
    m, inertia, rx, ry, force, torque = 1.3, 0.4, 0.5, -0.2, (3.0, -2.0), 0.7
    start = {"x": 0.1, "y": -0.2, "theta": 0.3, "vx": 1.0, "vy": 0.5, "omega": -2.0}

    def slopes(time, s):
        arm = (rx * math.cos(s[2]) - ry * math.sin(s[2]), rx * math.sin(s[2]) + ry * math.cos(s[2]))
        return [s[3], s[4], s[5], force[0] / m, force[1] / m - 9.81, (torque + arm[0] * force[1] - arm[1] * force[0]) / inertia]

    exact = solve_ivp(slopes, (0, 2), list(start.values()), method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True).sol
    with Driver(fmu_of(BODY), "cs") as driver:
        driver.start({"m": m, "I": inertia, "p1.rx": rx, "p1.ry": ry, "p1.Fx": force[0], "p1.Fy": force[1], "p1.Cz": torque} | start)
        for time, size in itertools.pairwise([0.0, 0.3, 0.3001, 1.0, 1.9, 2.0]):
            driver.step(time, size - time)
            assert list(driver.get(list(start)).values()) == pytest.approx(list(exact(size)), abs=1e-9)


def test_tables_are_those_of_the_native_fmu(fmu_of):
    """Values and rates agree to 1e-12 within the tables and beyond."""
    table = VariableTable(declaration(Tables))
    names = [v.name for v in table.with_role(Role.OUTPUT)]
    with Driver(cached_fmu(Tables, 2), "cs") as native, Driver(fmu_of(table), "cs") as python:
        for driver in (native, python):
            driver.start()
        for step in range(12):
            found, other = (driver.get(names) for driver in (native, python))
            assert list(other.values()) == pytest.approx(list(found.values()), rel=1e-12, abs=1e-12), found
            for driver in (native, python):
                driver.step(0.19 * step, 0.19)


# -- the FMU --------------------------------------------------------------------------------------------------------------------


def check_fmpy_finds_nothing_wrong(table, fmu_of):
    """FMPy's validation: schema, names, model structure, start values, units."""
    assert validate_fmu(str(fmu_of(table))) == []


def check_the_interface_is_that_of_the_native_fmu(table, fmu_of):
    """Variables with all their attributes, units, model structure, GUID and model name equal those of the native FMI 2 FMU.

    So do causality, variability, initial and start values of the slave in Python.
    """
    with zipfile.ZipFile(fmu_of(table)) as archive:
        found, files = ET.fromstring(archive.read("modelDescription.xml")), archive.namelist()
    native = ET.fromstring(model_description(table, 2))
    for tag in ("ModelVariables", "ModelStructure", "UnitDefinitions", "DefaultExperiment"):
        assert ET.tostring(found.find(tag)) == ET.tostring(native.find(tag))
    assert [found.get(key) for key in ("modelName", "guid")] == [table.declared.name, table.token]
    assert found.find("ModelExchange") is None
    interface = found.find("CoSimulation")
    assert {interface.get("canGetAndSetFMUstate"), interface.get("canSerializeFMUstate")} == {"true"}
    assert f"binaries/linux64/{interface.get('modelIdentifier')}.so" in files
    assert fmu_of(table).name == f"{table.declared.name}.fmu"

    slave = slave_in(fmu_of(table))
    variables = native.iterfind("ModelVariables/ScalarVariable")
    for own, variable, (_, declared) in zip(slave.vars.values(), variables, table.scalars(), strict=True):
        for key in ("name", "valueReference", "causality", "variability", "initial"):
            assert own.to_xml().get(key) == variable.get(key), declared.name
        assert type(own).__name__ == variable[0].tag
        if declared.start is not None:
            assert own.getter() == declared.start, declared.name


def check_the_fmu_needs_the_standard_library_and_pythonfmu_only(table, fmu_of):
    """The generated module imports math and the runtime, which imports nothing else than the standard library and PythonFMU."""

    def imported(source):
        nodes = list(ast.walk(ast.parse(source)))
        return {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names} | {
            node.module or ""
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.level == 0  # not within the package
        }

    assert imported(source_in(fmu_of(table))) == {"math", runtime_module()}
    packages = {name.split(".")[0] for file in RUNTIME.glob("*.py") for name in imported(file.read_text())}
    assert "pythonfmu" in packages
    assert packages - {"pythonfmu"} <= sys.stdlib_module_names


def test_a_build_is_reproducible_and_leaves_the_interpreter_as_it_was(tmp_path):
    """The same declaration gives the same bytes, and neither path nor modules of the builder remain."""
    path, modules = sys.path.copy(), set(sys.modules)
    first, second = (build_python_fmu(BODY, tmp_path / name) for name in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert sys.path == path
    assert not {name for name in set(sys.modules) - modules if "planar_Body1" in name or "slave" in name}


def test_fmus_of_one_name_keep_apart(tmp_path):
    """Two components of the same name, loaded into the same process, each compute by their own equations."""

    def gain(factor):
        class Gain(Component):
            """Multiplies its input."""

            def declare(self):
                u = self.input("u", 1.0, "", "signal")
                self.output("y", factor * u, "", "the input, larger")

        return Gain

    fmus = {factor: build_python_fmu(VariableTable(declaration(gain(factor))), tmp_path / str(factor)) for factor in (2, 3)}
    assert {fmu.name for fmu in fmus.values()} == {"Gain.fmu"}
    for factor, fmu in fmus.items():
        with Driver(fmu, "cs") as driver:
            driver.start()
            assert driver["y"] == factor


def test_a_saved_state_continues_with_the_same_bits(fmu_of):
    """The state is saved and restored through the FMU, and serialised into another instance that has never seen the parameters."""
    names = ["x", "y", "theta", "omega", "p1.ax"]
    with Driver(fmu_of(BODY), "cs") as driver, Driver(fmu_of(BODY), "cs") as other:
        driver.start({"m": 2.0, "p1.rx": 0.5, "omega": 3.0, "p1.Fy": 20.0})
        driver.step(0.0, 0.3)
        saved = driver.fmu.getFMUState()
        data = driver.fmu.serializeFMUState(saved)
        driver.step(0.3, 0.5)
        expected = driver.get(names)
        driver.fmu.setFMUState(saved)
        driver.step(0.3, 0.5)
        assert driver.get(names) == expected
        other.start()
        other.fmu.setFMUState(other.fmu.deSerializeFMUstate(data))
        other.step(0.3, 0.5)
        assert other.get(names) == expected


# -- wrong use ------------------------------------------------------------------------------------------------------------------


def check_every_bound_of_every_parameter_is_kept(table, fmu_of):
    """A value beyond either end of a range is refused by a sentence that names instance, parameter, value and range."""
    slave = slave_in(fmu_of(table))
    for place, parameter in table.scalars():
        if parameter.role is not Role.PARAMETER or parameter.type != "real":
            continue
        valid, reference = parameter.range, [place]
        beyond = [
            valid.minimum - 1,
            valid.minimum if valid.open_below else -math.inf,
            valid.maximum + 1,
            valid.maximum if valid.open_above else math.inf,
        ]
        for value in [v for v in beyond if math.isfinite(v)] + [math.nan]:
            with pytest.raises(ValueError, match="is refused") as refusal:
                slave.set_real(reference, [value])
            sentence = str(refusal.value)
            assert sentence.startswith(f"unit: {parameter.name} = {value:g}")
            otherwise = f"; {valid.otherwise}" if valid.otherwise else ""
            assert sentence.endswith(f" is refused: it must be {f'{valid}{otherwise}' if math.isfinite(value) else 'a finite number'}")
        assert slave.get_real(reference) == [parameter.start]


def test_a_parameter_out_of_range_is_answered_by_a_sentence(fmu_of):
    """The call fails, fatally since PythonFMU knows nothing milder, and the log names instance, parameter, value and range."""
    with Driver(fmu_of(BODY), "cs", "rod", logging=True) as driver:
        assert status_of(driver.set, {"m": -1.0}) == FATAL
        assert driver.log[0] == (
            "rod: m = -1 kg is refused: it must be greater than 0; a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3"
        )


def test_an_input_that_is_not_a_number_discards_the_step(fmu_of):
    """One sentence says so, and with a finite value the same step is made."""
    with Driver(fmu_of(BODY), "cs", "rod", logging=True) as driver:
        driver.start({"gy": 0.0})
        driver.set({"p1.Fx": math.nan})
        assert driver.log == ["rod: p1.Fx = nan N is refused: it must be a finite number"]
        assert status_of(driver.step, 0.0, 0.1) == DISCARD
        driver.set({"p1.Fx": 1.0})
        assert status_of(driver.step, 0.0, 0.1) == 0
        assert driver["vx"] == pytest.approx(0.1)


_ABUSE = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.support.runtime.driver import Driver, status_of
with Driver(Path({fmu!r}), "cs", "rod") as driver:
    assert {{status_of(driver.fmu.getReal, [999]) for _ in range(300)}} == {{4}}
    assert status_of(driver.fmu.setFMUState, driver.fmu.deSerializeFMUstate(b"nothing of the kind")) == 4
    assert status_of(driver.step, 0.0, 0.1) == 4
    driver.start({{"vx": 1.0}})
    driver.step(0.0, 0.5)
    assert abs(driver["x"] - 0.5) < 1e-12
for _ in range(50):
    with Driver(Path({fmu!r}), "cs", "rod") as driver:
        driver.start({{"vx": 1.0}})
        assert driver["vx"] == 1
print("alive")
"""


@pytest.mark.slow
def test_any_number_of_wrong_calls_and_instances_does_no_harm(fmu_of):
    """PythonFMU's binary releases at each exception and at each instantiation what is not its own; the slave makes up for that."""
    script = _ABUSE.format(path=sys.path, fmu=str(fmu_of(BODY)))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr


def test_every_property(table, fmu, fmu_of):
    """The FMU of every component has all properties that the checks above state."""
    check_all(
        check_initialization_mode_gives_the_declared_values,
        check_the_generated_functions_give_the_declared_values_in_both_modes,
        check_both_backends_give_the_same_outputs,
        check_fmpy_finds_nothing_wrong,
        check_the_interface_is_that_of_the_native_fmu,
        check_the_fmu_needs_the_standard_library_and_pythonfmu_only,
        check_every_bound_of_every_parameter_is_kept,
        table=table,
        fmu=fmu,
        fmu_of=fmu_of,
    )
