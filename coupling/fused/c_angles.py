"""Sines and cosines in C, of many angles in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from coupling.fused.expressions import Graph, Op

FEWEST = 3
"""Least number of angles for which a call of their own is worthwhile."""
WIDTH = 4
"""Largest number of angles that a processor may take at once. They are put together in a register. A value that four instructions have
written to memory cannot be read before all of it is in the cache."""
_CIRCULAR = {Op.SIN: "sine", Op.COS: "cosine"}

ANGLES = """
#ifndef KERNEL_ANGLES_H
#define KERNEL_ANGLES_H
typedef double Angles[4];
static void angles(int count, const double *angle, double *sine, double *cosine)
{
    for (int i = 0; i < count; i++) {
        const double a = angle[i]; /* once, so that compilers find both in one call */
        sine[i] = sin(a);
        cosine[i] = cos(a);
    }
}
#endif
"""
"""Definition of the call, unless coupling/kernel/tapes/angles.h or the same definition for another text stands before it."""
CALL = "    angles("


def angles_first(graph: Graph, nodes: Sequence[int]) -> Sequence[int]:
    """Returns the nodes of a stage; sines and cosines come first among those that are known when the stage begins."""
    first = set(turned(graph, nodes))
    return [*(node for node in nodes if node in first), *(node for node in nodes if node not in first)] if first else nodes


def turned(graph: Graph, nodes: Sequence[int]) -> dict[int, str]:
    """Returns, by node, where C finds its sine or cosine, if the angle is known before all these nodes."""
    computed = set(nodes)
    circular = [node for node in nodes if graph.op[node] in _CIRCULAR and graph.args[node][0] not in computed]
    place: dict[int, int] = {}
    for node in circular:
        place.setdefault(graph.args[node][0], len(place))
    return {node: f"{_CIRCULAR[graph.op[node]]}[{place[graph.args[node][0]]}]" for node in circular} if len(place) >= FEWEST else {}


def calls(graph: Graph, found: Mapping[int, str], text: Callable[[int], str]) -> Iterator[str]:
    """Yields the statements that compute the sines and cosines; ``text`` gives the text of an angle."""
    angles = list(dict.fromkeys(graph.args[node][0] for node in found))
    groups = [angles[i : i + WIDTH] for i in range(0, len(angles), WIDTH)]
    if groups:
        joined = ", ".join(f"{{{', '.join(map(text, group))}}}" for group in groups)
        yield f"    const Angles angle[{len(groups)}] = {{{joined}}};"
        yield f"    double sine[{WIDTH * len(groups)}], cosine[{WIDTH * len(groups)}];"
        yield f"{CALL}{len(angles)}, (const double *)angle, sine, cosine);"
