"""Linear models of machines at their equilibria against Lagrange's equations in minimal coordinates, linearised by SymPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import sympy
from sympy import cos, pi, sin

from coupling import System
from coupling.analysis.linear_model import LinearModel
from tests.support.systems.machines import example

TOLERANCE = 1e-7


def accelerations(
    kinetic: sympy.Expr, potential: sympy.Expr, forces: Sequence[sympy.Expr], q: Sequence[sympy.Symbol], v: Sequence[sympy.Symbol]
) -> list[sympy.Expr]:
    """Returns the accelerations of Lagrange's equations, with generalised forces beside those of the potential."""
    momentum = sympy.Matrix([kinetic]).jacobian(v).T
    mass, convective = momentum.jacobian(v), momentum.jacobian(q) * sympy.Matrix(v)
    right = sympy.Matrix(forces) + sympy.Matrix([kinetic - potential]).jacobian(q).T - convective
    return list(mass.LUsolve(right))


def compare(model: LinearModel, rates: Mapping[str, tuple[sympy.Symbol, sympy.Expr]], at: Mapping[sympy.Symbol, float]) -> None:
    """A by the states' names, entry by entry, relative to the greatest of each row; at a point where nothing moves."""
    symbols, right = zip(*rates.values(), strict=True)
    point = {**at, **{symbol: model.point[name] for name, (symbol, _) in rates.items()}}
    off = [float(each.subs(point)) for each in right]
    A = np.array(sympy.Matrix(right).jacobian(symbols).subs(point).evalf(20), dtype=float)
    sizes = np.where(A.any(axis=1), np.abs(A).max(axis=1), 1.0)
    assert np.abs(off / sizes).max() < 1e-8
    places = [model.states.index(name) for name in rates]
    found = model.A[np.ix_(places, places)]
    assert np.all(np.abs(found - A) <= TOLERANCE * np.abs(A) + 1e-10 * sizes[:, None])
    others = [i for i in range(len(model.states)) if i not in places]
    assert not np.abs(model.A[np.ix_(places, others)]).max(initial=0.0) > TOLERANCE


# -- a slider-crank ------------------------------------------------------------------------------------------------------------------------

PUMP = example("08_motor_slider_crank")
GRAVITY = sympy.Rational(981, 100)
phi, omega = sympy.symbols("phi omega", real=True)


def slider_crank() -> tuple[sympy.Expr, sympy.Expr, sympy.Expr, sympy.Expr]:
    """Kinetic and potential energy, the damping torque on the crank, and the place of the slider, all by the angle of the crank."""
    radius, length = map(sympy.nsimplify, (PUMP.RADIUS, PUMP.LENGTH))
    rod = -sympy.asin(radius * sin(phi) / length)
    slider = radius * cos(phi) + length * cos(rod)
    centres = {
        "CRANK": (radius * cos(phi) / 2, radius * sin(phi) / 2, phi),
        "ROD": (radius * cos(phi) + length * cos(rod) / 2, radius * sin(phi) + length * sin(rod) / 2, rod),
        "SLIDER": (slider, sympy.Integer(0), sympy.Integer(0)),
    }
    kinetic = potential = sympy.Integer(0)
    for name, (x, y, angle) in centres.items():
        m, inertia = (sympy.nsimplify(getattr(PUMP, name)[each]) for each in ("m", "I"))
        kinetic += (m * (x.diff(phi) ** 2 + y.diff(phi) ** 2) + inertia * angle.diff(phi) ** 2) * omega**2 / 2
        potential += m * GRAVITY * y
    damping = -(sympy.nsimplify(PUMP.BEARING) + sympy.nsimplify(PUMP.PUMP) * slider.diff(phi) ** 2) * omega
    return kinetic, potential, damping, slider


def test_a_slider_crank_on_a_spring():
    """Inputs and outputs as well: a torque on the crank, the slider's place and speed."""
    system = System("slider-crank")
    PUMP.add_slider_crank(system)
    spring, rest = 0.4, 1.2
    values = {"shaft.rotation.k": spring, "shaft.rotation.rest": rest}
    pose = system.equilibrium(values)
    model = system.linearise(["shaft.effort"], ["slider.x", "slider.vx"], {**values, **pose})
    assert model.states == ("shaft.rotation.q", "shaft.rotation.qd") and model.stable and 0.5 < pose["crank.theta"] < 1.2
    kinetic, potential, damping, slider = slider_crank()
    torque = sympy.Symbol("torque")
    (rate,) = accelerations(kinetic, potential + spring * (phi - rest) ** 2 / 2, [damping + torque], [phi], [omega])
    compare(model, {"shaft.rotation.q": (phi, omega), "shaft.rotation.qd": (omega, rate)}, {torque: 0.0})
    point = {phi: pose["crank.theta"], omega: 0.0, torque: 0.0}
    assert model.B[:, 0] == pytest.approx([0, float(rate.diff(torque).subs(point))], rel=TOLERANCE)
    slope = float(slider.diff(phi).subs(point))
    assert pytest.approx(np.diag([slope, slope]), rel=TOLERANCE, abs=1e-12) == model.C and not model.D.any()


# -- a slider-crank that is driven by a motor ----------------------------------------------------------------------------------------------


