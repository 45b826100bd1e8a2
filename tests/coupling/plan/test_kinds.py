"""Choice between Model Exchange and Co-Simulation for each instance, and the sentences about the limits of Co-Simulation instances."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, FmuError, Scheme, System
from fmu_components.catalogue import all_components
from tests.support import foreign
from tests.support.fmus.written import packed
from tests.support.fused.smallest import smallest
from tests.support.systems.stepped import DERIVATIVES, SAVING, VARIABLE_STEP, component, without
from tests.support.systems.systems import described, pendulum, refusal

COUPLED = {"communication_step": 0.1}


def alone(fmu: object, kind: str | None = None) -> System:
    system = System("alone")
    system.add("unit", fmu, kind=kind)
    return system


def oscillator(version: int, *kinds: str) -> Path:
    return foreign.export(replace(foreign.OSCILLATOR, kinds=kinds), version)


def kinds(system: System, communication: bool) -> dict[str, str]:
    return {part.name: part.kind for part in system.build(communication).parts}


# -- kinds -----------------------------------------------------------------------------------------------------------------------------


def test_an_fmu_that_offers_both_runs_as_the_run_wants(fmi):
    """Model Exchange without, Co-Simulation with a communication step; where it has no states, there is nothing to step."""
    system = alone(foreign.oscillator(fmi))
    system.add("gain", foreign.gain(fmi))
    system.connect("unit.x", "gain.u")
    assert kinds(system, False) == {"unit": "me", "gain": "me"}
    assert kinds(system, True) == {"unit": "cs", "gain": "me"}


def test_the_catalogue_runs_in_the_version_that_serves_best():
    """FMI 3 in Model Exchange, FMI 2 in Co-Simulation; joints have no states."""
    parts = pendulum().build(True).parts
    assert {p.name: (p.kind, p.fmu.version) for p in parts} == {"ground": ("me", 3), "pin": ("me", 3), "rod": ("cs", 2)}


def test_a_kind_that_is_asked_for_is_kept(fmi):
    """It is kept as long as another instance runs in Co-Simulation."""
    system = alone(foreign.oscillator(fmi), "me")
    system.add("other", foreign.gain(fmi), kind="cs")
    system.connect("unit.x", "other.u")
    assert kinds(system, True) == {"unit": "me", "other": "cs"}


def test_a_kind_that_is_none():
    text = refusal(lambda: alone(foreign.oscillator(), "xx"), BuildError)
    assert text == "'unit' cannot run as 'xx'; the kinds are 'me' (Model Exchange) and 'cs' (Co-Simulation)"


@pytest.mark.parametrize(
    ("offered", "kind", "sentence"),
    [
        (
            "me",
            "cs",
            "has no interface for Co-Simulation; it offers Model Exchange, kind 'me': choose that, or export it for Co-Simulation",
        ),
        (
            "cs",
            "me",
            "has no interface for Model Exchange; it offers Co-Simulation, kind 'cs': choose that, or export it for Model Exchange",
        ),
        ("", "cs", "has no interface for Co-Simulation; export it for Co-Simulation"),
        ("", "me", "has no interface for Model Exchange; export it for Model Exchange"),
        ("", None, "has no interface for Co-Simulation; export it for Co-Simulation"),
    ],
)
def test_an_interface_that_an_fmu_does_not_have(fmi, offered, kind, sentence):
    """The message comes from ``add``, with instance, file and the interface that is offered instead."""
    path = oscillator(fmi, *filter(None, [offered]))
    assert refusal(lambda: alone(path, kind), BuildError) == f"'unit' cannot run{f' as {kind!r}' if kind else ''}: '{path}' {sentence}"


def test_scheduled_execution_alone(tmp_path):
    """The sentence says what the FMU offers, and what would help."""
    path = packed(
        tmp_path / "clocks.fmu",
        {
            "modelDescription.xml": '<fmiModelDescription fmiVersion="3.0" modelName="Clocks" instantiationToken="t">'
            '<ScheduledExecution modelIdentifier="clocks"/><ModelVariables/></fmiModelDescription>'
        },
    )
    assert refusal(lambda: alone(path, None), BuildError) == (
        f"'unit' cannot run: '{path}' has no interface for Co-Simulation; it offers Scheduled Execution alone, whose model partitions are "
        "activated by an operating system: export it for Co-Simulation"
    )


def test_an_fmu_of_an_unknown_version_is_refused_clearly(tmp_path):
    """The message gives its path and version, whatever kind is wanted."""
    path = described(tmp_path, "New", "", version=4)
    for kind in (None, "me", "cs"):
        assert refusal(lambda kind=kind: alone(path, kind), FmuError) == (
            f"'unit' cannot be added: '{path}' is FMI 4.0; export it as FMI 2.0 or 3.0"
        )


def test_co_simulation_needs_a_communication_step(fmi):
    """It is needed for an instance asked to run so, and for an FMU that offers nothing else."""
    for system in (alone(foreign.oscillator(fmi), "cs"), alone(foreign.no_model_exchange(fmi))):
        text = refusal(lambda system=system: system.simulate(1.0), BuildError)
        assert text == "'unit' runs in Co-Simulation; give simulate a communication_step, in seconds"


def test_a_system_with_co_simulation_is_checked_without_a_run(fmi):
    """build() asks for no communication step; it finds what is wrong with the system, as it does without such an instance."""
    system = alone(foreign.oscillator(fmi), "cs")
    assert [(part.name, part.kind) for part in system.build().parts] == [("unit", "cs")]
    assert system.simulate(0.1, communication_step=0.05).outcome
    broken = alone(foreign.oscillator(fmi), "cs")
    broken.connect("unit.x", "gain.u")
    assert "there is no instance 'gain'" in refusal(broken.build, BuildError)


def test_a_communication_step_needs_co_simulation(fmi):
    """It is refused with Model Exchange alone, and without any states."""
    for system in (alone(foreign.oscillator(fmi), "me"), alone(oscillator(fmi, "me")), alone(foreign.gain(fmi))):
        text = refusal(lambda system=system: system.simulate(1.0, **COUPLED), BuildError)
        assert text == (
            "a communication_step is given, but no instance runs in Co-Simulation: all of them have no states, or are of kind 'me'; "
            "leave it out, or add instances of kind 'cs'"
        )


def carrying(base: str | None = None) -> System:
    """A body with an arm of two blocks, and a mass on a spring beside it."""
    system = System("arm on a body")
    system.add("base", "planar.Body2", kind=base)
    for name, parent in (("upper", "base.p1"), ("lower", "upper.C1")):
        system.add(name, "planar.RevoluteBody", {"rx": 0.5, "C1.rx": 1.0, "qd": 1.0})
        system.connect(parent, f"{name}.P")
    return system


def beside(system: System) -> System:
    system.add("mass", "mechanical1d.Mass", {"s": 1.0})
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 3.0})
    system.add("wall", "mechanical1d.Fixed1D")
    system.connect("wall.flange", "spring.M")
    system.connect("mass.flange", "spring.N")
    return system


def test_what_takes_motion_and_is_solved_for_is_integrated_with_what_carries_it():
    """Blocks of a joint and a body, and the body that they hang on, are integrated, except instances with a given kind."""
    assert kinds(beside(carrying()), True) == dict.fromkeys(("base", "upper", "lower", "spring", "wall"), "me") | {"mass": "cs"}
    assert kinds(carrying("cs"), True) == {"base": "cs", "upper": "me", "lower": "me"}
    found, expected = beside(carrying()).simulate(1.0, communication_step=0.01), beside(carrying()).simulate(1.0, rtol=1e-11)
    for name in ("base.x", "base.theta", "upper.q", "lower.q"):
        assert found[name][-1] == pytest.approx(expected[name][-1], abs=1e-9)
    assert refusal(lambda: carrying().simulate(1.0, **COUPLED), BuildError) == (
        "a communication_step is given, but no instance runs in Co-Simulation: 'upper', 'lower' run in Model Exchange together with "
        "their bodies; leave it out, or add instances of kind 'cs'"
    )


# -- what build accepts -----------------------------------------------------------------------------------------------------------------

UNCOUPLED = ("spatial.Revolute", "spatial.Cylindrical", "spatial.Planar", "spatial.Screw", "spatial.Universal", "mechanical1d.OneWayClutch")
"""Components that no run with a communication step takes, beside bodies of any kind."""
QUICK = (*UNCOUPLED, "planar.Revolute", "spatial.Spherical", "signal.Integrator", "hydraulic.Orifice", "planar.MasslessLink2")


def is_accepted(build: Callable[[], object]) -> bool:
    try:
        build()
    except BuildError:
        return False
    return True


def check_build_accepts(component: str) -> None:
    """Components of every kind build: without a communication step, or with one."""
    definition = smallest(component).definition
    for kind in (None, "me", "cs"):
        it = tuple(replace(each, kind=kind) if each.name == "it" else each for each in definition.instances)
        system = System.of(replace(definition, instances=it))
        runs = [is_accepted(partial(copy(system).build, communication)) for communication in (False, True)]
        assert any(runs) and is_accepted(system.build), component
        assert component not in UNCOUPLED or kind == "cs" or runs == [True, False], component


@pytest.mark.slow
def test_build_accepts_what_can_run_in_one_way():
    for name in QUICK:
        check_build_accepts(name)


@pytest.mark.slow
def test_build_accepts_every_component_in_one_way():
    for name in set(all_components()) - set(QUICK):
        check_build_accepts(name)


def test_build_accepts_a_joint_in_space_that_counts_turns():
    """Runs without a communication step take it; runs with one refuse it in a sentence."""
    system = System("pendulum")
    for name, fmu, values in (("ground", "spatial.Fixed", {}), ("pin", "spatial.Revolute", {}), ("rod", "spatial.Body1", {"m": 1.0})):
        system.add(name, fmu, values)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    assert [part.kind for part in system.build().parts] == ["me", "me", "me"]
    assert system.simulate(0.1).outcome.completed
    assert refusal(lambda: system.simulate(0.1, **COUPLED), BuildError) == (
        "'pin' (spatial.Revolute) counts the turns of its angle by a state, for which co-simulation has no place, and is connected to 'rod', "
        "which runs in Co-Simulation; give 'rod' the kind 'me'"
    )


def test_a_misspelt_partner_of_a_part_without_mass_is_named():
    """The parts that joints hold are looked up among instances that exist."""
    system = System("linkage")
    system.add("link", "planar.MasslessLink2")
    system.connect("pinn.M", "link.p2")
    assert refusal(system.build, BuildError) == (
        "'pinn.M' cannot be connected with 'link.p2': there is no instance 'pinn'; the instances are 'link'"
    )


@pytest.mark.parametrize("turned", [False, True])
def test_what_a_joint_holds_to_a_part_without_mass_is_integrated_with_it(turned):
    """This holds in whatever order the ports of a connection are named. A body that is apart steps by itself."""
    system = System("linkage")
    for name, kind in {
        "ground": "Fixed",
        "link": "MasslessLink2",
        "rod": "Body1",
        "apart": "Body1",
        "foot": "Revolute",
        "knee": "Revolute",
    }.items():
        system.add(name, f"planar.{kind}")
    for pair in (("ground.p1", "foot.M"), ("foot.N", "link.p1"), ("link.p2", "knee.M"), ("knee.N", "rod.p1")):
        system.connect(*(pair[::-1] if turned else pair))
    found = kinds(system, True)
    assert [found[name] for name in ("link", "rod", "apart")] == ["me", "me", "cs"]


@pytest.mark.parametrize(("sampled", "found"), [("lag", ""), ("rod", "communication_step = 0.01 s of 'rod' is refused: joints act on it")])
def test_steps_of_its_own_are_for_an_instance_that_no_joint_acts_on(sampled, found):
    system = System("pendulum")
    steps = {sampled: {"communication_step": 0.01}}
    for name, kind in {"ground": "planar.Fixed", "pin": "planar.Revolute", "rod": "planar.Body1", "lag": "signal.FirstOrder"}.items():
        system.add(name, kind, kind="cs" if name in ("rod", "lag") else None, **steps.get(name, {}))
    for pair in (("ground.p1", "pin.M"), ("pin.N", "rod.p1"), ("rod.theta", "lag.u")):
        system.connect(*pair)
    if found:
        assert refusal(lambda: system.build(True), BuildError).startswith(found)
    else:
        assert kinds(system, True)["rod"] == "cs"


# -- abilities -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["implicit", "implicit-position", "implicit-velocity"])
def test_repeated_steps_need_states_that_can_be_saved(fmi, scheme):
    """Both instances of the FMU go by the name of the first."""
    system = alone(foreign.oscillator(fmi))
    system.add("second", foreign.oscillator(fmi))
    system.add("sound", foreign.oscillator(fmi, rollback=True))
    assert refusal(lambda: system.simulate(1.0, scheme=scheme, **COUPLED), BuildError) == (
        f"the scheme '{scheme}' repeats steps, but 'unit' cannot save and restore its state (canGetAndSetFMUstate); "
        "choose scheme='explicit' or 'gauss-seidel', or export it with that ability"
    )


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
@pytest.mark.parametrize("control", ["adaptive", "power"])
def test_step_control_needs_steps_of_any_size(fmi, scheme, control):
    system = alone(without(foreign.oscillator(fmi, rollback=True), *VARIABLE_STEP))
    assert refusal(lambda: system.simulate(1.0, scheme=Scheme(scheme, step_control=control), **COUPLED), BuildError) == (
        f"step_control = '{control}' changes the step size, but 'unit' can make steps of one size only "
        "(canHandleVariableCommunicationStepSize); use Scheme(step_control='fixed')"
    )


@pytest.mark.parametrize("control", ["adaptive", "power"])
def test_step_control_needs_states_that_can_be_saved(fmi, control):
    system = alone(foreign.oscillator(fmi))
    assert refusal(lambda: system.simulate(1.0, scheme=Scheme(step_control=control), **COUPLED), BuildError) == (
        f"step_control = '{control}' takes steps back, but 'unit' cannot save and restore its state (canGetAndSetFMUstate); "
        "use Scheme(step_control='fixed')"
    )


def test_control_by_power_needs_ports(fmi):
    """Variables that are connected one by one have no power that anybody knows."""
    system = alone(foreign.oscillator(fmi, rollback=True))
    assert refusal(lambda: system.simulate(1.0, scheme=Scheme(step_control="power"), **COUPLED), BuildError) == (
        "step_control = 'power' needs Co-Simulation instances that are connected through ports whose power is known (planar, rotational, "
        "translational, hydraulic, electrical); use Scheme(step_control='adaptive')"
    )


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_steps_of_one_size_end_where_a_step_ends(fmi, scheme):
    """A stop between two points is refused with the nearest that is none."""
    system = alone(without(foreign.oscillator(fmi, rollback=True), *VARIABLE_STEP))
    assert refusal(lambda: system.simulate(1.07, scheme=scheme, **COUPLED), BuildError) == (
        "stop_time = 1.07 s is no whole number of communication steps (0.1 s) after the start, and 'unit' can make steps of one size only; "
        "choose a stop_time of 1.1 s"
    )
    result = system.simulate(1.5, start_time=0.4, scheme=scheme, output_interval=0.01, **COUPLED)
    assert result.outcome.completed and result.statistics.steps == 11
    assert result.time == pytest.approx(0.4 + 0.1 * np.arange(12), abs=1e-14)


def test_steps_of_any_size_end_where_the_run_ends(fmi):
    """The last one is shorter."""
    result = alone(foreign.oscillator(fmi)).simulate(1.07, output_times=[1.0, 1.07], **COUPLED)
    assert result.time.tolist() == [1.0, 1.07] and result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-9)


def test_multipliers_need_derivatives_or_repetition():
    """A body's answer to the force of a joint is unknown without derivatives; implicit schemes find it."""
    from fmu_components.catalogue import find

    def system() -> System:
        pinned = System("pinned")
        pinned.add("ground", "planar.Fixed")
        pinned.add("pin", "planar.Revolute")
        body = component(find("planar.Body1"), 2, *DERIVATIVES)
        pinned.add("rod", body, {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
        pinned.connect("ground.p1", "pin.M")
        pinned.connect("pin.N", "rod.p1")
        return pinned

    for scheme in ("explicit", "gauss-seidel"):
        assert refusal(lambda scheme=scheme: system().simulate(1.0, scheme=scheme, **COUPLED)) == (
            f"the scheme '{scheme}' cannot solve for 'pin.lambda[1]': 'rod' offers no directional derivatives, and its "
            "motion under a force is not known; choose scheme='implicit', which finds out by repeated steps"
        )
    known = pendulum().simulate(1.0, communication_step=0.01, scheme="implicit")
    found = system().simulate(1.0, communication_step=0.01, scheme="implicit")
    assert found["rod.theta"] == pytest.approx(known["rod.theta"], abs=1e-8)
    assert max(found.violation[level].max() for level in ("position", "velocity")) < 1e-10


def test_a_body_that_cannot_be_saved_is_named(fmi):
    from fmu_components.catalogue import find

    system = alone(component(find("planar.Body1"), fmi, *SAVING))
    assert "'unit' cannot save and restore its state" in refusal(lambda: system.simulate(1.0, scheme="implicit", **COUPLED))


def test_an_fmu_that_steps_asynchronously():
    """fmi2Pending is not waited for: the run ends with what to do about it."""
    pending = foreign.export(replace(foreign.OSCILLATOR, hooks={"step": "if (time > 0.25) return 5;"}), 2)
    result = alone(pending).simulate(1.0, **COUPLED)
    assert (
        "'unit' (Oscillator.fmu) returned 'error' at t = 0.3 s when stepping: it steps asynchronously, which is not supported; export it "
        in (result.outcome.sentence)
    )
    assert result.time[-1] == pytest.approx(0.3)


def test_a_joint_that_is_stepped_is_compliant_and_the_outcome_says_so():
    """It is a stiff spring then, which a user who wanted a constraint had better know."""
    system = System("pinned")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute", {"compliant.k": 1e4, "compliant.c": 50.0}, kind="cs")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    result = system.simulate(0.1, communication_step=1e-3)
    assert result.outcome.notes == [
        "'pin' runs as kind 'cs', in which a joint is compliant, stiff springs instead of constraints; leave kind out of add for an exact one"
    ]
    assert pendulum().simulate(0.1, communication_step=1e-3).outcome.notes == []
