"""Properties of every component of the catalogue, in both FMI versions: the FMU agrees with the declaration."""

from __future__ import annotations

import io
import math
from contextlib import redirect_stdout

import numpy as np
import pytest

from fmu_components.declare.component import component_name, declaration
from fmu_components.declare.declaration import Role
from fmu_components.declare.ports import Side
from fmu_components.export.pages.documentation import usage
from tests.support.declare.reference import reference
from tests.support.export import binaries
from tests.support.export.tables import table_of
from tests.support.properties import check_all
from tests.support.runtime.driver import ERROR, Driver, check_references, status_of

SETTABLE = (Role.PARAMETER, Role.STATE, Role.INPUT, Role.DISCRETE_INPUT, Role.ALGEBRAIC)


def switches(component):
    """Both positions of the switch between compliant and ideal, where there is one."""
    names = [v.name for v in declaration(component).with_role(Role.SWITCH)]
    return [dict.fromkeys(names, position) for position in ((False, True) if names else (False,))]


def settable(component, point, fmi, switch, roles=SETTABLE):
    """The part of a point that can be set: lambda is a local variable in FMI 3 while the switch is off."""
    variables = declaration(component).with_role(*roles)
    return {v.name: point[v.name] for v in variables if v.role is not Role.ALGEBRAIC or fmi == 2 or any(switch.values())}


def start_at(driver, component, point, fmi, switch):
    """Initialises in Model Exchange and goes to the point in Continuous-Time Mode."""
    driver.configure(switch)
    driver.start(settable(component, point, fmi, switch), start=point["time"])
    go_to(driver, component, point, fmi, switch)


def go_to(driver, component, point, fmi, switch):
    driver.at(point["time"], [point[v.name] for v in declaration(component).with_role(Role.STATE)])
    driver.set(settable(component, point, fmi, switch, (Role.INPUT, Role.ALGEBRAIC)))


def as_run(driver, component, point):
    """The point with the relations and discrete states that the FMU has, and the unknowns that cannot be set (``settable``)."""
    declared = declaration(component)
    on = any(driver.get([v.name for v in declared.with_role(Role.SWITCH)]).values())
    fixed = () if on or driver.fmi == 2 else (Role.ALGEBRAIC,)
    return point | driver.get([v.name for v in declared.with_role(Role.RELATION, Role.DISCRETE, *fixed)])


def check_values(driver, component, point):
    expected = reference(component).values(as_run(driver, component, point))
    found = driver.get(list(expected))
    for name, (value, scale) in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12 * scale, rel=0), name


def check_model_exchange_gives_the_declared_values(component, fmi, fmu):
    """Every output and derivative in Continuous-Time Mode equals the declaration in 40 digits, to 1e-12 of its largest term."""
    random = np.random.default_rng(1)
    for switch in switches(component):
        point = reference(component).random_point(random, any(switch.values()))
        with Driver(fmu(component, fmi), "me") as driver:
            start_at(driver, component, point, fmi, switch)
            check_values(driver, component, point)
            states = declaration(component).with_role(Role.STATE)
            derivatives = driver.derivatives
            assert driver.get([f"der({v.name})" for v in states]) == {f"der({v.name})": d for v, d in zip(states, derivatives, strict=True)}
            for _ in range(5):
                point = point | {
                    n: v
                    for n, v in reference(component).random_point(random).items()
                    if declaration(component)[n].role in (Role.TIME, Role.STATE, Role.INPUT, Role.ALGEBRAIC)
                }
                go_to(driver, component, point, fmi, switch)
                check_values(driver, component, point)


def check_initialization_mode_of_co_simulation_gives_the_declared_values(component, fmi, fmu):
    """Every output and derivative in Initialization Mode equals the declaration in 40 digits, to 1e-12 of its largest term."""
    random = np.random.default_rng(2)
    for _ in range(5):
        point = reference(component).random_point(random)
        with Driver(fmu(component, fmi), "cs") as driver:
            driver.enter(start=point["time"])
            driver.set(settable(component, point, 2, {}))
            check_values(driver, component, point)


