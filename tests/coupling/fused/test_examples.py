"""Every example that is built of components of this library alone: by tape and compiled, its derivatives and event indicators are those of the
instances."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from coupling import System
from tests.support.fused.agreement import ALLOWED
from tests.support.fused.ways import ways_disagreement

EXAMPLES = Path(__file__).parents[3] / "examples"

SYSTEMS = {
    "00_three_uses": ("boom", "lifted"),
    "01_pendulum": ("system",),
    "03_seven_body_mechanism": ("system", "alternative"),
    "06_hydraulic_crane": ("system",),
    "08_motor_slider_crank": ("system",),
    "09_gantry_crane": ("system",),
    "10_suspension": ("system",),
    "11_exported_mechanisms": ("seven_bodies", "crane_mechanics", "slider_crank"),
    "13_heavy_top": ("system",),
    "15_spatial_slider_crank": ("mechanics", "system"),
    "16_stewart_platform": ("system",),
    "17_quarter_car": ("system",),
    "18_pointing": ("system",),
    "19_wheel": ("system",),
    "20_parallelogram": ("system",),
    "21_rolling_disc": ("system",),
    "22_two_masses": ("system",),
    "23_balloon": ("system",),
    "24_robot_arm": ("system",),
    "25_chaplygin": ("system",),
    "26_measured_pendulum": ("system",),
    "28_loader": ("machine",),
    "29_quick_return": ("system",),
    "30_vehicle": ("car",),
    "31_stick_slip": ("system",),
    "32_clutch": ("system",),
    "33_pendulum_at_wall": ("system",),
    "34_newtons_cradle": ("system",),
    "37_ratchet": ("system",),
    "38_reaction_forces": ("system", "natural_wheel"),
    "39_python_controller": ("system",),
    "40_cart_and_pole": ("system",),
    "41_hardware_loop": ("system",),
    "42_flexible_slider_crank": ("system",),
    "43_satellite": ("system",),
    "44_bracket": ("system",),
}
ELSEWHERE = {
    "02_own_joint": "its component is written to a file at first",
    "04_foreign_fmu": "an FMU of another tool",
    "05_in_another_tool": "runs single FMUs",
    "07_excavator": "an FMU in Python",
    "12_run_exported_mechanisms": "runs single FMUs",
    "14_bricard": "nearly redundant wherever it is, so that rounding decides",
    "27_which_parameters_matter": "imports a package that tests do without",
    "35_walkers_foot": "takes arguments",
    "36_walking_leg": "its pose has to be assembled first",
}
QUICK = ("32_clutch",)


def example(name: str) -> ModuleType:
    module_name = f"fused_example_{name}"
    specification = importlib.util.spec_from_file_location(module_name, EXAMPLES / f"{name}.py")
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    sys.path.insert(0, str(EXAMPLES))  # for examples that are built on others
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.remove(str(EXAMPLES))
    return module


CASES = [(name, function) for name, functions in SYSTEMS.items() for function in functions]


@pytest.mark.parametrize(
    ("name", "function"), [case if case[0] in QUICK else pytest.param(*case, marks=pytest.mark.slow) for case in CASES], ids=str
)
def test_an_example_is_fused(name, function):
    system: System = getattr(example(name), function)()
    assert ways_disagreement(system.build(communication=False)) < ALLOWED


def test_no_example_is_forgotten():
    assert sorted(path.stem for path in EXAMPLES.glob("[0-9]*.py")) == sorted({*SYSTEMS, *ELSEWHERE})
