"""Connections with a factor or an offset in exports: components of the library take their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, count

from coupling.fmus import Fmu
from coupling.plan.connections import find_end, values_between, wires_of
from coupling.plan.definition import Definition, InstanceDefinition, Name, define_instance
from coupling.plan.rates import drives_of
from coupling.plan.transformations import Affine, on_the_way, transformed_wires


def without_transformations(definition: Definition) -> Definition:
    """Returns the same system, in which a ``signal.Gain`` or, with an offset, a ``signal.Sum`` transforms the value of a connection."""
    changing = {each.connection for each in definition.transformations if each.changes}
    if not changing:
        return definition
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    wires_of(fmus, definition.connections, drives_of(definition, fmus), complete=False, transformations=definition.transformations)
    wanted = transformed_wires(fmus, definition.transformations, definition.connections)
    added: dict[str, InstanceDefinition] = {}

    def rewired(pair: tuple[str, str]) -> Iterator[tuple[str, str]]:
        if pair not in changing:
            yield pair
            return
        a, b = (find_end(text, fmus) for text in pair)
        for source, target, _ in values_between(a, b):
            instance, gives = _component(target, on_the_way(fmus, source, target, wanted), {**fmus, **added})
            added[instance.name] = instance
            yield ".".join(source), f"{instance.name}.{gives}"
            yield f"{instance.name}.y", ".".join(target)

    connections = tuple(chain.from_iterable(map(rewired, definition.connections)))
    return replace(definition, instances=(*definition.instances, *added.values()), connections=connections, transformations=())


def _component(target: Name, affine: Affine, known: Mapping[str, Fmu | InstanceDefinition]) -> tuple[InstanceDefinition, str]:
    """Returns the component that gives factor * value + offset, and its input; it stands beside the instance that it feeds."""
    what, kind, start, given = "gain", "signal.Gain", {"k": affine.factor}, "u"
    if affine.offset:
        what, kind, start, given = "sum", "signal.Sum", {"k[1]": affine.factor, "u2": affine.offset}, "u1"
    variable = re.sub(r"\W+", "_", target[1]).strip("_")
    plain = f"{target[0]}_{variable}_{what}"
    name = next(each for each in chain([plain], (f"{plain}{n}" for n in count(2))) if each not in known)
    return define_instance(name, kind, start, dotted=True), given
