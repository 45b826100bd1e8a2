"""Derivatives of exported FMUs are smooth: difference quotients, of which integrators make Jacobians, are directional derivatives."""

from __future__ import annotations

import ctypes

import fmpy
import numpy as np
import pytest

from tests.support.export.examples import TREATMENTS, exported, initial, states, system
from tests.support.runtime.driver import Driver

FREE = ("17_quarter_car",)
"""Examples without constraints, of which all treatments are one."""
NAMES = (
    *("01_pendulum", "03_seven_body_mechanism", "06_hydraulic_crane", "08_motor_slider_crank", "09_gantry_crane", "13_heavy_top"),
    *("14_bricard", "15_spatial_slider_crank", "18_pointing", "19_wheel", "20_parallelogram", "25_chaplygin", "26_measured_pendulum"),
    *("29_quick_return", "30_vehicle"),
)
CASES = [(name, treatment) for name in NAMES for treatment in TREATMENTS]
CASES += [(name, "Baumgarte") for name in ("17_quarter_car", "23_balloon", "24_robot_arm")]  # no constraints that could be projected
CASES += [
    (name, "projection")
    for name in ("31_stick_slip", "32_clutch", "33_pendulum_at_wall", "34_newtons_cradle", "35_walkers_foot", "36_walking_leg")
]
QUICK = (("03_seven_body_mechanism", "projection"), ("20_parallelogram", "index 3"), ("29_quick_return", "projection"))

ALLOWED = {1e-5: 1e-3, 1e-6: 1e-3, 1e-7: 1e-3, 1e-9: 1e-2, 1e-11: 1e-1}
"""Allowed errors, as shares of the greatest entry of a row, by increment, as a share of nominal values. CVODE takes the last increment too."""
ROUNDING = 1e-12
"""The rounding of a derivative, as a share of the greatest one."""
NOTHING = 1e-9
"""A row that is smaller than this share of the greatest one is rounding."""


def nominals(fmu: Driver) -> np.ndarray:
    found = np.ones(fmu.state_count)
    fmu.fmu.getNominalsOfContinuousStates(found.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(found))
    return found


@pytest.mark.parametrize(
    ("name", "treatment"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in CASES],
    ids=str,
)
def test_quotients_are_directional_derivatives(name: str, treatment: str) -> None:
    """Symmetric ones, of each state over increments of five sizes."""
    with Driver(exported(name, 3, treatment), "me") as fmu:
        fmu.start()
        rates = [unknown.variable for unknown in fmu.description.derivatives]
        states, names = [rate.derivative.name for rate in rates], [rate.name for rate in rates]
        x, nominal = fmu.states, nominals(fmu)
        size = np.abs(fmu.derivatives).max()
        exact = np.column_stack([fmu.directional(names, [state], [1.0]) for state in states])
        row = np.maximum(np.abs(exact).max(axis=1), NOTHING * np.abs(exact).max())
        for increment, allowed in ALLOWED.items():
            for i, state in enumerate(states):
                step = np.zeros(len(x))
                step[i] = increment * nominal[i]
                both = []
                for moved in (x + step, x - step):
                    fmu.at(0.0, moved)
                    both.append(fmu.derivatives)
                off = np.abs((both[0] - both[1]) / (2 * step[i]) - exact[:, i]) - ROUNDING * size / step[i]
                worst = int(np.argmax(off / row))
                assert off[worst] <= allowed * row[worst], (
                    f"{names[worst]} by {state}, increment {step[i]:g}: off by {off[worst] / row[worst]:.1e}"
                )


RUNS = {
    ("03_seven_body_mechanism", "projection"): 0.001,
    ("03_seven_body_mechanism", "index 3"): 0.001,
    ("06_hydraulic_crane", "projection"): 0.5,
    ("08_motor_slider_crank", "projection"): 0.05,
    ("13_heavy_top", "index 3"): 0.1,
    ("14_bricard", "projection"): 0.5,
    ("15_spatial_slider_crank", "projection"): 0.03,
    ("20_parallelogram", "index 3"): 0.5,
    ("29_quick_return", "projection"): 0.5,
    ("30_vehicle", "projection"): 0.5,
}
"""End of the run, in s, by example and treatment."""
QUICK_RUNS = QUICK[:1]


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
@pytest.mark.parametrize(
    ("name", "treatment"), [pytest.param(*run, marks=() if run in QUICK_RUNS else pytest.mark.slow) for run in RUNS], ids=str
)
def test_cvode_of_another_tool_keeps_its_tolerance(name: str, treatment: str, tolerance: float) -> None:
    """FMPy's, against the master's Dormand-Prince method: to 100 times the tolerance, which is relative to the greatest value of each state, or to its
    nominal value where that is greater."""
    assert cvode_error(name, treatment, tolerance) <= 100 * tolerance


def cvode_error(name: str, treatment: str, tolerance: float) -> float:
    path, stop = exported(name, 3, treatment), RUNS[name, treatment]
    sizes = {
        v.derivative.name: float(v.derivative.nominal or 1.0) for v in fmpy.read_model_description(str(path)).modelVariables if v.derivative
    }
    run = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=stop, output_interval=stop / 10, relative_tolerance=tolerance, output=list(sizes)
    )
    own = states(name)
    exact = system(name).simulate(
        stop, rtol=1e-12, atol=1e-13, outputs=list(own.values()), initial=initial(name), stabilisation="projection"
    )
    assert exact.outcome.completed
    return max(abs(run[each][-1] - exact[own[each]][-1]) / max(size, abs(exact[own[each]]).max()) for each, size in sizes.items())
