"""Objects of options: each field reaches the run, each bad value is one sentence, and names that are wrong or misplaced get the right ones."""

from __future__ import annotations

import pickle
import re
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coupling
from coupling import BuildError, Checkpoint, Contacts, Index3, Isolation, Result, Scheme, Successive, System
from coupling.kernel.hosts.hosted import HostedLibrary
from coupling.kernel.runs.index3 import METHODS
from coupling.live import switching
from coupling.live.checkpoints import checkpoint_writer
from coupling.options import Run
from coupling.options.calls import OBJECTS, flattened, gathered
from coupling.plan.as_data import as_data, from_data
from coupling.solvers import index3
from coupling.sweep import sweep
from tests.support.switched import impacts
from tests.support.systems.systems import pendulum, refusal

GIVEN = {
    Index3: {
        "step_size": 0.02,
        "metric": "tangent",
        "velocity_level": "projected",
        "method": "generalised-alpha",
        "spectral_radius": 0.3,
        "newton_limit": 7,
        "newton_tolerance": 1e-8,
    },
    Scheme: {"name": "gauss-seidel", "extrapolation": 2, "step_control": "adaptive", "tolerance": 1e-3},
    Successive: {"order": ("pin",), "redundant": "first", "form": "full"},
    Contacts: {"impacts": "simultaneous", "rest_velocity": 0.1, "painleve": "impulse"},
    Isolation: {"which": "all", "call_timeout": 20.0, "memory": 1e9, "sandbox": True, "on_crash": "restart", "max_restarts": 5},
    Checkpoint: {"path": "run.ckpt", "interval": 5.0, "inexact": True},
}
"""Values other than the default for each field of each class, except those that exclude some of these."""

INSTEAD = {Index3: {"step_size": 0.02, "newton_tolerance": 1e-8, "iteration": "augmented-lagrangian", "penalty": 1e7, "iterations": 5}}
"""Such values."""


# -- the objects ---------------------------------------------------------------------------------------------------------------------------


def test_each_class_is_public_and_belongs_to_one_option_of_simulate() -> None:
    assert set(OBJECTS.values()) == set(GIVEN) and {cls.__name__ for cls in GIVEN} <= set(coupling.__all__)
    assert {option: cls.__name__ for option, cls in OBJECTS.items()} == {
        "solver": "Index3",
        "scheme": "Scheme",
        "multipliers": "Successive",
        "contacts": "Contacts",
        "isolate": "Isolation",
        "checkpoint": "Checkpoint",
    }


@pytest.mark.parametrize(("cls", "values"), [*GIVEN.items(), *INSTEAD.items()])
def test_an_object_is_frozen_compared_copied_and_written_down(cls: type, values: dict[str, Any]) -> None:
    given, last = cls(**values), next(reversed(values))
    assert {*GIVEN[cls], *INSTEAD.get(cls, {})} == {each.name for each in fields(cls)}
    assert given == cls(**values) != cls(**{**values, last: next(each.default for each in fields(cls) if each.name == last)})
    assert pickle.loads(pickle.dumps(given)) == given == deepcopy(given) == eval(repr(given))
    with pytest.raises(AttributeError):
        setattr(given, next(iter(values)), None)
    option = next(option for option, of in OBJECTS.items() if of is cls)
    assert gathered(flattened({option: given, "rtol": 1e-3})) == {option: given, "rtol": 1e-3}


def test_an_object_is_shown_without_defaults() -> None:
    assert repr(Scheme("implicit", step_control="adaptive")) == "Scheme('implicit', step_control='adaptive')"
    assert repr(Index3(step_size=0.01)) == "Index3(step_size=0.01)" and repr(Contacts()) == "Contacts()"


def test_a_run_with_objects_is_read_again_as_it_was() -> None:
    run = Run(stop_time=1.0, solver=Index3(step_size=0.1), multipliers=Successive(order=["pin"]), isolate=Isolation(which="all"))
    assert from_data(as_data(run)) == run
    assert run.told["solver"] == "index3" and run.told["solver.step_size"] == 0.1 and run.told["isolate"] == "all"


PAGES = {
    Index3: "fixed-steps",
    Scheme: "co-simulation",
    Successive: "constraint-drift",
    Contacts: "friction-contact-impact",
    Isolation: "reliability",
    Checkpoint: "reliability",
}


