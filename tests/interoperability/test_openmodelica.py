"""OpenModelica's calls: a client makes them in its order, and every FMU runs to the digits of a closed form or of the master."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from coupling import System
from fmu_components.catalogue import all_components
from fmu_components.declare.component import component_name
from tests.support.export.examples import exported, initial, states, system
from tests.support.interoperability.openmodelica import Jump, OpenModelica
from tests.support.systems.machines import example
from tests.support.timings import turn

CLUTCH, WALL, SEVEN_BODIES = (example(name) for name in ("32_clutch", "33_pendulum_at_wall", "03_seven_body_mechanism"))


def test_every_component(component, fmu):
    """No call is refused, and no value is infinite; each component in one version."""
    OpenModelica(fmu(component, turn(component_name(component)))).run(0.01, 1e-3)


@pytest.mark.slow
def test_every_component_in_the_other_version(fmu):
    for name, component in all_components().items():
        OpenModelica(fmu(component, 5 - turn(name))).run(0.01, 1e-3)


# -- digits ----------------------------------------------------------------------------------------------------------------


def clutch() -> System:
    """Returns the clutch of the example without its drives."""
    made = System("clutch")
    made.add("shaft", "mechanical1d.Inertia", {"I": CLUTCH.SHAFT, "w": CLUTCH.SPEED})
    made.add("flywheel", "mechanical1d.Inertia", {"I": CLUTCH.FLYWHEEL})
    made.add("motor", "mechanical1d.Torque")
    made.connect("motor.flange", "shaft.flange")
    made.join("mechanical1d.Clutch", "shaft.flange", "flywheel.flange", name="clutch")
    return made


def pushed() -> System:
    """Returns a mass of 1 kg on which a force of 2 N acts from 0.7 s on."""
    made = System("pushed mass")
    made.add("mass", "mechanical1d.Mass")
    made.add("push", "mechanical1d.Force")
    made.add("step", "signal.Step", {"start": 0.7, "height": 2.0})
    made.connect("push.flange", "mass.flange")
    made.connect("step.y", "push.force")
    return made


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism and its digits at the stop time."""

    make: Callable[[], System]
    expected: Mapping[str, float]
    events: int
    stop: float = 2.0
    step: float = 5e-3
    inputs: tuple[str, ...] = ()
    jumps: tuple[Jump, ...] = field(default=())


CASES = {
    "pendulum at a wall": Case(make=WALL.system, expected={"rod.theta": -1.627890330317}, events=2),
    "clutch": Case(
        make=clutch,
        expected={"shaft.w": 58.0, "flywheel.w": 43.0},
        events=2,
        stop=CLUTCH.STOP,
        inputs=("clutch.capacity", "motor.torque"),
        jumps=(
            Jump(CLUTCH.CLOSES, {"clutch.capacity": CLUTCH.CAPACITY}),
            Jump(CLUTCH.PULLS, {"motor.torque": CLUTCH.TORQUE}),
            Jump(CLUTCH.OPENS, {"clutch.capacity": 0.0}),
        ),
    ),
    "step": Case(make=pushed, expected={"mass.s": 1.69}, events=1),
    "seven bodies": Case(make=SEVEN_BODIES.system, expected={"link1.theta": 15.810771195153707}, events=0, stop=0.03, step=2e-5),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", CASES)
def test_digits(name: str, fmi: int, tmp_path: Path) -> None:
    """States, impacts, modes and time events are those of the master; closed forms and the handbook say the same."""
    case = CASES[name]
    path = case.make().export_fmu(tmp_path / "mechanism.fmu", inputs=case.inputs, fmi=fmi, platforms=["linux64"])
    block = OpenModelica(path, jumps=case.jumps)
    assert block.run(case.stop, case.step, list(case.expected)) == pytest.approx(case.expected, rel=1e-7)
    assert block.events == case.events


# -- examples --------------------------------------------------------------------------------------------------------------

SMOOTH = 1e-3
"""The size of steps in s; stiff machines need other ones."""
EXAMPLES = {
    "01_pendulum": SMOOTH,
    "03_seven_body_mechanism": 2e-5,
    "06_hydraulic_crane": SMOOTH,
    "08_motor_slider_crank": 2e-5,
    "09_gantry_crane": SMOOTH,
    "13_heavy_top": 2e-4,
    "14_bricard": SMOOTH,
    "15_spatial_slider_crank": SMOOTH,
    "17_quarter_car": SMOOTH,
    "18_pointing": SMOOTH,
    "19_wheel": SMOOTH,
    "20_parallelogram": SMOOTH,
    "23_balloon": SMOOTH,
    "24_robot_arm": SMOOTH,
    "25_chaplygin": SMOOTH,
    "26_measured_pendulum": SMOOTH,
    "28_loader": SMOOTH,
    "29_quick_return": SMOOTH,
    "30_vehicle": SMOOTH,
    "31_stick_slip": SMOOTH,
    "32_clutch": SMOOTH,
    "33_pendulum_at_wall": SMOOTH,
    "34_newtons_cradle": SMOOTH,
    "35_walkers_foot": SMOOTH,
    "36_walking_leg": SMOOTH,
    "37_ratchet": SMOOTH,
    "38_reaction_forces": SMOOTH,
    "39_python_controller": SMOOTH,
    "40_cart_and_pole": SMOOTH,
    "41_hardware_loop": SMOOTH,
    "42_flexible_slider_crank": 2e-5,
    "43_satellite": SMOOTH,
    "44_bracket": 2e-5,
}
QUICK = (("20_parallelogram", 2), ("37_ratchet", 3))
SLIM = ("30_vehicle",)
"""Examples in which names of local variables differ from others in dots alone, which OpenModelica takes for underscores."""
STEPS = 100


@cache
def by_the_master(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the last row of the states, and the greatest value of each."""
    own, stop = states(name), STEPS * EXAMPLES[name]
    result = system(name).simulate(stop, solver="cvode", rtol=1e-11, atol=1e-12, initial=initial(name), outputs=list(own.values()))
    assert result.outcome.completed, result.outcome.sentence
    return ({new: float(result[each][-1]) for new, each in own.items()}, {new: abs(result[each]).max() for new, each in own.items()})


@pytest.mark.parametrize(
    ("name", "fmi"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in product(EXAMPLES, (2, 3))],
)
def test_every_exported_example(name: str, fmi: int, tmp_path: Path) -> None:
    """States after a hundred steps are those of the master."""
    expected, size = by_the_master(name)
    slim = {"fmi": fmi, "platforms": ["linux64"], "locals": False}
    path = system(name).export_fmu(tmp_path / "slim.fmu", **slim) if name in SLIM else exported(name, fmi)
    found = OpenModelica(path).run(STEPS * EXAMPLES[name], EXAMPLES[name], list(expected))
    off = {each: abs(found[each] - expected[each]) / max(1.0, size[each]) for each in expected}
    assert max(off.values()) < 1e-6, sorted(off.items(), key=lambda item: -item[1])[:5]
