"""Array parameters of FMUs: one variable with dimensions in FMI 3, a scalar for each element in FMI 2."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from scipy.interpolate import PchipInterpolator

from fmu_components.declare.component import Component
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import ERROR, Driver, status_of

X, Y = (-1.0, 0.0, 2.0, 3.0), (-90.0, 0.0, 50.0, 40.0)
ROWS = ((0.0, 1.0, 4.0), (3.0, 4.0, 5.0))


class Tables(Component):
    """Two functions by tables."""

    def declare(self):
        s = self.input("s", 0.25, "m", "deflection", order=0)
        force = self.table("force", (X, Y), ("m", "N"), "force by deflection", kind="cubic")
        self.output("f", force(s), "N", "force")
        area = self.table("area", ((0, 2), (0, 1, 2), ROWS), ("m", "m", "m2"), "area by stroke and height")
        self.output("a", area(s, 2 * s), "m2", "area")
        x = self.state("x", 0.0, "m", "length")
        self.rate(x, force(x) / self.parameter("d", 10.0, "N.s/m", "damping", above=0))


@pytest.fixture(scope="module", params=[2, 3])
def tables(request):
    return cached_fmu(Tables, request.param)


def _elements(driver, name, shape):
    """The references of an array, or those of its elements."""
    if driver.fmi == 3:
        return [driver.reference(name)]
    places = np.ndindex(*shape)
    return [driver.reference(f"{name}[{','.join(str(k + 1) for k in place)}]") for place in places]


def _set(driver, name, values):
    values = np.asarray(values, float)
    set_ = driver.fmu.setFloat64 if driver.fmi == 3 else driver.fmu.setReal
    set_(_elements(driver, name, values.shape), values.ravel().tolist())


def _get(driver, name, shape):
    if driver.fmi == 3:
        return list(driver.fmu.getFloat64(_elements(driver, name, shape), nValues=int(np.prod(shape))))
    return list(driver.fmu.getReal(_elements(driver, name, shape)))


def test_the_description_is_valid(tables):
    assert not validate_fmu(str(tables))
    with Driver(tables, "me") as driver:
        names = list(driver.variables)
        assert ("force.x" in names, "force.x[1]" in names, "area.z[2,3]" in names) == (driver.fmi == 3, driver.fmi == 2, driver.fmi == 2)
        if driver.fmi == 3:
            assert [int(d.start) for d in driver.variables["area.z"].dimensions] == [2, 3]
            assert driver.reference("force.y") == driver.reference("force.x") + 4


def test_outputs_depend_on_all_numbers_of_their_tables(tables):
    """The initial unknowns list them: arrays in FMI 3, each element in FMI 2."""
    with Driver(tables, "me") as driver:
        (found,) = [u for u in driver.description.initialUnknowns if u.variable.name == "f"]
        names = {each.name for each in found.dependencies}
        arrays = {"force.x", "force.y"} if driver.fmi == 3 else {f"force.{axis}[{k}]" for axis in "xy" for k in range(1, 5)}
        assert names == {"s", *arrays}


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_arrays_are_set_read_reset_and_saved(tables, kind):
    changed = (-1.0, 0.5, 2.0, 2.5)
    with Driver(tables, kind) as driver:
        driver.enter()
        assert _get(driver, "force.y", (4,)) == list(Y)
        assert _get(driver, "area.z", (2, 3)) == [each for row in ROWS for each in row]
        _set(driver, "force.x", changed)
        _set(driver, "area.z", np.multiply(ROWS, 2))
        driver.fmu.exitInitializationMode()
        assert _get(driver, "force.x", (4,)) == list(changed)
        found = driver.get(["f", "a"])
        assert found["f"] == pytest.approx(float(PchipInterpolator(changed, Y)(0.25)), rel=1e-14)
        assert found["a"] == pytest.approx(2 * (0.5 + 0.125 * (3.5 - 0.5)), rel=1e-14)
        fmu = driver.fmu
        saved = fmu.serializeFMUstate(fmu.getFMUstate()) if driver.fmi == 2 else fmu.serializeFMUState(fmu.getFMUState())
        fmu.reset()
        driver.enter()
        assert _get(driver, "force.x", (4,)) == list(X)
        if driver.fmi == 2:
            fmu.setFMUstate(fmu.deSerializeFMUstate(saved))
        else:
            fmu.setFMUState(fmu.deserializeFMUState(saved))
        assert _get(driver, "force.x", (4,)) == list(changed)


def test_derivatives_follow_the_table(tables):
    """Derivatives by inputs and states are exact; those by the numbers of a table are refused."""
    with Driver(tables, "me") as driver:
        driver.start()
        assert driver.directional(["f"], ["s"], [1.0])[0] == pytest.approx(float(PchipInterpolator(X, Y).derivative()(0.25)), rel=1e-13)
        assert driver.directional(["a"], ["s"], [1.0])[0] == pytest.approx(1.5 + 2 * 1.0, rel=1e-14)
        known = _elements(driver, "force.y", (4,))[0]
        driver.log.clear()
        assert status_of(driver.fmu.getDirectionalDerivative, [driver.reference("f")], [known], [1.0]) == ERROR
        assert "cannot be a known of a partial derivative" in driver.log[0]


@pytest.mark.parametrize("kind", ["me", "cs"])
def test_nodes_that_do_not_increase_are_refused(tables, kind):
    with Driver(tables, kind) as driver:
        driver.enter()
        _set(driver, "force.x", (-1.0, 2.0, 2.0, 3.0))
        driver.log.clear()
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        assert driver.log == [
            "unit: it is required that the nodes force.x increase; the value that must be positive is 0, from force.x[2] = 2 m, force.x[3] = 2 m"
        ]


def test_numbers_that_are_not_finite_are_refused(tables):
    with Driver(tables, "me") as driver:
        driver.log.clear()
        values = (1.0, float("nan"), 2.0, 3.0)
        assert status_of(_set, driver, "force.y", values) == ERROR
        assert driver.log == ["unit: force.y[2] = nan is refused: it must be a finite number"]


def test_arrays_of_fmi_3_are_passed_whole():
    with Driver(cached_fmu(Tables, 3), "me") as driver:
        first = driver.reference("force.x")
        for references, values in (([first], [1.0]), ([first], [0.0] * 5), ([first, driver.reference("d")], [0.0] * 4)):
            driver.log.clear()
            assert status_of(driver.fmu.setFloat64, references, values) == ERROR
            assert f"{len(values)} values were passed for variables with" in driver.log[0]
        driver.log.clear()
        assert status_of(driver.fmu.setFloat64, [first + 1], [1.0]) == ERROR
        assert f"the value reference {first + 1} is unknown" in driver.log[0]
        driver.fmu.setFloat64([driver.reference("d"), first, driver.reference("s")], [7.0, *X, 0.5])
        assert driver.get(["d", "s"]) == {"d": 7.0, "s": 0.5}
        driver.start()
        driver.log.clear()
        assert status_of(driver.fmu.setFloat64, [first], list(X)) == ERROR
        assert "force.x[1] = -1 cannot be set now: it is a parameter" in driver.log[0]


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_fmpy_takes_arrays_as_start_values(tables, kind):
    linear = [100.0 * x for x in X]
    given = {"force.y": " ".join(map(str, linear))} if "fmi3" in str(tables) else {f"force.y[{k}]": y for k, y in enumerate(linear, 1)}
    result = simulate_fmu(
        str(tables), fmi_type=kind, start_values={**given, "x": 0.1}, stop_time=0.1, relative_tolerance=1e-9, output=["x"]
    )
    assert result["x"][-1] == pytest.approx(0.1 * np.exp(10.0 * 0.1), rel=1e-6)