@pytest.mark.parametrize("cls", PAGES)
def test_the_manual_explains_each_field(cls: type) -> None:
    page = (Path(coupling.__file__).parents[1] / "docs" / f"{PAGES[cls]}.md").read_text()
    rows = page.partition(f"| field of `{cls.__name__}` |")[2].partition("\n\n")[0].splitlines()[1:]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])} == {each.name for each in fields(cls)}


# -- fields reach the run --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ({"solver": "index3"}, {"solver": Index3(step_size=0.002)}),
        ({"communication_step": 0.01}, {"communication_step": 0.01, "scheme": Scheme()}),
        ({"communication_step": 0.01, "scheme": "implicit"}, {"communication_step": 0.01, "scheme": Scheme("implicit")}),
        ({"multipliers": "successive"}, {"multipliers": Successive()}),
        ({"isolate": "all"}, {"isolate": Isolation(which="all")}),
        ({}, {"contacts": Contacts()}),
    ],
)
def test_a_word_alone_has_the_defaults(word: dict[str, Any], meant: dict[str, Any]) -> None:
    """The runs are bit-identical; ``index3`` then takes 500 steps."""
    one, other = (pendulum().simulate(1.0, output_times=[1.0], **options) for options in (word, meant))
    assert Run(stop_time=1.0, **word) == Run(stop_time=1.0, **meant)
    assert one.options == other.options and one.values.tobytes() == other.values.tobytes()


def test_fields_of_index3_reach_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    options = index3._options
    monkeypatch.setattr(index3, "_options", lambda *asked: found.append(options(*asked)) or found[-1])
    for values in (GIVEN[Index3], INSTEAD[Index3]):
        pendulum().simulate(0.1, solver=Index3(**values))
    given, instead = found
    assert (instead.penalty, instead.limit, instead.tolerance, given.penalty) == (1e7, 5, 1e-8, 0.0)
    assert (given.step, given.radius, given.tolerance, given.limit) == (0.02, 0.3, 1e-8, 7)
    assert (METHODS[given.method], given.tangent, given.stepped) == ("generalised-alpha", True, False)


def test_fields_of_the_scheme_reach_the_steps() -> None:
    def steps(**given: Any) -> tuple[int, bytes]:
        result = pendulum().simulate(0.5, communication_step=0.02, scheme=Scheme(**given))
        return result.statistics.steps, result.values.tobytes()

    plain, finer = steps(), steps(extrapolation=2)
    assert plain[1] != finer[1]
    loose, tight = (steps(step_control="adaptive", tolerance=tolerance)[0] for tolerance in (1e-2, 1e-6))
    assert plain[0] != loose and loose < tight


def test_fields_of_contacts_reach_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[dict[str, Any]] = []
    begin = switching.switching.begin
    monkeypatch.setattr(switching.switching, "begin", lambda *given, **named: found.append(named) or begin(*given, **named))
    impacts.disc(0.5, 1.0, 0.0).simulate(0.1, contacts=Contacts(**GIVEN[Contacts]))
    assert (found[0]["simultaneous"], found[0]["impulse"], found[0]["rest"]) == (True, True, 0.1)


def test_limits_of_isolation_reach_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[Any, ...]] = []
    begin = HostedLibrary.__init__
    monkeypatch.setattr(HostedLibrary, "__init__", lambda self, *given, **more: found.append(given[:3]) or begin(self, *given, **more))
    pendulum().simulate(0.1, isolate=Isolation(which="all", call_timeout=20.0, memory=1e9))
    assert found == [(1e9, 20.0, None)]


def test_fields_of_the_checkpoint_reach_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    checkpoints = checkpoint_writer(Checkpoint(path=path, interval=5, inexact=True))
    assert checkpoints and (checkpoints.path, checkpoints.interval, checkpoints.inexact) == (path, 5.0, True)
    result = pendulum().simulate(0.1, checkpoint=Checkpoint(path=path, interval=5))
    assert path.exists() and System.resume(path)["rod.theta"].tolist() == result["rod.theta"].tolist()


def test_an_order_and_its_carriers_reach_the_run() -> None:
    assert Run(stop_time=1.0, multipliers=Successive(order=["pin"])).successive == Successive(order=("pin",))
    result = pendulum().simulate(0.1, multipliers=Successive(order=["pin"], redundant="first"))
    assert result.outcome.completed and result.options["multipliers.redundant"] == "first"


