"""Systems as environments of gymnasium: its own checker, equal episodes, an oracle by SciPy, and sentences."""

from __future__ import annotations

import os
import re
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from scipy.integrate import solve_ivp

from coupling import BuildError, RunEnded, System
from coupling import environment as environments
from coupling.environment import Environment
from jourdain.gym import environment
from tests.support.systems.systems import refusal

STEP = 0.02


def cart() -> System:
    """Returns a mass that a force moves, on a spring."""
    system = System("cart")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 8.0})
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.add("push", "mechanical1d.Force")
    for a, b in (("wall.flange", "spring.M"), ("mass.flange", "spring.N"), ("push.flange", "mass.flange")):
        system.connect(a, b)
    return system


def reward(observation: np.ndarray, action: np.ndarray) -> float:
    return float(-(observation[0] ** 2) - 0.1 * action[0])


def far(observation: np.ndarray) -> bool:
    return bool(observation[0] > 0.5)


def drawn(random: np.random.Generator) -> dict[str, float]:
    return {"mass.s": random.uniform(-0.1, 0.1)}


GIVEN: dict[str, Any] = {
    "actions": {"push.force": (-5.0, 5.0)},
    "observations": {"mass.s": (-10.0, 10.0), "mass.v": (-10.0, 10.0)},
    "step": STEP,
    "reward": reward,
    "done": far,
    "reset": drawn,
}


def episode(task: Any, seed: int, actions: np.ndarray) -> list[Any]:
    seen = [task.reset(seed=seed)[0]]
    for action in actions:
        observation, gain, terminated, truncated, info = task.step(action)
        seen.append((*observation, gain, terminated, truncated, str(info)))
    return seen


def test_the_checker_of_gymnasium_passes() -> None:
    """It warns of bounds that are not 1, and of what follows from the absence of a registered name."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        check_env(environment(cart(), **GIVEN))
    told = [re.sub(r"\x1b\[\d+m", "", str(each.message)) for each in warned if issubclass(each.category, UserWarning)]
    assert all("symmetric and normalized" in each or "not having a spec" in each for each in told), told


@pytest.mark.parametrize("options", [{}, {"solver": "cvode", "rtol": 1e-10}, {"evaluation": "compiled"}])
def test_an_episode_is_the_motion_of_the_equations(options: dict[str, Any]) -> None:
    """SciPy integrates the mass with the same forces; rewards follow from its states."""
    actions = np.random.default_rng(1).uniform(-5, 5, (60, 1)).astype(np.float32)
    actions[10] = 9.0  # beyond the bound
    task = environment(cart(), **{**GIVEN, "done": None}, **options)
    seen = episode(task, 5, actions)
    state = np.array([np.random.Generator(np.random.PCG64(np.random.SeedSequence(5))).uniform(-0.1, 0.1), 0.0])
    assert seen[0] == pytest.approx(state, abs=1e-12)
    for action, found in zip(actions[:, 0], seen[1:], strict=True):
        force = min(float(action), 5.0)
        state = solve_ivp(lambda t, y, f=force: [y[1], (f - 8.0 * y[0]) / 2.0], (0, STEP), state, rtol=1e-11, atol=1e-12).y[:, -1]
        assert found[:2] == pytest.approx(state, abs=1e-6)
        assert found[2] == pytest.approx(-(state[0] ** 2) - 0.1 * force, abs=1e-6) and found[3:] == (False, False, "{}")
    assert task.result["mass.s"][-1] == seen[-1][0] and task.run.time == pytest.approx(60 * STEP)
    task.close()


def test_equal_seeds_give_equal_episodes() -> None:
    """Also in another environment, and after other episodes."""
    actions = np.random.default_rng(2).uniform(-5, 5, (30, 1))
    task, other = (environment(cart(), **GIVEN) for _ in range(2))
    first = episode(task, 3, actions)
    differing = episode(task, 4, actions)
    assert str(first) == str(episode(other, 3, actions)) == str(episode(task, 3, actions)) != str(differing)
    assert task.reset(options={"start_values": {"mass.s": 0.25}})[0].tolist() == [0.25, 0.0]


def test_an_episode_ends_where_done_says_so() -> None:
    task = environment(cart(), **GIVEN)
    found = episode(task, 0, np.full((40, 1), 5.0))
    assert [each[3] for each in found[1:]] == [each[0] > 0.5 for each in found[1:]] and found[-1][3]


def test_a_run_that_fails_is_truncated() -> None:
    """Its sentence is there, and the next step has no run."""
    task = environment(cart(), **GIVEN, value_limit=1.0)
    task.reset(options={"start_values": {"mass.s": -0.9}})
    found: tuple[Any, ...] = ()
    for _ in range(100):
        found = task.step(np.array([5.0]))
        if found[3]:
            break
    assert found[3] and "more than value_limit = 1" in found[4]["outcome"]
    assert "the run has ended" in refusal(lambda: task.step([0.0]), RunEnded)
    assert not task.reset(seed=1)[1] and not task.step([0.0])[3]


@pytest.mark.slow  # each process imports everything anew
def test_environments_in_processes() -> None:
    """Their episodes are those of single environments with the same seeds."""
    actions = np.random.default_rng(4).uniform(-1, 1, (5, 2, 1))
    task = environment(cart(), **GIVEN)
    many = task.vectorised(2)
    try:
        first = many.reset(seed=[7, 8])[0]
        seen = [first, *(many.step(each)[0] for each in actions)]
    finally:
        many.close()
    for number, seed in enumerate((7, 8)):
        alone = [task.reset(seed=seed)[0], *(task.step(each[number])[0] for each in actions)]
        assert np.array_equal(np.array([each[number] for each in seen]), np.array(alone))


def deadly(observation: np.ndarray, action: np.ndarray) -> float:
    """Ends its process by a signal, if the action is above 4."""
    if action[0] > 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


@pytest.mark.slow  # each process imports everything anew
def test_a_process_that_dies_ends_all_with_a_sentence() -> None:
    """The next call would wait for it for ever, and so would close."""
    many = environment(cart(), **GIVEN | {"reward": deadly}).vectorised(2)
    many.reset(seed=[7, 8])
    many.step(np.zeros((2, 1)))
    sentence = refusal(lambda: many.step(np.array([[0.0], [5.0]])), RunEnded)
    assert sentence == ("the process of environment 1 (signal SIGKILL) has ended, and the others were ended; make new ones by vectorised")
    assert all(not each.is_alive() for each in many.processes)
    many.close()


@pytest.mark.parametrize("options", [1, [], {"start_values": 1}, {"start_values": "values.ssv"}, {"start_values": None}])
def test_options_of_a_reset_that_are_no_values(options: Any) -> None:
    """The present episode goes on."""
    task = environment(cart(), **GIVEN)
    task.reset(seed=1)
    assert "is refused: give {'start_values': {...}} with values by full names" in refusal(lambda: task.reset(options=options))
    assert not task.step([0.0])[3]


def test_processes_get_the_same_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions that make them are called here."""
    made: list[Any] = []
    monkeypatch.setattr(environments, "_Environments", lambda makers, context: made.extend(each() for each in makers) or context)
    task = environment(cart(), **GIVEN, rtol=1e-6)
    assert task.vectorised(2) == "spawn" and len(made) == 2 and all(isinstance(each, Environment) for each in made)
    assert str(episode(made[0], 1, np.ones((3, 1)))) == str(episode(task, 1, np.ones((3, 1))))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"step": 0.0}, "step = 0 s is refused: it must be greater than 0 and finite"),
        ({"actions": {}}, "actions = {} is refused: give bounds by the names of inputs, such as {'motor.torque': (-5.0, 5.0)}"),
        (
            {"actions": {"push.force": (5.0, -5.0)}},
            "actions: 'push.force' has the bounds (5.0, -5.0); give a lower and a greater upper one, such as (-5.0, 5.0)",
        ),
        (
            {"actions": {"push.force": (-np.inf, 5.0)}},
            "actions: 'push.force' has the bounds (-inf, 5.0); give a lower and a greater upper one, such as (-5.0, 5.0)",
        ),
        ({"observations": []}, "observations = [] is refused: name at least one recorded value"),
        ({"reward": None}, "reward = None is refused: give a function"),
        ({"done": 3}, "done = 3 is refused: give a function"),
        ({"rtol": -1.0}, "rtol = -1 is refused: it must lie between 0 and 1; 1e-8 is the default"),
    ],
)
def test_arguments_that_are_refused(changed: dict[str, Any], sentence: str) -> None:
    assert refusal(lambda: environment(cart(), **{**GIVEN, **changed}), BuildError) == sentence


