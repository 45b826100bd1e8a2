"""The output of writers for the stages of a graph: tapes, or C."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from coupling.fused.c_code import CSource, Section, c_source
from coupling.fused.c_loops import TooManyShapes, loops_source
from coupling.fused.compiled import NotCompiled
from coupling.fused.expressions import Graph
from coupling.fused.tape import Writer
from coupling.kernel.equations.fused import Stage

STRAIGHT = 5000
"""Number of operations up to which straight-line C is compiled in a second or two. It runs faster than loops over what repeats; loops take
as long whatever the size."""
LONGEST = 15_000
"""Number of operations without anything that repeats beyond which compilers take minutes."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """Stages as code over one workspace."""

    code: Mapping[Stage, np.ndarray]
    """Integers for the function of each stage."""
    text: str
    """C with the functions; empty where the code is tapes, which the kernel runs."""
    slot: Mapping[int, int]
    """Slots of the kept values, by node."""
    initial: np.ndarray
    """Workspace before any stage has run: constants, and NaN elsewhere, which shows values that are read too early."""


class Write(Protocol):
    def __call__(
        self,
        graph: Graph,
        leaves: Mapping[int, int],
        size: int,
        stages: Mapping[Stage, Section],
        kept: Collection[int],
        owner: Callable[[int], Hashable],
    ) -> Written:
        """Writes stages. ``leaves`` have slots, the last of which lies before ``size``; a node that is ``kept`` gets one."""


def as_tapes(
    graph: Graph,
    leaves: Mapping[int, int],
    size: int,
    stages: Mapping[Stage, Section],
    kept: Collection[int],
    owner: Callable[[int], Hashable],
) -> Written:
    writer = Writer(graph, dict(leaves), size)
    code = {stage: writer.tape(section.nodes, kept, section.copies) for stage, section in stages.items()}
    slot = {node: writer.place_of(node) for node in kept}
    return Written(code=code, text="", slot=slot, initial=writer.initial())


def as_c(
    graph: Graph,
    leaves: Mapping[int, int],
    size: int,
    stages: Mapping[Stage, Section],
    kept: Collection[int],
    owner: Callable[[int], Hashable],
    straight: int | None = None,
) -> Written:
    """Returns straight-line code up to a number of operations, that of this module if none is given."""
    named = {stage.name.lower(): section for stage, section in stages.items()}
    source = _source(graph, named, kept, leaves, size, owner, STRAIGHT if straight is None else straight)
    initial = np.full(source.size, np.nan)
    initial[list(source.constants)] = list(source.constants.values())
    code = {stage: source.data[name] for stage, name in zip(stages, named, strict=True) if name in source.data}
    return Written(code=code, text=source.text, slot=source.slot, initial=initial)


def _source(
    graph: Graph,
    stages: Mapping[str, Section],
    kept: Collection[int],
    leaves: Mapping[int, int],
    size: int,
    owner: Callable[[int], Hashable],
    straight: int,
) -> CSource:
    operations = sum(len(section.nodes) for section in stages.values())
    if operations > straight:
        try:
            return loops_source(graph, stages, kept, leaves, size, owner)
        except TooManyShapes:
            if operations > LONGEST:
                raise NotCompiled(
                    f"the system has {operations} operations, too many to be compiled one by one, and too little among them repeats"
                ) from None
    return c_source(graph, stages, kept, leaves, size)
