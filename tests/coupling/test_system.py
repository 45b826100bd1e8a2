"""The front end: adding instances, building, running again and again, and leaving nothing behind."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, FmuError, InitialStateError, StartError, System
from coupling.fmus import load
from coupling.kernel import library
from fmu_components.catalogue import find
from fmu_components.declare.component import Component
from tests.support import foreign
from tests.support.oracles.planar import Pendulum
from tests.support.systems.systems import described, pendulum, refusal

WANTED = "give the name of a component such as 'planar.Body1', a component class, or the path of a file that ends in .fmu"


# -- adding ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("", "planar.Body1"), "an instance cannot be called ''; give a name without dots and stars, such as 'rod'"),
        (("a.b", "planar.Body1"), "an instance cannot be called 'a.b'; give a name without dots and stars, such as 'rod'"),
        (("rod*", "planar.Body1"), "an instance cannot be called 'rod*'; give a name without dots and stars, such as 'rod'"),
        ((" a", "planar.Body1"), "an instance cannot be called ' a'; give a name without dots and stars, such as 'rod'"),
        ((3, "planar.Body1"), "an instance cannot be called 3; give a name without dots and stars, such as 'rod'"),
        (("rod", "planar.Body2"), "there is already an instance 'rod' (planar.Body1); give the second one another name"),
        (
            ("a", "planar.Revolut"),
            "'a' cannot be added: there is no component 'planar.Revolut'; "
            "did you mean 'planar.Revolute', 'planar.RevoluteBody' or 'spatial.Revolute'?",
        ),
        (("a", "warp drive"), f"'a' cannot be added: there is no component 'warp drive'; {WANTED}"),
        (("a", 7), f"'a' cannot be added: 7 is no FMU; {WANTED}"),
        (("a", None), f"'a' cannot be added: None is no FMU; {WANTED}"),
        (("a", int), f"'a' cannot be added: <class 'int'> is no FMU; {WANTED}"),
        (("a", "planar.Body1", [1.0]), "the start values of 'a' are [1.0]; give them by their names, such as {'m': 1.0}"),
        (("a", "planar.Body1", {}, "es"), "'a' cannot run as 'es'; the kinds are 'me' (Model Exchange) and 'cs' (Co-Simulation)"),
    ],
)
def test_an_instance_that_cannot_be_added(arguments: tuple, sentence: str) -> None:
    """The sentence says what is wrong, and what would be right."""
    assert refusal(lambda: pendulum().add(*arguments), BuildError) == sentence


def test_what_was_given_cannot_be_changed_in_silence() -> None:
    """The system shows its start values, its drives and its FMUs; none of these is a place to change them, before the first run or after it."""
    system = pendulum()
    for _ in range(2):
        assert dict(system.start_values["rod"]) == {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5}
        with pytest.raises(BuildError) as refused:
            system.start_values["rod"]["m"] = 2.0
        assert str(refused.value) == (
            "start_values['rod']['m'] = 2.0 would change nothing; give the value to add, or for one run to simulate(start_values={'rod.m': 2.0})"
        )
        for shown in (system.start_values, system.drives, system.instances):
            with pytest.raises(TypeError):
                shown["rod"] = {}
        system.build()


def test_files_that_are_not_there_or_no_fmus(tmp_path: Path) -> None:
    """The instance and the file are named; near names beside it are offered."""
    shutil.copy(foreign.gain(), tmp_path / "gain.fmu")
    (tmp_path / "text.fmu").write_text("not an archive")
    assert refusal(lambda: System().add("a", tmp_path / "gian.fmu"), FmuError) == (
        f"'a' cannot be added: there is no file '{tmp_path}/gian.fmu'; did you mean 'gain.fmu' or 'text.fmu'?"
    )
    assert refusal(lambda: System().add("a", str(tmp_path / "text.fmu")), FmuError).startswith(
        f"'a' cannot be added: '{tmp_path}/text.fmu' is not a zip archive that can be read ("
    )


def test_all_ways_to_name_an_fmu(fmu: Callable) -> None:
    """A name of the catalogue, a class, a path, its text, a relative one, and an FMU that has been read."""
    path = fmu(find("planar.Body1"), 3)
    for way in ("planar.Body1", find("planar.Body1"), path, str(path), os.path.relpath(path), load(path)):
        system = System()
        system.add("rod", way, {"vx": 2.0})
        assert system.instances["rod"].model_name == "planar.Body1"
    assert system.simulate(1.0)["rod.x"][-1] == pytest.approx(2.0)


def test_a_component_of_the_users_own() -> None:
    """Two classes of one name are two components."""

    def decay(rate: float) -> type[Component]:
        class Decay(Component):
            """Exponential decay."""

            def declare(self) -> None:
                x = self.state("x", 1.0, "m", "what decays")
                tau = self.parameter("tau", 1 / rate, "s", "time constant")
                self.rate(x, -x / tau)

        return Decay

    system = System()
    system.add("slow", decay(1.0))
    system.add("fast", decay(3.0))
    result = system.simulate(1.0)
    assert (result["slow.x"][-1], result["fast.x"][-1]) == pytest.approx((np.exp(-1), np.exp(-3)), rel=1e-6)


def test_both_versions_run_side_by_side(fmu: Callable) -> None:
    """A joint of FMI 2 between a ground of FMI 3 and a rod of FMI 2."""
    oracle = Pendulum(angle=-0.3)
    system = System()
    for name, (component, values) in oracle.parts.items():
        system.add(name, fmu(find(component), 3 if name == "ground" else 2), values)
    for pair in oracle.connections:
        system.connect(*pair)
    result = system.simulate(1.0)
    assert np.allclose(result["rod.theta"], oracle.motion(result.time)["rod"].theta, atol=1e-6)


def test_many_instances_of_one_fmu_are_independent() -> None:
    """Each has its own parameters, states and events."""
    system = System()
    for k in range(1, 21):
        system.add(f"c{k}", foreign.counter(), {"period": 0.1 * k, "step": k})
        system.add(f"m{k}", foreign.mass_spring(), {"k": float(k * k), "x": 1.0})
    result = system.simulate(0.95)
    for k in range(1, 21):
        assert result[f"c{k}.count"][-1] == k * int(0.95 / (0.1 * k))
        assert result[f"m{k}.x"][-1] == pytest.approx(np.cos(0.95 * k), abs=1e-5)


# -- loading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_without_a_binary_for_this_platform(version: int) -> None:
    """The instance, the file, what is missing and what is there."""
    path = foreign.wrong_platform(version)
    system = System()
    system.add("osc", path)
    wanted, there = {2: ("linux64", "win64"), 3: ("x86_64-linux", "x86_64-windows")}[version]
    assert refusal(system.build, FmuError) == (
        f"'osc' cannot be loaded: '{path}' has no binary {wanted}/Oscillator.so for this platform, it has {there}/Oscillator.dll; "
        "export it for this platform"
    )


@pytest.mark.parametrize("version", [2, 3])
def test_a_binary_that_is_no_library(version: int) -> None:
    """The message quotes the system's loader, and says what to do."""
    path = foreign.corrupt_binary(version)
    system = System()
    system.add("osc", path)
    text = refusal(system.build, BuildError)
    assert text.startswith(f"'osc' cannot be loaded: the binary of '{path}' is refused: ")
    assert text.endswith(
        "Oscillator.so: invalid ELF header; export it again for this platform, or report this to the makers of 'tests/support/foreign'"
    )


