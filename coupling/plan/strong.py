"""Strongly connected parts of a graph."""

from __future__ import annotations

from collections.abc import Sequence


def strong_parts(after: Sequence[Sequence[int]]) -> list[list[int]]:
    """Returns the strongly connected parts (Tarjan, 1972), each before those that lead to it; ``after`` holds the followers of each node.

    Followers are visited from the last on, as by ``scipy.sparse.csgraph``, whose import takes longer than planning most mechanisms.
    """
    met = [0] * len(after)
    least = [0] * len(after)
    done = len(after) + 1
    parts: list[list[int]] = []
    open_nodes: list[int] = []
    way: list[int] = []
    left: list[list[int]] = []
    count = 0

    def enter(node: int) -> None:
        nonlocal count
        count += 1
        met[node] = least[node] = count
        open_nodes.append(node)
        way.append(node)
        left.append(list(after[node]))

    for root in range(len(after)):
        if not met[root]:
            enter(root)
        while way:
            node = way[-1]
            if left[-1]:
                follower = left[-1].pop()
                if not met[follower]:
                    enter(follower)
                else:
                    least[node] = min(least[node], least[follower])
                continue
            way.pop()
            left.pop()
            if way:
                least[way[-1]] = min(least[way[-1]], least[node])
            if least[node] == met[node]:
                part: list[int] = []
                while not part or part[-1] != node:
                    part.append(open_nodes.pop())
                    least[part[-1]] = done
                parts.append(sorted(part))
    return parts
