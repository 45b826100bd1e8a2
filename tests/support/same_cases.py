"""Runs whose results have to stay the same: examples, systems by each evaluation, solver, scheme and formulation, analyses and exported FMUs."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from math import sin
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import fmpy
import numpy as np

import jourdain
from coupling.schemes.base.scheme import SCHEMES
from coupling.solvers.base.solver import SOLVERS
from jourdain import System
from tests.support import foreign
from tests.support.fused.chains import chain
from tests.support.fused.smallest import smallest
from tests.support.oracles.two_masses import Oscillator
from tests.support.switched import frictions, impacts
from tests.support.switched.beside import spring
from tests.support.systems import blocks, fixed_steps, hard_systems, redundant, rolling, space, two_mass_systems, zoo
from tests.support.systems.exported import CASES as EXPORTED
from tests.support.systems.machines import EXAMPLES, example
from tests.support.systems.systems import around_a_nonlinear_loop, pendulum, pushed

Make = Callable[[], System]
Case = Callable[[], object]
EVALUATIONS: dict[str, bool | str] = {"fmus": False, "tape": "tape", "compiled": True}
"""Values of ``evaluation``, and of ``compiled``, by which older commits call it."""


@dataclass(frozen=True, kw_only=True)
class Grouped:
    """Options of ``simulate`` that newer commits take as one object."""

    object: str
    option: str
    fields: Mapping[str, str]
    """Names in the object by flat names."""
    word: str = ""
    """The name in the object of the word that the option has otherwise, if it has one there."""


def same(names: str) -> dict[str, str]:
    return {name: name for name in names.split()}


GROUPS = (
    Grouped(
        object="Index3",
        option="solver",
        fields=same("step_size metric velocity_level method spectral_radius newton_limit newton_tolerance"),
    ),
    Grouped(object="Scheme", option="scheme", fields=same("extrapolation step_control") | {"coupling_tolerance": "tolerance"}, word="name"),
    Grouped(object="Successive", option="multipliers", fields=same("order redundant form")),
    Grouped(object="Contacts", option="contacts", fields=same("impacts rest_velocity painleve")),
    Grouped(object="Isolation", option="isolate", fields=same("call_timeout memory sandbox on_crash max_restarts"), word="which"),
    Grouped(
        object="Checkpoint", option="checkpoint", fields={"checkpoint_interval": "interval", "checkpoint_inexact": "inexact"}, word="path"
    ),
)


def options(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options of ``simulate`` or ``export_fmu`` as this commit takes them; ``flat`` are those of older commits, and ``evaluation``."""
    found = dict(flat)
    if "evaluation" in found and "evaluation" not in inspect.signature(System.simulate).parameters:
        found["compiled"] = EVALUATIONS[found.pop("evaluation")]
    for group in GROUPS:
        given = {name: found.pop(old) for old, name in group.fields.items() if old in found} if hasattr(jourdain, group.object) else {}
        if given:
            word = {group.word: found.pop(group.option)} if group.option in found else {}
            found[group.option] = getattr(jourdain, group.object)(**(word if group.word else {}), **given)
    return found


def pose_for(call: Callable[..., object], pose: object) -> dict[str, Any]:
    """Returns the argument of an analysis from which it begins."""
    return {next(name for name in ("initial", "at", "start") if name in inspect.signature(call).parameters): pose}


def simulated(make: Make, stop: float, **flat: Any) -> Case:
    """Returns a run of a new system, with 51 rows and those at events."""
    return lambda: make().simulate(stop, **options({"output_interval": stop / 50, **flat}))


# Examples: their own main functions run, and all that their systems answer is kept.

NEEDS = {"12_run_exported_mechanisms": "11_exported_mechanisms"}
"""Examples that read the files of others."""
ASKED = ("simulate", "assemble", "equilibrium", "equilibria", "linearise", "sensitivities")


@contextmanager
def watched() -> Iterator[list[object]]:
    """Yields a list that takes all answers of systems and of FMPy; calls that these make themselves are left out."""
    found: list[object] = []
    inside = False

    def watching(call: Callable[..., object]) -> Callable[..., object]:
        def watch(*given: Any, **named: Any) -> object:
            nonlocal inside
            if inside:
                return call(*given, **named)
            inside = True
            try:
                answer = call(*given, **named)
            finally:
                inside = False
            found.append(answer)
            return answer

        return watch

    with ExitStack() as stack:
        for name in ASKED:
            stack.enter_context(patch.object(System, name, watching(getattr(System, name))))
        stack.enter_context(patch.object(fmpy, "simulate_fmu", watching(fmpy.simulate_fmu)))
        stack.enter_context(patch("matplotlib.figure.Figure.savefig", lambda figure, *given, **named: None))
        yield found


