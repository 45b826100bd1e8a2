"""The layout of diagrams, by geometry, on graphs that no FMU is needed for."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from coupling.pictures.diagram.graph import Graph
from coupling.pictures.diagram.layout import layout_of
from coupling.pictures.diagram.paint import picture_of
from coupling.pictures.diagram.svg import svg
from tests.support.diagrams import graph_between, offences


def tangle(seed: int) -> Graph:
    """Some boxes, in groups within groups, between which so many wires run that no order is without crossings."""
    chance = random.Random(seed)
    places = chance.choice([[""], ["", "left.", "right."], ["", "left.", "left.inner.", "right."]])
    names = [f"{chance.choice(places)}box {i}" for i in range(chance.randint(2, 26))]
    taken = dict.fromkeys(names, 0)
    pairs = []
    for _ in range(chance.randint(1, 2 * len(names))):
        a, b = chance.choice(names), chance.choice(names)
        taken[b] += 1
        pairs.append((f"{a}:m{chance.randint(0, 2)}", f"{b}:in {taken[b]}"))
    return graph_between(pairs, tuple(names), names[0])


def tree(count: int) -> Graph:
    """Rods on pins, each with a spring to the one before."""
    pairs = []
    for i in range(1, count + 1):
        before = "ground:p1" if i == 1 else f"rod {i // 2}:p{2 + i % 2}"
        pairs += [(before, f"pin {i}:M"), (f"rod {i}:p1", f"pin {i}:N"), (f"rod {i}:p2", f"spring {i}:M"), (before, f"spring {i}:N")]
    return graph_between(pairs, source="ground")


@pytest.mark.parametrize("seed", range(6))
def test_nothing_lies_over_anything(seed: int) -> None:
    """Wires go around boxes and words, no words or boxes lie over others, and no wire runs along another one."""
    assert list(offences(svg(picture_of(tangle(seed))))) == []


def test_what_lies_over_something_is_seen() -> None:
    """The judge of the tests here: a box that is moved is in the way."""
    text = svg(picture_of(tree(4)))
    x = text.index('class="box" x="') + len('class="box" x="')
    assert any("goes through the box" in each for each in offences(f"{text[:x]}1{text[x:]}"))


def test_a_straight_chain_has_no_corner() -> None:
    """Boxes that follow each other stand in one row, in the order of their distance from the ground."""
    graph = graph_between([("ground:p1", "a:M"), ("b:p1", "a:N"), ("b:p2", "c:M"), ("d:p1", "c:N")], source="ground")
    layout = layout_of(graph)
    assert all(len(line) == 2 and line[0][1] == line[1][1] for lines in layout.wires.values() for line in lines)
    assert [placed.node.name for placed in sorted(layout.nodes, key=lambda placed: placed.corners)] == ["ground", "a", "b", "c", "d"]


def test_wires_are_orthogonal_and_meet_their_ports() -> None:
    """Each line runs along rows and columns; each port that is connected is an end of one."""
    layout = layout_of(tree(8))
    lines = [line for lines in layout.wires.values() for line in lines]
    assert all(a[0] == b[0] or a[1] == b[1] for line in lines for a, b in pairwise(line))
    ends = {point for line in lines for point in (line[0], line[-1])}
    connected = {end for wire in tree(8).wires for end in (wire.hub, wire.other)}
    for placed in layout.nodes:
        for port in placed.ports:
            assert (port.at in ends) == ((placed.node.name, port.name) in connected)


def test_a_planar_graph_has_no_crossing() -> None:
    """Three chains between two boxes."""
    pairs = [pair for i in range(3) for pair in ((f"a:p{i}", f"pin {i}:M"), (f"b:p{i}", f"pin {i}:N"))]
    text = svg(picture_of(graph_between(pairs, source="a")))
    assert 'class="halo"' not in text


def test_a_group_has_its_instances_in_its_frame() -> None:
    """The frame contains nothing else; groups within groups have frames as well."""
    pairs = [("ground:p1", "leg.hip:M"), ("leg.shank.rod:p1", "leg.hip:N"), ("leg.shank.rod:p2", "foot:M")]
    layout = layout_of(graph_between(pairs, source="ground"))
    frames = {frame.name: frame.corners for frame in layout.frames}
    inside = {
        name: {
            placed.node.name
            for placed in layout.nodes
            if x1 < placed.corners[0] and y1 < placed.corners[1] and placed.corners[2] < x2 and placed.corners[3] < y2
        }
        for name, (x1, y1, x2, y2) in frames.items()
    }
    assert inside == {"leg": {"leg.hip", "leg.shank.rod"}, "shank": {"leg.shank.rod"}}


def test_sixty_instances_take_no_two_seconds() -> None:
    """They take less than two seconds of processor time. The diagram fits on a page, and is the same each time."""
    start = time.process_time()
    text = svg(picture_of(tree(20)))
    assert time.process_time() - start < 2
    assert text == svg(picture_of(tree(20))) and len(text) < 200_000
    assert list(offences(text)) == []