@pytest.mark.parametrize(
    ("argument", "given", "sentence"),
    [
        ("actions", {"push.none": (-1.0, 1.0)}, "'push' (mechanical1d.Force) has no port or variable 'none'"),
        ("actions", {"mass.s": (-1.0, 1.0)}, "'mass.s' is a state or a prescribed motion"),
        ("observations", ["mass.none"], "'mass' (mechanical1d.Mass) has no port or variable 'none'"),
        ("observations", 3, "observations = 3 is refused: give a list of names"),
    ],
)
def test_wrong_names(argument: str, given: Any, sentence: str) -> None:
    assert sentence in refusal(lambda: environment(cart(), **{**GIVEN, argument: given}), ValueError)


def test_calls_that_are_refused() -> None:
    task = environment(cart(), **GIVEN)
    assert refusal(lambda: task.step([1.0])) == "the environment has no run before its first reset(); call it"
    task.reset(seed=0)
    wrong: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: task.step("x"), "action = 'x' is refused: give 1 finite numbers, for push.force"),
        (lambda: task.step([np.nan]), "action = [nan] is refused: give 1 finite numbers, for push.force"),
        (lambda: task.step([1.0, 2.0]), "action = [1.0, 2.0] is refused: give 1 finite numbers, for push.force"),
        (lambda: task.vectorised(0), "count = 0 is refused: give the number of environments, such as 8"),
    )
    for call, sentence in wrong:
        assert refusal(call, BuildError) == sentence
    strange = environment(cart(), **{**GIVEN, "reset": lambda random: [1.0]})
    assert refusal(strange.reset, BuildError) == (
        "reset returned [1.0]; it must return start values by full names, such as {'rod.theta': 0.1}"
    )
    silent = environment(cart(), **{**GIVEN, "reward": lambda observation, action: None})
    silent.reset(seed=0)
    assert refusal(lambda: silent.step([1.0]), BuildError) == "reward returned None; it must return a number"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "coupling.environment")
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    assert refusal(lambda: environment(cart(), **GIVEN), ImportError) == "jourdain.gym needs gymnasium: pip install gymnasium"