def answers_of_example(name: str) -> dict[str, object]:
    """Runs an example, and returns what its systems answer, its tables and its exit code."""
    printed = io.StringIO()
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(printed), redirect_stderr(io.StringIO()), watched() as found:
        with patch.object(sys, "argv", [name, "--out", "."]), patch.object(sys, "path", [str(EXAMPLES), *sys.path]):
            codes = [example(each).main() for each in (NEEDS.get(name), name) if each]
        tables = {path.stem: np.genfromtxt(path, delimiter=",", skip_header=1) for path in Path().glob("*.csv")}
    return {"answers": found, "tables": tables, "codes": codes, "printed": printed.getvalue()}


def examples() -> dict[str, Case]:
    names = sorted(path.stem for path in EXAMPLES.glob("[0-9]*.py"))
    return {f"example {name}": partial(answers_of_example, name) for name in names if name not in NEEDS.values()}


# Systems by each way of evaluation.


def seven_bodies() -> System:
    return example("03_seven_body_mechanism").system()


def crane() -> System:
    return example("06_hydraulic_crane").system()


def foreign_spring() -> System:
    """A foreign oscillator that pulls a mass of this library over a spring."""
    system = System("foreign spring")
    system.add("foreign", foreign.mass_spring(rollback=True))
    system.add("gain", foreign.gain(factor=-3.0))
    system.add("lag", "signal.FirstOrder", {"T": 0.2})
    system.connect("foreign.x", "gain.u")
    system.connect("gain.y", "lag.u")
    system.connect("lag.y", "foreign.f")
    return system


def foreign_events() -> System:
    system = System("foreign events")
    system.add("events", foreign.two_events())
    system.add("clock", foreign.counter())
    return system


def redundant_machine(number: int) -> tuple[Make, float]:
    """Returns a machine of the redundant family, and for how long to run it."""
    machine = redundant.family()[number]
    return partial(machine.make, redundant.variants()[5]), min(machine.stop, 1.0)


SYSTEMS: dict[str, tuple[Make, float]] = {
    "pendulum": (pendulum, 1.0),
    "driven pendulum": (lambda: pushed(sin), 1.0),
    "four-bar": (lambda: blocks.four_bar(False), 1.0),
    "four-bar of blocks": (lambda: blocks.four_bar(True), 1.0),
    "limbs": (blocks.limbs, 0.5),
    "springs": (zoo.springs, 1.0),
    "rolling": (zoo.rolling, 0.5),
    "geared": (zoo.geared, 1.0),
    "seven bodies": (seven_bodies, 0.01),
    "chain": (lambda: chain(15), 0.3),
    "line of masses": (lambda: hard_systems.line_of_masses(10, 1.0), 1.0),
    "braced parallelogram": (hard_systems.braced_parallelogram, 1.0),
    "door on three hinges": (fixed_steps.door, 1.0),
    "redundant slider-cranks": redundant_machine(0),
    "redundant bearings": redundant_machine(14),
    "redundant guides and a stop": redundant_machine(26),
    "plank on two welds": (rolling.plank, 0.5),
    "eccentric disc": (rolling.eccentric_disc, 0.5),
    "two rods in space": (space.two_rods, 0.5),
    "governor": (space.governor, 0.3),
    "loop in space": (lambda: space.planar_loop(True), 0.5),
    "rolling disc in space": (space.rolling_disc, 0.5),
    "crane": (crane, 0.3),
    "suspension": (lambda: example("10_suspension").system(), 0.4),
    "walking leg": (lambda: example("36_walking_leg").system(), 0.5),
    "foreign spring": (foreign_spring, 2.0),
    "foreign events": (foreign_events, 2.0),
    "foreign nonlinear loop": (lambda: around_a_nonlinear_loop(True), 1.0),
    "impacts beside pendulums": (lambda: spring(5, True), 2.0),
}
SWITCHED = {
    "belt", "stribeck", "pendulum", "drawer 0.1", "clutch", "freewheel", "belt drive", "geneva",
    "stop", "backlash", "wall", "double pendulum", "rope", "disc grips", "disc slips", "incline 0.2", "block tips", "ball",
}  # fmt: skip
"""Cases of friction and impacts whose equations are unlike."""


def by_each_evaluation() -> dict[str, Case]:
    """Returns runs of all systems, which start violated where they do, by each evaluation."""
    switched = {
        f"switched {name}": (each.machine, each.stop) for name, each in (frictions.CASES | impacts.CASES).items() if name in SWITCHED
    }
    return {
        f"evaluation {name} by {evaluation}": simulated(make, stop, rtol=1e-7, initial="assemble", evaluation=evaluation)
        for name, (make, stop) in (SYSTEMS | switched).items()
        for evaluation in EVALUATIONS
    }


