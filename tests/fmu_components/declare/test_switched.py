"""Words for constraints that hold in some modes only: residuals, indicators and compliant laws by mode, and their description in the FMU."""

import math
import zipfile
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL
from fmu_components.declare.switched import friction, holds_while, unilateral
from fmu_components.export.build import cached_fmu, table_of
from fmu_components.export.model_description import model_description
from tests.support.runtime.driver import Driver


class Freewheel(Joint):
    """Freewheel: N may overtake M."""

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        return [unilateral(N.w - M.w)]


class Bearing(Joint):
    """Revolute joint whose friction follows its reaction, and fades with the speed."""

    def constraint(self, M, N):
        return list(N.point - M.point)

    def velocity_constraint(self, M, N):
        r = self.parameter("r", 0.1, "m", "radius times coefficient of friction", at_least=0)
        w = self.parameter("w", 2.0, "rad/s", "speed at which friction has fallen to a half", above=0)
        load = r * Magnitude(self.multiplier(1), self.multiplier(2))
        return [friction(N.omega - M.omega, load, 2 * load, lambda limit, speed: limit / (1 + speed / w))]


class Dog(Joint):
    """Dog clutch that a command puts in."""

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        return [holds_while(self.command("locked", False, "whether it is put in"), N.w - M.w)]


class Stop(Joint):
    """Stop that gives back half the speed."""

    kind = TRANSLATIONAL

    def constraint(self, M, N):
        return [unilateral(N.s - M.s, 0.5)]


@pytest.fixture(params=[2, 3])
def ideal(request):
    """Starts a joint in ideal mode, with the given modes and values; the FMU stays in Event Mode."""
    opened = []

    def start(component, values):
        driver = Driver(cached_fmu(component, request.param), "me", logging=True)
        opened.append(driver)
        driver.configure({"ideal": True})
        driver.enter()
        driver.set(values)
        driver.fmu.exitInitializationMode()
        while driver.update()["again"]:
            pass
        return driver

    yield start
    for driver in opened:
        driver.__exit__()


def test_a_unilateral_constraint_is_its_multiplier_or_its_equation(ideal):
    """Open the residual is lambda and the gap is watched; closed it is DDf + 2 alpha Df + beta^2 f and lambda is watched."""
    d = ideal(Stop, {"N.s": 0.2, "N.v": -0.3, "N.a": 0.7, "lambda[1]": 4.0, "baumgarte.alpha": 3.0, "baumgarte.beta": 2.0})
    assert d["residual[1]"] == 4 and list(d.indicators) == [0.2] and d["N.f"] == 4 and d["M.f"] == -4
    d.set({"mode[1]": 1})
    assert d["residual[1]"] == pytest.approx(0.7 - 6 * 0.3 + 4 * 0.2, abs=1e-15) and list(d.indicators) == [4.0]
    assert list(d.directional(["residual[1]"], ["N.a", "N.v"], [1.0, 1.0])) == [7.0]
    d.set({"mode[1]": 0})
    assert list(d.directional(["residual[1]"], ["lambda[1]"], [1.0])) == [1.0]


def test_friction_is_its_equation_or_its_law(ideal):
    """Sticking the residual is Dg + gamma g and static - |lambda| is watched; slipping it is lambda + mode limit(|g|) and mode g is."""
    values = {"N.omega": 1.0, "N.alpha": 0.4, "lambda[1]": 3.0, "lambda[2]": -4.0, "lambda[3]": 0.7, "baumgarte.gamma": 2.0}
    d = ideal(Bearing, values)
    assert d["residual[3]"] == 0.4 + 2 * 1 and d.indicators == pytest.approx([2 * 0.1 * 5 - 0.7], abs=1e-15)
    for mode in (1, -1):
        d.set({"mode[3]": mode, "N.omega": mode * 1.0})
        limit = 0.1 * 5 / (1 + 1 / 2)
        assert d["limit[3]"] == pytest.approx(limit, abs=1e-15) and d["static[3]"] == 1
        assert d["residual[3]"] == pytest.approx(0.7 + mode * limit, abs=1e-15) and list(d.indicators) == [1.0]
        slopes = [d.directional(["residual[3]"], [f"lambda[{k}]"], [1.0])[0] for k in (1, 2, 3)]
        assert slopes == pytest.approx([mode * 0.6 * 0.1 / 1.5, -mode * 0.8 * 0.1 / 1.5, 1.0], abs=1e-15)