def check_each_change_alone_is_seen(component, fmi, fmu):
    """After a change of any single variable all values are those of the new point: no stage keeps a stale one."""
    random = np.random.default_rng(3)
    for switch in switches(component):
        point = reference(component).random_point(random, any(switch.values()))
        with Driver(fmu(component, fmi), "me") as driver:
            start_at(driver, component, point, fmi, switch)
            driver.get(list(reference(component).values(as_run(driver, component, point))))
            states = [v.name for v in declaration(component).with_role(Role.STATE)]
            for name in (*states, *settable(component, point, fmi, switch, (Role.INPUT, Role.ALGEBRAIC))):
                point[name] += 0.37
                if name in states:
                    driver.at(point["time"], [point[n] for n in states])
                else:
                    driver.set({name: point[name]})
                check_values(driver, component, point)


def knowns_and_unknowns(component, fmi, switch, point):
    declared = declaration(component)
    knowns = list(settable(component, point, fmi, switch, (Role.STATE, Role.INPUT, Role.ALGEBRAIC)))
    unknowns = [v.name for v in declared.with_role(Role.OUTPUT, Role.DERIVATIVE)]
    return knowns, unknowns


def check_directional_derivatives_are_exact(component, fmi, fmu):
    """Each column of the Jacobian equals SymPy's in 40 digits to 1e-12 of its largest term, which no difference quotient reaches."""
    random = np.random.default_rng(4)
    for switch in switches(component):
        point = reference(component).random_point(random, any(switch.values()))
        knowns, unknowns = knowns_and_unknowns(component, fmi, switch, point)
        parameters = [v.name for v in declaration(component).with_role(Role.PARAMETER) if v.type == "real" and not v.shape]
        with Driver(fmu(component, fmi), "me") as driver:
            start_at(driver, component, point, fmi, switch)
            exact = reference(component).jacobian(as_run(driver, component, point))
            for known in (*knowns, *parameters):
                for unknown, found in zip(unknowns, driver.directional(unknowns, [known], [1.0]), strict=True):
                    value, scale = exact.get((unknown, known), (0.0, 1.0))
                    assert found == pytest.approx(value, abs=1e-12 * scale, rel=0), (unknown, known)


def check_directional_derivatives_agree_with_central_differences(component, fmi, fmu):
    """A random direction gives the central difference of the FMU's own values, to 1e-7 of max(1, derivative, value)."""
    random = np.random.default_rng(5)
    step = 2e-5
    for switch in switches(component):
        point = reference(component).random_point(random, any(switch.values()))
        knowns, unknowns = knowns_and_unknowns(component, fmi, switch, point)
        with Driver(fmu(component, fmi), "me") as driver:
            start_at(driver, component, point, fmi, switch)

            def values_at(distance, seed):
                go_to(driver, component, point | {n: point[n] + distance * s for n, s in zip(knowns, seed, strict=True)}, fmi, switch)
                return np.array([driver.get(unknowns)[n] for n in unknowns])

            for _ in range(3):
                seed = random.uniform(-1, 1, len(knowns))
                near, far = ((values_at(h, seed) - values_at(-h, seed)) / (2 * h) for h in (step, 2 * step))
                value = values_at(0.0, seed)
                found = driver.directional(unknowns, knowns, seed)
                scale = np.maximum(1, np.maximum(abs(found), abs(value)))
                # The two differences extrapolated: fourth order.
                assert np.all(abs(found - (4 * near - far) / 3) < 1e-7 * scale)


def check_adjoint_derivatives_agree_with_directional_ones(component, fmi, fmu):
    """For random seeds w and d, w.(J d) from directional equals (w J).d from adjoint derivatives, which FMI 3 alone has."""
    if fmi == 2:
        return
    random = np.random.default_rng(6)
    for switch in switches(component):
        point = reference(component).random_point(random, any(switch.values()))
        knowns, unknowns = knowns_and_unknowns(component, 3, switch, point)
        with Driver(fmu(component, 3), "me") as driver:
            start_at(driver, component, point, 3, switch)
            rows = np.array([driver.adjoint([u], knowns, [1.0]) for u in unknowns])
            columns = np.array([driver.directional(unknowns, [k], [1.0]) for k in knowns]).T.reshape(rows.shape)
            # Along a chain of equations both ways add in another order.
            chained = table_of(component).chained
            assert (
                np.allclose(rows, columns, rtol=1e-12, atol=1e-13 * max(1, abs(columns).max(initial=0)))
                if chained
                else np.array_equal(rows, columns)
            )
            weights = random.uniform(-1, 1, len(unknowns))
            assert np.allclose(
                driver.adjoint(unknowns, knowns, weights), weights @ columns, rtol=1e-13, atol=1e-13 * max(1, abs(columns).max(initial=0))
            )