@pytest.mark.parametrize(
    ("version", "missing"),
    [(2, "fmi2ExitInitializationMode"), (2, "fmi2SetContinuousStates"), (3, "fmi3InstantiateModelExchange"), (3, "fmi3GetFloat64")],
)
def test_a_binary_that_lacks_a_function(version: int, missing: str) -> None:
    """The function is named."""
    path = foreign.export(foreign.OSCILLATOR, version, without=missing)
    system = System()
    system.add("osc", path)
    assert refusal(system.build, BuildError) == (
        f"'osc' cannot be loaded: the binary of '{path}' is refused: the function {missing} is missing; "
        "export it again for this platform, or report this to the makers of 'tests/support/foreign'"
    )


@pytest.mark.parametrize("version", [2, 3])
def test_a_function_that_is_not_needed_may_be_missing(version: int) -> None:
    """Derivatives are got as the variables that they are."""
    system = System()
    system.add("osc", foreign.missing_symbol(version))
    assert system.simulate(1.0)["osc.x"][-1] == pytest.approx(np.cos(1.0), abs=1e-6)


def test_what_an_fmu_wants_to_be_known_is_said_where_it_fails(tmp_path: Path) -> None:
    """A link to a tool that is not installed cannot be loaded, which explains the loader's words."""
    path = described(tmp_path, "Link", "", interface='needsExecutionTool="true"')
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("binaries/x86_64-linux/Link.so", "no library" * 100)
    system = System()
    system.add("link", path)
    assert refusal(system.build, BuildError).endswith(
        f"or report this to the makers of the tool that wrote it; '{path}' is a link to the tool that wrote it, "
        "which has to be installed on this machine"
    )


