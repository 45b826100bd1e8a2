"""FMUs exported by CasADi, as FMPy sees them; the tests of the master rely on that."""

from __future__ import annotations

import zipfile
from xml.parsers import expat

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from scipy.integrate import solve_ivp

from tests.support import foreign
from tests.support.runtime.driver import Driver, status_of, unpacked


class CasadiDae:
    """An instance whose algebraic variable is found by Newton's method with the FMU's own derivative."""

    def __init__(self, driver: Driver, unknown: str) -> None:
        self.driver, self.unknown, self.iterations = driver, unknown, 0

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        self.driver.at(t, x)
        self.iterations = 0
        while abs(residual := self.driver["__alg__0"]) > 1e-13:
            slope = self.driver.directional(["__alg__0"], [self.unknown], [1.0])[0]
            self.driver.set({self.unknown: self.driver[self.unknown] - residual / slope})
            self.iterations += 1
            assert self.iterations < 50
        return self.driver.derivatives


@pytest.fixture(params=["pendulum", "diode"])
def casadi_model(request):
    pytest.importorskip("casadi")
    return request.param


def test_casadi_writes_the_old_draft(casadi_model):
    """The manifest names one algebraic variable and one residual, with a prefix that it does not declare."""
    path = foreign.casadi_dae(casadi_model)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml")
    elements: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: elements.append((tag, attributes))
    parser.Parse(text, True)
    found = dict(elements)
    assert elements[0][0] == "fmiLayeredStandardManifest" and "EnableDAEParameter" not in found
    assert elements[0][1]["fmi-ls:fmi-ls-name"] == "org.fmi-standard.fmi-ls-dae" and b"xmlns" not in text
    names = {str(v.valueReference): v for v in unpacked(path)[0].modelVariables}
    unknown = names[found["AlgebraicVariable"]["valueReference"]]
    assert (unknown.name, unknown.causality, unknown.start) == ({"pendulum": "lam", "diode": "vd"}[casadi_model], "local", None)
    assert names[found["Formulation"]["valueReference"]].name == "__alg__0" and found["Formulation"]["index"] == "1"
    assert unpacked(path)[0].coSimulation is None


def test_casadi_with_units_is_refused_by_fmpy():
    """It writes units without defining them."""
    pytest.importorskip("casadi")
    path = str(foreign.casadi_dae("pendulum", units=True))
    with pytest.raises(fmpy.model_description.ValidationError, match=r'unit "N" of variable "f" .* is not defined'):
        fmpy.read_model_description(path)
    variables = {v.name: v for v in fmpy.read_model_description(path, validate=False).modelVariables}
    assert (variables["f"].unit, variables["lam"].unit) == ("N", "N/m")


def test_the_pendulum_of_casadi():
    """Its residual is affine in the multiplier, and its motion that of the closed form."""
    pytest.importorskip("casadi")
    times = np.linspace(0, 2, 9)
    exact = foreign.casadi_pendulum_exact(times)
    with Driver(foreign.casadi_dae("pendulum"), "me") as driver:
        driver.start()
        dae = CasadiDae(driver, "lam")
        assert list(driver.states) == [0.6, -0.8, 0.0, 0.0] and driver["lam"] == 1.0
        dae.rates(0.0, driver.states)
        assert dae.iterations == 1
        assert driver["tension"] == driver["lam"] == pytest.approx(exact["lam"][0], abs=1e-14)
        assert driver.directional(["__alg__0", "der(vx)"], ["lam"], [2.0]) == pytest.approx([2.0, -1.2])
        assert driver.directional(["__alg__0"], ["f"], [1.0]) == pytest.approx([-0.6])
        found = solve_ivp(dae.rates, (0, 2), driver.states, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=times)
        assert found.y == pytest.approx(np.array([exact[name] for name in ("x", "y", "vx", "vy")]), abs=1e-8)
        dae.rates(2.0, found.y[:, -1])
        assert driver["lam"] == pytest.approx(exact["lam"][-1], abs=1e-7)


def test_the_diode_of_casadi():
    """Newton's method takes several iterations from vd = 0; the current follows the closed form."""
    pytest.importorskip("casadi")
    times = np.linspace(0, 3, 7)
    exact = foreign.casadi_diode_exact(times)
    with Driver(foreign.casadi_dae("diode"), "me") as driver:
        driver.start()
        assert list(driver.states) == [foreign.DIODE["vc"]]
        dae = CasadiDae(driver, "vd")
        dae.rates(0.0, driver.states)
        assert dae.iterations > 5
        assert (driver["vd"], driver["current"]) == pytest.approx((exact["vd"][0], exact["current"][0]), abs=1e-12)
        found = solve_ivp(dae.rates, (0, 3), driver.states, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=times)
        assert found.y[0] == pytest.approx(exact["vc"], abs=1e-9)


def test_what_a_master_must_know_of_casadi(casadi_model):
    """Calls that other FMUs answer are Fatal here: event indicators where there are none, Configuration Mode, the FMU's state."""
    with Driver(foreign.casadi_dae(casadi_model), "me") as driver:
        assert status_of(driver.fmu.enterConfigurationMode) == 4
        driver.start()
        for call in (lambda: driver.indicators, driver.fmu.getFMUState):
            with pytest.raises(FMICallException):
                call()
        driver.fmu.setTime(3.0)
        assert driver["time"] == 0.0