def test_a_motor_drives_a_slider_crank():
    """Its controllers hold it where it hangs, without a current; what is charged and what meters count changes by squares only."""
    system = PUMP.system()
    lean, reach = np.arcsin(PUMP.RADIUS / PUMP.LENGTH), np.sqrt(PUMP.LENGTH**2 - PUMP.RADIUS**2)
    crank = {"crank.x": 0.0, "crank.y": -PUMP.RADIUS / 2, "crank.theta": -np.pi / 2}
    rod = {"rod.x": reach / 2, "rod.y": -PUMP.RADIUS / 2, "rod.theta": lean}
    pose = system.equilibrium({**crank, **rod, "slider.x": reach})
    assert pose["crank.theta"] == pytest.approx(-np.pi / 2, abs=1e-9) and pose["motor.i"] == pytest.approx(0, abs=1e-12)
    model = system.linearise(initial=pose)
    kinetic, potential, damping, _ = slider_crank()
    i, of_current, of_speed, soc = sympy.symbols("i of_current of_speed soc", real=True)
    motor, inner, outer, battery = PUMP.MOTOR, PUMP.CURRENT_CONTROL, PUMP.SPEED_CONTROL, PUMP.BATTERY
    shaft = PUMP.RATIO * omega
    demand = (of_speed - outer["kp"] * shaft) / outer["k"]
    duty = (inner["kp"] * (demand - i) + of_current + motor["k"] * shaft) / 24
    supply = battery["empty"] + (battery["full"] - battery["empty"]) * soc - battery["R"] * duty * i
    voltage = duty * supply - PUMP.BRIDGE["R"] * i
    turning = kinetic + PUMP.ROTOR["I"] * shaft**2 / 2
    (rate,) = accelerations(turning, potential, [damping + PUMP.RATIO * motor["k"] * i], [phi], [omega])
    rates = {
        "shaft.rotation.q": (phi, omega),
        "shaft.rotation.qd": (omega, rate),
        "motor.i": (i, (voltage - motor["R"] * i - motor["k"] * shaft) / motor["L"]),
        "current control.integral": (of_current, inner["ki"] * (demand - i)),
        "speed control.integral": (of_speed, -outer["ki"] * shaft),
        "rotor.phi": (sympy.Symbol("turned"), shaft),
        "battery.soc": (soc, -duty * i / battery["capacity"]),
    }
    compare(model, rates, {})
    meters = [model.states.index(f"{meter}.x") for meter in PUMP.METERS]
    assert np.abs(model.A[meters]).max() < 1e-7 and len(model.states) == len(rates) + len(meters)


# -- a hydraulic crane ---------------------------------------------------------------------------------------------------------------------


def test_a_hydraulic_crane_on_trapped_oil():
    """Angles, pressures and spool; the valve is closed, so that oil moves by compression only."""
    crane = example("06_hydraulic_crane")
    system = crane.system()
    model = system.linearise(initial=system.equilibrium(), coordinates=["boom.theta", "load.theta"])
    boom, load, w, o, p1, p2, U = sympy.symbols("boom load w o p1 p2 U", real=True)
    g, foot, rope = crane.GRAVITY, crane.FOOT, crane.ROPE
    tip = sympy.Matrix([cos(boom), sin(boom)])
    hanging = tip + rope * sympy.Matrix([sin(load), -cos(load)])
    velocity = hanging.jacobian([boom, load]) * sympy.Matrix([w, o])
    about = crane.BOOM["I"] + crane.BOOM["m"] / 4
    kinetic = about * w**2 / 2 + crane.LOAD["m"] * velocity.dot(velocity) / 2 + crane.LOAD["I"] * o**2 / 2
    potential = g * (crane.BOOM["m"] * sin(boom) / 2 + crane.LOAD["m"] * hanging[1])
    line = sympy.sqrt((cos(boom) / 2 - foot) ** 2 + (sin(boom) / 2) ** 2)
    stroke, speed = line - float(line.subs(boom, crane.ANGLE)), line.diff(boom) * w
    values = crane.CYLINDER
    area1 = pi * values["piston"] ** 2 / 4
    area2 = area1 - pi * values["rod"] ** 2 / 4

    def rate(area: sympy.Expr, length: sympy.Expr, stays: float, taken: sympy.Expr) -> sympy.Expr:
        volume = area * length + stays
        softness = 1 / values["bulk.oil"] + area * length / volume / values["bulk.wall"] + stays / volume / values["bulk.hose"]
        return -taken / volume / softness

    push = p1 * area1 - p2 * area2 - values["viscous"] * speed
    of_boom, of_load = accelerations(kinetic, potential, [push * line.diff(boom), 0], [boom, load], [w, o])
    rates = {
        "boom.theta": (boom, w),
        "boom.omega": (w, of_boom),
        "load.theta": (load, o),
        "load.omega": (o, of_load),
        "cylinder.p1": (p1, rate(area1, crane.CHAMBER + stroke, values["hose1.volume"], area1 * speed)),
        "cylinder.p2": (p2, rate(area2, crane.CHAMBER - stroke, values["hose2.volume"], -area2 * speed)),
        "valve.spool": (U, -2 * pi * crane.VALVE["bandwidth"] * U),
    }
    compare(model, rates, {})
    assert len(model.states) == 7