def test_a_file_that_changes_before_it_is_loaded(tmp_path: Path) -> None:
    """The file that was checked is not the one that would run."""
    path = tmp_path / "gain.fmu"
    shutil.copy(foreign.gain(), path)
    system = System()
    system.add("a", path)
    shutil.copy(foreign.gain(factor=2.0), path)
    assert refusal(system.build, FmuError) == f"'a' cannot be loaded: '{path}' has changed since it was read; load it again"


@pytest.mark.parametrize("version", [2, 3])
def test_fmus_that_refuse_to_start(version: int) -> None:
    """Their own words are passed on."""
    system = System()
    system.add("osc", foreign.crashes_on_instantiate(version))
    assert refusal(lambda: system.simulate(1.0), StartError) == (
        f"'osc' (Oscillator.fmu) cannot be instantiated: {foreign.NO_LICENCE}; see the FMU's documentation"
    )
    system = System()
    system.add("osc", foreign.fails_in_initialization(version))
    assert refusal(lambda: system.simulate(1.0), StartError) == (
        f"'osc' (Oscillator) returned 'error' when leaving Initialization Mode: {foreign.NO_EQUILIBRIUM}"
    )


# -- building ----------------------------------------------------------------------------------------------------------


def test_an_empty_system() -> None:
    """There is nothing to build."""
    assert refusal(System("s").build) == refusal(lambda: System("s").simulate(1.0)) == "the system 's' is empty; add instances first"


def test_a_system_that_was_built_changes_no_more() -> None:
    """It is frozen after build and after simulate, which calls it."""
    sentence = "the system 'pendulum' has been built and cannot change any more; make a new System"
    built, run = pendulum(), pendulum()
    built.build()
    run.simulate(0.0)
    for system in (built, run):
        assert refusal(lambda system=system: system.add("wheel", "planar.Body1")) == sentence
        assert refusal(lambda system=system: system.connect("a.b", "c.d")) == sentence
        assert refusal(lambda system=system: system.drive("a.b", 1.0)) == sentence
    assert built.build() is built.build()


def test_a_system_that_could_not_be_built_can_be_completed() -> None:
    """It builds after the missing parts are added."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.connect("ground.p1", "pin.M")
    refusal(system.build)
    system.add("rod", "planar.Body1")
    system.connect("rod.p1", "pin.N")
    system.build()


def test_connections_may_come_before_instances() -> None:
    """Names are looked up when all is there; what is no name is refused at once."""
    system = System()
    system.connect("rod.p1", "pin.N")
    system.connect("ground.p1", "pin.M")
    for name, component in (("ground", "planar.Fixed"), ("pin", "planar.Revolute"), ("rod", "planar.Body1")):
        system.add(name, component)
    system.build()
    assert refusal(lambda: System().connect("a.b", 3)) == (  # type: ignore[arg-type]
        "3 cannot be connected; give the name of a port or variable, such as 'rod.p1'"
    )


def test_the_representation() -> None:
    """Its name and how much it holds."""
    assert repr(pendulum()) == "System('pendulum': 3 instances, 2 connections)"
    assert list(pendulum().instances) == ["ground", "pin", "rod"]


def test_building_leaves_the_garbage_collector_as_it_was() -> None:
    """It does so where the build fails, and where the collector was off."""
    pendulum().build()
    refusal(System().build)
    assert gc.isenabled()
    gc.disable()
    try:
        pendulum().build()
        assert not gc.isenabled()
    finally:
        gc.enable()


# -- running -----------------------------------------------------------------------------------------------------------


def test_one_system_runs_many_times_alike() -> None:
    """Each run starts afresh, whatever its options were and however the one before ended."""
    system = pendulum()
    first = system.simulate(1.0)
    system.simulate(2.0, solver="dop853", outputs="rod.x", rtol=1e-4, max_steps=3)
    again = system.simulate(1.0)
    assert again.names == first.names and (again.values == first.values).all()


def test_a_start_behind_zero() -> None:
    """Drives and events are at their own times."""
    system = System()
    system.add("counter", foreign.counter())
    system.add("body", "planar.Body1", {"gy": 0.0})
    system.drive("body.p1.Fx", lambda t: t)
    result = system.simulate(2.0, start_time=1.0)
    assert result.time[0] == 1.0 and result["body.vx"][-1] == pytest.approx(1.5)


@pytest.mark.parametrize("joints", [["Revolute"], ["Weld"], ["Revolute", "Revolute"], ["Weld", "Revolute"]])
def test_bodies_that_are_joined_fall_freely(joints: list[str]) -> None:
    """The force between them is nothing but rounding, alone or shared by joints that say the same twice."""
    system = System()
    system.add("light", "planar.Body1", {"p1.rx": 0.3, "p1.ry": -0.7, "x": -0.3, "y": 0.7})
    system.add("heavy", "planar.Body1", {"m": 3.0})
    for k, joint in enumerate(joints):
        system.add(f"joint{k}", f"planar.{joint}")
        system.connect("light.p1", f"joint{k}.M")
        system.connect("heavy.p1", f"joint{k}.N")
    result = system.simulate(1.0)
    assert result.outcome.completed
    assert np.allclose(result["heavy.y"], -9.81 * result.time**2 / 2, atol=1e-9)
    assert np.abs(result["joint0.lambda[1]"]).max() < 1e-9


def test_loops_start_where_their_fmus_do() -> None:
    """An algebraic loop is iterated from the start values of its inputs; from 0 this one has no value at all."""
    system = System()
    for name, path in zip(("linear", "sphere"), foreign.nonlinear_loop(), strict=True):
        system.add(name, path)
    for a, b in (("linear.a", "sphere.a"), ("linear.b", "sphere.b"), ("sphere.c", "linear.c")):
        system.connect(a, b)
    result = system.simulate(0.0)
    assert [result[name][0] for name in ("linear.a", "linear.b", "sphere.c")] == pytest.approx(
        foreign.NONLINEAR_LOOP["positive"][0], abs=1e-9
    )


# -- leaving nothing behind --------------------------------------------------------------------------------------------


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The handles of all instances that have been made and not been freed."""
    handles: list[int] = []
    new, free = library.instance_open, library.instance_close

    def counted_new(*arguments: object) -> int | None:
        handle = new(*arguments)
        if handle:
            handles.append(handle)
        return handle

    def counted_free(handle: int) -> None:
        handles.remove(handle)  # fails where it is freed twice
        free(handle)

    monkeypatch.setattr(library, "instance_open", counted_new)
    monkeypatch.setattr(library, "instance_close", counted_free)
    return handles