def components() -> dict[str, Case]:
    """Returns runs of each component of the library with a partner at each port."""
    return {
        f"component {name} by {evaluation}": simulated(partial(smallest, name), 0.2, rtol=1e-6, initial="relax", evaluation=evaluation)
        for name in jourdain.all_components()
        for evaluation in ("fmus", "tape")
    }


# Solvers, formulations and all that a run can be asked for.

FEW = ("four-bar", "springs", "seven bodies", "door on three hinges", "two rods in space", "foreign spring")


def by_each_solver() -> dict[str, Case]:
    found = {}
    for name in (*FEW, "crane"):
        make, stop = SYSTEMS[name]
        for solver in SOLVERS:
            own = {"step_size": stop / 100} if solver == "index3" else {"rtol": 1e-6}
            found[f"solver {solver}, {name}"] = simulated(make, stop / 2 if name == "crane" else stop, solver=solver, **own)
    fixed: Sequence[dict[str, Any]] = (
        {"method": "generalised-alpha", "spectral_radius": 0.5},
        {"method": "trbdf2", "metric": "tangent"},
        {"velocity_level": "projected", "newton_limit": 6, "newton_tolerance": 1e-8},
    )
    for name in ("four-bar", "rolling", "two rods in space", "geared"):
        make, stop = SYSTEMS[name]
        for own in fixed:
            found[f"index3 {own}, {name}"] = simulated(make, stop, solver="index3", step_size=stop / 100, initial="assemble", **own)
    return found


def by_each_option() -> dict[str, Case]:
    asked: dict[str, dict[str, Any]] = {
        "baumgarte": {"stabilisation": "baumgarte"},
        "projection by cvode": {"stabilisation": "projection", "solver": "cvode"},
        "relaxed": {"initial": "relax"},
        "successive": {"multipliers": "successive"},
        "successive by FMUs": {"multipliers": "successive", "evaluation": "fmus"},
        "successive, first": {"multipliers": "successive", "redundant": "first", "stabilisation": "baumgarte"},
        "successive, full": {"multipliers": "successive", "form": "full", "solver": "RK45", "stabilisation": "baumgarte"},
        "successive, reduced": {"multipliers": "successive", "form": "reduced", "solver": "DOP853", "stabilisation": "baumgarte"},
        "independent first": {"multipliers": "successive", "order": "independent first"},
        "all variables": {"outputs": ["*"], "max_step": 0.01, "atol": 1e-9},
    }
    found = {
        f"option {title}, {name}": simulated(*SYSTEMS[name], **own)
        for name in ("four-bar", "braced parallelogram", "door on three hinges", "loop in space", "seven bodies")
        for title, own in asked.items()
    }
    apart: dict[str, dict[str, Any]] = {
        "all": {"isolate": "all", "call_timeout": 20.0},
        "foreign": {"isolate": "foreign", "call_timeout": 20.0, "memory": 2e9, "sandbox": True},
    }
    for name in ("four-bar", "foreign spring", "foreign events", "impacts beside pendulums"):
        for title, own in apart.items():
            found[f"isolated {title}, {name}"] = simulated(*SYSTEMS[name], **own)
    hit: dict[str, dict[str, Any]] = {
        "simultaneous": {"impacts": "simultaneous", "rest_velocity": 1e-6},
        "impulse": {"painleve": "impulse"},
        "cvode": {"solver": "cvode"},
        "successive": {"multipliers": "successive"},
    }
    for name in ("ball", "double pendulum", "disc slips", "block tips", "incline 0.2", "wall"):
        for title, own in hit.items():
            found[f"impacts {title}, {name}"] = simulated(impacts.CASES[name].machine, impacts.CASES[name].stop, **own)
    found["impacts of a cradle, simultaneous"] = simulated(
        lambda: example("34_newtons_cradle").system(0.6), 1.0, impacts="simultaneous", rest_velocity=1e-12
    )
    parameters = {"pendulum": ["rod.m", "rod.I"], "four-bar": ["crank.m", "coupler.m", "rocker.I"], "foreign spring": ["lag.T"]}
    for name, named in parameters.items():
        for solver in ("dopri5", "dop853"):
            found[f"sensitivities by {solver}, {name}"] = simulated(*SYSTEMS[name], sensitivities=named, solver=solver)
    return found


# Co-simulation.