# -- sentences -------------------------------------------------------------------------------------------------------------------------------

DEGREES = "inputs are extrapolated by polynomials of degree 0, 1 or 2"
BETWEEN = "it must lie between 0 and 1; 1e-4 is the default"
LIMIT = "greater than 0; leave it out to have no limit"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        *(
            (lambda degree=degree: Scheme(extrapolation=degree), f"extrapolation = {degree!r} is refused: {DEGREES}")
            for degree in (3, -1, True, 1.0, "1")
        ),
        *((lambda t=t: Scheme(tolerance=t), f"tolerance = {t:g} is refused: {BETWEEN}") for t in (0, 1, np.nan)),
        (lambda: Scheme(tolerance="a"), "tolerance = 'a' is refused: it must be a number"),  # type: ignore[arg-type]
        (lambda: Scheme(None), "scheme = None is refused: give the name of one, such as 'explicit'"),  # type: ignore[arg-type]
        (lambda: Contacts(impacts="both"), "impacts = 'both' is unknown; choose 'sequential' or 'simultaneous'"),
        (lambda: Contacts(painleve="no"), "painleve = 'no' is unknown; choose 'stop' or 'impulse'"),
        (lambda: Contacts(rest_velocity=-1.0), "rest_velocity = -1 is refused: it must be at least 0 and finite; 0.001 is the default"),
        (lambda: Isolation(which="some"), "isolate = 'some' is unknown; choose 'all', 'foreign' or 'none'"),
        (lambda: Isolation(call_timeout=0), f"call_timeout = 0 is refused: it must be a number of seconds {LIMIT}"),
        (lambda: Isolation(memory=-1), f"memory = -1 is refused: it must be a number of bytes {LIMIT}"),
        (
            lambda: Isolation(which="none", sandbox=True),
            "sandbox = True is refused: it is for runs in a process of their own; give which='all' as well",
        ),
        (lambda: Isolation(sandbox=1), "sandbox = 1 is refused: it is neither True nor False"),  # type: ignore[arg-type]
        (lambda: Isolation(on_crash="again"), "on_crash = 'again' is unknown; choose 'stop' or 'restart'"),
        (lambda: Isolation(max_restarts=5), "max_restarts = 5 is for on_crash = 'restart'; give that as well, or leave it out"),
        (
            lambda: Isolation(on_crash="restart", max_restarts=0),
            "max_restarts = 0 is refused: it must be a whole number of at least 1",
        ),
        (lambda: Checkpoint(path="a", interval=-1), "interval = -1 s is refused: it must be at least 0; 60 s is the default"),
        (lambda: Checkpoint(path="a", inexact=1), "inexact = 1 is refused: it is neither True nor False"),  # type: ignore[arg-type]
    ],
)
def test_a_field_that_makes_no_sense(make: Callable[[], object], sentence: str) -> None:
    assert refusal(make, BuildError) == sentence