def test_friction_that_others_hold_carries_its_limit(ideal):
    """The residual is lambda + static or lambda - static in the modes 2 and -2, and a slip of 1e-6 is watched; slip without a limit is not."""
    d = ideal(Bearing, {"lambda[1]": 3.0, "lambda[2]": -4.0, "lambda[3]": 0.7, "N.omega": -3e-7})
    for mode in (2, -2):
        d.set({"mode[3]": mode})
        assert d["residual[3]"] == pytest.approx(0.7 + mode / 2, abs=1e-15)
        assert d.indicators == pytest.approx([7e-7], abs=1e-20)
    d.set({"mode[3]": 1})
    assert d.indicators == pytest.approx([-3e-7])
    d.set({"lambda[1]": 0.0, "lambda[2]": 0.0})
    assert list(d.indicators) == [1.0]


def test_a_condition_lets_go(ideal):
    """The residual is lambda while its Boolean is false, and `mode` shows it."""
    d = ideal(Dog, {"N.w": 2.0, "N.a": 0.5, "lambda[1]": 6.0, "baumgarte.gamma": 3.0})
    assert (d["residual[1]"], d["mode[1]"]) == (6, 0)
    d.set({"locked": True})
    assert (d["residual[1]"], d["mode[1]"]) == (6.5, 1)


def test_an_indicator_fires_once_it_has_been_positive(ideal):
    """A contact that closes at its bound asks for no event until lambda has been positive and falls; in the other mode the gap counts."""
    d = ideal(Stop, {"N.s": 0.0, "mode[1]": 1})
    d.fmu.enterContinuousTimeMode()

    def wanted(**values):
        d.set({name.replace("_", "."): value for name, value in values.items() if name != "load"} | {"lambda[1]": values["load"]})
        found = d.fmu.completedIntegratorStep()
        return bool(found[0])

    assert [wanted(load=load) for load in (-1.0, 0.0, 2.0, 1.0)] == [False] * 4
    assert wanted(load=-1e-3)
    d.fmu.enterEventMode()
    assert d.update()["again"] and not d.update()["again"]
    d.set({"mode[1]": 0})
    d.fmu.enterContinuousTimeMode()
    assert not wanted(load=0.0, N_s=1e-3) and wanted(load=0.0, N_s=-1e-3)


def test_compliant_contacts_push_and_never_pull():
    """Compliant: nothing while open, k d + c d' while it is inside, and never less than 0; a freewheel has its damper alone."""
    with Driver(cached_fmu(Stop, 3), "cs") as d:
        d.enter()
        cases = {(0.1, -5.0): 0.0, (-0.1, 0.0): 100.0, (-0.1, -0.2): 102.0, (-0.1, 9.0): 10.0, (-0.1, 11.0): 0.0}
        for (s, v), force in cases.items():
            d.set({"N.s": s, "N.v": v, "compliant.k": 1000.0, "compliant.c": 10.0})
            assert d["multiplier[1]"] == pytest.approx(force, abs=1e-12), (s, v)
    with Driver(cached_fmu(Freewheel, 3), "cs") as d:
        d.enter()
        found = []
        for w in (1.0, -1.0):
            d.set({"N.w": w, "compliant.c": 30.0})
            found.append(d["multiplier[1]"])
        assert found == [0, 30]


def test_compliant_friction_is_regularised():
    """Compliant: -limit(|g|) g/sqrt(g^2 + vr^2), with the limit of the multipliers in effect."""
    with Driver(cached_fmu(Bearing, 2), "cs") as d:
        d.enter()
        d.set({"N.omega": -1.5, "compliant.vr": 0.2, "N.x": 0.03, "N.y": 0.04, "compliant.k": 1000.0})
        assert d["multiplier[3]"] == pytest.approx(0.1 * 50 / (1 + 1.5 / 2) * 1.5 / math.hypot(1.5, 0.2), rel=1e-14)
        assert "compliant.vr" in d.variables and {"compliant.k", "compliant.c"} <= set(d.variables)
    assert {"compliant.k", "compliant.c"}.isdisjoint(declaration(_only_friction()).by_name)


def _only_friction():
    class Pad(Joint):
        """Friction alone."""

        kind = TRANSLATIONAL

        def velocity_constraint(self, M, N):
            return [friction(N.v - M.v, 3.0 * self.parameter("press", 1.0, "N", "force that presses"))]

    return Pad


def test_modes_that_nobody_chooses_are_told_once(ideal):
    """The warning comes at the first Continuous-Time Mode in ideal mode, unless one mode was set; it names the mode and the remedy."""
    sentence = "unit: the importer does not choose mode[1], which stays 0; if a tool does not know modes (org.jourdain.switched), use ideal = false"
    d = ideal(Stop, {})
    d.fmu.enterContinuousTimeMode()
    d.handle_events()
    assert d.log == [sentence]
    d = ideal(Stop, {"mode[1]": 0})
    d.fmu.enterContinuousTimeMode()
    assert d.log == []
    with Driver(cached_fmu(Stop, 2), "me", logging=True) as compliant:
        compliant.start()
        assert compliant.log == []


