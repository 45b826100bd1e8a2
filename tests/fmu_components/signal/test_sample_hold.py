"""Digital control of a pendulum on a cart: by SampleHold, and by a controller of Python code in co-simulation, against the zero-order hold."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jourdain import System
from tests.support.components.signals import blocks

PERIOD, STOP, G = 0.005, 1.0, 9.81
M, m, l = 1.0, 0.2, 0.5  # noqa: E741
GAINS = {"rail.translation.q": 3.0, "rail.translation.qd": 5.0, "rod.theta": -40.0, "rod.omega": -8.0}
START = [0.0, 0.0, 0.2, 0.0]
"""The cart's position and velocity; the pendulum's angle from the upright, and its rate."""


def with_cart(system: System, rail: str = "planar.Translational") -> System:
    """A cart on a rail, with a rod that stands at 0.2 rad; all integrated together."""
    angle = START[2]
    rod = {"m": m, "I": m * l**2 / 3, "p1.ry": -l, "x": -l * np.sin(angle), "y": l * np.cos(angle), "theta": angle}
    system.add("ground", "planar.Fixed", kind="me")
    system.add("rail", rail, kind="me")
    system.add("push", "planar.Wrench", kind="me")
    system.add("cart", "planar.Body2", {"m": M}, kind="me")
    system.add("pin", "planar.Revolute", kind="me")
    system.add("rod", "planar.Body1", rod, kind="me")
    for a, b in (("ground.p1", "rail.M"), ("cart.p1", "rail.N"), ("cart.p2", "pin.M"), ("rod.p1", "pin.N"), ("cart.p1", "push.M")):
        system.connect(a, b)
    return system


def rates(force: float):
    """Lagrange's equations of cart and rod, whose moment of inertia is m l^2/3."""

    def function(_, y):
        _, v, angle, w = y
        s, c = np.sin(angle), np.cos(angle)
        matrix = [[M + m, -m * l * c], [-m * l * c, 4 * m * l**2 / 3]]
        a = np.linalg.solve(matrix, [force - m * l * s * w**2, m * G * l * s])
        return [v, a[0], w, a[1]]

    return function


@cache
def held() -> np.ndarray:
    """Integrated by SciPy from sample to sample, the force being that of the sample."""
    y = np.array(START)
    for _ in range(round(STOP / PERIOD)):
        force = np.dot(list(GAINS.values()), y)
        y = solve_ivp(rates(force), (0, PERIOD), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return y


def found(result) -> np.ndarray:
    return np.array([result[name][-1] for name in GAINS])


def test_a_sampled_controller_is_the_zero_order_hold():
    """Four gains, their sum sampled each 5 ms, and held: to 1e-10."""
    system = with_cart(System("sampled"))
    system.add("sum", "signal.Sum", {f"k[{k}]": gain for k, gain in enumerate(list(GAINS.values())[:3], start=1)})
    system.add("more", "signal.Sum", {"k[2]": GAINS["rod.omega"]})
    system.add("sampler", "signal.SampleHold", {"period": PERIOD})
    for k, name in enumerate(list(GAINS)[:3], start=1):
        system.connect(name, f"sum.u{k}")
    system.connect("sum.y", "more.u1")
    system.connect("rod.omega", "more.u2")
    system.connect("more.y", "sampler.u")
    system.connect("sampler.y", "push.Fx")
    result = system.simulate(STOP, solver="dop853", rtol=1e-12)
    assert found(result) == pytest.approx(held(), abs=1e-10)


CONTROLLER = f"""from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class Controller(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.force = 0.0
        for name in ("position", "speed", "angle", "rate"):
            setattr(self, name, 0.0)
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(Real("force", causality=Fmi2Causality.output))

    def do_step(self, current_time, step_size):
        self.force = sum(k * x for k, x in zip({list(GAINS.values())}, (self.position, self.speed, self.angle, self.rate)))
        return True
"""


@pytest.mark.parametrize("at", ["push.Fx", "rail.effort"])
def test_a_controller_of_python_code_is_the_zero_order_hold(tmp_path, at):
    """Called each 5 ms before the mechanism goes on: to 1e-10 as well, whether a wrench takes its force or the cart's joint."""
    (tmp_path / "controller.py").write_text(CONTROLLER)
    subprocess.run(
        [sys.executable, "-m", "pythonfmu", "build", "-f", "controller.py", "-d", "."], cwd=tmp_path, check=True, capture_output=True
    )
    system = System("digital")
    system.add("controller", tmp_path / "Controller.fmu", communication_step=PERIOD)
    with_cart(system, "planar.ActuatedTranslational")
    for name, source in zip(("position", "speed", "angle", "rate"), GAINS, strict=True):
        system.connect(source, f"controller.{name}")
    system.connect("controller.force", at)
    result = system.simulate(STOP, communication_step=PERIOD, scheme="gauss-seidel", rtol=1e-12)
    assert found(result) == pytest.approx(held(), abs=1e-10)


def test_it_samples_from_its_offset_on():
    """Before the first sample y is its start value; then the last multiple of the period counts, also where the run starts late."""
    system = blocks(
        {
            "ramp": ("signal.Integrator", {"k": 1.0}),
            "one": ("signal.Constant", {"value": 1.0}),
            "hold": ("signal.SampleHold", {"period": 0.3, "offset": 0.1, "held": 7.0}),
        },
        [("one.y", "ramp.u"), ("ramp.y", "hold.u")],
    )
    times = np.array([0.05, 0.2, 0.45, 0.95])
    result = system.simulate(1.0, rtol=1e-10, output_times=times)
    assert result["hold.y"][np.searchsorted(result.time, times)] == pytest.approx([7.0, 0.1, 0.4, 0.7], abs=1e-9)
    late = blocks({"hold": ("signal.SampleHold", {"period": 0.3, "offset": 0.2})})
    late.drive("hold.u", lambda t: t)
    times = np.array([1.05, 1.15, 1.3, 1.9])
    result = late.simulate(2.0, start_time=1.0, rtol=1e-10, output_times=times)
    assert result["hold.y"][np.searchsorted(result.time, times)] == pytest.approx([1.0, 1.1, 1.1, 1.7], abs=1e-9)


def test_a_late_start_has_one_event_for_all_samples_before_it():
    """It goes to its period at once, and not sample by sample."""
    late = blocks({"hold": ("signal.SampleHold", {"period": 1e-3})})
    late.drive("hold.u", lambda t: t)
    result = late.simulate(50.0005, start_time=49.9995, output_times=[50.0002], evaluation="fmus")
    assert result["hold.y"][np.searchsorted(result.time, 50.0002)] == pytest.approx(50.0, abs=1e-9)
    assert result["hold.count"][-1] == 50001