def by_each_scheme() -> dict[str, Case]:
    oscillator, start = Oscillator(damping=0.05), (0.1, 0.0, -0.05, 0.2)
    coupled: dict[str, tuple[Make, float, float]] = {
        f"two masses, {split}": (partial(two_mass_systems.split_system, oscillator, split, start), 0.5, 5e-3)
        for split in two_mass_systems.SIDES
    }
    coupled["rigid link"] = (lambda: two_mass_systems.linked_system(Oscillator(middle=np.inf), (0.1, 0.2, 0.1, 0.2)), 0.5, 5e-3)
    coupled["crane"] = (crane, 0.2, 2e-3)
    coupled["four-bar"] = (lambda: blocks.four_bar(False), 0.2, 1e-3)
    coupled["springs"] = (zoo.springs, 0.2, 1e-3)
    coupled["foreign spring"] = (foreign_spring, 0.5, 5e-3)
    varied: dict[str, dict[str, Any]] = {
        "constant": {"extrapolation": 0},
        "quadratic": {"extrapolation": 2},
        "adaptive": {"step_control": "adaptive", "coupling_tolerance": 1e-3},
        "power": {"step_control": "power", "coupling_tolerance": 1e-3},
        "implicit, adaptive": {"scheme": "implicit", "step_control": "adaptive"},
        "gauss-seidel, quadratic": {"scheme": "gauss-seidel", "extrapolation": 2},
    }
    asked = {scheme: {"scheme": scheme} for scheme in SCHEMES} | varied
    return {
        f"scheme {title}, {name}": simulated(make, stop, communication_step=step, initial="relax", **own)
        for name, (make, stop, step) in coupled.items()
        for title, own in asked.items()
    }


# Analyses, checkpoints and sweeps.


def standing(make: Make, **asked: Any) -> Case:
    """Returns the equilibrium of a system, and the linear model there."""

    def found() -> object:
        system = make()
        pose = system.equilibrium(**asked)
        return {"pose": pose, "linear": system.linearise(**pose_for(System.linearise, pose))}

    return found


def resumed() -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.checkpoint"
        first = blocks.four_bar(False).simulate(0.5, **options({"checkpoint": path, "checkpoint_interval": 100.0}))
        return {"first": first, "resumed": System.resume(path, stop_time=1.0)}


def recorded_and_loaded() -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.jrd"
        return [zoo.springs().simulate(0.5, record_to=path), jourdain.Result.load(path)]


def swept() -> object:
    table = jourdain.sweep(pendulum(), {"rod.m": [0.5, 1.0, 2.0], "rod.I": [0.05, 0.1]}, stop_time=0.5)
    return {"outcomes": table.outcomes, "x": table["rod.x"], "force": table["pin.reaction"]}


def analyses() -> dict[str, Case]:
    car = example("17_quarter_car").system
    return {
        "equilibrium of a pendulum": standing(pendulum),
        "equilibrium of a four-bar": standing(lambda: blocks.four_bar(False)),
        "equilibrium of a car": standing(car),
        "equilibrium of masses": standing(SYSTEMS["line of masses"][0]),
        "equilibrium of a chain": standing(lambda: chain(5)),
        "equilibria of a car": lambda: car().equilibria("body.m", [250.0, 300.0, 350.0]),
        "sensitivities of an equilibrium": lambda: car().sensitivities(["body.m"]),
        "assembly of a four-bar": lambda: blocks.four_bar(False).assemble(),
        "checkpoint, resumed": resumed,
        "recorded to a file": recorded_and_loaded,
        "sweep": swept,
    }


# Exported FMUs.


def in_fmpy(name: str, kind: str, **flat: Any) -> Case:
    """Returns a run in FMPy of a system as one FMU, whose open inputs stay at their start values."""

    def found() -> object:
        exported = EXPORTED[name]
        with TemporaryDirectory() as folder:
            path = exported.exportable.export_fmu(
                Path(folder) / "exported.fmu", inputs=list(exported.inputs), platforms=["linux64"], **options(flat)
            )
            return fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=0.2, output_interval=0.01, relative_tolerance=1e-8)

    return found


def exported() -> dict[str, Case]:
    found = {}
    for number, name in enumerate(("slider-crank", "four-bar", "springs", "rolling", "geared", "limbs")):
        for kind in ("ModelExchange", "CoSimulation"):
            found[f"exported {name}, {kind}"] = in_fmpy(name, kind, initial="relax", fmi=2 + number % 2)
            found[f"exported {name}, projected, {kind}"] = in_fmpy(name, kind, initial="assemble", stabilisation="projection")
        found[f"exported {name}, index3"] = in_fmpy(name, "CoSimulation", initial="assemble", solver="index3", step_size=1e-3)
    return found


def cases() -> dict[str, Case]:
    """Returns all cases by name; each runs when it is called."""
    parts = (by_each_evaluation, components, by_each_solver, by_each_option, by_each_scheme, analyses, exported, examples)
    return {name: case for part in parts for name, case in part().items()}