def failing(t: float) -> float:
    raise RuntimeError(t)


def fails_while_running(t: float) -> float:
    return 0.0 if t < 0.5 else failing(t)


def with_part(name: str, *arguments: object) -> System:
    system = pendulum()
    system.add("part", getattr(foreign, name)(*arguments))
    return system


def driven(function: Callable[[float], float]) -> System:
    system = pendulum()
    system.drive("rod.p1.Fx", function)
    return system


def massless() -> System:
    system = pendulum()
    system.add("body", "planar.Body1", {"I": 0.0})
    return system


@pytest.mark.parametrize(
    ("make", "options", "error"),
    [
        (pendulum, {}, None),
        (pendulum, {"initial": "assemble"}, None),
        (pendulum, {"max_steps": 3}, None),
        (lambda: pendulum(x=0.7), {}, InitialStateError),
        (lambda: pendulum(x=0.7), {"initial": "assemble"}, InitialStateError),
        (pendulum, {"outputs": "rod.nothing"}, BuildError),
        (pendulum, {"atol": {"rod.nothing": 1.0}}, BuildError),
        (massless, {}, StartError),
        (lambda: with_part("crashes_on_instantiate"), {}, StartError),
        (lambda: with_part("fails_in_initialization", 2), {}, StartError),
        (pendulum, {"sensitivities": ["rod.m"]}, None),
        (lambda: with_part("fails_at", 0.5), {}, None),
        (lambda: with_part("fails_at", 0.0), {}, StartError),
        (lambda: driven(failing), {}, RuntimeError),
        (lambda: driven(fails_while_running), {}, RuntimeError),
    ],
)
def test_every_instance_is_freed_once(alive: list[int], make: Callable[[], System], options: dict, error: type[Exception] | None) -> None:
    """The run is completed, ends early, fails, or cannot even start."""
    if error:
        with pytest.raises(error):
            make().simulate(1.0, **options)
    else:
        make().simulate(1.0, **options)
    assert not alive


def resident() -> int:
    """Bytes that this process keeps in memory, once the heap has given back what it can."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_runs_leave_no_memory_and_no_files_behind() -> None:
    """100 runs, every fourth of which fails, after a few that fill the caches."""
    good, bad = pendulum(), pendulum(x=0.7)
    system = with_part("two_events")

    def run(times: int) -> None:
        for _ in range(times):
            good.simulate(0.05)
            system.simulate(0.4, initial="assemble", outputs="rod")
            driven(lambda t: t).simulate(0.05)
            refusal(lambda: bad.simulate(0.05))

    run(10)
    gc.collect()  # what earlier tests have left open would be closed in between
    before, files, threads = resident(), len(os.listdir("/proc/self/fd")), threading.active_count()
    run(25)
    assert resident() - before < 1.5e6
    assert len(os.listdir("/proc/self/fd")) == files and threading.active_count() == threads
