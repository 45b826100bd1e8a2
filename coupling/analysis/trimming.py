"""Equilibria whose parameters are free: the search for values at which held states rest at their start values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from coupling.analysis.equilibrium import Search, equilibrium, rests, unfitted
from coupling.analysis.pose import Pose
from coupling.analysis.sensitivities import ImplicitDerivatives, implicit_derivatives
from coupling.errors import AnalysisError, BuildError, listed
from coupling.fmus import Fmu
from coupling.live.session import Session
from coupling.names import resolve

_MOST, _REACHED, _LEAP = 40, 1e-10, 0.5
"""Most steps, largest error of the held values, and largest relative change of a parameter in a step."""
_MOST_MODES = 10
"""Most searches that begin in the modes of the pose found before."""
_SWITCHING = "the system switches at this pose each time, and does not rest there: check it by a run with initial=pose, or start the search elsewhere"

Standing = Callable[[Mapping[str, float]], AbstractContextManager[Session]]
"""Function that gives a session at its start, with these values of parameters and states over the given ones."""


def equilibrium_of(
    standing: Standing,
    instances: Mapping[str, Fmu],
    driven: Collection[str],
    hold: Sequence[str],
    free: Sequence[str],
    alternatives: bool,
) -> Pose:
    """Returns an equilibrium with free inputs or parameters. An input that is driven and free raises BuildError."""
    both = [name for name in free if name in driven]
    if both:
        raise BuildError(f"equilibrium: free: '{both[0]}' is driven, and its drive gives its value; leave it open to have it found")
    parameters = [name for name in free if _is_parameter(name, instances)]
    if parameters:
        return trimmed(standing, parameters, tuple(hold), [name for name in free if name not in parameters])
    with standing({}) as session:
        pose = equilibrium(session, hold, free, alternatives)
        switches = any(part.structure.indicators for part in session.built.parts)
    for _ in range(_MOST_MODES if switches else 0):
        with standing({**pose.states, **pose.inputs}) as session:  # with the modes of the pose, not of the first start
            if rests(session, hold, free):
                return pose
            pose = replace(equilibrium(session, hold, free, alternatives), remarks=pose.remarks)
    return replace(pose, remarks=(*pose.remarks, _SWITCHING)) if switches else pose


def _is_parameter(name: str, instances: Mapping[str, Fmu]) -> bool:
    instance, variable = resolve(name, instances)
    fmu = instances.get(instance)
    return fmu is not None and variable in fmu.variables and fmu.variables[variable].causality == "parameter"


def trimmed(standing: Standing, parameters: Sequence[str], hold: Sequence[str], free: Sequence[str]) -> Pose:
    """Finds parameters that bring as many states of ``hold``, the first ones, to rest at their start values.

    The method is Newton's, with exact derivatives of equilibria.
    """
    if len(parameters) > len(hold):
        raise BuildError(
            f"equilibrium: free: {listed(parameters)} can be found where as many states are held, and there are {len(hold)} of these; name "
            "them in hold=, with their values in initial="
        )
    wanted, others = hold[: len(parameters)], hold[len(parameters) :]
    with standing({}) as session:
        search, off_joints = Search(session, wanted, ()), unfitted(session)
        targets, sizes = search.standing.physical(search.held), search.standing.sizes_of(search.held)
    values: dict[str, float] = {}
    near: Mapping[str, float] = {}
    before = np.inf
    for _ in range(_MOST):
        with standing({**near, **values}) as session:
            found = implicit_derivatives(session, parameters, wanted, others, free)
        off = np.array([found.reached[name] for name in wanted]) - targets
        error = float(np.abs(off / sizes).max())
        if error <= _REACHED:
            inputs, units = {**found.pose.inputs, **found.values}, {**found.pose.units, **found.units}
            return replace(found.pose, inputs=inputs, units=units, remarks=off_joints)
        if not error < 1e3 * before:
            break
        before, near = min(error, before), found.pose.states
        values = _next(found, parameters, wanted, off)
    raise AnalysisError(
        f"no equilibrium within reach: {listed(wanted)} cannot be brought to {'its value' if len(wanted) == 1 else 'their values'} by "
        f"{listed(parameters)}, {error:.3g} is left; begin at other values of these, or free an input instead"
    )


def _next(found: ImplicitDerivatives, parameters: Sequence[str], wanted: Sequence[str], off: np.ndarray) -> dict[str, float]:
    unknown = [name for name in parameters if name not in found.exact]
    if unknown:
        raise BuildError(f"equilibrium: free: the FMU of '{unknown[0]}' gives no derivatives by its parameters; free an input instead")
    slopes = np.array([[found.derivatives[name, by] for by in parameters] for name in wanted])
    now = np.array([found.values[name] for name in parameters])
    step = -np.linalg.lstsq(slopes, off, rcond=1e-12)[0]
    share = np.max(np.abs(step) / (_LEAP * np.where(now == 0, 1.0, np.abs(now))), initial=1.0)
    least, most = np.array([found.ranges[name] for name in parameters]).T
    return dict(zip(parameters, map(float, np.clip(now + step / share, least, most)), strict=True))
