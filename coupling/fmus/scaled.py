"""Variables of an FMU as factor * value + offset, under additional value references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from coupling.fmus.description import Fmu
from coupling.fmus.errors import Source
from coupling.fmus.views import Free, View

Scaled = tuple[str, float, float]
"""The name of a real variable, a factor and an offset."""


def with_scaled(fmu: Fmu, wanted: Iterable[Scaled]) -> tuple[Fmu, dict[Scaled, int]]:
    """Returns the same FMU with these scaled variables added, and their references."""
    used = [*fmu.by_reference, *(reference for view in fmu.views for reference in range(view.first, view.first + view.size))]
    free = Free(used, Source(fmu.path))
    arrays = {view.first + i: view for view in fmu.views if view.array for i in range(view.size)}
    views, referred, scaled, found = list(fmu.views), dict(fmu.by_reference), dict(fmu.scaled), {}
    for each in dict.fromkeys(wanted):
        variable, factor, offset = fmu.variables[each[0]], *each[1:]
        own = variable.reference
        whole = arrays.get(own) or View(own, 1, own, False)
        views.append(whole._replace(first=free.take(whole.size), factor=factor, offset=offset))
        found[each] = views[-1].first + own - whole.first
        scaled[found[each]] = own
        referred[found[each]] = replace(variable, reference=found[each], nominal=abs(factor) * variable.nominal)
    return replace(fmu, views=tuple(views), by_reference=MappingProxyType(referred), scaled=MappingProxyType(scaled))._unpacked_as(
        fmu
    ), found
