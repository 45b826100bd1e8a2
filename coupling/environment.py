"""A system as an environment of gymnasium, for agents."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.async_vector_env import AsyncState

from coupling.checks import checked_names, is_number
from coupling.errors import BuildError, RunEnded, shown
from coupling.options import number
from coupling.result import Result
from coupling.steering.run import SteeredRun
from coupling.system import System

Bounds = tuple[float, float]
Reward = Callable[[np.ndarray, np.ndarray], float]
Done = Callable[[np.ndarray], bool]
Reset = Callable[[np.random.Generator], Mapping[str, float]]


class Environment(gymnasium.Env[np.ndarray, np.ndarray]):
    """Environment of gymnasium that steps a run of a system. Actions and observations are arrays, in the order of their names."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        system: System,
        *,
        actions: Mapping[str, Bounds],
        observations: Sequence[str] | Mapping[str, Bounds],
        step: float,
        reward: Reward,
        done: Done | None = None,
        reset: Reset | None = None,
        **options: Any,
    ) -> None:
        """Takes what ``jourdain.gym.environment`` explains."""
        given: dict[str, Any] = {
            "actions": actions,
            "observations": observations,
            "step": step,
            "reward": reward,
            "done": done,
            "reset": reset,
        }
        self._again = partial(Environment, system, **given, **options)
        self.system = system
        self.step_size = number("step", step)
        if not 0 < self.step_size < np.inf:
            raise BuildError(f"step = {self.step_size:g} s is refused: it must be greater than 0 and finite")
        for name, function in (("reward", reward), ("done", done), ("reset", reset)):
            if not (callable(function) or (function is None and name != "reward")):
                raise BuildError(f"{name} = {shown(function)} is refused: give a function")
        if not isinstance(actions, Mapping) or not actions:
            raise BuildError(
                f"actions = {shown(actions)} is refused: give bounds by the names of inputs, such as {{'motor.torque': (-5.0, 5.0)}}"
            )
        self._reward, self._done, self._reset = reward, done, reset
        self._actions = checked_names("actions", list(actions))
        self._observations = checked_names("observations", list(observations) if isinstance(observations, Mapping) else observations)
        if not self._observations:
            raise BuildError(f"observations = {shown(observations)} is refused: name at least one recorded value")
        self._options = {**options, "outputs": [*self._observations, *options.get("outputs", [])]}
        self._low, self._high = _bounds("actions", actions, finite=True)
        self.action_space = gymnasium.spaces.Box(self._low.astype(np.float32), self._high.astype(np.float32), dtype=np.float32)
        every = observations if isinstance(observations, Mapping) else dict.fromkeys(self._observations, (-np.inf, np.inf))
        self.observation_space = gymnasium.spaces.Box(*_bounds("observations", every, finite=False), dtype=np.float64)
        self._run: SteeredRun | None = None
        self._episode({}).close()  # refuses wrong names and options now

    def _episode(self, start_values: Mapping[str, float]) -> SteeredRun:
        """Returns a run that waits at its start."""
        run = self.system.start(start_values=start_values, **self._options)
        try:
            run.signals(inputs=self._actions, outputs=self._observations)
        except BaseException:
            run.close()
            raise
        return run

    @property
    def run(self) -> SteeredRun:
        """The run of the present episode."""
        if self._run is None:
            raise BuildError("the environment has no run before its first reset(); call it")
        return self._run

    @property
    def result(self) -> Result:
        """The rows of the present episode, as of ``simulate``."""
        return self.run.result

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode and returns its first observation, and an empty mapping. The same ``seed`` gives the same episode. ``options`` may
        have ``start_values`` by full names, in place of some that the function ``reset`` returns."""
        chosen = {} if options is None else options
        given = chosen.get("start_values", {}) if isinstance(chosen, Mapping) else None
        if not isinstance(given, Mapping):
            raise BuildError(f"options = {shown(options)} is refused: give {{'start_values': {{...}}}} with values by full names")
        super().reset(seed=seed)
        drawn = self._reset(self.np_random) if self._reset else {}
        if not isinstance(drawn, Mapping) or not all(is_number(each) for each in drawn.values()):
            raise BuildError(f"reset returned {shown(drawn)}; it must return start values by full names, such as {{'rod.theta': 0.1}}")
        self.close()
        self._run = self._episode({**drawn, **given})
        return self._run[self._observations], {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Sets the inputs to an ``action``, within its bounds, and advances by one step. Returns observation, reward, whether ``done`` ends the
        episode, whether the run has ended by itself, and a mapping with its sentence then."""
        run = self.run
        try:
            asked = np.asarray(action, dtype=float).reshape(-1)
        except (TypeError, ValueError):
            asked = np.zeros(0)
        if asked.shape != self.action_space.shape or not np.isfinite(asked).all():
            raise BuildError(
                f"action = {shown(action)} is refused: give {len(self._actions)} finite numbers, for {', '.join(self._actions)}"
            )
        taken = np.clip(asked, self._low, self._high)
        found = run.advance(self.step_size, taken)
        reward, ended = _reward_of(self._reward(found, taken)), run.outcome is not None
        told = {"outcome": run.outcome.sentence} if run.outcome else {}
        return found, reward, bool(self._done and self._done(found)), ended, told

    def close(self) -> None:
        """Ends the run of the present episode. Its result stays until the next one."""
        if self._run is not None:
            self._run.close()

    def vectorised(self, count: int) -> gymnasium.vector.AsyncVectorEnv:
        """Returns ``count`` such environments, each in a process of its own, as one vector environment."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise BuildError(f"count = {shown(count)} is refused: give the number of environments, such as 8")
        return _Environments([self._again] * count, context="spawn")  # forks would share living FMUs


class _Environments(gymnasium.vector.AsyncVectorEnv):
    """Environments in processes of their own. The end of one process ends all with a sentence, where the others would be waited for."""

    def reset_async(self, *given: Any, **named: Any) -> None:
        """Asks all environments to begin an episode."""
        with self._alive():
            super().reset_async(*given, **named)

    def reset_wait(self, timeout: float | None = None) -> Any:
        """Returns the first observations."""
        with self._alive():
            return super().reset_wait(timeout)

    def step_async(self, actions: np.ndarray) -> None:
        """Asks all environments to make a step."""
        with self._alive():
            super().step_async(actions)

    def step_wait(self, timeout: float | None = None) -> Any:
        """Returns the results of the steps."""
        with self._alive():
            return super().step_wait(timeout)

    @contextmanager
    def _alive(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, ConnectionError):
            for process in self.processes:  # one whose pipe is closed is about to end
                process.join(0.2)
            ended = [f"{k} ({_end_of(each.exitcode)})" for k, each in enumerate(self.processes) if each.exitcode is not None]
            self._state = AsyncState.DEFAULT
            self.close(terminate=True)
            raise RunEnded(
                f"the process of environment {' and '.join(ended) or 'of unknown number'} has ended, and the others were ended; make new ones by vectorised"
            ) from None


def _end_of(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _bounds(what: str, bounds: Mapping[str, Bounds], finite: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lower and the upper bounds; refuses those that do not leave room between them."""
    for name, pair in bounds.items():
        fits = isinstance(pair, Sequence | np.ndarray) and len(pair) == 2 and all(is_number(each) for each in pair)
        if not fits or not pair[0] < pair[1] or (finite and not np.isfinite(pair).all()):
            raise BuildError(f"{what}: '{name}' has the bounds {shown(pair)}; give a lower and a greater upper one, such as (-5.0, 5.0)")
    low, high = np.array(list(bounds.values()), dtype=float).T
    return low, high


def _reward_of(given: Any) -> float:
    """Returns what the function ``reward`` has returned as a number."""
    try:
        return float(given)
    except (TypeError, ValueError):
        raise BuildError(f"reward returned {shown(given)}; it must return a number") from None