def test_a_mode_has_a_range(ideal):
    d = ideal(Stop, {})
    with pytest.raises(Exception, match="status 3"):
        d.set({"mode[1]": 2})
    assert d.log == ["unit: mode[1] = 2 is refused: it must be at least 0 and at most 1"]


@pytest.mark.parametrize("fmi", [2, 3])
def test_the_fmu_lists_its_switched_multipliers(fmi):
    """extra/org.jourdain.switched/switched.xml names variables by value references, and indicators by their places."""

    def listed(component):
        with zipfile.ZipFile(cached_fmu(component, fmi)) as archive:
            root = ET.fromstring(archive.read("extra/org.jourdain.switched/switched.xml"))
        assert (root.tag, root.attrib) == ("Switched", {"version": "1"})
        table = table_of(component)
        (found,) = [dict(each.attrib) for each in root]
        kind, indicator = found.pop("kind"), found.pop("indicator", None)
        return kind, indicator, {name: " ".join(table.variable(int(r)).name for r in text.split()) for name, text in found.items()}

    def levels(k, *names):
        return {name: f"{name}[{k}]" for name in ("lambda", "residual", "mode", "velocity", "acceleration", *names)}

    assert listed(Stop) == ("unilateral", "0", levels(1, "position", "restitution"))
    assert listed(Freewheel) == ("unilateral", "0", levels(1))
    assert listed(Bearing) == ("friction", "0", levels(3, "limit", "static") | {"depends": "lambda[1] lambda[2]"})
    assert listed(Dog) == ("holds_while", None, levels(1))


@pytest.mark.parametrize(("fmi", "tag"), [(2, "Integer"), (3, "Int32")])
def test_modes_are_discrete_inputs(fmi, tag):
    """An integer input with its range, that changes at events; a Boolean command is one without."""
    variables = ET.fromstring(model_description(table_of(Stop), fmi)).find("ModelVariables")
    (mode,) = [v for v in variables if v.get("name") == "mode[1]"]
    values = mode if fmi == 3 else mode.find(tag)
    assert (mode.get("causality"), mode.get("variability"), values.tag) == ("input", "discrete", tag)
    assert (values.get("min"), values.get("max"), values.get("start")) == ("0", "1", "0")
    (locked,) = [v for v in ET.fromstring(model_description(table_of(Dog), fmi)).find("ModelVariables") if v.get("name") == "locked"]
    assert (locked.get("causality"), locked.get("variability")) == ("input", "discrete")


def test_joints_of_mixed_kinds_have_conjugate_efforts():
    """A pinion between a shaft and a rack: force times velocity and torque times angular velocity cancel."""

    class Pinion(Joint):
        """Pinion on a rack."""

        kinds = (ROTATIONAL, TRANSLATIONAL)

        def velocity_constraint(self, M, N):
            return [N.v - self.parameter("r", 0.1, "m", "radius", above=0) * M.w]

    declared = declaration(Pinion)
    assert str(declared["M.tau"].equation) == "-multiplier[1]*r" and str(declared["N.f"].equation) == "multiplier[1]"
    assert declared["lambda[1]"].unit == "N"


def test_what_makes_no_sense_is_refused():
    class Held(Joint):
        """Held by what is no Boolean."""

        kind = ROTATIONAL

        def velocity_constraint(self, M, N):
            return [holds_while(self.parameter("on", 1.0, "", "number"), N.w - M.w)]

    with pytest.raises(
        DeclarationError, match=r"holds_while\(\) was given the condition 'on', which is no Boolean that changes at events only; "
    ):
        declaration(Held)

    class Told(Component):
        """A command that is a real."""

        def declare(self):
            self.command("level", 0.5, "level")

    with pytest.raises(
        DeclarationError, match=r"the command 'level' starts at 0\.5; give True, False or a whole number, or declare it with input"
    ):
        declaration(Told)


def test_jacobians_hold_in_every_mode(ideal):
    """Directional derivatives of the residuals equal central differences to 1e-8 in each mode."""
    values = {"N.x": 0.2, "N.omega": 0.6, "N.alpha": 0.4, "lambda[1]": 3.0, "lambda[2]": -4.0, "lambda[3]": 0.7}
    d = ideal(Bearing, values)
    unknowns = [f"residual[{k}]" for k in (1, 2, 3)]
    for mode in (0, 1, -1):
        d.set({"mode[3]": mode})
        for name, value in values.items():
            found = d.directional(unknowns, [name], [1.0])
            sides = []
            for step in (1e-5, -1e-5):
                d.set({name: value + step})
                sides.append(np.array([d[each] for each in unknowns]))
            d.set({name: value})
            assert found == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-8), (mode, name)
