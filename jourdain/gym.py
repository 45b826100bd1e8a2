"""Systems as environments of gymnasium, for agents: ``jourdain.gym.environment``. It needs ``pip install jourdain[gym]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from coupling.environment import Environment
    from coupling.system import System

__all__ = ["environment"]


def environment(
    system: System,
    *,
    actions: Mapping[str, tuple[float, float]],
    observations: Sequence[str] | Mapping[str, tuple[float, float]],
    step: float,
    reward: Callable[[np.ndarray, np.ndarray], float],
    done: Callable[[np.ndarray], bool] | None = None,
    reset: Callable[[np.random.Generator], Mapping[str, float]] | None = None,
    **options: Any,
) -> Environment:
    """Returns a ``gymnasium.Env`` that steps a run of the ``system``, which is built by that.

    ``actions`` are the bounds of inputs and parameters by full names, in their units. ``observations`` are names of recorded values, or bounds
    by these names in their units. Each ``step`` in s holds an action. The functions ``reward``, ``done`` and ``reset`` have arrays and values
    in these units. ``reward`` is a function of the observation after a step and of the action, in the order of the names. ``done``, a function
    of the observation, says whether the episode has ended. ``reset``, a function of a random generator, returns start values by full names;
    the seed of ``env.reset`` decides on them. ``options`` are those of ``System.start``.

    An episode whose run fails is truncated, and ``info["outcome"]`` says why. ``env.vectorised(n)`` returns ``n`` environments in processes.
    Wrong names and bounds raise BuildError or ValueError; without gymnasium it raises ImportError.
    """
    try:
        from coupling.environment import Environment
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        raise ImportError("jourdain.gym needs gymnasium: pip install gymnasium") from None
    given = {"actions": actions, "observations": observations, "step": step, "reward": reward, "done": done, "reset": reset}
    return Environment(system, **given, **options)  # type: ignore[arg-type]  # the constructor checks each