def check_two_instances_do_not_influence_each_other(component, fmi, fmu):
    """Two instances that are set in turn keep their own values."""
    random = np.random.default_rng(7)
    with Driver(fmu(component, fmi), "me", "first") as first, Driver(fmu(component, fmi), "me", "second") as second:
        switch = switches(component)[0]
        points = {driver: reference(component).random_point(random) for driver in (first, second)}
        for driver, point in points.items():
            start_at(driver, component, point, fmi, switch)
        for _ in range(3):
            for driver, point in points.items():
                check_values(driver, component, point)
                point |= {v.name: point[v.name] + 0.1 for v in declaration(component).with_role(Role.INPUT)}
                go_to(driver, component, point, fmi, switch)


def check_every_bound_of_every_parameter_is_kept(component, fmi, fmu):
    """A value beyond either end of a range is an Error whose sentence names parameter and value."""
    with Driver(fmu(component, fmi), "me", "rod") as driver:
        for whole, place in ((v, k) for v in declaration(component).with_role(Role.PARAMETER) for k in range(v.size)):
            parameter = whole.scalars[place]
            valid = parameter.range
            beyond = [
                v
                for v in (
                    valid.minimum - 1,
                    valid.minimum if valid.open_below else -math.inf,
                    valid.maximum + 1,
                    valid.maximum if valid.open_above else math.inf,
                )
                if math.isfinite(v)
            ]
            for value in beyond:
                assert value not in valid
                array = (*whole.start[:place], value, *whole.start[place + 1 :]) if whole.shape else value
                assert status_of(driver.set, {whole.name: array}) == ERROR
                (sentence,) = driver.log
                driver.log.clear()
                assert sentence.startswith(f"rod: {parameter.name} = {value:g} ")


def check_references_are_dense_and_others_are_refused(component, fmi, fmu):
    """1 to n in the order of the variables, the time last; any other one is an Error of each getter and setter, with a sentence that says so."""
    for kind in ("me", "cs"):
        with Driver(fmu(component, fmi), kind) as driver:
            driver.start()
            check_references(driver, component_name(component))


def check_the_usage_example_of_the_page_runs(component, fmi, fmu):
    """The lines simulate the component, as either FMI version, with partners at its ports, and print a number."""
    example = usage(table_of(component))
    name = component_name(component)
    assert example.count("system.add(") == 1 + sum(port.side is Side.EFFORT for port in declaration(component).ports)
    with redirect_stdout(io.StringIO()) as printed:
        exec(example.replace(f'"{name}"', repr(str(fmu(component, fmi))), 1), {})
    assert math.isfinite(float(printed.getvalue()))


def test_every_property(component, fmi, fmu, tmp_path):
    """The FMU of a component has all properties above."""
    check_all(
        check_model_exchange_gives_the_declared_values,
        check_initialization_mode_of_co_simulation_gives_the_declared_values,
        check_each_change_alone_is_seen,
        check_directional_derivatives_are_exact,
        check_directional_derivatives_agree_with_central_differences,
        check_adjoint_derivatives_agree_with_directional_ones,
        check_two_instances_do_not_influence_each_other,
        check_every_bound_of_every_parameter_is_kept,
        check_references_are_dense_and_others_are_refused,
        check_the_usage_example_of_the_page_runs,
        binaries.check_needs_the_c_library_only,
        binaries.check_exports_fmi_only,
        binaries.check_calls_no_python_and_opens_no_file,
        binaries.check_small_and_without_python,
        binaries.check_build_description_names_every_source,
        component=component,
        fmi=fmi,
        archive=fmu(component, fmi),
        library=binaries.library(fmu(component, fmi), tmp_path),
        fmu=fmu,
    )
