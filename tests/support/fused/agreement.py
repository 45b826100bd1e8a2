"""Fused derivatives, stage by stage in NumPy over a workspace full of NaN, against those that the instances give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coupling.errors import StartError
from coupling.fused.expressions import CALCULATED
from coupling.fused.layout import Layout, layout
from coupling.fused.lowering import Lowered, lower
from coupling.fused.roots import Region, Roots, derivatives
from coupling.kernel.status import Status
from coupling.live.program import compile_program
from coupling.live.session import Session
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import Built
from coupling.plan.graph import Address, type_code

ALLOWED = 1e-12
_SESSIONS = 2


class Fused:
    """The stages of a system, run by NumPy."""

    def __init__(self, built: Built) -> None:
        self.lowered: Lowered = lower(built)
        self.roots: Roots = derivatives(self.lowered)
        self.layout: Layout = layout(self.lowered, self.roots)
        self.w = np.full(self.layout.size, np.nan)

    def put(self, region: Region, values: np.ndarray) -> None:
        first = self.layout.first[region]
        assert len(values) == self.layout.counts[region]
        self.w[first : first + len(values)] = values

    def read(self, region: Region) -> np.ndarray:
        first = self.layout.first[region]
        return self.w[first : first + self.layout.counts[region]]

    def run(self) -> np.ndarray:
        """All stages, from constants and leaves alone."""
        graph, slot, w = self.roots.graph, self.layout.slot, self.w
        for place, value in self.layout.constants.items():
            w[place] = value
        with np.errstate(all="ignore"):
            for stage in self.roots.stages:
                for node in stage.nodes:
                    w[slot[node]] = CALCULATED[graph.op[node]](*(w[slot[a]] for a in graph.args[node]))
                for source, target in self.layout.copies(stage):
                    w[target] = w[source]
        return self.read(Region.DERIVATIVES)


def values_of(session: Session, names: list[tuple[int, str]]) -> np.ndarray:
    """What instances have for variables."""
    built = session.built
    addresses = []
    for part, name in names:
        variable = built.parts[part].fmu.variables[name]
        addresses.append(Address(part, type_code(variable, built.parts[part].fmu.version), variable.reference))
    return session.readings(tuple(addresses)).read()[1].copy() if addresses else np.zeros(0)


def drives_of(session: Session) -> np.ndarray:
    """The values of drives at the last evaluation, by their numbers."""
    graph, schedule = session.schedule.graph, session.schedule
    slots = {number: schedule.drive_slot[address] for address, number in graph.drives.items()}
    return np.array([session.kernel.slots[slots[i]] for i in range(len(session.built.drives))])


def random_start(built: Built, lowered: Lowered, random: np.random.Generator) -> dict[tuple[int, str], float]:
    """Other numbers for parameters, near those that they have and within their ranges."""
    found: dict[tuple[int, str], float] = {}
    for part, name in lowered.parameters:
        variable = lowered.variables[part, name]
        if variable.type != "real":
            continue
        value = float(built.start[part].get(name, variable.start or 0.0))  # type: ignore[arg-type]  # of a real variable
        moved = value * random.uniform(0.9, 1.1) if value else random.uniform(-0.01, 0.01)
        if moved in variable.range:
            found[part, name] = moved
    return found


def begun(built: Built, values: Mapping[tuple[int, str], float]) -> Session:
    return start(compile_program(built, []), Run(stop_time=1.0, stabilisation="baumgarte"), values, assembling=True)


def disagreement(built: Built, points: int = 20, seed: int = 1) -> float:
    """The greatest difference at random states and parameters, relative to the greatest derivative of the same instance."""
    fused, random, worst = Fused(built), np.random.default_rng(seed), 0.0
    for number in range(_SESSIONS):
        try:
            session = begun(built, random_start(built, fused.lowered, random) if number else {})
        except StartError:
            continue  # parameters that do not fit each other
        with session:
            for _ in range(points // _SESSIONS):
                worst = max(worst, _difference(session, fused, random))
    return worst


def _difference(session: Session, fused: Fused, random: np.random.Generator) -> float:
    built, kernel = session.built, session.kernel
    x, t = np.empty(built.states), float(random.uniform(0.0, 1.0))
    for part, instance in zip(built.parts, session.instances, strict=True):
        count = len(part.states)
        if count:
            x[part.first_state : part.first_state + count] = instance.states(count)[1]
    x += random.uniform(-0.3, 0.3, len(x)) * np.maximum(1.0, np.abs(x))
    expected = np.full(len(x), np.nan)
    for _ in range(2):  # the first leaves rounding of multipliers that belong to another point
        assert kernel.derivatives(t, x, expected) is Status.DONE, kernel.failure
    fused.w[:] = np.nan
    fused.put(Region.STATES, x)
    fused.put(Region.TIME, np.array([t]))
    fused.put(Region.DRIVES, drives_of(session))
    fused.put(Region.PARAMETERS, values_of(session, fused.lowered.parameters))
    fused.put(Region.DISCRETE, values_of(session, fused.lowered.discrete))
    found = fused.run()
    assert np.isfinite(found).all()
    worst = 0.0
    for part in built.parts:
        span = slice(part.first_state, part.first_state + len(part.states))
        if part.states:
            off, size = np.abs(found[span] - expected[span]).max(), np.abs(expected[span]).max()
            worst = max(worst, off / size if size else off)
    return worst