CALLS: dict[str, Callable[[], object]] = {
    "step_size belongs to solver=Index3(step_size=...)": lambda: pendulum().simulate(1.0, step_size=0.1),  # type: ignore[call-arg]
    "extrapolation belongs to scheme=Scheme(extrapolation=...)": lambda: pendulum().simulate(1.0, extrapolation=2),  # type: ignore[call-arg]
    "coupling_tolerance is called tolerance and belongs to scheme=Scheme(tolerance=...)": lambda: pendulum().simulate(
        1.0, coupling_tolerance=1e-3
    ),
    "redundant belongs to multipliers=Successive(redundant=...)": lambda: pendulum().simulate(1.0, redundant="first"),  # type: ignore[call-arg]
    "impacts belongs to contacts=Contacts(impacts=...)": lambda: pendulum().simulate(1.0, impacts="simultaneous"),  # type: ignore[call-arg]
    "call_timeout belongs to isolate=Isolation(call_timeout=...)": lambda: pendulum().simulate(1.0, call_timeout=1.0),  # type: ignore[call-arg]
    "checkpoint_interval is called interval and belongs to checkpoint=Checkpoint(interval=...)": lambda: pendulum().simulate(
        1.0, checkpoint_interval=5.0
    ),
    "simulate has no option 'compiled'; it is called evaluation: 'auto', 'fmus', 'tape' or 'compiled'": lambda: pendulum().simulate(
        1.0, compiled=True
    ),
    "simulate has no option 'tol'; did you mean 'atol' or 'rtol'?": lambda: pendulum().simulate(1.0, tol=1e-3),  # type: ignore[call-arg]
    "simulate takes 'stop_time' alone without a name; name the other values, such as start_time=...": lambda: pendulum().simulate(1.0, 0.5),  # type: ignore[call-arg, misc]
    "metric belongs to solver=Index3(metric=...)": lambda: pendulum().export_fmu("a.fmu", metric="tangent"),  # type: ignore[call-arg]
    "sandbox belongs to isolate=Isolation(sandbox=...) of simulate, not to export_fmu; leave it out": lambda: pendulum().export_fmu(
        "a.fmu",
        sandbox=True,  # type: ignore[call-arg]
    ),
    "on_crash belongs to isolate=Isolation(on_crash=...)": lambda: sweep(pendulum(), {"rod.m": [1.0]}, stop_time=1.0, on_crash="restart"),
    "settings has no option 'compiled'; it is called evaluation: 'auto', 'fmus', 'tape' or 'compiled'": lambda: pendulum().to_ssp(
        "a.ssp", {"compiled": True}
    ),
    "equilibrium has no option 'start'; it is called initial": lambda: pendulum().equilibrium(start={}),
    "linearise has no option 'at'; it is called initial": lambda: pendulum().linearise(at={}),  # type: ignore[call-overload]
    "Index3 has no option 'stepsize'; did you mean 'step_size'?": lambda: Index3(stepsize=0.1),  # type: ignore[call-arg]
    "Scheme has no option 'coupling_tolerance'; it is called tolerance": lambda: Scheme(coupling_tolerance=0.1),  # type: ignore[arg-type]
    "Index3 takes nothing without a name; name the other values, such as step_size=...": lambda: Index3(0.1),  # type: ignore[misc]
    "add has no option 'm'; start values and parameters go into a mapping: {'m': 1.0}": lambda: System().add("a", "planar.Body1", m=1.0),  # type: ignore[call-arg]
    "add has no option 'procces'; did you mean 'process'?": lambda: System().add("a", "planar.Body1", procces="own"),  # type: ignore[call-arg]
    "'a' (planar.Body1) has no variable 'mass' to start from; did you mean 'm' (mass)?": lambda: System().add(
        "a", "planar.Body1", {"mass": 1.0}
    ),
}


@pytest.mark.parametrize("sentence", CALLS)
def test_a_wrong_name_gets_the_right_one(sentence: str) -> None:
    assert refusal(CALLS[sentence], BuildError) == sentence


@pytest.mark.parametrize(
    ("name", "new"), [("stages", "constraint_stages"), ("connect_rigidly", "join_rigidly"), ("show", "appearance"), ("simulte", "")]
)
def test_a_method_that_was_renamed_is_named(name: str, new: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(System(), name)
    assert str(caught.value) == f"a System has no '{name}'" + (f"; it is called {new}" if new else "")


def colliding() -> System:
    system = pendulum()
    system.connect("rod.p1", "rod.p1")
    return system


@pytest.mark.parametrize(
    "mistake",
    [
        *CALLS.values(),
        lambda: pendulum().simulate(-1.0),
        lambda: pendulum().simulate(1.0, start_values={"rod.thta": 0.0}),
        lambda: colliding().build(),
        lambda: Index3(step_size=-1),
    ],
)
def test_a_mistake_shows_at_most_two_frames_above_its_sentence(mistake: Callable[[], Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's frame is one of them; the variable ``JOURDAIN_TRACEBACK`` shows all."""
    monkeypatch.delenv("JOURDAIN_TRACEBACK", raising=False)
    with pytest.raises(BuildError) as caught:
        mistake()
    assert len(traceback.extract_tb(caught.value.__traceback__)) <= 3  # two of this file, and one of the library
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    monkeypatch.setenv("JOURDAIN_TRACEBACK", "1")
    with pytest.raises(BuildError) as caught:
        mistake()
    assert any("calls.py" in each.filename for each in traceback.extract_tb(caught.value.__traceback__))
